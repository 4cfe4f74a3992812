/* Counting a table's files, and telling its history. delta/summary.h.
 *
 * Statistics are foreign text: what cannot be understood counts as missing.
 * Threads: one owner. */
#include "delta/summary.h"

#include <float.h>
#include <inttypes.h>

#include "base/limits.h"
#include "base/str.h"
#include "column/text.h"
#include "delta/feature.h"
#include "delta/files.h"
#include "delta/mapping.h"

/* --- bounds --------------------------------------------------------------------------------------------- */

/* Cut where it is too long for a table, and where the writer cut it: a maximum then ends in the byte 0x7f. */
static void
bound_text(char out[WEIR_SUMMARY_TEXT], const char *text)
{
    size_t n = strlen(text);

    if (n > 0 && n < WEIR_SUMMARY_TEXT - 4 && text[n - 1] == 0x7f) {
        memcpy(out, text, n - 1);
        memcpy(out + n - 1, "\xe2\x80\xa6", 4);
    } else if (n >= WEIR_SUMMARY_TEXT) {
        n = WEIR_SUMMARY_TEXT - 4;
        while (n > 0 && (text[n] & 0xc0) == 0x80)
            n--;
        memcpy(out, text, n);
        memcpy(out + n, "\xe2\x80\xa6", 4);
    } else {
        memcpy(out, text, n + 1);
    }
}

static bool
bound_is_real(const struct weir_summary_column *c)
{
    return c->kind == WEIR_FLOAT || c->kind == WEIR_DOUBLE || c->kind == WEIR_DECIMAL;
}

/* A bound of FLOAT, DOUBLE or DECIMAL. */
static void
bound_take_real(struct weir_summary_column *c, double d, bool max)
{
    double *at = max ? &c->max_num.d : &c->min_num.d;
    char *text = max ? c->max : c->min;

    if (c->any && !(max ? d > *at : d < *at))
        return;
    *at = d;
    if (c->kind == WEIR_DECIMAL)
        snprintf(text, WEIR_SUMMARY_TEXT, "%.*f", c->scale, d);
    else
        text[weir_double_print(d, text)] = '\0';
}

/* One bound of one file into the table's. Texts compare by bytes: right for strings, dates and times of one
 * form. */
static bool
bound_take(struct weir_summary_column *c, const json_t *v, bool max)
{
    char text[WEIR_SUMMARY_TEXT];

    if (bound_is_real(c)) {
        if (json_is_number(v))
            bound_take_real(c, json_number_value(v), max);
        return json_is_number(v);
    }
    if (json_is_integer(v)) {
        int64_t i = json_integer_value(v);
        int64_t *at = max ? &c->max_num.i : &c->min_num.i;

        if (!c->any || (max ? i > *at : i < *at)) {
            *at = i;
            snprintf(max ? c->max : c->min, WEIR_SUMMARY_TEXT, "%" PRId64, i);
        }
        return true;
    }
    if (json_is_string(v)) {
        bound_text(text, json_string_value(v));
        if (!c->any || (max ? strcmp(text, c->max) > 0 : strcmp(text, c->min) < 0))
            memcpy(max ? c->max : c->min, text, sizeof(text));
        return true;
    }
    return false;
}

static void
summary_bounds(struct weir_summary *s, const json_t *stats)
{
    const json_t *min = json_object_get(stats, "minValues"), *max = json_object_get(stats, "maxValues");

    for (uint32_t i = 0; i < s->ncolumns; i++) {
        struct weir_summary_column *c = &s->columns[i];
        const json_t *lo = json_object_get(min, c->physical), *hi = json_object_get(max, c->physical);
        const json_t *nulls = json_object_get(json_object_get(stats, "nullCount"), c->physical);

        if (lo == NULL && hi == NULL && json_is_integer(nulls) &&
            json_integer_value(nulls) == json_integer_value(json_object_get(stats, "numRecords")))
            continue; /* nothing but null in this file */
        if (lo == NULL || hi == NULL || !bound_take(c, lo, false) || !bound_take(c, hi, true))
            c->partial = true;
        else
            c->any = true;
    }
}

