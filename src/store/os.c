/* The real system calls behind store/os.h. */
#include "store/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int
os_create(const char *path)
{
    return open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
}

static int
os_mkdir(const char *path)
{
    return mkdir(path, 0777);
}

static int
os_rename_absent(const char *from, const char *to)
{
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

static int
os_sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc, e;

    if (fd < 0)
        return -1;
    do {
        rc = fsync(fd);
    } while (rc != 0 && errno == EINTR);
    e = errno;
    close(fd);
    errno = e;
    return rc;
}

static int
os_sync(int fd)
{
    int rc;

    do {
        rc = fsync(fd);
    } while (rc != 0 && errno == EINTR);
    return rc;
}

static int
os_lock(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB);
}

const struct weir_os weir_os_real = {
    .create = os_create,
    .write = write,
    .sync = os_sync,
    .close = close,
    .link = link,
    .rename = rename,
    .rename_absent = os_rename_absent,
    .unlink = unlink,
    .mkdir = os_mkdir,
    .sync_folder = os_sync_folder,
    .lock = os_lock,
};
const struct weir_os *weir_os = &weir_os_real;
