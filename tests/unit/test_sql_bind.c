/* From Spark SQL to a plan: schemas and errors are those that Spark gave for the same queries
 * (tests/golden/sql/schemas.json, made by make_schemas.py), the rest are tables of cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "sql/bind.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static struct weir_mem *mem;
static struct weir_error err;
static struct weir_sql_settings settings;

/* ---- relations ---- */

static const struct {
    const char *name, *private_name, *ddl, *hidden;
    bool is_stream;
} tables[] = {
    {"t", "r0",
     "b BOOLEAN, y TINYINT, h SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, dt DATE, ts TIMESTAMP, tn "
     "TIMESTAMP_NTZ, "
     "n DECIMAL(10,2), m DECIMAL(38,18), s STRING, x BINARY, a ARRAY<INT>, aa ARRAY<STRUCT<p: INT, q: "
     "STRING>>, "
     "mp MAP<STRING, INT>, st STRUCT<u: INT, v: STRUCT<w: STRING>>",
     NULL, false},
    {"u", "r1", "id INT, i INT, s STRING, k BIGINT", NULL, false},
    {"w", "r2", "id INT NOT NULL, name STRING NOT NULL", NULL, false},
    {"source", "r3", "order_id BIGINT, customer_id BIGINT, placed_at TIMESTAMP, items ARRAY<INT>",
     "_metadata STRUCT<file_path: STRING, file_name: STRING>", true},
    {"customers", "r4", "id BIGINT, segment STRING", NULL, false},
    {"events", "r5",
     "body BINARY, partitionId STRING, offset STRING, sequenceNumber BIGINT, enqueuedTime TIMESTAMP", NULL,
     true},
    {"messages", "r6",
     "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP", NULL, true},
    {"changes", "r7",
     "RideID INT, PickupTime TIMESTAMP, CabNumber STRING, _change_type STRING, _commit_version BIGINT, "
     "_commit_timestamp TIMESTAMP",
     NULL, true},
    {"cdf_offset", "r8", "pipeline_name STRING, last_processed_version BIGINT, last_processed_ts TIMESTAMP",
     NULL, false},
};

static weir_rc
find_table(void *self, const char *const *parts, uint32_t n, int64_t version, const char *timestamp,
           struct weir_sql_relation *out, struct weir_error *e)
{
    (void)self;
    for (size_t i = 0; i < COUNT(tables); i++) {
        if (n == 2 || !weir_slice_is_nocase(weir_slice(parts[n - 1], strlen(parts[n - 1])), tables[i].name))
            continue;
        *out = (struct weir_sql_relation){.name = tables[i].private_name, .is_stream = tables[i].is_stream};
        WEIR_TRY(weir_schema_parse_ddl(tables[i].ddl, strlen(tables[i].ddl), mem, &out->schema, e));
        if (tables[i].hidden == NULL)
            return WEIR_OK;
        return weir_schema_parse_ddl(tables[i].hidden, strlen(tables[i].hidden), mem, &out->hidden, e);
    }
    if (n == 2 && strcmp(parts[0], "delta") == 0) {
        *out = (struct weir_sql_relation){.name = version == 3        ? "r9v3"
                                                  : timestamp != NULL ? timestamp
                                                                      : "r9"};
        return weir_schema_parse_ddl("z INT", 5, mem, &out->schema, e);
    }
    return weir_fail(e, WEIR_NOTFOUND, "there is no table %s", parts[n - 1]);
}

/* Parses and binds; the error stands in err. */
static weir_rc
bind_with(const char *sql, bool ansi, bool positions, struct weir_sql_plan **plan)
{
    struct weir_sql_env env = {.set = &settings, .relation = find_table, .positions = positions};
    struct weir_node *tree;

    weir_error_clear(&err);
    settings = (struct weir_sql_settings){
        .zone = &weir_zone_utc, .zone_name = "UTC", .ansi = ansi, .corrupt_name = "_corrupt_record"};
    WEIR_TRY(weir_sql_parse(sql, strlen(sql), mem, &tree, &err));
    return weir_sql_bind(tree, sql, &env, mem, plan, &err);
}

