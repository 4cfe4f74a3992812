/* to_number and to_char (to_varchar): numbers by patterns of 0 9 . D , G $ S MI PR, as Spark's
 * ToNumberParser.
 *
 * 1. A pattern is a constant: it gives to_number its type, a decimal of as many digits as the pattern has.
 * 2. Groups of digits stand between commas. One that begins with 0 in front of the point takes exactly as
 *    many digits as it has, one that begins with 9 at most so many; behind the point every one takes at most
 *    so many.
 * 3. White space in front of, behind and between digits is passed over when a number is read.
 * to_char of dates is date_format's, of bytes base64's, hex's and decode's. */
#include "sql/coerce.h"
#include "sql/fn_text.h"

enum { TOKENS_MAX = 80 };

typedef enum token_kind {
    TOKEN_DIGITS, /* a group */
    TOKEN_COMMA,
    TOKEN_POINT,
    TOKEN_DOLLAR,
    TOKEN_SIGN,  /* S */
    TOKEN_MINUS, /* MI */
    TOKEN_OPEN,  /* PR has two: this at the beginning of the number */
    TOKEN_CLOSE
} token_kind;

struct token {
    token_kind kind;
    bool exact;
    int n; /* digits */
};

struct number_format {
    struct token at[TOKENS_MAX];
    int n;
    int whole, fraction; /* digits */
};

/* ---- The pattern */

static weir_rc
format_bad(struct weir_slice s, const char *class_, const char *why, struct weir_error *err)
{
    return weir_fail(err, WEIR_USAGE, "[INVALID_FORMAT.%s] the number pattern '%.*s' %s", class_,
                     WEIR_SHOW(s), why);
}

/* The token at p; the bytes it takes, 0: none. */
static size_t
token_read(const char *p, const char *end, bool behind_point, struct token *out)
{
    const char *q = p;

    *out = (struct token){0};
    while (q < end && (*q == '0' || *q == '9'))
        q++;
    if (q > p) {
        *out = (struct token){.kind = TOKEN_DIGITS, .exact = *p == '0' && !behind_point, .n = (int)(q - p)};
        return (size_t)(q - p);
    }
    switch (*p) {
    case '.':
    case 'D':
        out->kind = TOKEN_POINT;
        return 1;
    case ',':
    case 'G':
        out->kind = TOKEN_COMMA;
        return 1;
    case '$':
        out->kind = TOKEN_DOLLAR;
        return 1;
    case 'S':
        out->kind = TOKEN_SIGN;
        return 1;
    case 'M':
        out->kind = TOKEN_MINUS;
        return end - p >= 2 && p[1] == 'I' ? 2 : 0;
    case 'P':
        out->kind = TOKEN_CLOSE;
        return end - p >= 2 && p[1] == 'R' ? 2 : 0;
    default:
        return 0;
    }
}

/* Signs at one end only, a dollar between them and the digits, digits on both sides of each comma, one point.
 * */
