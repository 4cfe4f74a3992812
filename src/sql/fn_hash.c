/* Hashes and checksums, equal to Spark's bit for bit.
 *
 * 1. hash() is Murmur3 (32 bits) and xxhash64() is XXH64, both from seed 42; each value's hash seeds the next
 *    one's.
 * 2. A null leaves the seed as it is, so hash(NULL) is 42 and never null.
 * 3. Nested values are hashed field by field, element by element. Maps are refused, as by Spark: equal ones
 *    may differ in order.
 * 4. A byte, a short and a date hash as an int; a decimal of at most 18 digits as a long, a larger one as the
 *    bytes of its unscaled value; -0.0 as 0.0 and every NaN as one.
 * Murmur3 takes the bytes behind the last whole word one by one, which is Spark's own way and no other
 * library's. */
#include <zlib.h>

#include "sql/digest.h"
#include "sql/fn_text.h"

enum { HASH_SEED = 42 };

/* ---- Murmur3 */

static inline uint32_t
murmur_mix(uint32_t h, uint32_t k)
{
    k *= 0xcc9e2d51;
    k = k << 15 | k >> 17;
    k *= 0x1b873593;
    h ^= k;
    h = h << 13 | h >> 19;
    return h * 5 + 0xe6546b64;
}

static inline uint32_t
murmur_end(uint32_t h, uint32_t bytes)
{
    h ^= bytes;
    h ^= h >> 16;
    h *= 0x85ebca6b;
    h ^= h >> 13;
    h *= 0xc2b2ae35;
    return h ^ h >> 16;
}

static uint64_t
murmur_int(uint32_t v, uint64_t seed)
{
    return murmur_end(murmur_mix((uint32_t)seed, v), 4);
}

static uint64_t
murmur_long(uint64_t v, uint64_t seed)
{
    return murmur_end(murmur_mix(murmur_mix((uint32_t)seed, (uint32_t)v), (uint32_t)(v >> 32)), 8);
}

static uint64_t
murmur_bytes(const char *p, size_t n, uint64_t seed)
{
    uint32_t h = (uint32_t)seed, word;
    size_t i = 0;

    for (; i + 4 <= n; i += 4) {
        memcpy(&word, p + i, 4);
        h = murmur_mix(h, le32toh(word));
    }
    for (; i < n; i++)
        h = murmur_mix(h, (uint32_t)(int32_t)(signed char)p[i]);
    return murmur_end(h, (uint32_t)n);
}

/* ---- XXH64 */

#define XX1 UINT64_C(0x9e3779b185ebca87)
#define XX2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define XX3 UINT64_C(0x165667b19e3779f9)
#define XX4 UINT64_C(0x85ebca77c2b2ae63)
#define XX5 UINT64_C(0x27d4eb2f165667c5)

static inline uint64_t
rotl64(uint64_t v, unsigned n)
{
    return v << n | v >> (64 - n);
}

static inline uint64_t
xx_end(uint64_t h)
{
    h ^= h >> 33;
    h *= XX2;
    h ^= h >> 29;
    h *= XX3;
    return h ^ h >> 32;
}

static inline uint64_t
xx_round(uint64_t lane, uint64_t v)
{
    return rotl64(lane + v * XX2, 31) * XX1;
}

static inline uint64_t
xx_take4(uint64_t h, uint32_t v)
{
    return rotl64(h ^ v * XX1, 23) * XX2 + XX3;
}

static inline uint64_t
xx_take8(uint64_t h, uint64_t v)
{
    return rotl64(h ^ xx_round(0, v), 27) * XX1 + XX4;
}

static uint64_t
xx_int(uint32_t v, uint64_t seed)
{
    return xx_end(xx_take4(seed + XX5 + 4, v));
}

static uint64_t
xx_long(uint64_t v, uint64_t seed)
{
    return xx_end(xx_take8(seed + XX5 + 8, v));
}

static inline uint64_t
word64(const char *p)
{
    uint64_t v;

    memcpy(&v, p, 8);
    return le64toh(v);
}

/* The four lanes over all whole 32 bytes; moves *p. */
static uint64_t
xx_lanes(const char **p, const char *end, uint64_t seed)
{
    uint64_t lane[4] = {seed + XX1 + XX2, seed + XX2, seed, seed - XX1}, h;

    for (; end - *p >= 32; *p += 32)
        for (unsigned i = 0; i < 4; i++)
            lane[i] = xx_round(lane[i], word64(*p + 8 * i));
    h = rotl64(lane[0], 1) + rotl64(lane[1], 7) + rotl64(lane[2], 12) + rotl64(lane[3], 18);
    for (unsigned i = 0; i < 4; i++)
        h = (h ^ xx_round(0, lane[i])) * XX1 + XX4;
    return h;
}

