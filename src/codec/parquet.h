/* Reading Parquet objects: an upward call. Declared here for delta/, which reads checkpoints; filled by sql/,
 * whose engine knows the format. Writing is codec/parquet_write.h.
 *
 * Wanted are places in the file's schema, each becomes one column of the pages. A place that the file does
 * not have reads as null, whatever its type in the file is it is cast to the wanted one. Threads: a reader
 * has one owner; several may be open at a time. */
#ifndef WEIR_CODEC_PARQUET_H
#define WEIR_CODEC_PARQUET_H

#include <stdbool.h>

#include "column/page.h"
#include "store/store.h"

enum { WEIR_PARQUET_DEPTH = 4 };

struct weir_parquet_want {
    const char *path[WEIR_PARQUET_DEPTH]; /* names from the top, through structs; NULL behind the last */
    const struct weir_type *type;         /* of the column: a scalar, or a list or map of scalars */
    bool json;                            /* type STRING: whatever stands there, as JSON text */
    uint32_t unless; /* with json: 1 + the index of another; null in rows where that one is not */
};

struct weir_parquet_rows; /* a reader; the filler's own */

struct weir_parquet_io {
    /* wants is borrowed until close. some: only rows in which one of the wanted is not null. NOTFOUND;
     * CORRUPT: not a Parquet file. */
    weir_rc (*open)(struct weir_store *st, const char *key, const struct weir_parquet_want *wants, uint32_t n,
                    bool some, struct weir_quota *q, struct weir_parquet_rows **out, struct weir_error *err);
    /* The next rows, in the file's order; END. They are valid until the next call. Strings are valid UTF-8
     * without the pad of page.h's rule 3. CORRUPT, NOMEM. */
    weir_rc (*next)(struct weir_parquet_rows *rows, const struct weir_page **page, struct weir_error *err);
    void (*close)(struct weir_parquet_rows *rows); /* NULL is fine */
};

/* Who reads Parquet in this process: set once by main(), before other threads start. */
void weir_parquet_io_set(const struct weir_parquet_io *io);

/* The same through it; UNSUPPORTED while nobody is set. */
weir_rc weir_parquet_open(struct weir_store *st, const char *key, const struct weir_parquet_want *wants,
                          uint32_t n, bool some, struct weir_quota *q, struct weir_parquet_rows **out,
                          struct weir_error *err);
weir_rc weir_parquet_next(struct weir_parquet_rows *rows, const struct weir_page **page,
                          struct weir_error *err);
void weir_parquet_close(struct weir_parquet_rows *rows);

#endif
