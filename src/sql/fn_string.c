/* Strings by character and by place: length, parts, search, trimming and padding, joining.
 *
 * 1. A position counts code points from 1; negative ones count from the end. So substring('é', 1, 1) is 'é',
 *    and a position outside is an empty string, never an error.
 * 2. Search is over bytes, which is the same in valid UTF-8; so is Spark's under its default collation
 *    UTF8_BINARY.
 * 3. The blank that trim() knows is U+0020 alone. */
#include "sql/fn_text.h"

/* ---- Length */

static weir_rc
char_length_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0);

    if (r->args[0].type->kind == WEIR_BINARY)
        return row_put_int(r, (int32_t)s.len);
    return row_put_int(r, (int32_t)weir_utf8_count(s.ptr, s.len));
}
WEIR_KERNEL(char_length)

static weir_rc
octet_length_row(const struct fn_row *r)
{
    return row_put_int(r, (int32_t)row_str(r, 0).len);
}
WEIR_KERNEL(octet_length)

static weir_rc
bit_length_row(const struct fn_row *r)
{
    return row_put_int(r, (int32_t)(row_str(r, 0).len * 8)); /* Java's int, which wraps as well */
}
WEIR_KERNEL(bit_length)

static weir_rc
ascii_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0);
    const char *p = s.ptr;

    return row_put_int(r, s.len == 0 ? 0 : (int32_t)weir_utf8_get(&p));
}
WEIR_KERNEL(ascii)

/* The character of the lowest eight bits, as Latin-1. */
static weir_rc
char_row(const struct fn_row *r)
{
    int64_t n = row_long(r, 0);
    char text[4];

    return n < 0 ? row_put(r, "", 0) : row_put(r, text, weir_utf8_put((uint32_t)(n & 0xff), text));
}
WEIR_KERNEL(char)

/* ---- Parts */

/* Bytes or characters, as the argument has them. */
static int64_t
units_count(const struct fn_row *r, struct weir_slice s)
{
    return (int64_t)(r->args[0].type->kind == WEIR_BINARY ? s.len : weir_utf8_count(s.ptr, s.len));
}

static struct weir_slice
units_part(const struct fn_row *r, struct weir_slice s, int64_t from, int64_t to)
{
    size_t a, b;

    if (to <= from || to <= 0)
        return weir_slice(s.ptr, 0);
    from = from < 0 ? 0 : from;
    if (r->args[0].type->kind == WEIR_BINARY) {
        a = (uint64_t)from < s.len ? (size_t)from : s.len;
        b = (uint64_t)to < s.len ? (size_t)to : s.len;
    } else {
        a = weir_utf8_offset(s.ptr, s.len, (uint64_t)from);
        b = a + weir_utf8_offset(s.ptr + a, s.len - a, (uint64_t)(to - from));
    }
    return weir_slice(s.ptr + a, b - a);
}

/* SQL's substring: at most len units from position pos, which may lie in front of the text; far in front of
 * bytes the way to their end overflows in Spark, and they come whole. */
static struct weir_slice
units_sub(const struct fn_row *r, struct weir_slice s, int64_t pos, int64_t len)
{
    int64_t from = pos > 0 ? pos - 1 : pos < 0 ? units_count(r, s) + pos : 0;

    if (r->args[0].type->kind == WEIR_BINARY && (int64_t)s.len - from > INT32_MAX)
        return s;
    return units_part(r, s, from, from + len);
}

static weir_rc
put_slice(const struct fn_row *r, struct weir_slice s)
{
    return row_put(r, s.ptr, s.len);
}

static weir_rc
substring_row(const struct fn_row *r)
{
    return put_slice(r,
                     units_sub(r, row_str(r, 0), row_int(r, 1), row_has(r, 2) ? row_int(r, 2) : INT32_MAX));
}
WEIR_KERNEL(substring)

static weir_rc
left_row(const struct fn_row *r)
{
    return put_slice(r, units_sub(r, row_str(r, 0), 1, row_int(r, 1)));
}
WEIR_KERNEL(left)

static weir_rc
right_row(const struct fn_row *r)
{
    int32_t n = row_int(r, 1);

    return n <= 0 ? row_put(r, "", 0) : put_slice(r, units_sub(r, row_str(r, 0), -(int64_t)n, INT32_MAX));
}
WEIR_KERNEL(right)

