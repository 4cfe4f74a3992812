/* Data files in the log. delta/file.h.
 *
 * 1. A key is all that replay keeps of a file: with 128 bits two of a billion files collide with a chance of
 *    10^-21.
 * 2. The deletion vector belongs to the identity, with its storage type and offset: an add and a remove of
 *    one path in one commit are two keys.
 * Pure functions. */
#include "delta/file.h"

#include <inttypes.h>

#include "base/map.h"
#include "base/str.h"
#include "delta/path.h"

static weir_rc
file_text(const json_t *body, const char *key, struct weir_mem *mem, const char **out, struct weir_error *err)
{
    const char *text;

    WEIR_TRY(weir_json_get_str(body, key, &text, err));
    *out = text == NULL ? NULL : weir_mem_strdup(mem, text);
    return text != NULL && *out == NULL ? weir_mem_fail(mem, strlen(text), err) : WEIR_OK;
}

/* An object of strings and nulls; missing or null: none. */
static weir_rc
file_pairs(const json_t *body, const char *name, struct weir_mem *mem, const struct weir_pair **out,
           uint32_t *n, struct weir_error *err)
{
    json_t *map = json_object_get(body, name), *value;
    struct weir_pair *pairs;
    const char *key;
    weir_rc rc = WEIR_OK;

    *n = 0;
    *out = NULL;
    if (map == NULL || json_is_null(map))
        return WEIR_OK;
    if (!json_is_object(map))
        return weir_fail(err, WEIR_CORRUPT, "\"%s\" is not an object", name);
    WEIR_NEW(pairs, mem, json_object_size(map) * sizeof(*pairs));
    json_object_foreach(map, key, value)
    {
        struct weir_pair *p = &pairs[*n];

        if (!json_is_string(value) && !json_is_null(value))
            return weir_fail(err, WEIR_CORRUPT, "\"%s\" of \"%s\" is not a string", key, name);
        p->key = weir_mem_strdup(mem, key);
        p->value = json_is_string(value)
                       ? weir_mem_strndup(mem, json_string_value(value), json_string_length(value))
                       : NULL;
        if (p->key == NULL || (p->value == NULL && json_is_string(value)))
            return weir_mem_fail(mem, strlen(key), err);
        ++*n;
    }
    *out = pairs;
out:
    return rc;
}

static weir_rc
file_dv(const json_t *body, struct weir_mem *mem, struct weir_dv_ref *out, struct weir_error *err)
{
    const json_t *dv = json_object_get(body, "deletionVector");
    const char *type;

    *out = (struct weir_dv_ref){.offset = -1};
    if (dv == NULL || json_is_null(dv))
        return WEIR_OK;
    WEIR_TRY(weir_json_get_str(dv, "storageType", &type, err));
    WEIR_TRY(file_text(dv, "pathOrInlineDv", mem, &out->text, err));
    if (type == NULL || type[0] == '\0' || type[1] != '\0' || out->text == NULL)
        return weir_fail(err, WEIR_CORRUPT, "a deletion vector without storageType or pathOrInlineDv");
    out->type = type[0];
    WEIR_TRY(weir_json_get_int(dv, "offset", -1, &out->offset, err));
    WEIR_TRY(weir_json_get_int(dv, "sizeInBytes", 0, &out->size, err));
    return weir_json_get_int(dv, "cardinality", 0, &out->cardinality, err);
}

