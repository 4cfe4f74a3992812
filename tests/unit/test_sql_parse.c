/* Spark SQL's text to trees. Trees are printed in a compact form: (name kid kid …), NULL kids as "_". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "sql/ast.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static struct weir_mem *mem;
static struct weir_error err;

static int
set_up(void **state)
{
    (void)state;
    mem = weir_mem_new(NULL, NULL, "test");
    return mem == NULL;
}

static int
tear_down(void **state)
{
    (void)state;
    weir_mem_free(mem);
    return 0;
}

static const char *
kind_name(weir_node_kind kind)
{
    static const char *const names[] = {
#define NODE(symbol, kids) #symbol,
#include "sql/nodes.def"
#undef NODE
    };

    return names[kind];
}

static void
print_flags(const struct weir_node *node, struct weir_buf *buf)
{
    static const struct {
        uint32_t flag;
        const char *name;
    } flags[] = {
        {WEIR_NODE_DISTINCT, "DISTINCT"},
        {WEIR_NODE_TRY, "TRY"},
        {WEIR_NODE_DESC, "DESC"},
        {WEIR_NODE_NULLS_FIRST, "NULLS_FIRST"},
        {WEIR_NODE_NULLS_LAST, "NULLS_LAST"},
        {WEIR_NODE_OUTER, "OUTER"},
        {WEIR_NODE_NATURAL, "NATURAL"},
        {WEIR_NODE_IGNORE_NULLS, "IGNORE_NULLS"},
        {WEIR_NODE_ALL, "ALL"},
    };
    size_t i;

    for (i = 0; i < COUNT(flags); i++) {
        if (node->flags & flags[i].flag)
            weir_buf_printf(buf, " %s", flags[i].name);
    }
}

/* NAMEs as a.b, constants as type:value, CALLs by their name, all else by its kind with text and names. */
static void
print_node(const struct weir_node *node, struct weir_buf *buf)
{
    uint32_t i;

    if (node == NULL) {
        weir_buf_byte(buf, '_');
        return;
    }
    if (node->kind == WEIR_NODE_NAME) {
        for (i = 0; i < node->nnames; i++)
            weir_buf_printf(buf, "%s%s", i == 0 ? "" : ".", node->names[i]);
        return;
    }
    if (node->kind == WEIR_NODE_LITERAL) {
        weir_type_print_simple(node->type, buf);
        weir_buf_byte(buf, ':');
        for (i = 0; i < node->text_len; i++) {
            if ((unsigned char)node->text[i] < ' ' || node->type->kind == WEIR_BINARY)
                weir_buf_printf(buf, "<%02x>", (unsigned char)node->text[i]);
            else
                weir_buf_byte(buf, node->text[i]);
        }
        return;
    }
    weir_buf_printf(buf, "(%s", node->kind == WEIR_NODE_CALL ? node->text : kind_name(node->kind));
    if (node->kind == WEIR_NODE_CAST) {
        weir_buf_byte(buf, ' ');
        weir_type_print_simple(node->type, buf);
    } else if (node->kind != WEIR_NODE_CALL && node->text != NULL) {
        weir_buf_printf(buf, " %s", node->text);
    }
    print_flags(node, buf);
    for (i = 0; i < node->nnames; i++)
        weir_buf_printf(buf, "%s%s", i == 0 ? " [" : " ", node->names[i]);
    if (node->nnames > 0)
        weir_buf_byte(buf, ']');
    for (i = 0; i < node->nkids; i++) {
        weir_buf_byte(buf, ' ');
        print_node(node->kids[i], buf);
    }
    weir_buf_byte(buf, ')');
}

static const char *
printed(const struct weir_node *node)
{
    struct weir_buf buf = WEIR_BUF(WEIR_MIB);
    const char *text;

    print_node(node, &buf);
    assert_int_equal(weir_buf_check(&buf, &err), WEIR_OK);
    text = weir_mem_strndup(mem, buf.data, buf.len);
    weir_buf_fini(&buf);
    return text;
}

/* ---- tests ---- */

struct parse_case {
    const char *text, *tree;
};

static void
check_trees(const struct parse_case *cases, size_t n,
            weir_rc (*parse)(const char *, size_t, struct weir_mem *, struct weir_node **,
                             struct weir_error *))
{
    struct weir_node *node;
    size_t i;

    for (i = 0; i < n; i++) {
        if (parse(cases[i].text, strlen(cases[i].text), mem, &node, &err) != WEIR_OK)
            fail_msg("%s: %s: %s", cases[i].text, err.where, err.what);
        if (strcmp(printed(node), cases[i].tree) != 0)
            fail_msg("%s: %s, not %s", cases[i].text, printed(node), cases[i].tree);
    }
}

