/* Objects to blocks of whole records.
 *
 * 1. A lane works on an object of its own while there are enough; then it joins one that another lane reads. The
 *    bytes are read, inflated and cut under the object's lock, one block a turn; the block is decoded outside it. So
 *    one large file, compressed or not, keeps all lanes busy.
 * 2. A block ends at a record's end, which the format names; the rest is carried to the front of the next one.
 * 3. A record longer than a block makes the block grow, up to weir.maxRecordBytes; beyond that the object fails by
 *    name and offset. Nothing is cut in silence.
 * 4. Offsets count the bytes that the format sees: inflated, and in UTF-8.
 * A lane asks for a block only when it holds none, so the pool's ceiling cannot lock lanes against each other. */
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "reader/reader_int.h"

const char *
task_name(const struct weir_task *task)
{
    return task->key != NULL ? task->key : task->name;
}

static void
stream_close(struct stream *s)
{
    bytes_close(&s->bytes);
    weir_buf_fini(&s->carry);
}

static weir_rc
stream_open(struct stream *s, struct weir_error *err)
{
    const struct weir_task *task = s->task;
    struct weir_quota *q = s->scan->env.quota;
    weir_rc rc;

    s->opened = true;
    s->first = task->from <= 0;
    s->offset = task->from > 0 ? task->from : 0;
    weir_buf_init(&s->carry, s->scan->r->env.max_record_bytes + WEIR_BLOCK_BYTES, q);
    rc = bytes_open(&s->bytes, task, s->scan->r->encoding, q, err);
    if (rc == WEIR_END)
        weir_warn("%s was overwritten before it was read; a later batch takes it", task_name(task));
    return rc;
}

/* The rest of the object cannot be read: said, counted, passed over. */
static void
stream_damaged(struct stream *s, struct weir_error *err)
{
    weir_warn("%s: %s; the rest is passed over (ignoreCorruptFiles)", task_name(s->task), err->what);
    weir_error_clear(err);
    atomic_fetch_add(&s->scan->damaged, 1);
    s->damaged = true;
    s->drained = true;
}

static bool
stream_is_full(const struct weir_block *block)
{
    return block->cap - block->len < BYTES_ROOM;
}

/* Fills block behind its len until it is full or the object ends. */
static weir_rc
stream_fill(struct stream *s, struct weir_block *block, struct weir_error *err)
{
    while (!stream_is_full(block) && !s->drained) {
        uint64_t before = s->bytes.taken;
        size_t got = 0;
        weir_rc rc = bytes_read(&s->bytes, block->data + block->len, block->cap - block->len, &got, err);

        atomic_fetch_add(&s->scan->bytes, s->bytes.taken - before);
        block->len += got;
        if (rc == WEIR_END) {
            s->drained = true;
            return bytes_same(&s->bytes, err);
        }
        if (rc == WEIR_CORRUPT && s->scan->r->opt.ignore_corrupt)
            stream_damaged(s, err);
        else if (rc == WEIR_CORRUPT)
            return weir_error_hint(err, "put a whole file in its place, or set the source's option ignoreCorruptFiles: "
                                        "true, which passes over the rest of it");
        else if (rc != WEIR_OK)
            return rc;
        WEIR_TRY(weir_stop_check(s->scan->r->env.stop, err));
    }
    return WEIR_OK;
}

/* Room for more of a record that fills the block. */
static weir_rc
stream_grow(struct stream *s, struct weir_block **block, struct weir_error *err)
{
    uint64_t most = s->scan->r->env.max_record_bytes, cap = (*block)->cap * 2;

    if ((*block)->len > most) {
        weir_fail(err, WEIR_BADDATA, "the record at byte %" PRId64 " is longer than %" PRIu64 " bytes", s->offset, most);
        return weir_error_hint(err, "raise weir.maxRecordBytes if the record is good, or set lineSep or multiLine to "
                                    "what the file really has");
    }
    /* The last step is no longer than it must be: a block of twice the limit would not be needed. */
    return weir_block_grow(block, cap < most + WEIR_BLOCK_BYTES / 4 ? cap : most + WEIR_BLOCK_BYTES / 4, err);
}

