/* Texts by a compiled datetime pattern: reading their fields, and resolving those to a date and a time.
 *
 * 1. Matching is java.time's in strict mode, without regard to case. Nothing is allocated.
 * 2. A failing step falls back to the innermost open [section], whose fields are forgotten; else the text fails.
 * 3. The same field twice must say the same. A zone wins over an offset.
 * 4. Resolving is strict: ranges, days of the month, and what is said twice (day of the year, am and pm) must
 *    agree. Missing fields are those of 1970-01-01T00:00:00.
 * 5. Zone names (z) are those that java.time reads the way everybody does. For the others, such as "IST", its answer
 *    hangs on the order of a hash table, so here they do not parse.
 * Threads: any. */
#include "column/text.h"

#include <strings.h>

#include "column/pattern_int.h"

struct fields {
    uint32_t set; /* bit of each field that v holds */
    int64_t v[F_COUNT];
    const struct weir_zone *zone; /* NULL: none named, or a fixed one */
    bool fixed;                   /* zone_offset is a zone of its own: "UTC+08:00" */
    int32_t zone_offset;
};

static bool
fields_has(const struct fields *f, enum field field)
{
    return f->set >> field & 1;
}

static bool
fields_set(struct fields *f, enum field field, int64_t v)
{
    if (fields_has(f, field))
        return f->v[field] == v;
    f->set |= 1u << field;
    f->v[field] = v;
    return true;
}

/* text at *p, in any case. */
static bool
read_text(const char **p, const char *end, const char *text, size_t len)
{
    if ((size_t)(end - *p) < len)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (weir_lower((*p)[i]) != weir_lower(text[i]))
            return false;
    }
    *p += len;
    return true;
}

/* Up to max digits at p; the count. A value that is too large for any field stays just that. */
static size_t
read_digits(const char *p, const char *end, size_t max, int64_t *out)
{
    size_t n = 0;
    int64_t v = 0;

    for (; n < max && p + n < end && weir_is_digit(p[n]); n++)
        v = v > INT64_MAX / 10 - 1 ? INT64_MAX / 10 : v * 10 + (p[n] - '0');
    *out = v;
    return n;
}

/* DateTimeFormatterBuilder.NumberPrinterParser in strict mode. */
static bool
read_number(const struct step *s, const char **p, const char *end, struct fields *f)
{
    bool negative = false, positive = false;
    int64_t v;
    size_t n;

    if (*p < end && (**p == '+' || **p == '-')) {
        positive = **p == '+';
        negative = !positive;
        if (s->sign == SIGN_NEVER || (positive && s->sign == SIGN_NORMAL))
            return false;
        ++*p;
    }
    n = read_digits(*p, end, (size_t)s->max + s->after, &v);
    if (n < s->min)
        return false;
    if (s->after > 0) {
        size_t keep = n > s->after ? n - s->after : 0;

        n = read_digits(*p, end, keep > s->min ? keep : s->min, &v);
    }
    if (negative) {
        if (v == 0)
            return false;
        v = -v;
    } else if (s->sign == SIGN_EXCEEDS && positive != (n > s->min)) {
        return false;
    }
    *p += n;
    return fields_set(f, s->field, s->base_2000 ? 2000 + v : v);
}

static bool
read_fraction(const struct step *s, const char **p, const char *end, struct fields *f)
{
    int64_t v;
    size_t n = read_digits(*p, end, s->max, &v);

    if (n < s->min)
        return false;
    *p += n;
    for (; n < 9; n++)
        v *= 10;
    return fields_set(f, F_NANO, v);
}

/* Month, am and pm, era. Of the short names none is the beginning of another one. */
static bool
read_word(const struct step *s, const char **p, const char *end, struct fields *f)
{
    static const char *const months[12] = {"January", "February", "March",     "April",   "May",      "June",
                                           "July",    "August",   "September", "October", "November", "December"};
    static const char *const halves[2] = {"AM", "PM"};
    static const char *const eras[2][2] = {{"BC", "AD"}, {"Before Christ", "Anno Domini"}};

    if (s->field == F_MONTH) {
        for (int i = 0; i < 12; i++) {
            if (read_text(p, end, months[i], s->full ? strlen(months[i]) : 3))
                return fields_set(f, F_MONTH, i + 1);
        }
        return false;
    }
    for (int i = 0; i < 2; i++) {
        const char *word = s->field == F_HALF ? halves[i] : eras[s->full][i];

        if (read_text(p, end, word, strlen(word)))
            return fields_set(f, s->field, i);
    }
    return false;
}

