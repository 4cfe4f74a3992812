/* File statistics as JSON. delta/stats.h.
 *
 * 1. What is written are bounds: a value that cannot be given exactly is widened or left out, never narrowed.
 *    One exception is the protocol's own: timestamps are cut down to milliseconds, and readers know it.
 * 2. Leaves are counted over the table's schema, nested ones each, arrays and maps as one, whether or not
 *    their type has an order.
 * 3. Booleans have bounds, which Spark neither writes nor looks at: where they are missing, delta-rs takes
 *    each comparison with the column for false, and a filter on it loses rows.
 * Follows Delta's StatisticsCollection. Pure functions. */
#include "delta/stats.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "column/text.h"

typedef enum stats_part { STATS_MIN, STATS_MAX, STATS_NULLS } stats_part;

struct stats_walk {
    const struct weir_metadata *meta;
    const struct weir_filestats *stats;
    struct weir_buf *buf;
    stats_part part;
    int64_t left;      /* leaves that may still be taken; INT64_MAX: all */
    const char *named; /* delta.dataSkippingStatsColumns, or NULL */
};

enum { STATS_DEPTH = 32, STATS_COLUMNS_DEFAULT = 32 };

struct stats_name { /* where the walk is: names from the top */
    const char *part[STATS_DEPTH];
    uint32_t depth;
};

/* The next name of a comma list of dotted names with backticks: its parts into name. false: the end, or not
 * one. */
static bool
names_next(const char **at, char *text, size_t size, struct stats_name *name, bool *bad)
{
    const char *p = *at;
    size_t n = 0;

    name->depth = 0;
    *bad = false;
    while (*p == ' ' || *p == ',')
        p++;
    if (*p == '\0')
        return false;
    do {
        const char *stop = ".,";

        if (name->depth == STATS_DEPTH)
            return *bad = true;
        name->part[name->depth++] = text + n;
        if (*p == '`') {
            stop = "`";
            p++;
        }
        while (*p != '\0' && strchr(stop, *p) == NULL && n + 1 < size)
            text[n++] = *p++;
        while (*stop == '.' && n > 0 && text[n - 1] == ' ')
            n--;
        text[n++] = '\0';
        if (n >= size || (*stop == '`' && *p != '`'))
            return *bad = true;
        if (*stop == '`')
            p++;
    } while (*p == '.' && *++p != '\0');
    while (*p == ' ')
        p++;
    *bad = *p != '\0' && *p != ',';
    *at = p;
    return true;
}

static bool
name_is_nocase(const char *a, const char *b)
{
    return weir_slice_is_nocase(weir_slice(a, strlen(a)), b);
}

/* Whether the list names this column or one above it. */
static bool
names_hold(const char *list, const struct stats_name *at)
{
    char text[4096];
    struct stats_name name;
    bool bad;

    while (names_next(&list, text, sizeof(text), &name, &bad) && !bad) {
        uint32_t i = 0;

        while (i < name.depth && i < at->depth && name_is_nocase(name.part[i], at->part[i]))
            i++;
        if (i == name.depth)
            return true;
    }
    return false;
}

static void
print_text(struct weir_buf *buf, const char *t, size_t n)
{
    weir_buf_json(buf, t, n);
}

