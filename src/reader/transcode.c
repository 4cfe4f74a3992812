/* Other encodings to UTF-8, by the C library's iconv.
 *
 * 1. A byte order mark at the front is dropped. Without one, UTF-16 and UTF-32 are big-endian, as in Java.
 * 2. Bytes that are no text in the encoding become U+FFFD, one for each unit, as Java's decoder has it. */
#include <errno.h>
#include <iconv.h>
#include <string.h>
#include <strings.h>

#include "reader/reader_int.h"

#define NOT_OPEN ((iconv_t)-1)

struct transcode {
    iconv_t cd;
    char encoding[32];
    unsigned unit; /* bytes to skip at one that is no text */
    bool marked;   /* the mark in front is still to be looked at: it says the byte order */
    bool first;    /* no character has come yet */
};

static const char *const replacement = "\xef\xbf\xbd";
static const char *const mark = "\xef\xbb\xbf";

static weir_rc
transcode_open(struct transcode *t, const char *order, struct weir_error *err)
{
    char name[sizeof(t->encoding) + 4];

    snprintf(name, sizeof(name), "%s%s", t->encoding, order);
    t->cd = iconv_open("UTF-8", name);
    if (t->cd != NOT_OPEN)
        return WEIR_OK;
    weir_fail(err, WEIR_USAGE, "encoding %s is not known", t->encoding);
    return weir_error_hint(err, "UTF-8, UTF-16LE, UTF-16BE, UTF-32LE, ISO-8859-1 and what `iconv -l` lists");
}

weir_rc
transcode_new(const char *encoding, struct transcode **out, struct weir_error *err)
{
    struct transcode *t;
    weir_rc rc;

    *out = NULL;
    if (encoding == NULL || strcasecmp(encoding, "UTF-8") == 0 || strcasecmp(encoding, "UTF8") == 0)
        return WEIR_OK;
    t = calloc(1, sizeof(*t));
    if (t == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory to change the encoding");
    snprintf(t->encoding, sizeof(t->encoding), "%s", encoding);
    t->cd = NOT_OPEN;
    t->first = true;
    t->unit = strncasecmp(encoding, "UTF-16", 6) == 0 ? 2 : strncasecmp(encoding, "UTF-32", 6) == 0 ? 4 : 1;
    t->marked = t->unit > 1 && encoding[6] == '\0';
    rc = transcode_open(t, t->marked ? "BE" : "", err);
    if (rc == WEIR_OK)
        *out = t;
    else
        transcode_free(t);
    return rc;
}

void
transcode_free(struct transcode *t)
{
    if (t == NULL)
        return;
    if (t->cd != NOT_OPEN)
        iconv_close(t->cd);
    free(t);
}

/* The text begins with n bytes at p. A little-endian mark turns the order round. */
static weir_rc
transcode_order(struct transcode *t, const char *p, size_t n, struct weir_error *err)
{
    bool little = n >= t->unit && memcmp(p, "\xff\xfe\0\0", t->unit) == 0;

    t->marked = false;
    if (!little)
        return WEIR_OK;
    iconv_close(t->cd);
    return transcode_open(t, "LE", err);
}

/* Drops the mark that the first characters, *n bytes at p, may begin with. */
static void
transcode_unmark(struct transcode *t, char *p, size_t *n)
{
    if (!t->first || *n == 0)
        return;
    t->first = false;
    if (*n < strlen(mark) || memcmp(p, mark, strlen(mark)) != 0)
        return;
    *n -= strlen(mark);
    memmove(p, p + strlen(mark), *n);
}

weir_rc
transcode_step(struct transcode *t, const char **in, size_t *n, bool eof, char *p, size_t room, size_t *got,
               struct weir_error *err)
{
    char *from = (char *)(uintptr_t)*in, *to = p;
    size_t left = room;

    *got = 0;
    if (*n == 0)
        return eof ? WEIR_END : WEIR_OK;
    if (t->marked && *n < t->unit && !eof)
        return WEIR_OK;
    if (t->marked)
        WEIR_TRY(transcode_order(t, *in, *n, err));
    while (*n > 0 && left > strlen(replacement)) {
        if (iconv(t->cd, &from, n, &to, &left) != (size_t)-1 || errno == E2BIG)
            break;
        if (errno == EINVAL && !eof)
            break; /* a character is cut: the rest comes with the next bytes */
        if (errno != EINVAL && errno != EILSEQ)
            return weir_fail_os(err, WEIR_IO, errno, "text in encoding %s could not be read", t->encoding);
        memcpy(to, replacement, strlen(replacement));
        to += strlen(replacement);
        left -= strlen(replacement);
        from += *n < t->unit ? *n : t->unit;
        *n -= *n < t->unit ? *n : t->unit;
    }
    *in = from;
    *got = (size_t)(to - p);
    transcode_unmark(t, p, got);
    return WEIR_OK;
}
