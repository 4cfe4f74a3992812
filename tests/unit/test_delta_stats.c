/* Statistics of data files as JSON, and names of partition folders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "delta/path.h"
#include "delta/stats.h"
#include "store/store.h"

static struct weir_error err;

static const struct weir_type *
ddl(struct weir_mem *mem, const char *text)
{
    const struct weir_type *type;

    if (weir_schema_parse_ddl(text, strlen(text), mem, &type, &err) != WEIR_OK)
        fail_msg("%s: %s", text, err.what);
    return type;
}

/* --- statistics ----------------------------------------------------------------------------------------------------- */

static struct weir_colstats *
col_of(struct weir_colstats *cols, const char *name)
{
    while (strcmp(cols->field->name, name) != 0)
        cols++;
    return cols;
}

static void
stats_schema(struct weir_colstats *cols, const struct weir_type *type)
{
    for (uint32_t i = 0; i < type->nfields; i++)
        cols[i].field = &type->fields[i];
}

static void
statistics_are_written_as_spark_writes_them(void **state)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    const struct weir_type *type =
        ddl(mem, "id INT, s STRING, ts TIMESTAMP, n TIMESTAMP_NTZ, d DOUBLE, f FLOAT, `dec` DECIMAL(10,5), b BOOLEAN, bin "
                 "BINARY, st STRUCT<a: INT, arr: ARRAY<INT>, b: STRING>, m MAP<STRING, INT>, dt DATE, big BIGINT, "
                 "gone DATE, nan DOUBLE, p STRING");
    struct weir_colstats cols[16] = {{0}}, kids[3] = {{0}}, *c;
    struct weir_filestats stats = {.rows = 4, .cols = cols, .ncols = 12};
    const char *parts[] = {"p"};
    struct weir_pair conf = {"delta.dataSkippingNumIndexedCols", "4"};
    struct weir_metadata meta = {.schema = type, .partitions = parts, .npartitions = 1};
    struct weir_buf buf = WEIR_BUF(10000);

    (void)state;
    stats_schema(cols, type);
    stats.ncols = 13;
    cols[13].field = &type->fields[14];
    stats.ncols = 14; /* gone is not in the file */
    c = col_of(cols, "id");
    c->has_minmax = true;
    c->min.i = -1;
    c->max.i = 7;
    c = col_of(cols, "s");
    c->has_minmax = true;
    memcpy(c->min_text, "a\"\xc3\xbc", 4);
    c->min_len = 4; /* the maximum was too long for a bound: left out */
    c = col_of(cols, "ts");
    c->has_minmax = true;
    c->min.i = -1; /* 1969-12-31T23:59:59.999999 */
    c->max.i = 1577836800123999;
    c = col_of(cols, "n");
    c->has_minmax = true;
    c->min.i = -2208988799999100;
    c->max.i = 1577836800123999;
    c = col_of(cols, "d");
    c->has_minmax = true;
    c->min.d = -1.0 / 0.0;
    c->max.d = 1.0 / 0.0;
    c = col_of(cols, "f");
    c->has_minmax = true;
    c->min.d = 0.0;
    c->max.d = (double)0.1f;
    c = col_of(cols, "dec");
    c->has_minmax = true;
    c->min.dec = -9999912345;
    c->max.dec = 100000;
    c = col_of(cols, "b");
    c->has_minmax = true;
    c->max.i = 1;
    c->nulls = 2;
    col_of(cols, "bin")->nulls = 3;
    c = col_of(cols, "st");
    c->kids = kids;
    c->nkids = 3;
    stats_schema(kids, c->field->type);
    kids[0].nulls = 4;
    kids[1].nulls = 1;
    kids[2].nulls = 4;
    c = col_of(cols, "dt");
    c->has_minmax = true;
    c->min.i = -171642;
    c->max.i = 0;
    c = col_of(cols, "big");
    c->has_minmax = true;
    c->min.i = INT64_MIN;
    c->max.i = INT64_MAX;
    c = col_of(cols, "nan");
    c->has_minmax = true;
    c->min.d = c->max.d = 0.0 / 0.0;
    assert_int_equal(weir_stats_print(&meta, &stats, true, &buf, &err), WEIR_OK);
    assert_string_equal(
        buf.data,
        "{\"numRecords\":4,\"minValues\":{\"id\":-1,\"s\":\"a\\\"\xc3\xbc\",\"ts\":\"1969-12-31T23:59:59.999Z\","
        "\"n\":\"1900-01-01T00:00:00.000\",\"d\":\"-Infinity\",\"f\":0.0,\"dec\":-99999.12345,\"b\":false,\"st\":{},"
        "\"dt\":\"1500-01-23\",\"big\":-9223372036854775808,\"nan\":\"NaN\"},\"maxValues\":{\"id\":7,"
        "\"ts\":\"2020-01-01T00:00:00.123Z\",\"n\":\"2020-01-01T00:00:00.123\",\"d\":\"Infinity\",\"f\":0.1,"
        "\"dec\":1.00000,\"b\":true,\"st\":{},\"dt\":\"1970-01-01\",\"big\":9223372036854775807,\"nan\":\"NaN\"},"
        "\"nullCount\":{\"id\":0,\"s\":0,\"ts\":0,\"n\":0,\"d\":0,\"f\":0,\"dec\":0,\"b\":2,\"bin\":3,"
        "\"st\":{\"a\":4,\"arr\":1,\"b\":4},\"m\":0,\"dt\":0,\"big\":0,\"gone\":4,\"nan\":0},\"tightBounds\":true}");
    meta.conf = &conf;
    meta.nconf = 1;
    weir_buf_reset(&buf);
    assert_int_equal(weir_stats_print(&meta, &stats, false, &buf, &err), WEIR_OK);
    assert_non_null(strstr(buf.data, "\"nullCount\":{\"id\":0,\"s\":0,\"ts\":0,\"n\":0}}"));
    conf.value = "11"; /* counts bin and arr too */
    weir_buf_reset(&buf);
    assert_int_equal(weir_stats_print(&meta, &stats, false, &buf, &err), WEIR_OK);
    assert_non_null(strstr(buf.data, "\"bin\":3,\"st\":{\"a\":4,\"arr\":1}}}"));
    conf.value = "-1";
    weir_buf_reset(&buf);
    assert_int_equal(weir_stats_print(&meta, &stats, false, &buf, &err), WEIR_OK);
    assert_non_null(strstr(buf.data, "\"nan\":0}}"));
    conf = (struct weir_pair){"delta.dataSkippingStatsColumns", "st.b, `big`,ID"};
    weir_buf_reset(&buf);
    assert_int_equal(weir_stats_check(&meta, &err), WEIR_OK);
    assert_int_equal(weir_stats_print(&meta, &stats, false, &buf, &err), WEIR_OK);
    assert_non_null(strstr(buf.data, "\"nullCount\":{\"id\":0,\"st\":{\"b\":4},\"big\":0}}"));
    conf.value = "st";
    weir_buf_reset(&buf);
    assert_int_equal(weir_stats_print(&meta, &stats, false, &buf, &err), WEIR_OK);
    assert_non_null(strstr(buf.data, "\"nullCount\":{\"st\":{\"a\":4,\"arr\":1,\"b\":4}}}"));
    conf.value = "st.zz";
    assert_int_equal(weir_stats_check(&meta, &err), WEIR_USAGE);
    conf.value = "`id";
    assert_int_equal(weir_stats_check(&meta, &err), WEIR_USAGE);
    weir_buf_fini(&buf);
    weir_mem_free(mem);
}

