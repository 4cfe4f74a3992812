/* Spark's checkpoint folder. checkpoint.h has the layout.
 *
 * Written byte for byte as Spark 4.0 does (no newline at the end, its order of keys, its conf with its defaults), so
 * that Spark resumes. Read as tolerantly as Spark reads: blanks, newlines, unknown keys, a missing conf. Refused where
 * Spark refuses, and where Spark would go on and lose or double rows: offsets without metadata (a new query id would
 * start the sink's protection anew), a batch between two that was never finished.
 * Names in offsets/ and commits/ that are no plain numbers (temporary files, checksums) are passed over.
 * Failure: whatever fails here ends the run before anything else is written; the next start reads what is there. */
#include "pipeline/checkpoint.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "base/uuid.h"

enum {
    CP_KEY = 64,
    CP_ID_MAX = 256,
    CP_LOOKS = 5,       /* at a checkpoint that another run moves on meanwhile */
    CP_PURGE_MAX = 1000 /* ids at a time */
};

struct weir_checkpoint {
    struct weir_store *store;
    struct weir_mem *mem;
    const char *id;             /* NULL: there is no metadata */
    int64_t planned, committed; /* newest ids, -1 */
    int64_t oldest;             /* lowest id of both folders, -1: none */
    int64_t watermark_ms;       /* of the newest offsets: commits carry it on */
    const char *conf;           /* of the newest offsets; NULL: none */
};

/* What Spark 4.0.0 writes into conf, in its order, with the values of an untouched session. Spark takes them over the
 * session's when it resumes. */
static const char checkpoint_conf[] =
    "{\"spark.sql.streaming.stateStore.providerClass\":"
    "\"org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider\","
    "\"spark.sql.streaming.stateStore.rocksdb.formatVersion\":\"5\","
    "\"spark.sql.streaming.stateStore.encodingFormat\":\"unsaferow\","
    "\"spark.sql.streaming.statefulOperator.useStrictDistribution\":\"true\","
    "\"spark.sql.streaming.flatMapGroupsWithState.stateFormatVersion\":\"2\","
    "\"spark.sql.streaming.multipleWatermarkPolicy\":\"min\","
    "\"spark.sql.streaming.aggregation.stateFormatVersion\":\"2\","
    "\"spark.sql.shuffle.partitions\":\"200\","
    "\"spark.sql.streaming.join.stateFormatVersion\":\"2\","
    "\"spark.sql.streaming.stateStore.compression.codec\":\"lz4\","
    "\"spark.sql.optimizer.pruneFiltersCanPruneStreamingSubplan\":\"false\"}";

/* --- opening --- */

struct checkpoint_ids { /* of one folder */
    const char *folder;
    int64_t newest, before, oldest;
};

static weir_rc
checkpoint_listed(void *arg, const struct weir_object *obj, struct weir_error *err)
{
    struct checkpoint_ids *ids = arg;
    const char *name = obj->key + strlen(ids->folder);
    size_t n = strlen(name);
    int64_t id;

    (void)err;
    if (name[0] < '0' || name[0] > '9' || (n > 1 && name[0] == '0') ||
        !weir_parse_int(weir_slice(name, n), &id))
        return WEIR_OK;
    if (id > ids->newest) {
        ids->before = ids->newest;
        ids->newest = id;
    } else if (id > ids->before) {
        ids->before = id;
    }
    if (ids->oldest < 0 || id < ids->oldest)
        ids->oldest = id;
    return WEIR_OK;
}

static weir_rc
checkpoint_ids(struct weir_checkpoint *cp, const char *folder, struct checkpoint_ids *ids,
               struct weir_error *err)
{
    *ids = (struct checkpoint_ids){folder, -1, -1, -1};
    return weir_store_list(cp->store, folder, NULL, WEIR_LIST_NAMES, checkpoint_listed, ids, err);
}

