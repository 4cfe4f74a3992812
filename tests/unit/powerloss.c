/* Recording and replaying changes of files. powerloss.h.
 *
 * Files and folders are numbered nodes; a folder's names are (folder, name) -> node, as they change over the record.
 * A file keeps all bytes that it ever got; records say up to where they had come. */
#include "powerloss.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/os.h"

enum { FDS = 4096, NONE = -1 };

struct node {
    bool folder;
    char *p;
    size_t n, cap;
};

struct name {
    int folder, node; /* node NONE: removed */
    char *text;
};

typedef enum change_kind { SET, DEL, MOVE, WRITE, SYNC, SYNC_FOLDER } change_kind;

struct change {
    change_kind kind;
    int folder, node; /* of a name; or the node written or synced */
    char *text, *to;  /* MOVE: both in one folder */
    size_t n;         /* WRITE: bytes of the node behind it */
};

struct note {
    size_t at;
    int64_t what;
};

static struct {
    pthread_mutex_t lock;
    bool on;
    char root[PATH_MAX];
    struct node *nodes;
    struct name *live, *base;
    struct change *changes;
    struct note *notes;
    int nnodes, fds[FDS];
    size_t nlive, nbase, nchanges, nnotes;
} pl = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *
grow(void *p, size_t n, size_t size)
{
    if ((n & (n - 1)) == 0) /* doubles at powers of two */
        p = realloc(p, (n == 0 ? 1 : 2 * n) * size);
    if (p == NULL)
        abort();
    return p;
}

static int
node_new(bool folder)
{
    pl.nodes = grow(pl.nodes, (size_t)pl.nnodes, sizeof(*pl.nodes));
    pl.nodes[pl.nnodes] = (struct node){.folder = folder};
    return pl.nnodes++;
}

static void
node_add(struct node *node, const void *p, size_t n)
{
    if (node->n + n > node->cap) {
        node->cap = (node->n + n) * 2;
        node->p = realloc(node->p, node->cap);
        if (node->p == NULL)
            abort();
    }
    memcpy(node->p + node->n, p, n);
    node->n += n;
}

static void
change_add(struct change c)
{
    pl.changes = grow(pl.changes, pl.nchanges, sizeof(c));
    pl.changes[pl.nchanges++] = c;
}

/* --- names ------------------------------------------------------------------------------------------------------ */

static int
names_get(const struct name *names, size_t n, int folder, const char *text, size_t len)
{
    for (size_t i = n; i-- > 0;) {
        if (names[i].folder == folder && strlen(names[i].text) == len && memcmp(names[i].text, text, len) == 0)
            return names[i].node;
    }
    return NONE;
}

/* Later entries hide earlier ones of the same name. */
static struct name *
names_put(struct name *names, size_t *n, int folder, const char *text, int node)
{
    for (size_t i = 0; i < *n; i++) {
        if (names[i].folder == folder && strcmp(names[i].text, text) == 0) {
            names[i].node = node;
            return names;
        }
    }
    names = grow(names, *n, sizeof(*names));
    names[(*n)++] = (struct name){folder, node, strdup(text)};
    return names;
}

static void
names_free(struct name *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(names[i].text);
    free(names);
}

/* The folder that holds path, and the last part of path. NONE: path is not ours. */
static int
path_split(const char *path, const char **last)
{
    size_t n = strlen(pl.root);
    int folder = 0;

    if (!pl.on || strncmp(path, pl.root, n) != 0 || path[n] != '/')
        return NONE;
    path += n + 1;
    for (;;) {
        const char *slash = strchr(path, '/');

        if (slash == NULL)
            break;
        folder = names_get(pl.live, pl.nlive, folder, path, (size_t)(slash - path));
        if (folder == NONE)
            return NONE;
        path = slash + 1;
    }
    *last = path;
    return folder;
}

