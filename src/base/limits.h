/* Every ceiling in one place. Bytes unless the name says otherwise. */
#ifndef WEIR_BASE_LIMITS_H
#define WEIR_BASE_LIMITS_H

#define WEIR_KIB 1024ull
#define WEIR_MIB (1024ull * 1024)

enum {
    WEIR_PAGE_ROWS = 2048,    /* DuckDB's vector; the most rows of a page */
    WEIR_NEST_MAX = 100,      /* levels of a schema, and of a record of data */
    WEIR_JSON_DEPTH = 310,    /* of small JSON documents: a level of a schema takes three */
    WEIR_NAME_MAX = 1024,     /* bytes of a column name */
    WEIR_FIELDS_MAX = 10000,  /* leaves of a schema */
};

#define WEIR_BLOCK_BYTES WEIR_MIB            /* one block of input */
#define WEIR_SPEC_MAX (4 * WEIR_MIB)         /* a pipeline file */
#define WEIR_SPEC_MEMORY (64 * WEIR_MIB)     /* what is made of the files of one command */
#define WEIR_MEMORY_MIN (32 * WEIR_MIB)      /* weir.memoryLimit at the least */
#define WEIR_SMALL_MAX (64 * WEIR_KIB)       /* offsets/N, commits/N, metadata */
#define WEIR_SOURCE_LOG_MAX (256 * WEIR_MIB) /* sources/S/N.compact; streamed line by line */
#define WEIR_COMMIT_MAX (64 * WEIR_MIB)      /* a Delta commit; streamed line by line */
#define WEIR_ACTION_MAX (8 * WEIR_MIB)       /* one line of it */
#define WEIR_FOOTER_MAX (256 * WEIR_MIB)     /* a Parquet footer, when written */
#define WEIR_RECORD_MAX (16 * WEIR_MIB)      /* weir.maxRecordBytes */
#define WEIR_STACK_BYTES (2 * WEIR_MIB)      /* a thread's stack: room, of which a lane touches some tens of KB */

#endif
