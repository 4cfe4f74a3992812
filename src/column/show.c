/* Columns as text. A table's first rows are kept until their widths are known (KEEP); later rows use the same
 * widths. */
#include "column/show.h"

#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"

enum { KEEP = 1000, CUT_DOTS = 3 };

#define CELL_MAX (16 * WEIR_MIB)

/* --- one value
 * --------------------------------------------------------------------------------------------------- */

static int64_t
slot_micros(const struct weir_col *col, uint32_t row, const struct weir_zone *zone)
{
    int64_t us = ((const int64_t *)col->data)[col->form == WEIR_CONST ? 0 : row];

    return col->type->kind == WEIR_TIMESTAMP ? weir_zone_to_local(zone, us) : us;
}

static void
show_bytes(const struct weir_str *s, struct weir_buf *buf)
{
    const unsigned char *p = (const unsigned char *)weir_str_ptr(s);

    weir_buf_byte(buf, '[');
    for (uint32_t i = 0; i < s->len; i++)
        weir_buf_printf(buf, "%s%02X", i == 0 ? "" : " ", p[i]);
    weir_buf_byte(buf, ']');
}

static void
show_inner(const struct weir_col *col, uint32_t row, const struct weir_zone *zone, struct weir_buf *buf)
{
    if (weir_col_is_null(col, row))
        weir_buf_str(buf, "null");
    else
        weir_show_text(col, row, zone, buf);
}

static void
show_list(const struct weir_col *col, uint32_t row, const struct weir_zone *zone, struct weir_buf *buf)
{
    const struct weir_list *list = (const struct weir_list *)col->data + (col->form == WEIR_CONST ? 0 : row);
    const struct weir_col *kid = &col->kids[0];
    bool map = col->type->kind == WEIR_MAP;

    weir_buf_byte(buf, map ? '{' : '[');
    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t at = (uint32_t)list->at + i;

        weir_buf_str(buf, i == 0 ? "" : ", ");
        if (!map) {
            show_inner(kid, at, zone, buf);
            continue;
        }
        show_inner(&kid->kids[0], at, zone, buf);
        weir_buf_str(buf, " -> ");
        show_inner(&kid->kids[1], at, zone, buf);
    }
    weir_buf_byte(buf, map ? '}' : ']');
}

void
weir_show_text(const struct weir_col *col, uint32_t row, const struct weir_zone *zone, struct weir_buf *buf)
{
    char text[64];

    if (weir_col_is_null(col, row) || col->type->kind == WEIR_VOID) {
        weir_buf_str(buf, "NULL");
        return;
    }
    switch (col->type->kind) {
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
        weir_buf_add(buf, text, weir_timestamp_print(slot_micros(col, row, zone), -1, ' ', "", text));
        return;
    case WEIR_BINARY:
        show_bytes((const struct weir_str *)col->data + (col->form == WEIR_CONST ? 0 : row), buf);
        return;
    case WEIR_ARRAY:
    case WEIR_MAP:
        show_list(col, row, zone, buf);
        return;
    case WEIR_STRUCT:
    case WEIR_VARIANT:
        weir_buf_byte(buf, '{');
        for (uint32_t i = 0; i < col->nkids; i++) {
            weir_buf_str(buf, i == 0 ? "" : ", ");
            show_inner(&col->kids[i], row, zone, buf);
        }
        weir_buf_byte(buf, '}');
        return;
    default:
        weir_slot_print(col, row, buf);
    }
}

/* --- one value as JSON
 * ------------------------------------------------------------------------------------------- */

static void
json_base64(const struct weir_str *s, struct weir_buf *buf)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *p = (const unsigned char *)weir_str_ptr(s);

    weir_buf_byte(buf, '"');
    for (uint32_t i = 0; i < s->len; i += 3) {
        uint32_t left = s->len - i, v = (uint32_t)p[i] << 16;

        v |= left > 1 ? (uint32_t)p[i + 1] << 8 : 0;
        v |= left > 2 ? p[i + 2] : 0;
        weir_buf_byte(buf, digits[v >> 18]);
        weir_buf_byte(buf, digits[v >> 12 & 63]);
        weir_buf_byte(buf, left > 1 ? digits[v >> 6 & 63] : '=');
        weir_buf_byte(buf, left > 2 ? digits[v & 63] : '=');
    }
    weir_buf_byte(buf, '"');
}

