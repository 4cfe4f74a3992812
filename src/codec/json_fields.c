/* A schema compiled for the JSON decoder: nodes in the shape of the types, and for each struct an index of
 * names.
 *
 * 1. Finding a key costs the same whatever the number of fields: first a guess (the field that came next last
 *    time), then a hash.
 * 2. Columns that the record must not fill (partition values, _metadata, the rescued and the corrupt column)
 *    have a field, too: a key of that name is no unknown field, and its value is kept in the rescued
 *    column. */
#include "codec/json_decode_int.h"

#include "base/map.h"
#include "base/str.h"

static uint64_t
name_hash(const struct json_index *index, const char *name, size_t len)
{
    char folded[WEIR_NAME_MAX];

    if (!index->folded)
        return weir_hash(name, len);
    for (size_t i = 0; i < len; i++)
        folded[i] = weir_lower(name[i]);
    return weir_hash(folded, len);
}

static bool
name_is(const struct json_index *index, const struct json_field *f, const char *name, size_t len)
{
    if (f->len != len)
        return false;
    if (!index->folded)
        return memcmp(f->name, name, len) == 0;
    for (size_t i = 0; i < len; i++)
        if (weir_lower(f->name[i]) != weir_lower(name[i]))
            return false;
    return true;
}

struct json_field *
weir_json_field_find(const struct json_node *node, const struct json_index *index, const char *name,
                     size_t len)
{
    uint32_t at;

    if (len > WEIR_NAME_MAX)
        return &node->fields[node->nfields];
    for (at = (uint32_t)name_hash(index, name, len) & index->mask; index->slots[at] != 0;
         at = (at + 1) & index->mask)
        if (name_is(index, &node->fields[index->slots[at] - 1], name, len))
            return &node->fields[index->slots[at] - 1];
    return &node->fields[node->nfields];
}

/* The first of names that are the same wins. */
static weir_rc
index_build(struct json_decoder *d, const struct json_node *node, struct json_index *index, bool folded,
            struct weir_error *err)
{
    uint32_t size = 8;
    weir_rc rc = WEIR_OK;

    while (size < node->nfields * 2)
        size *= 2;
    index->mask = size - 1;
    index->folded = folded;
    WEIR_NEW(index->slots, d->mem, size * sizeof(*index->slots));
    for (uint32_t i = 0; i < node->nfields; i++) {
        const struct json_field *f = &node->fields[i];
        uint32_t at = (uint32_t)name_hash(index, f->name, f->len) & index->mask;

        while (index->slots[at] != 0 && !name_is(index, &node->fields[index->slots[at] - 1], f->name, f->len))
            at = (at + 1) & index->mask;
        if (index->slots[at] == 0)
            index->slots[at] = i + 1;
    }
out:
    return rc;
}

static void
field_match_nothing(struct json_field *f)
{
    f->mask[0] = 0;
    f->want[0] = 1;
}

/* A name without escapes, and short enough that comparing it stays within the pad behind a block. */
static bool
is_quick(const struct json_field *f)
{
    bool quick = f->quick_len <= WEIR_BLOCK_PAD;

    for (uint32_t i = 0; quick && i < f->len; i++)
        quick = f->name[i] != '"' && f->name[i] != '\\' && (unsigned char)f->name[i] >= ' ';
    return quick;
}

static weir_rc
field_quick(struct json_decoder *d, struct json_field *f, struct weir_error *err)
{
    char *text;
    weir_rc rc = WEIR_OK;

    f->quick_len = f->len + 3;
    if (!is_quick(f)) {
        field_match_nothing(f);
        return WEIR_OK;
    }
    WEIR_NEW(text, d->mem, (size_t)f->quick_len + 16);
    text[0] = '"';
    memcpy(text + 1, f->name, f->len);
    text[f->len + 1] = '"';
    text[f->len + 2] = ':';
    f->quick = text;
    for (uint32_t i = 0; i < 16 && i < f->quick_len; i++)
        f->mask[i >> 3] |= UINT64_C(0xff) << (i & 7) * 8; /* little endian, as all of weir's machines */
    memcpy(f->want, text, 16);
    f->want[0] &= f->mask[0];
    f->want[1] &= f->mask[1];
out:
    return rc;
}

static weir_rc node_compile(struct json_decoder *d, const struct weir_type *type, const char *name,
                            struct json_node **out, struct weir_error *err);

static bool
is_foreign(const struct json_decoder *d, uint32_t col)
{
    return d->env.source[col] == 0 || (int32_t)col == d->env.rescued || (int32_t)col == d->env.corrupt;
}

