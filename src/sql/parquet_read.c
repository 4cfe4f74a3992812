/* Parquet by DuckDB, for checkpoints. codec/parquet.h.
 *
 * 1. One database for the process while there are readers, and none when there are not: it takes 12 ms to
 *    open and some 20 MB to keep, which a batch of a small pipeline needs more. Each reader has a connection
 *    of its own.
 * 2. The result is streamed and its vectors are lent to the page, so memory is that of one chunk and of the
 *    pages of Parquet under it, whatever the file's size.
 * 3. Nothing but the one file is opened, no extension is loaded, no thread is started, nothing is spilled.
 * 4. Which places the file has is asked first: only those are named in the query, so a missing column is a
 *    null and not an error, and a name cannot mean anything else. Names are quoted, never spliced.
 * Threads: the database is under a mutex while it is opened; a reader has one owner. */
#include "sql/parquet_read.h"

#include <duckdb.h>
#include <pthread.h>

#include "base/limits.h"
#include "base/str.h"

struct parquet_reader {
    duckdb_connection con;
    duckdb_prepared_statement stmt;
    duckdb_result result;
    duckdb_data_chunk chunk;
    bool has_result, has_con;
    const struct weir_parquet_want *wants;
    uint32_t nwants;
    struct weir_page page;
    struct weir_mem *mem;
    struct weir_spool spool;
};

/* --- the database --------------------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    duckdb_database db; /* NULL: there is no reader */
    unsigned readers;
} parquet_db = {.lock = PTHREAD_MUTEX_INITIALIZER};

static weir_rc
db_open(duckdb_database *out, struct weir_error *err)
{
    static const char *const settings[][2] = {
        {"threads", "1"},
        {"external_threads", "1"},
        {"memory_limit", "512MB"},
        {"temp_directory", ""},
        {"autoinstall_known_extensions", "false"},
        {"autoload_known_extensions", "false"},
    };
    duckdb_config config;
    char *why = NULL;
    weir_rc rc = WEIR_OK;

    if (duckdb_create_config(&config) != DuckDBSuccess)
        return weir_fail(err, WEIR_NOMEM, "no memory to open DuckDB");
    for (size_t i = 0; i < sizeof(settings) / sizeof(*settings) && rc == WEIR_OK; i++) {
        if (duckdb_set_config(config, settings[i][0], settings[i][1]) != DuckDBSuccess)
            rc = weir_fail(err, WEIR_BUG, "DuckDB does not know the setting %s", settings[i][0]);
    }
    if (rc == WEIR_OK && duckdb_open_ext(NULL, out, config, &why) != DuckDBSuccess)
        rc = weir_fail(err, WEIR_NOMEM, "DuckDB cannot be opened: %.200s",
                       why != NULL ? why : "no reason given");
    duckdb_free(why);
    duckdb_destroy_config(&config);
    return rc;
}

static weir_rc
db_connect(struct parquet_reader *r, struct weir_error *err)
{
    weir_rc rc = WEIR_OK;

    pthread_mutex_lock(&parquet_db.lock);
    if (parquet_db.db == NULL)
        rc = db_open(&parquet_db.db, err);
    if (rc == WEIR_OK && duckdb_connect(parquet_db.db, &r->con) != DuckDBSuccess)
        rc = weir_fail(err, WEIR_NOMEM, "DuckDB gives no connection");
    r->has_con = rc == WEIR_OK;
    parquet_db.readers += r->has_con;
    if (parquet_db.readers == 0)
        duckdb_close(&parquet_db.db);
    pthread_mutex_unlock(&parquet_db.lock);
    return rc;
}

static void
db_disconnect(struct parquet_reader *r)
{
    pthread_mutex_lock(&parquet_db.lock);
    duckdb_disconnect(&r->con);
    if (--parquet_db.readers == 0)
        duckdb_close(&parquet_db.db);
    pthread_mutex_unlock(&parquet_db.lock);
}

/* --- errors --------------------------------------------------------------------------------------------- */

/* DuckDB's first line, without what it says about its own settings and files. */
static weir_rc
reader_fail(duckdb_error_type type, const char *text, struct weir_error *err)
{
    int len = text != NULL ? (int)strcspn(text, "\n") : 0;

    if (type == DUCKDB_ERROR_OUT_OF_MEMORY)
        return weir_fail(err, WEIR_NOMEM, "no memory to read it: %.*s", len < 200 ? len : 200, text);
    return weir_fail(err, WEIR_CORRUPT, "cannot be read as Parquet: %.*s", len < 240 ? len : 240,
                     text != NULL ? text : "no reason given");
}

