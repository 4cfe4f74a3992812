/* Spark's own file source: its options and defaults over the machinery of files.h. It answers to the names of the
 * formats (json, csv, …). Follows FileStreamSource and FileStreamOptions of Spark 4. */
#include <stddef.h>

#include "source/files.h"

#define AT(member) offsetof(struct weir_files_options, member)

static const struct weir_option filestream_options[] = {
    {"maxFilesPerTrigger", WEIR_OPT_INT, WEIR_HONOURED, AT(max_files), NULL, NULL,
     "Most files of one batch; not together with maxBytesPerTrigger."},
    {"maxBytesPerTrigger", WEIR_OPT_BYTES, WEIR_HONOURED, AT(max_bytes), NULL, NULL,
     "Most bytes of one batch, but at least one file; not together with maxFilesPerTrigger."},
    {"latestFirst", WEIR_OPT_BOOL, WEIR_HONOURED, AT(latest_first), "false", NULL,
     "Newest files first; with a limit maxFileAge is ignored."},
    {"maxFileAge", WEIR_OPT_INTERVAL, WEIR_HONOURED, AT(max_age_ms), "7d", NULL,
     "Files that are older than this before the newest one are passed over, but for the first batch."},
    {"fileNameOnly", WEIR_OPT_BOOL, WEIR_HONOURED, AT(name_only), "false", NULL,
     "Whether a file is known by its name alone, whatever its folder."},
    {"maxCachedFiles", WEIR_OPT_INT, WEIR_HONOURED, AT(max_cached), "10000", NULL,
     "Most files of a listing that are kept for later batches; 0 lists for every batch."},
    {"discardCachedInputRatio", WEIR_OPT_TEXT, WEIR_HONOURED, AT(cached_ratio), "0.2", NULL,
     "Lists anew when fewer than this share of the limit is left of a listing."},
    {"pathGlobFilter", WEIR_OPT_TEXT, WEIR_HONOURED, AT(name_glob), NULL, NULL,
     "Pattern that a file's name must match; the path is not looked at."},
    {"recursiveFileLookup", WEIR_OPT_BOOL, WEIR_HONOURED, AT(recursive), "false", NULL,
     "Looks into every folder; else only into the one of the path, unless there are folders like k=v."},
    {"cleanSource", WEIR_OPT_CHOICE, WEIR_HONOURED, AT(clean_source), "off", "off|delete|archive",
     "Only off yet: weir neither deletes nor moves source files."},
    {"sourceArchiveDir", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL,
     "belongs to cleanSource=archive, which weir does not do yet"},
    {"modifiedAfter", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, "Spark refuses it in streams; use format cloudFiles"},
    {"modifiedBefore", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, "Spark refuses it in streams; use format cloudFiles"},
    WEIR_OPTION_END,
};

static const struct weir_files_face filestream_face = {
    .label = "FileStreamSource",
    .hadoop_label = true,
    .spark_names = true,
    .prefers_sink_log = true,
};

static weir_rc
filestream_open(void *self, const struct weir_source_env *env, struct weir_error *err)
{
    struct weir_files *f = self;

    f->opt = (struct weir_files_options){.include_existing = true};
    WEIR_TRY(weir_options_apply(filestream_options, &f->opt, env->options, err));
    if (f->opt.max_files >= 0 && f->opt.max_bytes >= 0)
        return weir_files_refuse(env, "maxBytesPerTrigger", err, "not together with maxFilesPerTrigger, as in Spark");
    if (f->opt.clean_source != 0)
        return weir_files_refuse(env, "cleanSource", err, "weir does not clean sources yet; leave it off");
    return weir_files_open(f, env, &filestream_face, err);
}

const struct weir_source_type weir_source_filestream = {
    .name = "filestream",
    .about = "new files of a folder, with the options of Spark's file source",
    .options = filestream_options,
    .open = filestream_open,
    WEIR_FILES_SLOTS,
};
