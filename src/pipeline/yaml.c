/* libyaml's events to a tree.
 *
 * Invariants:
 * 1. Each event is freed exactly once, right after it was looked at; the parser is deleted on every way out.
 * 2. A node is counted before it is made, copies of aliases too: WEIR_YAML_NODES bounds the tree, WEIR_YAML_DEPTH
 *    the recursion; both count a copy where it is put. An alias inside its own anchor is refused.
 * 3. Text that enters the tree is valid UTF-8 (the reader of libyaml checks it) and has no NUL inside.
 *
 * Failure: every refusal is USAGE with FILE:LINE. libyaml's own memory is bounded by the length of the text, which
 * the caller has bounded (WEIR_SPEC_MAX). Threads: none of its own. */
#include "pipeline/yaml.h"

#include <ctype.h>
#include <string.h>
#include <yaml.h>

#include "base/str.h"

struct anchor {
    const char *name;
    const struct weir_yaml *node; /* NULL while the node is being read */
    struct anchor *next;
};

struct reader {
    yaml_parser_t parser;
    const char *file, *text;
    size_t len;
    struct weir_mem *mem;
    struct anchor *anchors; /* newest first: a name may be given again */
    uint32_t nodes;
};

weir_rc
weir_yaml_at(struct weir_error *err, const struct weir_yaml *node)
{
    return weir_error_context(err, "%s:%d", node->file, node->line);
}

const char *
weir_yaml_kind_name(weir_yaml_kind kind)
{
    static const char *const names[] = {"nothing", "a text", "a list", "a map"};

    return names[kind];
}

void
weir_yaml_append(struct weir_yaml *parent, struct weir_yaml *child)
{
    child->next = NULL;
    if (parent->last == NULL)
        parent->first = child;
    else
        parent->last->next = child;
    parent->last = child;
    parent->n++;
}

struct weir_yaml *
weir_yaml_get(const struct weir_yaml *map, const char *key)
{
    if (map == NULL || map->kind != WEIR_YAML_MAP)
        return NULL;
    for (struct weir_yaml *kid = map->first; kid != NULL; kid = kid->next)
        if (strcmp(kid->key, key) == 0)
            return kid;
    return NULL;
}

static weir_rc
reader_fail(struct reader *r, size_t line, struct weir_error *err)
{
    return weir_error_context(err, "%s:%zu", r->file, line + 1);
}

/* Whether the line (counted from 0) is indented with a tab: the most common slip that libyaml words badly. */
static bool
line_has_tab(const struct reader *r, size_t line)
{
    const char *p = r->text, *end = r->text + r->len;

    while (line > 0 && p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
        p++;
        line--;
    }
    if (p == NULL || line > 0)
        return false;
    while (p < end && (*p == ' ' || *p == '-'))
        p++;
    return p < end && *p == '\t';
}

/* What libyaml did not like, with its own words. */
static weir_rc
reader_problem(struct reader *r, struct weir_error *err)
{
    const yaml_parser_t *p = &r->parser;
    size_t line = p->problem_mark.line;

    if (p->error == YAML_MEMORY_ERROR)
        return weir_fail(err, WEIR_NOMEM, "no memory for reading %s", r->file);
    if (p->error == YAML_READER_ERROR) { /* it knows only the byte */
        line = 0;
        for (size_t i = 0; i < p->problem_offset && i < r->len; i++)
            line += r->text[i] == '\n';
    }
    weir_fail(err, WEIR_USAGE, "not YAML: %s%s%s", p->problem == NULL ? "unreadable" : p->problem,
              p->context == NULL ? "" : ", ", p->context == NULL ? "" : p->context);
    if (line_has_tab(r, line))
        weir_error_hint(err, "this line is indented with a tab; YAML wants blanks");
    return reader_fail(r, line, err);
}

static weir_rc
reader_next(struct reader *r, yaml_event_t *ev, struct weir_error *err)
{
    return yaml_parser_parse(&r->parser, ev) ? WEIR_OK : reader_problem(r, err);
}

