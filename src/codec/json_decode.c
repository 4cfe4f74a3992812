/* JSON records into pages, driven by the schema.
 *
 * 1. Every record becomes a row or is counted. A row is written in place: what a record left behind is undone
 *    when it turns out to be malformed or is dropped (record_undo).
 * 2. The last of several values of one key wins, if it fits; those that lose are rescued or counted as lost.
 * 3. What does not fit (a misfit) is null in its column, and its text goes
 *      - with a rescued column: there, at its place in the record;
 *      - else into the corrupt column, as the whole record's text (Spark's PERMISSIVE);
 *      - else nowhere: counted as lost.
 *    A list or map with a misfit is null as a whole; structs in it lose the field only. Its text is kept
 *    either way. A number of more digits than its column holds (1.55 as DECIMAL(9,1), 2^53 + 1 as DOUBLE) is
 *    rounded, as in Spark, and with a rescued column its text is kept there as well.
 * 4. A malformed record is a row of nulls, its text in the corrupt column, or in the rescued one as
 *    {"_corrupt_record":"…"}, or counted as lost.
 * 5. Children of lists are only ever appended. Those of a list that lost are left over: no slot points to
 *    them.
 * Strings without escapes point into the block, which the page holds. Depth is bounded by the schema's; what
 * the schema does not know is skipped without recursion.
 * Follows Spark's JacksonParser and FailureSafeParser; where it differs: docs/json-differences.md. */
#include <inttypes.h>

#include "codec/json_decode_int.h"

#include "base/str.h"

/* ---- Undoing */

void
weir_json_rows_forget(struct weir_col *col, uint32_t from, uint32_t to)
{
    for (uint32_t row = from; col->valid != NULL && row < to; row++)
        weir_col_set_valid(col, row);
    if (col->type->kind == WEIR_STRUCT)
        for (uint32_t i = 0; i < col->nkids; i++)
            weir_json_rows_forget(&col->kids[i], from, to);
}

static void
lists_mark(struct json_decoder *d)
{
    for (uint32_t i = 0; i < d->nlists; i++)
        d->lists[i].mark = d->lists[i].child->len;
}

/* Takes back what the record at hand wrote; its row can be written again. */
static void
record_undo(struct json_decoder *d)
{
    struct weir_page *page = d->page;

    for (uint32_t i = 0; i < d->nlists; i++) {
        struct json_list *list = &d->lists[i];

        weir_json_rows_forget(list->child, list->mark, list->child->len);
        list->child->len = list->mark;
    }
    for (uint32_t i = 0; i < d->root->nfields; i++)
        if (!d->root->fields[i].foreign)
            weir_json_rows_forget(&page->cols[i], page->rows, page->rows + 1);
}

static void
lists_bind(struct json_decoder *d)
{
    for (uint32_t i = 0; i < d->nlists; i++) {
        struct json_list *list = &d->lists[i];
        struct weir_col *col = list->around < 0 ? NULL : d->lists[list->around].child;

        for (uint32_t k = 0; k < list->depth; k++)
            col = col == NULL ? &d->page->cols[list->path[k]] : &col->kids[list->path[k]];
        list->child = &col->kids[0];
    }
}

/* ---- What does not fit */

static bool
rescues(const struct json_decoder *d)
{
    return d->env.rescued >= 0;
}

/* Whether the value that begins at start, which was read before, is more than standard JSON. */
static bool
is_loose(const struct json_decoder *d, const char *start, const char **end)
{
    struct json_text probe = d->walk.text;

    probe.loose = false;
    *end = weir_json_skip(&probe, start);
    WEIR_ASSERT(*end != NULL);
    return probe.loose;
}

/* The value at start goes into the rescued text under the key at hand, outside of lists. type: its column's,
 * NULL: it has none. */
