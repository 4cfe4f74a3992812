/* Taking files into a batch, and giving a batch's files out again.
 *
 * Order: choose within the limits, look at each chosen file once more, write sources/S/N, remember them. A crash before
 * the log is durable leaves nothing; one behind it leaves an entry that the next batch covers. */
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/point.h"
#include "base/str.h"
#include "codec/compress.h"
#include "source/files.h"

/* --- choosing --- */

struct files_choice {
    struct weir_files *f;
    size_t first, n; /* the chosen ones, moved together in f->found.at */
    uint64_t bytes;
    size_t at; /* how many were written */
    int64_t log_id;
    bool grows; /* one of them changed under our eyes */
};

static bool
files_fits(const struct files_choice *c, const struct weir_found_file *file, bool all)
{
    const struct weir_files_options *opt = &c->f->opt;
    uint64_t max_bytes = (uint64_t)opt->max_bytes;

    if (c->n == FILES_WAITING_MAX)
        return false;
    if (all || c->n == 0)
        return true;
    if (opt->max_files > 0 && c->n >= (uint64_t)opt->max_files)
        return false;
    if (opt->max_bytes <= 0)
        return true;
    return c->f->face->bytes_soft ? c->bytes < max_bytes : c->bytes + (uint64_t)file->size <= max_bytes;
}

/* Whether the file still is what the listing saw. One that changes or went away is left for a later listing. */
static weir_rc
files_still(struct files_choice *c, const struct weir_found_file *file, bool *still, struct weir_error *err)
{
    struct weir_files *f = c->f;
    struct weir_object now;
    weir_rc rc;

    *still = true;
    if (!f->local)
        return WEIR_OK;
    rc = weir_store_head(f->store, file->key, &now, err);
    if (rc == WEIR_NOTFOUND) {
        weir_error_clear(err);
        weir_warn("%s: %s went away before it was taken", f->label, file->key);
        *still = false;
        return WEIR_OK;
    }
    WEIR_TRY(rc);
    if (now.size != file->size || now.mtime_ms != file->mtime_ms) {
        weir_info("%s: %s is being written to and waits", f->label, file->key);
        *still = false;
        c->grows = true;
    }
    return WEIR_OK;
}

static weir_rc
files_choose(struct files_choice *c, bool all, struct weir_error *err)
{
    struct weir_files *f = c->f;
    struct weir_found *found = &f->found;
    size_t r = found->next;

    c->first = r;
    for (; r < found->n && files_fits(c, &found->at[r], all); r++) {
        struct weir_found_file *file = &found->at[r];
        struct weir_file_id id = weir_files_id_of_key(f, file->key);
        weir_seen_state state = weir_seen_ask(&f->seen, id, file->mtime_ms);
        bool still;

        f->waiting--;
        f->waiting_bytes -= (uint64_t)file->size;
        if (state == WEIR_SEEN_KNOWN || (state == WEIR_SEEN_CHANGED && !f->opt.allow_overwrites))
            continue; /* fileNameOnly: a namesake was taken since the listing */
        WEIR_TRY(files_still(c, file, &still, err));
        if (!still)
            continue;
        /* Once it is in the log, no filter helps any more. */
        WEIR_TRY(weir_compression_check(file->key, err));
        WEIR_TRY(weir_seen_add(&f->seen, id, file->mtime_ms, err));
        c->bytes += (uint64_t)file->size;
        found->at[c->first + c->n++] = *file;
    }
    found->next = r;
    return WEIR_OK;
}

/* After a batch: what Spark would list anew is forgotten here (maxCachedFiles, discardCachedInputRatio). */
static void
files_forget(struct weir_files *f)
{
    const struct weir_files_options *opt = &f->opt;
    struct weir_found *found = &f->found;
    size_t left = weir_found_left(found);
    double bytes = 0;

    if (f->env->available_now || left == 0)
        return;
    for (size_t i = found->next; i < found->n; i++)
        bytes += (double)found->at[i].size;
    if (opt->latest_first ||
        (opt->max_files > 0 && (double)left < (double)opt->max_files * f->cached_ratio) ||
        (opt->max_bytes > 0 && bytes < (double)opt->max_bytes * f->cached_ratio))
        found->n = found->next;
    else if (opt->max_cached >= 0 && left > (uint64_t)opt->max_cached)
        found->n = found->next + (size_t)opt->max_cached;
}

/* --- the log --- */

