/* Strings in other clothes: case, hexadecimal and Base64, character sets, URLs, masks, and how near two words
 * are. */
#include "sql/fn_text.h"

#include <stdlib.h>

#include "base/uuid.h"
#include "codec/json_int.h"
#include "sql/charset.h"
#include "sql/coerce.h"
#include "sql/unicode_case.h"

/* ---- Case */

static weir_rc
case_put(const struct fn_row *r, size_t (*convert)(const char *p, size_t n, char *to))
{
    struct weir_slice s = row_str(r, 0);
    weir_rc rc;
    char *p = weir_row_room(r, (uint64_t)s.len * WEIR_CASE_GROWTH, &rc);

    return p == NULL ? rc : row_put_room(r, p, convert(s.ptr, s.len, p));
}

static weir_rc
upper_row(const struct fn_row *r)
{
    return case_put(r, weir_case_upper);
}
WEIR_KERNEL(upper)

static weir_rc
lower_row(const struct fn_row *r)
{
    return case_put(r, weir_case_lower);
}
WEIR_KERNEL(lower)

static weir_rc
initcap_row(const struct fn_row *r)
{
    return case_put(r, weir_case_title);
}
WEIR_KERNEL(initcap)

/* mask(text[, upper[, lower[, digit[, other]]]]): a null replacement keeps the characters of its class. */
enum { MASK_CLASSES = 4 };

/* The replacement of one class; *keep when there is none. */
static weir_rc
mask_replacement(const struct fn_row *r, uint32_t i, const char *dflt, struct weir_slice *out, bool *keep)
{
    *keep = dflt == NULL && !row_has(r, i);
    *out = weir_slice(dflt, dflt == NULL ? 0 : 1);
    if (!row_has(r, i))
        return WEIR_OK;
    *keep = row_is_null(r, i);
    if (*keep)
        return WEIR_OK;
    *out = row_str(r, i);
    if (weir_utf8_count(out->ptr, out->len) == 1)
        return WEIR_OK;
    weir_fail(r->err, WEIR_USAGE,
              "[DATATYPE_MISMATCH.INPUT_SIZE_NOT_ONE] mask: a replacement is one character, not '%.*s'",
              WEIR_SHOW(*out));
    return r->err->rc;
}

static weir_rc
mask_row(const struct fn_row *r)
{
    static const char *const dflt[MASK_CLASSES] = {"X", "x", "n", NULL};
    struct weir_slice s = row_str(r, 0), with[MASK_CLASSES];
    const char *p = s.ptr, *end = s.ptr + s.len;
    bool keep[MASK_CLASSES];
    char *text, *to;
    weir_rc rc;

    for (uint32_t i = 0; i < MASK_CLASSES; i++)
        WEIR_TRY(mask_replacement(r, i + 1, dflt[i], &with[i], &keep[i]));
    if ((text = to = weir_row_room(r, (uint64_t)s.len * 4, &rc)) == NULL)
        return rc;
    while (p < end) {
        const char *at = p;
        uint32_t c = weir_utf8_get(&p);
        weir_letter letter = c > 0xffff ? WEIR_LETTER_OTHER : weir_letter_of(c); /* Java's chars */
        int class_ = letter == WEIR_LETTER_OTHER ? 3 : (int)letter - 1;

        for (int times = c > 0xffff && !keep[class_] ? 2 : 1; times > 0; times--)
            to = keep[class_] ? mempcpy(to, at, (size_t)(p - at))
                              : mempcpy(to, with[class_].ptr, with[class_].len);
    }
    return row_put_room(r, text, (size_t)(to - text));
}

static weir_rc
mask_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
            struct weir_error *err)
{
    struct fn_row r = {.call = call, .args = args, .out = out, .err = err};

    for (; r.row < rows; r.row++)
        if (row_is_null(&r, 0))
            weir_col_set_null(out, r.row);
        else
            WEIR_TRY(mask_row(&r));
    return WEIR_OK;
}

/* ---- Hexadecimal and Base64 */

