/* Spark's file source log, read tolerantly and written byte for byte. file_log.h has the rules.
 *
 * Reading takes an entry by a short scan when it stands exactly as Spark and weir write it, else as any JSON object.
 * A crash leaves at most a temporary file of the store beside the log; such names are no ids and are ignored. */
#include "source/file_log.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "base/time.h"

enum {
    LOG_LINE_MAX = 64 * 1024,
    LOG_RETAIN = 100,                      /* spark.sql.streaming.minBatchesToRetain */
    LOG_CLEANUP_DELAY_MS = 10 * 60 * 1000, /* spark.sql.streaming.fileSource.log.cleanupDelay */
    LOG_NAME = 64,
    LOG_FLUSH = 256 * 1024,
};

/* "sources/0/12" or "sources/0/12.compact". */
static const char *
log_name(const struct weir_file_log *log, int64_t id, bool compact, char name[LOG_NAME])
{
    snprintf(name, LOG_NAME, "%s%" PRId64 "%s", log->folder, id, compact ? ".compact" : "");
    return name;
}

/* --- which files there are --- */

struct log_listing {
    struct weir_file_log *log;
    int64_t last;           /* id of the object before */
    int64_t before_compact; /* second newest .compact */
};

/* "12" and "12.compact"; false for anything else (temporary files, checksums). */
static bool
log_id(const char *name, int64_t *id, bool *compact)
{
    size_t n = strlen(name);

    *compact = weir_str_ends(name, ".compact");
    if (*compact)
        n -= strlen(".compact");
    return n > 0 && name[0] >= '0' && name[0] <= '9' && (n == 1 || name[0] != '0') &&
           weir_parse_int(weir_slice(name, n), id);
}

static weir_rc
log_listed(void *arg, const struct weir_object *obj, struct weir_error *err)
{
    struct log_listing *list = arg;
    struct weir_file_log *log = list->log;
    int64_t id;
    bool compact;

    if (!log_id(obj->key + strlen(log->folder), &id, &compact))
        return WEIR_OK;
    if (id == list->last) {
        weir_fail(err, WEIR_CORRUPT, "both %s%" PRId64 " and %s%" PRId64 ".compact are there", log->folder,
                  id, log->folder, id);
        return weir_error_hint(
            err, "two runs wrote them; keep the one whose files are in the table, remove the other");
    }
    list->last = id;
    if (id > log->newest)
        log->newest = id;
    if (log->oldest < 0 || id < log->oldest)
        log->oldest = id;
    if (compact && id > log->compact) {
        list->before_compact = log->compact;
        log->compact = id;
    } else if (compact && id > list->before_compact) {
        list->before_compact = id;
    }
    return WEIR_OK;
}

/* Spark's rule for an interval beside one .compact file (deriveCompactInterval). */
static int64_t
log_derive(int64_t setting, int64_t compact)
{
    int64_t whole = compact + 1;

    if (setting < whole / 2)
        for (int64_t i = setting; i <= whole / 2; i++)
            if (whole % i == 0)
                return i;
    return whole;
}

weir_rc
weir_file_log_open(struct weir_file_log *log, struct weir_store *checkpoint, unsigned source,
                   int64_t interval, int64_t retain, struct weir_quota *q, struct weir_error *err)
{
    struct log_listing list = {.log = log, .last = -1, .before_compact = -1};

    *log = (struct weir_file_log){.store = checkpoint,
                                  .q = q,
                                  .newest = -1,
                                  .compact = -1,
                                  .oldest = -1,
                                  .interval = interval > 0 ? interval : 10,
                                  .retain = retain > 0 ? retain : LOG_RETAIN};
    snprintf(log->folder, sizeof(log->folder), "sources/%u/", source);
    WEIR_TRY(weir_store_list(checkpoint, log->folder, NULL, WEIR_LIST_NAMES, log_listed, &list, err));
    if (list.before_compact >= 0)
        log->interval = log->compact - list.before_compact;
    else if (log->compact >= 0)
        log->interval = log_derive(log->interval, log->compact);
    return WEIR_OK;
}

/* --- reading --- */

static bool
log_skip(const char **p, const char *end, const char *text)
{
    size_t n = strlen(text);

    if ((size_t)(end - *p) < n || memcmp(*p, text, n) != 0)
        return false;
    *p += n;
    return true;
}