static weir_rc
node_new(struct reader *r, weir_yaml_kind kind, size_t line, struct weir_yaml **out, struct weir_error *err)
{
    struct weir_yaml *node;

    if (++r->nodes > WEIR_YAML_NODES) {
        weir_fail(err, WEIR_USAGE, "more than %d values, copies of aliases counted", WEIR_YAML_NODES);
        return reader_fail(r, line, err);
    }
    node = weir_mem_zalloc(r->mem, sizeof *node);
    if (node == NULL)
        return weir_mem_fail(r->mem, sizeof *node, err);
    node->kind = kind;
    node->file = r->file;
    node->line = (int)line + 1;
    *out = node;
    return WEIR_OK;
}

/* Tags say nothing here but for the standard ones, which agree with how we read. */
static weir_rc
check_tag(struct reader *r, const yaml_char_t *tag, size_t line, struct weir_error *err)
{
    const char *text = (const char *)tag;

    if (text == NULL || strcmp(text, "!") == 0 || weir_str_starts(text, "tag:yaml.org,2002:"))
        return WEIR_OK;
    weir_fail(err, WEIR_USAGE, "the tag %.64s is not known", text);
    return reader_fail(r, line, err);
}

static weir_rc
anchor_add(struct reader *r, const yaml_char_t *name, struct anchor **out, struct weir_error *err)
{
    struct anchor *a;

    *out = NULL;
    if (name == NULL)
        return WEIR_OK;
    a = weir_mem_zalloc(r->mem, sizeof *a);
    if (a == NULL || (a->name = weir_mem_strdup(r->mem, (const char *)name)) == NULL)
        return weir_mem_fail(r->mem, sizeof *a, err);
    a->next = r->anchors;
    r->anchors = a;
    *out = a;
    return WEIR_OK;
}

static weir_rc
check_depth(struct reader *r, unsigned depth, size_t line, struct weir_error *err)
{
    if (depth <= WEIR_YAML_DEPTH)
        return WEIR_OK;
    weir_fail(err, WEIR_USAGE, "more than %d levels of lists and maps", WEIR_YAML_DEPTH);
    return reader_fail(r, line, err);
}

static weir_rc
node_copy(struct reader *r, const struct weir_yaml *from, unsigned depth, size_t line, struct weir_yaml **out,
          struct weir_error *err)
{
    struct weir_yaml *node, *kid;

    WEIR_TRY(check_depth(r, depth, line, err));
    WEIR_TRY(node_new(r, from->kind, line, &node, err));
    node->line = from->line;
    node->text = from->text;
    node->shown = from->shown;
    node->quoted = from->quoted;
    for (const struct weir_yaml *k = from->first; k != NULL; k = k->next) {
        WEIR_TRY(node_copy(r, k, depth + 1, line, &kid, err));
        kid->key = k->key;
        kid->key_line = k->key_line;
        weir_yaml_append(node, kid);
    }
    *out = node;
    return WEIR_OK;
}

static weir_rc
read_alias(struct reader *r, const yaml_event_t *ev, unsigned depth, struct weir_yaml **out, struct weir_error *err)
{
    const char *name = (const char *)ev->data.alias.anchor;
    size_t line = ev->start_mark.line;

    for (const struct anchor *a = r->anchors; a != NULL; a = a->next)
        if (strcmp(a->name, name) == 0 && a->node != NULL)
            return node_copy(r, a->node, depth, line, out, err);
        else if (strcmp(a->name, name) == 0)
            break;
    weir_fail(err, WEIR_USAGE, "*%.64s names no value above it", name);
    return reader_fail(r, line, err);
}

static bool
is_null(const yaml_event_t *ev)
{
    struct weir_slice s = weir_slice((const char *)ev->data.scalar.value, ev->data.scalar.length);

    return ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           (s.len == 0 || weir_slice_is(s, "~") || weir_slice_is(s, "null") || weir_slice_is(s, "Null") ||
            weir_slice_is(s, "NULL"));
}

static weir_rc
read_scalar(struct reader *r, const yaml_event_t *ev, struct weir_yaml **out, struct weir_error *err)
{
    size_t line = ev->start_mark.line, n = ev->data.scalar.length;
    const char *text = (const char *)ev->data.scalar.value;

    WEIR_TRY(check_tag(r, ev->data.scalar.tag, line, err));
    if (memchr(text, 0, n) != NULL) {
        weir_fail(err, WEIR_USAGE, "a text with a NUL character");
        return reader_fail(r, line, err);
    }
    WEIR_TRY(node_new(r, is_null(ev) ? WEIR_YAML_NULL : WEIR_YAML_TEXT, line, out, err));
    (*out)->quoted = ev->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    (*out)->text = weir_mem_strndup(r->mem, text, n);
    if ((*out)->text == NULL)
        return weir_mem_fail(r->mem, n, err);
    (*out)->shown = (*out)->text;
    return WEIR_OK;
}

