/* Actions to and from JSON. delta/action.h.
 *
 * 1. A line is one object with one known key (Delta protocol, "Delta Log Entries"); were there several, the first
 *    that is not null counts, as in Spark.
 * 2. What is written again (metaData) keeps what it does not understand: configuration keys, column metadata.
 * Pure functions. */
#include "delta/action.h"

#include <inttypes.h>

#include "base/limits.h"
#include "base/str.h"

/* Blanks of JSON around a line. Nothing more: a line of zeros, as a power cut may leave one, is not blank. */
static struct weir_slice
action_trim(const char *line, size_t len)
{
    while (len > 0 && strchr(" \t\r", line[len - 1]) != NULL && line[len - 1] != '\0')
        len--;
    while (len > 0 && strchr(" \t\r", *line) != NULL && *line != '\0') {
        line++;
        len--;
    }
    return weir_slice(line, len);
}

static const struct {
    const char *name;
    weir_action_kind kind;
} action_names[] = {
    {"commitInfo", WEIR_ACTION_INFO}, {"metaData", WEIR_ACTION_METADATA}, {"protocol", WEIR_ACTION_PROTOCOL},
    {"txn", WEIR_ACTION_TXN},         {"add", WEIR_ACTION_ADD},           {"remove", WEIR_ACTION_REMOVE},
    {"cdc", WEIR_ACTION_CDC},         {"domainMetadata", WEIR_ACTION_DOMAIN},
    {"sidecar", WEIR_ACTION_SIDECAR},
};

static weir_action_kind
action_kind(struct weir_slice name)
{
    for (size_t i = 0; i < sizeof(action_names) / sizeof(*action_names); i++) {
        if (weir_slice_is(name, action_names[i].name))
            return action_names[i].kind;
    }
    return WEIR_ACTION_OTHER;
}

bool
weir_action_peek(const char *line, size_t len, weir_action_kind *kind)
{
    struct weir_slice s = action_trim(line, len);
    const char *at = s.ptr, *end = s.ptr + s.len, *quote;

    *kind = WEIR_ACTION_OTHER;
    if (s.len == 0)
        return true;
    if (s.len < 6 || at[0] != '{' || at[1] != '"' || end[-1] != '}' || end[-2] != '}')
        return false;
    quote = memchr(at + 2, '"', (size_t)(end - at - 2));
    if (quote == NULL || end - quote < 4 || quote[1] != ':' || quote[2] != '{')
        return false;
    *kind = action_kind(weir_slice(at + 2, (size_t)(quote - at - 2)));
    return *kind != WEIR_ACTION_OTHER;
}

weir_rc
weir_action_load(const char *line, size_t len, struct weir_action *out, struct weir_error *err)
{
    struct weir_slice s = action_trim(line, len);
    const char *key;
    json_t *value;

    *out = (struct weir_action){0};
    if (s.len == 0)
        return WEIR_OK;
    WEIR_TRY(weir_json_load(s.ptr, s.len, &out->doc, err));
    if (!json_is_object(out->doc)) {
        weir_action_fini(out);
        return weir_fail(err, WEIR_CORRUPT, "an action is not a JSON object");
    }
    json_object_foreach(out->doc, key, value) {
        weir_action_kind kind = action_kind(weir_slice(key, strlen(key)));

        if (kind == WEIR_ACTION_OTHER || json_is_null(value))
            continue;
        if (!json_is_object(value)) {
            weir_fail(err, WEIR_CORRUPT, "action \"%s\" is not a JSON object", key);
            weir_action_fini(out);
            return err->rc;
        }
        out->kind = kind;
        out->body = value;
        break;
    }
    return WEIR_OK;
}

void
weir_action_fini(struct weir_action *action)
{
    json_decref(action->doc);
    *action = (struct weir_action){0};
}

static weir_rc
action_text(const json_t *body, const char *key, bool must, struct weir_mem *mem, const char **out,
            struct weir_error *err)
{
    const char *text;

    WEIR_TRY(weir_json_get_str(body, key, &text, err));
    if (text == NULL && must)
        return weir_fail(err, WEIR_CORRUPT, "\"%s\" is missing", key);
    *out = text == NULL ? NULL : weir_mem_strdup(mem, text);
    if (text != NULL && *out == NULL)
        return weir_mem_fail(mem, strlen(text), err);
    return WEIR_OK;
}

/* A list of strings; missing or null: none. */
static weir_rc
action_texts(const json_t *body, const char *key, struct weir_mem *mem, const char *const **out, uint32_t *n,
             struct weir_error *err)
{
    const json_t *list = json_object_get(body, key);
    const char **texts;
    weir_rc rc = WEIR_OK;

