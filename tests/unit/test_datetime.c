/* Civil dates; dates and timestamps without a pattern: tables, round trips, and the fast path against the slow one. */
#include "column/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/time.h"

static uint64_t seed = 362436069;

static uint64_t
draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * UINT64_C(2685821657736338717);
}

static unsigned
below(unsigned n)
{
    return (unsigned)(draw() >> 33) % n;
}

static const struct weir_zone *
zone(const char *name)
{
    const struct weir_zone *z = weir_zone_find(name, strlen(name));

    assert_non_null(z);
    return z;
}

static void
days_and_civil_dates_are_each_others_inverse(void **state)
{
    int64_t y, days = weir_days_from_civil(-401, 1, 1);
    unsigned m, d;

    (void)state;
    assert_int_equal(weir_days_from_civil(1970, 1, 1), 0);
    assert_int_equal(weir_days_from_civil(2000, 3, 1), 11017);
    assert_int_equal(weir_days_from_civil(1, 1, 1), -719162);
    /* day by day over 900 years around year 0 */
    for (int64_t year = -401; year < 500; year++) {
        for (unsigned month = 1; month <= 12; month++) {
            for (unsigned day = 1; weir_civil_valid(year, month, day); day++) {
                assert_int_equal(weir_days_from_civil(year, month, day), days);
                weir_civil_from_days(days++, &y, &m, &d);
                assert_true(y == year && m == month && d == day);
            }
        }
    }
    for (int i = 0; i < 200000; i++) { /* a million years to both sides */
        days = (int64_t)(draw() % 730500000) - 365250000;
        weir_civil_from_days(days, &y, &m, &d);
        assert_true(weir_civil_valid(y, m, d));
        assert_int_equal(weir_days_from_civil(y, m, d), days);
    }
}

static void
leap_years_are_gregorian(void **state)
{
    (void)state;
    assert_true(weir_civil_valid(2024, 2, 29) && weir_civil_valid(2000, 2, 29) && weir_civil_valid(0, 2, 29) &&
                weir_civil_valid(-4, 2, 29) && weir_civil_valid(-400, 2, 29));
    assert_false(weir_civil_valid(2023, 2, 29) || weir_civil_valid(1900, 2, 29) || weir_civil_valid(-100, 2, 29) ||
                 weir_civil_valid(-1, 2, 29));
    assert_false(weir_civil_valid(2024, 2, 30) || weir_civil_valid(2024, 4, 31) || weir_civil_valid(2024, 0, 1) ||
                 weir_civil_valid(2024, 13, 1) || weir_civil_valid(2024, 1, 0) || weir_civil_valid(2024, 12, 32));
}

static void
dates_are_read_as_spark_reads_them(void **state)
{
    static const struct {
        const char *text, *json, *cast; /* NULL: false */
    } cases[] = {
        {"2025-01-02", "2025-01-02", "2025-01-02"},
        {"2025-1-2", "2025-01-02", "2025-01-02"},
        {"2025-01", "2025-01-01", "2025-01-01"},
        {"2025", "2025-01-01", "2025-01-01"},
        {" 2025-01-02\t", "2025-01-02", "2025-01-02"},
        {"2025-01-02T03:04:05", "2025-01-02", "2025-01-02"},
        {"2025-01-02 anything", "2025-01-02", "2025-01-02"},
        {"2025-01-02x", NULL, NULL},
        {"2025-01T", NULL, NULL},
        {"2025 ", "2025-01-01", "2025-01-01"},
        {"2025 x", NULL, NULL},
        {"2025-02-30", NULL, NULL},
        {"2025-13-01", NULL, NULL},
        {"2025-00-01", NULL, NULL},
        {"2025-1-", NULL, NULL},
        {"2025-", NULL, NULL},
        {"02/01/2025", NULL, NULL},
        {"2025-001-02", NULL, NULL},
        {"+2025-01-02", "2025-01-02", "2025-01-02"},
        {"-0005-01-02", "-0005-01-02", "-0005-01-02"},
        {"20000", "+20000-01-01", "+20000-01-01"},
        {"9999999", "+29349-01-25", NULL}, /* as a year it is beyond int32 days */
        {"20250102", "+57412-11-24", NULL},
        {"0", "1970-01-01", NULL},
        {"-1", "1969-12-31", NULL},
        {"365", "1971-01-01", NULL},
        {"2147483647", "+5881580-07-11", NULL},
        {"2147483648", NULL, NULL},
        {"-141427", "-141427-01-01", "-141427-01-01"},
        {"-12345678", "-31831-05-05", NULL}, /* the hybrid calendar's day */
        {" 100", NULL, NULL},               /* Integer.parseInt does not trim */
        {"", NULL, NULL},
        {" ", NULL, NULL},
        {"-", NULL, NULL},
    };
    char text[32];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *want[2] = {cases[i].json, cases[i].cast};

        for (int k = 0; k < 2; k++) {
            int32_t days = 4711;
            bool ok = k == 0 ? weir_date_parse(cases[i].text, strlen(cases[i].text), &days)
                             : weir_date_cast(cases[i].text, strlen(cases[i].text), &days);

            weir_date_print(days, text);
            if (ok != (want[k] != NULL) || (ok && strcmp(text, want[k]) != 0))
                fail_msg("'%s' (%s): %s", cases[i].text, k == 0 ? "json" : "cast", ok ? text : "false");
            if (!ok)
                assert_int_equal(days, 4711);
        }
    }
}