/* Digits up to the character `stop`. */
static bool
log_number(const char **p, const char *end, char stop, int64_t *out)
{
    const char *from = *p, *to = memchr(from, stop, (size_t)(end - from));

    if (to == NULL || !weir_parse_int(weir_slice(from, (size_t)(to - from)), out))
        return false;
    *p = to + 1;
    return true;
}

/* Whether JSON lets p[0..n) stand in a string as it is. */
static bool
log_string_plain(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)p[i] < 0x20 || p[i] == '\\')
            return false;
    return weir_utf8_valid(p, n);
}

/* The entry as Spark writes it; false: look at it as JSON. */
static bool
log_entry_plain(const char *line, size_t len, struct weir_file_entry *out)
{
    const char *p = line, *end = line + len, *quote;

    if (!log_skip(&p, end, "{\"path\":\""))
        return false;
    quote = memchr(p, '"', (size_t)(end - p));
    if (quote == NULL || quote == p || !log_string_plain(p, (size_t)(quote - p)))
        return false;
    out->path = p;
    out->path_len = (size_t)(quote - p);
    p = quote;
    return log_skip(&p, end, "\",\"timestamp\":") && log_number(&p, end, ',', &out->mtime_ms) &&
           log_skip(&p, end, "\"batchId\":") && log_number(&p, end, '}', &out->id) && p == end;
}

/* *doc holds the entry's text. */
static weir_rc
log_entry_json(const char *line, size_t len, json_t **doc, struct weir_file_entry *out,
               struct weir_error *err)
{
    const char *path;

    WEIR_TRY(weir_json_load(line, len, doc, err));
    if (!json_is_object(*doc))
        return weir_fail(err, WEIR_CORRUPT, "not a JSON object");
    WEIR_TRY(weir_json_get_str(*doc, "path", &path, err));
    WEIR_TRY(weir_json_get_int(*doc, "timestamp", 0, &out->mtime_ms, err));
    WEIR_TRY(weir_json_get_int(*doc, "batchId", -1, &out->id, err));
    if (path == NULL || path[0] == '\0')
        return weir_fail(err, WEIR_CORRUPT, "an entry without \"path\"");
    out->path = path;
    out->path_len = strlen(path);
    return WEIR_OK;
}

static weir_rc
log_entry(const char *line, size_t len, int64_t file_id, weir_file_entry_fn *fn, void *arg,
          struct weir_error *err)
{
    struct weir_file_entry entry;
    json_t *doc = NULL;
    weir_rc rc = WEIR_OK;

    if (!log_entry_plain(line, len, &entry))
        WEIR_GO(log_entry_json(line, len, &doc, &entry, err));
    if (entry.id > file_id)
        WEIR_GO(weir_fail(err, WEIR_CORRUPT, "batchId %" PRId64 " is newer than its file", entry.id));
    rc = fn(arg, &entry, err);
out:
    json_decref(doc);
    return rc;
}

/* The first line of every log: "v1". */
static weir_rc
log_version(struct weir_lines *lines, struct weir_error *err)
{
    const char *line;
    size_t len;
    int64_t version;
    weir_rc rc = weir_lines_next(lines, &line, &len, err);

    if (rc == WEIR_END)
        return weir_fail(err, WEIR_CORRUPT, "the file is empty");
    WEIR_TRY(rc);
    if (len > 1 && line[0] == 'v' && weir_parse_int(weir_slice(line + 1, len - 1), &version)) {
        if (version == 1)
            return WEIR_OK;
        if (version > 1)
            return weir_fail(err, WEIR_USAGE,
                             "it is of version %" PRId64 "; weir knows version 1 (Spark 2.1 to 4)", version);
    }
    return weir_fail(err, WEIR_CORRUPT, "it does not begin with the line v1");
}

static weir_rc
log_hint(struct weir_error *err)
{
    return weir_error_hint(
        err, "bring it back from a copy of the checkpoint: without it files would be read twice");
}

static weir_rc
log_damaged(const struct weir_file_log *log, const char *name, uint64_t line, struct weir_error *err)
{
    weir_error_context(err, "%s/%s line %" PRIu64, log->store->path, name, line);
    return err->rc == WEIR_CORRUPT ? log_hint(err) : err->rc;
}

