/* The engine with plans written by hand: what goes in through a feed comes out of the drain, whatever the
 * plan's shape; whose error is returned; what a query may not do. A row's values are a function of its
 * number, so the drain knows what it must see. The feed overwrites its texts at the next call: a plan that
 * kept a pointer shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/time.h"
#include "sql/engine.h"

enum { ROWS = 9000, TEXT_ROOM = 1 << 22 };

/* --- values
 * ------------------------------------------------------------------------------------------------------ */

static uint64_t
mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

struct text { /* where a page's texts are */
    char *at;
    size_t used;
};

static uint32_t
text_len(uint64_t seed)
{
    static const uint32_t lens[] = {0, 1, 5, 11, 12, 13, 16, 24, 100};

    return lens[mix(seed ^ 77) % (sizeof(lens) / sizeof(*lens))];
}

static void
text_make(char *to, uint32_t len, uint64_t seed)
{
    for (uint32_t i = 0; i < len; i++)
        to[i] = (char)('a' + mix(seed + i) % 26);
}

static weir_i128
decimal_of(const struct weir_type *type, uint64_t seed)
{
    weir_i128 max = 1, v = ((weir_i128)mix(seed) << 60) ^ (weir_i128)mix(seed + 1);

    for (unsigned i = 0; i < type->precision; i++)
        max *= 10;
    return v % max;
}

/* The scalar slots that are copied as they are. */
static void
plain_make(void *to, const struct weir_type *type, uint64_t seed)
{
    uint64_t v = mix(seed);

    if (type->kind == WEIR_BOOLEAN)
        v &= 1;
    if (type->kind == WEIR_DATE)
        v = (uint32_t)(int32_t)(v % 2000000) - 1000000;
    if (type->kind == WEIR_TIMESTAMP || type->kind == WEIR_TIMESTAMP_NTZ)
        v %= UINT64_C(4000000000000000);
    if (type->kind == WEIR_FLOAT || type->kind == WEIR_DOUBLE)
        v &= UINT64_C(0x3fffffff3fffffff); /* no NaN, whose bits may change */
    memcpy(to, &v, weir_type_width(type));
}

static bool
is_null(const struct weir_field *field, uint64_t seed)
{
    return field->type->kind == WEIR_VOID || (field->nullable && mix(seed ^ 5) % 5 == 0);
}

static void
fill(struct weir_col *col, uint32_t row, const struct weir_field *field, uint64_t seed, struct text *text)
{
    const struct weir_type *type = field->type;
    struct weir_error err = {0};

    if (is_null(field, seed)) {
        weir_col_set_null(col, row);
        return;
    }
    if (type->kind == WEIR_STRING || type->kind == WEIR_BINARY) {
        uint32_t len = text_len(seed);

        assert_true(text->used + len + WEIR_STR_PAD < TEXT_ROOM);
        text_make(text->at + text->used, len, seed);
        ((struct weir_str *)col->data)[row] = weir_str_of(text->at + text->used, len);
        text->used += len + WEIR_STR_PAD;
    } else if (type->kind == WEIR_DECIMAL) {
        weir_decimal_set(col, row, decimal_of(type, seed));
    } else if (type->kind == WEIR_ARRAY || type->kind == WEIR_MAP) {
        struct weir_col *kid = &col->kids[0];
        uint32_t n = (uint32_t)(mix(seed ^ 9) % 4), at = kid->len;

        assert_int_equal(weir_col_room(kid, at + n, &err), WEIR_OK);
        kid->len = at + n;
        ((struct weir_list *)col->data)[row] = (struct weir_list){.at = at, .n = n};
        for (uint32_t i = 0; i < n; i++)
            fill(kid, at + i, &type->fields[0], mix(seed + i), text);
    } else if (type->kind == WEIR_STRUCT || type->kind == WEIR_VARIANT) {
        for (uint32_t i = 0; i < type->nfields; i++)
            fill(&col->kids[i], row, &type->fields[i], mix(seed + 100 + i), text);
    } else {
        plain_make((char *)col->data + row * weir_type_width(type), type, seed);
    }
}

static bool
same(const struct weir_col *col, uint32_t row, const struct weir_field *field, uint64_t seed)
{
    const struct weir_type *type = field->type;
    uint32_t at = col->form == WEIR_CONST ? 0 : row;

    if (is_null(field, seed) != weir_col_is_null(col, row))
        return false;
    if (is_null(field, seed))
        return true;
    if (type->kind == WEIR_STRING || type->kind == WEIR_BINARY) {
        const struct weir_str *s = (const struct weir_str *)col->data + at;
        char want[128];

        text_make(want, text_len(seed), seed);
        return s->len == text_len(seed) && memcmp(weir_str_ptr(s), want, s->len) == 0;
    }
    if (type->kind == WEIR_DECIMAL)
        return weir_decimal_get(col, at) == decimal_of(type, seed);
    if (type->kind == WEIR_ARRAY || type->kind == WEIR_MAP) {
        struct weir_list list = ((const struct weir_list *)col->data)[at];

        if (list.n != mix(seed ^ 9) % 4)
            return false;
        for (uint32_t i = 0; i < list.n; i++)
            if (!same(&col->kids[0], (uint32_t)list.at + i, &type->fields[0], mix(seed + i)))
                return false;
        return true;
    }
    if (type->kind == WEIR_STRUCT || type->kind == WEIR_VARIANT) {
        for (uint32_t i = 0; i < type->nfields; i++)
            if (!same(&col->kids[i], row, &type->fields[i], mix(seed + 100 + i)))
                return false;
        return true;
    }
    unsigned char want[16] = {0};

    plain_make(want, type, seed);
    return memcmp(want, (const char *)col->data + at * weir_type_width(type), weir_type_width(type)) == 0;
}

static uint64_t
cell_seed(int64_t id, uint32_t column)
{
    return mix((uint64_t)id * 1000 + column);
}

/* --- the feed
 * ---------------------------------------------------------------------------------------------------- */