static void
record_set(const char *path, int node)
{
    const char *last;
    int folder = path_split(path, &last);

    if (folder == NONE)
        return;
    pl.live = names_put(pl.live, &pl.nlive, folder, last, node);
    change_add((struct change){.kind = SET, .folder = folder, .node = node, .text = strdup(last)});
}

static int
path_node(const char *path)
{
    const char *last;
    int folder;

    if (pl.on && strcmp(path, pl.root) == 0)
        return 0;
    folder = path_split(path, &last);
    return folder == NONE ? NONE : names_get(pl.live, pl.nlive, folder, last, strlen(last));
}

/* --- the recorded calls ------------------------------------------------------------------------------------------ */

#define DONE(expr)                                                                                      \
    do {                                                                                                \
        int errno_ = errno;                                                                             \
        pthread_mutex_lock(&pl.lock);                                                                   \
        expr;                                                                                           \
        pthread_mutex_unlock(&pl.lock);                                                                 \
        errno = errno_;                                                                                 \
    } while (0)

static void
created(const char *path, int fd)
{
    const char *last;
    int node;

    if (fd >= FDS || path_split(path, &last) == NONE)
        return;
    node = node_new(false);
    pl.fds[fd] = node + 1;
    record_set(path, node);
}

static int
os_create(const char *path)
{
    int fd = weir_os_real.create(path);

    if (fd >= 0)
        DONE(created(path, fd));
    return fd;
}

static void
written(int fd, const void *p, size_t n)
{
    int node = fd < FDS ? pl.fds[fd] - 1 : NONE;

    if (node == NONE)
        return;
    node_add(&pl.nodes[node], p, n);
    change_add((struct change){.kind = WRITE, .node = node, .n = pl.nodes[node].n});
}

static ssize_t
os_write(int fd, const void *p, size_t n)
{
    ssize_t got = weir_os_real.write(fd, p, n);

    if (got > 0)
        DONE(written(fd, p, (size_t)got));
    return got;
}

static void
synced(int node, change_kind kind)
{
    if (node != NONE)
        change_add((struct change){.kind = kind, .node = node});
}

static int
os_sync(int fd)
{
    int rc = weir_os_real.sync(fd);

    if (rc == 0)
        DONE(synced(fd < FDS ? pl.fds[fd] - 1 : NONE, SYNC));
    return rc;
}

static int
os_close(int fd)
{
    DONE(if (fd >= 0 && fd < FDS) pl.fds[fd] = 0);
    return weir_os_real.close(fd);
}

static int
os_link(const char *from, const char *to)
{
    int rc = weir_os_real.link(from, to);

    if (rc == 0)
        DONE(record_set(to, path_node(from)));
    return rc;
}

static void
moved(const char *from, const char *to)
{
    const char *a, *b;
    int folder = path_split(from, &a), folder_to = path_split(to, &b), node = path_node(from);

    if (folder == NONE)
        return;
    if (folder != folder_to) /* the store never does that */
        abort();
    pl.live = names_put(pl.live, &pl.nlive, folder, a, NONE);
    pl.live = names_put(pl.live, &pl.nlive, folder, b, node);
    change_add((struct change){.kind = MOVE, .folder = folder, .node = node, .text = strdup(a), .to = strdup(b)});
}

static int
os_rename(const char *from, const char *to)
{
    int rc = weir_os_real.rename(from, to);

    if (rc == 0)
        DONE(moved(from, to));
    return rc;
}

static int
os_rename_absent(const char *from, const char *to)
{
    int rc = weir_os_real.rename_absent(from, to);

    if (rc == 0)
        DONE(moved(from, to));
    return rc;
}

static void
unlinked(const char *path)
{
    const char *last;
    int folder = path_split(path, &last);

    if (folder == NONE)
        return;
    pl.live = names_put(pl.live, &pl.nlive, folder, last, NONE);
    change_add((struct change){.kind = DEL, .folder = folder, .text = strdup(last)});
}

