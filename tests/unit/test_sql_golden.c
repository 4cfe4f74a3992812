/* What Spark 4.0.0 answered to tests/golden/sql/cases.json (make.py there says how), against parser, binder
 * and engine together. What differs on purpose stands in cases_differ.json with its reason, case by case; a
 * difference that is listed and is none is an error too. WEIR_GOLDEN_ONLY=function runs its cases alone and
 * shows what is compared. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/limits.h"
#include "base/str.h"
#include "column/text.h"
#include "sql/bind.h"
#include "sql/engine.h"

/* ---- values as text, as make.py has them ---- */

static void print_json(const struct weir_col *col, uint32_t row, struct weir_buf *buf);

static void
print_hex(const struct weir_str *s, struct weir_buf *buf)
{
    uint32_t i;

    for (i = 0; i < s->len; i++)
        weir_buf_printf(buf, "%02X", (unsigned char)weir_str_ptr(s)[i]);
}

static void
print_base64(const struct weir_str *s, struct weir_buf *buf)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *p = (const unsigned char *)weir_str_ptr(s);
    uint32_t i;

    for (i = 0; i < s->len; i += 3) {
        uint32_t left = s->len - i, v = (uint32_t)p[i] << 16;

        v |= left > 1 ? (uint32_t)p[i + 1] << 8 : 0;
        v |= left > 2 ? p[i + 2] : 0;
        weir_buf_byte(buf, digits[v >> 18]);
        weir_buf_byte(buf, digits[v >> 12 & 63]);
        weir_buf_byte(buf, left > 1 ? digits[v >> 6 & 63] : '=');
        weir_buf_byte(buf, left > 2 ? digits[v & 63] : '=');
    }
}

/* A scalar that is not null, as CAST(… AS STRING); in JSON times have another form. */
static void
print_scalar(const struct weir_col *col, uint32_t row, bool json, struct weir_buf *buf)
{
    const struct weir_str *s;
    char t[128];
    size_t n = 0;

#define SLOT(type) (((const type *)col->data)[row])
    switch (col->type->kind) {
    case WEIR_BOOLEAN:
        weir_buf_str(buf, SLOT(uint8_t) ? "true" : "false");
        return;
    case WEIR_BYTE:
        n = weir_long_print(SLOT(int8_t), t);
        break;
    case WEIR_SHORT:
        n = weir_long_print(SLOT(int16_t), t);
        break;
    case WEIR_INT:
        n = weir_long_print(SLOT(int32_t), t);
        break;
    case WEIR_LONG:
        n = weir_long_print(SLOT(int64_t), t);
        break;
    case WEIR_FLOAT:
        n = weir_float_print(SLOT(float), t);
        break;
    case WEIR_DOUBLE:
        n = weir_double_print(SLOT(double), t);
        break;
    case WEIR_DATE:
        n = weir_date_print(SLOT(int32_t), t);
        break;
    case WEIR_TIMESTAMP:
        n = weir_timestamp_print(SLOT(int64_t), json ? 3 : -1, json ? 'T' : ' ', json ? "Z" : "", t);
        break;
    case WEIR_TIMESTAMP_NTZ:
        n = weir_timestamp_print(SLOT(int64_t), json ? 3 : -1, json ? 'T' : ' ', "", t);
        break;
    case WEIR_DECIMAL:
        n = weir_decimal_print(weir_decimal_get(col, row), col->type->scale, t);
        break;
    case WEIR_BINARY:
        (json ? print_base64 : print_hex)(&SLOT(struct weir_str), buf);
        return;
    default:
        s = &SLOT(struct weir_str);
        weir_buf_add(buf, weir_str_ptr(s), s->len);
        return;
    }
#undef SLOT
    weir_buf_add(buf, t, n);
}

static void
print_quoted(const struct weir_col *col, uint32_t row, struct weir_buf *buf)
{
    struct weir_buf text = WEIR_BUF(WEIR_MIB);

    print_scalar(col, row, true, &text);
    weir_buf_json(buf, text.len == 0 ? "" : text.data, text.len);
    weir_buf_fini(&text);
}

