/* Datetime patterns: what is refused and how, and named cases beyond those of the golden files. */
#include "column/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

static struct weir_mem *mem;

static struct weir_pattern *
compile(const char *pattern)
{
    struct weir_error err = {0};
    struct weir_pattern *p = NULL;

    if (weir_pattern_compile(pattern, strlen(pattern), mem, &p, &err) != WEIR_OK)
        fail_msg("%s: %s", pattern, err.what);
    return p;
}

static void
refused_patterns_name_what_is_wrong(void **state)
{
    static const struct {
        const char *pattern, *word;
        weir_rc rc;
    } cases[] = {
        {"YYYY-MM-dd", "'Y'", WEIR_USAGE},
        {"yyyy-'W'ww", "'w'", WEIR_USAGE},
        {"yyyy-W", "'W'", WEIR_USAGE},
        {"uuuu-MM-dd", "'u'", WEIR_USAGE},
        {"yyyy e", "'e'", WEIR_USAGE},
        {"yyyy c", "'c'", WEIR_USAGE},
        {"E, d MMM", "'E'", WEIR_USAGE},
        {"F", "'F'", WEIR_USAGE},
        {"yyyy q", "'q'", WEIR_USAGE},
        {"yyyy Q", "'Q'", WEIR_USAGE},
        {"A", "'A'", WEIR_USAGE},
        {"B", "'B'", WEIR_USAGE},
        {"n", "'n'", WEIR_USAGE},
        {"N", "'N'", WEIR_USAGE},
        {"ppH", "'p'", WEIR_USAGE},
        {"MMMMM", "'M'", WEIR_USAGE},
        {"LLLLL", "'L'", WEIR_USAGE},
        {"GGGGG", "'G'", WEIR_USAGE},
        {"yyyyyyyyyyy", "'y'", WEIR_USAGE},
        {"ddd", "'d'", WEIR_USAGE},
        {"HHH", "'H'", WEIR_USAGE},
        {"DDDD", "'D'", WEIR_USAGE},
        {"aa", "'a'", WEIR_USAGE},
        {"SSSSSSSSSS", "'S'", WEIR_USAGE},
        {"V", "'V'", WEIR_USAGE},
        {"VVV", "'V'", WEIR_USAGE},
        {"OO", "'O'", WEIR_USAGE},
        {"XXXXXX", "'X'", WEIR_USAGE},
        {"ZZZZZZ", "'Z'", WEIR_USAGE},
        {"zzzzz", "'z'", WEIR_USAGE},
        {"T", "'T'", WEIR_USAGE},
        {"yyyy-MM-ddTHH", "position 11", WEIR_USAGE},
        {"yyyy]", "] at position 5", WEIR_USAGE},
        {"'yyyy", "quote at position 1", WEIR_USAGE},
        {"{yyyy}", "position 1", WEIR_USAGE},
        {"yyyy#", "position 5", WEIR_USAGE},
        {"[[[[[[[[[[[[[[[[[yyyy", "sections", WEIR_USAGE},
        {"zzzz", "full zone names", WEIR_UNSUPPORTED},
        {"v", "'v'", WEIR_UNSUPPORTED},
        {"g", "'g'", WEIR_UNSUPPORTED},
    };
    char many[2048];
    struct weir_error err = {0};
    struct weir_pattern *p;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        weir_rc rc = weir_pattern_compile(cases[i].pattern, strlen(cases[i].pattern), mem, &p, &err);

        if (rc != cases[i].rc || strstr(err.what, cases[i].word) == NULL)
            fail_msg("%s: %s: %s", cases[i].pattern, weir_rc_name(rc), err.what);
    }
    memset(many, '-', sizeof(many));
    assert_int_equal(weir_pattern_compile(many, sizeof(many), mem, &p, &err), WEIR_USAGE);
    for (size_t i = 0; i < 600; i += 2) {
        many[i] = 'H';
        many[i + 1] = 'm';
    }
    assert_int_equal(weir_pattern_compile(many, 600, mem, &p, &err), WEIR_USAGE);
}

