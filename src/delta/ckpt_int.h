/* The rows of a checkpoint file: ckpt_rows.c, for ckpt.c. */
#ifndef WEIR_DELTA_CKPT_INT_H
#define WEIR_DELTA_CKPT_INT_H

#include "column/page.h"
#include "delta/file.h"
#include "delta/snapshot.h"

enum { CKPT_TXN, CKPT_ADD, CKPT_REMOVE, CKPT_METADATA, CKPT_PROTOCOL, CKPT_DOMAIN, CKPT_COLUMNS };

struct ckpt_schema {
    const struct weir_type *type;   /* one struct an action type, all nullable */
    const struct weir_type *values; /* add.partitionValues_parsed; NULL: not written */
    const struct weir_type *stats;  /* add.stats_parsed; NULL: not written */
};

/* What the table's properties ask for. Lives in mem. */
weir_rc ckpt_schema(const struct weir_snapshot *snap, struct weir_mem *mem, struct ckpt_schema *out,
                    struct weir_error *err);
bool ckpt_stats_as_json(const struct weir_metadata *meta);
/* Slot `row` of a column from JSON: fields by name, what is missing or null is null. CORRUPT: another type.
 * */
weir_rc ckpt_put_json(struct weir_col *col, uint32_t row, const json_t *value, struct weir_mem *mem,
                      struct weir_error *err);
/* The add or remove of a row. */
weir_rc ckpt_put_file(const struct ckpt_schema *schema, struct weir_page *page, uint32_t row,
                      const struct weir_file *f, bool json_stats, struct weir_error *err);

#endif
