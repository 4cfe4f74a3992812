/* The pipeline file: YAML to a struct, every mistake named with its line and the nearest known key.
 * spec of the file: docs/guide/pipeline-file.md. */
#ifndef WEIR_PIPELINE_SPEC_H
#define WEIR_PIPELINE_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/option.h"

struct weir_yaml;

typedef enum weir_trigger {
    WEIR_TRIGGER_DEFAULT, /* one batch after another, for ever */
    WEIR_TRIGGER_PROCESSING_TIME,
    WEIR_TRIGGER_AVAILABLE_NOW,
    WEIR_TRIGGER_ONCE
} weir_trigger;

struct weir_conf { /* `conf:` */
    const char *time_zone;      /* spark.sql.session.timeZone, UTC */
    bool case_sensitive;        /* spark.sql.caseSensitive */
    const char *corrupt_name;   /* spark.sql.columnNameOfCorruptRecord */
    bool schema_inference;      /* spark.sql.streaming.schemaInference */
    int64_t compact_interval;   /* spark.sql.streaming.fileSource.log.compactInterval, 10 */
    int64_t batches_to_retain;  /* spark.sql.streaming.minBatchesToRetain, 100 */
    int64_t polling_delay_ms;   /* spark.sql.streaming.pollingDelay, 10 ms */
    int64_t sample_files, sample_bytes; /* spark.databricks.cloudFiles.schemaInference.sampleSize.* */
    bool ansi;                  /* spark.sql.ansi.enabled */
    int64_t memory_limit;       /* weir.memoryLimit, 256 MB */
    const char *temp_directory; /* weir.tempDirectory; NULL: nothing is spilled */
    int64_t threads;            /* weir.threads, -1: one a core, at most 4 */
    int64_t min_commit_ms;      /* weir.minCommitInterval, 1 s */
    int64_t settle_ms;          /* weir.settleTime, 2 s */
    int64_t max_record_bytes;   /* weir.maxRecordBytes, 16 MiB */
    int on_value_lost;          /* weir.onValueLost: count | quarantine (refused yet) | fail */
    int time_parser;            /* spark.sql.legacy.timeParserPolicy: only Spark's new parser is there */
};
extern const struct weir_option weir_conf_options[];
/* What a conf key that stands in no table does nothing for, by families such as spark.executor.*; NULL: unknown. */
const char *weir_conf_family(const char *key, weir_option_state *state);
/* The known families in turn, for the documentation; NULL: at >= how many there are. */
const char *weir_conf_family_at(unsigned at, weir_option_state *state, const char **about);

struct weir_spec {
    const char *file;       /* as given */
    const char *dir;        /* absolute, of the file */
    const char *name;
    uint64_t fingerprint;   /* of everything that decides what a batch becomes */
    struct {
        const char *format, *path, *schema; /* path: absolute or a URI, "~" not expanded; schema: DDL or JSON, or NULL */
        struct weir_settings options;
        int line, path_line, schema_line;
    } source;
    struct weir_spec_table { /* `tables:`: what the query may name besides the source */
        const char *name, *format, *path;
        int line;
    } *tables;
    uint32_t ntables;
    const char *query;      /* NULL: SELECT * FROM source */
    int query_line;
    bool null_on_row_error; /* onRowError: null; else the run fails */
    struct {
        const char *format, *path, *output_mode, *comment;
        const char **partition_by;
        uint32_t npartition_by;
        bool create;
        struct weir_settings options, properties;
        int line;
    } sink;
    weir_trigger trigger;
    int64_t trigger_ms;     /* PROCESSING_TIME */
    const char *checkpoint; /* absolute or a URI; NULL only for a sink that keeps nothing */
    struct weir_conf conf;
    struct weir_settings conf_settings;
    struct weir_yaml *tree; /* the resolved file; for printing */
};

/* The hash that spec->fingerprint holds. What goes into it is told in fingerprint.c. */
weir_rc weir_spec_fingerprint(const struct weir_spec *spec, struct weir_mem *mem, uint64_t *out, struct weir_error *err);

/* Everything lives in mem. USAGE (UNSUPPORTED for what this version refuses) with FILE:LINE. Notices about settings
 * without effect go to the log. */
weir_rc weir_spec_load(const char *file, struct weir_mem *mem, struct weir_spec **out, struct weir_error *err);
/* The file after extends, variables and defaults, as YAML, paths absolute, secrets masked; into buf. */
weir_rc weir_spec_print(const struct weir_spec *spec, struct weir_buf *buf, struct weir_error *err);

#endif
