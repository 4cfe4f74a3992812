/* `conf:`: the settings of Spark and of weir that a pipeline file may name.
 *
 * Spark has some 700 settings. Those that decide what is written are honoured or refused; those that tune a cluster
 * are without effect here, one by one or by family. A test reads this table and the documentation is printed from
 * it. An entry is honoured only when something reads its field of struct weir_conf. */
#include "pipeline/spec.h"

#include <stddef.h>
#include <string.h>

#include "base/str.h"

#define AT(field) offsetof(struct weir_conf, field)
#define NONE(name, about) {name, WEIR_OPT_TEXT, WEIR_NO_EFFECT, 0, NULL, NULL, about}
#define REFUSED(name, about) {name, WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, about}

const struct weir_option weir_conf_options[] = {
    {"spark.sql.session.timeZone", WEIR_OPT_TEXT, WEIR_HONOURED, AT(time_zone), "UTC", NULL,
     "zone of texts that name none; never the machine's"},
    {"spark.sql.caseSensitive", WEIR_OPT_BOOL, WEIR_HONOURED, AT(case_sensitive), "false", NULL,
     "whether column names that differ only in case are two columns"},
    {"spark.sql.ansi.enabled", WEIR_OPT_BOOL, WEIR_HONOURED, AT(ansi), "true", NULL,
     "whether an expression of the query that cannot be computed fails, or is null; files are decoded alike"},
    {"spark.sql.columnNameOfCorruptRecord", WEIR_OPT_TEXT, WEIR_HONOURED, AT(corrupt_name), "_corrupt_record", NULL,
     "default of the option columnNameOfCorruptRecord"},
    {"spark.sql.streaming.schemaInference", WEIR_OPT_BOOL, WEIR_HONOURED, AT(schema_inference), "false", NULL,
     "whether Spark's own file source may infer a schema; cloudFiles always may"},
    {"spark.sql.streaming.fileSource.log.compactInterval", WEIR_OPT_INT, WEIR_HONOURED, AT(compact_interval), "10",
     NULL, "every how many batches the log of read files is written as one"},
    {"spark.sql.streaming.minBatchesToRetain", WEIR_OPT_INT, WEIR_HONOURED, AT(batches_to_retain), "100", NULL,
     "how many batches stay in offsets/ and commits/"},
    {"spark.sql.streaming.pollingDelay", WEIR_OPT_INTERVAL, WEIR_HONOURED, AT(polling_delay_ms), "10 ms", NULL,
     "pause before an endless trigger looks again when nothing was new"},
    {"spark.databricks.cloudFiles.schemaInference.sampleSize.numFiles", WEIR_OPT_INT, WEIR_HONOURED, AT(sample_files),
     "1000", NULL, "most files that are looked at to infer a schema"},
    {"spark.databricks.cloudFiles.schemaInference.sampleSize.numBytes", WEIR_OPT_BYTES, WEIR_HONOURED,
     AT(sample_bytes), "50g", NULL, "most bytes that are looked at to infer a schema"},
    {"spark.sql.legacy.timeParserPolicy", WEIR_OPT_CHOICE, WEIR_HONOURED, AT(time_parser), "CORRECTED",
     "CORRECTED|EXCEPTION", "dates and times are parsed by the rules of Spark 3 and later; LEGACY is refused"},
    {"weir.memoryLimit", WEIR_OPT_BYTES, WEIR_HONOURED, AT(memory_limit), "256m", NULL,
     "memory of the whole run; planned for before a batch, not only enforced"},
    {"weir.tempDirectory", WEIR_OPT_TEXT, WEIR_HONOURED, AT(temp_directory), NULL, NULL,
     "folder where a query of SQL may put what does not fit into its memory; unset: it fails instead"},
    {"weir.threads", WEIR_OPT_INT, WEIR_HONOURED, AT(threads), NULL, NULL,
     "threads that decode and encode; unset: one a core, at most 4"},
    {"weir.minCommitInterval", WEIR_OPT_INTERVAL, WEIR_HONOURED, AT(min_commit_ms), "1 second", NULL,
     "least time between two commits of an endless trigger; 0 allowed"},
    {"weir.settleTime", WEIR_OPT_INTERVAL, WEIR_HONOURED, AT(settle_ms), "2 seconds", NULL,
     "a local file younger than this waits for the next batch, since it may still be growing"},
    {"weir.maxRecordBytes", WEIR_OPT_BYTES, WEIR_HONOURED, AT(max_record_bytes), "16m", NULL,
     "longest record, at least 1m; one that needs more stops the run with its file and byte offset"},
    {"weir.onValueLost", WEIR_OPT_CHOICE, WEIR_HONOURED, AT(on_value_lost), "count", "count|quarantine|fail",
     "a value that does not fit and that no rescue or corrupt column takes: counted, or the run fails; quarantine is "
     "not in this version"},

    REFUSED("weir.maxNewColumnsPerBatch", "not in this version; 200 new columns of a batch are taken"),
    REFUSED("spark.sql.json.enablePartialResults", "the good fields of a record with a bad one are always kept"),
    REFUSED("spark.sql.streaming.checkpointLocation", "write checkpointLocation in the pipeline file"),
    REFUSED("spark.sql.files.ignoreCorruptFiles", "set the option ignoreCorruptFiles of the source"),
    REFUSED("spark.sql.files.ignoreMissingFiles", "set the option ignoreMissingFiles of the source"),
    REFUSED("spark.sql.sources.partitionColumnTypeInference.enabled", "type partition columns by schemaHints"),
    REFUSED("spark.sql.jsonGenerator.ignoreNullFields", "nothing is written as JSON"),
    REFUSED("spark.sql.legacy.json.allowEmptyString.enabled", "behaviour of Spark 2"),
    REFUSED("spark.sql.legacy.parquet.datetimeRebaseModeInWrite", "dates are always written in the Gregorian calendar"),
    REFUSED("spark.sql.parquet.datetimeRebaseModeInWrite", "dates are always written in the Gregorian calendar"),
    REFUSED("spark.sql.parquet.int96RebaseModeInWrite", "INT96 is never written"),
    REFUSED("spark.sql.parquet.outputTimestampType", "timestamps are written as INT64 microseconds"),
    REFUSED("spark.sql.parquet.writeLegacyFormat", "decimals are written in today's format"),
    REFUSED("spark.sql.parquet.compression.codec", "set the option compression of the sink"),
    REFUSED("spark.sql.sources.partitionOverwriteMode", "a stream appends"),
    REFUSED("spark.databricks.delta.schema.autoMerge.enabled", "set the option mergeSchema of the sink"),
    REFUSED("spark.databricks.delta.commitInfo.userMetadata", "set the option userMetadata of the sink"),

    NONE("spark.app.name", "the pipeline's name is used"),
    NONE("spark.master", "there is no cluster"),
    NONE("spark.default.parallelism", "weir.threads decides"),
    NONE("spark.sql.shuffle.partitions", "nothing is shuffled"),
    NONE("spark.sql.storeAssignmentPolicy", "values are never cast on the way into the table"),
    NONE("spark.sql.extensions", "Delta is built in"),
    NONE("spark.sql.warehouse.dir", "tables are named by their paths"),
    NONE("spark.sql.files.maxPartitionBytes", "files are split into blocks"),
    NONE("spark.sql.files.openCostInBytes", "files are split into blocks"),
    NONE("spark.sql.files.maxRecordsPerFile", "data files are cut by their size in memory"),
    NONE("spark.sql.json.filterPushdown.enabled", "nothing is filtered"),
    NONE("spark.sql.csv.filterPushdown.enabled", "nothing is filtered"),
    NONE("spark.sql.streaming.noDataMicroBatches.enabled", "there is no watermark to move"),
    NONE("spark.sql.streaming.metricsEnabled", "events are always written"),
    NONE("spark.sql.streaming.numRecentProgressUpdates", "events are written, not kept"),
    NONE("spark.sql.streaming.stopTimeout", "a batch has 10 seconds to end"),
    NONE("spark.sql.streaming.fileSource.log.deletion", "the log of read files is kept as Spark keeps it"),
    NONE("spark.sql.streaming.fileSource.log.cleanupDelay", "the log of read files is kept as Spark keeps it"),
    NONE("spark.sql.streaming.fileSource.schema.forceNullable", "columns are always nullable"),
    NONE("spark.sql.streaming.multipleWatermarkPolicy", "there is no watermark"),
    NONE("spark.sql.streaming.stopActiveRunOnRestart", "see weir run --if-running"),
    NONE("spark.databricks.delta.optimizeWrite.enabled", "each lane writes one file a partition"),
    NONE("spark.databricks.delta.autoCompact.enabled", "tables are not compacted"),
    NONE("spark.databricks.delta.retentionDurationCheck.enabled", "nothing is vacuumed"),
    WEIR_OPTION_END,
};

