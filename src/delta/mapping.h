/* Column mapping: what the table's columns are called in files, statistics and partition values.
 *
 * Follows the Delta protocol, "Column Mapping". Pure functions. */
#ifndef WEIR_DELTA_MAPPING_H
#define WEIR_DELTA_MAPPING_H

#include "delta/action.h"

typedef enum weir_mapping_mode { WEIR_MAPPING_NONE, WEIR_MAPPING_NAME, WEIR_MAPPING_ID } weir_mapping_mode;

/* The table's mode, as far as its protocol allows one. CORRUPT: a mode that is none. */
weir_rc weir_mapping_of(const struct weir_protocol *protocol, const struct weir_metadata *meta,
                        weir_mapping_mode *out, struct weir_error *err);
/* The schema with physical names: a tree of the same shape, so places correspond. NONE: the schema itself.
 * CORRUPT: a field without a physical name. */
weir_rc weir_mapping_physical(const struct weir_type *schema, weir_mapping_mode mode, struct weir_mem *mem,
                              const struct weir_type **out, struct weir_error *err);
/* delta.columnMapping.id of a field; -1: none. */
int64_t weir_mapping_id(const struct weir_field *field);
/* n of a field that Spark declared as char(n), which is stored as it came and read with blanks up to n; 0:
 * another. */
int64_t weir_mapping_char(const struct weir_field *field);

#endif
