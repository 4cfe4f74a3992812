/* Dates and timestamps: their fields, cutting, adding, differences, making them, time windows.
 *
 * 1. The calendar is the proleptic Gregorian one; the zone is the session's, never the machine's.
 * 2. Days and months are added to the wall clock, hours and less to the instant, as Spark does.
 * 3. "Now" is the batch's time: the same in all rows, and in a batch that runs again.
 * Conversions from and to text, numbers and zones are in fn_datetime_text.c. */
#include "sql/fn_datetime.h"

#include <math.h>
#include <strings.h>

#include "base/str.h"
#include "sql/coerce.h"

weir_rc
weir_resolve_clock(struct weir_resolve *r, uint32_t i, struct weir_error *err)
{
    if (r->node->kids[i]->type->kind == WEIR_TIMESTAMP_NTZ)
        return weir_resolve_want(r, i, &weir_type_timestamp_ntz, err);
    return weir_resolve_want(r, i, &weir_type_timestamp, err);
}

static const struct weir_type *
datetime_arg(const struct weir_resolve *r, uint32_t i)
{
    return r->node->kids[i]->type;
}

/* A day that an int32 holds. */
static weir_rc
datetime_out_date(struct weir_call *call, struct weir_col *out, uint32_t row, int64_t days,
                  struct weir_error *err)
{
    if (days < INT32_MIN || days > INT32_MAX)
        return weir_call_bad(call, out, row, err, "ARITHMETIC_OVERFLOW", "the date is out of range");
    weir_out(out, int32_t, row) = (int32_t)days;
    return WEIR_OK;
}

/* Fields. */

enum datetime_field {
    D_YEAR,
    D_YEAR_OF_WEEK,
    D_QUARTER,
    D_MONTH,
    D_WEEK,
    D_DAY,
    D_DOW,     /* 1 Sunday */
    D_DOW_ISO, /* 1 Monday */
    D_WEEKDAY, /* 0 Monday */
    D_DOY,
    D_HOUR, /* from here on of a time */
    D_MINUTE,
    D_SECOND,
    D_SECOND_MICROS /* with the fraction */
};

static const struct datetime_name {
    const char *name;
    enum datetime_field field;
} datetime_names[] = {
    /* what extract() and date_part() take */
    {"year", D_YEAR},
    {"y", D_YEAR},
    {"years", D_YEAR},
    {"yr", D_YEAR},
    {"yrs", D_YEAR},
    {"yearofweek", D_YEAR_OF_WEEK},
    {"quarter", D_QUARTER},
    {"qtr", D_QUARTER},
    {"month", D_MONTH},
    {"mon", D_MONTH},
    {"mons", D_MONTH},
    {"months", D_MONTH},
    {"week", D_WEEK},
    {"w", D_WEEK},
    {"weeks", D_WEEK},
    {"day", D_DAY},
    {"d", D_DAY},
    {"days", D_DAY},
    {"dayofweek", D_DOW},
    {"dow", D_DOW},
    {"dayofweek_iso", D_DOW_ISO},
    {"dow_iso", D_DOW_ISO},
    {"doy", D_DOY},
    {"hour", D_HOUR},
    {"h", D_HOUR},
    {"hours", D_HOUR},
    {"hr", D_HOUR},
    {"hrs", D_HOUR},
    {"minute", D_MINUTE},
    {"m", D_MINUTE},
    {"min", D_MINUTE},
    {"mins", D_MINUTE},
    {"minutes", D_MINUTE},
    {"second", D_SECOND_MICROS},
    {"s", D_SECOND_MICROS},
    {"sec", D_SECOND_MICROS},
    {"seconds", D_SECOND_MICROS},
    {"secs", D_SECOND_MICROS},
    /* names of functions that are no fields there */
    {"dayofmonth", D_DAY},
    {"dayofyear", D_DOY},
    {"weekday", D_WEEKDAY},
    {"weekofyear", D_WEEK},
};

enum { FIELD_NAMES = 38 }; /* of datetime_names, those of extract() */

static const struct datetime_name *
datetime_name(const char *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(datetime_names[i].name, name) == 0)
            return &datetime_names[i];
    return NULL;
}

/* 0 Monday. */
static int64_t
date_weekday(int64_t days)
{
    return clock_floor_mod(days + 3, 7);
}

/* ISO: the week belongs to the year that its Thursday lies in. */
static int64_t
date_week(int64_t days, int64_t *year)
{
    int64_t thursday = days - date_weekday(days) + 3;
    unsigned m, d;

    weir_civil_from_days(thursday, year, &m, &d);
    return (thursday - weir_days_from_civil(*year, 1, 1)) / 7 + 1;
}

