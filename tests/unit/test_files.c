/* The two file sources: what is found, in which order, within which limits, and what their log says. */
#include "source_kit.h"

#include "base/point.h"
#include "base/str.h"

static void
set_path(struct kit *k, const char *rest)
{
    snprintf(k->path, sizeof(k->path), "%s/in%s", k->dir, rest);
}

/* --- what Spark wrote, and what we write --- */

/* "…/in" of the golden paths becomes the kit's folder. */
static void
same_as_golden(struct kit *k, const char *golden, const char *name)
{
    char path[512], *ours, *spark, *at;
    struct weir_buf want = WEIR_BUF(1 << 20);
    static const char root[] = "file:///data/file_source/";

    snprintf(path, sizeof(path), "%s/ckpt/sources/0/%s", k->dir, name);
    ours = kit_text(path);
    snprintf(path, sizeof(path), "%s/spark/checkpoints/%s/sources/0/%s", getenv("WEIR_GOLDEN"), golden, name);
    spark = kit_text(path);
    assert_non_null(spark);
    assert_non_null(ours);
    for (const char *p = spark; *p != '\0';) {
        at = strstr(p, root);
        weir_buf_add(&want, p, at != NULL ? (size_t)(at - p) : strlen(p));
        if (at == NULL)
            break;
        weir_buf_printf(&want, "file://%s/", k->dir);
        p = at + strlen(root);
    }
    assert_string_equal(ours, want.data);
    weir_buf_fini(&want);
    free(ours);
    free(spark);
}

/* The files of the golden runs: two of "{id, name, price}" lines; their sizes do not matter here. */
static void
golden_files(struct kit *k, int from, int to)
{
    char name[64];

    for (int i = from; i <= to; i++) {
        snprintf(name, sizeof(name), "day=2025-01-0%d/part %03d.json", 1 + i % 2, i);
        kit_file(k, name, 10, i * 1000);
    }
}

static void
log_files_are_sparks_byte_for_byte(void **state)
{
    struct kit k;
    char name[16];

    (void)state;
    kit_init(&k, "json");
    golden_files(&k, 0, 10);
    kit_option(&k, "maxFilesPerTrigger", "5");
    k.env.available_now = true;
    kit_open(&k);
    batch_is(&k, "day=2025-01-01/part 000.json day=2025-01-02/part 001.json day=2025-01-01/part 002.json "
                 "day=2025-01-02/part 003.json day=2025-01-01/part 004.json");
    assert_string_equal(k.offset, "{\"logOffset\":0}");
    while (kit_admit(&k, false) != NULL)
        continue;
    golden_files(&k, 23, 25);
    kit_reopen(&k);
    assert_non_null(kit_next(&k));
    assert_string_equal(k.offset, "{\"logOffset\":3}");
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof(name), "%d", i);
        same_as_golden(&k, "checkpoint", name);
    }
    kit_fini(&k);
}

static void
compactions(const char *golden, int64_t interval, const char *const *names)
{
    struct kit k;

    kit_init(&k, "json");
    golden_files(&k, 0, 10);
    kit_option(&k, "maxFilesPerTrigger", "1");
    k.env.available_now = true;
    k.env.compact_interval = interval;
    kit_open(&k);
    assert_non_null(kit_next(&k));
    while (kit_admit(&k, false) != NULL)
        continue;
    if (interval == 3) { /* three more with the default interval: the one on disk goes on */
        golden_files(&k, 23, 25);
        k.env.compact_interval = 10;
        kit_reopen(&k);
        assert_non_null(kit_next(&k));
        while (kit_admit(&k, false) != NULL)
            continue;
    }
    for (; *names != NULL; names++)
        same_as_golden(&k, golden, *names);
    kit_fini(&k);
}

static void
compacted_logs_are_sparks_byte_for_byte(void **state)
{
    static const char *const ten[] = {"0", "1", "8", "9.compact", "10", NULL};
    static const char *const three[] = {"0", "1", "2.compact", "3", "4", "5.compact", "8.compact", "9", "10",
                                        "11.compact", "12", "13", NULL};

    (void)state;
    compactions("ckpt_interval10", 10, ten);
    compactions("ckpt_interval3", 3, three);
}

static void
copy_golden(struct kit *k, const char *golden)
{
    char cmd[1024];

    snprintf(cmd, sizeof(cmd), "cp -r '%s/spark/checkpoints/%s' %s/ckpt && chmod -R u+w %s/ckpt && "
             "sed -i 's|file:///data/[a-z_]*/|file://%s/|; s|file:/data/[a-z_]*/|file:%s/|' %s/ckpt/sources/0/*",
             getenv("WEIR_GOLDEN"), golden, k->dir, k->dir, k->dir, k->dir, k->dir);
    assert_int_equal(system(cmd), 0);
}

static void
goes_on_where_spark_stopped(void **state)
{
    struct kit k;

    (void)state;
    kit_init(&k, "json");
    golden_files(&k, 0, 10);
    golden_files(&k, 23, 26);
    copy_golden(&k, "ckpt_interval3");
    snprintf(k.offset, sizeof(k.offset), "{\"logOffset\":13}");
    kit_open(&k);
    batch_is(&k, "day=2025-01-01/part 026.json"); /* day=…01: 26 is even */
    assert_string_equal(k.offset, "{\"logOffset\":14}");
    assert_string_equal(kit_range(&k, "{\"logOffset\":1}", "{\"logOffset\":2}"), "day=2025-01-01/part 002.json");
    assert_string_equal(kit_range(&k, "{\"logOffset\":10}", "{\"logOffset\":12}"),
                        "day=2025-01-02/part 023.json day=2025-01-01/part 024.json");
    kit_fini(&k);
}

