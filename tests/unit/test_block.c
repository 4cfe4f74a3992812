/* The pool of blocks and the wish to stop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <signal.h>

#include "base/block.h"
#include "base/limits.h"
#include "base/stop.h"
#include "base/time.h"

static struct weir_error err;
static struct weir_stop stop;
static struct weir_quota quota;
static struct weir_block_pool *pool;

/* A pool of three blocks. */
static int
set_up(void **state)
{
    (void)state;
    weir_quota_init(&quota, NULL, "window", 16 * WEIR_MIB);
    return weir_stop_init(&stop, &err) != WEIR_OK ||
           weir_block_pool_new(&quota, 3 * WEIR_BLOCK_BYTES, &stop, &pool, &err) != WEIR_OK;
}

static int
tear_down(void **state)
{
    (void)state;
    weir_block_pool_free(pool);
    weir_stop_fini(&stop);
    return quota.used != 0;
}

static struct weir_block *
get(size_t size)
{
    struct weir_block *block = NULL;

    assert_int_equal(weir_block_get(pool, size, &block, &err), WEIR_OK);
    return block;
}

static void
a_block_has_its_size_and_a_zeroed_pad(void **state)
{
    struct weir_block *b = get(0);
    size_t i;

    (void)state;
    assert_int_equal(b->cap, WEIR_BLOCK_BYTES);
    assert_int_equal(b->len, 0);
    assert_int_equal(b->offset, -1);
    assert_int_equal((uintptr_t)b->data % 64, 0);
    memset(b->data, 'x', b->cap);
    b->len = b->cap;
    weir_block_seal(b);
    for (i = 0; i < WEIR_BLOCK_PAD; i++)
        assert_int_equal(b->data[b->cap + i], 0);
    b->len = 5;
    weir_block_seal(b);
    assert_int_equal(b->data[4], 'x');
    assert_int_equal(b->data[5], 0);
    weir_block_put(b);
    weir_block_put(NULL);
}

static void
the_last_reference_gives_a_block_back_for_reuse(void **state)
{
    struct weir_block *b = get(10), *again;
    uint64_t used = quota.used;

    (void)state;
    b->len = 7;
    b->offset = 99;
    weir_block_ref(b);
    weir_block_put(b);
    b->data[0] = 'y'; /* still ours */
    weir_block_put(b);
    assert_int_equal(quota.used, used);
    again = get(0);
    assert_ptr_equal(again, b);
    assert_int_equal(again->len, 0);
    assert_int_equal(again->offset, -1);
    assert_int_equal(quota.used, used);
    weir_block_put(again);
}

struct later { /* gives a block back, or asks to stop, after a while */
    struct weir_block *put;
    int64_t ms;
};

static void *
later_run(void *arg)
{
    struct later *later = arg;
    struct weir_error mine;

    weir_stop_wait(NULL, later->ms, &mine);
    if (later->put != NULL)
        weir_block_put(later->put);
    else
        weir_stop_ask(&stop, SIGTERM);
    return NULL;
}

static void
a_full_pool_waits_for_a_block_to_come_back(void **state)
{
    struct weir_block *a = get(0), *b = get(0), *c = get(0), *d;
    struct later later = {.put = b, .ms = 120};
    int64_t start = weir_mono_us();
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, later_run, &later), 0);
    d = get(0);
    assert_true(weir_mono_us() - start >= 100000);
    assert_ptr_equal(d, b);
    pthread_join(thread, NULL);
    weir_block_put(a);
    weir_block_put(c);
    weir_block_put(d);
    assert_true(quota.peak < 4 * WEIR_BLOCK_BYTES);
}

static void
a_stop_wakes_who_waits_for_a_block(void **state)
{
    struct weir_block *a = get(0), *b = get(0), *c = get(0), *d;
    struct later later = {.ms = 50};
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, later_run, &later), 0);
    assert_int_equal(weir_block_get(pool, 0, &d, &err), WEIR_STOPPED);
    pthread_join(thread, NULL);
    weir_block_put(a);
    weir_block_put(b);
    weir_block_put(c);
    assert_int_equal(weir_block_get(pool, 0, &d, &err), WEIR_STOPPED); /* though there is room */
}

static void
a_block_over_the_ceiling_is_given_when_no_other_is_out(void **state)
{
    struct weir_block *a = get(0), *big;
    struct later later = {.put = a, .ms = 120};
    int64_t start = weir_mono_us();
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, later_run, &later), 0);
    big = get(5 * WEIR_BLOCK_BYTES);
    assert_true(weir_mono_us() - start >= 100000);
    assert_int_equal(big->cap, 5 * WEIR_BLOCK_BYTES);
    pthread_join(thread, NULL);
    weir_block_put(big);
    assert_int_equal(quota.used, 0); /* odd sizes are not kept, and the free ones had to make room */
}

