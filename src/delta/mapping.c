/* Physical names. delta/mapping.h. */
#include "delta/mapping.h"

#include "base/limits.h"
#include "base/str.h"
#include "delta/feature.h"

weir_rc
weir_mapping_of(const struct weir_protocol *protocol, const struct weir_metadata *meta,
                weir_mapping_mode *out, struct weir_error *err)
{
    const char *mode = weir_metadata_conf(meta, "delta.columnMapping.mode");
    struct weir_slice m = weir_slice(mode, mode != NULL ? strlen(mode) : 0);
    bool allowed = protocol->reader == 2;

    for (uint32_t i = 0; protocol->reader == 3 && i < protocol->nreader_features; i++)
        allowed = allowed || strcmp(protocol->reader_features[i], "columnMapping") == 0;
    *out = WEIR_MAPPING_NONE;
    if (mode == NULL || !allowed || weir_slice_is_nocase(m, "none"))
        return WEIR_OK;
    *out = weir_slice_is_nocase(m, "id") ? WEIR_MAPPING_ID : WEIR_MAPPING_NAME;
    if (*out == WEIR_MAPPING_NAME && !weir_slice_is_nocase(m, "name"))
        return weir_fail(err, WEIR_CORRUPT, "delta.columnMapping.mode %s is none, name or id", mode);
    return WEIR_OK;
}

/* A field's metadata as a document; NULL: none, or unreadable. */
static json_t *
field_metadata(const struct weir_field *f)
{
    struct weir_error ignored = {0};
    json_t *doc = NULL;

    if (f->metadata != NULL)
        (void)weir_json_load(f->metadata, strlen(f->metadata), &doc, &ignored);
    return doc;
}

int64_t
weir_mapping_id(const struct weir_field *field)
{
    json_t *doc = field_metadata(field);
    const json_t *id = json_object_get(doc, "delta.columnMapping.id");
    int64_t n = json_is_integer(id) ? json_integer_value(id) : -1;

    json_decref(doc);
    return n;
}

int64_t
weir_mapping_char(const struct weir_field *field)
{
    static const char key[] = "__CHAR_VARCHAR_TYPE_STRING";
    const char *type;
    int64_t n = 0;
    json_t *doc;

    if (field->metadata == NULL || strstr(field->metadata, key) == NULL)
        return 0;
    doc = field_metadata(field);
    type = json_string_value(json_object_get(doc, key));
    if (type != NULL && weir_str_starts(type, "char(") && weir_str_ends(type, ")") &&
        !weir_parse_int(weir_slice_trim(weir_slice(type + 5, strlen(type) - 6)), &n))
        n = 0;
    json_decref(doc);
    return n > 0 ? n : 0;
}

static weir_rc
physical_name(struct weir_field *f, struct weir_mem *mem, struct weir_error *err)
{
    json_t *doc = field_metadata(f);
    const char *name = json_string_value(json_object_get(doc, "delta.columnMapping.physicalName"));
    weir_rc rc = WEIR_OK;

    if (name == NULL) {
        rc = weir_fail(err, WEIR_CORRUPT, "column %s has no physical name, and the table maps its columns",
                       f->name);
    } else {
        f->name_len = (uint32_t)strlen(name);
        f->name = weir_mem_strndup(mem, name, f->name_len);
        rc = f->name != NULL ? WEIR_OK : weir_mem_fail(mem, f->name_len, err);
    }
    json_decref(doc);
    return rc;
}

/* named: its fields are a struct's, which have names of their own; element, key and value have none. */
static weir_rc
physical_type(const struct weir_type *type, bool named, struct weir_mem *mem, const struct weir_type **out,
              struct weir_error *err)
{
    struct weir_type *copy;
    struct weir_field *fields;
    weir_rc rc = WEIR_OK;

    *out = type;
    if (type->nfields == 0 || type->kind == WEIR_VARIANT)
        return WEIR_OK;
    WEIR_NEW(copy, mem, sizeof(*copy));
    WEIR_NEW(fields, mem, type->nfields * sizeof(*fields));
    for (uint32_t i = 0; i < type->nfields; i++) {
        fields[i] = type->fields[i];
        if (named)
            WEIR_TRY(physical_name(&fields[i], mem, err));
        /* The struct inside a map is key and value: no names either. */
        WEIR_TRY(physical_type(fields[i].type, type->kind != WEIR_MAP && fields[i].type->kind == WEIR_STRUCT,
                               mem, &fields[i].type, err));
    }
    *copy = *type;
    copy->fields = fields;
    *out = copy;
out:
    return rc;
}

weir_rc
weir_mapping_physical(const struct weir_type *schema, weir_mapping_mode mode, struct weir_mem *mem,
                      const struct weir_type **out, struct weir_error *err)
{
    *out = schema;
    return mode == WEIR_MAPPING_NONE ? WEIR_OK : physical_type(schema, true, mem, out, err);
}
