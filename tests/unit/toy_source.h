/* A source of the kind that learns the end of a batch only by fetching: a queue of messages, in memory, with
 * visibility, acknowledgement and double deliveries, as cloud queues have them. It shows what source.h asks of such a source:
 *
 * 1. admit() fetches into a bounded window, drops what its log knows, and writes what it takes, bytes included, to
 *    sources/S/N before it names N as the end. A message may come again; its id may not.
 * 2. tasks() reads only that log: a replay gives the same bytes, whatever the queue does meanwhile.
 * 3. Messages are deleted in committed(), for everything up to the end; told twice, it finds nothing to do.
 * Offset: {"toy":N}. Log: "v1", then {"id":I,"body":"…"} a message. */
#ifndef WEIR_TESTS_TOY_SOURCE_H
#define WEIR_TESTS_TOY_SOURCE_H

#include <stdbool.h>

#include "source/source.h"

extern const struct weir_source_type weir_source_toy;

/* The queue, which outlives every run. */
void toy_queue_reset(void);
void toy_queue_send(const char *body);
unsigned toy_queue_left(void);       /* messages that were not deleted */
void toy_queue_show_again(void);     /* every visibility timeout is over: what was fetched comes again */
void toy_queue_fail_delete(unsigned nth); /* the nth delete from now fails once; 0: none */
void toy_queue_save(void);           /* as it is now, for toy_queue_restore() */
void toy_queue_restore(void);

#endif
