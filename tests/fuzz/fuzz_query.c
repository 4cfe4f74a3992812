/* Foreign text as `query`: parsed, and bound when it parses. */
#include "pipeline/project.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct weir_field fields[] = {
        {.name = "id", .name_len = 2, .type = &weir_type_long},
        {.name = "name", .name_len = 4, .nullable = true, .type = &weir_type_string},
    };
    static const struct weir_type schema = {.kind = WEIR_STRUCT, .nfields = 2, .fields = fields};
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "fuzz");
    struct weir_error err = {0};
    struct weir_projection *p;
    const struct weir_type *out;
    char *text = weir_mem_strndup(mem, (const char *)data, size);

    if (weir_projection_parse(text, mem, &p, &err) == WEIR_OK)
        (void)weir_projection_bind(p, &schema, mem, &out, &err);
    weir_mem_free(mem);
    return 0;
}
