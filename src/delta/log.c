/* Reading the log folder. delta/log.h.
 *
 * 1. Versions run from 0 without a hole. A hole is harmless only below the checkpoint that is used; elsewhere
 *    it is CORRUPT, never taken for the end: what stands behind it would be lost.
 * 2. A checkpoint in parts counts only when all of them are there, an empty file never. _last_checkpoint is a
 *    hint where to begin the listing and nothing more: what it names must be seen, else all is listed.
 * 3. A log compaction only repeats what commits say, so it is read only where they are gone ("bridges").
 * 4. The listing is one pass in the order of names, and what it keeps does not grow with the log.
 * 5. A commit is read from its end, in blocks, so that newest-first replay needs no more memory than a line.
 * Threads: none of its own. */
#include "delta/log.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"

#define LOG_VERSION_MAX 999999999999999999 /* so that no sum overflows */
enum { LOG_DIGITS = 20, LOG_PART_DIGITS = 10, LOG_BLOCK = 256 * 1024, LOG_LOOKS = 5, LOG_SETS = 4 };

const struct weir_log_ask weir_log_newest = {.version = -1, .below = INT64_MAX};

void
weir_log_key(char key[WEIR_LOG_KEY], int64_t version)
{
    snprintf(key, WEIR_LOG_KEY, WEIR_LOG_FOLDER "%020" PRId64 ".json", version);
}

void
weir_log_crc_key(char key[WEIR_LOG_KEY], int64_t version)
{
    snprintf(key, WEIR_LOG_KEY, WEIR_LOG_FOLDER "%020" PRId64 ".crc", version);
}

static void
log_compaction_key(char key[WEIR_LOG_KEY], const struct weir_log_span *span)
{
    snprintf(key, WEIR_LOG_KEY, WEIR_LOG_FOLDER "%020" PRId64 ".%020" PRId64 ".compacted.json", span->from,
             span->to);
}

void
weir_checkpoint_key(const struct weir_checkpoint *cp, uint32_t part, char key[WEIR_LOG_KEY])
{
    if (cp->kind == WEIR_CHECKPOINT_NAMED)
        memcpy(key, cp->name, WEIR_LOG_KEY);
    else if (cp->kind == WEIR_CHECKPOINT_PARTS)
        snprintf(key, WEIR_LOG_KEY, WEIR_LOG_FOLDER "%020" PRId64 ".checkpoint.%010u.%010u.parquet",
                 cp->version, part + 1, cp->parts);
    else
        snprintf(key, WEIR_LOG_KEY, WEIR_LOG_FOLDER "%020" PRId64 ".checkpoint.parquet", cp->version);
}

/* --- names ---------------------------------------------------------------------------------------------- */

/* A number of exactly n digits followed by a dot at *at, which moves behind the dot. */
static bool
name_number(const char **at, size_t n, int64_t *out)
{
    if (strlen(*at) <= n || (*at)[n] != '.' || strspn(*at, "0123456789") != n ||
        !weir_parse_int(weir_slice(*at, n), out))
        return false;
    *at += n + 1;
    return true;
}

/* --- the listing ---------------------------------------------------------------------------------------- */

struct log_set { /* a checkpoint in parts, of one version */
    int64_t parts, seen;
};

struct log_listing {
    struct weir_log_range range;
    int64_t most;              /* versions above it are not looked at */
    int64_t below;             /* of ask */
    int64_t hole;              /* the newest missing commit; -1: none */
    int64_t above;             /* newest version of all, also above most */
    struct weir_checkpoint at; /* the best one of the version being listed */
    struct log_set sets[LOG_SETS];
    uint32_t nsets;
    struct weir_log_span compactions[WEIR_LOG_COMPACTIONS]; /* the newest, as a ring */
    uint32_t ncompactions;
};

