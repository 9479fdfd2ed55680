#include "flamel/changes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/profile/profiles.h"

static const char before_text[] = "main;lex 100\nmain;gone 40\nmain;same 60\n";
static const char after_text[] = "main;lex 150\nmain;came 10\nmain;same 60\n";

static struct flm_profile_changes *changes_of(const char *before, const char *after,
                                              const struct flm_profile_changes_options *options,
                                              struct flm_error *why)
{
    struct flm_profile *x = profile_of(before), *y = profile_of(after);
    struct flm_profile_changes *changes = flm_profile_changes_new(x, y, options, why);
    flm_profile_free(x);
    flm_profile_free(y);
    return changes;
}

static struct flm_profile_changes *changes_with(const struct flm_profile_changes_options *options)
{
    struct flm_error why;
    struct flm_profile_changes *changes = changes_of(before_text, after_text, options, &why);
    if (!changes)
        fail_msg("%s", why.text);
    return changes;
}

static bool is_name(struct flm_name name, const char *text)
{
    return name.size == strlen(text) && memcmp(name.at, text, name.size) == 0;
}

static void functions_come_with_the_largest_change_first(void **state)
{
    (void)state;
    struct flm_profile_changes *changes = changes_with(NULL);
    uint32_t count;
    const struct flm_function_change *change = flm_profile_changes_functions(changes, &count);
    static const char *const names[] = {"lex", "gone", "came", "main"};
    assert_int_equal(count, 4);
    for (uint32_t i = 0; i < count; i++)
        assert_true(is_name(flm_profile_changes_function_name(changes, change[i].function, NULL),
                            names[i]));
    assert_int_equal(change[0].self.kind, FLM_CHANGE_GROWN);
    assert_true(change[0].self.before == 100 && change[0].self.after == 150);
    assert_int_equal(change[1].self.kind, FLM_CHANGE_DISAPPEARED);
    assert_int_equal(change[2].self.kind, FLM_CHANGE_APPEARED);
    assert_int_equal(change[3].self.kind, FLM_CHANGE_NONE);
    assert_true(change[3].total.before == 200 && change[3].total.after == 220);
    flm_profile_changes_free(changes);
}

static void stacks_are_nodes_of_the_tree_that_has_both(void **state)
{
    (void)state;
    struct flm_profile_changes *changes = changes_with(NULL);
    uint32_t count;
    const uint32_t *stacks = flm_profile_changes_stacks(changes, &count);
    struct flm_metric before, after;
    const struct flm_profile *tree = flm_profile_changes_tree(changes, &before, &after);
    assert_int_equal(count, 3);
    double last = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        struct flm_node node = {stacks[i]};
        struct flm_change change = flm_profile_changes_node(changes, node, FLM_CHANGE_OF_SELF);
        assert_true(change.before == flm_profile_self(tree, before)[node.index]);
        assert_true(change.after == flm_profile_self(tree, after)[node.index]);
        assert_true(fabs(change.after - change.before) <= last);
        last = fabs(change.after - change.before);
    }
    struct flm_change all =
        flm_profile_changes_node(changes, (struct flm_node){0}, FLM_CHANGE_OF_SUBTREE);
    assert_true(all.before == 200 && all.after == 220);
    flm_profile_changes_free(changes);
}

static void sums_are_those_of_all_stacks_however_many_are_listed(void **state)
{
    (void)state;
    struct flm_profile_changes_options options = {.size = sizeof options, .rows = 1};
    struct flm_profile_changes *changes = changes_with(&options);
    uint32_t count;
    flm_profile_changes_functions(changes, &count);
    assert_int_equal(count, 1);
    flm_profile_changes_stacks(changes, &count);
    assert_int_equal(count, 1);
    struct flm_profile_changes_summary s = {.size = sizeof s};
    assert_true(flm_profile_changes_sums(changes, &s, NULL));
    assert_true(s.before == 200 && s.after == 220 && s.scale == 1 && s.distance == 100);
    assert_true(fabs(s.similarity - (1 - 100. / 420)) < 1e-12);
    assert_int_equal(s.changed_functions, 4);
    assert_int_equal(s.changed_stacks, 3);
    assert_true(flm_profile_changes_kind(changes, FLM_CHANGE_GROWN, &count) == 50 && count == 1);
    assert_true(flm_profile_changes_kind(changes, FLM_CHANGE_DISAPPEARED, NULL) == 40);
    assert_true(flm_profile_changes_kind(changes, FLM_CHANGE_SHRUNK, &count) == 0 && count == 0);
    flm_profile_changes_free(changes);
}