static void
one_slash_or_three_are_one_path(void **state)
{
    struct kit k;

    (void)state;
    kit_init(&k, "json");
    for (int i = 0; i < 4; i++) {
        char name[16];

        snprintf(name, sizeof(name), "f%d.json", i);
        kit_file(&k, name, 10, i * 1000);
    }
    copy_golden(&k, "handmade_f2");
    assert_int_equal(system("true"), 0);
    kit_open(&k);
    snprintf(k.offset, sizeof(k.offset), "{\"logOffset\":1}");
    no_batch(&k);
    kit_fini(&k);
}

static void
entries_without_their_offset_are_covered_by_the_next(void **state)
{
    struct kit k;

    (void)state;
    kit_init(&k, "json");
    kit_file(&k, "f0.json", 10, 0);
    kit_file(&k, "f1.json", 10, 1000);
    kit_file(&k, "f2.json", 10, 2000);
    kit_option(&k, "maxFilesPerTrigger", "1");
    kit_open(&k);
    batch_is(&k, "f0.json");
    k.offset[0] = '\0'; /* the crash: sources/0/0 is there, offsets/0 is not */
    k.batch = 0;
    kit_reopen(&k);
    batch_is(&k, "f0.json");
    assert_string_equal(k.offset, "{\"logOffset\":0}");
    batch_is(&k, "f1.json");
    batch_is(&k, "f2.json");
    no_batch(&k);
    kit_fini(&k);

    kit_init(&k, "json"); /* without a limit Spark takes both in one batch, and so do we */
    kit_file(&k, "f0.json", 10, 0);
    kit_open(&k);
    batch_is(&k, "f0.json");
    k.offset[0] = '\0';
    kit_file(&k, "f1.json", 10, 1000);
    kit_reopen(&k);
    batch_is(&k, "f0.json f1.json");
    assert_string_equal(k.offset, "{\"logOffset\":1}");
    no_batch(&k);
    kit_fini(&k);
}

static weir_rc
fail_there(void *arg, weir_point_id id, struct weir_error *err)
{
    return id == *(weir_point_id *)arg ? weir_fail(err, WEIR_IO, "stopped here") : WEIR_OK;
}

static void
the_point_source_log_lies_behind_the_log(void **state)
{
    struct weir_admit_limits limits = {false};
    weir_point_id id = WEIR_POINT_SOURCE_LOG;
    const char *to;
    struct kit k;

    (void)state;
    kit_init(&k, "json");
    kit_file(&k, "f0.json", 10, 0);
    kit_open(&k);
    assert_int_equal(kit_newest(&k), WEIR_OK);
    weir_point_hook(fail_there, &id);
    assert_int_equal(k.type->admit(k.self, 0, NULL, &limits, k.mem, &to, &k.err), WEIR_IO);
    weir_point_hook(NULL, NULL);
    kit_reopen(&k);
    kit_file(&k, "f1.json", 10, 1000);
    batch_is(&k, "f0.json f1.json");
    kit_fini(&k);
}

/* --- order and limits --- */

struct limit_case {
    const char *what, *format, *options[6];
    const char *batches[8];
};

/* Sizes 40, 43, 43, 100, 5 at times 0 to 4. */
static const struct limit_case limits[] = {
    {"Spark has no limit", "json", {NULL}, {"a b c d e", NULL}},
    {"files a batch", "json", {"maxFilesPerTrigger", "2", NULL}, {"a b", "c d", "e", NULL}},
    {"keys match in any case", "json", {"MAXFILESPERTRIGGER", "4", NULL}, {"a b c d", "e", NULL}},
    {"Spark's bytes are a ceiling", "json", {"maxBytesPerTrigger", "83", NULL}, {"a b", "c", "d", "e", NULL}},
    {"but one file is always taken", "json", {"maxBytesPerTrigger", "1", NULL}, {"a", "b", "c", "d", "e", NULL}},
    {"Auto Loader's bytes are soft", "cloudFiles", {"cloudFiles.maxBytesPerTrigger", "83", NULL}, {"a b", "c d", "e", NULL}},
    {"and the crossing file is taken", "cloudFiles", {"cloudFiles.maxBytesPerTrigger", "84b", NULL}, {"a b c", "d", "e", NULL}},
    {"whichever comes first: files", "cloudFiles",
     {"cloudFiles.maxBytesPerTrigger", "1k", "cloudFiles.maxFilesPerTrigger", "2", NULL}, {"a b", "c d", "e", NULL}},
    {"whichever comes first: bytes", "cloudFiles",
     {"cloudFiles.maxBytesPerTrigger", "40", "cloudFiles.maxFilesPerTrigger", "2", NULL}, {"a", "b", "c", "d", "e", NULL}},
    {"newest first", "json", {"latestFirst", "true", "maxFilesPerTrigger", "2", NULL}, {"e d", "c b", "a", NULL}},
};

static void
limit_files(struct kit *k)
{
    static const size_t sizes[] = {40, 43, 43, 100, 5};
    char name[2] = "a";

    for (int i = 0; i < 5; i++, name[0]++)
        kit_file(k, name, sizes[i], i * 1000);
}

static void
limits_end_batches(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
        const struct limit_case *c = &limits[i];
        struct kit k;

        for (int available_now = 0; available_now < 2; available_now++) {
            print_message("# %s\n", c->what);
            kit_init(&k, c->format);
            for (int o = 0; c->options[o] != NULL; o += 2)
                kit_option(&k, c->options[o], c->options[o + 1]);
            k.env.available_now = available_now;
            limit_files(&k);
            kit_open(&k);
            for (int b = 0; c->batches[b] != NULL; b++) {
                const char *names = b == 0 || !available_now ? kit_next(&k) : kit_admit(&k, false);

                assert_non_null(names);
                assert_string_equal(names, c->batches[b]);
            }
            assert_null(available_now ? kit_admit(&k, false) : kit_next(&k));
            kit_fini(&k);
        }
    }
}

