/* The table of formats, made of formats.def. Read-only, any thread. */
#include "codec/format.h"

#include <stddef.h>

#include "base/str.h"

#define FORMAT(symbol) extern const struct weir_format_type weir_format_##symbol;
#include "codec/formats.def"
#undef FORMAT

static const struct weir_format_type *const formats[] = {
#define FORMAT(symbol) &weir_format_##symbol,
#include "codec/formats.def"
#undef FORMAT
    NULL,
};

/* A format's name in formats.def is its symbol; the type's own `name` says the same. */
static const char *const names[] = {
#define FORMAT(symbol) #symbol,
#include "codec/formats.def"
#undef FORMAT
    NULL,
};

const struct weir_format_type *
weir_format_find(const char *name)
{
    for (size_t i = 0; formats[i] != NULL; i++)
        if (weir_slice_is_nocase(weir_slice(name, strlen(name)), formats[i]->name))
            return formats[i];
    return NULL;
}

const char *const *
weir_format_names(void)
{
    return names;
}
