/* The contract of store.h, over every store that can be had without a network; lines and URIs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/point.h"
#include "base/str.h"
#include "store/fault.h"
#include "store/mem.h"
#include "store/os.h"
#include "store/store.h"

struct fixture {
    struct weir_mem *mem;
    struct weir_store *st;
    char dir[64];
};

static struct weir_error err;

static void
setup(struct fixture *f, bool file)
{
    char uri[128];

    memset(f, 0, sizeof(*f));
    f->mem = weir_mem_new(NULL, NULL, "test");
    snprintf(f->dir, sizeof(f->dir), "/tmp/weir-store-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    snprintf(uri, sizeof(uri), file ? "%s/new/root" : "mem:test-store/root", f->dir);
    assert_int_equal(weir_store_open(uri, f->mem, &f->st, &err), WEIR_OK);
}

static void
teardown(struct fixture *f)
{
    char cmd[128];

    weir_store_close(f->st);
    weir_mem_free(f->mem);
    weir_mem_store_drop("test-store");
    snprintf(cmd, sizeof(cmd), "rm -rf %s", f->dir);
    assert_int_equal(system(cmd), 0);
}

static void
get_is(struct weir_store *st, const char *key, const char *text)
{
    struct weir_buf buf = WEIR_BUF(1 << 20);

    assert_int_equal(weir_store_get(st, key, &buf, &err), WEIR_OK);
    assert_int_equal(buf.len, strlen(text));
    assert_memory_equal(buf.len > 0 ? buf.data : "", text, buf.len);
    weir_buf_fini(&buf);
}

static weir_rc
put(struct weir_store *st, const char *key, const char *text, weir_put_mode mode)
{
    return weir_store_put(st, key, text, strlen(text), mode, &err);
}

static void
check_put(struct weir_store *st)
{
    assert_int_equal(put(st, "a/b/one", "first", WEIR_PUT_ABSENT), WEIR_OK);
    assert_int_equal(put(st, "a/b/one", "second", WEIR_PUT_ABSENT), WEIR_EXISTS);
    get_is(st, "a/b/one", "first");
    assert_int_equal(put(st, "a/b/one", "third", WEIR_PUT_REPLACE), WEIR_OK);
    get_is(st, "a/b/one", "third");
    assert_int_equal(put(st, "empty", "", WEIR_PUT_ABSENT), WEIR_OK);
    get_is(st, "empty", "");
    assert_int_equal(weir_store_remove(st, "a/b/one", &err), WEIR_OK);
    assert_int_equal(weir_store_remove(st, "a/b/one", &err), WEIR_OK);
    assert_int_equal(weir_store_remove(st, "no/such/folder", &err), WEIR_OK);
    assert_int_equal(put(st, "a/b/one", "again", WEIR_PUT_ABSENT), WEIR_OK);
}

static void
check_reading(struct weir_store *st)
{
    struct weir_buf small = WEIR_BUF(4), exact = WEIR_BUF(5);
    struct weir_input *in;
    struct weir_object obj;
    char p[8];
    size_t got;

    assert_int_equal(put(st, "x", "12345", WEIR_PUT_ABSENT), WEIR_OK);
    assert_int_equal(weir_store_head(st, "x", &obj, &err), WEIR_OK);
    assert_int_equal(obj.size, 5);
    assert_true(obj.mtime_ms > INT64_C(1577836800000));
    assert_int_equal(weir_store_head(st, "y", &obj, &err), WEIR_NOTFOUND);
    assert_int_equal(weir_store_head(st, "x/y", &obj, &err), WEIR_NOTFOUND);
    assert_int_equal(weir_store_get(st, "y", &exact, &err), WEIR_NOTFOUND);
    assert_int_equal(weir_store_get(st, "x", &small, &err), WEIR_NOMEM);
    assert_int_equal(weir_store_get(st, "x", &exact, &err), WEIR_OK);
    assert_int_equal(weir_input_open(st, "x", 3, &in, &err), WEIR_OK);
    assert_int_equal(weir_input_read(in, p, sizeof(p), &got, &err), WEIR_OK);
    assert_int_equal(got, 2);
    assert_memory_equal(p, "45", 2);
    assert_int_equal(weir_input_read(in, p, sizeof(p), &got, &err), WEIR_OK);
    assert_int_equal(got, 0);
    weir_input_close(in);
    weir_buf_fini(&small);
    weir_buf_fini(&exact);
}

static void
check_outputs(struct weir_store *st)
{
    struct weir_output *out;

    assert_int_equal(weir_output_create(st, "p=1/f", &out, &err), WEIR_OK);
    assert_int_equal(weir_output_write(out, "ab", 2, &err), WEIR_OK);
    assert_int_equal(weir_output_write(out, "c", 1, &err), WEIR_OK);
    assert_int_equal(weir_output_finish(out, &err), WEIR_OK);
    get_is(st, "p=1/f", "abc");
    assert_int_equal(weir_output_create(st, "p=1/f", &out, &err), WEIR_EXISTS);
    assert_int_equal(weir_output_create(st, "p=1/g", &out, &err), WEIR_OK);
    assert_int_equal(weir_output_write(out, "ab", 2, &err), WEIR_OK);
    weir_output_abort(out);
    assert_int_equal(weir_output_create(st, "p=1/g", &out, &err), WEIR_OK);
    assert_int_equal(weir_output_finish(out, &err), WEIR_OK);
    get_is(st, "p=1/g", "");
    weir_output_abort(NULL);
    weir_input_close(NULL);
}

struct names {
    char text[512];
    int stop_after;
};

static weir_rc
names_add(void *arg, const struct weir_object *obj, struct weir_error *e)
{
    struct names *n = arg;
    size_t len = strlen(n->text);

    (void)e;
    snprintf(n->text + len, sizeof(n->text) - len, "%s:%d ", obj->key, (int)obj->size);
    return n->stop_after > 0 && --n->stop_after == 0 ? WEIR_END : WEIR_OK;
}

static void
list_is(struct weir_store *st, const char *prefix, const char *from, weir_list_mode mode, int stop_after, const char *text)
{
    struct names n = {.stop_after = stop_after};

    assert_int_equal(weir_store_list(st, prefix, from, mode, names_add, &n, &err), WEIR_OK);
    assert_string_equal(n.text, text);
}

static void
check_listing(struct weir_store *st)
{
    static const char *const keys[] = {"l/00", "l/02", "l/01", "l/.hid", "l/sub/a", "l/sub/deep/b", "l/zz", "m"};

    list_is(st, "nothing/", NULL, WEIR_LIST_DEEP, 0, "");
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        assert_int_equal(put(st, keys[i], keys[i], WEIR_PUT_ABSENT), WEIR_OK);
    list_is(st, "l/", NULL, WEIR_LIST_FOLDER, 0, "l/.hid:6 l/00:4 l/01:4 l/02:4 l/zz:4 ");
    list_is(st, "l/", "l/01", WEIR_LIST_FOLDER, 0, "l/01:4 l/02:4 l/zz:4 ");
    list_is(st, "l/", "l/010", WEIR_LIST_FOLDER, 0, "l/02:4 l/zz:4 ");
    list_is(st, "l/", NULL, WEIR_LIST_DEEP, 0, "l/.hid:6 l/00:4 l/01:4 l/02:4 l/sub/a:7 l/sub/deep/b:12 l/zz:4 ");
    list_is(st, "l/", "l/sub/b", WEIR_LIST_DEEP, 0, "l/sub/deep/b:12 l/zz:4 ");
    list_is(st, "", "l/sub/deep/b", WEIR_LIST_DEEP, 0, "l/sub/deep/b:12 l/zz:4 m:1 ");
    list_is(st, "l/", NULL, WEIR_LIST_FOLDER, 2, "l/.hid:6 l/00:4 ");
    list_is(st, "", NULL, WEIR_LIST_FOLDER, 0, "m:1 ");
}

static void
names_are_listed_without_looking_at_each(void **state)
{
    struct fixture f;
    char cmd[512];

    (void)state;
    setup(&f, true);
    assert_int_equal(put(f.st, "l/b", "12", WEIR_PUT_ABSENT), WEIR_OK);
    assert_int_equal(put(f.st, "l/sub/c", "1", WEIR_PUT_ABSENT), WEIR_OK);
    snprintf(cmd, sizeof(cmd), "cd %s/new/root/l && ln -s b a && ln -s sub d && ln -s nowhere e", f.dir);
    assert_int_equal(system(cmd), 0);
    list_is(f.st, "l/", NULL, WEIR_LIST_NAMES, 0, "l/a:2 l/b:-1 "); /* only a link must be looked at */
    list_is(f.st, "l/", "l/b", WEIR_LIST_NAMES, 0, "l/b:-1 ");
    teardown(&f);
}

