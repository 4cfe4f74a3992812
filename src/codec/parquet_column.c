/* A leaf's open page: entries come in with their levels, values go to the dictionary or to PLAIN bytes.
 *
 * 1. A page ends with the record that fills it (page_bytes, or page_rows at the next append), so a record
 *    never spans two pages and a page is at most one record over its size.
 * 2. A chunk begins with a dictionary (but booleans). It is given up for the rest of the chunk
 *      - when the first JUDGE_AT values let expect too many different ones,
 *      - when the first page would be smaller without it,
 *      - when it is full.
 *    As long as no page with indices has ended, giving up turns the open page's indices back into values and
 *    the chunk has no dictionary at all; otherwise the open page ends and PLAIN pages follow.
 * 3. A take (entries of one append up to a page's end) is all in one form: when the dictionary fills within
 *    it, the take starts anew as PLAIN.
 * The loops over values are written out by width; nothing is called per value. */
#include "codec/parquet_int.h"

#include <string.h>

enum { JUDGE_AT = 4096, JUDGE_DISTINCT = 60000 };

/* ---- values from the page, contiguous and in memory's form ---- */

/* Slots are copied by their width, whatever type they have. */
typedef int64_t __attribute__((may_alias)) slot64;
typedef int32_t __attribute__((may_alias)) slot32;

#define GATHER(to_type, from_type)                                                                           \
    do {                                                                                                     \
        to_type *to = out;                                                                                   \
        const from_type *from = data;                                                                        \
                                                                                                             \
        if (in->pos != NULL)                                                                                 \
            for (uint32_t i = 0; i < in->live; i++)                                                          \
                to[i] = from[in->pos[i]];                                                                    \
        else                                                                                                 \
            for (uint32_t i = 0; i < in->live; i++)                                                          \
                to[i] = from[in->first + i * in->step];                                                      \
    } while (0)

/* The widening copy from slots of `slot` bytes. */
static void
gather_copy(void *out, const void *data, size_t slot, const struct weir_leaf *leaf,
            const struct weir_shred *in)
{
    if (leaf->phys == WEIR_PHYS_BYTES)
        GATHER(struct weir_str, struct weir_str);
    else if (slot == 16)
        GATHER(weir_i128, weir_i128);
    else if (slot == 8)
        GATHER(slot64, slot64);
    else if (slot == 4)
        GATHER(slot32, slot32);
    else if (slot == 2)
        GATHER(int32_t, int16_t);
    else if (leaf->width == 4)
        GATHER(int32_t, int8_t);
    else
        GATHER(uint8_t, uint8_t);
}

/* NULL: no memory. */
static const void *
gather(struct weir_parquet *w, const struct weir_leaf *leaf, const struct weir_col *col,
       const struct weir_shred *in)
{
    size_t slot = weir_type_width(leaf->field->type);
    void *out;

    if (in->pos == NULL && in->step == 1 && slot == leaf->width && in->live > 0)
        return (const char *)col->data + (size_t)in->first * slot;
    out = weir_stack_alloc(&w->stack, (size_t)in->live * leaf->width);
    if (out != NULL)
        gather_copy(out, col->data, slot, leaf, in);
    return out;
}

/* ---- what a page holds ---- */

static size_t
plain_size(const struct weir_leaf *leaf, const void *v, size_t n)
{
    const struct weir_str *s = v;
    size_t size = n * sizeof(s->len);

    if (leaf->phys == WEIR_PHYS_FIXED)
        return n * leaf->fixed;
    if (leaf->phys != WEIR_PHYS_BYTES)
        return n * leaf->width;
    for (size_t i = 0; i < n; i++)
        size += s[i].len;
    return size;
}

static size_t
values_len(const struct weir_leaf *leaf)
{
    return leaf->values.len == 0 ? 0 : leaf->values.len - WEIR_PAGE_HEAD;
}

/* The open page can only have indices: before the first page has ended they may become values again. */
static bool
stays_indexed(const struct weir_leaf *leaf)
{
    return leaf->dict_on && leaf->dict_pages > 0;
}

/* Bytes of the open page, as far as its size is watched. */
static size_t
page_size(const struct weir_leaf *leaf)
{
    return (stays_indexed(leaf) ? leaf->idx.len : leaf->raw) + (leaf->max_rep > 0 ? leaf->entries : 0);
}

static size_t
dict_page_size(const struct weir_leaf *leaf)
{
    return leaf->phys == WEIR_PHYS_FIXED ? (size_t)leaf->dict.n * leaf->fixed : leaf->dict.values.len;
}