static const char hex_digits[] = "0123456789ABCDEF";

static weir_rc
hex_row(const struct fn_row *r)
{
    struct weir_slice s;
    char number[16], *p;
    size_t n = 0;
    weir_rc rc;

    if (r->args[0].type->kind == WEIR_LONG) {
        uint64_t v = (uint64_t)row_long(r, 0);

        for (int shift = 60; shift >= 0; shift -= 4)
            if (n > 0 || (v >> shift & 15) != 0 || shift == 0)
                number[n++] = hex_digits[v >> shift & 15];
        return row_put(r, number, n);
    }
    s = row_str(r, 0);
    if ((p = weir_row_room(r, (uint64_t)s.len * 2, &rc)) == NULL)
        return rc;
    for (size_t i = 0; i < s.len; i++) {
        p[2 * i] = hex_digits[(unsigned char)s.ptr[i] >> 4];
        p[2 * i + 1] = hex_digits[(unsigned char)s.ptr[i] & 15];
    }
    return row_put_room(r, p, s.len * 2);
}
WEIR_KERNEL(hex)

static int
hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* An odd first digit is a byte of its own. false: no hexadecimal. */
static bool
hex_read(struct weir_slice s, char *to)
{
    size_t i = 0;

    if (s.len % 2 != 0) {
        if (hex_value(s.ptr[0]) < 0)
            return false;
        *to++ = (char)hex_value(s.ptr[i++]);
    }
    for (; i < s.len; i += 2) {
        int high = hex_value(s.ptr[i]), low = hex_value(s.ptr[i + 1]);

        if (high < 0 || low < 0)
            return false;
        *to++ = (char)(high << 4 | low);
    }
    return true;
}

static weir_rc
unhex_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0);
    weir_rc rc;
    char *p = weir_row_room(r, (s.len + 1) / 2, &rc);

    if (p == NULL)
        return rc;
    return hex_read(s, p) ? row_put_room(r, p, (s.len + 1) / 2) : row_put_null(r);
}
WEIR_KERNEL(unhex)

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* In lines of 76 digits with \r\n between, as Spark 4.0 has them. */
static weir_rc
base64_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0);
    const unsigned char *b = (const unsigned char *)s.ptr;
    uint64_t digits = (uint64_t)(s.len + 2) / 3 * 4;
    weir_rc rc;
    char *p = weir_row_room(r, digits + digits / 76 * 2, &rc), *to = p;

    if (p == NULL)
        return rc;
    for (size_t i = 0; i < s.len; i += 3) {
        size_t left = s.len - i;
        uint32_t v =
            (uint32_t)b[i] << 16 | (left > 1 ? (uint32_t)b[i + 1] << 8 : 0) | (left > 2 ? b[i + 2] : 0);

        if (i > 0 && i % 57 == 0)
            to = mempcpy(to, "\r\n", 2);
        *to++ = base64_digits[v >> 18];
        *to++ = base64_digits[v >> 12 & 63];
        *to++ = left > 1 ? base64_digits[v >> 6 & 63] : '=';
        *to++ = left > 2 ? base64_digits[v & 63] : '=';
    }
    return row_put_room(r, p, (size_t)(to - p));
}
WEIR_KERNEL(base64)

static int
base64_value(char c)
{
    const char *at = c == '\0' ? NULL : strchr(base64_digits, c);

    return at == NULL ? -1 : (int)(at - base64_digits);
}

/* MIME's rules: what is no digit is passed over, padding may be missing. Returns the bytes, or NULL with
 * *why. */
