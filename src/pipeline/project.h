/* `query` without SQL: SELECT of columns and fields, renamed or not, over one source. Whatever needs more is refused
 * by name. A projected page is a view: it copies no values. */
#ifndef WEIR_PIPELINE_PROJECT_H
#define WEIR_PIPELINE_PROJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "column/page.h"
#include "column/type.h"

struct weir_projection;
/* query NULL: SELECT * FROM source. Lives in mem. UNSUPPORTED says what this version selects. */
weir_rc weir_projection_parse(const char *query, struct weir_mem *mem, struct weir_projection **out,
                              struct weir_error *err);
/* Whether `_metadata` is named, so that the reader makes it. */
bool weir_projection_wants_metadata(const struct weir_projection *p);
/* Finds the columns in `from`. SCHEMA for a name that is not there, with the nearest; USAGE for two of one name. */
weir_rc weir_projection_bind(struct weir_projection *p, const struct weir_type *from, struct weir_mem *mem,
                             const struct weir_type **out, struct weir_error *err);

struct weir_view; /* of one lane */
weir_rc weir_view_new(const struct weir_projection *p, struct weir_quota *q, struct weir_view **out,
                      struct weir_error *err);
/* The projected page over `page`; valid as long as it. page itself when nothing changes. */
const struct weir_page *weir_view_of(struct weir_view *v, const struct weir_page *page);
void weir_view_free(struct weir_view *v); /* NULL is fine */

#endif
