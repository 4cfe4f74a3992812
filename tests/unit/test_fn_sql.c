/* The functions through the whole of SQL: each call of values.json is parsed, bound, printed and run by the
 * engine, and must give Spark's answer. What DuckDB computes is proved here; the kernels alone are proved in
 * test_fn_*.c. Then whole queries: aggregates, windows, lambdas, generators. */
#include "fn_values.h"

#include "sql/engine.h"

struct kit {
    struct weir_engine *engine;
    struct weir_quota quota;
    struct weir_drain drain;
    struct weir_mem *mem;
    struct weir_buf rows; /* as JSON, a line each */
};

static weir_rc
drain_open(void *self, unsigned lane, void **out, struct weir_error *err)
{
    (void)lane;
    (void)err;
    *out = self;
    return WEIR_OK;
}

static weir_rc
drain_write(void *lane, const struct weir_page *page, struct weir_error *err)
{
    struct kit *k = lane;

    for (uint32_t row = 0; row < page->rows; row++) {
        for (uint32_t i = 0; i < page->schema->nfields; i++) {
            weir_buf_printf(&k->rows, "%s\"c%u\":", i > 0 ? "," : "{", i);
            render_slot(&page->cols[i], row, &k->rows);
        }
        weir_buf_str(&k->rows, "}\n");
    }
    return weir_buf_check(&k->rows, err);
}

static weir_rc
drain_finish(void *lane, struct weir_error *err)
{
    (void)lane;
    (void)err;
    return WEIR_OK;
}

static void
drain_close(void *lane)
{
    (void)lane;
}

static weir_rc
no_relation(void *self, const char *const *parts, uint32_t n, int64_t version, const char *timestamp,
            struct weir_sql_relation *out, struct weir_error *err)
{
    (void)self;
    (void)n;
    (void)version;
    (void)timestamp;
    (void)out;
    return weir_fail(err, WEIR_NOTFOUND, "no table %s", parts[0]);
}

/* Runs a query; its rows are in k->rows, its schema in *schema. */
static weir_rc
kit_run(struct kit *k, const char *sql, const struct weir_sql_settings *set, const struct weir_type **schema,
        struct weir_error *err)
{
    const struct weir_sql_env env = {.set = set, .relation = no_relation};
    _Atomic bool failed = false;
    _Atomic uint64_t rows = 0;
    struct weir_engine_query q = {
        .set = set, .drain = &k->drain, .lanes = 1, .failed = &failed, .rows = &rows};
    struct weir_sql_plan *plan = NULL;
    struct weir_node *node = NULL;

    weir_buf_reset(&k->rows);
    WEIR_TRY(weir_sql_parse(sql, strlen(sql), k->mem, &node, err));
    WEIR_TRY(weir_sql_bind(node, sql, &env, k->mem, &plan, err));
    if (getenv("WEIR_SHOW_SQL") != NULL)
        print_message("# %s\n#   -> %s\n", sql, plan->text);
    *schema = plan->schema;
    q.plan = plan;
    return weir_engine_run(k->engine, &q, err);
}

static int
kit_open(void **state)
{
    static struct kit k;
    const struct weir_engine_env env = {.memory_bytes = 256 * WEIR_MIB, .lanes = 1, .quota = &k.quota};
    struct weir_error err = {0};

    k.rows = (struct weir_buf)WEIR_BUF(64 * WEIR_MIB);
    weir_quota_init(&k.quota, NULL, "test", UINT64_MAX);
    k.drain = (struct weir_drain){.self = &k,
                                  .lane_open = drain_open,
                                  .write = drain_write,
                                  .lane_finish = drain_finish,
                                  .lane_close = drain_close};
    *state = &k;
    return weir_engine_open(&env, &k.engine, &err) == WEIR_OK ? 0 : 1;
}

static int
kit_close(void **state)
{
    struct kit *k = *state;

    weir_engine_close(k->engine);
    weir_buf_fini(&k->rows);
    return 0;
}

