#include "layout/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "layout/trees.h"
#include "profile/columns.h"
#include "support/core/allocation.h"

static void a_profile_is_a_tree_of_one_metric(void **state)
{
    (void)state;
    struct flm_profile *p = tree_of("main 2 5\nmain;read 10 6\n");
    struct flm_tree tree = flm_tree_of(p, (struct flm_metric){1});
    assert_int_equal(tree.node_count, 3);
    assert_ptr_equal(tree.frame, flm_profile_frames(p));
    assert_ptr_equal(tree.end, flm_profile_ends(p));
    assert_ptr_equal(tree.width, flm_profile_self(p, (struct flm_metric){1}));
    assert_null(tree.seen);
    assert_null(flm_tree_of(p, (struct flm_metric){2}).width);
    assert_false(flm_tree_is_gap(&tree, 0));
    assert_false(flm_tree_is_gap(&tree, 1));
    flm_profile_free(p);
}

/* Samples at times of chance, some without one, in one of two metrics. */
static struct flm_profile *sampled_by_chance(uint64_t *seed)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metrics[] = {flm_builder_metric(b, "cpu", "ns"),
                                   flm_builder_metric(b, "waiting", "ns")};
    for (unsigned i = random_below(seed, 200); i > 0; i--) {
        struct flm_node node = flm_builder_root(b);
        for (unsigned depth = random_below(seed, 6); depth > 0; depth--)
            node = tree_child(b, node, &"abc"[random_below(seed, 3)], 1);
        int64_t time = random_below(seed, 4) ? random_below(seed, 100) - 50 : FLM_NO_TIME;
        flm_builder_sample(b, time, node, (struct flm_label_set){0}, metrics[random_below(seed, 2)],
                           1);
    }
    return flm_builder_finish(b, NULL);
}

static void a_subtree_was_seen_when_its_earliest_sample_was(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 200; i++) {
        struct flm_profile *p = sampled_by_chance(&seed);
        for (uint32_t metric = 0; metric < 3; metric++) {
            uint32_t index = metric < 2 ? metric : FLM_NONE;
            int64_t *seen = flm_tree_seen(p, (struct flm_metric){index});
            for (uint32_t node = 0; node < p->sizes.node_count; node++) {
                int64_t earliest = FLM_NO_TIME;
                for (uint32_t s = 0; s < p->sizes.sample_count; s++)
                    if (p->sample_time[s] != FLM_NO_TIME && p->sample_node[s] >= node &&
                        p->sample_node[s] < p->node_end[node] &&
                        (metric == 2 || flm_sample_value(p, metric, s) != 0) &&
                        (earliest == FLM_NO_TIME || p->sample_time[s] < earliest))
                        earliest = p->sample_time[s];
                assert_true(seen[node] == earliest);
            }
            free(seen);
        }
        flm_profile_free(p);
    }
}

static void times_are_there_or_memory_ran_out(void **state)
{
    (void)state;
    struct flm_profile *p = tree_of("a;b 1\n");
    allocation_fail_from(1);
    int64_t *seen = flm_tree_seen(p, (struct flm_metric){0});
    allocation_fail_from(0);
    assert_null(seen);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_is_a_tree_of_one_metric),
        cmocka_unit_test(a_subtree_was_seen_when_its_earliest_sample_was),
        cmocka_unit_test(times_are_there_or_memory_ran_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
