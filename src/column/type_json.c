/* A type from and to Spark's JSON (Delta protocol, "Schema Serialization Format"; Spark's DataType.json).
 *
 * 1. Printing is byte for byte what Spark's DataType.json gives: keys in its order, no blanks.
 * 2. The metadata of a field is kept as it stands in the text, only blanks outside strings taken out: other
 *    writers' keys, numbers and escapes come back as they came. So the text is walked beside the document that
 *    jansson made of it: jansson gives the keys (unescaped, in order), the text gives the bytes.
 * 3. A key that Spark does not know in a type or field is refused, as there; in metadata everything is allowed.
 * Failure: CORRUPT with the path of the field; UNSUPPORTED for types that Spark knows and weir does not. */
#include "column/type.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "column/fields_int.h"

/* A value of the document and where it stands in the text. */
struct node {
    json_t *v;
    const char *raw;
};

struct schema_json {
    struct weir_mem *mem, *scratch;
    struct weir_error *err;
    unsigned depth;
    uint32_t leaves;
};

/* ---- the text beside the document: it is valid JSON, jansson has said so ---- */

static const char *
raw_blank(const char *t)
{
    while (*t == ' ' || *t == '\t' || *t == '\n' || *t == '\r')
        t++;
    return t;
}

/* Behind the string that starts at t. */
static const char *
raw_string(const char *t)
{
    for (t++; *t != '"'; t++) {
        if (*t == '\\')
            t++;
    }
    return t + 1;
}

/* Behind the value that starts at t. */
static const char *
raw_value(const char *t)
{
    unsigned depth = 0;

    do {
        if (*t == '"') {
            t = raw_string(t);
        } else if (*t == '{' || *t == '[') {
            depth++;
            t++;
        } else if (*t == '}' || *t == ']') {
            depth--;
            t++;
        } else {
            t += 1;
            if (depth == 0) /* a number, true, false or null */
                t += strcspn(t, ",]} \t\r\n");
        }
    } while (depth > 0);
    return t;
}

/* Steps to the next member. *t starts behind the opening brace; iter at json_object_iter(). */
static bool
raw_member(json_t *obj, void **iter, const char **t, const char **key, struct node *value)
{
    if (*iter == NULL)
        return false;
    *t = raw_string(raw_blank(*t));
    *t = raw_blank(raw_blank(*t) + 1); /* the colon */
    *key = json_object_iter_key(*iter);
    value->v = json_object_iter_value(*iter);
    value->raw = *t;
    *t = raw_blank(raw_value(*t));
    if (**t == ',')
        ++*t;
    *iter = json_object_iter_next(obj, *iter);
    return true;
}

/* Members of an object by name; keys ends with NULL. Missing ones have v == NULL. CORRUPT for a key not listed. */
static weir_rc
members(struct schema_json *p, struct node obj, const char *const *keys, struct node *out)
{
    void *iter = json_object_iter(obj.v);
    const char *t = obj.raw + 1, *key;
    struct node value;
    size_t i;

    for (i = 0; keys[i] != NULL; i++)
        out[i] = (struct node){0};
    while (raw_member(obj.v, &iter, &t, &key, &value)) {
        for (i = 0; keys[i] != NULL && strcmp(keys[i], key) != 0; i++)
            ;
        if (keys[i] == NULL)
            return weir_fail(p->err, WEIR_CORRUPT, "the key \"%s\" is not known in a schema", key);
        out[i] = value;
    }
    return WEIR_OK;
}

/* ---- scalars ---- */

static const struct weir_type *const scalars[] = {
    &weir_type_boolean, &weir_type_byte,      &weir_type_short,         &weir_type_int,     &weir_type_long,
    &weir_type_float,   &weir_type_double,    &weir_type_date,          &weir_type_string,  &weir_type_binary,
    &weir_type_void,    &weir_type_timestamp, &weir_type_timestamp_ntz, &weir_type_variant,
};
enum { SCALARS = sizeof(scalars) / sizeof(scalars[0]) };

