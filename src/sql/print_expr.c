/* Bound expressions as DuckDB's SQL.
 *
 * 1. Every constant and every template has the type that the tree says, by a CAST where DuckDB might think
 *    otherwise.
 * 2. Users' texts appear only inside quotes: strings, and fields of structs.
 * 3. What may fail is not evaluated where Spark would not. DuckDB evaluates CASE branch by branch for the
 *    rows that reach it, but both sides of AND and OR, in an order of its own. So an operand that may fail
 *    stands in a CASE behind the operands to its left.
 * 4. A kernel is registered when its call is printed first; printing it again names the same one. */
#include "sql/bind_int.h"

#include <string.h>

/* ---- types and constants ---- */

void
weir_print_quoted(struct weir_buf *buf, const char *name)
{
    weir_buf_byte(buf, '"');
    for (; *name != '\0'; name++) {
        if (*name == '"')
            weir_buf_byte(buf, '"');
        weir_buf_byte(buf, *name);
    }
    weir_buf_byte(buf, '"');
}

void
weir_print_type(struct weir_buf *buf, const struct weir_type *type)
{
    static const char *const names[] = {
        [WEIR_BOOLEAN] = "BOOLEAN",
        [WEIR_BYTE] = "TINYINT",
        [WEIR_SHORT] = "SMALLINT",
        [WEIR_INT] = "INTEGER",
        [WEIR_LONG] = "BIGINT",
        [WEIR_FLOAT] = "FLOAT",
        [WEIR_DOUBLE] = "DOUBLE",
        [WEIR_DATE] = "DATE",
        [WEIR_TIMESTAMP] = "TIMESTAMPTZ",
        [WEIR_TIMESTAMP_NTZ] = "TIMESTAMP",
        [WEIR_STRING] = "VARCHAR",
        [WEIR_BINARY] = "BLOB",
        [WEIR_VARIANT] = "STRUCT(\"value\" BLOB, \"metadata\" BLOB)",
        [WEIR_VOID] = "INTEGER",
    };

    switch (type->kind) {
    case WEIR_DECIMAL:
        weir_buf_printf(buf, "DECIMAL(%u, %u)", type->precision, type->scale);
        break;
    case WEIR_ARRAY:
        weir_print_type(buf, type->fields[0].type);
        weir_buf_str(buf, "[]");
        break;
    case WEIR_MAP:
        weir_buf_str(buf, "MAP(");
        weir_print_type(buf, weir_map_key(type)->type);
        weir_buf_str(buf, ", ");
        weir_print_type(buf, weir_map_value(type)->type);
        weir_buf_byte(buf, ')');
        break;
    case WEIR_STRUCT:
        weir_buf_str(buf, "STRUCT(");
        for (uint32_t i = 0; i < type->nfields; i++) {
            weir_buf_str(buf, i == 0 ? "" : ", ");
            weir_print_quoted(buf, type->fields[i].name);
            weir_buf_byte(buf, ' ');
            weir_print_type(buf, type->fields[i].type);
        }
        weir_buf_byte(buf, ')');
        break;
    default:
        weir_buf_str(buf, names[type->kind]);
    }
}

/* 'text', with NULs as chr(0), which a text of SQL cannot hold. */
void
weir_print_string(struct weir_buf *buf, const char *text, uint32_t len)
{
    bool nul = memchr(text, '\0', len) != NULL;

    weir_buf_str(buf, nul ? "('" : "'");
    for (uint32_t i = 0; i < len; i++) {
        if (text[i] == '\0')
            weir_buf_str(buf, "' || chr(0) || '");
        else if (text[i] == '\'')
            weir_buf_str(buf, "''");
        else
            weir_buf_byte(buf, text[i]);
    }
    weir_buf_str(buf, nul ? "')" : "'");
}

static void
print_blob(struct weir_buf *buf, const char *text, uint32_t len)
{
    weir_buf_str(buf, "CAST('");
    for (uint32_t i = 0; i < len; i++)
        weir_buf_printf(buf, "\\x%02X", (unsigned char)text[i]);
    weir_buf_str(buf, "' AS BLOB)");
}

