/* A folder of files as a table that a query can name: json.`PATH`. Read once, as it is now.
 * Threads: one owner; the feed serves all lanes. */
#ifndef WEIR_PIPELINE_FILES_TABLE_H
#define WEIR_PIPELINE_FILES_TABLE_H

#include "base/error.h"
#include "base/stop.h"
#include "column/feed.h"

struct weir_files_table;

/* path: absolute; files, folders, patterns, as in a pipeline's source. The schema is inferred. */
weir_rc weir_files_table_open(const char *format, const char *path, const char *zone_name,
                              struct weir_stop *stop, struct weir_files_table **out, struct weir_error *err);
void weir_files_table_close(struct weir_files_table *t); /* NULL is fine */
/* The last column is _metadata. */
const struct weir_type *weir_files_table_schema(const struct weir_files_table *t);
uint64_t weir_files_table_bytes(const struct weir_files_table *t);
/* For one run; the feed before it is closed. failed: as in weir_scan_env. */
weir_rc weir_files_table_feed(struct weir_files_table *t, unsigned lanes, _Atomic bool *failed,
                              struct weir_feed *feed, struct weir_error *err);

#endif
