/* Committing an append. delta/txn.h. Threads: one owner. */
#include "delta/txn.h"

#include <inttypes.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/point.h"
#include "base/str.h"
#include "base/time.h"
#include "base/uuid.h"
#include "delta/feature.h"

enum { TXN_REBINDS = 3, TXN_SETTLE_TRIES = 12, TXN_SETTLE_MS = 50, TXN_SETTLE_MOST_MS = 10000 };

struct txn_try { /* what changes from one attempt to the next */
    const struct weir_txn *txn;
    const struct weir_binding *binding;
    struct weir_binding rebound;
    int64_t read_version;
    char txn_id[WEIR_UUID_SIZE];
    unsigned rebinds;
    struct weir_buf bytes;
};

/* --- the text of a commit -------------------------------------------------------------------------------------- */

static void
print_text(struct weir_buf *buf, const char *key, const char *text)
{
    weir_buf_printf(buf, "\"%s\":", key);
    weir_buf_json(buf, text, strlen(text));
}

static bool
txn_has_ict(const struct weir_binding *b)
{
    return weir_metadata_conf_true(&b->meta, "delta.enableInCommitTimestamps") &&
           weir_feature_has(&b->protocol, "inCommitTimestamp");
}

static void
print_tags(const struct txn_try *t, int64_t version, struct weir_buf *buf)
{
    const struct weir_txn *txn = t->txn;
    const struct weir_binding *b = t->binding;

    weir_buf_str(buf, ",\"tags\":{");
    if (txn->pipeline != NULL) {
        print_text(buf, WEIR_TAG_PIPELINE, txn->pipeline);
        weir_buf_byte(buf, ',');
    }
    if (txn->from != NULL) {
        print_text(buf, "weir.source.from", txn->from);
        weir_buf_byte(buf, ',');
    }
    if (txn->to != NULL) {
        print_text(buf, "weir.source.to", txn->to);
        weir_buf_byte(buf, ',');
    }
    weir_buf_printf(buf, "\"weir.rows\":\"%" PRIu64 "\"", txn->rows_written);
    if (b->creates || txn->snap->protocol_version >= 0)
        weir_buf_printf(buf, ",\"" WEIR_TAG_PROTOCOL "\":\"%" PRId64 "\"",
                        b->creates ? version : txn->snap->protocol_version);
    if (b->creates || b->evolves || txn->snap->meta_version >= 0)
        weir_buf_printf(buf, ",\"" WEIR_TAG_METADATA "\":\"%" PRId64 "\"",
                        b->creates || b->evolves ? version : txn->snap->meta_version);
    weir_buf_byte(buf, '}');
}

static void
print_info(const struct txn_try *t, int64_t version, int64_t now, int64_t ict, struct weir_buf *buf)
{
    const struct weir_txn *txn = t->txn;

    weir_buf_str(buf, "{\"commitInfo\":{");
    if (ict != INT64_MIN)
        weir_buf_printf(buf, "\"inCommitTimestamp\":%" PRId64 ",", ict);
    weir_buf_printf(buf, "\"timestamp\":%" PRId64 ",\"operation\":\"STREAMING UPDATE\",", now);
    weir_buf_str(buf, "\"operationParameters\":{\"outputMode\":\"Append\",");
    print_text(buf, "queryId", txn->query_id);
    weir_buf_printf(buf, ",\"epochId\":\"%" PRId64 "\"}", txn->batch);
    if (t->read_version >= 0)
        weir_buf_printf(buf, ",\"readVersion\":%" PRId64, t->read_version);
    weir_buf_printf(buf,
                    ",\"isolationLevel\":\"Serializable\",\"isBlindAppend\":true,\"operationMetrics\":{"
                    "\"numRemovedFiles\":\"0\",\"numAddedFiles\":\"%" PRIu64 "\",\"numOutputRows\":\"%" PRIu64
                    "\",\"numOutputBytes\":\"%" PRIu64 "\"}",
                    txn->files, txn->rows_written, txn->bytes);
    if (txn->user_metadata != NULL) {
        weir_buf_byte(buf, ',');
        print_text(buf, "userMetadata", txn->user_metadata);
    }
    print_tags(t, version, buf);
    weir_buf_printf(buf, ",\"engineInfo\":\"weir/" WEIR_VERSION "\",\"txnId\":\"%s\"}}\n", t->txn_id);
}