static void
check_keys(struct weir_store *st)
{
    static const char *const bad[] = {"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", "a/.."};
    struct weir_output *out;

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_int_equal(put(st, bad[i], "x", WEIR_PUT_ABSENT), WEIR_CORRUPT);
        assert_int_equal(weir_output_create(st, bad[i], &out, &err), WEIR_CORRUPT);
        assert_int_equal(weir_store_remove(st, bad[i], &err), WEIR_CORRUPT);
    }
    assert_int_equal(put(st, "..a/...", "x", WEIR_PUT_ABSENT), WEIR_OK);
    assert_int_equal(put(st, "p=a%2Fb \xc3\xbc/x y", "x", WEIR_PUT_ABSENT), WEIR_OK);
    get_is(st, "p=a%2Fb \xc3\xbc/x y", "x");
}

enum { RACERS = 8, RACES = 50 };

struct racer {
    struct weir_store *st;
    int id, won;
};

static void *
race(void *arg)
{
    struct racer *r = arg;
    struct weir_error e = {0};
    char key[16], text[16];

    for (int i = 0; i < RACES; i++) {
        weir_rc rc;

        snprintf(key, sizeof(key), "log/%04d", i);
        snprintf(text, sizeof(text), "by %d", r->id);
        rc = weir_store_put(r->st, key, text, strlen(text), WEIR_PUT_ABSENT, &e);
        if (rc == WEIR_OK)
            r->won++;
        else if (rc != WEIR_EXISTS)
            r->won = 1000000;
    }
    return NULL;
}

