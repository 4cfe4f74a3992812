/* What lies in a folder of files: a walk that leaves out hidden names and asks the load path's glob.
 *
 * Hidden is a name, at any level below the listed place, that starts with '.' or '_'. Spark's own file source shows
 * "_x=1" (a partition column may start so) and hides names that end in "._COPYING_".
 * A folder that cannot be read or that leads round in a circle is an error naming it: leaving it out would lose data.
 * Threads: one owner. */
#ifndef WEIR_SOURCE_LISTING_H
#define WEIR_SOURCE_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/stop.h"
#include "source/glob.h"
#include "store/store.h"

struct weir_listing {
    struct weir_store *store; /* of the part of the load path without a pattern */
    struct weir_glob path;    /* what follows it; empty: everything below */
    struct weir_glob name;    /* pathGlobFilter; empty: every name */
    bool spark_names;         /* Spark's rule for hidden names */
    int64_t after_ms,
        before_ms; /* exclusive bounds of the modification time; INT64_MIN and INT64_MAX: none */
    struct weir_stop *stop;
    /* Filled by a run: */
    uint64_t files;   /* that the rules let pass */
    bool nested;      /* one lies in a plain folder below the matched one */
    bool partitioned; /* one lies below a folder like "k=v" */
};

/* depth: 1 when the object lies in the folder that the load path names, 0 when the path names it, more below.
 * Order is not defined. */
typedef weir_rc weir_listing_fn(void *arg, const struct weir_object *obj, int depth, struct weir_error *err);
weir_rc weir_listing_run(struct weir_listing *list, weir_listing_fn *fn, void *arg, struct weir_error *err);

#endif
