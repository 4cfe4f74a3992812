#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include "pipeline_kit.h"

#include <inttypes.h>

#include "base/json.h"
#include "sql/parquet_read.h"
#include "store/store.h"

static void
with_store(const char *root, const char *folder, void (*fn)(struct weir_store *st))
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_error err = {0};
    struct weir_store *st;

    if (weir_store_open(weir_mem_printf(mem, "%s/%s", root, folder), mem, &st, &err) != WEIR_OK)
        fail_msg("%s: %s", root, err.what);
    fn(st);
    weir_store_close(st);
    weir_mem_free(mem);
}

weir_rc
kit_run(const char *root, const struct weir_run_options *opt, struct weir_error *err)
{
    static const struct weir_run_options none;
    struct weir_setting setting = {.key = "maxFilesPerTrigger", .value = "1", .line = 1};
    struct weir_setting property = {.key = "delta.checkpointInterval", .value = "2", .line = 1};
    char in[300], table[300], checkpoint[300];
    struct weir_spec s = {
        .file = "test.yaml",
        .dir = "/",
        .name = "kit",
        .fingerprint = 1,
        .source = {.format = "json",
                   .path = in,
                   .schema = "id BIGINT",
                   .options = {.at = &setting, .n = 1, .file = "test.yaml"}},
        .sink = {.format = "delta",
                 .path = table,
                 .output_mode = "append",
                 .create = true,
                 .options = {.file = "test.yaml"},
                 .properties = {.at = &property, .n = 1, .file = "test.yaml"}},
        .trigger = WEIR_TRIGGER_AVAILABLE_NOW,
        .checkpoint = checkpoint,
        .conf = {.time_zone = "UTC",
                 .corrupt_name = "_corrupt_record",
                 .compact_interval = 2,
                 .batches_to_retain = 100,
                 .polling_delay_ms = 10,
                 .sample_files = 1000,
                 .sample_bytes = INT64_MAX,
                 .memory_limit = 64 << 20,
                 .threads = 1,
                 .max_record_bytes = 1 << 20},
    };

    snprintf(in, sizeof(in), "%s/in", root);
    snprintf(table, sizeof(table), "%s/table", root);
    snprintf(checkpoint, sizeof(checkpoint), "%s/checkpoint", root);
    *err = (struct weir_error){0};
    weir_parquet_io_set(&weir_parquet_duckdb);
    return weir_pipeline_run(&s, opt == NULL ? &none : opt, NULL, NULL, err);
}

static void
put_input(struct weir_store *st)
{
    for (int i = 0; i < KIT_FILES; i++) {
        struct weir_error err = {0};
        char key[32], text[32];

        snprintf(key, sizeof(key), "f%d.json", i);
        snprintf(text, sizeof(text), "{\"id\":%d}\n", i);
        assert_int_equal(weir_store_put(st, key, text, strlen(text), WEIR_PUT_ABSENT, &err), WEIR_OK);
    }
}

void
kit_put_input(const char *root)
{
    with_store(root, "in", put_input);
}

static void
drop_lease(struct weir_store *st)
{
    struct weir_error err = {0};

    assert_int_equal(weir_store_remove(st, "_weir/lease", &err), WEIR_OK);
}

void
kit_drop_lease(const char *root)
{
    with_store(root, "checkpoint", drop_lease);
}

static unsigned seen_rows[KIT_FILES];
static int64_t newest_txn, newest_commit;

static void
count_add(const json_t *add)
{
    struct weir_error err = {0};
    const char *text;
    int64_t rows, id;
    json_t *stats;

    assert_int_equal(weir_json_get_str(add, "stats", &text, &err), WEIR_OK);
    assert_int_equal(weir_json_load(text, strlen(text), &stats, &err), WEIR_OK);
    assert_int_equal(weir_json_get_int(stats, "numRecords", -1, &rows, &err), WEIR_OK);
    assert_int_equal(rows, 1);
    assert_int_equal(weir_json_get_int(json_object_get(stats, "minValues"), "id", -1, &id, &err), WEIR_OK);
    assert_true(id >= 0 && id < KIT_FILES);
    seen_rows[id]++;
    json_decref(stats);
}

static weir_rc
read_commit(void *arg, const struct weir_object *obj, struct weir_error *err)
{
    struct weir_store *st = arg;
    struct weir_lines lines;
    const char *line;
    size_t len;

    if (strstr(obj->key, ".json") == NULL || strstr(obj->key, ".tmp") != NULL)
        return WEIR_OK;
    assert_int_equal(weir_lines_open(&lines, st, obj->key, 1 << 20, NULL, err), WEIR_OK);
    while (weir_lines_next(&lines, &line, &len, err) == WEIR_OK) {
        const json_t *add, *txn;
        int64_t version;
        json_t *doc;

        assert_int_equal(weir_json_load(line, len, &doc, err), WEIR_OK);
        if ((add = json_object_get(doc, "add")) != NULL)
            count_add(add);
        if ((txn = json_object_get(doc, "txn")) != NULL) {
            assert_int_equal(weir_json_get_int(txn, "version", -1, &version, err), WEIR_OK);
            assert_int_equal(version, newest_txn + 1); /* each batch once, in order */
            newest_txn = version;
        }
        json_decref(doc);
    }
    weir_lines_close(&lines);
    return WEIR_OK;
}

static void
read_table(struct weir_store *st)
{
    struct weir_error err = {0};

    memset(seen_rows, 0, sizeof(seen_rows));
    newest_txn = -1;
    assert_int_equal(weir_store_list(st, "_delta_log/", NULL, WEIR_LIST_FOLDER, read_commit, st, &err), WEIR_OK);
}

static weir_rc
read_commits(void *arg, const struct weir_object *obj, struct weir_error *err)
{
    (void)arg;
    (void)err;
    if (strstr(obj->key, "/.") == NULL) /* temporary files of dead runs are nobody's */
        newest_commit++;
    return WEIR_OK;
}

static void
read_checkpoint(struct weir_store *st)
{
    struct weir_error err = {0};

    newest_commit = -1;
    assert_int_equal(weir_store_list(st, "commits/", NULL, WEIR_LIST_FOLDER, read_commits, NULL, &err), WEIR_OK);
}

void
kit_expect_each_row_once(const char *root, const char *when)
{
    with_store(root, "table", read_table);
    with_store(root, "checkpoint", read_checkpoint);
    for (int i = 0; i < KIT_FILES; i++)
        if (seen_rows[i] != 1)
            fail_msg("%s: row %d is in the table %u times", when, i, seen_rows[i]);
    if (newest_txn != KIT_FILES - 1 || newest_commit != KIT_FILES - 1)
        fail_msg("%s: newest txn %" PRId64 ", newest commit %" PRId64, when, newest_txn, newest_commit);
}