static weir_rc
reader_prepare(struct parquet_reader *r, const char *sql, struct weir_error *err)
{
    if (duckdb_prepare(r->con, sql, &r->stmt) == DuckDBSuccess)
        return WEIR_OK;
    reader_fail(DUCKDB_ERROR_INVALID, r->stmt != NULL ? duckdb_prepare_error(r->stmt) : NULL, err);
    duckdb_destroy_prepare(&r->stmt);
    return err->rc;
}

/* --- the query ------------------------------------------------------------------------------------------ */

static void
sql_quote(struct weir_buf *sql, const char *text, char quote)
{
    weir_buf_byte(sql, quote);
    for (; *text != '\0'; text++) {
        if (*text == quote)
            weir_buf_byte(sql, quote);
        weir_buf_byte(sql, *text);
    }
    weir_buf_byte(sql, quote);
}

/* A path is a pattern to read_parquet(): what would be one is put in brackets. */
static void
sql_from(struct weir_buf *sql, const char *path)
{
    weir_buf_str(sql, " FROM read_parquet('");
    for (; *path != '\0'; path++) {
        if (strchr("*?[", *path) != NULL)
            weir_buf_printf(sql, "[%c]", *path);
        else if (*path == '\'')
            weir_buf_str(sql, "''");
        else
            weir_buf_byte(sql, *path);
    }
    weir_buf_str(sql, "', binary_as_string=true, hive_partitioning=false) t");
}

static void
sql_type(struct weir_buf *sql, const struct weir_type *type)
{
    switch (type->kind) {
    case WEIR_BOOLEAN:
        weir_buf_str(sql, "BOOLEAN");
        break;
    case WEIR_INT:
        weir_buf_str(sql, "INTEGER");
        break;
    case WEIR_LONG:
        weir_buf_str(sql, "BIGINT");
        break;
    case WEIR_STRING:
        weir_buf_str(sql, "VARCHAR");
        break;
    case WEIR_ARRAY:
        sql_type(sql, type->fields[0].type);
        weir_buf_str(sql, "[]");
        break;
    case WEIR_MAP:
        weir_buf_str(sql, "MAP(");
        sql_type(sql, weir_map_key(type)->type);
        weir_buf_str(sql, ", ");
        sql_type(sql, weir_map_value(type)->type);
        weir_buf_byte(sql, ')');
        break;
    default:
        WEIR_ASSERT(!"a type that no checkpoint has");
    }
}

static bool
name_is(const char *a, const char *b)
{
    return a != NULL && weir_slice_is_nocase(weir_slice(a, strlen(a)), b);
}

/* The child of a struct by name: its type is *out (to be destroyed). */
static bool
type_child(duckdb_logical_type type, const char *name, duckdb_logical_type *out)
{
    idx_t n = duckdb_get_type_id(type) == DUCKDB_TYPE_STRUCT ? duckdb_struct_type_child_count(type) : 0;
    bool found = false;

    for (idx_t i = 0; i < n && !found; i++) {
        char *child = duckdb_struct_type_child_name(type, i);

        found = name_is(child, name);
        duckdb_free(child);
        if (found)
            *out = duckdb_struct_type_child_type(type, i);
    }
    return found;
}

/* Whether the file, whose columns are those of `schema`, has the place. */
static bool
want_is_there(duckdb_prepared_statement schema, const struct weir_parquet_want *want)
{
    idx_t n = duckdb_prepared_statement_column_count(schema), at = 0;
    duckdb_logical_type type, child;
    bool found = false;

    for (; at < n && !found; at++) {
        const char *name = duckdb_prepared_statement_column_name(schema, at);

        found = name_is(name, want->path[0]);
        duckdb_free((void *)(uintptr_t)name);
    }
    if (!found)
        return false;
    type = duckdb_prepared_statement_column_logical_type(schema, at - 1);
    for (unsigned i = 1; i < WEIR_PARQUET_DEPTH && want->path[i] != NULL && found; i++) {
        found = type_child(type, want->path[i], &child);
        if (found) {
            duckdb_destroy_logical_type(&type);
            type = child;
        }
    }
    duckdb_destroy_logical_type(&type);
    return found;
}