static void
an_expression_becomes_its_tree(void **state)
{
    static const struct parse_case cases[] = {
        {"a + 1", "(+ a int:1)"},
        {"a - 1", "(- a int:1)"},
        {"-1", "int:-1"},
        {"- 1", "int:-1"},
        {"- a", "(- a)"},
        {"-2147483648", "int:-2147483648"},
        {"-9223372036854775808", "bigint:-9223372036854775808"},
        {"9223372036854775808", "decimal(19,0):9223372036854775808"},
        {"+ a", "(+ a)"},
        {"-1 - -2", "(- int:-1 int:-2)"},
        {"-a * b", "(* (- a) b)"},
        {"-1[0]", "(INDEX int:-1 int:0)"},
        {"a * 2 / 3 % 4 div 5", "(div (% (/ (* a int:2) int:3) int:4) int:5)"},
        {"~ a", "(~ a)"},
        {"a & 1 | 2 ^ 3", "(| (& a int:1) (^ int:2 int:3))"},
        {"a + 1 << 2 & 3", "(& (<< (+ a int:1) int:2) int:3)"},
        {"a >> 1 >>> 2", "(>>> (>> a int:1) int:2)"},
        {"b || 'x' || b", "(concat (concat b string:x) b)"},
        {"a == 1", "(= a int:1)"},
        {"a <> 1", "(not (= a int:1))"},
        {"a != 1 + 2", "(not (= a (+ int:1 int:2)))"},
        {"a <=> 1", "(<=> a int:1)"},
        {"a !> 1", "(<= a int:1)"},
        {"a = b = c", "(= (= a b) c)"},
        {"a < 1 and a > 2 or p", "(or (and (< a int:1) (> a int:2)) p)"},
        {"p or q and r", "(or p (and q r))"},
        {"not p and q", "(and (not p) q)"},
        {"not not p", "(not (not p))"},
        {"a and ! p", "(and a (not p))"},
        {"p and q and r and s and t", "(and (and (and p q) r) (and s t))"},
        {"p or q or r", "(or (or p q) r)"},
        {"a between 1 and 2 and p", "(and (between a int:1 int:2) p)"},
        {"a not between 1 and 2", "(not (between a int:1 int:2))"},
        {"a ! in (1, 2)", "(not (in a int:1 int:2))"},
        {"a not in (1, 2)", "(not (in a int:1 int:2))"},
        {"a in (select 1)", "(IN_QUERY a (QUERY _ (SELECT (LIST int:1) _ _ _ _ _ _) _ _ _))"},
        {"a in ((select 1))", "(in a (SUBQUERY (QUERY _ (SELECT (LIST int:1) _ _ _ _ _ _) _ _ _)))"},
        {"a in ((select 1) union (select 2))",
         "(IN_QUERY a (QUERY _ (SETOP UNION DISTINCT (QUERY _ (SELECT (LIST int:1) _ _ _ _ _ _) _ _ "
         "_) (QUERY _ (SELECT (LIST int:2) _ _ _ _ _ _) _ _ _)) _ _ _))"},
        {"(a, b) in (select 1, 2)",
         "(IN_QUERY (TUPLE a b) (QUERY _ (SELECT (LIST int:1 int:2) _ _ _ _ _ _) _ _ _))"},
        {"b like 'x%'", "(like b string:x%)"},
        {"b like 'x%' escape '/'", "(like b string:x% string:/)"},
        {"b not ilike 'x%'", "(not (ilike b string:x%))"},
        {"b like any ('a', 'b')", "(like any b string:a string:b)"},
        {"b not like all ('a', 'b')", "(not like all b string:a string:b)"},
        {"b ilike some ('a', 'b')", "(like any (lower b) (lower string:a) (lower string:b))"},
        {"b not regexp 'x'", "(not (rlike b string:x))"},
        {"a is null", "(is null a)"},
        {"a is not unknown", "(is not null a)"},
        {"p is not true", "(not (<=> p boolean:true))"},
        {"a is distinct from 1", "(not (<=> a int:1))"},
        {"a is not distinct from 1", "(<=> a int:1)"},
        {"a = 1 is null", "(is null (= a int:1))"},
        {"like(b, 'x')", "(like b string:x)"},
        {"exists(select 1)", "(EXISTS (QUERY _ (SELECT (LIST int:1) _ _ _ _ _ _) _ _ _))"},
        {"exists(a, x -> x > 0)", "(exists a (LAMBDA [x] (> x int:0)))"},
        {"(select 1)", "(SUBQUERY (QUERY _ (SELECT (LIST int:1) _ _ _ _ _ _) _ _ _))"},
        {"((select 1) union (select 2))",
         "(SUBQUERY (QUERY _ (SETOP UNION DISTINCT (QUERY _ (SELECT (LIST int:1) _ _ _ _ _ _) _ _ "
         "_) (QUERY _ (SELECT (LIST int:2) _ _ _ _ _ _) _ _ _)) _ _ _))"},
        {"((select 1) + 1)", "(+ (SUBQUERY (QUERY _ (SELECT (LIST int:1) _ _ _ _ _ _) _ _ _)) int:1)"},
        {"case when p then 1 else 2 end", "(CASE _ p int:1 int:2)"},
        {"case a when 1 then 'x' when 2 then 'y' end", "(CASE a int:1 string:x int:2 string:y _)"},
        {"cast(a as decimal(10,2))", "(CAST decimal(10,2) a)"},
        {"try_cast(a as array<array<int>>)", "(CAST array<array<int>> TRY a)"},
        {"cast(a as struct<x: int, y: map<string, array<int>>>)",
         "(CAST struct<x:int,y:map<string,array<int>>> a)"},
        {"a::array<int>[0]::string", "(CAST string (INDEX (CAST array<int> a) int:0))"},
        {"cast(a as string collate utf8_binary)", "(CAST string a)"},
        {"a.b.c", "a.b.c"},
        {"`a b`.`c``d`", "a b.c`d"},
        {"t.*", "(STAR [t])"},
        {"* except (a, s.b)", "(STAR a s.b)"},
        {"s.* except (a)", "(STAR [s] a)"},
        {"arr[0].b", "(FIELD b (INDEX arr int:0))"},
        {"f(x).y[1].z", "(FIELD z (INDEX (FIELD y (f x)) int:1))"},
        {"m['k']", "(INDEX m string:k)"},
        {"count(*)", "(count (STAR))"},
        {"count(distinct a, b)", "(count DISTINCT a b)"},
        {"sum(all a)", "(sum a)"},
        {"f()", "(f)"},
        {"db.F(a)", "(db.f a)"},
        {"`upper`(a)", "(upper a)"},
        {"first(a ignore nulls)", "(first IGNORE_NULLS a)"},
        {"first(a) ignore nulls over w", "(OVER w (first IGNORE_NULLS a) _)"},
        {"last(a) respect nulls", "(last a)"},
        {"f(a, k => 2)", "(f a (NAMED_ARG k int:2))"},
        {"struct(a as x, b)", "(struct (ALIAS x a) b)"},
        {"(a as x, b)", "(TUPLE (ALIAS x a) b)"},
        {"(a)", "a"},
        {"x -> x + 1", "(LAMBDA [x] (+ x int:1))"},
        {"(x, y) -> x + y", "(LAMBDA [x y] (+ x y))"},
        {"filter(a, x -> x.b > 0)", "(filter a (LAMBDA [x] (> x.b int:0)))"},
        {"count(*) filter (where p)", "(FILTER (count (STAR)) p)"},
        {"sum(a) over (partition by b, c order by d desc nulls last, e rows between 1 preceding and "
         "unbounded following)",
         "(OVER (sum a) (WINDOW (LIST b c) (LIST (ORDER DESC NULLS_LAST d) (ORDER e)) (FRAME ROWS "
         "(BOUND PRECEDING int:1) (BOUND UNBOUNDED FOLLOWING _))))"},
        {"sum(a) over (distribute by b sort by c)", "(OVER (sum a) (WINDOW (LIST b) (LIST (ORDER c)) _))"},
        {"sum(a) over (w)", "(OVER (sum a) (WINDOW w (LIST) (LIST) _))"},
        {"sum(a) over (order by b range current row)",
         "(OVER (sum a) (WINDOW (LIST) (LIST (ORDER b)) (FRAME RANGE (BOUND CURRENT ROW _) _)))"},
        {"extract(YEAR from t)", "(extract string:YEAR t)"},
        {"position('a' in b)", "(locate string:a b)"},
        {"position('a', b)", "(position string:a b)"},
        {"substring(b from 1 for 2)", "(substring b int:1 int:2)"},
        {"substr(b, 1)", "(substr b int:1)"},
        {"trim(b)", "(trim b)"},
        {"trim(b from c)", "(trim b c)"},
        {"trim(both from c)", "(trim c)"},
        {"trim(leading 'x' from c)", "(ltrim string:x c)"},
        {"trim(trailing 'x' from c)", "(rtrim string:x c)"},
        {"overlay(a placing b from 1 for 2)", "(overlay a b int:1 int:2)"},
        {"timestampadd(month, 1, t)", "(timestampadd string:month int:1 t)"},
        {"date_add(d, 1)", "(date_add d int:1)"},
        {"date_add(day, 1, d)", "(timestampadd string:day int:1 d)"},
        {"datediff(hour, a, b)", "(timestampdiff string:hour a b)"},
        {"current_date", "current_date"},
        {"interval", "interval"},
        {"end", "end"},
        {"offset + 1", "(+ offset int:1)"},
        {"timestamp > date", "(> timestamp date)"},
        {"left(a, 1)", "(left a int:1)"},
        {"if(a, b, c)", "(if a b c)"},
        {"null", "void:NULL"},
        {"TRUE", "boolean:true"},
        {"'a' \"b\" r'c\\d'", "string:abc\\d"},
        {"'it\\'s \\\"x\\\" \\% \\_ \\n \\ \\q \\0'", "string:it's \"x\" \\% \\_ <0a>  q <00>"},
        {"'\\101\\u4e2d\\U0001F600'", "string:A中😀"},
        {"'\\ud83d\\ude00'", "string:😀"},
        {"R\"a\\b\"", "string:a\\b"},
        {"1L", "bigint:1"},
        {"1s", "smallint:1"},
        {"1Y", "tinyint:1"},
        {"1.50", "decimal(3,2):1.50"},
        {"1.", "decimal(1,0):1"},
        {".5", "decimal(1,1):0.5"},
        {"00.5", "decimal(1,1):0.5"},
        {"0.00", "decimal(2,2):0.00"},
        {"1.5BD", "decimal(2,1):1.5"},
        {"12bd", "decimal(2,0):12"},
        {"1e3bd", "decimal(4,0):1000"},
        {"1.5D", "double:1.5"},
        {"1d", "double:1.0"},
        {"1.5f", "float:1.5"},
        {"1e3", "double:1000.0"},
        {"1.5E-3", "double:0.0015"},
        {"99999999999999999999", "decimal(20,0):99999999999999999999"},
        {"date'2020-1-1'", "date:2020-01-01"},
        {"date '2020-01-01T10'", "date:2020-01-01"},
        {"timestamp'2020-01-01 1:2:3.50'", "timestamp:2020-01-01 01:02:03.5"},
        {"timestamp'2020-01-01 00:00:00+08:00'", "timestamp:2019-12-31 16:00:00Z"},
        {"timestamp_ntz'2020-01-01'", "timestamp_ntz:2020-01-01 00:00:00"},
        {"timestamp'epoch'", "timestamp:1970-01-01 00:00:00Z"},
        {"X'1f'", "binary:<1f>"},
        {"x'abc'", "binary:<0a><bc>"},
        {"interval 1 day", "(INTERVAL 86400000000 [DAY DAY])"},
        {"interval '1' day", "(INTERVAL 86400000000 [DAY DAY])"},
        {"interval -1 week", "(INTERVAL -604800000000 [DAY DAY])"},
        {"interval 1 day 2 hours", "(INTERVAL 93600000000 [DAY HOUR])"},
        {"interval 1 day -2 hours", "(INTERVAL 79200000000 [DAY HOUR])"},
        {"interval '1 day 2 hours'", "(INTERVAL 93600000000 [DAY HOUR])"},
        {"interval 'interval -1 month'", "(INTERVAL -1 [MONTH MONTH])"},
        {"interval '1-2' year to month", "(INTERVAL 14 [YEAR MONTH])"},
        {"interval -'1-2' year to month", "(INTERVAL -14 [YEAR MONTH])"},
        {"interval '-1 02:03:04.567' day to second", "(INTERVAL -93784567000 [DAY SECOND])"},
        {"interval '02:03' minute to second", "(INTERVAL 123000000 [MINUTE SECOND])"},
        {"interval 1.5 seconds", "(INTERVAL 1500000 [SECOND SECOND])"},
        {"interval 5 milliseconds", "(INTERVAL 5000 [SECOND SECOND])"},
        {"interval 1500 nanoseconds", "(INTERVAL 1 [SECOND SECOND])"},
        {"interval 1 year 3 months", "(INTERVAL 15 [YEAR MONTH])"},
        {"interval - 1", "(- interval int:1)"},
        {"1 /* a /* b */ c */ + 2 -- d", "(+ int:1 int:2)"},
    };

    (void)state;
    check_trees(cases, COUNT(cases), weir_sql_parse_expr);
}

