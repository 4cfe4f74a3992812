/* get_json_object, json_tuple, json_array_length, json_object_keys: parts of a text, without a schema.
 *
 * 1. What comes out was written anew: blanks go, strings are escaped as Jackson does, fractions are printed
 *    as doubles, whole numbers stay as they are. A string alone comes out as it is, without quotes.
 * 2. A text that is malformed anywhere up to the end of its first value has no parts at all: null.
 * 3. Paths are Hive's as Spark has them: $, .name, ['name'], [number], [*]. A path that is none finds
 *    nothing; `.*` is a path and finds nothing either. Some of [*] looks odd and is Spark's: one match comes
 *    without its brackets, and [*][*] flattens.
 * 4. Nothing recurses deeper than the path is long.
 * Characters beyond U+FFFF within quotes come out as two escapes, but as they are among the matches of [*]:
 * Spark has two kinds of writers there. A lone surrogate makes a text malformed.
 * Single quotes and control characters in strings are accepted, as by Spark's factory for these functions. */
#include "sql/fn_json.h"
#include "sql/fn_text.h"

enum { PATH_STEPS = 64 };

/* What the texts may be. */
static const struct json_options *
lenient_options(struct json_options *opt)
{
    *opt = (struct json_options){.single_quotes = true,
                                 .control_chars = true,
                                 .max_depth = JSON_DEPTH_MAX,
                                 .max_number = JSON_NUMBER_MAX,
                                 .scan = weir_json_scan_best()};
    return opt;
}

struct json_out { /* values one after another, with commas between within an array */
    struct weir_buf *buf;
    bool in_array, any;
    bool whole; /* characters beyond U+FFFF as they are, not as escaped surrogates */
};

static void
value_begin(struct json_out *out)
{
    if (out->in_array && out->any)
        weir_buf_byte(out->buf, ',');
    out->any = true;
}

/* ---- Copying */

struct copier {
    struct json_text text;
    struct weir_buf scratch; /* of strings without their escapes */
};

/* The string without escapes, in place or in scratch. false: a bad escape, or what no UTF-8 can hold. */
static bool
string_plain(struct copier *c, const struct json_string *s, struct weir_slice *out)
{
    bool lone;
    size_t n;
    char *to;

    *out = weir_slice(s->at, s->len);
    if (!s->escaped)
        return true;
    weir_buf_reset(&c->scratch);
    if ((to = weir_buf_room(&c->scratch, s->len + 1)) == NULL ||
        !weir_json_unescape(&c->text, s, to, &n, &lone) || lone)
        return false;
    *out = weir_slice(to, n);
    return true;
}

static const char *
key_read(struct copier *c, const char *p, struct weir_slice *key)
{
    struct json_string s;

    p = weir_json_key(&c->text, p, &s);
    if (p == NULL || !string_plain(c, &s, key))
        return NULL;
    p = json_blanks(&c->text, p);
    return *p == ':' ? json_blanks(&c->text, p + 1) : NULL;
}

static void
quoted_put(struct weir_slice s, struct json_out *out)
{
    if (out->whole)
        weir_buf_json(out->buf, s.ptr, s.len);
    else
        weir_json_quoted(out->buf, s, 0xffff);
}

static const char *
number_copy(struct copier *c, const char *p, struct weir_buf *out)
{
    struct json_number number;
    char text[32];
    double v;

    p = weir_json_number(&c->text, p, &number);
    if (p == NULL)
        return NULL;
    if (number.kind == NUMBER_INTEGER) {
        bool minus_zero = number.len == 2 && memcmp(number.at, "-0", 2) == 0;

        weir_buf_add(out, number.at + minus_zero, number.len - minus_zero);
        return p;
    }
    if (!weir_double_parse(number.at, number.len, &v))
        return NULL;
    weir_double_print(v, text);
    weir_buf_printf(out, text[strlen(text) - 1] > '9' ? "\"%s\"" : "%s", text);
    return p;
}

static const char *
scalar_copy(struct copier *c, const char *p, struct json_out *out)
{
    struct weir_slice plain;
    struct json_string s;
    char word;

    switch (*p) {
    case '"':
    case '\'':
        p = weir_json_string(&c->text, p, &s);
        if (p == NULL || !string_plain(c, &s, &plain))
            return NULL;
        quoted_put(plain, out);
        return p;
    case 't':
    case 'f':
    case 'n':
        p = weir_json_word(&c->text, p, &word);
        if (p != NULL)
            weir_buf_str(out->buf, word == 't' ? "true" : word == 'f' ? "false" : "null");
        return p;
    default:
        return number_copy(c, p, out->buf);
    }
}

