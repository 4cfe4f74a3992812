/* to_json: values as the text that Spark's JacksonGenerator writes.
 *
 * 1. Fields that are null are left out unless ignoreNullFields is false; elements and values of maps never
 *    are.
 * 2. Numbers are Java's: doubles by Double.toString, NaN and infinities as strings, decimals by
 *    BigDecimal.toString, which has an exponent for very small ones.
 * 3. Keys of maps are what Java's toString makes of Spark's inside: a date is its number of days.
 * 4. Timestamps have three digits and the session's offset unless an option says another pattern. */
#include "sql/fn_json.h"
#include "sql/fn_text.h"

struct to_json {
    const struct weir_zone *zone;
    bool nulls;                                  /* ignoreNullFields is false */
    bool ascii;                                  /* writeNonAsciiCharacterAsCodePoint */
    struct weir_pattern *date, *timestamp, *ntz; /* NULL: the defaults */
};

static void value_write(const struct to_json *w, const struct weir_col *col, uint32_t row,
                        struct weir_buf *buf);

/* ---- Scalars */

/* p .. end without the quotes that go around it. */
static void
plain_write(struct weir_buf *buf, const char *p, const char *end)
{
    size_t mark = buf->len;

    weir_buf_json(buf, p, (size_t)(end - p));
    if (buf->failed)
        return;
    memmove(buf->data + mark, buf->data + mark + 1, buf->len - mark - 2);
    buf->len -= 2;
}

void
weir_json_quoted(struct weir_buf *buf, struct weir_slice s, uint32_t most)
{
    const char *p = s.ptr, *from = s.ptr, *end = s.ptr + s.len;

    weir_buf_byte(buf, '"');
    while (p < end) {
        const char *at = p;
        uint32_t c = weir_utf8_get(&p);

        if (c <= most)
            continue;
        plain_write(buf, from, at);
        from = p;
        if (c > 0xffff) {
            weir_buf_printf(buf, "\\u%04X", 0xd800 + ((c - 0x10000) >> 10));
            c = 0xdc00 + ((c - 0x10000) & 0x3ff);
        }
        weir_buf_printf(buf, "\\u%04X", c);
    }
    plain_write(buf, from, end);
    weir_buf_byte(buf, '"');
}

static void
string_write(const struct to_json *w, const char *p, size_t n, struct weir_buf *buf)
{
    if (w->ascii)
        weir_json_quoted(buf, weir_slice(p, n), 0x7f);
    else
        weir_buf_json(buf, p, n);
}

static void
base64_write(const char *p_, size_t n, struct weir_buf *buf)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *p = (const unsigned char *)p_;

    weir_buf_byte(buf, '"');
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t v =
            (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) | (left > 2 ? p[i + 2] : 0);
        char four[4] = {digits[v >> 18], digits[v >> 12 & 63], left > 1 ? digits[v >> 6 & 63] : '=',
                        left > 2 ? digits[v & 63] : '='};

        weir_buf_add(buf, four, 4);
    }
    weir_buf_byte(buf, '"');
}

/* BigDecimal.toString: 0E-7 and 1.5E-8, but 0.0000015. */
static void
decimal_write(const struct weir_col *col, uint32_t row, struct weir_buf *buf)
{
    weir_i128 v = weir_decimal_get(col, row);
    char text[64], digits[48];
    size_t n = weir_decimal_print(v < 0 ? -v : v, 0, digits);
    int exponent = (int)n - 1 - col->type->scale;

    if (exponent >= -6) {
        weir_buf_add(buf, text, weir_decimal_print(v, col->type->scale, text));
        return;
    }
    weir_buf_printf(buf, "%s%c%s%.*sE%d", v < 0 ? "-" : "", digits[0], n > 1 ? "." : "", (int)n - 1,
                    digits + 1, exponent);
}

/* "Z", "+08:00": XXX of Java. */
static void
offset_print(int64_t offset_us, char text[8])
{
    int64_t minutes = offset_us / 60000000;

    if (offset_us == 0)
        snprintf(text, 8, "Z");
    else
        snprintf(text, 8, "%c%02d:%02d", offset_us < 0 ? '-' : '+',
                 (int)((minutes < 0 ? -minutes : minutes) / 60 % 100),
                 (int)((minutes < 0 ? -minutes : minutes) % 60));
}

