/* from_json and schema_of_json, by the decoder and the inference that read files.
 *
 * 1. Schema and options are constants: they are compiled once, at binding, and the arguments behind the first
 *    are taken out of the call, as Spark's name for it has only the first.
 * 2. Each text is a message of the decoder: one row, written straight into the result's columns. What Spark
 *    answers for odd texts, the decoder answers: docs/json-differences.md.
 * 3. A schema that is an array or a map is read as the one field of a record that is put around the text.
 * 4. A decoder has one owner at a time; idle ones wait in the plan for the next call of any lane. */
#include <pthread.h>

#include "codec/json_int.h"
#include "schema/infer.h"
#include "sql/fn_json.h"
#include "sql/fn_text.h"

enum { DECODERS_IDLE = 64 };

struct from_json {
    struct json_options opt;
    const struct weir_type *type; /* of the result */
    struct weir_decode_env env;   /* schema: the type, or the record around it */
    bool wrapped;
    bool lone_object;     /* an array of structs takes an object as its only element */
    pthread_mutex_t lock; /* idle, nidle */
    void *idle[DECODERS_IDLE];
    uint32_t nidle;
};

/* ---- Options */

weir_rc
weir_call_options(struct weir_resolve *r, uint32_t arg, struct weir_settings *set, struct weir_error *err)
{
    const struct weir_node *node = arg < r->node->nkids ? r->node->kids[arg] : NULL;
    uint32_t n = node == NULL ? 0 : node->nkids;

    if (node == NULL)
        return WEIR_OK;
    if (node->kind != WEIR_NODE_CALL || strcmp(node->text, "map") != 0 || n % 2 != 0)
        return weir_fail(
            err, WEIR_SCHEMA,
            "[INVALID_OPTIONS.NON_MAP_FUNCTION] %s: options are a constant map('key', 'value', ...)",
            r->node->text);
    set->at = weir_mem_zalloc(r->mem, (n / 2 + 1) * sizeof(*set->at));
    if (set->at == NULL)
        return weir_mem_fail(r->mem, n * sizeof(*set->at), err);
    for (uint32_t i = 0; i < n; i++) {
        const struct weir_node *kid = node->kids[i];

        while (kid != NULL && kid->kind == WEIR_NODE_CAST) /* that makes the map's type */
            kid = kid->kids[0];
        if (kid == NULL || kid->kind != WEIR_NODE_LITERAL || kid->text == NULL)
            return weir_fail(err, WEIR_SCHEMA,
                             "[INVALID_OPTIONS.NON_STRING_TYPE] %s: a key or value of the options is no "
                             "constant string",
                             r->node->text);
        if (i % 2 == 0)
            set->at[set->n].key = kid->text;
        else
            set->at[set->n++].value = kid->text;
    }
    return WEIR_OK;
}

weir_rc
weir_json_call_options(struct weir_resolve *r, uint32_t i, struct json_options *opt, struct weir_error *err)
{
    const struct weir_option *tables[] = {weir_json_option_table};
    const struct weir_format_env env = {.zone = r->set->zone,
                                        .case_sensitive = true,
                                        .max_record_bytes = WEIR_RECORD_MAX,
                                        .quota = weir_mem_quota(r->mem),
                                        .mem = r->mem};
    struct weir_settings set = {0};

    WEIR_TRY(weir_call_options(r, i, &set, err));
    WEIR_TRY(weir_options_apply(weir_json_option_table, opt, &set, err));
    WEIR_TRY(weir_options_unknown(tables, 1, &set, err));
    if (weir_settings_get(&set, "columnNameOfCorruptRecord") == NULL && r->set->corrupt_name != NULL)
        opt->corrupt_column = r->set->corrupt_name;
    return weir_json_prepare(opt, &env, err);
}

/* ---- Schemas */