struct kit {
    struct weir_mem *mem;
    struct weir_quota quota;
    const struct weir_type *schema;
    struct weir_engine *engine;
    struct weir_stop *stop;
    struct weir_feed feed;
    struct weir_drain drain;
    struct weir_sql_settings set;
    int64_t rows;   /* that the feed has; -1: without end */
    bool odd_pages; /* of 1, 7 and many rows */
    _Atomic int64_t next;
    _Atomic int feed_lanes;
    /* where something is to fail */
    int64_t feed_fails_at, drain_fails_at;
    bool open_fails, finish_fails;
    /* what the drain saw */
    pthread_mutex_t lock;
    uint8_t *seen;
    int64_t nseen, wrong, last;
    int finished, closed;
    bool ordered;
    const struct weir_type *out; /* schema of the result, when it is not the feed's */
    void (*look)(struct kit *k, const struct weir_page *page);
};

struct feed_lane {
    struct kit *k;
    struct text text;
};

static weir_rc
feed_open(void *self, unsigned lane, void **out, struct weir_error *err)
{
    struct feed_lane *l = calloc(1, sizeof(*l));

    (void)lane;
    (void)err;
    l->k = self;
    l->text.at = malloc(TEXT_ROOM);
    atomic_fetch_add(&l->k->feed_lanes, 1);
    *out = l;
    return WEIR_OK;
}

static void
feed_close(void *lane)
{
    struct feed_lane *l = lane;

    atomic_fetch_sub(&l->k->feed_lanes, 1);
    free(l->text.at);
    free(l);
}

static weir_rc
feed_next(void *lane, struct weir_page *page, struct weir_error *err)
{
    struct feed_lane *l = lane;
    struct kit *k = l->k;
    int64_t n = !k->odd_pages ? page->cap
                              : (int64_t)(mix((uint64_t)atomic_load(&k->next)) % 3 == 0   ? 1
                                          : mix((uint64_t)atomic_load(&k->next)) % 3 == 1 ? 7
                                                                                          : page->cap);
    int64_t from = atomic_fetch_add(&k->next, n);

    memset(l->text.at, 0xdb, l->text.used);
    l->text.used = 0;
    weir_page_reset(page);
    if (weir_stop_check(k->stop, err) != WEIR_OK)
        return err->rc;
    if (k->feed_fails_at > 0 && from + n > k->feed_fails_at)
        return weir_fail(err, WEIR_CORRUPT, "the feed is broken");
    if (k->rows >= 0 && from >= k->rows)
        return WEIR_END;
    if (k->rows >= 0 && from + n > k->rows)
        n = k->rows - from;
    page->object = (uint32_t)(from / 1000);
    for (int64_t r = 0; r < n; r++) {
        page->pos[r] = from + r + 5000000;
        ((int64_t *)page->cols[0].data)[r] = from + r;
        for (uint32_t c = 1; c < page->ncols; c++)
            fill(&page->cols[c], (uint32_t)r, &k->schema->fields[c], cell_seed(from + r, c), &l->text);
    }
    page->rows = (uint32_t)n;
    return WEIR_OK;
}

/* --- the drain
 * --------------------------------------------------------------------------------------------------- */

static weir_rc
drain_open(void *self, unsigned lane, void **out, struct weir_error *err)
{
    struct kit *k = self;

    (void)lane;
    if (k->open_fails)
        return weir_fail(err, WEIR_DENIED, "the drain cannot be opened");
    *out = self;
    return WEIR_OK;
}

static weir_rc
drain_write(void *lane, const struct weir_page *page, struct weir_error *err)
{
    struct kit *k = lane;
    weir_rc rc = WEIR_OK;

    pthread_mutex_lock(&k->lock);
    for (uint32_t r = 0; r < page->rows; r++) {
        int64_t id = ((const int64_t *)page->cols[0].data)[r];

        if (id < 0 || (k->rows >= 0 && id >= k->rows)) {
            k->wrong++;
            continue;
        }
        if (k->rows >= 0)
            k->seen[id]++;
        k->nseen++;
        k->ordered = k->ordered && id < k->last;
        k->last = id;
        if (k->drain_fails_at > 0 && k->nseen > k->drain_fails_at)
            rc = weir_fail(err, WEIR_IO, "the disk is full");
        for (uint32_t c = 1; c < page->ncols && k->look == NULL; c++)
            k->wrong += !same(&page->cols[c], r, &k->schema->fields[c], cell_seed(id, c));
    }
    if (k->look != NULL)
        k->look(k, page);
    pthread_mutex_unlock(&k->lock);
    return rc;
}

static weir_rc
drain_finish(void *lane, struct weir_error *err)
{
    struct kit *k = lane;

    pthread_mutex_lock(&k->lock);
    k->finished++;
    pthread_mutex_unlock(&k->lock);
    return k->finish_fails ? weir_fail(err, WEIR_CONFLICT, "the drain cannot be finished") : WEIR_OK;
}

static void
drain_close(void *lane)
{
    struct kit *k = lane;

    pthread_mutex_lock(&k->lock);
    k->closed++;
    pthread_mutex_unlock(&k->lock);
}

/* --- the kit
 * ----------------------------------------------------------------------------------------------------- */

static const char all_types[] =
    "id BIGINT NOT NULL, b BOOLEAN, i1 TINYINT, i2 SMALLINT, i4 INT, i8 BIGINT, f4 FLOAT, f8 DOUBLE, d DATE, "
    "ts TIMESTAMP, "
    "tn TIMESTAMP_NTZ, d4 DECIMAL(4,2), d9 DECIMAL(9,0), d18 DECIMAL(18,6), d38 DECIMAL(38,10), s STRING, "
    "bin BINARY, "
    "ls ARRAY<STRING>, ll ARRAY<ARRAY<BIGINT>>, st STRUCT<a: INT, b: STRING, c: ARRAY<STRUCT<x: STRING, y: "
    "DECIMAL(30,3)>>>, "
    "m MAP<STRING, STRUCT<q: DOUBLE, l: ARRAY<STRING>>>, v VOID, var VARIANT, sn STRING NOT NULL";

static const struct weir_type *
ddl(struct kit *k, const char *text)
{
    const struct weir_type *type;
    struct weir_error err = {0};

    if (weir_schema_parse_ddl(text, strlen(text), k->mem, &type, &err) != WEIR_OK)
        fail_msg("%s: %s", text, err.what);
    return type;
}