static char *
base64_read(struct weir_slice s, char *to, const char **why)
{
    uint32_t bits = 0, digits = 0;
    size_t i = 0;

    for (; i < s.len && s.ptr[i] != '='; i++) {
        int v = base64_value(s.ptr[i]);

        if (v < 0)
            continue;
        bits = bits << 6 | (uint32_t)v;
        if (++digits < 4)
            continue;
        *to++ = (char)(bits >> 16);
        *to++ = (char)(bits >> 8);
        *to++ = (char)bits;
        bits = digits = 0;
    }
    *why = "a wrong ending";
    if (i < s.len) { /* the padding: "xx==" or "xxx=" */
        i++;
        if (digits == 0 || (digits == 2 && (i == s.len || s.ptr[i++] != '=')))
            return NULL;
    }
    if (digits == 1)
        return NULL;
    if (digits >= 2)
        *to++ = (char)(digits == 2 ? bits >> 4 : bits >> 10);
    if (digits == 3)
        *to++ = (char)(bits >> 2);
    for (; i < s.len; i++)
        if (base64_value(s.ptr[i]) >= 0 || s.ptr[i] == '=')
            return NULL;
    return to;
}

static weir_rc
unbase64_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0);
    const char *why;
    weir_rc rc;
    char *p = weir_row_room(r, s.len, &rc), *end;

    if (p == NULL)
        return rc;
    if ((end = base64_read(s, p, &why)) == NULL)
        return row_bad(r, "CONVERSION_INVALID_INPUT", "unbase64: '%.*s' is no Base64: %s", WEIR_SHOW(s), why);
    return row_put_room(r, p, (size_t)(end - p));
}
WEIR_KERNEL(unbase64)

/* ---- Character sets */

static weir_rc
charset_find(const struct fn_row *r, const struct weir_charset **out)
{
    struct weir_slice name = row_str(r, 1);

    *out = weir_charset_find(name);
    if (*out != NULL)
        return WEIR_OK;
    weir_fail(r->err, WEIR_USAGE, "[INVALID_PARAMETER_VALUE.CHARSET] '%.*s' is no character set",
              WEIR_SHOW(name));
    return weir_error_hint(r->err,
                           "write one of US-ASCII, ISO-8859-1, UTF-8, UTF-16, UTF-16BE, UTF-16LE, UTF-32");
}

static weir_rc
encode_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0), name = row_str(r, 1);
    const struct weir_charset *set;
    size_t n;
    weir_rc rc;
    char *p;

    WEIR_TRY(charset_find(r, &set));
    if ((p = weir_row_room(r, (uint64_t)s.len * 4 + 4, &rc)) == NULL)
        return rc;
    if (!weir_charset_encode(set, s, p, &n))
        return row_bad(r, "MALFORMED_CHARACTER_CODING", "encode: '%.*s' has a character that %.*s lacks",
                       WEIR_SHOW(s), WEIR_SHOW(name));
    return row_put_room(r, p, n);
}
WEIR_KERNEL(encode)

static weir_rc
decode_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0), name = row_str(r, 1);
    const struct weir_charset *set;
    size_t n;
    weir_rc rc;
    char *p;

    WEIR_TRY(charset_find(r, &set));
    if ((p = weir_row_room(r, (uint64_t)s.len * 3, &rc)) == NULL)
        return rc;
    if (!weir_charset_decode(set, s, p, &n))
        return row_bad(r, "MALFORMED_CHARACTER_CODING", "decode: the bytes are no %.*s", WEIR_SHOW(name));
    return row_put_room(r, p, n);
}
WEIR_KERNEL(decode)

/* Base64 as to_binary wants it: padded to fours, or not padded at all; white space may stand between. */
static bool
base64_is_strict(struct weir_slice s)
{
    size_t digits = 0, padding = 0;

    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];

        if (c == '=')
            padding++;
        else if (base64_value(c) >= 0 && padding == 0)
            digits++;
        else if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v')
            return false;
    }
    return padding == 0 ? digits % 4 != 1 : padding <= 2 && (digits + padding) % 4 == 0;
}

