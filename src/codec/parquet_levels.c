/* Shredding: a page's columns, nested as they are, to entries with definition and repetition levels
 * (parquet-format "Nested Encoding").
 *
 * 1. A step takes the entries of a node's parent and makes those of the node. An entry is live while a value
 *    is there so far; one that ended keeps the level where it did: the null's parent's, or the list's own for
 *    an empty list.
 * 2. Live entries carry WEIR_LIVE, not their level: so a step that ends none passes def and pos on as they
 *    are. A leaf reads WEIR_LIVE as its highest level.
 * 3. Positions are slots of the column at hand. A struct's children share its own; a list's are its
 *    elements'. While they are a straight run they are not written out.
 * 4. What stands under a null, of the node or of a parent, is never looked at.
 * 5. Scratch lives on the writer's stack until the step returns.
 * Depth is bounded by the schema's, which weir_parquet_new() has checked. */
#include "codec/parquet_int.h"

#include <inttypes.h>
#include <string.h>

static inline uint32_t
shred_pos(const struct weir_shred *s, uint32_t live)
{
    return s->pos != NULL ? s->pos[live] : s->first + live * s->step;
}

/* The row of the append, counted from 0, that entry e belongs to. */
static uint32_t
shred_row(const struct weir_shred *s, uint32_t e)
{
    uint32_t row = 0;

    if (s->rep == NULL)
        return e;
    for (uint32_t i = 1; i <= e; i++)
        row += s->rep[i] == 0;
    return row;
}

/* ---- nulls ---- */

static bool
bits_all_set(const uint64_t *bits, uint32_t from, uint32_t n)
{
    uint32_t i = from, end = from + n;

    for (; i < end && (i & 63) != 0; i++)
        if (!(bits[i >> 6] >> (i & 63) & 1))
            return false;
    for (; i + 64 <= end; i += 64)
        if (bits[i >> 6] != UINT64_MAX)
            return false;
    for (; i < end; i++)
        if (!(bits[i >> 6] >> (i & 63) & 1))
            return false;
    return true;
}

static bool
shred_has_nulls(const struct weir_col *col, const struct weir_shred *in)
{
    if (col->valid == NULL || in->live == 0)
        return false;
    if (in->pos == NULL && in->step == 1)
        return !bits_all_set(col->valid, in->first, in->live);
    for (uint32_t i = 0; i < in->live; i++) {
        uint32_t p = shred_pos(in, i);

        if (!(col->valid[p >> 6] >> (p & 63) & 1))
            return true;
    }
    return false;
}

/* SCHEMA; w->null_row is the first null's row of this append. Only called when there is one. */
static weir_rc
shred_refuse_null(struct weir_parquet *w, const struct weir_parquet_node *node, const struct weir_col *col,
                  const struct weir_shred *in, struct weir_error *err)
{
    uint32_t e = 0, live = 0;

    for (;; e++) {
        uint32_t p;

        if (in->def != NULL && in->def[e] != WEIR_LIVE)
            continue;
        p = shred_pos(in, live++);
        if (!(col->valid[p >> 6] >> (p & 63) & 1))
            break;
    }
    w->null_row = shred_row(in, e);
    weir_fail(err, WEIR_SCHEMA, "column %s: null, but the column is NOT NULL", node->path);
    return weir_error_hint(err, "let the column be nullable in the table, or filter such records out");
}

/* out: in, without the entries that are null here. */
static weir_rc
shred_nulls(struct weir_parquet *w, const struct weir_parquet_node *node, const struct weir_col *col,
            const struct weir_shred *in, struct weir_shred *out, struct weir_error *err)
{
    const uint8_t ended = (uint8_t)(node->def - 1);
    uint8_t *def = weir_stack_alloc(&w->stack, in->n);
    uint32_t *pos = weir_stack_alloc(&w->stack, (size_t)in->live * sizeof(*pos));
    uint32_t seen = 0, kept = 0;

    if (def == NULL || pos == NULL)
        return weir_heap_fail(&w->quota, (size_t)in->live * sizeof(*pos), "a Parquet file", err);
    for (uint32_t e = 0; e < in->n; e++) {
        uint32_t p;
        bool there;

        if (in->def != NULL && in->def[e] != WEIR_LIVE) {
            def[e] = in->def[e];
            continue;
        }
        p = shred_pos(in, seen++);
        there = col->valid[p >> 6] >> (p & 63) & 1;
        def[e] = there ? WEIR_LIVE : ended;
        pos[kept] = p;
        kept += there;
    }
    out->live = kept;
    out->pos = pos;
    out->def = def;
    return WEIR_OK;
}

/* ---- lists ---- */

struct list_size {
    uint64_t entries, elements;
    bool straight; /* each list begins where the one before ended */
    bool ends;     /* an entry ends here or ended before */
};

static weir_rc
list_measure(const struct weir_parquet_node *node, const struct weir_col *col, const struct weir_shred *in,
             struct list_size *size, struct weir_error *err)
{
    const struct weir_list *lists = col->data;
    uint64_t next = 0, empty = 0, have = col->kids[0].len;

