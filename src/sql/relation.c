/* What stands behind the names in FROM: feeds of pages as a table function, SELECTs as views, and
 * weir_alive() for the SELECTs whose files have deleted rows.
 *
 * 1. weir_feed(i) yields the columns of input i: c0, c1 … (schema), h0, h1 … (hidden), p0 and p1 (position).
 *    Only those that the query uses are copied into DuckDB's vectors; texts stay in the page.
 * 2. A lane of a feed belongs to a place in the plan, not to a thread: DuckDB may go on with it elsewhere,
 *    but never in two threads at once. Its page is emptied when DuckDB drops the place, so that its blocks
 *    come back even when the query failed; the lane is closed behind the query.
 * 3. A feed yields each row once. A query that names it more than once gets it as a CTE that DuckDB keeps
 *    (`materialized`): counted while the query is bound, before a row is read.
 * Threads: binding on the control thread; scans on any lane. */
#include "sql/engine_int.h"

#include <string.h>

/* The stream is the large side of a join unless something better is known. */
#define STREAM_ROWS UINT64_C(1000000000)

struct engine_feed_lane {
    struct engine_feed *feed;
    void *in;
    struct weir_page *page;
    bool done;
};

struct feed_scan { /* which of the columns the query uses */
    struct engine_feed *feed;
    idx_t n;
    idx_t cols[];
};

static void
scan_fail(duckdb_function_info info, struct engine_run *run, const struct weir_error *err)
{
    engine_run_fail(run, err);
    duckdb_function_set_error(info, err->what);
}

static void
init_fail(duckdb_init_info info, struct engine_run *run, const struct weir_error *err)
{
    engine_run_fail(run, err);
    duckdb_init_set_error(info, err->what);
}

/* --- binding
 * ----------------------------------------------------------------------------------------------------- */

/* DuckDB has no type for a struct whose fields differ by case alone. */
static void
bind_column(duckdb_bind_info info, char letter, uint32_t i, duckdb_logical_type type)
{
    char name[16];

    if (type == NULL) {
        duckdb_bind_set_error(
            info, "Not implemented Error: a struct has two fields whose names differ by case alone");
        return;
    }
    snprintf(name, sizeof(name), "%c%u", letter, i);
    duckdb_bind_add_result_column(info, name, type);
    duckdb_destroy_logical_type(&type);
}

static void
feed_bind(duckdb_bind_info info)
{
    struct weir_engine *e = duckdb_bind_get_extra_info(info);
    duckdb_value value = duckdb_bind_get_parameter(info, 0);
    int64_t i = duckdb_get_int64(value);
    const struct weir_sql_relation *rel;
    struct engine_feed *feed;
    uint32_t n;

    duckdb_destroy_value(&value);
    if (e->run == NULL || i < 0 || i >= e->run->q->ninputs || e->run->feeds[i].feed == NULL) {
        duckdb_bind_set_error(info, "there is no such feed");
        return;
    }
    feed = &e->run->feeds[i];
    rel = feed->relation;
    n = rel->schema->nfields;
    for (uint32_t c = 0; c < n; c++)
        bind_column(info, 'c', c, vector_type(feed->feed->schema->fields[c].type));
    for (uint32_t h = 0; rel->hidden != NULL && h < rel->hidden->nfields; h++)
        bind_column(info, 'h', h, vector_type(feed->feed->schema->fields[n + h].type));
    bind_column(info, 'p', 0, duckdb_create_logical_type(DUCKDB_TYPE_INTEGER));
    bind_column(info, 'p', 1, duckdb_create_logical_type(DUCKDB_TYPE_BIGINT));
    duckdb_bind_set_cardinality(info, rel->rows > 0 ? rel->rows : rel->is_stream ? STREAM_ROWS : 1000, false);
    duckdb_bind_set_bind_data(info, feed, NULL);
    feed->bound++;
}

static void
feed_init(duckdb_init_info info)
{
    struct engine_feed *feed = duckdb_init_get_bind_data(info);
    idx_t n = duckdb_init_get_column_count(info);
    struct feed_scan *scan = malloc(sizeof(*scan) + n * sizeof(scan->cols[0]));
    struct weir_error err = {0};

    if (scan == NULL) {
        weir_fail(&err, WEIR_NOMEM, "no memory to read a feed");
        init_fail(info, feed->run, &err);
        return;
    }
    scan->feed = feed;
    scan->n = n;
    for (idx_t i = 0; i < n; i++)
        scan->cols[i] = duckdb_init_get_column_index(info, i);
    duckdb_init_set_init_data(info, scan, free);
    duckdb_init_set_max_threads(info, feed->run->nlanes);
}

/* --- scanning
 * ---------------------------------------------------------------------------------------------------- */

/* DuckDB is through with the place: the page's blocks go back to the window. */
static void
lane_drop(void *arg)
{
    struct engine_feed_lane *lane = arg;

    if (lane->page != NULL)
        weir_page_reset(lane->page);
    lane->done = true;
}