/* The listing has left the version `at`: it becomes the newest checkpoint. */
static void
listing_settle(struct log_listing *l)
{
    for (uint32_t i = 0; i < l->nsets && l->at.kind == WEIR_CHECKPOINT_NONE; i++) {
        if (l->sets[i].seen == l->sets[i].parts) {
            l->at.kind = WEIR_CHECKPOINT_PARTS;
            l->at.parts = (uint32_t)l->sets[i].parts;
        }
    }
    if (l->at.kind != WEIR_CHECKPOINT_NONE)
        l->range.checkpoint = l->at;
    l->at = (struct weir_checkpoint){.version = -1};
    l->nsets = 0;
}

/* Part `part` of `parts`. Parts come in order, but several sets may be mixed. */
static void
listing_part(struct log_listing *l, int64_t part, int64_t parts)
{
    struct log_set *set = NULL;

    for (uint32_t i = 0; i < l->nsets; i++) {
        if (l->sets[i].parts == parts)
            set = &l->sets[i];
    }
    if (set == NULL && l->nsets < LOG_SETS) {
        set = &l->sets[l->nsets++];
        *set = (struct log_set){.parts = parts};
    }
    if (set != NULL && part == set->seen + 1)
        set->seen++;
}

/* rest: what stands behind "N.checkpoint." */
static void
listing_checkpoint(struct log_listing *l, int64_t version, const struct weir_object *obj, const char *rest)
{
    int64_t part, parts;
    size_t len = strlen(rest);

    if (obj->size == 0 || version >= l->below)
        return;
    if (l->at.version != version) {
        listing_settle(l);
        l->at.version = version;
        l->at.parts = 1;
    }
    if (strcmp(rest, "parquet") == 0) {
        if (l->at.kind == WEIR_CHECKPOINT_NONE)
            l->at.kind = WEIR_CHECKPOINT_CLASSIC;
    } else if (name_number(&rest, LOG_PART_DIGITS, &part) && name_number(&rest, LOG_PART_DIGITS, &parts)) {
        if (strcmp(rest, "parquet") == 0 && parts > 0 && parts <= UINT32_MAX)
            listing_part(l, part, parts);
    } else if ((weir_str_ends(rest, ".parquet") || weir_str_ends(rest, ".json")) &&
               strchr(rest, '.') != NULL && strchr(strchr(rest, '.') + 1, '.') == NULL && len < 64) {
        l->at.kind = WEIR_CHECKPOINT_NAMED;
        l->at.json = weir_str_ends(rest, ".json");
        snprintf(l->at.name, sizeof(l->at.name), "%s", obj->key);
    }
}

/* The compaction that reaches furthest down of those that stand for commit v. */
static const struct weir_log_span *
listing_bridge(const struct log_listing *l, int64_t v)
{
    uint32_t n = l->ncompactions < WEIR_LOG_COMPACTIONS ? l->ncompactions : WEIR_LOG_COMPACTIONS;
    const struct weir_log_span *best = NULL;

    for (uint32_t i = 0; i < n; i++) {
        const struct weir_log_span *c = &l->compactions[i];

        if (c->from <= v && c->to >= v && (best == NULL || c->from < best->from))
            best = c;
    }
    return best;
}

/* Commits are missing below v: the run goes on over a compaction that reaches back into it, or begins with
 * one, or with v itself. */
static void
listing_hole(struct log_listing *l, int64_t v)
{
    struct weir_log_range *r = &l->range;
    const struct weir_log_span *bridge = listing_bridge(l, v - 1);
    bool joins = bridge != NULL && r->last_commit >= 0 && bridge->from <= r->last_commit + 1 &&
                 bridge->from >= r->oldest;

    if (!joins || r->nbridges == WEIR_LOG_BRIDGES) {
        r->nbridges = 0;
        r->oldest = bridge != NULL ? bridge->from : v;
        l->hole = r->oldest - 1;
    }
    if (bridge != NULL)
        r->bridges[r->nbridges++] = *bridge;
    r->oldest_commit = v;
}