static weir_rc
overlay_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0), with = row_str(r, 1), head, tail;
    int64_t pos = row_int(r, 2), len = row_has(r, 3) ? row_int(r, 3) : -1;
    weir_rc rc;
    char *p;

    if (len < 0)
        len = units_count(r, with);
    head = units_sub(r, s, 1, pos - 1);
    tail = units_sub(r, s, (int32_t)(uint32_t)(uint64_t)(pos + len), INT32_MAX);
    p = weir_row_room(r, (uint64_t)head.len + with.len + tail.len, &rc);
    if (p == NULL)
        return rc;
    memcpy(p, head.ptr, head.len);
    memcpy(p + head.len, with.ptr, with.len);
    memcpy(p + head.len + with.len, tail.ptr, tail.len);
    return row_put_room(r, p, head.len + with.len + tail.len);
}
WEIR_KERNEL(overlay)

static weir_rc
split_part_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0), by = row_str(r, 1);
    int64_t n = row_int(r, 2), parts = 1, at = 0, next;

    if (n == 0)
        return row_bad(r, "INVALID_INDEX_OF_ZERO", "split_part counts from 1, or from the end by -1");
    if (by.len == 0)
        return n == 1 || n == -1 ? put_slice(r, s) : row_put(r, "", 0);
    for (size_t from = 0; n < 0 && (next = weir_slice_find(s, by, from)) >= 0; parts++)
        from = (size_t)next + by.len;
    n = n < 0 ? parts + n + 1 : n;
    if (n <= 0)
        return row_put(r, "", 0);
    for (; n > 1; n--) {
        next = weir_slice_find(s, by, (size_t)at);
        if (next < 0)
            return row_put(r, "", 0);
        at = next + (int64_t)by.len;
    }
    next = weir_slice_find(s, by, (size_t)at);
    return row_put(r, s.ptr + at, (next < 0 ? s.len : (size_t)next) - (size_t)at);
}
WEIR_KERNEL(split_part)

/* The last place of `what` that begins at byte `from` or in front of it. */
static int64_t
slice_find_last(struct weir_slice s, struct weir_slice what, int64_t from)
{
    if (from > (int64_t)s.len - (int64_t)what.len)
        from = (int64_t)s.len - (int64_t)what.len;
    for (; from >= 0; from--)
        if (memcmp(s.ptr + from, what.ptr, what.len) == 0)
            return from;
    return -1;
}

/* Delimiters may overlap: 'aaa' has 'aa' twice. */
static weir_rc
substring_index_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0), by = row_str(r, 1);
    int64_t n = row_int(r, 2), at;

    if (by.len == 0 || n == 0)
        return row_put(r, "", 0);
    if (n > 0) {
        for (at = -1; n > 0; n--)
            if ((at = weir_slice_find(s, by, (size_t)(at + 1))) < 0)
                return put_slice(r, s);
        return row_put(r, s.ptr, (size_t)at);
    }
    for (at = (int64_t)s.len - (int64_t)by.len + 1; n < 0; n++)
        if ((at = slice_find_last(s, by, at - 1)) < 0)
            return put_slice(r, s);
    return row_put(r, s.ptr + at + by.len, s.len - (size_t)at - by.len);
}
WEIR_KERNEL(substring_index)

/* ---- Search */

/* The character number, from 1, of the first `what` at or behind character number `from`; 0: none. */
static int32_t
place_find(struct weir_slice s, struct weir_slice what, uint64_t from)
{
    size_t start = weir_utf8_offset(s.ptr, s.len, from);
    int64_t at;

    if (what.len == 0)
        return 1; /* an empty text is at the first character, wherever the search begins */
    at = weir_slice_find(s, what, start);
    return at < 0 ? 0 : (int32_t)weir_utf8_count(s.ptr, (size_t)at) + 1;
}

static weir_rc
instr_row(const struct fn_row *r)
{
    return row_put_int(r, place_find(row_str(r, 0), row_str(r, 1), 0));
}
WEIR_KERNEL(instr)

/* A start that is null finds nothing; other nulls are a null. */
static weir_rc
locate_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
              struct weir_error *err)
{
    struct fn_row r = {.call = call, .args = args, .out = out, .err = err};

