/* Schema inference: Spark's rules for the tree of types, and JSON records into it. */
#include "json_help.h"

#include "base/limits.h"

struct infer_case {
    const char *name, *in, *schema; /* Spark's simpleString */
    const char *options[3];
};

/* "error CODE" or the schema's text. */
static void
infer_text(const char *in, size_t n, const char *const *options, const struct weir_infer_options *how, char *out,
           size_t size)
{
    struct weir_format_traits traits = {0};
    struct weir_buf text = WEIR_BUF(WEIR_MIB);
    struct weir_infer *inf = NULL;
    const struct weir_type *type;
    struct weir_block *block;
    struct weir_records rec;
    struct bench b;
    weir_rc rc;

    bench_new(&b);
    assert_int_equal(bench_options(&b, options), WEIR_OK);
    weir_json_traits(&b.opt, &traits);
    traits.infer.infer_column_types = how->infer_column_types;
    traits.infer.case_sensitive = how->case_sensitive;
    traits.infer.rescues = how->rescues;
    block = bench_block(&b, in, n);
    rec = (struct weir_records){.at = block->data, .end = block->data + n, .block = block, .first = true, .last = true};
    assert_int_equal(weir_infer_new(&traits.infer, NULL, &inf, &b.err), WEIR_OK);
    rc = weir_json_infer(&b.opt, &rec, inf, &b.err);
    if (rc == WEIR_OK)
        rc = weir_infer_schema(inf, traits.corrupt_column, b.mem, &type, &b.err);
    if (rc == WEIR_OK) {
        weir_type_print_simple(type, &text);
        snprintf(out, size, "%s", text.data);
    } else {
        snprintf(out, size, "error %s", weir_rc_name(rc));
    }
    weir_buf_fini(&text);
    weir_infer_free(inf);
    weir_block_put(block);
    bench_free(&b);
}

