/* Functions of strings against Spark's answers. */
#include "sql_help.h"

static void
strings_answer_as_spark(void **state)
{
    static const char *const differs[] = {NULL};

    (void)state;
    calls_check("string", differs);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(strings_answer_as_spark)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
