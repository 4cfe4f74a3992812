/* A leaf's dictionary: values to indices by hash, with limits.
 *
 * 1. Values stand in PLAIN form, so that the dictionary page is a copy of them (but decimals of 16 bytes,
 *    which are kept as numbers). Slots hold index + 1 in 16 bits; the table is never more than half full.
 * 2. A dictionary is full at WEIR_DICT_MAX values or DICT_BYTES, or when a value needs more than PROBES_MAX
 *    steps: so no data, however chosen, makes it slow.
 * 3. An append that fills it leaves no trace: indices and values are as before, and the caller writes the
 *    values PLAIN. (Slots then hold indices that are gone; a full dictionary is not asked again before its
 *    reset.)
 * The loop over values is compiled once for each width. */
#include "codec/parquet_int.h"

#include <string.h>

enum { SLOTS_MIN = 256, PROBES_MAX = 96, DICT_BYTES = 1 << 20 };

void
weir_dict_reset(struct weir_dict *d)
{
    d->n = 0;
    d->values.len = d->keys.len = 0;
    if (d->slots != NULL)
        memset(d->slots, 0, d->nslots * sizeof(*d->slots));
}

void
weir_dict_fini(struct weir_dict *d, struct weir_quota *q)
{
    weir_heap_free(q, d->slots, d->nslots * sizeof(*d->slots));
    weir_array_fini(q, &d->values);
    weir_array_fini(q, &d->keys);
    *d = (struct weir_dict){0};
}

/* ---- hashing ---- */

static inline uint64_t
hash_mix(uint64_t a, uint64_t b)
{
    unsigned __int128 m = (unsigned __int128)a * b;

    return (uint64_t)m ^ (uint64_t)(m >> 64);
}

#define K1 UINT64_C(0x9e3779b97f4a7c15)
#define K2 UINT64_C(0xd6e8feb86659fd93)

static inline uint64_t
load64(const void *p)
{
    uint64_t w;

    memcpy(&w, p, sizeof(w));
    return w;
}

/* The last step reads the last eight bytes, whatever was read before: over 12 bytes there are as many. */
static uint64_t
hash_long(const char *p, uint32_t n)
{
    uint64_t h = n * K2;
    const char *end = p + n;

    for (; end - p > 8; p += 8)
        h = hash_mix(h ^ load64(p), K1);
    return hash_mix(h ^ load64(end - 8), K2);
}

static inline uint64_t
hash_text(const struct weir_str *s)
{
    if (s->len <= WEIR_STR_INLINE)
        return hash_mix(load64(s) ^ K1, load64((const char *)s + 8) ^ K2);
    return hash_long(s->u.ptr, s->len);
}

static inline uint64_t
hash_number(unsigned __int128 key)
{
    uint64_t hi = (uint64_t)(key >> 64);

    return ((uint64_t)key ^ hi * K2) *
           K1; /* the upper bits, which choose the slot, depend on all of the key */
}

/* ---- the table ---- */

static inline __attribute__((always_inline)) unsigned __int128
number_at(const void *v, size_t i, unsigned width)
{
    unsigned __int128 key = 0;

    memcpy(&key, (const char *)v + i * width, width);
    return key;
}

static uint64_t
hash_entry(const struct weir_dict *d, enum weir_phys phys, uint32_t i)
{
    struct weir_str s;

    if (phys == WEIR_PHYS_I32 || phys == WEIR_PHYS_F32)
        return hash_number(number_at(d->values.p, i, 4));
    if (phys == WEIR_PHYS_I64 || phys == WEIR_PHYS_F64)
        return hash_number(number_at(d->values.p, i, 8));
    if (phys == WEIR_PHYS_FIXED)
        return hash_number(number_at(d->values.p, i, 16));
    memcpy(&s, d->keys.p + i * sizeof(s), sizeof(s));
    if (s.len > WEIR_STR_INLINE)
        s.u.ptr = (const char *)d->values.p + (uintptr_t)s.u.ptr;
    return hash_text(&s);
}

