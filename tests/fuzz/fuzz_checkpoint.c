/* A log that begins at a checkpoint: its JSON top file, _last_checkpoint and one commit above it are the
 * input's three parts, divided by a byte 0. Opening, listing and pruning end with an answer or an error, and
 * give back all memory. */
#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "delta/files.h"
#include "store/mem.h"
#include "store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const keys[] = {
    "_delta_log/00000000000000000001.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json",
    "_delta_log/_last_checkpoint",
    "_delta_log/00000000000000000002.json",
};

static void
put_parts(struct weir_store *st, const uint8_t *data, size_t size)
{
    struct weir_error err = {0};

    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        const uint8_t *end = i + 1 < sizeof(keys) / sizeof(*keys) ? memchr(data, 0, size) : NULL;
        size_t n = end != NULL ? (size_t)(end - data) : size;

        (void)weir_store_put(st, keys[i], data, n, WEIR_PUT_REPLACE, &err);
        data += end != NULL ? n + 1 : n;
        size -= end != NULL ? n + 1 : n;
    }
}

static void
list(struct weir_store *st, const struct weir_snapshot *snap, struct weir_mem *mem, struct weir_quota *q)
{
    static const char *const path[] = {"id"};
    int64_t five = 5;
    struct weir_col value = {.type = &weir_type_long, .data = &five, .len = 1, .cap = 1};
    const struct weir_pred pred = {.op = WEIR_PRED_EQ, .path = path, .depth = 1, .value = &value};
    struct weir_live_ask ask = {.what = WEIR_FILE_STATS | WEIR_FILE_REST | WEIR_FILE_REMOVES};
    struct weir_error err = {0};
    struct weir_prune *prune = NULL;
    struct weir_live *files;
    struct weir_file f;

    if (weir_prune_new(snap, &pred, mem, &prune, &err) == WEIR_OK)
        ask.prune = prune;
    if (weir_live_open(st, snap, &ask, q, &files, &err) != WEIR_OK)
        return;
    while (weir_live_next(files, &f, &err) == WEIR_OK) {
        if (f.path == NULL)
            __builtin_trap();
    }
    weir_live_close(files);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_error err = {0};
    struct weir_snapshot *snap;
    struct weir_store *st;
    struct weir_mem *mem;
    struct weir_quota q;

    if (size > 100000)
        return 0;
    weir_log_setup(WEIR_LOG_ERROR, false);
    weir_quota_init(&q, NULL, "fuzz", 64 * WEIR_MIB);
    mem = weir_mem_new(NULL, &q, "fuzz");
    if (weir_store_open("mem:fuzz-checkpoint/t", mem, &st, &err) == WEIR_OK) {
        put_parts(st, data, size);
        if (weir_snapshot_at(st, -1, &q, &snap, &err) == WEIR_OK) {
            list(st, snap, mem, &q);
            weir_snapshot_free(snap);
        }
        weir_store_close(st);
    }
    weir_mem_free(mem);
    weir_mem_store_drop("fuzz-checkpoint");
    if (q.used != 0)
        __builtin_trap();
    return 0;
}
