/* Spark's JSON of types, both ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/limits.h"
#include "column/type.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define STRUCT(fields) "{\"type\":\"struct\",\"fields\":[" fields "]}"
#define FIELD(type, metadata) "{\"name\":\"a\",\"type\":" type ",\"nullable\":true,\"metadata\":" metadata "}"

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

static const char *
printed(const struct weir_type *type)
{
    struct weir_buf buf = WEIR_BUF(WEIR_MIB);
    const char *text;

    weir_type_print_json(type, &buf);
    assert_int_equal(weir_buf_check(&buf, &err), WEIR_OK);
    text = weir_mem_strndup(mem, buf.data, buf.len);
    weir_buf_fini(&buf);
    return text;
}

static void
what_spark_writes_comes_back_byte_for_byte(void **state)
{
    static const char *const cases[] = {
        "\"string\"",
        "\"decimal(38,18)\"",
        "{\"type\":\"array\",\"elementType\":\"long\",\"containsNull\":false}",
        "{\"type\":\"map\",\"keyType\":\"string\",\"valueType\":{\"type\":\"array\",\"elementType\":\"void\","
        "\"containsNull\":true},\"valueContainsNull\":false}",
        STRUCT(""),
        STRUCT(FIELD("\"timestamp_ntz\"", "{}") ",{\"name\":\"b \\\"q\\\" \303\251/\",\"type\":\"variant\","
                                                "\"nullable\":false,\"metadata\":{}}"),
        STRUCT(FIELD("\"long\"", "{\"delta.identity.start\":1,\"delta.identity.allowExplicitInsert\":false}")),
        STRUCT(FIELD("\"double\"", "{\"x\":0.1,\"y\":1.0E10,\"z\":[1,{\"k\":\"a, b \\u00e9}\"}],\"n\":null}")),
        STRUCT(FIELD(STRUCT(FIELD(STRUCT(FIELD("\"date\"", "{\"comment\":\"in\"}")), "{}")), "{\"comment\":\"out\"}")),
    };
    const struct weir_type *type;
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        if (weir_type_parse_json(cases[i], strlen(cases[i]), mem, &type, &err) != WEIR_OK)
            fail_msg("%s: %s: %s", cases[i], err.where, err.what);
        assert_string_equal(printed(type), cases[i]);
    }
}

static void
other_spellings_are_understood(void **state)
{
    static const struct {
        const char *json, *printed;
    } cases[] = {
        {" \"decimal\" ", "\"decimal(10,0)\""},
        {"\"decimal( 5 , 2 )\"", "\"decimal(5,2)\""},
        {"\"null\"", "\"void\""},
        {"\"timestamp_ltz\"", "\"timestamp\""},
        {"{ \"fields\" : [ { \"metadata\" : { \"k\" : [ 1 , \"a b\" ] } , \"type\" : \"integer\" ,\n \"n\\u0061me\" : "
         "\"\\u0061\" } ] , \"type\" : \"struct\" }",
         STRUCT(FIELD("\"integer\"", "{\"k\":[1,\"a b\"]}"))},
        {STRUCT("{\"name\":\"a\",\"type\":\"byte\",\"metadata\":null}"), STRUCT(FIELD("\"byte\"", "{}"))},
    };
    const struct weir_type *type;
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        if (weir_type_parse_json(cases[i].json, strlen(cases[i].json), mem, &type, &err) != WEIR_OK)
            fail_msg("%s: %s: %s", cases[i].json, err.where, err.what);
        assert_string_equal(printed(type), cases[i].printed);
    }
}

static void
what_is_no_schema_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *json;
        weir_rc rc;
        const char *text;
    } cases[] = {
        {"", WEIR_CORRUPT, "JSON at byte 0"},
        {"{", WEIR_CORRUPT, "JSON at byte"},
        {"1", WEIR_CORRUPT, "neither a name nor an object"},
        {"\"strin\"", WEIR_CORRUPT, "hint: did you mean string?"},
        {"\"decimal(39,0)\"", WEIR_CORRUPT, "\"decimal(39,0)\" is no type"},
        {"\"decimal(3,4)\"", WEIR_CORRUPT, "is no type"},
        {"\"decimal(3,-1)\"", WEIR_CORRUPT, "is no type"},
        {"\"decimal(3,1\"", WEIR_CORRUPT, "is no type"},
        {"\"decimal(3,1)x\"", WEIR_CORRUPT, "is no type"},
        {"\"decimalx\"", WEIR_CORRUPT, "is no type"},
        {"\"string collate UNICODE\"", WEIR_UNSUPPORTED, "string collate UNICODE"},
        {"\"interval day to second\"", WEIR_UNSUPPORTED, "interval day to second"},
        {"{\"type\":\"udt\",\"class\":\"x\"}", WEIR_UNSUPPORTED, "user-defined"},
        {"{\"type\":\"list\"}", WEIR_CORRUPT, "\"list\" is no nested type"},
        {"{\"fields\":[]}", WEIR_CORRUPT, "a type has no name"},
        {"{\"type\":\"struct\"}", WEIR_CORRUPT, "no list \"fields\""},
        {STRUCT("1"), WEIR_CORRUPT, "a field is not an object"},
        {STRUCT("{\"type\":\"long\"}"), WEIR_CORRUPT, "a field has no name"},
        {STRUCT("{\"name\":\"a\"}"), WEIR_CORRUPT, "column \"a\": a type is missing"},
        {STRUCT("{\"name\":\"a\",\"type\":\"long\",\"nullable\":1}"), WEIR_CORRUPT, "\"nullable\" is not true or"},
        {STRUCT("{\"name\":\"a\",\"type\":\"long\",\"metadata\":1}"), WEIR_CORRUPT, "\"metadata\" is not an obj"},
        {STRUCT("{\"name\":\"a\",\"type\":\"long\",\"nulable\":true}"), WEIR_CORRUPT, "the key \"nulable\""},
        {STRUCT("{\"name\":\"a\",\"name\":\"b\",\"type\":\"long\"}"), WEIR_CORRUPT, "duplicate object key"},
        {STRUCT("{\"name\":\"a\",\"type\":\"long\"},{\"name\":\"A\",\"type\":\"long\"}"), WEIR_CORRUPT,
         "there are two columns \"A\""},
        {STRUCT("{\"name\":\"a\\u0000\",\"type\":\"long\"}"), WEIR_CORRUPT, "JSON at byte"},
        {STRUCT(FIELD(STRUCT("{\"name\":\"b\",\"type\":\"foo\"}"), "{}")), WEIR_CORRUPT,
         "column \"a\": column \"b\": \"foo\" is no type"},
    };
    const struct weir_type *type;
    char text[1200];
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        weir_error_clear(&err);
        assert_int_equal(weir_type_parse_json(cases[i].json, strlen(cases[i].json), mem, &type, &err), cases[i].rc);
        weir_error_text(&err, text, sizeof(text));
        if (strstr(text, cases[i].text) == NULL)
            fail_msg("%s: %s", cases[i].json, text);
        assert_ptr_equal(strstr(text, "schema JSON: "), text);
    }
}

static void
a_schema_as_deep_as_may_be_survives_its_json(void **state)
{
    const struct weir_type *type = &weir_type_int, *again;
    const char *text;
    int i;

    (void)state;
    for (i = 0; i < WEIR_NEST_MAX; i++) {
        struct weir_field f = {.name = "s", .name_len = 1, .nullable = true, .type = type};

        type = weir_type_struct(mem, &f, 1);
    }
    text = printed(type);
    assert_int_equal(weir_type_parse_json(text, strlen(text), mem, &again, &err), WEIR_OK);
    assert_true(weir_type_equal(type, again));
    type = weir_type_array(mem, type, true);
    text = printed(type);
    assert_int_equal(weir_type_parse_json(text, strlen(text), mem, &again, &err), WEIR_CORRUPT);
    assert_non_null(strstr(err.what, "levels deep"));
}

static void
every_memory_refusal_is_an_error_and_leaks_nothing(void **state)
{
    static const char text[] = STRUCT(FIELD("{\"type\":\"map\",\"keyType\":\"string\",\"valueType\":"
                                            "\"decimal(3,1)\",\"valueContainsNull\":true}",
                                            "{\"comment\":\"x\"}"));
    uint64_t limit;
    weir_rc rc = WEIR_NOMEM;

    (void)state;
    for (limit = 0; rc == WEIR_NOMEM; limit += 64) {
        struct weir_quota q;
        struct weir_mem *small;
        const struct weir_type *type;

        weir_quota_init(&q, NULL, "test", limit);
        weir_json_init(&q);
        small = weir_mem_new(NULL, &q, "small");
        if (small != NULL)
            rc = weir_type_parse_json(text, sizeof(text) - 1, small, &type, &err);
        weir_mem_free(small);
        weir_json_init(NULL);
        assert_int_equal(q.used, 0);
    }
    assert_int_equal(rc, WEIR_OK);
    assert_true(limit > 1024);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_spark_writes_comes_back_byte_for_byte, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_spellings_are_understood, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_schema_is_refused_with_its_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_schema_as_deep_as_may_be_survives_its_json, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_memory_refusal_is_an_error_and_leaks_nothing, set_up, tear_down),
    };

    weir_json_init(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
