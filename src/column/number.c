/* Decimals, doubles, floats and integers from and to text.
 *
 * 1. A number is scanned once (number_scan) into sign, the first 19 significant digits as one integer, the count
 *    of significant digits and a power of ten; everything else is arithmetic on those.
 * 2. Decimals never go through a double, and nothing loops over an exponent: the exponent only says how many of
 *    the digits are kept, or how many zeros follow, and both are refused beyond 38.
 * 3. A double is the nearest one, ties to even. Three ways, tried in turn: one exact multiplication or division
 *    (Clinger: up to 53 bits and 10^22), the same in x87's 64-bit precision unless the result is a midpoint of
 *    two doubles, and the C library's strtod on a bounded copy.
 * 4. Printed doubles are the shortest decimal that reads back as the same bits, of those the nearest; with two
 *    digits at least where a second one carries something (Double.toString of JDK 19 and later).
 * Speed matters in the parsers: they run once a value in decoders. Threads: any; the C locale object is made once. */
#include "column/text.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>

#include "column/text_int.h"

enum {
    MANT_DIGITS = 19,  /* as many as always fit a uint64_t */
    EXACT_DIGITS = 780 /* more digits than any midpoint of two doubles has; behind them only "not zero" matters */
};

static const uint64_t pow10_u64[20] = {
    UINT64_C(1), UINT64_C(10), UINT64_C(100), UINT64_C(1000), UINT64_C(10000), UINT64_C(100000),
    UINT64_C(1000000), UINT64_C(10000000), UINT64_C(100000000), UINT64_C(1000000000), UINT64_C(10000000000),
    UINT64_C(100000000000), UINT64_C(1000000000000), UINT64_C(10000000000000), UINT64_C(100000000000000),
    UINT64_C(1000000000000000), UINT64_C(10000000000000000), UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000), UINT64_C(10000000000000000000)};
