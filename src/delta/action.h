/* Actions: the lines of a Delta commit, read and written.
 *
 * Follows the Delta protocol, section "Actions". Unknown actions and unknown fields are passed over; a field may be
 * absent or null alike. Texts that come out of a document are copied into the arena given. */
#ifndef WEIR_DELTA_ACTION_H
#define WEIR_DELTA_ACTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "base/mem.h"
#include "column/type.h"

typedef enum weir_action_kind {
    WEIR_ACTION_OTHER, /* unknown, or nothing */
    WEIR_ACTION_INFO,
    WEIR_ACTION_METADATA,
    WEIR_ACTION_PROTOCOL,
    WEIR_ACTION_TXN,
    WEIR_ACTION_ADD,
    WEIR_ACTION_REMOVE,
    WEIR_ACTION_CDC,
    WEIR_ACTION_DOMAIN,
    WEIR_ACTION_SIDECAR /* only in checkpoints */
} weir_action_kind;

struct weir_action {
    weir_action_kind kind;
    json_t *doc;  /* owned */
    json_t *body; /* in doc; an object */
};

/* What a line is by its first key, without reading on. false: only reading it tells. */
bool weir_action_peek(const char *line, size_t len, weir_action_kind *kind);
/* CORRUPT with the byte; then there is nothing to free. A blank line is OTHER. */
weir_rc weir_action_load(const char *line, size_t len, struct weir_action *out, struct weir_error *err);
void weir_action_fini(struct weir_action *action); /* a zeroed one is fine */

struct weir_protocol {
    int reader, writer;
    const char *const *reader_features; /* only with reader 3 */
    const char *const *writer_features; /* only with writer 7 */
    uint32_t nreader_features, nwriter_features;
};

struct weir_pair {
    const char *key, *value; /* value may be NULL */
};

struct weir_metadata {
    const char *id, *name, *description; /* the last two may be NULL */
    const char *format_options;          /* a JSON object as text; NULL: {} */
    const struct weir_type *schema;
    const char *const *partitions;
    struct weir_pair *conf;
    uint32_t npartitions, nconf;
    int64_t created_ms; /* INT64_MIN: not said */
};

weir_rc weir_protocol_read(const json_t *body, struct weir_mem *mem, struct weir_protocol *out,
                           struct weir_error *err);
weir_rc weir_metadata_read(const json_t *body, struct weir_mem *mem, struct weir_metadata *out,
                           struct weir_error *err);
/* As whole lines, in the order of fields that Spark has. */
void weir_protocol_print(const struct weir_protocol *protocol, struct weir_buf *buf);
void weir_metadata_print(const struct weir_metadata *meta, struct weir_buf *buf);
/* NULL: not set. Keys match without regard to case, as in Spark. */
const char *weir_metadata_conf(const struct weir_metadata *meta, const char *key);
bool weir_metadata_conf_true(const struct weir_metadata *meta, const char *key);
int weir_metadata_partition(const struct weir_metadata *meta, const char *name); /* its place, or -1 */

#endif
