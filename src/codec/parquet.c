/* Who reads Parquet. codec/parquet.h. */
#include "codec/parquet.h"

static const struct weir_parquet_io *parquet_io;

void
weir_parquet_io_set(const struct weir_parquet_io *io)
{
    parquet_io = io;
}

weir_rc
weir_parquet_open(struct weir_store *st, const char *key, const struct weir_parquet_want *wants, uint32_t n,
                  bool some, struct weir_quota *q, struct weir_parquet_rows **out, struct weir_error *err)
{
    *out = NULL;
    if (parquet_io == NULL)
        return weir_fail(err, WEIR_UNSUPPORTED, "%s/%s: this program was built without a reader of Parquet",
                         st->path, key);
    if (parquet_io->open(st, key, wants, n, some, q, out, err) != WEIR_OK)
        return weir_error_context(err, "%s/%s", st->path, key);
    return WEIR_OK;
}

weir_rc
weir_parquet_next(struct weir_parquet_rows *rows, const struct weir_page **page, struct weir_error *err)
{
    return parquet_io->next(rows, page, err);
}

void
weir_parquet_close(struct weir_parquet_rows *rows)
{
    if (rows != NULL)
        parquet_io->close(rows);
}
