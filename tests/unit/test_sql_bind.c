/* From Spark SQL to a plan: schemas and errors are those that Spark gave for the same queries
 * (tests/golden/sql/schemas.json, made by make_schemas.py), the rest are tables of cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "sql/bind.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static struct weir_mem *mem;
static struct weir_error err;
static struct weir_sql_settings settings;

/* ---- relations ---- */

static const struct {
    const char *name, *private_name, *ddl, *hidden;
    bool is_stream;
} tables[] = {
    {"t", "r0",
     "b BOOLEAN, y TINYINT, h SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, dt DATE, ts TIMESTAMP, tn "
     "TIMESTAMP_NTZ, "
     "n DECIMAL(10,2), m DECIMAL(38,18), s STRING, x BINARY, a ARRAY<INT>, aa ARRAY<STRUCT<p: INT, q: "
     "STRING>>, "
     "mp MAP<STRING, INT>, st STRUCT<u: INT, v: STRUCT<w: STRING>>",
     NULL, false},
    {"u", "r1", "id INT, i INT, s STRING, k BIGINT", NULL, false},
    {"w", "r2", "id INT NOT NULL, name STRING NOT NULL", NULL, false},
    {"source", "r3", "order_id BIGINT, customer_id BIGINT, placed_at TIMESTAMP, items ARRAY<INT>",
     "_metadata STRUCT<file_path: STRING, file_name: STRING>", true},
    {"customers", "r4", "id BIGINT, segment STRING", NULL, false},
};

static weir_rc
find_table(void *self, const char *const *parts, uint32_t n, int64_t version, const char *timestamp,
           struct weir_sql_relation *out, struct weir_error *e)
{
    (void)self;
    for (size_t i = 0; i < COUNT(tables); i++) {
        if (n != 1 || !weir_slice_is_nocase(weir_slice(parts[0], strlen(parts[0])), tables[i].name))
            continue;
        *out = (struct weir_sql_relation){.name = tables[i].private_name, .is_stream = tables[i].is_stream};
        WEIR_TRY(weir_schema_parse_ddl(tables[i].ddl, strlen(tables[i].ddl), mem, &out->schema, e));
        if (tables[i].hidden == NULL)
            return WEIR_OK;
        return weir_schema_parse_ddl(tables[i].hidden, strlen(tables[i].hidden), mem, &out->hidden, e);
    }
    if (n == 2 && strcmp(parts[0], "delta") == 0) {
        *out = (struct weir_sql_relation){.name = version == 3        ? "r9v3"
                                                  : timestamp != NULL ? timestamp
                                                                      : "r9"};
        return weir_schema_parse_ddl("z INT", 5, mem, &out->schema, e);
    }
    return weir_fail(e, WEIR_NOTFOUND, "there is no table %s", parts[n - 1]);
}

/* Parses and binds; the error stands in err. */
static weir_rc
bind_with(const char *sql, bool ansi, bool positions, struct weir_sql_plan **plan)
{
    struct weir_sql_env env = {.set = &settings, .relation = find_table, .positions = positions};
    struct weir_node *tree;

    weir_error_clear(&err);
    settings = (struct weir_sql_settings){
        .zone = &weir_zone_utc, .zone_name = "UTC", .ansi = ansi, .corrupt_name = "_corrupt_record"};
    WEIR_TRY(weir_sql_parse(sql, strlen(sql), mem, &tree, &err));
    return weir_sql_bind(tree, sql, &env, mem, plan, &err);
}

static struct weir_sql_plan *
bound(const char *sql)
{
    struct weir_sql_plan *plan = NULL;
    char text[1200];

    if (bind_with(sql, true, true, &plan) != WEIR_OK)
        fail_msg("%s\n  %s", sql, weir_error_text(&err, text, sizeof(text)));
    return plan;
}

static const char *
ddl(const struct weir_type *schema)
{
    struct weir_buf buf = WEIR_BUF(WEIR_MIB);
    const char *text;

    weir_type_print_ddl(schema, &buf);
    text = weir_mem_strndup(mem, buf.len == 0 ? "" : buf.data, buf.len);
    weir_buf_fini(&buf);
    return text;
}

/* ---- Spark's answers ---- */

static json_t *
golden(const char *name)
{
    const char *folder = getenv("WEIR_GOLDEN");
    char path[512];
    json_t *doc;

    assert_non_null(folder);
    (void)snprintf(path, sizeof(path), "%s/sql/%s", folder, name);
    doc = json_load_file(path, 0, NULL);
    if (doc == NULL)
        fail_msg("cannot read %s", path);
    return doc;
}