static void
auto_loader_takes_1000_files_by_default(void **state)
{
    struct kit k;
    char name[16];
    size_t n;
    const char *names;

    (void)state;
    kit_init(&k, "cloudFiles");
    for (int i = 0; i < 1001; i++) {
        snprintf(name, sizeof(name), "%04d", i);
        kit_file(&k, name, 1, 0);
    }
    kit_open(&k);
    names = kit_next(&k);
    assert_non_null(names);
    n = 1;
    for (const char *p = names; *p != '\0'; p++)
        n += *p == ' ';
    assert_int_equal(n, 1000);
    assert_memory_equal(names, "0000 0001 ", 10); /* one time: by path */
    batch_is(&k, "1000");
    kit_fini(&k);
}

static void
once_ignores_the_limits(void **state)
{
    struct kit k;

    (void)state;
    kit_init(&k, "cloudFiles");
    kit_option(&k, "cloudFiles.maxFilesPerTrigger", "1");
    limit_files(&k);
    kit_open(&k);
    assert_int_equal(kit_newest(&k), WEIR_OK);
    assert_string_equal(kit_admit(&k, true), "a b c d e");
    kit_fini(&k);
}

static void
available_now_takes_what_was_there_at_its_start(void **state)
{
    struct kit k;
    struct weir_backlog left;

    (void)state;
    kit_init(&k, "json");
    kit_option(&k, "maxFilesPerTrigger", "2");
    k.env.available_now = true;
    limit_files(&k);
    kit_open(&k);
    batch_is(&k, "a b");
    k.type->backlog(k.self, &left);
    assert_int_equal(left.objects, 3);
    assert_int_equal(left.bytes, 148);
    kit_file(&k, "f", 1, 10000);
    more_is(&k, "c d");
    more_is(&k, "e");
    assert_null(kit_admit(&k, false));
    k.type->backlog(k.self, &left);
    assert_int_equal(left.objects, 0);
    kit_reopen(&k);
    batch_is(&k, "f");
    kit_fini(&k);
}

static void
a_listing_is_kept_as_far_as_the_options_say(void **state)
{
    struct kit k;

    (void)state;
    kit_init(&k, "json"); /* 3 are left, 3 >= 2 x 0.2: no new look, so the older newcomer waits */
    kit_option(&k, "maxFilesPerTrigger", "2");
    limit_files(&k);
    kit_open(&k);
    batch_is(&k, "a b");
    kit_file(&k, "0", 1, -1000);
    batch_is(&k, "c d");
    batch_is(&k, "e");
    batch_is(&k, "0");
    kit_fini(&k);

    kit_init(&k, "json");
    kit_option(&k, "maxFilesPerTrigger", "2");
    kit_option(&k, "maxCachedFiles", "0");
    limit_files(&k);
    kit_open(&k);
    batch_is(&k, "a b");
    kit_file(&k, "0", 1, -1000);
    batch_is(&k, "0 c");
    kit_fini(&k);

    kit_init(&k, "json");
    kit_option(&k, "maxFilesPerTrigger", "2");
    kit_option(&k, "maxCachedFiles", "1");
    limit_files(&k);
    kit_open(&k);
    batch_is(&k, "a b");
    kit_file(&k, "0", 1, -1000);
    batch_is(&k, "c");
    batch_is(&k, "0 d");
    kit_fini(&k);

    kit_init(&k, "json");
    kit_option(&k, "maxFilesPerTrigger", "4"); /* 1 is left, 1 < 4 x 0.9 */
    kit_option(&k, "discardCachedInputRatio", "0.9");
    limit_files(&k);
    kit_open(&k);
    batch_is(&k, "a b c d");
    kit_file(&k, "0", 1, -1000);
    batch_is(&k, "0 e");
    kit_fini(&k);
}

/* --- what is new --- */

static void
a_known_path_is_not_read_again(void **state)
{
    struct kit k;

    (void)state;
    for (int overwrites = 0; overwrites < 2; overwrites++) {
        kit_init(&k, "cloudFiles");
        if (overwrites)
            kit_option(&k, "cloudFiles.allowOverwrites", "true");
        kit_file(&k, "a", 1, 0);
        kit_open(&k);
        batch_is(&k, "a");
        no_batch(&k);
        kit_file(&k, "a", 2, 5000);
        if (overwrites)
            batch_is(&k, "a");
        no_batch(&k);
        kit_reopen(&k);
        no_batch(&k);
        kit_file(&k, "a", 1, -5000); /* put back from a copy, with its time of then */
        if (overwrites)
            batch_is(&k, "a");
        no_batch(&k);
        kit_reopen(&k);
        no_batch(&k);
        kit_fini(&k);
    }
}

static void
a_file_that_is_overwritten_before_it_is_read_comes_once(void **state)
{
    struct kit k;

    (void)state;
    kit_init(&k, "cloudFiles");
    kit_option(&k, "cloudFiles.allowOverwrites", "true");
    kit_file(&k, "a", 1, 0);
    kit_file(&k, "b", 1, 1);
    kit_open(&k);
    batch_is(&k, "a b"); /* taken; a crash, and the batch runs again */
    kit_file(&k, "a", 2, 5000);
    assert_string_equal(kit_range(&k, NULL, k.offset), "b");
    batch_is(&k, "a");
    assert_string_equal(kit_range(&k, NULL, k.offset), "b a"); /* both logs in one range */
    no_batch(&k);
    kit_fini(&k);

    kit_init(&k, "cloudFiles"); /* without the option a path comes once, as it is then */
    kit_file(&k, "a", 1, 0);
    kit_open(&k);
    batch_is(&k, "a");
    kit_file(&k, "a", 2, 5000);
    assert_string_equal(kit_range(&k, NULL, k.offset), "a");
    no_batch(&k);
    kit_fini(&k);
}

