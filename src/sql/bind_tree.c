/* Bound trees: making, copying, comparing and walking them. See bind_int.h for their rules.
 *
 * Recursion is as deep as the parser's tree (WEIR_NEST_MAX) plus what aliases and stars put in, which
 * bind_expr.c limits. */
#include "sql/bind_int.h"

#include <string.h>

/* ---- lists ---- */

static weir_rc
list_room(struct weir_bind *b, void **at, uint32_t n, uint32_t *cap, size_t size)
{
    void *grown;

    if (n < *cap)
        return WEIR_OK;
    *cap = *cap == 0 ? 8 : *cap * 2;
    WEIR_BIND_NEW(grown, b, *cap * size);
    if (n > 0)
        memcpy(grown, *at, n * size);
    *at = grown;
    return WEIR_OK;
}

weir_rc
weir_nodes_add(struct weir_bind *b, struct weir_nodes *list, struct weir_node *node)
{
    void *at = list->at;

    WEIR_TRY(list_room(b, &at, list->n, &list->cap, sizeof(list->at[0])));
    list->at = at;
    list->at[list->n++] = node;
    return WEIR_OK;
}

weir_rc
weir_attrs_add(struct weir_bind *b, struct weir_attrs *list, struct weir_attr *attr)
{
    void *at = list->at;

    WEIR_TRY(list_room(b, &at, list->n, &list->cap, sizeof(list->at[0])));
    list->at = at;
    list->at[list->n++] = attr;
    return WEIR_OK;
}

weir_rc
weir_scope_add(struct weir_bind *b, struct weir_scope *sc, const char *const *quals, uint32_t nquals,
               const char *name, struct weir_node *expr, bool hidden)
{
    void *at = sc->cols;

    WEIR_TRY(list_room(b, &at, sc->n, &sc->cap, sizeof(sc->cols[0])));
    sc->cols = at;
    sc->cols[sc->n++] = (struct weir_scope_col){quals, nquals, name, expr, hidden};
    return WEIR_OK;
}

/* ---- making ---- */

weir_rc
weir_attr_new(struct weir_bind *b, const char *name, const struct weir_type *type, bool nullable,
              struct weir_attr **out)
{
    WEIR_BIND_NEW(*out, b, sizeof(**out));
    **out = (struct weir_attr){b->next_id++, name, type, nullable};
    return WEIR_OK;
}

weir_rc
weir_rel_new(struct weir_bind *b, weir_rel_kind kind, struct weir_rel *kid, struct weir_rel **out)
{
    WEIR_BIND_NEW(*out, b, sizeof(**out));
    (*out)->kind = kind;
    (*out)->kids[0] = kid;
    if (kid != NULL) {
        (*out)->has_pos = kid->has_pos;
        memcpy((*out)->pos, kid->pos, sizeof(kid->pos));
        (*out)->has_stream = kid->has_stream;
    }
    return WEIR_OK;
}

weir_rc
weir_bound_new(struct weir_bind *b, weir_node_kind kind, uint32_t at, uint32_t nkids, struct weir_node **out)
{
    if (++b->nodes > WEIR_BIND_NODES)
        return weir_error_hint(
            (weir_fail(b->err, WEIR_USAGE, "the query grows beyond %d expressions", (int)WEIR_BIND_NODES),
             b->err),
            "each use of a WITH query or of an alias repeats it: use them less often");
    WEIR_BIND_NEW(*out, b, sizeof(**out));
    (*out)->kind = kind;
    (*out)->at = at;
    (*out)->nkids = nkids;
    WEIR_BIND_NEW((*out)->kids, b, (nkids + 1) * sizeof((*out)->kids[0]));
    return WEIR_OK;
}

weir_rc
weir_bound_ref(struct weir_bind *b, const struct weir_attr *attr, const char *name, uint32_t at,
               struct weir_node **out)
{
    struct weir_ref *ref;
    const char **names;

    WEIR_TRY(weir_bound_new(b, WEIR_NODE_NAME, at, 0, out));
    WEIR_BIND_NEW(ref, b, sizeof(*ref));
    WEIR_BIND_NEW(names, b, sizeof(*names));
    ref->attr = attr;
    names[0] = name == NULL ? attr->name : name;
    (*out)->names = names;
    (*out)->nnames = 1;
    (*out)->type = attr->type;
    (*out)->nullable = attr->nullable;
    (*out)->bound = ref;
    return WEIR_OK;
}