static void
check_race(struct weir_store *st)
{
    struct racer r[RACERS];
    pthread_t t[RACERS];
    int won = 0;

    for (int i = 0; i < RACERS; i++) {
        r[i] = (struct racer){st, i, 0};
        assert_int_equal(pthread_create(&t[i], NULL, race, &r[i]), 0);
    }
    for (int i = 0; i < RACERS; i++) {
        pthread_join(t[i], NULL);
        won += r[i].won;
    }
    assert_int_equal(won, RACES);
}

static void
every_store_keeps_the_contract(void **state)
{
    static void (*const checks[])(struct weir_store *) = {check_put,     check_reading, check_outputs,
                                                          check_listing, check_keys,    check_race};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof(checks) / sizeof(*checks); i++) {
        struct fixture f;

        setup(&f, i % 2 == 0);
        checks[i / 2](f.st);
        teardown(&f);
    }
}

static void
touch(const char *dir, const char *name)
{
    char path[256];
    int fd;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    fd = open(path, O_CREAT | O_WRONLY, 0666);
    assert_true(fd >= 0);
    close(fd);
}

static bool
is_there(const char *dir, const char *name)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return access(path, F_OK) == 0;
}

static void
hadoop_checksums_go_before_their_file_changes_and_stay_with_a_winner(void **state)
{
    struct fixture f;
    char dir[128];

    (void)state;
    setup(&f, true);
    snprintf(dir, sizeof(dir), "%s/new/root", f.dir);
    assert_int_equal(put(f.st, "n", "1", WEIR_PUT_ABSENT), WEIR_OK);
    touch(dir, ".n.crc");
    assert_int_equal(put(f.st, "n", "2", WEIR_PUT_ABSENT), WEIR_EXISTS);
    assert_true(is_there(dir, ".n.crc"));
    assert_int_equal(put(f.st, "n", "2", WEIR_PUT_REPLACE), WEIR_OK);
    assert_false(is_there(dir, ".n.crc"));
    touch(dir, ".o.crc");
    assert_int_equal(put(f.st, "o", "1", WEIR_PUT_ABSENT), WEIR_OK);
    assert_false(is_there(dir, ".o.crc"));
    teardown(&f);
}

static weir_rc
refuse_point(void *arg, weir_point_id id, struct weir_error *e)
{
    const char *dir = arg;

    assert_int_equal(id, WEIR_POINT_COMMIT_TMP);
    assert_false(is_there(dir, "n"));
    return weir_fail(e, WEIR_IO, "at the point");
}

