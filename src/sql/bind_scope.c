/* Names: which column, lambda parameter or field of a struct one means.
 *
 * Spark's order (AttributeSeq.resolve): a qualifier of two parts, of one, then none; what is left of the name
 * are fields. The innermost query that knows the name wins; inside a query the columns of FROM before
 * aliases, or after them, as the caller chains the scopes (weir_scope.fallback). Hidden columns only where
 * nothing that is shown fits. Two columns that fit are an error which names both. */
#include "sql/bind_int.h"

#include <string.h>

#include "base/limits.h"

weir_rc
weir_scope_add_attrs(struct weir_bind *b, struct weir_scope *sc, const char *const *quals, uint32_t nquals,
                     const struct weir_attrs *attrs)
{
    for (uint32_t i = 0; i < attrs->n; i++) {
        struct weir_node *ref;

        WEIR_TRY(weir_bound_ref(b, attrs->at[i], NULL, 0, &ref));
        WEIR_TRY(weir_scope_add(b, sc, quals, nquals, attrs->at[i]->name, ref, false));
    }
    return WEIR_OK;
}

/* ---- fields ---- */

/* Index of a field; SCHEMA when there is none, or several. */
static weir_rc
field_index(struct weir_bind *b, const struct weir_type *type, const char *field, uint32_t *out)
{
    int found = -1;

    for (uint32_t i = 0; i < type->nfields; i++)
        if (weir_bind_same_name(b, type->fields[i].name, field)) {
            if (found >= 0)
                return weir_fail(b->err, WEIR_SCHEMA, "field %s is ambiguous: the struct has %s and %s",
                                 field, type->fields[found].name, type->fields[i].name);
            found = (int)i;
        }
    if (found < 0) {
        const char *names[64], *near;
        uint32_t n = type->nfields < 64 ? type->nfields : 64;

        for (uint32_t i = 0; i < n; i++)
            names[i] = type->fields[i].name;
        near = weir_nearest(field, names, n);
        (void)weir_fail(b->err, WEIR_SCHEMA, "there is no field %s in the struct", field);
        if (near != NULL)
            return weir_error_hint(b->err, "did you mean %s?", near);
        return b->err->rc;
    }
    *out = (uint32_t)found;
    return WEIR_OK;
}

static weir_rc
field_of_struct(struct weir_bind *b, struct weir_node *base, const struct weir_type *st, const char *field,
                uint32_t at, struct weir_node **out)
{
    uint32_t i;

    WEIR_TRY(field_index(b, st, field, &i));
    WEIR_TRY(weir_bound_new(b, WEIR_NODE_FIELD, at, 1, out));
    (*out)->kids[0] = base;
    (*out)->text = weir_mem_strdup(b->mem, field); /* as it was typed: Spark's name of the column */
    if ((*out)->text == NULL)
        return weir_mem_fail(b->mem, strlen(field), b->err);
    (*out)->text_len = (uint32_t)strlen(field);
    (*out)->bound = (void *)(uintptr_t)&st->fields[i]; /* nobody writes through it */
    (*out)->type = st->fields[i].type;
    (*out)->nullable = base->nullable || st->fields[i].nullable;
    return WEIR_OK;
}

weir_rc
weir_bind_field(struct weir_bind *b, struct weir_node *base, const char *field, uint32_t at,
                struct weir_node **out)
{
    const struct weir_type *type = base->type;

    if (type->kind == WEIR_STRUCT && !weir_type_is_interval(type))
        return field_of_struct(b, base, type, field, at, out);
    if (type->kind == WEIR_ARRAY && type->fields[0].type->kind == WEIR_STRUCT) {
        const struct weir_type *array;

        WEIR_TRY(field_of_struct(b, base, type->fields[0].type, field, at, out));
        array =
            weir_type_array(b->mem, (*out)->type,
                            type->fields[0].nullable || ((const struct weir_field *)(*out)->bound)->nullable);
        if (array == NULL)
            return weir_mem_fail(b->mem, sizeof(*array), b->err);
        (*out)->type = array;
        (*out)->nullable = base->nullable;
        return WEIR_OK;
    }
    if (type->kind == WEIR_MAP) {
        struct weir_node *kids[2] = {base};

        WEIR_TRY(weir_bound_literal(b, &weir_type_string, field, (uint32_t)strlen(field), &kids[1]));
        return weir_bind_call(b, "[]", kids, 2, at, out);
    }
    return weir_fail(b->err, WEIR_SCHEMA, "%s is a %s: it has no field %s",
                     base->nnames > 0 ? base->names[base->nnames - 1] : "the value",
                     weir_kind_name(type->kind), field);
}

