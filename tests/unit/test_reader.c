/* Objects to pages: blocks, lanes, positions, read errors, memory. The objects are in memory, behind a store that
 * gives as few bytes a call as the test likes. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/thread.h"
#include "reader/reader.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* ---- a store of a few objects that drips ---- */

enum { OBJECTS_MAX = 8, ROWS_MAX = 400 * 1000 };

struct object {
    const char *key;
    const char *data;
    size_t len;
    int64_t mtime_ms;
};

static struct {
    struct object at[OBJECTS_MAX];
    unsigned n;
    size_t drip;            /* most bytes a read gives */
    _Atomic int64_t reads;  /* so far */
    int64_t fail_read;      /* the read that fails; -1: none */
    const char *gone;       /* key that is not there */
    const char *touch;      /* key whose time changes between two looks */
    int64_t looks;          /* at that key */
    _Atomic int inputs;     /* open */
} drip;

struct drip_input {
    struct weir_input base;
    const struct object *object;
    size_t at;
};

static const struct object *
drip_find(const char *key)
{
    for (unsigned i = 0; i < drip.n; i++)
        if (strcmp(drip.at[i].key, key) == 0 && (drip.gone == NULL || strcmp(drip.gone, key) != 0))
            return &drip.at[i];
    return NULL;
}

static weir_rc
drip_head(void *self, const char *key, struct weir_object *out, struct weir_error *err)
{
    const struct object *o = drip_find(key);

    (void)self;
    if (o == NULL)
        return weir_fail(err, WEIR_NOTFOUND, "%s is not there", key);
    *out = (struct weir_object){.size = (int64_t)o->len, .mtime_ms = o->mtime_ms};
    if (drip.touch != NULL && strcmp(drip.touch, key) == 0)
        out->mtime_ms += drip.looks++;
    return WEIR_OK;
}

static weir_rc
drip_open_input(void *self, const char *key, int64_t at, struct weir_input **out, struct weir_error *err)
{
    const struct object *o = drip_find(key);
    struct drip_input *in;

    (void)self;
    if (o == NULL)
        return weir_fail(err, WEIR_NOTFOUND, "%s is not there", key);
    in = calloc(1, sizeof(*in));
    assert_non_null(in);
    in->object = o;
    in->at = (size_t)at;
    atomic_fetch_add(&drip.inputs, 1);
    *out = &in->base;
    return WEIR_OK;
}

static weir_rc
drip_read(struct weir_input *base, void *p, size_t n, size_t *got, struct weir_error *err)
{
    struct drip_input *in = (struct drip_input *)base;
    size_t left = in->object->len - in->at;

    if (atomic_fetch_add(&drip.reads, 1) == drip.fail_read)
        return weir_fail(err, WEIR_IO, "the disk is on fire");
    n = n < drip.drip ? n : drip.drip;
    n = n < left ? n : left;
    memcpy(p, in->object->data + in->at, n);
    in->at += n;
    *got = n;
    return WEIR_OK;
}

static void
drip_close_input(struct weir_input *in)
{
    atomic_fetch_sub(&drip.inputs, 1);
    free(in);
}

static const struct weir_store_type drip_type = {.scheme = "drip",
                                                 .head = drip_head,
                                                 .open_input = drip_open_input,
                                                 .read = drip_read,
                                                 .close_input = drip_close_input};
static struct weir_store drip_store = {.type = &drip_type, .uri = "drip:///in", .path = "/in"};

/* ---- a reader and what it reads ---- */

struct row {
    int64_t id, pos;
    uint32_t object;
};

struct bench {
    struct weir_quota quota;
    struct weir_mem *mem;
    struct weir_setting set[4];
    struct weir_settings options;
    const char *schema;
    struct weir_reader *reader;
    struct weir_tasks tasks;
    unsigned lanes;
    struct weir_scan *scan;
    struct weir_feed feed;
    _Atomic bool failed;
    struct row *rows;
    _Atomic uint32_t nrows;
    struct weir_scan_totals totals;
    uint32_t unknown; /* the task that weir_scan_unknown() named; UINT32_MAX */
    struct weir_error err;
    weir_rc rc;
};

