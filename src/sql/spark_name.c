/* The name that Spark gives an expression without an alias: what toPrettySQL prints of the analyzed tree.
 *
 * 1. Strings print without quotes, implicit casts not at all, operators in brackets, functions as they were
 * called.
 * 2. What is not regular stands in a table: functions that Spark's analyzer turns into others, that print
 * themselves in capitals or that show arguments nobody wrote ("round(x, 0)").
 * 3. A tree may be printed before or after it is bound; after it, names can be told from the types (a date
 * plus days). The depth of a tree is bounded by the parser. Threads: none, no state. */
#include "sql/ast.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "column/text.h"

struct name_scope { /* parameters of the lambdas around a node */
    const struct name_scope *outer;
    const struct weir_node *lambda;
};

struct name_printer {
    struct weir_buf *buf;
    const struct name_scope *scope;
};

static void print_name(struct name_printer *p, const struct weir_node *node);

/* ---- lists ---- */

static void
print_kids(struct name_printer *p, const struct weir_node *node, uint32_t from, const char *between)
{
    uint32_t i;

    for (i = from; i < node->nkids; i++) {
        if (i > from)
            weir_buf_str(p->buf, between);
        print_name(p, node->kids[i]);
    }
}

static bool
name_is(const char *a, const char *b)
{
    return weir_slice_is_nocase(weir_slice(a, strlen(a)), b);
}

/* ---- constants ---- */

static void
print_binary(struct weir_buf *buf, const struct weir_node *node)
{
    uint32_t i;

    weir_buf_str(buf, "X'");
    for (i = 0; i < node->text_len; i++)
        weir_buf_printf(buf, "%02X", (unsigned char)node->text[i]);
    weir_buf_byte(buf, '\'');
}

/* DATE, TIMESTAMP and TIMESTAMP_NTZ: as the parser spells them, or as days and micros when they are bound. */
static void
print_time(struct weir_buf *buf, const struct weir_node *node)
{
    struct weir_slice text = weir_slice(node->text, node->text_len);
    const char *word = node->type->kind == WEIR_DATE            ? "DATE"
                       : node->type->kind == WEIR_TIMESTAMP_NTZ ? "TIMESTAMP_NTZ"
                                                                : "TIMESTAMP";
    char t[64];
    int64_t v;

    if (weir_parse_int(text, &v)) {
        text.ptr = t;
        text.len = node->type->kind == WEIR_DATE ? weir_date_print((int32_t)v, t)
                                                 : weir_timestamp_print(v, -1, ' ', "", t);
    } else if (text.len > 0 && text.ptr[text.len - 1] == 'Z') {
        text.len--;
    }
    weir_buf_printf(buf, "%s '%.*s'", word, (int)text.len, text.ptr);
}

static void
print_literal(struct weir_buf *buf, const struct weir_node *node)
{
    switch (node->type->kind) {
    case WEIR_BINARY:
        print_binary(buf, node);
        break;
    case WEIR_DATE:
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
        print_time(buf, node);
        break;
    default:
        weir_buf_add(buf, node->text, node->text_len);
        break;
    }
}

