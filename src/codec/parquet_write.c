/* The Parquet writer: schema to leaves, appends, row groups and the order of the file.
 *
 *   PAR1 · row groups (for each leaf: dictionary page, data pages) · footer · its length · PAR1
 *
 * 1. Bytes go out in the file's order and never change: the sink may be a pipe or an upload.
 * 2. A row group ends with the append that brings its encoded, uncompressed bytes to row_group_bytes. Until
 *    then its ended pages wait compressed (parquet_page.c), so a writer needs less than row_group_bytes, the
 *    dictionaries' tables and one page's scratch.
 * 3. All memory is counted under the writer's own quota, a child of the caller's.
 * 4. After any error the writer is only good for weir_parquet_free(): what was appended is partly in.
 * 5. Statistics for Delta are of the whole file and ready after finish. */
#include "codec/parquet_int.h"

#include <inttypes.h>
#include <string.h>

enum { ROW_GROUP_BYTES = 16 << 20, PAGE_BYTES = 1 << 20, PAGE_ROWS = 20000 };

static const char magic[4] = {'P', 'A', 'R', '1'};

/* ---- schema ---- */

struct build { /* where in the schema */
    struct weir_parquet *w;
    const char **
        path; /* in the file; a list has two names. One array for all: siblings overwrite each other's ends */
    uint32_t npath;
    const char *name; /* dotted, as users write it */
    unsigned depth;
    uint8_t def, rep;
    bool counted; /* Delta has statistics here: no list or map above */
};

/* Bytes that hold any unscaled value of p digits. */
static uint8_t
decimal_bytes(unsigned p)
{
    unsigned __int128 most = 1;
    uint8_t n = 1;

    while (p-- > 0)
        most *= 10;
    for (most -= 1; most >> (8 * n - 1) != 0; n++)
        ;
    return n;
}

static enum weir_phys
phys_of(const struct weir_type *type)
{
    switch (type->kind) {
    case WEIR_BOOLEAN:
        return WEIR_PHYS_BOOL;
    case WEIR_BYTE:
    case WEIR_SHORT:
    case WEIR_INT:
    case WEIR_DATE:
        return WEIR_PHYS_I32;
    case WEIR_FLOAT:
        return WEIR_PHYS_F32;
    case WEIR_DOUBLE:
        return WEIR_PHYS_F64;
    case WEIR_STRING:
    case WEIR_BINARY:
        return WEIR_PHYS_BYTES;
    case WEIR_DECIMAL:
        return type->precision <= 9 ? WEIR_PHYS_I32 : type->precision <= 18 ? WEIR_PHYS_I64 : WEIR_PHYS_FIXED;
    default:
        return WEIR_PHYS_I64;
    }
}

static weir_rc
build_leaf(struct build *b, struct weir_parquet_node *node, struct weir_error *err)
{
    static const uint8_t widths[] = {1, 4, 8, 0, 4, 8, sizeof(struct weir_str), sizeof(weir_i128)};
    struct weir_parquet *w = b->w;
    struct weir_leaf *leaf = &w->leaves[w->nleaves++];
    weir_rc rc = WEIR_OK;

    node->leaf = leaf;
    leaf->field = node->field;
    leaf->name = node->path;
    leaf->npath = b->npath;
    WEIR_NEW(leaf->path, w->mem, b->npath * sizeof(*leaf->path));
    memcpy(leaf->path, b->path, b->npath * sizeof(*leaf->path));
    leaf->phys = phys_of(node->field->type);
    leaf->width = widths[leaf->phys];
    leaf->fixed = leaf->phys == WEIR_PHYS_FIXED ? decimal_bytes(node->field->type->precision) : 0;
    leaf->is_text = node->kind == WEIR_STRING;
    leaf->max_def = node->def;
    leaf->max_rep = node->rep;
    leaf->stats = node->stats;
    weir_bounds_reset(&leaf->file);
    weir_leaf_reset_chunk(leaf);
out:
    return rc;
}

static weir_rc build_node(struct build at, const struct weir_field *f, const char *file_name, bool nullable,
                          struct weir_colstats *stats, struct weir_parquet_node *node,
                          struct weir_error *err);