static int64_t
date_field(int64_t days, enum datetime_field field)
{
    int64_t y, year;
    unsigned m, d;

    weir_civil_from_days(days, &y, &m, &d);
    switch (field) {
    case D_YEAR:
        return y;
    case D_YEAR_OF_WEEK:
        (void)date_week(days, &year);
        return year;
    case D_QUARTER:
        return (m - 1) / 3 + 1;
    case D_MONTH:
        return m;
    case D_WEEK:
        return date_week(days, &year);
    case D_DAY:
        return d;
    case D_DOW:
        return (date_weekday(days) + 1) % 7 + 1;
    case D_DOW_ISO:
        return date_weekday(days) + 1;
    case D_WEEKDAY:
        return date_weekday(days);
    default: /* D_DOY */
        return days - weir_days_from_civil(y, 1, 1) + 1;
    }
}

static weir_rc
date_part_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
              struct weir_error *err)
{
    const struct datetime_name *name = call->data;

    (void)err;
    weir_out(out, int32_t, row) = (int32_t)date_field(weir_arg(&args[0], int32_t, row), name->field);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(date_part)

static weir_rc
time_part_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
              struct weir_error *err)
{
    const struct datetime_name *name = call->data;
    int64_t time = clock_floor_mod(clock_local(call, &args[0], row), CLOCK_DAY);

    (void)err;
    if (out->type->kind == WEIR_DECIMAL)
        weir_decimal_set(out, row, time % CLOCK_MINUTE);
    else if (name->field == D_HOUR)
        weir_out(out, int32_t, row) = (int32_t)(time / CLOCK_HOUR);
    else
        weir_out(out, int32_t, row) =
            (int32_t)(name->field == D_MINUTE ? time / CLOCK_MINUTE % 60 : time / CLOCK_SECOND % 60);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(time_part)

static weir_rc
datetime_part_plan(struct weir_resolve *r, const struct datetime_name *name, const struct weir_type *type,
                   struct weir_error *err)
{
    r->type = type;
    r->plan.data = name;
    r->plan.kernel = name->field >= D_HOUR ? time_part : date_part;
    r->nullable = r->node->kids[0]->nullable;
    return name->field >= D_HOUR ? weir_resolve_clock(r, 0, err)
                                 : weir_resolve_want(r, 0, &weir_type_date, err);
}

static weir_rc
resolve_part(struct weir_resolve *r, struct weir_error *err)
{
    static const struct datetime_name second = {"second", D_SECOND};
    const struct datetime_name *name =
        datetime_name(r->node->text, sizeof(datetime_names) / sizeof(datetime_names[0]));

    WEIR_ASSERT(name != NULL);
    return datetime_part_plan(r, name->field == D_SECOND_MICROS ? &second : name, &weir_type_int, err);
}

/* extract(field, x), date_part(field, x): the field is a constant. */
static weir_rc
resolve_extract(struct weir_resolve *r, struct weir_error *err)
{
    const char *text = weir_resolve_text(r, 0);
    const struct datetime_name *name = text != NULL ? datetime_name(text, FIELD_NAMES) : NULL;
    const struct weir_type *type = &weir_type_int;

    if (name == NULL) {
        weir_fail(err, WEIR_SCHEMA, "[INVALID_EXTRACT_FIELD] %s: no field %s of a date or timestamp",
                  r->node->text, text != NULL ? text : "that is no constant");
        return weir_error_hint(err,
                               "YEAR, QUARTER, MONTH, WEEK, DAY, DOW, DOY, HOUR, MINUTE, SECOND and others");
    }
    if (name->field == D_SECOND_MICROS)
        type = weir_type_decimal(r->mem, 8, 6);
    if (type == NULL)
        return weir_mem_fail(r->mem, sizeof(*type), err);
    r->node->kids++; /* the field is known; what is left is the value */
    r->node->nkids = 1;
    return datetime_part_plan(r, name, type, err);
}

static weir_rc
datetime_word(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
              struct weir_error *err)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec", days[] = "MonTueWedThuFriSatSun";
    bool is_month = call->data != NULL;

    for (uint32_t row = 0; row < rows; row++) {
        if (weir_arg_null(&args[0], row)) {
            weir_value_null(out, row);
            continue;
        }
        int64_t v = date_field(weir_arg(&args[0], int32_t, row), is_month ? D_MONTH : D_WEEKDAY);

        WEIR_TRY(weir_out_str(call, out, row, is_month ? months + (v - 1) * 3 : days + v * 3, 3, err));
    }
    return WEIR_OK;
}

static weir_rc
resolve_word(struct weir_resolve *r, struct weir_error *err)
{
    r->plan.data = strcmp(r->node->text, "monthname") == 0 ? r : NULL; /* a flag */
    return weir_resolve_plain(r, "D", &weir_type_string, datetime_word, err);
}

/* Cutting. */

enum cut {
    CUT_NONE,
    CUT_MICRO,
    CUT_MILLI,
    CUT_SECOND,
    CUT_MINUTE,
    CUT_HOUR,
    CUT_DAY,
    CUT_WEEK,
    CUT_MONTH,
    CUT_QUARTER,
    CUT_YEAR
};

