/* Reading a log: where a snapshot begins, what a checkpoint of weir's holds, deletion vectors, pruning, time
 * travel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "codec/parquet.h"
#include "delta/ckpt.h"
#include "delta/dv.h"
#include "delta/files.h"
#include "delta/summary.h"
#include "delta/travel.h"
#include "delta/widening.h"
#include "sql/parquet_read.h"
#include "store/mem.h"
#include "store/store.h"

#define PLACE "test-delta-read"
#define P12 "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":2}}\n"
#define FIELD(name, type)                                                                                    \
    "{\\\"name\\\":\\\"" name "\\\",\\\"type\\\":\\\"" type                                                  \
    "\\\",\\\"nullable\\\":true,\\\"metadata\\\":{\\\"mine\\\":1}}"
#define META(conf)                                                                                           \
    "{\"metaData\":{\"id\":\"m\",\"name\":\"n\",\"format\":{\"provider\":\"parquet\",\"options\":{}},"       \
    "\"schemaString\":\"{\\\"type\\\":\\\"struct\\\",\\\"fields\\\":[" FIELD("id", "long") "," FIELD(        \
        "s",                                                                                                 \
        "string") "," FIELD("d",                                                                             \
                            "double") "," FIELD("t",                                                         \
                                                "timestamp") "," FIELD("p",                                  \
                                                                       "integer") "]}\","                    \
                                                                                  "\"partitionColumns\":["   \
                                                                                  "\"p\"],"                  \
                                                                                  "\"configuration\":{" conf \
                                                                                  "},\"createdTime\":5}}\n"

struct fixture {
    struct weir_mem *mem;
    struct weir_store *st;
    struct weir_error err;
};

static int
setup(void **state)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct fixture *f = weir_mem_zalloc(mem, sizeof(*f));

    f->mem = mem;
    weir_mem_store_drop(PLACE);
    assert_int_equal(weir_store_open("mem:" PLACE "/t", mem, &f->st, &f->err), WEIR_OK);
    *state = f;
    return 0;
}

static int
teardown(void **state)
{
    struct fixture *f = *state;

    weir_store_close(f->st);
    weir_mem_free(f->mem);
    weir_mem_store_drop(PLACE);
    return 0;
}

static void
put(struct fixture *f, const char *name, const char *text)
{
    char key[256];

    snprintf(key, sizeof(key), "_delta_log/%s", name);
    if (weir_store_put(f->st, key, text, strlen(text), WEIR_PUT_REPLACE, &f->err) != WEIR_OK)
        fail_msg("%s: %s", key, f->err.what);
}

static void
commit(struct fixture *f, int64_t version, const char *text)
{
    char name[64];

    snprintf(name, sizeof(name), "%020" PRId64 ".json", version);
    put(f, name, text);
}

static void
drop(struct fixture *f, int64_t version)
{
    char key[WEIR_LOG_KEY];

    weir_log_key(key, version);
    assert_int_equal(weir_store_remove(f->st, key, &f->err), WEIR_OK);
}

/* Paths of the live files at a version, sorted by their bytes, with a blank behind each. */
static const char *
live(struct fixture *f, int64_t version)
{
    const struct weir_live_ask ask = {0};
    struct weir_snapshot *snap;
    struct weir_live *files;
    struct weir_file file;
    char *names[64], *text = weir_mem_zalloc(f->mem, 4096);
    unsigned n = 0;
    weir_rc rc;

    if (weir_snapshot_at(f->st, version, NULL, &snap, &f->err) != WEIR_OK ||
        weir_live_open(f->st, snap, &ask, NULL, &files, &f->err) != WEIR_OK)
        fail_msg("version %" PRId64 ": %s: %s", version, f->err.where, f->err.what);
    while ((rc = weir_live_next(files, &file, &f->err)) == WEIR_OK)
        names[n++] = weir_mem_strdup(f->mem, file.path);
    assert_int_equal(rc, WEIR_END);
    for (unsigned i = 0; i < n; i++) {
        unsigned least = i;
        char *name;

        for (unsigned k = i + 1; k < n; k++)
            least = strcmp(names[k], names[least]) < 0 ? k : least;
        name = names[least];
        names[least] = names[i];
        names[i] = name;
        snprintf(text + strlen(text), 4096 - strlen(text), "%s ", name);
    }
    weir_live_close(files);
    weir_snapshot_free(snap);
    return text;
}

