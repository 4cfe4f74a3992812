/* A power cut at any moment of a run on a disk: the folder is rebuilt as the disk might hold it, the run is started
 * again, and each row is in the table once. */
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "pipeline_kit.h"
#include "powerloss.h"

/* In memory where that is to be had: the cuts are built, no real disk is needed, and its fsyncs take minutes. */
static char shm_root[] = "/dev/shm/weir-power-XXXXXX", tmp_root[] = "/tmp/weir-power-XXXXXX";
static const char *root;

static void
wipe(void)
{
    char command[64];

    snprintf(command, sizeof(command), "rm -rf %s", root);
    assert_int_equal(system(command), 0);
}

static void
run_after_cut(size_t n, weir_powerloss_mode mode)
{
    struct weir_error err;
    char when[64];

    snprintf(when, sizeof(when), "power cut behind change %zu, mode %d", n, (int)mode);
    wipe();
    weir_powerloss_build(n, mode, (unsigned)n, root);
    kit_drop_lease(root); /* this process is the one that it names; after a power cut none is */
    if (kit_run(root, NULL, &err) != WEIR_OK)
        fail_msg("%s: the restart failed: %s: %s", when, err.where, err.what);
    kit_expect_each_row_once(root, when);
}

static void
a_power_cut_at_any_moment_leaves_each_row_once(void **state)
{
    struct weir_error err;
    size_t changes, before;

    (void)state;
    root = mkdtemp(shm_root);
    if (root == NULL)
        root = mkdtemp(tmp_root);
    assert_non_null(root);
    weir_powerloss_begin(root);
    kit_put_input(root);
    before = weir_powerloss_count();
    assert_int_equal(kit_run(root, NULL, &err), WEIR_OK);
    weir_powerloss_end();
    changes = weir_powerloss_count();
    assert_true(changes > before + 50);
    for (size_t n = before; n <= changes; n++)
        run_after_cut(n, (weir_powerloss_mode)(n % WEIR_POWERLOSS_MODES));
    weir_powerloss_free();
    wipe();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_power_cut_at_any_moment_leaves_each_row_once),
    };

    weir_log_setup(WEIR_LOG_ERROR, false);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
