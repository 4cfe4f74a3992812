/* _weir/lease: who runs this checkpoint now.
 *
 *   {"host":"web1","bootId":"…","pid":123,"processStart":456,"runId":"…","startedMs":…,"renewedMs":…,"expiresMs":…}
 *
 * 1. It is a courtesy: it spares two runs the work of finding out that only one can win. What proves is offsets/N,
 *    commits/N and the sink's txn; a lease that is wrong costs time, never data.
 * 2. On stores of one machine a lock on _weir/lock comes first: it ends with the process, whatever killed it.
 * 3. Live is: the process of that number, host, boot and start time is there; or, on another host, the time of expiry
 *    lies ahead. Clocks of hosts differ: who waits also takes a lease over that did not change for a whole expiry.
 * 4. Renewed each third of the expiry by a thread of its own. When the file is gone it is made again; when it names
 *    another run this one is over (weir_lease_check).
 * Threads: take, check and release on the control thread; the renewing thread shares `lost` and the wish to end. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/time.h"
#include "pipeline/checkpoint.h"

enum { LEASE_TEXT = 64, LEASE_POLL_MS = 500 };
#define LEASE_KEY "_weir/lease"
#define LEASE_LOCK "_weir/lock"

static _Atomic int64_t lease_expiry_ms = 30000;

struct lease_facts {
    char host[LEASE_TEXT], boot[LEASE_TEXT], run[LEASE_TEXT];
    int64_t pid, process_start;
    int64_t started_ms, renewed_ms, expires_ms;
};

struct weir_lease {
    struct weir_store *store;
    struct lease_facts me;
    int lock; /* -1: the store has none */
    unsigned long thread;
    bool running; /* the thread is */
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool ending; /* under mutex */
    _Atomic bool lost;
};

void
weir_lease_expiry(int64_t ms)
{
    atomic_store(&lease_expiry_ms, ms);
}

/* --- who am I, and is somebody alive --- */

/* Start of a process in clock ticks since boot; -1: there is no such process. Field 22 of its stat, counted behind the
 * name, which may hold anything. */
static int64_t
lease_process_start(int64_t pid)
{
    char path[64], text[1024], *at;
    long long start = -1;
    FILE *f;
    size_t n;

    snprintf(path, sizeof(path), "/proc/%" PRId64 "/stat", pid);
    f = fopen(path, "re");
    if (f == NULL)
        return -1;
    n = fread(text, 1, sizeof(text) - 1, f);
    fclose(f);
    text[n] = '\0';
    at = strrchr(text, ')');
    for (int field = 2; at != NULL && field < 22; field++)
        at = strchr(at + 1, ' ');
    if (at == NULL || sscanf(at, "%lld", &start) != 1)
        return -1;
    return start;
}

static void
lease_line_of(const char *path, char text[LEASE_TEXT])
{
    FILE *f = fopen(path, "re");

    text[0] = '\0';
    if (f == NULL)
        return;
    if (fgets(text, LEASE_TEXT, f) != NULL)
        text[strcspn(text, "\n")] = '\0';
    fclose(f);
}

static void
lease_whoami(struct lease_facts *me, const char *run_id)
{
    *me = (struct lease_facts){.pid = getpid(), .started_ms = weir_now_ms()};
    if (gethostname(me->host, sizeof(me->host) - 1) != 0)
        snprintf(me->host, sizeof(me->host), "unknown");
    lease_line_of("/proc/sys/kernel/random/boot_id", me->boot);
    me->process_start = lease_process_start(me->pid);
    snprintf(me->run, sizeof(me->run), "%s", run_id);
}

static bool
lease_is_live(const struct lease_facts *they, const struct lease_facts *me)
{
    if (strcmp(they->host, me->host) == 0 && strcmp(they->boot, me->boot) == 0 && they->boot[0] != '\0')
        return lease_process_start(they->pid) == they->process_start;
    return weir_now_ms() < they->expires_ms;
}

/* --- the file --- */

static weir_rc
lease_text(const json_t *doc, const char *key, char out[LEASE_TEXT], struct weir_error *err)
{
    const char *text;

    WEIR_TRY(weir_json_get_str(doc, key, &text, err));
    snprintf(out, LEASE_TEXT, "%s", text != NULL ? text : "");
    return WEIR_OK;
}