static weir_rc
format_check(const struct number_format *f, struct weir_slice s, struct weir_error *err)
{
    int count[TOKEN_CLOSE + 1] = {0}, place = 0;

    for (int i = 0; i < f->n; i++) {
        token_kind kind = f->at[i].kind;
        bool sign = kind == TOKEN_SIGN || kind == TOKEN_MINUS;
        bool number = kind == TOKEN_DIGITS || kind == TOKEN_COMMA || kind == TOKEN_POINT;
        int now = number                         ? 2
                  : kind == TOKEN_DOLLAR         ? (place < 2 ? 1 : 3)
                  : sign && place == 0 && i == 0 ? 0
                                                 : 4;

        count[kind]++;
        if (now < place || (now == 0 && i > 0) || (now == 4 && i + 1 < f->n))
            return format_bad(s, "UNEXPECTED_TOKEN",
                              "has its parts in another order than [S|MI][$]digits[$][S|MI|PR]", err);
        place = now;
        if (kind == TOKEN_COMMA && count[TOKEN_POINT] > 0)
            return format_bad(s, "THOUSANDS_SEPS_MUST_BEFORE_DEC", "has a comma behind the point", err);
        if (kind == TOKEN_COMMA && (i == 0 || i + 1 == f->n || f->at[i - 1].kind != TOKEN_DIGITS ||
                                    f->at[i + 1].kind != TOKEN_DIGITS))
            return format_bad(s, "CONT_THOUSANDS_SEPS", "has a comma without digits on both sides", err);
    }
    if (count[TOKEN_DIGITS] == 0)
        return format_bad(s, "WRONG_NUM_DIGIT", "has no digits", err);
    if (count[TOKEN_POINT] > 1 || count[TOKEN_DOLLAR] > 1 || count[TOKEN_SIGN] > 1 ||
        count[TOKEN_MINUS] > 1 || count[TOKEN_CLOSE] > 1 ||
        count[TOKEN_SIGN] + count[TOKEN_MINUS] + count[TOKEN_CLOSE] > 1)
        return format_bad(s, "WRONG_NUM_TOKEN", "has a part that may stand once only more often", err);
    if (f->whole + f->fraction > 38)
        return weir_fail(err, WEIR_USAGE,
                         "[DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION] the number pattern '%.*s' has %d "
                         "digits, a decimal 38 at most",
                         WEIR_SHOW(s), f->whole + f->fraction);
    return WEIR_OK;
}

static weir_rc
format_read(struct weir_slice s, struct number_format *f, struct weir_error *err)
{
    const char *p = s.ptr, *end = s.ptr + s.len;
    bool point = false;

    *f = (struct number_format){0};
    if (s.len == 0)
        return format_bad(s, "EMPTY", "is empty", err);
    while (p < end) {
        struct token *t = &f->at[f->n];
        size_t n = f->n + 1 < TOKENS_MAX ? token_read(p, end, point, t) : 0;

        if (n == 0)
            return format_bad(s, "UNEXPECTED_TOKEN", "has more than 0 9 . D , G $ S MI PR", err);
        point |= t->kind == TOKEN_POINT;
        if (t->kind == TOKEN_DIGITS)
            *(point ? &f->fraction : &f->whole) += t->n;
        f->n++;
        p += n;
    }
    WEIR_TRY(format_check(f, s, err));
    if (f->at[f->n - 1].kind == TOKEN_CLOSE) {
        memmove(f->at + 1, f->at, (size_t)f->n * sizeof(f->at[0]));
        f->at[0] = (struct token){.kind = TOKEN_OPEN};
        f->n++;
    }
    return WEIR_OK;
}

/* A pattern that is a constant; a null one gives a null: *out stays NULL. */
static weir_rc
format_take(struct weir_resolve *r, const struct number_format **out, struct weir_error *err)
{
    const char *text = weir_resolve_text(r, 1);
    struct number_format *f;

    *out = NULL;
    if (weir_resolve_is_null(r, 1))
        return WEIR_OK;
    if (text == NULL)
        return weir_resolve_refuse(r, 1, "a constant string", err);
    if ((f = weir_mem_zalloc(r->mem, sizeof(*f))) == NULL)
        return weir_mem_fail(r->mem, sizeof(*f), err);
    *out = f;
    return format_read(weir_slice(text, strlen(text)), f, err);
}

/* ---- Reading */

struct reading {
    const char *p, *end;
    char digits[64]; /* all of them; whole: those in front of the point */
    int n, whole;
    bool point, negative;
};

static bool
is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The tokens first .. last, digits and commas, against what stands there. Sizes are compared from the right.
 * */
static bool
groups_read(struct reading *in, const struct token *first, const struct token *last)
{
    int sizes[TOKENS_MAX] = {0}, n = 0, at;

    for (; in->p < in->end; in->p++) {
        if (*in->p >= '0' && *in->p <= '9') {
            if (in->n == (int)sizeof(in->digits))
                return false;
            in->digits[in->n++] = *in->p;
            in->whole += !in->point;
            sizes[n]++;
        } else if (*in->p == ',') {
            if (++n == TOKENS_MAX)
                return false;
        } else if (!is_space(*in->p)) {
            break;
        }
    }
    at = n;
    for (const struct token *t = last; t >= first; t--) {
        int have = at >= 0 ? sizes[at] : 0;

        if (t->kind == TOKEN_COMMA)
            continue;
        if (t->exact ? have != t->n : have > t->n)
            return false;
        at--;
    }
    return at < 0;
}

