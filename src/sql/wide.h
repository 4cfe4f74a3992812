/* Decimal arithmetic beyond 128 bits: what Spark's BigDecimal does, for unscaled values below 10^38.
 *
 * Each returns false when the result has no place in 38 digits; rounding is HALF_UP. Pure functions. */
#ifndef WEIR_SQL_WIDE_H
#define WEIR_SQL_WIDE_H

#include <stdbool.h>

#include "column/page.h"

/* 10^n, n <= 38. */
weir_i128 weir_pow10(unsigned n);
/* v at scale `from` as a value at scale `to`. */
bool weir_decimal_rescale(weir_i128 v, unsigned from, unsigned to, weir_i128 *out);
/* Whether |v| < 10^precision. */
bool weir_decimal_fits(weir_i128 v, unsigned precision);

/* a (scale sa) OP b (scale sb), rounded to scale s. b is not 0 for the last three. */
bool weir_decimal_add(weir_i128 a, unsigned sa, weir_i128 b, unsigned sb, unsigned s, weir_i128 *out);
bool weir_decimal_mul(weir_i128 a, unsigned sa, weir_i128 b, unsigned sb, unsigned s, weir_i128 *out);
/* Spark rounds a quotient to 39 digits of the fraction first, and then to s. */
bool weir_decimal_div(weir_i128 a, unsigned sa, weir_i128 b, unsigned sb, unsigned s, weir_i128 *out);
bool weir_decimal_rem(weir_i128 a, unsigned sa, weir_i128 b, unsigned sb, unsigned s, weir_i128 *out);
/* The whole part of the quotient, its lowest 64 bits, as Java's longValue(); it has at most `digits` digits.
 * */
bool weir_decimal_quot(weir_i128 a, unsigned sa, weir_i128 b, unsigned sb, unsigned digits, int64_t *out);

#endif
