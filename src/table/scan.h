/* A Delta table as a relation of a query: its snapshot, and SQL text of DuckDB over its data files.
 *
 * Follows the Delta protocol for readers: deletion vectors, column mapping, partition values, type widening,
 * columns that a file lacks. Columns of type void are not shown, at any depth, as in Spark. Threads: a table
 * has one owner; a scan is read-only once made, and its alive() may be called by any thread. */
#ifndef WEIR_TABLE_SCAN_H
#define WEIR_TABLE_SCAN_H

#include "column/pred.h"
#include "column/text.h"
#include "delta/snapshot.h"
#include "sql/engine.h"

struct weir_table {
    struct weir_store *st;
    struct weir_snapshot *snap;
    const struct weir_type *schema; /* what SELECT * shows */
    struct weir_mem *mem;
    struct weir_quota *quota;
};

struct weir_table_ask {
    const char *path; /* absolute path or URI */
    int64_t version;  /* -1: see timestamp */
    const char
        *timestamp; /* the newest version not younger than it, as Spark's TIMESTAMP AS OF; NULL: the newest */
    const struct weir_zone *zone; /* of a timestamp without one */
};

/* NOTFOUND: no table, or no such version; UNSUPPORTED names a reader feature; CORRUPT. */
weir_rc weir_table_open(const struct weir_table_ask *ask, struct weir_quota *q, struct weir_table **out,
                        struct weir_error *err);
void weir_table_close(struct weir_table *table); /* NULL is fine */

struct weir_table_scan {
    const char *select;             /* for weir_engine_input: yields c0, c1 … in the order of the schema */
    const char *const *folders;     /* absolute, ended by NULL: all files that it reads are below them */
    const struct weir_alive *alive; /* NULL: no file has a deletion vector */
    uint64_t files, pruned, bytes;
    uint64_t rows; /* by statistics, without deleted ones; 0: not known */
    struct weir_mem *mem;
};

struct weir_table_scan_ask {
    const char *name; /* of the relation, as in weir_sql_relation: "r0" */
    const struct weir_pred
        *pred; /* rows that somebody will keep: files without any are left out; NULL: all */
    const struct weir_zone *zone; /* of the session, for timestamps in partition values; NULL: UTC */
};
/* Looks at every file of the snapshot, and reads the deletion vectors. The text grows with the files (some
 * 200 bytes each): NOMEM over weir.memoryLimit. */
weir_rc weir_table_scan(const struct weir_table *table, const struct weir_table_scan_ask *ask,
                        struct weir_table_scan **out, struct weir_error *err);
void weir_table_scan_free(struct weir_table_scan *scan); /* NULL is fine */

#endif
