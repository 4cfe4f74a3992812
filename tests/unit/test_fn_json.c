/* JSON in SQL against Spark's answers; the catalogue of from_json goes through the kernel, too. */
#include "sql_help.h"

#include "sql/bind.h"

static void
json_functions_answer_as_spark(void **state)
{
    static const char *const differs[] = {
        /* refused */
        "to_json\tnamed_struct('d',date'2020-01-02','t',timestamp'2020-01-02 03:04:05.678901','n',"
        "timestamp_ntz'2020-01-02 03:04:05.6')\tmap('timestampFormat','VV z','timeZone','Asia/Shanghai')",
        "to_json\tnamed_struct('a',cast(null as int),'t',timestamp'2020-01-02 03:04:05.678901','s','é😀a\"')\t"
        "map('pretty','true')",
        "schema_of_json\tr'{}'", "schema_of_json\tr'{\"a\":[{}]}'", NULL};

    (void)state;
    calls_check("json", differs);
}

/* ---- The catalogue of from_json */

static struct weir_node *
node_new(struct weir_mem *mem, weir_node_kind kind, const char *text, uint32_t nkids)
{
    struct weir_node *node = weir_mem_zalloc(mem, sizeof(*node));

    node->kind = kind;
    node->text = text;
    node->text_len = text == NULL ? 0 : (uint32_t)strlen(text);
    node->type = &weir_type_string;
    node->nkids = nkids;
    node->kids = weir_mem_zalloc(mem, (nkids + 1) * sizeof(struct weir_node *));
    return node;
}

static struct weir_node *
from_json_node(struct weir_mem *mem, const json_t *c)
{
    const json_t *options = json_object_get(c, "options");
    struct weir_node *call =
        node_new(mem, WEIR_NODE_CALL, "from_json", json_object_size(options) > 0 ? 3 : 2);
    struct weir_node *map;
    const char *key;
    json_t *value;
    uint32_t n = 0;

    call->kids[0] = node_new(mem, WEIR_NODE_NAME, NULL, 0);
    call->kids[1] = node_new(mem, WEIR_NODE_LITERAL, json_string_value(json_object_get(c, "schema")), 0);
    if (call->nkids == 2)
        return call;
    map = call->kids[2] = node_new(mem, WEIR_NODE_CALL, "map", (uint32_t)json_object_size(options) * 2);
    json_object_foreach((json_t *)(uintptr_t)options, key, value)
    {
        map->kids[n++] = node_new(mem, WEIR_NODE_LITERAL, key, 0);
        map->kids[n++] = node_new(mem, WEIR_NODE_LITERAL, json_string_value(value), 0);
    }
    return call;
}

/* The text between two nulls, so that what a row leaves behind is seen in the next. */
static void
text_column(struct weir_page *in, const json_t *input)
{
    struct weir_str *slots = in->cols[0].data;

    weir_col_set_null(&in->cols[0], 0);
    weir_col_set_null(&in->cols[0], 2);
    if (json_is_null(input))
        weir_col_set_null(&in->cols[0], 1);
    else
        assert_true(
            weir_str_copy(in->mem, json_string_value(input), (uint32_t)json_string_length(input), &slots[1]));
    slots[3] = slots[1];
    if (json_is_null(input))
        weir_col_set_null(&in->cols[0], 3);
}

