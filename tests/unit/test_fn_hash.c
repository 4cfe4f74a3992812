/* Hashes and digests against Spark's answers. */
#include "sql_help.h"

static void
hashes_answer_as_spark(void **state)
{
    (void)state;
    calls_check("hash", NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hashes_answer_as_spark)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