static bool
take(struct reading *in, char c)
{
    if (in->p == in->end || *in->p != c)
        return false;
    in->p++;
    return true;
}

/* false: the text does not match the pattern. */
static bool
number_read(const struct number_format *f, struct weir_slice s, struct reading *in)
{
    *in = (struct reading){.p = s.ptr, .end = s.ptr + s.len};
    for (int i = 0; i < f->n; i++) {
        int last = i;

        switch (f->at[i].kind) {
        case TOKEN_DIGITS:
        case TOKEN_COMMA:
            while (last + 1 < f->n && f->at[last + 1].kind <= TOKEN_COMMA)
                last++;
            if (!groups_read(in, &f->at[i], &f->at[last]))
                return false;
            i = last;
            break;
        case TOKEN_POINT:
            in->point |= take(in, '.');
            break;
        case TOKEN_DOLLAR:
            if (!take(in, '$'))
                return false;
            break;
        case TOKEN_SIGN:
            if (!take(in, '+'))
                in->negative |= take(in, '-');
            break;
        case TOKEN_MINUS:
            in->negative |= take(in, '-');
            break;
        case TOKEN_OPEN:
            in->negative = take(in, '<');
            break;
        case TOKEN_CLOSE:
            if (in->negative != take(in, '>'))
                return false;
            break;
        }
    }
    return in->p == in->end && in->n > 0;
}

static weir_rc
to_number_row(const struct fn_row *r)
{
    const struct number_format *f = r->call->data;
    struct weir_slice s = row_str(r, 0);
    struct reading in;
    weir_i128 v = 0;

    if (f == NULL)
        return row_put_null(r);
    if (!number_read(f, s, &in))
        return row_bad(r, "INVALID_FORMAT.MISMATCH_INPUT", "'%.*s' does not match the number pattern",
                       WEIR_SHOW(s));
    if (in.whole > f->whole)
        return row_bad(r, "NUMERIC_VALUE_OUT_OF_RANGE",
                       "'%.*s' has digits in front of the point, the pattern none", WEIR_SHOW(s));
    for (int i = 0; i < in.whole + f->fraction; i++)
        v = v * 10 + (i < in.n ? in.digits[i] - '0' : 0);
    weir_decimal_set(r->out, r->row, in.negative ? -v : v);
    return WEIR_OK;
}
WEIR_KERNEL(to_number)

/* ---- Writing */

/* A blank goes in front of a sign that stands last. */
static void
blank_put(struct weir_buf *out)
{
    weir_buf_byte(out, ' ');
    if (!out->failed && out->len >= 2 && strchr("+-<", out->data[out->len - 2]) != NULL) {
        out->data[out->len - 1] = out->data[out->len - 2];
        out->data[out->len - 2] = ' ';
    }
}

static void
point_strip(struct weir_buf *out)
{
    if (out->len > 0 && out->data[out->len - 1] == '.')
        out->len--;
}

/* The digits of a value: those in front of the point without leading zeros, those behind without trailing
 * ones. */
struct shown {
    char text[48];
    const char *whole, *fraction;
    int nwhole, nfraction;
    bool negative;
};

static void
shown_make(struct shown *s, const struct weir_col *col, uint32_t row)
{
    weir_i128 v = weir_decimal_get(col, row);
    size_t n = weir_decimal_print(v < 0 ? -v : v, col->type->scale, s->text);
    const char *end = s->text + n, *point = memchr(s->text, '.', n);

    s->negative = v < 0;
    s->whole = s->text;
    s->nwhole = (int)((point == NULL ? end : point) - s->text);
    while (s->nwhole > 0 && *s->whole == '0')
        s->whole++, s->nwhole--;
    s->fraction = point == NULL ? end : point + 1;
    s->nfraction = (int)(end - s->fraction);
    while (s->nfraction > 0 && s->fraction[s->nfraction - 1] == '0')
        s->nfraction--;
}

