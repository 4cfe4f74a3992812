/* `extends` and `${…}`: what happens between the YAML tree and its meaning.
 *
 *   ${NAME}                a key of the map `variables`; ${name} is the pipeline's name
 *   ${env:X} ${env:X:-d}   an environment variable; d when it is unset or empty
 *   ${file:PATH}           the content of a file without its last line end; relative to the pipeline file
 *   $${                    the two characters ${ themselves
 *
 * Invariants:
 * 1. Filling in happens after parsing and into scalars only: no value can add keys, and what was filled in is not
 *    looked at again. `extends` itself is taken literally.
 * 2. What came from env: or file: is a secret: `shown` has *** in its place, also through other variables. Messages
 *    and `--resolved` use `shown` only.
 * 3. Maps merge deeply, the file's own values win over those of the file that it extends; lists and texts replace;
 *    a null takes the inherited key away.
 * 4. Bounds: WEIR_SPEC_MAX a file, EXTENDS_MAX files in a chain, VARIABLES_DEPTH variables inside one another,
 *    SECRET_MAX a file's content, FILLED_MAX bytes filled in altogether.
 * Threads: none of its own; reads the environment. */
#include "pipeline/variables.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "pipeline/place.h"

enum { EXTENDS_MAX = 8, VARIABLES_DEPTH = 8 };
#define SECRET_MAX (64 * WEIR_KIB)
#define FILLED_MAX (8 * WEIR_MIB)

struct filler {
    struct weir_mem *mem;
    const char *dir;
    struct weir_yaml *variables; /* NULL: none */
    const struct weir_yaml *name; /* the key `name`; NULL: the stem */
    const char *stem;
    uint64_t filled;
};

/* ---- extends ---- */

static void
tree_remove(struct weir_yaml *map, const struct weir_yaml *kid)
{
    struct weir_yaml **at = &map->first;

    map->last = NULL;
    while (*at != NULL) {
        if (*at == kid) {
            *at = kid->next;
            map->n--;
            continue;
        }
        map->last = *at;
        at = &(*at)->next;
    }
}

static struct weir_yaml *
tree_take(struct weir_yaml *map, const char *key)
{
    struct weir_yaml *kid = weir_yaml_get(map, key);

    if (kid != NULL)
        tree_remove(map, kid);
    return kid;
}

/* Puts the keys of `own` over those of `base`. Depth is bounded by the parser. */
static void
tree_merge(struct weir_yaml *base, struct weir_yaml *own)
{
    struct weir_yaml *kid, *next, *under;

    for (kid = own->first; kid != NULL; kid = next) {
        next = kid->next;
        under = weir_yaml_get(base, kid->key);
        if (under != NULL && under->kind == WEIR_YAML_MAP && kid->kind == WEIR_YAML_MAP) {
            tree_merge(under, kid);
            under->file = kid->file;
            under->line = kid->line;
            under->key_line = kid->key_line;
            continue;
        }
        if (under != NULL)
            tree_remove(base, under);
        if (under == NULL || kid->kind != WEIR_YAML_NULL)
            weir_yaml_append(base, kid);
    }
}

static weir_rc tree_load(const char *file, const char *path, struct weir_mem *mem, unsigned depth,
                         struct weir_yaml **out, struct weir_error *err);

/* In front of an error of the extended file: the line that names it. Once, when files go in a circle. */
static weir_rc
extends_at(const struct weir_yaml *extends, struct weir_error *err)
{
    char place[sizeof err->where];
    const char *at;

    snprintf(place, sizeof place, "%s:%d", extends->file, extends->line);
    at = strstr(err->where, place);
    if (at != NULL && (at == err->where || at[-1] == ' '))
        return err->rc;
    return weir_error_context(err, "%s", place);
}

/* The tree of the file that `tree` extends, with `tree` put over it. */
static weir_rc
tree_extend(struct weir_yaml *extends, const char *path, struct weir_mem *mem, unsigned depth, struct weir_yaml **tree,
            struct weir_error *err)
{
    struct weir_yaml *base;
    const char *at, *dir;