static void
print_struct(const struct weir_col *col, uint32_t row, struct weir_buf *buf)
{
    uint32_t i;

    weir_buf_byte(buf, '{');
    for (i = 0; i < col->nkids; i++) {
        weir_buf_str(buf, i == 0 ? "" : ",");
        weir_buf_json(buf, col->type->fields[i].name, col->type->fields[i].name_len);
        weir_buf_byte(buf, ':');
        print_json(&col->kids[i], row, buf);
    }
    weir_buf_byte(buf, '}');
}

static void
print_list(const struct weir_col *col, uint32_t row, struct weir_buf *buf)
{
    struct weir_list list = ((const struct weir_list *)col->data)[row];
    bool map = col->type->kind == WEIR_MAP;
    uint64_t i;

    weir_buf_byte(buf, map ? '{' : '[');
    for (i = list.at; i < list.at + list.n; i++) {
        const struct weir_col *kid = &col->kids[0];

        weir_buf_str(buf, i == list.at ? "" : ",");
        if (map) {
            print_quoted(&kid->kids[0], (uint32_t)i, buf);
            weir_buf_byte(buf, ':');
        }
        print_json(map ? &kid->kids[1] : kid, (uint32_t)i, buf);
    }
    weir_buf_byte(buf, map ? '}' : ']');
}

static bool
is_bare_json(const struct weir_col *col, uint32_t row)
{
    if (col->type->kind == WEIR_DOUBLE || col->type->kind == WEIR_FLOAT) {
        double d = col->type->kind == WEIR_DOUBLE ? ((const double *)col->data)[row]
                                                  : (double)((const float *)col->data)[row];
        return d - d == 0;
    }
    return col->type->kind <= WEIR_DOUBLE || col->type->kind == WEIR_DECIMAL;
}

static void
print_json(const struct weir_col *col, uint32_t row, struct weir_buf *buf)
{
    if (col->form == WEIR_CONST)
        row = 0;
    if (col->type->kind == WEIR_VOID || weir_col_is_null(col, row))
        weir_buf_str(buf, "null");
    else if (col->type->kind == WEIR_STRUCT)
        print_struct(col, row, buf);
    else if (col->type->kind == WEIR_ARRAY || col->type->kind == WEIR_MAP)
        print_list(col, row, buf);
    else if (is_bare_json(col, row))
        print_scalar(col, row, true, buf);
    else
        print_quoted(col, row, buf);
}

/* The value as make.py's JSON has it: a string or null. */
static json_t *
value_of(const struct weir_col *col, uint32_t row)
{
    struct weir_buf buf = WEIR_BUF(16 * WEIR_MIB);
    json_t *value;

    if (col->form == WEIR_CONST)
        row = 0;
    if (col->type->kind == WEIR_VOID || weir_col_is_null(col, row))
        return json_null();
    if (weir_kind_is_nested(col->type->kind))
        print_json(col, row, &buf);
    else
        print_scalar(col, row, false, &buf);
    assert_false(buf.failed);
    value = json_stringn(buf.len == 0 ? "" : buf.data, buf.len);
    weir_buf_fini(&buf);
    return value == NULL ? json_string("(no UTF-8)") : value;
}

/* ---- weir's answer ---- */

struct golden {
    struct weir_engine *engine;
    struct weir_quota quota;
    struct weir_stop stop;
    const char *only;
    json_t *seen;                    /* the entries that were of use */
    json_t *absent, *about, *listed; /* of cases_differ.json; listed: by "sql" or "sql (ANSI off)" */
    unsigned cases, failed;
};

static struct golden golden;

struct answer {
    json_t *json; /* {"type", "name", "rows"} or {"error"} as in cases.json */
    weir_rc rc;
    struct weir_error err;
    json_t *rows; /* while it runs */
    uint32_t columns;
};

