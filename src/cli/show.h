/* Rows on stdout: the drain of `weir sql` and `weir preview`. */
#ifndef WEIR_CLI_SHOW_H
#define WEIR_CLI_SHOW_H

#include <pthread.h>

#include "cli/command.h"
#include "column/feed.h"
#include "column/show.h"

struct weir_shown {
    struct weir_show show;
    struct weir_drain drain;
    pthread_mutex_t lock;
    uint64_t enough; /* rows after which the run may end */
    struct weir_mem *schema_mem;
};

/* format: one of "table|json|csv". */
void weir_shown_init(struct weir_shown *s, const char *format, uint64_t enough, struct weir_quota *quota);
/* Once the schema is known, before the first row; self is the struct. zone outlives it. */
weir_rc weir_shown_begin(void *self, const struct weir_type *schema, const struct weir_zone *zone,
                         struct weir_error *err);
/* Always, last; rc: how the run ended. */
weir_rc weir_shown_end(struct weir_shown *s, weir_rc rc, struct weir_error *err);

#endif
