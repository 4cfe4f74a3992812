/* A pattern of java.util.regex.Pattern (Java 17), written anew for PCRE2. A recursive descent over Java's
 * grammar; each atom comes out as one atom, so that a quantifier behind it means the same.
 *
 * What differs, and what becomes of it:
 *   .  ^  $  \Z     know \r, \r\n, U+0085, U+2028, U+2029 as line ends: written out
 *   \b \B           are Unicode's letters and digits (Java before 19): written out
 *   (?i)            is ASCII only unless (?u): both cases are written out, PCRE2's own flag is for (?iu)
 *   [a[b]] [a&&b]   unions and intersections: alternatives and lookaheads
 *   \p{...}         POSIX names are ASCII in Java; categories, scripts and binary properties are PCRE2's; the
 *   others
 *                   (blocks, java...) are refused
 *   {,3}  {         are errors in Java, literals in PCRE2
 *   \G \X \N{...} (?U), back references under (?i): refused
 * Flags are never handed to PCRE2 but (?i:...) and (?s:.), so no state of its can differ from Java's. */
#include "sql/regex.h"

enum { FLAG_I = 1, FLAG_D = 2, FLAG_M = 4, FLAG_S = 8, FLAG_U = 16, FLAG_X = 32 };

#define ENDS "\\n\\r\\x{85}\\x{2028}\\x{2029}"
#define WORD "[\\p{L}\\p{Nd}\\p{Mn}_]"
#define BOUND "(?:(?<=" WORD ")(?!" WORD ")|(?<!" WORD ")(?=" WORD "))"

struct java {
    const char *p, *start, *end;
    struct weir_buf *out;
    struct weir_java_regex *info;
    unsigned flags;
    uint32_t groups; /* opened so far */
    uint32_t total;  /* of the whole pattern, known in the second run */
    unsigned depth;
    struct weir_error *err;
};

static weir_rc alternatives_read(struct java *j);
static weir_rc class_read(struct java *j, struct weir_buf *out);

/* ---- Errors and characters */

static weir_rc
java_bad(struct java *j, const char *why)
{
    return weir_fail(
        j->err, WEIR_USAGE, "[INVALID_PARAMETER_VALUE.PATTERN] the regular expression '%.*s': %s at %zu",
        (int)(j->end - j->start < 120 ? j->end - j->start : 120), j->start, why, (size_t)(j->p - j->start));
}

static weir_rc
java_unsupported(struct java *j, const char *what)
{
    return weir_fail(j->err, WEIR_UNSUPPORTED, "the regular expression '%.*s': weir does not have %s, at %zu",
                     (int)(j->end - j->start < 120 ? j->end - j->start : 120), j->start, what,
                     (size_t)(j->p - j->start));
}

static bool
at_char(const struct java *j, char c)
{
    return j->p < j->end && *j->p == c;
}

static bool
take(struct java *j, const char *text)
{
    size_t n = strlen(text);

    if ((size_t)(j->end - j->p) < n || memcmp(j->p, text, n) != 0)
        return false;
    j->p += n;
    return true;
}

