/* A resolved tree to struct weir_spec, by tables of keys.
 *
 * 1. Every key of the file is looked up in the table of its map; one that is not there is an error with the nearest
 *    that is. A key of a later version stands in the table too and is refused by name.
 * 2. Every message names FILE:LINE of the value, also when it came by `extends`, and shows texts with secrets masked.
 * 3. Paths become absolute here and nowhere else: against the folder of the pipeline file.
 * 4. Whether options exist is decided by those who own their tables; that a value is a text is decided here.
 * Threads: none of its own. */
#include "pipeline/spec.h"

#include <stddef.h>
#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "column/text.h"
#include "column/type.h"
#include "pipeline/place.h"
#include "pipeline/variables.h"
#include "pipeline/yaml.h"
#include "sink/sink.h"
#include "source/source.h"

struct reading {
    struct weir_spec *spec;
    struct weir_mem *mem;
    struct weir_yaml *root;
    struct weir_spec_table *table; /* that is being read */
};

typedef weir_rc key_fn(struct reading *rd, struct weir_yaml *node, struct weir_error *err);

struct key {
    const char *name;
    key_fn *read;        /* NULL: refused */
    const char *refused; /* the reason, when it is more than "not in this version" */
};
#define KEY_END {0}

/* ---- helpers ---- */

static weir_rc
want(const struct weir_yaml *node, weir_yaml_kind kind, struct weir_error *err)
{
    if (node->kind == kind)
        return WEIR_OK;
    if (node->kind == WEIR_YAML_NULL) {
        weir_yaml_fail(err, node, "%s has no value", node->key);
        return weir_error_hint(err, "give it one or take the line out");
    }
    return weir_yaml_fail(err, node, "%s must be %s, not %s", node->key, weir_yaml_kind_name(kind),
                          weir_yaml_kind_name(node->kind));
}

static weir_rc
want_text(const struct weir_yaml *node, const char **out, struct weir_error *err)
{
    WEIR_TRY(want(node, WEIR_YAML_TEXT, err));
    if (*node->text == '\0')
        return weir_yaml_fail(err, node, "%s is empty", node->key);
    *out = node->text;
    return WEIR_OK;
}

static weir_rc
want_bool(const struct weir_yaml *node, bool *out, struct weir_error *err)
{
    WEIR_TRY(want(node, WEIR_YAML_TEXT, err));
    if (weir_parse_bool(weir_slice(node->text, strlen(node->text)), out))
        return WEIR_OK;
    return weir_yaml_fail(err, node, "%s must be true or false, not %.100s", node->key, node->shown);
}

/* A path of the file, absolute; the tree shows it so too. */
static weir_rc
want_place(struct reading *rd, struct weir_yaml *node, const char **out, struct weir_error *err)
{
    bool plain = node->shown == node->text;

    WEIR_TRY(want_text(node, out, err));
    if (weir_place_absolute(node->text, rd->spec->dir, rd->mem, out, err) != WEIR_OK) {
        if (!plain) /* the message may hold what came from the environment */
            weir_fail(err, err->rc, "%s is not a path that this version knows", node->shown);
        return weir_yaml_at(err, node);
    }
    node->text = *out;
    if (plain)
        node->shown = node->text;
    return WEIR_OK;
}

static weir_rc
unknown_key(const struct weir_yaml *node, const struct key *keys, const char *in, struct weir_error *err)
{
    const char *names[64], *near;
    size_t n = 0;

    for (; keys[n].name != NULL && n < sizeof names / sizeof *names; n++)
        names[n] = keys[n].name;
    near = weir_nearest(node->key, names, n);
    weir_fail(err, WEIR_USAGE, "unknown key %.128s in %s", node->key, in);
    weir_error_context(err, "%s:%d", node->file, node->key_line);
    return near == NULL ? err->rc : weir_error_hint(err, "did you mean %s?", near);
}

static weir_rc
missing_key(struct weir_error *err, const struct weir_yaml *map, const char *what, const char *example)
{
    weir_yaml_fail(err, map, "%s", what);
    return weir_error_hint(err, "write for example %s", example);
}

static weir_rc
refused_key(const struct weir_yaml *node, const struct key *key, struct weir_error *err)
{
    weir_fail(err, WEIR_UNSUPPORTED, "%s is not in this version", key->name);
    if (key->refused != NULL)
        weir_error_hint(err, "%s", key->refused);
    return weir_error_context(err, "%s:%d", node->file, node->key_line);
}