static weir_rc
struct_compile(struct json_decoder *d, struct json_node *node, bool top, struct weir_error *err)
{
    const struct weir_type *type = node->type;
    weir_rc rc = WEIR_OK;

    node->nfields = type->nfields;
    WEIR_NEW(node->fields, d->mem, (node->nfields + 1) * sizeof(*node->fields));
    field_match_nothing(&node->fields[node->nfields]);
    node->fields[node->nfields].next = node->fields; /* the guess for an object's first key */
    for (uint32_t i = 0; i < node->nfields; i++) {
        struct json_field *f = &node->fields[i];

        f->name = type->fields[i].name;
        f->len = type->fields[i].name_len;
        f->col = i;
        f->next = f + 1;
        f->foreign = top && is_foreign(d, i);
        if (f->foreign) {
            field_match_nothing(f);
            continue;
        }
        node->nown++;
        WEIR_GO(field_quick(d, f, err));
        WEIR_GO(node_compile(d, type->fields[i].type, f->name, &f->node, err));
    }
    WEIR_GO(index_build(d, node, &node->exact, false, err));
    WEIR_GO(index_build(d, node, &node->folded, true, err));
out:
    return rc;
}

static weir_rc
map_compile(struct json_decoder *d, struct json_node *node, const char *name, struct weir_error *err)
{
    if (weir_map_key(node->type)->type->kind != WEIR_STRING) {
        weir_fail(err, WEIR_UNSUPPORTED, "column %s: a MAP read from JSON has STRING keys, not %s", name,
                  weir_kind_name(weir_map_key(node->type)->type->kind));
        return weir_error_hint(err, "Spark refuses it too; read MAP<STRING, ...> and cast in the query");
    }
    return node_compile(d, weir_map_value(node->type)->type, name, &node->kid, err);
}

/* At most WEIR_NEST_MAX deep, as the type. */
static weir_rc
node_compile(struct json_decoder *d, const struct weir_type *type, const char *name, struct json_node **out,
             struct weir_error *err)
{
    struct json_node *node;
    weir_rc rc = WEIR_OK;

    WEIR_NEW(node, d->mem, sizeof(*node));
    node->kind = type->kind;
    node->type = type;
    node->read = type->kind == WEIR_STRUCT                            ? weir_json_read_struct
                 : type->kind == WEIR_ARRAY || type->kind == WEIR_MAP ? weir_json_read_list
                                                                      : weir_json_reader(type->kind, d->opt);
    *out = node;
    switch (type->kind) {
    case WEIR_STRUCT:
        WEIR_GO(struct_compile(d, node, name == NULL, err));
        break;
    case WEIR_ARRAY:
        WEIR_GO(node_compile(d, type->fields[0].type, name, &node->kid, err));
        break;
    case WEIR_MAP:
        WEIR_GO(map_compile(d, node, name, err));
        break;
    case WEIR_VARIANT:
        weir_fail(err, WEIR_UNSUPPORTED, "column %s: VARIANT is not read from JSON by this version", name);
        WEIR_GO(weir_error_hint(err, "give it the type STRING: the text is kept as it is"));
        break;
    default:
        break;
    }
out:
    return rc;
}

/* ---- The lists of a schema, each with its way through the columns */

struct list_walk {
    struct json_decoder *d;
    uint32_t path[2 * WEIR_NEST_MAX], depth; /* from the page or the list around */
    int32_t around;
    bool count_only;
};

static weir_rc lists_collect(struct list_walk *w, const struct weir_type *type, bool top,
                             struct weir_error *err);

static weir_rc
list_add(struct list_walk *w, const struct weir_type *type, struct weir_error *err)
{
    struct json_decoder *d = w->d;
    struct list_walk inner = {.d = d, .around = (int32_t)d->nlists, .count_only = w->count_only};
    uint32_t *path;
    weir_rc rc = WEIR_OK;

    if (!w->count_only) {
        WEIR_NEW(path, d->mem, (w->depth + 1) * sizeof(*path));
        memcpy(path, w->path, w->depth * sizeof(*path));
        d->lists[d->nlists] = (struct json_list){.around = w->around, .depth = w->depth, .path = path};
    }
    d->nlists++;
    rc = lists_collect(&inner, type->fields[0].type, false, err);
out:
    return rc;
}

/* type stands at w->path. */
static weir_rc
lists_collect(struct list_walk *w, const struct weir_type *type, bool top, struct weir_error *err)
{
    if (type->kind == WEIR_ARRAY || type->kind == WEIR_MAP)
        return list_add(w, type, err);
    if (type->kind != WEIR_STRUCT)
        return WEIR_OK;
    for (uint32_t i = 0; i < type->nfields; i++) {
        if (top && is_foreign(w->d, i))
            continue;
        w->path[w->depth++] = i;
        WEIR_TRY(lists_collect(w, type->fields[i].type, false, err));
        w->depth--;
    }
    return WEIR_OK;
}

weir_rc
weir_json_compile(struct json_decoder *d, struct weir_error *err)
{
    struct list_walk walk = {.d = d, .around = -1, .count_only = true};
    weir_rc rc = WEIR_OK;

    WEIR_GO(node_compile(d, d->env.schema, NULL, &d->root, err));
    WEIR_GO(lists_collect(&walk, d->env.schema, true, err));
    WEIR_NEW(d->lists, d->mem, (d->nlists + 1) * sizeof(*d->lists));
    walk = (struct list_walk){.d = d, .around = -1};
    d->nlists = 0;
    WEIR_GO(lists_collect(&walk, d->env.schema, true, err));
out:
    return rc;
}
