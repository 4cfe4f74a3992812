/* One SELECT, in Spark's order: FROM, WHERE, GROUP BY, HAVING, generators, the list with its windows,
 * QUALIFY, DISTINCT, ORDER BY.
 *
 * 1. The list is bound over the columns of FROM first, aggregates in place; where the query aggregates, each
 *    expression is then rewritten: what equals a group or is an aggregate becomes a column of the
 *    aggregation, and a column of FROM that is left over is an error.
 * 2. HAVING, QUALIFY and ORDER BY know the list's aliases before the columns of FROM; WHERE and the list
 *    itself know the columns of FROM before the aliases to their left; GROUP BY knows FROM's columns before
 *    any alias.
 * 3. Keys of ORDER BY and QUALIFY that the list does not show become further columns of the projection, which
 *    no one above it sees.
 * 4. Groups are always columns: one that is an expression is projected below the aggregation. */
#include "sql/bind_int.h"

#include <string.h>

enum { ITEMS, FROM, WHERE, GROUP, HAVING, QUALIFY, WINDOWS };
enum { GROUPS_MAX = 63, SETS_MAX = 4096 };

struct select_item {
    const char *name;
    struct weir_node *expr; /* bound */
    bool generated;         /* a column that the list's generator makes */
};

struct select {
    struct weir_bind *b;
    const struct weir_node *node;
    struct weir_scope from, lateral, shown; /* FROM's columns; aliases to the left; all items by name */
    struct select_item *items;
    uint32_t n, cap;
    struct weir_rel *rel;      /* as far as it is built */
    struct weir_rel *generate; /* of the list's generator; gets its kid when that is built */
    struct weir_nodes groups;  /* bound over FROM */
    uint64_t *sets;
    uint32_t nsets;
    struct weir_node *having, *qualify;
    struct weir_nodes orders; /* ORDER nodes */
    bool aggregated;
    struct weir_rel *agg;
    struct weir_attrs group_out; /* the groups as columns of the aggregation */
    struct weir_nodes aggregates;
};

/* ---- the list ---- */

static weir_rc
item_add(struct select *s, const char *name, struct weir_node *expr, struct select_item **out)
{
    if (s->n == s->cap) {
        struct select_item *grown;

        s->cap = s->cap == 0 ? 16 : s->cap * 2;
        WEIR_BIND_NEW(grown, s->b, s->cap * sizeof(*grown));
        if (s->n > 0)
            memcpy(grown, s->items, s->n * sizeof(*grown));
        s->items = grown;
    }
    *out = &s->items[s->n++];
    **out = (struct select_item){.name = name, .expr = expr};
    return WEIR_OK;
}

static bool
is_generator(const struct weir_node *node)
{
    return node->kind == WEIR_NODE_CALL && node->fn != NULL && node->fn->class_ == WEIR_FN_GENERATOR;
}

/* The items that * stands for. */
static weir_rc
list_star(struct select *s, const struct weir_node *star)
{
    struct weir_nodes found = {0};
    struct select_item *item;

    WEIR_TRY(weir_bind_where(s->b, star, weir_scope_star(s->b, &s->from, star, &found)));
    for (uint32_t i = 0; i < found.n; i++) {
        const char *name = found.at[i]->kind == WEIR_NODE_NAME ? found.at[i]->names[0] : found.at[i]->text;

        WEIR_TRY(item_add(s, name, found.at[i]->kind == WEIR_NODE_ALIAS ? found.at[i]->kids[0] : found.at[i],
                          &item));
    }
    return WEIR_OK;
}

/* A generator: its columns take its place in the list. */
static weir_rc
list_generator(struct select *s, const struct weir_node *node, struct weir_node *call)
{
    bool one = node->kind == WEIR_NODE_ALIAS && node->nnames == 0;
    const char *const *names = one ? &node->text : node->names;
    uint32_t nnames = one ? 1 : node->kind == WEIR_NODE_ALIAS ? node->nnames : 0;
    struct weir_rel *nothing;
    struct select_item *item;

    if (s->generate != NULL)
        return weir_error_hint((weir_fail(s->b->err, WEIR_SCHEMA, "a SELECT takes one generator"), s->b->err),
                               "use LATERAL VIEW for the others");
    WEIR_TRY(weir_rel_new(s->b, WEIR_REL_ONE, NULL, &nothing));
    WEIR_TRY(weir_bind_generate(s->b, call, false, names, nnames, nothing, &s->generate));
    for (uint32_t i = 0; i < s->generate->out.n; i++) {
        struct weir_node *ref;

        WEIR_TRY(weir_bound_ref(s->b, s->generate->out.at[i], NULL, node->at, &ref));
        WEIR_TRY(item_add(s, s->generate->out.at[i]->name, ref, &item));
        item->generated = true;
    }
    return WEIR_OK;
}