/* The whole commit for `version`; *ict is its in-commit timestamp. */
static weir_rc
txn_print(struct txn_try *t, int64_t version, int64_t *ict, struct weir_error *err)
{
    const struct weir_txn *txn = t->txn;
    struct weir_buf *buf = &t->bytes;
    int64_t now = weir_now_ms();

    weir_buf_reset(buf);
    *ict = INT64_MIN;
    if (txn_has_ict(t->binding))
        *ict = txn->snap->ict != INT64_MIN && txn->snap->ict >= now ? txn->snap->ict + 1 : now;
    print_info(t, version, *ict != INT64_MIN ? *ict : now, *ict, buf);
    if (t->binding->creates || t->binding->evolves)
        weir_metadata_print(&t->binding->meta, buf);
    if (t->binding->creates)
        weir_protocol_print(&t->binding->protocol, buf);
    weir_buf_str(buf, "{\"txn\":{");
    print_text(buf, "appId", txn->query_id);
    weir_buf_printf(buf, ",\"version\":%" PRId64 ",\"lastUpdated\":%" PRId64 "}}\n", txn->batch, now);
    weir_buf_add(buf, txn->adds, txn->adds_len);
    return weir_buf_check(buf, err);
}

void
weir_txn_add(struct weir_buf *buf, const char *path, size_t path_len, const char *values, size_t values_len,
             uint64_t size, int64_t mtime_ms, const char *stats, size_t stats_len)
{
    weir_buf_str(buf, "{\"add\":{\"path\":");
    weir_buf_json(buf, path, path_len);
    weir_buf_str(buf, ",\"partitionValues\":");
    weir_buf_add(buf, values, values_len);
    weir_buf_printf(buf, ",\"size\":%" PRIu64 ",\"modificationTime\":%" PRId64 ",\"dataChange\":true,\"stats\":", size,
                    mtime_ms);
    weir_buf_json(buf, stats, stats_len);
    weir_buf_str(buf, "}}\n");
}

/* --- winners ---------------------------------------------------------------------------------------------------- */

/* The table is not the one that the files were written for: can they be committed all the same? */
static weir_rc
txn_rebind(struct txn_try *t, struct weir_error *err)
{
    const struct weir_txn *txn = t->txn;
    struct weir_binding next;

    if (t->rebinds++ == TXN_REBINDS)
        return weir_fail(err, WEIR_CONFLICT, "the table's schema or protocol changed %d times during the commit",
                         TXN_REBINDS);
    WEIR_TRY(weir_bind(txn->snap, txn->rows, txn->bind, txn->mem, &next, err));
    if (!weir_bind_same_files(txn->binding, &next))
        return weir_fail(err, WEIR_CONFLICT, "version %" PRId64 " changed the table's schema: the rows must be written "
                                             "again", txn->snap->version);
    t->rebound = next;
    t->binding = &t->rebound;
    return WEIR_OK;
}

/* Moves the snapshot past the winner of `version` and judges it. *ours: it is this commit. */
static weir_rc
txn_winner(struct txn_try *t, bool *ours, struct weir_error *err)
{
    const struct weir_txn *txn = t->txn;
    struct weir_winner w;

    WEIR_TRY(weir_snapshot_advance(txn->snap, txn->st, &w, err));
    *ours = strcmp(w.txn_id, t->txn_id) == 0;
    if (*ours)
        return WEIR_OK;
    if (w.own_txn) {
        weir_fail(err, WEIR_FENCED,
                  "version %" PRId64 " holds batch %" PRId64 " of this query, written by another run of it",
                  txn->snap->version, w.txn);
        return weir_error_hint(err, "one run at a time: stop the other one, or start this one again later");
    }
    if (txn->snap->version == 0 && !(w.protocol && w.metadata))
        return weir_fail(err, WEIR_CORRUPT, "%s: version 0 holds no protocol or no metaData", txn->st->path);
    return w.protocol || w.metadata ? txn_rebind(t, err) : WEIR_OK;
}