static const char *
key_copy(struct copier *c, const char *p, struct json_out *out)
{
    struct weir_slice key;

    p = key_read(c, p, &key);
    if (p == NULL)
        return NULL;
    quoted_put(key, out);
    weir_buf_byte(out->buf, ':');
    return p;
}

/* Any value, in one loop: open brackets are bits. */
static const char *
value_copy(struct copier *c, const char *p, struct json_out *out)
{
    uint64_t objects[JSON_DEPTH_MAX / 64 + 1];
    unsigned level = 0;

    for (;;) {
        bool closed = false;

        if (*p == '{' || *p == '[') {
            bool object = *p == '{';

            if (level == JSON_DEPTH_MAX || out->buf->failed)
                return NULL;
            objects[level / 64] = (objects[level / 64] & ~(UINT64_C(1) << level % 64)) | (uint64_t)object
                                                                                             << level % 64;
            level++;
            weir_buf_byte(out->buf, *p);
            p = json_blanks(&c->text, p + 1);
            closed = *p == (object ? '}' : ']');
            if (!closed) {
                if (object && (p = key_copy(c, p, out)) == NULL)
                    return NULL;
                continue;
            }
        } else {
            if ((p = scalar_copy(c, p, out)) == NULL)
                return NULL;
            if (level > 0)
                p = json_blanks(&c->text, p);
        }
        while (level > 0 && *p == (objects[(level - 1) / 64] >> (level - 1) % 64 & 1 ? '}' : ']')) {
            weir_buf_byte(out->buf, *p++);
            if (--level > 0)
                p = json_blanks(&c->text, p);
        }
        if (level == 0)
            return p > c->text.end ? NULL : p;
        if (*p != ',')
            return NULL;
        weir_buf_byte(out->buf, ',');
        p = json_blanks(&c->text, p + 1);
        if ((objects[(level - 1) / 64] >> (level - 1) % 64 & 1) && (p = key_copy(c, p, out)) == NULL)
            return NULL;
    }
}

/* Behind an element or member at p: at the next one, or *end: behind the closing bracket. NULL: malformed. */
static const char *
next_read(struct copier *c, const char *p, char close, bool *end)
{
    p = json_blanks(&c->text, p);
    *end = *p == close && p < c->text.end;
    if (*end)
        return p + 1;
    return *p == ',' && p < c->text.end ? json_blanks(&c->text, p + 1) : NULL;
}

/* ---- Paths */

typedef enum step_kind { STEP_NAME, STEP_INDEX, STEP_ANY, STEP_NOTHING } step_kind;

struct step {
    step_kind kind;
    struct weir_slice name;
    uint64_t index;
};

struct json_path {
    struct step steps[PATH_STEPS];
    uint32_t n;
};

static const char *
space_skip(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
        p++;
    return p;
}

static bool
starts(const char *p, const char *end, const char *text)
{
    return (size_t)(end - p) >= strlen(text) && memcmp(p, text, strlen(text)) == 0;
}

/* The step at *p, which moves. false: none. White space may stand where Spark's parser skips it. */
static bool
step_read(const char **p, const char *end, struct step *out)
{
    const char *q = space_skip(*p, end), *from;

    if (starts(q, end, ".*") || starts(q, end, "['*']")) {
        *out = (struct step){.kind = STEP_NOTHING};
        *p = q + (*q == '.' ? 2 : 5);
        return true;
    }
    if (**p == '.') {
        from = q = space_skip(*p + 1, end);
        while (q < end && *q != '.' && *q != '[')
            q++;
        *out = (struct step){.kind = STEP_NAME, .name = {from, (size_t)(q - from)}};
        *p = q;
        return q > from;
    }
    if (starts(q, end, "['")) {
        from = q = space_skip(q + 2, end);
        while (q < end && *q != '\'' && *q != '?')
            q++;
        *out = (struct step){.kind = STEP_NAME, .name = {from, (size_t)(q - from)}};
        *p = q + 2;
        return q > from && starts(q, end, "']");
    }
    if (**p != '[')
        return false;
    q = *p + 1;
    if (starts(q, end, "*]")) {
        *out = (struct step){.kind = STEP_ANY};
        *p = q + 2;
        return true;
    }
    from = q = space_skip(q, end);
    *out = (struct step){.kind = STEP_INDEX};
    for (; q < end && *q >= '0' && *q <= '9'; q++)
        out->index = out->index > UINT32_MAX ? out->index : out->index * 10 + (uint64_t)(*q - '0');
    *p = q + 1;
    return q > from && q < end && *q == ']';
}