/* CAST(text AS type) */
static void
print_typed(struct weir_buf *buf, const char *text, const struct weir_type *type)
{
    weir_buf_printf(buf, "CAST(%s AS ", text);
    weir_print_type(buf, type);
    weir_buf_byte(buf, ')');
}

static void
print_literal(struct weir_buf *buf, const struct weir_node *node)
{
    if (node->text == NULL) {
        print_typed(buf, "NULL", node->type);
        return;
    }
    switch (node->type->kind) {
    case WEIR_BOOLEAN:
        weir_buf_str(buf, strcmp(node->text, "true") == 0 ? "TRUE" : "FALSE");
        break;
    case WEIR_STRING:
        weir_print_string(buf, node->text, node->text_len);
        break;
    case WEIR_BINARY:
        print_blob(buf, node->text, node->text_len);
        break;
    case WEIR_DATE:
        weir_buf_printf(buf, "(DATE '1970-01-01' + CAST(%s AS INTEGER))", node->text);
        break;
    case WEIR_TIMESTAMP_NTZ:
        weir_buf_printf(buf, "make_timestamp(CAST(%s AS BIGINT))", node->text);
        break;
    case WEIR_TIMESTAMP:
        weir_buf_printf(buf, "make_timestamptz(CAST(%s AS BIGINT))", node->text);
        break;
    case WEIR_STRUCT: /* an interval */
        weir_buf_str(buf, "struct_pack(");
        weir_print_quoted(buf, node->type->fields[0].name);
        weir_buf_str(buf, " := ");
        print_typed(buf, node->text, node->type->fields[0].type);
        weir_buf_byte(buf, ')');
        break;
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
    case WEIR_DECIMAL:
        weir_buf_printf(buf, "CAST('%s' AS ", node->text);
        weir_print_type(buf, node->type);
        weir_buf_byte(buf, ')');
        break;
    default:
        print_typed(buf, node->text, node->type);
    }
}

/* ---- names ---- */

static void
print_lambda_text(struct weir_print *p, const char *text, uint32_t id, const struct weir_node *body)
{
    for (; *text != '\0'; text++) {
        if (*text != '$' || text[1] < '0' || text[1] > '9') {
            weir_buf_byte(p->buf, *text);
            continue;
        }
        text++;
        if (*text == '0' && body != NULL)
            weir_print_expr(p, body);
        else
            weir_buf_printf(p->buf, "x%u_%c", id, *text);
    }
}

static void
print_name(struct weir_print *p, const struct weir_node *node)
{
    const struct weir_ref *ref = node->bound;
    char plain[3] = {'$', (char)('1' + ref->param), '\0'};
    const char *text;

    if (ref->attr != NULL) {
        weir_buf_printf(p->buf, "a%u", ref->attr->id);
        return;
    }
    text = ref->lambda->param[ref->param].text;
    print_lambda_text(p, text == NULL ? plain : text, ref->lambda_id, NULL);
}

static void
print_lambda(struct weir_print *p, const struct weir_node *node)
{
    const struct weir_bound_lambda *bound = node->bound;

    weir_buf_str(p->buf, "lambda ");
    for (uint32_t i = 0; i < bound->made.printed; i++)
        weir_buf_printf(p->buf, "%sx%u_%u", i == 0 ? "" : ", ", bound->id, i + 1);
    weir_buf_str(p->buf, ": ");
    print_lambda_text(p, bound->made.body == NULL ? "$0" : bound->made.body, bound->id, node->kids[0]);
}

static void
print_field(struct weir_print *p, const struct weir_node *node)
{
    const struct weir_field *field = node->bound;
    bool each = node->kids[0]->type->kind == WEIR_ARRAY;

    if (node->kids[0]->kind == WEIR_NODE_LITERAL && node->kids[0]->text == NULL) { /* DuckDB forgets the type */
        print_typed(p->buf, "NULL", node->type);
        return;
    }
    weir_buf_str(p->buf, each ? "list_transform(" : "struct_extract(");
    weir_print_expr(p, node->kids[0]);
    weir_buf_str(p->buf, each ? ", lambda e: struct_extract(e, " : ", ");
    weir_print_string(p->buf, field->name, field->name_len);
    weir_buf_str(p->buf, each ? "))" : ")");
}