weir_rc
weir_bound_literal(struct weir_bind *b, const struct weir_type *type, const char *text, uint32_t len,
                   struct weir_node **out)
{
    WEIR_TRY(weir_bound_new(b, WEIR_NODE_LITERAL, 0, 0, out));
    (*out)->type = type;
    (*out)->nullable = text == NULL;
    (*out)->text_len = len;
    if (text != NULL && ((*out)->text = weir_mem_strndup(b->mem, text, len)) == NULL)
        return weir_mem_fail(b->mem, len, b->err);
    return WEIR_OK;
}

weir_rc
weir_bound_copy(struct weir_bind *b, const struct weir_node *node, struct weir_node **out)
{
    WEIR_TRY(weir_bound_new(b, node->kind, node->at, node->nkids, out));
    {
        struct weir_node **kids = (*out)->kids;

        **out = *node;
        (*out)->kids = kids;
    }
    if (node->kind == WEIR_NODE_CALL || node->kind == WEIR_NODE_CAST || node->kind == WEIR_NODE_INDEX) {
        struct weir_bound_call *call;

        if (node->bound != NULL) { /* the copy's kernel is registered on its own */
            WEIR_BIND_NEW(call, b, sizeof(*call));
            *call = *(const struct weir_bound_call *)node->bound;
            (*out)->bound = call;
        }
    }
    for (uint32_t i = 0; i < node->nkids; i++)
        if (node->kids[i] != NULL && node->kids[i]->kind != WEIR_NODE_QUERY)
            WEIR_TRY(weir_bound_copy(b, node->kids[i], &(*out)->kids[i]));
    return WEIR_OK;
}

/* ---- comparing ---- */

static bool
bytes_equal(const char *a, uint32_t na, const char *b, uint32_t nb)
{
    return (a == NULL) == (b == NULL) && na == nb && (a == NULL || memcmp(a, b, na) == 0);
}

static bool
refs_equal(const struct weir_ref *a, const struct weir_ref *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    if (a->attr != NULL && b->attr != NULL)
        return a->attr->id == b->attr->id;
    return a->attr == b->attr && a->lambda_id == b->lambda_id && a->param == b->param;
}

bool
weir_bound_equal(const struct weir_node *a, const struct weir_node *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    while (a->kind == WEIR_NODE_ALIAS)
        a = a->kids[0];
    while (b->kind == WEIR_NODE_ALIAS)
        b = b->kids[0];
    if (a->kind != b->kind || a->flags != b->flags || a->nkids != b->nkids ||
        (a->type == NULL) != (b->type == NULL) || (a->type != NULL && !weir_type_same(a->type, b->type)))
        return false;
    if (a->kind == WEIR_NODE_NAME)
        return refs_equal(a->bound, b->bound);
    if (a->kind == WEIR_NODE_SUBQUERY || a->kind == WEIR_NODE_EXISTS || a->kind == WEIR_NODE_IN_QUERY)
        return a->bound == b->bound;
    if (a->kind == WEIR_NODE_LITERAL && !bytes_equal(a->text, a->text_len, b->text, b->text_len))
        return false;
    if (a->kind != WEIR_NODE_LITERAL && (a->text != NULL || b->text != NULL) &&
        (a->text == NULL || b->text == NULL || strcmp(a->text, b->text) != 0))
        return false;
    for (uint32_t i = 0; i < a->nkids; i++)
        if (!weir_bound_equal(a->kids[i], b->kids[i]))
            return false;
    return true;
}

bool
weir_bind_same_name(const struct weir_bind *b, const char *x, const char *y)
{
    return b->set->case_sensitive ? strcmp(x, y) == 0 : weir_slice_is_nocase(weir_slice(x, strlen(x)), y);
}

/* ---- walking ---- */