/* "2020-01-01T10:00:00.000+01:00": to_json()'s default, yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]. */
static void
json_timestamp(const struct weir_col *col, uint32_t row, const struct weir_zone *zone, struct weir_buf *buf)
{
    int64_t local = slot_micros(col, row, zone),
            us = ((const int64_t *)col->data)[col->form == WEIR_CONST ? 0 : row];
    int64_t minutes = (local - us) / 60000000, plus = minutes < 0 ? -minutes : minutes;
    char suffix[16] = "", text[64];

    if (col->type->kind == WEIR_TIMESTAMP && minutes == 0)
        snprintf(suffix, sizeof(suffix), "Z");
    else if (col->type->kind == WEIR_TIMESTAMP)
        snprintf(suffix, sizeof(suffix), "%c%02d:%02d", minutes < 0 ? '-' : '+', (int)(plus / 60),
                 (int)(plus % 60));
    weir_buf_byte(buf, '"');
    weir_buf_add(buf, text, weir_timestamp_print(local, 3, 'T', suffix, text));
    weir_buf_byte(buf, '"');
}

static void
json_key(const struct weir_col *col, uint32_t row, const struct weir_zone *zone, struct weir_buf *buf)
{
    struct weir_buf key = WEIR_BUF(CELL_MAX);

    weir_show_text(col, row, zone, &key);
    weir_buf_json(buf, key.len == 0 ? "" : key.data, key.len);
    buf->failed = buf->failed || key.failed;
    weir_buf_fini(&key);
}

static void
json_struct(const struct weir_col *cols, uint32_t n, const struct weir_type *type, uint32_t row,
            const struct weir_zone *zone, struct weir_buf *buf)
{
    bool first = true;

    weir_buf_byte(buf, '{');
    for (uint32_t i = 0; i < n; i++) {
        if (weir_col_is_null(&cols[i], row) || cols[i].type->kind == WEIR_VOID)
            continue;
        weir_buf_str(buf, first ? "" : ",");
        first = false;
        weir_buf_json(buf, type->fields[i].name, type->fields[i].name_len);
        weir_buf_byte(buf, ':');
        weir_show_json(&cols[i], row, zone, buf);
    }
    weir_buf_byte(buf, '}');
}

static void
json_list(const struct weir_col *col, uint32_t row, const struct weir_zone *zone, struct weir_buf *buf)
{
    const struct weir_list *list = (const struct weir_list *)col->data + (col->form == WEIR_CONST ? 0 : row);
    const struct weir_col *kid = &col->kids[0];
    bool map = col->type->kind == WEIR_MAP;

    weir_buf_byte(buf, map ? '{' : '[');
    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t at = (uint32_t)list->at + i;

        weir_buf_str(buf, i == 0 ? "" : ",");
        if (map) {
            json_key(&kid->kids[0], at, zone, buf);
            weir_buf_byte(buf, ':');
        }
        weir_show_json(map ? &kid->kids[1] : kid, at, zone, buf);
    }
    weir_buf_byte(buf, map ? '}' : ']');
}

static bool
is_number_of_json(const struct weir_col *col, uint32_t row)
{
    uint32_t at = col->form == WEIR_CONST ? 0 : row;

    switch (col->type->kind) {
    case WEIR_DOUBLE:
        return isfinite(((const double *)col->data)[at]);
    case WEIR_FLOAT:
        return isfinite(((const float *)col->data)[at]);
    case WEIR_DATE:
        return false;
    default:
        return true;
    }
}

void
weir_show_json(const struct weir_col *col, uint32_t row, const struct weir_zone *zone, struct weir_buf *buf)
{
    const struct weir_str *s;

    if (weir_col_is_null(col, row) || col->type->kind == WEIR_VOID) {
        weir_buf_str(buf, "null");
        return;
    }
    switch (col->type->kind) {
    case WEIR_STRING:
        s = (const struct weir_str *)col->data + (col->form == WEIR_CONST ? 0 : row);
        weir_buf_json(buf, weir_str_ptr(s), s->len);
        return;
    case WEIR_BINARY:
        json_base64((const struct weir_str *)col->data + (col->form == WEIR_CONST ? 0 : row), buf);
        return;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
        json_timestamp(col, row, zone, buf);
        return;
    case WEIR_ARRAY:
    case WEIR_MAP:
        json_list(col, row, zone, buf);
        return;
    case WEIR_STRUCT:
    case WEIR_VARIANT:
        json_struct(col->kids, col->nkids, col->type, row, zone, buf);
        return;
    default:
        break;
    }
    if (is_number_of_json(col, row))
        weir_slot_print(col, row, buf);
    else
        json_key(col, row, zone, buf);
}

/* --- tables
 * ------------------------------------------------------------------------------------------------------ */

