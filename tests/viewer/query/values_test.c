#include "viewer/query/values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/profile/profiles.h"
#include "support/profile/viewing.h"

static void assert_range(const char *argument, uint32_t from, uint32_t count)
{
    struct flm_row_range range = flm_row_range_of(flm_bytes_of(argument));
    assert_int_equal(range.from, from);
    assert_int_equal(range.count, count);
}

static void rows_are_queried_by_two_numbers(void **state)
{
    (void)state;
    assert_range("20 40", 20, 40);
    assert_range("20", 20, 100);
    assert_range("", 0, 100);
    assert_range("x 5", 0, 100);
    assert_range("7 x", 7, 100);
    assert_range("99999999999 99999999999", UINT32_MAX, 10000);
}

static void assert_words(struct flm_bytes words, const char *expected)
{
    assert_true(flm_bytes_are(words, expected));
}

static void values_are_words(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("a;b 3\n;c 4\n");
    struct flm_response response = {0};
    struct flm_query q;
    assert_true(flm_query_begin(&q, v, &response, NULL));
    assert_true(q.all == 7);
    assert_words(flm_query_quantity(&q, 3), "3 samples");
    assert_words(flm_query_share(&q, 3, 7), "42.9 %");
    assert_null(flm_query_share(&q, 3, 0).at);
    assert_words(flm_query_count(&q, 12345), "12,345");
    assert_null(flm_query_string(&q, 0).at);
    assert_words(flm_query_color(&q, 0x0FA0B1), "#0fa0b1");
    assert_words(flm_query_title(&q, 0), "all");
    assert_words(flm_query_title(&q, 1), "(no name)");
    assert_null(flm_query_text(&q, NULL).at);
    assert_non_null(flm_query_text(&q, "").at);
    assert_true(flm_query_end(&q, NULL));
    flm_response_clear(&response);
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_queried_by_two_numbers),
        cmocka_unit_test(values_are_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
