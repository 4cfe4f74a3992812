/* weir run: pipelines from their files.
 *
 * All files are read before the first pipeline starts, so a slip in the last one costs nothing. Pipelines run one
 * after another in the order given; one that fails does not keep the next from running, and the first failure gives
 * the exit status. Several are only allowed when each ends by itself.
 * What is shown: on a terminal a progress bar; where stdout is no terminal, or there is no bar, Spark's progress
 * event of each batch as one JSON line on stdout; at the end one line for people on stderr. */
#include "cli/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/time.h"
#include "cli/bar.h"
#include "pipeline/place.h"
#include "pipeline/run.h"
#include "pipeline/spec.h"

struct run {
    struct weir_cli *cli;
    struct weir_run_options opt;
    bool summary;              /* --json-summary */
    const struct weir_spec *spec;
    bool events, with_bar;
    struct weir_bar bar;
    uint64_t rows0, files0, bytes0; /* of the batches before the current one */
    uint64_t batch_files, batch_bytes;
    uint64_t left_files, left_bytes; /* after the current batch */
    struct weir_run_totals totals;
    struct weir_error out_err; /* stdout could not be written */
};

/* ---- what a run tells ---- */

static void
on_batch(void *self, int64_t batch, uint64_t files, uint64_t bytes, uint64_t files_left, uint64_t bytes_left)
{
    struct run *run = self;

    (void)batch;
    run->batch_files = files;
    run->batch_bytes = bytes;
    run->left_files = files_left;
    run->left_bytes = bytes_left;
    run->rows0 = run->bar.rows;
    run->files0 = run->bar.files;
    run->bytes0 = run->bar.bytes;
}

static uint64_t
left_of(uint64_t batch, uint64_t done, uint64_t after)
{
    return after == UINT64_MAX ? UINT64_MAX : after + (batch > done ? batch - done : 0);
}

static void
on_tick(void *self, uint64_t files, uint64_t bytes, uint64_t rows)
{
    struct run *run = self;

    run->bar.files = run->files0 + files;
    run->bar.bytes = run->bytes0 + bytes;
    run->bar.rows = run->rows0 + rows;
    run->bar.files_left = left_of(run->batch_files, files, run->left_files);
    run->bar.bytes_left = left_of(run->batch_bytes, bytes, run->left_bytes);
    if (run->with_bar)
        weir_bar_draw();
}

static void
on_progress(void *self, const char *json, size_t len)
{
    struct run *run = self;
    struct weir_buf line = WEIR_BUF(WEIR_COMMIT_MAX);

    if (!run->events || run->out_err.rc != WEIR_OK)
        return;
    weir_buf_add(&line, json, len);
    if (len == 0 || json[len - 1] != '\n')
        weir_buf_byte(&line, '\n');
    if (weir_buf_check(&line, &run->out_err) == WEIR_OK)
        weir_cli_out(line.data, line.len, &run->out_err);
    if (run->out_err.rc != WEIR_OK)
        weir_stop_ask(run->cli->stop, 0); /* nobody can read what we do: finish or drop the batch */
    weir_buf_fini(&line);
}

static void
on_done(void *self, const struct weir_run_totals *totals)
{
    ((struct run *)self)->totals = *totals;
}

/* ---- the last line ---- */

static const char *
plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void
say_summary(const struct run *run, weir_rc rc)
{
    const struct weir_run_totals *t = &run->totals;
    char text[512], rows[16], bytes[16];
    int n;

    if (weir_cli_quiet() || (rc != WEIR_OK && rc != WEIR_STOPPED && t->batches == 0))
        return;
    if (t->skipped) /* the pipeline said so, and who runs it */
        return;
    weir_bar_bytes((double)t->bytes, bytes);
    weir_bar_count(t->rows, rows);
    n = t->batches == 0
            ? snprintf(text, sizeof text, "%s: %s", run->spec->name,
                       rc == WEIR_STOPPED ? "no batch was finished" : "nothing new")
            : snprintf(text, sizeof text, "%s: %s row%s of %" PRIu64 " file%s (%s) in %" PRIu64 " batch%s", run->spec->name,
                       rows, plural(t->rows), t->files, plural(t->files), bytes, t->batches,
                       t->batches == 1 ? "" : "es");
    if (t->rescued > 0 && n < 400)
        n += snprintf(text + n, sizeof text - (size_t)n, ", %" PRIu64 " with rescued values", t->rescued);
    if (t->corrupt > 0 && n < 400)
        n += snprintf(text + n, sizeof text - (size_t)n, ", %" PRIu64 " corrupt", t->corrupt);
    if (t->values_lost > 0 && n < 400)
        n += snprintf(text + n, sizeof text - (size_t)n, ", %" PRIu64 " values lost", t->values_lost);
    if (t->dropped > 0 && n < 400)
        n += snprintf(text + n, sizeof text - (size_t)n, ", %" PRIu64 " records dropped", t->dropped);
    if (t->version >= 0 && n < 440)
        n += snprintf(text + n, sizeof text - (size_t)n, ", table version %" PRId64, t->version);
    if (n < 470)
        n += snprintf(text + n, sizeof text - (size_t)n, ", %.2f s%s", (double)t->elapsed_ms / 1000,
                      rc == WEIR_STOPPED ? ", stopped" : rc != WEIR_OK ? ", then failed" : "");
    if (weir_cli_json())
        weir_info("%s", text);
    else
        fprintf(stderr, "%s\n", text);
}

