/* weir docs options, weir docs sql: the pages docs/guide/options.md, from the option tables, and docs/sql.md, from the
 * table of functions. Hidden: tools/gen-docs calls it, and a test compares the committed pages with it. */
#include "cli/command.h"

#include <string.h>

#include "base/limits.h"
#include "cli/tables.h"
#include "codec/format.h"
#include "pipeline/spec.h"
#include "reader/reader.h"
#include "sink/sink.h"
#include "source/source.h"
#include "sql/function.h"

static const char *
kind_name(weir_option_kind kind)
{
    static const char *const names[] = {"true, false", "number", "bytes", "time", "text", "choice"};

    return names[kind];
}

const char *
weir_option_default(const struct weir_option *opt)
{
    return opt->dflt == NULL ? "" : opt->dflt;
}

/* The n-th source that is not a file format's own name, then Spark's file source once. */
static const struct weir_source_type *
source_at(unsigned n)
{
    const char *const *names = weir_source_names();
    const struct weir_source_type *seen[64], *type;
    unsigned count = 0;

    for (unsigned i = 0; names[i] != NULL && count < 64; i++) {
        bool again = false;

        type = weir_source_find(names[i]);
        for (unsigned k = 0; k < count; k++)
            again = again || seen[k] == type;
        if (again)
            continue;
        if (count == n)
            return type;
        seen[count++] = type;
    }
    return NULL;
}

bool
weir_tables_at(unsigned at, struct weir_table_of *out)
{
    const struct weir_source_type *source;
    unsigned n = 0;

    for (; (source = source_at(n)) != NULL; n++)
        if (n == at) {
            *out = (struct weir_table_of){source->about, "source.options", "source", source->name, source->options};
            return true;
        }
    if (at == n) {
        *out = (struct weir_table_of){"Schema and columns of every file source", "source.options", "reader", "reader",
                                      weir_reader_options};
        return true;
    }
    if (at == n + 1) {
        *out = (struct weir_table_of){"Schema and columns of cloudFiles", "source.options", "loader", "loader",
                                      weir_loader_options};
        return true;
    }
    n += 2;
    for (const char *const *name = weir_format_names(); *name != NULL; name++, n++)
        if (n == at) {
            const struct weir_format_type *f = weir_format_find(*name);

            *out = (struct weir_table_of){f->about, "source.options", "format", f->name, f->options};
            return true;
        }
    for (const char *const *name = weir_sink_names(); *name != NULL; name++, n++)
        if (n == at) {
            const struct weir_sink_type *s = weir_sink_find(*name);

            *out = (struct weir_table_of){s->about, "sink.options", "sink", s->name, s->options};
            return true;
        }
    *out = (struct weir_table_of){"Settings", "conf", "conf", "conf", weir_conf_options};
    return at == n;
}

/* '|' would end a cell. */
static void
add_cell(struct weir_buf *buf, const char *text)
{
    for (; *text != '\0'; text++)
        if (*text == '|')
            weir_buf_str(buf, "\\|");
        else
            weir_buf_byte(buf, *text);
}

static void
print_option(const struct weir_option *opt, struct weir_buf *buf)
{
    static const char *const states[] = {"", "without effect: ", "**refused**: "};

    weir_buf_printf(buf, "| `%s` | ", opt->name);
    if (opt->state == WEIR_HONOURED)
        add_cell(buf, opt->kind == WEIR_OPT_CHOICE ? opt->choices : kind_name(opt->kind));
    weir_buf_str(buf, " | ");
    if (opt->state == WEIR_HONOURED && opt->dflt != NULL) {
        weir_buf_byte(buf, '`');
        add_cell(buf, opt->dflt);
        weir_buf_byte(buf, '`');
    }
    weir_buf_printf(buf, " | %s", states[opt->state]);
    add_cell(buf, opt->about);
    weir_buf_str(buf, " |\n");
}

static void
print_families(struct weir_buf *buf)
{
    weir_option_state state;
    const char *prefix, *about;

    weir_buf_str(buf, "\nWhole families of settings:\n\n| settings | what |\n|---|---|\n");
    for (unsigned i = 0; (prefix = weir_conf_family_at(i, &state, &about)) != NULL; i++)
        weir_buf_printf(buf, "| `%s*` | %s%s |\n", prefix, state == WEIR_REFUSED ? "**refused**: " : "without effect: ", about);
}

