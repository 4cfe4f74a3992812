/* All option tables in the order in which people should meet them: what `weir docs options` and `weir new` print. */
#ifndef WEIR_CLI_TABLES_H
#define WEIR_CLI_TABLES_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/option.h"

struct weir_table_of {
    const char *title;    /* "The format json" */
    const char *where;    /* "source.options" */
    const char *kind;     /* "source", "reader", "loader", "format", "sink", "conf" */
    const char *name;     /* "cloudFiles", "json", "delta" */
    const struct weir_option *options;
};
/* false: at is behind the last one. */
bool weir_tables_at(unsigned at, struct weir_table_of *out);
/* The default as a user would write it, or "" when there is none. */
const char *weir_option_default(const struct weir_option *opt);

#endif