/* ---- columns ---- */

static bool
quals_match(const struct weir_bind *b, const struct weir_scope_col *col, const char *const *names, uint32_t n)
{
    if (n > col->nquals)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!weir_bind_same_name(b, col->quals[col->nquals - n + i], names[i]))
            return false;
    return true;
}

static bool
same_column(const struct weir_scope_col *a, const struct weir_scope_col *b)
{
    const struct weir_attr *x = weir_bound_attr(a->expr), *y = weir_bound_attr(b->expr);

    return a->expr == b->expr || (x != NULL && y != NULL && x->id == y->id);
}

/* How a column is named in an error: "o.id". */
static const char *
column_title(struct weir_bind *b, const struct weir_scope_col *col)
{
    const char *title = col->nquals == 0
                            ? col->name
                            : weir_mem_printf(b->mem, "%s.%s", col->quals[col->nquals - 1], col->name);

    return title == NULL ? col->name : title;
}

/* The column that names[0..q] mean with q qualifiers; NULL: none. */
static weir_rc
scope_match(struct weir_bind *b, const struct weir_scope *sc, const char *const *names, uint32_t q,
            bool hidden, const struct weir_scope_col **out)
{
    *out = NULL;
    for (uint32_t i = 0; i < sc->n; i++) {
        const struct weir_scope_col *col = &sc->cols[i];

        if (col->hidden != hidden || !weir_bind_same_name(b, col->name, names[q]) ||
            !quals_match(b, col, names, q))
            continue;
        if (*out != NULL && !same_column(*out, col)) {
            (void)weir_fail(b->err, WEIR_SCHEMA, "column %s is ambiguous: it may be %s or %s", names[q],
                            column_title(b, *out), column_title(b, col));
            return weir_error_hint(b->err, "write the name or alias of the table in front of it");
        }
        if (*out == NULL)
            *out = col;
    }
    return WEIR_OK;
}

/* In one scope. *used: parts of the name that found the column. */
static weir_rc
scope_find(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *name,
           const struct weir_scope_col **out, uint32_t *used)
{
    for (int hidden = 0; hidden < 2; hidden++)
        for (uint32_t q = name->nnames < 4 ? name->nnames - 1 : 3;; q--) {
            WEIR_TRY(scope_match(b, sc, name->names, q, hidden != 0, out));
            *used = q + 1;
            if (*out != NULL)
                return WEIR_OK;
            if (q == 0)
                break;
        }
    return WEIR_OK;
}

static weir_rc
scope_lambda(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *name,
             struct weir_node **out)
{
    for (const struct weir_scope_lambda *l = sc->lambdas; l != NULL; l = l->outer)
        for (uint32_t i = 0; i < l->node->nnames; i++) {
            struct weir_ref *ref;

            if (!weir_bind_same_name(b, l->node->names[i], name->names[0]))
                continue;
            WEIR_TRY(weir_bound_new(b, WEIR_NODE_NAME, name->at, 0, out));
            WEIR_BIND_NEW(ref, b, sizeof(*ref));
            *ref = (struct weir_ref){.lambda = &l->bound->made, .lambda_id = l->bound->id, .param = i};
            (*out)->names = name->names;
            (*out)->nnames = 1;
            (*out)->bound = ref;
            (*out)->type = l->bound->made.param[i].type;
            (*out)->nullable = l->bound->made.param[i].nullable;
            return WEIR_OK;
        }
    return WEIR_NOTFOUND;
}

