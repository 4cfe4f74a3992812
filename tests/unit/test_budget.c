/* The memory plan: whatever the limit, its parts fit into it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/limits.h"
#include "pipeline/budget.h"

#define BASE (12 * WEIR_MIB)   /* program, libraries, heap slack */
#define ENGINE (20 * WEIR_MIB) /* an open DuckDB without its limit */

static void
the_parts_fit_into_every_limit(void **state)
{
    (void)state;
    for (int sql = 0; sql < 2; sql++) {
        for (uint64_t mb = sql ? 64 : 32; mb <= 8192; mb += mb < 512 ? 1 : 64) {
            for (int64_t threads = -1; threads <= 16; threads += 17) {
                struct weir_budget b;
                struct weir_error err = {0};
                uint64_t cap = mb * WEIR_MIB;

                assert_int_equal(weir_budget_make((int64_t)cap, threads, sql, &b, &err), WEIR_OK);
                if (BASE + (sql ? ENGINE : 0) + b.sql_bytes + b.total > cap)
                    fail_msg("%llu MB: what is counted and what is not do not fit", (unsigned long long)mb);
                if (b.window_bytes + b.writer_bytes > b.total)
                    fail_msg("%llu MB: window and writers do not fit", (unsigned long long)mb);
                assert_true(b.lanes >= 1);
                assert_true((b.sql_bytes > 0) == (sql == 1));
                assert_true(b.sql_more_bytes < b.writer_bytes);
            }
        }
    }
}

static void
sql_gets_more_with_each_megabyte_and_three_eighths_of_much(void **state)
{
    struct weir_error err = {0};
    uint64_t before = 0;

    (void)state;
    for (uint64_t mb = 64; mb <= 1024; mb++) {
        struct weir_budget b;

        assert_int_equal(weir_budget_make((int64_t)(mb * WEIR_MIB), 2, true, &b, &err), WEIR_OK);
        assert_true(b.sql_bytes >= before);
        before = b.sql_bytes;
    }
    assert_int_equal(before, 384 * WEIR_MIB);
}

static void
too_small_a_limit_says_what_is_needed(void **state)
{
    struct weir_error err = {0};
    struct weir_budget b;

    (void)state;
    assert_int_equal(weir_budget_make(32 * 1024 * 1024 - 1, -1, false, &b, &err), WEIR_USAGE);
    assert_non_null(strstr(err.hint, "32 MB"));
    weir_error_clear(&err);
    assert_int_equal(weir_budget_make(64 * 1024 * 1024 - 1, -1, true, &b, &err), WEIR_USAGE);
    assert_non_null(strstr(err.hint, "64 MB"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_fit_into_every_limit),
        cmocka_unit_test(sql_gets_more_with_each_megabyte_and_three_eighths_of_much),
        cmocka_unit_test(too_small_a_limit_says_what_is_needed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