    if (extends->kind != WEIR_YAML_TEXT)
        return weir_yaml_fail(err, extends, "extends must be the path of a file, not %s",
                              weir_yaml_kind_name(extends->kind));
    if (depth >= EXTENDS_MAX)
        return weir_yaml_fail(err, extends, "more than %d files extend one another, or they go in a circle",
                              EXTENDS_MAX);
    if ((dir = weir_place_parent(path, mem)) == NULL)
        return weir_mem_fail(mem, strlen(path), err);
    if (weir_place_absolute(extends->text, dir, mem, &at, err) != WEIR_OK ||
        tree_load(at, at, mem, depth + 1, &base, err) != WEIR_OK)
        return extends_at(extends, err);
    tree_merge(base, *tree);
    base->file = (*tree)->file;
    base->line = (*tree)->line;
    *tree = base;
    return WEIR_OK;
}

static weir_rc
read_file(const char *path, bool extended, struct weir_buf *text, struct weir_error *err)
{
    weir_rc rc = weir_place_read(path, text, err);

    if (rc != WEIR_NOTFOUND)
        return rc;
    weir_fail(err, WEIR_NOTFOUND, "%s is not there", path);
    return extended ? err->rc : weir_error_hint(err, "weir new json -o FILE makes one to start from");
}

static weir_rc
tree_load(const char *file, const char *path, struct weir_mem *mem, unsigned depth, struct weir_yaml **out,
          struct weir_error *err)
{
    struct weir_buf text;
    struct weir_yaml *extends;
    weir_rc rc;

    weir_buf_init(&text, WEIR_SPEC_MAX, weir_mem_quota(mem));
    WEIR_GO(read_file(path, depth > 0, &text, err));
    WEIR_GO(weir_yaml_parse(file, text.data, text.len, mem, out, err));
    if ((*out)->kind != WEIR_YAML_MAP)
        WEIR_GO(weir_yaml_fail(err, *out, "a pipeline file is a map of keys, not %s",
                               weir_yaml_kind_name((*out)->kind)));
    extends = tree_take(*out, "extends");
    if (extends != NULL)
        WEIR_GO(tree_extend(extends, path, mem, depth, out, err));
out:
    weir_buf_fini(&text);
    return rc;
}

/* ---- variables ---- */

static weir_rc fill_text(struct filler *f, const struct weir_yaml *node, unsigned depth, struct weir_buf *out,
                         struct weir_buf *shown, struct weir_error *err);

static bool
is_name(struct weir_slice s)
{
    if (s.len == 0 || isdigit((unsigned char)s.ptr[0]))
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!isalnum((unsigned char)s.ptr[i]) && s.ptr[i] != '_')
            return false;
    return true;
}

/* "X" or "X:-default" */
static weir_rc
fill_env(const struct weir_yaml *node, struct weir_slice ref, struct weir_buf *out, struct weir_error *err)
{
    const char *colon = memmem(ref.ptr, ref.len, ":-", 2), *value;
    struct weir_slice name = weir_slice(ref.ptr, colon == NULL ? ref.len : (size_t)(colon - ref.ptr));
    char text[256];

    if (!is_name(name) || name.len >= sizeof text)
        return weir_yaml_fail(err, node, "${env:%.*s}: not the name of an environment variable", (int)ref.len, ref.ptr);
    memcpy(text, name.ptr, name.len);
    text[name.len] = '\0';
    value = getenv(text);
    if (colon != NULL && (value == NULL || *value == '\0')) {
        weir_buf_add(out, colon + 2, ref.len - name.len - 2);
        return WEIR_OK;
    }
    if (value == NULL) {
        weir_yaml_fail(err, node, "the environment variable %s is not set", text);
        return weir_error_hint(err, "set it, or give a default: ${env:%s:-…}", text);
    }
    if (!weir_utf8_valid(value, strlen(value)))
        return weir_yaml_fail(err, node, "the environment variable %s is not UTF-8", text);
    weir_buf_str(out, value);
    return WEIR_OK;
}

