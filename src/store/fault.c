/* A store that fails as planned. store/fault.h.
 * Threads: any; the plans and the late put are under one mutex. */
#include "store/fault.h"

#include <errno.h>
#include <pthread.h>

#include "base/str.h"

enum { FAULT_PLANS = 16 };

struct fault_plan {
    weir_fault_op op;
    weir_fault_kind kind;
    unsigned skip, times;
    const char *part;
};

struct fault_store {
    struct weir_store *inner;
    struct weir_mem *mem;
    pthread_mutex_t lock;
    struct fault_plan plans[FAULT_PLANS];
    unsigned nplans, calls;
    struct { /* a put that has not arrived yet */
        char *key, *p;
        size_t n;
        weir_put_mode mode;
    } late;
};

struct fault_input {
    struct weir_input base;
    struct weir_input *inner;
};

struct fault_output {
    struct weir_output base;
    struct weir_output *inner;
};

/* Whether this call goes wrong, and how. */
static bool
fault_due(struct fault_store *fs, weir_fault_op op, const char *key, weir_fault_kind *kind)
{
    bool due = false;

    pthread_mutex_lock(&fs->lock);
    fs->calls++;
    for (unsigned i = 0; i < fs->nplans && !due; i++) {
        struct fault_plan *p = &fs->plans[i];

        if (p->times == 0 || (p->op != op && p->op != WEIR_FAULT_ANY))
            continue;
        if (p->part != NULL && (key == NULL || strstr(key, p->part) == NULL))
            continue;
        if (p->skip > 0) {
            p->skip--;
            continue;
        }
        p->times--;
        *kind = p->kind;
        due = true;
    }
    pthread_mutex_unlock(&fs->lock);
    return due;
}

static weir_rc
fault_fail(weir_fault_kind kind, const char *what, struct weir_error *err)
{
    if (kind == WEIR_FAULT_NOSPACE)
        return weir_fail_os(err, WEIR_IO, ENOSPC, "%s", what);
    return weir_fail_os(err, WEIR_IO, EIO, "%s: planned fault", what);
}

/* Behind every call: the late put arrives. */
static void
fault_after(struct fault_store *fs)
{
    struct weir_error ignored = {0};
    char *key, *p;
    size_t n;
    weir_put_mode mode;

    pthread_mutex_lock(&fs->lock);
    key = fs->late.key;
    p = fs->late.p;
    n = fs->late.n;
    mode = fs->late.mode;
    fs->late.key = NULL;
    pthread_mutex_unlock(&fs->lock);
    if (key == NULL)
        return;
    (void)fs->inner->type->put(fs->inner->self, key, p, n, mode, -1, &ignored);
    free(key);
    free(p);
}

static weir_rc
fault_put_late(struct fault_store *fs, const char *key, const void *p, size_t n, weir_put_mode mode,
               struct weir_error *err)
{
    char *k = strdup(key), *bytes = malloc(n > 0 ? n : 1);

    if (k == NULL || bytes == NULL) {
        free(k);
        free(bytes);
        return weir_fail(err, WEIR_NOMEM, "no memory for a late put");
    }
    memcpy(bytes, p, n);
    fault_after(fs); /* one at a time */
    pthread_mutex_lock(&fs->lock);
    fs->late.key = k;
    fs->late.p = bytes;
    fs->late.n = n;
    fs->late.mode = mode;
    pthread_mutex_unlock(&fs->lock);
    return weir_fail(err, WEIR_UNKNOWN, "planned fault: no answer");
}

static weir_rc
fault_put(void *self, const char *key, const void *p, size_t n, weir_put_mode mode, int staged,
          struct weir_error *err)
{
    struct fault_store *fs = self;
    weir_fault_kind kind = WEIR_FAULT_FAIL;
    struct weir_error ignored = {0};
    bool due = fault_due(fs, WEIR_FAULT_PUT, key, &kind);
    weir_rc rc;