/* ---- AND, OR ---- */

enum { TERMS_MAX = 512 };

/* The operands of a chain of one operator, left to right; false: too many for one list. */
static bool
chain_terms(const struct weir_node *node, const char *op, const struct weir_node **terms, uint32_t *n)
{
    if (node->kind == WEIR_NODE_CALL && node->fn != NULL && strcmp(node->text, op) == 0)
        return chain_terms(node->kids[0], op, terms, n) && chain_terms(node->kids[1], op, terms, n);
    if (*n == TERMS_MAX)
        return false;
    terms[(*n)++] = node;
    return true;
}

static void
print_terms(struct weir_print *p, bool and, const struct weir_node *const *terms, uint32_t n)
{
    weir_buf_byte(p->buf, '(');
    for (uint32_t i = 0; i < n; i++) {
        weir_buf_str(p->buf, i == 0 ? "" : and? " AND " : " OR ");
        weir_print_expr(p, terms[i]);
    }
    weir_buf_byte(p->buf, ')');
}

/* How many of the first terms can be evaluated together: the first, and those that cannot fail. */
static uint32_t
safe_terms(const struct weir_node *const *terms, uint32_t n)
{
    uint32_t safe = 1;

    while (safe < n && !weir_bound_may_fail(terms[safe]))
        safe++;
    return safe;
}

/* The terms behind the safe ones are reached only by rows whose result is still open. Only with condition set
 * is NULL as good as FALSE. */
static void
print_guarded(struct weir_print *p, bool and, bool condition, const struct weir_node *const *terms,
              uint32_t n)
{
    uint32_t safe = safe_terms(terms, n);
    bool nullable = false;

    for (uint32_t i = 0; i < safe; i++)
        nullable = nullable || terms[i]->nullable;
    if (safe == n) {
        print_terms(p, and, terms, n);
        return;
    }
    weir_buf_str(p->buf, "CASE WHEN ");
    print_terms(p, and, terms, safe);
    if (nullable && !(condition && and))
        weir_buf_str(p->buf, and? " IS DISTINCT FROM FALSE" : " IS DISTINCT FROM TRUE");
    if (!and&&!nullable) {
        weir_buf_str(p->buf, " THEN TRUE ELSE ");
        print_guarded(p, and, condition, terms + safe, n - safe);
        weir_buf_str(p->buf, " END");
        return;
    }
    weir_buf_str(p->buf, " THEN ");
    if (nullable && !(condition && and)) {
        weir_buf_byte(p->buf, '(');
        print_terms(p, and, terms, safe);
        weir_buf_str(p->buf, and? " AND " : " OR ");
    }
    print_guarded(p, and, condition, terms + safe, n - safe);
    weir_buf_str(p->buf, nullable && !(condition && and) ? ")" : "");
    weir_buf_str(p->buf, and? " ELSE FALSE END" : " ELSE TRUE END");
}

static void
print_logic(struct weir_print *p, const struct weir_node *node)
{
    const struct weir_node *terms[TERMS_MAX];
    bool and = strcmp(node->text, "and") == 0;
    uint32_t n = 0;

    if (!chain_terms(node, node->text, terms, &n)) {
        terms[0] = node->kids[0];
        terms[1] = node->kids[1];
        n = 2;
    }
    print_guarded(p, and, false, terms, n);
}

/* A WHERE or ON: the safe terms stand in front once more, where DuckDB can push them down or join by them. */
void
weir_print_condition(struct weir_print *p, const struct weir_node *node)
{
    const struct weir_node *terms[TERMS_MAX];
    uint32_t n = 0, safe;

    if (!chain_terms(node, "and", terms, &n) || (safe = safe_terms(terms, n)) == n) {
        weir_print_expr(p, node);
        return;
    }
    if (!weir_bound_may_fail(terms[0])) {
        print_terms(p, true, terms, safe);
        weir_buf_str(p->buf, " AND ");
    }
    print_guarded(p, true, true, terms, n);
}