static void
a_put_that_fails_between_its_bytes_and_its_name_leaves_nothing(void **state)
{
    struct fixture f;
    char dir[128];

    (void)state;
    setup(&f, true);
    snprintf(dir, sizeof(dir), "%s/new/root", f.dir);
    weir_point_hook(refuse_point, dir);
    assert_int_equal(weir_store_put_at(f.st, "n", "1", 1, WEIR_PUT_ABSENT, WEIR_POINT_COMMIT_TMP, &err), WEIR_IO);
    weir_point_hook(NULL, NULL);
    list_is(f.st, "", NULL, WEIR_LIST_DEEP, 0, "");
    teardown(&f);
}

static struct weir_os broken_os;
static int link_errno, folder_errno, rename_errno;

static int
broken_sync(int fd)
{
    (void)fd;
    errno = EIO;
    return -1;
}

static int
broken_link(const char *from, const char *to)
{
    if (link_errno == 0) /* done, but the answer is lost: NFS */
        assert_int_equal(link(from, to), 0);
    errno = link_errno != 0 ? link_errno : EEXIST;
    return -1;
}

static int
broken_rename(const char *from, const char *to)
{
    if (rename_errno == 0)
        return weir_os_real.rename_absent(from, to);
    errno = rename_errno;
    return -1;
}

static int
broken_folder(const char *path)
{
    (void)path;
    errno = folder_errno;
    return -1;
}

static void
after_a_failed_fsync_nothing_durable_is_written_any_more(void **state)
{
    struct fixture f;
    struct weir_output *out;

    (void)state;
    for (int how = 0; how < 3; how++) {
        setup(&f, true);
        assert_int_equal(put(f.st, "before", "1", WEIR_PUT_ABSENT), WEIR_OK);
        broken_os = weir_os_real;
        if (how == 2) {
            folder_errno = EIO;
            broken_os.sync_folder = broken_folder;
        } else {
            broken_os.sync = broken_sync;
        }
        weir_os = &broken_os;
        if (how == 1) {
            assert_int_equal(weir_output_create(f.st, "n", &out, &err), WEIR_OK);
            assert_int_equal(weir_output_finish(out, &err), WEIR_IO);
        } else {
            assert_int_equal(put(f.st, "n", "1", WEIR_PUT_ABSENT), WEIR_IO);
            assert_true(err.hint[0] != '\0');
        }
        weir_os = &weir_os_real; /* the disk says that it is well again: nobody believes it */
        assert_int_equal(put(f.st, "m", "1", WEIR_PUT_REPLACE), WEIR_IO);
        assert_int_equal(weir_output_create(f.st, "o", &out, &err), WEIR_IO);
        get_is(f.st, "before", "1");
        teardown(&f);
    }
}

static void
links_that_are_refused_or_answer_late_are_settled(void **state)
{
    static const struct {
        const char *name;
        int link_errno, rename_errno;
        weir_rc rc;
    } cases[] = {
        {"the answer was lost, the link is there", 0, 0, WEIR_OK},
        {"no links here, renameat2 works", EPERM, 0, WEIR_OK},
        {"neither", EOPNOTSUPP, EINVAL, WEIR_UNSUPPORTED},
        {"disk full", ENOSPC, 0, WEIR_IO},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct fixture f;
        weir_rc rc;

        setup(&f, true);
        broken_os = weir_os_real;
        broken_os.link = broken_link;
        broken_os.rename_absent = broken_rename;
        link_errno = cases[i].link_errno;
        rename_errno = cases[i].rename_errno;
        weir_os = &broken_os;
        rc = put(f.st, "n", "1", WEIR_PUT_ABSENT);
        weir_os = &weir_os_real;
        if (rc != cases[i].rc)
            fail_msg("%s: %s", cases[i].name, weir_rc_name(rc));
        if (rc == WEIR_OK)
            assert_int_equal(put(f.st, "n", "2", WEIR_PUT_ABSENT), WEIR_EXISTS);
        list_is(f.st, "", NULL, WEIR_LIST_DEEP, 0, rc == WEIR_OK ? "n:1 " : "");
        teardown(&f);
    }
}

static struct weir_buf synced = WEIR_BUF(4096); /* "FOLDER " of each folder below the fixture's, "FILE " of each file */
static const char *synced_below;

static int
noted_sync(int fd)
{
    weir_buf_str(&synced, "FILE ");
    return weir_os_real.sync(fd);
}