static void
a_query_becomes_its_tree(void **state)
{
    static const struct parse_case cases[] = {
        {"select 1", "(QUERY _ (SELECT (LIST int:1) _ _ _ _ _ _) _ _ _)"},
        {"select 1;", "(QUERY _ (SELECT (LIST int:1) _ _ _ _ _ _) _ _ _)"},
        {"select distinct a, b x, c as `y z`, d limit from t",
         "(QUERY _ (SELECT DISTINCT (LIST a (ALIAS x b) (ALIAS y z c) (ALIAS limit d)) (TABLE [t] _ "
         "_ _) _ _ _ _ _) _ _ _)"},
        {"select a from t limit all", "(QUERY _ (SELECT (LIST a) (TABLE [t] _ _ _) _ _ _ _ _) _ _ _)"},
        {"select a from t order by a desc, b nulls last limit 10 offset 5",
         "(QUERY _ (SELECT (LIST a) (TABLE [t] _ _ _) _ _ _ _ _) (LIST (ORDER DESC a) (ORDER "
         "NULLS_LAST b)) int:10 int:5)"},
        {"select a from t order by all",
         "(QUERY _ (SELECT (LIST a) (TABLE [t] _ _ _) _ _ _ _ _) (LIST (ORDER ALL all)) _ _)"},
        {"select a offset from t offset 1",
         "(QUERY _ (SELECT (LIST (ALIAS offset a)) (TABLE [t] _ _ _) _ _ _ _ _) _ _ int:1)"},
        {"select explode(m) as (k, v), inline(x) (p, q)",
         "(QUERY _ (SELECT (LIST (ALIAS [k v] (explode m)) (ALIAS [p q] (inline x))) _ _ _ _ _ _) _ "
         "_ _)"},
        {"select * from a.b.c as t(x, y)",
         "(QUERY _ (SELECT (LIST (STAR)) (TABLE t [a b c] _ _ (LIST x y)) _ _ _ _ _) _ _ _)"},
        {"select * from delta.`/a b/c` version as of 3 v",
         "(QUERY _ (SELECT (LIST (STAR)) (TABLE v [delta /a b/c] int:3 _ _) _ _ _ _ _) _ _ _)"},
        {"select * from t for timestamp as of '2020-01-01' x",
         "(QUERY _ (SELECT (LIST (STAR)) (TABLE x [t] _ string:2020-01-01 _) _ _ _ _ _) _ _ _)"},
        {"select * from t timestamp as of date_sub(current_date(), 1)",
         "(QUERY _ (SELECT (LIST (STAR)) (TABLE [t] _ (date_sub (current_date) int:1) _) _ _ _ _ _) "
         "_ _ _)"},
        {"select * from a, b c, d",
         "(QUERY _ (SELECT (LIST (STAR)) (JOIN CROSS (JOIN CROSS (TABLE [a] _ _ _) (TABLE c [b] _ _ "
         "_) _) (TABLE [d] _ _ _) _) _ _ _ _ _) _ _ _)"},
        {"select * from a join b on a.x = b.x left outer join c using (x, y)",
         "(QUERY _ (SELECT (LIST (STAR)) (JOIN LEFT [x y] (JOIN INNER (TABLE [a] _ _ _) (TABLE [b] "
         "_ _ _) (= a.x b.x)) (TABLE [c] _ _ _) _) _ _ _ _ _) _ _ _)"},
        {"select * from a cross join b",
         "(QUERY _ (SELECT (LIST (STAR)) (JOIN CROSS (TABLE [a] _ _ _) (TABLE [b] _ _ _) _) _ _ _ _ "
         "_) _ _ _)"},
        {"select * from a right join b full outer join c",
         "(QUERY _ (SELECT (LIST (STAR)) (JOIN FULL (JOIN RIGHT (TABLE [a] _ _ _) (TABLE [b] _ _ _) "
         "_) (TABLE [c] _ _ _) _) _ _ _ _ _) _ _ _)"},
        {"select * from a left semi join b on p left anti join c on q",
         "(QUERY _ (SELECT (LIST (STAR)) (JOIN ANTI (JOIN SEMI (TABLE [a] _ _ _) (TABLE [b] _ _ _) "
         "p) (TABLE [c] _ _ _) q) _ _ _ _ _) _ _ _)"},
        {"select * from a semi join b on p",
         "(QUERY _ (SELECT (LIST (STAR)) (JOIN SEMI (TABLE [a] _ _ _) (TABLE [b] _ _ _) p) _ _ _ _ "
         "_) _ _ _)"},
        {"select * from a natural left join b",
         "(QUERY _ (SELECT (LIST (STAR)) (JOIN LEFT NATURAL (TABLE [a] _ _ _) (TABLE [b] _ _ _) _) "
         "_ _ _ _ _) _ _ _)"},
        {"select * from (a join b) join c",
         "(QUERY _ (SELECT (LIST (STAR)) (JOIN INNER (JOIN INNER (TABLE [a] _ _ _) (TABLE [b] _ _ "
         "_) _) (TABLE [c] _ _ _) _) _ _ _ _ _) _ _ _)"},
        {"select * from ((select 1) x join b)",
         "(QUERY _ (SELECT (LIST (STAR)) (JOIN INNER (DERIVED x (QUERY _ (SELECT (LIST int:1) _ _ _ "
         "_ _ _) _ _ _)) (TABLE [b] _ _ _) _) _ _ _ _ _) _ _ _)"},
        {"select * from ((select 1 a) union all (select 2)) q",
         "(QUERY _ (SELECT (LIST (STAR)) (DERIVED q (QUERY _ (SETOP UNION (QUERY _ (SELECT (LIST "
         "(ALIAS a int:1)) _ _ _ _ _ _) _ _ _) (QUERY _ (SELECT (LIST int:2) _ _ _ _ _ _) _ _ _)) _ "
         "_ _)) _ _ _ _ _) _ _ _)"},
        {"select * from ((select 1)) q(a)",
         "(QUERY _ (SELECT (LIST (STAR)) (DERIVED q [a] (QUERY _ (SELECT (LIST int:1) _ _ _ _ _ _) "
         "_ _ _)) _ _ _ _ _) _ _ _)"},
        {"select * from (values (1, 2)) v(x, y)",
         "(QUERY _ (SELECT (LIST (STAR)) (DERIVED v [x y] (QUERY _ (VALUES (TUPLE int:1 int:2)) _ _ "
         "_)) _ _ _ _ _) _ _ _)"},
        {"select * from values (1, 'a'), (2, 'b') as t(x, y)",
         "(QUERY _ (SELECT (LIST (STAR)) (DERIVED t [x y] (QUERY _ (VALUES (TUPLE int:1 string:a) "
         "(TUPLE int:2 string:b)) _ _ _)) _ _ _ _ _) _ _ _)"},
        {"select * from range(3) r",
         "(QUERY _ (SELECT (LIST (STAR)) (TABLE_CALL r (range int:3)) _ _ _ _ _) _ _ _)"},
        {"select * from explode(array(1)) as t(x)",
         "(QUERY _ (SELECT (LIST (STAR)) (TABLE_CALL t [x] (explode (array int:1))) _ _ _ _ _) _ _ "
         "_)"},
        {"select * from t, lateral (select t.a) u",
         "(QUERY _ (SELECT (LIST (STAR)) (JOIN CROSS (TABLE [t] _ _ _) (LATERAL u (QUERY _ (SELECT "
         "(LIST t.a) _ _ _ _ _ _) _ _ _)) _) _ _ _ _ _) _ _ _)"},
        {"select * from t left join lateral explode(t.a) as u(x) on true",
         "(QUERY _ (SELECT (LIST (STAR)) (JOIN LEFT (TABLE [t] _ _ _) (LATERAL u [x] (explode t.a)) "
         "boolean:true) _ _ _ _ _) _ _ _)"},
        {"select * from t lateral view explode(a) x as y lateral view outer posexplode(b) z as p, q where y "
         "> 1",
         "(QUERY _ (SELECT (LIST (STAR)) (LATERAL_VIEW z OUTER [p q] (LATERAL_VIEW x [y] (TABLE [t] "
         "_ _ _) (explode a)) (posexplode b)) (> y int:1) _ _ _ _) _ _ _)"},
        {"select * from t lateral view explode(a) as y",
         "(QUERY _ (SELECT (LIST (STAR)) (LATERAL_VIEW [y] (TABLE [t] _ _ _) (explode a)) _ _ _ _ "
         "_) _ _ _)"},
        {"select * from t lateral view inline(a) y order by 1",
         "(QUERY _ (SELECT (LIST (STAR)) (LATERAL_VIEW y (TABLE [t] _ _ _) (inline a)) _ _ _ _ _) "
         "(LIST (ORDER int:1)) _ _)"},
        {"select a, sum(b) from t where c group by a having sum(b) > 1",
         "(QUERY _ (SELECT (LIST a (sum b)) (TABLE [t] _ _ _) c (GROUP a) (> (sum b) int:1) _ _) _ "
         "_ _)"},
        {"select a from t group by all",
         "(QUERY _ (SELECT (LIST a) (TABLE [t] _ _ _) _ (GROUP ALL all) _ _ _) _ _ _)"},
        {"select a from t group by a, rollup(b, (c, d)), cube(e)",
         "(QUERY _ (SELECT (LIST a) (TABLE [t] _ _ _) _ (GROUP a (GROUP ROLLUP b (TUPLE c d)) "
         "(GROUP CUBE e)) _ _ _) _ _ _)"},
        {"select a from t group by grouping sets ((a, b), a, ())",
         "(QUERY _ (SELECT (LIST a) (TABLE [t] _ _ _) _ (GROUP GROUPING SETS (TUPLE a b) a (TUPLE)) "
         "_ _ _) _ _ _)"},
        {"select a from t group by grouping sets (rollup(a), b)",
         "(QUERY _ (SELECT (LIST a) (TABLE [t] _ _ _) _ (GROUP GROUPING SETS (GROUP ROLLUP a) b) _ "
         "_ _) _ _ _)"},
        {"select a from t group by a, b with cube",
         "(QUERY _ (SELECT (LIST a) (TABLE [t] _ _ _) _ (GROUP CUBE a b) _ _ _) _ _ _)"},
        {"select a from t qualify row_number() over (order by a) = 1",
         "(QUERY _ (SELECT (LIST a) (TABLE [t] _ _ _) _ _ _ (= (OVER (row_number) (WINDOW (LIST) "
         "(LIST (ORDER a)) _)) int:1) _) _ _ _)"},
        {"select sum(a) over w, sum(b) over v from t window w as (partition by c), v as w",
         "(QUERY _ (SELECT (LIST (OVER w (sum a) _) (OVER v (sum b) _)) (TABLE [t] _ _ _) _ _ _ _ "
         "(LIST (NAMED_WINDOW w (WINDOW (LIST c) (LIST) _)) (NAMED_WINDOW v (WINDOW w (LIST) (LIST) "
         "_)))) _ _ _)"},
        {"select sum(a) over w from t order by 1 window w as (order by c) limit 1",
         "(QUERY _ (SELECT (LIST (OVER w (sum a) _)) (TABLE [t] _ _ _) _ _ _ _ (LIST (NAMED_WINDOW "
         "w (WINDOW (LIST) (LIST (ORDER c)) _)))) (LIST (ORDER int:1)) int:1 _)"},
        {"select 1 union all select 2 intersect select 3 except select 4",
         "(QUERY _ (SETOP EXCEPT DISTINCT (SETOP UNION (SELECT (LIST int:1) _ _ _ _ _ _) (SETOP "
         "INTERSECT DISTINCT (SELECT (LIST int:2) _ _ _ _ _ _) (SELECT (LIST int:3) _ _ _ _ _ _))) "
         "(SELECT (LIST int:4) _ _ _ _ _ _)) _ _ _)"},
        {"select 1 minus distinct select 2 order by 1",
         "(QUERY _ (SETOP EXCEPT DISTINCT (SELECT (LIST int:1) _ _ _ _ _ _) (SELECT (LIST int:2) _ "
         "_ _ _ _ _)) (LIST (ORDER int:1)) _ _)"},
        {"(select 1) union (select 2 limit 1) limit 3",
         "(QUERY _ (SETOP UNION DISTINCT (QUERY _ (SELECT (LIST int:1) _ _ _ _ _ _) _ _ _) (QUERY _ "
         "(SELECT (LIST int:2) _ _ _ _ _ _) _ int:1 _)) _ int:3 _)"},
        {"with x as (select 1), y(a, b) as (select 2, 3) select * from x, y",
         "(QUERY (LIST (CTE x (QUERY _ (SELECT (LIST int:1) _ _ _ _ _ _) _ _ _)) (CTE y [a b] "
         "(QUERY _ (SELECT (LIST int:2 int:3) _ _ _ _ _ _) _ _ _))) (SELECT (LIST (STAR)) (JOIN "
         "CROSS (TABLE [x] _ _ _) (TABLE [y] _ _ _) _) _ _ _ _ _) _ _ _)"},
        {"with x (select 1) select * from (with z as (select 2) select * from z)",
         "(QUERY (LIST (CTE x (QUERY _ (SELECT (LIST int:1) _ _ _ _ _ _) _ _ _))) (SELECT (LIST "
         "(STAR)) (DERIVED (QUERY (LIST (CTE z (QUERY _ (SELECT (LIST int:2) _ _ _ _ _ _) _ _ _))) "
         "(SELECT (LIST (STAR)) (TABLE [z] _ _ _) _ _ _ _ _) _ _ _)) _ _ _ _ _) _ _ _)"},
        {"values (1, 2), (3, 4) as t(a, b)",
         "(QUERY _ (VALUES [a b] (TUPLE int:1 int:2) (TUPLE int:3 int:4)) _ _ _)"},
        {"values 1, 2", "(QUERY _ (VALUES (TUPLE int:1) (TUPLE int:2)) _ _ _)"},
        {"values struct(1, 2 as x)", "(QUERY _ (VALUES (TUPLE int:1 int:2)) _ _ _)"},
        {"table a.b", "(QUERY _ (SELECT (LIST (STAR)) (TABLE [a b] _ _ _) _ _ _ _ _) _ _ _)"},
        {"select /*+ broadcast(t) */ all a from t",
         "(QUERY _ (SELECT (LIST a) (TABLE [t] _ _ _) _ _ _ _ _) _ _ _)"},
        {"select * except (select 1)",
         "(QUERY _ (SETOP EXCEPT DISTINCT (SELECT (LIST (STAR)) _ _ _ _ _ _) (QUERY _ (SELECT (LIST "
         "int:1) _ _ _ _ _ _) _ _ _)) _ _ _)"},
        {"select a except (select 1)",
         "(QUERY _ (SETOP EXCEPT DISTINCT (SELECT (LIST a) _ _ _ _ _ _) (QUERY _ (SELECT (LIST "
         "int:1) _ _ _ _ _ _) _ _ _)) _ _ _)"},
        {"select * except select 1",
         "(QUERY _ (SETOP EXCEPT DISTINCT (SELECT (LIST (STAR)) _ _ _ _ _ _) (SELECT (LIST int:1) _ "
         "_ _ _ _ _)) _ _ _)"},
        {"SELECT end, `select`, t.select, values, timestamp FROM values",
         "(QUERY _ (SELECT (LIST end select t.select values timestamp) (TABLE [values] _ _ _) _ _ _ "
         "_ _) _ _ _)"},
    };

    (void)state;
    check_trees(cases, COUNT(cases), weir_sql_parse);
}

