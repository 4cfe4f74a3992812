/* Fail points: parsing of WEIR_POINT, counting, acting.
 *
 * The table below is written by weir_point_setup() before threads start and read-only then; the counts of passes
 * are atomic. A hook (tests in one process) sees every pass before the table does. */
#include "base/point.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/stop.h"
#include "base/str.h"

bool weir_points_on;

typedef enum point_action { POINT_NONE, POINT_KILL, POINT_SLEEP, POINT_FAIL, POINT_STOP } point_action;

struct point_order { /* what to do at the n-th pass */
    point_action action;
    int64_t at, sleep_ms;
    _Atomic int64_t passes;
};

static struct point_order orders[WEIR_POINTS];
static weir_rc (*hook)(void *arg, weir_point_id id, struct weir_error *err);
static void *hook_arg;

static const char *const names[] = {
#define POINT(id, name, about) name,
#include "base/points.def"
#undef POINT
};

static const char *const abouts[] = {
#define POINT(id, name, about) about,
#include "base/points.def"
#undef POINT
};

const char *
weir_point_name(weir_point_id id)
{
    return names[id];
}

const char *
weir_point_about(weir_point_id id)
{
    return abouts[id];
}

void
weir_point_hook(weir_rc (*fn)(void *arg, weir_point_id id, struct weir_error *err), void *arg)
{
    int id;

    hook = fn;
    hook_arg = arg;
    weir_points_on = fn != NULL;
    for (id = 0; id < WEIR_POINTS; id++)
        weir_points_on = weir_points_on || orders[id].action != POINT_NONE;
}

weir_rc
weir_point_pass(weir_point_id id, struct weir_error *err)
{
    struct point_order *order = &orders[id];

    if (hook != NULL)
        WEIR_TRY(hook(hook_arg, id, err));
    if (order->action == POINT_NONE || atomic_fetch_add(&order->passes, 1) + 1 != order->at)
        return WEIR_OK;
    switch (order->action) {
    case POINT_KILL:
        raise(SIGKILL);
        break;
    case POINT_STOP:
        raise(SIGSTOP);
        break;
    case POINT_SLEEP:
        return weir_stop_wait(NULL, order->sleep_ms, err);
    case POINT_FAIL:
        return weir_fail(err, WEIR_IO, "fail point %s", names[id]);
    case POINT_NONE:
        break;
    }
    return WEIR_OK;
}

static weir_rc
point_find(struct weir_slice name, int *id, struct weir_error *err)
{
    char text[64];
    const char *near;

    for (*id = 0; *id < WEIR_POINTS; ++*id) {
        if (weir_slice_is(name, names[*id]))
            return WEIR_OK;
    }
    weir_fail(err, WEIR_USAGE, "WEIR_POINT: there is no fail point %.*s", (int)name.len, name.ptr);
    if (name.len < sizeof(text)) {
        memcpy(text, name.ptr, name.len);
        text[name.len] = '\0';
        near = weir_nearest(text, names, WEIR_POINTS);
        if (near != NULL)
            weir_error_hint(err, "did you mean %s?", near);
    }
    return err->rc;
}

static weir_rc
point_action_parse(struct weir_slice text, struct point_order *order, struct weir_error *err)
{
    if (weir_slice_is(text, "kill")) {
        order->action = POINT_KILL;
    } else if (weir_slice_is(text, "fail")) {
        order->action = POINT_FAIL;
    } else if (weir_slice_is(text, "stop")) {
        order->action = POINT_STOP;
    } else if (text.len > 6 && memcmp(text.ptr, "sleep:", 6) == 0 &&
               weir_parse_int(weir_slice(text.ptr + 6, text.len - 6), &order->sleep_ms) && order->sleep_ms >= 0) {
        order->action = POINT_SLEEP;
    } else {
        weir_fail(err, WEIR_USAGE, "WEIR_POINT: %.*s is no action", (int)text.len, text.ptr);
        return weir_error_hint(err, "write kill, sleep:MILLISECONDS, fail or stop");
    }
    return WEIR_OK;
}

/* name[@n]=action */
static weir_rc
point_entry(struct weir_slice entry, struct weir_error *err)
{
    const char *equals = memchr(entry.ptr, '=', entry.len), *at;
    struct weir_slice name, action;
    int64_t n = 1;
    int id;

    if (equals == NULL)
        return weir_fail(err, WEIR_USAGE, "WEIR_POINT: %.*s has no =action", (int)entry.len, entry.ptr);
    name = weir_slice(entry.ptr, (size_t)(equals - entry.ptr));
    action = weir_slice(equals + 1, entry.len - name.len - 1);
    at = memchr(name.ptr, '@', name.len);
    if (at != NULL) {
        struct weir_slice count = {at + 1, (size_t)(equals - at - 1)};

        if (!weir_parse_int(count, &n) || n < 1)
            return weir_fail(err, WEIR_USAGE, "WEIR_POINT: %.*s: the number of the pass starts at 1",
                             (int)entry.len, entry.ptr);
        name.len = (size_t)(at - name.ptr);
    }
    WEIR_TRY(point_find(name, &id, err));
    orders[id].at = n;
    atomic_store(&orders[id].passes, 0);
    return point_action_parse(action, &orders[id], err);
}

weir_rc
weir_point_setup(struct weir_error *err)
{
    const char *text = getenv("WEIR_POINT");
    int id;

    for (id = 0; id < WEIR_POINTS; id++)
        orders[id].action = POINT_NONE;
    weir_points_on = hook != NULL;
    if (text == NULL || *text == '\0')
        return WEIR_OK;
    for (;;) {
        size_t len = strcspn(text, ",");

        WEIR_TRY(point_entry(weir_slice(text, len), err));
        if (text[len] == '\0')
            break;
        text += len + 1;
    }
    weir_points_on = true;
    return WEIR_OK;
}
