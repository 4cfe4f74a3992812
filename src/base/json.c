/* jansson under weir's rules: a quota, a depth, no duplicate keys, the same order everywhere.
 *
 * 1. Each allocation has a header with its size, since a quota must know what comes back.
 * 2. jansson's lexer does not look whether its text buffer could grow (strbuffer_append in lex_save), so an
 *    allocation may not return NULL while a document is loaded. There a refusal leaves the load at once by longjmp
 *    and what the load had allocated is freed by the list that the headers make.
 * 3. The seed of jansson's tables is fixed: nothing that weir writes depends on the time of its start.
 * 4. A NUL inside a string is refused: documents hand out C strings, and a name must not end early.
 * Threads: json_quota is set once at start and read-only then; loading is a thread's own. */
#include "base/json.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdlib.h>

#include "base/limits.h"

enum { SEED = 0x77656972 };

struct json_head { /* before each allocation; the links serve while its document is loaded */
    struct json_head *prev, *next;
    size_t size;
    _Alignas(16) char data[];
};

static struct weir_quota *json_quota;
static _Thread_local struct {
    bool on;
    struct json_head *made;
    jmp_buf refused;
} loading;

static void *
json_alloc(size_t size)
{
    struct json_head *head = NULL;

    if (size <= SIZE_MAX / 2 && weir_quota_try(json_quota, size + sizeof(*head))) {
        head = malloc(size + sizeof(*head));
        if (head == NULL)
            weir_quota_give(json_quota, size + sizeof(*head));
    }
    if (!loading.on && head == NULL)
        return NULL;
    if (head == NULL)
        longjmp(loading.refused, 1);
    *head = (struct json_head){.size = size};
    if (loading.on) {
        head->next = loading.made;
        if (head->next != NULL)
            head->next->prev = head;
        loading.made = head;
    }
    return head->data;
}

static void
json_release(void *p)
{
    struct json_head *head;

    if (p == NULL)
        return;
    head = (struct json_head *)(void *)((char *)p - offsetof(struct json_head, data));
    if (loading.on) { /* jansson frees nothing of other documents while it loads one */
        if (head->prev != NULL)
            head->prev->next = head->next;
        else
            loading.made = head->next;
        if (head->next != NULL)
            head->next->prev = head->prev;
    }
    weir_quota_give(json_quota, head->size + sizeof(*head));
    free(head);
}

void
weir_json_init(struct weir_quota *q)
{
    json_quota = q;
    json_object_seed(SEED);
    json_set_alloc_funcs(json_alloc, json_release);
}

/* Position of the bracket that goes too deep, or len. jansson has a ceiling of its own, but a higher one. */
static size_t
json_too_deep(const char *text, size_t len)
{
    unsigned depth = 0;
    bool in_string = false;
    size_t at;

    for (at = 0; at < len; at++) {
        char c = text[at];

        if (in_string) {
            if (c == '\\')
                at++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth > WEIR_JSON_DEPTH)
                return at;
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
        }
    }
    return len;
}

/* json_loadb; false when an allocation was refused, with everything freed. */
static bool
json_load_guarded(const char *text, size_t len, json_t **out, json_error_t *why)
{
    loading.made = NULL;
    loading.on = true;
    if (setjmp(loading.refused) != 0) {
        while (loading.made != NULL)
            json_release(loading.made->data);
        loading.on = false;
        return false;
    }
    *out = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, why);
    loading.on = false;
    return true;
}

weir_rc
weir_json_load(const char *text, size_t len, json_t **out, struct weir_error *err)
{
    size_t deep = json_too_deep(text, len);
    json_error_t why;

    *out = NULL;
    if (deep < len)
        return weir_fail(err, WEIR_CORRUPT, "JSON at byte %zu: more than %d levels", deep, WEIR_JSON_DEPTH);
    if (!json_load_guarded(text, len, out, &why))
        return weir_fail(err, WEIR_NOMEM, "no memory for a JSON document of %zu bytes", len);
    if (*out != NULL)
        return WEIR_OK;
    return weir_fail(err, WEIR_CORRUPT, "JSON at byte %d: %s", why.position, why.text);
}

static int
dump_piece(const char *piece, size_t size, void *arg)
{
    struct weir_buf *buf = arg;

    weir_buf_add(buf, piece, size);
    return buf->failed ? -1 : 0;
}

void
weir_json_dump(const json_t *doc, struct weir_buf *buf)
{
    if (json_dump_callback(doc, dump_piece, buf, JSON_COMPACT | JSON_ENCODE_ANY) != 0)
        buf->failed = true;
}

/* A member that must be of a type when it is there. *out NULL: missing or null. */
static weir_rc
json_member(const json_t *obj, const char *key, bool (*is_type)(const json_t *), const char *type, json_t **out,
            struct weir_error *err)
{
    *out = json_object_get(obj, key);
    if (*out == NULL || json_is_null(*out)) {
        *out = NULL;
        return WEIR_OK;
    }
    if (!is_type(*out))
        return weir_fail(err, WEIR_CORRUPT, "JSON: \"%s\" is not %s", key, type);
    return WEIR_OK;
}

static bool
json_type_int(const json_t *v)
{
    return json_is_integer(v);
}

static bool
json_type_bool(const json_t *v)
{
    return json_is_boolean(v);
}

static bool
json_type_str(const json_t *v)
{
    return json_is_string(v);
}

weir_rc
weir_json_get_int(const json_t *obj, const char *key, int64_t dflt, int64_t *out, struct weir_error *err)
{
    json_t *v;

    WEIR_TRY(json_member(obj, key, json_type_int, "a whole number", &v, err));
    *out = v == NULL ? dflt : (int64_t)json_integer_value(v);
    return WEIR_OK;
}

weir_rc
weir_json_get_bool(const json_t *obj, const char *key, bool dflt, bool *out, struct weir_error *err)
{
    json_t *v;

    WEIR_TRY(json_member(obj, key, json_type_bool, "true or false", &v, err));
    *out = v == NULL ? dflt : json_is_true(v);
    return WEIR_OK;
}

weir_rc
weir_json_get_str(const json_t *obj, const char *key, const char **out, struct weir_error *err)
{
    json_t *v;

    WEIR_TRY(json_member(obj, key, json_type_str, "a string", &v, err));
    *out = v == NULL ? NULL : json_string_value(v);
    return WEIR_OK;
}