static int
setup(void **state)
{
    struct kit *k = calloc(1, sizeof(*k));

    weir_quota_init(&k->quota, NULL, "test", UINT64_MAX);
    k->mem = weir_mem_new(NULL, &k->quota, "test");
    k->schema = ddl(k, all_types);
    pthread_mutex_init(&k->lock, NULL);
    k->set.zone_name = "UTC";
    *state = k;
    return 0;
}

static void
open_engine(struct kit *k, uint64_t memory, unsigned lanes, const char *temp)
{
    struct weir_engine_env env = {
        .memory_bytes = memory, .lanes = lanes, .temp_directory = temp, .quota = &k->quota, .stop = k->stop};
    struct weir_error err = {0};

    weir_engine_close(k->engine);
    assert_int_equal(weir_engine_open(&env, &k->engine, &err), WEIR_OK);
}

static int
teardown(void **state)
{
    struct kit *k = *state;

    weir_engine_close(k->engine);
    weir_mem_free(k->mem);
    assert_int_equal(atomic_load(&k->quota.used), 0);
    free(k->seen);
    free(k);
    return 0;
}

static weir_rc
run_plan(struct kit *k, const struct weir_sql_plan *plan, const char *select, const char *const *folders,
         unsigned lanes, struct weir_error *err)
{
    const struct weir_engine_input inputs[] = {{.name = "r0", .feed = &k->feed},
                                               {.name = "r1", .select = select, .folders = folders}};
    _Atomic uint64_t rows = 0;
    const struct weir_engine_query q = {.plan = plan,
                                        .set = &k->set,
                                        .inputs = inputs,
                                        .ninputs = select == NULL ? 1 : 2,
                                        .drain = &k->drain,
                                        .lanes = lanes,
                                        .rows = &rows};
    weir_rc rc;

    k->feed = (struct weir_feed){
        .schema = k->schema, .self = k, .lane_open = feed_open, .next = feed_next, .lane_close = feed_close};
    k->drain = (struct weir_drain){.self = k,
                                   .lane_open = drain_open,
                                   .write = drain_write,
                                   .lane_finish = drain_finish,
                                   .lane_close = drain_close};
    k->next = 0;
    k->nseen = k->wrong = k->finished = k->closed = 0;
    k->last = INT64_MAX;
    k->ordered = true;
    free(k->seen);
    k->seen = calloc(k->rows < 0 ? 1 : (size_t)k->rows + 1, 1);
    weir_error_clear(err);
    rc = weir_engine_run(k->engine, &q, err);
    assert_int_equal(k->feed_lanes, 0);
    if (rc == WEIR_OK)
        assert_int_equal(atomic_load(&rows), k->nseen);
    return rc;
}

static weir_rc
run(struct kit *k, const char *text, unsigned lanes, struct weir_error *err)
{
    const struct weir_sql_relation relation = {.name = "r0", .schema = k->schema, .is_stream = true};
    const struct weir_sql_plan plan = {.text = text,
                                       .schema = k->out != NULL ? k->out : k->schema,
                                       .relations = &relation,
                                       .nrelations = 1,
                                       .position = -1};

    return run_plan(k, &plan, NULL, NULL, lanes, err);
}

static void
expect_ok(weir_rc rc, const struct weir_error *err, const char *text)
{
    if (rc != WEIR_OK)
        fail_msg("%s: %s %s (%s)", text, weir_rc_name(rc), err->what, err->where);
}

static void
expect_rc(weir_rc rc, weir_rc want, const struct weir_error *err)
{
    if (rc != want)
        fail_msg("%s, not %s: %s", weir_rc_name(rc), weir_rc_name(want), err->what);
}

#define COLS                                                                                                 \
    "c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, c20, c21, "   \
    "c22, c23"

/* --- cases
 * ------------------------------------------------------------------------------------------------------- */

static const struct shape {
    const char *text;
    int every, rest; /* rows id % every == rest are expected, once each; every 0: all */
} shapes[] = {
    {"SELECT " COLS " FROM r0", 0, 0},
    {"SELECT " COLS " FROM r0 WHERE c0 % 3 = 1", 3, 1},
    {"SELECT " COLS " FROM r0 WHERE c0 % 97 = 1", 97, 1},
    {"SELECT " COLS " FROM r0 ORDER BY c23, c0", 0, 0},
    {"SELECT " COLS " FROM r0 ORDER BY c0 DESC LIMIT 9000", 0, 0},
    {"SELECT DISTINCT ON (c0) " COLS " FROM r0", 0, 0},
    {"SELECT q.* FROM (SELECT c0 AS j FROM (SELECT unnest(range(0, 20000, 2)) AS c0)) t JOIN r0 q ON q.c0 = "
     "t.j",
     2, 0},
    {"SELECT q.* FROM r0 q LEFT JOIN (SELECT unnest(range(0, 20000, 2)) AS j) t ON q.c0 = t.j", 0, 0},
    {"SELECT q.* FROM r0 q SEMI JOIN (SELECT unnest(range(0, 20000, 2)) AS j) t ON q.c0 = t.j", 2, 0},
    {"SELECT " COLS " FROM (SELECT *, row_number() OVER (PARTITION BY c0 % 10 ORDER BY c0) AS n FROM r0)", 0,
     0},
    {"SELECT " COLS " FROM (SELECT *, row_number() OVER () AS n FROM r0)", 0, 0},
    {"SELECT " COLS " FROM (SELECT *, lag(c15) OVER (ORDER BY c0) AS n FROM r0)", 0, 0},
    {"SELECT " COLS " FROM (SELECT *, unnest([1, 2, 3]) AS n FROM r0) WHERE n = 2", 0, 0},
    {"SELECT " COLS " FROM r0, LATERAL (SELECT unnest(c17) AS x) WHERE false", 9001, 9000},
    {"SELECT " COLS " FROM r0 WHERE c0 < 100 UNION ALL SELECT " COLS " FROM r0 WHERE c0 >= 100", 0, 0},
    {"SELECT a.* FROM r0 a JOIN (SELECT c0 FROM r0 WHERE c0 % 5 = 2) b ON a.c0 = b.c0", 5, 2},
    {"WITH x AS MATERIALIZED (SELECT " COLS " FROM r0 WHERE c0 % 4 = 3) SELECT " COLS " FROM x", 4, 3},
    {"SELECT c0, CASE WHEN c0 % 2 = 0 THEN c1 ELSE c1 END AS c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, "
     "c12, c13, c14, "
     "CASE WHEN c0 % 2 = 0 THEN c15 ELSE c15 || '' END AS c15, c16, list_transform(c17, lambda x: x) AS c17, "
     "list_transform(c18, lambda x: list_transform(x, lambda y: y)) AS c18, "
     "CASE WHEN c19 IS NULL THEN NULL ELSE {'a': c19.a, 'b': c19.b, 'c': c19.c} END AS c19, c20, c21, c22, "
     "coalesce(c23, '?') AS c23 FROM r0",
     0, 0},
    {"SELECT k AS c0, v.c1, v.c2, v.c3, v.c4, v.c5, v.c6, v.c7, v.c8, v.c9, v.c10, v.c11, v.c12, v.c13, "
     "v.c14, v.c15, v.c16, v.c17, "
     "v.c18, v.c19, v.c20, v.c21, v.c22, v.c23 FROM (SELECT c0 AS k, first(r) AS v FROM r0 AS r GROUP BY c0)",
     0, 0},
    {"SELECT unnest(l, recursive := false) AS s, s.* EXCLUDE (nothing) FROM (SELECT 1 AS nothing, [] AS l) "
     "WHERE false",
     -1, 0},
};