static void
value_rescue(struct json_decoder *d, const struct weir_type *type, const char *start)
{
    bool nested = *start == '{' || *start == '[';
    const char *end;
    bool as_text = is_loose(d, start, &end) || (nested && type != NULL && !weir_kind_is_nested(type->kind));

    weir_json_rescue_put(&d->rescue, d->key, weir_slice(start, (size_t)(end - start)), as_text);
}

static void
misfit_count(struct json_decoder *d, const struct weir_type *type)
{
    if (d->misfits++ == 0) {
        d->misfit_key = d->key;
        d->misfit_type = type;
    }
}

/* The value of f at start is a misfit (the caller nulls the slot), or a list with one inside. */
static void
member_misfit(struct json_decoder *d, const struct json_field *f, const char *start)
{
    if (d->fit == JSON_MISFIT)
        misfit_count(d, f->node->type);
    d->fit = d->in_list > 0 ? JSON_PARTIAL : JSON_FITS;
    if (d->in_list == 0 && rescues(d))
        value_rescue(d, f->node->type, start);
}

/* The value of f at `before` fitted, but another came behind it. */
static void
member_lost(struct json_decoder *d, const struct json_field *f, const char *before)
{
    if (!rescues(d))
        d->lost++;
    else if (d->in_list > 0)
        d->fit = JSON_PARTIAL;
    else
        value_rescue(d, f->node->type, before);
}

/* ---- Objects */

/* The value of a key that came before in this object; f->at says where, and whether it fitted. */
static __attribute__((noinline)) const char *
member_again(struct json_decoder *d, struct json_field *f, struct weir_col *col, uint32_t row, const char *p)
{
    const char *before = f->at, *start = p, *key = d->key;
    bool was_null = weir_col_is_null(col, row), misfit;

    if (f->node->kind == WEIR_STRUCT && *p == '{')
        for (uint32_t k = 0; k < col->nkids; k++)
            weir_json_rows_forget(&col->kids[k], row, row + 1);
    weir_col_set_valid(col, row);
    p = f->node->read(d, f->node, col, row, p);
    if (p == NULL)
        return NULL;
    d->key = key;
    misfit = d->fit == JSON_MISFIT;
    if (d->fit != JSON_FITS)
        member_misfit(d, f, start);
    if (misfit) { /* the value before stays, as in Spark */
        if (was_null)
            weir_col_set_null(col, row);
        return p;
    }
    if (before != NULL)
        member_lost(d, f, before);
    f->at = start;
    return p;
}

/* The value of f, read just now, did not fit, or a part of it. */
static __attribute__((noinline)) void
member_odd(struct json_decoder *d, struct json_field *f, struct weir_col *col, uint32_t row, const char *key)
{
    const char *start = f->at;

    d->key = key;
    if (d->fit == JSON_MISFIT) {
        weir_col_set_null(col, row);
        f->at = NULL;
    }
    member_misfit(d, f, start);
}

/* Remembers the first field that the schema lacks, for the caller's message. */
static void
unknown_note(struct json_decoder *d)
{
    struct json_text probe = d->walk.text;
    struct json_string key;

    if (d->unknown || weir_json_key(&probe, d->key, &key) == NULL)
        return;
    d->unknown = true;
    snprintf(d->unknown_name, sizeof(d->unknown_name), "%.*s", key.len < 100 ? (int)key.len : 100, key.at);
}

/* A key that the struct has no column for. known: it has one, but not for the record (partition, other
 * case). */
static __attribute__((noinline)) const char *
member_unknown(struct json_decoder *d, bool known, const char *p)
{
    const char *start = p;

    p = weir_json_skip(&d->walk.text, p);
    if (p == NULL)
        return NULL;
    if (d->env.track_unknown && !known)
        unknown_note(d);
    if (!rescues(d))
        return p;
    if (d->in_list > 0)
        d->fit = JSON_PARTIAL;
    else
        value_rescue(d, NULL, start);
    return p;
}

/* The key at p that was not the one guessed. *found: its field, or the one that matches nothing; *known as
 * for member_unknown(). Returns the byte behind its colon. */