/* Spark's asNullable: what stands in a text may lack everything but the keys of maps. entries: of a map. */
static const struct weir_type *
type_nullable(struct weir_mem *mem, const struct weir_type *type, bool entries)
{
    struct weir_type *copy;
    struct weir_field *fields;

    if (type->nfields == 0)
        return type;
    copy = weir_mem_alloc(mem, sizeof(*copy));
    fields = weir_mem_alloc(mem, type->nfields * sizeof(*fields));
    if (copy == NULL || fields == NULL)
        return NULL;
    *copy = *type;
    memcpy(fields, type->fields, type->nfields * sizeof(*fields));
    for (uint32_t i = 0; i < type->nfields; i++) {
        if (type->kind != WEIR_MAP && !(entries && i == 0))
            fields[i].nullable = true;
        if ((fields[i].type = type_nullable(mem, fields[i].type, type->kind == WEIR_MAP)) == NULL)
            return NULL;
    }
    copy->fields = fields;
    return copy;
}

/* A type's DDL, a list of columns, or Spark's JSON of a type. */
static weir_rc
schema_text_read(const char *text, size_t len, struct weir_mem *mem, const struct weir_type **out,
                 struct weir_error *err)
{
    struct weir_slice s = weir_slice_trim(weir_slice(text, len));
    struct weir_error other = {0};

    if (s.len > 0 && (s.ptr[0] == '{' || s.ptr[0] == '"'))
        return weir_type_parse_json(s.ptr, s.len, mem, out, err);
    if (weir_type_parse_ddl(s.ptr, s.len, mem, out, &other) == WEIR_OK)
        return WEIR_OK;
    return weir_schema_parse_ddl(s.ptr, s.len, mem, out, err);
}

/* {"v":TEXT} is a record with one field, whose type is the text's. */
weir_rc
weir_json_type_of(const struct json_options *opt, struct weir_slice s, struct weir_mem *mem,
                  const struct weir_type **out, struct weir_error *err)
{
    struct weir_format_traits traits = {0};
    char *text = weir_mem_zalloc(mem, s.len + 8 + WEIR_BLOCK_PAD);
    const struct weir_type *schema = NULL;
    struct weir_records in = {.first = true, .last = true};
    struct weir_infer *inf = NULL;
    weir_rc rc;

    if (text == NULL)
        return weir_mem_fail(mem, s.len, err);
    memcpy(mempcpy(mempcpy(text, "{\"v\":", 5), s.ptr, s.len), "}", 1);
    in.at = text;
    in.end = text + s.len + 6;
    weir_json_traits(opt, &traits);
    traits.infer.infer_column_types = traits.infer.case_sensitive = true;
    WEIR_GO(weir_infer_new(&traits.infer, weir_mem_quota(mem), &inf, err));
    WEIR_GO(weir_json_infer(opt, &in, inf, err));
    WEIR_GO(weir_infer_schema(inf, "_corrupt_record", mem, &schema, err));
    if (schema->nfields == 1 && strcmp(schema->fields[0].name, "v") == 0)
        *out = schema->fields[0].type;
    else
        rc =
            schema->nfields == 0
                ? weir_fail(err, WEIR_UNSUPPORTED, "schema_of_json: '%.*s' has no field at all", WEIR_SHOW(s))
                : weir_fail(err, WEIR_USAGE, "schema_of_json: '%.*s' is no JSON", WEIR_SHOW(s));
out:
    weir_infer_free(inf);
    return rc;
}

/* Of a call schema_of_json(constant[, options]). */
static weir_rc
schema_call_read(struct weir_resolve *outer, struct weir_node *call, const struct weir_type **out,
                 struct weir_error *err)
{
    struct weir_resolve r = {.set = outer->set, .node = call, .mem = outer->mem};
    const struct weir_node *text = call->nkids > 0 ? call->kids[0] : NULL;
    struct json_options opt = {0};

    if (text == NULL || text->kind != WEIR_NODE_LITERAL || text->text == NULL)
        return weir_fail(err, WEIR_SCHEMA,
                         "[DATATYPE_MISMATCH.NON_FOLDABLE_INPUT] schema_of_json wants a constant string");
    WEIR_TRY(weir_json_call_options(&r, 1, &opt, err));
    return weir_json_type_of(&opt, weir_slice(text->text, text->text_len), r.mem, out, err);
}

