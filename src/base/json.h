/* Small JSON documents (offsets, schemas, log actions), by jansson. Records of data never come here: they
 * are codec/json.c's.
 *
 * Documents keep the order of their keys, refuse a duplicate key and a depth over WEIR_JSON_DEPTH, and count under a
 * quota of their own. Threads: a document belongs to one thread. */
#ifndef WEIR_BASE_JSON_H
#define WEIR_BASE_JSON_H

#include <jansson.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

/* Once, before the first document: all memory of documents is counted under q (may be NULL). */
void weir_json_init(struct weir_quota *q);
/* text need not be NUL-terminated. CORRUPT with the byte position. *out is owned by the caller (json_decref). */
weir_rc weir_json_load(const char *text, size_t len, json_t **out, struct weir_error *err);
/* Compact text (no blanks), keys in their order, non-ASCII verbatim, '/' not escaped. Whole numbers come back as
 * they were; others may change their spelling (0.1 becomes 0.10000000000000001): keep such a text, not its document. */
void weir_json_dump(const json_t *doc, struct weir_buf *buf);
/* Members of an object. Missing or null: the default. Another type: CORRUPT naming the key. */
weir_rc weir_json_get_int(const json_t *obj, const char *key, int64_t dflt, int64_t *out, struct weir_error *err);
weir_rc weir_json_get_bool(const json_t *obj, const char *key, bool dflt, bool *out, struct weir_error *err);
/* Borrowed from the document; NULL when missing or null. */
weir_rc weir_json_get_str(const json_t *obj, const char *key, const char **out, struct weir_error *err);

#endif
