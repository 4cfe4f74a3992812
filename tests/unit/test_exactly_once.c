/* Every fail point x every batch on a memory store: the store's image at the kill is what the restart finds.
 *
 * Each input file holds one record and each batch takes one file, so the statistics of a data file name its row, and
 * the table can be compared with the input as a multiset from the log alone. (The same with kills of a real process
 * on a real disk, read by other engines: tests/e2e/test_exactly_once.py.) */
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdatomic.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/point.h"
#include "pipeline/run.h"
#include "store/mem.h"
#include "store/store.h"

enum { FILES = 4 };

static struct {
    weir_point_id at;
    unsigned nth;
    _Atomic unsigned passes;
    _Atomic bool killed;
} kill_plan;

static weir_rc
kill_hook(void *arg, weir_point_id id, struct weir_error *err)
{
    (void)arg;
    if (atomic_load(&kill_plan.killed))
        return weir_fail(err, WEIR_IO, "the process is dead");
    if (id != kill_plan.at || atomic_fetch_add(&kill_plan.passes, 1) + 1 != kill_plan.nth)
        return WEIR_OK;
    atomic_store(&kill_plan.killed, true);
    assert_true(weir_mem_store_copy("run", "image"));
    return weir_fail(err, WEIR_IO, "killed at %s", weir_point_name(id));
}

static struct weir_setting source_options[] = {{.key = "maxFilesPerTrigger", .value = "1", .line = 1}};

static struct weir_spec
spec(void)
{
    struct weir_spec s = {
        .file = "test.yaml",
        .dir = "/",
        .name = "kills",
        .fingerprint = 1,
        .source = {.format = "json",
                   .path = "mem:run/in",
                   .schema = "id BIGINT",
                   .options = {.at = source_options, .n = 1, .file = "test.yaml"}},
        .sink = {.format = "delta",
                 .path = "mem:run/table",
                 .output_mode = "append",
                 .create = true,
                 .options = {.file = "test.yaml"},
                 .properties = {.file = "test.yaml"}},
        .trigger = WEIR_TRIGGER_AVAILABLE_NOW,
        .checkpoint = "mem:run/checkpoint",
        .conf = {.time_zone = "UTC",
                 .partial_results = true,
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

    source_options[0].used = false;
    return s;
}

static weir_rc
run(struct weir_error *err)
{
    struct weir_spec s = spec();
    struct weir_run_options opt = {0};

    *err = (struct weir_error){0};
    return weir_pipeline_run(&s, &opt, NULL, NULL, err);
}

static void
with_store(const char *uri, void (*fn)(struct weir_store *st))
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_error err = {0};
    struct weir_store *st;

    assert_int_equal(weir_store_open(uri, mem, &st, &err), WEIR_OK);
    fn(st);
    weir_store_close(st);
    weir_mem_free(mem);
}

static void
put_input(struct weir_store *st)
{
    for (int i = 0; i < FILES; i++) {
        struct weir_error err = {0};
        char key[32], text[32];

        snprintf(key, sizeof(key), "f%d.json", i);
        snprintf(text, sizeof(text), "{\"id\":%d}\n", i);
        assert_int_equal(weir_store_put(st, key, text, strlen(text), WEIR_PUT_ABSENT, &err), WEIR_OK);
    }
}

static void
drop_lease(struct weir_store *st)
{
    struct weir_error err = {0};

    assert_int_equal(weir_store_remove(st, "_weir/lease", &err), WEIR_OK);
}

static unsigned seen_rows[FILES];
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
    assert_true(id >= 0 && id < FILES);
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
    assert_int_equal(weir_store_list(st, "_delta_log/", NULL, false, read_commit, st, &err), WEIR_OK);
}

static weir_rc
read_commits(void *arg, const struct weir_object *obj, struct weir_error *err)
{
    (void)arg;
    (void)obj;
    (void)err;
    newest_commit++;
    return WEIR_OK;
}

static void
read_checkpoint(struct weir_store *st)
{
    struct weir_error err = {0};

    newest_commit = -1;
    assert_int_equal(weir_store_list(st, "commits/", NULL, false, read_commits, NULL, &err), WEIR_OK);
}

static void
expect_each_row_once(const char *when)
{
    with_store("mem:run/table", read_table);
    with_store("mem:run/checkpoint", read_checkpoint);
    for (int i = 0; i < FILES; i++)
        if (seen_rows[i] != 1)
            fail_msg("%s: row %d is in the table %u times", when, i, seen_rows[i]);
    assert_int_equal(newest_txn, FILES - 1);
    assert_int_equal(newest_commit, FILES - 1);
}

/* false: the point was passed fewer than nth times. */
static bool
kill_and_restart(weir_point_id at, unsigned nth)
{
    struct weir_error err;
    char when[128];
    weir_rc rc;

    snprintf(when, sizeof(when), "killed at pass %u of %s", nth, weir_point_name(at));
    weir_mem_store_drop("run");
    weir_mem_store_drop("image");
    with_store("mem:run/in", put_input);
    kill_plan.at = at;
    kill_plan.nth = nth;
    atomic_store(&kill_plan.passes, 0);
    atomic_store(&kill_plan.killed, false);
    weir_point_hook(kill_hook, NULL);
    rc = run(&err);
    weir_point_hook(NULL, NULL);
    if (!atomic_load(&kill_plan.killed)) {
        if (rc != WEIR_OK)
            fail_msg("%s: %s: %s", when, err.where, err.what);
        expect_each_row_once("not killed");
        return false;
    }
    assert_int_not_equal(rc, WEIR_OK);
    weir_mem_store_drop("run");
    assert_true(weir_mem_store_copy("image", "run"));
    with_store("mem:run/checkpoint", drop_lease);
    rc = run(&err);
    if (rc != WEIR_OK)
        fail_msg("%s: the restart failed: %s: %s", when, err.where, err.what);
    expect_each_row_once(when);
    return true;
}

static void
a_kill_at_any_point_of_any_batch_leaves_each_row_once(void **state)
{
    (void)state;
    for (int at = 0; at < WEIR_POINTS; at++) {
        unsigned nth = 1;

        while (kill_and_restart((weir_point_id)at, nth))
            nth++;
        /* every point but a schema's evolution is passed in every batch */
        if (at != WEIR_POINT_SCHEMA_LOG && nth - 1 < FILES)
            fail_msg("%s was passed %u times in %d batches", weir_point_name((weir_point_id)at), nth - 1, FILES);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kill_at_any_point_of_any_batch_leaves_each_row_once),
    };

    weir_log_setup(WEIR_LOG_ERROR, false);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