/* Digits with blanks around, up to `end`. */
static bool
scalar_number(const char **t, char end, unsigned *out)
{
    size_t n = strcspn(*t, ",)");
    int64_t v;

    if ((*t)[n] != end || !weir_parse_int(weir_slice_trim(weir_slice(*t, n)), &v) || v < 0 || v > 38)
        return false;
    *out = (unsigned)v;
    *t += n + 1;
    return true;
}

/* "decimal", "decimal(p,s)", "decimal( p , s )". *out NULL: no decimal that can be. */
static weir_rc
scalar_decimal(struct schema_json *p, const char *name, const struct weir_type **out)
{
    unsigned precision = 10, scale = 0;
    const char *t = name + strlen("decimal");

    *out = NULL;
    if (*t != '\0') {
        if (*t++ != '(' || !scalar_number(&t, ',', &precision) || !scalar_number(&t, ')', &scale) || *t != '\0')
            return WEIR_OK;
        if (precision < 1 || scale > precision)
            return WEIR_OK;
    }
    *out = weir_type_decimal(p->mem, precision, scale);
    return *out == NULL ? weir_mem_fail(p->mem, sizeof(**out), p->err) : WEIR_OK;
}

static weir_rc
scalar_refuse(struct schema_json *p, const char *name)
{
    static const char *const foreign[] = {"string collate ", "interval",  "calendar interval", "time(",
                                          "geometry",        "geography", "char(",             "varchar("};
    const char *names[SCALARS], *near;
    size_t i;

    for (i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
        if (weir_str_starts(name, foreign[i]))
            return weir_fail(p->err, WEIR_UNSUPPORTED, "the type \"%s\" is not supported", name);
    }
    for (i = 0; i < SCALARS; i++)
        names[i] = weir_kind_name(scalars[i]->kind);
    near = weir_nearest(name, names, SCALARS);
    weir_fail(p->err, WEIR_CORRUPT, "\"%s\" is no type", name);
    return near == NULL ? p->err->rc : weir_error_hint(p->err, "did you mean %s?", near);
}

static weir_rc
parse_scalar(struct schema_json *p, const char *name, const struct weir_type **out)
{
    size_t i;

    WEIR_TRY(weir_leaf_count(&p->leaves, WEIR_CORRUPT, p->err));
    *out = NULL;
    for (i = 0; i < SCALARS; i++) {
        if (strcmp(name, weir_kind_name(scalars[i]->kind)) == 0)
            *out = scalars[i];
    }
    if (strcmp(name, "null") == 0) /* void in Spark before 3.1 */
        *out = &weir_type_void;
    if (strcmp(name, "timestamp_ltz") == 0)
        *out = &weir_type_timestamp;
    if (*out == NULL && weir_str_starts(name, "decimal"))
        WEIR_TRY(scalar_decimal(p, name, out));
    return *out != NULL ? WEIR_OK : scalar_refuse(p, name);
}

/* ---- nested types ---- */

static weir_rc parse_type(struct schema_json *p, struct node node, const struct weir_type **out);

static weir_rc
need_bool(struct schema_json *p, struct node node, const char *key, bool dflt, bool *out)
{
    *out = node.v == NULL ? dflt : json_is_true(node.v);
    if (node.v != NULL && !json_is_boolean(node.v))
        return weir_fail(p->err, WEIR_CORRUPT, "\"%s\" is not true or false", key);
    return WEIR_OK;
}

/* The text of a metadata object without blanks; NULL for {}. */
static weir_rc
parse_metadata(struct schema_json *p, struct node node, const char **out)
{
    const char *t, *end, *next;
    char *copy;
    size_t n = 0;

    *out = NULL;
    if (node.v == NULL || json_is_null(node.v))
        return WEIR_OK;
    if (!json_is_object(node.v))
        return weir_fail(p->err, WEIR_CORRUPT, "\"metadata\" is not an object");
    if (json_object_size(node.v) == 0)
        return WEIR_OK;
    end = raw_value(node.raw);
    copy = weir_mem_alloc(p->scratch, (size_t)(end - node.raw) + 1);
    if (copy == NULL)
        return weir_mem_fail(p->scratch, (size_t)(end - node.raw) + 1, p->err);
    for (t = raw_blank(node.raw); t < end; t = raw_blank(next)) {
        next = *t == '"' ? raw_string(t) : t + 1;
        memcpy(copy + n, t, (size_t)(next - t));
        n += (size_t)(next - t);
    }
    copy[n] = '\0';
    *out = copy;
    return WEIR_OK;
}

