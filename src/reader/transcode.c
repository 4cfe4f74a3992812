/* Other encodings to UTF-8, by the C library's iconv. A byte order mark at the front is dropped. Bytes that are no
 * text in the encoding become U+FFFD, one for each, as Java's decoder has it. */
#include <errno.h>
#include <iconv.h>
#include <string.h>
#include <strings.h>

#include "reader/reader_int.h"

struct transcode {
    iconv_t cd;
    char encoding[32];
    unsigned unit; /* bytes to skip at one that is no text */
    bool first;
};

weir_rc
transcode_new(const char *encoding, struct transcode **out, struct weir_error *err)
{
    struct transcode *t;

    *out = NULL;
    if (encoding == NULL || strcasecmp(encoding, "UTF-8") == 0 || strcasecmp(encoding, "UTF8") == 0)
        return WEIR_OK;
    t = calloc(1, sizeof(*t));
    if (t == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory to change the encoding");
    snprintf(t->encoding, sizeof(t->encoding), "%s", encoding);
    t->first = true;
    t->unit = strncasecmp(encoding, "UTF-16", 6) == 0 ? 2 : strncasecmp(encoding, "UTF-32", 6) == 0 ? 4 : 1;
    t->cd = iconv_open("UTF-8", encoding);
    if (t->cd == (iconv_t)-1) {
        free(t);
        weir_fail(err, WEIR_USAGE, "encoding %s is not known", encoding);
        return weir_error_hint(err, "UTF-8, UTF-16LE, UTF-16BE, UTF-32LE, ISO-8859-1 and what `iconv -l` lists");
    }
    *out = t;
    return WEIR_OK;
}

void
transcode_free(struct transcode *t)
{
    if (t == NULL)
        return;
    iconv_close(t->cd);
    free(t);
}

static const char *const replacement = "\xef\xbf\xbd";

weir_rc
transcode_step(struct transcode *t, const char **in, size_t *n, bool eof, char *p, size_t room, size_t *got,
               struct weir_error *err)
{
    char *from = (char *)(uintptr_t)*in, *to = p;
    size_t left = room;

    *got = 0;
    if (*n == 0)
        return eof ? WEIR_END : WEIR_OK;
    while (*n > 0 && left > 3) {
        if (iconv(t->cd, &from, n, &to, &left) != (size_t)-1 || errno == E2BIG)
            break;
        if (errno == EINVAL && !eof)
            break; /* a character is cut: the rest comes with the next bytes */
        if (errno != EINVAL && errno != EILSEQ)
            return weir_fail_os(err, WEIR_IO, errno, "text in encoding %s could not be read", t->encoding);
        memcpy(to, replacement, 3);
        to += 3;
        left -= 3;
        from += *n < t->unit ? *n : t->unit;
        *n -= *n < t->unit ? *n : t->unit;
    }
    *in = from;
    *got = (size_t)(to - p);
    if (t->first && *got >= 3) {
        t->first = false;
        if (memcmp(p, "\xef\xbb\xbf", 3) == 0) {
            memmove(p, p + 3, *got - 3);
            *got -= 3;
        }
    }
    return WEIR_OK;
}
