/* What stands in FROM: tables, CTEs, subqueries, joins, lateral views. Each gives a relation and the scope of
 * the names it brings.
 *
 * 1. An outer join makes the columns of its other side nullable: copies of those columns, with the same
 *    number.
 * 2. USING and NATURAL show their columns once, first; the other side's stays reachable by its qualifier.
 * 3. Positions of the stream go through a join that keeps each of its rows or drops it: INNER, CROSS, SEMI,
 *    ANTI, LEFT from the left, RIGHT from the right. A row made of two rows of the stream has none. */
#include "sql/bind_int.h"

#include <string.h>

/* ---- tables ---- */

/* The index of a used relation; the same one is used once. */
static weir_rc
relation_use(struct weir_bind *b, const struct weir_sql_relation *rel, uint32_t *out)
{
    for (*out = 0; *out < b->nrelations; ++*out)
        if (strcmp(b->relations[*out].name, rel->name) == 0)
            return WEIR_OK;
    if (b->nrelations == b->relations_cap) {
        struct weir_sql_relation *grown;

        b->relations_cap = b->relations_cap == 0 ? 8 : b->relations_cap * 2;
        WEIR_BIND_NEW(grown, b, b->relations_cap * sizeof(*grown));
        if (b->nrelations > 0)
            memcpy(grown, b->relations, b->nrelations * sizeof(*grown));
        b->relations = grown;
    }
    b->relations[b->nrelations++] = *rel;
    return WEIR_OK;
}

static weir_rc
scan_columns(struct weir_bind *b, const struct weir_type *schema, struct weir_rel *rel)
{
    for (uint32_t i = 0; schema != NULL && i < schema->nfields; i++) {
        struct weir_attr *attr;

        WEIR_TRY(weir_attr_new(b, schema->fields[i].name, schema->fields[i].type, schema->fields[i].nullable,
                               &attr));
        WEIR_TRY(weir_attrs_add(b, &rel->out, attr));
    }
    return WEIR_OK;
}

/* Version and time of a table: constants. */
static weir_rc
table_travel(struct weir_bind *b, const struct weir_node *node, int64_t *version, const char **timestamp)
{
    const struct weir_node *v = node->nkids > 0 ? node->kids[0] : NULL,
                           *t = node->nkids > 1 ? node->kids[1] : NULL;

    *version = -1;
    *timestamp = NULL;
    if (v != NULL && (v->kind != WEIR_NODE_LITERAL ||
                      !weir_parse_int(weir_slice(v->text, v->text_len), version) || *version < 0))
        return weir_fail(b->err, WEIR_USAGE, "VERSION AS OF wants a number");
    if (t != NULL && (t->kind != WEIR_NODE_LITERAL || t->text == NULL))
        return weir_fail(b->err, WEIR_UNSUPPORTED, "TIMESTAMP AS OF wants a constant");
    if (t != NULL)
        *timestamp = t->text;
    return WEIR_OK;
}

/* The scope of a relation under one name, with the columns renamed when `names` says so. */
static weir_rc
name_columns(struct weir_bind *b, const struct weir_rel *rel, uint32_t shown, const char *alias,
             const char *const *names, uint32_t nnames, struct weir_scope *sc)
{
    const char **quals = NULL;

    if (nnames > 0 && nnames != shown)
        return weir_fail(b->err, WEIR_SCHEMA, "%s has %u columns, and %u names are given",
                         alias == NULL ? "the relation" : alias, shown, nnames);
    if (alias != NULL) {
        WEIR_BIND_NEW(quals, b, sizeof(*quals));
        quals[0] = alias;
    }
    for (uint32_t i = 0; i < rel->out.n; i++) {
        const char *name = i < nnames ? names[i] : rel->out.at[i]->name;
        struct weir_node *ref;

        WEIR_TRY(weir_bound_ref(b, rel->out.at[i], name, 0, &ref));
        WEIR_TRY(weir_scope_add(b, sc, quals, alias != NULL, name, ref, i >= shown));
    }
    return WEIR_OK;
}

