/* Decimals, doubles, floats: tables of named cases, and random ones against slower ways to the same answer. */
#include "column/text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

static uint64_t seed = 88172645463325252u;

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

static void
a_rounded_decimal_is_told_from_an_exact_one(void **state)
{
    static const struct {
        const char *text;
        unsigned s;
        bool exact;
    } cases[] = {
        {"1.50", 1, true},
        {"1.55", 1, false},
        {"15e-1", 0, false},
        {"150e-1", 0, true},
        {"0", 0, true},
        {"0.000", 1, true},
        {"-0e-999999", 0, true},
        {"1e-999999", 10, false},
        {"1e30", 0, true},
        {"0.00000000000000000000000000000000000001", 37, false},
        {"708.00000000000000000000000000000000000001", 10, false},
        {"708.00000000000000000000000000000000000000", 10, true},
        {"12345678901234567890.1200", 2, true},
        {"12345678901234567890.1201", 2, false},
        {"1234567890123456789012345678901234567800e-2", 0, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        if (weir_decimal_exact(cases[i].text, strlen(cases[i].text), cases[i].s) != cases[i].exact)
            fail_msg("%s at scale %u", cases[i].text, cases[i].s);
}

static void
decimals_round_half_up_and_refuse_what_does_not_fit(void **state)
{
    static const struct {
        const char *text;
        unsigned p, s;
        const char *want; /* NULL: false */
    } cases[] = {
        {"1.234", 10, 2, "1.23"},
        {"1.235", 10, 2, "1.24"},
        {"-1.235", 10, 2, "-1.24"},
        {"1.2349999", 10, 2, "1.23"},
        {"0.005", 10, 2, "0.01"},
        {"-0.005", 10, 2, "-0.01"},
        {"-0.004", 10, 2, "0.00"},
        {"0.0005e1", 10, 2, "0.01"},
        {"99999999.994", 10, 2, "99999999.99"},
        {"99999999.995", 10, 2, NULL},
        {"123456789.5", 10, 2, NULL},
        {"1e2", 10, 2, "100.00"},
        {"1E+2", 10, 2, "100.00"},
        {"12300e-4", 3, 2, "1.23"},
        {"1e7", 10, 2, "10000000.00"},
        {"1e8", 10, 2, NULL},
        {"1e1000000000", 10, 2, NULL},
        {"1e-1000000000", 10, 2, "0.00"},
        {"1e-2147483648", 10, 2, "0.00"},
        {"1e-2147483649", 10, 2, NULL}, /* no BigDecimal */
        {"1e99999999999999999999999", 10, 2, NULL},
        {"0e999999999", 10, 2, "0.00"},
        {"0", 1, 1, "0.0"},
        {"-0", 1, 0, "0"},
        {"0.9", 1, 1, "0.9"},
        {"0.95", 1, 1, NULL},
        {"1", 1, 1, NULL},
        {"000000000000000000000000000000000000000000001.5", 2, 1, "1.5"},
        {"0.00000000000000000000000000000000000000000015", 38, 37, "0.0000000000000000000000000000000000000"},
        {"12345678901234567890123456789012345678", 38, 0, "12345678901234567890123456789012345678"},
        {"99999999999999999999999999999999999999", 38, 0, "99999999999999999999999999999999999999"},
        {"99999999999999999999999999999999999999.4", 38, 0, "99999999999999999999999999999999999999"},
        {"99999999999999999999999999999999999999.5", 38, 0, NULL},
        {"-99999999999999999999999999999999999999.49", 38, 0, "-99999999999999999999999999999999999999"},
        {"100000000000000000000000000000000000000", 38, 0, NULL},
        {"1234567890123456789.5", 19, 0, "1234567890123456790"},
        {"12345678901234567890.5", 20, 0, "12345678901234567891"},
        {"0.12345678901234567890123456789012345678", 38, 38, "0.12345678901234567890123456789012345678"},
        {"0.123456789012345678901234567890123456785", 38, 38, "0.12345678901234567890123456789012345679"},
        {"18446744073709551616", 20, 0, "18446744073709551616"},
        {"9999999999999999999.5", 20, 0, "10000000000000000000"},
        {".5", 2, 1, "0.5"},
        {"5.", 2, 1, "5.0"},
        {"+5", 2, 1, "5.0"},
        {"007", 2, 1, "7.0"},
        {"", 2, 1, NULL},
        {".", 2, 1, NULL},
        {"-", 2, 1, NULL},
        {"e5", 2, 1, NULL},
        {"1e", 2, 1, NULL},
        {"1e+", 2, 1, NULL},
        {"1.2.3", 2, 1, NULL},
        {" 1", 2, 1, NULL},
        {"1 ", 2, 1, NULL},
        {"1,0", 2, 1, NULL},
        {"--1", 2, 1, NULL},
        {"NaN", 2, 1, NULL},
        {"0x1", 2, 1, NULL},
    };
    char text[64];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        weir_i128 v = -77;
        bool ok = weir_decimal_parse(cases[i].text, strlen(cases[i].text), cases[i].p, cases[i].s, &v);

        if (ok)
            weir_decimal_print(v, cases[i].s, text);
        if (ok != (cases[i].want != NULL) || (ok && strcmp(text, cases[i].want) != 0))
            fail_msg("%s as (%u,%u): %s", cases[i].text, cases[i].p, cases[i].s, ok ? text : "false");
        if (!ok)
            assert_true(v == -77); /* untouched */
    }
}

/* The slow way: all digits laid out on a board of 200 places with the point at 100. */
static bool
decimal_by_hand(const char *digits, int point, unsigned p, unsigned s, bool negative, char *out)
{
    char board[201];
    int last = 100 + (int)s, first = 0;

    memset(board, '0', 200);
    board[200] = '\0';
    for (int i = 0; digits[i] != '\0'; i++) {
        int at = 100 + i - point;

        if (at >= 0 && at < 200)
            board[at] = digits[i];
        else if (at < 0 && digits[i] != '0')
            return false;
    }
    if (board[last] >= '5') {
        int i = last - 1;

        for (; board[i] == '9'; i--)
            board[i] = '0';
        board[i]++;
    }
    board[last] = '\0';
    while (first < last && board[first] == '0')
        first++;
    if (last - first > (int)p)
        return false;
    negative = negative && first < last;
    if (first > 99)
        first = 99;
    snprintf(out, 210, "%s%.*s%s%s", negative ? "-" : "", 100 - first, board + first, s > 0 ? "." : "", board + 100);
    return true;
}

static void
decimals_agree_with_long_hand_arithmetic(void **state)
{
    (void)state;
    for (int round = 0; round < 100000; round++) {
        unsigned p = 1 + below(38), s = below(p + 1), n = 1 + below(below(4) == 0 ? 60 : 22);
        int point = (int)below(n + 1), exp = below(2) ? 0 : (int)below(60) - 30;
        char digits[64], text[128], want[256], got[64];
        bool negative = below(2), ok, by_hand;
        weir_i128 v;
        int len;

        for (unsigned i = 0; i < n; i++)
            digits[i] = (char)('0' + (below(3) == 0 ? 9 : below(10)));
        digits[n] = '\0';
        /* `point` digits stand behind the point */
        len = snprintf(text, sizeof(text), "%s%.*s.%s", negative ? "-" : "", (int)n - point, digits,
                       digits + n - (unsigned)point);
        if (exp != 0)
            len += snprintf(text + len, 16, "e%d", exp);
        ok = weir_decimal_parse(text, (size_t)len, p, s, &v);
        by_hand = decimal_by_hand(digits, (int)n - point + exp, p, s, negative, want);
        if (ok)
            weir_decimal_print(v, s, got);
        if (ok != by_hand || (ok && strcmp(got, want) != 0))
            fail_msg("%s as (%u,%u): %s, by hand %s", text, p, s, ok ? got : "false", by_hand ? want : "false");
    }
}

static void
printed_decimals_read_back(void **state)
{
    (void)state;
    for (int round = 0; round < 50000; round++) {
        weir_i128 v = (weir_i128)((unsigned __int128)draw() << 64 | draw()) >> below(127), back = 0;
        unsigned s = below(39);
        char text[64];
        size_t n;

        v %= (weir_i128)UINT64_C(10000000000000000000) * (weir_i128)UINT64_C(10000000000000000000);
        n = weir_decimal_print(v, s, text);
        assert_int_equal(n, strlen(text));
        assert_true(n < 48);
        assert_true(weir_decimal_parse(text, n, 38, s, &back));
        assert_true(back == v);
    }
}

static void
longs_print_to_their_ends(void **state)
{
    char text[32];

    (void)state;
    weir_long_print(INT64_MIN, text);
    assert_string_equal(text, "-9223372036854775808");
    weir_long_print(INT64_MAX, text);
    assert_string_equal(text, "9223372036854775807");
    assert_int_equal(weir_long_print(0, text), 1);
    assert_string_equal(text, "0");
}

static void
doubles_print_as_java_prints_them(void **state)
{
    static const struct {
        double v;
        const char *want;
    } cases[] = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {1, "1.0"},
        {-1.5, "-1.5"},
        {100, "100.0"},
        {0.1, "0.1"},
        {0.001, "0.001"},
        {0.002, "0.002"},
        {0.00099999, "9.9999E-4"},
        {1e-4, "1.0E-4"},
        {9999999, "9999999.0"},
        {9999999.5, "9999999.5"},
        {1e7, "1.0E7"},
        {12345678, "1.2345678E7"},
        {1e10, "1.0E10"},
        {1e23, "1.0E23"},
        {9007199254740993.0, "9.007199254740992E15"},
        {0.30000000000000004, "0.30000000000000004"},
        {1.7976931348623157e308, "1.7976931348623157E308"},
        {2.2250738585072014e-308, "2.2250738585072014E-308"},
        {4.9e-324, "4.9E-324"},
        {9.9e-324, "9.9E-324"},
        {2e-323, "2.0E-323"},
        {5.684341886080802e-14, "5.684341886080802E-14"}, /* 2^-44: the nearest of 16 digits reads back as less */
        {2.0e-3, "0.002"},
        {123456.789, "123456.789"},
        {(double)NAN, "NaN"},
        {(double)INFINITY, "Infinity"},
        {-(double)INFINITY, "-Infinity"},
    };
    static const struct {
        float v;
        const char *want;
    } floats[] = {{0.1f, "0.1"},           {1.0f, "1.0"},         {3.4028235e38f, "3.4028235E38"},
                  {1.4e-45f, "1.4E-45"},   {1.17549435e-38f, "1.1754944E-38"},
                  {16777216.0f, "1.6777216E7"}, {33554432.0f, "3.3554432E7"}, {0.3f, "0.3"},
                  {-0.0f, "-0.0"},         {9.8e-45f, "9.8E-45"}, {123456.0f, "123456.0"}};
    char text[64];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t n = weir_double_print(cases[i].v, text);

        assert_int_equal(n, strlen(text));
        assert_string_equal(text, cases[i].want);
    }
    for (size_t i = 0; i < sizeof(floats) / sizeof(floats[0]); i++) {
        weir_float_print(floats[i].v, text);
        assert_string_equal(text, floats[i].want);
    }
}