static void
listing_commit(struct log_listing *l, int64_t v, const struct weir_object *obj)
{
    struct weir_log_range *r = &l->range;

    if (v != r->last_commit + 1)
        listing_hole(l, v);
    r->last_commit = v;
    r->newest_ms = obj->mtime_ms;
}

static weir_rc
listing_see(void *arg, const struct weir_object *obj, struct weir_error *err)
{
    struct log_listing *l = arg;
    const char *rest = obj->key + strlen(WEIR_LOG_FOLDER);
    int64_t v, to;

    (void)err;
    if (!name_number(&rest, LOG_DIGITS, &v) || v > LOG_VERSION_MAX)
        return WEIR_OK;
    if (v > l->above && (strcmp(rest, "json") == 0 || weir_str_starts(rest, "checkpoint.")))
        l->above = v;
    if (v > l->most)
        return WEIR_OK;
    if (strcmp(rest, "json") == 0) {
        listing_commit(l, v, obj);
    } else if (strcmp(rest, "crc") == 0) {
        l->range.crc = v > l->range.crc ? v : l->range.crc;
    } else if (weir_str_starts(rest, "checkpoint.")) {
        listing_checkpoint(l, v, obj, rest + strlen("checkpoint."));
    } else if (name_number(&rest, LOG_DIGITS, &to) && strcmp(rest, "compacted.json") == 0 && to > v &&
               to <= l->most) {
        l->compactions[l->ncompactions++ % WEIR_LOG_COMPACTIONS] = (struct weir_log_span){v, to};
    }
    return WEIR_OK;
}

/* The checkpoint that _last_checkpoint speaks of; -1: none. Whatever is wrong with it, it is only a hint. */
static int64_t
log_hint(struct weir_store *st)
{
    struct weir_buf buf = WEIR_BUF(WEIR_MIB);
    struct weir_error ignored = {0};
    int64_t version = -1;
    json_t *doc = NULL;

    if (weir_store_get(st, WEIR_LOG_FOLDER "_last_checkpoint", &buf, &ignored) == WEIR_OK &&
        weir_json_load(buf.data, buf.len, &doc, &ignored) == WEIR_OK &&
        json_is_integer(json_object_get(doc, "version")))
        version = json_integer_value(json_object_get(doc, "version"));
    json_decref(doc);
    weir_buf_fini(&buf);
    return version;
}

static weir_rc
log_list(struct weir_store *st, const struct weir_log_ask *ask, int64_t from, struct log_listing *l,
         struct weir_error *err)
{
    char key[WEIR_LOG_KEY];

    *l = (struct log_listing){.most = ask->version >= 0 ? ask->version : INT64_MAX,
                              .below = ask->below,
                              .hole = -1,
                              .above = -1,
                              .at = {.version = -1}};
    l->range = (struct weir_log_range){.newest = -1,
                                       .last_commit = from - 1,
                                       .oldest = from,
                                       .oldest_commit = from,
                                       .checkpoint = {.version = -1},
                                       .crc = -1,
                                       .partial = from > 0};
    snprintf(key, sizeof(key), WEIR_LOG_FOLDER "%020" PRId64, from);
    WEIR_TRY(
        weir_store_list(st, WEIR_LOG_FOLDER, from > 0 ? key : NULL, WEIR_LIST_FOLDER, listing_see, l, err));
    listing_settle(l);
    if (l->range.last_commit < from)
        l->range.last_commit = -1;
    l->range.newest = l->range.checkpoint.version > l->range.last_commit ? l->range.checkpoint.version
                                                                         : l->range.last_commit;
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

/* Lists until what is seen is not torn by a commit that was made meanwhile. */
static weir_rc
log_look(struct weir_store *st, const struct weir_log_ask *ask, int64_t from, struct log_listing *l,
         struct weir_error *err)
{
    bool hole = false;

