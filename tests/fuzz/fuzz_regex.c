/* A Java regular expression and a text: the first byte says how many of the bytes behind it are the pattern.
 * What is translated must compile or be refused by name, and finds must end and go forward. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sql/regex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
find_all(const struct weir_regex *re, struct weir_slice s, struct weir_mem *mem)
{
    struct weir_error err = {0};
    struct weir_match m;
    bool found = true;

    if (weir_match_new(re, mem, &m, &err) != WEIR_OK)
        return;
    for (size_t at = 0, before = 0; found; before = at) {
        if (weir_regex_find(re, &m, s, at, &found, &err) != WEIR_OK || !found)
            return;
        if (m.span[0] > m.span[1] || m.span[1] > s.len || m.span[0] < at)
            abort();
        for (uint32_t g = 1; g <= weir_regex_groups(re); g++)
            if (m.span[2 * g] != SIZE_MAX && (m.span[2 * g] > m.span[2 * g + 1] || m.span[2 * g + 1] > s.len))
                abort();
        at = weir_match_next(&m, s);
        if (at <= before && !(before == 0 && at > 0))
            abort();
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *pattern = (const char *)data + 1;
    struct weir_error err = {0};
    struct weir_regex *re;
    struct weir_mem *mem;
    size_t n;
    weir_rc rc;

    if (size == 0 || size > 1024)
        return 0;
    n = data[0] < size - 1 ? data[0] : size - 1;
    if (!weir_utf8_valid(pattern, n) || !weir_utf8_valid(pattern + n, size - 1 - n))
        return 0;
    mem = weir_mem_new(NULL, NULL, "fuzz");
    if (mem == NULL)
        return 0;
    rc = weir_regex_compile(weir_slice(pattern, n), mem, &re, &err);
    if (rc == WEIR_OK)
        find_all(re, weir_slice(pattern + n, size - 1 - n), mem);
    else if (rc == WEIR_BUG || err.what[0] == '\0')
        abort();
    weir_mem_free(mem);
    return 0;
}
