/* Slices of text, UTF-8, near names. Pure functions. */
#ifndef WEIR_BASE_STR_H
#define WEIR_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

struct weir_slice {
    const char *ptr;
    size_t len;
};

static inline struct weir_slice
weir_slice(const char *ptr, size_t len)
{
    return (struct weir_slice){ptr, len};
}

static inline bool
weir_slice_is(struct weir_slice s, const char *text)
{
    return s.len == strlen(text) && memcmp(s.ptr, text, s.len) == 0;
}

static inline char
weir_lower(char c) /* ASCII only */
{
    return (unsigned char)(c - 'A') < 26 ? (char)(c | 0x20) : c;
}

static inline bool
weir_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static inline int
weir_hex_digit(char c) /* -1: none */
{
    if (weir_is_digit(c))
        return c - '0';
    return (unsigned char)(weir_lower(c) - 'a') < 6 ? weir_lower(c) - 'a' + 10 : -1;
}

bool weir_slice_is_nocase(struct weir_slice s, const char *text); /* ASCII case only */
struct weir_slice weir_slice_trim(struct weir_slice s);           /* bytes <= ' ' at both ends */
bool weir_str_starts(const char *s, const char *prefix);
bool weir_str_ends(const char *s, const char *suffix);
/* Whole text is a decimal int64; false on anything else, overflow included. */
bool weir_parse_int(struct weir_slice s, int64_t *out);
bool weir_parse_bool(struct weir_slice s, bool *out); /* true/false, any case */
/* Spark byte strings: "10g", "512 kb", "100"; binary multiples (JavaUtils.byteStringAs). */
bool weir_parse_bytes(struct weir_slice s, int64_t *out);
/* Spark interval text: "10 seconds", "1 hour 30 minutes", "2 weeks", "7d", "interval 1 day"; also "0"; ms. */
bool weir_parse_interval_ms(struct weir_slice s, int64_t *out);

/* UTF-8. */
bool weir_utf8_valid(const char *s, size_t n);
/* Bytes of the character that s, n > 0 bytes of anything, begins with; 0: none. */
size_t weir_utf8_length(const char *s, size_t n);
/* Writes code point c (not a surrogate) at p; returns the bytes written, 1 to 4. */
unsigned weir_utf8_put(uint32_t c, char *p);
/* The next code point of valid UTF-8 at *p, moving *p. */
uint32_t weir_utf8_get(const char **p);

/* The nearest of n names by edit distance, or NULL when none is near enough to be a slip of the pen. */
const char *weir_nearest(const char *name, const char *const *names, size_t n);

#endif
