/* parse_url: parts of a URI as java.net.URI has them (RFC 2396 with that class's deviations, RFC 2732).
 *
 * 1. Parts come as they are written, escapes and all.
 * 2. What java.net.URI refuses is an error of the row; try_parse_url has a null for it, and so has parse_url
 *    when spark.sql.ansi.enabled is off.
 * 3. An authority that names no server (registry-based) has no host and no user. */
#include "sql/fn_text.h"
#include "sql/regex.h"

struct uri { /* ptr NULL: the part is not there */
    struct weir_slice scheme, authority, user, host, path, query, fragment;
};

/* ---- Characters */

enum { CHAR_ESCAPED = 1 }; /* and %XX, and characters beyond ASCII */

#define MARKS "-_.!~*'()"
#define PATH_MORE MARKS ":@&=+$,;/"
#define URIC_MORE MARKS ";/?:@&=+$,[]"
#define USER_MORE MARKS ";:&=+$,"
#define REG_MORE MARKS "$,;:@&=+"
#define SERVER_MORE USER_MORE ".:@[]-"

static bool
is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Java's isSpaceChar and isISOControl beyond ASCII. */
static bool
is_blank_point(uint32_t c)
{
    return c <= 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
           c == 0x202f || c == 0x205f || c == 0x3000;
}

/* Behind the letters, digits, characters of `more` and, when so asked, escapes from p on. */
static const char *
run_skip(const char *p, const char *end, const char *more, bool escapes)
{
    while (p < end) {
        if (is_alpha(*p) || is_digit(*p) || (*p != '\0' && strchr(more, *p) != NULL)) {
            p++;
        } else if (escapes && *p == '%' && end - p >= 3 && is_hex(p[1]) && is_hex(p[2])) {
            p += 3;
        } else if (escapes && (unsigned char)*p >= 0x80) {
            const char *at = p;

            if (is_blank_point(weir_utf8_get(&p)))
                return at;
        } else {
            break;
        }
    }
    return p;
}

/* The first of `stops` from p on, or end. */
static const char *
find(const char *p, const char *end, const char *stops)
{
    while (p < end && (*p == '\0' || strchr(stops, *p) == NULL))
        p++;
    return p;
}

static bool
part_take(struct weir_slice *part, const char *from, const char *to, const char *more)
{
    *part = weir_slice(from, (size_t)(to - from));
    return run_skip(from, to, more, true) == to;
}

/* ---- Servers */

/* Up to eight groups of hexadecimal digits, one "::" for groups of zeros, the last two maybe as an IPv4
 * address. */
static bool
is_ipv6(const char *p, const char *end)
{
    int groups = 0, gaps = 0;

    if (end - p >= 2 && p[0] == ':' && p[1] != ':')
        return false;
    while (p < end) {
        const char *from = p;

        if (end - p >= 2 && p[0] == ':' && p[1] == ':') {
            gaps++;
            p += 2;
            continue;
        }
        if (*p == ':' && groups > 0 && p + 1 < end)
            from = ++p;
        while (p < end && is_hex(*p))
            p++;
        if (p < end && *p == '.') {
            for (int dots = 0; p < end; p++)
                if (!is_digit(*p) && !(*p == '.' && ++dots <= 3))
                    return false;
            groups++;
        }
        if (p == from || (p - from > 4 && memchr(from, '.', (size_t)(p - from)) == NULL))
            return false;
        groups++;
    }
    return gaps == 0 ? groups == 8 : gaps == 1 && groups < 8;
}

/* Behind four numbers up to 255 with points between that end there or at a colon; NULL: none. */
static const char *
ipv4_skip(const char *p, const char *end)
{
    for (int i = 0; i < 4; i++) {
        const char *from = p;
        int v = 0;

        while (p < end && is_digit(*p) && p - from < 3)
            v = v * 10 + (*p++ - '0');
        if (p == from || v > 255 || (p < end && is_digit(*p)))
            return NULL;
        if (i < 3 && (p == end || *p++ != '.'))
            return NULL;
    }
    return p == end || *p == ':' ? p : NULL;
}

