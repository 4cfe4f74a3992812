/* Pruning of files. delta/prune.h.
 *
 * 1. The answer is "may hold such a row" or "cannot"; whatever is not understood may.
 * 2. Statistics are bounds (Delta protocol, "Per-file Statistics"): texts are cut, deletion vectors leave
 *    them as they were, timestamps are cut down to the millisecond, so one is added to a maximum. NaN may be
 *    above the maximum of a writer that leaves it out.
 * 3. A null makes no comparison true, and a partition value that cannot be read is null, as for the reader of
 *    the rows.
 * 4. Numbers that do not fit a double exactly bound nothing.
 * Threads: one owner. */
#include "delta/prune.h"

#include <inttypes.h>
#include <math.h>

#include "base/limits.h"
#include "base/str.h"
#include "column/text.h"
#include "delta/mapping.h"
#include "delta/stats.h"

enum { PRUNE_SLOT = 16, MS = 1000 };

struct prune_leaf {
    const struct weir_pred *pred;
    const struct weir_type *type;
    const char *const *path; /* physical names */
    const char *partition;   /* the key of its partition value; NULL: a column of the files */
};

struct weir_prune {
    const struct weir_pred *pred;
    const struct prune_leaf *leaves;
    uint32_t nleaves;
    bool stats; /* some leaf is no partition column */
    struct weir_mem *scratch;
};

/* --- binding -------------------------------------------------------------------------------------------- */

static uint32_t
pred_leaves(const struct weir_pred *p)
{
    uint32_t n = 0;

    for (uint32_t i = 0; (p->op == WEIR_PRED_AND || p->op == WEIR_PRED_OR) && i < p->nkids; i++)
        n += pred_leaves(p->kids[i]);
    return p->op >= WEIR_PRED_EQ ? 1 : n;
}

/* A leaf whose column is not in the schema stays without a type: it says nothing. */
static weir_rc
leaf_bind(const struct weir_snapshot *snap, const struct weir_type *physical, const struct weir_pred *p,
          struct weir_mem *mem, struct prune_leaf *leaf, struct weir_error *err)
{
    const struct weir_type *logical = snap->meta.schema;
    const char **path;
    weir_rc rc = WEIR_OK;

    *leaf = (struct prune_leaf){.pred = p};
    WEIR_NEW(path, mem, (p->depth + 1) * sizeof(*path));
    leaf->path = path;
    for (uint32_t i = 0; i < p->depth; i++) {
        int at = logical->kind == WEIR_STRUCT
                     ? weir_field_find(logical, p->path[i], strlen(p->path[i]), false)
                     : -1;

        if (at < 0 ||
            weir_mapping_char(&logical->fields[at]) > 0) /* blanks are put to what the bounds are of */
            return WEIR_OK;
        path[i] = physical->fields[at].name;
        if (i == 0 && weir_metadata_partition(&snap->meta, logical->fields[at].name) >= 0)
            leaf->partition = path[i];
        logical = logical->fields[at].type;
        physical = physical->fields[at].type;
    }
    if (p->depth > 0 && (p->value == NULL || p->value->type->kind == logical->kind))
        leaf->type = logical;
out:
    return rc;
}

static weir_rc
leaves_bind(const struct weir_snapshot *snap, const struct weir_type *physical, const struct weir_pred *p,
            struct weir_mem *mem, struct prune_leaf *leaves, uint32_t *n, struct weir_error *err)
{
    if (p->op >= WEIR_PRED_EQ)
        return leaf_bind(snap, physical, p, mem, &leaves[(*n)++], err);
    for (uint32_t i = 0; (p->op == WEIR_PRED_AND || p->op == WEIR_PRED_OR) && i < p->nkids; i++)
        WEIR_TRY(leaves_bind(snap, physical, p->kids[i], mem, leaves, n, err));
    return WEIR_OK;
}