static void
run_cases(const struct infer_case *cases, size_t n, const struct weir_infer_options *how)
{
    for (size_t i = 0; i < n; i++) {
        char got[4096];

        infer_text(cases[i].in, strlen(cases[i].in), cases[i].options, how, got, sizeof(got));
        if (strcmp(got, cases[i].schema) != 0)
            fail_msg("%s:\n  got    %s\n  wanted %s", cases[i].name, got, cases[i].schema);
    }
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct infer_case value_cases[] = {
    {"an integer", "{\"a\":1}", "struct<a:bigint>", {0}},
    {"a fraction", "{\"a\":1.5}", "struct<a:double>", {0}},
    {"both", "{\"a\":1}\n{\"a\":1.5}", "struct<a:double>", {0}},
    {"number and string", "{\"a\":1}\n{\"a\":\"x\"}", "struct<a:string>", {0}},
    {"number and boolean", "{\"a\":1}\n{\"a\":true}", "struct<a:string>", {0}},
    {"boolean", "{\"a\":false}\n{\"a\":null}", "struct<a:boolean>", {0}},
    {"null only", "{\"a\":null}", "struct<a:string>", {0}},
    {"an empty string is as null", "{\"a\":\"\"}\n{\"a\":1}", "struct<a:bigint>", {0}},
    {"only empty strings", "{\"a\":\"\"}", "struct<a:string>", {0}},
    {"object and scalar", "{\"a\":1}\n{\"a\":{\"b\":1}}", "struct<a:string>", {0}},
    {"object and array", "{\"a\":[1]}\n{\"a\":{\"b\":1}}", "struct<a:string>", {0}},
    {"objects merge", "{\"a\":{\"b\":1}}\n{\"a\":{\"c\":2}}", "struct<a:struct<b:bigint,c:bigint>>", {0}},
    {"arrays merge", "{\"a\":[1]}\n{\"a\":[\"x\"]}", "struct<a:array<string>>", {0}},
    {"an array of all", "{\"a\":[1,\"x\",{\"b\":1}]}", "struct<a:array<string>>", {0}},
    {"an empty array", "{\"a\":[]}", "struct<a:array<string>>", {0}},
    {"an array of null", "{\"a\":[null]}", "struct<a:array<string>>", {0}},
    {"an empty object vanishes", "{\"a\":{},\"b\":1}", "struct<b:bigint>", {0}},
    {"and what holds only such", "{\"a\":{\"c\":{}},\"l\":[{}],\"b\":1}", "struct<b:bigint>", {0}},
    {"nothing at all", "{}", "struct<>", {0}},
    {"9223372036854775808", "{\"a\":9223372036854775808}", "struct<a:decimal(19,0)>", {0}},
    {"it and a bigint", "{\"a\":9223372036854775808}\n{\"a\":1}", "struct<a:decimal(20,0)>", {0}},
    {"it and a fraction", "{\"a\":9223372036854775808}\n{\"a\":1.5}", "struct<a:double>", {0}},
    {"38 digits and a bigint", "{\"a\":12345678901234567890123456789012345678}\n{\"a\":1}", "struct<a:decimal(38,0)>", {0}},
    {"39 digits", "{\"a\":123456789012345678901234567890123456789}", "struct<a:double>", {0}},
    {"1e400 and NaN", "{\"a\":1e400,\"b\":NaN}", "struct<a:double,b:double>", {0}},
    {"dates are strings", "{\"a\":\"2024-01-02\"}", "struct<a:string>", {0}},
    {"a top-level array", "[{\"a\":1},{\"b\":\"x\"}]", "struct<a:bigint,b:string>", {0}},
    {"a malformed record", "{\"b\":1,\"a\":\n{\"c\":1}", "struct<_corrupt_record:string,c:bigint>", {0}},
    {"a bare scalar", "{\"c\":1}\n5", "struct<_corrupt_record:string,c:bigint>", {0}},
    {"the word null", "{\"c\":1}\nnull", "struct<c:bigint>", {0}},
    {"a malformed record that is dropped", "{\"b\":\n{\"c\":1}", "struct<c:bigint>", {"mode=DROPMALFORMED"}},
    {"a malformed record that fails", "{\"b\":\n{\"c\":1}", "error BADDATA", {"mode=FAILFAST"}},
    {"columnNameOfCorruptRecord", "x", "struct<bad:string>", {"columnNameOfCorruptRecord=bad"}},
    {"prefersDecimal beyond 38", "{\"a\":1.5}\n{\"a\":12345678901234567890123456789012345678}", "struct<a:double>",
     {"prefersDecimal=true"}},
    {"a doubled key", "{\"a\":1,\"a\":2}", "error SCHEMA", {0}},
    {"doubled by case", "{\"a\":1,\"A\":2}", "error SCHEMA", {0}},
    {"doubled in an element", "{\"l\":[{\"a\":1},{\"a\":1,\"a\":2}]}", "error SCHEMA", {0}},
    {"the same key in several objects", "{\"l\":[{\"a\":1},{\"a\":2}],\"a\":{\"a\":1}}", "struct<a:struct<a:bigint>,l:array<struct<a:bigint>>>", {0}},
    {"other case in another record", "{\"a\":1}\n{\"A\":2.5}", "struct<a:double>", {0}},
    {"an escaped key", "{\"\\u0061\":1}\n{\"a\":2}", "struct<a:bigint>", {0}},
};

static const struct infer_case option_cases[] = {
    {"prefersDecimal", "{\"a\":1.5}\n{\"a\":123456789.25}", "struct<a:decimal(11,2)>", {"prefersDecimal=true"}},
    {"prefersDecimal and a bigint", "{\"a\":1.5}\n{\"a\":7}", "struct<a:decimal(21,1)>", {"prefersDecimal=true"}},
    {"prefersDecimal below 1", "{\"a\":0.001}", "struct<a:decimal(3,3)>", {"prefersDecimal=true"}},
    {"prefersDecimal with an exponent", "{\"a\":1.5e3}", "struct<a:decimal(4,0)>", {"prefersDecimal=true"}},
    {"prefersDecimal in quotes", "{\"a\":\"0.001\",\"b\":\"1.5\",\"c\":\"1,234.5\",\"d\":\"1e3\",\"e\":\",\"}",
     "struct<a:string,b:decimal(2,1),c:decimal(5,1),d:string,e:string>", {"prefersDecimal=true"}},
    {"inferTimestamp", "{\"a\":\"2025-01-02T03:04:05Z\",\"b\":\"2025-01-02\",\"c\":\"x\",\"d\":\"03:04\"}",
     "struct<a:timestamp,b:timestamp,c:string,d:string>", {"inferTimestamp=true"}},
    {"inferTimestamp with a pattern", "{\"a\":\"02.01.2025\",\"b\":\"2025-01-02\"}", "struct<a:timestamp,b:string>",
     {"inferTimestamp=true", "timestampFormat=dd.MM.yyyy"}},
    {"dropFieldIfAllNull", "{\"a\":null,\"b\":[],\"c\":[null],\"d\":{\"e\":null},\"f\":\"\",\"g\":1}", "struct<g:bigint>",
     {"dropFieldIfAllNull=true"}},
    {"primitivesAsString", "{\"a\":1,\"b\":true,\"c\":1.5,\"d\":[2],\"e\":{\"f\":3}}",
     "struct<a:string,b:string,c:string,d:array<string>,e:struct<f:string>>", {"primitivesAsString=true"}},
    {"multiLine", "{\"a\":\n1}\n[{\"b\":1}]", "struct<a:bigint,b:bigint>", {"multiLine=true"}},
};

static void
types_follow_from_all_values_seen(void **state)
{
    static const struct weir_infer_options how = {.infer_column_types = true};

    (void)state;
    run_cases(value_cases, COUNT(value_cases), &how);
}

static void
options_change_what_is_inferred(void **state)
{
    static const struct weir_infer_options how = {.infer_column_types = true};

    (void)state;
    run_cases(option_cases, COUNT(option_cases), &how);
    for (size_t i = 0; i < COUNT(option_cases); i++) {
        char got[4096];

        infer_text(option_cases[i].in, strlen(option_cases[i].in), NULL, &how, got, sizeof(got));
        if (strcmp(got, option_cases[i].schema) == 0)
            fail_msg("%s: the same without the option", option_cases[i].name);
    }
}

static void
without_column_types_every_leaf_is_a_string(void **state)
{
    static const struct weir_infer_options how = {.infer_column_types = false};
    static const struct infer_case cases[] = {
        {"all", "{\"a\":1,\"b\":true,\"c\":1.5,\"d\":[2],\"e\":{\"f\":3,\"g\":[{\"h\":null}]}}",
         "struct<a:string,b:string,c:string,d:array<string>,e:struct<f:string,g:array<struct<h:string>>>>", {0}},
    };

    (void)state;
    run_cases(cases, COUNT(cases), &how);
}

static void
case_matters_when_asked_for(void **state)
{
    static const struct weir_infer_options how = {.infer_column_types = true, .case_sensitive = true};
    static const struct infer_case cases[] = {
        {"two records", "{\"a\":1}\n{\"A\":\"x\"}", "struct<A:string,a:bigint>", {0}},
        {"one record", "{\"a\":1,\"A\":\"x\"}", "struct<A:string,a:bigint>", {0}},
        {"Java's order of names", "{\"\xef\xbf\xbd\":1,\"\xf0\x9f\x98\x80\":1,\"b\":1,\"B\":1,\"ab\":1,\"a\":1,\"\xee\x80\x80\":1}",
         "struct<B:bigint,a:bigint,ab:bigint,b:bigint,\xf0\x9f\x98\x80:bigint,\xee\x80\x80:bigint,\xef\xbf\xbd:bigint>", {0}},
    };

    (void)state;
    run_cases(cases, COUNT(cases), &how);
}

static void
trees_of_several_threads_merge_to_the_same(void **state)
{
    static const char a[] = "{\"a\":1,\"o\":{\"p\":1},\"l\":[{\"x\":1.5}]}\n", b[] = "{\"a\":\"x\",\"o\":{\"q\":[]},\"l\":[{\"y\":9223372036854775808}]}\nbad\n";
    static const struct weir_infer_options how = {.infer_column_types = true};
    struct weir_buf text = WEIR_BUF(4096);
    const struct weir_type *type;
    struct weir_infer *inf[2];
    struct bench bench;

    (void)state;
    bench_new(&bench);
    assert_int_equal(bench_options(&bench, NULL), WEIR_OK);
    for (int i = 0; i < 2; i++) {
        const char *in = i == 0 ? a : b;
        struct weir_block *block = bench_block(&bench, in, strlen(in));
        struct weir_records rec = {.at = block->data, .end = block->data + block->len, .block = block};

        assert_int_equal(weir_infer_new(&how, NULL, &inf[i], &bench.err), WEIR_OK);
        assert_int_equal(weir_json_infer(&bench.opt, &rec, inf[i], &bench.err), WEIR_OK);
        weir_block_put(block);
    }
    assert_int_equal(weir_infer_merge(inf[0], inf[1], &bench.err), WEIR_OK);
    weir_infer_free(inf[1]);
    assert_int_equal(weir_infer_schema(inf[0], "_corrupt_record", bench.mem, &type, &bench.err), WEIR_OK);
    weir_type_print_simple(type, &text);
    assert_string_equal(text.data, "struct<_corrupt_record:string,a:string,l:array<struct<x:double,y:decimal(19,0)>>,"
                                   "o:struct<p:bigint,q:array<string>>>");
    weir_buf_fini(&text);
    weir_infer_free(inf[0]);
    bench_free(&bench);
}

static void
too_many_fields_are_an_error_and_no_memory(void **state)
{
    static const struct weir_infer_options how = {.infer_column_types = true};
    struct weir_buf in = WEIR_BUF(16 * WEIR_MIB);
    char got[256];

    (void)state;
    for (int i = 0; i < 200000; i++)
        weir_buf_printf(&in, "%s\"key %d\":1", i > 0 ? "," : "{", i);
    weir_buf_byte(&in, '}');
    infer_text(in.data, in.len, NULL, &how, got, sizeof(got));
    assert_string_equal(got, "error SCHEMA");
    weir_buf_fini(&in);
}

static void
what_a_rescued_column_keeps_is_no_error(void **state)
{
    static const struct weir_infer_options how = {.infer_column_types = true, .rescues = true};
    static const struct infer_case cases[] = {
        {"a doubled key", "{\"a\":1,\"a\":\"x\"}", "struct<a:string>", {0}},
        {"doubled by case", "{\"a\":1,\"A\":2}", "struct<a:bigint>", {0}},
        {"doubled in an element", "{\"l\":[{\"a\":1},{\"a\":1,\"A\":2}]}", "struct<l:array<struct<a:bigint>>>", {0}},
    };
    struct weir_buf in = WEIR_BUF(16 * WEIR_MIB);
    char *got = malloc(WEIR_MIB);

    (void)state;
    run_cases(cases, COUNT(cases), &how);
    for (int i = 0; i < WEIR_FIELDS_MAX + 5; i++)
        weir_buf_printf(&in, "%s\"k%d\":1", i > 0 ? "," : "{", i);
    weir_buf_byte(&in, '}');
    infer_text(in.data, in.len, NULL, &how, got, WEIR_MIB);
    assert_non_null(strstr(got, "k9999:"));
    assert_null(strstr(got, "k10000:"));
    free(got);
    weir_buf_fini(&in);
}

static void
values_nested_too_deeply_are_strings(void **state)
{
    static const struct weir_infer_options how = {.infer_column_types = true};
    char in[4096] = "", got[8192];
    size_t n = 0;

    (void)state;
    for (int i = 0; i < WEIR_NEST_MAX + 20; i++)
        n += (size_t)snprintf(in + n, sizeof(in) - n, "{\"a\":");
    n += (size_t)snprintf(in + n, sizeof(in) - n, "1");
    for (int i = 0; i < WEIR_NEST_MAX + 20; i++)
        n += (size_t)snprintf(in + n, sizeof(in) - n, "}");
    infer_text(in, n, NULL, &how, got, sizeof(got));
    assert_non_null(strstr(got, "struct<a:string>"));
    assert_int_equal(strlen(got), (WEIR_NEST_MAX - 1) * strlen("struct<a:>") + strlen("string"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_follow_from_all_values_seen),
        cmocka_unit_test(options_change_what_is_inferred),
        cmocka_unit_test(without_column_types_every_leaf_is_a_string),
        cmocka_unit_test(case_matters_when_asked_for),
        cmocka_unit_test(trees_of_several_threads_merge_to_the_same),
        cmocka_unit_test(too_many_fields_are_an_error_and_no_memory),
        cmocka_unit_test(what_a_rescued_column_keeps_is_no_error),
        cmocka_unit_test(values_nested_too_deeply_are_strings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