/* ---- calls ---- */

static void
print_kernel_name(struct weir_print *p, const struct weir_node *node, const struct weir_type *inner)
{
    struct weir_bound_call *bound = node->bound;
    struct weir_sql_call *call;
    const struct weir_type **types;
    uint32_t nargs = inner != NULL ? 1 : node->nkids;

    WEIR_ASSERT(bound != NULL);
    if (bound->index == 0) {
        if (p->ncalls == p->cap) {
            struct weir_sql_call *grown = weir_mem_zalloc(p->mem, (p->cap * 2 + 16) * sizeof(*grown));

            if (grown == NULL) {
                p->rc = weir_mem_fail(p->mem, p->cap * sizeof(*grown), p->err);
                return;
            }
            if (p->ncalls > 0)
                memcpy(grown, p->calls, p->ncalls * sizeof(*grown));
            p->calls = grown;
            p->cap = p->cap * 2 + 16;
        }
        types = weir_mem_zalloc(p->mem, (nargs + 1) * sizeof(*types));
        if (types == NULL) {
            p->rc = weir_mem_fail(p->mem, nargs * sizeof(*types), p->err);
            return;
        }
        for (uint32_t i = 0; i < nargs; i++)
            types[i] = inner != NULL ? inner : node->kids[i]->type;
        call = &p->calls[p->ncalls++];
        *call = (struct weir_sql_call){node, node->plan, types, nargs, node->type, bound->data};
        bound->index = p->ncalls;
    }
    weir_buf_printf(p->buf, "weir_call_%u", bound->index - 1);
}

static void
print_kernel(struct weir_print *p, const struct weir_node *node)
{
    print_kernel_name(p, node, NULL);
    weir_buf_byte(p->buf, '(');
    for (uint32_t i = 0; i < node->nkids; i++) {
        weir_buf_str(p->buf, i == 0 ? "" : ", ");
        weir_print_expr(p, node->kids[i]);
    }
    weir_buf_byte(p->buf, ')');
}

static void print_around(struct weir_print *p, const struct weir_node *filter,
                         const struct weir_node *window);

static void
print_from_argument(struct weir_print *p, const struct weir_node *node, uint32_t from)
{
    for (uint32_t i = from; i < node->nkids; i++) {
        weir_buf_str(p->buf, i == from ? "" : ", ");
        weir_print_expr(p, node->kids[i]);
    }
}

/* See struct weir_call_plan for what a template may hold. */
static void
print_template(struct weir_print *p, const struct weir_node *node, const struct weir_node *filter,
               const struct weir_node *window)
{
    for (const char *t = node->plan->text; *t != '\0'; t++) {
        if (*t != '$' || t[1] == '\0') {
            weir_buf_byte(p->buf, *t);
            continue;
        }
        t++;
        if (*t == '*') {
            print_from_argument(p, node, 0);
        } else if (*t >= '1' && *t <= '9' && t[1] == '*') {
            print_from_argument(p, node, (uint32_t)(*t - '1'));
            t++;
        } else if (*t >= '1' && *t <= '9') {
            WEIR_ASSERT((uint32_t)(*t - '1') < node->nkids);
            weir_print_expr(p, node->kids[*t - '1']);
        } else if (*t == 'O') {
            print_around(p, filter, window);
        } else if (*t == 'T') {
            weir_print_type(p->buf, node->type);
        } else {
            weir_buf_byte(p->buf, *t);
        }
    }
}

