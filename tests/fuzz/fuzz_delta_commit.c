/* Any bytes as a commit of a Delta table: opened, counted, told as history, and met as a winner. The first byte says
 * where the bytes stand: as version 0, as version 1 behind a good one, or as the .crc of version 1. */
#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "delta/feature.h"
#include "delta/summary.h"
#include "store/mem.h"
#include "store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char good[] =
    "{\"commitInfo\":{\"txnId\":\"t\",\"tags\":{\"weir.log.protocol\":\"0\",\"weir.log.metaData\":\"0\"}}}\n"
    "{\"protocol\":{\"minReaderVersion\":1,\"minWriterVersion\":2}}\n"
    "{\"metaData\":{\"id\":\"m\",\"format\":{\"provider\":\"parquet\",\"options\":{}},\"schemaString\":\"{\\\"type\\\":"
    "\\\"struct\\\",\\\"fields\\\":[{\\\"name\\\":\\\"id\\\",\\\"type\\\":\\\"long\\\",\\\"nullable\\\":true,"
    "\\\"metadata\\\":{}}]}\",\"partitionColumns\":[],\"configuration\":{}}}\n"
    "{\"add\":{\"path\":\"a\",\"partitionValues\":{},\"size\":1,\"modificationTime\":1,\"dataChange\":true}}\n";

static weir_rc
told(void *arg, const struct weir_history *h, struct weir_error *err)
{
    (void)err;
    *(uint64_t *)arg += h->added_files + (h->operation != NULL ? strlen(h->operation) : 0);
    return WEIR_OK;
}

static void
read_all(struct weir_store *st, struct weir_quota *q)
{
    struct weir_error err = {0};
    struct weir_snapshot *snap;
    struct weir_summary s;
    uint64_t sum = 0;

    if (weir_snapshot_open(st, "q", "p", q, &snap, &err) == WEIR_OK) {
        struct weir_winner w;

        if (snap->version >= 0)
            (void)weir_feature_check_append(&snap->protocol, &snap->meta, &err);
        if (snap->version > 0) {
            snap->version--;
            (void)weir_snapshot_advance(snap, st, &w, &err);
        }
        weir_snapshot_free(snap);
    }
    (void)weir_summary_read(st, -1, q, &s, &err);
    weir_summary_fini(&s);
    (void)weir_history_read(st, 10, q, told, &sum, &err);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_quota quota;
    struct weir_mem *mem;
    struct weir_store *st;
    struct weir_error err = {0};
    const char *key = "_delta_log/00000000000000000001.json";
    unsigned where;

    if (size == 0)
        return 0;
    where = data[0] % 3;
    data++;
    size--;
    weir_quota_init(&quota, NULL, "fuzz", 64 * WEIR_MIB);
    mem = weir_mem_new(NULL, &quota, "fuzz");
    WEIR_ASSERT(weir_store_open("mem:fuzz/t", mem, &st, &err) == WEIR_OK);
    if (where == 0)
        key = "_delta_log/00000000000000000000.json";
    else
        (void)weir_store_put(st, "_delta_log/00000000000000000000.json", good, strlen(good), WEIR_PUT_ABSENT, &err);
    if (where == 2) {
        (void)weir_store_put(st, key, good, strlen(good), WEIR_PUT_ABSENT, &err);
        key = "_delta_log/00000000000000000001.crc";
    }
    (void)weir_store_put(st, key, data, size, WEIR_PUT_ABSENT, &err);
    read_all(st, &quota);
    weir_store_close(st);
    weir_mem_free(mem);
    WEIR_ASSERT(quota.used == 0);
    weir_mem_store_drop("fuzz");
    return 0;
}