static weir_rc
fill_file(struct filler *f, const struct weir_yaml *node, struct weir_slice ref, struct weir_buf *out,
          struct weir_error *err)
{
    struct weir_buf content;
    const char *path = weir_mem_strndup(f->mem, ref.ptr, ref.len);
    weir_rc rc;

    if (path == NULL)
        return weir_mem_fail(f->mem, ref.len, err);
    weir_buf_init(&content, SECRET_MAX, weir_mem_quota(f->mem));
    WEIR_GO(weir_place_absolute(path, f->dir, f->mem, &path, err));
    WEIR_GO(weir_place_read(path, &content, err));
    if (content.len > 0 && content.data[content.len - 1] == '\n')
        content.len--;
    if (content.len > 0 && content.data[content.len - 1] == '\r')
        content.len--;
    if (!weir_utf8_valid(content.data, content.len) || memchr(content.data, 0, content.len) != NULL)
        WEIR_GO(weir_fail(err, WEIR_USAGE, "%s is not a text in UTF-8", path));
    weir_buf_add(out, content.data, content.len);
out:
    weir_buf_fini(&content);
    return rc == WEIR_OK ? rc : weir_yaml_at(err, node);
}

static weir_rc
fill_variable(struct filler *f, const struct weir_yaml *node, struct weir_slice ref, unsigned depth,
              struct weir_buf *out, struct weir_buf *shown, struct weir_error *err)
{
    const struct weir_yaml *var = NULL;

    if (f->variables != NULL)
        for (const struct weir_yaml *kid = f->variables->first; kid != NULL && var == NULL; kid = kid->next)
            if (weir_slice_is(ref, kid->key))
                var = kid;
    if (var == NULL && weir_slice_is(ref, "name")) {
        if (f->name == NULL) {
            weir_buf_str(out, f->stem);
            weir_buf_str(shown, f->stem);
            return WEIR_OK;
        }
        var = f->name;
    }
    if (var == NULL) {
        weir_yaml_fail(err, node, "${%.*s} is not defined", (int)(ref.len > 100 ? 100 : ref.len), ref.ptr);
        return weir_error_hint(err, "define it under variables:, or write $${ for the characters ${ themselves");
    }
    if (var->kind != WEIR_YAML_TEXT)
        return weir_yaml_fail(err, var, "the variable %s must be a text, not %s", var->key,
                              weir_yaml_kind_name(var->kind));
    if (depth >= VARIABLES_DEPTH)
        return weir_yaml_fail(err, var, "the variable %s refers to itself, or through more than %d others", var->key,
                              VARIABLES_DEPTH);
    return fill_text(f, var, depth + 1, out, shown, err);
}

static weir_rc
fill_one(struct filler *f, const struct weir_yaml *node, struct weir_slice ref, unsigned depth, struct weir_buf *out,
         struct weir_buf *shown, struct weir_error *err)
{
    bool env = ref.len > 4 && memcmp(ref.ptr, "env:", 4) == 0;
    bool file = ref.len > 5 && memcmp(ref.ptr, "file:", 5) == 0;

    if (!env && !file)
        return fill_variable(f, node, ref, depth, out, shown, err);
    weir_buf_str(shown, "***");
    return env ? fill_env(node, weir_slice(ref.ptr + 4, ref.len - 4), out, err)
               : fill_file(f, node, weir_slice(ref.ptr + 5, ref.len - 5), out, err);
}

static weir_rc
fill_text(struct filler *f, const struct weir_yaml *node, unsigned depth, struct weir_buf *out, struct weir_buf *shown,
          struct weir_error *err)
{
    const char *p = node->text, *ref, *end;
    size_t before = out->len;

