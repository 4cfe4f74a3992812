/* Values for people and for other programs: pages as a table, as JSON lines, as CSV.
 *
 * Texts are Spark's: a table shows what CAST(x AS STRING) gives (binaries in hexadecimal, as show() does),
 * JSON is that of to_json() with nulls left out. Timestamps are in the zone.
 * Threads: one owner. */
#ifndef WEIR_COLUMN_SHOW_H
#define WEIR_COLUMN_SHOW_H

#include "column/page.h"
#include "column/text.h"

/* Null is "NULL" at the top, "null" inside of others. */
void weir_show_text(const struct weir_col *col, uint32_t row, const struct weir_zone *zone,
                    struct weir_buf *buf);
void weir_show_json(const struct weir_col *col, uint32_t row, const struct weir_zone *zone,
                    struct weir_buf *buf);

/* In the order of "table|json|csv". */
typedef enum weir_show_format { WEIR_SHOW_TABLE, WEIR_SHOW_JSON, WEIR_SHOW_CSV } weir_show_format;

struct weir_show {
    weir_show_format format;
    const struct weir_type *schema;
    const struct weir_zone *zone;
    unsigned width; /* TABLE: longer texts are cut, as show() does; 0: never */
    uint64_t most;  /* rows shown; the rest is counted */
    weir_rc (*out)(void *self, const char *text, size_t len, struct weir_error *err);
    void *self;
    struct weir_quota *quota;
    /* its own */
    struct weir_mem *mem, *scratch; /* scratch: cells of rows that are not kept */
    uint64_t rows;       /* written so far */
    const char **cells;  /* TABLE: rows kept until widths are known */
    size_t ncells, *widths;
    bool begun;
};

/* The first fields are filled, the others zero. */
weir_rc weir_show_write(struct weir_show *show, const struct weir_page *page, struct weir_error *err);
/* What is kept goes out; a table without rows shows its titles. */
weir_rc weir_show_finish(struct weir_show *show, struct weir_error *err);
void weir_show_fini(struct weir_show *show); /* zeroed is fine */

#endif
