/* The registry of functions, and what their resolvers and kernels share.
 *
 * 1. One index over the tables of all families is made on first use, sorted by name; a name that stands
 *    twice, or a table out of order, is a BUG that stops the program in any test that touches SQL.
 * 2. An argument's wanted type is only noted here (plan.arg_types); bind.c puts the cast in.
 * 3. Whether an error of a row stops the batch is decided in one place, weir_call_bad().
 * Threads: the index is made once under pthread_once; everything else is pure. */
#include "sql/function.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "sql/coerce.h"

enum { FUNCTIONS_MAX = 1024 };

#define FAMILY(symbol) extern const struct weir_function weir_functions_##symbol[];
#include "sql/families.def"
#undef FAMILY

static const struct weir_function *const families[] = {
#define FAMILY(symbol) weir_functions_##symbol,
#include "sql/families.def"
#undef FAMILY
    NULL,
};

static struct {
    const struct weir_function *sorted[FUNCTIONS_MAX];
    const char *names[FUNCTIONS_MAX];
    uint32_t n;
} registry;
static pthread_once_t registry_once = PTHREAD_ONCE_INIT;

/* ---- registry ---- */

static int
registry_compare(const void *a, const void *b)
{
    const struct weir_function *const *x = a, *const *y = b;

    return strcmp((*x)->name, (*y)->name);
}

static void
registry_fill(void)
{
    for (uint32_t f = 0; families[f] != NULL; f++)
        for (const struct weir_function *fn = families[f]; fn->name != NULL; fn++) {
            WEIR_ASSERT(registry.n < FUNCTIONS_MAX && fn->resolve != NULL && fn->min <= fn->max);
            WEIR_ASSERT(fn == families[f] || strcmp(fn[-1].name, fn->name) < 0); /* sorted */
            registry.sorted[registry.n++] = fn;
        }
    qsort(registry.sorted, registry.n, sizeof(registry.sorted[0]), registry_compare);
    for (uint32_t i = 0; i < registry.n; i++) {
        registry.names[i] = registry.sorted[i]->name;
        if (i > 0 && strcmp(registry.names[i - 1], registry.names[i]) == 0)
            (void)fprintf(stderr, "function %s stands in two families\n", registry.names[i]);
        WEIR_ASSERT(i == 0 || strcmp(registry.names[i - 1], registry.names[i]) != 0); /* in one family only */
    }
}

const struct weir_function *
weir_function_find(const char *name)
{
    struct weir_function key = {.name = name};
    const struct weir_function *at = &key, *const * found;

    pthread_once(&registry_once, registry_fill);
    found = bsearch(&at, registry.sorted, registry.n, sizeof(registry.sorted[0]), registry_compare);
    return found == NULL ? NULL : *found;
}

const char *
weir_function_nearest(const char *name)
{
    pthread_once(&registry_once, registry_fill);
    return weir_nearest(name, registry.names, registry.n);
}

const struct weir_function *
weir_function_at(uint32_t i)
{
    pthread_once(&registry_once, registry_fill);
    return i < registry.n ? registry.sorted[i] : NULL;
}

const struct weir_function_absent *
weir_function_absent_at(uint32_t i)
{
    static const struct weir_function_absent absent[] = {
#define ABSENT(name, why) {name, why},
#include "sql/absent.def"
#undef ABSENT
    };

    return i < sizeof(absent) / sizeof(*absent) ? &absent[i] : NULL;
}

const char *
weir_function_absent(const char *name)
{
    const struct weir_function_absent *f;

    for (uint32_t i = 0; (f = weir_function_absent_at(i)) != NULL; i++)
        if (strcmp(f->name, name) == 0)
            return f->why;
    return NULL;
}

/* ---- for resolvers ---- */

weir_rc
weir_resolve_refuse(const struct weir_resolve *r, uint32_t arg, const char *wanted, struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(4096);
    const struct weir_type *type = arg < r->node->nkids ? r->node->kids[arg]->type : NULL;
    weir_rc rc;

    if (type != NULL)
        weir_type_print_simple(type, &buf);
    rc = weir_fail(err, WEIR_SCHEMA, "%s wants %s as argument %u, not %s", r->node->text, wanted, arg + 1,
                   type == NULL  ? "this"
                   : buf.len > 0 ? buf.data
                                 : "this type");
    weir_buf_fini(&buf);
    return rc;
}

/* plan.arg_types, made on first use with NULL for every argument. */
static const struct weir_type **
resolve_types(struct weir_resolve *r)
{
    if (r->wanted == NULL) {
        r->wanted = weir_mem_zalloc(r->mem, (r->node->nkids + 1) * sizeof(r->wanted[0]));
        r->plan.arg_types = r->wanted;
    }
    return r->wanted;
}

weir_rc
weir_resolve_cast(struct weir_resolve *r, uint32_t i, const struct weir_type *type, struct weir_error *err)
{
    WEIR_ASSERT(i < r->node->nkids);
    if (resolve_types(r) == NULL)
        return weir_mem_fail(r->mem, r->node->nkids * sizeof(r->wanted[0]), err);
    r->wanted[i] = type;
    return WEIR_OK;
}

