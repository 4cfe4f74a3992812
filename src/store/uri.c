/* Texts of places: encoding as java.net.URI writes a Hadoop path into Delta and Spark logs, decoding, and the
 * canonical form in which two spellings of a place are compared. Pure functions. */
#include "store/store.h"

#include <string.h>

#include "base/str.h"

static bool
uri_keeps(unsigned char c)
{
    return c > 0x20 && c != 0x7f && strchr("%\"<>#?[]^`{|}\\", c) == NULL;
}

void
weir_uri_encode(const char *key, size_t n, struct weir_buf *buf)
{
    static const char hex[] = "0123456789ABCDEF";

    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)key[i];

        if (uri_keeps(c)) {
            weir_buf_byte(buf, (char)c);
        } else {
            weir_buf_byte(buf, '%');
            weir_buf_byte(buf, hex[c >> 4]);
            weir_buf_byte(buf, hex[c & 15]);
        }
    }
}

static bool
uri_escape(const char *text, size_t n, char *out)
{
    int hi, lo;

    if (n < 3 || text[0] != '%' || (hi = weir_hex_digit(text[1])) < 0 || (lo = weir_hex_digit(text[2])) < 0)
        return false;
    *out = (char)(hi << 4 | lo);
    return true;
}

bool
weir_uri_decode(const char *text, size_t n, struct weir_buf *buf)
{
    size_t start = buf->len;
    char c;

    for (size_t i = 0; i < n; i++) {
        if (text[i] != '%') {
            weir_buf_byte(buf, text[i]);
        } else if (uri_escape(text + i, n - i, &c)) {
            weir_buf_byte(buf, c);
            i += 2;
        } else { /* one broken escape makes the whole text literal, so that nothing is half decoded */
            if (!buf->failed)
                buf->len = start;
            weir_buf_add(buf, text, n);
            return false;
        }
    }
    return true;
}

static void
uri_drop_part(struct weir_buf *buf, size_t start)
{
    if (buf->failed || buf->len == start)
        return;
    while (buf->data[--buf->len] != '/')
        continue;
    buf->data[buf->len] = '\0';
}

/* Appends the parts of path, each with a '/' in front. ".." takes away a part, never one before `start`. */
static void
uri_parts(const char *path, size_t n, struct weir_buf *buf)
{
    size_t start = buf->len;

    for (size_t i = 0; i < n;) {
        size_t end = i;

        while (end < n && path[end] != '/')
            end++;
        if (end - i == 2 && path[i] == '.' && path[i + 1] == '.') {
            uri_drop_part(buf, start);
        } else if (end > i && !(end - i == 1 && path[i] == '.')) {
            weir_buf_byte(buf, '/');
            weir_buf_add(buf, path + i, end - i);
        }
        i = end + 1;
    }
    if (buf->len == start)
        weir_buf_byte(buf, '/');
}

/* Length of "scheme" when text starts with "scheme:", as RFC 3986 spells one; else 0. */
static size_t
uri_scheme(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

        if (c == ':')
            return i;
        if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.')))
            return 0;
    }
    return 0;
}

void
weir_uri_canonical(const char *uri, size_t n, struct weir_buf *buf)
{
    size_t scheme = uri_scheme(uri, n), at = scheme > 0 ? scheme + 1 : 0, host;
    bool file = scheme == 0 || weir_slice_is_nocase(weir_slice(uri, scheme), "file");

    if (file) {
        weir_buf_str(buf, "file://");
    } else if (weir_slice_is_nocase(weir_slice(uri, scheme), "s3a")) {
        weir_buf_str(buf, "s3:");
    } else {
        for (size_t i = 0; i < scheme; i++)
            weir_buf_byte(buf, weir_lower(uri[i]));
        weir_buf_byte(buf, ':');
    }
    if (scheme > 0 && n - at >= 2 && uri[at] == '/' && uri[at + 1] == '/') { /* an authority */
        for (host = at + 2; host < n && uri[host] != '/';)
            host++;
        if (!file)
            weir_buf_add(buf, uri + at, host - at);
        else if (host > at + 2 && !weir_slice_is_nocase(weir_slice(uri + at + 2, host - at - 2), "localhost"))
            weir_buf_add(buf, uri + at + 2, host - at - 2);
        at = host;
    }
    uri_parts(uri + at, n - at, buf);
}

void
weir_store_uri(const struct weir_store *st, const char *key, struct weir_buf *buf)
{
    weir_uri_encode(st->uri, strlen(st->uri), buf);
    if (key[0] != '\0') {
        if (!weir_str_ends(st->uri, "/"))
            weir_buf_byte(buf, '/');
        weir_uri_encode(key, strlen(key), buf);
    }
}