static void
option(struct bench *b, const char *key, const char *value)
{
    assert_true(b->options.n < COUNT(b->set));
    b->set[b->options.n++] = (struct weir_setting){.key = key, .value = value, .line = 1};
}

static void
bench_init(struct bench *b)
{
    memset(b, 0, sizeof(*b));
    memset(&drip, 0, sizeof(drip));
    drip.drip = SIZE_MAX;
    drip.fail_read = -1;
    b->options = (struct weir_settings){.at = b->set, .file = "test.yaml"};
    b->schema = "id BIGINT, name STRING";
    b->lanes = 1;
    b->rows = malloc(ROWS_MAX * sizeof(*b->rows));
    assert_non_null(b->rows);
    weir_quota_init(&b->quota, NULL, "test", 64 * WEIR_MIB);
}

static void
bench_object(const char *key, const char *data, size_t len)
{
    assert_true(drip.n < OBJECTS_MAX);
    drip.at[drip.n++] = (struct object){.key = key, .data = data, .len = len, .mtime_ms = 1000};
}

static void
bench_open(struct bench *b)
{
    struct weir_reader_env env = {.source_format = "json",
                                  .source_name = "test",
                                  .schema = b->schema,
                                  .options = &b->options,
                                  .zone = weir_zone_find("UTC", 3),
                                  .corrupt_name = "_corrupt_record",
                                  .max_record_bytes = 4 * WEIR_MIB,
                                  .quota = &b->quota};

    b->mem = weir_mem_new(NULL, &b->quota, "test");
    assert_non_null(b->mem);
    env.mem = b->mem;
    if (weir_settings_get(&b->options, "cloudFiles.format") != NULL)
        env.source_format = "cloudFiles";
    b->rc = weir_reader_open(&env, &b->reader, &b->err);
    if (b->rc != WEIR_OK)
        fail_msg("%s", b->err.what);
    b->tasks.n = drip.n;
    b->tasks.at = weir_mem_zalloc(b->mem, (drip.n + 1) * sizeof(*b->tasks.at));
    for (uint32_t i = 0; i < drip.n; i++)
        b->tasks.at[i] = (struct weir_task){.object = i, .store = &drip_store, .key = drip.at[i].key,
                                            .size = (int64_t)drip.at[i].len, .from = -1, .to = -1};
    b->rc = weir_reader_settle(b->reader, NULL, &b->tasks, -1, true, &b->err);
    if (b->rc == WEIR_OK)
        b->rc = weir_reader_bind(b->reader, false, &b->err);
    if (b->rc != WEIR_OK)
        fail_msg("%s", b->err.what);
}

static void
rows_keep(struct bench *b, const struct weir_page *page)
{
    uint32_t at = atomic_fetch_add(&b->nrows, page->rows);
    int id = weir_field_find(page->schema, "id", 2, true);

    assert_true(at + page->rows <= ROWS_MAX);
    for (uint32_t i = 0; i < page->rows; i++)
        b->rows[at + i] = (struct row){
            .id = weir_col_is_null(&page->cols[id], i) ? -1 : ((const int64_t *)page->cols[id].data)[i],
            .pos = page->pos[i],
            .object = page->object};
}

static weir_rc
lane_read(void *arg, unsigned number, struct weir_error *err)
{
    struct bench *b = arg;
    struct weir_page *page = NULL;
    void *lane = NULL;
    weir_rc rc;

    WEIR_GO(b->feed.lane_open(b->feed.self, number, &lane, err));
    WEIR_GO(weir_page_new(b->feed.schema, &b->quota, &page, err));
    while ((rc = b->feed.next(lane, page, err)) == WEIR_OK)
        rows_keep(b, page);
out:
    weir_page_free(page);
    if (lane != NULL)
        b->feed.lane_close(lane);
    return rc;
}

