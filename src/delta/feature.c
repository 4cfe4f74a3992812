/* What weir does with each table feature. delta/feature.h.
 *
 * 1. A feature that is not in the table below is refused, whatever else is said about the table.
 * 2. APPEND_OK: a commit that only adds files, with complete rows, keeps the feature's promises by itself.
 *    APPEND_IF_IDLE: only while nothing in the table uses it; feature_active() knows how to tell.
 * 3. A legacy writer version stands for its features, which are then looked at in the same way.
 * Pure functions. */
#include "delta/feature.h"

#include <inttypes.h>

#include "base/str.h"

typedef enum feature_append { APPEND_OK, APPEND_IF_IDLE, APPEND_NEVER } feature_append;

struct feature {
    const char *name;
    bool reader;           /* readers must know it too */
    int writer_version;    /* the legacy version that stands for it; 7: none */
    feature_append append;
    bool read;             /* what its log says can be shown */
    const char *why;       /* of a refusal */
};

static const struct feature features[] = {
    {"appendOnly", false, 2, APPEND_OK, true, NULL},
    {"invariants", false, 2, APPEND_IF_IDLE, true, "column invariants are SQL that each row must satisfy"},
    {"checkConstraints", false, 3, APPEND_IF_IDLE, true, "CHECK constraints are SQL that each row must satisfy"},
    {"changeDataFeed", false, 4, APPEND_OK, true, NULL}, /* pure inserts are read from the data files */
    {"generatedColumns", false, 4, APPEND_IF_IDLE, true, "generated columns are computed by SQL"},
    {"columnMapping", true, 5, APPEND_IF_IDLE, true, "files need the columns' physical names"},
    {"identityColumns", false, 6, APPEND_IF_IDLE, true, "identity columns need values given out by the writer"},
    {"deletionVectors", true, 7, APPEND_OK, true, NULL}, /* numRecords is always written */
    {"timestampNtz", true, 7, APPEND_OK, true, NULL},
    {"v2Checkpoint", true, 7, APPEND_OK, true, NULL}, /* one file of the classic form stays legal */
    {"domainMetadata", false, 7, APPEND_OK, true, NULL},
    {"inCommitTimestamp", false, 7, APPEND_OK, true, NULL},
    {"vacuumProtocolCheck", true, 7, APPEND_OK, true, NULL},
    {"checkpointProtection", false, 7, APPEND_OK, true, NULL}, /* weir cleans no log */
    {"allowColumnDefaults", false, 7, APPEND_OK, true, NULL},  /* the binding looks after columns left out */
    {"typeWidening", true, 7, APPEND_OK, true, NULL},          /* new files have the newest types */
    {"typeWidening-preview", true, 7, APPEND_OK, true, NULL},
    {"variantType", true, 7, APPEND_OK, true, NULL},
    {"variantType-preview", true, 7, APPEND_OK, true, NULL},
    {"variantShredding", true, 7, APPEND_OK, true, NULL}, /* may shred, need not */
    {"variantShredding-preview", true, 7, APPEND_OK, true, NULL},
    {"rowTracking", false, 7, APPEND_NEVER, true, "each file needs row ids given out by the writer"},
    {"clustering", false, 7, APPEND_NEVER, true, "statistics must follow the clustering columns"},
    {"icebergCompatV1", false, 7, APPEND_IF_IDLE, true, "files must be readable as Iceberg's"},
    {"icebergCompatV2", false, 7, APPEND_IF_IDLE, true, "files must be readable as Iceberg's"},
    {"icebergCompatV3", false, 7, APPEND_IF_IDLE, true, "files must be readable as Iceberg's"},
    {"materializePartitionColumns", false, 7, APPEND_NEVER, true, "files must hold the partition columns"},
    {"catalogManaged", true, 7, APPEND_NEVER, false, "its commits go through a catalog"},
    {"catalogOwned-preview", true, 7, APPEND_NEVER, false, "its commits go through a catalog"},
    {"coordinatedCommits-preview", false, 7, APPEND_NEVER, false, "its commits go through a coordinator"},
};

static const struct feature *
feature_find(const char *name)
{
    for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++) {
        if (strcmp(features[i].name, name) == 0)
            return &features[i];
    }
    return NULL;
}

static weir_rc
feature_refuse(const char *what, const char *name, const char *why, struct weir_error *err)
{
    return weir_fail(err, WEIR_UNSUPPORTED, "the table needs %s feature %s%s%s", what, name, why != NULL ? ": " : "",
                     why != NULL ? why : "");
}

