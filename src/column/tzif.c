/* Compiled zone files: TZif, versions 1 to 4 (RFC 8536), and the POSIX rule in their footer.
 *
 * 1. The bytes are not trusted: every count is checked against the length before anything is read, and the result
 *    is one allocation whose size is bounded by the counts' limits.
 * 2. Transitions ascend strictly, offsets are within 26 hours, leap seconds are refused.
 * 3. Of a file with two blocks only the 64-bit one is read. */
#include "column/text.h"

#include "column/text_int.h"

enum {
    TZIF_HEADER = 44,
    TZIF_TIMES_MAX = 2048, /* transitions of a file; real ones have below 300 */
    TZIF_TYPES_MAX = 256,
    TZIF_COUNT_MAX = 1 << 20,
    TZIF_OFFSET_MAX = 26 * 3600,
    TZIF_RULE_FROM = 1900, /* years for which the rule is written out */
    TZIF_RULE_TO = 2100,
    TZIF_RULE_TIME_MAX = 167 * 3600
};
#define TZIF_AT_MAX (INT64_C(1) << 60)

struct tzif {
    const uint8_t *p; /* next byte to read */
    size_t left;
    uint32_t isut, isstd, leap, times, types, chars;
    unsigned wide; /* bytes of a time: 4 or 8 */
};

static uint32_t
be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int64_t
be64(const uint8_t *p)
{
    return (int64_t)((uint64_t)be32(p) << 32 | be32(p + 4));
}

/* A header at p: its counts. */
static weir_rc
tzif_header(struct tzif *f, struct weir_error *err)
{
    const uint8_t *p = f->p;

    if (f->left < TZIF_HEADER || memcmp(p, "TZif", 4) != 0)
        return weir_fail(err, WEIR_CORRUPT, "no zone file: it does not begin with TZif");
    f->isut = be32(p + 20);
    f->isstd = be32(p + 24);
    f->leap = be32(p + 28);
    f->times = be32(p + 32);
    f->types = be32(p + 36);
    f->chars = be32(p + 40);
    if (f->isut > TZIF_TYPES_MAX || f->isstd > TZIF_TYPES_MAX || f->leap > TZIF_TIMES_MAX ||
        f->times > TZIF_TIMES_MAX || f->types == 0 || f->types > TZIF_TYPES_MAX || f->chars > TZIF_COUNT_MAX)
        return weir_fail(err, WEIR_CORRUPT, "zone file: a count in its header is out of range");
    f->p += TZIF_HEADER;
    f->left -= TZIF_HEADER;
    return WEIR_OK;
}

static size_t
tzif_block_bytes(const struct tzif *f)
{
    return (size_t)f->times * (f->wide + 1) + (size_t)f->types * 6 + f->chars + (size_t)f->leap * (f->wide + 4) +
           f->isstd + f->isut;
}

/* Moves f to the block to use. */
static weir_rc
tzif_open(const void *bytes, size_t n, struct tzif *f, struct weir_error *err)
{
    uint8_t version;

    *f = (struct tzif){.p = bytes, .left = n, .wide = 4};
    version = n > 4 ? ((const uint8_t *)bytes)[4] : 0;
    WEIR_TRY(tzif_header(f, err));
    if (tzif_block_bytes(f) > f->left)
        return weir_fail(err, WEIR_CORRUPT, "zone file: cut short");
    if (version == 0)
        return WEIR_OK;
    f->left -= tzif_block_bytes(f);
    f->p += tzif_block_bytes(f);
    f->wide = 8;
    WEIR_TRY(tzif_header(f, err));
    if (tzif_block_bytes(f) > f->left)
        return weir_fail(err, WEIR_CORRUPT, "zone file: cut short");
    return WEIR_OK;
}

/* The POSIX rule: "CET-1CEST,M3.5.0,M10.5.0/3", "<+0330>-3:30", "EST5EDT". Each reader moves *p. */

/* A name of three letters or more, or any text within < >. */
static bool
posix_name(const char **p)
{
    const char *from = *p;

    if (**p == '<') {
        while (**p != '\0' && **p != '>')
            ++*p;
        return *(*p)++ == '>';
    }
    while ((**p | 0x20) >= 'a' && (**p | 0x20) <= 'z')
        ++*p;
    return *p - from >= 3;
}

