/* Patterns of names as Hadoop's FileSystem.globStatus knows them:
 *   ?  one character     *  any run     [abc] [a-z] [^a]  one of, none of     {ab,c{d,e}}  either     \x  x itself
 *
 * A pattern is spelled out into its alternatives when it is compiled; matching is then a loop without recursion and
 * takes at most |pattern| x |text| steps. Threads: read-only after compile. */
#ifndef WEIR_SOURCE_GLOB_H
#define WEIR_SOURCE_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

struct weir_glob {
    const char *const *alts; /* without braces */
    uint32_t n;              /* 0: everything matches, the place itself is the match */
    bool crosses;            /* '*' may run over a '/' (Auto Loader's default); else one level a star */
    bool folders;            /* a '/' at the end was kept: only folders match */
};

/* Length of the part of path that stands in front of the first name with a pattern, without its '/': "/a/b" of
 * "/a/b/x*". The whole length when there is none. */
size_t weir_glob_base(const char *path);
/* USAGE: a bracket that does not close, more than 1,024 alternatives. pattern has no leading '/'. */
weir_rc weir_glob_compile(const char *pattern, bool crosses, bool keep_slash, struct weir_mem *mem,
                          struct weir_glob *out, struct weir_error *err);
bool weir_glob_match(const struct weir_glob *glob, const char *text, size_t len); /* the whole text */
/* How far below a match `key` lies: 0 key itself matches, 1 its folder does, …; -1 nothing of it matches. */
int weir_glob_depth(const struct weir_glob *glob, const char *key, size_t len);
/* Whether something below the folder could match. */
bool weir_glob_enters(const struct weir_glob *glob, const char *folder, size_t len);

#endif
