/* JSON records under several schemas, options and framings. The first two bytes choose; the rest is the object, cut
 * into blocks as the reader does it. What must hold beyond not crashing: every byte is taken, strings are UTF-8,
 * lists point to slots that are there, and rows do not depend on blocks. */
#include "base/limits.h"
#include "base/str.h"
#include "codec/json_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const schemas[] = {
    "a BIGINT, b STRING, _rescued_data STRING, _corrupt_record STRING",
    "a TINYINT, b DECIMAL(12,2), c DOUBLE, d DATE, t TIMESTAMP, n TIMESTAMP_NTZ, x BINARY, f FLOAT, g BOOLEAN",
    "o STRUCT<p:INT,o:STRUCT<p:STRING,l:ARRAY<INT>>>, l ARRAY<STRUCT<p:INT,l:ARRAY<ARRAY<STRING>>>>, "
    "m MAP<STRING,MAP<STRING,INT>>, _rescued_data STRING",
    "b STRING, m MAP<STRING,ARRAY<STRUCT<p:DECIMAL(38,10)>>>, _corrupt_record STRING",
};
enum { SCHEMAS = sizeof(schemas) / sizeof(schemas[0]) };

/* Made once: most of a run's time would go into them. */
static struct weir_mem *forever;
static const struct weir_type *types[SCHEMAS];
static struct weir_page *pages[SCHEMAS];
static struct weir_block_pool *pool;

struct setup {
    struct weir_mem *mem;
    struct json_options opt;
    struct weir_decode_env env;
    const struct weir_type *schema;
    void *dec;
    struct weir_page *page;
    uint64_t rows, hash; /* of all rows, in order */
};

static void
options_choose(struct json_options *opt, uint8_t bits)
{
    struct weir_settings none = {0};
    struct weir_error err = {0};

    WEIR_ASSERT(weir_options_apply(weir_json_option_table, opt, &none, &err) == WEIR_OK);
    opt->multi_line = bits & 1;
    opt->comments = bits & 2;
    opt->unquoted_names = opt->leading_zeros = bits & 4;
    opt->any_escape = opt->control_chars = bits & 8;
    opt->line_sep = bits & 16 ? (bits & 32 ? "}," : "\n") : NULL;
    opt->mode = bits & 64 ? WEIR_DROPMALFORMED : WEIR_PERMISSIVE;
}

static void
pages_make(void)
{
    struct weir_error err = {0};

    if (forever != NULL)
        return;
    forever = weir_mem_new(NULL, NULL, "fuzz");
    WEIR_ASSERT(weir_block_pool_new(NULL, 64 * WEIR_MIB, NULL, &pool, &err) == WEIR_OK);
    for (int i = 0; i < SCHEMAS; i++) {
        WEIR_ASSERT(weir_schema_parse_ddl(schemas[i], strlen(schemas[i]), forever, &types[i], &err) == WEIR_OK);
        WEIR_ASSERT(weir_page_new(types[i], NULL, &pages[i], &err) == WEIR_OK);
    }
}

static void
setup_new(struct setup *s, uint8_t schema, uint8_t bits)
{
    static const int32_t source[32] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct weir_error err = {0};

    *s = (struct setup){.mem = weir_mem_new(NULL, NULL, "fuzz")};
    options_choose(&s->opt, bits);
    struct weir_format_env env = {.zone = &weir_zone_utc, .case_sensitive = !(schema & 64), .max_record_bytes = WEIR_MIB,
                                  .mem = s->mem};
    WEIR_ASSERT(weir_json_prepare(&s->opt, &env, &err) == WEIR_OK);
    if (schema & 128)
        s->opt.scan = &weir_json_scan_scalar;
    s->schema = types[schema % SCHEMAS];
    s->page = pages[schema % SCHEMAS];
    s->env = (struct weir_decode_env){.schema = s->schema, .source = source, .track_unknown = true,
                                      .message = schema & 32};
    s->env.rescued = weir_field_find(s->schema, "_rescued_data", 13, true);
    s->env.corrupt = weir_field_find(s->schema, "_corrupt_record", 15, true);
    if (s->env.message)
        s->opt.mode = WEIR_PERMISSIVE;
    WEIR_ASSERT(weir_json_decoder_new(&s->opt, &s->env, &s->dec, &err) == WEIR_OK);
    weir_json_decoder_object(s->dec, "file:///in");
}