    for (; r.row < rows; r.row++) {
        int32_t start = 1;

        if (row_has(&r, 2) && row_is_null(&r, 2))
            start = 0;
        else if (row_is_null(&r, 0) || row_is_null(&r, 1))
            start = -1;
        else if (row_has(&r, 2))
            start = row_int(&r, 2) < 1 ? 0 : row_int(&r, 2);
        if (start < 0)
            weir_col_set_null(out, r.row);
        else
            row_put_int(&r, start == 0 ? 0 : place_find(row_str(&r, 1), row_str(&r, 0), (uint64_t)start - 1));
    }
    return WEIR_OK;
}

static weir_rc
contains_row(const struct fn_row *r)
{
    return row_put_bool(r, weir_slice_find(row_str(r, 0), row_str(r, 1), 0) >= 0);
}
WEIR_KERNEL(contains)

static weir_rc
startswith_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0), with = row_str(r, 1);

    return row_put_bool(r, with.len <= s.len && memcmp(s.ptr, with.ptr, with.len) == 0);
}
WEIR_KERNEL(startswith)

static weir_rc
endswith_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0), with = row_str(r, 1);

    return row_put_bool(r, with.len <= s.len && memcmp(s.ptr + s.len - with.len, with.ptr, with.len) == 0);
}
WEIR_KERNEL(endswith)

static weir_rc
find_in_set_row(const struct fn_row *r)
{
    struct weir_slice what = row_str(r, 0), set = row_str(r, 1);
    int32_t n = 1;

    if (memchr(what.ptr, ',', what.len) != NULL)
        return row_put_int(r, 0);
    for (size_t at = 0; at <= set.len; n++) {
        const char *comma = memchr(set.ptr + at, ',', set.len - at);
        size_t len = comma == NULL ? set.len - at : (size_t)(comma - set.ptr) - at;

        if (len == what.len && memcmp(set.ptr + at, what.ptr, len) == 0)
            return row_put_int(r, n);
        at += len + 1;
    }
    return row_put_int(r, 0);
}
WEIR_KERNEL(find_in_set)

static weir_rc
replace_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0), what = row_str(r, 1),
                      with = row_has(r, 2) ? row_str(r, 2) : weir_slice("", 0);
    uint64_t found = 0;
    int64_t next;
    size_t at = 0;
    char *p, *to;
    weir_rc rc;

    if (what.len == 0)
        return put_slice(r, s);
    for (; (next = weir_slice_find(s, what, at)) >= 0; found++)
        at = (size_t)next + what.len;
    if (found == 0)
        return put_slice(r, s);
    if ((p = to = weir_row_room(r, s.len - found * what.len + found * with.len, &rc)) == NULL)
        return rc;
    for (at = 0; (next = weir_slice_find(s, what, at)) >= 0; at = (size_t)next + what.len) {
        to = mempcpy(to, s.ptr + at, (size_t)next - at);
        to = mempcpy(to, with.ptr, with.len);
    }
    to = mempcpy(to, s.ptr + at, s.len - at);
    return row_put_room(r, p, (size_t)(to - p));
}
WEIR_KERNEL(replace)

/* ---- Trimming and padding */

static bool
set_has(struct weir_slice set, const char *c, uint32_t width)
{
    const char *p = set.ptr, *end = set.ptr + set.len;

    for (; p < end; p += utf8_width((unsigned char)*p))
        if (utf8_width((unsigned char)*p) == width && memcmp(p, c, width) == 0)
            return true;
    return false;
}

enum { TRIM_LEFT = 1, TRIM_RIGHT = 2 };

/* set: the characters that go, at the ends that `ends` says. */
static weir_rc
trim_put(const struct fn_row *r, struct weir_slice s, struct weir_slice set, int ends)
{
    const char *p = s.ptr, *end = s.ptr + s.len;

    while ((ends & TRIM_LEFT) && p < end && set_has(set, p, utf8_width((unsigned char)*p)))
        p += utf8_width((unsigned char)*p);
    while ((ends & TRIM_RIGHT) && p < end) {
        const char *c = end - 1;

        while (c > p && (*c & 0xc0) == 0x80)
            c--;
        if (!set_has(set, c, (uint32_t)(end - c)))
            break;
        end = c;
    }
    return row_put(r, p, (size_t)(end - p));
}

