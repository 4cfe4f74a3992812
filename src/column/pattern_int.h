/* A compiled datetime pattern: what pattern.c makes, pattern_read.c and pattern_print.c run. */
#ifndef WEIR_COLUMN_PATTERN_INT_H
#define WEIR_COLUMN_PATTERN_INT_H

#include "column/text_int.h"

enum {
    PATTERN_SECTIONS_MAX = 16, /* [ inside [ */
    PATTERN_YEAR_MAX = 999999999
};

/* What a text may say. */
enum field {
    F_YEAR,
    F_YEAR_OF_ERA,
    F_ERA,
    F_MONTH,
    F_DAY,
    F_DAY_OF_YEAR,
    F_HOUR,       /* H, 0-23 */
    F_CLOCK_HOUR, /* k, 1-24 */
    F_HALF_HOUR,  /* K, 0-11 */
    F_CLOCK_HALF, /* h, 1-12 */
    F_HALF,       /* a */
    F_MINUTE,
    F_SECOND,
    F_NANO,
    F_OFFSET,
    F_COUNT,      /* of those that are read */
    F_WEEKDAY,    /* E */
    F_ALIGNED,    /* F, the day within its aligned week of the month */
    F_QUARTER
};

enum step_kind { S_LITERAL, S_NUMBER, S_FRACTION, S_WORD, S_OFFSET, S_GMT, S_ZONE, S_OPEN, S_CLOSE };
enum sign { SIGN_NORMAL, SIGN_NEVER, SIGN_EXCEEDS }; /* '-' may lead · none · '+' must, beyond min digits */

struct step {
    uint8_t kind, field;
    uint8_t min, max;         /* NUMBER, FRACTION: digits */
    uint8_t sign;             /* NUMBER */
    uint8_t minutes, seconds; /* OFFSET: 0 none, 1 optional, 2 required */
    bool base_2000;           /* NUMBER: two digits of 2000-2099 */
    bool full;                /* WORD: long names; GMT: +hh:mm; ZONE: short names too */
    bool colon;               /* OFFSET */
    uint16_t after;           /* NUMBER: digits kept for the fixed numbers behind */
    uint16_t close;           /* OPEN: its CLOSE */
    uint16_t len;             /* LITERAL */
    const char *text;         /* LITERAL; OFFSET: how zero may be written */
};

struct weir_pattern {
    uint32_t n;
    struct step step[];
};

#endif
