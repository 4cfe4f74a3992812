/* Option tables, fail points, the log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/option.h"
#include "base/point.h"
#include "base/str.h"
#include "base/time.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static struct weir_error err;

/* ---- what was written to stderr ---- */

static int stderr_saved, stderr_pipe[2];

static void
capture_start(void)
{
    stderr_saved = dup(STDERR_FILENO);
    assert_int_equal(pipe(stderr_pipe), 0);
    dup2(stderr_pipe[1], STDERR_FILENO);
}

static const char *
capture_end(void)
{
    static char text[60000];
    ssize_t n;

    dup2(stderr_saved, STDERR_FILENO);
    close(stderr_saved);
    close(stderr_pipe[1]);
    n = read(stderr_pipe[0], text, sizeof(text) - 1);
    close(stderr_pipe[0]);
    text[n < 0 ? 0 : n] = '\0';
    return text;
}

/* ---- options ---- */

struct self {
    bool flag;
    int64_t count, bytes, age;
    const char *text;
    int mode;
};
#define AT(member) offsetof(struct self, member)

static const struct weir_option table[] = {
    {"flag", WEIR_OPT_BOOL, WEIR_HONOURED, AT(flag), "true", NULL, "a flag"},
    {"maxCount", WEIR_OPT_INT, WEIR_HONOURED, AT(count), "5", NULL, "a count"},
    {"maxBytes", WEIR_OPT_BYTES, WEIR_HONOURED, AT(bytes), "2k", NULL, "a size"},
    {"maxAge", WEIR_OPT_INTERVAL, WEIR_HONOURED, AT(age), NULL, NULL, "an age"},
    {"text", WEIR_OPT_TEXT, WEIR_HONOURED, AT(text), "none", NULL, "a text"},
    {"mode", WEIR_OPT_CHOICE, WEIR_HONOURED, AT(mode), "slow", "fast|slow|off", "a mode"},
    {"numThreads", WEIR_OPT_INT, WEIR_NO_EFFECT, 0, NULL, NULL, "weir has lanes"},
    {"queueUrl", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL, "there is no queue here"},
    WEIR_OPTION_END,
};
static const struct weir_option other_table[] = {
    {"header", WEIR_OPT_BOOL, WEIR_HONOURED, AT(flag), "false", NULL, "a header"},
    WEIR_OPTION_END,
};

#define SET(key_, value_, line_, used_) {.key = (key_), .value = (value_), .line = (line_), .used = (used_)}
#define SETTINGS(list) {.at = (list), .n = COUNT(list), .file = "p.yaml"}

static void
defaults_are_written_as_a_user_would(void **state)
{
    struct weir_settings none = {0};
    struct self self;

    (void)state;
    memset(&self, 0x5a, sizeof(self));
    assert_int_equal(weir_options_apply(table, &self, &none, &err), WEIR_OK);
    assert_true(self.flag);
    assert_int_equal(self.count, 5);
    assert_int_equal(self.bytes, 2048);
    assert_int_equal(self.age, -1);
    assert_string_equal(self.text, "none");
    assert_int_equal(self.mode, 1);
}

static void
settings_are_found_without_regard_to_case_and_marked(void **state)
{
    struct weir_setting list[] = {SET("FLAG", " False ", 1, false),      SET("maxcount", "-7", 2, false),
                                  SET("maxBytes", "1 mb", 3, false),     SET("MaxAge", "1 hour", 4, false),
                                  SET("text", " kept as it is ", 5, false), SET("mode", "OFF", 6, false),
                                  SET("header", "true", 7, false)};
    struct weir_settings set = SETTINGS(list);
    struct self self;
    size_t i;

    (void)state;
    assert_int_equal(weir_options_apply(table, &self, &set, &err), WEIR_OK);
    assert_false(self.flag);
    assert_int_equal(self.count, -7);
    assert_int_equal(self.bytes, 1048576);
    assert_int_equal(self.age, 3600000);
    assert_ptr_equal(self.text, list[4].value);
    assert_int_equal(self.mode, 2);
    for (i = 0; i < COUNT(list); i++)
        assert_int_equal(list[i].used, i < 6);
    assert_string_equal(weir_settings_get(&set, "MAXAGE"), "1 hour");
    assert_null(weir_settings_get(&set, "maxAg"));
}