    *n = 0;
    *out = NULL;
    if (list == NULL || json_is_null(list))
        return WEIR_OK;
    if (!json_is_array(list))
        return weir_fail(err, WEIR_CORRUPT, "\"%s\" is not a list", key);
    WEIR_NEW(texts, mem, json_array_size(list) * sizeof(*texts));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *v = json_array_get(list, i);

        if (!json_is_string(v))
            return weir_fail(err, WEIR_CORRUPT, "\"%s\" holds something else than strings", key);
        texts[i] = weir_mem_strdup(mem, json_string_value(v));
        if (texts[i] == NULL)
            return weir_mem_fail(mem, json_string_length(v), err);
    }
    *n = (uint32_t)json_array_size(list);
    *out = texts;
out:
    return rc;
}

weir_rc
weir_protocol_read(const json_t *body, struct weir_mem *mem, struct weir_protocol *out, struct weir_error *err)
{
    int64_t reader, writer;

    WEIR_TRY(weir_json_get_int(body, "minReaderVersion", -1, &reader, err));
    WEIR_TRY(weir_json_get_int(body, "minWriterVersion", -1, &writer, err));
    if (reader < 1 || writer < 1 || reader > 1000 || writer > 1000)
        return weir_fail(err, WEIR_CORRUPT, "protocol (%" PRId64 ", %" PRId64 ") is none", reader, writer);
    *out = (struct weir_protocol){.reader = (int)reader, .writer = (int)writer};
    WEIR_TRY(action_texts(body, "readerFeatures", mem, &out->reader_features, &out->nreader_features, err));
    WEIR_TRY(action_texts(body, "writerFeatures", mem, &out->writer_features, &out->nwriter_features, err));
    return WEIR_OK;
}

static weir_rc
metadata_read_conf(json_t *conf, struct weir_mem *mem, struct weir_metadata *out, struct weir_error *err)
{
    const char *key;
    json_t *value;
    weir_rc rc = WEIR_OK;

    if (conf == NULL || json_is_null(conf))
        return WEIR_OK;
    if (!json_is_object(conf))
        return weir_fail(err, WEIR_CORRUPT, "\"configuration\" is not an object");
    WEIR_NEW(out->conf, mem, json_object_size(conf) * sizeof(*out->conf));
    json_object_foreach(conf, key, value) {
        struct weir_pair *pair = &out->conf[out->nconf++];

        if (!json_is_string(value) && !json_is_null(value))
            return weir_fail(err, WEIR_CORRUPT, "property %s is not a string", key);
        pair->key = weir_mem_strdup(mem, key);
        pair->value = json_is_null(value) ? NULL : weir_mem_strdup(mem, json_string_value(value));
        if (pair->key == NULL || (pair->value == NULL && !json_is_null(value)))
            return weir_mem_fail(mem, strlen(key), err);
    }
out:
    return rc;
}

static weir_rc
metadata_read_format(const json_t *format, struct weir_mem *mem, struct weir_metadata *out, struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(WEIR_SMALL_MAX);
    const json_t *options = json_object_get(format, "options");
    const char *provider;
    weir_rc rc;

    WEIR_GO(weir_json_get_str(format, "provider", &provider, err));
    if (provider != NULL && strcmp(provider, "parquet") != 0)
        WEIR_GO(weir_fail(err, WEIR_UNSUPPORTED, "data files of format %s: a Delta table has parquet", provider));
    if (json_is_object(options) && json_object_size(options) > 0) {
        weir_json_dump(options, &buf);
        WEIR_GO(weir_buf_check(&buf, err));
        out->format_options = weir_mem_strndup(mem, buf.data, buf.len);
        if (out->format_options == NULL)
            WEIR_GO(weir_mem_fail(mem, buf.len, err));
    }
out:
    weir_buf_fini(&buf);
    return rc;
}

weir_rc
weir_metadata_read(const json_t *body, struct weir_mem *mem, struct weir_metadata *out, struct weir_error *err)
{
    const char *schema;

    *out = (struct weir_metadata){0};
    WEIR_TRY(action_text(body, "id", true, mem, &out->id, err));
    WEIR_TRY(action_text(body, "name", false, mem, &out->name, err));
    WEIR_TRY(action_text(body, "description", false, mem, &out->description, err));
    WEIR_TRY(metadata_read_format(json_object_get(body, "format"), mem, out, err));
    WEIR_TRY(weir_json_get_str(body, "schemaString", &schema, err));
    if (schema == NULL)
        return weir_fail(err, WEIR_CORRUPT, "\"schemaString\" is missing");
    if (weir_type_parse_json(schema, strlen(schema), mem, &out->schema, err) != WEIR_OK)
        return weir_error_context(err, "schemaString");
    if (out->schema->kind != WEIR_STRUCT)
        return weir_fail(err, WEIR_CORRUPT, "\"schemaString\" is no struct");
    WEIR_TRY(action_texts(body, "partitionColumns", mem, &out->partitions, &out->npartitions, err));
    for (uint32_t i = 0; i < out->npartitions; i++) {
        if (weir_field_find(out->schema, out->partitions[i], strlen(out->partitions[i]), true) < 0)
            return weir_fail(err, WEIR_CORRUPT, "partition column %s is not in the schema", out->partitions[i]);
    }
    WEIR_TRY(metadata_read_conf(json_object_get(body, "configuration"), mem, out, err));
    return weir_json_get_int(body, "createdTime", INT64_MIN, &out->created_ms, err);
}

