/* What a power cut would leave: records every change of files under a folder, then builds, for any moment, a folder
 * as the disk might hold it.
 *
 * The model is the pessimistic one that POSIX allows: written bytes survive only up to the last fsync of their file;
 * a name that was made, moved or removed survives only if its folder was synced later. What was not synced may all be
 * lost, or its names kept without their bytes, or any mixture.
 * One recording at a time. Threads: the recorded code may have many; the functions here belong to the test's own. */
#ifndef WEIR_TESTS_POWERLOSS_H
#define WEIR_TESTS_POWERLOSS_H

#include <stddef.h>
#include <stdint.h>

typedef enum weir_powerloss_mode {
    WEIR_POWERLOSS_DROP,   /* nothing that was not synced is there */
    WEIR_POWERLOSS_NAMES,  /* all names are there, but only synced bytes */
    WEIR_POWERLOSS_RANDOM, /* of what was not synced some is there; tails may be zeros */
    WEIR_POWERLOSS_MODES
} weir_powerloss_mode;

/* From now on, for all stores of files. What is under root already counts as synced. root exists. */
void weir_powerloss_begin(const char *root);
void weir_powerloss_end(void);      /* stops recording; the record stays */
void weir_powerloss_free(void);
size_t weir_powerloss_count(void);  /* changes recorded so far */
/* Remembers that `what` was reported durable at this moment. */
void weir_powerloss_note(int64_t what);
/* The newest that was noted within the first n changes; -1: nothing. */
int64_t weir_powerloss_noted(size_t n);
/* The folder dest (made anew; it must not exist) after a power cut behind the first n changes. */
void weir_powerloss_build(size_t n, weir_powerloss_mode mode, unsigned seed, const char *dest);

#endif
