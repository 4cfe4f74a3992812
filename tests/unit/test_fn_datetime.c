/* Spark's answers against the kernels of fn_datetime.c and fn_datetime_text.c. */
#include "fn_values.h"

static void
datetime_functions_answer_as_spark(void **state)
{
    (void)state;
    values_section("datetime");
    values_section("datetime_more");
}

static void
datetime_functions_follow_the_session_zone(void **state)
{
    (void)state;
    values_section("datetime_la");
}

/* A case of spark/to_timestamp_cases.json in the form of values.json. */
static json_t *
to_timestamp_case(const json_t *c)
{
    const char *keys[2] = {"ansi_true", "ansi_false"}, *names[2] = {"answer", "off"};
    json_t *made = json_object(), *arguments = json_array(), *texts[2];

    texts[0] = json_object_get(c, "input");
    texts[1] = json_object_get(c, "pattern");
    for (int i = 0; i < 2 && !json_is_null(texts[i]); i++) {
        char *value = json_dumps(texts[i], JSON_ENCODE_ANY);

        json_array_append_new(arguments,
                              json_pack("{s:s,s:s,s:b}", "type", "string", "value", value, "literal", 1));
        free(value);
    }
    for (int i = 0; i < 2; i++) {
        const json_t *answer = json_object_get(c, keys[i]), *micros = json_object_get(answer, "micros");
        char text[64] = "null";

        if (micros != NULL) {
            text[0] = '"';
            (void)weir_timestamp_print(json_integer_value(micros), 6, 'T', "Z\"", text + 1);
        }
        json_object_set_new(made, names[i],
                            json_object_get(answer, "error") != NULL
                                ? json_pack("{s:O}", "error", json_object_get(answer, "error"))
                                : json_pack("{s:s,s:s}", "type", "timestamp", "value", text));
    }
    json_object_set_new(made, "call", json_incref(texts[0]));
    json_object_set_new(made, "function", json_string("to_timestamp"));
    json_object_set_new(made, "arguments", arguments);
    return made;
}

static void
to_timestamp_answers_as_spark(void **state)
{
    struct values_count all = {0};
    char path[1024];
    json_t *doc, *c;
    size_t i;

    (void)state;
    snprintf(path, sizeof(path), "%s/spark/to_timestamp_cases.json", getenv("WEIR_GOLDEN"));
    doc = json_load_file(path, 0, NULL);
    assert_non_null(doc);
    json_array_foreach(json_object_get(doc, "cases"), i, c)
    {
        json_t *made = to_timestamp_case(c);

        values_case_run(made, true, &all);
        values_case_run(made, false, &all);
        json_decref(made);
    }
    json_decref(doc);
    assert_true(all.compared > 300);
    assert_int_equal(all.wrong, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(datetime_functions_answer_as_spark),
        cmocka_unit_test(datetime_functions_follow_the_session_zone),
        cmocka_unit_test(to_timestamp_answers_as_spark),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
