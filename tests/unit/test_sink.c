/* The Delta sink from pages to commits, over files and memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "base/limits.h"
#include "base/point.h"
#include "base/str.h"
#include "base/time.h"
#include "column/page.h"
#include "delta/summary.h"
#include "sink/sink.h"
#include "store/mem.h"
#include "store/store.h"

enum { SETTINGS = 8 };

struct fixture {
    struct weir_mem *mem;
    struct weir_quota quota;
    const struct weir_sink_type *type;
    void *self;
    struct weir_sink_env env;
    struct weir_setting options[SETTINGS], properties[SETTINGS];
    struct weir_settings set_options, set_properties;
    const char *partition_by[4];
    const struct weir_type *schema;
};

static struct weir_error err;
static const char *table_path = "mem:test-sink/table";

static const struct weir_type *
ddl(struct fixture *f, const char *text)
{
    const struct weir_type *type;

    if (weir_schema_parse_ddl(text, strlen(text), f->mem, &type, &err) != WEIR_OK)
        fail_msg("%s: %s", text, err.what);
    return type;
}

static void
setup(struct fixture *f, const char *schema)
{
    memset(f, 0, sizeof(*f));
    weir_quota_init(&f->quota, NULL, "test", 512 * WEIR_MIB);
    f->mem = weir_mem_new(NULL, &f->quota, "test");
    f->type = weir_sink_find("delta");
    f->schema = ddl(f, schema);
    f->set_options = (struct weir_settings){.at = f->options, .file = "test.yaml"};
    f->set_properties = (struct weir_settings){.at = f->properties, .file = "test.yaml"};
    f->env = (struct weir_sink_env){.path = table_path,
                                    .output_mode = "append",
                                    .partition_by = f->partition_by,
                                    .options = &f->set_options,
                                    .properties = &f->set_properties,
                                    .create = true,
                                    .query_name = "orders",
                                    .query_id = "q-1",
                                    .zone = &weir_zone_utc,
                                    .lanes = 1,
                                    .row_group_bytes = WEIR_MIB,
                                    .quota = &f->quota,
                                    .mem = f->mem};
}

static void
option(struct weir_settings *set, const char *key, const char *value)
{
    assert_true(set->n < SETTINGS);
    set->at[set->n++] = (struct weir_setting){.key = key, .value = value, .line = 7};
}

static weir_rc
open_sink(struct fixture *f)
{
    f->self = calloc(1, f->type->self_size);
    return f->type->open(f->self, &f->env, &err);
}

static void
close_sink(struct fixture *f)
{
    f->type->close(f->self);
    free(f->self);
    f->self = NULL;
}

static void
teardown(struct fixture *f)
{
    if (f->self != NULL)
        close_sink(f);
    weir_mem_free(f->mem);
    assert_int_equal(f->quota.used, 0);
    weir_mem_store_drop("test-sink");
}

/* A page with rows from `from` on: longs and ints count, strings are "s<n % mod>", dates are n % mod, every
 * `null_each`-th value is null. */
static struct weir_page *
page_make(const struct weir_type *schema, uint32_t rows, uint64_t from, unsigned mod, unsigned null_each)
{
    struct weir_page *page;

    assert_int_equal(weir_page_new(schema, NULL, &page, &err), WEIR_OK);
    weir_page_reset(page);
    assert_true(rows <= page->cap);
    for (uint32_t c = 0; c < page->ncols; c++) {
        struct weir_col *col = &page->cols[c];

        for (uint32_t r = 0; r < rows; r++) {
            uint64_t v = from + r;
            char text[32];
            int n;

            switch (col->type->kind) {
            case WEIR_LONG:
            case WEIR_TIMESTAMP:
            case WEIR_TIMESTAMP_NTZ: ((int64_t *)col->data)[r] = (int64_t)v; break;
            case WEIR_INT:
            case WEIR_DATE: ((int32_t *)col->data)[r] = (int32_t)(v % mod); break;
            case WEIR_SHORT: ((int16_t *)col->data)[r] = (int16_t)v; break;
            case WEIR_DOUBLE: ((double *)col->data)[r] = (double)v / 2; break;
            case WEIR_STRING:
                n = snprintf(text, sizeof(text), "s%u", (unsigned)(v % mod));
                assert_true(weir_str_copy(page->mem, text, (uint32_t)n, &((struct weir_str *)col->data)[r]));
                break;
            default: fail_msg("kind %d", col->type->kind);
            }
            if (null_each > 0 && v % null_each == 0)
                weir_col_set_null(col, r);
        }
    }
    page->rows = rows;
    return page;
}

