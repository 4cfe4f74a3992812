/* For tests of the JSON format: bytes in, rows as JSON text out, as Spark's to_json prints them with nulls kept. */
#ifndef TESTS_JSON_HELP_H
#define TESTS_JSON_HELP_H

#pragma GCC diagnostic ignored "-Wunused-function" /* no test uses all of it */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/str.h"
#include "codec/format.h"
#include "codec/json_int.h"
#include "column/text.h"

/* ---- Rows as text */

static void render_slot(const struct weir_col *col, uint32_t row, struct weir_buf *buf);

static void
render_struct(const struct weir_type *type, const struct weir_col *cols, uint32_t row, struct weir_buf *buf)
{
    weir_buf_byte(buf, '{');
    for (uint32_t i = 0; i < type->nfields; i++) {
        if (i > 0)
            weir_buf_byte(buf, ',');
        weir_buf_json(buf, type->fields[i].name, type->fields[i].name_len);
        weir_buf_byte(buf, ':');
        render_slot(&cols[i], row, buf);
    }
    weir_buf_byte(buf, '}');
}

static void
render_list(const struct weir_col *col, uint32_t row, struct weir_buf *buf)
{
    const struct weir_list *list = (const struct weir_list *)col->data + row;
    const struct weir_col *child = &col->kids[0];
    bool map = col->type->kind == WEIR_MAP;

    assert_true(list->at + list->n <= child->len);
    weir_buf_byte(buf, map ? '{' : '[');
    for (uint64_t i = 0; i < list->n; i++) {
        uint32_t at = (uint32_t)(list->at + i);

        if (i > 0)
            weir_buf_byte(buf, ',');
        if (map) {
            render_slot(&child->kids[0], at, buf);
            weir_buf_byte(buf, ':');
        }
        render_slot(map ? &child->kids[1] : child, at, buf);
    }
    weir_buf_byte(buf, map ? '}' : ']');
}

static void
render_base64(const struct weir_str *s, struct weir_buf *buf)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *p = (const unsigned char *)weir_str_ptr(s);

    weir_buf_byte(buf, '"');
    for (uint32_t i = 0; i < s->len; i += 3) {
        uint32_t left = s->len - i;
        uint32_t v = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) | (left > 2 ? p[i + 2] : 0);

        weir_buf_byte(buf, digits[v >> 18]);
        weir_buf_byte(buf, digits[v >> 12 & 63]);
        weir_buf_byte(buf, left > 1 ? digits[v >> 6 & 63] : '=');
        weir_buf_byte(buf, left > 2 ? digits[v & 63] : '=');
    }
    weir_buf_byte(buf, '"');
}

static void
render_scalar(const struct weir_col *col, uint32_t row, struct weir_buf *buf)
{
    char text[64];
    size_t n = 0;
    bool quotes = false;

    switch (col->type->kind) {
    case WEIR_BOOLEAN:
        n = (size_t)snprintf(text, sizeof(text), "%s", ((const uint8_t *)col->data)[row] ? "true" : "false");
        break;
    case WEIR_BYTE:
        n = (size_t)snprintf(text, sizeof(text), "%d", ((const int8_t *)col->data)[row]);
        break;
    case WEIR_SHORT:
        n = (size_t)snprintf(text, sizeof(text), "%d", ((const int16_t *)col->data)[row]);
        break;
    case WEIR_INT:
        n = (size_t)snprintf(text, sizeof(text), "%d", ((const int32_t *)col->data)[row]);
        break;
    case WEIR_LONG:
        n = (size_t)snprintf(text, sizeof(text), "%lld", (long long)((const int64_t *)col->data)[row]);
        break;
    case WEIR_FLOAT:
        n = weir_float_print(((const float *)col->data)[row], text);
        quotes = text[n - 1] > '9';
        break;
    case WEIR_DOUBLE:
        n = weir_double_print(((const double *)col->data)[row], text);
        quotes = text[n - 1] > '9';
        break;
    case WEIR_DATE:
        n = weir_date_print(((const int32_t *)col->data)[row], text);
        quotes = true;
        break;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
        n = weir_timestamp_print(((const int64_t *)col->data)[row], 6, 'T',
                                 col->type->kind == WEIR_TIMESTAMP ? "Z" : "", text);
        quotes = true;
        break;
    case WEIR_DECIMAL:
        n = weir_decimal_print(weir_decimal_get(col, row), col->type->scale, text);
        break;
    default:
        fail_msg("a scalar of kind %s", weir_kind_name(col->type->kind));
    }
    if (quotes)
        weir_buf_byte(buf, '"');
    weir_buf_add(buf, text, n);
    if (quotes)
        weir_buf_byte(buf, '"');
}

