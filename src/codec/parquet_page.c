/* An ended page: its body is put together, compressed and kept until its row group ends.
 *
 * 1. A chunk's pages must stand together in the file, after the chunk's dictionary, which is only known at
 *    its end. So ended pages wait, compressed, and a writer holds about its row group after compression, the
 *    open pages and one page of scratch.
 * 2. Waiting pages lie in segments that are filled from the front and emptied all at once; they are reused by
 *    the next row group.
 * 3. Data page v1 ("Data Pages"): repetition levels, definition levels, each with its length in front, then
 *    values. Levels are written right in front of the values where those wait for compression, if they fit
 *    there.
 * 4. Each page has its CRC ("Checksumming"): of the bytes as they stand in the file, without the header. */
#include "codec/parquet_int.h"

#include <string.h>
#include <zlib.h>

/* ---- pages that wait ---- */

enum { SEGMENT_BYTES = 256 * 1024 };

struct weir_segment {
    struct weir_segment *next;
    size_t cap, used;
    _Alignas(16) uint8_t bytes[];
};

static void
segment_free(struct weir_parquet *w, struct weir_segment *s)
{
    weir_heap_free(&w->quota, s, sizeof(*s) + s->cap);
}

/* The segment in use, or the next one that has room for size bytes. */
static struct weir_segment *
segment_for(struct weir_parquet *w, size_t size)
{
    struct weir_segment *s = w->seg;
    size_t cap = size < SEGMENT_BYTES ? SEGMENT_BYTES : size;

    if (s != NULL && s->cap - s->used >= size)
        return s;
    if (s != NULL && s->next != NULL && s->next->cap >= size)
        return w->seg = s->next;
    s = weir_heap_alloc(&w->quota, sizeof(*s) + cap);
    if (s == NULL)
        return NULL;
    s->cap = cap;
    s->used = 0;
    if (w->seg == NULL) {
        s->next = w->segs;
        w->segs = s;
    } else {
        s->next = w->seg->next;
        w->seg->next = s;
    }
    return w->seg = s;
}

void
weir_parquet_drop_pieces(struct weir_parquet *w)
{
    struct weir_segment **link = &w->segs;

    while (*link != NULL) { /* a segment of its own size served one big page: it is not kept */
        struct weir_segment *s = *link;

        if (s->cap > SEGMENT_BYTES) {
            *link = s->next;
            segment_free(w, s);
            continue;
        }
        s->used = 0;
        link = &s->next;
    }
    w->seg = w->segs;
}

void
weir_parquet_free_pieces(struct weir_parquet *w)
{
    while (w->segs != NULL) {
        struct weir_segment *s = w->segs;

        w->segs = s->next;
        segment_free(w, s);
    }
    w->seg = NULL;
}

/* Keeps header and body as the leaf's last piece. */
static weir_rc
piece_keep(struct weir_parquet *w, struct weir_leaf *leaf, const void *body, size_t n, struct weir_error *err)
{
    size_t len = w->head.len + n, size = (sizeof(struct weir_piece) + len + 15) & ~(size_t)15;
    struct weir_segment *s = segment_for(w, size);
    struct weir_piece *piece;

    if (s == NULL)
        return weir_heap_fail(&w->quota, size, "a Parquet file", err);
    piece = (struct weir_piece *)(void *)(s->bytes + s->used);
    s->used += size;
    piece->next = NULL;
    piece->len = len;
    memcpy(piece->bytes, w->head.data, w->head.len);
    memcpy(piece->bytes + w->head.len, body, n);
    if (leaf->last != NULL)
        leaf->last->next = piece;
    else
        leaf->first = piece;
    leaf->last = piece;
    return WEIR_OK;
}

/* ---- a page's parts ---- */

static weir_rc
put_levels(struct weir_parquet *w, const uint8_t *levels, const struct weir_leaf *leaf, unsigned max,
           struct weir_error *err)
{
    unsigned width = weir_rle_width(max);
    uint32_t n;
    uint8_t *p;

    WEIR_TRY(weir_array_room(&w->quota, &w->levels, sizeof(n) + weir_rle_bound(leaf->entries, width), err));
    p = w->levels.p + w->levels.len;
    if (levels == NULL) /* all the highest */
        n = (uint32_t)weir_rle_run(leaf->entries, max, width, p + sizeof(n));
    else
        n = (uint32_t)weir_rle_u8(levels, leaf->entries, width, p + sizeof(n));
    memcpy(p, &n, sizeof(n));
    w->levels.len += sizeof(n) + n;
    return WEIR_OK;
}

