/* The JSON format beyond Spark's catalogue: rescue, duplicate keys, limits, framing, blocks, options. */
#include "json_help.h"

struct row_case {
    const char *name, *ddl, *in, *out; /* out: a row a line */
    const char *options[4];
};

/* Fails naming the case. */
static void
check_text(const char *name, const char *got, const char *want)
{
    if (strcmp(got == NULL ? "" : got, want) != 0)
        fail_msg("%s:\n  got    %s\n  wanted %s", name, got == NULL ? "(nothing)" : got, want);
}

static void
run_bytes(const struct row_case *c, const char *in, size_t n, const char *rescued, struct bench *b)
{
    bench_new(b);
    b->env.rescue_path = false;
    assert_int_equal(bench_options(b, c->options), WEIR_OK);
    if (bench_schema(b, c->ddl, rescued) != WEIR_OK || bench_decode(b, in, n) != WEIR_OK)
        fail_msg("%s: %s", c->name, b->err.what);
}

static void
run_cases(const struct row_case *cases, size_t n, const char *rescued)
{
    for (size_t i = 0; i < n; i++) {
        struct bench b;

        run_bytes(&cases[i], cases[i].in, strlen(cases[i].in), rescued, &b);
        check_text(cases[i].name, b.out.data, cases[i].out);
        bench_free(&b);
    }
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- The rescued column */

static const struct row_case rescue_cases[] = {
    {"nothing to rescue", "a INT, _r STRING", "{\"a\":1}", "{\"a\":1,\"_r\":null}\n", {0}},
    {"unknown key", "a INT, _r STRING", "{\"a\":1,\"z\":[1, 2]}", "{\"a\":1,\"_r\":\"{\\\"z\\\":[1, 2]}\"}\n", {0}},
    {"string for an INT", "a INT, _r STRING", "{\"a\":\"$100\"}", "{\"a\":null,\"_r\":\"{\\\"a\\\":\\\"$100\\\"}\"}\n", {0}},
    {"fraction for an INT", "a INT, _r STRING", "{\"a\":12.50}", "{\"a\":null,\"_r\":\"{\\\"a\\\":12.50}\"}\n", {0}},
    {"object for an INT stands as text", "a INT, _r STRING", "{\"a\":{\"units\":2}}",
     "{\"a\":null,\"_r\":\"{\\\"a\\\":\\\"{\\\\\\\"units\\\\\\\":2}\\\"}\"}\n", {0}},
    {"object for an array stands as it is", "a ARRAY<INT>, _r STRING", "{\"a\":{\"k\":1}}",
     "{\"a\":null,\"_r\":\"{\\\"a\\\":{\\\"k\\\":1}}\"}\n", {0}},
    {"a rounded number stays, and its text is kept",
     "a DECIMAL(4,1), b DECIMAL(38,0), c DECIMAL(4,1), d DOUBLE, f FLOAT, _r STRING",
     "{\"a\":1.55,\"b\":\"1e-200\",\"c\":1.50,\"d\":9007199254740993,\"f\":16777217}",
     "{\"a\":1.6,\"b\":0,\"c\":1.5,\"d\":9.007199254740992E15,\"f\":1.6777216E7,\"_r\":\"{\\\"a\\\":1.55,"
     "\\\"b\\\":\\\"1e-200\\\",\\\"d\\\":9007199254740993,\\\"f\\\":16777217}\"}\n", {0}},
    {"rounded in lists and structs", "l ARRAY<DECIMAL(2,0)>, o STRUCT<p: DECIMAL(2,0)>, _r STRING",
     "{\"l\":[1,2.5],\"o\":{\"p\":3.25}}",
     "{\"l\":[1,3],\"o\":{\"p\":3},\"_r\":\"{\\\"l\\\":[1,2.5],\\\"o\\\":{\\\"p\\\":3.25}}\"}\n", {0}},
    {"reals that are exact", "d DOUBLE, e DOUBLE, f FLOAT, _r STRING",
     "{\"d\":9007199254740992,\"e\":0.1234567890123456789,\"f\":16777216}",
     "{\"d\":9.007199254740992E15,\"e\":0.12345678901234568,\"f\":1.6777216E7,\"_r\":null}\n", {0}},
    {"other case", "a INT, _r STRING", "{\"A\":1}", "{\"a\":null,\"_r\":\"{\\\"A\\\":1}\"}\n", {0}},
    {"nested values keep their place", "o STRUCT<p:INT,q:STRUCT<r:INT>>, z INT, _r STRING",
     "{\"o\":{\"p\":\"x\",\"q\":{\"r\":true,\"s\":1},\"t\":2},\"z\":3,\"y\":4}",
     "{\"o\":{\"p\":null,\"q\":{\"r\":null}},\"z\":3,\"_r\":\"{\\\"o\\\":{\\\"p\\\":\\\"x\\\",\\\"q\\\":{\\\"r\\\":true,"
     "\\\"s\\\":1},\\\"t\\\":2},\\\"y\\\":4}\"}\n", {0}},
    {"an array with a bad element is null as a whole", "l ARRAY<INT>, _r STRING", "{\"l\":[1,\"x\",3]}",
     "{\"l\":null,\"_r\":\"{\\\"l\\\":[1,\\\"x\\\",3]}\"}\n", {0}},
    {"an array of structs loses the leaf only", "l ARRAY<STRUCT<p:INT>>, _r STRING", "{\"l\":[{\"p\":1},{\"p\":\"x\"}]}",
     "{\"l\":[{\"p\":1},{\"p\":null}],\"_r\":\"{\\\"l\\\":[{\\\"p\\\":1},{\\\"p\\\":\\\"x\\\"}]}\"}\n", {0}},
    {"an unknown key in an array of structs keeps the array", "l ARRAY<STRUCT<p:INT>>, _r STRING",
     "{\"l\":[{\"p\":1,\"n\":2}]}", "{\"l\":[{\"p\":1}],\"_r\":\"{\\\"l\\\":[{\\\"p\\\":1,\\\"n\\\":2}]}\"}\n", {0}},
    {"a list in a struct", "o STRUCT<l:ARRAY<INT>>, _r STRING", "{\"o\":{\"l\":[null,1.5]}}",
     "{\"o\":{\"l\":null},\"_r\":\"{\\\"o\\\":{\\\"l\\\":[null,1.5]}}\"}\n", {0}},
    {"single quotes are no JSON", "a INT, _r STRING", "{'a':'x','b':5}",
     "{\"a\":null,\"_r\":\"{\\\"a\\\":\\\"'x'\\\",\\\"b\\\":5}\"}\n", {0}},
    {"NaN is no JSON", "a INT, _r STRING", "{\"a\":NaN}", "{\"a\":null,\"_r\":\"{\\\"a\\\":\\\"NaN\\\"}\"}\n", {0}},
    {"a key with an escape keeps its spelling", "a INT, _r STRING", "{\"x\\ty\":1,\"\\u0061\":2}",
     "{\"a\":2,\"_r\":\"{\\\"x\\\\ty\\\":1}\"}\n", {0}},
    {"a lone surrogate", "b STRING, _r STRING", "{\"b\":\"\\ud83d\"}",
     "{\"b\":null,\"_r\":\"{\\\"b\\\":\\\"\\\\ud83d\\\"}\"}\n", {0}},
    {"malformed, no corrupt column", "a INT, _r STRING", "{\"z\":1,\"a\":",
     "{\"a\":null,\"_r\":\"{\\\"_corrupt_record\\\":\\\"{\\\\\\\"z\\\\\\\":1,\\\\\\\"a\\\\\\\":\\\"}\"}\n", {0}},
    {"malformed, with corrupt column", "a INT, _r STRING, _corrupt_record STRING", "{\"z\":1,\"a\":",
     "{\"a\":null,\"_r\":null,\"_corrupt_record\":\"{\\\"z\\\":1,\\\"a\\\":\"}\n", {0}},
    {"a misfit is not corrupt", "a INT, _r STRING, _corrupt_record STRING", "{\"a\":\"x\"}",
     "{\"a\":null,\"_r\":\"{\\\"a\\\":\\\"x\\\"}\",\"_corrupt_record\":null}\n", {0}},
    {"a misfit does not fail FAILFAST", "a INT, _r STRING", "{\"a\":\"x\"}",
     "{\"a\":null,\"_r\":\"{\\\"a\\\":\\\"x\\\"}\"}\n", {"mode=FAILFAST"}},
    {"a misfit is not dropped", "a INT, _r STRING", "{\"a\":\"x\"}\n{\"a\":",
     "{\"a\":null,\"_r\":\"{\\\"a\\\":\\\"x\\\"}\"}\n", {"mode=DROPMALFORMED"}},
    {"names of weir's columns", "a INT, _r STRING, _corrupt_record STRING", "{\"_r\":1,\"_corrupt_record\":2,\"a\":3}",
     "{\"a\":3,\"_r\":\"{\\\"_r\\\":1,\\\"_corrupt_record\\\":2}\",\"_corrupt_record\":null}\n", {0}},
    {"scalars for nested types", "o STRUCT<p:INT>, l ARRAY<INT>, m MAP<STRING,INT>, _r STRING",
     "{\"o\":1,\"l\":\"x\",\"m\":[]}",
     "{\"o\":null,\"l\":null,\"m\":null,\"_r\":\"{\\\"o\\\":1,\\\"l\\\":\\\"x\\\",\\\"m\\\":[]}\"}\n", {0}},
};

static void
rescued_text_keeps_all_that_does_not_fit(void **state)
{
    (void)state;
    run_cases(rescue_cases, COUNT(rescue_cases), "_r");
}

/* ---- A key that comes several times */

static const struct row_case doubled_cases[] = {
    {"the last wins", "a INT, _r STRING", "{\"a\":1,\"a\":2}", "{\"a\":2,\"_r\":\"{\\\"a\\\":1}\"}\n", {0}},
    {"of three", "a INT, _r STRING", "{\"a\":1,\"a\":2,\"a\":3}",
     "{\"a\":3,\"_r\":\"{\\\"a\\\":1,\\\"a\\\":2}\"}\n", {0}},
    {"a misfit first", "a INT, _r STRING", "{\"a\":\"x\",\"a\":2}", "{\"a\":2,\"_r\":\"{\\\"a\\\":\\\"x\\\"}\"}\n", {0}},
    {"a misfit last does not win", "a INT, _r STRING", "{\"a\":1,\"a\":\"x\"}",
     "{\"a\":1,\"_r\":\"{\\\"a\\\":\\\"x\\\"}\"}\n", {0}},
    {"null first", "a INT, _r STRING", "{\"a\":null,\"a\":2}", "{\"a\":2,\"_r\":\"{\\\"a\\\":null}\"}\n", {0}},
    {"null last", "a INT, _r STRING", "{\"a\":1,\"a\":null}", "{\"a\":null,\"_r\":\"{\\\"a\\\":1}\"}\n", {0}},
    {"misfit, null, value", "a INT, _r STRING", "{\"a\":\"x\",\"a\":null,\"a\":7}",
     "{\"a\":7,\"_r\":\"{\\\"a\\\":\\\"x\\\",\\\"a\\\":null}\"}\n", {0}},
    {"structs", "o STRUCT<p:INT,q:INT>, _r STRING", "{\"o\":{\"q\":1},\"o\":{\"p\":2}}",
     "{\"o\":{\"p\":2,\"q\":null},\"_r\":\"{\\\"o\\\":{\\\"q\\\":1}}\"}\n", {0}},
    {"a struct after null", "o STRUCT<p:INT>, _r STRING", "{\"o\":null,\"o\":{\"p\":2}}",
     "{\"o\":{\"p\":2},\"_r\":\"{\\\"o\\\":null}\"}\n", {0}},
    {"lists", "l ARRAY<INT>, _r STRING", "{\"l\":[1,2],\"l\":[3]}",
     "{\"l\":[3],\"_r\":\"{\\\"l\\\":[1,2]}\"}\n", {0}},
    {"a bad list last", "l ARRAY<INT>, _r STRING", "{\"l\":[1,2],\"l\":[\"x\"]}",
     "{\"l\":[1,2],\"_r\":\"{\\\"l\\\":[\\\"x\\\"]}\"}\n", {0}},
    {"in a struct", "o STRUCT<p:INT>, _r STRING", "{\"o\":{\"p\":1,\"p\":2}}",
     "{\"o\":{\"p\":2},\"_r\":\"{\\\"o\\\":{\\\"p\\\":1}}\"}\n", {0}},
    {"in a list", "l ARRAY<STRUCT<p:INT>>, _r STRING", "{\"l\":[{\"p\":1,\"p\":2}]}",
     "{\"l\":[{\"p\":2}],\"_r\":\"{\\\"l\\\":[{\\\"p\\\":1,\\\"p\\\":2}]}\"}\n", {0}},
    {"in a map", "m MAP<STRING,INT>, _r STRING", "{\"m\":{\"k\":1,\"j\":5,\"k\":2}}",
     "{\"m\":{\"k\":2,\"j\":5},\"_r\":\"{\\\"m\\\":{\\\"k\\\":1,\\\"j\\\":5,\\\"k\\\":2}}\"}\n", {0}},
    {"null in a map, then a value", "m MAP<STRING,INT>, _r STRING", "{\"m\":{\"k\":null,\"k\":2}}",
     "{\"m\":{\"k\":2},\"_r\":\"{\\\"m\\\":{\\\"k\\\":null,\\\"k\\\":2}}\"}\n", {0}},
    {"an unknown one", "a INT, _r STRING", "{\"x\":1,\"x\":2}", "{\"a\":null,\"_r\":\"{\\\"x\\\":1,\\\"x\\\":2}\"}\n", {0}},
    {"escaped the second time", "a INT, _r STRING", "{\"a\":1,\"\\u0061\":2}", "{\"a\":2,\"_r\":\"{\\\"\\\\u0061\\\":1}\"}\n", {0}},
};

static void
a_doubled_key_loses_nothing(void **state)
{
    (void)state;
    run_cases(doubled_cases, COUNT(doubled_cases), "_r");
}

static void
lost_values_are_counted_without_a_column_for_them(void **state)
{
    static const struct {
        const char *ddl, *in;
        uint64_t lost, corrupt;
    } cases[] = {
        {"a INT", "{\"a\":1}", 0, 0},
        {"a INT, b INT", "{\"a\":\"x\",\"b\":1.5}", 2, 0},
        {"a INT", "{\"a\":1,\"a\":2}", 1, 0},
        {"a INT", "{\"a\":", 1, 1},
        {"a INT", "{\"z\":1}", 0, 0},
        {"a INT, _corrupt_record STRING", "{\"a\":\"x\"}", 0, 1},
        {"l ARRAY<STRUCT<p:INT>>", "{\"l\":[{\"p\":\"x\"},{\"p\":\"y\"}]}", 2, 0},
        {"l ARRAY<INT>", "{\"l\":[1,\"x\",\"y\"]}", 1, 0},
        {"m MAP<STRING,INT>", "{\"m\":{\"k\":1,\"k\":2}}", 1, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct row_case c = {.name = cases[i].in, .ddl = cases[i].ddl};
        struct bench b;

        run_bytes(&c, cases[i].in, strlen(cases[i].in), NULL, &b);
        if (b.count.lost != cases[i].lost || b.count.corrupt != cases[i].corrupt)
            fail_msg("%s: lost %llu, corrupt %llu", c.name, (unsigned long long)b.count.lost,
                     (unsigned long long)b.count.corrupt);
        bench_free(&b);
    }
}

/* ---- Framing */

static const struct row_case framing_cases[] = {
    {"the rest of a line is the next record", "a INT, _corrupt_record STRING", "{\"a\":1}{\"a\":2} x\n{\"a\":3}",
     "{\"a\":1,\"_corrupt_record\":null}\n{\"a\":2,\"_corrupt_record\":null}\n{\"a\":null,\"_corrupt_record\":\"x\"}\n"
     "{\"a\":3,\"_corrupt_record\":null}\n", {0}},
    {"elements of an array on a line", "a INT, _corrupt_record STRING", "[{\"a\":1}, {\"a\":\"x\"},5]\n[]\n",
     "{\"a\":1,\"_corrupt_record\":null}\n{\"a\":null,\"_corrupt_record\":\"{\\\"a\\\":\\\"x\\\"}\"}\n"
     "{\"a\":null,\"_corrupt_record\":\"5\"}\n", {0}},
    {"an array that is not closed", "a INT, _corrupt_record STRING", "[{\"a\":1},\n{\"a\":2}",
     "{\"a\":1,\"_corrupt_record\":null}\n{\"a\":null,\"_corrupt_record\":\"\"}\n{\"a\":2,\"_corrupt_record\":null}\n", {0}},
    {"a missing comma", "a INT, _corrupt_record STRING", "[{\"a\":1} {\"a\":2},{\"a\":3}]",
     "{\"a\":1,\"_corrupt_record\":null}\n{\"a\":null,\"_corrupt_record\":\"{\\\"a\\\":2}\"}\n"
     "{\"a\":3,\"_corrupt_record\":null}\n", {0}},
    {"blank lines", "a INT", "\n  \n{\"a\":1}\n\t\n\r\n\n{\"a\":2}\n \n  ", "{\"a\":1}\n{\"a\":2}\n", {0}},
    {"\\r, \\r\\n, \\n", "a INT", "{\"a\":1}\r\n{\"a\":2}\r{\"a\":3}\n{\"a\":4}", "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{\"a\":4}\n", {0}},
    {"BOM", "a INT", "\xef\xbb\xbf{\"a\":1}", "{\"a\":1}\n", {0}},
    {"lineSep \\n leaves \\r a blank", "a INT", "{\"a\":\r1}\r\n{\"a\":2}\n", "{\"a\":1}\n{\"a\":2}\n", {"lineSep=\n"}},
    {"lineSep of two characters", "a INT, _corrupt_record STRING", "{\"a\":1}||{\"a\":\n2}||||{\"a\":",
     "{\"a\":1,\"_corrupt_record\":null}\n{\"a\":2,\"_corrupt_record\":null}\n"
     "{\"a\":null,\"_corrupt_record\":\"{\\\"a\\\":\"}\n", {"lineSep=||"}},
    {"lineSep inside a string ends the line", "b STRING, _corrupt_record STRING", "{\"b\":\"x|y\"}",
     "{\"b\":null,\"_corrupt_record\":\"{\\\"b\\\":\\\"x\"}\n{\"b\":null,\"_corrupt_record\":\"y\\\"}\"}\n", {"lineSep=|"}},
    {"an array with lineSep", "a INT", "[{\"a\":1},{\"a\":2}]|{\"a\":3}", "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n", {"lineSep=|"}},
    {"multiLine objects and arrays", "a INT", "{\"a\":\n1}\n\n{\"a\":2}[{\"a\":3}\n,{\"a\":4}]", "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{\"a\":4}\n",
     {"multiLine=true"}},
    {"multiLine: a bad element costs itself", "a INT, _corrupt_record STRING",
     "[{\"a\":1},\n{\"a\":[}],\"}]\"]},\n{\"a\":2 \"b\":3},\n 7 ,\n{\"a\":4}]",
     "{\"a\":1,\"_corrupt_record\":null}\n{\"a\":null,\"_corrupt_record\":\"{\\\"a\\\":[}]\"}\n"
     "{\"a\":null,\"_corrupt_record\":\"\\\"}]\\\"\"}\n{\"a\":null,\"_corrupt_record\":\"},\"}\n"
     "{\"a\":null,\"_corrupt_record\":\"{\\\"a\\\":2 \\\"b\\\":3}\"}\n{\"a\":null,\"_corrupt_record\":\",\\n 7 ,\"}\n"
     "{\"a\":4,\"_corrupt_record\":null}\n{\"a\":null,\"_corrupt_record\":\"]\"}\n", {"multiLine=true"}},
    {"multiLine: text that is no value", "a INT, _corrupt_record STRING", "hello [world\n {\"a\":1}",
     "{\"a\":null,\"_corrupt_record\":\"hello\"}\n{\"a\":null,\"_corrupt_record\":\"world\\n {\\\"a\\\":1}\"}\n"
     "{\"a\":null,\"_corrupt_record\":\"\"}\n", {"multiLine=true"}},
    {"multiLine: the file ends in an array", "a INT, _corrupt_record STRING", "[{\"a\":1},",
     "{\"a\":1,\"_corrupt_record\":null}\n{\"a\":null,\"_corrupt_record\":\"\"}\n", {"multiLine=true"}},
    {"a NUL byte in the text is malformed", "a INT", "", "", {0}},
};

static void
records_are_found_in_lines_and_streams(void **state)
{
    (void)state;
    run_cases(framing_cases, COUNT(framing_cases), NULL);
}

static void
nul_bytes_are_malformed_and_kept(void **state)
{
    static const char in[] = "{\"a\":1\0}\n{\"a\":2}\n\0\n";
    static const struct row_case c = {"NUL", "a INT, _corrupt_record STRING", NULL, NULL, {0}};
    struct bench b;

    (void)state;
    run_bytes(&c, in, sizeof(in) - 1, NULL, &b);
    check_text("NUL", b.out.data,
               "{\"a\":null,\"_corrupt_record\":\"{\\\"a\\\":1\\u0000}\"}\n{\"a\":2,\"_corrupt_record\":null}\n"
               "{\"a\":null,\"_corrupt_record\":\"\\u0000\"}\n");
    bench_free(&b);
}

/* Rows do not depend on where blocks are cut, on the page's size, or on what stands behind a block. */
static void
blocks_and_pages_do_not_change_the_rows(void **state)
{
    static const uint32_t page_rows[] = {0, 1, 7};

    (void)state;
    for (size_t i = 0; i < COUNT(framing_cases); i++) {
        const struct row_case *c = &framing_cases[i];
        size_t n = strlen(c->in);
        struct bench whole;

        run_bytes(c, c->in, n, NULL, &whole);
        bench_free(&whole);
        for (size_t block = 1; block <= n; block++)
            for (size_t k = 0; k < 2 * COUNT(page_rows); k++) {
                struct bench b;

                bench_new(&b);
                b.page_rows = page_rows[k / 2];
                b.block_bytes = block;
                b.unsealed = k % 2;
                assert_int_equal(bench_options(&b, c->options), WEIR_OK);
                assert_int_equal(bench_schema(&b, c->ddl, NULL), WEIR_OK);
                assert_int_equal(bench_decode(&b, c->in, n), WEIR_OK);
                if (strcmp(b.out.data == NULL ? "" : b.out.data, c->out) != 0)
                    fail_msg("%s: blocks of %zu, pages of %u:\n  got    %s\n  wanted %s", c->name, block,
                             page_rows[k / 2], b.out.data == NULL ? "" : b.out.data, c->out);
                bench_free(&b);
            }
    }
}

static void
positions_are_byte_offsets_of_records(void **state)
{
    static const char in[] = "\xef\xbb\xbf {\"a\":1}\n\n[{\"a\":2},  {\"a\":3}]\r\nbad\n{\"a\":4}";
    struct bench b;

    (void)state;
    for (size_t block = 1; block < sizeof(in); block++) {
        bench_new(&b);
        b.positions = true;
        b.block_bytes = block;
        assert_int_equal(bench_options(&b, NULL), WEIR_OK);
        assert_int_equal(bench_schema(&b, "a INT", NULL), WEIR_OK);
        assert_int_equal(bench_decode(&b, in, sizeof(in) - 1), WEIR_OK);
        check_text("positions", b.out.data,
                   "4 {\"a\":1}\n14 {\"a\":2}\n24 {\"a\":3}\n34 {\"a\":null}\n38 {\"a\":4}\n");
        bench_free(&b);
    }
}

static void
a_large_array_is_cut_between_elements(void **state)
{
    struct weir_buf in = WEIR_BUF(16 * WEIR_MIB);
    struct weir_cut_state st = {0};
    struct json_options opt;
    struct bench b;
    size_t at = 0, blocks = 0;

    (void)state;
    bench_new(&b);
    assert_int_equal(bench_options(&b, (const char *const[]){"multiLine=true", NULL}), WEIR_OK);
    opt = b.opt;
    weir_buf_byte(&in, '[');
    for (int i = 0; i < 100000; i++)
        weir_buf_printf(&in, "%s{\"a\":%d,\"s\":\"],}{\\\"\"}", i > 0 ? ",\n" : "", i);
    weir_buf_byte(&in, ']');
    while (at < in.len) {
        size_t have = in.len - at < 65536 ? in.len - at : 65536;
        size_t k = weir_json_cut(&opt, &st, in.data + at, have, at + have == in.len);

        assert_true(k > have - 64); /* so a block is nearly full */
        at += k;
        blocks++;
    }
    assert_true(blocks > 30);
    b.block_bytes = 65536;
    assert_int_equal(bench_schema(&b, "a INT", NULL), WEIR_OK);
    assert_int_equal(bench_decode(&b, in.data, in.len), WEIR_OK);
    assert_int_equal(b.count.records, 100000);
    assert_int_equal(b.count.corrupt, 0);
    bench_free(&b);
    weir_buf_fini(&in);
}

/* ---- Limits */

/* depth objects in one another under a key that the schema lacks. */
static void
nest(struct weir_buf *in, int depth, char open, char close)
{
    weir_buf_str(in, "{\"x\":");
    for (int i = 0; i < depth; i++)
        weir_buf_str(in, open == '[' ? "[" : i + 1 < depth ? "{\"k\":" : "{");
    for (int i = 0; i < depth; i++)
        weir_buf_byte(in, close);
    weir_buf_str(in, ",\"a\":1}\n");
}

static void
records_nested_too_deeply_are_malformed(void **state)
{
    static const struct {
        int depth;
        uint64_t corrupt;
    } cases[] = {{1, 0}, {998, 0}, {999, 0}, {1000, 1}, {10000, 1}, {100000, 1}};

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        struct weir_buf in = WEIR_BUF(WEIR_MIB);
        struct row_case c = {.name = "depth", .ddl = "a INT"};
        struct bench b;

        nest(&in, cases[i / 2].depth, i % 2 ? '[' : '{', i % 2 ? ']' : '}');
        run_bytes(&c, in.data, in.len, NULL, &b);
        assert_int_equal(b.count.corrupt, cases[i / 2].corrupt);
        assert_int_equal(b.count.records, 1);
        bench_free(&b);
        weir_buf_fini(&in);
    }
}

static void
thousands_of_columns_and_keys_are_no_burden(void **state)
{
    enum { WIDE = 5000 };
    struct weir_buf ddl = WEIR_BUF(WEIR_MIB), in = WEIR_BUF(WEIR_MIB);
    struct row_case c = {.name = "wide"};
    struct bench b;

    (void)state;
    for (int i = 0; i < WIDE; i++)
        weir_buf_printf(&ddl, "%sc%d INT", i > 0 ? ", " : "", i);
    for (int i = WIDE - 1; i >= 0; i--) /* each key is another than the one guessed */
        weir_buf_printf(&in, "%s\"c%d\":%d", i < WIDE - 1 ? "," : "{", i, i);
    weir_buf_str(&in, "}\n{\"c4999\":7}");
    c.ddl = ddl.data;
    run_bytes(&c, in.data, in.len, NULL, &b);
    assert_int_equal(b.count.records, 2);
    assert_non_null(strstr(b.out.data, "\"c0\":0,\"c1\":1,"));
    assert_non_null(strstr(b.out.data, "\"c4998\":null,\"c4999\":7}"));
    bench_free(&b);
    weir_buf_fini(&ddl);
    weir_buf_fini(&in);
}

static void
a_large_map_keeps_each_key_once(void **state)
{
    enum { KEYS = 20000 };
    struct weir_buf in = WEIR_BUF(8 * WEIR_MIB);
    struct row_case c = {.name = "map", .ddl = "m MAP<STRING,STRUCT<v:INT>>"};
    struct bench b;

    (void)state;
    for (int i = 0; i < 2 * KEYS; i++) /* each key twice */
        weir_buf_printf(&in, "%s\"k%d\":{\"v\":%d}", i > 0 ? "," : "{\"m\":{", i % KEYS, i);
    weir_buf_str(&in, "}}");
    run_bytes(&c, in.data, in.len, NULL, &b);
    assert_int_equal(b.count.lost, KEYS);
    assert_non_null(strstr(b.out.data, "{\"m\":{\"k0\":{\"v\":20000},\"k1\":{\"v\":20001},"));
    assert_non_null(strstr(b.out.data, "\"k19999\":{\"v\":39999}}}"));
    bench_free(&b);
    weir_buf_fini(&in);
}

/* ---- Options: each changes the answer */

static const struct row_case option_cases[] = {
    {"mode", "a INT", "x\n{\"a\":1}", "{\"a\":1}\n", {"mode=dropMalformed"}},
    {"columnNameOfCorruptRecord", "a INT, bad STRING", "x", "{\"a\":null,\"bad\":\"x\"}\n", {"columnNameOfCorruptRecord=bad"}},
    {"multiLine", "a INT", "{\n\"a\":1}", "{\"a\":1}\n", {"multiLine=true"}},
    {"lineSep", "a INT", "{\"a\":1};{\"a\":2}", "{\"a\":1}\n{\"a\":2}\n", {"lineSep=;"}},
    {"dateFormat", "d DATE", "{\"d\":\"02.01.2025\"}", "{\"d\":\"2025-01-02\"}\n", {"dateFormat=dd.MM.yyyy"}},
    {"timestampFormat", "t TIMESTAMP", "{\"t\":\"02.01.2025 03:04\"}", "{\"t\":\"2025-01-02T02:04:00.000000Z\"}\n",
     {"timestampFormat=dd.MM.yyyy HH:mm", "timeZone=+01:00"}},
    {"timestampNTZFormat", "t TIMESTAMP_NTZ", "{\"t\":\"02.01.2025 03:04\"}", "{\"t\":\"2025-01-02T03:04:00.000000\"}\n",
     {"timestampNTZFormat=dd.MM.yyyy HH:mm"}},
    {"timeZone", "t TIMESTAMP", "{\"t\":\"2025-01-02T03:04:05\"}", "{\"t\":\"2025-01-02T02:04:05.000000Z\"}\n", {"timeZone=+01:00"}},
    {"allowComments", "a INT", "/*x*/{\"a\"/* \" */:1} // { \n{\"a\":2}", "{\"a\":1}\n{\"a\":2}\n", {"allowComments=true"}},
    {"allowSingleQuotes", "a STRING, _corrupt_record STRING", "{'a':'x'}", "{\"a\":null,\"_corrupt_record\":\"{'a':'x'}\"}\n",
     {"allowSingleQuotes=false"}},
    {"allowUnquotedFieldNames", "a INT", "{a:1}", "{\"a\":1}\n", {"allowUnquotedFieldNames=true"}},
    {"allowNumericLeadingZeros", "a INT, b DOUBLE, c DECIMAL(5,2)", "{\"a\":-007,\"b\":01.5,\"c\":0001.50}",
     "{\"a\":-7,\"b\":1.5,\"c\":1.50}\n", {"allowNumericLeadingZeros=true"}},
    {"allowBackslashEscapingAnyCharacter", "a STRING", "{\"a\":\"\\q\\\xc3\xa4\"}", "{\"a\":\"q\xc3\xa4\"}\n",
     {"allowBackslashEscapingAnyCharacter=true"}},
    {"allowUnquotedControlChars", "a STRING", "{\"a\":\"x\ty\"}", "{\"a\":\"x\\ty\"}\n", {"allowUnquotedControlChars=true"}},
    {"allowUnquotedControlChars ends at a line's end", "a STRING", "{\"a\":\"x\n{\"a\":\"y\"}", "{\"a\":null}\n{\"a\":\"y\"}\n",
     {"allowUnquotedControlChars=true"}},
    {"allowNonNumericNumbers", "a DOUBLE, _corrupt_record STRING", "{\"a\":NaN}\n{\"a\":\"NaN\"}",
     "{\"a\":null,\"_corrupt_record\":\"{\\\"a\\\":NaN}\"}\n{\"a\":null,\"_corrupt_record\":\"{\\\"a\\\":\\\"NaN\\\"}\"}\n",
     {"allowNonNumericNumbers=false"}},
    {"maxNestingDepth", "a INT", "{\"a\":1,\"x\":[]}\n{\"a\":1,\"x\":[[]]}", "{\"a\":1}\n{\"a\":null}\n", {"maxNestingDepth=2"}},
    {"maxNumLen", "a INT", "{\"a\":123}\n{\"a\":1234}", "{\"a\":123}\n{\"a\":null}\n", {"maxNumLen=3"}},
};

static void
options_are_honoured(void **state)
{
    (void)state;
    run_cases(option_cases, COUNT(option_cases), NULL);
    /* And without the option the answer is another, so that each case can fail. */
    for (size_t i = 0; i < COUNT(option_cases); i++) {
        struct row_case bare = option_cases[i];
        struct bench b;

        if (strstr(bare.name, " ends at") != NULL)
            continue;
        memset(bare.options, 0, sizeof(bare.options));
        run_bytes(&bare, bare.in, strlen(bare.in), NULL, &b);
        if (strcmp(b.out.data, bare.out) == 0)
            fail_msg("%s: the same without the option", bare.name);
        bench_free(&b);
    }
}

static void
options_without_meaning_here_are_refused_by_name(void **state)
{
    static const char *const cases[] = {
        "locale=de-DE", "samplingRatio=0.5", "samplingRatio=x", "singleVariantColumn=v", "lineSep=", "timeZone=Mars/Base",
        "dateFormat=yyyy-QQQQQ-dd", "maxNestingDepth=5000", "maxNestingDepth=0", "maxNumLen=0", "mode=lenient",
        "enableDateTimeParsingFallback=true", "maxStringLen=10", "multiLine=perhaps",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench b;
        char text[1024], name[64];
        weir_rc rc;

        bench_new(&b);
        rc = bench_options(&b, (const char *const[]){cases[i], NULL});
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(cases[i], "="), cases[i]);
        weir_error_text(&b.err, text, sizeof(text));
        if ((rc != WEIR_USAGE && rc != WEIR_UNSUPPORTED) || strstr(text, name) == NULL)
            fail_msg("%s: %s: %s", cases[i], weir_rc_name(rc), text);
        bench_free(&b);
    }
}