void
weir_bound_walk(const struct weir_node *node, bool (*fn)(void *self, const struct weir_node *node),
                void *self)
{
    if (node == NULL || !fn(self, node))
        return;
    for (uint32_t i = 0; i < node->nkids; i++)
        if (node->kids[i] == NULL || node->kids[i]->kind != WEIR_NODE_QUERY)
            weir_bound_walk(node->kids[i], fn, self);
}

static bool
is_aggregate(const struct weir_node *node)
{
    return node->kind == WEIR_NODE_CALL && node->fn != NULL && node->fn->class_ == WEIR_FN_AGGREGATE;
}

bool
weir_bound_has_aggregate(const struct weir_node *node)
{
    if (node == NULL)
        return false;
    if (is_aggregate(node))
        return true;
    for (uint32_t i = 0; i < node->nkids; i++) {
        const struct weir_node *kid = node->kids[i];

        if (kid == NULL || kid->kind == WEIR_NODE_QUERY)
            continue;
        if (node->kind == WEIR_NODE_OVER && i == 0) { /* FILTER around the function, then its arguments */
            while (kid->kind == WEIR_NODE_FILTER)
                kid = kid->kids[0];
            for (uint32_t j = 0; j < kid->nkids; j++)
                if (weir_bound_has_aggregate(kid->kids[j]))
                    return true;
        } else if (weir_bound_has_aggregate(kid)) {
            return true;
        }
    }
    return false;
}

static bool
walk_window(void *self, const struct weir_node *node)
{
    *(bool *)self |= node->kind == WEIR_NODE_OVER;
    return true;
}

bool
weir_bound_has_window(const struct weir_node *node)
{
    bool found = false;

    weir_bound_walk(node, walk_window, &found);
    return found;
}

static bool
walk_volatile(void *self, const struct weir_node *node)
{
    *(bool *)self |= node->plan != NULL && node->plan->is_volatile;
    return true;
}

bool
weir_bound_is_volatile(const struct weir_node *node)
{
    bool found = false;

    weir_bound_walk(node, walk_volatile, &found);
    return found;
}

static bool
walk_may_fail(void *self, const struct weir_node *node)
{
    *(bool *)self |= node->plan != NULL && (node->plan->may_fail || node->plan->is_volatile);
    return true;
}

bool
weir_bound_may_fail(const struct weir_node *node)
{
    bool found = false;

    weir_bound_walk(node, walk_may_fail, &found);
    return found;
}

/* ---- what a subquery uses ---- */

static bool
walk_reach(void *self, const struct weir_node *node)
{
    struct reach {
        const struct weir_attrs *attrs;
        bool found;
    } *reach = self;
    const struct weir_attr *attr = weir_bound_attr(node);

    for (uint32_t i = 0; attr != NULL && i < reach->attrs->n; i++)
        reach->found = reach->found || reach->attrs->at[i]->id == attr->id;
    if (node->kind == WEIR_NODE_SUBQUERY || node->kind == WEIR_NODE_EXISTS ||
        node->kind == WEIR_NODE_IN_QUERY)
        reach->found = reach->found || weir_rel_reaches(node->bound, reach->attrs);
    return !reach->found;
}

bool
weir_rel_reaches(const struct weir_rel *rel, const struct weir_attrs *attrs)
{
    struct {
        const struct weir_attrs *attrs;
        bool found;
    } reach = {attrs, false};
    const struct weir_nodes *lists[3];

    if (rel == NULL)
        return false;
    lists[0] = &rel->exprs;
    lists[1] = &rel->right;
    lists[2] = &rel->rows;
    for (int l = 0; l < 3; l++)
        for (uint32_t i = 0; i < lists[l]->n; i++)
            weir_bound_walk(lists[l]->at[i], walk_reach, &reach);
    return reach.found || weir_rel_reaches(rel->kids[0], attrs) || weir_rel_reaches(rel->kids[1], attrs);
}

/* ---- errors ---- */

weir_rc
weir_bind_where(struct weir_bind *b, const struct weir_node *node, weir_rc rc)
{
    uint32_t line, column;

    if (rc == WEIR_OK || b->located || rc == WEIR_NOMEM || b->text == NULL)
        return rc;
    b->located = true;
    weir_sql_position(b->text, node->at, &line, &column);
    return weir_error_context(b->err, "SQL, line %u, column %u", line, column);
}