static enum cut
cut_find(const char *text, uint32_t len)
{
    static const struct {
        const char *name;
        enum cut cut;
    } names[] = {
        {"MICROSECOND", CUT_MICRO},
        {"MILLISECOND", CUT_MILLI},
        {"SECOND", CUT_SECOND},
        {"MINUTE", CUT_MINUTE},
        {"HOUR", CUT_HOUR},
        {"DAY", CUT_DAY},
        {"DD", CUT_DAY},
        {"WEEK", CUT_WEEK},
        {"MONTH", CUT_MONTH},
        {"MON", CUT_MONTH},
        {"MM", CUT_MONTH},
        {"QUARTER", CUT_QUARTER},
        {"YEAR", CUT_YEAR},
        {"YYYY", CUT_YEAR},
        {"YY", CUT_YEAR},
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (weir_slice_is_nocase(weir_slice(text, len), names[i].name))
            return names[i].cut;
    return CUT_NONE;
}

static int64_t
cut_date(int64_t days, enum cut cut)
{
    int64_t y;
    unsigned m, d;

    weir_civil_from_days(days, &y, &m, &d);
    switch (cut) {
    case CUT_WEEK:
        return days - date_weekday(days);
    case CUT_MONTH:
        return days - d + 1;
    case CUT_QUARTER:
        return weir_days_from_civil(y, (m - 1) / 3 * 3 + 1, 1);
    case CUT_YEAR:
        return weir_days_from_civil(y, 1, 1);
    default:
        return days;
    }
}

/* The wall clock cut to a unit, back to an instant. In an overlap the offset of `us` is kept when it still
 * holds. */
static int64_t
cut_clock(const struct weir_zone *zone, int64_t us, int64_t unit)
{
    int64_t local = weir_zone_to_local(zone, us), cut = local - clock_floor_mod(local, unit);
    int64_t kept = us - (local - cut);

    return weir_zone_to_local(zone, kept) == cut ? kept : weir_zone_to_utc(zone, cut);
}

static int64_t
cut_timestamp(const struct weir_zone *zone, int64_t us, enum cut cut)
{
    int64_t days;

    switch (cut) {
    case CUT_MICRO:
        return us;
    case CUT_MILLI:
        return us - clock_floor_mod(us, 1000);
    case CUT_SECOND:
        return us - clock_floor_mod(us, CLOCK_SECOND);
    case CUT_MINUTE:
        return cut_clock(zone, us, CLOCK_MINUTE);
    case CUT_HOUR:
        return cut_clock(zone, us, CLOCK_HOUR);
    case CUT_DAY:
        return cut_clock(zone, us, CLOCK_DAY);
    default:
        days = clock_floor_div(weir_zone_to_local(zone, us), CLOCK_DAY);
        return weir_zone_to_utc(zone, cut_date(days, cut) * CLOCK_DAY);
    }
}

static weir_rc
date_trunc_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
               struct weir_error *err)
{
    uint32_t len;
    const char *text = weir_arg_str(&args[0], row, &len);
    enum cut cut = cut_find(text, len);

    (void)err;
    if (cut == CUT_NONE)
        weir_value_null(out, row);
    else
        weir_out(out, int64_t, row) = cut_timestamp(call->set->zone, weir_arg(&args[1], int64_t, row), cut);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(date_trunc)

static weir_rc
resolve_date_trunc(struct weir_resolve *r, struct weir_error *err)
{
    return weir_resolve_plain(r, "sT", &weir_type_timestamp, date_trunc, err);
}

static weir_rc
trunc_date_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
               struct weir_error *err)
{
    uint32_t len;
    const char *text = weir_arg_str(&args[1], row, &len);
    enum cut cut = cut_find(text, len);

    if (cut < CUT_WEEK) {
        weir_value_null(out, row);
        return WEIR_OK;
    }
    return datetime_out_date(call, out, row, cut_date(weir_arg(&args[0], int32_t, row), cut), err);
}
WEIR_KERNEL_STRICT(trunc_date)

static weir_rc
resolve_trunc(struct weir_resolve *r, struct weir_error *err)
{
    return weir_resolve_plain(r, "Ds", &weir_type_date, trunc_date, err);
}

/* Days and months. */

static unsigned
month_length(int64_t y, unsigned m)
{
    unsigned d = 31;

    while (!weir_civil_valid(y, m, d))
        d--;
    return d;
}

int64_t
weir_clock_add_months(int64_t days, int64_t n)
{
    int64_t y, months;
    unsigned m, d, last;

    weir_civil_from_days(days, &y, &m, &d);
    months = y * 12 + (m - 1) + n;
    y = clock_floor_div(months, 12);
    m = (unsigned)clock_floor_mod(months, 12) + 1;
    last = month_length(y, m);
    return weir_days_from_civil(y, m, d < last ? d : last);
}

static weir_rc
date_add_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
             struct weir_error *err)
{
    int64_t n = weir_arg(&args[1], int32_t, row);

