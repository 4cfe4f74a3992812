/* Type widening: files keep the type they were written with.
 *
 * Follows the Delta protocol, "Type Widening". Pure. */
#ifndef WEIR_DELTA_WIDENING_H
#define WEIR_DELTA_WIDENING_H

#include "delta/action.h"

/* UNSUPPORTED names the column whose type was changed (delta.typeChanges) in a way that the protocol does not
 * have: what its old values mean then is not known. */
weir_rc weir_widening_check(const struct weir_type *schema, struct weir_error *err);

#endif