/* Digits of the mantissa as printed. */
static int
count_digits(const char *text)
{
    int n = 0, zeros = 0;

    for (; *text != '\0' && *text != 'E'; text++) {
        if (*text < '0' || *text > '9' || (n == 0 && *text == '0'))
            continue;
        n++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return n - zeros;
}

static void
random_doubles_print_shortest_and_read_back_bit_by_bit(void **state)
{
    (void)state;
    for (int round = 0; round < 100000; round++) {
        uint64_t bits = draw(), got;
        double v, back = 0;
        char text[64], shorter[64];
        size_t n;
        int digits;

        if (round % 4 == 0) /* powers of two and subnormals */
            bits = round % 8 == 0 ? (uint64_t)below(2046) << 52 : draw() >> (12 + below(52));
        memcpy(&v, &bits, sizeof(v));
        if (!isfinite(v))
            continue;
        n = weir_double_print(v, text);
        assert_true(n < 32);
        assert_true(weir_double_parse(text, n, &back));
        memcpy(&got, &back, sizeof(got));
        if (got != bits)
            fail_msg("%a printed as %s reads back as %a", v, text, back);
        digits = count_digits(text);
        if (digits > 2) {
            snprintf(shorter, sizeof(shorter), "%.*e", digits - 2, v);
            if (strtod(shorter, NULL) == v)
                fail_msg("%s is not the shortest: %s", text, shorter);
        }
    }
}

static void
random_floats_print_and_read_back_bit_by_bit(void **state)
{
    (void)state;
    for (int round = 0; round < 100000; round++) {
        uint32_t bits = round % 4 == 0 ? below(254) << 23 : (uint32_t)draw(), got;
        float v, back = 0;
        char text[64];
        size_t n;

        memcpy(&v, &bits, sizeof(v));
        if (!isfinite(v))
            continue;
        n = weir_float_print(v, text);
        assert_true(n < 32);
        assert_true(weir_float_parse(text, n, &back));
        memcpy(&got, &back, sizeof(got));
        if (got != bits)
            fail_msg("%a printed as %s reads back as %a", (double)v, text, (double)back);
    }
}

static void
doubles_and_floats_are_the_nearest_ones(void **state)
{
    (void)state;
    for (int round = 0; round < 200000; round++) {
        unsigned n = 1 + below(below(8) == 0 ? 60 : 24), point = below(n + 1);
        char text[128];
        double v, want;
        float f, wantf;
        int len = 0;

        if (below(2))
            text[len++] = '-';
        for (unsigned i = 0; i < n; i++) {
            if (i == point)
                text[len++] = '.';
            text[len++] = (char)('0' + (below(4) == 0 ? 0 : below(10)));
        }
        if (below(2))
            len += snprintf(text + len, 16, "e%d", below(4) == 0 ? (int)below(700) - 350 : (int)below(60) - 30);
        text[len] = '\0';
        want = strtod(text, NULL);
        wantf = strtof(text, NULL);
        assert_true(weir_double_parse(text, (size_t)len, &v));
        assert_true(weir_float_parse(text, (size_t)len, &f));
        if (memcmp(&v, &want, sizeof(v)) != 0 || memcmp(&f, &wantf, sizeof(f)) != 0)
            fail_msg("%s: %a for %a, %a for %a", text, v, want, (double)f, (double)wantf);
    }
}

/* Halfway between two doubles (floats), and a hair beside it: where a second rounding would go wrong. */
static void
midpoints_round_to_even_and_a_hair_decides(void **state)
{
    static const char *const texts[] = {
        "9007199254740993", "9007199254740993.0000000000000000000000000000000000000000000001",
        "9007199254740992.9999999999999999999999999", "9007199254740995", "1.00000000000000011102230246251565404",
        "1.00000000000000011102230246251565405", "1.000000000000000111022302462515654042363166809082031250",
        "1.000000000000000111022302462515654042363166809082031249", "4503599627370496.5", "4503599627370497.5",
        "2.4703282292062327208e-324", "2.4703282292062328e-324", "2.4703282292062327e-324",
        "1.7976931348623158e308", "1.7976931348623159e308", "16777217", "16777219", "16777217.000000001",
        "1.00000005960464477539", "1.000000059604644775390625", "1.0000000596046447753906250000000001",
        "3.4028235677973366e38", "3.40282356779733661637539395458142568447e38", "7.0064923216240854e-46",
        "7.0064923216240862e-46", "0.500000000000000166533453693773481063544750213623046875"};
    char text[2048];
    double v;

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        float f;

        assert_true(weir_double_parse(texts[i], strlen(texts[i]), &v));
        assert_true(v == strtod(texts[i], NULL));
        assert_true(weir_float_parse(texts[i], strlen(texts[i]), &f));
        if (f != strtof(texts[i], NULL))
            fail_msg("%s as a float: %a", texts[i], (double)f);
    }
    /* a midpoint, then a thousand zeros and a one: only the last digit tells */
    memset(text, '0', sizeof(text));
    memcpy(text, "9007199254740993.", 17);
    text[1500] = '1';
    assert_true(weir_double_parse(text, 1500, &v) && v == 9007199254740992.0);
    assert_true(weir_double_parse(text, 1501, &v) && v == 9007199254740994.0);
}