static void an_older_summary_gets_its_part(void **state)
{
    (void)state;
    struct flm_profile_changes *changes = changes_with(NULL);
    struct flm_profile_changes_summary s = {
        .size = offsetof(struct flm_profile_changes_summary, scale), .scale = -7};
    struct flm_error why;
    assert_true(flm_profile_changes_sums(changes, &s, &why));
    assert_true(s.after == 220 && s.scale == -7);
    s.size = 0;
    assert_false(flm_profile_changes_sums(changes, &s, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    flm_profile_changes_free(changes);
}

static void before_is_scaled_where_both_are_to_have_one_total(void **state)
{
    (void)state;
    struct flm_profile_changes_options options = {
        .size = sizeof options, .normalize = FLM_NORMALIZE_FUNCTION, .normalize_function = "lex"};
    struct flm_profile_changes *changes = changes_with(&options);
    struct flm_profile_changes_summary s = {.size = sizeof s};
    assert_true(flm_profile_changes_sums(changes, &s, NULL));
    assert_true(s.scale == 1.5 && s.before == 200);
    flm_profile_changes_free(changes);
    options.normalize_function = "gone";
    struct flm_error why;
    assert_null(changes_of(before_text, after_text, &options, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    options.normalize = FLM_NORMALIZE_DURATION;
    assert_null(changes_of(before_text, after_text, &options, &why));
    assert_non_null(strstr(why.text, "how long"));
}

static void small_changes_are_noise_unless_that_is_not_tested(void **state)
{
    (void)state;
    struct flm_profile_changes_options options = {.size = sizeof options};
    for (int without = 0; without < 2; without++) {
        options.without_noise_test = without;
        struct flm_profile_changes *changes = changes_of("a 100\n", "a 103\n", &options, NULL);
        uint32_t count;
        const struct flm_function_change *change = flm_profile_changes_functions(changes, &count);
        assert_int_equal(count, 1);
        assert_int_equal(change->self.noise, !without);
        flm_profile_changes_free(changes);
    }
}

static void a_metric_is_named_as_in_the_files(void **state)
{
    (void)state;
    struct flm_profile_changes_options options = {.size = sizeof options, .metric = "samples"};
    struct flm_error why;
    struct flm_profile_changes *changes = changes_of(before_text, after_text, &options, &why);
    assert_non_null(changes);
    flm_profile_changes_free(changes);
    options.metric = "cycles";
    assert_null(changes_of(before_text, after_text, &options, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
}

static void numbers_beyond_an_enum_are_refused(void **state)
{
    (void)state;
    struct flm_profile_changes_options normalize = {.size = sizeof normalize,
                                                    .normalize = (enum flm_normalize)1000000},
                                       sort = {.size = sizeof sort,
                                               .sort = (enum flm_function_order)3};
    struct flm_error why = {0};
    assert_null(changes_of(before_text, after_text, &normalize, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_null(changes_of(before_text, after_text, &sort, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
}

static bool compare(void *context, struct flm_error *why)
{
    const struct flm_profile *const *sides = context;
    struct flm_profile_changes *changes = flm_profile_changes_new(sides[0], sides[1], NULL, why);
    flm_profile_changes_free(changes);
    return changes != NULL;
}

static void comparing_survives_failed_allocations(void **state)
{
    (void)state;
    struct flm_profile *sides[] = {profile_of(before_text), profile_of(after_text)};
    assert_true(assert_survives_failures(compare, sides) > 5);
    flm_profile_free(sides[0]);
    flm_profile_free(sides[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_come_with_the_largest_change_first),
        cmocka_unit_test(stacks_are_nodes_of_the_tree_that_has_both),
        cmocka_unit_test(sums_are_those_of_all_stacks_however_many_are_listed),
        cmocka_unit_test(an_older_summary_gets_its_part),
        cmocka_unit_test(before_is_scaled_where_both_are_to_have_one_total),
        cmocka_unit_test(small_changes_are_noise_unless_that_is_not_tested),
        cmocka_unit_test(a_metric_is_named_as_in_the_files),
        cmocka_unit_test(numbers_beyond_an_enum_are_refused),
        cmocka_unit_test(comparing_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
