/* Functions of regular expressions, split(), and the patterns of LIKE.
 *
 * 1. A pattern that is a constant is compiled once, at binding; others when they change from row to row.
 * 2. Matches follow each other as Java's Matcher.find() has them: the next one begins where the last one
 *    ended, one character further when that was empty.
 * 3. A pattern that Java refuses, or weir, stops the query: no row can be right with it. */
#include "sql/fn_text.h"
#include "sql/regex.h"
#include "sql/unicode_case.h"

/* ---- Patterns */

struct regex_use { /* in one kernel call */
    const struct weir_regex *re;
    struct weir_match match;
    struct weir_slice pattern; /* that re was made of, when it is no constant */
};

/* The pattern is argument 1. A null one is none: every row is null. */
static weir_rc
regex_prepare(const struct weir_call *call, const struct weir_col *const *constants, struct weir_mem *mem,
              const void **data, struct weir_error *err)
{
    struct weir_regex *re = NULL;

    (void)call;
    if (constants[1] != NULL && constants[1]->type->kind == WEIR_STRING && !weir_arg_null(constants[1], 0)) {
        uint32_t len;
        const char *p = weir_arg_str(constants[1], 0, &len);

        WEIR_TRY(weir_regex_compile(weir_slice(p, len), mem, &re, err));
    }
    *data = re;
    return WEIR_OK;
}

/* Makes use ready for the row's pattern. */
static weir_rc
regex_use(struct regex_use *use, const struct fn_row *r)
{
    struct weir_slice pattern;
    struct weir_regex *re;

    if (r->call->data != NULL) {
        if (use->re != NULL)
            return WEIR_OK;
        use->re = r->call->data;
        return weir_match_new(use->re, r->call->mem, &use->match, r->err);
    }
    pattern = row_str(r, 1);
    if (use->re != NULL && pattern.len == use->pattern.len &&
        memcmp(pattern.ptr, use->pattern.ptr, pattern.len) == 0)
        return WEIR_OK;
    WEIR_TRY(weir_regex_compile(pattern, r->call->mem, &re, r->err));
    use->re = re;
    use->pattern = pattern;
    return weir_match_new(re, r->call->mem, &use->match, r->err);
}

typedef weir_rc regex_row_run(const struct fn_row *r, struct regex_use *use);

static weir_rc
regex_rows_run(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
               struct weir_error *err, regex_row_run *run)
{
    struct fn_row r = {.call = call, .args = args, .out = out, .err = err};
    struct regex_use use = {0};

    for (; r.row < rows; r.row++) {
        if (row_has_null(&r)) {
            weir_col_set_null(out, r.row);
            continue;
        }
        WEIR_TRY(regex_use(&use, &r));
        WEIR_TRY(run(&r, &use));
    }
    return WEIR_OK;
}

