/* For tests of SQL functions: the answers of Spark in tests/golden/sql, and kernels that are called as the
 * engine calls them, without one.
 *
 * A case runs several times: arguments as columns and as constants; 1, 7 and 2,048 rows; with all rows there
 * and with each third row null. Rows that are not null must have Spark's answer, the others must be null
 * where a null makes one. */
#ifndef TESTS_SQL_HELP_H
#define TESTS_SQL_HELP_H

#include "json_help.h"

#include "sql/function.h"

enum { CALL_ARGS = 16 };

struct call_case { /* one case of a golden file */
    const char *fn;
    const json_t *doc;
    const struct weir_type *types[CALL_ARGS]; /* as Spark has them */
    uint32_t nargs;
    const char *in; /* a row of arguments, as JSON */
};

struct call_run { /* one way to run it */
    bool constant, ansi, nulls;
    uint32_t rows;
    struct weir_mem *mem;
    struct weir_error err;
    struct weir_buf out; /* each row as JSON, a line a row */
};

/* Arguments that have to be constants say so. */
static bool
call_wants_constant(const struct weir_error *err)
{
    return strstr(err->what, "constant") != NULL;
}

/* Bytes of a literal, as the parser would have them. */
static void
literal_text(const struct weir_col *col, struct weir_buf *buf)
{
    const struct weir_str *s = col->data;

    if (col->type->kind == WEIR_STRING || col->type->kind == WEIR_BINARY) {
        weir_buf_add(buf, weir_str_ptr(s), s->len);
    } else if (col->type->kind == WEIR_DATE) {
        weir_buf_printf(buf, "%d", *(const int32_t *)col->data);
    } else if (col->type->kind == WEIR_TIMESTAMP || col->type->kind == WEIR_TIMESTAMP_NTZ) {
        weir_buf_printf(buf, "%lld", (long long)*(const int64_t *)col->data);
    } else {
        render_slot(col, 0, buf);
    }
}

static struct weir_node *
arg_node(const struct call_run *run, const struct weir_type *type, const struct weir_col *col,
         const char *sql)
{
    struct weir_node *node = weir_mem_zalloc(run->mem, sizeof(*node));
    struct weir_buf buf = WEIR_BUF(WEIR_MIB);

    if (run->constant && (weir_str_starts(sql, "map(") || weir_str_starts(sql, "schema_of_json("))) {
        struct weir_error err = {0}; /* what a resolver reads from the tree */

        assert_int_equal(weir_sql_parse_expr(sql, strlen(sql), run->mem, &node, &err), WEIR_OK);
        node->type = type;
        return node;
    }
    node->kind = run->constant && !weir_kind_is_nested(type->kind) ? WEIR_NODE_LITERAL : WEIR_NODE_NAME;
    node->type = type;
    node->nullable = true;
    if (node->kind == WEIR_NODE_LITERAL && weir_col_is_null(col, 0)) {
        node->type = &weir_type_void;
    } else if (node->kind == WEIR_NODE_LITERAL) {
        literal_text(col, &buf);
        node->text = weir_mem_strndup(run->mem, buf.len == 0 ? "" : buf.data, buf.len);
        node->text_len = (uint32_t)buf.len;
    }
    weir_buf_fini(&buf);
    return node;
}

static const struct weir_type *
args_type(const struct call_run *run, const struct call_case *c, const struct weir_type *const *types)
{
    struct weir_field fields[CALL_ARGS];

    for (uint32_t i = 0; i < c->nargs; i++)
        fields[i] = (struct weir_field){.name = weir_mem_printf(run->mem, "a%u", i),
                                        .name_len = i < 10 ? 2 : 3,
                                        .nullable = true,
                                        .type = types[i]};
    return weir_type_struct(run->mem, fields, c->nargs);
}

/* The rows of arguments, decoded from JSON: the case's row again and again, with rows of nulls between if so
 * asked. */