static void
files_older_than_the_newest_by_the_age_are_passed_over(void **state)
{
    const int64_t day = 86400000;
    struct kit k;

    (void)state;
    kit_init(&k, "json"); /* 7 days by default; the first batch takes any age */
    kit_file(&k, "old", 1, -100 * day);
    kit_file(&k, "new", 1, 0);
    kit_open(&k);
    batch_is(&k, "old new");
    kit_file(&k, "late", 1, -8 * day);
    kit_file(&k, "week", 1, -7 * day);
    batch_is(&k, "week");
    kit_reopen(&k);
    no_batch(&k);
    kit_file(&k, "old", 2, 1000); /* forgotten, and written anew: Spark reads it again */
    batch_is(&k, "old");
    kit_fini(&k);

    kit_init(&k, "json");
    kit_option(&k, "maxFileAge", "1 hour");
    kit_file(&k, "new", 1, 0);
    kit_open(&k);
    batch_is(&k, "new");
    kit_file(&k, "a", 1, -3600001);
    kit_file(&k, "b", 1, -3600000);
    batch_is(&k, "b");
    kit_fini(&k);

    kit_init(&k, "json"); /* ignored with latestFirst and a limit */
    kit_option(&k, "latestFirst", "true");
    kit_option(&k, "maxFilesPerTrigger", "1");
    kit_file(&k, "new", 1, 0);
    kit_open(&k);
    batch_is(&k, "new");
    kit_file(&k, "late", 1, -800 * day);
    batch_is(&k, "late");
    kit_fini(&k);

    kit_init(&k, "cloudFiles"); /* remembers for ever by default */
    kit_file(&k, "new", 1, 0);
    kit_open(&k);
    batch_is(&k, "new");
    kit_file(&k, "late", 1, -8000 * day);
    batch_is(&k, "late");
    kit_fini(&k);

    kit_init(&k, "cloudFiles");
    kit_option(&k, "cloudFiles.maxFileAge", "90 days");
    kit_file(&k, "new", 1, 0);
    kit_open(&k);
    batch_is(&k, "new");
    kit_file(&k, "late", 1, -91 * day);
    kit_file(&k, "in time", 1, -89 * day);
    batch_is(&k, "in time");
    kit_fini(&k);
}

static void
names_alone_can_make_a_file_known(void **state)
{
    struct kit k;

    (void)state;
    kit_init(&k, "json");
    kit_option(&k, "fileNameOnly", "true");
    kit_option(&k, "recursiveFileLookup", "true");
    kit_file(&k, "x/a", 1, 0);
    kit_file(&k, "y/a", 1, 1000);
    kit_open(&k);
    batch_is(&k, "x/a");
    kit_file(&k, "z/a", 1, 2000);
    kit_file(&k, "z/b", 1, 2000);
    batch_is(&k, "z/b");
    kit_reopen(&k);
    no_batch(&k);
    kit_fini(&k);
}

static void
existing_files_can_be_passed_over(void **state)
{
    struct kit k;
    const char *names;
    char path[256], *text;

    (void)state;
    kit_init(&k, "cloudFiles");
    kit_option(&k, "cloudFiles.includeExistingFiles", "false");
    kit_file(&k, "a", 1, 0);
    kit_file(&k, "b", 1, 0);
    kit_open(&k);
    names = kit_next(&k); /* a batch without files makes the decision durable */
    assert_string_equal(names, "");
    snprintf(path, sizeof(path), "%s/ckpt/sources/0/0", k.dir);
    text = kit_text(path);
    assert_non_null(strstr(text, "/in/a\",\"timestamp\":1735689600000,\"batchId\":-1}"));
    free(text);
    kit_file(&k, "c", 1, 0);
    batch_is(&k, "c");
    k.options.n = 0; /* later changes of the option do nothing */
    kit_reopen(&k);
    no_batch(&k);
    kit_file(&k, "d", 1, 0);
    batch_is(&k, "d");
    kit_fini(&k);

    kit_init(&k, "cloudFiles"); /* also when there was nothing at the first start */
    kit_option(&k, "cloudFiles.includeExistingFiles", "false");
    kit_open(&k);
    assert_string_equal(kit_next(&k), "");
    kit_file(&k, "c", 1, 0);
    kit_reopen(&k);
    batch_is(&k, "c");
    kit_fini(&k);
}

static void
modification_times_can_be_bounded(void **state)
{
    struct kit k;

    (void)state;
    kit_init(&k, "cloudFiles");
    kit_option(&k, "modifiedAfter", "2025-01-01T00:00:01");
    kit_option(&k, "modifiedBefore", "2025-01-01 00:00:03");
    limit_files(&k);
    kit_open(&k);
    batch_is(&k, "c");
    kit_fini(&k);

    kit_init(&k, "cloudFiles"); /* in the session's zone */
    kit_option(&k, "modifiedAfter", "2025-01-01T08:00:03");
    k.env.zone = weir_zone_find("+08:00", 6);
    limit_files(&k);
    kit_open(&k);
    batch_is(&k, "e");
    kit_fini(&k);
}

/* --- young files --- */

static void
age_file(struct kit *k, const char *name, int64_t ms_ago)
{
    kit_file(k, name, 3, weir_now_ms() - KIT_T0 - ms_ago);
}

static void
young_files_wait_for_the_next_batch(void **state)
{
    struct kit k;

    (void)state;
    kit_init(&k, "cloudFiles");
    k.env.settle_ms = 2000;
    age_file(&k, "old", 5000);
    age_file(&k, "young", 0);
    kit_open(&k);
    batch_is(&k, "old");
    no_batch(&k);
    age_file(&k, "young", 3000);
    batch_is(&k, "young");
    kit_fini(&k);
}

static void
available_now_waits_until_young_files_have_settled(void **state)
{
    int64_t began = weir_mono_us();
    struct kit k;

    (void)state;
    kit_init(&k, "cloudFiles");
    k.env.settle_ms = 400;
    k.env.available_now = true;
    age_file(&k, "young", 0);
    kit_open(&k);
    batch_is(&k, "young");
    assert_true(weir_mono_us() - began >= 300000);
    kit_fini(&k);
}

