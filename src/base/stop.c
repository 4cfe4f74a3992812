/* Stop: a flag that is cheap to ask, and an eventfd for those who sleep.
 *
 * The eventfd is written once and never read, so it stays readable and wakes every present and later wait. */
#include "base/stop.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/time.h"

weir_rc
weir_stop_init(struct weir_stop *stop, struct weir_error *err)
{
    atomic_init(&stop->asked, 0);
    stop->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (stop->fd < 0)
        return weir_fail_os(err, WEIR_IO, errno, "cannot make an eventfd");
    return WEIR_OK;
}

void
weir_stop_fini(struct weir_stop *stop)
{
    if (stop->fd > 0)
        close(stop->fd);
    stop->fd = -1;
}

void
weir_stop_ask(struct weir_stop *stop, int signum)
{
    const uint64_t one = 1;
    int none = 0, saved = errno;

    if (atomic_compare_exchange_strong(&stop->asked, &none, 1 + signum)) {
        ssize_t done = write(stop->fd, &one, sizeof(one));

        (void)done; /* a fresh counter takes it */
    }
    errno = saved;
}

weir_rc
weir_stop_check(const struct weir_stop *stop, struct weir_error *err)
{
    return weir_stop_asked(stop) ? weir_fail(err, WEIR_STOPPED, "asked to stop") : WEIR_OK;
}

weir_rc
weir_stop_wait(struct weir_stop *stop, int64_t ms, struct weir_error *err)
{
    struct pollfd wake = {.fd = stop == NULL ? -1 : stop->fd, .events = POLLIN};
    int64_t left, until = weir_mono_us() / 1000;

    if (__builtin_add_overflow(until, ms, &until))
        until = INT64_MAX;
    while (!weir_stop_asked(stop) && (left = until - weir_mono_us() / 1000) > 0) {
        if (poll(&wake, 1, left > INT_MAX ? INT_MAX : (int)left) < 0 && errno != EINTR)
            return weir_fail_os(err, WEIR_IO, errno, "cannot wait");
    }
    return weir_stop_check(stop, err);
}
