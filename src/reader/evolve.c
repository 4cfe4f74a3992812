/* A schema that grows: unknown fields of a batch make its next version.
 *
 * A batch has one version of its own at the most. It is made here, shown to the sink by who calls, and only then kept:
 * a refusal leaves nothing behind. */
#include <inttypes.h>

#include "base/log.h"
#include "base/time.h"
#include "reader/reader_int.h"
#include "schema/merge.h"

/* The version is written already. By an earlier run of this batch, which was killed behind it, or by an earlier batch
 * that in the end had no use for it (its file went away, or the mode was another when it ran again): it is taken. A
 * later batch's means that two runs evolve one schema, and this one is behind. NOTFOUND: it is not written. */
static weir_rc
evolve_adopt(struct weir_reader *r, struct weir_store *location, int64_t batch, struct weir_error *err)
{
    struct weir_schema_version theirs;

    WEIR_TRY(weir_schema_log_read(location, r->version + 1, r->env.mem, &theirs, err));
    if (theirs.batch > batch)
        return weir_fail(err, WEIR_FENCED, "schema version %" PRId64 " of %s was brought by batch %" PRId64
                         " of another run", theirs.version, location->path, theirs.batch);
    r->data = theirs.data;
    r->version = theirs.version;
    r->widened = theirs.batch;
    return WEIR_OK;
}

/* The schema with the fields of all the batch's records. */
static weir_rc
evolve_widen(struct weir_reader *r, const struct weir_tasks *tasks, uint32_t *added, struct weir_error *err)
{
    enum { NEW_COLUMNS_MAX = 200 };
    const struct weir_type *seen, *merged;

    WEIR_TRY(reader_survey(r, tasks, &seen, err));
    WEIR_TRY(weir_schema_merge(r->data, seen, NEW_COLUMNS_MAX, r->env.mem, &merged, added, err));
    if (*added > 0)
        r->data = merged;
    return WEIR_OK;
}

weir_rc
weir_reader_evolve(struct weir_reader *r, struct weir_store *location, const struct weir_tasks *tasks,
                   const struct weir_task *first, int64_t batch, bool *changed, struct weir_error *err)
{
    uint32_t added = 0;
    weir_rc rc;

    *changed = false;
    if (r->widened == batch) /* what is unknown still was left out on purpose */
        return WEIR_OK;
    rc = evolve_adopt(r, location, batch, err);
    *changed = rc == WEIR_OK;
    if (rc == WEIR_NOTFOUND) {
        weir_error_clear(err);
        WEIR_GO(evolve_widen(r, tasks, &added, err));
        r->widened = batch;
        *changed = added > 0;
        if (*changed)
            r->unkept = (struct weir_schema_version){.version = r->version + 1,
                                                     .data = r->data,
                                                     .partition = r->partition,
                                                     .batch = batch,
                                                     .file = task_name(first),
                                                     .time_ms = weir_now_ms()};
    }
    WEIR_GO(rc);
    if (*changed)
        WEIR_GO(weir_reader_bind(r, r->metadata >= 0, err));
    if (added > 0)
        weir_info("%" PRIu32 " new column%s, the first in %s", added, added == 1 ? "" : "s", task_name(first));
out:
    return rc;
}

weir_rc
weir_reader_keep(struct weir_reader *r, struct weir_store *location, struct weir_error *err)
{
    weir_rc rc;

    if (r->unkept.data == NULL) /* taken from an earlier run */
        return WEIR_OK;
    rc = weir_schema_log_write(location, &r->unkept, err);
    if (rc == WEIR_EXISTS)
        return weir_fail(err, WEIR_FENCED, "schema version %" PRId64 " of %s was written by another run meanwhile",
                         r->unkept.version, location->path);
    WEIR_TRY(rc);
    weir_info("schema version %" PRId64 " is kept in %s", r->unkept.version, location->path);
    r->version = r->unkept.version;
    r->unkept = (struct weir_schema_version){0};
    return WEIR_OK;
}