/* Labels of letters, digits and inner dashes; the last of several begins with a letter. */
static const char *
hostname_skip(const char *p, const char *end)
{
    const char *start = p, *label = NULL, *q;

    while (p < end) {
        q = run_skip(p, end, "", false);
        if (q == p)
            break;
        label = p;
        p = run_skip(q, end, "-", false);
        if (p[-1] == '-')
            return NULL;
        if (p == end || *p != '.')
            break;
        p++;
    }
    if (label == NULL || (p < end && *p != ':') || (label > start && !is_alpha(*label)))
        return NULL;
    return p;
}

static const char *
host_skip(const char *p, const char *end)
{
    const char *close, *scope, *q;

    if (*p != '[') {
        q = ipv4_skip(p, end);
        return q != NULL ? q : hostname_skip(p, end);
    }
    close = find(p, end, "/?#]");
    if (close == end || *close != ']')
        return NULL;
    scope = find(p, close, "%");
    if (!is_ipv6(p + 1, scope) ||
        (scope < close && (scope + 1 == close || run_skip(scope + 1, close, "_.", false) != close)))
        return NULL;
    return close + 1;
}

/* [user@]host[:port]. false: no server. */
static bool
server_read(struct uri *uri, const char *p, const char *end)
{
    const char *at = find(p, end, "/?#@"), *q;
    struct weir_slice user = {NULL, 0};
    int64_t port;

    if (at < end && *at == '@') {
        if (!part_take(&user, p, at, USER_MORE))
            return false;
        p = at + 1;
    }
    if (p == end || (q = host_skip(p, end)) == NULL)
        return false;
    uri->host = weir_slice(p, (size_t)(q - p));
    if (q < end && *q == ':') {
        if (++q < end &&
            (!weir_parse_int(weir_slice(q, (size_t)(end - q)), &port) || !is_digit(*q) || port > INT32_MAX))
            return false;
        q = end;
    }
    uri->user = user;
    return q == end;
}

static bool
authority_read(struct uri *uri, const char *p, const char *end)
{
    bool six = find(p, end, "]") < end;
    bool server = run_skip(p, end, six ? SERVER_MORE "%" : SERVER_MORE, true) == end;
    bool registry = run_skip(p, end, REG_MORE, true) == end;

    uri->authority = weir_slice(p, (size_t)(end - p));
    if (server && server_read(uri, p, end))
        return true;
    uri->host = uri->user = weir_slice(NULL, 0);
    return registry;
}

/* [//authority]path[?query]; *p_ moves behind it. */
static bool
hierarchy_read(struct uri *uri, const char **p_, const char *end)
{
    const char *p = *p_, *q;

    if (end - p >= 2 && p[0] == '/' && p[1] == '/') {
        p += 2;
        q = find(p, end, "/?#");
        if (q == p ? q == end : !authority_read(uri, p, q))
            return false;
        p = q;
    }
    q = find(p, end, "?#");
    if (!part_take(&uri->path, p, q, PATH_MORE))
        return false;
    p = q;
    if (p < end && *p == '?') {
        q = find(++p, end, "#");
        if (!part_take(&uri->query, p, q, URIC_MORE))
            return false;
        p = q;
    }
    *p_ = p;
    return true;
}

/* false: no URI. */
static bool
uri_read(struct weir_slice s, struct uri *uri)
{
    const char *p = s.ptr, *end = s.ptr + s.len, *q = find(p, end, "/?#:");
    struct weir_slice opaque;

    *uri = (struct uri){0};
    if (q < end && *q == ':') {
        if (q == p || !is_alpha(*p) || run_skip(p, q, "+-.", false) != q)
            return false;
        uri->scheme = weir_slice(p, (size_t)(q - p));
        p = q + 1;
    }
    if (uri->scheme.ptr != NULL && (p == end || *p != '/')) {
        q = find(p, end, "#");
        if (q == p || !part_take(&opaque, p, q, URIC_MORE))
            return false;
        p = q;
    } else if (!hierarchy_read(uri, &p, end)) {
        return false;
    }
    return p == end || part_take(&uri->fragment, p + 1, end, URIC_MORE);
}

