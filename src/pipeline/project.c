/* The grammar: SELECT item (, item)* FROM source; item: * | path [[AS] name]; path: name (. name)*; a name is a word
 * or `back quoted`. `source` is the only relation. */
#include "pipeline/project.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/str.h"

enum { ITEMS_MAX = 2000, DEPTH_MAX = 16 };

struct item {
    bool star;
    const char *path[DEPTH_MAX];
    uint32_t depth;
    const char *name; /* alias, or the path's last name */
};

struct column { /* bound: where an output column comes from */
    uint32_t at[DEPTH_MAX], depth;
};

struct weir_projection {
    struct item *items;
    uint32_t n;
    bool whole; /* SELECT * alone */
    struct column *columns;
    const struct weir_type *schema;
};

struct scanner {
    const char *at;
    struct weir_mem *mem;
    struct weir_error *err;
};

static void
skip_blanks(struct scanner *s)
{
    while (isspace((unsigned char)*s->at))
        s->at++;
}

static bool
take(struct scanner *s, char c)
{
    skip_blanks(s);
    if (*s->at != c)
        return false;
    s->at++;
    return true;
}

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool
keyword(struct scanner *s, const char *word)
{
    size_t n = strlen(word);

    skip_blanks(s);
    if (strncasecmp(s->at, word, n) != 0 || is_word(s->at[n]))
        return false;
    s->at += n;
    return true;
}

static weir_rc
refuse(struct scanner *s)
{
    skip_blanks(s);
    weir_fail(s->err, WEIR_UNSUPPORTED, "query: this version selects columns only, and cannot read \"%.40s\"", s->at);
    return weir_error_hint(s->err, "SELECT *, a, b.c AS d, _metadata.file_path FROM source; expressions, joins and "
                                   "aggregates come with the SQL driver");
}

static weir_rc
name_take(struct scanner *s, const char **out)
{
    const char *start;

    skip_blanks(s);
    if (*s->at == '`') {
        const char *end = strchr(s->at + 1, '`');

        if (end == NULL || end == s->at + 1 || end[1] == '`')
            return refuse(s);
        *out = weir_mem_strndup(s->mem, s->at + 1, (size_t)(end - s->at - 1));
        s->at = end + 1;
        return *out == NULL ? weir_mem_fail(s->mem, 0, s->err) : WEIR_OK;
    }
    start = s->at;
    while (is_word(*s->at))
        s->at++;
    if (s->at == start || isdigit((unsigned char)*start)) {
        s->at = start;
        return refuse(s);
    }
    *out = weir_mem_strndup(s->mem, start, (size_t)(s->at - start));
    return *out == NULL ? weir_mem_fail(s->mem, 0, s->err) : WEIR_OK;
}

static bool
at_from(struct scanner *s)
{
    const char *before = s->at;
    bool from = keyword(s, "from");

    s->at = before;
    return from;
}

static weir_rc
item_parse(struct scanner *s, struct item *item)
{
    *item = (struct item){0};
    if (take(s, '*')) {
        item->star = true;
        return WEIR_OK;
    }
    do {
        if (item->depth == DEPTH_MAX)
            return refuse(s);
        WEIR_TRY(name_take(s, &item->path[item->depth++]));
    } while (take(s, '.'));
    /* source.x is x */
    if (item->depth > 1 && strcasecmp(item->path[0], "source") == 0) {
        memmove(item->path, item->path + 1, (item->depth - 1) * sizeof(item->path[0]));
        item->depth--;
    }
    item->name = item->path[item->depth - 1];
    if (keyword(s, "as"))
        return name_take(s, &item->name);
    skip_blanks(s);
    if ((is_word(*s->at) || *s->at == '`') && !at_from(s))
        return name_take(s, &item->name);
    return WEIR_OK;
}

/* As many items as there can be: commas in `back quotes` count too. */
static size_t
items_bound(const char *query)
{
    size_t n = 1;

    for (const char *c = query; *c != '\0' && n < ITEMS_MAX; c++)
        n += *c == ',';
    return n;
}

weir_rc
weir_projection_parse(const char *query, struct weir_mem *mem, struct weir_projection **out, struct weir_error *err)
{
    struct scanner s = {.at = query == NULL ? "SELECT * FROM source" : query, .mem = mem, .err = err};
    struct weir_projection *p;
    weir_rc rc;

    WEIR_NEW(p, mem, sizeof(*p));
    WEIR_NEW(p->items, mem, items_bound(s.at) * sizeof(*p->items));
    if (!keyword(&s, "select"))
        WEIR_GO(refuse(&s));
    do {
        if (p->n == ITEMS_MAX)
            WEIR_GO(weir_fail(err, WEIR_USAGE, "query: more than %d columns are named", ITEMS_MAX));
        WEIR_GO(item_parse(&s, &p->items[p->n++]));
    } while (take(&s, ','));
    if (!keyword(&s, "from") || !keyword(&s, "source"))
        WEIR_GO(refuse(&s));
    (void)take(&s, ';');
    skip_blanks(&s);
    if (*s.at != '\0')
        WEIR_GO(refuse(&s));
    p->whole = p->n == 1 && p->items[0].star;
    *out = p;
out:
    return rc;
}

bool
weir_projection_wants_metadata(const struct weir_projection *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (!p->items[i].star && strcasecmp(p->items[i].path[0], "_metadata") == 0)
            return true;
    return false;
}

static weir_rc
no_such_column(const struct weir_type *in, const struct item *item, uint32_t depth, struct weir_mem *mem,
               struct weir_error *err)
{
    const char **names = weir_mem_alloc(mem, (in->nfields + 1) * sizeof(*names));
    const char *near = NULL;

