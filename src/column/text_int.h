/* Shared by the files behind text.h. */
#ifndef WEIR_COLUMN_TEXT_INT_H
#define WEIR_COLUMN_TEXT_INT_H

#include "base/str.h"
#include "column/text.h"

#define DAY_SECONDS INT64_C(86400)
#define SECOND_MICROS INT64_C(1000000)
#define DAY_MICROS (DAY_SECONDS * SECOND_MICROS)

enum { ZONE_NAME_MAX = 48 };

/* One end of summer time, from the POSIX footer of a TZif file. */
struct zone_day {
    char kind;     /* 'M' month.week.weekday, 'J' day 1..365 without Feb 29, 'N' day 0..365 */
    int16_t day;   /* J, N: the day; M: the weekday 0..6, Sunday 0 */
    uint8_t month, week;
    int32_t time;  /* seconds after local midnight, may be negative or over a day */
};

/* Offsets are seconds east of UTC. Times behind the last transition follow the rule when there is one. */
struct weir_zone {
    char name[ZONE_NAME_MAX];
    int32_t offset;      /* before the first transition; always, when there is none and no rule */
    uint32_t n;          /* transitions */
    const int64_t *at;   /* UTC seconds, ascending */
    const int64_t *wall; /* local seconds from which off[i] holds: see zone.c, invariant 2 */
    const int32_t *off;  /* from transition i on */
    bool has_rule;
    int32_t std, dst;
    struct zone_day start, end; /* in local standard time, in local summer time */
};

/* As weir_zone_find(), but a fixed offset goes to *fixed (the caller's) and takes no room in the table, so that
 * offsets in data cost nothing. */
const struct weir_zone *weir_zone_of(const char *t, size_t n, struct weir_zone *fixed);
/* Regions only: "Europe/Berlin"; and in any case: "europe/berlin" (slow when it is not spelled right). */
const struct weir_zone *weir_zone_region(const char *t, size_t n);
const struct weir_zone *weir_zone_region_nocase(const char *t, size_t n);
/* java.time.ZoneOffset.of: "Z", "+h", "+hh", "+hh:mm", "+hhmm", "+hh:mm:ss", "+hhmmss", within 18 hours. */
bool weir_offset_parse(const char *t, size_t n, int32_t *out);
/* Offset in force at local, or UTC, seconds. */
int32_t weir_zone_offset_local(const struct weir_zone *zone, int64_t local);
int32_t weir_zone_offset_utc(const struct weir_zone *zone, int64_t utc);
/* Seconds since 1970 of the rule's day in year y, in the local time that the rule speaks of. */
int64_t weir_zone_rule_seconds(const struct zone_day *d, int64_t y);
/* Local seconds and the micros behind them to an instant; false: beyond int64. */
bool weir_zone_instant(const struct weir_zone *zone, int64_t local, int64_t micros, int64_t *out);
/* A TZif file's bytes (tzif.c). *out is the caller's; CORRUPT says what is wrong. */
weir_rc weir_tzif_parse(const void *bytes, size_t n, struct weir_zone **out, struct weir_error *err);
/* For a zone that never got into the table, on the thread that used it. NULL is fine. */
void weir_zone_free(struct weir_zone *zone);

/* UTF8String.trimAll: bytes <= ' ' and DEL. */
static inline struct weir_slice
text_trim(const char *t, size_t n)
{
    while (n > 0 && ((unsigned char)t[0] <= ' ' || t[0] == 0x7f)) {
        t++;
        n--;
    }
    while (n > 0 && ((unsigned char)t[n - 1] <= ' ' || t[n - 1] == 0x7f))
        n--;
    return weir_slice(t, n);
}

#endif