static int
os_unlink(const char *path)
{
    int rc = weir_os_real.unlink(path);

    if (rc == 0)
        DONE(unlinked(path));
    return rc;
}

static int
os_mkdir(const char *path)
{
    int rc = weir_os_real.mkdir(path);

    if (rc == 0)
        DONE(record_set(path, node_new(true)));
    return rc;
}

static int
os_sync_folder(const char *path)
{
    int rc = weir_os_real.sync_folder(path);

    if (rc == 0)
        DONE(synced(path_node(path), SYNC_FOLDER));
    return rc;
}

static int
os_lock(int fd)
{
    return weir_os_real.lock(fd); /* changes nothing on the disk */
}

static const struct weir_os recorder = {
    .create = os_create,
    .write = os_write,
    .sync = os_sync,
    .close = os_close,
    .link = os_link,
    .rename = os_rename,
    .rename_absent = os_rename_absent,
    .unlink = os_unlink,
    .mkdir = os_mkdir,
    .sync_folder = os_sync_folder,
    .lock = os_lock,
};

/* --- beginning and end ------------------------------------------------------------------------------------------- */

static void
base_file(int node, const char *path)
{
    char p[65536];
    ssize_t n;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    while ((n = read(fd, p, sizeof(p))) > 0)
        node_add(&pl.nodes[node], p, (size_t)n);
    close(fd);
}

static void
base_folder(int folder, const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *e;

    assert_non_null(dir);
    while ((e = readdir(dir)) != NULL) {
        char below[PATH_MAX];
        struct stat st;
        int node;

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        assert_true(snprintf(below, sizeof(below), "%s/%s", path, e->d_name) < (int)sizeof(below));
        assert_int_equal(lstat(below, &st), 0);
        if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
            continue;
        node = node_new(S_ISDIR(st.st_mode));
        pl.live = names_put(pl.live, &pl.nlive, folder, e->d_name, node);
        pl.base = names_put(pl.base, &pl.nbase, folder, e->d_name, node);
        if (S_ISDIR(st.st_mode))
            base_folder(node, below);
        else
            base_file(node, below);
    }
    closedir(dir);
}

void
weir_powerloss_begin(const char *root)
{
    weir_powerloss_free();
    assert_true(strlen(root) < sizeof(pl.root));
    memcpy(pl.root, root, strlen(root) + 1);
    pl.on = true;
    node_new(true);
    base_folder(0, root);
    for (int i = 0; i < pl.nnodes; i++) { /* their bytes are synced from the start */
        if (!pl.nodes[i].folder) {
            change_add((struct change){.kind = WRITE, .node = i, .n = pl.nodes[i].n});
            change_add((struct change){.kind = SYNC, .node = i});
        }
    }
    weir_os = &recorder;
}

void
weir_powerloss_end(void)
{
    weir_os = &weir_os_real;
}

void
weir_powerloss_free(void)
{
    weir_os = &weir_os_real;
    for (int i = 0; i < pl.nnodes; i++)
        free(pl.nodes[i].p);
    for (size_t i = 0; i < pl.nchanges; i++) {
        free(pl.changes[i].text);
        free(pl.changes[i].to);
    }
    names_free(pl.live, pl.nlive);
    names_free(pl.base, pl.nbase);
    free(pl.nodes);
    free(pl.changes);
    free(pl.notes);
    pl.nodes = NULL;
    pl.live = pl.base = NULL;
    pl.changes = NULL;
    pl.notes = NULL;
    pl.nnodes = 0;
    pl.nlive = pl.nbase = pl.nchanges = pl.nnotes = 0;
    pl.on = false;
    memset(pl.fds, 0, sizeof(pl.fds));
}

size_t
weir_powerloss_count(void)
{
    size_t n;

    pthread_mutex_lock(&pl.lock);
    n = pl.nchanges;
    pthread_mutex_unlock(&pl.lock);
    return n;
}

