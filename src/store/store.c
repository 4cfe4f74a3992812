/* The registry of stores, and what all stores have in common: checks of keys, context in errors, whole objects.
 *
 * 1. A key that could lead out of the root ("..", an empty part, a leading '/') never reaches a store.
 * 2. Each call adds the object's name to an error, so stores themselves only say what happened.
 * Threads: the registry is constant; see store.h for the rest. */
#include "store/store.h"

#include <string.h>

#include "base/point.h"
#include "base/str.h"

enum { STORE_PUT_TRIES = 5 };

#define STORE(symbol) extern const struct weir_store_type weir_store_##symbol;
#include "store/stores.def"
#undef STORE

static const struct weir_store_type *const stores[] = {
#define STORE(symbol) &weir_store_##symbol,
#include "store/stores.def"
#undef STORE
};

/* Schemes of stores that weir knows of but does not have yet. */
static const char *const stores_later[] = {"s3", "s3a", "abfs", "abfss", "wasb", "wasbs", "gs", "hdfs", "webhdfs"};

static weir_rc
store_type_find(const char *uri, const struct weir_store_type **out, struct weir_error *err)
{
    const char *colon = strchr(uri, ':'), *slash = strchr(uri, '/');
    struct weir_slice scheme = weir_slice("file", 4);

    if (colon != NULL && (slash == NULL || colon < slash))
        scheme = weir_slice(uri, (size_t)(colon - uri));
    else if (uri[0] != '/')
        return weir_fail(err, WEIR_USAGE, "path %s is relative", uri);
    for (size_t i = 0; i < sizeof(stores) / sizeof(*stores); i++) {
        if (weir_slice_is_nocase(scheme, stores[i]->scheme)) {
            *out = stores[i];
            return WEIR_OK;
        }
    }
    for (size_t i = 0; i < sizeof(stores_later) / sizeof(*stores_later); i++) {
        if (weir_slice_is_nocase(scheme, stores_later[i]))
            return weir_fail(err, WEIR_UNSUPPORTED, "%s: stores of scheme %s come in a later version", uri,
                             stores_later[i]);
    }
    weir_fail(err, WEIR_USAGE, "%s: scheme %.*s is not known", uri, (int)scheme.len, scheme.ptr);
    return weir_error_hint(err, "write an absolute path, or file:/path");
}

weir_rc
weir_store_open(const char *uri, struct weir_mem *mem, struct weir_store **out, struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(16 * 1024);
    const struct weir_store_type *type = NULL;
    struct weir_store *st = NULL;
    weir_rc rc;

    WEIR_GO(store_type_find(uri, &type, err));
    WEIR_NEW(st, mem, sizeof(*st));
    weir_uri_canonical(uri, strlen(uri), &buf);
    WEIR_GO(weir_buf_check(&buf, err));
    st->type = type;
    st->uri = weir_mem_strndup(mem, buf.data, buf.len);
    if (st->uri == NULL)
        WEIR_GO(weir_mem_fail(mem, buf.len, err));
    st->path = weir_str_starts(st->uri, "file:///") ? st->uri + strlen("file://") : st->uri;
    WEIR_GO(type->open(st->uri, mem, &st->self, err));
    *out = st;
out:
    weir_buf_fini(&buf);
    return rc;
}

void
weir_store_close(struct weir_store *st)
{
    if (st != NULL)
        st->type->close(st->self);
}

static bool
store_key_ok(const char *key)
{
    size_t n;

    do {
        n = strcspn(key, "/");
        if (n == 0 || (n == 1 && key[0] == '.') || (n == 2 && key[0] == '.' && key[1] == '.'))
            return false;
        key += n;
    } while (*key++ == '/');
    return true;
}

static weir_rc
store_key_check(const struct weir_store *st, const char *key, struct weir_error *err)
{
    if (store_key_ok(key))
        return WEIR_OK;
    return weir_fail(err, WEIR_CORRUPT, "%s: \"%s\" is no name of an object in it", st->path, key);
}

static weir_rc
store_context(const struct weir_store *st, const char *key, struct weir_error *err)
{
    return weir_error_context(err, "%s/%s", strcmp(st->path, "/") == 0 ? "" : st->path, key);
}

