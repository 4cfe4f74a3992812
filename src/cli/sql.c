/* weir sql: a query over tables and files that it names by their folders, delta.`PATH` and json.`PATH`. Read
 * only. */
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/option.h"
#include "base/str.h"
#include "base/time.h"
#include "cli/show.h"
#include "pipeline/budget.h"
#include "pipeline/query.h"

struct sql_words {
    const char *format, *zone, *temp, *memory;
    bool legacy; /* --no-ansi */
    int64_t threads;
};

/* Bytes as in a pipeline file: "256m". */
static weir_rc
sql_memory(const char *text, int64_t *out, struct weir_error *err)
{
    struct value {
        int64_t bytes;
    } value = {0};
    static const struct weir_option table[] = {
        {"--memory", WEIR_OPT_BYTES, WEIR_HONOURED, offsetof(struct value, bytes), "1g", NULL, ""},
        WEIR_OPTION_END,
    };
    struct weir_setting setting = {.key = "--memory", .value = text};
    struct weir_settings set = {.at = &setting, .n = text == NULL ? 0 : 1, .file = "command line"};

    WEIR_TRY(weir_options_apply(table, &value, &set, err));
    *out = value.bytes;
    return WEIR_OK;
}

static weir_rc
sql_run(struct weir_query *q, const struct weir_query_env *env, struct weir_shown *shown,
        struct weir_error *err)
{
    const struct weir_query_run run = {.drain = &shown->drain,
                                       .lanes = weir_query_ordered(q) ? 1 : env->lanes};
    const struct weir_type *schema;

    WEIR_TRY(weir_query_bind(q, NULL, NULL, weir_now_ms() * 1000, &schema, err));
    WEIR_TRY(weir_shown_begin(shown, schema, env->zone, err));
    return weir_query_run(q, &run, err);
}

static weir_rc
sql_query(struct weir_cli *cli, const struct sql_words *w, const char *text, struct weir_error *err)
{
    struct weir_budget budget;
    struct weir_query *q = NULL;
    struct weir_shown shown;
    char dir[4096], temp[4096];
    int64_t memory;
    struct weir_query_env env = {.text = text,
                                 .zone_name = w->zone,
                                 .ansi = !w->legacy,
                                 .corrupt_name = "_corrupt_record",
                                 .paths = true,
                                 .dir = dir,
                                 .quota = cli->quota,
                                 .stop = cli->stop};
    weir_rc rc;

    if (getcwd(dir, sizeof(dir)) == NULL)
        return weir_fail(err, WEIR_IO, "the current folder has no path");
    env.zone = weir_zone_find(w->zone, strlen(w->zone));
    if (env.zone == NULL) {
        weir_fail(err, WEIR_USAGE, "--zone: %s is no time zone", w->zone);
        return weir_zone_hint(err);
    }
    WEIR_TRY(sql_memory(w->memory, &memory, err));
    WEIR_TRY(weir_budget_make(memory, w->threads > 0 ? w->threads : -1, true, &budget, err));
    env.lanes = budget.lanes;
    env.memory_bytes = budget.total / 4 * 3; /* no source and no writer beside it */
    if (w->temp != NULL) {
        WEIR_TRY(weir_query_temp_check("--temp", w->temp, err));
        snprintf(temp, sizeof(temp), "%s/weir-%d", w->temp, (int)getpid());
        env.temp_directory = temp;
    }
    weir_shown_init(&shown, w->format, UINT64_MAX, cli->quota);
    rc = weir_query_open(&env, &q, err);
    if (rc == WEIR_OK)
        rc = sql_run(q, &env, &shown, err);
    if (rc == WEIR_NOMEM) {
        err->hint[0] = '\0'; /* it speaks of a pipeline's settings */
        weir_error_hint(err, "give it more with --memory, or a folder for what does not fit with --temp");
    }
    rc = weir_shown_end(&shown, rc, err);
    weir_query_close(q);
    return rc;
}

weir_rc
weir_cmd_sql(struct weir_cli *cli, int argc, char **argv, struct weir_error *err)
{
    struct sql_words w = {.format = "table", .zone = "UTC"};
    const struct weir_flag flags[] = {
        {"--format", "table|json|csv", "how rows are printed (table)", NULL, &w.format, NULL},
        {"--zone", "ZONE", "session time zone (UTC)", NULL, &w.zone, NULL},
        {"--no-ansi", NULL, "what cannot be computed is null, as with spark.sql.ansi.enabled=false",
         &w.legacy, NULL, NULL},
        {"--memory", "BYTES", "memory of the whole query (1g)", NULL, &w.memory, NULL},
        {"--temp", "FOLDER", "where what does not fit may go; else the query fails", NULL, &w.temp, NULL},
        {"--threads", "N", "one a core, at most 4", NULL, NULL, &w.threads},
        WEIR_FLAG_END,
    };
    const struct weir_usage usage = {
        "weir sql",
        "QUERY",
        "Spark SQL over Delta tables and JSON files, read only; '-' reads the query from stdin.",
        flags,
        1,
        1,
        "  weir sql 'SELECT status, count(*) FROM delta.`./tables/orders` GROUP BY status'\n"
        "  weir sql --format csv 'SELECT * FROM delta.`./tables/orders` VERSION AS OF 3'\n"
        "  weir sql 'SELECT * FROM json.`./landing/*.json` LIMIT 5'"};
    struct weir_buf text = WEIR_BUF(WEIR_SPEC_MAX);
    char **words;
    unsigned n;
    weir_rc rc;

    WEIR_GO(weir_cli_parse(&usage, argc, argv, &words, &n, err));
    WEIR_GO(weir_cli_signals(cli, err));
    if (strcmp(words[0], "-") == 0) {
        char part[4096];
        size_t got;

        while ((got = fread(part, 1, sizeof(part), stdin)) > 0)
            weir_buf_add(&text, part, got);
        WEIR_GO(weir_buf_check(&text, err));
    }
    rc = sql_query(cli, &w, strcmp(words[0], "-") != 0 ? words[0] : text.len > 0 ? text.data : "", err);
out:
    weir_buf_fini(&text);
    return rc == WEIR_END ? WEIR_OK : rc;
}