/* Characters, not bytes; wide ones count as one. */
static size_t
text_width(const char *text)
{
    size_t n = 0;

    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* What would move the cursor is shown as '?'; what is too long ends in dots, as in show(). */
static const char *
cell_text(struct weir_show *show, const char *text, size_t len)
{
    char *copy = weir_mem_strndup(show->begun ? show->scratch : show->mem, text, len);
    size_t seen = 0;

    for (char *p = copy; p != NULL && *p != '\0'; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
        if (((unsigned char)*p & 0xc0) == 0x80 || show->width == 0)
            continue;
        if (seen++ == show->width - CUT_DOTS && text_width(p) > CUT_DOTS) {
            memcpy(p, "...", CUT_DOTS + 1);
            break;
        }
    }
    return copy;
}

static void
table_rule(const struct weir_show *show, struct weir_buf *buf)
{
    for (uint32_t c = 0; c < show->schema->nfields; c++) {
        weir_buf_byte(buf, '+');
        for (size_t i = 0; i < show->widths[c]; i++)
            weir_buf_byte(buf, '-');
    }
    weir_buf_str(buf, "+\n");
}

static void
table_row(const struct weir_show *show, const char *const *cells, struct weir_buf *buf)
{
    for (uint32_t c = 0; c < show->schema->nfields; c++) {
        size_t width = text_width(cells[c]);

        weir_buf_byte(buf, '|');
        for (; width < show->widths[c]; width++)
            weir_buf_byte(buf, ' ');
        weir_buf_str(buf, cells[c]);
    }
    weir_buf_str(buf, "|\n");
}

static weir_rc
table_titles(struct weir_show *show, const char **titles, struct weir_error *err)
{
    for (uint32_t c = 0; c < show->schema->nfields; c++) {
        titles[c] = cell_text(show, show->schema->fields[c].name, show->schema->fields[c].name_len);
        if (titles[c] == NULL)
            return weir_mem_fail(show->mem, 0, err);
        show->widths[c] = text_width(titles[c]) > 3 ? text_width(titles[c]) : 3;
    }
    return WEIR_OK;
}

/* Titles and the rows kept, now that widths are known. */
static weir_rc
table_begin(struct weir_show *show, struct weir_buf *buf, struct weir_error *err)
{
    uint32_t n = show->schema->nfields;
    const char **titles;
    weir_rc rc;

    WEIR_NEW(titles, show->mem, (n + 1) * sizeof(*titles));
    WEIR_GO(table_titles(show, titles, err));
    for (size_t i = 0; i < show->ncells; i++) {
        size_t width = text_width(show->cells[i]);

        if (width > show->widths[i % n])
            show->widths[i % n] = width;
    }
    table_rule(show, buf);
    table_row(show, titles, buf);
    table_rule(show, buf);
    for (size_t i = 0; i + n <= show->ncells && n > 0; i += n)
        table_row(show, show->cells + i, buf);
    show->begun = true;
    show->ncells = 0;
out:
    return rc;
}

static weir_rc
table_line(struct weir_show *show, const struct weir_page *page, uint32_t row, struct weir_buf *buf,
           struct weir_error *err)
{
    const char **cells = show->cells + show->ncells;
    struct weir_buf cell = WEIR_BUF(CELL_MAX);
    weir_rc rc = WEIR_OK;

    for (uint32_t c = 0; c < page->ncols; c++) {
        weir_buf_reset(&cell);
        weir_show_text(&page->cols[c], row, show->zone, &cell);
        WEIR_GO(weir_buf_check(&cell, err));
        cells[c] = cell_text(show, cell.len == 0 ? "" : cell.data, cell.len);
        if (cells[c] == NULL)
            WEIR_GO(weir_mem_fail(show->mem, cell.len, err));
    }
    if (show->begun)
        table_row(show, cells, buf);
    else
        show->ncells += page->ncols;
    if (!show->begun && show->ncells == (size_t)KEEP * page->ncols)
        rc = table_begin(show, buf, err);
out:
    weir_buf_fini(&cell);
    return rc;
}

/* --- CSV
 * ---------------------------------------------------------------------------------------------------------
 * */

static void
csv_cell(const char *text, size_t len, struct weir_buf *buf)
{
    bool quoted = len == 0 || memchr(text, ',', len) != NULL || memchr(text, '"', len) != NULL ||
                  memchr(text, '\n', len) != NULL || memchr(text, '\r', len) != NULL;

    if (!quoted) {
        weir_buf_add(buf, text, len);
        return;
    }
    weir_buf_byte(buf, '"');
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"')
            weir_buf_byte(buf, '"');
        weir_buf_byte(buf, text[i]);
    }
    weir_buf_byte(buf, '"');
}

