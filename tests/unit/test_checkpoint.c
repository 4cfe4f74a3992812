/* The checkpoint folder: Spark's are read, ours are Spark's byte for byte, and what cannot be right is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "pipeline/checkpoint.h"
#include "store/mem.h"

static struct weir_error err;

struct fixture {
    struct weir_mem *mem;
    struct weir_store *st; /* the same folder as the checkpoint's */
    struct weir_checkpoint *cp;
};

static void
setup(struct fixture *f)
{
    memset(f, 0, sizeof(*f));
    memset(&err, 0, sizeof(err));
    f->mem = weir_mem_new(NULL, NULL, "test");
    assert_int_equal(weir_store_open("mem:checkpoint/c", f->mem, &f->st, &err), WEIR_OK);
}

static void
teardown(struct fixture *f)
{
    weir_checkpoint_close(f->cp);
    weir_store_close(f->st);
    weir_mem_free(f->mem);
    weir_mem_store_drop("checkpoint");
}

static void
put(struct fixture *f, const char *key, const char *text)
{
    assert_int_equal(weir_store_put(f->st, key, text, strlen(text), WEIR_PUT_REPLACE, &err), WEIR_OK);
}

static weir_rc
open_it(struct fixture *f, bool create)
{
    weir_checkpoint_close(f->cp);
    f->cp = NULL;
    memset(&err, 0, sizeof(err));
    return weir_checkpoint_open("mem:checkpoint/c", create, f->mem, &f->cp, &err);
}

static void
text_is(struct fixture *f, const char *key, const char *want)
{
    struct weir_buf buf = WEIR_BUF(1 << 20);

    assert_int_equal(weir_store_get(f->st, key, &buf, &err), WEIR_OK);
    weir_buf_byte(&buf, '\0');
    assert_string_equal(buf.data, want);
    weir_buf_fini(&buf);
}

#define OFFSETS(n) "v1\n{\"batchWatermarkMs\":0,\"batchTimestampMs\":" #n ",\"conf\":{}}\n{\"logOffset\":" #n "}"
#define COMMITS "v1\n{\"nextBatchWatermarkMs\":0}"
#define METADATA "{\"id\":\"11111111-2222-3333-4444-555555555555\"}"

/* --- what Spark wrote --- */

static void
golden_is(const char *name, const char *id, int64_t planned, const char *offset, int64_t time_ms)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_checkpoint *cp;
    struct weir_batch_record rec;
    char path[512];

    snprintf(path, sizeof(path), "%s/spark/checkpoints/%s", getenv("WEIR_GOLDEN"), name);
    assert_int_equal(weir_checkpoint_open(path, true, mem, &cp, &err), WEIR_OK);
    assert_string_equal(weir_checkpoint_id(cp), id);
    assert_int_equal(weir_checkpoint_planned(cp), planned);
    assert_int_equal(weir_checkpoint_committed(cp), planned);
    assert_int_equal(weir_checkpoint_read(cp, planned, mem, &rec, &err), WEIR_OK);
    assert_string_equal(rec.offset, offset);
    assert_int_equal(rec.time_ms, time_ms);
    assert_int_equal(rec.watermark_ms, 0);
    assert_int_equal(rec.fingerprint, 0);
    assert_int_equal(rec.schema_version, -1);
    assert_non_null(strstr(rec.conf, "\"spark.sql.shuffle.partitions\":\"2\""));
    weir_checkpoint_close(cp);
    weir_mem_free(mem);
}

static void
checkpoints_of_spark_are_read(void **state)
{
    (void)state;
    golden_is("checkpoint", "e50d2c12-a477-45e9-abeb-44d87a0884e2", 3, "{\"logOffset\":3}", 1796039875132);
    golden_is("ckpt_inferred", "6e4bf00d-c539-4afa-b889-bacff6a6e014", 3, "{\"logOffset\":3}", 1796039934722);
}

