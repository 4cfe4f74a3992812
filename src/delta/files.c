/* Files of a snapshot. delta/files.h.
 *
 * 1. The first add or remove that is seen of a (path, deletion vector) decides. A checkpoint holds each pair
 *    once, so its rows are looked up in the set and never put into it.
 * 2. Before the first file is given out it is seen that every object of the checkpoint is there and opens;
 *    only then is the choice made. What goes wrong later is an error: files have been given out, and there is
 *    no way back.
 * Threads: one owner. */
#include "delta/files.h"

#include "base/limits.h"

struct weir_live {
    struct weir_store *st;
    struct weir_quota *q;
    struct weir_live_ask ask;
    struct weir_log_range range;
    struct weir_log_cursor *tail;        /* NULL: done */
    struct weir_checkpoint_files *below; /* NULL: none */
    struct weir_file_set seen;
    struct weir_buf text; /* scratch for keys */
    struct weir_mem *mem; /* of the action given out of the tail */
    uint64_t pruned;
};

static weir_rc
files_start(struct weir_live *f, struct weir_error *err)
{
    const struct weir_log_range *r = &f->range;
    int64_t oldest = r->checkpoint.version >= 0 ? r->checkpoint.version + 1 : r->oldest;

    if (r->last_commit >= oldest)
        WEIR_TRY(weir_log_open(f->st, &f->range, r->last_commit, oldest, f->q, &f->tail, err));
    if (r->checkpoint.version >= 0)
        WEIR_TRY(weir_checkpoint_files_open(f->st, &r->checkpoint, f->ask.what, f->q, &f->below, err));
    return WEIR_OK;
}

weir_rc
weir_live_open(struct weir_store *st, const struct weir_snapshot *snap, const struct weir_live_ask *ask,
               struct weir_quota *q, struct weir_live **out, struct weir_error *err)
{
    struct weir_live *f = weir_heap_alloc(q, sizeof(*f));
    weir_rc rc;

    *out = NULL;
    if (f == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory to list a table's files");
    *f = (struct weir_live){.st = st, .q = q, .ask = *ask, .seen = {.q = q}};
    weir_buf_init(&f->text, WEIR_ACTION_MAX, q);
    f->mem = weir_mem_new(NULL, q, "files");
    if (f->mem == NULL)
        WEIR_GO(weir_fail(err, WEIR_NOMEM, "no memory to list a table's files"));
    WEIR_GO(weir_checkpoint_range(st, snap->version, q, &f->range, err));
    WEIR_GO(files_start(f, err));
    *out = f;
out:
    if (rc != WEIR_OK)
        weir_live_close(f);
    return rc;
}

void
weir_live_close(struct weir_live *f)
{
    if (f == NULL)
        return;
    weir_log_close(f->tail);
    weir_checkpoint_files_close(f->below);
    weir_file_set_fini(&f->seen);
    weir_buf_fini(&f->text);
    weir_mem_free(f->mem);
    weir_heap_free(f->q, f, sizeof(*f));
}

uint64_t
weir_live_pruned(const struct weir_live *f)
{
    return f->pruned;
}

/* One line of the tail. *found: it is the newest word about its file, and one that is asked for. */
static weir_rc
tail_line(struct weir_live *f, const char *line, size_t len, struct weir_file *out, bool *found,
          struct weir_error *err)
{
    struct weir_file_key key;
    struct weir_action a = {0};
    weir_action_kind kind;
    bool fresh;
    weir_rc rc;

    *found = false;
    if (weir_action_peek(line, len, &kind) && kind != WEIR_ACTION_ADD && kind != WEIR_ACTION_REMOVE)
        return WEIR_OK;
    WEIR_GO(weir_action_load(line, len, &a, err));
    if (a.kind != WEIR_ACTION_ADD && a.kind != WEIR_ACTION_REMOVE)
        goto out;
    weir_mem_reset(f->mem);
    WEIR_GO(weir_file_read(a.body, a.kind == WEIR_ACTION_REMOVE, f->mem, out, err));
    WEIR_GO(weir_file_key(out, &f->text, &key, err));
    WEIR_GO(weir_file_set_add(&f->seen, key, &fresh, err));
    *found = fresh && (!out->remove || (f->ask.what & WEIR_FILE_REMOVES));
out:
    weir_action_fini(&a);
    return rc;
}

/* The next of the commits; END: on to the checkpoint. */
static weir_rc
files_tail(struct weir_live *f, struct weir_file *out, struct weir_error *err)
{
    const char *line;
    int64_t version;
    size_t len;
    bool found = false;
    weir_rc rc;

    while (!found) {
        WEIR_TRY(weir_log_next(f->tail, &version, &line, &len, err));
        if (line == NULL)
            continue;
        rc = tail_line(f, line, len, out, &found, err);
        if (rc != WEIR_OK)
            return weir_log_blame(f->tail, err);
    }
    return WEIR_OK;
}

static weir_rc
files_below(struct weir_live *f, struct weir_file *out, struct weir_error *err)
{
    struct weir_file_key key;

    for (;;) {
        WEIR_TRY(weir_checkpoint_files_next(f->below, out, err));
        if (f->seen.n == 0)
            return WEIR_OK;
        WEIR_TRY(weir_file_key(out, &f->text, &key, err));
        if (!weir_file_set_has(&f->seen, key))
            return WEIR_OK;
    }
}

weir_rc
weir_live_next(struct weir_live *f, struct weir_file *out, struct weir_error *err)
{
    for (;;) {
        weir_rc rc = WEIR_END;

        if (f->tail != NULL) {
            rc = files_tail(f, out, err);
            if (rc == WEIR_END) {
                weir_log_close(f->tail);
                f->tail = NULL;
                continue;
            }
        } else if (f->below != NULL) {
            rc = files_below(f, out, err);
        }
        if (rc != WEIR_OK || f->ask.prune == NULL || out->remove || weir_prune_keeps(f->ask.prune, out))
            return rc;
        f->pruned++;
    }
}
