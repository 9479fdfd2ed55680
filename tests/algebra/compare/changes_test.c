#include "algebra/compare/changes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

struct both {
    struct flm_profile *p;
    struct flm_metric_pair pair;
    struct flm_comparison is;
};

/* Takes `p`. */
static struct both compared(struct flm_profile *p)
{
    struct both b = {.p = p};
    struct flm_comparison_options how = {.before_sample = 1, .after_sample = 1, .sigmas = 3};
    assert_true(flm_metric_pair_find(p, NULL, &b.pair, NULL));
    assert_true(flm_comparison_init(&b.is, p->sizes.node_count, p->node_end,
                                    flm_self_column(p, b.pair.before.index),
                                    flm_self_column(p, b.pair.after.index), &how, NULL));
    return b;
}

static void both_clear(struct both *b)
{
    flm_comparison_clear(&b->is);
    flm_profile_free(b->p);
}

static struct flm_changes changes_of(const struct both *b, enum flm_function_order by,
                                     uint32_t most)
{
    struct flm_changes c;
    assert_true(flm_changes_init(&c, b->p, &b->pair, &b->is, by, most, NULL));
    return c;
}

static struct flm_bytes name_of(const struct both *b, const struct flm_changes *c, uint32_t row)
{
    return flm_string_bytes(b->p, c->functions.function[c->function[row].function].name);
}

static const char two[] = "main;a 300 500\nmain;b 200 0\nmain;b;c 10 12\nmain;d 0 100\n"
                          "main;same 50 50\n";

static void functions_come_with_self_and_total_the_largest_change_first(void **state)
{
    (void)state;
    static const char *const expected[] = {"a", "b", "d", "c", "main"};
    struct both b = compared(profile_of_two(two));
    struct flm_changes c = changes_of(&b, FLM_FUNCTIONS_BY_SELF, 0);
    assert_true(c.function_count == 5 && c.changed_functions == 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_true(flm_bytes_are(name_of(&b, &c, i), expected[i]));
    assert_true(c.function[1].self.before == 200 && c.function[1].self.after == 0);
    assert_true(c.function[1].total.before == 210 && c.function[1].total.after == 12);
    assert_int_equal(c.function[1].self.kind, FLM_CHANGE_DISAPPEARED);
    assert_int_equal(c.function[1].total.kind, FLM_CHANGE_SHRUNK);
    assert_true(!c.function[0].self.noise && c.function[3].self.noise);
    flm_changes_clear(&c);
    both_clear(&b);
}

static void functions_are_ordered_by_total_or_name_too(void **state)
{
    (void)state;
    static const char *const by_total[] = {"a", "b", "main", "d", "c"};
    static const char *const by_name[] = {"a", "b", "c", "d", "main"};
    struct both b = compared(profile_of_two(two));
    struct flm_changes total = changes_of(&b, FLM_FUNCTIONS_BY_TOTAL, 0);
    struct flm_changes name = changes_of(&b, FLM_FUNCTIONS_BY_NAME, 0);
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(flm_bytes_are(name_of(&b, &total, i), by_total[i]));
        assert_true(flm_bytes_are(name_of(&b, &name, i), by_name[i]));
    }
    flm_changes_clear(&total);
    flm_changes_clear(&name);
    both_clear(&b);
}

static void what_is_not_asked_for_is_counted(void **state)
{
    (void)state;
    struct both b = compared(profile_of_two(two));
    struct flm_changes c = changes_of(&b, FLM_FUNCTIONS_BY_SELF, 2);
    assert_true(c.function_count == 2 && c.changed_functions == 5);
    assert_true(c.stack_count == 2 && c.changed_stacks == 4);
    assert_true(flm_bytes_are(name_of(&b, &c, 1), "b"));
    flm_changes_clear(&c);
    both_clear(&b);
}

static void nothing_changed_is_nothing(void **state)
{
    (void)state;
    static const char *const same[] = {"", "a;b 3 3\n"};
    for (int i = 0; i < 2; i++) {
        struct both b = compared(profile_of_two(same[i]));
        struct flm_changes c = changes_of(&b, FLM_FUNCTIONS_BY_SELF, 5);
        assert_true(c.function_count == 0 && c.stack_count == 0);
        flm_changes_clear(&c);
        both_clear(&b);
    }
}

static double size_of(struct flm_change change)
{
    return fabs(change.after - change.before);
}

/* Beside all of them, whatever the number: the first so many of the same order, and none larger
 * left out. Stacks add up to the distance. */
static void the_largest_are_the_first_of_all(void **state)
{
    (void)state;
    uint64_t random = 61;
    struct random_shape shape = random_full;
    shape.metrics = 1;
    shape.metadata = false;
    shape.samples = RANDOM_SAMPLES_NONE;
    for (int round = 0; round < 60; round++) {
        shape.stacks = random_below(&random, 80);
        struct flm_profile *f = random_profile(&random, &shape);
        struct flm_profile *g = random_profile(&random, &shape);
        struct both b = compared(flm_comparison_align(f, g, NULL));
        struct flm_changes all = changes_of(&b, FLM_FUNCTIONS_BY_TOTAL, 0);
        uint32_t most = 1 + random_below(&random, 20);
        struct flm_changes some = changes_of(&b, FLM_FUNCTIONS_BY_TOTAL, most);
        double distance = 0;
        for (uint32_t i = 0; i < all.stack_count; i++) {
            double size = size_of(flm_comparison_change(&b.is, all.stack[i], FLM_CHANGE_OF_SELF));
            distance += size;
            if (i > 0)
                assert_true(size <= size_of(flm_comparison_change(&b.is, all.stack[i - 1],
                                                                  FLM_CHANGE_OF_SELF)));
            if (i < some.stack_count)
                assert_int_equal(all.stack[i], some.stack[i]);
        }
        assert_true(distance == b.is.distance);
        assert_int_equal(some.stack_count, most < all.stack_count ? most : all.stack_count);
        for (uint32_t i = 0; i < some.function_count; i++)
            assert_int_equal(all.function[i].function, some.function[i].function);
        flm_changes_clear(&all);
        flm_changes_clear(&some);
        both_clear(&b);
        flm_profile_free(f);
        flm_profile_free(g);
    }
}

static bool make_changes(void *context, struct flm_error *why)
{
    const struct both *b = context;
    struct flm_changes c;
    bool good = flm_changes_init(&c, b->p, &b->pair, &b->is, FLM_FUNCTIONS_BY_SELF, 3, why);
    flm_changes_clear(&c);
    return good;
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    struct both b = compared(profile_of_two(two));
    assert_true(assert_survives_failures(make_changes, &b) > 8);
    both_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_come_with_self_and_total_the_largest_change_first),
        cmocka_unit_test(functions_are_ordered_by_total_or_name_too),
        cmocka_unit_test(what_is_not_asked_for_is_counted),
        cmocka_unit_test(nothing_changed_is_nothing),
        cmocka_unit_test(the_largest_are_the_first_of_all),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
