/* Metrics of a sum stand in one order, whatever it was made of. */
#include "store/core/metric_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"

static struct flm_profile *profile_of(const char *const *names, size_t count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    for (size_t i = 0; i < count; i++)
        flm_builder_add(b, node, flm_builder_metric(b, names[i], "ns"), (double)strlen(names[i]));
    return flm_builder_finish(b, NULL);
}

static void metrics_are_ordered_by_name_and_keep_their_values(void **state)
{
    static const char *const names[] = {"wall", "cpu", "off-cpu"}, *const ordered[] = {
                                                                       "cpu", "off-cpu", "wall"};
    (void)state;
    struct flm_profile *p = flm_metrics_in_order(profile_of(names, 3), NULL);
    assert_int_equal(flm_profile_metric_count(p), 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct flm_metric_record *m = flm_profile_metric(p, (struct flm_metric){i});
        struct flm_name name = flm_profile_string(p, (struct flm_string){m->name});
        assert_int_equal(name.size, strlen(ordered[i]));
        assert_memory_equal(name.at, ordered[i], name.size);
        assert_true(flm_profile_total(p, (struct flm_metric){i}) == (double)name.size);
    }
    flm_profile_free(p);
}

static void what_is_in_order_is_returned_as_it_is(void **state)
{
    static const char *const names[] = {"a", "b"};
    (void)state;
    struct flm_profile *p = profile_of(names, 2);
    assert_ptr_equal(flm_metrics_in_order(p, NULL), p);
    flm_profile_free(p);
    assert_null(flm_metrics_in_order(NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_are_ordered_by_name_and_keep_their_values),
        cmocka_unit_test(what_is_in_order_is_returned_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
