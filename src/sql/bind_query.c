/* Queries around SELECT: WITH, set operations, VALUES, ORDER BY and LIMIT.
 *
 * 1. A set operation gives its columns new numbers, the names of its left side, and the common types of both.
 * 2. Positions go through UNION ALL only; the rows of a side that has none have nulls there.
 * 3. ORDER BY of a plain SELECT belongs to bind_select.c, which knows columns that are not shown. */
#include "sql/bind_int.h"

#include <string.h>

static weir_rc bind_body(struct weir_bind *b, const struct weir_node *node, const struct weir_node *orders,
                         const struct weir_scope *outer, struct weir_rel **out);

/* ---- VALUES ---- */

/* The cells of one column as one type. */
static weir_rc
values_column(struct weir_bind *b, struct weir_rel *rel, uint32_t i, const char *name)
{
    const struct weir_type *type = &weir_type_void;
    bool nullable = false;
    struct weir_attr *attr;

    for (uint32_t r = 0; r < rel->rows.n; r++) {
        type = weir_coerce_wider(b->mem, b->set->ansi, type, rel->rows.at[r]->kids[i]->type);
        if (type == NULL)
            return weir_fail(b->err, WEIR_SCHEMA, "column %u of VALUES has no common type", i + 1);
    }
    for (uint32_t r = 0; r < rel->rows.n; r++) {
        struct weir_node **cell = &rel->rows.at[r]->kids[i];

        WEIR_TRY(weir_bind_cast(b, *cell, type, false, false, cell));
        nullable = nullable || (*cell)->nullable;
    }
    WEIR_TRY(weir_attr_new(b, name, type, nullable, &attr));
    return weir_attrs_add(b, &rel->out, attr);
}

static weir_rc
bind_values(struct weir_bind *b, const struct weir_node *node, const struct weir_scope *outer,
            struct weir_rel **out)
{
    struct weir_scope sc = {.outer = outer};
    uint32_t n = node->nkids > 0 ? node->kids[0]->nkids : 0;

    WEIR_TRY(weir_rel_new(b, WEIR_REL_VALUES, NULL, out));
    b->aggregates_ok = b->windows_ok = false;
    b->no_aggregates = "VALUES";
    for (uint32_t r = 0; r < node->nkids; r++) {
        const struct weir_node *row = node->kids[r];
        struct weir_node *bound;

        if (row->nkids != n)
            return weir_fail(b->err, WEIR_SCHEMA, "VALUES has rows of %u and of %u columns", n, row->nkids);
        WEIR_TRY(weir_bound_new(b, WEIR_NODE_TUPLE, row->at, n, &bound));
        for (uint32_t i = 0; i < n; i++)
            WEIR_TRY(weir_bind_expr(b, &sc, row->kids[i], &bound->kids[i]));
        WEIR_TRY(weir_nodes_add(b, &(*out)->rows, bound));
    }
    for (uint32_t i = 0; i < n; i++) {
        const char *name = i < node->nnames ? node->names[i] : weir_mem_printf(b->mem, "col%u", i + 1);

        if (name == NULL)
            return weir_mem_fail(b->mem, 16, b->err);
        WEIR_TRY(values_column(b, *out, i, name));
    }
    return WEIR_OK;
}

/* ---- set operations ---- */

