/* The Delta log: commits beside other writers and over stores that fail; replay; what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/point.h"
#include "base/stop.h"
#include "base/str.h"
#include "delta/bind.h"
#include "delta/feature.h"
#include "delta/summary.h"
#include "delta/txn.h"
#include "sql/parquet_read.h"
#include "store/fault.h"
#include "store/mem.h"
#include "store/store.h"

static struct weir_error err;

#define PLACE "test-delta"
#define P12 "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":2}}\n"
#define META(fields, more)                                                                              \
    "{\"metaData\":{\"id\":\"m\",\"format\":{\"provider\":\"parquet\",\"options\":{}},\"schemaString\":\"{" \
    "\\\"type\\\":\\\"struct\\\",\\\"fields\\\":[" fields "]}\",\"partitionColumns\":[]," more "}}\n"
#define FIELD(name, type, nullable)                                                                     \
    "{\\\"name\\\":\\\"" name "\\\",\\\"type\\\":\\\"" type "\\\",\\\"nullable\\\":" nullable            \
    ",\\\"metadata\\\":{}}"
#define ID FIELD("id", "long", "true")
#define NAME FIELD("name", "string", "true")
#define CONF "\"configuration\":{}"
#define ADD(path) "{\"add\":{\"path\":\"" path "\",\"partitionValues\":{},\"size\":10,\"modificationTime\":1,\"dataChange\":true," \
                  "\"stats\":\"{\\\"numRecords\\\":5}\"}}\n"
#define REMOVE(path) "{\"remove\":{\"path\":\"" path "\",\"dataChange\":true}}\n"

static const struct weir_type *
ddl(struct weir_mem *mem, const char *text)
{
    const struct weir_type *type;

    if (weir_schema_parse_ddl(text, strlen(text), mem, &type, &err) != WEIR_OK)
        fail_msg("%s: %s", text, err.what);
    return type;
}

/* --- a writer: what the sink does, with files that are only names ------------------------------------------------ */

struct writer {
    struct weir_mem *mem;
    struct weir_store *st, *inner;
    struct weir_snapshot *snap;
    struct weir_bind_options bind;
    struct weir_binding binding;
    const struct weir_type *rows;
    const char *query;
    struct weir_stop *stop;
    struct weir_error err;
};

static void
writer_open(struct writer *w, const char *uri, const char *query, const char *rows)
{
    *w = (struct writer){.mem = weir_mem_new(NULL, NULL, "writer"), .query = query, .bind = {.create = true}};
    assert_int_equal(weir_store_open(uri, w->mem, &w->inner, &w->err), WEIR_OK);
    assert_int_equal(weir_store_fault(w->inner, w->mem, &w->st, &w->err), WEIR_OK);
    w->rows = ddl(w->mem, rows);
}

static void
writer_close(struct writer *w)
{
    weir_snapshot_free(w->snap);
    weir_store_close(w->st);
    weir_mem_free(w->mem);
}

static weir_rc
writer_refresh(struct writer *w)
{
    weir_snapshot_free(w->snap);
    w->snap = NULL;
    return weir_snapshot_open(w->st, w->query, "pipe", NULL, &w->snap, &w->err);
}

/* Binds and commits one batch of one file. The snapshot is opened when there is none. */
static weir_rc
writer_commit(struct writer *w, int64_t batch, int64_t *version)
{
    struct weir_buf adds = WEIR_BUF(10000);
    struct weir_txn txn;
    char path[64];
    weir_rc rc;

    if (w->snap == NULL)
        WEIR_TRY(writer_refresh(w));
    rc = weir_bind(w->snap, w->rows, &w->bind, w->mem, &w->binding, &w->err);
    if (rc != WEIR_OK)
        return rc;
    snprintf(path, sizeof(path), "%s-%" PRId64, w->query, batch);
    weir_txn_add(&adds, path, strlen(path), "{}", 2, 10, 1, "{\"numRecords\":1}", 16);
    txn = (struct weir_txn){.st = w->st,
                            .snap = w->snap,
                            .binding = &w->binding,
                            .rows = w->rows,
                            .bind = &w->bind,
                            .mem = w->mem,
                            .stop = w->stop,
                            .batch = batch,
                            .query_id = w->query,
                            .pipeline = "pipe",
                            .from = "1",
                            .to = "2",
                            .rows_written = 1,
                            .files = 1,
                            .bytes = 10,
                            .adds = adds.data,
                            .adds_len = adds.len};
    rc = weir_txn_commit(&txn, version, &w->err);
    weir_buf_fini(&adds);
    return rc;
}

static void
rival(struct weir_store *st, int64_t version, const char *text)
{
    char key[WEIR_LOG_KEY];

    weir_log_key(key, version);
    if (weir_store_put(st, key, text, strlen(text), WEIR_PUT_ABSENT, &err) != WEIR_OK)
        fail_msg("%s: %s", key, err.what);
}

static void
counts(struct weir_store *st, int64_t *version, uint64_t *files)
{
    struct weir_summary s;

    if (weir_summary_read(st, -1, NULL, &s, &err) != WEIR_OK)
        fail_msg("%s: %s", err.where, err.what);
    *version = s.snap->version;
    *files = s.files;
    weir_summary_fini(&s);
}

static void
table_is(struct weir_store *st, int64_t version, uint64_t files)
{
    int64_t v;
    uint64_t n;

    counts(st, &v, &n);
    assert_int_equal(v, version);
    assert_int_equal(n, files);
}

static int
teardown(void **state)
{
    (void)state;
    weir_point_hook(NULL, NULL);
    weir_mem_store_drop(PLACE);
    return 0;
}

/* --- races --------------------------------------------------------------------------------------------------------- */

enum { RACE = 100 };

static void *
race(void *arg)
{
    struct writer *w = arg;
    int64_t version;

    for (int64_t i = 0; i < RACE; i++) {
        if (writer_commit(w, i, &version) != WEIR_OK)
            return w;
    }
    return NULL;
}

static void
race_in(const char *uri)
{
    struct writer w[2];
    pthread_t t[2];

    writer_open(&w[0], uri, "q-a", "id BIGINT");
    writer_open(&w[1], uri, "q-b", "id BIGINT");
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&t[i], NULL, race, &w[i]), 0);
    for (int i = 0; i < 2; i++) {
        void *bad;

        pthread_join(t[i], &bad);
        if (bad != NULL)
            fail_msg("%s", w[i].err.what);
    }
    table_is(w[0].st, 2 * RACE - 1, 2 * RACE);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(writer_refresh(&w[i]), WEIR_OK);
        assert_int_equal(w[i].snap->txn, RACE - 1);
        writer_close(&w[i]);
    }
}

static void
two_writers_race_and_no_commit_is_lost_or_doubled(void **state)
{
    char dir[] = "/tmp/weir-delta-XXXXXX", uri[64], cmd[64];

    (void)state;
    race_in("mem:" PLACE "/t");
    assert_non_null(mkdtemp(dir));
    snprintf(uri, sizeof(uri), "%s/t", dir);
    race_in(uri);
    snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
    assert_int_equal(system(cmd), 0);
}

static void
two_who_make_the_table_at_once_end_in_one_table(void **state)
{
    struct writer a, b;
    int64_t version;

    (void)state;
    writer_open(&a, "mem:" PLACE "/t", "q-a", "id BIGINT, name STRING");
    writer_open(&b, "mem:" PLACE "/t", "q-b", "ID BIGINT");
    assert_int_equal(writer_refresh(&b), WEIR_OK); /* sees no table */
    assert_int_equal(writer_commit(&a, 0, &version), WEIR_OK);
    /* its files say ID, the table says id: written again */
    assert_int_equal(writer_commit(&b, 0, &version), WEIR_CONFLICT);
    assert_int_equal(writer_refresh(&b), WEIR_OK);
    assert_int_equal(writer_commit(&b, 0, &version), WEIR_OK);
    writer_close(&b);
    writer_open(&b, "mem:" PLACE "/t", "q-c", "id BIGINT");
    assert_int_equal(version, 1);
    table_is(a.st, 1, 2);
    writer_close(&a);
    writer_close(&b);
    weir_mem_store_drop(PLACE);
    writer_open(&a, "mem:" PLACE "/t", "q-a", "id BIGINT, name STRING");
    writer_open(&b, "mem:" PLACE "/t", "q-b", "id BIGINT");
    assert_int_equal(writer_refresh(&b), WEIR_OK);
    assert_int_equal(writer_commit(&a, 0, &version), WEIR_OK);
    assert_int_equal(writer_commit(&b, 0, &version), WEIR_OK); /* same columns: the commit goes through behind it */
    assert_int_equal(version, 1);
    assert_int_equal(writer_commit(&b, 1, &version), WEIR_OK);
    table_is(a.st, 2, 3);
    writer_close(&a);
    writer_close(&b);
}

