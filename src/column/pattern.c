/* Java's datetime patterns, as Spark 4 takes them: "yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]". This file compiles a pattern
 * into a short program of steps; pattern_read.c runs a text through it, pattern_print.c prints an instant by it. The
 * two programs differ in a few letters, so a pattern is compiled for one of them.
 *
 * 1. Which letters exist, how wide they read and what a repeated one means is java.time's
 *    DateTimeFormatterBuilder.appendPattern, locale en-US; which are refused is Spark's DateTimeFormatterHelper
 *    (week-based and narrow forms, E F q Q, A B n N p).
 * 2. Spark reads y as the proleptic year unless the pattern has G, and S...S as 1 to that many digits.
 * 3. Adjacent numbers: one whose width is open gives up the digits that the fixed ones right behind it need.
 *    "yyyyMMdd" reads so. A fraction of several digits is not such a number.
 * A refusal names the letter and its position. Threads: any; the pattern made is read only. */
#include "column/text.h"

#include "column/pattern_int.h"

enum {
    PATTERN_MAX = 1024, /* bytes of a pattern */
    STEPS_MAX = 256,
    NUMBER_MAX = 19     /* digits of a number whose width is open */
};

struct compiler {
    const char *t; /* the pattern */
    size_t n, at;
    struct step step[STEPS_MAX];
    uint32_t nsteps;
    int active; /* the number that gives digits up to fixed ones behind it; -1: none */
    uint32_t open[PATTERN_SECTIONS_MAX], nopen;
    bool era; /* G is there */
    const char *print_zone; /* printing: the zone's name; NULL: reading */
    char *literals;
    size_t nliterals;
    struct weir_error *err;
};

static weir_rc
pattern_add(struct compiler *c, struct step step)
{
    if (c->nsteps == STEPS_MAX)
        return weir_fail(c->err, WEIR_USAGE, "datetime pattern has more than %d parts", STEPS_MAX);
    c->step[c->nsteps++] = step;
    c->active = -1;
    return WEIR_OK;
}

static weir_rc
pattern_literal(struct compiler *c, char ch)
{
    struct step *last = c->nsteps > 0 ? &c->step[c->nsteps - 1] : NULL;
    char *at = c->literals + c->nliterals++;

    *at = ch;
    if (last != NULL && last->kind == S_LITERAL && last->text + last->len == at) {
        last->len++;
        return WEIR_OK;
    }
    return pattern_add(c, (struct step){.kind = S_LITERAL, .text = at, .len = 1});
}

/* Invariant 3, as DateTimeFormatterBuilder.appendValue. */
static weir_rc
pattern_number(struct compiler *c, struct step step)
{
    bool fixed = step.min == step.max && step.sign == SIGN_NEVER;
    int active = c->active;

    WEIR_TRY(pattern_add(c, step));
    if (active >= 0 && fixed) {
        c->step[active].after = (uint16_t)(c->step[active].after + step.max);
        c->active = active;
    } else {
        if (active >= 0)
            c->step[active].after = 0; /* java.time forgets what it had promised */
        c->active = (int)c->nsteps - 1;
    }
    return WEIR_OK;
}

static weir_rc
pattern_refuse(struct compiler *c, char letter, size_t count, const char *why)
{
    return weir_fail(c->err, WEIR_USAGE, "datetime pattern: %zu × '%c' at position %zu: %s", count, letter,
                     c->at + 1, why);
}

/* One letter: as many digits as there are; two: two. */
static weir_rc
pattern_plain(struct compiler *c, char letter, size_t count, enum field field)
{
    struct step step = {.kind = S_NUMBER, .field = field, .min = 1, .max = NUMBER_MAX};

    if (count > 2)
        return pattern_refuse(c, letter, count, "at most two of this letter");
    if (count == 2) {
        step.min = step.max = 2;
        step.sign = SIGN_NEVER;
    }
    return pattern_number(c, step);
}

static weir_rc
pattern_year(struct compiler *c, size_t count)
{
    struct step step = {.kind = S_NUMBER, .field = c->era ? F_YEAR_OF_ERA : F_YEAR, .max = NUMBER_MAX};

    if (count > 10)
        return pattern_refuse(c, 'y', count, "at most ten of this letter");
    step.min = (uint8_t)count;
    if (count == 2) {
        step.max = 2;
        step.sign = SIGN_NEVER;
        step.base_2000 = true;
    } else if (count >= 4) {
        step.sign = SIGN_EXCEEDS;
    }
    return pattern_number(c, step);
}

