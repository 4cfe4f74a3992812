/* Compressed blocks, by snappy and zstd.
 *
 * 1. What snappy takes by itself for a call (a hash table and two fragments) is counted for as long as the
 *    squeeze lives; zstd allocates through the quota.
 * 2. A block that does not compress comes out a little longer than it went in; the bound covers that. */
#include "codec/compress_block.h"

#include <string.h>

#include <snappy-c.h>
#define ZSTD_STATIC_LINKING_ONLY /* custom allocators */
#include <zstd.h>
#include <zstd_errors.h>

enum { SNAPPY_WORK = 192 * 1024, ZSTD_LEVEL = 3, HEADER = 64 };

struct weir_squeeze {
    weir_squeeze_codec codec;
    int level;
    struct weir_quota *q;
    ZSTD_CCtx *zstd;
};

/* zstd does not say the size when it frees: it stands in front. */
static void *
zstd_alloc(void *q, size_t size)
{
    char *p = size > SIZE_MAX - HEADER ? NULL : weir_heap_alloc(q, size + HEADER);

    if (p == NULL)
        return NULL;
    memcpy(p, &size, sizeof(size));
    return p + HEADER;
}

static void
zstd_release(void *q, void *p)
{
    size_t size;

    if (p == NULL)
        return;
    memcpy(&size, (char *)p - HEADER, sizeof(size));
    weir_heap_free(q, (char *)p - HEADER, size + HEADER);
}

weir_rc
weir_squeeze_new(weir_squeeze_codec codec, int level, struct weir_quota *q, struct weir_squeeze **out,
                 struct weir_error *err)
{
    size_t size = sizeof(struct weir_squeeze);
    struct weir_squeeze *z;

    *out = NULL;
    if (codec == WEIR_SQUEEZE_SNAPPY)
        WEIR_TRY(weir_quota_take(q, SNAPPY_WORK, err));
    z = weir_heap_alloc(q, size);
    if (z == NULL) {
        if (codec == WEIR_SQUEEZE_SNAPPY)
            weir_quota_give(q, SNAPPY_WORK);
        return weir_fail(err, WEIR_NOMEM, "no memory for a compressor");
    }
    *z = (struct weir_squeeze){.codec = codec, .level = level != 0 ? level : ZSTD_LEVEL, .q = q};
    *out = z;
    return WEIR_OK;
}

void
weir_squeeze_free(struct weir_squeeze *z)
{
    if (z == NULL)
        return;
    ZSTD_freeCCtx(z->zstd);
    if (z->codec == WEIR_SQUEEZE_SNAPPY)
        weir_quota_give(z->q, SNAPPY_WORK);
    weir_heap_free(z->q, z, sizeof(*z));
}

size_t
weir_squeeze_bound(const struct weir_squeeze *z, size_t n)
{
    switch (z->codec) {
    case WEIR_SQUEEZE_SNAPPY:
        return snappy_max_compressed_length(n);
    case WEIR_SQUEEZE_ZSTD:
        return ZSTD_compressBound(n);
    case WEIR_SQUEEZE_NONE:
        break;
    }
    return n;
}

static weir_rc
squeeze_zstd(struct weir_squeeze *z, const void *p, size_t n, void *out, size_t room, size_t *got,
             struct weir_error *err)
{
    size_t size;

    if (z->zstd == NULL) { /* made late: a file without rows needs none */
        z->zstd = ZSTD_createCCtx_advanced((ZSTD_customMem){zstd_alloc, zstd_release, z->q});
        if (z->zstd == NULL)
            return weir_fail(err, WEIR_NOMEM, "no memory for zstd");
    }
    size = ZSTD_compressCCtx(z->zstd, out, room, p, n, z->level);
    if (ZSTD_isError(size))
        return weir_fail(err, ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation ? WEIR_NOMEM : WEIR_BUG,
                         "zstd: %s", ZSTD_getErrorName(size));
    *got = size;
    return WEIR_OK;
}

weir_rc
weir_squeeze_block(struct weir_squeeze *z, const void *p, size_t n, void *out, size_t room, size_t *got,
                   struct weir_error *err)
{
    WEIR_ASSERT(room >= weir_squeeze_bound(z, n));
    *got = room;
    switch (z->codec) {
    case WEIR_SQUEEZE_SNAPPY:
        if (snappy_compress(p, n, out, got) != SNAPPY_OK)
            return weir_fail(err, WEIR_BUG, "snappy refused a block of %zu bytes", n);
        return WEIR_OK;
    case WEIR_SQUEEZE_ZSTD:
        return squeeze_zstd(z, p, n, out, room, got, err);
    case WEIR_SQUEEZE_NONE:
        break;
    }
    memcpy(out, p, n);
    *got = n;
    return WEIR_OK;
}
