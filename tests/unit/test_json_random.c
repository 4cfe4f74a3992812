/* The JSON decoder on random and damaged documents: against jansson's reading, and its vectors against the scalar
 * twin. The documents come from a fixed seed. */
#include "json_help.h"

static uint64_t seed_state;

static uint32_t
rnd(uint32_t below)
{
    seed_state ^= seed_state << 13;
    seed_state ^= seed_state >> 7;
    seed_state ^= seed_state << 17;
    return (uint32_t)(seed_state >> 33) % below;
}

/* ---- Documents */

static void
put_blank(struct weir_buf *buf)
{
    if (rnd(4) == 0)
        weir_buf_add(buf, " \t\n\r " + rnd(5), 1);
}

static void
put_string(struct weir_buf *buf)
{
    static const char *const parts[] = {"a", "sku-", "\\n", "\\\"", "\\\\", "\\u00e9", "\xc3\xa9", "\xe5\x8c\x97",
                                        "\\ud83d\\ude00", "\xf0\x9f\x98\x80", "{", "]", ",", "0123456789abcdef", " ", "'"};
    uint32_t n = rnd(8);

    weir_buf_byte(buf, '"');
    while (n-- > 0)
        weir_buf_str(buf, parts[rnd(sizeof(parts) / sizeof(parts[0]))]);
    weir_buf_byte(buf, '"');
}

static void
put_number(struct weir_buf *buf)
{
    switch (rnd(5)) {
    case 0:
        weir_buf_printf(buf, "%s%u", rnd(2) ? "-" : "", rnd(10));
        break;
    case 1:
        weir_buf_printf(buf, "%u%u", 1 + rnd(1000000), rnd(1000000));
        break;
    case 2:
        weir_buf_printf(buf, "%s%u.%06u", rnd(2) ? "-" : "", rnd(1000), rnd(1000000));
        break;
    case 3:
        weir_buf_printf(buf, "%ue%s%u", rnd(100), rnd(2) ? "-" : "", rnd(30));
        break;
    default:
        weir_buf_printf(buf, "%u", rnd(0x7fffffff));
        break;
    }
}

static void
put_value(struct weir_buf *buf, unsigned depth)
{
    static const char *const words[] = {"true", "false", "null"};
    uint32_t n = rnd(4), kind = rnd(depth > 3 ? 6 : 8);

    if (kind < 2) {
        put_string(buf);
    } else if (kind < 5) {
        put_number(buf);
    } else if (kind == 5) {
        weir_buf_str(buf, words[rnd(3)]);
    } else {
        weir_buf_byte(buf, kind == 6 ? '[' : '{');
        for (uint32_t i = 0; i < n; i++) {
            if (i > 0)
                weir_buf_byte(buf, ',');
            put_blank(buf);
            if (kind == 7)
                weir_buf_printf(buf, "\"k%u\":", i);
            put_value(buf, depth + 1);
            put_blank(buf);
        }
        weir_buf_byte(buf, kind == 6 ? ']' : '}');
    }
}

static void
put_list(struct weir_buf *buf, bool structs)
{
    uint32_t n = rnd(4);

    weir_buf_byte(buf, '[');
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0)
            weir_buf_byte(buf, ',');
        put_blank(buf);
        if (!structs)
            weir_buf_printf(buf, "%u", rnd(100));
        else
            weir_buf_printf(buf, rnd(2) ? "{\"x\":%u,\"y\":\"v%u\"}" : "{\"y\":\"%u\",\"x\":%u}", rnd(1000), rnd(9));
    }
    weir_buf_byte(buf, ']');
}

/* The value that the schema wants for key i, most times. */
static void
put_field(struct weir_buf *buf, unsigned i)
{
    if (rnd(12) == 0) {
        put_value(buf, 1);
        return;
    }
    switch (i) {
    case 0:
        weir_buf_printf(buf, "%s%u%u", rnd(2) ? "-" : "", 1 + rnd(9), rnd(1000000000));
        break;
    case 1:
        put_string(buf);
        break;
    case 2:
        put_number(buf);
        break;
    case 3:
        weir_buf_str(buf, rnd(2) ? "true" : "false");
        break;
    case 4:
        weir_buf_printf(buf, "{\"p\":%u,\"q\":", rnd(100));
        put_string(buf);
        weir_buf_byte(buf, '}');
        break;
    case 5:
    case 6:
        put_list(buf, i == 6);
        break;
    default:
        weir_buf_str(buf, "{\"k\":\"v\",\"\\u00e9\":null}");
        break;
    }
}

