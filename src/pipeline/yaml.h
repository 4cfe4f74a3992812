/* A YAML text as a tree of nodes that know their file and line.
 *
 * 1. Scalars stay text as written: what `1.0`, `yes` or `2024-01-02` mean is decided by the key they belong to.
 *    Only a plain `null`, `~` or nothing is a null.
 * 2. Aliases are copied into the tree; the number of nodes is bounded, so that a small text cannot grow into a
 *    large tree. Depth and keys a map are bounded; keys are texts and unique; one document a file.
 * Threads: a tree belongs to one thread and lives in one arena. */
#ifndef WEIR_PIPELINE_YAML_H
#define WEIR_PIPELINE_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"

enum { WEIR_YAML_NODES = 100000, WEIR_YAML_KEYS = 1000, WEIR_YAML_DEPTH = 100 };

typedef enum weir_yaml_kind { WEIR_YAML_NULL, WEIR_YAML_TEXT, WEIR_YAML_LIST, WEIR_YAML_MAP } weir_yaml_kind;

struct weir_yaml {
    weir_yaml_kind kind;
    const char *file;         /* for messages */
    int line;                 /* 1 … */
    const char *text;         /* TEXT: no NUL inside; NULL: "" */
    const char *shown;        /* TEXT: the same pointer, or a copy with secrets masked; for messages */
    bool quoted;              /* TEXT: not a plain scalar */
    const char *key;          /* when it is a value of a MAP */
    int key_line;
    struct weir_yaml *first, *last, *next; /* children of LIST and MAP, in the text's order */
    uint32_t n;               /* how many */
};

/* USAGE: "FILE:LINE: …". text need not be NUL-terminated. *out is never NULL when OK. */
weir_rc weir_yaml_parse(const char *file, const char *text, size_t len, struct weir_mem *mem, struct weir_yaml **out,
                        struct weir_error *err);
/* The value of a key of a MAP; NULL: absent. */
struct weir_yaml *weir_yaml_get(const struct weir_yaml *map, const char *key);
void weir_yaml_append(struct weir_yaml *parent, struct weir_yaml *child);
const char *weir_yaml_kind_name(weir_yaml_kind kind); /* "a text", "a list", … */
/* One node as JSON: plain true, false and numbers as such, all else as strings. */
void weir_yaml_json(const struct weir_yaml *node, struct weir_buf *buf);
/* The children of a MAP or LIST as YAML, `shown` in place of texts; what is read back is the same tree. */
void weir_yaml_print(const struct weir_yaml *node, int indent, struct weir_buf *buf);

/* USAGE at a node: "FILE:LINE: …". */
#define weir_yaml_fail(err, node, ...) (weir_fail((err), WEIR_USAGE, __VA_ARGS__), weir_yaml_at((err), (node)))
/* "FILE:LINE" of the node in front of an error. Returns err->rc. */
weir_rc weir_yaml_at(struct weir_error *err, const struct weir_yaml *node);

#endif