weir_rc
weir_store_list(struct weir_store *st, const char *prefix, const char *from, weir_list_mode mode,
                weir_rc (*cb)(void *arg, const struct weir_object *obj, struct weir_error *err), void *arg,
                struct weir_error *err)
{
    char part[1024];
    size_t n = strlen(prefix);

    if (n > 0) { /* "a/b/" as the key "a/b" */
        if (n > sizeof(part) || prefix[n - 1] != '/')
            return weir_fail(err, WEIR_BUG, "%s: \"%s\" is no folder to list", st->path, prefix);
        memcpy(part, prefix, n - 1);
        part[n - 1] = '\0';
        WEIR_TRY(store_key_check(st, part, err));
    }
    return st->type->list(st->self, prefix, from, mode, cb, arg, err);
}

/* For stores without a walk of their own: a deep listing that asks for each folder above an object. */
struct store_walk {
    bool (*enter)(void *arg, const char *folder);
    weir_rc (*cb)(void *arg, const struct weir_object *obj, struct weir_error *err);
    void *arg;
};

static weir_rc
store_walked(void *arg, const struct weir_object *obj, struct weir_error *err)
{
    const struct store_walk *walk = arg;
    char folder[4096];

    for (const char *at = obj->key; (at = strchr(at, '/')) != NULL; at++) {
        size_t n = (size_t)(at - obj->key);

        if (n >= sizeof(folder))
            return weir_fail(err, WEIR_IO, "%s: a name too long", obj->key);
        memcpy(folder, obj->key, n);
        folder[n] = '\0';
        if (!walk->enter(walk->arg, folder))
            return WEIR_OK;
    }
    return walk->cb(walk->arg, obj, err);
}

weir_rc
weir_store_walk(struct weir_store *st, bool (*enter)(void *arg, const char *folder),
                weir_rc (*cb)(void *arg, const struct weir_object *obj, struct weir_error *err), void *arg,
                struct weir_error *err)
{
    struct store_walk walk = {enter, cb, arg};

    if (st->type->walk != NULL)
        return st->type->walk(st->self, enter, cb, arg, err);
    return st->type->list(st->self, "", NULL, true, store_walked, &walk, err);
}

weir_rc
weir_store_root(struct weir_store *st, struct weir_object *out, struct weir_error *err)
{
    *out = (struct weir_object){.size = -1};
    if (st->type->root == NULL)
        return WEIR_OK;
    return st->type->root(st->self, out, err) == WEIR_OK ? WEIR_OK : weir_error_context(err, "%s", st->path);
}

weir_rc
weir_store_writable(struct weir_store *st, struct weir_error *err)
{
    if (st->type->writable == NULL || st->type->writable(st->self, err) == WEIR_OK)
        return WEIR_OK;
    return weir_error_context(err, "%s", st->path);
}

weir_rc
weir_store_lock(struct weir_store *st, const char *key, int *lock, struct weir_error *err)
{
    *lock = -1;
    WEIR_TRY(store_key_check(st, key, err));
    if (st->type->lock == NULL)
        return WEIR_OK;
    return st->type->lock(st->self, key, lock, err) == WEIR_OK ? WEIR_OK : store_context(st, key, err);
}

void
weir_store_unlock(struct weir_store *st, int lock)
{
    if (lock >= 0)
        st->type->unlock(st->self, lock);
}

weir_rc
weir_store_head(struct weir_store *st, const char *key, struct weir_object *out, struct weir_error *err)
{
    WEIR_TRY(store_key_check(st, key, err));
    return st->type->head(st->self, key, out, err) == WEIR_OK ? WEIR_OK : store_context(st, key, err);
}

weir_rc
weir_store_get(struct weir_store *st, const char *key, struct weir_buf *buf, struct weir_error *err)
{
    struct weir_input *in = NULL;
    char step[16 * 1024];
    size_t got;
    weir_rc rc;

    WEIR_GO(weir_input_open(st, key, 0, &in, err));
    do {
        rc = weir_input_read(in, step, sizeof(step), &got, err);
        if (rc == WEIR_OK) {
            weir_buf_add(buf, step, got);
            rc = weir_buf_check(buf, err);
        }
        if (rc != WEIR_OK) {
            store_context(st, key, err);
            goto out;
        }
    } while (got > 0);
out:
    weir_input_close(in);
    return rc;
}