static int
noted_folder(const char *path)
{
    size_t n = strlen(synced_below);

    if (strncmp(path, synced_below, n) == 0)
        weir_buf_printf(&synced, ".%s ", path + n);
    return weir_os_real.sync_folder(path);
}

static void
what_a_put_waits_for(void **state)
{
    static const struct {
        const char *key;
        weir_put_mode mode;
        const char *waits;
    } cases[] = {
        {"a/b/x", WEIR_PUT_FLEETING, ""},
        {"a/b/x", WEIR_PUT_REPLACE | WEIR_PUT_FLEETING, ""},
        {"a/c/y", WEIR_PUT_ABSENT, "FILE ./a/c ./a . "}, /* its own folder first, then what names the folders */
        {"a/c/z", WEIR_PUT_ABSENT, "FILE ./a/c "},
        {"a/b/z", WEIR_PUT_REPLACE, "FILE ./a/b ./a "}, /* made by the fleeting one, never synced until now */
        {"a/b/z", WEIR_PUT_REPLACE, "FILE ./a/b "},
    };
    struct fixture f;
    char root[160];

    (void)state;
    setup(&f, true);
    broken_os = weir_os_real;
    broken_os.sync = noted_sync;
    broken_os.sync_folder = noted_folder;
    snprintf(root, sizeof(root), "%s/new/root", f.dir);
    synced_below = root;
    weir_os = &broken_os;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        weir_buf_reset(&synced);
        assert_int_equal(put(f.st, cases[i].key, "1", cases[i].mode), WEIR_OK);
        weir_buf_add(&synced, "", 1);
        assert_string_equal(synced.data, cases[i].waits);
    }
    assert_int_equal(put(f.st, "a/b/x", "2", WEIR_PUT_FLEETING), WEIR_EXISTS);
    weir_os = &weir_os_real;
    weir_buf_fini(&synced);
    teardown(&f);
}

static int lock_errno;

static int
broken_lock(int fd)
{
    (void)fd;
    errno = lock_errno;
    return -1;
}

static void
a_lock_is_had_or_not_there_or_an_error(void **state)
{
    static const struct {
        int lock_errno;
        weir_rc rc;
    } cases[] = {
        {EWOULDBLOCK, WEIR_EXISTS}, {ENOLCK, WEIR_OK}, {EOPNOTSUPP, WEIR_OK}, {EIO, WEIR_IO}, {EBADF, WEIR_IO},
    };
    struct fixture f;
    int lock = 0;

    (void)state;
    setup(&f, true);
    broken_os = weir_os_real;
    broken_os.lock = broken_lock;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        weir_os = &broken_os;
        lock_errno = cases[i].lock_errno;
        assert_int_equal(weir_store_lock(f.st, "l", &lock, &err), cases[i].rc);
        weir_os = &weir_os_real;
        assert_int_equal(lock, -1);
    }
    assert_int_equal(weir_store_lock(f.st, "l", &lock, &err), WEIR_OK);
    assert_true(lock >= 0);
    weir_store_unlock(f.st, lock);
    teardown(&f);
}

static void
a_file_system_without_fsync_for_folders_is_used_all_the_same(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, true);
    broken_os = weir_os_real;
    broken_os.sync_folder = broken_folder;
    folder_errno = EINVAL;
    weir_os = &broken_os;
    assert_int_equal(put(f.st, "n", "1", WEIR_PUT_ABSENT), WEIR_OK);
    weir_os = &weir_os_real;
    teardown(&f);
}

static void
a_folder_that_was_removed_meanwhile_is_made_again(void **state)
{
    struct fixture f;
    char cmd[128];

    (void)state;
    setup(&f, true);
    assert_int_equal(put(f.st, "p=1/a", "1", WEIR_PUT_ABSENT), WEIR_OK);
    snprintf(cmd, sizeof(cmd), "rm -r %s/new/root/p=1", f.dir);
    assert_int_equal(system(cmd), 0);
    assert_int_equal(put(f.st, "p=1/b", "2", WEIR_PUT_ABSENT), WEIR_OK);
    get_is(f.st, "p=1/b", "2");
    teardown(&f);
}

static weir_rc
writable(const char *dir, const char *below)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "writable");
    struct weir_store *st;
    char path[256];
    weir_rc rc;

    snprintf(path, sizeof(path), "%s/%s", dir, below);
    assert_int_equal(weir_store_open(path, mem, &st, &err), WEIR_OK);
    rc = weir_store_writable(st, &err);
    weir_store_close(st);
    weir_mem_free(mem);
    return rc;
}

