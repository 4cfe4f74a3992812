/* Deletion vectors: bitmaps of any bytes, and any inline text. What is taken must answer for every row as it
 * counts. */
#include <stdint.h>

#include "base/limits.h"
#include "delta/dv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
ask(const struct weir_dv *dv)
{
    uint64_t seen = 0;

    for (uint64_t row = 0; row < 200000; row++)
        seen += weir_dv_has(dv, row);
    if (seen > weir_dv_cardinality(dv))
        __builtin_trap();
    (void)weir_dv_has(dv, UINT64_MAX);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_dv_ref ref = {.type = 'i', .offset = -1};
    struct weir_error err = {0};
    struct weir_quota q;
    struct weir_dv *dv;
    char text[512];

    if (size < 2 || size > 100000)
        return 0;
    weir_quota_init(&q, NULL, "fuzz", 64 * WEIR_MIB);
    if (weir_dv_parse(data + 2, size - 2, (uint64_t)data[0] | (uint64_t)data[1] << 8, &q, &dv, &err) ==
        WEIR_OK) {
        ask(dv);
        weir_dv_free(dv);
    }
    if (size < sizeof(text)) {
        for (size_t i = 0; i + 2 < size; i++)
            text[i] = data[i + 2] == '\0' ? '0' : (char)data[i + 2];
        text[size - 2] = '\0';
        ref.text = text;
        ref.size = (int64_t)(size - 2) / 5 * 4;
        ref.cardinality = data[0];
        if (weir_dv_read(NULL, &ref, &q, &dv, &err) == WEIR_OK) {
            ask(dv);
            weir_dv_free(dv);
        }
    }
    if (q.used != 0)
        __builtin_trap();
    return 0;
}
