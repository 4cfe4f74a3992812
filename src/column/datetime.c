/* Civil dates, and dates and timestamps from and to text without a pattern.
 *
 * 1. The grammar is that of Spark's SparkDateTimeUtils.stringToDate and parseTimestampString, read as a grammar:
 *      date  = [+-] y{4,6} [ - m{1,2} [ - d{1,2} [ (T|blank) time ] ] ]
 *      time  = h{1,2} [ : m{1,2} [ : s{1,2} [ . digit* ] [ zone ] ] ]
 *      stamp = date | time with a ':' | T time
 *    A zone is the whole rest of the text, and only possible behind seconds.
 * 2. "YYYY-MM-DD(T|blank)HH:MM:SS[.f]" with nothing, Z or +hh:mm behind it takes the fast path, which reads eight
 *    bytes at a time and gives up on the first surprise; the slow path then decides. They agree, which the unit
 *    test sees by a blank in front of each text: that alone sends it to the slow path.
 * Threads: any. */
#include "column/text.h"

#include <endian.h>

#include "base/time.h"
#include "column/text_int.h"

/* What a text says; fields not said have their default. */
struct stamp {
    int64_t year;
    unsigned month, day, hour, minute, second;
    uint32_t micros;
    bool only_time;
    struct weir_slice zone; /* ptr NULL: none */
};

int64_t
weir_days_from_civil(int64_t y, unsigned m, unsigned d)
{
    /* Years begin in March, so that the leap day is the last one; 400 years are 146,097 days. */
    int64_t year = m <= 2 ? y - 1 : y;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    unsigned yoe = (unsigned)(year - era * 400);
    unsigned doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
    unsigned doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;

    return era * 146097 + (int64_t)doe - 719468;
}

void
weir_civil_from_days(int64_t days, int64_t *y, unsigned *m, unsigned *d)
{
    int64_t z = days + 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    unsigned doe = (unsigned)(z - era * 146097);
    unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    unsigned mp = (5 * doy + 2) / 153;

    *d = doy - (153 * mp + 2) / 5 + 1;
    *m = mp < 10 ? mp + 3 : mp - 9;
    *y = (int64_t)yoe + era * 400 + (*m <= 2);
}

bool
weir_civil_valid(int64_t y, unsigned m, unsigned d)
{
    static const unsigned char days[13] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap;

    if (m < 1 || m > 12 || d < 1)
        return false;
    if (d <= 28)
        return true;
    leap = (y & 3) == 0 && (y % 100 != 0 || y % 400 == 0);
    return d <= days[m] + (m == 2 && leap ? 1u : 0u);
}

/* Between least and most digits at *p (no more may follow). Values stay below 10^7. */
static bool
stamp_digits(const char **p, const char *end, int least, int most, int64_t *out)
{
    int64_t v = 0;
    int n = 0;

    for (; *p < end && weir_is_digit(**p); (*p)++) {
        if (++n > most)
            return false;
        v = v * 10 + (**p - '0');
    }
    *out = v;
    return n >= least;
}

static bool
stamp_two(const char **p, const char *end, unsigned *out)
{
    int64_t v;

    if (!stamp_digits(p, end, 1, 2, &v))
        return false;
    *out = (unsigned)v;
    return true;
}

/* [+-]y{4,most}[-m[m][-d[d]]]; *parts: how many of the three were there. */
static bool
stamp_date(const char **p, const char *end, int most, struct stamp *out, int *parts)
{
    bool negative = false;

    if (*p < end && (**p == '-' || **p == '+'))
        negative = *(*p)++ == '-';
    if (!stamp_digits(p, end, 4, most, &out->year))
        return false;
    if (negative)
        out->year = -out->year;
    *parts = 1;
    if (*p == end || **p != '-')
        return true;
    ++*p;
    if (!stamp_two(p, end, &out->month))
        return false;
    *parts = 2;
    if (*p == end || **p != '-')
        return true;
    ++*p;
    *parts = 3;
    return stamp_two(p, end, &out->day);
}

