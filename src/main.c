/* weir: lakehouse ingestion without the cluster. The way of one record: ARCHITECTURE.md. */
#include <stdio.h>

int
main(void)
{
    return 0;
}
