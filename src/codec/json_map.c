/* Objects of JSON as maps.
 *
 * 1. A key stands once in a map: a later value takes the slot of the one before, and the map's text is
 *    rescued or the value counted as lost. Consumers refuse maps with a key twice.
 * 2. Finding a key again costs the same whatever the map's size: beyond MAP_SMALL keys an index is kept, one
 *    for each level of maps in maps, reused from map to map. */
#include "codec/json_decode_int.h"

#include "base/map.h"

enum { MAP_SMALL = 16, MAP_INDEX_MIN = 64 };

static bool
key_is(const struct weir_str *a, const struct weir_str *b)
{
    return a->len == b->len && memcmp(weir_str_ptr(a), weir_str_ptr(b), b->len) == 0;
}

/* The slot of keys[row] in the index: its own place, or that of the same key before it. */
static uint32_t *
index_slot(const struct json_map_index *index, const struct weir_str *keys, uint32_t row)
{
    uint32_t mask = index->size - 1, at = (uint32_t)weir_hash(weir_str_ptr(&keys[row]), keys[row].len) & mask;

    while (index->slots[at] != 0 && !key_is(&keys[index->slots[at] - 1], &keys[row]))
        at = (at + 1) & mask;
    return &index->slots[at];
}

/* Room for n keys, of which those in rows from .. from + n - 2 are put in again. */
static bool
index_grow(struct json_decoder *d, struct json_map_index *index, const struct weir_str *keys, uint32_t from,
           uint32_t n)
{
    uint32_t size = index->size < MAP_INDEX_MIN ? MAP_INDEX_MIN : index->size;
    uint32_t *slots;

    while (size < n * 2 && size < UINT32_MAX / 2)
        size *= 2;
    if (size > index->size) {
        slots = weir_heap_alloc(d->env.quota, size * sizeof(*slots));
        if (slots == NULL) {
            d->rc = weir_heap_fail(d->env.quota, size * sizeof(*slots), "the keys of a map", d->err);
            return false;
        }
        weir_heap_free(d->env.quota, index->slots, index->size * sizeof(*slots));
        index->slots = slots;
        index->size = size;
    }
    memset(index->slots, 0, index->size * sizeof(*slots));
    for (uint32_t i = 0; i + 1 < n; i++)
        *index_slot(index, keys, from + i) = from + i + 1;
    return true;
}

/* The row of the key that is the same as the one in row `last` and stands at `from` or behind; last: there is
 * none. */
static bool
key_find(struct json_decoder *d, const struct weir_str *keys, uint32_t from, uint32_t last, uint32_t *found)
{
    struct json_map_index *index = &d->maps[d->map_level - 1];
    uint32_t n = last - from + 1, *slot;

    *found = from;
    if (n <= MAP_SMALL) {
        while (*found < last && !key_is(&keys[*found], &keys[last]))
            (*found)++;
        return true;
    }
    if ((n == MAP_SMALL + 1 || n * 2 > index->size) && !index_grow(d, index, keys, from, n))
        return false;
    slot = index_slot(index, keys, last);
    if (*slot == 0)
        *slot = last + 1;
    *found = *slot - 1;
    return true;
}

/* "key": at p into its slot. *lone: the key is no UTF-8. */
static const char *
key_decode(struct json_decoder *d, struct weir_col *keys, uint32_t slot, const char *p, bool *lone)
{
    struct weir_str *key = (struct weir_str *)keys->data + slot;
    struct json_text *t = &d->walk.text;
    struct json_string s;
    struct weir_slice plain;

    p = weir_json_key(t, p, &s);
    if (p == NULL || !weir_json_plain(d, &s, &plain, lone))
        return NULL;
    if (!s.escaped) {
        *key = weir_str_of(s.at, (uint32_t)s.len);
    } else if (!weir_str_copy(d->page->mem, plain.ptr, (uint32_t)plain.len, key)) {
        d->rc = weir_mem_fail(d->page->mem, plain.len, d->err);
        return NULL;
    }
    p = json_blanks(t, p);
    return *p == ':' ? json_blanks(t, p + 1) : json_fail(t, "a colon was expected");
}

static const char *
member_decode(struct json_decoder *d, struct json_node *node, struct weir_col *child, uint32_t from,
              const char *p, json_fit *worst)
{
    struct weir_col *keys = &child->kids[0], *values = &child->kids[1];
    uint32_t slot, same;
    bool lone = false;

    if (!weir_json_child_append(d, child, &slot))
        return NULL;
    p = key_decode(d, keys, slot, p, &lone);
    if (p == NULL || !key_find(d, keys->data, from, slot, &same))
        return NULL;
    if (same != slot) {
        weir_json_rows_forget(values, same, same + 1);
        child->len--;
        if (*worst < JSON_PARTIAL)
            *worst = JSON_PARTIAL;
        if (d->env.rescued < 0)
            d->lost++;
    }
    p = node->kid->read(d, node->kid, values, same, p);
    if (lone)
        d->fit = JSON_MISFIT;
    json_fit_worsen(d, worst);
    return p;
}

const char *
weir_json_map(struct json_decoder *d, struct json_node *node, struct weir_col *child, const char *p,
              json_fit *worst)
{
    struct json_text *t = &d->walk.text;
    uint32_t from = child->len;

    if (d->maps == NULL)
        d->maps = weir_mem_zalloc(d->mem, WEIR_NEST_MAX * sizeof(*d->maps));
    if (d->maps == NULL) {
        d->rc = weir_mem_fail(d->mem, WEIR_NEST_MAX * sizeof(*d->maps), d->err);
        return NULL;
    }
    p = json_blanks(t, p);
    if (*p == '}')
        return p + 1;
    d->map_level++;
    for (;;) {
        p = member_decode(d, node, child, from, p, worst);
        if (p == NULL)
            return NULL;
        p = json_blanks(t, p);
        if (*p == '}')
            break;
        if (*p != ',')
            return json_fail(t, "a comma or } was expected");
        p = json_blanks(t, p + 1);
    }
    d->map_level--;
    return p + 1;
}

void
weir_json_map_fini(struct json_decoder *d)
{
    for (uint32_t i = 0; d->maps != NULL && i < WEIR_NEST_MAX; i++)
        weir_heap_free(d->env.quota, d->maps[i].slots, d->maps[i].size * sizeof(*d->maps[i].slots));
}