static int
by_id(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : (x->pos > y->pos) - (x->pos < y->pos);
}

/* Reads all tasks; the rows are sorted by id. */
static void
bench_read(struct bench *b)
{
    struct weir_scan_env env = {.window_bytes = 8 * WEIR_MIB, .lanes = b->lanes, .quota = &b->quota,
                                .failed = &b->failed};
    const struct weir_task *unknown;

    b->err = (struct weir_error){0};
    atomic_store(&b->failed, false);
    atomic_store(&b->nrows, 0);
    b->rc = weir_scan_open(b->reader, &b->tasks, &env, &b->scan, &b->err);
    if (b->rc != WEIR_OK)
        return;
    weir_scan_feed(b->scan, &b->feed);
    b->rc = weir_lanes_run(b->lanes, lane_read, b, &b->failed, &b->err);
    weir_scan_totals(b->scan, &b->totals);
    unknown = weir_scan_unknown(b->scan);
    b->unknown = unknown == NULL ? UINT32_MAX : unknown->object;
    weir_scan_close(b->scan);
    qsort(b->rows, b->nrows, sizeof(*b->rows), by_id);
    assert_int_equal(drip.inputs, 0);
}

static void
bench_fini(struct bench *b)
{
    weir_mem_free(b->mem);
    free(b->rows);
    for (unsigned i = 0; i < drip.n; i++)
        free((char *)(uintptr_t)drip.at[i].data);
    assert_int_equal(atomic_load(&b->quota.used), 0); /* everything is given back */
}

/* ---- content ---- */

struct text {
    char *p;
    size_t len, cap;
};

static void
put(struct text *t, const char *fmt, ...)
{
    va_list args;

    if (t->cap - t->len < 4096) {
        t->cap = t->cap * 2 + 8192;
        t->p = realloc(t->p, t->cap);
        assert_non_null(t->p);
    }
    va_start(args, fmt);
    t->len += (size_t)vsnprintf(t->p + t->len, t->cap - t->len, fmt, args);
    va_end(args);
}

static void
put_fill(struct text *t, char c, size_t n)
{
    t->p = realloc(t->p, t->len + n + 4096);
    assert_non_null(t->p);
    memset(t->p + t->len, c, n);
    t->len += n;
    t->cap = t->len + 4096;
}

/* Records first .. first + n - 1 of about 100 bytes, each ended by `end`; no two neighbours of one length. */
static struct text
records(int64_t first, int64_t n, const char *end)
{
    struct text t = {0};

    for (int64_t i = first; i < first + n; i++)
        put(&t, "{\"id\":%" PRId64 ",\"name\":\"%.*s\"}%s", i, (int)(i * 31 % 150),
            "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
            "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn", end);
    return t;
}

