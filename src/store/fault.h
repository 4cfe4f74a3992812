/* A store in front of another that fails as planned: for tests.
 *
 * Lost answers: the call is done, the caller hears UNKNOWN. Late ones: the caller hears UNKNOWN, and the put is done
 * only behind the next call. Both happen to real stores behind a network. */
#ifndef WEIR_STORE_FAULT_H
#define WEIR_STORE_FAULT_H

#include "store/store.h"

typedef enum weir_fault_op {
    WEIR_FAULT_LIST,
    WEIR_FAULT_HEAD,
    WEIR_FAULT_OPEN,
    WEIR_FAULT_READ,
    WEIR_FAULT_PUT,
    WEIR_FAULT_CREATE,
    WEIR_FAULT_WRITE,
    WEIR_FAULT_FINISH,
    WEIR_FAULT_REMOVE,
    WEIR_FAULT_ANY
} weir_fault_op;

typedef enum weir_fault_kind {
    WEIR_FAULT_FAIL,    /* IO, nothing done */
    WEIR_FAULT_NOSPACE, /* IO with ENOSPC, nothing done */
    WEIR_FAULT_LOST,    /* PUT: done, UNKNOWN. Others as FAIL */
    WEIR_FAULT_LATE,    /* PUT: UNKNOWN, done behind the next call. Others as FAIL */
    WEIR_FAULT_GONE     /* PUT: UNKNOWN, never done. Others as FAIL */
} weir_fault_kind;

/* A store that passes everything on to inner. Closing it closes inner too. */
weir_rc weir_store_fault(struct weir_store *inner, struct weir_mem *mem, struct weir_store **out,
                         struct weir_error *err);
/* The nth call (1: the next) of op whose key holds `part` (NULL: any) goes wrong, and `times` - 1 such calls more.
 * READ, WRITE and FINISH have no key: part must be NULL. At most 16 plans. */
void weir_fault_plan(struct weir_store *st, weir_fault_op op, const char *part, unsigned nth, unsigned times,
                     weir_fault_kind kind);
void weir_fault_clear(struct weir_store *st);
unsigned weir_fault_calls(struct weir_store *st); /* of all kinds so far: where a sweep over n ends */

#endif
