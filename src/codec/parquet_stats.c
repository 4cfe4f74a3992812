/* Bounds of values: for a chunk's Statistics in the footer, and over the file for Delta.
 *
 * 1. Parquet ("Statistics", ColumnOrder TypeDefinedOrder): NaN in a chunk takes min and max away; a zero as
 *    min is written -0.0, as max +0.0. Texts and bytes are ordered as unsigned bytes; a bound over 64 bytes
 *    is cut, a cut max is raised, and both say is_..._exact = false.
 * 2. Delta ("Per-file Statistics", as Spark computes them): NaN is the largest number; -0.0 is 0.0; a text's
 *    min is its first 32 characters, its max 32 UTF-16 units and a tie-breaker. Bytes, lists and maps have
 *    none. Booleans have some, for delta-rs.
 * 3. A bound keeps the first WEIR_BOUND_BYTES bytes of a text. Both rules look at less, and whatever compares
 *    equal there gives the same answer under both. */
#include "codec/parquet_int.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

void
weir_bounds_reset(struct weir_bounds *r)
{
    r->any = r->nan = false;
    r->lo.len = r->hi.len = 0;
    r->lo.key = r->hi.key = 0;
}

/* ---- texts ---- */

/* The first eight bytes as a number that orders like them. 16 bytes at a text are readable; the rest of a
 * short one is zero. */
static inline uint64_t
text_key(const struct weir_str *s)
{
    uint64_t key;

    memcpy(&key, weir_str_ptr(s), sizeof(key));
    return __builtin_bswap64(key);
}

static int
text_order(const char *p, uint32_t n, const struct weir_bound *b)
{
    uint32_t common = n < b->len ? n : b->len;
    int c = memcmp(p, b->text, common);

    return c != 0 ? c : (n > b->len) - (n < b->len);
}

static void
bound_set(struct weir_bound *b, const char *p, uint32_t n, uint64_t key)
{
    memcpy(b->text, p, n);
    b->len = n;
    b->key = key;
}

static void
bounds_text(struct weir_bounds *r, const char *p, uint32_t len, uint64_t key)
{
    uint32_t n = len < WEIR_BOUND_BYTES ? len : WEIR_BOUND_BYTES;

    if (!r->any || (key <= r->lo.key && text_order(p, n, &r->lo) < 0))
        bound_set(&r->lo, p, n, key);
    if (!r->any || (key >= r->hi.key && text_order(p, n, &r->hi) > 0))
        bound_set(&r->hi, p, n, key);
    r->any = true;
}

static void
bounds_texts(struct weir_bounds *r, const struct weir_str *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t key = text_key(&s[i]);

        if (r->any && key > r->lo.key && key < r->hi.key)
            continue;
        bounds_text(r, weir_str_ptr(&s[i]), s[i].len, key);
    }
}

/* ---- numbers ---- */

#define BOUNDS_NUMBERS(name, type, member, unset_min, unset_max)                                             \
    static void name(struct weir_bounds *r, const void *v, size_t n)                                         \
    {                                                                                                        \
        type min = r->any ? (type)r->min.member : (unset_min);                                               \
        type max = r->any ? (type)r->max.member : (unset_max);                                               \
                                                                                                             \
        for (size_t i = 0; i < n; i++) {                                                                     \
            type x;                                                                                          \
                                                                                                             \
            memcpy(&x, (const char *)v + i * sizeof(x), sizeof(x));                                          \
            min = x < min ? x : min;                                                                         \
            max = x > max ? x : max;                                                                         \
        }                                                                                                    \
        r->any |= n > 0;                                                                                     \
        r->min.member = min;                                                                                 \
        r->max.member = max;                                                                                 \
    }

/* NaN compares false with everything and so never becomes a bound. */
#define BOUNDS_FLOATS(name, type)                                                                            \
    static void name(struct weir_bounds *r, const void *v, size_t n)                                         \
    {                                                                                                        \
        type min = r->any ? (type)r->min.d : (type)INFINITY;                                                 \
        type max = r->any ? (type)r->max.d : (type)-INFINITY;                                                \
        size_t nans = 0;                                                                                     \
                                                                                                             \
        for (size_t i = 0; i < n; i++) {                                                                     \
            type x;                                                                                          \
                                                                                                             \
            memcpy(&x, (const char *)v + i * sizeof(x), sizeof(x));                                          \
            min = x < min ? x : min;                                                                         \
            max = x > max ? x : max;                                                                         \
            nans += x != x;                                                                                  \
        }                                                                                                    \
        r->any |= nans < n;                                                                                  \
        r->nan |= nans > 0;                                                                                  \
        r->min.d = (double)min;                                                                              \
        r->max.d = (double)max;                                                                              \
    }

#define I128_MAX ((weir_i128)(~(unsigned __int128)0 >> 1))