static weir_rc
schema_read(struct weir_resolve *r, const struct weir_type **out, struct weir_error *err)
{
    struct weir_node *node = r->node->kids[1];
    const struct weir_type *type = NULL;

    if (node->kind == WEIR_NODE_LITERAL && node->type->kind == WEIR_STRING)
        WEIR_TRY(schema_text_read(node->text, node->text_len, r->mem, &type, err));
    else if (node->kind == WEIR_NODE_CALL && strcmp(node->text, "schema_of_json") == 0)
        WEIR_TRY(schema_call_read(r, node, &type, err));
    else
        return weir_fail(err, WEIR_SCHEMA,
                         "[INVALID_SCHEMA.NON_STRING_LITERAL] from_json: the schema is a constant string "
                         "or schema_of_json of one");
    if (type->kind != WEIR_STRUCT && type->kind != WEIR_ARRAY && type->kind != WEIR_MAP)
        return weir_fail(err, WEIR_SCHEMA,
                         "[DATATYPE_MISMATCH.INVALID_JSON_SCHEMA] from_json reads a struct, an array or a "
                         "map, not %s",
                         weir_kind_name(type->kind));
    *out = type_nullable(r->mem, type, false);
    return *out == NULL ? weir_mem_fail(r->mem, sizeof(*type), err) : WEIR_OK;
}

/* ---- Decoders */

static void
decoders_free(void *arg)
{
    struct from_json *f = arg;

    while (f->nidle > 0)
        weir_json_decoder_free(f->idle[--f->nidle]);
    pthread_mutex_destroy(&f->lock);
}

static weir_rc
decoder_take(struct from_json *f, void **dec, struct weir_error *err)
{
    *dec = NULL;
    pthread_mutex_lock(&f->lock);
    if (f->nidle > 0)
        *dec = f->idle[--f->nidle];
    pthread_mutex_unlock(&f->lock);
    return *dec != NULL ? WEIR_OK : weir_json_decoder_new(&f->opt, &f->env, dec, err);
}

static void
decoder_give(struct from_json *f, void *dec)
{
    pthread_mutex_lock(&f->lock);
    if (f->nidle < DECODERS_IDLE) {
        f->idle[f->nidle++] = dec;
        dec = NULL;
    }
    pthread_mutex_unlock(&f->lock);
    weir_json_decoder_free(dec);
}

/* The schema that the decoder sees, and which of its columns keeps malformed texts. */
static weir_rc
env_make(struct from_json *f, struct weir_mem *mem, struct weir_error *err)
{
    struct weir_field field = {.name = "value", .name_len = 5, .nullable = true, .type = f->type};
    const struct weir_type *schema = f->type;
    int32_t *source;

    f->wrapped = f->type->kind != WEIR_STRUCT;
    f->lone_object = f->type->kind == WEIR_ARRAY && f->type->fields[0].type->kind == WEIR_STRUCT;
    if (f->wrapped && (schema = weir_type_struct(mem, &field, 1)) == NULL)
        return weir_mem_fail(mem, sizeof(*schema), err);
    source = weir_mem_alloc(mem, (schema->nfields + 1) * sizeof(*source));
    if (source == NULL)
        return weir_mem_fail(mem, schema->nfields * sizeof(*source), err);
    for (uint32_t i = 0; i < schema->nfields; i++)
        source[i] = 1;
    f->env = (struct weir_decode_env){.schema = schema,
                                      .source = source,
                                      .rescued = -1,
                                      .corrupt = -1,
                                      .message = true,
                                      .quota = weir_mem_quota(mem)};
    if (!f->wrapped)
        f->env.corrupt = weir_field_find(schema, f->opt.corrupt_column, strlen(f->opt.corrupt_column), true);
    return WEIR_OK;
}

/* ---- Rows */

struct text_rows { /* one kernel call */
    struct from_json *f;
    void *dec;
    struct weir_page page; /* over the result's columns */
    int64_t *pos;          /* as long as the page: the decoder notes where rows came from */
};