    return datetime_out_date(call, out, row, weir_arg(&args[0], int32_t, row) + (call->data != NULL ? -n : n),
                             err);
}
WEIR_KERNEL_STRICT(date_add)

static weir_rc
resolve_date_add(struct weir_resolve *r, struct weir_error *err)
{
    static const bool minus = true;

    r->plan.data = strcmp(r->node->text, "date_sub") == 0 ? &minus : NULL;
    r->plan.may_fail = true;
    return weir_resolve_plain(r, "Di", &weir_type_date, date_add, err);
}

static weir_rc
add_months_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
               struct weir_error *err)
{
    return datetime_out_date(
        call, out, row,
        weir_clock_add_months(weir_arg(&args[0], int32_t, row), weir_arg(&args[1], int32_t, row)), err);
}
WEIR_KERNEL_STRICT(add_months)

static weir_rc
resolve_add_months(struct weir_resolve *r, struct weir_error *err)
{
    r->plan.may_fail = true;
    return weir_resolve_plain(r, "Di", &weir_type_date, add_months, err);
}

static weir_rc
datediff_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
             struct weir_error *err)
{
    int64_t n = (int64_t)weir_arg(&args[0], int32_t, row) - weir_arg(&args[1], int32_t, row);

    if (n != (int32_t)n)
        return weir_call_bad(call, out, row, err, "ARITHMETIC_OVERFLOW",
                             "the days between are beyond an int");
    weir_out(out, int32_t, row) = (int32_t)n;
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(datediff)

static weir_rc
resolve_datediff(struct weir_resolve *r, struct weir_error *err)
{
    r->plan.may_fail = true;
    return weir_resolve_plain(r, "DD", &weir_type_int, datediff, err);
}

static weir_rc
last_day_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
             struct weir_error *err)
{
    int64_t days = weir_arg(&args[0], int32_t, row), y;
    unsigned m, d;

    weir_civil_from_days(days, &y, &m, &d);
    return datetime_out_date(call, out, row, days - d + month_length(y, m), err);
}
WEIR_KERNEL_STRICT(last_day)

static weir_rc
resolve_last_day(struct weir_resolve *r, struct weir_error *err)
{
    return weir_resolve_plain(r, "D", &weir_type_date, last_day, err);
}

/* "MO", "MON", "MONDAY" in any case, blanks around: 0 for Monday; -1: no such day. */
static int
next_day_find(const char *text, uint32_t len)
{
    static const char *const names[7] = {"MONDAY", "TUESDAY",  "WEDNESDAY", "THURSDAY",
                                         "FRIDAY", "SATURDAY", "SUNDAY"};

    for (int i = 0; i < 7; i++) {
        size_t whole = strlen(names[i]);

        if ((len == 2 || len == 3 || len == whole) && strncasecmp(text, names[i], len) == 0)
            return i;
    }
    return -1;
}

static weir_rc
next_day_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
             struct weir_error *err)
{
    uint32_t len;
    const char *text = weir_arg_str(&args[1], row, &len);
    int day = next_day_find(text, len);
    int64_t days = weir_arg(&args[0], int32_t, row);

    if (day < 0)
        return WEIR_BAD_IF_ANSI(call, out, row, err, "ILLEGAL_DAY_OF_WEEK", "no day of the week: %.*s",
                                (int)(len < 40 ? len : 40), text);
    return datetime_out_date(call, out, row, days + 1 + clock_floor_mod(day - 1 - date_weekday(days), 7),
                             err);
}
WEIR_KERNEL_STRICT(next_day)

static weir_rc
resolve_next_day(struct weir_resolve *r, struct weir_error *err)
{
    r->plan.may_fail = true;
    return weir_resolve_plain(r, "Ds", &weir_type_date, next_day, err);
}

/* What months_between looks at. */
struct month_point {
    int64_t months, day, seconds; /* since year 0, of the month, of the day */
    bool last;                    /* of the month */
};

static struct month_point
month_point(int64_t local)
{
    int64_t days = clock_floor_div(local, CLOCK_DAY), y;
    unsigned m, d;

    weir_civil_from_days(days, &y, &m, &d);
    return (struct month_point){y * 12 + m, d, clock_floor_mod(local, CLOCK_DAY) / CLOCK_SECOND,
                                d == month_length(y, m)};
}