static json_t *
from_json_answer(const json_t *c)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_sql_settings set = {.zone = &weir_zone_utc, .ansi = true, .corrupt_name = "_corrupt_record"};
    struct weir_resolve r = {.set = &set, .node = from_json_node(mem, c), .mem = mem};
    struct weir_field field = {.name = "r", .name_len = 1, .nullable = true, .type = &weir_type_string};
    struct weir_page *in = NULL, *out = NULL;
    struct weir_buf rows[2] = {WEIR_BUF(WEIR_MIB), WEIR_BUF(WEIR_MIB)};
    struct weir_error err = {0};
    struct weir_call call;
    json_t *answer;
    weir_rc rc;

    WEIR_GO(weir_page_new(weir_type_struct(mem, &field, 1), NULL, &in, &err));
    text_column(in, json_object_get(c, "input"));
    WEIR_GO(weir_function_find("from_json")->resolve(&r, &err));
    field.type = r.type;
    WEIR_GO(weir_page_new(weir_type_struct(mem, &field, 1), NULL, &out, &err));
    call = (struct weir_call){.set = &set, .nargs = 1, .type = r.type, .data = r.plan.data, .mem = mem};
    WEIR_GO(r.plan.kernel(&call, in->cols, 4, &out->cols[0], &err));
    assert_true(weir_col_is_null(&out->cols[0], 0) && weir_col_is_null(&out->cols[0], 2));
    render_slot(&out->cols[0], 1, &rows[0]);
    render_slot(&out->cols[0], 3, &rows[1]);
    assert_string_equal(rows[0].data, rows[1].data);
out:
    if (rc != WEIR_OK)
        answer = json_pack("{s:s}", "error", weir_rc_name(rc));
    else
        answer = strcmp(rows[0].data, "null") == 0 ? json_null() : json_stringn(rows[0].data, rows[0].len);
    weir_buf_fini(&rows[0]);
    weir_buf_fini(&rows[1]);
    weir_page_free(in);
    weir_page_free(out);
    weir_mem_free(mem);
    return answer;
}

static json_t *
golden_load(const char *name)
{
    char path[1024];
    json_error_t error;
    json_t *doc;

    snprintf(path, sizeof(path), "%s/spark/%s", getenv("WEIR_GOLDEN"), name);
    if ((doc = json_load_file(path, JSON_ALLOW_NUL, &error)) == NULL)
        fail_msg("%s:%d: %s", path, error.line, error.text);
    return doc;
}

/* The same answers as the decoder's own test has, with the same list of differences. */
static void
the_catalogue_of_from_json_goes_through_the_kernel(void **state)
{
    json_t *doc = golden_load("from_json_cases.json"), *differences = golden_load("differences.json");
    int wrong = 0;
    size_t i;
    json_t *c;

    (void)state;
    json_array_foreach(json_object_get(doc, "cases"), i, c)
    {
        const char *name = json_string_value(json_object_get(c, "name"));
        json_t *listed = json_object_get(json_object_get(differences, "from_json"), name),
               *answer = from_json_answer(c);
        const char *schema = json_string_value(json_object_get(c, "schema"));
        bool nested =
            weir_str_starts(schema, "ARRAY") || weir_str_starts(schema, "MAP"); /* the kernel's own */
        json_t *want =
            listed != NULL && !nested ? json_object_get(listed, "weir") : json_object_get(c, "output");
        bool error = json_object_get(c, "error") != NULL && listed == NULL;

        if (error ? json_object_get(answer, "error") == NULL : !json_equal(want, answer)) {
            char *got = json_dumps(answer, JSON_ENCODE_ANY), *spark = json_dumps(want, JSON_ENCODE_ANY);

            print_error("%s\n  weir:   %s\n  wanted: %s\n", name, got, error ? "an error" : spark);
            free(got);
            free(spark);
            wrong++;
        }
        json_decref(answer);
    }
    assert_int_equal(wrong, 0);
    json_decref(doc);
    json_decref(differences);
}

/* ---- json_tuple, whose answers are rows of columns */