/* Whether the row, {"r":value}, has Spark's value. Both are read as that type and compared. */
static bool
same_value(const struct values_case *c, const char *row)
{
    size_t len = strlen(row);
    const char *colon = strchr(row, ':');
    struct weir_page *mine, *theirs = values_page(c, c->type, c->json);
    bool same;

    while (len > 0 && (row[len - 1] == '\n' || row[len - 1] == '}'))
        if (row[--len] == '}')
            break;
    mine = values_page(c, c->type, weir_mem_strndup(c->mem, colon + 1, (size_t)(row + len - colon - 1)));
    same = mine != NULL && theirs != NULL ? values_same(c, &mine->cols[0], 0, &theirs->cols[0], 0)
                                          : mine == theirs;
    weir_page_free(mine);
    weir_page_free(theirs);
    return same;
}

static bool
kit_case(struct kit *k, const json_t *json, bool ansi)
{
    const json_t *answer =
        json_object_get(json, ansi || json_object_get(json, "off") == NULL ? "answer" : "off");
    const char *zone = json_string_value(json_object_get(json, "zone"));
    struct values_case c = {.mem = weir_mem_new(NULL, NULL, "case"), .ansi = ansi};
    const struct weir_type *schema = NULL;
    struct weir_error err = {0};
    bool good = false;
    weir_rc rc;

    k->mem = c.mem;
    zone = zone != NULL ? zone : "UTC";
    c.set = (struct weir_sql_settings){
        .zone = weir_zone_find(zone, strlen(zone)), .zone_name = zone, .ansi = ansi};
    c.call = json_string_value(json_object_get(json, "call"));
    c.slack = json_object_get(json, "about") != NULL ? 4e-16 : 0.0;
    c.error = json_string_value(json_object_get(answer, "error"));
    if (c.error == NULL) {
        c.type = values_type(c.mem, json_object_get(answer, "type"));
        c.json = json_string_value(json_object_get(answer, "value"));
    }
    rc = kit_run(k, weir_mem_printf(c.mem, "SELECT %s AS r", c.call), &c.set, &schema, &err);
    if (rc != WEIR_OK)
        good = values_same_error(&c, err.what);
    else if (c.error == NULL)
        good = weir_type_same(schema->fields[0].type, c.type) && same_value(&c, k->rows.data);
    if (!good) {
        struct weir_buf type = WEIR_BUF(4096);

        if (schema != NULL)
            weir_type_print_simple(schema, &type);
        print_message("# %s%s = %s, not %s %s\n", c.call, ansi ? "" : " (ANSI off)",
                      c.error != NULL ? c.error : c.json, rc != WEIR_OK ? err.what : k->rows.data,
                      rc == WEIR_OK && type.len > 0 ? type.data : "");
        weir_buf_fini(&type);
    }
    weir_mem_free(c.mem);
    return good;
}

static void
calls_through_sql_answer_as_spark(void **state)
{
    char path[1024];
    json_t *doc, *c;
    int n = 0, wrong = 0;
    size_t i;

    snprintf(path, sizeof(path), "%s/sql/values.json", getenv("WEIR_GOLDEN"));
    doc = json_load_file(path, 0, NULL);
    assert_non_null(doc);
    json_array_foreach(doc, i, c)
    {
        const char *call = json_string_value(json_object_get(c, "call"));

        if (call == NULL || values_differs(call))
            continue;
        wrong += !kit_case(*state, c, true);
        n++;
        if (json_object_get(c, "off") != NULL) {
            wrong += !kit_case(*state, c, false);
            n++;
        }
    }
    json_decref(doc);
    print_message("# %d calls, %d wrong\n", n, wrong);
    assert_true(n > 1500);
    assert_int_equal(wrong, 0);
}

/* By place, whatever the columns' names. */
static bool
same_types(const struct weir_type *a, const struct weir_type *b)
{
    bool same = a->nfields == b->nfields;

    for (uint32_t i = 0; same && i < a->nfields; i++)
        same = weir_type_same(a->fields[i].type, b->fields[i].type);
    return same;
}

