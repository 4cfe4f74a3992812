/* The Parquet writer: Thrift bytes, the RLE/bit-packed hybrid against a plain reader, levels of named cases,
 * the bounds of the footer and of Delta, limits, refusals, memory. Whole files are read back in
 * tests/e2e/test_parquet_peers.py. */
#include "codec/parquet_write.h"

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/str.h"
#include "codec/parquet_int.h"

static struct weir_quota quota;
static struct weir_mem *mem;

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- a file in memory ---- */

struct sink {
    struct weir_buf buf;
    int fail_at; /* the n-th write is refused; 0: none */
    int writes;
};

static weir_rc
sink_write(void *self, const void *p, size_t n, struct weir_error *err)
{
    struct sink *s = self;

    if (++s->writes == s->fail_at)
        return weir_fail(err, WEIR_IO, "disk full");
    weir_buf_add(&s->buf, p, n);
    return weir_buf_check(&s->buf, err);
}

static struct weir_field
field(const char *name, const struct weir_type *type, bool nullable)
{
    return (struct weir_field){
        .name = name, .name_len = (uint32_t)strlen(name), .nullable = nullable, .type = type};
}

static const struct weir_type *
one_column(const struct weir_type *type, bool nullable)
{
    struct weir_field f = field("c", type, nullable);

    return weir_type_struct(mem, &f, 1);
}

static struct weir_parquet *
writer(const struct weir_type *schema, struct sink *s, const struct weir_parquet_options *opt)
{
    static const struct weir_parquet_options none = {0};
    struct weir_error err = {0};
    struct weir_parquet *w;

    s->buf = (struct weir_buf)WEIR_BUF(64 * WEIR_MIB);
    assert_int_equal(weir_parquet_new(schema, opt != NULL ? opt : &none,
                                      (struct weir_parquet_out){s, sink_write}, &quota, &w, &err),
                     WEIR_OK);
    return w;
}

static struct weir_page *
page_of(const struct weir_type *schema, uint32_t rows)
{
    struct weir_error err = {0};
    struct weir_page *page;

    assert_int_equal(weir_page_new(schema, &quota, &page, &err), WEIR_OK);
    page->rows = rows;
    return page;
}

/* ---- Thrift ---- */

static void
thrift_bytes_are_those_of_the_compact_protocol(void **state)
{
    struct weir_buf buf = WEIR_BUF(1000);
    struct weir_thrift t = {.buf = &buf};
    static const uint8_t want[] = {
        0x15, 0x02,             /* field 1: i32 1 */
        0x26, 0xac, 0x02,       /* field 3: i64 150 */
        0x15, 0x01,             /* field 4: i32 -1 */
        0x18, 0x02, 'a',  'b',  /* field 5: binary */
        0x11,                   /* field 6: true */
        0x12,                   /* field 7: false */
        0x13, 0xf8,             /* field 8: byte -8 */
        0x14, 0xff, 0xff, 0x03, /* field 9: i16 -32768 */
        0x19, 0x25, 0x00, 0x06, /* field 10: list of 2 i32: 0, 3 */
        0x05, 0x80, 0x01, 0x02, /* field 64: i32 1, the id written out */
        0x1c, 0x16, 0x00, 0x00, /* field 65: a struct with field 1: i64 0 */
        0x19, 0xf8, 0x0f,       /* field 66: list of 15 binaries */
    };

    (void)state;
    weir_thrift_open(&t);
    weir_thrift_i32(&t, 1, 1);
    weir_thrift_i64(&t, 3, 150);
    weir_thrift_i32(&t, 4, -1);
    weir_thrift_binary(&t, 5, "ab", 2);
    weir_thrift_bool(&t, 6, true);
    weir_thrift_bool(&t, 7, false);
    weir_thrift_byte(&t, 8, -8);
    weir_thrift_i16(&t, 9, INT16_MIN);
    weir_thrift_list(&t, 10, WEIR_THRIFT_I32, 2);
    weir_thrift_put_i32(&t, 0);
    weir_thrift_put_i32(&t, 3);
    weir_thrift_i32(&t, 64, 1);
    weir_thrift_struct(&t, 65);
    weir_thrift_i64(&t, 1, 0);
    weir_thrift_close(&t);
    weir_thrift_list(&t, 66, WEIR_THRIFT_BINARY, 15);
    assert_int_equal(buf.len, sizeof(want));
    assert_memory_equal(buf.data, want, sizeof(want));
    weir_thrift_close(&t);
    assert_int_equal(buf.data[buf.len - 1], 0);
    weir_buf_fini(&buf);
}

/* ---- RLE ---- */

static uint64_t
read_varint(const uint8_t **p)
{
    uint64_t v = 0;
    unsigned shift = 0;

    do
        v |= (uint64_t)(**p & 0x7f) << shift;
    while ((shift += 7) < 64 && *(*p)++ & 0x80);
    return v;
}

/* The plain twin: one bit after the other. Stops at n values; the whole input must be used. */
static void
read_hybrid(const uint8_t *p, size_t len, unsigned width, uint16_t *out, size_t n)
{
    const uint8_t *end = p + len;
    size_t got = 0;

    while (p < end) {
        uint64_t head = read_varint(&p);

        if (head & 1) {
            size_t values = (head >> 1) * 8;

            for (size_t i = 0; i < values; i++, got++) {
                uint16_t v = 0;

                for (unsigned b = 0; b < width; b++)
                    v |= (uint16_t)((p[(i * width + b) / 8] >> ((i * width + b) % 8) & 1) << b);
                if (got < n)
                    out[got] = v;
                else
                    assert_int_equal(v, 0);
            }
            assert_true(got < n + 8);
            p += values * width / 8;
        } else {
            uint16_t v = *p;

            if (width > 8)
                v |= (uint16_t)(p[1] << 8);
            p += (width + 7) / 8;
            for (uint64_t i = 0; i < head >> 1; i++) {
                assert_true(got < n);
                out[got++] = v;
            }
        }
    }
    assert_ptr_equal(p, end);
    assert_true(got >= n);
}