static weir_rc
drain_open(void *self, unsigned lane, void **out, struct weir_error *err)
{
    (void)lane;
    (void)err;
    *out = self;
    return WEIR_OK;
}

static weir_rc
drain_write(void *lane, const struct weir_page *page, struct weir_error *err)
{
    struct answer *a = lane;
    uint32_t row, i;

    (void)err;
    for (row = 0; row < page->rows; row++) {
        json_t *values = a->columns == 1 ? NULL : json_array();

        for (i = 0; i < a->columns && values != NULL; i++)
            json_array_append_new(values, value_of(&page->cols[i], row));
        json_array_append_new(a->rows, values == NULL ? value_of(&page->cols[0], row) : values);
    }
    return WEIR_OK;
}

static weir_rc
drain_finish(void *lane, struct weir_error *err)
{
    (void)lane;
    (void)err;
    return WEIR_OK;
}

static void
drain_close(void *lane)
{
    (void)lane;
}

static weir_rc
no_relation(void *self, const char *const *parts, uint32_t n, int64_t version, const char *timestamp,
            struct weir_sql_relation *out, struct weir_error *err)
{
    (void)self;
    (void)n;
    (void)version;
    (void)timestamp;
    (void)out;
    return weir_fail(err, WEIR_NOTFOUND, "no table %s", parts[0]);
}

/* The schema as {"type", "name"}: texts for one column, lists for several. */
static void
describe(const struct weir_type *schema, json_t *out)
{
    json_t *types = json_array(), *names = json_array();
    uint32_t i;

    for (i = 0; i < schema->nfields; i++) {
        struct weir_buf buf = WEIR_BUF(WEIR_MIB);

        weir_type_print_simple(schema->fields[i].type, &buf);
        json_array_append_new(types, json_stringn(buf.data, buf.len));
        json_array_append_new(names, json_stringn(schema->fields[i].name, schema->fields[i].name_len));
        weir_buf_fini(&buf);
    }
    json_object_set(out, "type", i == 1 ? json_array_get(types, 0) : types);
    json_object_set(out, "name", i == 1 ? json_array_get(names, 0) : names);
    json_decref(types);
    json_decref(names);
}

static weir_rc
run_plan(struct answer *a, const struct weir_sql_plan *plan, const struct weir_sql_settings *set)
{
    struct weir_drain drain = {a, drain_open, drain_write, drain_finish, drain_close};
    _Atomic uint64_t rows = 0;
    _Atomic bool failed = false;
    struct weir_engine_query query = {
        .plan = plan, .set = set, .drain = &drain, .lanes = 1, .failed = &failed, .rows = &rows};

    a->columns = plan->schema->nfields;
    return weir_engine_run(golden.engine, &query, &a->err);
}

/* Parses, binds and runs it. */
static weir_rc
answer_sql(struct answer *a, const char *sql, bool ansi, struct weir_mem *mem)
{
    struct weir_sql_settings set = {.zone = &weir_zone_utc,
                                    .zone_name = "UTC",
                                    .ansi = ansi,
                                    .corrupt_name = "_corrupt_record",
                                    .now_us = INT64_C(1700000000000000),
                                    .on_row_error = WEIR_ROW_FAIL};
    struct weir_sql_env env = {.set = &set, .relation = no_relation};
    struct weir_sql_plan *plan;
    struct weir_node *query;
    weir_rc rc;

    WEIR_TRY(weir_sql_parse(sql, strlen(sql), mem, &query, &a->err));
    WEIR_TRY(weir_sql_bind(query, sql, &env, mem, &plan, &a->err));
    describe(plan->schema, a->json);
    rc = run_plan(a, plan, &set);
    if (golden.only != NULL)
        fprintf(stderr, "    %s\n", plan->text);
    return rc;
}

