/* sources/S/N: Spark's log of the files that a file source took (FileStreamSourceLog, CompactibleFileStreamLog).
 *
 *   v1
 *   {"path":"file:///in/a%20b.json","timestamp":1735689600000,"batchId":N}
 *
 * 1. N is the log's own id, not the batch's; `batchId` is the N under which a file came first and survives compaction.
 *    An entry with batchId -1 is known but never read (cloudFiles.includeExistingFiles=false); Spark keeps it so.
 * 2. When (N + 1) is a multiple of the interval, N.compact is written instead of N, holding everything so far.
 * 3. To know all: the newest .compact and every later file. One that is missing is an error, never a gap.
 * 4. A file is put if absent; who finds it taken by other bytes has met another run (FENCED).
 * 5. Memory does not depend on the number of entries: they stream.
 * Threads: one owner. */
#ifndef WEIR_SOURCE_FILE_LOG_H
#define WEIR_SOURCE_FILE_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "store/store.h"

struct weir_file_entry {
    const char *path; /* a URI as Spark spells it */
    size_t path_len;
    int64_t mtime_ms;
    int64_t id; /* batchId */
};

struct weir_file_log {
    struct weir_store *store;
    struct weir_quota *q;
    char folder[32]; /* "sources/0/" */
    int64_t newest;  /* -1: empty */
    int64_t compact; /* newest .compact, -1: none */
    int64_t oldest;  /* lowest id on disk, -1 */
    int64_t interval;
    int64_t retain; /* newest ids whose files stay whatever their age */
};

typedef weir_rc weir_file_entry_fn(void *arg, const struct weir_file_entry *entry, struct weir_error *err);

/* Lists the folder. interval: the setting; what stands on disk wins, as in Spark. CORRUPT: both N and N.compact. */
weir_rc weir_file_log_open(struct weir_file_log *log, struct weir_store *checkpoint, unsigned source,
                           int64_t interval, int64_t retain, struct weir_quota *q, struct weir_error *err);
/* Every entry, oldest first. The entry is valid during the call. CORRUPT: a file is missing or is no such log. */
weir_rc weir_file_log_each(struct weir_file_log *log, weir_file_entry_fn *fn, void *arg,
                           struct weir_error *err);
/* The entries that came under ids from + 1 to `to`. */
weir_rc weir_file_log_range(struct weir_file_log *log, int64_t from, int64_t to, weir_file_entry_fn *fn,
                            void *arg, struct weir_error *err);
/* Adds id log->newest + 1 with what next() gives until END; the entries' own ids are written as they are. Durable at
 * return. FENCED: another run wrote that id. Then old files are cleaned as Spark does. */
weir_rc weir_file_log_append(struct weir_file_log *log,
                             weir_rc (*next)(void *arg, struct weir_file_entry *out, struct weir_error *err),
                             void *arg, struct weir_error *err);

#endif