static weir_rc
scan_new(struct weir_bind *b, const struct weir_sql_relation *found, struct weir_rel **out)
{
    WEIR_TRY(weir_rel_new(b, WEIR_REL_SCAN, NULL, out));
    WEIR_TRY(relation_use(b, found, &(*out)->relation));
    WEIR_TRY(scan_columns(b, found->schema, *out));
    WEIR_TRY(scan_columns(b, found->hidden, *out));
    (*out)->has_stream = found->is_stream;
    b->stream_scans += found->is_stream;
    (*out)->has_pos = found->is_stream && b->env->positions;
    if ((*out)->has_pos) {
        (*out)->pos[0] = b->next_id++;
        (*out)->pos[1] = b->next_id++;
    }
    return WEIR_OK;
}

static const struct weir_cte *
cte_find(const struct weir_bind *b, const struct weir_node *table)
{
    if (table->nnames != 1)
        return NULL;
    for (const struct weir_cte *cte = b->ctes; cte != NULL; cte = cte->outer)
        if (weir_slice_is_nocase(weir_slice(table->names[0], strlen(table->names[0])), cte->node->text))
            return cte;
    return NULL;
}

static weir_rc
bind_cte(struct weir_bind *b, const struct weir_cte *cte, const struct weir_node *table,
         struct weir_scope *sc, struct weir_rel **out)
{
    const struct weir_cte *before = b->ctes;
    weir_rc rc;

    b->ctes = cte->outer;
    rc = weir_bind_query(b, cte->node->kids[0], cte->scope, out);
    b->ctes = before;
    WEIR_TRY(rc);
    return name_columns(b, *out, (*out)->out.n, table->text == NULL ? cte->node->text : table->text,
                        cte->node->names, cte->node->nnames, sc);
}

/* t(x, y): aliases given at the use of a table. */
static weir_rc
rename_columns(struct weir_bind *b, const struct weir_node *list, const char *alias,
               const struct weir_rel *rel, uint32_t shown, struct weir_scope *sc)
{
    const char **names;

    if (list == NULL || list->nkids == 0)
        return name_columns(b, rel, shown, alias, NULL, 0, sc);
    WEIR_BIND_NEW(names, b, list->nkids * sizeof(*names));
    for (uint32_t i = 0; i < list->nkids; i++)
        names[i] = list->kids[i]->names[0];
    return name_columns(b, rel, shown, alias, names, list->nkids, sc);
}

static weir_rc
bind_table(struct weir_bind *b, const struct weir_node *node, struct weir_scope *sc, struct weir_rel **out)
{
    const struct weir_cte *cte = cte_find(b, node);
    const struct weir_node *list = node->nkids > 2 ? node->kids[2] : NULL;
    struct weir_sql_relation found = {0};
    const char *timestamp;
    int64_t version;

    if (cte != NULL && (list == NULL || list->nkids == 0))
        return bind_cte(b, cte, node, sc, out);
    if (cte != NULL) {
        struct weir_scope inner = {0};

        WEIR_TRY(bind_cte(b, cte, node, &inner, out));
        return rename_columns(b, list, node->text == NULL ? cte->node->text : node->text, *out, (*out)->out.n,
                              sc);
    }
    WEIR_TRY(table_travel(b, node, &version, &timestamp));
    WEIR_TRY(b->env->relation(b->env->self, node->names, node->nnames, version, timestamp, &found, b->err));
    WEIR_TRY(scan_new(b, &found, out));
    if (node->text != NULL || (list != NULL && list->nkids > 0))
        return rename_columns(b, list, node->text == NULL ? node->names[node->nnames - 1] : node->text, *out,
                              found.schema->nfields, sc);
    WEIR_TRY(name_columns(b, *out, found.schema->nfields, NULL, NULL, 0, sc));
    for (uint32_t i = 0; i < sc->n; i++) { /* the whole name qualifies */
        sc->cols[i].quals = node->names;
        sc->cols[i].nquals = node->nnames;
    }
    return WEIR_OK;
}

