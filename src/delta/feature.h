/* Table features: what a table asks of its readers and writers, and what weir can honour.
 *
 * Follows the Delta protocol, "Protocol Evolution" and "Valid Feature Names in Table Features". */
#ifndef WEIR_DELTA_FEATURE_H
#define WEIR_DELTA_FEATURE_H

#include "base/option.h"
#include "delta/action.h"

/* UNSUPPORTED names the feature or the version. For reading what a table's log says. */
weir_rc weir_feature_check_read(const struct weir_protocol *protocol, struct weir_error *err);
/* The same for appending rows to it. Looks at what is active: properties and column metadata. */
weir_rc weir_feature_check_append(const struct weir_protocol *protocol, const struct weir_metadata *meta,
                                  struct weir_error *err);
bool weir_feature_has(const struct weir_protocol *protocol, const char *name); /* listed as a writer's feature */

/* Properties of a table that is to be made: spelled as Delta spells them, values checked; unknown delta. keys and
 * those that weir cannot keep are refused by name. USAGE, UNSUPPORTED. */
weir_rc weir_feature_properties(struct weir_settings *set, struct weir_mem *mem, struct weir_metadata *meta,
                                struct weir_error *err);
/* The lowest protocol for meta's columns and properties. */
weir_rc weir_feature_protocol(const struct weir_metadata *meta, struct weir_mem *mem, struct weir_protocol *out,
                              struct weir_error *err);
/* Whether the schema holds a column of that kind, at any depth. */
bool weir_feature_uses(const struct weir_type *type, weir_kind kind);

#endif