static void
print_text(struct weir_buf *buf, const char *text)
{
    weir_buf_json(buf, text, strlen(text));
}

static void
print_texts(struct weir_buf *buf, const char *const *texts, uint32_t n)
{
    weir_buf_byte(buf, '[');
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0)
            weir_buf_byte(buf, ',');
        print_text(buf, texts[i]);
    }
    weir_buf_byte(buf, ']');
}

void
weir_protocol_print(const struct weir_protocol *p, struct weir_buf *buf)
{
    weir_buf_printf(buf, "{\"protocol\":{\"minReaderVersion\":%d,\"minWriterVersion\":%d", p->reader, p->writer);
    if (p->reader >= 3) {
        weir_buf_str(buf, ",\"readerFeatures\":");
        print_texts(buf, p->reader_features, p->nreader_features);
    }
    if (p->writer >= 7) {
        weir_buf_str(buf, ",\"writerFeatures\":");
        print_texts(buf, p->writer_features, p->nwriter_features);
    }
    weir_buf_str(buf, "}}\n");
}

static void
print_conf(const struct weir_metadata *meta, struct weir_buf *buf)
{
    weir_buf_byte(buf, '{');
    for (uint32_t i = 0; i < meta->nconf; i++) {
        if (i > 0)
            weir_buf_byte(buf, ',');
        print_text(buf, meta->conf[i].key);
        weir_buf_byte(buf, ':');
        if (meta->conf[i].value != NULL)
            print_text(buf, meta->conf[i].value);
        else
            weir_buf_str(buf, "null");
    }
    weir_buf_byte(buf, '}');
}

void
weir_metadata_print(const struct weir_metadata *meta, struct weir_buf *buf)
{
    struct weir_buf schema = {.max = buf->max, .q = buf->q};

    weir_buf_str(buf, "{\"metaData\":{\"id\":");
    print_text(buf, meta->id);
    if (meta->name != NULL) {
        weir_buf_str(buf, ",\"name\":");
        print_text(buf, meta->name);
    }
    if (meta->description != NULL) {
        weir_buf_str(buf, ",\"description\":");
        print_text(buf, meta->description);
    }
    weir_buf_printf(buf, ",\"format\":{\"provider\":\"parquet\",\"options\":%s},\"schemaString\":",
                    meta->format_options != NULL ? meta->format_options : "{}");
    weir_type_print_json(meta->schema, &schema);
    if (schema.failed)
        buf->failed = true;
    else
        weir_buf_json(buf, schema.data, schema.len);
    weir_buf_fini(&schema);
    weir_buf_str(buf, ",\"partitionColumns\":");
    print_texts(buf, meta->partitions, meta->npartitions);
    weir_buf_str(buf, ",\"configuration\":");
    print_conf(meta, buf);
    if (meta->created_ms != INT64_MIN)
        weir_buf_printf(buf, ",\"createdTime\":%" PRId64, meta->created_ms);
    weir_buf_str(buf, "}}\n");
}

const char *
weir_metadata_conf(const struct weir_metadata *meta, const char *key)
{
    for (uint32_t i = 0; i < meta->nconf; i++) {
        if (weir_slice_is_nocase(weir_slice(meta->conf[i].key, strlen(meta->conf[i].key)), key))
            return meta->conf[i].value;
    }
    return NULL;
}

bool
weir_metadata_conf_true(const struct weir_metadata *meta, const char *key)
{
    const char *value = weir_metadata_conf(meta, key);
    bool on;

    return value != NULL && weir_parse_bool(weir_slice(value, strlen(value)), &on) && on;
}

int
weir_metadata_partition(const struct weir_metadata *meta, const char *name)
{
    for (uint32_t i = 0; i < meta->npartitions; i++) {
        if (strcmp(meta->partitions[i], name) == 0)
            return (int)i;
    }
    return -1;
}