/* NOTFOUND: there is none. CORRUPT: somebody wrote something else there. */
static weir_rc
lease_read(struct weir_store *store, struct lease_facts *out, struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(WEIR_SMALL_MAX);
    json_t *doc = NULL;
    weir_rc rc;

    *out = (struct lease_facts){0};
    WEIR_GO(weir_store_get(store, LEASE_KEY, &buf, err));
    WEIR_GO(weir_json_load(buf.data != NULL ? buf.data : "", buf.len, &doc, err));
    WEIR_GO(lease_text(doc, "host", out->host, err));
    WEIR_GO(lease_text(doc, "bootId", out->boot, err));
    WEIR_GO(lease_text(doc, "runId", out->run, err));
    WEIR_GO(weir_json_get_int(doc, "pid", 0, &out->pid, err));
    WEIR_GO(weir_json_get_int(doc, "processStart", 0, &out->process_start, err));
    WEIR_GO(weir_json_get_int(doc, "startedMs", 0, &out->started_ms, err));
    WEIR_GO(weir_json_get_int(doc, "renewedMs", 0, &out->renewed_ms, err));
    WEIR_GO(weir_json_get_int(doc, "expiresMs", 0, &out->expires_ms, err));
    if (out->run[0] == '\0')
        rc = weir_fail(err, WEIR_CORRUPT, "%s/" LEASE_KEY " names no run", store->path);
out:
    json_decref(doc);
    weir_buf_fini(&buf);
    return rc;
}

static weir_rc
lease_write(struct weir_lease *lease, weir_put_mode mode, struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(WEIR_SMALL_MAX);
    struct lease_facts *me = &lease->me;
    weir_rc rc;

    me->renewed_ms = weir_now_ms();
    me->expires_ms = me->renewed_ms + atomic_load(&lease_expiry_ms);
    weir_buf_str(&buf, "{\"host\":");
    weir_buf_json(&buf, me->host, strlen(me->host));
    weir_buf_printf(&buf, ",\"bootId\":\"%s\",\"pid\":%" PRId64 ",\"processStart\":%" PRId64 ",\"runId\":",
                    me->boot, me->pid, me->process_start);
    weir_buf_json(&buf, me->run, strlen(me->run));
    weir_buf_printf(&buf, ",\"startedMs\":%" PRId64 ",\"renewedMs\":%" PRId64 ",\"expiresMs\":%" PRId64 "}",
                    me->started_ms, me->renewed_ms, me->expires_ms);
    WEIR_GO(weir_buf_check(&buf, err));
    if (lease->lock >= 0) /* one machine: a lease of before its power cut is dead by its bootId */
        mode |= WEIR_PUT_FLEETING;
    rc = weir_store_put_settled(lease->store, LEASE_KEY, buf.data, buf.len, mode, err);
out:
    weir_buf_fini(&buf);
    return rc;
}

/* --- renewing --- */

/* false: it is lost. */
static bool
lease_renew(struct weir_lease *lease)
{
    struct lease_facts there;
    struct weir_error err = {0};
    weir_rc rc = lease_read(lease->store, &there, &err);

    if (rc == WEIR_OK && strcmp(there.run, lease->me.run) != 0)
        return false;
    if (rc != WEIR_OK && rc != WEIR_NOTFOUND && rc != WEIR_CORRUPT) { /* it may name another run: not written over */
        weir_warn("the lease %s/" LEASE_KEY " cannot be read: %s", lease->store->path, err.what);
        return true;
    }
    weir_error_clear(&err);
    rc = lease_write(lease, rc == WEIR_NOTFOUND ? WEIR_PUT_ABSENT : WEIR_PUT_REPLACE, &err);
    if (rc == WEIR_EXISTS)
        return false;
    if (rc != WEIR_OK)
        weir_warn("the lease %s/" LEASE_KEY " cannot be renewed: %s", lease->store->path, err.what);
    return true;
}