static weir_rc
write_pages(struct fixture *f, struct weir_drain *drain, struct weir_page **pages, unsigned n)
{
    void *lane;
    weir_rc rc = drain->lane_open(drain->self, 0, &lane, &err);

    for (unsigned i = 0; rc == WEIR_OK && i < n; i++)
        rc = drain->write(lane, pages[i], &err);
    if (rc == WEIR_OK)
        rc = drain->lane_finish(lane, &err);
    drain->lane_close(lane);
    (void)f;
    return rc;
}

/* One batch of one page. */
static weir_rc
batch(struct fixture *f, int64_t id, struct weir_page *page, struct weir_sink_result *out)
{
    struct weir_sink_batch b = {
        .id = id, .time_ms = weir_now_ms(), .schema = page->schema, .from = id > 0 ? "{\"logOffset\":1}" : NULL,
        .to = "{\"logOffset\":2}"};
    struct weir_drain drain;
    weir_rc rc = f->type->prepare(f->self, &b, &drain, &err);

    if (rc == WEIR_OK)
        rc = write_pages(f, &drain, &page, 1);
    if (rc == WEIR_OK)
        rc = f->type->commit(f->self, out, &err);
    else
        f->type->abort(f->self);
    weir_page_free(page);
    return rc;
}

static char *
get_text(struct fixture *f, const char *key)
{
    struct weir_buf buf = WEIR_BUF(4 << 20);
    struct weir_store *st;
    char *text;

    assert_int_equal(weir_store_open(table_path, f->mem, &st, &err), WEIR_OK);
    if (weir_store_get(st, key, &buf, &err) != WEIR_OK)
        fail_msg("%s: %s", key, err.what);
    text = weir_mem_strndup(f->mem, buf.data, buf.len);
    weir_buf_fini(&buf);
    weir_store_close(st);
    return text;
}

static void
summary(struct fixture *f, struct weir_summary *s)
{
    struct weir_store *st;

    assert_int_equal(weir_store_open(table_path, f->mem, &st, &err), WEIR_OK);
    if (weir_summary_read(st, -1, &f->quota, s, &err) != WEIR_OK)
        fail_msg("%s: %s", err.where, err.what);
    weir_store_close(st);
}