static __attribute__((noinline)) const char *
key_find(struct json_decoder *d, const struct json_node *node, const char *p, struct json_field **found,
         bool *known)
{
    struct json_field *none = &node->fields[node->nfields];
    struct json_text *t = &d->walk.text;
    struct json_string raw;
    struct weir_slice plain;
    bool lone = false;

    p = weir_json_key(t, p, &raw);
    if (p == NULL || !weir_json_plain(d, &raw, &plain, &lone))
        return NULL;
    *found = lone ? none : weir_json_field_find(node, &node->exact, plain.ptr, plain.len);
    *known = false;
    if (*found == none && !lone) {
        struct json_field *other = weir_json_field_find(node, &node->folded, plain.ptr, plain.len);

        *known = other != none;
        if (!d->opt->case_sensitive)
            *found = other;
    }
    if ((*found)->foreign) {
        *found = none;
        *known = true;
    }
    p = json_blanks(t, p);
    return *p == ':' ? p + 1 : json_fail(t, "a colon was expected");
}

/* Fields that did not come in the object at hand are null. */
static __attribute__((noinline)) void
object_fill(const struct json_node *node, struct weir_col *cols, uint32_t row)
{
    for (uint32_t i = 0; i < node->nfields; i++) {
        const struct json_field *f = &node->fields[i];

        if (f->object != node->object && !f->foreign)
            weir_col_set_null(&cols[f->col], row);
    }
}

/* p is behind the brace. d->fit is what its members say: in a list PARTIAL when one was null that was
 * something. */
static const char *
object_decode(struct json_decoder *d, struct json_node *node, struct weir_col *cols, uint32_t row,
              const char *p)
{
    struct json_field *none = &node->fields[node->nfields], *last = none, *f = none->next;
    struct json_text *t = &d->walk.text;
    json_fit worst = JSON_FITS;
    uint64_t object = ++node->object;
    uint32_t came = 0;

    p = json_blanks(t, p);
    if (*p == '}')
        goto out;
    for (;;) {
        const char *key = p;
        bool known = false;

        if (__builtin_expect(json_field_matches(f, p), 1)) {
            p += f->quick_len;
        } else {
            p = key_find(d, node, p, &f, &known);
            if (p == NULL)
                return NULL;
            if (f != none)
                last->next = f;
        }
        p = json_blanks(t, p);
        d->key = key;
        if (f == none) {
            p = member_unknown(d, known, p);
        } else if (__builtin_expect(f->object == object, 0)) {
            p = member_again(d, f, &cols[f->col], row, p);
        } else {
            f->object = object;
            f->at = p;
            came++;
            p = f->node->read(d, f->node, &cols[f->col], row, p);
            if (__builtin_expect(d->fit != JSON_FITS, 0) && p != NULL)
                member_odd(d, f, &cols[f->col], row, key);
        }
        if (p == NULL)
            return NULL;
        if (__builtin_expect(d->fit != JSON_FITS, 0)) {
            worst = JSON_PARTIAL;
            d->fit = JSON_FITS;
        }
        if (f != none)
            last = f;
        f = last->next;
        if (*p != ',')
            p = json_blanks(t, p);
        if (*p == '}')
            break;
        if (*p != ',')
            return json_fail(t, "a comma or } was expected");
        if (*++p != '"')
            p = json_blanks(t, p);
    }
out:
    if (came < node->nown)
        object_fill(node, cols, row);
    d->fit = worst;
    return p + 1;
}

/* An object in a struct's slot. */
const char *
weir_json_read_struct(struct json_decoder *d, struct json_node *node, struct weir_col *col, uint32_t row,
                      const char *p)
{
    struct json_frame frame;

    if (*p != '{')
        return weir_json_read_any(d, node, col, row, p);
    d->walk.text.depth++;
    if (d->in_list == 0) {
        frame = (struct json_frame){.up = d->rescue.frame, .key = d->key};
        d->rescue.frame = &frame;
    }
    p = object_decode(d, node, col->kids, row, p + 1);
    if (d->in_list == 0)
        weir_json_rescue_leave(&d->rescue, &frame);
    d->walk.text.depth--;
    return p;
}

