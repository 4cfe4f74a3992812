/* A lane of the Delta sink: pages to data files, one open file a partition.
 *
 * 1. A row goes to the file of its partition values; the values themselves are in the log, not in the file.
 * 2. Open files are bounded: by their memory (the lane's share of the writers' budget), looked at after each append to
 *    one, and by PARTS_MAX. Over either the largest is finished, durably; a later row of its partition opens a new one.
 *    So many partitions cost more files, never more memory.
 * 3. A finished file is an add line; lines reach the sink when the lane finishes.
 * 4. An empty string as partition value is null: the Delta protocol has no other way to write it.
 * Threads: a lane has one owner; the sink's lists are under its mutex. */
#include "base/limits.h"
#include "base/log.h"
#include "base/map.h"
#include "base/point.h"
#include "base/str.h"
#include "base/time.h"
#include "base/uuid.h"
#include "delta/path.h"
#include "delta/stats.h"
#include "sink/delta_int.h"

enum { PARTS_MAX = 256, KEY_MAX = 64 * 1024 };

struct part { /* a partition with a place among the open ones; w NULL: no file at the moment */
    uint64_t hash;
    struct weir_buf key;    /* the raw values */
    struct weir_buf values; /* the JSON of partitionValues */
    struct weir_buf path;   /* of the file, below the table */
    struct weir_parquet *w;
    struct weir_output *out;
    uint64_t rows, bytes;
};

struct delta_lane {
    struct delta_sink *sink;
    struct part *parts[PARTS_MAX];
    uint32_t nparts, last; /* last: where the row before went */
    uint64_t budget;
    struct weir_buf key, adds, stats, path;
    uint64_t rows, files, bytes;
    uint16_t where[WEIR_PAGE_ROWS], sel[WEIR_PAGE_ROWS];
    uint32_t count[PARTS_MAX];
};

/* --- files ------------------------------------------------------------------------------------------------------ */

static weir_rc
part_write(void *self, const void *p, size_t n, struct weir_error *err)
{
    struct part *part = self;
    bool first = part->bytes == 0;

    WEIR_TRY(weir_output_write(part->out, p, n, err));
    part->bytes += n;
    return first ? WEIR_OK : weir_point(WEIR_POINT_FILE_HALF, err);
}

static void
part_drop_file(struct part *part)
{
    weir_parquet_free(part->w);
    weir_output_abort(part->out);
    part->w = NULL;
    part->out = NULL;
    part->rows = part->bytes = 0;
}

static void
part_free(struct delta_lane *lane, struct part *part)
{
    part_drop_file(part);
    weir_buf_fini(&part->key);
    weir_buf_fini(&part->values);
    weir_buf_fini(&part->path);
    weir_heap_free(lane->sink->env.quota, part, sizeof(*part));
}

/* "FOLDER/part-00003-UUID.c000.snappy.parquet", as Spark names files of partitioned and other tables. */
static weir_rc
part_file_name(struct delta_lane *lane, struct part *part, size_t folder, struct weir_error *err)
{
    static const char *const codecs[] = {
        [WEIR_UNCOMPRESSED] = "", [WEIR_SNAPPY] = ".snappy", [WEIR_ZSTD] = ".zstd"};
    struct delta_sink *s = lane->sink;
    char uuid[WEIR_UUID_SIZE];

    weir_uuid(uuid);
    part->path.len = folder;
    weir_buf_printf(&part->path, "part-%05u-%s%cc000%s.parquet", atomic_fetch_add(&s->nfiles, 1), uuid,
                    s->binding.meta.npartitions > 0 ? '.' : '-', codecs[s->codec]);
    weir_buf_byte(&part->path, '\0');
    WEIR_TRY(weir_buf_check(&part->path, err));
    pthread_mutex_lock(&s->lock);
    weir_buf_add(&s->keys, part->path.data, part->path.len);
    pthread_mutex_unlock(&s->lock);
    part->path.len--;
    return WEIR_OK;
}

static size_t
part_folder_len(const struct part *part)
{
    const char *slash = part->path.len > 0 ? memrchr(part->path.data, '/', part->path.len) : NULL;

    return slash != NULL ? (size_t)(slash - part->path.data) + 1 : 0;
}

