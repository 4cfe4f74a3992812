/* The calls of the system that change files, as one struct of functions, so that a test can record them and ask
 * what a power cut after any one of them would leave.
 *
 * Each behaves as the system call of its name: -1 and errno on failure. sync_folder opens, syncs and closes a
 * folder. Reads do not pass through here.
 * Threads: the struct is replaced only by tests, before other threads start. */
#ifndef WEIR_STORE_OS_H
#define WEIR_STORE_OS_H

#include <sys/types.h>

struct weir_os {
    int (*create)(const char *path); /* for writing; the name must be free */
    ssize_t (*write)(int fd, const void *p, size_t n);
    int (*sync)(int fd);
    int (*close)(int fd);
    int (*link)(const char *from, const char *to);
    int (*rename)(const char *from, const char *to);
    int (*rename_absent)(const char *from, const char *to); /* EEXIST when `to` is there */
    int (*unlink)(const char *path);
    int (*mkdir)(const char *path);
    int (*sync_folder)(const char *path);
    int (*lock)(int fd); /* flock(2), exclusive, without waiting */
};

extern const struct weir_os weir_os_real;
extern const struct weir_os *weir_os; /* &weir_os_real */

#endif