static void
sql_place(struct weir_buf *sql, const struct weir_parquet_want *want)
{
    weir_buf_byte(sql, 't');
    for (unsigned i = 0; i < WEIR_PARQUET_DEPTH && want->path[i] != NULL; i++) {
        weir_buf_byte(sql, '.');
        sql_quote(sql, want->path[i], '"');
    }
}

static void
sql_want(struct weir_buf *sql, const struct weir_parquet_want *want, bool there,
         const struct weir_parquet_want *unless)
{
    if (there && want->json) {
        weir_buf_str(sql, "CASE WHEN ");
        sql_place(sql, want);
        weir_buf_str(sql, " IS NOT NULL");
        if (unless != NULL) {
            weir_buf_str(sql, " AND ");
            sql_place(sql, unless);
            weir_buf_str(sql, " IS NULL");
        }
        weir_buf_str(sql, " THEN CAST(to_json(");
        sql_place(sql, want);
        weir_buf_str(sql, ") AS VARCHAR) END");
        return;
    }
    weir_buf_str(sql, "CAST(");
    if (there)
        sql_place(sql, want);
    else
        weir_buf_str(sql, "NULL");
    weir_buf_str(sql, " AS ");
    sql_type(sql, want->type);
    weir_buf_byte(sql, ')');
}

/* SELECT * FROM (SELECT … AS c0, … FROM read_parquet(…)) WHERE c0 IS NOT NULL OR … */
static void
sql_query(const struct parquet_reader *r, bool some, struct weir_buf *sql)
{
    weir_buf_str(sql, "SELECT * FROM (SELECT ");
    for (uint32_t i = 0; i < r->nwants; i++) {
        const struct weir_parquet_want *w = &r->wants[i],
                                       *unless = w->unless > 0 ? &r->wants[w->unless - 1] : NULL;

        if (i > 0)
            weir_buf_str(sql, ", ");
        sql_want(sql, w, want_is_there(r->stmt, w),
                 unless != NULL && want_is_there(r->stmt, unless) ? unless : NULL);
        weir_buf_printf(sql, " AS c%u", i);
    }
    sql_from(sql, r->spool.path);
    weir_buf_str(sql, ") q");
    for (uint32_t i = 0; some && i < r->nwants; i++)
        weir_buf_printf(sql, " %s c%u IS NOT NULL", i == 0 ? "WHERE" : "OR", i);
}

static weir_rc
reader_query(struct parquet_reader *r, bool some, struct weir_error *err)
{
    struct weir_buf sql = WEIR_BUF(WEIR_SMALL_MAX);
    weir_rc rc;

    weir_buf_str(&sql, "SELECT *");
    sql_from(&sql, r->spool.path);
    WEIR_GO(weir_buf_check(&sql, err));
    WEIR_GO(reader_prepare(r, sql.data, err));
    weir_buf_reset(&sql);
    sql_query(r, some, &sql);
    WEIR_GO(weir_buf_check(&sql, err));
    duckdb_destroy_prepare(&r->stmt);
    WEIR_GO(reader_prepare(r, sql.data, err));
    r->has_result = true;
    if (duckdb_execute_prepared_streaming(r->stmt, &r->result) != DuckDBSuccess)
        rc = reader_fail(duckdb_result_error_type(&r->result), duckdb_result_error(&r->result), err);
out:
    weir_buf_fini(&sql);
    return rc;
}

/* --- pages ---------------------------------------------------------------------------------------------- */

static weir_rc
col_make(struct weir_col *col, const struct weir_type *type, struct weir_mem *mem, struct weir_error *err)
{
    weir_rc rc = WEIR_OK;

    *col = (struct weir_col){.type = type, .nkids = type->nfields};
    if (type->nfields == 0)
        return WEIR_OK;
    WEIR_NEW(col->kids, mem, type->nfields * sizeof(*col->kids));
    for (uint32_t i = 0; i < type->nfields; i++)
        WEIR_TRY(col_make(&col->kids[i], type->fields[i].type, mem, err));
out:
    return rc;
}

static weir_rc
reader_columns(struct parquet_reader *r, struct weir_error *err)
{
    weir_rc rc = WEIR_OK;

    WEIR_NEW(r->page.cols, r->mem, r->nwants * sizeof(*r->page.cols));
    r->page.ncols = r->nwants;
    for (uint32_t i = 0; i < r->nwants; i++)
        WEIR_TRY(col_make(&r->page.cols[i], r->wants[i].type, r->mem, err));
out:
    return rc;
}