/* A number that does not fit is hashes, as far as it is known what Spark makes of the rest of the pattern. */
static weir_rc
hashes_put(const struct fn_row *r, const struct number_format *f, struct weir_buf *out)
{
    for (int i = 0; i < f->n; i++) {
        if (f->at[i].kind != TOKEN_DIGITS && f->at[i].kind != TOKEN_POINT)
            return weir_fail(r->err, WEIR_UNSUPPORTED,
                             "to_char: a number has more digits than a pattern with signs or commas");
        for (int k = 0; f->at[i].kind == TOKEN_DIGITS && k < f->at[i].n; k++)
            weir_buf_byte(out, '#');
        if (f->at[i].kind == TOKEN_POINT)
            weir_buf_byte(out, '.');
    }
    return WEIR_OK;
}

/* One token; *at counts the pattern's digits. */
static void
token_write(const struct number_format *f, const struct token *t, const struct shown *s, int *at,
            struct weir_buf *out)
{
    bool digit;

    switch (t->kind) {
    case TOKEN_DIGITS:
        for (int k = 0; k < t->n; k++, ++*at) {
            int i = *at < f->whole ? *at - (f->whole - s->nwhole) : *at - f->whole;

            if (*at >= f->whole)
                weir_buf_byte(out, i < s->nfraction ? s->fraction[i] : '0');
            else if (i >= 0 || t->exact)
                weir_buf_byte(out, i >= 0 ? s->whole[i] : '0');
            else
                blank_put(out);
        }
        break;
    case TOKEN_COMMA:
        digit = out->len > 0 && out->data[out->len - 1] >= '0' && out->data[out->len - 1] <= '9';
        if (digit)
            weir_buf_byte(out, ',');
        else
            blank_put(out);
        break;
    case TOKEN_POINT:
        if (out->len > 0 && out->data[out->len - 1] == ' ')
            out->data[out->len - 1] = '0';
        weir_buf_byte(out, '.');
        break;
    case TOKEN_DOLLAR:
        weir_buf_byte(out, '$');
        break;
    case TOKEN_SIGN:
        point_strip(out);
        weir_buf_byte(out, s->negative ? '-' : '+');
        break;
    case TOKEN_MINUS:
        point_strip(out);
        weir_buf_byte(out, s->negative ? '-' : ' ');
        break;
    case TOKEN_OPEN:
        weir_buf_str(out, s->negative ? "<" : "");
        break;
    case TOKEN_CLOSE:
        point_strip(out);
        weir_buf_str(out, s->negative ? ">" : "  ");
        break;
    }
}

static weir_rc
number_write(const struct fn_row *r, const struct number_format *f, struct weir_buf *out)
{
    struct shown s;
    int at = 0;

    shown_make(&s, &r->args[0], weir_arg_row(&r->args[0], r->row));
    if (s.nwhole > f->whole || s.nfraction > f->fraction)
        return hashes_put(r, f, out);
    if (s.nwhole == 0 && s.nfraction == 0 && f->at[f->n - 1].kind >= TOKEN_SIGN)
        return weir_fail(r->err, WEIR_UNSUPPORTED, "to_char: a zero by a pattern that ends with a sign");
    for (int i = 0; i < f->n; i++)
        token_write(f, &f->at[i], &s, &at, out);
    point_strip(out);
    return weir_buf_check(out, r->err);
}

static weir_rc
to_char_row(const struct fn_row *r)
{
    struct weir_buf out = WEIR_BUF(1024);
    weir_rc rc;

    if (r->call->data == NULL)
        return row_put_null(r);
    rc = number_write(r, r->call->data, &out);
    if (rc == WEIR_OK)
        rc = row_put(r, out.len == 0 ? "" : out.data, out.len);
    weir_buf_fini(&out);
    return rc;
}
WEIR_KERNEL(to_char)