static weir_rc
months_between_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                   struct weir_error *err)
{
    struct month_point a = month_point(clock_local(call, &args[0], row));
    struct month_point b = month_point(clock_local(call, &args[1], row));
    bool round_off = call->nargs < 3 || weir_arg(&args[2], uint8_t, row);
    double v = (double)(a.months - b.months);

    (void)err;
    if (a.day != b.day && !(a.last && b.last)) {
        v += (double)((a.day - b.day) * 86400 + a.seconds - b.seconds) / (31.0 * 86400.0);
        if (round_off)
            v = floor(v * 1e8 + 0.5) / 1e8;
    }
    weir_out(out, double, row) = v;
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(months_between)

static weir_rc
resolve_months_between(struct weir_resolve *r, struct weir_error *err)
{
    return weir_resolve_plain(r, "TTb", &weir_type_double, months_between, err);
}

/* Units of timestampadd and timestampdiff: a count of micros, of days, or of months. */

static const struct unit {
    const char *name;
    int64_t micros, days, months;
} units[] = {
    {"MICROSECOND", 1, 0, 0},       {"MILLISECOND", 1000, 0, 0}, {"SECOND", CLOCK_SECOND, 0, 0},
    {"MINUTE", CLOCK_MINUTE, 0, 0}, {"HOUR", CLOCK_HOUR, 0, 0},  {"DAY", 0, 1, 0},
    {"DAYOFYEAR", 0, 1, 0},         {"WEEK", 0, 7, 0},           {"MONTH", 0, 0, 1},
    {"QUARTER", 0, 0, 3},           {"YEAR", 0, 0, 12},
};

static weir_rc
unit_find(struct weir_resolve *r, const struct unit **out, struct weir_error *err)
{
    const char *text = weir_resolve_text(r, 0);

    for (size_t i = 0; text != NULL && i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcasecmp(units[i].name, text) == 0) {
            *out = &units[i];
            return WEIR_OK;
        }
    }
    return weir_fail(err, WEIR_SCHEMA, "[INVALID_PARAMETER_VALUE.DATETIME_UNIT] %s: no unit %s",
                     r->node->text, text != NULL ? text : "that is no constant");
}

/* false: beyond int64. */
static bool
unit_add(const struct weir_call *call, const struct weir_type *type, const struct unit *unit, int64_t us,
         int64_t n, int64_t *out)
{
    const struct weir_zone *zone = type->kind == WEIR_TIMESTAMP ? call->set->zone : &weir_zone_utc;
    int64_t local, days, time;

    if (unit->micros != 0)
        return !__builtin_mul_overflow(n, unit->micros, &n) && !__builtin_add_overflow(us, n, out);
    local = weir_zone_to_local(zone, us);
    days = clock_floor_div(local, CLOCK_DAY);
    time = clock_floor_mod(local, CLOCK_DAY);
    if (unit->months != 0)
        days = weir_clock_add_months(days, n * unit->months);
    else
        days += n * unit->days;
    if (__builtin_mul_overflow(days, CLOCK_DAY, &local) || __builtin_add_overflow(local, time, &local))
        return false;
    *out = weir_zone_to_utc(zone, local);
    return true;
}

static weir_rc
timestampadd_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                 struct weir_error *err)
{
    int64_t n = weir_arg(&args[0], int64_t, row), us = weir_arg(&args[1], int64_t, row);

    /* n is an int unless the unit is short, so months and days stay in range */
    if (!unit_add(call, args[1].type, call->data, us, n, &weir_out(out, int64_t, row)))
        return weir_call_bad(call, out, row, err, "DATETIME_OVERFLOW", "the timestamp is out of range");
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(timestampadd)

static weir_rc
resolve_timestampadd(struct weir_resolve *r, struct weir_error *err)
{
    const struct unit *unit;

    WEIR_TRY(unit_find(r, &unit, err));
    r->node->kids++;
    r->node->nkids = 2;
    WEIR_TRY(weir_resolve_clock(r, 1, err));
    r->plan.data = unit;
    r->plan.may_fail = true;
    if (unit->micros == 0 && datetime_arg(r, 0)->kind == WEIR_LONG)
        return weir_resolve_refuse(r, 0, "an int", err);
    return weir_resolve_plain(r, "l.", r->plan.arg_types[1], timestampadd, err);
}

/* Whole months from a to b as java.time counts them: first the time of day moves the end by a day, then days of the
 * month are compared. From 2024-02-29 12:00 to 2025-03-01 00:00 it is 11. */
static int64_t
unit_months_between(int64_t a, int64_t b)
{
    int64_t days_a = clock_floor_div(a, CLOCK_DAY), days_b = clock_floor_div(b, CLOCK_DAY), ya, yb;
    int64_t time_a = clock_floor_mod(a, CLOCK_DAY), time_b = clock_floor_mod(b, CLOCK_DAY);
    unsigned ma, mb, da, db;

    if (days_b > days_a && time_b < time_a)
        days_b--;
    else if (days_b < days_a && time_b > time_a)
        days_b++;
    weir_civil_from_days(days_a, &ya, &ma, &da);
    weir_civil_from_days(days_b, &yb, &mb, &db);
    return (((yb - ya) * 12 + (int64_t)mb - (int64_t)ma) * 32 + (int64_t)db - (int64_t)da) / 32;
}

static weir_rc
timestampdiff_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                  struct weir_error *err)
{
    const struct unit *unit = call->data;
    int64_t a = clock_local(call, &args[0], row), b = clock_local(call, &args[1], row), span;

    if (unit->months != 0) {
        weir_out(out, int64_t, row) = unit_months_between(a, b) / unit->months;
        return WEIR_OK;
    }
    if (__builtin_sub_overflow(b, a, &span))
        return weir_call_bad(call, out, row, err, "DATETIME_OVERFLOW", "the time between is out of range");
    weir_out(out, int64_t, row) = span / (unit->micros != 0 ? unit->micros : unit->days * CLOCK_DAY);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(timestampdiff)

static weir_rc
resolve_timestampdiff(struct weir_resolve *r, struct weir_error *err)
{
    const struct unit *unit;

    WEIR_TRY(unit_find(r, &unit, err));
    r->node->kids++;
    r->node->nkids = 2;
    r->plan.data = unit;
    r->plan.may_fail = true;
    WEIR_TRY(weir_resolve_clock(r, 0, err));
    WEIR_TRY(weir_resolve_clock(r, 1, err));
    return weir_resolve_plain(r, "..", &weir_type_long, timestampdiff, err);
}

/* dateadd, datediff: with a unit in front they are the functions of timestamps. */
static weir_rc
resolve_dateadd(struct weir_resolve *r, struct weir_error *err)
{
    return r->node->nkids == 3 ? resolve_timestampadd(r, err) : resolve_date_add(r, err);
}
static weir_rc
resolve_date_diff(struct weir_resolve *r, struct weir_error *err)
{
    return r->node->nkids == 3 ? resolve_timestampdiff(r, err) : resolve_datediff(r, err);
}

/* Making. */

bool
weir_clock_make_date(int64_t y, int64_t m, int64_t d, int64_t *days)
{
    if (y < -999999999 || y > 999999999 || m < 1 || m > 12 || d < 1 || d > 31 ||
        !weir_civil_valid(y, (unsigned)m, (unsigned)d))
        return false;
    *days = weir_days_from_civil(y, (unsigned)m, (unsigned)d);
    return true;
}

static weir_rc
make_date_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
              struct weir_error *err)
{
    int32_t y = weir_arg(&args[0], int32_t, row), m = weir_arg(&args[1], int32_t, row);
    int32_t d = weir_arg(&args[2], int32_t, row);
    int64_t days;