static void
expect_rows(const struct kit *k, const struct shape *s, unsigned lanes)
{
    if (k->wrong != 0)
        fail_msg("%s with %u lanes: %lld values are wrong", s->text, lanes, (long long)k->wrong);
    for (int64_t id = 0; id < k->rows; id++) {
        int want = s->every == 0 || id % s->every == s->rest;

        if (k->seen[id] != want)
            fail_msg("%s with %u lanes: row %lld was seen %d times", s->text, lanes, (long long)id,
                     k->seen[id]);
    }
}

static void
values_of_all_types_come_through_plans_of_all_shapes(void **state)
{
    struct kit *k = *state;
    struct weir_error err = {0};

    k->rows = ROWS;
    open_engine(k, 256 * WEIR_MIB, 3, NULL);
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
        if (shapes[i].every < 0)
            continue;
        for (unsigned lanes = 1; lanes <= 3; lanes += 2) {
            k->odd_pages = lanes == 3;
            expect_ok(run(k, shapes[i].text, lanes, &err), &err, shapes[i].text);
            expect_rows(k, &shapes[i], lanes);
            assert_int_equal(k->finished, k->closed);
        }
    }
}

static void
one_lane_keeps_the_order_of_a_query(void **state)
{
    struct kit *k = *state;
    struct weir_error err = {0};

    k->rows = 50000;
    k->schema = ddl(k, "id BIGINT");
    open_engine(k, 128 * WEIR_MIB, 2, NULL);
    expect_ok(run(k, "SELECT c0 FROM r0 ORDER BY c0 DESC", 1, &err), &err, "order");
    assert_true(k->ordered);
    assert_int_equal(k->nseen, 50000);
}

static void
look_at_positions(struct kit *k, const struct weir_page *page)
{
    for (uint32_t r = 0; r < page->rows; r++) {
        int64_t id = ((const int64_t *)page->cols[0].data)[r];

        k->wrong += page->pos == NULL || page->objects == NULL || page->pos[r] != id + 5000000 ||
                    page->objects[r] < 0;
    }
}

static void
positions_survive_filter_join_and_sort(void **state)
{
    struct kit *k = *state;
    const struct weir_sql_relation relation = {.name = "r0", .schema = k->schema, .is_stream = true};
    struct weir_error err = {0};
    static const char *const texts[] = {
        "SELECT " COLS ", p0, p1 FROM r0 WHERE c0 % 2 = 0",
        "SELECT " COLS
        ", p0, p1 FROM r0 LEFT JOIN (SELECT unnest(range(0, 20000, 2)) AS j) t ON c0 = j ORDER BY c15",
        "SELECT " COLS ", p0, p1 FROM r0, LATERAL (SELECT unnest(c17) AS x)",
    };

    k->rows = ROWS;
    k->look = look_at_positions;
    open_engine(k, 256 * WEIR_MIB, 2, NULL);
    for (size_t i = 0; i < 3; i++) {
        const struct weir_sql_plan plan = {.text = texts[i],
                                           .schema = k->schema,
                                           .relations = &relation,
                                           .nrelations = 1,
                                           .position = (int)k->schema->nfields};

        expect_ok(run_plan(k, &plan, NULL, NULL, 2, &err), &err, texts[i]);
        assert_true(k->nseen > 1000);
        assert_int_equal(k->wrong, 0);
    }
}

static weir_rc
find_source(void *self, const char *const *parts, uint32_t n, int64_t version, const char *timestamp,
            struct weir_sql_relation *out, struct weir_error *err)
{
    const struct kit *k = self;

    (void)timestamp;
    if (n != 1 || version >= 0 || strcmp(parts[0], "source") != 0)
        return weir_fail(err, WEIR_SCHEMA, "there is no %s", parts[0]);
    *out = (struct weir_sql_relation){.name = "r0", .schema = k->schema, .is_stream = true};
    return WEIR_OK;
}

static void
positions_are_carried_by_queries_of_spark_sql(void **state)
{
    static const char *const texts[] = {
        "SELECT id, i4 FROM source WHERE id % 3 = 1",
        "SELECT id, upper(s) AS s, st.a + 0L AS a FROM source",
        "SELECT id, x FROM source LATERAL VIEW explode(ls) t AS x",
        "SELECT id, explode_outer(ls) AS x FROM source",
        "SELECT id, w FROM source LEFT JOIN (VALUES (1, 'a'), (2, 'b')) AS t(k, w) ON id = k",
        "SELECT id FROM (SELECT id, s FROM source WHERE id > 5) WHERE id < 5000",
    };
    struct kit *k = *state;
    const struct weir_sql_env env = {.set = &k->set, .self = k, .relation = find_source, .positions = true};
    struct weir_error err = {0};

    k->rows = ROWS;
    k->look = look_at_positions;
    k->set.zone = &weir_zone_utc;
    k->set.ansi = true;
    open_engine(k, 256 * WEIR_MIB, 2, NULL);
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        struct weir_node *tree;
        struct weir_sql_plan *plan;

        expect_ok(weir_sql_parse(texts[i], strlen(texts[i]), k->mem, &tree, &err), &err, texts[i]);
        expect_ok(weir_sql_bind(tree, texts[i], &env, k->mem, &plan, &err), &err, texts[i]);
        assert_true(plan->position == (int)plan->schema->nfields);
        expect_ok(run_plan(k, plan, NULL, NULL, 2, &err), &err, texts[i]);
        if (k->nseen < 1000 || k->wrong != 0)
            fail_msg("%s: %lld rows, %lld wrong", texts[i], (long long)k->nseen, (long long)k->wrong);
    }
}