static uint64_t
chance(void)
{
    static uint64_t s = 7;

    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return s;
}

static void
hybrid_reads_back_for_all_widths_and_lengths_of_runs(void **state)
{
    static uint16_t wide[3000], got[3000];
    static uint8_t narrow[3000], out[3000 * 20];

    (void)state;
    for (unsigned round = 0; round < 4000; round++) {
        unsigned width = 1 + round % 16;
        size_t n = chance() % (round < 2000 ? 40 : 3000), len, run = 0;
        uint16_t v = 0;

        for (size_t i = 0; i < n; i++) {
            if (run-- == 0) {
                run = chance() % (1 + (round / 16) % 70);
                v = (uint16_t)(chance() & ((1u << width) - 1));
            }
            wide[i] = v;
            narrow[i] = (uint8_t)v;
        }
        len = weir_rle_u16(wide, n, width, out);
        assert_true(len <= weir_rle_bound(n, width));
        read_hybrid(out, len, width, got, n);
        assert_memory_equal(got, wide, n * 2);
        if (width > 8)
            continue;
        assert_int_equal(weir_rle_u8(narrow, n, width, out + 30000), len);
        assert_memory_equal(out + 30000, out, len);
    }
}

static void
hybrid_bytes_are_as_the_format_shows_them(void **state)
{
    static const uint16_t count[8] = {0, 1, 2, 3, 4, 5, 6, 7}; /* the example of the format's text */
    static const uint8_t packed[] = {0x03, 0x88, 0xc6, 0xfa}, run[] = {0xc8, 0x01, 0x04};
    static uint16_t fours[100];
    uint8_t out[64];

    (void)state;
    assert_int_equal(weir_rle_u16(count, 8, 3, out), sizeof(packed));
    assert_memory_equal(out, packed, sizeof(packed));
    for (int i = 0; i < 100; i++)
        fours[i] = 4;
    assert_int_equal(weir_rle_u16(fours, 100, 3, out), sizeof(run));
    assert_memory_equal(out, run, sizeof(run));
    assert_int_equal(weir_rle_run(100, 4, 3, out), sizeof(run));
    assert_memory_equal(out, run, sizeof(run));
    assert_int_equal(weir_rle_width(0), 0);
    assert_int_equal(weir_rle_width(1), 1);
    assert_int_equal(weir_rle_width(65535), 16);
}

/* ---- levels ---- */

/* A value as text: ~ null, a digit, [..] a list with blanks between, (..) a struct without.
 * Returns the end. */
static const char *parse_value(struct weir_col *col, uint32_t row, const char *t);

/* t: at the bracket of a list of one-letter values, structs and lists. */
static uint32_t
count_elements(const char *t)
{
    uint32_t n = 0;
    int depth = 0;

    do {
        n += depth == 1 && *t != ' ' && *t != ']';
        depth += (*t == '[' || *t == '(') - (*t == ']' || *t == ')');
        t++;
    } while (depth > 0);
    return n;
}

static const char *
parse_list(struct weir_col *col, uint32_t row, const char *t)
{
    struct weir_col *kid = &col->kids[0];
    uint32_t n = count_elements(t), at = kid->len;
    struct weir_error err = {0};

    assert_int_equal(weir_col_room(kid, at + n, &err), WEIR_OK);
    kid->len += n;
    ((struct weir_list *)col->data)[row] = (struct weir_list){at, n};
    t++;
    for (uint32_t i = 0; i < n; i++, t += *t == ' ')
        t = parse_value(kid, at + i, t);
    assert_int_equal(*t, ']');
    return t + 1;
}

static const char *
parse_value(struct weir_col *col, uint32_t row, const char *t)
{
    if (*t == '~') {
        weir_col_set_null(col, row);
        return t + 1;
    }
    weir_col_set_valid(col, row);
    if (*t == '[')
        return parse_list(col, row, t);
    if (*t == '(') {
        t++;
        for (uint32_t i = 0; i < col->nkids; i++)
            t = parse_value(&col->kids[i], row, t);
        assert_int_equal(*t, ')');
        return t + 1;
    }
    ((int32_t *)col->data)[row] = *t - '0';
    return t + 1;
}

enum shape {
    INT,
    INT_REQUIRED,
    LIST,
    LIST_REQUIRED,
    LIST_OF_REQUIRED,
    LIST_LIST,
    STRUCT_INT,
    LIST_STRUCT,
    MAP
};

static const struct weir_type *
shape_type(enum shape shape)
{
    struct weir_field f = field("f", &weir_type_int, true);

    switch (shape) {
    case INT:
    case INT_REQUIRED:
        return &weir_type_int;
    case LIST:
    case LIST_REQUIRED:
        return weir_type_array(mem, &weir_type_int, true);
    case LIST_OF_REQUIRED:
        return weir_type_array(mem, &weir_type_int, false);
    case LIST_LIST:
        return weir_type_array(mem, weir_type_array(mem, &weir_type_int, true), true);
    case STRUCT_INT:
        return weir_type_struct(mem, &f, 1);
    case LIST_STRUCT:
        return weir_type_array(mem, weir_type_struct(mem, &f, 1), true);
    case MAP:
        return weir_type_map(mem, &weir_type_int, &weir_type_int, true);
    }
    return NULL;
}