static weir_rc
bind_derived(struct weir_bind *b, const struct weir_node *node, const struct weir_scope *outer,
             struct weir_scope *sc, struct weir_rel **out)
{
    WEIR_TRY(weir_bind_query(b, node->kids[0], outer, out));
    return name_columns(b, *out, (*out)->out.n, node->text, node->names, node->nnames, sc);
}

/* ---- generators ---- */

weir_rc
weir_bind_generate(struct weir_bind *b, struct weir_node *call, bool outer, const char *const *names,
                   uint32_t nnames, struct weir_rel *kid, struct weir_rel **out)
{
    const struct weir_type *row = call->type;
    uint32_t i;

    if (call->kind != WEIR_NODE_CALL || call->fn == NULL || call->fn->class_ != WEIR_FN_GENERATOR ||
        row->kind != WEIR_STRUCT)
        return weir_fail(b->err, WEIR_SCHEMA, "%s makes no rows", call->text == NULL ? "this" : call->text);
    if (nnames > 0 && nnames != row->nfields)
        return weir_fail(b->err, WEIR_SCHEMA, "%s makes %u columns, and %u names are given", call->text,
                         row->nfields, nnames);
    WEIR_TRY(weir_rel_new(b, WEIR_REL_GENERATE, kid, out));
    (*out)->outer = outer || weir_str_ends(call->text, "_outer");
    WEIR_TRY(weir_nodes_add(b, &(*out)->exprs, call));
    call->type = weir_type_array(b->mem, row, true); /* what it computes, for the printer */
    if (call->type == NULL)
        return weir_mem_fail(b->mem, sizeof(*row), b->err);
    for (i = 0; i < kid->out.n; i++)
        WEIR_TRY(weir_attrs_add(b, &(*out)->out, kid->out.at[i]));
    for (i = 0; i < row->nfields; i++) {
        const struct weir_field *field = &row->fields[i];
        struct weir_attr *attr;

        WEIR_TRY(weir_attr_new(b, i < nnames ? names[i] : field->name, field->type,
                               field->nullable || (*out)->outer, &attr));
        WEIR_TRY(weir_attrs_add(b, &(*out)->out, attr));
    }
    return WEIR_OK;
}

/* The rows of a generator beside those of kid; its columns enter the scope under `alias`. sc: what it may
 * see. */
static weir_rc
generate_beside(struct weir_bind *b, const struct weir_node *call, bool outer, const struct weir_node *names,
                struct weir_rel *kid, struct weir_scope *sc, struct weir_rel **out)
{
    const char **quals = NULL;
    struct weir_node *bound;
    bool aggregates_ok = b->aggregates_ok;
    weir_rc rc;

    b->aggregates_ok = false;
    b->no_aggregates = "FROM";
    b->generator = call;
    rc = weir_bind_expr(b, sc, call, &bound);
    b->aggregates_ok = aggregates_ok;
    WEIR_TRY(rc);
    WEIR_TRY(weir_bind_generate(b, bound, outer, names->names, names->nnames, kid, out));
    if (names->text != NULL) {
        WEIR_BIND_NEW(quals, b, sizeof(*quals));
        quals[0] = names->text;
    }
    for (uint32_t i = kid->out.n; i < (*out)->out.n; i++) {
        struct weir_node *ref;

        WEIR_TRY(weir_bound_ref(b, (*out)->out.at[i], NULL, 0, &ref));
        WEIR_TRY(weir_scope_add(b, sc, quals, quals != NULL, (*out)->out.at[i]->name, ref, false));
    }
    return WEIR_OK;
}

static weir_rc
bind_lateral_view(struct weir_bind *b, const struct weir_node *node, const struct weir_scope *outer,
                  struct weir_scope *sc, struct weir_rel **out)
{
    struct weir_rel *kid;