static weir_rc
read_keys(struct reading *rd, struct weir_yaml *map, const struct key *keys, const char *in, struct weir_error *err)
{
    const struct key *key;

    for (struct weir_yaml *kid = map->first; kid != NULL; kid = kid->next) {
        for (key = keys; key->name != NULL && strcmp(key->name, kid->key) != 0; key++)
            ;
        if (key->name == NULL)
            return unknown_key(kid, keys, in, err);
        if (key->read == NULL)
            return refused_key(kid, key, err);
        WEIR_TRY(key->read(rd, kid, err));
    }
    return WEIR_OK;
}

/* Options whose values are paths. */
static bool
is_place_option(const char *key)
{
    static const char *const names[] = {"cloudFiles.schemaLocation", "schemaLocation", "sourceArchiveDir",
                                        "cloudFiles.cleanSource.moveDestination", "badRecordsPath",
                                        "weir.tempDirectory", "rowValidationXSDPath", "avroSchemaUrl"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (weir_slice_is_nocase(weir_slice(key, strlen(key)), names[i]))
            return true;
    return false;
}

/* A map of texts to settings. Keys that differ only in case would be one option. */
static weir_rc
read_settings(struct reading *rd, struct weir_yaml *map, struct weir_settings *out, struct weir_error *err)
{
    struct weir_setting *s;

    WEIR_TRY(want(map, WEIR_YAML_MAP, err));
    out->file = rd->spec->file;
    out->at = weir_mem_zalloc(rd->mem, (map->n + 1) * sizeof *out->at);
    if (out->at == NULL)
        return weir_mem_fail(rd->mem, map->n * sizeof *out->at, err);
    for (struct weir_yaml *kid = map->first; kid != NULL; kid = kid->next) {
        WEIR_TRY(want(kid, WEIR_YAML_TEXT, err));
        for (uint32_t i = 0; i < out->n; i++)
            if (strcasecmp(out->at[i].key, kid->key) == 0)
                return weir_yaml_fail(err, kid, "%s and %s of line %d are one option", kid->key, out->at[i].key,
                                      out->at[i].line);
        s = &out->at[out->n++];
        *s = (struct weir_setting){.key = kid->key, .value = kid->text, .line = kid->line, .file = kid->file,
                                   .secret = kid->shown != kid->text};
        if (is_place_option(kid->key))
            WEIR_TRY(want_place(rd, kid, &s->value, err));
    }
    return WEIR_OK;
}

/* The hint of a format that is none: those that are. */
static weir_rc
there_are(const char *const *names, struct weir_error *err)
{
    char text[200] = "";
    size_t n = 0;

    for (; *names != NULL && n < sizeof text - 64; names++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%.40s", n > 0 ? ", " : "", *names);
    return weir_error_hint(err, "there are: %s", text);
}

/* A format of a side ("source", "sink") that is none of `names`: of a later version, or a slip. */
static weir_rc
no_format(const struct weir_yaml *node, const char *side, const char *const *names, const char *const *later,
          struct weir_error *err)
{
    const char *near;
    size_t n = 0;

    for (; *later != NULL; later++)
        if (weir_slice_is_nocase(weir_slice(node->text, strlen(node->text)), *later)) {
            weir_fail(err, WEIR_UNSUPPORTED, "the %s format %s is not in this version", side, *later);
            weir_yaml_at(err, node);
            return there_are(names, err);
        }
    while (names[n] != NULL)
        n++;
    near = weir_nearest(node->text, names, n);
    weir_yaml_fail(err, node, "unknown %s format %.64s", side, node->shown);
    return near == NULL ? there_are(names, err) : weir_error_hint(err, "did you mean %s?", near);
}

/* ---- source ---- */

static weir_rc
read_source_format(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    static const char *const later[] = {"kafka", "kinesis", "eventhubs", "pubsub", "delta",      "rate", "csv",
                                        "parquet", "avro",  "text",      "xml",    "binaryFile", "orc",  NULL};

    WEIR_TRY(want_text(node, &rd->spec->source.format, err));
    return weir_source_find(node->text) != NULL ? WEIR_OK
                                                : no_format(node, "source", weir_source_names(), later, err);
}

static weir_rc
read_source_path(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    if (rd->spec->source.path != NULL)
        return weir_yaml_fail(err, node, "path and load are one key; line %d has it already", rd->spec->source.path_line);
    rd->spec->source.path_line = node->line;
    return want_place(rd, node, &rd->spec->source.path, err);
}

/* DDL, Spark's JSON as a text, or that JSON pasted as it is, which YAML reads as a map. */
static weir_rc
read_schema(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    const struct weir_type *type;
    const char *text;
    struct weir_buf json;
    weir_rc rc;

    rd->spec->source.schema_line = node->line;
    weir_buf_init(&json, WEIR_SPEC_MAX, weir_mem_quota(rd->mem));
    if (node->kind == WEIR_YAML_MAP || node->kind == WEIR_YAML_LIST) {
        weir_yaml_json(node, &json);
        WEIR_GO(weir_buf_check(&json, err));
        rd->spec->source.schema = weir_mem_strndup(rd->mem, json.data, json.len);
        if (rd->spec->source.schema == NULL)
            WEIR_GO(weir_mem_fail(rd->mem, json.len, err));
    } else {
        WEIR_GO(want_text(node, &rd->spec->source.schema, err));
    }
    text = rd->spec->source.schema;
    text += strspn(text, " \t\r\n");
    rc = *text == '{' || *text == '[' || *text == '"'
             ? weir_type_parse_json(text, strlen(text), rd->mem, &type, err)
             : weir_schema_parse_ddl(text, strlen(text), rd->mem, &type, err);
    if (rc == WEIR_OK && type->kind != WEIR_STRUCT)
        rc = weir_fail(err, WEIR_USAGE, "not a list of columns");
    if (rc == WEIR_CORRUPT)
        rc = err->rc = WEIR_USAGE;
    if (rc != WEIR_OK)
        weir_error_context(err, "%s:%d: schema", node->file, node->line);
out:
    weir_buf_fini(&json);
    return rc;
}

static weir_rc
read_source_options(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    return read_settings(rd, node, &rd->spec->source.options, err);
}

static const struct key source_keys[] = {
    {"format", read_source_format, NULL},
    {"path", read_source_path, NULL},
    {"load", read_source_path, NULL},
    {"schema", read_schema, NULL},
    {"options", read_source_options, NULL},
    {"table", NULL, "name the table's folder with path"},
    {"value", NULL, NULL},
    {"key", NULL, NULL},
    {"deriveChanges", NULL, NULL},
    {"onFeedExpired", NULL, NULL},
    {"watermark", NULL, NULL},
    KEY_END,
};

static weir_rc
read_source(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    WEIR_TRY(want(node, WEIR_YAML_MAP, err));
    rd->spec->source.line = node->key_line;
    rd->spec->source.options.file = rd->spec->file;
    WEIR_TRY(read_keys(rd, node, source_keys, "source", err));
    if (rd->spec->source.format == NULL)
        return missing_key(err, node, "source has no format", "format: cloudFiles");
    if (rd->spec->source.path == NULL)
        return missing_key(err, node, "source has no path", "path: ./landing");
    return WEIR_OK;
}

/* ---- tables ---- */

static weir_rc
read_joined_format(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    static const char *const names[] = {"delta", NULL}, *const later[] = {"parquet", "csv", "json", "avro", "orc", "hbase", NULL};

    WEIR_TRY(want_text(node, &rd->table->format, err));
    return weir_slice_is_nocase(weir_slice(node->text, strlen(node->text)), "delta")
               ? WEIR_OK
               : no_format(node, "table", names, later, err);
}

static weir_rc
read_joined_path(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    return want_place(rd, node, &rd->table->path, err);
}

static const struct key joined_keys[] = {
    {"format", read_joined_format, NULL},
    {"path", read_joined_path, NULL},
    {"options", NULL, NULL},
    {"schema", NULL, "a Delta table has its own"},
    KEY_END,
};

static weir_rc
read_tables(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    struct weir_spec *spec = rd->spec;

    WEIR_TRY(want(node, WEIR_YAML_MAP, err));
    spec->tables = weir_mem_zalloc(rd->mem, (node->n + 1) * sizeof *spec->tables);
    if (spec->tables == NULL)
        return weir_mem_fail(rd->mem, node->n * sizeof *spec->tables, err);
    for (struct weir_yaml *kid = node->first; kid != NULL; kid = kid->next) {
        WEIR_TRY(want(kid, WEIR_YAML_MAP, err));
        for (uint32_t i = 0; i < spec->ntables; i++)
            if (strcasecmp(spec->tables[i].name, kid->key) == 0)
                return weir_yaml_fail(err, kid, "%s and %s are one table", kid->key, spec->tables[i].name);
        if (strcasecmp(kid->key, "source") == 0)
            return weir_yaml_fail(err, kid, "source is the name of the batch");
        rd->table = &spec->tables[spec->ntables++];
        rd->table->name = kid->key;
        rd->table->line = kid->key_line;
        WEIR_TRY(read_keys(rd, kid, joined_keys, "a table", err));
        if (rd->table->format == NULL || rd->table->path == NULL)
            return missing_key(err, kid, "a table needs format and path", "{ format: delta, path: ./gold/customers }");
    }
    return WEIR_OK;
}

static weir_rc
read_query(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    rd->spec->query_line = node->line;
    return want_text(node, &rd->spec->query, err);
}

/* YAML's null is the word too. */
static weir_rc
read_on_row_error(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    rd->spec->null_on_row_error = node->kind == WEIR_YAML_NULL;
    if (node->kind == WEIR_YAML_NULL)
        return WEIR_OK;
    WEIR_TRY(want(node, WEIR_YAML_TEXT, err));
    if (strcmp(node->text, "quarantine") == 0) {
        weir_fail(err, WEIR_UNSUPPORTED, "onRowError: quarantine is not in this version");
        weir_error_hint(err, "fail or null");
        return weir_yaml_at(err, node);
    }
    rd->spec->null_on_row_error = strcmp(node->text, "null") == 0;
    if (!rd->spec->null_on_row_error && strcmp(node->text, "fail") != 0)
        return weir_yaml_fail(err, node, "onRowError must be fail or null, not %.64s", node->shown);
    return WEIR_OK;
}

/* ---- sink ---- */

static weir_rc
read_sink_format(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    static const char *const later[] = {"hbase",  "kafka",        "parquet", "json",
                                        "csv",     "memory", "foreachBatch", NULL};

    WEIR_TRY(want_text(node, &rd->spec->sink.format, err));
    return weir_sink_find(node->text) != NULL ? WEIR_OK : no_format(node, "sink", weir_sink_names(), later, err);
}

static weir_rc
read_sink_path(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    if (rd->spec->sink.path != NULL)
        return weir_yaml_fail(err, node, "path and save are one key");
    return want_place(rd, node, &rd->spec->sink.path, err);
}

static weir_rc
read_output_mode(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    const char *mode = NULL;

    WEIR_TRY(want_text(node, &mode, err));
    if (strcasecmp(mode, "append") == 0) {
        rd->spec->sink.output_mode = "append";
        return WEIR_OK;
    }
    if (strcasecmp(mode, "update") == 0 || strcasecmp(mode, "complete") == 0) {
        weir_fail(err, WEIR_UNSUPPORTED, "outputMode %s is not in this version; append is", mode);
        return weir_yaml_at(err, node);
    }
    return weir_yaml_fail(err, node, "outputMode must be append, not %.64s", node->shown);
}

static weir_rc
add_partition(struct reading *rd, const struct weir_yaml *node, struct weir_slice name, struct weir_error *err)
{
    const char **by = rd->spec->sink.partition_by;
    uint32_t n = rd->spec->sink.npartition_by;

    if (name.len == 0)
        return weir_yaml_fail(err, node, "partitionBy has an empty name");
    for (uint32_t i = 0; i < n; i++)
        if (weir_slice_is_nocase(name, by[i]))
            return weir_yaml_fail(err, node, "partitionBy names %s twice", by[i]);
    by[n] = weir_mem_strndup(rd->mem, name.ptr, name.len);
    if (by[n] == NULL)
        return weir_mem_fail(rd->mem, name.len, err);
    rd->spec->sink.npartition_by = n + 1;
    return WEIR_OK;
}

/* A list, or a text with commas. */
static weir_rc
read_partition_by(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    enum { PARTITIONS_MAX = 64 };
    const char *at = NULL, *comma;

    rd->spec->sink.partition_by = weir_mem_zalloc(rd->mem, (PARTITIONS_MAX + 1) * sizeof(char *));
    if (rd->spec->sink.partition_by == NULL)
        return weir_mem_fail(rd->mem, PARTITIONS_MAX * sizeof(char *), err);
    if (node->kind == WEIR_YAML_LIST) {
        if (node->n > PARTITIONS_MAX)
            return weir_yaml_fail(err, node, "partitionBy names more than %d columns", PARTITIONS_MAX);
        for (const struct weir_yaml *kid = node->first; kid != NULL; kid = kid->next) {
            if (kid->kind != WEIR_YAML_TEXT)
                return weir_yaml_fail(err, kid, "partitionBy must be a list of texts");
            WEIR_TRY(add_partition(rd, kid, weir_slice(kid->text, strlen(kid->text)), err));
        }
        return WEIR_OK;
    }
    WEIR_TRY(want_text(node, &at, err));
    for (;; at = comma + 1) {
        comma = at + strcspn(at, ",");
        if (rd->spec->sink.npartition_by == PARTITIONS_MAX)
            return weir_yaml_fail(err, node, "partitionBy names more than %d columns", PARTITIONS_MAX);
        WEIR_TRY(add_partition(rd, node, weir_slice_trim(weir_slice(at, (size_t)(comma - at))), err));
        if (*comma == '\0')
            return WEIR_OK;
    }
}

static weir_rc
read_sink_options(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    return read_settings(rd, node, &rd->spec->sink.options, err);
}

static weir_rc
read_properties(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    return read_settings(rd, node, &rd->spec->sink.properties, err);
}

static weir_rc
read_comment(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    return want_text(node, &rd->spec->sink.comment, err);
}

static weir_rc
read_create(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    return want_bool(node, &rd->spec->sink.create, err);
}

static const struct key table_keys[] = {
    {"properties", read_properties, NULL},
    {"comment", read_comment, NULL},
    {"createIfAbsent", read_create, NULL},
    {"clusterBy", NULL, "use partitionBy, or leave the table unclustered"},
    KEY_END,
};

static weir_rc
read_sink_table(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    static const struct key table_name = {"table: NAME", NULL, "name the table's folder with path"};

    if (node->kind == WEIR_YAML_TEXT)
        return refused_key(node, &table_name, err);
    WEIR_TRY(want(node, WEIR_YAML_MAP, err));
    return read_keys(rd, node, table_keys, "sink.table", err);
}

static const struct key sink_keys[] = {
    {"format", read_sink_format, NULL},
    {"path", read_sink_path, NULL},
    {"save", read_sink_path, NULL},
    {"outputMode", read_output_mode, NULL},
    {"partitionBy", read_partition_by, NULL},
    {"options", read_sink_options, NULL},
    {"table", read_sink_table, NULL},
    {"merge", NULL, "append, and merge by another program"},
    {"mergeSQL", NULL, "append, and merge by another program"},
    KEY_END,
};

static weir_rc
read_sink(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    WEIR_TRY(want(node, WEIR_YAML_MAP, err));
    rd->spec->sink.line = node->key_line;
    rd->spec->sink.options.file = rd->spec->sink.properties.file = rd->spec->file;
    WEIR_TRY(read_keys(rd, node, sink_keys, "sink", err));
    if (rd->spec->sink.format == NULL)
        return missing_key(err, node, "sink has no format", "format: delta");
    return WEIR_OK;
}

/* ---- trigger, conf and the rest ---- */

static weir_rc
read_true(struct reading *rd, struct weir_yaml *node, weir_trigger trigger, struct weir_error *err)
{
    bool on;

    WEIR_TRY(want_bool(node, &on, err));
    if (!on)
        return weir_yaml_fail(err, node, "%s: false means nothing; take the trigger out to run for ever", node->key);
    rd->spec->trigger = trigger;
    return WEIR_OK;
}

static weir_rc
read_available_now(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    return read_true(rd, node, WEIR_TRIGGER_AVAILABLE_NOW, err);
}

static weir_rc
read_once(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    return read_true(rd, node, WEIR_TRIGGER_ONCE, err);
}

/* 0 seconds is Spark's way to say: one batch after another. */
static weir_rc
read_processing_time(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    const char *text = NULL;

    WEIR_TRY(want_text(node, &text, err));
    if (!weir_parse_interval_ms(weir_slice(text, strlen(text)), &rd->spec->trigger_ms) || rd->spec->trigger_ms < 0) {
        weir_yaml_fail(err, node, "processingTime: %.64s is no interval", node->shown);
        return weir_error_hint(err, "write it like \"10 seconds\" or \"5 minutes\"");
    }
    rd->spec->trigger = rd->spec->trigger_ms == 0 ? WEIR_TRIGGER_DEFAULT : WEIR_TRIGGER_PROCESSING_TIME;
    return WEIR_OK;
}

static const struct key trigger_keys[] = {
    {"availableNow", read_available_now, NULL},
    {"once", read_once, NULL},
    {"processingTime", read_processing_time, NULL},
    {"continuous", NULL, "use processingTime"},
    KEY_END,
};

static weir_rc
read_trigger(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    if (node->kind != WEIR_YAML_MAP) {
        WEIR_TRY(want(node, WEIR_YAML_TEXT, err));
        weir_yaml_fail(err, node, "trigger must be a map");
        return weir_error_hint(err, "write trigger: { availableNow: true }, or { processingTime: 10 seconds }");
    }
    if (node->n != 1)
        return weir_yaml_fail(err, node, "trigger must have one key, not %u", node->n);
    return read_keys(rd, node, trigger_keys, "trigger", err);
}

static weir_rc
read_checkpoint(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    return want_place(rd, node, &rd->spec->checkpoint, err);
}

static weir_rc
read_conf(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    return read_settings(rd, node, &rd->spec->conf_settings, err);
}

static weir_rc
read_name(struct reading *rd, struct weir_yaml *node, struct weir_error *err)
{
    enum { NAME_MAX_BYTES = 255 };

    WEIR_TRY(want_text(node, &rd->spec->name, err));
    if (strlen(node->text) > NAME_MAX_BYTES)
        return weir_yaml_fail(err, node, "name is longer than %d bytes", NAME_MAX_BYTES);
    for (const char *p = node->text; *p != '\0'; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return weir_yaml_fail(err, node, "name holds a control character");
    return WEIR_OK;
}

static const struct key root_keys[] = {
    {"name", read_name, NULL},
    {"source", read_source, NULL},
    {"query", read_query, NULL},
    {"sink", read_sink, NULL},
    {"trigger", read_trigger, NULL},
    {"checkpointLocation", read_checkpoint, NULL},
    {"conf", read_conf, NULL},
    {"tables", read_tables, NULL},
    {"views", NULL, NULL},
    {"sources", NULL, "write a file for each source"},
    {"sinks", NULL, "write a file for each sink"},
    {"expect", NULL, NULL},
    {"quarantine", NULL, NULL},
    {"onRowError", read_on_row_error, NULL},
    {"offsetTable", NULL, NULL},
    {"watermark", NULL, NULL},
    {"dropDuplicates", NULL, NULL},
    {"extends", NULL, NULL},   /* taken out before; here for the nearest name */
    {"variables", NULL, NULL}, /* taken out before */
    KEY_END,
};

/* Marks what the families take, so that only unknown keys are left. */
static weir_rc
apply_families(struct weir_spec *spec, struct weir_error *err)
{
    weir_option_state state;
    const char *about;

    for (uint32_t i = 0; i < spec->conf_settings.n; i++) {
        struct weir_setting *s = &spec->conf_settings.at[i];

        if (s->used || (about = weir_conf_family(s->key, &state)) == NULL)
            continue;
        if (state == WEIR_REFUSED) {
            weir_fail(err, WEIR_USAGE, "%s: refused: %s", s->key, about);
            return weir_error_context(err, "%s:%d", s->file, s->line);
        }
        weir_warn("%s:%d: %s has no effect: %s", s->file, s->line, s->key, about);
        s->used = true;
    }
    return WEIR_OK;
}

static weir_rc
conf_fail(const struct weir_spec *spec, const char *key, const char *why, struct weir_error *err)
{
    const struct weir_yaml *node = weir_yaml_get(weir_yaml_get(spec->tree, "conf"), key);

    weir_fail(err, WEIR_USAGE, "%s: %s", key, why);
    return weir_error_context(err, "%s:%d", node == NULL ? spec->file : node->file, node == NULL ? 1 : node->line);
}

/* What the tables cannot say. */
static weir_rc
check_conf(struct weir_spec *spec, struct weir_error *err)
{
    const struct weir_conf *c = &spec->conf;
    const struct { const char *key; int64_t value, least, most; const char *why; } ranges[] = {
        {"weir.memoryLimit", c->memory_limit, WEIR_MEMORY_MIN, INT64_MAX, "must be at least 32m"},
        {"weir.threads", c->threads, c->threads == -1 ? -1 : 1, 16, "must be 1 to 16"},
        {"weir.minCommitInterval", c->min_commit_ms, 0, INT64_MAX, "must not be negative"},
        {"weir.settleTime", c->settle_ms, 0, INT64_MAX, "must not be negative"},
        {"weir.maxRecordBytes", c->max_record_bytes, 1 << 20, 1 << 30, "must be 1m to 1g"},
        {"spark.sql.streaming.fileSource.log.compactInterval", c->compact_interval, 1, INT32_MAX,
         "must be a positive whole number"},
        {"spark.sql.streaming.minBatchesToRetain", c->batches_to_retain, 1, INT32_MAX,
         "must be a positive whole number"},
        {"spark.sql.streaming.pollingDelay", c->polling_delay_ms, 0, INT64_MAX, "must not be negative"},
        {"spark.databricks.cloudFiles.schemaInference.sampleSize.numFiles", c->sample_files, 1, INT32_MAX,
         "must be a positive whole number"},
        {"spark.databricks.cloudFiles.schemaInference.sampleSize.numBytes", c->sample_bytes, 1, INT64_MAX,
         "must be positive"},
    };

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (ranges[i].value < ranges[i].least || ranges[i].value > ranges[i].most)
            return conf_fail(spec, ranges[i].key, ranges[i].why, err);
    if (c->corrupt_name == NULL || *c->corrupt_name == '\0')
        return conf_fail(spec, "spark.sql.columnNameOfCorruptRecord", "must not be empty", err);
    if (weir_zone_find(c->time_zone, strlen(c->time_zone)) == NULL) {
        conf_fail(spec, "spark.sql.session.timeZone", "this zone is not known", err);
        return weir_zone_hint(err);
    }
    if (c->on_value_lost == 1) {
        conf_fail(spec, "weir.onValueLost", "quarantine is not in this version", err);
        return err->rc = WEIR_UNSUPPORTED;
    }
    return WEIR_OK;
}

static weir_rc
apply_conf(struct weir_spec *spec, struct weir_error *err)
{
    const struct weir_option *tables[] = {weir_conf_options};

    spec->conf_settings.file = spec->file;
    WEIR_TRY(weir_options_apply(weir_conf_options, &spec->conf, &spec->conf_settings, err));
    WEIR_TRY(apply_families(spec, err));
    WEIR_TRY(weir_options_unknown(tables, 1, &spec->conf_settings, err));
    return check_conf(spec, err);
}

/* ---- what keys say about one another ---- */

static weir_rc
check_checkpoint(const struct weir_spec *spec, const struct weir_yaml *root, struct weir_error *err)
{
    const struct weir_yaml *node = weir_yaml_get(root, "checkpointLocation");
    const char *rest;

    if (node == NULL && !weir_sink_find(spec->sink.format)->keeps)
        return WEIR_OK;
    if (node == NULL) {
        weir_yaml_fail(err, root, "checkpointLocation is missing");
        return weir_error_hint(err, "name a folder for this pipeline alone: checkpointLocation: ./state/%.64s",
                               spec->name);
    }
    if (weir_source_covers(spec->source.path, spec->checkpoint)) {
        weir_yaml_fail(err, node, "checkpointLocation is inside the source's folder");
        return weir_error_hint(err, "its files would be read as data; choose a folder outside");
    }
    if (spec->sink.path != NULL && weir_place_below(spec->checkpoint, spec->sink.path, &rest) && *rest != '_' &&
        *rest != '.') {
        weir_yaml_fail(err, node, "checkpointLocation is inside the table's folder");
        return weir_error_hint(err, "there its name must begin with _ or . as in _checkpoint");
    }
    return WEIR_OK;
}

static weir_rc
check_schema_location(const struct weir_spec *spec, const struct weir_yaml *root, struct weir_error *err)
{
    const struct weir_yaml *options = weir_yaml_get(weir_yaml_get(root, "source"), "options"), *kid;
    const char *rest;

    for (kid = options == NULL ? NULL : options->first; kid != NULL; kid = kid->next) {
        if (strcasecmp(kid->key, "cloudFiles.schemaLocation") != 0)
            continue;
        if (weir_source_covers(spec->source.path, kid->text)) {
            weir_yaml_fail(err, kid, "%s is inside the source's folder", kid->key);
            return weir_error_hint(err, "its files would be read as data; choose a folder outside");
        }
        if (spec->sink.path != NULL && weir_place_below(kid->text, spec->sink.path, &rest) && *rest != '_' &&
            *rest != '.')
            return weir_yaml_fail(err, kid, "%s is the table's folder, or inside it under a plain name", kid->key);
    }
    return WEIR_OK;
}

static weir_rc
check_places(const struct weir_spec *spec, const struct weir_yaml *root, struct weir_error *err)
{
    const struct weir_yaml *sink = weir_yaml_get(root, "sink");

    if (spec->sink.path == NULL && weir_sink_find(spec->sink.format)->keeps)
        return missing_key(err, sink, "sink has no path", "path: ./tables/orders");
    if (spec->sink.path != NULL && (weir_place_same(spec->sink.path, spec->source.path) ||
                                    weir_place_below(spec->source.path, spec->sink.path, NULL)))
        return weir_yaml_fail(err, sink, "the source's folder is the table's, or inside it");
    if (spec->sink.path != NULL && weir_source_covers(spec->source.path, spec->sink.path)) {
        weir_yaml_fail(err, sink, "the table's folder is inside the source's");
        return weir_error_hint(err, "its files would be read as data; choose a folder outside");
    }
    WEIR_TRY(check_checkpoint(spec, root, err));
    return check_schema_location(spec, root, err);
}

/* ---- the tree completed, for printing ---- */

static weir_rc
add_default(struct reading *rd, struct weir_yaml *map, const char *key, const char *text, struct weir_error *err)
{
    struct weir_yaml *node;

    for (node = map->first; node != NULL; node = node->next)
        if (strcasecmp(node->key, key) == 0)
            return WEIR_OK;
    node = weir_mem_zalloc(rd->mem, sizeof *node);
    if (node == NULL)
        return weir_mem_fail(rd->mem, sizeof *node, err);
    *node = (struct weir_yaml){.kind = text == NULL ? WEIR_YAML_MAP : WEIR_YAML_TEXT, .key = key, .text = text,
                               .shown = text, .file = rd->root->file, .line = rd->root->line,
                               .key_line = rd->root->line};
    weir_yaml_append(map, node);
    return WEIR_OK;
}

static weir_rc
add_defaults(struct reading *rd, struct weir_error *err)
{
    struct weir_yaml *conf;

    WEIR_TRY(add_default(rd, rd->root, "name", rd->spec->name, err));
    WEIR_TRY(add_default(rd, weir_yaml_get(rd->root, "sink"), "outputMode", rd->spec->sink.output_mode, err));
    WEIR_TRY(add_default(rd, rd->root, "conf", NULL, err));
    conf = weir_yaml_get(rd->root, "conf");
    for (const struct weir_option *opt = weir_conf_options; opt->name != NULL; opt++)
        if (opt->state == WEIR_HONOURED && opt->dflt != NULL)
            WEIR_TRY(add_default(rd, conf, opt->name, opt->dflt, err));
    return WEIR_OK;
}

/* ---- the whole ---- */

static weir_rc
spec_read(struct reading *rd, struct weir_error *err)
{
    struct weir_spec *spec = rd->spec;

    spec->tree = rd->root;
    spec->sink.output_mode = "append";
    spec->sink.create = true;
    WEIR_TRY(read_keys(rd, rd->root, root_keys, "a pipeline file", err));
    if (weir_yaml_get(rd->root, "source") == NULL)
        return missing_key(err, rd->root, "source is missing", "source: { format: cloudFiles, path: ./landing }");
    if (weir_yaml_get(rd->root, "sink") == NULL)
        return missing_key(err, rd->root, "sink is missing", "sink: { format: delta, path: ./tables/orders }");
    WEIR_TRY(apply_conf(spec, err));
    WEIR_TRY(check_places(spec, rd->root, err));
    WEIR_TRY(weir_spec_fingerprint(spec, rd->mem, &spec->fingerprint, err));
    return add_defaults(rd, err);
}

weir_rc
weir_spec_load(const char *file, struct weir_mem *mem, struct weir_spec **out, struct weir_error *err)
{
    struct reading rd = {.mem = mem};
    weir_rc rc;

    WEIR_NEW(rd.spec, mem, sizeof *rd.spec);
    rd.spec->file = weir_mem_strdup(mem, file);
    if (rd.spec->file == NULL)
        return weir_mem_fail(mem, strlen(file), err);
    rc = weir_spec_tree(rd.spec->file, mem, &rd.root, &rd.spec->dir, &rd.spec->name, err);
    if (rc == WEIR_NOTFOUND) /* a slip on the command line or in `extends`, not a failed pipeline */
        return err->rc = WEIR_USAGE;
    WEIR_GO(rc);
    WEIR_GO(spec_read(&rd, err));
    *out = rd.spec;
out:
    return rc;
}

weir_rc
weir_spec_print(const struct weir_spec *spec, struct weir_buf *buf, struct weir_error *err)
{
    weir_yaml_print(spec->tree, 0, buf);
    return weir_buf_check(buf, err);
}
