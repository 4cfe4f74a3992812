/* The registry of sources. Spark's file source has no name of its own: it answers to those of the file formats. */
#include "source/source.h"

#include <string.h>

#include "base/str.h"
#include "codec/format.h"
#include "source/glob.h"

#define SOURCE(symbol) extern const struct weir_source_type weir_source_##symbol;
#include "source/sources.def"
#undef SOURCE

static const struct weir_source_type *const sources[] = {
#define SOURCE(symbol) &weir_source_##symbol,
#include "source/sources.def"
#undef SOURCE
};

enum { SOURCES = sizeof(sources) / sizeof(*sources), SOURCE_NAMES_MAX = 64 };

const struct weir_source_type *
weir_source_find(const char *format)
{
    for (size_t i = 0; i < SOURCES; i++)
        if (sources[i] != &weir_source_filestream &&
            weir_slice_is_nocase(weir_slice(format, strlen(format)), sources[i]->name))
            return sources[i];
    return weir_format_find(format) != NULL ? &weir_source_filestream : NULL;
}

const char *const *
weir_source_names(void)
{
    static const char *names[SOURCE_NAMES_MAX + 1]; /* the same for every caller, so a race writes the same */
    size_t n = 0;

    for (size_t i = 0; i < SOURCES && n < SOURCE_NAMES_MAX; i++)
        if (sources[i] != &weir_source_filestream)
            names[n++] = sources[i]->name;
    for (const char *const *f = weir_format_names(); *f != NULL && n < SOURCE_NAMES_MAX; f++)
        names[n++] = *f;
    names[n] = NULL;
    return names;
}

/* Both canonical. */
static bool
source_covers(const struct weir_buf *path, const struct weir_buf *other, struct weir_mem *mem)
{
    size_t base = weir_glob_base(path->data);
    bool pattern = base < path->len;
    struct weir_error ignored = {0};
    struct weir_glob glob = {0};
    const char *below;

    while (base > 0 && path->data[base - 1] == '/')
        base--;
    if (other->len < base || memcmp(path->data, other->data, base) != 0 ||
        (other->len > base && other->data[base] != '/'))
        return false;
    if (!pattern)
        return true;
    below = other->data + base + (other->len > base);
    if (weir_glob_compile(path->data + base + 1, true, false, mem, &glob, &ignored) != WEIR_OK)
        return true;
    return *below != '\0' && weir_glob_depth(&glob, below, strlen(below)) >= 0;
}

bool
weir_source_covers(const char *path, const char *other)
{
    struct weir_buf a = WEIR_BUF(64 * 1024), b = WEIR_BUF(64 * 1024);
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "paths");
    bool covers;

    weir_uri_canonical(path, strlen(path), &a);
    weir_uri_canonical(other, strlen(other), &b);
    covers = mem == NULL || a.failed || b.failed || source_covers(&a, &b, mem);
    weir_buf_fini(&a);
    weir_buf_fini(&b);
    weir_mem_free(mem);
    return covers;
}