static weir_rc read_node(struct reader *r, const yaml_event_t *ev, unsigned depth, struct weir_yaml **out,
                         struct weir_error *err);

static weir_rc
read_list(struct reader *r, struct weir_yaml *node, unsigned depth, struct weir_error *err)
{
    yaml_event_t ev;
    struct weir_yaml *kid;
    weir_rc rc;

    for (;;) {
        WEIR_TRY(reader_next(r, &ev, err));
        if (ev.type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(&ev);
            return WEIR_OK;
        }
        rc = read_node(r, &ev, depth + 1, &kid, err);
        yaml_event_delete(&ev);
        WEIR_TRY(rc);
        weir_yaml_append(node, kid);
    }
}

/* Reads the key that ev holds, or says why it is none. The maps are small: WEIR_YAML_KEYS. */
static weir_rc
read_key(struct reader *r, const yaml_event_t *ev, const struct weir_yaml *map, const char **key,
         struct weir_error *err)
{
    size_t line = ev->start_mark.line;
    struct weir_yaml *node;
    const struct weir_yaml *twin;

    if (ev->type != YAML_SCALAR_EVENT) {
        weir_fail(err, WEIR_USAGE, "a key must be a text");
        return reader_fail(r, line, err);
    }
    WEIR_TRY(read_scalar(r, ev, &node, err));
    twin = weir_yaml_get(map, node->text);
    if (twin != NULL)
        weir_fail(err, WEIR_USAGE, "the key %.128s stands twice, first in line %d", node->text, twin->key_line);
    else if (!node->quoted && strcmp(node->text, "<<") == 0)
        weir_fail(err, WEIR_USAGE, "the merge key << is not supported; put the common part into a file of its own "
                  "and name it with extends:");
    else if (map->n >= WEIR_YAML_KEYS)
        weir_fail(err, WEIR_USAGE, "more than %d keys in one map", WEIR_YAML_KEYS);
    else {
        *key = node->text;
        return WEIR_OK;
    }
    return reader_fail(r, line, err);
}

static weir_rc
read_map(struct reader *r, struct weir_yaml *node, unsigned depth, struct weir_error *err)
{
    yaml_event_t ev;
    struct weir_yaml *kid;
    const char *key = NULL;
    size_t line;
    bool end;
    weir_rc rc;

    for (;;) {
        WEIR_TRY(reader_next(r, &ev, err));
        end = ev.type == YAML_MAPPING_END_EVENT;
        line = ev.start_mark.line;
        rc = end ? WEIR_OK : read_key(r, &ev, node, &key, err);
        yaml_event_delete(&ev);
        if (end || rc != WEIR_OK)
            return rc;
        WEIR_TRY(reader_next(r, &ev, err));
        rc = read_node(r, &ev, depth + 1, &kid, err);
        yaml_event_delete(&ev);
        WEIR_TRY(rc);
        kid->key = key;
        kid->key_line = (int)line + 1;
        weir_yaml_append(node, kid);
    }
}

static weir_rc
read_node(struct reader *r, const yaml_event_t *ev, unsigned depth, struct weir_yaml **out, struct weir_error *err)
{
    size_t line = ev->start_mark.line;
    struct anchor *anchor;
    bool map = ev->type == YAML_MAPPING_START_EVENT;

    WEIR_TRY(check_depth(r, depth, line, err));
    if (ev->type == YAML_ALIAS_EVENT)
        return read_alias(r, ev, depth, out, err);
    if (ev->type == YAML_SCALAR_EVENT) {
        WEIR_TRY(anchor_add(r, ev->data.scalar.anchor, &anchor, err));
        WEIR_TRY(read_scalar(r, ev, out, err));
    } else {
        WEIR_TRY(check_tag(r, map ? ev->data.mapping_start.tag : ev->data.sequence_start.tag, line, err));
        WEIR_TRY(anchor_add(r, map ? ev->data.mapping_start.anchor : ev->data.sequence_start.anchor, &anchor, err));
        WEIR_TRY(node_new(r, map ? WEIR_YAML_MAP : WEIR_YAML_LIST, line, out, err));
        WEIR_TRY(map ? read_map(r, *out, depth, err) : read_list(r, *out, depth, err));
    }
    if (anchor != NULL)
        anchor->node = *out;
    return WEIR_OK;
}