/* The vector's memory becomes the column's; n: its rows. */
static void
col_lend(struct weir_col *col, duckdb_vector vector, uint32_t n)
{
    weir_kind kind = col->type->kind;

    col->data = kind == WEIR_STRUCT ? NULL : duckdb_vector_get_data(vector);
    col->valid = duckdb_vector_get_validity(vector);
    col->len = col->cap = n;
    if (kind == WEIR_ARRAY || kind == WEIR_MAP) {
        col_lend(&col->kids[0], duckdb_list_vector_get_child(vector),
                 (uint32_t)duckdb_list_vector_get_size(vector));
    } else if (kind == WEIR_STRUCT) {
        for (uint32_t i = 0; i < col->nkids; i++)
            col_lend(&col->kids[i], duckdb_struct_vector_get_child(vector, i), n);
    }
}

static weir_rc
parquet_next(struct weir_parquet_rows *rows, const struct weir_page **page, struct weir_error *err)
{
    struct parquet_reader *r = (struct parquet_reader *)(void *)rows;
    const char *why;

    do {
        if (r->chunk != NULL)
            duckdb_destroy_data_chunk(&r->chunk);
        r->chunk = duckdb_fetch_chunk(r->result);
        if (r->chunk == NULL) {
            why = duckdb_result_error(&r->result);
            if (why != NULL && *why != '\0')
                return weir_error_context((reader_fail(duckdb_result_error_type(&r->result), why, err), err),
                                          "%s", r->spool.path);
            return WEIR_END;
        }
        r->page.rows = (uint32_t)duckdb_data_chunk_get_size(r->chunk);
    } while (r->page.rows == 0);
    for (uint32_t i = 0; i < r->nwants; i++)
        col_lend(&r->page.cols[i], duckdb_data_chunk_get_vector(r->chunk, i), r->page.rows);
    r->page.cap = r->page.rows;
    *page = &r->page;
    return WEIR_OK;
}

/* --- a reader's life ------------------------------------------------------------------------------------ */

static void
parquet_close(struct weir_parquet_rows *rows)
{
    struct parquet_reader *r = (struct parquet_reader *)(void *)rows;

    if (r == NULL)
        return;
    if (r->chunk != NULL)
        duckdb_destroy_data_chunk(&r->chunk);
    if (r->has_result)
        duckdb_destroy_result(&r->result);
    duckdb_destroy_prepare(&r->stmt);
    if (r->has_con)
        db_disconnect(r);
    weir_spool_close(&r->spool);
    weir_mem_free(r->mem);
}

/* A missing or an empty file is told apart before DuckDB sees it. */
static weir_rc
reader_look(struct weir_store *st, const char *key, struct weir_error *err)
{
    struct weir_object obj;

    WEIR_TRY(weir_store_head(st, key, &obj, err));
    return obj.size > 0 ? WEIR_OK : weir_fail(err, WEIR_CORRUPT, "is empty");
}

static weir_rc
parquet_open(struct weir_store *st, const char *key, const struct weir_parquet_want *wants, uint32_t n,
             bool some, struct weir_quota *q, struct weir_parquet_rows **out, struct weir_error *err)
{
    struct weir_mem *mem = weir_mem_new(NULL, q, "parquet");
    struct parquet_reader *r = mem != NULL ? weir_mem_zalloc(mem, sizeof(*r)) : NULL;
    weir_rc rc;

    if (r == NULL) {
        weir_mem_free(mem);
        return weir_fail(err, WEIR_NOMEM, "no memory for a reader");
    }
    *r = (struct parquet_reader){.mem = mem, .wants = wants, .nwants = n, .spool = {.fd = -1}};
    WEIR_GO(reader_look(st, key, err));
    WEIR_GO(weir_spool_open(st, key, &r->spool, err));
    WEIR_GO(reader_columns(r, err));
    WEIR_GO(db_connect(r, err));
    WEIR_GO(reader_query(r, some, err));
    *out = (struct weir_parquet_rows *)(void *)r;
out:
    if (rc != WEIR_OK)
        parquet_close((struct weir_parquet_rows *)(void *)r);
    return rc;
}

const struct weir_parquet_io weir_parquet_duckdb = {
    .open = parquet_open,
    .next = parquet_next,
    .close = parquet_close,
};
