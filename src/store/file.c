/* Folders of this machine, or mounted on it.
 *
 * 1. put: a temporary file ".NAME.<uuid>.tmp" beside the object, written and synced, then link(2) to the name, so
 *    that the name appears with all its bytes or not at all, and only one of several writers wins. Where links are
 *    refused, renameat2(RENAME_NOREPLACE); where that is unknown too, an error: a check and a rename would let
 *    two writers overwrite each other.
 * 2. Then the folder is synced. All folders above an object are synced once a process, whoever made them: a process
 *    that was killed between mkdir and fsync leaves a folder that is there and yet not durable. A fleeting object and
 *    its folders are not synced.
 * 3. After a failed fsync the kernel may have dropped the pages it could not write; a second fsync would succeed and
 *    prove nothing. So the store is broken from then on and every durable write fails: the run must end.
 * 4. An NFS server may have made a link whose answer was lost: two links on the temporary file mean that it is ours.
 * 5. ".NAME.crc" is Hadoop's checksum of NAME; it goes before NAME changes.
 * 6. Temporary files of dead runs begin with '.', so every reader passes them over.
 * Threads: any. The set of synced folders and the broken flag are shared under a mutex and an atomic. */
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/map.h"
#include "base/point.h"
#include "base/str.h"
#include "base/uuid.h"
#include "store/os.h"

enum { FILE_FOLDERS_MAX = 4096, FILE_TEMP_NAME = 180 };

struct file_store {
    const char *root; /* absolute, without a '/' at its end but for "/" itself */
    struct weir_quota *quota;
    _Atomic bool broken;
    pthread_mutex_t lock; /* over the three below */
    struct weir_mem *folders_mem;
    struct weir_map folders; /* path -> folder_state */
    bool warned;
};

struct file_input {
    struct weir_input base;
    int fd;
    int64_t at;
};

struct file_output {
    struct weir_output base;
    struct file_store *fs;
    int fd;
    char path[PATH_MAX];
    char name[PATH_MAX]; /* staged: the path that the object gets at finish; else "" */
};

static weir_rc
file_open(const char *root, struct weir_mem *mem, void **self, struct weir_error *err)
{
    struct file_store *fs;
    const char *path = root + strlen("file://");
    weir_rc rc = WEIR_OK;

    if (path[0] != '/')
        return weir_fail(err, WEIR_USAGE, "%s names another machine: only files of this one can be opened", root);
    WEIR_NEW(fs, mem, sizeof(*fs));
    fs->root = weir_mem_strdup(mem, path);
    fs->quota = weir_mem_quota(mem);
    fs->folders_mem = weir_mem_new(NULL, fs->quota, "folders");
    if (fs->root == NULL || fs->folders_mem == NULL)
        return weir_mem_fail(mem, strlen(path), err);
    weir_map_init(&fs->folders, fs->folders_mem);
    pthread_mutex_init(&fs->lock, NULL);
    *self = fs;
out:
    return rc;
}

static void
file_close(void *self)
{
    struct file_store *fs = self;

    weir_mem_free(fs->folders_mem);
    fs->folders_mem = NULL;
    pthread_mutex_destroy(&fs->lock);
}

/* path = root/key */
static weir_rc
file_path(const struct file_store *fs, const char *key, char path[PATH_MAX], struct weir_error *err)
{
    int n = snprintf(path, PATH_MAX, "%s%s%s", fs->root, strcmp(fs->root, "/") == 0 || key[0] == '\0' ? "" : "/", key);

    if (n < 0 || n >= PATH_MAX)
        return weir_fail_os(err, WEIR_IO, ENAMETOOLONG, "path of %d bytes", n);
    return WEIR_OK;
}

static weir_rc
file_local(void *self, const char *key, char *out, size_t size, struct weir_error *err)
{
    char path[PATH_MAX];

    WEIR_TRY(file_path(self, key, path, err));
    if (strlen(path) >= size)
        return weir_fail_os(err, WEIR_IO, ENAMETOOLONG, "path of %zu bytes", strlen(path));
    memcpy(out, path, strlen(path) + 1);
    return WEIR_OK;
}

/* --- durability --------------------------------------------------------------------------------------------- */

