/* Scalars from and to text: decimals, doubles, dates, timestamps, time zones, datetime patterns, page slots.
 *
 * 1. Pure functions, any thread. The only state is the table of zones: filled on first use, never emptied.
 * 2. Input is (pointer, length), need not be NUL-terminated, and may be anything. The whole text must match
 *    unless a comment says "trims".
 * 3. Parsers write *out only when they return true.
 * 4. Printers write at most `size` bytes with a NUL and return the length without it.
 * 5. Instants are micros since 1970-01-01T00:00:00Z, civil dates are proleptic Gregorian, as in Spark 3 and 4.
 * Follows Spark 4.0: Cast, SparkDateTimeUtils, the defaults of JacksonParser, and its DateTimeFormatter patterns. */
#ifndef WEIR_COLUMN_TEXT_H
#define WEIR_COLUMN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "column/page.h"

/* Numbers (number.c). The grammar is that of Java's BigDecimal: [+-] digits [. digits] [e [+-] digits] with at
 * least one digit before the exponent, so all of JSON's numbers and also "+5", "007", ".5", "5.". */

/* A decimal of precision p and scale s, rounded HALF_UP, never through a double. false: no number, or more than
 * p digits after rounding. s <= p <= 38. */
bool weir_decimal_parse(const char *t, size_t n, unsigned p, unsigned s, weir_i128 *out);
/* Whether it took such a text without rounding: behind scale s it has zeros only. */
bool weir_decimal_exact(const char *t, size_t n, unsigned s);
/* "-12.50"; size >= 48. |v| < 10^38, scale <= 38. */
size_t weir_decimal_print(weir_i128 v, unsigned scale, char *t);
/* The nearest double (float); too large is an infinity, too small a zero. No NaN, no Infinity: their spellings
 * differ from format to format. */
bool weir_double_parse(const char *t, size_t n, double *out);
bool weir_float_parse(const char *t, size_t n, float *out);
/* Shortest digits that read back as the same bits, laid out as Java's Double.toString and Float.toString
 * (JDK 19 and later): "1.5", "1.0E10", "1.0E-4", "NaN", "-Infinity"; size >= 32. */
size_t weir_double_print(double v, char *t);
size_t weir_float_print(float v, char *t);
/* Any int64; size >= 24. */
size_t weir_long_print(int64_t v, char *t);

/* Zones (zone.c): a fixed offset or a region of the system's zone database. They live as long as the process. */
struct weir_zone;
extern const struct weir_zone weir_zone_utc;
/* "UTC", "Z", "+08:00", "+0800", "+8", "UTC+8", "GMT-3", "Asia/Shanghai", "PST" and the other short names of
 * java.time.ZoneId.SHORT_IDS. NULL: unknown, or a region while no zone database is installed. May read a file,
 * once a region; waits for no one but other first readers. */
const struct weir_zone *weir_zone_find(const char *t, size_t n);
/* Whether the system has a zone database ($TZDIR, else /usr/share/zoneinfo). */
bool weir_zone_installed(void);
/* For an error about a zone that weir_zone_find() does not know: the hint, which differs where no database is
 * installed. Returns err->rc. */
weir_rc weir_zone_hint(struct weir_error *err);
/* Local wall time to an instant, as java.time: in a gap the time moves forward by the gap, in an overlap the
 * earlier offset wins. Micros in, micros out; saturates at the ends of int64. */
int64_t weir_zone_to_utc(const struct weir_zone *zone, int64_t local);
int64_t weir_zone_to_local(const struct weir_zone *zone, int64_t utc);

/* Civil dates (datetime.c). |y| <= 10^9. */
int64_t weir_days_from_civil(int64_t y, unsigned m, unsigned d);
void weir_civil_from_days(int64_t days, int64_t *y, unsigned *m, unsigned *d);
bool weir_civil_valid(int64_t y, unsigned m, unsigned d);

/* Spark's parsing without a pattern. All trim: bytes <= ' ' and DEL at both ends. */

