/* Compressed blocks: one call, one block, as the pages of a Parquet file are. Streams are inflate.c's.
 *
 * A weir_squeeze keeps what a codec needs between blocks; it has one owner. Memory under q. */
#ifndef WEIR_CODEC_COMPRESS_BLOCK_H
#define WEIR_CODEC_COMPRESS_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

typedef enum weir_squeeze_codec {
    WEIR_SQUEEZE_NONE,
    WEIR_SQUEEZE_SNAPPY,
    WEIR_SQUEEZE_ZSTD
} weir_squeeze_codec;

struct weir_squeeze;
/* level is zstd's; 0: 3. */
weir_rc weir_squeeze_new(weir_squeeze_codec codec, int level, struct weir_quota *q, struct weir_squeeze **out,
                         struct weir_error *err);
void weir_squeeze_free(struct weir_squeeze *z);                    /* NULL is fine */
size_t weir_squeeze_bound(const struct weir_squeeze *z, size_t n); /* the most that n bytes can become */
/* room: at least weir_squeeze_bound(n). *got: the bytes of the block. */
weir_rc weir_squeeze_block(struct weir_squeeze *z, const void *p, size_t n, void *out, size_t room,
                           size_t *got, struct weir_error *err);

#endif