/* A CALL or CAST by its plan. */
static void
print_plan(struct weir_print *p, const struct weir_node *node, const struct weir_node *filter,
           const struct weir_node *window)
{
    const struct weir_call_plan *plan = node->plan;
    const struct weir_type *type = plan->kernel != NULL ? plan->inner : node->type;

    if (plan->text == NULL) {
        print_kernel(p, node);
        return;
    }
    if (plan->kernel != NULL) {
        print_kernel_name(p, node, plan->inner);
        weir_buf_byte(p->buf, '(');
    }
    if (plan->exact || type->kind == WEIR_VOID) {
        print_template(p, node, filter, window);
    } else {
        weir_buf_str(p->buf, "CAST(");
        print_template(p, node, filter, window);
        weir_buf_str(p->buf, " AS ");
        weir_print_type(p->buf, type);
        weir_buf_byte(p->buf, ')');
    }
    if (plan->kernel != NULL)
        weir_buf_byte(p->buf, ')');
}

/* A call that only fails, as a null of the type that is wanted. */
static void
print_raising(struct weir_print *p, const struct weir_node *cast)
{
    weir_buf_str(p->buf, "CAST(");
    weir_print_expr(p, cast->kids[0]);
    weir_buf_str(p->buf, " AS ");
    weir_print_type(p->buf, cast->type);
    weir_buf_byte(p->buf, ')');
}

static void
print_cast(struct weir_print *p, const struct weir_node *node)
{
    if (node->plan != NULL)
        print_plan(p, node, NULL, NULL);
    else if (node->kids[0]->type->kind == WEIR_VOID && node->kids[0]->plan != NULL && node->kids[0]->plan->may_fail)
        print_raising(p, node); /* raise_error() is wanted for what it does */
    else if (node->kids[0]->type->kind == WEIR_VOID)
        print_typed(p->buf, "NULL", node->type);
    else
        weir_print_expr(p, node->kids[0]);
}

/* ---- windows ---- */

void
weir_print_orders(struct weir_print *p, struct weir_node *const *orders, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        bool desc = (orders[i]->flags & WEIR_NODE_DESC) != 0;
        bool last = (orders[i]->flags & WEIR_NODE_NULLS_LAST) != 0 ||
                    (desc && (orders[i]->flags & WEIR_NODE_NULLS_FIRST) == 0);

        weir_buf_str(p->buf, i == 0 ? "" : ", ");
        weir_print_expr(p, orders[i]->kids[0]);
        weir_buf_printf(p->buf, " %s NULLS %s", desc ? "DESC" : "ASC", last ? "LAST" : "FIRST");
    }
}

static void
print_bound(struct weir_print *p, const struct weir_node *bound)
{
    const struct weir_node *value = bound->kids[0];
    bool negative = value != NULL && value->text[0] == '-';

    if (value == NULL) {
        weir_buf_str(p->buf, bound->text);
        return;
    }
    weir_buf_str(p->buf, value->text + negative); /* -1 PRECEDING is 1 FOLLOWING */
    weir_buf_str(p->buf, (strcmp(bound->text, "PRECEDING") == 0) != negative ? " PRECEDING" : " FOLLOWING");
}

static void
print_frame(struct weir_print *p, const struct weir_node *frame)
{
    weir_buf_printf(p->buf, " %s ", frame->text);
    if (frame->kids[1] == NULL) {
        print_bound(p, frame->kids[0]);
        return;
    }
    weir_buf_str(p->buf, "BETWEEN ");
    print_bound(p, frame->kids[0]);
    weir_buf_str(p->buf, " AND ");
    print_bound(p, frame->kids[1]);
}

/* What stands behind an aggregate or window function. */
static void
print_around(struct weir_print *p, const struct weir_node *filter, const struct weir_node *window)
{
    if (filter != NULL) {
        weir_buf_str(p->buf, " FILTER (WHERE ");
        weir_print_expr(p, filter);
        weir_buf_byte(p->buf, ')');
    }
    if (window == NULL)
        return;
    weir_buf_str(p->buf, " OVER (");
    for (uint32_t i = 0; i < window->kids[0]->nkids; i++) {
        weir_buf_str(p->buf, i == 0 ? "PARTITION BY " : ", ");
        weir_print_expr(p, window->kids[0]->kids[i]);
    }
    if (window->kids[1]->nkids > 0) {
        weir_buf_str(p->buf, window->kids[0]->nkids > 0 ? " ORDER BY " : "ORDER BY ");
        weir_print_orders(p, window->kids[1]->kids, window->kids[1]->nkids);
    }
    if (window->kids[2] != NULL)
        print_frame(p, window->kids[2]);
    weir_buf_byte(p->buf, ')');
}