    if (node->kids[0] != NULL)
        WEIR_TRY(weir_bind_from(b, node->kids[0], outer, sc, &kid));
    else
        WEIR_TRY(weir_rel_new(b, WEIR_REL_ONE, NULL, &kid));
    sc->outer = outer;
    return generate_beside(b, node->kids[1], (node->flags & WEIR_NODE_OUTER) != 0, node, kid, sc, out);
}

static weir_rc
bind_table_call(struct weir_bind *b, const struct weir_node *node, const struct weir_scope *outer,
                struct weir_scope *sc, struct weir_rel **out)
{
    const struct weir_function *fn = weir_function_find(node->kids[0]->text);
    struct weir_rel *one;

    if (fn == NULL || fn->class_ != WEIR_FN_GENERATOR)
        return weir_fail(b->err, WEIR_UNSUPPORTED, "the table function %s", node->kids[0]->text);
    WEIR_TRY(weir_rel_new(b, WEIR_REL_ONE, NULL, &one));
    sc->outer = outer;
    return generate_beside(b, node->kids[0], false, node, one, sc, out);
}

/* ---- joins ---- */

/* Columns of one side, made nullable or not, into the join's; the scope's uses follow. */
static weir_rc
join_side(struct weir_bind *b, const struct weir_rel *side, bool nullable, struct weir_scope *sc,
          struct weir_rel *join)
{
    for (uint32_t i = 0; i < side->out.n; i++) {
        struct weir_attr *attr = side->out.at[i];

        if (nullable && !attr->nullable) {
            struct weir_attr *copy;

            WEIR_BIND_NEW(copy, b, sizeof(*copy));
            *copy = *attr;
            copy->nullable = true;
            attr = copy;
        }
        WEIR_TRY(weir_attrs_add(b, &join->out, attr));
    }
    for (uint32_t i = 0; nullable && i < sc->n; i++) {
        const struct weir_attr *old = weir_bound_attr(sc->cols[i].expr);

        for (uint32_t j = 0; old != NULL && j < join->out.n; j++)
            if (join->out.at[j]->id == old->id)
                WEIR_TRY(
                    weir_bound_ref(b, join->out.at[j], sc->cols[i].expr->names[0], 0, &sc->cols[i].expr));
    }
    return WEIR_OK;
}

static weir_rc
scope_append(struct weir_bind *b, struct weir_scope *sc, const struct weir_scope *more)
{
    for (uint32_t i = 0; i < more->n; i++)
        WEIR_TRY(weir_scope_add(b, sc, more->cols[i].quals, more->cols[i].nquals, more->cols[i].name,
                                more->cols[i].expr, more->cols[i].hidden));
    return WEIR_OK;
}

/* Which side's positions live on. */
static void
join_positions(struct weir_rel *join)
{
    const struct weir_rel *left = join->kids[0], *right = join->kids[1], *kept = NULL;
    bool semi = strcmp(join->text, "SEMI") == 0 || strcmp(join->text, "ANTI") == 0;
    bool both = strcmp(join->text, "INNER") == 0 || strcmp(join->text, "CROSS") == 0;

    join->has_stream = left->has_stream || right->has_stream;
    join->has_pos = false;
    if (left->has_pos && (semi || ((both || strcmp(join->text, "LEFT") == 0) && !right->has_stream)))
        kept = left;
    if (right->has_pos && (both || strcmp(join->text, "RIGHT") == 0) && !left->has_stream)
        kept = right;
    if (kept != NULL) {
        join->has_pos = true;
        memcpy(join->pos, kept->pos, sizeof(join->pos));
    }
}

static bool
join_is(const struct weir_rel *join, const char *text)
{
    return strcmp(join->text, text) == 0;
}