static weir_rc
page_levels(struct weir_parquet *w, const struct weir_leaf *leaf, struct weir_error *err)
{
    w->levels.len = 0;
    WEIR_TRY(weir_array_room(&w->quota, &w->levels, 0, err));
    if (leaf->max_rep > 0)
        WEIR_TRY(put_levels(w, leaf->rep.p, leaf, leaf->max_rep, err));
    if (leaf->max_def > 0)
        WEIR_TRY(put_levels(w, leaf->def_flat ? NULL : leaf->def.p, leaf, leaf->max_def, err));
    return WEIR_OK;
}

/* Eight booleans a byte, the first lowest. */
static size_t
pack_bools(const uint8_t *v, size_t n, uint8_t *out)
{
    size_t bytes = 0;

    for (; n >= 8; n -= 8, v += 8) {
        uint64_t x;

        memcpy(&x, v, 8);
        out[bytes++] = (uint8_t)(x * UINT64_C(0x0102040810204080) >> 56);
    }
    if (n > 0) {
        out[bytes] = 0;
        for (size_t i = 0; i < n; i++)
            out[bytes] |= (uint8_t)(v[i] << i);
        bytes++;
    }
    return bytes;
}

static weir_rc
body_indices(struct weir_parquet *w, const struct weir_leaf *leaf, struct weir_error *err)
{
    size_t n = leaf->idx.len / sizeof(uint16_t);
    unsigned width = weir_rle_width(leaf->dict.n - 1);

    if (width == 0)
        width = 1; /* a width of 0 is legal and not read by all */
    WEIR_TRY(weir_array_room(&w->quota, &w->body, 1 + weir_rle_bound(n, width), err));
    w->body.p[w->body.len++] = (uint8_t)width;
    w->body.len += weir_rle_u16((const uint16_t *)leaf->idx.p, n, width, w->body.p + w->body.len);
    return WEIR_OK;
}

/* Puts levels and values together. *at, *n: the body. */
static weir_rc
page_body(struct weir_parquet *w, struct weir_leaf *leaf, const uint8_t **at, size_t *n,
          struct weir_error *err)
{
    size_t values = leaf->values.len == 0 ? 0 : leaf->values.len - WEIR_PAGE_HEAD;
    bool bits = leaf->phys == WEIR_PHYS_BOOL;

    WEIR_TRY(page_levels(w, leaf, err));
    if (values > 0 && !bits && w->levels.len <= WEIR_PAGE_HEAD) {
        *at = leaf->values.p + WEIR_PAGE_HEAD - w->levels.len;
        *n = w->levels.len + values;
        memcpy(leaf->values.p + WEIR_PAGE_HEAD - w->levels.len, w->levels.p, w->levels.len);
        return WEIR_OK;
    }
    w->body.len = 0;
    WEIR_TRY(weir_array_room(&w->quota, &w->body, w->levels.len + values, err));
    memcpy(w->body.p, w->levels.p, w->levels.len);
    w->body.len = w->levels.len;
    if (leaf->idx.len > 0) {
        WEIR_TRY(body_indices(w, leaf, err));
    } else if (values > 0 && bits) {
        w->body.len += pack_bools(leaf->values.p + WEIR_PAGE_HEAD, values, w->body.p + w->body.len);
    } else if (values > 0) {
        memcpy(w->body.p + w->body.len, leaf->values.p + WEIR_PAGE_HEAD, values);
        w->body.len += values;
    }
    *at = w->body.p;
    *n = w->body.len;
    return WEIR_OK;
}

/* ---- headers ---- */

