/* Regular expressions, split and LIKE against Spark's answers. */
#include "sql_help.h"

static void
regular_expressions_answer_as_spark(void **state)
{
    static const char *const differs[] = {
        /* refused */
        "rlike\t'α'\tr'\\p{InGreek}'", "rlike\t'a'\tr'\\p{javaLowerCase}'", "rlike\t'aA'\tr'(?i)(a)\\1'",
        "rlike\t'aaaaaa'\tr'a{2}{3}'", "rlike\t'aab'\tr'(?<=a{1,3})b'", "rlike\t'a'\tr'\\Ga'",
        "rlike\t'é'\tr'\\X'", "rlike\t'1'\tr'\\N{DIGIT ONE}'", "rlike\t'é'\tr'(?U)\\w'",
        "rlike\t'a'\tr'\\b{g}'", "rlike\t'a'\tr'[&&a]'", "rlike\t'a'\tr'[a&&]'",
        /* Java looks for empty matches within a pair of surrogates, too */
        "regexp_extract_all\t'a😀c'\t''\t0", NULL};

    (void)state;
    calls_check("regex", differs);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(regular_expressions_answer_as_spark)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