/* The columns of USING, or those that NATURAL finds. */
static weir_rc
using_names(struct weir_bind *b, const struct weir_node *node, const struct weir_scope *left,
            const struct weir_scope *right, const char ***names, uint32_t *n)
{
    WEIR_BIND_NEW(*names, b, (node->nnames + left->n + 1) * sizeof(**names));
    *n = 0;
    for (uint32_t i = 0; i < node->nnames; i++)
        (*names)[(*n)++] = node->names[i];
    if ((node->flags & WEIR_NODE_NATURAL) == 0)
        return WEIR_OK;
    for (uint32_t i = 0; i < left->n; i++)
        for (uint32_t j = 0; j < right->n; j++)
            if (!left->cols[i].hidden && !right->cols[j].hidden &&
                weir_bind_same_name(b, left->cols[i].name, right->cols[j].name)) {
                (*names)[(*n)++] = left->cols[i].name;
                break;
            }
    return WEIR_OK;
}

/* The one shown column of this name. */
static weir_rc
using_column(struct weir_bind *b, const struct weir_scope *sc, const char *name, const char *side,
             uint32_t *out)
{
    uint32_t found = UINT32_MAX;

    for (uint32_t i = 0; i < sc->n; i++)
        if (!sc->cols[i].hidden && weir_bind_same_name(b, sc->cols[i].name, name)) {
            if (found != UINT32_MAX)
                return weir_fail(b->err, WEIR_SCHEMA, "USING: the %s side has several columns %s", side,
                                 name);
            found = i;
        }
    if (found == UINT32_MAX)
        return weir_fail(b->err, WEIR_SCHEMA, "USING: the %s side has no column %s", side, name);
    *out = found;
    return WEIR_OK;
}

/* left.name = right.name, and so on. l, r: indices of the columns. */
static weir_rc
using_condition(struct weir_bind *b, const struct weir_scope *left, const struct weir_scope *right,
                const uint32_t *l, const uint32_t *r, uint32_t n, struct weir_node **out)
{
    *out = NULL;
    for (uint32_t i = 0; i < n; i++) {
        struct weir_node *sides[2], *equal;

        WEIR_TRY(weir_bound_copy(b, left->cols[l[i]].expr, &sides[0]));
        WEIR_TRY(weir_bound_copy(b, right->cols[r[i]].expr, &sides[1]));
        WEIR_TRY(weir_bind_call(b, "=", sides, 2, 0, &equal));
        if (*out == NULL) {
            *out = equal;
        } else {
            struct weir_node *both[2] = {*out, equal};

            WEIR_TRY(weir_bind_call(b, "and", both, 2, 0, out));
        }
    }
    return WEIR_OK;
}

/* FULL JOIN … USING: the key is that of the side that has the row, which takes a projection. */
static weir_rc
using_full_key(struct weir_bind *b, const struct weir_scope_col *left, const struct weir_scope_col *right,
               struct weir_rel *project, struct weir_scope *sc)
{
    struct weir_node *sides[2], *key, *ref;
    struct weir_attr *attr;

    WEIR_TRY(weir_bound_copy(b, left->expr, &sides[0]));
    WEIR_TRY(weir_bound_copy(b, right->expr, &sides[1]));
    WEIR_TRY(weir_bind_call(b, "coalesce", sides, 2, 0, &key));
    WEIR_TRY(weir_attr_new(b, left->name, key->type, key->nullable, &attr));
    WEIR_TRY(weir_nodes_add(b, &project->exprs, key));
    WEIR_TRY(weir_attrs_add(b, &project->out, attr));
    WEIR_TRY(weir_bound_ref(b, attr, NULL, 0, &ref));
    return weir_scope_add(b, sc, NULL, 0, left->name, ref, false);
}

static weir_rc
project_all(struct weir_bind *b, struct weir_rel *kid, struct weir_rel **out)
{
    WEIR_TRY(weir_rel_new(b, WEIR_REL_PROJECT, kid, out));
    for (uint32_t i = 0; i < kid->out.n; i++) {
        struct weir_node *ref;

        WEIR_TRY(weir_bound_ref(b, kid->out.at[i], NULL, 0, &ref));
        WEIR_TRY(weir_nodes_add(b, &(*out)->exprs, ref));
        WEIR_TRY(weir_attrs_add(b, &(*out)->out, kid->out.at[i])); /* the same number: it is the same value */
    }
    return WEIR_OK;
}