/* The text of an object; without it NOTFOUND. */
static weir_rc
checkpoint_get(struct weir_checkpoint *cp, const char *key, struct weir_buf *buf, struct weir_error *err)
{
    weir_buf_init(buf, WEIR_SMALL_MAX, weir_mem_quota(cp->mem));
    WEIR_TRY(weir_store_get(cp->store, key, buf, err));
    if (buf->len > 0 && memchr(buf->data, '\0', buf->len) != NULL) {
        weir_fail(err, WEIR_CORRUPT, "%s/%s holds zero bytes, as a power cut can leave them", cp->store->path,
                  key);
        return weir_error_hint(err, "bring the file back from a copy of the checkpoint");
    }
    if (!weir_utf8_valid(buf->data != NULL ? buf->data : "", buf->len))
        return weir_fail(err, WEIR_CORRUPT, "%s/%s is not UTF-8 text", cp->store->path, key);
    return WEIR_OK;
}

static weir_rc
checkpoint_read_id(struct weir_checkpoint *cp, struct weir_error *err)
{
    struct weir_buf buf = {0};
    json_t *doc = NULL;
    const char *id = NULL;
    weir_rc rc;

    cp->id = NULL;
    rc = checkpoint_get(cp, "metadata", &buf, err);
    if (rc == WEIR_NOTFOUND) {
        weir_error_clear(err);
        rc = WEIR_OK;
        goto out;
    }
    WEIR_GO(rc);
    if (weir_json_load(buf.data != NULL ? buf.data : "", buf.len, &doc, err) != WEIR_OK ||
        weir_json_get_str(doc, "id", &id, err) != WEIR_OK)
        WEIR_GO(weir_error_context(err, "%s/metadata", cp->store->path));
    if (id == NULL || id[0] == '\0' || strlen(id) > CP_ID_MAX)
        WEIR_GO(weir_fail(err, WEIR_CORRUPT, "%s/metadata holds no query id", cp->store->path));
    cp->id = weir_mem_strdup(cp->mem, id);
    if (cp->id == NULL)
        rc = weir_mem_fail(cp->mem, strlen(id), err);
out:
    json_decref(doc);
    weir_buf_fini(&buf);
    return rc;
}

static weir_rc
checkpoint_refuse(const struct weir_checkpoint *cp, struct weir_error *err, const char *what,
                  const char *hint)
{
    weir_fail(err, WEIR_USAGE, "checkpoint %s: %s", cp->store->path, what);
    return weir_error_hint(err, "%s", hint);
}

/* What cannot come from a run, however it ended. */
static weir_rc
checkpoint_check(const struct weir_checkpoint *cp, const struct checkpoint_ids *offsets,
                 const struct checkpoint_ids *commits, struct weir_error *err)
{
    char text[160];

    if (cp->id == NULL && (offsets->newest >= 0 || commits->newest >= 0))
        return checkpoint_refuse(
            cp, err, "there are offsets, but no file metadata with the query id",
            "bring metadata back from a copy; the id stands as txn.appId in the target table's "
            "log too: write {\"id\":\"…\"}. Without it rows would be written twice");
    if (offsets->newest > 0 && offsets->before != offsets->newest - 1) {
        snprintf(text, sizeof(text), "offsets/%" PRId64 " is there, offsets/%" PRId64 " is not",
                 offsets->newest, offsets->newest - 1);
        return checkpoint_refuse(cp, err, text, "the two newest must exist: bring it back from a copy");
    }
    if (commits->newest > offsets->newest) {
        snprintf(text, sizeof(text), "commits/%" PRId64 " is there, offsets/%" PRId64 " is not",
                 commits->newest, commits->newest);
        return checkpoint_refuse(cp, err, text, "bring the folder offsets back from a copy");
    }
    if (commits->newest < offsets->newest - 1) {
        snprintf(text, sizeof(text), "offsets/%" PRId64 " is there, commits/%" PRId64 " is not",
                 offsets->newest, offsets->newest - 1);
        return checkpoint_refuse(
            cp, err, text,
            "that batch may not be in the table: bring commits back from a copy, or remove the "
            "offsets behind the last finished batch");
    }
    return WEIR_OK;
}

