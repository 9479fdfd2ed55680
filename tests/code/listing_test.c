#include "code/listing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/code/listings.h"
#include "support/core/failures.h"

static void without_text_there_are_the_lines_with_a_cost(void **state)
{
    (void)state;
    struct flm_profile *p = listing_example();
    struct flm_listing *l = listing_of(p, "find", NULL, NULL);
    assert_string_equal(rows_of(l, FLM_LISTING_SOURCE), "f|20 15/15|24 0/14| i 4/6|60 0/5|u 1/1");
    assert_true(flm_listing_sum(l, false).self == 16 && flm_listing_sum(l, false).total == 30);
    assert_true(flm_listing_most(l, FLM_LISTING_SOURCE) == 15);
    assert_string_equal(rows_of(l, FLM_LISTING_ASSEMBLY),
                        "=20|100 12/12|104 3/3|=2|110 6/6|=24|112 0/8|=60|118 0/5|u 1/1");
    struct flm_listing_row row;
    assert_int_equal(flm_listing_rows(l, FLM_LISTING_SOURCE, 1, 1, &row), 1);
    assert_true(row.before.self == 1 && row.before.total == 1);
    flm_listing_free(l);
    flm_profile_free(p);
}

static void cold_lines_are_folded_with_some_around(void **state)
{
    (void)state;
    struct flm_profile *p = listing_example();
    struct flm_code_store *store = store_of(62);
    struct flm_listing *l = listing_of(p, "find", store, NULL);
    assert_string_equal(rows_of(l, FLM_LISTING_SOURCE),
                        "f|17|18|19|20 15/15|21|22|23|24 0/14| i 4/6|25|26|27|fold29|57|58|59|"
                        "60 0/5|61|62|u 1/1");
    uint32_t file = string_of(p, "app.c");
    assert_int_equal(flm_listing_row_of_line(l, file, 20), 4);
    assert_int_equal(flm_listing_row_of_line(l, file, 40), 13); /* in the fold */
    assert_int_equal(flm_listing_row_of_line(l, file, 3), 1);
    assert_int_equal(flm_listing_hottest(l, FLM_LISTING_SOURCE), 4);
    struct flm_listing_row row;
    flm_listing_rows(l, FLM_LISTING_SOURCE, 13, 1, &row);
    struct flm_listing_options open = {.open = {&row.key, 1}};
    assert_true(flm_listing_arrange(l, store, &open, NULL));
    assert_int_equal(flm_listing_count(l, FLM_LISTING_SOURCE), 21 + 29);
    struct flm_listing_options whole = {.whole = {true, true}};
    assert_true(flm_listing_arrange(l, store, &whole, NULL));
    assert_int_equal(flm_listing_count(l, FLM_LISTING_SOURCE), 62 + 3);
    flm_listing_free(l);
    flm_code_store_free(store);
    flm_profile_free(p);
}

/* As another metric would be whose values are three times as large. */
static void before_may_be_multiplied(void **state)
{
    (void)state;
    struct flm_profile *p = listing_example();
    struct flm_listing_subject subject = {
        .profile = p, .before = {1}, .function = string_of(p, "find")};
    struct flm_listing *plain = flm_listing_new(&subject, NULL);
    subject.before_scale = 3;
    struct flm_listing *scaled = flm_listing_new(&subject, NULL);
    assert_non_null(plain);
    assert_non_null(scaled);
    struct flm_listing_cost before = flm_listing_sum(plain, true);
    assert_true(before.self > 0 && before.total > before.self);
    assert_true(flm_listing_sum(scaled, true).self == 3 * before.self);
    assert_true(flm_listing_sum(scaled, true).total == 3 * before.total);
    assert_true(flm_listing_sum(scaled, false).total == flm_listing_sum(plain, false).total);
    flm_listing_free(plain);
    flm_listing_free(scaled);
    flm_profile_free(p);
}

static void inlined_code_is_below_its_line(void **state)
{
    (void)state;
    struct flm_profile *p = listing_example();
    struct flm_listing_options options = {.inlined = true};
    struct flm_listing *l = listing_of(p, "find", NULL, &options);
    assert_string_equal(rows_of(l, FLM_LISTING_SOURCE),
                        "f|20 15/15|24 0/14| i 4/6| 5 4/6|  i 2/2|  2 2/2|60 0/5|u 1/1");
    /* The key of a row that is open because all are closes it. */
    struct flm_listing_row row;
    flm_listing_rows(l, FLM_LISTING_SOURCE, 3, 1, &row);
    assert_true(row.can_open && row.is_open && row.function == string_of(p, "same"));
    options.open = (struct flm_listing_open){&row.key, 1};
    assert_true(flm_listing_arrange(l, NULL, &options, NULL));
    assert_string_equal(rows_of(l, FLM_LISTING_SOURCE), "f|20 15/15|24 0/14| i 4/6|60 0/5|u 1/1");
    flm_listing_free(l);
    /* Of the inlined function itself, too. */
    l = listing_of(p, "same", NULL, NULL);
    assert_string_equal(rows_of(l, FLM_LISTING_SOURCE), "f|5 4/6| i 2/2");
    flm_listing_free(l);
    flm_profile_free(p);
}

static void functions_of_a_file_follow_each_other(void **state)
{
    (void)state;
    struct flm_profile *p = listing_example();
    const struct flm_listing_subject subject = {
        .profile = p, .before = {FLM_NONE}, .file = string_of(p, "app.c")};
    struct flm_listing_options options = {.whole = {false}};
    struct flm_listing *l = flm_listing_new(&subject, NULL);
    assert_true(flm_listing_arrange(l, NULL, &options, NULL));
    assert_string_equal(rows_of(l, FLM_LISTING_SOURCE),
                        "f|n|2 2/2|n|5 4/6|n|9 0/30|n|20 15/15|24 0/14|60 0/5|u 1/1|u 8/8");
    assert_true(flm_listing_sum(l, false).self == 30 && flm_listing_sum(l, false).total == 30);
    flm_listing_free(l);
    flm_profile_free(p);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct listed listed = {.p = listing_example(), .before = {1}};
    assert_true(assert_survives_failures(make_listing, &listed) > 8);
    flm_profile_free(listed.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_text_there_are_the_lines_with_a_cost),
        cmocka_unit_test(cold_lines_are_folded_with_some_around),
        cmocka_unit_test(before_may_be_multiplied),
        cmocka_unit_test(inlined_code_is_below_its_line),
        cmocka_unit_test(functions_of_a_file_follow_each_other),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