weir_rc
weir_feature_check_read(const struct weir_protocol *p, struct weir_error *err)
{
    if (p->reader > 3)
        return weir_fail(err, WEIR_UNSUPPORTED, "the table needs reader version %d, weir knows 1 to 3", p->reader);
    if (p->reader == 3 && p->writer < 7)
        return weir_fail(err, WEIR_CORRUPT, "protocol (3, %d) is none: reader 3 comes with writer 7", p->writer);
    for (uint32_t i = 0; p->reader == 3 && i < p->nreader_features; i++) {
        const struct feature *f = feature_find(p->reader_features[i]);

        if (f == NULL || !f->read)
            return feature_refuse("reader", p->reader_features[i], f != NULL ? f->why : NULL, err);
    }
    for (uint32_t i = 0; p->writer == 7 && i < p->nwriter_features; i++) {
        const struct feature *f = feature_find(p->writer_features[i]);

        if (f != NULL && !f->read)
            return feature_refuse("writer", p->writer_features[i], f->why, err);
    }
    return WEIR_OK;
}

/* --- what is active ------------------------------------------------------------------------------------------- */

/* The first column, at any depth, whose metadata has a key that starts so; its name goes to *column. */
static bool
column_has(const struct weir_type *type, const char *key, const char **column)
{
    char quoted[64];

    snprintf(quoted, sizeof(quoted), "\"%s", key);
    for (uint32_t i = 0; i < type->nfields; i++) {
        const struct weir_field *f = &type->fields[i];

        if (f->metadata != NULL && strstr(f->metadata, quoted) != NULL) {
            *column = f->name;
            return true;
        }
        if (column_has(f->type, key, column))
            return true;
    }
    return false;
}

static bool
conf_has_prefix(const struct weir_metadata *meta, const char *prefix, const char **what)
{
    for (uint32_t i = 0; i < meta->nconf; i++) {
        if (weir_slice_is_nocase(weir_slice(meta->conf[i].key, strnlen(meta->conf[i].key, strlen(prefix))), prefix)) {
            *what = meta->conf[i].key;
            return true;
        }
    }
    return false;
}

/* Whether an APPEND_IF_IDLE feature is in use; *what names the column or property. */
static bool
feature_active(const char *name, const struct weir_metadata *meta, const char **what)
{
    const char *mode;

    if (strcmp(name, "invariants") == 0)
        return column_has(meta->schema, "delta.invariants\"", what);
    if (strcmp(name, "checkConstraints") == 0)
        return conf_has_prefix(meta, "delta.constraints.", what);
    if (strcmp(name, "generatedColumns") == 0)
        return column_has(meta->schema, "delta.generationExpression\"", what);
    if (strcmp(name, "identityColumns") == 0)
        return column_has(meta->schema, "delta.identity.", what);
    if (strcmp(name, "columnMapping") == 0) {
        *what = "delta.columnMapping.mode";
        mode = weir_metadata_conf(meta, *what);
        return mode != NULL && strcmp(mode, "none") != 0;
    }
    if (weir_str_starts(name, "icebergCompatV")) {
        *what = name[14] == '1' ? "delta.enableIcebergCompatV1"
                : name[14] == '2' ? "delta.enableIcebergCompatV2"
                                  : "delta.enableIcebergCompatV3";
        return weir_metadata_conf_true(meta, *what);
    }
    return true;
}

static weir_rc
feature_check(const struct feature *f, const char *name, const struct weir_metadata *meta, struct weir_error *err)
{
    const char *what = NULL;

    if (f == NULL)
        return feature_refuse("writer", name, NULL, err);
    if (f->append == APPEND_NEVER)
        return feature_refuse("writer", name, f->why, err);
    if (f->append == APPEND_IF_IDLE && feature_active(name, meta, &what))
        return weir_fail(err, WEIR_UNSUPPORTED, "the table uses feature %s (%s): %s", name, what, f->why);
    return WEIR_OK;
}

weir_rc
weir_feature_check_append(const struct weir_protocol *p, const struct weir_metadata *meta, struct weir_error *err)
{
    const char *column;

    WEIR_TRY(weir_feature_check_read(p, err));
    if (p->writer > 7)
        return weir_fail(err, WEIR_UNSUPPORTED, "the table needs writer version %d, weir knows 1 to 7", p->writer);
    if (p->writer == 7) {
        for (uint32_t i = 0; i < p->nwriter_features; i++)
            WEIR_TRY(feature_check(feature_find(p->writer_features[i]), p->writer_features[i], meta, err));
    } else {
        for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++) {
            if (features[i].writer_version <= p->writer)
                WEIR_TRY(feature_check(&features[i], features[i].name, meta, err));
        }
    }
    if (column_has(meta->schema, "__CHAR_VARCHAR_TYPE_STRING\"", &column))
        return weir_fail(err, WEIR_UNSUPPORTED, "column %s is a char or varchar: its length would have to be checked",
                         column);
    if (column_has(meta->schema, "__COLLATIONS\"", &column))
        return weir_fail(err, WEIR_UNSUPPORTED, "column %s has a collation", column);
    return WEIR_OK;
}

