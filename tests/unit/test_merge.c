/* Hints over inferred schemas, and new fields added to known ones. */
#include "schema/merge.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

static struct weir_mem *mem;

static const struct weir_type *
ddl(const char *text)
{
    struct weir_error err = {0};
    const struct weir_type *t;

    if (weir_schema_parse_ddl(text, strlen(text), mem, &t, &err) != WEIR_OK)
        fail_msg("%s: %s", text, err.what);
    return t;
}

static void
expect(const struct weir_type *got, const char *want)
{
    struct weir_buf buf = WEIR_BUF(65536);

    weir_type_print_ddl(got, &buf);
    if (!weir_type_same(got, ddl(want)))
        fail_msg("got %s, want %s", buf.data, want);
    weir_buf_fini(&buf);
}

static void
hints_replace_add_and_lead_into_nested_types(void **state)
{
    static const struct {
        const char *schema, *hints, *want;
    } cases[] = {
        {"a STRING, b STRING", "b INT", "a STRING, b INT"},
        {"a STRING", "c DATE", "a STRING, c DATE"},
        {"u STRUCT<dob: STRING, n: STRING>", "u.dob DATE", "u STRUCT<dob: DATE, n: STRING>"},
        {"l ARRAY<STRUCT<id: STRING>>", "l.element.id BIGINT", "l ARRAY<STRUCT<id: BIGINT>>"},
        {"m MAP<STRING, STRING>", "m.value INT", "m MAP<STRING, INT>"},
        {"m MAP<STRING, STRING>", "m.key INT", "m MAP<INT, STRING>"},
        {"a STRING", "x.y.z INT", "a STRING, x STRUCT<y: STRUCT<z: INT>>"},
        {"ABC STRING", "abc INT", "abc INT"},
        {"p ARRAY<STRING>", "p ARRAY<INT>", "p ARRAY<INT>"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct weir_error err = {0};
        const struct weir_type *got;
        struct weir_hint *hints;
        uint32_t n;

        assert_int_equal(weir_hints_parse(cases[i].hints, strlen(cases[i].hints), mem, &hints, &n, &err), WEIR_OK);
        assert_int_equal(weir_schema_hint(ddl(cases[i].schema), hints, n, mem, &got, &err), WEIR_OK);
        expect(got, cases[i].want);
    }
}

static void
a_hint_into_a_scalar_is_refused(void **state)
{
    struct weir_error err = {0};
    const struct weir_type *got;
    struct weir_hint *hints;
    uint32_t n;

    (void)state;
    assert_int_equal(weir_hints_parse("a.b INT", 7, mem, &hints, &n, &err), WEIR_OK);
    assert_int_equal(weir_schema_hint(ddl("a STRING"), hints, n, mem, &got, &err), WEIR_USAGE);
}

static void
new_fields_come_at_the_end_of_their_struct(void **state)
{
    static const struct {
        const char *base, *fresh, *want;
        uint32_t added;
    } cases[] = {
        {"b INT, a INT", "a STRING, c INT", "b INT, a INT, c INT", 1},
        {"s STRUCT<x: INT>", "s STRUCT<y: INT, x: INT>", "s STRUCT<x: INT, y: INT>", 1},
        {"l ARRAY<STRUCT<x: INT>>", "l ARRAY<STRUCT<z: INT>>", "l ARRAY<STRUCT<x: INT, z: INT>>", 1},
        {"m MAP<STRING, STRUCT<x: INT>>", "m MAP<STRING, STRUCT<w: INT>>", "m MAP<STRING, STRUCT<x: INT, w: INT>>", 1},
        {"a INT", "A STRING", "a INT", 0},
        {"a INT", "`x y` INT, `b=` INT", "a INT", 0},
        {"a INT", "s STRUCT<`x y`: INT>", "a INT", 0},
        {"a INT", "s STRUCT<`x y`: INT, z: INT>", "a INT, s STRUCT<z: INT>", 1},
        {"a INT", "l ARRAY<STRUCT<`x y`: INT, z: INT>>", "a INT, l ARRAY<STRUCT<z: INT>>", 1},
        {"a INT", "m MAP<STRING, ARRAY<STRUCT<`x y`: INT>>>", "a INT", 0},
        {"a INT", "s STRUCT<l: ARRAY<STRUCT<`x y`: INT>>, z: INT>", "a INT, s STRUCT<z: INT>", 1},
        {"a STRING", "a STRUCT<x: INT>", "a STRING", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct weir_error err = {0};
        const struct weir_type *got;
        uint32_t added;

        assert_int_equal(
            weir_schema_merge(ddl(cases[i].base), ddl(cases[i].fresh), 200, mem, &got, &added, &err), WEIR_OK);
        expect(got, cases[i].want);
        assert_true((added > 0) == (cases[i].added > 0));
    }
}

static void
more_new_fields_than_the_ceiling_are_left_out(void **state)
{
    struct weir_error err = {0};
    const struct weir_type *got;
    uint32_t added;

    (void)state;
    assert_int_equal(weir_schema_merge(ddl("a INT"), ddl("b INT, c INT, d INT"), 2, mem, &got, &added, &err), WEIR_OK);
    expect(got, "a INT, b INT, c INT");
    assert_int_equal(added, 2);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hints_replace_add_and_lead_into_nested_types),
        cmocka_unit_test(a_hint_into_a_scalar_is_refused),
        cmocka_unit_test(new_fields_come_at_the_end_of_their_struct),
        cmocka_unit_test(more_new_fields_than_the_ceiling_are_left_out),
    };
    int failed;

    mem = weir_mem_new(NULL, NULL, "test");
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    weir_mem_free(mem);
    return failed;
}