static size_t
packed_idx_size(const struct weir_leaf *leaf)
{
    return leaf->idx.len / sizeof(uint16_t) * weir_rle_width(leaf->dict.n) / 8;
}

uint64_t
weir_leaf_encoded(const struct weir_leaf *leaf)
{
    uint64_t bytes = leaf->chunk_raw + values_len(leaf);

    if (leaf->dict_on || leaf->dict_pages > 0)
        bytes += packed_idx_size(leaf) + dict_page_size(leaf);
    if (!leaf->def_flat)
        bytes += leaf->entries * (uint64_t)weir_rle_width(leaf->max_def) / 8;
    return bytes + leaf->entries * (uint64_t)weir_rle_width(leaf->max_rep) / 8;
}

/* ---- PLAIN ---- */

/* An inline text's slot is its PLAIN form already: the length and up to 12 bytes. */
static uint8_t *
plain_texts(uint8_t *p, const struct weir_str *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        memcpy(p, &s[i], sizeof(*s));
        if (s[i].len > WEIR_STR_INLINE)
            memcpy(p + sizeof(s->len), s[i].u.ptr, s[i].len);
        p += sizeof(s->len) + s[i].len;
    }
    return p;
}

static weir_rc
plain_put(struct weir_parquet *w, struct weir_leaf *leaf, const void *v, size_t n, size_t size,
          struct weir_error *err)
{
    const weir_i128 *dec = v;
    uint8_t *p;

    if (leaf->values.len == 0) {
        WEIR_TRY(weir_array_room(&w->quota, &leaf->values, WEIR_PAGE_HEAD + size, err));
        leaf->values.len = WEIR_PAGE_HEAD;
    }
    WEIR_TRY(weir_array_room(&w->quota, &leaf->values, size, err));
    p = leaf->values.p + leaf->values.len;
    if (leaf->phys == WEIR_PHYS_BYTES)
        plain_texts(p, v, n);
    else if (leaf->phys == WEIR_PHYS_FIXED)
        for (size_t i = 0; i < n; i++, p += leaf->fixed)
            weir_fixed_put(dec[i], leaf->fixed, p);
    else
        memcpy(p, v, size);
    leaf->values.len += size;
    return WEIR_OK;
}

/* ---- leaving the dictionary ---- */

/* One value of the dictionary behind the open page's; there is room. */
static size_t
dict_copy(const struct weir_leaf *leaf, uint32_t i, uint8_t *p)
{
    const struct weir_dict *d = &leaf->dict;
    const uint8_t *at;
    struct weir_str key;
    weir_i128 dec;

    switch (leaf->phys) {
    case WEIR_PHYS_BYTES:
        memcpy(&key, d->keys.p + i * sizeof(key), sizeof(key));
        if (key.len <= WEIR_STR_INLINE) {
            memcpy(p, &key, sizeof(key));
        } else {
            at = d->values.p + (uintptr_t)key.u.ptr - sizeof(key.len);
            memcpy(p, at, sizeof(key.len) + key.len);
        }
        return sizeof(key.len) + key.len;
    case WEIR_PHYS_FIXED:
        memcpy(&dec, d->values.p + (size_t)i * sizeof(dec), sizeof(dec));
        weir_fixed_put(dec, leaf->fixed, p);
        return leaf->fixed;
    default:
        memcpy(p, d->values.p + (size_t)i * leaf->width, leaf->width);
        return leaf->width;
    }
}

/* The open page's indices become values. */
static weir_rc
dict_undo(struct weir_parquet *w, struct weir_leaf *leaf, struct weir_error *err)
{
    const uint16_t *idx = (const uint16_t *)leaf->idx.p;
    size_t n = leaf->idx.len / sizeof(*idx);

    if (n == 0)
        return WEIR_OK;
    WEIR_TRY(weir_array_room(&w->quota, &leaf->values, WEIR_PAGE_HEAD + leaf->raw, err));
    leaf->values.len = WEIR_PAGE_HEAD;
    for (size_t i = 0; i < n; i++)
        leaf->values.len += dict_copy(leaf, idx[i], leaf->values.p + leaf->values.len);
    leaf->idx.len = 0;
    return WEIR_OK;
}

static bool
dict_helps(const struct weir_leaf *leaf)
{
    return dict_page_size(leaf) + packed_idx_size(leaf) < leaf->raw;
}

