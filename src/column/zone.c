/* Time zones: fixed offsets as java.time.ZoneId.of reads them, and regions of the system's zone database.
 *
 * 1. A zone never changes and is never freed once it is in the table. Readers look the table up without a lock;
 *    a writer holds zone_lock only to put an entry, never while it reads a file.
 * 2. Transition i moves the clock from offset b to offset a at the UTC second at[i]. Local times from
 *    wall[i] = at[i] + max(a, b) on are in a; those before are in b. That one rule is java.time's for both cases:
 *    in a gap (a > b) the times that do not exist are read with the offset before, which moves them forward by
 *    the gap; in an overlap (a < b) the times that exist twice get the earlier offset.
 * 3. Transitions that a footer's rule makes are written out up to the year 2100; behind that the rule is asked.
 * 4. A name from outside becomes part of a path only when it begins with a letter and every component is of
 *    [A-Za-z0-9_+-]: no "..", no absolute path, no long name. Links inside the database are followed.
 * Spark's quirks (SparkDateTimeUtils.getZoneId): "+8:00" is "+08:00", "+08:5" is "+08:05", and the short names of
 * ZoneId.SHORT_IDS are known.
 * The files are read by tzif.c. Failure: an unknown or broken zone is NULL, never an error.
 * Memory: at most ZONE_ENTRIES zones, of a few kB each, for the life of the process. Threads: any. */
#include "column/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "column/text_int.h"

enum {
    ZONE_ENTRIES = 1024,       /* the database has about 600 names */
    ZONE_SLOTS = 2048,         /* of the hash table, a power of two */
    ZONE_FILE_MAX = 64 * 1024, /* the largest real one is below 4 kB */
    ZONE_PATH_MAX = 1024
};

/* java.time.ZoneId.SHORT_IDS */
static const struct {
    const char *id, *zone;
} zone_short[] = {
    {"ACT", "Australia/Darwin"},
    {"AET", "Australia/Sydney"},
    {"AGT", "America/Argentina/Buenos_Aires"},
    {"ART", "Africa/Cairo"},
    {"AST", "America/Anchorage"},
    {"BET", "America/Sao_Paulo"},
    {"BST", "Asia/Dhaka"},
    {"CAT", "Africa/Harare"},
    {"CNT", "America/St_Johns"},
    {"CST", "America/Chicago"},
    {"CTT", "Asia/Shanghai"},
    {"EAT", "Africa/Addis_Ababa"},
    {"ECT", "Europe/Paris"},
    {"EST", "-05:00"},
    {"HST", "-10:00"},
    {"IET", "America/Indiana/Indianapolis"},
    {"IST", "Asia/Kolkata"},
    {"JST", "Asia/Tokyo"},
    {"MIT", "Pacific/Apia"},
    {"MST", "-07:00"},
    {"NET", "Asia/Yerevan"},
    {"NST", "Pacific/Auckland"},
    {"PLT", "Asia/Karachi"},
    {"PNT", "America/Phoenix"},
    {"PRT", "America/Puerto_Rico"},
    {"PST", "America/Los_Angeles"},
    {"SST", "Pacific/Guadalcanal"},
    {"VST", "Asia/Ho_Chi_Minh"},
};

const struct weir_zone weir_zone_utc = {.name = "UTC"};

/* The table: open addressing, entries are only added. */
static _Atomic(struct weir_zone *) zone_table[ZONE_SLOTS];
static pthread_mutex_t zone_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned zone_entries; /* under zone_lock */

/* The last interval looked at, as values come in the order of time: a cache of one entry for each thread. */
static _Thread_local struct {
    const struct weir_zone *zone;
    int64_t from, to; /* local seconds [from, to) */
    int32_t offset;
} zone_last;

void
weir_zone_free(struct weir_zone *zone)
{
    if (zone_last.zone == zone)
        zone_last.zone = NULL;
    free(zone);
}

static uint32_t
zone_hash(const char *t, size_t n)
{
    uint32_t h = 2166136261u;

    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)t[i]) * 16777619u;
    return h;
}