    while ((ref = strstr(p, "${")) != NULL) {
        bool literal = ref > p && ref[-1] == '$';
        size_t plain = (size_t)(ref - p) - literal;

        weir_buf_add(out, p, plain);
        weir_buf_add(shown, p, plain);
        p = ref + 2;
        if (literal) {
            weir_buf_str(out, "${");
            weir_buf_str(shown, "${");
            continue;
        }
        if ((end = strchr(p, '}')) == NULL)
            return weir_yaml_fail(err, node, "${ without }");
        WEIR_TRY(fill_one(f, node, weir_slice(p, (size_t)(end - p)), depth, out, shown, err));
        p = end + 1;
        if (f->filled + (out->len - before) > FILLED_MAX)
            return weir_yaml_fail(err, node, "variables fill in more than %llu bytes", FILLED_MAX);
    }
    weir_buf_str(out, p);
    weir_buf_str(shown, p);
    return WEIR_OK;
}

static weir_rc
fill_node(struct filler *f, struct weir_yaml *node, struct weir_error *err)
{
    struct weir_buf out, shown;
    weir_rc rc;

    if (strstr(node->text, "${") == NULL)
        return WEIR_OK;
    weir_buf_init(&out, FILLED_MAX, weir_mem_quota(f->mem));
    weir_buf_init(&shown, FILLED_MAX, weir_mem_quota(f->mem));
    WEIR_GO(fill_text(f, node, 0, &out, &shown, err));
    WEIR_GO(weir_buf_check(&out, err));
    WEIR_GO(weir_buf_check(&shown, err));
    f->filled += out.len;
    node->text = weir_mem_strndup(f->mem, out.data == NULL ? "" : out.data, out.len);
    node->shown = weir_mem_strndup(f->mem, shown.data == NULL ? "" : shown.data, shown.len);
    if (node->text != NULL && node->shown != NULL && strcmp(node->text, node->shown) == 0)
        node->shown = node->text; /* no secret in it */
    if (node->text == NULL || node->shown == NULL)
        WEIR_GO(weir_mem_fail(f->mem, out.len, err));
    node->quoted = true; /* what was filled in is a text, whatever it looks like */
out:
    weir_buf_fini(&out);
    weir_buf_fini(&shown);
    return rc;
}

/* Fills every text below node. Depth is bounded by the parser. */
static weir_rc
fill_tree(struct filler *f, struct weir_yaml *node, struct weir_error *err)
{
    struct weir_yaml *kid, *next;

    if (node->kind == WEIR_YAML_TEXT)
        return fill_node(f, node, err);
    for (kid = node->first; kid != NULL; kid = next) {
        next = kid->next;
        WEIR_TRY(fill_tree(f, kid, err));
    }
    return WEIR_OK;
}

static const char *
stem_of(const char *file, struct weir_mem *mem)
{
    const char *base = strrchr(file, '/'), *dot;

    base = base == NULL ? file : base + 1;
    dot = strrchr(base, '.');
    return weir_mem_strndup(mem, base, dot == NULL || dot == base ? strlen(base) : (size_t)(dot - base));
}

weir_rc
weir_spec_tree(const char *file, struct weir_mem *mem, struct weir_yaml **root, const char **dir, const char **name,
               struct weir_error *err)
{
    struct filler f = {.mem = mem, .stem = stem_of(file, mem)};
    const char *path;

    if (f.stem == NULL)
        return weir_mem_fail(mem, strlen(file), err);
    WEIR_TRY(weir_place_of_file(file, mem, &path, dir, err));
    WEIR_TRY(tree_load(file, path, mem, 0, root, err));
    f.dir = *dir;
    f.name = weir_yaml_get(*root, "name");
    f.variables = tree_take(*root, "variables");
    if (f.variables != NULL && f.variables->kind != WEIR_YAML_MAP)
        return weir_yaml_fail(err, f.variables, "variables must be a map of texts, not %s",
                              weir_yaml_kind_name(f.variables->kind));
    WEIR_TRY(fill_tree(&f, *root, err));
    *name = f.name != NULL && f.name->kind == WEIR_YAML_TEXT ? f.name->text : f.stem;
    return WEIR_OK;
}