/* trim(text), or trim(characters, text), as TRIM(BOTH characters FROM text) becomes. */
static weir_rc
trim_first_put(const struct fn_row *r, int ends)
{
    if (row_has(r, 1))
        return trim_put(r, row_str(r, 1), row_str(r, 0), ends);
    return trim_put(r, row_str(r, 0), weir_slice(" ", 1), ends);
}

static weir_rc
trim_row(const struct fn_row *r)
{
    return trim_first_put(r, TRIM_LEFT | TRIM_RIGHT);
}
WEIR_KERNEL(trim)

static weir_rc
ltrim_row(const struct fn_row *r)
{
    return trim_first_put(r, TRIM_LEFT);
}
WEIR_KERNEL(ltrim)

static weir_rc
rtrim_row(const struct fn_row *r)
{
    return trim_first_put(r, TRIM_RIGHT);
}
WEIR_KERNEL(rtrim)

static weir_rc
btrim_row(const struct fn_row *r)
{
    return trim_put(r, row_str(r, 0), row_has(r, 1) ? row_str(r, 1) : weir_slice(" ", 1),
                    TRIM_LEFT | TRIM_RIGHT);
}
WEIR_KERNEL(btrim)

/* `bytes` of the endless repetition of pad. */
static char *
pad_fill(char *to, struct weir_slice pad, size_t bytes)
{
    for (; bytes > pad.len; bytes -= pad.len)
        to = mempcpy(to, pad.ptr, pad.len);
    return mempcpy(to, pad.ptr, bytes);
}

static weir_rc
pad_put(const struct fn_row *r, bool left)
{
    bool bytes = r->args[0].type->kind == WEIR_BINARY;
    struct weir_slice s = row_str(r, 0),
                      pad = row_has(r, 2) ? row_str(r, 2) : weir_slice(bytes ? "" : " ", 1);
    int64_t len = row_int(r, 1), short_by = len - units_count(r, s), pad_units;
    size_t fill;
    weir_rc rc;
    char *p;

    if (short_by <= 0 || pad.len == 0)
        return put_slice(r, units_part(r, s, 0, len < 0 ? 0 : len));
    pad_units = bytes ? (int64_t)pad.len : (int64_t)weir_utf8_count(pad.ptr, pad.len);
    fill = (size_t)(short_by / pad_units) * pad.len;
    fill += bytes ? (size_t)(short_by % pad_units)
                  : weir_utf8_offset(pad.ptr, pad.len, (uint64_t)(short_by % pad_units));
    if ((p = weir_row_room(r, (uint64_t)s.len + fill, &rc)) == NULL)
        return rc;
    if (left)
        memcpy(pad_fill(p, pad, fill), s.ptr, s.len);
    else
        pad_fill(mempcpy(p, s.ptr, s.len), pad, fill);
    return row_put_room(r, p, s.len + fill);
}

static weir_rc
lpad_row(const struct fn_row *r)
{
    return pad_put(r, true);
}
WEIR_KERNEL(lpad)

static weir_rc
rpad_row(const struct fn_row *r)
{
    return pad_put(r, false);
}
WEIR_KERNEL(rpad)

static weir_rc
repeat_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0);
    int64_t n = row_int(r, 1);
    weir_rc rc;
    char *p;

    if (n <= 0 || s.len == 0)
        return row_put(r, "", 0);
    if ((p = weir_row_room(r, s.len * (uint64_t)n, &rc)) == NULL)
        return rc;
    pad_fill(p, s, s.len * (size_t)n);
    return row_put_room(r, p, s.len * (size_t)n);
}
WEIR_KERNEL(repeat)

static weir_rc
space_row(const struct fn_row *r)
{
    int32_t n = row_int(r, 0) < 0 ? 0 : row_int(r, 0);
    weir_rc rc;
    char *p = weir_row_room(r, (uint64_t)n, &rc);

    if (p == NULL)
        return rc;
    memset(p, ' ', (size_t)n);
    return row_put_room(r, p, (size_t)n);
}
WEIR_KERNEL(space)

static weir_rc
reverse_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0);
    weir_rc rc;
    char *p = weir_row_room(r, s.len, &rc), *to = p + s.len;

    if (p == NULL)
        return rc;
    for (size_t i = 0; i < s.len;) {
        uint32_t width = utf8_width((unsigned char)s.ptr[i]);

        to -= width;
        memcpy(to, s.ptr + i, width);
        i += width;
    }
    return row_put_room(r, p, s.len);
}
WEIR_KERNEL(reverse)