static void
timestamps_are_read_as_spark_reads_them(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"2025-01-02T03:04:05Z", "2025-01-02 03:04:05"},
        {"2025-01-02 03:04:05", "2025-01-02 03:04:05"},
        {"2025-1-2 3:4:5", "2025-01-02 03:04:05"},
        {"2025-01-02 03:04", "2025-01-02 03:04:00"},
        {"2025-01-02 03", "2025-01-02 03:00:00"},
        {"2025-01-02T3", "2025-01-02 03:00:00"},
        {"2025-01-02", "2025-01-02 00:00:00"},
        {"2025-01", "2025-01-01 00:00:00"},
        {"2025", "2025-01-01 00:00:00"},
        {" 2025-01-02 03:04:05 ", "2025-01-02 03:04:05"},
        {"2025-01-02 03:04:05.1234567", "2025-01-02 03:04:05.123456"},
        {"2025-01-02 03:04:05.1", "2025-01-02 03:04:05.1"},
        {"2025-01-02 03:04:05.", "2025-01-02 03:04:05"},
        {"2025-01-02 03:04:05.Z", "2025-01-02 03:04:05"},
        {"2025-01-02T03:04:05+08:00", "2025-01-01 19:04:05"},
        {"2025-01-02T03:04:05-0330", "2025-01-02 06:34:05"},
        {"2025-01-02T03:04:05+8", "2025-01-01 19:04:05"},
        {"2025-01-02T03:04:05+18:00", "2025-01-01 09:04:05"},
        {"2025-01-02T03:04:05+18:01", NULL},
        {"2025-01-02T03:04:05+08:60", NULL},
        {"2025-01-02 03:04:05 UTC+8", "2025-01-01 19:04:05"},
        {"2025-01-02 03:04:05.5 Asia/Shanghai", "2025-01-01 19:04:05.5"},
        {"2025-01-02 03:04:05Europe/Berlin", "2025-01-02 02:04:05"},
        {"2025-01-02 03:04:05 Europe/Nowhere", NULL},
        {"2025-01-02 03:04:05 PST", "2025-01-02 11:04:05"},
        {"2025-01-02 03:04:05z", NULL},
        {"2025-01-02 03:04Z", NULL}, /* no zone without seconds */
        {"2025-01-02Z", NULL},
        {"2025-01-02t03:04:05", NULL},
        {"2025-01-02  03:04:05", NULL},
        {"2025-01-02T", NULL},
        {"2025-01-02T24:00:00", NULL},
        {"2025-01-02T03:60:00", NULL},
        {"2025-01-02T03:04:60", NULL},
        {"2025-02-29T00:00:00", NULL},
        {"2025-02-29T00:00:00Z", NULL},
        {"2025/01/02 03:04:05", NULL},
        {"2025-01-02T003:04:05", NULL},
        {"1735689600", NULL},
        {"0001-01-01 00:00:00", "0001-01-01 00:00:00"},
        {"0000-01-01 00:00:00", "0000-01-01 00:00:00"},
        {"-0001-12-31 23:59:59", "-0001-12-31 23:59:59"},
        {"+12025-01-02 03:04:05", "+12025-01-02 03:04:05"},
        {"12025-01-02 03:04:05", "+12025-01-02 03:04:05"},
        {"294247-01-10 04:00:54.775807", "+294247-01-10 04:00:54.775807"},
        {"294247-01-10 04:00:54.775808", NULL},
        {"-290308-12-21 19:59:05.224192", "-290308-12-21 19:59:05.224192"},
        {"-290308-12-21 19:59:05.224191", NULL},
        {"999999-01-01", NULL},
        {"1234567-01-01", NULL},
        {"999-01-01", NULL},
        {"", NULL},
        {"   ", NULL},
        {"garbage", NULL},
        {"epoch", NULL},
        {"2025-01-02 03:04:05\x80", NULL},
    };
    char text[64];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t us = 4711;
        bool ok = weir_timestamp_parse(cases[i].text, strlen(cases[i].text), &weir_zone_utc, &us);

        weir_timestamp_print(us, -1, ' ', "", text);
        if (ok != (cases[i].want != NULL) || (ok && strcmp(text, cases[i].want) != 0))
            fail_msg("'%s': %s", cases[i].text, ok ? text : "false");
        if (!ok)
            assert_int_equal(us, 4711);
    }
}

