/* Casts and operators over constants answer as Spark did (tests/golden/sql/operators.json, made by
 * make_operators.py): the binder folds them by the kernels that the engine calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "sql/bind.h"
#include "sql/wide.h"

static struct weir_mem *mem;
static struct weir_error err;

static weir_rc
no_table(void *self, const char *const *parts, uint32_t n, int64_t version, const char *timestamp,
         struct weir_sql_relation *out, struct weir_error *e)
{
    (void)self;
    (void)n;
    (void)version;
    (void)timestamp;
    (void)out;
    return weir_fail(e, WEIR_NOTFOUND, "there is no table %s", parts[0]);
}

/* How the expression comes out: its text, "NULL", "an error", or "DuckDB computes it": not looked at. */
static const char *
folded(const char *expr, bool ansi)
{
    struct weir_sql_settings set = {.zone = weir_zone_find("America/New_York", 16), .ansi = ansi};
    struct weir_sql_env env = {.set = &set, .relation = no_table};
    const char *sql = weir_mem_printf(mem, "SELECT CAST(%s AS STRING) AS x", expr), *from, *to;
    struct weir_node *tree;
    struct weir_sql_plan *plan;
    char text[1200];

    weir_error_clear(&err);
    if (weir_sql_parse(sql, strlen(sql), mem, &tree, &err) != WEIR_OK ||
        weir_sql_bind(tree, sql, &env, mem, &plan, &err) != WEIR_OK)
        return weir_mem_printf(mem, "refused: %s", weir_error_text(&err, text, sizeof(text)));
    if (plan->ncalls > 0)
        return strstr(plan->text, "weir_call_0((") != NULL ? "DuckDB computes it" : "an error";
    from = strstr(plan->text, "(SELECT ");
    assert_non_null(from);
    from += 8;
    if (weir_str_starts(from, "CAST(NULL AS VARCHAR)"))
        return "NULL";
    if (*from != '\'' || (to = strstr(from, "' AS a")) == NULL)
        return plan->text;
    return weir_mem_strndup(mem, from + 1, (size_t)(to - from - 1));
}

static const char *
expected(const json_t *entry)
{
    const json_t *value = json_object_get(entry, "value");

    if (value == NULL)
        return "an error";
    return json_is_null(value) ? "NULL" : json_string_value(value);
}

/* Java before 19 prints some floats and doubles with a digit too many; the value is the same. */
static bool
same_real(const char *expr, const char *a, const char *b)
{
    float f, g;
    double x, y;

    if (strchr(a, 'E') == NULL || strchr(b, 'E') == NULL)
        return false;
    if (strstr(expr, "FLOAT") != NULL)
        return weir_float_parse(a, strlen(a), &f) && weir_float_parse(b, strlen(b), &g) && f == g;
    return weir_double_parse(a, strlen(a), &x) && weir_double_parse(b, strlen(b), &y) && x == y;
}

static bool
agree(const char *expr, const char *theirs, const char *ours)
{
    if (strcmp(ours, "DuckDB computes it") == 0 || strcmp(ours, theirs) == 0)
        return true;
    if (strstr(expr, "-9223372036854775807L AS TIMESTAMP)") != NULL)
        return true; /* the first hours that micros can count have no wall time in New York */
    if (weir_str_starts(expr, "-(99999999999999999999999999999999999999BD"))
        return true; /* Spark rounds to 34 digits when it negates, and fails */
    return (weir_str_starts(ours, "refused") && strcmp(theirs, "an error") == 0) ||
           same_real(expr, theirs, ours);
}

static void
casts_and_operators_answer_as_spark(void **state)
{
    const char *folder = getenv("WEIR_GOLDEN");
    char path[512];
    json_t *entries;
    const json_t *entry;
    size_t i, bad = 0, skipped = 0;

    (void)state;
    assert_non_null(folder);
    (void)snprintf(path, sizeof(path), "%s/sql/operators.json", folder);
    entries = json_load_file(path, 0, NULL);
    assert_non_null(entries);
    json_array_foreach(entries, i, entry)
    {
        const char *expr = json_string_value(json_object_get(entry, "expr")), *theirs = expected(entry);
        bool ansi = json_is_true(json_object_get(entry, "ansi"));
        const char *ours = folded(expr, ansi);

        skipped += strcmp(ours, "DuckDB computes it") == 0;
        if (!agree(expr, theirs, ours)) {
            print_message("# %s%s\n#     spark %s\n#     weir  %s\n", ansi ? "" : "(not ANSI) ", expr, theirs,
                          ours);
            bad++;
        }
        weir_mem_reset(mem);
    }
    assert_true(json_array_size(entries) > 5000);
    assert_true(skipped < json_array_size(entries) / 10);
    json_decref(entries);
    assert_int_equal(bad, 0);
}

static int
set_up(void **state)
{
    (void)state;
    mem = weir_mem_new(NULL, NULL, "test");
    return mem == NULL;
}

static int
tear_down(void **state)
{
    (void)state;
    weir_mem_free(mem);
    return 0;
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(casts_and_operators_answer_as_spark, set_up, tear_down),
    };

    if (argc > 1) {
        (void)set_up(NULL);
        for (int i = 1; i < argc; i++)
            printf("%s\n", folded(argv[i], getenv("WEIR_NO_ANSI") == NULL));
        return tear_down(NULL);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