static void
args_decode(struct bench *b, const struct call_run *run, const struct call_case *c,
            const struct weir_type *const *types)
{
    const struct weir_type *type = args_type(run, c, types);
    struct weir_buf lines = WEIR_BUF(64 * WEIR_MIB);

    bench_new(b);
    assert_int_equal(bench_options(b, NULL), WEIR_OK);
    if (bench_decoder(b, type, NULL) != WEIR_OK) { /* a type that JSON has not: for the resolver to refuse */
        assert_int_equal(weir_page_new(type, NULL, &b->page, &b->err), WEIR_OK);
        return;
    }
    for (uint32_t row = 0; row < run->rows; row++) {
        weir_buf_str(&lines, run->nulls && row % 3 == 1 ? "{}" : c->in);
        weir_buf_byte(&lines, '\n');
    }
    if (c->nargs > 0) {
        struct weir_block *block = bench_block(b, lines.data, lines.len);
        struct weir_records in = {
            .at = block->data, .end = block->data + block->len, .block = block, .first = true, .last = true};

        if (weir_json_decode(b->dec, &in, b->page, &b->err) != WEIR_OK)
            fail_msg("arguments of %s: %s", c->fn, b->err.what);
        if (b->page->rows != run->rows || b->page->count.lost != 0)
            fail_msg("arguments of %s: %s: %u rows, %d lost", c->fn, c->in, b->page->rows,
                     (int)b->page->count.lost);
        weir_block_put(block); /* the page holds it */
    }
    weir_buf_fini(&lines);
}

/* Resolves, prepares, runs; run->out has the rows. */
static weir_rc
call_kernel(struct call_run *run, const struct weir_sql_settings *set, struct weir_resolve *r,
            struct bench *b)
{
    const struct weir_col *constants[CALL_ARGS] = {0};
    struct weir_field field = {.name = "r", .name_len = 1, .nullable = true, .type = r->type};
    const struct weir_type *const *types = r->plan.arg_types;
    struct weir_call call = {.set = set,
                             .arg_types = types,
                             .nargs = r->node->nkids,
                             .type = r->type,
                             .data = r->plan.data,
                             .mem = run->mem,
                             .try_ = r->plan.try_};
    struct weir_page *out = NULL;
    weir_rc rc;

    WEIR_GO(weir_page_new(weir_type_struct(run->mem, &field, 1), NULL, &out, &run->err));
    assert_true(out->cap >= run->rows);
    for (uint32_t i = 0; i < call.nargs; i++) {
        if (run->constant)
            b->page->cols[i].form = WEIR_CONST;
        constants[i] = r->node->kids[i]->kind == WEIR_NODE_LITERAL ? &b->page->cols[i] : NULL;
    }
    if (r->plan.prepare != NULL)
        WEIR_GO(r->plan.prepare(&call, constants, run->mem, &call.data, &run->err));
    WEIR_GO(r->plan.kernel(&call, b->page->cols, run->rows, &out->cols[0], &run->err));
    for (uint32_t row = 0; row < run->rows; row++) {
        render_struct(out->schema, out->cols, row, &run->out);
        weir_buf_byte(&run->out, '\n');
    }
out:
    weir_page_free(out);
    return rc;
}

static weir_rc
call_do(struct call_run *run, const struct call_case *c, struct weir_resolve *r)
{
    const struct weir_function *fn = weir_function_find(c->fn);
    struct weir_sql_settings set = {
        .zone = &weir_zone_utc, .zone_name = "UTC", .ansi = run->ansi, .corrupt_name = "_corrupt_record"};
    const struct weir_type *types[CALL_ARGS];
    struct weir_node node = {.kind = WEIR_NODE_CALL, .nkids = c->nargs};
    struct weir_node *kids[CALL_ARGS];
    struct bench b;
    weir_rc rc;

    if (fn == NULL || c->nargs < fn->min || c->nargs > fn->max)
        return weir_fail(&run->err, WEIR_USAGE, "[WRONG_NUM_ARGS] or unknown: %s with %u", c->fn, c->nargs);
    args_decode(&b, run, c, c->types);
    for (uint32_t i = 0; i < c->nargs; i++)
        kids[i] = arg_node(run, c->types[i], &b.page->cols[i],
                           json_string_value(json_array_get(json_object_get(c->doc, "args"), i)));
    node.text = weir_mem_strdup(run->mem, c->fn);
    node.kids = kids;
    node.fn = fn;
    *r = (struct weir_resolve){.set = &set, .node = &node, .mem = run->mem, .nullable = true};
    rc = fn->resolve(r, &run->err);
    if (rc == WEIR_OK && r->plan.kernel != NULL) {
        for (uint32_t i = 0; i < c->nargs; i++)
            types[i] = r->plan.arg_types != NULL && r->plan.arg_types[i] != NULL ? r->plan.arg_types[i]
                                                                                 : c->types[i];
        bench_free(&b);
        args_decode(&b, run, c, types);
        rc = call_kernel(run, &set, r, &b);
    }
    r->node = NULL;
    r->set = NULL;
    bench_free(&b);
    return rc;
}