static bool
has_index(const uint32_t *list, uint32_t n, uint32_t i)
{
    for (uint32_t j = 0; j < n; j++)
        if (list[j] == i)
            return true;
    return false;
}

/* The scope behind USING: keys, then the left side's rest, then the right side's. */
static weir_rc
using_scope(struct weir_bind *b, struct weir_rel *join, const struct weir_scope *left,
            const struct weir_scope *right, const uint32_t *l, const uint32_t *r, uint32_t n,
            struct weir_scope *sc, struct weir_rel **out)
{
    bool full = join_is(join, "FULL"), from_right = join_is(join, "RIGHT");
    bool left_only = join_is(join, "SEMI") || join_is(join, "ANTI");

    *out = join;
    if (full)
        WEIR_TRY(project_all(b, join, out));
    for (uint32_t i = 0; i < n; i++) {
        const struct weir_scope_col *a = &left->cols[l[i]], *c = &right->cols[r[i]];

        if (full)
            WEIR_TRY(using_full_key(b, a, c, *out, sc));
        WEIR_TRY(weir_scope_add(b, sc, a->quals, a->nquals, a->name, a->expr, full || from_right));
        if (!left_only)
            WEIR_TRY(weir_scope_add(b, sc, c->quals, c->nquals, c->name, c->expr, !from_right));
    }
    for (uint32_t i = 0; i < left->n; i++)
        if (!has_index(l, n, i))
            WEIR_TRY(weir_scope_add(b, sc, left->cols[i].quals, left->cols[i].nquals, left->cols[i].name,
                                    left->cols[i].expr, left->cols[i].hidden));
    for (uint32_t i = 0; i < right->n && !left_only; i++)
        if (!has_index(r, n, i))
            WEIR_TRY(weir_scope_add(b, sc, right->cols[i].quals, right->cols[i].nquals, right->cols[i].name,
                                    right->cols[i].expr, right->cols[i].hidden));
    return WEIR_OK;
}

/* The right side of a join: LATERAL sees the left one. */
static weir_rc
join_right(struct weir_bind *b, const struct weir_node *node, const struct weir_scope *outer,
           const struct weir_scope *left, struct weir_scope *sc, struct weir_rel **out)
{
    struct weir_scope seen = *left;

    if (node->kind != WEIR_NODE_LATERAL)
        return weir_bind_from(b, node, outer, sc, out);
    seen.outer = outer;
    WEIR_TRY(weir_bind_query(b, node->kids[0], &seen, out));
    return name_columns(b, *out, (*out)->out.n, node->text, node->names, node->nnames, sc);
}

/* t JOIN LATERAL explode(t.a) AS x(e) is a lateral view. */
static weir_rc
join_generator(struct weir_bind *b, const struct weir_node *node, struct weir_rel *left,
               struct weir_scope *sc, struct weir_rel **out)
{
    const struct weir_node *right = node->kids[1];
    bool outer = strcmp(node->text, "LEFT") == 0;

    if (!outer && strcmp(node->text, "INNER") != 0 && strcmp(node->text, "CROSS") != 0)
        return weir_fail(b->err, WEIR_UNSUPPORTED, "%s JOIN LATERAL", node->text);
    if (node->nkids > 2 && node->kids[2] != NULL &&
        !(node->kids[2]->kind == WEIR_NODE_LITERAL && node->kids[2]->type->kind == WEIR_BOOLEAN &&
          strcmp(node->kids[2]->text, "true") == 0))
        return weir_fail(b->err, WEIR_UNSUPPORTED, "LATERAL of a generator with an ON condition");
    return generate_beside(b, right->kids[0], outer, right, left, sc, out);
}

/* Condition and scope, once both sides are there. */
static weir_rc
join_on(struct weir_bind *b, const struct weir_node *node, struct weir_rel *join, struct weir_scope *left,
        struct weir_scope *right, struct weir_scope *sc, struct weir_rel **out)
{
    bool semi = join_is(join, "SEMI") || join_is(join, "ANTI");
    const struct weir_node *on = node->nkids > 2 ? node->kids[2] : NULL;
    struct weir_node *condition = NULL;
    const char **names;
    uint32_t n = 0, *l, *r;