static weir_rc
part_open_file(struct delta_lane *lane, struct part *part, struct weir_error *err)
{
    struct delta_sink *s = lane->sink;
    struct weir_parquet_options opt = {
        .codec = s->codec, .row_group_bytes = s->env.row_group_bytes, .created_by = "weir version " WEIR_VERSION};
    struct weir_parquet_out out = {part, part_write};
    weir_rc rc;

    WEIR_TRY(part_file_name(lane, part, part_folder_len(part), err));
    WEIR_TRY(weir_output_create(s->store, part->path.data, &part->out, err));
    part->rows = part->bytes = 0;
    rc = weir_parquet_new(s->binding.file, &opt, out, s->env.quota, &part->w, err);
    if (rc != WEIR_OK)
        part_drop_file(part);
    return rc;
}

/* Finishes the part's file: durable, with an add line. */
static weir_rc
part_close_file(struct delta_lane *lane, struct part *part, struct weir_error *err)
{
    struct delta_sink *s = lane->sink;
    const struct weir_filestats *stats;
    struct weir_output *out;
    weir_rc rc;

    if (part->w == NULL)
        return WEIR_OK;
    WEIR_GO(weir_parquet_finish(part->w, &stats, err));
    WEIR_ASSERT(stats->bytes == part->bytes && stats->rows == part->rows);
    weir_buf_reset(&lane->stats);
    WEIR_GO(weir_stats_print(&s->binding.meta, stats, s->tight, &lane->stats, err));
    out = part->out;
    part->out = NULL;
    WEIR_GO(weir_output_finish(out, err));
    weir_buf_reset(&lane->path);
    weir_uri_encode(part->path.data, part->path.len, &lane->path);
    WEIR_GO(weir_buf_check(&lane->path, err));
    weir_txn_add(&lane->adds, lane->path.data, lane->path.len, part->values.data, part->values.len, part->bytes,
                 weir_now_ms(), lane->stats.data, lane->stats.len);
    WEIR_GO(weir_buf_check(&lane->adds, err));
    lane->rows += part->rows;
    lane->bytes += part->bytes;
    lane->files++;
out:
    part_drop_file(part);
    return rc;
}

/* --- partitions -------------------------------------------------------------------------------------------------- */

static const struct weir_col *
lane_part_col(const struct delta_lane *lane, const struct weir_page *page, uint32_t i)
{
    uint16_t at = lane->sink->binding.part[i];

    return at == WEIR_BIND_ABSENT ? NULL : &page->cols[at];
}

static bool
slot_is_text(const struct weir_col *col)
{
    return col->type->kind == WEIR_STRING || col->type->kind == WEIR_BINARY;
}

static bool
slot_is_null(struct delta_lane *lane, const struct weir_col *col, uint32_t row)
{
    if (col == NULL || weir_col_is_null(col, row))
        return true;
    if (!slot_is_text(col) || ((const struct weir_str *)col->data)[row].len > 0)
        return false;
    if (!atomic_exchange(&lane->sink->warned_empty, true))
        weir_warn("%s: an empty string as partition value is null in a Delta table", lane->sink->store->path);
    return true;
}

/* The raw values of a row's partition columns into lane->key. */
static weir_rc
lane_key(struct delta_lane *lane, const struct weir_page *page, uint32_t row, struct weir_error *err)
{
    weir_buf_reset(&lane->key);
    for (uint32_t i = 0; i < lane->sink->binding.meta.npartitions; i++) {
        const struct weir_col *col = lane_part_col(lane, page, i);
        uint32_t r = col != NULL && col->form == WEIR_CONST ? 0 : row;
        size_t width;

        if (slot_is_null(lane, col, r)) {
            weir_buf_byte(&lane->key, 0);
            continue;
        }
        weir_buf_byte(&lane->key, 1);
        if (slot_is_text(col)) {
            const struct weir_str *s = &((const struct weir_str *)col->data)[r];

            weir_buf_add(&lane->key, &s->len, sizeof(s->len));
            weir_buf_add(&lane->key, weir_str_ptr(s), s->len);
        } else {
            width = weir_type_width(col->type);
            weir_buf_add(&lane->key, (const char *)col->data + width * r, width);
        }
    }
    if (lane->key.failed)
        return weir_fail(err, WEIR_BADDATA, "partition values of more than %d bytes", KEY_MAX);
    return WEIR_OK;
}

