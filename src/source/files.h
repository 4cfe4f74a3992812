/* What cloudFiles and Spark's file source have in common: a listing that becomes batches, and Spark's log of them.
 *
 * 1. A file belongs to the batch whose log entry names it (sources/S/N); the log is written before offsets/N. An
 *    entry without an offset is covered by the next batch: nothing is lost, nothing comes twice.
 * 2. A path is taken once. A new time under a known path is counted and told, and taken again only with
 *    cloudFiles.allowOverwrites.
 *    With it path and time together are one object, read once: a batch leaves out a file that was
 *    overwritten since it was taken, and the next listing finds it.
 * 3. A local file that is younger than weir.settleTime, or that changes between the listing and the batch, waits: it
 *    may still be written to.
 * 4. Paths are compared by place, however they are spelled; they are written as Spark spells them.
 * 5. Of one listing at most FILES_WAITING_MAX files are kept, of one batch at most as many are taken, whatever the
 *    options say; the rest follows in the next batch. Only includeExistingFiles=false keeps all of one listing, once:
 *    what is there at that moment is one entry of the log, and the quota is its limit.
 * Threads: the control thread. */
#ifndef WEIR_SOURCE_FILES_H
#define WEIR_SOURCE_FILES_H

#include "base/map.h"
#include "source/file_log.h"
#include "source/found.h"
#include "source/listing.h"
#include "source/seen.h"
#include "source/source.h"

enum { FILES_WAITING_MAX = 100000 };

struct weir_files_options { /* what both option tables fill; unset numbers are -1 */
    int64_t max_files, max_bytes;
    int64_t max_age_ms;
    int64_t max_cached;
    const char *cached_ratio;
    const char *name_glob, *after, *before;
    bool latest_first, name_only, recursive;
    bool include_existing, strict_glob, allow_overwrites;
    bool notifications, managed_events;
    int clean_source; /* 0: off */
};

struct weir_files_face {   /* how the two differ beside their options */
    const char *label;     /* "CloudFilesSource" */
    bool hadoop_label;     /* the path in it as Hadoop qualifies it: file:/in */
    bool bytes_soft;       /* the file that crosses maxBytesPerTrigger is still taken */
    bool spark_names;      /* Spark's rule for hidden names, and for folders that are no partitions */
    bool prefers_sink_log; /* Spark reads _spark_metadata of a folder that its file sink wrote: refused yet */
};

struct weir_files {
    struct weir_files_options opt; /* first: the option tables fill it */
    const struct weir_files_face *face;
    const struct weir_source_env *env;
    struct weir_source_env env_copy;
    const char *label;         /* "FileStreamSource[file:/in]" */
    struct weir_store *store;  /* of the load path without its pattern */
    struct weir_store *memory; /* for the log, when there is no checkpoint; else NULL */
    char memory_name[48];
    struct weir_store *other; /* of the whole machine: for logged paths elsewhere; NULL until needed */
    bool local;
    bool deep; /* plain folders below are listed too */
    double cached_ratio;
    struct weir_listing listing;
    struct weir_file_log log;
    struct weir_seen seen;
    struct weir_found found;
    struct weir_buf raw, text; /* scratch: a path on its way, and a path */
    struct weir_mem *watch_mem;
    struct weir_map watch; /* files with a time to come: since when they stand still */
    /* Of the last listing: */
    uint64_t young, changed, aged;
    int64_t young_wait_ms; /* until the youngest has settled */
    char first_young[256], first_changed[256], first_aged[256];
    uint64_t changed_told, aged_told;
    int64_t look_us, look_ended_us;  /* how long it took, and when it ended (monotonic) */
    int64_t cutoff_ms;               /* availableNow: newer ones came after its start */
    uint64_t waiting, waiting_bytes; /* after the last batch */
};

weir_rc weir_files_open(struct weir_files *f, const struct weir_source_env *env,
                        const struct weir_files_face *face, struct weir_error *err);
/* USAGE: "FILE:LINE: option KEY: …". */
weir_rc weir_files_refuse(const struct weir_source_env *env, const char *key, struct weir_error *err,
                          const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Between files.c, files_look.c and files_take.c. */
/* One listing into f->found and the counters. known: files that were taken are left out. */
weir_rc weir_files_look(struct weir_files *f, size_t max, bool known, struct weir_error *err);
struct weir_file_id weir_files_id_of_key(struct weir_files *f, const char *key);
struct weir_file_id weir_files_id_of_uri(struct weir_files *f, const char *uri, size_t n);
/* {"logOffset":N}; a bare N too, as Spark 2.0 wrote it. text NULL: -1. */
weir_rc weir_files_offset(const char *text, int64_t *out, struct weir_error *err);

/* Slots of the vtable. */
const char *weir_files_describe(void *self);
weir_rc weir_files_sample(void *self, uint32_t n, uint64_t bytes, struct weir_tasks *out,
                          struct weir_error *err);
weir_rc weir_files_newest(void *self, struct weir_error *err);
weir_rc weir_files_admit(void *self, int64_t batch, const char *from, const struct weir_admit_limits *limits,
                         struct weir_mem *mem, const char **to, struct weir_error *err);
weir_rc weir_files_tasks(void *self, const char *from, const char *to, struct weir_tasks *out,
                         struct weir_error *err);
weir_rc weir_files_check(void *self, const char *from, const char *text, struct weir_error *err);
void weir_files_backlog(void *self, struct weir_backlog *out);
void weir_files_close(void *self);

/* What both faces have in their struct weir_source_type beside name, about, options and open. */
#define WEIR_FILES_SLOTS                                                                                         \
    .self_size = sizeof(struct weir_files), .describe = weir_files_describe, .sample = weir_files_sample,         \
    .newest = weir_files_newest, .admit = weir_files_admit, .tasks = weir_files_tasks, .check = weir_files_check, \
    .backlog = weir_files_backlog, .close = weir_files_close

#endif