/* The use of a column that was found. */
static weir_rc
scope_use(struct weir_bind *b, const struct weir_scope_col *col, const struct weir_node *name, uint32_t used,
          struct weir_node **out)
{
    const struct weir_attr *attr = weir_bound_attr(col->expr);

    if (attr != NULL)
        return weir_bound_ref(b, attr, name->names[used - 1], name->at, out);
    if (weir_bound_is_volatile(col->expr))
        return weir_fail(b->err, WEIR_UNSUPPORTED, "%s stands for an expression that differs at each use",
                         name->names[used - 1]);
    return weir_bound_copy(b, col->expr, out);
}

weir_rc
weir_scope_try(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *name,
               struct weir_node **out)
{
    const struct weir_scope_col *col = NULL;
    uint32_t used = 1;
    weir_rc rc = scope_lambda(b, sc, name, out);

    if (rc == WEIR_NOTFOUND) {
        for (const struct weir_scope *level = sc; level != NULL && col == NULL; level = level->outer)
            for (const struct weir_scope *at = level; at != NULL && col == NULL; at = at->fallback)
                WEIR_TRY(scope_find(b, at, name, &col, &used));
        if (col == NULL)
            return WEIR_NOTFOUND;
        rc = scope_use(b, col, name, used, out);
    }
    WEIR_TRY(rc);
    for (; used < name->nnames; used++) {
        WEIR_TRY(weir_bind_field(b, *out, name->names[used], name->at, out));
        (*out)->flags |= WEIR_BOUND_PATH;
    }
    return WEIR_OK;
}

/* The names that can be seen, for a hint. */
static const char *
scope_nearest(const struct weir_scope *sc, const char *name)
{
    const char *names[256];
    uint32_t n = 0;

    for (const struct weir_scope *level = sc; level != NULL; level = level->outer)
        for (const struct weir_scope *at = level; at != NULL; at = at->fallback)
            for (uint32_t i = 0; i < at->n && n < 256; i++)
                names[n++] = at->cols[i].name;
    return weir_nearest(name, names, n);
}

weir_rc
weir_scope_resolve(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *name,
                   struct weir_node **out)
{
    weir_rc rc = weir_scope_try(b, sc, name, out);
    const char *last = name->names[name->nnames - 1], *near;

    if (rc != WEIR_NOTFOUND)
        return rc;
    near = scope_nearest(sc, last);
    if (near == NULL)
        near = scope_nearest(sc, name->names[0]);
    if (name->nnames > 1)
        (void)weir_fail(b->err, WEIR_SCHEMA, "there is no column %s.%s here", name->names[name->nnames - 2],
                        last);
    else
        (void)weir_fail(b->err, WEIR_SCHEMA, "there is no column %s here", last);
    if (near != NULL)
        return weir_error_hint(b->err, "did you mean %s?", near);
    return b->err->rc;
}

/* ---- stars ---- */

/* EXCEPT (st.u): the struct without that field, made of the fields that are left. path: what is behind the
 * column. */
static weir_rc
star_without(struct weir_bind *b, struct weir_node *base, const char *const *path, uint32_t n,
             struct weir_node **out)
{
    struct weir_nodes kids = {0};
    uint32_t gone;

    if (base->type->kind != WEIR_STRUCT)
        return weir_fail(b->err, WEIR_SCHEMA, "EXCEPT: %s is no field of a struct", path[0]);
    WEIR_TRY(field_index(b, base->type, path[0], &gone));
    for (uint32_t i = 0; i < base->type->nfields; i++) {
        const struct weir_field *field = &base->type->fields[i];
        struct weir_node *name, *value, *copy;

        if (i == gone && n == 1)
            continue;
        WEIR_TRY(weir_bound_literal(b, &weir_type_string, field->name, field->name_len, &name));
        WEIR_TRY(weir_bound_copy(b, base, &copy));
        WEIR_TRY(weir_bind_field(b, copy, field->name, base->at, &value));
        if (i == gone)
            WEIR_TRY(star_without(b, value, path + 1, n - 1, &value));
        WEIR_TRY(weir_nodes_add(b, &kids, name));
        WEIR_TRY(weir_nodes_add(b, &kids, value));
    }
    if (kids.n == 0)
        return weir_fail(b->err, WEIR_SCHEMA, "EXCEPT leaves no field of the struct");
    return weir_bind_call(b, "named_struct", kids.at, kids.n, base->at, out);
}