/* The format is a constant, which the resolver looked at. */
static weir_rc
to_binary_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0), as = row_has(r, 1) ? row_str(r, 1) : weir_slice("hex", 3);
    const char *why;
    weir_rc rc;
    char *p, *end;

    if (weir_slice_is_nocase(as, "utf-8") || weir_slice_is_nocase(as, "utf8"))
        return row_put(r, s.ptr, s.len);
    if ((p = weir_row_room(r, s.len + 1, &rc)) == NULL)
        return rc;
    if (weir_slice_is_nocase(as, "hex"))
        end = hex_read(s, p) ? p + (s.len + 1) / 2 : NULL;
    else /* another format is no Base64 either: try_to_binary has no value for it */
        end = weir_slice_is_nocase(as, "base64") && base64_is_strict(s) ? base64_read(s, p, &why) : NULL;
    if (end == NULL)
        return row_bad(r, "CONVERSION_INVALID_INPUT",
                       "to_binary: '%.*s' is not in the format '%.*s'; use try_to_binary", WEIR_SHOW(s),
                       WEIR_SHOW(as));
    return row_put_room(r, p, (size_t)(end - p));
}
WEIR_KERNEL(to_binary)

/* weir's strings are valid UTF-8: what is none never becomes a string. */
static weir_rc
is_valid_utf8_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0);

    return row_put_bool(r, weir_utf8_valid(s.ptr, s.len));
}
WEIR_KERNEL(is_valid_utf8)

static weir_rc
validate_utf8_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0);

    if (!weir_utf8_valid(s.ptr, s.len))
        return row_bad(r, "INVALID_UTF8_STRING", "the bytes are no UTF-8");
    return row_put(r, s.ptr, s.len);
}
WEIR_KERNEL(validate_utf8)

/* ---- URLs */

static bool
url_is_plain(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '*' || c == '_';
}

static weir_rc
url_encode_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0);
    weir_rc rc;
    char *p = weir_row_room(r, (uint64_t)s.len * 3, &rc), *to = p;

    if (p == NULL)
        return rc;
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];

        if (url_is_plain(c)) {
            *to++ = (char)c;
        } else if (c == ' ') {
            *to++ = '+';
        } else {
            *to++ = '%';
            *to++ = hex_digits[c >> 4];
            *to++ = hex_digits[c & 15];
        }
    }
    return row_put_room(r, p, (size_t)(to - p));
}
WEIR_KERNEL(url_encode)

/* The bytes of s without escapes. NULL: a bad escape. Java reads the two digits as a number, so "+7" is one.
 * */
static char *
url_decode(struct weir_slice s, char *to)
{
    for (size_t i = 0; i < s.len; i++) {
        int high, low;

        if (s.ptr[i] != '%') {
            *to++ = s.ptr[i] == '+' ? ' ' : s.ptr[i];
            continue;
        }
        if (i + 2 >= s.len)
            return NULL;
        high = s.ptr[i + 1] == '+' ? 0 : hex_value(s.ptr[i + 1]);
        low = hex_value(s.ptr[i + 2]);
        if (high < 0 || low < 0)
            return NULL;
        *to++ = (char)(high << 4 | low);
        i += 2;
    }
    return to;
}

static weir_rc
url_decode_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0);
    struct weir_slice text;
    weir_rc rc;
    char *p = weir_row_room(r, s.len, &rc), *end;

    if (p == NULL)
        return rc;
    if ((end = url_decode(s, p)) == NULL)
        return row_bad(r, "CANNOT_DECODE_URL", "'%.*s' has a '%%' that no two hexadecimal digits follow",
                       WEIR_SHOW(s));
    if (weir_utf8_valid(p, (size_t)(end - p)))
        return row_put_room(r, p, (size_t)(end - p));
    if (!weir_json_repair(r->call->mem, weir_slice(p, (size_t)(end - p)), &text))
        return weir_mem_fail(r->call->mem, s.len, r->err);
    return row_put(r, text.ptr, text.len);
}
WEIR_KERNEL(url_decode)

/* ---- Words */

static weir_rc
luhn_check_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0);
    int sum = 0;

    for (size_t i = 0; i < s.len; i++) {
        int digit = s.ptr[s.len - 1 - i] - '0';

        if (digit < 0 || digit > 9)
            return row_put_bool(r, false);
        digit = i % 2 == 1 ? digit * 2 : digit;
        sum += digit > 9 ? digit - 9 : digit;
    }
    return row_put_bool(r, s.len > 0 && sum % 10 == 0);
}
WEIR_KERNEL(luhn_check)