static weir_rc
file_broken(struct file_store *fs, int errnum, const char *what, struct weir_error *err)
{
    atomic_store(&fs->broken, true);
    weir_fail_os(err, WEIR_IO, errnum, "%s could not be made durable (fsync)", what);
    err->rc = WEIR_IO; /* whatever errno was: the run must end */
    return weir_error_hint(err, "the disk may have lost writes: check it (dmesg), then start again; the batch that "
                                "was running is done again");
}

static weir_rc
file_usable(struct file_store *fs, struct weir_error *err)
{
    if (!atomic_load(&fs->broken))
        return WEIR_OK;
    weir_fail(err, WEIR_IO, "nothing is written here any more, since an earlier fsync failed");
    return weir_error_hint(err, "end this run, check the disk (dmesg), start again");
}

static weir_rc
file_sync_folder(struct file_store *fs, const char *path, struct weir_error *err)
{
    if (weir_os->sync_folder(path) == 0)
        return WEIR_OK;
    if (errno == EINVAL || errno == EOPNOTSUPP) { /* file systems that hold no folder back have no such call */
        pthread_mutex_lock(&fs->lock);
        if (!fs->warned)
            weir_warn("%s: this file system has no fsync for folders; what a power cut leaves is up to it", path);
        fs->warned = true;
        pthread_mutex_unlock(&fs->lock);
        return WEIR_OK;
    }
    return file_broken(fs, errno, path, err);
}

typedef enum folder_state { FOLDER_UNKNOWN, FOLDER_MADE, FOLDER_DURABLE } folder_state; /* the values of folders */

static folder_state
file_folder_state(struct file_store *fs, const char *path, size_t n)
{
    uintptr_t state;

    pthread_mutex_lock(&fs->lock);
    state = (uintptr_t)weir_map_get(&fs->folders, path, n);
    pthread_mutex_unlock(&fs->lock);
    return (folder_state)state;
}

static void
file_folder_learn(struct file_store *fs, const char *path, size_t n, folder_state state)
{
    struct weir_error ignored = {0}; /* forgetting costs an fsync, nothing else */

    pthread_mutex_lock(&fs->lock);
    if (fs->folders.n >= FILE_FOLDERS_MAX) {
        weir_mem_reset(fs->folders_mem);
        weir_map_init(&fs->folders, fs->folders_mem);
    }
    (void)weir_map_put(&fs->folders, path, n, (void *)(uintptr_t)state, NULL, &ignored);
    pthread_mutex_unlock(&fs->lock);
}

/* The entry of the folder path[0..n) in its parent is made durable. Parents that may not be opened are passed over
 * above the root: they are not ours, and this process did not make the entry. */
static weir_rc
file_entry_sync(struct file_store *fs, char *path, size_t n, bool made, struct weir_error *err)
{
    size_t slash = n;
    weir_rc rc;
    char c;

    while (slash > 0 && path[slash - 1] != '/')
        slash--;
    if (slash > 1)
        slash--; /* the parent without its '/'; "/" stays */
    c = path[slash];
    path[slash] = '\0';
    if (!made && n <= strlen(fs->root) && access(path, R_OK) != 0)
        rc = WEIR_OK;
    else
        rc = file_sync_folder(fs, path, err);
    path[slash] = c;
    return rc;
}

/* Makes the folder path[0..n) and all above it, not yet durably. path is changed and put back. */
static weir_rc
file_folder_make(struct file_store *fs, char *path, size_t n, struct weir_error *err)
{
    for (size_t end = 1; end <= n; end++) {
        weir_rc rc = WEIR_OK;
        char c = path[end];
        int why;

        if ((end < n && c != '/') || file_folder_state(fs, path, end) != FOLDER_UNKNOWN)
            continue;
        path[end] = '\0';
        if (weir_os->mkdir(path) == 0)
            file_folder_learn(fs, path, end, FOLDER_MADE);
        else if ((why = errno) != EEXIST && access(path, F_OK) != 0) /* EROFS, EACCES above what is there */
            rc = weir_fail_os(err, WEIR_IO, why, "folder %s cannot be made", path);
        path[end] = c;
        if (rc != WEIR_OK)
            return rc;
    }
    return WEIR_OK;
}

