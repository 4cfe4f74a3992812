/* Spark's names for columns without an alias: toPrettySQL of the resolved expression.
 *
 * 1. A column is named as it was typed, without its table; a field by its own name. A cast of a column that
 *    stands alone is named like the column; casts that the analyzer put in are left out.
 * 2. Strings stand without quotes, operators in brackets, functions as they were typed but for those of
 *    `shouted`, whose classes print in capitals, and with the defaults that Spark fills in.
 * 3. A name is what the text says before any rewriting: node->bound->shown. */
#include "sql/bind_int.h"

#include <string.h>

static void name_expr(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *node);

/* ---- constants ---- */

static void
name_micros(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *node, int64_t us)
{
    char text[64];

    if (node->type->kind == WEIR_TIMESTAMP)
        us = weir_zone_to_local(b->set->zone, us);
    weir_timestamp_print(us, -1, ' ', "", text);
    weir_buf_printf(buf, "%s '%s'", node->type->kind == WEIR_TIMESTAMP ? "TIMESTAMP" : "TIMESTAMP_NTZ", text);
}

/* The value of one field of a day-time interval, padded unless it is the first. */
static void
name_interval_part(struct weir_buf *buf, int64_t value, bool padded)
{
    weir_buf_printf(buf, padded ? "%02lld" : "%lld", (long long)value);
}

static void
name_interval_day(struct weir_buf *buf, const struct weir_node *node, int64_t us)
{
    static const char *const units[] = {"DAY", "HOUR", "MINUTE", "SECOND"};
    static const int64_t sizes[] = {INT64_C(86400000000), INT64_C(3600000000), 60000000, 1000000};
    const char *first = node->names[0], *last = node->names[node->nnames - 1];
    uint64_t rest = us < 0 ? 0 - (uint64_t)us : (uint64_t)us;
    bool on = false;

    weir_buf_str(buf, us < 0 ? "INTERVAL '-" : "INTERVAL '");
    for (int i = 0; i < 4; i++) {
        uint64_t value = rest / (uint64_t)sizes[i];
        bool begins = !on && strcmp(units[i], first) == 0;

        if (!on && !begins)
            continue;
        if (on)
            weir_buf_str(buf, i == 1 ? " " : ":");
        on = true;
        rest %= (uint64_t)sizes[i];
        name_interval_part(buf, (int64_t)value, i > 0 && !(begins && i == 2 && strcmp(first, last) == 0));
        if (i == 3 && rest > 0) {
            char digits[16];
            int n = snprintf(digits, sizeof(digits), "%06llu", (unsigned long long)rest);

            while (n > 0 && digits[n - 1] == '0')
                digits[--n] = '\0';
            weir_buf_printf(buf, ".%s", digits);
        }
        if (strcmp(units[i], last) == 0)
            break;
    }
    weir_buf_printf(buf, "' %s", first);
    if (strcmp(first, last) != 0)
        weir_buf_printf(buf, " TO %s", last);
}

static void
name_interval_month(struct weir_buf *buf, const struct weir_node *node, int64_t months)
{
    const char *first = node->names[0], *last = node->names[node->nnames - 1];
    int64_t all = months < 0 ? -months : months;

    weir_buf_str(buf, months < 0 ? "INTERVAL '-" : "INTERVAL '");
    if (strcmp(first, last) != 0)
        weir_buf_printf(buf, "%lld-%lld", (long long)(all / 12), (long long)(all % 12));
    else
        weir_buf_printf(buf, "%lld", (long long)(strcmp(first, "YEAR") == 0 ? all / 12 : all));
    weir_buf_printf(buf, "' %s", first);
    if (strcmp(first, last) != 0)
        weir_buf_printf(buf, " TO %s", last);
}

static void
name_literal(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *node)
{
    int64_t v = 0;
    char text[64];

    if (node->text == NULL) {
        weir_buf_str(buf, "NULL");
        return;
    }
    (void)weir_parse_int(weir_slice(node->text, node->text_len), &v);
    switch (node->type->kind) {
    case WEIR_DATE:
        weir_date_print((int32_t)v, text);
        weir_buf_printf(buf, "DATE '%s'", text);
        break;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
        name_micros(b, buf, node, v);
        break;
    case WEIR_BINARY:
        weir_buf_str(buf, "X'");
        for (uint32_t i = 0; i < node->text_len; i++)
            weir_buf_printf(buf, "%02X", (unsigned char)node->text[i]);
        weir_buf_byte(buf, '\'');
        break;
    case WEIR_STRUCT:
        if (node->nnames == 0)
            weir_buf_add(buf, node->text, node->text_len);
        else if (node->type == &weir_type_interval_day)
            name_interval_day(buf, node, v);
        else
            name_interval_month(buf, node, v);
        break;
    default:
        weir_buf_add(buf, node->text, node->text_len);
    }
}