static void
a_wrong_value_names_file_line_option_and_what_is_possible(void **state)
{
    static const struct {
        const char *key, *value, *hint;
    } cases[] = {
        {"flag", "yes", "true or false"},     {"maxCount", "1.5", "whole number"},
        {"maxCount", "", "whole number"},     {"maxBytes", "1.5g", "number of bytes"},
        {"maxAge", "1 month", "10 seconds"},  {"mode", "fas", "fast|slow|off"},
        {"mode", "", "fast|slow|off"},        {"mode", "fast|slow", "fast|slow|off"},
    };
    struct self self;
    char want[100];
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        struct weir_setting list[] = {SET(cases[i].key, cases[i].value, 12, false)};
        struct weir_settings set = SETTINGS(list);

        assert_int_equal(weir_options_apply(table, &self, &set, &err), WEIR_USAGE);
        snprintf(want, sizeof(want), "p.yaml:12: option %s: \"%s\" is not valid", cases[i].key, cases[i].value);
        assert_string_equal(err.what, want);
        assert_non_null(strstr(err.hint, cases[i].hint));
    }
}

static void
a_secret_stays_secret_and_a_setting_knows_its_own_file(void **state)
{
    struct weir_setting list[] = {
        {.key = "maxCount", .value = "s3cr3t", .line = 2, .secret = true, .file = "base.yaml"}};
    struct weir_settings set = SETTINGS(list);
    struct self self;

    (void)state;
    assert_int_equal(weir_options_apply(table, &self, &set, &err), WEIR_USAGE);
    assert_string_equal(err.what, "base.yaml:2: option maxCount: its secret value is not valid");
}

static void
an_option_given_twice_is_refused(void **state)
{
    struct weir_setting list[] = {SET("flag", "true", 3, false), SET("Flag", "false", 9, false)};
    struct weir_settings set = SETTINGS(list);
    struct self self;

    (void)state;
    assert_int_equal(weir_options_apply(table, &self, &set, &err), WEIR_USAGE);
    assert_string_equal(err.what, "p.yaml:9: option Flag: given before in line 3");
}

static void
a_refused_option_says_why(void **state)
{
    struct weir_setting list[] = {SET("queueUrl", "x", 4, false)};
    struct weir_settings set = SETTINGS(list);
    struct self self;

    (void)state;
    assert_int_equal(weir_options_apply(table, &self, &set, &err), WEIR_USAGE);
    assert_string_equal(err.what, "p.yaml:4: option queueUrl: refused: there is no queue here");
}

static void
an_option_without_effect_gives_one_notice(void **state)
{
    struct weir_setting list[] = {SET("numThreads", "what it is does not matter", 4, false)};
    struct weir_settings set = SETTINGS(list);
    struct self self;
    const char *text, *found;

    (void)state;
    capture_start();
    assert_int_equal(weir_options_apply(table, &self, &set, &err), WEIR_OK);
    text = capture_end();
    found = strstr(text, "WARN p.yaml:4: option numThreads has no effect: weir has lanes\n");
    assert_non_null(found);
    assert_null(strstr(strchr(found, '\n'), "numThreads"));
    assert_true(list[0].used);
}

static void
an_unknown_option_names_the_nearest_of_all_tables(void **state)
{
    static const struct weir_option *const tables[] = {table, other_table};
    static const struct {
        const char *key, *hint;
    } cases[] = {
        {"maxCuont", "did you mean maxCount?"}, {"hedaer", "did you mean header?"}, {"somethingElse", ""},
    };
    struct weir_settings none = {0};
    char want[100];
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        struct weir_setting list[] = {SET("flag", "true", 1, true), SET(cases[i].key, "5", 3, false)};
        struct weir_settings set = SETTINGS(list);

        assert_int_equal(weir_options_unknown(tables, 2, &set, &err), WEIR_USAGE);
        snprintf(want, sizeof(want), "p.yaml:3: option %s: not known here", cases[i].key);
        assert_string_equal(err.what, want);
        assert_string_equal(err.hint, cases[i].hint);
        list[1].used = true;
        assert_int_equal(weir_options_unknown(tables, 2, &set, &err), WEIR_OK);
    }
    assert_int_equal(weir_options_unknown(tables, 2, &none, &err), WEIR_OK);
}

