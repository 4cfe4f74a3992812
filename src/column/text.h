/* Scalars from and to text: integers, doubles, decimals, dates, timestamps, time zones, datetime patterns.
 * Pure functions; the zone table is loaded once and then read-only. Text is never NUL-terminated here.
 * Follows Spark 4: Cast, UnivocityParser/JacksonParser defaults, DateTimeFormatter patterns. */
#ifndef WEIR_COLUMN_TEXT_H
#define WEIR_COLUMN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "column/page.h"

/* A JSON number's text as a decimal of precision p and scale s, rounded HALF_UP, never through a double.
 * Accepts a sign, a fraction, an exponent. false: does not fit, or is no number. */
bool weir_decimal_parse(const char *t, size_t n, unsigned p, unsigned s, weir_i128 *out);
/* "-12.50"; returns the length. size >= 48. */
size_t weir_decimal_print(weir_i128 v, unsigned scale, char *t);
/* Nearest double; the whole text must be a JSON number. */
bool weir_double_parse(const char *t, size_t n, double *out);
/* As Java's Double.toString / Float.toString (JDK 19+: shortest): "1.5", "1.0E10", "NaN", "Infinity". size >= 32. */
size_t weir_double_print(double v, char *t);
size_t weir_float_print(float v, char *t);

/* A zone: a fixed offset or a region of the system's zone database. Lives as long as the process. */
struct weir_zone;
extern const struct weir_zone weir_zone_utc;
/* "UTC", "Z", "+08:00", "+0800", "UTC+8", "GMT-3", "Asia/Shanghai". NULL: unknown. Any thread. */
const struct weir_zone *weir_zone_find(const char *t, size_t n);
/* Local wall time to an instant, as java.time: in a gap the time moves forward by the gap, in an overlap the
 * earlier offset wins. Micros in, micros out. */
int64_t weir_zone_to_utc(const struct weir_zone *zone, int64_t local);
int64_t weir_zone_to_local(const struct weir_zone *zone, int64_t utc);

/* Civil dates. */
int64_t weir_days_from_civil(int64_t y, unsigned m, unsigned d);
void weir_civil_from_days(int64_t days, int64_t *y, unsigned *m, unsigned *d);
bool weir_civil_valid(int64_t y, unsigned m, unsigned d);

/* Spark's default parsing (spec/spark-streaming §7): "[+-]y{4,7}[-M[M][-d[d]]]" then T or blank and anything;
 * digits alone as days since 1970 when that fails. Trims. */
bool weir_date_parse(const char *t, size_t n, int32_t *out);
/* "2025-01-02T03:04:05.123456Z", "2025-1-2 3:4", "… Asia/Shanghai"; a zone-less text is read in `zone`.
 * today_us (local midnight of today in `zone`, as UTC micros... see .c) serves a bare time. */
bool weir_timestamp_parse(const char *t, size_t n, const struct weir_zone *zone, int64_t *out);
bool weir_timestamp_ntz_parse(const char *t, size_t n, int64_t *out); /* false when a zone is there */
size_t weir_date_print(int32_t days, char *t);                        /* "2025-01-02", "+12025-…"; size >= 24 */
/* ISO in UTC: digits of the fraction: 0, 3 or 6 fixed, -1: as many as needed (0..6, no trailing zeros).
 * suffix "Z" or "". sep 'T' or ' '. size >= 48. */
size_t weir_timestamp_print(int64_t us, int digits, char sep, const char *suffix, char *t);

/* Java/Spark datetime patterns (golden to_timestamp cases), compiled once. USAGE names the letter refused. */
struct weir_pattern;
weir_rc weir_pattern_compile(const char *t, size_t n, struct weir_mem *mem, struct weir_pattern **out,
                             struct weir_error *err);
/* Local micros and, when the pattern has a zone, that zone applied (then *has_zone). */
bool weir_pattern_parse(const struct weir_pattern *p, const char *t, size_t n, int64_t *us, bool *has_zone);

/* One slot of a scalar column from the text of a partition value or a CSV cell, by Spark's lenient cast
 * (spec/delta §16). Nulls the slot and returns false when it does not fit. Strings are copied into mem. */
bool weir_slot_parse(struct weir_col *col, uint32_t row, const char *t, size_t n, const struct weir_zone *zone,
                     struct weir_mem *mem);
/* A scalar slot as Delta's partition value text (spec/delta §16): timestamps in the UTC form. */
void weir_slot_print(const struct weir_col *col, uint32_t row, struct weir_buf *buf);

#endif