static weir_rc
parse_field(struct schema_json *p, struct node node, struct weir_fields *fields)
{
    static const char *const keys[] = {"name", "type", "nullable", "metadata", NULL};
    struct weir_field field = {0};
    struct node m[4];

    if (!json_is_object(node.v))
        return weir_fail(p->err, WEIR_CORRUPT, "a field is not an object");
    WEIR_TRY(members(p, node, keys, m));
    if (m[0].v == NULL || !json_is_string(m[0].v))
        return weir_fail(p->err, WEIR_CORRUPT, "a field has no name");
    field.name = json_string_value(m[0].v);
    if (json_string_length(m[0].v) > WEIR_NAME_MAX)
        return weir_fail(p->err, WEIR_CORRUPT, "a column name of %zu bytes; the limit is %d",
                         json_string_length(m[0].v), WEIR_NAME_MAX);
    field.name_len = (uint32_t)json_string_length(m[0].v);
    if (parse_type(p, m[1], &field.type) != WEIR_OK || need_bool(p, m[2], "nullable", true, &field.nullable) != WEIR_OK ||
        parse_metadata(p, m[3], &field.metadata) != WEIR_OK)
        return weir_error_context(p->err, "column \"%s\"", field.name);
    return weir_fields_add(fields, &field, p->err);
}

static weir_rc
parse_struct(struct schema_json *p, struct node node, const struct weir_type **out)
{
    static const char *const keys[] = {"type", "fields", NULL};
    struct weir_fields fields;
    struct node m[2], field;
    const char *t;
    size_t i;

    WEIR_TRY(members(p, node, keys, m));
    if (m[1].v == NULL || !json_is_array(m[1].v))
        return weir_fail(p->err, WEIR_CORRUPT, "a struct has no list \"fields\"");
    weir_fields_init(&fields, p->scratch, &p->leaves, WEIR_CORRUPT);
    t = m[1].raw + 1;
    json_array_foreach(m[1].v, i, field.v)
    {
        field.raw = raw_blank(t);
        WEIR_TRY(parse_field(p, field, &fields));
        t = raw_blank(raw_value(field.raw)) + 1; /* the comma or the end */
    }
    return weir_fields_build(&fields, p->mem, out, p->err);
}

static weir_rc
parse_array(struct schema_json *p, struct node node, const struct weir_type **out)
{
    static const char *const keys[] = {"type", "elementType", "containsNull", NULL};
    const struct weir_type *element;
    struct node m[3];
    bool nulls;

    WEIR_TRY(members(p, node, keys, m));
    WEIR_TRY(parse_type(p, m[1], &element));
    WEIR_TRY(need_bool(p, m[2], "containsNull", true, &nulls));
    *out = weir_type_array(p->mem, element, nulls);
    return *out == NULL ? weir_mem_fail(p->mem, sizeof(**out), p->err) : WEIR_OK;
}

static weir_rc
parse_map(struct schema_json *p, struct node node, const struct weir_type **out)
{
    static const char *const keys[] = {"type", "keyType", "valueType", "valueContainsNull", NULL};
    const struct weir_type *key, *value;
    struct node m[4];
    bool nulls;

    WEIR_TRY(members(p, node, keys, m));
    WEIR_TRY(parse_type(p, m[1], &key));
    WEIR_TRY(parse_type(p, m[2], &value));
    WEIR_TRY(need_bool(p, m[3], "valueContainsNull", true, &nulls));
    *out = weir_type_map(p->mem, key, value, nulls);
    return *out == NULL ? weir_mem_fail(p->mem, sizeof(**out), p->err) : WEIR_OK;
}

static weir_rc
parse_object(struct schema_json *p, struct node node, const struct weir_type **out)
{
    const json_t *type = json_object_get(node.v, "type");
    const char *name = json_string_value(type);

    if (name == NULL)
        return weir_fail(p->err, WEIR_CORRUPT, "a type has no name");
    if (strcmp(name, "struct") == 0)
        return parse_struct(p, node, out);
    if (strcmp(name, "array") == 0)
        return parse_array(p, node, out);
    if (strcmp(name, "map") == 0)
        return parse_map(p, node, out);
    if (strcmp(name, "udt") == 0)
        return weir_fail(p->err, WEIR_UNSUPPORTED, "user-defined types are not supported");
    return weir_fail(p->err, WEIR_CORRUPT, "\"%s\" is no nested type", name);
}

