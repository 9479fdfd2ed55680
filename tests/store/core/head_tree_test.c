/* A sum by the tree of a head is the profile that a builder makes of it, however old the tree
 * is. */
#include "store/core/head_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/core/array.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static const struct random_shape shape = {
    .stacks = 20, .names = 9, .deepest = 6, .metrics = 1, .modules = true, .kinds = true};

struct values FLM_ARRAY(struct flm_head_value);

static void grow(struct flm_head *head, uint64_t *random)
{
    struct flm_profile *p = random_profile(random, &shape);
    assert_true(flm_head_add(head, p, (struct flm_bytes){"\0api\0", 5}, 0, NULL));
    flm_profile_free(p);
}

/* Some nodes, some of them twice, one with nothing. */
static struct values some_values(const struct flm_head *head, uint64_t *random)
{
    struct values values = {0};
    unsigned count = random_below(random, 30);
    for (unsigned i = 0; i < count; i++) {
        struct flm_head_value v = {random_below(random, (unsigned)head->nodes.count),
                                   random_below(random, 5)};
        assert_true(FLM_ARRAY_ADD(&values, v));
    }
    return values;
}

static struct flm_profile *plain_sum(struct flm_head *head, const struct values *values)
{
    double *self = calloc(head->nodes.count, sizeof *self);
    for (size_t i = 0; i < values->count; i++)
        self[values->at[i].node] += values->at[i].value;
    struct flm_profile *p = flm_head_profile(head, self, flm_bytes_of("cpu:ns"), NULL, NULL);
    free(self);
    return p;
}

static void a_sum_is_that_of_the_nodes_whatever_the_tree_has(void **state)
{
    (void)state;
    uint64_t random = 17;
    struct flm_head head;
    struct flm_head_tree tree = {.tree = NULL};
    unsigned by_tree = 0, by_both = 0, made = 0;
    assert_true(flm_head_init(&head, NULL));
    for (int round = 0; round < 400; round++) {
        if (round % 13 == 0)
            grow(&head, &random);
        struct values values = some_values(&head, &random);
        const struct flm_profile *before = tree.tree;
        struct flm_profile *expected = plain_sum(&head, &values);
        struct flm_profile *got =
            flm_head_tree_sum(&tree, &head, values.at, values.count, flm_bytes_of("cpu:ns"), NULL);
        assert_non_null(got);
        assert_profiles_equal(got, expected);
        made += tree.tree != before;
        by_tree += tree.tree && tree.node_count == head.nodes.count;
        by_both += tree.tree && tree.node_count < head.nodes.count;
        flm_profile_free(got);
        flm_profile_free(expected);
        FLM_ARRAY_CLEAR(&values);
    }
    /* It is made again now and then, not for each sum. */
    assert_true(made > 3 && made < 60 && by_tree > 50 && by_both > 20);
    flm_head_tree_clear(&tree);
    flm_head_clear(&head);
}

static bool sum_often(void *context, struct flm_error *why)
{
    struct flm_head *head = context;
    struct flm_head_tree tree = {.tree = NULL};
    bool good = true;
    for (uint32_t i = 0; good && i < 40; i++) {
        const struct flm_head_value value = {(uint32_t)head->nodes.count - 1, 1};
        struct flm_profile *p =
            flm_head_tree_sum(&tree, head, &value, 1, flm_bytes_of("cpu:ns"), why);
        good = p != NULL;
        flm_profile_free(p);
    }
    flm_head_tree_clear(&tree);
    return good;
}

static void memory_that_runs_out_is_an_error(void **state)
{
    (void)state;
    uint64_t random = 19;
    struct flm_head head;
    assert_true(flm_head_init(&head, NULL));
    grow(&head, &random);
    assert_true(assert_survives_failures(sum_often, &head) > 100);
    flm_head_clear(&head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_is_that_of_the_nodes_whatever_the_tree_has),
        cmocka_unit_test(memory_that_runs_out_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