/* From the seconds' end on: the fraction, then a zone up to the end. */
static void
stamp_tail(const char *p, const char *end, struct stamp *out)
{
    if (p < end && *p == '.') {
        unsigned n = 0;

        for (p++; p < end && weir_is_digit(*p); p++) {
            if (n < 6) {
                out->micros = out->micros * 10 + (unsigned)(*p - '0');
                n++;
            }
        }
        for (; n < 6; n++)
            out->micros *= 10;
    }
    if (p < end)
        out->zone = weir_slice(p, (size_t)(end - p));
}

static bool
stamp_time(const char *p, const char *end, struct stamp *out)
{
    if (!stamp_two(&p, end, &out->hour))
        return false;
    if (p == end)
        return true;
    if (*p++ != ':' || !stamp_two(&p, end, &out->minute))
        return false;
    if (p == end)
        return true;
    if (*p++ != ':' || !stamp_two(&p, end, &out->second))
        return false;
    stamp_tail(p, end, out);
    return true;
}

static bool
stamp_is_time(const char *p, const char *end)
{
    while (p < end && weir_is_digit(*p))
        p++;
    return p < end && *p == ':';
}

/* The slow path: every text that Spark takes. A 'T' in front counts only at the very start of the text. */
static bool
stamp_parse(const char *t, size_t n, struct stamp *out)
{
    struct weir_slice s = text_trim(t, n);
    const char *p = s.ptr, *end = p + s.len;
    int parts;

    *out = (struct stamp){.year = 1, .month = 1, .day = 1};
    if (s.len == 0)
        return false;
    if (*p == 'T' && p == t) {
        out->only_time = true;
        p++;
    } else if (stamp_is_time(p, end)) {
        out->only_time = true;
    }
    if (out->only_time) {
        if (!stamp_time(p, end, out))
            return false;
    } else {
        if (!stamp_date(&p, end, 6, out, &parts))
            return false;
        if (p < end) {
            if (parts < 3 || (*p != 'T' && *p != ' ') || !stamp_time(p + 1, end, out))
                return false;
        }
    }
    return out->hour < 24 && out->minute < 60 && out->second < 60 &&
           (out->only_time || weir_civil_valid(out->year, out->month, out->day));
}

static int64_t
stamp_time_seconds(const struct stamp *s)
{
    return (int64_t)s->hour * 3600 + (int64_t)s->minute * 60 + (int64_t)s->second;
}

/* The zone that the text names, or `zone`; NULL: it names none that there is. */
static const struct weir_zone *
stamp_zone(const struct stamp *s, const struct weir_zone *zone, struct weir_zone *fixed)
{
    const char *p = s->zone.ptr;
    size_t n = s->zone.len;

    if (p == NULL)
        return zone;
    while (n > 0 && (unsigned char)*p <= ' ') {
        p++;
        n--;
    }
    while (n > 0 && (unsigned char)p[n - 1] <= ' ')
        n--;
    return weir_zone_of(p, n, fixed);
}

static int64_t
floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int64_t
today_days(const struct weir_zone *zone)
{
    int64_t now = floor_div(weir_now_ms(), 1000);

    return floor_div(now + weir_zone_offset_utc(zone, now), DAY_SECONDS);
}

static bool
timestamp_slow(const char *t, size_t n, const struct weir_zone *zone, int64_t *out)
{
    struct weir_zone fixed;
    struct stamp s;
    int64_t days;

    if (!stamp_parse(t, n, &s))
        return false;
    zone = stamp_zone(&s, zone, &fixed);
    if (zone == NULL)
        return false;
    days = s.only_time ? today_days(zone) : weir_days_from_civil(s.year, s.month, s.day);
    return weir_zone_instant(zone, days * DAY_SECONDS + stamp_time_seconds(&s), s.micros, out);
}

/* The fast path. Each function is false when the text is not of its shape, or out of range; nothing is said then
 * about whether it is a timestamp. */

/* Eight bytes at t less those of `shape`, first byte lowest: digits become 0..9 where the shape has '0', and other
 * bytes 0 where they are the shape's. */
