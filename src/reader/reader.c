/* The reader of a source: its options, what it is opened with, and the columns that its pages are bound to. Which
 * schema that is: settle.c; how it grows: evolve.c. */
#include "reader/reader.h"

#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "reader/reader_int.h"

#define AT(member) offsetof(struct reader_options, member)

const struct weir_option weir_reader_options[] = {
    {"rescuedDataColumn", WEIR_OPT_TEXT, WEIR_HONOURED, AT(rescued_name), NULL, NULL,
     "Column that keeps what does not fit the schema; cloudFiles without a schema has _rescued_data."},
    {"readerCaseSensitive", WEIR_OPT_BOOL, WEIR_HONOURED, AT(case_sensitive), "true", NULL,
     "A key that differs from its column only in case is rescued; false: it is taken."},
    {"ignoreCorruptFiles", WEIR_OPT_BOOL, WEIR_HONOURED, AT(ignore_corrupt), "false", NULL,
     "Passes over the unreadable rest of a compressed file, with a warning and a count."},
    {"ignoreMissingFiles", WEIR_OPT_BOOL, WEIR_HONOURED, AT(ignore_missing), "false", NULL,
     "Passes over a planned file that has gone, with a warning and a count."},
    {"badRecordsPath", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL,
     "its files are not part of the table's commit; use the corrupt record column or rescuedDataColumn"},
    WEIR_OPTION_END,
};

const struct weir_option weir_loader_options[] = {
    {"cloudFiles.format", WEIR_OPT_TEXT, WEIR_HONOURED, AT(format), NULL, NULL, "Format of the files."},
    {"cloudFiles.schemaLocation", WEIR_OPT_TEXT, WEIR_HONOURED, AT(schema_location), NULL, NULL,
     "Folder that keeps the versions of the inferred schema."},
    {"cloudFiles.schemaHints", WEIR_OPT_TEXT, WEIR_HONOURED, AT(schema_hints), NULL, NULL,
     "Types that inference must give to columns: \"id BIGINT, user.dob DATE, items.element.qty INT\"."},
    {"cloudFiles.inferColumnTypes", WEIR_OPT_BOOL, WEIR_HONOURED, AT(infer_column_types), "false", NULL,
     "Infers types; false: every leaf is a STRING."},
    {"cloudFiles.schemaEvolutionMode", WEIR_OPT_CHOICE, WEIR_HONOURED, AT(evolution), NULL,
     "addNewColumns|rescue|failOnNewColumns|none",
     "What a new field does; default addNewColumns, with a schema none."},
    {"cloudFiles.partitionColumns", WEIR_OPT_TEXT, WEIR_HONOURED, AT(partition_columns), NULL, NULL,
     "Which key=value parts of the path become columns; empty: none."},
    WEIR_OPTION_END,
};

/* Often it is there, with a slip in its name. */
static weir_rc
reader_no_format(const struct weir_reader *r, struct weir_error *err)
{
    static const char *const name[] = {"cloudFiles.format"};
    const struct weir_settings *set = r->env.options;

    weir_fail(err, WEIR_USAGE, "%s: cloudFiles.format is missing", set->file);
    for (uint32_t i = 0; i < set->n; i++)
        if (weir_nearest(set->at[i].key, name, 1) != NULL)
            return weir_error_hint(err, "line %d has %s: did you mean cloudFiles.format?", set->at[i].line,
                                   set->at[i].key);
    return weir_error_hint(err, "add `cloudFiles.format: json` to source.options");
}

static weir_rc
reader_format(struct weir_reader *r, struct weir_error *err)
{
    const char *name = r->auto_loader ? r->opt.format : r->env.source_format;

    if (name == NULL)
        return reader_no_format(r, err);
    r->format = weir_format_find(name);
    if (r->format != NULL)
        return WEIR_OK;
    weir_fail(err, WEIR_UNSUPPORTED, "format %s is not read by this version", name);
    weir_error_hint(err, "formats: %s", weir_format_names()[0]);
    return r->auto_loader ? weir_settings_at(r->env.options, "cloudFiles.format", err)
                          : weir_error_context(err, "%s: source.format", r->env.options->file);
}

static weir_rc
reader_format_options(struct weir_reader *r, struct weir_error *err)
{
    struct weir_format_env env = {.zone = r->env.zone,
                                  .case_sensitive = r->opt.case_sensitive,
                                  .max_record_bytes = r->env.max_record_bytes,
                                  .quota = r->env.quota,
                                  .mem = r->env.mem};
    struct transcode *probe;
    weir_rc rc;

    WEIR_NEW(r->format_opt, r->env.mem, r->format->options_size);
    WEIR_GO(weir_options_apply(r->format->options, r->format_opt, r->env.options, err));
    WEIR_GO(r->format->prepare(r->format_opt, &env, err));
    if (r->format->traits != NULL)
        r->format->traits(r->format_opt, &r->traits);
    r->encoding = r->traits.encoding;
    WEIR_GO(transcode_new(r->encoding, &probe, err)); /* a name that nobody knows is found now */
    transcode_free(probe);
out:
    return rc;
}

