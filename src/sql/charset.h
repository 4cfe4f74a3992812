/* The character sets of encode() and decode(): those that Spark 4.0 allows. Strict both ways, as Spark: a
 * character that the set lacks and bytes that are no text are refused, not replaced. Pure functions, any
 * thread. */
#ifndef WEIR_SQL_CHARSET_H
#define WEIR_SQL_CHARSET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct weir_charset;

/* By name, any case; NULL: none that Spark allows. */
const struct weir_charset *weir_charset_find(struct weir_slice name);
/* From valid UTF-8; `to` has room for 4 bytes a byte and 4 more. UTF-16 is big-endian behind a byte order
 * mark. */
bool weir_charset_encode(const struct weir_charset *set, struct weir_slice s, char *to, size_t *n);
/* To UTF-8; `to` has room for 3 bytes a byte. Without a mark UTF-16 and UTF-32 are big-endian. */
bool weir_charset_decode(const struct weir_charset *set, struct weir_slice s, char *to, size_t *n);

#endif