weir_rc
weir_store_put_at(struct weir_store *st, const char *key, const void *p, size_t n, weir_put_mode mode, int staged,
                  struct weir_error *err)
{
    weir_rc rc;

    WEIR_TRY(store_key_check(st, key, err));
    rc = st->type->put(st->self, key, p, n, mode, staged, err);
    return rc == WEIR_OK ? rc : store_context(st, key, err);
}

weir_rc
weir_store_put(struct weir_store *st, const char *key, const void *p, size_t n, weir_put_mode mode,
               struct weir_error *err)
{
    return weir_store_put_at(st, key, p, n, mode, -1, err);
}

/* Whether the object is there with just these bytes. */
static bool
store_holds(struct weir_store *st, const char *key, const void *p, size_t n)
{
    struct weir_buf there = WEIR_BUF(n + 1);
    struct weir_error ignored = {0};
    bool same;

    same = weir_store_get(st, key, &there, &ignored) == WEIR_OK && there.len == n &&
           (n == 0 || memcmp(there.data, p, n) == 0);
    weir_buf_fini(&there);
    return same;
}

weir_rc
weir_store_put_settled(struct weir_store *st, const char *key, const void *p, size_t n, weir_put_mode mode,
                       struct weir_error *err)
{
    bool unknown = false;
    weir_rc rc = WEIR_UNKNOWN;

    for (int i = 0; i < STORE_PUT_TRIES && rc == WEIR_UNKNOWN; i++) {
        weir_error_clear(err);
        rc = weir_store_put(st, key, p, n, mode, err);
        if (rc == WEIR_EXISTS && unknown && store_holds(st, key, p, n)) {
            weir_error_clear(err);
            return WEIR_OK;
        }
        unknown |= rc == WEIR_UNKNOWN;
    }
    return rc;
}

weir_rc
weir_store_remove(struct weir_store *st, const char *key, struct weir_error *err)
{
    WEIR_TRY(store_key_check(st, key, err));
    return st->type->remove(st->self, key, err) == WEIR_OK ? WEIR_OK : store_context(st, key, err);
}

weir_rc
weir_input_open(struct weir_store *st, const char *key, int64_t at, struct weir_input **out, struct weir_error *err)
{
    WEIR_TRY(store_key_check(st, key, err));
    if (st->type->open_input(st->self, key, at, out, err) != WEIR_OK)
        return store_context(st, key, err);
    (*out)->store = st;
    return WEIR_OK;
}

weir_rc
weir_input_read(struct weir_input *in, void *p, size_t n, size_t *got, struct weir_error *err)
{
    return in->store->type->read(in, p, n, got, err);
}

void
weir_input_close(struct weir_input *in)
{
    if (in != NULL)
        in->store->type->close_input(in);
}

static weir_rc
output_create(struct weir_store *st, const char *key, bool staged, struct weir_output **out, struct weir_error *err)
{
    WEIR_TRY(store_key_check(st, key, err));
    if (st->type->create(st->self, key, staged, out, err) != WEIR_OK)
        return store_context(st, key, err);
    (*out)->store = st;
    return WEIR_OK;
}

weir_rc
weir_output_create(struct weir_store *st, const char *key, struct weir_output **out, struct weir_error *err)
{
    return output_create(st, key, false, out, err);
}

weir_rc
weir_output_create_absent(struct weir_store *st, const char *key, struct weir_output **out, struct weir_error *err)
{
    return output_create(st, key, true, out, err);
}

weir_rc
weir_output_write(struct weir_output *out, const void *p, size_t n, struct weir_error *err)
{
    return out->store->type->write(out, p, n, err);
}

weir_rc
weir_output_finish(struct weir_output *out, struct weir_error *err)
{
    return out->store->type->finish(out, err);
}

void
weir_output_abort(struct weir_output *out)
{
    if (out != NULL)
        out->store->type->abort(out);
}
