/* Pages to a Parquet file, with statistics for the footer and for Delta in the same pass.
 *
 * 1. Follows parquet-format 2.x: data page v1, RLE/bit-packed levels, dictionary with early give-up, PLAIN.
 * 2. Types as Spark writes them for Delta (byte, short, int INT32; timestamps INT64 micros; decimals INT32,
 *    INT64 or FIXED by precision; list.element; key_value). VOID columns are left out of the file.
 * 3. A writer holds its open row group compressed: less than row_group_bytes, the dictionaries' tables (two
 *    to three times the dictionaries, which count as part of the row group) and one page's scratch.
 * Threads: a writer has one owner (a lane). It copies all it keeps from a page. */
#ifndef WEIR_CODEC_PARQUET_WRITE_H
#define WEIR_CODEC_PARQUET_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "column/page.h"

typedef enum weir_parquet_codec { WEIR_UNCOMPRESSED, WEIR_SNAPPY, WEIR_ZSTD } weir_parquet_codec;

struct weir_parquet_options {
    weir_parquet_codec codec;
    int level;                /* zstd's; 0: 3 */
    uint64_t row_group_bytes; /* encoded, uncompressed; 0: 16 MiB. Ends with the append that reaches it */
    uint32_t page_bytes;      /* 0: 1 MiB; plus at most one record */
    uint32_t page_rows;       /* 0: 20,000; plus at most one append */
    bool field_ids;           /* from the field metadata delta.columnMapping.id */
    const char *created_by;   /* NULL: "weir version X". Borrowed until free */
};

/* Where the bytes go, in order. */
struct weir_parquet_out {
    void *self;
    weir_rc (*write)(void *self, const void *p, size_t n, struct weir_error *err);
};

/* Statistics of one leaf or nested column over the file, a tree in the shape of the schema's types. */
struct weir_colstats {
    const struct weir_field *field;
    uint64_t nulls; /* rows where it or one of its parents is null (Delta's nullCount). Not below lists */
    bool has_minmax;    /* at least one value, and the type has an order that Delta keeps */
    union { int64_t i; double d; weir_i128 dec; } min, max; /* NaN: max is NaN (Spark's order); -0.0 is 0.0 */
    bool has_nan;
    /* STRING: min is the first 32 code points at most; max 32 UTF-16 units and Delta's tie-breaker; max_len 0
     * with has_max_text false: left out. Both NUL-terminated. */
    char min_text[132], max_text[168]; uint32_t min_len, max_len; bool has_max_text;
    struct weir_colstats *kids; uint32_t nkids; /* of STRUCT only */
};

struct weir_filestats {
    uint64_t rows, bytes; /* bytes of the file */
    struct weir_colstats *cols; uint32_t ncols;
};

struct weir_parquet; /* a writer */
/* schema: the file's columns; borrowed until free. Everything under q. UNSUPPORTED names the column: variant,
 * void in a list or map, a struct of nothing but void, no column at all. */
weir_rc weir_parquet_new(const struct weir_type *schema, const struct weir_parquet_options *opt,
                         struct weir_parquet_out out, struct weir_quota *q, struct weir_parquet **w,
                         struct weir_error *err);
/* Appends n rows of page: those in sel (ascending row numbers), or the first n when sel is NULL. Page columns
 * are matched to the writer's by map: page column of file column i is map[i]; NULL: the same order. SCHEMA: a
 * null where the schema has none; names column and row. After any error only free. */
weir_rc weir_parquet_append(struct weir_parquet *w, const struct weir_page *page, const uint16_t *map,
                            const uint16_t *sel, uint32_t n, struct weir_error *err);
uint64_t weir_parquet_memory(const struct weir_parquet *w); /* Writes the last row group and the footer. stats is valid until free. Without a row the file has no row
 * group. */
weir_rc weir_parquet_finish(struct weir_parquet *w, const struct weir_filestats **stats,
                            struct weir_error *err);
void weir_parquet_free(struct weir_parquet *w); /* NULL is fine; without finish the output is not a file */

#endif
