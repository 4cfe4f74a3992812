/* Looking what is there: which files are new, which still change, which are passed over and why.
 *
 * A local file counts as settled when its modification time lies weir.settleTime back. When that time lies ahead of
 * this machine's clock (a file server's clock, a copied time), it counts as settled once two looks that far apart saw
 * the same size and time. */
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "base/time.h"
#include "source/files.h"

enum { FILES_MANY = 1000, FILES_LONG_LOOK_US = 100 * 1000, FILES_PAUSE_MAX_US = 10 * 1000 * 1000 };

struct files_watched { /* a file whose time lies ahead */
    int64_t size, mtime_ms;
    int64_t since_us; /* monotonic */
};

/* --- identity --- */

static const char *
files_last_name(const char *path, size_t n)
{
    while (n > 0 && path[n - 1] != '/')
        n--;
    return path + n;
}

/* The scratch buffer holds the decoded, canonical URI. */
static struct weir_file_id
files_id(const struct weir_files *f)
{
    const char *p = f->text.data != NULL ? f->text.data : "", *name;

    if (!f->opt.name_only)
        return weir_file_id(p, f->text.len);
    name = files_last_name(p, f->text.len);
    return weir_file_id(name, f->text.len - (size_t)(name - p));
}

struct weir_file_id
weir_files_id_of_key(struct weir_files *f, const char *key)
{
    const char *root = f->store->uri;
    size_t n = strlen(root);

    weir_buf_reset(&f->text);
    weir_buf_add(&f->text, root, n);
    if (root[n - 1] != '/')
        weir_buf_byte(&f->text, '/');
    weir_buf_str(&f->text, key);
    return files_id(f);
}

struct weir_file_id
weir_files_id_of_uri(struct weir_files *f, const char *uri, size_t n)
{
    weir_buf_reset(&f->raw);
    weir_buf_reset(&f->text);
    weir_uri_canonical(uri, n, &f->raw);
    if (!f->raw.failed)
        weir_uri_decode(f->raw.data, f->raw.len, &f->text);
    f->text.failed |= f->raw.failed;
    return files_id(f);
}

/* --- settling --- */

/* ms that the file has to stand still yet; 0: settled. */
static int64_t
files_unsettled(struct weir_files *f, struct weir_file_id id, const struct weir_object *obj)
{
    int64_t settle = f->env->settle_ms, now = weir_now_ms(), mono = weir_mono_us();
    struct files_watched *w;
    struct weir_error ignored = {0};

    if (!f->local || settle <= 0 || now - obj->mtime_ms >= settle)
        return 0;
    if (obj->mtime_ms <= now)
        return settle - (now - obj->mtime_ms);
    w = weir_map_get(&f->watch, (const char *)&id, sizeof(id));
    if (w != NULL && w->size == obj->size && w->mtime_ms == obj->mtime_ms)
        return (mono - w->since_us) / 1000 >= settle ? 0 : settle - (mono - w->since_us) / 1000;
    if (w == NULL)
        w = weir_mem_alloc(f->watch_mem, sizeof(*w));
    if (w != NULL) {
        *w = (struct files_watched){obj->size, obj->mtime_ms, mono};
        (void)weir_map_put(&f->watch, (const char *)&id, sizeof(id), w, NULL,
                           &ignored); /* forgotten: it waits longer */
    }
    return settle;
}

/* --- a look --- */

struct files_look {
    struct weir_files *f;
    bool known; /* leave out what was taken */
};

static void
files_count(uint64_t *n, char *first, size_t size, const char *key)
{
    if ((*n)++ == 0)
        snprintf(first, size, "%s", key);
}

static weir_rc
files_listed(void *arg, const struct weir_object *obj, int depth, struct weir_error *err)
{
    const struct files_look *look = arg;
    struct weir_files *f = look->f;
    struct weir_file_id id = weir_files_id_of_key(f, obj->key);
    weir_seen_state state = look->known ? weir_seen_ask(&f->seen, id, obj->mtime_ms) : WEIR_SEEN_NEW;
    int64_t wait;

    WEIR_TRY(weir_buf_check(&f->text, err));
    if ((!f->deep && depth > 1) || state == WEIR_SEEN_KNOWN || obj->mtime_ms > f->cutoff_ms)
        return WEIR_OK;
    if (state == WEIR_SEEN_CHANGED && f->opt.name_only) /* a namesake */
        return WEIR_OK;
    if (state == WEIR_SEEN_CHANGED && !f->opt.allow_overwrites) {
        files_count(&f->changed, f->first_changed, sizeof(f->first_changed), obj->key);
        return WEIR_OK;
    }
    if (state == WEIR_SEEN_AGED) {
        files_count(&f->aged, f->first_aged, sizeof(f->first_aged), obj->key);
        return WEIR_OK;
    }
    wait = files_unsettled(f, id, obj);
    if (wait > 0) {
        files_count(&f->young, f->first_young, sizeof(f->first_young), obj->key);
        if (wait > f->young_wait_ms)
            f->young_wait_ms = wait;
        return WEIR_OK;
    }
    return weir_found_add(&f->found, obj->key, obj->size, obj->mtime_ms, err);
}

static weir_rc
files_list(struct weir_files *f, size_t max, bool known, struct weir_error *err)
{
    struct files_look look = {f, known};

    f->young = f->changed = f->aged = 0;
    f->young_wait_ms = 0;
    WEIR_TRY(weir_found_begin(&f->found, max, err));
    return weir_listing_run(&f->listing, files_listed, &look, err);
}