/* The counterpart of c, the character `number` of from, in to; 0: none. A U+0000 there means that c goes. */
static const char *
translate_to(struct weir_slice from, struct weir_slice to, const char *c, uint32_t width, bool *known)
{
    const char *p = from.ptr, *end = from.ptr + from.len, *q = to.ptr, *q_end = to.ptr + to.len;

    for (*known = false; p < end; p += utf8_width((unsigned char)*p)) {
        if (utf8_width((unsigned char)*p) == width && memcmp(p, c, width) == 0) {
            *known = true;
            return q < q_end && *q != '\0' ? q : NULL;
        }
        if (q < q_end)
            q += utf8_width((unsigned char)*q);
    }
    return NULL;
}

static weir_rc
translate_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0), from = row_str(r, 1), with = row_str(r, 2);
    weir_rc rc;
    char *p = weir_row_room(r, (uint64_t)s.len * 4, &rc), *to = p;

    if (p == NULL)
        return rc;
    for (size_t i = 0; i < s.len;) {
        uint32_t width = utf8_width((unsigned char)s.ptr[i]);
        bool known;
        const char *other = translate_to(from, with, s.ptr + i, width, &known);

        if (other != NULL)
            to = mempcpy(to, other, utf8_width((unsigned char)*other));
        else if (!known)
            to = mempcpy(to, s.ptr + i, width);
        i += width;
    }
    return row_put_room(r, p, (size_t)(to - p));
}
WEIR_KERNEL(translate)

/* ---- Joining and choosing */

static weir_rc
concat_row(const struct fn_row *r)
{
    uint64_t n = 0;
    weir_rc rc;
    char *p, *to;

    for (uint32_t i = 0; i < r->call->nargs; i++)
        n += row_str(r, i).len;
    if ((p = to = weir_row_room(r, n, &rc)) == NULL)
        return rc;
    for (uint32_t i = 0; i < r->call->nargs; i++)
        to = mempcpy(to, row_str(r, i).ptr, row_str(r, i).len);
    return row_put_room(r, p, n);
}
WEIR_KERNEL(concat)

/* One pass over what is joined; to NULL: the pass that counts. Nulls are left out, also those within arrays.
 * */
static uint64_t
join_pass(const struct fn_row *r, struct weir_slice by, char *to)
{
    uint64_t n = 0;
    bool any = false;

    for (uint32_t i = 1; i < r->call->nargs; i++) {
        const struct weir_col *col = &r->args[i];
        struct weir_list whole = {weir_arg_row(col, r->row), 1};

        if (weir_arg_null(col, r->row))
            continue;
        if (col->type->kind == WEIR_ARRAY) {
            whole = weir_arg(col, struct weir_list, r->row);
            col = &col->kids[0];
        }
        for (uint64_t at = whole.at; at < whole.at + whole.n; at++) {
            uint32_t len;
            const char *p;

            if (weir_arg_null(col, (uint32_t)at))
                continue;
            p = weir_arg_str(col, (uint32_t)at, &len);
            if (to != NULL) {
                to = any ? mempcpy(to, by.ptr, by.len) : to;
                to = mempcpy(to, p, len);
            }
            n += (any ? by.len : 0) + (uint64_t)len;
            any = true;
        }
    }
    return n;
}

static weir_rc
concat_ws_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
                 struct weir_error *err)
{
    struct fn_row r = {.call = call, .args = args, .out = out, .err = err};

    for (; r.row < rows; r.row++) {
        struct weir_slice by;
        uint64_t n;
        weir_rc rc;
        char *p;

        if (row_is_null(&r, 0)) {
            weir_col_set_null(out, r.row);
            continue;
        }
        by = row_str(&r, 0);
        n = join_pass(&r, by, NULL);
        if ((p = weir_row_room(&r, n, &rc)) == NULL)
            return rc;
        join_pass(&r, by, p);
        row_put_room(&r, p, n);
    }
    return WEIR_OK;
}

/* The argument of that number. Only the one that is chosen matters, so others may be null. */
static weir_rc
elt_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
           struct weir_error *err)
{
    struct fn_row r = {.call = call, .args = args, .out = out, .err = err};

