/* Random Parquet files and what must be in them: parquet_random FIRST COUNT [DIR]
 *
 * For each seed: a random schema (all types, depth 4, NOT NULL and void columns), random rows in pages of 1,
 * 7 or many rows (nulls in patterns, empty lists, lists with gaps between them, CONST columns, selections,
 * rubbish under nulls), random sizes of pages and row groups, each codec. DIR gets
 *   SEED.parquet   the file
 *   SEED.jsonl     the rows as canonical JSON: structs and lists as arrays, maps as arrays of pairs, void left
 *                  out, floats by their bits, texts and bytes in hex, other scalars as numbers in strings
 *   SEED.json      the options, the row count and the Delta statistics
 * Without DIR only the writing is exercised, for sanitizers. tests/e2e/test_parquet_peers.py compares.
 *
 * A row is made as a tree of values first; the text is printed from it and the page filled from it, so
 * neither is made from the other. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/parquet_write.h"

/* ---- chance ---- */

static uint64_t chance_state;

static uint64_t
chance(void)
{
    uint64_t z = chance_state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint32_t
below(uint32_t n)
{
    return (uint32_t)(chance() % n);
}

#define PICK(...)                                                                                            \
    pick((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static uint32_t
pick(const uint32_t *from, size_t n)
{
    return from[below((uint32_t)n)];
}

static void
must(weir_rc rc, const struct weir_error *err)
{
    char text[1400];

    if (rc == WEIR_OK)
        return;
    fprintf(stderr, "parquet_random: %s\n", weir_error_text(err, text, sizeof(text)));
    exit(1);
}

static void *
must_have(void *p)
{
    if (p == NULL)
        abort();
    return p;
}

/* ---- schemas ---- */

static uint32_t last_id; /* a field's id ends its name, so that a reader of the file can check it */

static const struct weir_type *random_type(struct weir_mem *mem, unsigned depth, bool in_list);

static const struct weir_type *
random_scalar(struct weir_mem *mem, bool with_void)
{
    static const struct weir_type *const plain[] = {
        &weir_type_boolean,   &weir_type_byte,          &weir_type_short,  &weir_type_int,
        &weir_type_long,      &weir_type_float,         &weir_type_double, &weir_type_date,
        &weir_type_timestamp, &weir_type_timestamp_ntz, &weir_type_string, &weir_type_binary,
        &weir_type_string};
    uint32_t k = below(20);

    if (k == 19)
        return with_void ? &weir_type_void : &weir_type_int;
    if (k >= 13) {
        unsigned p = 1 + below(38);

        return must_have(weir_type_decimal(mem, p, below(p + 1)));
    }
    return plain[k];
}

static const struct weir_type *
random_struct(struct weir_mem *mem, unsigned depth, uint32_t n, bool in_list)
{
    struct weir_field fields[16] = {{0}};
    bool stored = false;

    for (uint32_t i = 0; i < n; i++) {
        last_id++;
        fields[i].name =
            must_have(weir_mem_printf(mem, "%s%" PRIu32 "_%" PRIu32, depth == 0 ? "c" : "f", i, last_id));
        fields[i].metadata =
            must_have(weir_mem_printf(mem, "{\"delta.columnMapping.id\":%" PRIu32 "}", last_id));
        fields[i].name_len = (uint32_t)strlen(fields[i].name);
        fields[i].nullable = below(4) != 0;
        fields[i].type = random_type(mem, depth + 1, in_list);
        stored |= fields[i].type->kind != WEIR_VOID;
    }
    if (!stored)
        fields[0].type = &weir_type_long;
    for (uint32_t i = 0; i < n; i++)
        fields[i].nullable |= fields[i].type->kind == WEIR_VOID;
    return must_have(weir_type_struct(mem, fields, n));
}

static const struct weir_type *
random_map(struct weir_mem *mem, unsigned depth)
{
    static const struct weir_type *const keys[] = {&weir_type_int, &weir_type_string, &weir_type_long,
                                                   &weir_type_date, &weir_type_boolean};

    return must_have(weir_type_map(mem, keys[below(5)], random_type(mem, depth + 1, true), below(3) != 0));
}

static const struct weir_type *
random_type(struct weir_mem *mem, unsigned depth, bool in_list)
{
    uint32_t k = depth > 4 ? 9 : below(12);

    if (k == 0 || k == 1)
        return random_struct(mem, depth, 1 + below(4), in_list);
    if (k == 2 || k == 3)
        return must_have(weir_type_array(mem, random_type(mem, depth + 1, true), below(3) != 0));
    if (k == 4)
        return random_map(mem, depth);
    return random_scalar(mem, !in_list);
}

/* ---- values ---- */

struct value {
    bool null;
    weir_i128 num;     /* integers, dates, times, decimals, booleans */
    double real;       /* FLOAT (its bits in num), DOUBLE */
    const char *bytes; /* with a pad */
    uint32_t len;
    struct value *kids; /* of a struct its fields, of an array its elements, of a map its pairs */
    uint32_t nkids;
};

/* How a field's values are spread: chosen when the field is first met. */
struct spread {
    const struct weir_field *field;
    uint32_t distinct; /* 0: no limit; 1: a sequence */
    uint32_t nulls;    /* in 1000 */
    uint32_t most;     /* elements of a list, or the length class of a text */
    int64_t next;
};
static struct spread spreads[4096];
static size_t nspreads;

static struct spread *
spread_of(const struct weir_field *f)
{
    for (size_t i = 0; i < nspreads; i++)
        if (spreads[i].field == f)
            return &spreads[i];
    if (nspreads == sizeof(spreads) / sizeof(spreads[0]))
        abort();
    spreads[nspreads] = (struct spread){f, PICK(0, 0, 1, 2, 5, 300, 5000), PICK(0, 0, 20, 500, 990, 1000),
                                        PICK(0, 1, 2, 3, 5, 60), (int64_t)below(1000)};
    return &spreads[nspreads++];
}

static weir_i128
number_within(weir_i128 least, weir_i128 most, const struct spread *s, int64_t seed)
{
    unsigned __int128 span = (unsigned __int128)most - (unsigned __int128)least + 1, r;
    uint64_t state = chance_state;

    if (s->distinct > 1)
        chance_state = (uint64_t)seed * 77; /* the same seed, the same number */
    r = (unsigned __int128)chance() << 64 | chance();
    if (s->distinct > 1)
        chance_state = state;
    if (below(40) == 0)
        return below(2) ? least : most;
    if (s->distinct > 1 ? seed & 1 : below(2))
        r = (unsigned __int128)(least < 0 ? -least : 0) + r % 1000;
    return (weir_i128)((unsigned __int128)least + r % span);
}

static void
random_number(const struct weir_type *t, const struct spread *s, int64_t seed, struct value *v)
{
    weir_i128 most = 1;

    switch (t->kind) {
    case WEIR_BOOLEAN:
        v->num = below(2);
        return;
    case WEIR_BYTE:
        v->num = number_within(INT8_MIN, INT8_MAX, s, seed);
        return;
    case WEIR_SHORT:
        v->num = number_within(INT16_MIN, INT16_MAX, s, seed);
        return;
    case WEIR_INT:
        v->num = number_within(INT32_MIN, INT32_MAX, s, seed);
        return;
    case WEIR_LONG:
        v->num = number_within(INT64_MIN, INT64_MAX, s, seed);
        return;
    case WEIR_DATE: /* of the years 1 to 9999, which all peers know */
        v->num = number_within(-719162, 2932896, s, seed);
        return;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
        v->num = number_within(INT64_C(-62135596800000000), INT64_C(253402300799999999), s, seed);
        return;
    default:
        for (unsigned i = 0; i < t->precision; i++)
            most *= 10;
        v->num = number_within(1 - most, most - 1, s, seed);
        return;
    }
}

static void
random_real(const struct weir_type *t, int64_t seed, struct value *v)
{
    static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e-310, 1.5, -1e30};
    float f;
    uint32_t bits;

    v->real = below(6) == 0 ? odd[below(8)] : (double)seed * 0.37 - 100;
    if (t->kind == WEIR_DOUBLE)
        return;
    f = (float)v->real;
    v->real = (double)f;
    memcpy(&bits, &f, sizeof(bits));
    v->num = bits;
}

static void
random_bytes(struct weir_mem *mem, const struct weir_type *t, const struct spread *s, int64_t seed,
             struct value *v)
{
    static const char *const chars[] = {
        "a",   "Z", "\"", "\\", "\xc3\xa9", "\xe5\x8c\x97", "\xf0\x9f\x98\x80", "\n", "\xf4\x8f\xbf\xbf",
        "\x7f"};
    static const uint32_t lens[] = {0, 3, 12, 13, 40, 200};
    uint32_t chars_n = s->most == 60 && below(400) == 0 ? 60000 : below(lens[below(6)] + 1);
    char *p = must_have(weir_mem_alloc(mem, 4 * (size_t)chars_n + 32 + WEIR_STR_PAD));
    size_t n = 0;

    if (s->distinct > 0)
        n = (size_t)snprintf(p, 32, "%s%" PRId64, s->most > 2 ? "a-longer-prefix-" : "k", seed);
    for (uint32_t i = 0; i < chars_n && s->distinct == 0; i++) {
        const char *c = s->most == 5 ? chars[5 + below(4)] : chars[below(10)];

        if (t->kind == WEIR_BINARY) {
            p[n++] = (char)(s->most == 3 ? 0xff : chance());
        } else {
            memcpy(p + n, c, strlen(c));
            n += strlen(c);
        }
    }
    memset(p + n, 0, WEIR_STR_PAD);
    v->bytes = p;
    v->len = (uint32_t)n;
}

static void random_value(struct weir_mem *mem, const struct weir_field *f, struct value *v);

static bool
key_is_there(const struct value *pairs, uint32_t n, const struct value *key)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct value *k = &pairs[i].kids[0];

        if (k->num == key->num && k->len == key->len &&
            (k->len == 0 || memcmp(k->bytes, key->bytes, k->len) == 0))
            return true;
    }
    return false;
}