static const struct levels_case {
    const char *name;
    enum shape shape;
    const char *rows[4];            /* up to NULL */
    const char *def, *rep, *values; /* of the last leaf; a digit each */
} levels_cases[] = {
    {"no nulls", INT, {"1", "2"}, "11", "", "12"},
    {"null", INT, {"1", "~", "3"}, "101", "", "13"},
    {"all null", INT, {"~", "~"}, "00", "", ""},
    {"required", INT_REQUIRED, {"1", "2"}, "", "", "12"},
    {"null list, empty list, list of null, list of one",
     LIST,
     {"~", "[]", "[~]", "[5]"},
     "0123",
     "0000",
     "5"},
    {"lists of two and three", LIST, {"[1 2]", "[3 ~ 4]"}, "33323", "01011", "1234"},
    {"required list", LIST_REQUIRED, {"[]", "[~]", "[5 6]"}, "0122", "0001", "56"},
    {"list of required", LIST_OF_REQUIRED, {"~", "[]", "[5 6]"}, "0122", "0001", "56"},
    {"lists of lists", LIST_LIST, {"[[1 2] [3]]", "[[] ~ [4]]", "~", "[]"}, "55532501", "02101100", "1234"},
    {"null struct, null in a struct", STRUCT_INT, {"~", "(~)", "(7)"}, "012", "", "7"},
    {"structs in lists", LIST_STRUCT, {"[(1) ~ (~)]", "[]", "~"}, "42310", "01100", "1"},
    {"map values", MAP, {"[(11) (2~)]", "[]", "~"}, "3210", "0100", "1"},
};

static void
assert_digits(const char *name, const char *want, const uint8_t *got, size_t n)
{
    char text[64];

    assert_true(n < sizeof(text));
    for (size_t i = 0; i < n; i++)
        text[i] = (char)('0' + got[i]);
    text[n] = '\0';
    if (strcmp(text, want) != 0)
        fail_msg("%s: got %s, want %s", name, text, want);
}

static void
check_levels(const struct levels_case *c, bool masked)
{
    const struct weir_type *schema =
        one_column(shape_type(c->shape), c->shape != INT_REQUIRED && c->shape != LIST_REQUIRED);
    struct sink s = {0};
    struct weir_parquet *w = writer(schema, &s, NULL);
    struct weir_error err = {0};
    struct weir_page *page = page_of(schema, 0);
    struct weir_leaf *leaf;
    char values[16];
    size_t n;

    for (; page->rows < 4 && c->rows[page->rows] != NULL; page->rows++)
        parse_value(&page->cols[0], page->rows, c->rows[page->rows]);
    if (masked && page->cols[0].valid == NULL) { /* the same with a mask that has no nulls */
        weir_col_set_null(&page->cols[0], 0);
        weir_col_set_valid(&page->cols[0], 0);
    }
    assert_int_equal(weir_parquet_append(w, page, NULL, NULL, page->rows, &err), WEIR_OK);
    leaf = &w->leaves[w->nleaves - 1];
    if (leaf->max_def > 0 && leaf->def_flat) {
        for (n = 0; n < strlen(c->def); n++)
            assert_int_equal(c->def[n], '0' + leaf->max_def);
        assert_int_equal(leaf->entries, n);
    } else {
        assert_digits(c->name, c->def, leaf->def.p, leaf->def.len);
    }
    assert_digits(c->name, c->rep, leaf->rep.p, leaf->rep.len);
    n = leaf->idx.len / 2;
    for (size_t i = 0; i < n; i++)
        memcpy(&values[i], leaf->dict.values.p + ((uint16_t *)leaf->idx.p)[i] * 4, 1);
    assert_digits(c->name, c->values, (uint8_t *)values, n);
    weir_parquet_free(w);
    weir_page_free(page);
    weir_buf_fini(&s.buf);
}

static void
levels_are_those_of_the_named_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(levels_cases); i++) {
        check_levels(&levels_cases[i], false);
        check_levels(&levels_cases[i], true);
    }
}

/* ---- bounds of texts ---- */

#define A8 "aaaaaaaa"
#define A31 A8 A8 A8 "aaaaaaa"
#define A32 A8 A8 A8 A8
#define TOP "\xf4\x8f\xbf\xbf" /* U+10FFFF */
#define TOP8 TOP TOP TOP TOP TOP TOP TOP TOP
#define FACE "\xf0\x9f\x98\x80" /* U+1F600 */
#define TIE "\x7f"

static const struct text_case {
    const char *name, *text, *min, *max; /* max NULL: left out */
} text_cases[] = {
    {"empty", "", "", ""},
    {"short", "abc", "abc", "abc"},
    {"32 characters", A32, A32, A32},
    {"a small character is cut", A32 "b", A32, A32 TIE},
    {"a character over U+007F is cut", A32 "\xc3\xbf", A32, A32 TOP},
    {"U+007F is cut", A32 TIE, A32, A32 TOP},
    {"a pair at the border stays whole", A31 FACE "ccc", A31 FACE, A31 FACE TIE},
    {"a pair ends the text at the border", A31 FACE, A31 FACE, A31 FACE},
    {"U+10FFFF joins the prefix", A32 TOP "b", A32, A32 TOP TIE},
    {"two of them", A32 TOP TOP "\xc3\xbf", A32, A32 TOP TOP TOP},
    {"they end the text", A32 TOP TOP, A32, A32 TOP TOP},
    {"sixteen of them end the text", A32 TOP8 TOP8, A32, A32 TOP8 TOP8},
    {"sixteen of them and more", A32 TOP8 TOP8 "b", A32, A32 TOP8 TOP8 TIE},
    {"seventeen are too many", A32 TOP8 TOP8 TOP "b", A32, NULL},
    {"32 pairs: max by UTF-16 units, min by characters", TOP8 TOP8 TOP8 TOP8 "b", TOP8 TOP8 TOP8 TOP8,
     TOP8 TOP8 TOP8 TOP8 TIE},
    {"33 pairs", TOP8 TOP8 TOP8 TOP8 TOP "b", TOP8 TOP8 TOP8 TOP8, NULL},
    {"16 pairs and a small character", TOP8 TOP8 "b", TOP8 TOP8 "b", TOP8 TOP8 TIE},
};