/* Not zero bytes: those are what a power cut left in place of entries. */
static bool
log_is_blank(const char *line, size_t len)
{
    while (len > 0 && (line[len - 1] == ' ' || line[len - 1] == '\t' || line[len - 1] == '\r'))
        len--;
    return len == 0;
}

/* One file of the log. NOTFOUND: it is not there. */
static weir_rc
log_read(struct weir_file_log *log, int64_t id, bool compact, weir_file_entry_fn *fn, void *arg,
         struct weir_error *err)
{
    struct weir_lines lines = {0};
    char name[LOG_NAME];
    const char *line;
    size_t len;
    weir_rc rc;

    rc = weir_lines_open(&lines, log->store, log_name(log, id, compact, name), LOG_LINE_MAX, log->q, err);
    if (rc == WEIR_NOTFOUND)
        goto out;
    if (rc == WEIR_OK)
        rc = log_version(&lines, err);
    while (rc == WEIR_OK && (rc = weir_lines_next(&lines, &line, &len, err)) == WEIR_OK) {
        if (!log_is_blank(line, len))
            rc = log_entry(line, len, id, fn, arg, err);
    }
    if (rc == WEIR_END)
        rc = WEIR_OK;
    if (rc != WEIR_OK)
        log_damaged(log, name, lines.line, err);
out:
    weir_lines_close(&lines);
    return rc;
}

static weir_rc
log_missing(const struct weir_file_log *log, int64_t id, struct weir_error *err)
{
    weir_error_clear(err);
    weir_fail(err, WEIR_CORRUPT, "%s/%s%" PRId64 " is missing, while the log goes on to %" PRId64,
              log->store->path, log->folder, id, log->newest);
    return log_hint(err);
}

weir_rc
weir_file_log_each(struct weir_file_log *log, weir_file_entry_fn *fn, void *arg, struct weir_error *err)
{
    for (int64_t id = log->compact >= 0 ? log->compact : 0; id <= log->newest; id++) {
        weir_rc rc = log_read(log, id, id == log->compact, fn, arg, err);

        if (rc == WEIR_NOTFOUND)
            return log_missing(log, id, err);
        WEIR_TRY(rc);
    }
    return WEIR_OK;
}

struct log_filter {
    int64_t id;
    weir_file_entry_fn *fn;
    void *arg;
};

static weir_rc
log_filtered(void *arg, const struct weir_file_entry *entry, struct weir_error *err)
{
    struct log_filter *filter = arg;

    return entry->id == filter->id ? filter->fn(filter->arg, entry, err) : WEIR_OK;
}

/* The entries of one id: from its own file, from its .compact, or from the newest .compact when its own was cleaned. */
static weir_rc
log_one(struct weir_file_log *log, int64_t id, weir_file_entry_fn *fn, void *arg, struct weir_error *err)
{
    struct log_filter filter = {id, fn, arg};
    weir_rc rc;

    rc = log_read(log, id, false, log_filtered, &filter, err);
    if (rc == WEIR_NOTFOUND)
        rc = log_read(log, id, true, log_filtered, &filter, err);
    if (rc == WEIR_NOTFOUND && log->compact > id)
        rc = log_read(log, log->compact, true, log_filtered, &filter, err);
    return rc == WEIR_NOTFOUND ? log_missing(log, id, err) : rc;
}

weir_rc
weir_file_log_range(struct weir_file_log *log, int64_t from, int64_t to, weir_file_entry_fn *fn, void *arg,
                    struct weir_error *err)
{
    if (to > log->newest) {
        weir_fail(err, WEIR_CORRUPT, "the offsets say logOffset %" PRId64 ", but %s ends at %" PRId64, to,
                  log->folder, log->newest);
        return weir_error_hint(err, "the checkpoint is not whole: bring %s back from a copy", log->folder);
    }
    for (int64_t id = from + 1; id <= to; id++)
        WEIR_TRY(log_one(log, id, fn, arg, err));
    return WEIR_OK;
}

/* --- writing --- */

struct log_writer {
    struct weir_buf buf;
    struct weir_output *out; /* of a .compact, which may be too big for memory; NULL: all stays in buf */
};

static weir_rc
log_flush(struct log_writer *wr, struct weir_error *err)
{
    weir_rc rc = weir_output_write(wr->out, wr->buf.data, wr->buf.len, err);

    weir_buf_reset(&wr->buf);
    return rc;
}