/* Both folders in one look that fits together. Another run may move on between the two listings: what does not fit
 * is looked at again as long as it changes. */
static weir_rc
checkpoint_look(struct weir_checkpoint *cp, struct checkpoint_ids *offsets, struct checkpoint_ids *commits,
                struct weir_error *err)
{
    int64_t before_offsets = -2, before_commits = -2;
    weir_rc rc = WEIR_OK;

    for (int i = 0; i < CP_LOOKS; i++) {
        weir_error_clear(err);
        WEIR_TRY(checkpoint_read_id(cp, err));
        WEIR_TRY(checkpoint_ids(cp, "offsets/", offsets, err));
        WEIR_TRY(checkpoint_ids(cp, "commits/", commits, err));
        rc = checkpoint_check(cp, offsets, commits, err);
        if (rc == WEIR_OK || (offsets->newest == before_offsets && commits->newest == before_commits))
            break;
        before_offsets = offsets->newest;
        before_commits = commits->newest;
    }
    return rc;
}

weir_rc
weir_checkpoint_refresh(struct weir_checkpoint *cp, struct weir_error *err)
{
    struct checkpoint_ids offsets, commits;
    struct weir_batch_record rec;

    WEIR_TRY(checkpoint_look(cp, &offsets, &commits, err));
    cp->planned = offsets.newest;
    cp->committed = commits.newest;
    cp->oldest = commits.oldest >= 0 && commits.oldest < offsets.oldest ? commits.oldest : offsets.oldest;
    cp->conf = NULL;
    cp->watermark_ms = 0;
    if (cp->planned < 0)
        return WEIR_OK;
    WEIR_TRY(weir_checkpoint_read(cp, cp->planned, cp->mem, &rec, err));
    cp->conf = rec.conf;
    cp->watermark_ms = rec.watermark_ms;
    return WEIR_OK;
}

weir_rc
weir_checkpoint_open(const char *uri, bool create, struct weir_mem *mem, struct weir_checkpoint **out,
                     struct weir_error *err)
{
    struct weir_checkpoint *cp = NULL;
    weir_rc rc;

    WEIR_NEW(cp, mem, sizeof(*cp));
    cp->mem = mem;
    cp->planned = cp->committed = cp->oldest = -1;
    WEIR_GO(weir_store_open(uri, mem, &cp->store, err));
    WEIR_GO(weir_checkpoint_refresh(cp, err));
    if (create && cp->id == NULL)
        WEIR_GO(weir_checkpoint_create(cp, err));
    *out = cp;
    return WEIR_OK;
out:
    weir_checkpoint_close(cp);
    return rc;
}

void
weir_checkpoint_close(struct weir_checkpoint *cp)
{
    if (cp == NULL)
        return;
    weir_store_close(cp->store);
    cp->store = NULL;
}

weir_rc
weir_checkpoint_create(struct weir_checkpoint *cp, struct weir_error *err)
{
    char id[WEIR_UUID_SIZE], text[CP_KEY + WEIR_UUID_SIZE];
    weir_rc rc;
    int n;

    weir_uuid(id);
    n = snprintf(text, sizeof(text), "{\"id\":\"%s\"}", id);
    rc = weir_store_put_settled(cp->store, "metadata", text, (size_t)n, WEIR_PUT_ABSENT, err);
    if (rc == WEIR_EXISTS) {
        weir_error_clear(err);
        return weir_fail(err, WEIR_FENCED, "checkpoint %s: another run made it at the same moment",
                         cp->store->path);
    }
    WEIR_TRY(rc);
    cp->id = weir_mem_strdup(cp->mem, id);
    return cp->id != NULL ? WEIR_OK : weir_mem_fail(cp->mem, sizeof(id), err);
}

