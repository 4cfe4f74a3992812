/* weir new: a commented pipeline file to start from.
 *
 * The frame is text; the options below it come from the tables, so that the file knows all of them. It runs as it
 * stands once the three paths are right. An existing file is never overwritten. */
#include "cli/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "cli/tables.h"
#include "codec/format.h"
#include "pipeline/place.h"
#include "pipeline/spec.h"
#include "store/store.h"

static bool
is_set_above(const char *name)
{
    static const char *const above[] = {"cloudFiles.format", "cloudFiles.schemaLocation", "mergeSchema"};

    for (size_t i = 0; i < sizeof above / sizeof *above; i++)
        if (strcmp(above[i], name) == 0)
            return true;
    return false;
}

/* "    # name: default    # what it does", texts that YAML would read otherwise in quotes. */
static void
print_options(const struct weir_option *opt, int indent, struct weir_buf *buf)
{
    for (; opt != NULL && opt->name != NULL; opt++) {
        const char *value = weir_option_default(opt);
        bool quote = *value == '\0' || strpbrk(value, "\"'\\{}[],&*!|>%@`#:\t\n\r") != NULL || *value == '-' || *value == '?';
        size_t from = buf->len;

        if (opt->state != WEIR_HONOURED || is_set_above(opt->name))
            continue;
        weir_buf_printf(buf, "%*s# %s: ", indent, "", opt->name);
        if (quote)
            weir_buf_json(buf, value, strlen(value));
        else
            weir_buf_str(buf, value);
        weir_buf_printf(buf, "%*s# ", buf->len - from < 60 ? (int)(60 - (buf->len - from)) : 2, "");
        if (opt->kind == WEIR_OPT_CHOICE)
            weir_buf_printf(buf, "%s: ", opt->choices);
        weir_buf_printf(buf, "%s\n", opt->about);
    }
}

static void
print_tables(const char *kind, const char *name, const char *title, int indent, struct weir_buf *buf)
{
    struct weir_table_of table;

    for (unsigned i = 0; weir_tables_at(i, &table); i++) {
        if (strcmp(table.kind, kind) != 0 || (name != NULL && strcmp(table.name, name) != 0))
            continue;
        if (table.options == NULL || table.options->name == NULL)
            continue;
        weir_buf_printf(buf, "%*s# %s\n", indent, "", title);
        print_options(table.options, indent, buf);
    }
}

