/* Any bytes as a pipeline file: refused with a place, or a struct whose print reads back as the same pipeline. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "pipeline/spec.h"
#include "pipeline/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/weir-fuzz-spec-XXXXXX";

static void
clean(void)
{
    char path[64];

    snprintf(path, sizeof path, "%s/p.yaml", folder);
    unlink(path);
    rmdir(folder);
}

static void
put(const char *path, const void *p, size_t n)
{
    FILE *f = fopen(path, "w");

    if (f == NULL || (n > 0 && fwrite(p, 1, n, f) != n) || fclose(f) != 0)
        abort();
}

/* What is printed must be read again, and mean the same. Secrets are masked in the print, so files with variables are
 * left out; so is a name that only the file's own name gave. */
static void
round_trip(const char *path, const struct weir_spec *spec, struct weir_quota *q)
{
    struct weir_mem *mem = weir_mem_new(NULL, q, "again");
    struct weir_buf buf = WEIR_BUF(16 * WEIR_MIB);
    struct weir_error err = {0};
    struct weir_spec *again;

    if (mem == NULL || weir_spec_print(spec, &buf, &err) != WEIR_OK)
        abort();
    put(path, buf.data, buf.len);
    if (weir_spec_load(path, mem, &again, &err) != WEIR_OK) {
        fprintf(stderr, "%s: %s\n%s\n", err.where, err.what, buf.data);
        abort();
    }
    WEIR_ASSERT(again->fingerprint == spec->fingerprint);
    WEIR_ASSERT(strcmp(again->name, spec->name) == 0);
    weir_buf_fini(&buf);
    weir_mem_free(mem);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    struct weir_quota q;
    struct weir_mem *mem;
    struct weir_error err = {0};
    struct weir_spec *spec;

    if (path[0] == '\0') {
        weir_log_setup(WEIR_LOG_ERROR, false);
        if (mkdtemp(folder) == NULL)
            abort();
        atexit(clean);
        snprintf(path, sizeof path, "%s/p.yaml", folder);
    }
    put(path, data, size);
    weir_quota_init(&q, NULL, "fuzz", 64 * WEIR_MIB);
    mem = weir_mem_new(NULL, &q, "fuzz");
    if (mem == NULL)
        abort();
    if (weir_spec_load(path, mem, &spec, &err) != WEIR_OK)
        WEIR_ASSERT(err.what[0] != '\0' && err.rc != WEIR_BUG);
    else if (memmem(data, size, "${", 2) == NULL)
        round_trip(path, spec, &q);
    weir_mem_free(mem);
    WEIR_ASSERT(q.used == 0);
    return 0;
}