/* Spark's parser takes such a number for granted and fails on it. */
static bool
step_overflows(const struct step *step)
{
    return step->kind == STEP_INDEX && step->index > INT32_MAX;
}

/* *good: it is a path. */
static weir_rc
path_read(struct weir_slice s, struct json_path *path, bool *good, struct weir_error *err)
{
    const char *p = s.ptr, *end = s.ptr + s.len;

    path->n = 0;
    *good = s.len > 0 && *p == '$';
    if (!*good)
        return WEIR_OK;
    for (p++; space_skip(p, end) < end; path->n++) {
        if (path->n == PATH_STEPS)
            return weir_fail(err, WEIR_UNSUPPORTED, "get_json_object: a path of over %d steps", PATH_STEPS);
        if (!step_read(&p, end, &path->steps[path->n])) {
            *good = false;
            return WEIR_OK;
        }
        if (step_overflows(&path->steps[path->n]))
            return weir_fail(err, WEIR_USAGE,
                             "get_json_object: the path '%.*s' has an index that no array reaches",
                             WEIR_SHOW(s));
    }
    return WEIR_OK;
}

/* ---- Evaluation */

typedef enum json_style { STYLE_RAW, STYLE_QUOTED, STYLE_FLATTEN } json_style;

struct evaluation {
    struct copier copier;
    const struct json_path *path;
    struct weir_quota *quota;
};

/* The value at p under the steps from i on. Returns what is behind it; NULL: malformed. */
static const char *eval(struct evaluation *e, const char *p, uint32_t i, json_style style,
                        struct json_out *out, bool *found);

/* What is no array within the array at p, at any depth. */
static const char *
flatten(struct evaluation *e, const char *p, struct json_out *out, bool *found)
{
    struct json_text *t = &e->copier.text;
    unsigned level = 0;

    for (;;) {
        if (*p == '[') {
            if (++level > JSON_DEPTH_MAX)
                return NULL;
            p = json_blanks(t, p + 1);
            if (*p != ']')
                continue;
        } else {
            value_begin(out);
            *found = true;
            if ((p = value_copy(&e->copier, p, out)) == NULL)
                return NULL;
            p = json_blanks(t, p);
        }
        while (level > 0 && *p == ']') {
            p++;
            if (--level > 0)
                p = json_blanks(t, p);
        }
        if (level == 0)
            return p > t->end ? NULL : p;
        if (*p != ',')
            return NULL;
        p = json_blanks(t, p + 1);
    }
}

/* The path ends here. */
static const char *
eval_end(struct evaluation *e, const char *p, json_style style, struct json_out *out, bool *found)
{
    struct weir_slice plain;
    struct json_string s;

    if (*p == '[' && style == STYLE_FLATTEN)
        return flatten(e, p, out, found);
    *found = true;
    if ((*p == '"' || *p == '\'') && style == STYLE_RAW) {
        p = weir_json_string(&e->copier.text, p, &s);
        if (p == NULL || !string_plain(&e->copier, &s, &plain))
            return NULL;
        weir_buf_add(out->buf, plain.ptr, plain.len);
        return p;
    }
    value_begin(out);
    return value_copy(&e->copier, p, out);
}

/* The first member of that name which has what the rest of the path asks for. */
static const char *
eval_name(struct evaluation *e, const char *p, uint32_t i, json_style style, struct json_out *out,
          bool *found)
{
    const struct step *step = &e->path->steps[i];
    bool end;

    p = json_blanks(&e->copier.text, p + 1);
    if (*p == '}')
        return p + 1;
    for (;;) {
        struct weir_slice key;

        if ((p = key_read(&e->copier, p, &key)) == NULL)
            return NULL;
        if (!*found && key.len == step->name.len && memcmp(key.ptr, step->name.ptr, key.len) == 0 &&
            *p != 'n')
            p = eval(e, p, i + 1, style, out, found);
        else
            p = weir_json_skip(&e->copier.text, p);
        if (p == NULL || (p = next_read(&e->copier, p, '}', &end)) == NULL || end)
            return p;
    }
}

