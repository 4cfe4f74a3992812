/* Decimals, doubles, floats: the first two bytes choose precision and scale. Doubles agree with strtod, and what is
 * read prints and reads back. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "column/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_decimal(const char *t, size_t n, unsigned p, unsigned s)
{
    weir_i128 v, back;
    char text[64];

    if (!weir_decimal_parse(t, n, p, s, &v))
        return;
    n = weir_decimal_print(v, s, text);
    if (n >= 48 || !weir_decimal_parse(text, n, p, s, &back) || back != v)
        abort();
}

static void
check_double(const char *t, size_t n)
{
    char copy[1024], text[64];
    double v, want;
    float f, want_float;

    if (!weir_double_parse(t, n, &v)) {
        if (weir_float_parse(t, n, &f))
            abort();
        return;
    }
    if (isnan(v) || !weir_float_parse(t, n, &f))
        abort();
    if (n < sizeof(copy)) {
        memcpy(copy, t, n);
        copy[n] = '\0';
        want = strtod(copy, NULL);
        want_float = strtof(copy, NULL);
        if (memcmp(&v, &want, sizeof(v)) != 0 || memcmp(&f, &want_float, sizeof(f)) != 0)
            abort();
    }
    n = weir_double_print(v, text);
    if (n >= 32 || (isfinite(v) && (!weir_double_parse(text, n, &want) || memcmp(&v, &want, sizeof(v)) != 0)))
        abort();
    n = weir_float_print(f, text);
    if (n >= 32 || (isfinite(f) && (!weir_float_parse(text, n, &want_float) || memcmp(&f, &want_float, 4) != 0)))
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned p, s;

    if (size < 2 || size > 8192)
        return 0;
    p = data[0] % 38 + 1;
    s = data[1] % (p + 1);
    check_decimal((const char *)data + 2, size - 2, p, s);
    check_double((const char *)data + 2, size - 2);
    return 0;
}