/* [:]dd at *p, below 60. */
static bool
read_sixty(const char **p, const char *end, bool colon, int *out)
{
    const char *q = *p;

    if (colon && (q == end || *q++ != ':'))
        return false;
    if (end - q < 2 || !weir_is_digit(q[0]) || !weir_is_digit(q[1]))
        return false;
    *out = (q[0] - '0') * 10 + (q[1] - '0');
    if (*out > 59)
        return false;
    *p = q + 2;
    return true;
}

/* A sign and hh, then minutes and seconds as the step wants them. */
static bool
read_offset_digits(const struct step *s, const char **p, const char *end, int32_t *out)
{
    const char *q = *p;
    int h, m = 0, sec = 0;
    bool negative;

    if (q == end || (*q != '+' && *q != '-'))
        return false;
    negative = *q++ == '-';
    if (!read_sixty(&q, end, false, &h) || h > 23)
        return false;
    if (s->minutes > 0 && !read_sixty(&q, end, s->colon, &m) && s->minutes == 2)
        return false;
    if (s->seconds > 0)
        (void)read_sixty(&q, end, s->colon, &sec);
    *p = q;
    *out = (h * 3600 + m * 60 + sec) * (negative ? -1 : 1);
    return true;
}

static bool
read_offset(const struct step *s, const char **p, const char *end, struct fields *f)
{
    int32_t offset;

    if (read_text(p, end, s->text, strlen(s->text)))
        return fields_set(f, F_OFFSET, 0);
    return read_offset_digits(s, p, end, &offset) && fields_set(f, F_OFFSET, offset);
}

/* "GMT", "GMT+8", "GMT+8:30", "GMT+08:30:15"; full: hours of two digits, and minutes. */
static bool
read_gmt(const struct step *s, const char **p, const char *end, struct fields *f)
{
    const char *q;
    int64_t hours;
    int m = 0, sec = 0;
    size_t n;
    bool negative;

    if (!read_text(p, end, "GMT", 3))
        return false;
    if (*p == end || (**p != '+' && **p != '-'))
        return fields_set(f, F_OFFSET, 0);
    q = *p;
    negative = *q++ == '-';
    n = read_digits(q, end, 2, &hours);
    if (n < (s->full ? 2u : 1u))
        return false;
    q += n;
    if (read_sixty(&q, end, true, &m))
        (void)read_sixty(&q, end, true, &sec);
    else if (s->full)
        return false;
    *p = q;
    return fields_set(f, F_OFFSET, (hours * 3600 + m * 60 + sec) * (negative ? -1 : 1));
}