static const double pow10_double[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

struct number {
    bool negative;
    uint64_t mant;      /* the first min(ndigits, 19) significant digits */
    size_t ndigits;     /* significant ones: without leading zeros; 0: the value is zero */
    int64_t exp;        /* value = all significant digits as an integer * 10^exp */
    int64_t written;    /* the exponent as written, cut at +-10^10 */
    const char *digits; /* at the first significant digit; a '.' may stand between the digits */
};

static unsigned __int128
pow10_u128(unsigned n)
{
    return n <= 19 ? pow10_u64[n] : (unsigned __int128)pow10_u64[19] * pow10_u64[n - 19];
}

/* The exponent behind 'e'. false: no digits. */
static bool
number_exponent(const char *p, const char *end, int64_t *out)
{
    bool negative = false;
    int64_t e = 0;

    if (p < end && (*p == '+' || *p == '-'))
        negative = *p++ == '-';
    if (p == end)
        return false;
    for (; p < end; p++) {
        if (!weir_is_digit(*p))
            return false;
        if (e < INT64_C(10000000000))
            e = e * 10 + (*p - '0');
    }
    *out = negative ? -e : e;
    return true;
}

/* Numbers of more than 19 significant digits: finds where the first one is. mant is made again, as the scan let it
 * wrap around. */
static void
number_long(struct number *out, const char *p)
{
    while (*p == '0' || *p == '.')
        p++;
    out->digits = p;
    out->mant = 0;
    for (unsigned i = 0; i < MANT_DIGITS; p++) {
        if (*p == '.')
            continue;
        out->mant = out->mant * 10 + (uint64_t)(*p - '0');
        i++;
    }
}

/* Digits of one run; counts them but for leading zeros of the number. */
static const char *
number_run(const char *p, const char *end, struct number *out)
{
    uint64_t mant = out->mant;
    size_t zeros = 0;
    const char *from = p;

    if (out->ndigits == 0) {
        while (p < end && *p == '0')
            p++;
        zeros = (size_t)(p - from);
    }
    for (; p < end && weir_is_digit(*p); p++)
        mant = mant * 10 + (uint64_t)(*p - '0');
    out->ndigits += (size_t)(p - from) - zeros;
    out->mant = mant;
    return p;
}

static bool
number_scan(const char *t, size_t n, struct number *out)
{
    const char *p = t, *end = t + n, *first;
    size_t digits, fraction = 0;

    *out = (struct number){0};
    if (p < end && (*p == '-' || *p == '+'))
        out->negative = *p++ == '-';
    first = p;
    p = number_run(p, end, out);
    digits = (size_t)(p - first);
    if (p < end && *p == '.') {
        const char *point = ++p;

        p = number_run(p, end, out);
        fraction = (size_t)(p - point);
    }
    if (digits + fraction == 0)
        return false;
    if (p < end) {
        if ((*p | 0x20) != 'e' || !number_exponent(p + 1, end, &out->written))
            return false;
    }
    out->exp = out->written - (int64_t)fraction;
    out->digits = first;
    if (out->ndigits > MANT_DIGITS)
        number_long(out, first);
    return true;
}

/* The first `keep` significant digits as an integer; *next is the digit behind them, or '0'. keep <= 38. */
static unsigned __int128
number_take(const struct number *x, size_t keep, char *next)
{
    const char *p = x->digits;
    unsigned __int128 v = 0;

    for (size_t i = 0; i < keep; p++) {
        if (*p == '.')
            continue;
        v = v * 10 + (unsigned)(*p - '0');
        i++;
    }
    *next = '0';
    if (keep < x->ndigits)
        *next = *p == '.' ? p[1] : *p;
    return v;
}

/* Up to 19 digits: all in mant, shift (< 0) digits are dropped. */
static uint64_t
number_round(uint64_t mant, int64_t shift)
{
    uint64_t unit, q;

    if (shift < -19)
        return 0;
    unit = pow10_u64[-shift];
    q = mant / unit;
    return q + (mant - q * unit >= unit - unit / 2);
}

bool
weir_decimal_parse(const char *t, size_t n, unsigned p, unsigned s, weir_i128 *out)
{
    struct number x;
    unsigned __int128 v;
    int64_t shift;

    if (!number_scan(t, n, &x))
        return false;
    if (x.written > INT32_MAX || x.written < INT32_MIN) /* BigDecimal refuses those too */
        return false;
    if (x.ndigits == 0) {
        *out = 0;
        return true;
    }
    shift = x.exp + (int64_t)s;
    if ((int64_t)x.ndigits + shift > (int64_t)p) /* the first digit is not zero */
        return false;
    if (shift >= 0 && x.ndigits <= MANT_DIGITS) {
        v = p <= MANT_DIGITS ? x.mant * pow10_u64[shift] : x.mant * pow10_u128((unsigned)shift);
    } else if (x.ndigits <= MANT_DIGITS) {
        v = number_round(x.mant, shift);
    } else if (shift >= 0) {
        char next;

        v = number_take(&x, x.ndigits, &next) * pow10_u128((unsigned)shift);
    } else {
        int64_t keep = (int64_t)x.ndigits + shift;
        char next = '0';

        v = keep < 0 ? 0 : number_take(&x, (size_t)keep, &next);
        v += next >= '5';
    }
    if (shift < 0 && v >= pow10_u128(p)) /* 99.99 became 100.0 */
        return false;
    *out = x.negative ? -(weir_i128)v : (weir_i128)v;
    return true;
}

bool
weir_decimal_exact(const char *t, size_t n, unsigned s)
{
    struct number x;
    int64_t shift, keep;
    const char *p;

    if (!number_scan(t, n, &x))
        return false;
    shift = x.exp + (int64_t)s;
    if (x.ndigits == 0 || shift >= 0)
        return true;
    if (x.ndigits <= MANT_DIGITS)
        return shift >= -MANT_DIGITS && x.mant % pow10_u64[-shift] == 0;
    keep = (int64_t)x.ndigits + shift;
    p = x.digits;
    for (int64_t i = 0; i < (int64_t)x.ndigits; p++) {
        if (*p == '.')
            continue;
        if (i++ >= keep && *p != '0')
            return false;
    }
    return true;
}

/* Writes the digits of v in front of `end`; returns where they start. */
static char *
digits_before(unsigned __int128 v, char *end)
{
    while (v > UINT64_MAX) {
        uint64_t low = (uint64_t)(v % pow10_u64[19]);

        v /= pow10_u64[19];
        for (int i = 0; i < 19; i++, low /= 10)
            *--end = (char)('0' + low % 10);
    }
    for (uint64_t u = (uint64_t)v; u > 0; u /= 10)
        *--end = (char)('0' + u % 10);
    return end;
}

size_t
weir_decimal_print(weir_i128 v, unsigned scale, char *t)
{
    char digits[48], *end = digits + sizeof(digits), *p, *at = t;

    p = digits_before(v < 0 ? -(unsigned __int128)v : (unsigned __int128)v, end);
    while ((size_t)(end - p) < (size_t)scale + 1)
        *--p = '0';
    if (v < 0)
        *at++ = '-';
    memcpy(at, p, (size_t)(end - p) - scale);
    at += (size_t)(end - p) - scale;
    if (scale > 0) {
        *at++ = '.';
        memcpy(at, end - scale, scale);
        at += scale;
    }
    *at = '\0';
    return (size_t)(at - t);
}

size_t
weir_long_print(int64_t v, char *t)
{
    return weir_decimal_print(v, 0, t);
}

/* The C library's parser, in the C locale whatever the process has set. */
static locale_t number_locale;

static void
number_locale_make(void)
{
    number_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* "DIGITSeEXP" of x, without sign; digits behind EXACT_DIGITS shrink to one 1 when any of them is not zero. */
static void
number_copy(const struct number *x, char text[EXACT_DIGITS + 32])
{
    size_t keep = x->ndigits < EXACT_DIGITS ? x->ndigits : EXACT_DIGITS, i = 0;
    int64_t exp = x->exp + (int64_t)(x->ndigits - keep);
    const char *p = x->digits;
    bool more = false;

    if (x->ndigits <= MANT_DIGITS) {
        snprintf(text, EXACT_DIGITS + 32, "%" PRIu64 "e%" PRId64, x->mant, x->exp);
        return;
    }
    for (; i < keep; p++) {
        if (*p != '.')
            text[i++] = *p;
    }
    for (size_t left = x->ndigits - keep; left > 0 && !more; p++) {
        more = *p != '.' && *p != '0';
        left -= *p != '.';
    }
    if (more) {
        text[i++] = '1';
        exp--;
    }
    snprintf(text + i, 32, "e%" PRId64, exp);
}

static void
number_slow(const struct number *x, double *d, float *f)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char text[EXACT_DIGITS + 32];

    pthread_once(&once, number_locale_make);
    number_copy(x, text);
    if (d != NULL)
        *d = number_locale != (locale_t)0 ? strtod_l(text, NULL, number_locale) : strtod(text, NULL);
    if (f != NULL)
        *f = number_locale != (locale_t)0 ? strtof_l(text, NULL, number_locale) : strtof(text, NULL);
}

/* mant * 10^exp in 64 bits of precision, which is exact before the one rounding as 10^27 fits 64 bits; that
 * rounding and the second one to 53 bits give the nearest double unless the first one ended on a midpoint. */
static bool
number_extended(uint64_t mant, int64_t exp, double *out)
{
#if LDBL_MANT_DIG == 64
    static const long double pow10_ext[28] = {
        1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
        1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    long double x = (long double)mant;
    uint64_t bits;

    if (exp < -27 || exp > 27)
        return false;
    x = exp < 0 ? x / pow10_ext[-exp] : x * pow10_ext[exp];
    memcpy(&bits, &x, sizeof(bits)); /* the significand comes first */
    if ((bits & 0x7ff) == 0x400)
        return false;
    *out = (double)x;
    return true;
#else
    (void)mant, (void)exp, (void)out;
    return false;
#endif
}

/* More digits than mant holds: the value lies between mant and mant + 1, and mostly both give the same double. */
static bool
number_between(const struct number *x, double *out)
{
    int64_t exp = x->exp + (int64_t)(x->ndigits - MANT_DIGITS);
    double most;

    return number_extended(x->mant, exp, out) && number_extended(x->mant + 1, exp, &most) && *out == most;
}

static double
number_double(const struct number *x)
{
    double d;

    if (x->ndigits == 0)
        return 0;
    if (x->ndigits <= MANT_DIGITS && x->mant <= UINT64_C(1) << 53 && x->exp >= -22 && x->exp <= 22) {
        d = (double)x->mant;
        return x->exp < 0 ? d / pow10_double[-x->exp] : d * pow10_double[x->exp];
    }
    if (x->ndigits <= MANT_DIGITS ? !number_extended(x->mant, x->exp, &d) : !number_between(x, &d))
        number_slow(x, &d, NULL);
    return d;
}

bool
weir_double_parse(const char *t, size_t n, double *out)
{
    struct number x;
    double d;

    if (!number_scan(t, n, &x))
        return false;
    d = number_double(&x);
    *out = x.negative ? -d : d;
    return true;
}

/* A double that is no midpoint of two floats rounds to the float that the text itself rounds to. */
bool
weir_float_parse(const char *t, size_t n, float *out)
{
    struct number x;
    uint64_t bits;
    double d;
    float f;

    if (!number_scan(t, n, &x))
        return false;
    d = number_double(&x);
    memcpy(&bits, &d, sizeof(bits));
    if (d != 0 && ((bits & 0x1fffffff) == 0x10000000 || d < (double)FLT_MIN * 2 || d > (double)FLT_MAX))
        number_slow(&x, NULL, &f);
    else
        f = (float)d;
    *out = x.negative ? -f : f;
    return true;
}

/* Significant digits of a positive number: 0.d1d2d3... * 10^point. */
struct shortest {
    char digits[24];
    int n, point;
};

/* The n-digit decimal nearest to v; with `up` the next larger one. */
static void
shortest_at(double v, int n, bool up, struct shortest *out)
{
    char text[40];

    snprintf(text, sizeof(text), "%.*e", n - 1, v); /* d.ddde+XX */
    out->digits[0] = text[0];
    if (n > 1)
        memcpy(out->digits + 1, text + 2, (size_t)n - 1);
    out->n = n;
    out->point = (int)strtol(text + (n > 1 ? n + 2 : 2), NULL, 10) + 1;
    if (!up)
        return;
    for (int i = n - 1; i >= 0; i--) {
        if (out->digits[i]++ != '9')
            return;
        out->digits[i] = '0';
    }
    out->digits[0] = '1'; /* 99 became 100: the same digits, one place higher */
    out->point++;
}

static bool
shortest_reads_back(double v, bool single, const struct shortest *s)
{
    char text[40];
    int len = snprintf(text, sizeof(text), "%.*se%d", s->n, s->digits, s->point - s->n);
    double d = 0;
    float f = 0;

    if (single)
        return weir_float_parse(text, (size_t)len, &f) && f == (float)v;
    return weir_double_parse(text, (size_t)len, &d) && d == v;
}

/* Numbers with few digits: m / 10^k for the smallest k with m of at most 15 (float: 6) digits. Both are exact, so
 * the quotient is what a reader gets; and of so few digits only one decimal reads back as v. */
static bool
shortest_fast(double v, bool single, struct shortest *out)
{
    double limit = single ? 1e6 : 1e15;

    for (int k = 0; k <= 10; k++) {
        double m = v * pow10_double[k];
        uint64_t u;
        char *p;

        if (m >= limit)
            return false;
        u = (uint64_t)(m + 0.5);
        if (u == 0)
            continue;
        if (single ? (float)u / (float)pow10_double[k] != (float)v : (double)u / pow10_double[k] != v)
            continue;
        p = digits_before(u, out->digits + sizeof(out->digits));
        out->n = (int)(out->digits + sizeof(out->digits) - p);
        memmove(out->digits, p, (size_t)out->n);
        out->point = out->n - k;
        return true;
    }
    return false;
}

/* From 15 (float: 6) digits on, as so many are always told apart; subnormals have fewer, so they start at 2.
 * At a power of two the doubles below are twice as dense: the nearest decimal may read back as one of those
 * while the next larger one is still v. */
static void
shortest_find(double v, bool single, struct shortest *out)
{
    int most = single ? 9 : 17, n = single ? 6 : 15, exp;
    bool edge = frexp(v, &exp) == 0.5;

    if (shortest_fast(v, single, out))
        return;
    if (v < (single ? (double)FLT_MIN : DBL_MIN))
        n = 2;
    for (; n < most; n++) {
        shortest_at(v, n, false, out);
        if (shortest_reads_back(v, single, out))
            return;
        if (edge) {
            shortest_at(v, n, true, out);
            if (shortest_reads_back(v, single, out))
                return;
        }
    }
    shortest_at(v, most, false, out);
}

/* Java's layout: plain for 10^-3 <= v < 10^7, else d.dddEx; at least one digit on both sides of the point. */
static size_t
shortest_lay_out(const struct shortest *s, char *t)
{
    int n = s->n, whole;
    bool plain = s->point >= -2 && s->point <= 7;
    char *p = t;

    while (n > 1 && s->digits[n - 1] == '0')
        n--;
    whole = plain ? s->point : 1; /* digits in front of the point */
    if (whole <= 0) {
        *p++ = '0';
        *p++ = '.';
        for (int i = whole; i < 0; i++)
            *p++ = '0';
        whole = 0;
    }
    for (int i = 0; i < n || i < whole; i++) {
        *p++ = i < n ? s->digits[i] : '0';
        if (i + 1 == whole)
            *p++ = '.';
    }
    if (p[-1] == '.')
        *p++ = '0';
    if (!plain) {
        *p++ = 'E';
        p += weir_long_print(s->point - 1, p);
    }
    *p = '\0';
    return (size_t)(p - t);
}

static size_t
number_word(const char *word, char *t)
{
    size_t n = strlen(word);

    memcpy(t, word, n + 1);
    return n;
}

static size_t
number_print(double v, bool single, char *t)
{
    struct shortest s;
    size_t sign = 0;

    if (isnan(v))
        return number_word("NaN", t);
    if (signbit(v)) {
        t[sign++] = '-';
        v = -v;
    }
    if (isinf(v))
        return sign + number_word("Infinity", t + sign);
    if (v == 0)
        return sign + number_word("0.0", t + sign);
    shortest_find(v, single, &s);
    return sign + shortest_lay_out(&s, t + sign);
}

size_t
weir_double_print(double v, char *t)
{
    return number_print(v, false, t);
}

size_t
weir_float_print(float v, char *t)
{
    return number_print((double)v, true, t);
}