/* ---- Lists */

bool
weir_json_child_append(struct json_decoder *d, struct weir_col *child, uint32_t *slot)
{
    if (child->len >= child->cap) {
        d->rc = child->len == UINT32_MAX ? weir_fail(d->err, WEIR_NOMEM, "a list is too long")
                                         : weir_col_room(child, child->len + 1, d->err);
        if (d->rc != WEIR_OK)
            return false;
    }
    *slot = child->len++;
    return true;
}

/* p is behind the bracket. */
static const char *
array_decode(struct json_decoder *d, struct json_node *node, struct weir_col *child, const char *p,
             json_fit *worst)
{
    struct json_text *t = &d->walk.text;
    uint32_t slot;

    p = json_blanks(t, p);
    if (*p == ']')
        return p + 1;
    for (;;) {
        if (!weir_json_child_append(d, child, &slot))
            return NULL;
        p = node->kid->read(d, node->kid, child, slot, p);
        if (p == NULL)
            return NULL;
        json_fit_worsen(d, worst);
        p = json_blanks(t, p);
        if (*p == ']')
            return p + 1;
        if (*p != ',')
            return json_fail(t, "a comma or ] was expected");
        p = json_blanks(t, p + 1);
    }
}

/* An array or a map. */
const char *
weir_json_read_list(struct json_decoder *d, struct json_node *node, struct weir_col *col, uint32_t row,
                    const char *p)
{
    struct weir_col *child = &col->kids[0];
    uint32_t from = child->len;
    json_fit worst = JSON_FITS;

    if (*p != (node->kind == WEIR_ARRAY ? '[' : '{'))
        return weir_json_read_any(d, node, col, row, p);
    d->in_list++;
    d->walk.text.depth++;
    p = node->kind == WEIR_ARRAY ? array_decode(d, node, child, p + 1, &worst)
                                 : weir_json_map(d, node, child, p + 1, &worst);
    d->walk.text.depth--;
    d->in_list--;
    d->fit = worst;
    if (worst != JSON_MISFIT)
        ((struct weir_list *)col->data)[row] = (struct weir_list){.at = from, .n = child->len - from};
    return p;
}

/* ---- Records */

/* Text into a STRING column; what is no UTF-8 becomes U+FFFD. */
static weir_rc
text_keep(struct json_decoder *d, int32_t col, struct weir_slice text, bool in_block)
{
    struct weir_str *slot = (struct weir_str *)d->page->cols[col].data + d->page->rows;
    bool valid = weir_utf8_valid(text.ptr, text.len);

    if (text.len > INT32_MAX) /* escapes make a rescued text up to six times as long as its record */
        return weir_fail(d->err, WEIR_UNSUPPORTED, "a text of over 2 GiB to keep: lower weir.maxRecordBytes");
    if (!valid && !weir_json_repair(d->page->mem, text, &text))
        return weir_mem_fail(d->page->mem, text.len, d->err);
    if (!valid || in_block)
        *slot = weir_str_of(text.ptr, (uint32_t)text.len);
    else if (!weir_str_copy(d->page->mem, text.ptr, (uint32_t)text.len, slot))
        return weir_mem_fail(d->page->mem, text.len, d->err);
    return WEIR_OK;
}

/* Ends the rescued text and puts it into its column. */
static weir_rc
rescued_keep(struct json_decoder *d)
{
    weir_json_rescue_end(&d->rescue, weir_slice(d->uri.data, d->uri.len));
    WEIR_TRY(weir_buf_check(&d->uri, d->err));
    WEIR_TRY(weir_buf_check(&d->rescue.buf, d->err));
    d->page->count.rescued++;
    return text_keep(d, d->env.rescued, weir_slice(d->rescue.buf.data, d->rescue.buf.len), false);
}