static void
stats_of(const struct weir_type *type, const void *values, const uint64_t *valid, uint32_t n,
         struct weir_colstats *out)
{
    const struct weir_type *schema = one_column(type, true);
    struct sink s = {0};
    struct weir_parquet *w = writer(schema, &s, NULL);
    struct weir_page *page = page_of(schema, n);
    const struct weir_filestats *stats;
    struct weir_error err = {0};

    memcpy(page->cols[0].data, values, n * weir_type_width(type));
    if (valid != NULL) {
        page->cols[0].valid = page->cols[0].mask;
        memcpy(page->cols[0].valid, valid, (n + 63) / 64 * 8);
    }
    assert_int_equal(weir_parquet_append(w, page, NULL, NULL, n, &err), WEIR_OK);
    assert_int_equal(weir_parquet_finish(w, &stats, &err), WEIR_OK);
    assert_int_equal(stats->rows, n);
    assert_int_equal(stats->bytes, s.buf.len);
    *out = stats->cols[0];
    out->field = NULL;
    weir_parquet_free(w);
    weir_page_free(page);
    weir_buf_fini(&s.buf);
}

static void
delta_bounds_of_texts_are_cut_as_spark_cuts_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(text_cases); i++) {
        const struct text_case *c = &text_cases[i];
        struct weir_str v;
        struct weir_colstats cs;

        assert_true(weir_str_copy(mem, c->text, (uint32_t)strlen(c->text), &v));
        stats_of(&weir_type_string, &v, NULL, 1, &cs);
        assert_true(cs.has_minmax);
        if (strcmp(cs.min_text, c->min) != 0 || cs.min_len != strlen(c->min))
            fail_msg("%s: min is %s", c->name, cs.min_text);
        assert_int_equal(cs.has_max_text, c->max != NULL);
        if (c->max != NULL && (strcmp(cs.max_text, c->max) != 0 || cs.max_len != strlen(c->max)))
            fail_msg("%s: max is %s", c->name, cs.max_text);
    }
}

static void
texts_are_ordered_as_unsigned_bytes_whatever_their_length(void **state)
{
    static const char *const texts[] = {
        "b", "a\x01", "a", "\xc3\xa9", "zzzzzzzzzzzzzzzzzz", "zzzzzzzzzzzzzzzzzy", ""};
    struct weir_str v[COUNT(texts)];
    struct weir_colstats cs;

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_true(weir_str_copy(mem, texts[i], (uint32_t)strlen(texts[i]), &v[i]));
    stats_of(&weir_type_string, v, NULL, COUNT(texts), &cs);
    assert_string_equal(cs.min_text, "");
    assert_string_equal(cs.max_text, "\xc3\xa9");
    stats_of(&weir_type_string, v, NULL, 3, &cs);
    assert_string_equal(cs.min_text, "a");
    assert_string_equal(cs.max_text, "b");
    stats_of(&weir_type_string, v + 4, NULL, 2, &cs);
    assert_string_equal(cs.min_text, texts[5]);
    assert_string_equal(cs.max_text, texts[4]);
}

static const struct bound_case {
    const char *name, *text;
    bool is_text;
    const char *min, *max; /* in the footer; max NULL: left out */
} bound_cases[] = {
    {"64 bytes stay", A32 A32, true, A32 A32, A32 A32},
    {"65 are cut and raised", A32 A32 "x", true, A32 A32, A32 A31 "b"},
    {"a cut is made between characters", A32 A31 FACE, true, A32 A31, A32 A8 A8 A8 "aaaaaab"},
    {"a character is raised to a longer one", A32 A31 TIE "x", true, A32 A31 TIE, A32 A31 "\xc2\x80"},
    {"surrogates are leapt over",
     A32 A8 A8 A8 "aaaaa\xed\x9f\xbf"
                  "xx",
     true, A32 A8 A8 A8 "aaaaa\xed\x9f\xbf", A32 A8 A8 A8 "aaaaa\xee\x80\x80"},
    {"U+10FFFF cannot be raised", A32 A8 A8 A8 "aaaa" TOP "x", true, A32 A8 A8 A8 "aaaa" TOP,
     A32 A8 A8 A8 "aaab"},
    {"nothing can be raised", TOP8 TOP8 "x", true, TOP8 TOP8, NULL},
    {"bytes are raised",
     A32 A31 "\xff"
             "x",
     false, A32 A31 "\xff", A32 A8 A8 A8 "aaaaaab"},
};

static void
footer_bounds_are_cut_and_say_so(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bound_cases); i++) {
        const struct bound_case *c = &bound_cases[i];
        const struct weir_leaf leaf = {.phys = WEIR_PHYS_BYTES, .is_text = c->is_text};
        struct weir_buf got = WEIR_BUF(1000), want = WEIR_BUF(1000);
        struct weir_thrift t = {.buf = &got}, u = {.buf = &want};
        struct weir_bounds r;
        struct weir_str v;
        bool exact = strcmp(c->text, c->min) == 0;

        assert_true(weir_str_copy(mem, c->text, (uint32_t)strlen(c->text), &v));
        weir_bounds_reset(&r);
        weir_bounds_add(&r, WEIR_PHYS_BYTES, &v, 1);
        weir_thrift_open(&t);
        weir_bounds_thrift(&r, &leaf, 5, &t, 12);
        weir_thrift_open(&u);
        weir_thrift_struct(&u, 12);
        weir_thrift_i64(&u, 3, 5);
        if (c->max != NULL)
            weir_thrift_binary(&u, 5, c->max, strlen(c->max));
        weir_thrift_binary(&u, 6, c->min, strlen(c->min));
        if (c->max != NULL)
            weir_thrift_bool(&u, 7, exact);
        weir_thrift_bool(&u, 8, exact);
        weir_thrift_close(&u);
        if (got.len != want.len || memcmp(got.data, want.data, got.len) != 0)
            fail_msg("%s: %.*s", c->name, (int)got.len, got.data);
        weir_buf_fini(&got);
        weir_buf_fini(&want);
    }
}

