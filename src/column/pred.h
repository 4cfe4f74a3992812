/* Predicates that storage can use: comparisons of a column with a constant and tests for null, combined by
 * AND and OR.
 *
 * What is not one of these is ANY, "may be true". A predicate is a tree in an arena, immutable once built. It
 * filters nothing by itself: it says what rows somebody will keep, so that files without any can be left out.
 * */
#ifndef WEIR_COLUMN_PRED_H
#define WEIR_COLUMN_PRED_H

#include "column/page.h"

typedef enum weir_pred_op {
    WEIR_PRED_ANY,
    WEIR_PRED_AND,
    WEIR_PRED_OR,
    WEIR_PRED_EQ,
    WEIR_PRED_LT,
    WEIR_PRED_LE,
    WEIR_PRED_GT,
    WEIR_PRED_GE,
    WEIR_PRED_IS_NULL,
    WEIR_PRED_NOT_NULL
} weir_pred_op;

struct weir_pred {
    weir_pred_op op;
    const struct weir_pred *const *kids; /* AND, OR */
    uint32_t nkids;
    const char *const *path; /* of the column: names from the top, through structs */
    uint32_t depth;
    const struct weir_col *value; /* EQ .. GE: one row, not null, of the column's own type */
};

/* The order of Spark's comparisons of two present values of one scalar type: -1, 0, 1. Strings and binaries
 * by bytes, NaN is equal to itself and above all, -0.0 equals 0.0. */
int weir_slot_compare(const struct weir_col *a, uint32_t i, const struct weir_col *b, uint32_t j);

#endif