/* The block that holds the next whole records in its first *cut bytes. */
static weir_rc
stream_block(struct stream *s, struct weir_block **out, size_t *cut, struct weir_error *err)
{
    const struct weir_format_type *format = s->scan->r->format;
    size_t want = s->carry.len + WEIR_BLOCK_BYTES / 4;
    struct weir_block *block = NULL;
    weir_rc rc;

    WEIR_GO(weir_block_get(s->scan->pool, want > WEIR_BLOCK_BYTES ? want : 0, &block, err));
    memcpy(block->data, s->carry.data == NULL ? "" : s->carry.data, s->carry.len);
    block->len = s->carry.len;
    for (;;) {
        WEIR_GO(stream_fill(s, block, err));
        *cut = format->cut(s->scan->r->format_opt, &s->cut, block->data, block->len, s->drained && !s->damaged);
        if (*cut > 0 || s->drained)
            break;
        WEIR_GO(stream_grow(s, &block, err));
    }
    if (s->damaged)
        block->len = *cut; /* half a record is none */
    *out = block;
    block = NULL;
out:
    weir_block_put(block);
    return rc;
}

static weir_rc
stream_step(struct stream *s, struct weir_records *rec, struct weir_error *err)
{
    struct weir_cut_state entry;
    struct weir_block *block;
    size_t cut;

    if (!s->opened)
        WEIR_TRY(stream_open(s, err));
    if (s->drained && s->carry.len == 0)
        return WEIR_END;
    entry = s->cut;
    WEIR_TRY(stream_block(s, &block, &cut, err));
    weir_buf_reset(&s->carry);
    weir_buf_add(&s->carry, block->data + cut, block->len - cut);
    if (weir_buf_check(&s->carry, err) != WEIR_OK) {
        weir_block_put(block);
        return err->rc;
    }
    block->len = cut;
    block->offset = s->offset;
    weir_block_seal(block);
    *rec = (struct weir_records){.at = block->data,
                                 .end = block->data + cut,
                                 .block = block,
                                 .offset = s->offset,
                                 .first = s->first,
                                 .last = s->drained && s->carry.len == 0,
                                 .entry = entry};
    s->offset += (int64_t)cut;
    s->first = false;
    return WEIR_OK;
}

/* The object has gone before its first byte was read. Afterwards it is no matter: an open file stays readable. */
static weir_rc
stream_gone(struct stream *s, struct weir_error *err)
{
    if (s->scan->r->opt.ignore_missing) {
        weir_warn("%s is gone; passed over (ignoreMissingFiles)", task_name(s->task));
        weir_error_clear(err);
        atomic_fetch_add(&s->scan->missing, 1);
        return WEIR_END;
    }
    return weir_error_hint(err, "the file was there when the batch was planned; bring it back, or set "
                                "ignoreMissingFiles: true to go on without it");
}

weir_rc
stream_next(struct stream *s, struct weir_records *rec, struct weir_error *err)
{
    weir_rc rc = WEIR_END;

    pthread_mutex_lock(&s->lock);
    if (!s->ended) {
        rc = stream_step(s, rec, err);
        if (rc == WEIR_END)
            atomic_fetch_add(&s->scan->objects, 1);
        if (rc == WEIR_NOTFOUND)
            rc = stream_gone(s, err);
        if (rc != WEIR_OK) {
            s->ended = true;
            stream_close(s);
        }
    }
    pthread_mutex_unlock(&s->lock);
    return rc == WEIR_OK || rc == WEIR_END ? rc : weir_error_context(err, "%s", task_name(s->task));
}

struct stream *
stream_take(struct weir_scan *scan, struct weir_error *err, weir_rc *rc)
{
    struct stream *s = NULL;

    *rc = WEIR_END;
    pthread_mutex_lock(&scan->lock);
    if (scan->next_task < scan->tasks->n) {
        s = calloc(1, sizeof(*s));
        if (s == NULL) {
            *rc = weir_fail(err, WEIR_NOMEM, "no memory to open a file");
        } else {
            pthread_mutex_init(&s->lock, NULL);
            s->scan = scan;
            s->task = &scan->tasks->at[scan->next_task++];
            s->next = scan->open;
            scan->open = s;
        }
    } else {
        for (s = scan->open; s != NULL && s->done; s = s->next)
            ;
    }
    if (s != NULL)
        s->refs++;
    pthread_mutex_unlock(&scan->lock);
    return s;
}

void
stream_put(struct stream *s)
{
    struct weir_scan *scan = s->scan;
    bool last;

    pthread_mutex_lock(&scan->lock);
    s->done = true; /* who comes back with it has seen its end, or gives up */
    last = --s->refs == 0;
    if (last) {
        struct stream **link = &scan->open;

        while (*link != s)
            link = &(*link)->next;
        *link = s->next;
    }
    pthread_mutex_unlock(&scan->lock);
    if (!last)
        return;
    stream_close(s);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