static void
what_spark_accepts_is_accepted(void **state)
{
    struct weir_batch_record rec;
    struct fixture f;

    (void)state;
    setup(&f);
    put(&f, "metadata", " { \"id\" : \"my-query\", \"more\": 1 }\n");
    put(&f, "offsets/0", "v1\n{\"batchWatermarkMs\":0,\"batchTimestampMs\":0,\"conf\":{}}\n{\"logOffset\":0}\n");
    put(&f, "commits/0", "v1\n{}\n");
    put(&f, "offsets/1", "v1\r\n { \"batchTimestampMs\" : 5 , \"batchWatermarkMs\" : 7, \"new\": [] } \r\n { \"logOffset\": 1 } \r\n\n");
    put(&f, "offsets/.2.abc.tmp", "junk");
    put(&f, "offsets/.1.crc", "junk");
    put(&f, "offsets/02", "junk");
    put(&f, "offsets/2.bak", "junk");
    assert_int_equal(open_it(&f, false), WEIR_OK);
    assert_string_equal(weir_checkpoint_id(f.cp), "my-query");
    assert_int_equal(weir_checkpoint_planned(f.cp), 1);
    assert_int_equal(weir_checkpoint_committed(f.cp), 0);
    assert_int_equal(weir_checkpoint_read(f.cp, 1, f.mem, &rec, &err), WEIR_OK);
    assert_string_equal(rec.offset, "{ \"logOffset\": 1 }");
    assert_int_equal(rec.time_ms, 5);
    assert_int_equal(rec.watermark_ms, 7);
    assert_null(rec.conf);
    put(&f, "offsets/1", "v1\n\n-"); /* Spark 2.0; no offset yet */
    assert_int_equal(weir_checkpoint_read(f.cp, 1, f.mem, &rec, &err), WEIR_OK);
    assert_null(rec.offset);
    teardown(&f);
}

struct refusal {
    const char *what, *key[6], *text[6], *said;
    weir_rc rc;
};

static const struct refusal refusals[] = {
    {"offsets without metadata", {"offsets/0", NULL}, {OFFSETS(0)}, "metadata", WEIR_USAGE},
    {"commits without metadata", {"commits/0", NULL}, {COMMITS}, "metadata", WEIR_USAGE},
    {"a hole", {"metadata", "offsets/5", "commits/5", NULL}, {METADATA, OFFSETS(5), COMMITS}, "offsets/4", WEIR_USAGE},
    {"another hole", {"metadata", "offsets/3", "offsets/5", "commits/5", NULL},
     {METADATA, OFFSETS(3), OFFSETS(5), COMMITS}, "offsets/4", WEIR_USAGE},
    {"commits ahead", {"metadata", "offsets/0", "commits/1", NULL}, {METADATA, OFFSETS(0), COMMITS}, "offsets/1", WEIR_USAGE},
    {"a batch that was never finished", {"metadata", "offsets/0", "offsets/1", NULL}, {METADATA, OFFSETS(0), OFFSETS(1)},
     "commits/0", WEIR_USAGE},
    {"v2", {"metadata", "offsets/0", NULL}, {METADATA, "v2\n{}\n{\"logOffset\":0}"}, "version 2", WEIR_USAGE},
    {"two sources", {"metadata", "offsets/0", NULL}, {METADATA, "v1\n{}\n{\"logOffset\":0}\n{\"logOffset\":0}"},
     "2 sources", WEIR_USAGE},
    {"no source", {"metadata", "offsets/0", NULL}, {METADATA, "v1\n{}\n"}, "source", WEIR_CORRUPT},
    {"only a version", {"metadata", "offsets/0", NULL}, {METADATA, "v1"}, "v1", WEIR_CORRUPT},
    {"empty", {"metadata", "offsets/0", NULL}, {METADATA, ""}, "v1", WEIR_CORRUPT},
    {"garbage", {"metadata", "offsets/0", NULL}, {METADATA, "\x01\x02\xff"}, "UTF-8", WEIR_CORRUPT},
    {"cut", {"metadata", "offsets/0", NULL}, {METADATA, "v1\n{\"batchWatermarkMs\":0,"}, "offsets/0", WEIR_CORRUPT},
    {"odd conf", {"metadata", "offsets/0", NULL}, {METADATA, "v1\n{\"conf\":1}\n{}"}, "conf", WEIR_CORRUPT},
    {"odd time", {"metadata", "offsets/0", NULL}, {METADATA, "v1\n{\"batchTimestampMs\":\"1\"}\n{}"}, "batchTimestampMs",
     WEIR_CORRUPT},
    {"odd fingerprint", {"metadata", "offsets/0", NULL}, {METADATA, "v1\n{\"conf\":{\"weir.fingerprint\":\"x\"}}\n{}"},
     "fingerprint", WEIR_CORRUPT},
    {"metadata without an id", {"metadata", NULL}, {"{}"}, "query id", WEIR_CORRUPT},
    {"metadata that is none", {"metadata", NULL}, {"id"}, "metadata", WEIR_CORRUPT},
    {"empty metadata", {"metadata", NULL}, {""}, "metadata", WEIR_CORRUPT},
};

