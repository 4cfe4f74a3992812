/* Hash tables: text -> pointer, keys copied into the table's arena. Open addressing, no deletion.
 * Threads: one owner. */
#ifndef WEIR_BASE_MAP_H
#define WEIR_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

struct weir_map {
    struct weir_mem *mem; /* borrowed */
    struct weir_map_slot { uint64_t hash; const char *key; uint32_t len; void *value; } *slots;
    size_t n, cap;
};

void weir_map_init(struct weir_map *map, struct weir_mem *mem);
void *weir_map_get(const struct weir_map *map, const char *key, size_t len); /* NULL: absent */
/* Replaces the value of an existing key; *old (may be NULL) is the value before, or NULL. */
weir_rc weir_map_put(struct weir_map *map, const char *key, size_t len, void *value, void **old,
                     struct weir_error *err);
/* Walk: at starts at 0; false at the end. Order is not defined. */
bool weir_map_next(const struct weir_map *map, size_t *at, const char **key, void **value);
uint64_t weir_hash(const void *p, size_t n); /* 64 bits, seeded by nothing: the same everywhere */

#endif
