/* Whether rows of a schema may be appended to a table, and what the table becomes.
 *
 * Follows Delta's schema enforcement and schema evolution (mergeSchema), with one difference: types are never cast.
 * 1. Columns are matched by name without regard to case, at every level; the table's spelling is written.
 * 2. A column that the rows lack is null in them. One that the table lacks is SCHEMA, or is added with mergeSchema.
 * 3. byte, short and int may grow among themselves with mergeSchema; every other difference of types is refused.
 * 4. NOT NULL columns are checked row by row by weir_bind_rows(). */
#ifndef WEIR_DELTA_BIND_H
#define WEIR_DELTA_BIND_H

#include "column/page.h"
#include "delta/snapshot.h"

struct weir_bind_options {
    bool merge_schema;
    const char *const *partition_by; /* of the pipeline; n 0: whatever the table has */
    uint32_t npartition_by;
    struct weir_settings *properties; /* of a table that is made; may be NULL */
    const char *comment;              /* the same; may be NULL */
    bool create;                      /* a missing table may be made */
};

enum { WEIR_BIND_ABSENT = 0xffff };

struct weir_binding {
    struct weir_metadata meta;     /* of the table after the commit */
    struct weir_protocol protocol; /* the same */
    bool creates, evolves;         /* the commit carries protocol and metaData; metaData */
    const struct weir_type *file;  /* columns of the data files, in the table's order and spelling */
    uint16_t *map;                 /* page column of each file column */
    uint16_t *part;                /* page column of each partition column, or WEIR_BIND_ABSENT */
    bool not_null;                 /* some column must be checked */
};

/* Everything lives in mem; the snapshot's texts are borrowed. SCHEMA, UNSUPPORTED, USAGE. */
weir_rc weir_bind(const struct weir_snapshot *snap, const struct weir_type *rows,
                  const struct weir_bind_options *opt, struct weir_mem *mem, struct weir_binding *out,
                  struct weir_error *err);
/* Whether files written under one binding can be committed under another. */
bool weir_bind_same_files(const struct weir_binding *a, const struct weir_binding *b);
/* BADDATA names the first column that is null and must not be. */
weir_rc weir_bind_rows(const struct weir_binding *b, const struct weir_page *page, struct weir_error *err);

#endif