static void
what_cannot_be_right_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
        char text[1200];
        struct fixture f;

        setup(&f);
        for (int j = 0; refusals[i].key[j] != NULL; j++)
            put(&f, refusals[i].key[j], refusals[i].text[j]);
        if (open_it(&f, true) != refusals[i].rc || strstr(weir_error_text(&err, text, sizeof(text)), refusals[i].said) == NULL)
            fail_msg("%s: %s", refusals[i].what, text);
        teardown(&f);
    }
}

/* --- what we write --- */

#define SPARK_CONF                                                                                              \
    "\"spark.sql.streaming.stateStore.providerClass\":"                                                         \
    "\"org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider\","                          \
    "\"spark.sql.streaming.stateStore.rocksdb.formatVersion\":\"5\","                                           \
    "\"spark.sql.streaming.stateStore.encodingFormat\":\"unsaferow\","                                          \
    "\"spark.sql.streaming.statefulOperator.useStrictDistribution\":\"true\","                                  \
    "\"spark.sql.streaming.flatMapGroupsWithState.stateFormatVersion\":\"2\","                                  \
    "\"spark.sql.streaming.multipleWatermarkPolicy\":\"min\","                                                  \
    "\"spark.sql.streaming.aggregation.stateFormatVersion\":\"2\","                                             \
    "\"spark.sql.shuffle.partitions\":\"200\",\"spark.sql.streaming.join.stateFormatVersion\":\"2\","           \
    "\"spark.sql.streaming.stateStore.compression.codec\":\"lz4\","                                             \
    "\"spark.sql.optimizer.pruneFiltersCanPruneStreamingSubplan\":\"false\""

static weir_rc
plan(struct fixture *f, int64_t id, const char *conf)
{
    struct weir_batch_record rec = {.id = id,
                                    .time_ms = 1700000000000 + id,
                                    .watermark_ms = id,
                                    .offset = "{\"logOffset\":7}",
                                    .fingerprint = 0xabc,
                                    .schema_version = id - 1,
                                    .conf = conf};

    memset(&err, 0, sizeof(err));
    return weir_checkpoint_plan(f->cp, &rec, &err);
}