static size_t
instant_print(const struct to_json *w, const struct weir_col *col, uint32_t row, char *text)
{
    int64_t us = weir_arg(col, int64_t, row), local;
    char offset[8] = "";

    if (col->type->kind == WEIR_TIMESTAMP_NTZ)
        return weir_timestamp_print(us, 3, 'T', "", text);
    local = weir_zone_to_local(w->zone, us);
    offset_print(local - us, offset);
    return weir_timestamp_print(local, 3, 'T', offset, text);
}

/* By a pattern, whose literals may be anything. A civil time is one in UTC. false: by the default. */
static bool
pattern_write(const struct to_json *w, const struct weir_col *col, uint32_t row, struct weir_buf *buf)
{
    struct weir_buf text = WEIR_BUF(WEIR_SMALL_MAX);
    const struct weir_pattern *pattern;
    int64_t us;

    if (col->type->kind == WEIR_DATE) {
        pattern = w->date;
        us = (int64_t)weir_arg(col, int32_t, row) * 86400 * 1000000;
    } else {
        pattern = col->type->kind == WEIR_TIMESTAMP ? w->timestamp : w->ntz;
        us = weir_arg(col, int64_t, row);
    }
    if (pattern == NULL)
        return false;
    weir_pattern_print(pattern, us, col->type->kind == WEIR_TIMESTAMP ? w->zone : &weir_zone_utc, &text);
    buf->failed |= text.failed;
    string_write(w, text.len == 0 ? "" : text.data, text.len, buf);
    weir_buf_fini(&text);
    return true;
}

/* Numbers and words as they stand between quotes or not; 0: another kind. */
static size_t
number_print(const struct weir_col *col, uint32_t row, char text[48])
{
    switch (col->type->kind) {
    case WEIR_BOOLEAN:
        return (size_t)snprintf(text, 48, "%s", weir_arg(col, uint8_t, row) ? "true" : "false");
    case WEIR_BYTE:
        return weir_long_print(weir_arg(col, int8_t, row), text);
    case WEIR_SHORT:
        return weir_long_print(weir_arg(col, int16_t, row), text);
    case WEIR_INT:
        return weir_long_print(weir_arg(col, int32_t, row), text);
    case WEIR_LONG:
        return weir_long_print(weir_arg(col, int64_t, row), text);
    case WEIR_FLOAT:
        return weir_float_print(weir_arg(col, float, row), text);
    case WEIR_DOUBLE:
        return weir_double_print(weir_arg(col, double, row), text);
    default:
        return 0;
    }
}

static void
scalar_write(const struct to_json *w, const struct weir_col *col, uint32_t row, struct weir_buf *buf)
{
    char text[64];
    size_t n = number_print(col, row, text);
    uint32_t len;
    const char *p;

    if (n > 0 && (col->type->kind == WEIR_BOOLEAN || (text[n - 1] >= '0' && text[n - 1] <= '9'))) {
        weir_buf_add(buf, text, n);
        return;
    }
    switch (col->type->kind) {
    case WEIR_STRING:
        p = weir_arg_str(col, row, &len);
        string_write(w, p, len, buf);
        return;
    case WEIR_BINARY:
        p = weir_arg_str(col, row, &len);
        base64_write(p, len, buf);
        return;
    case WEIR_DECIMAL:
        decimal_write(col, weir_arg_row(col, row), buf);
        return;
    case WEIR_DATE:
        if (pattern_write(w, col, row, buf))
            return;
        n = weir_date_print(weir_arg(col, int32_t, row), text);
        break;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
        if (pattern_write(w, col, row, buf))
            return;
        n = instant_print(w, col, row, text);
        break;
    default:
        WEIR_ASSERT(n > 0); /* NaN, Infinity; other kinds were refused */
    }
    weir_buf_printf(buf, "\"%.*s\"", (int)n, text);
}

/* ---- Nested values */

static void
key_write(const struct to_json *w, const struct weir_col *col, uint32_t row, struct weir_buf *buf)
{
    char text[64];
    size_t n = number_print(col, row, text);
    uint32_t len;
    const char *p;

    switch (col->type->kind) {
    case WEIR_STRING:
        p = weir_arg_str(col, row, &len);
        string_write(w, p, len, buf);
        return;
    case WEIR_DATE:
        n = weir_long_print(weir_arg(col, int32_t, row), text);
        break;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
        n = weir_long_print(weir_arg(col, int64_t, row), text);
        break;
    case WEIR_DECIMAL: /* Spark's Decimal prints like BigDecimal */
        weir_buf_byte(buf, '"');
        decimal_write(col, weir_arg_row(col, row), buf);
        weir_buf_byte(buf, '"');
        return;
    default:
        break;
    }
    weir_buf_printf(buf, "\"%.*s\"", (int)n, text);
}

