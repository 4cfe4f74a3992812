/* Places: paths and URIs as people write them in a pipeline file. For spec.c and variables.c.
 *
 * Only `file:` is there in this version. A place is compared in its canonical form and kept as it was spelled. */
#ifndef WEIR_PIPELINE_PLACE_H
#define WEIR_PIPELINE_PLACE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"

/* The absolute path of a file that the user named, and its folder; links in the folder are followed, so that one
 * file has one folder however it was named. NOTFOUND. */
weir_rc weir_place_of_file(const char *file, struct weir_mem *mem, const char **path, const char **dir,
                           struct weir_error *err);
/* text against the folder dir when it is relative; "." and ".." parts are resolved as text, as Hadoop does it; a
 * URI keeps its spelling. UNSUPPORTED: a scheme other than file. USAGE: empty. */
weir_rc weir_place_absolute(const char *text, const char *dir, struct weir_mem *mem, const char **out,
                            struct weir_error *err);
/* The folder of a path; NULL: no memory. */
const char *weir_place_parent(const char *path, struct weir_mem *mem);
/* The content of a local file; the buffer's ceiling is the limit. */
weir_rc weir_place_read(const char *path, struct weir_buf *buf, struct weir_error *err);
/* Both absolute. Whether place is root or lies below it; *rest (may be NULL) is then the part below, "" for root
 * itself. For source paths, which may be patterns, see weir_source_covers(). */
bool weir_place_below(const char *place, const char *root, const char **rest);
bool weir_place_same(const char *a, const char *b); /* however they are spelled: /x and file:///x/ */

#endif
