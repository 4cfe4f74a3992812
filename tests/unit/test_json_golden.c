/* What Spark 4.0.0 answered, against what weir answers: from_json and the JSON file reader. A case either has Spark's
 * answer or the one that differences.json lists for it; and each listed difference must still be one. */
#include <iconv.h>

#include "json_help.h"

struct golden {
    const char *file;
    json_t *doc, *differences;
    int seen; /* differences met */
    int wrong;
};

static json_t *
golden_load(const char *name)
{
    char path[1024];
    json_error_t error;
    json_t *doc;

    snprintf(path, sizeof(path), "%s/spark/%s", getenv("WEIR_GOLDEN"), name);
    doc = json_load_file(path, JSON_ALLOW_NUL, &error);
    if (doc == NULL)
        fail_msg("%s:%d: %s", path, error.line, error.text);
    return doc;
}

/* {"error":"USAGE"} or rows. */
static json_t *
answer_error(weir_rc rc)
{
    return json_pack("{s:s}", "error", weir_rc_name(rc));
}

static json_t *
answer_rows(const struct bench *b)
{
    json_t *rows = json_array();
    const char *p = b->out.data;

    while (p != NULL && p < b->out.data + b->out.len) {
        const char *end = strchr(p, '\n');

        json_array_append_new(rows, json_stringn(p, (size_t)(end - p)));
        p = end + 1;
    }
    return rows;
}

static weir_rc
case_options(struct bench *b, const json_t *options)
{
    const char *texts[16] = {0};
    const char *key;
    json_t *value;
    int n = 0;

    json_object_foreach((json_t *)(uintptr_t)options, key, value)
        texts[n++] = weir_mem_printf(b->mem, "%s=%s", key, json_string_value(value));
    return bench_options(b, texts);
}

/* Spark's answer in the same form: an error is an error, whatever its class. */
static json_t *
spark_answer(const json_t *c, const char *rows_key)
{
    if (json_object_get(c, "error") != NULL)
        return json_pack("{s:s}", "error", "");
    if (strcmp(rows_key, "rows") == 0)
        return json_pack("{s:O,s:O}", "schema", json_object_get(c, "resultSchema"), "rows", json_object_get(c, "rows"));
    return json_incref(json_object_get(c, rows_key));
}

static bool
same_answer(const json_t *spark, const json_t *weir)
{
    if (json_is_object(spark) && json_object_get(spark, "error") != NULL)
        return json_is_object(weir) && json_object_get(weir, "error") != NULL;
    return json_equal((json_t *)(uintptr_t)spark, (json_t *)(uintptr_t)weir);
}

static void
golden_check(struct golden *g, const json_t *c, json_t *weir, const char *rows_key)
{
    const char *name = json_string_value(json_object_get(c, "name"));
    json_t *spark = spark_answer(c, rows_key);
    const json_t *listed = json_object_get(json_object_get(g->differences, g->file), name);
    bool same = same_answer(spark, weir);
    const json_t *want = listed != NULL ? json_object_get(listed, "weir") : spark;

    g->seen += listed != NULL;
    if (listed != NULL ? same || !json_equal((json_t *)(uintptr_t)want, weir) : !same) {
        char *was = json_dumps(weir, JSON_ENCODE_ANY), *wanted = json_dumps(want, JSON_ENCODE_ANY);

        print_error("%s: %s\n  weir:   %s\n  wanted: %s%s\n", g->file, name, was, wanted,
                    listed != NULL && same ? " (listed, but the same as Spark's)" : "");
        free(was);
        free(wanted);
        g->wrong++;
    }
    json_decref(spark);
    json_decref(weir);
}

static void
golden_open(struct golden *g, const char *file, const char *cases)
{
    *g = (struct golden){.file = file, .doc = golden_load(cases), .differences = golden_load("differences.json")};
}

static void
golden_close(struct golden *g)
{
    assert_int_equal(g->wrong, 0);
    assert_int_equal(g->seen, json_object_size(json_object_get(g->differences, g->file)));
    json_decref(g->doc);
    json_decref(g->differences);
}

/* ---- from_json: a text is a message */

