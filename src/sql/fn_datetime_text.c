/* Dates and timestamps from and to texts, numbers and zones.
 *
 * 1. A constant pattern is compiled once, when the query is bound, so a bad one is refused there. A pattern
 *    out of data is compiled for each row it differs in.
 * 2. Without a pattern a text is read as Spark's cast does.
 * 3. A text that does not fit is an error with ANSI on and null with it off; the try_ functions answer
 *    null. */
#include <math.h>

#include "base/limits.h"
#include "base/str.h"
#include "sql/coerce.h"
#include "sql/fn_datetime.h"

static const char DEFAULT_PATTERN[] = "yyyy-MM-dd HH:mm:ss";

static const struct weir_type *
text_arg(const struct weir_resolve *r, uint32_t i)
{
    return r->node->kids[i]->type;
}

/* Patterns. */

struct text_format { /* call->data of whatever reads or prints by a pattern */
    bool print;
    const struct weir_pattern *pattern; /* NULL: by row */
};

struct text_row_format { /* the last pattern of a run of rows */
    const char *text;
    uint32_t len;
    const struct weir_pattern *pattern;
};

static weir_rc
text_compile(const struct weir_sql_settings *set, bool print, const char *text, size_t len,
             struct weir_mem *mem, const struct weir_pattern **out, struct weir_error *err)
{
    struct weir_pattern *made = NULL;
    weir_rc rc = print ? weir_pattern_compile_print(text, len, set->zone_name, mem, &made, err)
                       : weir_pattern_compile(text, len, mem, &made, err);

    *out = made;
    return rc;
}

/* The pattern of argument i, by text when it is a constant. i == nkids: Spark's default. */
static weir_rc
text_format_plan(struct weir_resolve *r, uint32_t i, bool print, struct weir_error *err)
{
    struct text_format *format = weir_mem_zalloc(r->mem, sizeof(*format));
    const char *text = i < r->node->nkids ? weir_resolve_text(r, i) : DEFAULT_PATTERN;

    if (format == NULL)
        return weir_mem_fail(r->mem, sizeof(*format), err);
    format->print = print;
    r->plan.data = format;
    if (i < r->node->nkids)
        WEIR_TRY(weir_resolve_want(r, i, &weir_type_string, err));
    if (text == NULL)
        return WEIR_OK;
    if (text_compile(r->set, print, text, strlen(text), r->mem, &format->pattern, err) != WEIR_OK)
        return weir_error_context(err, "%s", r->node->text);
    return WEIR_OK;
}

/* The pattern of this row. */
static weir_rc
text_format_row(struct weir_call *call, const struct weir_col *arg, uint32_t row,
                struct text_row_format *last, const struct weir_pattern **out, struct weir_error *err)
{
    const struct text_format *format = call->data;
    const char *text;
    uint32_t len;

    *out = format->pattern;
    if (*out != NULL)
        return WEIR_OK;
    text = weir_arg_str(arg, row, &len);
    if (last->pattern == NULL || last->len != len || memcmp(last->text, text, len) != 0) {
        if (text_compile(call->set, format->print, text, len, call->mem, &last->pattern, err) != WEIR_OK)
            return err->rc == WEIR_NOMEM ? err->rc : weir_fail(err, WEIR_BADDATA, "%s", err->what);
        last->text = text;
        last->len = len;
    }
    *out = last->pattern;
    return WEIR_OK;
}

/* Reading. */

static weir_rc
text_no_value(struct weir_call *call, struct weir_col *out, uint32_t row, const char *code, const char *text,
              uint32_t len, struct weir_error *err)
{
    return WEIR_BAD_IF_ANSI(call, out, row, err, code, "no %s: '%.*s'", weir_kind_name(out->type->kind),
                            (int)(len < 100 ? len : 100), text);
}

/* us is local unless has_zone; what the result wants of it. false: the text must not name a zone. */
static bool
text_settle(const struct weir_call *call, weir_kind kind, bool has_zone, int64_t us, int64_t *out)
{
    switch (kind) {
    case WEIR_TIMESTAMP_NTZ:
        *out = us;
        return !has_zone;
    case WEIR_DATE:
        us = has_zone ? weir_zone_to_local(call->set->zone, us) : us;
        *out = clock_floor_div(us, CLOCK_DAY);
        return *out == (int32_t)*out;
    default:
        *out = has_zone ? us : weir_zone_to_utc(call->set->zone, us);
        return true;
    }
}