    for (int i = 0; i < LOG_LOOKS && !hole; i++) {
        WEIR_TRY(log_list(st, ask, from, l, err));
        if (l->hole <= l->range.checkpoint.version)
            break;
        WEIR_TRY(log_hole(st, l->hole, &hole, err));
    }
    return WEIR_OK;
}

/* What stands in the log is not enough for the version. */
static weir_rc
log_judge(struct weir_store *st, const struct weir_log_ask *ask, const struct log_listing *l,
          struct weir_error *err)
{
    const struct weir_log_range *r = &l->range;

    if (r->newest < 0 && l->above < 0)
        return weir_fail(err, WEIR_NOTFOUND, "%s holds no Delta table", st->path);
    if (ask->version >= 0 && r->newest < ask->version && l->above < ask->version)
        return weir_fail(err, WEIR_NOTFOUND, "%s has no version %" PRId64 ": its newest is %" PRId64,
                         st->path, ask->version, l->above);
    if (ask->version < 0 && r->newest < l->above) {
        weir_fail(err, WEIR_CORRUPT,
                  "%s/" WEIR_LOG_FOLDER ": checkpoint %" PRId64
                  " is not whole, and commits up to it are missing from %" PRId64 " on",
                  st->path, l->above, r->last_commit + 1);
        return weir_error_hint(
            err, "bring the files back from a copy; an older state would be taken for the newest one");
    }
    if (ask->version >= 0 && r->newest < ask->version) {
        weir_fail(err, WEIR_CORRUPT, "%s: version %" PRId64 " cannot be read: its commit is gone", st->path,
                  ask->version);
        return weir_error_hint(
            err, "commits below a checkpoint are cleaned up after delta.logRetentionDuration; take a "
                 "newer version");
    }
    if (r->last_commit <= r->checkpoint.version || r->oldest <= r->checkpoint.version + 1)
        return WEIR_OK;
    if (r->checkpoint.version < 0)
        weir_fail(err, WEIR_CORRUPT,
                  "%s/" WEIR_LOG_FOLDER ": commit %" PRId64 " is missing, %" PRId64 " is there", st->path,
                  r->oldest - 1, r->oldest);
    else
        weir_fail(err, WEIR_CORRUPT,
                  "%s/" WEIR_LOG_FOLDER ": commit %" PRId64 " is missing above checkpoint %" PRId64, st->path,
                  r->oldest - 1, r->checkpoint.version);
    return weir_error_hint(err,
                           "bring the file back from a copy; a table with a hole in its log cannot be read");
}

weir_rc
weir_log_find(struct weir_store *st, const struct weir_log_ask *ask, struct weir_log_range *out,
              struct weir_error *err)
{
    struct log_listing l;
    int64_t hint = ask->whole || ask->below != INT64_MAX ? -1 : log_hint(st);

    if (hint > 0 && (ask->version < 0 || hint <= ask->version)) {
        WEIR_TRY(log_look(st, ask, hint, &l, err));
        *out = l.range;
        if (l.range.checkpoint.version >= 0 && log_judge(st, ask, &l, err) == WEIR_OK)
            return WEIR_OK;
        weir_error_clear(err); /* the hint was none: look at everything */
    }
    WEIR_TRY(log_look(st, ask, 0, &l, err));
    *out = l.range;
    return log_judge(st, ask, &l, err);
}

/* --- lines of an object, last first --------------------------------------------------------------------- */

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
        const char *nl = b->buf.len > scanned ? memrchr(b->buf.data, '\n', b->buf.len - scanned) : NULL;

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

/* --- the cursor ----------------------------------------------------------------------------------------- */

struct weir_log_cursor {
    struct weir_store *st;
    struct weir_quota *q;
    const struct weir_log_range *range;
    int64_t version, oldest; /* being read; the last one to read */
    int64_t covers;          /* the oldest version that the open file stands for */
    bool open;
    char key[WEIR_LOG_KEY];
    struct log_back back;
    int64_t at; /* where the line given out last starts */
};

weir_rc
weir_log_open(struct weir_store *st, const struct weir_log_range *range, int64_t newest, int64_t oldest,
              struct weir_quota *q, struct weir_log_cursor **out, struct weir_error *err)
{
    struct weir_log_cursor *cur = weir_heap_alloc(q, sizeof(*cur));

