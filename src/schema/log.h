/* <schemaLocation>/_schemas/N: one file a version, the highest wins; Auto Loader's layout: "v1" and
 * {"dataSchemaJson":"…","partitionSchemaJson":"…"}, with weir's own facts in further keys: which batch and which file
 * brought it. _schemas/_owner names the pipeline that writes here. */
#ifndef WEIR_SCHEMA_LOG_H
#define WEIR_SCHEMA_LOG_H

#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "column/type.h"
#include "store/store.h"

struct weir_schema_version {
    int64_t version;
    const struct weir_type *data, *partition; /* STRUCTs; partition may have no fields */
    int64_t batch;                            /* -1: the first inference */
    const char *file;                         /* that brought it; NULL */
    int64_t time_ms;
};

/* The newest version, or `version` >= 0. NOTFOUND: none. */
weir_rc weir_schema_log_read(struct weir_store *location, int64_t version, struct weir_mem *mem,
                             struct weir_schema_version *out, struct weir_error *err);
/* Put if absent as out->version. EXISTS: another was first. */
weir_rc weir_schema_log_write(struct weir_store *location, const struct weir_schema_version *v, struct weir_error *err);
/* Claims the folder for a pipeline (its query id); USAGE when another owns it. */
weir_rc weir_schema_log_own(struct weir_store *location, const char *query_id, const char *name, struct weir_error *err);
/* Whether it could: USAGE when another pipeline owns the folder. Writes nothing. */
weir_rc weir_schema_log_owned(struct weir_store *location, const char *query_id, struct weir_error *err);

#endif