/* ---- bounds of numbers ---- */

static void
delta_bounds_of_doubles_know_nan_and_zero(void **state)
{
    static const struct {
        double v[3], min, max;
        bool nan;
    } cases[] = {
        {{1, -2, 3}, -2, 3, false},
        {{-0.0, -0.0, -0.0}, 0, 0, false},
        {{NAN, 1, 2}, 1, NAN, true},
        {{NAN, NAN, NAN}, NAN, NAN, true},
        {{-INFINITY, 0, INFINITY}, -INFINITY, INFINITY, false},
        {{INFINITY, INFINITY, INFINITY}, INFINITY, INFINITY, false},
    };
    struct weir_colstats cs;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        float f[3] = {(float)cases[i].v[0], (float)cases[i].v[1], (float)cases[i].v[2]};

        for (int narrow = 0; narrow < 2; narrow++) {
            stats_of(narrow ? &weir_type_float : &weir_type_double,
                     narrow ? (void *)f : (const void *)cases[i].v, NULL, 3, &cs);
            assert_true(cs.has_minmax);
            assert_int_equal(cs.has_nan, cases[i].nan);
            assert_true(isnan(cases[i].min) ? isnan(cs.min.d) : cs.min.d == cases[i].min);
            assert_true(isnan(cases[i].max) ? isnan(cs.max.d) : cs.max.d == cases[i].max);
            assert_false(cs.min.d == 0 && signbit(cs.min.d));
            assert_false(cs.max.d == 0 && signbit(cs.max.d));
        }
    }
}

static void
delta_bounds_exist_only_for_kinds_with_an_order_and_values(void **state)
{
    const struct weir_type *dec4 = weir_type_decimal(mem, 4, 2), *dec20 = weir_type_decimal(mem, 20, 2);
    static const int64_t longs[] = {5, INT64_MIN, INT64_MAX};
    static const int32_t dates[] = {5, -719162, 7};
    static const int8_t bytes[] = {-128, 127, 0};
    static const int16_t shorts[] = {-9999, 9999, 0};
    static const uint8_t bools[] = {0, 1, 1};
    const weir_i128 big[] = {-1, (weir_i128)1 << 64, 3};
    const struct weir_str blob = weir_str_of("abc", 3);
    const uint64_t none = 0, first = 1;
    struct weir_colstats cs;

    (void)state;
    stats_of(&weir_type_long, longs, NULL, 3, &cs);
    assert_true(cs.has_minmax && cs.min.i == INT64_MIN && cs.max.i == INT64_MAX && cs.nulls == 0);
    stats_of(&weir_type_long, longs, &first, 3, &cs);
    assert_true(cs.has_minmax && cs.min.i == 5 && cs.max.i == 5 && cs.nulls == 2);
    stats_of(&weir_type_long, longs, &none, 3, &cs);
    assert_true(!cs.has_minmax && cs.nulls == 3);
    stats_of(&weir_type_date, dates, NULL, 3, &cs);
    assert_true(cs.has_minmax && cs.min.i == -719162 && cs.max.i == 7);
    stats_of(&weir_type_byte, bytes, NULL, 3, &cs);
    assert_true(cs.has_minmax && cs.min.i == -128 && cs.max.i == 127);
    stats_of(dec4, shorts, NULL, 3, &cs);
    assert_true(cs.has_minmax && cs.min.dec == -9999 && cs.max.dec == 9999);
    stats_of(dec20, big, NULL, 3, &cs);
    assert_true(cs.has_minmax && cs.min.dec == -1 && cs.max.dec == big[1]);
    stats_of(&weir_type_boolean, bools, NULL, 3, &cs);
    assert_true(cs.has_minmax && cs.min.i == 0 && cs.max.i == 1 && cs.nulls == 0);
    stats_of(&weir_type_binary, &blob, NULL, 1, &cs);
    assert_true(!cs.has_minmax && cs.nulls == 0);
}

static void
null_counts_follow_parents_in_structs_and_stop_at_lists(void **state)
{
    struct weir_field in[] = {field("a", &weir_type_int, true), field("v", &weir_type_void, true),
                              field("l", weir_type_array(mem, &weir_type_int, true), true)};
    struct weir_field top[] = {field("s", weir_type_struct(mem, in, 3), true),
                               field("n", &weir_type_void, true)};
    const struct weir_type *schema = weir_type_struct(mem, top, 2);
    struct sink s = {0};
    struct weir_parquet *w = writer(schema, &s, NULL);
    struct weir_page *page = page_of(schema, 4);
    struct weir_col *st = &page->cols[0];
    const struct weir_filestats *stats;
    struct weir_error err = {0};

    (void)state;
    memset(st->kids[2].data, 0, 4 * sizeof(struct weir_list)); /* four empty lists */
    weir_col_set_null(st, 0);
    weir_col_set_null(&st->kids[0], 1);
    weir_col_set_null(&st->kids[2], 2);
    assert_int_equal(weir_parquet_append(w, page, NULL, NULL, 4, &err), WEIR_OK);
    assert_int_equal(weir_parquet_finish(w, &stats, &err), WEIR_OK);
    assert_int_equal(stats->ncols, 2);
    assert_int_equal(stats->cols[0].nulls, 1);
    assert_int_equal(stats->cols[0].nkids, 3);
    assert_int_equal(stats->cols[0].kids[0].nulls, 2);
    assert_int_equal(stats->cols[0].kids[1].nulls, 4); /* void: all of them */
    assert_int_equal(stats->cols[0].kids[2].nulls, 2);
    assert_null(stats->cols[0].kids[2].kids);
    assert_false(stats->cols[0].kids[2].has_minmax);
    assert_int_equal(stats->cols[1].nulls, 4);
    weir_parquet_free(w);
    weir_page_free(page);
    weir_buf_fini(&s.buf);
}