    if (cur == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory to read the log");
    *cur = (struct weir_log_cursor){.st = st, .q = q, .range = range, .version = newest, .oldest = oldest};
    weir_buf_init(&cur->back.buf, WEIR_ACTION_MAX + 2 * LOG_BLOCK, q);
    *out = cur;
    return WEIR_OK;
}

void
weir_log_close(struct weir_log_cursor *cur)
{
    if (cur == NULL)
        return;
    weir_buf_fini(&cur->back.buf);
    weir_heap_free(cur->q, cur, sizeof(*cur));
}

/* The file for cur->version: its commit, or the compaction that stands for it. */
static weir_rc
cursor_file(struct weir_log_cursor *cur, struct weir_error *err)
{
    struct weir_object obj;
    weir_rc rc;

    weir_log_key(cur->key, cur->version);
    cur->covers = cur->version;
    for (uint32_t i = 0; cur->range != NULL && i < cur->range->nbridges; i++) {
        if (cur->range->bridges[i].to == cur->version) {
            log_compaction_key(cur->key, &cur->range->bridges[i]);
            cur->covers = cur->range->bridges[i].from;
        }
    }
    rc = weir_store_head(cur->st, cur->key, &obj, err);
    if (rc == WEIR_NOTFOUND)
        return weir_fail(err, WEIR_CORRUPT, "%s/%s: this commit is missing from the log", cur->st->path,
                         cur->key);
    WEIR_TRY(rc);
    cur->back.st = cur->st;
    cur->back.key = cur->key;
    cur->back.pos = obj.size;
    weir_buf_reset(&cur->back.buf);
    cur->open = true;
    return WEIR_OK;
}

weir_rc
weir_log_next(struct weir_log_cursor *cur, int64_t *version, const char **line, size_t *len,
              struct weir_error *err)
{
    weir_rc rc;

    if (!cur->open) {
        if (cur->version < cur->oldest)
            return WEIR_END;
        WEIR_TRY(cursor_file(cur, err));
    }
    *version = cur->version;
    rc = back_next(&cur->back, line, len, err);
    if (rc == WEIR_OK) {
        cur->at = cur->back.pos + (*line - cur->back.buf.data);
        return WEIR_OK;
    }
    if (rc != WEIR_END)
        return weir_error_context(err, "%s/%s", cur->st->path, cur->key);
    *line = NULL;
    *len = 0;
    cur->open = false;
    cur->version = cur->covers - 1;
    return WEIR_OK;
}

weir_rc
weir_log_blame(struct weir_log_cursor *cur, struct weir_error *err)
{
    return weir_error_context(err, "%s/%s line %" PRIu64, cur->st->path, cur->key,
                              log_line_number(cur->st, cur->key, cur->at));
}

weir_rc
weir_log_walk(struct weir_store *st, const struct weir_log_range *range, int64_t newest, int64_t oldest,
              struct weir_quota *q, weir_log_fn *fn, void *arg, struct weir_error *err)
{
    struct weir_log_cursor *cur;
    const char *line;
    int64_t version;
    size_t len;
    weir_rc rc;

    WEIR_TRY(weir_log_open(st, range, newest, oldest, q, &cur, err));
    while ((rc = weir_log_next(cur, &version, &line, &len, err)) == WEIR_OK) {
        rc = fn(arg, version, line, len, err);
        if (rc == WEIR_END)
            break;
        if (rc != WEIR_OK) {
            if (line != NULL)
                weir_log_blame(cur, err);
            break;
        }
    }
    weir_log_close(cur);
    return rc == WEIR_END ? WEIR_OK : rc;
}