/* Makes the entries of the folder path[0..n) durable, and those of all folders above it. After the entries' own bytes
 * and names, because a journal then takes them all in one write: the first sync pays for all. */
static weir_rc
file_folder_sync(struct file_store *fs, char *path, size_t n, struct weir_error *err)
{
    char c = path[n];
    weir_rc rc;

    path[n] = '\0';
    rc = file_sync_folder(fs, path, err);
    path[n] = c;
    for (size_t end = n; end > 0 && rc == WEIR_OK; end--) {
        folder_state state;

        if ((end < n && path[end] != '/') || (state = file_folder_state(fs, path, end)) == FOLDER_DURABLE)
            continue;
        rc = file_entry_sync(fs, path, end, state == FOLDER_MADE, err);
        if (rc == WEIR_OK)
            file_folder_learn(fs, path, end, FOLDER_DURABLE);
    }
    return rc;
}

/* A folder that was known has been removed by somebody (VACUUM takes empty ones): learn all anew. */
static void
file_folders_forget(struct file_store *fs)
{
    pthread_mutex_lock(&fs->lock);
    weir_mem_reset(fs->folders_mem);
    weir_map_init(&fs->folders, fs->folders_mem);
    pthread_mutex_unlock(&fs->lock);
}

static size_t
file_folder_len(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == path ? 1 : (size_t)(slash - path);
}

/* A new file under a free name, in a folder that is made when it is missing. */
static weir_rc
file_new(struct file_store *fs, char *path, int *fd, struct weir_error *err)
{
    for (int round = 0; round < 2; round++) {
        WEIR_TRY(file_folder_make(fs, path, file_folder_len(path), err));
        *fd = weir_os->create(path);
        if (*fd >= 0)
            return WEIR_OK;
        if (errno != ENOENT)
            break;
        file_folders_forget(fs);
    }
    return weir_fail_os(err, errno == EEXIST ? WEIR_EXISTS : WEIR_IO, errno, "create");
}

static weir_rc
file_write_all(int fd, const char *p, size_t n, struct weir_error *err)
{
    while (n > 0) {
        ssize_t got = weir_os->write(fd, p, n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return weir_fail_os(err, WEIR_IO, errno, "write of %zu bytes", n);
        p += got;
        n -= (size_t)got;
    }
    return WEIR_OK;
}

/* "DIR/.NAME.crc" of "DIR/NAME" */
static void
file_crc_remove(const char *path)
{
    char crc[PATH_MAX + 8];
    const char *name = strrchr(path, '/') + 1;

    snprintf(crc, sizeof(crc), "%.*s.%s.crc", (int)(name - path), path, name);
    (void)weir_os->unlink(crc);
}

/* --- put ---------------------------------------------------------------------------------------------------- */

/* The name of a temporary file beside path. */
static weir_rc
file_temp(const char *path, char tmp[PATH_MAX], struct weir_error *err)
{
    const char *name = strrchr(path, '/') + 1;
    char uuid[WEIR_UUID_SIZE];
    int len;

    weir_uuid(uuid);
    len = snprintf(tmp, PATH_MAX, "%.*s.%.*s.%s.tmp", (int)(name - path), path, FILE_TEMP_NAME, name, uuid);
    if (len < 0 || len >= PATH_MAX)
        return weir_fail_os(err, WEIR_IO, ENAMETOOLONG, "path of %d bytes", len);
    return WEIR_OK;
}

/* A file beside path with the object's bytes, synced unless it is fleeting; its name in tmp. */
static weir_rc
file_stage(struct file_store *fs, const char *path, char tmp[PATH_MAX], const void *p, size_t n, bool fleeting,
           struct weir_error *err)
{
    weir_rc rc;
    int fd;

    WEIR_TRY(file_temp(path, tmp, err));
    WEIR_TRY(file_new(fs, tmp, &fd, err));
    rc = file_write_all(fd, p, n, err);
    if (rc == WEIR_OK && !fleeting && weir_os->sync(fd) != 0)
        rc = file_broken(fs, errno, tmp, err);
    if (weir_os->close(fd) != 0 && rc == WEIR_OK)
        rc = file_broken(fs, errno, tmp, err);
    if (rc != WEIR_OK)
        (void)weir_os->unlink(tmp);
    return rc;
}

/* After a link that failed: was it made all the same? UNKNOWN when even that cannot be seen. */
static weir_rc
file_link_settle(const char *tmp, int errnum, struct weir_error *err)
{
    struct stat st;

    if (stat(tmp, &st) != 0)
        return weir_fail_os(err, WEIR_UNKNOWN, errnum, "link gave no answer that can be relied on");
    if (st.st_nlink >= 2)
        return WEIR_OK;
    if (errnum == EEXIST)
        return weir_fail(err, WEIR_EXISTS, "is there already");
    return weir_fail_os(err, WEIR_IO, errnum, "link");
}

static weir_rc
file_name_absent(const char *tmp, const char *path, struct weir_error *err)
{
    if (weir_os->link(tmp, path) == 0)
        return WEIR_OK;
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS && errno != EMLINK)
        return file_link_settle(tmp, errno, err);
    if (weir_os->rename_absent(tmp, path) == 0)
        return WEIR_OK;
    if (errno == EEXIST)
        return weir_fail(err, WEIR_EXISTS, "is there already");
    if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
        return weir_fail_os(err, WEIR_IO, errno, "rename");
    weir_fail(err, WEIR_UNSUPPORTED, "this file system can create a file only if it is absent neither by link nor by "
                                     "renameat2, so two writers could overwrite each other");
    return weir_error_hint(err, "put tables and checkpoints on a file system with hard links");
}