static json_t *
from_json_answer(const json_t *c)
{
    const json_t *input = json_object_get(c, "input");
    const char *schema = json_string_value(json_object_get(c, "schema"));
    struct bench b;
    json_t *answer;
    weir_rc rc;

    if (json_is_null(input))
        return json_null(); /* no text: nothing for a decoder */
    bench_new(&b);
    b.env.message = true;
    rc = case_options(&b, json_object_get(c, "options"));
    if (rc == WEIR_OK)
        rc = bench_schema(&b, schema, NULL);
    if (rc == WEIR_OK)
        rc = bench_message(&b, json_string_value(input), json_string_length(input));
    if (rc != WEIR_OK) {
        answer = answer_error(rc);
    } else {
        json_t *rows = answer_rows(&b);

        assert_int_equal(json_array_size(rows), 1);
        answer = b.count.blank == 1 ? json_null() : json_incref(json_array_get(rows, 0));
        json_decref(rows);
    }
    bench_free(&b);
    return answer;
}

static void
from_json_answers_as_spark_or_as_listed(void **state)
{
    struct golden g;
    size_t i;
    json_t *c;

    (void)state;
    golden_open(&g, "from_json", "from_json_cases.json");
    assert_true(json_array_size(json_object_get(g.doc, "cases")) > 100);
    json_array_foreach(json_object_get(g.doc, "cases"), i, c)
        golden_check(&g, c, from_json_answer(c), "output");
    golden_close(&g);
}

/* ---- The file reader */

/* The bytes of an input: the catalogue has them as Latin-1. */
static size_t
input_bytes(const json_t *input, char *out, size_t size)
{
    const char *p = json_string_value(input), *end = p + json_string_length(input);
    size_t n = 0;

    while (p < end) {
        uint32_t c = weir_utf8_get(&p);

        assert_true(c < 256 && n < size);
        out[n++] = (char)c;
    }
    return n;
}

/* The reader of files transcodes before a format sees the bytes. */
static size_t
input_transcode(const struct bench *b, char *bytes, size_t n, size_t size)
{
    struct weir_format_traits traits = {0};
    char copy[8192], *in = copy, *out = bytes;
    size_t left = n;
    iconv_t cd;

    weir_json_traits(&b->opt, &traits);
    if (traits.encoding == NULL)
        return n;
    memcpy(copy, bytes, n);
    cd = iconv_open("UTF-8", traits.encoding);
    assert_true(cd != (iconv_t)-1);
    assert_true(iconv(cd, &in, &left, &out, &size) != (size_t)-1);
    iconv_close(cd);
    return (size_t)(out - bytes);
}

static weir_rc
reader_run(struct bench *b, const json_t *c, json_t **answer)
{
    bool sensitive = json_object_get(json_object_get(c, "conf"), "spark.sql.caseSensitive") != NULL;
    const json_t *ddl = json_object_get(c, "schema");
    struct weir_buf text = WEIR_BUF(WEIR_SMALL_MAX);
    const struct weir_type *schema;
    char bytes[8192];
    size_t n = input_bytes(json_object_get(c, "input"), bytes, sizeof(bytes));

    WEIR_TRY(case_options(b, json_object_get(c, "options")));
    n = input_transcode(b, bytes, n, sizeof(bytes));
    if (json_is_null(ddl))
        WEIR_TRY(bench_infer(b, bytes, n, sensitive, &schema));
    else
        WEIR_TRY(weir_schema_parse_ddl(json_string_value(ddl), json_string_length(ddl), b->mem, &schema, &b->err));
    WEIR_TRY(bench_decoder(b, schema, NULL));
    WEIR_TRY(bench_decode(b, bytes, n));
    weir_type_print_simple(schema, &text);
    *answer = json_pack("{s:s,s:o}", "schema", text.data, "rows", answer_rows(b));
    weir_buf_fini(&text);
    return WEIR_OK;
}

static void
reader_cases_check(const char *file, const char *cases)
{
    struct golden g;
    size_t i;
    json_t *c;

    golden_open(&g, file, cases);
    assert_true(json_array_size(json_object_get(g.doc, "cases")) > 30);
    json_array_foreach(json_object_get(g.doc, "cases"), i, c)
    {
        json_t *answer = NULL;
        struct bench b;
        weir_rc rc;

        bench_new(&b);
        rc = reader_run(&b, c, &answer);
        golden_check(&g, c, rc == WEIR_OK ? answer : answer_error(rc), "rows");
        bench_free(&b);
    }
    golden_close(&g);
}

static void
the_file_reader_answers_as_spark_or_as_listed(void **state)
{
    (void)state;
    reader_cases_check("reader", "json_reader_cases.json");
}

static void
odd_files_are_answered_as_spark_or_as_listed(void **state)
{
    (void)state;
    reader_cases_check("more", "json_more_cases.json");
}

/* ---- The page of the manual */

