/* Objects in memory: "mem:NAME/folder", shared by all who open the same NAME in this process. For tests; it keeps
 * the same promises as the others, and nothing survives the process. */
#ifndef WEIR_STORE_MEM_H
#define WEIR_STORE_MEM_H

#include <stdbool.h>

void weir_mem_store_drop(const char *name); /* all its objects; no store on it may be open */
/* All objects of `from` as they are now become those of `to`, which must be new: an image of the disk at an instant,
 * so that a test can go on from there as if the process had died. false: no memory. */
bool weir_mem_store_copy(const char *from, const char *to);

#endif