/* All elements of the array at p; *n: those that had something. */
static const char *
eval_elements(struct evaluation *e, const char *p, uint32_t i, json_style style, struct json_out *out,
              uint32_t *n)
{
    bool end, found;

    *n = 0;
    p = json_blanks(&e->copier.text, p + 1);
    if (*p == ']')
        return p + 1;
    for (;;) {
        found = false;
        p = eval(e, p, i, style, out, &found);
        *n += found;
        if (p == NULL || (p = next_read(&e->copier, p, ']', &end)) == NULL || end)
            return p;
    }
}

/* The elements as an array, which is there even when none had anything. */
static const char *
eval_array(struct evaluation *e, const char *p, uint32_t i, json_style style, struct json_out *out,
           bool *found)
{
    struct json_out inner = {.buf = out->buf, .in_array = true, .whole = out->whole};
    uint32_t n;

    value_begin(out);
    weir_buf_byte(out->buf, '[');
    p = eval_elements(e, p, i, style, &inner, &n);
    weir_buf_byte(out->buf, ']');
    *found = n > 0;
    return p;
}

/* The same, but one match stands alone, and none leaves nothing. */
static const char *
eval_matches(struct evaluation *e, const char *p, uint32_t i, json_style style, struct json_out *out,
             bool *found)
{
    struct json_out inner = {.in_array = true, .whole = true};
    struct weir_buf buf;
    uint32_t n;

    weir_buf_init(&buf, TEXT_MAX, e->quota);
    inner.buf = &buf;
    p = eval_elements(e, p, i, style, &inner, &n);
    out->buf->failed |= buf.failed;
    *found = p != NULL && n > 0;
    if (*found) {
        value_begin(out);
        if (n > 1)
            weir_buf_byte(out->buf, '[');
        weir_buf_add(out->buf, buf.data, buf.len);
        if (n > 1)
            weir_buf_byte(out->buf, ']');
    }
    weir_buf_fini(&buf);
    return p;
}

static const char *
eval_any(struct evaluation *e, const char *p, uint32_t i, json_style style, struct json_out *out, bool *found)
{
    const struct json_path *path = e->path;

    if (i + 1 < path->n && path->steps[i + 1].kind == STEP_ANY)
        return eval_array(e, p, i + 2, STYLE_FLATTEN, out, found);
    if (style == STYLE_QUOTED)
        return eval_array(e, p, i + 1, STYLE_QUOTED, out, found);
    return eval_matches(e, p, i + 1, style == STYLE_RAW ? STYLE_QUOTED : style, out, found);
}

static const char *
eval_index(struct evaluation *e, const char *p, uint32_t i, json_style style, struct json_out *out,
           bool *found)
{
    const struct json_path *path = e->path;
    bool end;

    if (i + 1 < path->n && path->steps[i + 1].kind == STEP_ANY)
        style = STYLE_QUOTED;
    p = json_blanks(&e->copier.text, p + 1);
    if (*p == ']')
        return p + 1;
    for (uint64_t at = 0;; at++) {
        p = at == path->steps[i].index ? eval(e, p, i + 1, style, out, found)
                                       : weir_json_skip(&e->copier.text, p);
        if (p == NULL || (p = next_read(&e->copier, p, ']', &end)) == NULL || end)
            return p;
    }
}

static const char *
eval(struct evaluation *e, const char *p, uint32_t i, json_style style, struct json_out *out, bool *found)
{
    step_kind kind = i < e->path->n ? e->path->steps[i].kind : STEP_NOTHING;

    if (i == e->path->n)
        return eval_end(e, p, style, out, found);
    if (*p == '{' && kind == STEP_NAME)
        return eval_name(e, p, i, style, out, found);
    if (*p == '[' && kind == STEP_ANY)
        return eval_any(e, p, i, style, out, found);
    if (*p == '[' && kind == STEP_INDEX)
        return eval_index(e, p, i, style, out, found);
    return weir_json_skip(&e->copier.text, p);
}