/* No more indices in this chunk. */
static weir_rc
dict_leave(struct weir_parquet *w, struct weir_leaf *leaf, bool hopeless, struct weir_error *err)
{
    if (leaf->dict_pages == 0 && (hopeless || !dict_helps(leaf))) {
        WEIR_TRY(dict_undo(w, leaf, err));
        weir_dict_reset(&leaf->dict);
    } else {
        WEIR_TRY(weir_leaf_end_page(w, leaf, err));
    }
    leaf->dict_on = false;
    return WEIR_OK;
}

/* From the first values: n of which d differ come, if all are alike in frequency, from about
 * n² / 2(n − d). */
static bool
dict_hopeless(struct weir_leaf *leaf)
{
    uint64_t n = leaf->dict_seen, same = n - leaf->dict.n;

    if (leaf->dict_judged || n < JUDGE_AT)
        return false;
    leaf->dict_judged = true;
    return n * n > 2 * same * JUDGE_DISTINCT;
}

/* ---- a take ---- */

struct take {
    uint32_t e, n; /* entries of the append: the first, how many */
    uint32_t live, nlive;
    uint32_t rows;
};

static size_t
value_size(const struct weir_leaf *leaf, const void *v, size_t i)
{
    return stays_indexed(leaf) ? sizeof(uint16_t) : plain_size(leaf, (const char *)v + i * leaf->width, 1);
}

/* Entries one by one up to the end of the record that fills the page. */
static void
take_count(const struct weir_leaf *leaf, const void *v, const struct weir_shred *in, size_t room,
           struct take *t)
{
    size_t size = 0;

    t->n = t->nlive = t->rows = 0;
    for (uint32_t e = t->e; e < in->n; e++) {
        bool starts = in->rep == NULL || in->rep[e] == 0;

        if (starts && size >= room)
            break;
        t->rows += starts;
        t->n++;
        size += leaf->max_rep > 0;
        if (in->def == NULL || in->def[e] == WEIR_LIVE)
            size += value_size(leaf, v, t->live + t->nlive++);
    }
}

/* The next take from t->e on: at least one record. */
static void
take_size(const struct weir_parquet *w, const struct weir_leaf *leaf, const void *v,
          const struct weir_shred *in, struct take *t)
{
    size_t held = page_size(leaf), room = w->opt.page_bytes > held ? w->opt.page_bytes - held : 1;
    size_t left = in->live - t->live, size = left * sizeof(uint16_t);

    if (!stays_indexed(leaf))
        size = plain_size(leaf, (const char *)v + (size_t)t->live * leaf->width, left);
    if (leaf->max_rep > 0)
        size += in->n - t->e;
    if (size > room || t->e > 0) {
        take_count(leaf, v, in, room, t);
        return;
    }
    t->n = in->n;
    t->nlive = in->live;
    t->rows = in->rows;
}

static weir_rc
take_levels(struct weir_parquet *w, struct weir_leaf *leaf, const struct weir_shred *in, const struct take *t,
            struct weir_error *err)
{
    const uint8_t max = leaf->max_def;

    if (max > 0 && (in->def != NULL || !leaf->def_flat)) {
        WEIR_TRY(weir_array_room(&w->quota, &leaf->def, (size_t)leaf->entries - leaf->def.len + t->n, err));
        memset(leaf->def.p + leaf->def.len, max,
               leaf->entries - leaf->def.len); /* those before were all live */
        leaf->def.len = leaf->entries + t->n;
        leaf->def_flat = false;
        if (in->def == NULL)
            memset(leaf->def.p + leaf->entries, max, t->n);
        else
            for (uint32_t i = 0; i < t->n; i++) {
                uint8_t d = in->def[t->e + i];

                leaf->def.p[leaf->entries + i] = d < max ? d : max;
            }
    }
    if (leaf->max_rep > 0) {
        WEIR_TRY(weir_array_room(&w->quota, &leaf->rep, t->n, err));
        memcpy(leaf->rep.p + leaf->rep.len, in->rep + t->e, t->n);
        leaf->rep.len += t->n;
    }
    leaf->entries += t->n;
    leaf->rows += t->rows;
    leaf->chunk_nulls += t->n - t->nlive;
    return WEIR_OK;
}

/* Values of the take. *again: the dictionary is left, the take must be sized anew. */
static weir_rc
take_values(struct weir_parquet *w, struct weir_leaf *leaf, const void *v, const struct take *t, bool *again,
            struct weir_error *err)
{
    const void *at = (const char *)v + (size_t)t->live * leaf->width;
    size_t size = plain_size(leaf, at, t->nlive);