static weir_rc
list_item(struct select *s, const struct weir_node *node)
{
    const struct weir_node *value = node->kind == WEIR_NODE_ALIAS ? node->kids[0] : node;
    const char *name = node->kind == WEIR_NODE_ALIAS ? node->text : NULL;
    struct select_item *item;
    struct weir_node *expr;

    if (node->kind == WEIR_NODE_STAR)
        return list_star(s, node);
    s->b->aggregates_ok = s->b->windows_ok = true;
    s->b->generator = value;
    WEIR_TRY(weir_bind_expr(s->b, &s->from, value, &expr));
    if (is_generator(expr))
        return list_generator(s, node, expr);
    if (node->kind == WEIR_NODE_ALIAS && name == NULL)
        return weir_fail(s->b->err, WEIR_SCHEMA, "several aliases stand behind a generator only");
    if (name == NULL)
        WEIR_TRY(weir_bind_name(s->b, expr, &name));
    WEIR_TRY(item_add(s, name, expr, &item));
    if (node->kind != WEIR_NODE_ALIAS)
        return WEIR_OK;
    return weir_scope_add(s->b, &s->lateral, NULL, 0, name, expr, false);
}

/* All items by name, for HAVING, QUALIFY and ORDER BY. */
static weir_rc
list_shown(struct select *s)
{
    s->shown.fallback = &s->from;
    s->shown.outer = s->from.outer;
    for (uint32_t i = 0; i < s->n; i++)
        WEIR_TRY(weir_scope_add(s->b, &s->shown, NULL, 0, s->items[i].name, s->items[i].expr, false));
    return WEIR_OK;
}

static weir_rc
bind_list(struct select *s)
{
    const struct weir_node *list = s->node->kids[ITEMS];

    s->from.fallback = &s->lateral;
    for (uint32_t i = 0; i < list->nkids; i++)
        WEIR_TRY(weir_bind_where(s->b, list->kids[i], list_item(s, list->kids[i])));
    return list_shown(s);
}

/* ---- GROUP BY ---- */

/* The place of a group among the groups; a new one is added. */
static weir_rc
group_add(struct select *s, struct weir_node *expr, uint32_t *out)
{
    for (*out = 0; *out < s->groups.n; ++*out)
        if (weir_bound_equal(s->groups.at[*out], expr))
            return WEIR_OK;
    if (s->groups.n >= GROUPS_MAX)
        return weir_fail(s->b->err, WEIR_UNSUPPORTED, "more than %d groups", (int)GROUPS_MAX);
    if (weir_bound_has_aggregate(expr) || weir_bound_has_window(expr))
        return weir_fail(s->b->err, WEIR_SCHEMA, "an aggregate or window function cannot stand in GROUP BY");
    if (expr->type->kind == WEIR_VARIANT)
        return weir_fail(s->b->err, WEIR_SCHEMA, "GROUP BY cannot compare a variant");
    return weir_nodes_add(s->b, &s->groups, expr);
}

static weir_rc
group_expr(struct select *s, const struct weir_node *node, uint32_t *out)
{
    struct weir_node *expr;
    int64_t place;

    if (weir_bind_ordinal(node, &place)) {
        if (place < 1 || place > s->n || s->items[place - 1].generated)
            return weir_fail(s->b->err, WEIR_SCHEMA, "GROUP BY %lld: the list has %u items", (long long)place,
                             s->n);
        return group_add(s, s->items[place - 1].expr, out);
    }
    s->b->aggregates_ok = true; /* an alias may bring one: refused with better words */
    s->b->windows_ok = true;
    WEIR_TRY(weir_bind_expr(s->b, &s->from, node, &expr));
    return group_add(s, expr, out);
}

