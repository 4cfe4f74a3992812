/* Globs by expansion of braces and a matcher with one point to go back to.
 *
 * 1. An alternative is well formed once compiled: every '[' has its ']', no '\' stands at the end. So the matcher
 *    needs no bounds check but the text's and the pattern's NUL.
 * 2. Going back to the last '*' only is enough: a later star can do whatever an earlier one could (a classic of
 *    wildcard matching), so time is bounded by |pattern| x |text|.
 * Follows org.apache.hadoop.fs.GlobPattern and GlobExpander. */
#include "source/glob.h"

#include <string.h>

#include "base/buf.h"

enum { GLOB_ALTS_MAX = 1024, GLOB_TEXT_MAX = 4096 };

size_t
weir_glob_base(const char *path)
{
    const char *special = strpbrk(path, "{}[]*?\\");
    size_t n;

    if (special == NULL)
        return strlen(path);
    for (n = (size_t)(special - path); n > 0 && path[n - 1] != '/';)
        n--;
    return n > 0 ? n - 1 : 0;
}

/* The next character of a pattern as it stands there: "\x" and "[…]" count as one. */
static size_t
glob_step(const char *p)
{
    size_t n = 1;

    if (*p == '\\')
        return p[1] != '\0' ? 2 : 1;
    if (*p != '[')
        return 1;
    if (p[n] == '^' || p[n] == '!')
        n++;
    if (p[n] == ']') /* a ']' in the first place is itself */
        n++;
    while (p[n] != '\0' && p[n] != ']')
        n += p[n] == '\\' && p[n + 1] != '\0' ? 2 : 1;
    return p[n] == ']' ? n + 1 : 0;
}

static weir_rc
glob_check(const char *pattern, struct weir_error *err)
{
    size_t depth = 0, n;

    if (strlen(pattern) > GLOB_TEXT_MAX)
        return weir_fail(err, WEIR_USAGE, "a pattern of more than %d bytes", GLOB_TEXT_MAX);
    for (const char *p = pattern; *p != '\0'; p += n) {
        n = glob_step(p);
        if (n == 0)
            return weir_fail(err, WEIR_USAGE, "pattern %s: the [ at byte %zu has no ]", pattern,
                             (size_t)(p - pattern));
        if (*p == '\\' && n == 1)
            return weir_fail(err, WEIR_USAGE, "pattern %s: nothing follows the \\ at its end", pattern);
        depth += *p == '{';
        if (*p == '}' && depth-- == 0)
            return weir_fail(err, WEIR_USAGE, "pattern %s: the } at byte %zu has no {", pattern,
                             (size_t)(p - pattern));
    }
    return depth == 0 ? WEIR_OK : weir_fail(err, WEIR_USAGE, "pattern %s: a { has no }", pattern);
}

/* The first '{' of p, the commas of its level and its '}'; false: no braces. */
struct glob_brace {
    const char *open, *close;
    const char *parts[GLOB_ALTS_MAX + 1]; /* starts; parts[n] is one behind the '}' */
    uint32_t n;
};

static weir_rc
glob_brace(const char *p, struct glob_brace *out, struct weir_error *err)
{
    size_t depth = 0;

    *out = (struct glob_brace){0};
    for (; *p != '\0'; p += glob_step(p)) {
        if (*p == '{' && depth++ == 0) {
            out->open = p;
            out->parts[out->n++] = p + 1;
        } else if (*p == ',' && depth == 1) {
            if (out->n == GLOB_ALTS_MAX)
                return weir_fail(err, WEIR_USAGE, "a pattern with more than %d alternatives", GLOB_ALTS_MAX);
            out->parts[out->n++] = p + 1;
        } else if (*p == '}' && --depth == 0) {
            out->close = p;
            out->parts[out->n] = p + 1;
            return WEIR_OK;
        }
    }
    return WEIR_OK;
}

struct glob_list {
    const char **at;
    uint32_t n;
    struct weir_mem *mem;
};

