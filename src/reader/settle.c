/* Which schema a reader has: the user's, the newest version kept, or one inferred from a sample.
 *
 * The schema comes from the first of these that is there:
 *   1. the user's (`source.schema`): hints and evolution do not apply, as in Auto Loader;
 *   2. the newest version in <schemaLocation>/_schemas;
 *   3. inference over a sample; with a schemaLocation the result becomes version 0.
 * Partition columns are part of a stored version and do not evolve; beside a user's schema only those are taken that
 * the schema names. */
#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/time.h"
#include "reader/reader_int.h"
#include "schema/merge.h"
#include "schema/partition.h"

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

enum { SURVEY_LANES = 2, SURVEY_WINDOW = 8 * 1024 * 1024 };

struct survey {
    struct weir_scan *scan;
    struct weir_infer *inf[SURVEY_LANES];
};

static weir_rc
survey_lane(void *arg, unsigned lane, struct weir_error *err)
{
    struct survey *s = arg;

    return scan_infer(s->scan, s->inf[lane], err);
}

weir_rc
reader_survey(struct weir_reader *r, const struct weir_tasks *tasks, const struct weir_type **out,
              struct weir_error *err)
{
    struct weir_infer_options opt = r->traits.infer;
    _Atomic bool failed = false;
    struct weir_scan_env env = {
        .window_bytes = SURVEY_WINDOW, .lanes = SURVEY_LANES, .quota = r->env.quota, .failed = &failed};
    struct survey s = {0};
    weir_rc rc;

    if (r->format->infer == NULL)
        return weir_fail(err, WEIR_UNSUPPORTED, "format %s has no inference: give source.schema", r->format->name);
    opt.infer_column_types = !r->auto_loader || r->opt.infer_column_types;
    opt.case_sensitive = r->env.case_sensitive;
    opt.rescues = r->rescued_name != NULL;
    WEIR_GO(weir_scan_open(r, tasks, &env, &s.scan, err));
    for (unsigned i = 0; i < SURVEY_LANES; i++)
        WEIR_GO(weir_infer_new(&opt, r->env.quota, &s.inf[i], err));
    WEIR_GO(weir_lanes_run(SURVEY_LANES, survey_lane, &s, &failed, err));
    for (unsigned i = 1; i < SURVEY_LANES; i++)
        WEIR_GO(weir_infer_merge(s.inf[0], s.inf[i], err));
    WEIR_GO(weir_infer_schema(s.inf[0], r->rescued_name == NULL ? r->corrupt_name : NULL, r->env.mem, out, err));
out:
    weir_scan_close(s.scan);
    for (unsigned i = 0; i < SURVEY_LANES; i++)
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
nothing_to_infer(struct weir_error *err)
{
    weir_fail(err, WEIR_NOTFOUND, "there is no record yet to infer the schema from");
    return weir_error_hint(err, "give source.schema, or start when the first file has arrived");
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
        return nothing_to_infer(err);
    WEIR_GO(reader_survey(r, sample, &seen, err));
    WEIR_GO(weir_schema_merge(&none, seen, WEIR_FIELDS_MAX, r->env.mem, &r->data, &added, err));
    WEIR_GO(reader_partitions(r, sample, &r->partition, err));
    WEIR_GO(reader_hints(r, &r->data, &r->partition, err));
    if (r->data->nfields == 0 && r->partition->nfields == 0)
        WEIR_GO(nothing_to_infer(err));
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
