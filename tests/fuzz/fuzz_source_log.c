/* Any bytes as a file of sources/0: read as a plain log and as a compaction, then gone on from. */
#include <string.h>

#include "base/buf.h"
#include "source/file_log.h"
#include "store/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static weir_rc
fuzz_entry(void *arg, const struct weir_file_entry *entry, struct weir_error *err)
{
    size_t *n = arg;

    (void)err;
    WEIR_ASSERT(entry->path_len > 0 && entry->id <= 9);
    *n += entry->path_len;
    return WEIR_OK;
}

static weir_rc
fuzz_none(void *arg, struct weir_file_entry *out, struct weir_error *err)
{
    (void)arg;
    (void)out;
    (void)err;
    return WEIR_END;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "fuzz");
    struct weir_error err = {0};
    struct weir_file_log log;
    struct weir_store *st;
    size_t n = 0;

    if (mem == NULL || weir_store_open("mem:fuzz-log/c", mem, &st, &err) != WEIR_OK)
        goto out;
    (void)weir_store_put(st, "sources/0/7.compact", data, size, WEIR_PUT_ABSENT, &err);
    (void)weir_store_put(st, "sources/0/8", data, size, WEIR_PUT_ABSENT, &err);
    if (weir_file_log_open(&log, st, 0, 10, 0, NULL, &err) == WEIR_OK) {
        (void)weir_file_log_range(&log, 5, 8, fuzz_entry, &n, &err);
        /* What can be read can be written again and read. */
        if (weir_file_log_each(&log, fuzz_entry, &n, &err) == WEIR_OK) {
            log.interval = 10;
            WEIR_ASSERT(weir_file_log_append(&log, fuzz_none, NULL, &err) == WEIR_OK);
            WEIR_ASSERT(log.compact == 9);
            WEIR_ASSERT(weir_file_log_each(&log, fuzz_entry, &n, &err) == WEIR_OK);
        }
    }
    weir_store_close(st);
out:
    weir_mem_free(mem);
    weir_mem_store_drop("fuzz-log");
    return 0;
}
