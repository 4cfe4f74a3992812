/* Streams of compressed bytes, by zlib, libzstd and libbz2: one small driver each behind one step.
 *
 * 1. Members that follow each other (cat a.gz b.gz) are one stream, as the formats' own tools read them.
 * 2. Input that ends inside a member is CORRUPT; bytes after the last member that start no new one too, except
 *    zero padding behind gzip members, which tape tools leave.
 * 3. The window of zstd is limited (WINDOW_LOG), so a hostile frame cannot ask for gigabytes.
 * Memory: each library's fixed state is taken from the quota by its documented size, not by its allocator; the window
 * of zstd, which the file chooses, by what libzstd says. */
#include "codec/compress.h"

#include <bzlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>
#include <zstd.h>

#include "base/limits.h"

enum { WINDOW_LOG = 27 }; /* 128 MiB: what zstd itself allows without --long */

struct weir_inflate {
    weir_compression how;
    struct weir_quota *q;
    uint64_t taken;
    bool inside; /* within a member */
    bool any;    /* a member was seen to its end */
    union {
        z_stream gz;
        bz_stream bz;
        ZSTD_DStream *zs;
    } u;
};

static bool
name_ends(const char *name, const char *end)
{
    size_t n = strlen(name), k = strlen(end);

    return n >= k && strcasecmp(name + n - k, end) == 0;
}

weir_compression
weir_compression_of(const char *name)
{
    static const struct {
        const char *end;
        weir_compression how;
    } ends[] = {{".gz", WEIR_GZIP}, {".gzip", WEIR_GZIP}, {".zst", WEIR_ZSTD_STREAM}, {".bz2", WEIR_BZIP2}};

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        if (name_ends(name, ends[i].end))
            return ends[i].how;
    return WEIR_RAW;
}

weir_rc
weir_compression_check(const char *name, struct weir_error *err)
{
    static const char *const ends[] = {".lz4", ".snappy", ".sz", ".deflate", ".xz",  ".lzma", ".lzo", ".br",
                                       ".z",   ".zip",    ".7z", ".tar",     ".tgz", ".tbz2"};

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        if (!name_ends(name, ends[i]))
            continue;
        weir_fail(err, WEIR_UNSUPPORTED, "%s: %s files are not read by this version", name, ends[i]);
        return weir_error_hint(err, "pack it as .gz, .zst or .bz2; or leave such names out with "
                                    "pathGlobFilter");
    }
    return WEIR_OK;
}

static uint64_t
state_bytes(weir_compression how)
{
    switch (how) {
    case WEIR_GZIP:
        return 48 * WEIR_KIB;
    case WEIR_BZIP2:
        return 4 * WEIR_MIB;
    case WEIR_ZSTD_STREAM:
        return 9 * WEIR_MIB; /* a window of 8 MiB, which level 19 uses; larger ones are taken when a frame asks */
    case WEIR_RAW:
        break;
    }
    return 0;
}

weir_rc
weir_inflate_new(weir_compression how, struct weir_quota *q, struct weir_inflate **out, struct weir_error *err)
{
    struct weir_inflate *z;
    bool ok = true;

    *out = NULL;
    WEIR_TRY(weir_quota_take(q, state_bytes(how), err));
    z = calloc(1, sizeof(*z));
    if (z == NULL) {
        weir_quota_give(q, state_bytes(how));
        return weir_fail(err, WEIR_NOMEM, "no memory for a decompressor");
    }
    z->how = how;
    z->q = q;
    z->taken = state_bytes(how);
    switch (how) {
    case WEIR_GZIP:
        ok = inflateInit2(&z->u.gz, 15 + 16) == Z_OK;
        break;
    case WEIR_BZIP2:
        ok = BZ2_bzDecompressInit(&z->u.bz, 0, 0) == BZ_OK;
        break;
    case WEIR_ZSTD_STREAM:
        z->u.zs = ZSTD_createDStream();
        ok = z->u.zs != NULL && !ZSTD_isError(ZSTD_DCtx_setParameter(z->u.zs, ZSTD_d_windowLogMax, WINDOW_LOG));
        break;
    case WEIR_RAW:
        break;
    }
    if (!ok) {
        weir_inflate_free(z);
        return weir_fail(err, WEIR_NOMEM, "no memory for a decompressor");
    }
    *out = z;
    return WEIR_OK;
}

void
weir_inflate_free(struct weir_inflate *z)
{
    if (z == NULL)
        return;
    if (z->how == WEIR_GZIP)
        inflateEnd(&z->u.gz);
    else if (z->how == WEIR_BZIP2)
        BZ2_bzDecompressEnd(&z->u.bz);
    else if (z->how == WEIR_ZSTD_STREAM)
        ZSTD_freeDStream(z->u.zs);
    weir_quota_give(z->q, z->taken);
    free(z);
}

