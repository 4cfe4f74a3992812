/* Columns that are the same for all rows of an object: partition values from its path, and `_metadata`
 * (Spark's file metadata columns, then weir's own source, batch_id and ingest_time). */
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
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

void
task_uri(const struct weir_task *task, struct weir_buf *buf)
{
    static const char local[] = "file:///";
    struct weir_buf uri = WEIR_BUF(WEIR_SMALL_MAX);
    size_t skip;

    if (task->store == NULL) {
        weir_buf_str(buf, task->name);
        return;
    }
    weir_store_uri(task->store, task->key, &uri);
    skip = uri.len > strlen(local) && memcmp(uri.data, local, strlen(local)) == 0 ? strlen(local) : 0;
    if (skip > 0)
        weir_buf_str(buf, "file:/");
    weir_buf_add(buf, uri.data + skip, uri.len - skip);
    buf->failed |= uri.failed;
    weir_buf_fini(&uri);
}

/* A file's name need not be UTF-8; a STRING is. */
static weir_rc
constant_text(struct weir_page *page, struct weir_col *col, const char *text, size_t len, struct weir_error *err)
{
    struct weir_buf clean = WEIR_BUF(4 * WEIR_SMALL_MAX);
    weir_rc rc;

    weir_buf_add(&clean, "", 0); /* never NULL */
    weir_buf_utf8(&clean, text, len);
    WEIR_GO(weir_buf_check(&clean, err));
    if (!weir_str_copy(page->mem, clean.data, (uint32_t)clean.len, col->data))
        WEIR_GO(weir_mem_fail(page->mem, len, err));
out:
    weir_buf_fini(&clean);
    return rc;
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

/* --- partition columns --- */

bool
task_names(const struct weir_task *task, const char *column)
{
    return task->key != NULL && weir_partition_has(task->key, column);
}

/* {"NAME":"TEXT","_file_path":"URI"} in front of what the row has there already. */
static weir_rc
rescue_row(struct weir_page *page, struct weir_col *col, uint32_t row, const struct weir_buf *member,
           const struct weir_buf *path, struct weir_error *err)
{
    struct weir_str *slot = (struct weir_str *)col->data + row;
    struct weir_buf text = WEIR_BUF(WEIR_RECORD_MAX * 2);
    weir_rc rc;

    weir_buf_byte(&text, '{');
    weir_buf_add(&text, member->data, member->len);
    weir_buf_byte(&text, ',');
    if (weir_col_is_null(col, row)) {
        weir_buf_add(&text, path->data, path->len);
        weir_buf_byte(&text, '}');
        page->count.rescued++;
    } else {
        weir_buf_add(&text, weir_str_ptr(slot) + 1, slot->len - 1);
    }
    WEIR_GO(weir_buf_check(&text, err));
    if (!weir_str_copy(page->mem, text.data, (uint32_t)text.len, slot))
        WEIR_GO(weir_mem_fail(page->mem, text.len, err));
    weir_col_set_valid(col, row);
out:
    weir_buf_fini(&text);
    return rc;
}

/* The path says something that its column cannot hold: it stays in the rescued column, or is counted. */
static weir_rc
partition_misfit(struct weir_scan *scan, const struct weir_task *task, struct weir_page *page, const char *name,
                 const struct weir_buf *value, struct weir_error *err)
{
    struct weir_buf member = WEIR_BUF(WEIR_SMALL_MAX), path = WEIR_BUF(WEIR_SMALL_MAX), uri = WEIR_BUF(WEIR_SMALL_MAX);
    int32_t rescued = scan->r->rescued;
    weir_rc rc = WEIR_OK;

    if (rescued < 0) {
        page->count.lost += page->rows;
        return WEIR_OK;
    }
    weir_buf_json(&member, name, strlen(name));
    weir_buf_byte(&member, ':');
    weir_buf_json(&member, value->data, value->len);
    task_uri(task, &uri);
    weir_buf_str(&path, "\"_file_path\":");
    weir_buf_json(&path, uri.data, uri.len);
    WEIR_GO(weir_buf_check(&member, err));
    WEIR_GO(weir_buf_check(&path, err));
    for (uint32_t row = 0; row < page->rows; row++)
        WEIR_GO(rescue_row(page, &page->cols[rescued], row, &member, &path, err));
out:
    weir_buf_fini(&member);
    weir_buf_fini(&path);
    weir_buf_fini(&uri);
    return rc;
}

static weir_rc
partition_fill(struct weir_scan *scan, const struct weir_task *task, struct weir_page *page, struct weir_col *col,
               const char *name, struct weir_error *err)
{
    struct weir_buf text = WEIR_BUF(WEIR_SMALL_MAX);
    weir_rc rc = WEIR_OK;

    if (!task_names(task, name)) /* it came from the records */
        return WEIR_OK;
    col->form = WEIR_CONST;
    if (!weir_partition_value(task->key, name, &text)) {
        weir_col_set_null(col, 0);
        goto out;
    }
    weir_buf_add(&text, "", 0); /* never NULL */
    WEIR_GO(weir_buf_check(&text, err));
    if (!weir_slot_parse(col, 0, text.data, text.len, scan->r->env.zone, page->mem)) {
        weir_col_set_null(col, 0);
        WEIR_GO(partition_misfit(scan, task, page, name, &text, err));
    }
out:
    weir_buf_fini(&text);
    return rc;
}

weir_rc
constants_fill(struct weir_scan *scan, const struct weir_task *task, struct weir_page *page, struct weir_error *err)
{
    const struct weir_reader *r = scan->r;

    for (uint32_t i = 0; i < page->ncols; i++) {
        struct weir_col *col = &page->cols[i];

        if ((int32_t)i == r->metadata)
            WEIR_TRY(metadata_fill(scan, task, page, col, err));
        else if (r->part_of[i] >= 0)
            WEIR_TRY(partition_fill(scan, task, page, col, r->partition->fields[r->part_of[i]].name, err));
    }
    return WEIR_OK;
}