#define ADD(path, p, stats)                                                                                  \
    "{\"add\":{\"path\":\"" path "\",\"partitionValues\":{\"p\":" p                                          \
    "},\"size\":10,\"modificationTime\":1,\"dataChange\":true,"                                              \
    "\"tags\":{\"k\":\"v\"},\"stats\":\"" stats "\"}}\n"
#define REMOVE(path, ms)                                                                                     \
    "{\"remove\":{\"path\":\"" path "\",\"deletionTimestamp\":" ms ",\"dataChange\":true}}\n"
#define ROWS(n) "{\\\"numRecords\\\":" n "}"

/* --- where a snapshot begins ---------------------------------------------------------------------------- */

static void
four_versions(struct fixture *f, const char *conf)
{
    (void)conf;
    commit(f, 0, P12 META("\"delta.checkpointInterval\":\"2\"") ADD("a", "\"1\"", ROWS("1")));
    commit(f, 1, ADD("b", "null", ROWS("2")) "{\"txn\":{\"appId\":\"q\",\"version\":7}}\n");
    commit(f, 2, REMOVE("a", "1") ADD("c", "\"3\"", ROWS("3")));
    commit(f, 3, ADD("d", "\"1\"", ROWS("4")));
}

static void
a_checkpoint_of_weirs_stands_for_the_commits_below_it(void **state)
{
    struct fixture *f = *state;
    struct weir_snapshot *snap;
    struct weir_summary s;

    four_versions(f, "");
    assert_int_equal(weir_ckpt_write(f->st, 2, NULL, &f->err), WEIR_OK);
    assert_int_equal(weir_ckpt_write(f->st, 2, NULL, &f->err), WEIR_OK); /* it is there: nothing to do */
    for (int v = 0; v < 2; v++)
        drop(f, v);
    assert_string_equal(live(f, -1), "b c d ");
    assert_string_equal(live(f, 2), "b c ");
    assert_int_equal(weir_snapshot_open(f->st, "q", NULL, NULL, &snap, &f->err), WEIR_OK);
    assert_int_equal(snap->txn, 7);
    assert_int_equal(snap->checkpoint, 2);
    assert_string_equal(snap->meta.name, "n");
    assert_int_equal(snap->meta.created_ms, 5);
    assert_string_equal(snap->meta.schema->fields[0].metadata, "{\"mine\":1}");
    weir_snapshot_free(snap);
    assert_int_equal(weir_summary_read(f->st, -1, NULL, &s, &f->err), WEIR_OK);
    assert_int_equal(s.rows, 9);
    weir_summary_fini(&s);
    /* a checkpoint that is made of one, and of the commits above it */
    commit(
        f, 4,
        REMOVE("b",
               "1") "{\"txn\":{\"appId\":\"q\",\"version\":8}}\n{\"txn\":{\"appId\":\"z\",\"version\":1}}\n");
    assert_int_equal(weir_ckpt_write(f->st, 4, NULL, &f->err), WEIR_OK);
    for (int v = 2; v < 4; v++)
        drop(f, v);
    assert_string_equal(live(f, -1), "c d ");
    assert_int_equal(weir_snapshot_open(f->st, "q", NULL, NULL, &snap, &f->err), WEIR_OK);
    assert_int_equal(snap->txn, 8);
    weir_snapshot_free(snap);
}