static weir_rc
file_put(void *self, const char *key, const void *p, size_t n, weir_put_mode mode, int staged,
         struct weir_error *err)
{
    struct file_store *fs = self;
    bool absent = (mode & WEIR_PUT_REPLACE) == 0, fleeting = (mode & WEIR_PUT_FLEETING) != 0;
    char path[PATH_MAX], tmp[PATH_MAX];
    weir_rc rc;

    WEIR_TRY(file_usable(fs, err));
    WEIR_TRY(file_path(fs, key, path, err));
    if (absent && access(path, F_OK) == 0) /* early, so that the winner's .crc stays */
        return weir_fail(err, WEIR_EXISTS, "is there already");
    WEIR_TRY(file_stage(fs, path, tmp, p, n, fleeting, err));
    if (staged >= 0)
        WEIR_GO(weir_point((weir_point_id)staged, err));
    file_crc_remove(path);
    if (absent) {
        WEIR_GO(file_name_absent(tmp, path, err));
    } else if (weir_os->rename(tmp, path) != 0) {
        WEIR_GO(weir_fail_os(err, WEIR_IO, errno, "rename"));
    }
    (void)weir_os->unlink(tmp); /* gone already after a rename */
    return fleeting ? WEIR_OK : file_folder_sync(fs, path, file_folder_len(path), err);
out:
    if (rc != WEIR_UNKNOWN) /* then it is the only witness */
        (void)weir_os->unlink(tmp);
    return rc;
}

static weir_rc
file_remove(void *self, const char *key, struct weir_error *err)
{
    char path[PATH_MAX];

    WEIR_TRY(file_path(self, key, path, err));
    if (weir_os->unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR)
        return weir_fail_os(err, WEIR_IO, errno, "remove");
    file_crc_remove(path);
    return WEIR_OK;
}

/* --- outputs: written in place under their unique name, or staged beside it ---------------------------------- */