static void
a_time_ahead_of_the_clock_settles_by_standing_still(void **state)
{
    struct kit k;

    (void)state;
    kit_init(&k, "cloudFiles");
    k.env.settle_ms = 200;
    age_file(&k, "ahead", -3600000);
    kit_open(&k);
    no_batch(&k);
    usleep(250000);
    batch_is(&k, "ahead");
    kit_fini(&k);
}

static void
a_file_that_changes_between_look_and_batch_waits(void **state)
{
    struct kit k;
    char path[256];

    (void)state;
    kit_init(&k, "cloudFiles");
    kit_file(&k, "a", 1, 0);
    kit_file(&k, "b", 1, 0);
    kit_file(&k, "c", 1, 0);
    kit_open(&k);
    assert_int_equal(kit_newest(&k), WEIR_OK);
    kit_file(&k, "a", 2, 0); /* grew under the same time */
    snprintf(path, sizeof(path), "%s/in/b", k.dir);
    assert_int_equal(unlink(path), 0);
    more_is(&k, "c");
    batch_is(&k, "a");
    kit_fini(&k);
}

static void
a_file_that_is_gone_is_a_task_without_a_size(void **state)
{
    struct weir_tasks tasks;
    struct kit k;
    char path[256];

    (void)state;
    kit_init(&k, "cloudFiles");
    kit_file(&k, "a", 1, 0);
    kit_open(&k);
    batch_is(&k, "a");
    snprintf(path, sizeof(path), "%s/in/a", k.dir);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(k.type->tasks(k.self, NULL, k.offset, &tasks, &k.err), WEIR_OK);
    assert_int_equal(tasks.n, 1);
    assert_int_equal(tasks.at[0].size, -1);
    weir_tasks_fini(&tasks);
    kit_fini(&k);
}

/* --- names and folders --- */

struct look_case {
    const char *what, *format, *path, *options[4];
    const char *names; /* of all batches */
};

static const char *const looked[] = {"a.json",       "b.csv",          ".hidden",      "_hidden",       "day=1/c.json",
                                     "day=2/d.json", "sub/e.json",     "_sub/f.json",  ".sub/g.json",   "sub/_h",
                                     "_x=1/i.json",  "k._COPYING_",    "sub/deep/l.json", "day=1/_tmp/m.json", NULL};
static const char *const plain[] = {"a.json", "b.csv", "sub/e.json", "sub/deep/l.json", "_sub/f.json", NULL};

static const struct look_case looks[] = {
    {"Auto Loader looks everywhere", "cloudFiles", "", {NULL},
     "a.json b.csv day=1/c.json day=2/d.json k._COPYING_ sub/deep/l.json sub/e.json"},
    {"Spark looks everywhere when there are partitions", "json", "", {NULL},
     "_x=1/i.json a.json b.csv day=1/c.json day=2/d.json sub/deep/l.json sub/e.json"},
    {"a filter looks at names only", "cloudFiles", "", {"pathGlobFilter", "*.{json,xml}", NULL},
     "a.json day=1/c.json day=2/d.json sub/deep/l.json sub/e.json"},
    {"a filter for Spark", "json", "", {"pathGlobFilter", "[a-c].*", NULL}, "a.json b.csv day=1/c.json"},
    {"a star runs over levels in Auto Loader", "cloudFiles", "/*.json", {NULL},
     "a.json day=1/c.json day=2/d.json sub/deep/l.json sub/e.json"},
    {"but not with the strict globber", "cloudFiles", "/*.json", {"cloudFiles.useStrictGlobber", "true", NULL}, "a.json"},
    {"strict: what a folder holds counts", "cloudFiles", "/s*", {"cloudFiles.useStrictGlobber", "true", NULL},
     "sub/deep/l.json sub/e.json"},
    {"strict: a slash at the end wants folders", "cloudFiles", "/*/", {"cloudFiles.useStrictGlobber", "true", NULL},
     "day=1/c.json day=2/d.json sub/deep/l.json sub/e.json"},
    {"the default drops that slash", "cloudFiles", "/*/", {NULL},
     "a.json b.csv day=1/c.json day=2/d.json k._COPYING_ sub/deep/l.json sub/e.json"},
    {"braces", "cloudFiles", "/{day=1,sub}/{deep/,}[a-l].json", {"cloudFiles.useStrictGlobber", "true", NULL},
     "day=1/c.json sub/deep/l.json sub/e.json"},
    {"Spark's glob: the folder's own files", "json", "/sub*", {NULL}, "sub/e.json"},
    {"a path may name one file", "json", "/sub/e.json", {NULL}, "e.json"},
    {"a slash at the end is nothing", "json", "/sub//", {NULL}, "e.json"},
};

static void
looks_find(const struct look_case *c, const char *const *files)
{
    struct kit k;

    print_message("# %s\n", c->what);
    kit_init(&k, c->format);
    set_path(&k, c->path);
    for (int o = 0; c->options[o] != NULL; o += 2)
        kit_option(&k, c->options[o], c->options[o + 1]);
    for (; *files != NULL; files++)
        kit_file(&k, *files, 1, 0);
    kit_open(&k);
    batch_is(&k, c->names);
    no_batch(&k);
    kit_fini(&k);
}