static void
text_store(struct weir_col *out, uint32_t row, int64_t v)
{
    if (out->type->kind == WEIR_DATE)
        weir_out(out, int32_t, row) = (int32_t)v;
    else
        weir_out(out, int64_t, row) = v;
}

/* args: text, then a pattern when it is no constant. The result is a date, a timestamp of either kind, or, as
 * a long, the seconds of one. */
static weir_rc
text_read(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
          struct weir_error *err)
{
    const struct weir_pattern *pattern;
    struct text_row_format last = {0};
    uint32_t len;

    for (uint32_t row = 0; row < rows; row++) {
        bool has_zone;
        int64_t us;

        if (weir_arg_null(&args[0], row) || (call->nargs > 1 && weir_arg_null(&args[1], row))) {
            weir_value_null(out, row);
            continue;
        }
        const char *text = weir_arg_str(&args[0], row, &len);

        WEIR_TRY(text_format_row(call, &args[call->nargs - 1], row, &last, &pattern, err));
        if (!weir_pattern_parse(pattern, text, len, &us, &has_zone) ||
            !text_settle(call, out->type->kind, has_zone, us, &us))
            WEIR_TRY(text_no_value(call, out, row, "CANNOT_PARSE_TIMESTAMP", text, len, err));
        else
            text_store(out, row, out->type->kind == WEIR_LONG ? us / CLOCK_SECOND : us);
    }
    return WEIR_OK;
}

static weir_rc
text_cast_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
              struct weir_error *err)
{
    uint32_t len;
    const char *text = weir_arg_str(&args[0], row, &len);
    bool good;

    if (out->type->kind == WEIR_DATE)
        good = weir_date_cast(text, len, &weir_out(out, int32_t, row));
    else if (out->type->kind == WEIR_TIMESTAMP)
        good = weir_timestamp_parse(text, len, call->set->zone, &weir_out(out, int64_t, row));
    else
        good = weir_timestamp_ntz_cast(text, len, &weir_out(out, int64_t, row));
    return good ? WEIR_OK : text_no_value(call, out, row, "CAST_INVALID_INPUT", text, len, err);
}
WEIR_KERNEL_STRICT(text_cast)

/* to_date and to_timestamp: texts are read, by a pattern or as a cast does; dates and timestamps are cast,
 * whatever the pattern. Anything else is a text when there is a pattern, and cast when there is none. */
static weir_rc
text_resolve(struct weir_resolve *r, const struct weir_type *type, struct weir_error *err)
{
    weir_kind kind = text_arg(r, 0)->kind;
    bool has_pattern = r->node->nkids > 1;

    r->plan.try_ = weir_str_starts(r->node->text, "try_");
    r->plan.may_fail = true;
    if (weir_kind_is_datetime(kind) || (kind != WEIR_STRING && !has_pattern)) {
        WEIR_TRY(weir_resolve_cast(r, 0, type, err));
        return weir_resolve_as_text(r, ".", type, "$1", err);
    }
    if (!has_pattern)
        return weir_resolve_plain(r, "s", type, text_cast, err);
    WEIR_TRY(text_format_plan(r, 1, false, err));
    return weir_resolve_plain(r, "s", type, text_read, err);
}

static weir_rc
resolve_to_timestamp(struct weir_resolve *r, struct weir_error *err)
{
    return text_resolve(r, &weir_type_timestamp, err);
}
static weir_rc
resolve_to_timestamp_ntz(struct weir_resolve *r, struct weir_error *err)
{
    return text_resolve(r, &weir_type_timestamp_ntz, err);
}
static weir_rc
resolve_to_date(struct weir_resolve *r, struct weir_error *err)
{
    return text_resolve(r, &weir_type_date, err);
}

/* unix_seconds and its like: whole units of a timestamp, towards the past. */
static weir_rc
seconds_of_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
               struct weir_error *err)
{
    const int64_t *unit = call->data;

