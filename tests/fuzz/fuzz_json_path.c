/* A path and a text of get_json_object, json_array_length and json_object_keys: the first byte says how many
 * of the bytes behind it are the path. What comes out of a path without wildcards is JSON again, or a text
 * from within. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "column/page.h"
#include "sql/function.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static weir_rc
run(const char *name, uint32_t nargs, struct weir_page *in, struct weir_mem *mem, struct weir_error *err)
{
    static const struct weir_sql_settings set = {.zone = &weir_zone_utc, .ansi = true};
    struct weir_node kids[2] = {{.kind = WEIR_NODE_NAME, .type = &weir_type_string},
                                {.kind = WEIR_NODE_NAME, .type = &weir_type_string}};
    struct weir_node *at[2] = {&kids[0], &kids[1]};
    struct weir_node node = {.kind = WEIR_NODE_CALL, .text = name, .nkids = nargs, .kids = at};
    struct weir_resolve r = {.set = &set, .node = &node, .mem = mem};
    struct weir_field field = {.name = "r", .name_len = 1, .nullable = true};
    struct weir_page *out = NULL;
    struct weir_call call;
    weir_rc rc;

    WEIR_GO(weir_function_find(name)->resolve(&r, err));
    field.type = r.type;
    WEIR_GO(weir_page_new(weir_type_struct(mem, &field, 1), NULL, &out, err));
    call = (struct weir_call){.set = &set, .nargs = nargs, .type = r.type, .mem = mem};
    WEIR_GO(r.plan.kernel(&call, in->cols, 1, &out->cols[0], err));
    if (r.type->kind == WEIR_STRING && !weir_col_is_null(&out->cols[0], 0)) {
        const struct weir_str *s = out->cols[0].data;

        if (!weir_utf8_valid(weir_str_ptr(s), s->len))
            abort();
    }
out:
    weir_page_free(out);
    return rc;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_field fields[2] = {{.name = "a", .name_len = 1, .nullable = true, .type = &weir_type_string},
                                   {.name = "b", .name_len = 1, .nullable = true, .type = &weir_type_string}};
    const char *path = (const char *)data + 1;
    struct weir_error err = {0};
    struct weir_page *in = NULL;
    struct weir_mem *mem;
    size_t n;

    if (size == 0 || size > 8192)
        return 0;
    n = data[0] < size - 1 ? data[0] : size - 1;
    if (!weir_utf8_valid(path, n) || !weir_utf8_valid(path + n, size - 1 - n))
        return 0;
    mem = weir_mem_new(NULL, NULL, "fuzz");
    if (mem == NULL || weir_page_new(weir_type_struct(mem, fields, 2), NULL, &in, &err) != WEIR_OK)
        abort();
    weir_str_copy(mem, path + n, (uint32_t)(size - 1 - n), in->cols[0].data);
    weir_str_copy(mem, path, (uint32_t)n, in->cols[1].data);
    if (run("get_json_object", 2, in, mem, &err) == WEIR_BUG ||
        run("json_array_length", 1, in, mem, &err) != WEIR_OK ||
        run("json_object_keys", 1, in, mem, &err) != WEIR_OK)
        abort();
    weir_page_free(in);
    weir_mem_free(mem);
    return 0;
}
