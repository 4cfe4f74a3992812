/* The pipeline file: what it means, and what each slip is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/bar.h"
#include "pipeline/place.h"
#include "pipeline/spec.h"
#include "pipeline/yaml.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static char folder[] = "/tmp/weir-spec-XXXXXX";
static struct weir_quota quota;
static struct weir_mem *mem;
static struct weir_error err;

static int
enter(void **state)
{
    (void)state;
    weir_log_setup(WEIR_LOG_ERROR, false);
    weir_quota_init(&quota, NULL, "test", 64 * WEIR_MIB);
    mem = weir_mem_new(NULL, &quota, "test");
    unsetenv("WEIR_TEST_UNSET");
    setenv("WEIR_TEST_SECRET", "hunter2", 1);
    return mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static int
leave(void **state)
{
    char cmd[64];

    (void)state;
    weir_mem_free(mem);
    snprintf(cmd, sizeof cmd, "rm -rf %s", folder);
    return chdir("/") != 0 || system(cmd) != 0;
}

static void
put_n(const char *name, const char *text, size_t n)
{
    FILE *f = fopen(name, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void
put(const char *name, const char *text)
{
    put_n(name, text, strlen(text));
}

static weir_rc
load(const char *text, struct weir_spec **spec)
{
    weir_mem_reset(mem);
    weir_error_clear(&err);
    put("p.yaml", text);
    return weir_spec_load("p.yaml", mem, spec, &err);
}

/* The rest of a good file: what a case does not say itself. */
#define SOURCE "source: {format: json, path: ./in}\n"
#define SINK "sink: {format: delta, path: ./out}\n"
#define CKPT "checkpointLocation: ./ckpt\n"

static struct weir_spec *
good(const char *text)
{
    struct weir_spec *spec = NULL;

    if (load(text, &spec) != WEIR_OK)
        fail_msg("%s: %s\n%s", err.where, err.what, text);
    return spec;
}

/* The error of a text: where and words of it, and of its hint. */
static void
bad(const char *text, int line, const char *what, const char *hint)
{
    struct weir_spec *spec;
    char where[64], all[1200];

    if (load(text, &spec) == WEIR_OK)
        fail_msg("taken without a word:\n%s", text);
    snprintf(where, sizeof where, "p.yaml:%d", line);
    snprintf(all, sizeof all, "%s%s%s", err.where, err.where[0] == '\0' ? "" : ": ", err.what);
    if (!weir_str_starts(all, where) || (all[strlen(where)] != ':'))
        fail_msg("not at %s but: %s\n%s", where, all, text);
    if (strstr(err.what, what) == NULL)
        fail_msg("not \"%s\" but: %s\n%s", what, err.what, text);
    if (hint != NULL && strstr(err.hint, hint) == NULL)
        fail_msg("hint is not \"%s\" but: %s\n%s", hint, err.hint, text);
    if (weir_rc_exit(err.rc) != 2)
        fail_msg("exit status %d for:\n%s", weir_rc_exit(err.rc), text);
}

struct slip {
    const char *text;
    int line;
    const char *what, *hint;
};