    weir_fail(err, WEIR_SCHEMA, "query: there is no column %s", item->path[depth]);
    if (names != NULL) {
        for (uint32_t i = 0; i < in->nfields; i++)
            names[i] = in->fields[i].name;
        near = weir_nearest(item->path[depth], names, in->nfields);
    }
    return near == NULL ? err->rc : weir_error_hint(err, "did you mean %s?", near);
}

static weir_rc
item_bind(const struct item *item, const struct weir_type *from, struct weir_mem *mem, struct column *column,
          struct weir_field *field, struct weir_error *err)
{
    const struct weir_type *in = from;
    bool nullable = false;

    column->depth = item->depth;
    for (uint32_t d = 0; d < item->depth; d++) {
        int at = in->kind != WEIR_STRUCT ? -1 : weir_field_find(in, item->path[d], strlen(item->path[d]), false);

        if (at < 0)
            return no_such_column(in->kind == WEIR_STRUCT ? in : from, item, d, mem, err);
        column->at[d] = (uint32_t)at;
        *field = in->fields[at];
        nullable = nullable || field->nullable;
        in = field->type;
    }
    field->name = item->name;
    field->name_len = (uint32_t)strlen(item->name);
    field->nullable = nullable;
    return WEIR_OK;
}

/* The most columns that come out: a * is all of `from`, any other item one. */
static size_t
columns_most(const struct weir_projection *p, const struct weir_type *from)
{
    size_t n = 0;

    for (uint32_t i = 0; i < p->n; i++)
        n += p->items[i].star ? from->nfields : 1;
    return n;
}

weir_rc
weir_projection_bind(struct weir_projection *p, const struct weir_type *from, struct weir_mem *mem,
                     const struct weir_type **out, struct weir_error *err)
{
    size_t most = columns_most(p, from);
    struct weir_type sofar = {.kind = WEIR_STRUCT};
    struct weir_field *fields;
    uint32_t n = 0;
    weir_rc rc;

    WEIR_NEW(fields, mem, (most + 1) * sizeof(*fields));
    WEIR_NEW(p->columns, mem, (most + 1) * sizeof(*p->columns));
    sofar.fields = fields;
    for (uint32_t i = 0; i < p->n; i++) {
        if (!p->items[i].star) {
            WEIR_GO(item_bind(&p->items[i], from, mem, &p->columns[n], &fields[n], err));
            n++;
        }
        for (uint32_t c = 0; p->items[i].star && c < from->nfields; c++) {
            if (strcmp(from->fields[c].name, "_metadata") == 0 && weir_projection_wants_metadata(p))
                continue; /* hidden: it must be named to appear */
            p->columns[n] = (struct column){.at = {c}, .depth = 1};
            fields[n++] = from->fields[c];
        }
        for (uint32_t k = sofar.nfields; k < n; k++, sofar.nfields++)
            if (weir_field_find(&sofar, fields[k].name, fields[k].name_len, false) >= 0)
                WEIR_GO(weir_fail(err, WEIR_USAGE, "query: two columns are named %s", fields[k].name));
    }
    p->schema = p->whole ? from : weir_type_struct(mem, fields, n);
    if (p->schema == NULL)
        WEIR_GO(weir_mem_fail(mem, 0, err));
    *out = p->schema;
out:
    return rc;
}

struct weir_view {
    const struct weir_projection *p;
    struct weir_quota *q;
    struct weir_page page;
    uint64_t *masks; /* one a column: the parents' nulls and its own */
    size_t bytes;
};

enum { MASK_WORDS = WEIR_PAGE_ROWS / 64 };

weir_rc
weir_view_new(const struct weir_projection *p, struct weir_quota *q, struct weir_view **out, struct weir_error *err)
{
    struct weir_view *v;
    uint32_t n = p->schema->nfields;
    size_t bytes = sizeof(*v) + n * (sizeof(struct weir_col) + MASK_WORDS * sizeof(uint64_t));

    v = weir_heap_alloc(q, bytes);
    if (v == NULL)
        return weir_heap_fail(q, bytes, "the query", err);
    memset(v, 0, bytes);
    v->p = p;
    v->q = q;
    v->bytes = bytes;
    v->masks = (uint64_t *)(void *)(v + 1);
    v->page.cols = (struct weir_col *)(void *)(v->masks + (size_t)n * MASK_WORDS);
    v->page.ncols = n;
    v->page.schema = p->schema;
    *out = v;
    return WEIR_OK;
}

void
weir_view_free(struct weir_view *v)
{
    if (v != NULL)
        weir_heap_free(v->q, v, v->bytes);
}

/* A field of a struct is null where the struct is. */
static void
view_nulls(struct weir_col *col, const struct weir_col *parent, uint64_t *mask, uint32_t rows)
{
    if (parent->valid == NULL)
        return;
    for (uint32_t w = 0; w < (rows + 63) / 64; w++)
        mask[w] = parent->valid[w] & (col->valid == NULL ? UINT64_MAX : col->valid[w]);
    col->valid = mask;
}

const struct weir_page *
weir_view_of(struct weir_view *v, const struct weir_page *page)
{
    if (v->p->whole)
        return page;
    v->page.rows = page->rows;
    v->page.cap = page->cap;
    v->page.object = page->object;
    v->page.pos = page->pos;
    v->page.count = page->count;
    for (uint32_t i = 0; i < v->page.ncols; i++) {
        const struct column *c = &v->p->columns[i];
        const struct weir_col *at = &page->cols[c->at[0]];

        v->page.cols[i] = *at;
        for (uint32_t d = 1; d < c->depth; d++) {
            struct weir_col parent = v->page.cols[i];

            v->page.cols[i] = parent.kids[c->at[d]];
            view_nulls(&v->page.cols[i], &parent, v->masks + (size_t)i * MASK_WORDS, page->rows);
        }
    }
    return &v->page;
}
