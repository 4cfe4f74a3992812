/* A store of named places in this process's memory. store/mem.h.
 *
 * 1. A place is a sorted array of objects under one mutex; an object's bytes are immutable once it has its name, and
 *    counted by reference, so a reader goes on reading what was replaced or removed.
 * 2. Places live until weir_mem_store_drop() or the end of the process.
 * Threads: any. The list of places is the only global; a mutex guards it. */
#include "store/mem.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/limits.h"
#include "base/point.h"
#include "base/str.h"
#include "base/time.h"
#include "store/store.h"

struct mem_bytes {
    _Atomic int refs;
    size_t n;
    char p[];
};

struct mem_object {
    char *key;
    struct mem_bytes *bytes;
    int64_t mtime_ms;
};

struct mem_place {
    struct mem_place *next;
    pthread_mutex_t lock;
    struct mem_object *at;
    size_t n, cap;
    char name[128];
};

static struct {
    pthread_mutex_t lock;
    struct mem_place *places;
} mem_all = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct mem_store {
    struct mem_place *place;
    const char *prefix; /* "" or "folder/" */
};

struct mem_input {
    struct weir_input base;
    struct mem_bytes *bytes;
    size_t at;
};

struct mem_output {
    struct weir_output base;
    struct weir_buf buf;
    char *key;
};

static void
mem_bytes_put(struct mem_bytes *b)
{
    if (b != NULL && atomic_fetch_sub(&b->refs, 1) == 1)
        free(b);
}

static struct mem_bytes *
mem_bytes_new(const void *p, size_t n)
{
    struct mem_bytes *b = malloc(sizeof(*b) + n);

    if (b != NULL) {
        atomic_init(&b->refs, 1);
        b->n = n;
        if (n > 0)
            memcpy(b->p, p, n);
    }
    return b;
}

static struct mem_place *
mem_place_get(const char *name, size_t n)
{
    struct mem_place *p;

    pthread_mutex_lock(&mem_all.lock);
    for (p = mem_all.places; p != NULL; p = p->next) {
        if (strlen(p->name) == n && memcmp(p->name, name, n) == 0)
            break;
    }
    if (p == NULL && n < sizeof(p->name) && (p = calloc(1, sizeof(*p))) != NULL) {
        pthread_mutex_init(&p->lock, NULL);
        memcpy(p->name, name, n);
        p->next = mem_all.places;
        mem_all.places = p;
    }
    pthread_mutex_unlock(&mem_all.lock);
    return p;
}

void
weir_mem_store_drop(const char *name)
{
    struct mem_place **at, *p;

    pthread_mutex_lock(&mem_all.lock);
    for (at = &mem_all.places; (p = *at) != NULL; at = &p->next) {
        if (strcmp(p->name, name) != 0)
            continue;
        *at = p->next;
        for (size_t i = 0; i < p->n; i++) {
            free(p->at[i].key);
            mem_bytes_put(p->at[i].bytes);
        }
        free(p->at);
        pthread_mutex_destroy(&p->lock);
        free(p);
        break;
    }
    pthread_mutex_unlock(&mem_all.lock);
}

bool
weir_mem_store_copy(const char *from, const char *to)
{
    struct mem_place *a = mem_place_get(from, strlen(from)), *b = mem_place_get(to, strlen(to));
    bool ok;

    if (a == NULL || b == NULL)
        return false;
    pthread_mutex_lock(&a->lock);
    b->at = malloc((a->n + 1) * sizeof(*b->at));
    ok = b->at != NULL;
    b->cap = a->n + 1;
    for (size_t i = 0; ok && i < a->n; i++) {
        b->at[i] = a->at[i];
        b->at[i].key = strdup(a->at[i].key);
        atomic_fetch_add(&b->at[i].bytes->refs, 1);
        b->n++;
        ok = b->at[i].key != NULL;
    }
    pthread_mutex_unlock(&a->lock);
    return ok;
}

/* root: "mem:/NAME/folder", as the canonical form spells it. */
static weir_rc
mem_open(const char *root, struct weir_mem *mem, void **self, struct weir_error *err)
{
    const char *name = root + strcspn(root, "/"), *slash;
    struct mem_store *ms;
    weir_rc rc = WEIR_OK;
    size_t n;

    name += strspn(name, "/");
    n = strcspn(name, "/");
    slash = name + n;
    WEIR_NEW(ms, mem, sizeof(*ms));
    ms->prefix = *slash == '\0' ? "" : weir_mem_printf(mem, "%s/", slash + 1);
    ms->place = n == 0 ? NULL : mem_place_get(name, n);
    if (ms->place == NULL || ms->prefix == NULL)
        return weir_fail(err, WEIR_USAGE, "%s: mem:NAME/folder is expected", root);
    *self = ms;
out:
    return rc;
}

static void
mem_close(void *self)
{
    (void)self;
}