static void
texts_that_are_not_yaml_are_told_with_their_line(void **state)
{
    static const struct slip cases[] = {
        {"", 1, "empty", NULL},
        {"# only a remark\n\n", 1, "empty", NULL},
        {"name: a\n\tsource: b\n", 2, "not YAML", "tab"},
        {"source:\n\t- x\n", 2, "not YAML", "tab"},
        {"name: a\n  source: b\n", 2, "not YAML", NULL},
        {"name: [a, b\nsink: c\n", 2, "not YAML", NULL},
        {"name: \"a\nb\n", 3, "not YAML", NULL},
        {"name: a\n---\nname: b\n", 2, "second document", NULL},
        {"name: a\nsink: {}\nname: b\n", 3, "the key name stands twice, first in line 1", NULL},
        {"a: &x 1\n<<: *x\n", 2, "merge key", NULL},
        {"a: *nothing\n", 1, "*nothing names no value", NULL},
        {"a: &x [1, *x]\n", 1, "*x names no value", NULL},
        {"a: !include b.yaml\n", 1, "tag", NULL},
        {"? [a, b]\n: c\n", 1, "a key must be a text", NULL},
        {"a: \"x\\0y\"\n", 1, "NUL", NULL},
        {"- a\n- b\n", 1, "a map of keys, not a list", NULL},
        {"just text\n", 1, "a map of keys, not a text", NULL},
        {"name: a\x01\n", 1, "not YAML", NULL},
        {"x: 1\ny: \xff\n", 2, "not YAML", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        bad(cases[i].text, cases[i].line, cases[i].what, cases[i].hint);
}

static void
keys_that_are_not_there_are_told_with_the_nearest_one(void **state)
{
    static const struct slip cases[] = {
        {"sorce: {}\n" SINK CKPT, 1, "unknown key sorce in a pipeline file", "did you mean source?"},
        {SOURCE SINK "checkpointlocation: ./c\n", 3, "unknown key checkpointlocation", "did you mean checkpointLocation?"},
        {"source:\n  format: json\n  paths: ./in\n" SINK CKPT, 3, "unknown key paths in source", "did you mean path?"},
        {SOURCE "sink:\n  format: delta\n  path: x\n  outputMod: append\n" CKPT, 5, "unknown key outputMod in sink",
         "did you mean outputMode?"},
        {SOURCE "sink: {format: delta, path: x, table: {propertys: {}}}\n" CKPT, 2, "unknown key propertys in sink.table",
         "did you mean properties?"},
        {SOURCE SINK CKPT "trigger: {availablenow: true}\n", 4, "unknown key availablenow in trigger",
         "did you mean availableNow?"},
        {SOURCE SINK CKPT "conf:\n  weir.memorylimits: 1g\n", 5, "weir.memorylimits", "did you mean weir.memoryLimit?"},
        {"source: {format: jsom, path: ./in}\n" SINK CKPT, 1, "unknown source format jsom", "did you mean json?"},
        {SOURCE "sink: {format: detla, path: ./in}\n" CKPT, 2, "unknown sink format detla", "did you mean delta?"},
        {"zzzzzzzzzz: 1\n", 1, "unknown key zzzzzzzzzz", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        bad(cases[i].text, cases[i].line, cases[i].what, cases[i].hint);
}

static void
keys_of_later_versions_are_refused_by_name(void **state)
{
    static const char *const root[] = {"views", "sources", "sinks", "expect", "quarantine",
                                       "offsetTable", "watermark"};
    static const char *const source[] = {"value", "key", "deriveChanges", "onFeedExpired", "table"};
    static const char *const sink[] = {"merge", "mergeSQL"};
    static const struct slip cases[] = {
        {SOURCE "sink: {format: delta, path: x, table: {clusterBy: [a]}}\n" CKPT, 2, "clusterBy is not in this version", NULL},
        {SOURCE "sink: {format: delta, table: a.b.c}\n" CKPT, 2, "not in this version", NULL},
        {"source: {format: kafka}\n", 1, "the source format kafka is not in this version", NULL},
        {SOURCE "sink: {format: hbase}\n", 2, "the sink format hbase is not in this version", NULL},
        {"source: {format: json, path: \"s3://b/in\"}\n", 1, "s3: places are not in this version", NULL},
        {SOURCE SINK "checkpointLocation: abfss://c@a/x\n", 3, "abfss: places are not in this version", NULL},
        {SOURCE SINK CKPT "trigger: {continuous: 1 second}\n", 4, "continuous is not in this version", NULL},
        {SOURCE "sink: {format: delta, path: x, outputMode: complete}\n" CKPT, 2, "outputMode complete", NULL},
        {SOURCE SINK CKPT "onRowError: quarantine\n", 4, "onRowError: quarantine is not in this version", NULL},
        {SOURCE SINK CKPT "conf: {weir.onValueLost: quarantine}\n", 4, "quarantine is not in this version", NULL},
    };
    char text[256], what[64];

    (void)state;
    for (size_t i = 0; i < COUNT(root); i++) {
        snprintf(text, sizeof text, SOURCE SINK CKPT "%s: {}\n", root[i]);
        snprintf(what, sizeof what, "%s is not in this version", root[i]);
        bad(text, 4, what, NULL);
        assert_int_equal(err.rc, WEIR_UNSUPPORTED);
    }
    for (size_t i = 0; i < COUNT(source); i++) {
        snprintf(text, sizeof text, "source:\n  format: json\n  %s: {}\n" SINK CKPT, source[i]);
        snprintf(what, sizeof what, "%s is not in this version", source[i]);
        bad(text, 3, what, NULL);
    }
    for (size_t i = 0; i < COUNT(sink); i++) {
        snprintf(text, sizeof text, SOURCE "sink:\n  format: delta\n  %s: {}\n" CKPT, sink[i]);
        snprintf(what, sizeof what, "%s is not in this version", sink[i]);
        bad(text, 4, what, NULL);
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        bad(cases[i].text, cases[i].line, cases[i].what, cases[i].hint);
        assert_int_equal(err.rc, WEIR_UNSUPPORTED);
    }
}

static void
values_of_the_wrong_kind_are_told(void **state)
{
    static const struct slip cases[] = {
        {"source: json\n" SINK CKPT, 1, "source must be a map, not a text", NULL},
        {"source:\n" SINK CKPT, 1, "source has no value", "take the line out"},
        {"source:\n  format: [json]\n" SINK CKPT, 2, "format must be a text, not a list", NULL},
        {"source:\n  format: json\n  path: {a: b}\n" SINK CKPT, 3, "path must be a text, not a map", NULL},
        {"source:\n  format: json\n  path: ''\n" SINK CKPT, 3, "path is empty", NULL},
        {"source:\n  format: json\n  path: x\n  options: [a]\n" SINK CKPT, 4, "options must be a map, not a list", NULL},
        {"source:\n  format: json\n  path: x\n  options:\n    lineSep: [a]\n" SINK CKPT, 5, "lineSep must be a text", NULL},
        {"source:\n  format: json\n  path: x\n  options:\n    multiLine:\n" SINK CKPT, 5, "multiLine has no value", NULL},
        {"source:\n  format: json\n  path: x\n  options:\n    multiLine: true\n    MULTILINE: false\n" SINK CKPT, 6,
         "MULTILINE and multiLine of line 5 are one option", NULL},
        {"source:\n  format: json\n  path: x\n  load: y\n" SINK CKPT, 4, "path and load are one key", NULL},
        {"source:\n  format: json\n" SINK CKPT, 2, "source has no path", NULL},
        {"source:\n  path: x\n" SINK CKPT, 2, "source has no format", NULL},
        {SINK CKPT, 1, "source is missing", NULL},
        {SOURCE CKPT, 1, "sink is missing", NULL},
        {SOURCE "sink: {path: x}\n" CKPT, 2, "sink has no format", NULL},
        {SOURCE "sink: {format: delta}\n" CKPT, 2, "sink has no path", NULL},
        {SOURCE SINK, 1, "checkpointLocation is missing", "checkpointLocation: ./state/p"},
        {SOURCE SINK CKPT "name: [a]\n", 4, "name must be a text", NULL},
        {SOURCE SINK CKPT "name: \"a\\nb\"\n", 4, "control character", NULL},
        {SOURCE SINK CKPT "trigger: availableNow\n", 4, "trigger must be a map", "availableNow: true"},
        {SOURCE SINK CKPT "trigger: {}\n", 4, "one key, not 0", NULL},
        {SOURCE SINK CKPT "trigger: {once: true, availableNow: true}\n", 4, "one key, not 2", NULL},
        {SOURCE SINK CKPT "trigger: {availableNow: maybe}\n", 4, "must be true or false", NULL},
        {SOURCE SINK CKPT "trigger: {availableNow: false}\n", 4, "means nothing", NULL},
        {SOURCE SINK CKPT "trigger: {processingTime: soon}\n", 4, "soon is no interval", "10 seconds"},
        {SOURCE "sink: {format: delta, path: x, outputMode: apend}\n" CKPT, 2, "must be append", NULL},
        {SOURCE "sink:\n  format: delta\n  path: x\n  partitionBy: [a, A]\n" CKPT, 5, "names a twice", NULL},
        {SOURCE "sink:\n  format: delta\n  path: x\n  partitionBy: a,,b\n" CKPT, 5, "empty name", NULL},
        {SOURCE "sink:\n  format: delta\n  path: x\n  partitionBy: [[a]]\n" CKPT, 5, "list of texts", NULL},
        {SOURCE "sink:\n  format: delta\n  path: x\n  table: {createIfAbsent: 7}\n" CKPT, 5, "true or false, not 7", NULL},
        {"source: {format: json, path: x, schema: \"a INTT\"}\n" SINK CKPT, 1, "", NULL},
        {"source: {format: json, path: x, schema: {type: strukt}}\n" SINK CKPT, 1, "", NULL},
        {SOURCE SINK CKPT "conf: {spark.sql.session.timeZone: Mars/Olympus}\n", 4, "not known", NULL},
        {SOURCE SINK CKPT "conf:\n  weir.memoryLimit: plenty\n", 5, "", "10m"},
        {SOURCE SINK CKPT "conf:\n  weir.memoryLimit: 1m\n", 5, "at least 32m", NULL},
        {SOURCE SINK CKPT "conf:\n  weir.threads: 0\n", 5, "1 to 16", NULL},
        {SOURCE SINK CKPT "conf:\n  spark.sql.streaming.minBatchesToRetain: 0\n", 5, "positive", NULL},
        {SOURCE SINK CKPT "conf:\n  spark.hadoop.fs.s3a.access.key: x\n", 5, "object stores", NULL},
        {SOURCE SINK CKPT "conf:\n  spark.databricks.delta.schema.autoMerge.enabled: true\n", 5, "mergeSchema", NULL},
        {SOURCE SINK CKPT "conf:\n  spark.sql.legacy.timeParserPolicy: LEGACY\n", 5, "LEGACY", "CORRECTED|EXCEPTION"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        bad(cases[i].text, cases[i].line, cases[i].what, cases[i].hint);
}

static void
places_that_would_eat_one_another_are_refused(void **state)
{
    static const struct slip cases[] = {
        {SOURCE SINK "checkpointLocation: ./in/ckpt\n", 3, "inside the source's folder", NULL},
        {SOURCE SINK "checkpointLocation: ./in\n", 3, "inside the source's folder", NULL},
        {SOURCE SINK "checkpointLocation: ./in/_ckpt\n", 3, "inside the source's folder", NULL},
        {SOURCE SINK "checkpointLocation: ./x/../in/c\n", 3, "inside the source's folder", NULL},
        {SOURCE SINK "checkpointLocation: ./out/ckpt\n", 3, "inside the table's folder", "_checkpoint"},
        {SOURCE SINK "checkpointLocation: ./out\n", 3, "inside the table's folder", NULL},
        {SOURCE SINK "checkpointLocation: ./out/ckpt/_x\n", 3, "inside the table's folder", NULL},
        {SOURCE "sink: {format: delta, path: ./in}\n" CKPT, 2, "the source's folder is the table's", NULL},
        {SOURCE "sink: {format: delta, path: ./in/t}\n" CKPT, 2, "inside the source's", NULL},
        {"source: {format: json, path: ./out/x}\n" SINK CKPT, 2, "the source's folder is the table's, or inside", NULL},
        {"source:\n  format: cloudFiles\n  path: ./in\n  options:\n    cloudFiles.schemaLocation: ./in/s\n" SINK CKPT, 5,
         "inside the source's folder", NULL},
        {"source:\n  format: cloudFiles\n  path: ./in\n  options:\n    cloudFiles.schemaLocation: ./out\n" SINK CKPT, 5,
         "is the table's folder", NULL},
    };
    static const char *const fine[] = {
        SOURCE SINK "checkpointLocation: ./out/_ckpt\n", SOURCE SINK "checkpointLocation: ./out/.ckpt/a\n",
        SOURCE SINK "checkpointLocation: ./in2/ckpt\n", SOURCE "sink: {format: noop}\n",
        "source: {format: json, path: './in/*/x'}\n" SINK "checkpointLocation: ./in/ckpt\n",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        bad(cases[i].text, cases[i].line, cases[i].what, cases[i].hint);
    for (size_t i = 0; i < COUNT(fine); i++)
        good(fine[i]);
    bad("source: {format: json, path: './in/*/x'}\n" SINK "checkpointLocation: ./in/a/x/ckpt\n", 3, "inside the source", NULL);
}

static void
every_key_reaches_its_field(void **state)
{
    struct weir_spec *spec = good("name: orders\n"
                                  "source:\n"
                                  "  format: cloudFiles\n"
                                  "  load: ./landing/../in\n"
                                  "  schema: id BIGINT, at TIMESTAMP\n"
                                  "  options:\n"
                                  "    cloudFiles.format: json\n"
                                  "    cloudFiles.schemaLocation: state/schema\n"
                                  "    multiLine: true\n"
                                  "query: |\n"
                                  "  SELECT id\n"
                                  "  FROM source\n"
                                  "sink:\n"
                                  "  format: delta\n"
                                  "  save: file:///data/x\n"
                                  "  outputMode: Append\n"
                                  "  partitionBy: a, b c\n"
                                  "  options: {mergeSchema: true}\n"
                                  "  table: {comment: hello, createIfAbsent: false, properties: {delta.appendOnly: true}}\n"
                                  "trigger: {processingTime: 10 seconds}\n"
                                  "checkpointLocation: /c/\n");
    char path[128];

    (void)state;
    assert_string_equal(spec->name, "orders");
    assert_string_equal(spec->source.format, "cloudFiles");
    snprintf(path, sizeof path, "%s/in", spec->dir);
    assert_string_equal(spec->source.path, path);
    assert_int_equal(spec->source.path_line, 4);
    assert_int_equal(spec->source.schema_line, 5);
    assert_string_equal(spec->source.schema, "id BIGINT, at TIMESTAMP");
    assert_int_equal(spec->source.options.n, 3);
    assert_string_equal(weir_settings_get(&spec->source.options, "CLOUDFILES.FORMAT"), "json");
    snprintf(path, sizeof path, "%s/state/schema", spec->dir);
    assert_string_equal(weir_settings_get(&spec->source.options, "cloudFiles.schemaLocation"), path);
    assert_int_equal(spec->source.options.at[2].line, 9);
    assert_string_equal(spec->query, "SELECT id\nFROM source\n");
    assert_int_equal(spec->query_line, 10);
    assert_string_equal(spec->sink.path, "file:///data/x");
    assert_string_equal(spec->sink.output_mode, "append");
    assert_int_equal(spec->sink.npartition_by, 2);
    assert_string_equal(spec->sink.partition_by[0], "a");
    assert_string_equal(spec->sink.partition_by[1], "b c");
    assert_string_equal(weir_settings_get(&spec->sink.options, "mergeSchema"), "true");
    assert_string_equal(weir_settings_get(&spec->sink.properties, "delta.appendOnly"), "true");
    assert_string_equal(spec->sink.comment, "hello");
    assert_false(spec->sink.create);
    assert_int_equal(spec->trigger, WEIR_TRIGGER_PROCESSING_TIME);
    assert_int_equal(spec->trigger_ms, 10000);
    assert_string_equal(spec->checkpoint, "/c");
}

static void
what_is_left_out_has_spark_s_default(void **state)
{
    struct weir_spec *spec = good(SOURCE SINK CKPT);

    (void)state;
    assert_string_equal(spec->name, "p");
    assert_int_equal(spec->trigger, WEIR_TRIGGER_DEFAULT);
    assert_true(spec->sink.create);
    assert_string_equal(spec->sink.output_mode, "append");
    assert_null(spec->query);
    assert_null(spec->source.schema);
    assert_string_equal(spec->conf.time_zone, "UTC");
    assert_int_equal(spec->conf.memory_limit, 256 << 20);
    assert_int_equal(spec->conf.threads, -1);
    assert_int_equal(good(SOURCE SINK CKPT "trigger: {processingTime: 0 seconds}\n")->trigger, WEIR_TRIGGER_DEFAULT);
    assert_int_equal(good(SOURCE SINK CKPT "trigger: {once: true}\n")->trigger, WEIR_TRIGGER_ONCE);
    assert_int_equal(good(SOURCE SINK CKPT "trigger: {availableNow: True}\n")->trigger, WEIR_TRIGGER_AVAILABLE_NOW);
}

/* Each honoured setting with a value that is not its default; the struct must differ from that of a bare file. */
static void
every_honoured_setting_changes_the_conf(void **state)
{
    static const struct { const char *key, *value; } cases[] = {
        {"spark.sql.session.timeZone", "+08:00"}, {"spark.sql.caseSensitive", "true"},
        {"spark.sql.columnNameOfCorruptRecord", "bad"}, {"spark.sql.streaming.schemaInference", "true"},
        {"spark.sql.streaming.fileSource.log.compactInterval", "3"},
        {"spark.sql.streaming.minBatchesToRetain", "5"}, {"spark.sql.streaming.pollingDelay", "20 ms"},
        {"spark.databricks.cloudFiles.schemaInference.sampleSize.numFiles", "7"},
        {"spark.databricks.cloudFiles.schemaInference.sampleSize.numBytes", "1m"},
        {"spark.sql.legacy.timeParserPolicy", "EXCEPTION"}, {"weir.memoryLimit", "128m"}, {"weir.threads", "3"},
        {"weir.minCommitInterval", "0 seconds"}, {"weir.settleTime", "5 seconds"},
        {"weir.maxRecordBytes", "2m"}, {"weir.onValueLost", "fail"},
        {"weir.tempDirectory", "/var/tmp"}, {"spark.sql.ansi.enabled", "false"},
    };
    struct weir_conf bare;
    char text[256];
    size_t honoured = 0;

    (void)state;
    for (const struct weir_option *opt = weir_conf_options; opt->name != NULL; opt++)
        honoured += opt->state == WEIR_HONOURED;
    assert_int_equal(honoured, COUNT(cases));
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_conf with;

        snprintf(text, sizeof text, SOURCE SINK CKPT "conf: {%s: \"%s\"}\n", cases[i].key, cases[i].value);
        bare = good(SOURCE SINK CKPT)->conf; /* its texts are the tables' own and outlive the next load */
        with = good(text)->conf;
        /* texts are compared as texts: pointers differ in any case */
        if (strcmp(with.time_zone, bare.time_zone) == 0)
            with.time_zone = bare.time_zone;
        if (strcmp(with.corrupt_name, bare.corrupt_name) == 0)
            with.corrupt_name = bare.corrupt_name;
        if (memcmp(&with, &bare, sizeof bare) == 0)
            fail_msg("%s is not honoured", cases[i].key);
    }
}

static void
settings_of_a_cluster_are_taken_without_effect(void **state)
{
    (void)state;
    good(SOURCE SINK CKPT "conf:\n  spark.sql.shuffle.partitions: 8\n  spark.executor.memory: 4g\n"
                          "  spark.sql.adaptive.enabled: true\n  spark.app.name: x\n");
}

static void
variables_fill_texts_after_parsing(void **state)
{
    struct weir_spec *spec;

    (void)state;
    put("secret.txt", "s3cr3t\n");
    spec = good("variables: {a: one, b: \"${a}-two\", evil: \"x\\nsink: y\"}\n"
                "source:\n  format: json\n  path: /in/${b}/${name}\n"
                "  options:\n    lineSep: \"${env:WEIR_TEST_SECRET}\"\n    encoding: \"${file:secret.txt}\"\n"
                "    dateFormat: $${a}\n    locale: \"${env:WEIR_TEST_UNSET:-fall}back\"\n    timeZone: ${evil}\n" SINK CKPT);
    assert_string_equal(spec->source.path, "/in/one-two/p");
    assert_string_equal(weir_settings_get(&spec->source.options, "lineSep"), "hunter2");
    assert_string_equal(weir_settings_get(&spec->source.options, "encoding"), "s3cr3t");
    assert_string_equal(weir_settings_get(&spec->source.options, "dateFormat"), "${a}");
    assert_string_equal(weir_settings_get(&spec->source.options, "locale"), "fallback");
    assert_string_equal(weir_settings_get(&spec->source.options, "timeZone"), "x\nsink: y");
    assert_true(spec->source.options.at[0].secret);
    assert_false(spec->source.options.at[2].secret);
    assert_string_equal(good("name: ${env:WEIR_TEST_UNSET:-n}\nsource: {format: json, path: \"/in/${name}\"}\n" SINK CKPT)
                            ->source.path, "/in/n");
}

static void
variables_that_are_not_there_are_told(void **state)
{
    static const struct slip cases[] = {
        {"source: {format: json, path: \"${nope}\"}\n", 1, "${nope} is not defined", "variables:"},
        {"source: {format: json, path: \"${env:WEIR_TEST_UNSET}\"}\n", 1, "WEIR_TEST_UNSET is not set", ":-"},
        {"source: {format: json, path: \"${env:A B}\"}\n", 1, "not the name", NULL},
        {"source: {format: json, path: \"${open\"}\n", 1, "without }", NULL},
        {"source: {format: json, path: \"${file:/nonexistent/x}\"}\n", 1, "", NULL},
        {"variables: {a: \"${b}\", b: \"${a}\"}\nsource: {format: json, path: \"${a}\"}\n", 1, "refers to itself", NULL},
        {"variables: [a]\n" SOURCE, 1, "variables must be a map", NULL},
        {"variables: {a: [b]}\nsource: {format: json, path: \"${a}\"}\n", 1, "must be a text", NULL},
        {"name: ${name}\n" SOURCE, 1, "refers to itself", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_spec *spec;
        char where[64];

        assert_int_not_equal(load(cases[i].text, &spec), WEIR_OK);
        snprintf(where, sizeof where, "p.yaml:%d", cases[i].line);
        assert_true(weir_str_starts(err.where, where));
        if (strstr(err.what, cases[i].what) == NULL)
            fail_msg("%s", err.what);
        if (cases[i].hint != NULL)
            assert_non_null(strstr(err.hint, cases[i].hint));
    }
}

static void
secrets_are_masked_in_print_and_in_errors(void **state)
{
    struct weir_buf buf = WEIR_BUF(WEIR_MIB);
    struct weir_spec *spec;
    static const char *const slips[] = {
        SOURCE SINK CKPT "conf: {weir.threads: \"${env:WEIR_TEST_SECRET}\"}\n",
        SOURCE SINK CKPT "trigger: {processingTime: \"${env:WEIR_TEST_SECRET}\"}\n",
        SOURCE SINK CKPT "trigger: {once: \"${env:WEIR_TEST_SECRET}\"}\n",
        "source: {format: \"${env:WEIR_TEST_SECRET}\"}\n",
        "source: {format: json, path: \"s3://${env:WEIR_TEST_SECRET}/x\"}\n",
        SOURCE "sink: {format: \"${env:WEIR_TEST_SECRET}\"}\n",
        SOURCE "sink: {format: delta, outputMode: \"${env:WEIR_TEST_SECRET}\"}\n",
    };

    (void)state;
    spec = good("variables: {pw: \"${env:WEIR_TEST_SECRET}\"}\n"
                "source: {format: json, path: /in, options: {lineSep: \"a${pw}b\"}}\n" SINK CKPT);
    assert_int_equal(weir_spec_print(spec, &buf, &err), WEIR_OK);
    assert_null(strstr(buf.data, "hunter2"));
    assert_non_null(strstr(buf.data, "a***b"));
    weir_buf_fini(&buf);
    for (size_t i = 0; i < COUNT(slips); i++) {
        assert_int_not_equal(load(slips[i], &spec), WEIR_OK);
        if (strstr(err.what, "hunter2") != NULL || strstr(err.where, "hunter2") != NULL || strstr(err.hint, "hunter2") != NULL)
            fail_msg("the secret shows: %s: %s", err.where, err.what);
    }
}

static void
extends_merges_maps_and_replaces_lists(void **state)
{
    struct weir_spec *spec;

    (void)state;
    put("base.yaml", "source:\n  format: json\n  path: ./in\n  options: {multiLine: true, lineSep: x, encoding: UTF-8}\n"
                     "sink: {format: delta, path: \"./bronze/${name}\", partitionBy: [a, b]}\n"
                     "checkpointLocation: ./state/${name}\ntrigger: {availableNow: true}\n");
    spec = good("extends: base.yaml\nname: n\nsource:\n  options:\n    lineSep: y\n    encoding: null\n"
                "sink: {partitionBy: [c]}\ntrigger: null\n");
    assert_string_equal(weir_settings_get(&spec->source.options, "multiLine"), "true");
    assert_string_equal(weir_settings_get(&spec->source.options, "lineSep"), "y");
    assert_null(weir_settings_get(&spec->source.options, "encoding"));
    assert_int_equal(spec->sink.npartition_by, 1);
    assert_int_equal(spec->trigger, WEIR_TRIGGER_DEFAULT);
    assert_true(weir_str_ends(spec->sink.path, "/bronze/n"));
    bad("extends: nobody.yaml\n" SOURCE SINK CKPT, 1, "", NULL);
    bad("extends: p.yaml\n" SOURCE SINK CKPT, 1, "", NULL);
    bad("extends: [a]\n" SOURCE SINK CKPT, 1, "extends must be the path", NULL);
}

static void
errors_of_an_extended_file_name_that_file(void **state)
{
    struct weir_spec *spec;

    (void)state;
    put("base.yaml", "\nsource:\n  formal: json\n");
    assert_int_not_equal(load("extends: base.yaml\n" SINK CKPT, &spec), WEIR_OK);
    assert_non_null(strstr(err.where, "base.yaml:3"));
}

static void
bombs_of_aliases_and_levels_are_refused(void **state)
{
    struct weir_buf buf = WEIR_BUF(8 * WEIR_MIB);
    struct weir_spec *spec;

    (void)state;
    weir_buf_str(&buf, "a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 12; i++)
        weir_buf_printf(&buf, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i, i - 1, i - 1,
                        i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    assert_int_equal(load(buf.data, &spec), WEIR_USAGE);
    assert_non_null(strstr(err.what, "copies of aliases"));

    weir_buf_reset(&buf);
    for (int i = 0; i < 500; i++)
        weir_buf_byte(&buf, '[');
    assert_int_equal(load(buf.data, &spec), WEIR_USAGE);
    assert_non_null(strstr(err.what, "levels"));

    weir_buf_reset(&buf); /* deeper by a level with each copy */
    weir_buf_str(&buf, "a0: &a0 [x]\n");
    for (int i = 1; i < 300; i++)
        weir_buf_printf(&buf, "a%d: &a%d [*a%d]\n", i, i, i - 1);
    assert_int_equal(load(buf.data, &spec), WEIR_USAGE);
    assert_non_null(strstr(err.what, "levels"));

    weir_buf_reset(&buf);
    weir_buf_str(&buf, "variables:\n  a0: xxxxxxxxxxxxxxxx\n");
    for (int i = 1; i < 8; i++)
        weir_buf_printf(&buf, "  a%d: \"${a%d}${a%d}${a%d}${a%d}${a%d}${a%d}${a%d}${a%d}\"\n", i, i - 1, i - 1, i - 1, i - 1,
                        i - 1, i - 1, i - 1, i - 1);
    weir_buf_str(&buf, "name: ${a7}\n");
    assert_int_not_equal(load(buf.data, &spec), WEIR_OK);

    weir_buf_reset(&buf);
    while (buf.len <= 4 * WEIR_MIB)
        weir_buf_str(&buf, "# long\n");
    assert_int_not_equal(load(buf.data, &spec), WEIR_OK);
    weir_buf_fini(&buf);
}

static void
anchors_within_bounds_are_taken(void **state)
{
    struct weir_spec *spec = good("source: {format: json, path: &x ./in}\nsink: {format: delta, path: ./out, options: &o {}}\n"
                                  "checkpointLocation: &c ./c\n");

    (void)state;
    assert_true(weir_str_ends(spec->checkpoint, "/c"));
}

static void
a_schema_may_be_ddl_json_or_pasted_json(void **state)
{
    static const char json[] = "{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}";
    char text[512];
    struct weir_spec *spec;

    (void)state;
    good("source: {format: json, path: /in, schema: \"a BIGINT, b STRUCT<c: INT>\"}\n" SINK CKPT);
    snprintf(text, sizeof text, "source:\n  format: json\n  path: /in\n  schema: '%s'\n" SINK CKPT, json);
    good(text);
    snprintf(text, sizeof text, "source:\n  format: json\n  path: /in\n  schema: %s\n" SINK CKPT, json);
    spec = good(text);
    assert_string_equal(spec->source.schema, json);
}

static uint64_t
print_of(const char *text)
{
    return good(text)->fingerprint;
}

static void
the_fingerprint_changes_with_what_decides_a_batch(void **state)
{
    static const char base[] = "source: {format: json, path: /in}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n";
    static const char *const other[] = {
        "source: {format: cloudFiles, path: /in}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n",
        "source: {format: json, path: /in2}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n",
        "source: {format: json, path: /in, schema: a INT}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n",
        "source: {format: json, path: /in, options: {multiLine: true}}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n",
        "source: {format: json, path: /in}\nsink: {format: delta, path: /out2}\ncheckpointLocation: /c\n",
        "source: {format: json, path: /in}\nsink: {format: noop, path: /out}\ncheckpointLocation: /c\n",
        "source: {format: json, path: /in}\nsink: {format: delta, path: /out, partitionBy: [a]}\ncheckpointLocation: /c\n",
        "source: {format: json, path: /in}\nsink: {format: delta, path: /out, options: {mergeSchema: true}}\ncheckpointLocation: /c\n",
        "query: SELECT a FROM source\nsource: {format: json, path: /in}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n",
        "conf: {spark.sql.session.timeZone: +08:00}\nsource: {format: json, path: /in}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n",
        "conf: {spark.sql.caseSensitive: true}\nsource: {format: json, path: /in}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n",
        "conf: {weir.onValueLost: fail}\nsource: {format: json, path: /in}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n",
        "conf: {spark.sql.ansi.enabled: false}\nsource: {format: json, path: /in}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n",
        "onRowError: null\nsource: {format: json, path: /in}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n",
        "tables: {c: {format: delta, path: /c1}}\nsource: {format: json, path: /in}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n",
        "tables: {c: {format: delta, path: /c2}}\nsource: {format: json, path: /in}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n",
    };
    static const char *const same[] = {
        "name: other\nsource: {format: json, path: /in}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n",
        "trigger: {once: true}\nsource: {format: json, path: /in}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c2\n",
        "source: {format: json, path: /in, options: {maxFilesPerTrigger: 3}}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n",
        "source: {format: json, path: /in, options: {cloudFiles.maxBytesPerTrigger: 3}}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n",
        "source: {format: json, path: \"file:///in\"}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n",
        "conf: {weir.threads: 2, weir.memoryLimit: 1g}\nsource: {format: json, path: /in}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n",
    };
    uint64_t want = print_of(base);

    (void)state;
    assert_int_not_equal(want, 0);
    for (size_t i = 0; i < COUNT(other); i++)
        if (print_of(other[i]) == want)
            fail_msg("the fingerprint does not see:\n%s", other[i]);
    for (size_t i = 0; i < COUNT(same); i++)
        if (print_of(same[i]) != want)
            fail_msg("the fingerprint should not see:\n%s", same[i]);
    assert_true(print_of("source: {format: json, path: /in, options: {a: 1, B: 2}}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n") ==
                print_of("source: {format: json, path: /in, options: {b: 2, A: 1}}\nsink: {format: delta, path: /out}\ncheckpointLocation: /c\n"));
}

static void
the_resolved_file_reads_back_as_the_same(void **state)
{
    struct weir_buf buf = WEIR_BUF(WEIR_MIB);
    struct weir_spec *spec = good("name: \"it's: a #name\"\n"
                                  "source:\n  format: json\n  path: ./in dir\n  schema: {type: struct, fields: []}\n"
                                  "  options: {lineSep: \"\\t\\u2028\\x7f\", encoding: 'no', locale: \"  x \", timeZone: \"a\\nb\\n\\n\","
                                  " dateFormat: \"\", timestampFormat: '- x', comment: ü, sep: \"1\", q: \"~\", a: \"\\n b\"}\n"
                                  "query: |\n  SELECT *\n    FROM source\n" SINK CKPT);
    uint64_t first = spec->fingerprint;
    char name[64];

    (void)state;
    snprintf(name, sizeof name, "%s", spec->name);
    assert_int_equal(weir_spec_print(spec, &buf, &err), WEIR_OK);
    spec = good(buf.data);
    assert_true(spec->fingerprint == first);
    assert_string_equal(spec->name, name);
    weir_buf_fini(&buf);
}

static void
places_are_made_absolute_as_text(void **state)
{
    static const struct { const char *text, *want; } cases[] = {
        {"a", "/d/e/a"}, {"./a/", "/d/e/a"}, {"../a", "/d/a"}, {"../../../a", "/a"}, {"/a//b/./c/..", "/a/b"}, {"/", "/"},
        {"a/b/../../..", "/d"}, {"..", "/d"}, {".", "/d/e"}, {"file:/a/../b", "file:/b"}, {"file:///a/b/", "file:///a/b"},
        {"FILE:/a", "FILE:/a"}, {"a b", "/d/e/a b"}, {"./x:y", "/d/e/x:y"}, {"1:y", "/d/e/1:y"}, {"~", "/d/e/~"},
    };
    const char *out, *rest;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(weir_place_absolute(cases[i].text, "/d/e", mem, &out, &err), WEIR_OK);
        assert_string_equal(out, cases[i].want);
    }
    assert_int_equal(weir_place_absolute("", "/d", mem, &out, &err), WEIR_USAGE);
    assert_int_equal(weir_place_absolute("file:a", "/d", mem, &out, &err), WEIR_USAGE);
    assert_int_equal(weir_place_absolute("gs://b/x", "/d", mem, &out, &err), WEIR_UNSUPPORTED);
    assert_true(weir_place_below("file:/a/b/c", "/a/b", &rest));
    assert_string_equal(rest, "c");
    assert_true(weir_place_below("/a/b", "/a/b", &rest));
    assert_string_equal(rest, "");
    assert_false(weir_place_below("/a/bc", "/a/b", &rest));
    assert_false(weir_place_below("/a", "/a/b", &rest));
}

static void
the_bar_fits_any_width(void **state)
{
    struct weir_bar bar = {.name = "orders_bronzé", .rows = 1234567, .files = 37, .bytes = 850000000,
                           .files_left = 83, .bytes_left = 850000000, .start_us = 0, .now_us = 10000000};
    char text[1024];

    (void)state;
    weir_bar_line(&bar, 200, false, text, sizeof text);
    assert_string_equal(text, "orders_bronzé  [==========>         ]  37/120 files  1.2 M rows  85 MB/s  0:10 left");
    for (unsigned width = 0; width < 100; width++) {
        size_t n = weir_bar_line(&bar, width, false, text, sizeof text), columns = 0;

        for (size_t i = 0; i < n; i++)
            columns += ((unsigned char)text[i] & 0xc0) != 0x80;
        assert_true(columns <= width);
    }
    bar.files_left = bar.bytes_left = UINT64_MAX;
    weir_bar_line(&bar, 200, false, text, sizeof text);
    assert_string_equal(text, "orders_bronzé  37 files  1.2 M rows  85 MB/s");
}

static void
large_numbers_are_shortened(void **state)
{
    static const struct { uint64_t n; const char *want; } counts[] = {
        {0, "0"}, {9999, "9999"}, {10000, "10 k"}, {999499, "999 k"}, {999500, "1.0 M"}, {1234567, "1.2 M"}, {9960000, "10 M"},
        {UINT64_MAX, "18446744 T"},
    };
    char text[16];

    (void)state;
    for (size_t i = 0; i < COUNT(counts); i++)
        assert_string_equal(weir_bar_count(counts[i].n, text), counts[i].want);
    assert_string_equal(weir_bar_bytes(0, text), "0 B");
    assert_string_equal(weir_bar_bytes(1536, text), "1.5 kB");
    assert_string_equal(weir_bar_bytes(85e6, text), "85 MB");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_that_are_not_yaml_are_told_with_their_line),
        cmocka_unit_test(keys_that_are_not_there_are_told_with_the_nearest_one),
        cmocka_unit_test(keys_of_later_versions_are_refused_by_name),
        cmocka_unit_test(values_of_the_wrong_kind_are_told),
        cmocka_unit_test(places_that_would_eat_one_another_are_refused),
        cmocka_unit_test(every_key_reaches_its_field),
        cmocka_unit_test(what_is_left_out_has_spark_s_default),
        cmocka_unit_test(every_honoured_setting_changes_the_conf),
        cmocka_unit_test(settings_of_a_cluster_are_taken_without_effect),
        cmocka_unit_test(variables_fill_texts_after_parsing),
        cmocka_unit_test(variables_that_are_not_there_are_told),
        cmocka_unit_test(secrets_are_masked_in_print_and_in_errors),
        cmocka_unit_test(extends_merges_maps_and_replaces_lists),
        cmocka_unit_test(errors_of_an_extended_file_name_that_file),
        cmocka_unit_test(bombs_of_aliases_and_levels_are_refused),
        cmocka_unit_test(anchors_within_bounds_are_taken),
        cmocka_unit_test(a_schema_may_be_ddl_json_or_pasted_json),
        cmocka_unit_test(the_fingerprint_changes_with_what_decides_a_batch),
        cmocka_unit_test(the_resolved_file_reads_back_as_the_same),
        cmocka_unit_test(places_are_made_absolute_as_text),
        cmocka_unit_test(the_bar_fits_any_width),
        cmocka_unit_test(large_numbers_are_shortened),
    };

    return cmocka_run_group_tests(tests, enter, leave);
}