static int
field_rank(const char *field)
{
    static const char *const fields[] = {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"};
    int i = 0;

    while (i < 5 && strcmp(field, fields[i]) != 0)
        i++;
    return i;
}

/* The seconds and what is below them: "04.5"; without zeros at the end. */
static void
print_seconds(struct weir_buf *buf, uint64_t us)
{
    char fraction[8] = "";
    int n = 6;

    weir_buf_printf(buf, "%02" PRIu64, us / 1000000);
    us %= 1000000;
    if (us == 0)
        return;
    for (; us % 10 == 0; us /= 10)
        n--;
    for (; n > 0; us /= 10)
        fraction[--n] = (char)('0' + us % 10);
    weir_buf_printf(buf, ".%s", fraction);
}

/* INTERVAL '1 02:03:04.5' DAY TO SECOND: the first field takes all that is above it. */
static void
print_interval(struct weir_buf *buf, const struct weir_node *node)
{
    static const uint64_t units[] = {12, 1, 86400000000, 3600000000, 60000000, 1};
    static const char *const before[] = {"", "-", "", " ", ":", ":"};
    int first = field_rank(node->names[0]), last = field_rank(node->names[1]), i;
    uint64_t rest;
    int64_t v = 0;

    weir_parse_int(weir_slice(node->text, node->text_len), &v);
    rest = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    weir_buf_printf(buf, "INTERVAL '%s", v < 0 ? "-" : "");
    for (i = first; i <= last; i++) {
        weir_buf_str(buf, i == first ? "" : before[i]);
        if (i == 5)
            print_seconds(buf, rest);
        else
            weir_buf_printf(buf, i <= 2 ? "%" PRIu64 : "%02" PRIu64, rest / units[i]);
        rest %= units[i];
    }
    weir_buf_printf(buf, "' %s", node->names[0]);
    if (first != last)
        weir_buf_printf(buf, " TO %s", node->names[1]);
}

/* ---- calls ---- */

/* Operators that print as "(a op b)". */
static const char *
operator_text(const char *name)
{
    static const char *const same[] = {"+",  "-", "*",  "/", "%", "div", "=",  "<=>", "<",
                                       "<=", ">", ">=", "&", "|", "^",   "<<", ">>",  ">>>"};
    size_t i;

    if (strcmp(name, "and") == 0)
        return "AND";
    if (strcmp(name, "or") == 0)
        return "OR";
    for (i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        if (strcmp(name, same[i]) == 0)
            return same[i];
    }
    return NULL;
}

/* Functions that print in another way. args: of how many arguments, -1 any. form: $1 … arguments, $* all of
 * them. */
static const struct name_form {
    const char *name;
    int args;
    const char *form;
} name_forms[] = {
    {"~", 1, "~$1"},
    {"-", 1, "(- $1)"},
    {"+", 1, "(+ $1)"},
    {"positive", 1, "(+ $1)"},
    {"not", 1, "(NOT $1)"},
    {"is null", 1, "($1 IS NULL)"},
    {"isnull", 1, "($1 IS NULL)"},
    {"is not null", 1, "($1 IS NOT NULL)"},
    {"isnotnull", 1, "($1 IS NOT NULL)"},
    {"like", 2, "$1 LIKE $2"},
    {"like", 3, "$1 LIKE $2 ESCAPE '$3'"},
    {"rlike", 2, "RLIKE($1, $2)"},
    {"regexp", 2, "REGEXP($1, $2)"},
    {"regexp_like", 2, "REGEXP_LIKE($1, $2)"},
    {"like any", -1, "likeany($1)"},
    {"like all", -1, "likeall($1)"},
    {"not like any", -1, "notlikeany($1)"},
    {"not like all", -1, "notlikeall($1)"},
    {"if", 3, "(IF($1, $2, $3))"},
    {"extract", 2, "extract($1 FROM $2)"},
    {"first", 2, "first($1)"},
    {"first_value", 2, "first_value($1)"},
    {"last", 2, "last($1)"},
    {"last_value", 2, "last_value($1)"},
    {"any_value", 2, "any_value($1)"},
    {"trim", 2, "TRIM(BOTH $1 FROM $2)"},
    {"ltrim", 2, "TRIM(LEADING $1 FROM $2)"},
    {"rtrim", 2, "TRIM(TRAILING $1 FROM $2)"},
    {"dateadd", 2, "date_add($1, $2)"},
    {"from_json", -1, "from_json($1)"},
    {"from_csv", -1, "from_csv($1)"},
    {"to_json", 2, "to_json($1)"},
    {"to_csv", 2, "to_csv($1)"},
    {"schema_of_json", 2, "schema_of_json($1)"},
    {"schema_of_csv", 2, "schema_of_csv($1)"},
    {"rank", -1, "RANK()"},
    {"dense_rank", -1, "DENSE_RANK()"},
    {"percent_rank", -1, "PERCENT_RANK()"},
    {"datepart", 2, "datepart($1 FROM $2)"},
    {"curdate", 0, "current_date()"},
    {"current_database", 0, "current_schema()"},
    {"random", 0, "rand()"},
    {"random", 1, "rand($1)"},
    {"array_agg", 1, "collect_list($1)"},
    {"ilike", 3, "ilike($1, $2)"},
    {"convert_timezone", 2, "convert_timezone(current_timezone(), $1, $2)"},
    {"months_between", 2, "months_between($1, $2, true)"},
    {"mask", 1, "mask($1, X, x, n, NULL)"},
    {"mask", 2, "mask($1, $2, x, n, NULL)"},
    {"mask", 3, "mask($1, $2, $3, n, NULL)"},
    {"mask", 4, "mask($1, $2, $3, $4, NULL)"},
    {"regexp_instr", 2, "regexp_instr($1, $2, 0)"},
    {"raise_error", 1, "raise_error(USER_RAISED_EXCEPTION, map(errorMessage, $1))"},
    {"assert_true", 1, "assert_true($1, '$1' is not true!)"},
    {"variant_get", 3, "variant_get($1, $2)"},
    {"try_variant_get", 3, "try_variant_get($1, $2)"},
    {"aggregate", 3, "aggregate($*, lambdafunction(namedlambdavariable(), namedlambdavariable()))"},
    {"reduce", 3, "reduce($*, lambdafunction(namedlambdavariable(), namedlambdavariable()))"},
    {"round", 1, "round($1, 0)"},
    {"bround", 1, "bround($1, 0)"},
    {"ceil", 1, "CEIL($1)"},
    {"floor", 1, "FLOOR($1)"},
    {"log", 1, "LOG(E(), $1)"},
    {"log", 2, "LOG($1, $2)"},
    {"locate", 2, "locate($1, $2, 1)"},
    {"position", 2, "position($1, $2, 1)"},
    {"substr", 2, "substr($1, $2, 2147483647)"},
    {"substring", 2, "substring($1, $2, 2147483647)"},
    {"overlay", 3, "overlay($1, $2, $3, -1)"},
    {"split", 2, "split($1, $2, -1)"},
    {"regexp_replace", 3, "regexp_replace($1, $2, $3, 1)"},
    {"regexp_extract", 2, "regexp_extract($1, $2, 1)"},
    {"regexp_extract_all", 2, "regexp_extract_all($1, $2, 1)"},
    {"lpad", 2, "lpad($1, $2,  )"},
    {"rpad", 2, "rpad($1, $2,  )"},
    {"replace", 2, "replace($1, $2, )"},
    {"str_to_map", 1, "str_to_map($1, ,, :)"},
    {"str_to_map", 2, "str_to_map($1, $2, :)"},
    {"sort_array", 1, "sort_array($1, true)"},
    {"from_unixtime", 1, "from_unixtime($1, yyyy-MM-dd HH:mm:ss)"},
    {"unix_timestamp", 0, "unix_timestamp(current_timestamp(), yyyy-MM-dd HH:mm:ss)"},
    {"unix_timestamp", 1, "unix_timestamp($1, yyyy-MM-dd HH:mm:ss)"},
    {"to_unix_timestamp", 1, "to_unix_timestamp($1, yyyy-MM-dd HH:mm:ss)"},
    {"percentile", 2, "percentile($1, $2, 1)"},
    {"percentile_approx", 2, "percentile_approx($1, $2, 10000)"},
    {"approx_percentile", 2, "approx_percentile($1, $2, 10000)"},
};

/* The form's text with the arguments in it. */
static void
print_form(struct name_printer *p, const struct weir_node *node, const char *form)
{
    for (; *form != '\0'; form++) {
        if (*form != '$') {
            weir_buf_byte(p->buf, *form);
        } else if (*++form == '*') {
            print_kids(p, node, 0, ", ");
        } else if ((uint32_t)(*form - '1') < node->nkids) {
            print_name(p, node->kids[*form - '1']);
        }
    }
}

static bool
print_special(struct name_printer *p, const struct weir_node *node)
{
    size_t i;

    for (i = 0; i < sizeof(name_forms) / sizeof(name_forms[0]); i++) {
        const struct name_form *f = &name_forms[i];

        if (strcmp(node->text, f->name) == 0 && (f->args < 0 || (uint32_t)f->args == node->nkids)) {
            print_form(p, node, f->form);
            return true;
        }
    }
    return false;
}

/* Functions of mathematics that print in capitals. */
static bool
is_capital(const char *name)
{
    static const char *const names[] = {"acos",
                                        "acosh",
                                        "asin",
                                        "asinh",
                                        "atan",
                                        "atan2",
                                        "atanh",
                                        "cbrt",
                                        "cos",
                                        "cosh",
                                        "cot",
                                        "csc",
                                        "degrees",
                                        "e",
                                        "exp",
                                        "expm1",
                                        "hypot",
                                        "log10",
                                        "log1p",
                                        "log2",
                                        "pi",
                                        "power",
                                        "radians",
                                        "sec",
                                        "signum",
                                        "sin",
                                        "sinh",
                                        "sqrt",
                                        "tan",
                                        "tanh",
                                        "spark_partition_id"};
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* string(x), int(x) …: casts that nobody has called so; only the argument is seen. */
static bool
is_cast_function(const struct weir_node *node)
{
    static const char *const types[] = {"boolean", "tinyint", "smallint", "int",       "bigint", "float",
                                        "double",  "decimal", "date",     "timestamp", "binary", "string"};
    size_t i;

    for (i = 0; node->nkids == 1 && i < sizeof(types) / sizeof(types[0]); i++) {
        if (strcmp(node->text, types[i]) == 0)
            return true;
    }
    return false;
}

/* a + b and a - b with an interval on one side: Spark has expressions of their own for them. */
static bool
print_interval_arithmetic(struct name_printer *p, const struct weir_node *node)
{
    const struct weir_node *time = node->kids[0], *interval = node->kids[1];
    bool minus = *node->text == '-', days;

    if (node->nkids != 2 || (strcmp(node->text, "+") != 0 && !minus))
        return false;
    if (time->kind == WEIR_NODE_INTERVAL && !minus) {
        time = node->kids[1];
        interval = node->kids[0];
    }
    if (interval->kind != WEIR_NODE_INTERVAL || time->kind == WEIR_NODE_INTERVAL)
        return false;
    days = strcmp(interval->names[0], "DAY") == 0 && strcmp(interval->names[1], "DAY") == 0;
    if (days && time->type != NULL && time->type->kind == WEIR_DATE) {
        weir_buf_str(p->buf, minus ? "date_sub(" : "date_add(");
        print_name(p, time);
        weir_buf_str(p->buf, ", extractansiintervaldays(");
        print_name(p, interval);
        weir_buf_str(p->buf, "))");
    } else {
        print_name(p, time);
        weir_buf_str(p->buf, minus ? " - " : " + ");
        print_name(p, interval);
    }
    return true;
}

static void
print_in(struct name_printer *p, const struct weir_node *node)
{
    weir_buf_byte(p->buf, '(');
    print_name(p, node->kids[0]);
    weir_buf_str(p->buf, " IN (");
    print_kids(p, node, 1, ", ");
    weir_buf_str(p->buf, "))");
}

static void
print_function(struct name_printer *p, const struct weir_node *node)
{
    bool star = node->nkids == 1 && node->kids[0]->kind == WEIR_NODE_STAR, capital = is_capital(node->text);
    const char *c;

    for (c = node->text; *c != '\0'; c++)
        weir_buf_byte(p->buf, (char)(capital && *c >= 'a' && *c <= 'z' ? *c - 32 : *c));
    weir_buf_str(p->buf, node->flags & WEIR_NODE_DISTINCT ? "(DISTINCT " : "(");
    if (star && strcmp(node->text, "count") == 0)
        weir_buf_byte(p->buf, '1');
    else
        print_kids(p, node, 0, ", ");
    weir_buf_byte(p->buf, ')');
}

static void
print_call(struct name_printer *p, const struct weir_node *node)
{
    const char *infix = operator_text(node->text);

    if (infix != NULL && node->nkids == 2) {
        if (print_interval_arithmetic(p, node))
            return;
        weir_buf_byte(p->buf, '(');
        print_name(p, node->kids[0]);
        weir_buf_printf(p->buf, " %s ", infix);
        print_name(p, node->kids[1]);
        weir_buf_byte(p->buf, ')');
    } else if (strcmp(node->text, "in") == 0) {
        print_in(p, node);
    } else if (is_cast_function(node)) {
        print_name(p, node->kids[0]);
    } else if (!print_special(p, node)) {
        print_function(p, node);
    }
}

/* ---- windows ---- */

static void
print_orders(struct name_printer *p, const struct weir_node *list)
{
    uint32_t i;

    for (i = 0; i < list->nkids; i++) {
        const struct weir_node *order = list->kids[i];
        bool desc = order->flags & WEIR_NODE_DESC;
        bool first =
            order->flags & WEIR_NODE_NULLS_FIRST || (!desc && !(order->flags & WEIR_NODE_NULLS_LAST));

        if (i > 0)
            weir_buf_str(p->buf, ", ");
        print_name(p, order->kids[0]);
        weir_buf_printf(p->buf, " %s NULLS %s", desc ? "DESC" : "ASC", first ? "FIRST" : "LAST");
    }
}

static void
print_bound(struct name_printer *p, const struct weir_node *bound)
{
    if (bound != NULL && bound->kids[0] != NULL) {
        print_name(p, bound->kids[0]);
        weir_buf_byte(p->buf, ' ');
    }
    weir_buf_str(p->buf, bound == NULL ? "CURRENT ROW" : bound->text);
}

/* The frame that was written, or the one that the function has by itself. */
static void
print_frame(struct name_printer *p, const struct weir_node *window, const struct weir_node *call)
{
    static const char *const rows[] = {"row_number", "rank", "dense_rank", "percent_rank", "ntile"};
    const struct weir_node *frame = window->kids[2];
    bool by_rows = false, lead = strcmp(call->text, "lead") == 0;
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        by_rows = by_rows || strcmp(call->text, rows[i]) == 0;
    if (lead || strcmp(call->text, "lag") == 0) {
        char offset[64] = "1";

        if (call->nkids > 1 && call->kids[1]->kind == WEIR_NODE_LITERAL &&
            call->kids[1]->text_len < sizeof(offset))
            memcpy(offset, call->kids[1]->text, call->kids[1]->text_len + 1);
        weir_buf_printf(p->buf, "ROWS BETWEEN %s%s FOLLOWING AND %s%s FOLLOWING", lead ? "" : "-", offset,
                        lead ? "" : "-", offset);
    } else if (frame != NULL) {
        weir_buf_printf(p->buf, "%s BETWEEN ", frame->text);
        print_bound(p, frame->kids[0]);
        weir_buf_str(p->buf, " AND ");
        print_bound(p, frame->kids[1]);
    } else if (by_rows) {
        weir_buf_str(p->buf, "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW");
    } else if (window->kids[1]->nkids == 0) {
        weir_buf_str(p->buf, "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING");
    } else {
        weir_buf_str(p->buf, "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW");
    }
}

/* A function as it prints in front of OVER: lag and lead show all three arguments, ranks are in capitals. */
static void
print_windowed(struct name_printer *p, const struct weir_node *call)
{
    if (call->kind == WEIR_NODE_CALL && (strcmp(call->text, "lag") == 0 || strcmp(call->text, "lead") == 0)) {
        weir_buf_printf(p->buf, "%s(", call->text);
        print_kids(p, call, 0, ", ");
        weir_buf_str(p->buf, call->nkids < 2 ? ", 1, NULL)" : call->nkids < 3 ? ", NULL)" : ")");
    } else {
        print_name(p, call);
    }
}

static void
print_over(struct name_printer *p, const struct weir_node *node)
{
    const struct weir_node *window = node->kids[1], *call = node->kids[0];

    print_windowed(p, call);
    if (window == NULL) {
        weir_buf_printf(p->buf, " OVER %s", node->text == NULL ? "" : node->text);
        return;
    }
    weir_buf_str(p->buf, " OVER (");
    if (window->kids[0]->nkids > 0) {
        weir_buf_str(p->buf, "PARTITION BY ");
        print_kids(p, window->kids[0], 0, ", ");
        weir_buf_byte(p->buf, ' ');
    }
    if (window->kids[1]->nkids > 0) {
        weir_buf_str(p->buf, "ORDER BY ");
        print_orders(p, window->kids[1]);
        weir_buf_byte(p->buf, ' ');
    }
    print_frame(p, window, call->kind == WEIR_NODE_FILTER ? call->kids[0] : call);
    weir_buf_byte(p->buf, ')');
}

/* ---- the rest ---- */

/* A name; a lambda's parameter is told by what is around it. */
static void
print_parts(struct name_printer *p, const struct weir_node *node)
{
    const struct name_scope *s;
    uint32_t i;
    bool parameter = false;

    for (s = p->scope; s != NULL; s = s->outer) {
        for (i = 0; i < s->lambda->nnames; i++)
            parameter = parameter || name_is(s->lambda->names[i], node->names[0]);
    }
    weir_buf_str(p->buf, parameter ? "namedlambdavariable()" : node->names[0]);
    for (i = 1; i < node->nnames; i++)
        weir_buf_printf(p->buf, ".%s", node->names[i]);
}

static void
print_lambda(struct name_printer *p, const struct weir_node *node)
{
    struct name_scope scope = {p->scope, node};
    uint32_t i;

    p->scope = &scope;
    weir_buf_str(p->buf, "lambdafunction(");
    print_name(p, node->kids[0]);
    for (i = 0; i < node->nnames; i++)
        weir_buf_str(p->buf, ", namedlambdavariable()");
    weir_buf_byte(p->buf, ')');
    p->scope = scope.outer;
}

/* CASE x WHEN 1 … is CASE WHEN (x = 1) … */
static void
print_case(struct name_printer *p, const struct weir_node *node)
{
    const struct weir_node *otherwise = node->kids[node->nkids - 1];
    uint32_t i;

    weir_buf_str(p->buf, "CASE");
    for (i = 1; i + 2 < node->nkids; i += 2) {
        weir_buf_str(p->buf, " WHEN ");
        if (node->kids[0] != NULL) {
            weir_buf_byte(p->buf, '(');
            print_name(p, node->kids[0]);
            weir_buf_str(p->buf, " = ");
            print_name(p, node->kids[i]);
            weir_buf_byte(p->buf, ')');
        } else {
            print_name(p, node->kids[i]);
        }
        weir_buf_str(p->buf, " THEN ");
        print_name(p, node->kids[i + 1]);
    }
    if (otherwise != NULL) {
        weir_buf_str(p->buf, " ELSE ");
        print_name(p, otherwise);
    }
    weir_buf_str(p->buf, " END");
}

static void
print_cast(struct name_printer *p, const struct weir_node *node)
{
    struct weir_buf type = WEIR_BUF(65536);
    size_t i;

    weir_type_print_simple(node->type, &type);
    weir_buf_str(p->buf, node->flags & WEIR_NODE_TRY ? "TRY_CAST(" : "CAST(");
    print_name(p, node->kids[0]);
    weir_buf_str(p->buf, " AS ");
    for (i = 0; i < type.len; i++)
        weir_buf_byte(p->buf,
                      (char)(type.data[i] >= 'a' && type.data[i] <= 'z' ? type.data[i] - 32 : type.data[i]));
    weir_buf_byte(p->buf, ')');
    weir_buf_fini(&type);
}

/* (a, b + 1) is named_struct(a, a, col2, (b + 1)). */
static void
print_tuple(struct name_printer *p, const struct weir_node *node)
{
    uint32_t i;

    weir_buf_str(p->buf, "named_struct(");
    for (i = 0; i < node->nkids; i++) {
        const struct weir_node *kid = node->kids[i];

        weir_buf_str(p->buf, i == 0 ? "" : ", ");
        if (kid->kind == WEIR_NODE_NAME)
            weir_buf_str(p->buf, kid->names[kid->nnames - 1]);
        else if (kid->kind == WEIR_NODE_ALIAS)
            weir_buf_str(p->buf, kid->text);
        else
            weir_buf_printf(p->buf, "col%u", i + 1);
        weir_buf_str(p->buf, ", ");
        print_name(p, kid->kind == WEIR_NODE_ALIAS ? kid->kids[0] : kid);
    }
    weir_buf_byte(p->buf, ')');
}

/* a in front, text behind. */
static void
print_around(struct name_printer *p, const char *before, const struct weir_node *a, const char *behind)
{
    weir_buf_str(p->buf, before);
    print_name(p, a);
    weir_buf_str(p->buf, behind);
}

static void
print_name(struct name_printer *p, const struct weir_node *node)
{
    switch (node->kind) {
    case WEIR_NODE_LITERAL:
        print_literal(p->buf, node);
        break;
    case WEIR_NODE_INTERVAL:
        print_interval(p->buf, node);
        break;
    case WEIR_NODE_NAME:
        print_parts(p, node);
        break;
    case WEIR_NODE_STAR:
        weir_buf_byte(p->buf, '*');
        break;
    case WEIR_NODE_CALL:
        print_call(p, node);
        break;
    case WEIR_NODE_OVER:
        print_over(p, node);
        break;
    case WEIR_NODE_FILTER:
        print_name(p, node->kids[0]);
        print_around(p, " FILTER (WHERE ", node->kids[1], ")");
        break;
    case WEIR_NODE_CASE:
        print_case(p, node);
        break;
    case WEIR_NODE_CAST:
        print_cast(p, node);
        break;
    case WEIR_NODE_LAMBDA:
        print_lambda(p, node);
        break;
    case WEIR_NODE_FIELD:
        print_name(p, node->kids[0]);
        weir_buf_printf(p->buf, ".%s", node->text);
        break;
    case WEIR_NODE_INDEX:
        print_name(p, node->kids[0]);
        print_around(p, "[", node->kids[1], "]");
        break;
    case WEIR_NODE_NAMED_ARG:
        print_name(p, node->kids[0]);
        break;
    case WEIR_NODE_SUBQUERY:
        weir_buf_str(p->buf, "scalarsubquery()");
        break;
    case WEIR_NODE_EXISTS:
        weir_buf_str(p->buf, "exists()");
        break;
    case WEIR_NODE_IN_QUERY:
        print_around(p, "(", node->kids[0], " IN (listquery()))");
        break;
    case WEIR_NODE_TUPLE:
        print_tuple(p, node);
        break;
    case WEIR_NODE_ALIAS:
        print_name(p, node->kids[0]);
        if (node->text != NULL)
            weir_buf_printf(p->buf, " AS %s", node->text);
        break;
    default: /* parts of queries have no name */
        break;
    }
}

void
weir_node_print_spark(const struct weir_node *node, struct weir_buf *buf)
{
    struct name_printer p = {buf, NULL};

    if (node->kind == WEIR_NODE_CAST && node->kids[0]->kind == WEIR_NODE_NAME && node->kids[0]->nnames == 1)
        node = node->kids[0];
    if (node->kind == WEIR_NODE_NAME)
        weir_buf_str(buf, node->names[node->nnames - 1]);
    else if (node->kind == WEIR_NODE_CALL &&
             (strcmp(node->text, "window") == 0 || strcmp(node->text, "session_window") == 0))
        weir_buf_str(buf, node->text);
    else if (node->kind == WEIR_NODE_ALIAS && node->text != NULL)
        weir_buf_str(buf, node->text);
    else
        print_name(&p, node);
}
