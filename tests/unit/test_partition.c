/* Partition columns from paths, by Spark's rules; and versions of a schema. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "schema/log.h"
#include "schema/partition.h"
#include "store/mem.h"

static struct weir_error err;

struct layout {
    const char *what, *keys[8], *only, *ddl; /* ddl NULL: the layouts conflict */
};

static const struct layout layouts[] = {
    {"none", {"a.json", "b.json", NULL}, NULL, ""},
    {"one", {"day=1/a", NULL}, NULL, "day INT"},
    {"two, in path order", {"year=2025/month=01/a", "year=2024/month=12/b", NULL}, NULL, "year INT, month INT"},
    {"leading zeros stay when text is among them", {"m=01/a", "m=x/b", NULL}, NULL, "m STRING"},
    {"numbers", {"n=1/a", "n=99999999999/b", NULL}, NULL, "n BIGINT"},
    {"signs", {"n=-2147483648/a", "n=+5/b", NULL}, NULL, "n INT"},
    {"beyond INT", {"n=2147483648/a", NULL}, NULL, "n BIGINT"},
    {"beyond BIGINT", {"n=99999999999999999999/a", "n=1/b", NULL}, NULL, "n DECIMAL(20,0)"},
    {"beyond DECIMAL", {"n=123456789012345678901234567890123456789/a", NULL}, NULL, "n DOUBLE"},
    {"fractions", {"n=1.50/a", "n=2/b", NULL}, NULL, "n DOUBLE"},
    {"decimal and fraction", {"n=99999999999999999999/a", "n=1.5/b", NULL}, NULL, "n STRING"},
    {"dates", {"d=2024-01-02/a", NULL}, NULL, "d DATE"},
    {"no such date", {"d=2024-02-30/a", NULL}, NULL, "d STRING"},
    {"half a date", {"d=2024-01/a", NULL}, NULL, "d STRING"},
    {"timestamps", {"t=2024-01-02 03%3A04%3A05/a", NULL}, NULL, "t TIMESTAMP"},
    {"with a fraction", {"t=2024-01-02 03%3A04%3A05.123/a", NULL}, NULL, "t TIMESTAMP"},
    {"date and timestamp", {"t=2024-01-02 03%3A04%3A05/a", "t=2024-01-02/b", NULL}, NULL, "t TIMESTAMP"},
    {"date and number", {"t=2024-01-02/a", "t=5/b", NULL}, NULL, "t STRING"},
    {"nulls say nothing", {"k=__HIVE_DEFAULT_PARTITION__/a", "k=7/b", NULL}, NULL, "k INT"},
    {"only nulls", {"k=__HIVE_DEFAULT_PARTITION__/a", NULL}, NULL, "k STRING"},
    {"an empty value is a null", {"k=/a", "k=7/b", NULL}, NULL, "k INT"},
    {"suffixes of Java are no numbers", {"shard=1f/a", "shard=2d/b", NULL}, NULL, "shard STRING"},
    {"words of Java are no numbers", {"x=NaN/a", NULL}, NULL, "x STRING"},
    {"one column in two spellings", {"A=1/a", "a=2/b", NULL}, NULL, "A INT"},
    {"names are escaped too", {"a%20b=1/x", NULL}, NULL, "`a b` INT"},
    {"a file at the root has none", {"a", "k=1/b", NULL}, NULL, "k INT"},
    {"plain folders below a partition", {"k=1/sub/a", "k=2/b", NULL}, NULL, "k INT"},
    {"plain folders above all", {"x/k=1/a", "x/k=2/b", NULL}, NULL, "k INT"},
    {"plain folders only", {"x/a", "y/b", NULL}, NULL, ""},
    {"an equals sign in the file's name", {"k=1", "a=b.json", NULL}, NULL, ""},
    {"other names", {"year=1/week=2/a", "year=1/month=2/b", NULL}, NULL, NULL},
    {"more names", {"year=1/a", "year=1/month=2/b", NULL}, NULL, NULL},
    {"another order", {"a=1/b=2/x", "b=1/a=2/x", NULL}, NULL, NULL},
    {"bases that differ", {"x/k=1/a", "y/k=2/b", NULL}, NULL, NULL},
    {"a plain folder beside", {"k=1/a", "plain/b", NULL}, NULL, NULL},
    {"asked for", {"x/k=1/l=2/a", "y/l=3/b", NULL}, " l , k", "l INT, k INT"},
    {"asked for and absent", {"a", NULL}, "k", "k STRING"},
    {"asked for none", {"k=1/a", NULL}, "", ""},
};

