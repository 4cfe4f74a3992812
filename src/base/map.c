/* Hash tables by open addressing with linear steps.
 *
 * 1. cap is 0 or a power of two; at most 3/4 of the slots are used, so that every search ends.
 * 2. key == NULL marks a free slot. Slots of an outgrown table stay in the arena until it goes. */
#include "base/map.h"

#include <string.h>

enum { MAP_MIN = 16 };

/* Multiply and fold: each bit of the input reaches each bit of the result. */
static uint64_t
hash_mix(uint64_t h, uint64_t word)
{
    __uint128_t wide = (__uint128_t)(h ^ word ^ UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);

    return (uint64_t)wide ^ (uint64_t)(wide >> 64);
}

uint64_t
weir_hash(const void *p, size_t n)
{
    const unsigned char *s = p;
    uint64_t h = hash_mix(UINT64_C(0x2545f4914f6cdd1d), n), word;
    size_t at;

    for (at = 0; n - at >= sizeof(word); at += sizeof(word)) {
        memcpy(&word, s + at, sizeof(word));
        h = hash_mix(h, word);
    }
    if (at < n) {
        word = 0;
        memcpy(&word, s + at, n - at);
        h = hash_mix(h, word);
    }
    return hash_mix(h, h >> 32);
}

void
weir_map_init(struct weir_map *map, struct weir_mem *mem)
{
    *map = (struct weir_map){.mem = mem};
}

/* The slot of the key, or the free slot where it belongs. cap > 0. */
static struct weir_map_slot *
map_slot(const struct weir_map *map, uint64_t hash, const char *key, size_t len)
{
    size_t at = hash & (map->cap - 1);

    for (;; at = (at + 1) & (map->cap - 1)) {
        struct weir_map_slot *slot = &map->slots[at];

        if (slot->key == NULL ||
            (slot->hash == hash && slot->len == len && (len == 0 || memcmp(slot->key, key, len) == 0)))
            return slot;
    }
}

void *
weir_map_get(const struct weir_map *map, const char *key, size_t len)
{
    return map->cap == 0 ? NULL : map_slot(map, weir_hash(key, len), key, len)->value;
}

static weir_rc
map_grow(struct weir_map *map, struct weir_error *err)
{
    struct weir_map bigger = {.mem = map->mem, .n = map->n, .cap = map->cap == 0 ? MAP_MIN : map->cap * 2};
    size_t at;

    if (bigger.cap > SIZE_MAX / sizeof(*map->slots))
        return weir_mem_fail(map->mem, SIZE_MAX, err);
    bigger.slots = weir_mem_zalloc(map->mem, bigger.cap * sizeof(*map->slots));
    if (bigger.slots == NULL)
        return weir_mem_fail(map->mem, bigger.cap * sizeof(*map->slots), err);
    for (at = 0; at < map->cap; at++) {
        const struct weir_map_slot *slot = &map->slots[at];

        if (slot->key != NULL)
            *map_slot(&bigger, slot->hash, slot->key, slot->len) = *slot;
    }
    *map = bigger;
    return WEIR_OK;
}

weir_rc
weir_map_put(struct weir_map *map, const char *key, size_t len, void *value, void **old, struct weir_error *err)
{
    uint64_t hash = weir_hash(key, len);
    struct weir_map_slot *slot;
    char *copy;

    if (len > UINT32_MAX)
        return weir_fail(err, WEIR_UNSUPPORTED, "a key of %zu bytes is too long", len);
    if (map->n + 1 > map->cap / 4 * 3)
        WEIR_TRY(map_grow(map, err));
    slot = map_slot(map, hash, key, len);
    if (old != NULL)
        *old = slot->key == NULL ? NULL : slot->value;
    if (slot->key == NULL) {
        copy = weir_mem_strndup(map->mem, key, len);
        if (copy == NULL)
            return weir_mem_fail(map->mem, len + 1, err);
        *slot = (struct weir_map_slot){.hash = hash, .key = copy, .len = (uint32_t)len};
        map->n++;
    }
    slot->value = value;
    return WEIR_OK;
}

bool
weir_map_next(const struct weir_map *map, size_t *at, const char **key, void **value)
{
    for (; *at < map->cap; ++*at) {
        const struct weir_map_slot *slot = &map->slots[*at];

        if (slot->key != NULL) {
            *key = slot->key;
            *value = slot->value;
            ++*at;
            return true;
        }
    }
    return false;
}