static struct weir_sql_plan *
bound(const char *sql)
{
    struct weir_sql_plan *plan = NULL;
    char text[1200];

    if (bind_with(sql, true, true, &plan) != WEIR_OK)
        fail_msg("%s\n  %s", sql, weir_error_text(&err, text, sizeof(text)));
    return plan;
}

static const char *
ddl(const struct weir_type *schema)
{
    struct weir_buf buf = WEIR_BUF(WEIR_MIB);
    const char *text;

    weir_type_print_ddl(schema, &buf);
    text = weir_mem_strndup(mem, buf.len == 0 ? "" : buf.data, buf.len);
    weir_buf_fini(&buf);
    return text;
}

/* ---- Spark's answers ---- */

static json_t *
golden(const char *name)
{
    const char *folder = getenv("WEIR_GOLDEN");
    char path[512];
    json_t *doc;

    assert_non_null(folder);
    (void)snprintf(path, sizeof(path), "%s/sql/%s", folder, name);
    doc = json_load_file(path, 0, NULL);
    if (doc == NULL)
        fail_msg("cannot read %s", path);
    return doc;
}

/* What Spark said: a schema as DDL, or NULL for an error. Its columns may have one name twice. */
static const char *
spark_ddl(const json_t *entry)
{
    const json_t *list = json_object_get(json_object_get(entry, "schema"), "fields"), *item;
    struct weir_field fields[64] = {{0}};
    struct weir_error ignored = {0};
    size_t i;

    if (list == NULL)
        return NULL;
    json_array_foreach(list, i, item)
    {
        char *text = json_dumps(json_object_get(item, "type"), JSON_COMPACT | JSON_ENCODE_ANY);
        weir_rc rc = weir_type_parse_json(text, strlen(text), mem, &fields[i].type, &ignored);

        free(text);
        if (rc != WEIR_OK)
            return NULL; /* an interval: weir has no such column */
        fields[i].name = json_string_value(json_object_get(item, "name"));
        fields[i].name_len = (uint32_t)strlen(fields[i].name);
        fields[i].nullable = json_is_true(json_object_get(item, "nullable"));
    }
    return ddl(weir_type_struct(mem, fields, (uint32_t)i));
}

/* One query; NULL: as Spark, else how it differs. */
static const char *
difference(const json_t *entry)
{
    const char *sql = json_string_value(json_object_get(entry, "sql")), *theirs = spark_ddl(entry), *ours;
    struct weir_sql_plan *plan = NULL;
    char text[1200];
    weir_rc rc = bind_with(sql, json_is_true(json_object_get(entry, "ansi")), false, &plan);

    if (rc != WEIR_OK && theirs == NULL)
        return NULL;
    if (rc != WEIR_OK)
        return weir_mem_printf(mem, "refused: %s", weir_error_text(&err, text, sizeof(text)));
    ours = ddl(plan->schema);
    if (theirs == NULL)
        return weir_mem_printf(mem, "taken: %s", ours);
    return strcmp(ours, theirs) == 0 ? NULL
                                     : weir_mem_printf(mem, "\n    spark %s\n    weir  %s", theirs, ours);
}

static void
queries_have_the_schema_that_spark_gives(void **state)
{
    json_t *entries = golden("schemas.json"), *known = golden("differences.json");
    size_t i, bad = 0;
    json_t *entry;
    const char *name;

    (void)state;
    assert_true(json_array_size(entries) > 150);
    json_array_foreach(entries, i, entry)
    {
        const char *sql = json_string_value(json_object_get(entry, "sql")), *differs = difference(entry);
        bool expected = json_object_get(known, sql) != NULL;

        if (differs != NULL && !expected)
            print_message("# %s%s\n#   %s\n", json_is_true(json_object_get(entry, "ansi")) ? "" : "(not ANSI) ",
                          sql, differs);
        bad += differs != NULL && !expected;
        if (differs != NULL && expected)
            (void)json_object_set_new(known, sql, json_true()); /* seen */
        weir_mem_reset(mem);
    }
    json_object_foreach(known, name, entry)
    {
        if (!json_is_true(entry)) {
            print_message("# no difference any more: %s\n", name);
            bad++;
        }
    }
    json_decref(entries);
    json_decref(known);
    assert_int_equal(bad, 0);
}

