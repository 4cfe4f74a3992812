/* From a query's text to its rows: names are found here, the rest is sql/'s.
 *
 * 1. A binding has an arena of its own, emptied by the next one; relations r0, r1 … are in the order in which
 *    the query names them, each table once.
 * 2. Tables are opened at binding, for their schema, and scanned at each run; both at the same version. Those that
 *    pin() opened are kept until the next pin(), so that a batch reads a table's log once.
 * 3. DuckDB is opened by the first run or explain, and kept between batches.
 * Failures: NOMEM of a run leaves the query usable, so that it can be tried again in one lane. */
#include "pipeline/query.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "pipeline/files_table.h"
#include "pipeline/place.h"
#include "sql/engine.h"
#include "table/scan.h"

enum { RELATIONS_MAX = 64 };

struct relation {
    const char *key; /* what it was found by: a table's name or path, and version */
    struct weir_sql_relation sql;
    char name[8];
    /* one of these; none: the source */
    struct weir_table *table; /* q->kept's, or its own */
    bool owned;
    struct weir_files_table *files;
    /* while it runs */
    struct weir_table_scan *scan;
    struct weir_feed feed;
};

struct weir_query {
    struct weir_query_env env;
    struct weir_mem *mem, *bound;
    struct weir_node *tree;
    struct weir_sql_settings set;
    const struct weir_type *source; /* of the running binding */
    json_t *versions;
    struct weir_buf pinned;
    struct weir_table **kept; /* one a table of env, as pin() opened it; NULL */
    struct relation relations[RELATIONS_MAX];
    uint32_t nrelations;
    struct weir_sql_plan *plan;
    struct weir_engine *engine;
    bool narrow;
};

/* --- opening
 * ----------------------------------------------------------------------------------------------------- */

weir_rc
weir_query_open(const struct weir_query_env *env, struct weir_query **out, struct weir_error *err)
{
    struct weir_mem *mem = weir_mem_new(NULL, env->quota, "query");
    struct weir_query *q = mem == NULL ? NULL : weir_mem_zalloc(mem, sizeof(*q));
    weir_rc rc;

    *out = NULL;
    if (q == NULL || (q->bound = weir_mem_new(mem, env->quota, "bound query")) == NULL) {
        weir_mem_free(mem);
        return weir_fail(err, WEIR_NOMEM, "no memory for the query; raise weir.memoryLimit");
    }
    q->mem = mem;
    q->env = *env;
    weir_buf_init(&q->pinned, WEIR_SMALL_MAX, env->quota);
    q->kept = weir_mem_zalloc(mem, (env->ntables + 1) * sizeof(*q->kept));
    if (q->kept == NULL) {
        weir_query_close(q);
        return weir_fail(err, WEIR_NOMEM, "no memory for the query; raise weir.memoryLimit");
    }
    q->set = (struct weir_sql_settings){.zone = env->zone,
                                        .zone_name = env->zone_name,
                                        .ansi = env->ansi,
                                        .case_sensitive = env->case_sensitive,
                                        .corrupt_name = env->corrupt_name,
                                        .on_row_error =
                                            env->null_on_row_error ? WEIR_ROW_NULL : WEIR_ROW_FAIL};
    rc = weir_sql_parse(env->text, strlen(env->text), mem, &q->tree, err);
    if (rc != WEIR_OK)
        weir_query_close(q);
    else
        *out = q;
    return rc;
}

static void
relations_close(struct weir_query *q)
{
    for (uint32_t i = 0; i < q->nrelations; i++) {
        weir_table_scan_free(q->relations[i].scan);
        if (q->relations[i].owned)
            weir_table_close(q->relations[i].table);
        weir_files_table_close(q->relations[i].files);
    }
    q->nrelations = 0;
}

weir_rc
weir_query_temp_check(const char *name, const char *folder, struct weir_error *err)
{
    struct stat st;

    if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode)) {
        weir_fail(err, WEIR_USAGE, "%s: %s is no folder that is there", name, folder);
        return weir_error_hint(err, "make it, or correct %s", name);
    }
    if (access(folder, W_OK | X_OK) != 0) {
        weir_fail(err, WEIR_DENIED, "%s: %s cannot be written to: %s", name, folder, strerror(errno));
        return weir_error_hint(err, "give the user that runs weir the right to it");
    }
    return WEIR_OK;
}

void
weir_query_close(struct weir_query *q)
{
    if (q == NULL)
        return;
    weir_engine_close(q->engine);
    relations_close(q);
    for (uint32_t i = 0; q->kept != NULL && i < q->env.ntables; i++)
        weir_table_close(q->kept[i]);
    json_decref(q->versions);
    weir_buf_fini(&q->pinned);
    weir_mem_free(q->mem);
}