static void
files_are_sparks_byte_for_byte(void **state)
{
    struct weir_batch_record rec;
    struct fixture f;
    char id[64], want[128];

    (void)state;
    setup(&f);
    assert_int_equal(open_it(&f, false), WEIR_OK);
    assert_null(weir_checkpoint_id(f.cp));
    assert_int_equal(weir_checkpoint_create(f.cp, &err), WEIR_OK);
    snprintf(id, sizeof(id), "%s", weir_checkpoint_id(f.cp));
    assert_int_equal(strlen(id), 36);
    snprintf(want, sizeof(want), "{\"id\":\"%s\"}", id);
    text_is(&f, "metadata", want);
    assert_int_equal(plan(&f, 0, NULL), WEIR_OK);
    text_is(&f, "offsets/0", "v1\n{\"batchWatermarkMs\":0,\"batchTimestampMs\":1700000000000,\"conf\":{" SPARK_CONF
            ",\"weir.fingerprint\":\"0000000000000abc\"}}\n{\"logOffset\":7}");
    assert_int_equal(weir_checkpoint_commit(f.cp, 0, &err), WEIR_OK);
    text_is(&f, "commits/0", "v1\n{\"nextBatchWatermarkMs\":0}");
    assert_int_equal(plan(&f, 1, NULL), WEIR_OK);
    assert_int_equal(open_it(&f, true), WEIR_OK);
    assert_string_equal(weir_checkpoint_id(f.cp), id);
    assert_int_equal(weir_checkpoint_planned(f.cp), 1);
    assert_int_equal(weir_checkpoint_committed(f.cp), 0);
    assert_int_equal(weir_checkpoint_read(f.cp, 1, f.mem, &rec, &err), WEIR_OK);
    assert_int_equal(rec.fingerprint, 0xabc);
    assert_int_equal(rec.schema_version, 0);
    assert_int_equal(rec.time_ms, 1700000000001);
    assert_string_equal(rec.offset, "{\"logOffset\":7}");
    assert_int_equal(weir_checkpoint_commit(f.cp, 1, &err), WEIR_OK);
    text_is(&f, "commits/1", "v1\n{\"nextBatchWatermarkMs\":1}");
    teardown(&f);
}

static void
offsets_of_spark_differ_in_nothing_but_our_facts(void **state)
{
    char path[512], *ours;
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_buf spark = WEIR_BUF(1 << 20), got = WEIR_BUF(1 << 20);
    struct weir_batch_record rec = {.schema_version = -1};
    struct weir_checkpoint *cp;
    struct weir_store *st;
    struct fixture f;

    (void)state;
    setup(&f);
    snprintf(path, sizeof(path), "%s/spark/checkpoints/checkpoint", getenv("WEIR_GOLDEN"));
    assert_int_equal(weir_checkpoint_open(path, false, mem, &cp, &err), WEIR_OK);
    assert_int_equal(weir_checkpoint_read(cp, 0, mem, &rec, &err), WEIR_OK);
    assert_int_equal(weir_store_open(path, mem, &st, &err), WEIR_OK);
    assert_int_equal(weir_store_get(st, "offsets/0", &spark, &err), WEIR_OK);
    put(&f, "metadata", METADATA);
    assert_int_equal(open_it(&f, false), WEIR_OK);
    assert_int_equal(weir_checkpoint_plan(f.cp, &rec, &err), WEIR_OK); /* no fingerprint, no version: no facts */
    assert_int_equal(weir_store_get(f.st, "offsets/0", &got, &err), WEIR_OK);
    assert_int_equal(got.len, spark.len);
    assert_memory_equal(got.data, spark.data, got.len);
    assert_int_equal(weir_checkpoint_commit(f.cp, 0, &err), WEIR_OK);

    assert_int_equal(plan(&f, 1, NULL), WEIR_OK); /* the frozen settings go on without being asked for */
    weir_buf_reset(&got);
    assert_int_equal(weir_store_get(f.st, "offsets/1", &got, &err), WEIR_OK);
    ours = strstr(got.data, "\"conf\":");
    assert_non_null(ours);
    assert_memory_equal(ours, strstr(spark.data, "\"conf\":"), strlen("\"conf\":") + strlen(rec.conf) - 1);
    assert_non_null(strstr(got.data, "\"spark.sql.shuffle.partitions\":\"2\""));
    assert_non_null(strstr(got.data, ",\"weir.fingerprint\":\"0000000000000abc\",\"weir.schemaVersion\":\"0\"}}"));
    assert_int_equal(weir_checkpoint_commit(f.cp, 1, &err), WEIR_OK);
    assert_int_equal(plan(&f, 2, NULL), WEIR_OK); /* and ours are not doubled */
    weir_buf_reset(&got);
    assert_int_equal(weir_store_get(f.st, "offsets/2", &got, &err), WEIR_OK);
    ours = strstr(got.data, "weir.schemaVersion\":\"");
    assert_non_null(ours);
    assert_null(strstr(ours + 1, "weir.schemaVersion"));
    weir_buf_fini(&spark);
    weir_buf_fini(&got);
    weir_checkpoint_close(cp);
    weir_store_close(st);
    weir_mem_free(mem);
    teardown(&f);
}