static void
print_real(struct weir_buf *buf, double v, bool is_float)
{
    char text[32];

    if (isnan(v) || isinf(v))
        weir_buf_str(buf, isnan(v) ? "\"NaN\"" : v > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    else if (is_float)
        weir_buf_add(buf, text, weir_float_print((float)v, text));
    else
        weir_buf_add(buf, text, weir_double_print(v, text));
}

/* A timestamp cut down to milliseconds. */
static void
print_time(struct weir_buf *buf, int64_t us, const char *suffix)
{
    int64_t ms = us / 1000 - (us % 1000 < 0);
    char text[64];
    size_t n;

    /* Below the first millisecond that int64 micros can hold: the bound may only go down to what is there. */
    n = weir_timestamp_print(ms < INT64_MIN / 1000 ? us : ms * 1000, 3, 'T', suffix, text);
    print_text(buf, text, n);
}

/* The bound as a JSON value; false: there is none to give. */
static bool
stats_bound_there(const struct weir_colstats *c, stats_part part)
{
    switch (c->field->type->kind) {
    case WEIR_STRING: return c->has_minmax && (part == STATS_MIN || c->has_max_text);
    case WEIR_BOOLEAN:
    case WEIR_BYTE:
    case WEIR_SHORT:
    case WEIR_INT:
    case WEIR_LONG:
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
    case WEIR_DATE:
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
    case WEIR_DECIMAL: return c->has_minmax;
    default: return false;
    }
}

static void
stats_bound(const struct weir_colstats *c, stats_part part, struct weir_buf *buf)
{
    const struct weir_type *type = c->field->type;
    bool min = part == STATS_MIN;
    char text[64];

    switch (type->kind) {
    case WEIR_STRING:
        print_text(buf, min ? c->min_text : c->max_text, min ? c->min_len : c->max_len);
        break;
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        print_real(buf, min ? c->min.d : c->max.d, type->kind == WEIR_FLOAT);
        break;
    case WEIR_DECIMAL:
        weir_buf_add(buf, text, weir_decimal_print(min ? c->min.dec : c->max.dec, type->scale, text));
        break;
    case WEIR_DATE:
        print_text(buf, text, weir_date_print((int32_t)(min ? c->min.i : c->max.i), text));
        break;
    case WEIR_BOOLEAN: weir_buf_str(buf, (min ? c->min.i : c->max.i) != 0 ? "true" : "false"); break;
    case WEIR_TIMESTAMP: print_time(buf, min ? c->min.i : c->max.i, "Z"); break;
    case WEIR_TIMESTAMP_NTZ: print_time(buf, min ? c->min.i : c->max.i, ""); break;
    default: weir_buf_printf(buf, "%" PRId64, min ? c->min.i : c->max.i); break;
    }
}

static const struct weir_colstats *
stats_find(const struct weir_colstats *cols, uint32_t n, const struct weir_field *field)
{
    for (uint32_t i = 0; i < n; i++) {
        if (cols[i].field->name_len == field->name_len && memcmp(cols[i].field->name, field->name, field->name_len) == 0)
            return &cols[i];
    }
    return NULL;
}

static bool stats_struct(struct stats_walk *w, const struct weir_type *type, const struct weir_colstats *cols,
                         uint32_t ncols, struct stats_name *at);

/* One leaf: whether anything was written for it. */
static bool
stats_leaf(struct stats_walk *w, const struct weir_field *f, const struct weir_colstats *c, bool first,
           const struct stats_name *at)
{
    bool there;

    if (w->named != NULL) {
        if (!names_hold(w->named, at))
            return false;
    } else if (w->left != INT64_MAX && w->left-- <= 0) {
        return false;
    }
    there = w->part == STATS_NULLS || (c != NULL && stats_bound_there(c, w->part));
    if (!there)
        return false;
    if (!first)
        weir_buf_byte(w->buf, ',');
    print_text(w->buf, f->name, f->name_len);
    weir_buf_byte(w->buf, ':');
    if (w->part == STATS_NULLS)
        weir_buf_printf(w->buf, "%" PRIu64, c != NULL ? c->nulls : w->stats->rows);
    else
        stats_bound(c, w->part, w->buf);
    return true;
}

/* One field: a leaf, or "name":{…}. Whether anything was written. */
static bool
stats_field(struct stats_walk *w, const struct weir_field *f, const struct weir_colstats *c, bool first,
            struct stats_name *at)
{
    size_t start = w->buf->len;
    int64_t left = w->left;
    bool any;

    if (f->type->kind != WEIR_STRUCT || at->depth == STATS_DEPTH)
        return stats_leaf(w, f, c, first, at);
    if (!first)
        weir_buf_byte(w->buf, ',');
    print_text(w->buf, f->name, f->name_len);
    weir_buf_byte(w->buf, ':');
    any = stats_struct(w, f->type, c != NULL ? c->kids : NULL, c != NULL ? c->nkids : 0, at);
    /* A struct with indexed leaves stays as {} when none has a bound, as in Spark; one beyond the limit goes.
     * */
    if (!any && (w->named != NULL || left <= 0) && !w->buf->failed) {
        w->buf->len = start;
        return false;
    }
    return true;
}

static bool
stats_struct(struct stats_walk *w, const struct weir_type *type, const struct weir_colstats *cols, uint32_t ncols,
             struct stats_name *at)
{
    bool first = true;

    weir_buf_byte(w->buf, '{');
    for (uint32_t i = 0; i < type->nfields; i++) {
        const struct weir_field *f = &type->fields[i];

        if (at->depth == 0 && weir_metadata_partition(w->meta, f->name) >= 0)
            continue;
        at->part[at->depth++] = f->name;
        if (stats_field(w, f, stats_find(cols, ncols, f), first, at))
            first = false;
        at->depth--;
    }
    weir_buf_byte(w->buf, '}');
    return !first;
}

static int64_t
stats_limit(const struct weir_metadata *meta)
{
    const char *text = weir_metadata_conf(meta, "delta.dataSkippingNumIndexedCols");
    int64_t n;

    if (text == NULL || !weir_parse_int(weir_slice(text, strlen(text)), &n))
        return STATS_COLUMNS_DEFAULT;
    return n < 0 ? INT64_MAX : n;
}

weir_rc
weir_stats_check(const struct weir_metadata *meta, struct weir_error *err)
{
    const char *list = weir_metadata_conf(meta, "delta.dataSkippingStatsColumns"), *at = list;
    char text[4096];
    struct stats_name name;
    bool bad;

    while (list != NULL && names_next(&at, text, sizeof(text), &name, &bad)) {
        const struct weir_type *type = meta->schema;

        for (uint32_t i = 0; i < name.depth && !bad; i++) {
            int k = type->kind == WEIR_STRUCT ? weir_field_find(type, name.part[i], strlen(name.part[i]), false) : -1;

            bad = k < 0;
            type = bad ? type : type->fields[k].type;
        }
        if (bad)
            return weir_fail(err, WEIR_USAGE, "delta.dataSkippingStatsColumns (%s) names a column that is not there",
                             list);
    }
    return WEIR_OK;
}

weir_rc
weir_stats_print(const struct weir_metadata *meta, const struct weir_filestats *stats, bool tight,
                 struct weir_buf *buf, struct weir_error *err)
{
    static const char *const parts[] = {"minValues", "maxValues", "nullCount"};
    int64_t limit = stats_limit(meta);
    const char *named = weir_metadata_conf(meta, "delta.dataSkippingStatsColumns");

    weir_buf_printf(buf, "{\"numRecords\":%" PRIu64, stats->rows);
    for (int part = STATS_MIN; part <= STATS_NULLS && (limit != 0 || named != NULL); part++) {
        struct stats_walk w = {meta, stats, buf, (stats_part)part, limit, named};
        struct stats_name at = {.depth = 0};

        weir_buf_printf(buf, ",\"%s\":", parts[part]);
        stats_struct(&w, meta->schema, stats->cols, stats->ncols, &at);
    }
    if (tight)
        weir_buf_str(buf, ",\"tightBounds\":true");
    weir_buf_byte(buf, '}');
    return weir_buf_check(buf, err);
}

/* --- as a struct ---------------------------------------------------------------------------------------- */

struct stats_types { /* of the same columns: bounds, and counts */
    struct weir_field *bounds, *counts;
    uint32_t nbounds, ncounts;
};

static bool
stats_has_bounds(weir_kind k)
{
    return !weir_kind_is_nested(k) && k != WEIR_BOOLEAN && k != WEIR_BINARY && k != WEIR_VOID;
}

static weir_rc
types_struct(struct weir_mem *mem, const struct weir_field *fields, uint32_t n, const struct weir_type **out,
             struct weir_error *err)
{
    *out = n > 0 ? weir_type_struct(mem, fields, n) : NULL;
    return n > 0 && *out == NULL ? weir_mem_fail(mem, sizeof(**out), err) : WEIR_OK;
}

static weir_rc types_walk(struct stats_walk *w, const struct weir_type *logical, const struct weir_type *physical,
                          struct stats_name *at, struct weir_mem *mem, struct stats_types *out, struct weir_error *err);

static void
types_add(struct weir_field *fields, uint32_t *n, const struct weir_field *named, const struct weir_type *type)
{
    if (type != NULL)
        fields[(*n)++] = (struct weir_field){named->name, named->name_len, true, type, NULL};
}

static weir_rc
types_field(struct stats_walk *w, const struct weir_field *logical, const struct weir_field *physical,
            struct stats_name *at, struct weir_mem *mem, struct stats_types *out, struct weir_error *err)
{
    const struct weir_type *type = physical->type, *bounds, *counts;
    struct stats_types below;

    if (type->kind == WEIR_STRUCT && at->depth < STATS_DEPTH) {
        WEIR_TRY(types_walk(w, logical->type, type, at, mem, &below, err));
        WEIR_TRY(types_struct(mem, below.bounds, below.nbounds, &bounds, err));
        WEIR_TRY(types_struct(mem, below.counts, below.ncounts, &counts, err));
        types_add(out->bounds, &out->nbounds, physical, bounds);
        types_add(out->counts, &out->ncounts, physical, counts);
        return WEIR_OK;
    }
    if (type->kind == WEIR_VOID || (w->named != NULL ? !names_hold(w->named, at) : w->left != INT64_MAX && w->left-- <= 0))
        return WEIR_OK;
    types_add(out->bounds, &out->nbounds, physical, stats_has_bounds(type->kind) ? type : NULL);
    types_add(out->counts, &out->ncounts, physical, &weir_type_long);
    return WEIR_OK;
}

static weir_rc
types_walk(struct stats_walk *w, const struct weir_type *logical, const struct weir_type *physical,
           struct stats_name *at, struct weir_mem *mem, struct stats_types *out, struct weir_error *err)
{
    weir_rc rc = WEIR_OK;

    *out = (struct stats_types){0};
    WEIR_NEW(out->bounds, mem, (physical->nfields + 1) * sizeof(*out->bounds));
    WEIR_NEW(out->counts, mem, (physical->nfields + 1) * sizeof(*out->counts));
    for (uint32_t i = 0; i < physical->nfields; i++) {
        if (at->depth == 0 && weir_metadata_partition(w->meta, logical->fields[i].name) >= 0)
            continue;
        at->part[at->depth++] = logical->fields[i].name;
        WEIR_GO(types_field(w, &logical->fields[i], &physical->fields[i], at, mem, out, err));
        at->depth--;
    }
out:
    return rc;
}

weir_rc
weir_stats_schema(const struct weir_metadata *meta, const struct weir_type *physical, bool tight, struct weir_mem *mem,
                  const struct weir_type **out, struct weir_error *err)
{
    struct stats_walk w = {.meta = meta, .left = stats_limit(meta),
                           .named = weir_metadata_conf(meta, "delta.dataSkippingStatsColumns")};
    struct weir_field fields[5];
    struct stats_name at = {.depth = 0};
    const struct weir_type *bounds, *counts;
    struct stats_types types;
    uint32_t n = 0;

    WEIR_TRY(types_walk(&w, meta->schema, physical, &at, mem, &types, err));
    WEIR_TRY(types_struct(mem, types.bounds, types.nbounds, &bounds, err));
    WEIR_TRY(types_struct(mem, types.counts, types.ncounts, &counts, err));
    fields[n++] = (struct weir_field){"numRecords", 10, true, &weir_type_long, NULL};
    types_add(fields, &n, &(struct weir_field){.name = "minValues", .name_len = 9}, bounds);
    types_add(fields, &n, &(struct weir_field){.name = "maxValues", .name_len = 9}, bounds);
    types_add(fields, &n, &(struct weir_field){.name = "nullCount", .name_len = 9}, counts);
    types_add(fields, &n, &(struct weir_field){.name = "tightBounds", .name_len = 11}, tight ? &weir_type_boolean : NULL);
    return types_struct(mem, fields, n, out, err);
}

/* --- reading -------------------------------------------------------------------------------------------- */

static bool
bound_text(struct weir_col *col, uint32_t row, const char *text, size_t len, struct weir_mem *mem)
{
    if (col->type->kind == WEIR_STRING)
        return len <= UINT32_MAX && weir_str_copy(mem, text, (uint32_t)len, &((struct weir_str *)col->data)[row]);
    return len > 0 && weir_slot_parse(col, row, text, len, &weir_zone_utc, mem);
}

/* A real of the JSON has been through a double: right for reals, and for decimals that fit one. */
static bool
bound_real(struct weir_col *col, uint32_t row, double v, struct weir_mem *mem)
{
    char text[400];

    if (col->type->kind == WEIR_DOUBLE)
        ((double *)col->data)[row] = v;
    else if (col->type->kind == WEIR_FLOAT)
        ((float *)col->data)[row] = (float)v;
    else if (col->type->kind == WEIR_DECIMAL && col->type->precision <= DBL_DIG)
        return bound_text(col, row, text, (size_t)snprintf(text, sizeof(text), "%.*f", col->type->scale, v), mem);
    else
        return false;
    return true;
}

bool
weir_stats_bound(const json_t *v, struct weir_col *col, uint32_t row, struct weir_mem *mem)
{
    char text[32];

    if (!stats_has_bounds(col->type->kind))
        return false;
    if (json_is_string(v))
        return bound_text(col, row, json_string_value(v), json_string_length(v), mem);
    if (json_is_integer(v))
        return bound_text(col, row, text, weir_long_print(json_integer_value(v), text), mem);
    return json_is_real(v) && bound_real(col, row, json_real_value(v), mem);
}