static weir_rc
file_create(void *self, const char *key, bool staged, struct weir_output **out, struct weir_error *err)
{
    struct file_store *fs = self;
    struct file_output *o = NULL;
    weir_rc rc;

    WEIR_TRY(file_usable(fs, err));
    o = weir_heap_alloc(fs->quota, sizeof(*o));
    if (o == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for an output");
    o->fs = fs;
    o->name[0] = '\0';
    WEIR_GO(file_path(fs, key, staged ? o->name : o->path, err));
    if (staged && access(o->name, F_OK) == 0)
        WEIR_GO(weir_fail(err, WEIR_EXISTS, "is there already"));
    if (staged)
        WEIR_GO(file_temp(o->name, o->path, err));
    WEIR_GO(file_new(fs, o->path, &o->fd, err));
    if (!staged)
        file_crc_remove(o->path);
    *out = &o->base;
    return WEIR_OK;
out:
    weir_heap_free(fs->quota, o, sizeof(*o));
    return rc;
}

static weir_rc
file_write(struct weir_output *out, const void *p, size_t n, struct weir_error *err)
{
    struct file_output *o = (struct file_output *)out;
    weir_rc rc = file_write_all(o->fd, p, n, err);

    return rc == WEIR_OK ? rc : weir_error_context(err, "%s", o->path);
}

static weir_rc
file_finish(struct weir_output *out, struct weir_error *err)
{
    struct file_output *o = (struct file_output *)out;
    struct file_store *fs = o->fs;
    weir_rc rc = file_usable(fs, err);

    if (rc == WEIR_OK && weir_os->sync(o->fd) != 0)
        rc = file_broken(fs, errno, o->path, err);
    if (weir_os->close(o->fd) != 0 && rc == WEIR_OK)
        rc = file_broken(fs, errno, o->path, err);
    if (o->name[0] != '\0') {
        if (rc == WEIR_OK) {
            file_crc_remove(o->name);
            rc = file_name_absent(o->path, o->name, err);
            if (rc != WEIR_OK)
                weir_error_context(err, "%s", o->name);
        }
        if (rc != WEIR_UNKNOWN) /* then it is the only witness */
            (void)weir_os->unlink(o->path);
    }
    if (rc == WEIR_OK)
        rc = file_folder_sync(fs, o->path, file_folder_len(o->path), err);
    weir_heap_free(fs->quota, o, sizeof(*o));
    return rc;
}

static void
file_abort(struct weir_output *out)
{
    struct file_output *o = (struct file_output *)out;

    (void)weir_os->close(o->fd);
    (void)weir_os->unlink(o->path);
    weir_heap_free(o->fs->quota, o, sizeof(*o));
}

/* --- reading ------------------------------------------------------------------------------------------------ */

static int64_t
file_mtime_ms(const struct stat *st)
{
    return (int64_t)st->st_mtim.tv_sec * 1000 + st->st_mtim.tv_nsec / 1000000;
}

static weir_rc
file_head(void *self, const char *key, struct weir_object *out, struct weir_error *err)
{
    char path[PATH_MAX];
    struct stat st;

    WEIR_TRY(file_path(self, key, path, err));
    if (stat(path, &st) != 0)
        return weir_fail_os(err, errno == ENOTDIR ? WEIR_NOTFOUND : WEIR_IO, errno, "stat");
    if (!S_ISREG(st.st_mode))
        return weir_fail(err, WEIR_NOTFOUND, "is not a file");
    *out = (struct weir_object){.size = st.st_size, .mtime_ms = file_mtime_ms(&st)};
    return WEIR_OK;
}

/* Asks about the root, or about the nearest folder above it that is there. */
static weir_rc
file_writable(void *self, struct weir_error *err)
{
    const struct file_store *fs = self;
    char path[PATH_MAX];
    int n = snprintf(path, sizeof(path), "%s", fs->root), why;

    if (n < 0 || (size_t)n >= sizeof(path))
        return weir_fail_os(err, WEIR_IO, ENAMETOOLONG, "path of %d bytes", n);
    while (faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) != 0) {
        char *slash = strrchr(path, '/');

        why = errno;
        if (why != ENOENT || slash == NULL || strcmp(path, "/") == 0)
            return weir_fail_os(err, WEIR_IO, why, "%s cannot be written to", path);
        slash[slash == path ? 1 : 0] = '\0';
    }
    return WEIR_OK;
}

static weir_rc
file_root(void *self, struct weir_object *out, struct weir_error *err)
{
    const struct file_store *fs = self;
    struct stat st;

    if (stat(fs->root, &st) != 0)
        return weir_fail_os(err, errno == ENOTDIR ? WEIR_NOTFOUND : WEIR_IO, errno, "stat");
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return weir_fail(err, WEIR_NOTFOUND, "is neither a folder nor a file");
    *out = (struct weir_object){.size = S_ISDIR(st.st_mode) ? -1 : st.st_size, .mtime_ms = file_mtime_ms(&st)};
    return WEIR_OK;
}

