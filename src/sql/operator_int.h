/* What fn_operator.c and fn_arithmetic.c share: resolvers of operators. */
#ifndef WEIR_SQL_OPERATOR_INT_H
#define WEIR_SQL_OPERATOR_INT_H

#include "sql/function.h"

static inline const struct weir_type *
weir_operand(const struct weir_resolve *r, uint32_t i)
{
    return r->node->kids[i]->type;
}

/* Is one of the arguments nullable, as they will be cast? */
bool weir_operands_nullable(const struct weir_resolve *r);
/* The template, whose type in DuckDB is the result's. Nullable if an argument is. */
weir_rc weir_operator_text(struct weir_resolve *r, const char *text, const struct weir_type *type);
/* A kernel, which never sees a null. */
weir_rc weir_operator_kernel(struct weir_resolve *r, weir_kernel *kernel, const struct weir_type *type,
                             bool may_fail);
/* SCHEMA: the operator does not go with these types. */
weir_rc weir_operands_refused(const struct weir_resolve *r, struct weir_error *err);
/* All arguments as this type. */
weir_rc weir_operands_cast(struct weir_resolve *r, const struct weir_type *type, struct weir_error *err);
/* The type in which two numbers meet; strings by the mode; NULL: none. */
const struct weir_type *weir_operands_number(struct weir_resolve *r);

#endif
