/* Records of JSON into the tree of what types were seen.
 *
 * 1. A record is checked as a whole before anything of it is noted: a malformed one adds no types, only the
 *    wish for a corrupt record column.
 * 2. Rules of a single value: Spark's JsonInferSchema.inferField. An empty string is as null.
 * 3. Depth is bounded: below WEIR_NEST_MAX levels values are passed over. */
#include <math.h>

#include "codec/json_int.h"

#include "base/limits.h"
#include "base/str.h"

enum { DECIMAL_DIGITS = 38 };

struct json_infer {
    const struct json_options *opt;
    struct weir_infer *inf;
    struct json_walk walk;
    struct weir_buf scratch;
    struct weir_error *err;
    weir_rc rc; /* not OK: stop */
};

static const char *value_infer(struct json_infer *x, struct weir_infer_node *node, const char *p,
                               unsigned depth);

/* A number's text as Java's BigDecimal counts it: digits of the unscaled value, and the scale. false: no
 * DECIMAL that weir or Spark has can hold it. */
static bool
decimal_of(struct weir_slice s, int64_t *precision, int64_t *scale)
{
    int64_t digits = 0, fraction = 0, exponent = 0;
    bool point = false;

    for (size_t i = s.ptr[0] == '-' || s.ptr[0] == '+'; i < s.len; i++) {
        char c = s.ptr[i];

        if (c == '.') {
            point = true;
        } else if (c == 'e' || c == 'E') {
            size_t sign = i + 1 < s.len && s.ptr[i + 1] == '+';

            if (!weir_parse_int(weir_slice(s.ptr + i + 1 + sign, s.len - i - 1 - sign), &exponent) ||
                exponent > DECIMAL_DIGITS || exponent < -DECIMAL_DIGITS)
                return false;
            break;
        } else {
            fraction += point;
            digits += digits > 0 || c != '0'; /* zeros in front are none of the value's digits */
        }
    }
    *precision = digits == 0 ? 1 : digits;
    *scale = fraction - exponent;
    return *precision <= DECIMAL_DIGITS && *scale <= DECIMAL_DIGITS && *scale >= -DECIMAL_DIGITS;
}

/* The DECIMAL of a JSON number. A negative scale, which Spark refuses, is written out: 1e3 is DECIMAL(4,
 * 0). */
static bool
number_decimal(struct weir_slice s, unsigned *precision, unsigned *scale)
{
    int64_t digits, places;

    if (!decimal_of(s, &digits, &places))
        return false;
    if (places < 0) {
        digits -= places;
        places = 0;
    }
    *scale = (unsigned)places;
    *precision = (unsigned)(digits > places ? digits : places);
    return *precision <= DECIMAL_DIGITS;
}

static void
number_infer(struct json_infer *x, struct weir_infer_node *node, const struct json_number *n)
{
    struct weir_slice s = weir_slice(n->at, n->len);
    unsigned precision, scale;
    int64_t v;

    if (n->kind == NUMBER_INTEGER && weir_parse_int(s, &v))
        weir_infer_see(x->inf, node, WEIR_LONG, 0, 0);
    else if ((n->kind == NUMBER_INTEGER || (n->kind == NUMBER_FRACTION && x->opt->prefers_decimal)) &&
             number_decimal(s, &precision, &scale))
        weir_infer_see(x->inf, node, WEIR_DECIMAL, precision, scale);
    else
        weir_infer_see(x->inf, node, WEIR_DOUBLE, 0, 0);
}

static bool
is_timestamp(const struct json_infer *x, struct weir_slice s)
{
    int64_t us;
    bool has_zone;

    if (x->opt->timestamp != NULL)
        return weir_pattern_parse(x->opt->timestamp, s.ptr, s.len, &us, &has_zone);
    return !weir_json_is_bare_time(s) && weir_timestamp_parse(s.ptr, s.len, x->opt->zone, &us);
}

/* With prefersDecimal Spark takes "1,234.50" for a number, too, as the decoder does; but not "0.001", whose
 * digits are fewer than its scale. */
static bool
text_decimal(struct weir_slice s, unsigned *precision, unsigned *scale)
{
    char plain[128];
    size_t n = 0;
    int64_t digits, places;
    weir_i128 v;

    if (s.len > sizeof(plain))
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] != ',')
            plain[n++] = s.ptr[i];
    if (n == 0 || !weir_decimal_parse(plain, n, DECIMAL_DIGITS, 0, &v) ||
        !decimal_of(weir_slice(plain, n), &digits, &places) || places < 0 || digits < places)
        return false;
    *precision = (unsigned)digits;
    *scale = (unsigned)places;
    return true;
}

static weir_kind
text_kind(const struct json_infer *x, struct weir_slice s, unsigned *precision, unsigned *scale)
{
    if (s.len == 0)
        return WEIR_VOID;
    if (x->opt->prefers_decimal && text_decimal(s, precision, scale))
        return WEIR_DECIMAL;
    return x->opt->infer_timestamp && is_timestamp(x, s) ? WEIR_TIMESTAMP : WEIR_STRING;
}

/* The string without its escapes. false: no memory, or *lone. */
static bool
plain(struct json_infer *x, const struct json_string *s, struct weir_slice *out, bool *lone)
{
    size_t len;
    char *room;

    *lone = false;
    *out = weir_slice(s->at, s->len);
    if (!s->escaped)
        return true;
    weir_buf_reset(&x->scratch);
    room = weir_buf_room(&x->scratch, s->len + 1);
    if (room == NULL) {
        x->rc = weir_buf_check(&x->scratch, x->err);
        return false;
    }
    weir_json_unescape(&x->walk.text, s, room, &len, lone);
    *out = weir_slice(room, len);
    return !*lone;
}