static void
lease_sleep(struct weir_lease *lease, int64_t ms)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += ms % 1000 * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    while (!lease->ending && pthread_cond_timedwait(&lease->wake, &lease->mutex, &until) != ETIMEDOUT)
        continue;
}

static void *
lease_main(void *arg)
{
    struct weir_lease *lease = arg;
    bool ending = false;

    while (!ending) {
        pthread_mutex_lock(&lease->mutex);
        lease_sleep(lease, atomic_load(&lease_expiry_ms) / 3);
        ending = lease->ending;
        pthread_mutex_unlock(&lease->mutex);
        if (!ending && !lease_renew(lease)) {
            atomic_store(&lease->lost, true);
            break;
        }
    }
    return NULL;
}

/* --- taking --- */

struct lease_watch { /* what a waiting run saw, by its own clock */
    struct lease_facts seen;
    int64_t since_us;
};

static weir_rc
lease_fenced(struct weir_store *store, const struct lease_facts *they, bool locked, struct weir_error *err)
{
    char since[WEIR_ISO_SIZE];

    weir_error_clear(err);
    if (they->run[0] == '\0')
        weir_fail(err, WEIR_FENCED, "another run holds the checkpoint %s", store->path);
    else
        weir_fail(err, WEIR_FENCED,
                  "another run holds the checkpoint %s: host %s, process %" PRId64 ", since %s, run %s",
                  store->path, they->host, they->pid, weir_time_iso(they->started_ms, since), they->run);
    if (locked)
        return weir_error_hint(err, "wait for it with --if-running wait, or end that process");
    return weir_error_hint(
        err, "wait for it with --if-running wait; if you are sure that it is dead, remove %s/" LEASE_KEY,
        store->path);
}

/* Rule 3: a lease that stood still for a whole expiry while we looked has no owner, whatever the clocks say. */
static bool
lease_stands_still(struct lease_watch *watch, const struct lease_facts *they)
{
    bool same = strcmp(watch->seen.run, they->run) == 0 && watch->seen.renewed_ms == they->renewed_ms;

    if (!same || watch->since_us == 0) {
        watch->seen = *they;
        watch->since_us = weir_mono_us();
        return false;
    }
    return (weir_mono_us() - watch->since_us) / 1000 > atomic_load(&lease_expiry_ms);
}

/* With the lock, where there is one: takes the file. */
static weir_rc
lease_claim(struct weir_lease *lease, struct lease_watch *watch, struct weir_error *err)
{
    struct lease_facts they, now;
    weir_rc rc = lease_read(lease->store, &they, err);

    if (rc == WEIR_NOTFOUND) {
        weir_error_clear(err);
        rc = lease_write(lease, WEIR_PUT_ABSENT, err);
        return rc == WEIR_EXISTS ? lease_fenced(lease->store, &they, false, err) : rc;
    }
    if (rc == WEIR_CORRUPT && lease->lock < 0)
        return lease_fenced(lease->store, &they, false, err);
    if (rc != WEIR_OK && rc != WEIR_CORRUPT)
        return rc;
    if (rc == WEIR_OK && lease_is_live(&they, &lease->me) && !lease_stands_still(watch, &they))
        return lease_fenced(lease->store, &they, false, err);
    weir_error_clear(err);
    WEIR_TRY(lease_write(lease, WEIR_PUT_REPLACE, err));
    WEIR_TRY(lease_read(lease->store, &now, err));
    if (strcmp(now.run, lease->me.run) != 0) /* somebody else took it over at the same moment */
        return lease_fenced(lease->store, &now, false, err);
    if (they.run[0] != '\0')
        weir_info("the run %s (host %s, process %" PRId64 ") is dead; its lease was taken over", they.run,
                  they.host, they.pid);
    return WEIR_OK;
}

static weir_rc
lease_try(struct weir_lease *lease, struct lease_watch *watch, struct weir_error *err)
{
    struct lease_facts they;
    struct weir_error ignored = {0};
    weir_rc rc = weir_store_lock(lease->store, LEASE_LOCK, &lease->lock, err);

    if (rc == WEIR_EXISTS) {
        lease->lock = -1;
        (void)lease_read(lease->store, &they, &ignored);
        return lease_fenced(lease->store, &they, true, err);
    }
    WEIR_TRY(rc);
    rc = lease_claim(lease, watch, err);
    if (rc != WEIR_OK) {
        weir_store_unlock(lease->store, lease->lock);
        lease->lock = -1;
    }
    return rc;
}