/* ---- refusals ---- */

static void
types_that_no_file_holds_are_refused_by_name(void **state)
{
    struct weir_field voids[] = {field("x", &weir_type_void, true)};
    struct weir_field deep[] = {field("x", &weir_type_int, true), field("y", &weir_type_void, true)};
    const struct {
        const struct weir_type *type;
        const char *says;
    } cases[] = {
        {&weir_type_variant, "column c: variant"},
        {&weir_type_void, "all are void"},
        {weir_type_array(mem, &weir_type_void, true), "column c.element: void inside"},
        {weir_type_array(mem, weir_type_struct(mem, deep, 2), true), "column c.element.y: void inside"},
        {weir_type_map(mem, &weir_type_int, &weir_type_void, true), "column c.value: void inside"},
        {weir_type_struct(mem, voids, 1), "column c: a struct without a field"},
        {weir_type_struct(mem, voids, 0), "column c: a struct without a field"},
    };
    struct sink s = {0};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct weir_parquet_options opt = {0};
        struct weir_error err = {0};
        struct weir_parquet *w;

        assert_int_equal(weir_parquet_new(one_column(cases[i].type, true), &opt,
                                          (struct weir_parquet_out){&s, sink_write}, &quota, &w, &err),
                         WEIR_UNSUPPORTED);
        assert_null(w);
        assert_non_null(strstr(err.what, cases[i].says));
    }
    assert_int_equal(atomic_load(&quota.used), 0);
}

static void
a_null_where_none_may_be_names_column_and_row(void **state)
{
    struct weir_field in[] = {field("a", &weir_type_int, false)};
    const struct weir_type *list = weir_type_array(mem, weir_type_struct(mem, in, 1), true);
    const struct weir_type *schema = one_column(list, true);
    struct sink s = {0};
    struct weir_parquet *w = writer(schema, &s, NULL);
    struct weir_page *page = page_of(schema, 3);
    const uint16_t sel[] = {0, 2};
    struct weir_error err = {0};

    (void)state;
    parse_value(&page->cols[0], 0, "[(1) ~]"); /* under a null struct anything may stand */
    weir_col_set_null(&page->cols[0].kids[0].kids[0], 1);
    parse_value(&page->cols[0], 1, "[(~)]"); /* not selected */
    parse_value(&page->cols[0], 2, "[(1) (2) (~)]");
    page->pos[2] = 4711;
    assert_int_equal(weir_parquet_append(w, page, NULL, sel, 2, &err), WEIR_SCHEMA);
    assert_non_null(strstr(err.what, "column c.element.a: null"));
    assert_non_null(strstr(err.where, "row 2 of the page, record at 4711"));
    weir_parquet_free(w);
    weir_page_free(page);
    weir_buf_fini(&s.buf);
}

/* ---- whole files ---- */

static void
a_file_without_rows_is_magic_and_footer(void **state)
{
    struct sink s = {0};
    struct weir_parquet *w = writer(one_column(&weir_type_int, true), &s, NULL);
    const struct weir_filestats *stats;
    struct weir_page *page = page_of(one_column(&weir_type_int, true), 0);
    struct weir_error err = {0};
    uint32_t len;

    (void)state;
    assert_int_equal(weir_parquet_append(w, page, NULL, NULL, 0, &err), WEIR_OK);
    assert_int_equal(weir_parquet_finish(w, &stats, &err), WEIR_OK);
    assert_int_equal(stats->rows, 0);
    assert_int_equal(stats->bytes, s.buf.len);
    assert_false(stats->cols[0].has_minmax);
    assert_memory_equal(s.buf.data, "PAR1", 4);
    assert_memory_equal(s.buf.data + s.buf.len - 4, "PAR1", 4);
    memcpy(&len, s.buf.data + s.buf.len - 8, sizeof(len));
    assert_int_equal(len, s.buf.len - 12);
    weir_parquet_free(w);
    weir_page_free(page);
    weir_buf_fini(&s.buf);
    assert_int_equal(atomic_load(&quota.used), 0);
}

static void
a_giant_record_is_written_and_its_memory_given_back(void **state)
{
    const size_t n = 16 * WEIR_MIB;
    const struct weir_type *schema = one_column(&weir_type_string, false);
    const struct weir_parquet_options opt = {.codec = WEIR_SNAPPY, .row_group_bytes = 1 << 20};
    struct sink s = {0};
    struct weir_parquet *w = writer(schema, &s, &opt);
    struct weir_page *page = page_of(schema, 1);
    const struct weir_filestats *stats;
    struct weir_error err = {0};
    char *text = weir_mem_alloc(mem, n + WEIR_STR_PAD);

    (void)state;
    for (size_t i = 0; i < n; i++)
        text[i] = (char)('a' + chance() % 26);
    ((struct weir_str *)page->cols[0].data)[0] = weir_str_of(text, (uint32_t)n);
    assert_int_equal(weir_parquet_append(w, page, NULL, NULL, 1, &err), WEIR_OK);
    assert_true(s.buf.len > WEIR_MIB); /* the row group is out */
    assert_true(weir_parquet_memory(w) < WEIR_MIB);
    assert_int_equal(weir_parquet_finish(w, &stats, &err), WEIR_OK);
    assert_int_equal(stats->cols[0].min_len, 32);
    weir_parquet_free(w);
    weir_page_free(page);
    weir_buf_fini(&s.buf);
}

