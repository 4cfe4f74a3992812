/* Option tables: the single truth about what a user may set. A table parses, defaults, validates, explains and
 * prints the documentation.
 *
 * Every option that Spark, Auto Loader or Delta knows has one of three states: honoured; without effect here
 * (accepted, one notice at start); refused by name with the reason. An unknown one is an error with the nearest
 * known name. Keys match without regard to case, as in Spark. */
#ifndef WEIR_BASE_OPTION_H
#define WEIR_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

typedef enum weir_option_kind {
    WEIR_OPT_BOOL,     /* bool */
    WEIR_OPT_INT,      /* int64_t */
    WEIR_OPT_BYTES,    /* int64_t; "10g" */
    WEIR_OPT_INTERVAL, /* int64_t ms; "10 seconds" */
    WEIR_OPT_TEXT,     /* const char *; NULL when unset */
    WEIR_OPT_CHOICE    /* int: index in `choices`, "a|b|c", any case */
} weir_option_kind;

typedef enum weir_option_state { WEIR_HONOURED, WEIR_NO_EFFECT, WEIR_REFUSED } weir_option_state;

struct weir_option {
    const char *name;
    weir_option_kind kind;
    weir_option_state state;
    size_t offset;       /* of the value in the struct that is filled */
    const char *dflt;    /* as a user would write it; NULL: unset (numbers and CHOICE: -1) */
    const char *choices; /* CHOICE only */
    const char *about;   /* one sentence: what it does, or why it has no effect or is refused */
};
#define WEIR_OPTION_END {0}

struct weir_setting { /* one key of a pipeline file */
    const char *key, *value;
    int line;
    bool used;
    bool secret;      /* messages must not show the value */
    const char *file; /* where it stands when not in the set's file (extends); or NULL */
};
struct weir_settings {
    struct weir_setting *at;
    uint32_t n;
    const char *file; /* for messages */
};

/* Fills self from the table's defaults and the settings that it knows, marking them used. Texts are borrowed from
 * the settings. USAGE: "FILE:LINE: option KEY: …". */
weir_rc weir_options_apply(const struct weir_option *table, void *self, struct weir_settings *set,
                           struct weir_error *err);
/* USAGE for the first setting that no table used, with the nearest name of all the tables. */
weir_rc weir_options_unknown(const struct weir_option *const *tables, uint32_t n, const struct weir_settings *set,
                             struct weir_error *err);
const char *weir_settings_get(const struct weir_settings *set, const char *key); /* NULL: absent */
/* "FILE:LINE: option KEY" in front of an error about that option's value. Returns err->rc. */
weir_rc weir_settings_at(const struct weir_settings *set, const char *key, struct weir_error *err);

#endif
