/* Where records begin and end.
 *
 * LINES, CUSTOM   a line is a run of records: Spark takes one value from it, or the elements of one array,
 *                 and forgets the rest of the line; here the rest is the next record.
 * STREAM          (multiLine) the object is a run of values; the elements of a top-level array are records.
 *                 Spark takes the first value only.
 *
 * 1. A record's end is found in two ways that must agree: by the decoder's parser where the record is good,
 *    and by border_next(), which knows only brackets, quotes and comments, where it is not; the cutter uses
 *    the second alone. So a malformed element costs itself and not its neighbours, and blocks can be cut
 *    anywhere.
 * 2. border_next()'s state is a struct weir_cut_state: constant size whatever the object's length.
 * 3. A text is parsed where it stands when a byte stops the parser at its end (json_int.h, 1.); otherwise a
 *    copy with a NUL behind it is parsed.
 * 4. Every walk_next(), took() or broken() moves on or ends: no input loops. */
#include "codec/json_int.h"

#include "base/str.h"

/* weir_cut_state.mode, json_walk.place */
enum {
    JSON_TOP,   /* between values */
    JSON_VALUE, /* in a top-level array, behind its [ or a comma */
    JSON_NEXT,  /* in it, behind an element */
    JSON_OPEN   /* walk only: in it, and all bytes are used up; there is still to say that it is not closed */
};

/* weir_cut_state.more[0] */
enum {
    COMMENT_NONE,
    COMMENT_SLASH, /* the slash that may begin one */
    COMMENT_LINE,
    COMMENT_BLOCK,
    COMMENT_STAR /* a star in a block */
};