static void
struct_write(const struct to_json *w, const struct weir_col *col, uint32_t row, struct weir_buf *buf)
{
    bool any = false;

    row = weir_arg_row(col, row);
    weir_buf_byte(buf, '{');
    for (uint32_t i = 0; i < col->nkids; i++) {
        const struct weir_field *field = &col->type->fields[i];
        const struct weir_col *kid = &col->kids[i];

        if (!w->nulls && (kid->type->kind == WEIR_VOID || weir_arg_null(kid, row)))
            continue;
        if (any)
            weir_buf_byte(buf, ',');
        string_write(w, field->name, field->name_len, buf);
        weir_buf_byte(buf, ':');
        value_write(w, kid, row, buf);
        any = true;
    }
    weir_buf_byte(buf, '}');
}

static void
list_write(const struct to_json *w, const struct weir_col *col, uint32_t row, struct weir_buf *buf)
{
    struct weir_list list = weir_arg(col, struct weir_list, row);
    const struct weir_col *child = &col->kids[0];
    bool map = col->type->kind == WEIR_MAP;

    weir_buf_byte(buf, map ? '{' : '[');
    for (uint64_t at = list.at; at < list.at + list.n && !buf->failed; at++) {
        if (at > list.at)
            weir_buf_byte(buf, ',');
        if (map) {
            key_write(w, &child->kids[0], (uint32_t)at, buf);
            weir_buf_byte(buf, ':');
        }
        value_write(w, map ? &child->kids[1] : child, (uint32_t)at, buf);
    }
    weir_buf_byte(buf, map ? '}' : ']');
}

/* The depth is the type's. */
static void
value_write(const struct to_json *w, const struct weir_col *col, uint32_t row, struct weir_buf *buf)
{
    if (col->type->kind == WEIR_VOID || weir_arg_null(col, row))
        weir_buf_str(buf, "null");
    else if (col->type->kind == WEIR_STRUCT)
        struct_write(w, col, row, buf);
    else if (col->type->kind == WEIR_ARRAY || col->type->kind == WEIR_MAP)
        list_write(w, col, row, buf);
    else
        scalar_write(w, col, row, buf);
}

static weir_rc
to_json_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
               struct weir_error *err)
{
    struct fn_row r = {.call = call, .args = args, .out = out, .err = err};
    struct weir_buf buf;
    weir_rc rc = WEIR_OK;

    weir_buf_init(&buf, TEXT_MAX, weir_mem_quota(call->mem));
    for (; r.row < rows; r.row++) {
        if (row_is_null(&r, 0)) {
            weir_col_set_null(out, r.row);
            continue;
        }
        weir_buf_reset(&buf);
        value_write(call->data, &args[0], r.row, &buf);
        WEIR_GO(weir_buf_check(&buf, err));
        WEIR_GO(row_put(&r, buf.data, buf.len));
    }
out:
    weir_buf_fini(&buf);
    return rc;
}

/* ---- Binding */

struct write_options {
    bool ignore_nulls, pretty, ascii;
    const char *date_format, *timestamp_format, *ntz_format, *time_zone;
};
#define AT(member) offsetof(struct write_options, member)

static const struct weir_option write_option_table[] = {
    {"ignoreNullFields", WEIR_OPT_BOOL, WEIR_HONOURED, AT(ignore_nulls), "true", NULL,
     "Leaves out fields that are null."},
    {"writeNonAsciiCharacterAsCodePoint", WEIR_OPT_BOOL, WEIR_HONOURED, AT(ascii), "false", NULL,
     "Writes characters beyond ASCII as \\uXXXX."},
    {"pretty", WEIR_OPT_BOOL, WEIR_HONOURED, AT(pretty), "false", NULL, "Only false."},
    {"dateFormat", WEIR_OPT_TEXT, WEIR_HONOURED, AT(date_format), NULL, NULL, "Pattern of dates."},
    {"timestampFormat", WEIR_OPT_TEXT, WEIR_HONOURED, AT(timestamp_format), NULL, NULL,
     "Pattern of timestamps; unset: yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]."},
    {"timestampNTZFormat", WEIR_OPT_TEXT, WEIR_HONOURED, AT(ntz_format), NULL, NULL,
     "Pattern of timestamps without a zone; unset: yyyy-MM-dd'T'HH:mm:ss[.SSS]."},
    {"timeZone", WEIR_OPT_TEXT, WEIR_HONOURED, AT(time_zone), NULL, NULL,
     "Zone of timestamps; unset: the session's."},
    WEIR_OPTION_END,
};

