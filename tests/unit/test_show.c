/* Values as text: what people and programs see of a page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/limits.h"
#include "column/show.h"

static struct weir_page *
page_of(struct weir_mem *mem, const char *ddl)
{
    const struct weir_type *schema;
    struct weir_page *page;
    struct weir_error err = {0};

    assert_int_equal(weir_schema_parse_ddl(ddl, strlen(ddl), mem, &schema, &err), WEIR_OK);
    assert_int_equal(weir_page_new(schema, NULL, &page, &err), WEIR_OK);
    return page;
}

static const struct scalar {
    const char *ddl, *text, *zone, *shown, *json;
} scalars[] = {
    {"a BOOLEAN", "true", "UTC", "true", "true"},
    {"a BIGINT", "-9223372036854775808", "UTC", "-9223372036854775808", "-9223372036854775808"},
    {"a DOUBLE", "1e10", "UTC", "1.0E10", "1.0E10"},
    {"a DOUBLE", "NaN", "UTC", "NaN", "\"NaN\""},
    {"a FLOAT", "-Infinity", "UTC", "-Infinity", "\"-Infinity\""},
    {"a DECIMAL(38,2)", "123456789012345678901234567890.5", "UTC", "123456789012345678901234567890.50",
     "123456789012345678901234567890.50"},
    {"a DATE", "2024-02-29", "UTC", "2024-02-29", "\"2024-02-29\""},
    {"a TIMESTAMP", "2024-07-01T10:00:00.123456Z", "UTC", "2024-07-01 10:00:00.123456",
     "\"2024-07-01T10:00:00.123Z\""},
    {"a TIMESTAMP", "2024-07-01T10:00:00Z", "+05:30", "2024-07-01 15:30:00",
     "\"2024-07-01T15:30:00.000+05:30\""},
    {"a TIMESTAMP", "2024-07-01T10:00:00Z", "-03:30", "2024-07-01 06:30:00",
     "\"2024-07-01T06:30:00.000-03:30\""},
    {"a TIMESTAMP_NTZ", "2024-07-01 10:00:00.5", "+05:30", "2024-07-01 10:00:00.5",
     "\"2024-07-01T10:00:00.500\""},
    {"a STRING", "x \"y\" \n", "UTC", "x \"y\" \n", "\"x \\\"y\\\" \\n\""},
    {"a BINARY", "hello", "UTC", "[68 65 6C 6C 6F]", "\"aGVsbG8=\""},
    {"a BINARY", "hello!", "UTC", "[68 65 6C 6C 6F 21]", "\"aGVsbG8h\""},
    {"a BINARY", "h", "UTC", "[68]", "\"aA==\""},
    {"a INT", "", "UTC", "NULL", "null"},
};

static void
scalars_are_shown_as_spark_casts_and_prints_them(void **state)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");

    (void)state;
    for (size_t i = 0; i < sizeof(scalars) / sizeof(*scalars); i++) {
        const struct scalar *c = &scalars[i];
        const struct weir_zone *zone = weir_zone_find(c->zone, strlen(c->zone));
        struct weir_page *page = page_of(mem, c->ddl);
        struct weir_buf text = WEIR_BUF(WEIR_MIB), json = WEIR_BUF(WEIR_MIB);

        assert_true(weir_slot_parse(&page->cols[0], 0, c->text, strlen(c->text), &weir_zone_utc, page->mem));
        weir_show_text(&page->cols[0], 0, zone, &text);
        weir_show_json(&page->cols[0], 0, zone, &json);
        assert_string_equal(text.data, c->shown);
        assert_string_equal(json.data, c->json);
        weir_buf_fini(&text);
        weir_buf_fini(&json);
        weir_page_free(page);
    }
    weir_mem_free(mem);
}

/* {a: 1, l: ["x", null], m: {"k": null}, e: null} in row 0, null in row 1 */
static struct weir_page *
nested_page(struct weir_mem *mem)
{
    struct weir_page *page = page_of(mem, "s STRUCT<a: INT, l: ARRAY<STRING>, m: MAP<STRING, INT>, e: DATE>");
    struct weir_col *s = &page->cols[0], *l = &s->kids[1], *m = &s->kids[2];

    page->rows = 2;
    weir_col_set_null(s, 1);
    ((int32_t *)s->kids[0].data)[0] = 1;
    ((struct weir_list *)l->data)[0] = (struct weir_list){0, 2};
    ((struct weir_str *)l->kids[0].data)[0] = weir_str_of("x", 1);
    weir_col_set_null(&l->kids[0], 1);
    ((struct weir_list *)m->data)[0] = (struct weir_list){0, 1};
    ((struct weir_str *)m->kids[0].kids[0].data)[0] = weir_str_of("k", 1);
    weir_col_set_null(&m->kids[0].kids[1], 0);
    weir_col_set_null(&s->kids[3], 0);
    return page;
}