/* --- paths ---------------------------------------------------------------------------------------------------------- */

static void
partition_folders_are_escaped_as_hive_does_and_once_more_as_uris(void **state)
{
    static const struct {
        const char *value, *folder, *uri; /* of column p */
    } cases[] = {
        {"a", "p=a", "p=a"},
        {"a/b", "p=a%2Fb", "p=a%252Fb"},
        {"/%20%f", "p=%2F%2520%25f", "p=%252F%252520%2525f"},
        {" a b ", "p= a b ", "p=%20a%20b%20"},
        {"a:b=c?d*e'f\"g#h\\i[j]k^l{m}n", "p=a%3Ab%3Dc%3Fd%2Ae%27f%22g%23h%5Ci%5Bj%5Dk%5El%7Bm}n",
         "p=a%253Ab%253Dc%253Fd%252Ae%2527f%2522g%2523h%255Ci%255Bj%255Dk%255El%257Bm%7Dn"},
        {"\x01\x1f\x7f", "p=%01%1F%7F", "p=%2501%251F%257F"},
        {",&+<>|~;@$!()`", "p=,&+<>|~;@$!()`", "p=,&+%3C%3E%7C~;@$!()%60"},
        {"\xc3\xbc\xf0\x9f\x98\x88", "p=\xc3\xbc\xf0\x9f\x98\x88", "p=\xc3\xbc\xf0\x9f\x98\x88"},
        {NULL, "p=__HIVE_DEFAULT_PARTITION__", "p=__HIVE_DEFAULT_PARTITION__"},
    };
    struct weir_buf buf = WEIR_BUF(10000), uri = WEIR_BUF(10000);
    char longer[600];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        weir_buf_reset(&buf);
        weir_buf_reset(&uri);
        weir_path_partition(&buf, "p", cases[i].value, cases[i].value != NULL ? strlen(cases[i].value) : 0);
        assert_string_equal(buf.data, cases[i].folder);
        weir_uri_encode(buf.data, buf.len, &uri);
        assert_string_equal(uri.data, cases[i].uri);
    }
    for (size_t n = 240; n < 600; n++) { /* folders that no file system would take are cut, and stay apart */
        memset(longer, '/', n);
        memcpy(longer + n - 4, "\xf0\x9f\x98\x88", 4);
        weir_buf_reset(&buf);
        weir_path_partition(&buf, "p", longer, n);
        assert_true(buf.len <= 255);
        assert_true(weir_utf8_valid(buf.data, buf.len));
        weir_buf_reset(&uri);
        longer[0] = 'x';
        weir_path_partition(&uri, "p", longer, n);
        longer[0] = '/';
        assert_true(strcmp(buf.data, uri.data) != 0);
    }
    weir_buf_fini(&buf);
    weir_buf_fini(&uri);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_are_written_as_spark_writes_them),
        cmocka_unit_test(partition_folders_are_escaped_as_hive_does_and_once_more_as_uris),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
