/* Slots of a page from and to text, as partition values have it. */
#include "column/text.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

static struct weir_mem *mem;

/* The slot's text after a parse, "null", or "false". */
static const char *
through(const struct weir_type *type, const char *t, size_t n, char *out)
{
    struct weir_field f = {.name = "c", .name_len = 1, .nullable = true, .type = type};
    struct weir_error err = {0};
    struct weir_page *page;
    struct weir_buf buf = WEIR_BUF(1024);
    bool ok;

    assert_int_equal(weir_page_new(weir_type_struct(mem, &f, 1), NULL, &page, &err), WEIR_OK);
    ok = weir_slot_parse(&page->cols[0], 3, t, n, &weir_zone_utc, mem);
    if (!ok) {
        assert_true(weir_col_is_null(&page->cols[0], 3));
        snprintf(out, 256, "false");
    } else if (weir_col_is_null(&page->cols[0], 3)) {
        snprintf(out, 256, "null");
    } else {
        weir_slot_print(&page->cols[0], 3, &buf);
        snprintf(out, 256, "%.*s", (int)buf.len, buf.data == NULL ? "" : buf.data);
    }
    assert_false(weir_col_is_null(&page->cols[0], 2));
    weir_buf_fini(&buf);
    weir_page_free(page);
    return out;
}

static void
partition_values_are_cast_as_spark_casts_them(void **state)
{
    const struct weir_type *dec32 = weir_type_decimal(mem, 3, 2), *dec38 = weir_type_decimal(mem, 38, 10);
    const struct {
        const struct weir_type *type;
        const char *text, *want;
    } cases[] = {
        {&weir_type_boolean, "true", "true"},
        {&weir_type_boolean, " TRUE ", "true"},
        {&weir_type_boolean, "1", "true"},
        {&weir_type_boolean, "2", "false"},
        {&weir_type_byte, "-128", "-128"},
        {&weir_type_byte, "128", "false"},
        {&weir_type_short, "32767", "32767"},
        {&weir_type_short, "32768", "false"},
        {&weir_type_int, "007", "7"},
        {&weir_type_int, "+5", "5"},
        {&weir_type_int, " 5\t", "5"},
        {&weir_type_int, "1.9", "1"},
        {&weir_type_int, "-1.9", "-1"},
        {&weir_type_int, "1.", "1"},
        {&weir_type_int, "1.x", "false"},
        {&weir_type_int, "1e3", "false"},
        {&weir_type_int, "abc", "false"},
        {&weir_type_int, "-", "false"},
        {&weir_type_int, " ", "false"},
        {&weir_type_int, "2147483648", "false"},
        {&weir_type_int, "-2147483648", "-2147483648"},
        {&weir_type_long, "9223372036854775807", "9223372036854775807"},
        {&weir_type_long, "-9223372036854775808", "-9223372036854775808"},
        {&weir_type_long, "9223372036854775808", "false"},
        {&weir_type_long, "-9223372036854775809", "false"},
        {&weir_type_float, "1.5", "1.5"},
        {&weir_type_float, "0.1", "0.1"},
        {&weir_type_double, "12345678", "1.2345678E7"},
        {&weir_type_double, "1.0E-4", "1.0E-4"},
        {&weir_type_double, " 1e3 ", "1000.0"},
        {&weir_type_double, "NaN", "NaN"},
        {&weir_type_double, "-Infinity", "-Infinity"},
        {&weir_type_double, "inf", "Infinity"},
        {&weir_type_double, "1.5d", "1.5"},
        {&weir_type_double, "x", "false"},
        {&weir_type_date, "2020-1-5", "2020-01-05"},
        {&weir_type_date, "2020-01-05 00:00:00", "2020-01-05"},
        {&weir_type_date, "20200105", "false"}, /* no days since the epoch here */
        {&weir_type_date, "2020-02-30", "false"},
        {&weir_type_timestamp, "2020-01-02T03:04:05.678901Z", "2020-01-02T03:04:05.678901Z"},
        {&weir_type_timestamp, "2020-01-02 03:04:05", "2020-01-02T03:04:05.000000Z"},
        {&weir_type_timestamp, "2020-01-02", "2020-01-02T00:00:00.000000Z"},
        {&weir_type_timestamp, "2020-01-02 03:04:05+05:00", "2020-01-01T22:04:05.000000Z"},
        {&weir_type_timestamp, "1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999000Z"},
        {&weir_type_timestamp_ntz, "2020-01-02 03:04:05.5", "2020-01-02 03:04:05.5"},
        {&weir_type_timestamp_ntz, "2020-01-02 03:04:05+05:00", "2020-01-02 03:04:05"},
        {dec32, "1.555", "1.56"},
        {dec32, " -1.5 ", "-1.50"},
        {dec32, "99999", "false"},
        {dec32, "9.999", "false"},
        {dec38, "1234567890123456789012345678.0000000001", "1234567890123456789012345678.0000000001"},
        {&weir_type_string, " as it is ", " as it is "},
        {&weir_type_string, "longer than twelve bytes: gr\xc3\xbc\xc3\x9f dich", "longer than twelve bytes: gr\xc3\xbc\xc3\x9f dich"},
        {&weir_type_string, "\xff", "false"},
        {&weir_type_binary, "\xff", "\xff"},
        {&weir_type_void, "x", "null"},
    };
    char text[256];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        through(cases[i].type, cases[i].text, strlen(cases[i].text), text);
        if (strcmp(text, cases[i].want) != 0)
            fail_msg("'%s' as %s: %s", cases[i].text, weir_kind_name(cases[i].type->kind), text);
        assert_string_equal(through(cases[i].type, "", 0, text), "null"); /* empty is null for every type */
    }
}