static uint64_t
xx_bytes(const char *p, size_t n, uint64_t seed)
{
    const char *end = p + n;
    uint64_t h = n >= 32 ? xx_lanes(&p, end, seed) : seed + XX5;
    uint32_t word;

    h += n;
    for (; end - p >= 8; p += 8)
        h = xx_take8(h, word64(p));
    if (end - p >= 4) {
        memcpy(&word, p, 4);
        h = xx_take4(h, le32toh(word));
        p += 4;
    }
    for (; p < end; p++)
        h = rotl64(h ^ (unsigned char)*p * XX5, 11) * XX1;
    return xx_end(h);
}

/* ---- Values */

struct hasher {
    uint64_t (*int_)(uint32_t v, uint64_t seed);
    uint64_t (*long_)(uint64_t v, uint64_t seed);
    uint64_t (*bytes)(const char *p, size_t n, uint64_t seed);
};
static const struct hasher hasher_murmur = {murmur_int, murmur_long, murmur_bytes};
static const struct hasher hasher_xx = {xx_int, xx_long, xx_bytes};

static uint64_t
float_hash(const struct hasher *h, float v, uint64_t seed)
{
    uint32_t bits;

    v = v == 0 ? 0.0f : v;
    memcpy(&bits, &v, 4);
    return h->int_(v != v ? 0x7fc00000 : bits, seed);
}

static uint64_t
double_hash(const struct hasher *h, double v, uint64_t seed)
{
    uint64_t bits;

    v = v == 0 ? 0.0 : v;
    memcpy(&bits, &v, 8);
    return h->long_(v != v ? UINT64_C(0x7ff8000000000000) : bits, seed);
}

/* As the fewest bytes of a big-endian two's complement, which is Java's BigInteger.toByteArray(). */
static uint64_t
decimal_hash(const struct hasher *h, const struct weir_col *col, uint32_t row, uint64_t seed)
{
    weir_i128 v = weir_decimal_get(col, row);
    char bytes[16];
    size_t skip = 0;

    if (col->type->precision <= 18)
        return h->long_((uint64_t)(int64_t)v, seed);
    for (unsigned i = 0; i < 16; i++)
        bytes[15 - i] = (char)(v >> 8 * i);
    while (skip < 15 &&
           ((bytes[skip] == 0 && bytes[skip + 1] >= 0) || (bytes[skip] == -1 && bytes[skip + 1] < 0)))
        skip++;
    return h->bytes(bytes + skip, 16 - skip, seed);
}

static uint64_t
value_hash(const struct hasher *h, const struct weir_col *col, uint32_t row, uint64_t seed)
{
    struct weir_list list;
    uint32_t len;
    const char *p;

    if (col->type->kind == WEIR_VOID || weir_arg_null(col, row))
        return seed;
    switch (col->type->kind) {
    case WEIR_BOOLEAN:
        return h->int_(weir_arg(col, uint8_t, row), seed);
    case WEIR_BYTE:
        return h->int_((uint32_t)(int32_t)weir_arg(col, int8_t, row), seed);
    case WEIR_SHORT:
        return h->int_((uint32_t)(int32_t)weir_arg(col, int16_t, row), seed);
    case WEIR_INT:
    case WEIR_DATE:
        return h->int_((uint32_t)weir_arg(col, int32_t, row), seed);
    case WEIR_LONG:
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
        return h->long_((uint64_t)weir_arg(col, int64_t, row), seed);
    case WEIR_FLOAT:
        return float_hash(h, weir_arg(col, float, row), seed);
    case WEIR_DOUBLE:
        return double_hash(h, weir_arg(col, double, row), seed);
    case WEIR_DECIMAL:
        return decimal_hash(h, col, weir_arg_row(col, row), seed);
    case WEIR_STRING:
    case WEIR_BINARY:
        p = weir_arg_str(col, row, &len);
        return h->bytes(p, len, seed);
    case WEIR_ARRAY:
        list = weir_arg(col, struct weir_list, row);
        for (uint64_t i = 0; i < list.n; i++)
            seed = value_hash(h, &col->kids[0], (uint32_t)(list.at + i), seed);
        return seed;
    case WEIR_STRUCT:
        for (uint32_t i = 0; i < col->nkids; i++)
            seed = value_hash(h, &col->kids[i], weir_arg_row(col, row), seed);
        return seed;
    default:
        WEIR_ASSERT(!"a kind that the resolver refuses");
        return seed;
    }
}

static weir_rc
hash_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
            struct weir_error *err)
{
    (void)err;
    for (uint32_t row = 0; row < rows; row++) {
        uint64_t seed = HASH_SEED;

        for (uint32_t i = 0; i < call->nargs; i++)
            seed = value_hash(&hasher_murmur, &args[i], row, seed);
        ((int32_t *)out->data)[row] = (int32_t)(uint32_t)seed;
    }
    return WEIR_OK;
}