static struct text
gzipped(const struct text *t)
{
    struct text z = {.cap = t->len + t->len / 8 + 1024};
    z_stream s = {0};

    z.p = malloc(z.cap);
    assert_non_null(z.p);
    assert_int_equal(deflateInit2(&s, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    s.next_in = (Bytef *)t->p;
    s.avail_in = (uInt)t->len;
    s.next_out = (Bytef *)z.p;
    s.avail_out = (uInt)z.cap;
    assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
    z.len = s.total_out;
    deflateEnd(&s);
    return z;
}

/* Each of the ids first .. first + n - 1 once, and each at the place where its record stands in plain. */
static void
expect_rows(const struct bench *b, int64_t first, int64_t n, const struct text *plain, uint32_t object)
{
    if (b->rc != WEIR_OK)
        fail_msg("%s: %s", b->err.where, b->err.what);
    assert_int_equal(b->nrows, n);
    for (int64_t i = 0; i < n; i++) {
        const struct row *row = &b->rows[i];
        char want[64];
        int len = snprintf(want, sizeof(want), "{\"id\":%" PRId64 ",", first + i);

        assert_int_equal(row->id, first + i);
        assert_int_equal(row->object, object);
        assert_in_range(row->pos, 0, plain->len);
        if (memcmp(plain->p + row->pos, want, (size_t)len) != 0)
            fail_msg("row %" PRId64 " is said to stand at byte %" PRId64, row->id, row->pos);
    }
}

/* ---- tests ---- */

static void
lanes_and_drips_give_the_same_rows(void **state)
{
    static const struct {
        const char *name, *end;
        int64_t n;
        size_t drip;
        const char *option;
    } cases[] = {
        {"blocks", "\n", 40000, SIZE_MAX, NULL},      {"blocks, small reads", "\n", 12000, 1009, NULL},
        {"one byte a read", "\n", 3000, 1, NULL},     {"CR", "\r", 12000, SIZE_MAX, NULL},
        {"CRLF, odd reads", "\r\n", 3000, 3, NULL},   {"CRLF", "\r\n", 12000, SIZE_MAX, NULL},
        {"lineSep", "<~>", 11000, 70001, "lineSep"},  {"values", " ", 12000, 70001, "multiLine"},
        {"values that touch", "", 12000, SIZE_MAX, "multiLine"},
    };
    static const unsigned lanes[] = {1, 2, 4};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t k = 0; k < COUNT(lanes) * 2; k++) {
            struct text plain = records(5, cases[i].n, cases[i].end), packed = {0};
            bool gzip = k % 2 == 1;
            struct bench b;

            bench_init(&b);
            drip.drip = cases[i].drip;
            b.lanes = lanes[k / 2];
            if (cases[i].option != NULL)
                option(&b, cases[i].option, strcmp(cases[i].option, "lineSep") == 0 ? cases[i].end : "true");
            if (gzip)
                packed = gzipped(&plain);
            bench_object(gzip ? "a.json.gz" : "a.json", gzip ? packed.p : plain.p, gzip ? packed.len : plain.len);
            bench_open(&b);
            bench_read(&b);
            expect_rows(&b, 5, cases[i].n, &plain, 0);
            assert_int_equal(b.totals.objects, 1);
            assert_int_equal(b.totals.bytes, gzip ? packed.len : plain.len);
            bench_fini(&b);
            if (gzip)
                free(plain.p);
        }
}

static void
the_elements_of_one_array_are_read_by_all_lanes(void **state)
{
    (void)state;
    for (unsigned lanes = 1; lanes <= 4; lanes *= 2) {
        struct text plain = {0}, body = records(0, 40000, ",\n");
        struct bench b;

        bench_init(&b);
        b.lanes = lanes;
        option(&b, "multiLine", "true");
        put(&plain, "\xef\xbb\xbf [ ");
        put_fill(&plain, ' ', body.len);
        memcpy(plain.p + plain.len - body.len, body.p, body.len);
        plain.len -= 2; /* the comma behind the last */
        put(&plain, "]\n");
        free(body.p);
        bench_object("a.json", plain.p, plain.len);
        bench_open(&b);
        bench_read(&b);
        expect_rows(&b, 0, 40000, &plain, 0);
        bench_fini(&b);
    }
}

static void
many_objects_are_shared_out(void **state)
{
    struct text plain[OBJECTS_MAX];
    struct bench b;

    (void)state;
    bench_init(&b);
    b.lanes = 4;
    for (unsigned i = 0; i < OBJECTS_MAX; i++) {
        static char keys[OBJECTS_MAX][16];

        snprintf(keys[i], sizeof(keys[i]), "%u.json", i);
        plain[i] = records(i * 10000, i % 3 == 0 ? 10000 : 10, "\n");
        bench_object(keys[i], plain[i].p, plain[i].len);
    }
    bench_open(&b);
    bench_read(&b);
    assert_int_equal(b.rc, WEIR_OK);
    assert_int_equal(b.nrows, 3 * 10000 + 5 * 10);
    assert_int_equal(b.totals.objects, OBJECTS_MAX);
    for (uint32_t i = 0; i < b.nrows; i++)
        assert_int_equal(b.rows[i].id / 10000, b.rows[i].object);
    bench_fini(&b);
}

static void
a_record_longer_than_a_block_is_read(void **state)
{
    (void)state;
    for (unsigned lanes = 1; lanes <= 2; lanes++)
        for (unsigned gzip = 0; gzip < 2; gzip++) {
            struct text plain = records(0, 100, "\n"), packed;
            struct bench b;

            bench_init(&b);
            b.lanes = lanes;
            put(&plain, "{\"id\":100,\"name\":\"");
            put_fill(&plain, 'x', 3 * WEIR_MIB);
            put(&plain, "\"}\n{\"id\":101,\"name\":\"\"}");
            packed = gzipped(&plain);
            bench_object(gzip ? "a.json.gz" : "a.json", gzip ? packed.p : plain.p, gzip ? packed.len : plain.len);
            bench_open(&b);
            bench_read(&b);
            expect_rows(&b, 0, 102, &plain, 0);
            bench_fini(&b);
            free(gzip ? plain.p : packed.p);
        }
}

static void
a_record_over_the_limit_is_named_with_its_place(void **state)
{
    struct text plain = records(0, 20000, "\n");
    size_t front = plain.len;
    char want[64];
    struct bench b;

    (void)state;
    bench_init(&b);
    b.lanes = 2;
    put_fill(&plain, 'x', 6 * WEIR_MIB);
    bench_object("long.json", plain.p, plain.len);
    bench_open(&b);
    bench_read(&b);
    assert_int_equal(b.rc, WEIR_BADDATA);
    snprintf(want, sizeof(want), "byte %zu ", front);
    assert_non_null(strstr(b.err.what, want));
    assert_non_null(strstr(b.err.where, "long.json"));
    assert_non_null(strstr(b.err.hint, "weir.maxRecordBytes"));
    assert_in_range(atomic_load(&b.quota.peak), 1, 24 * WEIR_MIB);
    bench_fini(&b);
}

static void
a_read_error_anywhere_stops_all_lanes_and_leaks_nothing(void **state)
{
    (void)state;
    for (unsigned lanes = 1; lanes <= 4; lanes *= 2) {
        int64_t reads = 1;

        for (int64_t fail = 0; fail < reads; fail += 1 + fail / 3) {
            struct text one = records(0, 20000, "\n"), two = records(20000, 20000, "\n"), packed = gzipped(&two);
            struct bench b;

            bench_init(&b);
            b.lanes = lanes;
            drip.drip = 64 * 1024;
            bench_object("one.json", one.p, one.len);
            bench_object("two.json.gz", packed.p, packed.len);
            free(two.p);
            bench_open(&b);
            drip.fail_read = fail;
            bench_read(&b);
            assert_int_equal(b.rc, WEIR_IO);
            assert_non_null(strstr(b.err.what, "on fire"));
            assert_non_null(strstr(b.err.where, ".json"));
            drip.fail_read = -1;
            bench_read(&b); /* the same reader goes on when the disk is well again */
            assert_int_equal(b.rc, WEIR_OK);
            assert_int_equal(b.nrows, 40000);
            if (fail == 0) {
                atomic_store(&drip.reads, 0);
                bench_read(&b);
                reads = drip.reads;
                assert_true(reads > 10);
            }
            bench_fini(&b);
        }
    }
}

static void
memory_that_runs_out_is_an_error_and_no_leak(void **state)
{
    (void)state;
    for (uint64_t limit = 64 * WEIR_KIB; limit <= 16 * WEIR_MIB; limit = limit * 5 / 4) {
        struct text plain = records(0, 30000, "\n"), packed = gzipped(&plain);
        struct bench b;

        bench_init(&b);
        b.lanes = 2;
        bench_object("a.json.gz", packed.p, packed.len);
        free(plain.p);
        bench_open(&b);
        b.quota.limit = atomic_load(&b.quota.used) + limit;
        bench_read(&b);
        assert_true(b.rc == WEIR_OK || b.rc == WEIR_NOMEM);
        assert_true(b.rc == WEIR_OK || limit < 12 * WEIR_MIB);
        assert_true(b.rc != WEIR_OK || b.nrows == 30000);
        assert_true(atomic_load(&b.quota.used) <= b.quota.limit);
        bench_fini(&b);
    }
}

static void
an_object_that_changes_fails_one_that_is_gone_is_named(void **state)
{
    static const char *const ignore[] = {"false", "true"};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct text one = records(0, 10, "\n"), two = records(10, 10, "\n");
        struct bench b;

        bench_init(&b);
        option(&b, "ignoreMissingFiles", ignore[i]);
        bench_object("one.json", one.p, one.len);
        bench_object("two.json", two.p, two.len);
        bench_open(&b);
        drip.gone = "two.json";
        bench_read(&b);
        if (i == 0) {
            assert_int_equal(b.rc, WEIR_NOTFOUND);
            assert_non_null(strstr(b.err.where, "two.json"));
        } else {
            expect_rows(&b, 0, 10, &one, 0);
            assert_int_equal(b.totals.missing, 1);
            assert_int_equal(b.totals.objects, 1);
        }
        drip.gone = NULL;
        drip.touch = "two.json";
        bench_read(&b);
        assert_int_equal(b.rc, WEIR_IO);
        assert_non_null(strstr(b.err.where, "two.json"));
        assert_non_null(strstr(b.err.what, "changed"));
        bench_fini(&b);
    }
}