static void
print_over(struct weir_print *p, const struct weir_node *node, const struct weir_node *window)
{
    const struct weir_node *filter = NULL;

    if (node->kind == WEIR_NODE_FILTER) {
        filter = node->kids[1];
        node = node->kids[0];
    }
    print_plan(p, node, filter, window);
}

/* ---- the rest ---- */

static void
print_case(struct weir_print *p, const struct weir_node *node)
{
    weir_buf_str(p->buf, "CASE");
    for (uint32_t i = 1; i + 1 < node->nkids; i += 2) {
        weir_buf_str(p->buf, " WHEN ");
        weir_print_expr(p, node->kids[i]);
        weir_buf_str(p->buf, " THEN ");
        weir_print_expr(p, node->kids[i + 1]);
    }
    weir_buf_str(p->buf, " ELSE ");
    if (node->kids[node->nkids - 1] != NULL)
        weir_print_expr(p, node->kids[node->nkids - 1]);
    else
        print_typed(p->buf, "NULL", node->type);
    weir_buf_str(p->buf, " END");
}

/* SELECT of a subquery's columns, and no others. */
static void
print_subquery(struct weir_print *p, const struct weir_rel *rel, bool row)
{
    weir_buf_str(p->buf, row ? "(SELECT ROW(" : "(SELECT ");
    for (uint32_t i = 0; i < rel->out.n; i++)
        weir_buf_printf(p->buf, "%sa%u", i == 0 ? "" : ", ", rel->out.at[i]->id);
    weir_buf_str(p->buf, row ? ") FROM (" : " FROM (");
    weir_print_query(p, rel);
    weir_buf_printf(p->buf, ") AS t%u)", p->aliases++);
}

static void
print_in_query(struct weir_print *p, const struct weir_node *node)
{
    weir_buf_str(p->buf, node->nkids > 1 ? "(ROW(" : "(");
    print_from_argument(p, node, 0);
    weir_buf_str(p->buf, node->nkids > 1 ? ") IN " : " IN ");
    print_subquery(p, node->bound, node->nkids > 1);
    weir_buf_byte(p->buf, ')');
}

void
weir_print_expr(struct weir_print *p, const struct weir_node *node)
{
    if (p->rc != WEIR_OK)
        return;
    switch (node->kind) {
    case WEIR_NODE_LITERAL:
        print_literal(p->buf, node);
        break;
    case WEIR_NODE_NAME:
        print_name(p, node);
        break;
    case WEIR_NODE_LAMBDA:
        print_lambda(p, node);
        break;
    case WEIR_NODE_FIELD:
        print_field(p, node);
        break;
    case WEIR_NODE_ALIAS:
        weir_print_expr(p, node->kids[0]);
        break;
    case WEIR_NODE_CAST:
        print_cast(p, node);
        break;
    case WEIR_NODE_CASE:
        print_case(p, node);
        break;
    case WEIR_NODE_FILTER:
        print_over(p, node, NULL);
        break;
    case WEIR_NODE_OVER:
        print_over(p, node->kids[0], node->kids[1]);
        break;
    case WEIR_NODE_SUBQUERY:
        print_subquery(p, node->bound, false);
        break;
    case WEIR_NODE_EXISTS:
        weir_buf_str(p->buf, "EXISTS ");
        print_subquery(p, node->bound, false);
        break;
    case WEIR_NODE_IN_QUERY:
        print_in_query(p, node);
        break;
    case WEIR_NODE_CALL:
        if (strcmp(node->text, "and") == 0 || strcmp(node->text, "or") == 0)
            print_logic(p, node);
        else
            print_plan(p, node, NULL, NULL);
        break;
    default:
        p->rc = weir_fail(p->err, WEIR_BUG, "an expression of kind %d is printed", (int)node->kind);
    }
}