/* STREAM-START (DOCUMENT-START node DOCUMENT-END)? STREAM-END */
static weir_rc
read_stream(struct reader *r, struct weir_yaml **out, struct weir_error *err)
{
    yaml_event_t ev;
    weir_rc rc = WEIR_OK;

    for (;;) {
        WEIR_TRY(reader_next(r, &ev, err));
        if (ev.type == YAML_STREAM_END_EVENT)
            break;
        if (ev.type == YAML_DOCUMENT_START_EVENT && *out != NULL) {
            weir_fail(err, WEIR_USAGE, "a second document begins; a pipeline file holds one");
            rc = reader_fail(r, ev.start_mark.line, err);
        } else if (ev.type != YAML_STREAM_START_EVENT && ev.type != YAML_DOCUMENT_START_EVENT &&
                   ev.type != YAML_DOCUMENT_END_EVENT) {
            rc = read_node(r, &ev, 0, out, err);
        }
        yaml_event_delete(&ev);
        WEIR_TRY(rc);
    }
    yaml_event_delete(&ev);
    if (*out != NULL)
        return WEIR_OK;
    weir_fail(err, WEIR_USAGE, "the file is empty");
    return reader_fail(r, 0, err);
}

weir_rc
weir_yaml_parse(const char *file, const char *text, size_t len, struct weir_mem *mem, struct weir_yaml **out,
                struct weir_error *err)
{
    struct reader r = {.file = file, .text = text, .len = len, .mem = mem};
    weir_rc rc;

    *out = NULL;
    if (!yaml_parser_initialize(&r.parser))
        return weir_fail(err, WEIR_NOMEM, "no memory for reading %s", file);
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
    rc = read_stream(&r, out, err);
    yaml_parser_delete(&r.parser);
    return rc;
}

/* JSON's own grammar of numbers, so that what is printed bare is JSON. */
static bool
is_json_number(const char *s)
{
    size_t n;

    s += *s == '-';
    if (*s == '0' && isdigit((unsigned char)s[1]))
        return false;
    if ((n = strspn(s, "0123456789")) == 0)
        return false;
    s += n;
    if (*s == '.') {
        if ((n = strspn(++s, "0123456789")) == 0)
            return false;
        s += n;
    }
    if (*s == 'e' || *s == 'E') {
        s++;
        s += *s == '+' || *s == '-';
        if ((n = strspn(s, "0123456789")) == 0)
            return false;
        s += n;
    }
    return *s == '\0';
}

static bool
is_json_literal(const char *s)
{
    return strcmp(s, "true") == 0 || strcmp(s, "false") == 0 || is_json_number(s);
}

void
weir_yaml_json(const struct weir_yaml *node, struct weir_buf *buf)
{
    bool map = node->kind == WEIR_YAML_MAP;

    if (node->kind == WEIR_YAML_NULL) {
        weir_buf_str(buf, "null");
        return;
    }
    if (node->kind == WEIR_YAML_TEXT) {
        if (!node->quoted && is_json_literal(node->text))
            weir_buf_str(buf, node->text);
        else
            weir_buf_json(buf, node->text, strlen(node->text));
        return;
    }
    weir_buf_byte(buf, map ? '{' : '[');
    for (const struct weir_yaml *kid = node->first; kid != NULL; kid = kid->next) {
        if (kid != node->first)
            weir_buf_byte(buf, ',');
        if (map) {
            weir_buf_json(buf, kid->key, strlen(kid->key));
            weir_buf_byte(buf, ':');
        }
        weir_yaml_json(kid, buf);
    }
    weir_buf_byte(buf, map ? '}' : ']');
}