static void
layouts_become_columns(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
        struct weir_partition_options opt = {.infer_types = true, .only = layouts[i].only};
        struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
        struct weir_buf ddl = WEIR_BUF(1 << 16);
        const struct weir_type *type;
        bool conflict = false;
        uint32_t n = 0;

        while (layouts[i].keys[n] != NULL)
            n++;
        assert_int_equal(weir_partition_infer(layouts[i].keys, n, &opt, mem, &type, &conflict, &err), WEIR_OK);
        weir_type_print_ddl(type, &ddl);
        if (conflict != (layouts[i].ddl == NULL))
            fail_msg("%s: conflict %d", layouts[i].what, conflict);
        if (strcmp(ddl.data != NULL ? ddl.data : "", conflict ? "" : layouts[i].ddl) != 0)
            fail_msg("%s: %s", layouts[i].what, ddl.data);
        weir_buf_fini(&ddl);
        weir_mem_free(mem);
    }
}

static void
without_inference_all_are_strings(void **state)
{
    static const char *const keys[] = {"a=1/b=2024-01-02/x"};
    struct weir_partition_options opt = {.infer_types = false};
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_buf ddl = WEIR_BUF(1 << 16);
    const struct weir_type *type;

    (void)state;
    assert_int_equal(weir_partition_infer(keys, 1, &opt, mem, &type, NULL, &err), WEIR_OK);
    weir_type_print_ddl(type, &ddl);
    assert_string_equal(ddl.data, "a STRING, b STRING");
    weir_buf_fini(&ddl);
    weir_mem_free(mem);
}