static void
print_page(struct weir_buf *buf)
{
    struct weir_table_of table;

    weir_buf_str(buf,
                 "# Options\n\n"
                 "<!-- Printed by tools/gen-docs from the option tables in the code. Do not edit. -->\n\n"
                 "Every option that Spark, Auto Loader or Delta knows has one of three states here: it is honoured; it is\n"
                 "without effect (accepted, with one notice at the start); or it is refused with the reason. An option\n"
                 "that stands in no table is an error that names the nearest known one. Names match without regard to\n"
                 "case. Bytes are written like `512`, `64k`, `10m`, `2g`; times like `10 seconds` or `1 hour 30 minutes`.\n");
    for (unsigned i = 0; weir_tables_at(i, &table); i++) {
        bool named = strcmp(table.kind, "source") == 0 || strcmp(table.kind, "sink") == 0 || strcmp(table.kind, "format") == 0;

        weir_buf_printf(buf, "\n## %s%s%s\n\n", named ? table.kind : "", named ? " " : "", named ? table.name : table.title);
        if (named)
            weir_buf_printf(buf, "%s\n\n", table.title);
        weir_buf_printf(buf, "Under `%s`.\n", table.where);
        if (table.options == NULL || table.options->name == NULL) {
            weir_buf_str(buf, "There are none.\n");
            continue;
        }
        weir_buf_str(buf, "\n| option | value | default | what |\n|---|---|---|---|\n");
        for (const struct weir_option *opt = table.options; opt->name != NULL; opt++)
            print_option(opt, buf);
    }
    print_families(buf);
}

/* --- docs/sql.md --- */

static void
print_function(const struct weir_function *f, struct weir_buf *buf)
{
    weir_buf_str(buf, "| `");
    add_cell(buf, f->name);
    weir_buf_str(buf, "` | ");
    if (f->max == 255)
        weir_buf_printf(buf, "%u or more", f->min);
    else if (f->min == f->max)
        weir_buf_printf(buf, "%u", f->min);
    else
        weir_buf_printf(buf, "%u to %u", f->min, f->max);
    weir_buf_str(buf, " | ");
    if (f->differs == NULL)
        weir_buf_str(buf, "same");
    else if (strcmp(f->differs, "refused") == 0)
        weir_buf_str(buf, "**refused**");
    else
        weir_buf_str(buf, "differs: ");
    if (f->differs != NULL && strcmp(f->differs, "refused") != 0)
        add_cell(buf, f->differs);
    weir_buf_str(buf, " |\n");
}

static void
print_class(weir_function_class class_, const char *title, struct weir_buf *buf)
{
    const struct weir_function *f;

    weir_buf_printf(buf, "\n## %s\n\n| name | arguments | against Spark 4.0 |\n|---|---|---|\n", title);
    for (uint32_t i = 0; (f = weir_function_at(i)) != NULL; i++)
        if (f->class_ == class_)
            print_function(f, buf);
}

static void
print_sql_page(struct weir_buf *buf)
{
    const struct weir_function_absent *f;

    weir_buf_str(buf,
                 "# Functions and operators of SQL\n\n"
                 "Printed by `tools/gen-docs` from the table that the program itself works with; do not edit.\n\n"
                 "A query is Spark's SQL. Each function here answers as Spark 4.0 does, with ANSI mode on and off, or says how\n"
                 "it differs. What is not here is refused by name. `tests/golden/sql` holds what Spark answered to several\n"
                 "thousand expressions; each check compares them, and `cases_differ.json` there lists single cases that\n"
                 "differ.\n");
    print_class(WEIR_FN_SCALAR, "Of one row", buf);
    print_class(WEIR_FN_AGGREGATE, "Aggregates", buf);
    print_class(WEIR_FN_WINDOW, "Windows", buf);
    print_class(WEIR_FN_GENERATOR, "Generators of rows", buf);
    weir_buf_str(buf, "\n## Absent\n\n| function of Spark's | why |\n|---|---|\n");
    for (uint32_t i = 0; (f = weir_function_absent_at(i)) != NULL; i++)
        weir_buf_printf(buf, "| `%s` | %s |\n", f->name, f->why);
}

weir_rc
weir_cmd_docs(struct weir_cli *cli, int argc, char **argv, struct weir_error *err)
{
    const struct weir_usage usage = {"weir docs", "options | sql", "Prints docs/guide/options.md or docs/sql.md.", NULL, 1, 1, NULL};
    struct weir_buf buf = WEIR_BUF(WEIR_SPEC_MAX);
    char **words;
    unsigned n;
    weir_rc rc;

    (void)cli;
    WEIR_TRY(weir_cli_parse(&usage, argc, argv, &words, &n, err));
    if (strcmp(words[0], "options") == 0)
        print_page(&buf);
    else if (strcmp(words[0], "sql") == 0)
        print_sql_page(&buf);
    else
        return weir_fail(err, WEIR_USAGE, "docs: there is no page %.64s", words[0]);
    WEIR_GO(weir_buf_check(&buf, err));
    rc = weir_cli_out(buf.data, buf.len, err);
out:
    weir_buf_fini(&buf);
    return rc;
}