static void
rights_are_those_of_the_nearest_folder_that_is_there(void **state)
{
    struct fixture f;
    bool root = geteuid() == 0;
    char path[256];

    (void)state;
    setup(&f, true);
    assert_int_equal(put(f.st, "d/a", "1", WEIR_PUT_ABSENT), WEIR_OK);
    assert_int_equal(writable(f.dir, "new/root/d"), WEIR_OK);
    assert_int_equal(writable(f.dir, "new/root/not/there/yet"), WEIR_OK);
    assert_int_equal(writable(f.dir, "new/root/d/a/table"), WEIR_IO); /* below a file */
    snprintf(path, sizeof(path), "%s/new/root/d", f.dir);
    assert_int_equal(chmod(path, 0555), 0);
    assert_int_equal(chmod(f.dir, 0755), 0);
    if (root)
        assert_int_equal(seteuid(65534), 0); /* root obeys no mode */
    assert_int_equal(writable(f.dir, "new/root/d"), WEIR_DENIED);
    assert_int_equal(writable(f.dir, "new/root/d/not/there"), WEIR_DENIED);
    if (root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod(path, 0755), 0);
    teardown(&f);
}

static void
odd_things_in_a_folder_are_passed_over(void **state)
{
    struct fixture f;
    char path[256], dir[128];

    (void)state;
    setup(&f, true);
    assert_int_equal(put(f.st, "a", "1", WEIR_PUT_ABSENT), WEIR_OK);
    snprintf(dir, sizeof(dir), "%s/new/root", f.dir);
    snprintf(path, sizeof(path), "%s/loop", dir);
    assert_int_equal(symlink("loop", path), 0);
    snprintf(path, sizeof(path), "%s/nowhere", dir);
    assert_int_equal(symlink("/no/such/place", path), 0);
    snprintf(path, sizeof(path), "%s/pipe", dir);
    assert_int_equal(mkfifo(path, 0600), 0);
    list_is(f.st, "", NULL, WEIR_LIST_DEEP, 0, "a:1 ");
    {
        struct weir_input *in;
        struct weir_buf buf = WEIR_BUF(100);

        assert_int_equal(weir_input_open(f.st, "pipe", 0, &in, &err), WEIR_NOTFOUND);
        assert_int_equal(weir_store_get(f.st, "loop", &buf, &err), WEIR_IO);
        weir_buf_fini(&buf);
    }
    snprintf(path, sizeof(path), "%s/up", dir);
    assert_int_equal(symlink(".", path), 0);
    {
        struct names n = {0};
        weir_rc rc = weir_store_list(f.st, "", NULL, WEIR_LIST_DEEP, names_add, &n, &err);

        assert_true(rc == WEIR_OK || rc == WEIR_IO); /* an end in any case */
    }
    teardown(&f);
}

