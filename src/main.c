/* weir: lakehouse ingestion without the cluster. The way of one record: ARCHITECTURE.md. */
#include "cli/command.h"
#include "version.h"

int
main(int argc, char **argv)
{
    return weir_cli_main(argc, argv, WEIR_REVISION);
}
