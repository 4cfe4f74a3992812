/* Auto Loader's file source, by listing: its options and defaults over the machinery of files.h.
 *
 * The offsets and the log are those of Spark's own file source, because Auto Loader's are private: a pipeline of
 * weir's can go on in open Spark. The options of schema inference and evolution are the reader's. */
#include <stddef.h>
#include <string.h>

#include "source/files.h"

#define AT(member) offsetof(struct weir_files_options, member)
#define QUEUES "comes with the cloud sources: weir finds local files by listing"

static const struct weir_option cloudfiles_options[] = {
    {"cloudFiles.maxFilesPerTrigger", WEIR_OPT_INT, WEIR_HONOURED, AT(max_files), "1000", NULL,
     "Most files of one batch; whichever of the two limits is hit first ends it."},
    {"cloudFiles.maxBytesPerTrigger", WEIR_OPT_BYTES, WEIR_HONOURED, AT(max_bytes), NULL, NULL,
     "Bytes after which a batch ends; the file that crosses the limit is still taken."},
    {"cloudFiles.includeExistingFiles", WEIR_OPT_BOOL, WEIR_HONOURED, AT(include_existing), "true", NULL,
     "Whether files that are there at the very first start are read; later changes of it do nothing."},
    {"cloudFiles.allowOverwrites", WEIR_OPT_BOOL, WEIR_HONOURED, AT(allow_overwrites), "false", NULL,
     "Whether a known path with another modification time is read again; its rows are appended, not replaced."},
    {"cloudFiles.maxFileAge", WEIR_OPT_INTERVAL, WEIR_HONOURED, AT(max_age_ms), NULL, NULL,
     "How long before the newest file a path is remembered; files older than that are passed over."},
    {"cloudFiles.useStrictGlobber", WEIR_OPT_BOOL, WEIR_HONOURED, AT(strict_glob), "false", NULL,
     "Whether a * in the path stays within one level, as in Spark."},
    {"pathGlobFilter", WEIR_OPT_TEXT, WEIR_HONOURED, AT(name_glob), NULL, NULL,
     "Pattern that a file's name must match; the path is not looked at."},
    {"modifiedAfter", WEIR_OPT_TEXT, WEIR_HONOURED, AT(after), NULL, NULL,
     "Only files modified after that time, which is read in the session's zone."},
    {"modifiedBefore", WEIR_OPT_TEXT, WEIR_HONOURED, AT(before), NULL, NULL,
     "Only files modified before that time, which is read in the session's zone."},
    {"recursiveFileLookup", WEIR_OPT_BOOL, WEIR_NO_EFFECT, 0, NULL, NULL, "cloudFiles always looks into every folder."},
    {"cloudFiles.backfillInterval", WEIR_OPT_INTERVAL, WEIR_NO_EFFECT, 0, NULL, NULL,
     "Every listing is complete, so there is nothing to fill in later."},
    {"cloudFiles.useIncrementalListing", WEIR_OPT_TEXT, WEIR_NO_EFFECT, 0, NULL, NULL,
     "Every listing is complete, so files out of lexical order are found too."},
    {"cloudFiles.validateOptions", WEIR_OPT_BOOL, WEIR_NO_EFFECT, 0, NULL, NULL, "Options are always checked."},
    {"cloudFiles.useNotifications", WEIR_OPT_BOOL, WEIR_HONOURED, AT(notifications), "false", NULL,
     "Only false: taking new files from a queue " QUEUES "."},
    {"cloudFiles.useManagedFileEvents", WEIR_OPT_BOOL, WEIR_HONOURED, AT(managed_events), "false", NULL,
     "Only false: there is no such service outside Databricks."},
    {"cloudFiles.cleanSource", WEIR_OPT_CHOICE, WEIR_HONOURED, AT(clean_source), "off", "off|delete|move",
     "Only OFF yet: weir neither deletes nor moves source files."},
    {"cloudFiles.cleanSource.retentionDuration", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL,
     "belongs to cleanSource, which weir does not do yet"},
    {"cloudFiles.cleanSource.moveDestination", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL,
     "belongs to cleanSource, which weir does not do yet"},
    {"ignoredPathSegmentRegex", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL,
     "weir skips names that begin with '_' or '.', as Auto Loader does by default; use pathGlobFilter for more"},
    {"cloudFiles.fetchParallelism", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.pathRewrites", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.resourceTag", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.region", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.queueUrl", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.restrictNotificationSetupToSameAWSAccountId", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.awsAccessKey", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.awsSecretKey", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.roleArn", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.roleExternalId", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.roleSessionName", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.stsEndpoint", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"databricks.serviceCredential", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.subscriptionId", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.resourceGroup", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.tenantId", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.clientId", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.clientSecret", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.connectionString", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.queueName", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.projectId", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.subscription", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.client", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.clientEmail", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.privateKey", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    {"cloudFiles.privateKeyId", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, QUEUES},
    WEIR_OPTION_END,
};

static const struct weir_files_face cloudfiles_face = {.label = "CloudFilesSource", .bytes_soft = true};

static weir_rc
cloudfiles_open(void *self, const struct weir_source_env *env, struct weir_error *err)
{
    struct weir_files *f = self;

    f->opt = (struct weir_files_options){.max_cached = -1};
    WEIR_TRY(weir_options_apply(cloudfiles_options, &f->opt, env->options, err));
    if (f->opt.notifications)
        return weir_files_refuse(env, "cloudFiles.useNotifications", err, QUEUES "; leave it false");
    if (f->opt.managed_events)
        return weir_files_refuse(env, "cloudFiles.useManagedFileEvents", err,
                                 "there is no such service outside Databricks; leave it false");
    if (f->opt.clean_source != 0)
        return weir_files_refuse(env, "cloudFiles.cleanSource", err, "weir does not clean sources yet; leave it OFF");
    return weir_files_open(f, env, &cloudfiles_face, err);
}

const struct weir_source_type weir_source_cloudfiles = {
    .name = "cloudFiles",
    .about = "new files of a folder, with Auto Loader's options",
    .options = cloudfiles_options,
    .open = cloudfiles_open,
    WEIR_FILES_SLOTS,
};
