/* Pages to a Parquet file, with statistics for the footer and for Delta in the same pass.
 *
 * Follows parquet-format 2.x: data page v1, RLE/bit-packed levels, dictionary with early give-up, PLAIN.
 * Types as spec/delta §6. Threads: a writer has one owner (a lane). It copies all it keeps from a page. */
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
    uint64_t row_group_bytes; /* encoded, uncompressed; 0: 16 MiB */
    uint32_t page_bytes;      /* 0: 1 MiB */
    bool field_ids;           /* from the field metadata delta.columnMapping.id */
    const char *created_by;
};

/* Where the bytes go, in order. */
struct weir_parquet_out {
    void *self;
    weir_rc (*write)(void *self, const void *p, size_t n, struct weir_error *err);
};

/* Statistics of one leaf or nested column over the file, a tree in the shape of the schema's types. */
struct weir_colstats {
    const struct weir_field *field;
    uint64_t nulls;     /* rows where it is null, or one of its parents is (Delta's nullCount). Not below lists */
    bool has_minmax;    /* at least one value, and the type has an order that Delta keeps */
    union { int64_t i; double d; weir_i128 dec; } min, max; /* NaN: max is NaN (Spark's order); -0.0 is 0.0 */
    bool has_nan;
    /* STRING: min is the first 32 code points at most; max the same with Delta's tie-breaker; max_len 0 with
     * has_max false: left out. */
    char min_text[132], max_text[136]; uint32_t min_len, max_len; bool has_max_text;
    struct weir_colstats *kids; uint32_t nkids; /* of STRUCT only */
};

struct weir_filestats {
    uint64_t rows, bytes; /* bytes of the file */
    struct weir_colstats *cols; uint32_t ncols;
};

struct weir_parquet; /* a writer */
/* schema: the file's columns (VOID ones are left out of the file). Everything under q. */
weir_rc weir_parquet_new(const struct weir_type *schema, const struct weir_parquet_options *opt,
                         struct weir_parquet_out out, struct weir_quota *q, struct weir_parquet **w,
                         struct weir_error *err);
/* Appends n rows of page: those in sel (ascending row numbers), or all when sel is NULL. Page columns are matched
 * to the writer's by map: page column of file column i is map[i]; NULL: the same order. */
weir_rc weir_parquet_append(struct weir_parquet *w, const struct weir_page *page, const uint16_t *map,
                            const uint16_t *sel, uint32_t n, struct weir_error *err);
uint64_t weir_parquet_memory(const struct weir_parquet *w); /* bytes held now */
/* Writes the last row group and the footer. stats is valid until free. */
weir_rc weir_parquet_finish(struct weir_parquet *w, const struct weir_filestats **stats, struct weir_error *err);
void weir_parquet_free(struct weir_parquet *w); /* NULL is fine; without finish the output is not a file */

#endif
