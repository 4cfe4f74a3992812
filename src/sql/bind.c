/* The binder's entry: a tree of the parser becomes a plan. bind_int.h tells how the parts share the work.
 *
 * What a query's class says (struct weir_sql_plan):
 *   ROWWISE   each row of the result comes from one row of the stream: batches may run in slices
 *   JOIN      the same, with tables beside it that DuckDB holds in memory
 *   BLOCKING  all rows are needed before the first comes out; or the result is not the sum of its slices: no
 *             stream at all, a UNION with a table, an outer join that shows rows the stream lacks, LIMIT */
#include "sql/bind_int.h"

#include <string.h>

#define PLAN_TEXT_MAX (16 * WEIR_MIB)

/* ---- classes ---- */

static weir_sql_class
worse(weir_sql_class a, weir_sql_class b)
{
    return a > b ? a : b;
}

static weir_sql_class class_of(const struct weir_rel *rel);

static weir_sql_class
class_of_join(const struct weir_rel *rel)
{
    const struct weir_rel *left = rel->kids[0], *right = rel->kids[1];
    const struct weir_rel *stream = left->has_stream ? left : right;
    const char *lost =
        left->has_stream ? "RIGHT" : "LEFT"; /* shows rows of the table that no row of the stream meets */

    if ((left->has_stream && right->has_stream) || strcmp(rel->text, "FULL") == 0 ||
        strcmp(rel->text, lost) == 0)
        return WEIR_SQL_BLOCKING;
    if (!left->has_stream && (strcmp(rel->text, "SEMI") == 0 || strcmp(rel->text, "ANTI") == 0))
        return WEIR_SQL_BLOCKING;
    return worse(WEIR_SQL_JOIN, class_of(stream));
}

static weir_sql_class
class_of(const struct weir_rel *rel)
{
    if (!rel->has_stream)
        return WEIR_SQL_BLOCKING;
    switch (rel->kind) {
    case WEIR_REL_SCAN:
        return WEIR_SQL_ROWWISE;
    case WEIR_REL_PROJECT:
        return rel->distinct || rel->windowed ? WEIR_SQL_BLOCKING : class_of(rel->kids[0]);
    case WEIR_REL_FILTER:
    case WEIR_REL_GENERATE:
        return class_of(rel->kids[0]);
    case WEIR_REL_JOIN:
        return class_of_join(rel);
    case WEIR_REL_SETOP:
        if (strcmp(rel->text, "UNION") != 0 || rel->distinct)
            return WEIR_SQL_BLOCKING;
        return worse(class_of(rel->kids[0]), class_of(rel->kids[1]));
    default:
        return WEIR_SQL_BLOCKING;
    }
}

static bool
has_subquery(void *self, const struct weir_node *node)
{
    *(bool *)self |= node->kind == WEIR_NODE_SUBQUERY || node->kind == WEIR_NODE_EXISTS ||
                     node->kind == WEIR_NODE_IN_QUERY;
    return true;
}

static bool
rel_has_subquery(const struct weir_rel *rel)
{
    bool found = false;

    if (rel == NULL)
        return false;
    for (uint32_t i = 0; i < rel->exprs.n; i++)
        weir_bound_walk(rel->exprs.at[i], has_subquery, &found);
    return found || rel_has_subquery(rel->kids[0]) || rel_has_subquery(rel->kids[1]);
}

/* A subquery over tables is a join with them; one over the stream needs all of it. */
static weir_sql_class
class_of_query(const struct weir_bind *b, const struct weir_rel *rel)
{
    weir_sql_class found = class_of(rel);

    if (b->stream_in_subquery || b->stream_scans > 1) /* read once: named twice, its rows are kept */
        return WEIR_SQL_BLOCKING;
    return rel_has_subquery(rel) ? worse(found, WEIR_SQL_JOIN) : found;
}

/* ---- the plan ---- */

static weir_rc
plan_schema(struct weir_bind *b, const struct weir_rel *rel, const struct weir_type **out)
{
    struct weir_field *fields;

    WEIR_BIND_NEW(fields, b, (rel->out.n + 1) * sizeof(*fields));
    for (uint32_t i = 0; i < rel->out.n; i++) {
        const struct weir_attr *attr = rel->out.at[i];

        if (weir_type_is_interval(attr->type)) {
            (void)weir_fail(b->err, WEIR_UNSUPPORTED, "column %s is an interval", attr->name);
            return weir_error_hint(b->err,
                                   "no table holds one: take datediff, or cast both sides to numbers");
        }
        fields[i] = (struct weir_field){.name = attr->name,
                                        .name_len = (uint32_t)strlen(attr->name),
                                        .nullable = attr->nullable,
                                        .type = attr->type};
    }
    *out = weir_type_struct(b->mem, fields, rel->out.n);
    return *out == NULL ? weir_mem_fail(b->mem, rel->out.n * sizeof(*fields), b->err) : WEIR_OK;
}

static weir_rc
plan_text(struct weir_bind *b, const struct weir_rel *rel, struct weir_sql_plan *plan)
{
    struct weir_buf buf = WEIR_BUF(PLAN_TEXT_MAX);
    struct weir_print p = {.buf = &buf, .mem = b->mem, .err = b->err, .relations = b->relations};
    weir_rc rc;

    buf.q = weir_mem_quota(b->mem);
    weir_print_root(&p, rel);
    WEIR_GO(p.rc);
    WEIR_GO(weir_buf_check(&buf, b->err));
    plan->text = weir_mem_strndup(b->mem, buf.data, buf.len);
    plan->calls = p.calls;
    plan->ncalls = p.ncalls;
    if (plan->text == NULL)
        rc = weir_mem_fail(b->mem, buf.len, b->err);
out:
    weir_buf_fini(&buf);
    return rc;
}

weir_rc
weir_sql_bind(struct weir_node *query, const char *text, const struct weir_sql_env *env, struct weir_mem *mem,
              struct weir_sql_plan **out, struct weir_error *err)
{
    struct weir_bind b = {.env = env, .set = env->set, .mem = mem, .err = err, .text = text};
    struct weir_sql_plan *plan;
    struct weir_rel *rel;

    WEIR_TRY(weir_bind_query(&b, query, NULL, &rel));
    WEIR_BIND_NEW(plan, &b, sizeof(*plan));
    WEIR_TRY(plan_schema(&b, rel, &plan->schema));
    WEIR_TRY(plan_text(&b, rel, plan));
    plan->class_ = class_of_query(&b, rel);
    plan->relations = b.relations;
    plan->nrelations = b.nrelations;
    plan->position = rel->has_pos ? (int)rel->out.n : -1;
    *out = plan;
    return WEIR_OK;
}