static void
random_kids(struct weir_mem *mem, const struct weir_type *t, const struct spread *s, struct value *v)
{
    uint32_t n = t->kind == WEIR_STRUCT ? t->nfields : below(s->most + 1);

    v->kids = must_have(weir_mem_zalloc(mem, n * sizeof(*v->kids) + 1));
    for (uint32_t i = 0; i < n; i++) {
        struct value *kid = &v->kids[v->nkids];

        random_value(mem, t->kind == WEIR_STRUCT ? &t->fields[i] : &t->fields[0], kid);
        if (t->kind != WEIR_MAP || !key_is_there(v->kids, v->nkids, &kid->kids[0]))
            v->nkids++;
        else
            memset(kid, 0, sizeof(*kid));
    }
}

static void
random_value(struct weir_mem *mem, const struct weir_field *f, struct value *v)
{
    struct spread *s = spread_of(f);
    bool may_be_null = f->nullable && strcmp(f->name, "key_value") != 0 && strcmp(f->name, "key") != 0;
    int64_t seed = s->distinct == 0   ? (int64_t)(chance() >> 20)
                   : s->distinct == 1 ? s->next++
                                      : below(s->distinct);

    v->null = f->type->kind == WEIR_VOID || (may_be_null && below(1000) < s->nulls);
    if (v->null)
        return;
    switch (f->type->kind) {
    case WEIR_STRUCT:
    case WEIR_ARRAY:
    case WEIR_MAP:
        random_kids(mem, f->type, s, v);
        return;
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        random_real(f->type, seed, v);
        return;
    case WEIR_STRING:
    case WEIR_BINARY:
        random_bytes(mem, f->type, s, seed, v);
        return;
    default:
        if (s->distinct == 1 && f->type->kind == WEIR_LONG)
            v->num = seed;
        else
            random_number(f->type, s, seed, v);
        return;
    }
}