static weir_rc
glob_push(struct glob_list *list, const char *text, struct weir_error *err)
{
    if (list->n == GLOB_ALTS_MAX)
        return weir_fail(err, WEIR_USAGE, "a pattern with more than %d alternatives", GLOB_ALTS_MAX);
    list->at[list->n++] = text;
    return WEIR_OK;
}

/* Replaces alternatives that hold braces by what the first brace spells out, until none holds one. Each turn takes
 * one pair of braces away, and a pattern has finitely many. */
static weir_rc
glob_expand(struct glob_list *list, struct weir_error *err)
{
    struct glob_brace *brace;
    const char *text;

    brace = weir_mem_alloc(list->mem, sizeof(*brace));
    if (brace == NULL)
        return weir_mem_fail(list->mem, sizeof(*brace), err);
    for (uint32_t i = 0; i < list->n;) {
        WEIR_TRY(glob_brace(list->at[i], brace, err));
        if (brace->open == NULL) {
            i++;
            continue;
        }
        text = list->at[i];
        list->at[i] = list->at[--list->n];
        for (uint32_t part = 0; part < brace->n; part++) {
            char *one = weir_mem_printf(list->mem, "%.*s%.*s%s", (int)(brace->open - text), text,
                                        (int)(brace->parts[part + 1] - 1 - brace->parts[part]),
                                        brace->parts[part], brace->close + 1);

            if (one == NULL)
                return weir_mem_fail(list->mem, strlen(text), err);
            WEIR_TRY(glob_push(list, one, err));
        }
    }
    return WEIR_OK;
}

weir_rc
weir_glob_compile(const char *pattern, bool crosses, bool keep_slash, struct weir_mem *mem,
                  struct weir_glob *out, struct weir_error *err)
{
    struct glob_list list = {.mem = mem};
    size_t n = strlen(pattern);
    char *text;

    *out = (struct weir_glob){.crosses = crosses, .folders = keep_slash && n > 0 && pattern[n - 1] == '/'};
    WEIR_TRY(glob_check(pattern, err));
    while (n > 0 && pattern[n - 1] == '/')
        n--;
    text = weir_mem_strndup(mem, pattern, n);
    list.at = weir_mem_alloc(mem, GLOB_ALTS_MAX * sizeof(*list.at));
    if (text == NULL || list.at == NULL)
        return weir_mem_fail(mem, GLOB_ALTS_MAX * sizeof(*list.at), err);
    list.at[list.n++] = text;
    WEIR_TRY(glob_expand(&list, err));
    out->alts = list.at;
    out->n = list.n;
    return WEIR_OK;
}

/* The character at t as a number that orders like its code point: its UTF-8 bytes, first one highest. *n: its bytes.
 * Names need not be UTF-8: a stray byte is a character of its own. */
static uint32_t
glob_char(const char *t, const char *end, size_t *n)
{
    uint32_t c = (unsigned char)*t;

    *n = 1;
    if (c < 0xc0)
        return c;
    while (*n < 4 && t + *n < end && ((unsigned char)t[*n] & 0xc0) == 0x80)
        c = c << 8 | (unsigned char)t[(*n)++];
    return c;
}

static uint32_t
glob_set_char(const char **s, const char *end)
{
    size_t n;
    uint32_t c;

    if (**s == '\\')
        ++*s;
    c = glob_char(*s, end, &n);
    *s += n;
    return c;
}

/* Whether c is one of the set "[…]" from p to end. */
static bool
glob_set(const char *p, const char *end, uint32_t c)
{
    const char *s = p + 1;
    bool not = *s == '^' || *s == '!', hit = false;

    if (not )
        s++;
    do { /* at least once: a ']' in the first place is itself */
        uint32_t lo = glob_set_char(&s, end), hi = lo;

        if (*s == '-' && s[1] != ']') {
            s++;
            hi = glob_set_char(&s, end);
        }
        hit |= lo <= c && c <= hi;
    } while (s < end - 1);
    return hit != not ;
}