static weir_rc
parse_type(struct schema_json *p, struct node node, const struct weir_type **out)
{
    *out = NULL;
    if (node.v == NULL)
        return weir_fail(p->err, WEIR_CORRUPT, "a type is missing");
    if (json_is_string(node.v))
        return parse_scalar(p, json_string_value(node.v), out);
    if (!json_is_object(node.v))
        return weir_fail(p->err, WEIR_CORRUPT, "a type is neither a name nor an object");
    if (++p->depth > WEIR_NEST_MAX)
        return weir_fail(p->err, WEIR_CORRUPT, "types more than %d levels deep", WEIR_NEST_MAX);
    WEIR_TRY(parse_object(p, node, out));
    p->depth--;
    return WEIR_OK;
}

weir_rc
weir_type_parse_json(const char *text, size_t len, struct weir_mem *mem, const struct weir_type **out,
                     struct weir_error *err)
{
    struct schema_json p = {.mem = mem, .err = err};
    struct node root = {0};
    weir_rc rc;

    p.scratch = weir_mem_new(mem, weir_mem_quota(mem), "schema JSON");
    if (p.scratch == NULL)
        return weir_mem_fail(mem, 0, err);
    WEIR_GO(weir_json_load(text, len, &root.v, err));
    root.raw = weir_mem_strndup(p.scratch, text, len); /* with a NUL, so that a walk ends */
    if (root.raw == NULL)
        WEIR_GO(weir_mem_fail(p.scratch, len, err));
    root.raw = raw_blank(root.raw);
    WEIR_GO(parse_type(&p, root, out));
out:
    json_decref(root.v);
    weir_mem_free(p.scratch);
    return rc == WEIR_OK ? rc : weir_error_context(err, "schema JSON");
}

/* ---- printing ---- */

static void
print_field(const struct weir_field *f, struct weir_buf *buf)
{
    weir_buf_str(buf, "{\"name\":");
    weir_buf_json(buf, f->name, f->name_len);
    weir_buf_str(buf, ",\"type\":");
    weir_type_print_json(f->type, buf);
    weir_buf_printf(buf, ",\"nullable\":%s,\"metadata\":", f->nullable ? "true" : "false");
    weir_buf_str(buf, f->metadata == NULL ? "{}" : f->metadata);
    weir_buf_byte(buf, '}');
}

void
weir_type_print_json(const struct weir_type *type, struct weir_buf *buf)
{
    uint32_t i;

    switch (type->kind) {
    case WEIR_STRUCT:
        weir_buf_str(buf, "{\"type\":\"struct\",\"fields\":[");
        for (i = 0; i < type->nfields; i++) {
            weir_buf_str(buf, i == 0 ? "" : ",");
            print_field(&type->fields[i], buf);
        }
        weir_buf_str(buf, "]}");
        break;
    case WEIR_ARRAY:
        weir_buf_str(buf, "{\"type\":\"array\",\"elementType\":");
        weir_type_print_json(type->fields[0].type, buf);
        weir_buf_printf(buf, ",\"containsNull\":%s}", type->fields[0].nullable ? "true" : "false");
        break;
    case WEIR_MAP:
        weir_buf_str(buf, "{\"type\":\"map\",\"keyType\":");
        weir_type_print_json(weir_map_key(type)->type, buf);
        weir_buf_str(buf, ",\"valueType\":");
        weir_type_print_json(weir_map_value(type)->type, buf);
        weir_buf_printf(buf, ",\"valueContainsNull\":%s}", weir_map_value(type)->nullable ? "true" : "false");
        break;
    case WEIR_DECIMAL:
        weir_buf_printf(buf, "\"decimal(%u,%u)\"", type->precision, type->scale);
        break;
    default:
        weir_buf_printf(buf, "\"%s\"", weir_kind_name(type->kind));
    }
}
