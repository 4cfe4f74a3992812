/* Named fail points: the gaps of the commit protocol where a test kills, stops or delays weir.
 *
 * WEIR_POINT=name[@n]=action[,...] in the environment: at the n-th pass (default 1) of the point do
 *   kill       SIGKILL to this process
 *   sleep:MS   sleep
 *   fail       return an IO error from the point
 *   stop       SIGSTOP to this process
 * Tests in one process use weir_point_hook(). With neither set a pass costs one load and one branch.
 * Every point stands in points.def with what a restart must find; the kill test reads that file. */
#ifndef WEIR_BASE_POINT_H
#define WEIR_BASE_POINT_H

#include <stdbool.h>

#include "base/error.h"

typedef enum weir_point_id {
#define POINT(id, name, about) WEIR_POINT_##id,
#include "base/points.def"
#undef POINT
    WEIR_POINTS
} weir_point_id;

extern bool weir_points_on;
weir_rc weir_point_pass(weir_point_id id, struct weir_error *err);
static inline weir_rc
weir_point(weir_point_id id, struct weir_error *err)
{
    return __builtin_expect(weir_points_on, 0) ? weir_point_pass(id, err) : WEIR_OK;
}
const char *weir_point_name(weir_point_id id);
const char *weir_point_about(weir_point_id id);
/* USAGE for an unknown name or action. Reads the environment variable WEIR_POINT. */
weir_rc weir_point_setup(struct weir_error *err);
/* fn(arg, id) decides what the point returns; NULL takes the hook away. For tests in one process. */
void weir_point_hook(weir_rc (*fn)(void *arg, weir_point_id id, struct weir_error *err), void *arg);

#endif