#define REGEX_KERNEL(name)                                                                                   \
    static weir_rc name##_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows,         \
                                 struct weir_col *out, struct weir_error *err)                               \
    {                                                                                                        \
        return regex_rows_run(call, args, rows, out, err, name##_row);                                       \
    }

static weir_rc
find(const struct fn_row *r, struct regex_use *use, struct weir_slice s, size_t from, bool *found)
{
    return weir_regex_find(use->re, &use->match, s, from, found, r->err);
}

/* A group of the match; one that took no part is an empty text. */
static struct weir_slice
group_text(const struct regex_use *use, struct weir_slice s, uint32_t group)
{
    const size_t *span = use->match.span + (size_t)group * 2;

    return span[0] == SIZE_MAX ? weir_slice("", 0) : weir_slice(s.ptr + span[0], span[1] - span[0]);
}

/* ---- Finding */

static weir_rc
rlike_row(const struct fn_row *r, struct regex_use *use)
{
    bool found;

    WEIR_TRY(find(r, use, row_str(r, 0), 0, &found));
    return row_put_bool(r, found);
}
REGEX_KERNEL(rlike)

static weir_rc
regexp_count_row(const struct fn_row *r, struct regex_use *use)
{
    struct weir_slice s = row_str(r, 0);
    int32_t n = 0;
    bool found;

    for (size_t at = 0;; n++, at = weir_match_next(&use->match, s)) {
        WEIR_TRY(find(r, use, s, at, &found));
        if (!found)
            return row_put_int(r, n);
    }
}
REGEX_KERNEL(regexp_count)

/* Where the first match begins, in Java's units from 1. Spark takes the third argument and has no use for it.
 * */
static weir_rc
regexp_instr_row(const struct fn_row *r, struct regex_use *use)
{
    struct weir_slice s = row_str(r, 0);
    bool found;

    WEIR_TRY(find(r, use, s, 0, &found));
    return row_put_int(r, found ? (int32_t)weir_utf16_count(s.ptr, use->match.span[0]) + 1 : 0);
}
REGEX_KERNEL(regexp_instr)

static weir_rc
regexp_substr_row(const struct fn_row *r, struct regex_use *use)
{
    struct weir_slice s = row_str(r, 0), text;
    bool found;

    WEIR_TRY(find(r, use, s, 0, &found));
    if (!found || use->match.span[0] == use->match.span[1])
        return row_put_null(r);
    text = group_text(use, s, 0);
    return row_put(r, text.ptr, text.len);
}
REGEX_KERNEL(regexp_substr)

/* The group that is asked for, 1 unless said. *ok: there is one; else the row is settled. */
static weir_rc
group_asked(const struct fn_row *r, const struct regex_use *use, uint32_t *group, bool *ok)
{
    int32_t n = row_has(r, 2) ? row_int(r, 2) : 1;

    *ok = n >= 0 && (uint32_t)n <= weir_regex_groups(use->re);
    *group = *ok ? (uint32_t)n : 0;
    if (*ok)
        return WEIR_OK;
    return row_bad(r, "INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX",
                   "%s: the regular expression has %u groups, not %d", "regexp_extract",
                   weir_regex_groups(use->re), n);
}

static weir_rc
regexp_extract_row(const struct fn_row *r, struct regex_use *use)
{
    struct weir_slice s = row_str(r, 0), text;
    uint32_t group;
    bool found, ok;

    WEIR_TRY(find(r, use, s, 0, &found));
    if (!found)
        return row_put(r, "", 0);
    WEIR_TRY(group_asked(r, use, &group, &ok));
    if (!ok)
        return WEIR_OK;
    text = group_text(use, s, group);
    return row_put(r, text.ptr, text.len);
}
REGEX_KERNEL(regexp_extract)

/* ---- Lists of texts */

/* One more element of the row's list, the newest of its child. */
static weir_rc
list_add(const struct fn_row *r, struct weir_slice text)
{
    struct weir_list *list = (struct weir_list *)r->out->data + r->row;
    struct weir_col *child = &r->out->kids[0];

    WEIR_TRY(weir_col_room(child, child->len + 1, r->err));
    WEIR_TRY(weir_out_str(r->call, child, child->len, text.ptr, text.len, r->err));
    child->len++;
    list->n++;
    return WEIR_OK;
}

static void
list_begin(const struct fn_row *r)
{
    ((struct weir_list *)r->out->data)[r->row] = (struct weir_list){r->out->kids[0].len, 0};
}

static weir_rc
regexp_extract_all_row(const struct fn_row *r, struct regex_use *use)
{
    struct weir_slice s = row_str(r, 0);
    uint32_t group;
    bool found, ok;

    list_begin(r);
    for (size_t at = 0;; at = weir_match_next(&use->match, s)) {
        WEIR_TRY(find(r, use, s, at, &found));
        if (!found)
            return WEIR_OK;
        WEIR_TRY(group_asked(r, use, &group, &ok));
        if (!ok)
            return WEIR_OK;
        WEIR_TRY(list_add(r, group_text(use, s, group)));
    }
}
REGEX_KERNEL(regexp_extract_all)

/* By an empty pattern: each character by itself; a limit leaves out those behind it. */
static weir_rc
characters_split(const struct fn_row *r, struct weir_slice s, int32_t limit)
{
    size_t at = 0;

    for (int32_t n = 0; at < s.len && (limit <= 0 || n < limit); n++) {
        uint32_t width = utf8_width((unsigned char)s.ptr[at]);

        WEIR_TRY(list_add(r, weir_slice(s.ptr + at, width)));
        at += width;
    }
    return WEIR_OK;
}

/* Java's String.split(): an empty match at the beginning splits nothing off. */
static weir_rc
split_row(const struct fn_row *r, struct regex_use *use)
{
    struct weir_slice s = row_str(r, 0);
    int32_t limit = row_has(r, 2) ? row_int(r, 2) : -1;
    size_t taken = 0;
    uint64_t n = 0;
    bool found;

    list_begin(r);
    if (s.len > 0 && row_str(r, 1).len == 0)
        return characters_split(r, s, limit);
    for (size_t at = 0; limit <= 0 || n + 1 < (uint64_t)limit; at = weir_match_next(&use->match, s)) {
        WEIR_TRY(find(r, use, s, at, &found));
        if (!found)
            break;
        if (use->match.span[1] == 0)
            continue;
        WEIR_TRY(list_add(r, weir_slice(s.ptr + taken, use->match.span[0] - taken)));
        taken = use->match.span[1];
        n++;
    }
    return list_add(r, weir_slice(s.ptr + taken, s.len - taken));
}
REGEX_KERNEL(split)

/* ---- Replacing */

struct replacement {
    const struct regex_use *use;
    struct weir_slice with, s;
    struct weir_buf *out;
};

static weir_rc
replacement_bad(const struct fn_row *r, const struct replacement *p, const char *why)
{
    return weir_fail(r->err, WEIR_USAGE,
                     "[INVALID_PARAMETER_VALUE] regexp_replace: the replacement '%.*s': %s",
                     WEIR_SHOW(p->with), why);
}

/* Behind the dollar at with.ptr[*i - 1]: a number or {name}. */
static weir_rc
reference_put(const struct fn_row *r, const struct replacement *p, size_t *i)
{
    const char *at = p->with.ptr + *i, *end = p->with.ptr + p->with.len, *close;
    uint32_t group, groups = weir_regex_groups(p->use->re);
    struct weir_slice text;

    if (at < end && *at == '{') {
        close = memchr(at, '}', (size_t)(end - at));
        group = close == NULL
                    ? 0
                    : weir_regex_group_find(p->use->re, weir_slice(at + 1, (size_t)(close - at) - 1));
        if (group == 0)
            return replacement_bad(r, p, "there is no group of that name");
        *i += (size_t)(close - at) + 1;
    } else {
        if (at == end || *at < '0' || *at > '9')
            return replacement_bad(r, p, "a group's number or {name} follows '$'; '\\$' is a dollar");
        group = (uint32_t)(*at - '0');
        if (group > groups)
            return replacement_bad(r, p, "there is no group of that number");
        for (at++, ++*i; at < end && *at >= '0' && *at <= '9' && group * 10 + (uint32_t)(*at - '0') <= groups;
             at++, ++*i)
            group = group * 10 + (uint32_t)(*at - '0');
    }
    text = group_text(p->use, p->s, group);
    weir_buf_add(p->out, text.ptr, text.len);
    return WEIR_OK;
}

/* The replacement of the match at hand. */
static weir_rc
replacement_put(const struct fn_row *r, const struct replacement *p)
{
    for (size_t i = 0; i < p->with.len;) {
        char c = p->with.ptr[i++];

        if (c == '$') {
            WEIR_TRY(reference_put(r, p, &i));
        } else if (c == '\\') {
            if (i == p->with.len)
                return replacement_bad(r, p, "a character follows '\\'");
            weir_buf_byte(p->out, p->with.ptr[i++]);
        } else {
            weir_buf_byte(p->out, c);
        }
    }
    return WEIR_OK;
}

/* The bytes of the first n units of Java's; SIZE_MAX: there are not more than that. */
static size_t
units_bytes(struct weir_slice s, int64_t n)
{
    size_t i = 0;

    while (n > 0 && i < s.len) {
        n -= (unsigned char)s.ptr[i] >= 0xf0 ? 2 : 1;
        i += utf8_width((unsigned char)s.ptr[i]);
    }
    return n > 0 || i == s.len ? SIZE_MAX : i;
}

/* All matches in what lies behind the start, which is a text of its own: ^ matches there. */
static weir_rc
matches_replace(const struct fn_row *r, struct regex_use *use, struct weir_slice s, struct weir_buf *out)
{
    struct replacement p = {.use = use, .with = row_str(r, 2), .s = s, .out = out};
    size_t taken = 0;
    bool found;

    for (size_t at = 0;; at = weir_match_next(&use->match, s)) {
        WEIR_TRY(find(r, use, s, at, &found));
        if (!found)
            break;
        weir_buf_add(out, s.ptr + taken, use->match.span[0] - taken);
        WEIR_TRY(replacement_put(r, &p));
        taken = use->match.span[1];
    }
    weir_buf_add(out, s.ptr + taken, s.len - taken);
    return weir_buf_check(out, r->err);
}

static weir_rc
regexp_replace_row(const struct fn_row *r, struct regex_use *use)
{
    struct weir_slice s = row_str(r, 0);
    int32_t pos = row_has(r, 3) ? row_int(r, 3) : 1;
    size_t start = pos <= 1 ? 0 : units_bytes(s, (int64_t)pos - 1);
    struct weir_buf out;
    weir_rc rc;

    if (pos < 1)
        return weir_fail(r->err, WEIR_USAGE,
                         "[DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE] regexp_replace: the position "
                         "counts from 1, it is %d",
                         pos);
    if (start == SIZE_MAX)
        return row_put(r, s.ptr, s.len);
    weir_buf_init(&out, TEXT_MAX, weir_mem_quota(r->call->mem));
    weir_buf_add(&out, s.ptr, start);
    rc = matches_replace(r, use, weir_slice(s.ptr + start, s.len - start), &out);
    if (rc == WEIR_OK)
        rc = row_put(r, out.len == 0 ? "" : out.data, out.len);
    weir_buf_fini(&out);
    return rc;
}
REGEX_KERNEL(regexp_replace)

/* ---- LIKE */

enum { LIKE_ONE = 0xffffffff, LIKE_ANY = 0xfffffffe }; /* _ and % among code points */

struct like_pattern {
    uint32_t n;
    uint32_t *at;
};

static weir_rc
like_bad(struct weir_error *err, struct weir_slice text, const char *class_, const char *why)
{
    return weir_fail(err, WEIR_USAGE, "[INVALID_FORMAT.%s] the pattern '%.*s': %s", class_, WEIR_SHOW(text),
                     why);
}

/* The escape is one character, a backslash unless said. */
static weir_rc
like_compile(struct weir_slice text, struct weir_slice escape, struct weir_mem *mem, struct like_pattern *out,
             struct weir_error *err)
{
    const char *p = text.ptr, *end = text.ptr + text.len, *e = escape.ptr;
    uint32_t quote;

    if (weir_utf8_count(escape.ptr, escape.len) != 1)
        return weir_fail(err, WEIR_USAGE,
                         "[INVALID_ESCAPE_CHAR] like: the escape '%.*s' is not one character",
                         WEIR_SHOW(escape));
    quote = weir_utf8_get(&e);
    *out = (struct like_pattern){.at = weir_mem_alloc(mem, (text.len + 1) * sizeof(uint32_t))};
    if (out->at == NULL)
        return weir_mem_fail(mem, (text.len + 1) * sizeof(uint32_t), err);
    while (p < end) {
        uint32_t c = weir_utf8_get(&p);

        if (c == quote) {
            if (p == end)
                return like_bad(err, text, "ESC_AT_THE_END", "nothing follows the escape at its end");
            c = weir_utf8_get(&p);
            if (c != '_' && c != '%' && c != quote)
                return like_bad(err, text, "ESC_IN_THE_MIDDLE",
                                "the escape stands before '_', '%' or itself");
        } else if (c == '_') {
            c = LIKE_ONE;
        } else if (c == '%') {
            c = LIKE_ANY;
        }
        if (c != LIKE_ANY || out->n == 0 || out->at[out->n - 1] != LIKE_ANY)
            out->at[out->n++] = c;
    }
    return WEIR_OK;
}

/* A later % makes all choices for an earlier one final, so one place to come back to is enough. */
static bool
like_matches(const struct like_pattern *pattern, struct weir_slice s)
{
    const char *p = s.ptr, *end = s.ptr + s.len, *again = NULL;
    uint32_t i = 0, any = 0;

    while (p < end) {
        const char *next = p;
        uint32_t c = weir_utf8_get(&next);

        if (i < pattern->n && pattern->at[i] == LIKE_ANY) {
            any = ++i;
            again = p;
        } else if (i < pattern->n && (pattern->at[i] == LIKE_ONE || pattern->at[i] == c)) {
            i++;
            p = next;
        } else if (again != NULL) {
            i = any;
            p = again += utf8_width((unsigned char)*again);
        } else {
            return false;
        }
    }
    while (i < pattern->n && pattern->at[i] == LIKE_ANY)
        i++;
    return i == pattern->n;
}

static weir_rc
text_lower(struct weir_slice s, struct weir_mem *mem, struct weir_slice *out, struct weir_error *err)
{
    char *p = weir_mem_alloc(mem, s.len * WEIR_CASE_GROWTH + 1);

    if (p == NULL)
        return weir_mem_fail(mem, s.len * WEIR_CASE_GROWTH, err);
    *out = weir_slice(p, weir_case_lower(s.ptr, s.len, p));
    return WEIR_OK;
}

static weir_rc
like_rows_run(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
              struct weir_error *err, bool fold)
{
    struct fn_row r = {.call = call, .args = args, .out = out, .err = err};
    struct weir_slice last = {NULL, 0}, last_escape = {NULL, 0};
    struct like_pattern pattern = {0};

    for (; r.row < rows; r.row++) {
        struct weir_slice s, text, escape = weir_slice("\\", 1);

        if (row_has_null(&r)) {
            weir_col_set_null(out, r.row);
            continue;
        }
        s = row_str(&r, 0);
        text = row_str(&r, 1);
        escape = row_has(&r, 2) ? row_str(&r, 2) : escape;
        if (last.ptr == NULL || text.len != last.len || memcmp(text.ptr, last.ptr, text.len) != 0 ||
            escape.len != last_escape.len || memcmp(escape.ptr, last_escape.ptr, escape.len) != 0) {
            last = text;
            last_escape = escape;
            if (fold)
                WEIR_TRY(text_lower(text, call->mem, &text, err));
            WEIR_TRY(like_compile(text, escape, call->mem, &pattern, err));
        }
        if (fold)
            WEIR_TRY(text_lower(s, call->mem, &s, err));
        row_put_bool(&r, like_matches(&pattern, s));
    }
    return WEIR_OK;
}

static weir_rc
like_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
            struct weir_error *err)
{
    return like_rows_run(call, args, rows, out, err, false);
}