weir_rc
weir_prune_new(const struct weir_snapshot *snap, const struct weir_pred *pred, struct weir_mem *mem,
               struct weir_prune **out, struct weir_error *err)
{
    const struct weir_type *physical;
    struct prune_leaf *leaves;
    weir_mapping_mode mode;
    struct weir_prune *p;
    uint32_t n = 0;
    weir_rc rc;

    WEIR_GO(weir_mapping_of(&snap->protocol, &snap->meta, &mode, err));
    WEIR_GO(weir_mapping_physical(snap->meta.schema, mode, mem, &physical, err));
    WEIR_NEW(p, mem, sizeof(*p));
    WEIR_NEW(leaves, mem, (pred_leaves(pred) + 1) * sizeof(*leaves));
    WEIR_GO(leaves_bind(snap, physical, pred, mem, leaves, &n, err));
    *p = (struct weir_prune){.pred = pred, .leaves = leaves, .nleaves = n};
    for (uint32_t i = 0; i < n; i++)
        p->stats = p->stats || (leaves[i].type != NULL && leaves[i].partition == NULL);
    p->scratch = weir_mem_new(mem, weir_mem_quota(mem), "prune");
    if (p->scratch == NULL)
        WEIR_GO(weir_fail(err, WEIR_NOMEM, "no memory to look at statistics"));
    *out = p;
out:
    return rc;
}

/* --- bounds --------------------------------------------------------------------------------------------- */

struct prune_bound { /* a value of one row on the stack */
    struct weir_col col;
    _Alignas(16) unsigned char slot[PRUNE_SLOT];
    uint64_t mask;
    bool there;
};

static void
bound_init(struct prune_bound *b, const struct weir_type *type)
{
    memset(b, 0, sizeof(*b));
    b->col = (struct weir_col){.type = type, .data = b->slot, .mask = &b->mask, .len = 1, .cap = 1};
}

static void
bound_read(struct prune_bound *b, const json_t *v, bool max, struct weir_mem *mem)
{
    int64_t us;

    b->there = weir_stats_bound(v, &b->col, 0, mem);
    if (!b->there || !max || (b->col.type->kind != WEIR_TIMESTAMP && b->col.type->kind != WEIR_TIMESTAMP_NTZ))
        return;
    memcpy(&us, b->slot, sizeof(us));
    us = us > INT64_MAX - MS ? INT64_MAX : us + MS;
    memcpy(b->slot, &us, sizeof(us));
}

/* Whether some value v with lo <= v <= hi may stand in this relation to the constant. */
static bool
bounds_may(weir_pred_op op, const struct prune_bound *lo, const struct prune_bound *hi,
           const struct weir_col *value)
{
    bool real = value->type->kind == WEIR_FLOAT || value->type->kind == WEIR_DOUBLE;
    int to_lo = lo->there ? weir_slot_compare(value, 0, &lo->col, 0) : 1;
    int to_hi = hi->there ? weir_slot_compare(value, 0, &hi->col, 0) : -1;
    bool nan = real && (value->type->kind == WEIR_FLOAT ? isnan(*(const float *)value->data)
                                                        : isnan(*(const double *)value->data));

    switch (op) {
    case WEIR_PRED_EQ:
        return nan || (to_lo >= 0 && to_hi <= 0);
    case WEIR_PRED_LT:
        return to_lo > 0;
    case WEIR_PRED_LE:
        return to_lo >= 0;
    case WEIR_PRED_GT:
        return real || to_hi < 0;
    case WEIR_PRED_GE:
        return real || to_hi <= 0;
    default:
        return true;
    }
}

/* --- leaves --------------------------------------------------------------------------------------------- */

static const json_t *
stats_at(const json_t *stats, const char *part, const struct prune_leaf *leaf)
{
    const json_t *at = json_object_get(stats, part);

    for (uint32_t i = 0; i < leaf->pred->depth; i++)
        at = json_object_get(at, leaf->path[i]);
    return at;
}

