/* DuckDB is opened, locked and closed here, and its errors are put into weir's words.
 *
 * 1. One database in memory, one connection. It is opened by the first query, and anew when a query reads
 *    other folders or brings other functions: both are fixed once the settings are locked.
 * 2. The settings are those under which answers are Spark's (zone UTC, its order of nulls) and under which
 *    nothing happens by itself (no extension, no file, no thread).
 * Failures: what a user can change is said with its setting; what weir should have known is a BUG with
 * DuckDB's words. */
#include "sql/engine_int.h"

#include <ctype.h>
#include <string.h>

#include "base/limits.h"

enum { TEXT_MAX = 320 }; /* of DuckDB's words in an error */

#define GRANTED_MAX (4 * WEIR_MIB)
#define SIGNATURE_MAX (16 * WEIR_MIB)

const char *
weir_engine_version(void)
{
    return duckdb_library_version();
}

/* --- errors
 * ------------------------------------------------------------------------------------------------------ */

/* "Conversion Error: Could not convert …\n\nLINE 1: SELECT …" without its first words and all behind the
 * first line: the text shown there is weir's own. */
static int
text_trim(const char **text)
{
    static const char kind[] = " Error: ";
    const char *end = *text + strcspn(*text, "\n"), *colon = strstr(*text, kind);

    if (colon != NULL && colon < end && isupper((unsigned char)**text))
        *text = colon + strlen(kind);
    return end - *text < TEXT_MAX ? (int)(end - *text) : TEXT_MAX;
}

static weir_rc
fail_memory(const struct weir_engine *e, int len, const char *text, struct weir_error *err)
{
    weir_fail(err, WEIR_NOMEM, "the query needs more memory than its share of %llu MB (%.*s)",
              (unsigned long long)(e->env.memory_bytes / WEIR_MIB), len < 160 ? len : 160, text);
    if (e->env.temp_directory == NULL)
        return weir_error_hint(err,
                               "raise weir.memoryLimit, or name a folder for spilling: weir.tempDirectory");
    return weir_error_hint(
        err, "raise weir.memoryLimit, or let a batch be smaller (maxFilesPerTrigger, maxBytesPerTrigger)");
}

weir_rc
engine_fail(const struct weir_engine *e, duckdb_error_type type, const char *text, struct weir_error *err)
{
    int len;

    if (text == NULL)
        text = "no reason given";
    len = text_trim(&text);
    switch (type) {
    case DUCKDB_ERROR_OUT_OF_MEMORY:
        return fail_memory(e, len, text, err);
    case DUCKDB_ERROR_INTERRUPT:
        return weir_fail(err, WEIR_STOPPED, "asked to stop");
    case DUCKDB_ERROR_OUT_OF_RANGE:
    case DUCKDB_ERROR_CONVERSION:
    case DUCKDB_ERROR_DECIMAL:
    case DUCKDB_ERROR_DIVIDE_BY_ZERO:
    case DUCKDB_ERROR_INVALID_INPUT:
    case DUCKDB_ERROR_EXECUTOR:
        return weir_fail(err, WEIR_BADDATA, "the query fails on a row: %.*s", len, text);
    case DUCKDB_ERROR_IO:
        return weir_fail(err, WEIR_IO, "the query: %.*s", len, text);
    case DUCKDB_ERROR_NOT_IMPLEMENTED:
        return weir_fail(err, WEIR_UNSUPPORTED, "the query cannot be run by DuckDB: %.*s", len, text);
    default:
        weir_fail(err, WEIR_BUG, "DuckDB refuses what weir made of the query: %.*s", len, text);
        return weir_error_hint(err, "please report it with the query");
    }
}

weir_rc
engine_exec(struct weir_engine *e, const char *sql, struct weir_error *err)
{
    duckdb_result result;
    weir_rc rc = WEIR_OK;

    if (duckdb_query(e->con, sql, &result) != DuckDBSuccess)
        rc = engine_fail(e, duckdb_result_error_type(&result), duckdb_result_error(&result), err);
    duckdb_destroy_result(&result);
    return rc;
}

/* --- opening
 * ----------------------------------------------------------------------------------------------------- */

static weir_rc
config_fill(const struct weir_engine *e, duckdb_config config, struct weir_error *err)
{
    char memory[32], lanes[16];
    const char *const settings[][2] = {
        {"threads", lanes},
        {"external_threads", lanes},
        {"memory_limit", memory},
        {"temp_directory", e->env.temp_directory == NULL ? "" : e->env.temp_directory},
        {"autoinstall_known_extensions", "false"},
        {"autoload_known_extensions", "false"},
        {"allow_community_extensions", "false"},
        {"allow_persistent_secrets", "false"},
        {"preserve_insertion_order", "false"},
        {"default_null_order", "nulls_first_on_asc_last_on_desc"},
    };

    snprintf(memory, sizeof(memory), "%lluKiB", (unsigned long long)(e->env.memory_bytes / WEIR_KIB));
    snprintf(lanes, sizeof(lanes), "%u", e->env.lanes);
    for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
        if (duckdb_set_config(config, settings[i][0], settings[i][1]) != DuckDBSuccess)
            return weir_fail(err, WEIR_BUG, "DuckDB does not take %s for %s", settings[i][1], settings[i][0]);
    return WEIR_OK;
}

