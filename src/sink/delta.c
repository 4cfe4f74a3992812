/* The Delta sink: a batch becomes one commit with its files, its range and txn(query id, batch).
 *
 * 1. Files are durable before the commit is tried; the commit is the only thing that makes them part of the table.
 * 2. Files are removed again only while it is certain that no commit names them: before a commit was tried, or after
 *    one that was proved lost. Otherwise they stay, as orphans for VACUUM.
 * 3. The snapshot is opened once and moved on by own commits and by the winners of lost races. After any failure of
 *    a commit it is opened anew.
 * 4. An empty batch commits its txn without files, as Spark's sink does, so that a replay is provable.
 * Options are Spark's for format("delta") writers. Threads: see sink.h; lanes are in delta_lane.c. */
#include <stddef.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "delta/ckpt.h"
#include "delta/feature.h"
#include "sink/delta_int.h"

#define AT(field) offsetof(struct delta_sink, opt.field)

static const struct weir_option delta_options[] = {
    {"mergeSchema", WEIR_OPT_BOOL, WEIR_HONOURED, AT(merge_schema), "false", NULL,
     "Adds columns of the rows that the table lacks to the table, nested ones too."},
    {"maxRecordsPerFile", WEIR_OPT_INT, WEIR_HONOURED, AT(max_records), NULL, NULL,
     "The most rows of a data file; 0 or less: no limit."},
    {"compression", WEIR_OPT_CHOICE, WEIR_HONOURED, AT(compression), NULL, "snappy|zstd|uncompressed|none",
     "How data files are compressed; without it the table's delta.parquet.compression.codec, else snappy."},
    {"userMetadata", WEIR_OPT_TEXT, WEIR_HONOURED, AT(user_metadata), NULL, NULL,
     "A text that each commit carries in its commitInfo."},
    {"dataChange", WEIR_OPT_BOOL, WEIR_HONOURED, AT(data_change), "true", NULL,
     "Only true is possible: new rows are a change of the data."},
    {"optimizeWrite", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL,
     "it shuffles rows between writers before they write, and weir's lanes write where they read"},
    {"overwriteSchema", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, "it belongs to overwriting, and weir appends"},
    {"replaceWhere", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, "it belongs to overwriting, and weir appends"},
    {"partitionOverwriteMode", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL,
     "it belongs to overwriting, and weir appends"},
    {"txnAppId", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, "the query id of the checkpoint is the app id"},
    {"txnVersion", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, "the batch id is the version"},
    WEIR_OPTION_END};

/* --- opening ---------------------------------------------------------------------------------------------------- */

static weir_rc
delta_snapshot(struct delta_sink *s, struct weir_error *err)
{
    const char *id = s->env.query_id != NULL && s->env.query_id[0] != '\0' ? s->env.query_id : NULL;

    if (s->snap != NULL && !s->stale)
        return WEIR_OK;
    weir_snapshot_free(s->snap);
    s->snap = NULL;
    WEIR_TRY(weir_snapshot_open(s->store, id, s->env.query_name, s->env.quota, &s->snap, err));
    s->stale = false;
    return s->snap->version < 0 ? WEIR_OK : weir_feature_check_append(&s->snap->protocol, &s->snap->meta, err);
}

static weir_rc
delta_check_env(const struct delta_sink *s, struct weir_error *err)
{
    const char *mode = s->env.output_mode;

    if (s->env.path == NULL)
        return weir_fail(err, WEIR_USAGE, "a path is needed");
    if (mode != NULL && !weir_slice_is_nocase(weir_slice(mode, strlen(mode)), "append")) {
        weir_fail(err, WEIR_UNSUPPORTED, "outputMode %s comes in a later version", mode);
        return weir_error_hint(err, "append");
    }
    if (!s->opt.data_change)
        return weir_fail(err, WEIR_UNSUPPORTED, "dataChange false would hide the new rows from every reader of changes");
    return WEIR_OK;
}

static void delta_close(void *self);

