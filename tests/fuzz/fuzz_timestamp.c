/* Zones, dates, timestamps and NTZ on the same bytes: no overrun, and what is read prints and reads back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "column/text_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_timestamp(const char *t, size_t n, const struct weir_zone *zone)
{
    char text[64];
    int64_t us, back;

    if (!weir_timestamp_parse(t, n, zone, &us))
        return;
    n = weir_timestamp_print(us, 6, 'T', "Z", text);
    if (n >= 48 || !weir_timestamp_parse(text, n, &weir_zone_utc, &back) || back != us)
        abort();
}

/* A blank in front sends a text to the slow path and means nothing, but before a 'T' or bytes that are trimmed. */
static void
check_paths(const char *t, size_t n)
{
    char copy[256];
    int64_t fast = 0, slow = 0;
    bool ok;

    if (n == 0 || n >= sizeof(copy) || t[0] == 'T')
        return;
    copy[0] = ' ';
    memcpy(copy + 1, t, n);
    ok = weir_timestamp_ntz_parse(t, n, &fast);
    if (ok != weir_timestamp_ntz_parse(copy, n + 1, &slow) || fast != slow)
        abort();
    if (ok) {
        int32_t day, day_slow;

        if (weir_date_cast(t, n, &day) != weir_date_cast(copy, n + 1, &day_slow))
            abort();
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *t = (const char *)data;
    const struct weir_zone *zone;
    struct weir_zone fixed;
    int32_t days, back;
    char text[64];
    int64_t us;

    if (size > 4096)
        return 0;
    zone = weir_zone_of(t, size, &fixed);
    (void)weir_zone_region_nocase(t, size);
    check_timestamp(t, size, zone != NULL ? zone : &weir_zone_utc);
    check_timestamp(t, size, weir_zone_find("America/New_York", 16) != NULL ? weir_zone_find("America/New_York", 16)
                                                                             : &weir_zone_utc);
    check_paths(t, size);
    (void)weir_timestamp_ntz_cast(t, size, &us);
    if (weir_date_parse(t, size, &days)) {
        size_t n = weir_date_print(days, text);

        if (n >= 24 || !weir_date_cast(text, n, &back) || back != days)
            abort();
    }
    return 0;
}