/* numRecords of a file less what its deletion vector takes away; -1: not said. */
static int64_t
file_rows(const char *text, int64_t dead, json_t **stats)
{
    struct weir_error ignored = {0};
    const json_t *n;

    *stats = NULL;
    if (text == NULL || weir_json_load(text, strlen(text), stats, &ignored) != WEIR_OK)
        return -1;
    n = json_object_get(*stats, "numRecords");
    if (!json_is_integer(n) || json_integer_value(n) < dead || dead < 0)
        return -1;
    return json_integer_value(n) - dead;
}

static void
summary_file(struct weir_summary *s, const struct weir_file *f)
{
    json_t *stats;
    int64_t rows = file_rows(f->stats, f->dv.cardinality, &stats);

    s->files++;
    s->bytes += f->size > 0 ? (uint64_t)f->size : 0;
    if (rows >= 0)
        s->rows += (uint64_t)rows;
    else
        s->files_unknown++;
    if (f->dv.type != 0)
        s->deletion_vectors++;
    if (stats != NULL) {
        summary_bounds(s, stats);
    } else {
        for (uint32_t i = 0; i < s->ncolumns; i++)
            s->columns[i].partial = true;
    }
    json_decref(stats);
}

static weir_rc
summary_columns(struct weir_summary *s, struct weir_error *err)
{
    const struct weir_snapshot *snap = s->snap;
    const struct weir_type *schema = snap->meta.schema, *physical;
    weir_mapping_mode mode;

    WEIR_TRY(weir_mapping_of(&snap->protocol, &snap->meta, &mode, err));
    WEIR_TRY(weir_mapping_physical(schema, mode, snap->mem, &physical, err));
    for (uint32_t i = 0; i < schema->nfields && s->ncolumns < WEIR_SUMMARY_COLUMNS; i++) {
        const struct weir_field *f = &schema->fields[i];
        weir_kind k = f->type->kind;

        /* Long decimals stay out: a JSON number has gone through a double. */
        if (weir_kind_is_nested(k) || k == WEIR_BOOLEAN || k == WEIR_BINARY || k == WEIR_VOID ||
            (k == WEIR_DECIMAL && f->type->precision > DBL_DIG) || weir_metadata_partition(&snap->meta, f->name) >= 0)
            continue;
        s->columns[s->ncolumns++] = (struct weir_summary_column){
            .name = f->name, .physical = physical->fields[i].name, .kind = k, .scale = f->type->scale};
    }
    return WEIR_OK;
}

weir_rc
weir_summary_read(struct weir_store *st, int64_t version, struct weir_quota *q, struct weir_summary *out,
                  struct weir_error *err)
{
    const struct weir_live_ask ask = {.what = WEIR_FILE_STATS};
    struct weir_live *files = NULL;
    struct weir_file file;
    weir_rc rc;

    *out = (struct weir_summary){0};
    WEIR_GO(weir_snapshot_at(st, version, q, &out->snap, err));
    rc = weir_feature_check_read(&out->snap->protocol, err);
    if (rc != WEIR_OK) {
        weir_error_context(err, "%s", st->path);
        goto out;
    }
    out->newest_ms = out->snap->written_ms;
    WEIR_GO(summary_columns(out, err));
    WEIR_GO(weir_live_open(st, out->snap, &ask, q, &files, err));
    while ((rc = weir_live_next(files, &file, err)) == WEIR_OK)
        summary_file(out, &file);
    rc = rc == WEIR_END ? WEIR_OK : rc;
out:
    weir_live_close(files);
    return rc;
}

void
weir_summary_fini(struct weir_summary *s)
{
    weir_snapshot_free(s->snap);
    *s = (struct weir_summary){0};
}

