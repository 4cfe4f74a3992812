/* Opening a file source: its options, the place it lists, and what it took before. */
#include "source/files.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "base/uuid.h"
#include "store/mem.h"

enum { FILES_TEXT_MAX = 64 * 1024 };

weir_rc
weir_files_refuse(const struct weir_source_env *env, const char *key, struct weir_error *err, const char *fmt,
                  ...)
{
    char text[256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    weir_fail(err, WEIR_USAGE, "%s", text);
    return weir_settings_at(env->options, key, err);
}

weir_rc
weir_files_offset(const char *text, int64_t *out, struct weir_error *err)
{
    struct weir_slice bare;
    json_t *doc = NULL;
    int64_t id = -1;
    weir_rc rc;

    *out = -1;
    if (text == NULL)
        return WEIR_OK;
    bare = weir_slice_trim(weir_slice(text, strlen(text)));
    if (weir_parse_int(bare, &id) && id >= 0) {
        *out = id;
        return WEIR_OK;
    }
    rc = weir_json_load(text, strlen(text), &doc, err);
    if (rc == WEIR_OK && json_is_object(doc))
        rc = weir_json_get_int(doc, "logOffset", -1, &id, err);
    json_decref(doc);
    if (rc == WEIR_NOMEM)
        return rc;
    if (rc != WEIR_OK || id < 0) {
        weir_error_clear(err);
        return weir_fail(err, WEIR_USAGE,
                         "\"%.100s\" is no offset of a file source: {\"logOffset\":N} is expected", text);
    }
    *out = id;
    return WEIR_OK;
}

/* --- options --- */

/* A number that is given must be positive (or at least `least`). */
static weir_rc
files_positive(const struct weir_files *f, const char *key, int64_t value, int64_t least,
               struct weir_error *err)
{
    char full[64];

    snprintf(full, sizeof(full), "cloudFiles.%s", key);
    if (value >= least)
        return WEIR_OK;
    if (weir_settings_get(f->env->options, key) != NULL)
        return weir_files_refuse(f->env, key, err, "must be %s", least > 0 ? "positive" : "0 or more");
    if (weir_settings_get(f->env->options, full) != NULL)
        return weir_files_refuse(f->env, full, err, "must be %s", least > 0 ? "positive" : "0 or more");
    return WEIR_OK;
}

static weir_rc
files_ratio(struct weir_files *f, struct weir_error *err)
{
    const char *text = f->opt.cached_ratio;

    f->cached_ratio = 0.2;
    if (text == NULL)
        return WEIR_OK;
    if (!weir_double_parse(text, strlen(text), &f->cached_ratio) ||
        !(f->cached_ratio >= 0 && f->cached_ratio <= 1))
        return weir_files_refuse(f->env, "discardCachedInputRatio", err, "must be a number from 0 to 1");
    return WEIR_OK;
}

/* A bound of the modification time, in ms, widened so that "exclusive" holds on microseconds too. */
static weir_rc
files_time(struct weir_files *f, const char *key, const char *text, int64_t *ms, struct weir_error *err)
{
    const struct weir_zone *zone = f->env->zone != NULL ? f->env->zone : &weir_zone_utc;
    int64_t us;

    if (text == NULL)
        return WEIR_OK;
    if (!weir_timestamp_parse(text, strlen(text), zone, &us))
        return weir_files_refuse(f->env, key, err, "\"%s\" is no time such as 2025-01-02T03:04:05", text);
    *ms = us / 1000 - (us % 1000 < 0);
    return WEIR_OK;
}

static weir_rc
files_options(struct weir_files *f, struct weir_error *err)
{
    const struct weir_files_options *opt = &f->opt;
    struct weir_listing *list = &f->listing;
    bool limited = opt->max_files > 0 || opt->max_bytes > 0;

    WEIR_TRY(files_positive(f, "maxFilesPerTrigger", opt->max_files, 1, err));
    WEIR_TRY(files_positive(f, "maxBytesPerTrigger", opt->max_bytes, 1, err));
    WEIR_TRY(files_positive(f, "maxCachedFiles", opt->max_cached, 0, err));
    WEIR_TRY(files_positive(f, "maxFileAge", opt->max_age_ms, 0, err));
    WEIR_TRY(files_ratio(f, err));
    list->after_ms = INT64_MIN;
    list->before_ms = INT64_MAX;
    WEIR_TRY(files_time(f, "modifiedAfter", opt->after, &list->after_ms, err));
    WEIR_TRY(files_time(f, "modifiedBefore", opt->before, &list->before_ms, err));
    if (opt->name_glob != NULL)
        WEIR_TRY(weir_glob_compile(opt->name_glob, false, false, f->env->mem, &list->name, err));
    list->spark_names = f->face->spark_names;
    list->stop = f->env->stop;
    f->deep = !f->face->spark_names || opt->recursive;
    weir_seen_init(&f->seen, f->env->quota,
                   opt->max_age_ms < 0 || (opt->latest_first && limited) ? INT64_MAX : opt->max_age_ms);
    weir_found_init(&f->found, f->env->quota, opt->latest_first);
    return WEIR_OK;
}

/* --- the place --- */

/* "/in" for messages of cloudFiles; "file:/in", as Hadoop qualifies it, in Spark's description. */
static weir_rc
files_label(struct weir_files *f, struct weir_error *err)
{
    const char *path = f->env->path;

    if (f->face->hadoop_label && path[0] == '/')
        f->label = weir_mem_printf(f->env->mem, "%s[file:%s]", f->face->label, path);
    else
        f->label = weir_mem_printf(f->env->mem, "%s[%s]", f->face->label, path);
    return f->label != NULL ? WEIR_OK : weir_mem_fail(f->env->mem, strlen(path), err);
}

static weir_rc
files_missing(const struct weir_files *f, struct weir_error *err)
{
    weir_error_clear(err);
    weir_fail(err, WEIR_USAGE, "source path %s is not there", f->env->path);
    return weir_error_hint(err, "make the folder, or correct source.path");
}

/* Whether names that match this part of a pattern are hidden, all of them. Spark shows "_x=1". */
static bool
files_part_hidden(const struct weir_files *f, const char *part, size_t n)
{
    if (n == 0 || part[0] != '_')
        return n > 0 && part[0] == '.';
    return !f->face->spark_names || strcspn(part, "=*?[{") >= n;
}

/* A pattern of which a part names hidden files or folders: no listing would ever find anything, and say nothing. */
static weir_rc
files_pattern_check(const struct weir_files *f, const char *pattern, struct weir_error *err)
{
    for (const char *at = pattern;; at++) {
        size_t n = strcspn(at, "/");

        if (files_part_hidden(f, at, n)) {
            weir_fail(err, WEIR_USAGE, "source path %s: names like %.*s are hidden and never read", f->env->path,
                      n > 100 ? 100 : (int)n, at);
            return weir_error_hint(err, "rename it, or name the folder itself as the path, without a pattern");
        }
        at += n;
        if (*at == '\0')
            return WEIR_OK;
    }
}

/* A load path that names one file: its folder is listed, with the name as the pattern. */
static weir_rc
files_open_one(struct weir_files *f, const char *path, struct weir_error *err)
{
    const char *slash = strrchr(path, '/');
    struct weir_mem *mem = f->env->mem;
    char *folder = weir_mem_strndup(mem, path, slash == path ? 1 : (size_t)(slash - path));

    if (folder == NULL)
        return weir_mem_fail(mem, strlen(path), err);
    weir_store_close(f->store);
    f->store = NULL;
    WEIR_TRY(files_pattern_check(f, slash + 1, err));
    WEIR_TRY(weir_store_open(folder, mem, &f->store, err));
    return weir_glob_compile(slash + 1, false, false, mem, &f->listing.path, err);
}

static weir_rc
files_sink_log(struct weir_files *f, struct weir_error *err)
{
    struct weir_object obj;
    struct weir_error ignored = {0};

    if (!f->face->prefers_sink_log ||
        weir_store_head(f->store, "_spark_metadata/0", &obj, &ignored) != WEIR_OK)
        return WEIR_OK;
    weir_fail(err, WEIR_UNSUPPORTED,
              "%s holds _spark_metadata: Spark's file sink wrote it, and only its log says which "
              "files count",
              f->env->path);
    return weir_error_hint(err, "weir does not read that log yet; let the writer write a Delta table");
}

static weir_rc
files_place(struct weir_files *f, struct weir_error *err)
{
    struct weir_mem *mem = f->env->mem;
    const char *path = f->env->path;
    size_t n = strlen(path), base = weir_glob_base(path);
    bool glob = base < n;
    struct weir_object root;
    char *folder;
    weir_rc rc;

    while (!glob && base > 1 && path[base - 1] == '/')
        base--;
    folder = base == 0 ? weir_mem_strdup(mem, "/") : weir_mem_strndup(mem, path, base);
    if (folder == NULL)
        return weir_mem_fail(mem, n, err);
    if (glob)
        WEIR_TRY(files_pattern_check(f, path + base + 1, err));
    if (glob &&
        weir_glob_compile(path + base + 1, !f->face->spark_names && !f->opt.strict_glob,
                          !f->face->spark_names && f->opt.strict_glob, mem, &f->listing.path, err) != WEIR_OK)
        return weir_error_context(err, "source path %s", path);
    WEIR_TRY(weir_store_open(folder, mem, &f->store, err));
    rc = weir_store_root(f->store, &root, err);
    if (rc == WEIR_NOTFOUND && !glob)
        return files_missing(f, err);
    if (rc == WEIR_NOTFOUND)
        weir_warn("source path %s: there is no folder %s yet", path, folder);
    else if (rc != WEIR_OK)
        return rc;
    else if (root.size >= 0)
        WEIR_TRY(files_open_one(f, folder, err));
    f->local = strcmp(f->store->type->scheme, "file") == 0;
    f->listing.store = f->store;
    return files_sink_log(f, err);
}

/* --- open and close --- */

/* Without a checkpoint (a sink that keeps nothing) the log lives as long as the run. */
static weir_rc
files_memory(struct weir_files *f, struct weir_error *err)
{
    char uuid[WEIR_UUID_SIZE], uri[64];

    weir_uuid(uuid);
    snprintf(f->memory_name, sizeof(f->memory_name), "log-%s", uuid);
    snprintf(uri, sizeof(uri), "mem:%s/log", f->memory_name);
    WEIR_TRY(weir_store_open(uri, f->env->mem, &f->memory, err));
    f->env_copy.checkpoint = f->memory;
    return WEIR_OK;
}

static weir_rc
files_restore(void *arg, const struct weir_file_entry *entry, struct weir_error *err)
{
    struct weir_files *f = arg;

    return weir_seen_add(&f->seen, weir_files_id_of_uri(f, entry->path, entry->path_len), entry->mtime_ms,
                         err);
}

weir_rc
weir_files_open(struct weir_files *f, const struct weir_source_env *env, const struct weir_files_face *face,
                struct weir_error *err)
{
    f->env_copy = *env;
    f->env = &f->env_copy;
    f->face = face;
    f->cutoff_ms = INT64_MAX;
    weir_buf_init(&f->raw, FILES_TEXT_MAX, env->quota);
    weir_buf_init(&f->text, FILES_TEXT_MAX, env->quota);
    f->watch_mem = weir_mem_new(NULL, env->quota, "young files");
    if (f->watch_mem == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory to open %s", env->path);
    weir_map_init(&f->watch, f->watch_mem);
    WEIR_TRY(files_options(f, err));
    WEIR_TRY(files_label(f, err));
    WEIR_TRY(files_place(f, err));
    if (env->checkpoint == NULL)
        WEIR_TRY(files_memory(f, err));
    WEIR_TRY(weir_file_log_open(&f->log, f->env->checkpoint, env->index, env->compact_interval,
                                env->batches_to_retain, env->quota, err));
    WEIR_TRY(weir_file_log_each(&f->log, files_restore, f, err));
    weir_seen_age(&f->seen);
    return WEIR_OK;
}

void
weir_files_close(void *self)
{
    struct weir_files *f = self;

    weir_seen_fini(&f->seen);
    weir_found_fini(&f->found);
    weir_buf_fini(&f->raw);
    weir_buf_fini(&f->text);
    weir_mem_free(f->watch_mem);
    weir_store_close(f->store);
    weir_store_close(f->other);
    if (f->memory != NULL) {
        weir_store_close(f->memory);
        weir_mem_store_drop(f->memory_name);
    }
    memset(f, 0, sizeof(*f));
}

const char *
weir_files_describe(void *self)
{
    return ((struct weir_files *)self)->label;
}

weir_rc
weir_files_check(void *self, const char *from, const char *text, struct weir_error *err)
{
    struct weir_files *f = self;
    int64_t a, b;

    WEIR_TRY(weir_files_offset(from, &a, err));
    WEIR_TRY(weir_files_offset(text, &b, err));
    if (b < a)
        return weir_fail(err, WEIR_USAGE, "logOffset %" PRId64 " lies before %" PRId64, b, a);
    if (b <= f->log.newest)
        return WEIR_OK;
    weir_fail(err, WEIR_USAGE, "logOffset %" PRId64 " is not in %s/%s, which ends at %" PRId64, b,
              f->log.store->path, f->log.folder, f->log.newest);
    return weir_error_hint(
        err, "bring the missing files back from a copy of the checkpoint: without them files would "
             "be read twice");
}

void
weir_files_backlog(void *self, struct weir_backlog *out)
{
    const struct weir_files *f = self;

    *out = (struct weir_backlog){f->waiting, f->waiting_bytes};
}
