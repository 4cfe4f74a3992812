/* Spark's schema JSON: no input crashes; what is read prints to a text that reads back as the same type and prints
 * the same again. */
#include <string.h>

#include "base/json.h"
#include "base/limits.h"
#include "column/type.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    weir_json_init(NULL);
    return 0;
}

static void
check_round_trip(const struct weir_type *type, struct weir_mem *mem)
{
    struct weir_buf first = WEIR_BUF(64 * WEIR_MIB), second = WEIR_BUF(64 * WEIR_MIB);
    const struct weir_type *again;
    struct weir_error err;

    weir_type_print_json(type, &first);
    WEIR_ASSERT(weir_buf_check(&first, &err) == WEIR_OK);
    WEIR_ASSERT(weir_type_parse_json(first.data, first.len, mem, &again, &err) == WEIR_OK);
    WEIR_ASSERT(weir_type_equal(type, again));
    weir_type_print_json(again, &second);
    WEIR_ASSERT(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
    weir_buf_reset(&first);
    weir_type_print_ddl(type, &first);
    weir_type_print_simple(type, &first);
    WEIR_ASSERT(weir_buf_check(&first, &err) == WEIR_OK);
    weir_buf_fini(&first);
    weir_buf_fini(&second);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "fuzz");
    const struct weir_type *type;
    struct weir_error err;

    if (mem == NULL)
        return 0;
    if (weir_type_parse_json((const char *)data, size, mem, &type, &err) == WEIR_OK)
        check_round_trip(type, mem);
    weir_mem_free(mem);
    return 0;
}