static weir_rc
print_summary(const struct run *run, weir_rc result, struct weir_error *err)
{
    const struct weir_run_totals *t = &run->totals;
    struct weir_buf buf = WEIR_BUF(WEIR_SMALL_MAX);
    weir_rc rc;

    weir_buf_str(&buf, "{\"name\":");
    weir_buf_json(&buf, run->spec->name, strlen(run->spec->name));
    weir_buf_printf(&buf, ",\"result\":\"%s\",\"skipped\":%s,\"batches\":%" PRIu64 ",\"rows\":%" PRIu64 ",\"files\":%" PRIu64,
                    weir_rc_name(result), t->skipped ? "true" : "false", t->batches, t->rows, t->files);
    weir_buf_printf(&buf, ",\"bytes\":%" PRIu64 ",\"rescued\":%" PRIu64 ",\"corrupt\":%" PRIu64, t->bytes, t->rescued,
                    t->corrupt);
    weir_buf_printf(&buf, ",\"valuesLost\":%" PRIu64 ",\"dropped\":%" PRIu64 ",\"version\":", t->values_lost, t->dropped);
    if (t->version >= 0)
        weir_buf_printf(&buf, "%" PRId64, t->version);
    else
        weir_buf_str(&buf, "null");
    weir_buf_printf(&buf, ",\"durationMs\":%" PRId64 "}\n", t->elapsed_ms);
    rc = weir_buf_check(&buf, err);
    if (rc == WEIR_OK)
        rc = weir_cli_out(buf.data, buf.len, err);
    weir_buf_fini(&buf);
    return rc;
}

/* ---- the work ---- */

static weir_rc
run_one(struct run *run, const struct weir_spec *spec, struct weir_error *err)
{
    const struct weir_run_observer obs = {run, on_batch, on_tick, on_progress, on_done};
    struct weir_error out_err = {.rc = WEIR_OK};
    weir_rc rc;

    run->spec = spec;
    run->with_bar = !weir_cli_quiet() && !weir_cli_json() && weir_bar_wanted();
    run->events = !run->summary && (!run->with_bar || !isatty(STDOUT_FILENO));
    run->totals = (struct weir_run_totals){.version = -1};
    run->out_err.rc = WEIR_OK;
    run->bar = (struct weir_bar){.name = spec->name, .files_left = UINT64_MAX, .bytes_left = UINT64_MAX,
                                 .start_us = weir_mono_us()};
    if (run->with_bar)
        weir_bar_start(&run->bar);
    rc = weir_pipeline_run(spec, &run->opt, &obs, run->cli->stop, err);
    if (run->with_bar)
        weir_bar_stop();
    say_summary(run, rc);
    if (run->summary && print_summary(run, rc, &out_err) != WEIR_OK && rc == WEIR_OK) {
        *err = out_err;
        return err->rc;
    }
    if (run->out_err.rc != WEIR_OK && (rc == WEIR_OK || rc == WEIR_STOPPED)) {
        *err = run->out_err;
        return err->rc;
    }
    return rc;
}

static bool
is_endless(const struct run *run, const struct weir_spec *spec)
{
    weir_trigger t = run->opt.has_trigger ? run->opt.trigger_override : spec->trigger;

    return t == WEIR_TRIGGER_DEFAULT || t == WEIR_TRIGGER_PROCESSING_TIME;
}

