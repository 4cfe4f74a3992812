/* Spark's answers against the kernels of fn_collection.c and fn_map.c. */
#include "fn_values.h"

static const char *const differs[] = {
    "map_from_arrays(NULL, array(1, NULL))", /* NULL is no array */
    "map_from_arrays(NULL, array(1))",
    "array_distinct(array(double('NaN'), double('NaN'), 0.0D, -0.0D))",
    "element_at(array(1, 2, NULL), NULL)", /* null, no error */
    "element_at(CAST(NULL AS ARRAY<INT>), NULL)",
    "array_insert(array(1, 2, 3), NULL, 9)",
    "array_insert(array(1, 2, 3), NULL, NULL)",
    "array_insert(CAST(NULL AS ARRAY<INT>), NULL, 9)",
    "array_insert(CAST(NULL AS ARRAY<INT>), NULL, NULL)",
    NULL,
};

static void
collection_functions_answer_as_spark(void **state)
{
    (void)state;
    values_section("collection", differs);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collection_functions_answer_as_spark),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