/* Short zone names whose meaning for java.time (JDK 17, en-US) is the usual one. Sorted. */
static const struct {
    const char *name, *zone;
} zone_names[] = {
    {"ACDT", "Australia/Adelaide"},  {"ADT", "America/Halifax"},     {"AEDT", "Australia/Sydney"},
    {"AEST", "Australia/Sydney"},    {"AET", "Australia/Sydney"},    {"AKDT", "America/Juneau"},
    {"AKST", "America/Juneau"},      {"AKT", "America/Juneau"},      {"AST", "America/Halifax"},
    {"AWST", "Australia/Perth"},     {"BRT", "America/Sao_Paulo"},   {"CAT", "Africa/Maputo"},
    {"CDT", "America/Chicago"},      {"CEST", "Europe/Paris"},       {"CET", "Europe/Paris"},
    {"CST", "America/Chicago"},      {"CT", "America/Chicago"},      {"EAT", "Africa/Nairobi"},
    {"EDT", "America/New_York"},     {"EEST", "Europe/Bucharest"},   {"EET", "Europe/Bucharest"},
    {"EST", "America/New_York"},     {"ET", "America/New_York"},     {"HKT", "Asia/Hong_Kong"},
    {"HST", "Pacific/Honolulu"},     {"ICT", "Asia/Bangkok"},        {"JST", "Asia/Tokyo"},
    {"KST", "Asia/Seoul"},           {"MDT", "America/Denver"},      {"MSK", "Europe/Moscow"},
    {"MST", "America/Denver"},       {"MYT", "Asia/Kuching"},        {"NDT", "America/St_Johns"},
    {"NST", "America/St_Johns"},     {"NZDT", "Pacific/Auckland"},   {"NZST", "Pacific/Auckland"},
    {"NZT", "Pacific/Auckland"},     {"PDT", "America/Los_Angeles"}, {"PKT", "Asia/Karachi"},
    {"PST", "America/Los_Angeles"},  {"PT", "America/Los_Angeles"},  {"SAST", "Africa/Johannesburg"},
    {"SGT", "Asia/Singapore"},       {"WAT", "Africa/Lagos"},        {"WEST", "Atlantic/Canary"},
    {"WET", "Atlantic/Canary"},      {"WIB", "Asia/Jakarta"},        {"WITA", "Asia/Makassar"},
};

static const struct weir_zone *
read_zone_name(const char *t, size_t n, bool names)
{
    for (size_t i = 0; names && i < sizeof(zone_names) / sizeof(zone_names[0]); i++) {
        if (strlen(zone_names[i].name) == n && strncasecmp(zone_names[i].name, t, n) == 0)
            return weir_zone_region(zone_names[i].zone, strlen(zone_names[i].zone));
    }
    return weir_zone_region_nocase(t, n);
}

/* The longest run of letters and signs at p that is a region. */
static bool
read_region(const struct step *s, const char **p, const char *end, struct fields *f)
{
    size_t n = 0;

    while (*p + n < end && n < ZONE_NAME_MAX && ((weir_lower((*p)[n]) >= 'a' && weir_lower((*p)[n]) <= 'z') ||
                                                 weir_is_digit((*p)[n]) || strchr("/_+-", (*p)[n]) != NULL))
        n++;
    for (; n > 0; n--) {
        const struct weir_zone *zone = read_zone_name(*p, n, s->full);

        if (zone != NULL) {
            f->zone = zone;
            f->fixed = false;
            *p += n;
            return true;
        }
    }
    return false;
}

static bool
read_fixed_zone(struct fields *f, int32_t offset)
{
    f->zone = NULL;
    f->fixed = true;
    f->zone_offset = offset;
    return offset >= -18 * 3600 && offset <= 18 * 3600;
}

/* Length of "UTC", "GMT" or "UT" at p, in any case. */
static size_t
read_zone_prefix(const char *p, const char *end)
{
    const char *q = p;

    if (read_text(&q, end, "UTC", 3) || read_text(&q, end, "GMT", 3) || read_text(&q, end, "UT", 2))
        return (size_t)(q - p);
    return 0;
}

/* ZoneIdPrinterParser: "+08:00", "UTC+08:00", "GMT", a region, "Z". */
static bool
read_zone(const struct step *s, const char **p, const char *end, struct fields *f)
{
    static const struct step offset_step = {.colon = true, .minutes = 2, .seconds = 1};
    const char *q = *p;
    size_t prefix = read_zone_prefix(q, end);
    int32_t offset;

    if (prefix > 0 || (q < end && (*q == '+' || *q == '-'))) {
        q += prefix;
        if (prefix == 3 && weir_lower(**p) == 'g' && q < end && *q == '0') { /* the region GMT0 */
            *p = q + 1;
            return read_fixed_zone(f, 0);
        }
        if (read_offset_digits(&offset_step, &q, end, &offset)) {
            *p = q;
            return read_fixed_zone(f, offset);
        }
        *p += prefix;
        return prefix > 0 && read_fixed_zone(f, 0);
    }
    if (read_region(s, p, end, f))
        return true;
    return read_text(p, end, "Z", 1) && read_fixed_zone(f, 0);
}

