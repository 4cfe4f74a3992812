/* Spark's DDL and Auto Loader's hints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "column/type.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static struct weir_mem *mem;
static struct weir_error err;

static int
set_up(void **state)
{
    (void)state;
    mem = weir_mem_new(NULL, NULL, "test");
    return mem == NULL;
}

static int
tear_down(void **state)
{
    (void)state;
    weir_mem_free(mem);
    return 0;
}

/* The text of a type by `print`, in mem. */
static const char *
printed(const struct weir_type *type, void (*print)(const struct weir_type *, struct weir_buf *))
{
    struct weir_buf buf = WEIR_BUF(WEIR_MIB);
    const char *text;

    print(type, &buf);
    assert_int_equal(weir_buf_check(&buf, &err), WEIR_OK);
    text = weir_mem_strndup(mem, buf.data, buf.len);
    weir_buf_fini(&buf);
    return text;
}

static void
a_type_is_read_in_each_of_its_spellings(void **state)
{
    static const struct {
        const char *ddl, *simple;
    } cases[] = {
        {"BOOLEAN", "boolean"},
        {"boolean", "boolean"},
        {"TINYINT", "tinyint"},
        {"Byte", "tinyint"},
        {"SMALLINT", "smallint"},
        {"SHORT", "smallint"},
        {"INT", "int"},
        {"INTEGER", "int"},
        {"BIGINT", "bigint"},
        {"LONG", "bigint"},
        {"FLOAT", "float"},
        {"REAL", "float"},
        {"DOUBLE", "double"},
        {"DATE", "date"},
        {"TIMESTAMP", "timestamp"},
        {"TIMESTAMP_LTZ", "timestamp"},
        {"TIMESTAMP_NTZ", "timestamp_ntz"},
        {"STRING", "string"},
        {"STRING COLLATE UTF8_BINARY", "string"},
        {"CHAR(3)", "string"},
        {"CHARACTER(3)", "string"},
        {"VARCHAR(10)", "string"},
        {"BINARY", "binary"},
        {"VARIANT", "variant"},
        {"VOID", "void"},
        {"DECIMAL", "decimal(10,0)"},
        {"DEC(5)", "decimal(5,0)"},
        {"NUMERIC( 38 , 38 )", "decimal(38,38)"},
        {"ARRAY<INT>", "array<int>"},
        {"MAP<STRING, ARRAY<INT>>", "map<string,array<int>>"},
        {"STRUCT<>", "struct<>"},
        {"STRUCT<a: INT, b STRING>", "struct<a:int,b:string>"},
        {"struct<a:array<struct<b:map<string,decimal(4,2)>>>>", "struct<a:array<struct<b:map<string,decimal(4,2)>>>>"},
        {" /* all of it */ INT -- to the end", "int"},
    };
    const struct weir_type *type;
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        if (weir_type_parse_ddl(cases[i].ddl, strlen(cases[i].ddl), mem, &type, &err) != WEIR_OK)
            fail_msg("%s: %s", cases[i].ddl, err.what);
        assert_string_equal(printed(type, weir_type_print_simple), cases[i].simple);
    }
}