static void
another_run_of_the_same_query_is_fenced(void **state)
{
    struct writer a, zombie;
    int64_t version;

    (void)state;
    writer_open(&a, "mem:" PLACE "/t", "q", "id BIGINT");
    writer_open(&zombie, "mem:" PLACE "/t", "q", "id BIGINT");
    assert_int_equal(writer_commit(&a, 0, &version), WEIR_OK);
    assert_int_equal(writer_refresh(&zombie), WEIR_OK);
    assert_int_equal(writer_commit(&a, 1, &version), WEIR_OK);
    assert_int_equal(writer_commit(&zombie, 1, &version), WEIR_FENCED);
    assert_non_null(strstr(zombie.err.what, "batch 1"));
    table_is(a.st, 1, 2);
    writer_close(&a);
    writer_close(&zombie);
}

static void
a_table_that_is_dropped_meanwhile_does_not_come_back_in_the_middle(void **state)
{
    struct writer w;
    int64_t version;

    (void)state;
    writer_open(&w, "mem:" PLACE "/t", "q", "id BIGINT");
    assert_int_equal(writer_commit(&w, 0, &version), WEIR_OK);
    assert_int_equal(weir_store_remove(w.inner, "_delta_log/00000000000000000000.json", &err), WEIR_OK);
    assert_int_equal(writer_commit(&w, 1, &version), WEIR_USAGE);
    writer_close(&w);
}

/* --- outcomes that are not known ----------------------------------------------------------------------------------- */

static void
unknown_outcomes_are_settled_at_their_version(void **state)
{
    static const struct {
        const char *name;
        weir_fault_kind kind;
        unsigned times;
        bool rival;
        int64_t version;
    } cases[] = {
        {"the answer is lost", WEIR_FAULT_LOST, 1, false, 1},
        {"the put arrives late", WEIR_FAULT_LATE, 1, false, 1},
        {"late twice", WEIR_FAULT_LATE, 2, false, 1},
        {"the put never arrives, a repeated one does", WEIR_FAULT_GONE, 1, false, 1},
        {"three times lost on the way", WEIR_FAULT_GONE, 3, false, 1},
        {"no answer, and another was first", WEIR_FAULT_LOST, 1, true, 2},
        {"late, and another was first", WEIR_FAULT_LATE, 1, true, 2},
        {"gone, and another was first", WEIR_FAULT_GONE, 2, true, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct writer w, other;
        int64_t version;

        writer_open(&w, "mem:" PLACE "/t", "q", "id BIGINT");
        writer_open(&other, "mem:" PLACE "/t", "other", "id BIGINT");
        assert_int_equal(writer_commit(&w, 0, &version), WEIR_OK);
        if (cases[i].rival)
            assert_int_equal(writer_commit(&other, 0, &version), WEIR_OK);
        weir_fault_plan(w.st, WEIR_FAULT_PUT, NULL, 1, cases[i].times, cases[i].kind);
        if (writer_commit(&w, 1, &version) != WEIR_OK)
            fail_msg("%s: %s", cases[i].name, w.err.what);
        if (version != cases[i].version)
            fail_msg("%s: version %" PRId64, cases[i].name, version);
        weir_fault_clear(w.st);
        assert_int_equal(writer_commit(&w, 2, &version), WEIR_OK);
        assert_int_equal(version, cases[i].version + 1);
        table_is(w.st, cases[i].version + 1, (uint64_t)cases[i].version + 2);
        writer_close(&w);
        writer_close(&other);
        weir_mem_store_drop(PLACE);
    }
}

static void *
ask_soon(void *arg)
{
    usleep(120 * 1000);
    weir_stop_ask(arg, 0);
    return NULL;
}

static void
what_cannot_be_settled_is_reported_as_unknown_and_found_by_the_next_run(void **state)
{
    struct weir_stop stop;
    struct writer w;
    int64_t version;
    pthread_t t;

    (void)state;
    assert_int_equal(weir_stop_init(&stop, &err), WEIR_OK);
    writer_open(&w, "mem:" PLACE "/t", "q", "id BIGINT");
    assert_int_equal(writer_commit(&w, 0, &version), WEIR_OK);
    /* The put lands, its answer is lost, and nothing answers any more until somebody asks to stop. */
    weir_fault_plan(w.st, WEIR_FAULT_PUT, NULL, 1, 1, WEIR_FAULT_LOST);
    weir_fault_plan(w.st, WEIR_FAULT_PUT, NULL, 1, 100, WEIR_FAULT_GONE);
    weir_fault_plan(w.st, WEIR_FAULT_HEAD, "0001.json", 1, 100, WEIR_FAULT_FAIL);
    w.stop = &stop;
    assert_int_equal(pthread_create(&t, NULL, ask_soon, &stop), 0);
    assert_int_equal(writer_commit(&w, 1, &version), WEIR_UNKNOWN);
    pthread_join(t, NULL);
    weir_fault_clear(w.st);
    w.stop = NULL;
    assert_int_equal(writer_refresh(&w), WEIR_OK);
    assert_int_equal(w.snap->txn, 1); /* it was made */
    table_is(w.st, 1, 2);
    writer_close(&w);
    weir_stop_fini(&stop);
}

/* The sink removes the files of a commit that lost: a code that says so must never come from one that was made. */
static void
a_commit_that_cannot_be_read_back_is_not_said_to_be_lost(void **state)
{
    struct writer w;
    int64_t version;

    (void)state;
    writer_open(&w, "mem:" PLACE "/t", "q", "id BIGINT");
    weir_fault_plan(w.st, WEIR_FAULT_HEAD, "0000.json", 1, 1, WEIR_FAULT_FAIL);
    assert_int_equal(writer_commit(&w, 0, &version), WEIR_UNKNOWN);
    weir_fault_clear(w.st);
    assert_int_equal(writer_refresh(&w), WEIR_OK);
    assert_int_equal(w.snap->txn, 0);
    writer_close(&w);
    weir_mem_store_drop(PLACE);
}

/* Every call fails once, in every way; a new run then finds the batch or does it again, and it is there once. */
static void
whatever_call_fails_the_batch_is_in_the_table_once(void **state)
{
    static const weir_fault_kind kinds[] = {WEIR_FAULT_FAIL, WEIR_FAULT_NOSPACE, WEIR_FAULT_LOST, WEIR_FAULT_LATE,
                                            WEIR_FAULT_GONE};

    (void)state;
    for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
        for (unsigned n = 1; n < 60; n++) {
            struct writer w, other;
            int64_t version;
            unsigned before;
            weir_rc rc;

            writer_open(&other, "mem:" PLACE "/t", "other", "id BIGINT");
            writer_open(&w, "mem:" PLACE "/t", "q", "id BIGINT");
            assert_int_equal(writer_commit(&other, 0, &version), WEIR_OK);
            assert_int_equal(writer_commit(&w, 0, &version), WEIR_OK);
            assert_int_equal(writer_commit(&other, 1, &version), WEIR_OK); /* the first attempt loses */
            before = weir_fault_calls(w.st);
            weir_fault_plan(w.st, WEIR_FAULT_ANY, NULL, n, 1, kinds[k]);
            rc = writer_commit(&w, 1, &version);
            before = weir_fault_calls(w.st) - before;
            weir_fault_clear(w.st);
            assert_int_equal(writer_refresh(&w), WEIR_OK);
            assert_true(rc != WEIR_OK || w.snap->txn == 1);
            if (w.snap->txn < 1)
                assert_int_equal(writer_commit(&w, 1, &version), WEIR_OK);
            table_is(w.inner, 3, 4);
            writer_close(&w);
            writer_close(&other);
            weir_mem_store_drop(PLACE);
            if (n > before)
                break;
        }
    }
}

