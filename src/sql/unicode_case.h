/* Upper, lower and title case of Unicode's characters, as Spark 4.0 answers (ICU's full mappings, no
 * language). The tables are made by tests/golden/sql/unicode_case.py. Pure functions over valid UTF-8, any
 * thread. */
#ifndef WEIR_SQL_UNICODE_CASE_H
#define WEIR_SQL_UNICODE_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WEIR_CASE_GROWTH = 3 }; /* a text of n bytes becomes at most n * 3 bytes */

/* Each writes to `to` and returns the bytes written. */
size_t weir_case_upper(const char *p, size_t n, char *to);
size_t weir_case_lower(const char *p, size_t n, char *to);
/* The first letter behind each blank (U+0020) in title case, the others in lower case. */
size_t weir_case_title(const char *p, size_t n, char *to);

/* As mask() sees them. */
typedef enum weir_letter {
    WEIR_LETTER_OTHER,
    WEIR_LETTER_UPPER,
    WEIR_LETTER_LOWER,
    WEIR_LETTER_DIGIT
} weir_letter;
weir_letter weir_letter_of(uint32_t c);

#endif
