/* Objects in memory: "mem:NAME/folder", shared by all who open the same NAME in this process. For tests; it keeps
 * the same promises as the others, and nothing survives the process. */
#ifndef WEIR_STORE_MEM_H
#define WEIR_STORE_MEM_H

void weir_mem_store_drop(const char *name); /* all its objects; no store on it may be open */

#endif
