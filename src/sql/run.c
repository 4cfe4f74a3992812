/* A query runs: SELECT sum(weir_sink(c0, c1, …)) FROM (the query), with weir's threads as DuckDB's.
 *
 * 1. weir_sink is a volatile function that returns 1: DuckDB calls it once for each row, in the lane that
 *    made the row, and it hands the chunk to the drain. The sum is compared with the rows that the drain was
 *    given.
 * 2. The control thread is lane 0: it executes the query, and ticks now and then when a callback runs on it.
 *    The other lanes are lent to DuckDB until the query is over. With one lane, rows come in the order of the
 *    query's ORDER BY.
 * 3. The drain's lanes are opened with their first rows and finished by their threads, only after the whole
 *    query was right. A query that fails leaves no finished lane.
 * 4. A stop interrupts DuckDB from a thread of its own, again and again until the query has ended: a lane may
 *    be deep in a sort.
 * Failures: the first error of a feed, kernel or drain is the result; else DuckDB's, put into words by
 * engine_fail(). */
#include "sql/engine_int.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/thread.h"
#include "base/time.h"

enum { TICK_US = 100 * 1000, AGAIN_MS = 10 };

#define TEXT_BYTES (UINT64_C(1) << 31)

struct engine_lane {
    struct engine_run *run;
    unsigned number;
    void *out;              /* the drain's lane */
    struct weir_page page;  /* lent */
    struct weir_col pos[2]; /* p0 and p1 of the query, when it has them */
    int64_t *at;
    int32_t *objects;
    uint64_t rows;
};

struct query { /* one execution */
    struct engine_run *run;
    duckdb_task_state tasks;
    duckdb_prepared_statement stmt;
    _Atomic bool right; /* set before the lanes come back */
};

static _Thread_local struct engine_lane *lane_self;

void
engine_run_fail(struct engine_run *run, const struct weir_error *err)
{
    pthread_mutex_lock(&run->lock);
    if (run->first.rc == WEIR_OK || (run->first.rc == WEIR_STOPPED && err->rc != WEIR_STOPPED))
        run->first = *err;
    pthread_mutex_unlock(&run->lock);
    atomic_store(&run->bad, true);
    if (run->q->failed != NULL)
        atomic_store(run->q->failed, true);
}

/* --- the sink
 * ---------------------------------------------------------------------------------------------------- */

static void
refuse_column(duckdb_bind_info info, struct engine_run *run, const char *name, duckdb_logical_type have)
{
    struct weir_error err = {0};

    weir_fail(&err, WEIR_BUG, "column %s of the query has DuckDB's type %d where another was planned", name,
              (int)duckdb_get_type_id(have));
    weir_error_hint(&err, "please report it with the query");
    engine_run_fail(run, &err);
    duckdb_scalar_function_bind_set_error(info, err.what);
}

/* The columns must have the planned types exactly: a cast here could change a value in silence. */
static void
sink_bind(duckdb_bind_info info)
{
    const struct weir_engine *e = duckdb_scalar_function_bind_get_extra_info(info);
    const struct weir_type *schema = e->run->q->plan->schema;
    idx_t n = duckdb_scalar_function_bind_get_argument_count(info);

    for (uint32_t i = 0; i < schema->nfields && i < n; i++) {
        duckdb_expression arg = duckdb_scalar_function_bind_get_argument(info, i);
        duckdb_logical_type type = duckdb_expression_return_type(arg);
        bool ok = vector_fits(type, schema->fields[i].type);

        if (!ok)
            refuse_column(info, e->run, schema->fields[i].name, type);
        duckdb_destroy_logical_type(&type);
        duckdb_destroy_expression(&arg);
        if (!ok)
            return;
    }
}

static void
lane_positions(struct engine_lane *lane, uint32_t rows)
{
    const struct weir_col *object = &lane->pos[0], *at = &lane->pos[1];

    for (uint32_t i = 0; i < rows; i++) {
        bool lost = weir_col_is_null(object, i) || weir_col_is_null(at, i);

        lane->objects[i] = lost ? -1 : ((const int32_t *)object->data)[i];
        lane->at[i] = lost ? -1 : ((const int64_t *)at->data)[i];
    }
}