    for (; r.row < rows; r.row++) {
        int32_t n = row_is_null(&r, 0) ? 0 : row_int(&r, 0);

        if (row_is_null(&r, 0) || (n > 0 && (uint32_t)n < call->nargs && row_is_null(&r, (uint32_t)n)))
            weir_col_set_null(out, r.row);
        else if (n > 0 && (uint32_t)n < call->nargs)
            WEIR_TRY(put_slice(&r, row_str(&r, (uint32_t)n)));
        else if (call->set->ansi)
            WEIR_TRY(
                row_bad(&r, "INVALID_ARRAY_INDEX", "elt: there is no argument %d of %u", n, call->nargs - 1));
        else
            weir_col_set_null(out, r.row);
    }
    return WEIR_OK;
}

/* ---- The table */

static weir_rc string_resolve(struct weir_resolve *r, struct weir_error *err);
static weir_rc concat_resolve(struct weir_resolve *r, struct weir_error *err);
static weir_rc concat_ws_resolve(struct weir_resolve *r, struct weir_error *err);
static weir_rc reverse_resolve(struct weir_resolve *r, struct weir_error *err);

#define FUNCTIONS(F)                                                                                         \
    F(ascii, 1, 1, string_resolve, "i:s", ascii, SIGNATURE_NEVER_NULL)                                       \
    F(bit_length, 1, 1, string_resolve, "i:x", bit_length, SIGNATURE_NEVER_NULL)                             \
    F(btrim, 1, 2, string_resolve, "s:ss?", btrim, SIGNATURE_NEVER_NULL)                                     \
    F(char, 1, 1, string_resolve, "s:l", char, SIGNATURE_NEVER_NULL)                                         \
    F(char_length, 1, 1, string_resolve, "i:x", char_length, SIGNATURE_NEVER_NULL)                           \
    F(character_length, 1, 1, string_resolve, "i:x", char_length, SIGNATURE_NEVER_NULL)                      \
    F(chr, 1, 1, string_resolve, "s:l", char, SIGNATURE_NEVER_NULL)                                          \
    F(concat, 0, 255, concat_resolve, "x:x*", concat, SIGNATURE_NEVER_NULL)                                  \
    F(concat_ws, 1, 255, concat_ws_resolve, "s:s.*", concat_ws, SIGNATURE_SEES_NULLS)                        \
    F(contains, 2, 2, string_resolve, "z:xx", contains, SIGNATURE_NEVER_NULL)                                \
    F(elt, 2, 255, string_resolve, "x:ix*", elt, SIGNATURE_SEES_NULLS | SIGNATURE_MAY_FAIL)                  \
    F(endswith, 2, 2, string_resolve, "z:xx", endswith, SIGNATURE_NEVER_NULL)                                \
    F(find_in_set, 2, 2, string_resolve, "i:ss", find_in_set, SIGNATURE_NEVER_NULL)                          \
    F(instr, 2, 2, string_resolve, "i:ss", instr, SIGNATURE_NEVER_NULL)                                      \
    F(left, 2, 2, string_resolve, "x:xi", left, SIGNATURE_NEVER_NULL)                                        \
    F(len, 1, 1, string_resolve, "i:x", char_length, SIGNATURE_NEVER_NULL)                                   \
    F(length, 1, 1, string_resolve, "i:x", char_length, SIGNATURE_NEVER_NULL)                                \
    F(locate, 2, 3, string_resolve, "i:ssi?", locate, SIGNATURE_SEES_NULLS)                                  \
    F(lpad, 2, 3, string_resolve, "x:xix?", lpad, SIGNATURE_NEVER_NULL)                                      \
    F(ltrim, 1, 2, string_resolve, "s:ss?", ltrim, SIGNATURE_NEVER_NULL)                                     \
    F(octet_length, 1, 1, string_resolve, "i:x", octet_length, SIGNATURE_NEVER_NULL)                         \
    F(overlay, 3, 4, string_resolve, "x:xxii?", overlay, SIGNATURE_NEVER_NULL)                               \
    F(position, 2, 3, string_resolve, "i:ssi?", locate, SIGNATURE_SEES_NULLS)                                \
    F(repeat, 2, 2, string_resolve, "s:si", repeat, SIGNATURE_NEVER_NULL)                                    \
    F(replace, 2, 3, string_resolve, "s:sss?", replace, SIGNATURE_NEVER_NULL)                                \
    F(reverse, 1, 1, reverse_resolve, "s:s", reverse, SIGNATURE_NEVER_NULL)                                  \
    F(right, 2, 2, string_resolve, "s:si", right, SIGNATURE_NEVER_NULL)                                      \
    F(rpad, 2, 3, string_resolve, "x:xix?", rpad, SIGNATURE_NEVER_NULL)                                      \
    F(rtrim, 1, 2, string_resolve, "s:ss?", rtrim, SIGNATURE_NEVER_NULL)                                     \
    F(space, 1, 1, string_resolve, "s:i", space, SIGNATURE_NEVER_NULL)                                       \
    F(split_part, 3, 3, string_resolve, "s:ssi", split_part, SIGNATURE_MAY_FAIL)                             \
    F(startswith, 2, 2, string_resolve, "z:xx", startswith, SIGNATURE_NEVER_NULL)                            \
    F(substr, 2, 3, string_resolve, "x:xii?", substring, SIGNATURE_NEVER_NULL)                               \
    F(substring, 2, 3, string_resolve, "x:xii?", substring, SIGNATURE_NEVER_NULL)                            \
    F(substring_index, 3, 3, string_resolve, "s:ssi", substring_index, SIGNATURE_NEVER_NULL)                 \
    F(translate, 3, 3, string_resolve, "s:sss", translate, SIGNATURE_NEVER_NULL)                             \
    F(trim, 1, 2, string_resolve, "s:ss?", trim, SIGNATURE_NEVER_NULL)

