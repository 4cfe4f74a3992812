/* Java's regular expressions, as Spark has them, by PCRE2.
 *
 * 1. A pattern is read as Java 17 reads it and written anew for PCRE2 (regex_java.c); a construct that would
 *    match otherwise is refused by name, never passed on.
 * 2. Matching is over valid UTF-8. Java counts UTF-16 units; weir_utf16_count() does where SQL shows such a
 *    number.
 * 3. A pattern that goes astray on a text ends with an error after REGEX_STEPS steps or REGEX_HEAP of memory.
 * A compiled pattern is read-only, any thread; a match belongs to one. */
#ifndef WEIR_SQL_REGEX_H
#define WEIR_SQL_REGEX_H

#include "base/buf.h"
#include "base/str.h"

enum {
    REGEX_TEXT_MAX = 64 * 1024, /* bytes of a pattern */
    REGEX_DEPTH_MAX = 100,      /* groups within groups */
    REGEX_GROUPS_MAX = 1000,
};

struct weir_regex_name {
    const char *name;
    uint32_t len, group;
};

struct weir_java_regex { /* what a translation tells */
    uint32_t groups;     /* capturing ones */
    struct weir_regex_name names[32];
    uint32_t nnames;
};

/* out: the pattern for PCRE2 in UTF mode without further options. USAGE: Java refuses it as well;
 * UNSUPPORTED: weir. */
weir_rc weir_regex_translate(struct weir_slice java, struct weir_java_regex *info, struct weir_buf *out,
                             struct weir_error *err);

struct weir_regex;
/* Lives in mem, which frees it. */
weir_rc weir_regex_compile(struct weir_slice java, struct weir_mem *mem, struct weir_regex **out,
                           struct weir_error *err);
uint32_t weir_regex_groups(const struct weir_regex *re);
/* The number of a named group; 0: there is none. */
uint32_t weir_regex_group_find(const struct weir_regex *re, struct weir_slice name);

struct weir_match {
    size_t *span; /* 2 a group, group 0 is the whole match; SIZE_MAX: the group took no part */
    void *data;   /* PCRE2's */
};
weir_rc weir_match_new(const struct weir_regex *re, struct weir_mem *mem, struct weir_match *out,
                       struct weir_error *err);
/* The first match at byte `from` or behind it. BADDATA when the limits are passed. */
weir_rc weir_regex_find(const struct weir_regex *re, struct weir_match *m, struct weir_slice s, size_t from,
                        bool *found, struct weir_error *err);
/* Where Java looks next: behind the match, one character further when it was empty. May be s.len + 1:
 * nowhere. */
size_t weir_match_next(const struct weir_match *m, struct weir_slice s);

size_t weir_utf16_count(const char *p, size_t n);

#endif