/* Column i of both sides as their common type. */
static weir_rc
setop_column(struct weir_bind *b, struct weir_rel *set, uint32_t i)
{
    const struct weir_attr *left = set->kids[0]->out.at[i], *right = set->kids[1]->out.at[i];
    const struct weir_type *type = weir_coerce_wider(b->mem, b->set->ansi, left->type, right->type);
    bool all = strcmp(set->text, "UNION") == 0 && !set->distinct;
    struct weir_node *x, *y;
    struct weir_attr *attr;
    bool nullable;

    if (type == NULL)
        return weir_fail(b->err, WEIR_SCHEMA, "%s: column %u is a %s on the left and a %s on the right",
                         set->text, i + 1, weir_kind_name(left->type->kind),
                         weir_kind_name(right->type->kind));
    if (!all && !weir_type_orderable(type))
        return weir_fail(b->err, WEIR_SCHEMA, "%s cannot compare column %s, a map", set->text, left->name);
    WEIR_TRY(weir_bound_ref(b, left, NULL, 0, &x));
    WEIR_TRY(weir_bind_cast(b, x, type, false, false, &x));
    WEIR_TRY(weir_bound_ref(b, right, NULL, 0, &y));
    WEIR_TRY(weir_bind_cast(b, y, type, false, false, &y));
    nullable = strcmp(set->text, "UNION") == 0       ? x->nullable || y->nullable
               : strcmp(set->text, "INTERSECT") == 0 ? x->nullable && y->nullable
                                                     : x->nullable;
    WEIR_TRY(weir_nodes_add(b, &set->exprs, x));
    WEIR_TRY(weir_nodes_add(b, &set->right, y));
    WEIR_TRY(weir_attr_new(b, left->name, type, nullable, &attr));
    return weir_attrs_add(b, &set->out, attr);
}

static weir_rc
bind_setop(struct weir_bind *b, const struct weir_node *node, const struct weir_scope *outer,
           struct weir_rel **out)
{
    struct weir_rel *left, *right;

    WEIR_TRY(bind_body(b, node->kids[0], NULL, outer, &left));
    WEIR_TRY(bind_body(b, node->kids[1], NULL, outer, &right));
    if (left->out.n != right->out.n)
        return weir_fail(b->err, WEIR_SCHEMA, "%s: the left side has %u columns, the right side %u",
                         node->text, left->out.n, right->out.n);
    WEIR_TRY(weir_rel_new(b, WEIR_REL_SETOP, left, out));
    (*out)->kids[1] = right;
    (*out)->text = node->text;
    (*out)->distinct = (node->flags & WEIR_NODE_DISTINCT) != 0;
    (*out)->has_stream = left->has_stream || right->has_stream;
    (*out)->has_pos =
        strcmp(node->text, "UNION") == 0 && !(*out)->distinct && (left->has_pos || right->has_pos);
    (*out)->pos[0] = b->next_id++;
    (*out)->pos[1] = b->next_id++;
    for (uint32_t i = 0; i < left->out.n; i++)
        WEIR_TRY(setop_column(b, *out, i));
    return WEIR_OK;
}

/* ---- ORDER BY, LIMIT ---- */

static weir_rc
limit_value(struct weir_bind *b, const struct weir_node *node, const char *what, struct weir_node **out)
{
    const struct weir_scope none = {0};
    bool negative;

    b->aggregates_ok = b->windows_ok = false;
    b->no_aggregates = what;
    WEIR_TRY(weir_bind_expr(b, &none, node, out));
    if ((*out)->kind != WEIR_NODE_LITERAL || !weir_kind_is_integral((*out)->type->kind) ||
        (*out)->text == NULL)
        return weir_fail(b->err, WEIR_UNSUPPORTED, "%s wants a whole number", what);
    negative = (*out)->text[0] == '-';
    return negative ? weir_fail(b->err, WEIR_USAGE, "%s %s is negative", what, (*out)->text) : WEIR_OK;
}

weir_rc
weir_bind_limit(struct weir_bind *b, const struct weir_node *limit, const struct weir_node *offset,
                struct weir_rel *kid, struct weir_rel **out)
{
    struct weir_rel *sort = kid;

    *out = kid;
    if (limit == NULL && offset == NULL)
        return WEIR_OK;
    if (kid->kind != WEIR_REL_SORT || kid->limit != NULL || kid->offset != NULL) {
        WEIR_TRY(weir_rel_new(b, WEIR_REL_SORT, kid, &sort));
        sort->out = kid->out;
    }
    if (limit != NULL)
        WEIR_TRY(limit_value(b, limit, "LIMIT", &sort->limit));
    if (offset != NULL)
        WEIR_TRY(limit_value(b, offset, "OFFSET", &sort->offset));
    *out = sort;
    return WEIR_OK;
}