static void
no_is_false_and_not_a_failure(void **state)
{
    uint8_t data[1] = {7};
    uint64_t mask = 0;
    struct weir_col col = {.type = &weir_type_boolean, .data = data, .mask = &mask, .cap = 1};

    (void)state;
    assert_true(weir_slot_parse(&col, 0, "No", 2, &weir_zone_utc, mem));
    assert_int_equal(data[0], 0);
    assert_false(weir_col_is_null(&col, 0));
}

static void
a_value_after_a_null_is_there(void **state)
{
    int32_t data[2] = {0};
    uint64_t mask = 0;
    struct weir_col col = {.type = &weir_type_int, .data = data, .mask = &mask, .cap = 2};

    (void)state;
    assert_false(weir_slot_parse(&col, 1, "x", 1, &weir_zone_utc, mem));
    assert_true(weir_col_is_null(&col, 1));
    assert_true(weir_slot_parse(&col, 1, "5", 1, &weir_zone_utc, mem));
    assert_false(weir_col_is_null(&col, 1));
    assert_int_equal(data[1], 5);
}

static void
local_timestamps_are_read_in_the_zone_given(void **state)
{
    int64_t data[1];
    uint64_t mask = 0;
    struct weir_col col = {.type = &weir_type_timestamp, .data = data, .mask = &mask, .cap = 1, .form = WEIR_CONST};
    struct weir_buf buf = WEIR_BUF(64);

    (void)state;
    assert_true(weir_slot_parse(&col, 0, "2020-01-02 03:04:05", 19, weir_zone_find("+05:00", 6), mem));
    weir_slot_print(&col, 1000, &buf); /* one slot for all rows */
    assert_string_equal(buf.data, "2020-01-01T22:04:05.000000Z");
    weir_buf_fini(&buf);
}

static void
strings_without_memory_are_null_and_false(void **state)
{
    struct weir_quota q;
    struct weir_mem *small;
    struct weir_str data[1];
    uint64_t mask = 0;
    struct weir_col col = {.type = &weir_type_string, .data = data, .mask = &mask, .cap = 1};
    char text[4096];

    (void)state;
    memset(text, 'x', sizeof(text));
    weir_quota_init(&q, NULL, "test", 64);
    small = weir_mem_new(NULL, &q, "test");
    if (small != NULL) {
        assert_false(weir_slot_parse(&col, 0, text, sizeof(text), &weir_zone_utc, small));
        assert_true(weir_col_is_null(&col, 0));
    }
    weir_mem_free(small);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partition_values_are_cast_as_spark_casts_them),
        cmocka_unit_test(no_is_false_and_not_a_failure),
        cmocka_unit_test(a_value_after_a_null_is_there),
        cmocka_unit_test(local_timestamps_are_read_in_the_zone_given),
        cmocka_unit_test(strings_without_memory_are_null_and_false),
    };
    int failed;

    mem = weir_mem_new(NULL, NULL, "test");
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    weir_mem_free(mem);
    return failed;
}
