/* Case by tables of runs; see unicode_case.h. ASCII goes without them.
 * A capital sigma at the end of a word becomes U+03C2: behind a cased letter, and with none that follows,
 * whatever case-ignorable characters stand between (Unicode's Final_Sigma). */
#include "sql/unicode_case.h"

#include <string.h>

#include "base/str.h"

struct case_run {
    uint32_t from, last;
    uint8_t stride;
    int32_t add;
};
struct case_many {
    uint32_t from;
    uint8_t n;
    uint32_t to[3];
};

#include "sql/unicode_case.inc"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
enum { SIGMA = 0x3a3, SIGMA_FINAL = 0x3c2 };

static const struct case_run *
run_find(const struct case_run *runs, size_t n, uint32_t c)
{
    size_t low = 0;

    while (low < n) { /* the last run that begins at c or in front of it is low - 1 */
        size_t mid = (low + n) / 2;

        if (runs[mid].from <= c)
            low = mid + 1;
        else
            n = mid;
    }
    /* Runs of stride 2 may enclose others, so the one in front is looked at too. */
    for (size_t i = low; i > 0 && i + 2 > low; i--)
        if (c <= runs[i - 1].last && (c - runs[i - 1].from) % runs[i - 1].stride == 0)
            return &runs[i - 1];
    return NULL;
}

static const struct case_many *
many_find(const struct case_many *many, size_t n, uint32_t c)
{
    for (size_t low = 0; low < n;) {
        size_t mid = (low + n) / 2;

        if (many[mid].from == c)
            return &many[mid];
        if (many[mid].from < c)
            low = mid + 1;
        else
            n = mid;
    }
    return NULL;
}

struct case_map {
    const struct case_run *runs;
    size_t nruns;
    const struct case_many *many;
    size_t nmany;
};
#define MAP(name)                                                                                            \
    {                                                                                                        \
        name, COUNT(name), name##_many, COUNT(name##_many)                                                   \
    }
static const struct case_map map_upper = MAP(upper), map_lower = MAP(lower), map_title = MAP(title);

/* false: the map says nothing about c. */
static bool
map_put(const struct case_map *map, uint32_t c, char **to)
{
    const struct case_many *many = many_find(map->many, map->nmany, c);
    const struct case_run *run;

    if (many != NULL) {
        for (uint8_t i = 0; i < many->n; i++)
            *to += weir_utf8_put(many->to[i], *to);
        return true;
    }
    if ((run = run_find(map->runs, map->nruns, c)) == NULL)
        return false;
    *to += weir_utf8_put((uint32_t)((int32_t)c + run->add), *to);
    return true;
}

static bool
has_cased_behind(const char *p, const char *end)
{
    while (p < end) {
        uint32_t c = weir_utf8_get(&p);

        if (run_find(ignorable, COUNT(ignorable), c) == NULL)
            return run_find(cased, COUNT(cased), c) != NULL;
    }
    return false;
}

static bool
has_cased_before(const char *start, const char *p)
{
    while (p > start) {
        const char *c = p - 1;

        while (c > start && (*c & 0xc0) == 0x80)
            c--;
        p = c;
        if (run_find(ignorable, COUNT(ignorable), weir_utf8_get(&c)) == NULL) {
            c = p;
            return run_find(cased, COUNT(cased), weir_utf8_get(&c)) != NULL;
        }
    }
    return false;
}

static void
char_put(uint32_t c, const struct case_map *map, char **to)
{
    if (!map_put(map, c, to))
        *to += weir_utf8_put(c, *to);
}

/* The character at *p, within start .. end, in lower case. */
static void
lower_put(const char *start, const char **p, const char *end, char **to)
{
    const char *at = *p;
    uint32_t c = weir_utf8_get(p);

    if (c == SIGMA && has_cased_before(start, at) && !has_cased_behind(*p, end))
        c = SIGMA_FINAL;
    char_put(c, &map_lower, to);
}

size_t
weir_case_upper(const char *p, size_t n, char *to)
{
    const char *end = p + n;
    char *out = to;

    while (p < end) {
        if ((unsigned char)*p < 0x80) {
            *out++ = *p >= 'a' && *p <= 'z' ? (char)(*p - 32) : *p;
            p++;
        } else {
            char_put(weir_utf8_get(&p), &map_upper, &out);
        }
    }
    return (size_t)(out - to);
}

size_t
weir_case_lower(const char *p, size_t n, char *to)
{
    const char *start = p, *end = p + n;
    char *out = to;

    while (p < end) {
        if ((unsigned char)*p < 0x80) {
            *out++ = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
            p++;
        } else {
            lower_put(start, &p, end, &out);
        }
    }
    return (size_t)(out - to);
}

size_t
weir_case_title(const char *p, size_t n, char *to)
{
    const char *start = p, *end = p + n;
    bool first = true;
    char *out = to;

    while (p < end) {
        bool blank = *p == ' ';

        if (first && !blank) {
            uint32_t c = weir_utf8_get(&p);

            if (!map_put(&map_title, c, &out))
                char_put(c, &map_upper, &out);
        } else {
            lower_put(start, &p, end, &out);
        }
        first = blank;
    }
    return (size_t)(out - to);
}

weir_letter
weir_letter_of(uint32_t c)
{
    if (c < 0x80)
        return c >= 'A' && c <= 'Z'   ? WEIR_LETTER_UPPER
               : c >= 'a' && c <= 'z' ? WEIR_LETTER_LOWER
               : c >= '0' && c <= '9' ? WEIR_LETTER_DIGIT
                                      : WEIR_LETTER_OTHER;
    if (run_find(mask_upper, COUNT(mask_upper), c) != NULL)
        return WEIR_LETTER_UPPER;
    if (run_find(mask_lower, COUNT(mask_lower), c) != NULL)
        return WEIR_LETTER_LOWER;
    return run_find(mask_digit, COUNT(mask_digit), c) != NULL ? WEIR_LETTER_DIGIT : WEIR_LETTER_OTHER;
}
