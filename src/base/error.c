/* Errors: filling, context, text; and what each code means for the process.
 *
 * 1. Nothing here allocates, so an error about memory can always be told.
 * 2. A text that does not fit is cut between two characters and ends in "...".
 * 3. Arguments may point into the error that is being filled: texts are made aside first. */
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char cut_mark[] = "...";

/* Copies text into out; when it is too long, as many whole characters as fit and the mark. */
static void
text_copy(char *out, size_t size, const char *text)
{
    size_t len = strlen(text);

    if (len < size) {
        memcpy(out, text, len + 1);
        return;
    }
    len = size - sizeof(cut_mark);
    while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
        len--;
    memcpy(out, text, len);
    memcpy(out + len, cut_mark, sizeof(cut_mark));
}

/* The system's refusals that ask for one and the same reaction wherever they come from. */
static weir_rc
os_rc(int os_errno, weir_rc rc)
{
    switch (os_errno) {
    case EACCES:
    case EPERM:
    case EROFS:
        return WEIR_DENIED;
    case ENOENT:
        return WEIR_NOTFOUND;
    case EEXIST:
        return WEIR_EXISTS;
    case ENOMEM:
        return WEIR_NOMEM;
    case ENOSPC:
    case EDQUOT:
        return WEIR_IO;
    default:
        return rc;
    }
}

static const char *
os_hint(int os_errno)
{
    switch (os_errno) {
    case EACCES:
    case EPERM:
        return "give the user that runs weir the right to it";
    case EROFS:
        return "the file system is mounted read-only: choose another place or mount it writable";
    case ENOSPC:
        return "free space on that file system, then start again: nothing is lost";
    case EDQUOT:
        return "free space in the disk quota of the user that runs weir, then start again: nothing is lost";
    case EMFILE:
    case ENFILE:
        return "raise the limit of open files (ulimit -n)";
    default:
        return "";
    }
}

weir_rc
weir_fail_at(struct weir_error *err, weir_rc rc, int os_errno, const char *file, int line, const char *fmt, ...)
{
    char text[1024], system[128];
    int len;
    va_list args;

    va_start(args, fmt);
    len = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (os_errno != 0 && len >= 0 && (size_t)len < sizeof(text))
        snprintf(text + len, sizeof(text) - (size_t)len, ": %s", strerror_r(os_errno, system, sizeof(system)));

    *err = (struct weir_error){.rc = os_rc(os_errno, rc), .os_errno = os_errno, .file = file, .line = line};
    text_copy(err->what, sizeof(err->what), text);
    text_copy(err->hint, sizeof(err->hint), os_hint(os_errno));
    return err->rc;
}

weir_rc
(weir_error_context)(struct weir_error *err, const char *fmt, ...)
{
    char text[2 * sizeof(err->where)];
    int len;
    va_list args;

    va_start(args, fmt);
    len = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (err->where[0] != '\0' && len >= 0 && (size_t)len < sizeof(text))
        snprintf(text + len, sizeof(text) - (size_t)len, ": %s", err->where);
    text_copy(err->where, sizeof(err->where), text);
    return err->rc;
}

weir_rc
(weir_error_hint)(struct weir_error *err, const char *fmt, ...)
{
    char text[2 * sizeof(err->hint)];
    va_list args;

    if (err->hint[0] != '\0')
        return err->rc;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    text_copy(err->hint, sizeof(err->hint), text);
    return err->rc;
}

void
weir_error_clear(struct weir_error *err)
{
    *err = (struct weir_error){.rc = WEIR_OK};
}

char *
weir_error_text(const struct weir_error *err, char *text, uint32_t size)
{
    char all[sizeof(err->what) + sizeof(err->where) + sizeof(err->hint) + 16];

    if (size <= sizeof(cut_mark)) {
        if (size > 0)
            text[0] = '\0';
        return text;
    }
    snprintf(all, sizeof(all), "%s%s%s%s%s", err->where, err->where[0] == '\0' ? "" : ": ", err->what,
             err->hint[0] == '\0' ? "" : "\nhint: ", err->hint);
    text_copy(text, size, all);
    return text;
}

const char *
weir_rc_name(weir_rc rc)
{
    static const char *const names[] = {
        [WEIR_OK] = "OK",
        [WEIR_END] = "END",
        [WEIR_RETRY] = "RETRY",
        [WEIR_CONFLICT] = "CONFLICT",
        [WEIR_EXISTS] = "EXISTS",
        [WEIR_NOTFOUND] = "NOTFOUND",
        [WEIR_BADDATA] = "BADDATA",
        [WEIR_SCHEMA] = "SCHEMA",
        [WEIR_USAGE] = "USAGE",
        [WEIR_NOMEM] = "NOMEM",
        [WEIR_STOPPED] = "STOPPED",
        [WEIR_IO] = "IO",
        [WEIR_CORRUPT] = "CORRUPT",
        [WEIR_UNSUPPORTED] = "UNSUPPORTED",
        [WEIR_UNKNOWN] = "UNKNOWN",
        [WEIR_FENCED] = "FENCED",
        [WEIR_DENIED] = "DENIED",
        [WEIR_BUG] = "BUG",
    };

    if ((size_t)rc >= sizeof(names) / sizeof(names[0]))
        return "?";
    return names[rc];
}

int
weir_rc_exit(weir_rc rc)
{
    switch (rc) {
    case WEIR_OK:
    case WEIR_END:
        return 0;
    case WEIR_USAGE:
    case WEIR_SCHEMA:
    case WEIR_UNSUPPORTED:
        return 2;
    case WEIR_BADDATA:
        return 3;
    case WEIR_FENCED:
        return 4;
    default: /* STOPPED too: the caller knows the signal and makes 130 or 143 of it */
        return 1;
    }
}

_Noreturn void
weir_assert_failed(const char *cond, const char *file, int line)
{
    fprintf(stderr, "weir: broken promise at %s:%d: %s\n", file, line, cond);
    abort();
}