/* One value as JSON and as part of the folder's name. */
static weir_rc
part_value(struct delta_lane *lane, struct part *part, const struct weir_col *col, uint32_t row, const char *name,
           struct weir_error *err)
{
    struct weir_buf *text = &lane->stats;

    weir_buf_json(&part->values, name, strlen(name));
    weir_buf_byte(&part->values, ':');
    if (slot_is_null(lane, col, row)) {
        weir_buf_str(&part->values, "null");
        weir_path_partition(&part->path, name, NULL, 0);
        weir_buf_byte(&part->path, '/');
        return WEIR_OK;
    }
    weir_buf_reset(text);
    weir_slot_print(col, row, text);
    WEIR_TRY(weir_buf_check(text, err));
    if (!weir_utf8_valid(text->data, text->len) || memchr(text->data, '\0', text->len) != NULL)
        return weir_fail(err, WEIR_BADDATA,
                         "partition column %s: bytes that are no UTF-8 text cannot be a partition value", name);
    weir_buf_json(&part->values, text->data, text->len);
    weir_buf_reset(text);
    weir_path_value(col, row, lane->sink->env.zone, text);
    WEIR_TRY(weir_buf_check(text, err));
    weir_path_partition(&part->path, name, text->data, text->len);
    weir_buf_byte(&part->path, '/');
    return WEIR_OK;
}

static weir_rc
part_new(struct delta_lane *lane, const struct weir_page *page, uint32_t row, struct part **out,
         struct weir_error *err)
{
    const struct weir_metadata *meta = &lane->sink->binding.meta;
    struct weir_quota *q = lane->sink->env.quota;
    struct part *part = weir_heap_alloc(q, sizeof(*part));
    weir_rc rc = WEIR_OK;

    if (part == NULL)
        return weir_heap_fail(q, sizeof(*part), "a partition", err);
    memset(part, 0, sizeof(*part));
    weir_buf_init(&part->key, KEY_MAX, q);
    weir_buf_init(&part->values, 8 * KEY_MAX, q);
    weir_buf_init(&part->path, 8 * KEY_MAX, q);
    weir_buf_add(&part->key, lane->key.data, lane->key.len);
    weir_buf_byte(&part->values, '{');
    for (uint32_t i = 0; i < meta->npartitions; i++) {
        const struct weir_col *col = lane_part_col(lane, page, i);

        if (i > 0)
            weir_buf_byte(&part->values, ',');
        WEIR_GO(part_value(lane, part, col, col != NULL && col->form == WEIR_CONST ? 0 : row, meta->partitions[i], err));
    }
    weir_buf_byte(&part->values, '}');
    WEIR_GO(weir_buf_check(&part->key, err));
    WEIR_GO(weir_buf_check(&part->values, err));
    WEIR_GO(weir_buf_check(&part->path, err));
    *out = part;
out:
    if (rc != WEIR_OK)
        part_free(lane, part);
    return rc;
}

/* The open part for lane->key, or nparts. */
static uint32_t
lane_find(struct delta_lane *lane, uint64_t hash)
{
    uint32_t at = lane->last;

    for (uint32_t i = 0; i <= lane->nparts; at = i++) {
        const struct part *p = at < lane->nparts ? lane->parts[at] : NULL;

        if (p != NULL && p->hash == hash && p->key.len == lane->key.len &&
            (p->key.len == 0 || memcmp(p->key.data, lane->key.data, p->key.len) == 0))
            return at;
    }
    return lane->nparts;
}

static uint64_t
part_memory(const struct part *part)
{
    return part->w != NULL ? weir_parquet_memory(part->w) : 0;
}

/* Finishes the largest files until the others keep within the lane's budget; the places stay. */
static weir_rc
lane_keep_budget(struct delta_lane *lane, struct weir_error *err)
{
    for (;;) {
        struct part *largest = NULL;
        uint64_t used = 0, open = 0;

        for (uint32_t i = 0; i < lane->nparts; i++) {
            struct part *part = lane->parts[i];

            used += part_memory(part);
            open += part->w != NULL;
            if (largest == NULL || part_memory(part) > part_memory(largest))
                largest = part;
        }
        if (used <= lane->budget || open < 2)
            return WEIR_OK;
        WEIR_TRY(part_close_file(lane, largest, err));
    }
}