static void
hidden_names_globs_and_folders(void **state)
{
    static const struct look_case flat[] = {
        {"Spark does not look into plain folders", "json", "", {NULL}, "a.json b.csv"},
        {"unless it is told to", "json", "", {"recursiveFileLookup", "true", NULL}, "a.json b.csv sub/deep/l.json sub/e.json"},
        {"Auto Loader does", "cloudFiles", "", {"recursiveFileLookup", "false", NULL}, "a.json b.csv sub/deep/l.json sub/e.json"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++)
        looks_find(&looks[i], looked);
    for (size_t i = 0; i < sizeof(flat) / sizeof(*flat); i++)
        looks_find(&flat[i], plain);
}

static void
odd_names_come_through(void **state)
{
    static const char *const names[] = {"a b",  "a%20b", "50%",    "ü",      "\xf0\x9f\x8c\x8a", "q\"uote", "back\\slash",
                                        "a\nb", "#?",    "{x}",    "[y]",    "+",                 "a:b",     "\xff\xfe raw",
                                        "~",    "a&b=c", "\x7f",   "日本語", NULL};
    struct weir_tasks tasks;
    struct kit k;
    char path[256], *text;
    uint32_t n = 0;

    (void)state;
    kit_init(&k, "cloudFiles");
    for (; names[n] != NULL; n++)
        kit_file(&k, names[n], n + 1, n * 1000);
    kit_open(&k);
    assert_non_null(kit_next(&k));
    kit_reopen(&k);
    assert_int_equal(k.type->tasks(k.self, NULL, k.offset, &tasks, &k.err), WEIR_OK);
    assert_int_equal(tasks.n, n);
    for (uint32_t i = 0; i < n; i++) {
        assert_string_equal(tasks.at[i].key, names[i]);
        assert_int_equal(tasks.at[i].size, i + 1);
    }
    weir_tasks_fini(&tasks);
    no_batch(&k); /* each is known again after a restart */
    snprintf(path, sizeof(path), "%s/ckpt/sources/0/0", k.dir);
    text = kit_text(path);
    assert_non_null(strstr(text, "/in/a%20b\""));
    assert_non_null(strstr(text, "/in/a%2520b\""));
    assert_non_null(strstr(text, "/in/50%25\""));
    assert_non_null(strstr(text, "/in/ü\""));
    assert_non_null(strstr(text, "/in/a%0Ab\""));
    assert_non_null(strstr(text, "/in/%FF%FE%20raw\""));
    assert_true(weir_utf8_valid(text, strlen(text)));
    free(text);
    kit_fini(&k);
}

static void
a_link_that_leads_back_is_an_error(void **state)
{
    struct kit k;
    char path[256];

    (void)state;
    kit_init(&k, "cloudFiles");
    kit_file(&k, "sub/a", 1, 0);
    snprintf(path, sizeof(path), "%s/in/sub/loop", k.dir);
    assert_int_equal(symlink("../sub", path), 0);
    kit_open(&k);
    assert_int_equal(kit_newest(&k), WEIR_IO);
    assert_non_null(strstr(k.err.what, "sub/loop"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("nowhere", path), 0); /* a link to nothing is nothing */
    batch_is(&k, "sub/a");
    kit_fini(&k);
}

static void
a_folder_that_cannot_be_read_is_an_error(void **state)
{
    bool root = geteuid() == 0;
    struct kit k;
    char path[256];

    (void)state;
    kit_init(&k, "cloudFiles");
    assert_int_equal(chmod(k.dir, 0755), 0);
    kit_file(&k, "sub/a", 1, 0);
    kit_file(&k, "_sub/a", 1, 0);
    snprintf(path, sizeof(path), "%s/in/_sub", k.dir);
    assert_int_equal(chmod(path, 0), 0); /* hidden: nobody looks */
    kit_open(&k);
    assert_int_equal(kit_newest(&k), WEIR_OK);
    snprintf(path, sizeof(path), "%s/in/sub", k.dir);
    assert_int_equal(chmod(path, 0), 0);
    kit_reopen(&k);
    if (root) /* who may read everything */
        assert_int_equal(seteuid(65534), 0);
    assert_int_equal(kit_newest(&k), WEIR_DENIED);
    if (root)
        assert_int_equal(seteuid(0), 0);
    assert_non_null(strstr(k.err.what, "in/sub"));
    kit_fini(&k);
}

/* --- refusals --- */

struct refusal {
    const char *format, *options[6], *said;
};

static const struct refusal refusals[] = {
    {"json", {"maxFilesPerTrigger", "1", "maxBytesPerTrigger", "1", NULL}, "maxFilesPerTrigger"},
    {"json", {"maxFilesPerTrigger", "0", NULL}, "positive"},
    {"json", {"maxFilesPerTrigger", "-1", NULL}, "positive"},
    {"json", {"maxBytesPerTrigger", "0", NULL}, "positive"},
    {"json", {"maxFilesPerTrigger", "many", NULL}, "maxFilesPerTrigger"},
    {"json", {"maxCachedFiles", "-5", NULL}, "0 or more"},
    {"json", {"discardCachedInputRatio", "1.5", NULL}, "0 to 1"},
    {"json", {"cleanSource", "archive", NULL}, "off"},
    {"json", {"sourceArchiveDir", "/x", NULL}, "cleanSource"},
    {"json", {"modifiedAfter", "2025-01-01", NULL}, "stream"},
    {"json", {"modifiedBefore", "2025-01-01", NULL}, "stream"},
    {"json", {"pathGlobFilter", "[a", NULL}, "no ]"},
    {"cloudFiles", {"cloudFiles.maxFilesPerTrigger", "0", NULL}, "positive"},
    {"cloudFiles", {"modifiedAfter", "yesterday", NULL}, "no time"},
    {"cloudFiles", {"cloudFiles.useNotifications", "true", NULL}, "cloud sources"},
    {"cloudFiles", {"cloudFiles.useManagedFileEvents", "true", NULL}, "Databricks"},
    {"cloudFiles", {"cloudFiles.queueUrl", "https://x", NULL}, "cloud sources"},
    {"cloudFiles", {"cloudFiles.cleanSource", "DELETE", NULL}, "OFF"},
    {"cloudFiles", {"ignoredPathSegmentRegex", "^x", NULL}, "pathGlobFilter"},
};

static void
options_are_refused_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
        const struct refusal *c = &refusals[i];
        char text[1200];
        struct kit k;

        kit_init(&k, c->format);
        for (int o = 0; c->options[o] != NULL; o += 2)
            kit_option(&k, c->options[o], c->options[o + 1]);
        print_message("# %s %s\n", c->options[0], c->options[1]);
        assert_int_not_equal(kit_try_open(&k), WEIR_OK);
        weir_error_text(&k.err, text, sizeof(text));
        assert_non_null(strstr(text, c->said));
        kit_fini(&k);
    }
}