/* The URI of a key as Spark spells it. Bytes that are no UTF-8 are escaped, since the log is JSON. */
static weir_rc
files_uri(struct weir_files *f, const char *key, struct weir_error *err)
{
    struct weir_buf *raw = &f->raw, *text = &f->text;

    weir_buf_reset(raw);
    weir_buf_reset(text);
    weir_store_uri(f->store, key, raw);
    WEIR_TRY(weir_buf_check(raw, err));
    if (weir_utf8_valid(raw->data, raw->len)) {
        weir_buf_add(text, raw->data, raw->len);
        return weir_buf_check(text, err);
    }
    for (size_t i = 0; i < raw->len; i++) {
        unsigned char c = (unsigned char)raw->data[i];

        if (c < 0x80)
            weir_buf_byte(text, (char)c);
        else
            weir_buf_printf(text, "%%%02X", c);
    }
    return weir_buf_check(text, err);
}

static weir_rc
files_entry(void *arg, struct weir_file_entry *out, struct weir_error *err)
{
    struct files_choice *c = arg;
    const struct weir_found_file *file;

    if (c->at == c->n)
        return WEIR_END;
    file = &c->f->found.at[c->first + c->at++];
    WEIR_TRY(files_uri(c->f, file->key, err));
    *out = (struct weir_file_entry){c->f->text.data, c->f->text.len, file->mtime_ms, c->log_id};
    return WEIR_OK;
}

static weir_rc
files_write(struct files_choice *c, struct weir_error *err)
{
    WEIR_TRY(weir_file_log_append(&c->f->log, files_entry, c, err));
    weir_seen_age(&c->f->seen);
    return weir_point(WEIR_POINT_SOURCE_LOG, err);
}

/* cloudFiles.includeExistingFiles=false, at the very first start: all that is there is known and never read. */
static weir_rc
files_skip_existing(struct weir_files *f, struct weir_error *err)
{
    struct files_choice c = {.f = f, .log_id = -1};
    struct weir_source_env *env = &f->env_copy;
    int64_t settle = env->settle_ms;
    weir_rc rc;

    env->settle_ms = 0; /* a young file is there too */
    rc = weir_files_look(f, SIZE_MAX, true, err);
    env->settle_ms = settle;
    WEIR_TRY(rc);
    c.n = f->found.n;
    for (size_t i = 0; i < c.n; i++)
        WEIR_TRY(weir_seen_add(&f->seen, weir_files_id_of_key(f, f->found.at[i].key), f->found.at[i].mtime_ms,
                               err));
    weir_info("%s: %zu files that were there before are passed over (cloudFiles.includeExistingFiles=false)",
              f->label, c.n);
    WEIR_TRY(files_write(&c, err));
    f->found.next = f->found.n;
    f->waiting = f->waiting_bytes = 0;
    return WEIR_OK;
}

/* New files into the log, when there are any. */
static weir_rc
files_take(struct weir_files *f, bool all, struct weir_error *err)
{
    struct files_choice c = {.f = f, .log_id = f->log.newest + 1};

    WEIR_TRY(files_choose(&c, all, err));
    while (c.n == 0 && f->env->available_now && f->found.dropped > 0) { /* more than one listing holds */
        WEIR_TRY(weir_files_look(f, FILES_WAITING_MAX, true, err));
        if (f->found.n == 0)
            break;
        WEIR_TRY(files_choose(&c, all, err));
    }
    if (all && f->waiting > 0)
        weir_warn("%s: one batch takes at most %d files; %" PRIu64 " wait for the next run", f->label,
                  FILES_WAITING_MAX, f->waiting);
    if (c.n > 0)
        WEIR_TRY(files_write(&c, err));
    files_forget(f);
    return WEIR_OK;
}

weir_rc
weir_files_admit(void *self, int64_t batch, const char *from, const struct weir_admit_limits *limits,
                 struct weir_mem *mem, const char **to, struct weir_error *err)
{
    struct weir_files *f = self;
    bool all = limits != NULL && limits->all;
    bool limited = !all && (f->opt.max_files > 0 || f->opt.max_bytes > 0);
    int64_t start;

    (void)batch;
    WEIR_TRY(weir_files_offset(from, &start, err));
    if (start > f->log.newest)
        return weir_fail(err, WEIR_CORRUPT, "the offsets say logOffset %" PRId64 ", but %s ends at %" PRId64,
                         start, f->log.folder, f->log.newest);
    if (f->log.newest < 0 && start < 0 && !f->opt.include_existing)
        WEIR_TRY(files_skip_existing(f, err));
    /* An entry that a crash left without its offset makes a batch of its own, unless there is no limit to keep. */
    else if (f->log.newest == start || !limited)
        WEIR_TRY(files_take(f, all, err));
    if (f->log.newest == start)
        return WEIR_END;
    *to = weir_mem_printf(mem, "{\"logOffset\":%" PRId64 "}", f->log.newest);
    return *to != NULL ? WEIR_OK : weir_mem_fail(mem, 32, err);
}

/* --- tasks --- */

struct files_tasks {
    struct weir_files *f;
    struct weir_tasks *out;
    struct weir_seen ids; /* a path that came twice is read once */
    uint32_t most;        /* entries of the range: room in out->at */
    uint64_t changed, overwritten;
};

