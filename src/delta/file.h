/* A data file as an add or remove action names it, and what makes two actions speak of the same one.
 *
 * Follows the Delta protocol, "Add File and Remove File". */
#ifndef WEIR_DELTA_FILE_H
#define WEIR_DELTA_FILE_H

#include <jansson.h>

#include "delta/action.h"

struct weir_dv_ref { /* a deletion vector's descriptor */
    char
        type; /* 'u' in a file below the root, 'p' in a file by absolute path, 'i' inline; 0: there is none */
    const char *text; /* pathOrInlineDv */
    int64_t offset;   /* -1: not given */
    int64_t size;     /* bytes of the bitmap */
    int64_t cardinality;
};

struct weir_file {
    const char *path;               /* as in the log: URI-encoded, relative to the table or absolute */
    const struct weir_pair *values; /* partition values; a value NULL is null */
    uint32_t nvalues;
    const struct weir_pair *tags;
    uint32_t ntags;
    int64_t size, mtime_ms; /* size -1: not given, in removes */
    struct weir_dv_ref dv;
    const char *stats;                       /* JSON text; NULL: none */
    int64_t base_row_id, row_commit_version; /* INT64_MIN: not given */
    const char *clustering;                  /* clusteringProvider; NULL */
    bool remove;                             /* a tombstone; then: */
    int64_t deleted_ms;                      /* 0: not given */
    bool extended;                           /* extendedFileMetadata: it has partition values and size */
    bool data_change;
};

/* body: of an add or remove. Texts are copied into mem. CORRUPT names what is missing or has another type. */
weir_rc weir_file_read(const json_t *body, bool remove, struct weir_mem *mem, struct weir_file *out,
                       struct weir_error *err);

struct weir_file_key { /* 128 bits of the pair (path, deletion vector) */
    uint64_t a, b;
};
/* Two spellings of a path that are the same to Spark have the same key. buf: scratch. */
weir_rc weir_file_key(const struct weir_file *file, struct weir_buf *buf, struct weir_file_key *out,
                      struct weir_error *err);

/* A set of keys, 16 bytes each, half to three quarters full. */
struct weir_file_set {
    struct weir_file_key *slots;
    size_t n, cap;
    struct weir_quota *q;
};
/* *fresh: the key was not there. NOMEM. */
weir_rc weir_file_set_add(struct weir_file_set *set, struct weir_file_key key, bool *fresh,
                          struct weir_error *err);
bool weir_file_set_has(const struct weir_file_set *set, struct weir_file_key key);
void weir_file_set_fini(struct weir_file_set *set); /* a zeroed one is fine */

#endif