static bool
read_step(const struct step *s, const char **p, const char *end, struct fields *f)
{
    switch (s->kind) {
    case S_LITERAL:
        return read_text(p, end, s->text, s->len);
    case S_NUMBER:
        return read_number(s, p, end, f);
    case S_FRACTION:
        return read_fraction(s, p, end, f);
    case S_WORD:
        return read_word(s, p, end, f);
    case S_OFFSET:
        return read_offset(s, p, end, f);
    case S_GMT:
        return read_gmt(s, p, end, f);
    default:
        return read_zone(s, p, end, f);
    }
}

/* The whole text through the program. */
static bool
pattern_read(const struct weir_pattern *pattern, const char *t, size_t n, struct fields *f)
{
    struct {
        struct fields f;
        const char *p;
        uint32_t close;
    } open[PATTERN_SECTIONS_MAX];
    const char *p = t, *end = t + n;
    uint32_t nopen = 0;

    f->set = 0;
    f->zone = NULL;
    f->fixed = false;
    for (uint32_t i = 0; i < pattern->n; i++) {
        const struct step *s = &pattern->step[i];

        if (s->kind == S_OPEN) {
            open[nopen].f = *f;
            open[nopen].p = p;
            open[nopen++].close = s->close;
        } else if (s->kind == S_CLOSE) {
            nopen--;
        } else if (!read_step(s, &p, end, f)) {
            if (nopen == 0)
                return false;
            nopen--;
            *f = open[nopen].f;
            p = open[nopen].p;
            i = open[nopen].close;
        }
    }
    return p == end;
}

/* Resolving: fields to a date and a time of day. */

static int64_t
fields_or(const struct fields *f, enum field field, int64_t dflt)
{
    return fields_has(f, field) ? f->v[field] : dflt;
}

/* Absent, or within least..most. */
static bool
fields_within(const struct fields *f, enum field field, int64_t least, int64_t most)
{
    return !fields_has(f, field) || (f->v[field] >= least && f->v[field] <= most);
}

static bool
fields_agree(const struct fields *f, enum field field, int64_t v)
{
    return !fields_has(f, field) || f->v[field] == v;
}

/* A year of an era becomes a year; without the era it says nothing, as in java.time. */
static bool
resolve_era(struct fields *f)
{
    if (!fields_has(f, F_YEAR_OF_ERA))
        return true;
    if (!fields_within(f, F_YEAR_OF_ERA, 1, PATTERN_YEAR_MAX))
        return false;
    if (!fields_has(f, F_ERA))
        return true;
    return fields_set(f, F_YEAR, f->v[F_ERA] == 1 ? f->v[F_YEAR_OF_ERA] : 1 - f->v[F_YEAR_OF_ERA]);
}

/* A day of the year, with whatever else is said in agreement. */
static bool
resolve_day_of_year(const struct fields *f, int64_t year, int64_t *days)
{
    int64_t y;
    unsigned m, d;

    if (!fields_within(f, F_DAY_OF_YEAR, 1, weir_civil_valid(year, 2, 29) ? 366 : 365))
        return false;
    *days = weir_days_from_civil(year, 1, 1) + f->v[F_DAY_OF_YEAR] - 1;
    weir_civil_from_days(*days, &y, &m, &d);
    return fields_agree(f, F_MONTH, m) && fields_agree(f, F_DAY, d);
}

static bool
resolve_date(struct fields *f, int64_t *days)
{
    int64_t y, m = fields_or(f, F_MONTH, 1), d = fields_or(f, F_DAY, 1);

    if (!resolve_era(f) || !fields_within(f, F_YEAR, -PATTERN_YEAR_MAX, PATTERN_YEAR_MAX))
        return false;
    y = fields_or(f, F_YEAR, 1970);
    if (fields_has(f, F_DAY_OF_YEAR))
        return resolve_day_of_year(f, y, days);
    if (m < 1 || m > 12 || d < 1 || d > 31 || !weir_civil_valid(y, (unsigned)m, (unsigned)d))
        return false;
    *days = weir_days_from_civil(y, (unsigned)m, (unsigned)d);
    return true;
}