/* A user's schema is DDL, or Spark's JSON when it begins like JSON. */
static weir_rc
reader_given(struct weir_reader *r, struct weir_error *err)
{
    const char *text = r->env.schema;
    struct weir_slice s;

    if (text == NULL)
        return WEIR_OK;
    s = weir_slice_trim(weir_slice(text, strlen(text)));
    if (s.len > 0 && s.ptr[0] == '{') {
        WEIR_TRY(weir_type_parse_json(s.ptr, s.len, r->env.mem, &r->given, err));
        if (r->given->kind != WEIR_STRUCT)
            return weir_fail(err, WEIR_USAGE, "source.schema is a %s, not a struct", weir_kind_name(r->given->kind));
        return WEIR_OK;
    }
    return weir_schema_parse_ddl(s.ptr, s.len, r->env.mem, &r->given, err);
}

static weir_rc
reader_modes(struct weir_reader *r, struct weir_error *err)
{
    const char *corrupt = weir_settings_get(r->env.options, "columnNameOfCorruptRecord");
    const char *recursive = weir_settings_get(r->env.options, "recursiveFileLookup");
    int mode = weir_settings_get(r->env.options, "cloudFiles.schemaEvolutionMode") == NULL ? EVOLVE_DEFAULT
                                                                                          : r->opt.evolution;

    if (!r->auto_loader && recursive != NULL)
        weir_parse_bool(weir_slice(recursive, strlen(recursive)), &r->opt.plain_paths); /* the source has checked it */
    r->corrupt_name = corrupt != NULL ? corrupt : r->env.corrupt_name;
    r->rescued_name = r->opt.rescued_name;
    if (!r->auto_loader || r->given != NULL) {
        if (mode == EVOLVE_ADD) {
            weir_fail(err, WEIR_USAGE, "cloudFiles.schemaEvolutionMode addNewColumns does not go with source.schema");
            return weir_error_hint(err, "give the same types as cloudFiles.schemaHints instead");
        }
        r->evolution = mode == EVOLVE_DEFAULT ? EVOLVE_NONE : (weir_evolution)mode;
        return WEIR_OK;
    }
    r->evolution = mode == EVOLVE_DEFAULT ? EVOLVE_ADD : (weir_evolution)mode;
    if (r->rescued_name == NULL && r->evolution != EVOLVE_NONE)
        r->rescued_name = "_rescued_data";
    return WEIR_OK;
}

weir_rc
reader_hints_parse(const struct weir_reader *r, struct weir_hint **hints, uint32_t *n, struct weir_error *err)
{
    const char *text = r->opt.schema_hints;

    *n = 0;
    if (text == NULL || weir_hints_parse(text, strlen(text), r->env.mem, hints, n, err) == WEIR_OK)
        return WEIR_OK;
    return weir_settings_at(r->env.options, "cloudFiles.schemaHints", err);
}

/* Without a schema of the user's one must be inferred, and kept where the next run finds it. */
static weir_rc
reader_inferable(const struct weir_reader *r, struct weir_error *err)
{
    if (r->given != NULL)
        return WEIR_OK;
    if (!r->auto_loader && !r->env.schema_inference) {
        weir_fail(err, WEIR_USAGE, "source.schema is missing: Spark's %s source does not infer it by itself",
                  r->env.source_format);
        return weir_error_hint(err, "add source.schema, or format: cloudFiles with a cloudFiles.schemaLocation, or conf: "
                                    "spark.sql.streaming.schemaInference: true");
    }
    if (r->auto_loader && r->opt.schema_location == NULL) {
        weir_fail(err, WEIR_USAGE, "cloudFiles needs a schema, or a place to keep the one that it infers");
        return weir_error_hint(err, "add cloudFiles.schemaLocation, or source.schema");
    }
    return WEIR_OK;
}

