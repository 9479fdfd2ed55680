#include "record/session/stacks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"

static void equal_stacks_are_one_node(void **state)
{
    (void)state;
    struct flm_stacks s;
    assert_true(flm_stacks_init(&s, NULL));
    uint32_t a = flm_stacks_child(&s, 0, 7), b = flm_stacks_child(&s, a, 8);
    uint32_t other = flm_stacks_child(&s, 0, 8);
    assert_int_equal(flm_stacks_child(&s, 0, 7), a);
    assert_int_equal(flm_stacks_child(&s, a, 8), b);
    assert_true(a != b && b != other && a != other);
    assert_int_equal(s.nodes.at[b].caller, a);
    assert_int_equal(s.nodes.at[b].location, 8);
    assert_int_equal(s.nodes.count, 4);
    flm_stacks_clear(&s);
}

static bool grow_a_tree(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_stacks s;
    if (!flm_stacks_init(&s, why))
        return false;
    uint32_t node = 0;
    for (uint32_t i = 0; i < 100 && node != UINT32_MAX; i++)
        node = flm_stacks_child(&s, i % 3 ? node : 0, i);
    flm_stacks_clear(&s);
    return node != UINT32_MAX || flm_error_memory(why);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    assert_survives_failures(grow_a_tree, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal_stacks_are_one_node),
                                       cmocka_unit_test(memory_may_run_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