struct group_sets {
    uint64_t *at;
    uint32_t n, cap;
};

static weir_rc
sets_add(struct select *s, struct group_sets *sets, uint64_t set)
{
    if (sets->n >= SETS_MAX)
        return weir_fail(s->b->err, WEIR_UNSUPPORTED, "more than %d grouping sets", (int)SETS_MAX);
    if (sets->n == sets->cap) {
        uint64_t *grown;

        sets->cap = sets->cap == 0 ? 16 : sets->cap * 2;
        WEIR_BIND_NEW(grown, s->b, sets->cap * sizeof(*grown));
        if (sets->n > 0)
            memcpy(grown, sets->at, sets->n * sizeof(*grown));
        sets->at = grown;
    }
    sets->at[sets->n++] = set;
    return WEIR_OK;
}

/* An expression, or (a, b): the bits of its groups. */
static weir_rc
group_set(struct select *s, const struct weir_node *node, uint64_t *set)
{
    uint32_t n = node->kind == WEIR_NODE_TUPLE ? node->nkids : 1, place;

    *set = 0;
    for (uint32_t i = 0; i < n; i++) {
        WEIR_TRY(group_expr(s, node->kind == WEIR_NODE_TUPLE ? node->kids[i] : node, &place));
        *set |= UINT64_C(1) << place;
    }
    return WEIR_OK;
}

static weir_rc group_sets(struct select *s, const struct weir_node *group, struct group_sets *out);

/* ROLLUP and CUBE over units, GROUPING SETS over sets. */
static weir_rc
group_kind(struct select *s, const struct weir_node *group, struct group_sets *out)
{
    uint64_t units[GROUPS_MAX];
    uint32_t n = group->nkids;

    if (strcmp(group->text, "GROUPING SETS") == 0) {
        for (uint32_t i = 0; i < n; i++) {
            uint64_t set;

            if (group->kids[i]->kind == WEIR_NODE_GROUP) {
                WEIR_TRY(group_kind(s, group->kids[i], out));
                continue;
            }
            WEIR_TRY(group_set(s, group->kids[i], &set));
            WEIR_TRY(sets_add(s, out, set));
        }
        return WEIR_OK;
    }
    if (n > 12 && strcmp(group->text, "CUBE") == 0)
        return weir_fail(s->b->err, WEIR_UNSUPPORTED, "CUBE of more than 12 groups");
    if (n > GROUPS_MAX)
        return weir_fail(s->b->err, WEIR_UNSUPPORTED, "more than %d groups", (int)GROUPS_MAX);
    for (uint32_t i = 0; i < n; i++)
        WEIR_TRY(group_set(s, group->kids[i], &units[i]));
    if (strcmp(group->text, "ROLLUP") == 0) {
        for (uint32_t left = n + 1; left-- > 0;) {
            uint64_t set = 0;

            for (uint32_t i = 0; i < left; i++)
                set |= units[i];
            WEIR_TRY(sets_add(s, out, set));
        }
        return WEIR_OK;
    }
    for (uint32_t mask = 1u << n; mask-- > 0;) {
        uint64_t set = 0;

        for (uint32_t i = 0; i < n; i++)
            set |= (mask >> (n - 1 - i) & 1) != 0 ? units[i] : 0;
        WEIR_TRY(sets_add(s, out, set));
    }
    return WEIR_OK;
}

/* The sets of a list: each of its members times those before it. */
static weir_rc
group_sets(struct select *s, const struct weir_node *group, struct group_sets *out)
{
    if (group->text != NULL)
        return group_kind(s, group, out);
    WEIR_TRY(sets_add(s, out, 0));
    for (uint32_t i = 0; i < group->nkids; i++) {
        struct group_sets member = {0}, product = {0};

        if (group->kids[i]->kind == WEIR_NODE_GROUP) {
            WEIR_TRY(group_kind(s, group->kids[i], &member));
        } else {
            uint64_t set;

            WEIR_TRY(group_set(s, group->kids[i], &set));
            WEIR_TRY(sets_add(s, &member, set));
        }
        for (uint32_t x = 0; x < out->n; x++)
            for (uint32_t y = 0; y < member.n; y++)
                WEIR_TRY(sets_add(s, &product, out->at[x] | member.at[y]));
        *out = product;
    }
    return WEIR_OK;
}