static bool
is_blank(struct weir_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] != ' ' && s.ptr[i] != '\t' && s.ptr[i] != '\n' && s.ptr[i] != '\r')
            return false;
    return true;
}

/* A copy with what the decoder wants to be readable behind it. */
static weir_rc
text_copy(const struct fn_row *r, struct weir_slice head, struct weir_slice s, struct weir_slice tail,
          struct weir_slice *out)
{
    weir_rc rc;
    char *p = weir_row_room(r, (uint64_t)head.len + s.len + tail.len + WEIR_BLOCK_PAD, &rc), *end;

    if (p == NULL)
        return rc;
    end = mempcpy(mempcpy(mempcpy(p, head.ptr, head.len), s.ptr, s.len), tail.ptr, tail.len);
    memset(end, 0, WEIR_BLOCK_PAD);
    *out = weir_slice(p, (size_t)(end - p));
    return WEIR_OK;
}

/* The first value of the text as the field of a record; what stands behind it is nothing, as for structs.
 * *good: there is one. */
static weir_rc
text_wrap(const struct fn_row *r, const struct from_json *f, struct weir_slice s, struct weir_slice *out,
          bool *good)
{
    struct weir_slice none = {"", 0};
    const char *from, *to;
    struct json_text t;
    bool lone;

    WEIR_TRY(text_copy(r, none, s, none, &s));
    weir_json_text_init(&t, &f->opt, s.ptr + s.len, false);
    from = json_blanks(&t, s.ptr);
    to = weir_json_skip(&t, from);
    *good = to != NULL && to <= t.end;
    if (!*good)
        return WEIR_OK;
    lone = f->lone_object && *from == '{';
    return text_copy(r, lone ? weir_slice("{\"value\":[", 10) : weir_slice("{\"value\":", 9),
                     weir_slice(from, (size_t)(to - from)), lone ? weir_slice("]}", 2) : weir_slice("}", 1),
                     out);
}

static weir_rc
row_malformed(const struct fn_row *r, struct weir_slice s, const char *why)
{
    return row_bad(r, "MALFORMED_RECORD_IN_PARSING", "from_json: '%.*s': %s", WEIR_SHOW(s), why);
}

static weir_rc
text_decode(const struct fn_row *r, struct text_rows *t)
{
    struct weir_slice s = row_str(r, 0), text = {0};
    struct weir_records in = {.first = true, .last = true};
    bool good = true;
    weir_rc rc;

    if (is_blank(s))
        return row_put_null(r);
    if (t->f->wrapped)
        WEIR_TRY(text_wrap(r, t->f, s, &text, &good));
    else
        WEIR_TRY(text_copy(r, weir_slice("", 0), s, weir_slice("", 0), &text));
    if (!good)
        return t->f->opt.mode == WEIR_FAILFAST ? row_malformed(r, s, "it is no JSON") : row_put_null(r);
    in.at = text.ptr;
    in.end = text.ptr + text.len;
    t->page.rows = r->row;
    t->page.cap = r->row + 1;
    t->page.count.blank = 0;
    rc = weir_json_decode(t->dec, &in, &t->page, r->err);
    if (rc == WEIR_BADDATA) {
        char why[128];

        snprintf(why, sizeof(why), "%.*s", (int)sizeof(why) - 1, r->err->what);
        weir_error_clear(r->err);
        return row_malformed(r, s, why);
    }
    if (rc == WEIR_OK && t->page.count.blank > 0)
        return row_put_null(r);
    return rc;
}

static weir_rc
from_json_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
                 struct weir_error *err)
{
    struct fn_row r = {.call = call, .args = args, .out = out, .err = err};
    struct text_rows t = {.f = (struct from_json *)(uintptr_t)call->data};
    weir_rc rc = WEIR_OK;