static uint64_t
fast_load(const char *t, const char shape[8])
{
    uint64_t x, y;

    memcpy(&x, t, sizeof(x));
    memcpy(&y, shape, sizeof(y));
    return le64toh(x ^ y);
}

/* Whether all bytes are below 10 where `digits` has 6, and 0 where it has 0. */
static bool
fast_all(uint64_t x, uint64_t digits)
{
    uint64_t must_be_zero = ~(digits / 6 * 0x0f);

    return ((x | (x + digits)) & must_be_zero) == 0;
}

/* Each byte becomes ten times itself and the byte behind it: at most 99, so no byte spills into another. */
static uint64_t
fast_pairs(uint64_t x)
{
    return x * 10 + (x >> 8);
}

static unsigned
fast_two(uint64_t pairs, unsigned at)
{
    return (unsigned)(pairs >> (8 * at)) & 0xff;
}

/* weir_days_from_civil() for years 0 to 9999, by 32-bit arithmetic. Counted from March of the year -400, so that
 * January and February of the year 0 are not before the beginning. */
static int64_t
fast_days_from_civil(unsigned y, unsigned m, unsigned d)
{
    unsigned year = y + 400 - (m <= 2), century = year / 100;

    return (int64_t)(year * 365 + year / 4 - century + century / 4 + (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d) -
           (719469 + 146097);
}

/* "YYYY-MM-" at t, and the day. */
static bool
fast_days(const char *t, unsigned day, int64_t *days)
{
    uint64_t x = fast_load(t, "0000-00-");
    unsigned y, m;

    if (!fast_all(x, UINT64_C(0x0006060006060606)))
        return false;
    x = fast_pairs(x);
    y = fast_two(x, 0) * 100 + fast_two(x, 2);
    m = fast_two(x, 5);
    if (!weir_civil_valid(y, m, day))
        return false;
    *days = fast_days_from_civil(y, m, day);
    return true;
}

/* Behind the seconds: a fraction; false: no digit behind the point. */
static bool
fast_fraction(const char **p, const char *end, uint32_t *micros)
{
    static const uint32_t unit[7] = {0, 100000, 10000, 1000, 100, 10, 1};
    const char *q = *p + 1;
    uint32_t v = 0;
    unsigned n = 0;

    for (; q < end && n < 6 && weir_is_digit(*q); q++, n++)
        v = v * 10 + (unsigned)(*q - '0');
    *micros = v * unit[n];
    while (q < end && weir_is_digit(*q))
        q++;
    *p = q;
    return n > 0;
}

/* Exactly "+hh:mm", within 18 hours. */
static bool
fast_offset(const char *p, int32_t *out)
{
    unsigned h, m;

    if (!weir_is_digit(p[1]) || !weir_is_digit(p[2]) || p[3] != ':' || !weir_is_digit(p[4]) || !weir_is_digit(p[5]))
        return false;
    h = (unsigned)(p[1] - '0') * 10 + (unsigned)(p[2] - '0');
    m = (unsigned)(p[4] - '0') * 10 + (unsigned)(p[5] - '0');
    *out = (int32_t)(h * 3600 + m * 60) * (p[0] == '-' ? -1 : 1);
    return h < 18 && m < 60;
}

/* Nothing, "Z" or "+hh:mm" at p: the offset. */
static bool
fast_zone(const char *p, const char *end, const struct weir_zone *zone, int64_t local, int32_t *offset)
{
    *offset = 0;
    if (p == end) {
        *offset = weir_zone_offset_local(zone, local);
        return true;
    }
    if (*p == 'Z')
        return p + 1 == end;
    return (*p == '+' || *p == '-') && end - p == 6 && fast_offset(p, offset);
}

/* The local time at *p up to the end of its fraction. Years 0 to 9999, so nothing overflows. */
static bool
fast_civil(const char **p, const char *end, int64_t *local, uint32_t *micros)
{
    const char *t = *p;
    unsigned hour, minute, second;
    int64_t days;
    uint64_t x;

    if (end - t < 19 || (t[10] != 'T' && t[10] != ' ') || t[16] != ':' || !weir_is_digit(t[17]) ||
        !weir_is_digit(t[18]))
        return false;
    x = fast_load(t + 8, t[10] == 'T' ? "00T00:00" : "00 00:00");
    if (!fast_all(x, UINT64_C(0x0606000606000606)))
        return false;
    x = fast_pairs(x);
    if (!fast_days(t, fast_two(x, 0), &days))
        return false;
    hour = fast_two(x, 3);
    minute = fast_two(x, 6);
    second = (unsigned)(t[17] - '0') * 10 + (unsigned)(t[18] - '0');
    *local = days * DAY_SECONDS + (int64_t)(hour * 3600 + minute * 60 + second);
    *micros = 0;
    *p = t + 19;
    return hour < 24 && minute < 60 && second < 60 && (*p == end || **p != '.' || fast_fraction(p, end, micros));
}

static bool
timestamp_fast(const char *t, size_t n, const struct weir_zone *zone, int64_t *out)
{
    const char *p = t;
    uint32_t micros;
    int64_t local;
    int32_t offset;

    if (!fast_civil(&p, t + n, &local, &micros) || !fast_zone(p, t + n, zone, local, &offset))
        return false;
    *out = (local - offset) * SECOND_MICROS + (int64_t)micros;
    return true;
}

bool
weir_timestamp_parse(const char *t, size_t n, const struct weir_zone *zone, int64_t *out)
{
    return timestamp_fast(t, n, zone, out) || timestamp_slow(t, n, zone, out);
}

/* Local micros of a stamp with a date. false: beyond int64. */
static bool
stamp_local(const struct stamp *s, int64_t *out)
{
    int64_t days = weir_days_from_civil(s->year, s->month, s->day);

    return weir_zone_instant(&weir_zone_utc, days * DAY_SECONDS + stamp_time_seconds(s), s->micros, out);
}

bool
weir_timestamp_ntz_parse(const char *t, size_t n, int64_t *out)
{
    const char *p = t;
    struct stamp s;
    uint32_t micros;
    int64_t local;

    if (fast_civil(&p, t + n, &local, &micros) && p == t + n) {
        *out = local * SECOND_MICROS + (int64_t)micros;
        return true;
    }
    return stamp_parse(t, n, &s) && !s.only_time && s.zone.ptr == NULL && stamp_local(&s, out);
}

bool
weir_timestamp_ntz_cast(const char *t, size_t n, int64_t *out)
{
    struct weir_zone fixed;
    struct stamp s;

    return stamp_parse(t, n, &s) && !s.only_time && stamp_zone(&s, &weir_zone_utc, &fixed) != NULL &&
           stamp_local(&s, out);
}

static bool
days_fit(int64_t days, int32_t *out)
{
    *out = (int32_t)days; /* of use only when true comes back */
    return days >= INT32_MIN && days <= INT32_MAX;
}

static bool
date_slow(const char *t, size_t n, int32_t *out)
{
    struct weir_slice s = text_trim(t, n);
    const char *p = s.ptr, *end = p + s.len;
    struct stamp d = {.month = 1, .day = 1};
    int32_t days;
    int parts;

    if (!stamp_date(&p, end, 7, &d, &parts))
        return false;
    if (p < end && (parts < 3 || (*p != 'T' && *p != ' ')))
        return false;
    if (!weir_civil_valid(d.year, d.month, d.day) ||
        !days_fit(weir_days_from_civil(d.year, d.month, d.day), &days))
        return false;
    *out = days;
    return true;
}

/* "YYYY-MM-DD" alone. */
static bool
date_fast(const char *t, size_t n, int32_t *out)
{
    int64_t days;

    if (n != 10 || !weir_is_digit(t[8]) || !weir_is_digit(t[9]) ||
        !fast_days(t, (unsigned)(t[8] - '0') * 10 + (unsigned)(t[9] - '0'), &days))
        return false;
    *out = (int32_t)days;
    return true;
}

bool
weir_date_cast(const char *t, size_t n, int32_t *out)
{
    return date_fast(t, n, out) || date_slow(t, n, out);
}

/* A day of the Julian calendar's date to the same date of the Gregorian one, for days before 1582-10-15
 * (RebaseDateTime.rebaseJulianToGregorianDays). Four Julian years are 1,461 days. */
static int64_t
days_rebase_julian(int64_t days)
{
    int64_t z = days + 719470, cycle = floor_div(z, 1461); /* days since 0000-03-01 of the Julian calendar */
    unsigned doc = (unsigned)(z - cycle * 1461);
    unsigned yoc = (doc - doc / 1460) / 365, doy = doc - yoc * 365;
    unsigned mp = (5 * doy + 2) / 153, m = mp < 10 ? mp + 3 : mp - 9;
    int64_t y = cycle * 4 + (int64_t)yoc + (m <= 2);

    /* Feb 29 of a year that is leap only in the Julian calendar becomes Mar 1 by this arithmetic */
    return weir_days_from_civil(y, m, doy - (153 * mp + 2) / 5 + 1);
}

bool
weir_date_parse(const char *t, size_t n, int32_t *out)
{
    int64_t days = 0;
    int32_t fit;
    size_t i = 0;

    if (weir_date_cast(t, n, out))
        return true;
    if (n > 0 && (t[0] == '-' || t[0] == '+'))
        i = 1;
    if (i == n || n - i > 18)
        return false;
    for (size_t k = i; k < n; k++) {
        if (!weir_is_digit(t[k]))
            return false;
        days = days * 10 + (t[k] - '0');
    }
    if (t[0] == '-')
        days = -days;
    if (!days_fit(days, &fit)) /* Integer.parseInt first */
        return false;
    if (days < -141427 && !days_fit(days_rebase_julian(days), &fit))
        return false;
    *out = fit;
    return true;
}

/* v with at least two digits. */
static char *
print_two(char *p, unsigned v)
{
    p[0] = (char)('0' + v / 10);
    p[1] = (char)('0' + v % 10);
    return p + 2;
}

static char *
print_date(char *p, int64_t days)
{
    int64_t y;
    unsigned m, d;

    weir_civil_from_days(days, &y, &m, &d);
    if (y < 0 || y > 9999)
        *p++ = y < 0 ? '-' : '+';
    if (y < 0)
        y = -y;
    if (y > 9999) {
        p += weir_long_print(y, p);
    } else {
        p = print_two(p, (unsigned)y / 100);
        p = print_two(p, (unsigned)y % 100);
    }
    *p++ = '-';
    p = print_two(p, m);
    *p++ = '-';
    return print_two(p, d);
}

size_t
weir_date_print(int32_t days, char *t)
{
    char *p = print_date(t, days);

    *p = '\0';
    return (size_t)(p - t);
}

/* '.' and the digits asked for. */
static char *
print_fraction(char *p, unsigned micros, int digits)
{
    int n = digits < 0 ? 6 : digits;

    if (digits < 0) {
        if (micros == 0)
            return p;
        for (unsigned u = micros; u % 10 == 0; u /= 10)
            n--;
    }
    if (n == 0)
        return p;
    *p++ = '.';
    for (unsigned unit = 100000; n > 0; n--, unit /= 10)
        *p++ = (char)('0' + micros / unit % 10);
    return p;
}

size_t
weir_timestamp_print(int64_t us, int digits, char sep, const char *suffix, char *t)
{
    int64_t days = floor_div(us, DAY_MICROS);
    /* In the first day of int64 days * DAY_MICROS is out of range; the difference never is. */
    uint64_t rest = (uint64_t)us - (uint64_t)days * (uint64_t)DAY_MICROS;
    unsigned seconds = (unsigned)(rest / (uint64_t)SECOND_MICROS);
    size_t len = strlen(suffix);
    char *p = print_date(t, days);

    *p++ = sep;
    p = print_two(p, seconds / 3600);
    *p++ = ':';
    p = print_two(p, seconds / 60 % 60);
    *p++ = ':';
    p = print_two(p, seconds % 60);
    p = print_fraction(p, (unsigned)(rest % (uint64_t)SECOND_MICROS), digits);
    memcpy(p, suffix, len + 1);
    return (size_t)(p - t) + len;
}
