/* See merge.h. All walks are recursive and bounded by WEIR_NEST_MAX, which types keep. */
#include "schema/merge.h"

#include <string.h>

#include "base/limits.h"

bool
weir_schema_name_holds(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (strchr(" ,;{}()\n\t=", name[i]) != NULL) /* NUL too: strchr finds its end */
            return false;
    return len > 0;
}

struct merge {
    struct weir_mem *mem;
    uint32_t most, added;
    struct weir_error *err;
};

static const struct weir_type *merge_types(struct merge *m, const struct weir_type *base,
                                           const struct weir_type *fresh, unsigned depth);
static const struct weir_type *merge_structs(struct merge *m, const struct weir_type *base,
                                             const struct weir_type *fresh, unsigned depth);

/* A new field's type without what cannot be held at any depth; VOID: nothing of it can be. NULL: no memory. */
static const struct weir_type *
merge_fresh(struct merge *m, const struct weir_type *type, unsigned depth)
{
    static const struct weir_type none = {.kind = WEIR_STRUCT};
    const struct weir_field *inner;
    const struct weir_type *held;

    if (depth > WEIR_NEST_MAX || !weir_kind_is_nested(type->kind) || type->kind == WEIR_VARIANT)
        return type;
    if (type->kind == WEIR_STRUCT) {
        held = merge_structs(m, &none, type, depth);
        return held == NULL || held->nfields > 0 ? held : &weir_type_void;
    }
    inner = type->kind == WEIR_ARRAY ? &type->fields[0] : weir_map_value(type);
    held = merge_fresh(m, inner->type, depth + 1);
    if (held == NULL || held == inner->type)
        return held == NULL ? NULL : type;
    if (held == &weir_type_void)
        return held;
    return type->kind == WEIR_ARRAY ? weir_type_array(m->mem, held, inner->nullable)
                                    : weir_type_map(m->mem, weir_map_key(type)->type, held, inner->nullable);
}

static const struct weir_type *
merge_structs(struct merge *m, const struct weir_type *base, const struct weir_type *fresh, unsigned depth)
{
    struct weir_field *fields = weir_mem_alloc(m->mem, (base->nfields + fresh->nfields) * sizeof(*fields) + 1);
    uint32_t n = base->nfields, before = m->added;
    bool same = true;

    if (fields == NULL)
        return NULL;
    if (n > 0)
        memcpy(fields, base->fields, n * sizeof(*fields));
    for (uint32_t i = 0; i < fresh->nfields; i++) {
        const struct weir_field *f = &fresh->fields[i];
        const struct weir_type sofar = {.kind = WEIR_STRUCT, .nfields = n, .fields = fields};
        int at = weir_field_find(&sofar, f->name, f->name_len, false);

        if (at >= 0) {
            const struct weir_type *t = fields[at].type;

            if (strcmp(fields[at].name, f->name) == 0)
                t = merge_types(m, fields[at].type, f->type, depth + 1);
            if (t == NULL)
                return NULL;
            same = same && t == fields[at].type;
            fields[at].type = t;
        } else if (weir_schema_name_holds(f->name, f->name_len) && m->added < m->most) {
            fields[n] = *f;
            fields[n].type = merge_fresh(m, f->type, depth + 1);
            if (fields[n].type == NULL)
                return NULL;
            if (fields[n].type == &weir_type_void)
                continue;
            m->added++;
            n++;
        }
    }
    if (same && m->added == before)
        return base;
    return weir_type_struct(m->mem, fields, n);
}

/* NULL: no memory. The same pointer as base: nothing is new. */
static const struct weir_type *
merge_types(struct merge *m, const struct weir_type *base, const struct weir_type *fresh, unsigned depth)
{
    const struct weir_type *inner;

    if (base->kind != fresh->kind || !weir_kind_is_nested(base->kind) || base->kind == WEIR_VARIANT ||
        depth > WEIR_NEST_MAX)
        return base;
    if (base->kind == WEIR_STRUCT)
        return merge_structs(m, base, fresh, depth);
    if (base->kind == WEIR_ARRAY) {
        inner = merge_types(m, base->fields[0].type, fresh->fields[0].type, depth + 1);
        if (inner == NULL || inner == base->fields[0].type)
            return inner == NULL ? NULL : base;
        return weir_type_array(m->mem, inner, base->fields[0].nullable);
    }
    inner = merge_types(m, weir_map_value(base)->type, weir_map_value(fresh)->type, depth + 1);
    if (inner == NULL || inner == weir_map_value(base)->type)
        return inner == NULL ? NULL : base;
    return weir_type_map(m->mem, weir_map_key(base)->type, inner, weir_map_value(base)->nullable);
}