static void
column_null(struct json_decoder *d, int32_t col)
{
    if (col >= 0)
        weir_col_set_null(&d->page->cols[col], d->page->rows);
}

static weir_rc
record_fails(struct json_decoder *d, int64_t offset, const char *why)
{
    weir_fail(d->err, WEIR_BADDATA, "byte %" PRId64 ": malformed JSON record: %s", offset, why);
    return weir_error_hint(d->err, "mode is FAILFAST; PERMISSIVE keeps such records in the column %s",
                           d->opt->corrupt_column);
}

static weir_rc
misfit_fails(struct json_decoder *d, const char *start)
{
    struct json_text probe = d->walk.text;
    struct json_string key;
    char why[160];

    if (d->misfit_type == NULL || weir_json_key(&probe, d->misfit_key, &key) == NULL)
        snprintf(why, sizeof(why), "text stands behind the value");
    else
        snprintf(why, sizeof(why), "the value of \"%.*s\" is no %s", key.len < 80 ? (int)key.len : 80, key.at,
                 weir_kind_name(d->misfit_type->kind));
    return record_fails(d, weir_json_walk_offset(&d->walk, start), why);
}

/* A record that is JSON but does not fit, without a rescued column. */
static weir_rc
record_misfit(struct json_decoder *d, const char *start)
{
    if (d->opt->mode == WEIR_FAILFAST)
        return misfit_fails(d, start);
    if (d->opt->mode == WEIR_DROPMALFORMED) {
        record_undo(d);
        d->page->count.dropped++;
        return WEIR_OK;
    }
    if (d->env.corrupt >= 0) {
        d->page->count.corrupt++;
        WEIR_TRY(text_keep(d, d->env.corrupt, weir_json_walk_text(&d->walk, start), true));
    } else {
        d->page->count.lost += d->misfits;
    }
    d->page->count.lost += d->lost;
    d->page->rows++;
    return WEIR_OK;
}

/* The record was JSON, all of it, and stands in the row. */
static weir_rc
record_keep(struct json_decoder *d, const char *start)
{
    if (__builtin_expect(d->rescue.buf.len > 0, 0)) {
        WEIR_TRY(rescued_keep(d));
        column_null(d, d->env.corrupt);
    } else {
        column_null(d, d->env.rescued);
        if (__builtin_expect(d->misfits > 0, 0))
            return record_misfit(d, start);
        column_null(d, d->env.corrupt);
    }
    d->page->count.lost += d->lost;
    d->page->rows++;
    return WEIR_OK;
}

/* Nulls in all columns that are the decoder's. */
static void
row_null(struct json_decoder *d)
{
    for (uint32_t i = 0; i < d->root->nfields; i++)
        if (!d->root->fields[i].foreign)
            weir_col_set_null(&d->page->cols[i], d->page->rows);
    column_null(d, d->env.corrupt);
    column_null(d, d->env.rescued);
}

/* Where a malformed record's text goes. */
static weir_rc
broken_keep(struct json_decoder *d, struct weir_slice text)
{
    struct weir_page *page = d->page;

    if (d->env.corrupt >= 0) {
        weir_col_set_valid(&page->cols[d->env.corrupt], page->rows);
        return text_keep(d, d->env.corrupt, text, true);
    }
    if (!rescues(d)) {
        page->count.lost++;
        return WEIR_OK;
    }
    weir_col_set_valid(&page->cols[d->env.rescued], page->rows);
    if (!weir_utf8_valid(text.ptr, text.len) && !weir_json_repair(page->mem, text, &text))
        return weir_mem_fail(page->mem, text.len, d->err);
    weir_buf_reset(&d->rescue.buf);
    d->top = (struct json_frame){0};
    d->rescue.frame = &d->top;
    weir_json_rescue_text(&d->rescue, text);
    return rescued_keep(d);
}

