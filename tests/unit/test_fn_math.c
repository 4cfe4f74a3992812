/* Spark's answers against the kernels of fn_math.c. */
#include "fn_values.h"

static void
math_functions_answer_as_spark(void **state)
{
    (void)state;
    values_section("math");
}

static void
real_functions_answer_as_spark_but_for_the_last_digit(void **state)
{
    (void)state;
    values_section("math_real");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(math_functions_answer_as_spark),
        cmocka_unit_test(real_functions_answer_as_spark_but_for_the_last_digit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
