/* For the parsers of schemas in this folder: the fields of one struct while they come in.
 *
 * 1. Names of a struct are unique without regard to ASCII case: a Delta table cannot hold them otherwise.
 * 2. The limits of a schema (name, leaves) are kept here, the depth by each parser's recursion.
 * Threads: one owner. */
#ifndef WEIR_COLUMN_FIELDS_INT_H
#define WEIR_COLUMN_FIELDS_INT_H

#include "base/map.h"
#include "column/type.h"

struct weir_fields {
    struct weir_mem *scratch; /* borrowed; the list and its names' shadows live there */
    struct weir_field *at;
    uint32_t n, cap;
    struct weir_map seen; /* lower-case names */
    uint32_t *leaves;     /* of the whole schema so far */
    weir_rc bad;          /* the code for a field that cannot be: USAGE or CORRUPT */
};

void weir_fields_init(struct weir_fields *list, struct weir_mem *scratch, uint32_t *leaves, weir_rc bad);
/* Appends; name and metadata are borrowed until the struct is built. list->bad, NOMEM. */
weir_rc weir_fields_add(struct weir_fields *list, const struct weir_field *field, struct weir_error *err);
/* The struct of the fields, in mem. */
weir_rc weir_fields_build(const struct weir_fields *list, struct weir_mem *mem, const struct weir_type **out,
                          struct weir_error *err);
/* Takes one leaf. */
weir_rc weir_leaf_count(uint32_t *leaves, weir_rc bad, struct weir_error *err);

#endif