static weir_rc
collect(void *self, const char *text, size_t len, struct weir_error *err)
{
    weir_buf_add(self, text, len);
    return weir_buf_check(self, err);
}

static const struct shown {
    weir_show_format format;
    unsigned width;
    uint64_t most;
    const char *text;
} shown[] = {
    {WEIR_SHOW_TABLE, 0, 10,
     "+---------------------------------+\n|                                "
     "s|\n+---------------------------------+\n"
     "|{1, [x, null], {k -> null}, null}|\n|                             "
     "NULL|\n+---------------------------------+\n"},
    {WEIR_SHOW_TABLE, 20, 1,
     "+--------------------+\n|                   s|\n+--------------------+\n|{1, [x, null], "
     "{k...|\n+--------------------+\n"
     "only showing top 1 rows\n"},
    {WEIR_SHOW_JSON, 0, 10, "{\"s\":{\"a\":1,\"l\":[\"x\",null],\"m\":{\"k\":null}}}\n{}\n"},
    {WEIR_SHOW_CSV, 0, 10, "s\n\"{\"\"a\"\":1,\"\"l\"\":[\"\"x\"\",null],\"\"m\"\":{\"\"k\"\":null}}\"\n\n"},
};

static void
pages_are_shown_as_tables_json_and_csv(void **state)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_page *page = nested_page(mem);

    (void)state;
    for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
        struct weir_buf out = WEIR_BUF(WEIR_MIB);
        struct weir_error err = {0};
        struct weir_show show = {.format = shown[i].format,
                                 .schema = page->schema,
                                 .zone = &weir_zone_utc,
                                 .width = shown[i].width,
                                 .most = shown[i].most,
                                 .out = collect,
                                 .self = &out};

        assert_int_equal(weir_show_write(&show, page, &err), WEIR_OK);
        assert_int_equal(weir_show_finish(&show, &err), WEIR_OK);
        assert_string_equal(out.data, shown[i].text);
        weir_show_fini(&show);
        weir_buf_fini(&out);
    }
    weir_page_free(page);
    weir_mem_free(mem);
}

static void
a_long_table_keeps_its_widths_and_loses_no_row(void **state)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_page *page = page_of(mem, "id BIGINT");
    struct weir_buf out = WEIR_BUF(16 * WEIR_MIB);
    struct weir_error err = {0};
    struct weir_show show = {
        .schema = page->schema, .zone = &weir_zone_utc, .most = UINT64_MAX, .out = collect, .self = &out};
    size_t lines = 0;

    (void)state;
    for (int64_t id = 0; id < 5000;) {
        weir_page_reset(page);
        for (page->rows = 0; page->rows < 700 && id < 5000; page->rows++)
            ((int64_t *)page->cols[0].data)[page->rows] = id++;
        assert_int_equal(weir_show_write(&show, page, &err), WEIR_OK);
    }
    assert_int_equal(weir_show_finish(&show, &err), WEIR_OK);
    for (size_t i = 0; i < out.len; i++)
        lines += out.data[i] == '\n';
    assert_int_equal(lines, 5000 + 4);
    assert_non_null(strstr(out.data, "|999|\n|1000|\n"));
    weir_show_fini(&show);
    weir_buf_fini(&out);
    weir_page_free(page);
    weir_mem_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_are_shown_as_spark_casts_and_prints_them),
        cmocka_unit_test(pages_are_shown_as_tables_json_and_csv),
        cmocka_unit_test(a_long_table_keeps_its_widths_and_loses_no_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
