/* The bytes at which a JSON reader must look, found 32 at a time: AVX2 where the machine has it, else a
 * scalar twin with the same answers. Chosen once; pure functions, any thread.
 *
 * 1. string() stops at the first quote, backslash or byte under 0x20. It never passes a NUL, so a text that
 *    ends with one needs no limit.
 * 2. They may read, but never use, 31 bytes behind the byte they stop at: WEIR_BLOCK_PAD covers that. */
#ifndef WEIR_CODEC_JSON_SCAN_H
#define WEIR_CODEC_JSON_SCAN_H

#include <stdbool.h>

struct weir_json_scan {
    const char *name;
    /* *high is set when a byte >= 0x80 was passed, else left. */
    const char *(*string)(const char *p, char quote, bool *high);
    /* The first byte that is none of blank, tab, newline, carriage return. */
    const char *(*blanks)(const char *p);
    /* The first newline or carriage return in p .. end - 1, or end. */
    const char *(*line)(const char *p, const char *end);
};

extern const struct weir_json_scan weir_json_scan_scalar;
/* NULL where the build or the machine has no vectors. */
const struct weir_json_scan *weir_json_scan_vector(void);
/* The best of the two. */
const struct weir_json_scan *weir_json_scan_best(void);

#endif