weir_rc
weir_file_read(const json_t *body, bool remove, struct weir_mem *mem, struct weir_file *out,
               struct weir_error *err)
{
    *out = (struct weir_file){.remove = remove};
    WEIR_TRY(file_text(body, "path", mem, &out->path, err));
    if (out->path == NULL)
        return weir_fail(err, WEIR_CORRUPT, "a file action without a path");
    WEIR_TRY(file_dv(body, mem, &out->dv, err));
    WEIR_TRY(file_pairs(body, "partitionValues", mem, &out->values, &out->nvalues, err));
    WEIR_TRY(file_pairs(body, "tags", mem, &out->tags, &out->ntags, err));
    WEIR_TRY(weir_json_get_int(body, "size", remove ? -1 : 0, &out->size, err));
    WEIR_TRY(weir_json_get_int(body, "modificationTime", 0, &out->mtime_ms, err));
    WEIR_TRY(weir_json_get_int(body, "baseRowId", INT64_MIN, &out->base_row_id, err));
    WEIR_TRY(weir_json_get_int(body, "defaultRowCommitVersion", INT64_MIN, &out->row_commit_version, err));
    WEIR_TRY(file_text(body, "clusteringProvider", mem, &out->clustering, err));
    WEIR_TRY(weir_json_get_bool(body, "dataChange", true, &out->data_change, err));
    if (!remove)
        return file_text(body, "stats", mem, &out->stats, err);
    WEIR_TRY(weir_json_get_int(body, "deletionTimestamp", 0, &out->deleted_ms, err));
    return weir_json_get_bool(body, "extendedFileMetadata", false, &out->extended, err);
}

/* --- keys ----------------------------------------------------------------------------------------------- */

weir_rc
weir_file_key(const struct weir_file *file, struct weir_buf *buf, struct weir_file_key *out,
              struct weir_error *err)
{
    weir_buf_reset(buf);
    weir_path_normal(file->path, strlen(file->path), buf);
    weir_buf_byte(buf, '\0');
    if (file->dv.type != 0) {
        weir_buf_printf(buf, "%c%s", file->dv.type, file->dv.text);
        if (file->dv.offset >= 0)
            weir_buf_printf(buf, "@%" PRId64, file->dv.offset);
    }
    WEIR_TRY(weir_buf_check(buf, err));
    out->a = weir_hash(buf->data, buf->len);
    weir_buf_byte(buf, 'b'); /* a second hash, of a text that differs */
    WEIR_TRY(weir_buf_check(buf, err));
    out->b = weir_hash(buf->data, buf->len) | 1;
    return WEIR_OK;
}

/* b 0: an empty slot. */
static struct weir_file_key *
set_slot(struct weir_file_key *slots, size_t cap, struct weir_file_key key)
{
    size_t at = (size_t)key.a & (cap - 1);

    while (slots[at].b != 0 && (slots[at].a != key.a || slots[at].b != key.b))
        at = (at + 1) & (cap - 1);
    return &slots[at];
}

static weir_rc
set_grow(struct weir_file_set *set, struct weir_error *err)
{
    size_t cap = set->cap == 0 ? 1024 : set->cap * 2;
    struct weir_file_key *slots = weir_heap_alloc(set->q, cap * sizeof(*slots));

    if (slots == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory to keep apart the %zu files of the table's log", set->n);
    memset(slots, 0, cap * sizeof(*slots));
    for (size_t i = 0; i < set->cap; i++) {
        if (set->slots[i].b != 0)
            *set_slot(slots, cap, set->slots[i]) = set->slots[i];
    }
    weir_heap_free(set->q, set->slots, set->cap * sizeof(*set->slots));
    set->slots = slots;
    set->cap = cap;
    return WEIR_OK;
}

weir_rc
weir_file_set_add(struct weir_file_set *set, struct weir_file_key key, bool *fresh, struct weir_error *err)
{
    struct weir_file_key *slot;

    if (set->n * 4 >= set->cap * 3)
        WEIR_TRY(set_grow(set, err));
    slot = set_slot(set->slots, set->cap, key);
    *fresh = slot->b == 0;
    if (*fresh) {
        *slot = key;
        set->n++;
    }
    return WEIR_OK;
}

bool
weir_file_set_has(const struct weir_file_set *set, struct weir_file_key key)
{
    return set->cap > 0 && set_slot(set->slots, set->cap, key)->b != 0;
}

void
weir_file_set_fini(struct weir_file_set *set)
{
    weir_heap_free(set->q, set->slots, set->cap * sizeof(*set->slots));
    *set = (struct weir_file_set){.q = set->q};
}
