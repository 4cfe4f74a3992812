/* Where objects are cut must not depend on how the bytes arrive: a cutter that sees all but the last byte and one that
 * sees one byte more at each call agree, and each cut moves on. */
#include "base/limits.h"
#include "codec/json_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
setup(struct json_options *opt, struct weir_mem *mem, uint8_t bits)
{
    struct weir_settings none = {0};
    struct weir_error err = {0};
    struct weir_format_env env = {.zone = &weir_zone_utc, .max_record_bytes = WEIR_MIB, .mem = mem};

    WEIR_ASSERT(weir_options_apply(weir_json_option_table, opt, &none, &err) == WEIR_OK);
    opt->multi_line = bits & 1;
    opt->comments = bits & 2;
    opt->single_quotes = bits & 4;
    opt->line_sep = bits & 8 ? (bits & 16 ? "\n" : "aba") : NULL;
    WEIR_ASSERT(weir_json_prepare(opt, &env, &err) == WEIR_OK);
}

/* The last cut of n bytes, of which each call sees `step` more. */
static size_t
last_cut(const struct json_options *opt, const char *p, size_t n, size_t step)
{
    struct weir_cut_state st = {0};
    size_t from = 0, seen = 0;

    while (seen < n) {
        size_t cut;

        seen = n - seen < step ? n : seen + step;
        cut = weir_json_cut(opt, &st, p + from, seen - from, false);
        WEIR_ASSERT(cut <= seen - from);
        from += cut;
    }
    return from;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_mem *mem;
    struct json_options opt = {0};
    struct weir_cut_state st = {0};
    size_t whole;

    if (size < 2 || size > 4096)
        return 0;
    mem = weir_mem_new(NULL, NULL, "fuzz");
    setup(&opt, mem, data[0]);
    whole = last_cut(&opt, (const char *)data + 1, size - 1, size);
    WEIR_ASSERT(last_cut(&opt, (const char *)data + 1, size - 1, 1) == whole);
    WEIR_ASSERT(last_cut(&opt, (const char *)data + 1, size - 1, 3) == whole);
    WEIR_ASSERT(weir_json_cut(&opt, &st, (const char *)data + 1, size - 1, true) == size - 1);
    weir_mem_free(mem);
    return 0;
}