/* ---- Texts of rows */

struct text_use { /* in one kernel call */
    struct json_options opt;
    struct evaluation e;
    struct weir_buf buf;
};

static void
use_init(struct text_use *use, struct weir_call *call)
{
    struct weir_quota *q = weir_mem_quota(call->mem);

    lenient_options(&use->opt);
    use->e = (struct evaluation){.quota = q};
    weir_buf_init(&use->e.copier.scratch, TEXT_MAX, q);
    weir_buf_init(&use->buf, TEXT_MAX, q);
}

static void
use_fini(struct text_use *use)
{
    weir_buf_fini(&use->e.copier.scratch);
    weir_buf_fini(&use->buf);
}

/* The row's text, with what the scanner wants behind it. *p: its first byte that is no blank; NULL: it is
 * blank. */
static weir_rc
text_open(const struct fn_row *r, struct text_use *use, const char **p)
{
    struct weir_slice s = row_str(r, 0);
    weir_rc rc;
    char *copy = weir_row_room(r, (uint64_t)s.len + WEIR_BLOCK_PAD, &rc);

    if (copy == NULL)
        return rc;
    memcpy(copy, s.ptr, s.len);
    memset(copy + s.len, 0, WEIR_BLOCK_PAD);
    weir_json_text_init(&use->e.copier.text, &use->opt, copy + s.len, false);
    *p = json_blanks(&use->e.copier.text, copy);
    if (*p >= copy + s.len)
        *p = NULL;
    weir_buf_reset(&use->buf);
    return WEIR_OK;
}

/* ---- get_json_object */

static weir_rc
path_prepare(const struct weir_call *call, const struct weir_col *const *constants, struct weir_mem *mem,
             const void **data, struct weir_error *err)
{
    struct json_path *path;
    struct weir_slice s;
    uint32_t len;
    bool good;

    (void)call;
    *data = NULL;
    if (constants[1] == NULL || constants[1]->type->kind != WEIR_STRING || weir_arg_null(constants[1], 0))
        return WEIR_OK;
    s.ptr = weir_arg_str(constants[1], 0, &len);
    if ((path = weir_mem_zalloc(mem, sizeof(*path))) == NULL ||
        (s.ptr = weir_mem_strndup(mem, s.ptr, len)) == NULL)
        return weir_mem_fail(mem, sizeof(*path), err);
    s.len = len;
    WEIR_TRY(path_read(s, path, &good, err));
    if (!good)
        path->n = UINT32_MAX;
    *data = path;
    return WEIR_OK;
}

static weir_rc
object_get(const struct fn_row *r, struct text_use *use, struct json_path *own)
{
    struct json_out out = {.buf = &use->buf};
    bool found = false, good = true;
    const char *p;

    use->e.path = r->call->data != NULL ? r->call->data : own;
    if (r->call->data == NULL)
        WEIR_TRY(path_read(row_str(r, 1), own, &good, r->err));
    if (!good || use->e.path->n == UINT32_MAX)
        return row_put_null(r);
    WEIR_TRY(text_open(r, use, &p));
    if (p == NULL || eval(&use->e, p, 0, STYLE_RAW, &out, &found) == NULL)
        found = false;
    WEIR_TRY(weir_buf_check(&use->e.copier.scratch, r->err));
    WEIR_TRY(weir_buf_check(&use->buf, r->err));
    return found ? row_put(r, use->buf.len == 0 ? "" : use->buf.data, use->buf.len) : row_put_null(r);
}

static weir_rc
get_json_object_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows,
                       struct weir_col *out, struct weir_error *err)
{
    struct fn_row r = {.call = call, .args = args, .out = out, .err = err};
    struct json_path own;
    struct text_use use;
    weir_rc rc = WEIR_OK;

    use_init(&use, call);
    for (; r.row < rows && rc == WEIR_OK; r.row++)
        rc = row_has_null(&r) ? row_put_null(&r) : object_get(&r, &use, &own);
    use_fini(&use);
    return rc;
}

/* ---- Length and keys */

static const char *
array_count(struct copier *c, const char *p, int32_t *n)
{
    bool end = false;

    *n = 0;
    p = json_blanks(&c->text, p + 1);
    if (*p == ']')
        return p + 1;
    for (; !end; ++*n)
        if ((p = weir_json_skip(&c->text, p)) == NULL || (p = next_read(c, p, ']', &end)) == NULL)
            return NULL;
    return p;
}

