/* Opening a table. delta/snapshot.h.
 *
 * 1. Newest first, commits before the checkpoint below them; the first protocol, metaData and txn of the app
 *    id that are seen are the ones that count.
 * 2. Shortcuts are believed only where they prove themselves: the tags' versions must hold what they claim, a
 *    .crc must carry the txnId of its commit.
 * 3. A version without protocol or metaData is CORRUPT.
 * 4. A checkpoint that cannot be read is passed over, with a warning, for an older one or for the commits
 *    from 0, if these are all there; nothing of it is kept.
 * Threads: a snapshot has one owner. */
#include "delta/snapshot.h"

#include <inttypes.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "delta/checkpoint.h"

#define SNAPSHOT_CRC_MAX (16 * WEIR_MIB)

struct snapshot_load {
    struct weir_snapshot *snap;
    struct weir_store *st;
    struct weir_log_range range;
    struct weir_quota *q;
    bool have_protocol, have_meta, have_txn;
    int64_t tag_protocol, tag_meta; /* where a commit says they stand; -1: unknown */
    bool tags_tried;
    char txn_id[64];                /* of the commit being read */
    bool other_txns;                /* the checkpoint holds txns of other queries */
    bool broken;                    /* what went wrong was the checkpoint */
};

static void
text_keep(char *out, size_t size, const char *text)
{
    if (strlen(text) < size)
        memcpy(out, text, strlen(text) + 1);
}

static weir_rc
load_protocol(struct snapshot_load *l, int64_t version, const json_t *body, struct weir_error *err)
{
    if (l->have_protocol)
        return WEIR_OK;
    WEIR_TRY(weir_protocol_read(body, l->snap->mem, &l->snap->protocol, err));
    l->snap->protocol_version = version;
    l->have_protocol = true;
    return WEIR_OK;
}

static weir_rc
load_metadata(struct snapshot_load *l, int64_t version, const json_t *body, struct weir_error *err)
{
    if (l->have_meta)
        return WEIR_OK;
    WEIR_TRY(weir_metadata_read(body, l->snap->mem, &l->snap->meta, err));
    l->snap->meta_version = version;
    l->have_meta = true;
    return WEIR_OK;
}

/* One txn action; of another query it is none of our business. */
static weir_rc
load_txn(struct snapshot_load *l, const json_t *body, struct weir_error *err)
{
    const char *app_id;

    WEIR_TRY(weir_json_get_str(body, "appId", &app_id, err));
    if (l->have_txn || app_id == NULL || strcmp(app_id, l->snap->app_id) != 0)
        return WEIR_OK;
    WEIR_TRY(weir_json_get_int(body, "version", -1, &l->snap->txn, err));
    l->have_txn = true;
    return WEIR_OK;
}

static int64_t
tag_version(const json_t *tags, const char *key, int64_t newest)
{
    const char *text = json_string_value(json_object_get(tags, key));
    int64_t v;

    if (text == NULL || !weir_parse_int(weir_slice(text, strlen(text)), &v) || v < 0 || v > newest)
        return -1;
    return v;
}

/* commitInfo is provenance: whatever is odd in it is passed over. */
static weir_rc
load_info(struct snapshot_load *l, int64_t version, const json_t *body)
{
    struct weir_snapshot *snap = l->snap;
    const json_t *tags = json_object_get(body, "tags"), *ict = json_object_get(body, "inCommitTimestamp");
    const char *name = json_string_value(json_object_get(tags, WEIR_TAG_PIPELINE));
    const char *query = json_string_value(json_object_get(json_object_get(body, "operationParameters"), "queryId"));
    const char *txn_id = json_string_value(json_object_get(body, "txnId"));

    if (version == l->range.newest && json_is_integer(ict))
        snap->ict = json_integer_value(ict);
    if (txn_id != NULL)
        text_keep(l->txn_id, sizeof(l->txn_id), txn_id);
    if (l->tag_protocol < 0 && l->tag_meta < 0) {
        l->tag_protocol = tag_version(tags, WEIR_TAG_PROTOCOL, version);
        l->tag_meta = tag_version(tags, WEIR_TAG_METADATA, version);
    }
    if (snap->pipeline != NULL && name != NULL && query != NULL && strcmp(name, snap->pipeline) == 0 &&
        (snap->app_id == NULL || strcmp(query, snap->app_id) != 0) && snap->other_query[0] == '\0')
        text_keep(snap->other_query, sizeof(snap->other_query), query);
    return WEIR_OK;
}