static weir_rc
lane_write(struct engine_lane *lane, duckdb_data_chunk in, uint32_t rows, struct weir_error *err)
{
    const struct weir_drain *drain = lane->run->q->drain;
    struct weir_page *page = &lane->page;

    if (lane->out == NULL)
        WEIR_TRY(drain->lane_open(drain->self, lane->number, &lane->out, err));
    for (uint32_t i = 0; i < page->ncols; i++)
        WEIR_TRY(vector_lend(&page->cols[i], duckdb_data_chunk_get_vector(in, i), rows, err));
    if (page->pos != NULL) {
        for (uint32_t i = 0; i < 2; i++)
            WEIR_TRY(
                vector_lend(&lane->pos[i], duckdb_data_chunk_get_vector(in, page->ncols + i), rows, err));
        lane_positions(lane, rows);
    }
    page->rows = page->cap = rows;
    WEIR_TRY(drain->write(lane->out, page, err));
    lane->rows += rows;
    if (lane->run->q->rows != NULL)
        atomic_fetch_add_explicit(lane->run->q->rows, rows, memory_order_relaxed);
    return WEIR_OK;
}

static void
sink_chunk(duckdb_function_info info, duckdb_data_chunk in, duckdb_vector out)
{
    const struct weir_engine *e = duckdb_scalar_function_get_extra_info(info);
    uint32_t rows = (uint32_t)duckdb_data_chunk_get_size(in);
    int64_t *one = duckdb_vector_get_data(out);
    struct weir_error err = {0};
    weir_rc rc;

    WEIR_ASSERT(rows <= WEIR_PAGE_ROWS);
    if (lane_self == NULL || lane_self->run != e->run)
        rc = weir_fail(&err, WEIR_BUG, "a thread that is not weir's runs the query");
    else if (weir_stop_asked(e->env.stop))
        rc = weir_fail(&err, WEIR_STOPPED, "asked to stop");
    else
        rc = lane_write(lane_self, in, rows, &err);
    engine_run_tick(e->run);
    for (uint32_t i = 0; i < rows; i++)
        one[i] = 1;
    if (rc == WEIR_OK)
        return;
    err.rc = rc; /* END, when the drain has enough */
    engine_run_fail(e->run, &err);
    duckdb_scalar_function_set_error(info, err.what);
}

weir_rc
sink_register(struct weir_engine *e, struct weir_error *err)
{
    duckdb_scalar_function f = duckdb_create_scalar_function();
    duckdb_logical_type any = duckdb_create_logical_type(DUCKDB_TYPE_ANY);
    duckdb_logical_type number = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
    bool ok;

    duckdb_scalar_function_set_name(f, "weir_sink");
    duckdb_scalar_function_set_varargs(f, any);
    duckdb_scalar_function_set_return_type(f, number);
    duckdb_scalar_function_set_volatile(f);
    duckdb_scalar_function_set_special_handling(f);
    duckdb_scalar_function_set_extra_info(f, e, NULL);
    duckdb_scalar_function_set_bind(f, sink_bind);
    duckdb_scalar_function_set_function(f, sink_chunk);
    ok = duckdb_register_scalar_function(e->con, f) == DuckDBSuccess;
    duckdb_destroy_logical_type(&any);
    duckdb_destroy_logical_type(&number);
    duckdb_destroy_scalar_function(&f);
    return ok ? WEIR_OK : weir_fail(err, WEIR_BUG, "DuckDB does not take the function weir_sink");
}

/* --- the statement
 * ----------------------------------------------------------------------------------------------- */

/* A feed that is named twice is read once and kept. */
static void
statement_feeds(const struct engine_run *run, struct weir_buf *sql)
{
    const char *before = "WITH ";

    for (uint32_t i = 0; i < run->q->ninputs; i++) {
        if (run->feeds[i].bound < 2)
            continue;
        weir_buf_printf(sql, "%s%s AS MATERIALIZED (SELECT * FROM weir_feed(%u))", before,
                        run->q->inputs[i].name, i);
        before = ", ";
    }
    if (before[0] == ',')
        weir_buf_byte(sql, ' ');
}