void
weir_powerloss_note(int64_t what)
{
    pthread_mutex_lock(&pl.lock);
    pl.notes = grow(pl.notes, pl.nnotes, sizeof(*pl.notes));
    pl.notes[pl.nnotes++] = (struct note){pl.nchanges, what};
    pthread_mutex_unlock(&pl.lock);
}

int64_t
weir_powerloss_noted(size_t n)
{
    int64_t what = -1;

    for (size_t i = 0; i < pl.nnotes && pl.notes[i].at <= n; i++)
        what = pl.notes[i].what;
    return what;
}

/* --- what the disk holds ------------------------------------------------------------------------------------------ */

static unsigned
dice(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16;
}

/* Whether the change of a name reached the disk: its folder was synced behind it, or luck. */
static bool
name_survives(size_t at, size_t n, weir_powerloss_mode mode, unsigned *seed)
{
    for (size_t i = at + 1; i < n; i++) {
        if (pl.changes[i].kind == SYNC_FOLDER && pl.changes[i].node == pl.changes[at].folder)
            return true;
    }
    return mode == WEIR_POWERLOSS_NAMES || (mode == WEIR_POWERLOSS_RANDOM && dice(seed) % 2 == 0);
}

static void
build_file(int node, const char *dest, size_t n, weir_powerloss_mode mode, unsigned *seed)
{
    size_t all = 0, sure = 0, len;
    char *p;
    int fd = open(dest, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);

    assert_true(fd >= 0);
    for (size_t i = 0; i < n; i++) {
        if (pl.changes[i].node != node)
            continue;
        if (pl.changes[i].kind == WRITE)
            all = pl.changes[i].n;
        else if (pl.changes[i].kind == SYNC)
            sure = all;
    }
    len = mode == WEIR_POWERLOSS_RANDOM && all > sure ? sure + dice(seed) % (all - sure + 1) : sure;
    p = calloc(1, len + 1);
    assert_non_null(p);
    memcpy(p, pl.nodes[node].p != NULL ? pl.nodes[node].p : "", mode == WEIR_POWERLOSS_RANDOM && dice(seed) % 2 ? sure : len);
    assert_true(write(fd, p, len) == (ssize_t)len);
    free(p);
    close(fd);
}

static void
build_folder(const struct name *names, size_t nnames, int folder, const char *dest, size_t n,
             weir_powerloss_mode mode, unsigned *seed)
{
    char below[PATH_MAX];

    assert_int_equal(mkdir(dest, 0777), 0);
    for (size_t i = 0; i < nnames; i++) {
        if (names[i].folder != folder || names[i].node == NONE)
            continue;
        assert_true(snprintf(below, sizeof(below), "%s/%s", dest, names[i].text) < (int)sizeof(below));
        if (pl.nodes[names[i].node].folder)
            build_folder(names, nnames, names[i].node, below, n, mode, seed);
        else
            build_file(names[i].node, below, n, mode, seed);
    }
}

void
weir_powerloss_build(size_t n, weir_powerloss_mode mode, unsigned seed, const char *dest)
{
    struct name *names = NULL;
    size_t nnames = 0;

    assert_true(n <= pl.nchanges);
    for (size_t i = 0; i < pl.nbase; i++)
        names = names_put(names, &nnames, pl.base[i].folder, pl.base[i].text, pl.base[i].node);
    for (size_t i = 0; i < n; i++) {
        const struct change *c = &pl.changes[i];

        if (c->kind > MOVE || !name_survives(i, n, mode, &seed))
            continue;
        names = names_put(names, &nnames, c->folder, c->text, c->kind == SET ? c->node : NONE);
        if (c->kind == MOVE)
            names = names_put(names, &nnames, c->folder, c->to, c->node);
    }
    build_folder(names, nnames, 0, dest, n, mode, &seed);
    names_free(names, nnames);
}