/* GROUP BY ALL: each item without an aggregate. */
static weir_rc
group_all(struct select *s)
{
    uint32_t place;

    for (uint32_t i = 0; i < s->n; i++)
        if (!s->items[i].generated && !weir_bound_has_aggregate(s->items[i].expr))
            WEIR_TRY(group_add(s, s->items[i].expr, &place));
    return WEIR_OK;
}

static weir_rc
bind_group(struct select *s)
{
    const struct weir_node *group = s->node->kids[GROUP];
    struct group_sets sets = {0};
    bool plain = true;

    if (group == NULL)
        return WEIR_OK;
    s->aggregated = true;
    if ((group->flags & WEIR_NODE_ALL) != 0)
        return group_all(s);
    for (uint32_t i = 0; i < group->nkids; i++)
        plain = plain && group->kids[i]->kind != WEIR_NODE_GROUP;
    WEIR_TRY(weir_bind_where(s->b, group, group_sets(s, group, &sets)));
    if (group->text != NULL || !plain) {
        s->sets = sets.at;
        s->nsets = sets.n;
    }
    return WEIR_OK;
}

/* GROUP BY window(ts, …): the list may call it window. Bound before the list. */
static weir_rc
group_window(struct select *s)
{
    const struct weir_node *group = s->node->kids[GROUP];

    for (uint32_t i = 0; group != NULL && i < group->nkids; i++) {
        const struct weir_node *node = group->kids[i];
        struct weir_node *expr;

        if (node->kind != WEIR_NODE_CALL ||
            (strcmp(node->text, "window") != 0 && strcmp(node->text, "session_window") != 0))
            continue;
        s->b->aggregates_ok = s->b->windows_ok = false;
        s->b->no_aggregates = "GROUP BY";
        WEIR_TRY(weir_bind_expr(s->b, &s->from, node, &expr));
        WEIR_TRY(weir_scope_add(s->b, &s->lateral, NULL, 0, node->text, expr, false));
    }
    return WEIR_OK;
}

/* ---- what follows the list ---- */

/* ORDER BY 2, ORDER BY ALL, ORDER BY expression. */
static weir_rc
order_key(struct select *s, const struct weir_node *order)
{
    struct weir_node *key, *bound;
    int64_t place;

    if ((order->flags & WEIR_NODE_ALL) != 0) {
        for (uint32_t i = 0; i < s->n; i++) {
            WEIR_TRY(weir_bind_order(s->b, order, s->items[i].expr, &bound));
            WEIR_TRY(weir_nodes_add(s->b, &s->orders, bound));
        }
        return WEIR_OK;
    }
    if (weir_bind_ordinal(order->kids[0], &place)) {
        if (place < 1 || place > s->n)
            return weir_fail(s->b->err, WEIR_SCHEMA, "ORDER BY %lld: the list has %u items", (long long)place,
                             s->n);
        key = s->items[place - 1].expr;
    } else {
        WEIR_TRY(weir_bind_expr(s->b, &s->shown, order->kids[0], &key));
    }
    WEIR_TRY(weir_bind_order(s->b, order, key, &bound));
    return weir_nodes_add(s->b, &s->orders, bound);
}

