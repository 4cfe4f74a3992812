/* Delta tables read as queries read them: tables of other writers against the answers that come with them,
 * and what a reader must refuse. Without WEIR_CORPORA only the second half runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "sql/parquet_read.h"
#include "table/scan.h"
#include "table/scan_int.h"

/* --- one number out of a query -------------------------------------------------------------------------- */

static weir_rc
number_open(void *self, unsigned lane, void **out, struct weir_error *err)
{
    (void)lane;
    (void)err;
    *out = self;
    return WEIR_OK;
}

static weir_rc
number_write(void *lane, const struct weir_page *page, struct weir_error *err)
{
    (void)err;
    for (uint32_t i = 0; i < page->rows; i++)
        *(int64_t *)lane += ((const int64_t *)page->cols[0].data)[page->cols[0].form == WEIR_CONST ? 0 : i];
    return WEIR_OK;
}

static weir_rc
number_finish(void *lane, struct weir_error *err)
{
    (void)lane;
    (void)err;
    return WEIR_OK;
}

static void
number_close(void *lane)
{
    (void)lane;
}

struct answer { /* a query over r0, and r1 when there is one */
    const struct weir_table *table;
    const struct weir_table_scan *scan;
    const char *expected; /* SELECT for r1; NULL */
    const char *folder;   /* of it */
};

static struct weir_engine *engine;

static weir_rc
ask_number(const struct answer *a, const char *text, int64_t *out, struct weir_error *err)
{
    const struct weir_field field = {"n", 1, true, &weir_type_long, NULL};
    const struct weir_type number = {.kind = WEIR_STRUCT, .nfields = 1, .fields = &field};
    const struct weir_sql_relation relations[] = {{.name = "r0", .schema = a->table->schema},
                                                  {.name = "r1", .schema = a->table->schema}};
    uint32_t n = a->expected != NULL ? 2 : 1;
    struct weir_sql_plan plan = {.text = text,
                                 .schema = &number,
                                 .class_ = WEIR_SQL_BLOCKING,
                                 .relations = relations,
                                 .nrelations = n,
                                 .position = -1};
    const char *const folders[] = {a->folder, NULL};
    const struct weir_engine_input inputs[] = {
        {.name = "r0", .select = a->scan->select, .folders = a->scan->folders, .alive = a->scan->alive},
        {.name = "r1", .select = a->expected, .folders = folders}};
    struct weir_drain drain = {out, number_open, number_write, number_finish, number_close};
    struct weir_sql_settings set = {.zone = &weir_zone_utc, .zone_name = "UTC"};
    _Atomic bool failed = false;
    _Atomic uint64_t rows = 0;
    const struct weir_engine_query q = {.plan = &plan,
                                        .set = &set,
                                        .inputs = inputs,
                                        .ninputs = n,
                                        .drain = &drain,
                                        .lanes = 1,
                                        .failed = &failed,
                                        .rows = &rows};

    *out = 0;
    return weir_engine_run(engine, &q, err);
}

/* --- answers -------------------------------------------------------------------------------------------- */

/* The expected rows in Parquet files, in the table's columns. */
static void
expected_select(const struct weir_table *table, const char *folder, struct weir_buf *sql)
{
    weir_buf_str(sql, "SELECT ");
    for (uint32_t i = 0; i < table->schema->nfields; i++) {
        const struct weir_field *f = &table->schema->fields[i];

        weir_buf_str(sql, i > 0 ? ", CAST(" : "CAST(");
        scan_quote(sql, f->name, '"');
        weir_buf_str(sql, " AS ");
        scan_type(f->type, sql);
        weir_buf_printf(sql, ") AS c%u", i);
    }
    weir_buf_printf(sql, " FROM read_parquet('%s/**/*.parquet', hive_partitioning = false)", folder);
}

static const char count_rows[] = "SELECT count(*) AS c0 FROM r0";
static const char count_other_rows[] =
    "SELECT count(*) AS c0 FROM ((SELECT * FROM r0 EXCEPT ALL SELECT * FROM r1) UNION ALL "
    "(SELECT * FROM r1 EXCEPT ALL SELECT * FROM r0))";

static void
fail_error(const char *name, const char *what, const struct weir_error *err)
{
    char text[1200];

    fail_msg("%s: %s: %s %s", name, what, weir_rc_name(err->rc), weir_error_text(err, text, sizeof(text)));
}

