/* Reading the log folder. delta/log.h.
 *
 * 1. Versions run from 0 without a hole. A hole is harmless only below a checkpoint; elsewhere it is CORRUPT, never
 *    taken for the end: what stands behind it would be lost.
 * 2. A commit is read from its end, in blocks, so that newest-first replay needs no more memory than a line.
 * Threads: none of its own. */
#include "delta/log.h"

#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"

enum { LOG_DIGITS = 20, LOG_BLOCK = 256 * 1024, LOG_LOOKS = 5 };
#define LOG_FOLDER "_delta_log/"

void
weir_log_key(char key[WEIR_LOG_KEY], int64_t version)
{
    snprintf(key, WEIR_LOG_KEY, LOG_FOLDER "%020" PRId64 ".json", version);
}

void
weir_log_crc_key(char key[WEIR_LOG_KEY], int64_t version)
{
    snprintf(key, WEIR_LOG_KEY, LOG_FOLDER "%020" PRId64 ".crc", version);
}

/* "%020d.REST" below the folder; -1: another name. */
static int64_t
log_version(const char *key, const char **rest)
{
    const char *name = key + strlen(LOG_FOLDER);
    int64_t version;

    if (strlen(name) <= LOG_DIGITS || name[LOG_DIGITS] != '.' || strspn(name, "0123456789") != LOG_DIGITS ||
        !weir_parse_int(weir_slice(name, LOG_DIGITS), &version))
        return -1;
    *rest = name + LOG_DIGITS + 1;
    return version;
}

struct log_listing {
    struct weir_log_range range;
    int64_t hole; /* the newest missing commit; -1: none */
};

static weir_rc
log_see(void *arg, const struct weir_object *obj, struct weir_error *err)
{
    struct log_listing *l = arg;
    struct weir_log_range *r = &l->range;
    const char *rest;
    int64_t v = log_version(obj->key, &rest);

    (void)err;
    if (v < 0)
        return WEIR_OK;
    if (strcmp(rest, "json") == 0) {
        if (v != r->newest + 1) {
            l->hole = v - 1;
            r->oldest = v;
        }
        r->newest = v;
    } else if (strcmp(rest, "crc") == 0) {
        r->crc = v > r->crc ? v : r->crc;
    } else if (weir_str_starts(rest, "checkpoint.")) {
        r->checkpoint = v > r->checkpoint ? v : r->checkpoint;
    }
    return WEIR_OK;
}

/* The hole is one. A listing that goes on while commits are made may show a commit and not the one before. */
static weir_rc
log_hole(struct weir_store *st, int64_t version, bool *is_one, struct weir_error *err)
{
    struct weir_object obj;
    char key[WEIR_LOG_KEY];
    weir_rc rc;

    weir_log_key(key, version);
    rc = weir_store_head(st, key, &obj, err);
    *is_one = rc == WEIR_NOTFOUND;
    if (*is_one)
        weir_error_clear(err);
    return *is_one ? WEIR_OK : rc;
}

weir_rc
weir_log_list(struct weir_store *st, struct weir_log_range *out, struct weir_error *err)
{
    struct log_listing l;
    bool hole = false;

    for (int i = 0; i < LOG_LOOKS && !hole; i++) {
        l = (struct log_listing){.range = {.newest = -1, .checkpoint = -1, .crc = -1}, .hole = -1};
        WEIR_TRY(weir_store_list(st, LOG_FOLDER, NULL, WEIR_LIST_NAMES, log_see, &l, err));
        if (l.hole <= l.range.checkpoint)
            break;
        WEIR_TRY(log_hole(st, l.hole, &hole, err));
    }
    *out = l.range;
    if (out->newest < 0 && out->checkpoint < 0)
        return weir_fail(err, WEIR_NOTFOUND, "%s holds no Delta table", st->path);
    if (out->checkpoint > out->newest)
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "%s: checkpoint %" PRId64 " stands above every commit; reading checkpoints comes later",
                         st->path, out->checkpoint);
    if (l.hole > out->checkpoint) {
        weir_fail(err, WEIR_CORRUPT, "%s/" LOG_FOLDER ": commit %" PRId64 " is missing, %" PRId64 " is there", st->path,
                  l.hole, l.hole + 1);
        return weir_error_hint(err, "bring the file back from a copy; a table with a hole in its log cannot be read");
    }
    return WEIR_OK;
}

weir_rc
weir_log_time(struct weir_store *st, int64_t version, int64_t *ms, struct weir_error *err)
{
    struct weir_object obj;
    char key[WEIR_LOG_KEY];

    weir_log_key(key, version);
    WEIR_TRY(weir_store_head(st, key, &obj, err));
    *ms = obj.mtime_ms;
    return WEIR_OK;
}

weir_rc
weir_log_too_short(const struct weir_log_range *range, struct weir_error *err)
{
    weir_fail(err, WEIR_UNSUPPORTED,
              "commits below %" PRId64 " have been cleaned up; what they held stands in checkpoint %" PRId64
              ", and reading checkpoints comes later",
              range->oldest, range->checkpoint);
    return weir_error_hint(err, "use a table whose log reaches back to version 0");
}