static weir_rc
delta_open(void *self, const struct weir_sink_env *env, struct weir_error *err)
{
    struct delta_sink *s = self;
    weir_rc rc;

    s->env = *env;
    pthread_mutex_init(&s->lock, NULL);
    s->lock_made = true;
    weir_buf_init(&s->adds, WEIR_COMMIT_MAX, env->quota);
    weir_buf_init(&s->keys, WEIR_COMMIT_MAX, env->quota);
    WEIR_GO(weir_options_apply(delta_options, s, env->options, err));
    WEIR_GO(delta_check_env(s, err));
    snprintf(s->describe, sizeof(s->describe), "DeltaSink[%s]", env->path);
    s->bind = (struct weir_bind_options){.merge_schema = s->opt.merge_schema,
                                         .partition_by = env->partition_by,
                                         .npartition_by = env->npartition_by,
                                         .properties = env->properties,
                                         .comment = env->comment,
                                         .create = env->create};
    s->bind_mem = weir_mem_new(NULL, env->quota, "binding");
    if (s->bind_mem == NULL)
        WEIR_GO(weir_fail(err, WEIR_NOMEM, "no memory for a sink"));
    WEIR_GO(weir_store_open(env->path, env->mem, &s->store, err));
    WEIR_GO(delta_snapshot(s, err));
out:
    if (rc != WEIR_OK)
        delta_close(s);
    return rc;
}

static void
delta_close(void *self)
{
    struct delta_sink *s = self;

    weir_snapshot_free(s->snap);
    s->snap = NULL;
    weir_store_close(s->store);
    s->store = NULL;
    weir_mem_free(s->bind_mem);
    s->bind_mem = NULL;
    weir_buf_fini(&s->adds);
    weir_buf_fini(&s->keys);
    if (s->lock_made)
        pthread_mutex_destroy(&s->lock);
    s->lock_made = false;
}

static const char *
delta_describe(void *self)
{
    return ((struct delta_sink *)self)->describe;
}

static weir_rc
delta_state(void *self, struct weir_sink_state *out, struct weir_error *err)
{
    struct delta_sink *s = self;

    WEIR_TRY(delta_snapshot(s, err));
    *out = (struct weir_sink_state){
        .exists = s->snap->version >= 0, .newest = s->snap->txn, .version = s->snap->version};
    memcpy(out->other_query, s->snap->other_query, sizeof(out->other_query));
    return WEIR_OK;
}

/* --- binding ---------------------------------------------------------------------------------------------------- */

static weir_rc
delta_codec(struct delta_sink *s, struct weir_error *err)
{
    static const struct { /* in the order of the option's choices */
        const char *name;
        weir_parquet_codec codec;
    } codecs[] = {
        {"snappy", WEIR_SNAPPY}, {"zstd", WEIR_ZSTD}, {"uncompressed", WEIR_UNCOMPRESSED}, {"none", WEIR_UNCOMPRESSED}};
    const char *property = weir_metadata_conf(&s->binding.meta, "delta.parquet.compression.codec");

    s->codec = WEIR_SNAPPY;
    if (s->opt.compression >= 0) {
        s->codec = codecs[s->opt.compression].codec;
        return WEIR_OK;
    }
    if (property == NULL)
        return WEIR_OK;
    for (size_t i = 0; i < sizeof(codecs) / sizeof(*codecs); i++) {
        if (weir_slice_is_nocase(weir_slice(property, strlen(property)), codecs[i].name)) {
            s->codec = codecs[i].codec;
            return WEIR_OK;
        }
    }
    weir_fail(err, WEIR_UNSUPPORTED, "the table asks for compression %s", property);
    return weir_error_hint(err, "set the sink option compression to snappy, zstd or uncompressed");
}

static weir_rc
delta_bind(void *self, const struct weir_type *schema, struct weir_error *err)
{
    struct delta_sink *s = self;

    WEIR_TRY(delta_snapshot(s, err));
    weir_mem_reset(s->bind_mem);
    s->rows = weir_type_copy(s->bind_mem, schema);
    if (s->rows == NULL)
        return weir_mem_fail(s->bind_mem, sizeof(*s->rows), err);
    if (weir_bind(s->snap, s->rows, &s->bind, s->bind_mem, &s->binding, err) != WEIR_OK)
        return weir_error_context(err, "table %s", s->store->path);
    s->tight = weir_feature_has(&s->binding.protocol, "deletionVectors");
    return delta_codec(s, err);
}

