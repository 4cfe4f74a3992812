/* Slices, numbers with units, UTF-8, near names. */
#include "base/str.h"

#include <stdlib.h>

bool
weir_slice_is_nocase(struct weir_slice s, const char *text)
{
    size_t i;

    if (s.len != strlen(text))
        return false;
    for (i = 0; i < s.len; i++) {
        if (weir_lower(s.ptr[i]) != weir_lower(text[i]))
            return false;
    }
    return true;
}

struct weir_slice
weir_slice_trim(struct weir_slice s)
{
    while (s.len > 0 && (unsigned char)s.ptr[0] <= ' ') {
        s.ptr++;
        s.len--;
    }
    while (s.len > 0 && (unsigned char)s.ptr[s.len - 1] <= ' ')
        s.len--;
    return s;
}

bool
weir_str_starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool
weir_str_ends(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);

    return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

/* ---- numbers ---- */

/* Takes digits off the front. false: none there, or more than int64 holds. */
static bool
take_digits(struct weir_slice *s, int64_t *out)
{
    int64_t v = 0;

    if (s->len == 0 || !weir_is_digit(s->ptr[0]))
        return false;
    while (s->len > 0 && weir_is_digit(s->ptr[0])) {
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, s->ptr[0] - '0', &v))
            return false;
        s->ptr++;
        s->len--;
    }
    *out = v;
    return true;
}

/* Takes ASCII letters off the front. */
static struct weir_slice
take_word(struct weir_slice *s)
{
    struct weir_slice word = {s->ptr, 0};

    while (s->len > 0 && weir_lower(s->ptr[0]) >= 'a' && weir_lower(s->ptr[0]) <= 'z') {
        s->ptr++;
        s->len--;
        word.len++;
    }
    return word;
}

bool
weir_parse_int(struct weir_slice s, int64_t *out)
{
    bool minus = s.len > 0 && s.ptr[0] == '-';
    int64_t v = 0;

    if (s.len > 0 && (s.ptr[0] == '-' || s.ptr[0] == '+'))
        s = weir_slice(s.ptr + 1, s.len - 1);
    if (s.len == 0)
        return false;
    for (; s.len > 0; s.ptr++, s.len--) { /* downwards: the smallest int64 has no positive twin */
        if (!weir_is_digit(s.ptr[0]) || __builtin_mul_overflow(v, 10, &v) ||
            __builtin_sub_overflow(v, s.ptr[0] - '0', &v))
            return false;
    }
    if (!minus && __builtin_sub_overflow((int64_t)0, v, &v))
        return false;
    *out = v;
    return true;
}

bool
weir_parse_bool(struct weir_slice s, bool *out)
{
    if (!weir_slice_is_nocase(s, "true") && !weir_slice_is_nocase(s, "false"))
        return false;
    *out = s.len == 4;
    return true;
}

bool
weir_parse_bytes(struct weir_slice s, int64_t *out)
{
    static const char *const units[][2] = {{"", "b"},   {"k", "kb"}, {"m", "mb"},
                                           {"g", "gb"}, {"t", "tb"}, {"p", "pb"}};
    unsigned i;
    int64_t v;

    s = weir_slice_trim(s);
    if (!take_digits(&s, &v))
        return false;
    s = weir_slice_trim(s);
    for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (weir_slice_is_nocase(s, units[i][0]) || weir_slice_is_nocase(s, units[i][1]))
            return !__builtin_mul_overflow(v, INT64_C(1) << (10 * i), out);
    }
    return false;
}

/* Microseconds of a unit; 0: not known. Months and years have no fixed length and are refused, as Spark's
 * trigger does. The short ones are those of Spark's JavaUtils.timeStringAs. */
static int64_t
interval_unit_us(struct weir_slice word)
{
    static const struct {
        const char *one, *many;
        int64_t us;
    } units[] = {
        {"microsecond", "microseconds", 1},
        {"us", "us", 1},
        {"millisecond", "milliseconds", 1000},
        {"ms", "ms", 1000},
        {"second", "seconds", 1000000},
        {"s", "s", 1000000},
        {"minute", "minutes", 60000000},
        {"min", "m", 60000000},
        {"hour", "hours", 3600000000},
        {"h", "h", 3600000000},
        {"day", "days", 86400000000},
        {"d", "d", 86400000000},
        {"week", "weeks", 604800000000},
    };
    size_t i;

    for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (weir_slice_is_nocase(word, units[i].one) || weir_slice_is_nocase(word, units[i].many))
            return units[i].us;
    }
    return 0;
}

/* Takes ".5" off the front, as millionths; digits behind the sixth are dropped. */
static bool
take_fraction(struct weir_slice *s, int64_t *millionths)
{
    int64_t scale = 100000;

    *millionths = 0;
    if (s->len == 0 || s->ptr[0] != '.')
        return true;
    *s = weir_slice(s->ptr + 1, s->len - 1);
    if (s->len == 0 || !weir_is_digit(s->ptr[0]))
        return false;
    for (; s->len > 0 && weir_is_digit(s->ptr[0]); s->ptr++, s->len--) {
        *millionths += (s->ptr[0] - '0') * scale;
        scale /= 10;
    }
    return true;
}

