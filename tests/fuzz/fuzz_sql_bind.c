/* Spark SQL is bound: no query crashes, none eats more memory than its quota, an error has words, and what is
 * printed names no column but those of the plan's own. The first byte chooses ANSI. */
#include <string.h>

#include "base/limits.h"
#include "sql/bind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const ddl =
    "i INT, l BIGINT, d DOUBLE, n DECIMAL(10,2), s STRING, x BINARY, b BOOLEAN, dt DATE, "
    "ts TIMESTAMP, a ARRAY<INT>, aa ARRAY<STRUCT<p: INT>>, m MAP<STRING, INT>, "
    "st STRUCT<u: INT, v: STRUCT<w: STRING>>";

static weir_rc
find_table(void *self, const char *const *parts, uint32_t n, int64_t version, const char *timestamp,
           struct weir_sql_relation *out, struct weir_error *err)
{
    (void)version;
    (void)timestamp;
    if (n > 1 && strlen(parts[0]) > 8)
        return weir_fail(err, WEIR_NOTFOUND, "there is no table %s", parts[0]);
    *out =
        (struct weir_sql_relation){.name = parts[0][0] == 's' ? "r0" : "r1", .is_stream = parts[0][0] == 's'};
    return weir_schema_parse_ddl(ddl, strlen(ddl), self, &out->schema, err);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_sql_settings set = {
        .zone = &weir_zone_utc, .zone_name = "UTC", .ansi = size > 0 && data[0] % 2 == 0};
    struct weir_sql_env env = {.set = &set, .relation = find_table, .positions = true};
    const char *text = (const char *)data;
    struct weir_sql_plan *plan = NULL;
    struct weir_node *tree = NULL;
    struct weir_error err = {0};
    struct weir_quota quota;
    struct weir_mem *mem;
    weir_rc rc;

    weir_quota_init(&quota, NULL, "fuzz", 256 * WEIR_MIB);
    mem = weir_mem_new(NULL, &quota, "fuzz");
    if (mem == NULL)
        return 0;
    env.self = mem;
    rc = weir_sql_parse(text, size, mem, &tree, &err);
    if (rc == WEIR_OK) {
        rc = weir_sql_bind(tree, text, &env, mem, &plan, &err);
        WEIR_ASSERT(rc != WEIR_BUG && (rc == WEIR_OK) == (plan != NULL));
        WEIR_ASSERT(rc == WEIR_OK ? plan->text[0] == 'S' && plan->schema->kind == WEIR_STRUCT
                                  : err.what[0] != '\0');
    }
    weir_mem_free(mem);
    return 0;
}