static void
lane_init(duckdb_init_info info)
{
    struct engine_feed *feed = duckdb_init_get_bind_data(info);
    unsigned number = atomic_fetch_add(&feed->opened, 1);
    struct engine_feed_lane *lane = number < feed->nlanes ? &feed->lanes[number] : NULL;
    struct weir_error err = {0};
    weir_rc rc;

    if (lane == NULL) /* the others read it all */
        return;
    lane->feed = feed;
    rc = feed->feed->lane_open(feed->feed->self, number, &lane->in, &err);
    if (rc == WEIR_OK)
        rc = weir_page_new(feed->feed->schema, feed->run->e->env.quota, &lane->page, &err);
    if (rc != WEIR_OK) {
        init_fail(info, feed->run, &err);
        return;
    }
    duckdb_init_set_init_data(info, lane, lane_drop);
}

static void
put_position(duckdb_vector vector, const struct weir_page *page, bool object)
{
    void *to = duckdb_vector_get_data(vector);

    if (!object) {
        memcpy(to, page->pos, page->rows * sizeof(*page->pos));
        return;
    }
    for (uint32_t i = 0; i < page->rows; i++)
        ((int32_t *)to)[i] = (int32_t)page->object;
}

static void
put_page(const struct feed_scan *scan, const struct weir_page *page, duckdb_data_chunk out)
{
    for (idx_t i = 0; i < scan->n; i++) {
        duckdb_vector vector = duckdb_data_chunk_get_vector(out, i);

        if (scan->cols[i] < page->ncols)
            vector_put(vector, &page->cols[scan->cols[i]], page->rows, NULL);
        else if (scan->cols[i] < page->ncols + 2u)
            put_position(vector, page, scan->cols[i] == page->ncols);
        /* else: DuckDB's way to say that it needs no column at all */
    }
    duckdb_data_chunk_set_size(out, page->rows);
}

static void
feed_scan(duckdb_function_info info, duckdb_data_chunk out)
{
    const struct feed_scan *scan = duckdb_function_get_init_data(info);
    struct engine_feed_lane *lane = duckdb_function_get_local_init_data(info);
    struct engine_run *run = scan->feed->run;
    struct weir_error err = {0};
    weir_rc rc = WEIR_END;

    if (lane != NULL && !lane->done) {
        if (weir_stop_asked(run->e->env.stop))
            rc = weir_fail(&err, WEIR_STOPPED, "asked to stop");
        else
            rc = lane->feed->feed->next(lane->in, lane->page, &err);
    }
    engine_run_tick(run);
    if (rc == WEIR_OK) {
        if (scan->feed->relation->is_stream && run->q->taken != NULL)
            atomic_fetch_add_explicit(run->q->taken, lane->page->rows, memory_order_relaxed);
        put_page(scan, lane->page, out);
        return;
    }
    if (lane != NULL)
        lane->done = true;
    duckdb_data_chunk_set_size(out, 0);
    if (rc != WEIR_END)
        scan_fail(info, run, &err);
}

static weir_rc
feed_register(struct weir_engine *e, struct weir_error *err)
{
    duckdb_table_function f = duckdb_create_table_function();
    duckdb_logical_type number = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
    bool ok;

    duckdb_table_function_set_name(f, "weir_feed");
    duckdb_table_function_add_parameter(f, number);
    duckdb_table_function_set_extra_info(f, e, NULL);
    duckdb_table_function_set_bind(f, feed_bind);
    duckdb_table_function_set_init(f, feed_init);
    duckdb_table_function_set_local_init(f, lane_init);
    duckdb_table_function_set_function(f, feed_scan);
    duckdb_table_function_supports_projection_pushdown(f, true);
    ok = duckdb_register_table_function(e->con, f) == DuckDBSuccess;
    duckdb_destroy_logical_type(&number);
    duckdb_destroy_table_function(&f);
    return ok ? WEIR_OK : weir_fail(err, WEIR_BUG, "DuckDB does not take the function weir_feed");
}

/* --- deletion vectors
 * -------------------------------------------------------------------------------------------- */

/* The first argument is a literal, so all rows of a chunk ask the same input. */
static const struct weir_alive *
alive_of(const struct engine_run *run, int64_t number)
{
    char name[24];

    snprintf(name, sizeof(name), "r%lld", (long long)number);
    for (uint32_t i = 0; run != NULL && i < run->q->ninputs; i++)
        if (strcmp(run->q->inputs[i].name, name) == 0)
            return run->q->inputs[i].alive;
    return NULL;
}

