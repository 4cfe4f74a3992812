/* LAYER 2: a range becomes pages. The reader decides the schema (given, stored or inferred) and reads the objects of
 * a batch with as many lanes as there are.
 *
 * The page's columns: the data's, in the schema's order; partition columns that the data do not name; the rescued
 * column; `_metadata` when somebody asks for it. What the path says wins over what the data say; where an
 * object's path says nothing of a partition column, its records do.
 * Threads: reader and scan calls come from the control thread; a scan's feed serves all lanes at once. */
#ifndef WEIR_READER_READER_H
#define WEIR_READER_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/option.h"
#include "base/stop.h"
#include "column/feed.h"
#include "column/text.h"
#include "column/type.h"
#include "store/task.h"

extern const struct weir_option weir_reader_options[]; /* of every file source */
extern const struct weir_option weir_loader_options[]; /* of cloudFiles */

struct weir_reader_env {
    const char *source_format;      /* cloudFiles, json, … */
    const char *source_name;        /* the pipeline's name, for _metadata.source */
    const char *schema;             /* the user's: DDL or Spark's JSON; NULL */
    struct weir_settings *options;
    const struct weir_zone *zone;
    const char *corrupt_name;       /* spark.sql.columnNameOfCorruptRecord */
    bool case_sensitive;            /* spark.sql.caseSensitive: inference keeps keys that differ by case apart */
    bool schema_inference;          /* spark.sql.streaming.schemaInference */
    uint64_t max_record_bytes;
    struct weir_quota *quota;
    struct weir_mem *mem;           /* of the run */
    struct weir_stop *stop;
};

struct weir_reader;
weir_rc weir_reader_open(const struct weir_reader_env *env, struct weir_reader **out, struct weir_error *err);
void weir_reader_close(struct weir_reader *r);
/* Option tables that this reader knows, for weir_options_unknown. */
uint32_t weir_reader_tables(const struct weir_reader *r, const struct weir_option **tables, uint32_t room);

/* Where versions of the schema are kept, as the user wrote it (cloudFiles.schemaLocation); NULL: nowhere. */
const char *weir_reader_schema_location(const struct weir_reader *r);
/* Takes the stored schema when there is one, else infers one from the sample (and keeps it in `location` unless
 * location is NULL or dry). sample may have no tasks: then NOTFOUND says what to do. With a user's schema only the
 * partition columns are looked at. version < 0: the newest; else that one (a replay). */
weir_rc weir_reader_settle(struct weir_reader *r, struct weir_store *location, const struct weir_tasks *sample,
                           int64_t version, bool dry, struct weir_error *err);
/* With a user's schema: which of its columns the paths of these objects fill, a function of the objects alone. A column
 * that no path names comes from the records. *changed: bind anew. */
weir_rc weir_reader_paths(struct weir_reader *r, const struct weir_tasks *tasks, bool *changed, struct weir_error *err);
bool weir_reader_needs_sample(const struct weir_reader *r, struct weir_store *location);
int64_t weir_reader_schema_version(const struct weir_reader *r); /* -1: none is kept */
/* The page's schema once settled. metadata: with `_metadata` at the end. */
weir_rc weir_reader_bind(struct weir_reader *r, bool metadata, struct weir_error *err);
const struct weir_type *weir_reader_schema(const struct weir_reader *r);

/* Unknown fields were met in this batch, first in the object `first`, and the evolution mode wants them: looks at the
 * batch's objects again and is bound to a wider schema. *changed: false when nothing can be added. The new version is
 * not kept yet: first the sink is asked whether it takes it. A version that this batch or an earlier one has
 * written is taken as it is; FENCED: a later one wrote it. A batch has one version of its own at the most. */
weir_rc weir_reader_evolve(struct weir_reader *r, struct weir_store *location, const struct weir_tasks *tasks,
                           const struct weir_task *first, int64_t batch, bool *changed, struct weir_error *err);
/* Writes the version that weir_reader_evolve() made. Durable at return. */
weir_rc weir_reader_keep(struct weir_reader *r, struct weir_store *location, struct weir_error *err);

struct weir_scan_env {
    int64_t batch, batch_time_ms;
    uint64_t window_bytes; /* of input blocks */
    unsigned lanes;
    struct weir_quota *quota;
    _Atomic bool *failed;  /* set when another lane has failed: stop soon */
};

struct weir_scan_totals {
    uint64_t objects, bytes; /* finished; bytes as they stand in the store */
    uint64_t missing, damaged; /* passed over by ignoreMissingFiles, ignoreCorruptFiles */
    struct weir_count count;
};

struct weir_scan;
/* tasks are borrowed until close. */
weir_rc weir_scan_open(struct weir_reader *r, const struct weir_tasks *tasks, const struct weir_scan_env *env,
                       struct weir_scan **out, struct weir_error *err);
void weir_scan_feed(struct weir_scan *scan, struct weir_feed *feed);
void weir_scan_totals(struct weir_scan *scan, struct weir_scan_totals *out); /* any thread, any time */
/* The first of the tasks that has fields which the schema lacks, and the mode wants them; NULL: none has. */
const struct weir_task *weir_scan_unknown(const struct weir_scan *scan);
/* Where the first value was lost: "file:///a.json, at or after byte 12"; NULL: none was. After all lanes. */
const char *weir_scan_first_lost(struct weir_scan *scan);
void weir_scan_close(struct weir_scan *scan);

#endif