/* --- the table changes under a commit ------------------------------------------------------------------------------ */

static void
winners_that_change_the_table_are_followed_or_refused(void **state)
{
    static const struct {
        const char *name, *commit, *rows;
        bool merge;
        weir_rc rc;
        const char *what; /* in the error, or in the commit */
    } cases[] = {
        {"a new nullable column", META(ID "," NAME "," FIELD("x", "double", "true"), CONF), "id BIGINT, name STRING",
         false, WEIR_OK, "\"weir.log.metaData\":\"1\""},
        {"a property", META(ID "," NAME, "\"configuration\":{\"delta.appendOnly\":\"true\"}"), "id BIGINT", false,
         WEIR_OK, NULL},
        {"only txns of others", "{\"txn\":{\"appId\":\"z\",\"version\":9}}\n", "id BIGINT", false, WEIR_OK,
         "\"readVersion\":0"},
        {"files removed", REMOVE("first-0"), "id BIGINT", false, WEIR_OK, NULL},
        {"a new column that must not be null", META(ID "," NAME "," FIELD("x", "double", "false"), CONF), "id BIGINT",
         false, WEIR_SCHEMA, "column x, which is NOT NULL"},
        {"a column becomes NOT NULL", META(FIELD("id", "long", "false") "," NAME, CONF), "id BIGINT", false,
         WEIR_CONFLICT, "written again"},
        {"a column is dropped", META(ID, CONF), "id BIGINT, name STRING", false, WEIR_SCHEMA, "column name"},
        {"a column changes its type", META(FIELD("id", "string", "true") "," NAME, CONF), "id BIGINT", false,
         WEIR_SCHEMA, "column id is string in the table and bigint in the rows"},
        {"a column is spelled otherwise", META(FIELD("ID", "long", "true") "," NAME, CONF), "id BIGINT", false,
         WEIR_CONFLICT, "written again"},
        {"a constraint", META(ID "," NAME, "\"configuration\":{\"delta.constraints.c\":\"id > 1\"}")
                             "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":3}}\n",
         "id BIGINT", false, WEIR_UNSUPPORTED, "delta.constraints.c"},
        {"a feature nobody knows",
         "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":7,\"writerFeatures\":[\"warp\"]}}\n", "id BIGINT",
         false, WEIR_UNSUPPORTED, "warp"},
        {"a protocol that changes nothing for an append",
         "{\"protocol\":{\"minReaderVersion\":3,\"minWriterVersion\":7,\"readerFeatures\":[\"deletionVectors\"],"
         "\"writerFeatures\":[\"deletionVectors\",\"appendOnly\",\"invariants\"]}}\n",
         "id BIGINT", false, WEIR_OK, "\"weir.log.protocol\":\"1\""},
        {"the column that this commit adds", META(ID "," NAME "," FIELD("extra", "integer", "true"), CONF),
         "id BIGINT, extra INT", true, WEIR_OK, "\"weir.log.metaData\":\"1\""},
        {"another column beside the one that this commit adds", META(ID "," NAME "," FIELD("x", "double", "true"), CONF),
         "id BIGINT, extra INT", true, WEIR_OK, "\\\"name\\\":\\\"x\\\",\\\"type\\\":\\\"double\\\""},
        {"own query", "{\"txn\":{\"appId\":\"q\",\"version\":0}}\n", "id BIGINT", false, WEIR_FENCED, "another run"},
        {"a broken line", "{\"add\":{\"path\":\n", "id BIGINT", false, WEIR_CORRUPT, "JSON"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct weir_buf buf = WEIR_BUF(100000);
        struct writer first, w;
        int64_t version = -1;
        weir_rc rc;

        writer_open(&first, "mem:" PLACE "/t", "first", "id BIGINT, name STRING");
        writer_open(&w, "mem:" PLACE "/t", "q", cases[i].rows);
        w.bind.merge_schema = cases[i].merge;
        assert_int_equal(writer_commit(&first, 0, &version), WEIR_OK);
        assert_int_equal(writer_refresh(&w), WEIR_OK);
        rival(w.inner, 1, cases[i].commit);
        rc = writer_commit(&w, 1, &version);
        if (rc != cases[i].rc)
            fail_msg("%s: %s %s", cases[i].name, weir_rc_name(rc), w.err.what);
        if (rc == WEIR_OK) {
            assert_int_equal(version, 2);
            assert_int_equal(weir_store_get(w.st, "_delta_log/00000000000000000002.json", &buf, &err), WEIR_OK);
            if (cases[i].what != NULL && strstr(buf.data, cases[i].what) == NULL)
                fail_msg("%s: %s", cases[i].name, buf.data);
            assert_int_equal(writer_commit(&w, 2, &version), WEIR_OK);
        } else if (strstr(w.err.what, cases[i].what) == NULL) {
            fail_msg("%s: %s", cases[i].name, w.err.what);
        }
        weir_buf_fini(&buf);
        writer_close(&first);
        writer_close(&w);
        weir_mem_store_drop(PLACE);
    }
}

static weir_rc
another_change(void *arg, weir_point_id id, struct weir_error *e)
{
    static const char *const texts[] = {META(ID "," NAME, "\"configuration\":{\"n\":\"a\"}"),
                                        META(ID "," NAME, "\"configuration\":{\"n\":\"b\"}")};
    struct weir_store *st = arg;
    struct weir_object obj;
    int64_t version;
    char key[WEIR_LOG_KEY];

    (void)e;
    if (id != WEIR_POINT_COMMIT_TMP)
        return WEIR_OK;
    for (version = 0;; version++) {
        weir_log_key(key, version);
        if (weir_store_head(st, key, &obj, &err) != WEIR_OK)
            break;
    }
    rival(st, version, texts[version % 2]);
    return WEIR_OK;
}

static void
a_table_that_never_rests_is_given_up_as_a_conflict(void **state)
{
    struct writer w;
    int64_t version;

    (void)state;
    writer_open(&w, "mem:" PLACE "/t", "q", "id BIGINT, name STRING");
    assert_int_equal(writer_commit(&w, 0, &version), WEIR_OK);
    weir_point_hook(another_change, w.inner);
    assert_int_equal(writer_commit(&w, 1, &version), WEIR_CONFLICT);
    weir_point_hook(NULL, NULL);
    assert_int_equal(writer_refresh(&w), WEIR_OK);
    assert_int_equal(writer_commit(&w, 1, &version), WEIR_OK);
    writer_close(&w);
}

/* --- reading logs --------------------------------------------------------------------------------------------------- */