/* --- names
 * ------------------------------------------------------------------------------------------------------- */

static struct relation *
relation_add(struct weir_query *q, const char *key, struct weir_error *err)
{
    struct relation *r = &q->relations[q->nrelations];

    if (q->nrelations == RELATIONS_MAX) {
        weir_fail(err, WEIR_UNSUPPORTED, "query: more than %d tables are named", RELATIONS_MAX);
        return NULL;
    }
    *r = (struct relation){.key = key};
    snprintf(r->name, sizeof(r->name), "r%u", (unsigned)q->nrelations);
    r->sql.name = r->name;
    q->nrelations++;
    return r;
}

/* Of a feed's columns the last one is hidden. */
static weir_rc
relation_hide(struct weir_query *q, struct relation *r, const struct weir_type *all,
              struct weir_sql_relation *out, struct weir_error *err)
{
    r->sql.schema = weir_type_struct(q->bound, all->fields, all->nfields - 1);
    r->sql.hidden = weir_type_struct(q->bound, &all->fields[all->nfields - 1], 1);
    *out = r->sql;
    return r->sql.schema == NULL || r->sql.hidden == NULL ? weir_mem_fail(q->bound, 0, err) : WEIR_OK;
}

static weir_rc
relation_source(struct weir_query *q, struct weir_sql_relation *out, struct weir_error *err)
{
    struct relation *r = relation_add(q, "source", err);

    if (r == NULL)
        return err->rc;
    r->sql.is_stream = true;
    return relation_hide(q, r, q->source, out, err);
}

/* About a hundred bytes a row: the estimate only says which side of a join is held. */
static weir_rc
relation_files(struct weir_query *q, const char *key, const char *format, const char *path,
               struct weir_sql_relation *out, struct weir_error *err)
{
    struct relation *r = relation_add(q, key, err);

    if (r == NULL)
        return err->rc;
    WEIR_TRY(weir_files_table_open(format, path, q->env.zone_name, q->env.stop, &r->files, err));
    r->sql.rows = weir_files_table_bytes(r->files) / 100 + 1;
    return relation_hide(q, r, weir_files_table_schema(r->files), out, err);
}

/* A table that is not there will not come by itself, unlike the files of a source. */
static weir_rc
table_missing(struct weir_error *err)
{
    if (err->rc == WEIR_NOTFOUND)
        err->rc = WEIR_USAGE;
    return err->rc;
}

/* kept: of pin(); NULL */
static weir_rc
relation_delta(struct weir_query *q, const char *key, struct weir_table_ask *ask, struct weir_table *kept,
               struct weir_sql_relation *out, struct weir_error *err)
{
    struct relation *r = relation_add(q, key, err);

    if (r == NULL)
        return err->rc;
    ask->zone = q->env.zone;
    r->table = kept != NULL && kept->snap->version == ask->version ? kept : NULL;
    r->owned = r->table == NULL;
    if (r->owned && weir_table_open(ask, q->env.quota, &r->table, err) != WEIR_OK)
        return table_missing(err);
    r->sql.schema = r->table->schema;
    *out = r->sql;
    return WEIR_OK;
}

static weir_rc
relation_table(struct weir_query *q, const struct weir_query_table *t, const char *key, int64_t version,
               const char *timestamp, struct weir_sql_relation *out, struct weir_error *err)
{
    struct weir_table_ask ask = {.path = t->path, .version = version, .timestamp = timestamp};

    if (version < 0 && timestamp == NULL && q->versions != NULL)
        WEIR_TRY(weir_json_get_int(q->versions, t->name, -1, &ask.version, err));
    if (relation_delta(q, key, &ask, q->kept[t - q->env.tables], out, err) != WEIR_OK)
        return weir_error_context(err, "table %s", t->name);
    return WEIR_OK;
}

static weir_rc
relation_path(struct weir_query *q, const char *const *parts, const char *key, int64_t version,
              const char *timestamp, struct weir_sql_relation *out, struct weir_error *err)
{
    struct weir_table_ask ask = {.version = version, .timestamp = timestamp};
    struct weir_slice format = weir_slice(parts[0], strlen(parts[0]));

    if (!q->env.paths) {
        weir_fail(err, WEIR_UNSUPPORTED,
                  "query: %s.`%s`: a pipeline's tables are named under tables:", parts[0], parts[1]);
        return weir_error_hint(
            err, "tables: { name: { format: delta, path: %s } }, so that each batch reads one version",
            parts[1]);
    }
    WEIR_TRY(weir_place_absolute(parts[1], q->env.dir, q->bound, &ask.path, err));
    if (weir_slice_is_nocase(format, "json")) {
        if (version >= 0 || timestamp != NULL)
            return weir_fail(err, WEIR_USAGE, "query: json.`%s`: files have no versions", parts[1]);
        return relation_files(q, key, "json", ask.path, out, err);
    }
    if (!weir_slice_is_nocase(format, "delta"))
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "query: %s.`%s`: this version reads delta.`PATH` and json.`PATH`", parts[0],
                         parts[1]);
    return relation_delta(q, key, &ask, NULL, out, err);
}