static inline unsigned
dict_shift(const struct weir_dict *d)
{
    return 64 - (unsigned)__builtin_ctz(d->nslots);
}

static weir_rc
dict_rehash(struct weir_dict *d, struct weir_quota *q, enum weir_phys phys, struct weir_error *err)
{
    uint32_t nslots = d->nslots == 0 ? SLOTS_MIN : d->nslots * 2;
    uint16_t *slots = weir_heap_alloc(q, nslots * sizeof(*slots));

    if (slots == NULL)
        return weir_heap_fail(q, nslots * sizeof(*slots), "a Parquet file", err);
    memset(slots, 0, nslots * sizeof(*slots));
    weir_heap_free(q, d->slots, d->nslots * sizeof(*slots));
    d->slots = slots;
    d->nslots = nslots;
    for (uint32_t i = 0; i < d->n; i++) {
        size_t at = hash_entry(d, phys, i) >> dict_shift(d);

        while (slots[at] != 0)
            at = (at + 1) & (nslots - 1);
        slots[at] = (uint16_t)(i + 1);
    }
    return WEIR_OK;
}

/* ---- new values ---- */

static weir_rc
dict_new_number(struct weir_dict *d, struct weir_quota *q, const void *v, size_t i, unsigned width,
                struct weir_error *err)
{
    WEIR_TRY(weir_array_room(q, &d->values, width, err));
    memcpy(d->values.p + d->values.len, (const char *)v + i * width, width);
    d->values.len += width;
    return WEIR_OK;
}

static weir_rc
dict_new_text(struct weir_dict *d, struct weir_quota *q, const struct weir_str *s, struct weir_error *err)
{
    struct weir_str key = *s;
    uint8_t *p;

    WEIR_TRY(weir_array_room(q, &d->values, sizeof(s->len) + (size_t)s->len, err));
    WEIR_TRY(weir_array_room(q, &d->keys, sizeof(key), err));
    p = d->values.p + d->values.len;
    memcpy(p, &s->len, sizeof(s->len));
    memcpy(p + sizeof(s->len), weir_str_ptr(s), s->len);
    if (s->len > WEIR_STR_INLINE)
        key.u.ptr = (const char *)(uintptr_t)(d->values.len + sizeof(s->len));
    memcpy(d->keys.p + d->keys.len, &key, sizeof(key));
    d->keys.len += sizeof(key);
    d->values.len += sizeof(s->len) + s->len;
    return WEIR_OK;
}

static bool
text_is_entry(const struct weir_dict *d, uint32_t i, const struct weir_str *s)
{
    const char *key = (const char *)d->keys.p + i * sizeof(*s);

    if (load64(key) != load64(s)) /* length and first four bytes */
        return false;
    if (s->len <= WEIR_STR_INLINE)
        return load64(key + 8) == load64((const char *)s + 8);
    return memcmp(d->values.p + load64(key + 8), s->u.ptr, s->len) == 0;
}

/* ---- the loop ---- */

struct dict_call {
    struct weir_quota *q;
    enum weir_phys phys;
    bool *full;
    struct weir_error *err;
};

/* Makes the value at i the newest entry. *full instead, when there is no room for it. */
static weir_rc
dict_insert(struct weir_dict *d, const struct dict_call *call, const void *v, size_t i, unsigned width)
{
    const struct weir_str *s = (const struct weir_str *)v + i;
    size_t more = call->phys == WEIR_PHYS_BYTES ? sizeof(s->len) + (size_t)s->len : width;

    *call->full = d->n == WEIR_DICT_MAX || d->values.len + more > DICT_BYTES;
    if (*call->full)
        return WEIR_OK;
    if (call->phys == WEIR_PHYS_BYTES)
        WEIR_TRY(dict_new_text(d, call->q, s, call->err));
    else
        WEIR_TRY(dict_new_number(d, call->q, v, i, width, call->err));
    d->n++;
    if (d->n * 2 > d->nslots)
        WEIR_TRY(dict_rehash(d, call->q, call->phys, call->err)); /* puts the newest in its slot, too */
    return WEIR_OK;
}