    if (due && kind == WEIR_FAULT_LATE)
        return fault_put_late(fs, key, p, n, mode, err);
    if (due && kind == WEIR_FAULT_GONE)
        rc = weir_fail(err, WEIR_UNKNOWN, "planned fault: no answer");
    else if (due && kind != WEIR_FAULT_LOST)
        rc = fault_fail(kind, "put", err);
    else
        rc = fs->inner->type->put(fs->inner->self, key, p, n, mode, staged, due ? &ignored : err);
    fault_after(fs);
    return due && kind == WEIR_FAULT_LOST ? weir_fail(err, WEIR_UNKNOWN, "planned fault: no answer") : rc;
}

static weir_rc
fault_list(void *self, const char *prefix, const char *from, weir_list_mode mode,
           weir_rc (*cb)(void *arg, const struct weir_object *obj, struct weir_error *err), void *arg,
           struct weir_error *err)
{
    struct fault_store *fs = self;
    weir_fault_kind kind;
    weir_rc rc;

    if (fault_due(fs, WEIR_FAULT_LIST, prefix, &kind))
        rc = fault_fail(kind, "list", err);
    else
        rc = fs->inner->type->list(fs->inner->self, prefix, from, mode, cb, arg, err);
    fault_after(fs);
    return rc;
}

static weir_rc
fault_head(void *self, const char *key, struct weir_object *out, struct weir_error *err)
{
    struct fault_store *fs = self;
    weir_fault_kind kind;
    weir_rc rc;

    if (fault_due(fs, WEIR_FAULT_HEAD, key, &kind))
        rc = fault_fail(kind, "head", err);
    else
        rc = fs->inner->type->head(fs->inner->self, key, out, err);
    fault_after(fs);
    return rc;
}

static weir_rc
fault_remove(void *self, const char *key, struct weir_error *err)
{
    struct fault_store *fs = self;
    weir_fault_kind kind;
    weir_rc rc;

    if (fault_due(fs, WEIR_FAULT_REMOVE, key, &kind))
        rc = fault_fail(kind, "remove", err);
    else
        rc = fs->inner->type->remove(fs->inner->self, key, err);
    fault_after(fs);
    return rc;
}

