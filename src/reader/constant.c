/* Columns that are the same for all rows of an object: partition values from its path, and `_metadata`
 * (Spark's file metadata columns, then weir's own source, batch_id and ingest_time). */
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "reader/reader_int.h"
#include "schema/partition.h"

enum { META_PATH, META_NAME, META_SIZE, META_BLOCK_START, META_BLOCK_LENGTH, META_MTIME, META_SOURCE, META_BATCH, META_INGEST };

#define META(name_, type_) {.name = name_, .name_len = sizeof(name_) - 1, .type = &weir_type_##type_}
static const struct weir_field metadata_fields[] = {
    [META_PATH] = META("file_path", string),
    [META_NAME] = META("file_name", string),
    [META_SIZE] = META("file_size", long),
    [META_BLOCK_START] = META("file_block_start", long),
    [META_BLOCK_LENGTH] = META("file_block_length", long),
    [META_MTIME] = META("file_modification_time", timestamp),
    [META_SOURCE] = META("source", string),
    [META_BATCH] = META("batch_id", long),
    [META_INGEST] = META("ingest_time", timestamp),
};
const struct weir_type weir_metadata_type = {
    .kind = WEIR_STRUCT, .nfields = sizeof(metadata_fields) / sizeof(metadata_fields[0]), .fields = metadata_fields};

static weir_rc
constant_text(struct weir_page *page, struct weir_col *col, const char *text, size_t len, struct weir_error *err)
{
    if (!weir_str_copy(page->mem, text, (uint32_t)len, col->data))
        return weir_mem_fail(page->mem, len, err);
    return WEIR_OK;
}

static weir_rc
metadata_fill(struct weir_scan *scan, const struct weir_task *task, struct weir_page *page, struct weir_col *col,
              struct weir_error *err)
{
    struct weir_buf uri = WEIR_BUF(WEIR_SMALL_MAX);
    const int64_t number[] = {[META_SIZE] = task->size,
                              [META_BLOCK_START] = 0,
                              [META_BLOCK_LENGTH] = task->size,
                              [META_MTIME] = task->mtime_ms * 1000,
                              [META_BATCH] = scan->env.batch,
                              [META_INGEST] = scan->env.batch_time_ms * 1000};
    const char *name, *source = scan->r->env.source_name;
    weir_rc rc;

    col->form = WEIR_CONST;
    for (uint32_t i = 0; i < col->nkids; i++) {
        col->kids[i].form = WEIR_CONST;
        if (col->kids[i].type->kind != WEIR_STRING)
            ((int64_t *)col->kids[i].data)[0] = number[i];
    }
    task_uri(task, &uri);
    WEIR_GO(weir_buf_check(&uri, err));
    name = strrchr(uri.data, '/') == NULL ? uri.data : strrchr(uri.data, '/') + 1;
    WEIR_GO(constant_text(page, &col->kids[META_PATH], uri.data, uri.len, err));
    WEIR_GO(constant_text(page, &col->kids[META_NAME], name, strlen(name), err));
    WEIR_GO(constant_text(page, &col->kids[META_SOURCE], source, strlen(source), err));
out:
    weir_buf_fini(&uri);
    return rc;
}

weir_rc
constants_fill(struct weir_scan *scan, const struct weir_task *task, struct weir_page *page, struct weir_error *err)
{
    const struct weir_reader *r = scan->r;

    for (uint32_t i = 0; i < page->ncols; i++) {
        struct weir_col *col = &page->cols[i];

        if ((int32_t)i == r->metadata) {
            WEIR_TRY(metadata_fill(scan, task, page, col, err));
        } else if (r->part_of[i] >= 0) {
            struct weir_buf text = WEIR_BUF(WEIR_SMALL_MAX);
            bool there = weir_partition_value(task->key, r->partition->fields[r->part_of[i]].name, &text);
            weir_rc rc = weir_buf_check(&text, err);

            col->form = WEIR_CONST;
            if (rc == WEIR_OK && !(there && weir_slot_parse(col, 0, text.data == NULL ? "" : text.data, text.len,
                                                            r->env.zone, page->mem)))
                weir_col_set_null(col, 0);
            weir_buf_fini(&text);
            WEIR_TRY(rc);
        }
    }
    return WEIR_OK;
}
