/* For tests of functions: what Spark answered (tests/golden/sql/values.json) against weir's kernels, called
 * directly.
 *
 * A case's arguments become columns by weir's JSON decoder. Its kernel runs over 1, 7 and 2,048 rows: flat,
 * flat with nulls in between, and constant; constants once as literals, once not. What DuckDB computes is
 * compared by its type only; what needs a cast that the decoder does not do is passed over, and counted. */
#ifndef TESTS_FN_VALUES_H
#define TESTS_FN_VALUES_H

#include "json_help.h"

#include <math.h>

#include "sql/coerce.h"
#include "sql/value.h"

enum { VALUES_ARGS = 8, VALUES_ROWS = 2048 };

struct values_arg {
    const struct weir_type *type;
    const char *json;
    bool literal;
    struct weir_page *page; /* one row, of the type that the plan wants */
};

struct values_case {
    const char *section, *call, *function;
    bool ansi;
    double slack; /* how far a double may be off, in parts of itself */
    struct weir_mem *mem;
    struct weir_sql_settings set;
    struct values_arg arg[VALUES_ARGS];
    uint32_t nargs;
    const struct weir_type *type; /* of Spark's answer */
    const char *json, *error;     /* one of them */
};

struct values_count {
    int compared, texts, passed_over, wrong;
};

static const struct weir_type *
values_schema(const struct values_case *c, const struct weir_type *type)
{
    const struct weir_field field = {.name = "v", .name_len = 1, .nullable = true, .type = type};

    return weir_type_struct(c->mem, &field, 1);
}

/* Room for values of that type. */
static struct weir_page *
values_blank(const struct values_case *c, const struct weir_type *type)
{
    struct weir_page *page = NULL;
    struct weir_error err = {0};

    assert_int_equal(weir_page_new(values_schema(c, type), NULL, &page, &err), WEIR_OK);
    return page;
}

/* One value of that type out of JSON; a JSON null too. NULL: it does not read so. */
static struct weir_page *
values_page(const struct values_case *c, const struct weir_type *type, const char *json)
{
    struct weir_page *page = values_blank(c, type);
    const char *text = weir_mem_printf(c->mem, "{\"v\":%s}%*s", json, 64, "");
    struct weir_format_env env = {
        .zone = c->set.zone, .case_sensitive = true, .max_record_bytes = WEIR_RECORD_MAX, .mem = c->mem};
    int32_t source = 1;
    struct weir_decode_env decode = {
        .schema = page->schema, .source = &source, .rescued = -1, .corrupt = -1, .message = true};
    struct weir_records in = {.at = text, .end = text + strlen(json) + 6, .first = true, .last = true};
    struct weir_settings none = {0};
    struct json_options *opt = weir_mem_zalloc(c->mem, sizeof(*opt));
    struct weir_error err = {0};
    void *dec = NULL;

    if (strcmp(json, "null") == 0) {
        weir_value_null(&page->cols[0], 0);
        page->rows = 1;
        return page;
    }
    assert_int_equal(weir_options_apply(weir_json_option_table, opt, &none, &err), WEIR_OK);
    assert_int_equal(weir_json_prepare(opt, &env, &err), WEIR_OK);
    if (weir_json_decoder_new(opt, &decode, &dec, &err) != WEIR_OK ||
        weir_json_decode(dec, &in, page, &err) != WEIR_OK || page->rows != 1 ||
        weir_col_is_null(&page->cols[0], 0)) {
        weir_page_free(page);
        page = NULL;
    }
    weir_json_decoder_free(dec);
    return page;
}

/* The same; a JSON string may stand for any scalar, as a cast would read it. */
static struct weir_page *values_interval(const struct values_case *c, const struct values_arg *arg);