/* --- history -------------------------------------------------------------------------------------------- */

struct history_walk {
    struct weir_history h;
    struct weir_action info; /* keeps the texts until the commit is told */
    int64_t left;
    weir_rc (*fn)(void *arg, const struct weir_history *h, struct weir_error *err);
    void *arg;
};

static void
history_info(struct weir_history *h, const json_t *body)
{
    const json_t *tags = json_object_get(body, "tags"), *par = json_object_get(body, "operationParameters");
    const json_t *ict = json_object_get(body, "inCommitTimestamp"), *time = json_object_get(body, "timestamp");

    h->time_ms = json_is_integer(ict)    ? json_integer_value(ict)
                 : json_is_integer(time) ? json_integer_value(time)
                                         : INT64_MIN;
    h->operation = json_string_value(json_object_get(body, "operation"));
    h->engine = json_string_value(json_object_get(body, "engineInfo"));
    h->query_id = json_string_value(json_object_get(par, "queryId"));
    h->epoch = json_string_value(json_object_get(par, "epochId"));
    h->pipeline = json_string_value(json_object_get(tags, WEIR_TAG_PIPELINE));
    h->from = json_string_value(json_object_get(tags, "weir.source.from"));
    h->to = json_string_value(json_object_get(tags, "weir.source.to"));
}

static void
history_file(struct weir_history *h, const struct weir_action *a)
{
    int64_t rows, size = json_integer_value(json_object_get(a->body, "size"));
    const json_t *dv = json_object_get(a->body, "deletionVector");
    json_t *stats;

    if (a->kind == WEIR_ACTION_REMOVE) {
        h->removed_files++;
        return;
    }
    rows = file_rows(json_string_value(json_object_get(a->body, "stats")),
                     json_integer_value(json_object_get(dv, "cardinality")), &stats);
    json_decref(stats);
    h->added_files++;
    h->added_bytes += size > 0 ? (uint64_t)size : 0;
    h->added_rows = rows < 0 || h->added_rows < 0 ? -1 : h->added_rows + rows;
}

static weir_rc
history_line(void *arg, int64_t version, const char *line, size_t len, struct weir_error *err)
{
    struct history_walk *w = arg;
    struct weir_action a = {0};
    weir_rc rc = WEIR_OK;

    if (line == NULL) {
        w->h.version = version;
        rc = w->fn(w->arg, &w->h, err);
        weir_action_fini(&w->info);
        w->h = (struct weir_history){.time_ms = INT64_MIN};
        return rc != WEIR_OK ? rc : --w->left == 0 ? WEIR_END : WEIR_OK;
    }
    WEIR_TRY(weir_action_load(line, len, &a, err));
    if (a.kind == WEIR_ACTION_ADD || a.kind == WEIR_ACTION_REMOVE)
        history_file(&w->h, &a);
    if (a.kind == WEIR_ACTION_INFO) {
        weir_action_fini(&w->info);
        w->info = a;
        history_info(&w->h, a.body);
    } else {
        weir_action_fini(&a);
    }
    return rc;
}

weir_rc
weir_history_read(struct weir_store *st, int64_t n, struct weir_quota *q,
                  weir_rc (*fn)(void *arg, const struct weir_history *h, struct weir_error *err), void *arg,
                  struct weir_error *err)
{
    struct history_walk w = {.h = {.time_ms = INT64_MIN}, .left = n, .fn = fn, .arg = arg};
    const struct weir_log_ask ask = {.version = -1, .below = INT64_MAX, .whole = true};
    struct weir_log_range range;
    weir_rc rc;

    if (n <= 0)
        return WEIR_OK;
    WEIR_TRY(weir_log_find(st, &ask, &range, err));
    rc = weir_log_walk(st, NULL, range.last_commit, range.oldest_commit, q, history_line, &w, err);
    weir_action_fini(&w.info);
    return rc;
}