static void
statement_text(const struct engine_run *run, struct weir_buf *sql)
{
    const struct weir_sql_plan *plan = run->q->plan;

    statement_feeds(run, sql);
    weir_buf_str(sql, "SELECT sum(weir_sink(");
    for (uint32_t i = 0; i < plan->schema->nfields; i++)
        weir_buf_printf(sql, "%sc%u", i == 0 ? "" : ", ", i);
    if (plan->position >= 0)
        weir_buf_printf(sql, "%sp0, p1", plan->schema->nfields == 0 ? "" : ", ");
    weir_buf_str(sql, ")) FROM (");
    weir_buf_str(sql, plan->text);
    weir_buf_str(sql, "\n) q");
}

/* A statement that cannot be prepared has no type of error, only its words. */
static duckdb_error_type
prepare_type(const char *text)
{
    static const struct {
        const char *words;
        duckdb_error_type type;
    } known[] = {{"Not implemented Error", DUCKDB_ERROR_NOT_IMPLEMENTED},
                 {"Out of Memory Error", DUCKDB_ERROR_OUT_OF_MEMORY},
                 {"INTERRUPT Error", DUCKDB_ERROR_INTERRUPT}};

    for (size_t i = 0; text != NULL && i < sizeof(known) / sizeof(*known); i++)
        if (strncmp(text, known[i].words, strlen(known[i].words)) == 0)
            return known[i].type;
    return DUCKDB_ERROR_BINDER;
}

static weir_rc
prepare_once(const struct engine_run *run, struct weir_buf *sql, duckdb_prepared_statement *stmt,
             struct weir_error *err)
{
    weir_buf_reset(sql);
    statement_text(run, sql);
    WEIR_TRY(weir_buf_check(sql, err));
    for (uint32_t i = 0; i < run->q->ninputs; i++)
        run->feeds[i].bound = 0;
    if (duckdb_prepare(run->e->con, sql->data, stmt) == DuckDBSuccess)
        return WEIR_OK;
    if (run->first.rc != WEIR_OK) {
        *err = run->first;
        return err->rc;
    }
    return engine_fail(run->e, prepare_type(duckdb_prepare_error(*stmt)), duckdb_prepare_error(*stmt), err);
}

static weir_rc
statement_prepare(struct engine_run *run, struct weir_buf *sql, duckdb_prepared_statement *stmt,
                  struct weir_error *err)
{
    bool twice = false;

    WEIR_TRY(relation_views(run, err));
    WEIR_TRY(prepare_once(run, sql, stmt, err));
    for (uint32_t i = 0; i < run->q->ninputs; i++)
        twice = twice || (run->feeds[i].feed != NULL && run->feeds[i].bound > 1);
    if (!twice)
        return WEIR_OK;
    duckdb_destroy_prepare(stmt);
    return prepare_once(run, sql, stmt, err);
}

/* --- running
 * ----------------------------------------------------------------------------------------------------- */

struct watch { /* who interrupts */
    struct weir_engine *e;
    int done; /* eventfd: the query has ended */
};

static void *
watch_main(void *arg)
{
    const struct watch *w = arg;
    struct pollfd fds[2] = {{.fd = w->done, .events = POLLIN}, {.fd = w->e->env.stop->fd, .events = POLLIN}};

    while (poll(fds, 2, -1) >= 0 || errno == EINTR) {
        if (fds[0].revents != 0)
            break;
        if (fds[1].revents == 0)
            continue;
        duckdb_interrupt(w->e->con);
        if (poll(fds, 1, AGAIN_MS) > 0)
            break;
    }
    return NULL;
}

void
engine_run_tick(struct engine_run *run)
{
    if (run->q->tick == NULL || lane_self == NULL || lane_self->number != 0 ||
        weir_mono_us() - run->ticked < TICK_US)
        return;
    run->q->tick(run->q->tick_self);
    run->ticked = weir_mono_us();
}

static weir_rc
query_sum(const struct engine_run *run, duckdb_result *result, struct weir_error *err)
{
    uint64_t given = 0;
    int64_t sum = duckdb_value_int64(result, 0, 0); /* 0 for the null of no rows */

    for (unsigned i = 0; i < run->nlanes; i++)
        given += run->lanes[i].rows;
    if (sum < 0 || (uint64_t)sum != given)
        return weir_fail(err, WEIR_BUG, "the query made %" PRId64 " rows, but %" PRIu64 " were written", sum,
                         given);
    return WEIR_OK;
}