/* ---- Checking */

struct calls {
    json_t *doc;
    const char *family;
    int wrong, ran, templates, by_constant, listed;
    bool quiet;
};

static void
call_say(struct calls *calls, const struct call_case *c, const struct call_run *run, const char *got,
         const json_t *want)
{
    char *args = json_dumps(json_object_get(c->doc, "args"), JSON_ENCODE_ANY),
         *w = json_dumps(want, JSON_ENCODE_ANY);

    if (calls->wrong++ < 40 && !calls->quiet)
        print_error("%s%s, %s, %u rows%s%s\n  weir:  %.300s\n  Spark: %.300s\n", c->fn, args,
                    run->constant ? "constants" : "columns", run->rows, run->ansi ? "" : ", not ANSI",
                    run->nulls ? ", nulls" : "", got, w);
    free(args);
    free(w);
}

/* The class of the error, or that the resolver refused. */
static bool
error_fits(const json_t *want, const struct weir_error *err)
{
    const char *class_ = json_string_value(json_object_get(want, "error"));
    char text[600], *sub;

    if (class_ == NULL)
        return false;
    if (err->rc == WEIR_SCHEMA || err->rc == WEIR_USAGE || err->rc == WEIR_UNSUPPORTED)
        return true;
    snprintf(text, sizeof(text), "[%s", class_);
    if (strstr(err->what, text) != NULL || class_[0] == '(' || strchr(class_, ' ') != NULL)
        return true;
    if ((sub = strchr(text, '.')) != NULL)
        *sub = '\0';
    return strstr(err->what, text) != NULL;
}

static void
call_compare(struct calls *calls, const struct call_case *c, struct call_run *run,
             const struct weir_resolve *r, const json_t *want)
{
    const char *line = json_string_value(json_object_get(want, "out")), *p = run->out.data;
    struct weir_buf type = WEIR_BUF(WEIR_SMALL_MAX);

    if (line == NULL) {
        call_say(calls, c, run, p, want);
        return;
    }
    weir_type_print_simple(r->type, &type);
    if (strcmp(type.data, json_string_value(json_object_get(want, "type"))) != 0)
        call_say(calls, c, run, type.data, want);
    weir_buf_fini(&type);
    for (uint32_t row = 0; row < run->rows; row++) {
        const char *end = strchr(p, '\n');
        bool all_null = run->nulls && !run->constant && row % 3 == 1;

        if (all_null ? r->plan.null_in_null_out && c->nargs > 0 && strncmp(p, "{\"r\":null}", 10) != 0
                     : strncmp(p, line, (size_t)(end - p)) != 0 || strlen(line) != (size_t)(end - p)) {
            call_say(calls, c, run, weir_mem_strndup(run->mem, p, (size_t)(end - p)), want);
            return;
        }
        p = end + 1;
    }
}

static void
call_way(struct calls *calls, const struct call_case *c, bool constant, bool ansi, uint32_t rows, bool nulls)
{
    const json_t *want =
        !ansi && json_object_get(c->doc, "off") != NULL ? json_object_get(c->doc, "off") : c->doc;
    struct call_run run = {.constant = constant,
                           .ansi = ansi,
                           .nulls = nulls,
                           .rows = rows,
                           .out = WEIR_BUF(256 * WEIR_MIB),
                           .mem = weir_mem_new(NULL, NULL, "test")};
    struct weir_resolve r = {0};
    weir_rc rc = call_do(&run, c, &r);

    if (rc != WEIR_OK && !constant && call_wants_constant(&run.err))
        calls->by_constant++;
    else if (rc != WEIR_OK && !error_fits(want, &run.err))
        call_say(calls, c, &run, run.err.what, want);
    else if (rc == WEIR_OK && r.plan.kernel == NULL)
        calls->templates++;
    else if (rc == WEIR_OK)
        call_compare(calls, c, &run, &r, want);
    calls->ran++;
    weir_buf_fini(&run.out);
    weir_mem_free(run.mem);
}