static weir_rc
build_struct(const struct build *at, struct weir_parquet_node *node, struct weir_error *err)
{
    const struct weir_type *type = node->field->type;
    struct weir_mem *mem = at->w->mem;
    uint32_t stored = 0;
    weir_rc rc = WEIR_OK;

    for (uint32_t i = 0; i < type->nfields; i++)
        stored += type->fields[i].type->kind != WEIR_VOID;
    if (stored == 0) {
        weir_fail(err, WEIR_UNSUPPORTED, "column %s: a struct without a field that can be stored",
                  node->path);
        return weir_error_hint(err, "Parquet has no empty groups, and void columns are not stored");
    }
    node->nkids = type->nfields;
    WEIR_NEW(node->kids, mem, node->nkids * sizeof(*node->kids));
    if (node->stats != NULL) {
        node->stats->nkids = node->nkids;
        WEIR_NEW(node->stats->kids, mem, node->nkids * sizeof(*node->stats->kids));
    }
    for (uint32_t i = 0; i < node->nkids; i++) {
        const struct weir_field *f = &type->fields[i];

        WEIR_GO(build_node(*at, f, f->name, f->nullable, node->stats != NULL ? &node->stats->kids[i] : NULL,
                           &node->kids[i], err));
    }
out:
    return rc;
}

static weir_rc
build_array(struct build at, struct weir_parquet_node *node, struct weir_error *err)
{
    const struct weir_field *element = &node->field->type->fields[0];
    weir_rc rc = WEIR_OK;

    node->nkids = 1;
    WEIR_NEW(node->kids, at.w->mem, sizeof(*node->kids));
    at.path[at.npath++] = "list";
    at.def++;
    at.rep++;
    at.counted = false;
    rc = build_node(at, element, "element", element->nullable, NULL, node->kids, err);
out:
    return rc;
}

/* A map's one child is the pair: a group of its own in the file, but no field. */
static weir_rc
build_map(struct build at, struct weir_parquet_node *node, struct weir_error *err)
{
    const struct weir_type *type = node->field->type;
    struct weir_parquet_node *pair;
    weir_rc rc = WEIR_OK;

    node->nkids = 1;
    WEIR_NEW(node->kids, at.w->mem, sizeof(*node->kids));
    pair = node->kids;
    at.path[at.npath++] = "key_value";
    at.def++;
    at.rep++;
    at.counted = false;
    *pair = (struct weir_parquet_node){.field = &type->fields[0],
                                       .path = node->path,
                                       .kind = WEIR_STRUCT,
                                       .def = at.def,
                                       .rep = at.rep,
                                       .nkids = 2};
    WEIR_NEW(pair->kids, at.w->mem, 2 * sizeof(*pair->kids));
    WEIR_GO(build_node(at, weir_map_key(type), "key", false, NULL, &pair->kids[0], err));
    rc = build_node(at, weir_map_value(type), "value", weir_map_value(type)->nullable, NULL, &pair->kids[1],
                    err);
out:
    return rc;
}

static weir_rc
build_void(const struct build *at, const struct weir_parquet_node *node, struct weir_error *err)
{
    if (at->counted)
        return WEIR_OK;
    weir_fail(err, WEIR_UNSUPPORTED, "column %s: void inside an array or a map", node->path);
    return weir_error_hint(err, "give the field a type, for example by a schema hint");
}

/* at: the parent's place. file_name: "element" for an array's field and so on. */
static weir_rc
build_node(struct build at, const struct weir_field *f, const char *file_name, bool nullable,
           struct weir_colstats *stats, struct weir_parquet_node *node, struct weir_error *err)
{
    node->field = f;
    node->kind = f->type->kind;
    node->path = at.name == NULL ? file_name : weir_mem_printf(at.w->mem, "%s.%s", at.name, file_name);
    if (node->path == NULL)
        return weir_mem_fail(at.w->mem, WEIR_NAME_MAX, err);
    if (++at.depth > WEIR_NEST_MAX)
        return weir_fail(err, WEIR_UNSUPPORTED, "column %s: over %d levels deep", node->path,
                         (int)WEIR_NEST_MAX);
    node->stats = stats;
    if (stats != NULL)
        stats->field = f;
    if (node->kind == WEIR_VOID)
        return build_void(&at, node, err);
    if (node->kind == WEIR_VARIANT)
        return weir_fail(err, WEIR_UNSUPPORTED, "column %s: variant is not written yet", node->path);
    node->optional = nullable;
    at.def = node->def = (uint8_t)(at.def + nullable);
    node->rep = at.rep;
    at.name = node->path;
    at.path[at.npath++] = file_name;
    switch (node->kind) {
    case WEIR_STRUCT:
        return build_struct(&at, node, err);
    case WEIR_ARRAY:
        return build_array(at, node, err);
    case WEIR_MAP:
        return build_map(at, node, err);
    default:
        return build_leaf(&at, node, err);
    }
}