static void
a_schema_is_read_as_spark_reads_it(void **state)
{
    static const struct {
        const char *ddl, *json;
    } cases[] = {
        {"a INT", "{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"integer\",\"nullable\":true,"
                  "\"metadata\":{}}]}"},
        {"a: INT NOT NULL", "{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"integer\","
                            "\"nullable\":false,\"metadata\":{}}]}"},
        {"STRUCT<a: INT>", "{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"integer\",\"nullable\":true,"
                           "\"metadata\":{}}]}"},
        {"`a``.b` DATE COMMENT 'it\\'s \"x\"\\n'",
         "{\"type\":\"struct\",\"fields\":[{\"name\":\"a`.b\",\"type\":\"date\",\"nullable\":true,"
         "\"metadata\":{\"comment\":\"it's \\\"x\\\"\\n\"}}]}"},
        {"a INT COMMENT \"x''y\" NOT NULL",
         "{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"integer\",\"nullable\":false,"
         "\"metadata\":{\"comment\":\"x''y\"}}]}"},
        {"a INT COMMENT 'x''y\\u00e9'",
         "{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"integer\",\"nullable\":true,"
         "\"metadata\":{\"comment\":\"x'y\303\251\"}}]}"},
        {"date DATE, `123` INT, struct STRUCT<map: MAP<INT,INT>>, \303\251t\303\251 STRING",
         "{\"type\":\"struct\",\"fields\":[{\"name\":\"date\",\"type\":\"date\",\"nullable\":true,\"metadata\":{}},"
         "{\"name\":\"123\",\"type\":\"integer\",\"nullable\":true,\"metadata\":{}},"
         "{\"name\":\"struct\",\"type\":{\"type\":\"struct\",\"fields\":[{\"name\":\"map\",\"type\":"
         "{\"type\":\"map\",\"keyType\":\"integer\",\"valueType\":\"integer\",\"valueContainsNull\":true},"
         "\"nullable\":true,\"metadata\":{}}]},\"nullable\":true,\"metadata\":{}},"
         "{\"name\":\"\303\251t\303\251\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]}"},
        {"a VARCHAR(10) COMMENT 'c', b ARRAY<STRUCT<x: CHAR(2), y DECIMAL(3,1)>>, c STRING",
         "{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"string\",\"nullable\":true,"
         "\"metadata\":{\"comment\":\"c\",\"__CHAR_VARCHAR_TYPE_STRING\":\"varchar(10)\"}},"
         "{\"name\":\"b\",\"type\":{\"type\":\"array\",\"elementType\":{\"type\":\"struct\",\"fields\":["
         "{\"name\":\"x\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}},"
         "{\"name\":\"y\",\"type\":\"decimal(3,1)\",\"nullable\":true,\"metadata\":{}}]},\"containsNull\":true},"
         "\"nullable\":true,\"metadata\":"
         "{\"__CHAR_VARCHAR_TYPE_STRING\":\"array<struct<x:char(2),y:decimal(3,1)>>\"}},"
         "{\"name\":\"c\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]}"},
    };
    const struct weir_type *type;
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        if (weir_schema_parse_ddl(cases[i].ddl, strlen(cases[i].ddl), mem, &type, &err) != WEIR_OK)
            fail_msg("%s: %s", cases[i].ddl, err.what);
        assert_string_equal(printed(type, weir_type_print_json), cases[i].json);
    }
}

static void
a_wrong_schema_names_the_place_and_what_was_expected(void **state)
{
    static const struct {
        const char *ddl;
        weir_rc rc;
        const char *where, *what, *hint;
    } cases[] = {
        {"", WEIR_USAGE, "character 1", "expected a column name, found the end", ""},
        {"a", WEIR_USAGE, "character 2", "expected a type, found the end", ""},
        {"a INTT", WEIR_USAGE, "character 3", "expected a type, found \"INTT\"", "did you mean INT?"},
        {"a STRNG", WEIR_USAGE, "character 3", "expected a type", "did you mean STRING?"},
        {"a INT,", WEIR_USAGE, "character 7", "expected a column name", ""},
        {"a INT b INT", WEIR_USAGE, "character 7", "expected \",\" or the end, found \"b\"", ""},
        {"a.b INT", WEIR_USAGE, "character 2", "expected a type, found \".\"", ""},
        {"12 INT", WEIR_USAGE, "character 1", "expected a column name, found \"12\"", ""},
        {"`` INT", WEIR_USAGE, "character 1", "expected a column name", ""},
        {"a INT, A BIGINT", WEIR_USAGE, "character 8", "there are two columns \"A\"", ""},
        {"s STRUCT<x: INT, X: INT>", WEIR_USAGE, "character 18", "there are two columns \"X\"", ""},
        {"\303\251 INT, b FOO", WEIR_USAGE, "character 10", "expected a type, found \"FOO\"", ""},
        {"a ARRAY<INT", WEIR_USAGE, "character 12", "expected \">\", found the end", ""},
        {"a ARRAY<INT NOT NULL>", WEIR_USAGE, "character 13", "expected \">\", found \"NOT\"", ""},
        {"a MAP<INT>", WEIR_USAGE, "character 10", "expected \",\" and the type of the values", ""},
        {"a DECIMAL(39)", WEIR_USAGE, "character 11", "expected a precision from 1 to 38, found \"39\"", ""},
        {"a DECIMAL(5,6)", WEIR_USAGE, "character 13", "expected a scale from 0 to the precision", ""},
        {"a VARCHAR", WEIR_USAGE, "character 10", "expected \"(\" and a length", ""},
        {"a VARCHAR(0)", WEIR_USAGE, "character 11", "expected a length of at least 1", ""},
        {"a INT NOT", WEIR_USAGE, "character 10", "expected NULL", ""},
        {"a INT NOT NULL NOT NULL", WEIR_USAGE, "character 16", "expected \",\" or the end", ""},
        {"a INT COMMENT x", WEIR_USAGE, "character 15", "expected a comment in quotes", ""},
        {"a INT COMMENT 'x", WEIR_USAGE, "character 15", "the closing ' is missing", ""},
        {"a INT COMMENT '\\ud800'", WEIR_USAGE, "character 16", "this escape is not possible", ""},
        {"a INT /* x", WEIR_USAGE, "character 7", "the comment does not end", ""},
        {"`a INT", WEIR_USAGE, "character 1", "the closing ` is missing", ""},
        {"a INT DEFAULT 1", WEIR_UNSUPPORTED, "character 7", "DEFAULT is not supported", ""},
        {"a INT GENERATED ALWAYS", WEIR_UNSUPPORTED, "character 7", "GENERATED is not supported", ""},
        {"a INTERVAL", WEIR_UNSUPPORTED, "character 3", "the type INTERVAL is not supported", ""},
        {"a STRING COLLATE UNICODE", WEIR_UNSUPPORTED, "character 18", "collation", ""},
        {"a \377", WEIR_USAGE, "", "the schema text is not UTF-8", ""},
    };
    const struct weir_type *type;
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        weir_rc rc;

        weir_error_clear(&err);
        rc = weir_schema_parse_ddl(cases[i].ddl, strlen(cases[i].ddl), mem, &type, &err);
        if (rc != cases[i].rc || strstr(err.what, cases[i].what) == NULL || !strstr(err.where, cases[i].where) ||
            (cases[i].hint[0] != '\0' && strcmp(err.hint, cases[i].hint) != 0))
            fail_msg("%s: %d %s | %s | %s", cases[i].ddl, rc, err.where, err.what, err.hint);
        assert_int_equal(err.rc, cases[i].rc);
    }
}

