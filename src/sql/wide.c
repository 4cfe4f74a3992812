/* See wide.h. Magnitudes are 256 bits wide, little end first: 10^38 times 10^38 fits. What does not fit 256
 * bits has no place in 38 digits either, so an overflow there is an answer. Most values fit 128 bits and
 * never come here. */
#include "sql/wide.h"

typedef unsigned __int128 u128;

enum { LIMBS = 4, DIGITS_MAX = 38 };

struct wide {
    uint64_t limb[LIMBS];
};

weir_i128
weir_pow10(unsigned n)
{
    weir_i128 v = 1;

    WEIR_ASSERT(n <= DIGITS_MAX);
    while (n-- > 0)
        v *= 10;
    return v;
}

bool
weir_decimal_fits(weir_i128 v, unsigned precision)
{
    weir_i128 limit = weir_pow10(precision);

    return v < limit && v > -limit;
}

static u128
magnitude(weir_i128 v)
{
    return v < 0 ? 0 - (u128)v : (u128)v;
}

/* ---- 256 bits ---- */

static struct wide
wide_of(u128 v)
{
    return (struct wide){{(uint64_t)v, (uint64_t)(v >> 64), 0, 0}};
}

static bool
wide_is_narrow(const struct wide *w)
{
    return w->limb[2] == 0 && w->limb[3] == 0;
}

static u128
wide_low(const struct wide *w)
{
    return (u128)w->limb[1] << 64 | w->limb[0];
}

/* false: over 256 bits. */
static bool
wide_mul(const struct wide *a, const struct wide *b, struct wide *out)
{
    uint64_t r[2 * LIMBS] = {0};

    for (int i = 0; i < LIMBS; i++) {
        uint64_t carry = 0;

        for (int j = 0; j < LIMBS; j++) {
            u128 t = (u128)a->limb[i] * b->limb[j] + r[i + j] + carry;

            r[i + j] = (uint64_t)t;
            carry = (uint64_t)(t >> 64);
        }
        r[i + LIMBS] += carry;
    }
    for (int i = 0; i < LIMBS; i++)
        out->limb[i] = r[i];
    return (r[4] | r[5] | r[6] | r[7]) == 0;
}