static weir_rc
pattern_month(struct compiler *c, char letter, size_t count)
{
    if (count <= 2)
        return pattern_plain(c, letter, count, F_MONTH);
    if (count > 4)
        return pattern_refuse(c, letter, count, "Spark has no narrow names");
    return pattern_add(c, (struct step){.kind = S_WORD, .field = F_MONTH, .full = count == 4});
}

static weir_rc
pattern_fraction(struct compiler *c, size_t count)
{
    struct step step = {.kind = S_FRACTION, .field = F_NANO, .min = 1, .max = (uint8_t)count, .sign = SIGN_NEVER};

    if (count > 9)
        return pattern_refuse(c, 'S', count, "at most nine of this letter");
    if (c->print_zone != NULL)
        return pattern_add(c, step);
    return count == 1 ? pattern_number(c, step) : pattern_add(c, step);
}

/* X, x, Z: "+HHmm", "+HHMM", "+HH:MM", "+HHMMss", "+HH:MM:ss" by count, small letters being optional. */
static weir_rc
pattern_offset(struct compiler *c, char letter, size_t count)
{
    static const char *const zero[] = {"+00", "+0000", "+00:00", "+0000", "+00:00"};
    struct step step = {.kind = S_OFFSET, .field = F_OFFSET, .minutes = 2};

    if (count > 5)
        return pattern_refuse(c, letter, count, "at most five of this letter");
    if (letter == 'Z' && count == 4)
        return pattern_add(c, (struct step){.kind = S_GMT, .field = F_OFFSET, .full = true});
    if (letter == 'Z' && count < 4)
        count = 2;
    step.minutes = count == 1 ? 1 : 2;
    step.seconds = count >= 4 ? 1 : 0;
    step.colon = count == 3 || count == 5;
    step.text = letter == 'X' || (letter == 'Z' && count == 5) ? "Z" : zero[count - 1];
    return pattern_add(c, step);
}

/* Printing: the zone is known, so its name is a constant. Of short names only those that are no region's. */
static weir_rc
pattern_zone_name(struct compiler *c, bool is_short)
{
    const char *name = c->print_zone;

    if (is_short && strcmp(name, "UTC") != 0 && strcmp(name, "GMT") != 0 && name[0] != '+' && name[0] != '-') {
        weir_fail(c->err, WEIR_UNSUPPORTED, "datetime pattern: short zone names (z) of %s are not printed", name);
        return weir_error_hint(c->err, "use VV for the zone's name, XXX for its offset");
    }
    return pattern_add(c, (struct step){.kind = S_LITERAL, .text = name, .len = (uint16_t)strlen(name)});
}

static weir_rc
pattern_zone(struct compiler *c, char letter, size_t count)
{
    switch (letter) {
    case 'V':
        if (count != 2)
            return pattern_refuse(c, letter, count, "must be VV");
        if (c->print_zone != NULL)
            return pattern_zone_name(c, false);
        return pattern_add(c, (struct step){.kind = S_ZONE});
    case 'O':
        if (count != 1 && count != 4)
            return pattern_refuse(c, letter, count, "must be O or OOOO");
        return pattern_add(c, (struct step){.kind = S_GMT, .field = F_OFFSET, .full = count == 4});
    default:
        if (count > 4)
            return pattern_refuse(c, letter, count, "at most four of this letter");
        if (count == 4) {
            weir_fail(c->err, WEIR_UNSUPPORTED, "datetime pattern: full zone names (zzzz) are not read");
            return weir_error_hint(c->err, "use z for short names, VV for names like Europe/Berlin");
        }
        if (c->print_zone != NULL)
            return pattern_zone_name(c, true);
        return pattern_add(c, (struct step){.kind = S_ZONE, .full = true});
    }
}

