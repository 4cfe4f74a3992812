/* Option tables applied to the keys of a pipeline file. */
#include "base/option.h"

#include <string.h>

#include "base/log.h"
#include "base/str.h"

enum { NAMES_MAX = 1024 }; /* names that an unknown one is compared with */

static const char *
set_file(const struct weir_settings *set, const struct weir_setting *s)
{
    return s->file != NULL ? s->file : set->file == NULL ? "options" : set->file;
}

static struct weir_setting *
setting_find(const struct weir_settings *set, const char *key, uint32_t from)
{
    uint32_t i;

    for (i = from; i < set->n; i++) {
        const char *have = set->at[i].key;

        if (weir_slice_is_nocase(weir_slice(have, strlen(have)), key))
            return &set->at[i];
    }
    return NULL;
}

const char *
weir_settings_get(const struct weir_settings *set, const char *key)
{
    const struct weir_setting *s = setting_find(set, key, 0);

    return s == NULL ? NULL : s->value;
}

weir_rc
weir_settings_at(const struct weir_settings *set, const char *key, struct weir_error *err)
{
    const struct weir_setting *s = setting_find(set, key, 0);

    if (s == NULL)
        return weir_error_context(err, "%s: option %s", set->file == NULL ? "options" : set->file, key);
    return weir_error_context(err, "%s:%d: option %s", set_file(set, s), s->line, key);
}

/* Index of text in "a|b|c", -1: none. */
static int
choice_find(const char *choices, struct weir_slice text)
{
    const char *word = choices;
    int index;

    for (index = 0;; index++) {
        size_t len = strcspn(word, "|"), i;
        bool same = len == text.len;

        for (i = 0; same && i < len; i++)
            same = weir_lower(word[i]) == weir_lower(text.ptr[i]);
        if (same)
            return index;
        if (word[len] == '\0')
            return -1;
        word += len + 1;
    }
}

/* Stores the value of a text; false when it is none of the option's kind. text NULL: unset. */
static bool
option_store(const struct weir_option *opt, const char *text, void *self)
{
    char *at = (char *)self + opt->offset;
    struct weir_slice s = weir_slice(text == NULL ? "" : text, text == NULL ? 0 : strlen(text));
    int64_t number = -1;
    bool flag = false, ok = true;
    int choice = 0;

    if (opt->kind != WEIR_OPT_TEXT)
        s = weir_slice_trim(s);
    switch (opt->kind) {
    case WEIR_OPT_TEXT:
        memcpy(at, &text, sizeof(text));
        return true;
    case WEIR_OPT_BOOL:
        ok = text == NULL || weir_parse_bool(s, &flag);
        memcpy(at, &flag, sizeof(flag));
        return ok;
    case WEIR_OPT_CHOICE:
        choice = text == NULL ? -1 : choice_find(opt->choices, s);
        memcpy(at, &choice, sizeof(choice));
        return text == NULL || choice >= 0;
    case WEIR_OPT_INT:
        ok = text == NULL || weir_parse_int(s, &number);
        break;
    case WEIR_OPT_BYTES:
        ok = text == NULL || weir_parse_bytes(s, &number);
        break;
    case WEIR_OPT_INTERVAL:
        ok = text == NULL || weir_parse_interval_ms(s, &number);
        break;
    }
    memcpy(at, &number, sizeof(number));
    return ok;
}

static const char *
option_wants(const struct weir_option *opt)
{
    switch (opt->kind) {
    case WEIR_OPT_BOOL:
        return "write true or false";
    case WEIR_OPT_INT:
        return "write a whole number";
    case WEIR_OPT_BYTES:
        return "write a number of bytes like 512, 64k, 10m or 2g";
    case WEIR_OPT_INTERVAL:
        return "write a time like \"500 milliseconds\", \"10 seconds\" or \"1 hour 30 minutes\"";
    case WEIR_OPT_TEXT:
    case WEIR_OPT_CHOICE:
        break;
    }
    return opt->choices;
}

static weir_rc
option_set(const struct weir_option *opt, const struct weir_setting *s, const struct weir_settings *set, void *self,
           struct weir_error *err)
{
    switch (opt->state) {
    case WEIR_REFUSED:
        weir_fail(err, WEIR_USAGE, "%s:%d: option %s: refused: %s", set_file(set, s), s->line, s->key, opt->about);
        return weir_error_hint(err, "take the option out");
    case WEIR_NO_EFFECT:
        weir_warn("%s:%d: option %s has no effect: %s", set_file(set, s), s->line, s->key, opt->about);
        return WEIR_OK;
    case WEIR_HONOURED:
        break;
    }
    if (option_store(opt, s->value, self))
        return WEIR_OK;
    weir_fail(err, WEIR_USAGE, "%s:%d: option %s: %s%s%s is not valid", set_file(set, s), s->line, s->key,
              s->secret ? "" : "\"", s->secret ? "its secret value" : s->value, s->secret ? "" : "\"");
    return opt->kind == WEIR_OPT_CHOICE ? weir_error_hint(err, "write one of %s", opt->choices)
                                        : weir_error_hint(err, "%s", option_wants(opt));
}

weir_rc
weir_options_apply(const struct weir_option *table, void *self, struct weir_settings *set, struct weir_error *err)
{
    const struct weir_option *opt;
    struct weir_setting *s, *again;

    for (opt = table; opt->name != NULL; opt++) {
        if (opt->state == WEIR_HONOURED)
            WEIR_ASSERT(option_store(opt, opt->dflt, self));
        s = setting_find(set, opt->name, 0);
        if (s == NULL)
            continue;
        again = setting_find(set, opt->name, (uint32_t)(s - set->at) + 1);
        if (again != NULL)
            return weir_fail(err, WEIR_USAGE, "%s:%d: option %s: given before in line %d", set_file(set, again),
                             again->line, again->key, s->line);
        WEIR_TRY(option_set(opt, s, set, self, err));
        s->used = true;
    }
    return WEIR_OK;
}

static const char *
option_nearest(const struct weir_option *const *tables, uint32_t n, const char *key)
{
    const char *names[NAMES_MAX];
    const struct weir_option *opt;
    size_t known = 0;
    uint32_t i;

    for (i = 0; i < n; i++) {
        for (opt = tables[i]; opt->name != NULL && known < NAMES_MAX; opt++)
            names[known++] = opt->name;
    }
    return weir_nearest(key, names, known);
}

weir_rc
weir_options_unknown(const struct weir_option *const *tables, uint32_t n, const struct weir_settings *set,
                     struct weir_error *err)
{
    const char *near;
    uint32_t i;

    for (i = 0; i < set->n && set->at[i].used; i++)
        ;
    if (i == set->n)
        return WEIR_OK;
    weir_fail(err, WEIR_USAGE, "%s:%d: option %s: not known here", set_file(set, &set->at[i]),
              set->at[i].line, set->at[i].key);
    near = option_nearest(tables, n, set->at[i].key);
    return near == NULL ? err->rc : weir_error_hint(err, "did you mean %s?", near);
}
