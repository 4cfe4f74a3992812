/* Which files are known, in bounded memory: 16 bytes of hash and the modification time for each path.
 *
 * Limits: 24 bytes a file at a load of 0.4 to 0.8, so 30 to 60 MB for a million files; growing needs the old and the
 * new table for a moment. NOMEM names weir.memoryLimit. Two paths of the same hash would be one file: with 128 bits
 * that is less likely than 1 in 10^20 for a billion files.
 * Aging follows Spark's FileStreamSource.SeenFilesMap: what is older than the newest time seen minus the age is
 * forgotten, and a file that old is never new.
 * Threads: one owner. */
#ifndef WEIR_SOURCE_SEEN_H
#define WEIR_SOURCE_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"

struct weir_file_id {
    uint64_t a, b;
};

struct weir_seen {
    struct weir_quota *q;
    struct weir_seen_slot *slots;
    size_t n, cap;
    int64_t max_age_ms; /* INT64_MAX: for ever */
    int64_t newest_ms;  /* of all that were added; 0 at first, as Spark */
    int64_t oldest_ms;  /* below it nothing is remembered and nothing is new; moved by weir_seen_age() */
};

typedef enum weir_seen_state {
    WEIR_SEEN_NEW,
    WEIR_SEEN_KNOWN,
    WEIR_SEEN_CHANGED,
    WEIR_SEEN_AGED
} weir_seen_state;

/* A hash with 128 bits (SipHash-2-4 with a fixed key). */
struct weir_file_id weir_file_id(const char *p, size_t n);

void weir_seen_init(struct weir_seen *seen, struct weir_quota *q, int64_t max_age_ms);
void weir_seen_fini(struct weir_seen *seen);
/* A known one takes the new time, be it the older one: a file that was put back has a time of long ago. */
weir_rc weir_seen_add(struct weir_seen *seen, struct weir_file_id id, int64_t mtime_ms,
                      struct weir_error *err);
/* CHANGED: known with another time. */
weir_seen_state weir_seen_ask(const struct weir_seen *seen, struct weir_file_id id, int64_t mtime_ms);
void weir_seen_age(struct weir_seen *seen);

#endif