/* ---- calls ---- */

static void
name_list(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *node, uint32_t from)
{
    for (uint32_t i = from; i < node->nkids; i++) {
        weir_buf_str(buf, i == from ? "" : ", ");
        name_expr(b, buf, node->kids[i]);
    }
}

/* Functions whose name or arguments Spark shows otherwise. args: how many are given when the text is added.
 * */
static const struct {
    const char *name, *shown; /* shown NULL: as it is */
    uint32_t args;            /* with so many arguments, and: */
    const char *more;         /* NULL: nothing */
} name_quirks[] = {
    {"acos", "ACOS", 0, NULL},
    {"asin", "ASIN", 0, NULL},
    {"atan", "ATAN", 0, NULL},
    {"atan2", "ATAN2", 0, NULL},
    {"cbrt", "CBRT", 0, NULL},
    {"ceil", "CEIL", 0, NULL},
    {"cos", "COS", 0, NULL},
    {"cosh", "COSH", 0, NULL},
    {"cot", "COT", 0, NULL},
    {"degrees", "DEGREES", 0, NULL},
    {"e", "E", 0, NULL},
    {"exp", "EXP", 0, NULL},
    {"expm1", "EXPM1", 0, NULL},
    {"floor", "FLOOR", 0, NULL},
    {"from_unixtime", NULL, 1, ", yyyy-MM-dd HH:mm:ss"},
    {"hypot", "HYPOT", 0, NULL},
    {"lag", NULL, 1, ", 1, NULL"},
    {"lag", NULL, 2, ", NULL"},
    {"lead", NULL, 1, ", 1, NULL"},
    {"lead", NULL, 2, ", NULL"},
    {"locate", NULL, 2, ", 1"},
    {"log10", "LOG10", 0, NULL},
    {"log1p", "LOG1P", 0, NULL},
    {"log2", "LOG2", 0, NULL},
    {"percentile", NULL, 2, ", 1"},
    {"pi", "PI", 0, NULL},
    {"position", "locate", 2, ", 1"},
    {"power", "POWER", 0, NULL},
    {"radians", "RADIANS", 0, NULL},
    {"rank", "RANK", 0, NULL},
    {"regexp_extract", NULL, 2, ", 1"},
    {"regexp_extract_all", NULL, 2, ", 1"},
    {"regexp_replace", NULL, 3, ", 1"},
    {"rint", "rint", 0, NULL},
    {"round", NULL, 1, ", 0"},
    {"signum", "SIGNUM", 0, NULL},
    {"sin", "SIN", 0, NULL},
    {"sinh", "SINH", 0, NULL},
    {"sort_array", NULL, 1, ", true"},
    {"split", NULL, 2, ", -1"},
    {"sqrt", "SQRT", 0, NULL},
    {"substr", NULL, 2, ", 2147483647"},
    {"substring", NULL, 2, ", 2147483647"},
    {"tan", "TAN", 0, NULL},
    {"tanh", "TANH", 0, NULL},
    {"to_unix_timestamp", NULL, 1, ", yyyy-MM-dd HH:mm:ss"},
    {"unix_timestamp", NULL, 1, ", yyyy-MM-dd HH:mm:ss"},
};

static void
name_function(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *node)
{
    const char *name = node->text, *more = "";

    for (size_t i = 0; i < sizeof(name_quirks) / sizeof(name_quirks[0]); i++) {
        if (strcmp(name_quirks[i].name, node->text) != 0)
            continue;
        if (name_quirks[i].shown != NULL)
            name = name_quirks[i].shown;
        if (name_quirks[i].more != NULL && name_quirks[i].args == node->nkids)
            more = name_quirks[i].more;
    }
    weir_buf_printf(buf, "%s(%s", name, (node->flags & WEIR_NODE_DISTINCT) != 0 ? "DISTINCT " : "");
    name_list(b, buf, node, 0);
    weir_buf_printf(buf, "%s)", more);
}

/* (a OP b) */
static void
name_binary(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *node, const char *op)
{
    weir_buf_byte(buf, '(');
    name_expr(b, buf, node->kids[0]);
    weir_buf_printf(buf, " %s ", op);
    name_expr(b, buf, node->kids[1]);
    weir_buf_byte(buf, ')');
}

