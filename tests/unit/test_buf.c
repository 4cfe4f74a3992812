/* Growing buffers, JSON strings and small JSON documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/limits.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static struct weir_error err;

static void
text_is_built_in_straight_lines(void **state)
{
    struct weir_buf buf = WEIR_BUF(1000);
    char *room;

    (void)state;
    weir_buf_fini(&buf);
    weir_buf_str(&buf, "a");
    weir_buf_add(&buf, "bcd", 2);
    weir_buf_byte(&buf, '-');
    weir_buf_printf(&buf, "%03d", 7);
    room = weir_buf_room(&buf, 10);
    assert_non_null(room);
    memcpy(room, "xyz", 3);
    weir_buf_used(&buf, 3);
    assert_int_equal(weir_buf_check(&buf, &err), WEIR_OK);
    assert_string_equal(buf.data, "abc-007xyz");
    assert_int_equal(buf.len, 10);
    weir_buf_reset(&buf);
    assert_int_equal(buf.len, 0);
    assert_string_equal(buf.data, "");
    weir_buf_fini(&buf);
}

static void
the_ceiling_is_exact(void **state)
{
    size_t max, n;

    (void)state;
    for (max = 0; max < 600; max += 7) {
        struct weir_buf buf;

        weir_buf_init(&buf, max, NULL);
        for (n = 0; n < max; n++)
            weir_buf_byte(&buf, 'x');
        assert_int_equal(weir_buf_check(&buf, &err), WEIR_OK);
        assert_int_equal(buf.len, max);
        assert_true(buf.cap <= max + 1);
        weir_buf_byte(&buf, 'y');
        assert_int_equal(weir_buf_check(&buf, &err), WEIR_NOMEM);
        assert_int_equal(buf.len, max);
        weir_buf_fini(&buf);
    }
}

static void
a_failed_buffer_takes_nothing_more_until_reset(void **state)
{
    struct weir_buf buf = WEIR_BUF(4);

    (void)state;
    weir_buf_str(&buf, "ab");
    weir_buf_str(&buf, "too long");
    weir_buf_str(&buf, "c"); /* would fit, but the text would have a hole */
    weir_buf_printf(&buf, "d");
    weir_buf_json(&buf, "", 0);
    assert_null(weir_buf_room(&buf, 0));
    weir_buf_used(&buf, 0);
    assert_string_equal(buf.data, "ab");
    assert_int_equal(weir_buf_check(&buf, &err), WEIR_NOMEM);
    assert_non_null(strstr(err.what, "the ceiling is 4 bytes"));
    weir_buf_reset(&buf);
    weir_buf_str(&buf, "abcd");
    assert_int_equal(weir_buf_check(&buf, &err), WEIR_OK);
    weir_buf_add(&buf, "", 0);
    assert_int_equal(weir_buf_check(&buf, &err), WEIR_OK);
    assert_null(weir_buf_room(&buf, SIZE_MAX));
    weir_buf_fini(&buf);
}

static void
a_quota_limits_a_buffer_before_its_ceiling(void **state)
{
    struct weir_quota q;
    struct weir_buf buf;

    (void)state;
    weir_quota_init(&q, NULL, "texts", 1000);
    weir_buf_init(&buf, 100000, &q);
    while (!buf.failed)
        weir_buf_str(&buf, "0123456789");
    assert_true(buf.len >= 300); /* growing needs both for a moment */
    assert_int_equal(weir_buf_check(&buf, &err), WEIR_NOMEM);
    assert_non_null(strstr(err.what, "texts"));
    assert_true(q.peak <= 1000);
    weir_buf_fini(&buf);
    assert_int_equal(q.used, 0);
}

static void
json_strings_are_escaped_as_jackson_does(void **state)
{
    static const struct {
        const char *text;
        size_t len;
        const char *json;
    } cases[] = {
        {"", 0, "\"\""},
        {"plain", 5, "\"plain\""},
        {"a\"b\\c", 5, "\"a\\\"b\\\\c\""},
        {"\b\f\n\r\t", 5, "\"\\b\\f\\n\\r\\t\""},
        {"\0\001\013\037\177", 5, "\"\\u0000\\u0001\\u000B\\u001F\177\""},
        {"</script> \303\251 \342\200\250 \360\237\230\200", 21, "\"</script> \303\251 \342\200\250 \360\237\230\200\""},
    };
    struct weir_buf buf = WEIR_BUF(1000);
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        weir_buf_reset(&buf);
        weir_buf_json(&buf, cases[i].text, cases[i].len);
        assert_string_equal(buf.data, cases[i].json);
    }
    weir_buf_fini(&buf);
}

static void
a_document_keeps_its_order_and_is_written_without_blanks(void **state)
{
    static const char text[] = " { \"z\" : 1 , \"a\" : [ true , null , \"\\u00e9/\\u0001\" ] ,"
                               " \"m\" : { \"b\" : -9223372036854775808 } } trailing";
    struct weir_buf buf = WEIR_BUF(1000);
    json_t *doc;

    (void)state;
    assert_int_equal(weir_json_load(text, sizeof(text) - 10, &doc, &err), WEIR_OK); /* not NUL-terminated */
    weir_json_dump(doc, &buf);
    assert_int_equal(weir_buf_check(&buf, &err), WEIR_OK);
    assert_string_equal(buf.data, "{\"z\":1,\"a\":[true,null,\"\303\251/\\u0001\"],\"m\":{\"b\":-9223372036854775808}}");
    json_decref(doc);
    weir_buf_fini(&buf);
}

static void
a_document_too_big_for_its_buffer_says_so(void **state)
{
    struct weir_buf buf = WEIR_BUF(5);
    json_t *doc;

    (void)state;
    assert_int_equal(weir_json_load("[1,2,3]", 7, &doc, &err), WEIR_OK);
    weir_json_dump(doc, &buf);
    assert_int_equal(weir_buf_check(&buf, &err), WEIR_NOMEM);
    json_decref(doc);
    weir_buf_fini(&buf);
}