/* Rows as JSON texts of one type; the doubles of a row may differ in their last digit. */
static bool
same_row(const struct values_case *c, const char *mine, const char *theirs)
{
    struct weir_page *a = values_page(c, c->type, mine), *b = values_page(c, c->type, theirs);
    bool same = a != NULL && b != NULL;

    for (uint32_t i = 0; same && i < c->type->nfields; i++)
        same = values_same(c, &a->cols[0].kids[i], 0, &b->cols[0].kids[i], 0);
    weir_page_free(a);
    weir_page_free(b);
    return same;
}

static bool
same_rows(const struct values_case *c, char *mine, const json_t *theirs)
{
    size_t i;
    json_t *row;

    json_array_foreach((json_t *)(uintptr_t)theirs, i, row)
    {
        char *end = mine == NULL ? NULL : strchr(mine, '\n');

        if (end == NULL)
            return false;
        *end = '\0';
        if (!same_row(c, mine, json_string_value(row))) {
            print_message("#   row %zu: %s\n#   not %s\n", i, json_string_value(row), mine);
            return false;
        }
        mine = end + 1;
    }
    return mine == NULL || *mine == '\0';
}

static bool
kit_query(struct kit *k, const json_t *json)
{
    const json_t *answer = json_object_get(json, "answer");
    struct values_case c = {.mem = weir_mem_new(NULL, NULL, "case"), .ansi = true, .slack = 1e-14};
    const struct weir_type *schema = NULL;
    struct weir_error err = {0};
    bool good = false;
    weir_rc rc;

    k->mem = c.mem;
    c.set = (struct weir_sql_settings){
        .zone = &weir_zone_utc, .zone_name = "UTC", .ansi = true, .now_us = INT64_C(1735787045123456)};
    c.call = json_string_value(json_object_get(json, "query"));
    c.error = json_string_value(json_object_get(answer, "error"));
    if (c.error == NULL)
        c.type = values_type(c.mem, json_object_get(answer, "type"));
    rc = kit_run(k, c.call, &c.set, &schema, &err);
    if (rc != WEIR_OK)
        good = values_same_error(&c, err.what);
    else if (c.error == NULL)
        good = same_types(schema, c.type) && same_rows(&c, k->rows.data, json_object_get(answer, "rows"));
    if (!good) {
        struct weir_buf mine = WEIR_BUF(WEIR_MIB), theirs = WEIR_BUF(WEIR_MIB);

        if (schema != NULL && c.type != NULL) {
            weir_type_print_simple(schema, &mine);
            weir_type_print_simple(c.type, &theirs);
        }
        print_message("# %s\n#   = %s, not %s\n#   %s\n#   %s\n", c.call, c.error != NULL ? c.error : "rows",
                      rc != WEIR_OK ? err.what : "these", theirs.data, mine.data);
        weir_buf_fini(&mine);
        weir_buf_fini(&theirs);
    }
    weir_mem_free(c.mem);
    return good;
}

static void
queries_answer_as_spark(void **state)
{
    char path[1024];
    json_t *doc, *c;
    int n = 0, wrong = 0;
    size_t i;

    snprintf(path, sizeof(path), "%s/sql/values.json", getenv("WEIR_GOLDEN"));
    doc = json_load_file(path, 0, NULL);
    assert_non_null(doc);
    json_array_foreach(doc, i, c)
    {
        if (json_object_get(c, "query") == NULL)
            continue;
        wrong += !kit_query(*state, c);
        n++;
    }
    json_decref(doc);
    print_message("# %d queries, %d wrong\n", n, wrong);
    assert_true(n > 50);
    assert_int_equal(wrong, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_answer_as_spark),
        cmocka_unit_test(calls_through_sql_answer_as_spark),
    };

    return cmocka_run_group_tests(tests, kit_open, kit_close);
}
