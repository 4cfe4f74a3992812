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

/* As java.math.BigDecimal.toString(): small ones by their exponent, "1.2E-7". */
static void
name_decimal(struct weir_buf *buf, const char *text, uint32_t len, unsigned scale)
{
    const char *digits = text + strspn(text, "-0."), *end = text + len;
    int n = digits == end ? 1 : (int)(end - digits), exponent = n - 1 - (int)scale;

    if (exponent >= -6 || memchr(digits, '.', (size_t)(end - digits)) != NULL) {
        weir_buf_add(buf, text, len);
        return;
    }
    weir_buf_printf(buf, "%s%c%s%.*sE%d", *text == '-' ? "-" : "", digits == end ? '0' : *digits,
                    n > 1 ? "." : "", n - 1, digits + (digits < end), exponent);
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
    case WEIR_DECIMAL:
        name_decimal(buf, node->text, node->text_len, node->type->scale);
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

static bool
is_word_of(const char *word, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

/* Functions that Spark does not show as they were called: of how many arguments (-1: any), and how: $1 … the
 * arguments, $* all of them. Sorted by name. */
static const struct {
    const char *name;
    int args;
    const char *form;
} name_forms[] = {
    {"!", 1, "(NOT $1)"},
    {"+", 1, "(+ $1)"},
    {"-", 1, "(- $1)"},
    {"[]", 2, "$1[$2]"},
    {"aggregate", 3, "aggregate($*, lambdafunction(namedlambdavariable(), namedlambdavariable()))"},
    {"any_value", 2, "any_value($1)"},
    {"approx_percentile", 2, "approx_percentile($1, $2, 10000)"},
    {"array_agg", 1, "collect_list($1)"},
    {"array_sort", 1,
     "array_sort($1, lambdafunction((IF(((namedlambdavariable() IS NULL) AND "
     "(namedlambdavariable() IS NULL)), 0, (IF((namedlambdavariable() IS NULL), 1, "
     "(IF((namedlambdavariable() IS NULL), -1, (IF((namedlambdavariable() < "
     "namedlambdavariable()), -1, (IF((namedlambdavariable() > namedlambdavariable()), 1, "
     "0)))))))))), namedlambdavariable(), namedlambdavariable()))"},
    {"assert_true", 1, "assert_true($1, '$1' is not true!)"},
    {"bround", 1, "bround($1, 0)"},
    {"ceil", 1, "CEIL($1)"},
    {"convert_timezone", 2, "convert_timezone(current_timezone(), $1, $2)"},
    {"curdate", 0, "current_date()"},
    {"current_database", 0, "current_schema()"},
    {"dateadd", 2, "date_add($1, $2)"},
    {"datepart", 2, "datepart($1 FROM $2)"},
    {"dense_rank", -1, "DENSE_RANK()"},
    {"extract", 2, "extract($1 FROM $2)"},
    {"first", 2, "first($1)"},
    {"first_value", 2, "first_value($1)"},
    {"floor", 1, "FLOOR($1)"},
    {"from_csv", -1, "from_csv($1)"},
    {"from_json", -1, "from_json($1)"},
    {"from_unixtime", 1, "from_unixtime($1, yyyy-MM-dd HH:mm:ss)"},
    {"if", 3, "(IF($1, $2, $3))"},
    {"ilike", 3, "ilike($1, $2)"},
    {"is not null", 1, "($1 IS NOT NULL)"},
    {"is null", 1, "($1 IS NULL)"},
    {"isnotnull", 1, "($1 IS NOT NULL)"},
    {"isnull", 1, "($1 IS NULL)"},
    {"lag", 1, "lag($1, 1, NULL)"},
    {"lag", 2, "lag($1, $2, NULL)"},
    {"last", 2, "last($1)"},
    {"last_value", 2, "last_value($1)"},
    {"lead", 1, "lead($1, 1, NULL)"},
    {"lead", 2, "lead($1, $2, NULL)"},
    {"like", 2, "$1 LIKE $2"},
    {"like", 3, "$1 LIKE $2 ESCAPE '$3'"},
    {"like all", -1, "likeall($1)"},
    {"like any", -1, "likeany($1)"},
    {"locate", 2, "locate($1, $2, 1)"},
    {"log", 1, "LOG(E(), $1)"},
    {"log", 2, "LOG($1, $2)"},
    {"lpad", 2, "lpad($1, $2,  )"},
    {"ltrim", 2, "TRIM(LEADING $1 FROM $2)"},
    {"mask", 1, "mask($1, X, x, n, NULL)"},
    {"mask", 2, "mask($1, $2, x, n, NULL)"},
    {"mask", 3, "mask($1, $2, $3, n, NULL)"},
    {"mask", 4, "mask($1, $2, $3, $4, NULL)"},
    {"months_between", 2, "months_between($1, $2, true)"},
    {"not", 1, "(NOT $1)"},
    {"not like all", -1, "notlikeall($1)"},
    {"not like any", -1, "notlikeany($1)"},
    {"overlay", 3, "overlay($1, $2, $3, -1)"},
    {"percent_rank", -1, "PERCENT_RANK()"},
    {"percentile", 2, "percentile($1, $2, 1)"},
    {"percentile_approx", 2, "percentile_approx($1, $2, 10000)"},
    {"position", 2, "position($1, $2, 1)"},
    {"positive", 1, "(+ $1)"},
    {"raise_error", 1, "raise_error(USER_RAISED_EXCEPTION, map(errorMessage, $1))"},
    {"random", 0, "rand()"},
    {"random", 1, "rand($1)"},
    {"rank", -1, "RANK()"},
    {"reduce", 3, "reduce($*, lambdafunction(namedlambdavariable(), namedlambdavariable()))"},
    {"regexp", 2, "REGEXP($1, $2)"},
    {"regexp_extract", 2, "regexp_extract($1, $2, 1)"},
    {"regexp_extract_all", 2, "regexp_extract_all($1, $2, 1)"},
    {"regexp_instr", 2, "regexp_instr($1, $2, 0)"},
    {"regexp_like", 2, "REGEXP_LIKE($1, $2)"},
    {"regexp_replace", 3, "regexp_replace($1, $2, $3, 1)"},
    {"replace", 2, "replace($1, $2, )"},
    {"rlike", 2, "RLIKE($1, $2)"},
    {"round", 1, "round($1, 0)"},
    {"rpad", 2, "rpad($1, $2,  )"},
    {"rtrim", 2, "TRIM(TRAILING $1 FROM $2)"},
    {"schema_of_csv", 2, "schema_of_csv($1)"},
    {"schema_of_json", 2, "schema_of_json($1)"},
    {"sort_array", 1, "sort_array($1, true)"},
    {"split", 2, "split($1, $2, -1)"},
    {"str_to_map", 1, "str_to_map($1, ,, :)"},
    {"str_to_map", 2, "str_to_map($1, $2, :)"},
    {"substr", 2, "substr($1, $2, 2147483647)"},
    {"substring", 2, "substring($1, $2, 2147483647)"},
    {"to_csv", 2, "to_csv($1)"},
    {"to_json", 2, "to_json($1)"},
    {"to_unix_timestamp", 1, "to_unix_timestamp($1, yyyy-MM-dd HH:mm:ss)"},
    {"trim", 2, "TRIM(BOTH $1 FROM $2)"},
    {"try_variant_get", 3, "try_variant_get($1, $2)"},
    {"unix_timestamp", 0, "unix_timestamp(current_timestamp(), yyyy-MM-dd HH:mm:ss)"},
    {"unix_timestamp", 1, "unix_timestamp($1, yyyy-MM-dd HH:mm:ss)"},
    {"variant_get", 3, "variant_get($1, $2)"},
    {"window", -1, "window"},
    {"~", 1, "~$1"},
};

/* false: it has no form of its own. */
static bool
name_formed(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *node)
{
    const char *form = NULL;

    for (size_t i = 0; i < sizeof(name_forms) / sizeof(name_forms[0]); i++) {
        if (strcmp(node->text, name_forms[i].name) == 0 &&
            (name_forms[i].args < 0 || (uint32_t)name_forms[i].args == node->nkids))
            form = name_forms[i].form;
    }
    if (form == NULL || (node->flags & WEIR_NODE_DISTINCT) != 0)
        return false;
    for (; *form != '\0'; form++) {
        if (*form != '$')
            weir_buf_byte(buf, *form);
        else if (*++form == '*')
            name_list(b, buf, node, 0);
        else
            name_expr(b, buf, node->kids[*form - '1']);
    }
    return true;
}

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

/* double('1'), string(x): casts that Spark does not show. */
static bool
is_cast_function(const struct weir_node *node)
{
    static const char *const types[] = {"boolean",   "tinyint", "smallint", "int",  "bigint",
                                        "float",     "double",  "decimal",  "date", "string",
                                        "timestamp", "binary",  NULL};

    return node->nkids == 1 && is_word_of(node->text, types);
}

static void
name_function(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *node)
{
    bool capital = is_capital(node->text);

    for (const char *c = node->text; *c != '\0'; c++)
        weir_buf_byte(buf, (char)(capital && *c >= 'a' && *c <= 'z' ? *c - 32 : *c));
    weir_buf_str(buf, (node->flags & WEIR_NODE_DISTINCT) != 0 ? "(DISTINCT " : "(");
    name_list(b, buf, node, 0);
    weir_buf_byte(buf, ')');
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

    if (date->type->kind == WEIR_DATE && days->kind == WEIR_NODE_LITERAL && days->type == &weir_type_interval_day &&
        strcmp(days->names[0], "DAY") == 0 && strcmp(days->names[days->nnames - 1], "DAY") == 0) {
        weir_buf_str(buf, "date_add(");
        name_expr(b, buf, date);
        weir_buf_str(buf, plus ? ", extractansiintervaldays(" : ", (- extractansiintervaldays(");
        name_expr(b, buf, days);
        weir_buf_str(buf, plus ? "))" : ")))");
        return true;
    }
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
name_call(struct weir_bind *b, struct weir_buf *buf, const struct weir_node *node)
{
    static const char *const binary[] = {"=", "<=>", "<", "<=", ">", ">=", "+",  "-",   "*", "/",
                                         "%", "div", "&", "|",  "^", "<<", ">>", ">>>", NULL};
    const char *op = node->text;

    if (node->nkids == 2 && is_word_of(op, binary)) {
        if ((strcmp(op, "+") != 0 && strcmp(op, "-") != 0) || !name_date_arithmetic(b, buf, node))
            name_binary(b, buf, node, op);
    } else if (strcmp(op, "and") == 0 || strcmp(op, "or") == 0) {
        name_binary(b, buf, node, op[0] == 'a' ? "AND" : "OR");
    } else if (strcmp(op, "in") == 0) {
        weir_buf_byte(buf, '(');
        name_expr(b, buf, node->kids[0]);
        weir_buf_str(buf, " IN (");
        name_list(b, buf, node, 1);
        weir_buf_str(buf, "))");
    } else if (is_cast_function(node)) {
        name_expr(b, buf, node->kids[0]);
    } else if (!name_formed(b, buf, node)) {
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
    if ((node->flags & WEIR_BOUND_SHOWN) == 0 ||
        weir_kind_is_nested(node->type->kind)) { /* Cast.sql leaves those out */
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