bool
weir_feature_has(const struct weir_protocol *p, const char *name)
{
    for (uint32_t i = 0; p->writer == 7 && i < p->nwriter_features; i++) {
        if (strcmp(p->writer_features[i], name) == 0)
            return true;
    }
    return false;
}

bool
weir_feature_uses(const struct weir_type *type, weir_kind kind)
{
    if (type->kind == kind)
        return true;
    for (uint32_t i = 0; i < type->nfields; i++) {
        if (weir_feature_uses(type->fields[i].type, kind))
            return true;
    }
    return false;
}

/* --- properties of a new table -------------------------------------------------------------------------------- */

typedef enum property_kind { PROP_BOOL, PROP_NUMBER, PROP_TEXT, PROP_REFUSED } property_kind;

static const struct property {
    const char *name;
    property_kind kind;
    const char *arg; /* BOOL: the feature that "true" needs; REFUSED: why */
} properties[] = {
    {"delta.appendOnly", PROP_BOOL, NULL},
    {"delta.enableChangeDataFeed", PROP_BOOL, "changeDataFeed"},
    {"delta.enableDeletionVectors", PROP_BOOL, "deletionVectors"},
    {"delta.enableInCommitTimestamps", PROP_BOOL, "inCommitTimestamp"},
    {"delta.checkpointPolicy", PROP_TEXT, NULL},
    {"delta.autoOptimize.autoCompact", PROP_TEXT, NULL},
    {"delta.autoOptimize.optimizeWrite", PROP_TEXT, NULL},
    {"delta.checkpointInterval", PROP_NUMBER, NULL},
    {"delta.checkpoint.writeStatsAsJson", PROP_BOOL, NULL},
    {"delta.checkpoint.writeStatsAsStruct", PROP_BOOL, NULL},
    {"delta.dataSkippingNumIndexedCols", PROP_NUMBER, NULL},
    {"delta.dataSkippingStatsColumns", PROP_TEXT, NULL},
    {"delta.deletedFileRetentionDuration", PROP_TEXT, NULL},
    {"delta.enableExpiredLogCleanup", PROP_BOOL, NULL},
    {"delta.enableFullRetentionRollback", PROP_BOOL, NULL},
    {"delta.logRetentionDuration", PROP_TEXT, NULL},
    {"delta.sampleRetentionDuration", PROP_TEXT, NULL},
    {"delta.targetFileSize", PROP_TEXT, NULL},
    {"delta.parquet.compression.codec", PROP_TEXT, NULL},
    {"delta.randomizeFilePrefixes", PROP_REFUSED, "weir names partition folders after their values"},
    {"delta.randomPrefixLength", PROP_REFUSED, "weir names partition folders after their values"},
    {"delta.isolationLevel", PROP_REFUSED, "Serializable is what an append has"},
    {"delta.setTransactionRetentionDuration", PROP_REFUSED,
     "batches that are forgotten could be written a second time"},
    {"delta.columnMapping.mode", PROP_REFUSED, "column mapping is not written yet"},
    {"delta.columnMapping.maxColumnId", PROP_REFUSED, "column mapping is not written yet"},
    {"delta.enableRowTracking", PROP_REFUSED, "row ids are not written yet"},
    {"delta.enableTypeWidening", PROP_REFUSED, "type changes are not written yet"},
    {"delta.enableVariantShredding", PROP_REFUSED, "variants are not written yet"},
    {"delta.enableIcebergCompatV1", PROP_REFUSED, "files are not written for Iceberg yet"},
    {"delta.enableIcebergCompatV2", PROP_REFUSED, "files are not written for Iceberg yet"},
    {"delta.enableIcebergCompatV3", PROP_REFUSED, "files are not written for Iceberg yet"},
    {"delta.universalFormat.enabledFormats", PROP_REFUSED, "files are not written for Iceberg yet"},
    {"delta.minReaderVersion", PROP_REFUSED, "weir takes the lowest protocol that the columns need"},
    {"delta.minWriterVersion", PROP_REFUSED, "weir takes the lowest protocol that the columns need"},
    {"delta.ignoreProtocolDefaults", PROP_REFUSED, "weir takes the lowest protocol that the columns need"},
};

static const struct property *
property_find(const char *name)
{
    for (size_t i = 0; i < sizeof(properties) / sizeof(*properties); i++) {
        if (weir_slice_is_nocase(weir_slice(name, strlen(name)), properties[i].name))
            return &properties[i];
    }
    return NULL;
}

