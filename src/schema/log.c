/* <schemaLocation>/_schemas: versions of a schema, and whose they are. schema/log.h has the layout.
 *
 * A version is one object, put if absent: of two runs one is first and the other hears EXISTS. Names that are no
 * number are passed over. What weir adds stands under the key "weir", which other readers ignore. */
#include "schema/log.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/time.h"

enum { SCHEMA_KEY = 64 };
#define SCHEMA_TEXT_MAX (32 * WEIR_MIB)
#define SCHEMA_FOLDER "_schemas/"
#define SCHEMA_OWNER SCHEMA_FOLDER "_owner"

static weir_rc
log_newest(void *arg, const struct weir_object *obj, struct weir_error *err)
{
    const char *name = obj->key + strlen(SCHEMA_FOLDER);
    int64_t *newest = arg, n;

    (void)err;
    if (name[0] >= '0' && name[0] <= '9' && weir_parse_int(weir_slice(name, strlen(name)), &n) && n > *newest)
        *newest = n;
    return WEIR_OK;
}

/* The member `key` holds a schema as a text of JSON. Missing: no fields. */
static weir_rc
log_schema(const json_t *doc, const char *key, bool required, struct weir_mem *mem,
           const struct weir_type **out, struct weir_error *err)
{
    const char *text;

    WEIR_TRY(weir_json_get_str(doc, key, &text, err));
    if (text == NULL && required)
        return weir_fail(err, WEIR_CORRUPT, "\"%s\" is missing", key);
    if (text == NULL) {
        *out = weir_type_struct(mem, NULL, 0);
        return *out != NULL ? WEIR_OK : weir_mem_fail(mem, sizeof(**out), err);
    }
    if (weir_type_parse_json(text, strlen(text), mem, out, err) != WEIR_OK)
        return weir_error_context(err, "%s", key);
    if ((*out)->kind != WEIR_STRUCT)
        return weir_fail(err, WEIR_CORRUPT, "%s is no struct", key);
    return WEIR_OK;
}

static weir_rc
log_facts(const json_t *doc, struct weir_mem *mem, struct weir_schema_version *out, struct weir_error *err)
{
    const json_t *weir = json_object_get(doc, "weir");
    const char *file;

    out->batch = -1;
    if (!json_is_object(weir))
        return WEIR_OK;
    WEIR_TRY(weir_json_get_int(weir, "batch", -1, &out->batch, err));
    WEIR_TRY(weir_json_get_int(weir, "timeMs", 0, &out->time_ms, err));
    WEIR_TRY(weir_json_get_str(weir, "file", &file, err));
    if (file != NULL && (out->file = weir_mem_strdup(mem, file)) == NULL)
        return weir_mem_fail(mem, strlen(file), err);
    return WEIR_OK;
}

static weir_rc
log_parse(const char *text, size_t len, struct weir_mem *mem, struct weir_schema_version *out,
          struct weir_error *err)
{
    const char *nl = len > 0 ? memchr(text, '\n', len) : NULL;
    struct weir_slice first = weir_slice_trim(weir_slice(text, nl != NULL ? (size_t)(nl - text) : len));
    json_t *doc = NULL;
    weir_rc rc;

    if (!weir_slice_is(first, "v1"))
        return weir_fail(err, WEIR_CORRUPT, "it does not begin with the line v1");
    if (nl == NULL)
        return weir_fail(err, WEIR_CORRUPT, "nothing follows the line v1");
    WEIR_GO(weir_json_load(nl + 1, len - (size_t)(nl + 1 - text), &doc, err));
    if (!json_is_object(doc))
        WEIR_GO(weir_fail(err, WEIR_CORRUPT, "line 2 is no JSON object"));
    WEIR_GO(log_schema(doc, "dataSchemaJson", true, mem, &out->data, err));
    WEIR_GO(log_schema(doc, "partitionSchemaJson", false, mem, &out->partition, err));
    WEIR_GO(log_facts(doc, mem, out, err));
out:
    json_decref(doc);
    return rc;
}

weir_rc
weir_schema_log_read(struct weir_store *location, int64_t version, struct weir_mem *mem,
                     struct weir_schema_version *out, struct weir_error *err)
{
    struct weir_buf buf;
    char key[SCHEMA_KEY];
    int64_t newest = -1;
    weir_rc rc;