/* Each is said when it grows, not at every look. */
static void
files_tell(struct weir_files *f)
{
    if (f->changed > f->changed_told)
        weir_warn("%s: %" PRIu64
                  " files that were taken before have another time now, and are not taken again (first: "
                  "%s)",
                  f->label, f->changed, f->first_changed);
    if (f->aged > f->aged_told)
        weir_warn("%s: %" PRIu64
                  " files are older than maxFileAge before the newest one, and are passed over (first: "
                  "%s)",
                  f->label, f->aged, f->first_aged);
    f->changed_told = f->changed;
    f->aged_told = f->aged;
}

weir_rc
weir_files_look(struct weir_files *f, size_t max, bool known, struct weir_error *err)
{
    WEIR_TRY(files_list(f, max, known, err));
    if (!f->deep && f->listing.nested && f->listing.partitioned) {
        /* Spark descends everywhere as soon as one folder reads k=v; and stays so for this run. */
        f->deep = true;
        WEIR_TRY(files_list(f, max, known, err));
    }
    weir_found_end(&f->found);
    f->waiting = weir_found_left(&f->found) + f->found.dropped;
    f->waiting_bytes = f->found.dropped_bytes;
    for (size_t i = 0; i < f->found.n; i++)
        f->waiting_bytes += (uint64_t)f->found.at[i].size;
    if (known)
        files_tell(f);
    return WEIR_OK;
}

/* The same, and when the only thing to do is to wait until young files have settled: waits, once. */
static weir_rc
files_look_settled(struct weir_files *f, size_t max, bool known, struct weir_error *err)
{
    WEIR_TRY(weir_files_look(f, max, known, err));
    if (f->young == 0 || !(f->env->available_now || (!known && f->found.n == 0)))
        return WEIR_OK;
    weir_info("%s: %" PRIu64 " files are younger than %" PRId64 " ms; waiting for them", f->label, f->young,
              f->env->settle_ms);
    WEIR_TRY(weir_stop_wait(
        f->env->stop, f->young_wait_ms < f->env->settle_ms ? f->young_wait_ms : f->env->settle_ms, err));
    WEIR_TRY(weir_files_look(f, max, known, err));
    if (f->young > 0 && known)
        weir_info("%s: %" PRIu64 " files are still younger than %" PRId64
                  " ms and wait for the next run (first: %s)",
                  f->label, f->young, f->env->settle_ms, f->first_young);
    return WEIR_OK;
}

/* An endless trigger asks every few milliseconds. Where one look at a large folder takes long, the next one waits four
 * times as long, so that looking takes a fifth of the time at most. */
static bool
files_just_looked(const struct weir_files *f)
{
    int64_t pause = f->look_us * 4;

    if (f->env->available_now || f->listing.files < FILES_MANY || f->look_us < FILES_LONG_LOOK_US)
        return false;
    return weir_mono_us() - f->look_ended_us < (pause < FILES_PAUSE_MAX_US ? pause : FILES_PAUSE_MAX_US);
}

/* Spark lists anew only when nothing is left of the last listing; AvailableNow lists once. */
weir_rc
weir_files_newest(void *self, struct weir_error *err)
{
    struct weir_files *f = self;
    int64_t began;

    if (weir_found_left(&f->found) > 0 || files_just_looked(f))
        return WEIR_OK;
    began = weir_mono_us();
    WEIR_TRY(files_look_settled(f, FILES_WAITING_MAX, true, err));
    f->look_ended_us = weir_mono_us();
    f->look_us = weir_found_left(&f->found) > 0 ? 0 : f->look_ended_us - began;
    /* What did not fit is found again when the rest is through; what comes meanwhile is the next run's. */
    if (f->env->available_now && f->found.dropped > 0 && f->cutoff_ms == INT64_MAX)
        f->cutoff_ms = weir_now_ms();
    return WEIR_OK;
}

weir_rc
weir_files_sample(void *self, uint32_t n, uint64_t bytes, struct weir_tasks *out, struct weir_error *err)
{
    struct weir_files *f = self;
    struct weir_found mine, theirs = f->found;
    uint64_t sum = 0, waiting = f->waiting, waiting_bytes = f->waiting_bytes;
    weir_rc rc;

    *out = (struct weir_tasks){.mem = weir_mem_new(NULL, f->env->quota, "sample")};
    weir_found_init(&mine, f->env->quota, true);
    f->found = mine;
    if (out->mem == NULL)
        WEIR_GO(weir_fail(err, WEIR_NOMEM, "no memory for a sample"));
    WEIR_GO(files_look_settled(f, n, false, err));
    WEIR_NEW(out->at, out->mem, f->found.n * sizeof(*out->at));
    for (size_t i = 0; i < f->found.n && (i == 0 || sum < bytes); i++) {
        const struct weir_found_file *file = &f->found.at[i];
        struct weir_task *task = &out->at[i];

        *task = (struct weir_task){.object = (uint32_t)i,
                                   .store = f->store,
                                   .size = file->size,
                                   .mtime_ms = file->mtime_ms,
                                   .from = 0,
                                   .to = -1};
        task->key = weir_mem_strdup(out->mem, file->key);
        if (task->key == NULL)
            WEIR_GO(weir_mem_fail(out->mem, strlen(file->key), err));
        out->n++;
        sum += (uint64_t)file->size;
    }
out:
    weir_found_fini(&f->found);
    f->found = theirs;
    f->waiting = waiting; /* of files that are not taken yet; the sample has those that were, too */
    f->waiting_bytes = waiting_bytes;
    if (rc != WEIR_OK)
        weir_tasks_fini(out);
    return rc;
}
