/* `query` without SQL: what is taken, what is refused, and views over pages. */
#include "pipeline/project.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include "column/type.h"

static struct weir_mem *mem;

static const struct weir_type *
schema(void)
{
    struct weir_error err = {0};
    const struct weir_type *t;
    const char *ddl = "id BIGINT, user STRUCT<name: STRING, age: INT>, _metadata STRUCT<file_path: STRING>";

    assert_int_equal(weir_schema_parse_ddl(ddl, strlen(ddl), mem, &t, &err), WEIR_OK);
    return t;
}

static void
queries_give_these_schemas(void **state)
{
    static const struct {
        const char *query, *ddl;
    } cases[] = {
        {"SELECT *, _metadata.file_path AS f FROM source", "id BIGINT, user STRUCT<name: STRING, age: INT>, f STRING"},
        {"select id as `the id`, user.name from source;", "`the id` BIGINT, name STRING"},
        {"SELECT source.id FROM source", "id BIGINT"},
        {"SELECT ID x, USER.Age FROM source", "x BIGINT, Age INT"},
        {"SELECT _metadata FROM source", "_metadata STRUCT<file_path: STRING>"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct weir_error err = {0};
        struct weir_projection *p;
        const struct weir_type *got, *want;

        assert_int_equal(weir_projection_parse(cases[i].query, mem, &p, &err), WEIR_OK);
        assert_int_equal(weir_projection_bind(p, schema(), mem, &got, &err), WEIR_OK);
        assert_int_equal(weir_schema_parse_ddl(cases[i].ddl, strlen(cases[i].ddl), mem, &want, &err), WEIR_OK);
        if (!weir_type_same(got, want)) {
            struct weir_buf buf = WEIR_BUF(4096);

            weir_type_print_ddl(got, &buf);
            fail_msg("%s gave %s", cases[i].query, buf.data);
        }
    }
}

static void
what_needs_sql_is_refused(void **state)
{
    static const char *const cases[] = {
        "SELECT id + 1 FROM source",       "SELECT count(*) FROM source", "SELECT id FROM source WHERE id > 1",
        "SELECT id FROM other",            "INSERT INTO t VALUES (1)",    "SELECT id, FROM source",
        "SELECT id AS FROM source, other", "SELECT `id FROM source",      "SELECT FROM source",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct weir_error err = {0};
        struct weir_projection *p;
        const struct weir_type *got;
        weir_rc rc = weir_projection_parse(cases[i], mem, &p, &err);

        if (rc == WEIR_OK)
            rc = weir_projection_bind(p, schema(), mem, &got, &err);
        if (rc != WEIR_UNSUPPORTED && rc != WEIR_SCHEMA)
            fail_msg("%s was taken", cases[i]);
    }
}

static void
names_that_are_wrong_are_answered_with_the_nearest(void **state)
{
    struct weir_error err = {0};
    struct weir_projection *p;
    const struct weir_type *got;

    (void)state;
    assert_int_equal(weir_projection_parse("SELECT user.nam FROM source", mem, &p, &err), WEIR_OK);
    assert_int_equal(weir_projection_bind(p, schema(), mem, &got, &err), WEIR_SCHEMA);
    assert_non_null(strstr(err.hint, "name"));
    assert_int_equal(weir_projection_parse("SELECT id, ID FROM source", mem, &p, &err), WEIR_OK);
    assert_int_equal(weir_projection_bind(p, schema(), mem, &got, &err), WEIR_USAGE);
}

static void
a_field_of_a_null_struct_is_null(void **state)
{
    struct weir_error err = {0};
    struct weir_projection *p;
    const struct weir_type *from = schema(), *got;
    const struct weir_page *out;
    struct weir_page *page;
    struct weir_view *view;

    (void)state;
    assert_int_equal(weir_projection_parse("SELECT user.age FROM source", mem, &p, &err), WEIR_OK);
    assert_int_equal(weir_projection_bind(p, from, mem, &got, &err), WEIR_OK);
    assert_int_equal(weir_page_new(from, NULL, &page, &err), WEIR_OK);
    assert_int_equal(weir_view_new(p, NULL, &view, &err), WEIR_OK);
    page->rows = 70;
    ((int32_t *)page->cols[1].kids[1].data)[69] = 33;
    weir_col_set_null(&page->cols[1], 3);
    weir_col_set_null(&page->cols[1].kids[1], 66);
    out = weir_view_of(view, page);
    assert_int_equal(out->rows, 70);
    assert_true(weir_col_is_null(&out->cols[0], 3));
    assert_true(weir_col_is_null(&out->cols[0], 66));
    assert_false(weir_col_is_null(&out->cols[0], 69));
    assert_int_equal(((const int32_t *)out->cols[0].data)[69], 33);
    weir_view_free(view);
    weir_page_free(page);
}

/* What a query takes grows with its columns, not with its columns times those of the source. */
static void
many_columns_of_many_take_little_memory(void **state)
{
    enum { COLUMNS = 1500 };
    struct weir_buf ddl = WEIR_BUF(WEIR_MIB), query = WEIR_BUF(WEIR_MIB);
    struct weir_error err = {0};
    struct weir_quota quota;
    struct weir_mem *small;
    struct weir_projection *p;
    const struct weir_type *from, *got;

    (void)state;
    weir_buf_str(&query, "SELECT");
    for (int i = 0; i < COLUMNS; i++) {
        weir_buf_printf(&ddl, "%sc%d INT", i > 0 ? ", " : "", i);
        weir_buf_printf(&query, "%s c%d", i > 0 ? "," : "", i);
    }
    weir_buf_str(&query, " FROM source");
    weir_quota_init(&quota, NULL, "query", 4 * WEIR_MIB);
    small = weir_mem_new(NULL, &quota, "query");
    assert_int_equal(weir_schema_parse_ddl(ddl.data, ddl.len, mem, &from, &err), WEIR_OK);
    assert_int_equal(weir_projection_parse(query.data, mem, &p, &err), WEIR_OK);
    assert_int_equal(weir_projection_bind(p, from, small, &got, &err), WEIR_OK);
    assert_int_equal(got->nfields, COLUMNS);
    weir_mem_free(small);
    weir_buf_fini(&ddl);
    weir_buf_fini(&query);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_give_these_schemas),
        cmocka_unit_test(what_needs_sql_is_refused),
        cmocka_unit_test(names_that_are_wrong_are_answered_with_the_nearest),
        cmocka_unit_test(a_field_of_a_null_struct_is_null),
        cmocka_unit_test(many_columns_of_many_take_little_memory),
    };
    int failed;

    mem = weir_mem_new(NULL, NULL, "test");
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    weir_mem_free(mem);
    return failed;
}
