/* What a scan's text is made of: scan_text.c, for scan.c. */
#ifndef WEIR_TABLE_SCAN_INT_H
#define WEIR_TABLE_SCAN_INT_H

#include "base/buf.h"
#include "column/text.h"
#include "delta/file.h"
#include "delta/mapping.h"
#include "table/scan.h"

enum { SCAN_FILES = 1000 }; /* of one read_parquet() */

struct scan_column {
    const struct weir_field *logical, *physical; /* void fields are gone in both */
    int64_t id;                                  /* field id; -1: by name */
    int64_t pad;   /* char(n): texts are shown with blanks up to n, as Spark does; 0: as they are */
    int partition; /* its place among the partition columns; -1: none */
};

struct scan_value {         /* of one partition column in the files of a part */
    struct weir_buf list;   /* literals, comma separated */
    size_t first;           /* length of the first */
    bool same;              /* all are like the first */
    struct weir_page *slot; /* to read a value into */
};

struct scan_text {
    const struct weir_table *table;
    const struct weir_zone *zone;
    const struct scan_column *columns;
    uint32_t ncolumns;
    struct scan_value *values; /* one a partition column */
    uint32_t nvalues;
    bool text_is_binary;       /* there are BINARY columns too, so what files do not call text stays bytes */
    struct weir_buf files; /* the part's list */
    uint32_t nfiles, base; /* in the part; of all parts before */
    bool vectors;          /* a file of the part has a deletion vector */
    const char *number;    /* for weir_alive() */
    struct weir_buf sql;
};

/* DuckDB's name of a type. */
void scan_type(const struct weir_type *type, struct weir_buf *sql);
void scan_quote(struct weir_buf *sql, const char *text, char quote);
/* The file's path and partition values. */
weir_rc scan_text_file(struct scan_text *t, const char *path, const struct weir_file *f,
                       struct weir_error *err);
/* Ends a part: one SELECT over the files since the last one. Nothing when there are none. */
void scan_text_part(struct scan_text *t);
/* The text for no files at all. */
void scan_text_none(struct scan_text *t);

#endif