/* A malformed record at start: invariant 4. */
static weir_rc
record_broken(struct json_decoder *d, const char *start)
{
    struct weir_page *page = d->page;
    int64_t offset = weir_json_walk_offset(&d->walk, start);
    const char *why = d->walk.text.why == NULL ? "not an object" : d->walk.text.why;
    struct weir_slice text;

    record_undo(d);
    if (d->opt->mode == WEIR_FAILFAST)
        return record_fails(d, offset, why);
    text = weir_json_walk_broken(&d->walk, start);
    page->count.corrupt++;
    if (d->opt->mode == WEIR_DROPMALFORMED) {
        page->count.dropped++;
        return WEIR_OK;
    }
    page->pos[page->rows] = offset;
    row_null(d);
    WEIR_TRY(broken_keep(d, text));
    page->rows++;
    return WEIR_OK;
}

/* A message ends with its value; Spark forgets what stands behind. */
static weir_rc
message_rest(struct json_decoder *d)
{
    struct json_text probe = d->walk.text;
    const char *rest = json_blanks(&probe, d->walk.p);
    struct weir_slice text;

    text = weir_json_walk_text(&d->walk, d->walk.p);
    d->walk.p = d->walk.text.end; /* blanks, too: what is left would be taken for another message */
    if (rest >= probe.end)
        return WEIR_OK;
    misfit_count(d, NULL);
    if (!rescues(d))
        return WEIR_OK;
    if (!weir_utf8_valid(text.ptr, text.len) && !weir_json_repair(d->page->mem, text, &text))
        return weir_mem_fail(d->page->mem, text.len, d->err);
    weir_json_rescue_text(&d->rescue, text);
    return WEIR_OK;
}

static void
record_begin(struct json_decoder *d)
{
    d->fit = JSON_FITS;
    d->misfits = d->lost = 0;
    d->in_list = d->map_level = 0;
    d->walk.text.depth = 1;
    d->walk.text.why = NULL;
    d->top = (struct json_frame){0};
    d->rescue.frame = &d->top;
    weir_buf_reset(&d->rescue.buf);
    lists_mark(d);
    d->page->count.records++;
}

static weir_rc
record_decode(struct json_decoder *d)
{
    const char *start = d->walk.p, *p;

    record_begin(d);
    p = *start == '{' ? object_decode(d, d->root, d->page->cols, d->page->rows, start + 1) : NULL;
    if (d->rc != WEIR_OK)
        return d->rc;
    if (p == NULL || p > d->walk.text.end)
        return record_broken(d, start);
    weir_json_walk_took(&d->walk, p);
    if (d->walk.message)
        WEIR_TRY(message_rest(d));
    d->page->pos[d->page->rows] = weir_json_walk_offset(&d->walk, start);
    return record_keep(d, start);
}

/* A blank message is a row of nulls, as from_json gives a null. */
static void
message_blank(struct json_decoder *d)
{
    struct weir_page *page = d->page;

    row_null(d);
    page->pos[page->rows] = d->walk.in->offset;
    page->count.records++;
    page->count.blank++;
    page->rows++;
}

/* What walk_next() found. */
static weir_rc
step_decode(struct json_decoder *d, json_step step)
{
    const char *why = d->walk.text.why;

    switch (step) {
    case JSON_RECORD:
        return record_decode(d);
    case JSON_BROKEN:
        record_begin(d);
        d->walk.text.why = why;
        return record_broken(d, d->walk.p);
    case JSON_BLANK:
        d->page->count.records++;
        d->page->count.blank++;
        return WEIR_OK;
    case JSON_END:
        break;
    }
    return WEIR_OK;
}

static weir_rc
records_decode(struct json_decoder *d)
{
    uint64_t before = d->page->count.records;
    json_step step;

    while (d->page->rows < d->page->cap) {
        WEIR_TRY(weir_json_walk_next(&d->walk, &step, d->err));
        if (step == JSON_END)
            break;
        WEIR_TRY(step_decode(d, step));
    }
    if (d->walk.message && d->page->count.records == before && d->page->rows < d->page->cap)
        message_blank(d);
    return WEIR_OK;
}