static void
what_cannot_be_read_is_told_with_its_place(void **state)
{
    static const struct parse_case cases[] = {
        {"select 1 +", "SQL, line 1, column 11: expected an expression, found the end of the text"},
        {"select a, from t", "SQL, line 1, column 11: expected an expression, found from"},
        {"select a form t", "SQL, line 1, column 15: expected the end, found t\nhint: did you mean FROM?"},
        {"selct a", "SQL, line 1, column 1: expected SELECT, found selct\nhint: did you mean SELECT?"},
        {"select a from t wher a = 1",
         "SQL, line 1, column 22: expected the end, found a\nhint: did you mean WHERE?"},
        {"select a from t where a =",
         "SQL, line 1, column 26: expected an expression, found the end of the text"},
        {"select a from t group a", "SQL, line 1, column 17: expected the end, found group"},
        {"select (1, 2", "SQL, line 1, column 13: expected \")\", found the end of the text"},
        {"select 'abc", "SQL, line 1, column 8: the string does not end"},
        {"select `abc", "SQL, line 1, column 8: the name in back quotes does not end"},
        {"select 1 /* x", "SQL, line 1, column 10: the comment does not end"},
        {"select a # b", "SQL, line 1, column 10: this character has no meaning in SQL"},
        {"select case when a then 1",
         "SQL, line 1, column 26: expected WHEN, ELSE or END, found the end of the text"},
        {"select case 1 end", "SQL, line 1, column 15: expected WHEN, found end"},
        {"select a from t order by a nulls",
         "SQL, line 1, column 33: expected FIRST or LAST, found the end of the text"},
        {"select a from t join", "SQL, line 1, column 21: expected a table, found the end of the text"},
        {"select a b c", "SQL, line 1, column 12: expected the end, found c"},
        {"select a is null is null", "SQL, line 1, column 18: expected the end, found is"},
        {"select a between 1 or 2", "SQL, line 1, column 20: expected AND, found or"},
        {"select sum(a) over (rows 1)",
         "SQL, line 1, column 27: expected PRECEDING or FOLLOWING, found \")\""},
        {"select f(a,)", "SQL, line 1, column 12: expected an expression, found \")\""},
        {"select cast(a as foo)",
         "SQL, line 1, column 18: schema text, character 1: expected a type, found \"foo\""},
        {"select cast(a as int", "SQL, line 1, column 21: expected \")\", found the end of the text"},
        {"select 1Y + 300Y", "SQL, line 1, column 13: the number 300Y does not fit TINYINT"},
        {"select 1e400", "SQL, line 1, column 8: the number 1e400 does not fit DOUBLE"},
        {"select 123456789012345678901234567890123456789",
         "SQL, line 1, column 8: the number 123456789012345678901234567890123456789 does not fit "
         "DECIMAL(38)"},
        {"select date'2020-13-01'", "SQL, line 1, column 12: '2020-13-01' is no DATE"},
        {"select X'zz'", "SQL, line 1, column 9: 'zz' is no binary value in hexadecimal digits"},
        {"select interval 1 month 1 day",
         "SQL, line 1, column 8: an interval is of years and months, or of days and shorter units, "
         "not of both"},
        {"select interval '1:2' day to second",
         "SQL, line 1, column 8: the text of this interval does not fit its units: 'y-m', 'd "
         "h:m:s.f'"},
        {"select interval '25:61' hour to minute",
         "SQL, line 1, column 8: the text of this interval does not fit its units: 'y-m', 'd "
         "h:m:s.f'"},
        {"select interval 1.5 day",
         "SQL, line 1, column 8: this interval has no number in front of its unit, a fraction that "
         "is not of seconds, or is too large"},
        {"select interval 'x'",
         "SQL, line 1, column 8: an interval is written as numbers and units: '1 day 2 hours'"},
        {"select interval 1 year to day",
         "SQL, line 1, column 27: expected YEAR TO MONTH, or two of DAY, HOUR, MINUTE, SECOND, the "
         "longer one first, found day"},
        {"select '\\ud800'", "SQL, line 1, column 8: an escape in this string is no character"},
        {"select ``", "SQL, line 1, column 8: a name in back quotes is empty or holds a NUL"},
        {"select 1 from t version as of 1.5", "SQL, line 1, column 31: a version is a whole number"},
        {"select * from (select 1", "SQL, line 1, column 24: expected \")\", found the end of the text"},
        {"values (1, 2), (3)", "SQL, line 1, column 17: this row has 1 values, the first one 2"},
        {"insert into t select 1",
         "SQL, line 1, column 1: INSERT is not supported: it is a statement, not a query\nhint: "
         "write a SELECT; where its rows go stands in the pipeline"},
        {" /* c */ merge into t",
         "SQL, line 1, column 10: MERGE is not supported: it is a statement, not a query\nhint: "
         "write a SELECT; where its rows go stands in the pipeline"},
        {"from t select a",
         "SQL, line 1, column 1: a query that does not begin with SELECT is not supported\nhint: "
         "write SELECT … FROM …"},
        {"select a from t sort by a",
         "SQL, line 1, column 17: SORT BY is not supported\nhint: write ORDER BY, or leave it out"},
        {"select a from t distribute by a",
         "SQL, line 1, column 17: DISTRIBUTE BY is not supported\nhint: write ORDER BY, or leave it "
         "out"},
        {"select a from t cluster by a",
         "SQL, line 1, column 17: CLUSTER BY is not supported\nhint: write ORDER BY, or leave it out"},
        {"select * from t tablesample (10 rows)", "SQL, line 1, column 17: TABLESAMPLE is not supported"},
        {"select * from t pivot (sum(a) for b in (1))", "SQL, line 1, column 17: PIVOT is not supported"},
        {"with recursive x as (select 1) select 1", "SQL, line 1, column 6: WITH RECURSIVE is not supported"},
        {"select :x",
         "SQL, line 1, column 8: a parameter is not supported\nhint: write the value, or ${name} in "
         "the pipeline file"},
        {"select ?",
         "SQL, line 1, column 8: a parameter is not supported\nhint: write the value, or ${name} in "
         "the pipeline file"},
        {"select identifier('a')",
         "SQL, line 1, column 8: IDENTIFIER(…) is not supported\nhint: write the name itself"},
        {"select listagg(a) within group (order by a)",
         "SQL, line 1, column 19: WITHIN GROUP is not supported"},
        {"select a collate unicode",
         "SQL, line 1, column 10: a collation other than UTF8_BINARY is not supported"},
        {"select f(x).*",
         "SQL, line 1, column 13: \".*\" behind an expression is not supported\nhint: give the struct "
         "a name in a subquery"},
        {"select time'10:00'", "SQL, line 1, column 8: the type TIME is not supported"},
        {"select date'today'",
         "SQL, line 1, column 8: a constant that moves with the clock is not supported\nhint: write "
         "current_date() or current_timestamp()"},
        {"select cast(a as interval day)",
         "SQL, line 1, column 18: schema text, character 1: the type INTERVAL is not supported"},
        {"select a from t group by a grouping sets (a)",
         "SQL, line 1, column 28: a list of expressions in front of GROUPING SETS is not "
         "supported\nhint: write GROUP BY GROUPING SETS (…) with all of them inside"},
        {"select * from (a join b) c",
         "SQL, line 1, column 26: an alias for a join in brackets is not supported\nhint: write "
         "(SELECT * FROM …) AS name"},
        {"select * from t with (a 1)",
         "SQL, line 1, column 17: WITH (options) behind a table is not supported"},
        {"select 1 |> where true",
         "SQL, line 1, column 10: the pipe operator |> is not supported\nhint: write a subquery"},
        {"select 1; select 2", "SQL, line 1, column 11: expected the end, found select"},
    };
    struct weir_node *node;
    char text[1200];
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        weir_error_clear(&err);
        if (weir_sql_parse(cases[i].text, strlen(cases[i].text), mem, &node, &err) == WEIR_OK)
            fail_msg("%s: was taken as %s", cases[i].text, printed(node));
        weir_error_text(&err, text, sizeof(text));
        if (strcmp(text, cases[i].tree) != 0)
            fail_msg("%s: %s, not %s", cases[i].text, text, cases[i].tree);
    }
}

