/* Where pages come from and where they go: structs of functions declared here, filled by reader/ and sink/,
 * called by pipeline/ and sql/. */
#ifndef WEIR_COLUMN_FEED_H
#define WEIR_COLUMN_FEED_H

#include "base/error.h"
#include "column/page.h"

struct weir_feed {
    const struct weir_type *schema; /* of the pages */
    void *self;
    /* lane: 0 .. lanes - 1, each on a thread of its own. */
    weir_rc (*lane_open)(void *self, unsigned lane, void **out, struct weir_error *err);
    /* Resets the page and fills it with at least one row; END when nothing is left for any lane. May block on
     * the window; STOPPED when asked to stop. All rows of a page come from one task. */
    weir_rc (*next)(void *lane, struct weir_page *page, struct weir_error *err);
    void (*lane_close)(void *lane); /* NULL is fine */
};

struct weir_drain {
    void *self;
    weir_rc (*lane_open)(void *self, unsigned lane, void **out, struct weir_error *err);
    /* Copies what it keeps. The page's schema is the drain's. END: enough, the run ends well and no lane is finished. */
    weir_rc (*write)(void *lane, const struct weir_page *page, struct weir_error *err);
    /* Everything durable; the lane must still be closed. */
    weir_rc (*lane_finish)(void *lane, struct weir_error *err);
    /* After a finish: frees. Without one: drops what was written. NULL is fine. */
    void (*lane_close)(void *lane);
};

#endif