    if (!weir_clock_make_date(y, m, d, &days) || days < INT32_MIN || days > INT32_MAX)
        return WEIR_BAD_IF_ANSI(call, out, row, err, "DATETIME_FIELD_OUT_OF_BOUNDS", "no date: %d-%d-%d", y,
                                m, d);
    weir_out(out, int32_t, row) = (int32_t)days;
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(make_date)

static weir_rc
resolve_make_date(struct weir_resolve *r, struct weir_error *err)
{
    r->plan.may_fail = true;
    return weir_resolve_plain(r, "iii", &weir_type_date, make_date, err);
}

/* The seconds are a decimal(16,6); 60 is the next minute, but not with a fraction. */
static bool
make_local(const struct weir_col *args, uint32_t row, int64_t *out)
{
    int64_t h = weir_arg(&args[3], int32_t, row), min = weir_arg(&args[4], int32_t, row), days, local;
    int64_t micros = (int64_t)weir_decimal_get(&args[5], weir_arg_row(&args[5], row));

    if (!weir_clock_make_date(weir_arg(&args[0], int32_t, row), weir_arg(&args[1], int32_t, row),
                              weir_arg(&args[2], int32_t, row), &days) ||
        h < 0 || h > 23 || min < 0 || min > 59 || micros < 0 || micros > CLOCK_MINUTE)
        return false;
    if (__builtin_mul_overflow(days, CLOCK_DAY, &local))
        return false;
    return !__builtin_add_overflow(local, h * CLOCK_HOUR + min * CLOCK_MINUTE + micros, out);
}

static weir_rc
make_timestamp_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                   struct weir_error *err)
{
    const struct weir_zone *zone = call->set->zone;
    int64_t micros = (int64_t)weir_decimal_get(&args[5], weir_arg_row(&args[5], row)), local;

    if (call->nargs > 6) {
        uint32_t len;
        const char *name = weir_arg_str(&args[6], row, &len);

        zone = weir_zone_find(name, len);
        if (zone == NULL)
            return weir_call_bad(call, out, row, err, "INVALID_TIMEZONE", "no time zone: %.*s",
                                 (int)(len < 60 ? len : 60), name);
    }
    if (micros > CLOCK_MINUTE && micros < CLOCK_MINUTE + CLOCK_SECOND)
        return WEIR_BAD_IF_ANSI(call, out, row, err, "INVALID_FRACTION_OF_SECOND",
                                "seconds are from 0 to 60");
    if (!make_local(args, row, &local))
        return WEIR_BAD_IF_ANSI(call, out, row, err, "DATETIME_FIELD_OUT_OF_BOUNDS",
                                "no timestamp: %d-%d-%d %d:%d", weir_arg(&args[0], int32_t, row),
                                weir_arg(&args[1], int32_t, row), weir_arg(&args[2], int32_t, row),
                                weir_arg(&args[3], int32_t, row), weir_arg(&args[4], int32_t, row));
    weir_out(out, int64_t, row) = out->type->kind == WEIR_TIMESTAMP ? weir_zone_to_utc(zone, local) : local;
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(make_timestamp)

static weir_rc
resolve_make_timestamp(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *seconds = weir_type_decimal(r->mem, 16, 6);
    bool ntz = strstr(r->node->text, "_ntz") != NULL;

    if (seconds == NULL)
        return weir_mem_fail(r->mem, sizeof(*seconds), err);
    r->plan.try_ = weir_str_starts(r->node->text, "try_");
    r->plan.may_fail = !r->plan.try_;
    WEIR_TRY(weir_resolve_want(r, 5, seconds, err));
    return weir_resolve_plain(r, "iiiii.s", ntz ? &weir_type_timestamp_ntz : &weir_type_timestamp,
                              make_timestamp, err);
}

static weir_rc
resolve_no_interval(struct weir_resolve *r, struct weir_error *err)
{
    weir_resolve_unsupported(r, "intervals are not a type of a column here", err);
    return weir_error_hint(err, "write INTERVAL 1 DAY, or use timestampadd(unit, n, ts) and timestampdiff()");
}

/* Now. */

static weir_rc
now_of(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
       struct weir_error *err)
{
    int64_t now = call->set->now_us, local = weir_zone_to_local(call->set->zone, now);

    (void)args;
    (void)err;
    for (uint32_t row = 0; row < rows; row++) {
        if (out->type->kind == WEIR_DATE)
            weir_out(out, int32_t, row) = (int32_t)clock_floor_div(local, CLOCK_DAY);
        else
            weir_out(out, int64_t, row) = out->type->kind == WEIR_TIMESTAMP ? now : local;
    }
    return WEIR_OK;
}

static weir_rc
resolve_now(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = false;
    return weir_resolve_plain(r, "", &weir_type_timestamp, now_of, err);
}
static weir_rc
resolve_localtimestamp(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = false;
    return weir_resolve_plain(r, "", &weir_type_timestamp_ntz, now_of, err);
}
static weir_rc
resolve_current_date(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = false;
    return weir_resolve_plain(r, "", &weir_type_date, now_of, err);
}

/* Time windows. */

struct window {
    int64_t length, start; /* micros */
};

static weir_rc
window_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
           struct weir_error *err)
{
    const struct window *w = call->data;
    int64_t us = weir_arg(&args[0], int64_t, row), from, to;