static void
options_of_the_same_meaning_are_accepted(void **state)
{
    static const char *const texts[] = {"locale=en_US", "samplingRatio=1.0", "ignoreNullFields=false", "pretty=true",
                                        "charset=UTF-16LE", NULL};
    struct weir_format_traits traits = {0};
    struct bench b;

    (void)state;
    bench_new(&b);
    assert_int_equal(bench_options(&b, texts), WEIR_OK);
    weir_json_traits(&b.opt, &traits);
    assert_string_equal(traits.encoding, "UTF-16LE");
    assert_string_equal(traits.corrupt_column, "_corrupt_record");
    bench_free(&b);
}

static void
case_does_not_matter_when_the_reader_says_so(void **state)
{
    struct bench b;

    (void)state;
    bench_new(&b);
    assert_int_equal(bench_options(&b, NULL), WEIR_OK);
    b.opt.case_sensitive = false;
    assert_int_equal(bench_schema(&b, "abc INT, o STRUCT<p:INT>, _r STRING", "_r"), WEIR_OK);
    assert_int_equal(bench_decode(&b, "{\"ABC\":1,\"O\":{\"P\":2}}", 21), WEIR_OK);
    check_text("case", b.out.data, "{\"abc\":1,\"o\":{\"p\":2},\"_r\":null}\n");
    bench_free(&b);
}