static uint32_t
count_leaves(const struct weir_type *type, unsigned depth)
{
    uint32_t n = 0;

    if (!weir_kind_is_nested(type->kind))
        return type->kind != WEIR_VOID;
    for (uint32_t i = 0; i < type->nfields && depth <= WEIR_NEST_MAX + 1; i++)
        n += count_leaves(type->fields[i].type, depth + 1);
    return n;
}

static weir_rc
build_schema(struct weir_parquet *w, struct weir_error *err)
{
    const char *path[2 * WEIR_NEST_MAX + 2];
    struct build at = {.w = w, .path = path, .counted = true};
    const struct weir_type *type = w->schema;
    uint32_t leaves = count_leaves(type, 0);
    weir_rc rc = WEIR_OK;

    w->nnodes = w->stats.ncols = type->nfields;
    WEIR_NEW(w->nodes, w->mem, w->nnodes * sizeof(*w->nodes));
    WEIR_NEW(w->stats.cols, w->mem, w->nnodes * sizeof(*w->stats.cols));
    WEIR_NEW(w->leaves, w->mem, leaves * sizeof(*w->leaves));
    for (uint32_t i = 0; i < w->nnodes; i++) {
        const struct weir_field *f = &type->fields[i];

        WEIR_GO(build_node(at, f, f->name, f->nullable, &w->stats.cols[i], &w->nodes[i], err));
    }
    if (w->nleaves == 0) {
        rc = weir_fail(err, WEIR_UNSUPPORTED, "no column can be stored: all are void");
        weir_error_hint(err, "a table needs at least one column with a type");
    }
out:
    return rc;
}

/* ---- birth and death ---- */

static void
parquet_defaults(struct weir_parquet_options *opt)
{
    if (opt->row_group_bytes == 0)
        opt->row_group_bytes = ROW_GROUP_BYTES;
    if (opt->page_bytes == 0)
        opt->page_bytes = PAGE_BYTES;
    if (opt->page_rows == 0)
        opt->page_rows = PAGE_ROWS;
    if (opt->created_by == NULL)
        opt->created_by = "weir version " WEIR_VERSION;
}

static weir_squeeze_codec
squeeze_codec(weir_parquet_codec codec)
{
    return codec == WEIR_SNAPPY ? WEIR_SQUEEZE_SNAPPY
           : codec == WEIR_ZSTD ? WEIR_SQUEEZE_ZSTD
                                : WEIR_SQUEEZE_NONE;
}

weir_rc
weir_parquet_new(const struct weir_type *schema, const struct weir_parquet_options *opt,
                 struct weir_parquet_out out, struct weir_quota *q, struct weir_parquet **result,
                 struct weir_error *err)
{
    struct weir_parquet *w = weir_heap_alloc(q, sizeof(*w));
    weir_rc rc;

    *result = NULL;
    if (w == NULL)
        return weir_heap_fail(q, sizeof(*w), "a Parquet file", err);
    *w = (struct weir_parquet){.opt = *opt, .out = out, .schema = schema, .parent = q};
    parquet_defaults(&w->opt);
    weir_quota_init(&w->quota, q, "parquet writer", UINT64_MAX);
    w->stack.q = &w->quota;
    weir_buf_init(&w->head, WEIR_SMALL_MAX, &w->quota);
    weir_buf_init(&w->group, WEIR_FOOTER_MAX, &w->quota);
    weir_buf_init(&w->groups, WEIR_FOOTER_MAX, &w->quota);
    w->mem = weir_mem_new(NULL, &w->quota, "parquet writer");
    if (w->mem == NULL)
        WEIR_GO(weir_heap_fail(&w->quota, 1, "a Parquet file", err));
    WEIR_GO(weir_squeeze_new(squeeze_codec(opt->codec), opt->level, &w->quota, &w->squeeze, err));
    rc = build_schema(w, err);
out:
    if (rc == WEIR_OK)
        *result = w;
    else
        weir_parquet_free(w);
    return rc;
}