/* ---- values into pages ---- */

static void fill(struct weir_col *col, uint32_t row, const struct value *v);

static void
fill_rubbish(struct weir_col *col, uint32_t row)
{
    size_t width = weir_type_width(col->type);

    memset((char *)col->data + row * width, 0xa5, width);
    weir_col_set_null(col, row);
    if (col->type->kind == WEIR_STRUCT)
        for (uint32_t i = 0; i < col->nkids; i++) {
            if (below(2))
                fill_rubbish(&col->kids[i], row);
        }
}

static void
fill_list(struct weir_col *col, uint32_t row, const struct value *v)
{
    struct weir_col *kid = &col->kids[0];
    struct weir_list *l = (struct weir_list *)col->data + row;
    struct weir_error err = {0};
    uint32_t gap = below(50) == 0 ? below(4) : 0;

    must(weir_col_room(kid, kid->len + gap + v->nkids, &err), &err);
    for (uint32_t i = 0; i < gap; i++)
        fill_rubbish(kid, kid->len++);
    *l = (struct weir_list){kid->len, v->nkids};
    kid->len += v->nkids;
    for (uint32_t i = 0; i < v->nkids; i++)
        fill(kid, (uint32_t)l->at + i, &v->kids[i]);
}

static void
fill_number(struct weir_col *col, uint32_t row, const struct value *v)
{
    size_t width = weir_type_width(col->type);

    if (col->type->kind == WEIR_DOUBLE)
        ((double *)col->data)[row] = v->real;
    else /* little-endian: the low bytes come first */
        memcpy((char *)col->data + row * width, &v->num, width);
}