/* Rows of a long that differ all, and of a text of three values. */
static void
fill_orders(struct weir_page *page, int64_t from)
{
    static const char *const status[] = {"new", "paid", "a status of more than twelve bytes"};

    for (uint32_t i = 0; i < page->cap; i++) {
        const char *text = status[(from + i) % 3];

        ((int64_t *)page->cols[0].data)[i] = (from + i) * 1000003;
        ((struct weir_str *)page->cols[1].data)[i] = weir_str_of(text, (uint32_t)strlen(text));
    }
    page->rows = page->cap;
}

static const struct weir_type *
orders(void)
{
    struct weir_field top[] = {field("id", &weir_type_long, true), field("status", &weir_type_string, true)};

    return weir_type_struct(mem, top, 2);
}

static void
dictionaries_are_kept_where_they_help_and_left_where_not(void **state)
{
    const struct weir_parquet_options opt = {.page_rows = 2048};
    struct sink s = {0};
    struct weir_parquet *w = writer(orders(), &s, &opt);
    struct weir_page *page = page_of(orders(), 0);
    struct weir_error err = {0};

    (void)state;
    for (int i = 0; i < 10; i++) {
        fill_orders(page, i * 2048);
        assert_int_equal(weir_parquet_append(w, page, NULL, NULL, page->rows, &err), WEIR_OK);
    }
    assert_int_equal(w->leaves[0].dict_pages, 0);
    assert_int_equal(w->leaves[0].plain_pages, 10);
    assert_int_equal(w->leaves[0].dict.n, 0);
    assert_int_equal(w->leaves[1].dict_pages, 10);
    assert_int_equal(w->leaves[1].plain_pages, 0);
    assert_int_equal(w->leaves[1].dict.n, 3);
    weir_parquet_free(w);
    weir_page_free(page);
    weir_buf_fini(&s.buf);
}

static void
a_dictionary_that_fills_late_is_followed_by_plain_pages(void **state)
{
    struct sink s = {0};
    const struct weir_parquet_options opt = {.row_group_bytes = 1 << 30};
    struct weir_parquet *w = writer(one_column(&weir_type_int, false), &s, &opt);
    struct weir_page *page = page_of(one_column(&weir_type_int, false), 2048);
    const struct weir_filestats *stats;
    struct weir_error err = {0};
    int32_t *v = page->cols[0].data;

    (void)state;
    for (int p = 0; p < 100; p++) { /* few values first, then all new */
        for (int i = 0; i < 2048; i++)
            v[i] = p < 40 ? i % 100 : p * 2048 + i;
        assert_int_equal(weir_parquet_append(w, page, NULL, NULL, 2048, &err), WEIR_OK);
    }
    assert_true(w->leaves[0].dict_pages >= 4);
    assert_true(w->leaves[0].plain_pages >= 1);
    assert_false(w->leaves[0].dict_on);
    assert_true(w->leaves[0].dict.n <= WEIR_DICT_MAX);
    assert_int_equal(weir_parquet_finish(w, &stats, &err), WEIR_OK);
    assert_int_equal(stats->cols[0].max.i, 100 * 2048 - 1);
    assert_int_equal(stats->cols[0].min.i, 0);
    weir_parquet_free(w);
    weir_page_free(page);
    weir_buf_fini(&s.buf);
}

static void
values_chosen_to_collide_end_the_dictionary_soon(void **state)
{
    struct sink s = {0};
    struct weir_parquet *w = writer(one_column(&weir_type_long, false), &s, NULL);
    struct weir_page *page = page_of(one_column(&weir_type_long, false), 2048);
    struct weir_error err = {0};
    uint64_t inverse = 1;

    (void)state;
    for (int i = 0; i < 6;
         i++) /* of the multiplier, modulo 2^64: its products then agree in their upper bits */
        inverse *= 2 - UINT64_C(0x9e3779b97f4a7c15) * inverse;
    for (uint64_t i = 0; i < 2048; i++)
        ((uint64_t *)page->cols[0].data)[i] = inverse * i;
    assert_int_equal(weir_parquet_append(w, page, NULL, NULL, 2048, &err), WEIR_OK);
    assert_false(w->leaves[0].dict_on);
    weir_parquet_free(w);
    weir_page_free(page);
    weir_buf_fini(&s.buf);
}

static void
memory_stays_within_the_row_group_and_is_all_given_back(void **state)
{
    const struct weir_parquet_options opt = {.codec = WEIR_SNAPPY, .row_group_bytes = 2 << 20};
    struct sink s = {0};
    struct weir_parquet *w = writer(orders(), &s, &opt);
    struct weir_page *page = page_of(orders(), 0);
    const struct weir_filestats *stats;
    struct weir_error err = {0};
    uint64_t most = 0, others = atomic_load(&quota.used) - weir_parquet_memory(w); /* the page's */

    (void)state;
    for (int i = 0; i < 400; i++) {
        fill_orders(page, i * 2048);
        assert_int_equal(weir_parquet_append(w, page, NULL, NULL, page->rows, &err), WEIR_OK);
        most = most > weir_parquet_memory(w) ? most : weir_parquet_memory(w);
        assert_int_equal(weir_parquet_memory(w), atomic_load(&quota.used) - others);
    }
    assert_true(w->ngroups >= 3);
    assert_true(most < (3 << 20)); /* the row group, a page of scratch, snappy's own */
    assert_int_equal(weir_parquet_finish(w, &stats, &err), WEIR_OK);
    weir_parquet_free(w);
    weir_page_free(page);
    weir_buf_fini(&s.buf);
    assert_int_equal(atomic_load(&quota.used), 0);
}

