/* Lines of an object of any size, in bounded memory. store.h has the contract.
 *
 * 1. The buffer holds at most one line of `max` bytes and one block that was read with it.
 * 2. A text without a \n at its end has a last line all the same; an empty object has none.
 * Threads: one owner. A failure leaves the reader to be closed. */
#include "store/store.h"

#include <inttypes.h>
#include <string.h>

#include "base/limits.h"

enum { LINES_BLOCK = 64 * 1024 };

weir_rc
weir_lines_open(struct weir_lines *lines, struct weir_store *st, const char *key, size_t max, struct weir_quota *q,
                struct weir_error *err)
{
    memset(lines, 0, sizeof(*lines));
    weir_buf_init(&lines->buf, max + LINES_BLOCK + 2, q);
    lines->max = max;
    return weir_input_open(st, key, 0, &lines->in, err);
}

void
weir_lines_close(struct weir_lines *lines)
{
    weir_input_close(lines->in);
    lines->in = NULL;
    weir_buf_fini(&lines->buf);
}

/* Drops the lines already given out, reads one block. */
static weir_rc
lines_fill(struct weir_lines *lines, struct weir_error *err)
{
    struct weir_buf *buf = &lines->buf;
    size_t got;
    char *room;

    if (lines->at > 0) {
        memmove(buf->data, buf->data + lines->at, buf->len - lines->at);
        buf->len -= lines->at;
        lines->seen -= lines->at;
        lines->at = 0;
    }
    if (buf->len > lines->max + 1)
        return weir_fail(err, WEIR_CORRUPT, "line %" PRIu64 " is longer than %zu bytes", lines->line + 1, lines->max);
    room = weir_buf_room(buf, LINES_BLOCK);
    if (room == NULL)
        return weir_buf_check(buf, err);
    WEIR_TRY(weir_input_read(lines->in, room, LINES_BLOCK, &got, err));
    weir_buf_used(buf, got);
    lines->ended = got == 0;
    return WEIR_OK;
}

weir_rc
weir_lines_next(struct weir_lines *lines, const char **line, size_t *len, struct weir_error *err)
{
    struct weir_buf *buf = &lines->buf;
    const char *nl = NULL;
    size_t end;

    for (;;) {
        if (buf->len > lines->seen)
            nl = memchr(buf->data + lines->seen, '\n', buf->len - lines->seen);
        if (nl != NULL || lines->ended)
            break;
        lines->seen = buf->len;
        WEIR_TRY(lines_fill(lines, err));
    }
    if (nl == NULL && lines->at == buf->len)
        return WEIR_END;
    end = nl != NULL ? (size_t)(nl - buf->data) : buf->len;
    *line = buf->data + lines->at;
    *len = end - lines->at;
    lines->at = lines->seen = nl != NULL ? end + 1 : end;
    if (*len > 0 && (*line)[*len - 1] == '\r')
        --*len;
    if (*len > lines->max)
        return weir_fail(err, WEIR_CORRUPT, "line %" PRIu64 " is longer than %zu bytes", lines->line + 1, lines->max);
    lines->line++;
    return WEIR_OK;
}
