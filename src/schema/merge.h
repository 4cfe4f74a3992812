/* Schemas made of schemas: hints over what was inferred, new fields added to what was known.
 * Pure functions; results live in mem and may share types with their inputs. */
#ifndef WEIR_SCHEMA_MERGE_H
#define WEIR_SCHEMA_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "column/type.h"

/* Whether Delta can hold a column of that name without column mapping: not empty, no blank, none of ,;{}()=, no tab,
 * line end or NUL. */
bool weir_schema_name_holds(const char *name, size_t len);
/* base with the fields of fresh that it lacks, each at the end of its struct, nested ones too. Fields that both have
 * keep base's type. Left out, so that their values are rescued: names that Delta cannot hold, names that differ from
 * a known one only in case, and those over `most`. *added counts. */
weir_rc weir_schema_merge(const struct weir_type *base, const struct weir_type *fresh, uint32_t most,
                          struct weir_mem *mem, const struct weir_type **out, uint32_t *added, struct weir_error *err);
/* Auto Loader's schemaHints (parsed by weir_hints_parse). A hint on a field replaces its type; on an unknown one
 * adds it at the end. `element`, `key` and `value` lead into arrays and maps. USAGE when a path leads into a scalar. */
weir_rc weir_schema_hint(const struct weir_type *schema, const struct weir_hint *hints, uint32_t n,
                         struct weir_mem *mem, const struct weir_type **out, struct weir_error *err);

#endif
