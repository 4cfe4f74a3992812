/* Compiling and matching by PCRE2; see regex.h. PCRE2's memory is the arena's, so a quota counts it; only
 * code of its compiler is not, and goes with the arena all the same. */
#include "sql/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
    REGEX_STEPS = 5 * 1000 * 1000, /* calls of PCRE2's match(): about a second */
    REGEX_HEAP_KIB = 16 * 1024,
};

struct weir_regex {
    pcre2_code *code;
    struct weir_java_regex info;
    struct weir_slice java;
};

static void *
arena_alloc(size_t n, void *mem)
{
    return weir_mem_alloc(mem, n);
}

static void
arena_free(void *p, void *mem)
{
    (void)p;
    (void)mem;
}

static void
regex_free(void *code)
{
    pcre2_code_free(code);
}

/* Compiles what the translation wrote. PCRE2's own limits are weir's: a pattern that Java would take. */
static weir_rc
code_compile(struct weir_regex *re, const struct weir_buf *text, struct weir_mem *mem, struct weir_error *err)
{
    pcre2_general_context *general = pcre2_general_context_create(arena_alloc, arena_free, mem);
    pcre2_compile_context *context = general == NULL ? NULL : pcre2_compile_context_create(general);
    PCRE2_SIZE at;
    int code;

    if (context == NULL)
        return weir_mem_fail(mem, sizeof(*re), err);
    re->code = pcre2_compile((PCRE2_SPTR)(text->len == 0 ? "" : text->data), text->len,
                             PCRE2_UTF | PCRE2_NO_UTF_CHECK, &code, &at, context);
    if (re->code == NULL) {
        PCRE2_UCHAR why[160] = "";

        pcre2_get_error_message(code, why, sizeof(why));
        if (code == PCRE2_ERROR_NOMEMORY || code == 121 /* failed to allocate heap memory */)
            return weir_mem_fail(mem, text->len, err);
        return weir_fail(err, WEIR_UNSUPPORTED, "the regular expression '%.*s': %s",
                         (int)(re->java.len < 120 ? re->java.len : 120), re->java.ptr, (const char *)why);
    }
    (void)pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE); /* without it matching is slower, no more */
    if (!weir_mem_on_free(mem, regex_free, re->code)) {
        pcre2_code_free(re->code);
        return weir_mem_fail(mem, sizeof(*re), err);
    }
    return WEIR_OK;
}

weir_rc
weir_regex_compile(struct weir_slice java, struct weir_mem *mem, struct weir_regex **out,
                   struct weir_error *err)
{
    struct weir_buf text = WEIR_BUF(16 * REGEX_TEXT_MAX);
    struct weir_regex *re;
    weir_rc rc = WEIR_OK;

    text.q = weir_mem_quota(mem);
    WEIR_NEW(re, mem, sizeof(*re));
    re->java.len = java.len;
    if ((re->java.ptr = weir_mem_strndup(mem, java.ptr, java.len)) == NULL)
        WEIR_GO(weir_mem_fail(mem, java.len, err));
    WEIR_GO(weir_regex_translate(re->java, &re->info, &text, err));
    WEIR_GO(code_compile(re, &text, mem, err));
    *out = re;
out:
    weir_buf_fini(&text);
    return rc;
}

uint32_t
weir_regex_groups(const struct weir_regex *re)
{
    return re->info.groups;
}

uint32_t
weir_regex_group_find(const struct weir_regex *re, struct weir_slice name)
{
    for (uint32_t i = 0; i < re->info.nnames; i++)
        if (re->info.names[i].len == name.len && memcmp(re->info.names[i].name, name.ptr, name.len) == 0)
            return re->info.names[i].group;
    return 0;
}

struct match_data {
    pcre2_match_data *match;
    pcre2_match_context *context;
};

weir_rc
weir_match_new(const struct weir_regex *re, struct weir_mem *mem, struct weir_match *out,
               struct weir_error *err)
{
    pcre2_general_context *general = pcre2_general_context_create(arena_alloc, arena_free, mem);
    struct match_data *data = weir_mem_zalloc(mem, sizeof(*data));

    if (general == NULL || data == NULL)
        return weir_mem_fail(mem, sizeof(*data), err);
    data->match = pcre2_match_data_create_from_pattern(re->code, general);
    data->context = pcre2_match_context_create(general);
    if (data->match == NULL || data->context == NULL)
        return weir_mem_fail(mem, sizeof(*data), err);
    pcre2_set_match_limit(data->context, REGEX_STEPS);
    pcre2_set_heap_limit(data->context, REGEX_HEAP_KIB);
    out->data = data;
    out->span = pcre2_get_ovector_pointer(data->match);
    return WEIR_OK;
}

weir_rc
weir_regex_find(const struct weir_regex *re, struct weir_match *m, struct weir_slice s, size_t from,
                bool *found, struct weir_error *err)
{
    const struct match_data *data = m->data;
    int n;

    *found = false;
    if (from > s.len)
        return WEIR_OK;
    n = pcre2_match(re->code, (PCRE2_SPTR)s.ptr, s.len, from, PCRE2_NO_UTF_CHECK, data->match, data->context);
    if (n == PCRE2_ERROR_JIT_STACKLIMIT)
        n = pcre2_match(re->code, (PCRE2_SPTR)s.ptr, s.len, from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
                        data->match, data->context);
    if (n == PCRE2_ERROR_NOMATCH)
        return WEIR_OK;
    if (n >= 0) {
        for (uint32_t i = 2 * (uint32_t)n; i < 2 * (re->info.groups + 1); i++)
            m->span[i] = SIZE_MAX;
        *found = true;
        return WEIR_OK;
    }
    weir_fail(err, WEIR_BADDATA, "the regular expression '%.*s' takes too long on a text of %zu bytes",
              (int)(re->java.len < 120 ? re->java.len : 120), re->java.ptr, s.len);
    return weir_error_hint(
        err, "repetitions within repetitions, such as (a+)+, try every way to share out the text");
}

size_t
weir_match_next(const struct weir_match *m, struct weir_slice s)
{
    size_t at = m->span[1];

    if (m->span[0] != m->span[1])
        return at;
    if (at >= s.len)
        return s.len + 1;
    for (at++; at < s.len && (s.ptr[at] & 0xc0) == 0x80;)
        at++;
    return at;
}

size_t
weir_utf16_count(const char *p, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += ((p[i] & 0xc0) != 0x80) + ((unsigned char)p[i] >= 0xf0);
    return count;
}