static void
doubles_have_ends_and_refuse_words(void **state)
{
    static const char *const bad[] = {"", "-", ".", "e1", "1e", "1e+", "NaN", "Infinity", "0x10", "1 ", " 1", "1f",
                                      "1.5.", "1e5.0", "1-", "+-1"};
    double v = 7;

    (void)state;
    assert_true(weir_double_parse("1e400", 5, &v) && v == (double)INFINITY);
    assert_true(weir_double_parse("-1e99999999999", 14, &v) && v == -(double)INFINITY);
    assert_true(weir_double_parse("1e-99999999999", 14, &v) && v == 0);
    assert_true(weir_double_parse("0e99999999999", 13, &v) && v == 0);
    assert_true(weir_double_parse("-0", 2, &v) && v == 0 && signbit(v));
    v = 7;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (weir_double_parse(bad[i], strlen(bad[i]), &v))
            fail_msg("'%s' was read", bad[i]);
    }
    assert_true(v == 7);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_round_half_up_and_refuse_what_does_not_fit),
        cmocka_unit_test(a_rounded_decimal_is_told_from_an_exact_one),
        cmocka_unit_test(decimals_agree_with_long_hand_arithmetic),
        cmocka_unit_test(printed_decimals_read_back),
        cmocka_unit_test(longs_print_to_their_ends),
        cmocka_unit_test(doubles_print_as_java_prints_them),
        cmocka_unit_test(random_doubles_print_shortest_and_read_back_bit_by_bit),
        cmocka_unit_test(random_floats_print_and_read_back_bit_by_bit),
        cmocka_unit_test(doubles_and_floats_are_the_nearest_ones),
        cmocka_unit_test(midpoints_round_to_even_and_a_hair_decides),
        cmocka_unit_test(doubles_have_ends_and_refuse_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
