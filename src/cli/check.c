/* weir check: what can be known about a pipeline before it writes anything. */
#include "cli/command.h"

#include <string.h>

#include "base/limits.h"
#include "pipeline/run.h"
#include "pipeline/spec.h"

#define SPEC_MEMORY (64 * WEIR_MIB)

/* One file: its resolved text, or what there is to report. */
static weir_rc
check_one(struct weir_cli *cli, const char *file, bool resolved, bool offline, struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(2 * WEIR_SPEC_MAX);
    struct weir_quota quota;
    struct weir_mem *mem;
    struct weir_spec *spec;
    weir_rc rc;

    weir_quota_init(&quota, cli->quota, "pipeline file", SPEC_MEMORY);
    mem = weir_mem_new(NULL, &quota, "pipeline file");
    if (mem == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for %s", file);
    WEIR_GO(weir_spec_load(file, mem, &spec, err));
    if (resolved) {
        weir_buf_printf(&buf, "# %s, as weir reads it\n", file);
        WEIR_GO(weir_spec_print(spec, &buf, err));
    } else if (offline) {
        weir_buf_printf(&buf, "%s: the file is good; nothing else was looked at\n", file);
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
    weir_mem_free(mem);
    return rc;
}

weir_rc
weir_cmd_check(struct weir_cli *cli, int argc, char **argv, struct weir_error *err)
{
    bool resolved = false, offline = false;
    const struct weir_flag flags[] = {
        {"--resolved", NULL, "print the file after extends, variables and defaults; secrets are masked", &resolved, NULL, NULL},
        {"--offline", NULL, "look at the file only: for CI", &offline, NULL, NULL},
        WEIR_FLAG_END,
    };
    const struct weir_usage usage = {"weir check", "FILE…",
                                     "Everything short of writing: reads the file, looks at the source, infers the schema, compares\n"
                                     "checkpoint and table, and says what waits.",
                                     flags, 1, 1000, "  weir check --resolved orders.yaml\n  weir check --offline pipelines/*.yaml"};
    char **files;
    unsigned n;
    weir_rc first = WEIR_OK, rc;

    WEIR_TRY(weir_cli_parse(&usage, argc, argv, &files, &n, err));
    for (unsigned i = 0; i < n; i++) {
        weir_error_clear(err);
        rc = check_one(cli, files[i], resolved, offline, err);
        if (rc != WEIR_OK)
            weir_cli_report(err);
        first = first == WEIR_OK ? rc : first;
    }
    weir_error_clear(err); /* told already */
    return first;
}