static void
defaults_that_say_no_are_accepted(void **state)
{
    struct kit k;

    (void)state;
    kit_init(&k, "cloudFiles");
    kit_option(&k, "cloudFiles.useNotifications", "false");
    kit_option(&k, "cloudFiles.useManagedFileEvents", "false");
    kit_option(&k, "cloudFiles.cleanSource", "OFF");
    kit_option(&k, "cloudFiles.backfillInterval", "1 day");
    kit_option(&k, "cloudFiles.useIncrementalListing", "auto");
    kit_open(&k);
    for (uint32_t i = 0; i < k.options.n; i++)
        assert_true(k.set[i].used);
    kit_fini(&k);
}

static void
a_missing_folder_is_named(void **state)
{
    struct kit k;

    (void)state;
    kit_init(&k, "json");
    set_path(&k, "/nowhere");
    assert_int_equal(kit_try_open(&k), WEIR_USAGE);
    assert_non_null(strstr(k.err.what, "/in/nowhere"));
    kit_fini(&k);

    kit_init(&k, "json"); /* with a pattern it may come later */
    set_path(&k, "/later/*");
    kit_open(&k);
    no_batch(&k);
    kit_file(&k, "later/a", 1, 0);
    batch_is(&k, "a");
    kit_fini(&k);
}

static void
a_folder_of_sparks_file_sink_is_refused(void **state)
{
    struct kit k;

    (void)state;
    kit_init(&k, "json");
    kit_file(&k, "_spark_metadata/0", 3, 0);
    assert_int_equal(kit_try_open(&k), WEIR_UNSUPPORTED);
    assert_non_null(strstr(k.err.what, "_spark_metadata"));
    kit_fini(&k);
}

static void
offsets_are_checked(void **state)
{
    struct kit k;

    (void)state;
    kit_init(&k, "json");
    kit_file(&k, "a", 1, 0);
    kit_open(&k);
    batch_is(&k, "a");
    kit_file(&k, "b", 1, 0);
    batch_is(&k, "b");
    assert_int_equal(k.type->check(k.self, NULL, "{\"logOffset\":1}", &k.err), WEIR_OK);
    assert_int_equal(k.type->check(k.self, "{\"logOffset\":0}", " { \"logOffset\" : 1, \"x\": 2 } ", &k.err), WEIR_OK);
    assert_int_equal(k.type->check(k.self, NULL, "1", &k.err), WEIR_OK);
    assert_int_equal(k.type->check(k.self, "{\"logOffset\":1}", "{\"logOffset\":0}", &k.err), WEIR_USAGE);
    assert_int_equal(k.type->check(k.self, NULL, "{\"logOffset\":2}", &k.err), WEIR_USAGE);
    assert_int_equal(k.type->check(k.self, NULL, "{\"logOffset\":-1}", &k.err), WEIR_USAGE);
    assert_int_equal(k.type->check(k.self, NULL, "{\"orders\":{\"0\":1}}", &k.err), WEIR_USAGE);
    assert_int_equal(k.type->check(k.self, NULL, "{\"logOffset\":", &k.err), WEIR_USAGE);
    assert_int_equal(k.type->check(k.self, NULL, "", &k.err), WEIR_USAGE);
    kit_fini(&k);
}

static void
a_sample_is_the_newest_files_and_takes_none(void **state)
{
    struct weir_tasks tasks;
    struct kit k;

    (void)state;
    kit_init(&k, "cloudFiles");
    limit_files(&k);
    kit_open(&k);
    batch_is(&k, "a b c d e");
    assert_int_equal(k.type->sample(k.self, 3, UINT64_MAX, &tasks, &k.err), WEIR_OK);
    assert_int_equal(tasks.n, 3);
    assert_string_equal(tasks.at[0].key, "e");
    assert_string_equal(tasks.at[2].key, "c");
    weir_tasks_fini(&tasks);
    assert_int_equal(k.type->sample(k.self, 5, 6, &tasks, &k.err), WEIR_OK);
    assert_int_equal(tasks.n, 2); /* 5 bytes are not enough, 105 are */
    weir_tasks_fini(&tasks);
    kit_file(&k, "f", 1, 9000);
    batch_is(&k, "f");
    kit_fini(&k);
}