static weir_rc
xxhash64_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
                struct weir_error *err)
{
    (void)err;
    for (uint32_t row = 0; row < rows; row++) {
        uint64_t seed = HASH_SEED;

        for (uint32_t i = 0; i < call->nargs; i++)
            seed = value_hash(&hasher_xx, &args[i], row, seed);
        ((int64_t *)out->data)[row] = (int64_t)seed;
    }
    return WEIR_OK;
}

/* ---- Digests of bytes */

static weir_rc
digest_put(const struct fn_row *r, const uint8_t *digest, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    char text[2 * WEIR_DIGEST_MAX];

    for (size_t i = 0; i < n; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    return row_put(r, text, 2 * n);
}

static weir_rc
md5_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0);
    uint8_t digest[16];

    weir_md5(s.ptr, s.len, digest);
    return digest_put(r, digest, sizeof(digest));
}
WEIR_KERNEL(md5)

static weir_rc
sha1_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0);
    uint8_t digest[20];

    weir_sha1(s.ptr, s.len, digest);
    return digest_put(r, digest, sizeof(digest));
}
WEIR_KERNEL(sha1)

/* Other lengths are a null. */
static weir_rc
sha2_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0);
    int32_t bits = row_int(r, 1) == 0 ? 256 : row_int(r, 1);
    uint8_t digest[WEIR_DIGEST_MAX];

    if (bits != 224 && bits != 256 && bits != 384 && bits != 512)
        return row_put_null(r);
    weir_sha2(s.ptr, s.len, (unsigned)bits, digest);
    return digest_put(r, digest, (size_t)bits / 8);
}
WEIR_KERNEL(sha2)

static weir_rc
crc32_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0);

    ((int64_t *)r->out->data)[r->row] = (int64_t)crc32_z(0, (const unsigned char *)s.ptr, s.len);
    return WEIR_OK;
}
WEIR_KERNEL(crc32)

/* ---- The table */

static weir_rc hash_resolve(struct weir_resolve *r, struct weir_error *err);
static weir_rc values_resolve(struct weir_resolve *r, struct weir_error *err);

#define FUNCTIONS(F)                                                                                         \
    F(crc32, 1, 1, hash_resolve, "l:y", crc32, SIGNATURE_NEVER_NULL)                                         \
    F(hash, 1, 255, values_resolve, "i:.*", hash, SIGNATURE_SEES_NULLS)                                      \
    F(md5, 1, 1, hash_resolve, "s:y", md5, SIGNATURE_NEVER_NULL)                                             \
    F(sha, 1, 1, hash_resolve, "s:y", sha1, SIGNATURE_NEVER_NULL)                                            \
    F(sha1, 1, 1, hash_resolve, "s:y", sha1, SIGNATURE_NEVER_NULL)                                           \
    F(sha2, 2, 2, hash_resolve, "s:yi", sha2, 0)                                                             \
    F(xxhash64, 1, 255, values_resolve, "l:.*", xxhash64, SIGNATURE_SEES_NULLS)

static const struct weir_signature hash_signatures[] = {
#define ROW(name, min, max, resolve, types, kernel, flags) {#name, types, kernel##_kernel, NULL, flags},
    FUNCTIONS(ROW)
#undef ROW
};

static weir_rc
hash_resolve(struct weir_resolve *r, struct weir_error *err)
{
    return weir_signature_resolve(r, hash_signatures, sizeof(hash_signatures) / sizeof(hash_signatures[0]),
                                  err);
}

static bool
type_holds(const struct weir_type *type, weir_kind kind)
{
    if (type->kind == kind)
        return true;
    for (uint32_t i = 0; i < type->nfields; i++)
        if (type_holds(type->fields[i].type, kind))
            return true;
    return false;
}

static weir_rc
values_resolve(struct weir_resolve *r, struct weir_error *err)
{
    for (uint32_t i = 0; i < r->node->nkids; i++)
        if (type_holds(r->node->kids[i]->type, WEIR_MAP) || type_holds(r->node->kids[i]->type, WEIR_VARIANT))
            return weir_resolve_refuse(
                r, i, "a value without maps and variants, whose equal values may differ in order,", err);
    WEIR_TRY(hash_resolve(r, err));
    r->nullable = false;
    return WEIR_OK;
}

const struct weir_function weir_functions_hash[] = {
#define ROW(name, min, max, resolve, types, kernel, flags)                                                   \
    {#name, WEIR_FN_SCALAR, min, max, resolve, NULL, NULL},
    FUNCTIONS(ROW)
#undef ROW
        {0},
};