static weir_rc
load_all(struct run *run, char **files, unsigned n, struct weir_mem *mem, struct weir_spec **specs,
         struct weir_error *err)
{
    for (unsigned i = 0; i < n; i++) {
        WEIR_TRY(weir_spec_load(files[i], mem, &specs[i], err));
        if (n > 1 && is_endless(run, specs[i])) {
            weir_fail(err, WEIR_USAGE, "%s: its trigger never ends, so the other pipelines would never run", files[i]);
            return weir_error_hint(err, "start it in a process of its own, or give --available-now");
        }
        for (unsigned k = 0; k < i; k++)
            if (specs[k]->checkpoint != NULL && specs[i]->checkpoint != NULL &&
                weir_place_same(specs[k]->checkpoint, specs[i]->checkpoint))
                return weir_fail(err, WEIR_USAGE, "%s and %s have one checkpointLocation; each pipeline needs its own",
                                 files[k], files[i]);
    }
    return WEIR_OK;
}

/* Runs them in turn. An error of one is told at once when others follow. */
static weir_rc
run_all(struct run *run, struct weir_spec **specs, unsigned n, struct weir_error *err)
{
    weir_rc first = WEIR_OK, rc;

    for (unsigned i = 0; i < n; i++) {
        weir_error_clear(err);
        rc = run_one(run, specs[i], err);
        if (rc != WEIR_OK && rc != WEIR_STOPPED)
            weir_cli_report(err);
        if (first == WEIR_OK)
            first = rc;
        if (weir_stop_asked(run->cli->stop)) {
            first = first == WEIR_OK && i + 1 < n ? WEIR_STOPPED : first;
            break;
        }
    }
    weir_error_clear(err); /* told already */
    return first;
}

static weir_rc
options_from(struct weir_run_options *opt, bool available_now, bool once, const char *if_running,
             bool new_target, bool new_stream, struct weir_error *err)
{
    if (available_now && once)
        return weir_fail(err, WEIR_USAGE, "run: --available-now and --once exclude each other");
    if (new_target && new_stream)
        return weir_fail(err, WEIR_USAGE, "run: --accept-new-target and --new-stream exclude each other");
    opt->has_trigger = available_now || once;
    opt->trigger_override = once ? WEIR_TRIGGER_ONCE : WEIR_TRIGGER_AVAILABLE_NOW;
    opt->if_running = if_running == NULL ? WEIR_IF_RUNNING_FAIL
                                         : (weir_if_running)weir_cli_choice("fail|skip|wait", if_running);
    opt->accept = new_target ? WEIR_ACCEPT_NEW_TARGET : new_stream ? WEIR_ACCEPT_NEW_STREAM : WEIR_ACCEPT_NOTHING;
    return WEIR_OK;
}

weir_rc
weir_cmd_run(struct weir_cli *cli, int argc, char **argv, struct weir_error *err)
{
    bool available_now = false, once = false, new_target = false, new_stream = false;
    const char *if_running = NULL;
    struct run run = {.cli = cli};
    const struct weir_flag flags[] = {
        {"--available-now", NULL, "take what is there now, then stop, whatever the file's trigger", &available_now, NULL, NULL},
        {"--once", NULL, "the same as one batch, all limits ignored", &once, NULL, NULL},
        {"--if-running", "fail|skip|wait", "when another run holds the checkpoint; fail (exit 4) unless said", NULL,
         &if_running, NULL},
        {"--json-summary", NULL, "one JSON object on stdout at the end, instead of one event a batch", &run.summary, NULL,
         NULL},
        {"--accept-new-target", NULL, "go on although the table does not hold what the checkpoint says", &new_target, NULL,
         NULL},
        {"--new-stream", NULL, "begin a new checkpoint although the table holds this pipeline's rows", &new_stream, NULL,
         NULL},
        WEIR_FLAG_END,
    };
    const struct weir_usage usage = {"weir run", "FILE…", "Runs pipelines, one after another in the order given.", flags, 1,
                                     1000, "  weir run orders.yaml\n  weir run --available-now bronze/*.yaml > events.jsonl"};
    struct weir_quota quota;
    struct weir_mem *mem;
    struct weir_spec **specs;
    char **files;
    unsigned n;
    weir_rc rc = weir_cli_parse(&usage, argc, argv, &files, &n, err);

    if (rc != WEIR_OK)
        return rc;
    WEIR_TRY(options_from(&run.opt, available_now, once, if_running, new_target, new_stream, err));
    WEIR_TRY(weir_cli_signals(cli, err));
    weir_quota_init(&quota, cli->quota, "pipeline files", WEIR_SPEC_MEMORY);
    mem = weir_mem_new(NULL, &quota, "pipeline files");
    specs = mem == NULL ? NULL : weir_mem_zalloc(mem, n * sizeof *specs);
    if (specs == NULL)
        WEIR_GO(weir_fail(err, WEIR_NOMEM, "no memory for the pipeline files"));
    WEIR_GO(load_all(&run, files, n, mem, specs, err));
    rc = run_all(&run, specs, n, err);
out:
    weir_mem_free(mem);
    return rc;
}
