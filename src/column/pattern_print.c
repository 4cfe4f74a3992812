/* An instant as text by a compiled datetime pattern; the other direction of pattern_read.c.
 *
 * 1. Printing is java.time's DateTimeFormatterBuilder, locale en-US, for a ZonedDateTime: all fields are
 *    there, so optional sections are always printed.
 * 2. The offset is the one in force at the instant; the rest is its local wall time.
 * Threads: any. */
#include "column/text.h"

#include <stdio.h>

#include "column/pattern_int.h"

struct printed { /* an instant taken apart */
    int64_t year;
    unsigned month, day, weekday, day_of_year; /* weekday: 0 Monday */
    int64_t seconds;                           /* of the day */
    unsigned micros;
    int32_t offset;
};

static int64_t
print_floor(int64_t a, int64_t b, int64_t *rest)
{
    int64_t q = a / b - (a % b < 0);

    *rest = a - q * b;
    return q;
}

static void
print_take_apart(int64_t us, const struct weir_zone *zone, struct printed *out)
{
    int64_t micros, seconds = print_floor(us, SECOND_MICROS, &micros), days, weekday;

    out->offset = weir_zone_offset_utc(zone, seconds);
    days = print_floor(seconds + out->offset, DAY_SECONDS, &out->seconds);
    out->micros = (unsigned)micros;
    weir_civil_from_days(days, &out->year, &out->month, &out->day);
    out->day_of_year = (unsigned)(days - weir_days_from_civil(out->year, 1, 1)) + 1;
    (void)print_floor(days + 3, 7, &weekday);
    out->weekday = (unsigned)weekday;
}

static int64_t
print_value(const struct printed *t, enum field field)
{
    int64_t hour = t->seconds / 3600;

    switch (field) {
    case F_YEAR:
        return t->year;
    case F_YEAR_OF_ERA:
        return t->year >= 1 ? t->year : 1 - t->year;
    case F_ERA:
        return t->year >= 1;
    case F_MONTH:
        return t->month;
    case F_DAY:
        return t->day;
    case F_DAY_OF_YEAR:
        return t->day_of_year;
    case F_HOUR:
        return hour;
    case F_CLOCK_HOUR:
        return hour == 0 ? 24 : hour;
    case F_HALF_HOUR:
        return hour % 12;
    case F_CLOCK_HALF:
        return hour % 12 == 0 ? 12 : hour % 12;
    case F_HALF:
        return hour / 12;
    case F_MINUTE:
        return t->seconds / 60 % 60;
    case F_SECOND:
        return t->seconds % 60;
    case F_WEEKDAY:
        return t->weekday;
    case F_ALIGNED:
        return (t->day - 1) % 7 + 1;
    case F_QUARTER:
        return (t->month - 1) / 3 + 1;
    default:
        return 0;
    }
}

static void
print_number(const struct step *s, int64_t v, struct weir_buf *buf)
{
    int64_t size = v < 0 ? -v : v, bound = 1;

    if (s->base_2000) {
        weir_buf_printf(buf, "%02d", (int)(size % 100));
        return;
    }
    for (unsigned i = 0; i < s->min && bound < INT64_MAX / 10; i++)
        bound *= 10;
    if (v < 0)
        weir_buf_byte(buf, '-');
    else if (s->sign == SIGN_EXCEEDS && v >= bound)
        weir_buf_byte(buf, '+');
    weir_buf_printf(buf, "%0*lld", s->min, (long long)size);
}

static void
print_fraction(const struct step *s, unsigned micros, struct weir_buf *buf)
{
    char digits[16];

    (void)snprintf(digits, sizeof(digits), "%06u000", micros);
    weir_buf_add(buf, digits, s->max);
}

/* Names are whole, or their first three letters. */
static void
print_name(const char *name, bool full, struct weir_buf *buf)
{
    weir_buf_add(buf, name, full ? strlen(name) : 3);
}

static void
print_word(const struct step *s, int64_t v, struct weir_buf *buf)
{
    static const char *const months[12] = {"January",   "February", "March",    "April",
                                           "May",       "June",     "July",     "August",
                                           "September", "October",  "November", "December"};
    static const char *const days[7] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                        "Friday", "Saturday", "Sunday"};
    static const char *const quarters[4] = {"1st quarter", "2nd quarter", "3rd quarter", "4th quarter"};

    switch (s->field) {
    case F_MONTH:
        print_name(months[v - 1], s->full, buf);
        break;
    case F_WEEKDAY:
        print_name(days[v], s->full, buf);
        break;
    case F_QUARTER:
        if (s->full)
            weir_buf_str(buf, quarters[v - 1]);
        else
            weir_buf_printf(buf, "Q%d", (int)v);
        break;
    case F_HALF:
        weir_buf_str(buf, v == 0 ? "AM" : "PM");
        break;
    default: /* F_ERA */
        weir_buf_str(buf, s->full ? (v == 0 ? "Before Christ" : "Anno Domini") : v == 0 ? "BC" : "AD");
        break;
    }
}

/* "+HHmm", "+HH:MM", "+HHMMss" … as the step says; nothing but zeros is the step's own text. */
static void
print_offset(const struct step *s, int32_t offset, struct weir_buf *buf)
{
    unsigned size = (unsigned)(offset < 0 ? -offset : offset), m = size / 60 % 60, sec = size % 60;

    if (offset == 0) {
        weir_buf_str(buf, s->text);
        return;
    }
    weir_buf_printf(buf, "%c%02u", offset < 0 ? '-' : '+', size / 3600);
    if (s->minutes == 2 || m > 0)
        weir_buf_printf(buf, "%s%02u", s->colon ? ":" : "", m);
    if (s->seconds > 0 && sec > 0)
        weir_buf_printf(buf, "%s%02u", s->colon ? ":" : "", sec);
}

/* "GMT", "GMT+8", "GMT+8:30"; full: "GMT+08:00". */
static void
print_gmt(const struct step *s, int32_t offset, struct weir_buf *buf)
{
    unsigned size = (unsigned)(offset < 0 ? -offset : offset), m = size / 60 % 60, sec = size % 60;

    weir_buf_str(buf, "GMT");
    if (offset == 0)
        return;
    weir_buf_printf(buf, "%c%0*u", offset < 0 ? '-' : '+', s->full ? 2 : 1, size / 3600);
    if (s->full || m > 0 || sec > 0)
        weir_buf_printf(buf, ":%02u", m);
    if (sec > 0)
        weir_buf_printf(buf, ":%02u", sec);
}

static void
print_step(const struct step *s, const struct printed *t, struct weir_buf *buf)
{
    switch (s->kind) {
    case S_LITERAL:
        weir_buf_add(buf, s->text, s->len);
        break;
    case S_NUMBER:
        print_number(s, print_value(t, s->field), buf);
        break;
    case S_FRACTION:
        print_fraction(s, t->micros, buf);
        break;
    case S_WORD:
        print_word(s, print_value(t, s->field), buf);
        break;
    case S_OFFSET:
        print_offset(s, t->offset, buf);
        break;
    case S_GMT:
        print_gmt(s, t->offset, buf);
        break;
    default: /* S_OPEN, S_CLOSE; zones are literals here */
        break;
    }
}

void
weir_pattern_print(const struct weir_pattern *p, int64_t us, const struct weir_zone *zone,
                   struct weir_buf *buf)
{
    struct printed t;

    print_take_apart(us, zone, &t);
    for (uint32_t i = 0; i < p->n; i++)
        print_step(&p->step[i], &t, buf);
}
