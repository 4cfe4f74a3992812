/* The native driver. A lane owns its page and its view; both go before the feed's lane, since the page may hold input
 * blocks. Lane 0 is the control thread and the only one that ticks. */
#include "pipeline/drive.h"

#include "base/thread.h"
#include "base/time.h"

enum { TICK_US = 100 * 1000 };

struct lane {
    void *in, *out;
    struct weir_page *page;
    struct weir_view *view;
};

static weir_rc
lane_open(struct weir_drive *d, unsigned number, struct lane *lane, struct weir_error *err)
{
    WEIR_TRY(d->feed->lane_open(d->feed->self, number, &lane->in, err));
    WEIR_TRY(d->drain->lane_open(d->drain->self, number, &lane->out, err));
    WEIR_TRY(weir_page_new(d->feed->schema, d->quota, &lane->page, err));
    return weir_view_new(d->projection, d->quota, &lane->view, err);
}

static weir_rc
lane_pages(struct weir_drive *d, unsigned number, struct lane *lane, struct weir_error *err)
{
    int64_t ticked = weir_mono_us();
    weir_rc rc;

    while ((rc = d->feed->next(lane->in, lane->page, err)) == WEIR_OK) {
        WEIR_TRY(d->drain->write(lane->out, weir_view_of(lane->view, lane->page), err));
        atomic_fetch_add_explicit(&d->rows, lane->page->rows, memory_order_relaxed);
        if (number == 0 && d->tick != NULL && weir_mono_us() - ticked >= TICK_US) {
            d->tick(d->tick_self);
            ticked = weir_mono_us();
        }
    }
    return rc == WEIR_END ? d->drain->lane_finish(lane->out, err) : rc;
}

static weir_rc
lane_run(void *arg, unsigned number, struct weir_error *err)
{
    struct weir_drive *d = arg;
    struct lane lane = {0};
    weir_rc rc;

    rc = lane_open(d, number, &lane, err);
    if (rc == WEIR_OK)
        rc = lane_pages(d, number, &lane, err);
    weir_view_free(lane.view);
    weir_page_free(lane.page);
    if (lane.out != NULL)
        d->drain->lane_close(lane.out);
    if (lane.in != NULL)
        d->feed->lane_close(lane.in);
    return rc;
}

weir_rc
weir_drive_run(struct weir_drive *d, struct weir_error *err)
{
    return weir_lanes_run(d->lanes, lane_run, d, &d->failed, err);
}
