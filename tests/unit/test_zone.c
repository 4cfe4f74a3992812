/* Time zones: names, offsets, transitions, and zone files that are broken. */
#include "column/text_int.h"

#include <pthread.h>
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

static const struct weir_zone *
find(const char *name)
{
    return weir_zone_find(name, strlen(name));
}

static void
fixed_offsets_are_read_as_java_and_spark_read_them(void **state)
{
    static const struct {
        const char *name;
        int offset; /* 1: refused */
    } cases[] = {
        {"UTC", 0},          {"Z", 0},           {"GMT", 0},        {"UT", 0},          {"+08:00", 28800},
        {"-08:00", -28800},  {"+0800", 28800},   {"+08", 28800},    {"+8", 28800},      {"-3", -10800},
        {"+8:00", 28800},    {"+08:5", 29100},   {"+8:5", 29100},   {"UTC+8", 28800},   {"UTC+08:00", 28800},
        {"GMT-3", -10800},   {"UT+1", 3600},     {"UTC+8:30", 30600}, {"+08:00:15", 28815}, {"+080015", 28815},
        {"+18:00", 64800},   {"-18:00", -64800}, {"EST", -18000},   {"MST", -25200},    {"HST", -36000},
        {"+18:01", 1},       {"+19", 1},         {"+08:60", 1},     {"+8:0:0", 1},      {"+", 1},
        {"-", 1},            {"+a", 1},          {"+08:", 1},       {"+080", 1},        {"UTC+", 1},
        {"UTC+0", 0},        {"UTCZ", 1},        {"GMT+Z", 1},      {"utc", 1},         {"z", 1},
        {"", 1},             {" UTC", 1},        {"+08:00 ", 1},    {"+08 00", 1},      {"++8", 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct weir_zone *zone = find(cases[i].name);

        if ((zone == NULL) != (cases[i].offset == 1))
            fail_msg("'%s' was %s", cases[i].name, zone == NULL ? "refused" : "read");
        if (zone != NULL)
            assert_int_equal(weir_zone_to_local(zone, 0), (int64_t)cases[i].offset * 1000000);
    }
}

static void
regions_and_short_names_are_found_once(void **state)
{
    (void)state;
    assert_non_null(find("Asia/Shanghai"));
    assert_ptr_equal(find("Asia/Shanghai"), find("Asia/Shanghai"));
    assert_ptr_equal(find("PST"), find("America/Los_Angeles"));
    assert_ptr_equal(find("CTT"), find("Asia/Shanghai"));
    assert_ptr_equal(find("+08:00"), find("+8"));
    assert_non_null(find("America/Argentina/Buenos_Aires"));
    assert_non_null(find("Etc/GMT+8"));
    assert_null(find("asia/shanghai"));
    assert_ptr_equal(weir_zone_region_nocase("asia/SHANGHAI", 13), find("Asia/Shanghai"));
    assert_null(weir_zone_region_nocase("asia/SHANGHA", 12));
    assert_null(weir_zone_region_nocase("../asia/SHANGHAI", 16));
    assert_true(weir_zone_installed());
}

static void
hostile_names_never_reach_a_file(void **state)
{
    static const char *const names[] = {
        "../../etc/passwd", "/etc/localtime", "/usr/share/zoneinfo/UTC", "Europe/../Europe/Berlin", "Europe//Berlin",
        "Europe/./Berlin", "Europe/Berlin/", "Europe", "Europe/", "right/Europe/Berlin", "posix/Europe/Berlin",
        "POSIX/Europe/Berlin", "posixrules", "localtime", "Factory", "zone.tab", "tzdata.zi", "leapseconds", "a",
        "Europe\\Berlin", "Europe/Berlin\n", "Europe/Berl%s", ".hidden", "_x", "1/2", "Europe/Berlin\x80",
        "Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (find(names[i]) != NULL || weir_zone_region_nocase(names[i], strlen(names[i])) != NULL)
            fail_msg("'%s' was taken", names[i]);
    }
    assert_null(weir_zone_find("Europe/Berlin\0", 14));
}

static int64_t
seconds(const char *text)
{
    int64_t us;

    assert_true(weir_timestamp_ntz_parse(text, strlen(text), &us));
    return us / 1000000;
}

static void
gaps_move_forward_and_overlaps_take_the_earlier_offset(void **state)
{
    static const struct {
        const char *zone, *local, *utc;
    } cases[] = {
        {"America/Los_Angeles", "2025-03-09 01:59:59", "2025-03-09 09:59:59"},
        {"America/Los_Angeles", "2025-03-09 02:00:00", "2025-03-09 10:00:00"}, /* gap: is 03:00 */
        {"America/Los_Angeles", "2025-03-09 02:30:00", "2025-03-09 10:30:00"},
        {"America/Los_Angeles", "2025-03-09 03:00:00", "2025-03-09 10:00:00"},
        {"America/Los_Angeles", "2025-11-02 00:59:59", "2025-11-02 07:59:59"},
        {"America/Los_Angeles", "2025-11-02 01:30:00", "2025-11-02 08:30:00"}, /* twice: the first */
        {"America/Los_Angeles", "2025-11-02 01:59:59", "2025-11-02 08:59:59"},
        {"America/Los_Angeles", "2025-11-02 02:00:00", "2025-11-02 10:00:00"},
        {"Australia/Lord_Howe", "2025-10-05 02:15:00", "2025-10-04 15:45:00"}, /* half an hour */
        {"Europe/Berlin", "2500-07-01 12:00:00", "2500-07-01 10:00:00"},       /* the rule, beyond the table */
        {"Europe/Berlin", "2500-01-01 12:00:00", "2500-01-01 11:00:00"},
        {"Europe/Berlin", "2500-03-28 02:30:00", "2500-03-28 01:30:00"},
        {"Europe/Berlin", "2500-10-31 02:30:00", "2500-10-31 00:30:00"},
        {"Australia/Sydney", "2500-01-01 12:00:00", "2500-01-01 01:00:00"},    /* summer over the new year */
        {"Australia/Sydney", "2500-07-01 12:00:00", "2500-07-01 02:00:00"},
        {"Asia/Shanghai", "1900-01-01 00:00:00", "1899-12-31 15:54:17"},       /* local mean time, +08:05:43 */
        {"Asia/Shanghai", "1986-07-01 12:00:00", "1986-07-01 03:00:00"},
        {"Asia/Shanghai", "9999-07-01 12:00:00", "9999-07-01 04:00:00"},
        {"Asia/Kolkata", "2025-07-01 12:00:00", "2025-07-01 06:30:00"},
        {"Pacific/Apia", "2011-12-30 12:00:00", "2011-12-30 22:00:00"}, /* a day that never was */
        {"+05:30", "2025-07-01 12:00:00", "2025-07-01 06:30:00"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct weir_zone *zone = find(cases[i].zone);
        int64_t local = seconds(cases[i].local), utc = seconds(cases[i].utc);

        assert_non_null(zone);
        for (int twice = 0; twice < 2; twice++) { /* from the search, then from the thread's last answer */
            int64_t got = weir_zone_to_utc(zone, local * 1000000 + 999999);

            if (got != utc * 1000000 + 999999)
                fail_msg("%s in %s: off by %lld s", cases[i].local, cases[i].zone,
                         (long long)(got - utc * 1000000 - 999999) / 1000000);
        }
    }
}

static void
instants_go_to_local_and_back(void **state)
{
    static const char *const names[] = {"America/New_York", "Australia/Sydney", "Asia/Shanghai", "Europe/Dublin",
                                        "Africa/Casablanca", "America/Sao_Paulo", "Pacific/Apia", "-03:30"};

    (void)state;
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        const struct weir_zone *zone = find(names[k]);

        assert_non_null(zone);
        for (int64_t t = INT64_C(-6000000000); t < INT64_C(20000000000); t += 1234567) {
            int64_t local = weir_zone_to_local(zone, t * 1000000), back = weir_zone_to_utc(zone, local);

            /* in the later half of an overlap the earlier instant comes back, with the same wall clock */
            assert_int_equal(weir_zone_to_local(zone, back), local);
            assert_true(back == t * 1000000 || (back < t * 1000000 && t * 1000000 - back <= INT64_C(10800000000)));
        }
        assert_true(weir_zone_to_utc(zone, INT64_MIN) <= weir_zone_to_utc(zone, INT64_MIN + INT64_C(86400000000)));
        assert_true(weir_zone_to_local(zone, INT64_MAX) >= INT64_MAX - INT64_C(86400000000));
    }
}

/* A small file by hand: version 2, one transition, a footer. */
struct file {
    uint8_t bytes[512];
    size_t n;
};

static void
put(struct file *f, uint64_t v, int n)
{
    for (int i = n - 1; i >= 0; i--)
        f->bytes[f->n++] = (uint8_t)(v >> (8 * i));
}

static void
put_header(struct file *f, char version, uint32_t leap, uint32_t times, uint32_t types)
{
    memcpy(f->bytes + f->n, "TZif", 4);
    f->n += 4;
    put(f, (uint64_t)(unsigned char)version, 1);
    put(f, 0, 8);
    put(f, 0, 7);
    put(f, 0, 4); /* isut */
    put(f, 0, 4); /* isstd */
    put(f, leap, 4);
    put(f, times, 4);
    put(f, types, 4);
    put(f, 4, 4); /* chars */
}

static void
put_type(struct file *f, int32_t offset)
{
    put(f, (uint32_t)offset, 4);
    put(f, 0, 2);
}

static struct file
file_with(const char *footer, int64_t at, int32_t before, int32_t after)
{
    struct file f = {.n = 0};

    put_header(&f, '2', 0, 0, 1);
    put_type(&f, 0);
    put(&f, 0x41414100, 4);
    put_header(&f, '2', 0, 1, 2);
    put(&f, (uint64_t)at, 8);
    put(&f, 1, 1);
    put_type(&f, before);
    put_type(&f, after);
    put(&f, 0x41414100, 4);
    f.n += (size_t)snprintf((char *)f.bytes + f.n, 128, "\n%s\n", footer);
    return f;
}

/* From memory of just that size, so that AddressSanitizer sees a step over the end. */
static weir_rc
parse(const struct file *f, size_t n, struct weir_zone **out)
{
    struct weir_error err = {0};
    uint8_t *bytes = malloc(n > 0 ? n : 1);
    weir_rc rc;

    memcpy(bytes, f->bytes, n);
    rc = weir_tzif_parse(bytes, n, out, &err);
    free(bytes);
    return rc;
}

static void
a_zone_file_cut_anywhere_is_corrupt(void **state)
{
    struct file f = file_with("AAA-1BBB,M3.5.0,M10.5.0/3", 1000000000, 0, 3600);
    struct weir_zone *zone;

    (void)state;
    for (size_t n = 0; n < f.n; n++)
        assert_int_equal(parse(&f, n, &zone), WEIR_CORRUPT);
    assert_int_equal(parse(&f, f.n, &zone), WEIR_OK);
    assert_int_equal(weir_zone_offset_utc(zone, 0), 0);
    assert_int_equal(weir_zone_offset_utc(zone, 1000000000), 3600); /* September 2001, by the file */
    assert_int_equal(weir_zone_offset_utc(zone, 1020000000), 7200); /* April 2002, by the footer */
    weir_zone_free(zone);
}

static void
a_zone_file_that_lies_is_corrupt(void **state)
{
    static const char *const footers[] = {"A-1", "AAA", "AAA-1BB", "AAA-1BBB,", "AAA-1BBB,M13.1.0,M1.1.0",
                                          "AAA-1BBB,M3.6.0,M1.1.0", "AAA-1BBB,M3.1.7,M1.1.0", "AAA-1BBB,M3.1.0",
                                          "AAA-1BBB,J0,J1", "AAA-1BBB,366,1", "AAA-1BBB,M3.1.0/168,M1.1.0", "<AAA-1",
                                          "AAA-1BBB,M3.5.0,M10.5.0/3x", "AAA99999999999", "AAA-1:99"};
    struct weir_zone *zone;
    struct file f;

    (void)state;
    for (size_t i = 0; i < sizeof(footers) / sizeof(footers[0]); i++) {
        f = file_with(footers[i], 1000000000, 0, 3600);
        if (parse(&f, f.n, &zone) != WEIR_CORRUPT)
            fail_msg("footer %s was taken", footers[i]);
    }
    f = file_with("", 1000000000, 0, 27 * 3600); /* no such offset */
    assert_int_equal(parse(&f, f.n, &zone), WEIR_CORRUPT);
    f = file_with("", INT64_MAX, 0, 3600); /* no such time */
    assert_int_equal(parse(&f, f.n, &zone), WEIR_CORRUPT);
    f = (struct file){.n = 0}; /* leap seconds */
    put_header(&f, '\0', 1, 0, 1);
    put_type(&f, 0);
    put(&f, 0x41414100, 4);
    put(&f, 0, 8);
    assert_int_equal(parse(&f, f.n, &zone), WEIR_CORRUPT);
    f = (struct file){.n = 0}; /* counts that would need more than there is */
    put_header(&f, '\0', 0, 0xffffffff, 1);
    assert_int_equal(parse(&f, f.n, &zone), WEIR_CORRUPT);
    f = (struct file){.n = 0}; /* times that do not ascend */
    put_header(&f, '\0', 0, 2, 1);
    put(&f, 5, 4);
    put(&f, 5, 4);
    put(&f, 0, 2);
    put_type(&f, 0);
    put(&f, 0x41414100, 4);
    assert_int_equal(parse(&f, f.n, &zone), WEIR_CORRUPT);
}

static void
footers_of_all_forms_give_their_offsets(void **state)
{
    static const struct {
        const char *footer, *utc;
        int offset;
    } cases[] = {
        {"<-03>3", "2300-01-01 00:00:00", 3600}, /* no summer time: the last offset of the file stays */
        {"AAA5BBB", "2300-07-01 00:00:00", -4 * 3600},
        {"AAA5BBB", "2300-01-01 00:00:00", -5 * 3600},
        {"AAA5BBB4:30,J60,J300", "2300-03-01 04:59:59", -5 * 3600},
        {"AAA5BBB4:30,J60/0,J300", "2300-03-01 05:00:00", -16200},
        {"AAA5BBB4:30,J60/0,J300", "2304-03-01 04:59:59", -5 * 3600}, /* J60 is March 1 in a leap year too */
        {"AAA5BBB,59/0,300", "2304-02-29 05:00:00", -4 * 3600},       /* day 59 is not */
        {"<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2300-03-25 00:59:59", -7200},
        {"<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2300-03-25 01:00:00", -3600},
        {"XXX3EDT4,0/0,J365/23", "2300-01-01 12:00:00", -4 * 3600}, /* summer all year */
        {"XXX3EDT4,0/0,J365/23", "2300-12-31 23:00:00", -4 * 3600},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct file f = file_with(cases[i].footer, 1000000000, 0, 3600);
        struct weir_zone *zone;

        assert_int_equal(parse(&f, f.n, &zone), WEIR_OK);
        if (weir_zone_offset_utc(zone, seconds(cases[i].utc)) != cases[i].offset)
            fail_msg("%s at %s: %d", cases[i].footer, cases[i].utc,
                     weir_zone_offset_utc(zone, seconds(cases[i].utc)));
        weir_zone_free(zone);
    }
}

static void *
find_many(void *arg)
{
    static const char *const names[] = {"Europe/Paris", "Europe/Rome", "Europe/Madrid", "Asia/Tokyo", "Asia/Seoul",
                                        "Africa/Cairo", "America/Lima", "Asia/Dubai", "+01:15", "-02:45"};
    const struct weir_zone **out = arg;

    for (int i = 0; i < 10; i++)
        out[i] = find(names[i]);
    return NULL;
}

static void
threads_that_ask_at_once_get_the_same_zones(void **state)
{
    const struct weir_zone *got[4][10];
    pthread_t threads[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, find_many, got[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int k = 0; k < 10; k++) {
        assert_non_null(got[0][k]);
        for (int i = 1; i < 4; i++)
            assert_ptr_equal(got[i][k], got[0][k]);
    }
}

static void
without_a_zone_database_only_fixed_offsets_are_known(void **state)
{
    (void)state;
    setenv("TZDIR", "/nonexistent", 1);
    assert_false(weir_zone_installed());
    assert_null(find("Europe/Vienna"));
    assert_null(weir_zone_region_nocase("europe/vienna", 13));
    assert_non_null(find("+08:00"));
    assert_non_null(find("UTC"));
    setenv("TZDIR", "relative/path", 1); /* not taken */
    assert_true(weir_zone_installed());
    unsetenv("TZDIR");
    assert_non_null(find("Europe/Vienna"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_offsets_are_read_as_java_and_spark_read_them),
        cmocka_unit_test(regions_and_short_names_are_found_once),
        cmocka_unit_test(hostile_names_never_reach_a_file),
        cmocka_unit_test(gaps_move_forward_and_overlaps_take_the_earlier_offset),
        cmocka_unit_test(instants_go_to_local_and_back),
        cmocka_unit_test(a_zone_file_cut_anywhere_is_corrupt),
        cmocka_unit_test(a_zone_file_that_lies_is_corrupt),
        cmocka_unit_test(footers_of_all_forms_give_their_offsets),
        cmocka_unit_test(threads_that_ask_at_once_get_the_same_zones),
        cmocka_unit_test(without_a_zone_database_only_fixed_offsets_are_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
