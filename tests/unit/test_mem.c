/* Quotas, heap and arenas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "base/mem.h"

static struct weir_error err;

static void
a_take_counts_up_the_whole_tree(void **state)
{
    struct weir_quota root, mid, leaf;

    (void)state;
    weir_quota_init(&root, NULL, "process", 1000);
    weir_quota_init(&mid, &root, "batch", UINT64_MAX);
    weir_quota_init(&leaf, &mid, "writer", 600);
    assert_int_equal(weir_quota_take(&leaf, 500, &err), WEIR_OK);
    assert_int_equal(weir_quota_take(&mid, 100, &err), WEIR_OK);
    assert_int_equal(leaf.used, 500);
    assert_int_equal(mid.used, 600);
    assert_int_equal(root.used, 600);
    weir_quota_give(&leaf, 500);
    assert_int_equal(leaf.used, 0);
    assert_int_equal(root.used, 100);
    assert_int_equal(leaf.peak, 500);
    assert_int_equal(root.peak, 600);
    weir_quota_give(&mid, 100);
}

static void
a_refusal_names_the_full_quota_and_leaves_no_trace(void **state)
{
    struct weir_quota root, leaf;

    (void)state;
    weir_quota_init(&root, NULL, "process", 1000);
    weir_quota_init(&leaf, &root, "writer", 2000);
    assert_int_equal(weir_quota_take(&leaf, 1000, &err), WEIR_OK);
    assert_int_equal(weir_quota_take(&leaf, 1, &err), WEIR_NOMEM);
    assert_non_null(strstr(err.what, "process holds 1000 of its 1000 bytes"));
    assert_non_null(strstr(err.hint, "weir.memoryLimit"));
    assert_int_equal(leaf.used, 1000);
    assert_int_equal(leaf.peak, 1000);
    assert_int_equal(root.used, 1000);
    assert_false(weir_quota_try(&leaf, UINT64_MAX));
    assert_int_equal(leaf.used, 1000);
    weir_quota_give(&leaf, 1000);
    assert_int_equal(weir_quota_take(&leaf, 2001, &err), WEIR_NOMEM);
    assert_non_null(strstr(err.what, "writer"));
    assert_true(weir_quota_try(NULL, UINT64_MAX));
    weir_quota_give(NULL, UINT64_MAX);
}

struct take_and_give {
    struct weir_quota *q;
    unsigned refused;
};

static void *
take_and_give(void *arg)
{
    struct take_and_give *t = arg;
    int i;

    for (i = 0; i < 20000; i++) {
        if (weir_quota_try(t->q, 300))
            weir_quota_give(t->q, 300);
        else
            t->refused++;
    }
    return NULL;
}

static void
threads_share_a_quota_and_never_pass_its_limit(void **state)
{
    struct weir_quota root, kids[4];
    struct take_and_give work[4];
    pthread_t threads[4];
    int i;

    (void)state;
    weir_quota_init(&root, NULL, "process", 700);
    for (i = 0; i < 4; i++) {
        weir_quota_init(&kids[i], &root, "lane", UINT64_MAX);
        work[i] = (struct take_and_give){.q = &kids[i]};
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &work[i]), 0);
    }
    for (i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(root.used, 0);
    assert_true(root.peak <= 700);
    assert_true(root.peak >= 300);
    for (i = 0; i < 4; i++)
        assert_int_equal(kids[i].used, 0);
}

static void
heap_memory_is_aligned_counted_and_kept_when_it_cannot_grow(void **state)
{
    struct weir_quota q;
    char *p, *grown;

    (void)state;
    weir_quota_init(&q, NULL, "heap", 1000);
    p = weir_heap_alloc(&q, 100);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % 64, 0);
    memset(p, 7, 100);
    assert_null(weir_heap_grow(&q, p, 100, 950)); /* both stand for a moment */
    assert_int_equal(q.used, 100);
    grown = weir_heap_grow(&q, p, 100, 800);
    assert_non_null(grown);
    assert_int_equal(grown[99], 7);
    assert_int_equal(q.used, 800);
    assert_null(weir_heap_alloc(&q, SIZE_MAX));
    weir_heap_free(&q, grown, 800);
    weir_heap_free(&q, NULL, 800);
    assert_int_equal(q.used, 0);
    p = weir_heap_alloc(NULL, 0);
    assert_non_null(p);
    weir_heap_free(NULL, p, 0);
}

static void
objects_of_an_arena_are_aligned_and_apart(void **state)
{
    struct weir_quota q;
    struct weir_mem *mem;
    unsigned char *p[300];
    size_t size, i;

    (void)state;
    weir_quota_init(&q, NULL, "arena", UINT64_MAX);
    mem = weir_mem_new(NULL, &q, "test");
    assert_ptr_equal(weir_mem_quota(mem), &q);
    for (size = 0; size < 300; size++) {
        p[size] = size % 2 == 0 ? weir_mem_zalloc(mem, size) : weir_mem_alloc(mem, size);
        assert_non_null(p[size]);
        assert_int_equal((uintptr_t)p[size] % 16, 0);
        for (i = 0; i < size && size % 2 == 0; i++)
            assert_int_equal(p[size][i], 0);
        memset(p[size], (int)(size & 0xff), size);
    }
    for (size = 0; size < 300; size++) {
        for (i = 0; i < size; i++)
            assert_int_equal(p[size][i], size & 0xff);
    }
    assert_non_null(weir_mem_alloc(mem, 10000000));
    assert_null(weir_mem_alloc(mem, SIZE_MAX));
    assert_null(weir_mem_strndup(mem, "x", SIZE_MAX));
    assert_string_equal(weir_mem_strdup(mem, "abc"), "abc");
    assert_string_equal(weir_mem_strndup(mem, "abc", 2), "ab");
    assert_string_equal(weir_mem_printf(mem, "%d-%s", 5, "x"), "5-x");
    assert_true(q.used > 10000000);
    weir_mem_free(mem);
    assert_int_equal(q.used, 0);
    weir_mem_free(NULL);
}

