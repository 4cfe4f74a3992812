/* weir preview: the first rows that a pipeline would write. Writes nothing. */
#include <string.h>

#include "cli/show.h"
#include "pipeline/run.h"

struct preview {
    struct weir_cli *cli;
    const char *format;
    int64_t most;
};

static weir_rc
preview_one(void *arg, const struct weir_spec *spec, struct weir_mem *mem, struct weir_error *err)
{
    const struct preview *p = arg;
    struct weir_shown shown;
    weir_rc rc;

    (void)mem;
    weir_shown_init(&shown, p->format, (uint64_t)p->most, p->cli->quota);
    rc = weir_pipeline_preview(spec, p->cli->stop, &shown.drain, weir_shown_begin, err);
    return weir_shown_end(&shown, rc, err);
}

weir_rc
weir_cmd_preview(struct weir_cli *cli, int argc, char **argv, struct weir_error *err)
{
    struct preview p = {.cli = cli, .format = "table", .most = 20};
    const struct weir_flag flags[] = {
        {"--rows -n", "N", "how many rows (20)", NULL, NULL, &p.most},
        {"--format", "table|json|csv", "how they are printed (table)", NULL, &p.format, NULL},
        WEIR_FLAG_END,
    };
    const struct weir_usage usage = {"weir preview",
                                     "FILE",
                                     "The first rows that a pipeline would write; writes nothing.",
                                     flags,
                                     1,
                                     1,
                                     NULL};
    char **words;
    unsigned n;
    weir_rc rc;

    rc = weir_cli_parse(&usage, argc, argv, &words, &n, err);
    if (rc == WEIR_OK)
        rc = weir_cli_signals(cli, err);
    if (rc == WEIR_OK)
        rc = weir_cli_each_file(cli, words, n, preview_one, &p, err);
    return rc == WEIR_END ? WEIR_OK : rc;
}