static void
fill(struct weir_col *col, uint32_t row, const struct value *v)
{
    if (v->null) {
        fill_rubbish(col, row);
        return;
    }
    weir_col_set_valid(col, row);
    switch (col->type->kind) {
    case WEIR_STRUCT:
        for (uint32_t i = 0; i < col->nkids; i++)
            fill(&col->kids[i], row, &v->kids[i]);
        return;
    case WEIR_ARRAY:
    case WEIR_MAP:
        fill_list(col, row, v);
        return;
    case WEIR_STRING:
    case WEIR_BINARY:
        ((struct weir_str *)col->data)[row] = weir_str_of(v->bytes, v->len);
        return;
    case WEIR_VOID:
        return;
    default:
        fill_number(col, row, v);
        return;
    }
}

/* ---- values as text ---- */

static void
print_hex(FILE *out, const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%02x", ((const unsigned char *)p)[i]);
}

static void
print_i128(FILE *out, weir_i128 v)
{
    unsigned __int128 u = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;
    char t[48];
    size_t at = sizeof(t);

    t[--at] = '\0';
    do
        t[--at] = (char)('0' + (int)(u % 10));
    while ((u /= 10) != 0);
    fprintf(out, "\"%s%s\"", v < 0 ? "-" : "", t + at);
}

static void
print_real(FILE *out, const struct weir_type *t, double v)
{
    float f = (float)v;
    uint64_t bits = 0;

    if (isnan(v)) {
        fputs("\"NaN\"", out);
        return;
    }
    memcpy(&bits, t->kind == WEIR_FLOAT ? (const void *)&f : (const void *)&v, t->kind == WEIR_FLOAT ? 4 : 8);
    fprintf(out, "\"%" PRIx64 "\"", bits);
}

static void
print_value(FILE *out, const struct weir_type *t, const struct value *v)
{
    const char *comma = "";

    if (v->null) {
        fputs("null", out);
        return;
    }
    switch (t->kind) {
    case WEIR_STRUCT:
    case WEIR_ARRAY:
    case WEIR_MAP:
        fputc('[', out);
        for (uint32_t i = 0; i < v->nkids; i++) {
            const struct weir_type *kid = t->fields[t->kind == WEIR_STRUCT ? i : 0].type;

            if (kid->kind == WEIR_VOID)
                continue;
            fputs(comma, out);
            print_value(out, kid, &v->kids[i]);
            comma = ",";
        }
        fputc(']', out);
        return;
    case WEIR_BOOLEAN:
        fputs(v->num ? "true" : "false", out);
        return;
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        print_real(out, t, v->real);
        return;
    case WEIR_STRING:
    case WEIR_BINARY:
        fputc('"', out);
        print_hex(out, v->bytes, v->len);
        fputc('"', out);
        return;
    default:
        print_i128(out, v->num);
        return;
    }
}

