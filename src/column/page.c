/* Pages: memory by column, grown only for the children of lists. See page.h for what a page promises.
 *
 * Every column's data and mask are heap memory under the page's quota, taken when the page is made and kept over
 * resets; so a steady run does not allocate. Children of lists start at the page's cap and double. */
#include "column/page.h"

#include <string.h>

#ifndef WEIR_POISON
#define WEIR_POISON 0
#endif

enum { ROWS_MIN = 64, POISON = 0xdb };

static size_t
row_width(const struct weir_type *type)
{
    size_t w = weir_type_width(type);

    /* Children of lists have an unknown number of rows; one a row is the guess. */
    for (uint32_t i = 0; i < type->nfields; i++)
        w += row_width(type->fields[i].type);
    return w;
}

uint32_t
weir_page_cap(const struct weir_type *schema)
{
    size_t w = row_width(schema);
    size_t rows = w == 0 ? WEIR_PAGE_ROWS : (size_t)(WEIR_MIB / w);

    return rows < ROWS_MIN ? ROWS_MIN : rows > WEIR_PAGE_ROWS ? WEIR_PAGE_ROWS : (uint32_t)rows;
}

static size_t
mask_bytes(uint32_t cap)
{
    return ((size_t)cap + 63) / 64 * 8;
}

/* Data and mask of a column are one piece of memory, so that growing it fails as a whole or not at all. */
static size_t
data_bytes(const struct weir_type *type, uint32_t cap)
{
    return (cap * weir_type_width(type) + 63) & ~(size_t)63;
}

/* Slots are zeroed so that those under nulls are readable. */
static weir_rc
col_resize(struct weir_col *col, uint32_t cap, struct weir_error *err)
{
    struct weir_quota *q = col->backing;
    size_t data = data_bytes(col->type, cap), old = data_bytes(col->type, col->cap);
    char *p = weir_heap_alloc(q, data + mask_bytes(cap));

    if (p == NULL)
        return weir_heap_fail(q, data + mask_bytes(cap), "a column of a page", err);
    memset(p + old, 0, data - old);
    memset(p + data, 0xff, mask_bytes(cap));
    if (col->cap > 0) {
        memcpy(p, col->data, old);
        memcpy(p + data, col->mask, mask_bytes(col->cap));
        weir_heap_free(q, col->data, old + mask_bytes(col->cap));
    }
    col->data = p;
    col->mask = (uint64_t *)(void *)(p + data);
    if (col->valid != NULL)
        col->valid = col->mask;
    col->cap = cap;
    return WEIR_OK;
}

static weir_rc
col_grow(struct weir_col *col, uint32_t need, struct weir_error *err)
{
    uint64_t cap = col->cap;

    while (cap < need)
        cap *= 2;
    if (cap > UINT32_MAX / 32)
        return weir_fail(err, WEIR_NOMEM, "a list of %u elements in one page is over what weir holds", need);
    /* Children first: col->cap is what says that there is room, so it must be the last to move. */
    if (col->type->kind == WEIR_STRUCT || col->type->kind == WEIR_VARIANT)
        for (uint32_t i = 0; i < col->nkids; i++)
            WEIR_TRY(weir_col_room(&col->kids[i], (uint32_t)cap, err));
    return col_resize(col, (uint32_t)cap, err);
}

static void
col_fini(struct weir_col *col, struct weir_quota *q)
{
    weir_heap_free(q, col->data, data_bytes(col->type, col->cap) + mask_bytes(col->cap));
    for (uint32_t i = 0; i < col->nkids; i++)
        col_fini(&col->kids[i], q);
    weir_heap_free(q, col->kids, col->nkids * sizeof(*col->kids));
}

static weir_rc
col_init(struct weir_col *col, const struct weir_type *type, struct weir_quota *q, uint32_t cap, struct weir_error *err)
{
    *col = (struct weir_col){.type = type, .grow = col_grow, .backing = q};
    WEIR_TRY(col_resize(col, cap, err));
    if (type->nfields == 0)
        return WEIR_OK;
    col->kids = weir_heap_alloc(q, type->nfields * sizeof(*col->kids));
    if (col->kids == NULL)
        return weir_heap_fail(q, type->nfields * sizeof(*col->kids), "the columns of a page", err);
    memset(col->kids, 0, type->nfields * sizeof(*col->kids));
    col->nkids = type->nfields;
    for (uint32_t i = 0; i < type->nfields; i++)
        col->kids[i].type = type->fields[i].type; /* so that col_fini is right after a failure below */
    for (uint32_t i = 0; i < type->nfields; i++)
        WEIR_TRY(col_init(&col->kids[i], type->fields[i].type, q, cap, err));
    return WEIR_OK;
}