static struct weir_page *
values_page_cast(const struct values_case *c, const struct values_arg *arg, const struct weir_type *type)
{
    json_t *string;
    struct weir_page *page;

    if (weir_type_is_interval(type))
        return values_interval(c, arg);
    if (arg->type->kind != WEIR_STRING || type->kind == WEIR_STRING || strcmp(arg->json, "null") == 0)
        return values_page(c, type, arg->json);
    page = values_blank(c, type);
    string = json_loads(arg->json, JSON_DECODE_ANY, NULL);
    if (!weir_slot_parse(&page->cols[0], 0, json_string_value(string), json_string_length(string),
                         c->set.zone, c->mem)) {
        weir_page_free(page);
        page = NULL;
    }
    json_decref(string);
    return page;
}

/* "INTERVAL '-1' MONTH", which Spark prints for an interval, as a column of one. */
static struct weir_page *
values_interval(const struct values_case *c, const struct values_arg *arg)
{
    struct weir_page *page = values_blank(c, arg->type);
    struct weir_col *kid = &page->cols[0].kids[0];
    const char *unit = strrchr(arg->json, ' ') + 1;
    long n = strtol(strchr(arg->json, '\'') + 1, NULL, 10);

    if (kid->type->kind == WEIR_INT)
        ((int32_t *)kid->data)[0] = (int32_t)n * (*unit == 'Y' ? 12 : 1);
    else
        ((int64_t *)kid->data)[0] = n * INT64_C(3600000000) * (*unit == 'D' ? 24 : 1);
    return page;
}

static void
values_node(struct values_case *c, bool literals, struct weir_node *node, struct weir_node **kids)
{
    *node = (struct weir_node){.kind = WEIR_NODE_CALL, .text = c->function, .nkids = c->nargs, .kids = kids};
    for (uint32_t i = 0; i < c->nargs; i++) {
        const struct values_arg *arg = &c->arg[i];
        json_t *value = json_loads(arg->json, JSON_DECODE_ANY, NULL);

        kids[i] = weir_mem_zalloc(c->mem, sizeof(**kids));
        kids[i]->kind = WEIR_NODE_NAME;
        kids[i]->type = arg->type;
        kids[i]->nullable = true;
        if (literals && (arg->literal || strcmp(arg->json, "null") == 0)) {
            kids[i]->kind = WEIR_NODE_LITERAL;
            kids[i]->text =
                json_is_string(value) ? weir_mem_strdup(c->mem, json_string_value(value)) : arg->json;
            kids[i]->text_len = (uint32_t)strlen(kids[i]->text);
        }
        json_decref(value);
    }
}

static bool
values_same(const struct values_case *c, const struct weir_col *a, uint32_t i, const struct weir_col *b,
            uint32_t j)
{
    if (weir_value_equal(a, i, b, j))
        return true;
    if (c->slack > 0.0 && a->type->kind == WEIR_DOUBLE && !weir_col_is_null(a, i) &&
        !weir_col_is_null(b, j)) {
        double x = weir_arg(a, double, i), y = weir_arg(b, double, j);

        return fabs(x - y) <= fabs(y) * c->slack;
    }
    return false;
}

static void
values_say(const struct values_case *c, const char *what, const struct weir_col *col, uint32_t row)
{
    struct weir_buf buf = WEIR_BUF(WEIR_MIB);

    if (col != NULL)
        render_slot(col, row, &buf);
    print_message("# %s%s = %s, not %s (%s)\n", c->call, c->ansi ? "" : " (ANSI off)",
                  c->error != NULL ? c->error : c->json, buf.len > 0 ? buf.data : what, what);
    weir_buf_fini(&buf);
}

/* Spark's error classes are weir's; of errors without a class on either side any will do. */
static bool
values_same_error(const struct values_case *c, const char *what)
{
    return c->error != NULL && (c->error[0] < 'A' || c->error[1] > 'Z' || what[0] != '[' ||
                                strncmp(what + 1, c->error, strlen(c->error)) == 0);
}