weir_rc
weir_json_decode(void *dec, struct weir_records *in, struct weir_page *page, struct weir_error *err)
{
    struct json_decoder *d = dec;
    weir_rc rc;

    if (in->end - in->at > INT32_MAX)
        return weir_fail(err, WEIR_UNSUPPORTED, "a block of over 2 GiB of JSON: lower weir.maxRecordBytes");
    WEIR_TRY(weir_page_hold(page, in->block, err));
    WEIR_TRY(weir_json_walk_open(&d->walk, d->opt, in, d->env.message, page->mem, err));
    d->page = page;
    d->err = err;
    d->rc = WEIR_OK;
    d->unknown = false;
    d->rescue.text = &d->walk.text;
    lists_bind(d);
    rc = records_decode(d);
    weir_json_walk_close(&d->walk);
    if (rc == WEIR_OK && d->unknown)
        return weir_fail(err, WEIR_SCHEMA, "the schema has no field \"%s\"", d->unknown_name);
    return rc;
}

/* ---- Making and freeing */

static weir_rc
text_column_check(const struct json_decoder *d, int32_t col, const char *what, struct weir_error *err)
{
    if (col < 0 || d->env.schema->fields[col].type->kind == WEIR_STRING)
        return WEIR_OK;
    return weir_fail(err, WEIR_USAGE,
                     "the %s column %s must be a STRING, not %s (INVALID_CORRUPT_RECORD_TYPE)", what,
                     d->env.schema->fields[col].name, weir_kind_name(d->env.schema->fields[col].type->kind));
}

weir_rc
weir_json_decoder_new(const void *opt, const struct weir_decode_env *env, void **dec, struct weir_error *err)
{
    struct weir_mem *mem = weir_mem_new(NULL, env->quota, "json decoder");
    const struct json_options *options = opt;
    uint64_t most = 8 * options->max_record + WEIR_MIB;
    struct json_decoder *d;
    weir_rc rc = WEIR_OK;

    if (mem == NULL)
        return weir_heap_fail(env->quota, sizeof(*d), "a JSON decoder", err);
    WEIR_NEW(d, mem, sizeof(*d));
    d->opt = options;
    d->env = *env;
    d->mem = mem;
    d->err = err;
    memcpy(&d->day_text, "1970-01-", 8);
    memcpy(&d->day_text2, "01", 2);
    weir_buf_init(&d->uri, WEIR_SMALL_MAX, env->quota);
    weir_buf_init(&d->scratch, most, env->quota);
    weir_buf_init(&d->rescue.buf, most, env->quota);
    if (env->message && options->mode == WEIR_DROPMALFORMED) {
        weir_fail(err, WEIR_UNSUPPORTED,
                  "mode DROPMALFORMED: a message is always a row (PARSE_MODE_UNSUPPORTED)");
        WEIR_GO(weir_error_hint(err, "use PERMISSIVE and drop rows with an expectation"));
    }
    WEIR_GO(text_column_check(d, env->rescued, "rescued data", err));
    WEIR_GO(text_column_check(d, env->corrupt, "corrupt record", err));
    WEIR_GO(weir_json_compile(d, err));
    *dec = d;
    mem = NULL;
out:
    weir_mem_free(mem);
    return rc;
}

void
weir_json_decoder_object(void *dec, const char *uri)
{
    struct json_decoder *d = dec;

    if (!d->env.rescue_path)
        return;
    weir_buf_reset(&d->uri);
    weir_buf_str(&d->uri, uri);
}

void
weir_json_decoder_free(void *dec)
{
    struct json_decoder *d = dec;

    if (d == NULL)
        return;
    weir_buf_fini(&d->uri);
    weir_buf_fini(&d->scratch);
    weir_json_map_fini(d);
    weir_buf_fini(&d->rescue.buf);
    weir_mem_free(d->mem);
}