static weir_rc
property_unknown(const char *name, struct weir_error *err)
{
    const char *names[sizeof(properties) / sizeof(*properties)], *near;

    for (size_t i = 0; i < sizeof(properties) / sizeof(*properties); i++)
        names[i] = properties[i].name;
    near = weir_nearest(name, names, sizeof(names) / sizeof(*names));
    weir_fail(err, WEIR_USAGE, "table property %s is not known%s%s", name, near != NULL ? "; did you mean " : "",
              near != NULL ? near : "");
    return weir_error_hint(err, "names of your own do not begin with delta.");
}

static weir_rc
property_check(const struct property *p, const char *key, const char *value, struct weir_error *err)
{
    struct weir_slice v = weir_slice(value, strlen(value));
    int64_t number;
    bool on;

    if (p->kind == PROP_REFUSED)
        return weir_fail(err, WEIR_UNSUPPORTED, "table property %s is refused: %s", key, p->arg);
    if (p->kind == PROP_BOOL && !weir_parse_bool(v, &on))
        return weir_fail(err, WEIR_USAGE, "table property %s is true or false, not %s", key, value);
    if (p->kind == PROP_NUMBER && (!weir_parse_int(v, &number) || number < -1))
        return weir_fail(err, WEIR_USAGE, "table property %s is a number, not %s", key, value);
    if (strcmp(p->name, "delta.checkpointPolicy") == 0 && strcmp(value, "classic") != 0 && strcmp(value, "v2") != 0)
        return weir_fail(err, WEIR_USAGE, "table property %s is classic or v2, not %s", key, value);
    return WEIR_OK;
}

weir_rc
weir_feature_properties(struct weir_settings *set, struct weir_mem *mem, struct weir_metadata *meta,
                        struct weir_error *err)
{
    weir_rc rc = WEIR_OK;

    if (set == NULL || set->n == 0)
        return WEIR_OK;
    WEIR_NEW(meta->conf, mem, set->n * sizeof(*meta->conf));
    for (uint32_t i = 0; i < set->n; i++) {
        struct weir_setting *s = &set->at[i];
        const struct property *p = property_find(s->key);
        const char *why = NULL;

        s->used = true;
        if (p == NULL && weir_slice_is_nocase(weir_slice(s->key, strnlen(s->key, 6)), "delta.")) {
            if (weir_slice_is_nocase(weir_slice(s->key, strnlen(s->key, 14)), "delta.feature."))
                why = "weir adds the features that the columns need";
            if (weir_slice_is_nocase(weir_slice(s->key, strnlen(s->key, 18)), "delta.constraints."))
                why = "CHECK constraints are SQL that each row must satisfy";
            if (why != NULL)
                rc = weir_fail(err, WEIR_UNSUPPORTED, "table property %s is refused: %s", s->key, why);
            else
                rc = property_unknown(s->key, err);
        } else if (p != NULL) {
            rc = property_check(p, s->key, s->value, err);
        }
        if (rc != WEIR_OK)
            return weir_error_context(err, "%s:%d", s->file != NULL ? s->file : set->file != NULL ? set->file : "table",
                                      s->line);
        meta->conf[meta->nconf++] = (struct weir_pair){p != NULL ? p->name : s->key, s->value};
    }
out:
    return rc;
}

weir_rc
weir_feature_protocol(const struct weir_metadata *meta, struct weir_mem *mem, struct weir_protocol *out,
                      struct weir_error *err)
{
    const char **reader, **writer;
    const char *policy = weir_metadata_conf(meta, "delta.checkpointPolicy");
    uint32_t nr = 0, nw = 0;
    weir_rc rc = WEIR_OK;

    WEIR_NEW(reader, mem, 16 * sizeof(*reader));
    WEIR_NEW(writer, mem, 16 * sizeof(*writer));
    if (weir_feature_uses(meta->schema, WEIR_TIMESTAMP_NTZ))
        writer[nw++] = "timestampNtz";
    if (policy != NULL && strcmp(policy, "v2") == 0)
        writer[nw++] = "v2Checkpoint";
    for (size_t i = 0; i < sizeof(properties) / sizeof(*properties); i++) {
        if (properties[i].kind == PROP_BOOL && properties[i].arg != NULL &&
            weir_metadata_conf_true(meta, properties[i].name))
            writer[nw++] = properties[i].arg;
    }
    *out = (struct weir_protocol){.reader = 1, .writer = 2};
    if (nw == 0)
        return WEIR_OK;
    for (uint32_t i = 0; i < nw; i++) {
        if (feature_find(writer[i])->reader)
            reader[nr++] = writer[i];
    }
    writer[nw++] = "invariants"; /* what writer 2 stood for goes along */
    writer[nw++] = "appendOnly";
    *out = (struct weir_protocol){.reader = nr > 0 ? 3 : 1,
                                  .writer = 7,
                                  .reader_features = reader,
                                  .writer_features = writer,
                                  .nreader_features = nr,
                                  .nwriter_features = nw};
out:
    return rc;
}
