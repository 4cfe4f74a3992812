/* What types were seen: a tree that grows by records and becomes a schema, by the rules of Spark's JsonInferSchema and
 * of Auto Loader's schema inference.
 * Threads: one owner; trees of several threads are merged. */
#ifndef WEIR_SCHEMA_INFER_H
#define WEIR_SCHEMA_INFER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "column/type.h"

struct weir_infer_options {
    bool infer_column_types;    /* false: every leaf is STRING (cloudFiles' default) */
    bool primitives_as_string, prefers_decimal, drop_if_all_null, case_sensitive;
    bool rescues; /* what has no column of its own is kept elsewhere: doubled keys and too many fields are no error */
};

struct weir_infer;      /* the whole */
struct weir_infer_node; /* one place in it: a field, an element */

weir_rc weir_infer_new(const struct weir_infer_options *opt, struct weir_quota *q, struct weir_infer **out,
                       struct weir_error *err);
void weir_infer_free(struct weir_infer *inf);
struct weir_infer_node *weir_infer_root(struct weir_infer *inf);
/* The child for a key of an object seen at node (made when new), or for an array's element. Never NULL: without
 * memory, or over WEIR_FIELDS_MAX, a place that forgets, and weir_infer_schema() fails (not over it when rescues).
 * Names that Delta cannot hold are kept here and left to the caller. */
struct weir_infer_node *weir_infer_field(struct weir_infer *inf, struct weir_infer_node *node, struct weir_slice name);
struct weir_infer_node *weir_infer_element(struct weir_infer *inf, struct weir_infer_node *node);
/* A value of that kind was seen at node: STRUCT begins an object, before its keys (an empty one counts), ARRAY marks
 * the container, VOID is null, DECIMAL gives precision and scale. A key that comes twice in one object is an error
 * of weir_infer_schema(), unless rescues: then it is one field, under its first spelling. */
void weir_infer_see(struct weir_infer *inf, struct weir_infer_node *node, weir_kind kind, unsigned precision,
                    unsigned scale);
void weir_infer_corrupt(struct weir_infer *inf); /* a record that does not parse */
/* Adds what other saw. Then other may be freed. */
weir_rc weir_infer_merge(struct weir_infer *inf, const struct weir_infer *other, struct weir_error *err);
/* The schema: fields sorted by name at every level; corrupt_name (may be NULL) is put first as STRING when a
 * corrupt record was seen. SCHEMA: a doubled key, or too many fields. NOMEM when an earlier call had no memory. */
weir_rc weir_infer_schema(struct weir_infer *inf, const char *corrupt_name, struct weir_mem *mem,
                          const struct weir_type **out, struct weir_error *err);

#endif
