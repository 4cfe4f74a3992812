/* Spark's answers against the kernels of fn_datetime.c and fn_datetime_text.c. */
#include "fn_values.h"

/* Names of zones are not printed. */
static const char *const differs[] = {
    "date_format(TIMESTAMP'2021-05-06 14:05:09.012345', 'zzzz')",
    "date_format(TIMESTAMP'2021-03-14 12:00:00', 'z')",
    "date_format(DATE'2021-01-14', 'z')",
    "date_format(TIMESTAMP'1880-01-01 10:11:12', 'z')",
    NULL,
};

static void
datetime_functions_answer_as_spark(void **state)
{
    (void)state;
    values_section("datetime", differs);
}

static void
datetime_functions_follow_the_session_zone(void **state)
{
    (void)state;
    values_section("datetime_la", differs);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(datetime_functions_answer_as_spark),
        cmocka_unit_test(datetime_functions_follow_the_session_zone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