/* --- lines of an object, last first --------------------------------------------------------------------------- */

struct log_back {
    struct weir_store *st;
    const char *key;
    int64_t pos;         /* bytes of the object before the buffer */
    struct weir_buf buf; /* the object from pos on, as far as it has not been given out */
};

/* Puts the block before pos in front of the buffer. */
static weir_rc
back_fill(struct log_back *b, struct weir_error *err)
{
    size_t n = b->pos < LOG_BLOCK ? (size_t)b->pos : LOG_BLOCK, have = b->buf.len, got, at = 0;
    struct weir_input *in = NULL;
    weir_rc rc;

    if (have > WEIR_ACTION_MAX)
        return weir_fail(err, WEIR_CORRUPT, "a line is longer than %llu bytes", WEIR_ACTION_MAX);
    if (weir_buf_room(&b->buf, n) == NULL)
        return weir_buf_check(&b->buf, err);
    memmove(b->buf.data + n, b->buf.data, have);
    WEIR_GO(weir_input_open(b->st, b->key, b->pos - (int64_t)n, &in, err));
    while (at < n) {
        WEIR_GO(weir_input_read(in, b->buf.data + at, n - at, &got, err));
        if (got == 0)
            WEIR_GO(weir_fail(err, WEIR_CORRUPT, "became shorter while it was read"));
        at += got;
    }
    weir_buf_used(&b->buf, n);
    b->pos -= (int64_t)n;
out:
    weir_input_close(in);
    return rc;
}

/* The line before those given out; END at the front. It is valid until the next call. */
static weir_rc
back_next(struct log_back *b, const char **line, size_t *len, struct weir_error *err)
{
    size_t scanned = 0; /* bytes at the buffer's end known to hold no \n */

    for (;;) {
        const char *nl =
            b->buf.len > scanned ? memrchr(b->buf.data, '\n', b->buf.len - scanned) : NULL;

        if (nl != NULL || b->pos == 0) {
            size_t start = nl != NULL ? (size_t)(nl - b->buf.data) + 1 : 0;

            if (nl == NULL && b->buf.len == 0)
                return WEIR_END;
            *line = b->buf.data + start;
            *len = b->buf.len - start;
            b->buf.len = nl != NULL ? start - 1 : 0;
            return WEIR_OK;
        }
        scanned = b->buf.len;
        WEIR_TRY(back_fill(b, err));
    }
}

/* Which line, counted from the front, starts at byte `at`: only asked for when something is wrong with it. */
static uint64_t
log_line_number(struct weir_store *st, const char *key, int64_t at)
{
    struct weir_error ignored = {0};
    struct weir_input *in;
    uint64_t line = 1;
    char p[4096];
    size_t got;

    if (weir_input_open(st, key, 0, &in, &ignored) != WEIR_OK)
        return 0;
    while (at > 0 && weir_input_read(in, p, sizeof(p), &got, &ignored) == WEIR_OK && got > 0) {
        for (size_t i = 0; i < got && at > 0; i++, at--)
            line += p[i] == '\n';
    }
    weir_input_close(in);
    return line;
}

static weir_rc
log_walk_commit(struct weir_store *st, int64_t version, struct weir_quota *q, weir_log_fn *fn, void *arg,
                struct weir_error *err)
{
    struct log_back back = {.st = st};
    struct weir_object obj;
    char key[WEIR_LOG_KEY];
    const char *line;
    size_t len;
    weir_rc rc;

    weir_log_key(key, version);
    back.key = key;
    weir_buf_init(&back.buf, WEIR_ACTION_MAX + 2 * LOG_BLOCK, q);
    rc = weir_store_head(st, key, &obj, err);
    if (rc == WEIR_NOTFOUND)
        rc = weir_fail(err, WEIR_CORRUPT, "%s/%s: this commit is missing from the log", st->path, key);
    if (rc != WEIR_OK)
        goto out;
    back.pos = obj.size;
    while ((rc = back_next(&back, &line, &len, err)) == WEIR_OK) {
        int64_t at = back.pos + (line - back.buf.data);

        rc = fn(arg, version, line, len, err);
        if (rc == WEIR_END)
            goto out;
        if (rc != WEIR_OK) {
            weir_error_context(err, "%s/%s line %" PRIu64, st->path, key, log_line_number(st, key, at));
            goto out;
        }
    }
    if (rc != WEIR_END) {
        weir_error_context(err, "%s/%s", st->path, key);
        goto out;
    }
    rc = fn(arg, version, NULL, 0, err);
out:
    weir_buf_fini(&back.buf);
    return rc;
}

weir_rc
weir_log_walk(struct weir_store *st, int64_t newest, int64_t oldest, struct weir_quota *q, weir_log_fn *fn,
              void *arg, struct weir_error *err)
{
    for (int64_t v = newest; v >= oldest; v--) {
        weir_rc rc = log_walk_commit(st, v, q, fn, arg, err);

        if (rc == WEIR_END)
            return WEIR_OK;
        if (rc != WEIR_OK)
            return rc;
    }
    return WEIR_OK;
}