static void
what_is_no_document_is_corrupt_with_its_place(void **state)
{
    static const struct {
        const char *text, *what;
    } cases[] = {
        {"", "byte 0"},       {"{\"a\":1", "byte 6"},    {"{\"a\":1}x", "byte 8"}, {"[1,]", "byte 4"},
        {"nul", "byte 3"},    {"{\"a\":1,\"a\":2}", "duplicate object key"},     {"\"\377\"", "unable to decode byte 0xff"},
        {"\"\\ud800\"", ""},  {"99999999999999999999", "too big"}, {"\"a\\u0000b\"", ""},
    };
    json_t *doc;
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        weir_error_clear(&err);
        weir_json_load(cases[i].text, strlen(cases[i].text), &doc, &err);
        assert_null(doc);
        if (err.rc != WEIR_CORRUPT || strstr(err.what, cases[i].what) == NULL)
            fail_msg("%s: %s", cases[i].text, err.what);
    }
}

static void
the_depth_of_a_document_has_a_ceiling(void **state)
{
    struct weir_buf buf = WEIR_BUF(10000);
    json_t *doc;
    int depth, i;

    (void)state;
    for (depth = WEIR_JSON_DEPTH; depth <= WEIR_JSON_DEPTH + 1; depth++) {
        weir_buf_reset(&buf);
        weir_buf_str(&buf, "[\"[[\\\"{\",");
        for (i = 1; i < depth; i++)
            weir_buf_byte(&buf, '[');
        for (i = 1; i < depth; i++)
            weir_buf_byte(&buf, ']');
        weir_buf_byte(&buf, ']');
        assert_int_equal(weir_json_load(buf.data, buf.len, &doc, &err),
                         depth <= WEIR_JSON_DEPTH ? WEIR_OK : WEIR_CORRUPT);
        json_decref(doc);
    }
    assert_non_null(strstr(err.what, "levels"));
    weir_buf_fini(&buf);
}

static void
members_have_types_and_defaults(void **state)
{
    static const char text[] = "{\"i\":5,\"b\":true,\"s\":\"x\",\"n\":null,\"r\":1.5}";
    const char *s;
    json_t *doc;
    int64_t i;
    bool b;

    (void)state;
    assert_int_equal(weir_json_load(text, sizeof(text) - 1, &doc, &err), WEIR_OK);
    assert_int_equal(weir_json_get_int(doc, "i", 1, &i, &err), WEIR_OK);
    assert_int_equal(i, 5);
    assert_int_equal(weir_json_get_int(doc, "n", 1, &i, &err), WEIR_OK);
    assert_int_equal(i, 1);
    assert_int_equal(weir_json_get_int(doc, "r", 1, &i, &err), WEIR_CORRUPT);
    assert_non_null(strstr(err.what, "\"r\" is not a whole number"));
    assert_int_equal(weir_json_get_bool(doc, "b", false, &b, &err), WEIR_OK);
    assert_true(b);
    assert_int_equal(weir_json_get_bool(doc, "absent", true, &b, &err), WEIR_OK);
    assert_true(b);
    assert_int_equal(weir_json_get_bool(doc, "i", true, &b, &err), WEIR_CORRUPT);
    assert_int_equal(weir_json_get_str(doc, "s", &s, &err), WEIR_OK);
    assert_string_equal(s, "x");
    assert_int_equal(weir_json_get_str(doc, "n", &s, &err), WEIR_OK);
    assert_null(s);
    assert_int_equal(weir_json_get_str(doc, "i", &s, &err), WEIR_CORRUPT);
    json_decref(doc);
}

static void
documents_count_under_a_quota_and_a_refusal_leaks_nothing(void **state)
{
    struct weir_buf text = WEIR_BUF(100000);
    struct weir_quota q;
    json_t *doc;
    uint64_t limit;
    weir_rc rc = WEIR_NOMEM;
    int i;

    (void)state;
    weir_buf_byte(&text, '[');
    for (i = 0; i < 30; i++)
        weir_buf_printf(&text, "{\"key %d\":\"a text that is longer than a short one\",\"n\":[%d,1.5,true]},", i, i);
    weir_buf_str(&text, "0]");
    for (limit = 0; rc == WEIR_NOMEM; limit += 97) {
        weir_quota_init(&q, NULL, "json", limit);
        weir_json_init(&q);
        rc = weir_json_load(text.data, text.len, &doc, &err);
        assert_int_equal(q.used > 0, rc == WEIR_OK);
        json_decref(doc);
        assert_int_equal(q.used, 0);
        weir_json_init(NULL);
    }
    assert_int_equal(rc, WEIR_OK);
    assert_true(limit > 2000);
    weir_buf_fini(&text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_built_in_straight_lines),
        cmocka_unit_test(the_ceiling_is_exact),
        cmocka_unit_test(a_failed_buffer_takes_nothing_more_until_reset),
        cmocka_unit_test(a_quota_limits_a_buffer_before_its_ceiling),
        cmocka_unit_test(json_strings_are_escaped_as_jackson_does),
        cmocka_unit_test(a_document_keeps_its_order_and_is_written_without_blanks),
        cmocka_unit_test(a_document_too_big_for_its_buffer_says_so),
        cmocka_unit_test(what_is_no_document_is_corrupt_with_its_place),
        cmocka_unit_test(the_depth_of_a_document_has_a_ceiling),
        cmocka_unit_test(members_have_types_and_defaults),
        cmocka_unit_test(documents_count_under_a_quota_and_a_refusal_leaks_nothing),
    };

    weir_json_init(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