/* One run of the kernel. 0 right, 1 wrong. */
static int
values_run(const struct values_case *c, struct weir_call *call, weir_kernel *kernel, uint32_t rows,
           bool constant, bool nulls, const struct weir_page *expected)
{
    struct weir_page *args[VALUES_ARGS] = {0}, *out = values_blank(c, call->type);
    struct weir_col cols[VALUES_ARGS];
    struct weir_error err = {0};
    weir_rc rc;
    int wrong = 0;

    rows = rows < out->cap ? rows : out->cap;
    for (uint32_t i = 0; i < call->nargs; i++) {
        args[i] = values_blank(c, c->arg[i].page->cols[0].type);
        rows = rows < args[i]->cap ? rows : args[i]->cap;
        for (uint32_t row = 0; row < (constant ? 1 : rows); row++) {
            if (nulls && row % 3 == 1)
                weir_value_null(&args[i]->cols[0], row);
            else
                assert_int_equal(
                    weir_value_copy(&c->arg[i].page->cols[0], 0, &args[i]->cols[0], row, c->mem, &err),
                    WEIR_OK);
        }
        args[i]->cols[0].form = constant ? WEIR_CONST : WEIR_FLAT;
        cols[i] = args[i]->cols[0];
    }
    rc = kernel(call, cols, rows, &out->cols[0], &err);
    if (c->error != NULL || rc != WEIR_OK) {
        wrong = rc == WEIR_OK || !values_same_error(c, err.what);
        if (nulls && strncmp(err.what, "[NULL_MAP_KEY]", 14) == 0)
            wrong = 0; /* as it should be */
        if (wrong)
            values_say(c, rc == WEIR_OK ? "a value" : err.what, rc == WEIR_OK ? &out->cols[0] : NULL, 0);
    }
    for (uint32_t row = 0; rc == WEIR_OK && wrong == 0 && row < rows; row++) {
        if ((!nulls || row % 3 != 1) && !values_same(c, &out->cols[0], row, &expected->cols[0], 0)) {
            values_say(c, constant ? "constant" : nulls ? "with nulls" : "flat", &out->cols[0], row);
            wrong = 1;
        }
    }
    for (uint32_t i = 0; i < call->nargs; i++)
        weir_page_free(args[i]);
    weir_page_free(out);
    return wrong;
}

