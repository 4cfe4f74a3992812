/* An object as a file that has a path. store/store.h.
 *
 * A local store names its own file. Any other object is copied into an unnamed memory file, which other code
 * of this process opens as /proc/self/fd/N; the copy ends with its descriptor. Threads: a spool has one
 * owner; its path may be opened by any thread. */
#include "store/store.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static weir_rc
spool_copy(struct weir_input *in, int fd, struct weir_error *err)
{
    char block[64 * 1024];
    size_t got;

    for (;;) {
        WEIR_TRY(weir_input_read(in, block, sizeof(block), &got, err));
        if (got == 0)
            return WEIR_OK;
        for (size_t at = 0; at < got;) {
            ssize_t n = write(fd, block + at, got - at);

            if (n < 0 && errno != EINTR)
                return weir_fail_os(err, WEIR_IO, errno, "cannot be copied into memory");
            at += n > 0 ? (size_t)n : 0;
        }
    }
}

weir_rc
weir_spool_open(struct weir_store *st, const char *key, struct weir_spool *out, struct weir_error *err)
{
    struct weir_input *in = NULL;
    weir_rc rc = WEIR_OK;

    *out = (struct weir_spool){.fd = -1};
    if (st->type->local != NULL)
        WEIR_TRY(st->type->local(st->self, key, out->path, sizeof(out->path), err));
    if (out->path[0] != '\0')
        return WEIR_OK;
    WEIR_GO(weir_input_open(st, key, 0, &in, err));
    out->fd = memfd_create("weir", MFD_CLOEXEC);
    if (out->fd < 0)
        WEIR_GO(weir_fail_os(err, WEIR_IO, errno, "memfd"));
    WEIR_GO(spool_copy(in, out->fd, err));
    snprintf(out->path, sizeof(out->path), "/proc/self/fd/%d", out->fd);
out:
    weir_input_close(in);
    if (rc != WEIR_OK)
        weir_spool_close(out);
    return rc;
}

void
weir_spool_close(struct weir_spool *spool)
{
    if (spool->fd >= 0)
        close(spool->fd);
    spool->fd = -1;
}