static void
a_first_batch_makes_the_table_as_spark_writes_it(void **state)
{
    struct fixture f;
    struct weir_sink_result r;
    struct weir_sink_state s;
    char *text, *line;

    (void)state;
    setup(&f, "id BIGINT, name STRING, price DOUBLE, day DATE");
    option(&f.set_options, "userMetadata", "by hand");
    weir_now_set(1796039829692);
    assert_int_equal(open_sink(&f), WEIR_OK);
    assert_int_equal(f.type->state(f.self, &s, &err), WEIR_OK);
    assert_false(s.exists);
    assert_int_equal(s.newest, -1);
    assert_int_equal(batch(&f, 0, page_make(f.schema, 10, 100, 3, 0), &r), WEIR_OK);
    assert_int_equal(r.version, 0);
    assert_int_equal(r.rows, 10);
    assert_int_equal(r.files, 1);
    assert_false(r.already);
    text = get_text(&f, "_delta_log/00000000000000000000.json");
    line = strtok_r(text, "\n", &text);
    assert_non_null(strstr(line, "{\"commitInfo\":{\"timestamp\":1796039829692,\"operation\":\"STREAMING UPDATE\","
                                 "\"operationParameters\":{\"outputMode\":\"Append\",\"queryId\":\"q-1\",\"epochId\":\"0\"},"
                                 "\"isolationLevel\":\"Serializable\",\"isBlindAppend\":true,\"operationMetrics\":"
                                 "{\"numRemovedFiles\":\"0\",\"numAddedFiles\":\"1\",\"numOutputRows\":\"10\",\"numOutputBytes\":\""));
    assert_non_null(strstr(line, "\"userMetadata\":\"by hand\",\"tags\":{\"weir.pipeline\":\"orders\",\"weir.source.to\":"
                                 "\"{\\\"logOffset\\\":2}\",\"weir.rows\":\"10\",\"weir.log.protocol\":\"0\","
                                 "\"weir.log.metaData\":\"0\"},\"engineInfo\":\"weir/" WEIR_VERSION "\",\"txnId\":\""));
    line = strtok_r(text, "\n", &text);
    assert_non_null(strstr(line, ",\"format\":{\"provider\":\"parquet\",\"options\":{}},\"schemaString\":\"{\\\"type\\\":"
                                 "\\\"struct\\\",\\\"fields\\\":[{\\\"name\\\":\\\"id\\\",\\\"type\\\":\\\"long\\\","
                                 "\\\"nullable\\\":true,\\\"metadata\\\":{}},"));
    assert_true(weir_str_ends(line, "\"partitionColumns\":[],\"configuration\":{},\"createdTime\":1796039829692}}"));
    line = strtok_r(text, "\n", &text);
    assert_string_equal(line, "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":2}}");
    line = strtok_r(text, "\n", &text);
    assert_string_equal(line, "{\"txn\":{\"appId\":\"q-1\",\"version\":0,\"lastUpdated\":1796039829692}}");
    line = strtok_r(text, "\n", &text);
    assert_true(weir_str_starts(line, "{\"add\":{\"path\":\"part-00000-"));
    assert_non_null(strstr(line, "-c000.snappy.parquet\",\"partitionValues\":{},\"size\":"));
    assert_true(weir_str_ends(
        line, ",\"modificationTime\":1796039829692,\"dataChange\":true,\"stats\":\"{\\\"numRecords\\\":10,\\\"minValues\\\":"
              "{\\\"id\\\":100,\\\"name\\\":\\\"s0\\\",\\\"price\\\":50.0,\\\"day\\\":\\\"1970-01-01\\\"},\\\"maxValues\\\":"
              "{\\\"id\\\":109,\\\"name\\\":\\\"s2\\\",\\\"price\\\":54.5,\\\"day\\\":\\\"1970-01-03\\\"},\\\"nullCount\\\":"
              "{\\\"id\\\":0,\\\"name\\\":0,\\\"price\\\":0,\\\"day\\\":0}}\"}}"));
    assert_null(strtok_r(text, "\n", &text));
    assert_int_equal(f.type->state(f.self, &s, &err), WEIR_OK);
    assert_true(s.exists);
    assert_int_equal(s.newest, 0);
    weir_now_set(-1);
    teardown(&f);
}

static void
batches_follow_one_another_and_a_repeated_one_is_skipped(void **state)
{
    struct fixture f;
    struct weir_sink_result r;
    struct weir_sink_state s;
    struct weir_summary sum;

    (void)state;
    setup(&f, "id BIGINT, name STRING");
    assert_int_equal(open_sink(&f), WEIR_OK);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(batch(&f, i, page_make(f.schema, 100, 0, 7, 10), &r), WEIR_OK);
        assert_int_equal(r.version, i);
    }
    assert_int_equal(batch(&f, 4, page_make(f.schema, 100, 0, 7, 10), &r), WEIR_OK);
    assert_true(r.already);
    close_sink(&f);
    assert_int_equal(open_sink(&f), WEIR_OK); /* a new run */
    assert_int_equal(f.type->state(f.self, &s, &err), WEIR_OK);
    assert_int_equal(s.newest, 4);
    assert_int_equal(s.version, 4);
    assert_string_equal(s.other_query, "");
    assert_int_equal(batch(&f, 3, page_make(f.schema, 100, 0, 7, 10), &r), WEIR_OK);
    assert_true(r.already);
    assert_int_equal(batch(&f, 5, page_make(f.schema, 0, 0, 7, 10), &r), WEIR_OK); /* no rows: a txn all the same */
    assert_int_equal(r.version, 5);
    assert_int_equal(r.files, 0);
    assert_null(strstr(get_text(&f, "_delta_log/00000000000000000005.json"), "\"add\""));
    summary(&f, &sum);
    assert_int_equal(sum.files, 5);
    assert_int_equal(sum.rows, 500);
    weir_summary_fini(&sum);
    close_sink(&f);
    f.env.query_id = "q-2"; /* another checkpoint for the same pipeline */
    assert_int_equal(open_sink(&f), WEIR_OK);
    assert_int_equal(f.type->state(f.self, &s, &err), WEIR_OK);
    assert_int_equal(s.newest, -1);
    assert_string_equal(s.other_query, "q-1");
    teardown(&f);
}

