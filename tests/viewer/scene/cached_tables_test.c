#include "viewer/scene/cached_tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/profile/profiles.h"

static const struct flm_metric first = {0};

static void assert_ranking(const struct flm_profile *p, struct flm_cached_tables *tables,
                           const char *sort, const char *expected)
{
    uint32_t count;
    struct flm_text names = {0};
    const uint32_t *ranking = flm_cached_tables_ranking(
        tables, p, first, flm_ranking_order_of(flm_bytes_of(sort)), &count, NULL);
    assert_non_null(ranking);
    for (uint32_t i = 0; i < count; i++) {
        flm_text_puts(&names, i ? " " : "");
        flm_text_add(&names, flm_string_bytes(p, tables->functions.function[ranking[i]].name));
    }
    flm_text_putc(&names, 0);
    assert_string_equal(names.at, expected);
    flm_text_clear(&names);
}

static void a_table_is_sorted_by_any_column_both_ways(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;b 5\nmain;a 7\nmain;c;d 6\n");
    struct flm_cached_tables tables = {0};
    assert_ranking(p, &tables, "self", "a d b main c");
    assert_ranking(p, &tables, "-self", "c main b d a");
    assert_ranking(p, &tables, "total", "main a d c b");
    assert_ranking(p, &tables, "name", "a b c d main");
    assert_ranking(p, &tables, "-name", "main d c b a");
    assert_ranking(p, &tables, "module", "a b c d main");
    assert_ranking(p, &tables, "nonsense", "a d b main c");
    assert_ranking(p, &tables, "", "a d b main c");
    flm_cached_tables_clear(&tables);
    flm_profile_free(p);
}

static void places_are_the_nodes_that_are_drawn(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("a;f 1 0\nb;f 2 1\nc;f;g 0 1\nf 0 4\n");
    struct flm_cached_tables tables = {0};
    struct flm_metric with_one = {flm_self_column(p, 0)[2] == 1 ? 0 : 1};
    assert_true(flm_cached_tables_measured(&tables, p, with_one, NULL) != NULL);
    uint32_t f = 0;
    for (uint32_t i = 1; i < tables.functions.count; i++)
        if (flm_bytes_are(flm_string_bytes(p, tables.functions.function[i].name), "f"))
            f = i;
    assert_int_equal(tables.occurrences[f], 2);
    flm_cached_tables_forget_measures(&tables);
    struct flm_metric other = {1 - with_one.index};
    assert_true(flm_cached_tables_measured(&tables, p, other, NULL) != NULL);
    assert_int_equal(tables.occurrences[f], 3);
    assert_int_equal(tables.occurrences[0], 1);
    flm_cached_tables_clear(&tables);
    flm_profile_free(p);
}

static bool make_all(void *context, struct flm_error *why)
{
    const struct flm_profile *p = context;
    struct flm_cached_tables tables = {0};
    uint32_t count;
    bool ok = true;
    for (int key = 0; ok && key < FLM_RANK_KEYS; key++) {
        struct flm_ranking_order order = {(enum flm_ranking_key)key, true};
        ok = flm_cached_tables_ranking(&tables, p, first, order, &count, why) != NULL;
    }
    ok = ok && flm_cached_tables_summary(&tables, p, why) != NULL;
    flm_cached_tables_clear(&tables);
    return ok;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;b;c 1\nd;b 1\n");
    assert_true(assert_survives_failures(make_all, p) > 8);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_sorted_by_any_column_both_ways),
        cmocka_unit_test(places_are_the_nodes_that_are_drawn),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