struct weir_store *
weir_checkpoint_store(struct weir_checkpoint *cp)
{
    return cp->store;
}

const char *
weir_checkpoint_id(const struct weir_checkpoint *cp)
{
    return cp->id;
}

int64_t
weir_checkpoint_planned(const struct weir_checkpoint *cp)
{
    return cp->planned;
}

int64_t
weir_checkpoint_committed(const struct weir_checkpoint *cp)
{
    return cp->committed;
}

/* --- offsets/N --- */

static struct weir_slice
checkpoint_line(struct weir_slice *rest)
{
    const char *nl = rest->len > 0 ? memchr(rest->ptr, '\n', rest->len) : NULL;
    struct weir_slice line = weir_slice(rest->ptr, nl != NULL ? (size_t)(nl - rest->ptr) : rest->len);

    rest->ptr += line.len + (nl != NULL);
    rest->len -= line.len + (nl != NULL);
    return weir_slice_trim(line);
}

static weir_rc
checkpoint_version(struct weir_slice line, struct weir_error *err)
{
    int64_t version;

    if (weir_slice_is(line, "v1"))
        return WEIR_OK;
    if (line.len > 1 && line.ptr[0] == 'v' &&
        weir_parse_int(weir_slice(line.ptr + 1, line.len - 1), &version) && version > 1)
        return weir_fail(err, WEIR_USAGE,
                         "it is of version %" PRId64 "; weir knows version 1 (Spark 2.1 to 4)", version);
    return weir_fail(err, WEIR_CORRUPT, "it does not begin with the line v1");
}

/* What weir put into conf. */
static weir_rc
checkpoint_facts(const json_t *conf, struct weir_mem *mem, struct weir_batch_record *out, struct weir_error *err)
{
    const char *text;
    char *end;

    WEIR_TRY(weir_json_get_str(conf, "weir.fingerprint", &text, err));
    if (text != NULL) {
        out->fingerprint = strtoull(text, &end, 16);
        if (end == text || *end != '\0')
            return weir_fail(err, WEIR_CORRUPT, "weir.fingerprint \"%.64s\" is no hexadecimal number", text);
    }
    WEIR_TRY(weir_json_get_str(conf, "weir.schemaVersion", &text, err));
    if (text != NULL && !weir_parse_int(weir_slice(text, strlen(text)), &out->schema_version))
        return weir_fail(err, WEIR_CORRUPT, "weir.schemaVersion \"%.64s\" is no number", text);
    WEIR_TRY(weir_json_get_str(conf, "weir.tables", &text, err));
    if (text == NULL)
        return WEIR_OK;
    out->tables = weir_mem_strdup(mem, text);
    return out->tables == NULL ? weir_mem_fail(mem, strlen(text), err) : WEIR_OK;
}

/* Line 2. Spark 2.0 left it empty. */
static weir_rc
checkpoint_metadata(struct weir_slice line, struct weir_mem *mem, struct weir_batch_record *out,
                    struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(WEIR_SMALL_MAX);
    json_t *doc = NULL, *conf;
    weir_rc rc = WEIR_OK;

    if (line.len == 0)
        goto out;
    WEIR_GO(weir_json_load(line.ptr, line.len, &doc, err));
    if (!json_is_object(doc))
        WEIR_GO(weir_fail(err, WEIR_CORRUPT, "line 2 is no JSON object"));
    WEIR_GO(weir_json_get_int(doc, "batchWatermarkMs", 0, &out->watermark_ms, err));
    WEIR_GO(weir_json_get_int(doc, "batchTimestampMs", 0, &out->time_ms, err));
    conf = json_object_get(doc, "conf");
    if (conf == NULL || json_is_null(conf))
        goto out;
    if (!json_is_object(conf))
        WEIR_GO(weir_fail(err, WEIR_CORRUPT, "\"conf\" is no JSON object"));
    WEIR_GO(checkpoint_facts(conf, mem, out, err));
    weir_json_dump(conf, &buf);
    WEIR_GO(weir_buf_check(&buf, err));
    out->conf = weir_mem_strndup(mem, buf.data, buf.len);
    if (out->conf == NULL)
        rc = weir_mem_fail(mem, buf.len, err);
out:
    json_decref(doc);
    weir_buf_fini(&buf);
    return rc;
}

