/* Time travel by timestamp. delta/travel.h.
 *
 * With in-commit timestamps that were switched on later, versions from the enablement on are searched by
 * these and only for times from then on; all else by file times. Threads: none of its own. */
#include "delta/travel.h"

#include <inttypes.h>

#include "base/str.h"
#include "base/time.h"
#include "delta/feature.h"

/* --- by the times of files ------------------------------------------------------------------------------ */

struct travel_files {
    int64_t first, last; /* the commits that may be chosen */
    int64_t want;
    int64_t time; /* of the one before, made rising; INT64_MIN: none yet */
    int64_t found, first_ms, last_ms;
    bool any;
};

static weir_rc
files_see(void *arg, const struct weir_object *obj, struct weir_error *err)
{
    struct travel_files *t = arg;
    const char *name = obj->key + strlen(WEIR_LOG_FOLDER);
    int64_t v;

    (void)err;
    if (strlen(name) != 20 + strlen(".json") || strspn(name, "0123456789") != 20 ||
        strcmp(name + 20, ".json") != 0 || !weir_parse_int(weir_slice(name, 20), &v) || v < t->first ||
        v > t->last)
        return WEIR_OK;
    t->time = t->time != INT64_MIN && obj->mtime_ms <= t->time ? t->time + 1 : obj->mtime_ms;
    if (!t->any)
        t->first_ms = t->time;
    t->any = true;
    t->last_ms = t->time;
    if (t->time <= t->want)
        t->found = v;
    return WEIR_OK;
}

static weir_rc
travel_outside(int64_t want, int64_t limit, bool late, struct weir_error *err)
{
    char a[WEIR_ISO_SIZE], b[WEIR_ISO_SIZE];

    weir_fail(err, WEIR_NOTFOUND, "%s is %s the table's %s version, which is of %s", weir_time_iso(want, a),
              late ? "after" : "before", late ? "newest" : "oldest readable", weir_time_iso(limit, b));
    return weir_error_hint(err, late ? "leave the time out to read the newest version" : "take a later time");
}

static weir_rc
travel_by_files(struct weir_store *st, int64_t first, int64_t last, int64_t want, bool newest,
                int64_t *version, struct weir_error *err)
{
    struct travel_files t = {.first = first, .last = last, .want = want, .time = INT64_MIN, .found = -1};

    WEIR_TRY(weir_store_list(st, WEIR_LOG_FOLDER, NULL, false, files_see, &t, err));
    if (!t.any)
        return weir_fail(err, WEIR_NOTFOUND, "%s: no commit is there whose time could be compared", st->path);
    if (t.found < 0)
        return travel_outside(want, t.first_ms, false, err);
    if (newest && want > t.last_ms)
        return travel_outside(want, t.last_ms, true, err);
    *version = t.found;
    return WEIR_OK;
}

/* --- by in-commit timestamps ---------------------------------------------------------------------------- */

static weir_rc
ict_line(void *arg, int64_t version, const char *line, size_t len, struct weir_error *err)
{
    int64_t *out = arg;
    struct weir_action a = {0};
    weir_action_kind kind;
    const json_t *ict;

    (void)version;
    if (line == NULL || (weir_action_peek(line, len, &kind) && kind != WEIR_ACTION_INFO))
        return WEIR_OK;
    WEIR_TRY(weir_action_load(line, len, &a, err));
    ict = a.kind == WEIR_ACTION_INFO ? json_object_get(a.body, "inCommitTimestamp") : NULL;
    if (json_is_integer(ict))
        *out = json_integer_value(ict);
    weir_action_fini(&a);
    return WEIR_OK;
}

static weir_rc
ict_of(struct weir_store *st, int64_t version, struct weir_quota *q, int64_t *out, struct weir_error *err)
{
    *out = INT64_MIN;
    WEIR_TRY(weir_log_walk(st, NULL, version, version, q, ict_line, out, err));
    if (*out == INT64_MIN)
        return weir_fail(err, WEIR_CORRUPT,
                         "%s: commit %" PRId64 " has no inCommitTimestamp, and the table keeps them",
                         st->path, version);
    return WEIR_OK;
}

/* They rise strictly, so the search halves. */
static weir_rc
travel_by_ict(struct weir_store *st, int64_t first, int64_t last, int64_t want, struct weir_quota *q,
              int64_t *version, struct weir_error *err)
{
    int64_t lo = first, hi = last, ict;

    WEIR_TRY(ict_of(st, first, q, &ict, err));
    if (want < ict)
        return travel_outside(want, ict, false, err);
    WEIR_TRY(ict_of(st, last, q, &ict, err));
    if (want > ict)
        return travel_outside(want, ict, true, err);
    while (lo < hi) { /* ict(lo) <= want always */
        int64_t mid = lo + (hi - lo + 1) / 2;

        WEIR_TRY(ict_of(st, mid, q, &ict, err));
        if (ict <= want)
            lo = mid;
        else
            hi = mid - 1;
    }
    *version = lo;
    return WEIR_OK;
}

static int64_t
conf_number(const struct weir_metadata *meta, const char *key, int64_t dflt)
{
    const char *text = weir_metadata_conf(meta, key);
    int64_t v;

    return text != NULL && weir_parse_int(weir_slice(text, strlen(text)), &v) ? v : dflt;
}

weir_rc
weir_travel(struct weir_store *st, int64_t time_ms, struct weir_quota *q, int64_t *version,
            struct weir_error *err)
{
    const struct weir_log_ask ask = {.version = -1, .below = INT64_MAX, .whole = true};
    struct weir_snapshot *snap = NULL;
    struct weir_log_range range;
    int64_t enabled, since;
    weir_rc rc;

    WEIR_GO(weir_log_find(st, &ask, &range, err));
    WEIR_GO(weir_snapshot_at(st, -1, q, &snap, err));
    if (!weir_metadata_conf_true(&snap->meta, "delta.enableInCommitTimestamps") ||
        !weir_feature_has(&snap->protocol, "inCommitTimestamp")) {
        rc = travel_by_files(st, range.oldest_commit, range.last_commit, time_ms, true, version, err);
        goto out;
    }
    enabled = conf_number(&snap->meta, "delta.inCommitTimestampEnablementVersion", 0);
    since = conf_number(&snap->meta, "delta.inCommitTimestampEnablementTimestamp", INT64_MIN);
    if (time_ms >= since)
        rc = travel_by_ict(st, enabled > range.oldest_commit ? enabled : range.oldest_commit,
                           range.last_commit, time_ms, q, version, err);
    else
        rc = travel_by_files(st, range.oldest_commit, enabled - 1, time_ms, false, version, err);
out:
    weir_snapshot_free(snap);
    return rc;
}