/* k and h become H and K; K with a half of the day becomes H. */
static bool
resolve_hour(struct fields *f)
{
    if (!fields_within(f, F_CLOCK_HOUR, 1, 24) || !fields_within(f, F_CLOCK_HALF, 1, 12))
        return false;
    if (fields_has(f, F_CLOCK_HOUR) && !fields_set(f, F_HOUR, f->v[F_CLOCK_HOUR] % 24))
        return false;
    if (fields_has(f, F_CLOCK_HALF) && !fields_set(f, F_HALF_HOUR, f->v[F_CLOCK_HALF] % 12))
        return false;
    if (!fields_within(f, F_HALF_HOUR, 0, 11))
        return false;
    if (fields_has(f, F_HALF) && fields_has(f, F_HALF_HOUR)) {
        if (!fields_set(f, F_HOUR, f->v[F_HALF] * 12 + f->v[F_HALF_HOUR]))
            return false;
        f->set &= ~(1u << F_HALF | 1u << F_HALF_HOUR);
    }
    return true;
}

/* Seconds of the day. Without an hour K, h and a still say what they can. */
static bool
resolve_time(struct fields *f, int64_t *seconds)
{
    bool minute = fields_has(f, F_MINUTE), second = fields_has(f, F_SECOND);
    bool whole; /* java.time sees a time and checks what else was said against it */
    int64_t hour;

    if (!resolve_hour(f) || !fields_within(f, F_HOUR, 0, 23) || !fields_within(f, F_MINUTE, 0, 59) ||
        !fields_within(f, F_SECOND, 0, 59))
        return false;
    whole = fields_has(f, F_HOUR) && (minute || !(second || fields_has(f, F_NANO))) &&
            (!minute || second || !fields_has(f, F_NANO));
    if (fields_has(f, F_HOUR)) {
        hour = f->v[F_HOUR];
        if (whole && (!fields_agree(f, F_HALF, hour / 12) || !fields_agree(f, F_HALF_HOUR, hour % 12)))
            return false;
    } else if (fields_has(f, F_HALF_HOUR)) {
        hour = f->v[F_HALF_HOUR];
    } else {
        hour = fields_or(f, F_HALF, 0) * 12;
    }
    *seconds = hour * 3600 + fields_or(f, F_MINUTE, 0) * 60 + fields_or(f, F_SECOND, 0);
    return true;
}

/* The zone named; NULL: none. fixed is the caller's room. false: an offset over 18 hours. */
static bool
resolve_zone(const struct fields *f, struct weir_zone *fixed, const struct weir_zone **out)
{
    *out = f->zone;
    if (f->zone != NULL)
        return true;
    if (f->fixed) {
        *fixed = (struct weir_zone){.offset = f->zone_offset};
        *out = fixed;
    } else if (fields_has(f, F_OFFSET)) {
        *fixed = (struct weir_zone){.offset = (int32_t)f->v[F_OFFSET]};
        *out = fixed;
    }
    return *out == NULL || (fixed->offset >= -18 * 3600 && fixed->offset <= 18 * 3600);
}

bool
weir_pattern_parse(const struct weir_pattern *p, const char *t, size_t n, int64_t *us, bool *has_zone)
{
    const struct weir_zone *zone;
    struct weir_zone fixed;
    struct fields f;
    int64_t days, seconds;

    if (!pattern_read(p, t, n, &f) || !resolve_date(&f, &days) || !resolve_time(&f, &seconds) ||
        !resolve_zone(&f, &fixed, &zone))
        return false;
    if (!weir_zone_instant(zone != NULL ? zone : &weir_zone_utc, days * DAY_SECONDS + seconds,
                           fields_or(&f, F_NANO, 0) / 1000, us))
        return false;
    *has_zone = zone != NULL;
    return true;
}

bool
weir_pattern_parse_date(const struct weir_pattern *p, const char *t, size_t n, int32_t *days)
{
    int64_t date, seconds;
    struct fields f;

    if (!pattern_read(p, t, n, &f) || !resolve_date(&f, &date) || !resolve_time(&f, &seconds) ||
        date < INT32_MIN || date > INT32_MAX)
        return false;
    *days = (int32_t)date;
    return true;
}