static weir_rc
fault_open_input(void *self, const char *key, int64_t at, struct weir_input **out, struct weir_error *err)
{
    struct fault_store *fs = self;
    struct fault_input *in;
    weir_fault_kind kind;
    weir_rc rc;

    if (fault_due(fs, WEIR_FAULT_OPEN, key, &kind)) {
        fault_after(fs);
        return fault_fail(kind, "open", err);
    }
    in = calloc(1, sizeof(*in));
    if (in == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for an input");
    rc = fs->inner->type->open_input(fs->inner->self, key, at, &in->inner, err);
    fault_after(fs);
    if (rc != WEIR_OK) {
        free(in);
        return rc;
    }
    in->inner->store = fs->inner;
    *out = &in->base;
    return WEIR_OK;
}

static weir_rc
fault_read(struct weir_input *base, void *p, size_t n, size_t *got, struct weir_error *err)
{
    struct fault_store *fs = base->store->self;
    weir_fault_kind kind;

    if (fault_due(fs, WEIR_FAULT_READ, NULL, &kind))
        return fault_fail(kind, "read", err);
    return weir_input_read(((struct fault_input *)base)->inner, p, n, got, err);
}

static void
fault_close_input(struct weir_input *base)
{
    weir_input_close(((struct fault_input *)base)->inner);
    free(base);
}

static weir_rc
fault_create(void *self, const char *key, bool staged, struct weir_output **out, struct weir_error *err)
{
    struct fault_store *fs = self;
    struct fault_output *o;
    weir_fault_kind kind;
    weir_rc rc;

    if (fault_due(fs, WEIR_FAULT_CREATE, key, &kind)) {
        fault_after(fs);
        return fault_fail(kind, "create", err);
    }
    o = calloc(1, sizeof(*o));
    if (o == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for an output");
    rc = fs->inner->type->create(fs->inner->self, key, staged, &o->inner, err);
    fault_after(fs);
    if (rc != WEIR_OK) {
        free(o);
        return rc;
    }
    o->inner->store = fs->inner;
    *out = &o->base;
    return WEIR_OK;
}

static weir_rc
fault_write(struct weir_output *out, const void *p, size_t n, struct weir_error *err)
{
    struct fault_store *fs = out->store->self;
    weir_fault_kind kind;

    if (fault_due(fs, WEIR_FAULT_WRITE, NULL, &kind))
        return fault_fail(kind, "write", err);
    return weir_output_write(((struct fault_output *)out)->inner, p, n, err);
}

static weir_rc
fault_finish(struct weir_output *out, struct weir_error *err)
{
    struct fault_store *fs = out->store->self;
    struct weir_output *inner = ((struct fault_output *)out)->inner;
    weir_fault_kind kind;

    free(out);
    if (fault_due(fs, WEIR_FAULT_FINISH, NULL, &kind)) {
        weir_output_abort(inner);
        return fault_fail(kind, "fsync", err);
    }
    return weir_output_finish(inner, err);
}

static void
fault_abort(struct weir_output *out)
{
    weir_output_abort(((struct fault_output *)out)->inner);
    free(out);
}

static weir_rc
fault_root(void *self, struct weir_object *out, struct weir_error *err)
{
    return weir_store_root(((struct fault_store *)self)->inner, out, err);
}

static void
fault_close(void *self)
{
    struct fault_store *fs = self;

    fault_after(fs);
    weir_store_close(fs->inner);
    pthread_mutex_destroy(&fs->lock);
}

static const struct weir_store_type fault_type = {
    .scheme = "fault",
    .about = "fails as planned",
    .list = fault_list,
    .root = fault_root,
    .head = fault_head,
    .open_input = fault_open_input,
    .read = fault_read,
    .close_input = fault_close_input,
    .put = fault_put,
    .create = fault_create,
    .write = fault_write,
    .finish = fault_finish,
    .abort = fault_abort,
    .remove = fault_remove,
    .close = fault_close,
};

weir_rc
weir_store_fault(struct weir_store *inner, struct weir_mem *mem, struct weir_store **out, struct weir_error *err)
{
    struct fault_store *fs;
    struct weir_store *st;
    weir_rc rc = WEIR_OK;

    WEIR_NEW(fs, mem, sizeof(*fs));
    WEIR_NEW(st, mem, sizeof(*st));
    fs->inner = inner;
    fs->mem = mem;
    pthread_mutex_init(&fs->lock, NULL);
    *st = (struct weir_store){&fault_type, fs, inner->uri, inner->path};
    *out = st;
out:
    return rc;
}

void
weir_fault_plan(struct weir_store *st, weir_fault_op op, const char *part, unsigned nth, unsigned times,
                weir_fault_kind kind)
{
    struct fault_store *fs = st->self;

    pthread_mutex_lock(&fs->lock);
    WEIR_ASSERT(fs->nplans < FAULT_PLANS && nth > 0);
    fs->plans[fs->nplans++] = (struct fault_plan){op, kind, nth - 1, times, part};
    pthread_mutex_unlock(&fs->lock);
}

void
weir_fault_clear(struct weir_store *st)
{
    struct fault_store *fs = st->self;

    pthread_mutex_lock(&fs->lock);
    fs->nplans = 0;
    pthread_mutex_unlock(&fs->lock);
}

unsigned
weir_fault_calls(struct weir_store *st)
{
    struct fault_store *fs = st->self;
    unsigned n;

    pthread_mutex_lock(&fs->lock);
    n = fs->calls;
    pthread_mutex_unlock(&fs->lock);
    return n;
}