/* ---- parse_url */

static const struct {
    const char *name;
    size_t offset;
} parts[] = {
    {"HOST", offsetof(struct uri, host)},       {"PATH", offsetof(struct uri, path)},
    {"QUERY", offsetof(struct uri, query)},     {"REF", offsetof(struct uri, fragment)},
    {"PROTOCOL", offsetof(struct uri, scheme)}, {"AUTHORITY", offsetof(struct uri, authority)},
    {"USERINFO", offsetof(struct uri, user)},
};

/* The value of a parameter. Its name is a regular expression: so is Spark's. */
static weir_rc
parameter_put(const struct fn_row *r, struct weir_slice query)
{
    struct weir_slice key = row_str(r, 2), text;
    struct weir_regex *re;
    struct weir_match m;
    bool found;

    text.ptr = weir_mem_printf(r->call->mem, "(&|^)%.*s=([^&]*)", (int)key.len, key.ptr);
    if (text.ptr == NULL)
        return weir_mem_fail(r->call->mem, key.len, r->err);
    text.len = key.len + strlen("(&|^)=([^&]*)");
    WEIR_TRY(weir_regex_compile(text, r->call->mem, &re, r->err));
    WEIR_TRY(weir_match_new(re, r->call->mem, &m, r->err));
    WEIR_TRY(weir_regex_find(re, &m, query, 0, &found, r->err));
    if (!found || weir_regex_groups(re) < 2 || m.span[4] == SIZE_MAX)
        return row_put_null(r);
    return row_put(r, query.ptr + m.span[4], m.span[5] - m.span[4]);
}

/* FILE is the path and the query, which stand side by side. */
static weir_rc
file_put(const struct fn_row *r, const struct uri *uri)
{
    if (uri->path.ptr == NULL)
        return row_put_null(r);
    return row_put(r, uri->path.ptr, uri->path.len + (uri->query.ptr != NULL ? 1 + uri->query.len : 0));
}

static weir_rc
parse_url_row(const struct fn_row *r)
{
    struct weir_slice s = row_str(r, 0), part = row_str(r, 1), value = {NULL, 0};
    struct uri uri;

    if (row_has(r, 2) && !weir_slice_is(part, "QUERY"))
        return row_put_null(r);
    if (!uri_read(s, &uri))
        return !r->call->set->ansi
                   ? row_put_null(r)
                   : row_bad(r, "INVALID_URL", "'%.*s' is no URL; use try_parse_url", WEIR_SHOW(s));
    if (weir_slice_is(part, "FILE"))
        return file_put(r, &uri);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (weir_slice_is(part, parts[i].name))
            memcpy(&value, (const char *)&uri + parts[i].offset, sizeof(value));
    if (value.ptr == NULL)
        return row_put_null(r);
    return row_has(r, 2) ? parameter_put(r, value) : row_put(r, value.ptr, value.len);
}
WEIR_KERNEL(parse_url)

static const struct weir_signature url_signatures[] = {
    {"parse_url", "s:sss?", parse_url_kernel, NULL, SIGNATURE_MAY_FAIL},
    {"try_parse_url", "s:sss?", parse_url_kernel, NULL, SIGNATURE_TRY},
};

static weir_rc
url_resolve(struct weir_resolve *r, struct weir_error *err)
{
    return weir_signature_resolve(r, url_signatures, sizeof(url_signatures) / sizeof(url_signatures[0]), err);
}

const struct weir_function weir_functions_string_url[] = {
    {"parse_url", WEIR_FN_SCALAR, 2, 3, url_resolve, NULL, NULL},
    {"try_parse_url", WEIR_FN_SCALAR, 2, 3, url_resolve, NULL, NULL},
    {0},
};
