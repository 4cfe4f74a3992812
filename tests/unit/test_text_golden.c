/* What Spark 4.0.0 answered (tests/golden/spark/README.md) against what column/text.h answers. */
#include "column/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <jansson.h>

#include "base/str.h"

static struct weir_mem *mem;

static char *
golden_path(const char *name)
{
    return weir_mem_printf(mem, "%s/spark/%s", getenv("WEIR_GOLDEN"), name);
}

static bool
pattern_micros(const char *pattern, const char *text, size_t n, const struct weir_zone *zone, int64_t *us)
{
    struct weir_error err = {0};
    struct weir_pattern *p;
    bool has_zone;

    if (weir_pattern_compile(pattern, strlen(pattern), mem, &p, &err) != WEIR_OK)
        return false;
    if (!weir_pattern_parse(p, text, n, us, &has_zone))
        return false;
    if (!has_zone)
        *us = weir_zone_to_utc(zone, *us);
    return true;
}

static void
check_to_timestamp(const json_t *c)
{
    const char *input = json_string_value(json_object_get(c, "input"));
    const json_t *pattern = json_object_get(c, "pattern"), *lenient = json_object_get(c, "ansi_false");
    const json_t *strict = json_object_get(c, "ansi_true"), *micros = json_object_get(lenient, "micros");
    bool ok;
    int64_t us;

    if (json_is_string(pattern)) {
        struct weir_error err = {0};
        struct weir_pattern *p;
        const char *text = json_string_value(pattern);
        weir_rc rc = weir_pattern_compile(text, strlen(text), mem, &p, &err);

        /* Spark refuses the pattern itself, or weir must not */
        if ((rc == WEIR_OK) != (json_object_get(lenient, "error") == NULL))
            fail_msg("pattern %s: %s", text, weir_rc_name(rc));
        ok = pattern_micros(text, input, strlen(input), &weir_zone_utc, &us);
    } else {
        ok = weir_timestamp_parse(input, strlen(input), &weir_zone_utc, &us);
    }
    if (ok != json_is_integer(micros) || ok != (json_object_get(strict, "error") == NULL))
        fail_msg("'%s' by '%s': read %d", input, json_string_value(pattern), ok);
    if (ok && us != json_integer_value(micros))
        fail_msg("'%s' by '%s': %" PRId64, input, json_string_value(pattern), us);
}

static json_t *
golden_to_timestamp(void)
{
    json_error_t error;
    json_t *doc = json_load_file(golden_path("to_timestamp_cases.json"), 0, &error);

    if (doc == NULL)
        fail_msg("%s:%d: %s", error.source, error.line, error.text);
    return doc;
}

static void
to_timestamp_answers_as_spark(void **state)
{
    json_t *doc = golden_to_timestamp(), *c;
    size_t i;

    (void)state;
    assert_true(json_array_size(json_object_get(doc, "cases")) > 80);
    json_array_foreach(json_object_get(doc, "cases"), i, c)
        check_to_timestamp(c);
    json_decref(doc);
}

static void
local_times_become_the_instants_of_spark(void **state)
{
    json_t *doc = golden_to_timestamp(), *c;
    size_t i;

    (void)state;
    assert_int_equal(json_array_size(json_object_get(doc, "zones")), 4);
    json_array_foreach(json_object_get(doc, "zones"), i, c) {
        const char *name = json_string_value(json_object_get(c, "zone"));
        const char *input = json_string_value(json_object_get(c, "input"));
        const struct weir_zone *zone = weir_zone_find(name, strlen(name));
        char text[64];
        int64_t us;

        assert_non_null(zone);
        assert_true(weir_timestamp_parse(input, strlen(input), zone, &us));
        assert_int_equal(us, json_integer_value(json_object_get(c, "micros")));
        weir_timestamp_print(weir_zone_to_local(zone, us), -1, ' ', "", text);
        assert_string_equal(text, json_string_value(json_object_get(c, "text")));
    }
    json_decref(doc);
}

/* text_cases.tsv: the answer to one line, as its kind prints it. */