static weir_rc
bind_after(struct select *s, const struct weir_node *orders)
{
    const struct weir_node *having = s->node->kids[HAVING], *qualify = s->node->kids[QUALIFY];

    s->b->aggregates_ok = true;
    s->b->windows_ok = false;
    if (having != NULL)
        WEIR_TRY(weir_bind_condition(s->b, &s->shown, having, "HAVING", &s->having));
    s->b->aggregates_ok = s->b->windows_ok = true;
    if (qualify != NULL)
        WEIR_TRY(weir_bind_condition(s->b, &s->shown, qualify, "QUALIFY", &s->qualify));
    for (uint32_t i = 0; orders != NULL && i < orders->nkids; i++) {
        s->b->aggregates_ok = s->b->windows_ok = true;
        WEIR_TRY(weir_bind_where(s->b, orders->kids[i], order_key(s, orders->kids[i])));
    }
    s->aggregated =
        s->aggregated || having != NULL || (s->qualify != NULL && weir_bound_has_aggregate(s->qualify));
    if (s->generate != NULL)
        s->aggregated = s->aggregated || weir_bound_has_aggregate(s->generate->exprs.at[0]);
    for (uint32_t i = 0; i < s->n; i++)
        s->aggregated = s->aggregated || weir_bound_has_aggregate(s->items[i].expr);
    for (uint32_t i = 0; i < s->orders.n; i++)
        s->aggregated = s->aggregated || weir_bound_has_aggregate(s->orders.at[i]);
    return WEIR_OK;
}

/* ---- aggregation ---- */

/* A group as a column below the aggregation. */
static weir_rc
group_column(struct select *s, struct weir_rel **project, struct weir_node *expr, struct weir_node **out)
{
    struct weir_attr *attr;

    *out = expr;
    if (weir_bound_attr(expr) != NULL)
        return WEIR_OK;
    if (*project == NULL) {
        WEIR_TRY(weir_rel_new(s->b, WEIR_REL_PROJECT, s->rel, project));
        for (uint32_t i = 0; i < s->rel->out.n; i++) {
            struct weir_node *ref;

            WEIR_TRY(weir_bound_ref(s->b, s->rel->out.at[i], NULL, 0, &ref));
            WEIR_TRY(weir_nodes_add(s->b, &(*project)->exprs, ref));
            WEIR_TRY(weir_attrs_add(s->b, &(*project)->out, s->rel->out.at[i]));
        }
    }
    WEIR_TRY(weir_attr_new(s->b, "group", expr->type, expr->nullable, &attr));
    WEIR_TRY(weir_nodes_add(s->b, &(*project)->exprs, expr));
    WEIR_TRY(weir_attrs_add(s->b, &(*project)->out, attr));
    return weir_bound_ref(s->b, attr, NULL, expr->at, out);
}

static weir_rc
agg_begin(struct select *s)
{
    struct weir_rel *project = NULL;
    struct weir_nodes keys = {0};
    struct weir_node *key;

    for (uint32_t i = 0; i < s->groups.n; i++) {
        WEIR_TRY(group_column(s, &project, s->groups.at[i], &key));
        WEIR_TRY(weir_nodes_add(s->b, &keys, key));
    }
    if (project != NULL)
        s->rel = project;
    WEIR_TRY(weir_rel_new(s->b, WEIR_REL_AGG, s->rel, &s->agg));
    s->agg->has_pos = false;
    s->agg->exprs = keys;
    s->agg->ngroups = keys.n;
    s->agg->sets = s->sets;
    s->agg->nsets = s->nsets;
    for (uint32_t i = 0; i < keys.n; i++) {
        struct weir_attr *attr;

        WEIR_TRY(weir_attr_new(s->b, "group", keys.at[i]->type, keys.at[i]->nullable || s->nsets > 0, &attr));
        WEIR_TRY(weir_attrs_add(s->b, &s->agg->out, attr));
    }
    return WEIR_OK;
}

/* grouping(x), grouping_id(x, …): their arguments are the groups' own columns. */
static weir_rc
agg_grouping(struct select *s, struct weir_node *call)
{
    for (uint32_t i = 0; i < call->nkids; i++) {
        uint32_t g = 0;

        while (g < s->groups.n && !weir_bound_equal(s->groups.at[g], call->kids[i]))
            g++;
        if (g == s->groups.n || s->nsets == 0)
            return weir_fail(s->b->err, WEIR_SCHEMA, "%s wants a column of ROLLUP, CUBE or GROUPING SETS",
                             call->text);
        call->kids[i] = s->agg->exprs.at[g];
    }
    return WEIR_OK;
}