static weir_rc
files_tasks_count(void *arg, const struct weir_file_entry *entry, struct weir_error *err)
{
    struct files_tasks *t = arg;

    (void)entry;
    if (t->most++ == UINT32_MAX)
        return weir_fail(err, WEIR_UNSUPPORTED, "a batch of more than %u files", UINT32_MAX);
    return WEIR_OK;
}

/* Where a logged path is: below the listed place, or anywhere else on this machine (the load path was changed). */
static weir_rc
files_place_of(struct files_tasks *t, struct weir_task *task, struct weir_error *err)
{
    struct weir_files *f = t->f;
    const char *text = f->text.data, *root = f->store->uri;
    size_t n = strlen(root);

    if (n > 0 && root[n - 1] == '/')
        n--;
    task->store = f->store;
    if (f->text.len > n && memcmp(text, root, n) == 0 && text[n] == '/') {
        task->key = weir_mem_strdup(t->out->mem, text + n + 1);
    } else if (weir_str_starts(text, "file:///")) {
        if (f->other == NULL)
            WEIR_TRY(weir_store_open("/", f->env->mem, &f->other, err));
        task->store = f->other;
        task->key = weir_mem_strdup(t->out->mem, text + strlen("file:///"));
    } else {
        return weir_fail(err, WEIR_NOTFOUND, "%s of the log lies outside of %s", text, f->store->path);
    }
    return task->key != NULL ? WEIR_OK : weir_mem_fail(t->out->mem, f->text.len, err);
}

static weir_rc
files_task(void *arg, const struct weir_file_entry *entry, struct weir_error *err)
{
    struct files_tasks *t = arg;
    struct weir_file_id id = weir_files_id_of_uri(t->f, entry->path, entry->path_len);
    struct weir_task *task = &t->out->at[t->out->n];
    struct weir_object now;
    weir_rc rc;

    WEIR_TRY(weir_stop_check(t->f->env->stop, err));
    WEIR_TRY(weir_buf_check(&t->f->text, err));
    if (t->f->opt.name_only) /* two paths of one name are two files here */
        id = weir_file_id(t->f->text.data, t->f->text.len);
    if (weir_seen_ask(&t->ids, id, 0) != WEIR_SEEN_NEW)
        return WEIR_OK;
    WEIR_ASSERT(t->out->n < t->most);
    *task = (struct weir_task){.object = t->out->n, .to = -1, .pinned = t->f->opt.allow_overwrites};
    WEIR_TRY(files_place_of(t, task, err));
    rc = weir_store_head(task->store, task->key, &now, err);
    if (rc == WEIR_OK && task->pinned && now.mtime_ms != entry->mtime_ms) {
        t->overwritten++; /* the next listing takes what is there now; read here too, it would come twice */
        return WEIR_OK;
    }
    WEIR_TRY(weir_seen_add(&t->ids, id, 0, err));
    if (rc == WEIR_NOTFOUND) { /* the reader says so by name, or passes it over (ignoreMissingFiles) */
        weir_error_clear(err);
        task->size = -1;
        task->mtime_ms = entry->mtime_ms;
    } else if (rc != WEIR_OK) {
        return rc;
    } else {
        task->size = now.size;
        task->mtime_ms = now.mtime_ms;
        t->changed += now.mtime_ms != entry->mtime_ms;
    }
    t->out->n++;
    return WEIR_OK;
}

weir_rc
weir_files_tasks(void *self, const char *from, const char *to, struct weir_tasks *out, struct weir_error *err)
{
    struct weir_files *f = self;
    struct files_tasks t = {.f = f, .out = out};
    int64_t a, b;
    weir_rc rc;

    *out = (struct weir_tasks){0};
    WEIR_TRY(weir_files_offset(from, &a, err));
    WEIR_TRY(weir_files_offset(to, &b, err));
    weir_seen_init(&t.ids, f->env->quota, INT64_MAX);
    out->mem = weir_mem_new(NULL, f->env->quota, "tasks");
    if (out->mem == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for the files of a batch");
    WEIR_GO(weir_file_log_range(&f->log, a, b, files_tasks_count, &t, err));
    WEIR_NEW(out->at, out->mem, t.most * sizeof(*out->at));
    WEIR_GO(weir_file_log_range(&f->log, a, b, files_task, &t, err));
    if (t.changed > 0)
        weir_warn("%s: %" PRIu64
                  " files of this batch have changed since they were taken; they are read as they are now",
                  f->label, t.changed);
    if (t.overwritten > 0)
        weir_warn("%s: %" PRIu64
                  " files of this batch were overwritten before they were read; a later batch takes them",
                  f->label, t.overwritten);
out:
    weir_seen_fini(&t.ids);
    if (rc != WEIR_OK)
        weir_tasks_fini(out);
    return rc;
}