/* ---- statistics as text ---- */

static void print_stats(FILE *out, const struct weir_colstats *cs, uint32_t n);

static void
print_minmax(FILE *out, const struct weir_colstats *cs)
{
    const struct weir_type *t = cs->field->type;

    switch (t->kind) {
    case WEIR_STRING:
        fputs("\"min\":\"", out);
        print_hex(out, cs->min_text, cs->min_len);
        fputc('"', out);
        if (cs->has_max_text) {
            fputs(",\"max\":\"", out);
            print_hex(out, cs->max_text, cs->max_len);
            fputc('"', out);
        }
        return;
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        fputs("\"min\":", out);
        print_real(out, t, cs->min.d);
        fputs(",\"max\":", out);
        print_real(out, t, cs->max.d);
        return;
    default:
        fputs("\"min\":", out);
        print_i128(out, t->kind == WEIR_DECIMAL ? cs->min.dec : cs->min.i);
        fputs(",\"max\":", out);
        print_i128(out, t->kind == WEIR_DECIMAL ? cs->max.dec : cs->max.i);
        return;
    }
}

static void
print_stats(FILE *out, const struct weir_colstats *cs, uint32_t n)
{
    fputc('[', out);
    for (uint32_t i = 0; i < n; i++) {
        fprintf(out, "%s{\"name\":\"%s\",\"type\":\"%s\",\"nulls\":%" PRIu64, i > 0 ? "," : "",
                cs[i].field->name, weir_kind_name(cs[i].field->type->kind), cs[i].nulls);
        if (cs[i].has_minmax) {
            fputc(',', out);
            print_minmax(out, &cs[i]);
        }
        if (cs[i].nkids > 0) {
            fputs(",\"kids\":", out);
            print_stats(out, cs[i].kids, cs[i].nkids);
        }
        fputc('}', out);
    }
    fputc(']', out);
}

/* ---- a file ---- */

struct file {
    FILE *parquet, *rows;
    struct weir_parquet *w;
    const struct weir_type *schema;
    struct weir_mem *mem; /* of a page's values */
    uint64_t appended;
};

static weir_rc
file_write(void *self, const void *p, size_t n, struct weir_error *err)
{
    struct file *f = self;

    (void)err;
    if (f->parquet != NULL && fwrite(p, 1, n, f->parquet) != n)
        abort();
    return WEIR_OK;
}

static void
print_row(struct file *f, const struct value *rows, uint32_t ncols)
{
    struct value top = {.kids = (struct value *)(uintptr_t)rows, .nkids = ncols};

    if (f->rows == NULL)
        return;
    print_value(f->rows, f->schema, &top);
    fputc('\n', f->rows);
}

/* One page of random rows, a selection of it appended. */
static void
append_page(struct file *f, struct weir_page *page, uint32_t rows)
{
    uint32_t ncols = f->schema->nfields, n = 0, keep = PICK(100, 100, 50, 3);
    uint16_t sel[WEIR_PAGE_ROWS];
    struct weir_error err = {0};
    uint32_t fixed = ncols > 1 && below(3) == 0 ? below(ncols) : UINT32_MAX; /* the CONST column */
    struct value *values = must_have(weir_mem_zalloc(f->mem, (size_t)rows * ncols * sizeof(*values)));

    page->rows = rows;
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < ncols; c++) {
            struct value *v = &values[(size_t)r * ncols + c];

            if (c == fixed && r > 0) {
                *v = values[c];
                continue;
            }
            random_value(f->mem, &f->schema->fields[c], v);
            fill(&page->cols[c], r, v);
        }
    if (fixed != UINT32_MAX)
        page->cols[fixed].form = WEIR_CONST;
    for (uint32_t r = 0; r < rows; r++) {
        if (below(100) >= keep)
            continue;
        sel[n++] = (uint16_t)r;
        print_row(f, &values[(size_t)r * ncols], ncols);
    }
    must(weir_parquet_append(f->w, page, NULL, n == rows && below(2) ? NULL : sel, n, &err), &err);
    f->appended += n;
}