static void
answer(struct answer *a, const char *sql, bool ansi)
{
    struct weir_mem *mem = weir_mem_new(NULL, &golden.quota, "golden");
    bool whole = weir_str_starts(sql, "SELECT") || weir_str_starts(sql, "WITH");
    const char *text;

    assert_non_null(mem);
    text = whole ? sql : weir_mem_printf(mem, "SELECT %s", sql);
    assert_non_null(text);
    *a = (struct answer){.json = json_object(), .rows = json_array()};
    a->rc = answer_sql(a, text, ansi, mem);
    if (a->rc == WEIR_OK) {
        json_object_set(a->json, "rows", a->rows);
    } else {
        char words[1200];

        json_object_clear(a->json);
        weir_error_text(&a->err, words, sizeof(words));
        json_object_set_new(a->json, "error", json_string(words));
    }
    weir_mem_free(mem);
}

/* ---- comparison ---- */

/* The same number but for the last digits. */
static bool
about_equal(const json_t *a, const json_t *b)
{
    size_t i;
    double x, y, size;

    if (json_is_array(a) && json_is_array(b) && json_array_size(a) == json_array_size(b)) {
        for (i = 0; i < json_array_size(a); i++) {
            if (!about_equal(json_array_get(a, i), json_array_get(b, i)))
                return false;
        }
        return true;
    }
    if (json_equal(a, b))
        return true;
    if (!json_is_string(a) || !json_is_string(b) ||
        !weir_double_parse(json_string_value(a), json_string_length(a), &x) ||
        !weir_double_parse(json_string_value(b), json_string_length(b), &y))
        return false;
    size = x < 0 ? -x : x;
    return (x - y) <= size * 4e-15 && (y - x) <= size * 4e-15;
}

/* The same value of this type, however it is spelled: Java 17 does not always print the shortest digits of a double,
 * and Spark prints a decimal with an exponent when ANSI is off. */
static bool
same_value(const char *type, const json_t *want, const json_t *got)
{
    unsigned precision, scale;
    weir_i128 p, q;
    double x, y;
    float f, g;

    if (json_equal(want, got) || !json_is_string(want) || !json_is_string(got))
        return json_equal(want, got);
    if (strcmp(type, "double") == 0)
        return weir_double_parse(json_string_value(want), json_string_length(want), &x) &&
               weir_double_parse(json_string_value(got), json_string_length(got), &y) && x == y;
    if (strcmp(type, "float") == 0)
        return weir_float_parse(json_string_value(want), json_string_length(want), &f) &&
               weir_float_parse(json_string_value(got), json_string_length(got), &g) && f == g;
    return sscanf(type, "decimal(%u,%u)", &precision, &scale) == 2 &&
           weir_decimal_parse(json_string_value(want), json_string_length(want), precision, scale, &p) &&
           weir_decimal_parse(json_string_value(got), json_string_length(got), precision, scale, &q) &&
           p == q;
}

/* types: one text, or a list for rows that are lists. */
static bool
same_rows(const json_t *types, const json_t *want, const json_t *got)
{
    size_t i, j;

    if (json_array_size(want) != json_array_size(got))
        return false;
    for (i = 0; i < json_array_size(want); i++) {
        const json_t *a = json_array_get(want, i), *b = json_array_get(got, i);

        if (json_is_string(types) && !same_value(json_string_value(types), a, b))
            return false;
        for (j = 0; !json_is_string(types) && j < json_array_size(types); j++) {
            if (!same_value(json_string_value(json_array_get(types, j)), json_array_get(a, j),
                            json_array_get(b, j)))
                return false;
        }
    }
    return true;
}

