/* A first look at each part of base/: does it stand at all? The details have tests of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/block.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/map.h"
#include "base/option.h"
#include "base/point.h"
#include "base/stop.h"
#include "base/str.h"
#include "base/time.h"
#include "base/uuid.h"

static void
clocks_go_forward_and_can_be_fixed(void **state)
{
    int64_t mono = weir_mono_us(), cpu = weir_cpu_us();

    (void)state;
    assert_true(weir_now_ms() > INT64_C(1577836800000));
    assert_true(weir_mono_us() >= mono);
    assert_true(weir_cpu_us() >= cpu);
    weir_now_set(1234);
    assert_int_equal(weir_now_ms(), 1234);
    weir_now_set(-1);
    assert_true(weir_now_ms() > INT64_C(1577836800000));
}

static void
iso_times_have_milliseconds_and_four_digits_of_year(void **state)
{
    static const struct {
        int64_t ms;
        const char *text;
    } cases[] = {
        {0, "1970-01-01T00:00:00.000Z"},
        {1764508455123, "2025-11-30T13:14:15.123Z"},
        {951782400000, "2000-02-29T00:00:00.000Z"},
        {-1, "1969-12-31T23:59:59.999Z"},
        {INT64_MAX, "9999-12-31T23:59:59.999Z"},
        {INT64_MIN, "0000-01-01T00:00:00.000Z"},
    };
    char text[WEIR_ISO_SIZE];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(weir_time_iso(cases[i].ms, text), cases[i].text);
}

static void
uuids_are_version_4_and_differ(void **state)
{
    char a[WEIR_UUID_SIZE], b[WEIR_UUID_SIZE];
    int i;

    (void)state;
    weir_uuid(a);
    weir_uuid(b);
    assert_string_not_equal(a, b);
    assert_int_equal(strlen(a), 36);
    assert_int_equal(a[14], '4');
    assert_non_null(strchr("89ab", a[19]));
    for (i = 0; i < 36; i++)
        assert_non_null(strchr(i == 8 || i == 13 || i == 18 || i == 23 ? "-" : "0123456789abcdef", a[i]));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_go_forward_and_can_be_fixed),
        cmocka_unit_test(iso_times_have_milliseconds_and_four_digits_of_year),
        cmocka_unit_test(uuids_are_version_4_and_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
