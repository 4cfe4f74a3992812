/* Slices, numbers with units, UTF-8, near names, hash tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/str.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static struct weir_slice
slice(const char *text)
{
    return weir_slice(text, strlen(text));
}

static void
slices_compare_and_trim(void **state)
{
    struct weir_slice s = weir_slice_trim(slice(" \t\r\n x y \n"));

    (void)state;
    assert_true(weir_slice_is(s, "x y"));
    assert_false(weir_slice_is(s, "x"));
    assert_int_equal(weir_slice_trim(slice(" \n ")).len, 0);
    assert_true(weir_slice_is_nocase(slice("MaxFiles"), "maxfilES"));
    assert_false(weir_slice_is_nocase(slice("\303\211"), "\303\251")); /* ASCII only */
    assert_false(weir_slice_is_nocase(slice("a["), "a{"));
    assert_true(weir_str_starts("abc", "ab"));
    assert_false(weir_str_starts("a", "ab"));
    assert_true(weir_str_ends("abc", "bc"));
    assert_true(weir_str_ends("abc", ""));
    assert_false(weir_str_ends("c", "bc"));
}

static void
whole_numbers_are_the_whole_text(void **state)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"+7", true, 7},
        {"007", true, 7},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1.0", false, 0},
        {"0x1", false, 0},
        {"--1", false, 0},
    };
    int64_t v;
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        v = 0;
        if (weir_parse_int(slice(cases[i].text), &v) != cases[i].ok || v != cases[i].value)
            fail_msg("%s", cases[i].text);
    }
}

static void
booleans_are_true_or_false_in_any_case(void **state)
{
    bool v = false;

    (void)state;
    assert_true(weir_parse_bool(slice("True"), &v) && v);
    assert_true(weir_parse_bool(slice("FALSE"), &v) && !v);
    assert_false(weir_parse_bool(slice("yes"), &v));
    assert_false(weir_parse_bool(slice("1"), &v));
    assert_false(weir_parse_bool(slice(""), &v));
}

static void
byte_sizes_are_those_of_spark(void **state)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t value;
    } cases[] = {
        {"100", true, 100},
        {"0", true, 0},
        {"7b", true, 7},
        {"512kb", true, 512 * 1024},
        {"512 KB", true, 512 * 1024},
        {"1k", true, 1024},
        {"10m", true, 10485760},
        {"10MB", true, 10485760},
        {"10g", true, INT64_C(10737418240)},
        {"2gb", true, INT64_C(2147483648)},
        {"3t", true, INT64_C(3298534883328)},
        {" 1p ", true, INT64_C(1125899906842624)},
        {"8191pb", true, INT64_C(8191) << 50},
        {"8192pb", false, 0},
        {"9223372036854775808", false, 0},
        {"1.5g", false, 0},
        {"-1", false, 0},
        {"g", false, 0},
        {"10x", false, 0},
        {"10 g b", false, 0},
        {"10gib", false, 0},
        {"", false, 0},
    };
    int64_t v;
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        v = 0;
        if (weir_parse_bytes(slice(cases[i].text), &v) != cases[i].ok || (cases[i].ok && v != cases[i].value))
            fail_msg("%s", cases[i].text);
    }
}

static void
intervals_are_those_of_spark(void **state)
{
    static const struct {
        const char *text;
        int64_t ms; /* -1: refused */
    } cases[] = {
        {"10 seconds", 10000},
        {"1 second", 1000},
        {"10s", 10000},
        {"1.5 seconds", 1500},
        {"0.0015 second", 1},
        {"1 hour 30 minutes", 5400000},
        {"1 hour 30 minutes 5 seconds 7 milliseconds", 5405007},
        {"7d", 604800000},
        {"7 Days", 604800000},
        {"interval 2 weeks", 1209600000},
        {"INTERVAL 1 day", 86400000},
        {"500 milliseconds", 500},
        {"500ms", 500},
        {"1999 microseconds", 1},
        {"1500us", 1},
        {"2min", 120000},
        {"2m", 120000},
        {"3h", 10800000},
        {"0 seconds", 0},
        {"0", 0},
        {" 5  minutes ", 300000},
        {"9223372036854 milliseconds", INT64_C(9223372036854)},
        {"9223372036855000 milliseconds", -1},
        {"99999999999999999999 s", -1},
        {"1.5 hours", -1},
        {"1. seconds", -1},
        {"10", -1},
        {"seconds", -1},
        {"1 month", -1},
        {"2 years", -1},
        {"-1 second", -1},
        {"1 fortnight", -1},
        {"1 second,", -1},
        {"interval", -1},
        {"interval1 day", -1},
        {"", -1},
        {"  ", -1},
    };
    int64_t v;
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        v = 0;
        if (weir_parse_interval_ms(slice(cases[i].text), &v) != (cases[i].ms >= 0) ||
            (cases[i].ms >= 0 && v != cases[i].ms))
            fail_msg("%s: %lld", cases[i].text, (long long)v);
    }
}

