/* Spark's answers against the kernels of fn_collection.c and fn_map.c. */
#include "fn_values.h"

static void
collection_functions_answer_as_spark(void **state)
{
    (void)state;
    values_section("collection");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collection_functions_answer_as_spark),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