/* --- a batch ---------------------------------------------------------------------------------------------------- */

static weir_rc
delta_prepare(void *self, const struct weir_sink_batch *batch, struct weir_drain *drain, struct weir_error *err)
{
    struct delta_sink *s = self;

    if (s->env.query_id == NULL || s->env.query_id[0] == '\0')
        return weir_fail(err, WEIR_BUG, "a batch without a query id cannot be written once and only once");
    WEIR_TRY(delta_bind(s, batch->schema, err));
    s->batch = *batch;
    s->already = s->snap->txn >= batch->id;
    s->committing = false;
    atomic_store(&s->nfiles, 0);
    weir_buf_reset(&s->adds);
    weir_buf_reset(&s->keys);
    s->rows_written = s->files = s->bytes = 0;
    *drain = (struct weir_drain){.self = s,
                                 .lane_open = delta_lane_open,
                                 .write = delta_lane_write,
                                 .lane_finish = delta_lane_finish,
                                 .lane_close = delta_lane_close};
    return WEIR_OK;
}

static void
delta_abort(void *self)
{
    struct delta_sink *s = self;
    struct weir_error err = {0};
    size_t left = 0;

    if (s->committing)
        return;
    for (size_t at = 0; at < s->keys.len; at += strlen(s->keys.data + at) + 1) {
        if (weir_store_remove(s->store, s->keys.data + at, &err) != WEIR_OK)
            left++;
    }
    if (left > 0)
        weir_warn("%s: %zu data files of the dropped batch could not be removed; no commit names them", s->store->path,
                  left);
    weir_buf_reset(&s->keys);
    weir_buf_reset(&s->adds);
}

static weir_rc
delta_commit(void *self, struct weir_sink_result *out, struct weir_error *err)
{
    struct delta_sink *s = self;
    struct weir_txn txn = {.st = s->store,
                           .snap = s->snap,
                           .binding = &s->binding,
                           .rows = s->rows,
                           .bind = &s->bind,
                           .mem = s->bind_mem,
                           .quota = s->env.quota,
                           .stop = s->env.stop,
                           .batch = s->batch.id,
                           .query_id = s->env.query_id,
                           .pipeline = s->env.query_name,
                           .from = s->batch.from,
                           .to = s->batch.to,
                           .user_metadata = s->opt.user_metadata,
                           .rows_written = s->rows_written,
                           .files = s->files,
                           .bytes = s->bytes,
                           .adds = s->adds.data,
                           .adds_len = s->adds.len};
    weir_rc rc;

    *out = (struct weir_sink_result){.version = s->snap->version, .already = s->already};
    if (s->already)
        return WEIR_OK;
    WEIR_TRY(weir_buf_check(&s->adds, err));
    s->committing = true;
    rc = weir_txn_commit(&txn, &out->version, err);
    if (rc == WEIR_OK) {
        out->rows = s->rows_written;
        out->files = s->files;
        out->bytes = s->bytes;
        return WEIR_OK;
    }
    s->stale = true;
    if (rc == WEIR_CONFLICT || rc == WEIR_SCHEMA || rc == WEIR_STOPPED) { /* proved not to be in the table */
        s->committing = false;
        delta_abort(s);
    }
    return weir_error_context(err, "table %s", s->store->path);
}

/* The table's checkpoint, when one is due. */
static void
delta_tidy(void *self)
{
    struct delta_sink *s = self;

    if (s->snap != NULL && !s->stale)
        weir_ckpt_after(s->store, s->snap, s->env.quota);
}

const struct weir_sink_type weir_sink_delta = {
    .name = "delta",
    .about = "a Delta table, appended to",
    .keeps = true,
    .options = delta_options,
    .self_size = sizeof(struct delta_sink),
    .open = delta_open,
    .describe = delta_describe,
    .state = delta_state,
    .bind = delta_bind,
    .prepare = delta_prepare,
    .commit = delta_commit,
    .abort = delta_abort,
    .tidy = delta_tidy,
    .close = delta_close,
};
