/* Values of any type inside columns: order, equality, hashing, copying; and the row loops of kernels.
 *
 * 1. Order is Spark's: nulls before values inside arrays and structs, NaN above all numbers and equal to
 *    itself, -0.0 equal to 0.0, strings and binaries by unsigned bytes, the shorter one first.
 * 2. Equality and hashes fit that order. Maps have an order here too, by their entries as they stand, though
 *    Spark compares none: resolvers refuse them where Spark does.
 * 3. A copy shares nothing with its source.
 * Threads: none of its own; columns belong to whoever calls. */
#ifndef WEIR_SQL_VALUE_H
#define WEIR_SQL_VALUE_H

#include "sql/function.h"

/* < 0, 0, > 0. Both columns have the same type. A null row counts as a value below all others. */
int weir_value_compare(const struct weir_col *a, uint32_t i, const struct weir_col *b, uint32_t j);
static inline bool
weir_value_equal(const struct weir_col *a, uint32_t i, const struct weir_col *b, uint32_t j)
{
    return weir_value_compare(a, i, b, j) == 0;
}
uint64_t weir_value_hash(const struct weir_col *col, uint32_t row);
/* Row i of `from` becomes row j of `to`, which has that slot; strings go into mem. Elements of lists are
 * appended to the kids of `to`, so each row is copied once, in any order. Types are the same but for
 * nullability. */
weir_rc weir_value_copy(const struct weir_col *from, uint32_t i, struct weir_col *to, uint32_t j,
                        struct weir_mem *mem, struct weir_error *err);
/* Nulls the slot and makes it readable. */
void weir_value_null(struct weir_col *col, uint32_t row);

/* The list of a row; its elements stand in col->kids[0]. */
static inline struct weir_list
weir_arg_list(const struct weir_col *col, uint32_t row)
{
    return weir_arg(col, struct weir_list, row);
}
/* Row `row` of out, an array or map, becomes a list of n new elements; *at is the first, in out->kids[0].
 * UNSUPPORTED above 2^31 - 16 elements, as in Spark. */
weir_rc weir_out_list(struct weir_col *out, uint32_t row, uint64_t n, uint32_t *at, struct weir_error *err);

/* The row's list, which was the last one made, keeps its first n elements only. */
static inline void
weir_out_list_end(struct weir_col *out, uint32_t row, uint64_t n)
{
    struct weir_list *list = &((struct weir_list *)out->data)[row];

    list->n = n;
    out->kids[0].len = (uint32_t)(list->at + n);
}

/* Which elements of a list were seen already: a hash set over rows of columns of one type. */
struct weir_value_set {
    struct weir_mem *mem;
    struct weir_value_seen {
        const struct weir_col *col; /* NULL: free */
        uint32_t row;
        uint64_t hash;
    } * slots;
    uint32_t n, cap; /* cap: a power of two */
};
weir_rc weir_value_set_init(struct weir_value_set *set, struct weir_mem *mem, uint64_t room,
                            struct weir_error *err);
bool weir_value_set_has(const struct weir_value_set *set, const struct weir_col *col, uint32_t row);
/* false: was there. At most `room` values of init() fit. */
bool weir_value_set_add(struct weir_value_set *set, const struct weir_col *col, uint32_t row);

/* A kernel of one row. */
typedef weir_rc weir_row_kernel(struct weir_call *call, const struct weir_col *args, uint32_t row,
                                struct weir_col *out, struct weir_error *err);
/* Calls fn for each row whose arguments are all there; the others are null. */
weir_rc weir_rows_strict(struct weir_call *call, const struct weir_col *args, uint32_t rows,
                         struct weir_col *out, weir_row_kernel *fn, struct weir_error *err);
/* Calls fn for each row. */
weir_rc weir_rows_all(struct weir_call *call, const struct weir_col *args, uint32_t rows,
                      struct weir_col *out, weir_row_kernel *fn, struct weir_error *err);