/* The outcome of the put of `version` is not known. OK: it is ours (then *ours) or somebody else's. */
static weir_rc
txn_settle(struct txn_try *t, int64_t version, bool *ours, struct weir_error *err)
{
    const struct weir_txn *txn = t->txn;
    int64_t wait_ms = TXN_SETTLE_MS;
    char key[WEIR_LOG_KEY];
    weir_rc rc;

    weir_log_key(key, version);
    for (int i = 0; i < TXN_SETTLE_TRIES; i++) {
        weir_warn("%s/%s: no answer to the commit; asking again", txn->st->path, key);
        rc = txn_winner(t, ours, err);
        if (rc != WEIR_NOTFOUND && rc != WEIR_IO && rc != WEIR_UNKNOWN && rc != WEIR_RETRY)
            return rc;
        weir_error_clear(err);
        rc = weir_store_put(txn->st, key, t->bytes.data, t->bytes.len, WEIR_PUT_ABSENT, err);
        if (rc == WEIR_OK || rc == WEIR_EXISTS) {
            weir_error_clear(err);
            continue; /* it stands there now: read whose it is */
        }
        weir_error_clear(err);
        if (weir_stop_wait(txn->stop, wait_ms, err) != WEIR_OK)
            break;
        wait_ms = wait_ms * 2 > TXN_SETTLE_MOST_MS ? TXN_SETTLE_MOST_MS : wait_ms * 2;
    }
    weir_fail(err, WEIR_UNKNOWN, "%s/%s: it could not be found out whether the commit was made", txn->st->path, key);
    return weir_error_hint(err, "start again: the table's own record says whether the batch is in it");
}

/* --- the loop ---------------------------------------------------------------------------------------------------- */

/* Reads the commit that was made just now. Whatever that runs into, the commit stands: no code may say that it lost. */
static weir_rc
txn_reread(struct txn_try *t, struct weir_error *err)
{
    bool ours = false;

    if (txn_winner(t, &ours, err) == WEIR_OK && ours)
        return WEIR_END;
    if (err->rc == WEIR_OK)
        weir_fail(err, WEIR_CORRUPT, "%s: version %" PRId64 " is not what was written just now", t->txn->st->path,
                  t->txn->snap->version);
    return err->rc = WEIR_UNKNOWN;
}

/* One attempt at snapshot version + 1. END: committed. OK: somebody else was first, go on. */
static weir_rc
txn_attempt(struct txn_try *t, struct weir_error *err)
{
    const struct weir_txn *txn = t->txn;
    struct weir_snapshot *snap = txn->snap;
    int64_t version = snap->version + 1, ict;
    char key[WEIR_LOG_KEY];
    bool ours = false;
    weir_rc rc;

    weir_log_key(key, version);
    WEIR_TRY(txn_print(t, version, &ict, err));
    rc = weir_store_put_at(txn->st, key, t->bytes.data, t->bytes.len, WEIR_PUT_ABSENT, WEIR_POINT_COMMIT_TMP, err);
    if (rc == WEIR_OK) {
        if (t->binding->creates || t->binding->evolves) /* rare: take the new metaData from where it stands now */
            return txn_reread(t, err);
        weir_snapshot_step(snap, txn->st, ict);
        return WEIR_END;
    }
    if (rc != WEIR_EXISTS && rc != WEIR_UNKNOWN)
        return rc;
    weir_error_clear(err);
    rc = rc == WEIR_UNKNOWN ? txn_settle(t, version, &ours, err) : txn_winner(t, &ours, err);
    return rc == WEIR_OK && ours ? WEIR_END : rc;
}

weir_rc
weir_txn_commit(const struct weir_txn *txn, int64_t *version, struct weir_error *err)
{
    struct txn_try t = {.txn = txn, .binding = txn->binding, .read_version = txn->snap->version};
    weir_rc rc;

    weir_uuid(t.txn_id);
    weir_buf_init(&t.bytes, WEIR_COMMIT_MAX + WEIR_SMALL_MAX, txn->quota);
    /* A table that was dropped under a running pipeline must not come back as a log that begins in the middle;
     * and one that was made anew lacks the batches before, and may have another schema. */
    WEIR_GO(weir_snapshot_check(txn->snap, txn->st, err));
    do {
        rc = weir_stop_check(txn->stop, err);
        if (rc == WEIR_OK)
            rc = txn_attempt(&t, err);
    } while (rc == WEIR_OK);
    if (rc != WEIR_END)
        goto out;
    rc = WEIR_OK;
    txn->snap->txn = txn->batch;
    *version = txn->snap->version;
    rc = weir_point(WEIR_POINT_COMMIT_LINKED, err);
out:
    weir_buf_fini(&t.bytes);
    return rc;
}