static void
csv_titles(const struct weir_show *show, struct weir_buf *buf)
{
    for (uint32_t c = 0; c < show->schema->nfields; c++) {
        weir_buf_str(buf, c == 0 ? "" : ",");
        csv_cell(show->schema->fields[c].name, show->schema->fields[c].name_len, buf);
    }
    weir_buf_byte(buf, '\n');
}

/* Null is nothing, an empty text is "". */
static weir_rc
csv_line(const struct weir_show *show, const struct weir_page *page, uint32_t row, struct weir_buf *buf,
         struct weir_error *err)
{
    struct weir_buf cell = WEIR_BUF(CELL_MAX);
    weir_rc rc = WEIR_OK;

    for (uint32_t c = 0; c < page->ncols; c++) {
        weir_buf_str(buf, c == 0 ? "" : ",");
        if (weir_col_is_null(&page->cols[c], row))
            continue;
        weir_buf_reset(&cell);
        if (page->cols[c].type->nfields > 0) /* readable again, unlike {a, b} */
            weir_show_json(&page->cols[c], row, show->zone, &cell);
        else
            weir_show_text(&page->cols[c], row, show->zone, &cell);
        WEIR_GO(weir_buf_check(&cell, err));
        csv_cell(cell.len == 0 ? "" : cell.data, cell.len, buf);
    }
    weir_buf_byte(buf, '\n');
out:
    weir_buf_fini(&cell);
    return rc;
}

/* --- writing
 * ----------------------------------------------------------------------------------------------------- */

static weir_rc
show_begin(struct weir_show *show, struct weir_buf *buf, struct weir_error *err)
{
    uint32_t n = show->schema->nfields + 1;
    weir_rc rc = WEIR_OK;

    if (show->mem != NULL)
        return WEIR_OK;
    show->mem = weir_mem_new(NULL, show->quota, "shown rows");
    show->scratch = show->mem == NULL ? NULL : weir_mem_new(show->mem, show->quota, "a shown page");
    if (show->scratch == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for rows to show");
    WEIR_NEW(show->widths, show->mem, n * sizeof(*show->widths));
    WEIR_NEW(show->cells, show->mem, (size_t)n * (KEEP + 1) * sizeof(*show->cells));
    if (show->format == WEIR_SHOW_CSV)
        csv_titles(show, buf);
out:
    return rc;
}

static weir_rc
show_line(struct weir_show *show, const struct weir_page *page, uint32_t row, struct weir_buf *buf,
          struct weir_error *err)
{
    if (show->format == WEIR_SHOW_TABLE)
        return table_line(show, page, row, buf, err);
    if (show->format == WEIR_SHOW_CSV)
        return csv_line(show, page, row, buf, err);
    json_struct(page->cols, page->ncols, page->schema, row, show->zone, buf);
    weir_buf_byte(buf, '\n');
    return WEIR_OK;
}

static weir_rc
show_flush(struct weir_show *show, struct weir_buf *buf, struct weir_error *err)
{
    WEIR_TRY(weir_buf_check(buf, err));
    if (buf->len > 0)
        WEIR_TRY(show->out(show->self, buf->data, buf->len, err));
    weir_buf_reset(buf);
    return WEIR_OK;
}

weir_rc
weir_show_write(struct weir_show *show, const struct weir_page *page, struct weir_error *err)
{
    struct weir_buf buf;
    weir_rc rc;

    weir_buf_init(&buf, 4 * CELL_MAX, show->quota);
    WEIR_GO(show_begin(show, &buf, err));
    weir_mem_reset(show->scratch);
    for (uint32_t row = 0; row < page->rows; row++) {
        if (show->rows++ >= show->most)
            continue;
        WEIR_GO(show_line(show, page, row, &buf, err));
        if (buf.len > WEIR_MIB)
            WEIR_GO(show_flush(show, &buf, err));
    }
    rc = show_flush(show, &buf, err);
out:
    weir_buf_fini(&buf);
    return rc;
}

weir_rc
weir_show_finish(struct weir_show *show, struct weir_error *err)
{
    struct weir_buf buf;
    weir_rc rc;

    weir_buf_init(&buf, 4 * CELL_MAX, show->quota);
    WEIR_GO(show_begin(show, &buf, err));
    if (show->format == WEIR_SHOW_TABLE) {
        if (!show->begun)
            WEIR_GO(table_begin(show, &buf, err));
        table_rule(show, &buf);
        if (show->rows > show->most)
            weir_buf_printf(&buf, "only showing top %llu rows\n", (unsigned long long)show->most);
    }
    rc = show_flush(show, &buf, err);
out:
    weir_buf_fini(&buf);
    return rc;
}

void
weir_show_fini(struct weir_show *show)
{
    weir_mem_free(show->mem);
    show->mem = NULL;
}
