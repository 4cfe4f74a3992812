/* The native driver: lanes that take pages from a feed, project them, and give them to a drain. */
#ifndef WEIR_PIPELINE_DRIVE_H
#define WEIR_PIPELINE_DRIVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "column/feed.h"
#include "pipeline/project.h"

struct weir_drive {
    const struct weir_feed *feed;
    const struct weir_drain *drain;
    const struct weir_projection *projection;
    unsigned lanes;
    struct weir_quota *quota;
    _Atomic bool failed;          /* the feed looks at it too */
    _Atomic uint64_t rows;        /* given to the drain so far */
    void (*tick)(void *self);     /* on the calling thread, at most 10 times a second; may be NULL */
    void *tick_self;
};

/* Until the feed has nothing left; then all the drain's lanes are finished. The first error wins. */
weir_rc weir_drive_run(struct weir_drive *d, struct weir_error *err);

#endif