static void
render_slot(const struct weir_col *col, uint32_t row, struct weir_buf *buf)
{
    const struct weir_str *s;

    if (col->type->kind == WEIR_VOID || weir_col_is_null(col, row)) {
        weir_buf_str(buf, "null");
        return;
    }
    switch (col->type->kind) {
    case WEIR_STRUCT:
        render_struct(col->type, col->kids, row, buf);
        break;
    case WEIR_ARRAY:
    case WEIR_MAP:
        render_list(col, row, buf);
        break;
    case WEIR_STRING:
        s = (const struct weir_str *)col->data + row;
        assert_true(weir_utf8_valid(weir_str_ptr(s), s->len));
        weir_buf_json(buf, weir_str_ptr(s), s->len);
        break;
    case WEIR_BINARY:
        render_base64((const struct weir_str *)col->data + row, buf);
        break;
    default:
        render_scalar(col, row, buf);
    }
}

/* ---- A decoder over bytes */

struct bench {
    struct weir_mem *mem;
    struct weir_block_pool *pool;
    struct json_options opt;
    const struct weir_type *schema;
    struct weir_decode_env env;
    void *dec;
    struct weir_page *page;
    struct weir_buf out;      /* a row a line */
    struct weir_count count;  /* of all pages */
    uint32_t page_rows;       /* 0: the page's own */
    size_t block_bytes;       /* 0: all in one block */
    bool unsealed;            /* other bytes stand behind the records */
    bool positions;           /* "offset row" */
    struct weir_error err;
    void (*fill)(struct weir_page *page); /* what is in the page before the decoder comes */
};

static void
bench_new(struct bench *b)
{
    *b = (struct bench){.out = WEIR_BUF(256 * WEIR_MIB)};
    b->mem = weir_mem_new(NULL, NULL, "test");
    assert_int_equal(weir_block_pool_new(NULL, 64 * WEIR_MIB, NULL, &b->pool, &b->err), WEIR_OK);
    b->env.rescued = b->env.corrupt = -1;
}

static void
bench_free(struct bench *b)
{
    weir_json_decoder_free(b->dec);
    weir_page_free(b->page);
    weir_block_pool_free(b->pool);
    weir_buf_fini(&b->out);
    weir_mem_free(b->mem);
}

/* Options as "key=value" texts, NULL at the end. */
static weir_rc
bench_options(struct bench *b, const char *const *options)
{
    struct weir_setting at[32];
    struct weir_settings set = {.at = at};
    struct weir_format_env env = {.zone = &weir_zone_utc, .case_sensitive = true, .max_record_bytes = WEIR_RECORD_MAX,
                                  .mem = b->mem};

    for (; options != NULL && *options != NULL; options++) {
        const char *eq = strchr(*options, '=');

        assert_true(eq != NULL && set.n < 32);
        at[set.n++] = (struct weir_setting){.key = weir_mem_strndup(b->mem, *options, (size_t)(eq - *options)),
                                            .value = weir_mem_strdup(b->mem, eq + 1)};
    }
    WEIR_TRY(weir_options_apply(weir_json_option_table, &b->opt, &set, &b->err));
    return weir_json_prepare(&b->opt, &env, &b->err);
}

/* The schema's columns named rescued and corrupt serve as such. */
static weir_rc
bench_decoder(struct bench *b, const struct weir_type *schema, const char *rescued)
{
    int32_t *source = weir_mem_alloc(b->mem, (schema->nfields + 1) * sizeof(*source));

    b->schema = b->env.schema = schema;
    for (uint32_t i = 0; i < schema->nfields; i++)
        source[i] = 1;
    b->env.source = source;
    b->env.corrupt = weir_field_find(schema, b->opt.corrupt_column, strlen(b->opt.corrupt_column), true);
    b->env.rescued = rescued == NULL ? -1 : weir_field_find(schema, rescued, strlen(rescued), true);
    WEIR_TRY(weir_json_decoder_new(&b->opt, &b->env, &b->dec, &b->err));
    weir_json_decoder_object(b->dec, "file:///in/a.json");
    return weir_page_new(schema, NULL, &b->page, &b->err);
}

static weir_rc
bench_schema(struct bench *b, const char *ddl, const char *rescued)
{
    const struct weir_type *schema;

    WEIR_TRY(weir_schema_parse_ddl(ddl, strlen(ddl), b->mem, &schema, &b->err));
    return bench_decoder(b, schema, rescued);
}