    (void)err;
    weir_out(out, int64_t, row) = clock_floor_div(weir_arg(&args[0], int64_t, row), *unit);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(seconds_of)

static const int64_t unit_seconds = CLOCK_SECOND, unit_millis = 1000, unit_micros = 1;

/* unix_timestamp: seconds, towards 1970, as Spark divides there. */
static weir_rc
unix_timestamp_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                   struct weir_error *err)
{
    (void)call;
    (void)err;
    weir_out(out, int64_t, row) = weir_arg(&args[0], int64_t, row) / CLOCK_SECOND;
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(unix_timestamp)

static weir_rc
text_now_seconds(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
                 struct weir_error *err)
{
    (void)args;
    (void)err;
    for (uint32_t row = 0; row < rows; row++)
        weir_out(out, int64_t, row) = clock_floor_div(call->set->now_us, CLOCK_SECOND);
    return WEIR_OK;
}

static weir_rc
resolve_unix_timestamp(struct weir_resolve *r, struct weir_error *err)
{
    if (r->node->nkids == 0) {
        r->nullable = false;
        return weir_resolve_plain(r, "", &weir_type_long, text_now_seconds, err);
    }
    if (text_arg(r, 0)->kind == WEIR_STRING) {
        r->plan.may_fail = true;
        WEIR_TRY(text_format_plan(r, 1, false, err));
        return weir_resolve_plain(r, "s", &weir_type_long, text_read, err);
    }
    r->node->nkids = 1; /* a pattern says nothing here */
    WEIR_TRY(weir_resolve_clock(r, 0, err));
    return weir_resolve_plain(r, ".", &weir_type_long, unix_timestamp, err);
}

/* Printing. */

/* args: a timestamp, or seconds as a long; then a pattern when it is no constant. */
static weir_rc
text_print(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
           struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(WEIR_SMALL_MAX);
    const struct weir_pattern *pattern;
    struct text_row_format last = {0};
    weir_rc rc = WEIR_OK;

    for (uint32_t row = 0; row < rows; row++) {
        int64_t us;

        if (weir_arg_null(&args[0], row) || (call->nargs > 1 && weir_arg_null(&args[1], row))) {
            weir_value_null(out, row);
            continue;
        }
        us = weir_arg(&args[0], int64_t, row);
        if (args[0].type->kind == WEIR_LONG && __builtin_mul_overflow(us, CLOCK_SECOND, &us)) {
            WEIR_GO(weir_call_bad(call, out, row, err, "DATETIME_OVERFLOW", "the seconds are out of range"));
            continue;
        }
        WEIR_GO(text_format_row(call, &args[call->nargs - 1], row, &last, &pattern, err));
        weir_buf_reset(&buf);
        weir_pattern_print(pattern, us, call->set->zone, &buf);
        WEIR_GO(weir_buf_check(&buf, err));
        WEIR_GO(weir_out_str(call, out, row, buf.len > 0 ? buf.data : "", buf.len, err));
    }
out:
    weir_buf_fini(&buf);
    return rc;
}

static weir_rc
resolve_date_format(struct weir_resolve *r, struct weir_error *err)
{
    WEIR_TRY(text_format_plan(r, 1, true, err));
    return weir_resolve_plain(r, "Ts", &weir_type_string, text_print, err);
}

static weir_rc
resolve_from_unixtime(struct weir_resolve *r, struct weir_error *err)
{
    r->plan.may_fail = true;
    WEIR_TRY(text_format_plan(r, 1, true, err));
    return weir_resolve_plain(r, "ls", &weir_type_string, text_print, err);
}

/* Numbers. */

static weir_rc
resolve_unix_seconds(struct weir_resolve *r, struct weir_error *err)
{
    r->plan.data = strcmp(r->node->text, "unix_seconds") == 0  ? &unit_seconds
                   : strcmp(r->node->text, "unix_millis") == 0 ? &unit_millis
                                                               : &unit_micros;
    return weir_resolve_plain(r, "T", &weir_type_long, seconds_of, err);
}

static weir_rc
from_units_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
               struct weir_error *err)
{
    const int64_t *unit = call->data;