/* date + 1 and its like are functions in Spark. true: named. */
static bool
name_date_arithmetic(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *node)
{
    const struct weir_type *x = node->kids[0]->type, *y = node->kids[1]->type;
    bool plus = strcmp(node->text, "+") == 0;
    const struct weir_node *date = x->kind == WEIR_DATE ? node->kids[0] : node->kids[1];
    const struct weir_node *days = x->kind == WEIR_DATE ? node->kids[1] : node->kids[0];

    if (weir_type_is_interval(x) || weir_type_is_interval(y)) {
        name_expr(b, buf, node->kids[0]);
        weir_buf_printf(buf, " %s ", node->text);
        name_expr(b, buf, node->kids[1]);
        return true;
    }
    if (date->type->kind != WEIR_DATE || !weir_kind_is_integral(days->type->kind))
        return false;
    weir_buf_str(buf, plus ? "date_add(" : "date_sub(");
    name_expr(b, buf, date);
    weir_buf_str(buf, ", ");
    name_expr(b, buf, days);
    weir_buf_byte(buf, ')');
    return true;
}

static void
name_like(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *node)
{
    name_expr(b, buf, node->kids[0]);
    weir_buf_str(buf, " LIKE ");
    name_expr(b, buf, node->kids[1]);
    if (node->nkids > 2 && node->kids[2]->text != NULL)
        weir_buf_printf(buf, " ESCAPE '%s'", node->kids[2]->text);
}

/* TRIM(BOTH what FROM value), and so on: the arguments stand in that order. */
static void
name_trim(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *node)
{
    weir_buf_str(buf, node->text[0] == 'l'   ? "TRIM(LEADING "
                      : node->text[0] == 'r' ? "TRIM(TRAILING "
                                             : "TRIM(BOTH ");
    name_expr(b, buf, node->kids[0]);
    weir_buf_str(buf, " FROM ");
    name_expr(b, buf, node->kids[1]);
    weir_buf_byte(buf, ')');
}