static const struct family {
    const char *prefix;
    weir_option_state state;
    const char *about;
} families[] = {
    {"spark.executor.", WEIR_NO_EFFECT, "there is no cluster"},
    {"spark.driver.", WEIR_NO_EFFECT, "there is no driver; see weir.memoryLimit"},
    {"spark.dynamicAllocation.", WEIR_NO_EFFECT, "there is no cluster"},
    {"spark.kubernetes.", WEIR_NO_EFFECT, "there is no cluster"},
    {"spark.yarn.", WEIR_NO_EFFECT, "there is no cluster"},
    {"spark.memory.", WEIR_NO_EFFECT, "see weir.memoryLimit"},
    {"spark.shuffle.", WEIR_NO_EFFECT, "nothing is shuffled"},
    {"spark.network.", WEIR_NO_EFFECT, "there is no cluster"},
    {"spark.rpc.", WEIR_NO_EFFECT, "there is no cluster"},
    {"spark.scheduler.", WEIR_NO_EFFECT, "there is no cluster"},
    {"spark.speculation", WEIR_NO_EFFECT, "there is no cluster"},
    {"spark.task.", WEIR_NO_EFFECT, "there is no cluster"},
    {"spark.ui.", WEIR_NO_EFFECT, "see weir status"},
    {"spark.eventLog.", WEIR_NO_EFFECT, "events are written on stdout"},
    {"spark.serializer", WEIR_NO_EFFECT, "nothing is serialized between machines"},
    {"spark.kryo", WEIR_NO_EFFECT, "nothing is serialized between machines"},
    {"spark.jars", WEIR_NO_EFFECT, "connectors are built in"},
    {"spark.submit.", WEIR_NO_EFFECT, "there is no cluster"},
    {"spark.sql.adaptive.", WEIR_NO_EFFECT, "there is no plan to adapt"},
    {"spark.sql.catalog.", WEIR_NO_EFFECT, "tables are named by their paths"},
    {"spark.sql.streaming.stateStore.", WEIR_NO_EFFECT, "there is no state"},
    {"spark.databricks.delta.properties.defaults.", WEIR_REFUSED, "set sink.table.properties"},
    {"spark.hadoop.", WEIR_REFUSED, "object stores are not in this version"},
};

const char *
weir_conf_family_at(unsigned at, weir_option_state *state, const char **about)
{
    if (at >= sizeof families / sizeof *families)
        return NULL;
    *state = families[at].state;
    *about = families[at].about;
    return families[at].prefix;
}

const char *
weir_conf_family(const char *key, weir_option_state *state)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (weir_str_starts(key, families[i].prefix)) {
            *state = families[i].state;
            return families[i].about;
        }
    return NULL;
}