    if (__builtin_mul_overflow(weir_arg(&args[0], int64_t, row), *unit, &weir_out(out, int64_t, row)))
        return weir_call_bad(call, out, row, err, "ARITHMETIC_OVERFLOW", "the timestamp is out of range");
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(from_units)

/* Micros behind the sixth digit of a decimal have no place, as in Spark. */
static weir_rc
from_decimal_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                 struct weir_error *err)
{
    weir_i128 v = weir_decimal_get(&args[0], weir_arg_row(&args[0], row)), rest = 0;
    int scale = args[0].type->scale;
    bool good = true;

    for (; scale < 6; scale++)
        good = good && !__builtin_mul_overflow(v, 10, &v);
    for (; scale > 6; scale--) {
        rest |= v % 10;
        v /= 10;
    }
    if (!good || rest != 0 || v != (int64_t)v)
        return weir_call_bad(call, out, row, err, "ARITHMETIC_OVERFLOW",
                             "seconds that are no whole micros of a "
                             "timestamp");
    weir_out(out, int64_t, row) = (int64_t)v;
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(from_decimal)

/* Cut towards zero, as Java's (long); what is no number is null. */
static weir_rc
from_double_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                struct weir_error *err)
{
    double v = weir_arg(&args[0], double, row) * 1e6;

    (void)call;
    (void)err;
    if (!isfinite(v))
        weir_value_null(out, row);
    else
        weir_out(out, int64_t, row) = v >= 0x1p63 ? INT64_MAX : v <= -0x1p63 ? INT64_MIN : (int64_t)v;
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(from_double)

static weir_rc
resolve_timestamp_seconds(struct weir_resolve *r, struct weir_error *err)
{
    weir_kind kind = text_arg(r, 0)->kind;

    r->plan.may_fail = true;
    r->plan.data = &unit_seconds;
    if (kind == WEIR_DECIMAL)
        return weir_resolve_plain(r, ".", &weir_type_timestamp, from_decimal, err);
    if (kind == WEIR_FLOAT || kind == WEIR_DOUBLE)
        return weir_resolve_plain(r, "d", &weir_type_timestamp, from_double, err);
    if (!weir_kind_is_integral(kind) && kind != WEIR_VOID)
        return weir_resolve_refuse(r, 0, "a number", err);
    return weir_resolve_plain(r, "l", &weir_type_timestamp, from_units, err);
}

static weir_rc
resolve_timestamp_units(struct weir_resolve *r, struct weir_error *err)
{
    weir_kind kind = text_arg(r, 0)->kind;

    r->plan.may_fail = true;
    r->plan.data = strcmp(r->node->text, "timestamp_millis") == 0 ? &unit_millis : &unit_micros;
    if (!weir_kind_is_integral(kind) && kind != WEIR_VOID)
        return weir_resolve_refuse(r, 0, "an integer", err);
    return weir_resolve_plain(r, "l", &weir_type_timestamp, from_units, err);
}

static weir_rc
days_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
         struct weir_error *err)
{
    (void)call;
    (void)err;
    weir_out(out, int32_t, row) = weir_arg(&args[0], int32_t, row);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(days)

static weir_rc
resolve_unix_date(struct weir_resolve *r, struct weir_error *err)
{
    return weir_resolve_plain(r, "D", &weir_type_int, days, err);
}
static weir_rc
resolve_date_from_unix_date(struct weir_resolve *r, struct weir_error *err)
{
    return weir_resolve_plain(r, "i", &weir_type_date, days, err);
}

/* Zones. */

/* The zone that row names; NULL after an error that became a null. */
static weir_rc
zone_of_row(struct weir_call *call, const struct weir_col *arg, uint32_t row, struct weir_col *out,
            const struct weir_zone **zone, struct weir_error *err)
{
    uint32_t len;
    const char *text = weir_arg_str(arg, row, &len);

    *zone = weir_zone_find(text, len);
    if (*zone != NULL)
        return WEIR_OK;
    return weir_call_bad(call, out, row, err, "INVALID_TIMEZONE", "no time zone: %.*s",
                         (int)(len < 60 ? len : 60), text);
}

static weir_rc
from_utc_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
             struct weir_error *err)
{
    const struct weir_zone *zone;
    int64_t us = weir_arg(&args[0], int64_t, row);

    WEIR_TRY(zone_of_row(call, &args[1], row, out, &zone, err));
    if (zone != NULL)
        weir_out(out, int64_t, row) = weir_zone_to_local(zone, us);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(from_utc)

static weir_rc
to_utc_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
           struct weir_error *err)
{
    const struct weir_zone *zone;
    int64_t us = weir_arg(&args[0], int64_t, row);