static void
a_message_is_one_row_whatever_the_page(void **state)
{
    static const char *const texts[] = {"{\"a\":1} \n", "", "  ", "[{\"a\":1},{\"a\":2}]", "{\"a\":1} x ", "bad\n"};

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(texts); i++) {
        struct bench b;

        bench_new(&b);
        b.env.message = true;
        b.page_rows = i % 2 ? 1 : 0; /* full with this row */
        assert_int_equal(bench_options(&b, NULL), WEIR_OK);
        assert_int_equal(bench_schema(&b, "a INT", NULL), WEIR_OK);
        assert_int_equal(bench_message(&b, texts[i / 2], strlen(texts[i / 2])), WEIR_OK);
        check_text(texts[i / 2], b.out.data,
                   strchr(texts[i / 2], '{') == texts[i / 2] ? "{\"a\":1}\n" : "{\"a\":null}\n");
        assert_int_equal(b.count.records, 1);
        bench_free(&b);
    }
}

/* ---- Errors */

static void
failfast_names_offset_and_reason(void **state)
{
    static const struct {
        const char *in, *what;
    } cases[] = {
        {"{\"a\":1}\n{\"a\":1", "byte 8: malformed JSON record: a comma or } was expected"},
        {"{\"a\":1}\n {\"a\":\"x\"}", "byte 9: malformed JSON record: the value of \"a\" is no integer"},
        {"[{\"a\":1}", "byte 8: malformed JSON record: an array is not closed"},
        {"5", "byte 0: malformed JSON record: not an object"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench b;

        bench_new(&b);
        assert_int_equal(bench_options(&b, (const char *const[]){"mode=FAILFAST", NULL}), WEIR_OK);
        assert_int_equal(bench_schema(&b, "a INT", NULL), WEIR_OK);
        assert_int_equal(bench_decode(&b, cases[i].in, strlen(cases[i].in)), WEIR_BADDATA);
        check_text(cases[i].in, b.err.what, cases[i].what);
        bench_free(&b);
    }
}

static void
unknown_fields_are_told_when_asked_for(void **state)
{
    static const struct {
        const char *in;
        weir_rc rc;
    } cases[] = {{"{\"a\":1}", WEIR_OK},
                 {"{\"A\":1}", WEIR_OK}, /* differs in case only: rescued, no new column */
                 {"{\"_r\":1}", WEIR_OK},
                 {"{\"b\":1}\n{\"a\":2}", WEIR_SCHEMA},
                 {"{\"o\":{\"q\":1}}", WEIR_SCHEMA},
                 {"{\"l\":[{\"q\":1}]}", WEIR_SCHEMA}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench b;

        bench_new(&b);
        b.env.track_unknown = true;
        assert_int_equal(bench_options(&b, NULL), WEIR_OK);
        assert_int_equal(bench_schema(&b, "a INT, o STRUCT<p:INT>, l ARRAY<STRUCT<p:INT>>, _r STRING", "_r"), WEIR_OK);
        if (bench_decode(&b, cases[i].in, strlen(cases[i].in)) != cases[i].rc)
            fail_msg("%s", cases[i].in);
        assert_true(b.count.records > 0);
        bench_free(&b);
    }
}

static void
fill_day(struct weir_page *page)
{
    ((struct weir_str *)page->cols[1].data)[0] = weir_str_of("1\0\0\0\0\0\0\0\0\0\0\0", 1);
}

static void
columns_of_the_reader_are_left_alone_and_their_values_rescued(void **state)
{
    int32_t source[] = {1, 0, 1};
    struct bench b;

    (void)state;
    bench_new(&b);
    assert_int_equal(bench_options(&b, NULL), WEIR_OK);
    assert_int_equal(bench_schema(&b, "a INT, day STRING, _r STRING", "_r"), WEIR_OK);
    weir_json_decoder_free(b.dec);
    b.env.source = source;
    b.fill = fill_day;
    b.env.rescue_path = true;
    b.env.track_unknown = true;
    assert_int_equal(weir_json_decoder_new(&b.opt, &b.env, &b.dec, &b.err), WEIR_OK);
    weir_json_decoder_object(b.dec, "s3://in/day=1/a.json");
    assert_int_equal(bench_decode(&b, "{\"a\":1,\"day\":\"2\"}", 17), WEIR_OK);
    check_text("foreign", b.out.data,
               "{\"a\":1,\"day\":\"1\",\"_r\":\"{\\\"day\\\":\\\"2\\\",\\\"_file_path\\\":\\\"s3://in/day=1/a.json\\\"}\"}\n");
    bench_free(&b);
}

static void
types_that_json_does_not_fill_are_refused(void **state)
{
    static const struct {
        const char *ddl;
        weir_rc rc;
    } cases[] = {{"v VARIANT", WEIR_UNSUPPORTED},
                 {"m MAP<INT,STRING>", WEIR_UNSUPPORTED},
                 {"o STRUCT<l:ARRAY<MAP<DATE,INT>>>", WEIR_UNSUPPORTED},
                 {"a INT, _corrupt_record INT", WEIR_USAGE}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench b;

        bench_new(&b);
        assert_int_equal(bench_options(&b, NULL), WEIR_OK);
        assert_int_equal(bench_schema(&b, cases[i].ddl, NULL), cases[i].rc);
        bench_free(&b);
    }
}

/* ---- Values */

static const struct row_case value_cases[] = {
    {"integers at their ends", "b TINYINT, s SMALLINT, i INT, l BIGINT",
     "{\"b\":-128,\"s\":-32768,\"i\":-2147483648,\"l\":-9223372036854775808}",
     "{\"b\":-128,\"s\":-32768,\"i\":-2147483648,\"l\":-9223372036854775808}\n", {0}},
    {"integers beyond", "b TINYINT, s SMALLINT, i INT, l BIGINT",
     "{\"b\":-129,\"s\":-32769,\"i\":-2147483649,\"l\":-9223372036854775809}",
     "{\"b\":null,\"s\":null,\"i\":null,\"l\":null}\n", {0}},
    {"doubles", "a DOUBLE, b DOUBLE, c DOUBLE, d DOUBLE",
     "{\"a\":-0.0,\"b\":1e308,\"c\":123456789012345678901234567890,\"d\":0.1}",
     "{\"a\":-0.0,\"b\":1.0E308,\"c\":1.2345678901234568E29,\"d\":0.1}\n", {0}},
    {"floats", "a FLOAT, b FLOAT, c FLOAT", "{\"a\":0.1,\"b\":1e39,\"c\":16777217}",
     "{\"a\":0.1,\"b\":null,\"c\":1.6777216E7}\n", {0}},
    {"decimals of each width", "a DECIMAL(4,2), b DECIMAL(9,0), c DECIMAL(18,3), d DECIMAL(38,10)",
     "{\"a\":-99.99,\"b\":999999999,\"c\":-123456789012345.678,\"d\":1234567890123456789012345678.0123456789}",
     "{\"a\":-99.99,\"b\":999999999,\"c\":-123456789012345.678,\"d\":1234567890123456789012345678.0123456789}\n", {0}},
    {"decimals round half up", "a DECIMAL(4,2), b DECIMAL(4,2)", "{\"a\":99.995,\"b\":\"-1.005\"}",
     "{\"a\":null,\"b\":-1.01}\n", {0}},
    {"timestamps: quick and general ways agree", "a TIMESTAMP, b TIMESTAMP, c TIMESTAMP, d TIMESTAMP",
     "{\"a\":\"1969-12-31T23:59:59.9Z\",\"b\":\"1969-12-31 23:59:59.9000001\",\"c\":\"2024-02-29T00:00:00Z\","
     "\"d\":\"2023-02-29T00:00:00Z\"}",
     "{\"a\":\"1969-12-31T23:59:59.900000Z\",\"b\":\"1969-12-31T23:59:59.900000Z\",\"c\":\"2024-02-29T00:00:00.000000Z\","
     "\"d\":null}\n", {0}},
    {"a bare time is no timestamp", "a TIMESTAMP", "{\"a\":\"03:04:05\"}", "{\"a\":null}\n", {0}},
    {"seconds that overflow", "a TIMESTAMP", "{\"a\":9223372036854775807}", "{\"a\":null}\n", {0}},
    {"base64", "x BINARY, y BINARY, z BINARY, w BINARY",
     "{\"x\":\"\",\"y\":\"aGk\",\"z\":\"aGVs bG8=\",\"w\":\"\\/\\/\\/\\/\"}",
     "{\"x\":\"\",\"y\":null,\"z\":\"aGVsbG8=\",\"w\":\"////\"}\n", {0}},
    {"void", "v VOID, a INT", "{\"v\":null,\"a\":1}", "{\"v\":null,\"a\":1}\n", {0}},
    {"strings about the inline length", "a STRING, b STRING, c STRING, d STRING",
     "{\"a\":\"1234567\",\"b\":\"12345678\",\"c\":\"123456789012\",\"d\":\"1234567890123\"}",
     "{\"a\":\"1234567\",\"b\":\"12345678\",\"c\":\"123456789012\",\"d\":\"1234567890123\"}\n", {0}},
    {"blanks everywhere", "a INT, l ARRAY<INT>, m MAP<STRING,INT>, o STRUCT<p:INT>",
     " { \"a\" : 1 , \"l\" : [ 1 , 2 ] , \"m\" : { \"k\" : 1 , \"j\" : 2 } , \"o\" : { \"p\" : 3 } } ",
     "{\"a\":1,\"l\":[1,2],\"m\":{\"k\":1,\"j\":2},\"o\":{\"p\":3}}\n", {0}},
    {"empty nested values", "l ARRAY<INT>, m MAP<STRING,INT>, o STRUCT<p:INT>", "{\"l\":[],\"m\":{},\"o\":{}}",
     "{\"l\":[],\"m\":{},\"o\":{\"p\":null}}\n", {0}},
    {"names that need care", "`a\"b` INT, `a\\b` INT, `a name of more than sixteen bytes` INT",
     "{\"a\\\"b\":1,\"a\\\\b\":2,\"a name of more than sixteen bytes\":3}",
     "{\"a\\\"b\":1,\"a\\\\b\":2,\"a name of more than sixteen bytes\":3}\n", {0}},
};

static void
values_are_read_by_their_type(void **state)
{
    (void)state;
    run_cases(value_cases, COUNT(value_cases), NULL);
}

/* A row left null bits and list children behind when it turned out to be malformed or was dropped. */
static void
an_undone_record_leaves_no_trace(void **state)
{
    static const char in[] = "{\"a\":null,\"l\":[1,null,2],\"o\":{\"p\":null},\"a\":\n"
                             "{\"a\":\"x\",\"l\":[null],\"o\":{}}\n"
                             "{\"a\":5,\"l\":[6,7,8],\"o\":{\"p\":9}}\n";
    struct bench b;

    (void)state;
    bench_new(&b);
    assert_int_equal(bench_options(&b, (const char *const[]){"mode=DROPMALFORMED", NULL}), WEIR_OK);
    assert_int_equal(bench_schema(&b, "a INT, l ARRAY<INT>, o STRUCT<p:INT>", NULL), WEIR_OK);
    assert_int_equal(bench_decode(&b, in, sizeof(in) - 1), WEIR_OK);
    check_text("undone", b.out.data, "{\"a\":5,\"l\":[6,7,8],\"o\":{\"p\":9}}\n");
    assert_int_equal(b.count.dropped, 2);
    assert_int_equal(b.count.records, 3);
    bench_free(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rescued_text_keeps_all_that_does_not_fit),
        cmocka_unit_test(a_doubled_key_loses_nothing),
        cmocka_unit_test(lost_values_are_counted_without_a_column_for_them),
        cmocka_unit_test(records_are_found_in_lines_and_streams),
        cmocka_unit_test(nul_bytes_are_malformed_and_kept),
        cmocka_unit_test(blocks_and_pages_do_not_change_the_rows),
        cmocka_unit_test(positions_are_byte_offsets_of_records),
        cmocka_unit_test(a_large_array_is_cut_between_elements),
        cmocka_unit_test(records_nested_too_deeply_are_malformed),
        cmocka_unit_test(thousands_of_columns_and_keys_are_no_burden),
        cmocka_unit_test(a_large_map_keeps_each_key_once),
        cmocka_unit_test(options_are_honoured),
        cmocka_unit_test(options_without_meaning_here_are_refused_by_name),
        cmocka_unit_test(options_of_the_same_meaning_are_accepted),
        cmocka_unit_test(case_does_not_matter_when_the_reader_says_so),
        cmocka_unit_test(a_message_is_one_row_whatever_the_page),
        cmocka_unit_test(failfast_names_offset_and_reason),
        cmocka_unit_test(unknown_fields_are_told_when_asked_for),
        cmocka_unit_test(columns_of_the_reader_are_left_alone_and_their_values_rescued),
        cmocka_unit_test(types_that_json_does_not_fill_are_refused),
        cmocka_unit_test(values_are_read_by_their_type),
        cmocka_unit_test(an_undone_record_leaves_no_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