/* A cell of a table: an answer or an input as text. */
static void
cell(struct weir_buf *page, const json_t *v)
{
    char *text = json_is_string(v) ? strdup(json_string_value(v)) : json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);

    weir_buf_str(page, " `");
    for (const char *p = text; *p != '\0' && p < text + 300; p++)
        if (*p == '\n')
            weir_buf_str(page, "\\n");
        else if (*p == '|')
            weir_buf_str(page, "\\|");
        else
            weir_buf_byte(page, *p);
    weir_buf_str(page, "` |");
    free(text);
}

/* Rows, and the schema only where it was inferred. */
static void
answer_cell(struct weir_buf *page, const json_t *c, const json_t *answer)
{
    const json_t *rows = json_object_get(answer, "rows");

    if (rows == NULL)
        cell(page, answer);
    else if (json_is_null(json_object_get(c, "schema")))
        cell(page, json_object_get(answer, "schema"));
    else {
        json_t *lines = json_array_size(rows) == 1 ? json_incref(json_array_get(rows, 0)) : NULL;

        cell(page, lines != NULL ? lines : rows);
        json_decref(lines);
    }
}

static void
page_part(struct weir_buf *page, const char *title, const char *file, const char *cases, const char *rows_key)
{
    struct golden g;
    size_t i;
    json_t *c;

    golden_open(&g, file, cases);
    weir_buf_printf(page, "\n## %s\n\n| input | Spark 4.0.0 | weir | why |\n|---|---|---|---|\n", title);
    json_array_foreach(json_object_get(g.doc, "cases"), i, c)
    {
        const json_t *d = json_object_get(json_object_get(g.differences, file),
                                          json_string_value(json_object_get(c, "name")));
        json_t *spark;

        if (d == NULL)
            continue;
        spark = json_object_get(c, "error") != NULL ? json_pack("{s:O}", "error", json_object_get(c, "error"))
                                                    : spark_answer(c, rows_key);
        weir_buf_str(page, "|");
        cell(page, json_object_get(c, "input"));
        answer_cell(page, c, spark);
        answer_cell(page, c, json_object_get(d, "weir"));
        weir_buf_printf(page, " %s |\n", json_string_value(json_object_get(d, "why")));
        json_decref(spark);
    }
    json_decref(g.doc);
    json_decref(g.differences);
}

static void
page_make(struct weir_buf *page)
{
    weir_buf_str(page,
                 "# JSON: where weir answers otherwise than Spark\n\n"
                 "Made by tests/unit/test_json_golden.c of tests/golden/spark; WEIR_UPDATE=1 in its environment writes "
                 "this page.\nEverything else in those catalogues has Spark's answer.\n\n"
                 "A *misfit* is a value that its column does not hold. It is null in the column; its text is kept in the "
                 "rescued data column,\nelse with the whole record in the corrupt record column, else it is counted as "
                 "lost. Keys that come several times in a\nrecord: the last value that fits wins, as in Spark; the "
                 "others are rescued or counted.\n");
    page_part(page, "Messages (from_json)", "from_json", "from_json_cases.json", "output");
    page_part(page, "Files", "reader", "json_reader_cases.json", "rows");
    page_part(page, "Files, odd ones", "more", "json_more_cases.json", "rows");
}

static void
the_page_of_differences_is_current(void **state)
{
    struct weir_buf page = WEIR_BUF(WEIR_MIB), have = WEIR_BUF(WEIR_MIB);
    char path[1024], chunk[4096];
    FILE *f;
    size_t n;

    (void)state;
    snprintf(path, sizeof(path), "%s/../../docs/json-differences.md", getenv("WEIR_GOLDEN"));
    page_make(&page);
    if (getenv("WEIR_UPDATE") != NULL) {
        f = fopen(path, "wb");
        assert_non_null(f);
        fwrite(page.data, 1, page.len, f);
        fclose(f);
    }
    f = fopen(path, "rb");
    if (f == NULL)
        fail_msg("%s is missing; WEIR_UPDATE=1 writes it", path);
    while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
        weir_buf_add(&have, chunk, n);
    fclose(f);
    if (have.len != page.len || memcmp(have.data, page.data, page.len) != 0)
        fail_msg("%s is not current; WEIR_UPDATE=1 writes it", path);
    weir_buf_fini(&page);
    weir_buf_fini(&have);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_json_answers_as_spark_or_as_listed),
        cmocka_unit_test(the_file_reader_answers_as_spark_or_as_listed),
        cmocka_unit_test(odd_files_are_answered_as_spark_or_as_listed),
        cmocka_unit_test(the_page_of_differences_is_current),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