static void
a_pinned_object_is_not_read_with_another_time(void **state)
{
    struct text one = records(0, 10, "\n");
    struct bench b;

    (void)state;
    bench_init(&b);
    bench_object("one.json", one.p, one.len);
    bench_open(&b);
    b.tasks.at[0].mtime_ms = 1000;
    b.tasks.at[0].pinned = true;
    bench_read(&b);
    expect_rows(&b, 0, 10, &one, 0);
    b.tasks.at[0].mtime_ms = 999;
    bench_read(&b);
    assert_int_equal(b.rc, WEIR_OK);
    assert_int_equal(b.nrows, 0);
    bench_fini(&b);
}

static void
half_a_record_in_front_of_damage_is_passed_over(void **state)
{
    struct text plain = records(0, 30000, "\n"), packed = gzipped(&plain);
    struct bench b;

    (void)state;
    bench_init(&b);
    b.lanes = 2;
    b.schema = "id BIGINT, name STRING, _corrupt_record STRING";
    option(&b, "ignoreCorruptFiles", "true");
    bench_object("a.json.gz", packed.p, packed.len * 2 / 3);
    bench_open(&b);
    bench_read(&b);
    assert_int_equal(b.rc, WEIR_OK);
    assert_in_range(b.nrows, 1000, 29999);
    for (uint32_t i = 0; i < b.nrows; i++)
        assert_int_equal(b.rows[i].id, i);
    assert_int_equal(b.totals.count.corrupt, 0);
    assert_int_equal(b.totals.damaged, 1);
    bench_fini(&b);
    free(plain.p);
}