BOUNDS_NUMBERS(bounds_u8, uint8_t, i, UINT8_MAX, 0)
BOUNDS_NUMBERS(bounds_i32, int32_t, i, INT32_MAX, INT32_MIN)
BOUNDS_NUMBERS(bounds_i64, int64_t, i, INT64_MAX, INT64_MIN)
BOUNDS_NUMBERS(bounds_i128, weir_i128, dec, I128_MAX, -I128_MAX - 1)
BOUNDS_FLOATS(bounds_f32, float)
BOUNDS_FLOATS(bounds_f64, double)

void
weir_bounds_add(struct weir_bounds *r, enum weir_phys phys, const void *v, size_t n)
{
    if (n == 0)
        return;
    switch (phys) {
    case WEIR_PHYS_BOOL:
        bounds_u8(r, v, n);
        break;
    case WEIR_PHYS_I32:
        bounds_i32(r, v, n);
        break;
    case WEIR_PHYS_I64:
        bounds_i64(r, v, n);
        break;
    case WEIR_PHYS_F32:
        bounds_f32(r, v, n);
        break;
    case WEIR_PHYS_F64:
        bounds_f64(r, v, n);
        break;
    case WEIR_PHYS_BYTES:
        bounds_texts(r, v, n);
        break;
    case WEIR_PHYS_FIXED:
        bounds_i128(r, v, n);
        break;
    }
}

void
weir_bounds_merge(struct weir_bounds *r, const struct weir_bounds *more, enum weir_phys phys)
{
    r->nan |= more->nan;
    if (!more->any)
        return;
    switch (phys) {
    case WEIR_PHYS_BYTES:
        bounds_text(r, more->lo.text, more->lo.len, more->lo.key);
        bounds_text(r, more->hi.text, more->hi.len, more->hi.key);
        return;
    case WEIR_PHYS_FIXED:
        bounds_i128(r, &more->min.dec, 1);
        bounds_i128(r, &more->max.dec, 1);
        return;
    case WEIR_PHYS_F32:
    case WEIR_PHYS_F64:
        bounds_f64(r, &more->min.d, 1);
        bounds_f64(r, &more->max.d, 1);
        return;
    case WEIR_PHYS_BOOL:
    case WEIR_PHYS_I32:
    case WEIR_PHYS_I64:
        bounds_i64(r, &more->min.i, 1);
        bounds_i64(r, &more->max.i, 1);
        return;
    }
}

/* ---- the footer ---- */

struct bytes {                      /* of one written bound */
    char at[WEIR_FOOTER_BOUND + 4]; /* a raised last character may be longer */
    uint32_t n;
    bool exact;
};

/* The start of a UTF-8 character at or before n. */
static uint32_t
text_border(const char *p, uint32_t n)
{
    while (n > 0 && ((unsigned char)p[n] & 0xc0) == 0x80)
        n--;
    return n;
}

/* Raises bytes to the least that is above all that begin with them. false: there is none. */
static bool
bytes_raise(struct bytes *b)
{
    while (b->n > 0) {
        unsigned char *last = (unsigned char *)&b->at[b->n - 1];

        if (*last != 0xff) {
            ++*last;
            return true;
        }
        b->n--;
    }
    return false;
}

/* The same for a text, which stays valid UTF-8. */
static bool
text_raise(struct bytes *b)
{
    while (b->n > 0) {
        uint32_t start = text_border(b->at, b->n - 1);
        const char *at = b->at + start;
        uint32_t c = weir_utf8_get(&at);

        b->n = start;
        if (c == 0x10ffff)
            continue;
        c = c + 1 == 0xd800 ? 0xe000 : c + 1; /* surrogates are no characters */
        b->n += weir_utf8_put(c, b->at + start);
        return true;
    }
    return false;
}

static bool
bytes_of_text(const struct weir_bound *from, bool is_text, bool is_max, struct bytes *b)
{
    b->exact = from->len <= WEIR_FOOTER_BOUND;
    b->n = b->exact ? from->len : WEIR_FOOTER_BOUND;
    if (!b->exact && is_text)
        b->n = text_border(from->text, b->n);
    memcpy(b->at, from->text, b->n);
    if (b->exact || !is_max)
        return true;
    return is_text ? text_raise(b) : bytes_raise(b);
}

static void
bytes_of_double(double d, bool is_max, bool narrow, char *at)
{
    float f;

    if (d == 0)
        d = is_max ? 0.0 : -0.0;
    f = (float)d;
    memcpy(at, narrow ? (const void *)&f : (const void *)&d, narrow ? sizeof(f) : sizeof(d));
}