static void
broken_logs_are_refused_with_file_and_line(void **state)
{
    static const struct {
        const char *name;
        const char *commits[4]; /* NULL: missing */
        const char *extra;      /* another object below _delta_log */
        weir_rc open, show;
        const char *what;
    } cases[] = {
        {"fine", {P12 META(ID, CONF), ADD("a")}, NULL, WEIR_OK, WEIR_OK, ""},
        {"blank lines, CRLF, an empty commit, no commitInfo",
         {"\r\n" P12 "\n" META(ID, CONF) "\r\n", "", ADD("a")}, NULL, WEIR_OK, WEIR_OK, ""},
        {"unknown actions and null actions", {P12 META(ID, CONF), "{\"warp\":{\"x\":1}}\n{\"txn\":null,\"add\":null}\n{}\n"},
         NULL, WEIR_OK, WEIR_OK, ""},
        {"a truncated add", {P12 META(ID, CONF), ADD("a") "{\"add\":{\"path\":\"b\",\"par"}, NULL, WEIR_CORRUPT,
         WEIR_CORRUPT, "0001.json line 2"},
        {"a truncated txn", {P12 META(ID, CONF), "{\"txn\":{\"appId\":\"q\",\"version\":1}}\n{\"txn\":{\"appId\":\"q\",\"vers"},
         NULL, WEIR_CORRUPT, WEIR_CORRUPT, "0001.json line 2"},
        {"no JSON at all", {P12 META(ID, CONF), "hello\n"}, NULL, WEIR_CORRUPT, WEIR_CORRUPT, "0001.json line 1"},
        {"a list", {P12 META(ID, CONF), "[1]\n"}, NULL, WEIR_CORRUPT, WEIR_CORRUPT, "not a JSON object"},
        {"bytes that are nothing", {P12 META(ID, CONF), "\x01\x01\x01\x01"}, NULL, WEIR_CORRUPT, WEIR_CORRUPT,
         "0001.json line 1"},
        {"a key twice", {P12 META(ID, CONF), "{\"txn\":{\"appId\":\"q\",\"appId\":\"z\",\"version\":1}}\n"}, NULL,
         WEIR_CORRUPT, WEIR_CORRUPT, "0001.json line 1"},
        {"a version that is no number", {P12 META(ID, CONF), "{\"txn\":{\"appId\":\"q\",\"version\":\"1\"}}\n"}, NULL,
         WEIR_CORRUPT, WEIR_OK, "version"},
        {"a hole", {P12 META(ID, CONF), NULL, ADD("a")}, NULL, WEIR_CORRUPT, WEIR_CORRUPT, "commit 1 is missing"},
        {"a hole below a checkpoint", {P12 META(ID, CONF), NULL, ADD("a"), ADD("b")}, "00000000000000000002.checkpoint.parquet",
         WEIR_CORRUPT, WEIR_CORRUPT, "00000000000000000002.checkpoint.parquet: cannot be read as Parquet"},
        {"no beginning", {NULL, ADD("a")}, NULL, WEIR_CORRUPT, WEIR_CORRUPT, "commit 0 is missing"},
        {"a checkpoint above all commits", {P12 META(ID, CONF), ADD("a")}, "00000000000000000007.checkpoint.parquet",
         WEIR_CORRUPT, WEIR_CORRUPT, "00000000000000000007.checkpoint.parquet: cannot be read as Parquet"},
        {"only a checkpoint", {NULL}, "00000000000000000003.checkpoint.parquet", WEIR_CORRUPT, WEIR_CORRUPT,
         "00000000000000000003.checkpoint.parquet: cannot be read as Parquet"},
        {"half a checkpoint above all commits", {P12 META(ID, CONF), ADD("a")},
         "00000000000000000007.checkpoint.0000000001.0000000002.parquet", WEIR_CORRUPT, WEIR_CORRUPT,
         "checkpoint 7 is not whole"},
        {"half a checkpoint beside a whole log", {P12 META(ID, CONF), ADD("a")},
         "00000000000000000001.checkpoint.0000000001.0000000002.parquet", WEIR_OK, WEIR_OK, ""},
        {"a checkpoint of V2 that is broken, beside a whole log", {P12 META(ID, CONF), ADD("a")},
         "00000000000000000001.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json", WEIR_OK, WEIR_OK, ""},
        {"a hint that is none", {P12 META(ID, CONF), ADD("a")}, "_last_checkpoint", WEIR_OK, WEIR_OK, ""},
        {"a checkpoint beside a whole log", {P12 META(ID, CONF), ADD("a")}, "00000000000000000001.checkpoint.parquet",
         WEIR_OK, WEIR_OK, ""},
        {"other files", {P12 META(ID, CONF), ADD("a")}, ".00000000000000000002.json.9.tmp", WEIR_OK, WEIR_OK, ""},
        {"no protocol", {META(ID, CONF), ADD("a")}, NULL, WEIR_CORRUPT, WEIR_CORRUPT, "no protocol"},
        {"no metaData", {P12, ADD("a")}, NULL, WEIR_CORRUPT, WEIR_CORRUPT, "no metaData"},
        {"a schema that is none", {P12 META("7", CONF)}, NULL, WEIR_CORRUPT, WEIR_CORRUPT, "0000.json line 2"},
        {"not parquet", {P12 "{\"metaData\":{\"id\":\"m\",\"format\":{\"provider\":\"orc\"},\"schemaString\":\"{\\\"type\\\":"
                             "\\\"struct\\\",\\\"fields\\\":[]}\"}}\n"}, NULL, WEIR_UNSUPPORTED, WEIR_UNSUPPORTED, "orc"},
        {"a partition column that is none",
         {P12 "{\"metaData\":{\"id\":\"m\",\"schemaString\":\"{\\\"type\\\":\\\"struct\\\",\\\"fields\\\":[]}\","
              "\"partitionColumns\":[\"p\"]}}\n"}, NULL, WEIR_CORRUPT, WEIR_CORRUPT, "partition column p"},
        {"an add without a path", {P12 META(ID, CONF), "{\"add\":{\"size\":1}}\n"}, NULL, WEIR_OK, WEIR_CORRUPT, "path"},
        {"reader 3 without features' writer",
         {"{\"protocol\":{\"minReaderVersion\":3,\"minWriterVersion\":2}}\n" META(ID, CONF)}, NULL, WEIR_OK, WEIR_CORRUPT,
         "(3, 2)"},
        {"a catalog's table",
         {"{\"protocol\":{\"minReaderVersion\":3,\"minWriterVersion\":7,\"readerFeatures\":[\"catalogManaged\"],"
          "\"writerFeatures\":[\"catalogManaged\"]}}\n" META(ID, CONF)}, NULL, WEIR_OK, WEIR_UNSUPPORTED, "catalogManaged"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
        struct weir_snapshot *snap = NULL;
        struct weir_summary s;
        struct weir_store *st;
        char key[160], text[1200];
        weir_rc rc;

        assert_int_equal(weir_store_open("mem:" PLACE "/t", mem, &st, &err), WEIR_OK);
        for (int v = 0; v < 4; v++) {
            if (cases[i].commits[v] != NULL)
                rival(st, v, cases[i].commits[v]);
        }
        if (cases[i].extra != NULL) {
            snprintf(key, sizeof(key), "_delta_log/%s", cases[i].extra);
            assert_int_equal(weir_store_put(st, key, "x", 1, WEIR_PUT_ABSENT, &err), WEIR_OK);
        }
        weir_error_clear(&err);
        rc = weir_snapshot_open(st, "q", NULL, NULL, &snap, &err);
        if (rc != cases[i].open)
            fail_msg("%s: open %s %s", cases[i].name, weir_rc_name(rc), err.what);
        weir_error_text(&err, text, sizeof(text));
        if (rc != WEIR_OK && strstr(text, cases[i].what) == NULL)
            fail_msg("%s: %s", cases[i].name, text);
        weir_error_clear(&err);
        rc = weir_summary_read(st, -1, NULL, &s, &err);
        if (rc != cases[i].show)
            fail_msg("%s: show %s %s", cases[i].name, weir_rc_name(rc), err.what);
        weir_error_text(&err, text, sizeof(text));
        if (rc != WEIR_OK && strstr(text, cases[i].what) == NULL)
            fail_msg("%s: %s", cases[i].name, text);
        weir_summary_fini(&s);
        weir_snapshot_free(rc == WEIR_OK || snap != NULL ? snap : NULL);
        weir_store_close(st);
        weir_mem_free(mem);
        weir_mem_store_drop(PLACE);
    }
}

static void
a_commit_of_zeros_as_a_power_cut_leaves_it_is_not_an_empty_one(void **state)
{
    static const char zeros[512];
    struct weir_snapshot *snap;
    struct writer w;

    (void)state;
    for (size_t n = 1; n < sizeof(zeros); n += 100) {
        writer_open(&w, "mem:" PLACE "/t", "q", "id BIGINT");
        rival(w.inner, 0, P12 META(ID, CONF));
        assert_int_equal(weir_store_put(w.inner, "_delta_log/00000000000000000001.json", zeros, n, WEIR_PUT_ABSENT, &err),
                         WEIR_OK);
        assert_int_equal(weir_snapshot_open(w.st, "q", NULL, NULL, &snap, &err), WEIR_CORRUPT);
        writer_close(&w);
        weir_mem_store_drop(PLACE);
    }
}

static void
replay_counts_each_file_by_its_newest_action(void **state)
{
    static const struct {
        const char *name;
        const char *commits[4];
        uint64_t files, rows, dvs;
    } cases[] = {
        {"add, remove, add again", {ADD("a"), REMOVE("a"), ADD("a")}, 1, 5, 0},
        {"removed", {ADD("a") ADD("b"), REMOVE("a")}, 1, 5, 0},
        {"added twice", {ADD("a"), ADD("a")}, 1, 5, 0},
        {"one path spelled in several ways", {ADD("./x//y"), ADD("x/y"), ADD("x/z/../y"), REMOVE("x/./y")}, 0, 0, 0},
        {"hex digits in either case", {ADD("%c3%bc"), REMOVE("%C3%BC")}, 0, 0, 0},
        {"but nothing is decoded", {ADD("a-b"), REMOVE("a%2Db")}, 1, 5, 0},
        {"in one commit the later line counts", {ADD("a") REMOVE("a"), REMOVE("b") ADD("b")}, 1, 5, 0},
        {"a deletion vector is another key",
         {ADD("a"), "{\"remove\":{\"path\":\"a\",\"dataChange\":true}}\n{\"add\":{\"path\":\"a\",\"partitionValues\":{},\"size\":10,"
                    "\"modificationTime\":1,\"dataChange\":true,\"stats\":\"{\\\"numRecords\\\":5}\",\"deletionVector\":{"
                    "\"storageType\":\"u\",\"pathOrInlineDv\":\"x\",\"offset\":1,\"sizeInBytes\":1,\"cardinality\":2}}}\n"},
         1, 3, 1},
        {"with its offset",
         {"{\"add\":{\"path\":\"a\",\"size\":10,\"deletionVector\":{\"storageType\":\"u\",\"pathOrInlineDv\":\"x\",\"offset\":1,"
          "\"cardinality\":2}}}\n",
          "{\"remove\":{\"path\":\"a\",\"deletionVector\":{\"storageType\":\"u\",\"pathOrInlineDv\":\"x\",\"offset\":2}}}\n"},
         1, 0, 1},
        {"statistics that make no sense", {"{\"add\":{\"path\":\"a\",\"size\":10,\"stats\":\"{nope\"}}\n" ADD("b")}, 2, 5, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
        struct weir_summary s;
        struct weir_store *st;

        assert_int_equal(weir_store_open("mem:" PLACE "/t", mem, &st, &err), WEIR_OK);
        rival(st, 0, P12 META(ID, CONF));
        for (int v = 0; v < 4 && cases[i].commits[v] != NULL; v++)
            rival(st, v + 1, cases[i].commits[v]);
        if (weir_summary_read(st, -1, NULL, &s, &err) != WEIR_OK)
            fail_msg("%s: %s", cases[i].name, err.what);
        if (s.files != cases[i].files || s.rows != cases[i].rows || s.deletion_vectors != cases[i].dvs)
            fail_msg("%s: %" PRIu64 " files, %" PRIu64 " rows", cases[i].name, s.files, s.rows);
        weir_summary_fini(&s);
        weir_store_close(st);
        weir_mem_free(mem);
        weir_mem_store_drop(PLACE);
    }
}

static void
long_commits_are_read_backwards_in_bounded_memory(void **state)
{
    struct weir_buf buf = WEIR_BUF(64 << 20);
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_quota quota;
    struct weir_summary s;
    struct weir_store *st;

    (void)state;
    weir_quota_init(&quota, NULL, "small", 4 * WEIR_MIB);
    assert_int_equal(weir_store_open("mem:" PLACE "/t", mem, &st, &err), WEIR_OK);
    weir_buf_str(&buf, P12 META(ID, CONF));
    for (int i = 0; i < 40000; i++)
        weir_buf_printf(&buf, "{\"add\":{\"path\":\"%0*d\",\"size\":%d,\"stats\":\"{\\\"numRecords\\\":2}\"}}\n", i % 300 + 1, i, i);
    rival(st, 0, buf.data);
    if (weir_summary_read(st, -1, &quota, &s, &err) != WEIR_OK)
        fail_msg("%s", err.what);
    assert_int_equal(s.files, 40000);
    assert_int_equal(s.rows, 80000);
    assert_int_equal(s.bytes, 40000ull * 39999 / 2);
    weir_summary_fini(&s);
    assert_int_equal(quota.used, 0);
    weir_store_close(st);
    weir_mem_free(mem);
    weir_buf_fini(&buf);
}

/* --- opening is cheap, and shortcuts prove themselves --------------------------------------------------------------- */

static void
opening_does_not_grow_with_the_table(void **state)
{
    struct writer w, other;
    unsigned calls;
    int64_t version;

    (void)state;
    writer_open(&w, "mem:" PLACE "/t", "q", "id BIGINT");
    writer_open(&other, "mem:" PLACE "/t", "z", "id BIGINT");
    for (int i = 0; i < 300; i++)
        assert_int_equal(writer_commit(&w, i, &version), WEIR_OK);
    assert_int_equal(writer_commit(&other, 0, &version), WEIR_OK);
    calls = weir_fault_calls(w.st);
    assert_int_equal(writer_refresh(&w), WEIR_OK);
    assert_true(weir_fault_calls(w.st) - calls < 20);
    assert_int_equal(w.snap->txn, 299);
    assert_int_equal(w.snap->meta_version, 0);
    calls = weir_fault_calls(w.st);
    assert_int_equal(writer_commit(&w, 300, &version), WEIR_OK);
    assert_true(weir_fault_calls(w.st) - calls < 4); /* the base is there, the put */
    writer_close(&w);
    writer_close(&other);
}

static void
version_checksums_are_believed_only_with_the_txnId_of_their_commit(void **state)
{
    static const char crc[] =
        "{\"txnId\":\"%s\",\"numFiles\":1,\"setTransactions\":[{\"appId\":\"q\",\"version\":7}],\"metadata\":{\"id\":\"crc\","
        "\"schemaString\":\"{\\\"type\\\":\\\"struct\\\",\\\"fields\\\":[]}\"},\"protocol\":{\"minReaderVersion\":1,"
        "\"minWriterVersion\":2}}";
    static const struct {
        const char *name, *txn_id, *text; /* text: instead of crc */
        int64_t txn;
        const char *id;
    } cases[] = {
        {"of its commit", "t-1", NULL, 7, "crc"},
        {"of another commit", "t-2", NULL, 3, "m"},
        {"cut off", "t-1", "{\"txnId\":\"t-1\",\"setTrans", 3, "m"},
        {"without transactions", "t-1", "{\"txnId\":\"t-1\",\"metadata\":null}", 3, "m"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
        struct weir_snapshot *snap;
        struct weir_store *st;
        char text[600];

        assert_int_equal(weir_store_open("mem:" PLACE "/t", mem, &st, &err), WEIR_OK);
        rival(st, 0, P12 META(ID, CONF) "{\"txn\":{\"appId\":\"q\",\"version\":3}}\n");
        rival(st, 1, "{\"commitInfo\":{\"txnId\":\"t-1\"}}\n" ADD("a"));
        if (cases[i].text != NULL)
            snprintf(text, sizeof(text), "%s", cases[i].text);
        else
            snprintf(text, sizeof(text), crc, cases[i].txn_id);
        assert_int_equal(weir_store_put(st, "_delta_log/00000000000000000001.crc", text, strlen(text), WEIR_PUT_ABSENT, &err),
                         WEIR_OK);
        assert_int_equal(weir_snapshot_open(st, "q", NULL, NULL, &snap, &err), WEIR_OK);
        if (snap->txn != cases[i].txn || strcmp(snap->meta.id, cases[i].id) != 0)
            fail_msg("%s: txn %" PRId64 ", %s", cases[i].name, snap->txn, snap->meta.id);
        weir_snapshot_free(snap);
        weir_store_close(st);
        weir_mem_free(mem);
        weir_mem_store_drop(PLACE);
    }
}

/* A listing that passed a name's place before the name was there. */
static unsigned listings_without_1;
static const struct weir_store_type *listed_type;

static weir_rc
see_without_1(void *arg, const struct weir_object *obj, struct weir_error *e)
{
    void **pass = arg;
    weir_rc (*cb)(void *, const struct weir_object *, struct weir_error *);

    memcpy(&cb, pass[1], sizeof(cb));
    return strstr(obj->key, "0001.json") != NULL ? WEIR_OK : cb(pass[0], obj, e);
}

static weir_rc
list_while_commits_come(void *self, const char *prefix, const char *from, weir_list_mode mode,
                        weir_rc (*cb)(void *arg, const struct weir_object *obj, struct weir_error *err), void *arg,
                        struct weir_error *e)
{
    void *pass[] = {arg, &cb};

    if (listings_without_1 == 0)
        return listed_type->list(self, prefix, from, mode, cb, arg, e);
    listings_without_1--;
    return listed_type->list(self, prefix, from, mode, see_without_1, pass, e);
}

static void
a_commit_that_one_listing_missed_is_no_hole(void **state)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_store_type type;
    struct weir_snapshot *snap;
    struct weir_store *st;

    (void)state;
    assert_int_equal(weir_store_open("mem:" PLACE "/t", mem, &st, &err), WEIR_OK);
    rival(st, 0, P12 META(ID, CONF));
    rival(st, 1, ADD("a"));
    rival(st, 2, ADD("b"));
    listed_type = st->type;
    type = *listed_type;
    type.list = list_while_commits_come;
    st->type = &type;
    listings_without_1 = 1;
    if (weir_snapshot_open(st, "q", NULL, NULL, &snap, &err) != WEIR_OK)
        fail_msg("%s", err.what);
    assert_int_equal(snap->version, 2);
    weir_snapshot_free(snap);
    listings_without_1 = 1000;
    assert_int_equal(weir_snapshot_open(st, "q", NULL, NULL, &snap, &err), WEIR_CORRUPT);
    st->type = listed_type;
    weir_store_close(st);
    weir_mem_free(mem);
}

/* A new checkpoint must hear of the one before, or it would write every row again. */
static void
another_query_of_the_pipeline_is_found_wherever_its_commits_are(void **state)
{
    static const char crc[] =
        "{\"txnId\":\"t-1\",\"setTransactions\":[],\"metadata\":{\"id\":\"crc\",\"schemaString\":\"{\\\"type\\\":"
        "\\\"struct\\\",\\\"fields\\\":[]}\"},\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":2}}";
    static const char *const ids[] = {NULL, "new"};
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_snapshot *snap;
    struct weir_store *st;

    (void)state;
    assert_int_equal(weir_store_open("mem:" PLACE "/t", mem, &st, &err), WEIR_OK);
    rival(st, 0, "{\"commitInfo\":{\"operationParameters\":{\"queryId\":\"old\"},\"tags\":{\"weir.pipeline\":\"pipe\"}}}\n"
                 P12 META(ID, CONF));
    rival(st, 1, "{\"commitInfo\":{\"txnId\":\"t-1\",\"operation\":\"OPTIMIZE\"}}\n" ADD("a"));
    assert_int_equal(weir_store_put(st, "_delta_log/00000000000000000001.crc", crc, strlen(crc), WEIR_PUT_ABSENT, &err),
                     WEIR_OK);
    for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
        assert_int_equal(weir_snapshot_open(st, ids[i], "pipe", NULL, &snap, &err), WEIR_OK);
        assert_string_equal(snap->other_query, "old");
        assert_int_equal(snap->txn, -1);
        weir_snapshot_free(snap);
    }
    weir_store_close(st);
    weir_mem_free(mem);
    weir_mem_store_drop(PLACE);
}

