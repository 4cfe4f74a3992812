/* Growing buffers.
 *
 * 1. len <= max always; cap is 0 or at least len + 1, and at most max + 1.
 * 2. Once failed, nothing is added, so that a text is never one with a hole in it. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

enum { BUF_MIN = 128 };

void
weir_buf_init(struct weir_buf *buf, size_t max, struct weir_quota *q)
{
    *buf = (struct weir_buf){.max = max, .q = q};
}

void
weir_buf_fini(struct weir_buf *buf)
{
    weir_heap_free(buf->q, buf->data, buf->cap);
    buf->data = NULL;
    buf->len = buf->cap = 0;
}

void
weir_buf_reset(struct weir_buf *buf)
{
    buf->len = 0;
    buf->failed = false;
    if (buf->data != NULL)
        buf->data[0] = '\0';
}

static bool
buf_resize(struct weir_buf *buf, size_t cap)
{
    char *data = weir_heap_grow(buf->q, buf->data, buf->cap, cap);

    if (data == NULL)
        return false;
    buf->data = data;
    buf->cap = cap;
    return true;
}

/* Room for n more bytes and the NUL. */
static bool
buf_grow(struct weir_buf *buf, size_t n)
{
    size_t need, cap;

    if (n > buf->max - buf->len || buf->max == SIZE_MAX)
        return false;
    need = buf->len + n + 1;
    if (need <= buf->cap)
        return true;
    cap = buf->cap < BUF_MIN ? BUF_MIN : buf->cap;
    while (cap < need)
        cap = cap > buf->max / 2 ? buf->max + 1 : cap * 2;
    if (cap > buf->max + 1)
        cap = buf->max + 1;
    /* Near a quota's limit, doubling may be too much where the bytes alone fit. */
    return buf_resize(buf, cap) || (need < cap && buf_resize(buf, need));
}

char *
weir_buf_room(struct weir_buf *buf, size_t n)
{
    if (buf->failed || !buf_grow(buf, n)) {
        buf->failed = true;
        return NULL;
    }
    return buf->data + buf->len;
}

void
weir_buf_used(struct weir_buf *buf, size_t n)
{
    if (buf->failed)
        return;
    WEIR_ASSERT(buf->cap - buf->len > n);
    buf->len += n;
    buf->data[buf->len] = '\0';
}

void
weir_buf_add(struct weir_buf *buf, const void *p, size_t n)
{
    char *room = weir_buf_room(buf, n);

    if (room == NULL)
        return;
    if (n > 0)
        memcpy(room, p, n);
    weir_buf_used(buf, n);
}

void
weir_buf_str(struct weir_buf *buf, const char *s)
{
    weir_buf_add(buf, s, strlen(s));
}

void
weir_buf_byte(struct weir_buf *buf, char c)
{
    weir_buf_add(buf, &c, 1);
}

void
weir_buf_printf(struct weir_buf *buf, const char *fmt, ...)
{
    va_list args, again;
    char *room;
    int len;

    va_start(args, fmt);
    va_copy(again, args);
    len = vsnprintf(NULL, 0, fmt, args);
    room = len < 0 ? NULL : weir_buf_room(buf, (size_t)len);
    if (room == NULL) {
        buf->failed = true;
    } else {
        vsnprintf(room, (size_t)len + 1, fmt, again);
        weir_buf_used(buf, (size_t)len);
    }
    va_end(again);
    va_end(args);
}

/* The letter behind the backslash of a short escape, 'u' for \u00XX, 0 for a byte that stands for itself. */
static char
json_escape(unsigned char c)
{
    switch (c) {
    case '"':
    case '\\':
        return (char)c;
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return c < 0x20 ? 'u' : 0;
    }
}

void
weir_buf_json(struct weir_buf *buf, const char *s, size_t n)
{
    size_t at, done = 0;

    weir_buf_byte(buf, '"');
    for (at = 0; at < n; at++) {
        char escape = json_escape((unsigned char)s[at]);

        if (escape == 0)
            continue;
        weir_buf_add(buf, s + done, at - done);
        if (escape == 'u')
            weir_buf_printf(buf, "\\u%04X", (unsigned char)s[at]);
        else
            weir_buf_add(buf, (const char[]){'\\', escape}, 2);
        done = at + 1;
    }
    weir_buf_add(buf, s + done, n - done);
    weir_buf_byte(buf, '"');
}

void
weir_buf_utf8(struct weir_buf *buf, const char *s, size_t n)
{
    for (size_t at = 0, len; at < n; at += len > 0 ? len : 1) {
        len = weir_utf8_length(s + at, n - at);
        if (len > 0)
            weir_buf_add(buf, s + at, len);
        else
            weir_buf_str(buf, "\xef\xbf\xbd");
    }
}

weir_rc
weir_buf_check(const struct weir_buf *buf, struct weir_error *err)
{
    if (!buf->failed)
        return WEIR_OK;
    return weir_fail(err, WEIR_NOMEM, "no room behind %zu bytes of text: the ceiling is %zu bytes%s%s", buf->len,
                     buf->max, buf->q == NULL ? "" : ", the quota ", buf->q == NULL ? "" : buf->q->name);
}