static weir_rc
relation_unknown(const struct weir_query *q, const char *name, struct weir_error *err)
{
    const char *names[RELATIONS_MAX + 1], *near;
    uint32_t n = 0;

    if (q->source != NULL)
        names[n++] = "source";
    for (uint32_t i = 0; i < q->env.ntables && n < RELATIONS_MAX; i++)
        names[n++] = q->env.tables[i].name;
    near = weir_nearest(name, names, n);
    weir_fail(err, WEIR_SCHEMA, "query: there is no table %s", name);
    if (near != NULL)
        return weir_error_hint(err, "did you mean %s?", near);
    return q->source != NULL
               ? weir_error_hint(err, "`source` is the batch; other tables are named under tables:")
               : weir_error_hint(err, "name a table by its folder: delta.`PATH`");
}

/* What tells one use of a table from another: the parts and the version. */
static const char *
relation_key(struct weir_query *q, const char *const *parts, uint32_t n, int64_t version,
             const char *timestamp)
{
    return weir_mem_printf(q->bound, "%s\n%s\n%" PRId64 "\n%s", parts[0], n > 1 ? parts[1] : "", version,
                           timestamp == NULL ? "" : timestamp);
}

static weir_rc
query_relation(void *self, const char *const *parts, uint32_t n, int64_t version, const char *timestamp,
               struct weir_sql_relation *out, struct weir_error *err)
{
    struct weir_query *q = self;
    const char *key = relation_key(q, parts, n, version, timestamp);
    bool is_source =
        n == 1 && q->source != NULL && weir_slice_is_nocase(weir_slice(parts[0], strlen(parts[0])), "source");

    if (key == NULL)
        return weir_mem_fail(q->bound, 0, err);
    if (is_source && (version >= 0 || timestamp != NULL))
        return weir_fail(err, WEIR_USAGE, "query: source is the batch, it has no versions");
    for (uint32_t i = 0; i < q->nrelations; i++)
        if (strcmp(q->relations[i].key, key) == 0 || (is_source && q->relations[i].sql.is_stream)) {
            *out = q->relations[i].sql;
            return WEIR_OK;
        }
    if (is_source)
        return relation_source(q, out, err);
    for (uint32_t i = 0; n == 1 && i < q->env.ntables; i++)
        if (weir_slice_is_nocase(weir_slice(parts[0], strlen(parts[0])), q->env.tables[i].name))
            return relation_table(q, &q->env.tables[i], key, version, timestamp, out, err);
    if (n == 2)
        return relation_path(q, parts, key, version, timestamp, out, err);
    return relation_unknown(q, parts[0], err);
}

/* --- binding
 * ----------------------------------------------------------------------------------------------------- */

weir_rc
weir_query_pin(struct weir_query *q, const char **versions, struct weir_error *err)
{
    weir_rc rc;

    *versions = NULL;
    if (q->env.ntables == 0)
        return WEIR_OK;
    relations_close(q); /* they may use what is replaced here */
    q->plan = NULL;
    weir_buf_reset(&q->pinned);
    for (uint32_t i = 0; i < q->env.ntables; i++) {
        const struct weir_query_table *t = &q->env.tables[i];
        const struct weir_table_ask ask = {.path = t->path, .version = -1, .zone = q->env.zone};

        weir_table_close(q->kept[i]);
        q->kept[i] = NULL;
        rc = weir_table_open(&ask, q->env.quota, &q->kept[i], err);
        if (rc != WEIR_OK) {
            table_missing(err);
            return weir_error_context(err, "table %s", t->name);
        }
        weir_buf_byte(&q->pinned, i == 0 ? '{' : ',');
        weir_buf_json(&q->pinned, t->name, strlen(t->name));
        weir_buf_printf(&q->pinned, ":%" PRId64, q->kept[i]->snap->version);
    }
    weir_buf_byte(&q->pinned, '}');
    WEIR_TRY(weir_buf_check(&q->pinned, err));
    *versions = q->pinned.data;
    return WEIR_OK;
}