/* Codes of A to Z; 7: H and W, which are not heard. */
static weir_rc
soundex_row(const struct fn_row *r)
{
    static const char codes[] = "01230127022455012623017202";
    struct weir_slice s = row_str(r, 0);
    char code[4] = {'0', '0', '0', '0'}, last;
    int n = 1;

    if (s.len == 0)
        return row_put(r, "", 0);
    code[0] = s.ptr[0] >= 'a' && s.ptr[0] <= 'z' ? (char)(s.ptr[0] - 32) : s.ptr[0];
    if (code[0] < 'A' || code[0] > 'Z')
        return row_put(r, s.ptr, s.len);
    last = codes[code[0] - 'A'];
    for (size_t i = 1; i < s.len && n < 4; i++) {
        char c = s.ptr[i] >= 'a' && s.ptr[i] <= 'z' ? (char)(s.ptr[i] - 32) : s.ptr[i];

        if (c < 'A' || c > 'Z') {
            last = '0';
            continue;
        }
        c = codes[c - 'A'];
        if (c == '7')
            continue;
        if (c != '0' && c != last)
            code[n++] = c;
        last = c;
    }
    return row_put(r, code, 4);
}
WEIR_KERNEL(soundex)

/* The code points of s into to, which has room for s.len. */
static uint32_t
points_read(struct weir_slice s, uint32_t *to)
{
    const char *p = s.ptr, *end = s.ptr + s.len;
    uint32_t n = 0;

    while (p < end)
        to[n++] = weir_utf8_get(&p);
    return n;
}

/* Edit distance by one row of the table. */
static int32_t
points_distance(const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb, int32_t *row)
{
    for (uint32_t j = 0; j <= nb; j++)
        row[j] = (int32_t)j;
    for (uint32_t i = 1; i <= na; i++) {
        int32_t diagonal = row[0];

        row[0] = (int32_t)i;
        for (uint32_t j = 1; j <= nb; j++) {
            int32_t least = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            least = row[j] + 1 < least ? row[j] + 1 : least;
            row[j] = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
        }
    }
    return row[nb];
}

static weir_rc
levenshtein_row(const struct fn_row *r)
{
    struct weir_slice a = row_str(r, 0), b = row_str(r, 1);
    uint64_t bytes = ((uint64_t)a.len + 2 * (uint64_t)b.len + 2) * sizeof(uint32_t);
    uint32_t *pa, *pb, na, nb;
    int32_t distance, most;

    if ((pa = weir_mem_alloc(r->call->mem, bytes)) == NULL)
        return weir_mem_fail(r->call->mem, bytes, r->err);
    pb = pa + a.len;
    na = points_read(a, pa);
    nb = points_read(b, pb);
    distance = points_distance(pa, na, pb, nb, (int32_t *)pb + b.len);
    most = row_has(r, 2) ? row_int(r, 2) : INT32_MAX;
    return row_put_int(r, distance > most ? -1 : distance);
}
WEIR_KERNEL(levenshtein)

static weir_rc
uuid_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
            struct weir_error *err)
{
    struct fn_row r = {.call = call, .args = args, .out = out, .err = err};
    char text[WEIR_UUID_SIZE];

    for (; r.row < rows; r.row++) {
        weir_uuid(text);
        WEIR_TRY(row_put(&r, text, WEIR_UUID_SIZE - 1));
    }
    return WEIR_OK;
}

/* ---- The table */

static weir_rc code_resolve(struct weir_resolve *r, struct weir_error *err);
static weir_rc decode_resolve(struct weir_resolve *r, struct weir_error *err);
static weir_rc hex_resolve(struct weir_resolve *r, struct weir_error *err);
static weir_rc to_binary_resolve(struct weir_resolve *r, struct weir_error *err);

