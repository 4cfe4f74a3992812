/* The reader of a source: its options, and which schema its pages have.
 *
 * The schema comes from the first of these that is there:
 *   1. the user's (`source.schema`): hints and evolution do not apply, as in Auto Loader;
 *   2. the newest version in <schemaLocation>/_schemas;
 *   3. inference over a sample; with a schemaLocation the result becomes version 0.
 * Partition columns are part of a stored version and do not evolve; beside a user's schema only those are taken that
 * the schema names. */
#include "reader/reader.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/time.h"
#include "reader/reader_int.h"
#include "schema/log.h"
#include "schema/merge.h"
#include "schema/partition.h"

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

static weir_rc
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

bool
weir_reader_needs_sample(const struct weir_reader *r, struct weir_store *location)
{
    struct weir_error err = {0};
    struct weir_mem *mem;
    struct weir_schema_version v;
    weir_rc rc = WEIR_NOTFOUND;

    if (r->given != NULL || location == NULL)
        return r->given == NULL;
    mem = weir_mem_new(NULL, r->env.quota, "schema version");
    if (mem != NULL)
        rc = weir_schema_log_read(location, -1, mem, &v, &err);
    weir_mem_free(mem);
    return rc == WEIR_NOTFOUND;
}

static weir_rc
reader_partitions(struct weir_reader *r, const struct weir_tasks *tasks, const struct weir_type **out,
                  struct weir_error *err)
{
    struct weir_partition_options opt = {.infer_types = !r->auto_loader || r->opt.infer_column_types,
                                         .only = r->opt.plain_paths ? "" : r->opt.partition_columns};
    const char **keys;
    uint32_t n = 0;
    bool conflict = false;
    weir_rc rc;

    WEIR_NEW(keys, r->env.mem, (tasks->n + 1) * sizeof(*keys));
    for (uint32_t i = 0; i < tasks->n; i++)
        if (tasks->at[i].key != NULL)
            keys[n++] = tasks->at[i].key;
    WEIR_GO(weir_partition_infer(keys, n, &opt, r->env.mem, out, &conflict, err));
    if (conflict)
        weir_warn("the key=value parts of the paths do not agree; they become no columns");
out:
    return rc;
}

static bool
same_folder(const char *a, const char *b)
{
    const char *a_end = strrchr(a, '/'), *b_end = strrchr(b, '/');
    size_t n = a_end == NULL ? 0 : (size_t)(a_end - a);

    return n == (b_end == NULL ? 0 : (size_t)(b_end - b)) && memcmp(a, b, n) == 0;
}

static bool
listed(const char *names, const struct weir_field *f)
{
    for (const char *at = names;; at++) {
        size_t n = strcspn(at, ",");

        if (weir_slice_is_nocase(weir_slice_trim(weir_slice(at, n)), f->name))
            return true;
        at += n;
        if (*at == '\0')
            return false;
    }
}

/* Whether paths fill the user's column: it is named in partitionColumns; without those, a folder of one of the objects
 * reads "name=value". */
static bool
given_by_path(const struct weir_reader *r, const struct weir_field *f, const struct weir_tasks *tasks)
{
    const char *before = NULL;

    if (weir_kind_is_nested(f->type->kind) || r->opt.plain_paths)
        return false;
    if (r->opt.partition_columns != NULL)
        return listed(r->opt.partition_columns, f);
    for (uint32_t i = 0; i < tasks->n; i++) {
        const char *key = tasks->at[i].key;

        if (key == NULL || (before != NULL && same_folder(before, key)))
            continue;
        if (weir_partition_has(key, f->name))
            return true;
        before = key;
    }
    return false;
}

weir_rc
weir_reader_paths(struct weir_reader *r, const struct weir_tasks *tasks, bool *changed, struct weir_error *err)
{
    struct weir_field *fields = r->given_fields;
    uint32_t n = 0;
    weir_rc rc = WEIR_OK;

    *changed = false;
    if (r->given == NULL)
        return WEIR_OK;
    if (fields == NULL)
        WEIR_NEW(fields, r->env.mem, (r->given->nfields + 1) * sizeof(*fields));
    for (uint32_t i = 0; i < r->given->nfields; i++) {
        if (!given_by_path(r, &r->given->fields[i], tasks))
            continue;
        *changed |= n >= r->given_partition.nfields || fields[n].name != r->given->fields[i].name;
        fields[n++] = r->given->fields[i];
    }
    *changed |= n != r->given_partition.nfields || r->given_fields == NULL;
    r->given_fields = fields;
    r->given_partition = (struct weir_type){.kind = WEIR_STRUCT, .nfields = n, .fields = fields};
    r->partition = &r->given_partition;
out:
    return rc;
}