static weir_rc
json_array_length_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows,
                         struct weir_col *out, struct weir_error *err)
{
    struct fn_row r = {.call = call, .args = args, .out = out, .err = err};
    struct text_use use;
    weir_rc rc = WEIR_OK;

    use_init(&use, call);
    for (; r.row < rows && rc == WEIR_OK; r.row++) {
        const char *p = NULL;
        int32_t n;

        if (!row_is_null(&r, 0))
            rc = text_open(&r, &use, &p);
        if (p == NULL || *p != '[' || array_count(&use.e.copier, p, &n) == NULL)
            weir_col_set_null(out, r.row);
        else
            row_put_int(&r, n);
    }
    use_fini(&use);
    return rc;
}

/* Appends the keys of the object at p to the list's child. */
static weir_rc
keys_add(const struct fn_row *r, struct copier *c, const char *p, struct weir_list *list, bool *good)
{
    struct weir_col *child = &r->out->kids[0];
    bool end = false;

    *good = true;
    p = json_blanks(&c->text, p + 1);
    if (*p == '}')
        return WEIR_OK;
    while (!end) {
        struct weir_slice key;

        *good = (p = key_read(c, p, &key)) != NULL;
        if (!*good)
            return WEIR_OK;
        WEIR_TRY(weir_col_room(child, child->len + 1, r->err));
        WEIR_TRY(weir_out_str(r->call, child, child->len, key.ptr, key.len, r->err));
        child->len++;
        list->n++;
        *good = (p = weir_json_skip(&c->text, p)) != NULL && (p = next_read(c, p, '}', &end)) != NULL;
        if (!*good)
            return WEIR_OK;
    }
    return WEIR_OK;
}

static weir_rc
json_object_keys_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows,
                        struct weir_col *out, struct weir_error *err)
{
    struct fn_row r = {.call = call, .args = args, .out = out, .err = err};
    struct text_use use;
    weir_rc rc = WEIR_OK;

    use_init(&use, call);
    for (; r.row < rows && rc == WEIR_OK; r.row++) {
        struct weir_list *list = (struct weir_list *)out->data + r.row;
        const char *p = NULL;
        bool good = false;

        *list = (struct weir_list){out->kids[0].len, 0};
        if (!row_is_null(&r, 0))
            rc = text_open(&r, &use, &p);
        if (rc == WEIR_OK && p != NULL && *p == '{')
            rc = keys_add(&r, &use.e.copier, p, list, &good);
        if (!good) {
            out->kids[0].len = (uint32_t)list->at;
            list->n = 0;
            weir_col_set_null(out, r.row);
        }
    }
    use_fini(&use);
    return rc;
}

/* ---- json_tuple: one row of its columns for each text */

/* A value of the member `key` for each column of that name. *good: the text goes on. */
static weir_rc
member_put(const struct fn_row *r, struct text_use *use, struct weir_slice key, const char **p, uint32_t at)
{
    struct json_out out = {.buf = &use->buf};
    static const struct json_path whole = {.n = 0};
    bool wanted = false, found = false;
    struct weir_col *cols = r->out->kids[0].kids;

    for (uint32_t i = 1; i < r->call->nargs; i++)
        wanted |= !row_is_null(r, i) && row_str(r, i).len == key.len &&
                  memcmp(row_str(r, i).ptr, key.ptr, key.len) == 0;
    if (!wanted || **p == 'n') {
        *p = weir_json_skip(&use->e.copier.text, *p);
        return WEIR_OK;
    }
    if ((key.ptr = weir_mem_strndup(r->call->mem, key.ptr, key.len)) ==
        NULL) /* the value may need what holds it */
        return weir_mem_fail(r->call->mem, key.len, r->err);
    use->e.path = &whole;
    weir_buf_reset(&use->buf);
    if ((*p = eval(&use->e, *p, 0, STYLE_RAW, &out, &found)) == NULL)
        return weir_buf_check(&use->buf, r->err);
    for (uint32_t i = 1; i < r->call->nargs; i++) {
        if (row_is_null(r, i) || row_str(r, i).len != key.len ||
            memcmp(row_str(r, i).ptr, key.ptr, key.len) != 0)
            continue;
        weir_col_set_valid(&cols[i - 1], at);
        WEIR_TRY(weir_out_str(r->call, &cols[i - 1], at, use->buf.len == 0 ? "" : use->buf.data, use->buf.len,
                              r->err));
    }
    return weir_buf_check(&use->buf, r->err);
}