static weir_rc
file_open_input(void *self, const char *key, int64_t at, struct weir_input **out, struct weir_error *err)
{
    struct file_store *fs = self;
    struct file_input *in;
    char path[PATH_MAX];
    struct stat st;
    int fd;

    WEIR_TRY(file_path(fs, key, path, err));
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not make weir wait for ever */
    if (fd < 0)
        return weir_fail_os(err, errno == ENOTDIR ? WEIR_NOTFOUND : WEIR_IO, errno, "open");
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return weir_fail(err, WEIR_NOTFOUND, "is not a file");
    }
    in = weir_heap_alloc(fs->quota, sizeof(*in));
    if (in == NULL) {
        close(fd);
        return weir_fail(err, WEIR_NOMEM, "no memory for an input");
    }
    (void)posix_fadvise(fd, at, 0, POSIX_FADV_SEQUENTIAL);
    *in = (struct file_input){.fd = fd, .at = at};
    *out = &in->base;
    return WEIR_OK;
}

static weir_rc
file_read(struct weir_input *base, void *p, size_t n, size_t *got, struct weir_error *err)
{
    struct file_input *in = (struct file_input *)base;
    ssize_t r;

    do {
        r = pread(in->fd, p, n, in->at);
    } while (r < 0 && errno == EINTR);
    if (r < 0)
        return weir_fail_os(err, WEIR_IO, errno, "read at byte %" PRId64, in->at);
    in->at += r;
    *got = (size_t)r;
    return WEIR_OK;
}

static void
file_close_input(struct weir_input *base)
{
    struct file_input *in = (struct file_input *)base;
    struct file_store *fs = base->store->self;

    close(in->fd);
    weir_heap_free(fs->quota, in, sizeof(*in));
}

/* --- listing: a folder's names are sorted before anything is shown ------------------------------------------- */

struct file_walk {
    struct file_store *fs;
    const char *from;
    weir_list_mode mode;
    bool (*enter)(void *arg, const char *folder); /* NULL: every folder */
    weir_rc (*cb)(void *arg, const struct weir_object *obj, struct weir_error *err);
    void *arg;
    char path[PATH_MAX]; /* root/key */
    size_t root;         /* where key begins */
    struct {             /* the folders that lead to where the walk is */
        dev_t dev;
        ino_t ino;
    } up[WEIR_NEST_MAX + 1];
};

struct file_name {
    char *name;
    unsigned char type; /* DT_* */
};

struct file_names {
    struct weir_mem *mem;
    struct file_name *at;
    size_t n, cap;
};

static int
file_name_order(const void *a, const void *b)
{
    return strcmp(((const struct file_name *)a)->name, ((const struct file_name *)b)->name);
}

static weir_rc
file_names_add(struct file_names *names, const struct dirent *e, struct weir_quota *q, struct weir_error *err)
{
    if (names->n == names->cap) {
        size_t cap = names->cap == 0 ? 256 : names->cap * 2;
        void *p = weir_heap_grow(q, names->at, names->cap * sizeof(*names->at), cap * sizeof(*names->at));

        if (p == NULL)
            return weir_fail(err, WEIR_NOMEM, "a folder of more than %zu names", names->n);
        names->at = p;
        names->cap = cap;
    }
    names->at[names->n] = (struct file_name){weir_mem_strdup(names->mem, e->d_name), e->d_type};
    if (names->at[names->n++].name == NULL)
        return weir_mem_fail(names->mem, strlen(e->d_name), err);
    return WEIR_OK;
}