static void
tuple_check(const char *input, const char *wanted)
{
    static const char *const names[] = {"f1", "f2", "f1", NULL};
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_sql_settings set = {.zone = &weir_zone_utc, .ansi = true};
    struct weir_node *node = node_new(mem, WEIR_NODE_CALL, "json_tuple", 5);
    struct weir_resolve r = {.set = &set, .node = node, .mem = mem};
    struct weir_field fields[5], result = {.name = "r", .name_len = 1, .nullable = true};
    struct weir_page *in, *out;
    struct weir_buf text = WEIR_BUF(WEIR_MIB);
    struct weir_error err = {0};
    struct weir_call call;

    for (int i = 0; i < 5; i++) {
        node->kids[i] = node_new(mem, WEIR_NODE_NAME, NULL, 0);
        fields[i] =
            (struct weir_field){.name = "a", .name_len = 1, .nullable = true, .type = &weir_type_string};
    }
    assert_int_equal(weir_page_new(weir_type_struct(mem, fields, 5), NULL, &in, &err), WEIR_OK);
    for (int i = 0; i < 5; i++) {
        const char *value = i == 0 ? input : names[i - 1];

        in->cols[i].form = i == 0 ? WEIR_FLAT : WEIR_CONST;
        if (value == NULL)
            weir_col_set_null(&in->cols[i], 0);
        else
            weir_str_copy(in->mem, value, (uint32_t)strlen(value), (struct weir_str *)in->cols[i].data);
        if (i == 0)
            weir_col_set_null(&in->cols[i], 1);
    }
    assert_int_equal(weir_function_find("json_tuple")->resolve(&r, &err), WEIR_OK);
    assert_int_equal(r.type->nfields, 4);
    result.type = weir_type_array(mem, r.type, false);
    assert_int_equal(weir_page_new(weir_type_struct(mem, &result, 1), NULL, &out, &err), WEIR_OK);
    call = (struct weir_call){.set = &set, .nargs = 5, .type = result.type, .mem = mem};
    assert_int_equal(r.plan.kernel(&call, in->cols, 2, &out->cols[0], &err), WEIR_OK);
    render_slot(&out->cols[0], 0, &text);
    assert_string_equal(text.data, wanted);
    weir_buf_reset(&text);
    render_slot(&out->cols[0], 1, &text);
    assert_string_equal(text.data, "[{\"c0\":null,\"c1\":null,\"c2\":null,\"c3\":null}]");
    weir_buf_fini(&text);
    weir_page_free(in);
    weir_page_free(out);
    weir_mem_free(mem);
}

/* Spark 4.0.0: select json_tuple(t, 'f1', 'f2', 'f1', null). */
static void
json_tuple_has_one_row_for_each_text(void **state)
{
    (void)state;
    tuple_check("{\"f1\":\"value1\",\"f2\":3,\"f5\":5.230}",
                "[{\"c0\":\"value1\",\"c1\":\"3\",\"c2\":\"value1\",\"c3\":null}]");
    tuple_check("{\"f1\":null,\"f2\":[1, 2.50]}",
                "[{\"c0\":null,\"c1\":\"[1,2.5]\",\"c2\":null,\"c3\":null}]");
    tuple_check("{\"f1\":\"a\",\"f1\":\"b\",\"f2\":\"é😀\"}",
                "[{\"c0\":\"b\",\"c1\":\"é😀\",\"c2\":\"b\",\"c3\":null}]");
    tuple_check("{\"f1\":\"a\",\"f2\":{\"x\":\"😀\"}", "[{\"c0\":null,\"c1\":null,\"c2\":null,\"c3\":null}]");
    tuple_check("[1]", "[{\"c0\":null,\"c1\":null,\"c2\":null,\"c3\":null}]");
    tuple_check("", "[{\"c0\":null,\"c1\":null,\"c2\":null,\"c3\":null}]");
    tuple_check(
        "{\"f1\":{\"a\":\"b\"},\"f2\":true} x",
        "[{\"c0\":\"{\\\"a\\\":\\\"b\\\"}\",\"c1\":\"true\",\"c2\":\"{\\\"a\\\":\\\"b\\\"}\",\"c3\":null}]");
    tuple_check("{\"f1\":\"x\",\"f1\":null}", "[{\"c0\":\"x\",\"c1\":null,\"c2\":\"x\",\"c3\":null}]");
}

/* ---- Through the binder, which folds and casts constants before a resolver sees them */