static void
a_broken_checkpoint_is_passed_over_for_what_stands_before_it(void **state)
{
    static const struct {
        const char *name, *file, *text; /* written over the checkpoint of version 2, or beside it */
        const char *files;              /* NULL: CORRUPT */
        bool commits;                   /* those below are there */
    } cases[] = {
        {"garbage", "00000000000000000002.checkpoint.parquet", "PAR1 no more PAR1", "b c d ", true},
        {"garbage, and nothing below", "00000000000000000002.checkpoint.parquet", "PAR1 no more PAR1", NULL,
         false},
        {"empty", "00000000000000000002.checkpoint.parquet", "", "b c d ", true},
        {"a newer one in parts that is not whole",
         "00000000000000000003.checkpoint.0000000002.0000000002.parquet", "x", "b c d ", true},
        {"a newer one whose sidecar is gone",
         "00000000000000000003.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json",
         P12 META("") "{\"sidecar\":{\"path\":\"gone.parquet\",\"sizeInBytes\":1,\"modificationTime\":1}}\n",
         "b c d ", true},
        {"a newer one without metaData",
         "00000000000000000003.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json", P12, "b c d ", true},
        {"a hint at nothing", "_last_checkpoint", "{\"version\":77,\"size\":1}", "b c d ", true},
        {"a hint that is no JSON", "_last_checkpoint", "version 2", "b c d ", true},
        {"a hint below the newest checkpoint", "_last_checkpoint", "{\"version\":1,\"size\":1}", "b c d ",
         true},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct weir_snapshot *snap = NULL;
        struct fixture *f;

        teardown(state);
        setup(state);
        f = *state;
        four_versions(f, "");
        assert_int_equal(weir_ckpt_write(f->st, 2, NULL, &f->err), WEIR_OK);
        put(f, cases[i].file, cases[i].text);
        for (int v = 0; v < 2 && !cases[i].commits; v++)
            drop(f, v);
        if (cases[i].files == NULL) {
            assert_int_equal(weir_snapshot_at(f->st, -1, NULL, &snap, &f->err), WEIR_CORRUPT);
            assert_non_null(strstr(f->err.where, "00000000000000000002.checkpoint.parquet"));
        } else if (strcmp(live(f, -1), cases[i].files) != 0) {
            fail_msg("%s: %s", cases[i].name, live(f, -1));
        }
    }
}

static void
log_compactions_stand_for_commits_that_are_gone(void **state)
{
    struct fixture *f = *state;
    struct weir_snapshot *snap;

    four_versions(f, "");
    put(f, "00000000000000000001.00000000000000000002.compacted.json",
        ADD("b", "null", ROWS("2")) REMOVE("a", "1") ADD("c", "\"3\"", ROWS("3")));
    assert_string_equal(live(f, -1), "b c d ");
    drop(f, 1);
    assert_string_equal(live(f, -1), "b c d ");
    drop(f, 2);
    assert_string_equal(live(f, -1), "b c d ");
    drop(f, 0); /* which it does not stand for */
    assert_int_equal(weir_snapshot_at(f->st, -1, NULL, &snap, &f->err), WEIR_CORRUPT);
    assert_non_null(strstr(f->err.what, "commit 0 is missing, 1 is there"));
}

static void
tombstones_are_kept_as_long_as_the_table_says(void **state)
{
    struct fixture *f = *state;
    const struct weir_live_ask ask = {.what = WEIR_FILE_REMOVES | WEIR_FILE_REST};
    struct weir_snapshot *snap;
    struct weir_live *files;
    struct weir_file file;
    unsigned removes = 0;

    commit(f, 0, P12 META("") ADD("a", "\"1\"", ROWS("1")));
    commit(f, 1, REMOVE("a", "1") REMOVE("x", "99999999999999") ADD("b", "\"1\"", ROWS("1")));
    assert_int_equal(weir_ckpt_write(f->st, 1, NULL, &f->err), WEIR_OK);
    assert_int_equal(weir_snapshot_at(f->st, -1, NULL, &snap, &f->err), WEIR_OK);
    assert_int_equal(weir_live_open(f->st, snap, &ask, NULL, &files, &f->err), WEIR_OK);
    while (weir_live_next(files, &file, &f->err) == WEIR_OK) {
        if (file.remove) {
            removes++;
            assert_string_equal(file.path, "x");
            assert_int_equal(file.deleted_ms, 99999999999999);
        } else {
            assert_int_equal(file.ntags, 1);
            assert_string_equal(file.tags[0].value, "v");
        }
    }
    assert_int_equal(removes, 1);
    weir_live_close(files);
    weir_snapshot_free(snap);
}