/* arrays_zip: its arguments side by side as structs, the shorter ones filled up with nulls. */
weir_kernel weir_arrays_zip;
/* A map of an array of structs of key and value, all there: its one argument. Keys are checked. */
weir_kernel weir_map_of_entries;
/* The keys of the row's map, when all entries are there: NULL_MAP_KEY, DUPLICATED_MAP_KEY. */
weir_rc weir_map_check(struct weir_call *call, struct weir_col *out, uint32_t row, struct weir_error *err);

/* NAME, a weir_kernel, of the weir_row_kernel NAME_row. */
#define WEIR_KERNEL_STRICT(name)                                                                             \
    static weir_rc name(struct weir_call *call, const struct weir_col *args, uint32_t rows,                  \
                        struct weir_col *out, struct weir_error *err)                                        \
    {                                                                                                        \
        return weir_rows_strict(call, args, rows, out, name##_row, err);                                     \
    }
#define WEIR_KERNEL_ALL(name)                                                                                \
    static weir_rc name(struct weir_call *call, const struct weir_col *args, uint32_t rows,                  \
                        struct weir_col *out, struct weir_error *err)                                        \
    {                                                                                                        \
        return weir_rows_all(call, args, rows, out, name##_row, err);                                        \
    }

#define weir_out(col, T, row) (((T *)(col)->data)[row])

/* What Spark makes null with ANSI off and an error with ANSI on. */
#define WEIR_BAD_IF_ANSI(call, out, row, err, ...)                                                           \
    ((call)->set->ansi ? weir_call_bad((call), (out), (row), (err), __VA_ARGS__)                             \
                       : (weir_value_null((out), (row)), WEIR_OK))

/* A resolver's shorthand for one fixed signature: a letter an argument: s string, y binary, b boolean, i int,
 * l long, d double, D date, T timestamp, N timestamp_ntz, . anything as it is. Sets type and plan. */
weir_rc weir_resolve_plain(struct weir_resolve *r, const char *args, const struct weir_type *type,
                           weir_kernel *kernel, struct weir_error *err);
/* The same, computed by a text. */
weir_rc weir_resolve_as_text(struct weir_resolve *r, const char *args, const struct weir_type *type,
                             const char *text, struct weir_error *err);
/* A LITERAL node of that type and text (NULL with weir_type_void), in r->mem; NULL: no memory. */
struct weir_node *weir_resolve_literal(struct weir_resolve *r, const struct weir_type *type,
                                       const char *text);
/* The name that argument i gives to a field of a struct made of it: of an alias, a column, a field. NULL:
 * none. An alias is taken off. */
const char *weir_resolve_field_name(struct weir_resolve *r, uint32_t i);
/* Refuses fields of one name: DuckDB's structs tell none apart that differ only in case. UNSUPPORTED. */
weir_rc weir_resolve_fields(const struct weir_resolve *r, const struct weir_field *fields, uint32_t n,
                            struct weir_error *err);
/* A CALL of a function of the table on bound kids, resolved. NULL type in *out never. */
weir_rc weir_resolve_call(struct weir_resolve *r, const char *name, struct weir_node *const *kids, uint32_t n,
                          struct weir_node **out, struct weir_error *err);
/* A CALL of a kernel that has no name in the table, as a kid of r->node. arg_types as in a plan; NULL: as
 * they are. */
weir_rc weir_resolve_kernel(struct weir_resolve *r, weir_kernel *kernel, const void *data,
                            const struct weir_type *type, struct weir_node *const *kids, uint32_t n,
                            const struct weir_type *const *arg_types, struct weir_node **out,
                            struct weir_error *err);
/* r->node is that other function instead; resolves it. */
weir_rc weir_resolve_instead(struct weir_resolve *r, const char *name, struct weir_error *err);
/* "name(): why". UNSUPPORTED. */
weir_rc weir_resolve_unsupported(const struct weir_resolve *r, const char *why, struct weir_error *err);

#endif