static void
a_full_quota_is_an_error_at_any_step_and_leaks_nothing(void **state)
{
    (void)state;
    for (uint64_t limit = 0; limit < 700000; limit = limit * 5 / 4 + 1000) {
        const struct weir_parquet_options opt = {.codec = limit & 1 ? WEIR_ZSTD : WEIR_SNAPPY};
        struct weir_quota small;
        struct sink s = {0};
        struct weir_parquet *w;
        struct weir_page *page = page_of(orders(), 0);
        const struct weir_filestats *stats;
        struct weir_error err = {0};
        weir_rc rc;

        weir_quota_init(&small, NULL, "small", limit);
        s.buf = (struct weir_buf)WEIR_BUF(64 * WEIR_MIB);
        rc = weir_parquet_new(orders(), &opt, (struct weir_parquet_out){&s, sink_write}, &small, &w, &err);
        for (int i = 0; rc == WEIR_OK && i < 30; i++) {
            fill_orders(page, i * 2048);
            rc = weir_parquet_append(w, page, NULL, NULL, page->rows, &err);
        }
        if (rc == WEIR_OK)
            rc = weir_parquet_finish(w, &stats, &err);
        assert_int_equal(rc, WEIR_NOMEM);
        weir_parquet_free(w);
        assert_int_equal(atomic_load(&small.used), 0);
        weir_page_free(page);
        weir_buf_fini(&s.buf);
    }
}

static void
a_write_that_fails_is_reported_from_wherever_it_is(void **state)
{
    (void)state;
    for (int at = 1;; at++) {
        const struct weir_parquet_options opt = {.codec = WEIR_SNAPPY, .row_group_bytes = 100000};
        struct sink s = {.fail_at = at};
        struct weir_parquet *w = writer(orders(), &s, &opt);
        struct weir_page *page = page_of(orders(), 0);
        const struct weir_filestats *stats;
        struct weir_error err = {0};
        weir_rc rc = WEIR_OK;

        for (int i = 0; rc == WEIR_OK && i < 20; i++) {
            fill_orders(page, i * 2048);
            rc = weir_parquet_append(w, page, NULL, NULL, page->rows, &err);
        }
        if (rc == WEIR_OK)
            rc = weir_parquet_finish(w, &stats, &err);
        weir_parquet_free(w);
        weir_page_free(page);
        weir_buf_fini(&s.buf);
        if (rc == WEIR_OK) {
            assert_true(at > 10 && s.writes < at);
            return;
        }
        assert_int_equal(rc, WEIR_IO);
        assert_string_equal(err.what, "disk full");
    }
}

static void
columns_are_found_by_the_map_and_rows_by_the_selection(void **state)
{
    struct weir_field top[] = {field("status", &weir_type_string, true), field("id", &weir_type_long, true)};
    const struct weir_type *turned = weir_type_struct(mem, top, 2);
    const uint16_t map[] = {1, 0}, sel[] = {3, 5, 2047}, run[] = {7, 8, 9};
    struct sink s = {0};
    struct weir_parquet *w = writer(turned, &s, NULL);
    struct weir_page *page = page_of(orders(), 0);
    const struct weir_filestats *stats;
    struct weir_error err = {0};

    (void)state;
    fill_orders(page, 0);
    assert_int_equal(weir_parquet_append(w, page, map, sel, 3, &err), WEIR_OK);
    assert_int_equal(weir_parquet_append(w, page, map, run, 3, &err), WEIR_OK);
    assert_int_equal(weir_parquet_finish(w, &stats, &err), WEIR_OK);
    assert_int_equal(stats->rows, 6);
    assert_string_equal(stats->cols[0].min_text, "a status of more than twelve byt");
    assert_string_equal(stats->cols[0].max_text, "paid");
    assert_int_equal(stats->cols[1].min.i, 3 * 1000003);
    assert_int_equal(stats->cols[1].max.i, INT64_C(2047) * 1000003);
    weir_parquet_free(w);
    weir_page_free(page);
    weir_buf_fini(&s.buf);
}

static int
setup(void **state)
{
    (void)state;
    weir_quota_init(&quota, NULL, "test", UINT64_MAX);
    mem = weir_mem_new(NULL, NULL, "test");
    return mem == NULL;
}

static int
teardown(void **state)
{
    (void)state;
    weir_mem_free(mem);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thrift_bytes_are_those_of_the_compact_protocol),
        cmocka_unit_test(hybrid_reads_back_for_all_widths_and_lengths_of_runs),
        cmocka_unit_test(hybrid_bytes_are_as_the_format_shows_them),
        cmocka_unit_test(levels_are_those_of_the_named_cases),
        cmocka_unit_test(delta_bounds_of_texts_are_cut_as_spark_cuts_them),
        cmocka_unit_test(texts_are_ordered_as_unsigned_bytes_whatever_their_length),
        cmocka_unit_test(footer_bounds_are_cut_and_say_so),
        cmocka_unit_test(delta_bounds_of_doubles_know_nan_and_zero),
        cmocka_unit_test(delta_bounds_exist_only_for_kinds_with_an_order_and_values),
        cmocka_unit_test(null_counts_follow_parents_in_structs_and_stop_at_lists),
        cmocka_unit_test(types_that_no_file_holds_are_refused_by_name),
        cmocka_unit_test(a_null_where_none_may_be_names_column_and_row),
        cmocka_unit_test(a_file_without_rows_is_magic_and_footer),
        cmocka_unit_test(a_giant_record_is_written_and_its_memory_given_back),
        cmocka_unit_test(dictionaries_are_kept_where_they_help_and_left_where_not),
        cmocka_unit_test(a_dictionary_that_fills_late_is_followed_by_plain_pages),
        cmocka_unit_test(values_chosen_to_collide_end_the_dictionary_soon),
        cmocka_unit_test(memory_stays_within_the_row_group_and_is_all_given_back),
        cmocka_unit_test(a_full_quota_is_an_error_at_any_step_and_leaks_nothing),
        cmocka_unit_test(a_write_that_fails_is_reported_from_wherever_it_is),
        cmocka_unit_test(columns_are_found_by_the_map_and_rows_by_the_selection),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