/* lacks: letters of what the values do not have, such as a zone. */
static weir_rc
format_compile(struct weir_resolve *r, const char *option, const char *text, const char *lacks,
               const char *zone_name, struct weir_pattern **out, struct weir_error *err)
{
    bool quoted = false;

    for (const char *p = text; p != NULL && *p != '\0'; p++) {
        quoted ^= *p == '\'';
        if (!quoted && strchr(lacks, *p) != NULL)
            return weir_fail(err, WEIR_USAGE, "to_json: option %s: its values have nothing for the letter %c",
                             option, *p);
    }
    if (text == NULL ||
        weir_pattern_compile_print(text, strlen(text), zone_name, r->mem, out, err) == WEIR_OK)
        return WEIR_OK;
    return weir_error_context(err, "to_json: option %s", option);
}

static weir_rc
write_options_read(struct weir_resolve *r, struct to_json *w, struct weir_error *err)
{
    const struct weir_option *tables[] = {write_option_table};
    struct weir_settings set = {0};
    struct write_options opt = {0};
    const char *zone_name;

    WEIR_TRY(weir_call_options(r, 1, &set, err));
    WEIR_TRY(weir_options_apply(write_option_table, &opt, &set, err));
    WEIR_TRY(weir_options_unknown(tables, 1, &set, err));
    if (opt.pretty)
        return weir_fail(err, WEIR_UNSUPPORTED, "to_json: option pretty is not there");
    w->nulls = !opt.ignore_nulls;
    w->ascii = opt.ascii;
    w->zone = opt.time_zone == NULL ? r->set->zone : weir_zone_find(opt.time_zone, strlen(opt.time_zone));
    if (w->zone == NULL)
        return weir_fail(err, WEIR_USAGE, "to_json: option timeZone: %s is no time zone", opt.time_zone);
    zone_name = opt.time_zone == NULL ? r->set->zone_name : opt.time_zone;
    WEIR_TRY(
        format_compile(r, "dateFormat", opt.date_format, "VzOXxZHhKkmsSaAnNB", zone_name, &w->date, err));
    WEIR_TRY(format_compile(r, "timestampFormat", opt.timestamp_format, "", zone_name, &w->timestamp, err));
    return format_compile(r, "timestampNTZFormat", opt.ntz_format, "VzOXxZ", zone_name, &w->ntz, err);
}

/* What has no text is refused, wherever it is in the type. */
static weir_rc
type_check(const struct weir_resolve *r, const struct weir_type *type, struct weir_error *err)
{
    if (type->kind == WEIR_VARIANT)
        return weir_fail(err, WEIR_UNSUPPORTED, "to_json of a variant");
    if (type->kind == WEIR_MAP && (weir_kind_is_nested(weir_map_key(type)->type->kind) ||
                                   weir_map_key(type)->type->kind == WEIR_BINARY))
        return weir_fail(err, WEIR_UNSUPPORTED, "to_json of a map whose keys are %s",
                         weir_kind_name(weir_map_key(type)->type->kind));
    for (uint32_t i = 0; i < type->nfields; i++)
        WEIR_TRY(type_check(r, type->fields[i].type, err));
    return WEIR_OK;
}

static weir_rc
to_json_resolve(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = r->node->kids[0]->type;
    struct to_json *w = weir_mem_zalloc(r->mem, sizeof(*w));

    if (w == NULL)
        return weir_mem_fail(r->mem, sizeof(*w), err);
    if (type->kind != WEIR_STRUCT && type->kind != WEIR_ARRAY && type->kind != WEIR_MAP)
        return weir_resolve_refuse(r, 0, "a struct, an array or a map", err);
    WEIR_TRY(type_check(r, type, err));
    WEIR_TRY(write_options_read(r, w, err));
    r->node->nkids = 1;
    r->type = &weir_type_string;
    r->nullable = r->node->kids[0]->nullable;
    r->plan.kernel = to_json_kernel;
    r->plan.data = w;
    r->plan.null_in_null_out = true;
    return WEIR_OK;
}

const struct weir_function weir_functions_json_write[] = {
    {"to_json", WEIR_FN_SCALAR, 1, 2, to_json_resolve, "the option pretty and variants are refused", NULL},
    {0},
};