static weir_rc
query_result(struct query *x, struct weir_error *err)
{
    struct engine_run *run = x->run;
    duckdb_result result;
    weir_rc rc;

    memset(&result, 0, sizeof(result));
    if (duckdb_execute_prepared(x->stmt, &result) != DuckDBSuccess)
        rc = engine_fail(run->e, duckdb_result_error_type(&result), duckdb_result_error(&result), err);
    else
        rc = query_sum(run, &result, err);
    duckdb_destroy_result(&result);
    return rc;
}

/* Lane 0. Whatever the outcome, the other lanes are called back. */
static void
query_run(struct query *x)
{
    struct weir_engine *e = x->run->e;
    struct watch watch = {.e = e, .done = -1};
    struct weir_error err = {0};
    unsigned long watcher = 0;
    bool watched = false;
    weir_rc rc = WEIR_OK;

    if (e->env.stop != NULL) {
        watch.done = eventfd(0, EFD_CLOEXEC);
        if (watch.done < 0)
            rc = weir_fail_os(&err, WEIR_IO, errno, "an eventfd cannot be had");
        else
            rc = weir_thread_start(watch_main, &watch, &watcher, &err);
        watched = rc == WEIR_OK;
    }
    if (rc == WEIR_OK)
        rc = query_result(x, &err);
    if (watched) {
        eventfd_write(watch.done, 1);
        weir_thread_join(watcher);
    }
    if (watch.done >= 0)
        close(watch.done);
    if (rc != WEIR_OK && !atomic_load(&x->run->bad)) /* else it is the echo of what a callback has kept */
        engine_run_fail(x->run, &err);
    atomic_store(&x->right, rc == WEIR_OK && !atomic_load(&x->run->bad));
    duckdb_finish_execution(x->tasks);
}

static weir_rc
lane_main(void *arg, unsigned number, struct weir_error *err)
{
    struct query *x = arg;
    struct engine_run *run = x->run;
    struct engine_lane *lane = &run->lanes[number];
    const struct weir_drain *drain = run->q->drain;
    weir_rc rc = WEIR_OK;

    lane_self = lane;
    if (number == 0)
        query_run(x);
    else
        duckdb_execute_tasks_state(x->tasks);
    lane_self = NULL;
    if (lane->out != NULL) {
        if (atomic_load(&x->right))
            rc = drain->lane_finish(lane->out, err);
        drain->lane_close(lane->out);
        lane->out = NULL;
    }
    return rc;
}

static weir_rc
lane_open(struct engine_run *run, unsigned number, struct weir_error *err)
{
    const struct weir_sql_plan *plan = run->q->plan;
    struct engine_lane *lane = &run->lanes[number];
    uint32_t n = plan->schema->nfields;
    weir_rc rc;

    lane->run = run;
    lane->number = number;
    lane->page.schema = plan->schema;
    lane->page.ncols = n;
    WEIR_NEW(lane->page.cols, run->mem, (n + 1) * sizeof(*lane->page.cols));
    for (uint32_t i = 0; i < n; i++)
        WEIR_GO(vector_col(&lane->page.cols[i], plan->schema->fields[i].type, run->mem, err));
    if (plan->position < 0)
        goto out;
    WEIR_NEW(lane->at, run->mem, WEIR_PAGE_ROWS * sizeof(*lane->at));
    WEIR_NEW(lane->objects, run->mem, WEIR_PAGE_ROWS * sizeof(*lane->objects));
    WEIR_GO(vector_col(&lane->pos[0], &weir_type_int, run->mem, err));
    WEIR_GO(vector_col(&lane->pos[1], &weir_type_long, run->mem, err));
    lane->page.pos = lane->at;
    lane->page.objects = lane->objects;
out:
    return rc;
}