static weir_rc
checkpoint_parse(struct weir_slice text, struct weir_mem *mem, struct weir_batch_record *out,
                 struct weir_error *err)
{
    struct weir_slice line, offset = {0};
    unsigned sources = 0;

    WEIR_TRY(checkpoint_version(checkpoint_line(&text), err));
    if (text.len == 0)
        return weir_fail(err, WEIR_CORRUPT, "it ends behind the line v1");
    WEIR_TRY(checkpoint_metadata(checkpoint_line(&text), mem, out, err));
    while (text.len > 0) {
        line = checkpoint_line(&text);
        if (line.len == 0)
            continue;
        sources++;
        offset = line;
    }
    if (sources == 0)
        return weir_fail(err, WEIR_CORRUPT, "no source's line follows");
    if (sources > 1) {
        weir_fail(err, WEIR_USAGE, "it has lines of %u sources; a pipeline has one", sources);
        return weir_error_hint(err, "give this pipeline a checkpoint of its own");
    }
    if (weir_slice_is(offset, "-"))
        return WEIR_OK;
    out->offset = weir_mem_strndup(mem, offset.ptr, offset.len);
    return out->offset != NULL ? WEIR_OK : weir_mem_fail(mem, offset.len, err);
}

weir_rc
weir_checkpoint_read(struct weir_checkpoint *cp, int64_t id, struct weir_mem *mem,
                     struct weir_batch_record *out, struct weir_error *err)
{
    struct weir_buf buf = {0};
    char key[CP_KEY];
    weir_rc rc;

    *out = (struct weir_batch_record){.id = id, .schema_version = -1};
    snprintf(key, sizeof(key), "offsets/%" PRId64, id);
    WEIR_GO(checkpoint_get(cp, key, &buf, err));
    if (checkpoint_parse(weir_slice(buf.data != NULL ? buf.data : "", buf.len), mem, out, err) != WEIR_OK)
        rc = weir_error_context(err, "%s/%s", cp->store->path, key);
out:
    weir_buf_fini(&buf);
    return rc;
}

/* The conf to write: the one before, or Spark's defaults, with weir's facts of this batch in place of older ones. */
static weir_rc
checkpoint_print_conf(const struct weir_checkpoint *cp, const struct weir_batch_record *rec,
                      struct weir_buf *buf, struct weir_error *err)
{
    const char *text = rec->conf != NULL ? rec->conf : cp->conf != NULL ? cp->conf : checkpoint_conf, *key;
    char fact[32];
    json_t *conf = NULL, *value;
    void *next;
    weir_rc rc;

    WEIR_GO(weir_json_load(text, strlen(text), &conf, err));
    json_object_foreach_safe(conf, next, key, value) if (weir_str_starts(key, "weir."))
        json_object_del(conf, key);
    snprintf(fact, sizeof(fact), "%016" PRIx64, rec->fingerprint);
    if (rec->fingerprint != 0 && json_object_set_new(conf, "weir.fingerprint", json_string(fact)) != 0)
        WEIR_GO(weir_fail(err, WEIR_NOMEM, "no memory for the batch's settings"));
    snprintf(fact, sizeof(fact), "%" PRId64, rec->schema_version);
    if (rec->schema_version >= 0 && json_object_set_new(conf, "weir.schemaVersion", json_string(fact)) != 0)
        WEIR_GO(weir_fail(err, WEIR_NOMEM, "no memory for the batch's settings"));
    if (rec->tables != NULL && json_object_set_new(conf, "weir.tables", json_string(rec->tables)) != 0)
        WEIR_GO(weir_fail(err, WEIR_NOMEM, "no memory for the batch's settings"));
    weir_json_dump(conf, buf);
out:
    json_decref(conf);
    return rc;
}

