/* Errors: texts, codes, context. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static void
a_failure_tells_where_what_and_what_to_do(void **state)
{
    struct weir_error err;
    char text[256];

    (void)state;
    memset(&err, 0xff, sizeof(err)); /* nobody has to clear an error first */
    assert_int_equal(weir_fail(&err, WEIR_CORRUPT, "byte %d: %s", 7, "no brace"), WEIR_CORRUPT);
    assert_int_equal(err.rc, WEIR_CORRUPT);
    assert_int_equal(err.os_errno, 0);
    assert_int_equal(err.retry_after_ms, 0);
    assert_true(weir_str_ends(err.file, "test_error.c"));
    assert_string_equal(weir_error_text(&err, text, sizeof(text)), "byte 7: no brace");
    assert_int_equal(weir_error_context(&err, "/in/a.json"), WEIR_CORRUPT);
    assert_int_equal(weir_error_context(&err, "batch %d", 42), WEIR_CORRUPT);
    assert_string_equal(err.where, "batch 42: /in/a.json");
    assert_int_equal(weir_error_hint(&err, "look at %s", "it"), WEIR_CORRUPT);
    assert_int_equal(weir_error_hint(&err, "the first hint stays"), WEIR_CORRUPT);
    assert_string_equal(weir_error_text(&err, text, sizeof(text)),
                        "batch 42: /in/a.json: byte 7: no brace\nhint: look at it");
    weir_error_clear(&err);
    assert_int_equal(err.rc, WEIR_OK);
    assert_string_equal(weir_error_text(&err, text, sizeof(text)), "");
}

static void
a_failure_may_be_told_again_with_its_own_text(void **state)
{
    struct weir_error err;

    (void)state;
    weir_fail(&err, WEIR_IO, "inner");
    weir_error_context(&err, "file");
    weir_fail(&err, WEIR_UNKNOWN, "outer (%s: %s)", err.where, err.what);
    assert_string_equal(err.what, "outer (file: inner)");
    assert_string_equal(err.where, "");
    weir_error_context(&err, "a");
    weir_error_context(&err, "%s", err.where);
    assert_string_equal(err.where, "a: a");
}

static void
a_long_text_is_cut_between_characters(void **state)
{
    struct weir_error err;
    char text[64], longer[1000];
    size_t i, n;

    (void)state;
    for (n = 0; n < 4; n++) { /* each shift of a three-byte character against the end */
        memset(longer, 'x', sizeof(longer));
        for (i = n; i + 3 < sizeof(longer); i += 3)
            memcpy(longer + i, "\342\202\254", 3);
        longer[sizeof(longer) - 1] = '\0';
        weir_fail(&err, WEIR_IO, "%s", longer);
        assert_true(strlen(err.what) < sizeof(err.what));
        assert_true(strlen(err.what) >= sizeof(err.what) - 6);
        assert_true(weir_utf8_valid(err.what, strlen(err.what)));
        assert_true(weir_str_ends(err.what, "..."));
        for (i = 0; i < 20; i++)
            weir_error_context(&err, "%s", longer);
        assert_true(strlen(err.where) < sizeof(err.where));
        assert_true(weir_utf8_valid(err.where, strlen(err.where)));
        weir_error_hint(&err, "%s", longer);
        assert_true(weir_utf8_valid(err.hint, strlen(err.hint)));
        for (i = 0; i < sizeof(text); i++) {
            memset(text, 'z', sizeof(text));
            weir_error_text(&err, text, (uint32_t)i);
            assert_true(i == 0 || strlen(text) < i);
            assert_int_equal(text[i], 'z');
        }
    }
}

static void
the_system_decides_the_code_where_the_reaction_is_always_the_same(void **state)
{
    static const struct {
        int os;
        weir_rc given, want;
        const char *hint;
    } cases[] = {
        {EACCES, WEIR_IO, WEIR_DENIED, "right"},
        {EPERM, WEIR_IO, WEIR_DENIED, "right"},
        {EROFS, WEIR_IO, WEIR_DENIED, "read-only"},
        {ENOENT, WEIR_IO, WEIR_NOTFOUND, ""},
        {EEXIST, WEIR_IO, WEIR_EXISTS, ""},
        {ENOMEM, WEIR_IO, WEIR_NOMEM, ""},
        {ENOSPC, WEIR_UNKNOWN, WEIR_IO, "free space"},
        {EDQUOT, WEIR_UNKNOWN, WEIR_IO, "free space"},
        {EIO, WEIR_UNKNOWN, WEIR_UNKNOWN, ""},
        {EMFILE, WEIR_IO, WEIR_IO, "open files"},
    };
    struct weir_error err;
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        assert_int_equal(weir_fail_os(&err, cases[i].given, cases[i].os, "open %s", "/x"), cases[i].want);
        assert_int_equal(err.os_errno, cases[i].os);
        assert_true(weir_str_starts(err.what, "open /x: "));
        assert_non_null(strstr(err.what, strerror(cases[i].os)));
        assert_non_null(strstr(err.hint, cases[i].hint));
    }
}

static void
each_code_has_a_name_and_an_exit_status(void **state)
{
    static const struct {
        weir_rc rc;
        const char *name;
        int exit;
    } cases[] = {
        {WEIR_OK, "OK", 0},           {WEIR_END, "END", 0},           {WEIR_RETRY, "RETRY", 1},
        {WEIR_CONFLICT, "CONFLICT", 1}, {WEIR_EXISTS, "EXISTS", 1},   {WEIR_NOTFOUND, "NOTFOUND", 1},
        {WEIR_BADDATA, "BADDATA", 3}, {WEIR_SCHEMA, "SCHEMA", 2},     {WEIR_USAGE, "USAGE", 2},
        {WEIR_NOMEM, "NOMEM", 1},     {WEIR_STOPPED, "STOPPED", 1},   {WEIR_IO, "IO", 1},
        {WEIR_CORRUPT, "CORRUPT", 1}, {WEIR_UNSUPPORTED, "UNSUPPORTED", 2}, {WEIR_UNKNOWN, "UNKNOWN", 1},
        {WEIR_FENCED, "FENCED", 4},   {WEIR_DENIED, "DENIED", 1},     {WEIR_BUG, "BUG", 1},
    };
    size_t i;

    (void)state;
    assert_int_equal(COUNT(cases), WEIR_BUG + 1);
    for (i = 0; i < COUNT(cases); i++) {
        assert_string_equal(weir_rc_name(cases[i].rc), cases[i].name);
        assert_int_equal(weir_rc_exit(cases[i].rc), cases[i].exit);
    }
    assert_string_equal(weir_rc_name((weir_rc)99), "?");
}

static void
a_context_without_an_error_is_a_bug_and_never_success(void **state)
{
    struct weir_error err;

    (void)state;
    weir_error_clear(&err);
    assert_int_equal(weir_error_context(&err, "x"), WEIR_BUG);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_tells_where_what_and_what_to_do),
        cmocka_unit_test(a_failure_may_be_told_again_with_its_own_text),
        cmocka_unit_test(a_long_text_is_cut_between_characters),
        cmocka_unit_test(the_system_decides_the_code_where_the_reaction_is_always_the_same),
        cmocka_unit_test(each_code_has_a_name_and_an_exit_status),
        cmocka_unit_test(a_context_without_an_error_is_a_bug_and_never_success),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