static void
a_text_without_a_zone_is_read_in_the_zone_given(void **state)
{
    static const char *const texts[] = {"2025-01-02T03:04:05", "2025-1-2 3:4:5"}; /* fast and slow */
    int64_t us;

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_true(weir_timestamp_parse(texts[i], strlen(texts[i]), zone("Asia/Shanghai"), &us));
        assert_int_equal(us, INT64_C(1735758245000000));
    }
    assert_true(weir_timestamp_parse("2025-01-02T03:04:05Z", 20, zone("Asia/Shanghai"), &us));
    assert_int_equal(us, INT64_C(1735787045000000));
}

static void
a_bare_time_is_at_todays_date_in_its_zone(void **state)
{
    static const struct {
        const char *text, *zone, *want;
    } cases[] = {
        {"03:04:05", "UTC", "2025-06-30 03:04:05"},
        {"T03:04", "UTC", "2025-06-30 03:04:00"},
        {"T3", "UTC", "2025-06-30 03:00:00"},
        {"3:4", "UTC", "2025-06-30 03:04:00"},
        {" 3:4 ", "UTC", "2025-06-30 03:04:00"},
        {" T3:4", "UTC", NULL},                                       /* T only at the very start */
        {"+03:04", "UTC", NULL},
        {"24:00", "UTC", NULL},
        {"03:04:05", "Asia/Shanghai", "2025-06-30 19:04:05"},         /* there it is the 1st of July already */
        {"03:04:05 Asia/Shanghai", "UTC", "2025-06-30 19:04:05"},
        {"03:04:05-08:00", "Asia/Shanghai", "2025-06-30 11:04:05"},
    };
    char text[64];
    int64_t us;

    (void)state;
    weir_now_set(INT64_C(1751313600000)); /* 2025-06-30T20:00:00Z */
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool ok = weir_timestamp_parse(cases[i].text, strlen(cases[i].text), zone(cases[i].zone), &us);

        if (ok)
            weir_timestamp_print(us, -1, ' ', "", text);
        if (ok != (cases[i].want != NULL) || (ok && strcmp(text, cases[i].want) != 0))
            fail_msg("'%s' in %s: %s", cases[i].text, cases[i].zone, ok ? text : "false");
    }
    assert_false(weir_timestamp_ntz_parse("03:04:05", 8, &us));
    assert_false(weir_timestamp_ntz_cast("03:04:05", 8, &us));
    weir_now_set(-1);
}

static void
ntz_refuses_a_zone_and_its_cast_forgets_it(void **state)
{
    int64_t us = 1, cast = 2;

    (void)state;
    assert_true(weir_timestamp_ntz_parse("2025-01-02T03:04:05.25", 22, &us));
    assert_int_equal(us, INT64_C(1735787045250000));
    assert_true(weir_timestamp_ntz_parse("2025-1-2", 8, &us));
    assert_false(weir_timestamp_ntz_parse("2025-01-02T03:04:05Z", 20, &us));
    assert_false(weir_timestamp_ntz_parse("2025-01-02T03:04:05+08:00", 25, &us));
    assert_false(weir_timestamp_ntz_parse("2025-01-02T03:04:05.5+08:00", 27, &us));
    assert_true(weir_timestamp_ntz_cast("2025-01-02T03:04:05+08:00", 25, &cast));
    assert_int_equal(cast, INT64_C(1735787045000000));
    assert_false(weir_timestamp_ntz_cast("2025-01-02T03:04:05 Nowhere", 27, &cast));
}

static void
timestamps_print_with_the_digits_asked_for(void **state)
{
    static const struct {
        int64_t us;
        int digits;
        char sep;
        const char *suffix, *want;
    } cases[] = {
        {INT64_C(1735787045123456), 6, 'T', "Z", "2025-01-02T03:04:05.123456Z"},
        {INT64_C(1735787045123999), 3, 'T', "Z", "2025-01-02T03:04:05.123Z"},
        {INT64_C(1735787045123456), 0, 'T', "Z", "2025-01-02T03:04:05Z"},
        {INT64_C(1735787045000000), -1, ' ', "", "2025-01-02 03:04:05"},
        {INT64_C(1735787045100000), -1, ' ', "", "2025-01-02 03:04:05.1"},
        {INT64_C(1735787045000001), -1, ' ', "", "2025-01-02 03:04:05.000001"},
        {INT64_C(1735787045000000), 6, 'T', "Z", "2025-01-02T03:04:05.000000Z"},
        {-1, 3, 'T', "Z", "1969-12-31T23:59:59.999Z"},
        {INT64_C(-2208988799999100), 3, 'T', "Z", "1900-01-01T00:00:00.000Z"},
        {INT64_MIN, 6, 'T', "Z", "-290308-12-21T19:59:05.224192Z"},
        {INT64_MAX, 6, 'T', "Z", "+294247-01-10T04:00:54.775807Z"},
    };
    char text[64];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t n = weir_timestamp_print(cases[i].us, cases[i].digits, cases[i].sep, cases[i].suffix, text);

        assert_string_equal(text, cases[i].want);
        assert_int_equal(n, strlen(cases[i].want));
    }
    weir_date_print(INT32_MIN, text);
    assert_string_equal(text, "-5877641-06-23");
    weir_date_print(INT32_MAX, text);
    assert_string_equal(text, "+5881580-07-11");
}