static bool
same(const json_t *want, const struct answer *a)
{
    const char *error = json_string_value(json_object_get(want, "error"));
    const json_t *rows = json_object_get(want, "rows");
    bool about = json_object_get(golden.about, json_string_value(json_object_get(want, "f"))) != NULL;

    if (a->rc == WEIR_BUG || a->rc == WEIR_NOMEM)
        return false;
    if (error != NULL) /* of a row's error the class must be Spark's, too */
        return a->rc != WEIR_OK &&
               (a->rc != WEIR_BADDATA || strcmp(error, "UNCLASSIFIED") == 0 ||
                strstr(json_string_value(json_object_get(a->json, "error")), error) != NULL);
    return a->rc == WEIR_OK && json_equal(json_object_get(want, "type"), json_object_get(a->json, "type")) &&
           json_equal(json_object_get(want, "name"), json_object_get(a->json, "name")) &&
           (about ? about_equal(rows, json_object_get(a->json, "rows"))
                  : same_rows(json_object_get(want, "type"), rows, json_object_get(a->json, "rows")));
}

static void
tell(const json_t *want, const struct answer *a, const char *what)
{
    char *spark = json_dumps(want, JSON_COMPACT | JSON_PRESERVE_ORDER);
    char *weir = json_dumps(a->json, JSON_COMPACT | JSON_PRESERVE_ORDER);

    fprintf(stderr, "# %s: %s\n    weir: %s\n", what, spark, weir);
    free(spark);
    free(weir);
}

/* Its name in cases_differ.json. Static memory. */
static const char *
key_of(const json_t *c)
{
    static char key[8192];

    snprintf(key, sizeof(key), "%s%s", json_string_value(json_object_get(c, "sql")),
             json_is_false(json_object_get(c, "ansi")) ? " (ANSI off)" : "");
    return key;
}

static void
check_case(const json_t *want)
{
    const char *f = json_string_value(json_object_get(want, "f")),
               *sql = json_string_value(json_object_get(want, "sql"));
    bool ansi = !json_is_false(json_object_get(want, "ansi")), listed, absent, differs, wrong;
    const char *key = key_of(want);
    struct answer a;

    if (golden.only != NULL && strcmp(golden.only, f) != 0)
        return;
    golden.cases++;
    answer(&a, sql, ansi);
    listed = json_object_get(golden.listed, key) != NULL;
    absent = a.rc == WEIR_UNSUPPORTED && json_object_get(golden.absent, f) != NULL;
    differs = !same(want, &a);
    wrong = listed ? !differs : differs && !absent;
    if (golden.only != NULL || wrong)
        tell(want, &a, !wrong ? "as expected" : differs ? "differs" : "listed, but does not differ");
    golden.failed += wrong;
    if (absent)
        json_object_set_new(golden.seen, f, json_true());
    if (listed)
        json_object_set_new(golden.seen, key, json_true());
    json_decref(a.json);
    json_decref(a.rows);
}

/* ---- many at once ---- */

enum { BATCH_MAX = 40 };

/* An expression that Spark answered with one value: it can stand beside others in one SELECT. */
static bool
can_stand_beside(const json_t *c, const json_t *other)
{
    bool off = json_is_false(json_object_get(c, "ansi")),
         other_off = json_is_false(json_object_get(other, "ansi"));
    const char *sql = json_string_value(json_object_get(c, "sql"));

    return golden.only == NULL && json_is_string(json_object_get(c, "type")) &&
           json_array_size(json_object_get(c, "rows")) == 1 && !weir_str_starts(sql, "SELECT") &&
           !weir_str_starts(sql, "WITH") && off == other_off;
}

/* Whether column i of the answer to a batch is what Spark answered. */
static bool
same_in_batch(const json_t *want, const struct answer *a, size_t i)
{
    const json_t *row = json_array_get(json_object_get(a->json, "rows"), 0);
    const json_t *value = json_array_get(json_object_get(want, "rows"), 0);
    bool about = json_object_get(golden.about, json_string_value(json_object_get(want, "f"))) != NULL;

    return json_equal(json_object_get(want, "type"), json_array_get(json_object_get(a->json, "type"), i)) &&
           json_equal(json_object_get(want, "name"), json_array_get(json_object_get(a->json, "name"), i)) &&
           (about ? about_equal(value, json_array_get(row, i))
                  : same_value(json_string_value(json_object_get(want, "type")), value,
                               json_array_get(row, i)));
}