static void
put_document(struct weir_buf *buf)
{
    static const char *const keys[] = {"a", "b", "c", "d", "o", "l", "s", "m", "unknown", "\\u0061\\u0062"};
    unsigned order[10], n = 1 + rnd(10);

    for (unsigned i = 0; i < 10; i++)
        order[i] = i;
    for (unsigned i = 0; rnd(3) == 0 && i < 10; i++) {
        unsigned j = rnd(10), t = order[i];

        order[i] = order[j];
        order[j] = t;
    }
    weir_buf_byte(buf, '{');
    for (unsigned i = 0; i < n; i++) {
        if (i > 0)
            weir_buf_byte(buf, ',');
        put_blank(buf);
        weir_buf_printf(buf, "\"%s\"", keys[order[i]]);
        put_blank(buf);
        weir_buf_byte(buf, ':');
        put_blank(buf);
        put_field(buf, order[i]);
        put_blank(buf);
    }
    weir_buf_byte(buf, '}');
}

/* A byte changed, taken or doubled, or the end cut off. */
static void
damage(struct weir_buf *buf)
{
    static const char bytes[] = "{}[],:\"\\ \n0-.e\x01\x80\xff\xc3ntf'/";
    size_t at = rnd((uint32_t)buf->len);

    switch (rnd(4)) {
    case 0:
        buf->data[at] = bytes[rnd(sizeof(bytes) - 1)];
        break;
    case 1:
        memmove(buf->data + at, buf->data + at + 1, buf->len - at - 1);
        buf->len--;
        break;
    case 2:
        weir_buf_byte(buf, ' ');
        memmove(buf->data + at + 1, buf->data + at, buf->len - at - 1);
        break;
    default:
        buf->len = at;
        break;
    }
}

#define SCHEMA                                                                                          \
    "a BIGINT, b STRING, c DOUBLE, d BOOLEAN, o STRUCT<p:INT,q:STRING>, l ARRAY<INT>, "                  \
    "s ARRAY<STRUCT<x:BIGINT,y:STRING>>, m MAP<STRING,STRING>"

/* ---- Against jansson */

static bool slot_agrees(const struct weir_col *col, uint32_t row, const json_t *v);

static bool
struct_agrees(const struct weir_type *type, const struct weir_col *cols, uint32_t row, const json_t *v)
{
    for (uint32_t i = 0; i < type->nfields; i++)
        if (!slot_agrees(&cols[i], row, json_object_get(v, type->fields[i].name)))
            return false;
    return true;
}

/* Whether the value fits the type as a whole, as weir and Spark have it. */
static bool
fits(const struct weir_type *type, const json_t *v)
{
    size_t i;
    const char *key;
    json_t *e;

    if (json_is_null(v))
        return true;
    switch (type->kind) {
    case WEIR_LONG:
        return json_is_integer(v);
    case WEIR_INT:
        return json_is_integer(v) && json_integer_value(v) >= INT32_MIN && json_integer_value(v) <= INT32_MAX;
    case WEIR_DOUBLE:
        return json_is_number(v);
    case WEIR_BOOLEAN:
        return json_is_boolean(v);
    case WEIR_STRUCT:
        return json_is_object(v);
    case WEIR_ARRAY:
        if (!json_is_array(v))
            return false;
        json_array_foreach((json_t *)(uintptr_t)v, i, e)
            if (!fits(type->fields[0].type, e))
                return false;
        return true;
    case WEIR_MAP:
        if (!json_is_object(v))
            return false;
        json_object_foreach((json_t *)(uintptr_t)v, key, e)
            if (!fits(weir_map_value(type)->type, e))
                return false;
        return true;
    default:
        return true;
    }
}

