/* Compressed bytes, by zlib, zstd, bzip2 and snappy.
 * Streams: what a file's name says it is (.gz .zst .bz2). Concatenated members are one stream. A truncated stream
 * is CORRUPT, never a short read. Memory under q. */
#ifndef WEIR_CODEC_COMPRESS_H
#define WEIR_CODEC_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

typedef enum weir_compression { WEIR_RAW, WEIR_GZIP, WEIR_ZSTD_STREAM, WEIR_BZIP2 } weir_compression;

/* By the name's end in any case: .gz .zst .bz2; else RAW. */
weir_compression weir_compression_of(const char *name);
/* UNSUPPORTED: the name ends as that of an archive or of a compression that is not read. Its bytes taken for
 * text would be garbage in the table, and the file would count as read. */
weir_rc weir_compression_check(const char *name, struct weir_error *err);

struct weir_inflate;
weir_rc weir_inflate_new(weir_compression how, struct weir_quota *q, struct weir_inflate **out, struct weir_error *err);
/* Consumes from in (*in, *n move), writes at most room bytes at p, *got bytes written. OK also when nothing was
 * written: give more input. eof: no more input will come; END when the stream is complete and drained. */
weir_rc weir_inflate_step(struct weir_inflate *z, const char **in, size_t *n, bool eof, char *p, size_t room,
                          size_t *got, struct weir_error *err);
void weir_inflate_free(struct weir_inflate *z);

#endif
