/* First line: a pattern; second: a name. And the name as a path with partition columns. */
#include <string.h>

#include "base/buf.h"
#include "schema/partition.h"
#include "source/glob.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
fuzz_glob(const char *pattern, const char *name, struct weir_mem *mem)
{
    struct weir_error err = {0};
    struct weir_glob glob;
    size_t n = strlen(name);

    for (int crosses = 0; crosses < 2; crosses++) {
        if (weir_glob_compile(pattern, crosses, !crosses, mem, &glob, &err) != WEIR_OK)
            return;
        /* A name that matches as a whole lies at depth 0, and its folders are entered. */
        if (weir_glob_match(&glob, name, n) && n > 0 && crosses && name[0] != '/')
            WEIR_ASSERT(weir_glob_depth(&glob, name, n) == 0);
        if (weir_glob_depth(&glob, name, n) >= 0)
            WEIR_ASSERT(weir_glob_enters(&glob, name, n));
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "fuzz");
    struct weir_partition_options opt = {.infer_types = true};
    struct weir_buf value = WEIR_BUF(1 << 20);
    struct weir_error err = {0};
    const struct weir_type *type;
    const char *keys[2];
    char *pattern, *name;

    if (mem == NULL || size > 4096)
        goto out;
    pattern = weir_mem_strndup(mem, (const char *)data, size);
    name = strchr(pattern, '\n');
    if (name == NULL)
        goto out;
    *name++ = '\0';
    fuzz_glob(pattern, name, mem);
    keys[0] = pattern;
    keys[1] = name;
    if (weir_partition_infer(keys, 2, &opt, mem, &type, NULL, &err) == WEIR_OK)
        for (uint32_t i = 0; i < type->nfields; i++)
            (void)weir_partition_value(name, type->fields[i].name, &value);
out:
    weir_buf_fini(&value);
    weir_mem_free(mem);
    return 0;
}