static bool
list_agrees(const struct weir_col *col, uint32_t row, const json_t *v)
{
    const struct weir_list *list = (const struct weir_list *)col->data + row;
    const struct weir_col *child = &col->kids[0];
    bool map = col->type->kind == WEIR_MAP;

    if (list->n != (map ? json_object_size(v) : json_array_size(v)))
        return false;
    for (uint64_t i = 0; i < list->n; i++) {
        uint32_t at = (uint32_t)(list->at + i);
        const struct weir_str *key = map ? (const struct weir_str *)child->kids[0].data + at : NULL;
        const json_t *e = map ? json_object_getn(v, weir_str_ptr(key), key->len) : json_array_get(v, i);

        if (e == NULL || !slot_agrees(map ? &child->kids[1] : child, at, e))
            return false;
    }
    return true;
}

static bool
slot_agrees(const struct weir_col *col, uint32_t row, const json_t *v)
{
    const struct weir_str *s = (const struct weir_str *)col->data + row;
    bool null = weir_col_is_null(col, row);

    if (v == NULL || json_is_null(v) || !fits(col->type, v))
        return null;
    if (null)
        return false;
    switch (col->type->kind) {
    case WEIR_LONG:
        return ((const int64_t *)col->data)[row] == json_integer_value(v);
    case WEIR_INT:
        return ((const int32_t *)col->data)[row] == json_integer_value(v);
    case WEIR_DOUBLE: {
        double want = json_number_value(v);

        return memcmp((const double *)col->data + row, &want, sizeof(want)) == 0;
    }
    case WEIR_BOOLEAN:
        return ((const uint8_t *)col->data)[row] == json_is_true(v);
    case WEIR_STRING: /* of other values it keeps the file's text, which jansson does not */
        return !json_is_string(v) || (s->len == json_string_length(v) &&
                                      memcmp(weir_str_ptr(s), json_string_value(v), s->len) == 0);
    case WEIR_STRUCT:
        return struct_agrees(col->type, col->kids, row, v);
    default:
        return list_agrees(col, row, v);
    }
}

/* Beyond what jansson reads: it has no numbers over its types, and no lone surrogates. */
static bool
is_jansson_only(const json_error_t *error)
{
    enum json_error_code code = json_error_code(error);

    return code == json_error_duplicate_key || code == json_error_numeric_overflow ||
           strstr(error->text, "surrogate") != NULL || strstr(error->text, "invalid Unicode") != NULL;
}