static weir_rc
load_action(struct snapshot_load *l, int64_t version, const struct weir_action *a, struct weir_error *err)
{
    switch (a->kind) {
    case WEIR_ACTION_PROTOCOL: return load_protocol(l, version, a->body, err);
    case WEIR_ACTION_METADATA: return load_metadata(l, version, a->body, err);
    case WEIR_ACTION_TXN: return load_txn(l, a->body, err);
    case WEIR_ACTION_INFO: return load_info(l, version, a->body);
    default: return WEIR_OK;
    }
}

static bool
load_done(const struct snapshot_load *l)
{
    return l->have_protocol && l->have_meta && l->have_txn;
}

/* A query without a txn here may follow another one of the same pipeline, whose commits say so wherever they
 * are. */
static bool
load_seeks_other(const struct snapshot_load *l)
{
    const struct weir_snapshot *snap = l->snap;

    return snap->pipeline != NULL && snap->txn < 0 && snap->other_query[0] == '\0';
}

/* The version checksum of a commit says what stands below it: protocol, metadata and, when the list is there,
 * every txn. Only taken when it is that commit's. What it lacks is read from the log instead. */
static weir_rc
load_crc(struct snapshot_load *l, int64_t version, struct weir_error *err)
{
    struct weir_buf buf = {.max = SNAPSHOT_CRC_MAX, .q = l->q};
    struct weir_error ignored = {0};
    const json_t *txns, *id;
    json_t *doc = NULL;
    char key[WEIR_LOG_KEY];
    size_t i;
    const json_t *txn;
    weir_rc rc = WEIR_OK;

    weir_log_crc_key(key, version);
    if (weir_store_get(l->st, key, &buf, &ignored) != WEIR_OK ||
        weir_json_load(buf.data, buf.len, &doc, &ignored) != WEIR_OK)
        goto out;
    id = json_object_get(doc, "txnId");
    if (!json_is_string(id) || strcmp(json_string_value(id), l->txn_id) != 0)
        goto out;
    if (json_is_object(json_object_get(doc, "protocol")))
        WEIR_GO(load_protocol(l, -1, json_object_get(doc, "protocol"), err));
    if (json_is_object(json_object_get(doc, "metadata")))
        WEIR_GO(load_metadata(l, -1, json_object_get(doc, "metadata"), err));
    txns = json_object_get(doc, "setTransactions");
    if (json_is_array(txns)) {
        json_array_foreach(txns, i, txn)
            WEIR_GO(load_txn(l, txn, err));
        l->have_txn = true;
    }
out:
    json_decref(doc);
    weir_buf_fini(&buf);
    return rc == WEIR_OK ? rc : weir_error_context(err, "%s/%s", l->st->path, key);
}

/* Reads only what the tags point at: each must be found where it is said to be, else the walk goes on. */
static weir_rc
load_pointed_line(void *arg, int64_t version, const char *line, size_t len, struct weir_error *err)
{
    struct snapshot_load *l = arg;
    struct weir_action a = {0};
    weir_action_kind kind;
    weir_rc rc = WEIR_OK;

    if (line == NULL || (weir_action_peek(line, len, &kind) && kind != WEIR_ACTION_PROTOCOL &&
                         kind != WEIR_ACTION_METADATA))
        return WEIR_OK;
    WEIR_GO(weir_action_load(line, len, &a, err));
    if (a.kind == WEIR_ACTION_PROTOCOL && version == l->tag_protocol)
        rc = load_protocol(l, version, a.body, err);
    else if (a.kind == WEIR_ACTION_METADATA && version == l->tag_meta)
        rc = load_metadata(l, version, a.body, err);
out:
    weir_action_fini(&a);
    return rc;
}

/* A commit below the part of the log that was listed may be there all the same. */
static weir_rc
load_pointed_at(struct snapshot_load *l, int64_t version, struct weir_error *err)
{
    struct weir_object obj;
    char key[WEIR_LOG_KEY];
    weir_rc rc;

    weir_log_key(key, version);
    rc = weir_store_head(l->st, key, &obj, err);
    if (rc == WEIR_NOTFOUND)
        weir_error_clear(err);
    if (rc != WEIR_OK)
        return rc == WEIR_NOTFOUND ? WEIR_OK : rc;
    return weir_log_walk(l->st, NULL, version, version, l->q, load_pointed_line, l, err);
}

static weir_rc
load_pointed(struct snapshot_load *l, struct weir_error *err)
{
    if (!l->have_protocol)
        WEIR_TRY(load_pointed_at(l, l->tag_protocol, err));
    if (!l->have_meta)
        WEIR_TRY(load_pointed_at(l, l->tag_meta, err));
    return WEIR_OK;
}