/* Letters that Spark refuses for reading, and why. */
static const char *
pattern_refused(const struct compiler *c, char letter)
{
    if (strchr("YWwuec", letter) != NULL)
        return "week-based letters are not read since Spark 3 (the year is y)";
    if (strchr("ABnNp", letter) != NULL)
        return "Spark does not take this letter";
    if (c->print_zone == NULL && strchr("EFqQ", letter) != NULL)
        return "Spark takes this letter for printing only";
    return NULL;
}

/* Letters for printing only: weekday, week of the month, quarter. */
static weir_rc
pattern_print_only(struct compiler *c, char letter, size_t count)
{
    if (letter == 'F' && count == 1)
        return pattern_add(c, (struct step){.kind = S_NUMBER, .field = F_ALIGNED, .min = 1, .max = NUMBER_MAX});
    if (letter == 'F')
        return pattern_refuse(c, letter, count, "at most one of this letter");
    if (count > 4)
        return pattern_refuse(c, letter, count, "Spark has no narrow names");
    if (letter == 'E')
        return pattern_add(c, (struct step){.kind = S_WORD, .field = F_WEEKDAY, .full = count == 4});
    if (count <= 2)
        return pattern_add(c, (struct step){.kind = S_NUMBER, .field = F_QUARTER, .min = (uint8_t)count,
                                            .max = NUMBER_MAX});
    return pattern_add(c, (struct step){.kind = S_WORD, .field = F_QUARTER, .full = count == 4});
}

static weir_rc
pattern_letter(struct compiler *c, char letter, size_t count)
{
    const char *why = pattern_refused(c, letter);

    if (why != NULL)
        return pattern_refuse(c, letter, count, why);
    switch (letter) {
    case 'y':
        return pattern_year(c, count);
    case 'M':
    case 'L':
        return pattern_month(c, letter, count);
    case 'd':
        return pattern_plain(c, letter, count, F_DAY);
    case 'H':
        return pattern_plain(c, letter, count, F_HOUR);
    case 'k':
        return pattern_plain(c, letter, count, F_CLOCK_HOUR);
    case 'K':
        return pattern_plain(c, letter, count, F_HALF_HOUR);
    case 'h':
        return pattern_plain(c, letter, count, F_CLOCK_HALF);
    case 'm':
        return pattern_plain(c, letter, count, F_MINUTE);
    case 's':
        return pattern_plain(c, letter, count, F_SECOND);
    case 'S':
        return pattern_fraction(c, count);
    case 'D':
        if (count > 3)
            return pattern_refuse(c, letter, count, "at most three of this letter");
        if (count == 1)
            return pattern_plain(c, letter, count, F_DAY_OF_YEAR);
        return pattern_number(c, (struct step){.kind = S_NUMBER, .field = F_DAY_OF_YEAR, .min = (uint8_t)count,
                                               .max = 3, .sign = SIGN_NEVER});
    case 'a':
        if (count != 1)
            return pattern_refuse(c, letter, count, "at most one of this letter");
        return pattern_add(c, (struct step){.kind = S_WORD, .field = F_HALF});
    case 'G':
        if (count > 4)
            return pattern_refuse(c, letter, count, "Spark has no narrow names");
        return pattern_add(c, (struct step){.kind = S_WORD, .field = F_ERA, .full = count == 4});
    case 'X':
    case 'x':
    case 'Z':
        return pattern_offset(c, letter, count);
    case 'V':
    case 'O':
    case 'z':
        return pattern_zone(c, letter, count);
    case 'E':
    case 'F':
    case 'q':
    case 'Q':
        return pattern_print_only(c, letter, count);
    case 'g':
    case 'v':
        return weir_fail(c->err, WEIR_UNSUPPORTED, "datetime pattern: letter '%c' at position %zu is not read",
                         letter, c->at + 1);
    default:
        return pattern_refuse(c, letter, count, "no such letter");
    }
}

/* 'text', with '' for a quote; '' alone is a quote too. */
static weir_rc
pattern_quoted(struct compiler *c)
{
    size_t from = c->at++;

    if (c->at < c->n && c->t[c->at] == '\'') {
        c->at++;
        return pattern_literal(c, '\'');
    }
    for (; c->at < c->n; c->at++) {
        if (c->t[c->at] == '\'') {
            if (c->at + 1 == c->n || c->t[c->at + 1] != '\'') {
                c->at++;
                return WEIR_OK;
            }
            c->at++;
        }
        WEIR_TRY(pattern_literal(c, c->t[c->at]));
    }
    return weir_fail(c->err, WEIR_USAGE, "datetime pattern: the quote at position %zu has no end", from + 1);
}

