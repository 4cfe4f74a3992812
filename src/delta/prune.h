/* Which data files can hold rows that a predicate wants: by their partition values and statistics.
 *
 * Only ever says "cannot" when that is certain: statistics that are missing, foreign or odd prune nothing. */
#ifndef WEIR_DELTA_PRUNE_H
#define WEIR_DELTA_PRUNE_H

#include "column/pred.h"
#include "delta/file.h"
#include "delta/snapshot.h"

struct weir_prune;

/* pred: over the table's columns by their names; borrowed, as is the snapshot. Lives in mem. */
weir_rc weir_prune_new(const struct weir_snapshot *snap, const struct weir_pred *pred, struct weir_mem *mem,
                       struct weir_prune **out, struct weir_error *err);
/* false: no row of the file makes the predicate true. Scratch memory of the prune is used: one owner. */
bool weir_prune_keeps(const struct weir_prune *prune, const struct weir_file *file);

#endif