/* The names of walk->path that may hold keys from `from` on. */
static weir_rc
file_names_read(struct file_walk *walk, struct file_names *names, struct weir_error *err)
{
    size_t at = strlen(walk->path), key = at - walk->root;
    const char *from = walk->from;
    DIR *dir = opendir(walk->path);
    struct dirent *e;
    weir_rc rc = WEIR_OK;

    if (dir == NULL && (errno == ENOENT || errno == ENOTDIR))
        return WEIR_OK;
    if (dir == NULL)
        return weir_fail_os(err, WEIR_IO, errno, "folder %s", walk->path);
    /* `from` cuts names of this folder only when it lies in it. */
    if (from != NULL && (strlen(from) < key || memcmp(from, walk->path + walk->root, key) != 0))
        from = NULL;
    while (rc == WEIR_OK && (errno = 0, e = readdir(dir)) != NULL) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (from != NULL && strncmp(e->d_name, from + key, strlen(e->d_name)) < 0)
            continue;
        rc = file_names_add(names, e, walk->fs->quota, err);
    }
    if (rc == WEIR_OK && errno != 0)
        rc = weir_fail_os(err, WEIR_IO, errno, "folder %s", walk->path);
    closedir(dir);
    if (names->n > 0)
        qsort(names->at, names->n, sizeof(*names->at), file_name_order);
    return rc;
}

static weir_rc file_walk_folder(struct file_walk *walk, const struct stat *st, unsigned depth,
                                struct weir_error *err);

static weir_rc
file_walk_object(struct file_walk *walk, int64_t size, int64_t mtime_ms, struct weir_error *err)
{
    struct weir_object obj = {walk->path + walk->root, size, mtime_ms};

    if (walk->from != NULL && strcmp(obj.key, walk->from) < 0)
        return WEIR_OK;
    return walk->cb(walk->arg, &obj, err);
}

static weir_rc
file_walk_name(struct file_walk *walk, const struct file_name *name, unsigned depth, struct weir_error *err)
{
    size_t n = strlen(walk->path), len = strlen(name->name);
    struct stat st;
    weir_rc rc = WEIR_OK;

    if (n + len + 2 > PATH_MAX)
        return weir_fail_os(err, WEIR_IO, ENAMETOOLONG, "%s/%s", walk->path, name->name);
    memcpy(walk->path + n, name->name, len + 1);
    if (walk->mode == WEIR_LIST_NAMES && name->type == DT_REG) {
        rc = file_walk_object(walk, -1, -1, err);
    } else if (stat(walk->path, &st) != 0) {
        if (errno != ENOENT && errno != ELOOP) /* gone meanwhile, or a link to nothing */
            rc = weir_fail_os(err, WEIR_IO, errno, "%s", walk->path);
    } else if (S_ISDIR(st.st_mode) && walk->mode == WEIR_LIST_DEEP) {
        if (walk->enter == NULL || walk->enter(walk->arg, walk->path + walk->root)) {
            memcpy(walk->path + n + len, "/", 2);
            rc = file_walk_folder(walk, &st, depth + 1, err);
        }
    } else if (S_ISREG(st.st_mode)) {
        rc = file_walk_object(walk, st.st_size, file_mtime_ms(&st), err);
    }
    walk->path[n] = '\0';
    return rc;
}

/* Without this a link to a folder above would show every object under dozens of names. */
static weir_rc
file_walk_circle(struct file_walk *walk, const struct stat *st, unsigned depth, struct weir_error *err)
{
    if (depth > WEIR_NEST_MAX)
        return weir_fail(err, WEIR_IO, "%s: more than %d folders deep", walk->path, WEIR_NEST_MAX);
    for (unsigned i = 0; i < depth; i++) {
        if (walk->up[i].dev == st->st_dev && walk->up[i].ino == st->st_ino) {
            weir_fail(err, WEIR_IO, "%s is a link that leads back to a folder above it", walk->path);
            return weir_error_hint(err, "remove the link: everything below would be listed again and again");
        }
    }
    walk->up[depth].dev = st->st_dev;
    walk->up[depth].ino = st->st_ino;
    return WEIR_OK;
}

