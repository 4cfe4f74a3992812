/* A plan's relations as DuckDB's SQL: each one a SELECT around the one below it. DuckDB flattens them.
 *
 * 1. Columns are a<number>; a relation lists its own, and the two position columns where it has them.
 * 2. ORDER BY and LIMIT of the whole query stand in the outermost SELECT, so that nothing above can undo the
 *    order. */
#include "sql/bind_int.h"

#include <string.h>

static void
print_from(struct weir_print *p, const struct weir_rel *rel)
{
    weir_buf_byte(p->buf, '(');
    weir_print_query(p, rel);
    weir_buf_printf(p->buf, ") AS t%u", p->aliases++);
}

static void
print_attrs(struct weir_print *p, const struct weir_attrs *attrs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        weir_buf_printf(p->buf, "%sa%u", i == 0 ? "" : ", ", attrs->at[i]->id);
}

/* ", a7, a8" behind a list that is not empty. */
static void
print_positions(struct weir_print *p, const struct weir_rel *rel, bool first)
{
    if (rel->has_pos)
        weir_buf_printf(p->buf, "%sa%u, a%u", first ? "" : ", ", rel->pos[0], rel->pos[1]);
    else if (first)
        weir_buf_str(p->buf, "0 AS u"); /* a SELECT lists something */
}

static void
print_exprs(struct weir_print *p, const struct weir_nodes *exprs, const struct weir_attrs *as)
{
    for (uint32_t i = 0; i < exprs->n; i++) {
        weir_buf_str(p->buf, i == 0 ? "" : ", ");
        weir_print_expr(p, exprs->at[i]);
        weir_buf_printf(p->buf, " AS a%u", as->at[i]->id);
    }
}

static void
print_scan(struct weir_print *p, const struct weir_rel *rel)
{
    const struct weir_sql_relation *relation = &p->relations[rel->relation];
    uint32_t shown = relation->schema->nfields;

    weir_buf_str(p->buf, "SELECT ");
    for (uint32_t i = 0; i < rel->out.n; i++)
        weir_buf_printf(p->buf, "%s%c%u AS a%u", i == 0 ? "" : ", ", i < shown ? 'c' : 'h',
                        i < shown ? i : i - shown, rel->out.at[i]->id);
    if (rel->has_pos)
        weir_buf_printf(p->buf, "%sp0 AS a%u, p1 AS a%u", rel->out.n == 0 ? "" : ", ", rel->pos[0],
                        rel->pos[1]);
    else if (rel->out.n == 0)
        weir_buf_str(p->buf, "0 AS u");
    weir_buf_str(p->buf, " FROM ");
    weir_print_quoted(p->buf, relation->name);
}

static void
print_project(struct weir_print *p, const struct weir_rel *rel)
{
    weir_buf_str(p->buf, rel->distinct ? "SELECT DISTINCT " : "SELECT ");
    print_exprs(p, &rel->exprs, &rel->out);
    print_positions(p, rel, rel->exprs.n == 0);
    if (rel->kids[0]->kind == WEIR_REL_ONE)
        return;
    weir_buf_str(p->buf, " FROM ");
    print_from(p, rel->kids[0]);
}

static void
print_filter(struct weir_print *p, const struct weir_rel *rel)
{
    weir_buf_str(p->buf, "SELECT * FROM ");
    print_from(p, rel->kids[0]);
    weir_buf_str(p->buf, " WHERE ");
    weir_print_condition(p, rel->exprs.at[0]);
}

static void
print_join(struct weir_print *p, const struct weir_rel *rel)
{
    bool inner = strcmp(rel->text, "INNER") == 0 || strcmp(rel->text, "CROSS") == 0;

    weir_buf_str(p->buf, "SELECT ");
    print_attrs(p, &rel->out, rel->out.n);
    print_positions(p, rel, rel->out.n == 0);
    weir_buf_str(p->buf, " FROM ");
    print_from(p, rel->kids[0]);
    weir_buf_printf(p->buf, " %s JOIN %s",
                    !inner                           ? rel->text
                    : rel->exprs.n > 0 || rel->outer ? "INNER"
                                                     : "CROSS",
                    rel->outer ? "LATERAL " : "");
    print_from(p, rel->kids[1]);
    if (rel->exprs.n > 0) {
        weir_buf_str(p->buf, " ON ");
        weir_print_condition(p, rel->exprs.at[0]);
    } else if (!inner || rel->outer) {
        weir_buf_str(p->buf, " ON TRUE");
    }
}