static weir_rc
ilike_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
             struct weir_error *err)
{
    return like_rows_run(call, args, rows, out, err, true);
}

/* A constant pattern is looked at now, so that a bad one is told before the first row. */
static weir_rc
like_prepare(const struct weir_call *call, const struct weir_col *const *constants, struct weir_mem *mem,
             const void **data, struct weir_error *err)
{
    struct weir_slice text[2] = {{NULL, 0}, {"\\", 1}};
    struct like_pattern pattern;

    *data = NULL;
    for (uint32_t i = 0; i < 2 && i + 1 < call->nargs; i++) {
        uint32_t len;

        if (constants[i + 1] == NULL || constants[i + 1]->type->kind != WEIR_STRING ||
            weir_arg_null(constants[i + 1], 0))
            return WEIR_OK;
        text[i].ptr = weir_arg_str(constants[i + 1], 0, &len);
        text[i].len = len;
    }
    return like_compile(text[0], text[1], mem, &pattern, err);
}

/* ---- The table */

static weir_rc regex_resolve(struct weir_resolve *r, struct weir_error *err);

#define FUNCTIONS(F)                                                                                         \
    F(ilike, 2, 3, "z:sss?", ilike, like_prepare, SIGNATURE_NEVER_NULL | SIGNATURE_MAY_FAIL)                 \
    F(like, 2, 3, "z:sss?", like, like_prepare, SIGNATURE_NEVER_NULL | SIGNATURE_MAY_FAIL)                   \
    F(regexp, 2, 2, "z:ss", rlike, regex_prepare, SIGNATURE_NEVER_NULL | SIGNATURE_MAY_FAIL)                 \
    F(regexp_count, 2, 2, "i:ss", regexp_count, regex_prepare, SIGNATURE_NEVER_NULL | SIGNATURE_MAY_FAIL)    \
    F(regexp_extract, 2, 3, "s:ssi?", regexp_extract, regex_prepare, SIGNATURE_MAY_FAIL)                     \
    F(regexp_extract_all, 2, 3, "a:ssi?", regexp_extract_all, regex_prepare, SIGNATURE_MAY_FAIL)             \
    F(regexp_instr, 2, 3, "i:ssi?", regexp_instr, regex_prepare, SIGNATURE_NEVER_NULL | SIGNATURE_MAY_FAIL)  \
    F(regexp_like, 2, 2, "z:ss", rlike, regex_prepare, SIGNATURE_NEVER_NULL | SIGNATURE_MAY_FAIL)            \
    F(regexp_replace, 3, 4, "s:sssi?", regexp_replace, regex_prepare, SIGNATURE_MAY_FAIL)                    \
    F(regexp_substr, 2, 2, "s:ss", regexp_substr, regex_prepare, SIGNATURE_MAY_FAIL)                         \
    F(rlike, 2, 2, "z:ss", rlike, regex_prepare, SIGNATURE_NEVER_NULL | SIGNATURE_MAY_FAIL)                  \
    F(split, 2, 3, "a:ssi?", split, regex_prepare, SIGNATURE_NEVER_NULL | SIGNATURE_MAY_FAIL)

static const struct weir_signature regex_signatures[] = {
#define ROW(name, min, max, types, kernel, prepare, flags) {#name, types, kernel##_kernel, prepare, flags},
    FUNCTIONS(ROW)
#undef ROW
};

static weir_rc
regex_resolve(struct weir_resolve *r, struct weir_error *err)
{
    return weir_signature_resolve(r, regex_signatures, sizeof(regex_signatures) / sizeof(regex_signatures[0]),
                                  err);
}

#define DIFFERS                                                                                              \
    "Java's syntax; refused by name: \\\\G, \\\\X, \\\\N{...}, (?U), blocks of characters, back references " \
    "under (?i), "                                                                                           \
    "lookbehind of unbounded length. A pattern that takes too long ends with an error"
static const char differs[] = DIFFERS;

const struct weir_function weir_functions_regex[] = {
#define ROW(name, min, max, types, kernel, prepare, flags)                                                   \
    {#name, WEIR_FN_SCALAR, min, max, regex_resolve, prepare == regex_prepare ? differs : NULL, NULL},
    FUNCTIONS(ROW)
#undef ROW
        {0},
};