/* The entry, or NULL and in *slot the free place where the search ended. */
static struct weir_zone *
zone_look(const char *t, size_t n, uint32_t *slot)
{
    struct weir_zone *zone;
    uint32_t at = zone_hash(t, n) & (ZONE_SLOTS - 1);

    while ((zone = atomic_load_explicit(&zone_table[at], memory_order_acquire)) != NULL) {
        if (strncmp(zone->name, t, n) == 0 && zone->name[n] == '\0')
            return zone;
        at = (at + 1) & (ZONE_SLOTS - 1);
    }
    *slot = at;
    return NULL;
}

/* Puts take_zone under the name, or frees it when another thread was faster. NULL: the table is full. */
static const struct weir_zone *
zone_keep(struct weir_zone *take_zone, const char *t, size_t n)
{
    struct weir_zone *zone;
    uint32_t slot;

    memcpy(take_zone->name, t, n);
    take_zone->name[n] = '\0';
    pthread_mutex_lock(&zone_lock);
    zone = zone_look(t, n, &slot);
    if (zone == NULL && zone_entries < ZONE_ENTRIES) {
        zone_entries++;
        zone = take_zone;
        atomic_store_explicit(&zone_table[slot], zone, memory_order_release);
    }
    pthread_mutex_unlock(&zone_lock);
    if (zone != take_zone)
        weir_zone_free(take_zone);
    return zone;
}

static const char *
zone_root(void)
{
    const char *dir = getenv("TZDIR");

    return dir != NULL && dir[0] == '/' ? dir : "/usr/share/zoneinfo";
}

bool
weir_zone_installed(void)
{
    char path[ZONE_PATH_MAX];
    int n = snprintf(path, sizeof(path), "%s/Europe", zone_root());

    return n > 0 && (size_t)n < sizeof(path) && access(path, R_OK | X_OK) == 0;
}

weir_rc
weir_zone_hint(struct weir_error *err)
{
    if (weir_zone_installed())
        return weir_error_hint(err, "write UTC, an offset such as +08:00, or a region such as Asia/Shanghai");
    return weir_error_hint(err, "this machine has no zone database: install the package tzdata, or write UTC or an "
                                "offset such as +08:00");
}

/* Invariant 4. "posix" and "right" are whole copies of the database, the others no regions of java.time. */
static bool
zone_name_valid(const char *t, size_t n)
{
    static const char *const not_zones[] = {"posix", "right", "posixrules", "localtime", "Factory", "ROC",
                                             "EST",   "MST",   "HST"};
    size_t first = 0;

    if (n == 0 || n >= ZONE_NAME_MAX || !((t[0] | 0x20) >= 'a' && (t[0] | 0x20) <= 'z') || t[n - 1] == '/')
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = t[i];

        if (c == '/' ? t[i - 1] == '/' : !weir_is_digit(c) && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z') &&
                                             c != '_' && c != '-' && c != '+')
            return false;
        if (c == '/' && first == 0)
            first = i;
    }
    if (first == 0)
        first = n;
    for (size_t i = 0; i < sizeof(not_zones) / sizeof(not_zones[0]); i++) {
        if (strlen(not_zones[i]) == first && strncasecmp(not_zones[i], t, first) == 0)
            return false;
    }
    return true;
}

/* The bytes of a region's file. 0: there is none, or it is no plain file of a sane size. */
static size_t
zone_read(const char *t, size_t n, char *bytes)
{
    char path[ZONE_PATH_MAX];
    struct stat st;
    size_t len = 0;
    ssize_t got;
    int fd;

    if (snprintf(path, sizeof(path), "%s/%.*s", zone_root(), (int)n, t) >= (int)sizeof(path))
        return 0;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= ZONE_FILE_MAX) {
        while (len < ZONE_FILE_MAX && (got = read(fd, bytes + len, ZONE_FILE_MAX - len)) > 0)
            len += (size_t)got;
    }
    close(fd);
    return len;
}