/* The column of an aggregate; an equal one is computed once. */
static weir_rc
agg_column(struct select *s, struct weir_node *call, struct weir_node **out)
{
    struct weir_attr *attr;
    uint32_t i;

    for (i = s->agg->ngroups; i < s->agg->exprs.n; i++)
        if (weir_bound_equal(s->agg->exprs.at[i], call))
            return weir_bound_ref(s->b, s->agg->out.at[i], NULL, call->at, out);
    WEIR_TRY(weir_attr_new(s->b, "aggregate", call->type, call->nullable, &attr));
    WEIR_TRY(weir_nodes_add(s->b, &s->agg->exprs, call));
    WEIR_TRY(weir_attrs_add(s->b, &s->agg->out, attr));
    return weir_bound_ref(s->b, attr, NULL, call->at, out);
}

static bool
has_attr(const struct weir_attrs *attrs, const struct weir_attr *attr)
{
    for (uint32_t i = 0; i < attrs->n; i++)
        if (attrs->at[i]->id == attr->id)
            return true;
    return false;
}

static weir_rc agg_rewrite(struct select *s, struct weir_node **node);

/* The function of an OVER stays; what is inside it is rewritten. */
static weir_rc
agg_rewrite_over(struct select *s, struct weir_node *over)
{
    struct weir_node *call = over->kids[0];

    if (call->kind == WEIR_NODE_FILTER) {
        WEIR_TRY(agg_rewrite(s, &call->kids[1]));
        call = call->kids[0];
    }
    for (uint32_t i = 0; i < call->nkids; i++)
        WEIR_TRY(agg_rewrite(s, &call->kids[i]));
    return agg_rewrite(s, &over->kids[1]);
}

static weir_rc
agg_missing(struct select *s, const struct weir_node *node)
{
    (void)weir_fail(s->b->err, WEIR_SCHEMA, "column %s is neither in GROUP BY nor inside an aggregate",
                    node->names[0]);
    (void)weir_error_hint(s->b->err, "add it to GROUP BY, or take first(%s) or any_value(%s)", node->names[0],
                          node->names[0]);
    return weir_bind_where(s->b, node, s->b->err->rc);
}

static weir_rc
agg_rewrite(struct select *s, struct weir_node **node)
{
    const struct weir_attr *attr;
    struct weir_node *call;

    if (*node == NULL)
        return WEIR_OK;
    for (uint32_t i = 0; i < s->groups.n; i++)
        if ((*node)->kind != WEIR_NODE_LITERAL && weir_bound_equal(s->groups.at[i], *node))
            return weir_bound_ref(s->b, s->agg->out.at[i],
                                  (*node)->kind == WEIR_NODE_NAME ? (*node)->names[0] : NULL, (*node)->at,
                                  node);
    call = (*node)->kind == WEIR_NODE_FILTER ? (*node)->kids[0] : *node;
    if (call->kind == WEIR_NODE_CALL && call->fn != NULL && call->fn->class_ == WEIR_FN_AGGREGATE) {
        if (weir_str_starts(call->text, "grouping"))
            WEIR_TRY(agg_grouping(s, call));
        return agg_column(s, *node, node);
    }
    if ((*node)->kind == WEIR_NODE_OVER)
        return agg_rewrite_over(s, *node);
    attr = weir_bound_attr(*node);
    if (attr != NULL && has_attr(&s->agg->kids[0]->out, attr))
        return agg_missing(s, *node);
    if (((*node)->kind == WEIR_NODE_SUBQUERY || (*node)->kind == WEIR_NODE_EXISTS ||
         (*node)->kind == WEIR_NODE_IN_QUERY) &&
        weir_rel_reaches((*node)->bound, &s->agg->kids[0]->out))
        return weir_fail(s->b->err, WEIR_UNSUPPORTED,
                         "a subquery in a query with aggregates that uses its columns");
    for (uint32_t i = 0; i < (*node)->nkids; i++)
        WEIR_TRY(agg_rewrite(s, &(*node)->kids[i]));
    return WEIR_OK;
}

/* A copy is rewritten: expressions of the list stand in ORDER BY too. */
static weir_rc
agg_rewritten(struct select *s, struct weir_node **node)
{
    if (*node == NULL)
        return WEIR_OK;
    WEIR_TRY(weir_bound_copy(s->b, *node, node));
    return agg_rewrite(s, node);
}

