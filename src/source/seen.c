/* The table of known files: open addressing, linear steps, no deletion. What has aged out stays in its slot, is
 * taken for absent, and leaves when the table grows. */
#include "source/seen.h"

#include <string.h>

enum { SEEN_FIRST = 1024 };

struct weir_seen_slot {
    struct weir_file_id id; /* both 0: free */
    int64_t mtime_ms;
};

static inline uint64_t
rotl(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

static inline void
sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotl(v[1], 13) ^ v[0];
    v[3] = rotl(v[3], 16) ^ v[2];
    v[0] = rotl(v[0], 32) + v[3];
    v[2] += v[1];
    v[1] = rotl(v[1], 17) ^ v[2];
    v[3] = rotl(v[3], 21) ^ v[0];
    v[2] = rotl(v[2], 32);
}

static uint64_t
sip_word(const unsigned char *p, size_t n)
{
    uint64_t w = 0;

    for (size_t i = 0; i < n; i++)
        w |= (uint64_t)p[i] << (8 * i);
    return w;
}

static void
sip_rounds(uint64_t v[4], unsigned n)
{
    while (n-- > 0)
        sip_round(v);
}

struct weir_file_id
weir_file_id(const char *p, size_t n)
{
    static const uint64_t k0 = 0x0706050403020100, k1 = 0x0f0e0d0c0b0a0908;
    uint64_t v[4] = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d ^ 0xee, k0 ^ 0x6c7967656e657261,
                     k1 ^ 0x7465646279746573};
    const unsigned char *at = (const unsigned char *)p;
    struct weir_file_id id;
    uint64_t w;

    for (size_t left = n;; left -= 8, at += 8) {
        bool last = left < 8;

        w = last ? sip_word(at, left) | (uint64_t)n << 56 : sip_word(at, 8);
        v[3] ^= w;
        sip_rounds(v, 2);
        v[0] ^= w;
        if (last)
            break;
    }
    v[2] ^= 0xee;
    sip_rounds(v, 4);
    id.a = v[0] ^ v[1] ^ v[2] ^ v[3];
    v[1] ^= 0xdd;
    sip_rounds(v, 4);
    id.b = v[0] ^ v[1] ^ v[2] ^ v[3];
    if (id.a == 0 && id.b == 0) /* means "free" in the table */
        id.b = 1;
    return id;
}

void
weir_seen_init(struct weir_seen *seen, struct weir_quota *q, int64_t max_age_ms)
{
    *seen = (struct weir_seen){.q = q, .max_age_ms = max_age_ms, .oldest_ms = INT64_MIN};
    weir_seen_age(seen);
}

void
weir_seen_fini(struct weir_seen *seen)
{
    weir_heap_free(seen->q, seen->slots, seen->cap * sizeof(*seen->slots));
    *seen = (struct weir_seen){0};
}

/* The slot of id, or the free one where it belongs. cap > n, so there is one. */
static struct weir_seen_slot *
seen_slot(const struct weir_seen *seen, struct weir_file_id id)
{
    size_t i = (size_t)((unsigned __int128)id.a * seen->cap >> 64);

    while ((seen->slots[i].id.a | seen->slots[i].id.b) != 0 &&
           (seen->slots[i].id.a != id.a || seen->slots[i].id.b != id.b))
        if (++i == seen->cap)
            i = 0;
    return &seen->slots[i];
}

static weir_rc
seen_grow(struct weir_seen *seen, struct weir_error *err)
{
    struct weir_seen next = *seen;

    next.cap = seen->cap == 0 ? SEEN_FIRST : seen->cap * 2;
    next.n = 0;
    next.slots = weir_heap_alloc(seen->q, next.cap * sizeof(*next.slots));
    if (next.slots == NULL)
        return weir_heap_fail(seen->q, next.cap * sizeof(*next.slots), "the table of known files", err);
    memset(next.slots, 0, next.cap * sizeof(*next.slots));
    for (size_t i = 0; i < seen->cap; i++) {
        const struct weir_seen_slot *old = &seen->slots[i];

        if ((old->id.a | old->id.b) != 0 && old->mtime_ms >= seen->oldest_ms) {
            *seen_slot(&next, old->id) = *old;
            next.n++;
        }
    }
    weir_heap_free(seen->q, seen->slots, seen->cap * sizeof(*seen->slots));
    *seen = next;
    return WEIR_OK;
}

weir_rc
weir_seen_add(struct weir_seen *seen, struct weir_file_id id, int64_t mtime_ms, struct weir_error *err)
{
    struct weir_seen_slot *slot;

    if (seen->n + 1 > seen->cap / 5 * 4)
        WEIR_TRY(seen_grow(seen, err));
    slot = seen_slot(seen, id);
    seen->n += (slot->id.a | slot->id.b) == 0;
    *slot = (struct weir_seen_slot){id, mtime_ms};
    if (mtime_ms > seen->newest_ms)
        seen->newest_ms = mtime_ms;
    return WEIR_OK;
}

weir_seen_state
weir_seen_ask(const struct weir_seen *seen, struct weir_file_id id, int64_t mtime_ms)
{
    const struct weir_seen_slot *slot = seen->cap > 0 ? seen_slot(seen, id) : NULL;
    bool there = slot != NULL && (slot->id.a | slot->id.b) != 0;

    if (there && slot->mtime_ms == mtime_ms)
        return WEIR_SEEN_KNOWN; /* aged out or not: the same file is never new */
    if (there && slot->mtime_ms >= seen->oldest_ms)
        return WEIR_SEEN_CHANGED;
    return mtime_ms < seen->oldest_ms ? WEIR_SEEN_AGED : WEIR_SEEN_NEW;
}

void
weir_seen_age(struct weir_seen *seen)
{
    if (seen->max_age_ms == INT64_MAX)
        return;
    if (__builtin_sub_overflow(seen->newest_ms, seen->max_age_ms, &seen->oldest_ms))
        seen->oldest_ms = INT64_MIN;
}