static void
a_text_with_a_nul_is_refused(void **state)
{
    static const char text[] = "a INT, `b\0c` INT";
    const struct weir_type *type;

    (void)state;
    assert_int_equal(weir_schema_parse_ddl(text, sizeof(text) - 1, mem, &type, &err), WEIR_USAGE);
}

static void
the_depth_has_a_ceiling(void **state)
{
    struct weir_buf buf = WEIR_BUF(WEIR_MIB);
    const struct weir_type *type;
    int depth, i;

    (void)state;
    for (depth = WEIR_NEST_MAX - 1; depth <= WEIR_NEST_MAX; depth++) {
        weir_buf_reset(&buf);
        for (i = 0; i < depth; i++)
            weir_buf_str(&buf, "ARRAY<");
        weir_buf_str(&buf, "INT");
        for (i = 0; i < depth; i++)
            weir_buf_byte(&buf, '>');
        assert_int_equal(weir_type_parse_ddl(buf.data, buf.len, mem, &type, &err),
                         depth < WEIR_NEST_MAX ? WEIR_OK : WEIR_USAGE);
    }
    assert_non_null(strstr(err.what, "levels deep"));
    weir_buf_fini(&buf);
}

static void
the_number_of_columns_has_a_ceiling(void **state)
{
    struct weir_buf buf = WEIR_BUF(WEIR_MIB);
    const struct weir_type *type;
    int i;

    (void)state;
    for (i = 0; i < WEIR_FIELDS_MAX; i++)
        weir_buf_printf(&buf, "%sc%d INT", i == 0 ? "" : ",", i);
    assert_int_equal(weir_schema_parse_ddl(buf.data, buf.len, mem, &type, &err), WEIR_OK);
    assert_int_equal(type->nfields, WEIR_FIELDS_MAX);
    weir_buf_str(&buf, ",x INT");
    assert_int_equal(weir_schema_parse_ddl(buf.data, buf.len, mem, &type, &err), WEIR_USAGE);
    weir_buf_fini(&buf);
}