static weir_rc
run_lanes(struct engine_run *run, duckdb_prepared_statement stmt, struct weir_error *err)
{
    struct query x = {.run = run, .stmt = stmt};
    _Atomic bool failed = false;
    weir_rc rc = WEIR_OK;

    WEIR_NEW(run->lanes, run->mem, run->nlanes * sizeof(*run->lanes));
    for (unsigned i = 0; i < run->nlanes; i++)
        WEIR_GO(lane_open(run, i, err));
    x.tasks = duckdb_create_task_state(run->e->db);
    rc = weir_lanes_run(run->nlanes, lane_main, &x, &failed, err);
    duckdb_destroy_task_state(x.tasks);
    if (run->first.rc == WEIR_END)
        rc = WEIR_OK;
    else if (run->first.rc != WEIR_OK)
        rc = (*err = run->first).rc;
out:
    return rc;
}

static weir_rc
run_begin(struct weir_engine *e, const struct weir_engine_query *q, struct engine_run *run,
          struct weir_error *err)
{
    *run = (struct engine_run){.e = e, .q = q, .lock = PTHREAD_MUTEX_INITIALIZER};
    run->nlanes = q->lanes < 1 ? 1 : q->lanes < e->env.lanes ? q->lanes : e->env.lanes;
    run->mem = weir_mem_new(NULL, e->env.quota, "query");
    if (run->mem == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for a query; raise weir.memoryLimit");
    WEIR_TRY(relation_open(run, run->mem, err));
    WEIR_TRY(engine_ready(e, q, err));
    e->run = run;
    return WEIR_OK;
}

/* A database that met an internal error answers nothing more; nor is one kept that may still be busy. */
static void
run_end(struct engine_run *run, duckdb_prepared_statement *stmt, weir_rc rc)
{
    duckdb_destroy_prepare(stmt);
    if (rc != WEIR_OK)
        engine_close_db(run->e);
    relation_close(run);
    run->e->run = NULL;
    weir_mem_free(run->mem);
    pthread_mutex_destroy(&run->lock);
}

weir_rc
weir_engine_run(struct weir_engine *e, const struct weir_engine_query *q, struct weir_error *err)
{
    struct weir_buf sql = WEIR_BUF(TEXT_BYTES);
    duckdb_prepared_statement stmt = NULL;
    struct engine_run run;
    weir_rc rc;

    WEIR_GO(run_begin(e, q, &run, err));
    WEIR_GO(statement_prepare(&run, &sql, &stmt, err));
    WEIR_GO(run_lanes(&run, stmt, err));
out:
    run_end(&run, &stmt, rc);
    weir_buf_fini(&sql);
    return rc;
}

static weir_rc
explain_text(struct engine_run *run, const struct weir_buf *sql, struct weir_buf *out, struct weir_error *err)
{
    struct weir_buf text = WEIR_BUF(TEXT_BYTES);
    duckdb_result result;
    char *plan = NULL;
    weir_rc rc = WEIR_OK;

    memset(&result, 0, sizeof(result));
    weir_buf_str(&text, "EXPLAIN ");
    weir_buf_add(&text, sql->data, sql->len);
    WEIR_GO(weir_buf_check(&text, err));
    if (duckdb_query(run->e->con, text.data, &result) != DuckDBSuccess)
        WEIR_GO(engine_fail(run->e, duckdb_result_error_type(&result), duckdb_result_error(&result), err));
    plan = duckdb_value_varchar(&result, 1, 0);
    weir_buf_str(out, plan == NULL ? "" : plan);
out:
    duckdb_free(plan);
    duckdb_destroy_result(&result);
    weir_buf_fini(&text);
    return rc;
}

weir_rc
weir_engine_explain(struct weir_engine *e, const struct weir_engine_query *q, struct weir_buf *out,
                    struct weir_error *err)
{
    struct weir_buf sql = WEIR_BUF(TEXT_BYTES);
    duckdb_prepared_statement stmt = NULL;
    struct engine_run run;
    weir_rc rc;

    WEIR_GO(run_begin(e, q, &run, err));
    WEIR_GO(statement_prepare(&run, &sql, &stmt, err));
    if (out != NULL)
        WEIR_GO(explain_text(&run, &sql, out, err));
out:
    run_end(&run, &stmt, rc);
    weir_buf_fini(&sql);
    return rc;
}