/* ---- fail points ---- */

static int
points_off(void **state)
{
    (void)state;
    unsetenv("WEIR_POINT");
    weir_point_hook(NULL, NULL);
    return weir_point_setup(&err) != WEIR_OK || weir_points_on;
}

static weir_rc
setup_with(const char *text)
{
    setenv("WEIR_POINT", text, 1);
    weir_error_clear(&err);
    return weir_point_setup(&err);
}

static void
a_point_fails_at_its_pass_and_only_there(void **state)
{
    (void)state;
    assert_int_equal(weir_point(WEIR_POINT_OFFSETS, &err), WEIR_OK);
    assert_int_equal(setup_with("offsets@3=fail,ack=fail"), WEIR_OK);
    assert_int_equal(weir_point(WEIR_POINT_OFFSETS, &err), WEIR_OK);
    assert_int_equal(weir_point(WEIR_POINT_OFFSETS, &err), WEIR_OK);
    assert_int_equal(weir_point(WEIR_POINT_COMMITS, &err), WEIR_OK);
    assert_int_equal(weir_point(WEIR_POINT_OFFSETS, &err), WEIR_IO);
    assert_string_equal(err.what, "fail point offsets");
    assert_int_equal(weir_point(WEIR_POINT_OFFSETS, &err), WEIR_OK);
    assert_int_equal(weir_point(WEIR_POINT_ACK, &err), WEIR_IO);
    assert_int_equal(setup_with("offsets=fail"), WEIR_OK); /* set up anew: counted anew, the others off */
    assert_int_equal(weir_point(WEIR_POINT_ACK, &err), WEIR_OK);
    assert_int_equal(weir_point(WEIR_POINT_OFFSETS, &err), WEIR_IO);
}

static void
a_point_sleeps(void **state)
{
    int64_t start = weir_mono_us();

    (void)state;
    assert_int_equal(setup_with("planned=sleep:30"), WEIR_OK);
    assert_int_equal(weir_point(WEIR_POINT_PLANNED, &err), WEIR_OK);
    assert_true(weir_mono_us() - start >= 29000);
}

