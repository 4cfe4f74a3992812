/* Any bytes as a version of a schema, and as the owner's file; what is read is written again and is the same. */
#include <string.h>

#include "schema/log.h"
#include "store/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "fuzz");
    struct weir_schema_version v, again;
    struct weir_error err = {0};
    struct weir_store *st;

    if (mem == NULL || weir_store_open("mem:fuzz-schema/s", mem, &st, &err) != WEIR_OK)
        goto out;
    (void)weir_store_put(st, "_schemas/0", data, size, WEIR_PUT_REPLACE, &err);
    (void)weir_store_put(st, "_schemas/_owner", data, size, WEIR_PUT_REPLACE, &err);
    (void)weir_schema_log_own(st, "me", "mine", &err);
    if (weir_schema_log_read(st, -1, mem, &v, &err) == WEIR_OK) {
        v.version = 1;
        WEIR_ASSERT(weir_schema_log_write(st, &v, &err) == WEIR_OK);
        WEIR_ASSERT(weir_schema_log_read(st, 1, mem, &again, &err) == WEIR_OK);
        WEIR_ASSERT(weir_type_equal(v.data, again.data) && weir_type_equal(v.partition, again.partition));
        WEIR_ASSERT(v.batch == again.batch && v.time_ms == again.time_ms);
    }
    weir_store_close(st);
out:
    weir_mem_free(mem);
    weir_mem_store_drop("fuzz-schema");
    return 0;
}
