/* The walk over a store with the rules of listing.h. Hidden and foreign folders are not entered, so what lies in
 * them costs nothing and may be unreadable. */
#include "source/listing.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"

enum { LISTING_STOP_EACH = 1024 }; /* objects between two looks at the wish to stop */

struct listing_walk {
    struct weir_listing *list;
    weir_listing_fn *fn;
    void *arg;
    uint64_t seen;
};

static bool
listing_hidden(const struct weir_listing *list, const char *name, size_t len)
{
    static const char copying[] = "._COPYING_";

    if (name[0] == '.')
        return true;
    if (!list->spark_names)
        return name[0] == '_';
    return (name[0] == '_' && memchr(name, '=', len) == NULL) ||
           (len >= sizeof(copying) - 1 &&
            memcmp(name + len - (sizeof(copying) - 1), copying, sizeof(copying) - 1) == 0);
}

static const char *
listing_name(const char *key)
{
    const char *slash = strrchr(key, '/');

    return slash != NULL ? slash + 1 : key;
}

static bool
listing_enters(void *arg, const char *folder)
{
    const struct listing_walk *walk = arg;
    const char *name = listing_name(folder);

    return !listing_hidden(walk->list, name, strlen(name)) &&
           weir_glob_enters(&walk->list->path, folder, strlen(folder));
}

/* A folder of key that reads "k=v". */
static bool
listing_partitioned(const char *key)
{
    const char *last = listing_name(key);
    const char *eq;

    for (const char *name = key; name < last; name = strchr(name, '/') + 1) {
        eq = strchr(name, '=');
        if (eq != NULL && eq > name && eq + 1 < strchr(name, '/'))
            return true;
    }
    return false;
}

static weir_rc
listing_object(void *arg, const struct weir_object *obj, struct weir_error *err)
{
    struct listing_walk *walk = arg;
    struct weir_listing *list = walk->list;
    const char *name = listing_name(obj->key);
    size_t len = strlen(name);
    int depth;

    if (++walk->seen % LISTING_STOP_EACH == 0)
        WEIR_TRY(weir_stop_check(list->stop, err));
    if (listing_hidden(list, name, len))
        return WEIR_OK;
    depth = weir_glob_depth(&list->path, obj->key, strlen(obj->key));
    if (depth < 0 || !weir_glob_match(&list->name, name, len))
        return WEIR_OK;
    if (obj->mtime_ms <= list->after_ms || obj->mtime_ms >= list->before_ms)
        return WEIR_OK;
    list->files++;
    list->nested |= depth > 1;
    list->partitioned |= listing_partitioned(obj->key);
    return walk->fn(walk->arg, obj, depth, err);
}

weir_rc
weir_listing_run(struct weir_listing *list, weir_listing_fn *fn, void *arg, struct weir_error *err)
{
    struct listing_walk walk = {.list = list, .fn = fn, .arg = arg};

    list->files = 0;
    list->nested = list->partitioned = false;
    WEIR_TRY(weir_stop_check(list->stop, err));
    if (weir_store_walk(list->store, listing_enters, listing_object, &walk, err) != WEIR_OK)
        return weir_error_context(err, "listing %s", list->store->path);
    return WEIR_OK;
}