/* Characters that YAML reads as line breaks or does not read at all. */
static bool
is_odd(uint32_t c)
{
    return (c < ' ' && c != '\n') || (c >= 0x7f && c <= 0x9f) || c == 0x2028 || c == 0x2029 || c == 0xfeff ||
           c == 0xfffe || c == 0xffff;
}

/* A text that may stand unquoted: ASCII, begins with a letter, digit, '/', '.' or '_', and holds nothing that YAML
 * reads in another way. */
static bool
is_plain(const char *s)
{
    static const char *const words[] = {"null", "yes", "no", "on", "off", "y", "n"};
    size_t n = strlen(s);

    if (n == 0 || (!isalnum((unsigned char)*s) && strchr("/._", *s) == NULL) || s[n - 1] == ' ' || s[n - 1] == ':')
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (weir_slice_is_nocase(weir_slice(s, n), words[i]))
            return false;
    for (const char *p = s; *p != '\0'; p++)
        if (*p < ' ' || *p == 0x7f || strchr("\"'\\{}[],&*!|>%@`", *p) != NULL || (*p == ':' && p[1] == ' ') ||
            (*p == '#' && p > s && p[-1] == ' '))
            return false;
    return true;
}

static bool
is_block(const char *s)
{
    if (strchr(s, '\n') == NULL || *s == ' ' || *s == '\n')
        return false;
    while (*s != '\0')
        if (is_odd(weir_utf8_get(&s)))
            return false;
    return true;
}

static void
print_quoted(const char *s, struct weir_buf *buf)
{
    const char *from;
    uint32_t c;

    weir_buf_byte(buf, '"');
    while (*s != '\0') {
        from = s;
        c = weir_utf8_get(&s);
        if (c == '"' || c == '\\')
            weir_buf_printf(buf, "\\%c", (int)c);
        else if (c == '\n')
            weir_buf_str(buf, "\\n");
        else if (is_odd(c))
            weir_buf_printf(buf, "\\u%04X", c);
        else
            weir_buf_add(buf, from, (size_t)(s - from));
    }
    weir_buf_byte(buf, '"');
}

/* A text of several lines as they are. */
static void
print_block(const char *text, int indent, struct weir_buf *buf)
{
    const char *nl = text + strlen(text);

    weir_buf_str(buf, nl[-1] != '\n' ? "|-\n" : nl[-2] == '\n' ? "|+\n" : "|\n");
    for (; *text != '\0'; text = nl + 1) {
        nl = strchr(text, '\n');
        weir_buf_printf(buf, "%*s%.*s\n", indent, "", (int)(nl == NULL ? strlen(text) : (size_t)(nl - text)), text);
        if (nl == NULL)
            break;
    }
}

/* What stands behind "key:" or "-". */
static void
print_value(const struct weir_yaml *node, int indent, struct weir_buf *buf)
{
    if (node->kind == WEIR_YAML_NULL) {
        weir_buf_str(buf, " null\n");
    } else if (node->kind != WEIR_YAML_TEXT && node->n > 0) {
        weir_buf_byte(buf, '\n');
        weir_yaml_print(node, indent, buf);
    } else if (node->kind != WEIR_YAML_TEXT) {
        weir_buf_str(buf, node->kind == WEIR_YAML_MAP ? " {}\n" : " []\n");
    } else if (is_block(node->shown)) {
        weir_buf_byte(buf, ' ');
        print_block(node->shown, indent, buf);
    } else {
        weir_buf_byte(buf, ' ');
        if (is_plain(node->shown) && !(node->quoted && is_json_literal(node->shown)))
            weir_buf_str(buf, node->shown);
        else
            print_quoted(node->shown, buf);
        weir_buf_byte(buf, '\n');
    }
}

void
weir_yaml_print(const struct weir_yaml *node, int indent, struct weir_buf *buf)
{
    for (const struct weir_yaml *kid = node->first; kid != NULL; kid = kid->next) {
        weir_buf_printf(buf, "%*s", indent, "");
        if (node->kind == WEIR_YAML_LIST) {
            weir_buf_byte(buf, '-');
        } else {
            if (is_plain(kid->key))
                weir_buf_str(buf, kid->key);
            else
                print_quoted(kid->key, buf);
            weir_buf_byte(buf, ':');
        }
        print_value(kid, indent + 2, buf);
    }
}
