/* Patterns as Hadoop knows them, in Auto Loader's and in Spark's way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "source/glob.h"

static struct weir_error err;

struct match {
    const char *pattern, *text;
    bool yes;
};

static const struct match matches[] = {
    {"", "", true},
    {"a", "a", true},
    {"a", "ab", false},
    {"ab", "a", false},
    {"?", "a", true},
    {"?", "", false},
    {"?", "ü", true},
    {"??", "ü", false},
    {"?", "/", false},
    {"*", "", true},
    {"*", "abc", true},
    {"*", "a/b", false},
    {"a*c", "abcabc", true},
    {"a*c", "abcab", false},
    {"*a*b*", "xxaxxbxx", true},
    {"*.json", ".json", true},
    {"*.json", "a.json.tmp", false},
    {"a*/b", "axx/b", true},
    {"[abc]", "b", true},
    {"[abc]", "d", false},
    {"[a-c]x", "cx", true},
    {"[a-c]", "-", false},
    {"[-a]", "-", true},
    {"[a-]", "-", true},
    {"[^a-c]", "d", true},
    {"[^a-c]", "b", false},
    {"[!a]", "b", true},
    {"[!a]", "a", false},
    {"[]]", "]", true},
    {"[^]]", "]", false},
    {"[äö]", "ä", true},
    {"[äö]", "ü", false},
    {"[^ä]", "ü", true},
    {"[a-ü]", "z", true},
    {"[\\]]", "]", true},
    {"[,{}]", ",", true},
    {"[,{}]", "{", true},
    {"{a,b}", "b", true},
    {"{a,b}", "c", false},
    {"{ab,c{de,fh}}", "cfh", true},
    {"{ab,c{de,fh}}", "cde", true},
    {"{ab,c{de,fh}}", "ab", true},
    {"{ab,c{de,fh}}", "c", false},
    {"x{,y}", "x", true},
    {"x{,y}", "xy", true},
    {"{a}", "a", true},
    {"{a,b}{c,d}", "bd", true},
    {"{a/b,c}", "a/b", true},
    {"\\*", "*", true},
    {"\\*", "a", false},
    {"\\{a\\}", "{a}", true},
    {"a,b", "a,b", true},
    {"*\xff", "a\xff", true},
};

static struct weir_glob
compile(struct weir_mem *mem, const char *pattern, bool crosses, bool keep_slash)
{
    struct weir_glob glob;

    assert_int_equal(weir_glob_compile(pattern, crosses, keep_slash, mem, &glob, &err), WEIR_OK);
    return glob;
}

static void
patterns_match_as_hadoops(void **state)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");

    (void)state;
    for (size_t i = 0; i < sizeof(matches) / sizeof(*matches); i++) {
        struct weir_glob glob = compile(mem, matches[i].pattern, false, false);

        if (weir_glob_match(&glob, matches[i].text, strlen(matches[i].text)) != matches[i].yes)
            fail_msg("%s and %s", matches[i].pattern, matches[i].text);
    }
    weir_mem_free(mem);
}

struct depth {
    const char *pattern, *key;
    int strict, crossing, slash; /* slash: strict, with the '/' at the end kept */
};

static const struct depth depths[] = {
    {"a", "a", 0, 0, 0},
    {"a", "a/b", 1, 1, 1},
    {"a", "a/b/c", 2, 2, 2},
    {"a", "ab", -1, -1, -1},
    {"a/b", "a", -1, -1, -1},
    {"*", "x", 0, 0, 0},
    {"*", "x/y", 1, 0, 1},
    {"*/", "x", 0, 0, -1},
    {"*/", "x/y", 1, 0, 1},
    {"*/z", "x/y/z", -1, 0, -1},
    {"*/z", "x/z/q", 1, 1, 1},
    {"*.json", "d/a.json", -1, 0, -1},
    {"d=*", "d=1/e/f", 2, 0, 2},
    {"{a/b,a}", "a/b/c", 1, 1, 1},
};