/* --- kernels
 * ----------------------------------------------------------------------------------------------------- */

static weir_rc
kernel_upper(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
             struct weir_error *err)
{
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t len;
        const char *p;
        char text[256];

        if (weir_arg_null(&args[0], r)) {
            weir_col_set_null(out, r);
            continue;
        }
        p = weir_arg_str(&args[0], r, &len);
        for (uint32_t i = 0; i < len; i++)
            text[i] = (char)(p[i] - 'a' + 'A');
        WEIR_TRY(weir_out_str(call, out, r, text, len, err));
    }
    return WEIR_OK;
}

/* Fails when it sees a null: null_in_null_out. */
static weir_rc
kernel_strict(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
              struct weir_error *err)
{
    for (uint32_t r = 0; r < rows; r++)
        if (weir_arg_null(&args[0], r) || weir_arg_null(&args[1], r))
            return weir_fail(err, WEIR_BUG, "a null was seen");
    for (uint32_t r = 0; r < rows; r++) { /* the struct's own field a, and a length */
        const struct weir_col *a = &args[1].kids[0];

        if (weir_arg_null(a, r))
            weir_col_set_null(out, r);
        else
            ((int64_t *)out->data)[r] =
                weir_arg(a, int32_t, r) + (int64_t)weir_arg(&args[0], struct weir_str, r).len;
    }
    (void)call;
    return WEIR_OK;
}

/* [s, s] */
static weir_rc
kernel_pair(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
            struct weir_error *err)
{
    struct weir_col *kid = &out->kids[0];

    for (uint32_t r = 0; r < rows; r++) {
        uint32_t len, at = kid->len;
        const char *p = weir_arg_str(&args[0], r, &len);

        WEIR_TRY(weir_col_room(kid, at + 2, err));
        kid->len = at + 2;
        ((struct weir_list *)out->data)[r] = (struct weir_list){.at = at, .n = 2};
        for (uint32_t i = 0; i < 2; i++) {
            if (weir_arg_null(&args[0], r))
                weir_col_set_null(kid, at + i);
            else
                WEIR_TRY(weir_out_str(call, kid, at + i, p, len, err));
        }
    }
    return WEIR_OK;
}

static weir_rc
kernel_fails_on_zero(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
                     struct weir_error *err)
{
    (void)call;
    for (uint32_t r = 0; r < rows; r++) {
        if (weir_arg(&args[0], int64_t, r) == 0)
            return weir_fail(err, WEIR_BADDATA, "DIVIDE_BY_ZERO");
        ((int64_t *)out->data)[r] = 100 / weir_arg(&args[0], int64_t, r);
    }
    return WEIR_OK;
}

/* {length, the text, {length}} */
static weir_rc
kernel_record(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
              struct weir_error *err)
{
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t len;
        const char *p = weir_arg_str(&args[0], r, &len);

        ((int64_t *)out->kids[0].data)[r] = ((int64_t *)out->kids[2].kids[0].data)[r] = len;
        WEIR_TRY(weir_out_str(call, &out->kids[1], r, p, len, err));
    }
    return WEIR_OK;
}

static const struct weir_type *const string_args[] = {&weir_type_string};
static const struct weir_type *const long_args[] = {&weir_type_long};
static const struct weir_call_plan plan_upper = {.kernel = kernel_upper}, plan_pair = {.kernel = kernel_pair},
                                   plan_strict = {.kernel = kernel_strict, .null_in_null_out = true},
                                   plan_zero = {.kernel = kernel_fails_on_zero},
                                   plan_record = {.kernel = kernel_record, .null_in_null_out = true};

static void
look_at_kernels(struct kit *k, const struct weir_page *page)
{
    for (uint32_t r = 0; r < page->rows; r++) {
        int64_t id = ((const int64_t *)page->cols[0].data)[r];
        uint64_t seed = cell_seed(id, 15), st = cell_seed(id, 19), a = mix(st + 100);
        bool null = is_null(&k->schema->fields[15], seed), st_null = is_null(&k->schema->fields[19], st);
        bool a_null = null || st_null || is_null(&k->schema->fields[19].type->fields[0], a);
        uint32_t len = text_len(seed);
        char want[128];
        int32_t number;

        text_make(want, len, seed);
        for (uint32_t i = 0; i < len; i++)
            want[i] = (char)(want[i] - 'a' + 'A');
        plain_make(&number, &weir_type_int, a);
        for (uint32_t c = 1; c <= 2; c++) { /* upper, and upper in both arms of a CASE */
            const struct weir_str *s = (const struct weir_str *)page->cols[c].data + r;

            k->wrong += null != weir_col_is_null(&page->cols[c], r);
            k->wrong += !null && (s->len != len || memcmp(weir_str_ptr(s), want, len) != 0);
        }
        for (uint32_t i = 0; i < 2; i++) { /* [upper, upper] */
            const struct weir_col *kid = &page->cols[3].kids[0];
            uint32_t at = (uint32_t)((const struct weir_list *)page->cols[3].data)[r].at + i;
            const struct weir_str *s = (const struct weir_str *)kid->data + at;

            k->wrong += null != weir_col_is_null(kid, at);
            k->wrong += !null && (s->len != len || memcmp(weir_str_ptr(s), want, len) != 0);
        }
        k->wrong += a_null != weir_col_is_null(&page->cols[4], r);
        k->wrong += !a_null && ((const int64_t *)page->cols[4].data)[r] != (int64_t)number + len;
    }
}

