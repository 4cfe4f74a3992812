/* Places of a pipeline file: made absolute, compared, read.
 *
 * 1. ".." is resolved as text and not by the disk, as Hadoop's Path does: /a/link/../b is /a/b.
 * 2. "~" is not expanded. What begins with two or more letters and ":" is a URI; "./ab:c" is always a path.
 * Pure functions but for weir_place_of_file() and weir_place_read(). */
#include "pipeline/place.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "store/store.h"

/* The length of "scheme" in "scheme:…", or 0. */
static size_t
scheme_len(const char *text)
{
    size_t n = 0;

    if (!isalpha((unsigned char)text[0]))
        return 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '+' || text[n] == '-' || text[n] == '.')
        n++;
    return text[n] == ':' && n >= 2 ? n : 0;
}

/* "/x/y" of "file:///x/y/" and "/x/y" alike: without scheme; the text itself, not decoded. */
static const char *
place_path(const char *place)
{
    size_t n = scheme_len(place);

    if (n == 0)
        return place;
    place += n + 1;
    if (place[0] == '/' && place[1] == '/' && (place = strchr(place + 2, '/')) == NULL)
        return "/";
    return place;
}

/* Resolves "", "." and ".." parts of an absolute path in place. */
static void
path_clean(char *path)
{
    char *to = path;
    const char *at = path;

    while (*at != '\0') {
        size_t n;

        at += strspn(at, "/");
        n = strcspn(at, "/");
        if (n == 2 && at[0] == '.' && at[1] == '.') {
            while (to > path && *--to != '/')
                ;
        } else if (n > 0 && !(n == 1 && at[0] == '.')) {
            *to++ = '/';
            memmove(to, at, n);
            to += n;
        }
        at += n;
    }
    if (to == path)
        *to++ = '/';
    *to = '\0';
}

/* The part "file:", "file://" or "file://localhost" of a URI stays as it is; NULL: no memory. */
static const char *
uri_clean(const char *text, struct weir_mem *mem)
{
    const char *path = place_path(text);
    char *copy = weir_mem_strdup(mem, path), *out;

    if (copy == NULL)
        return NULL;
    path_clean(copy);
    out = weir_mem_printf(mem, "%.*s%s", (int)(path - text), text, copy);
    return out;
}

weir_rc
weir_place_absolute(const char *text, const char *dir, struct weir_mem *mem, const char **out, struct weir_error *err)
{
    size_t scheme = scheme_len(text);
    char *path;

    if (*text == '\0')
        return weir_fail(err, WEIR_USAGE, "an empty path");
    if (strlen(text) > 4096)
        return weir_fail(err, WEIR_USAGE, "a path of more than 4096 bytes");
    if (scheme > 0) {
        if (scheme != 4 || strncasecmp(text, "file", 4) != 0) {
            weir_fail(err, WEIR_UNSUPPORTED, "%.*s: places are not in this version; only file: and paths are",
                      (int)(scheme > 32 ? 32 : scheme), text);
            return weir_error_hint(err, "when it is a relative path write ./%s", text);
        }
        if (text[5] != '/' || *place_path(text) != '/')
            return weir_fail(err, WEIR_USAGE, "%s: a file: URI needs an absolute path", text);
        *out = uri_clean(text, mem);
        return *out == NULL ? weir_mem_fail(mem, strlen(text), err) : WEIR_OK;
    }
    path = text[0] == '/' ? weir_mem_strdup(mem, text) : weir_mem_printf(mem, "%s/%s", dir, text);
    if (path == NULL)
        return weir_mem_fail(mem, strlen(text), err);
    path_clean(path);
    *out = path;
    return WEIR_OK;
}

const char *
weir_place_parent(const char *path, struct weir_mem *mem)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL)
        return weir_mem_strdup(mem, ".");
    return weir_mem_strndup(mem, path, slash == path ? 1 : (size_t)(slash - path));
}

weir_rc
weir_place_of_file(const char *file, struct weir_mem *mem, const char **path, const char **dir, struct weir_error *err)
{
    const char *base = strrchr(file, '/'), *parent = weir_place_parent(file, mem);
    char *real;

    base = base == NULL ? file : base + 1;
    if (parent == NULL)
        return weir_mem_fail(mem, strlen(file), err);
    if (*base == '\0' || strcmp(base, ".") == 0 || strcmp(base, "..") == 0)
        return weir_fail(err, WEIR_USAGE, "%s is not a pipeline file", file);
    real = realpath(parent, NULL);
    if (real == NULL && errno == ENOENT)
        return weir_fail(err, WEIR_USAGE, "the folder of %s is not there", file);
    if (real == NULL)
        return weir_fail_os(err, WEIR_IO, errno, "cannot find the folder of %s", file);
    *dir = weir_mem_strdup(mem, real);
    *path = weir_mem_printf(mem, "%s%s%s", real, strcmp(real, "/") == 0 ? "" : "/", base);
    free(real);
    return *dir == NULL || *path == NULL ? weir_mem_fail(mem, strlen(file), err) : WEIR_OK;
}

weir_rc
weir_place_read(const char *path, struct weir_buf *buf, struct weir_error *err)
{
    struct weir_mem *mem = weir_mem_new(NULL, buf->q, "file");
    struct weir_store *store = NULL;
    const char *slash = strrchr(path, '/'), *parent;
    weir_rc rc;

    if (mem == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for reading %s", path);
    parent = weir_place_parent(path, mem);
    if (parent == NULL)
        WEIR_GO(weir_mem_fail(mem, strlen(path), err));
    WEIR_GO(weir_store_open(parent, mem, &store, err));
    WEIR_GO(weir_store_get(store, slash + 1, buf, err));
    rc = weir_buf_check(buf, err);
out:
    weir_store_close(store);
    weir_mem_free(mem);
    return rc;
}

/* The next part of an absolute path: *at is moved behind it. */
static struct weir_slice
next_part(const char **at)
{
    struct weir_slice part;

    *at += strspn(*at, "/");
    part = weir_slice(*at, strcspn(*at, "/"));
    *at += part.len;
    return part;
}

bool
weir_place_below(const char *place, const char *root, const char **rest)
{
    struct weir_slice part, want;

    place = place_path(place);
    root = place_path(root);
    for (;;) {
        want = next_part(&root);
        if (want.len == 0)
            break;
        part = next_part(&place);
        if (part.len != want.len || memcmp(part.ptr, want.ptr, part.len) != 0)
            return false;
    }
    if (rest != NULL)
        *rest = place + strspn(place, "/");
    return true;
}

bool
weir_place_same(const char *a, const char *b)
{
    const char *rest;

    return weir_place_below(a, b, &rest) && *rest == '\0';
}