static void
statistics_survive_as_a_struct_when_there_are_no_others(void **state)
{
    struct fixture *f = *state;
    const struct weir_live_ask ask = {.what = WEIR_FILE_STATS};
    struct weir_snapshot *snap;
    struct weir_live *files;
    struct weir_file file;

    commit(f, 0,
           P12 META("\"delta.checkpoint.writeStatsAsJson\":\"false\"")
               ADD("a", "\"1\"",
                   "{\\\"numRecords\\\":3,\\\"minValues\\\":{\\\"id\\\":-5,\\\"s\\\":\\\"q\\\",\\\"d\\\":0.5,"
                   "\\\"t\\\":\\\"2020-01-02T03:04:05.678Z\\\"},\\\"nullCount\\\":{\\\"id\\\":1}}"));
    assert_int_equal(weir_ckpt_write(f->st, 0, NULL, &f->err), WEIR_OK);
    assert_int_equal(weir_snapshot_at(f->st, -1, NULL, &snap, &f->err), WEIR_OK);
    assert_int_equal(weir_live_open(f->st, snap, &ask, NULL, &files, &f->err), WEIR_OK);
    assert_int_equal(weir_live_next(files, &file, &f->err), WEIR_OK);
    assert_non_null(file.stats);
    assert_non_null(strstr(file.stats, "\"numRecords\":3"));
    assert_non_null(strstr(file.stats, "\"id\":-5"));
    assert_non_null(strstr(file.stats, "\"s\":\"q\""));
    assert_non_null(strstr(file.stats, "2020-01-02 03:04:05.678"));
    weir_live_close(files);
    weir_snapshot_free(snap);
}

/* --- pruning -------------------------------------------------------------------------------------------- */

#define BOUNDS(lo, hi, nulls)                                                                                \
    "{\\\"numRecords\\\":10,\\\"minValues\\\":{\\\"id\\\":" lo "},\\\"maxValues\\\":{\\\"id\\\":" hi         \
    "},\\\"nullCount\\\":{\\\"id\\\":" nulls "}}"

static void
files_that_cannot_hold_a_row_are_left_out(void **state)
{
    static const struct {
        const char *column;
        weir_pred_op op;
        int64_t value;
        const char *kept; /* of all, 1-9, 10-19, nulls only, no statistics, another partition */
    } cases[] = {
        {"id", WEIR_PRED_EQ, 5, "a e f "},         {"id", WEIR_PRED_EQ, 9, "a e f "},
        {"id", WEIR_PRED_EQ, 100, "e "},           {"id", WEIR_PRED_LT, 1, "e "},
        {"id", WEIR_PRED_LE, 1, "a e f "},         {"id", WEIR_PRED_GT, 9, "b e "},
        {"id", WEIR_PRED_GE, 9, "a b e f "},       {"id", WEIR_PRED_IS_NULL, 0, "b c e "},
        {"id", WEIR_PRED_NOT_NULL, 0, "a b e f "}, {"p", WEIR_PRED_EQ, 2, "f "},
        {"p", WEIR_PRED_LT, 2, "a b c "},          {"p", WEIR_PRED_IS_NULL, 0, "e "},
        {"p", WEIR_PRED_NOT_NULL, 0, "a b c f "},  {"nothing", WEIR_PRED_EQ, 2, "a b c e f "},
        {"d", WEIR_PRED_EQ, 2, "a b c e f "},
    };
    struct fixture *f = *state;
    struct weir_snapshot *snap;

    commit(f, 0,
           P12 META("") ADD("a", "\"1\"", BOUNDS("1", "9", "0")) ADD("b", "\"1\"", BOUNDS("10", "19", "2"))
               ADD("c", "\"1\"", "{\\\"numRecords\\\":10,\\\"nullCount\\\":{\\\"id\\\":10}}")
                   ADD("e", "null", "") ADD("f", "\"2\"", BOUNDS("1", "9", "0")));
    assert_int_equal(weir_snapshot_at(f->st, -1, NULL, &snap, &f->err), WEIR_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        int64_t v = cases[i].value;
        int32_t v32 = (int32_t)v;
        bool p = strcmp(cases[i].column, "p") == 0;
        struct weir_col value = {
            .type = p ? &weir_type_int : &weir_type_long, .data = p ? (void *)&v32 : &v, .len = 1, .cap = 1};
        bool compares = cases[i].op != WEIR_PRED_IS_NULL && cases[i].op != WEIR_PRED_NOT_NULL;
        const struct weir_pred pred = {
            .op = cases[i].op, .path = &cases[i].column, .depth = 1, .value = compares ? &value : NULL};
        struct weir_live_ask ask = {.what = WEIR_FILE_STATS};
        struct weir_prune *prune;
        struct weir_live *files;
        struct weir_file file;
        bool has[128] = {false};
        char kept[32] = "";

        assert_int_equal(weir_prune_new(snap, &pred, f->mem, &prune, &f->err), WEIR_OK);
        ask.prune = prune;
        assert_int_equal(weir_live_open(f->st, snap, &ask, NULL, &files, &f->err), WEIR_OK);
        while (weir_live_next(files, &file, &f->err) == WEIR_OK)
            has[(unsigned char)file.path[0]] = true;
        for (int c = 'a'; c <= 'f'; c++)
            if (has[c])
                snprintf(kept + strlen(kept), sizeof(kept) - strlen(kept), "%c ", c);
        if (strcmp(kept, cases[i].kept) != 0)
            fail_msg("case %zu: kept %s, not %s", i, kept, cases[i].kept);
        weir_live_close(files);
    }
    weir_snapshot_free(snap);
}