static const struct weir_signature string_signatures[] = {
#define ROW(name, min, max, resolve, types, kernel, flags) {#name, types, kernel##_kernel, NULL, flags},
    FUNCTIONS(ROW)
#undef ROW
};

static weir_rc
string_resolve(struct weir_resolve *r, struct weir_error *err)
{
    return weir_signature_resolve(r, string_signatures,
                                  sizeof(string_signatures) / sizeof(string_signatures[0]), err);
}

/* Arrays are joined by DuckDB; its || has no result when one is null, as Spark's concat. */
static weir_rc
concat_resolve(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_node *node = r->node;
    char *text;

    if (node->nkids == 0 || node->kids[0]->type->kind != WEIR_ARRAY)
        return string_resolve(r, err);
    if (node->nkids > 9)
        return weir_fail(err, WEIR_UNSUPPORTED, "concat of %u arrays: at most 9 in one call", node->nkids);
    WEIR_TRY(weir_resolve_common(r, 0, node->nkids, &r->type, err));
    r->nullable = false;
    text = weir_mem_strdup(r->mem, "($1");
    for (uint32_t i = 0; i < node->nkids; i++) {
        r->nullable |= node->kids[i]->nullable;
        if (text != NULL && i > 0)
            text = weir_mem_printf(r->mem, "%s || $%u", text, i + 1);
    }
    r->plan.text = text == NULL ? NULL : weir_mem_printf(r->mem, "%s)", text);
    return r->plan.text == NULL ? weir_mem_fail(r->mem, 64, err) : WEIR_OK;
}

/* Each argument is a string or an array of strings. */
static weir_rc
concat_ws_resolve(struct weir_resolve *r, struct weir_error *err)
{
    for (uint32_t i = 1; i < r->node->nkids; i++)
        WEIR_TRY(weir_resolve_want(
            r, i, r->node->kids[i]->type->kind == WEIR_ARRAY ? &weir_type_strings : &weir_type_string, err));
    WEIR_TRY(string_resolve(r, err));
    r->nullable = r->node->kids[0]->nullable;
    return WEIR_OK;
}

static weir_rc
reverse_resolve(struct weir_resolve *r, struct weir_error *err)
{
    if (r->node->kids[0]->type->kind != WEIR_ARRAY)
        return string_resolve(r, err);
    r->type = r->node->kids[0]->type;
    r->nullable = r->node->kids[0]->nullable;
    r->plan.text = "list_reverse($1)";
    return WEIR_OK;
}

const struct weir_function weir_functions_string[] = {
#define ROW(name, min, max, resolve, types, kernel, flags)                                                   \
    {#name, WEIR_FN_SCALAR, min, max, resolve, NULL, NULL},
    FUNCTIONS(ROW)
#undef ROW
        {0},
};