/* The full name of a key, on the heap. */
static char *
mem_key(const struct mem_store *ms, const char *key)
{
    size_t n = strlen(ms->prefix), len = strlen(key);
    char *full = malloc(n + len + 1);

    if (full != NULL) {
        memcpy(full, ms->prefix, n);
        memcpy(full + n, key, len + 1);
    }
    return full;
}

/* Where key is or would be. The place is locked. */
static size_t
mem_find(const struct mem_place *p, const char *key, bool *there)
{
    size_t lo = 0, hi = p->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (strcmp(p->at[mid].key, key) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    *there = lo < p->n && strcmp(p->at[lo].key, key) == 0;
    return lo;
}

/* Takes key and bytes in every case. */
static weir_rc
mem_put_locked(struct mem_place *p, char *key, struct mem_bytes *bytes, weir_put_mode mode, struct weir_error *err)
{
    bool there;
    size_t at = mem_find(p, key, &there);

    if (there && (mode & WEIR_PUT_REPLACE) == 0) {
        free(key);
        mem_bytes_put(bytes);
        return weir_fail(err, WEIR_EXISTS, "is there already");
    }
    if (!there && p->n == p->cap) {
        size_t cap = p->cap == 0 ? 64 : p->cap * 2;
        struct mem_object *grown = realloc(p->at, cap * sizeof(*grown));

        if (grown == NULL) {
            free(key);
            mem_bytes_put(bytes);
            return weir_fail(err, WEIR_NOMEM, "no memory for an object");
        }
        p->at = grown;
        p->cap = cap;
    }
    if (there) {
        free(p->at[at].key);
        mem_bytes_put(p->at[at].bytes);
    } else {
        memmove(p->at + at + 1, p->at + at, (p->n - at) * sizeof(*p->at));
        p->n++;
    }
    p->at[at] = (struct mem_object){key, bytes, weir_now_ms()};
    return WEIR_OK;
}

static weir_rc
mem_put(void *self, const char *key, const void *p, size_t n, weir_put_mode mode, int staged,
        struct weir_error *err)
{
    struct mem_store *ms = self;
    struct mem_bytes *bytes;
    char *full;
    weir_rc rc;

    if (staged >= 0)
        WEIR_TRY(weir_point((weir_point_id)staged, err));
    full = mem_key(ms, key);
    bytes = mem_bytes_new(p, n);
    if (full == NULL || bytes == NULL) {
        free(full);
        mem_bytes_put(bytes);
        return weir_fail(err, WEIR_NOMEM, "no memory for an object of %zu bytes", n);
    }
    pthread_mutex_lock(&ms->place->lock);
    rc = mem_put_locked(ms->place, full, bytes, mode, err);
    pthread_mutex_unlock(&ms->place->lock);
    return rc;
}

/* The object's bytes with a reference; NULL: absent. */
static struct mem_bytes *
mem_take(struct mem_store *ms, const char *key, int64_t *mtime_ms)
{
    struct mem_bytes *bytes = NULL;
    char *full = mem_key(ms, key);
    bool there;
    size_t at;

    if (full == NULL)
        return NULL;
    pthread_mutex_lock(&ms->place->lock);
    at = mem_find(ms->place, full, &there);
    if (there) {
        bytes = ms->place->at[at].bytes;
        *mtime_ms = ms->place->at[at].mtime_ms;
        atomic_fetch_add(&bytes->refs, 1);
    }
    pthread_mutex_unlock(&ms->place->lock);
    free(full);
    return bytes;
}

static weir_rc
mem_head(void *self, const char *key, struct weir_object *out, struct weir_error *err)
{
    int64_t mtime_ms;
    struct mem_bytes *bytes = mem_take(self, key, &mtime_ms);

    if (bytes == NULL)
        return weir_fail(err, WEIR_NOTFOUND, "is not there");
    *out = (struct weir_object){.size = (int64_t)bytes->n, .mtime_ms = mtime_ms};
    mem_bytes_put(bytes);
    return WEIR_OK;
}

static weir_rc
mem_remove(void *self, const char *key, struct weir_error *err)
{
    struct mem_store *ms = self;
    struct mem_place *p = ms->place;
    char *full = mem_key(ms, key);
    bool there;
    size_t at;

    if (full == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for a name");
    pthread_mutex_lock(&p->lock);
    at = mem_find(p, full, &there);
    if (there) {
        free(p->at[at].key);
        mem_bytes_put(p->at[at].bytes);
        memmove(p->at + at, p->at + at + 1, (p->n - at - 1) * sizeof(*p->at));
        p->n--;
    }
    pthread_mutex_unlock(&p->lock);
    free(full);
    return WEIR_OK;
}

/* The first object from `full` on, copied; NULL at the end. */
static char *
mem_next(struct mem_place *p, const char *full, int64_t *size, int64_t *mtime_ms)
{
    char *key = NULL;
    bool there;
    size_t at;

    pthread_mutex_lock(&p->lock);
    at = mem_find(p, full, &there);
    if (at < p->n) {
        key = strdup(p->at[at].key);
        *size = (int64_t)p->at[at].bytes->n;
        *mtime_ms = p->at[at].mtime_ms;
    }
    pthread_mutex_unlock(&p->lock);
    return key;
}

static weir_rc
mem_list(void *self, const char *prefix, const char *from, weir_list_mode mode,
         weir_rc (*cb)(void *arg, const struct weir_object *obj, struct weir_error *err), void *arg,
         struct weir_error *err)
{
    struct mem_store *ms = self;
    char *below = mem_key(ms, prefix), *at = mem_key(ms, from != NULL && strcmp(from, prefix) > 0 ? from : prefix);
    size_t root = strlen(ms->prefix), n = below != NULL ? strlen(below) : 0;
    weir_rc rc = WEIR_OK;

    if (below == NULL || at == NULL)
        rc = weir_fail(err, WEIR_NOMEM, "no memory to list %s", prefix);
    while (rc == WEIR_OK) {
        struct weir_object obj;
        char *key = mem_next(ms->place, at, &obj.size, &obj.mtime_ms);
        char *after;

        if (key == NULL || strncmp(key, below, n) != 0) {
            free(key);
            break;
        }
        obj.key = key + root;
        if (mode == WEIR_LIST_DEEP || strchr(key + n, '/') == NULL)
            rc = cb(arg, &obj, err);
        after = realloc(key, strlen(key) + 2); /* the smallest name behind it */
        if (after == NULL) {
            free(key);
            rc = weir_fail(err, WEIR_NOMEM, "no memory to list %s", prefix);
            break;
        }
        memcpy(after + strlen(after), "\x01", 2);
        free(at);
        at = after;
    }
    free(below);
    free(at);
    return rc == WEIR_END ? WEIR_OK : rc;
}

static weir_rc
mem_open_input(void *self, const char *key, int64_t at, struct weir_input **out, struct weir_error *err)
{
    int64_t mtime_ms;
    struct mem_bytes *bytes = mem_take(self, key, &mtime_ms);
    struct mem_input *in;

    if (bytes == NULL)
        return weir_fail(err, WEIR_NOTFOUND, "is not there");
    in = calloc(1, sizeof(*in));
    if (in == NULL) {
        mem_bytes_put(bytes);
        return weir_fail(err, WEIR_NOMEM, "no memory for an input");
    }
    in->bytes = bytes;
    in->at = at < 0 || (uint64_t)at > bytes->n ? bytes->n : (size_t)at;
    *out = &in->base;
    return WEIR_OK;
}

static weir_rc
mem_read(struct weir_input *base, void *p, size_t n, size_t *got, struct weir_error *err)
{
    struct mem_input *in = (struct mem_input *)base;
    size_t left = in->bytes->n - in->at;

    (void)err;
    *got = n < left ? n : left;
    if (*got > 0)
        memcpy(p, in->bytes->p + in->at, *got);
    in->at += *got;
    return WEIR_OK;
}

static void
mem_close_input(struct weir_input *base)
{
    struct mem_input *in = (struct mem_input *)base;

    mem_bytes_put(in->bytes);
    free(in);
}

static weir_rc
mem_create(void *self, const char *key, bool staged, struct weir_output **out, struct weir_error *err)
{
    struct mem_output *o;
    struct weir_object obj;

    (void)staged; /* nothing is ever seen before finish */
    if (mem_head(self, key, &obj, err) == WEIR_OK)
        return weir_fail(err, WEIR_EXISTS, "is there already");
    weir_error_clear(err);
    o = calloc(1, sizeof(*o));
    if (o == NULL || (o->key = strdup(key)) == NULL) {
        free(o);
        return weir_fail(err, WEIR_NOMEM, "no memory for an output");
    }
    weir_buf_init(&o->buf, 1024 * WEIR_MIB, NULL);
    *out = &o->base;
    return WEIR_OK;
}

static weir_rc
mem_write(struct weir_output *out, const void *p, size_t n, struct weir_error *err)
{
    struct mem_output *o = (struct mem_output *)out;

    weir_buf_add(&o->buf, p, n);
    return weir_buf_check(&o->buf, err);
}

static void
mem_abort(struct weir_output *out)
{
    struct mem_output *o = (struct mem_output *)out;

    weir_buf_fini(&o->buf);
    free(o->key);
    free(o);
}

static weir_rc
mem_finish(struct weir_output *out, struct weir_error *err)
{
    struct mem_output *o = (struct mem_output *)out;
    weir_rc rc = mem_put(out->store->self, o->key, o->buf.data, o->buf.len, WEIR_PUT_ABSENT, -1, err);

    mem_abort(out);
    return rc;
}

const struct weir_store_type weir_store_mem = {
    .scheme = "mem",
    .about = "this process's memory, for tests",
    .open = mem_open,
    .list = mem_list,
    .head = mem_head,
    .open_input = mem_open_input,
    .read = mem_read,
    .close_input = mem_close_input,
    .put = mem_put,
    .create = mem_create,
    .write = mem_write,
    .finish = mem_finish,
    .abort = mem_abort,
    .remove = mem_remove,
    .close = mem_close,
};