static bool
posix_number(const char **p, int most, int *out)
{
    int v = 0;

    if (!weir_is_digit(**p))
        return false;
    for (; weir_is_digit(**p); ++*p) {
        v = v * 10 + (**p - '0');
        if (v > most)
            return false;
    }
    *out = v;
    return true;
}

/* [+-]h[:m[:s]] */
static bool
posix_time(const char **p, int32_t *out)
{
    int sign = 1, h, m = 0, s = 0;

    if (**p == '+' || **p == '-')
        sign = *(*p)++ == '-' ? -1 : 1;
    if (!posix_number(p, TZIF_RULE_TIME_MAX / 3600, &h))
        return false;
    if (**p == ':') {
        ++*p;
        if (!posix_number(p, 59, &m))
            return false;
        if (**p == ':') {
            ++*p;
            if (!posix_number(p, 59, &s))
                return false;
        }
    }
    *out = sign * (h * 3600 + m * 60 + s);
    return true;
}

static bool
posix_day(const char **p, struct zone_day *out)
{
    int a, b, c;

    *out = (struct zone_day){.kind = 'N', .time = 2 * 3600};
    if (**p == 'M') {
        ++*p;
        if (!posix_number(p, 12, &a) || *(*p)++ != '.' || !posix_number(p, 5, &b) || *(*p)++ != '.' ||
            !posix_number(p, 6, &c) || a < 1 || b < 1)
            return false;
        *out = (struct zone_day){.kind = 'M', .month = (uint8_t)a, .week = (uint8_t)b, .day = (int16_t)c,
                                 .time = 2 * 3600};
    } else {
        if (**p == 'J') {
            ++*p;
            out->kind = 'J';
        }
        if (!posix_number(p, 365, &a) || (out->kind == 'J' && a < 1))
            return false;
        out->day = (int16_t)a;
    }
    if (**p == '/') {
        ++*p;
        return posix_time(p, &out->time);
    }
    return true;
}

/* A NUL-terminated rule into the zone. A rule without summer time sets nothing but std. */
static bool
posix_rule(const char *p, struct weir_zone *zone)
{
    int32_t west;

    if (!posix_name(&p) || !posix_time(&p, &west))
        return false;
    zone->std = -west;
    if (*p == '\0')
        return true;
    if (!posix_name(&p))
        return false;
    zone->dst = zone->std + 3600;
    if (*p != ',' && *p != '\0') {
        if (!posix_time(&p, &west))
            return false;
        zone->dst = -west;
    }
    if (*p == '\0')
        p = ",M3.2.0,M11.1.0"; /* what POSIX leaves open, as everybody fills it */
    if (*p++ != ',' || !posix_day(&p, &zone->start) || *p++ != ',' || !posix_day(&p, &zone->end) || *p != '\0')
        return false;
    zone->has_rule = true;
    return zone->std >= -TZIF_OFFSET_MAX && zone->std <= TZIF_OFFSET_MAX && zone->dst >= -TZIF_OFFSET_MAX &&
           zone->dst <= TZIF_OFFSET_MAX;
}

/* The footer behind a 64-bit block: "\nRULE\n". An empty rule is fine. */
static weir_rc
tzif_footer(const struct tzif *f, struct weir_zone *rule, struct weir_error *err)
{
    size_t skip = tzif_block_bytes(f);
    const uint8_t *p = f->p + skip, *end;
    char text[128];
    size_t n;

    *rule = (struct weir_zone){0};
    if (f->wide == 4)
        return WEIR_OK;
    if (f->left - skip < 2 || *p != '\n' || (end = memchr(p + 1, '\n', f->left - skip - 1)) == NULL)
        return weir_fail(err, WEIR_CORRUPT, "zone file: no footer");
    n = (size_t)(end - p) - 1;
    if (n == 0)
        return WEIR_OK;
    if (n >= sizeof(text) || memchr(p + 1, '\0', n) != NULL)
        return weir_fail(err, WEIR_CORRUPT, "zone file: bad footer");
    memcpy(text, p + 1, n);
    text[n] = '\0';
    if (!posix_rule(text, rule))
        return weir_fail(err, WEIR_CORRUPT, "zone file: bad rule in the footer");
    return WEIR_OK;
}

/* Where the arrays of a zone with room for n transitions are, in one piece of memory. */
struct tzif_arrays {
    struct weir_zone *zone;
    int64_t *at, *wall;
    int32_t *off;
    uint32_t n, cap;
};

