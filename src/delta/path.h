/* Names of data files and partition folders (Delta protocol, "Partition Value Serialization"; Hive's escaping as in
 * Spark's ExternalCatalogUtils). */
#ifndef WEIR_DELTA_PATH_H
#define WEIR_DELTA_PATH_H

#include "base/buf.h"
#include "column/page.h"
#include "column/text.h"

/* Appends "name=value" escaped for a folder. value NULL: __HIVE_DEFAULT_PARTITION__. A folder name that would be
 * longer than file systems take is cut and gets a hash: readers take values from the log, never from names. */
void weir_path_partition(struct weir_buf *buf, const char *name, const char *value, size_t len);
/* The value's text in a folder: as in the log, but timestamps as the session's wall clock. */
void weir_path_value(const struct weir_col *col, uint32_t row, const struct weir_zone *zone, struct weir_buf *buf);
/* Appends the path in the form in which two spellings of a file are the same (Java's URI after normalisation):
 * no "./", "//", "x/../"; hex digits of escapes in upper case. Nothing is decoded. */
void weir_path_normal(const char *path, size_t len, struct weir_buf *buf);

#endif