static void
the_quota_holds_for_blocks_over_the_ceiling(void **state)
{
    struct weir_block *big;

    (void)state;
    assert_int_equal(weir_block_get(pool, 17 * WEIR_MIB, &big, &err), WEIR_NOMEM);
    assert_non_null(strstr(err.what, "window"));
    assert_int_equal(weir_block_get(pool, SIZE_MAX, &big, &err), WEIR_NOMEM);
}

static void
a_block_grows_with_its_bytes(void **state)
{
    struct weir_block *b = get(0), *same;

    (void)state;
    memset(b->data, 'q', 1000);
    b->len = 1000;
    b->offset = 4096;
    same = b;
    assert_int_equal(weir_block_grow(&b, 2000, &err), WEIR_OK);
    assert_ptr_equal(b, same);
    assert_int_equal(weir_block_grow(&b, 6 * WEIR_BLOCK_BYTES, &err), WEIR_OK); /* its own block does not count */
    assert_true(b->cap >= 6 * WEIR_BLOCK_BYTES);
    assert_int_equal(b->len, 1000);
    assert_int_equal(b->offset, 4096);
    assert_int_equal(b->data[999], 'q');
    assert_int_equal(b->data[1000], 0);
    weir_block_put(b);
}

struct grower {
    struct weir_block *block;
    weir_rc rc;
};

static void *
grower_run(void *arg)
{
    struct grower *g = arg;
    struct weir_error mine;

    g->rc = weir_block_grow(&g->block, 4 * WEIR_BLOCK_BYTES, &mine);
    weir_block_put(g->block);
    return NULL;
}

static void
two_who_grow_over_the_ceiling_do_not_wait_for_each_other(void **state)
{
    struct grower g[2] = {{get(0), WEIR_BUG}, {get(0), WEIR_BUG}};
    pthread_t threads[2];
    int i;

    (void)state;
    for (i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, grower_run, &g[i]), 0);
    for (i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(g[0].rc, WEIR_OK);
    assert_int_equal(g[1].rc, WEIR_OK);
}

static void *
churn_run(void *arg)
{
    struct weir_block *b;
    struct weir_error mine;
    int i;

    (void)arg;
    for (i = 0; i < 500; i++) {
        if (weir_block_get(pool, i % 10 == 0 ? 2 * WEIR_BLOCK_BYTES : 0, &b, &mine) != WEIR_OK)
            return &pool;
        b->data[i] = 1;
        b->len = (size_t)i + 1;
        weir_block_put(b);
    }
    return NULL;
}

static void
many_threads_share_a_pool(void **state)
{
    pthread_t threads[6];
    void *bad;
    int i;

    (void)state;
    for (i = 0; i < 6; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, churn_run, NULL), 0);
    for (i = 0; i < 6; i++) {
        pthread_join(threads[i], &bad);
        assert_null(bad);
    }
    assert_true(quota.peak < 4 * WEIR_BLOCK_BYTES);
}

static void
a_stop_is_asked_once_and_wakes_every_wait(void **state)
{
    struct later later = {.ms = 50};
    int64_t start = weir_mono_us();
    struct pollfd wake = {.fd = stop.fd, .events = POLLIN};
    pthread_t thread;

    (void)state;
    assert_false(weir_stop_asked(&stop));
    assert_int_equal(weir_stop_check(&stop, &err), WEIR_OK);
    assert_int_equal(weir_stop_wait(&stop, 20, &err), WEIR_OK);
    assert_true(weir_mono_us() - start >= 19000);
    assert_int_equal(pthread_create(&thread, NULL, later_run, &later), 0);
    assert_int_equal(weir_stop_wait(&stop, INT64_MAX, &err), WEIR_STOPPED);
    pthread_join(thread, NULL);
    weir_stop_ask(&stop, SIGINT); /* the first one counts */
    assert_int_equal(stop.asked, 1 + SIGTERM);
    assert_int_equal(poll(&wake, 1, 0), 1);
    assert_int_equal(weir_stop_wait(&stop, 0, &err), WEIR_STOPPED);
    assert_int_equal(weir_stop_check(&stop, &err), WEIR_STOPPED);
    assert_int_equal(weir_stop_wait(NULL, 1, &err), WEIR_OK);
    assert_int_equal(weir_stop_check(NULL, &err), WEIR_OK);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_block_has_its_size_and_a_zeroed_pad),
        TEST(the_last_reference_gives_a_block_back_for_reuse),
        TEST(a_full_pool_waits_for_a_block_to_come_back),
        TEST(a_stop_wakes_who_waits_for_a_block),
        TEST(a_block_over_the_ceiling_is_given_when_no_other_is_out),
        TEST(the_quota_holds_for_blocks_over_the_ceiling),
        TEST(a_block_grows_with_its_bytes),
        TEST(two_who_grow_over_the_ceiling_do_not_wait_for_each_other),
        TEST(many_threads_share_a_pool),
        TEST(a_stop_is_asked_once_and_wakes_every_wait),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