static void
of_two_runs_one_is_fenced(void **state)
{
    struct weir_checkpoint *other;
    struct fixture f;

    (void)state;
    setup(&f);
    assert_int_equal(open_it(&f, false), WEIR_OK);
    assert_int_equal(weir_checkpoint_open("mem:checkpoint/c", true, f.mem, &other, &err), WEIR_OK);
    assert_int_equal(weir_checkpoint_create(f.cp, &err), WEIR_FENCED);
    assert_int_equal(open_it(&f, false), WEIR_OK);
    weir_checkpoint_close(other);
    assert_int_equal(weir_checkpoint_open("mem:checkpoint/c", true, f.mem, &other, &err), WEIR_OK);
    assert_int_equal(plan(&f, 0, NULL), WEIR_OK);
    weir_checkpoint_close(f.cp);
    f.cp = other;
    assert_int_equal(plan(&f, 0, "{\"theirs\":\"x\"}"), WEIR_FENCED);
    assert_non_null(strstr(err.what, "offsets/0"));
    assert_int_equal(weir_checkpoint_refresh(f.cp, &err), WEIR_OK);
    assert_int_equal(weir_checkpoint_planned(f.cp), 0);
    put(&f, "commits/0", COMMITS);
    assert_int_equal(weir_checkpoint_commit(f.cp, 0, &err), WEIR_FENCED);
    teardown(&f);
}

static void
old_batches_are_purged_but_never_the_newest_two(void **state)
{
    char dir[] = "/tmp/weir-ckpt-XXXXXX", path[128], cmd[64];
    struct fixture f;
    FILE *crc;

    (void)state;
    setup(&f);
    assert_non_null(mkdtemp(dir));
    assert_int_equal(weir_checkpoint_open(dir, true, f.mem, &f.cp, &err), WEIR_OK);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(plan(&f, i, NULL), WEIR_OK);
        assert_int_equal(weir_checkpoint_commit(f.cp, i, &err), WEIR_OK);
    }
    snprintf(path, sizeof(path), "%s/offsets/.0.crc", dir);
    crc = fopen(path, "w");
    assert_non_null(crc);
    fclose(crc);
    weir_checkpoint_purge(f.cp, 100);
    assert_int_equal(access(path, F_OK), 0);
    weir_checkpoint_purge(f.cp, 3);
    assert_int_not_equal(access(path, F_OK), 0);
    for (int i = 0; i < 12; i++) {
        snprintf(path, sizeof(path), "%s/%s/%d", dir, i < 6 ? "offsets" : "commits", i % 6);
        assert_int_equal(access(path, F_OK) == 0, i % 6 >= 3);
    }
    weir_checkpoint_purge(f.cp, 0);
    snprintf(path, sizeof(path), "%s/offsets/4", dir);
    assert_int_equal(access(path, F_OK), 0);
    weir_checkpoint_close(f.cp);
    assert_int_equal(weir_checkpoint_open(dir, true, f.mem, &f.cp, &err), WEIR_OK);
    assert_int_equal(weir_checkpoint_committed(f.cp), 5);
    snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
    assert_int_equal(system(cmd), 0);
    teardown(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checkpoints_of_spark_are_read),
        cmocka_unit_test(what_spark_accepts_is_accepted),
        cmocka_unit_test(what_cannot_be_right_is_refused),
        cmocka_unit_test(files_are_sparks_byte_for_byte),
        cmocka_unit_test(offsets_of_spark_differ_in_nothing_but_our_facts),
        cmocka_unit_test(of_two_runs_one_is_fenced),
        cmocka_unit_test(old_batches_are_purged_but_never_the_newest_two),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
