/* Functions of strings against Spark's answers. */
#include "sql_help.h"

static void
strings_answer_as_spark(void **state)
{
    static const char *const differs[] = {NULL};

    (void)state;
    calls_check("string", differs);
}

static void
formats_and_urls_answer_as_spark(void **state)
{
    static const char *const differs[] = {/* refused */
                                          "format_number\t12D\t'0%'",      "format_number\t12D\t'#,##0;(#)'",
                                          "format_string\t'%s'\tarray(1)", "format_string\t'%a'\t0D",
                                          "format_string\t'%h'\t'a'",      NULL};

    (void)state;
    calls_check("format", differs);
}

static void
number_patterns_answer_as_spark(void **state)
{
    static const char *const differs[] = {"try_to_number\t''\t'9'",
                                          "try_to_number\t'12'\t'.99'", /* a null, not an error */
                                          "to_char\t'12'\t'99'",        /* refused */
                                          NULL};

    (void)state;
    calls_check("number_format", differs);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_answer_as_spark),
        cmocka_unit_test(formats_and_urls_answer_as_spark),
        cmocka_unit_test(number_patterns_answer_as_spark),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