struct survey {
    struct weir_scan *scan;
    struct weir_infer *inf[16];
};

static weir_rc
survey_lane(void *arg, unsigned lane, struct weir_error *err)
{
    struct survey *s = arg;

    return scan_infer(s->scan, s->inf[lane], err);
}

/* What all records of the tasks look like. */
static weir_rc
reader_survey(struct weir_reader *r, const struct weir_tasks *tasks, const struct weir_type **out,
              struct weir_error *err)
{
    enum { LANES = 2, WINDOW = 8 * 1024 * 1024 };
    struct weir_infer_options opt = r->traits.infer;
    _Atomic bool failed = false;
    struct weir_scan_env env = {.window_bytes = WINDOW, .lanes = LANES, .quota = r->env.quota, .failed = &failed};
    struct survey s = {0};
    weir_rc rc;

    if (r->format->infer == NULL)
        return weir_fail(err, WEIR_UNSUPPORTED, "format %s has no inference: give source.schema", r->format->name);
    opt.infer_column_types = !r->auto_loader || r->opt.infer_column_types;
    opt.case_sensitive = r->env.case_sensitive;
    opt.rescues = r->rescued_name != NULL;
    WEIR_GO(weir_scan_open(r, tasks, &env, &s.scan, err));
    for (unsigned i = 0; i < LANES; i++)
        WEIR_GO(weir_infer_new(&opt, r->env.quota, &s.inf[i], err));
    WEIR_GO(weir_lanes_run(LANES, survey_lane, &s, &failed, err));
    for (unsigned i = 1; i < LANES; i++)
        WEIR_GO(weir_infer_merge(s.inf[0], s.inf[i], err));
    WEIR_GO(weir_infer_schema(s.inf[0], r->rescued_name == NULL ? r->corrupt_name : NULL, r->env.mem, out, err));
out:
    weir_scan_close(s.scan);
    for (unsigned i = 0; i < LANES; i++)
        weir_infer_free(s.inf[i]);
    return rc;
}

static weir_rc
reader_hints(struct weir_reader *r, const struct weir_type **data, const struct weir_type **partition,
             struct weir_error *err)
{
    struct weir_hint *hints;
    uint32_t n;

    if (r->opt.schema_hints == NULL)
        return WEIR_OK;
    WEIR_TRY(reader_hints_parse(r, &hints, &n, err));
    for (uint32_t i = 0; i < n; i++) {
        bool part = weir_field_find(*partition, hints[i].path[0], strlen(hints[i].path[0]), false) >= 0;
        const struct weir_type **to = part ? partition : data;

        WEIR_TRY(weir_schema_hint(*to, &hints[i], 1, r->env.mem, to, err));
    }
    return WEIR_OK;
}

static weir_rc
nothing_to_infer(const struct weir_reader *r, struct weir_error *err)
{
    weir_fail(err, WEIR_NOTFOUND, "there is no record yet to infer the schema from");
    return weir_error_hint(err, "give source.schema%s, or start when the first file has arrived",
                           r->auto_loader ? " or put a first file there" : "");
}

static weir_rc
reader_infer(struct weir_reader *r, struct weir_store *location, const struct weir_tasks *sample, bool dry,
             struct weir_error *err)
{
    static const struct weir_type none = {.kind = WEIR_STRUCT};
    const struct weir_type *seen;
    struct weir_schema_version v = {.version = 0, .batch = -1};
    uint32_t added;
    weir_rc rc;

    if (sample == NULL || sample->n == 0)
        return nothing_to_infer(r, err);
    WEIR_GO(reader_survey(r, sample, &seen, err));
    WEIR_GO(weir_schema_merge(&none, seen, WEIR_FIELDS_MAX, r->env.mem, &r->data, &added, err));
    WEIR_GO(reader_partitions(r, sample, &r->partition, err));
    WEIR_GO(reader_hints(r, &r->data, &r->partition, err));
    if (r->data->nfields == 0 && r->partition->nfields == 0)
        WEIR_GO(nothing_to_infer(r, err));
    if (location == NULL || dry)
        goto out;
    v.data = r->data;
    v.partition = r->partition;
    v.file = task_name(&sample->at[0]);
    v.time_ms = weir_now_ms();
    WEIR_GO(weir_schema_log_write(location, &v, err));
    r->version = 0;
out:
    return rc;
}

/* Hints act when a schema is inferred. Who adds one to a pipeline that has its schema should hear that. */
static weir_rc
reader_late_hints(struct weir_reader *r, const struct weir_store *location, struct weir_error *err)
{
    const struct weir_type *data = r->data, *partition = r->partition;

    if (reader_hints(r, &data, &partition, err) != WEIR_OK || !weir_type_same(data, r->data) ||
        !weir_type_same(partition, r->partition))
        weir_warn("cloudFiles.schemaHints has no effect on the schema that %s keeps; a new schemaLocation infers anew",
                  location->path);
    weir_error_clear(err);
    return WEIR_OK;
}

