/* The end of a batch's work list. store/task.h. */
#include "store/task.h"

void
weir_tasks_fini(struct weir_tasks *tasks)
{
    for (uint32_t i = 0; i < tasks->n; i++)
        weir_block_put(tasks->at[i].block);
    weir_mem_free(tasks->mem);
    *tasks = (struct weir_tasks){0};
}