struct tally {
    unsigned files, folders, parquet;
    char last[256];
};

static weir_rc
tally_add(void *arg, const struct weir_object *obj, struct weir_error *e)
{
    struct tally *t = arg;

    (void)e;
    if (weir_str_starts(obj->key, "_delta_log/"))
        return WEIR_OK;
    t->files++;
    t->parquet += weir_str_ends(obj->key, ".parquet");
    snprintf(t->last, sizeof(t->last), "%s", obj->key);
    return WEIR_OK;
}

static struct tally
tally(struct fixture *f)
{
    struct tally t = {0};
    struct weir_store *st;

    assert_int_equal(weir_store_open(table_path, f->mem, &st, &err), WEIR_OK);
    assert_int_equal(weir_store_list(st, "", NULL, WEIR_LIST_DEEP, tally_add, &t, &err), WEIR_OK);
    weir_store_close(st);
    return t;
}

static void
rows_go_to_the_folder_of_their_partition_and_the_log_has_the_values(void **state)
{
    struct fixture f;
    struct weir_sink_result r;
    const char *text;

    (void)state;
    setup(&f, "id BIGINT, city STRING, day DATE");
    f.partition_by[0] = "CITY";
    f.partition_by[1] = "day";
    f.env.npartition_by = 2;
    assert_int_equal(open_sink(&f), WEIR_OK);
    assert_int_equal(batch(&f, 0, page_make(f.schema, 600, 1, 3, 7), &r), WEIR_OK);
    assert_int_equal(r.rows, 600);
    assert_int_equal(r.files, 4); /* three pairs and the nulls */
    text = get_text(&f, "_delta_log/00000000000000000000.json");
    assert_non_null(strstr(text, "\"partitionColumns\":[\"city\",\"day\"]"));
    assert_non_null(strstr(text, "{\"add\":{\"path\":\"city=s1/day=1970-01-02/part-0000"));
    assert_non_null(strstr(text, ".c000.snappy.parquet\",\"partitionValues\":{\"city\":\"s1\",\"day\":\"1970-01-02\"}"));
    assert_non_null(strstr(text, "city=__HIVE_DEFAULT_PARTITION__/day=__HIVE_DEFAULT_PARTITION__/"));
    assert_non_null(strstr(text, "\"partitionValues\":{\"city\":null,\"day\":null}"));
    assert_non_null(strstr(text, "\\\"nullCount\\\":{\\\"id\\\":0}"));
    assert_int_equal(tally(&f).parquet, 4);
    teardown(&f);
}

static void
a_batch_that_is_dropped_leaves_no_file(void **state)
{
    struct fixture f;
    struct weir_page *page;
    struct weir_sink_batch b = {.id = 0, .to = "x"};
    struct weir_drain drain;

    (void)state;
    setup(&f, "id BIGINT, name STRING");
    assert_int_equal(open_sink(&f), WEIR_OK);
    page = page_make(f.schema, 50, 0, 5, 0);
    b.schema = f.schema;
    assert_int_equal(f.type->prepare(f.self, &b, &drain, &err), WEIR_OK);
    assert_int_equal(write_pages(&f, &drain, &page, 1), WEIR_OK);
    assert_int_equal(tally(&f).files, 1);
    f.type->abort(f.self);
    assert_int_equal(tally(&f).files, 0);
    {
        void *lane;

        assert_int_equal(f.type->prepare(f.self, &b, &drain, &err), WEIR_OK);
        assert_int_equal(drain.lane_open(drain.self, 0, &lane, &err), WEIR_OK);
        assert_int_equal(drain.write(lane, page, &err), WEIR_OK);
        drain.lane_close(lane); /* in the middle of a file */
        f.type->abort(f.self);
        assert_int_equal(tally(&f).files, 0);
    }
    weir_page_free(page);
    teardown(&f);
}

