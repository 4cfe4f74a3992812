/* The fingerprint: 64 bits over everything that decides what a batch becomes.
 *
 * It stands in offsets/N (weir.fingerprint). A batch that was planned under another fingerprint is replayed as the
 * pipeline is now, with a warning. So it must change when the rows or the place they go to may change, and must not
 * change when only the pace does.
 *
 * In it: source.format, source.path, source.schema, source.options; query; tables; onRowError; sink.format, sink.path, sink.outputMode,
 * sink.partitionBy, sink.options; and of conf the zone, the case rule, ANSI, the corrupt column's name
 * and weir.onValueLost. Paths enter in their canonical form, option names in lower case and sorted.
 * Not in it: the name, the trigger, checkpointLocation, sink.table (it acts when the table is made), and the options
 * of `pace` below, which only decide when and how much is read: offsets/N has fixed that already.
 * A setting that is written out and equal to its default counts as a setting.
 * Pure function. */
#include "pipeline/spec.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/map.h"
#include "base/str.h"
#include "store/store.h"

static const char *const pace[] = {
    "maxFilesPerTrigger", "maxBytesPerTrigger", "latestFirst", "maxCachedFiles", "discardCachedInputRatio",
    "cleanSource", "sourceArchiveDir", "cleanSource.retentionDuration", "cleanSource.moveDestination",
    "backfillInterval", "useNotifications", "useIncrementalListing", "fetchParallelism", "validateOptions",
    "maxFileAge",
};

static bool
is_pace(const char *key)
{
    if (weir_slice_is_nocase(weir_slice(key, strlen(key) < 11 ? strlen(key) : 11), "cloudFiles."))
        key += 11;
    for (size_t i = 0; i < sizeof pace / sizeof *pace; i++)
        if (weir_slice_is_nocase(weir_slice(key, strlen(key)), pace[i]))
            return true;
    return false;
}

/* Length before text, so that no two lists of fields give the same bytes. */
static void
add(struct weir_buf *buf, const char *name, const char *text)
{
    if (text != NULL)
        weir_buf_printf(buf, "%s %zu %s\n", name, strlen(text), text);
}

static void
add_place(struct weir_buf *buf, const char *name, const char *place)
{
    weir_buf_str(buf, name);
    weir_buf_byte(buf, ' ');
    if (place != NULL)
        weir_uri_canonical(place, strlen(place), buf);
    weir_buf_byte(buf, '\n');
}

static int
by_key(const void *a, const void *b)
{
    const struct weir_setting *const *x = a, *const *y = b;

    return strcasecmp((*x)->key, (*y)->key);
}

static weir_rc
add_options(struct weir_buf *buf, const char *name, const struct weir_settings *set, struct weir_mem *mem,
            struct weir_error *err)
{
    const struct weir_setting **sorted = weir_mem_alloc(mem, (set->n + 1) * sizeof *sorted);
    uint32_t n = 0;

    if (sorted == NULL)
        return weir_mem_fail(mem, set->n * sizeof *sorted, err);
    for (uint32_t i = 0; i < set->n; i++)
        if (!is_pace(set->at[i].key))
            sorted[n++] = &set->at[i];
    qsort(sorted, n, sizeof *sorted, by_key);
    for (uint32_t i = 0; i < n; i++) {
        weir_buf_printf(buf, "%s ", name);
        for (const char *p = sorted[i]->key; *p != '\0'; p++)
            weir_buf_byte(buf, (char)tolower((unsigned char)*p));
        add(buf, "", sorted[i]->value);
    }
    return WEIR_OK;
}

weir_rc
weir_spec_fingerprint(const struct weir_spec *spec, struct weir_mem *mem, uint64_t *out, struct weir_error *err)
{
    struct weir_buf buf;
    weir_rc rc;

    weir_buf_init(&buf, 4 * WEIR_SPEC_MAX, weir_mem_quota(mem));
    add(&buf, "source", spec->source.format);
    add_place(&buf, "path", spec->source.path);
    add(&buf, "schema", spec->source.schema);
    WEIR_GO(add_options(&buf, "option", &spec->source.options, mem, err));
    add(&buf, "query", spec->query);
    for (uint32_t i = 0; i < spec->ntables; i++) {
        add(&buf, "table", spec->tables[i].name);
        add_place(&buf, "path", spec->tables[i].path);
    }
    add(&buf, "sink", spec->sink.format);
    add_place(&buf, "path", spec->sink.path);
    add(&buf, "mode", spec->sink.output_mode);
    for (uint32_t i = 0; i < spec->sink.npartition_by; i++)
        add(&buf, "by", spec->sink.partition_by[i]);
    WEIR_GO(add_options(&buf, "sink-option", &spec->sink.options, mem, err));
    add(&buf, "zone", spec->conf.time_zone);
    add(&buf, "corrupt", spec->conf.corrupt_name);
    weir_buf_printf(&buf, "conf %d %d\n", spec->conf.case_sensitive, spec->conf.on_value_lost);
    if (!spec->conf.ansi)
        weir_buf_str(&buf, "ansi off\n");
    if (spec->null_on_row_error)
        weir_buf_str(&buf, "row errors null\n");
    WEIR_GO(weir_buf_check(&buf, err));
    *out = weir_hash(buf.data, buf.len);
    *out += *out == 0; /* 0 means: not written by weir */
out:
    weir_buf_fini(&buf);
    return rc;
}