static void
kernels_get_exact_types_and_their_results_live_long_enough(void **state)
{
    struct kit *k = *state;
    const struct weir_type *strict_args[] = {&weir_type_string, k->schema->fields[19].type};
    const struct weir_sql_call calls[] = {
        {.plan = &plan_upper, .arg_types = string_args, .nargs = 1, .type = &weir_type_string},
        {.plan = &plan_pair, .arg_types = string_args, .nargs = 1, .type = k->schema->fields[17].type},
        {.plan = &plan_strict, .arg_types = strict_args, .nargs = 2, .type = &weir_type_long},
    };
    const struct weir_sql_relation relation = {.name = "r0", .schema = k->schema, .is_stream = true};
    static const char *const texts[] = {
        "SELECT c0, weir_call_0(c15) AS c1, CASE WHEN c0 % 3 = 0 THEN weir_call_0(c15) WHEN c0 % 3 = 1 THEN "
        "weir_call_0(c15) "
        "ELSE weir_call_0(c15) END AS c2, weir_call_1(weir_call_0(c15)) AS c3, weir_call_2(c15, c19) AS c4 "
        "FROM r0",
        "SELECT c0, u AS c1, u AS c2, weir_call_1(u) AS c3, weir_call_2(c15, c19) AS c4 FROM (SELECT c0, "
        "c15, c19, weir_call_0(c15) AS u, "
        "unnest([1, 2]) AS n FROM r0) WHERE n = 1 AND (u IS NULL OR u <= 'Z' OR u > 'Z')",
        "SELECT c0, u AS c1, l[2] AS c2, l AS c3, n AS c4 FROM (SELECT c0, weir_call_0(c15) AS u, "
        "list_transform([c15, c15], lambda x: weir_call_0(x)) AS l, weir_call_2(c15, c19) AS n FROM r0) "
        "ORDER BY u, c0",
    };
    struct weir_error err = {0};

    k->out = ddl(k, "a BIGINT, b STRING, c STRING, d ARRAY<STRING>, e BIGINT");
    k->rows = ROWS;
    k->look = look_at_kernels;
    open_engine(k, 256 * WEIR_MIB, 2, NULL);
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        const struct weir_sql_plan plan = {.text = texts[i],
                                           .schema = k->out,
                                           .calls = calls,
                                           .ncalls = 3,
                                           .relations = &relation,
                                           .nrelations = 1,
                                           .position = -1};

        for (unsigned lanes = 1; lanes <= 2; lanes++) {
            k->odd_pages = lanes == 1;
            expect_ok(run_plan(k, &plan, NULL, NULL, lanes, &err), &err, texts[i]);
            if (k->wrong != 0 || k->nseen != ROWS)
                fail_msg("%s: %lld wrong, %lld rows", texts[i], (long long)k->wrong, (long long)k->nseen);
        }
    }
}

static void
look_at_fields(struct kit *k, const struct weir_page *page)
{
    for (uint32_t r = 0; r < page->rows; r++) {
        uint64_t seed = cell_seed(((const int64_t *)page->cols[0].data)[r], 15);
        bool null = is_null(&k->schema->fields[15], seed);

        for (uint32_t c = 1; c <= 3; c++)
            k->wrong += null != weir_col_is_null(&page->cols[c], r);
        if (null)
            continue;
        k->wrong += ((const int64_t *)page->cols[1].data)[r] != text_len(seed);
        k->wrong += ((const struct weir_str *)page->cols[2].data)[r].len != text_len(seed);
        k->wrong += ((const int64_t *)page->cols[3].data)[r] != text_len(seed);
    }
}

static void
fields_of_a_struct_that_no_kernel_made_are_null(void **state)
{
    struct kit *k = *state;
    const struct weir_sql_call calls[] = {{.plan = &plan_record,
                                           .arg_types = string_args,
                                           .nargs = 1,
                                           .type = ddl(k, "a BIGINT, b STRING, c STRUCT<d: BIGINT>")}};
    const struct weir_sql_relation relation = {.name = "r0", .schema = k->schema, .is_stream = true};
    const struct weir_sql_plan plan = {.text = "SELECT c0, weir_call_0(c15).a AS c1, weir_call_0(c15).b AS "
                                               "c2, weir_call_0(c15).c.d AS c3 FROM r0",
                                       .schema = k->out = ddl(k, "id BIGINT, a BIGINT, b STRING, d BIGINT"),
                                       .calls = calls,
                                       .ncalls = 1,
                                       .relations = &relation,
                                       .nrelations = 1,
                                       .position = -1};
    struct weir_error err = {0};

    k->rows = ROWS;
    k->look = look_at_fields;
    open_engine(k, 256 * WEIR_MIB, 2, NULL);
    expect_ok(run_plan(k, &plan, NULL, NULL, 1, &err), &err, plan.text);
    assert_int_equal(k->wrong, 0);
}

static void
a_kernel_is_not_called_for_rows_that_an_earlier_condition_drops(void **state)
{
    struct kit *k = *state;
    const struct weir_sql_call calls[] = {
        {.plan = &plan_zero, .arg_types = long_args, .nargs = 1, .type = &weir_type_long}};
    const struct weir_sql_relation relation = {.name = "r0", .schema = k->schema, .is_stream = true};
    static const char *const texts[] = {
        "SELECT c0 FROM r0 WHERE c0 % 10 <> 0 AND weir_call_0(c0 % 10) > 0",
        "SELECT c0 FROM (SELECT c0 FROM r0 WHERE c0 % 10 <> 0) WHERE weir_call_0(c0 % 10) > 0",
        "SELECT c0 FROM r0 WHERE CASE WHEN c0 % 10 <> 0 THEN weir_call_0(c0 % 10) > 0 ELSE false END",
    };
    struct weir_error err = {0};

    k->out = ddl(k, "id BIGINT");
    k->schema = k->out;
    k->rows = 300000;
    open_engine(k, 256 * WEIR_MIB, 2, NULL);
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        const struct weir_sql_relation one = {.name = "r0", .schema = k->schema, .is_stream = true};
        const struct weir_sql_plan plan = {.text = texts[i],
                                           .schema = k->out,
                                           .calls = calls,
                                           .ncalls = 1,
                                           .relations = &one,
                                           .nrelations = 1,
                                           .position = -1};

        expect_ok(run_plan(k, &plan, NULL, NULL, 2, &err), &err, texts[i]);
        assert_int_equal(k->nseen, 270000);
    }
    (void)relation;
}

