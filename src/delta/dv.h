/* Deletion vectors: which rows of a data file are no more.
 *
 * Follows the Delta protocol, "Deletion Vectors" and "Deletion Vector Format": bitmaps of 64-bit row numbers,
 * inline in the log or in files of their own. Row numbers are physical: places in the Parquet file before any
 * skipping. */
#ifndef WEIR_DELTA_DV_H
#define WEIR_DELTA_DV_H

#include "delta/file.h"
#include "store/store.h"

struct weir_dv;

/* st: the table's. NOTFOUND becomes CORRUPT: without its vector a file cannot be read. CORRUPT: size,
 * checksum, cardinality or anything in the bitmap does not fit; UNSUPPORTED: a storage type of later
 * protocols. */
weir_rc weir_dv_read(struct weir_store *st, const struct weir_dv_ref *ref, struct weir_quota *q,
                     struct weir_dv **out, struct weir_error *err);
/* The bitmap's own bytes, magic number first. cardinality: what it must hold. */
weir_rc weir_dv_parse(const void *p, size_t n, uint64_t cardinality, struct weir_quota *q,
                      struct weir_dv **out, struct weir_error *err);
bool weir_dv_has(const struct weir_dv *dv, uint64_t row); /* pure; any thread */
uint64_t weir_dv_cardinality(const struct weir_dv *dv);
void weir_dv_free(struct weir_dv *dv); /* NULL is fine */

#endif