static void
bytes_of_number(const struct weir_bounds *r, const struct weir_leaf *leaf, bool is_max, struct bytes *b)
{
    b->exact = true;
    b->n = leaf->width;
    if (leaf->phys == WEIR_PHYS_F32 || leaf->phys == WEIR_PHYS_F64) {
        bytes_of_double(is_max ? r->max.d : r->min.d, is_max, leaf->phys == WEIR_PHYS_F32, b->at);
    } else if (leaf->phys == WEIR_PHYS_FIXED) {
        b->n = leaf->fixed;
        weir_fixed_put(is_max ? r->max.dec : r->min.dec, leaf->fixed, (uint8_t *)b->at);
    } else { /* little-endian: the low bytes come first */
        memcpy(b->at, is_max ? &r->max.i : &r->min.i, b->n);
    }
}

static bool
bytes_of(const struct weir_bounds *r, const struct weir_leaf *leaf, bool is_max, struct bytes *b)
{
    if (leaf->phys == WEIR_PHYS_BYTES)
        return bytes_of_text(is_max ? &r->hi : &r->lo, leaf->is_text, is_max, b);
    bytes_of_number(r, leaf, is_max, b);
    return true;
}

void
weir_bounds_thrift(const struct weir_bounds *r, const struct weir_leaf *leaf, uint64_t nulls,
                   struct weir_thrift *t, int16_t id)
{
    struct bytes min, max;
    bool known = r->any && !r->nan;
    bool has_min = known && bytes_of(r, leaf, false, &min), has_max = known && bytes_of(r, leaf, true, &max);

    weir_thrift_struct(t, id);
    weir_thrift_i64(t, 3, (int64_t)nulls);
    if (has_max)
        weir_thrift_binary(t, 5, max.at, max.n);
    if (has_min)
        weir_thrift_binary(t, 6, min.at, min.n);
    if (has_max)
        weir_thrift_bool(t, 7, max.exact);
    if (has_min)
        weir_thrift_bool(t, 8, min.exact);
    weir_thrift_close(t);
}

/* ---- Delta ---- */

enum { DELTA_CHARS = 32 };

static void
delta_min_text(struct weir_colstats *cs, const struct weir_bound *lo)
{
    const char *at = lo->text, *end = lo->text + lo->len;

    for (int i = 0; i < DELTA_CHARS && at < end; i++)
        weir_utf8_get(&at);
    cs->min_len = (uint32_t)(at - lo->text);
    memcpy(cs->min_text, lo->text, cs->min_len);
    cs->min_text[cs->min_len] = '\0';
}

/* StatisticsCollection.truncateMaxStringAgg: 32 units (33 rather than half a pair); then a tie-breaker above
 * the next character, U+007F where that is enough and U+10FFFF otherwise. Nothing is above U+10FFFF itself:
 * it joins the prefix, up to 64 units; past that there is no maximum. */
static void
delta_max_text(struct weir_colstats *cs, const struct weir_bound *hi)
{
    const char *at = hi->text, *end = hi->text + hi->len, *next;
    uint32_t c, tie = 0;
    int units = 0;

    while (units < DELTA_CHARS && at < end)
        units += weir_utf8_get(&at) > 0xffff ? 2 : 1;
    while (at < end && tie == 0) {
        next = at;
        c = weir_utf8_get(&next);
        if (c != 0x10ffff) {
            tie = c < 0x7f ? 0x7f : 0x10ffff;
        } else {
            at = next;
            units += 2;
            if (units > 2 * DELTA_CHARS)
                return;
        }
    }
    cs->max_len = (uint32_t)(at - hi->text);
    memcpy(cs->max_text, hi->text, cs->max_len);
    if (tie != 0)
        cs->max_len += weir_utf8_put(tie, cs->max_text + cs->max_len);
    cs->max_text[cs->max_len] = '\0';
    cs->has_max_text = true;
}

static double
delta_double(double v)
{
    return v == 0 ? 0.0 : v;
}

void
weir_colstats_fill(struct weir_colstats *cs, const struct weir_bounds *r, enum weir_phys phys)
{
    weir_kind kind = cs->field->type->kind;

    cs->has_nan = r->nan;
    cs->has_minmax = (r->any || r->nan) && kind != WEIR_BINARY;
    if (!cs->has_minmax)
        return;
    if (phys == WEIR_PHYS_BYTES) {
        delta_min_text(cs, &r->lo);
        delta_max_text(cs, &r->hi);
    } else if (phys == WEIR_PHYS_F32 || phys == WEIR_PHYS_F64) {
        cs->min.d = r->any ? delta_double(r->min.d) : (double)NAN;
        cs->max.d = r->nan ? (double)NAN : delta_double(r->max.d);
    } else if (kind == WEIR_DECIMAL) {
        cs->min.dec = phys == WEIR_PHYS_FIXED ? r->min.dec : r->min.i;
        cs->max.dec = phys == WEIR_PHYS_FIXED ? r->max.dec : r->max.i;
    } else {
        cs->min.i = r->min.i;
        cs->max.i = r->max.i;
    }
}
