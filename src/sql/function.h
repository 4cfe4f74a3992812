/* The functions and operators of Spark SQL: families.def, from whose rows bind.c resolves, print.c prints and
 * docs/sql.md is made. A function is computed in one of two ways:
 *   text    DuckDB computes it: a template over its printed arguments ("$1", "$2", "$*" all), only where DuckDB's
 *           answer is Spark's for all values;
 *   kernel  weir computes it: a C function over columns. It is registered with DuckDB under a private name with the
 *           exact types of this call, so its result may depend on its arguments.
 * What is not in the table is refused by name: a function of DuckDB's of the same name is never called by accident.
 *
 * Classes other than SCALAR:
 *   AGGREGATE, WINDOW  text is a template in which "$O" stands where FILTER (…) and OVER (…) are printed; it may stand
 *           several times ("{'s': sum($1)$O, 'n': count($1)$O}"). DISTINCT and IGNORE NULLS are resolve()'s to read from
 *           the node's flags and to print. With a kernel as well, the kernel gets the text's value, of type plan.inner,
 *           as its one argument: what DuckDB sums, weir checks and rounds.
 *   GENERATOR  type is the STRUCT of the columns that come out, with Spark's names; text or kernel computes an ARRAY of
 *           that struct, which the printer unnests; for an _outer one an empty or null array makes one row of nulls.
 *
 * Kernels are pure: no DuckDB, no I/O, any thread; they see pages' columns, so tests call them directly.
 * 1. Arguments have the types that resolve() asked for, FLAT or CONST, each with `rows` rows; a kernel reads them by
 *    weir_arg() and friends, so that both forms work. Their strings have no pad behind (page.h's rule 3 is for what
 *    weir decoded itself).
 * 2. out has room for `rows` slots of its type, valid == NULL. A kernel fills all of them.
 * 3. Strings of the result are copied into call->mem, which lives until the lane's next chunk.
 * 4. An error of one row goes through weir_call_bad(), which decides by call->on_error: fail, null. */
#ifndef WEIR_SQL_FUNCTION_H
#define WEIR_SQL_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "column/page.h"
#include "column/text.h"
#include "column/type.h"
#include "sql/ast.h"

struct weir_sql_settings { /* fixed for a batch */
    const struct weir_zone *zone; /* spark.sql.session.timeZone */
    const char *zone_name;
    bool ansi;                    /* spark.sql.ansi.enabled */
    bool case_sensitive;          /* spark.sql.caseSensitive */
    const char *corrupt_name;     /* spark.sql.columnNameOfCorruptRecord */
    int64_t now_us;               /* current_timestamp() */
    enum { WEIR_ROW_FAIL, WEIR_ROW_NULL } on_row_error;
};

struct weir_call { /* one call in one lane */
    const struct weir_sql_settings *set;
    const struct weir_type *const *arg_types;
    uint32_t nargs;
    const struct weir_type *type; /* of the result */
    const void *data;             /* what prepare() or resolve() made of the constants; shared by lanes, read only */
    struct weir_mem *mem;
    bool try_;                    /* try_ function or TRY_CAST: an error is a null */
};

typedef weir_rc weir_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
                            struct weir_error *err);
/* Once a call, at binding: constants are the arguments that are literals (else NULL), as one-row columns. The result
 * lives in mem. */
typedef weir_rc weir_prepare(const struct weir_call *call, const struct weir_col *const *constants,
                             struct weir_mem *mem, const void **data, struct weir_error *err);

/* How one call is computed; made by resolve(). In a template: $1 … $9 are arguments, printed, after their casts; $* all
 * of them, $2* those from the second on, with ", " between; $O see above; $T the result's type in DuckDB's spelling;
 * $$ a dollar. What a template gives is cast to the call's type (plan.inner when a kernel follows) unless exact is set,
 * so it need not do so itself. */
struct weir_call_plan {
    const char *text;             /* a template, or NULL */
    weir_kernel *kernel;          /* or this */
    weir_prepare *prepare;        /* MAY */
    const void *data;             /* call->data, where there is no prepare(): what resolve() made, in r->mem */
    bool null_in_null_out;        /* the engine skips rows with a null argument; the kernel never sees one */
    bool is_volatile;             /* uuid(), rand(): never folded, never shared */
    bool may_fail;                /* a row may raise an error: never evaluated where Spark would not */
    bool exact;                   /* the template's type in DuckDB is already the call's */
    bool try_;
    const struct weir_type *const *arg_types; /* arguments are cast to these first; NULL entries: as they are.
                                                 Set by weir_resolve_want() and its like */
    const struct weir_type *inner; /* AGGREGATE with text and kernel: the text's type */
};

/* The parameters of a LAMBDA and how DuckDB is to see it: made by weir_function.lambda before the body is bound. A
 * Spark lambda may become one of another shape: of transform_values (k, v) -> v + 1 it is the one parameter of
 * map_entries, and k prints as "$1.key". */
struct weir_lambda {
    uint32_t n;                      /* in: parameters as declared */
    struct {
        const struct weir_type *type;
        bool nullable;
        const char *text;            /* a use of it; "$1" is the first parameter of the printed lambda */
    } param[4];
    uint32_t printed;                /* parameters of the printed lambda */
    const char *body;                /* NULL, or what stands around the body, which is "$0": "{'a': $0, 'x': $2.x}" */
    const struct weir_type *want;    /* the body is cast to it; NULL: as it is */
};