static void
alive_chunk(duckdb_function_info info, duckdb_data_chunk in, duckdb_vector out)
{
    const struct weir_engine *e = duckdb_scalar_function_get_extra_info(info);
    uint32_t rows = (uint32_t)duckdb_data_chunk_get_size(in);
    const int64_t *args[3];
    const struct weir_alive *alive;

    if (rows == 0)
        return;
    for (idx_t i = 0; i < 3; i++)
        args[i] = duckdb_vector_get_data(duckdb_data_chunk_get_vector(in, i));
    alive = alive_of(e->run, args[0][0]);
    if (alive == NULL)
        duckdb_scalar_function_set_error(info, "weir_alive: this input has no deletion vectors");
    else
        alive->look(alive->self, args[1], args[2], rows, duckdb_vector_get_data(out));
}

static weir_rc
alive_register(struct weir_engine *e, struct weir_error *err)
{
    duckdb_scalar_function f = duckdb_create_scalar_function();
    duckdb_logical_type number = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
    duckdb_logical_type truth = duckdb_create_logical_type(DUCKDB_TYPE_BOOLEAN);
    bool ok;

    duckdb_scalar_function_set_name(f, "weir_alive");
    for (int i = 0; i < 3; i++)
        duckdb_scalar_function_add_parameter(f, number);
    duckdb_scalar_function_set_return_type(f, truth);
    duckdb_scalar_function_set_extra_info(f, e, NULL);
    duckdb_scalar_function_set_function(f, alive_chunk);
    ok = duckdb_register_scalar_function(e->con, f) == DuckDBSuccess;
    duckdb_destroy_logical_type(&number);
    duckdb_destroy_logical_type(&truth);
    duckdb_destroy_scalar_function(&f);
    return ok ? WEIR_OK : weir_fail(err, WEIR_BUG, "DuckDB does not take the function weir_alive");
}

weir_rc
relation_register(struct weir_engine *e, struct weir_error *err)
{
    WEIR_TRY(feed_register(e, err));
    return alive_register(e, err);
}

/* --- a run
 * ------------------------------------------------------------------------------------------------------- */

/* Names are weir's own ("r0"): they need no quotes, and one that did would be a hole. */
static bool
is_private(const char *name)
{
    return name[0] == 'r' && name[1] != '\0' && name[1 + strspn(name + 1, "0123456789")] == '\0';
}

static const struct weir_sql_relation *
relation_of(const struct weir_sql_plan *plan, const char *name)
{
    for (uint32_t i = 0; i < plan->nrelations; i++)
        if (strcmp(plan->relations[i].name, name) == 0)
            return &plan->relations[i];
    return NULL;
}

weir_rc
relation_views(struct engine_run *run, struct weir_error *err)
{
    for (uint32_t i = 0; i < run->q->ninputs; i++) {
        const struct weir_engine_input *in = &run->q->inputs[i];
        struct weir_buf sql = WEIR_BUF(SIZE_MAX / 4);
        weir_rc rc;

        if (run->feeds[i].relation == NULL) /* the query does not use it */
            continue;
        weir_buf_printf(&sql, "CREATE OR REPLACE TEMP VIEW %s AS ", in->name);
        if (in->feed != NULL)
            weir_buf_printf(&sql, "SELECT * FROM weir_feed(%u)", i);
        else
            weir_buf_str(&sql, in->select);
        rc = weir_buf_check(&sql, err);
        if (rc == WEIR_OK)
            rc = engine_exec(run->e, sql.data, err);
        weir_buf_fini(&sql);
        run->feeds[i].bound = 0;
        if (rc != WEIR_OK)
            return weir_error_context(err, "relation %s", in->name);
    }
    return WEIR_OK;
}

weir_rc
relation_open(struct engine_run *run, struct weir_mem *mem, struct weir_error *err)
{
    weir_rc rc = WEIR_OK;

    WEIR_NEW(run->feeds, mem, (run->q->ninputs + 1) * sizeof(*run->feeds));
    for (uint32_t i = 0; i < run->q->ninputs; i++) {
        struct engine_feed *feed = &run->feeds[i];
        const struct weir_engine_input *in = &run->q->inputs[i];

        WEIR_ASSERT(is_private(in->name));
        feed->run = run;
        feed->relation = relation_of(run->q->plan, in->name);
        feed->feed = in->feed;
        feed->nlanes = run->nlanes;
        if (feed->relation == NULL || feed->feed == NULL)
            continue;
        WEIR_ASSERT(feed->feed->schema->nfields ==
                    feed->relation->schema->nfields +
                        (feed->relation->hidden == NULL ? 0 : feed->relation->hidden->nfields));
        WEIR_NEW(feed->lanes, mem, run->nlanes * sizeof(*feed->lanes));
    }
out:
    return rc;
}

void
relation_close(struct engine_run *run)
{
    for (uint32_t i = 0; run->feeds != NULL && i < run->q->ninputs; i++) {
        struct engine_feed *feed = &run->feeds[i];

        for (unsigned k = 0; feed->lanes != NULL && k < feed->nlanes; k++) {
            /* The page may hold input blocks: it goes before the feed's lane. */
            weir_page_free(feed->lanes[k].page);
            if (feed->lanes[k].in != NULL)
                feed->feed->lane_close(feed->lanes[k].in);
        }
    }
}