    *out = (struct weir_schema_version){.version = version, .batch = -1};
    weir_buf_init(&buf, SCHEMA_TEXT_MAX, weir_mem_quota(mem));
    if (version < 0) {
        WEIR_GO(weir_store_list(location, SCHEMA_FOLDER, NULL, WEIR_LIST_NAMES, log_newest, &newest, err));
        if (newest < 0) {
            rc = weir_fail(err, WEIR_NOTFOUND, "%s/_schemas holds no version", location->path);
            goto out;
        }
        out->version = newest;
    }
    snprintf(key, sizeof(key), SCHEMA_FOLDER "%" PRId64, out->version);
    WEIR_GO(weir_store_get(location, key, &buf, err));
    if (log_parse(buf.data, buf.len, mem, out, err) != WEIR_OK)
        rc = weir_error_context(err, "%s/%s", location->path, key);
out:
    weir_buf_fini(&buf);
    return rc;
}

/* A schema's JSON as a JSON string. */
static void
log_print_schema(const char *key, const struct weir_type *type, struct weir_buf *buf)
{
    struct weir_buf text;

    weir_buf_init(&text, buf->max, buf->q);
    weir_type_print_json(type, &text);
    weir_buf_printf(buf, "\"%s\":", key);
    weir_buf_json(buf, text.data, text.len);
    buf->failed |= text.failed;
    weir_buf_fini(&text);
}

weir_rc
weir_schema_log_write(struct weir_store *location, const struct weir_schema_version *v,
                      struct weir_error *err)
{
    static const struct weir_type none = {.kind = WEIR_STRUCT};
    struct weir_buf buf = WEIR_BUF(SCHEMA_TEXT_MAX);
    char key[SCHEMA_KEY];
    weir_rc rc;

    weir_buf_str(&buf, "v1\n{");
    log_print_schema("dataSchemaJson", v->data, &buf);
    weir_buf_byte(&buf, ',');
    log_print_schema("partitionSchemaJson", v->partition != NULL ? v->partition : &none, &buf);
    weir_buf_printf(&buf, ",\"weir\":{\"batch\":%" PRId64 ",\"timeMs\":%" PRId64, v->batch, v->time_ms);
    if (v->file != NULL) {
        weir_buf_str(&buf, ",\"file\":");
        weir_buf_json(&buf, v->file, strlen(v->file));
    }
    weir_buf_str(&buf, "}}");
    WEIR_GO(weir_buf_check(&buf, err));
    snprintf(key, sizeof(key), SCHEMA_FOLDER "%" PRId64, v->version);
    WEIR_GO(weir_store_put_settled(location, key, buf.data, buf.len, WEIR_PUT_ABSENT, err));
out:
    weir_buf_fini(&buf);
    return rc;
}

/* --- whose it is --- */

static weir_rc
log_check_owner(struct weir_store *location, const char *query_id, struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(WEIR_SMALL_MAX);
    const char *id = NULL, *name = NULL;
    json_t *doc = NULL;
    weir_rc rc;

    WEIR_GO(weir_store_get(location, SCHEMA_OWNER, &buf, err));
    WEIR_GO(weir_json_load(buf.data != NULL ? buf.data : "", buf.len, &doc, err));
    WEIR_GO(weir_json_get_str(doc, "id", &id, err));
    WEIR_GO(weir_json_get_str(doc, "name", &name, err));
    if (id == NULL)
        WEIR_GO(weir_fail(err, WEIR_CORRUPT, "%s/" SCHEMA_OWNER " names no query id", location->path));
    if (strcmp(id, query_id) != 0) {
        weir_fail(err, WEIR_USAGE, "schema location %s belongs to the pipeline %s (query %s)", location->path,
                  name != NULL ? name : "without a name", id);
        rc = weir_error_hint(err,
                             "give each pipeline a schemaLocation of its own, or remove %s/" SCHEMA_OWNER
                             " when that pipeline is gone",
                             location->path);
    }
out:
    json_decref(doc);
    weir_buf_fini(&buf);
    return rc;
}

weir_rc
weir_schema_log_owned(struct weir_store *location, const char *query_id, struct weir_error *err)
{
    weir_rc rc = log_check_owner(location, query_id, err);

    if (rc != WEIR_NOTFOUND)
        return rc;
    weir_error_clear(err);
    return WEIR_OK;
}

weir_rc
weir_schema_log_own(struct weir_store *location, const char *query_id, const char *name,
                    struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(WEIR_SMALL_MAX);
    weir_rc rc;

    weir_buf_str(&buf, "{\"id\":");
    weir_buf_json(&buf, query_id, strlen(query_id));
    weir_buf_str(&buf, ",\"name\":");
    weir_buf_json(&buf, name, strlen(name));
    weir_buf_byte(&buf, '}');
    WEIR_GO(weir_buf_check(&buf, err));
    rc = weir_store_put_settled(location, SCHEMA_OWNER, buf.data, buf.len, WEIR_PUT_ABSENT, err);
    if (rc == WEIR_EXISTS) {
        weir_error_clear(err);
        rc = log_check_owner(location, query_id, err);
    }
out:
    weir_buf_fini(&buf);
    return rc;
}