static weir_rc
log_write(void *arg, const struct weir_file_entry *entry, struct weir_error *err)
{
    struct log_writer *wr = arg;

    weir_buf_str(&wr->buf, "\n{\"path\":");
    weir_buf_json(&wr->buf, entry->path, entry->path_len);
    weir_buf_printf(&wr->buf, ",\"timestamp\":%" PRId64 ",\"batchId\":%" PRId64 "}", entry->mtime_ms,
                    entry->id);
    WEIR_TRY(weir_buf_check(&wr->buf, err));
    return wr->out != NULL && wr->buf.len >= LOG_FLUSH ? log_flush(wr, err) : WEIR_OK;
}

static weir_rc
log_fenced(const char *name, struct weir_error *err)
{
    weir_error_clear(err);
    return weir_fail(err, WEIR_FENCED, "%s was written by another run of this query", name);
}

/* Durable under its name, or FENCED. UNKNOWN ends the run: whichever of the two it was, the next start reads a whole
 * log, and an entry without its offset is covered by the next batch. */
static weir_rc
log_put(struct weir_file_log *log, const char *name, struct log_writer *wr, struct weir_error *err)
{
    struct weir_output *out = wr->out;
    weir_rc rc;

    if (out == NULL) {
        rc = weir_store_put_settled(log->store, name, wr->buf.data, wr->buf.len, WEIR_PUT_ABSENT, err);
    } else {
        WEIR_TRY(log_flush(wr, err));
        wr->out = NULL;
        rc = weir_output_finish(out, err);
    }
    return rc == WEIR_EXISTS ? log_fenced(name, err) : rc;
}

struct log_cleaner {
    struct weir_file_log *log;
    int64_t below, before_ms;
};

static weir_rc
log_clean_one(void *arg, const struct weir_object *obj, struct weir_error *err)
{
    struct log_cleaner *clean = arg;
    struct weir_error ignored = {0};
    int64_t id;
    bool compact;

    (void)err;
    if (!log_id(obj->key + strlen(clean->log->folder), &id, &compact) || id >= clean->below ||
        obj->mtime_ms > clean->before_ms)
        return WEIR_OK;
    if (weir_store_remove(clean->log->store, obj->key, &ignored) != WEIR_OK)
        weir_warn("%s cannot be removed: %s", obj->key, ignored.what);
    return WEIR_OK;
}

/* Spark's deleteExpiredLog. It can only free anything when a compaction was just written. */
static void
log_clean(struct weir_file_log *log)
{
    struct log_cleaner clean = {.log = log, .before_ms = weir_now_ms() - LOG_CLEANUP_DELAY_MS};
    int64_t keep_from = log->newest + 1 - log->retain;
    struct weir_error err = {0};

    if (log->interval > keep_from)
        return;
    clean.below = keep_from - keep_from % log->interval - 1;
    if (weir_store_list(log->store, log->folder, NULL, WEIR_LIST_FOLDER, log_clean_one, &clean, &err) != WEIR_OK)
        weir_warn("old files of %s cannot be cleaned: %s", log->folder, err.what);
}

weir_rc
weir_file_log_append(struct weir_file_log *log,
                     weir_rc (*next)(void *arg, struct weir_file_entry *out, struct weir_error *err),
                     void *arg, struct weir_error *err)
{
    struct log_writer wr = {0};
    struct weir_file_entry entry;
    int64_t id = log->newest + 1;
    bool compact = (id + 1) % log->interval == 0;
    char name[LOG_NAME];
    weir_rc rc;

    weir_buf_init(&wr.buf, WEIR_SOURCE_LOG_MAX, log->q);
    weir_buf_str(&wr.buf, "v1");
    log_name(log, id, compact, name);
    if (compact) {
        rc = weir_output_create_absent(log->store, name, &wr.out, err);
        WEIR_GO(rc == WEIR_EXISTS ? log_fenced(name, err) : rc);
        WEIR_GO(weir_file_log_each(log, log_write, &wr, err));
    }
    while ((rc = next(arg, &entry, err)) == WEIR_OK)
        WEIR_GO(log_write(&wr, &entry, err));
    if (rc != WEIR_END)
        goto out;
    WEIR_GO(log_put(log, name, &wr, err));
    log->newest = id;
    if (compact) {
        log->compact = id;
        log_clean(log);
    }
out:
    weir_output_abort(wr.out);
    weir_buf_fini(&wr.buf);
    return rc;
}