static weir_rc
build_aggregate(struct select *s)
{
    if (!s->aggregated)
        return WEIR_OK;
    WEIR_TRY(agg_begin(s));
    for (uint32_t i = 0; i < s->n; i++)
        WEIR_TRY(agg_rewritten(s, &s->items[i].expr));
    WEIR_TRY(agg_rewritten(s, &s->having));
    WEIR_TRY(agg_rewritten(s, &s->qualify));
    for (uint32_t i = 0; i < s->orders.n; i++)
        WEIR_TRY(agg_rewritten(s, &s->orders.at[i]));
    s->rel = s->agg;
    if (s->having != NULL)
        WEIR_TRY(weir_bind_filter(s->b, s->having, s->rel, &s->rel));
    return WEIR_OK;
}

/* ---- generators, projection ---- */

/* The generator's rows stand between the aggregation and the projection. */
static weir_rc
build_generate(struct select *s)
{
    struct weir_attrs made;

    if (s->generate == NULL)
        return WEIR_OK;
    made = s->generate->out;
    if (s->aggregated)
        WEIR_TRY(agg_rewritten(s, &s->generate->exprs.at[0]));
    s->generate->out = (struct weir_attrs){0};
    for (uint32_t i = 0; i < s->rel->out.n; i++)
        WEIR_TRY(weir_attrs_add(s->b, &s->generate->out, s->rel->out.at[i]));
    for (uint32_t i = 0; i < made.n; i++)
        WEIR_TRY(weir_attrs_add(s->b, &s->generate->out, made.at[i]));
    s->generate->kids[0] = s->rel;
    s->generate->has_pos = s->rel->has_pos;
    s->generate->has_stream = s->rel->has_stream;
    memcpy(s->generate->pos, s->rel->pos, sizeof(s->rel->pos));
    s->rel = s->generate;
    return WEIR_OK;
}

/* *node over the columns of a DISTINCT list. */
static weir_rc
distinct_key(struct select *s, const struct weir_rel *project, struct weir_node **node)
{
    if (*node == NULL)
        return WEIR_OK;
    for (uint32_t i = 0; i < project->exprs.n; i++)
        if ((*node)->kind != WEIR_NODE_LITERAL && weir_bound_equal(project->exprs.at[i], *node))
            return weir_bound_ref(s->b, project->out.at[i], NULL, (*node)->at, node);
    if (weir_bound_attr(*node) != NULL && has_attr(&project->kids[0]->out, weir_bound_attr(*node)))
        return weir_fail(s->b->err, WEIR_SCHEMA, "with DISTINCT, ORDER BY wants what the list shows, not %s",
                         (*node)->names[0]);
    if ((*node)->nkids > 0)
        WEIR_TRY(weir_bound_copy(s->b, *node, node));
    for (uint32_t i = 0; i < (*node)->nkids; i++)
        WEIR_TRY(distinct_key(s, project, &(*node)->kids[i]));
    return WEIR_OK;
}

/* The column of the projection that computes expr; a new one behind the list when it shows none. */
static weir_rc
project_column(struct select *s, struct weir_rel *project, struct weir_node *expr, struct weir_node **out)
{
    struct weir_attr *attr;

    for (uint32_t i = 0; i < project->exprs.n; i++)
        if (weir_bound_equal(project->exprs.at[i], expr))
            return weir_bound_ref(s->b, project->out.at[i], NULL, expr->at, out);
    if (project->distinct) { /* no further column: the key is computed from those that are shown */
        *out = expr;
        return distinct_key(s, project, out);
    }
    WEIR_TRY(weir_attr_new(s->b, "key", expr->type, expr->nullable, &attr));
    WEIR_TRY(weir_nodes_add(s->b, &project->exprs, expr));
    WEIR_TRY(weir_attrs_add(s->b, &project->out, attr));
    return weir_bound_ref(s->b, attr, NULL, expr->at, out);
}