/* A byte of something stands between two commas of the top-level array. */
static void
element_begins(struct weir_cut_state *st)
{
    if (st->depth == 0 && st->mode == JSON_VALUE)
        st->mode = JSON_NEXT;
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* In a comment, or perhaps: moves the state over c. false: c is no part of a comment. */
static bool
comment_byte(struct weir_cut_state *st, char c)
{
    switch (st->more[0]) {
    case COMMENT_SLASH:
        st->more[0] = c == '/' ? COMMENT_LINE : c == '*' ? COMMENT_BLOCK : COMMENT_NONE;
        if (st->more[0] == COMMENT_NONE)
            element_begins(st);
        return st->more[0] != COMMENT_NONE;
    case COMMENT_LINE:
        if (c == '\n' || c == '\r')
            st->more[0] = COMMENT_NONE;
        return true;
    case COMMENT_BLOCK:
        if (c == '*')
            st->more[0] = COMMENT_STAR;
        return true;
    case COMMENT_STAR:
        st->more[0] = c == '/' ? COMMENT_NONE : c == '*' ? COMMENT_STAR : COMMENT_BLOCK;
        return true;
    default:
        return false;
    }
}

/* Behind the string that the state is in, or end. Steps over escapes; a raw control byte does not end a
 * string here. */
static const char *
string_skip(struct weir_cut_state *st, const char *p, const char *end)
{
    for (; p < end; p++) {
        if (st->escape)
            st->escape = 0;
        else if (*p == '\\')
            st->escape = 1;
        else if (*p == (char)st->in_string) {
            st->in_string = 0;
            return p + 1;
        }
    }
    return end;
}

/* A bracket, comma or other byte outside strings and comments. true: a record ends behind it; *before: in
 * front. */
static bool
border_byte(struct weir_cut_state *st, char c, bool *before)
{
    *before = false;
    switch (c) {
    case '{':
    case '[':
        if (st->depth == 0 && st->mode == JSON_TOP && c == '[')
            st->mode = JSON_VALUE;
        else
            st->depth++;
        return false;
    case '}':
    case ']':
        if (st->depth > 0) {
            if (--st->depth > 0)
                return false;
            if (st->mode != JSON_TOP)
                st->mode = JSON_NEXT;
            return true;
        }
        *before = c == ']' && st->mode != JSON_TOP;
        if (!*before)
            element_begins(st); /* a value that is none */
        return *before;
    case ',':
        *before = st->depth == 0 && st->mode != JSON_TOP;
        return *before;
    default:
        if (!is_blank(c))
            element_begins(st);
        return false;
    }
}

/* The byte at the border itself belongs to no record: steps over the comma or the array's end. */
static void
border_pass(struct weir_cut_state *st, char c)
{
    st->mode = c == ',' ? JSON_VALUE : JSON_TOP;
}

/* The next end of a record in p .. end, or NULL. *at_mark: it is in front of a comma or the array's ], which
 * border_pass() steps over. Between values outside of arrays quotes mean nothing: no value can be there. */
static const char *
border_next(const struct json_options *opt, struct weir_cut_state *st, const char *p, const char *end,
            bool *at_mark)
{
    while (p < end) {
        char c = *p;

        if (st->in_string) {
            p = string_skip(st, p, end);
            continue;
        }
        if (st->more[0] != COMMENT_NONE && comment_byte(st, c)) {
            p++;
            continue;
        }
        if (c == '/' && opt->comments) {
            st->more[0] = COMMENT_SLASH;
            p++;
            continue;
        }
        if (border_byte(st, c, at_mark))
            return *at_mark ? p : p + 1;
        if ((c == '"' || (c == '\'' && opt->single_quotes)) && (st->depth > 0 || st->mode != JSON_TOP))
            st->in_string = (uint8_t)c;
        p++;
    }
    return NULL;
}

static size_t
cut_stream(const struct json_options *opt, struct weir_cut_state *st, const char *p, size_t n)
{
    struct weir_cut_state run = *st, cut;
    const char *at = p + st->scanned, *end = p + n - (n > 0), *last = NULL; /* a byte waits: never all of p */
    bool mark;

    run.scanned = 0;
    while ((at = border_next(opt, &run, at, end, &mark)) != NULL) {
        if (at > p) {
            last = at;
            cut = run;
        }
        if (mark)
            border_pass(&run, *at++);
    }
    if (last == NULL) {
        *st = run;
        st->scanned = (uint64_t)(end - p);
        return 0;
    }
    *st = cut;
    return (size_t)(last - p);
}

/* Behind the last line end. A \r that is the last byte may be half of a \r\n: it waits. */
static size_t
cut_lines(const struct json_options *opt, struct weir_cut_state *st, const char *p, size_t n)
{
    size_t from = st->scanned > 0 ? (size_t)st->scanned - 1 : 0;
    const char *lf = memrchr(p + from, '\n', n - from), *cr = NULL;

    if (opt->cr_ends && n > 0) {
        size_t behind = lf == NULL ? from : (size_t)(lf + 1 - p);

        if (behind + 1 < n)
            cr = memrchr(p + behind, '\r', n - 1 - behind);
    }
    if (cr == NULL)
        cr = lf;
    st->scanned = cr == NULL ? n : 0;
    return cr == NULL ? 0 : (size_t)(cr + 1 - p);
}

static size_t
cut_custom(const struct json_options *opt, struct weir_cut_state *st, const char *p, size_t n)
{
    size_t from = st->scanned >= opt->sep_len ? (size_t)st->scanned - opt->sep_len + 1 : 0, last = 0;
    const char *at;

    while ((at = memmem(p + from, n - from, opt->line_sep, opt->sep_len)) != NULL)
        last = from = (size_t)(at - p) + opt->sep_len;
    st->scanned = last == 0 ? n : 0;
    return last;
}

size_t
weir_json_cut(const void *opt_, struct weir_cut_state *st, const char *p, size_t n, bool eof)
{
    const struct json_options *opt = opt_;

    if (eof) {
        st->scanned = 0;
        return n;
    }
    switch (opt->framing) {
    case JSON_LINES:
        return cut_lines(opt, st, p, n);
    case JSON_CUSTOM:
        return cut_custom(opt, st, p, n);
    default:
        return cut_stream(opt, st, p, n);
    }
}

/* ---- Walking over records */

static bool
walk_has_lines(const struct json_walk *w)
{
    return w->text.opt->framing != JSON_STREAM && !w->message;
}

static bool
walk_at_line_end(const struct json_walk *w, const char *p)
{
    return p >= w->text.end || (w->text.lines && (*p == '\n' || (*p == '\r' && w->text.cr_ends)));
}

static weir_rc
walk_copy(struct json_walk *w, const char *p, const char *end, struct weir_error *err)
{
    size_t n = (size_t)(end - p);
    char *copy = weir_mem_alloc(w->mem, n + WEIR_BLOCK_PAD);

    if (copy == NULL)
        return weir_mem_fail(w->mem, n + WEIR_BLOCK_PAD, err);
    memcpy(copy, p, n);
    memset(copy + n, 0, WEIR_BLOCK_PAD);
    w->raw = p;
    w->base = w->p = copy;
    w->text.end = copy + n;
    return WEIR_OK;
}

/* CUSTOM: the line at raw becomes the text at hand. */
static weir_rc
walk_custom_line(struct json_walk *w, const char *raw, struct weir_error *err)
{
    const struct json_options *opt = w->text.opt;
    const char *sep = memmem(raw, (size_t)(w->in->end - raw), opt->line_sep, opt->sep_len);

    return walk_copy(w, raw, sep == NULL ? w->in->end : sep, err);
}

static bool
is_sealed(const struct json_walk *w, const struct weir_records *in)
{
    return *in->end == '\0' || (in->at < in->end && in->end[-1] == '\n' && w->text.lines);
}

weir_rc
weir_json_walk_open(struct json_walk *w, const struct json_options *opt, struct weir_records *in,
                    bool message, struct weir_mem *mem, struct weir_error *err)
{
    *w = (struct json_walk){.in = in, .mem = mem, .message = message, .place = in->entry.mode};
    weir_json_text_init(&w->text, opt, in->end, opt->framing == JSON_LINES && !message);
    w->p = w->base = w->raw = in->at;
    if (in->first && !message && in->end - in->at >= 3 && memcmp(in->at, "\xef\xbb\xbf", 3) == 0)
        w->p += 3;
    in->first = false;
    if (opt->framing == JSON_CUSTOM && !message)
        WEIR_TRY(walk_custom_line(w, w->p, err));
    else if (!is_sealed(w, in))
        WEIR_TRY(walk_copy(w, w->p, in->end, err));
    w->line = in->entry.seen ? NULL : w->p;
    if (w->place == JSON_OPEN)
        w->p = w->text.end;
    return WEIR_OK;
}

static const char *
walk_raw(const struct json_walk *w, const char *p)
{
    return w->raw + (p - w->base);
}

int64_t
weir_json_walk_offset(const struct json_walk *w, const char *p)
{
    return w->in->offset + (walk_raw(w, p) - w->in->at);
}

void
weir_json_walk_close(struct json_walk *w)
{
    const char *at = walk_raw(w, w->p);

    if (at == w->in->end && w->place != JSON_TOP && (walk_has_lines(w) || w->in->last)) {
        w->place = JSON_OPEN; /* the page was full: so that we are called again, a byte is left */
        at--;
    }
    w->in->offset += at - w->in->at;
    w->in->at = at;
    w->in->entry.mode = w->place;
    w->in->entry.seen = w->line == NULL;
}

/* From the line end at p to the next line, if there is one. */
static weir_rc
walk_next_line(struct json_walk *w, bool *more, struct weir_error *err)
{
    const char *raw = walk_raw(w, w->text.end);

    *more = true;
    if (w->p < w->text.end) {
        w->p += w->p[0] == '\r' && w->p + 1 < w->text.end && w->p[1] == '\n' ? 2 : 1;
    } else if (w->text.opt->framing == JSON_CUSTOM && !w->message && raw < w->in->end) {
        WEIR_TRY(walk_custom_line(w, raw + w->text.opt->sep_len, err));
    } else {
        *more = false;
        w->p = w->text.end;
        w->line = NULL;
        return WEIR_OK;
    }
    w->line = w->p;
    return WEIR_OK;
}

/* At the end of a line or of the text. *found: *step is the answer. */
static weir_rc
walk_line_ends(struct json_walk *w, json_step *step, bool *found, struct weir_error *err)
{
    const char *line = w->line;
    bool lines = walk_has_lines(w), some = w->line != NULL && w->p > w->line, more;

    *found = true;
    if (w->place != JSON_TOP && (lines || w->in->last)) {
        w->text.why = "an array is not closed";
        *step = JSON_BROKEN; /* broken() leaves the array, then we come here again */
        return WEIR_OK;
    }
    WEIR_TRY(walk_next_line(w, &more, err));
    *step = lines && line != NULL && (more || some) ? JSON_BLANK : JSON_END;
    *found = *step == JSON_BLANK || !more;
    return WEIR_OK;
}

/* A byte of a record or a mark of the top-level array at p. true: *step is the answer. */
static bool
walk_byte(struct json_walk *w, json_step *step)
{
    char c = *w->p;

    *step = JSON_RECORD;
    w->whole = w->place == JSON_TOP ? w->line : NULL;
    if (w->message)
        return true;
    switch (w->place) {
    case JSON_TOP:
        if (c != '[')
            return true;
        w->place = JSON_VALUE;
        break;
    case JSON_VALUE:
        if (c != ']')
            return true;
        w->place = JSON_TOP;
        break;
    default:
        if (c != ',' && c != ']') {
            w->text.why = "a comma or ] was expected";
            *step = JSON_BROKEN;
            return true;
        }
        w->place = c == ',' ? JSON_VALUE : JSON_TOP;
        break;
    }
    w->p++;
    return false;
}

weir_rc
weir_json_walk_next(struct json_walk *w, json_step *step, struct weir_error *err)
{
    bool found = false;

    while (!found) {
        w->p = json_blanks(&w->text, w->p);
        if (walk_at_line_end(w, w->p))
            WEIR_TRY(walk_line_ends(w, step, &found, err));
        else
            found = walk_byte(w, step);
    }
    return WEIR_OK;
}

void
weir_json_walk_took(struct json_walk *w, const char *end)
{
    w->p = end;
    w->line = NULL;
    if (w->place != JSON_TOP)
        w->place = JSON_NEXT;
}

/* The end of the line that p is in. */
static const char *
walk_line_end(const struct json_walk *w, const char *p)
{
    const char *end = w->text.end;

    if (!w->text.lines || p >= end)
        return end;
    if (w->text.cr_ends)
        return w->text.scan->line(p, end);
    p = memchr(p, '\n', (size_t)(end - p));
    return p == NULL ? end : p;
}

struct weir_slice
weir_json_walk_text(const struct json_walk *w, const char *start)
{
    struct json_text t = w->text;
    const char *end = w->p;

    if (w->message)
        return weir_slice(w->base, (size_t)(w->text.end - w->base));
    if (w->whole != NULL && walk_has_lines(w)) {
        const char *rest = json_blanks(&t, end);

        if (walk_at_line_end(w, rest)) {
            start = w->whole;
            end = rest;
        }
    }
    return weir_slice(start, (size_t)(end - start));
}

/* STREAM, between values: text that begins none, up to where one may begin. */
static const char *
walk_garbage_end(const struct json_walk *w, const char *p)
{
    struct weir_cut_state st = {0};

    for (p++; p < w->text.end; p++) {
        if (st.more[0] != COMMENT_NONE && comment_byte(&st, *p))
            continue;
        if (*p == '{' || *p == '[')
            break;
        if (*p == '/' && w->text.opt->comments)
            st.more[0] = COMMENT_SLASH;
    }
    return p;
}

/* Where a malformed value at p gives way to the next; w->place is set for there. */
static const char *
walk_resync(struct json_walk *w, const char *p)
{
    const char *limit = walk_line_end(w, p), *end;
    struct weir_cut_state st = {.mode = w->place};
    bool mark;

    if (w->place == JSON_TOP) {
        if (walk_has_lines(w) || w->message)
            return limit;
        if (*p != '{')
            return walk_garbage_end(w, p);
    }
    end = border_next(w->text.opt, &st, p, limit, &mark);
    if (w->place != JSON_TOP)
        w->place = end != NULL || !(walk_has_lines(w) || w->in->last) ? JSON_NEXT : JSON_TOP;
    return end == NULL ? limit : end;
}

struct weir_slice
weir_json_walk_broken(struct json_walk *w, const char *start)
{
    bool line = w->whole != NULL && walk_has_lines(w);
    const char *from = w->message ? w->base : line ? w->whole : start, *end;

    if (walk_at_line_end(w, start)) { /* the array that is not closed */
        w->place = JSON_TOP;
        from = start;
    } else {
        w->p = walk_resync(w, start);
    }
    w->line = NULL;
    end = w->p;
    while (!line && !w->message && end > from && is_blank(end[-1]))
        end--;
    return weir_slice(from, (size_t)(end - from));
}