static void
a_point_kills_or_stops_the_process(void **state)
{
    int status;
    pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        if (setup_with("sink=stop,commits=kill") == WEIR_OK) {
            weir_point(WEIR_POINT_SINK, &err);
            weir_point(WEIR_POINT_COMMITS, &err);
        }
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(WIFSTOPPED(status));
    assert_int_equal(kill(pid, SIGCONT), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void
a_wrong_order_is_refused_and_nothing_is_on(void **state)
{
    static const struct {
        const char *text, *what, *hint;
    } cases[] = {
        {"ofsets=kill", "no fail point ofsets", "did you mean offsets?"},
        {"offsets", "has no =action", ""},
        {"offsets=die", "die is no action", "kill, sleep:MILLISECONDS, fail or stop"},
        {"offsets=sleep:", "no action", ""},
        {"offsets=sleep:-1", "no action", ""},
        {"offsets@0=kill", "starts at 1", ""},
        {"offsets@x=kill", "starts at 1", ""},
        {"ack=fail,,", "has no =action", ""},
        {"ack=fail,nonsensical=fail", "no fail point nonsensical", ""},
    };
    size_t i;

    (void)state;
    for (i = 0; i < COUNT(cases); i++) {
        assert_int_equal(setup_with(cases[i].text), WEIR_USAGE);
        if (strstr(err.what, cases[i].what) == NULL || strstr(err.hint, cases[i].hint) == NULL)
            fail_msg("%s: %s %s", cases[i].text, err.what, err.hint);
        assert_false(weir_points_on);
    }
}

static weir_rc
count_passes(void *arg, weir_point_id id, struct weir_error *e)
{
    int *n = arg;

    ++*n;
    return id == WEIR_POINT_ACK ? weir_fail(e, WEIR_UNKNOWN, "hooked") : WEIR_OK;
}

static void
a_hook_decides_for_every_point(void **state)
{
    int n = 0, id;

    (void)state;
    weir_point_hook(count_passes, &n);
    assert_int_equal(weir_point(WEIR_POINT_OFFSETS, &err), WEIR_OK);
    assert_int_equal(weir_point(WEIR_POINT_ACK, &err), WEIR_UNKNOWN);
    assert_int_equal(n, 2);
    weir_point_hook(NULL, NULL);
    assert_int_equal(weir_point(WEIR_POINT_ACK, &err), WEIR_OK);
    assert_int_equal(n, 2);
    for (id = 0; id < WEIR_POINTS; id++) {
        assert_true(strlen(weir_point_name((weir_point_id)id)) > 0);
        assert_true(strlen(weir_point_about((weir_point_id)id)) > 10);
    }
}

/* ---- log ---- */

static void
hook_before(void)
{
    assert_int_equal(write(STDERR_FILENO, "<", 1), 1);
}

static void
hook_after(void)
{
    assert_int_equal(write(STDERR_FILENO, ">", 1), 1);
}

static void
a_message_is_one_line_whatever_it_holds(void **state)
{
    (void)state;
    weir_now_set(0);
    capture_start();
    weir_info("a\nb\t\033[2J\001c %d\303\251", 5);
    weir_warn("bad \377 bytes");
    weir_debug("not at this level");
    weir_log_hooks(hook_before, hook_after);
    weir_error_log("with a bar");
    weir_log_hooks(NULL, NULL);
    assert_string_equal(capture_end(), "1970-01-01T00:00:00.000Z INFO a; b  [2J c 5\303\251\n"
                                       "1970-01-01T00:00:00.000Z WARN bad ? bytes\n"
                                       "<1970-01-01T00:00:00.000Z ERROR with a bar\n>");
    weir_now_set(-1);
}

static void
levels_and_json_are_chosen_at_start(void **state)
{
    (void)state;
    weir_now_set(0);
    capture_start();
    weir_log_setup(WEIR_LOG_ERROR, false);
    weir_warn("no");
    weir_log_setup(WEIR_LOG_DEBUG, true);
    errno = 7;
    weir_debug("say \"x\\y\"\n");
    assert_int_equal(errno, 7);
    weir_log_setup(WEIR_LOG_INFO, false);
    assert_string_equal(capture_end(), "{\"timestamp\":\"1970-01-01T00:00:00.000Z\",\"level\":\"DEBUG\","
                                       "\"message\":\"say \\\"x\\\\y\\\"; \"}\n");
    weir_now_set(-1);
}

static void
a_very_long_message_is_cut_and_still_one_line(void **state)
{
    static char longer[20000];
    const char *text;

    (void)state;
    memset(longer, '"', sizeof(longer) - 1);
    weir_log_setup(WEIR_LOG_INFO, true);
    capture_start();
    weir_info("%s", longer);
    text = capture_end();
    weir_log_setup(WEIR_LOG_INFO, false);
    assert_true(strlen(text) > 2000);
    assert_true(weir_str_ends(text, "\\\"\"}\n"));
    memset(longer, '\n', sizeof(longer) - 1);
    capture_start();
    weir_info("%s", longer);
    assert_non_null(strstr(capture_end(), "; ; ; "));
}

int
main(void)
{
#define POINT_TEST(name) cmocka_unit_test_setup_teardown(name, points_off, points_off)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_written_as_a_user_would),
        cmocka_unit_test(settings_are_found_without_regard_to_case_and_marked),
        cmocka_unit_test(a_wrong_value_names_file_line_option_and_what_is_possible),
        cmocka_unit_test(a_secret_stays_secret_and_a_setting_knows_its_own_file),
        cmocka_unit_test(an_option_given_twice_is_refused),
        cmocka_unit_test(a_refused_option_says_why),
        cmocka_unit_test(an_option_without_effect_gives_one_notice),
        cmocka_unit_test(an_unknown_option_names_the_nearest_of_all_tables),
        POINT_TEST(a_point_fails_at_its_pass_and_only_there),
        POINT_TEST(a_point_sleeps),
        POINT_TEST(a_point_kills_or_stops_the_process),
        POINT_TEST(a_wrong_order_is_refused_and_nothing_is_on),
        POINT_TEST(a_hook_decides_for_every_point),
        cmocka_unit_test(a_message_is_one_line_whatever_it_holds),
        cmocka_unit_test(levels_and_json_are_chosen_at_start),
        cmocka_unit_test(a_very_long_message_is_cut_and_still_one_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