static void
schemes_are_found_or_refused_by_name(void **state)
{
    static const struct {
        const char *uri;
        weir_rc rc;
        const char *uri_out;
    } cases[] = {
        {"/x/y/", WEIR_OK, "file:///x/y"},
        {"file:/x", WEIR_OK, "file:///x"},
        {"file:///x//y/./z", WEIR_OK, "file:///x/y/z"},
        {"FILE://localhost/x/../y", WEIR_OK, "file:///y"},
        {"/x/a%20b c", WEIR_OK, "file:///x/a%20b c"},
        {"mem:n/t", WEIR_OK, "mem:/n/t"},
        {"mem:", WEIR_USAGE, NULL},
        {"file://host/x", WEIR_USAGE, NULL},
        {"x/y", WEIR_USAGE, NULL},
        {"s3://b/x", WEIR_UNSUPPORTED, NULL},
        {"abfss://c@a.example/x", WEIR_UNSUPPORTED, NULL},
        {"gopher://x", WEIR_USAGE, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
        struct weir_store *st = NULL;
        weir_rc rc = weir_store_open(cases[i].uri, mem, &st, &err);

        if (rc != cases[i].rc)
            fail_msg("%s: %s", cases[i].uri, weir_rc_name(rc));
        if (rc == WEIR_OK)
            assert_string_equal(st->uri, cases[i].uri_out);
        weir_store_close(rc == WEIR_OK ? st : NULL);
        weir_mem_free(mem);
    }
    weir_mem_store_drop("n");
}

static void
uris_are_encoded_decoded_and_compared(void **state)
{
    static const struct {
        const char *raw, *uri;
    } codes[] = {
        {"letter=%2F%20%f", "letter=%252F%2520%25f"},
        {"a b\"<>#?[]^`{|}\\", "a%20b%22%3C%3E%23%3F%5B%5D%5E%60%7B%7C%7D%5C"},
        {"\x01\x7f", "%01%7F"},
        {",;~@$!()&+=:'*-_.", ",;~@$!()&+=:'*-_."},
        {"\xc3\xbc\xf0\x9f\x98\x88", "\xc3\xbc\xf0\x9f\x98\x88"},
    };
    static const struct {
        const char *uri, *canonical;
    } canon[] = {
        {"/x", "file:///x"},
        {"file:/x", "file:///x"},
        {"file:///x/", "file:///x"},
        {"file:///", "file:///"},
        {"/", "file:///"},
        {"/../..//a/b/../c", "file:///a/c"},
        {"s3a://b/k/", "s3://b/k"},
        {"S3://b//k", "s3://b/k"},
        {"/a:b/c", "file:///a:b/c"},
        {"/x%20y", "file:///x%20y"},
    };
    struct weir_buf buf = WEIR_BUF(1000);

    (void)state;
    for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
        weir_buf_reset(&buf);
        weir_uri_encode(codes[i].raw, strlen(codes[i].raw), &buf);
        weir_buf_byte(&buf, '\0');
        assert_string_equal(buf.data, codes[i].uri);
        weir_buf_reset(&buf);
        assert_true(weir_uri_decode(codes[i].uri, strlen(codes[i].uri), &buf));
        weir_buf_byte(&buf, '\0');
        assert_string_equal(buf.data, codes[i].raw);
    }
    weir_buf_reset(&buf);
    assert_true(weir_uri_decode("%c3%BC+%", 7, &buf));
    assert_int_equal(buf.len, 3);
    assert_memory_equal(buf.data, "\xc3\xbc+", 3);
    weir_buf_reset(&buf);
    assert_false(weir_uri_decode("%20%2", 5, &buf)); /* nothing half decoded */
    assert_memory_equal(buf.data, "%20%2", 5);
    for (size_t i = 0; i < sizeof(canon) / sizeof(*canon); i++) {
        weir_buf_reset(&buf);
        weir_uri_canonical(canon[i].uri, strlen(canon[i].uri), &buf);
        weir_buf_byte(&buf, '\0');
        assert_string_equal(buf.data, canon[i].canonical);
    }
    weir_buf_fini(&buf);
}