/* Frees a place: one without an open file, else that of the largest. */
static weir_rc
lane_free_place(struct delta_lane *lane, struct weir_error *err)
{
    uint32_t at = 0;
    struct part *part;
    weir_rc rc;

    for (uint32_t i = 1; i < lane->nparts; i++)
        if (part_memory(lane->parts[i]) > part_memory(lane->parts[at]))
            at = i;
    for (uint32_t i = 0; i < lane->nparts; i++)
        if (lane->parts[i]->w == NULL)
            at = i;
    part = lane->parts[at];
    rc = part_close_file(lane, part, err);
    part_free(lane, part);
    lane->parts[at] = lane->parts[--lane->nparts];
    lane->last = 0;
    return rc;
}

/* --- pages ------------------------------------------------------------------------------------------------------- */

/* Rows of the page to one part: those of sel, or all. */
static weir_rc
part_append(struct delta_lane *lane, struct part *part, const struct weir_page *page, const uint16_t *sel, uint32_t n,
            struct weir_error *err)
{
    struct delta_sink *s = lane->sink;
    uint64_t limit = s->opt.max_records > 0 ? (uint64_t)s->opt.max_records : UINT64_MAX;
    uint16_t all[WEIR_PAGE_ROWS];

    if (sel == NULL && limit < UINT64_MAX) {
        for (uint32_t i = 0; i < n; i++)
            all[i] = (uint16_t)i;
        sel = all;
    }
    while (n > 0) {
        uint32_t take = n;

        if (part->w == NULL)
            WEIR_TRY(part_open_file(lane, part, err));
        if (limit - part->rows < take)
            take = (uint32_t)(limit - part->rows);
        WEIR_TRY(weir_parquet_append(part->w, page, s->binding.map, sel, take, err));
        part->rows += take;
        if (part->rows >= limit)
            WEIR_TRY(part_close_file(lane, part, err));
        sel = sel != NULL ? sel + take : NULL;
        n -= take;
    }
    return WEIR_OK;
}

/* The rows from .. to - 1, whose parts are in lane->where. */
static weir_rc
lane_flush(struct delta_lane *lane, const struct weir_page *page, uint32_t from, uint32_t to, struct weir_error *err)
{
    uint32_t start[PARTS_MAX], at = 0;

    for (uint32_t i = 0; i < lane->nparts; i++) { /* a counting sort keeps each part's rows in order */
        start[i] = at;
        at += lane->count[i];
    }
    for (uint32_t r = from; r < to; r++)
        lane->sel[start[lane->where[r]]++] = (uint16_t)r;
    at = 0;
    for (uint32_t i = 0; i < lane->nparts; i++) {
        uint32_t n = lane->count[i];

        lane->count[i] = 0;
        if (n == 0)
            continue;
        WEIR_TRY(part_append(lane, lane->parts[i], page, lane->sel + at, n, err));
        WEIR_TRY(lane_keep_budget(lane, err)); /* each time: a page may open a file for each of its rows */
        at += n;
    }
    return WEIR_OK;
}

/* The place of the row's part among the open ones; makes one, for which an older one may have to go. */
static weir_rc
lane_place(struct delta_lane *lane, const struct weir_page *page, uint32_t row, uint32_t *flushed,
           struct weir_error *err)
{
    uint64_t hash;
    uint32_t at;

    WEIR_TRY(lane_key(lane, page, row, err));
    hash = weir_hash(lane->key.len > 0 ? lane->key.data : "", lane->key.len);
    at = lane_find(lane, hash);
    if (at == lane->nparts) {
        if (lane->nparts == PARTS_MAX) {
            WEIR_TRY(lane_flush(lane, page, *flushed, row, err));
            *flushed = row;
            WEIR_TRY(lane_free_place(lane, err));
        }
        at = lane->nparts;
        WEIR_TRY(part_new(lane, page, row, &lane->parts[at], err));
        lane->parts[at]->hash = hash;
        lane->count[at] = 0;
        lane->nparts++;
    }
    lane->last = at;
    lane->where[row] = (uint16_t)at;
    lane->count[at]++;
    return WEIR_OK;
}