static bool
is_letter(uint32_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Under (?x) blanks and comments are nothing. */
static void
comments_skip(struct java *j)
{
    while ((j->flags & FLAG_X) && j->p < j->end) {
        if (strchr(" \t\n\v\f\r", *j->p) != NULL && *j->p != '\0')
            j->p++;
        else if (*j->p == '#')
            while (j->p < j->end && *j->p != '\n' && *j->p != '\r')
                j->p++;
        else
            return;
    }
}

/* A character in or out of a class, so that it means itself. */
static void
char_put(struct weir_buf *out, uint32_t c)
{
    char text[4];

    if (is_letter(c) || (c >= '0' && c <= '9'))
        weir_buf_byte(out, (char)c);
    else if (c < 0x80)
        weir_buf_printf(out, "\\x{%x}", c);
    else
        weir_buf_add(out, text, weir_utf8_put(c, text));
}

static void
literal_put(struct java *j, uint32_t c)
{
    bool fold = (j->flags & FLAG_I) != 0, unicode = fold && (j->flags & FLAG_U) != 0;

    if (unicode)
        weir_buf_str(j->out, "(?i:");
    if (fold && !unicode && is_letter(c))
        weir_buf_printf(j->out, "[%c%c]", (int)(c | 0x20), (int)(c & ~0x20u));
    else
        char_put(j->out, c);
    if (unicode)
        weir_buf_byte(j->out, ')');
}

/* ---- Escapes that are one character */

static weir_rc
hex_read(struct java *j, unsigned min, unsigned max, uint32_t *c)
{
    unsigned n = 0;

    for (*c = 0; n < max && j->p < j->end; n++, j->p++) {
        char h = *j->p;
        uint32_t v = is_digit(h)                   ? (uint32_t)(h - '0')
                     : is_letter((unsigned char)h) ? ((uint32_t)h | 0x20) - 'a' + 10
                                                   : 99;

        if (v > 15)
            break;
        *c = *c << 4 | v;
    }
    if (n < min || *c > 0x10ffff)
        return java_bad(j, "a bad hexadecimal escape");
    return WEIR_OK;
}

/* Behind \u: one unit, or two that are a pair. */
static weir_rc
unit_read(struct java *j, uint32_t *c)
{
    uint32_t low;

    WEIR_TRY(hex_read(j, 4, 4, c));
    if (*c >= 0xd800 && *c <= 0xdbff && take(j, "\\u")) {
        WEIR_TRY(hex_read(j, 4, 4, &low));
        if (low < 0xdc00 || low > 0xdfff)
            return java_unsupported(j, "lone surrogates");
        *c = 0x10000 + ((*c - 0xd800) << 10) + (low - 0xdc00);
    }
    return *c >= 0xd800 && *c <= 0xdfff ? java_unsupported(j, "lone surrogates") : WEIR_OK;
}

static weir_rc
octal_read(struct java *j, uint32_t *c)
{
    unsigned n = 0, most = j->p < j->end && *j->p <= '3' ? 3 : 2;

    for (*c = 0; n < most && j->p < j->end && *j->p >= '0' && *j->p <= '7'; n++)
        *c = *c * 8 + (uint32_t)(*j->p++ - '0');
    return n == 0 ? java_bad(j, "a bad octal escape") : WEIR_OK;
}

/* The letter e behind a backslash, which stands in front of j->p. *known: it is a character. */
static weir_rc
escape_char(struct java *j, char e, uint32_t *c, bool *known)
{
    static const char from[] = "aefnrt", to[] = "\a\033\f\n\r\t";
    const char *at = e == '\0' ? NULL : strchr(from, e);

    *known = true;
    if (at != NULL) {
        *c = (uint32_t)to[at - from];
        return WEIR_OK;
    }
    switch (e) {
    case '0':
        return octal_read(j, c);
    case 'u':
        return unit_read(j, c);
    case 'x':
        if (!take(j, "{"))
            return hex_read(j, 2, 2, c);
        WEIR_TRY(hex_read(j, 1, 8, c));
        if (*c >= 0xd800 && *c <= 0xdfff)
            return java_unsupported(j, "lone surrogates");
        return take(j, "}") ? WEIR_OK : java_bad(j, "an unclosed hexadecimal escape");
    case 'c':
        if (j->p == j->end || (unsigned char)*j->p >= 0x80)
            return java_bad(j, "a bad control escape");
        *c = (uint32_t)(unsigned char)*j->p++ ^ 64;
        return WEIR_OK;
    default:
        *known = false;
        return WEIR_OK;
    }
}

/* ---- Properties */

static const struct {
    const char *name, *text;
} posix_names[] =
    {
        {"ASCII", "\\x{0}-\\x{7f}"},
        {"Alnum", "a-zA-Z0-9"},
        {"Alpha", "a-zA-Z"},
        {"Blank", " \\t"},
        {"Cntrl", "\\x{0}-\\x{1f}\\x{7f}"},
        {"Digit", "0-9"},
        {"Graph", "\\x{21}-\\x{7e}"},
        {"Lower", "a-z"},
        {"Print", "\\x{20}-\\x{7e}"},
        {"Punct", "\\x{21}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{60}\\x{7b}-\\x{7e}"},
        {"Space", "\\x{20}\\x{9}-\\x{d}"},
        {"Upper", "A-Z"},
        {"XDigit", "0-9a-fA-F"},
        {"L1", "\\x{0}-\\x{ff}"},
        {"all", "\\x{0}-\\x{10ffff}"},
},
  binary_names[] = {
      {"ALPHABETIC", "\\p{Alphabetic}"},
      {"ASSIGNED", "\\P{Cn}"},
      {"CONTROL", "\\p{Cc}"},
      {"DIGIT", "\\p{Nd}"},
      {"HEX_DIGIT", "\\p{Hex_Digit}"},
      {"HEXDIGIT", "\\p{Hex_Digit}"},
      {"IDEOGRAPHIC", "\\p{Ideographic}"},
      {"LETTER", "\\p{L}"},
      {"LOWERCASE", "\\p{Lowercase}"},
      {"PUNCTUATION", "\\p{P}"},
      {"TITLECASE", "\\p{Lt}"},
      {"UPPERCASE", "\\p{Uppercase}"},
      {"WHITE_SPACE", "\\p{White_Space}"},
      {"WHITESPACE", "\\p{White_Space}"},
};

static bool
is_category(struct weir_slice s)
{
    static const char one[] = "LMNZCPS";
    static const char two[] =
        "Lu Ll Lt Lm Lo LC Mn Me Mc Nd Nl No Zs Zl Zp Cc Cf Co Cn Pd Ps Pe Pc Po Sm Sc Sk So Pi Pf ";

    if (s.len == 1)
        return s.ptr[0] != '\0' && strchr(one, s.ptr[0]) != NULL;
    for (const char *p = two; s.len == 2 && *p != '\0'; p += 3)
        if (memcmp(p, s.ptr, 2) == 0)
            return true;
    return false;
}

/* The inside of a class for a category or script. */
static void
unicode_put(struct java *j, struct weir_slice s, struct weir_buf *out)
{
    if ((j->flags & FLAG_I) && s.len == 2 && s.ptr[0] == 'L' && strchr("ult", s.ptr[1]) != NULL)
        weir_buf_str(out, "\\p{Lu}\\p{Ll}\\p{Lt}");
    else if (weir_slice_is(s, "LC"))
        weir_buf_str(out, "\\p{L&}");
    else
        weir_buf_printf(out, "\\p{%.*s}", (int)s.len, s.ptr);
}

/* A script's name: letters and underscores; PCRE2 knows whether there is one. */
static weir_rc
script_put(struct java *j, struct weir_slice s, struct weir_buf *out)
{
    for (size_t i = 0; i < s.len; i++)
        if (!is_letter((unsigned char)s.ptr[i]) && s.ptr[i] != '_')
            return java_bad(j, "an unknown property");
    if (s.len == 0)
        return java_bad(j, "an unknown property");
    weir_buf_printf(out, "\\p{%.*s}", (int)s.len, s.ptr);
    return WEIR_OK;
}

static weir_rc
named_property_put(struct java *j, struct weir_slice s, struct weir_buf *out)
{
    static const struct weir_slice is = {"Is", 2};
    const char *eq = memchr(s.ptr, '=', s.len);

    if (eq != NULL) {
        struct weir_slice key = weir_slice(s.ptr, (size_t)(eq - s.ptr));
        struct weir_slice value = weir_slice(eq + 1, s.len - key.len - 1);

        if (weir_slice_is_nocase(key, "sc") || weir_slice_is_nocase(key, "script"))
            return script_put(j, value, out);
        if (!weir_slice_is_nocase(key, "gc") && !weir_slice_is_nocase(key, "general_category"))
            return java_unsupported(j, "blocks of characters (\\p{block=...})");
        if (!is_category(value))
            return java_bad(j, "an unknown category");
        unicode_put(j, value, out);
        return WEIR_OK;
    }
    for (size_t i = 0; i < sizeof(posix_names) / sizeof(posix_names[0]); i++)
        if (weir_slice_is(s, posix_names[i].name)) {
            bool both = (j->flags & FLAG_I) && (s.len == 5) &&
                        (weir_slice_is(s, "Lower") || weir_slice_is(s, "Upper"));

            weir_buf_str(out, both ? "a-zA-Z" : posix_names[i].text);
            return WEIR_OK;
        }
    if (s.len > 2 && memcmp(s.ptr, is.ptr, is.len) == 0) {
        s = weir_slice(s.ptr + 2, s.len - 2);
        for (size_t i = 0; i < sizeof(binary_names) / sizeof(binary_names[0]); i++)
            if (weir_slice_is_nocase(s, binary_names[i].name)) {
                weir_buf_str(out, binary_names[i].text);
                return WEIR_OK;
            }
        if (!is_category(s))
            return script_put(j, s, out);
    } else if (s.len > 2 && (memcmp(s.ptr, "In", 2) == 0 || memcmp(s.ptr, "ja", 2) == 0)) {
        return java_unsupported(j, "blocks of characters and Java's own properties");
    }
    if (!is_category(s))
        return java_bad(j, "an unknown property");
    unicode_put(j, s, out);
    return WEIR_OK;
}

/* Behind \p or \P: the inside of a class. */
static weir_rc
property_put(struct java *j, struct weir_buf *out)
{
    struct weir_slice s = weir_slice(j->p, 1);

    if (j->p == j->end)
        return java_bad(j, "an unfinished property");
    if (take(j, "{")) {
        s.ptr = j->p;
        while (j->p < j->end && *j->p != '}')
            j->p++;
        s.len = (size_t)(j->p - s.ptr);
        if (!take(j, "}"))
            return java_bad(j, "an unclosed property");
    } else {
        j->p++;
    }
    return named_property_put(j, s, out);
}

/* ---- Classes */

struct union_ {             /* one side of && */
    struct weir_buf plain;  /* the inside of a PCRE2 class */
    struct weir_buf nested; /* |alternative|alternative, each one character */
};

static void
range_put(struct java *j, struct weir_buf *out, uint32_t from, uint32_t to)
{
    bool fold = (j->flags & (FLAG_I | FLAG_U)) == FLAG_I;

    char_put(out, from);
    if (to != from) {
        weir_buf_byte(out, '-');
        char_put(out, to);
    }
    for (uint32_t first = 'A'; fold && first <= 'a';
         first += 32) { /* the part of it within A-Z, a-z, in the other case */
        uint32_t a = from > first ? from : first, b = to < first + 25 ? to : first + 25;

        if (a > b)
            continue;
        char_put(out, a ^ 0x20);
        weir_buf_byte(out, '-');
        char_put(out, b ^ 0x20);
    }
}

/* One character of a class, or *set: a set of them, which was written. */
static weir_rc
class_atom(struct java *j, struct union_ *u, uint32_t *c, bool *set)
{
    const char *at = j->p;
    bool known;
    char e;

    *set = false;
    if (!take(j, "\\")) {
        *c = weir_utf8_get(&j->p);
        return WEIR_OK;
    }
    if (j->p == j->end)
        return java_bad(j, "an unfinished escape");
    e = *j->p;
    if ((unsigned char)e >= 0x80 || !(is_letter((unsigned char)e) || is_digit(e))) {
        *c = weir_utf8_get(&j->p);
        return WEIR_OK;
    }
    j->p++;
    WEIR_TRY(escape_char(j, e, c, &known));
    if (known)
        return WEIR_OK;
    *set = true;
    if (strchr("dDwWsShHvV", e) != NULL) {
        weir_buf_printf(&u->plain, "\\%c", e);
        return WEIR_OK;
    }
    if (e == 'p')
        return property_put(j, &u->plain);
    if (e == 'P') {
        weir_buf_str(&u->nested, "|[^");
        WEIR_TRY(property_put(j, &u->nested));
        weir_buf_byte(&u->nested, ']');
        return WEIR_OK;
    }
    j->p = at;
    return e == 'N' ? java_unsupported(j, "characters by name") : java_bad(j, "an unknown escape in a class");
}

/* A character, a range, or an escape that is a set. */
static weir_rc
class_item(struct java *j, struct union_ *u)
{
    uint32_t from, to;
    bool set;

    WEIR_TRY(class_atom(j, u, &from, &set));
    if (set)
        return WEIR_OK;
    to = from;
    if (at_char(j, '-') && j->p + 1 < j->end && j->p[1] != ']' && j->p[1] != '[' &&
        !(j->p[1] == '&' && j->p + 2 < j->end && j->p[2] == '&')) {
        j->p++;
        WEIR_TRY(class_atom(j, u, &to, &set));
        if (set)
            return java_bad(j, "a range that ends with a set of characters");
    }
    if (to < from)
        return java_bad(j, "a range that ends before it begins");
    range_put(j, &u->plain, from, to);
    return WEIR_OK;
}

/* Items up to && or the end. \Q...\E are characters. */
static weir_rc
union_read(struct java *j, struct union_ *u, bool first)
{
    for (;;) {
        bool any = u->plain.len > 0 || u->nested.len > 0;

        comments_skip(j);
        if (j->p == j->end)
            return java_bad(j, "an unclosed class");
        if ((at_char(j, ']') && (any || !first)) || (j->end - j->p >= 2 && memcmp(j->p, "&&", 2) == 0))
            return WEIR_OK;
        if (take(j, "[")) {
            weir_buf_byte(&u->nested, '|');
            WEIR_TRY(class_read(j, &u->nested));
        } else if (take(j, "\\Q")) {
            while (j->p < j->end && !take(j, "\\E")) {
                uint32_t c = weir_utf8_get(&j->p);

                range_put(j, &u->plain, c, c);
            }
        } else if (!take(j, "\\E")) {
            WEIR_TRY(class_item(j, u));
        }
    }
}

/* One character out of the union. */
static void
union_put(const struct union_ *u, bool negated, struct weir_buf *out)
{
    if (u->nested.len == 0) {
        weir_buf_str(out, negated ? "[^" : "[");
        weir_buf_add(out, u->plain.data, u->plain.len);
        weir_buf_byte(out, ']');
        return;
    }
    weir_buf_str(out, negated ? "(?:(?!" : "(?:");
    if (u->plain.len > 0) {
        weir_buf_byte(out, '[');
        weir_buf_add(out, u->plain.data, u->plain.len);
        weir_buf_byte(out, ']');
        weir_buf_add(out, u->nested.data, u->nested.len);
    } else {
        weir_buf_add(out, u->nested.data + 1, u->nested.len - 1);
    }
    weir_buf_str(out, negated ? ")(?s:.))" : ")");
}

static void
union_fini(struct union_ *u)
{
    weir_buf_fini(&u->plain);
    weir_buf_fini(&u->nested);
}

/* The rest of an intersection: all sides but the first as lookaheads, which are written to sides. */
static weir_rc
intersection_read(struct java *j, struct weir_buf *sides)
{
    while (take(j, "&&")) {
        struct union_ u = {WEIR_BUF(16 * REGEX_TEXT_MAX), WEIR_BUF(16 * REGEX_TEXT_MAX)};
        weir_rc rc = union_read(j, &u, false);

        if (rc == WEIR_OK && u.plain.len == 0 && u.nested.len == 0)
            rc = java_unsupported(j, "an empty side of && in a class");
        if (rc == WEIR_OK) {
            weir_buf_str(sides, "(?=");
            union_put(&u, false, sides);
            weir_buf_byte(sides, ')');
        }
        union_fini(&u);
        WEIR_TRY(rc);
    }
    return WEIR_OK;
}

/* Behind the opening bracket. */
static weir_rc
class_read(struct java *j, struct weir_buf *out)
{
    struct union_ u = {WEIR_BUF(16 * REGEX_TEXT_MAX), WEIR_BUF(16 * REGEX_TEXT_MAX)};
    struct weir_buf sides = WEIR_BUF(16 * REGEX_TEXT_MAX);
    bool negated = take(j, "^"), unicode = (j->flags & FLAG_I) && (j->flags & FLAG_U);
    weir_rc rc;

    if (++j->depth > REGEX_DEPTH_MAX)
        WEIR_GO(java_unsupported(j, "classes and groups that deep"));
    WEIR_GO(union_read(j, &u, true));
    if (u.plain.len == 0 && u.nested.len == 0)
        WEIR_GO(java_unsupported(j, "an empty side of && in a class"));
    WEIR_GO(intersection_read(j, &sides));
    if (!take(j, "]"))
        WEIR_GO(java_bad(j, "an unclosed class"));
    if (unicode)
        weir_buf_str(out, "(?i:");
    if (sides.len == 0) {
        union_put(&u, negated, out);
    } else {
        weir_buf_str(out, negated ? "(?:(?!" : "(?:");
        weir_buf_add(out, sides.data, sides.len);
        union_put(&u, false, out);
        weir_buf_str(out, negated ? ")(?s:.))" : ")");
    }
    if (unicode)
        weir_buf_byte(out, ')');
    rc = weir_buf_check(out, j->err);
    j->depth--;
out:
    union_fini(&u);
    weir_buf_fini(&sides);
    return rc;
}

/* ---- Escapes outside of classes */

static weir_rc
reference_put(struct java *j, uint32_t group)
{
    if (j->flags & FLAG_I)
        return java_unsupported(j, "back references without regard to case");
    if (group > j->total)
        weir_buf_str(j->out, "(?!)"); /* a group that is not there never matches */
    else
        weir_buf_printf(j->out, "\\g{%u}", group);
    return WEIR_OK;
}

/* Further digits belong to the number as long as such a group was opened. */
static weir_rc
number_reference(struct java *j, char first)
{
    uint32_t group = (uint32_t)(first - '0');

    while (j->p < j->end && is_digit(*j->p) && group * 10 + (uint32_t)(*j->p - '0') <= j->groups)
        group = group * 10 + (uint32_t)(*j->p++ - '0');
    return reference_put(j, group);
}

static weir_rc
name_read(struct java *j, struct weir_slice *name)
{
    name->ptr = j->p;
    while (j->p < j->end && (is_letter((unsigned char)*j->p) || is_digit(*j->p)))
        j->p++;
    name->len = (size_t)(j->p - name->ptr);
    if (name->len == 0 || is_digit(*name->ptr) || !take(j, ">"))
        return java_bad(j, "a bad name of a group");
    return WEIR_OK;
}

static const struct weir_regex_name *
name_find(const struct weir_java_regex *info, struct weir_slice name)
{
    for (uint32_t i = 0; i < info->nnames; i++)
        if (info->names[i].len == name.len && memcmp(info->names[i].name, name.ptr, name.len) == 0)
            return &info->names[i];
    return NULL;
}

static weir_rc
name_reference(struct java *j)
{
    const struct weir_regex_name *found;
    struct weir_slice name;

    if (!take(j, "<"))
        return java_bad(j, "\\k without a name");
    WEIR_TRY(name_read(j, &name));
    if ((found = name_find(j->info, name)) == NULL)
        return java_bad(j, "a name of no group before it");
    return reference_put(j, found->group);
}

/* The end of the text, or in front of the last line end. */
static void
end_put(struct java *j)
{
    if (j->flags & FLAG_D)
        weir_buf_str(j->out, "(?=\\n?\\z)");
    else
        weir_buf_str(j->out, "(?:(?=\\r\\n\\z|[\\r\\x{85}\\x{2028}\\x{2029}]?\\z)|(?<!\\r)(?=\\n\\z))");
}

static void
dollar_put(struct java *j)
{
    if (!(j->flags & FLAG_M))
        end_put(j);
    else if (j->flags & FLAG_D)
        weir_buf_str(j->out, "(?=\\n|\\z)");
    else
        weir_buf_str(j->out, "(?:(?=[\\r\\x{85}\\x{2028}\\x{2029}]|\\z)|(?<!\\r)(?=\\n))");
}

/* With (?m) also behind each line end, but not at the end of the text. */
static void
caret_put(struct java *j)
{
    if (!(j->flags & FLAG_M))
        weir_buf_str(j->out, "\\A");
    else if (j->flags & FLAG_D)
        weir_buf_str(j->out, "(?:(?!\\z)(?:\\A|(?<=\\n)))");
    else
        weir_buf_str(j->out, "(?:(?!\\z)(?:\\A|(?<=[\\n\\x{85}\\x{2028}\\x{2029}])|(?<=\\r)(?!\\n)))");
}

static void
dot_put(struct java *j)
{
    if (j->flags & FLAG_S)
        weir_buf_str(j->out, "(?s:.)");
    else
        weir_buf_str(j->out, j->flags & FLAG_D ? "[^\\n]" : "[^" ENDS "]");
}

/* Behind a backslash. */
static weir_rc
escape_read(struct java *j)
{
    uint32_t c;
    bool known;
    char e;

    if (j->p == j->end)
        return java_bad(j, "an unfinished escape");
    e = *j->p;
    if ((unsigned char)e >= 0x80 || !(is_letter((unsigned char)e) || is_digit(e))) {
        literal_put(j, weir_utf8_get(&j->p));
        return WEIR_OK;
    }
    j->p++;
    if (e >= '1' && e <= '9')
        return number_reference(j, e);
    WEIR_TRY(escape_char(j, e, &c, &known));
    if (known) {
        literal_put(j, c);
        return WEIR_OK;
    }
    switch (e) {
    case 'd':
    case 'D':
    case 'w':
    case 'W':
    case 's':
    case 'S':
    case 'h':
    case 'H':
    case 'v':
    case 'V':
    case 'A':
    case 'z':
        weir_buf_printf(j->out, "\\%c", e);
        return WEIR_OK;
    case 'b':
        if (at_char(j, '{'))
            return java_unsupported(j, "\\b{g}");
        weir_buf_str(j->out, BOUND);
        return WEIR_OK;
    case 'B':
        weir_buf_str(j->out, "(?!" BOUND ")");
        return WEIR_OK;
    case 'Z':
        end_put(j);
        return WEIR_OK;
    case 'R':
        weir_buf_str(j->out, "(?:\\r\\n|[\\n\\v\\f\\r\\x{85}\\x{2028}\\x{2029}])");
        return WEIR_OK;
    case 'k':
        return name_reference(j);
    case 'p':
    case 'P':
        weir_buf_str(j->out, e == 'p' ? "[" : "[^");
        WEIR_TRY(property_put(j, j->out));
        weir_buf_byte(j->out, ']');
        return WEIR_OK;
    case 'G':
        return java_unsupported(j, "\\G");
    case 'X':
        return java_unsupported(j, "\\X");
    case 'N':
        return java_unsupported(j, "characters by name");
    default:
        return java_bad(j, "an unknown escape");
    }
}

/* ---- Groups */

/* Behind "(?": letters that switch flags. *group: a colon came, what follows is a group of its own. */
static weir_rc
flags_read(struct java *j, bool *group)
{
    static const char letters[] = "idmsux";
    static const unsigned bits[] = {FLAG_I, FLAG_D, FLAG_M, FLAG_S, FLAG_U, FLAG_X};
    bool on = true;

    for (;; j->p++) {
        const char *at;

        if (j->p == j->end)
            return java_bad(j, "an unclosed group");
        if (*j->p == ')' || *j->p == ':') {
            *group = *j->p++ == ':';
            return WEIR_OK;
        }
        if (*j->p == '-' && on) {
            on = false;
            continue;
        }
        if (*j->p == 'U')
            return java_unsupported(j, "(?U)");
        if (*j->p == '\0' || (at = strchr(letters, *j->p)) == NULL)
            return java_bad(j, "an unknown flag");
        j->flags = on ? j->flags | bits[at - letters] : j->flags & ~bits[at - letters];
    }
}

static weir_rc
group_open(struct java *j)
{
    if (++j->groups > REGEX_GROUPS_MAX)
        return java_unsupported(j, "that many groups");
    weir_buf_byte(j->out, '(');
    return WEIR_OK;
}

static weir_rc
named_group_open(struct java *j)
{
    struct weir_slice name;

    WEIR_TRY(name_read(j, &name));
    WEIR_TRY(group_open(j));
    if (name_find(j->info, name) != NULL)
        return java_bad(j, "two groups of one name");
    if (j->info->nnames == sizeof(j->info->names) / sizeof(j->info->names[0]))
        return java_unsupported(j, "that many named groups");
    j->info->names[j->info->nnames++] =
        (struct weir_regex_name){.name = name.ptr, .len = (uint32_t)name.len, .group = j->groups};
    return WEIR_OK;
}

/* Behind the parenthesis. *flags_only: it was (?i), which is no group and no atom. */
static weir_rc
group_read(struct java *j, bool *flags_only)
{
    static const char *const same[] = {"?:", "?=", "?!", "?<=", "?<!", "?>"};
    unsigned outer = j->flags;
    bool group = false;

    *flags_only = false;
    if (++j->depth > REGEX_DEPTH_MAX)
        return java_unsupported(j, "classes and groups that deep");
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]) && !group; i++)
        if ((group = take(j, same[i])))
            weir_buf_printf(j->out, "(%s", same[i]);
    if (!group && take(j, "?<")) {
        WEIR_TRY(named_group_open(j));
    } else if (!group && take(j, "?")) {
        WEIR_TRY(flags_read(j, &group));
        *flags_only = !group;
        if (*flags_only) {
            j->depth--;
            return WEIR_OK; /* until the group around ends */
        }
        weir_buf_str(j->out, "(?:");
    } else if (!group) {
        WEIR_TRY(group_open(j));
    }
    WEIR_TRY(alternatives_read(j));
    if (!take(j, ")"))
        return java_bad(j, "an unclosed group");
    weir_buf_byte(j->out, ')');
    j->flags = outer;
    j->depth--;
    return WEIR_OK;
}