static void
lines_come_one_by_one_in_bounded_memory(void **state)
{
    struct fixture f;
    struct weir_lines lines;
    struct weir_buf big = WEIR_BUF(4 << 20);
    const char *line;
    size_t len;

    (void)state;
    setup(&f, false);
    assert_int_equal(put(f.st, "a", "one\r\n\ntwo\nlast", WEIR_PUT_ABSENT), WEIR_OK);
    assert_int_equal(weir_lines_open(&lines, f.st, "a", 4, NULL, &err), WEIR_OK);
    assert_int_equal(weir_lines_next(&lines, &line, &len, &err), WEIR_OK);
    assert_int_equal(len, 3);
    assert_int_equal(weir_lines_next(&lines, &line, &len, &err), WEIR_OK);
    assert_int_equal(len, 0);
    assert_int_equal(weir_lines_next(&lines, &line, &len, &err), WEIR_OK);
    assert_int_equal(weir_lines_next(&lines, &line, &len, &err), WEIR_OK);
    assert_int_equal(len, 4);
    assert_memory_equal(line, "last", 4);
    assert_int_equal(lines.line, 4);
    assert_int_equal(weir_lines_next(&lines, &line, &len, &err), WEIR_END);
    weir_lines_close(&lines);

    assert_int_equal(weir_lines_open(&lines, f.st, "a", 3, NULL, &err), WEIR_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(weir_lines_next(&lines, &line, &len, &err), WEIR_OK);
    assert_int_equal(weir_lines_next(&lines, &line, &len, &err), WEIR_CORRUPT);
    weir_lines_close(&lines);

    for (int i = 0; i < 20000; i++)
        weir_buf_printf(&big, "line %d %.*s\n", i, i % 90,
                        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    assert_int_equal(weir_store_put(f.st, "b", big.data, big.len, WEIR_PUT_ABSENT, &err), WEIR_OK);
    assert_int_equal(weir_lines_open(&lines, f.st, "b", 200, NULL, &err), WEIR_OK);
    for (int i = 0; i < 20000; i++) {
        char want[32];

        snprintf(want, sizeof(want), "line %d ", i);
        assert_int_equal(weir_lines_next(&lines, &line, &len, &err), WEIR_OK);
        assert_true(len == strlen(want) + (size_t)(i % 90) && memcmp(line, want, strlen(want)) == 0);
    }
    assert_int_equal(weir_lines_next(&lines, &line, &len, &err), WEIR_END);
    assert_true(lines.buf.cap <= 2 * 65536 + 1024);
    weir_lines_close(&lines);
    weir_buf_fini(&big);
    teardown(&f);
}

static void
planned_faults_happen_as_planned(void **state)
{
    struct fixture f;
    struct weir_store *st;
    struct weir_object obj;

    (void)state;
    setup(&f, false);
    assert_int_equal(weir_store_fault(f.st, f.mem, &st, &err), WEIR_OK);
    weir_fault_plan(st, WEIR_FAULT_PUT, "b", 2, 1, WEIR_FAULT_LOST);
    assert_int_equal(put(st, "a", "1", WEIR_PUT_ABSENT), WEIR_OK);
    assert_int_equal(put(st, "b1", "1", WEIR_PUT_ABSENT), WEIR_OK);
    assert_int_equal(put(st, "b2", "1", WEIR_PUT_ABSENT), WEIR_UNKNOWN);
    get_is(st, "b2", "1");
    weir_fault_plan(st, WEIR_FAULT_PUT, NULL, 1, 1, WEIR_FAULT_LATE);
    assert_int_equal(put(st, "c", "1", WEIR_PUT_ABSENT), WEIR_UNKNOWN);
    assert_int_equal(weir_store_head(st, "c", &obj, &err), WEIR_NOTFOUND); /* and now it arrives */
    assert_int_equal(weir_store_head(st, "c", &obj, &err), WEIR_OK);
    weir_fault_plan(st, WEIR_FAULT_PUT, NULL, 1, 1, WEIR_FAULT_GONE);
    assert_int_equal(put(st, "d", "1", WEIR_PUT_ABSENT), WEIR_UNKNOWN);
    assert_int_equal(weir_store_head(st, "d", &obj, &err), WEIR_NOTFOUND);
    weir_fault_plan(st, WEIR_FAULT_CREATE, NULL, 1, 1, WEIR_FAULT_NOSPACE);
    {
        struct weir_output *out;

        assert_int_equal(weir_output_create(st, "e", &out, &err), WEIR_IO);
        assert_int_equal(err.os_errno, ENOSPC);
    }
    assert_true(weir_fault_calls(st) > 8);
    f.st = st;
    teardown(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_store_keeps_the_contract),
        cmocka_unit_test(hadoop_checksums_go_before_their_file_changes_and_stay_with_a_winner),
        cmocka_unit_test(a_put_that_fails_between_its_bytes_and_its_name_leaves_nothing),
        cmocka_unit_test(after_a_failed_fsync_nothing_durable_is_written_any_more),
        cmocka_unit_test(links_that_are_refused_or_answer_late_are_settled),
        cmocka_unit_test(names_are_listed_without_looking_at_each),
        cmocka_unit_test(what_a_put_waits_for),
        cmocka_unit_test(a_lock_is_had_or_not_there_or_an_error),
        cmocka_unit_test(a_file_system_without_fsync_for_folders_is_used_all_the_same),
        cmocka_unit_test(a_folder_that_was_removed_meanwhile_is_made_again),
        cmocka_unit_test(rights_are_those_of_the_nearest_folder_that_is_there),
        cmocka_unit_test(odd_things_in_a_folder_are_passed_over),
        cmocka_unit_test(schemes_are_found_or_refused_by_name),
        cmocka_unit_test(uris_are_encoded_decoded_and_compared),
        cmocka_unit_test(lines_come_one_by_one_in_bounded_memory),
        cmocka_unit_test(planned_faults_happen_as_planned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