/* One call of a library: moves in and out, says whether a member has ended. NULL, or what is wrong. */
static const char *
gzip_step(struct weir_inflate *z, const char **in, size_t *n, char *p, size_t room, size_t *got, bool *ended)
{
    z_stream *s = &z->u.gz;
    int r;

    s->next_in = (Bytef *)(uintptr_t)*in;
    s->avail_in = *n > UINT32_MAX ? UINT32_MAX : (uInt)*n;
    s->next_out = (Bytef *)p;
    s->avail_out = room > UINT32_MAX ? UINT32_MAX : (uInt)room;
    r = inflate(s, Z_NO_FLUSH);
    *n -= (size_t)((const char *)s->next_in - *in);
    *in = (const char *)s->next_in;
    *got = (size_t)((char *)s->next_out - p);
    *ended = r == Z_STREAM_END;
    if (*ended)
        inflateReset(s);
    return r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR ? NULL : s->msg != NULL ? s->msg : "bad gzip data";
}

static const char *
bzip2_step(struct weir_inflate *z, const char **in, size_t *n, char *p, size_t room, size_t *got, bool *ended)
{
    bz_stream *s = &z->u.bz;
    int r;

    s->next_in = (char *)(uintptr_t)*in;
    s->avail_in = *n > UINT32_MAX ? UINT32_MAX : (unsigned)*n;
    s->next_out = p;
    s->avail_out = room > UINT32_MAX ? UINT32_MAX : (unsigned)room;
    r = BZ2_bzDecompress(s);
    *n -= (size_t)(s->next_in - *in);
    *in = s->next_in;
    *got = (size_t)(s->next_out - p);
    *ended = r == BZ_STREAM_END;
    if (*ended) {
        BZ2_bzDecompressEnd(s);
        memset(s, 0, sizeof(*s));
        if (BZ2_bzDecompressInit(s, 0, 0) != BZ_OK)
            return "no memory for the next bzip2 member";
    }
    return r == BZ_OK || r == BZ_STREAM_END ? NULL : r == BZ_DATA_ERROR_MAGIC ? "not bzip2 data" : "bad bzip2 data";
}

static const char *
zstd_step(struct weir_inflate *z, const char **in, size_t *n, char *p, size_t room, size_t *got, bool *ended)
{
    ZSTD_inBuffer i = {*in, *n, 0};
    ZSTD_outBuffer o = {p, room, 0};
    size_t r = ZSTD_decompressStream(z->u.zs, &o, &i);

    *in += i.pos;
    *n -= i.pos;
    *got = o.pos;
    *ended = r == 0;
    return ZSTD_isError(r) ? ZSTD_getErrorName(r) : NULL;
}

static bool
only_zeros(const char *p, size_t n)
{
    while (n > 0 && p[n - 1] == 0)
        n--;
    return n == 0;
}

/* A frame's header decides how large its window is: what is over the usual is taken when libzstd has made it. */
static weir_rc
zstd_take(struct weir_inflate *z, struct weir_error *err)
{
    uint64_t used = ZSTD_sizeof_DStream(z->u.zs);

    if (used <= z->taken)
        return WEIR_OK;
    WEIR_TRY(weir_quota_take(z->q, used - z->taken, err));
    z->taken = used;
    return WEIR_OK;
}

weir_rc
weir_inflate_step(struct weir_inflate *z, const char **in, size_t *n, bool eof, char *p, size_t room, size_t *got,
                  struct weir_error *err)
{
    const char *bad;
    bool ended = false;
    size_t before = *n;

    *got = 0;
    if (z->how == WEIR_RAW) {
        *got = *n < room ? *n : room;
        memcpy(p, *in, *got);
        *in += *got;
        *n -= *got;
        return *got == 0 && *n == 0 && eof ? WEIR_END : WEIR_OK;
    }
    if (!z->inside) {
        if (*n == 0)
            return eof ? WEIR_END : WEIR_OK; /* a file of no bytes is an empty stream */
        if (z->how == WEIR_GZIP && z->any && only_zeros(*in, *n)) { /* padding */
            *in += *n;
            *n = 0;
            return eof ? WEIR_END : WEIR_OK;
        }
        z->inside = true;
    }
    bad = z->how == WEIR_GZIP    ? gzip_step(z, in, n, p, room, got, &ended)
          : z->how == WEIR_BZIP2 ? bzip2_step(z, in, n, p, room, got, &ended)
                                 : zstd_step(z, in, n, p, room, got, &ended);
    if (bad != NULL)
        return weir_fail(err, WEIR_CORRUPT, "the compressed data are damaged: %s", bad);
    if (z->how == WEIR_ZSTD_STREAM)
        WEIR_TRY(zstd_take(z, err));
    if (ended) {
        z->inside = false;
        z->any = true;
    }
    if (eof && z->inside && *got == 0 && *n == 0 && (before == 0 || room > 0))
        return weir_fail(err, WEIR_CORRUPT, "the compressed file is cut off");
    return WEIR_OK;
}