static weir_rc
file_walk_folder(struct file_walk *walk, const struct stat *st, unsigned depth, struct weir_error *err)
{
    struct file_names names = {0};
    weir_rc rc;

    WEIR_TRY(file_walk_circle(walk, st, depth, err));
    names.mem = weir_mem_new(NULL, walk->fs->quota, "listing");
    if (names.mem == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory to list %s", walk->path);
    WEIR_GO(file_names_read(walk, &names, err));
    for (size_t i = 0; i < names.n; i++)
        WEIR_GO(file_walk_name(walk, &names.at[i], depth, err));
out:
    weir_heap_free(walk->fs->quota, names.at, names.cap * sizeof(*names.at));
    weir_mem_free(names.mem);
    return rc;
}

typedef bool file_enter(void *arg, const char *folder);
typedef weir_rc file_cb(void *arg, const struct weir_object *obj, struct weir_error *err);

static weir_rc
file_walk(struct file_store *fs, const char *prefix, const char *from, weir_list_mode mode, file_enter *enter,
          file_cb *cb, void *arg, struct weir_error *err)
{
    struct file_walk *walk = weir_heap_alloc(fs->quota, sizeof(*walk));
    struct stat st;
    weir_rc rc;

    if (walk == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory to list %s", prefix);
    *walk = (struct file_walk){.fs = fs, .from = from, .mode = mode, .enter = enter, .cb = cb, .arg = arg};
    WEIR_GO(file_path(fs, "", walk->path, err));
    walk->root = strlen(walk->path);
    if (walk->root + strlen(prefix) + 2 > PATH_MAX)
        WEIR_GO(weir_fail_os(err, WEIR_IO, ENAMETOOLONG, "%s", prefix));
    if (walk->path[walk->root - 1] != '/')
        walk->path[walk->root++] = '/';
    memcpy(walk->path + walk->root, prefix, strlen(prefix) + 1);
    if (stat(walk->path, &st) == 0) /* else there is nothing, or opening it says what is wrong */
        rc = file_walk_folder(walk, &st, 0, err);
    else if (errno != ENOENT && errno != ENOTDIR)
        rc = weir_fail_os(err, WEIR_IO, errno, "folder %s", walk->path);
out:
    weir_heap_free(fs->quota, walk, sizeof(*walk));
    return rc == WEIR_END ? WEIR_OK : rc;
}

static weir_rc
file_list(void *self, const char *prefix, const char *from, weir_list_mode mode,
          weir_rc (*cb)(void *arg, const struct weir_object *obj, struct weir_error *err), void *arg,
          struct weir_error *err)
{
    return file_walk(self, prefix, from, mode, NULL, cb, arg, err);
}

static weir_rc
file_walk_all(void *self, file_enter *enter, file_cb *cb, void *arg, struct weir_error *err)
{
    return file_walk(self, "", NULL, WEIR_LIST_DEEP, enter, cb, arg, err);
}

/* --- locks -------------------------------------------------------------------------------------------------- */

static weir_rc
file_lock(void *self, const char *key, int *lock, struct weir_error *err)
{
    struct file_store *fs = self;
    char path[PATH_MAX];
    int fd, why;

    WEIR_TRY(file_path(fs, key, path, err));
    WEIR_TRY(file_folder_make(fs, path, file_folder_len(path), err));
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return weir_fail_os(err, WEIR_IO, errno, "open");
    do {
        why = weir_os->lock(fd) == 0 ? 0 : errno;
    } while (why == EINTR);
    if (why == 0) {
        *lock = fd;
        return WEIR_OK;
    }
    close(fd);
    *lock = -1;
    if (why == EWOULDBLOCK)
        return weir_fail(err, WEIR_EXISTS, "is locked");
    if (why != ENOLCK && why != EOPNOTSUPP && why != ENOSYS && why != EINVAL)
        return weir_fail_os(err, WEIR_IO, why, "lock");
    weir_warn("%s: this file system has no locks; a second run is kept out by the lease alone", path);
    return WEIR_OK;
}

static void
file_unlock(void *self, int lock)
{
    (void)self;
    close(lock);
}

const struct weir_store_type weir_store_file = {
    .scheme = "file",
    .about = "folders of this machine",
    .open = file_open,
    .list = file_list,
    .walk = file_walk_all,
    .root = file_root,
    .local = file_local,
    .writable = file_writable,
    .head = file_head,
    .open_input = file_open_input,
    .read = file_read,
    .close_input = file_close_input,
    .put = file_put,
    .create = file_create,
    .write = file_write,
    .finish = file_finish,
    .abort = file_abort,
    .remove = file_remove,
    .lock = file_lock,
    .unlock = file_unlock,
    .close = file_close,
};