/* ---- plans ---- */

static void
classes_and_positions_are_as_the_rows_come(void **state)
{
    static const struct {
        const char *sql;
        char class_;  /* A, B, C */
        int position; /* of p0; -1: lost */
    } cases[] = {
        {"SELECT order_id FROM source", 'A', 1},
        {"SELECT order_id + 1 AS x, placed_at FROM source WHERE order_id > 3", 'A', 2},
        {"SELECT order_id, item FROM source LATERAL VIEW explode(items) v AS item", 'A', 2},
        {"SELECT order_id, explode_outer(items) AS item FROM source", 'A', 2},
        {"SELECT x FROM (SELECT order_id AS x FROM source) WHERE x IS NOT NULL", 'A', 1},
        {"WITH s AS (SELECT * FROM source) SELECT order_id FROM s", 'A', 1},
        {"SELECT order_id FROM source UNION ALL SELECT customer_id FROM source", 'C', 1},
        {"SELECT s.*, segment FROM source s LEFT JOIN customers c ON s.customer_id = c.id", 'B', 5},
        {"SELECT segment FROM customers c RIGHT JOIN source s ON s.customer_id = c.id", 'B', 1},
        {"SELECT segment FROM customers c JOIN source s ON s.customer_id = c.id", 'B', 1},
        {"SELECT order_id FROM source s LEFT SEMI JOIN customers c ON s.customer_id = c.id", 'B', 1},
        {"SELECT order_id FROM source s LEFT ANTI JOIN customers c ON s.customer_id = c.id", 'B', 1},
        {"SELECT order_id FROM source WHERE customer_id IN (SELECT id FROM customers)", 'B', 1},
        {"SELECT order_id, (SELECT max(id) FROM customers) AS m FROM source", 'B', 2},
        {"SELECT o.order_id FROM source o JOIN (SELECT id, count(*) AS n FROM customers GROUP BY id) c ON "
         "o.order_id = c.id",
         'B', 1},
        {"SELECT segment FROM customers c LEFT JOIN source s ON s.customer_id = c.id", 'C', -1},
        {"SELECT segment FROM source s FULL JOIN customers c ON s.customer_id = c.id", 'C', -1},
        {"SELECT id FROM customers c LEFT SEMI JOIN source s ON s.customer_id = c.id", 'C', -1},
        {"SELECT a.order_id FROM source a JOIN source b ON a.order_id = b.order_id", 'C', -1},
        {"SELECT count(*) FROM source", 'C', -1},
        {"SELECT customer_id, count(*) FROM source GROUP BY customer_id", 'C', -1},
        {"SELECT DISTINCT customer_id FROM source", 'C', -1},
        {"SELECT order_id FROM source ORDER BY order_id", 'C', 1},
        {"SELECT order_id FROM source LIMIT 3", 'C', 1},
        {"SELECT order_id, row_number() OVER (ORDER BY order_id) AS n FROM source", 'C', 2},
        {"SELECT order_id FROM source WHERE order_id IN (SELECT max(order_id) FROM source)", 'C', 1},
        {"SELECT order_id FROM source UNION ALL SELECT id FROM customers", 'C', 1},
        {"SELECT order_id FROM source UNION SELECT order_id FROM source", 'C', -1},
        {"SELECT order_id FROM source EXCEPT SELECT id FROM customers", 'C', -1},
        {"SELECT id FROM customers", 'C', -1},
        {"SELECT 1 AS x", 'C', -1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct weir_sql_plan *plan = bound(cases[i].sql);

        if (cases[i].class_ != "ABC"[plan->class_] || cases[i].position != plan->position)
            fail_msg("%s: class %d, position %d", cases[i].sql, (int)plan->class_, plan->position);
    }
}

static void
plans_are_printed_over_private_names(void **state)
{
    static const struct {
        const char *sql, *text;
    } cases[] = {
        {"SELECT `order_id` AS `x\"; DROP` FROM source",
         "SELECT a7 AS c0, a5 AS p0, a6 AS p1 FROM (SELECT a0 AS a7, a5, a6 FROM (SELECT c0 AS a0, c1 AS a1, "
         "c2 AS a2, "
         "c3 AS a3, h0 AS a4, p0 AS a5, p1 AS a6 FROM \"r3\") AS t0) AS t1"},
        {"SELECT id FROM customers WHERE segment = 'it\\'s' ORDER BY id DESC LIMIT 2",
         "SELECT a2 AS c0 FROM (SELECT a0 AS a2 FROM (SELECT * FROM (SELECT c0 AS a0, c1 AS a1 FROM \"r4\") "
         "AS t0 WHERE "
         "(a1 = 'it''s')) AS t1) AS t2 ORDER BY a2 DESC NULLS LAST LIMIT 2"},
        {"SELECT 1 AS a, NULL AS b, X'00ff' AS c, 1.50 AS d, DATE'1970-01-03' AS e, TIMESTAMP'1970-01-01 "
         "00:00:01Z' AS f",
         "SELECT a0 AS c0, a1 AS c1, a2 AS c2, a3 AS c3, a4 AS c4, a5 AS c5 FROM (SELECT CAST(1 AS INTEGER) "
         "AS a0, "
         "CAST(NULL AS INTEGER) AS a1, CAST('\\x00\\xFF' AS BLOB) AS a2, CAST('1.50' AS DECIMAL(3, 2)) AS "
         "a3, "
         "(DATE '1970-01-01' + CAST(2 AS INTEGER)) AS a4, make_timestamptz(CAST(1000000 AS BIGINT)) AS a5) "
         "AS t0"},
        {"SELECT segment, count(*) AS n FROM customers GROUP BY segment HAVING n > 1L",
         "SELECT a4 AS c0, a5 AS c1 FROM (SELECT a2 AS a4, a3 AS a5 FROM (SELECT * FROM (SELECT a1 AS a2, "
         "CAST(count(CAST("
         "1 AS INTEGER)) AS BIGINT) AS a3 FROM (SELECT c0 AS a0, c1 AS a1 FROM \"r4\") AS t0 GROUP BY a1) AS "
         "t1 WHERE (a3 > CAST(1 AS "
         "BIGINT))) AS t2) AS t3"},
        /* what may fail is reached only by rows that the terms before it let through */
        {"SELECT id FROM customers WHERE id <> 0 AND 10 div id > 1L",
         "SELECT a2 AS c0 FROM (SELECT a0 AS a2 FROM (SELECT * FROM (SELECT c0 AS a0, c1 AS a1 FROM \"r4\") "
         "AS t0 WHERE "
         "((NOT (a0 = CAST(0 AS BIGINT)))) AND CASE WHEN ((NOT (a0 = CAST(0 AS BIGINT)))) THEN "
         "((weir_call_0(CAST(10 AS BIGINT), a0) > CAST(1 AS BIGINT))) ELSE FALSE END) AS t1) AS t2"},
        {"SELECT id = 0 OR 10 div id > 1L AS x FROM customers",
         "SELECT a2 AS c0 FROM (SELECT CASE WHEN ((a0 = CAST(0 AS BIGINT))) IS DISTINCT FROM TRUE THEN (((a0 "
         "= CAST(0 AS "
         "BIGINT))) OR ((weir_call_0(CAST(10 AS BIGINT), a0) > CAST(1 AS BIGINT)))) ELSE TRUE END AS a2 FROM "
         "(SELECT c0 "
         "AS a0, c1 AS a1 FROM \"r4\") AS t0) AS t1"},
        {"SELECT e FROM t LATERAL VIEW OUTER explode(a) v AS e WHERE e > 1", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct weir_sql_plan *plan = bound(cases[i].sql);

        if (cases[i].text != NULL && strcmp(plan->text, cases[i].text) != 0)
            fail_msg("%s\n  %s\n  %s", cases[i].sql, plan->text, cases[i].text);
    }
}

static void
queries_over_messages_and_changes_bind(void **state)
{
    static const struct {
        const char *sql, *ddl;
        char class_;
    } cases[] = {
        {"SELECT o.*, c.segment, CAST(o.placed_at AS DATE) AS order_date, _metadata.file_path AS "
         "ingested_from\n"
         "FROM source o LEFT JOIN customers c ON o.customer_id = c.id",
         "order_id BIGINT, customer_id BIGINT, placed_at TIMESTAMP, items ARRAY<INT>, segment STRING, "
         "order_date DATE, "
         "ingested_from STRING",
         'B'},
        {"SELECT order_id, items[0] AS first FROM source", "order_id BIGINT, first INT", 'A'},
        {"SELECT data.*, partitionId, offset, sequenceNumber, enqueuedTime FROM (SELECT from_json(CAST(body "
         "AS STRING), "
         "'id BIGINT, amount DOUBLE') AS data, partitionId, offset, sequenceNumber, enqueuedTime FROM "
         "events)",
         "id BIGINT, amount DOUBLE, partitionId STRING, offset STRING, sequenceNumber BIGINT, enqueuedTime "
         "TIMESTAMP",
         'A'},
        {"SELECT * EXCEPT (partitionId, offset, sequenceNumber, enqueuedTime) FROM (SELECT "
         "from_json(CAST(body AS STRING), "
         "'id BIGINT').id AS id, partitionId, offset, sequenceNumber, enqueuedTime FROM events) LEFT JOIN "
         "customers USING "
         "(id)",
         "id BIGINT, segment STRING", 'B'},
        {"SELECT e.partitionId, e.offset, sequenceNumber, e.enqueuedTime FROM (SELECT partitionId, "
         "max(sequenceNumber) AS "
         "sequenceNumber FROM events GROUP BY partitionId) m JOIN events e USING (partitionId, "
         "sequenceNumber)",
         "partitionId STRING, offset STRING, sequenceNumber BIGINT, enqueuedTime TIMESTAMP", 'C'},
        {"SELECT customer.*, to_timestamp(customer.LastUpdateDate, 'yyyy-MM-dd HH:mm:ss') AS eventTime, "
         "concat(customer.Name, '_', customer.Surname) AS rowkey FROM (SELECT from_json(CAST(value AS "
         "STRING), 'Name STRING, "
         "Surname STRING, Version INT, LastUpdateDate STRING') AS customer FROM messages)",
         "Name STRING, Surname STRING, Version INT, LastUpdateDate STRING, eventTime TIMESTAMP, rowkey "
         "STRING",
         'A'},
        {"SELECT * EXCEPT (_change_type, _commit_version, _commit_timestamp) FROM changes WHERE _change_type "
         "= 'insert'",
         "RideID INT, PickupTime TIMESTAMP, CabNumber STRING", 'A'},
        {"SELECT last_processed_version FROM main.pipeline.cdf_offset WHERE pipeline_name = "
         "'csv_autoloader_to_target'",
         "last_processed_version BIGINT", 'C'},
        {"SELECT RideID, PickupTime, CabNumber FROM taxi.db.changes",
         "RideID INT, PickupTime TIMESTAMP, CabNumber STRING", 'A'},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct weir_sql_plan *plan = bound(cases[i].sql);

        if (strcmp(ddl(plan->schema), cases[i].ddl) != 0 || "ABC"[plan->class_] != cases[i].class_)
            fail_msg("%s\n  %s, class %c", cases[i].sql, ddl(plan->schema), "ABC"[plan->class_]);
    }
}

static void
errors_name_the_place_and_a_way_out(void **state)
{
    static const struct {
        const char *sql;
        weir_rc rc;
        const char *text; /* must be in "WHERE: WHAT\nhint: HINT" */
    } cases[] = {
        {"SELECT order_idd FROM source", WEIR_SCHEMA, "line 1, column 8: there is no column order_idd"},
        {"SELECT order_idd FROM source", WEIR_SCHEMA, "did you mean order_id?"},
        {"SELECT x.order_id FROM source s", WEIR_SCHEMA, "there is no column x.order_id"},
        {"SELECT st.vv FROM t", WEIR_SCHEMA, "there is no field vv in the struct"},
        {"SELECT i.x FROM t", WEIR_SCHEMA, "it has no field x"},
        {"SELECT id FROM u JOIN w ON u.id = w.id", WEIR_SCHEMA,
         "column id is ambiguous: it may be u.id or w.id"},
        {"SELECT uper(s) FROM t", WEIR_UNSUPPORTED, "there is no function uper"},
        {"SELECT uper(s) FROM t", WEIR_UNSUPPORTED, "did you mean upper?"},
        {"SELECT read_csv('/etc/passwd')", WEIR_UNSUPPORTED, "there is no function read_csv"},
        {"SELECT upper(s, s) FROM t", WEIR_SCHEMA, "upper takes 1 argument, not 2"},
        {"SELECT upper(a) FROM t", WEIR_SCHEMA, "upper wants"},
        {"SELECT\n  s,\n  a + 1 FROM t", WEIR_SCHEMA,
         "line 3, column 3: + does not go with array<int> and int"},
        {"SELECT * FROM nosuch", WEIR_NOTFOUND, "there is no table nosuch"},
        {"SELECT i, count(*) FROM t", WEIR_SCHEMA, "column i is neither in GROUP BY nor inside an aggregate"},
        {"SELECT i FROM t WHERE max(i) > 1", WEIR_SCHEMA, "the aggregate max cannot stand in WHERE"},
        {"SELECT sum(max(i)) FROM t", WEIR_SCHEMA, "cannot stand in the argument of another"},
        {"SELECT i FROM t WHERE i", WEIR_SCHEMA, "WHERE wants a boolean"},
        {"SELECT i FROM t ORDER BY 2", WEIR_SCHEMA, "ORDER BY 2: the list has 1 items"},
        {"SELECT CAST(dt AS INT) FROM t", WEIR_SCHEMA, "spark.sql.ansi.enabled: false allows it"},
        {"SELECT dt - dt FROM t", WEIR_UNSUPPORTED, "is an interval"},
        {"SELECT i FROM t UNION ALL SELECT i, s FROM t", WEIR_SCHEMA,
         "the left side has 1 columns, the right side 2"},
        {"SELECT explode(a), explode(a) FROM t", WEIR_SCHEMA, "takes one generator"},
        {"SELECT explode(a) + 1 FROM t", WEIR_SCHEMA, "explode makes rows: it stands alone in the list"},
        {"SELECT i FROM t WHERE explode(a) > 1", WEIR_SCHEMA, "explode makes rows"},
        {"SELECT row_number() FROM t", WEIR_SCHEMA, "row_number needs an OVER clause"},
        {"SELECT upper(s) OVER (ORDER BY i) FROM t", WEIR_SCHEMA,
         "neither an aggregate nor a window function"},
        {"SELECT sum(i) OVER nosuch FROM t", WEIR_SCHEMA, "there is no WINDOW nosuch"},
        {"SELECT * EXCEPT (nosuch) FROM t", WEIR_SCHEMA, "the star has no column nosuch"},
        {"SELECT mp FROM t ORDER BY mp", WEIR_SCHEMA, "cannot compare a map"},
        {"SELECT s FROM u LIMIT -1", WEIR_USAGE, "LIMIT -1 is negative"},
        {"SELECT (SELECT id, name FROM w) FROM u", WEIR_SCHEMA, "has one column, not 2"},
        {"SELECT x FROM (SELECT uuid() AS x, x || 'a' AS y FROM u)", WEIR_UNSUPPORTED, "differs at each use"},
        {"SELECT DISTINCT s FROM t ORDER BY i", WEIR_SCHEMA, "ORDER BY wants what the list shows, not i"},
        {"SELECT s FROM t ORDER BY i DESC, nosuch", WEIR_SCHEMA, "there is no column nosuch"},
        {"WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a", WEIR_NOTFOUND,
         "there is no table b"},
    };
    char text[1200];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_sql_plan *plan;
        weir_rc rc = bind_with(cases[i].sql, true, true, &plan);

        weir_error_text(&err, text, sizeof(text));
        if (rc != cases[i].rc || strstr(text, cases[i].text) == NULL)
            fail_msg("%s\n  %s %s", cases[i].sql, weir_rc_name(rc), rc == WEIR_OK ? plan->text : text);
    }
}

/* A WITH query used twice at each step doubles: the binder says so instead of eating all memory. */
static void
a_query_that_doubles_at_each_step_is_refused(void **state)
{
    struct weir_buf sql = WEIR_BUF(WEIR_MIB);
    struct weir_sql_plan *plan;

    (void)state;
    weir_buf_str(&sql, "WITH a0 AS (SELECT id FROM u)");
    for (int i = 1; i < 40; i++)
        weir_buf_printf(&sql, ", a%d AS (SELECT x.id FROM a%d x JOIN a%d y ON x.id = y.id)", i, i - 1, i - 1);
    weir_buf_str(&sql, " SELECT * FROM a39");
    assert_int_equal(bind_with(sql.data, true, true, &plan), WEIR_USAGE);
    assert_non_null(strstr(err.what, "too many queries"));
    weir_buf_reset(&sql);
    weir_buf_str(&sql, "SELECT i AS c0");
    for (int i = 1; i < 60; i++)
        weir_buf_printf(&sql, ", c%d + c%d AS c%d", i - 1, i - 1, i);
    weir_buf_str(&sql, " FROM u");
    assert_int_equal(bind_with(sql.data, true, true, &plan), WEIR_USAGE);
    assert_non_null(strstr(err.what, "expressions"));
    weir_buf_fini(&sql);
}

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

static void
print_plan(const struct weir_sql_plan *plan)
{
    int position = plan->position;
    uint32_t kernels = plan->ncalls;

    printf("%s\n%s\n", ddl(plan->schema), plan->text);
    printf("class %c, position %d, %u kernels\n", "ABC"[plan->class_], position, kernels);
}

/* Prints the plans of queries, one a line, for a look at them: test_sql_bind QUERY … */
static int
show(int n, char **queries)
{
    char text[1200];

    (void)set_up(NULL);
    for (int i = 0; i < n; i++) {
        struct weir_sql_plan *plan;

        if (bind_with(queries[i], getenv("WEIR_NO_ANSI") == NULL, true, &plan) != WEIR_OK)
            printf("%s\n", weir_error_text(&err, text, sizeof(text)));
        else
            print_plan(plan);
    }
    return tear_down(NULL);
}

static void
what_is_absent_is_named_with_its_reason(void **state)
{
    const struct weir_function_absent *f, *before = NULL;
    char query[160];

    (void)state;
    for (uint32_t i = 0; (f = weir_function_absent_at(i)) != NULL; before = f, i++) {
        struct weir_sql_plan *plan;

        assert_null(weir_function_find(f->name));
        assert_true(before == NULL || strcmp(before->name, f->name) < 0);
        snprintf(query, sizeof(query), "SELECT `%s`(1)", f->name);
        memset(&err, 0, sizeof(err));
        assert_int_equal(bind_with(query, true, true, &plan), WEIR_UNSUPPORTED);
        assert_non_null(strstr(err.what, f->why));
    }
    assert_non_null(before);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(queries_have_the_schema_that_spark_gives, set_up, tear_down),
        cmocka_unit_test_setup_teardown(classes_and_positions_are_as_the_rows_come, set_up, tear_down),
        cmocka_unit_test_setup_teardown(plans_are_printed_over_private_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(queries_over_messages_and_changes_bind, set_up, tear_down),
        cmocka_unit_test_setup_teardown(errors_name_the_place_and_a_way_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_absent_is_named_with_its_reason, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_query_that_doubles_at_each_step_is_refused, set_up, tear_down),
    };

    if (argc > 1)
        return show(argc - 1, argv + 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