/* --- deletion vectors ----------------------------------------------------------------------------------- */

static void
inline_vectors_are_decoded_or_refused(void **state)
{
    static const struct {
        const char *text;
        int64_t size, cardinality;
        weir_rc rc;
        const char *what;
        int rows[4]; /* that are gone; -1 ends */
    } cases[] = {
        /* magic 1681511377, one part, key 0, an array of 3 and 4 */
        {"^Bg9^0rr910000000000iXQKl0rr91000f500100005c8Xg0@@D72lkbi5=-{L", 44, 6, WEIR_CORRUPT, "", {-1}},
        {"wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L", 40, 6, WEIR_CORRUPT, "magic", {-1}},
        {"abc", 2, 1, WEIR_CORRUPT, "cannot be decoded", {-1}},
        {"", 0, 0, WEIR_CORRUPT, "magic", {-1}},
        {"~~~~~", 4, 1, WEIR_CORRUPT, "cannot be decoded", {-1}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct weir_dv_ref ref = {'i', cases[i].text, -1, cases[i].size, cases[i].cardinality};
        struct weir_error err = {0};
        struct weir_dv *dv;
        weir_rc rc = weir_dv_read(NULL, &ref, NULL, &dv, &err);

        if (rc != cases[i].rc || strstr(err.what, cases[i].what) == NULL)
            fail_msg("case %zu: %s %s", i, weir_rc_name(rc), err.what);
        weir_dv_free(dv);
    }
}

/* A bitmap of one part with these three kinds of containers: an array, a bitmap, runs. */
static size_t
three_containers(unsigned char *p)
{
    static const unsigned char head[] = {
        0xd1, 0xd3, 0x39, 0x64, 1, 0,
        0,    0,    0,    0,    0, 0, /* magic, parts */
        0,    0,    0,    0,          /* key */
        0x3b, 0x30, 2,    0,    4,    /* cookie with runs, 3 containers, the third is runs */
        0,    0,    1,    0,    1, 0,
        0x87, 0x13, 2,    0,    4, 0, /* keys and cardinalities less one: 2, 5000, 5 */
    };
    size_t n = sizeof(head);

    memcpy(p, head, n);
    memcpy(p + n, "\x07\0\xff\xff", 4);
    n += 4;
    memset(p + n, 0, 8192);
    for (int i = 0; i < 5000; i++)
        p[n + (size_t)i * 13 / 8] |= (unsigned char)(1 << (i * 13 % 8));
    n += 8192;
    memcpy(p + n, "\x02\0\x0a\0\x02\0\x64\0\x01\0", 10);
    return n + 10;
}

static void
every_kind_of_container_answers_for_its_rows(void **state)
{
    unsigned char bytes[9000];
    size_t n = three_containers(bytes);
    struct weir_error err = {0};
    struct weir_dv *dv;
    uint64_t seen = 0;

    (void)state;
    if (weir_dv_parse(bytes, n, 5007, NULL, &dv, &err) != WEIR_OK)
        fail_msg("%s", err.what);
    for (uint64_t row = 0; row < 4 * 65536; row++) {
        uint64_t low = row & 65535;
        bool want = row >> 16 == 0   ? low == 7 || low == 65535
                    : row >> 16 == 1 ? low % 13 == 0 && low / 13 < 5000
                    : row >> 16 == 2 ? (low >= 10 && low <= 12) || low == 100 || low == 101
                                     : false;

        if (weir_dv_has(dv, row) != want)
            fail_msg("row %" PRIu64, row);
        seen += want;
    }
    assert_int_equal(seen, 5007);
    weir_dv_free(dv);
    assert_int_equal(weir_dv_parse(bytes, n, 5006, NULL, &dv, &err), WEIR_CORRUPT);
    for (size_t cut = 0; cut < n; cut++)
        assert_int_not_equal(weir_dv_parse(bytes, cut, 5007, NULL, &dv, &err), WEIR_OK);
}

/* --- time travel ---------------------------------------------------------------------------------------- */

static void
a_time_finds_the_newest_version_that_is_not_younger(void **state)
{
    static const struct {
        int64_t ms, version; /* -1: NOTFOUND */
    } cases[] = {{999, -1}, {1000, 0}, {1999, 0}, {2000, 1}, {2500, 1}, {3000, 2}, {3001, -1}};
    struct fixture *f = *state;
    const char *protocol = "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":7,\"writerFeatures\":"
                           "[\"inCommitTimestamp\"]}}\n";
    char text[2000];

    snprintf(text, sizeof(text), "{\"commitInfo\":{\"inCommitTimestamp\":1000}}\n%s%s", protocol,
             META("\"delta.enableInCommitTimestamps\":\"true\""));
    commit(f, 0, text);
    commit(f, 1, "{\"commitInfo\":{\"inCommitTimestamp\":2000}}\n");
    commit(f, 2, "{\"commitInfo\":{\"inCommitTimestamp\":3000}}\n");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        int64_t version = -1;
        weir_rc rc = weir_travel(f->st, cases[i].ms, NULL, &version, &f->err);

        if (rc != (cases[i].version < 0 ? WEIR_NOTFOUND : WEIR_OK) || version != cases[i].version)
            fail_msg("%" PRId64 ": version %" PRId64 " %s", cases[i].ms, version, f->err.what);
    }
}