/* One line with a comment behind it, at a column that most lines share. */
static void
print_line(struct weir_buf *buf, const char *comment, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void
print_line(struct weir_buf *buf, const char *comment, const char *fmt, ...)
{
    char text[512];
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    weir_buf_printf(buf, "%s%*s# %s\n", text, n < 36 ? 36 - n : 2, "", comment);
}

static void
print_settings(struct weir_buf *buf)
{
    weir_buf_str(buf, "# conf:\n");
    for (const struct weir_option *opt = weir_conf_options; opt->name != NULL; opt++) {
        const char *value = weir_option_default(opt);

        if (opt->state == WEIR_HONOURED &&
            (strncmp(opt->name, "weir.", 5) == 0 || strcmp(opt->name, "spark.sql.session.timeZone") == 0))
            weir_buf_printf(buf, "#   %s: %s%*s# %s\n", opt->name, value,
                            (int)(56 - strlen(opt->name) - strlen(value)), "", opt->about);
    }
}

static void
print_file(const char *format, const char *name, struct weir_buf *buf)
{
    weir_buf_printf(buf,
                    "# A pipeline of weir: %s files into a Delta table, each file exactly once.\n"
                    "#   weir check FILE   looks at everything and writes nothing\n"
                    "#   weir run FILE     runs it\n"
                    "# Paths are relative to this file. ${env:NAME} and ${file:/path} are filled in.\n"
                    "# What begins with # is not set; an option shows its default.\n"
                    "name: %s\n"
                    "source:\n"
                    "  format: cloudFiles\n",
                    format, name);
    print_line(buf, "a folder, or a pattern like ./landing/*/2025", "  path: ./landing/%s", name);
    print_line(buf, "fixes the schema; without it, it is inferred", "  # schema: id BIGINT, at TIMESTAMP");
    weir_buf_printf(buf,
                    "  options:\n"
                    "    cloudFiles.format: %s\n"
                    "    cloudFiles.schemaLocation: ./state/%s/schema\n",
                    format, name);
    print_tables("source", "cloudFiles", "which files, and how many a batch:", 4, buf);
    print_tables("loader", NULL, "the schema:", 4, buf);
    print_tables("reader", NULL, "what becomes of odd values and files:", 4, buf);
    print_tables("format", format, "the format:", 4, buf);
    print_line(buf, "Spark SQL over source, and over what `tables` names", "# query: SELECT * FROM source");
    weir_buf_str(buf, "sink:\n");
    print_line(buf, "noop drops the rows: to try a source", "  format: delta");
    print_line(buf, "the table's folder; it is made when it is not there", "  path: ./tables/%s", name);
    weir_buf_str(buf, "  # partitionBy: [day]\n  options:\n");
    print_line(buf, "the table gets new columns when the schema does", "    mergeSchema: true");
    print_tables("sink", "delta", "the table:", 4, buf);
    print_line(buf, "or { processingTime: 10 seconds }; without one it runs for ever", "trigger: { availableNow: true }");
    print_line(buf, "what was read; a folder for this pipeline alone", "checkpointLocation: ./state/%s/checkpoint", name);
    print_settings(buf);
}

static weir_rc
write_new(struct weir_cli *cli, const char *file, const struct weir_buf *buf, struct weir_error *err)
{
    struct weir_store *store = NULL;
    const char *path, *dir;
    weir_rc rc;

    WEIR_GO(weir_place_of_file(file, cli->mem, &path, &dir, err));
    WEIR_GO(weir_store_open(dir, cli->mem, &store, err));
    rc = weir_store_put(store, strrchr(path, '/') + 1, buf->data, buf->len, WEIR_PUT_ABSENT, err);
    if (rc == WEIR_EXISTS) {
        rc = weir_fail(err, WEIR_USAGE, "%s is there already", file);
        weir_error_hint(err, "it was left as it is; choose another name");
    }
out:
    weir_store_close(store);
    return rc;
}

/* The file's stem as the pipeline's name, as far as it is a plain word. */
static const char *
name_of(struct weir_cli *cli, const char *file, const char *format)
{
    const char *base = file == NULL ? NULL : strrchr(file, '/');
    size_t n;

    base = base == NULL ? file : base + 1;
    n = base == NULL ? 0 : strspn(base, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return n == 0 ? weir_mem_printf(cli->mem, "my_%s", format) : weir_mem_strndup(cli->mem, base, n);
}

/* "Formats: a, b" */
static const char *
formats(struct weir_cli *cli)
{
    const char *text = "Formats:";

    for (const char *const *f = weir_format_names(); *f != NULL && text != NULL; f++)
        text = weir_mem_printf(cli->mem, "%s%s %s", text, f == weir_format_names() ? "" : ",", *f);
    return text == NULL ? "" : text;
}

weir_rc
weir_cmd_new(struct weir_cli *cli, int argc, char **argv, struct weir_error *err)
{
    const char *file = NULL, *name;
    const struct weir_flag flags[] = {
        {"--output -o", "FILE", "write it there; an existing file is left alone", NULL, &file, NULL},
        WEIR_FLAG_END,
    };
    const struct weir_usage usage = {"weir new", "FORMAT",
                                     "Prints a commented pipeline file for files of a format, with every option and its default.",
                                     flags, 1, 1,
                                     weir_mem_printf(cli->mem, "  weir new json -o orders.yaml\n\n%s", formats(cli))};
    struct weir_buf buf = WEIR_BUF(WEIR_SPEC_MAX);
    const struct weir_format_type *format;
    char **words;
    unsigned n;
    weir_rc rc;

    WEIR_TRY(weir_cli_parse(&usage, argc, argv, &words, &n, err));
    format = weir_format_find(words[0]);
    if (format == NULL) {
        weir_fail(err, WEIR_USAGE, "new: %.64s is no format that this version reads", words[0]);
        return weir_error_hint(err, "%s", formats(cli));
    }
    name = name_of(cli, file, format->name);
    if (name == NULL)
        WEIR_GO(weir_mem_fail(cli->mem, 64, err));
    print_file(format->name, name, &buf);
    WEIR_GO(weir_buf_check(&buf, err));
    rc = file == NULL || strcmp(file, "-") == 0 ? weir_cli_out(buf.data, buf.len, err) : write_new(cli, file, &buf, err);
out:
    weir_buf_fini(&buf);
    return rc;
}