static weir_rc
members_put(const struct fn_row *r, struct text_use *use, const char *p, uint32_t at, bool *good)
{
    struct copier *c = &use->e.copier;
    bool end = false;

    *good = true;
    p = json_blanks(&c->text, p + 1);
    if (*p == '}')
        return WEIR_OK;
    while (*good && !end) {
        struct weir_slice key;

        *good = (p = key_read(c, p, &key)) != NULL;
        if (*good)
            WEIR_TRY(member_put(r, use, key, &p, at));
        *good = *good && p != NULL && (p = next_read(c, p, '}', &end)) != NULL;
    }
    return WEIR_OK;
}

static void
tuple_null(const struct fn_row *r, uint32_t at)
{
    struct weir_col *child = &r->out->kids[0];

    for (uint32_t i = 0; i < child->nkids; i++)
        weir_col_set_null(&child->kids[i], at);
}

static weir_rc
json_tuple_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
                  struct weir_error *err)
{
    struct fn_row r = {.call = call, .args = args, .out = out, .err = err};
    struct weir_col *child = &out->kids[0];
    struct text_use use;
    weir_rc rc;

    use_init(&use, call);
    WEIR_GO(weir_col_room(child, child->len + rows, err));
    for (; r.row < rows; r.row++) {
        uint32_t at = child->len++;
        const char *p = NULL;
        bool good = true;

        ((struct weir_list *)out->data)[r.row] = (struct weir_list){at, 1};
        tuple_null(&r, at);
        if (!row_is_null(&r, 0))
            WEIR_GO(text_open(&r, &use, &p));
        if (p != NULL && *p == '{')
            WEIR_GO(members_put(&r, &use, p, at, &good));
        if (!good)
            tuple_null(&r, at);
    }
out:
    use_fini(&use);
    return rc;
}

/* Columns c0, c1 … */
static weir_rc
json_tuple_resolve(struct weir_resolve *r, struct weir_error *err)
{
    struct weir_field fields[255];
    uint32_t n = r->node->nkids - 1;

    for (uint32_t i = 0; i <= n; i++)
        WEIR_TRY(weir_resolve_want(r, i, &weir_type_string, err));
    for (uint32_t i = 0; i < n; i++) {
        const char *name = weir_mem_printf(r->mem, "c%u", i);

        if (name == NULL)
            return weir_mem_fail(r->mem, 8, err);
        fields[i] = (struct weir_field){
            .name = name, .name_len = (uint32_t)strlen(name), .nullable = true, .type = &weir_type_string};
    }
    if ((r->type = weir_type_struct(r->mem, fields, n)) == NULL)
        return weir_mem_fail(r->mem, n * sizeof(fields[0]), err);
    r->nullable = false;
    r->plan.kernel = json_tuple_kernel;
    return WEIR_OK;
}

/* ---- The table */

static weir_rc path_resolve(struct weir_resolve *r, struct weir_error *err);

static const struct weir_signature path_signatures[] = {
    {"get_json_object", "s:ss", get_json_object_kernel, path_prepare, 0},
    {"json_array_length", "i:s", json_array_length_kernel, NULL, 0},
    {"json_object_keys", "a:s", json_object_keys_kernel, NULL, 0},
};

static weir_rc
path_resolve(struct weir_resolve *r, struct weir_error *err)
{
    return weir_signature_resolve(r, path_signatures, sizeof(path_signatures) / sizeof(path_signatures[0]),
                                  err);
}

const struct weir_function weir_functions_json_path[] = {
    {"get_json_object", WEIR_FN_SCALAR, 2, 2, path_resolve, NULL, NULL},
    {"json_array_length", WEIR_FN_SCALAR, 1, 1, path_resolve, NULL, NULL},
    {"json_object_keys", WEIR_FN_SCALAR, 1, 1, path_resolve, NULL, NULL},
    {"json_tuple", WEIR_FN_GENERATOR, 2, 255, json_tuple_resolve, NULL, NULL},
    {0},
};