static weir_rc
project_list(struct select *s, struct weir_rel *project)
{
    for (uint32_t i = 0; i < s->n; i++) {
        struct weir_attr *attr;

        WEIR_TRY(
            weir_attr_new(s->b, s->items[i].name, s->items[i].expr->type, s->items[i].expr->nullable, &attr));
        WEIR_TRY(weir_nodes_add(s->b, &project->exprs, s->items[i].expr));
        WEIR_TRY(weir_attrs_add(s->b, &project->out, attr));
        project->windowed = project->windowed || weir_bound_has_window(s->items[i].expr);
        if ((s->node->flags & WEIR_NODE_DISTINCT) != 0 && !weir_type_orderable(attr->type))
            return weir_fail(s->b->err, WEIR_SCHEMA, "DISTINCT cannot compare column %s, a map or variant",
                             attr->name);
    }
    return WEIR_OK;
}

static weir_rc
build_project(struct select *s)
{
    struct weir_rel *project, *sort;
    struct weir_attrs shown;
    struct weir_node *key;

    WEIR_TRY(weir_rel_new(s->b, WEIR_REL_PROJECT, s->rel, &project));
    WEIR_TRY(project_list(s, project));
    shown = project->out;
    project->distinct = (s->node->flags & WEIR_NODE_DISTINCT) != 0;
    project->has_pos = project->has_pos && !project->distinct;
    s->rel = project;
    if (s->qualify != NULL) {
        WEIR_TRY(project_column(s, project, s->qualify, &key));
        project->windowed = project->windowed || weir_bound_has_window(s->qualify);
        WEIR_TRY(weir_bind_filter(s->b, key, s->rel, &s->rel));
    }
    if (s->orders.n > 0) {
        WEIR_TRY(weir_rel_new(s->b, WEIR_REL_SORT, s->rel, &sort));
        for (uint32_t i = 0; i < s->orders.n; i++) {
            struct weir_node *order = s->orders.at[i];

            project->windowed = project->windowed || weir_bound_has_window(order);
            WEIR_TRY(project_column(s, project, order->kids[0], &key));
            WEIR_TRY(weir_bind_order(s->b, order, key, &order));
            WEIR_TRY(weir_nodes_add(s->b, &sort->exprs, order));
        }
        s->rel = sort;
    }
    if (s->rel == project && shown.n == project->out.n)
        return WEIR_OK;
    s->rel->out =
        shown; /* further columns end here; `shown` is a prefix of the array, which only grows by copies */
    return WEIR_OK;
}

weir_rc
weir_bind_filter(struct weir_bind *b, struct weir_node *condition, struct weir_rel *kid,
                 struct weir_rel **out)
{
    WEIR_TRY(weir_rel_new(b, WEIR_REL_FILTER, kid, out));
    (*out)->out = kid->out;
    return weir_nodes_add(b, &(*out)->exprs, condition);
}

/* ---- the whole ---- */

static weir_rc
bind_source(struct select *s, const struct weir_scope *outer)
{
    const struct weir_node *from = s->node->kids[FROM], *where = s->node->kids[WHERE];
    struct weir_node *condition;

    s->from.outer = outer;
    if (from == NULL)
        WEIR_TRY(weir_rel_new(s->b, WEIR_REL_ONE, NULL, &s->rel));
    else
        WEIR_TRY(weir_bind_from(s->b, from, outer, &s->from, &s->rel));
    if (where == NULL)
        return WEIR_OK;
    s->b->aggregates_ok = s->b->windows_ok = false;
    s->b->no_aggregates = "WHERE";
    WEIR_TRY(weir_bind_condition(s->b, &s->from, where, "WHERE", &condition));
    return weir_bind_filter(s->b, condition, s->rel, &s->rel);
}

weir_rc
weir_bind_select(struct weir_bind *b, const struct weir_node *select, const struct weir_node *orders,
                 const struct weir_scope *outer, struct weir_rel **out)
{
    struct select *s;

    WEIR_BIND_NEW(s, b, sizeof(*s)); /* scopes of it outlive this call: CTEs and subqueries point into them */
    s->b = b;
    s->node = select;
    WEIR_TRY(bind_source(s, outer));
    b->named_windows = select->kids[WINDOWS];
    WEIR_TRY(group_window(s));
    WEIR_TRY(bind_list(s));
    WEIR_TRY(bind_group(s));
    WEIR_TRY(bind_after(s, orders));
    WEIR_TRY(build_aggregate(s));
    WEIR_TRY(build_generate(s));
    WEIR_TRY(build_project(s));
    *out = s->rel;
    return WEIR_OK;
}