/* --- features ------------------------------------------------------------------------------------------------------- */

static void
features_are_honoured_idle_or_refused(void **state)
{
#define GEN "{\\\"name\\\":\\\"id\\\",\\\"type\\\":\\\"long\\\",\\\"nullable\\\":true,\\\"metadata\\\":{\\\"delta.generationExpression\\\":\\\"x\\\"}}"
#define IDENT "{\\\"name\\\":\\\"id\\\",\\\"type\\\":\\\"long\\\",\\\"nullable\\\":true,\\\"metadata\\\":{\\\"delta.identity.start\\\":1}}"
#define INVARIANT "{\\\"name\\\":\\\"id\\\",\\\"type\\\":\\\"long\\\",\\\"nullable\\\":true,\\\"metadata\\\":{\\\"delta.invariants\\\":\\\"x\\\"}}"
#define VARCHAR "{\\\"name\\\":\\\"id\\\",\\\"type\\\":\\\"string\\\",\\\"nullable\\\":true,\\\"metadata\\\":{\\\"__CHAR_VARCHAR_TYPE_STRING\\\":\\\"varchar(3)\\\"}}"
    static const struct {
        const char *protocol, *meta; /* after "minReaderVersion": */
        weir_rc rc;
        const char *what;
    } cases[] = {
        {"1,\"minWriterVersion\":1", META(ID, CONF), WEIR_OK, NULL},
        {"1,\"minWriterVersion\":2", META(ID, CONF), WEIR_OK, NULL},
        {"1,\"minWriterVersion\":2", META(INVARIANT, CONF), WEIR_UNSUPPORTED, "invariants (id)"},
        {"1,\"minWriterVersion\":2", META(GEN, CONF), WEIR_OK, NULL}, /* means nothing below writer 4 */
        {"1,\"minWriterVersion\":2", META(IDENT, CONF), WEIR_OK, NULL},
        {"1,\"minWriterVersion\":2", META(VARCHAR, CONF), WEIR_UNSUPPORTED, "column id is a char or varchar"},
        {"1,\"minWriterVersion\":3", META(ID, "\"configuration\":{\"delta.constraints.a\":\"x\"}"), WEIR_UNSUPPORTED,
         "delta.constraints.a"},
        {"1,\"minWriterVersion\":4", META(ID, CONF), WEIR_OK, NULL},
        {"1,\"minWriterVersion\":4", META(GEN, CONF), WEIR_UNSUPPORTED, "generatedColumns (id)"},
        {"2,\"minWriterVersion\":5", META(ID, CONF), WEIR_OK, NULL},
        {"2,\"minWriterVersion\":5", META(ID, "\"configuration\":{\"delta.columnMapping.mode\":\"name\"}"), WEIR_UNSUPPORTED,
         "columnMapping"},
        {"1,\"minWriterVersion\":6", META(IDENT, CONF), WEIR_UNSUPPORTED, "identityColumns (id)"},
        {"1,\"minWriterVersion\":8", META(ID, CONF), WEIR_UNSUPPORTED, "writer version 8"},
        {"4,\"minWriterVersion\":8", META(ID, CONF), WEIR_UNSUPPORTED, "reader version 4"},
        {"1,\"minWriterVersion\":7,\"writerFeatures\":[\"appendOnly\",\"changeDataFeed\",\"domainMetadata\"]", META(ID, CONF),
         WEIR_OK, NULL},
        {"1,\"minWriterVersion\":7,\"writerFeatures\":[\"checkConstraints\",\"identityColumns\",\"icebergCompatV2\"]",
         META(ID, CONF), WEIR_OK, NULL},
        {"1,\"minWriterVersion\":7,\"writerFeatures\":[\"icebergCompatV2\"]",
         META(ID, "\"configuration\":{\"delta.enableIcebergCompatV2\":\"true\"}"), WEIR_UNSUPPORTED, "icebergCompatV2"},
        {"1,\"minWriterVersion\":7,\"writerFeatures\":[\"rowTracking\",\"domainMetadata\"]", META(ID, CONF), WEIR_UNSUPPORTED,
         "rowTracking"},
        {"1,\"minWriterVersion\":7,\"writerFeatures\":[\"clustering\",\"domainMetadata\"]", META(ID, CONF), WEIR_UNSUPPORTED,
         "clustering"},
        {"3,\"minWriterVersion\":7,\"readerFeatures\":[\"deletionVectors\"],\"writerFeatures\":[\"deletionVectors\"]",
         META(ID, CONF), WEIR_OK, NULL},
        {"3,\"minWriterVersion\":7,\"readerFeatures\":[\"warp\"],\"writerFeatures\":[\"warp\"]", META(ID, CONF),
         WEIR_UNSUPPORTED, "reader feature warp"},
        {"1,\"minWriterVersion\":7,\"writerFeatures\":[\"collations\"]", META(ID, CONF), WEIR_UNSUPPORTED, "collations"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[1500];
        struct writer w;
        weir_rc rc;

        snprintf(text, sizeof(text), "{\"protocol\":{\"minReaderVersion\":%s}}\n%s", cases[i].protocol, cases[i].meta);
        writer_open(&w, "mem:" PLACE "/t", "q", "id BIGINT");
        rival(w.inner, 0, text);
        assert_int_equal(writer_refresh(&w), WEIR_OK);
        rc = weir_feature_check_append(&w.snap->protocol, &w.snap->meta, &err);
        if (rc != cases[i].rc)
            fail_msg("%s: %s %s", cases[i].protocol, weir_rc_name(rc), err.what);
        if (rc != WEIR_OK && strstr(err.what, cases[i].what) == NULL)
            fail_msg("%s: %s", cases[i].protocol, err.what);
        writer_close(&w);
        weir_mem_store_drop(PLACE);
    }
}

/* --- schemas -------------------------------------------------------------------------------------------------------- */

static void
schemas_are_enforced_and_merged_as_delta_does(void **state)
{
    static const struct {
        const char *table, *rows;
        bool merge;
        weir_rc rc;
        const char *text; /* the table's schema after it, the file's columns; or a part of the error */
        const char *file;
    } cases[] = {
        {"a BIGINT, b STRING", "a BIGINT, b STRING", false, WEIR_OK, "a BIGINT, b STRING", "a BIGINT, b STRING"},
        {"a BIGINT, b STRING", "B STRING, A BIGINT", false, WEIR_OK, "a BIGINT, b STRING", "a BIGINT, b STRING"},
        {"a BIGINT, b STRING", "b STRING", false, WEIR_OK, "a BIGINT, b STRING", "b STRING"},
        {"a BIGINT NOT NULL, b STRING", "b STRING", false, WEIR_SCHEMA, "lack column a", NULL},
        {"a BIGINT", "a BIGINT, b STRING", false, WEIR_SCHEMA, "a column b that the table lacks", NULL},
        {"a BIGINT", "a BIGINT, b STRING", true, WEIR_OK, "a BIGINT, b STRING", "a BIGINT, b STRING"},
        {"a BIGINT", "b STRING NOT NULL, a BIGINT", true, WEIR_OK, "a BIGINT, b STRING", "a BIGINT, b STRING"},
        {"a BIGINT", "a INT", false, WEIR_SCHEMA, "bigint in the table and int", NULL},
        {"a BIGINT", "a INT", true, WEIR_SCHEMA, "bigint in the table and int", NULL},
        {"a SMALLINT", "a INT", false, WEIR_SCHEMA, "smallint in the table and int", NULL},
        {"a SMALLINT", "a INT", true, WEIR_OK, "a INT", "a INT"},
        {"a INT", "a TINYINT", true, WEIR_OK, "a INT", "a TINYINT"},
        {"a DECIMAL(5,2)", "a DECIMAL(6,2)", true, WEIR_SCHEMA, "decimal(5,2) in the table and decimal(6,2)", NULL},
        {"a FLOAT", "a DOUBLE", true, WEIR_SCHEMA, "float in the table", NULL},
        {"a STRING", "a INT", true, WEIR_SCHEMA, "string in the table and int", NULL},
        {"a DATE", "a TIMESTAMP", true, WEIR_SCHEMA, "date in the table", NULL},
        {"s STRUCT<x: INT, y: STRING>", "s STRUCT<y: STRING>", false, WEIR_OK, "s STRUCT<x: INT, y: STRING>",
         "s STRUCT<y: STRING>"},
        {"s STRUCT<x: INT>", "s STRUCT<x: INT, z: DATE>", false, WEIR_SCHEMA, "column s.z", NULL},
        {"s STRUCT<x: INT>", "s STRUCT<z: DATE, X: INT>", true, WEIR_OK, "s STRUCT<x: INT, z: DATE>",
         "s STRUCT<z: DATE, x: INT>"},
        {"l ARRAY<STRUCT<x: INT>>", "l ARRAY<STRUCT<x: INT, q: STRUCT<r: INT>>>", true, WEIR_OK,
         "l ARRAY<STRUCT<x: INT, q: STRUCT<r: INT>>>", "l ARRAY<STRUCT<x: INT, q: STRUCT<r: INT>>>"},
        {"m MAP<STRING, STRUCT<x: INT>>", "m MAP<STRING, STRUCT<y: INT>>", true, WEIR_OK,
         "m MAP<STRING, STRUCT<x: INT, y: INT>>", "m MAP<STRING, STRUCT<y: INT>>"},
        {"m MAP<STRING, STRUCT<x: INT>>", "m MAP<STRING, STRUCT<y: INT>>", false, WEIR_SCHEMA, "m.value.y", NULL},
        {"m MAP<STRING, INT>", "m MAP<INT, INT>", true, WEIR_SCHEMA, "column m.key", NULL},
        {"l ARRAY<INT>", "l ARRAY<BIGINT>", true, WEIR_SCHEMA, "column l.element", NULL},
        {"l ARRAY<SMALLINT>", "l ARRAY<INT>", true, WEIR_OK, "l ARRAY<INT>", "l ARRAY<INT>"},
        {"a STRUCT<x: INT>", "a INT", true, WEIR_SCHEMA, "struct<x:int> in the table and int", NULL},
        {"a BIGINT", "a BIGINT, `b c` INT", true, WEIR_SCHEMA, "\"b c\"", NULL},
        {"a BIGINT", "a BIGINT, s STRUCT<`x=`: INT>", true, WEIR_SCHEMA, "\"s.x=\"", NULL},
        {"a BIGINT", "a BIGINT, n VOID", true, WEIR_SCHEMA, "nothing but null", NULL},
        {"a BIGINT", "a BIGINT, t TIMESTAMP_NTZ", true, WEIR_SCHEMA, "timestampNtz", NULL},
        {NULL, "a BIGINT, `b;` INT", false, WEIR_SCHEMA, "b;", NULL},
        {NULL, "a BIGINT, v VARIANT", false, WEIR_UNSUPPORTED, "variant", NULL},
        {NULL, "a BIGINT NOT NULL, l ARRAY<INT>", false, WEIR_OK, "a BIGINT NOT NULL, l ARRAY<INT>",
         "a BIGINT NOT NULL, l ARRAY<INT>"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct weir_buf got = WEIR_BUF(10000), want = WEIR_BUF(10000);
        struct writer t, w;
        int64_t version;
        weir_rc rc;

        writer_open(&t, "mem:" PLACE "/t", "t", cases[i].table != NULL ? cases[i].table : "x INT");
        writer_open(&w, "mem:" PLACE "/t", "q", cases[i].rows);
        if (cases[i].table != NULL)
            assert_int_equal(writer_commit(&t, 0, &version), WEIR_OK);
        w.bind.merge_schema = cases[i].merge;
        rc = writer_commit(&w, 0, &version);
        if (rc != cases[i].rc)
            fail_msg("%s + %s: %s %s", cases[i].table, cases[i].rows, weir_rc_name(rc), w.err.what);
        if (rc != WEIR_OK) {
            if (strstr(w.err.what, cases[i].text) == NULL)
                fail_msg("%s + %s: %s", cases[i].table, cases[i].rows, w.err.what);
        } else {
            weir_type_print_ddl(w.binding.file, &got); /* before the snapshot goes that it borrows from */
            weir_type_print_ddl(ddl(w.mem, cases[i].file), &want);
            assert_string_equal(got.data, want.data);
            weir_buf_reset(&got);
            weir_buf_reset(&want);
            assert_int_equal(writer_refresh(&w), WEIR_OK);
            weir_type_print_ddl(w.snap->meta.schema, &got);
            weir_type_print_ddl(ddl(w.mem, cases[i].text), &want);
            assert_string_equal(got.data, want.data);
        }
        weir_buf_fini(&got);
        weir_buf_fini(&want);
        writer_close(&t);
        writer_close(&w);
        weir_mem_store_drop(PLACE);
    }
}

static void
columns_that_differ_in_case_only_never_meet_in_one(void **state)
{
    struct weir_field in[] = {{"x", 1, true, &weir_type_int, NULL}, {"X", 1, true, &weir_type_int, NULL}};
    struct weir_field out[] = {{"a", 1, true, &weir_type_long, NULL}, {"s", 1, true, NULL, NULL}};
    struct writer t, w;
    int64_t version;

    (void)state;
    for (int nested = 0; nested < 2; nested++) {
        for (int exists = 0; exists < 2; exists++) {
            writer_open(&t, "mem:" PLACE "/t", "t", nested ? "a BIGINT, s STRUCT<x: INT>" : "x INT");
            writer_open(&w, "mem:" PLACE "/t", "q", "a INT");
            if (exists)
                assert_int_equal(writer_commit(&t, 0, &version), WEIR_OK);
            w.rows = weir_type_struct(w.mem, in, 2);
            if (nested) {
                out[1].type = w.rows;
                w.rows = weir_type_struct(w.mem, out, 2);
            }
            for (int merge = 0; merge < 2; merge++) {
                w.bind.merge_schema = merge;
                assert_int_equal(writer_commit(&w, 0, &version), WEIR_SCHEMA);
                assert_non_null(strstr(w.err.what, nested ? "s.X and x differ in case" : "X and x differ in case"));
            }
            writer_close(&t);
            writer_close(&w);
            weir_mem_store_drop(PLACE);
        }
    }
}

static void
partitionBy_must_be_the_tables_own(void **state)
{
    static const char *const by_b[] = {"B"}, *const by_a[] = {"a"}, *const by_none[] = {"z"}, *const by_all[] = {"a", "b"};
    static const char *const twice[] = {"a", "A"};
    static const struct {
        const char *const *by;
        uint32_t n;
        bool exists;
        weir_rc rc;
    } cases[] = {
        {by_b, 1, true, WEIR_OK},        {by_b, 0, true, WEIR_OK},    {by_a, 1, true, WEIR_SCHEMA},
        {by_none, 1, true, WEIR_SCHEMA}, {by_b, 1, false, WEIR_OK},   {by_none, 1, false, WEIR_SCHEMA},
        {by_all, 2, false, WEIR_SCHEMA}, {twice, 2, false, WEIR_USAGE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct writer t, w;
        int64_t version;

        writer_open(&t, "mem:" PLACE "/t", "t", "a BIGINT, b STRING");
        writer_open(&w, "mem:" PLACE "/t", "q", "a BIGINT, b STRING");
        t.bind.partition_by = by_b;
        t.bind.npartition_by = 1;
        if (cases[i].exists)
            assert_int_equal(writer_commit(&t, 0, &version), WEIR_OK);
        w.bind.partition_by = cases[i].by;
        w.bind.npartition_by = cases[i].n;
        assert_int_equal(writer_commit(&w, 0, &version), cases[i].rc);
        writer_close(&t);
        writer_close(&w);
        weir_mem_store_drop(PLACE);
    }
}

/* --- other writers' tables ------------------------------------------------------------------------------------------ */

/* What the list of tables says of NAME: "latest" rows; -1: nothing. */
static int64_t
corpus_rows(const json_t *manifest, const char *name)
{
    size_t i;
    const json_t *entry;

    json_array_foreach(manifest, i, entry) {
        const json_t *rows = json_object_get(json_object_get(json_object_get(entry, "answers"), "latest"), "rows");

        if (strcmp(json_string_value(json_object_get(entry, "name")), name) == 0)
            return json_is_integer(rows) ? json_integer_value(rows) : -1;
    }
    return -1;
}

static void
corpus_table(const char *root, const json_t *manifest, const json_t *entry, int *opened, int *proved)
{
    const char *name = json_string_value(json_object_get(entry, "name"));
    bool refused = json_is_true(json_object_get(entry, "must_fail"));
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_snapshot *snap;
    struct weir_summary s;
    struct weir_store *st;
    char path[1024];
    int64_t rows = corpus_rows(manifest, name);
    weir_rc rc;

    snprintf(path, sizeof(path), "%s/delta/%s/delta", root, name);
    assert_int_equal(weir_store_open(path, mem, &st, &err), WEIR_OK);
    weir_error_clear(&err);
    rc = weir_summary_read(st, -1, NULL, &s, &err);
    if ((rc != WEIR_OK) != refused)
        fail_msg("%s: %s %s", name, weir_rc_name(rc), err.what);
    if (rc == WEIR_OK) {
        ++*opened;
        if (s.files_unknown == 0 && rows >= 0) {
            if ((int64_t)s.rows != rows)
                fail_msg("%s: %" PRIu64 " rows, not %" PRId64, name, s.rows, rows);
            ++*proved;
        }
        assert_int_equal(weir_snapshot_open(st, "nobody", NULL, NULL, &snap, &err), WEIR_OK);
        assert_int_equal(snap->version, s.snap->version);
        assert_int_equal(snap->txn, -1);
        assert_true(weir_type_equal(snap->meta.schema, s.snap->meta.schema));
        weir_snapshot_free(snap);
    } else if (rc != WEIR_UNSUPPORTED && rc != WEIR_CORRUPT) {
        fail_msg("%s: %s %s", name, weir_rc_name(rc), err.what);
    }
    weir_summary_fini(&s);
    weir_store_close(st);
    weir_mem_free(mem);
}

static void
tables_of_other_writers_open_or_are_refused_by_name(void **state)
{
    const char *root = getenv("WEIR_CORPORA");
    struct weir_buf buf = WEIR_BUF(16 << 20);
    struct weir_mem *mem;
    struct weir_store *st;
    json_t *manifest;
    size_t i;
    const json_t *entry;
    int opened = 0, proved = 0;

    (void)state;
    if (root == NULL) { /* cmocka's skip() reads as a failure in TAP */
        print_message("# skipped: WEIR_CORPORA is not set, so there are no tables of other writers here\n");
        return;
    }
    mem = weir_mem_new(NULL, NULL, "test");
    assert_int_equal(weir_store_open(root, mem, &st, &err), WEIR_OK);
    assert_int_equal(weir_store_get(st, "delta/manifest.json", &buf, &err), WEIR_OK);
    assert_int_equal(weir_json_load(buf.data, buf.len, &manifest, &err), WEIR_OK);
    json_array_foreach(manifest, i, entry)
        corpus_table(root, manifest, entry, &opened, &proved);
    print_message("# %d tables opened, the rows of %d agree\n", opened, proved);
    assert_true(opened > 50 && proved > 35);
    json_decref(manifest);
    weir_buf_fini(&buf);
    weir_store_close(st);
    weir_mem_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(two_writers_race_and_no_commit_is_lost_or_doubled, teardown),
        cmocka_unit_test_teardown(two_who_make_the_table_at_once_end_in_one_table, teardown),
        cmocka_unit_test_teardown(another_run_of_the_same_query_is_fenced, teardown),
        cmocka_unit_test_teardown(a_table_that_is_dropped_meanwhile_does_not_come_back_in_the_middle, teardown),
        cmocka_unit_test_teardown(unknown_outcomes_are_settled_at_their_version, teardown),
        cmocka_unit_test_teardown(what_cannot_be_settled_is_reported_as_unknown_and_found_by_the_next_run, teardown),
        cmocka_unit_test_teardown(whatever_call_fails_the_batch_is_in_the_table_once, teardown),
        cmocka_unit_test_teardown(winners_that_change_the_table_are_followed_or_refused, teardown),
        cmocka_unit_test_teardown(a_table_that_never_rests_is_given_up_as_a_conflict, teardown),
        cmocka_unit_test_teardown(broken_logs_are_refused_with_file_and_line, teardown),
        cmocka_unit_test_teardown(a_commit_of_zeros_as_a_power_cut_leaves_it_is_not_an_empty_one, teardown),
        cmocka_unit_test_teardown(replay_counts_each_file_by_its_newest_action, teardown),
        cmocka_unit_test_teardown(long_commits_are_read_backwards_in_bounded_memory, teardown),
        cmocka_unit_test_teardown(opening_does_not_grow_with_the_table, teardown),
        cmocka_unit_test_teardown(version_checksums_are_believed_only_with_the_txnId_of_their_commit, teardown),
        cmocka_unit_test_teardown(a_commit_that_one_listing_missed_is_no_hole, teardown),
        cmocka_unit_test_teardown(another_query_of_the_pipeline_is_found_wherever_its_commits_are, teardown),
        cmocka_unit_test_teardown(a_commit_that_cannot_be_read_back_is_not_said_to_be_lost, teardown),
        cmocka_unit_test_teardown(features_are_honoured_idle_or_refused, teardown),
        cmocka_unit_test_teardown(schemas_are_enforced_and_merged_as_delta_does, teardown),
        cmocka_unit_test_teardown(columns_that_differ_in_case_only_never_meet_in_one, teardown),
        cmocka_unit_test_teardown(partitionBy_must_be_the_tables_own, teardown),
        cmocka_unit_test_teardown(tables_of_other_writers_open_or_are_refused_by_name, teardown),
    };

    weir_parquet_io_set(&weir_parquet_duckdb);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