    t.pos = weir_mem_alloc(call->mem, (rows + 1) * sizeof(*t.pos));
    if (t.pos == NULL)
        return weir_mem_fail(call->mem, rows * sizeof(*t.pos), err);
    t.page = (struct weir_page){.schema = t.f->env.schema,
                                .cols = t.f->wrapped ? out : out->kids,
                                .ncols = t.f->wrapped ? 1 : out->nkids,
                                .mem = call->mem,
                                .pos = t.pos};
    WEIR_TRY(decoder_take(t.f, &t.dec, err));
    for (; r.row < rows && rc == WEIR_OK; r.row++)
        rc = row_is_null(&r, 0) ? row_put_null(&r) : text_decode(&r, &t);
    decoder_give(t.f, t.dec);
    return rc;
}

static weir_rc
from_json_resolve(struct weir_resolve *r, struct weir_error *err)
{
    struct from_json *f = weir_mem_zalloc(r->mem, sizeof(*f));
    void *dec;

    if (f == NULL)
        return weir_mem_fail(r->mem, sizeof(*f), err);
    WEIR_TRY(weir_resolve_want(r, 0, &weir_type_string, err));
    WEIR_TRY(weir_json_call_options(r, 2, &f->opt, err));
    WEIR_TRY(schema_read(r, &f->type, err));
    WEIR_TRY(env_make(f, r->mem, err));
    pthread_mutex_init(&f->lock, NULL);
    if (!weir_mem_on_free(r->mem, decoders_free, f))
        return weir_mem_fail(r->mem, sizeof(*f), err);
    WEIR_TRY(decoder_take(f, &dec, err)); /* so that what it refuses is told now */
    decoder_give(f, dec);
    r->node->nkids = 1;
    r->type = f->type;
    r->nullable = true;
    r->plan.kernel = from_json_kernel;
    r->plan.data = f;
    r->plan.null_in_null_out = true;
    r->plan.may_fail = f->opt.mode == WEIR_FAILFAST;
    return WEIR_OK;
}

/* ---- schema_of_json */

static weir_rc
schema_of_json_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows,
                      struct weir_col *out, struct weir_error *err)
{
    const struct weir_slice *text = call->data;

    (void)args;
    for (uint32_t row = 0; row < rows; row++)
        WEIR_TRY(weir_out_str(call, out, row, text->ptr, text->len, err));
    return WEIR_OK;
}

/* The type as Spark's SQL: that of an element of an array, since a struct alone prints as a list of columns.
 * */
static weir_rc
type_print(const struct weir_type *type, struct weir_mem *mem, struct weir_slice *out, struct weir_error *err)
{
    const struct weir_type *array = weir_type_array(mem, type, true);
    struct weir_buf buf = WEIR_BUF(WEIR_SPEC_MAX);
    weir_rc rc = WEIR_OK;

    if (array == NULL)
        return weir_mem_fail(mem, sizeof(*array), err);
    weir_type_print_ddl(array, &buf);
    WEIR_GO(weir_buf_check(&buf, err));
    out->len = buf.len - strlen("ARRAY<>");
    if ((out->ptr = weir_mem_strndup(mem, buf.data + strlen("ARRAY<"), out->len)) == NULL)
        rc = weir_mem_fail(mem, buf.len, err);
out:
    weir_buf_fini(&buf);
    return rc;
}

static weir_rc
schema_of_json_resolve(struct weir_resolve *r, struct weir_error *err)
{
    struct weir_slice *text = weir_mem_zalloc(r->mem, sizeof(*text));
    const struct weir_type *type;

    if (text == NULL)
        return weir_mem_fail(r->mem, sizeof(*text), err);
    WEIR_TRY(schema_call_read(r, r->node, &type, err));
    WEIR_TRY(type_print(type, r->mem, text, err));
    r->node->nkids = 1;
    r->type = &weir_type_string;
    r->nullable = false;
    r->plan.kernel = schema_of_json_kernel;
    r->plan.data = text;
    return WEIR_OK;
}

const struct weir_function weir_functions_json[] = {
    {"from_json", WEIR_FN_SCALAR, 2, 3, from_json_resolve,
     "schema and options are constants; option names that Spark ignores are refused; odd texts: "
     "docs/json-differences.md",
     NULL},
    {"schema_of_json", WEIR_FN_SCALAR, 1, 2, schema_of_json_resolve, NULL, NULL},
    {0},
};