/* What resolve() may look at and sets. It may give the node other kids, which must be bound: LITERALs, kids of
 * before, or CALLs with type, fn and plan. A LAMBDA's type is its body's. */
struct weir_resolve {
    const struct weir_sql_settings *set;
    struct weir_node *node;       /* the CALL; kids are bound: type, nullable. Literals are LITERAL nodes; those of
                                     type DATE hold days, of TIMESTAMP and TIMESTAMP_NTZ micros, in decimal */
    bool over;                    /* stands in an OVER */
    struct weir_mem *mem;
    const struct weir_type **wanted; /* weir_resolve_want()'s own */
    const struct weir_type *type; /* out: of the result */
    bool nullable;                /* out; true unless set */
    struct weir_call_plan plan;   /* out */
};

typedef enum weir_function_class {
    WEIR_FN_SCALAR,
    WEIR_FN_AGGREGATE,
    WEIR_FN_WINDOW,
    WEIR_FN_GENERATOR
} weir_function_class;

struct weir_function {
    const char *name;             /* lower case; aliases are rows of their own */
    weir_function_class class_;
    uint8_t min, max;             /* arguments; max 255: any number */
    /* SCHEMA or USAGE when the types do not fit: "upper wants a string, not an array<int>". */
    weir_rc (*resolve)(struct weir_resolve *r, struct weir_error *err);
    const char *differs;          /* NULL: the same as Spark; else how, for docs/sql.md */
    /* MAY: kid `arg` is a LAMBDA, the kids before it are bound. NULL: the function takes no lambdas. */
    weir_rc (*lambda)(struct weir_resolve *r, uint32_t arg, struct weir_lambda *out, struct weir_error *err);
};

/* By name, lower case; NULL: unknown. Binary search over the sorted tables of all families. */
const struct weir_function *weir_function_find(const char *name);
/* The nearest known name for a hint, or NULL. */
const char *weir_function_nearest(const char *name);
/* Walk of all, sorted by name. */
const struct weir_function *weir_function_at(uint32_t i);

struct weir_function_absent { /* a function of Spark's that weir has not */
    const char *name, *why;
};
const struct weir_function_absent *weir_function_absent_at(uint32_t i); /* NULL at the end */
const char *weir_function_absent(const char *name);                     /* why, or NULL: Spark has none either */

/* --- for resolvers -------------------------------------------------------------------------------------------- */

/* The error for an argument that has the wrong type. wanted: "a string". */
weir_rc weir_resolve_refuse(const struct weir_resolve *r, uint32_t arg, const char *wanted, struct weir_error *err);
/* Argument i shall be of this type: implicit cast by Spark's rules (set->ansi), or the error. */
weir_rc weir_resolve_want(struct weir_resolve *r, uint32_t i, const struct weir_type *type, struct weir_error *err);
/* The same without asking whether the cast may be implicit: the resolver has. */
weir_rc weir_resolve_cast(struct weir_resolve *r, uint32_t i, const struct weir_type *type, struct weir_error *err);
/* The type that all arguments from..to-1 are cast to: Spark's least common type; SCHEMA when there is none. */
weir_rc weir_resolve_common(struct weir_resolve *r, uint32_t from, uint32_t to, const struct weir_type **out,
                            struct weir_error *err);
/* The literal string (long) argument i, or NULL (false) when it is not a constant. */
const char *weir_resolve_text(const struct weir_resolve *r, uint32_t i);
bool weir_resolve_long(const struct weir_resolve *r, uint32_t i, int64_t *out);

/* --- for kernels ----------------------------------------------------------------------------------------------- */

static inline uint32_t
weir_arg_row(const struct weir_col *col, uint32_t row)
{
    return col->form == WEIR_CONST ? 0 : row;
}
static inline bool
weir_arg_null(const struct weir_col *col, uint32_t row)
{
    return weir_col_is_null(col, row);
}
#define weir_arg(col, T, row) (((const T *)(col)->data)[weir_arg_row((col), (row))])
/* A string's bytes. */
static inline const char *
weir_arg_str(const struct weir_col *col, uint32_t row, uint32_t *len)
{
    const struct weir_str *s = &weir_arg(col, struct weir_str, row);

    *len = s->len;
    return weir_str_ptr(s);
}
/* Copies p into the call's arena as the result of this row. */
weir_rc weir_out_str(struct weir_call *call, struct weir_col *out, uint32_t row, const char *p, size_t len,
                     struct weir_error *err);
/* This row has no value: nulls it and goes on (OK), or fails with BADDATA, by call->try_ and settings. code: Spark's
 * error class, such as "DIVIDE_BY_ZERO"; fmt says what is wrong with which value (at most 255 bytes of it are kept).
 * What to do is added here, by code. Kernels whose rows may fail set plan.may_fail. */
weir_rc weir_call_bad(struct weir_call *call, struct weir_col *out, uint32_t row, struct weir_error *err,
                      const char *code, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

#endif
