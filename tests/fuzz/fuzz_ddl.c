/* Spark's DDL and hints: no input crashes; what is read prints to a text that reads back as the same type. */
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
    struct weir_buf buf = WEIR_BUF(64 * WEIR_MIB);
    const struct weir_type *again;
    struct weir_error err;

    weir_type_print_ddl(type, &buf);
    WEIR_ASSERT(weir_buf_check(&buf, &err) == WEIR_OK);
    if (type->nfields > 0) /* an empty list of columns is no text that Spark takes */
        WEIR_ASSERT(weir_schema_parse_ddl(buf.data, buf.len, mem, &again, &err) == WEIR_OK &&
                    weir_type_same(type, again));
    weir_buf_reset(&buf);
    weir_type_print_json(type, &buf);
    WEIR_ASSERT(weir_buf_check(&buf, &err) == WEIR_OK);
    WEIR_ASSERT(weir_type_parse_json(buf.data, buf.len, mem, &again, &err) == WEIR_OK);
    WEIR_ASSERT(weir_type_equal(type, again));
    weir_buf_fini(&buf);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "fuzz");
    const struct weir_type *type;
    struct weir_hint *hints;
    struct weir_error err;
    uint32_t n;

    if (mem == NULL)
        return 0;
    if (weir_schema_parse_ddl((const char *)data, size, mem, &type, &err) == WEIR_OK)
        check_round_trip(type, mem);
    weir_type_parse_ddl((const char *)data, size, mem, &type, &err);
    weir_hints_parse((const char *)data, size, mem, &hints, &n, &err);
    weir_mem_free(mem);
    return 0;
}
