/* Pages: capacity, nulls, growth of list children, holding blocks, running out of quota. */
#include "column/page.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

static struct weir_mem *mem;

static const struct weir_type *
orders(void)
{
    struct weir_field item[] = {
        {.name = "sku", .name_len = 3, .nullable = true, .type = &weir_type_string},
        {.name = "price", .name_len = 5, .nullable = true, .type = weir_type_decimal(mem, 10, 2)},
    };
    struct weir_field top[] = {
        {.name = "id", .name_len = 2, .nullable = true, .type = &weir_type_long},
        {.name = "items", .name_len = 5, .nullable = true,
         .type = weir_type_array(mem, weir_type_struct(mem, item, 2), true)},
    };

    return weir_type_struct(mem, top, 2);
}

static void
capacity_follows_the_width_of_a_row(void **state)
{
    struct weir_field wide[4000];

    (void)state;
    assert_int_equal(weir_page_cap(orders()), WEIR_PAGE_ROWS);
    for (int i = 0; i < 4000; i++)
        wide[i] = (struct weir_field){.name = "c", .name_len = 1, .type = &weir_type_string};
    assert_int_equal(weir_page_cap(weir_type_struct(mem, wide, 4000)), 64);
}

static void
the_first_null_makes_the_mask_and_reset_takes_it_away(void **state)
{
    struct weir_error err = {0};
    struct weir_page *page;

    (void)state;
    assert_int_equal(weir_page_new(orders(), NULL, &page, &err), WEIR_OK);
    assert_false(weir_col_is_null(&page->cols[0], 7));
    weir_col_set_null(&page->cols[0], 7);
    assert_true(weir_col_is_null(&page->cols[0], 7));
    assert_false(weir_col_is_null(&page->cols[0], 6));
    weir_col_set_valid(&page->cols[0], 7);
    assert_false(weir_col_is_null(&page->cols[0], 7));
    weir_page_reset(page);
    assert_null(page->cols[0].valid);
    weir_page_free(page);
}

static void
children_of_lists_grow_and_keep_values_and_nulls(void **state)
{
    struct weir_error err = {0};
    struct weir_page *page;
    struct weir_col *item, *price;

    (void)state;
    assert_int_equal(weir_page_new(orders(), NULL, &page, &err), WEIR_OK);
    item = &page->cols[1].kids[0];
    price = &item->kids[1];
    weir_decimal_set(price, 5, 1234);
    weir_col_set_null(price, 6);
    assert_int_equal(weir_col_room(item, 100000, &err), WEIR_OK);
    assert_true(item->cap >= 100000 && price->cap >= 100000);
    assert_true(weir_decimal_get(price, 5) == 1234);
    assert_true(weir_col_is_null(price, 6));
    assert_false(weir_col_is_null(price, 99999));
    weir_page_free(page);
}

static void
a_full_quota_refuses_growth_and_loses_nothing(void **state)
{
    struct weir_error err = {0};
    struct weir_quota q;
    struct weir_page *page;

    (void)state;
    weir_quota_init(&q, NULL, "page", 1 << 20);
    assert_int_equal(weir_page_new(orders(), &q, &page, &err), WEIR_OK);
    assert_int_equal(weir_col_room(&page->cols[1].kids[0], 1000000, &err), WEIR_NOMEM);
    assert_non_null(strstr(err.what, "page holds")); /* the quota by its name */
    assert_non_null(strstr(err.hint, "weir.memoryLimit"));
    assert_int_equal(page->cols[1].kids[0].cap, page->cap);
    weir_page_free(page);
    assert_int_equal(atomic_load(&q.used), 0);
}

static void
short_strings_are_inline_and_long_ones_point(void **state)
{
    struct weir_str s = weir_str_of("hello", 5), t;

    (void)state;
    assert_memory_equal(weir_str_ptr(&s), "hello", 5);
    assert_int_equal(s.u.tail[3], 0);
    assert_true(weir_str_copy(mem, "thirteen bytes", 14, &t));
    assert_memory_equal(weir_str_ptr(&t), "thirteen bytes", 14);
    assert_memory_equal(t.head, "thir", 4);
}

static void
decimals_keep_sign_and_width(void **state)
{
    static const unsigned precisions[] = {4, 9, 18, 38};
    struct weir_error err = {0};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct weir_field f = {.name = "d", .name_len = 1, .type = weir_type_decimal(mem, precisions[i], 2)};
        struct weir_page *page;

        assert_int_equal(weir_page_new(weir_type_struct(mem, &f, 1), NULL, &page, &err), WEIR_OK);
        weir_decimal_set(&page->cols[0], 3, -9999);
        assert_true(weir_decimal_get(&page->cols[0], 3) == -9999);
        weir_page_free(page);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacity_follows_the_width_of_a_row),
        cmocka_unit_test(the_first_null_makes_the_mask_and_reset_takes_it_away),
        cmocka_unit_test(children_of_lists_grow_and_keep_values_and_nulls),
        cmocka_unit_test(a_full_quota_refuses_growth_and_loses_nothing),
        cmocka_unit_test(short_strings_are_inline_and_long_ones_point),
        cmocka_unit_test(decimals_keep_sign_and_width),
    };
    int failed;

    mem = weir_mem_new(NULL, NULL, "test");
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    weir_mem_free(mem);
    return failed;
}
