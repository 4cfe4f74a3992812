/* The face of the program: finds the command, reads its words, prints help and errors, turns codes into statuses.
 *
 * 1. Nothing is set up that `weir --version` or an empty run does not need: they take single-digit milliseconds.
 * 2. stdout is data, stderr is talk; an error is one paragraph.
 * 3. The first SIGINT or SIGTERM asks the run to finish or drop its batch; ten seconds later, or at the second
 *    signal, the process leaves at once. Every point of a run is crash-safe, so that costs no data.
 * Process-wide state: `talk`, set while words are read and signals are installed, and read-only then; `signals`, for
 * the handlers.
 * Threads: the main thread; handlers touch only atomics. */
#include "cli/command.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/point.h"
#include "base/str.h"
#include "base/time.h"
#include "cli/bar.h"
#include "pipeline/spec.h"
#include "sql/engine.h"
#include "sql/parquet_read.h"

enum { STOP_SECONDS = 10 };

static const struct command {
    const char *name, *about;
    weir_command *run;
} commands[] = {
#define COMMAND(symbol, name, about) {name, about, weir_cmd_##symbol},
#include "cli/commands.def"
#undef COMMAND
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static struct { bool quiet, json, bar; } talk;
static struct {
    struct weir_stop *stop;
    _Atomic int signum; /* the first one */
} signals;

bool
weir_cli_quiet(void)
{
    return talk.quiet;
}

bool
weir_cli_json(void)
{
    return talk.json;
}

/* ---- output ---- */

weir_rc
weir_cli_out(const char *text, size_t len, struct weir_error *err)
{
    while (len > 0) {
        ssize_t n = write(STDOUT_FILENO, text, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EPIPE) /* whoever read it has enough */
            return WEIR_OK;
        if (n < 0)
            return weir_fail_os(err, WEIR_IO, errno, "cannot write to stdout");
        text += n;
        len -= (size_t)n;
    }
    return WEIR_OK;
}

static void
err_write(const struct weir_buf *buf)
{
    const char *p = buf->data;
    size_t left = buf->len;

    while (left > 0) {
        ssize_t n = write(STDERR_FILENO, p, left);

        if (n < 0 && errno != EINTR)
            return;
        p += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
}

/* Control characters (of file names, of data) must not reach a terminal. */
static void
add_clean(struct weir_buf *buf, const char *text)
{
    for (; *text != '\0'; text++)
        weir_buf_byte(buf, (unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text);
}

static void
report_json(const struct weir_error *err, const char *where, struct weir_buf *buf)
{
    char when[WEIR_ISO_SIZE];
    const struct { const char *key, *text; } parts[] = {{"where", where}, {"message", err->what}, {"hint", err->hint}};

    weir_buf_printf(buf, "{\"timestamp\":\"%s\",\"level\":\"ERROR\",\"code\":\"%s\"", weir_time_iso(weir_now_ms(), when),
                    weir_rc_name(err->rc));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (*parts[i].text == '\0')
            continue;
        weir_buf_printf(buf, ",\"%s\":", parts[i].key);
        if (weir_utf8_valid(parts[i].text, strlen(parts[i].text)))
            weir_buf_json(buf, parts[i].text, strlen(parts[i].text));
        else
            weir_buf_str(buf, "\"not UTF-8\"");
    }
    weir_buf_str(buf, "}\n");
}

void
weir_cli_report(const struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(64 * WEIR_KIB);

    if (talk.json) {
        report_json(err, err->where, &buf);
    } else {
        weir_buf_str(&buf, "weir: ");
        add_clean(&buf, err->where);
        weir_buf_str(&buf, err->where[0] == '\0' ? "" : ": ");
        add_clean(&buf, err->what[0] == '\0' ? weir_rc_name(err->rc) : err->what);
        if (err->rc == WEIR_BUG)
            weir_buf_printf(&buf, " (%s:%d; please report this)", err->file == NULL ? "?" : err->file, err->line);
        weir_buf_byte(&buf, '\n');
        if (err->hint[0] != '\0') {
            weir_buf_str(&buf, "      ");
            add_clean(&buf, err->hint);
            weir_buf_byte(&buf, '\n');
        }
    }
    err_write(&buf);
    weir_buf_fini(&buf);
}

/* ---- words ---- */

int
weir_cli_choice(const char *choices, const char *text)
{
    size_t n = strlen(text);
    int at = 0;

    for (const char *p = choices;; at++) {
        size_t len = strcspn(p, "|");

        if (len == n && memcmp(p, text, n) == 0)
            return at;
        if (p[len] == '\0')
            return -1;
        p += len + 1;
    }
}

static const struct weir_flag common[] = {
    {"--log-format", "text|json", "how talk on stderr is written", NULL, NULL, NULL},
    {"--quiet -q", NULL, "no talk but errors", NULL, NULL, NULL},
    {"--help -h", NULL, "this text", NULL, NULL, NULL},
    WEIR_FLAG_END,
};

static bool
flag_is(const struct weir_flag *flag, struct weir_slice word)
{
    for (const char *p = flag->name; *p != '\0'; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");

        if (word.len == n && memcmp(word.ptr, p, n) == 0)
            return true;
        p += n;
    }
    return false;
}

static const struct weir_flag *
flag_find(const struct weir_flag *flags, struct weir_slice word)
{
    for (; flags != NULL && flags->name != NULL; flags++)
        if (flag_is(flags, word))
            return flags;
    return NULL;
}

/* "table show" of "weir table show": what an error of the command line begins with, behind the program's name. */
static const char *
usage_command(const struct weir_usage *usage)
{
    return usage->name + strlen("weir ");
}

static weir_rc
flag_unknown(const struct weir_usage *usage, struct weir_slice word, struct weir_error *err)
{
    char names[64][32], text[64];
    const char *list[64], *near;
    size_t n = 0;

    for (int i = 0; i < 2; i++)
        for (const struct weir_flag *f = i == 0 ? usage->flags : common; f != NULL && f->name != NULL && n < 64; f++) {
            snprintf(names[n], sizeof names[n], "%.*s", (int)strcspn(f->name, " "), f->name);
            list[n] = names[n];
            n++;
        }
    snprintf(text, sizeof text, "%.*s", (int)(word.len < 63 ? word.len : 63), word.ptr);
    near = weir_nearest(text, list, n);
    weir_fail(err, WEIR_USAGE, "%s: unknown flag %s", usage_command(usage), text);
    return near == NULL ? weir_error_hint(err, "see %s --help", usage->name) : weir_error_hint(err, "did you mean %s?", near);
}

static weir_rc
flag_take(const struct weir_usage *usage, const struct weir_flag *flag, const char *value, struct weir_error *err)
{
    int n = (int)strcspn(flag->name, " ");

    if (flag->arg == NULL) {
        if (flag->on != NULL)
            *flag->on = true;
        else if (strncmp(flag->name, "--quiet", 7) == 0)
            talk.quiet = true;
        return WEIR_OK;
    }
    if (strchr(flag->arg, '|') != NULL && weir_cli_choice(flag->arg, value) < 0)
        return weir_fail(err, WEIR_USAGE, "%s: %.*s must be one of %s, not %.64s", usage_command(usage), n, flag->name,
                         flag->arg, value);
    if (flag->number != NULL &&
        (!weir_parse_int(weir_slice(value, strlen(value)), flag->number) || *flag->number < 0))
        return weir_fail(err, WEIR_USAGE, "%s: %.*s must be a whole number, not %.64s", usage_command(usage), n,
                         flag->name, value);
    if (flag->value != NULL)
        *flag->value = value;
    else if (flag->number == NULL) /* --log-format */
        talk.json = strcmp(value, "json") == 0;
    return WEIR_OK;
}

static void
help_flags(struct weir_buf *buf, const struct weir_flag *flags)
{
    char text[128];

    for (; flags != NULL && flags->name != NULL; flags++) {
        const char *blank = strchr(flags->name, ' ');
        int n = (int)strcspn(flags->name, " ");

        if (flags->about == NULL)
            continue;
        snprintf(text, sizeof text, "%s%.*s%s%s", blank == NULL ? "    " : "", blank == NULL ? n : 0, flags->name,
                 flags->arg == NULL ? "" : " ", flags->arg == NULL ? "" : flags->arg);
        if (blank != NULL)
            snprintf(text, sizeof text, "%s, %.*s%s%s", blank + 1, n, flags->name, flags->arg == NULL ? "" : " ",
                     flags->arg == NULL ? "" : flags->arg);
        weir_buf_printf(buf, "  %-34s  %s\n", text, flags->about);
    }
}

static weir_rc
help_print(const struct weir_usage *usage, struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(64 * WEIR_KIB);
    weir_rc rc;

    weir_buf_printf(&buf, "usage: %s [flags]%s%s\n\n%s\n\n", usage->name, *usage->args == '\0' ? "" : " ", usage->args,
                    usage->about);
    help_flags(&buf, usage->flags);
    help_flags(&buf, common);
    if (usage->more != NULL)
        weir_buf_printf(&buf, "\n%s\n", usage->more);
    rc = weir_cli_out(buf.data, buf.len, err);
    weir_buf_fini(&buf);
    return rc == WEIR_OK ? WEIR_END : rc;
}

/* One flag at argv[*i], its value taken from the next word when it has one. END: help was printed. */
static weir_rc
parse_flag(const struct weir_usage *usage, int argc, char **argv, int *i, struct weir_error *err)
{
    const char *word = argv[*i], *eq = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    struct weir_slice name = weir_slice(word, eq == NULL ? strlen(word) : (size_t)(eq - word));
    const struct weir_flag *flag = flag_find(usage->flags, name);

    if (flag == NULL)
        flag = flag_find(common, name);
    if (flag == NULL)
        return flag_unknown(usage, name, err);
    if (flag == &common[2])
        return help_print(usage, err);
    if (flag->arg == NULL && eq != NULL)
        return weir_fail(err, WEIR_USAGE, "%s: %.*s takes no value", usage_command(usage), (int)name.len, name.ptr);
    if (flag->arg == NULL || eq != NULL)
        return flag_take(usage, flag, eq == NULL ? NULL : eq + 1, err);
    if (*i + 1 >= argc)
        return weir_fail(err, WEIR_USAGE, "%s: %s needs a value: %s", usage_command(usage), word, flag->arg);
    return flag_take(usage, flag, argv[++*i], err);
}

weir_rc
weir_cli_parse(const struct weir_usage *usage, int argc, char **argv, char ***words, unsigned *nwords,
               struct weir_error *err)
{
    bool flags = true;
    int n = 0;

    for (int i = 1; i < argc; i++) {
        if (flags && strcmp(argv[i], "--") == 0) {
            flags = false;
            continue;
        }
        if (!flags || argv[i][0] != '-' || argv[i][1] == '\0') {
            argv[1 + n++] = argv[i];
            continue;
        }
        WEIR_TRY(parse_flag(usage, argc, argv, &i, err));
    }
    *words = argv + 1;
    *nwords = (unsigned)n;
    if (*nwords < usage->min || *nwords > usage->max) {
        weir_fail(err, WEIR_USAGE, *nwords < usage->min ? "%s: %s is missing" : "%s: too many words; %s is enough",
                  usage_command(usage), usage->args);
        return weir_error_hint(err, "see %s --help", usage->name);
    }
    weir_log_setup(talk.quiet ? WEIR_LOG_ERROR : WEIR_LOG_INFO, talk.json);
    return WEIR_OK;
}

/* ---- files ---- */

static weir_rc
file_one(struct weir_cli *cli, const char *file,
         weir_rc (*one)(void *arg, const struct weir_spec *spec, struct weir_mem *mem, struct weir_error *err),
         void *arg, struct weir_error *err)
{
    struct weir_quota quota;
    struct weir_mem *mem;
    struct weir_spec *spec;
    weir_rc rc;

    weir_quota_init(&quota, cli->quota, "pipeline file", WEIR_SPEC_MEMORY);
    mem = weir_mem_new(NULL, &quota, "pipeline file");
    if (mem == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for %s", file);
    WEIR_GO(weir_spec_load(file, mem, &spec, err));
    rc = one(arg, spec, mem, err);
out:
    weir_mem_free(mem);
    return rc;
}

weir_rc
weir_cli_each_file(struct weir_cli *cli, char **files, unsigned n,
                   weir_rc (*one)(void *arg, const struct weir_spec *spec, struct weir_mem *mem,
                                  struct weir_error *err),
                   void *arg, struct weir_error *err)
{
    weir_rc first = WEIR_OK, rc;

    for (unsigned i = 0; i < n; i++) {
        weir_error_clear(err);
        rc = file_one(cli, files[i], one, arg, err);
        if (rc != WEIR_OK)
            weir_cli_report(err);
        first = first == WEIR_OK ? rc : first;
    }
    weir_error_clear(err);
    return first;
}

/* ---- signals ---- */

static void
on_stop(int signum)
{
    static const char words[] = "\r\033[Kweir: stopping; once more to leave at once\n";
    size_t skip = talk.bar ? 0 : strlen("\r\033[K"); /* in the bar's line, not behind it */
    int saved = errno, none = 0;

    if (!atomic_compare_exchange_strong(&signals.signum, &none, signum))
        _exit(128 + signum);
    weir_stop_ask(signals.stop, signum);
    alarm(STOP_SECONDS);
    if (!talk.quiet && !talk.json)
        (void)!write(STDERR_FILENO, words + skip, sizeof words - 1 - skip);
    errno = saved;
}

static void
on_alarm(int signum)
{
    static const char words[] = "weir: the batch did not end in 10 seconds; leaving. The next run takes it up again\n";

    (void)signum;
    (void)!write(STDERR_FILENO, words, sizeof words - 1);
    _exit(128 + atomic_load(&signals.signum));
}

weir_rc
weir_cli_signals(struct weir_cli *cli, struct weir_error *err)
{
    static struct weir_stop stop;
    struct sigaction act = {.sa_handler = on_stop, .sa_flags = SA_RESTART};

    if (cli->stop != NULL)
        return WEIR_OK;
    WEIR_TRY(weir_stop_init(&stop, err));
    cli->stop = signals.stop = &stop;
    talk.bar = weir_bar_wanted();
    sigemptyset(&act.sa_mask);
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    act.sa_handler = on_alarm;
    sigaction(SIGALRM, &act, NULL);
    return WEIR_OK;
}

/* ---- main ---- */

static weir_rc
help_commands(struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(64 * WEIR_KIB);
    weir_rc rc;

    weir_buf_str(&buf, "weir: lakehouse ingestion without the cluster\n\nusage: weir COMMAND [flags] [words]\n\n");
    for (int i = 0; i < COMMANDS; i++)
        if (*commands[i].about != '\0')
            weir_buf_printf(&buf, "  %-10s %s\n", commands[i].name, commands[i].about);
    weir_buf_str(&buf, "  help       this text; weir help COMMAND: the command's\n  --version  the version\n\n"
                       "Exit status: 0 done; 1 the pipeline failed; 2 command line, pipeline file, or something that a\n"
                       "person must decide; 3 bad data stopped it; 4 another run holds the checkpoint; 130, 143 stopped\n"
                       "by a signal with the batch finished or dropped.\n");
    rc = weir_cli_out(buf.data, buf.len, err);
    weir_buf_fini(&buf);
    return rc;
}

static const struct command *
command_find(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static weir_rc
command_unknown(const char *name, struct weir_error *err)
{
    const char *names[COMMANDS + 1], *near;
    size_t n = 0;

    for (int i = 0; i < COMMANDS; i++)
        if (*commands[i].about != '\0')
            names[n++] = commands[i].name;
    names[n++] = "help";
    if (name[0] == '-') {
        weir_fail(err, WEIR_USAGE, "no command before the flag %.64s", name);
        return weir_error_hint(err, "flags stand behind the command: weir run --quiet FILE; see weir help");
    }
    near = weir_nearest(name, names, n);
    weir_fail(err, WEIR_USAGE, "unknown command %.64s", name);
    return near == NULL ? weir_error_hint(err, "see weir help") : weir_error_hint(err, "did you mean weir %s?", near);
}

static weir_rc
print_version(const char *revision, struct weir_error *err)
{
    char text[128];
    int n = snprintf(text, sizeof text, "weir %s (%s), DuckDB %s\n", WEIR_VERSION, revision, weir_engine_version());

    return weir_cli_out(text, (size_t)n, err);
}

static bool
is_help(const char *word)
{
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* "help table show" is "table show --help". */
static weir_rc
help_command(struct weir_cli *cli, int argc, char **argv, struct weir_error *err)
{
    static char help_flag[] = "--help";
    const struct command *cmd = command_find(argv[2]);

    if (cmd == NULL)
        return command_unknown(argv[2], err);
    memmove(argv + 1, argv + 2, (size_t)(argc - 2) * sizeof *argv);
    argv[argc - 1] = help_flag;
    return cmd->run(cli, argc - 1, argv + 1, err);
}

static weir_rc
dispatch(struct weir_cli *cli, int argc, char **argv, const char *revision, struct weir_error *err)
{
    const struct command *cmd;

    if (argc < 2 || (is_help(argv[1]) && (argc < 3 || is_help(argv[2])))) {
        WEIR_TRY(help_commands(err));
        return argc < 2 ? WEIR_END : WEIR_OK;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "version") == 0)
        return print_version(revision, err);
    if (is_help(argv[1]))
        return help_command(cli, argc, argv, err);
    if ((cmd = command_find(argv[1])) == NULL)
        return command_unknown(argv[1], err);
    return cmd->run(cli, argc - 1, argv + 1, err);
}

int
weir_cli_main(int argc, char **argv, const char *revision)
{
    struct weir_quota quota;
    struct weir_error err = {.rc = WEIR_OK};
    struct weir_cli cli = {.quota = &quota};
    weir_rc rc;

    signal(SIGPIPE, SIG_IGN);
    weir_quota_init(&quota, NULL, "process", UINT64_MAX);
    weir_json_init(&quota);
    weir_parquet_io_set(&weir_parquet_duckdb);
    cli.mem = weir_mem_new(NULL, &quota, "command");
    rc = cli.mem == NULL ? weir_fail(&err, WEIR_NOMEM, "no memory to begin with") : weir_point_setup(&err);
    if (rc == WEIR_OK)
        rc = dispatch(&cli, argc, argv, revision, &err);
    if (rc != WEIR_OK && rc != WEIR_END && rc != WEIR_STOPPED && err.rc != WEIR_OK)
        weir_cli_report(&err);
    weir_mem_free(cli.mem);
    if (rc == WEIR_END && argc < 2)
        return 2;
    if (rc == WEIR_STOPPED && atomic_load(&signals.signum) != 0)
        return 128 + atomic_load(&signals.signum);
    return weir_rc_exit(rc);
}