#define FUNCTIONS(F)                                                                                         \
    F(base64, 1, 1, code_resolve, "s:y", base64, SIGNATURE_NEVER_NULL)                                       \
    F(decode, 2, 255, decode_resolve, "s:ys", decode, SIGNATURE_MAY_FAIL)                                    \
    F(encode, 2, 2, code_resolve, "b:ss", encode, SIGNATURE_MAY_FAIL)                                        \
    F(hex, 1, 1, hex_resolve, "s:.", hex, SIGNATURE_NEVER_NULL)                                              \
    F(initcap, 1, 1, code_resolve, "s:s", initcap, SIGNATURE_NEVER_NULL)                                     \
    F(is_valid_utf8, 1, 1, code_resolve, "z:s", is_valid_utf8, SIGNATURE_NEVER_NULL)                         \
    F(lcase, 1, 1, code_resolve, "s:s", lower, SIGNATURE_NEVER_NULL)                                         \
    F(levenshtein, 2, 3, code_resolve, "i:ssi?", levenshtein, SIGNATURE_NEVER_NULL)                          \
    F(lower, 1, 1, code_resolve, "s:s", lower, SIGNATURE_NEVER_NULL)                                         \
    F(luhn_check, 1, 1, code_resolve, "z:s", luhn_check, SIGNATURE_NEVER_NULL)                               \
    F(make_valid_utf8, 1, 1, code_resolve, "s:s", validate_utf8, SIGNATURE_NEVER_NULL)                       \
    F(mask, 1, 5, code_resolve, "s:ss?s?s?s?", mask, SIGNATURE_SEES_NULLS | SIGNATURE_MAY_FAIL)              \
    F(soundex, 1, 1, code_resolve, "s:s", soundex, SIGNATURE_NEVER_NULL)                                     \
    F(to_binary, 1, 2, to_binary_resolve, "b:ss?", to_binary, SIGNATURE_MAY_FAIL)                            \
    F(try_to_binary, 1, 2, to_binary_resolve, "b:ss?", to_binary, SIGNATURE_TRY)                             \
    F(try_url_decode, 1, 1, code_resolve, "s:s", url_decode, SIGNATURE_TRY)                                  \
    F(try_validate_utf8, 1, 1, code_resolve, "s:s", validate_utf8, SIGNATURE_TRY)                            \
    F(ucase, 1, 1, code_resolve, "s:s", upper, SIGNATURE_NEVER_NULL)                                         \
    F(unbase64, 1, 1, code_resolve, "b:s", unbase64, SIGNATURE_MAY_FAIL)                                     \
    F(unhex, 1, 1, code_resolve, "b:s", unhex, 0)                                                            \
    F(upper, 1, 1, code_resolve, "s:s", upper, SIGNATURE_NEVER_NULL)                                         \
    F(url_decode, 1, 1, code_resolve, "s:s", url_decode, SIGNATURE_MAY_FAIL)                                 \
    F(url_encode, 1, 1, code_resolve, "s:s", url_encode, SIGNATURE_NEVER_NULL)                               \
    F(uuid, 0, 0, code_resolve, "s:", uuid, SIGNATURE_NEVER_NULL | SIGNATURE_VOLATILE)                       \
    F(validate_utf8, 1, 1, code_resolve, "s:s", validate_utf8, SIGNATURE_MAY_FAIL)

static const struct weir_signature code_signatures[] = {
#define ROW(name, min, max, resolve, types, kernel, flags) {#name, types, kernel##_kernel, NULL, flags},
    FUNCTIONS(ROW)
#undef ROW
};

static weir_rc
code_resolve(struct weir_resolve *r, struct weir_error *err)
{
    return weir_signature_resolve(r, code_signatures, sizeof(code_signatures) / sizeof(code_signatures[0]),
                                  err);
}

