/* The commands: commands.def is the map of the program.
 *
 * A command is weir_cmd_<symbol>() in cli/<symbol>.c. It parses its words with weir_cli_parse(), which also prints
 * its help, does its work, and returns a code; main prints the error and turns the code into the exit status.
 * stdout is data, stderr is talk. Threads: the main thread. */
#ifndef WEIR_CLI_COMMAND_H
#define WEIR_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/stop.h"

struct weir_cli { /* what every command is given */
    struct weir_quota *quota; /* of the process */
    struct weir_mem *mem;     /* until the process ends */
    struct weir_stop *stop;   /* NULL until weir_cli_signals() */
};

typedef weir_rc weir_command(struct weir_cli *cli, int argc, char **argv, struct weir_error *err);

/* argv[0] is the command's name as typed. */
#define COMMAND(symbol, name, about) weir_command weir_cmd_##symbol;
#include "cli/commands.def"
#undef COMMAND

struct weir_flag {
    const char *name;  /* "--format"; a second spelling behind a blank: "--output -o" */
    const char *arg;   /* what is shown for its value: "table|json" (then only these are taken), "FILE", "N"; NULL: a switch */
    const char *about; /* one line; NULL: not shown in the help */
    bool *on;          /* a switch sets it */
    const char **value; /* the last value given */
    int64_t *number;   /* instead of value: a whole number >= 0 */
};
#define WEIR_FLAG_END {0}

struct weir_usage {
    const char *name;   /* "weir table history" */
    const char *args;   /* "FILE…" */
    const char *about;  /* a sentence or a few lines */
    const struct weir_flag *flags;
    unsigned min, max;  /* how many words that are no flags */
    const char *more;   /* examples, below the flags; may be NULL */
};

/* Reads argv[1] and on. Every command also knows --help, --quiet and --log-format text|json. "--" ends the flags;
 * "--flag=value" is the same as "--flag value"; "-" is a word. words points into argv, which is reordered.
 * END: help was asked and printed on stdout; the command returns OK. USAGE names the nearest flag. */
weir_rc weir_cli_parse(const struct weir_usage *usage, int argc, char **argv, char ***words, unsigned *nwords,
                       struct weir_error *err);
/* Which of "a|b|c" is text (exactly); -1: none of them. */
int weir_cli_choice(const char *choices, const char *text);
/* Installs SIGINT and SIGTERM: the first asks cli->stop, the second leaves at once. */
weir_rc weir_cli_signals(struct weir_cli *cli, struct weir_error *err);
/* All of text to stdout, at once; IO (exit 1) when it cannot be written. A closed pipe is not an error. */
weir_rc weir_cli_out(const char *text, size_t len, struct weir_error *err);
/* One paragraph on stderr: "weir: WHERE: WHAT" and, below, the hint; or one JSON line after --log-format json. */
void weir_cli_report(const struct weir_error *err);
bool weir_cli_quiet(void); /* --quiet: no talk but errors */
bool weir_cli_json(void);  /* --log-format json */
struct weir_spec;
/* Reads each pipeline file and gives it to one(). An error is told at once and does not keep the next file from its
 * turn; the first one's code is returned, with err cleared. spec and mem last for the call. */
weir_rc weir_cli_each_file(struct weir_cli *cli, char **files, unsigned n,
                           weir_rc (*one)(void *arg, const struct weir_spec *spec, struct weir_mem *mem,
                                          struct weir_error *err),
                           void *arg, struct weir_error *err);
int weir_cli_main(int argc, char **argv, const char *revision);

#endif
