/* Up to max files: an array. From then on: a heap with the last one in order on top, which a better one replaces.
 * Keys of replaced ones stay in the arena until half of it is waste; then the arena is written anew. */
#include "source/found.h"

#include <stdlib.h>
#include <string.h>

enum { FOUND_FIRST = 256, FOUND_WASTE = 1024 * 1024 };

/* Whether a comes before b. */
static int
found_order(const struct weir_found_file *a, const struct weir_found_file *b, bool latest_first)
{
    if (a->mtime_ms != b->mtime_ms)
        return (a->mtime_ms < b->mtime_ms) != latest_first ? -1 : 1;
    return strcmp(a->key, b->key);
}

static int
found_oldest_first(const void *a, const void *b)
{
    return found_order(a, b, false);
}

static int
found_latest_first(const void *a, const void *b)
{
    return found_order(a, b, true);
}

void
weir_found_init(struct weir_found *found, struct weir_quota *q, bool latest_first)
{
    *found = (struct weir_found){.q = q, .latest_first = latest_first};
}

void
weir_found_fini(struct weir_found *found)
{
    weir_heap_free(found->q, found->at, found->cap * sizeof(*found->at));
    weir_mem_free(found->mem);
    *found = (struct weir_found){0};
}

weir_rc
weir_found_begin(struct weir_found *found, size_t max, struct weir_error *err)
{
    weir_mem_free(found->mem);
    found->mem = weir_mem_new(NULL, found->q, "found files");
    found->next = found->n = found->live = found->used = 0;
    found->dropped = found->dropped_bytes = 0;
    found->max = max;
    return found->mem != NULL ? WEIR_OK : weir_fail(err, WEIR_NOMEM, "no memory to list files");
}

/* Puts the new top of the heap where it belongs. */
static void
found_sink(struct weir_found *found)
{
    struct weir_found_file *at = found->at, moved = at[0];
    size_t i = 0, kid;

    while ((kid = 2 * i + 1) < found->n) {
        if (kid + 1 < found->n && found_order(&at[kid + 1], &at[kid], found->latest_first) > 0)
            kid++;
        if (found_order(&at[kid], &moved, found->latest_first) <= 0)
            break;
        at[i] = at[kid];
        i = kid;
    }
    at[i] = moved;
}

/* Puts the newest member where it belongs. */
static void
found_rise(struct weir_found *found)
{
    struct weir_found_file *at = found->at, moved = at[found->n - 1];
    size_t i = found->n - 1;

    while (i > 0 && found_order(&at[(i - 1) / 2], &moved, found->latest_first) < 0) {
        at[i] = at[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    at[i] = moved;
}

static weir_rc
found_room(struct weir_found *found, struct weir_error *err)
{
    size_t cap = found->cap == 0 ? FOUND_FIRST : found->cap * 2;
    void *grown;

    if (found->n < found->cap)
        return WEIR_OK;
    grown = weir_heap_grow(found->q, found->at, found->cap * sizeof(*found->at), cap * sizeof(*found->at));
    if (grown == NULL)
        return weir_heap_fail(found->q, cap * sizeof(*found->at), "the list of waiting files", err);
    found->at = grown;
    found->cap = cap;
    return WEIR_OK;
}

/* The kept keys in a new arena. */
static weir_rc
found_compact(struct weir_found *found, struct weir_error *err)
{
    struct weir_mem *mem = weir_mem_new(NULL, found->q, "found files");

    if (mem == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory to list files");
    for (size_t i = 0; i < found->n; i++) {
        const char *key = weir_mem_strdup(mem, found->at[i].key);

        if (key == NULL) {
            weir_rc rc = weir_mem_fail(mem, strlen(found->at[i].key), err);

            weir_mem_free(mem); /* the keys moved so far went with it: nothing may look at them */
            found->n = 0;
            return rc;
        }
        found->at[i].key = key;
    }
    weir_mem_free(found->mem);
    found->mem = mem;
    found->used = found->live;
    return WEIR_OK;
}

weir_rc
weir_found_add(struct weir_found *found, const char *key, int64_t size, int64_t mtime_ms,
               struct weir_error *err)
{
    struct weir_found_file file = {key, size, mtime_ms};
    size_t len = strlen(key) + 1;

    if (found->n == found->max) {
        const struct weir_found_file *last = &found->at[0];
        bool better = found->max > 0 && found_order(&file, last, found->latest_first) < 0;

        found->dropped++;
        found->dropped_bytes += (uint64_t)(better ? last->size : size);
        if (!better)
            return WEIR_OK;
        found->live -= strlen(last->key) + 1;
    } else {
        WEIR_TRY(found_room(found, err));
    }
    file.key = weir_mem_strdup(found->mem, key);
    if (file.key == NULL)
        return weir_mem_fail(found->mem, len, err);
    found->live += len;
    found->used += len;
    if (found->n == found->max) {
        found->at[0] = file;
        found_sink(found);
    } else {
        found->at[found->n++] = file;
        found_rise(found);
    }
    return found->used > 2 * found->live + FOUND_WASTE ? found_compact(found, err) : WEIR_OK;
}

void
weir_found_end(struct weir_found *found)
{
    if (found->n > 1)
        qsort(found->at, found->n, sizeof(*found->at),
              found->latest_first ? found_latest_first : found_oldest_first);
}