static void
files_end_at_maxRecordsPerFile(void **state)
{
    struct fixture f;
    struct weir_sink_result r;

    (void)state;
    setup(&f, "id BIGINT, name STRING");
    option(&f.set_options, "maxRecordsPerFile", "30");
    assert_int_equal(open_sink(&f), WEIR_OK);
    assert_int_equal(batch(&f, 0, page_make(f.schema, 100, 0, 5, 0), &r), WEIR_OK);
    assert_int_equal(r.files, 4);
    assert_int_equal(r.rows, 100);
    assert_non_null(strstr(get_text(&f, "_delta_log/00000000000000000000.json"), "\\\"numRecords\\\":10,"));
    teardown(&f);
}

static void
many_partitions_cost_files_not_memory(void **state)
{
    struct fixture f;
    struct weir_sink_result r;
    struct weir_summary sum;

    (void)state;
    setup(&f, "id BIGINT, n INT");
    f.partition_by[0] = "n";
    f.env.npartition_by = 1;
    assert_int_equal(open_sink(&f), WEIR_OK);
    assert_int_equal(batch(&f, 0, page_make(f.schema, 1000, 0, 500, 0), &r), WEIR_OK);
    assert_int_equal(r.rows, 1000);
    assert_true(r.files >= 500);
    summary(&f, &sum);
    assert_int_equal(sum.rows, 1000);
    assert_int_equal(sum.files, r.files);
    weir_summary_fini(&sum);
    close_sink(&f);
    f.env.writer_bytes = 1; /* every page closes the largest file */
    assert_int_equal(open_sink(&f), WEIR_OK);
    {
        struct weir_page *pages[3];
        struct weir_sink_batch b = {.id = 1, .schema = f.schema, .to = "x"};
        struct weir_drain drain;

        for (int i = 0; i < 3; i++)
            pages[i] = page_make(f.schema, 100, 0, 2, 0);
        assert_int_equal(f.type->prepare(f.self, &b, &drain, &err), WEIR_OK);
        assert_int_equal(write_pages(&f, &drain, pages, 3), WEIR_OK);
        assert_int_equal(f.type->commit(f.self, &r, &err), WEIR_OK);
        assert_int_equal(r.rows, 300);
        assert_true(r.files > 2);
        for (int i = 0; i < 3; i++)
            weir_page_free(pages[i]);
    }
    teardown(&f);
}

/* A file is opened for each row of the page here. */
static void
a_page_of_many_partitions_keeps_within_the_budget_too(void **state)
{
    struct fixture f;
    struct weir_quota small;
    struct weir_sink_result r;

    (void)state;
    setup(&f, "id BIGINT, a STRING, b STRING, c STRING, d STRING, e STRING, f STRING, g STRING, h STRING, i STRING");
    weir_quota_init(&small, &f.quota, "sink", 4 * WEIR_MIB);
    f.env.quota = &small;
    f.env.writer_bytes = WEIR_MIB;
    f.partition_by[0] = "id";
    f.env.npartition_by = 1;
    assert_int_equal(open_sink(&f), WEIR_OK);
    if (batch(&f, 0, page_make(f.schema, 400, 0, 50, 0), &r) != WEIR_OK)
        fail_msg("%s", err.what);
    assert_int_equal(r.rows, 400);
    assert_int_equal(r.files, 400);
    teardown(&f);
}

static void
new_columns_need_mergeSchema_and_then_join_the_table_in_the_same_commit(void **state)
{
    struct fixture f;
    struct weir_sink_result r;
    const struct weir_type *wide;
    const char *text;

    (void)state;
    setup(&f, "id BIGINT, name STRING");
    wide = ddl(&f, "ID BIGINT, extra DOUBLE");
    assert_int_equal(open_sink(&f), WEIR_OK);
    assert_int_equal(batch(&f, 0, page_make(f.schema, 3, 0, 5, 0), &r), WEIR_OK);
    assert_int_equal(f.type->bind(f.self, wide, &err), WEIR_SCHEMA);
    assert_non_null(strstr(err.hint, "mergeSchema"));
    assert_int_equal(batch(&f, 1, page_make(wide, 3, 0, 5, 0), &r), WEIR_SCHEMA);
    assert_int_equal(tally(&f).files, 1);
    close_sink(&f);
    option(&f.set_options, "mergeSchema", "true");
    assert_int_equal(open_sink(&f), WEIR_OK);
    assert_int_equal(batch(&f, 1, page_make(wide, 3, 0, 5, 0), &r), WEIR_OK);
    text = get_text(&f, "_delta_log/00000000000000000001.json");
    assert_non_null(strstr(text, "{\\\"name\\\":\\\"id\\\",\\\"type\\\":\\\"long\\\"")); /* the table's spelling */
    assert_non_null(strstr(text, "\\\"name\\\":\\\"extra\\\",\\\"type\\\":\\\"double\\\",\\\"nullable\\\":true"));
    assert_non_null(strstr(text, "\\\"nullCount\\\":{\\\"id\\\":0,\\\"name\\\":3,\\\"extra\\\":0}"));
    assert_non_null(strstr(text, "\"weir.log.metaData\":\"1\""));
    assert_int_equal(batch(&f, 2, page_make(wide, 3, 0, 5, 0), &r), WEIR_OK);
    assert_null(strstr(get_text(&f, "_delta_log/00000000000000000002.json"), "metaData\":{"));
    close_sink(&f);
    assert_int_equal(open_sink(&f), WEIR_OK); /* found again by the tags */
    assert_int_equal(batch(&f, 3, page_make(wide, 3, 0, 5, 0), &r), WEIR_OK);
    assert_int_equal(r.version, 3);
    teardown(&f);
}