static weir_rc
db_open(struct weir_engine *e, struct weir_error *err)
{
    duckdb_config config = NULL;
    char *why = NULL;
    weir_rc rc;

    if (duckdb_create_config(&config) != DuckDBSuccess)
        WEIR_GO(weir_fail(err, WEIR_NOMEM, "no memory to open DuckDB"));
    WEIR_GO(config_fill(e, config, err));
    if (duckdb_open_ext(NULL, &e->db, config, &why) != DuckDBSuccess) {
        e->db = NULL;
        WEIR_GO(weir_fail(err, WEIR_NOMEM, "DuckDB cannot be opened: %.200s",
                          why == NULL ? "no reason given" : why));
    }
    if (duckdb_connect(e->db, &e->con) != DuckDBSuccess) {
        e->con = NULL;
        WEIR_GO(weir_fail(err, WEIR_NOMEM, "DuckDB gives no connection"));
    }
out:
    duckdb_free(why);
    duckdb_destroy_config(&config);
    return rc;
}

static void
quote(struct weir_buf *buf, const char *text, size_t len)
{
    weir_buf_byte(buf, '\'');
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\'')
            weir_buf_byte(buf, '\'');
        weir_buf_byte(buf, text[i]);
    }
    weir_buf_byte(buf, '\'');
}

/* The order matters: folders can be named only while files may still be opened, and nothing can be set behind
 * the lock. */
static weir_rc
db_lock(struct weir_engine *e, struct weir_error *err)
{
    struct weir_buf sql = WEIR_BUF(GRANTED_MAX * 2);
    const char *at = e->granted;
    weir_rc rc;

    weir_buf_str(&sql, "SET TimeZone = 'UTC'; SET allowed_directories = [");
    while (*at != '\0') {
        size_t len = strcspn(at, "\n");

        if (at != e->granted)
            weir_buf_str(&sql, ", ");
        quote(&sql, at, len);
        at += len + 1;
    }
    weir_buf_str(&sql, "]; SET enable_external_access = false; SET lock_configuration = true");
    WEIR_GO(weir_buf_check(&sql, err));
    WEIR_GO(engine_exec(e, sql.data, err));
out:
    weir_buf_fini(&sql);
    return rc;
}

void
engine_close_db(struct weir_engine *e)
{
    duckdb_disconnect(&e->con);
    duckdb_close(&e->db);
    weir_mem_free(e->session);
    e->session = NULL;
    e->granted = e->signature = NULL;
    e->calls = NULL;
    e->ncalls = 0;
}

/* --- what a query needs of it
 * ------------------------------------------------------------------------------------ */

/* The folders of all inputs, each ended by a newline; one that has a newline cannot be granted. */
static weir_rc
granted_of(const struct weir_engine_query *q, struct weir_buf *out, struct weir_error *err)
{
    weir_buf_str(out, "");
    for (uint32_t i = 0; i < q->ninputs; i++) {
        const char *const *f = q->inputs[i].folders;

        for (; f != NULL && *f != NULL; f++) {
            if (**f != '/' || strchr(*f, '\n') != NULL)
                return weir_fail(err, WEIR_UNSUPPORTED, "the folder %s cannot be read by a query", *f);
            weir_buf_str(out, *f);
            weir_buf_byte(out, '\n');
        }
    }
    weir_buf_byte(out, '\0');
    return weir_buf_check(out, err);
}

static weir_rc
engine_reopen(struct weir_engine *e, const struct weir_engine_query *q, const char *granted,
              const char *signature, struct weir_error *err)
{
    weir_rc rc;

    engine_close_db(e);
    e->session = weir_mem_new(e->mem, weir_mem_quota(e->mem), "sql");
    e->granted = e->session == NULL ? NULL : weir_mem_strdup(e->session, granted);
    e->signature = e->granted == NULL ? NULL : weir_mem_strdup(e->session, signature);
    if (e->signature == NULL)
        WEIR_GO(weir_fail(err, WEIR_NOMEM, "no memory to open DuckDB"));
    WEIR_GO(db_open(e, err));
    WEIR_GO(relation_register(e, err));
    WEIR_GO(sink_register(e, err));
    WEIR_GO(call_register(e, q, err));
    WEIR_GO(db_lock(e, err));
out:
    if (rc != WEIR_OK)
        engine_close_db(e);
    return rc;
}

weir_rc
engine_ready(struct weir_engine *e, const struct weir_engine_query *q, struct weir_error *err)
{
    struct weir_buf granted = WEIR_BUF(GRANTED_MAX), signature = WEIR_BUF(SIGNATURE_MAX);
    weir_rc rc;

    call_signature(q, &signature);
    WEIR_GO(weir_buf_check(&signature, err));
    WEIR_GO(granted_of(q, &granted, err));
    if (e->db == NULL || strcmp(e->granted, granted.data) != 0 || strcmp(e->signature, signature.data) != 0)
        WEIR_GO(engine_reopen(e, q, granted.data, signature.data, err));
    call_point(e, q);
out:
    weir_buf_fini(&granted);
    weir_buf_fini(&signature);
    return rc;
}

weir_rc
weir_engine_open(const struct weir_engine_env *env, struct weir_engine **out, struct weir_error *err)
{
    struct weir_mem *mem = weir_mem_new(NULL, env->quota, "sql");
    struct weir_engine *e = mem == NULL ? NULL : weir_mem_zalloc(mem, sizeof(*e));

    WEIR_ASSERT(env->lanes >= 1 && env->lanes <= ENGINE_LANES_MAX);
    *out = NULL;
    if (e != NULL) {
        e->mem = mem;
        e->env = *env;
        if (env->temp_directory != NULL)
            e->env.temp_directory = weir_mem_strdup(mem, env->temp_directory);
    }
    if (e == NULL || (env->temp_directory != NULL && e->env.temp_directory == NULL)) {
        weir_mem_free(mem);
        return weir_fail(err, WEIR_NOMEM, "no memory for SQL; raise weir.memoryLimit");
    }
    *out = e;
    return WEIR_OK;
}

void
weir_engine_close(struct weir_engine *e)
{
    if (e == NULL)
        return;
    engine_close_db(e);
    weir_mem_free(e->mem);
}