/* What Spark said: a schema as DDL, or NULL for an error. Its columns may have one name twice. */
static const char *
spark_ddl(const json_t *entry)
{
    const json_t *list = json_object_get(json_object_get(entry, "schema"), "fields"), *item;
    struct weir_field fields[64] = {{0}};
    struct weir_error ignored = {0};
    size_t i;

    if (list == NULL)
        return NULL;
    json_array_foreach(list, i, item)
    {
        char *text = json_dumps(json_object_get(item, "type"), JSON_COMPACT | JSON_ENCODE_ANY);
        weir_rc rc = weir_type_parse_json(text, strlen(text), mem, &fields[i].type, &ignored);

        free(text);
        if (rc != WEIR_OK)
            return NULL; /* an interval: weir has no such column */
        fields[i].name = json_string_value(json_object_get(item, "name"));
        fields[i].name_len = (uint32_t)strlen(fields[i].name);
        fields[i].nullable = json_is_true(json_object_get(item, "nullable"));
    }
    return ddl(weir_type_struct(mem, fields, (uint32_t)i));
}

/* One query; NULL: as Spark, else how it differs. */
static const char *
difference(const json_t *entry)
{
    const char *sql = json_string_value(json_object_get(entry, "sql")), *theirs = spark_ddl(entry), *ours;
    struct weir_sql_plan *plan = NULL;
    char text[1200];
    weir_rc rc = bind_with(sql, json_is_true(json_object_get(entry, "ansi")), false, &plan);

    if (rc != WEIR_OK && theirs == NULL)
        return NULL;
    if (rc != WEIR_OK)
        return weir_mem_printf(mem, "refused: %s", weir_error_text(&err, text, sizeof(text)));
    ours = ddl(plan->schema);
    if (theirs == NULL)
        return weir_mem_printf(mem, "taken: %s", ours);
    return strcmp(ours, theirs) == 0 ? NULL
                                     : weir_mem_printf(mem, "\n    spark %s\n    weir  %s", theirs, ours);
}

static void
queries_have_the_schema_that_spark_gives(void **state)
{
    json_t *entries = golden("schemas.json"), *known = golden("differences.json");
    size_t i, bad = 0;
    json_t *entry;
    const char *name;

    (void)state;
    assert_true(json_array_size(entries) > 150);
    json_array_foreach(entries, i, entry)
    {
        const char *sql = json_string_value(json_object_get(entry, "sql")), *differs = difference(entry);
        bool expected = json_object_get(known, sql) != NULL;

        if (differs != NULL && !expected)
            print_message("%s%s\n  %s\n", json_is_true(json_object_get(entry, "ansi")) ? "" : "(not ANSI) ",
                          sql, differs);
        bad += differs != NULL && !expected;
        if (differs != NULL && expected)
            (void)json_object_set_new(known, sql, json_true()); /* seen */
        weir_mem_reset(mem);
    }
    json_object_foreach(known, name, entry) {
        if (!json_is_true(entry)) {
            print_message("no difference any more: %s\n", name);
            bad++;
        }
    }
    json_decref(entries);
    json_decref(known);
    assert_int_equal(bad, 0);
}

static int
set_up(void **state)
{
    (void)state;
    mem = weir_mem_new(NULL, NULL, "test");
    return mem == NULL;
}

static int
tear_down(void **state)
{
    (void)state;
    weir_mem_free(mem);
    return 0;
}

/* Prints the plans of queries, one a line, for a look at them: test_sql_bind QUERY … */
static int
show(int n, char **queries)
{
    char text[1200];

    (void)set_up(NULL);
    for (int i = 0; i < n; i++) {
        struct weir_sql_plan *plan;

        if (bind_with(queries[i], getenv("WEIR_NO_ANSI") == NULL, true, &plan) != WEIR_OK)
            printf("%s\n", weir_error_text(&err, text, sizeof(text)));
        else
            printf("%s\n%s\nclass %c, position %d, %u kernels\n", ddl(plan->schema), plan->text,
                   "ABC"[plan->class_], plan -> position, plan -> ncalls);
    }
    return tear_down(NULL);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(queries_have_the_schema_that_spark_gives, set_up, tear_down),
    };

    (void)bound;
    if (argc > 1)
        return show(argc - 1, argv + 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