static void
setup_free(struct setup *s)
{
    weir_json_decoder_free(s->dec);
    weir_mem_free(s->mem);
}

static void
hash_bytes(struct setup *s, const void *p, size_t n)
{
    const unsigned char *b = p;

    for (size_t i = 0; i < n; i++)
        s->hash = (s->hash ^ b[i]) * UINT64_C(1099511628211);
}

static void
slot_check(struct setup *s, const struct weir_col *col, uint32_t row)
{
    const struct weir_str *str = (const struct weir_str *)col->data + row;
    const struct weir_list *list = (const struct weir_list *)col->data + row;

    hash_bytes(s, weir_col_is_null(col, row) ? "n" : "v", 1);
    if (weir_col_is_null(col, row))
        return;
    switch (col->type->kind) {
    case WEIR_STRUCT:
        for (uint32_t i = 0; i < col->nkids; i++)
            slot_check(s, &col->kids[i], row);
        break;
    case WEIR_ARRAY:
    case WEIR_MAP:
        WEIR_ASSERT(list->at + list->n <= col->kids[0].len);
        for (uint64_t i = 0; i < list->n; i++)
            slot_check(s, &col->kids[0], (uint32_t)(list->at + i));
        hash_bytes(s, &list->n, sizeof(list->n));
        break;
    case WEIR_STRING:
        WEIR_ASSERT(weir_utf8_valid(weir_str_ptr(str), str->len));
        hash_bytes(s, weir_str_ptr(str), str->len);
        break;
    case WEIR_BINARY:
        hash_bytes(s, weir_str_ptr(str), str->len);
        break;
    default:
        hash_bytes(s, (const char *)col->data + row * weir_type_width(col->type), weir_type_width(col->type));
    }
}

static void
block_decode(struct setup *s, struct weir_records *in)
{
    struct weir_error err = {0};

    do {
        const char *at = in->at;
        weir_rc rc;

        weir_page_reset(s->page);
        rc = weir_json_decode(s->dec, in, s->page, &err);
        WEIR_ASSERT(rc == WEIR_OK || rc == WEIR_SCHEMA);
        WEIR_ASSERT(in->at > at || in->at == in->end || s->page->rows > 0);
        for (uint32_t row = 0; row < s->page->rows; row++) {
            hash_bytes(s, &s->page->pos[row], sizeof(s->page->pos[row]));
            for (uint32_t c = 0; c < s->page->ncols; c++)
                slot_check(s, &s->page->cols[c], row);
        }
        s->rows += s->page->rows;
    } while (in->at < in->end);
    weir_page_reset(s->page);
}

static void
object_decode(struct setup *s, const char *p, size_t n, size_t want, uint32_t page_rows)
{
    struct weir_cut_state cut = {0};
    size_t at = 0;

    s->page->cap = page_rows;
    while (at < n) {
        struct weir_cut_state entry = cut;
        struct weir_error err = {0};
        struct weir_block *block;
        size_t have = n - at < want ? n - at : want, k = 0;

        while ((k = s->env.message ? n : weir_json_cut(&s->opt, &cut, p + at, have, at + have == n)) == 0)
            have = n - at < have + want ? n - at : have + want;
        WEIR_ASSERT(k <= n - at);
        WEIR_ASSERT(weir_block_get(pool, k, &block, &err) == WEIR_OK);
        memcpy(block->data, p + at, k);
        block->len = k;
        weir_block_seal(block);
        struct weir_records in = {.at = block->data, .end = block->data + k, .block = block, .offset = (int64_t)at,
                                  .first = at == 0, .last = at + k == n, .entry = entry};
        block_decode(s, &in);
        weir_block_put(block);
        at += k;
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct setup whole, parts;

    if (size < 3 || size > 65536)
        return 0;
    pages_make();
    setup_new(&whole, data[0], data[1]);
    object_decode(&whole, (const char *)data + 2, size - 2, size, 64);
    setup_new(&parts, data[0] ^ 128, data[1]);
    object_decode(&parts, (const char *)data + 2, size - 2, 1 + size / 7, 1 + size % 3);
    WEIR_ASSERT(whole.rows == parts.rows && whole.hash == parts.hash);
    setup_free(&whole);
    setup_free(&parts);
    return 0;
}