/* text repeated n times between before and behind. */
static weir_rc
parse_repeated(const char *before, const char *text, unsigned n, const char *behind, struct weir_node **out)
{
    struct weir_buf buf = WEIR_BUF(WEIR_MIB);
    weir_rc rc;

    weir_buf_str(&buf, before);
    for (; n > 0; n--)
        weir_buf_str(&buf, text);
    weir_buf_str(&buf, behind);
    assert_int_equal(weir_buf_check(&buf, &err), WEIR_OK);
    weir_error_clear(&err);
    rc = weir_sql_parse(buf.data, buf.len, mem, out, &err);
    weir_buf_fini(&buf);
    return rc;
}

static void
depth_has_a_limit_that_is_told(void **state)
{
    static const struct {
        const char *before, *text, *behind;
    } cases[] = {
        {"select ", "(", "1"},
        {"select ", "not ", "a"},
        {"select ", "- ", "a"},
        {"select ", "f(", "a"},
        {"select ", "a[", "1"},
        {"select ", "case when ", "a"},
        {"select 1", " + 1", ""},
        {"select a", ".b[0]", ""},
        {"select a", "::int", ""},
        {"", "(", "select 1"},
        {"", "select * from (", "t"},
        {"select * from ", "(", "t"},
        {"select ", "x -> ", "x"},
        {"select 1", " union select 1", ""},
        {"select * from t", " join t", ""},
        {"select a from t group by grouping sets (", "grouping sets (", "a"},
        {"select ", "cast(", "a"},
        {"select ", "exists (select ", "1"},
        {"select ", "a in (", "1"},
        {"select ", "interval '1' day + ", "d"},
    };
    struct weir_node *node;
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        if (parse_repeated(cases[i].before, cases[i].text, 5000, cases[i].behind, &node) != WEIR_USAGE)
            fail_msg("%s: %s", cases[i].text, weir_rc_name(err.rc));
        assert_non_null(strstr(err.what, "levels inside each other"));
    }
}

