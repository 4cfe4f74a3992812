/* What went wrong, and what the caller should do about it.
 *
 * 1. The code says the caller's reaction; nobody parses the text.
 * 2. `what` is written once, at the origin, by weir_fail(). Each layer on the way up adds at most one
 *    context in front of `where`, so a reader sees "batch 42: source orders: /in/a.json: truncated".
 * 3. `hint` says what a person can do. Secrets never enter any of the three.
 * Threads: an error belongs to the thread that fills it; it is copied, never shared. */
#ifndef WEIR_BASE_ERROR_H
#define WEIR_BASE_ERROR_H

#include <stdarg.h>
#include <stdint.h>

typedef enum weir_rc {
    WEIR_OK,
    WEIR_END,         /* nothing more; normal */
    WEIR_RETRY,       /* try again later; normal traffic, only store/ and wire/ retry */
    WEIR_CONFLICT,    /* somebody else changed the table in a way that this commit cannot follow */
    WEIR_EXISTS,      /* put-if-absent lost */
    WEIR_NOTFOUND,    /* the object is not there */
    WEIR_BADDATA,     /* a record or file is bad and the options ask to stop: exit 3 */
    WEIR_SCHEMA,      /* data and table do not fit each other */
    WEIR_USAGE,       /* command line, pipeline file or mismatch that a person must decide: exit 2 */
    WEIR_NOMEM,       /* over a quota, before malloc was asked */
    WEIR_STOPPED,     /* asked to stop */
    WEIR_IO,          /* the system refused: see os_errno */
    WEIR_CORRUPT,     /* what stands on disk cannot be right */
    WEIR_UNSUPPORTED, /* refused by name */
    WEIR_UNKNOWN,     /* the outcome of a write is not known; settle it before going on */
    WEIR_FENCED,      /* another run of this query holds or overtook it: exit 4, clean nothing shared */
    WEIR_DENIED,      /* no right to do it */
    WEIR_BUG          /* weir is wrong */
} weir_rc;

struct weir_error {
    weir_rc rc;
    int os_errno;            /* 0 when the system was not involved */
    uint32_t retry_after_ms; /* 0: no advice */
    const char *file;        /* where in weir's source */
    int line;
    char what[384], where[512], hint[256];
};

/* A failure is never OK: tells the compiler too, and makes a BUG of a context without an error. */
static inline weir_rc
weir_rc_bad(weir_rc rc)
{
    return rc == WEIR_OK ? WEIR_BUG : rc;
}

/* Each returns the code it was given, so that `return weir_fail(...)` reads well. */
#define weir_fail(err, rc_, ...)                                                                        \
    weir_rc_bad(weir_fail_at((err), (rc_), 0, __FILE__, __LINE__, __VA_ARGS__))
/* The same for a system call that failed: adds strerror(errnum) to the text. ENOSPC, EACCES and their
 * like choose a better code than `rc_` by themselves (EACCES and EPERM: DENIED; ENOENT: NOTFOUND), and a hint. */
#define weir_fail_os(err, rc_, errnum, ...)                                                             \
    weir_rc_bad(weir_fail_at((err), (rc_), (errnum), __FILE__, __LINE__, __VA_ARGS__))

weir_rc weir_fail_at(struct weir_error *err, weir_rc rc, int os_errno, const char *file, int line,
                     const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* Puts "text: " in front of `where`. Returns err->rc. */
weir_rc weir_error_context(struct weir_error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
#define weir_error_context(...) weir_rc_bad((weir_error_context)(__VA_ARGS__))
/* Sets the hint unless there is one. Returns err->rc. */
weir_rc weir_error_hint(struct weir_error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
#define weir_error_hint(...) weir_rc_bad((weir_error_hint)(__VA_ARGS__))
void weir_error_clear(struct weir_error *err);
/* "WHERE: WHAT" and, on the next line, the hint; into text of at most size bytes. Returns text. */
char *weir_error_text(const struct weir_error *err, char *text, uint32_t size);
const char *weir_rc_name(weir_rc rc); /* "NOTFOUND" */
int weir_rc_exit(weir_rc rc);         /* the process's exit status for it */

/* Leave at once when there is nothing to free; go to the label `out` when there is. */
#define WEIR_TRY(expr)                                                                                  \
    do {                                                                                                \
        weir_rc rc_try_ = (expr);                                                                       \
        if (rc_try_ != WEIR_OK)                                                                         \
            return rc_try_;                                                                             \
    } while (0)
#define WEIR_GO(expr)                                                                                   \
    do {                                                                                                \
        rc = (expr);                                                                                    \
        if (rc != WEIR_OK)                                                                              \
            goto out;                                                                                   \
    } while (0)

/* A broken promise inside weir. On in every build: each use guards data. */
#define WEIR_ASSERT(cond) ((cond) ? (void)0 : weir_assert_failed(#cond, __FILE__, __LINE__))
_Noreturn void weir_assert_failed(const char *cond, const char *file, int line);

#endif
