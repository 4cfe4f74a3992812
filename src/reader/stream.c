/* Objects to blocks of whole records.
 *
 * 1. A lane works on an object of its own while there are enough; then it joins one that another lane reads. The
 *    bytes are read, inflated and cut under the object's lock, one block a turn; the block is decoded outside it. So
 *    one large file, compressed or not, keeps all lanes busy.
 * 2. A block ends at a record's end, which the format names; the rest is carried to the front of the next one.
 * 3. A record longer than a block makes the block grow, up to weir.maxRecordBytes; beyond that the object fails by
 *    name and offset. Nothing is cut in silence.
 * 4. An object must be the same when its last byte has been read as when its first was: else the batch fails, since
 *    its bytes may be torn.
 * A lane asks for a block only when it holds none, so the pool's ceiling cannot lock lanes against each other. */
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "reader/reader_int.h"

enum { RAW_BYTES = 128 * 1024, CHARACTER_MAX = 8 };

const char *
task_name(const struct weir_task *task)
{
    return task->key != NULL ? task->key : task->name;
}

void
task_uri(const struct weir_task *task, struct weir_buf *buf)
{
    if (task->store != NULL)
        weir_store_uri(task->store, task->key, buf);
    else
        weir_buf_str(buf, task->name);
}

static bool
task_is_gone(const struct stream *s, weir_rc rc)
{
    return rc == WEIR_NOTFOUND && s->scan->r->opt.ignore_missing;
}

static void
stream_close(struct stream *s)
{
    struct weir_quota *q = s->scan->env.quota;

    weir_input_close(s->in);
    s->in = NULL;
    weir_inflate_free(s->inflate);
    s->inflate = NULL;
    transcode_free(s->transcode);
    s->transcode = NULL;
    weir_heap_free(q, s->raw, RAW_BYTES);
    s->raw = NULL;
    weir_buf_fini(&s->carry);
}

static weir_rc
stream_open(struct stream *s, struct weir_error *err)
{
    const struct weir_task *task = s->task;
    struct weir_quota *q = s->scan->env.quota;
    weir_compression how = WEIR_RAW;

    s->opened = true;
    s->first = true;
    s->offset = task->from > 0 ? task->from : 0;
    weir_buf_init(&s->carry, s->scan->r->env.max_record_bytes + WEIR_BLOCK_BYTES, q);
    WEIR_TRY(transcode_new(s->scan->r->opt.encoding, &s->transcode, err));
    if (task->store == NULL) {
        s->raw_at = task->block->data;
        s->raw_left = task->block->len;
        s->raw_eof = true;
        return WEIR_OK;
    }
    how = weir_compression_of(task->key);
    WEIR_TRY(weir_store_head(task->store, task->key, &s->at_open, err));
    WEIR_TRY(weir_input_open(task->store, task->key, s->offset, &s->in, err));
    if (how != WEIR_RAW)
        WEIR_TRY(weir_inflate_new(how, q, &s->inflate, err));
    if (s->inflate != NULL || s->transcode != NULL) {
        s->raw = weir_heap_alloc(q, RAW_BYTES);
        if (s->raw == NULL)
            return weir_fail(err, WEIR_NOMEM, "no memory to read; raise weir.memoryLimit");
        s->raw_at = s->raw;
    }
    return WEIR_OK;
}

/* Plain bytes of the object as they stand in the store. */
static weir_rc
stream_raw(struct stream *s, void *p, size_t room, size_t *got, struct weir_error *err)
{
    const struct weir_task *task = s->task;

    if (task->to >= 0) {
        uint64_t left = (uint64_t)(task->to - (task->from > 0 ? task->from : 0)) - s->raw_bytes;

        room = room < left ? room : (size_t)left;
        if (room == 0) {
            *got = 0;
            return WEIR_OK;
        }
    }
    WEIR_TRY(weir_input_read(s->in, p, room, got, err));
    s->raw_bytes += *got;
    atomic_fetch_add(&s->scan->bytes, *got);
    return WEIR_OK;
}

