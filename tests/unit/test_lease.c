/* The lease: one holder, whoever races; a dead one's is taken over, a live one's never. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"
#include "pipeline/checkpoint.h"
#include "store/mem.h"

enum { RACERS = 8 };

struct fixture {
    char dir[40];
    struct weir_mem *mem;
    struct weir_checkpoint *cp;
};

static struct weir_error err;

static void
setup(struct fixture *f)
{
    memset(&err, 0, sizeof(err));
    snprintf(f->dir, sizeof(f->dir), "/tmp/weir-lease-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    f->mem = weir_mem_new(NULL, NULL, "test");
    assert_int_equal(weir_checkpoint_open(f->dir, true, f->mem, &f->cp, &err), WEIR_OK);
    weir_lease_expiry(30000);
}

static void
teardown(struct fixture *f)
{
    char cmd[64];

    weir_checkpoint_close(f->cp);
    weir_mem_free(f->mem);
    snprintf(cmd, sizeof(cmd), "rm -rf %s", f->dir);
    assert_int_equal(system(cmd), 0);
    weir_lease_expiry(30000);
    weir_now_set(-1);
}

static weir_rc
take(struct fixture *f, const char *run, int64_t wait_ms, struct weir_lease **out)
{
    *out = NULL;
    memset(&err, 0, sizeof(err));
    return weir_lease_take(f->cp, run, wait_ms, NULL, out, &err);
}

static void
write_lease(struct fixture *f, const char *host, const char *boot, int64_t pid, int64_t renewed_ms, int64_t expires_ms)
{
    char text[512];
    int n = snprintf(text, sizeof(text),
                     "{\"host\":\"%s\",\"bootId\":\"%s\",\"pid\":%" PRId64 ",\"processStart\":1,\"runId\":\"theirs\","
                     "\"startedMs\":1700000000000,\"renewedMs\":%" PRId64 ",\"expiresMs\":%" PRId64 "}",
                     host, boot, pid, renewed_ms, expires_ms);

    assert_int_equal(weir_store_put(weir_checkpoint_store(f->cp), "_weir/lease", text, (size_t)n, WEIR_PUT_REPLACE, &err),
                     WEIR_OK);
}

static void
here(char host[64], char boot[64])
{
    FILE *b = fopen("/proc/sys/kernel/random/boot_id", "r");

    assert_non_null(b);
    assert_int_equal(fscanf(b, "%63s", boot), 1);
    fclose(b);
    assert_int_equal(gethostname(host, 64), 0);
}

static void
a_live_lease_is_named(void **state)
{
    struct weir_lease *one, *two;
    struct fixture f;
    char pid[32];

    (void)state;
    setup(&f);
    assert_null(weir_lease_holder(f.cp, f.mem));
    assert_int_equal(take(&f, "run-1", 0, &one), WEIR_OK);
    assert_int_equal(weir_lease_check(one, &err), WEIR_OK);
    assert_int_equal(take(&f, "run-2", 0, &two), WEIR_FENCED);
    snprintf(pid, sizeof(pid), "process %d", (int)getpid());
    assert_non_null(strstr(err.what, pid));
    assert_non_null(strstr(err.what, "since 2"));
    assert_non_null(strstr(err.hint, "--if-running wait"));
    assert_non_null(strstr(weir_lease_holder(f.cp, f.mem), pid));
    weir_lease_release(one);
    assert_null(weir_lease_holder(f.cp, f.mem));
    assert_int_equal(take(&f, "run-2", 0, &two), WEIR_OK);
    weir_lease_release(two);
    teardown(&f);
}

struct racer {
    struct fixture *f;
    pthread_t thread;
    char run[16];
    _Atomic int *holders, *most;
    int taken;
};

static void *
race(void *arg)
{
    struct racer *r = arg;
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "racer");
    struct weir_checkpoint *cp;
    struct weir_error e = {0};
    struct weir_lease *lease;

    if (weir_checkpoint_open(r->f->dir, false, mem, &cp, &e) == WEIR_OK) {
        for (int i = 0; i < 40; i++) {
            if (weir_lease_take(cp, r->run, 0, NULL, &lease, &e) != WEIR_OK)
                continue;
            int now = atomic_fetch_add(r->holders, 1) + 1;

            if (now > *r->most)
                *r->most = now;
            r->taken++;
            usleep(1000);
            atomic_fetch_sub(r->holders, 1);
            weir_lease_release(lease);
        }
        weir_checkpoint_close(cp);
    }
    weir_mem_free(mem);
    return NULL;
}

static void
of_many_that_race_one_holds_it(void **state)
{
    struct racer racers[RACERS];
    _Atomic int holders = 0, most = 0;
    struct fixture f;
    int taken = 0;

    (void)state;
    setup(&f);
    for (int i = 0; i < RACERS; i++) {
        racers[i] = (struct racer){.f = &f, .holders = &holders, .most = &most};
        snprintf(racers[i].run, sizeof(racers[i].run), "run-%d", i);
        assert_int_equal(pthread_create(&racers[i].thread, NULL, race, &racers[i]), 0);
    }
    for (int i = 0; i < RACERS; i++) {
        pthread_join(racers[i].thread, NULL);
        taken += racers[i].taken;
    }
    assert_int_equal(most, 1);
    assert_true(taken > 0);
    teardown(&f);
}

/* A process that takes the lease, says so and waits to be killed. */
static pid_t
holder(struct fixture *f)
{
    int said[2];
    pid_t pid;
    char c;

    assert_int_equal(pipe(said), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct weir_lease *lease;

        if (weir_lease_take(f->cp, "theirs", 0, NULL, &lease, &err) == WEIR_OK && write(said[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    close(said[1]);
    assert_int_equal(read(said[0], &c, 1), 1);
    close(said[0]);
    return pid;
}

static void
the_lease_of_a_killed_process_is_taken_over_at_once(void **state)
{
    struct weir_lease *lease;
    struct fixture f;
    pid_t pid;

    (void)state;
    setup(&f);
    pid = holder(&f);
    assert_int_equal(take(&f, "mine", 0, &lease), WEIR_FENCED);
    assert_non_null(strstr(err.hint, "end that process"));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_int_equal(take(&f, "mine", 0, &lease), WEIR_OK);
    weir_lease_release(lease);
    teardown(&f);
}

static void *
kill_later(void *arg)
{
    usleep(300000);
    kill(*(pid_t *)arg, SIGKILL);
    waitpid(*(pid_t *)arg, NULL, 0);
    return NULL;
}

static void
who_waits_gets_it(void **state)
{
    struct weir_lease *lease;
    struct fixture f;
    pthread_t thread;
    pid_t pid;

    (void)state;
    setup(&f);
    pid = holder(&f);
    assert_int_equal(take(&f, "mine", 100, &lease), WEIR_FENCED); /* too short */
    assert_int_equal(pthread_create(&thread, NULL, kill_later, &pid), 0);
    assert_int_equal(take(&f, "mine", INT64_MAX, &lease), WEIR_OK);
    pthread_join(thread, NULL);
    weir_lease_release(lease);
    teardown(&f);
}

static void
other_hosts_are_judged_by_the_time_of_expiry(void **state)
{
    struct weir_lease *lease;
    struct fixture f;
    int64_t now;

    (void)state;
    setup(&f);
    now = weir_now_ms();
    write_lease(&f, "elsewhere", "b", 1, now, now + 20000);
    assert_int_equal(take(&f, "mine", 0, &lease), WEIR_FENCED);
    assert_non_null(strstr(err.what, "elsewhere"));
    assert_non_null(strstr(err.what, "2023-11-14"));
    assert_non_null(strstr(err.hint, "_weir/lease"));
    assert_non_null(weir_lease_holder(f.cp, f.mem));
    write_lease(&f, "elsewhere", "b", 1, now - 40000, now - 10000);
    assert_null(weir_lease_holder(f.cp, f.mem));
    assert_int_equal(take(&f, "mine", 0, &lease), WEIR_OK);
    weir_lease_release(lease);
    teardown(&f);
}

static void
a_dead_or_reused_process_number_of_this_host_holds_nothing(void **state)
{
    struct weir_lease *lease;
    struct fixture f;
    char host[64], boot[64];
    int64_t now;

    (void)state;
    setup(&f);
    here(host, boot);
    now = weir_now_ms();
    write_lease(&f, host, boot, 0x3fffffff, now, now + 20000);
    assert_int_equal(take(&f, "mine", 0, &lease), WEIR_OK);
    weir_lease_release(lease);
    write_lease(&f, host, boot, getpid(), now, now + 20000); /* of another start time */
    assert_int_equal(take(&f, "mine", 0, &lease), WEIR_OK);
    weir_lease_release(lease);
    write_lease(&f, host, "another boot", getpid(), now, now + 20000); /* a namesake, perhaps: wait */
    assert_int_equal(take(&f, "mine", 0, &lease), WEIR_FENCED);
    teardown(&f);
}

static void
a_clock_that_went_back_does_not_lock_for_ever(void **state)
{
    struct weir_lease *lease;
    struct fixture f;
    int64_t now;

    (void)state;
    setup(&f);
    weir_lease_expiry(300);
    now = weir_now_ms();
    write_lease(&f, "elsewhere", "b", 1, now + 86400000, now + 86430000); /* renewed tomorrow */
    assert_int_equal(take(&f, "mine", 0, &lease), WEIR_FENCED);
    assert_int_equal(take(&f, "mine", 5000, &lease), WEIR_OK); /* it stood still for a whole expiry */
    weir_now_set(now - 86400000); /* our own clock goes back: what we hold stays ours */
    usleep(250000);
    assert_int_equal(weir_lease_check(lease, &err), WEIR_OK);
    weir_lease_release(lease);
    teardown(&f);
}

static void
a_lease_is_renewed_and_made_again(void **state)
{
    struct weir_store *st;
    struct weir_lease *lease;
    struct weir_object obj;
    struct fixture f;
    char path[64];

    (void)state;
    setup(&f);
    weir_lease_expiry(150);
    st = weir_checkpoint_store(f.cp);
    assert_int_equal(take(&f, "mine", 0, &lease), WEIR_OK);
    snprintf(path, sizeof(path), "%s/_weir/lease", f.dir);
    assert_int_equal(unlink(path), 0); /* by hand: the run goes on */
    assert_int_equal(weir_lease_check(lease, &err), WEIR_OK);
    for (int i = 0; i < 100 && weir_store_head(st, "_weir/lease", &obj, &err) != WEIR_OK; i++)
        usleep(20000);
    assert_int_equal(weir_store_head(st, "_weir/lease", &obj, &err), WEIR_OK);
    assert_int_equal(weir_lease_check(lease, &err), WEIR_OK);
    usleep(300000);
    assert_non_null(weir_lease_holder(f.cp, f.mem));
    weir_lease_release(lease);
    assert_int_equal(weir_store_head(st, "_weir/lease", &obj, &err), WEIR_NOTFOUND);
    teardown(&f);
}

static _Atomic bool disk_refuses;
static const struct weir_store_type *good_type;

static weir_rc
open_unless_refused(void *self, const char *key, int64_t at, struct weir_input **out, struct weir_error *e)
{
    if (disk_refuses)
        return weir_fail_os(e, WEIR_IO, EIO, "open");
    return good_type->open_input(self, key, at, out, e);
}

static void
a_lease_that_cannot_be_read_is_not_written_over(void **state)
{
    struct weir_store_type type;
    struct weir_store *st;
    struct weir_lease *lease;
    struct fixture f;
    char cmd[128];

    (void)state;
    setup(&f);
    weir_lease_expiry(150);
    st = weir_checkpoint_store(f.cp);
    good_type = st->type;
    type = *good_type;
    type.open_input = open_unless_refused;
    st->type = &type;
    assert_int_equal(take(&f, "mine", 0, &lease), WEIR_OK);
    disk_refuses = true;
    usleep(100000); /* a renewal that had read its own before is through */
    write_lease(&f, "elsewhere", "b", 1, weir_now_ms(), weir_now_ms() + 86400000);
    usleep(300000);
    snprintf(cmd, sizeof(cmd), "grep -q elsewhere %s/_weir/lease", f.dir);
    assert_int_equal(system(cmd), 0);
    disk_refuses = false;
    assert_int_equal(weir_lease_check(lease, &err), WEIR_FENCED);
    weir_lease_release(lease);
    st->type = good_type;
    teardown(&f);
}

static void
a_lease_that_names_another_run_is_lost(void **state)
{
    struct weir_store *st;
    struct weir_lease *lease;
    struct weir_object obj;
    struct fixture f;
    int64_t now;

    (void)state;
    setup(&f);
    st = weir_checkpoint_store(f.cp);
    assert_int_equal(take(&f, "mine", 0, &lease), WEIR_OK);
    now = weir_now_ms();
    write_lease(&f, "elsewhere", "b", 4711, now, now + 30000);
    assert_int_equal(weir_lease_check(lease, &err), WEIR_FENCED);
    assert_non_null(strstr(err.what, "theirs"));
    weir_store_remove(st, "_weir/lease", &err);
    assert_int_equal(weir_lease_check(lease, &err), WEIR_FENCED); /* lost is lost */
    write_lease(&f, "elsewhere", "b", 4711, now, now + 30000);
    weir_lease_release(lease);
    assert_int_equal(weir_store_head(st, "_weir/lease", &obj, &err), WEIR_OK); /* theirs stays */
    teardown(&f);
}

static void
junk_in_the_file_does_not_stop_who_holds_the_lock(void **state)
{
    struct weir_lease *lease;
    struct fixture f;

    (void)state;
    setup(&f);
    assert_int_equal(weir_store_put(weir_checkpoint_store(f.cp), "_weir/lease", "junk", 4, WEIR_PUT_REPLACE, &err), WEIR_OK);
    assert_int_equal(take(&f, "mine", 0, &lease), WEIR_OK);
    weir_lease_release(lease);
    teardown(&f);
}

static void
stores_without_locks_have_leases_too(void **state)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    struct weir_checkpoint *cp;
    struct weir_lease *one, *two;

    (void)state;
    memset(&err, 0, sizeof(err));
    assert_int_equal(weir_checkpoint_open("mem:lease/c", true, mem, &cp, &err), WEIR_OK);
    assert_int_equal(weir_lease_take(cp, "one", 0, NULL, &one, &err), WEIR_OK);
    assert_int_equal(weir_lease_take(cp, "two", 0, NULL, &two, &err), WEIR_FENCED);
    weir_lease_release(one);
    memset(&err, 0, sizeof(err));
    assert_int_equal(weir_lease_take(cp, "two", 0, NULL, &two, &err), WEIR_OK);
    weir_lease_release(two);
    weir_checkpoint_close(cp);
    weir_mem_free(mem);
    weir_mem_store_drop("lease");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_live_lease_is_named),
        cmocka_unit_test(of_many_that_race_one_holds_it),
        cmocka_unit_test(the_lease_of_a_killed_process_is_taken_over_at_once),
        cmocka_unit_test(who_waits_gets_it),
        cmocka_unit_test(other_hosts_are_judged_by_the_time_of_expiry),
        cmocka_unit_test(a_dead_or_reused_process_number_of_this_host_holds_nothing),
        cmocka_unit_test(a_clock_that_went_back_does_not_lock_for_ever),
        cmocka_unit_test(a_lease_is_renewed_and_made_again),
        cmocka_unit_test(a_lease_that_cannot_be_read_is_not_written_over),
        cmocka_unit_test(a_lease_that_names_another_run_is_lost),
        cmocka_unit_test(junk_in_the_file_does_not_stop_who_holds_the_lock),
        cmocka_unit_test(stores_without_locks_have_leases_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
