/* A datetime pattern and a text: the first byte says how many of the bytes behind it are the pattern. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "column/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *pattern = (const char *)data + 1, *text;
    struct weir_error err = {0};
    struct weir_pattern *p;
    struct weir_mem *mem;
    size_t n;

    if (size == 0 || size > 4096)
        return 0;
    n = data[0] < size - 1 ? data[0] : size - 1;
    text = pattern + n;
    mem = weir_mem_new(NULL, NULL, "fuzz");
    if (mem == NULL)
        return 0;
    if (weir_pattern_compile(pattern, n, mem, &p, &err) == WEIR_OK) {
        bool has_zone, read;
        int32_t days;
        int64_t us;

        read = weir_pattern_parse(p, text, size - 1 - n, &us, &has_zone);
        /* an instant within int64 may have a day beyond int32, never the other way round for a text that reads */
        if (read && us > -INT64_C(185000000000000000) && us < INT64_C(185000000000000000) &&
            !weir_pattern_parse_date(p, text, size - 1 - n, &days))
            abort();
    } else if (err.what[0] == '\0') {
        abort();
    }
    weir_mem_free(mem);
    return 0;
}