/* Put if absent; who comes second has lost the checkpoint. */
static weir_rc
checkpoint_put(struct weir_checkpoint *cp, const char *folder, int64_t id, const struct weir_buf *buf,
               struct weir_error *err)
{
    char key[CP_KEY];
    weir_rc rc;

    snprintf(key, sizeof(key), "%s/%" PRId64, folder, id);
    rc = weir_store_put_settled(cp->store, key, buf->data, buf->len, WEIR_PUT_ABSENT, err);
    if (rc != WEIR_EXISTS)
        return rc;
    weir_error_clear(err);
    weir_fail(err, WEIR_FENCED, "%s/%s was written by another run of this query", cp->store->path, key);
    return weir_error_hint(
        err, "only one run may use a checkpoint; this one stops and leaves everything as it is");
}

weir_rc
weir_checkpoint_plan(struct weir_checkpoint *cp, const struct weir_batch_record *rec, struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(WEIR_SMALL_MAX);
    weir_rc rc;

    WEIR_ASSERT(rec->id == cp->planned + 1 && cp->committed == cp->planned);
    WEIR_ASSERT(rec->offset == NULL || strchr(rec->offset, '\n') == NULL);
    weir_buf_printf(&buf, "v1\n{\"batchWatermarkMs\":%" PRId64 ",\"batchTimestampMs\":%" PRId64 ",\"conf\":",
                    rec->watermark_ms, rec->time_ms);
    WEIR_GO(checkpoint_print_conf(cp, rec, &buf, err));
    weir_buf_printf(&buf, "}\n%s", rec->offset != NULL ? rec->offset : "-");
    WEIR_GO(weir_buf_check(&buf, err));
    WEIR_GO(checkpoint_put(cp, "offsets", rec->id, &buf, err));
    if (cp->conf == NULL && rec->conf != NULL)
        cp->conf =
            weir_mem_strdup(cp->mem, rec->conf); /* without memory for it: our own from the next batch on */
    cp->planned = rec->id;
    cp->watermark_ms = rec->watermark_ms;
    if (cp->oldest < 0)
        cp->oldest = rec->id;
out:
    weir_buf_fini(&buf);
    return rc;
}

weir_rc
weir_checkpoint_commit(struct weir_checkpoint *cp, int64_t id, struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(WEIR_SMALL_MAX);
    weir_rc rc;

    WEIR_ASSERT(id == cp->planned && id == cp->committed + 1);
    weir_buf_printf(&buf, "v1\n{\"nextBatchWatermarkMs\":%" PRId64 "}", cp->watermark_ms);
    WEIR_GO(weir_buf_check(&buf, err));
    WEIR_GO(checkpoint_put(cp, "commits", id, &buf, err));
    cp->committed = id;
out:
    weir_buf_fini(&buf);
    return rc;
}

void
weir_checkpoint_purge(struct weir_checkpoint *cp, int64_t keep)
{
    static const char *const folders[] = {"offsets", "commits"};
    int64_t below = cp->committed + 1 - (keep < 2 ? 2 : keep);
    struct weir_error err = {0};
    char key[CP_KEY];

    for (int n = 0; n < CP_PURGE_MAX && cp->oldest >= 0 && cp->oldest < below; n++, cp->oldest++) {
        for (int i = 0; i < 2; i++) {
            snprintf(key, sizeof(key), "%s/%" PRId64, folders[i], cp->oldest);
            if (weir_store_remove(cp->store, key, &err) == WEIR_OK)
                continue;
            weir_warn("%s/%s cannot be removed: %s", cp->store->path, key, err.what);
            return;
        }
    }
}