static void
long_chains_of_and_and_lists_are_not_deep(void **state)
{
    struct weir_node *node;

    (void)state;
    assert_int_equal(parse_repeated("select a", " and b or c", 20000, "", &node), WEIR_OK);
    assert_int_equal(parse_repeated("select a", ", b", 20000, " from t", &node), WEIR_OK);
    assert_int_equal(parse_repeated("select a in (1", ", 2", 20000, ")", &node), WEIR_OK);
    assert_int_equal(parse_repeated("select ((((((((((1", "))))))))))", 1, "", &node), WEIR_OK);
}

static void
a_position_counts_characters_not_bytes(void **state)
{
    const char *text = "SELECT '\xe9\x9c\x80'\n, \xc3\xa4 +";
    struct weir_node *node;
    uint32_t line, column;

    (void)state;
    assert_int_equal(weir_sql_parse(text, strlen(text), mem, &node, &err), WEIR_USAGE);
    assert_non_null(strstr(err.where, "line 2, column 6"));
    weir_sql_position(text, 14, &line, &column);
    assert_int_equal(line, 2);
    assert_int_equal(column, 2);
}

static void
a_text_that_is_no_utf8_or_too_long_is_refused(void **state)
{
    struct weir_node *node;
    char *text = calloc(1, WEIR_SPEC_MAX + 1);

    (void)state;
    assert_int_equal(weir_sql_parse("select '\xff'", 12, mem, &node, &err), WEIR_USAGE);
    assert_non_null(text);
    memset(text, ' ', WEIR_SPEC_MAX + 1);
    assert_int_equal(weir_sql_parse(text, WEIR_SPEC_MAX + 1, mem, &node, &err), WEIR_USAGE);
    assert_non_null(strstr(err.what, "too long"));
    free(text);
}