/* --- errors
 * ------------------------------------------------------------------------------------------------------ */

static void
the_first_error_comes_back_as_it_was(void **state)
{
    struct kit *k = *state;
    const struct weir_sql_call calls[] = {
        {.plan = &plan_zero, .arg_types = long_args, .nargs = 1, .type = &weir_type_long}};
    const struct weir_sql_relation relation = {.name = "r0", .schema = k->schema, .is_stream = true};
    const struct weir_sql_plan kernel = {
        .text =
            "SELECT weir_call_0(c0 - 5000) AS c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, "
            "c14, c15, c16, c17, c18, c19, c20, c21, c22, c23 FROM r0",
        .schema = k->schema,
        .calls = calls,
        .ncalls = 1,
        .relations = &relation,
        .nrelations = 1,
        .position = -1};
    struct weir_error err = {0};
    const char *all = "SELECT " COLS " FROM r0";

    k->rows = ROWS;
    open_engine(k, 256 * WEIR_MIB, 2, NULL);
    for (unsigned lanes = 1; lanes <= 2; lanes++) {
        k->feed_fails_at = 4000;
        assert_int_equal(run(k, all, lanes, &err), WEIR_CORRUPT);
        assert_string_equal(err.what, "the feed is broken");
        assert_int_equal(k->finished, 0);
        k->feed_fails_at = 0;
        k->drain_fails_at = 3000;
        assert_int_equal(run(k, all, lanes, &err), WEIR_IO);
        assert_string_equal(err.what, "the disk is full");
        assert_int_equal(k->finished, 0);
        k->drain_fails_at = 0;
        k->open_fails = true;
        assert_int_equal(run(k, all, lanes, &err), WEIR_DENIED);
        k->open_fails = false;
        k->finish_fails = true;
        assert_int_equal(run(k, all, lanes, &err), WEIR_CONFLICT);
        k->finish_fails = false;
        assert_int_equal(run_plan(k, &kernel, NULL, NULL, lanes, &err), WEIR_BADDATA);
        assert_string_equal(err.what, "DIVIDE_BY_ZERO");
        /* DuckDB's own */
        assert_int_equal(run(k,
                             "SELECT CAST(c23 || 'x' AS BIGINT) AS c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, "
                             "c10, c11, c12, c13, c14, c15, "
                             "c16, c17, c18, c19, c20, c21, c22, c23 FROM r0",
                             lanes, &err),
                         WEIR_BADDATA);
        if (strstr(err.what, "Could not convert") == NULL)
            fail_msg("%s", err.what);
        /* and then it works again */
        expect_ok(run(k, all, lanes, &err), &err, all);
        assert_int_equal(k->nseen, ROWS);
    }
}

static void
a_plan_that_does_not_keep_its_word_is_a_bug(void **state)
{
    struct kit *k = *state;
    struct weir_error err = {0};

    k->out = ddl(k, "id BIGINT, s STRING");
    k->rows = 100;
    open_engine(k, 64 * WEIR_MIB, 1, NULL);
    assert_int_equal(run(k, "SELECT c0, 1::INTEGER AS c1 FROM r0", 1, &err), WEIR_BUG);
    assert_non_null(strstr(err.what, "column s"));
    assert_int_equal(run(k, "SELECT c0 FROM r0", 1, &err), WEIR_BUG);
    assert_int_equal(run(k, "SELECT nonsense", 1, &err), WEIR_BUG);
    assert_int_equal(k->nseen, 0);
}

static void *
ask_to_stop(void *arg)
{
    usleep(150000);
    weir_stop_ask(arg, 0);
    return NULL;
}

static void
a_stop_ends_a_query_at_once_wherever_it_is(void **state)
{
    struct kit *k = *state;
    struct weir_error err = {0};
    static const char *const texts[] = {
        "SELECT c0 FROM r0",             /* in the feed */
        "SELECT c0 FROM r0 ORDER BY c0", /* before a sort */
        "SELECT max(a.range * b.range)::BIGINT AS c0 FROM range(3000000) a, range(1000000) b",
        "SELECT a.range AS c0 FROM range(3000000) a, range(1000000) b WHERE a.range + b.range < 0",
    };

    k->schema = ddl(k, "id BIGINT");
    k->rows = -1;
    for (size_t i = 0; i < 4; i++) {
        struct weir_stop stop;
        pthread_t thread;
        int64_t began = weir_mono_us();

        assert_int_equal(weir_stop_init(&stop, &err), WEIR_OK);
        k->stop = &stop;
        open_engine(k, 512 * WEIR_MIB, 2, NULL);
        pthread_create(&thread, NULL, ask_to_stop, &stop);
        expect_rc(run(k, texts[i], 2, &err), WEIR_STOPPED, &err);
        pthread_join(thread, NULL);
        assert_true(weir_mono_us() - began < 3000000); /* 0.15 s and the end; the machine may be busy */
        assert_int_equal(k->finished, 0);
        open_engine(k, 64 * WEIR_MIB, 1, NULL);
        weir_stop_fini(&stop);
        k->stop = NULL;
    }
}

static void
too_little_memory_names_the_setting_and_a_folder_helps(void **state)
{
    struct kit *k = *state;
    struct weir_error err = {0};
    char folder[] = "/tmp/weir-spill-XXXXXX";
    const char *sort =
        "SELECT c0 FROM (SELECT c0, md5(c0::VARCHAR) || md5((c0 + 1)::VARCHAR) AS k FROM r0) ORDER BY k, c0";

    assert_non_null(mkdtemp(folder));
    k->schema = ddl(k, "id BIGINT");
    k->rows = 600000;
    open_engine(k, 20 * WEIR_MIB, 1, NULL);
    expect_rc(run(k, sort, 1, &err), WEIR_NOMEM, &err);
    assert_non_null(strstr(err.hint, "weir.memoryLimit"));
    assert_non_null(strstr(err.hint, "weir.tempDirectory"));
    open_engine(k, 20 * WEIR_MIB, 1, folder);
    expect_ok(run(k, sort, 1, &err), &err, sort);
    assert_int_equal(k->nseen, 600000);
    open_engine(k, 20 * WEIR_MIB, 1, NULL);
    rmdir(folder);
}