/* --- type widening -------------------------------------------------------------------------------------- */

static void
changes_of_types_that_the_protocol_does_not_have_are_refused(void **state)
{
    static const struct {
        const char *from, *to;
        bool known;
    } cases[] = {
        {"byte", "long", true},
        {"long", "integer", false},
        {"float", "double", true},
        {"long", "double", false},
        {"integer", "double", true},
        {"date", "timestamp_ntz", true},
        {"date", "timestamp", false},
        {"decimal(5,2)", "decimal(7,3)", true},
        {"decimal(5,2)", "decimal(6,4)", false},
        {"integer", "decimal(12,2)", true},
        {"integer", "decimal(11,2)", false},
        {"long", "decimal(20,0)", true},
        {"integer", "string", false},
        {"string", "binary", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char metadata[200];
        struct weir_field field = {"x", 1, true, &weir_type_long, metadata};
        const struct weir_type schema = {.kind = WEIR_STRUCT, .nfields = 1, .fields = &field};
        struct weir_error err = {0};

        snprintf(metadata, sizeof(metadata),
                 "{\"delta.typeChanges\":[{\"fromType\":\"%s\",\"toType\":\"%s\"}]}", cases[i].from,
                 cases[i].to);
        if ((weir_widening_check(&schema, &err) == WEIR_OK) != cases[i].known)
            fail_msg("%s to %s", cases[i].from, cases[i].to);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_checkpoint_of_weirs_stands_for_the_commits_below_it, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_broken_checkpoint_is_passed_over_for_what_stands_before_it, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(log_compactions_stand_for_commits_that_are_gone, setup, teardown),
        cmocka_unit_test_setup_teardown(tombstones_are_kept_as_long_as_the_table_says, setup, teardown),
        cmocka_unit_test_setup_teardown(statistics_survive_as_a_struct_when_there_are_no_others, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(files_that_cannot_hold_a_row_are_left_out, setup, teardown),
        cmocka_unit_test_setup_teardown(a_time_finds_the_newest_version_that_is_not_younger, setup, teardown),
        cmocka_unit_test(changes_of_types_that_the_protocol_does_not_have_are_refused),
        cmocka_unit_test(inline_vectors_are_decoded_or_refused),
        cmocka_unit_test(every_kind_of_container_answers_for_its_rows),
    };

    weir_log_setup(WEIR_LOG_ERROR, false);
    weir_parquet_io_set(&weir_parquet_duckdb);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