weir_rc
weir_schema_merge(const struct weir_type *base, const struct weir_type *fresh, uint32_t most, struct weir_mem *mem,
                  const struct weir_type **out, uint32_t *added, struct weir_error *err)
{
    struct merge m = {.mem = mem, .most = most, .err = err};

    *out = merge_structs(&m, base, fresh, 0);
    *added = m.added;
    return *out == NULL ? weir_mem_fail(mem, 0, err) : WEIR_OK;
}

static weir_rc hint_apply(const struct weir_type *type, const struct weir_hint *hint, uint32_t depth,
                          struct weir_mem *mem, const struct weir_type **out, struct weir_error *err);

/* A path that leads nowhere yet makes structs on its way. */
static weir_rc
hint_field(const struct weir_field *known, const struct weir_hint *hint, uint32_t depth, struct weir_mem *mem,
           struct weir_field *out, struct weir_error *err)
{
    static const struct weir_type none = {.kind = WEIR_STRUCT};

    *out = known != NULL ? *known
                         : (struct weir_field){.name = hint->path[depth],
                                               .name_len = (uint32_t)strlen(hint->path[depth]),
                                               .nullable = true,
                                               .type = &none};
    return hint_apply(out->type, hint, depth + 1, mem, &out->type, err);
}

static weir_rc
hint_struct(const struct weir_type *type, const struct weir_hint *hint, uint32_t depth, struct weir_mem *mem,
            const struct weir_type **out, struct weir_error *err)
{
    const char *name = hint->path[depth];
    int at = weir_field_find(type, name, strlen(name), false);
    uint32_t n = type->nfields + (at < 0);
    struct weir_field *fields = weir_mem_alloc(mem, n * sizeof(*fields));

    if (fields == NULL)
        return weir_mem_fail(mem, n * sizeof(*fields), err);
    if (type->nfields > 0)
        memcpy(fields, type->fields, type->nfields * sizeof(*fields));
    if (at < 0)
        WEIR_TRY(hint_field(NULL, hint, depth, mem, &fields[type->nfields], err));
    else
        WEIR_TRY(hint_field(&type->fields[at], hint, depth, mem, &fields[at], err));
    if (at >= 0) { /* several spellings in the data: the hint's decides */
        fields[at].name = name;
        fields[at].name_len = (uint32_t)strlen(name);
    }
    *out = weir_type_struct(mem, fields, n);
    return *out == NULL ? weir_mem_fail(mem, 0, err) : WEIR_OK;
}

static weir_rc
hint_apply(const struct weir_type *type, const struct weir_hint *hint, uint32_t depth, struct weir_mem *mem,
           const struct weir_type **out, struct weir_error *err)
{
    const struct weir_type *key, *inner;
    const char *step;

    if (depth == hint->depth) {
        *out = hint->type;
        return WEIR_OK;
    }
    step = hint->path[depth];
    if (type->kind == WEIR_STRUCT)
        return hint_struct(type, hint, depth, mem, out, err);
    if (type->kind == WEIR_ARRAY && strcmp(step, "element") == 0) {
        WEIR_TRY(hint_apply(type->fields[0].type, hint, depth + 1, mem, &inner, err));
        *out = weir_type_array(mem, inner, type->fields[0].nullable);
    } else if (type->kind == WEIR_MAP && (strcmp(step, "key") == 0 || strcmp(step, "value") == 0)) {
        key = weir_map_key(type)->type;
        inner = weir_map_value(type)->type;
        WEIR_TRY(hint_apply(step[0] == 'k' ? key : inner, hint, depth + 1, mem, step[0] == 'k' ? &key : &inner, err));
        *out = weir_type_map(mem, key, inner, weir_map_value(type)->nullable);
    } else {
        weir_fail(err, WEIR_USAGE, "schema hint: \"%s\" leads into a %s", step, weir_kind_name(type->kind));
        return weir_error_hint(err, "give the whole column's type instead");
    }
    return *out == NULL ? weir_mem_fail(mem, 0, err) : WEIR_OK;
}

weir_rc
weir_schema_hint(const struct weir_type *schema, const struct weir_hint *hints, uint32_t n, struct weir_mem *mem,
                 const struct weir_type **out, struct weir_error *err)
{
    *out = schema;
    for (uint32_t i = 0; i < n; i++)
        WEIR_TRY(hint_apply(*out, &hints[i], 0, mem, out, err));
    return WEIR_OK;
}