/* ---- Sequences */

/* {n}, {n,} or {n,m} behind the brace. */
static weir_rc
braces_read(struct java *j)
{
    uint32_t bound[2] = {0};
    bool open = false;

    for (int i = 0; i < 2; i++) {
        const char *at = j->p;

        while (j->p < j->end && is_digit(*j->p) && bound[i] < 100000)
            bound[i] = bound[i] * 10 + (uint32_t)(*j->p++ - '0');
        if (at == j->p && i == 0)
            return java_bad(j, "an illegal repetition");
        if (i == 0 && !take(j, ",")) {
            bound[1] = bound[0];
            break;
        }
        open = i == 1 && at == j->p;
    }
    if (!take(j, "}"))
        return java_bad(j, "an unclosed repetition");
    if (bound[0] > 65535 || bound[1] > 65535)
        return java_unsupported(j, "repetitions beyond 65535");
    if (!open && bound[1] < bound[0])
        return java_bad(j, "an illegal repetition");
    if (open)
        weir_buf_printf(j->out, "{%u,}", bound[0]);
    else
        weir_buf_printf(j->out, "{%u,%u}", bound[0], bound[1]);
    return WEIR_OK;
}

static weir_rc
quantifier_read(struct java *j)
{
    comments_skip(j);
    if (j->p == j->end || *j->p == '\0' || strchr("?*+{", *j->p) == NULL)
        return WEIR_OK;
    if (take(j, "{"))
        WEIR_TRY(braces_read(j));
    else
        weir_buf_byte(j->out, *j->p++);
    if (at_char(j, '?') || at_char(j, '+'))
        weir_buf_byte(j->out, *j->p++);
    comments_skip(j);
    if (j->p < j->end && *j->p != '\0' && strchr("?*+{", *j->p) != NULL)
        return *j->p == '{' ? java_unsupported(j, "a repetition of a repetition")
                            : java_bad(j, "a dangling repetition");
    return WEIR_OK;
}