weir_rc
weir_reader_open(const struct weir_reader_env *env, struct weir_reader **out, struct weir_error *err)
{
    struct weir_reader *r;
    weir_rc rc;

    WEIR_NEW(r, env->mem, sizeof(*r));
    r->env = *env;
    r->version = r->widened = -1;
    r->bind_mem = weir_mem_new(env->mem, env->quota, "reader");
    if (r->bind_mem == NULL)
        WEIR_GO(weir_mem_fail(env->mem, 0, err));
    r->auto_loader = strcasecmp(env->source_format, "cloudFiles") == 0;
    WEIR_GO(weir_options_apply(weir_reader_options, &r->opt, env->options, err));
    if (r->auto_loader)
        WEIR_GO(weir_options_apply(weir_loader_options, &r->opt, env->options, err));
    WEIR_GO(reader_format(r, err));
    WEIR_GO(reader_format_options(r, err));
    WEIR_GO(reader_given(r, err));
    WEIR_GO(reader_modes(r, err));
    WEIR_GO(reader_inferable(r, err));
    WEIR_GO(reader_hints_parse(r, &(struct weir_hint *){NULL}, &(uint32_t){0}, err)); /* they are read later */
    *out = r;
out:
    return rc;
}

void
weir_reader_close(struct weir_reader *r)
{
    (void)r; /* all of it lives in the run's arena */
}

uint32_t
weir_reader_tables(const struct weir_reader *r, const struct weir_option **tables, uint32_t room)
{
    uint32_t n = 0;

    WEIR_ASSERT(room >= 3);
    tables[n++] = weir_reader_options;
    tables[n++] = r->format->options;
    if (r->auto_loader)
        tables[n++] = weir_loader_options;
    return n;
}

const char *
weir_reader_schema_location(const struct weir_reader *r)
{
    return r->given != NULL ? NULL : r->opt.schema_location;
}

int64_t
weir_reader_schema_version(const struct weir_reader *r)
{
    return r->version;
}

const struct weir_type *
weir_reader_schema(const struct weir_reader *r)
{
    return r->schema;
}

/* Where the corrupt record goes: a STRING column of the data's. */
static weir_rc
bind_corrupt(struct weir_reader *r, struct weir_error *err)
{
    int at = weir_field_find(r->data, r->corrupt_name, strlen(r->corrupt_name), false);

    r->corrupt = at;
    if (at < 0 || r->data->fields[at].type->kind == WEIR_STRING)
        return WEIR_OK;
    return weir_fail(err, WEIR_USAGE, "the corrupt record column %s must be a STRING, not %s", r->corrupt_name,
                     weir_kind_name(r->data->fields[at].type->kind));
}

static void
bind_column(struct weir_reader *r, struct weir_field *fields, uint32_t at, const struct weir_field *f, int32_t source,
            int32_t part)
{
    fields[at] = *f;
    r->source[at] = source;
    r->part_of[at] = part;
}

weir_rc
weir_reader_bind(struct weir_reader *r, bool metadata, struct weir_error *err)
{
    static const struct weir_field meta = {.name = "_metadata", .name_len = 9, .type = &weir_metadata_type};
    uint32_t most = r->data->nfields + r->partition->nfields + 2, n = 0;
    struct weir_field *fields;
    weir_rc rc;

    weir_mem_reset(r->bind_mem);
    r->rescued = r->metadata = -1;
    WEIR_GO(bind_corrupt(r, err));
    WEIR_NEW(fields, r->bind_mem, most * sizeof(*fields));
    WEIR_NEW(r->source, r->bind_mem, most * sizeof(*r->source));
    WEIR_NEW(r->part_of, r->bind_mem, most * sizeof(*r->part_of));
    for (uint32_t i = 0; i < r->data->nfields; i++) {
        const struct weir_field *f = &r->data->fields[i];
        int part = weir_field_find(r->partition, f->name, f->name_len, false);

        bind_column(r, fields, n++, part < 0 ? f : &r->partition->fields[part], part < 0, part);
    }
    for (uint32_t i = 0; i < r->partition->nfields; i++) {
        const struct weir_field *f = &r->partition->fields[i];

        if (weir_field_find(r->data, f->name, f->name_len, false) < 0)
            bind_column(r, fields, n++, f, 0, (int32_t)i);
    }
    if (r->rescued_name != NULL) {
        struct weir_field f = {.name = r->rescued_name,
                               .name_len = (uint32_t)strlen(r->rescued_name),
                               .nullable = true,
                               .type = &weir_type_string};
        int at = weir_field_find(r->data, f.name, f.name_len, false);

        r->rescued = at >= 0 ? at : (int32_t)n;
        if (at < 0)
            bind_column(r, fields, n++, &f, 1, -1);
    }
    if (metadata && weir_field_find(r->data, meta.name, meta.name_len, false) < 0) {
        r->metadata = (int32_t)n;
        bind_column(r, fields, n++, &meta, 0, -1);
    }
    r->schema = weir_type_struct(r->bind_mem, fields, n);
    if (r->schema == NULL)
        WEIR_GO(weir_mem_fail(r->bind_mem, 0, err));
out:
    return rc;
}