weir_rc
weir_resolve_want(struct weir_resolve *r, uint32_t i, const struct weir_type *type, struct weir_error *err)
{
    WEIR_ASSERT(i < r->node->nkids);
    if (!weir_coerce_implicit(r->set->ansi, r->node->kids[i]->type, type)) {
        struct weir_buf buf = WEIR_BUF(4096);
        weir_rc rc;

        weir_type_print_simple(type, &buf);
        rc = weir_resolve_refuse(r, i, buf.len > 0 ? buf.data : "another type", err);
        weir_buf_fini(&buf);
        return rc;
    }
    return weir_resolve_cast(r, i, type, err);
}

weir_rc
weir_resolve_common(struct weir_resolve *r, uint32_t from, uint32_t to, const struct weir_type **out,
                    struct weir_error *err)
{
    const struct weir_type *common = &weir_type_void;

    for (uint32_t i = from; i < to; i++) {
        const struct weir_type *next =
            weir_coerce_wider(r->mem, r->set->ansi, common, r->node->kids[i]->type);

        if (next == NULL) {
            struct weir_buf buf = WEIR_BUF(4096);
            weir_rc rc;

            weir_buf_str(&buf, "the type of the arguments before it, ");
            weir_type_print_simple(common, &buf);
            rc = weir_resolve_refuse(r, i, buf.len > 0 ? buf.data : "one common type", err);
            weir_buf_fini(&buf);
            return rc;
        }
        common = next;
    }
    for (uint32_t i = from; i < to; i++)
        WEIR_TRY(weir_resolve_cast(r, i, common, err));
    *out = common;
    return WEIR_OK;
}

const char *
weir_resolve_text(const struct weir_resolve *r, uint32_t i)
{
    const struct weir_node *kid = i < r->node->nkids ? r->node->kids[i] : NULL;

    if (kid == NULL || kid->kind != WEIR_NODE_LITERAL || kid->type->kind != WEIR_STRING)
        return NULL;
    return kid->text;
}

bool
weir_resolve_long(const struct weir_resolve *r, uint32_t i, int64_t *out)
{
    const struct weir_node *kid = i < r->node->nkids ? r->node->kids[i] : NULL;

    if (kid == NULL || kid->kind != WEIR_NODE_LITERAL || !weir_kind_is_integral(kid->type->kind))
        return false;
    return weir_parse_int(weir_slice(kid->text, kid->text_len), out);
}

/* ---- for kernels ---- */

weir_rc
weir_out_str(struct weir_call *call, struct weir_col *out, uint32_t row, const char *p, size_t len,
             struct weir_error *err)
{
    if (len > UINT32_MAX - WEIR_STR_PAD ||
        !weir_str_copy(call->mem, p, (uint32_t)len, (struct weir_str *)out->data + row))
        return weir_mem_fail(call->mem, len, err);
    return WEIR_OK;
}

/* What a person can do, by Spark's error class. The first entry whose name begins the code. */
static const struct {
    const char *code, *hint;
} call_hints[] = {
    {"ARITHMETIC_OVERFLOW",
     "use try_add, try_subtract or try_multiply, cast to a wider type, or set onRowError: null"},
    {"BINARY_ARITHMETIC_OVERFLOW", "use try_add, try_subtract or try_multiply, cast to a wider type"},
    {"CANNOT_PARSE_TIMESTAMP", "use try_to_timestamp, or set onRowError: null"},
    {"CAST_INVALID_INPUT", "correct the value, use try_cast to get NULL instead, or set onRowError: null"},
    {"CAST_OVERFLOW", "use try_cast to get NULL instead, or a wider type"},
    {"DIVIDE_BY_ZERO", "use try_divide or try_mod, or nullif(divisor, 0), to get NULL instead"},
    {"INVALID_ARRAY_INDEX_IN_ELEMENT_AT", "use try_element_at to get NULL instead"},
    {"INVALID_ARRAY_INDEX", "use get(array, index) to get NULL instead"},
    {"NUMERIC_VALUE_OUT_OF_RANGE", "use try_cast to get NULL instead, or a wider type"},
};

static const char *
call_hint(const char *code)
{
    for (size_t i = 0; i < sizeof(call_hints) / sizeof(call_hints[0]); i++)
        if (weir_str_starts(code, call_hints[i].code))
            return call_hints[i].hint;
    return "set onRowError: null for NULL instead, or spark.sql.ansi.enabled: false";
}

weir_rc
weir_call_bad(struct weir_call *call, struct weir_col *out, uint32_t row, struct weir_error *err,
              const char *code, const char *fmt, ...)
{
    char text[256];
    va_list ap;

    if (call->try_ || call->set->on_row_error == WEIR_ROW_NULL) {
        weir_col_set_null(out, row);
        return WEIR_OK;
    }
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    (void)weir_fail(err, WEIR_BADDATA, "[%s] %s", code, text);
    return weir_error_hint(err, "%s", call_hint(code));
}