const struct weir_zone *
weir_zone_region(const char *t, size_t n)
{
    struct weir_zone *zone;
    struct weir_error err;
    uint32_t slot;
    char *bytes;
    size_t len;

    if (!zone_name_valid(t, n))
        return NULL;
    zone = zone_look(t, n, &slot);
    if (zone != NULL)
        return zone;
    bytes = malloc(ZONE_FILE_MAX);
    if (bytes == NULL)
        return NULL;
    len = zone_read(t, n, bytes);
    if (len > 0 && weir_tzif_parse(bytes, len, &zone, &err) != WEIR_OK)
        zone = NULL;
    free(bytes);
    return zone == NULL ? NULL : zone_keep(zone, t, n);
}

/* The name as the database spells it, component by component. false: no such region. */
static bool
zone_spelling(const char *t, size_t n, char *name)
{
    char path[ZONE_PATH_MAX];
    size_t done = 0;

    while (done < n) {
        const char *slash = memchr(t + done, '/', n - done);
        size_t len = slash == NULL ? n - done : (size_t)(slash - t) - done;
        const struct dirent *e;
        bool found = false;
        DIR *dir;

        if (snprintf(path, sizeof(path), "%s/%.*s", zone_root(), (int)done, name) >= (int)sizeof(path))
            return false;
        dir = opendir(path);
        if (dir == NULL)
            return false;
        while (!found && (e = readdir(dir)) != NULL)
            found = strlen(e->d_name) == len && strncasecmp(e->d_name, t + done, len) == 0;
        if (found)
            memcpy(name + done, e->d_name, len);
        closedir(dir);
        if (!found)
            return false;
        done += len;
        if (done < n)
            name[done++] = '/';
    }
    return true;
}

const struct weir_zone *
weir_zone_region_nocase(const char *t, size_t n)
{
    const struct weir_zone *zone = weir_zone_region(t, n);
    char name[ZONE_NAME_MAX];

    if (zone != NULL || !zone_name_valid(t, n) || !zone_spelling(t, n, name))
        return zone;
    return weir_zone_region(name, n);
}

/* Two digits, or -1. */
static int
offset_two(const char *t)
{
    return weir_is_digit(t[0]) && weir_is_digit(t[1]) ? (t[0] - '0') * 10 + (t[1] - '0') : -1;
}

bool
weir_offset_parse(const char *t, size_t n, int32_t *out)
{
    int h, m = 0, s = 0, seconds;

    if (n == 1 && t[0] == 'Z') {
        *out = 0;
        return true;
    }
    if (n < 2 || (t[0] != '+' && t[0] != '-'))
        return false;
    if (n == 2) {
        h = weir_is_digit(t[1]) ? t[1] - '0' : -1;
    } else {
        h = offset_two(t + 1);
        switch (n) {
        case 3:
            break;
        case 5:
        case 7:
            m = offset_two(t + 3);
            s = n == 7 ? offset_two(t + 5) : 0;
            break;
        case 6:
        case 9:
            m = t[3] == ':' ? offset_two(t + 4) : -1;
            if (n == 9)
                s = t[6] == ':' ? offset_two(t + 7) : -1;
            break;
        default:
            return false;
        }
    }
    if (h < 0 || m < 0 || s < 0 || m > 59 || s > 59)
        return false;
    seconds = h * 3600 + m * 60 + s;
    if (seconds > 18 * 3600)
        return false;
    *out = t[0] == '-' ? -seconds : seconds;
    return true;
}

/* getZoneId's two repairs: the first "[+-]d:" gets a zero in front, a "[+-]dd:d" at the end one inside.
 * text has room for n + 2 bytes. */
static size_t
zone_repair(const char *t, size_t n, char *text)
{
    size_t i, len = n;

    memcpy(text, t, n);
    for (i = 0; i + 2 < len; i++) {
        if ((text[i] == '+' || text[i] == '-') && weir_is_digit(text[i + 1]) && text[i + 2] == ':') {
            memmove(text + i + 2, text + i + 1, len - i - 1);
            text[i + 1] = '0';
            len++;
            break;
        }
    }
    if (len >= 5 && (text[len - 5] == '+' || text[len - 5] == '-') && offset_two(text + len - 4) >= 0 &&
        text[len - 2] == ':' && weir_is_digit(text[len - 1])) {
        text[len] = text[len - 1];
        text[len - 1] = '0';
        len++;
    }
    return len;
}

