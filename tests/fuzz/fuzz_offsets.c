/* Any bytes as offsets/0 of a checkpoint, and as its metadata; what is read is planned again. */
#include <string.h>

#include "pipeline/checkpoint.h"
#include "store/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
fuzz_offsets(struct weir_mem *mem, struct weir_store *st)
{
    struct weir_batch_record rec, again;
    struct weir_checkpoint *cp;
    struct weir_error err = {0};

    if (weir_checkpoint_open("mem:fuzz-offsets/c", false, mem, &cp, &err) != WEIR_OK)
        return;
    WEIR_ASSERT(weir_checkpoint_read(cp, 0, mem, &rec, &err) == WEIR_OK);
    (void)weir_store_put(st, "commits/0", "v1\n{}", 5, WEIR_PUT_REPLACE, &err);
    WEIR_ASSERT(weir_checkpoint_refresh(cp, &err) == WEIR_OK);
    rec.id = 1;
    /* Only what fits into a file of its own size limit can fail here: our facts may not fit any more. */
    if (weir_checkpoint_plan(cp, &rec, &err) == WEIR_OK) {
        WEIR_ASSERT(weir_checkpoint_read(cp, 1, mem, &again, &err) == WEIR_OK);
        WEIR_ASSERT(again.time_ms == rec.time_ms && again.fingerprint == rec.fingerprint);
        WEIR_ASSERT((again.offset == NULL) == (rec.offset == NULL));
        WEIR_ASSERT(rec.offset == NULL || strcmp(again.offset, rec.offset) == 0);
    }
    weir_checkpoint_close(cp);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "fuzz");
    struct weir_error err = {0};
    struct weir_checkpoint *cp;
    struct weir_store *st;

    if (mem == NULL || weir_store_open("mem:fuzz-offsets/c", mem, &st, &err) != WEIR_OK)
        goto out;
    (void)weir_store_put(st, "metadata", data, size, WEIR_PUT_REPLACE, &err);
    if (weir_checkpoint_open("mem:fuzz-offsets/c", false, mem, &cp, &err) == WEIR_OK)
        weir_checkpoint_close(cp);
    (void)weir_store_put(st, "metadata", "{\"id\":\"x\"}", 10, WEIR_PUT_REPLACE, &err);
    (void)weir_store_put(st, "offsets/0", data, size, WEIR_PUT_REPLACE, &err);
    fuzz_offsets(mem, st);
    weir_store_close(st);
out:
    weir_mem_free(mem);
    weir_mem_store_drop("fuzz-offsets");
    return 0;
}