/* PageHeader into w->head. body: as it stands in the file. */
static weir_rc
page_header(struct weir_parquet *w, bool dict, uint32_t values, int32_t encoding, size_t raw,
            const uint8_t *body, size_t packed, struct weir_error *err)
{
    struct weir_thrift t = {.buf = &w->head};

    if (raw > INT32_MAX || packed > INT32_MAX)
        return weir_fail(err, WEIR_UNSUPPORTED, "a page of %zu bytes; Parquet ends at 2 GiB", raw);
    weir_buf_reset(&w->head);
    weir_thrift_open(&t);
    weir_thrift_i32(&t, 1, dict ? PAGE_DICT : PAGE_DATA);
    weir_thrift_i32(&t, 2, (int32_t)raw);
    weir_thrift_i32(&t, 3, (int32_t)packed);
    weir_thrift_i32(&t, 4, (int32_t)crc32(0, body, (uInt)packed));
    weir_thrift_struct(&t, dict ? 7 : 5);
    weir_thrift_i32(&t, 1, (int32_t)values);
    weir_thrift_i32(&t, 2, encoding);
    if (!dict) {
        weir_thrift_i32(&t, 3, ENC_RLE);
        weir_thrift_i32(&t, 4, ENC_RLE);
    }
    weir_thrift_close(&t);
    weir_thrift_close(&t);
    return weir_buf_check(&w->head, err);
}

/* Compresses into w->packed unless nothing is to be done. */
static weir_rc
page_compress(struct weir_parquet *w, const uint8_t **at, size_t *n, struct weir_error *err)
{
    size_t room = weir_squeeze_bound(w->squeeze, *n);

    if (w->opt.codec == WEIR_UNCOMPRESSED)
        return WEIR_OK;
    w->packed.len = 0;
    WEIR_TRY(weir_array_room(&w->quota, &w->packed, room, err));
    WEIR_TRY(weir_squeeze_block(w->squeeze, *at, *n, w->packed.p, room, n, err));
    *at = w->packed.p;
    return WEIR_OK;
}

weir_rc
weir_parquet_page_encode(struct weir_parquet *w, struct weir_leaf *leaf, struct weir_error *err)
{
    bool dict = leaf->idx.len > 0;
    const uint8_t *at;
    size_t n, raw;

    WEIR_TRY(page_body(w, leaf, &at, &n, err));
    raw = n;
    WEIR_TRY(page_compress(w, &at, &n, err));
    WEIR_TRY(page_header(w, false, leaf->entries, dict ? ENC_RLE_DICT : ENC_PLAIN, raw, at, n, err));
    WEIR_TRY(piece_keep(w, leaf, at, n, err));
    leaf->chunk_raw += w->head.len + raw;
    leaf->chunk_packed += w->head.len + n;
    leaf->dict_pages += dict;
    leaf->plain_pages += !dict;
    return WEIR_OK;
}

/* ---- a chunk into the file ---- */

weir_rc
weir_parquet_emit(struct weir_parquet *w, const void *p, size_t n, struct weir_error *err)
{
    WEIR_TRY(w->out.write(w->out.self, p, n, err));
    w->pos += n;
    return WEIR_OK;
}

static weir_rc
dict_write(struct weir_parquet *w, struct weir_leaf *leaf, struct weir_error *err)
{
    const struct weir_dict *d = &leaf->dict;
    const uint8_t *at = d->values.p;
    size_t n = d->values.len, raw;
    weir_i128 dec;

    if (leaf->phys == WEIR_PHYS_FIXED) {
        w->body.len = 0;
        n = (size_t)d->n * leaf->fixed;
        WEIR_TRY(weir_array_room(&w->quota, &w->body, n, err));
        for (uint32_t i = 0; i < d->n; i++) {
            memcpy(&dec, d->values.p + (size_t)i * sizeof(dec), sizeof(dec));
            weir_fixed_put(dec, leaf->fixed, w->body.p + (size_t)i * leaf->fixed);
        }
        at = w->body.p;
    }
    raw = n;
    WEIR_TRY(page_compress(w, &at, &n, err));
    WEIR_TRY(page_header(w, true, d->n, ENC_PLAIN, raw, at, n, err));
    leaf->chunk_raw += w->head.len + raw;
    leaf->chunk_packed += w->head.len + n;
    WEIR_TRY(weir_parquet_emit(w, w->head.data, w->head.len, err));
    return weir_parquet_emit(w, at, n, err);
}

weir_rc
weir_parquet_chunk_write(struct weir_parquet *w, struct weir_leaf *leaf, uint64_t *dict_pos,
                         uint64_t *data_pos, struct weir_error *err)
{
    *dict_pos = 0;
    if (leaf->dict_pages > 0) {
        *dict_pos = w->pos;
        WEIR_TRY(dict_write(w, leaf, err));
    }
    *data_pos = w->pos;
    for (const struct weir_piece *p = leaf->first; p != NULL; p = p->next)
        WEIR_TRY(weir_parquet_emit(w, p->bytes, p->len, err));
    return WEIR_OK;
}
