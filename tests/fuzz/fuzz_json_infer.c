/* Inference over any bytes, then the same bytes decoded with the schema that came of it. The first byte chooses the
 * options. Two trees over the halves of the lines, merged, give what one tree over all gives. */
#include "base/limits.h"
#include "codec/json_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct setup {
    struct weir_mem *mem;
    struct json_options opt;
    struct weir_infer_options infer;
};

static void
setup_new(struct setup *s, uint8_t bits)
{
    struct weir_settings none = {0};
    struct weir_error err = {0};

    s->mem = weir_mem_new(NULL, NULL, "fuzz");
    struct weir_format_env env = {.zone = &weir_zone_utc, .max_record_bytes = WEIR_MIB, .mem = s->mem};
    WEIR_ASSERT(weir_options_apply(weir_json_option_table, &s->opt, &none, &err) == WEIR_OK);
    s->opt.prefers_decimal = bits & 1;
    s->opt.infer_timestamp = bits & 2;
    s->opt.multi_line = bits & 4;
    s->opt.comments = s->opt.unquoted_names = s->opt.any_escape = bits & 8;
    WEIR_ASSERT(weir_json_prepare(&s->opt, &env, &err) == WEIR_OK);
    s->infer = (struct weir_infer_options){.infer_column_types = !(bits & 16), .primitives_as_string = bits & 32,
                                           .prefers_decimal = bits & 1, .drop_if_all_null = bits & 64,
                                           .case_sensitive = bits & 128};
}

static struct weir_infer *
infer_bytes(struct setup *s, const char *p, size_t n)
{
    struct weir_error err = {0};
    struct weir_infer *inf;
    char *copy = calloc(1, n + WEIR_BLOCK_PAD);
    struct weir_records in = {.at = copy, .end = copy + n, .first = true, .last = true};

    WEIR_ASSERT(copy != NULL && weir_infer_new(&s->infer, NULL, &inf, &err) == WEIR_OK);
    memcpy(copy, p, n);
    WEIR_ASSERT(weir_json_infer(&s->opt, &in, inf, &err) == WEIR_OK);
    WEIR_ASSERT(in.at == in.end);
    free(copy);
    return inf;
}

static void
decode_bytes(struct setup *s, const struct weir_type *schema, const char *p, size_t n)
{
    struct weir_error err = {0};
    int32_t *source = calloc(schema->nfields + 1, sizeof(*source));
    char *copy = calloc(1, n + WEIR_BLOCK_PAD);
    struct weir_records in = {.at = copy, .end = copy + n, .first = true, .last = true};
    struct weir_decode_env env = {.schema = schema, .source = source, .rescued = -1, .corrupt = -1};
    struct weir_page *page;
    void *dec;

    WEIR_ASSERT(source != NULL && copy != NULL);
    for (uint32_t i = 0; i < schema->nfields; i++)
        source[i] = 1;
    memcpy(copy, p, n);
    WEIR_ASSERT(weir_json_decoder_new(&s->opt, &env, &dec, &err) == WEIR_OK);
    WEIR_ASSERT(weir_page_new(schema, NULL, &page, &err) == WEIR_OK);
    while (in.at < in.end) {
        weir_page_reset(page);
        WEIR_ASSERT(weir_json_decode(dec, &in, page, &err) == WEIR_OK);
    }
    weir_page_free(page);
    weir_json_decoder_free(dec);
    free(copy);
    free(source);
}

/* The halves, cut behind a line. */
static void
merge_check(struct setup *s, const struct weir_type *want, const char *p, size_t n)
{
    const char *cut = memchr(p + n / 2, '\n', n - n / 2);
    size_t half = cut == NULL ? n : (size_t)(cut + 1 - p);
    struct weir_infer *a = infer_bytes(s, p, half), *b = infer_bytes(s, p + half, n - half);
    const struct weir_type *got;
    struct weir_error err = {0};

    WEIR_ASSERT(weir_infer_merge(a, b, &err) == WEIR_OK);
    WEIR_ASSERT(weir_infer_schema(a, NULL, s->mem, &got, &err) == WEIR_OK);
    WEIR_ASSERT(weir_type_equal(want, got));
    weir_infer_free(a);
    weir_infer_free(b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *p = (const char *)data + 1;
    const struct weir_type *schema;
    struct weir_error err = {0};
    struct weir_infer *inf;
    struct setup s = {0};

    if (size < 2 || size > 16384)
        return 0;
    setup_new(&s, data[0]);
    inf = infer_bytes(&s, p, size - 1);
    if (weir_infer_schema(inf, NULL, s.mem, &schema, &err) == WEIR_OK) {
        decode_bytes(&s, schema, p, size - 1);
        if (!s.opt.multi_line && memcmp(p, "\xef\xbb\xbf", 3 < size - 1 ? 3 : size - 1) != 0)
            merge_check(&s, schema, p, size - 1);
    }
    weir_infer_free(inf);
    weir_mem_free(s.mem);
    return 0;
}