static weir_rc
load_line(void *arg, int64_t version, const char *line, size_t len, struct weir_error *err)
{
    struct snapshot_load *l = arg;
    struct weir_action a = {0};
    weir_action_kind kind;
    weir_rc rc = WEIR_OK;

    if (line == NULL) {
        if (!l->tags_tried && l->tag_protocol >= 0 && l->tag_meta >= 0) {
            l->tags_tried = true;
            WEIR_TRY(load_pointed(l, err));
        }
        if (!load_done(l) && version == l->range.crc)
            WEIR_TRY(load_crc(l, version, err));
        l->txn_id[0] = '\0';
        return load_done(l) && !load_seeks_other(l) ? WEIR_END : WEIR_OK;
    }
    if (weir_action_peek(line, len, &kind) && kind >= WEIR_ACTION_ADD)
        return WEIR_OK;
    WEIR_GO(weir_action_load(line, len, &a, err));
    rc = load_action(l, version, &a, err);
out:
    weir_action_fini(&a);
    return rc;
}

/* Remembers the file of the newest commit; there is none when a checkpoint alone stands for it. */
static weir_rc
snapshot_mark(struct weir_snapshot *snap, struct weir_store *st, struct weir_error *err)
{
    struct weir_object obj;
    char key[WEIR_LOG_KEY];
    weir_rc rc;

    snap->size = -1;
    weir_log_key(key, snap->version);
    rc = weir_store_head(st, key, &obj, err);
    if (rc == WEIR_NOTFOUND)
        weir_error_clear(err);
    if (rc != WEIR_OK)
        return rc == WEIR_NOTFOUND ? WEIR_OK : rc;
    snap->size = obj.size;
    snap->mtime_ms = obj.mtime_ms;
    return WEIR_OK;
}

static weir_rc
load_small(void *arg, weir_action_kind kind, const json_t *body, struct weir_error *err)
{
    struct snapshot_load *l = arg;

    if (kind == WEIR_ACTION_TXN) {
        l->other_txns = true;
        return load_txn(l, body, err);
    }
    return kind == WEIR_ACTION_PROTOCOL ? load_protocol(l, -1, body, err)
           : kind == WEIR_ACTION_METADATA ? load_metadata(l, -1, body, err)
                                          : WEIR_OK;
}

/* A query that the table has never seen may follow another one of the same pipeline, whose commits may be
 * anywhere in the log. Only when the checkpoint knows of queries is there something to look for. */
static weir_rc
load_other_line(void *arg, int64_t version, const char *line, size_t len, struct weir_error *err)
{
    struct snapshot_load *l = arg;
    struct weir_action a = {0};
    weir_action_kind kind;
    weir_rc rc;

    if (line == NULL)
        return load_seeks_other(l) ? WEIR_OK : WEIR_END;
    if (weir_action_peek(line, len, &kind) && kind != WEIR_ACTION_INFO)
        return WEIR_OK;
    rc = weir_action_load(line, len, &a, err);
    if (rc == WEIR_OK && a.kind == WEIR_ACTION_INFO)
        rc = load_info(l, version, a.body);
    weir_action_fini(&a);
    return rc;
}

static weir_rc
load_other(struct snapshot_load *l, struct weir_error *err)
{
    const struct weir_log_ask ask = {.version = l->range.newest, .below = INT64_MAX, .whole = true};
    int64_t newest = l->range.checkpoint.version < l->range.last_commit ? l->range.checkpoint.version
                                                                         : l->range.last_commit;
    struct weir_log_range whole;

    WEIR_TRY(weir_log_find(l->st, &ask, &whole, err));
    return weir_log_walk(l->st, &whole, newest, whole.oldest, l->q, load_other_line, l, err);
}

static weir_rc
load_checkpoint(struct snapshot_load *l, struct weir_error *err)
{
    weir_rc rc;

    if (l->range.checkpoint.kind == WEIR_CHECKPOINT_NONE || load_done(l))
        return WEIR_OK;
    rc = weir_checkpoint_small(l->st, &l->range.checkpoint, l->q, load_small, l, err);
    if (rc == WEIR_OK && !(l->have_protocol && l->have_meta))
        rc = weir_fail(err, WEIR_CORRUPT, "%s: checkpoint %" PRId64 " holds no %s", l->st->path,
                       l->range.checkpoint.version, l->have_protocol ? "metaData" : "protocol");
    l->broken = rc == WEIR_CORRUPT || rc == WEIR_NOTFOUND;
    return rc;
}

