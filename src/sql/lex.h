/* Tokens of Spark SQL. A token is a slice of the text: nothing is copied, so looking ahead costs nothing but
 * time. Pure functions, any thread. */
#ifndef WEIR_SQL_LEX_H
#define WEIR_SQL_LEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

typedef enum weir_token_kind {
    WEIR_TOKEN_END,
    WEIR_TOKEN_WORD,   /* letters, digits, "_"; a digit may come first when it is no number */
    WEIR_TOKEN_QUOTED, /* `name` with its quotes */
    WEIR_TOKEN_STRING, /* 'text', "text", r'text' with all of it */
    WEIR_TOKEN_NUMBER, /* digits with point, exponent and suffix (L S Y D F BD); never a sign */
    WEIR_TOKEN_MARK,   /* an operator or a bracket: the longest that fits */
    WEIR_TOKEN_BAD     /* why says what is wrong */
} weir_token_kind;

struct weir_token {
    weir_token_kind kind;
    uint32_t at, end; /* bytes of the text: [at, end) */
    struct weir_slice text;
    const char *why; /* BAD */
};

/* The token at or behind byte `from`; blanks, comments and hints are skipped. */
struct weir_token weir_token_read(const char *text, size_t len, size_t from);
/* What a STRING or QUOTED token stands for, added to buf: quotes gone, Spark's escapes undone. false: a
 * back-quoted name that is empty or holds a NUL, or an escape that is no character. */
bool weir_token_unquote(const struct weir_token *tok, struct weir_buf *buf);

#endif
