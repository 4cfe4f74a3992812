/* Partition columns from the paths of objects: "day=2025-01-02/part%201.json" (Spark's "Partition Discovery"). Keys are
 * relative to the source's root; Hive's %XX escapes are decoded; __HIVE_DEFAULT_PARTITION__ is null.
 * Pure functions. */
#ifndef WEIR_SCHEMA_PARTITION_H
#define WEIR_SCHEMA_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "column/type.h"

struct weir_partition_options {
    bool infer_types;      /* false: every column is STRING (cloudFiles without inferColumnTypes) */
    const char *only;      /* cloudFiles.partitionColumns: "a,b"; "" takes none; NULL: all, when the layouts agree */
};

/* A STRUCT of the partition columns that the keys show, in path order; without fields when there are none or the
 * layouts conflict (*conflict, may be NULL, then says so). */
weir_rc weir_partition_infer(const char *const *keys, uint32_t n, const struct weir_partition_options *opt,
                             struct weir_mem *mem, const struct weir_type **out, bool *conflict,
                             struct weir_error *err);
/* The decoded text of column `name` (any case) in key, appended to out. false: absent, or Hive's null. */
bool weir_partition_value(const char *key, const char *name, struct weir_buf *out);
/* Whether key has a segment "name=…" (any case). */
bool weir_partition_has(const char *key, const char *name);

#endif