/* \Q...\E: the last character is what a quantifier behind it repeats. */
static weir_rc
quote_read(struct java *j)
{
    bool any = false;

    while (j->p < j->end && !take(j, "\\E")) {
        literal_put(j, weir_utf8_get(&j->p));
        any = true;
    }
    return any ? quantifier_read(j) : WEIR_OK;
}

static weir_rc
atom_read(struct java *j)
{
    bool flags_only = false;

    if (take(j, "\\Q"))
        return quote_read(j);
    if (take(j, "\\E"))
        return WEIR_OK;
    if (take(j, "("))
        WEIR_TRY(group_read(j, &flags_only));
    else if (take(j, "["))
        WEIR_TRY(class_read(j, j->out));
    else if (take(j, "\\"))
        WEIR_TRY(escape_read(j));
    else if (take(j, "."))
        dot_put(j);
    else if (take(j, "^"))
        caret_put(j);
    else if (take(j, "$"))
        dollar_put(j);
    else if (*j->p != '\0' && strchr("?*+", *j->p) != NULL)
        return java_bad(j, "a dangling repetition");
    else if (*j->p == '{')
        return java_bad(j, "an illegal repetition");
    else
        literal_put(j, weir_utf8_get(&j->p));
    return flags_only ? WEIR_OK : quantifier_read(j);
}