static void
a_match_is_a_file_or_what_its_folder_holds(void **state)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");

    (void)state;
    for (size_t i = 0; i < sizeof(depths) / sizeof(*depths); i++) {
        const struct depth *d = &depths[i];
        struct weir_glob strict = compile(mem, d->pattern, false, false), across = compile(mem, d->pattern, true, false),
                         slash = compile(mem, d->pattern, false, true);
        size_t n = strlen(d->key);

        if (weir_glob_depth(&strict, d->key, n) != d->strict || weir_glob_depth(&across, d->key, n) != d->crossing ||
            weir_glob_depth(&slash, d->key, n) != d->slash)
            fail_msg("%s and %s: %d %d %d", d->pattern, d->key, weir_glob_depth(&strict, d->key, n),
                     weir_glob_depth(&across, d->key, n), weir_glob_depth(&slash, d->key, n));
    }
    weir_mem_free(mem);
}

static void
folders_that_cannot_match_are_not_entered(void **state)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_glob glob = compile(mem, "d=*/x", false, false), all = {.n = 0};

    (void)state;
    assert_true(weir_glob_enters(&glob, "d=1", 3));
    assert_true(weir_glob_enters(&glob, "d=1/x", 5));
    assert_true(weir_glob_enters(&glob, "d=1/x/deep", 10));
    assert_false(weir_glob_enters(&glob, "e", 1));
    assert_false(weir_glob_enters(&glob, "d=1/y", 5));
    assert_true(weir_glob_enters(&all, "anything", 8));
    assert_int_equal(weir_glob_depth(&all, "a/b", 3), 2);
    weir_mem_free(mem);
}

static void
bases_end_in_front_of_the_first_pattern(void **state)
{
    static const struct {
        const char *path;
        size_t base;
    } cases[] = {{"/a/b", 4}, {"/a/*", 2}, {"/a/b*/c", 2}, {"/*", 0}, {"/a/{b,c}/d", 2}, {"/a\\*b", 0}, {"file:/a/?", 7}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        if (weir_glob_base(cases[i].path) != cases[i].base)
            fail_msg("%s: %zu", cases[i].path, weir_glob_base(cases[i].path));
}

static void
patterns_that_mean_nothing_are_refused(void **state)
{
    static const char *const bad[] = {"[a", "{a", "a}", "{a,{b}", "a\\", "[^", "[]", "[a\\]", NULL};
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_buf buf = WEIR_BUF(1 << 20);
    struct weir_glob glob;

    (void)state;
    for (int i = 0; bad[i] != NULL; i++)
        if (weir_glob_compile(bad[i], false, false, mem, &glob, &err) != WEIR_USAGE)
            fail_msg("%s", bad[i]);
    for (int i = 0; i < 11; i++) /* 2^11 alternatives */
        weir_buf_str(&buf, "{a,b}");
    assert_int_equal(weir_glob_compile(buf.data, false, false, mem, &glob, &err), WEIR_USAGE);
    weir_buf_fini(&buf);
    weir_mem_free(mem);
}

static void
no_pattern_takes_for_ever(void **state)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_buf p = WEIR_BUF(1 << 16), t = WEIR_BUF(1 << 16);
    struct weir_glob glob;

    (void)state;
    for (int i = 0; i < 1000; i++)
        weir_buf_str(&p, "*a");
    weir_buf_str(&p, "b");
    for (int i = 0; i < 4000; i++)
        weir_buf_str(&t, "a");
    glob = compile(mem, p.data, true, false);
    assert_false(weir_glob_match(&glob, t.data, t.len));
    weir_buf_fini(&p);
    weir_buf_fini(&t);
    weir_mem_free(mem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match_as_hadoops),
        cmocka_unit_test(a_match_is_a_file_or_what_its_folder_holds),
        cmocka_unit_test(folders_that_cannot_match_are_not_entered),
        cmocka_unit_test(bases_end_in_front_of_the_first_pattern),
        cmocka_unit_test(patterns_that_mean_nothing_are_refused),
        cmocka_unit_test(no_pattern_takes_for_ever),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
