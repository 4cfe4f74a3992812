/* What Spark's analyzer does to types that do not match: TypeCoercion, and AnsiTypeCoercion while
 * spark.sql.ansi.enabled. Pure functions; new types live in mem. NULL results mean "no such type" (or no
 * memory, which the next allocation will tell). */
#ifndef WEIR_SQL_COERCE_H
#define WEIR_SQL_COERCE_H

#include <stdbool.h>

#include "base/mem.h"
#include "column/type.h"

/* Intervals are no types of a table: a struct of one number, told apart by the field's name. Only literals
 * and arithmetic with dates and instants know them; the result of a query may not hold one. */
extern const struct weir_type weir_type_interval_day;   /* micros, a long */
extern const struct weir_type weir_type_interval_month; /* months, an int */
bool weir_type_is_interval(const struct weir_type *type);

static inline bool
weir_kind_is_integral(weir_kind k)
{
    return k >= WEIR_BYTE && k <= WEIR_LONG;
}
static inline bool
weir_kind_is_numeric(weir_kind k)
{
    return (k >= WEIR_BYTE && k <= WEIR_DOUBLE) || k == WEIR_DECIMAL;
}
static inline bool
weir_kind_is_datetime(weir_kind k)
{
    return k == WEIR_DATE || k == WEIR_TIMESTAMP || k == WEIR_TIMESTAMP_NTZ;
}

/* The decimal that holds every value of a numeric type: INT is (10,0), DOUBLE (30,15). */
const struct weir_type *weir_coerce_decimal_of(struct weir_mem *mem, const struct weir_type *type);
/* (precision, scale) may be beyond 38: digits of the fraction are given up first, but not below 6 of them
 * (DecimalType.adjustPrecisionScale); bounded: both are merely cut at 38. */
const struct weir_type *weir_coerce_decimal(struct weir_mem *mem, int precision, int scale);
const struct weir_type *weir_coerce_decimal_bounded(struct weir_mem *mem, int precision, int scale);

/* The type that both widen to for a comparison, a set operation, CASE, coalesce …: findWiderTypeForTwo.
 * Strings are promoted as the mode says; nested types field by field. */
const struct weir_type *weir_coerce_wider(struct weir_mem *mem, bool ansi, const struct weir_type *a,
                                          const struct weir_type *b);
/* The same for comparisons with =, < …, where a string meets something else (PromoteStrings). */
const struct weir_type *weir_coerce_compared(struct weir_mem *mem, bool ansi, const struct weir_type *a,
                                             const struct weir_type *b);
/* May an argument of type `from` stand where a function wants `to`, by an implicit cast? */
bool weir_coerce_implicit(bool ansi, const struct weir_type *from, const struct weir_type *to);
/* Is CAST(from AS to) allowed at all? TRY_CAST follows the ANSI rules. */
bool weir_coerce_castable(bool ansi, const struct weir_type *from, const struct weir_type *to);
/* Is the cast's result nullable though its argument is not? (Cast.forceNullable) */
bool weir_coerce_force_nullable(const struct weir_type *from, const struct weir_type *to);
/* Has the type an order? Maps and variants have none. */
bool weir_type_orderable(const struct weir_type *type);

#endif