/* Rows of one version of one table. expected: a folder of Parquet files with them, or NULL. */
static void
check_version(const char *name, const char *path, int64_t version, const char *zone, const char *expected,
              int64_t rows)
{
    struct weir_table_ask ask = {.path = path, .version = version};
    struct weir_table_scan_ask scan_ask = {.name = "r0", .zone = weir_zone_find(zone, strlen(zone))};
    struct weir_buf sql = WEIR_BUF(WEIR_MIB);
    struct weir_table_scan *scan;
    struct weir_error err = {0};
    struct weir_table *table;
    struct answer a;
    int64_t n = -1;

    if (weir_table_open(&ask, NULL, &table, &err) != WEIR_OK)
        fail_error(name, "open", &err);
    if (weir_table_scan(table, &scan_ask, &scan, &err) != WEIR_OK)
        fail_error(name, "scan", &err);
    a = (struct answer){.table = table, .scan = scan};
    if (ask_number(&a, count_rows, &n, &err) != WEIR_OK)
        fail_error(name, "count", &err);
    if (n != rows)
        fail_msg("%s version %" PRId64 ": %" PRId64 " rows, not %" PRId64, name, version, n, rows);
    if (expected != NULL) {
        expected_select(table, expected, &sql);
        assert_false(sql.failed);
        a.expected = sql.data;
        a.folder = expected;
        if (ask_number(&a, count_other_rows, &n, &err) != WEIR_OK)
            fail_error(name, "compare", &err);
        if (n != 0)
            fail_msg("%s version %" PRId64 ": %" PRId64 " rows are not as expected", name, version, n);
    }
    weir_buf_fini(&sql);
    weir_table_scan_free(scan);
    weir_table_close(table);
}

static int64_t
entry_rows(const json_t *entry)
{
    const json_t *rows = json_object_get(json_object_get(entry, "delta_rs"), "rows");

    return json_is_integer(rows) ? json_integer_value(rows) : -1;
}

/* latest and vN; the change feeds and aggregates are other tests' business. */
static bool
answer_version(const char *key, int64_t *version)
{
    *version = -1;
    if (strcmp(key, "latest") == 0)
        return true;
    if (key[0] != 'v' || key[1 + strspn(key + 1, "0123456789")] != '\0')
        return false;
    *version = strtoll(key + 1, NULL, 10);
    return true;
}

static void
check_entry(const char *root, const json_t *entry)
{
    const char *name = json_string_value(json_object_get(entry, "name")), *key;
    /* Its writer's zone: a value without one means what the session says. */
    const char *zone =
        strcmp(name, "golden_data-reader-partition-values") == 0 ? "America/Los_Angeles" : "UTC";
    json_t *answers = json_object_get(entry, "answers"), *answer;
    char path[1024], expected[1024];
    bool compared = false;
    int64_t version;

    snprintf(path, sizeof(path), "%s/delta/%s/delta", root, name);
    json_object_foreach(answers, key, answer)
    {
        const json_t *rows = json_object_get(answer, "rows");

        if (!answer_version(key, &version) || !json_is_integer(rows))
            continue;
        snprintf(expected, sizeof(expected), "%s/delta/%s/expected/%s", root, name, key);
        check_version(name, path, version, zone, json_integer_value(rows) > 0 ? expected : NULL,
                      json_integer_value(rows));
        compared = true;
    }
    if (!compared && entry_rows(entry) >= 0)
        check_version(name, path, -1, zone, NULL, entry_rows(entry));
}

static void
check_refused(const char *root, const char *name)
{
    struct weir_table_ask ask = {.version = -1};
    struct weir_error err = {0};
    struct weir_table *table;
    char path[1024];

    snprintf(path, sizeof(path), "%s/delta/%s/delta", root, name);
    ask.path = path;
    if (weir_table_open(&ask, NULL, &table, &err) == WEIR_OK)
        fail_msg("%s: opened, and must be refused", name);
    assert_true(err.rc == WEIR_UNSUPPORTED || err.rc == WEIR_CORRUPT);
}

static void
tables_of_other_writers_read_as_they_must(void **state)
{
    const char *root = getenv("WEIR_CORPORA"), *only = getenv("WEIR_CORPUS");
    struct weir_buf buf = WEIR_BUF(16 << 20);
    struct weir_error err = {0};
    struct weir_store *st;
    struct weir_mem *mem;
    json_t *manifest;
    const json_t *entry;
    size_t i;

    (void)state;
    if (root == NULL) {
        print_message("# skipped: WEIR_CORPORA is not set, so there are no tables of other writers here\n");
        return;
    }
    mem = weir_mem_new(NULL, NULL, "test");
    assert_int_equal(weir_store_open(root, mem, &st, &err), WEIR_OK);
    assert_int_equal(weir_store_get(st, "delta/manifest.json", &buf, &err), WEIR_OK);
    assert_int_equal(weir_json_load(buf.data, buf.len, &manifest, &err), WEIR_OK);
    json_array_foreach(manifest, i, entry)
    {
        const char *name = json_string_value(json_object_get(entry, "name"));

        if (only != NULL && strcmp(only, name) != 0)
            continue;
        if (json_is_true(json_object_get(entry, "must_fail")))
            check_refused(root, name);
        else
            check_entry(root, entry);
    }
    json_decref(manifest);
    weir_buf_fini(&buf);
    weir_store_close(st);
    weir_mem_free(mem);
}

int
main(void)
{
    const struct weir_engine_env env = {.memory_bytes = 256 << 20, .lanes = 1};
    struct weir_error err = {0};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_other_writers_read_as_they_must),
    };
    int failed;

    weir_log_setup(WEIR_LOG_ERROR, false);
    weir_parquet_io_set(&weir_parquet_duckdb);
    if (weir_engine_open(&env, &engine, &err) != WEIR_OK)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    weir_engine_close(engine);
    return failed;
}