/* 100,200 files: more than one listing keeps and one batch takes. */
static void
very_many_files_come_in_bounded_memory(void **state)
{
    enum { FILES = 100200, FOLDERS = 12 };
    struct weir_tasks tasks;
    struct weir_backlog left;
    struct kit k;
    char path[128];
    int64_t began, listed;
    size_t taken = 0;

    (void)state;
    kit_init(&k, "json");
    k.env.available_now = true;
    for (int i = 0; i < FOLDERS; i++) {
        snprintf(path, sizeof(path), "%s/in/day=%d", k.dir, i);
        assert_int_equal(mkdir(path, 0777), 0);
    }
    for (int i = 0; i < FILES; i++) {
        int fd;

        snprintf(path, sizeof(path), "%s/in/day=%d/part-%06d-of-a-usual-length.json", k.dir, i % FOLDERS, i);
        fd = open(path, O_CREAT | O_WRONLY, 0666);
        assert_true(fd >= 0);
        close(fd);
    }
    kit_open(&k);
    began = weir_mono_us();
    assert_int_equal(kit_newest(&k), WEIR_OK);
    listed = weir_mono_us() - began;
    print_message("# %d files listed in %" PRId64 " ms, at most %" PRIu64 " kB\n", FILES, listed / 1000,
                  (uint64_t)k.quota.peak / 1024);
    assert_in_range(k.quota.peak, 1, 32 * WEIR_MIB);
    k.type->backlog(k.self, &left);
    assert_int_equal(left.objects, FILES);
    for (int batch = 0; batch < 2; batch++) {
        const struct weir_admit_limits none = {false};
        const char *to, *from = batch == 0 ? NULL : "{\"logOffset\":0}";

        assert_int_equal(k.type->admit(k.self, batch, from, &none, k.mem, &to, &k.err), WEIR_OK);
        assert_int_equal(k.type->tasks(k.self, from, to, &tasks, &k.err), WEIR_OK);
        taken += tasks.n;
        weir_tasks_fini(&tasks);
        snprintf(k.offset, sizeof(k.offset), "%s", to);
    }
    assert_int_equal(taken, FILES);
    assert_null(kit_admit(&k, false));
    print_message("# all taken with at most %" PRIu64 " kB\n", (uint64_t)k.quota.peak / 1024);
    assert_in_range(k.quota.peak, 1, 48 * WEIR_MIB);
    kit_fini(&k);
}

static void
without_a_checkpoint_the_run_remembers(void **state)
{
    struct kit k;

    (void)state;
    kit_init(&k, "json");
    kit_file(&k, "a", 1, 0);
    kit_open(&k);
    k.type->close(k.self);
    k.env.checkpoint = NULL;
    assert_int_equal(k.type->open(k.self, &k.env, &k.err), WEIR_OK);
    batch_is(&k, "a");
    no_batch(&k);
    kit_file(&k, "b", 1, 0);
    batch_is(&k, "b");
    kit_fini(&k);
}

static void
descriptions_are_sparks(void **state)
{
    struct kit k;
    char want[160];

    (void)state;
    kit_init(&k, "json");
    kit_open(&k);
    snprintf(want, sizeof(want), "FileStreamSource[file:%s]", k.path);
    assert_string_equal(k.type->describe(k.self), want);
    kit_fini(&k);
    kit_init(&k, "cloudFiles");
    kit_open(&k);
    snprintf(want, sizeof(want), "CloudFilesSource[%s]", k.path);
    assert_string_equal(k.type->describe(k.self), want);
    kit_fini(&k);
}

static void
places_that_a_source_lists_are_known(void **state)
{
    static const struct {
        const char *path, *other;
        bool covers;
    } cases[] = {
        {"/in", "/in/ckpt", true},         {"/in", "/in", true},           {"/in/", "file:///in/_x/y", true},
        {"/in", "/input", false},          {"/in/a", "/in", false},        {"file:/in", "/in/./b", true},
        {"/data/*/in", "/data/ckpt", false}, {"/data/*/in", "/data/x/in/c", true}, {"/data/*", "/data/ckpt", true},
        {"/data/2024-*", "/data/ckpt", false}, {"/", "/x", true},          {"/in", "s3://in/x", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        if (weir_source_covers(cases[i].path, cases[i].other) != cases[i].covers)
            fail_msg("%s and %s", cases[i].path, cases[i].other);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_files_are_sparks_byte_for_byte),
        cmocka_unit_test(compacted_logs_are_sparks_byte_for_byte),
        cmocka_unit_test(goes_on_where_spark_stopped),
        cmocka_unit_test(one_slash_or_three_are_one_path),
        cmocka_unit_test(entries_without_their_offset_are_covered_by_the_next),
        cmocka_unit_test(the_point_source_log_lies_behind_the_log),
        cmocka_unit_test(limits_end_batches),
        cmocka_unit_test(auto_loader_takes_1000_files_by_default),
        cmocka_unit_test(once_ignores_the_limits),
        cmocka_unit_test(available_now_takes_what_was_there_at_its_start),
        cmocka_unit_test(a_listing_is_kept_as_far_as_the_options_say),
        cmocka_unit_test(a_known_path_is_not_read_again),
        cmocka_unit_test(a_file_that_is_overwritten_before_it_is_read_comes_once),
        cmocka_unit_test(files_older_than_the_newest_by_the_age_are_passed_over),
        cmocka_unit_test(names_alone_can_make_a_file_known),
        cmocka_unit_test(existing_files_can_be_passed_over),
        cmocka_unit_test(modification_times_can_be_bounded),
        cmocka_unit_test(young_files_wait_for_the_next_batch),
        cmocka_unit_test(available_now_waits_until_young_files_have_settled),
        cmocka_unit_test(a_time_ahead_of_the_clock_settles_by_standing_still),
        cmocka_unit_test(a_file_that_changes_between_look_and_batch_waits),
        cmocka_unit_test(a_file_that_is_gone_is_a_task_without_a_size),
        cmocka_unit_test(hidden_names_globs_and_folders),
        cmocka_unit_test(odd_names_come_through),
        cmocka_unit_test(a_link_that_leads_back_is_an_error),
        cmocka_unit_test(a_folder_that_cannot_be_read_is_an_error),
        cmocka_unit_test(options_are_refused_by_name),
        cmocka_unit_test(defaults_that_say_no_are_accepted),
        cmocka_unit_test(a_missing_folder_is_named),
        cmocka_unit_test(a_folder_of_sparks_file_sink_is_refused),
        cmocka_unit_test(offsets_are_checked),
        cmocka_unit_test(a_sample_is_the_newest_files_and_takes_none),
        cmocka_unit_test(very_many_files_come_in_bounded_memory),
        cmocka_unit_test(without_a_checkpoint_the_run_remembers),
        cmocka_unit_test(descriptions_are_sparks),
        cmocka_unit_test(places_that_a_source_lists_are_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
