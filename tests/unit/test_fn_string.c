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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_answer_as_spark),
        cmocka_unit_test(formats_and_urls_answer_as_spark),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