static inline __attribute__((always_inline)) weir_rc
dict_loop(struct weir_dict *d, const struct dict_call *call, const void *v, size_t n, unsigned width,
          bool text, uint16_t *out)
{
    for (size_t i = 0; i < n; i++) {
        const struct weir_str *s = (const struct weir_str *)v + i;
        uint64_t hash = text ? hash_text(s) : hash_number(number_at(v, i, width));
        size_t at = hash >> dict_shift(d), probes = 0;
        uint32_t entry;

        while ((entry = d->slots[at]) != 0) {
            if (text ? text_is_entry(d, entry - 1, s)
                     : number_at(d->values.p, entry - 1, width) == number_at(v, i, width))
                break;
            at = (at + 1) & (d->nslots - 1);
            *call->full = ++probes > PROBES_MAX;
            if (*call->full)
                return WEIR_OK;
        }
        if (entry == 0) {
            entry = d->n + 1;
            d->slots[at] = (uint16_t)entry; /* a dictionary that this fills is not asked again */
            WEIR_TRY(dict_insert(d, call, v, i, width));
            if (*call->full)
                return WEIR_OK;
        }
        out[i] = (uint16_t)(entry - 1);
    }
    return WEIR_OK;
}

static weir_rc
dict_run(struct weir_dict *d, const struct dict_call *call, const void *v, size_t n, uint16_t *out)
{
    switch (call->phys) {
    case WEIR_PHYS_I32:
    case WEIR_PHYS_F32:
        return dict_loop(d, call, v, n, 4, false, out);
    case WEIR_PHYS_I64:
    case WEIR_PHYS_F64:
        return dict_loop(d, call, v, n, 8, false, out);
    case WEIR_PHYS_FIXED:
        return dict_loop(d, call, v, n, 16, false, out);
    case WEIR_PHYS_BYTES:
        return dict_loop(d, call, v, n, sizeof(struct weir_str), true, out);
    case WEIR_PHYS_BOOL:
        break;
    }
    return weir_fail(call->err, WEIR_BUG, "booleans have no dictionary");
}

/* The bounds of a chunk need a value once only: when it is new. */
static void
dict_bounds(const struct weir_dict *d, enum weir_phys phys, uint32_t from, struct weir_bounds *r)
{
    size_t width = phys == WEIR_PHYS_FIXED ? 16 : phys == WEIR_PHYS_I32 || phys == WEIR_PHYS_F32 ? 4 : 8;
    struct weir_str s;

    if (phys != WEIR_PHYS_BYTES) {
        weir_bounds_add(r, phys, d->values.p + from * width, d->n - from);
        return;
    }
    for (uint32_t i = from; i < d->n; i++) {
        memcpy(&s, d->keys.p + i * sizeof(s), sizeof(s));
        if (s.len > WEIR_STR_INLINE)
            s.u.ptr = (const char *)d->values.p + (uintptr_t)s.u.ptr;
        weir_bounds_add(r, phys, &s, 1);
    }
}

weir_rc
weir_dict_add(struct weir_dict *d, struct weir_quota *q, enum weir_phys phys, const void *v, size_t n,
              struct weir_array *idx, struct weir_bounds *r, bool *full, struct weir_error *err)
{
    const struct dict_call call = {q, phys, full, err};
    const uint32_t had = d->n;
    const size_t values_len = d->values.len, keys_len = d->keys.len;

    *full = false;
    if (d->slots == NULL)
        WEIR_TRY(dict_rehash(d, q, phys, err));
    WEIR_TRY(weir_array_room(q, idx, n * sizeof(uint16_t), err));
    WEIR_TRY(dict_run(d, &call, v, n, (uint16_t *)(idx->p + idx->len)));
    if (*full) {
        d->n = had;
        d->values.len = values_len;
        d->keys.len = keys_len;
        return WEIR_OK;
    }
    idx->len += n * sizeof(uint16_t);
    if (d->n > had)
        dict_bounds(d, phys, had, r);
    return WEIR_OK;
}