static void
a_range_of_an_object_is_read_alone(void **state)
{
    struct text plain = records(0, 1000, "\n");
    const char *second = strchr(plain.p, '\n') + 1, *third = strchr(second, '\n') + 1;
    struct bench b;

    (void)state;
    bench_init(&b);
    bench_object("a.json", plain.p, plain.len);
    bench_open(&b);
    b.tasks.at[0].from = second - plain.p;
    b.tasks.at[0].to = third - plain.p;
    bench_read(&b);
    expect_rows(&b, 1, 1, &plain, 0);
    bench_fini(&b);
}

static void
bytes_that_a_source_has_fetched_are_read_from_their_block(void **state)
{
    static const char text[] = "{\"id\":1}\n{\"id\":2}\n";
    static const char wide[] = "{\0\"\0i\0d\0\"\0:\0003\0}\0";
    struct weir_block_pool *pool;
    struct bench b;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        const char *p = i == 0 ? text : wide;
        size_t n = i == 0 ? sizeof(text) - 1 : sizeof(wide) - 1;

        bench_init(&b);
        if (i == 1)
            option(&b, "encoding", "UTF-16LE");
        bench_object("a.json", calloc(1, 1), 0);
        bench_open(&b);
        assert_int_equal(weir_block_pool_new(&b.quota, 4 * WEIR_MIB, NULL, &pool, &b.err), WEIR_OK);
        b.tasks.at[0] = (struct weir_task){.name = "queue/7", .from = -1, .to = -1};
        assert_int_equal(weir_block_get(pool, 0, &b.tasks.at[0].block, &b.err), WEIR_OK);
        memcpy(b.tasks.at[0].block->data, p, n);
        b.tasks.at[0].block->len = n;
        weir_block_seal(b.tasks.at[0].block);
        bench_read(&b);
        assert_int_equal(b.rc, WEIR_OK);
        assert_int_equal(b.nrows, i == 0 ? 2 : 1);
        assert_int_equal(b.rows[0].id, i == 0 ? 1 : 3);
        assert_int_equal(b.totals.bytes, n);
        weir_block_put(b.tasks.at[0].block);
        weir_block_pool_free(pool);
        bench_fini(&b);
    }
}