static weir_rc
load_range(struct snapshot_load *l, struct weir_error *err)
{
    const struct weir_log_range *r = &l->range;
    int64_t oldest = r->checkpoint.version >= 0 ? r->checkpoint.version + 1 : r->oldest;

    /* The checkpoint's own commit, where it is still there, may say all that is asked, and spares opening the file. */
    if (r->checkpoint.version >= 0 && r->oldest_commit <= r->checkpoint.version &&
        r->last_commit >= r->checkpoint.version)
        oldest = r->checkpoint.version;
    l->have_txn = l->snap->app_id == NULL;
    l->snap->version = r->newest;
    WEIR_TRY(snapshot_mark(l->snap, l->st, err));
    l->snap->written_ms = r->newest_ms;
    l->snap->checkpoint = r->checkpoint.version;
    if (r->last_commit >= oldest)
        WEIR_TRY(weir_log_walk(l->st, r, r->last_commit, oldest, l->q, load_line, l, err));
    WEIR_TRY(load_checkpoint(l, err));
    if (!l->have_protocol || !l->have_meta)
        return weir_fail(err, WEIR_CORRUPT, "%s: the log holds no %s", l->st->path,
                         l->have_protocol ? "metaData" : "protocol");
    if (load_seeks_other(l) && l->other_txns && r->last_commit >= 0)
        return load_other(l, err);
    return WEIR_OK;
}

/* What is known of the table before anything is read. */
static void
load_init(struct snapshot_load *l)
{
    struct weir_snapshot *snap = l->snap;

    *snap = (struct weir_snapshot){.version = -1,
                                   .txn = -1,
                                   .checkpoint = -1,
                                   .ict = INT64_MIN,
                                   .protocol_version = -1,
                                   .meta_version = -1,
                                   .mem = snap->mem,
                                   .app_id = snap->app_id,
                                   .pipeline = snap->pipeline};
    *l = (struct snapshot_load){.snap = snap, .st = l->st, .q = l->q, .tag_protocol = -1, .tag_meta = -1};
}

static weir_rc
snapshot_load(struct snapshot_load *l, struct weir_log_ask ask, struct weir_error *err)
{
    struct weir_error first = {0}, *to = err;
    weir_rc rc;

    for (;;) {
        load_init(l);
        rc = weir_log_find(l->st, &ask, &l->range, to);
        if (rc == WEIR_OK)
            rc = load_range(l, to);
        if (rc == WEIR_OK || !l->broken)
            break;
        weir_warn("%s: checkpoint %" PRId64 " cannot be used (%s); what stands before it is read instead",
                  l->st->path, l->range.checkpoint.version, to->what);
        ask.below = l->range.checkpoint.version;
        if (to == err)
            first = *err;
        weir_error_clear(to);
    }
    if (rc != WEIR_OK && first.rc != WEIR_OK) { /* there is nothing else: the checkpoint is what is wrong */
        *err = first;
        rc = first.rc == WEIR_NOTFOUND ? (err->rc = WEIR_CORRUPT) : first.rc;
        weir_error_hint(err, "bring the file back from a copy: the commits that it stands for are gone");
    }
    return rc;
}

static weir_rc
snapshot_new(struct weir_store *st, const char *app_id, const char *pipeline, struct weir_quota *q,
             const struct weir_log_ask *ask, struct weir_snapshot **out, struct weir_error *err)
{
    struct weir_mem *mem = weir_mem_new(NULL, q, "snapshot");
    struct weir_snapshot *snap;
    struct snapshot_load load;
    weir_rc rc;

    *out = NULL;
    if (mem == NULL || (snap = weir_mem_zalloc(mem, sizeof(*snap))) == NULL) {
        weir_mem_free(mem);
        return weir_fail(err, WEIR_NOMEM, "no memory to open a table");
    }
    *snap = (struct weir_snapshot){.mem = mem, .app_id = app_id, .pipeline = pipeline};
    load = (struct snapshot_load){.snap = snap, .st = st, .q = q};
    rc = snapshot_load(&load, *ask, err);
    if (rc != WEIR_OK)
        weir_snapshot_free(snap);
    else
        *out = snap;
    return rc;
}

weir_rc
weir_snapshot_open(struct weir_store *st, const char *app_id, const char *pipeline, struct weir_quota *q,
                   struct weir_snapshot **out, struct weir_error *err)
{
    weir_rc rc = snapshot_new(st, app_id, pipeline, q, &weir_log_newest, out, err);
    struct weir_mem *mem;