    if (__builtin_sub_overflow(us, w->start, &from) ||
        __builtin_sub_overflow(us, clock_floor_mod(from, w->length), &from) ||
        __builtin_add_overflow(from, w->length, &to))
        return weir_call_bad(call, out, row, err, "DATETIME_OVERFLOW", "the window is out of range");
    weir_out(&out->kids[0], int64_t, row) = from;
    weir_out(&out->kids[1], int64_t, row) = to;
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(window)

static weir_rc
window_interval(struct weir_resolve *r, uint32_t i, int64_t *out, struct weir_error *err)
{
    const char *text = weir_resolve_text(r, i);
    int64_t ms;

    if (text == NULL || !weir_parse_interval_ms(weir_slice(text, strlen(text)), &ms) ||
        __builtin_mul_overflow(ms, INT64_C(1000), out))
        return weir_resolve_refuse(r, i, "a constant like '10 minutes'", err);
    return WEIR_OK;
}

/* struct<start, end> of the timestamp's type; by text, both fields may be null with their struct. */
static const struct weir_type *
window_type(struct weir_mem *mem, const struct weir_type *time)
{
    const struct weir_field fields[2] = {{.name = "start", .name_len = 5, .nullable = true, .type = time},
                                         {.name = "end", .name_len = 3, .nullable = true, .type = time}};

    return weir_type_struct(mem, fields, 2);
}

static weir_rc
resolve_window(struct weir_resolve *r, struct weir_error *err)
{
    struct window *w = weir_mem_zalloc(r->mem, sizeof(*w));
    int64_t slide;

    if (w == NULL)
        return weir_mem_fail(r->mem, sizeof(*w), err);
    WEIR_TRY(weir_resolve_clock(r, 0, err));
    WEIR_TRY(window_interval(r, 1, &w->length, err));
    slide = w->length;
    if (r->node->nkids > 2)
        WEIR_TRY(window_interval(r, 2, &slide, err));
    if (r->node->nkids > 3)
        WEIR_TRY(window_interval(r, 3, &w->start, err));
    if (w->length <= 0 || slide <= 0)
        return weir_resolve_refuse(r, 1, "a duration above 0", err);
    if (slide != w->length)
        return weir_resolve_unsupported(r, "windows that overlap (a slide other than the duration)", err);
    r->node->nkids = 1;
    r->type = window_type(r->mem, r->plan.arg_types[0]);
    if (r->type == NULL)
        return weir_mem_fail(r->mem, sizeof(*r->type), err);
    r->plan.data = w;
    r->plan.kernel = window;
    r->plan.may_fail = true;
    return WEIR_OK;
}

static weir_rc
resolve_session_window(struct weir_resolve *r, struct weir_error *err)
{
    return weir_resolve_unsupported(r, "sessions need state that outlives a batch", err);
}

/* The last micro of a window. */
static weir_rc
window_time_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                struct weir_error *err)
{
    uint32_t at = weir_arg_row(&args[0], row);
    const struct weir_col *end = &args[0].kids[1];

    (void)call;
    (void)err;
    if (weir_arg_null(end, at))
        weir_value_null(out, row);
    else
        weir_out(out, int64_t, row) = weir_arg(end, int64_t, at) - 1;
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(window_time)

static weir_rc
resolve_window_time(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = datetime_arg(r, 0);

    if (type->kind != WEIR_STRUCT || type->nfields != 2 || strcmp(type->fields[1].name, "end") != 0 ||
        (type->fields[1].type->kind != WEIR_TIMESTAMP && type->fields[1].type->kind != WEIR_TIMESTAMP_NTZ))
        return weir_resolve_refuse(r, 0, "a window", err);
    return weir_resolve_plain(r, ".", type->fields[1].type, window_time, err);
}

#define FN(name, min, max, resolve)                                                                          \
    {                                                                                                        \
        name, WEIR_FN_SCALAR, min, max, resolve, NULL, NULL                                                  \
    }
#define FN_NOT(name, min, max, resolve, why)                                                                 \
    {                                                                                                        \
        name, WEIR_FN_SCALAR, min, max, resolve, why, NULL                                                   \
    }

const struct weir_function weir_functions_datetime[] = {
    FN("add_months", 2, 2, resolve_add_months),
    FN("curdate", 0, 0, resolve_current_date),
    FN("current_date", 0, 0, resolve_current_date),
    FN("current_timestamp", 0, 0, resolve_now),
    FN_NOT("date_add", 2, 3, resolve_dateadd, "an error where Spark's days wrap around"),
    FN("date_diff", 2, 3, resolve_date_diff),
    FN("date_part", 2, 2, resolve_extract),
    FN("date_sub", 2, 2, resolve_date_add),
    FN("date_trunc", 2, 2, resolve_date_trunc),
    FN("dateadd", 2, 3, resolve_dateadd),
    FN("datediff", 2, 3, resolve_date_diff),
    FN("datepart", 2, 2, resolve_extract),
    FN("day", 1, 1, resolve_part),
    FN("dayname", 1, 1, resolve_word),
    FN("dayofmonth", 1, 1, resolve_part),
    FN("dayofweek", 1, 1, resolve_part),
    FN("dayofyear", 1, 1, resolve_part),
    FN("extract", 2, 2, resolve_extract),
    FN("hour", 1, 1, resolve_part),
    FN("last_day", 1, 1, resolve_last_day),
    FN("localtimestamp", 0, 0, resolve_localtimestamp),
    FN("make_date", 3, 3, resolve_make_date),
    FN_NOT("make_dt_interval", 0, 4, resolve_no_interval, "refused"),
    FN_NOT("make_interval", 0, 7, resolve_no_interval, "refused"),
    FN("make_timestamp", 6, 7, resolve_make_timestamp),
    FN("make_timestamp_ltz", 6, 7, resolve_make_timestamp),
    FN("make_timestamp_ntz", 6, 6, resolve_make_timestamp),
    FN_NOT("make_ym_interval", 0, 2, resolve_no_interval, "refused"),
    FN("minute", 1, 1, resolve_part),
    FN("month", 1, 1, resolve_part),
    FN("monthname", 1, 1, resolve_word),
    FN("months_between", 2, 3, resolve_months_between),
    FN("next_day", 2, 2, resolve_next_day),
    FN("now", 0, 0, resolve_now),
    FN("quarter", 1, 1, resolve_part),
    FN("second", 1, 1, resolve_part),
    FN_NOT("session_window", 2, 2, resolve_session_window, "refused"),
    FN("timestampadd", 3, 3, resolve_timestampadd),
    FN("timestampdiff", 3, 3, resolve_timestampdiff),
    FN("trunc", 2, 2, resolve_trunc),
    FN("try_make_timestamp", 6, 7, resolve_make_timestamp),
    FN("try_make_timestamp_ltz", 6, 7, resolve_make_timestamp),
    FN("try_make_timestamp_ntz", 6, 6, resolve_make_timestamp),
    FN("weekday", 1, 1, resolve_part),
    FN("weekofyear", 1, 1, resolve_part),
    FN_NOT("window", 2, 4, resolve_window, "no overlapping windows; rows without a time keep a null window"),
    FN("window_time", 1, 1, resolve_window_time),
    FN("year", 1, 1, resolve_part),
    {0},
};