static void
utf8_is_well_formed_or_not(void **state)
{
    static const struct {
        const char *text;
        bool ok;
    } cases[] = {
        {"", true},
        {"plain text of more than eight bytes", true},
        {"\303\251\342\202\254\360\237\230\200", true},
        {"12345678\303\251", true},
        {"\302\200", true},             /* U+0080 */
        {"\337\277", true},             /* U+07FF */
        {"\340\240\200", true},         /* U+0800 */
        {"\355\237\277", true},         /* U+D7FF */
        {"\356\200\200", true},         /* U+E000 */
        {"\357\277\277", true},         /* U+FFFF */
        {"\360\220\200\200", true},     /* U+10000 */
        {"\364\217\277\277", true},     /* U+10FFFF */
        {"\364\220\200\200", false},    /* U+110000 */
        {"\365\200\200\200", false},
        {"\377", false},
        {"\200", false},                /* a tail alone */
        {"1234567\200", false},
        {"12345678\377", false},
        {"\300\200", false},            /* overlong NUL */
        {"\301\277", false},            /* overlong */
        {"\340\237\277", false},        /* overlong */
        {"\360\217\277\277", false},    /* overlong */
        {"\355\240\200", false},        /* a surrogate */
        {"\355\277\277", false},
        {"\303", false},                /* cut off */
        {"\342\202", false},
        {"\360\237\230", false},
        {"\303x", false},
        {"\342\202x", false},
        {"\360\237\230x", false},
    };
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        if (weir_utf8_valid(cases[i].text, strlen(cases[i].text)) != cases[i].ok)
            fail_msg("case %zu", i);
    }
    assert_true(weir_utf8_valid("a\0b", 3));
}

static void
every_code_point_is_written_and_read_back(void **state)
{
    uint32_t c;

    (void)state;
    for (c = 0; c <= 0x10ffff; c++) {
        char text[4];
        const char *p = text;
        unsigned n;

        if (c >= 0xd800 && c <= 0xdfff)
            continue;
        n = weir_utf8_put(c, text);
        if (n != (c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4) || !weir_utf8_valid(text, n) ||
            weir_utf8_get(&p) != c || p != text + n)
            fail_msg("U+%X", c);
    }
}

static void
a_slip_of_the_pen_finds_the_name(void **state)
{
    static const char *const names[] = {"maxFilesPerTrigger", "maxBytesPerTrigger", "path", "format", "INT",
                                        "cloudFiles.schemaHints"};
    static const struct {
        const char *name, *near;
    } cases[] = {
        {"maxFilePerTrigger", "maxFilesPerTrigger"},
        {"maxfilespertriger", "maxFilesPerTrigger"},
        {"maxByetsPerTrigger", "maxBytesPerTrigger"},
        {"paht", "path"},
        {"pat", "path"},
        {"IMT", "INT"},
        {"schemaHint", NULL},
        {"quantum", NULL},
        {"x", NULL},
        {"", NULL},
        {"0123456789012345678901234567890123456789012345678901234567890123456789", NULL},
    };
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        const char *near = weir_nearest(cases[i].name, names, COUNT(names));

        if ((near == NULL) != (cases[i].near == NULL) || (near != NULL && strcmp(near, cases[i].near) != 0))
            fail_msg("%s: %s", cases[i].name, near == NULL ? "none" : near);
    }
}