    if (rc != WEIR_NOTFOUND)
        return rc;
    weir_error_clear(err); /* no table yet; an empty folder is none either */
    mem = weir_mem_new(NULL, q, "snapshot");
    *out = mem != NULL ? weir_mem_zalloc(mem, sizeof(**out)) : NULL;
    if (*out == NULL) {
        weir_mem_free(mem);
        return weir_fail(err, WEIR_NOMEM, "no memory to open a table");
    }
    **out = (struct weir_snapshot){.version = -1, .txn = -1, .checkpoint = -1, .ict = INT64_MIN, .protocol_version = -1,
                                   .meta_version = -1, .mem = mem, .app_id = app_id, .pipeline = pipeline};
    return WEIR_OK;
}

weir_rc
weir_snapshot_at(struct weir_store *st, int64_t version, struct weir_quota *q, struct weir_snapshot **out,
                 struct weir_error *err)
{
    const struct weir_log_ask ask = {.version = version, .below = INT64_MAX};

    return snapshot_new(st, NULL, NULL, q, &ask, out, err);
}

void
weir_snapshot_free(struct weir_snapshot *snap)
{
    if (snap != NULL)
        weir_mem_free(snap->mem);
}

/* --- moving on by one commit ---------------------------------------------------------------------------- */

struct snapshot_step {
    struct snapshot_load load;
    struct weir_winner *out;
};

static weir_rc
step_line(void *arg, int64_t version, const char *line, size_t len, struct weir_error *err)
{
    struct snapshot_step *s = arg;

    if (line == NULL) {
        memcpy(s->out->txn_id, s->load.txn_id, sizeof(s->out->txn_id));
        return WEIR_END;
    }
    return load_line(&s->load, version, line, len, err);
}

weir_rc
weir_snapshot_advance(struct weir_snapshot *snap, struct weir_store *st, struct weir_winner *out,
                      struct weir_error *err)
{
    struct snapshot_step s = {.load = {.snap = snap, .st = st, .tag_protocol = -1, .tag_meta = -1}, .out = out};
    int64_t next = snap->version + 1, ict = snap->ict, txn = snap->txn;
    struct weir_object obj;
    char key[WEIR_LOG_KEY];

    *out = (struct weir_winner){.txn = -1};
    weir_log_key(key, next);
    WEIR_TRY(weir_store_head(st, key, &obj, err));
    s.load.q = weir_mem_quota(snap->mem);
    s.load.range = (struct weir_log_range){.newest = next, .last_commit = next, .oldest = next, .crc = -1};
    s.load.have_txn = snap->app_id == NULL;
    snap->ict = INT64_MIN;
    if (weir_log_walk(st, NULL, next, next, s.load.q, step_line, &s, err) != WEIR_OK) {
        snap->ict = ict;
        return err->rc;
    }
    out->protocol = s.load.have_protocol;
    out->metadata = s.load.have_meta;
    out->own_txn = s.load.have_txn && snap->app_id != NULL;
    out->txn = out->own_txn ? snap->txn : -1;
    if (!out->own_txn)
        snap->txn = txn;
    snap->version = next;
    snap->size = obj.size;
    snap->mtime_ms = obj.mtime_ms;
    return WEIR_OK;
}

void
weir_snapshot_step(struct weir_snapshot *snap, struct weir_store *st, int64_t ict)
{
    struct weir_error ignored = {0};

    snap->version++;
    snap->ict = ict;
    (void)snapshot_mark(snap, st, &ignored); /* the commit stands; without a mark the next check is weaker */
}

/* Some file systems round a time when they have written it out. */
static bool
snapshot_same(const struct weir_snapshot *snap, const struct weir_object *obj)
{
    enum { ROUNDED_MS = 2000 };

    return obj->size == snap->size && obj->mtime_ms >= snap->mtime_ms - ROUNDED_MS &&
           obj->mtime_ms <= snap->mtime_ms + ROUNDED_MS;
}

weir_rc
weir_snapshot_check(const struct weir_snapshot *snap, struct weir_store *st, struct weir_error *err)
{
    struct weir_object obj;
    char key[WEIR_LOG_KEY];
    weir_rc rc;

    if (snap->version < 0 || snap->size < 0)
        return WEIR_OK;
    weir_log_key(key, snap->version);
    rc = weir_store_head(st, key, &obj, err);
    if (rc == WEIR_OK && snapshot_same(snap, &obj))
        return WEIR_OK;
    if (rc != WEIR_OK && rc != WEIR_NOTFOUND)
        return rc;
    weir_error_clear(err);
    weir_fail(err, WEIR_USAGE,
              "%s: version %" PRId64 " of the table is %s: it was dropped or replaced meanwhile", st->path,
              snap->version, rc == WEIR_OK ? "another one" : "gone");
    return weir_error_hint(err, "start the pipeline again; its checkpoint will say what is missing");
}