/* Up to the closing parenthesis of the group around, or the end. */
static weir_rc
alternatives_read(struct java *j)
{
    for (;;) {
        comments_skip(j);
        if (j->p == j->end || *j->p == ')')
            return weir_buf_check(j->out, j->err);
        if (take(j, "|"))
            weir_buf_byte(j->out, '|');
        else
            WEIR_TRY(atom_read(j));
    }
}

/* Twice, since a back reference means something else when its group never comes. */
weir_rc
weir_regex_translate(struct weir_slice java, struct weir_java_regex *info, struct weir_buf *out,
                     struct weir_error *err)
{
    uint32_t total = REGEX_GROUPS_MAX;

    if (java.len > REGEX_TEXT_MAX)
        return weir_fail(err, WEIR_UNSUPPORTED, "a regular expression of %zu bytes: at most %d are read",
                         java.len, REGEX_TEXT_MAX);
    for (int run = 0; run < 2; run++) {
        struct java j = {.p = java.ptr,
                         .start = java.ptr,
                         .end = java.ptr + java.len,
                         .out = out,
                         .info = info,
                         .total = total,
                         .err = err};

        weir_buf_reset(out);
        *info = (struct weir_java_regex){0};
        WEIR_TRY(alternatives_read(&j));
        if (j.p < j.end)
            return java_bad(&j, "an unmatched ')'");
        total = info->groups = j.groups;
    }
    return WEIR_OK;
}
