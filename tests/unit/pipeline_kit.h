/* A small pipeline of one-record files into a Delta table, and what its table and checkpoint hold.
 *
 * Each input file holds one record and each batch takes one file, so the statistics of a data file name its row, and
 * the table can be compared with the input as a multiset from the log alone. */
#ifndef WEIR_TESTS_PIPELINE_KIT_H
#define WEIR_TESTS_PIPELINE_KIT_H

#include "base/error.h"
#include "pipeline/run.h"

enum { KIT_FILES = 4 /* batches; the table has a checkpoint at version 2 */ };

/* root: "mem:NAME" or an absolute folder; in/, table/ and checkpoint/ are below it. */
void kit_put_input(const char *root);
void kit_drop_lease(const char *root);
weir_rc kit_run(const char *root, const struct weir_run_options *opt, struct weir_error *err);
/* Fails the test, naming `when`, unless each record is in the table once, each batch has one txn, in order, and the
 * checkpoint has all commits. */
void kit_expect_each_row_once(const char *root, const char *when);

#endif