    WEIR_TRY(using_names(b, node, left, right, &names, &n));
    WEIR_BIND_NEW(l, b, (n + 1) * sizeof(*l));
    WEIR_BIND_NEW(r, b, (n + 1) * sizeof(*r));
    for (uint32_t i = 0; i < n; i++) {
        WEIR_TRY(using_column(b, left, names[i], "left", &l[i]));
        WEIR_TRY(using_column(b, right, names[i], "right", &r[i]));
    }
    if (n > 0) {
        WEIR_TRY(using_condition(b, left, right, l, r, n, &condition));
    } else if (on != NULL) {
        struct weir_scope both = {.outer = sc->outer};

        WEIR_TRY(scope_append(b, &both, left));
        WEIR_TRY(scope_append(b, &both, right));
        b->aggregates_ok = b->windows_ok = false;
        b->no_aggregates = "ON";
        WEIR_TRY(weir_bind_condition(b, &both, on, "ON", &condition));
    }
    if (condition != NULL)
        WEIR_TRY(weir_nodes_add(b, &join->exprs, condition));
    WEIR_TRY(join_side(b, join->kids[0], join_is(join, "RIGHT") || join_is(join, "FULL"), left, join));
    if (!semi)
        WEIR_TRY(join_side(b, join->kids[1], join_is(join, "LEFT") || join_is(join, "FULL"), right, join));
    join_positions(join);
    if (n > 0)
        return using_scope(b, join, left, right, l, r, n, sc, out);
    *out = join;
    WEIR_TRY(scope_append(b, sc, left));
    return semi ? WEIR_OK : scope_append(b, sc, right);
}

static weir_rc
bind_join(struct weir_bind *b, const struct weir_node *node, const struct weir_scope *outer,
          struct weir_scope *sc, struct weir_rel **out)
{
    struct weir_scope left = {.outer = outer}, right = {.outer = outer};
    const struct weir_node *right_node = node->kids[1];
    struct weir_rel *kids[2], *join;

    WEIR_TRY(weir_bind_from(b, node->kids[0], outer, &left, &kids[0]));
    if (right_node->kind == WEIR_NODE_LATERAL && right_node->kids[0]->kind == WEIR_NODE_CALL) {
        WEIR_TRY(scope_append(b, sc, &left));
        return join_generator(b, node, kids[0], sc, out);
    }
    WEIR_TRY(join_right(b, right_node, outer, &left, &right, &kids[1]));
    WEIR_TRY(weir_rel_new(b, WEIR_REL_JOIN, kids[0], &join));
    join->kids[1] = kids[1];
    join->text = node->text;
    join->outer = right_node->kind == WEIR_NODE_LATERAL;
    return join_on(b, node, join, &left, &right, sc, out);
}

weir_rc
weir_bind_from(struct weir_bind *b, const struct weir_node *node, const struct weir_scope *outer,
               struct weir_scope *sc, struct weir_rel **out)
{
    weir_rc rc;

    sc->outer = outer;
    switch (node->kind) {
    case WEIR_NODE_TABLE:
        rc = bind_table(b, node, sc, out);
        break;
    case WEIR_NODE_DERIVED:
        rc = bind_derived(b, node, outer, sc, out);
        break;
    case WEIR_NODE_TABLE_CALL:
        rc = bind_table_call(b, node, outer, sc, out);
        break;
    case WEIR_NODE_JOIN:
        rc = bind_join(b, node, outer, sc, out);
        break;
    case WEIR_NODE_LATERAL_VIEW:
        rc = bind_lateral_view(b, node, outer, sc, out);
        break;
    default:
        rc = weir_fail(b->err, WEIR_UNSUPPORTED, "this cannot stand in FROM");
    }
    return weir_bind_where(b, node, rc);
}