void
weir_parquet_free(struct weir_parquet *w)
{
    if (w == NULL)
        return;
    for (uint32_t i = 0; i < w->nleaves; i++)
        weir_leaf_fini(&w->leaves[i], &w->quota);
    weir_parquet_free_pieces(w);
    weir_stack_fini(&w->stack);
    weir_array_fini(&w->quota, &w->levels);
    weir_array_fini(&w->quota, &w->body);
    weir_array_fini(&w->quota, &w->packed);
    weir_buf_fini(&w->head);
    weir_buf_fini(&w->group);
    weir_buf_fini(&w->groups);
    weir_squeeze_free(w->squeeze);
    weir_mem_free(w->mem);
    weir_heap_free(w->parent, w, sizeof(*w));
}

uint64_t
weir_parquet_memory(const struct weir_parquet *w)
{
    return sizeof(*w) + atomic_load_explicit(&w->quota.used, memory_order_relaxed);
}

/* ---- row groups ---- */

static weir_rc
parquet_begin(struct weir_parquet *w, struct weir_error *err)
{
    if (w->begun)
        return WEIR_OK;
    w->begun = true;
    return weir_parquet_emit(w, magic, sizeof(magic), err);
}

/* The chunks of all leaves go out; each leaf is then as new. */
static weir_rc
group_chunks(struct weir_parquet *w, uint64_t *raw, struct weir_error *err)
{
    *raw = 0;
    for (uint32_t i = 0; i < w->nleaves; i++) {
        struct weir_leaf *leaf = &w->leaves[i];
        uint64_t dict_pos, data_pos;

        WEIR_TRY(weir_leaf_end_page(w, leaf, err));
        WEIR_TRY(weir_parquet_chunk_write(w, leaf, &dict_pos, &data_pos, err));
        weir_parquet_footer_chunk(w, leaf, dict_pos, data_pos);
        *raw += leaf->chunk_raw;
        weir_bounds_merge(&leaf->file, &leaf->chunk, leaf->phys);
        weir_leaf_reset_chunk(leaf);
        weir_leaf_trim(leaf, w);
    }
    weir_parquet_drop_pieces(w);
    weir_array_trim(&w->quota, &w->levels, 4 * (size_t)w->opt.page_bytes);
    weir_array_trim(&w->quota, &w->body, 4 * (size_t)w->opt.page_bytes);
    weir_array_trim(&w->quota, &w->packed, 4 * (size_t)w->opt.page_bytes);
    return WEIR_OK;
}

/* RowGroup: the chunks are its first field. */
static weir_rc
parquet_end_group(struct weir_parquet *w, struct weir_error *err)
{
    struct weir_thrift t = {.buf = &w->group};
    uint64_t start, raw;

    if (w->group_rows == 0)
        return WEIR_OK;
    WEIR_TRY(parquet_begin(w, err));
    start = w->pos;
    weir_buf_reset(&w->group);
    weir_thrift_open(&t);
    weir_thrift_list(&t, 1, WEIR_THRIFT_STRUCT, w->nleaves);
    WEIR_TRY(group_chunks(w, &raw, err));
    weir_thrift_i64(&t, 2, (int64_t)raw);
    weir_thrift_i64(&t, 3, (int64_t)w->group_rows);
    weir_thrift_i64(&t, 5, (int64_t)start);
    weir_thrift_i64(&t, 6, (int64_t)(w->pos - start));
    if (w->ngroups <= INT16_MAX)
        weir_thrift_i16(&t, 7, (int16_t)w->ngroups);
    weir_thrift_close(&t);
    WEIR_TRY(weir_buf_check(&w->group, err));
    weir_buf_add(&w->groups, w->group.data, w->group.len);
    WEIR_TRY(weir_buf_check(&w->groups, err));
    w->ngroups++;
    w->group_rows = 0;
    return WEIR_OK;
}

static uint64_t
group_encoded(const struct weir_parquet *w)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < w->nleaves; i++)
        bytes += weir_leaf_encoded(&w->leaves[i]);
    return bytes;
}

/* ---- append ---- */

/* The rows of the append as entries of the root: positions only when they are no straight run. */
static weir_rc
append_rows(struct weir_parquet *w, const uint16_t *sel, uint32_t n, struct weir_shred *rows,
            struct weir_error *err)
{
    uint32_t *pos;