static void
a_string_keeps_its_nuls(void **state)
{
    struct weir_node *node;

    (void)state;
    assert_int_equal(weir_sql_parse_expr("'a\\0b'", 6, mem, &node, &err), WEIR_OK);
    assert_int_equal(node->text_len, 3);
    assert_memory_equal(node->text, "a\0b", 4);
}

static void
an_arena_that_is_full_is_an_error(void **state)
{
    const char *text =
        "select a + 1, f(x), 'a' 'b', interval '1 day', cast(a as array<int>) from t join u on a = b";
    uint64_t limit;
    weir_rc rc = WEIR_NOMEM;

    (void)state;
    for (limit = 0; rc != WEIR_OK; limit += 97) {
        struct weir_quota q;
        struct weir_node *node;
        struct weir_mem *small;

        weir_quota_init(&q, NULL, "test", limit);
        small = weir_mem_new(NULL, &q, "test");
        rc = small == NULL ? WEIR_NOMEM : weir_sql_parse(text, strlen(text), small, &node, &err);
        assert_true(rc == WEIR_OK || rc == WEIR_NOMEM);
        weir_mem_free(small);
        assert_true(limit < WEIR_MIB);
    }
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_expression_becomes_its_tree),
        cmocka_unit_test(a_query_becomes_its_tree),
        cmocka_unit_test(what_cannot_be_read_is_told_with_its_place),
        cmocka_unit_test(depth_has_a_limit_that_is_told),
        cmocka_unit_test(long_chains_of_and_and_lists_are_not_deep),
        cmocka_unit_test(a_position_counts_characters_not_bytes),
        cmocka_unit_test(a_text_that_is_no_utf8_or_too_long_is_refused),
        cmocka_unit_test(a_string_keeps_its_nuls),
        cmocka_unit_test(an_arena_that_is_full_is_an_error),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
