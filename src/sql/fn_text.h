/* What the families of text functions share: signatures, which most functions need and nothing else, and the
 * rows of a kernel.
 *
 * 1. A kernel that is made by WEIR_KERNEL() is a function of one row whose arguments are all there; a null
 *    among them is a null, whether the engine kept such rows away or not.
 * 2. Positions that SQL counts are code points, as Spark's; those of regular expressions are what Java
 *    counts.
 * 3. Results are built in call->mem, at most TEXT_MAX bytes each. */
#ifndef WEIR_SQL_FN_TEXT_H
#define WEIR_SQL_FN_TEXT_H

#include "base/str.h"
#include "sql/function.h"

enum { TEXT_MAX = INT32_MAX - 64 }; /* bytes of one string: Java's arrays end there */

/* types: the result, a colon, the arguments. s string · b binary · x string or binary, all alike; as a
 * result: what the first argument is · y string or binary, only its bytes count · i int · l long · d double ·
 * z boolean · a array of strings · . anything, as it is. Behind an argument: ? may be missing, * any number
 * of them. */
struct weir_signature {
    const char *name;
    const char *types;
    weir_kernel *kernel;
    weir_prepare *prepare;
    uint32_t flags;
};
enum {
    SIGNATURE_SEES_NULLS = 1, /* the kernel gets rows with null arguments */
    SIGNATURE_VOLATILE = 2,
    SIGNATURE_TRY = 4,        /* an error of a row is a null */
    SIGNATURE_NEVER_NULL = 8, /* the result is there when the arguments are */
    SIGNATURE_MAY_FAIL = 16,  /* a row may raise an error */
};

/* Resolves the node by the signature of its name among n sorted ones. */
weir_rc weir_signature_resolve(struct weir_resolve *r, const struct weir_signature *table, size_t n,
                               struct weir_error *err);
extern const struct weir_type weir_type_strings; /* array<string> */
/* Argument i is a null that is written there, of whatever type. */
static inline bool
weir_resolve_is_null(const struct weir_resolve *r, uint32_t i)
{
    const struct weir_node *kid = r->node->kids[i];

    while (kid->kind == WEIR_NODE_CAST)
        kid = kid->kids[0];
    return kid->type->kind == WEIR_VOID || (kid->kind == WEIR_NODE_LITERAL && kid->text == NULL);
}

/* ---- Rows */

struct fn_row {
    struct weir_call *call;
    const struct weir_col *args;
    struct weir_col *out;
    struct weir_error *err;
    uint32_t row;
};
typedef weir_rc fn_row_run(const struct fn_row *r);

static inline bool
row_has_null(const struct fn_row *r)
{
    for (uint32_t i = 0; i < r->call->nargs; i++)
        if (weir_arg_null(&r->args[i], r->row))
            return true;
    return false;
}

static inline __attribute__((always_inline)) weir_rc
fn_rows_run(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
            struct weir_error *err, fn_row_run *run)
{
    struct fn_row r = {.call = call, .args = args, .out = out, .err = err};

    for (; r.row < rows; r.row++)
        if (row_has_null(&r))
            weir_col_set_null(out, r.row);
        else
            WEIR_TRY(run(&r));
    return WEIR_OK;
}

/* The kernel NAME_kernel of NAME_row(). */
#define WEIR_KERNEL(name)                                                                                    \
    static weir_rc name##_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows,         \
                                 struct weir_col *out, struct weir_error *err)                               \
    {                                                                                                        \
        return fn_rows_run(call, args, rows, out, err, name##_row);                                          \
    }

static inline struct weir_slice
row_str(const struct fn_row *r, uint32_t i)
{
    const struct weir_str *s = &weir_arg(&r->args[i], struct weir_str, r->row);

    return weir_slice(weir_str_ptr(s), s->len);
}
static inline int32_t
row_int(const struct fn_row *r, uint32_t i)
{
    return weir_arg(&r->args[i], int32_t, r->row);
}
static inline int64_t
row_long(const struct fn_row *r, uint32_t i)
{
    return weir_arg(&r->args[i], int64_t, r->row);
}
static inline bool
row_is_null(const struct fn_row *r, uint32_t i)
{
    return weir_arg_null(&r->args[i], r->row);
}
static inline bool
row_has(const struct fn_row *r, uint32_t i)
{
    return i < r->call->nargs;
}

static inline weir_rc
row_put(const struct fn_row *r, const char *p, size_t n)
{
    return weir_out_str(r->call, r->out, r->row, p, n, r->err);
}
static inline weir_rc
row_put_int(const struct fn_row *r, int32_t v)
{
    ((int32_t *)r->out->data)[r->row] = v;
    return WEIR_OK;
}
static inline weir_rc
row_put_bool(const struct fn_row *r, bool v)
{
    ((uint8_t *)r->out->data)[r->row] = v;
    return WEIR_OK;
}
static inline weir_rc
row_put_null(const struct fn_row *r)
{
    weir_col_set_null(r->out, r->row);
    return WEIR_OK;
}
#define row_bad(r, ...) weir_call_bad((r)->call, (r)->out, (r)->row, (r)->err, __VA_ARGS__)

/* Memory for a result of at most n bytes; NULL: *rc. row_put_room() then says how many it has. */
char *weir_row_room(const struct fn_row *r, uint64_t n, weir_rc *rc);
static inline weir_rc
row_put_room(const struct fn_row *r, const char *p, size_t n)
{
    ((struct weir_str *)r->out->data)[r->row] = weir_str_of(p, (uint32_t)n);
    return WEIR_OK;
}
/* At most 60 bytes of a value for a message: "%.*s" with WEIR_SHOW(s). */
int weir_show_len(struct weir_slice s);
#define WEIR_SHOW(s) weir_show_len(s), (s).ptr

/* ---- UTF-8, valid */

static inline uint32_t
utf8_width(unsigned char c)
{
    return c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}
size_t weir_utf8_count(const char *p, size_t n);
/* The byte where character number `at` begins, or n when there are fewer. */
size_t weir_utf8_offset(const char *p, size_t n, uint64_t at);
/* The first place of what in s, not before byte `from`; -1: nowhere. */
int64_t weir_slice_find(struct weir_slice s, struct weir_slice what, size_t from);

#endif