static void
append_pages(struct file *f, bool tiny_groups)
{
    uint32_t most = PICK(1, 7, 2048), left = PICK(0, 1, 50, 700, 6000);
    struct weir_error err = {0};
    struct weir_page *page;

    if (tiny_groups && left > 700)
        left = 700;
    must(weir_page_new(f->schema, NULL, &page, &err), &err);
    while (left > 0) {
        uint32_t rows = most < page->cap ? most : page->cap;

        rows = rows < left ? rows : left;
        weir_page_reset(page);
        weir_mem_reset(f->mem);
        append_page(f, page, rows);
        left -= rows;
    }
    weir_page_free(page);
}

static FILE *
open_in(const char *dir, uint64_t seed, const char *suffix)
{
    char path[512];

    if (dir == NULL)
        return NULL;
    snprintf(path, sizeof(path), "%s/%" PRIu64 "%s", dir, seed, suffix);
    return must_have(fopen(path, "wb"));
}

static void
close_if(FILE *f)
{
    if (f != NULL && fclose(f) != 0)
        abort();
}

static void
print_about(FILE *out, const struct weir_parquet_options *opt, const struct weir_filestats *stats)
{
    if (out == NULL)
        return;
    fprintf(out,
            "{\"codec\":%d,\"field_ids\":%d,\"row_group_bytes\":%" PRIu64
            ",\"page_bytes\":%u,\"page_rows\":%u,\"rows\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"columns\":",
            (int)opt->codec, opt->field_ids, opt->row_group_bytes, opt->page_bytes, opt->page_rows,
            stats->rows, stats->bytes);
    print_stats(out, stats->cols, stats->ncols);
    fputs("}\n", out);
}

static void
run_seed(uint64_t seed, const char *dir)
{
    struct weir_quota q;
    struct weir_mem *mem;
    struct weir_parquet_options opt = {0};
    struct weir_error err = {0};
    const struct weir_filestats *stats;
    struct file f = {.parquet = open_in(dir, seed, ".parquet"), .rows = open_in(dir, seed, ".jsonl")};
    FILE *about = open_in(dir, seed, ".json");

    chance_state = seed * 1000003;
    nspreads = last_id = 0;
    weir_quota_init(&q, NULL, "test", UINT64_MAX);
    mem = must_have(weir_mem_new(NULL, &q, "schema"));
    f.mem = must_have(weir_mem_new(NULL, &q, "values"));
    f.schema = random_struct(mem, 0, 1 + below(8), false);
    opt.codec = (weir_parquet_codec)below(3);
    opt.page_bytes = PICK(64, 1000, 20000, 1 << 20);
    opt.page_rows = PICK(1, 10, 1000, 20000);
    opt.field_ids = below(2);
    opt.row_group_bytes = PICK(1, 5000, 100000, 16 << 20);
    must(weir_parquet_new(f.schema, &opt, (struct weir_parquet_out){&f, file_write}, &q, &f.w, &err), &err);
    append_pages(&f, opt.row_group_bytes == 1 || opt.page_rows == 1);
    must(weir_parquet_finish(f.w, &stats, &err), &err);
    if (stats->rows != f.appended)
        abort();
    print_about(about, &opt, stats);
    weir_parquet_free(f.w);
    weir_mem_free(f.mem);
    weir_mem_free(mem);
    close_if(f.parquet);
    close_if(f.rows);
    close_if(about);
    if (atomic_load(&q.used) != 0) {
        fprintf(stderr, "seed %" PRIu64 ": %" PRIu64 " bytes are still counted\n", seed,
                atomic_load(&q.used));
        exit(1);
    }
}

int
main(int argc, char **argv)
{
    uint64_t first, count;

    if (argc < 3) {
        fputs("usage: parquet_random FIRST COUNT [DIR]\n", stderr);
        return 2;
    }
    first = strtoull(argv[1], NULL, 10);
    count = strtoull(argv[2], NULL, 10);
    for (uint64_t seed = first; seed < first + count; seed++)
        run_seed(seed, argc > 3 ? argv[3] : NULL);
    return 0;
}