/* One step of pattern p against t; 0: no match, else the bytes of t that it takes. */
static size_t
glob_one(const char *p, const char *t, const char *end)
{
    size_t n;
    uint32_t c;

    if (t == end)
        return 0;
    if (*p != '?' && *p != '[')
        return *(*p == '\\' ? p + 1 : p) == *t;
    c = glob_char(t, end, &n);
    if (c == '/' || (*p == '[' && !glob_set(p, p + glob_step(p), c)))
        return 0;
    return n;
}

/* The pattern p up to pend against the text t up to end. */
static bool
glob_run(const char *p, const char *pend, const char *t, const char *end, bool crosses)
{
    const char *star = NULL, *back = NULL;
    size_t took;

    for (;;) {
        if (p < pend && *p == '*') {
            star = ++p;
            back = t;
            continue;
        }
        if (p == pend && t == end)
            return true;
        took = p < pend ? glob_one(p, t, end) : 0;
        if (took > 0) {
            p += glob_step(p);
            t += took;
        } else if (star != NULL && back < end && (crosses || *back != '/')) {
            p = star;
            t = ++back;
        } else {
            return false;
        }
    }
}

bool
weir_glob_match(const struct weir_glob *glob, const char *text, size_t len)
{
    for (uint32_t i = 0; i < glob->n; i++)
        if (glob_run(glob->alts[i], glob->alts[i] + strlen(glob->alts[i]), text, text + len, glob->crosses))
            return true;
    return glob->n == 0;
}

/* End of the name that starts at t. */
static const char *
glob_name_end(const char *t, const char *end)
{
    const char *slash = memchr(t, '/', (size_t)(end - t));

    return slash != NULL ? slash : end;
}

static int
glob_names(const char *t, const char *end)
{
    int n = 0;

    for (; t < end; t = glob_name_end(t, end) + 1)
        n++;
    return n;
}

/* Names of the pattern one by one against those of the key: *done when the pattern was used up, then the return is
 * how many names of the key are left; -1: a name did not match. */
static int
glob_levels(const char *alt, const char *t, const char *end, bool *done)
{
    const char *pend = alt + strlen(alt), *pn, *tn;

    for (; alt < pend && t < end; alt = pn + 1, t = tn + 1) {
        pn = glob_name_end(alt, pend);
        tn = glob_name_end(t, end);
        if (!glob_run(alt, pn, t, tn, false))
            return -1;
        if (pn == pend) {
            *done = true;
            return tn == end ? 0 : glob_names(tn + 1, end);
        }
    }
    *done = alt >= pend;
    return *done ? glob_names(t, end) : 0;
}

/* The longest leading part of key, ending at a name's end, that the pattern matches as a whole. */
static int
glob_across(const char *alt, const char *key, const char *end)
{
    const char *pend = alt + strlen(alt);

    for (const char *part = end; part > key; part--)
        if ((part == end || *part == '/') && glob_run(alt, pend, key, part, true))
            return part == end ? 0 : glob_names(part + 1, end);
    return -1;
}

int
weir_glob_depth(const struct weir_glob *glob, const char *key, size_t len)
{
    const char *end = key + len;
    int best = -1, depth;

    if (glob->n == 0)
        return glob_names(key, end);
    for (uint32_t i = 0; i < glob->n; i++) {
        bool done = false;

        depth = glob->crosses ? glob_across(glob->alts[i], key, end)
                              : glob_levels(glob->alts[i], key, end, &done);
        if (!glob->crosses && !done)
            continue;
        if (depth >= (glob->folders ? 1 : 0) && (best < 0 || depth < best))
            best = depth;
    }
    return best;
}

bool
weir_glob_enters(const struct weir_glob *glob, const char *folder, size_t len)
{
    bool done;

    if (glob->n == 0 || glob->crosses)
        return true;
    for (uint32_t i = 0; i < glob->n; i++)
        if (glob_levels(glob->alts[i], folder, folder + len, &done) >= 0)
            return true;
    return false;
}