static void
a_printed_schema_reads_back_as_the_same_type(void **state)
{
    static const char *const cases[] = {
        "a BIGINT, b STRING",
        "a INT NOT NULL COMMENT 'it\\'s a \\\\', `x y` STRUCT<p: MAP<STRING, ARRAY<INT>> COMMENT 'c', `12`: DATE>",
        "`a``b` DECIMAL(38,10), v VARIANT, n VOID, ts TIMESTAMP_NTZ, e STRUCT<>, `12a` TINYINT",
    };
    const struct weir_type *type, *again;
    const char *text;
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        assert_int_equal(weir_schema_parse_ddl(cases[i], strlen(cases[i]), mem, &type, &err), WEIR_OK);
        text = printed(type, weir_type_print_ddl);
        assert_string_equal(text, cases[i]);
        assert_int_equal(weir_schema_parse_ddl(text, strlen(text), mem, &again, &err), WEIR_OK);
        assert_true(weir_type_equal(type, again));
    }
}

static void
hints_have_paths_of_names(void **state)
{
    static const char text[] = "date DATE, user_info.dob: DATE, `a.b`.`c``d`.element.id BIGINT,m.value.x MAP<STRING,"
                               "STRING>";
    static const char *const want[] = {"date=date", "user_info/dob=date", "a.b/c`d/element/id=bigint",
                                       "m/value/x=map<string,string>"};
    struct weir_buf buf = WEIR_BUF(1024);
    struct weir_hint *hints;
    uint32_t n, i, j;

    (void)state;
    assert_int_equal(weir_hints_parse(text, sizeof(text) - 1, mem, &hints, &n, &err), WEIR_OK);
    assert_int_equal(n, COUNT(want));
    for (i = 0; i < n; i++) {
        weir_buf_reset(&buf);
        for (j = 0; j < hints[i].depth; j++)
            weir_buf_printf(&buf, "%s%s", j == 0 ? "" : "/", hints[i].path[j]);
        weir_buf_byte(&buf, '=');
        weir_type_print_simple(hints[i].type, &buf);
        assert_string_equal(buf.data, want[i]);
    }
    weir_buf_fini(&buf);
}

static void
hints_that_cannot_be_are_refused(void **state)
{
    static const struct {
        const char *text, *where, *what;
    } cases[] = {
        {"a.", "character 3", "expected a column name"},
        {"a..b INT", "character 3", "expected a column name"},
        {"a INT, b", "character 9", "expected a type"},
        {"a INT NOT NULL", "character 7", "expected \",\" or the end"},
        {"a.b INT, A.B BIGINT", "character 10", "two hints for this path"},
    };
    struct weir_hint *hints;
    uint32_t n;
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        assert_int_equal(weir_hints_parse(cases[i].text, strlen(cases[i].text), mem, &hints, &n, &err), WEIR_USAGE);
        assert_non_null(strstr(err.what, cases[i].what));
        assert_non_null(strstr(err.where, cases[i].where));
    }
    assert_int_equal(weir_hints_parse("", 0, mem, &hints, &n, &err), WEIR_OK);
    assert_int_equal(n, 0);
    /* Different paths that look alike when joined without care. */
    assert_int_equal(weir_hints_parse("`a.b` INT, a.b INT", 18, mem, &hints, &n, &err), WEIR_OK);
    assert_int_equal(n, 2);
}

static void
every_memory_refusal_is_an_error_and_leaks_nothing(void **state)
{
    static const char text[] = "a VARCHAR(3) COMMENT 'x', b STRUCT<c: MAP<STRING, DECIMAL(3,2)>>, `d` ARRAY<INT>";
    uint64_t limit;
    weir_rc rc = WEIR_NOMEM;

    (void)state;
    for (limit = 0; rc == WEIR_NOMEM; limit += 64) {
        struct weir_quota q;
        struct weir_mem *small;
        const struct weir_type *type;

        weir_quota_init(&q, NULL, "test", limit);
        small = weir_mem_new(NULL, &q, "small");
        if (small == NULL)
            continue;
        rc = weir_schema_parse_ddl(text, sizeof(text) - 1, small, &type, &err);
        weir_mem_free(small);
        assert_int_equal(q.used, 0);
    }
    assert_int_equal(rc, WEIR_OK);
    assert_true(limit > 1024);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_type_is_read_in_each_of_its_spellings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_schema_is_read_as_spark_reads_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wrong_schema_names_the_place_and_what_was_expected, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_text_with_a_nul_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_depth_has_a_ceiling, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_number_of_columns_has_a_ceiling, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_printed_schema_reads_back_as_the_same_type, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hints_have_paths_of_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hints_that_cannot_be_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_memory_refusal_is_an_error_and_leaks_nothing, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