static void
values_are_decoded_once(void **state)
{
    static const struct {
        const char *key, *name, *value; /* NULL: null */
    } cases[] = {
        {"k=a%2Fb c/x", "k", "a/b c"}, {"k=50%/x", "k", "50%"},       {"k=%2520/x", "k", "%20"},
        {"K=1/x", "k", "1"},           {"k=a=b/x", "k", "a=b"},       {"k=__HIVE_DEFAULT_PARTITION__/x", "k", NULL},
        {"k=/x", "k", NULL},           {"j=1/x", "k", NULL},          {"j=1/k=2/l=3/x", "k", "2"},
        {"k=1", "k", NULL},            {"k=\xff!/x", "k", "\xef\xbf\xbd!"}, {"k=%C3%BC/x", "k", "ü"},
        {"%6B=1/x", "k", "1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct weir_buf buf = WEIR_BUF(1 << 16);
        bool there = weir_partition_value(cases[i].key, cases[i].name, &buf);

        if (there != (cases[i].value != NULL) || (there && (buf.len != strlen(cases[i].value) ||
                                                            memcmp(buf.data, cases[i].value, buf.len) != 0)))
            fail_msg("%s: %s", cases[i].key, buf.data != NULL ? buf.data : "null");
        weir_buf_fini(&buf);
    }
    assert_true(weir_partition_has("k=/x", "K"));
    assert_false(weir_partition_has("k=1", "k"));
}

/* --- schema versions --- */

struct fixture {
    struct weir_mem *mem;
    struct weir_store *st;
};

static void
setup(struct fixture *f)
{
    memset(&err, 0, sizeof(err));
    f->mem = weir_mem_new(NULL, NULL, "test");
    assert_int_equal(weir_store_open("mem:schema/s", f->mem, &f->st, &err), WEIR_OK);
}

static void
teardown(struct fixture *f)
{
    weir_store_close(f->st);
    weir_mem_free(f->mem);
    weir_mem_store_drop("schema");
}

static const struct weir_type *
ddl(struct fixture *f, const char *text)
{
    const struct weir_type *type;

    assert_int_equal(weir_schema_parse_ddl(text, strlen(text), f->mem, &type, &err), WEIR_OK);
    return type;
}

static void
versions_come_back_as_they_were_written(void **state)
{
    struct weir_schema_version v = {.version = 0, .batch = -1, .time_ms = 5}, got;
    struct weir_buf buf = WEIR_BUF(1 << 20);
    struct fixture f;

    (void)state;
    setup(&f);
    assert_int_equal(weir_schema_log_read(f.st, -1, f.mem, &got, &err), WEIR_NOTFOUND);
    v.data = ddl(&f, "id BIGINT, `ü \"x\"` STRING");
    v.partition = ddl(&f, "day DATE");
    assert_int_equal(weir_schema_log_write(f.st, &v, &err), WEIR_OK);
    assert_int_equal(weir_schema_log_write(f.st, &v, &err), WEIR_EXISTS);
    v.version = 10;
    v.batch = 7;
    v.file = "file:///in/a b.json";
    v.partition = NULL;
    memset(&err, 0, sizeof(err));
    assert_int_equal(weir_schema_log_write(f.st, &v, &err), WEIR_OK);
    assert_int_equal(weir_schema_log_read(f.st, 0, f.mem, &got, &err), WEIR_OK);
    assert_true(weir_type_equal(got.data, v.data));
    assert_true(weir_type_equal(got.partition, ddl(&f, "day DATE")));
    assert_int_equal(got.batch, -1);
    assert_int_equal(got.time_ms, 5);
    assert_null(got.file);
    assert_int_equal(weir_schema_log_read(f.st, -1, f.mem, &got, &err), WEIR_OK);
    assert_int_equal(got.version, 10);
    assert_int_equal(got.batch, 7);
    assert_string_equal(got.file, v.file);
    assert_int_equal(got.partition->nfields, 0);
    assert_int_equal(weir_schema_log_read(f.st, 3, f.mem, &got, &err), WEIR_NOTFOUND);
    assert_int_equal(weir_store_get(f.st, "_schemas/10", &buf, &err), WEIR_OK);
    assert_ptr_equal(strstr(buf.data, "v1\n{\"dataSchemaJson\":\"{\\\"type\\\":\\\"struct\\\","), buf.data);
    weir_buf_fini(&buf);
    teardown(&f);
}

static void
versions_of_auto_loader_are_read(void **state)
{
    static const char text[] = "v1\n{\"dataSchemaJson\":\"{\\\"type\\\":\\\"struct\\\",\\\"fields\\\":[{\\\"name\\\":\\\"a\\\","
                               "\\\"type\\\":\\\"string\\\",\\\"nullable\\\":true,\\\"metadata\\\":{}}]}\","
                               "\"partitionSchemaJson\":\"{\\\"type\\\":\\\"struct\\\",\\\"fields\\\":[]}\"}\n";
    static const char *const bad[] = {"", "v1", "v2\n{}", "v1\n{}", "v1\n[]", "v1\n{\"dataSchemaJson\":1}",
                                      "v1\n{\"dataSchemaJson\":\"\\\"string\\\"\"}", "v1\n{\"dataSchemaJson\":\"{\"}", NULL};
    struct weir_schema_version got;
    struct fixture f;

    (void)state;
    setup(&f);
    assert_int_equal(weir_store_put(f.st, "_schemas/2", text, sizeof(text) - 1, WEIR_PUT_REPLACE, &err), WEIR_OK);
    assert_int_equal(weir_schema_log_read(f.st, -1, f.mem, &got, &err), WEIR_OK);
    assert_int_equal(got.version, 2);
    assert_true(weir_type_equal(got.data, ddl(&f, "a STRING")));
    assert_int_equal(got.batch, -1);
    for (int i = 0; bad[i] != NULL; i++) {
        memset(&err, 0, sizeof(err));
        assert_int_equal(weir_store_put(f.st, "_schemas/3", bad[i], strlen(bad[i]), WEIR_PUT_REPLACE, &err), WEIR_OK);
        if (weir_schema_log_read(f.st, -1, f.mem, &got, &err) != WEIR_CORRUPT || strstr(err.where, "_schemas/3") == NULL)
            fail_msg("%s", bad[i]);
    }
    teardown(&f);
}

static void
a_schema_location_has_one_owner(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f);
    assert_int_equal(weir_schema_log_own(f.st, "id-1", "orders", &err), WEIR_OK);
    assert_int_equal(weir_schema_log_own(f.st, "id-1", "renamed", &err), WEIR_OK);
    assert_int_equal(weir_schema_log_own(f.st, "id-2", "other", &err), WEIR_USAGE);
    assert_non_null(strstr(err.what, "orders"));
    assert_non_null(strstr(err.hint, "_owner"));
    teardown(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_become_columns),
        cmocka_unit_test(without_inference_all_are_strings),
        cmocka_unit_test(values_are_decoded_once),
        cmocka_unit_test(versions_come_back_as_they_were_written),
        cmocka_unit_test(versions_of_auto_loader_are_read),
        cmocka_unit_test(a_schema_location_has_one_owner),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