static weir_rc
pattern_open(struct compiler *c)
{
    if (c->nopen == PATTERN_SECTIONS_MAX)
        return weir_fail(c->err, WEIR_USAGE, "datetime pattern: more than %d sections inside each other",
                         PATTERN_SECTIONS_MAX);
    WEIR_TRY(pattern_add(c, (struct step){.kind = S_OPEN}));
    c->open[c->nopen++] = c->nsteps - 1;
    return WEIR_OK;
}

static weir_rc
pattern_close(struct compiler *c)
{
    if (c->nopen == 0)
        return weir_fail(c->err, WEIR_USAGE, "datetime pattern: ] at position %zu without a [", c->at + 1);
    WEIR_TRY(pattern_add(c, (struct step){.kind = S_CLOSE}));
    c->step[c->open[--c->nopen]].close = (uint16_t)(c->nsteps - 1);
    return WEIR_OK;
}

static weir_rc
pattern_part(struct compiler *c)
{
    char ch = c->t[c->at];
    size_t count = 1;

    if ((ch | 0x20) >= 'a' && (ch | 0x20) <= 'z') {
        while (c->at + count < c->n && c->t[c->at + count] == ch)
            count++;
        WEIR_TRY(pattern_letter(c, ch, count));
        c->at += count;
        return WEIR_OK;
    }
    switch (ch) {
    case '\'':
        return pattern_quoted(c);
    case '[':
        WEIR_TRY(pattern_open(c));
        break;
    case ']':
        WEIR_TRY(pattern_close(c));
        break;
    case '{':
    case '}':
    case '#':
        return weir_fail(c->err, WEIR_USAGE, "datetime pattern: %c at position %zu must be quoted", ch, c->at + 1);
    default:
        WEIR_TRY(pattern_literal(c, ch));
        break;
    }
    c->at++;
    return WEIR_OK;
}

/* G outside of quotes makes y the year of the era. */
static bool
pattern_has_era(const char *t, size_t n)
{
    bool quoted = false;

    for (size_t i = 0; i < n; i++) {
        if (t[i] == '\'')
            quoted = !quoted;
        else if (t[i] == 'G' && !quoted)
            return true;
    }
    return false;
}

static weir_rc
pattern_compile(const char *t, size_t n, const char *print_zone, struct weir_mem *mem, struct weir_pattern **out,
                struct weir_error *err)
{
    struct compiler c = {.t = t, .n = n, .active = -1, .print_zone = print_zone, .err = err};
    struct weir_pattern *p;
    size_t bytes;

    if (n > PATTERN_MAX)
        return weir_fail(err, WEIR_USAGE, "datetime pattern is longer than %d bytes", PATTERN_MAX);
    c.era = pattern_has_era(t, n);
    c.literals = weir_mem_alloc(mem, n + 1);
    if (c.literals == NULL)
        return weir_mem_fail(mem, n + 1, err);
    while (c.at < n)
        WEIR_TRY(pattern_part(&c));
    while (c.nopen > 0) /* a section may stay open */
        WEIR_TRY(pattern_close(&c));
    bytes = sizeof(*p) + c.nsteps * sizeof(p->step[0]);
    p = weir_mem_alloc(mem, bytes);
    if (p == NULL)
        return weir_mem_fail(mem, bytes, err);
    p->n = c.nsteps;
    memcpy(p->step, c.step, c.nsteps * sizeof(p->step[0]));
    *out = p;
    return WEIR_OK;
}

weir_rc
weir_pattern_compile(const char *t, size_t n, struct weir_mem *mem, struct weir_pattern **out,
                     struct weir_error *err)
{
    return pattern_compile(t, n, NULL, mem, out, err);
}

weir_rc
weir_pattern_compile_print(const char *t, size_t n, const char *zone_name, struct weir_mem *mem,
                           struct weir_pattern **out, struct weir_error *err)
{
    return pattern_compile(t, n, zone_name, mem, out, err);
}