static void
texts_are_read_by_their_pattern(void **state)
{
    static const struct {
        const char *pattern, *text, *want; /* local, or UTC when a zone is named; NULL: false */
        bool zone;
    } cases[] = {
        {"yyyy-MM-dd'T'HH:mm:ss", "2025-01-02t03:04:05", "2025-01-02 03:04:05", false},
        {"yyyy-MM-dd", "2025-1-02", NULL, false},
        {"yyyy-MM-dd", "2025-01-02 ", NULL, false},
        {"yyyy-MM-dd", "-0005-01-02", "-0005-01-02 00:00:00", false},
        {"yyyy-MM-dd", "-0000-01-02", NULL, false},
        {"y-M-d", "+5-1-2", NULL, false},
        {"yyyyMMdd", "20250102", "2025-01-02 00:00:00", false},
        {"yyyyMMddHHmmssS", "202501020304057", "2025-01-02 03:04:05.7", false},
        {"yyMMdd", "250102", "2025-01-02 00:00:00", false},
        {"Hmm", "304", "1970-01-01 03:04:00", false},
        {"Hmm", "1304", "1970-01-01 13:04:00", false},
        {"Hmm", "04", NULL, false},
        {"yyyyMdd", "20250102", NULL, false}, /* M is open and takes all */
        {"d MMM yyyy", "2 SEP 2025", "2025-09-02 00:00:00", false},
        {"d MMMM yyyy", "2 may 2025", "2025-05-02 00:00:00", false},
        {"LLL d", "jan 5", "1970-01-05 00:00:00", false},
        {"hh:mm a", "12:30 am", "1970-01-01 00:30:00", false},
        {"hh:mm a", "12:30 PM", "1970-01-01 12:30:00", false},
        {"hh:mm a", "00:30 PM", NULL, false},
        {"hh:mm", "12:30", "1970-01-01 00:30:00", false},
        {"KK a", "11 PM", "1970-01-01 23:00:00", false},
        {"kk:mm", "24:59", "1970-01-01 00:59:00", false},
        {"kk", "25", NULL, false},
        {"kk", "00", NULL, false},
        {"a", "pm", "1970-01-01 12:00:00", false},
        {"HH a", "13 AM", NULL, false},
        {"HH a", "13 PM", "1970-01-01 13:00:00", false},
        {"HH:mm HH", "03:04 03", "1970-01-01 03:04:00", false},
        {"HH:mm HH", "03:04 04", NULL, false},
        {"yyyy-DDD", "2024-366", "2024-12-31 00:00:00", false},
        {"yyyy-DDD", "2025-366", NULL, false},
        {"DDD", "032", "1970-02-01 00:00:00", false},
        {"yyyy-MM-dd D", "2025-02-01 32", "2025-02-01 00:00:00", false},
        {"yyyy-MM-dd D", "2025-02-01 33", NULL, false},
        {"MM-dd", "02-29", NULL, false}, /* 1970 is no leap year */
        {"G yyyy", "BC 0001", "0000-01-01 00:00:00", false},
        {"GGGG yyyy", "anno domini 2025", "2025-01-01 00:00:00", false},
        {"G yyyy", "AD 0000", NULL, false},
        {"'y'''yyyy", "y'2025", "2025-01-01 00:00:00", false},
        {"yyyy'", NULL, NULL, false},
        {"yyyy[-MM[-dd]]", "2025", "2025-01-01 00:00:00", false},
        {"yyyy[-MM[-dd]]", "2025-03", "2025-03-01 00:00:00", false},
        {"yyyy[-MM[-dd]]", "2025-03-04", "2025-03-04 00:00:00", false},
        {"yyyy[-MM[-dd]]", "2025-03-0", NULL, false},
        {"[yyyy-MM-dd][dd/MM/yyyy]", "04/03/2025", "2025-03-04 00:00:00", false},
        {"[yyyy-MM-dd][dd/MM/yyyy]", "2025-03-04", "2025-03-04 00:00:00", false},
        {"[yyyy-][dd/]MM", "2025-03", "2025-03-01 00:00:00", false}, /* a failed section leaves nothing behind */
        {"ss.SSSSSS", "05.1", "1970-01-01 00:00:05.1", false},
        {"ss.SSSSSS", "05.", NULL, false},
        {"ss.SSSSSS", "05.1234567", NULL, false},
        {"ss.SSSSSSSSS", "05.123456789", "1970-01-01 00:00:05.123456", false},
        {"HH X", "03 Z", "1970-01-01 03:00:00", true},
        {"HH X", "03 +08", "1969-12-31 19:00:00", true},
        {"HH X", "03 +0830", "1969-12-31 18:30:00", true},
        {"HH X", "03 +08:30", NULL, true},
        {"HH x", "03 Z", NULL, true},
        {"HH x", "03 +00", "1970-01-01 03:00:00", true},
        {"HH XX", "03 +08", NULL, true},
        {"HH XXX", "03 -08:00", "1970-01-01 11:00:00", true},
        {"HH XXXXX", "03 -08:00:30", "1970-01-01 11:00:30", true},
        {"HH XXX", "03 +19:00", NULL, true},
        {"HH XXX", "03 +08:60", NULL, true},
        {"HH Z", "03 +0800", "1969-12-31 19:00:00", true},
        {"HH ZZZZ", "03 GMT+08:00", "1969-12-31 19:00:00", true},
        {"HH ZZZZ", "03 GMT+8", NULL, true},
        {"HH O", "03 gmt+8:30", "1969-12-31 18:30:00", true},
        {"HH O", "03 GMT", "1970-01-01 03:00:00", true},
        {"HH VV", "03 Asia/Shanghai", "1969-12-31 19:00:00", true},
        {"HH VV", "03 asia/shanghai", "1969-12-31 19:00:00", true},
        {"HH VV", "03 UTC+08:00", "1969-12-31 19:00:00", true},
        {"HH VV", "03 UTC+8", NULL, true},
        {"HH VV", "03 Z", "1970-01-01 03:00:00", true},
        {"HH VV", "03 EST", NULL, true},
        {"HH VV", "03 ../etc/passwd", NULL, true},
        {"HH VV'x'", "03 Asia/Shanghaix", "1969-12-31 19:00:00", true}, /* the longest region there is */
        {"HH z", "03 PST", "1970-01-01 11:00:00", true},
        {"HH z", "03 est", "1970-01-01 08:00:00", true},
        {"HH z", "03 IST", NULL, true}, /* three countries' */
        {"HH XXX VV", "03 +01:00 Asia/Shanghai", "1969-12-31 19:00:00", true}, /* the zone wins */
        {"", "", "1970-01-01 00:00:00", false},
        {"", "x", NULL, false},
    };
    char text[64];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct weir_pattern *p;
        bool ok, has_zone = false;
        int64_t us = 4711;

        if (cases[i].text == NULL)
            continue;
        p = compile(cases[i].pattern);
        ok = weir_pattern_parse(p, cases[i].text, strlen(cases[i].text), &us, &has_zone);
        weir_timestamp_print(us, -1, ' ', "", text);
        if (ok != (cases[i].want != NULL) || (ok && (strcmp(text, cases[i].want) != 0 || has_zone != cases[i].zone)))
            fail_msg("'%s' by '%s': %s", cases[i].text, cases[i].pattern, ok ? text : "false");
        if (!ok)
            assert_int_equal(us, 4711);
    }
}

static void
dates_are_local_whatever_the_zone(void **state)
{
    struct weir_pattern *p = compile("yyyy-MM-dd HH:mm XXX");
    int32_t days = 0;

    (void)state;
    assert_true(weir_pattern_parse_date(p, "2025-01-02 01:00 +08:00", 23, &days));
    assert_int_equal(days, 20090);
    assert_false(weir_pattern_parse_date(p, "2025-01-02 25:00 +08:00", 23, &days));
    p = compile("dd/MM/yyyy");
    assert_true(weir_pattern_parse_date(p, "02/01/2025", 10, &days));
    assert_int_equal(days, 20090);
    p = compile("y");
    assert_false(weir_pattern_parse_date(p, "99999999", 8, &days)); /* beyond int32 days */
    assert_false(weir_pattern_parse_date(p, "9999999999999999999999", 22, &days));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_patterns_name_what_is_wrong),
        cmocka_unit_test(texts_are_read_by_their_pattern),
        cmocka_unit_test(dates_are_local_whatever_the_zone),
    };
    int failed;

    mem = weir_mem_new(NULL, NULL, "test");
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    weir_mem_free(mem);
    return failed;
}