    WEIR_TRY(zone_of_row(call, &args[1], row, out, &zone, err));
    if (zone != NULL)
        weir_out(out, int64_t, row) = weir_zone_to_utc(zone, us);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(to_utc)

static weir_rc
resolve_from_utc(struct weir_resolve *r, struct weir_error *err)
{
    r->plan.may_fail = true;
    return weir_resolve_plain(r, "Ts", &weir_type_timestamp, from_utc, err);
}
static weir_rc
resolve_to_utc(struct weir_resolve *r, struct weir_error *err)
{
    r->plan.may_fail = true;
    return weir_resolve_plain(r, "Ts", &weir_type_timestamp, to_utc, err);
}

/* ([from,] to, wall clock); without from it is the session's zone. */
static weir_rc
convert_zone_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                 struct weir_error *err)
{
    const struct weir_zone *from = call->set->zone, *to;
    uint32_t at = call->nargs - 2;

    if (at > 0)
        WEIR_TRY(zone_of_row(call, &args[0], row, out, &from, err));
    if (from != NULL)
        WEIR_TRY(zone_of_row(call, &args[at], row, out, &to, err));
    if (from != NULL && to != NULL)
        weir_out(out, int64_t, row) =
            weir_zone_to_local(to, weir_zone_to_utc(from, weir_arg(&args[at + 1], int64_t, row)));
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(convert_zone)

static weir_rc
resolve_convert_timezone(struct weir_resolve *r, struct weir_error *err)
{
    r->plan.may_fail = true;
    return weir_resolve_plain(r, r->node->nkids == 3 ? "ssN" : "sN", &weir_type_timestamp_ntz, convert_zone,
                              err);
}

static weir_rc
zone_name_of(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
             struct weir_error *err)
{
    (void)args;
    for (uint32_t row = 0; row < rows; row++)
        WEIR_TRY(weir_out_str(call, out, row, call->set->zone_name, strlen(call->set->zone_name), err));
    return WEIR_OK;
}

static weir_rc
resolve_current_timezone(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = false;
    return weir_resolve_plain(r, "", &weir_type_string, zone_name_of, err);
}

#define FN(name, min, max, resolve)                                                                          \
    {                                                                                                        \
        name, WEIR_FN_SCALAR, min, max, resolve, NULL, NULL                                                  \
    }
#define FN_NOT(name, min, max, resolve, why)                                                                 \
    {                                                                                                        \
        name, WEIR_FN_SCALAR, min, max, resolve, why, NULL                                                   \
    }

static const char ZONE_NAMES[] = "no zone names (z, zzzz) but UTC and offsets; an error beyond the range";

const struct weir_function weir_functions_datetime_text[] = {
    FN("convert_timezone", 2, 3, resolve_convert_timezone),
    FN("current_timezone", 0, 0, resolve_current_timezone),
    FN_NOT("date_format", 2, 2, resolve_date_format, ZONE_NAMES),
    FN("date_from_unix_date", 1, 1, resolve_date_from_unix_date),
    FN_NOT("from_unixtime", 1, 2, resolve_from_unixtime, ZONE_NAMES),
    FN("from_utc_timestamp", 2, 2, resolve_from_utc),
    FN("timestamp_micros", 1, 1, resolve_timestamp_units),
    FN("timestamp_millis", 1, 1, resolve_timestamp_units),
    FN("timestamp_seconds", 1, 1, resolve_timestamp_seconds),
    FN("to_date", 1, 2, resolve_to_date),
    FN("to_timestamp", 1, 2, resolve_to_timestamp),
    FN("to_timestamp_ltz", 1, 2, resolve_to_timestamp),
    FN("to_timestamp_ntz", 1, 2, resolve_to_timestamp_ntz),
    FN("to_unix_timestamp", 1, 2, resolve_unix_timestamp),
    FN("to_utc_timestamp", 2, 2, resolve_to_utc),
    FN_NOT("try_to_date", 1, 2, resolve_to_date, "of later versions of Spark"),
    FN("try_to_timestamp", 1, 2, resolve_to_timestamp),
    FN("unix_date", 1, 1, resolve_unix_date),
    FN("unix_micros", 1, 1, resolve_unix_seconds),
    FN("unix_millis", 1, 1, resolve_unix_seconds),
    FN("unix_seconds", 1, 1, resolve_unix_seconds),
    FN("unix_timestamp", 0, 2, resolve_unix_timestamp),
    {0},
};