/* ---- Binding */

static weir_rc
to_number_resolve(struct weir_resolve *r, struct weir_error *err)
{
    const struct number_format *f;

    WEIR_TRY(weir_resolve_want(r, 0, &weir_type_string, err));
    WEIR_TRY(format_take(r, &f, err));
    r->type = f == NULL
                  ? weir_type_decimal(r->mem, 10, 0)
                  : weir_type_decimal(r->mem, (unsigned)(f->whole + f->fraction), (unsigned)f->fraction);
    if (r->type == NULL)
        return weir_mem_fail(r->mem, sizeof(*r->type), err);
    r->nullable = true;
    r->plan.kernel = to_number_kernel;
    r->plan.data = f;
    r->plan.null_in_null_out = true;
    r->plan.try_ = weir_str_starts(r->node->text, "try_");
    r->plan.may_fail = !r->plan.try_;
    return WEIR_OK;
}

/* The function of that name does it. */
static weir_rc
resolve_as(struct weir_resolve *r, const char *name, struct weir_error *err)
{
    const struct weir_function *fn = weir_function_find(name);

    WEIR_ASSERT(fn != NULL);
    r->node->text = fn->name;
    r->node->fn = fn;
    return fn->resolve(r, err);
}

/* to_char of bytes: the format is a constant. */
static weir_rc
bytes_resolve(struct weir_resolve *r, struct weir_error *err)
{
    const char *as = weir_resolve_text(r, 1);
    struct weir_slice s = weir_slice(as, as == NULL ? 0 : strlen(as));

    if (weir_slice_is_nocase(s, "utf-8"))
        return resolve_as(r, "decode", err);
    if (!weir_slice_is_nocase(s, "hex") && !weir_slice_is_nocase(s, "base64"))
        return weir_resolve_refuse(r, 1, "the constant 'hex', 'base64' or 'utf-8'", err);
    r->node->nkids = 1;
    return resolve_as(r, weir_slice_is_nocase(s, "hex") ? "hex" : "base64", err);
}

static weir_rc
to_char_resolve(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = r->node->kids[0]->type;
    const struct number_format *f;

    if (weir_kind_is_datetime(type->kind))
        return resolve_as(r, "date_format", err);
    if (type->kind == WEIR_BINARY)
        return bytes_resolve(r, err);
    if (!weir_kind_is_numeric(type->kind) && type->kind != WEIR_VOID)
        return weir_resolve_refuse(r, 0, "a number, a date or bytes", err);
    if (type->kind == WEIR_VOID)
        f = NULL; /* a null by any pattern */
    else
        WEIR_TRY(format_take(r, &f, err));
    type = type->kind == WEIR_VOID ? weir_type_decimal(r->mem, 10, 0) : weir_coerce_decimal_of(r->mem, type);
    if (type == NULL)
        return weir_mem_fail(r->mem, sizeof(*type), err);
    WEIR_TRY(weir_resolve_want(r, 0, type, err));
    r->type = &weir_type_string;
    r->nullable = true;
    r->plan.kernel = to_char_kernel;
    r->plan.data = f;
    r->plan.null_in_null_out = true;
    r->plan.may_fail = true;
    return WEIR_OK;
}

#define CHAR_DIFFERS                                                                                         \
    "strings are refused; a number that does not fit a pattern with signs or commas is an error"

const struct weir_function weir_functions_string_number[] = {
    {"to_char", WEIR_FN_SCALAR, 2, 2, to_char_resolve, CHAR_DIFFERS, NULL},
    {"to_number", WEIR_FN_SCALAR, 2, 2, to_number_resolve, NULL, NULL},
    {"to_varchar", WEIR_FN_SCALAR, 2, 2, to_char_resolve, CHAR_DIFFERS, NULL},
    {"try_to_number", WEIR_FN_SCALAR, 2, 2, to_number_resolve,
     "a text without digits is a null, not an error", NULL},
    {0},
};