static bool
lane_one_partition(const struct delta_lane *lane, const struct weir_page *page)
{
    for (uint32_t i = 0; i < lane->sink->binding.meta.npartitions; i++) {
        const struct weir_col *col = lane_part_col(lane, page, i);

        if (col != NULL && col->form != WEIR_CONST)
            return false;
    }
    return true;
}

weir_rc
delta_lane_write(void *arg, const struct weir_page *page, struct weir_error *err)
{
    struct delta_lane *lane = arg;
    uint32_t flushed = 0;

    if (lane->sink->already || page->rows == 0)
        return WEIR_OK;
    WEIR_TRY(weir_bind_rows(&lane->sink->binding, page, err));
    if (lane_one_partition(lane, page)) {
        WEIR_TRY(lane_place(lane, page, 0, &flushed, err));
        lane->count[lane->last] = 0;
        WEIR_TRY(part_append(lane, lane->parts[lane->last], page, NULL, page->rows, err));
        WEIR_TRY(lane_keep_budget(lane, err));
    } else {
        for (uint32_t r = 0; r < page->rows; r++)
            WEIR_TRY(lane_place(lane, page, r, &flushed, err));
        WEIR_TRY(lane_flush(lane, page, flushed, page->rows, err));
    }
    return WEIR_OK;
}

/* --- the lane's life --------------------------------------------------------------------------------------------- */

weir_rc
delta_lane_open(void *self, unsigned number, void **out, struct weir_error *err)
{
    struct delta_sink *s = self;
    struct delta_lane *lane = weir_heap_alloc(s->env.quota, sizeof(*lane));
    unsigned lanes = s->env.lanes > 0 ? s->env.lanes : 1;

    (void)number;
    if (lane == NULL)
        return weir_heap_fail(s->env.quota, sizeof(*lane), "a lane of the sink", err);
    memset(lane, 0, sizeof(*lane));
    lane->sink = s;
    lane->budget = s->env.writer_bytes > 0 ? s->env.writer_bytes / lanes
                   : s->env.row_group_bytes > 0 ? 2 * s->env.row_group_bytes
                                                : 32 * WEIR_MIB;
    weir_buf_init(&lane->key, KEY_MAX, s->env.quota);
    weir_buf_init(&lane->adds, WEIR_COMMIT_MAX, s->env.quota);
    weir_buf_init(&lane->stats, WEIR_ACTION_MAX / 4, s->env.quota);
    weir_buf_init(&lane->path, 32 * KEY_MAX, s->env.quota);
    *out = lane;
    return WEIR_OK;
}

weir_rc
delta_lane_finish(void *arg, struct weir_error *err)
{
    struct delta_lane *lane = arg;
    struct delta_sink *s = lane->sink;
    weir_rc rc;

    for (uint32_t i = 0; i < lane->nparts; i++)
        WEIR_TRY(part_close_file(lane, lane->parts[i], err));
    pthread_mutex_lock(&s->lock);
    weir_buf_add(&s->adds, lane->adds.data, lane->adds.len);
    rc = weir_buf_check(&s->adds, err);
    s->rows_written += lane->rows;
    s->files += lane->files;
    s->bytes += lane->bytes;
    pthread_mutex_unlock(&s->lock);
    if (rc != WEIR_OK)
        return weir_error_hint(err, "a batch has too many files for one commit: partition less finely, or take fewer "
                                    "files a trigger");
    lane->rows = lane->files = lane->bytes = 0;
    weir_buf_reset(&lane->adds);
    return WEIR_OK;
}

void
delta_lane_close(void *arg)
{
    struct delta_lane *lane = arg;

    if (lane == NULL)
        return;
    for (uint32_t i = 0; i < lane->nparts; i++)
        part_free(lane, lane->parts[i]);
    weir_buf_fini(&lane->key);
    weir_buf_fini(&lane->adds);
    weir_buf_fini(&lane->stats);
    weir_buf_fini(&lane->path);
    weir_heap_free(lane->sink->env.quota, lane, sizeof(*lane));
}