static weir_rc
no_table(void *self, const char *const *parts, uint32_t n, int64_t version, const char *timestamp,
         struct weir_sql_relation *out, struct weir_error *err)
{
    (void)version, (void)timestamp, (void)parts, (void)n;
    *out = (struct weir_sql_relation){.name = "r0"};
    return weir_schema_parse_ddl("s STRING, i INT, m MAP<STRING, INT>", 35, self, &out->schema, err);
}

static void
constants_reach_the_functions_that_want_them(void **state)
{
    static const struct {
        const char *sql, *ddl; /* ddl NULL: an error that says `why` */
        const char *why;
    } cases[] = {
        {"from_json(s, 'a INT, b STRING')", "STRUCT<a: INT, b: STRING>", NULL},
        {"from_json(s, 'a INT', map('mode', 'FAILFAST'))", "STRUCT<a: INT>", NULL},
        {"from_json(s, 'a INT', map('mode', 'SIDEWAYS'))", NULL, "mode"},
        {"from_json(s, schema_of_json('[{\"a\":1}]'))", "ARRAY<STRUCT<a: BIGINT>>", NULL},
        {"from_json(s, concat('a ', 'INT'))", "STRUCT<a: INT>", NULL},
        {"from_json(s, s)", NULL, "constant"},
        {"from_json(s, 'a INT', m)", NULL, "constant"},
        {"to_json(named_struct('a', i), map('ignoreNullFields', 'false'))", "STRING NOT NULL", NULL},
        {"schema_of_json('{\"a\":1}')", "STRING NOT NULL", NULL},
        {"s rlike '^a+$'", "BOOLEAN", NULL},
        {"s rlike '(a'", NULL, "unclosed"},
        {"s like 'a#%' escape '#'", "BOOLEAN", NULL},
        {"get_json_object(s, '$.a')", "STRING", NULL},
        {"regexp_extract(s, '(a)(b)', 2)", "STRING", NULL},
        {"split(s, ',')", "ARRAY<STRING>", NULL},
        {"to_number(s, '99.9')", "DECIMAL(3,1)", NULL},
        {"to_number(s, cast(null as string))", "DECIMAL(10,0)", NULL},
        {"to_number(s, s)", NULL, "constant"},
        {"to_binary(s, cast(null as string))", "BINARY", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
        struct weir_sql_settings set = {
            .zone = &weir_zone_utc, .ansi = true, .corrupt_name = "_corrupt_record"};
        struct weir_sql_env env = {.set = &set, .self = mem, .relation = no_table};
        const char *sql = weir_mem_printf(mem, "select %s as r from t", cases[i].sql);
        struct weir_buf ddl = WEIR_BUF(WEIR_MIB);
        struct weir_sql_plan *plan;
        struct weir_error err = {0};
        struct weir_node *tree;
        weir_rc rc;

        assert_int_equal(weir_sql_parse(sql, strlen(sql), mem, &tree, &err), WEIR_OK);
        rc = weir_sql_bind(tree, sql, &env, mem, &plan, &err);
        if (cases[i].ddl == NULL) {
            if (rc == WEIR_OK || strstr(err.what, cases[i].why) == NULL)
                fail_msg("%s: %s", cases[i].sql, rc == WEIR_OK ? "bound" : err.what);
        } else if (rc != WEIR_OK) {
            fail_msg("%s: %s", cases[i].sql, err.what);
        } else {
            weir_type_print_ddl(plan->schema, &ddl);
            assert_string_equal(ddl.data + 2, cases[i].ddl); /* behind "r " */
        }
        weir_buf_fini(&ddl);
        weir_mem_free(mem);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_functions_answer_as_spark),
        cmocka_unit_test(the_catalogue_of_from_json_goes_through_the_kernel),
        cmocka_unit_test(json_tuple_has_one_row_for_each_text),
        cmocka_unit_test(constants_reach_the_functions_that_want_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