/* hex of a whole number, else of the bytes. */
static weir_rc
hex_resolve(struct weir_resolve *r, struct weir_error *err)
{
    weir_kind kind = r->node->kids[0]->type->kind;

    if (kind == WEIR_BYTE || kind == WEIR_SHORT || kind == WEIR_INT || kind == WEIR_LONG)
        WEIR_TRY(weir_resolve_want(r, 0, &weir_type_long, err));
    else if (kind != WEIR_BINARY)
        WEIR_TRY(weir_resolve_want(r, 0, &weir_type_string, err));
    return code_resolve(r, err);
}

static weir_rc
to_binary_resolve(struct weir_resolve *r, struct weir_error *err)
{
    const char *as = r->node->nkids < 2 ? "hex" : weir_resolve_text(r, 1);
    struct weir_slice s = weir_slice(as, as == NULL ? 0 : strlen(as));

    if (r->node->nkids == 2 && weir_resolve_is_null(r, 1))
        return code_resolve(r, err);
    if (as == NULL)
        return weir_resolve_refuse(r, 1, "a constant string", err);
    if (!weir_str_starts(r->node->text, "try_") && !weir_slice_is_nocase(s, "hex") &&
        !weir_slice_is_nocase(s, "utf-8") && !weir_slice_is_nocase(s, "utf8") &&
        !weir_slice_is_nocase(s, "base64"))
        return weir_resolve_refuse(r, 1, "'hex', 'utf-8', 'utf8' or 'base64'", err);
    return code_resolve(r, err);
}

/* Values that are compared get one type, those that come out another. */
static weir_rc
decode_types(struct weir_resolve *r, const struct weir_type **out, struct weir_error *err)
{
    const struct weir_type *in = r->node->kids[0]->type;
    uint32_t n = r->node->nkids;

    *out = &weir_type_void;
    for (uint32_t i = 1; i < n; i++) {
        bool result = i % 2 == 0 || i + 1 == n;
        const struct weir_type **common = result ? out : &in;

        *common = weir_coerce_wider(r->mem, r->set->ansi, *common, r->node->kids[i]->type);
        if (*common == NULL)
            return weir_resolve_refuse(
                r, i, result ? "the type of the other results" : "the type of the first argument", err);
    }
    for (uint32_t i = 0; i < n; i++)
        WEIR_TRY(weir_resolve_cast(r, i, i > 0 && (i % 2 == 0 || i + 1 == n) ? *out : in, err));
    return WEIR_OK;
}

/* Of three arguments and more, decode(value, is, then, is, then, …, else) is a CASE in which null equals
 * null. */
static weir_rc
decode_resolve(struct weir_resolve *r, struct weir_error *err)
{
    uint32_t n = r->node->nkids;
    struct weir_buf text = WEIR_BUF(WEIR_SMALL_MAX);
    const struct weir_type *common;
    weir_rc rc;

    if (n == 2)
        return code_resolve(r, err);
    if (n > 9)
        return weir_fail(err, WEIR_UNSUPPORTED, "decode with %u arguments: at most 9; write CASE", n);
    WEIR_GO(decode_types(r, &common, err));
    weir_buf_str(&text, "CASE");
    for (uint32_t i = 1; i + 1 < n; i += 2)
        weir_buf_printf(&text, " WHEN $1 IS NOT DISTINCT FROM $%u THEN $%u", i + 1, i + 2);
    weir_buf_printf(&text, n % 2 == 0 ? " ELSE $%u END" : " ELSE NULL END", n);
    WEIR_GO(weir_buf_check(&text, err));
    r->type = common;
    r->nullable = true;
    r->plan.text = weir_mem_strndup(r->mem, text.data, text.len);
    if (r->plan.text == NULL)
        WEIR_GO(weir_mem_fail(r->mem, text.len, err));
out:
    weir_buf_fini(&text);
    return rc;
}

const struct weir_function weir_functions_string_code[] = {
#define ROW(name, min, max, resolve, types, kernel, flags)                                                   \
    {#name, WEIR_FN_SCALAR, min, max, resolve, NULL, NULL},
    FUNCTIONS(ROW)
#undef ROW
        {0},
};
