/* A growing byte buffer that refuses to exist without a ceiling.
 *
 * Appending never returns an error: the first append that does not fit (ceiling, quota, system) marks the
 * buffer and it takes nothing more; weir_buf_check() says so once at the end. So text is built in straight
 * lines. data is always NUL-terminated when len > 0 (the NUL is not counted).
 * Ceilings stand together in base/limits.h. Threads: one owner. */
#ifndef WEIR_BASE_BUF_H
#define WEIR_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

struct weir_buf {
    char *data;
    size_t len, cap, max;
    struct weir_quota *q; /* may be NULL */
    bool failed;
};

#define WEIR_BUF(max_) {.max = (max_)}

void weir_buf_init(struct weir_buf *buf, size_t max, struct weir_quota *q);
void weir_buf_fini(struct weir_buf *buf); /* a zeroed one is fine */
void weir_buf_reset(struct weir_buf *buf); /* len 0, not failed, memory kept */
void weir_buf_add(struct weir_buf *buf, const void *p, size_t n);
void weir_buf_str(struct weir_buf *buf, const char *s);
void weir_buf_byte(struct weir_buf *buf, char c);
void weir_buf_printf(struct weir_buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Room for n more bytes, not counted yet; NULL when refused. weir_buf_used() counts what was written. */
char *weir_buf_room(struct weir_buf *buf, size_t n);
void weir_buf_used(struct weir_buf *buf, size_t n);
/* "s" as a JSON string with quotes; escapes as Jackson does: \" \\ \b \f \n \r \t, other control bytes
 * \u00XX in upper case; everything else (non-ASCII, '/') verbatim. s must be valid UTF-8. */
void weir_buf_json(struct weir_buf *buf, const char *s, size_t n);
/* Appends s with U+FFFD in place of each byte that is no UTF-8. */
void weir_buf_utf8(struct weir_buf *buf, const char *s, size_t n);
weir_rc weir_buf_check(const struct weir_buf *buf, struct weir_error *err); /* NOMEM, naming the ceiling */

#endif