static void
case_read(const json_t *doc, struct weir_mem *mem, struct call_case *c)
{
    const json_t *types = json_object_get(doc, "types");
    struct weir_error err = {0};

    *c = (struct call_case){.fn = json_string_value(json_object_get(doc, "fn")),
                            .doc = doc,
                            .nargs = (uint32_t)json_array_size(types),
                            .in = json_string_value(json_object_get(doc, "in"))};
    assert_true(c->nargs <= CALL_ARGS);
    for (uint32_t i = 0; i < c->nargs; i++) {
        const char *text = json_string_value(json_array_get(types, i));

        if (strcmp(text, "void") == 0)
            c->types[i] = &weir_type_void;
        else if (weir_type_parse_ddl(text, strlen(text), mem, &c->types[i], &err) != WEIR_OK)
            fail_msg("%s: %s: %s", c->fn, text, err.what);
    }
}

static bool
case_is_listed(const char *const *list, const json_t *doc)
{
    struct weir_buf line = WEIR_BUF(WEIR_SMALL_MAX);
    bool found = false;
    size_t i;
    json_t *arg;

    weir_buf_str(&line, json_string_value(json_object_get(doc, "fn")));
    json_array_foreach(json_object_get(doc, "args"), i, arg)
        weir_buf_printf(&line, "\t%s", json_string_value(arg));
    for (; list != NULL && *list != NULL && !found; list++)
        found = strcmp(*list, line.data) == 0;
    weir_buf_fini(&line);
    return found;
}

static void
case_run(struct calls *calls, const json_t *doc, struct weir_mem *mem, size_t i)
{
    static const uint32_t sizes[] = {1, 7, 2048};
    int before = calls->wrong;
    struct call_case c;

    case_read(doc, mem, &c);
    for (int constant = 0; constant < 2 && calls->wrong == before; constant++)
        for (int ansi = 0; ansi < 2 && calls->wrong == before; ansi++) {
            call_way(calls, &c, constant, ansi, sizes[(i + (size_t)constant) % 3], false);
            if (calls->wrong == before)
                call_way(calls, &c, constant, ansi, 7, true);
        }
}

/* A case that differs on purpose, which must still be one. */
static void
case_differs(struct calls *calls, const json_t *doc, struct weir_mem *mem)
{
    struct calls quiet = {.family = calls->family, .quiet = true};

    case_run(&quiet, doc, mem, 0);
    calls->listed++;
    if (quiet.wrong == 0) {
        char *args = json_dumps(json_object_get(doc, "args"), JSON_ENCODE_ANY);

        print_error("%s%s: listed as another answer, but it is Spark's\n",
                    json_string_value(json_object_get(doc, "fn")), args);
        free(args);
        calls->wrong++;
    }
}

/* All cases of tests/golden/sql/<family>.json in all ways. differs: "fn\targ\t…" that answer otherwise on
 * purpose or are refused, NULL at the end. */
static void
calls_check(const char *family, const char *const *differs)
{
    struct calls calls = {.family = family};
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "cases");
    char path[1024];
    json_error_t error;
    size_t i, n;
    json_t *doc;

    snprintf(path, sizeof(path), "%s/sql/%s.json", getenv("WEIR_GOLDEN"), family);
    calls.doc = json_load_file(path, JSON_ALLOW_NUL, &error);
    if (calls.doc == NULL)
        fail_msg("%s:%d: %s", path, error.line, error.text);
    n = json_array_size(json_object_get(calls.doc, "cases"));
    assert_true(n > 50);
    json_array_foreach(json_object_get(calls.doc, "cases"), i, doc)
    {
        if (case_is_listed(differs, doc))
            case_differs(&calls, doc, mem);
        else
            case_run(&calls, doc, mem, i);
    }
    for (n = 0; differs != NULL && differs[n] != NULL;)
        n++;
    assert_int_equal(calls.listed, n);
    if (calls.wrong > 0)
        fail_msg("%s: %d cases", family, calls.wrong);
    json_decref(calls.doc);
    weir_mem_free(mem);
}

#endif