static weir_rc
lease_start(struct weir_lease *lease, struct weir_error *err)
{
    WEIR_TRY(weir_thread_start(lease_main, lease, &lease->thread, err));
    lease->running = true;
    return WEIR_OK;
}

weir_rc
weir_lease_take(struct weir_checkpoint *cp, const char *run_id, int64_t wait_ms, struct weir_stop *stop,
                struct weir_lease **out, struct weir_error *err)
{
    struct weir_lease *lease = calloc(1, sizeof(*lease));
    struct lease_watch watch = {.since_us = 0};
    int64_t began = weir_mono_us(), waited;
    pthread_condattr_t attr;
    bool told = false;
    weir_rc rc;

    if (lease == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for a lease");
    lease->store = weir_checkpoint_store(cp);
    lease->lock = -1;
    pthread_mutex_init(&lease->mutex, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&lease->wake, &attr);
    pthread_condattr_destroy(&attr);
    lease_whoami(&lease->me, run_id);
    while ((rc = lease_try(lease, &watch, err)) == WEIR_FENCED) {
        waited = (weir_mono_us() - began) / 1000;
        if (waited >= wait_ms)
            goto out;
        if (!told)
            weir_info("%s; waiting", err->what);
        told = true;
        weir_error_clear(err);
        WEIR_GO(
            weir_stop_wait(stop, wait_ms - waited < LEASE_POLL_MS ? wait_ms - waited : LEASE_POLL_MS, err));
    }
    if (rc == WEIR_OK)
        rc = lease_start(lease, err);
out:
    if (rc == WEIR_OK)
        *out = lease;
    else
        weir_lease_release(lease);
    return rc;
}

weir_rc
weir_lease_check(struct weir_lease *lease, struct weir_error *err)
{
    struct lease_facts they = {0};
    struct weir_error ignored = {0};

    if (lease_read(lease->store, &they, &ignored) == WEIR_OK && strcmp(they.run, lease->me.run) != 0)
        atomic_store(&lease->lost, true);
    if (!atomic_load(&lease->lost))
        return WEIR_OK;
    if (they.run[0] == '\0' || strcmp(they.run, lease->me.run) == 0)
        weir_fail(err, WEIR_FENCED, "this run lost the lease of the checkpoint %s", lease->store->path);
    else
        weir_fail(err, WEIR_FENCED, "run %s (host %s, process %" PRId64 ") took the checkpoint %s over",
                  they.run, they.host, they.pid, lease->store->path);
    return weir_error_hint(err, "this run stops and leaves everything as it is; the other one goes on");
}

void
weir_lease_release(struct weir_lease *lease)
{
    struct lease_facts there;
    struct weir_error ignored = {0};

    if (lease == NULL)
        return;
    if (lease->running) {
        pthread_mutex_lock(&lease->mutex);
        lease->ending = true;
        pthread_cond_signal(&lease->wake);
        pthread_mutex_unlock(&lease->mutex);
        weir_thread_join(lease->thread);
        if (lease_read(lease->store, &there, &ignored) == WEIR_OK && strcmp(there.run, lease->me.run) == 0)
            (void)weir_store_remove(lease->store, LEASE_KEY, &ignored);
    }
    weir_store_unlock(lease->store, lease->lock);
    pthread_cond_destroy(&lease->wake);
    pthread_mutex_destroy(&lease->mutex);
    free(lease);
}

const char *
weir_lease_holder(struct weir_checkpoint *cp, struct weir_mem *mem)
{
    struct lease_facts they, me;
    struct weir_error ignored = {0};
    char since[WEIR_ISO_SIZE];

    lease_whoami(&me, "");
    if (lease_read(weir_checkpoint_store(cp), &they, &ignored) != WEIR_OK || !lease_is_live(&they, &me))
        return NULL;
    return weir_mem_printf(mem, "host %s, process %" PRId64 ", since %s", they.host, they.pid,
                           weir_time_iso(they.started_ms, since));
}