/* Some bytes after inflating and transcoding. END: there are no more. */
static weir_rc
stream_read(struct stream *s, char *p, size_t room, size_t *got, struct weir_error *err)
{
    if (s->in != NULL && s->raw == NULL) {
        WEIR_TRY(stream_raw(s, p, room, got, err));
        return *got == 0 ? WEIR_END : WEIR_OK;
    }
    for (;;) {
        weir_rc rc;

        /* A few bytes may be left over: a character that was cut. */
        if (s->raw_left < CHARACTER_MAX && !s->raw_eof) {
            size_t more;

            memmove(s->raw, s->raw_at, s->raw_left);
            WEIR_TRY(stream_raw(s, s->raw + s->raw_left, RAW_BYTES - s->raw_left, &more, err));
            s->raw_at = s->raw;
            s->raw_left += more;
            s->raw_eof = more == 0;
        }
        if (s->transcode != NULL && s->inflate != NULL)
            return weir_fail(err, WEIR_UNSUPPORTED, "a compressed file in encoding %s is not read",
                             s->scan->r->opt.encoding);
        if (s->transcode != NULL) {
            rc = transcode_step(s->transcode, &s->raw_at, &s->raw_left, s->raw_eof, p, room, got, err);
        } else if (s->inflate != NULL) {
            rc = weir_inflate_step(s->inflate, &s->raw_at, &s->raw_left, s->raw_eof, p, room, got, err);
        } else {
            *got = s->raw_left < room ? s->raw_left : room;
            memcpy(p, s->raw_at, *got);
            s->raw_at += *got;
            s->raw_left -= *got;
            rc = *got == 0 ? WEIR_END : WEIR_OK;
        }
        if (rc != WEIR_OK || *got > 0)
            return rc;
    }
}

static weir_rc
stream_same(struct stream *s, struct weir_error *err)
{
    struct weir_object now;

    if (s->task->store == NULL)
        return WEIR_OK;
    WEIR_TRY(weir_store_head(s->task->store, s->task->key, &now, err));
    if (now.size == s->at_open.size && now.mtime_ms == s->at_open.mtime_ms)
        return WEIR_OK;
    weir_fail(err, WEIR_IO, "the file changed while it was read");
    return weir_error_hint(err, "write files under another name and rename them when they are complete; the batch "
                                "has written nothing and runs again at the next start");
}

/* Fills block behind its len until it is full or the object ends. */
static weir_rc
stream_fill(struct stream *s, struct weir_block *block, struct weir_error *err)
{
    while (block->len < block->cap && !s->drained) {
        size_t got = 0;
        weir_rc rc = stream_read(s, block->data + block->len, block->cap - block->len, &got, err);

        if (rc == WEIR_END) {
            s->drained = true;
            WEIR_TRY(stream_same(s, err));
        } else if (rc == WEIR_CORRUPT && s->scan->r->opt.ignore_corrupt) {
            weir_warn("%s: %s; the rest is passed over (ignoreCorruptFiles)", task_name(s->task), err->what);
            weir_error_clear(err);
            atomic_fetch_add(&s->scan->damaged, 1);
            s->drained = true;
        } else if (rc != WEIR_OK) {
            return rc;
        }
        block->len += got;
        WEIR_TRY(weir_stop_check(s->scan->r->env.stop, err));
    }
    return WEIR_OK;
}

static weir_rc
record_too_long(struct stream *s, struct weir_error *err)
{
    weir_fail(err, WEIR_BADDATA, "the record at byte %" PRId64 " is longer than %" PRIu64 " bytes", s->offset,
              s->scan->r->env.max_record_bytes);
    return weir_error_hint(err, "raise weir.maxRecordBytes if the record is good, or set lineSep or multiLine to what "
                                "the file really has");
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
        *cut = format->cut(s->scan->r->format_opt, &s->cut, block->data, block->len, s->drained);
        if (*cut > 0 || s->drained)
            break;
        if (block->len > s->scan->r->env.max_record_bytes)
            WEIR_GO(record_too_long(s, err));
        WEIR_GO(weir_block_grow(&block, block->cap * 2, err));
    }
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
                                 .entry = entry};
    s->offset += (int64_t)cut;
    s->first = false;
    return WEIR_OK;
}

weir_rc
stream_next(struct stream *s, struct weir_records *rec, struct weir_error *err)
{
    weir_rc rc;

    pthread_mutex_lock(&s->lock);
    if (s->ended) {
        rc = WEIR_END;
    } else {
        rc = stream_step(s, rec, err);
        if (task_is_gone(s, rc)) {
            weir_warn("%s is gone; passed over (ignoreMissingFiles)", task_name(s->task));
            weir_error_clear(err);
            atomic_fetch_add(&s->scan->missing, 1);
            rc = WEIR_END;
        }
        if (rc != WEIR_OK) {
            s->ended = true;
            stream_close(s);
            if (rc == WEIR_END)
                atomic_fetch_add(&s->scan->objects, 1);
        }
    }
    pthread_mutex_unlock(&s->lock);
    if (rc == WEIR_NOTFOUND)
        weir_error_hint(err, "the file was there when the batch was planned; bring it back, or set ignoreMissingFiles: "
                             "true to go on without it");
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