static void
what_is_printed_reads_back(void **state)
{
    char text[64];

    (void)state;
    for (int i = 0; i < 200000; i++) {
        int64_t us = (int64_t)draw(), back = 0;
        int32_t days = (int32_t)draw(), days_back = 0;
        size_t n;

        if (i % 2 == 0)
            us %= INT64_C(253402300800000000); /* years up to 9999: the fast path */
        n = weir_timestamp_print(us, 6, 'T', i % 4 < 2 ? "Z" : "", text);
        assert_true(weir_timestamp_parse(text, n, &weir_zone_utc, &back));
        assert_int_equal(back, us);
        n = weir_date_print(days, text);
        assert_true(weir_date_cast(text, n, &days_back));
        assert_int_equal(days_back, days);
    }
}

/* A text of the fast path's shape, mostly spoiled a little. */
static size_t
draw_text(char *t)
{
    static const char alphabet[] = "0123456789-+:. TZ/\x1f\x80\xff;";
    static const char *const zones[] = {"", "", "Z", "+08:00", "-18:00", "+17:59", "+18:00", "-23:00", "+0800", " Z"};
    int n = snprintf(t, 64, "%04u-%02u-%02u%c%02u:%02u:%02u", below(10000), below(14), below(33), "T T x"[below(5)],
                     below(25), below(61), below(61));

    if (below(2))
        n += snprintf(t + n, 32, ".%.*s", (int)below(11), "1234567890");
    n += snprintf(t + n, 16, "%s", zones[below(10)]);
    for (unsigned k = below(3); k > 0; k--) {
        unsigned at = below((unsigned)n);

        if (below(8) == 0)
            n = (int)at + 1;
        t[at] = alphabet[below(sizeof(alphabet) - 1)];
    }
    return (size_t)n;
}

static void
the_fast_path_and_the_slow_one_agree(void **state)
{
    const struct weir_zone *zones[] = {&weir_zone_utc, zone("Asia/Shanghai"), zone("America/New_York"), zone("+05:30")};
    unsigned read = 0;
    char text[80];

    (void)state;
    text[0] = ' '; /* sends the text to the slow path and means nothing */
    for (int i = 0; i < 400000; i++) {
        const struct weir_zone *z = zones[below(4)];
        size_t n = draw_text(text + 1);
        int64_t fast = 0, slow = 0;
        int32_t fast_day = 0, slow_day = 0;
        bool ok = weir_timestamp_parse(text + 1, n, z, &fast);

        if (text[1] == 'T')
            continue;
        if (ok != weir_timestamp_parse(text, n + 1, z, &slow) || fast != slow)
            fail_msg("'%.*s': %" PRId64 ", slow %" PRId64, (int)n, text + 1, fast, slow);
        read += ok;
        fast = slow = 0;
        ok = weir_timestamp_ntz_parse(text + 1, n, &fast);
        assert_true(ok == weir_timestamp_ntz_parse(text, n + 1, &slow) && fast == slow);
        n = n > 10 ? 10 : n;
        ok = weir_date_cast(text + 1, n, &fast_day);
        assert_true(ok == weir_date_cast(text, n + 1, &slow_day) && fast_day == slow_day);
    }
    assert_true(read > 40000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_and_civil_dates_are_each_others_inverse),
        cmocka_unit_test(leap_years_are_gregorian),
        cmocka_unit_test(dates_are_read_as_spark_reads_them),
        cmocka_unit_test(timestamps_are_read_as_spark_reads_them),
        cmocka_unit_test(a_text_without_a_zone_is_read_in_the_zone_given),
        cmocka_unit_test(a_bare_time_is_at_todays_date_in_its_zone),
        cmocka_unit_test(ntz_refuses_a_zone_and_its_cast_forgets_it),
        cmocka_unit_test(timestamps_print_with_the_digits_asked_for),
        cmocka_unit_test(what_is_printed_reads_back),
        cmocka_unit_test(the_fast_path_and_the_slow_one_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