/* The cases from `first` on that can be one query, as such; those that are not right, and all when the query fails,
 * alone. Returns how many there were. */
static size_t
check_batch(const json_t *cases, size_t first)
{
    struct weir_buf buf = WEIR_BUF(WEIR_MIB);
    size_t i, n = 0;
    struct answer a;
    bool whole;

    while (n < BATCH_MAX && first + n < json_array_size(cases) &&
           can_stand_beside(json_array_get(cases, first + n), json_array_get(cases, first))) {
        const json_t *c = json_array_get(cases, first + n);

        weir_buf_printf(&buf, "%s%s", n == 0 ? "SELECT " : ", ",
                        json_string_value(json_object_get(c, "sql")));
        n++;
    }
    if (n < 2) {
        weir_buf_fini(&buf);
        check_case(json_array_get(cases, first));
        return 1;
    }
    assert_false(buf.failed);
    answer(&a, buf.data, !json_is_false(json_object_get(json_array_get(cases, first), "ansi")));
    whole = a.rc == WEIR_OK && json_array_size(json_object_get(a.json, "rows")) == 1;
    for (i = 0; i < n; i++) {
        const json_t *c = json_array_get(cases, first + i);

        if (whole && same_in_batch(c, &a, i) && json_object_get(golden.listed, key_of(c)) == NULL)
            golden.cases++;
        else
            check_case(c);
    }
    json_decref(a.json);
    json_decref(a.rows);
    weir_buf_fini(&buf);
    return n;
}

static json_t *
load(const char *name)
{
    char path[4096];
    json_error_t why;
    json_t *json;

    snprintf(path, sizeof(path), "%s/sql/%s", getenv("WEIR_GOLDEN"), name);
    json = json_load_file(path, JSON_ALLOW_NUL, &why);
    if (json == NULL)
        fail_msg("%s:%d: %s", path, why.line, why.text);
    return json;
}

/* An entry of cases_differ.json that no case needed is wrong, too. */
static void
check_seen(json_t *entries)
{
    const char *key;
    json_t *entry;

    json_object_foreach(entries, key, entry)
    {
        if (golden.only == NULL && json_object_get(golden.seen, key) == NULL) {
            fprintf(stderr, "# no case differs so: %s\n", key);
            golden.failed++;
        }
    }
}

static void
sql_means_what_it_means_in_spark(void **state)
{
    json_t *cases = load("cases.json"), *differences = load("cases_differ.json");
    size_t i;

    (void)state;
    golden.absent = json_object_get(differences, "absent");
    golden.about = json_object_get(differences, "about");
    golden.listed = json_object_get(differences, "cases");
    golden.only = getenv("WEIR_GOLDEN_ONLY");
    golden.seen = json_object();
    for (i = 0; i < json_array_size(cases);)
        i += check_batch(cases, i);
    check_seen(golden.listed);
    check_seen(golden.absent);
    fprintf(stderr, "# %u cases, %u of them wrong\n", golden.cases, golden.failed);
    assert_true(golden.cases > 0);
    assert_int_equal(golden.failed, 0);
    json_decref(golden.seen);
    json_decref(cases);
    json_decref(differences);
}

static int
set_up(void **state)
{
    struct weir_engine_env env = {.memory_bytes = 512 * WEIR_MIB, .lanes = 1, .quota = &golden.quota};
    struct weir_error err = {0};

    (void)state;
    weir_quota_init(&golden.quota, NULL, "golden", UINT64_MAX);
    if (weir_stop_init(&golden.stop, &err) != WEIR_OK)
        return 1;
    env.stop = &golden.stop;
    return weir_engine_open(&env, &golden.engine, &err) != WEIR_OK;
}

static int
tear_down(void **state)
{
    (void)state;
    weir_engine_close(golden.engine);
    weir_stop_fini(&golden.stop);
    return 0;
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(sql_means_what_it_means_in_spark),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
