/* The bytes as a compiled zone file. What is taken answers for any time without a step out of its arrays. */
#include <stdint.h>
#include <stdlib.h>

#include "column/text_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t times[] = {INT64_MIN / 1000000, -INT64_C(62135596800), -2000000000, -1, 0, 1000000000,
                                    1735787045, INT64_C(4102444800), INT64_C(16725225600), INT64_MAX / 1000000};
    struct weir_error err = {0};
    struct weir_zone *zone;

    if (weir_tzif_parse(data, size, &zone, &err) != WEIR_OK) {
        if (err.what[0] == '\0')
            abort();
        return 0;
    }
    for (uint32_t i = 1; i < zone->n; i++) {
        if (zone->at[i] <= zone->at[i - 1] || zone->wall[i] < zone->wall[i - 1])
            abort();
    }
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        int32_t local = weir_zone_offset_local(zone, times[i]), utc = weir_zone_offset_utc(zone, times[i]);

        if (local < -26 * 3600 || local > 26 * 3600 || utc < -26 * 3600 || utc > 26 * 3600)
            abort();
    }
    weir_zone_free(zone);
    return 0;
}
