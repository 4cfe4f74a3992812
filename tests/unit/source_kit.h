/* What the tests of file sources share: a folder of files with chosen times, a source over it, its batches as text. */
#ifndef WEIR_TESTS_SOURCE_KIT_H
#define WEIR_TESTS_SOURCE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/time.h"
#include "source/source.h"
#include "store/store.h"

enum { KIT_OPTIONS = 16 };

struct kit {
    char dir[40];          /* holds in/ and ckpt/ */
    char path[96];        /* the load path */
    const char *format;
    struct weir_setting set[KIT_OPTIONS];
    struct weir_settings options;
    struct weir_source_env env;
    struct weir_quota quota;
    struct weir_mem *mem;
    struct weir_store *ckpt;
    const struct weir_source_type *type;
    void *self;
    struct weir_error err;
    char offset[64];       /* the end of the last batch; "" at the start */
    int64_t batch;
};

extern const struct weir_source_type weir_source_filestream;

static const int64_t KIT_T0 = 1735689600000; /* 2025-01-01T00:00:00Z */

static void
kit_mkdirs(char *path)
{
    for (char *p = path + 1; (p = strchr(p, '/')) != NULL; p++) {
        *p = '\0';
        assert_true(mkdir(path, 0777) == 0 || errno == EEXIST);
        *p = '/';
    }
}

static void
kit_init(struct kit *k, const char *format)
{
    memset(k, 0, sizeof(*k));
    k->format = format;
    /* In memory where there is such a place: 100,000 files and their fsyncs take a minute on some disks. */
    snprintf(k->dir, sizeof(k->dir), "%s/weir-source-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(k->dir));
    snprintf(k->path, sizeof(k->path), "%s/in", k->dir);
    assert_int_equal(mkdir(k->path, 0777), 0);
    k->options = (struct weir_settings){.at = k->set, .file = "test.yaml"};
    k->env.compact_interval = 10;
}

static void
kit_option(struct kit *k, const char *key, const char *value)
{
    assert_true(k->options.n < KIT_OPTIONS);
    k->set[k->options.n++] = (struct weir_setting){.key = key, .value = value, .line = 7};
}

/* Files below in/; size bytes; mtime in ms after KIT_T0. */
static void
kit_file(struct kit *k, const char *name, size_t size, int64_t mtime_ms)
{
    char path[1024];
    struct timespec times[2];
    FILE *f;

    snprintf(path, sizeof(path), "%s/in/%s", k->dir, name);
    kit_mkdirs(path);
    f = fopen(path, "w");
    assert_non_null(f);
    for (size_t i = 0; i < size; i++)
        fputc('x', f);
    fclose(f);
    times[0].tv_sec = times[1].tv_sec = (KIT_T0 + mtime_ms) / 1000;
    times[0].tv_nsec = times[1].tv_nsec = (KIT_T0 + mtime_ms) % 1000 * 1000000;
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static weir_rc
kit_try_open(struct kit *k)
{
    char uri[128];
    weir_rc rc;

    memset(&k->err, 0, sizeof(k->err));
    weir_quota_init(&k->quota, NULL, "test", UINT64_MAX);
    k->mem = weir_mem_new(NULL, &k->quota, "test");
    snprintf(uri, sizeof(uri), "%s/ckpt", k->dir);
    assert_int_equal(weir_store_open(uri, k->mem, &k->ckpt, &k->err), WEIR_OK);
    k->env.format = k->format;
    k->env.path = k->path;
    k->env.options = &k->options;
    k->env.checkpoint = k->ckpt;
    k->env.quota = &k->quota;
    k->env.mem = k->mem;
    /* Whatever formats this build has. */
    k->type = strcmp(k->format, "json") == 0 ? &weir_source_filestream : weir_source_find(k->format);
    assert_non_null(k->type);
    k->self = weir_mem_zalloc(k->mem, k->type->self_size);
    rc = k->type->open(k->self, &k->env, &k->err);
    return rc;
}

static void
kit_open(struct kit *k)
{
    weir_rc rc = kit_try_open(k);

    if (rc != WEIR_OK)
        print_message("open: %s: %s\n", k->err.where, k->err.what);
    assert_int_equal(rc, WEIR_OK);
}

static void
kit_close(struct kit *k)
{
    if (k->self != NULL)
        k->type->close(k->self);
    weir_store_close(k->ckpt);
    weir_mem_free(k->mem);
    k->self = NULL;
    k->ckpt = NULL;
    k->mem = NULL;
    assert_int_equal(k->quota.used, 0); /* nothing is left behind */
}

/* As a new process would. The position stays. */
static void
kit_reopen(struct kit *k)
{
    kit_close(k);
    kit_open(k);
}

static void
kit_fini(struct kit *k)
{
    char cmd[128];

    kit_close(k);
    snprintf(cmd, sizeof(cmd), "chmod -R u+rwx %s; rm -rf %s", k->dir, k->dir);
    assert_int_equal(system(cmd), 0);
}

static weir_rc
kit_newest(struct kit *k)
{
    memset(&k->err, 0, sizeof(k->err));
    return k->type->newest(k->self, &k->err);
}

/* The names of (from, to], separated by blanks. */
static const char *
kit_range(struct kit *k, const char *from, const char *to)
{
    static char text[64 * 1024];
    struct weir_tasks tasks;
    size_t n = 0;
    weir_rc rc = k->type->tasks(k->self, from, to, &tasks, &k->err);

    text[0] = '\0';
    if (rc != WEIR_OK)
        print_message("tasks: %s: %s\n", k->err.where, k->err.what);
    assert_int_equal(rc, WEIR_OK);
    for (uint32_t i = 0; i < tasks.n; i++) {
        assert_int_equal(tasks.at[i].object, i);
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", i > 0 ? " " : "", tasks.at[i].key);
        assert_true(n < sizeof(text));
    }
    weir_tasks_fini(&tasks);
    return text;
}

/* The next batch without looking anew: its names, or NULL at the end. */
static const char *
kit_admit(struct kit *k, bool all)
{
    struct weir_admit_limits limits = {all};
    const char *from = k->offset[0] != '\0' ? k->offset : NULL, *to = NULL, *names;
    weir_rc rc;

    memset(&k->err, 0, sizeof(k->err));
    rc = k->type->admit(k->self, k->batch, from, &limits, k->mem, &to, &k->err);
    if (rc == WEIR_END)
        return NULL;
    if (rc != WEIR_OK)
        print_message("admit: %s: %s\n", k->err.where, k->err.what);
    assert_int_equal(rc, WEIR_OK);
    names = kit_range(k, from, to);
    snprintf(k->offset, sizeof(k->offset), "%s", to);
    k->batch++;
    return names;
}

static const char *
kit_next(struct kit *k)
{
    weir_rc rc = kit_newest(k);

    if (rc != WEIR_OK)
        print_message("newest: %s: %s\n", k->err.where, k->err.what);
    assert_int_equal(rc, WEIR_OK);
    return kit_admit(k, false);
}

#define batch_is(k, names) assert_string_equal(kit_next(k), names)
#define more_is(k, names) assert_string_equal(kit_admit(k, false), names)
#define no_batch(k) assert_null(kit_next(k))

/* The text of a file below the kit's folder, on the heap. */
static char *
kit_text(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text;
    size_t n;

    if (f == NULL)
        return NULL;
    text = calloc(1, 1 << 20);
    n = fread(text, 1, (1 << 20) - 1, f);
    text[n] = '\0';
    fclose(f);
    return text;
}

#endif