static const char *
string_infer(struct json_infer *x, struct weir_infer_node *node, const char *p)
{
    struct json_string s;
    struct weir_slice text;
    unsigned precision = 0, scale = 0;
    weir_kind kind = WEIR_STRING;
    bool lone;

    p = weir_json_string(&x->walk.text, p, &s);
    if (plain(x, &s, &text, &lone))
        kind = text_kind(x, text, &precision, &scale);
    weir_infer_see(x->inf, node, kind, precision, scale);
    return p;
}

static const char *
scalar_infer(struct json_infer *x, struct weir_infer_node *node, const char *p)
{
    struct json_number n;
    char word;

    switch (*p) {
    case '"':
    case '\'':
        return string_infer(x, node, p);
    case 't':
    case 'f':
    case 'n':
        weir_infer_see(x->inf, node, *p == 'n' ? WEIR_VOID : WEIR_BOOLEAN, 0, 0);
        return weir_json_word(&x->walk.text, p, &word);
    default:
        p = weir_json_number(&x->walk.text, p, &n);
        number_infer(x, node, &n);
        return p;
    }
}

/* "key": and the place of its value; NULL: a name that no column can have. */
static const char *
key_infer(struct json_infer *x, struct weir_infer_node *node, const char *p, struct weir_infer_node **field)
{
    struct json_text *t = &x->walk.text;
    struct json_string s;
    struct weir_slice name;
    bool lone;

    p = weir_json_key(t, p, &s);
    *field = plain(x, &s, &name, &lone) ? weir_infer_field(x->inf, node, name) : NULL;
    return json_blanks(t, json_blanks(t, p) + 1);
}

/* p is at the bracket; the text was checked, so brackets, commas and colons stand where they must. */
static const char *
nested_infer(struct json_infer *x, struct weir_infer_node *node, const char *p, unsigned depth)
{
    struct json_text *t = &x->walk.text;
    bool object = *p == '{';
    char close = object ? '}' : ']';

    weir_infer_see(x->inf, node, object ? WEIR_STRUCT : WEIR_ARRAY, 0, 0);
    if (depth >= WEIR_NEST_MAX)
        return weir_json_skip(t, p);
    p = json_blanks(t, p + 1);
    while (*p != close && x->rc == WEIR_OK) {
        struct weir_infer_node *child = node;

        if (object)
            p = key_infer(x, node, p, &child);
        else
            child = weir_infer_element(x->inf, node);
        p = child == NULL ? weir_json_skip(t, p) : value_infer(x, child, p, depth + 1);
        p = json_blanks(t, p);
        if (*p == ',')
            p = json_blanks(t, p + 1);
    }
    return p + 1;
}

static const char *
value_infer(struct json_infer *x, struct weir_infer_node *node, const char *p, unsigned depth)
{
    return *p == '{' || *p == '[' ? nested_infer(x, node, p, depth) : scalar_infer(x, node, p);
}

/* A record that does not parse. */
static weir_rc
record_broken(struct json_infer *x, const char *start)
{
    const char *why = x->walk.text.why == NULL ? "not an object" : x->walk.text.why;

    if (x->opt->mode == WEIR_FAILFAST)
        return weir_fail(x->err, WEIR_BADDATA, "byte %lld: malformed JSON record: %s",
                         (long long)weir_json_walk_offset(&x->walk, start), why);
    if (x->opt->mode == WEIR_PERMISSIVE)
        weir_infer_corrupt(x->inf);
    weir_json_walk_broken(&x->walk, start);
    return WEIR_OK;
}

static weir_rc
record_infer(struct json_infer *x)
{
    struct json_text *t = &x->walk.text;
    const char *start = x->walk.p, *end;

    t->why = NULL;
    end = weir_json_skip(t, start);
    if (end == NULL || (*start != '{' && *start != 'n'))
        return record_broken(x, start);
    if (*start == '{')
        value_infer(x, weir_infer_root(x->inf), start, 1);
    weir_json_walk_took(&x->walk, end);
    return x->rc;
}

static weir_rc
records_infer(struct json_infer *x)
{
    json_step step;

    for (;;) {
        WEIR_TRY(weir_json_walk_next(&x->walk, &step, x->err));
        if (step == JSON_END)
            return WEIR_OK;
        if (step == JSON_RECORD)
            WEIR_TRY(record_infer(x));
        else if (step == JSON_BROKEN)
            WEIR_TRY(record_broken(x, x->walk.p));
    }
}

weir_rc
weir_json_infer(const void *opt, struct weir_records *in, struct weir_infer *inf, struct weir_error *err)
{
    const struct json_options *options = opt;
    struct weir_mem *mem = weir_mem_new(NULL, options->quota, "json inference");
    struct json_infer x = {.opt = options, .inf = inf, .err = err};
    weir_rc rc = WEIR_OK;

    if (mem == NULL)
        return weir_heap_fail(options->quota, sizeof(x), "schema inference", err);
    weir_buf_init(&x.scratch, options->max_record + WEIR_MIB, options->quota);
    WEIR_GO(weir_json_walk_open(&x.walk, options, in, false, mem, err));
    rc = records_infer(&x);
    weir_json_walk_close(&x.walk);
out:
    weir_buf_fini(&x.scratch);
    weir_mem_free(mem);
    return rc;
}