    *again = false;
    if (t->nlive == 0)
        return WEIR_OK;
    if (leaf->dict_on) {
        WEIR_TRY(weir_dict_add(&leaf->dict, &w->quota, leaf->phys, at, t->nlive, &leaf->idx, &leaf->chunk,
                               again, err));
        if (*again)
            return dict_leave(w, leaf, false, err);
        leaf->dict_seen += t->nlive;
    } else {
        WEIR_TRY(plain_put(w, leaf, at, t->nlive, size, err));
        weir_bounds_add(&leaf->chunk, leaf->phys, at, t->nlive);
    }
    leaf->raw += size;
    return WEIR_OK;
}

static weir_rc
leaf_take_all(struct weir_parquet *w, struct weir_leaf *leaf, const void *v, const struct weir_shred *in,
              struct weir_error *err)
{
    struct take t = {0};
    bool again;

    while (t.e < in->n) {
        take_size(w, leaf, v, in, &t);
        WEIR_TRY(take_values(w, leaf, v, &t, &again, err));
        if (again)
            continue;
        WEIR_TRY(take_levels(w, leaf, in, &t, err));
        if (leaf->dict_on && dict_hopeless(leaf))
            WEIR_TRY(dict_leave(w, leaf, true, err));
        t.e += t.n;
        t.live += t.nlive;
        if (page_size(leaf) >= w->opt.page_bytes || leaf->rows >= w->opt.page_rows)
            WEIR_TRY(weir_leaf_end_page(w, leaf, err));
    }
    return WEIR_OK;
}

weir_rc
weir_leaf_append(struct weir_parquet *w, struct weir_leaf *leaf, const struct weir_col *col,
                 const struct weir_shred *in, struct weir_error *err)
{
    struct weir_stack_mark mark = weir_stack_mark(&w->stack);
    const void *v = gather(w, leaf, col, in);
    weir_rc rc;

    if (v == NULL)
        return weir_heap_fail(&w->quota, (size_t)in->live * leaf->width, "a Parquet file", err);
    rc = leaf_take_all(w, leaf, v, in, err);
    weir_stack_release(&w->stack, mark);
    return rc;
}

/* ---- ends ---- */

weir_rc
weir_leaf_end_page(struct weir_parquet *w, struct weir_leaf *leaf, struct weir_error *err)
{
    if (leaf->entries == 0)
        return WEIR_OK;
    if (leaf->idx.len > 0 && leaf->dict_pages == 0 && !dict_helps(leaf))
        WEIR_TRY(dict_leave(w, leaf, true, err));
    WEIR_TRY(weir_parquet_page_encode(w, leaf, err));
    leaf->chunk_entries += leaf->entries;
    leaf->values.len = leaf->idx.len = leaf->def.len = leaf->rep.len = 0;
    leaf->def_flat = true;
    leaf->entries = leaf->rows = 0;
    leaf->raw = 0;
    return WEIR_OK;
}

void
weir_leaf_reset_chunk(struct weir_leaf *leaf)
{
    leaf->dict_on = leaf->phys != WEIR_PHYS_BOOL;
    leaf->dict_judged = false;
    leaf->dict_seen = 0;
    weir_dict_reset(&leaf->dict);
    leaf->first = leaf->last = NULL;
    leaf->dict_pages = leaf->plain_pages = 0;
    leaf->chunk_entries = leaf->chunk_nulls = 0;
    leaf->chunk_raw = leaf->chunk_packed = 0;
    leaf->def_flat = true;
    weir_bounds_reset(&leaf->chunk);
}

void
weir_leaf_trim(struct weir_leaf *leaf, struct weir_parquet *w)
{
    const size_t most = 4 * (size_t)w->opt.page_bytes;

    weir_array_trim(&w->quota, &leaf->values, most);
    weir_array_trim(&w->quota, &leaf->idx, most);
    weir_array_trim(&w->quota, &leaf->def, most);
    weir_array_trim(&w->quota, &leaf->rep, most);
}

void
weir_leaf_fini(struct weir_leaf *leaf, struct weir_quota *q)
{
    weir_dict_fini(&leaf->dict, q);
    weir_array_fini(q, &leaf->values);
    weir_array_fini(q, &leaf->idx);
    weir_array_fini(q, &leaf->def);
    weir_array_fini(q, &leaf->rep);
}