static void
only_the_folders_of_the_inputs_can_be_read(void **state)
{
    struct kit *k = *state;
    struct weir_error err = {0};
    char folder[] = "/tmp/weir-files-XXXXXX", file[64], select[256];
    const char *folders[] = {folder, NULL}, *const elsewhere[] = {"/usr/share", NULL};
    struct weir_sql_relation relations[2] = {{.name = "r0", .schema = k->schema}, {.name = "r1"}};
    struct weir_sql_plan plan = {
        .text = "SELECT c0 FROM r1", .relations = relations, .nrelations = 2, .position = -1};
    FILE *f;

    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof(file), "%s/t.csv", folder);
    f = fopen(file, "w");
    fputs("1\n2\n3\n", f);
    fclose(f);
    k->out = ddl(k, "id BIGINT");
    relations[1].schema = plan.schema = k->out;
    k->rows = 10;
    k->look = NULL;
    snprintf(select, sizeof(select), "SELECT column0 AS c0 FROM read_csv('%s', header = false)", file);
    open_engine(k, 64 * WEIR_MIB, 1, NULL);
    expect_ok(run_plan(k, &plan, select, folders, 1, &err), &err, select);
    assert_int_equal(k->nseen, 3);
    assert_int_equal(run_plan(k, &plan, select, elsewhere, 1, &err), WEIR_BUG);
    assert_non_null(strstr(err.what, "disabled"));
    assert_int_equal(run_plan(k, &plan, select, NULL, 1, &err), WEIR_BUG);
    plan.text = "SELECT length(content) AS c0 FROM read_text('/etc/passwd')";
    assert_int_equal(run_plan(k, &plan, select, folders, 1, &err), WEIR_BUG);
    unlink(file);
    rmdir(folder);
}

static void
odd_rows_are_there(void *self, const int64_t *files, const int64_t *rows, uint32_t n, uint8_t *alive)
{
    (void)self;
    for (uint32_t i = 0; i < n; i++)
        alive[i] = files[i] == 3 && rows[i] % 2 == 1;
}

static void
rows_that_are_not_alive_are_not_read(void **state)
{
    struct kit *k = *state;
    struct weir_sql_relation relation = {.name = "r7"};
    struct weir_sql_plan plan = {
        .text = "SELECT c0 FROM r7 WHERE c0 > 10", .relations = &relation, .nrelations = 1, .position = -1};
    const struct weir_alive alive = {.look = odd_rows_are_there};
    struct weir_engine_input input = {
        .name = "r7",
        .select = "SELECT range AS c0 FROM range(100) WHERE weir_alive(7, 3::BIGINT, range)",
        .alive = &alive};
    const struct weir_engine_query q = {
        .plan = &plan, .set = &k->set, .inputs = &input, .ninputs = 1, .drain = &k->drain, .lanes = 1};
    struct weir_error err = {0};

    k->schema = relation.schema = plan.schema = ddl(k, "id BIGINT");
    k->rows = 100;
    open_engine(k, 64 * WEIR_MIB, 1, NULL);
    k->seen = calloc(101, 1);
    k->drain = (struct weir_drain){.self = k,
                                   .lane_open = drain_open,
                                   .write = drain_write,
                                   .lane_finish = drain_finish,
                                   .lane_close = drain_close};
    expect_ok(weir_engine_run(k->engine, &q, &err), &err, input.select);
    for (int i = 0; i < 100; i++)
        assert_int_equal(k->seen[i], i > 10 && i % 2 == 1);
    input.alive = NULL;
    assert_int_not_equal(weir_engine_run(k->engine, &q, &err), WEIR_OK);
}

static void
explain_shows_the_plan_and_reads_nothing(void **state)
{
    struct kit *k = *state;
    const struct weir_sql_relation relation = {.name = "r0", .schema = k->schema, .is_stream = true};
    const struct weir_sql_plan plan = {.text = "SELECT " COLS " FROM r0 WHERE c0 > 5",
                                       .schema = k->schema,
                                       .relations = &relation,
                                       .nrelations = 1,
                                       .position = -1};
    const struct weir_engine_input input = {.name = "r0", .feed = &k->feed};
    const struct weir_engine_query q = {
        .plan = &plan, .set = &k->set, .inputs = &input, .ninputs = 1, .lanes = 1};
    struct weir_buf out = WEIR_BUF(WEIR_MIB);
    struct weir_error err = {0};

    k->feed = (struct weir_feed){.schema = k->schema, .self = k};
    open_engine(k, 64 * WEIR_MIB, 1, NULL);
    expect_ok(weir_engine_explain(k->engine, &q, &out, &err), &err, "explain");
    assert_non_null(strstr(out.data, "weir_sink"));
    assert_non_null(strcasestr(out.data, "weir_feed"));
    weir_buf_fini(&out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_of_all_types_come_through_plans_of_all_shapes, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(one_lane_keeps_the_order_of_a_query, setup, teardown),
        cmocka_unit_test_setup_teardown(positions_survive_filter_join_and_sort, setup, teardown),
        cmocka_unit_test_setup_teardown(positions_are_carried_by_queries_of_spark_sql, setup, teardown),
        cmocka_unit_test_setup_teardown(kernels_get_exact_types_and_their_results_live_long_enough, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(fields_of_a_struct_that_no_kernel_made_are_null, setup, teardown),
        cmocka_unit_test_setup_teardown(a_kernel_is_not_called_for_rows_that_an_earlier_condition_drops,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(the_first_error_comes_back_as_it_was, setup, teardown),
        cmocka_unit_test_setup_teardown(a_plan_that_does_not_keep_its_word_is_a_bug, setup, teardown),
        cmocka_unit_test_setup_teardown(a_stop_ends_a_query_at_once_wherever_it_is, setup, teardown),
        cmocka_unit_test_setup_teardown(too_little_memory_names_the_setting_and_a_folder_helps, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(only_the_folders_of_the_inputs_can_be_read, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_that_are_not_alive_are_not_read, setup, teardown),
        cmocka_unit_test_setup_teardown(explain_shows_the_plan_and_reads_nothing, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
