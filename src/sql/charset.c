/* Character sets by the width of their units; see charset.h. */
#include "sql/charset.h"

struct weir_charset {
    const char *name;
    unsigned unit;     /* bytes */
    uint32_t most;     /* the highest code point; of single bytes */
    bool little, mark; /* mark: written, and looked for when reading */
    bool look;         /* looked for, not written */
};

static const struct weir_charset charsets[] = {
    {"US-ASCII", 1, 0x7f, false, false, false}, {"ISO-8859-1", 1, 0xff, false, false, false},
    {"UTF-8", 0, 0, false, false, false},       {"UTF-16BE", 2, 0, false, false, false},
    {"UTF-16LE", 2, 0, true, false, false},     {"UTF-16", 2, 0, false, true, true},
    {"UTF-32", 4, 0, false, false, true},
};

const struct weir_charset *
weir_charset_find(struct weir_slice name)
{
    for (size_t i = 0; i < sizeof(charsets) / sizeof(charsets[0]); i++)
        if (weir_slice_is_nocase(name, charsets[i].name))
            return &charsets[i];
    return NULL;
}

static char *
unit_put(char *to, uint32_t v, unsigned bytes, bool little)
{
    for (unsigned i = 0; i < bytes; i++)
        to[little ? i : bytes - 1 - i] = (char)(v >> 8 * i);
    return to + bytes;
}

static uint32_t
unit_get(const char *p, unsigned bytes, bool little)
{
    uint32_t v = 0;

    for (unsigned i = 0; i < bytes; i++)
        v = v << 8 | (unsigned char)p[little ? bytes - 1 - i : i];
    return v;
}

bool
weir_charset_encode(const struct weir_charset *set, struct weir_slice s, char *to, size_t *n)
{
    const char *p = s.ptr, *end = s.ptr + s.len;
    char *out = to;

    if (set->unit == 0) {
        memcpy(to, s.ptr, s.len);
        *n = s.len;
        return true;
    }
    if (set->mark && s.len > 0)
        out = unit_put(out, 0xfeff, set->unit, set->little);
    while (p < end) {
        uint32_t c = weir_utf8_get(&p);

        if (set->unit == 1 && c > set->most)
            return false;
        if (set->unit == 2 && c > 0xffff) {
            out = unit_put(out, 0xd800 + ((c - 0x10000) >> 10), 2, set->little);
            c = 0xdc00 + ((c - 0x10000) & 0x3ff);
        }
        out = unit_put(out, c, set->unit, set->little);
    }
    *n = (size_t)(out - to);
    return true;
}

/* The code point at *p, made of one or two units. false: none. */
static bool
point_get(const struct weir_charset *set, bool little, const char **p, const char *end, uint32_t *c)
{
    uint32_t low;

    if ((size_t)(end - *p) < set->unit)
        return false;
    *c = unit_get(*p, set->unit, little);
    *p += set->unit;
    if (set->unit == 1)
        return *c <= set->most;
    if (set->unit == 4) {
        if (*c >= 0xd800 && *c <= 0xdfff)
            *c = '?'; /* Java reads a lone surrogate, and has no UTF-8 for it */
        return *c <= 0x10ffff;
    }
    if (*c < 0xd800 || *c > 0xdfff)
        return true;
    if (*c > 0xdbff || end - *p < 2)
        return false;
    low = unit_get(*p, 2, little);
    *p += 2;
    *c = 0x10000 + ((*c - 0xd800) << 10) + (low - 0xdc00);
    return low >= 0xdc00 && low <= 0xdfff;
}

bool
weir_charset_decode(const struct weir_charset *set, struct weir_slice s, char *to, size_t *n)
{
    const char *p = s.ptr, *end = s.ptr + s.len;
    bool little = set->little;
    char *out = to;
    uint32_t c;

    if (set->unit == 0) {
        memcpy(to, s.ptr, s.len);
        *n = s.len;
        return weir_utf8_valid(s.ptr, s.len);
    }
    if (set->look && s.len >= set->unit) {
        uint32_t mark = unit_get(p, set->unit, false), swapped = unit_get(p, set->unit, true);

        little = swapped == 0xfeff;
        p += mark == 0xfeff || little ? set->unit : 0;
    }
    while (p < end) {
        if (!point_get(set, little, &p, end, &c))
            return false;
        out += weir_utf8_put(c, out);
    }
    *n = (size_t)(out - to);
    return true;
}
