/* One batch as Spark's StreamingQueryProgress prints it, keys in Spark's order, then weir's own facts. */
#include <inttypes.h>
#include <string.h>

#include "base/time.h"
#include "pipeline/pipeline.h"

static void
put_text(struct weir_buf *buf, const char *key, const char *text)
{
    weir_buf_printf(buf, ",\"%s\":", key);
    if (text == NULL)
        weir_buf_str(buf, "null");
    else
        weir_buf_json(buf, text, strlen(text));
}

/* An offset is JSON already. */
static void
put_offset(struct weir_buf *buf, const char *key, const char *offset)
{
    weir_buf_printf(buf, ",\"%s\":%s", key, offset == NULL ? "null" : offset);
}

static void
put_rates(struct weir_buf *buf, const struct weir_progress *g)
{
    double us = (double)g->result->us.total;

    weir_buf_printf(buf, ",\"numInputRows\":%" PRIu64 ",\"inputRowsPerSecond\":%.6g,\"processedRowsPerSecond\":%.6g",
                    g->result->rows, g->input_rows_per_second,
                    us > 0 ? (double)g->result->rows * 1e6 / us : 0.0);
}

static void
put_durations(struct weir_buf *buf, const struct weir_batch_result *r)
{
    weir_buf_printf(buf,
                    ",\"durationMs\":{\"addBatch\":%" PRId64 ",\"commitOffsets\":%" PRId64 ",\"getBatch\":%" PRId64
                    ",\"latestOffset\":%" PRId64 ",\"queryPlanning\":%" PRId64 ",\"triggerExecution\":%" PRId64
                    ",\"walCommit\":%" PRId64 "}",
                    r->us.add / 1000, r->us.commit / 1000, r->us.tasks / 1000, r->us.latest / 1000, r->us.bind / 1000,
                    r->us.total / 1000, r->us.plan / 1000);
}

static void
put_weir(struct weir_buf *buf, const struct weir_pipeline *p, const struct weir_progress *g)
{
    const struct weir_batch_result *r = g->result;

    weir_buf_printf(buf,
                    ",\"weir\":{\"replay\":%s,\"alreadyCommitted\":%s,\"inputFiles\":%" PRIu64 ",\"inputBytes\":%" PRIu64
                    ",\"numSkippedMissingFiles\":%" PRIu64 ",\"numSkippedCorruptFiles\":%" PRIu64
                    ",\"numRescuedRows\":%" PRIu64 ",\"numCorruptRecords\":%" PRIu64 ",\"numBlankLines\":%" PRIu64
                    ",\"numDroppedRecords\":%" PRIu64 ",\"valuesLost\":%" PRIu64 ",\"schemaVersion\":%" PRId64
                    ",\"tableVersion\":%" PRId64 ",\"outputFiles\":%" PRIu64 ",\"outputBytes\":%" PRIu64
                    ",\"peakMemoryBytes\":%" PRIu64 "}",
                    g->replay ? "true" : "false", r->sink.already ? "true" : "false", r->files, r->bytes,
                    r->missing, r->damaged,
                    r->count.rescued, r->count.corrupt, r->count.blank, r->count.dropped, r->count.lost,
                    weir_reader_schema_version(p->reader), r->sink.version, r->sink.files, r->sink.bytes,
                    atomic_load(&p->quota.peak));
}

weir_rc
weir_progress_print(const struct weir_pipeline *p, const struct weir_progress *g, struct weir_buf *buf,
                    struct weir_error *err)
{
    const char *id = p->checkpoint == NULL ? NULL : weir_checkpoint_id(p->checkpoint);
    char time[WEIR_ISO_SIZE];

    weir_buf_str(buf, "{\"id\":");
    weir_buf_json(buf, id == NULL ? p->run_id : id, strlen(id == NULL ? p->run_id : id));
    put_text(buf, "runId", p->run_id);
    put_text(buf, "name", p->spec->name);
    put_text(buf, "timestamp", weir_time_iso(g->rec->time_ms, time));
    weir_buf_printf(buf, ",\"batchId\":%" PRId64 ",\"batchDuration\":%" PRId64, g->rec->id, g->result->us.total / 1000);
    put_rates(buf, g);
    put_durations(buf, g->result);
    weir_buf_str(buf, ",\"stateOperators\":[],\"sources\":[{\"description\":");
    weir_buf_json(buf, p->source_type->describe(p->source), strlen(p->source_type->describe(p->source)));
    put_offset(buf, "startOffset", g->from);
    put_offset(buf, "endOffset", g->rec->offset);
    put_offset(buf, "latestOffset", NULL);
    put_rates(buf, g);
    weir_buf_str(buf, "}],\"sink\":{\"description\":");
    weir_buf_json(buf, p->sink_type->describe(p->sink), strlen(p->sink_type->describe(p->sink)));
    weir_buf_printf(buf, ",\"numOutputRows\":%" PRId64 "}",
                    g->result->sink.already ? (int64_t)0 : (int64_t)g->result->sink.rows);
    put_weir(buf, p, g);
    weir_buf_byte(buf, '}');
    return weir_buf_check(buf, err);
}