static bool
is_word_of(const char *word, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

static void
name_call(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *node)
{
    static const char *const binary[] = {"=", "<=>", "<", "<=", ">", ">=", "+",  "-",   "*", "/",
                                         "%", "div", "&", "|",  "^", "<<", ">>", ">>>", NULL};
    const char *op = node->text;

    if (strcmp(op, "[]") == 0) {
        name_expr(b, buf, node->kids[0]);
        weir_buf_byte(buf, '[');
        name_expr(b, buf, node->kids[1]);
        weir_buf_byte(buf, ']');
    } else if (node->nkids == 2 && is_word_of(op, binary)) {
        if ((strcmp(op, "+") != 0 && strcmp(op, "-") != 0) || !name_date_arithmetic(b, buf, node))
            name_binary(b, buf, node, op);
    } else if (strcmp(op, "and") == 0 || strcmp(op, "or") == 0) {
        name_binary(b, buf, node, op[0] == 'a' ? "AND" : "OR");
    } else if (node->nkids == 1 && (strcmp(op, "not") == 0 || strcmp(op, "!") == 0 || strcmp(op, "-") == 0 ||
                                    strcmp(op, "+") == 0 || strcmp(op, "positive") == 0)) {
        weir_buf_printf(buf, "(%s ", op[0] == 'n' || op[0] == '!' ? "NOT" : op[0] == 'p' ? "+" : op);
        name_expr(b, buf, node->kids[0]);
        weir_buf_byte(buf, ')');
    } else if (strcmp(op, "~") == 0) {
        weir_buf_byte(buf, '~');
        name_expr(b, buf, node->kids[0]);
    } else if (weir_str_starts(op, "is n") || strcmp(op, "isnull") == 0 || strcmp(op, "isnotnull") == 0) {
        weir_buf_byte(buf, '(');
        name_expr(b, buf, node->kids[0]);
        weir_buf_str(buf, strstr(op, "not") != NULL ? " IS NOT NULL)" : " IS NULL)");
    } else if (strcmp(op, "in") == 0) {
        weir_buf_byte(buf, '(');
        name_expr(b, buf, node->kids[0]);
        weir_buf_str(buf, " IN (");
        name_list(b, buf, node, 1);
        weir_buf_str(buf, "))");
    } else if (strcmp(op, "like") == 0) {
        name_like(b, buf, node);
    } else if (strcmp(op, "rlike") == 0) {
        weir_buf_str(buf, "RLIKE(");
        name_list(b, buf, node, 0);
        weir_buf_byte(buf, ')');
    } else if (strcmp(op, "if") == 0) {
        weir_buf_str(buf, "(IF(");
        name_list(b, buf, node, 0);
        weir_buf_str(buf, "))");
    } else if (strcmp(op, "from_json") == 0 || strcmp(op, "from_csv") == 0) {
        weir_buf_printf(buf, "%s(", op);
        name_expr(b, buf, node->kids[0]);
        weir_buf_byte(buf, ')');
    } else if (strcmp(op, "extract") == 0 && node->nkids == 2) {
        weir_buf_str(buf, "extract(");
        name_expr(b, buf, node->kids[0]);
        weir_buf_str(buf, " FROM ");
        name_expr(b, buf, node->kids[1]);
        weir_buf_byte(buf, ')');
    } else if (node->nkids == 2 && weir_str_ends(op, "trim") && op[0] != 'b') {
        name_trim(b, buf, node);
    } else if (strcmp(op, "window") == 0) {
        weir_buf_str(buf, "window");
    } else {
        name_function(b, buf, node);
    }
}

/* ---- windows ---- */

static void
name_bound(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *bound)
{
    if (bound->kids[0] != NULL) {
        name_expr(b, buf, bound->kids[0]);
        weir_buf_byte(buf, ' ');
    }
    weir_buf_str(buf, bound->text);
}

/* The frame, or the one that Spark takes without one. */
static void
name_frame(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *call,
           const struct weir_node *window)
{
    bool ordered = window->kids[1]->nkids > 0;
    const struct weir_node *frame = window->kids[2];

    if (frame != NULL && frame->kids[1] != NULL) {
        weir_buf_printf(buf, "%s BETWEEN ", frame->text);
        name_bound(b, buf, frame->kids[0]);
        weir_buf_str(buf, " AND ");
        name_bound(b, buf, frame->kids[1]);
    } else if (frame != NULL) {
        weir_buf_printf(buf, "%s BETWEEN ", frame->text);
        name_bound(b, buf, frame->kids[0]);
        weir_buf_str(buf, " AND CURRENT ROW");
    } else if (strcmp(call->text, "lag") == 0 || strcmp(call->text, "lead") == 0) {
        const char *sign = call->text[1] == 'a' ? "-" : "", *n = call->nkids > 1 ? call->kids[1]->text : "1";

        weir_buf_printf(buf, "ROWS BETWEEN %s%s FOLLOWING AND %s%s FOLLOWING", sign, n, sign, n);
    } else if (call->fn != NULL && call->fn->class_ == WEIR_FN_WINDOW &&
               strcmp(call->text, "nth_value") != 0) {
        weir_buf_str(buf, "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW");
    } else {
        weir_buf_str(buf, ordered ? "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
                                  : "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING");
    }
}

static void
name_over(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *node)
{
    const struct weir_node *window = node->kids[1], *call = node->kids[0];

    name_expr(b, buf, call);
    weir_buf_str(buf, " OVER (");
    for (uint32_t i = 0; i < window->kids[0]->nkids; i++) {
        weir_buf_str(buf, i == 0 ? "PARTITION BY " : ", ");
        name_expr(b, buf, window->kids[0]->kids[i]);
    }
    weir_buf_str(buf, window->kids[0]->nkids > 0 ? " " : "");
    for (uint32_t i = 0; i < window->kids[1]->nkids; i++) {
        const struct weir_node *order = window->kids[1]->kids[i];
        bool desc = (order->flags & WEIR_NODE_DESC) != 0;
        bool last = (order->flags & WEIR_NODE_NULLS_LAST) != 0 ||
                    (desc && (order->flags & WEIR_NODE_NULLS_FIRST) == 0);

        weir_buf_str(buf, i == 0 ? "ORDER BY " : ", ");
        name_expr(b, buf, order->kids[0]);
        weir_buf_printf(buf, " %s NULLS %s", desc ? "DESC" : "ASC", last ? "LAST" : "FIRST");
    }
    weir_buf_str(buf, window->kids[1]->nkids > 0 ? " " : "");
    while (call->kind == WEIR_NODE_FILTER)
        call = call->kids[0];
    name_frame(b, buf, call, window);
    weir_buf_byte(buf, ')');
}

/* ---- the rest ---- */

static void
name_case(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *node)
{
    weir_buf_str(buf, "CASE");
    for (uint32_t i = 1; i + 1 < node->nkids; i += 2) {
        weir_buf_str(buf, " WHEN ");
        name_expr(b, buf, node->kids[i]);
        weir_buf_str(buf, " THEN ");
        name_expr(b, buf, node->kids[i + 1]);
    }
    if (node->kids[node->nkids - 1] != NULL) {
        weir_buf_str(buf, " ELSE ");
        name_expr(b, buf, node->kids[node->nkids - 1]);
    }
    weir_buf_str(buf, " END");
}

/* The type as Spark's SQL spells it: BIGINT, ARRAY<INT>. */
static void
name_type(struct weir_buf *buf, const struct weir_type *type)
{
    struct weir_buf ddl = WEIR_BUF(65536);
    const struct weir_field field = {.name = "x", .name_len = 1, .nullable = true, .type = type};
    const struct weir_type one = {.kind = WEIR_STRUCT, .nfields = 1, .fields = &field};

    weir_type_print_ddl(&one, &ddl);
    if (ddl.len > 2)
        weir_buf_add(buf, ddl.data + 2, ddl.len - 2);
    weir_buf_fini(&ddl);
}

static void
name_cast(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *node)
{
    if ((node->flags & WEIR_BOUND_SHOWN) == 0) {
        name_expr(b, buf, node->kids[0]);
        return;
    }
    weir_buf_str(buf, (node->flags & WEIR_NODE_TRY) != 0 ? "TRY_CAST(" : "CAST(");
    name_expr(b, buf, node->kids[0]);
    weir_buf_str(buf, " AS ");
    name_type(buf, node->type);
    weir_buf_byte(buf, ')');
}

/* lambdafunction(body, parameters), whose names Spark does not tell apart. */
static void
name_lambda(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *node)
{
    weir_buf_str(buf, "lambdafunction(");
    name_expr(b, buf, node->kids[0]);
    for (uint32_t i = 0; i < node->nnames; i++)
        weir_buf_str(buf, ", namedlambdavariable()");
    weir_buf_byte(buf, ')');
}

static void
name_expr(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *node)
{
    const struct weir_bound_call *call = node->bound;

    switch (node->kind) {
    case WEIR_NODE_LITERAL:
        if (node->bound != NULL)
            name_expr(b, buf, node->bound);
        else
            name_literal(b, buf, node);
        break;
    case WEIR_NODE_NAME:
        weir_buf_str(buf, weir_bound_attr(node) != NULL ? node->names[0] : "namedlambdavariable()");
        break;
    case WEIR_NODE_FIELD:
        name_expr(b, buf, node->kids[0]);
        weir_buf_printf(buf, ".%s", node->text);
        break;
    case WEIR_NODE_CALL:
        name_call(b, buf, call != NULL ? call->shown : node);
        break;
    case WEIR_NODE_CAST:
        name_cast(b, buf, node);
        break;
    case WEIR_NODE_CASE:
        name_case(b, buf, node);
        break;
    case WEIR_NODE_OVER:
        name_over(b, buf, node);
        break;
    case WEIR_NODE_LAMBDA:
        name_lambda(b, buf, node);
        break;
    case WEIR_NODE_FILTER:
        name_expr(b, buf, node->kids[0]);
        weir_buf_str(buf, " FILTER (WHERE ");
        name_expr(b, buf, node->kids[1]);
        weir_buf_byte(buf, ')');
        break;
    case WEIR_NODE_ALIAS:
        name_expr(b, buf, node->kids[0]);
        weir_buf_printf(buf, " AS %s", node->text);
        break;
    case WEIR_NODE_SUBQUERY:
        weir_buf_str(buf, "scalarsubquery()");
        break;
    case WEIR_NODE_EXISTS:
        weir_buf_str(buf, "exists()");
        break;
    case WEIR_NODE_IN_QUERY:
        weir_buf_byte(buf, '(');
        name_expr(b, buf, node->kids[0]);
        weir_buf_str(buf, " IN (listquery()))");
        break;
    default:
        weir_buf_str(buf, "expression");
    }
}

weir_rc
weir_bind_name(struct weir_bind *b, const struct weir_node *node, const char **out)
{
    struct weir_buf buf = WEIR_BUF(WEIR_MIB);
    weir_rc rc = WEIR_OK;

    if (node->kind == WEIR_NODE_FIELD && (node->flags & WEIR_BOUND_PATH) != 0) {
        *out = node->text; /* a.b.c: its last part */
        return WEIR_OK;
    }
    if (node->kind == WEIR_NODE_CAST && node->kids[0]->kind == WEIR_NODE_NAME)
        node = node->kids[0];
    name_expr(b, &buf, node);
    WEIR_GO(weir_buf_check(&buf, b->err));
    *out = weir_mem_strndup(b->mem, buf.len == 0 ? "" : buf.data, buf.len);
    if (*out == NULL)
        rc = weir_mem_fail(b->mem, buf.len, b->err);
out:
    weir_buf_fini(&buf);
    return rc;
}