static bool
wide_add(const struct wide *a, const struct wide *b, struct wide *out)
{
    u128 carry = 0;

    for (int i = 0; i < LIMBS; i++) {
        carry += (u128)a->limb[i] + b->limb[i];
        out->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return carry == 0;
}

static int
wide_compare(const struct wide *a, const struct wide *b)
{
    for (int i = LIMBS - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static void
wide_sub(struct wide *a, const struct wide *b)
{
    uint64_t borrow = 0;

    for (int i = 0; i < LIMBS; i++) {
        u128 t = (u128)a->limb[i] - b->limb[i] - borrow;

        a->limb[i] = (uint64_t)t;
        borrow = (uint64_t)(t >> 64) != 0;
    }
}

/* q = a / b, r = a % b, bit by bit; b is not 0. */
static void
wide_divmod(const struct wide *a, const struct wide *b, struct wide *q, struct wide *r)
{
    *q = *r = (struct wide){{0}};
    if (wide_is_narrow(a) && wide_is_narrow(b)) {
        *q = wide_of(wide_low(a) / wide_low(b));
        *r = wide_of(wide_low(a) % wide_low(b));
        return;
    }
    for (int bit = LIMBS * 64 - 1; bit >= 0; bit--) {
        bool top = r->limb[LIMBS - 1] >> 63 != 0;

        for (int i = LIMBS - 1; i > 0; i--)
            r->limb[i] = r->limb[i] << 1 | r->limb[i - 1] >> 63;
        r->limb[0] = r->limb[0] << 1 | (a->limb[bit / 64] >> bit % 64 & 1);
        if (top || wide_compare(r, b) >= 0) {
            wide_sub(r, b);
            q->limb[bit / 64] |= UINT64_C(1) << bit % 64;
        }
    }
}

/* Times 10^n, n <= 76. */
static bool
wide_shift10(struct wide *w, unsigned n)
{
    while (n > 0) {
        unsigned step = n < DIGITS_MAX ? n : DIGITS_MAX;
        struct wide p = wide_of((u128)weir_pow10(step));

        if (!wide_mul(w, &p, w))
            return false;
        n -= step;
    }
    return true;
}

/* The magnitude with a sign, when it has at most 38 digits. */
static bool
wide_result(const struct wide *w, bool negative, weir_i128 *out)
{
    if (!wide_is_narrow(w) || wide_low(w) >= (u128)weir_pow10(DIGITS_MAX))
        return false;
    *out = negative ? -(weir_i128)wide_low(w) : (weir_i128)wide_low(w);
    return true;
}

/* w / 10^n, HALF_UP, n <= 76. */
static void
wide_round10(struct wide *w, unsigned n)
{
    struct wide p = wide_of(1), q, r, one = wide_of(1), twice;

    if (n == 0)
        return;
    (void)wide_shift10(&p, n);
    wide_divmod(w, &p, &q, &r);
    if (!wide_add(&r, &r, &twice) || wide_compare(&twice, &p) >= 0)
        (void)wide_add(&q, &one, &q);
    *w = q;
}

/* From one scale to another; false: over 256 bits. */
static bool
wide_scale(struct wide *w, unsigned from, unsigned to)
{
    if (to >= from)
        return wide_shift10(w, to - from);
    wide_round10(w, from - to);
    return true;
}

/* ---- operations ---- */

bool
weir_decimal_rescale(weir_i128 v, unsigned from, unsigned to, weir_i128 *out)
{
    struct wide w = wide_of(magnitude(v));

    return wide_scale(&w, from, to) && wide_result(&w, v < 0, out);
}

bool
weir_decimal_add(weir_i128 a, unsigned sa, weir_i128 b, unsigned sb, unsigned s, weir_i128 *out)
{
    unsigned top = sa > sb ? sa : sb;
    struct wide x = wide_of(magnitude(a)), y = wide_of(magnitude(b)), sum;
    bool negative = a < 0;

    if (!wide_shift10(&x, top - sa) || !wide_shift10(&y, top - sb))
        return false;
    if ((a < 0) == (b < 0)) {
        if (!wide_add(&x, &y, &sum))
            return false;
    } else {
        bool swap = wide_compare(&x, &y) < 0;

        sum = swap ? y : x;
        wide_sub(&sum, swap ? &x : &y);
        negative = swap ? b < 0 : a < 0;
    }
    return wide_scale(&sum, top, s) && wide_result(&sum, negative, out);
}

bool
weir_decimal_mul(weir_i128 a, unsigned sa, weir_i128 b, unsigned sb, unsigned s, weir_i128 *out)
{
    struct wide x = wide_of(magnitude(a)), y = wide_of(magnitude(b)), product;

    return wide_mul(&x, &y, &product) && wide_scale(&product, sa + sb, s) &&
           wide_result(&product, (a < 0) != (b < 0), out);
}

bool
weir_decimal_div(weir_i128 a, unsigned sa, weir_i128 b, unsigned sb, unsigned s, weir_i128 *out)
{
    struct wide x = wide_of(magnitude(a)), y = wide_of(magnitude(b)), one = wide_of(1), ten = wide_of(1);
    struct wide q, r, half, least;
    int shift = (int)s + (int)sb - (int)sa;

    if (a == 0) {
        *out = 0;
        return true;
    }
    if (shift >= 0 && !wide_shift10(&x, (unsigned)shift))
        return false;
    if (shift < 0)
        (void)wide_shift10(&y, (unsigned)-shift); /* 10^38 times at most 10^38 */
    wide_divmod(&x, &y, &q, &r);
    half = r;
    if (!wide_add(&r, &r, &half) || wide_compare(&half, &y) >= 0) {
        (void)wide_add(&q, &one, &q);
    } else if (s <= DIGITS_MAX) { /* so near below the half that 39 digits call it the half */
        struct wide gap = y, ignored;

        wide_sub(&gap, &half);
        (void)wide_shift10(&ten, DIGITS_MAX + 1 - s);
        wide_divmod(&y, &ten, &least, &ignored);
        if (wide_compare(&gap, &least) <= 0)
            (void)wide_add(&q, &one, &q);
    }
    return wide_result(&q, (a < 0) != (b < 0), out);
}

/* Both at the larger scale. */
static bool
rem_align(weir_i128 a, unsigned sa, weir_i128 b, unsigned sb, struct wide *x, struct wide *y)
{
    unsigned top = sa > sb ? sa : sb;

    *x = wide_of(magnitude(a));
    *y = wide_of(magnitude(b));
    return wide_shift10(x, top - sa) && wide_shift10(y, top - sb); /* 10^38 x 10^38 fits */
}

bool
weir_decimal_rem(weir_i128 a, unsigned sa, weir_i128 b, unsigned sb, unsigned s, weir_i128 *out)
{
    unsigned top = sa > sb ? sa : sb;
    struct wide x, y, q, r;

    if (!rem_align(a, sa, b, sb, &x, &y))
        return false;
    wide_divmod(&x, &y, &q, &r);
    return wide_scale(&r, top, s) && wide_result(&r, a < 0, out);
}

bool
weir_decimal_quot(weir_i128 a, unsigned sa, weir_i128 b, unsigned sb, unsigned digits, int64_t *out)
{
    struct wide x, y, q, r;
    weir_i128 whole;

    if (!rem_align(a, sa, b, sb, &x, &y))
        return false;
    wide_divmod(&x, &y, &q, &r);
    if (!wide_result(&q, (a < 0) != (b < 0), &whole) || !weir_decimal_fits(whole, digits))
        return false;
    *out = (int64_t)(uint64_t)whole;
    return true;
}
