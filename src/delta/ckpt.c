/* Writing checkpoints. delta/ckpt.h.
 *
 * 1. What is written is the reconciled state at one version, read by the same code that reads it for a query;
 *    a checkpoint is never made from another one's bytes alone.
 * 2. Small actions go first, as they stand in the log: fields that weir does not know, of metaData above all,
 *    are lost only where the checkpoint's own schema has no room for them.
 * 3. The file gets its name when it is whole and durable, and only if the name is free: who came first is as
 *    right as we are. _last_checkpoint is a hint, replaced after that.
 * 4. txns are never dropped: a batch that is forgotten could be written a second time.
 * Threads: one owner. Memory: one page, one row group, and the small actions. */
#include "delta/ckpt.h"

#include <inttypes.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/map.h"
#include "base/point.h"
#include "base/str.h"
#include "base/time.h"
#include "codec/parquet_write.h"
#include "delta/ckpt_int.h"
#include "delta/feature.h"
#include "delta/files.h"

enum { CKPT_INTERVAL = 10 };
#define CKPT_ROW_GROUP (16 * WEIR_MIB) /* fewer ones keep the footer small, and what a reader holds of it */
#define CKPT_RETENTION_MS (INT64_C(7) * 24 * 3600 * 1000)

/* --- the small actions at a version --------------------------------------------------------------------- */

struct ckpt_small { /* bodies are owned by the JSON documents in `keep` */
    struct weir_mem *mem;
    json_t *protocol, *metadata, *txns, *domains; /* the last two: objects by app id and by domain */
};

static void
small_fini(struct ckpt_small *s)
{
    json_decref(s->protocol);
    json_decref(s->metadata);
    json_decref(s->txns);
    json_decref(s->domains);
}

/* The first that is seen counts. */
static weir_rc
small_take_named(json_t *set, const json_t *body, const char *key, struct weir_error *err)
{
    const char *name;

    WEIR_TRY(weir_json_get_str(body, key, &name, err));
    if (name == NULL)
        return weir_fail(err, WEIR_CORRUPT, "\"%s\" is missing", key);
    if (json_object_get(set, name) == NULL &&
        json_object_set_new(set, name, json_incref((json_t *)(uintptr_t)body)) != 0)
        return weir_fail(err, WEIR_NOMEM, "no memory for the actions of a checkpoint");
    return WEIR_OK;
}

static weir_rc
small_take(void *arg, weir_action_kind kind, const json_t *body, struct weir_error *err)
{
    struct ckpt_small *s = arg;

    if (kind == WEIR_ACTION_PROTOCOL && s->protocol == NULL)
        s->protocol = json_incref((json_t *)(uintptr_t)body);
    if (kind == WEIR_ACTION_METADATA && s->metadata == NULL)
        s->metadata = json_incref((json_t *)(uintptr_t)body);
    if (kind == WEIR_ACTION_TXN)
        return small_take_named(s->txns, body, "appId", err);
    if (kind == WEIR_ACTION_DOMAIN)
        return small_take_named(s->domains, body, "domain", err);
    return WEIR_OK;
}

static weir_rc
small_line(void *arg, int64_t version, const char *line, size_t len, struct weir_error *err)
{
    struct weir_action a = {0};
    weir_action_kind kind;
    weir_rc rc;

    (void)version;
    if (line == NULL ||
        (weir_action_peek(line, len, &kind) && (kind == WEIR_ACTION_INFO || kind == WEIR_ACTION_ADD ||
                                                kind == WEIR_ACTION_REMOVE || kind == WEIR_ACTION_CDC)))
        return WEIR_OK;
    WEIR_TRY(weir_action_load(line, len, &a, err));
    rc = a.kind == WEIR_ACTION_OTHER ? WEIR_OK : small_take(arg, a.kind, a.body, err);
    weir_action_fini(&a);
    return rc;
}

static weir_rc
small_read(struct ckpt_small *s, struct weir_store *st, const struct weir_log_range *range,
           struct weir_quota *q, struct weir_error *err)
{
    int64_t oldest = range->checkpoint.version >= 0 ? range->checkpoint.version + 1 : range->oldest;

