/* What the files of reader/ share. */
#ifndef WEIR_READER_READER_INT_H
#define WEIR_READER_READER_INT_H

#include <pthread.h>
#include <stdatomic.h>

#include "codec/compress.h"
#include "codec/format.h"
#include "reader/reader.h"
#include "schema/log.h"

typedef enum weir_evolution { EVOLVE_ADD, EVOLVE_RESCUE, EVOLVE_FAIL, EVOLVE_NONE, EVOLVE_DEFAULT } weir_evolution;

struct reader_options {
    const char *format, *schema_location, *schema_hints, *partition_columns, *rescued_name;
    bool infer_column_types, case_sensitive, ignore_corrupt, ignore_missing;
    int evolution;
    bool plain_paths; /* recursiveFileLookup of Spark's file source: paths give no columns */
};

struct weir_reader {
    struct weir_reader_env env;
    bool auto_loader;
    struct reader_options opt;
    const struct weir_format_type *format;
    void *format_opt;
    struct weir_format_traits traits;
    const char *encoding;              /* of the objects; NULL: UTF-8 */
    const char *corrupt_name;          /* of the format's option, else the session's */
    const char *rescued_name;          /* NULL: no rescued column */
    weir_evolution evolution;
    const struct weir_type *given;     /* the user's schema, or NULL */
    struct weir_field *given_fields;   /* of given_partition; NULL before the first look at paths */
    struct weir_type given_partition;
    const struct weir_type *data;      /* of the records, the corrupt column included */
    const struct weir_type *partition; /* from the paths */
    int64_t version;
    int64_t widened;                   /* the batch that has had its version; -1: none */
    struct weir_schema_version unkept; /* made by evolution, not written yet; data NULL: none */

    /* bound: */
    struct weir_mem *bind_mem; /* of the four below; emptied by the next binding */
    const struct weir_type *schema;
    int32_t *source;                   /* per column: 1 when the format fills it */
    int32_t *part_of;                  /* per column: field of `partition`, or -1 */
    int32_t rescued, corrupt, metadata;
};

/* reader.c */
/* cloudFiles.schemaHints; *n 0: there are none. */
weir_rc reader_hints_parse(const struct weir_reader *r, struct weir_hint **hints, uint32_t *n, struct weir_error *err);

/* settle.c: what all records of the tasks look like. */
weir_rc reader_survey(struct weir_reader *r, const struct weir_tasks *tasks, const struct weir_type **out,
                      struct weir_error *err);

/* bytes.c: an object's bytes, inflated and in UTF-8. Zeroed before open; close it in every case. */
struct window { /* input of a step that has not used it all yet */
    char *mem;
    const char *at;
    size_t left;
    bool eof;
};

struct bytes {
    const struct weir_task *task;
    struct weir_quota *q;
    struct weir_object at_open;
    struct weir_input *in; /* NULL: the task's block */
    uint64_t taken;        /* of the object, as it stands in the store */
    struct weir_inflate *inflate;
    struct transcode *transcode;
    struct window raw, plain; /* in front of the first step; between inflating and transcoding */
};

enum { BYTES_ROOM = 16 }; /* the longest character and to spare */

/* END: a pinned task's object has been overwritten; there is nothing to read. */
weir_rc bytes_open(struct bytes *b, const struct weir_task *task, const char *encoding, struct weir_quota *q,
                   struct weir_error *err);
/* At least one byte, or END. room >= BYTES_ROOM. CORRUPT: the compressed data are damaged; *got may be > 0. */
weir_rc bytes_read(struct bytes *b, char *p, size_t room, size_t *got, struct weir_error *err);
/* Behind END: whether the object is still what it was at open; IO: it is not. */
weir_rc bytes_same(struct bytes *b, struct weir_error *err);
void bytes_close(struct bytes *b);

/* An object being read: bytes to whole records. Shared by the lanes under its lock. */
struct stream {
    pthread_mutex_t lock;
    struct weir_scan *scan;
    const struct weir_task *task;
    unsigned refs; /* under the scan's lock, as are done and next */
    bool done;     /* no lane need join any more */
    bool opened, first, drained, damaged, ended;
    struct bytes bytes;
    struct weir_buf carry; /* the front of a record whose end is not here yet */
    struct weir_cut_state cut;
    int64_t offset;
    struct stream *next;
};

struct weir_scan {
    struct weir_reader *r;
    const struct weir_tasks *tasks;
    struct weir_scan_env env;
    struct weir_block_pool *pool;
    pthread_mutex_t lock; /* order: a stream's lock is never taken while this is held */
    uint32_t next_task;
    struct stream *open;
    _Atomic uint64_t objects, bytes, missing, damaged;
    _Atomic uint64_t records, rescued, corrupt, blank, dropped, lost;
    _Atomic uint32_t unknown; /* the first task that has a field which the schema lacks; UINT32_MAX: none has */
    char first_lost[1024];
};

/* stream.c */
struct stream *stream_take(struct weir_scan *scan, struct weir_error *err, weir_rc *rc); /* NULL: nothing left, or *rc */
void stream_put(struct stream *s);
/* The next whole records; rec->block is a new reference. END at the end of the object. */
weir_rc stream_next(struct stream *s, struct weir_records *rec, struct weir_error *err);
const char *task_name(const struct weir_task *task);

/* transcode.c */
struct transcode;
/* *out NULL: the encoding is UTF-8, nothing to do. USAGE for one that iconv does not know. */
weir_rc transcode_new(const char *encoding, struct transcode **out, struct weir_error *err);
weir_rc transcode_step(struct transcode *t, const char **in, size_t *n, bool eof, char *p, size_t room, size_t *got,
                       struct weir_error *err);
void transcode_free(struct transcode *t);

/* constant.c: columns that are the same for all rows of an object. */
extern const struct weir_type weir_metadata_type;
/* The object's URI as Spark's _metadata spells it (and so the rescued column's _file_path): file:/x/a%20b. */
void task_uri(const struct weir_task *task, struct weir_buf *buf);
/* Whether a folder of the object's path reads "column=value". */
bool task_names(const struct weir_task *task, const char *column);
/* A partition value that does not fit its column is put into the rescued text, or counted as lost. */
weir_rc constants_fill(struct weir_scan *scan, const struct weir_task *task, struct weir_page *page,
                       struct weir_error *err);

/* scan.c: all of the scan's records go into inf, on this thread. */
weir_rc scan_infer(struct weir_scan *scan, struct weir_infer *inf, struct weir_error *err);

#endif