struct note {
    char *log;
    char letter;
};

static void
note_down(void *arg)
{
    struct note *note = arg;
    size_t n = strlen(note->log);

    note->log[n] = note->letter;
    note->log[n + 1] = '\0';
}

static void
handlers_run_newest_first_and_before_the_children_die(void **state)
{
    char log[16] = "";
    struct note notes[] = {{log, 'a'}, {log, 'b'}, {log, 'k'}, {log, 'c'}};
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "parent"), *kid = weir_mem_new(mem, NULL, "kid");

    (void)state;
    assert_true(weir_mem_on_free(mem, note_down, &notes[0]));
    assert_true(weir_mem_on_free(mem, note_down, &notes[1]));
    assert_true(weir_mem_on_free(kid, note_down, &notes[2]));
    weir_mem_reset(mem);
    assert_string_equal(log, "bak");
    assert_true(weir_mem_on_free(mem, note_down, &notes[3]));
    weir_mem_free(mem);
    assert_string_equal(log, "bakc"); /* each handler once */
}

static void
children_die_with_their_parent_or_before(void **state)
{
    struct weir_quota q;
    struct weir_mem *mem, *kids[5];
    int i;

    (void)state;
    weir_quota_init(&q, NULL, "tree", UINT64_MAX);
    mem = weir_mem_new(NULL, &q, "parent");
    for (i = 0; i < 5; i++) {
        kids[i] = weir_mem_new(i == 4 ? kids[3] : mem, &q, "kid");
        assert_non_null(weir_mem_alloc(kids[i], 100));
    }
    weir_mem_free(kids[1]); /* in the middle */
    weir_mem_free(kids[2]); /* the newest of the rest */
    weir_mem_free(kids[0]); /* the oldest */
    weir_mem_free(mem);
    assert_int_equal(q.used, 0);
}

static void
a_reset_arena_does_not_grow_from_round_to_round(void **state)
{
    struct weir_quota q;
    struct weir_mem *mem;
    uint64_t settled = 0;
    int round, i;

    (void)state;
    weir_quota_init(&q, NULL, "rounds", UINT64_MAX);
    mem = weir_mem_new(NULL, &q, "test");
    for (round = 0; round < 50; round++) {
        for (i = 0; i < 1000; i++)
            assert_non_null(weir_mem_alloc(mem, 100));
        assert_non_null(weir_mem_alloc(mem, 3000000)); /* an odd big one is not kept */
        weir_mem_reset(mem);
        assert_true(q.used < 1200000);
        if (round == 20)
            settled = q.peak;
    }
    assert_true(q.peak <= settled);
    weir_mem_free(mem);
    assert_int_equal(q.used, 0);
}

static void
an_arena_near_its_limit_still_gives_what_fits(void **state)
{
    struct weir_quota q;
    struct weir_mem *mem;
    unsigned n = 0;

    (void)state;
    weir_quota_init(&q, NULL, "small", 10000);
    mem = weir_mem_new(NULL, &q, "test");
    while (weir_mem_alloc(mem, 100) != NULL)
        n++;
    assert_true(n >= 60); /* of at most 99 */
    assert_int_equal(weir_mem_fail(mem, 100, &err), WEIR_NOMEM);
    assert_non_null(strstr(err.what, "small"));
    assert_string_equal(err.where, "memory of test");
    weir_mem_free(mem);
    assert_int_equal(q.used, 0);
    assert_true(q.peak <= 10000);
    weir_quota_init(&q, NULL, "tiny", 10);
    assert_null(weir_mem_new(NULL, &q, "test"));
    assert_int_equal(q.used, 0);
}

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>

static void
the_sanitizer_sees_each_object(void **state)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "test");
    char *a = weir_mem_alloc(mem, 100), *b = weir_mem_alloc(mem, 100);

    (void)state;
    assert_true(__asan_address_is_poisoned(a + 100));
    assert_true(__asan_address_is_poisoned(b + 100));
    assert_false(__asan_address_is_poisoned(a + 99));
    weir_mem_reset(mem);
    assert_true(__asan_address_is_poisoned(a));
    weir_mem_free(mem);
}
#endif

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_take_counts_up_the_whole_tree),
        cmocka_unit_test(a_refusal_names_the_full_quota_and_leaves_no_trace),
        cmocka_unit_test(threads_share_a_quota_and_never_pass_its_limit),
        cmocka_unit_test(heap_memory_is_aligned_counted_and_kept_when_it_cannot_grow),
        cmocka_unit_test(objects_of_an_arena_are_aligned_and_apart),
        cmocka_unit_test(handlers_run_newest_first_and_before_the_children_die),
        cmocka_unit_test(children_die_with_their_parent_or_before),
        cmocka_unit_test(a_reset_arena_does_not_grow_from_round_to_round),
        cmocka_unit_test(an_arena_near_its_limit_still_gives_what_fits),
#if defined(__SANITIZE_ADDRESS__)
        cmocka_unit_test(the_sanitizer_sees_each_object),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
