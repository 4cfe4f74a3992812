/* The RLE/bit-packed hybrid of levels and dictionary indices (parquet-format "Encodings": RLE = 3).
 *
 * 1. A run is a varint of its length << 1 and the value in whole bytes; a bit-packed stretch is a varint of
 *    (its groups of eight << 1 | 1) and the groups, lowest bits first.
 * 2. Only the last stretch of a page may hold fewer values than its groups: a run therefore begins where a
 *    group ends, wherever the equal values began.
 * 3. A run is worth its header only from a length that depends on the width; shorter ones stay packed.
 * Pure functions. */
#include "codec/parquet_int.h"

#include <string.h>

unsigned
weir_rle_width(uint32_t max)
{
    return max == 0 ? 0 : 32 - (unsigned)__builtin_clz(max);
}

size_t
weir_rle_bound(size_t n, unsigned width)
{
    size_t groups = (n + 7) / 8;

    /* A group costs its bits, and at worst a byte of its own header; a run costs at most three bytes for each
     * eight of its values. The end is for wide stores and one long varint. */
    return groups * ((width < 3 ? 3 : width) + 1) + 32;
}

static inline uint8_t *
rle_varint(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

static inline uint8_t *
rle_put_run(uint8_t *p, uint64_t n, uint32_t value, unsigned width)
{
    p = rle_varint(p, n << 1);
    for (unsigned bits = 0; bits < width; bits += 8) {
        *p++ = (uint8_t)value;
        value >>= 8;
    }
    return p;
}

size_t
weir_rle_run(uint64_t n, uint32_t value, unsigned width, uint8_t *out)
{
    return (size_t)(rle_put_run(out, n, value, width) - out);
}

/* The encoder is written once and compiled for both widths of its input. */

static inline __attribute__((always_inline)) uint32_t
rle_at(const void *v, size_t i, bool wide)
{
    return wide ? ((const uint16_t *)v)[i] : ((const uint8_t *)v)[i];
}

static inline __attribute__((always_inline)) bool
rle_all_equal8(const void *v, size_t i, bool wide)
{
    uint64_t a, b;

    if (!wide) {
        memcpy(&a, (const uint8_t *)v + i, 8);
        return a == (a & 0xff) * UINT64_C(0x0101010101010101);
    }
    memcpy(&a, (const uint16_t *)v + i, 8);
    memcpy(&b, (const uint16_t *)v + i + 4, 8);
    return a == b && a == (a & 0xffff) * UINT64_C(0x0001000100010001);
}

/* Eight values of up to 16 bits; writes 16 bytes, of which `width` count. */
static inline __attribute__((always_inline)) void
rle_pack8(uint8_t *out, const void *v, size_t i, unsigned width, bool wide)
{
    uint64_t lo = 0, hi = 0;
    unsigned __int128 bits;

    for (unsigned k = 0; k < 4; k++) {
        lo |= (uint64_t)rle_at(v, i + k, wide) << (k * width);
        hi |= (uint64_t)rle_at(v, i + 4 + k, wide) << (k * width);
    }
    bits = (unsigned __int128)lo | (unsigned __int128)hi << (4 * width);
    memcpy(out, &bits, sizeof(bits));
}

/* The values from..to, whose number is a multiple of eight unless they are the last. */
static inline __attribute__((always_inline)) uint8_t *
rle_put_packed(uint8_t *p, const void *v, size_t from, size_t to, unsigned width, bool wide)
{
    size_t i = from, groups = (to - from + 7) / 8;
    uint16_t tail16[8] = {0};
    uint8_t tail8[8] = {0};

    if (groups == 0)
        return p;
    p = rle_varint(p, (uint64_t)groups << 1 | 1);
    for (; i + 8 <= to; i += 8, p += width)
        rle_pack8(p, v, i, width, wide);
    if (i == to)
        return p;
    if (wide)
        memcpy(tail16, (const uint16_t *)v + i, (to - i) * 2);
    else
        memcpy(tail8, (const uint8_t *)v + i, to - i);
    rle_pack8(p, wide ? (const void *)tail16 : (const void *)tail8, 0, width, wide);
    return p + width;
}

static inline __attribute__((always_inline)) size_t
rle_encode(const void *v, size_t n, unsigned width, uint8_t *out, bool wide)
{
    const size_t worth = width >= 4 ? 8 : width >= 2 ? 16 : 32;
    size_t i = 0, packed = 0;
    uint8_t *p = out;

    while (i + 8 <= n) {
        size_t end = i + 8;

        if (!rle_all_equal8(v, i, wide)) {
            i = end;
            continue;
        }
        while (end < n && rle_at(v, end, wide) == rle_at(v, i, wide))
            end++;
        if (end - i < worth) {
            i += (end - i) & ~(size_t)7;
            continue;
        }
        p = rle_put_packed(p, v, packed, i, width, wide);
        p = rle_put_run(p, end - i, rle_at(v, i, wide), width);
        i = packed = end;
    }
    return (size_t)(rle_put_packed(p, v, packed, n, width, wide) - out);
}

size_t
weir_rle_u8(const uint8_t *v, size_t n, unsigned width, uint8_t *out)
{
    return rle_encode(v, n, width, out, false);
}

size_t
weir_rle_u16(const uint16_t *v, size_t n, unsigned width, uint8_t *out)
{
    return rle_encode(v, n, width, out, true);
}