/* Resolves and runs all forms. */
static void
values_try(struct values_case *c, bool literals, struct values_count *count)
{
    static const uint32_t sizes[] = {1, 7, VALUES_ROWS};
    const struct weir_function *fn = weir_function_find(c->function);
    struct weir_node *kids[VALUES_ARGS + 1] = {0}, node;
    struct weir_resolve r = {.set = &c->set, .node = &node, .mem = c->mem, .nullable = true};
    struct weir_call call = {.set = &c->set, .mem = weir_mem_new(c->mem, NULL, "call")};
    const struct weir_type *types[VALUES_ARGS];
    struct weir_page *made[VALUES_ARGS] = {0}, *expected = NULL;
    bool passed_over = false;
    struct weir_error err = {0};
    int wrong = 0;
    weir_rc rc;

    if (fn == NULL) {
        print_message("# %s: no such function\n", c->call);
        count->wrong++;
        return;
    }
    values_node(c, literals, &node, kids);
    node.fn = fn;
    rc = fn->resolve(&r, &err);
    if (rc != WEIR_OK) {
        if (c->error == NULL && (literals || rc != WEIR_SCHEMA)) { /* who wants a constant got none */
            values_say(c, err.what, NULL, 0);
            count->wrong++;
        }
        return;
    }
    if (c->error == NULL && !weir_type_same(r.type, c->type)) {
        struct weir_buf buf = WEIR_BUF(4096);

        if (!literals && r.type->kind == WEIR_DECIMAL) { /* a literal's type is as narrow as its digits */
            count->passed_over++;
            return;
        }
        weir_type_print_simple(r.type, &buf);
        values_say(c, buf.data, NULL, 0);
        weir_buf_fini(&buf);
        count->wrong++;
        return;
    }
    if (r.plan.text != NULL) {
        count->texts++;
        return;
    }
    call.nargs = node.nkids;
    call.type = r.type;
    call.arg_types = types;
    call.data = r.plan.data;
    call.try_ = r.plan.try_;
    for (uint32_t i = 0; i < node.nkids; i++) {
        /* resolvers drop constants, and put literals in */
        struct values_arg arg = {.type = node.kids[i]->type,
                                 .json = weir_mem_printf(c->mem, "\"%s\"", node.kids[i]->text)};

        types[i] = r.plan.arg_types != NULL && r.plan.arg_types[i] != NULL ? r.plan.arg_types[i]
                                                                           : node.kids[i]->type;
        for (uint32_t k = 0; k < c->nargs; k++)
            if (kids[k] == node.kids[i])
                arg = c->arg[k];
        made[i] = values_page_cast(c, &arg, types[i]);
        passed_over = passed_over || made[i] == NULL;
    }
    for (uint32_t i = 0; i < node.nkids; i++) {
        weir_page_free(c->arg[i].page);
        c->arg[i].page = made[i];
    }
    if (passed_over) {
        count->passed_over++;
        return;
    }
    for (uint32_t i = 0; r.plan.null_in_null_out && i < node.nkids; i++) {
        if (weir_col_is_null(&c->arg[i].page->cols[0], 0)) {
            if (c->error != NULL || strcmp(c->json, "null") != 0)
                fail_msg("%s: not null for a null", c->call);
            return;
        }
    }
    if (r.plan.prepare != NULL) {
        const struct weir_col *constants[VALUES_ARGS] = {0};

        for (uint32_t i = 0; i < node.nkids; i++)
            constants[i] = node.kids[i]->kind == WEIR_NODE_LITERAL ? &c->arg[i].page->cols[0] : NULL;
        assert_int_equal(r.plan.prepare(&call, constants, c->mem, &call.data, &err), WEIR_OK);
    }
    if (c->error == NULL) {
        expected = values_page(c, r.type, c->json);
        if (expected == NULL) { /* arrays of nulls, and the like */
            count->passed_over++;
            return;
        }
    }
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]) && wrong == 0; s++)
        for (int form = 0; form < (r.plan.null_in_null_out ? 2 : 3) && wrong == 0; form++)
            wrong = values_run(c, &call, r.plan.kernel, sizes[s], form == 1, form == 2, expected);
    count->compared++;
    count->wrong += wrong;
    weir_page_free(expected);
}

static const struct weir_type *
values_type(struct weir_mem *mem, const json_t *json)
{
    const struct weir_type *type = NULL;
    struct weir_error err = {0};
    char *text = json_dumps(json, JSON_ENCODE_ANY);

    if (strncmp(text, "\"interval ", 10) == 0)
        type = strstr(text, "month") != NULL || strstr(text, "year") != NULL ? &weir_type_interval_month
                                                                             : &weir_type_interval_day;
    if (type != NULL) {
        free(text);
        return type;
    }
    if (weir_type_parse_json(text, strlen(text), mem, &type, &err) != WEIR_OK)
        fail_msg("%s: %s", text, err.what);
    free(text);
    return type;
}