weir_rc
weir_query_bind(struct weir_query *q, const struct weir_type *source, const char *versions, int64_t now_us,
                const struct weir_type **out, struct weir_error *err)
{
    const struct weir_sql_env env = {.set = &q->set, .self = q, .relation = query_relation};

    relations_close(q);
    weir_mem_reset(q->bound);
    q->plan = NULL;
    q->source = source;
    q->set.now_us = now_us;
    json_decref(q->versions);
    q->versions = NULL;
    if (versions != NULL)
        WEIR_TRY(weir_json_load(versions, strlen(versions), &q->versions, err));
    WEIR_TRY(weir_sql_bind(q->tree, q->env.text, &env, q->bound, &q->plan, err));
    *out = q->plan->schema;
    return WEIR_OK;
}

const struct weir_sql_plan *
weir_query_plan(const struct weir_query *q)
{
    return q->plan;
}

bool
weir_query_ordered(const struct weir_query *q)
{
    enum { ORDER = 2 }; /* of a QUERY's kids */

    return q->tree->kind == WEIR_NODE_QUERY && q->tree->nkids > ORDER && q->tree->kids[ORDER] != NULL;
}

/* --- running
 * ----------------------------------------------------------------------------------------------------- */

static weir_rc
query_engine(struct weir_query *q, struct weir_error *err)
{
    const struct weir_engine_env env = {.memory_bytes =
                                            q->env.memory_bytes + (q->narrow ? q->env.more_bytes : 0),
                                        .lanes = q->narrow ? 1 : q->env.lanes,
                                        .temp_directory = q->env.temp_directory,
                                        .quota = q->env.quota,
                                        .stop = q->env.stop};

    return q->engine != NULL ? WEIR_OK : weir_engine_open(&env, &q->engine, err);
}

bool
weir_query_narrow(struct weir_query *q)
{
    if (q->narrow)
        return false;
    q->narrow = true;
    weir_engine_close(q->engine);
    q->engine = NULL;
    return true;
}

/* feed: of the source. failed NULL: nothing will be read. */
static weir_rc
query_inputs(struct weir_query *q, const struct weir_feed *feed, unsigned lanes, _Atomic bool *failed,
             struct weir_engine_input *inputs, struct weir_error *err)
{
    for (uint32_t i = 0; i < q->nrelations; i++) {
        struct relation *r = &q->relations[i];
        const struct weir_table_scan_ask ask = {.name = r->name, .zone = q->env.zone};

        inputs[i] = (struct weir_engine_input){.name = r->name};
        if (r->table == NULL) {
            inputs[i].feed = r->files == NULL ? feed : &r->feed;
            r->feed =
                (struct weir_feed){.schema = r->files == NULL ? NULL : weir_files_table_schema(r->files)};
            if (r->files != NULL && failed != NULL)
                WEIR_TRY(weir_files_table_feed(r->files, lanes, failed, &r->feed, err));
            continue;
        }
        if (r->scan == NULL)
            WEIR_TRY(weir_table_scan(r->table, &ask, &r->scan, err));
        inputs[i].select = r->scan->select;
        inputs[i].folders = r->scan->folders;
        inputs[i].alive = r->scan->alive;
    }
    return WEIR_OK;
}

weir_rc
weir_query_run(struct weir_query *q, const struct weir_query_run *run, struct weir_error *err)
{
    struct weir_engine_input inputs[RELATIONS_MAX];
    unsigned lanes = q->narrow ? 1 : run->lanes;
    _Atomic bool own = false, *failed = run->failed == NULL ? &own : run->failed;
    const struct weir_engine_query query = {.plan = q->plan,
                                            .set = &q->set,
                                            .inputs = inputs,
                                            .ninputs = q->nrelations,
                                            .drain = run->drain,
                                            .lanes = lanes,
                                            .failed = failed,
                                            .taken = run->taken,
                                            .rows = run->given,
                                            .tick = run->tick,
                                            .tick_self = run->tick_self};

    WEIR_ASSERT(q->plan != NULL);
    WEIR_TRY(query_inputs(q, run->feed, lanes, failed, inputs, err));
    WEIR_TRY(query_engine(q, err));
    return weir_engine_run(q->engine, &query, err);
}

weir_rc
weir_query_explain(struct weir_query *q, struct weir_buf *out, struct weir_error *err)
{
    struct weir_engine_input inputs[RELATIONS_MAX];
    const struct weir_feed feed = {.schema = q->source}; /* nothing is read from it */
    const struct weir_engine_query query = {
        .plan = q->plan, .set = &q->set, .inputs = inputs, .ninputs = q->nrelations, .lanes = 1};

    WEIR_TRY(query_inputs(q, &feed, 1, NULL, inputs, err));
    WEIR_TRY(query_engine(q, err));
    return weir_engine_explain(q->engine, &query, out, err);
}