weir_rc
weir_reader_settle(struct weir_reader *r, struct weir_store *location, const struct weir_tasks *sample,
                   int64_t version, bool dry, struct weir_error *err)
{
    static const struct weir_tasks no_tasks;
    struct weir_schema_version v;
    bool changed;
    weir_rc rc;

    if (r->given != NULL) {
        r->data = r->given;
        return weir_reader_paths(r, sample == NULL ? &no_tasks : sample, &changed, err);
    }
    if (location != NULL) {
        rc = weir_schema_log_read(location, version, r->env.mem, &v, err);
        if (rc == WEIR_OK) {
            r->data = v.data;
            r->partition = v.partition;
            r->version = v.version;
            return version >= 0 ? WEIR_OK : reader_late_hints(r, location, err);
        }
        if (rc != WEIR_NOTFOUND || version >= 0)
            return weir_error_context(err, "schema location %s", location->path);
        weir_error_clear(err);
    }
    return reader_infer(r, location, sample, dry, err);
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

/* The version is written already. By an earlier run of this batch, which was killed behind it, or by an earlier batch
 * that in the end had no use for it (its file went away, or the mode was another when it ran again): it is taken. A
 * later batch's means that two runs evolve one schema, and this one is behind. NOTFOUND: it is not written. */
static weir_rc
evolve_adopt(struct weir_reader *r, struct weir_store *location, int64_t batch, struct weir_error *err)
{
    struct weir_schema_version theirs;

    WEIR_TRY(weir_schema_log_read(location, r->version + 1, r->env.mem, &theirs, err));
    if (theirs.batch > batch)
        return weir_fail(err, WEIR_FENCED, "schema version %" PRId64 " of %s was brought by batch %" PRId64
                         " of another run", theirs.version, location->path, theirs.batch);
    r->data = theirs.data;
    r->version = theirs.version;
    r->widened = theirs.batch;
    return WEIR_OK;
}

/* The schema with the fields of all the batch's records. */
static weir_rc
evolve_widen(struct weir_reader *r, const struct weir_tasks *tasks, uint32_t *added, struct weir_error *err)
{
    enum { NEW_COLUMNS_MAX = 200 };
    const struct weir_type *seen, *merged;

    WEIR_TRY(reader_survey(r, tasks, &seen, err));
    WEIR_TRY(weir_schema_merge(r->data, seen, NEW_COLUMNS_MAX, r->env.mem, &merged, added, err));
    if (*added > 0)
        r->data = merged;
    return WEIR_OK;
}

weir_rc
weir_reader_evolve(struct weir_reader *r, struct weir_store *location, const struct weir_tasks *tasks,
                   const struct weir_task *first, int64_t batch, bool *changed, struct weir_error *err)
{
    uint32_t added = 0;
    weir_rc rc;

    *changed = false;
    if (r->widened == batch) /* what is unknown still was left out on purpose */
        return WEIR_OK;
    rc = evolve_adopt(r, location, batch, err);
    *changed = rc == WEIR_OK;
    if (rc == WEIR_NOTFOUND) {
        weir_error_clear(err);
        WEIR_GO(evolve_widen(r, tasks, &added, err));
        r->widened = batch;
        *changed = added > 0;
        if (*changed)
            r->unkept = (struct weir_schema_version){.version = r->version + 1,
                                                     .data = r->data,
                                                     .partition = r->partition,
                                                     .batch = batch,
                                                     .file = task_name(first),
                                                     .time_ms = weir_now_ms()};
    }
    WEIR_GO(rc);
    if (*changed)
        WEIR_GO(weir_reader_bind(r, r->metadata >= 0, err));
    if (added > 0)
        weir_info("%" PRIu32 " new column%s, the first in %s", added, added == 1 ? "" : "s", task_name(first));
out:
    return rc;
}

weir_rc
weir_reader_keep(struct weir_reader *r, struct weir_store *location, struct weir_error *err)
{
    weir_rc rc;

    if (r->unkept.data == NULL) /* taken from an earlier run */
        return WEIR_OK;
    rc = weir_schema_log_write(location, &r->unkept, err);
    if (rc == WEIR_EXISTS)
        return weir_fail(err, WEIR_FENCED, "schema version %" PRId64 " of %s was written by another run meanwhile",
                         r->unkept.version, location->path);
    WEIR_TRY(rc);
    weir_info("schema version %" PRId64 " is kept in %s", r->unkept.version, location->path);
    r->version = r->unkept.version;
    r->unkept = (struct weir_schema_version){0};
    return WEIR_OK;
}