/* Length of "UTC", "GMT" or "UT" at the front, when a sign or nothing follows. */
static size_t
zone_prefix(const char *t, size_t n)
{
    size_t len = 0;

    if (n >= 3 && (memcmp(t, "UTC", 3) == 0 || memcmp(t, "GMT", 3) == 0))
        len = 3;
    else if (n >= 2 && memcmp(t, "UT", 2) == 0)
        len = 2;
    return len == n || (len > 0 && (t[len] == '+' || t[len] == '-')) ? len : 0;
}

/* Whether the text is in the form of a fixed offset, and then in *ok whether it is one. */
static bool
zone_fixed(const char *t, size_t n, int32_t *offset, bool *ok)
{
    size_t prefix;

    if (n == 0)
        return false;
    *offset = 0;
    *ok = true;
    prefix = zone_prefix(t, n);
    if (prefix == n || (n == 1 && t[0] == 'Z'))
        return true;
    if (prefix == 0 && t[0] != '+' && t[0] != '-')
        return false;
    /* ZoneOffset.of("Z") is an offset, "UTCZ" is not: a sign stands here */
    *ok = weir_offset_parse(t + prefix, n - prefix, offset);
    return true;
}

const struct weir_zone *
weir_zone_of(const char *t, size_t n, struct weir_zone *fixed)
{
    char text[ZONE_NAME_MAX + 2];
    int32_t offset;
    bool ok;

    if (n == 0 || n >= ZONE_NAME_MAX)
        return NULL;
    n = zone_repair(t, n, text);
    for (size_t i = 0; n == 3 && i < sizeof(zone_short) / sizeof(zone_short[0]); i++) {
        if (memcmp(zone_short[i].id, text, 3) == 0) {
            n = strlen(zone_short[i].zone);
            memcpy(text, zone_short[i].zone, n);
            break;
        }
    }
    if (!zone_fixed(text, n, &offset, &ok))
        return weir_zone_region(text, n);
    if (!ok)
        return NULL;
    if (offset == 0)
        return &weir_zone_utc;
    *fixed = (struct weir_zone){.offset = offset};
    return fixed;
}

/* A fixed offset goes into the table too, under its seconds, as the caller's pointer must stay good. */
const struct weir_zone *
weir_zone_find(const char *t, size_t n)
{
    struct weir_zone fixed, *zone;
    const struct weir_zone *found = weir_zone_of(t, n, &fixed);
    char name[ZONE_NAME_MAX];
    uint32_t slot;
    int len;

    if (found != &fixed)
        return found;
    len = snprintf(name, sizeof(name), "%+d", (int)fixed.offset); /* no region begins with a sign */
    zone = zone_look(name, (size_t)len, &slot);
    if (zone != NULL)
        return zone;
    zone = malloc(sizeof(*zone));
    if (zone == NULL)
        return NULL;
    *zone = fixed;
    return zone_keep(zone, name, (size_t)len);
}

/* Offsets at an instant or a local time. */

int64_t
weir_zone_rule_seconds(const struct zone_day *d, int64_t y)
{
    int64_t days;
    unsigned weekday, first, last;

    switch (d->kind) {
    case 'J': /* Feb 29 is never counted */
        days = weir_days_from_civil(y, 1, 1) + d->day - 1;
        days += d->day >= 60 && weir_civil_valid(y, 2, 29);
        break;
    case 'N':
        days = weir_days_from_civil(y, 1, 1) + d->day;
        break;
    default:
        days = weir_days_from_civil(y, d->month, 1);
        weekday = (unsigned)(((days + 4) % 7 + 7) % 7); /* 1970-01-01 was a Thursday, 4 */
        first = ((unsigned)d->day + 7 - weekday) % 7 + 1;
        last = first + (d->week - 1u) * 7;
        while (!weir_civil_valid(y, d->month, last)) /* week 5 is the last one */
            last -= 7;
        days += last - 1;
        break;
    }
    return days * DAY_SECONDS + d->time;
}