static void
values_case_run(const json_t *json, bool ansi, struct values_count *count)
{
    const json_t *answer = json_object_get(json, "answer"), *value;
    const char *zone = json_string_value(json_object_get(json, "zone"));
    struct values_case c = {.mem = weir_mem_new(NULL, NULL, "case"), .ansi = ansi};
    size_t i;

    if (!ansi && json_object_get(json, "off") != NULL)
        answer = json_object_get(json, "off");
    zone = zone != NULL ? zone : "UTC";
    c.set = (struct weir_sql_settings){
        .zone = weir_zone_find(zone, strlen(zone)), .zone_name = zone, .ansi = ansi};
    c.call = json_string_value(json_object_get(json, "call"));
    c.function = json_string_value(json_object_get(json, "function"));
    c.slack = json_object_get(json, "about") != NULL ? 4e-16 : 0.0;
    c.error = json_string_value(json_object_get(answer, "error"));
    if (c.error == NULL) {
        c.type = values_type(c.mem, json_object_get(answer, "type"));
        c.json = json_string_value(json_object_get(answer, "value"));
    }
    json_array_foreach(json_object_get(json, "arguments"), i, value)
    {
        assert_true(i < VALUES_ARGS);
        c.arg[i].type = values_type(c.mem, json_object_get(value, "type"));
        c.arg[i].json = json_string_value(json_object_get(value, "value"));
        c.arg[i].literal = json_is_true(json_object_get(value, "literal"));
        c.nargs++;
    }
    for (int literals = 1; literals >= 0; literals--) {
        values_try(&c, literals, count);
        for (i = 0; i < VALUES_ARGS; i++) {
            weir_page_free(c.arg[i].page);
            c.arg[i].page = NULL;
        }
    }
    weir_mem_free(c.mem);
}

/* The calls in which weir is known to differ. */
static bool
values_differs(const char *call)
{
    static const char *const calls[] = {
        /* names of zones are not printed */
        "date_format(TIMESTAMP'2021-05-06 14:05:09.012345', 'zzzz')",
        "date_format(TIMESTAMP'2021-03-14 12:00:00', 'z')",
        "date_format(DATE'2021-01-14', 'z')",
        "date_format(TIMESTAMP'1880-01-01 10:11:12', 'z')",
        /* NULL is no array */
        "map_from_arrays(NULL, array(1, NULL))",
        "map_from_arrays(NULL, array(1))",
        /* zeros of either sign are one value */
        "array_distinct(array(double('NaN'), double('NaN'), 0.0D, -0.0D))",
        /* an error, where Spark's numbers wrap around */
        "from_unixtime(9223372036854775807L)",
        "from_unixtime(-9223372036854775808L)",
        "date_add(DATE'2020-01-01', 2147483647)",
        /* read as a text, where Spark breaks */
        "to_timestamp(2016, 'yyyy')",
        "to_timestamp(5, 'yyyy')",
        /* refused in both modes, where Spark answers null with ANSI off */
        "to_date(1)",
        /* null, where Spark refuses an untyped NULL */
        "element_at(array(1, 2, NULL), NULL)",
        "element_at(CAST(NULL AS ARRAY<INT>), NULL)",
        "array_insert(array(1, 2, 3), NULL, 9)",
        "array_insert(array(1, 2, 3), NULL, NULL)",
        "array_insert(CAST(NULL AS ARRAY<INT>), NULL, 9)",
        "array_insert(CAST(NULL AS ARRAY<INT>), NULL, NULL)",
    };

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (strcmp(calls[i], call) == 0)
            return true;
    return false;
}

/* All cases of a section. */
static void
values_section(const char *section)
{
    struct values_count all = {0};
    char path[1024];
    json_error_t error;
    json_t *doc, *c;
    size_t i;

    snprintf(path, sizeof(path), "%s/sql/values.json", getenv("WEIR_GOLDEN"));
    doc = json_load_file(path, 0, &error);
    if (doc == NULL)
        fail_msg("%s:%d: %s", path, error.line, error.text);
    json_array_foreach(doc, i, c)
    {
        const char *call = json_string_value(json_object_get(c, "call"));

        if (strcmp(json_string_value(json_object_get(c, "section")), section) != 0 || values_differs(call))
            continue;
        values_case_run(c, true, &all);
        values_case_run(c, false, &all);
    }
    json_decref(doc);
    print_message("# %s: %d compared, %d by DuckDB, %d need a cast, %d wrong\n", section, all.compared,
                  all.texts, all.passed_over, all.wrong);
    assert_true(all.compared > 0);
    assert_int_equal(all.wrong, 0);
}

#endif