/* Takes from the list, or changes in it, what EXCEPT names. */
static weir_rc
star_except(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *name,
            struct weir_nodes *list)
{
    const struct weir_scope_col *col;
    const struct weir_attr *attr;
    uint32_t used, i;

    WEIR_TRY(scope_find(b, sc, name, &col, &used));
    attr = col == NULL ? NULL : weir_bound_attr(col->expr);
    for (i = 0; i < list->n; i++) {
        const struct weir_node *item = list->at[i];

        if (attr != NULL ? weir_bound_attr(item) != NULL && weir_bound_attr(item)->id == attr->id
                         : item->kind == WEIR_NODE_FIELD && name->nnames == 1 &&
                               weir_bind_same_name(b, item->text, name->names[0]))
            break;
    }
    if (i == list->n)
        return weir_fail(b->err, WEIR_SCHEMA, "EXCEPT: the star has no column %s",
                         name->names[name->nnames - 1]);
    if (attr != NULL && used < name->nnames) {
        struct weir_node *alias;

        WEIR_TRY(weir_bound_new(b, WEIR_NODE_ALIAS, name->at, 1, &alias));
        WEIR_TRY(star_without(b, list->at[i], name->names + used, name->nnames - used, &alias->kids[0]));
        alias->text = attr->name;
        alias->type = alias->kids[0]->type;
        alias->nullable = alias->kids[0]->nullable;
        list->at[i] = alias;
        return WEIR_OK;
    }
    memmove(list->at + i, list->at + i + 1, (list->n - i - 1) * sizeof(list->at[0]));
    list->n--;
    return WEIR_OK;
}

/* struct.*: the fields of a struct. */
static weir_rc
star_fields(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *star,
            struct weir_nodes *out)
{
    struct weir_node name = {
        .kind = WEIR_NODE_NAME, .at = star->at, .names = star->names, .nnames = star->nnames};
    struct weir_node *base, *copy, *field;

    WEIR_TRY(weir_scope_resolve(b, sc, &name, &base));
    if (base->type->kind != WEIR_STRUCT || weir_type_is_interval(base->type))
        return weir_fail(b->err, WEIR_SCHEMA, "%s.*: neither a table nor a struct",
                         star->names[star->nnames - 1]);
    for (uint32_t i = 0; i < base->type->nfields; i++) {
        WEIR_TRY(weir_bound_copy(b, base, &copy));
        WEIR_TRY(weir_bind_field(b, copy, base->type->fields[i].name, star->at, &field));
        WEIR_TRY(weir_nodes_add(b, out, field));
    }
    return WEIR_OK;
}

weir_rc
weir_scope_star(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *star,
                struct weir_nodes *out)
{
    uint32_t before = out->n;

    for (uint32_t i = 0; i < sc->n; i++) {
        struct weir_node *ref;

        if (sc->cols[i].hidden || !quals_match(b, &sc->cols[i], star->names, star->nnames))
            continue;
        WEIR_TRY(weir_bound_copy(b, sc->cols[i].expr, &ref));
        ref->at = star->at;
        WEIR_TRY(weir_nodes_add(b, out, ref));
    }
    if (out->n == before && star->nnames > 0)
        WEIR_TRY(star_fields(b, sc, star, out));
    if (out->n == before)
        return weir_fail(b->err, WEIR_SCHEMA, "* stands for no column here");
    for (uint32_t i = 0; i < star->nkids; i++)
        if (star->kids[i] != NULL)
            WEIR_TRY(weir_bind_where(b, star->kids[i], star_except(b, sc, star->kids[i], out)));
    return WEIR_OK;
}