static void
nulls_do_not_get_into_not_null_columns(void **state)
{
    struct fixture f;
    struct weir_sink_result r;

    (void)state;
    setup(&f, "id BIGINT NOT NULL, name STRING");
    assert_int_equal(open_sink(&f), WEIR_OK);
    assert_int_equal(batch(&f, 0, page_make(f.schema, 9, 1, 5, 0), &r), WEIR_OK);
    assert_int_equal(batch(&f, 1, page_make(f.schema, 9, 1, 5, 9), &r), WEIR_BADDATA);
    assert_non_null(strstr(err.what, "column id"));
    assert_int_equal(tally(&f).files, 1);
    assert_int_equal(f.type->bind(f.self, ddl(&f, "name STRING"), &err), WEIR_SCHEMA);
    teardown(&f);
}

static void
what_cannot_be_honoured_is_refused_by_name(void **state)
{
    static const struct {
        const char *name, *key, *value, *property, *property_value, *mode;
        weir_rc rc;
    } cases[] = {
        {"complete", NULL, NULL, NULL, NULL, "complete", WEIR_UNSUPPORTED},
        {"replaceWhere", "replaceWhere", "a = 1", NULL, NULL, NULL, WEIR_USAGE},
        {"txnAppId", "txnAppId", "x", NULL, NULL, NULL, WEIR_USAGE},
        {"optimizeWrite", "optimizeWrite", "true", NULL, NULL, NULL, WEIR_USAGE},
        {"overwriteSchema", "overwriteSchema", "true", NULL, NULL, NULL, WEIR_USAGE},
        {"dataChange", "dataChange", "false", NULL, NULL, NULL, WEIR_UNSUPPORTED},
        {"compression", "compression", "lzo", NULL, NULL, NULL, WEIR_USAGE},
        {"mergeSchema", "mergeSchema", "perhaps", NULL, NULL, NULL, WEIR_USAGE},
        {"a delta. property nobody knows", NULL, NULL, "delta.appendOnli", "true", NULL, WEIR_USAGE},
        {"row tracking", NULL, NULL, "delta.enableRowTracking", "true", NULL, WEIR_UNSUPPORTED},
        {"a constraint", NULL, NULL, "delta.constraints.x", "a > 1", NULL, WEIR_UNSUPPORTED},
        {"column mapping", NULL, NULL, "delta.columnMapping.mode", "name", NULL, WEIR_UNSUPPORTED},
        {"a bad value", NULL, NULL, "delta.appendOnly", "oui", NULL, WEIR_USAGE},
        {"statistics of no column", NULL, NULL, "delta.dataSkippingStatsColumns", "nope", NULL, WEIR_USAGE},
        {"a codec nobody has", NULL, NULL, "delta.parquet.compression.codec", "lzo", NULL, WEIR_UNSUPPORTED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct fixture f;
        weir_rc rc;

        setup(&f, "id BIGINT");
        if (cases[i].key != NULL)
            option(&f.set_options, cases[i].key, cases[i].value);
        if (cases[i].property != NULL)
            option(&f.set_properties, cases[i].property, cases[i].property_value);
        if (cases[i].mode != NULL)
            f.env.output_mode = cases[i].mode;
        rc = open_sink(&f);
        if (rc == WEIR_OK)
            rc = f.type->bind(f.self, f.schema, &err);
        if (rc != cases[i].rc)
            fail_msg("%s: %s", cases[i].name, weir_rc_name(rc));
        teardown(&f);
    }
}

static void
properties_decide_the_protocol_and_are_kept_as_delta_spells_them(void **state)
{
    static const struct {
        const char *schema, *key, *value, *protocol, *conf;
    } cases[] = {
        {"a INT", "DELTA.APPENDONLY", "TRUE", "{\"minReaderVersion\":1,\"minWriterVersion\":2}",
         "\"configuration\":{\"delta.appendOnly\":\"TRUE\"}"},
        {"a INT", "owner", "me", "{\"minReaderVersion\":1,\"minWriterVersion\":2}", "\"configuration\":{\"owner\":\"me\"}"},
        {"a INT", "delta.enableChangeDataFeed", "true",
         "{\"minReaderVersion\":1,\"minWriterVersion\":7,\"writerFeatures\":[\"changeDataFeed\",\"invariants\",\"appendOnly\"]}",
         "\"delta.enableChangeDataFeed\":\"true\""},
        {"a INT", "delta.enableDeletionVectors", "true",
         "{\"minReaderVersion\":3,\"minWriterVersion\":7,\"readerFeatures\":[\"deletionVectors\"],\"writerFeatures\":"
         "[\"deletionVectors\",\"invariants\",\"appendOnly\"]}",
         "\\\"tightBounds\\\":true"},
        {"a INT, t TIMESTAMP_NTZ", NULL, NULL,
         "{\"minReaderVersion\":3,\"minWriterVersion\":7,\"readerFeatures\":[\"timestampNtz\"],\"writerFeatures\":"
         "[\"timestampNtz\",\"invariants\",\"appendOnly\"]}",
         "\"configuration\":{}"},
        {"a INT", "delta.checkpointPolicy", "v2",
         "{\"minReaderVersion\":3,\"minWriterVersion\":7,\"readerFeatures\":[\"v2Checkpoint\"],\"writerFeatures\":"
         "[\"v2Checkpoint\",\"invariants\",\"appendOnly\"]}",
         "\"delta.checkpointPolicy\":\"v2\""},
        {"a INT", "delta.dataSkippingNumIndexedCols", "0", "{\"minReaderVersion\":1,\"minWriterVersion\":2}",
         "\"stats\":\"{\\\"numRecords\\\":3}\""},
        {"a INT", "delta.parquet.compression.codec", "zstd", "{\"minReaderVersion\":1,\"minWriterVersion\":2}",
         "-c000.zstd.parquet"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct fixture f;
        struct weir_sink_result r;
        char want[512];
        const char *text;

        setup(&f, cases[i].schema);
        if (cases[i].key != NULL)
            option(&f.set_properties, cases[i].key, cases[i].value);
        assert_int_equal(open_sink(&f), WEIR_OK);
        assert_int_equal(batch(&f, 0, page_make(f.schema, 3, 0, 5, 0), &r), WEIR_OK);
        text = get_text(&f, "_delta_log/00000000000000000000.json");
        snprintf(want, sizeof(want), "{\"protocol\":%s}\n", cases[i].protocol);
        if (strstr(text, want) == NULL || strstr(text, cases[i].conf) == NULL)
            fail_msg("%s: %s", cases[i].conf, text);
        close_sink(&f);
        assert_int_equal(open_sink(&f), WEIR_OK); /* and it can be appended to */
        assert_int_equal(batch(&f, 1, page_make(f.schema, 3, 0, 5, 0), &r), WEIR_OK);
        teardown(&f);
    }
}

static void
in_commit_timestamps_come_first_and_only_rise(void **state)
{
    struct fixture f;
    struct weir_sink_result r;

    (void)state;
    setup(&f, "a INT");
    option(&f.set_properties, "delta.enableInCommitTimestamps", "true");
    assert_int_equal(open_sink(&f), WEIR_OK);
    weir_now_set(5000);
    assert_int_equal(batch(&f, 0, page_make(f.schema, 3, 0, 5, 0), &r), WEIR_OK);
    weir_now_set(4000); /* the clock goes back */
    assert_int_equal(batch(&f, 1, page_make(f.schema, 3, 0, 5, 0), &r), WEIR_OK);
    close_sink(&f);
    assert_int_equal(open_sink(&f), WEIR_OK);
    assert_int_equal(batch(&f, 2, page_make(f.schema, 3, 0, 5, 0), &r), WEIR_OK);
    weir_now_set(-1);
    assert_true(weir_str_starts(get_text(&f, "_delta_log/00000000000000000000.json"),
                                "{\"commitInfo\":{\"inCommitTimestamp\":5000,\"timestamp\":5000,"));
    assert_true(weir_str_starts(get_text(&f, "_delta_log/00000000000000000001.json"),
                                "{\"commitInfo\":{\"inCommitTimestamp\":5001,\"timestamp\":5001,"));
    assert_true(weir_str_starts(get_text(&f, "_delta_log/00000000000000000002.json"),
                                "{\"commitInfo\":{\"inCommitTimestamp\":5002,\"timestamp\":5002,"));
    teardown(&f);
}

static void
a_table_that_is_missing_is_not_made_when_told_not_to(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, "a INT");
    f.env.create = false;
    assert_int_equal(open_sink(&f), WEIR_OK);
    assert_int_equal(f.type->bind(f.self, f.schema, &err), WEIR_NOTFOUND);
    teardown(&f);
}

static void
noop_counts_and_keeps_nothing(void **state)
{
    struct fixture f;
    struct weir_sink_result r;

    (void)state;
    setup(&f, "a INT");
    f.type = weir_sink_find("NOOP");
    assert_non_null(f.type);
    assert_int_equal(open_sink(&f), WEIR_OK);
    assert_int_equal(batch(&f, 0, page_make(f.schema, 3, 0, 5, 0), &r), WEIR_OK);
    assert_int_equal(r.rows, 3);
    assert_int_equal(r.version, -1);
    teardown(&f);
    assert_null(weir_sink_find("carbon"));
}

/* The same on disk; WEIR_KEEP_TABLE names a folder that is left for another engine to read. */
static void
a_table_on_disk(void **state)
{
    struct fixture f;
    struct weir_sink_result r;
    const char *keep = getenv("WEIR_KEEP_TABLE");
    char dir[] = "/tmp/weir-sink-XXXXXX", cmd[128], path[512];

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/table", keep != NULL ? keep : dir);
    table_path = path;
    setup(&f, "id BIGINT, city STRING, day DATE, n SHORT, at TIMESTAMP, price DOUBLE");
    f.partition_by[0] = "city";
    f.env.npartition_by = 1;
    assert_int_equal(open_sink(&f), WEIR_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(batch(&f, i, page_make(f.schema, 1000, (uint64_t)i * 1000 + 1, 3, 11), &r), WEIR_OK);
    {
        struct weir_summary sum;

        summary(&f, &sum);
        assert_int_equal(sum.rows, 3000);
        weir_summary_fini(&sum);
    }
    teardown(&f);
    table_path = "mem:test-sink/table";
    snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
    assert_int_equal(system(cmd), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_batch_makes_the_table_as_spark_writes_it),
        cmocka_unit_test(batches_follow_one_another_and_a_repeated_one_is_skipped),
        cmocka_unit_test(rows_go_to_the_folder_of_their_partition_and_the_log_has_the_values),
        cmocka_unit_test(a_batch_that_is_dropped_leaves_no_file),
        cmocka_unit_test(files_end_at_maxRecordsPerFile),
        cmocka_unit_test(many_partitions_cost_files_not_memory),
        cmocka_unit_test(a_page_of_many_partitions_keeps_within_the_budget_too),
        cmocka_unit_test(new_columns_need_mergeSchema_and_then_join_the_table_in_the_same_commit),
        cmocka_unit_test(nulls_do_not_get_into_not_null_columns),
        cmocka_unit_test(what_cannot_be_honoured_is_refused_by_name),
        cmocka_unit_test(properties_decide_the_protocol_and_are_kept_as_delta_spells_them),
        cmocka_unit_test(in_commit_timestamps_come_first_and_only_rise),
        cmocka_unit_test(a_table_that_is_missing_is_not_made_when_told_not_to),
        cmocka_unit_test(noop_counts_and_keeps_nothing),
        cmocka_unit_test(a_table_on_disk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