static void
check_document(struct bench *b, const struct weir_buf *doc, unsigned *good, unsigned *bad)
{
    json_error_t error;
    json_t *want = json_loadb(doc->data, doc->len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    struct weir_block *block = bench_block(b, doc->data, doc->len);
    struct weir_records in = {.at = block->data, .end = block->data + doc->len, .block = block};

    weir_page_reset(b->page);
    assert_int_equal(weir_json_decode(b->dec, &in, b->page, &b->err), WEIR_OK);
    assert_int_equal(b->page->rows, 1);
    if (json_is_object(want)) {
        if (b->page->count.corrupt != 0 || !struct_agrees(b->schema, b->page->cols, 0, want))
            fail_msg("read otherwise: %.*s", (int)doc->len, doc->data);
        (*good)++;
    } else if (want == NULL && !is_jansson_only(&error)) {
        if (b->page->count.corrupt == 0 && b->page->count.lost == 0 && b->page->count.blank == 0)
            fail_msg("%s, but read: %.*s", error.text, (int)doc->len, doc->data);
        (*bad)++;
    }
    json_decref(want);
    weir_page_reset(b->page);
    weir_block_put(block);
}

static void
documents_are_read_as_jansson_reads_them(void **state)
{
    static const char *const strict[] = {"allowSingleQuotes=false", "allowNonNumericNumbers=false", NULL};
    struct weir_buf doc = WEIR_BUF(WEIR_MIB);
    unsigned good = 0, bad = 0;
    struct bench b;

    (void)state;
    seed_state = 88172645463325252u;
    bench_new(&b);
    b.env.message = true;
    assert_int_equal(bench_options(&b, strict), WEIR_OK);
    assert_int_equal(bench_schema(&b, SCHEMA, NULL), WEIR_OK);
    for (int i = 0; i < 30000; i++) {
        weir_buf_reset(&doc);
        put_document(&doc);
        if (i % 2 == 1)
            damage(&doc);
        check_document(&b, &doc, &good, &bad);
    }
    assert_true(good > 15000 && bad > 8000);
    weir_buf_fini(&doc);
    bench_free(&b);
}

/* ---- Vectors against the scalar twin */

static void
scans_of_vectors_and_of_bytes_agree(void **state)
{
    const struct weir_json_scan *fast = weir_json_scan_vector(), *slow = &weir_json_scan_scalar;
    static const char bytes[] = "ab \t\n\r\"\\'\x01\x1f\x20\x7f\x80\xff{";
    char text[256 + 64];

    (void)state;
    if (fast == NULL)
        skip();
    seed_state = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 200000; i++) {
        unsigned n = rnd(200), at = rnd(32), sparse = 1 + rnd(60);
        bool high_fast = false, high_slow = false;

        memset(text, 0, sizeof(text));
        for (unsigned k = 0; k < n; k++)
            text[at + k] = rnd(sparse) != 0 ? (rnd(2) ? ' ' : 'x') : bytes[rnd(sizeof(bytes) - 1)];
        assert_ptr_equal(fast->string(text + at, i % 2 ? '"' : '\'', &high_fast),
                         slow->string(text + at, i % 2 ? '"' : '\'', &high_slow));
        assert_int_equal(high_fast, high_slow);
        assert_ptr_equal(fast->blanks(text + at), slow->blanks(text + at));
        assert_ptr_equal(fast->line(text + at, text + at + n), slow->line(text + at, text + at + n));
    }
}

/* Rows, rescued text and counts of damaged lines are the same with and without vectors. */
static void
damaged_files_decode_alike_with_and_without_vectors(void **state)
{
    static const char *const option_sets[][3] = {{NULL}, {"multiLine=true", NULL}, {"lineSep=},", "allowComments=true", NULL}};

    (void)state;
    if (weir_json_scan_vector() == NULL)
        skip();
    seed_state = 42;
    for (int i = 0; i < 600; i++) {
        struct weir_buf doc = WEIR_BUF(WEIR_MIB);
        struct bench b[2];

        for (int k = 0; k < 6; k++) {
            put_document(&doc);
            weir_buf_byte(&doc, '\n');
        }
        for (uint32_t k = rnd(4); k > 0 && doc.len > 0; k--)
            damage(&doc);
        for (int k = 0; k < 2; k++) {
            bench_new(&b[k]);
            assert_int_equal(bench_options(&b[k], option_sets[i % 3]), WEIR_OK);
            b[k].opt.scan = k == 0 ? &weir_json_scan_scalar : weir_json_scan_vector();
            b[k].page_rows = k == 0 ? 0 : 1 + rnd(3);
            b[k].block_bytes = k == 0 ? 0 : 1 + rnd(300);
            assert_int_equal(bench_schema(&b[k], SCHEMA ", _r STRING", "_r"), WEIR_OK);
            if (doc.len > 0)
                assert_int_equal(bench_decode(&b[k], doc.data, doc.len), WEIR_OK);
        }
        if (b[0].out.len != b[1].out.len || (b[0].out.len > 0 && memcmp(b[0].out.data, b[1].out.data, b[0].out.len) != 0))
            fail_msg("%.*s\n  %s\n  %s", (int)doc.len, doc.data, b[0].out.data, b[1].out.data);
        assert_memory_equal(&b[0].count, &b[1].count, sizeof(b[0].count));
        bench_free(&b[0]);
        bench_free(&b[1]);
        weir_buf_fini(&doc);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_read_as_jansson_reads_them),
        cmocka_unit_test(scans_of_vectors_and_of_bytes_agree),
        cmocka_unit_test(damaged_files_decode_alike_with_and_without_vectors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