static void
answer_slot(const struct weir_type *type, struct weir_slice t, char *out)
{
    uint64_t data[2] = {0}, mask = 0;
    struct weir_col col = {.type = type, .data = data, .mask = &mask, .cap = 1};
    struct weir_buf buf = WEIR_BUF(64);

    if (!weir_slot_parse(&col, 0, t.ptr, t.len, &weir_zone_utc, mem) || t.len == 0)
        return;
    if (type->kind == WEIR_DOUBLE) {
        snprintf(out, 64, "%" PRIx64, data[0]);
    } else if (type->kind == WEIR_FLOAT) {
        snprintf(out, 64, "%" PRIx32, (uint32_t)data[0]); /* the low half: little-endian */
    } else {
        weir_slot_print(&col, 0, &buf);
        snprintf(out, 64, "%s", buf.data);
    }
    weir_buf_fini(&buf);
}

static bool
answer_number(const struct weir_slice *arg, uint32_t n, int64_t *v)
{
    struct weir_slice t = arg[n - 1];
    const struct weir_zone *zone = n > 2 ? weir_zone_find(arg[1].ptr, arg[1].len) : &weir_zone_utc;
    int32_t days;
    bool ok;

    if (weir_slice_is(arg[0], "ts"))
        return zone != NULL && weir_timestamp_parse(t.ptr, t.len, zone, v);
    if (weir_slice_is(arg[0], "ntz"))
        return weir_timestamp_ntz_parse(t.ptr, t.len, v);
    if (weir_slice_is(arg[0], "ntzc"))
        return weir_timestamp_ntz_cast(t.ptr, t.len, v);
    if (weir_slice_is(arg[0], "pat"))
        return pattern_micros(weir_mem_strndup(mem, arg[2].ptr, arg[2].len), t.ptr, t.len, zone, v);
    if (weir_slice_is(arg[0], "date"))
        ok = weir_date_cast(t.ptr, t.len, &days);
    else
        ok = weir_date_parse(t.ptr, t.len, &days);
    *v = ok ? days : 0;
    return ok;
}

static void
answer_decimal(const struct weir_slice *arg, char *out)
{
    struct weir_slice t = weir_slice_trim(arg[3]);
    int64_t p = 0, s = 0;
    weir_i128 v;

    assert_true(weir_parse_int(arg[1], &p) && weir_parse_int(arg[2], &s));
    if (weir_decimal_parse(t.ptr, t.len, (unsigned)p, (unsigned)s, &v))
        weir_decimal_print(v, (unsigned)s, out);
}

static void
answer(const struct weir_slice *arg, uint32_t n, char *out)
{
    static const struct {
        const char *kind;
        const struct weir_type *type;
    } slots[] = {{"byte", &weir_type_byte}, {"short", &weir_type_short}, {"int", &weir_type_int},
                 {"long", &weir_type_long}, {"bool", &weir_type_boolean}, {"dbl", &weir_type_double},
                 {"flt", &weir_type_float}};
    int64_t v;

    snprintf(out, 64, "null");
    for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
        if (weir_slice_is(arg[0], slots[i].kind)) {
            answer_slot(slots[i].type, arg[n - 1], out);
            return;
        }
    }
    if (weir_slice_is(arg[0], "dec"))
        answer_decimal(arg, out);
    else if (answer_number(arg, n, &v))
        snprintf(out, 64, "%" PRId64, v);
}

static void
made_up_texts_are_read_as_spark_reads_them(void **state)
{
    FILE *f = fopen(golden_path("text_cases.tsv"), "r");
    char line[4096], got[64];
    unsigned cases = 0, values = 0;

    (void)state;
    assert_non_null(f);
    while (fgets(line, sizeof(line), f) != NULL) {
        struct weir_slice arg[8];
        uint32_t n = 0;
        char *p = line, *tab;

        line[strcspn(line, "\n")] = '\0';
        while ((tab = strchr(p, '\t')) != NULL) {
            assert_true(n < 8);
            arg[n++] = weir_slice(p, (size_t)(tab - p));
            p = tab + 1;
        }
        answer(arg, n, got);
        if (strcmp(got, p) != 0)
            fail_msg("%s: weir says %s", line, got);
        cases++;
        values += strcmp(p, "null") != 0;
    }
    fclose(f);
    assert_true(cases > 2000 && values > 900);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_timestamp_answers_as_spark),
        cmocka_unit_test(local_times_become_the_instants_of_spark),
        cmocka_unit_test(made_up_texts_are_read_as_spark_reads_them),
    };
    int failed;

    mem = weir_mem_new(NULL, NULL, "test");
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    weir_mem_free(mem);
    return failed;
}