/* The members of one grouping set. */
static void
print_set(struct weir_print *p, const struct weir_rel *rel, uint64_t set)
{
    bool first = true;

    weir_buf_byte(p->buf, '(');
    for (uint32_t i = 0; i < rel->ngroups; i++)
        if ((set >> i & 1) != 0) {
            weir_buf_str(p->buf, first ? "" : ", ");
            weir_print_expr(p, rel->exprs.at[i]);
            first = false;
        }
    weir_buf_byte(p->buf, ')');
}

static void
print_aggregate(struct weir_print *p, const struct weir_rel *rel)
{
    weir_buf_str(p->buf, "SELECT ");
    print_exprs(p, &rel->exprs, &rel->out);
    if (rel->exprs.n == 0)
        weir_buf_str(p->buf, "count(*) AS u"); /* one row, of an aggregation that computes nothing */
    weir_buf_str(p->buf, " FROM ");
    print_from(p, rel->kids[0]);
    if (rel->nsets > 0) {
        weir_buf_str(p->buf, " GROUP BY GROUPING SETS (");
        for (uint32_t i = 0; i < rel->nsets; i++) {
            weir_buf_str(p->buf, i == 0 ? "" : ", ");
            print_set(p, rel, rel->sets[i]);
        }
        weir_buf_byte(p->buf, ')');
    } else if (rel->ngroups > 0) {
        weir_buf_str(p->buf, " GROUP BY ");
        for (uint32_t i = 0; i < rel->ngroups; i++) {
            weir_buf_str(p->buf, i == 0 ? "" : ", ");
            weir_print_expr(p, rel->exprs.at[i]);
        }
    }
}

/* ORDER BY, LIMIT, OFFSET of a SORT. */
static void
print_tail(struct weir_print *p, const struct weir_rel *rel)
{
    if (rel->exprs.n > 0) {
        weir_buf_str(p->buf, " ORDER BY ");
        weir_print_orders(p, rel->exprs.at, rel->exprs.n);
    }
    if (rel->limit != NULL)
        weir_buf_printf(p->buf, " LIMIT %s", rel->limit->text);
    if (rel->offset != NULL)
        weir_buf_printf(p->buf, " OFFSET %s", rel->offset->text);
}

static void
print_sort(struct weir_print *p, const struct weir_rel *rel)
{
    weir_buf_str(p->buf, "SELECT * FROM ");
    print_from(p, rel->kids[0]);
    print_tail(p, rel);
}

/* The array, unnested, its fields as columns; of an outer one an empty or absent array becomes [NULL] first.
 * */
static void
print_generate(struct weir_print *p, const struct weir_rel *rel)
{
    const struct weir_node *call = rel->exprs.at[0];
    const struct weir_type *row = call->type->fields[0].type;
    uint32_t kept = rel->out.n - row->nfields;

    weir_buf_str(p->buf, "SELECT ");
    print_attrs(p, &rel->out, kept);
    print_positions(p, rel, kept == 0);
    for (uint32_t i = 0; i < row->nfields; i++) {
        weir_buf_str(p->buf, ", struct_extract(g, ");
        weir_print_string(p->buf, row->fields[i].name, row->fields[i].name_len);
        weir_buf_printf(p->buf, ") AS a%u", rel->out.at[kept + i]->id);
    }
    weir_buf_str(p->buf,
                 rel->outer
                     ? " FROM (SELECT * EXCLUDE (g), unnest(CASE WHEN len(g) > 0 THEN g ELSE [NULL] END)"
                       " AS g FROM (SELECT *, "
                     : " FROM (SELECT *, unnest(");
    weir_print_expr(p, call);
    weir_buf_str(p->buf, rel->outer ? " AS g FROM " : ") AS g FROM ");
    print_from(p, rel->kids[0]);
    weir_buf_printf(p->buf, ") AS t%u", p->aliases++);
    if (rel->outer)
        weir_buf_printf(p->buf, ") AS t%u", p->aliases++);
}