static void
a_table_grows_and_finds_everything(void **state)
{
    enum { N = 5000 };
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_error err;
    struct weir_map map;
    static int values[N];
    static bool seen[N];
    const char *key;
    void *value, *old;
    size_t at = 0, n = 0;
    char text[32];
    int i;

    (void)state;
    weir_map_init(&map, mem);
    assert_null(weir_map_get(&map, "x", 1));
    assert_false(weir_map_next(&map, &at, &key, &value));
    for (i = 0; i < N; i++) {
        snprintf(text, sizeof(text), "key %d", i);
        assert_int_equal(weir_map_put(&map, text, strlen(text), &values[i], &old, &err), WEIR_OK);
        assert_null(old);
    }
    assert_int_equal(map.n, N);
    for (i = 0; i < N; i++) {
        snprintf(text, sizeof(text), "key %d", i);
        assert_ptr_equal(weir_map_get(&map, text, strlen(text)), &values[i]);
    }
    assert_null(weir_map_get(&map, "key", 3));
    for (at = 0; weir_map_next(&map, &at, &key, &value); n++) {
        i = (int)((int *)value - values);
        snprintf(text, sizeof(text), "key %d", i);
        assert_string_equal(key, text);
        assert_false(seen[i]);
        seen[i] = true;
    }
    assert_int_equal(n, N);
    assert_int_equal(weir_map_put(&map, "key 7", 5, &values[0], &old, &err), WEIR_OK);
    assert_ptr_equal(old, &values[7]);
    assert_int_equal(map.n, N);
    assert_ptr_equal(weir_map_get(&map, "key 7", 5), &values[0]);
    assert_int_equal(weir_map_put(&map, "a\0b", 3, &values[1], NULL, &err), WEIR_OK);
    assert_int_equal(weir_map_put(&map, "", 0, &values[2], NULL, &err), WEIR_OK);
    assert_ptr_equal(weir_map_get(&map, "a\0b", 3), &values[1]);
    assert_null(weir_map_get(&map, "a\0c", 3));
    assert_ptr_equal(weir_map_get(&map, "", 0), &values[2]);
    weir_mem_free(mem);
}

static void
a_table_without_memory_fails_and_stays_as_it_was(void **state)
{
    struct weir_quota q;
    struct weir_mem *mem;
    struct weir_error err;
    struct weir_map map;
    char text[32];
    int i, put = 0, value;

    (void)state;
    weir_quota_init(&q, NULL, "map", 8000);
    mem = weir_mem_new(NULL, &q, "test");
    weir_map_init(&map, mem);
    for (i = 0; i < 1000; i++) {
        snprintf(text, sizeof(text), "key %d", i);
        if (weir_map_put(&map, text, strlen(text), &value, NULL, &err) != WEIR_OK)
            break;
        put++;
    }
    assert_true(put > 10 && put < 1000);
    assert_int_equal(err.rc, WEIR_NOMEM);
    assert_int_equal(map.n, put);
    for (i = 0; i < 1000; i++) {
        snprintf(text, sizeof(text), "key %d", i);
        assert_int_equal(weir_map_get(&map, text, strlen(text)) != NULL, i < put);
    }
    weir_mem_free(mem);
}

static void
hashes_are_the_same_everywhere_and_spread(void **state)
{
    unsigned buckets[256] = {0}, i, most = 0;

    (void)state;
    assert_int_equal(weir_hash("", 0), weir_hash("x", 0));
    assert_true(weir_hash("a", 1) != weir_hash("a\0", 2));
    assert_true(weir_hash("12345678", 8) != weir_hash("12345679", 8));
    for (i = 0; i < 25600; i++)
        buckets[weir_hash(&i, sizeof(i)) & 255]++;
    for (i = 0; i < 256; i++)
        most = buckets[i] > most ? buckets[i] : most;
    assert_true(most < 160); /* 100 each on average */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_compare_and_trim),
        cmocka_unit_test(whole_numbers_are_the_whole_text),
        cmocka_unit_test(booleans_are_true_or_false_in_any_case),
        cmocka_unit_test(byte_sizes_are_those_of_spark),
        cmocka_unit_test(intervals_are_those_of_spark),
        cmocka_unit_test(utf8_is_well_formed_or_not),
        cmocka_unit_test(every_code_point_is_written_and_read_back),
        cmocka_unit_test(a_slip_of_the_pen_finds_the_name),
        cmocka_unit_test(a_table_grows_and_finds_everything),
        cmocka_unit_test(a_table_without_memory_fails_and_stays_as_it_was),
        cmocka_unit_test(hashes_are_the_same_everywhere_and_spread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