    *rows = (struct weir_shred){.n = n, .live = n, .rows = n, .step = 1};
    if (sel == NULL)
        return WEIR_OK;
    rows->first = sel[0];
    if ((uint32_t)(sel[n - 1] - sel[0]) == n - 1)
        return WEIR_OK;
    pos = weir_stack_alloc(&w->stack, n * sizeof(*pos));
    if (pos == NULL)
        return weir_heap_fail(&w->quota, n * sizeof(*pos), "a Parquet file", err);
    for (uint32_t i = 0; i < n; i++)
        pos[i] = sel[i];
    rows->pos = pos;
    return WEIR_OK;
}

/* Adds to a refused null which record it was. */
static weir_rc
append_blame(const struct weir_parquet *w, const struct weir_page *page, const uint16_t *sel,
             struct weir_error *err)
{
    uint32_t row = sel != NULL ? sel[w->null_row] : w->null_row;

    if (page->pos != NULL)
        return weir_error_context(err, "row %" PRIu32 " of the page, record at %" PRId64, row,
                                  page->pos[row]);
    return weir_error_context(err, "row %" PRIu32 " of the page", row);
}

static weir_rc
append_columns(struct weir_parquet *w, const struct weir_page *page, const uint16_t *map, const uint16_t *sel,
               uint32_t n, struct weir_error *err)
{
    struct weir_shred rows;
    weir_rc rc;

    WEIR_GO(append_rows(w, sel, n, &rows, err));
    for (uint32_t i = 0; i < w->nnodes; i++) {
        uint32_t col = map != NULL ? map[i] : i;

        if (col >= page->ncols)
            WEIR_GO(weir_fail(err, WEIR_BUG, "column %s: the page has no column %" PRIu32, w->nodes[i].path,
                              col));
        WEIR_GO(weir_shred_column(w, &w->nodes[i], &page->cols[col], &rows, err));
    }
out:
    weir_stack_release(&w->stack, (struct weir_stack_mark){NULL, 0});
    return rc == WEIR_SCHEMA ? append_blame(w, page, sel, err) : rc;
}

weir_rc
weir_parquet_append(struct weir_parquet *w, const struct weir_page *page, const uint16_t *map,
                    const uint16_t *sel, uint32_t n, struct weir_error *err)
{
    weir_rc rc;

    WEIR_ASSERT(!w->failed && !w->finished);
    if (n == 0)
        return WEIR_OK;
    WEIR_ASSERT(sel != NULL ? sel[n - 1] < page->rows : n <= page->rows);
    WEIR_GO(append_columns(w, page, map, sel, n, err));
    w->rows += n;
    w->group_rows += n;
    if (group_encoded(w) >= w->opt.row_group_bytes)
        rc = parquet_end_group(w, err);
out:
    w->failed = rc != WEIR_OK;
    return rc;
}

/* ---- finish ---- */

static weir_rc
parquet_write_footer(struct weir_parquet *w, struct weir_error *err)
{
    struct weir_buf footer = {0};
    uint32_t len;
    weir_rc rc;

    weir_buf_init(&footer, WEIR_FOOTER_MAX, &w->quota);
    WEIR_GO(weir_parquet_footer_build(w, &footer, err));
    len = (uint32_t)footer.len;
    weir_buf_add(&footer, &len, sizeof(len));
    weir_buf_add(&footer, magic, sizeof(magic));
    WEIR_GO(weir_buf_check(&footer, err));
    rc = weir_parquet_emit(w, footer.data, footer.len, err);
out:
    weir_buf_fini(&footer);
    return rc;
}

weir_rc
weir_parquet_finish(struct weir_parquet *w, const struct weir_filestats **stats, struct weir_error *err)
{
    weir_rc rc;

    WEIR_ASSERT(!w->failed && !w->finished);
    w->finished = true;
    WEIR_GO(parquet_begin(w, err));
    WEIR_GO(parquet_end_group(w, err));
    WEIR_GO(parquet_write_footer(w, err));
    for (uint32_t i = 0; i < w->nleaves; i++)
        if (w->leaves[i].stats != NULL)
            weir_colstats_fill(w->leaves[i].stats, &w->leaves[i].file, w->leaves[i].phys);
    w->stats.rows = w->rows;
    w->stats.bytes = w->pos;
    *stats = &w->stats;
out:
    w->failed = rc != WEIR_OK;
    return rc == WEIR_OK ? rc : weir_error_context(err, "end of the Parquet file");
}