bool
weir_parse_interval_ms(struct weir_slice s, int64_t *out)
{
    int64_t us = 0;

    s = weir_slice_trim(s);
    if (s.len > 8 && weir_slice_is_nocase(weir_slice(s.ptr, 8), "interval") && (unsigned char)s.ptr[8] <= ' ')
        s = weir_slice_trim(weir_slice(s.ptr + 8, s.len - 8));
    if (s.len == 0)
        return false;
    if (weir_slice_is(s, "0")) { /* nothing, in any unit */
        *out = 0;
        return true;
    }
    while (s.len > 0) {
        int64_t n, fraction, unit;
        bool whole;

        if (!take_digits(&s, &n))
            return false;
        whole = s.len == 0 || s.ptr[0] != '.';
        if (!take_fraction(&s, &fraction))
            return false;
        s = weir_slice_trim(s);
        unit = interval_unit_us(take_word(&s));
        if (unit == 0 || (!whole && unit != 1000000)) /* only seconds have a fraction, as in Spark */
            return false;
        if (__builtin_mul_overflow(n, unit, &n) || __builtin_add_overflow(us, n, &us) ||
            __builtin_add_overflow(us, fraction, &us))
            return false;
        s = weir_slice_trim(s);
    }
    *out = us / 1000;
    return true;
}

/* ---- UTF-8 ---- */

/* Well-formed sequences by Unicode, table 3-7. */
size_t
weir_utf8_length(const char *s, size_t n)
{
    const unsigned char *p = (const unsigned char *)s;
    unsigned char low = 0x80, high = 0xbf;
    size_t len, i;

    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return 0;
    len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (p[0] == 0xe0)
        low = 0xa0; /* overlong */
    else if (p[0] == 0xed)
        high = 0x9f; /* surrogates */
    else if (p[0] == 0xf0)
        low = 0x90; /* overlong */
    else if (p[0] == 0xf4)
        high = 0x8f; /* over U+10FFFF */
    if (n < len || p[1] < low || p[1] > high)
        return 0;
    for (i = 2; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    }
    return len;
}

bool
weir_utf8_valid(const char *s, size_t n)
{
    size_t at = 0, len;
    uint64_t word;

    while (at < n) {
        if (n - at >= sizeof(word)) {
            memcpy(&word, s + at, sizeof(word));
            if ((word & UINT64_C(0x8080808080808080)) == 0) {
                at += sizeof(word);
                continue;
            }
        }
        len = weir_utf8_length(s + at, n - at);
        if (len == 0)
            return false;
        at += len;
    }
    return true;
}

unsigned
weir_utf8_put(uint32_t c, char *p)
{
    if (c < 0x80) {
        p[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        p[0] = (char)(0xc0 | c >> 6);
        p[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        p[0] = (char)(0xe0 | c >> 12);
        p[1] = (char)(0x80 | (c >> 6 & 0x3f));
        p[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    p[0] = (char)(0xf0 | c >> 18);
    p[1] = (char)(0x80 | (c >> 12 & 0x3f));
    p[2] = (char)(0x80 | (c >> 6 & 0x3f));
    p[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

uint32_t
weir_utf8_get(const char **p)
{
    const unsigned char *s = (const unsigned char *)*p;
    unsigned more = s[0] < 0x80 ? 0 : s[0] < 0xe0 ? 1 : s[0] < 0xf0 ? 2 : 3;
    uint32_t c = more == 0 ? s[0] : s[0] & (0x3fu >> more);
    unsigned i;

    for (i = 1; i <= more; i++)
        c = c << 6 | (s[i] & 0x3f);
    *p += more + 1;
    return c;
}

/* ---- near names ---- */

enum { NEAR_MAX = 64 }; /* longer names get no advice */

/* Edits (insert, delete, replace, swap of neighbours) from a to b without regard to case. */
static unsigned
edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    unsigned rows[3][NEAR_MAX + 1], *before = rows[0], *last = rows[1], *now = rows[2], *spare;
    size_t i, j;

    for (j = 0; j <= m; j++)
        last[j] = (unsigned)j;
    for (i = 1; i <= n; i++) {
        now[0] = (unsigned)i;
        for (j = 1; j <= m; j++) {
            char x = weir_lower(a[i - 1]), y = weir_lower(b[j - 1]);
            unsigned best = last[j - 1] + (x != y);

            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && x == weir_lower(b[j - 2]) && y == weir_lower(a[i - 2]) &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[m];
}

const char *
weir_nearest(const char *name, const char *const *names, size_t n)
{
    size_t len = strlen(name), i;
    unsigned best = (unsigned)len / 4 + 2; /* one edit of a short name, about a quarter of a long one */
    const char *found = NULL;

    if (len > NEAR_MAX)
        return NULL;
    for (i = 0; i < n; i++) {
        size_t m = strlen(names[i]);
        unsigned edits;

        if (m > NEAR_MAX)
            continue;
        edits = edit_distance(name, len, names[i], m);
        if (edits < best && edits < len) {
            best = edits;
            found = names[i];
        }
    }
    return found;
}