static void
the_first_object_with_an_unknown_field_is_named_whoever_is_first(void **state)
{
    (void)state;
    for (unsigned lanes = 1; lanes <= 4; lanes *= 2) {
        static char keys[6][16];
        char schema_dir[] = "/tmp/weir-reader-XXXXXX";
        struct bench b;

        assert_non_null(mkdtemp(schema_dir));
        bench_init(&b);
        b.lanes = lanes;
        b.schema = NULL;
        option(&b, "cloudFiles.format", "json");
        option(&b, "cloudFiles.schemaLocation", schema_dir);
        for (unsigned i = 0; i < 6; i++) {
            struct text t = records(i * 1000, 1000, "\n");

            if (i == 3 || i == 5)
                put(&t, "{\"id\":%u,\"more\":1}\n", i * 1000 + 999);
            snprintf(keys[i], sizeof(keys[i]), "%u.json", i);
            bench_object(keys[i], t.p, t.len);
        }
        drip.n = 1; /* the schema is inferred from the first */
        bench_open(&b);
        drip.n = 6;
        b.tasks.n = 6;
        b.tasks.at = weir_mem_zalloc(b.mem, 6 * sizeof(*b.tasks.at));
        for (uint32_t i = 0; i < 6; i++)
            b.tasks.at[i] = (struct weir_task){.object = i, .store = &drip_store, .key = keys[i], .from = -1, .to = -1};
        bench_read(&b);
        assert_int_equal(b.rc, WEIR_OK);
        assert_int_equal(b.nrows, 6002);
        assert_int_equal(b.unknown, 3);
        bench_fini(&b);
        rmdir(schema_dir);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_and_drips_give_the_same_rows),
        cmocka_unit_test(the_elements_of_one_array_are_read_by_all_lanes),
        cmocka_unit_test(many_objects_are_shared_out),
        cmocka_unit_test(a_record_longer_than_a_block_is_read),
        cmocka_unit_test(a_record_over_the_limit_is_named_with_its_place),
        cmocka_unit_test(a_read_error_anywhere_stops_all_lanes_and_leaks_nothing),
        cmocka_unit_test(memory_that_runs_out_is_an_error_and_no_leak),
        cmocka_unit_test(an_object_that_changes_fails_one_that_is_gone_is_named),
        cmocka_unit_test(a_pinned_object_is_not_read_with_another_time),
        cmocka_unit_test(half_a_record_in_front_of_damage_is_passed_over),
        cmocka_unit_test(a_range_of_an_object_is_read_alone),
        cmocka_unit_test(bytes_that_a_source_has_fetched_are_read_from_their_block),
        cmocka_unit_test(the_first_object_with_an_unknown_field_is_named_whoever_is_first),
    };

    weir_log_setup(WEIR_LOG_ERROR, false);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