    s->txns = json_object();
    s->domains = json_object();
    if (s->txns == NULL || s->domains == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for the actions of a checkpoint");
    if (range->last_commit >= oldest)
        WEIR_TRY(weir_log_walk(st, range, range->last_commit, oldest, q, small_line, s, err));
    if (range->checkpoint.version >= 0)
        WEIR_TRY(weir_checkpoint_small(st, &range->checkpoint, q, small_take, s, err));
    if (s->protocol == NULL || s->metadata == NULL)
        return weir_fail(err, WEIR_CORRUPT, "the log holds no %s",
                         s->protocol == NULL ? "protocol" : "metaData");
    return WEIR_OK;
}

/* --- rows ----------------------------------------------------------------------------------------------- */

struct ckpt_write {
    struct weir_store *st;
    const struct weir_snapshot *snap;
    struct weir_quota *q;
    struct weir_mem *mem;
    struct ckpt_schema schema;
    struct weir_page *page;
    struct weir_parquet *file;
    struct weir_output *out;
    bool json_stats;
    int64_t oldest_remove_ms; /* tombstones from then on are kept */
    uint64_t actions, adds, bytes;
};

static weir_rc
write_bytes(void *self, const void *p, size_t n, struct weir_error *err)
{
    struct ckpt_write *w = self;

    w->bytes += n;
    return weir_output_write(w->out, p, n, err);
}

static weir_rc
write_page(struct ckpt_write *w, struct weir_error *err)
{
    if (w->page->rows > 0)
        WEIR_TRY(weir_parquet_append(w->file, w->page, NULL, NULL, w->page->rows, err));
    weir_page_reset(w->page);
    return WEIR_OK;
}

/* A new row in which every action but the one of `column` is null. */
static weir_rc
write_row(struct ckpt_write *w, unsigned column, uint32_t *row, struct weir_error *err)
{
    if (w->page->rows == w->page->cap)
        WEIR_TRY(write_page(w, err));
    *row = w->page->rows++;
    for (unsigned i = 0; i < w->page->ncols; i++) {
        if (i != column)
            weir_col_set_null(&w->page->cols[i], *row);
    }
    w->actions++;
    return WEIR_OK;
}

static weir_rc
write_small(struct ckpt_write *w, unsigned column, const json_t *body, struct weir_error *err)
{
    uint32_t row;

    if (body == NULL)
        return WEIR_OK;
    WEIR_TRY(write_row(w, column, &row, err));
    return ckpt_put_json(&w->page->cols[column], row, body, w->page->mem, err);
}

static weir_rc
write_smalls(struct ckpt_write *w, const struct ckpt_small *s, struct weir_error *err)
{
    const char *key;
    json_t *body;

    WEIR_TRY(write_small(w, CKPT_PROTOCOL, s->protocol, err));
    WEIR_TRY(write_small(w, CKPT_METADATA, s->metadata, err));
    json_object_foreach(s->txns, key, body) WEIR_TRY(write_small(w, CKPT_TXN, body, err));
    json_object_foreach(s->domains, key, body)
    {
        if (!json_is_true(json_object_get(body, "removed")))
            WEIR_TRY(write_small(w, CKPT_DOMAIN, body, err));
    }
    return WEIR_OK;
}

static weir_rc
write_files(struct ckpt_write *w, struct weir_error *err)
{
    const struct weir_live_ask ask = {.what = WEIR_FILE_STATS | WEIR_FILE_REST | WEIR_FILE_REMOVES};
    struct weir_live *files;
    struct weir_file f;
    uint32_t row;
    weir_rc rc;

    WEIR_TRY(weir_live_open(w->st, w->snap, &ask, w->q, &files, err));
    while ((rc = weir_live_next(files, &f, err)) == WEIR_OK) {
        if (f.remove && f.deleted_ms <= w->oldest_remove_ms)
            continue;
        WEIR_GO(write_row(w, f.remove ? CKPT_REMOVE : CKPT_ADD, &row, err));
        WEIR_GO(ckpt_put_file(&w->schema, w->page, row, &f, w->json_stats, err));
        w->adds += !f.remove;
    }
    rc = rc == WEIR_END ? WEIR_OK : rc;
out:
    weir_live_close(files);
    return rc;
}

/* --- the file ------------------------------------------------------------------------------------------- */

static weir_rc
write_hint(struct ckpt_write *w, struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(WEIR_SMALL_MAX);
    weir_rc rc;

    weir_buf_printf(&buf,
                    "{\"version\":%" PRId64 ",\"size\":%" PRIu64 ",\"sizeInBytes\":%" PRIu64
                    ",\"numOfAddFiles\":%" PRIu64 "}",
                    w->snap->version, w->actions, w->bytes, w->adds);
    WEIR_GO(weir_buf_check(&buf, err));
    rc = weir_store_put(w->st, WEIR_LOG_FOLDER "_last_checkpoint", buf.data, buf.len, WEIR_PUT_REPLACE, err);
out:
    weir_buf_fini(&buf);
    return rc;
}

/* How long tombstones are kept; what cannot be understood keeps all. */
static int64_t
remove_horizon(const struct weir_metadata *meta)
{
    const char *text = weir_metadata_conf(meta, "delta.deletedFileRetentionDuration");
    int64_t ms = CKPT_RETENTION_MS, now = weir_now_ms();

    if (text != NULL && !weir_parse_interval_ms(weir_slice(text, strlen(text)), &ms))
        return INT64_MIN;
    return ms > now ? INT64_MIN : now - ms;
}

static weir_rc
write_checkpoint(struct ckpt_write *w, const struct ckpt_small *small, struct weir_error *err)
{
    const struct weir_parquet_options opt = {.codec = WEIR_SNAPPY, .row_group_bytes = CKPT_ROW_GROUP};
    struct weir_checkpoint cp = {.kind = WEIR_CHECKPOINT_CLASSIC, .version = w->snap->version, .parts = 1};
    struct weir_parquet_out to = {w, write_bytes};
    const struct weir_filestats *stats;
    char key[WEIR_LOG_KEY];
    weir_rc rc;

    weir_checkpoint_key(&cp, 0, key);
    WEIR_GO(ckpt_schema(w->snap, w->mem, &w->schema, err));
    WEIR_GO(weir_page_new(w->schema.type, w->q, &w->page, err));
    rc = weir_output_create_absent(w->st, key, &w->out, err);
    if (rc != WEIR_OK)
        goto out;
    WEIR_GO(weir_parquet_new(w->schema.type, &opt, to, w->q, &w->file, err));
    WEIR_GO(write_smalls(w, small, err));
    WEIR_GO(write_files(w, err));
    WEIR_GO(write_page(w, err));
    WEIR_GO(weir_parquet_finish(w->file, &stats, err));
    WEIR_GO(weir_point(WEIR_POINT_CKPT_TMP, err));
    rc = weir_output_finish(w->out, err);
    w->out = NULL;
    if (rc != WEIR_OK)
        goto out;
    WEIR_GO(weir_point(WEIR_POINT_CKPT, err));
    WEIR_GO(write_hint(w, err));
    rc = weir_point(WEIR_POINT_LAST_CKPT, err);
out:
    weir_parquet_free(w->file);
    weir_output_abort(w->out);
    weir_page_free(w->page);
    if (rc == WEIR_EXISTS) {
        weir_error_clear(err);
        rc = WEIR_OK;
    }
    return rc;
}

weir_rc
weir_ckpt_write(struct weir_store *st, int64_t version, struct weir_quota *q, struct weir_error *err)
{
    struct ckpt_write w = {.st = st, .q = q};
    struct ckpt_small small = {0};
    struct weir_log_range range;
    struct weir_snapshot *snap = NULL;
    weir_rc rc;

    WEIR_GO(weir_checkpoint_range(st, version, q, &range, err));
    if (range.checkpoint.version == version)
        goto out;
    WEIR_GO(weir_snapshot_at(st, version, q, &snap, err));
    WEIR_GO(weir_feature_check_read(&snap->protocol, err));
    WEIR_GO(small_read(&small, st, &range, q, err));
    w.snap = snap;
    w.mem = snap->mem;
    w.oldest_remove_ms = remove_horizon(&snap->meta);
    w.json_stats = ckpt_stats_as_json(&snap->meta);
    rc = write_checkpoint(&w, &small, err);
out:
    small_fini(&small);
    weir_snapshot_free(snap);
    return rc == WEIR_OK ? rc : weir_error_context(err, "%s: checkpoint %" PRId64, st->path, version);
}

/* --- when ----------------------------------------------------------------------------------------------- */

int64_t
weir_ckpt_due(const struct weir_snapshot *snap)
{
    const char *text = weir_metadata_conf(&snap->meta, "delta.checkpointInterval");
    int64_t interval = CKPT_INTERVAL, at;

    if (text != NULL && (!weir_parse_int(weir_slice(text, strlen(text)), &interval) || interval < 1))
        interval = CKPT_INTERVAL;
    if (snap->version <= 0)
        return -1;
    at = snap->version - snap->version % interval;
    return at > 0 && at > snap->checkpoint ? at : -1;
}

void
weir_ckpt_after(struct weir_store *st, struct weir_snapshot *snap, struct weir_quota *q)
{
    int64_t version = weir_ckpt_due(snap);
    struct weir_error err = {0};
    char text[1200];

    if (version < 0)
        return;
    if (weir_ckpt_write(st, version, q, &err) != WEIR_OK)
        weir_warn("%s", weir_error_text(&err, text, sizeof(text)));
    snap->checkpoint = version;
}