static bool
tzif_arrays_new(uint32_t cap, struct tzif_arrays *a)
{
    char *piece = calloc(1, sizeof(struct weir_zone) + cap * (2 * sizeof(int64_t) + sizeof(int32_t)));

    if (piece == NULL)
        return false;
    a->zone = (struct weir_zone *)(void *)piece;
    a->at = (int64_t *)(void *)(piece + sizeof(struct weir_zone));
    a->wall = a->at + cap;
    a->off = (int32_t *)(void *)(a->wall + cap);
    a->n = 0;
    a->cap = cap;
    return true;
}

/* The wall clock's side of a transition: zone.c, invariant 2. */
static void
tzif_add(struct tzif_arrays *a, int64_t at, int32_t off)
{
    int32_t before = a->n == 0 ? a->zone->offset : a->off[a->n - 1];
    int64_t wall = at + (off > before ? off : before);

    if (a->n > 0 && wall < a->wall[a->n - 1])
        wall = a->wall[a->n - 1]; /* two within hours: keep the search's order */
    a->at[a->n] = at;
    a->wall[a->n] = wall;
    a->off[a->n++] = off;
}

/* The block's transitions. */
static weir_rc
tzif_times(const struct tzif *f, struct tzif_arrays *a, struct weir_error *err)
{
    const uint8_t *times = f->p, *index = times + (size_t)f->times * f->wide, *types = index + f->times;
    int32_t off[TZIF_TYPES_MAX];

    for (uint32_t i = 0; i < f->types; i++) {
        off[i] = (int32_t)be32(types + (size_t)i * 6);
        if (off[i] < -TZIF_OFFSET_MAX || off[i] > TZIF_OFFSET_MAX)
            return weir_fail(err, WEIR_CORRUPT, "zone file: an offset over 26 hours");
    }
    a->zone->offset = off[0];
    for (uint32_t i = 0; i < f->times; i++) {
        int64_t at = f->wide == 8 ? be64(times + (size_t)i * 8) : (int32_t)be32(times + (size_t)i * 4);

        if (index[i] >= f->types || at > TZIF_AT_MAX || at < -TZIF_AT_MAX ||
            (a->n > 0 && at <= a->at[a->n - 1]))
            return weir_fail(err, WEIR_CORRUPT, "zone file: its times do not ascend, or have no type");
        tzif_add(a, at, off[index[i]]);
    }
    return WEIR_OK;
}

/* The rule's transitions behind the last one of the file. */
static void
tzif_write_out(struct tzif_arrays *a)
{
    const struct weir_zone *zone = a->zone;
    int64_t after = a->n > 0 ? a->at[a->n - 1] : INT64_MIN;

    for (int64_t y = TZIF_RULE_FROM; y <= TZIF_RULE_TO; y++) {
        int64_t start = weir_zone_rule_seconds(&zone->start, y) - zone->std;
        int64_t end = weir_zone_rule_seconds(&zone->end, y) - zone->dst;
        bool south = end < start;

        for (int i = 0; i < 2; i++) {
            bool summer = (i == 0) != south;
            int64_t at = summer ? start : end;

            if (at > after) {
                tzif_add(a, at, summer ? zone->dst : zone->std);
                after = at;
            }
        }
    }
}

weir_rc
weir_tzif_parse(const void *bytes, size_t n, struct weir_zone **out, struct weir_error *err)
{
    struct tzif_arrays a = {0};
    struct weir_zone rule;
    struct tzif f;
    weir_rc rc;

    WEIR_GO(tzif_open(bytes, n, &f, err));
    if (f.leap > 0)
        WEIR_GO(weir_fail(err, WEIR_CORRUPT, "zone file: counts leap seconds"));
    WEIR_GO(tzif_footer(&f, &rule, err));
    if (!tzif_arrays_new(f.times + (rule.has_rule ? 2 * (TZIF_RULE_TO - TZIF_RULE_FROM + 1) : 0), &a))
        WEIR_GO(weir_fail(err, WEIR_NOMEM, "no memory for a zone"));
    *a.zone = rule;
    WEIR_GO(tzif_times(&f, &a, err));
    if (rule.has_rule)
        tzif_write_out(&a);
    a.zone->n = a.n;
    a.zone->at = a.at;
    a.zone->wall = a.wall;
    a.zone->off = a.off;
    *out = a.zone;
    a.zone = NULL;
out:
    free(a.zone);
    return rc;
}