static void
print_setop_side(struct weir_print *p, const struct weir_rel *set, const struct weir_rel *side,
                 const struct weir_nodes *exprs)
{
    weir_buf_str(p->buf, "(SELECT ");
    print_exprs(p, exprs, &set->out);
    if (set->has_pos && side->has_pos)
        weir_buf_printf(p->buf, ", a%u AS a%u, a%u AS a%u", side->pos[0], set->pos[0], side->pos[1],
                        set->pos[1]);
    else if (set->has_pos)
        weir_buf_printf(p->buf, ", CAST(NULL AS INTEGER) AS a%u, CAST(NULL AS BIGINT) AS a%u", set->pos[0],
                        set->pos[1]);
    weir_buf_str(p->buf, " FROM ");
    print_from(p, side);
    weir_buf_byte(p->buf, ')');
}

static void
print_setop(struct weir_print *p, const struct weir_rel *rel)
{
    print_setop_side(p, rel, rel->kids[0], &rel->exprs);
    weir_buf_printf(p->buf, " %s%s ", rel->text, rel->distinct ? "" : " ALL");
    print_setop_side(p, rel, rel->kids[1], &rel->right);
}

static void
print_values(struct weir_print *p, const struct weir_rel *rel)
{
    weir_buf_str(p->buf, "SELECT * FROM (VALUES ");
    for (uint32_t r = 0; r < rel->rows.n; r++) {
        weir_buf_str(p->buf, r == 0 ? "(" : ", (");
        for (uint32_t i = 0; i < rel->rows.at[r]->nkids; i++) {
            weir_buf_str(p->buf, i == 0 ? "" : ", ");
            weir_print_expr(p, rel->rows.at[r]->kids[i]);
        }
        weir_buf_byte(p->buf, ')');
    }
    weir_buf_printf(p->buf, ") AS t%u(", p->aliases++);
    print_attrs(p, &rel->out, rel->out.n);
    weir_buf_byte(p->buf, ')');
}

void
weir_print_query(struct weir_print *p, const struct weir_rel *rel)
{
    if (p->rc != WEIR_OK)
        return;
    switch (rel->kind) {
    case WEIR_REL_ONE:
        weir_buf_str(p->buf, "SELECT 0 AS u");
        break;
    case WEIR_REL_SCAN:
        print_scan(p, rel);
        break;
    case WEIR_REL_PROJECT:
        print_project(p, rel);
        break;
    case WEIR_REL_FILTER:
        print_filter(p, rel);
        break;
    case WEIR_REL_JOIN:
        print_join(p, rel);
        break;
    case WEIR_REL_AGG:
        print_aggregate(p, rel);
        break;
    case WEIR_REL_SORT:
        print_sort(p, rel);
        break;
    case WEIR_REL_GENERATE:
        print_generate(p, rel);
        break;
    case WEIR_REL_SETOP:
        print_setop(p, rel);
        break;
    case WEIR_REL_VALUES:
        print_values(p, rel);
        break;
    }
}

void
weir_print_root(struct weir_print *p, const struct weir_rel *rel)
{
    bool sort = rel->kind == WEIR_REL_SORT;

    weir_buf_str(p->buf, "SELECT ");
    for (uint32_t i = 0; i < rel->out.n; i++)
        weir_buf_printf(p->buf, "%sa%u AS c%u", i == 0 ? "" : ", ", rel->out.at[i]->id, i);
    if (rel->has_pos)
        weir_buf_printf(p->buf, ", a%u AS p0, a%u AS p1", rel->pos[0], rel->pos[1]);
    weir_buf_str(p->buf, " FROM ");
    print_from(p, sort ? rel->kids[0] : rel);
    if (sort)
        print_tail(p, rel);
}