weir_rc
weir_page_new(const struct weir_type *schema, struct weir_quota *q, struct weir_page **out, struct weir_error *err)
{
    struct weir_page *page = weir_heap_alloc(q, sizeof(*page));
    weir_rc rc = WEIR_OK;

    *out = NULL;
    if (page == NULL)
        return weir_heap_fail(q, sizeof(*page), "a page", err);
    memset(page, 0, sizeof(*page));
    page->schema = schema;
    page->quota = q;
    page->cap = weir_page_cap(schema);
    page->mem = weir_mem_new(NULL, q, "page");
    page->pos = weir_heap_alloc(q, page->cap * sizeof(*page->pos));
    page->cols = weir_heap_alloc(q, schema->nfields * sizeof(*page->cols) + 1);
    if (page->mem == NULL || page->pos == NULL || page->cols == NULL)
        WEIR_GO(weir_heap_fail(q, page->cap * sizeof(*page->pos) + schema->nfields * sizeof(*page->cols), "a page", err));
    memset(page->cols, 0, schema->nfields * sizeof(*page->cols));
    page->ncols = schema->nfields;
    for (uint32_t i = 0; i < page->ncols; i++)
        page->cols[i].type = schema->fields[i].type;
    for (uint32_t i = 0; i < page->ncols; i++)
        WEIR_GO(col_init(&page->cols[i], schema->fields[i].type, q, page->cap, err));
out:
    if (rc != WEIR_OK)
        weir_page_free(page);
    else
        *out = page;
    return rc;
}

static void
page_release(struct weir_page *page)
{
    for (uint32_t i = 0; i < page->nhold; i++)
        weir_block_put(page->hold[i]);
    page->nhold = 0;
}

void
weir_page_free(struct weir_page *page)
{
    if (page == NULL)
        return;
    page_release(page);
    for (uint32_t i = 0; i < page->ncols; i++)
        col_fini(&page->cols[i], page->quota);
    weir_heap_free(page->quota, page->cols, page->schema->nfields * sizeof(*page->cols) + 1);
    weir_heap_free(page->quota, page->pos, page->cap * sizeof(*page->pos));
    weir_mem_free(page->mem);
    weir_heap_free(page->quota, page, sizeof(*page));
}

static void
col_reset(struct weir_col *col)
{
    if (WEIR_POISON)
        memset(col->data, POISON, col->cap * weir_type_width(col->type));
    col->valid = NULL;
    col->len = 0;
    col->form = WEIR_FLAT;
    for (uint32_t i = 0; i < col->nkids; i++)
        col_reset(&col->kids[i]);
}

void
weir_page_reset(struct weir_page *page)
{
    page_release(page);
    weir_mem_reset(page->mem);
    for (uint32_t i = 0; i < page->ncols; i++)
        col_reset(&page->cols[i]);
    page->rows = 0;
    page->object = 0;
    page->count = (struct weir_count){0};
}

weir_rc
weir_page_hold(struct weir_page *page, struct weir_block *block, struct weir_error *err)
{
    if (block == NULL)
        return WEIR_OK;
    for (uint32_t i = 0; i < page->nhold; i++)
        if (page->hold[i] == block)
            return WEIR_OK;
    if (page->nhold == sizeof(page->hold) / sizeof(page->hold[0]))
        return weir_fail(err, WEIR_BUG, "a page holds %u blocks already", page->nhold);
    weir_block_ref(block);
    page->hold[page->nhold++] = block;
    return WEIR_OK;
}

bool
weir_str_copy(struct weir_mem *mem, const char *p, uint32_t len, struct weir_str *out)
{
    char *copy;

    if (len <= WEIR_STR_INLINE) {
        *out = weir_str_of(p, len);
        return true;
    }
    copy = weir_mem_alloc(mem, (size_t)len + WEIR_STR_PAD);
    if (copy == NULL)
        return false;
    memcpy(copy, p, len);
    memset(copy + len, 0, WEIR_STR_PAD);
    *out = weir_str_of(copy, len);
    return true;
}

weir_i128
weir_decimal_get(const struct weir_col *col, uint32_t row)
{
    switch (weir_type_width(col->type)) {
    case 2:
        return ((const int16_t *)col->data)[row];
    case 4:
        return ((const int32_t *)col->data)[row];
    case 8:
        return ((const int64_t *)col->data)[row];
    default: { /* a lent vector of DuckDB's may be aligned to 8 bytes only */
        weir_i128 v;

        memcpy(&v, (const char *)col->data + row * sizeof(v), sizeof(v));
        return v;
    }
    }
}

void
weir_decimal_set(struct weir_col *col, uint32_t row, weir_i128 v)
{
    switch (weir_type_width(col->type)) {
    case 2:
        ((int16_t *)col->data)[row] = (int16_t)v;
        break;
    case 4:
        ((int32_t *)col->data)[row] = (int32_t)v;
        break;
    case 8:
        ((int64_t *)col->data)[row] = (int64_t)v;
        break;
    default:
        memcpy((char *)col->data + row * sizeof(v), &v, sizeof(v));
    }
}