static void
bench_take_page(struct bench *b)
{
    const struct weir_page *page = b->page;

    for (uint32_t row = 0; row < page->rows; row++) {
        if (b->positions)
            weir_buf_printf(&b->out, "%lld ", (long long)page->pos[row]);
        render_struct(page->schema, page->cols, row, &b->out);
        weir_buf_byte(&b->out, '\n');
    }
    b->count.records += page->count.records;
    b->count.rescued += page->count.rescued;
    b->count.corrupt += page->count.corrupt;
    b->count.blank += page->count.blank;
    b->count.dropped += page->count.dropped;
    b->count.lost += page->count.lost;
    assert_int_equal(weir_buf_check(&b->out, &b->err), WEIR_OK);
}

/* Whole records in their block. */
static weir_rc
bench_records(struct bench *b, struct weir_records *in)
{
    weir_rc rc = WEIR_OK, first = WEIR_OK;

    do {
        const char *at = in->at;

        weir_page_reset(b->page);
        if (b->fill != NULL)
            b->fill(b->page);
        b->page->cap = b->page_rows != 0 ? b->page_rows : weir_page_cap(b->schema);
        rc = weir_json_decode(b->dec, in, b->page, &b->err);
        if (rc != WEIR_OK)
            first = rc;
        if (rc != WEIR_OK && rc != WEIR_SCHEMA)
            return rc;
        bench_take_page(b);
        assert_true(in->at > at || in->at == in->end || b->page->rows > 0);
    } while (in->at < in->end);
    return first;
}

static struct weir_block *
bench_block(struct bench *b, const char *p, size_t n)
{
    struct weir_block *block;

    assert_int_equal(weir_block_get(b->pool, n + 64, &block, &b->err), WEIR_OK);
    memcpy(block->data, p, n);
    block->len = n;
    weir_block_seal(block);
    if (b->unsealed)
        memset(block->data + n, '1', WEIR_BLOCK_PAD);
    return block;
}

/* One object, as the reader does it: blocks cut at record borders, the rest carried over. */
static weir_rc
bench_decode(struct bench *b, const char *p, size_t n)
{
    struct weir_cut_state cut = {0};
    size_t at = 0, want = b->block_bytes != 0 ? b->block_bytes : n;
    bool first = true;
    weir_rc rc = WEIR_OK;

    while (at < n) {
        size_t have = n - at < want ? n - at : want, k;
        struct weir_cut_state entry = cut;
        struct weir_records in;
        struct weir_block *block;

        for (;;) {
            k = weir_json_cut(&b->opt, &cut, p + at, have, at + have == n);
            assert_true(k <= have);
            if (k > 0)
                break;
            have = n - at < have + want ? n - at : have + want;
        }
        block = bench_block(b, p + at, k);
        in = (struct weir_records){.at = block->data, .end = block->data + k, .block = block, .offset = (int64_t)at,
                                   .first = first, .last = at + k == n, .entry = entry};
        rc = bench_records(b, &in);
        weir_page_reset(b->page);
        weir_block_put(block);
        if (rc != WEIR_OK && rc != WEIR_SCHEMA)
            return rc;
        first = false;
        at += k;
    }
    return rc;
}

static weir_rc
bench_message(struct bench *b, const char *p, size_t n)
{
    struct weir_block *block = bench_block(b, p, n);
    struct weir_records in = {.at = block->data, .end = block->data + n, .block = block, .first = true, .last = true};
    weir_rc rc = bench_records(b, &in);

    weir_page_reset(b->page);
    weir_block_put(block);
    return rc;
}

static weir_rc
bench_infer(struct bench *b, const char *p, size_t n, bool case_sensitive, const struct weir_type **out)
{
    struct weir_format_traits traits = {0};
    struct weir_block *block = bench_block(b, p, n);
    struct weir_records in = {.at = block->data, .end = block->data + n, .block = block, .first = true, .last = true};
    struct weir_infer *inf = NULL;
    weir_rc rc;

    weir_json_traits(&b->opt, &traits);
    traits.infer.infer_column_types = true;
    traits.infer.case_sensitive = case_sensitive;
    WEIR_GO(weir_infer_new(&traits.infer, NULL, &inf, &b->err));
    WEIR_GO(weir_json_infer(&b->opt, &in, inf, &b->err));
    rc = weir_infer_schema(inf, traits.corrupt_column, b->mem, out, &b->err);
out:
    weir_infer_free(inf);
    weir_block_put(block);
    return rc;
}

#endif