/* The offset that the rule gives, local: for a local time, else for an instant. The transitions of three years are
 * looked at, as a day's time may lie beyond its year. Of two at the same moment summer wins: so "all year" reads. */
static int32_t
rule_offset(const struct weir_zone *zone, int64_t t, bool local)
{
    int32_t most = zone->std > zone->dst ? zone->std : zone->dst, offset = zone->std;
    int64_t y, best = INT64_MIN;
    unsigned m, d;

    weir_civil_from_days(t / DAY_SECONDS - (t % DAY_SECONDS < 0), &y, &m, &d);
    for (int64_t year = y - 1; year <= y + 1; year++) {
        int64_t start = weir_zone_rule_seconds(&zone->start, year) - zone->std + (local ? most : 0);
        int64_t end = weir_zone_rule_seconds(&zone->end, year) - zone->dst + (local ? most : 0);

        if (end <= t && end > best) {
            best = end;
            offset = zone->std;
        }
        if (start <= t && start >= best) {
            best = start;
            offset = zone->dst;
        }
    }
    return offset;
}

/* Index of the last key <= t, or -1. */
static int64_t
zone_search(const int64_t *key, uint32_t n, int64_t t)
{
    uint32_t low = 0;

    while (n > 0) {
        uint32_t half = n / 2;

        if (key[low + half] <= t) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return (int64_t)low - 1;
}

int32_t
weir_zone_offset_local(const struct weir_zone *zone, int64_t local)
{
    int64_t i;

    if (zone->n == 0 && !zone->has_rule)
        return zone->offset;
    if (zone_last.zone == zone && local >= zone_last.from && local < zone_last.to)
        return zone_last.offset;
    i = zone_search(zone->wall, zone->n, local);
    if (zone->has_rule && i + 1 == (int64_t)zone->n)
        return rule_offset(zone, local, true);
    zone_last.zone = zone;
    zone_last.from = i < 0 ? INT64_MIN : zone->wall[i];
    zone_last.to = i + 1 < (int64_t)zone->n ? zone->wall[i + 1] : INT64_MAX;
    zone_last.offset = i < 0 ? zone->offset : zone->off[i];
    return zone_last.offset;
}

int32_t
weir_zone_offset_utc(const struct weir_zone *zone, int64_t utc)
{
    int64_t i;

    if (zone->n == 0 && !zone->has_rule)
        return zone->offset;
    i = zone_search(zone->at, zone->n, utc);
    if (zone->has_rule && i + 1 == (int64_t)zone->n)
        return rule_offset(zone, utc, false);
    return i < 0 ? zone->offset : zone->off[i];
}

bool
weir_zone_instant(const struct weir_zone *zone, int64_t local, int64_t micros, int64_t *out)
{
    int64_t us, utc = local - weir_zone_offset_local(zone, local);

    if (__builtin_mul_overflow(utc, SECOND_MICROS, &us) || __builtin_add_overflow(us, micros, &us)) {
        /* the first second of int64: the multiple is out of range, the sum may not be */
        if (utc >= 0 || __builtin_mul_overflow(utc + 1, SECOND_MICROS, &us) ||
            __builtin_add_overflow(us, micros - SECOND_MICROS, &us))
            return false;
    }
    *out = us;
    return true;
}

static int64_t
seconds_of(int64_t us)
{
    return us / SECOND_MICROS - (us % SECOND_MICROS < 0);
}

int64_t
weir_zone_to_utc(const struct weir_zone *zone, int64_t local)
{
    int64_t offset = weir_zone_offset_local(zone, seconds_of(local)) * SECOND_MICROS, us;

    if (__builtin_sub_overflow(local, offset, &us))
        return offset > 0 ? INT64_MIN : INT64_MAX;
    return us;
}

int64_t
weir_zone_to_local(const struct weir_zone *zone, int64_t utc)
{
    int64_t offset = weir_zone_offset_utc(zone, seconds_of(utc)) * SECOND_MICROS, us;

    if (__builtin_add_overflow(utc, offset, &us))
        return offset > 0 ? INT64_MAX : INT64_MIN;
    return us;
}