/* Spark SQL's cast to DATE: "[+-]y{4,7}[-m[m][-d[d]]]"; a full date may be followed by T or a blank and anything. */
bool weir_date_cast(const char *t, size_t n, int32_t *out);
/* JSON's DATE without dateFormat: the same and, when that fails, an int32 as days since the epoch
 * ("20250102" is the year 57412), counted in the hybrid Julian calendar as Spark 1.5 did. */
bool weir_date_parse(const char *t, size_t n, int32_t *out);
/* "2025-01-02T03:04:05.123456Z", "2025-1-2 3:4", "2025", "2025-01-02 03:04:05 Asia/Shanghai". A text without a
 * zone is read in `zone`. A bare time ("03:04:05", "T03:04") is at today's date in its zone, by weir_now_ms().
 * Digits behind the sixth of the fraction are cut. */
bool weir_timestamp_parse(const char *t, size_t n, const struct weir_zone *zone, int64_t *out);
/* Local micros. false when a zone is there, or for a bare time. */
bool weir_timestamp_ntz_parse(const char *t, size_t n, int64_t *out);
/* Spark SQL's cast to TIMESTAMP_NTZ: a zone must be valid and is then ignored. */
bool weir_timestamp_ntz_cast(const char *t, size_t n, int64_t *out);

/* "2025-01-02", "-0005-01-02", "+12025-01-02"; size >= 24. */
size_t weir_date_print(int32_t days, char *t);
/* "2025-01-02T03:04:05.123" and the suffix: "Z" or "". digits of the fraction: 0, 3 or 6 fixed (cut, towards the
 * past), -1: as many as needed (none, or up to 6 without trailing zeros). sep 'T' or ' '. size >= 48. */
size_t weir_timestamp_print(int64_t us, int digits, char sep, const char *suffix, char *t);

/* Java's datetime patterns as Spark 4 takes them for reading (pattern.c), compiled once, read by any thread. */
struct weir_pattern;
/* USAGE names the letter or the place refused, UNSUPPORTED a pattern that Spark takes and weir does not. */
weir_rc weir_pattern_compile(const char *t, size_t n, struct weir_mem *mem, struct weir_pattern **out,
                             struct weir_error *err);
/* Nothing is trimmed. *has_zone: the text named its zone and *us is an instant; else *us is local. */
bool weir_pattern_parse(const struct weir_pattern *p, const char *t, size_t n, int64_t *us, bool *has_zone);
/* The local date; a time and a zone are checked and dropped. */
bool weir_pattern_parse_date(const struct weir_pattern *p, const char *t, size_t n, int32_t *days);

/* The same patterns for printing (pattern_print.c): E, F, q and Q too, S as that many digits. zone_name, borrowed by
 * the pattern, is the name of the zone that instants are printed in, for VV and z. */
weir_rc weir_pattern_compile_print(const char *t, size_t n, const char *zone_name, struct weir_mem *mem,
                                   struct weir_pattern **out, struct weir_error *err);
void weir_pattern_print(const struct weir_pattern *p, int64_t us, const struct weir_zone *zone, struct weir_buf *buf);

/* Slots of a page (slot.c). */

/* One slot of a scalar column from the text of a partition value or a CSV cell, by Spark SQL's cast with ANSI off:
 * blanks around are trimmed, "1" and "yes" are true, "007" and "1.9" are ints, decimals round HALF_UP. Nulls the
 * slot and returns false when the text does not fit the type (or there is no memory). An empty text is null (and true)
 * for every type, as in partition values: who can hold empty strings sets those himself. Strings are copied into mem.
 * BOOLEAN to BINARY only; VOID is null; nested types are false. */
bool weir_slot_parse(struct weir_col *col, uint32_t row, const char *t, size_t n, const struct weir_zone *zone,
                     struct weir_mem *mem);
/* A scalar slot that is not null as Delta's partition value text: floats as Java, timestamps in UTC with six
 * digits ("2020-01-02T03:04:05.678901Z"), NTZ in the blank form with as many digits as needed. */
void weir_slot_print(const struct weir_col *col, uint32_t row, struct weir_buf *buf);

#endif