static bool
leaf_may_stats(const struct prune_leaf *leaf, const json_t *stats, struct weir_mem *mem)
{
    const json_t *nulls = stats_at(stats, "nullCount", leaf), *rows = json_object_get(stats, "numRecords");
    weir_pred_op op = leaf->pred->op;
    struct prune_bound lo, hi;

    if (json_is_integer(nulls)) {
        if (op == WEIR_PRED_IS_NULL)
            return json_integer_value(nulls) != 0;
        if (json_is_integer(rows) && json_integer_value(nulls) == json_integer_value(rows))
            return false; /* null in every row: no comparison is true */
    }
    if (op == WEIR_PRED_IS_NULL || op == WEIR_PRED_NOT_NULL)
        return true;
    bound_init(&lo, leaf->type);
    bound_init(&hi, leaf->type);
    bound_read(&lo, stats_at(stats, "minValues", leaf), false, mem);
    bound_read(&hi, stats_at(stats, "maxValues", leaf), true, mem);
    return bounds_may(op, &lo, &hi, leaf->pred->value);
}

static bool
leaf_may_partition(const struct prune_leaf *leaf, const struct weir_file *file, struct weir_mem *mem)
{
    weir_pred_op op = leaf->pred->op;
    struct prune_bound b;
    int c;

    bound_init(&b, leaf->type);
    for (uint32_t i = 0; i < file->nvalues; i++) {
        const char *text = file->values[i].value;

        if (text != NULL && text[0] != '\0' && strcmp(file->values[i].key, leaf->partition) == 0)
            b.there = weir_slot_parse(&b.col, 0, text, strlen(text), &weir_zone_utc, mem) &&
                      !weir_col_is_null(&b.col, 0);
    }
    if (op == WEIR_PRED_IS_NULL || op == WEIR_PRED_NOT_NULL)
        return b.there == (op == WEIR_PRED_NOT_NULL);
    if (leaf->type->kind == WEIR_TIMESTAMP)
        return true; /* a text without a zone means what the reader's session says */
    if (!b.there)
        return false;
    c = weir_slot_compare(&b.col, 0, leaf->pred->value, 0);
    return op == WEIR_PRED_EQ   ? c == 0
           : op == WEIR_PRED_LT ? c < 0
           : op == WEIR_PRED_LE ? c <= 0
           : op == WEIR_PRED_GT ? c > 0
                                : c >= 0;
}

/* Leaves stand in the order of the tree: *at is the next one. */
static bool
pred_may(const struct weir_prune *p, const struct weir_pred *pred, const struct weir_file *file,
         const json_t *stats, uint32_t *at)
{
    bool and = pred->op == WEIR_PRED_AND, may = and;

    if (pred->op >= WEIR_PRED_EQ) {
        const struct prune_leaf *leaf = &p->leaves[(*at)++];

        if (leaf->type == NULL)
            return true;
        return leaf->partition != NULL ? leaf_may_partition(leaf, file, p->scratch)
                                       : stats == NULL || leaf_may_stats(leaf, stats, p->scratch);
    }
    if (pred->op == WEIR_PRED_ANY || pred->nkids == 0)
        return true;
    for (uint32_t i = 0; i < pred->nkids; i++) {
        bool kid = pred_may(p, pred->kids[i], file, stats, at);

        may = and? may && kid : may || kid;
    }
    return may;
}

bool
weir_prune_keeps(const struct weir_prune *p, const struct weir_file *file)
{
    struct weir_error ignored = {0};
    json_t *stats = NULL;
    uint32_t at = 0;
    bool may;

    weir_mem_reset(p->scratch);
    if (p->stats && file->stats != NULL)
        (void)weir_json_load(file->stats, strlen(file->stats), &stats, &ignored);
    may = pred_may(p, p->pred, file, json_is_object(stats) ? stats : NULL, &at);
    json_decref(stats);
    return may;
}
