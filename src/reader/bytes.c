/* The bytes of an object as the format sees them: read from the store (or a block that the source has fetched),
 * inflated when the name says that they are compressed, in UTF-8 whatever the encoding was.
 *
 * 1. Each step has one window of fixed size in front of it, so memory does not grow with the object.
 * 2. A window that has fewer than CHARACTER_MAX bytes is filled up before its step runs: a character that the last
 *    read cut in two is whole then.
 * 3. An object must be the same when its last byte has been read as when its first was: else the batch fails, since
 *    its bytes may be torn. One that was removed meanwhile has been read whole, when as many bytes came as it had. */
#include <string.h>

#include "base/limits.h"
#include "reader/reader_int.h"

enum { WINDOW_BYTES = 128 * 1024, CHARACTER_MAX = 8 };

typedef weir_rc bytes_step(struct bytes *b, char *p, size_t room, size_t *got, struct weir_error *err);

static weir_rc
window_open(struct window *w, struct weir_quota *q, struct weir_error *err)
{
    w->mem = weir_heap_alloc(q, WINDOW_BYTES);
    if (w->mem == NULL)
        return weir_heap_fail(q, WINDOW_BYTES, "a window of input", err);
    w->at = w->mem;
    return WEIR_OK;
}

/* Fills w with what `from` gives, unless it has enough. */
static weir_rc
window_fill(struct window *w, struct bytes *b, bytes_step *from, struct weir_error *err)
{
    size_t more = 0;
    weir_rc rc;

    if (w->left >= CHARACTER_MAX || w->eof)
        return WEIR_OK;
    memmove(w->mem, w->at, w->left);
    w->at = w->mem;
    rc = from(b, w->mem + w->left, WINDOW_BYTES - w->left, &more, err);
    w->left += more;
    w->eof = rc == WEIR_END;
    return w->eof ? WEIR_OK : rc;
}

/* --- the steps; each gives at least one byte, or END -- */

static uint64_t
bytes_start(const struct bytes *b)
{
    return b->task->from > 0 ? (uint64_t)b->task->from : 0;
}

static weir_rc
step_block(struct bytes *b, char *p, size_t room, size_t *got, struct weir_error *err)
{
    const struct weir_block *block = b->task->block;
    size_t left = block->len - (size_t)b->taken;

    (void)err;
    *got = left < room ? left : room;
    memcpy(p, block->data + b->taken, *got);
    b->taken += *got;
    return *got == 0 ? WEIR_END : WEIR_OK;
}

static weir_rc
step_store(struct bytes *b, char *p, size_t room, size_t *got, struct weir_error *err)
{
    *got = 0;
    if (b->task->to >= 0) {
        uint64_t left = (uint64_t)b->task->to - bytes_start(b) - b->taken;

        room = room < left ? room : (size_t)left;
        if (room == 0)
            return WEIR_END;
    }
    WEIR_TRY(weir_input_read(b->in, p, room, got, err));
    b->taken += *got;
    return *got == 0 ? WEIR_END : WEIR_OK;
}

static weir_rc
step_raw(struct bytes *b, char *p, size_t room, size_t *got, struct weir_error *err)
{
    return b->in == NULL ? step_block(b, p, room, got, err) : step_store(b, p, room, got, err);
}

static weir_rc
step_inflate(struct bytes *b, char *p, size_t room, size_t *got, struct weir_error *err)
{
    struct window *w = &b->raw;
    weir_rc rc;

    do {
        WEIR_TRY(window_fill(w, b, step_raw, err));
        rc = weir_inflate_step(b->inflate, &w->at, &w->left, w->eof, p, room, got, err);
    } while (rc == WEIR_OK && *got == 0);
    return rc;
}

static weir_rc
step_transcode(struct bytes *b, char *p, size_t room, size_t *got, struct weir_error *err)
{
    struct window *w = b->inflate != NULL ? &b->plain : &b->raw;
    weir_rc rc;

    do {
        WEIR_TRY(window_fill(w, b, b->inflate != NULL ? step_inflate : step_raw, err));
        rc = transcode_step(b->transcode, &w->at, &w->left, w->eof, p, room, got, err);
    } while (rc == WEIR_OK && *got == 0);
    return rc;
}

weir_rc
bytes_read(struct bytes *b, char *p, size_t room, size_t *got, struct weir_error *err)
{
    WEIR_ASSERT(room >= BYTES_ROOM);
    if (b->transcode != NULL)
        return step_transcode(b, p, room, got, err);
    return b->inflate != NULL ? step_inflate(b, p, room, got, err) : step_raw(b, p, room, got, err);
}

/* --- the whole --- */

weir_rc
bytes_open(struct bytes *b, const struct weir_task *task, const char *encoding, struct weir_quota *q,
           struct weir_error *err)
{
    weir_compression how = task->store == NULL ? WEIR_RAW : weir_compression_of(task->key);

    b->task = task;
    b->q = q;
    WEIR_TRY(transcode_new(encoding, &b->transcode, err));
    if (task->store != NULL) {
        WEIR_TRY(weir_compression_check(task->key, err));
        WEIR_TRY(weir_store_head(task->store, task->key, &b->at_open, err));
        if (task->pinned && b->at_open.mtime_ms != task->mtime_ms)
            return WEIR_END;
        WEIR_TRY(weir_input_open(task->store, task->key, (int64_t)bytes_start(b), &b->in, err));
    }
    if (how != WEIR_RAW)
        WEIR_TRY(weir_inflate_new(how, q, &b->inflate, err));
    if (b->inflate != NULL || b->transcode != NULL)
        WEIR_TRY(window_open(&b->raw, q, err));
    if (b->inflate != NULL && b->transcode != NULL)
        WEIR_TRY(window_open(&b->plain, q, err));
    return WEIR_OK;
}

weir_rc
bytes_same(struct bytes *b, struct weir_error *err)
{
    const struct weir_task *task = b->task;
    bool whole = task->store == NULL || task->to >= 0 ||
                 bytes_start(b) + b->taken == (uint64_t)b->at_open.size;
    struct weir_object now;
    weir_rc rc;

    if (task->store == NULL)
        return WEIR_OK;
    rc = weir_store_head(task->store, task->key, &now, err);
    if (rc == WEIR_NOTFOUND && whole) {
        weir_error_clear(err);
        return WEIR_OK;
    }
    WEIR_TRY(rc);
    if (whole && now.size == b->at_open.size && now.mtime_ms == b->at_open.mtime_ms)
        return WEIR_OK;
    weir_fail(err, WEIR_IO, "the file changed while it was read");
    return weir_error_hint(err, "write files under another name and rename them when they are complete; the "
                                "batch has written nothing and runs again at the next start");
}

void
bytes_close(struct bytes *b)
{
    weir_input_close(b->in);
    weir_inflate_free(b->inflate);
    transcode_free(b->transcode);
    weir_heap_free(b->q, b->raw.mem, WINDOW_BYTES);
    weir_heap_free(b->q, b->plain.mem, WINDOW_BYTES);
    *b = (struct bytes){0};
}
