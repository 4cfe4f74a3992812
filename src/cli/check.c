/* weir check: what can be known about a pipeline before it writes anything. */
#include "cli/command.h"

#include <string.h>

#include "base/limits.h"
#include "pipeline/run.h"
#include "pipeline/spec.h"

struct check {
    bool resolved, offline;
};

/* One file: its resolved text, or what there is to report. */
static weir_rc
check_one(void *arg, const struct weir_spec *spec, struct weir_mem *mem, struct weir_error *err)
{
    const struct check *check = arg;
    struct weir_buf buf = WEIR_BUF(2 * WEIR_SPEC_MAX);
    weir_rc rc;

    (void)mem;
    if (check->resolved) {
        weir_buf_printf(&buf, "# %s, as weir reads it\n", spec->file);
        rc = weir_spec_print(spec, &buf, err);
    } else if (check->offline) {
        WEIR_GO(weir_pipeline_check_file(spec, err));
        weir_buf_printf(&buf, "%s: the file is good; nothing else was looked at\n", spec->file);
    } else {
        rc = weir_pipeline_check(spec, &buf, err);
    }
    if (buf.len > 0) { /* what was found before it failed is worth reading too */
        struct weir_error out_err = {.rc = WEIR_OK};

        if (weir_cli_out(buf.data, buf.len, &out_err) != WEIR_OK && rc == WEIR_OK) {
            *err = out_err;
            rc = err->rc;
        }
    }
out:
    weir_buf_fini(&buf);
    return rc;
}

weir_rc
weir_cmd_check(struct weir_cli *cli, int argc, char **argv, struct weir_error *err)
{
    struct check check = {.resolved = false};
    const struct weir_flag flags[] = {
        {"--resolved", NULL, "print the file after extends, variables and defaults; secrets are masked",
         &check.resolved, NULL, NULL},
        {"--offline", NULL, "look at the file only, its options too: for CI", &check.offline, NULL, NULL},
        WEIR_FLAG_END,
    };
    const struct weir_usage usage = {
        "weir check", "FILE…",
        "Everything short of writing: reads the file, looks at the source, infers the schema, compares\n"
        "checkpoint and table, and says what waits.",
        flags, 1, 1000, "  weir check --resolved orders.yaml\n  weir check --offline pipelines/*.yaml"};
    char **files;
    unsigned n;

    WEIR_TRY(weir_cli_parse(&usage, argc, argv, &files, &n, err));
    return weir_cli_each_file(cli, files, n, check_one, &check, err);
}