    *size = (struct list_size){.straight = true};
    for (uint32_t i = 0; i < in->live; i++) {
        struct weir_list l = lists[shred_pos(in, i)];

        if (l.n > have || l.at > have - l.n)
            return weir_fail(err, WEIR_BUG, "column %s: a list ends behind its elements", node->path);
        if (l.n == 0) {
            empty++;
            continue;
        }
        size->straight &= size->elements == 0 || l.at == next;
        next = l.at + l.n;
        size->elements += l.n;
    }
    size->ends = empty > 0 || in->live < in->n;
    size->entries = size->elements + empty + (in->n - in->live);
    if (size->entries > INT32_MAX)
        return weir_fail(err, WEIR_UNSUPPORTED, "column %s: %" PRIu64 " list elements in one page of rows",
                         node->path, size->entries);
    return WEIR_OK;
}

/* Writes the levels and, unless pos is NULL, the positions of the elements. def may be NULL
 * when none ended. */
static void
list_fill(const struct weir_parquet_node *node, const struct weir_col *col, const struct weir_shred *in,
          uint8_t *def, uint8_t *rep, uint32_t *pos)
{
    const struct weir_list *lists = col->data;
    const uint8_t repeated = (uint8_t)(node->rep + 1);
    uint32_t live = 0;
    size_t at = 0, el = 0;

    for (uint32_t e = 0; e < in->n; e++) {
        struct weir_list l = {0, 0};
        uint8_t ended = node->def; /* the list is there and empty */

        if (in->def != NULL && in->def[e] != WEIR_LIVE)
            ended = in->def[e];
        else
            l = lists[shred_pos(in, live++)];
        rep[at] = in->rep != NULL ? in->rep[e] : 0;
        if (l.n == 0) {
            def[at++] = ended;
            continue;
        }
        if (l.n > 1)
            memset(rep + at + 1, repeated, l.n - 1);
        if (def != NULL)
            memset(def + at, WEIR_LIVE, l.n);
        at += l.n;
        if (pos != NULL)
            for (uint64_t k = 0; k < l.n; k++)
                pos[el++] = (uint32_t)(l.at + k);
    }
}

static uint32_t
list_first(const struct weir_col *col, const struct weir_shred *in)
{
    const struct weir_list *lists = col->data;

    for (uint32_t i = 0; i < in->live; i++)
        if (lists[shred_pos(in, i)].n > 0)
            return (uint32_t)lists[shred_pos(in, i)].at;
    return 0;
}

static weir_rc
shred_list(struct weir_parquet *w, struct weir_parquet_node *node, const struct weir_col *col,
           const struct weir_shred *in, struct weir_error *err)
{
    struct weir_shred out = {.rows = in->rows, .step = 1};
    struct list_size size;
    uint8_t *def = NULL, *rep;
    uint32_t *pos = NULL;

    WEIR_TRY(list_measure(node, col, in, &size, err));
    rep = weir_stack_alloc(&w->stack, size.entries);
    if (size.ends)
        def = weir_stack_alloc(&w->stack, size.entries);
    if (!size.straight)
        pos = weir_stack_alloc(&w->stack, size.elements * sizeof(*pos));
    if (rep == NULL || (size.ends && def == NULL) || (!size.straight && pos == NULL))
        return weir_heap_fail(&w->quota, size.entries * sizeof(*pos), "a Parquet file", err);
    list_fill(node, col, in, def, rep, pos);
    out.n = (uint32_t)size.entries;
    out.live = (uint32_t)size.elements;
    out.def = def;
    out.rep = rep;
    out.pos = pos;
    out.first = pos == NULL ? list_first(col, in) : 0;
    return weir_shred_column(w, &node->kids[0], &col->kids[0], &out, err);
}

/* ---- a node ---- */

static weir_rc
shred_kids(struct weir_parquet *w, struct weir_parquet_node *node, const struct weir_col *col,
           const struct weir_shred *in, struct weir_error *err)
{
    switch (node->kind) {
    case WEIR_STRUCT:
        for (uint32_t i = 0; i < node->nkids; i++)
            WEIR_TRY(weir_shred_column(w, &node->kids[i], &col->kids[i], in, err));
        return WEIR_OK;
    case WEIR_ARRAY:
    case WEIR_MAP:
        return shred_list(w, node, col, in, err);
    default:
        return weir_leaf_append(w, node->leaf, col, in, err);
    }
}

weir_rc
weir_shred_column(struct weir_parquet *w, struct weir_parquet_node *node, const struct weir_col *col,
                  const struct weir_shred *in, struct weir_error *err)
{
    struct weir_stack_mark mark = weir_stack_mark(&w->stack);
    struct weir_shred here = *in;
    weir_rc rc;

    if (node->kind == WEIR_VOID) { /* not in the file; all of it is null */
        if (node->stats != NULL)
            node->stats->nulls += in->n;
        return WEIR_OK;
    }
    if (col->type->kind != node->kind || col->nkids != node->nkids ||
        weir_type_width(col->type) != weir_type_width(node->field->type))
        return weir_fail(err, WEIR_BUG, "column %s: the page has %s, the file %s", node->path,
                         weir_kind_name(col->type->kind), weir_kind_name(node->kind));
    if (col->form == WEIR_CONST) {
        here.pos = NULL;
        here.first = here.step = 0;
    }
    if (shred_has_nulls(col, &here)) {
        if (!node->optional)
            return shred_refuse_null(w, node, col, &here, err);
        WEIR_GO(shred_nulls(w, node, col, &here, &here, err));
    }
    if (node->stats != NULL)
        node->stats->nulls += here.n - here.live;
    rc = shred_kids(w, node, col, &here, err);
out:
    weir_stack_release(&w->stack, mark);
    return rc;
}