/* ORDER BY of what is no plain SELECT: over the columns it shows. */
static weir_rc
order_shown(struct weir_bind *b, const struct weir_node *orders, struct weir_rel *kid, struct weir_rel **out)
{
    struct weir_scope sc = {0};

    *out = kid;
    if (orders == NULL || orders->nkids == 0)
        return WEIR_OK;
    b->aggregates_ok = b->windows_ok = false;
    b->no_aggregates = "ORDER BY of a set operation";
    WEIR_TRY(weir_scope_add_attrs(b, &sc, NULL, 0, &kid->out));
    WEIR_TRY(weir_rel_new(b, WEIR_REL_SORT, kid, out));
    (*out)->out = kid->out;
    for (uint32_t i = 0; i < orders->nkids; i++) {
        struct weir_node *key, *order;
        int64_t place;

        if (weir_bind_ordinal(orders->kids[i]->kids[0], &place)) {
            if (place < 1 || place > kid->out.n)
                return weir_fail(b->err, WEIR_SCHEMA, "ORDER BY %lld: there are %u columns", (long long)place,
                                 kid->out.n);
            WEIR_TRY(weir_bound_ref(b, kid->out.at[place - 1], NULL, 0, &key));
        } else {
            WEIR_TRY(weir_bind_expr(b, &sc, orders->kids[i]->kids[0], &key));
        }
        WEIR_TRY(weir_bind_order(b, orders->kids[i], key, &order));
        WEIR_TRY(weir_nodes_add(b, &(*out)->exprs, order));
    }
    return WEIR_OK;
}

bool
weir_bind_ordinal(const struct weir_node *node, int64_t *out)
{
    return node->kind == WEIR_NODE_LITERAL && node->type->kind == WEIR_INT && node->text != NULL &&
           weir_parse_int(weir_slice(node->text, node->text_len), out);
}

/* ---- queries ---- */

static weir_rc
bind_body(struct weir_bind *b, const struct weir_node *node, const struct weir_node *orders,
          const struct weir_scope *outer, struct weir_rel **out)
{
    struct weir_rel *rel;
    weir_rc rc;

    switch (node->kind) {
    case WEIR_NODE_SELECT:
        return weir_bind_where(b, node, weir_bind_select(b, node, orders, outer, out));
    case WEIR_NODE_QUERY:
        rc = weir_bind_query(b, node, outer, &rel);
        break;
    case WEIR_NODE_VALUES:
        rc = bind_values(b, node, outer, &rel);
        break;
    case WEIR_NODE_SETOP:
        rc = bind_setop(b, node, outer, &rel);
        break;
    default:
        return weir_fail(b->err, WEIR_UNSUPPORTED, "this is no query");
    }
    if (rc == WEIR_OK)
        rc = order_shown(b, orders, rel, out);
    return weir_bind_where(b, node, rc);
}

/* kids: LIST of CTE, body, LIST of ORDER, limit, offset. */
weir_rc
weir_bind_query(struct weir_bind *b, const struct weir_node *query, const struct weir_scope *outer,
                struct weir_rel **out)
{
    const struct weir_cte *before = b->ctes;
    const struct weir_node *with = query->kids[0];
    struct weir_rel *rel;
    weir_rc rc = WEIR_OK;

    if (query->kind != WEIR_NODE_QUERY)
        return bind_body(b, query, NULL, outer, out);
    if (++b->queries > WEIR_BIND_QUERIES)
        return weir_fail(b->err, WEIR_USAGE, "the query has too many queries inside, uses of WITH counted");
    if (++b->depth > WEIR_BIND_DEPTH)
        return weir_fail(b->err, WEIR_USAGE, "the query is nested too deeply");
    for (uint32_t i = 0; with != NULL && i < with->nkids; i++) {
        struct weir_cte *cte;

        WEIR_BIND_NEW(cte, b, sizeof(*cte));
        *cte = (struct weir_cte){with->kids[i], b->ctes, outer};
        b->ctes = cte;
    }
    rc = bind_body(b, query->kids[1], query->kids[2], outer, &rel);
    b->ctes = before;
    b->depth--;
    WEIR_TRY(rc);
    return weir_bind_limit(b, query->kids[3], query->kids[4], rel, out);
}
