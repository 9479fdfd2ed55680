#include "algebra/compare/comparable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algebra/compare/comparison.h"
#include "flamel/builder.h"
#include "support/core/allocation.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"

/* "cpu:ns=30 mem:bytes=5": one stack, with these metrics. */
struct value {
    const char *metric, *unit;
    double value;
};

static struct flm_profile *profile_with(const char *function, const struct value *values,
                                        size_t count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_node node = flm_builder_child(b, flm_builder_root(b),
                                             flm_builder_function(b, function, strlen(function)));
    for (size_t i = 0; i < count; i++)
        flm_builder_add(b, node, flm_builder_metric(b, values[i].metric, values[i].unit),
                        values[i].value);
    return flm_builder_finish(b, NULL);
}

static const struct value cpu = {"cpu", "ns", 30}, memory = {"mem", "bytes", 5},
                          samples = {"samples", "samples", 3}, other_cpu = {"cpu", "count", 7};

static bool is_metric(const struct flm_profile *p, struct flm_metric m, const char *name)
{
    return flm_bytes_are(flm_string_bytes(p, p->metrics[m.index].name), name);
}

/* Takes both. */
static struct flm_profile *aligned(struct flm_profile *before, struct flm_profile *after)
{
    struct flm_error why = {0};
    struct flm_profile *p = flm_comparison_align(before, after, &why);
    if (!p)
        fail_msg("%s", why.text);
    assert_sound(p);
    flm_profile_free(before);
    flm_profile_free(after);
    return p;
}

static void metrics_that_both_have_are_compared(void **state)
{
    (void)state;
    const struct value first[] = {memory, cpu, samples}, second[] = {cpu, other_cpu, samples};
    struct flm_profile *p = aligned(profile_with("f", first, 3), profile_with("f", second, 1));
    assert_int_equal(p->sizes.metric_count, 2);
    struct flm_metric_pair pair;
    assert_true(flm_metric_pair_find(p, NULL, &pair, NULL));
    assert_true(is_metric(p, pair.before, "before") && is_metric(p, pair.after, "after"));
    assert_true(flm_profile_total(p, pair.before) == 30);
    flm_profile_free(p);

    const struct value third[] = {samples, cpu};
    p = aligned(profile_with("f", first, 3), profile_with("f", third, 2));
    assert_int_equal(flm_metric_pairs(p, NULL), 2);
    assert_true(flm_metric_pair_find(p, "cpu", &pair, NULL));
    assert_true(is_metric(p, pair.before, "before:cpu") && is_metric(p, pair.after, "after:cpu"));
    assert_true(flm_bytes_are(pair.name, "cpu"));
    assert_true(flm_metric_pair_find(p, "after:samples", &pair, NULL));
    assert_true(is_metric(p, pair.before, "before:samples"));
    struct flm_error why = {0};
    assert_false(flm_metric_pair_find(p, "wall", &pair, &why));
    assert_string_equal(why.text, "no metric 'wall' is in both; there is samples, cpu");
    flm_profile_free(p);
}

static void the_only_metrics_are_compared_whatever_their_names(void **state)
{
    (void)state;
    const struct value wall = {"wall", "ns", 8};
    struct flm_profile *p = aligned(profile_with("f", &cpu, 1), profile_with("g", &wall, 1));
    struct flm_metric_pair pair;
    assert_true(flm_metric_pair_find(p, "after", &pair, NULL));
    assert_true(flm_profile_total(p, pair.before) == 30 && flm_profile_total(p, pair.after) == 8);
    assert_int_equal(pair.name.size, 0);
    flm_profile_free(p);
}

static void what_has_nothing_in_common_is_refused(void **state)
{
    (void)state;
    struct flm_profile *x = profile_with("f", &cpu, 1), *y = profile_with("f", &other_cpu, 1);
    struct flm_error why = {0};
    assert_null(flm_comparison_align(x, y, &why));
    assert_int_equal(why.kind, FLM_ERROR_UNIT);
    assert_string_equal(why.text, "there is no metric in common to compare: cpu (ns) before, "
                                  "cpu (count) after");
    struct flm_metric_pair pair;
    assert_false(flm_metric_pair_find(x, NULL, &pair, &why));
    assert_string_equal(why.text,
                        "nothing to compare: the profile has no metrics 'before' and 'after'");
    flm_profile_free(x);
    flm_profile_free(y);
}

static void samples_count_themselves_and_divide_what_stands_beside_them(void **state)
{
    (void)state;
    const struct value first[] = {cpu, memory, samples};
    const struct value second[] = {{"cpu", "ns", 60}, memory, {"samples", "samples", 10}};
    struct flm_profile *p = aligned(profile_with("f", first, 3), profile_with("f", second, 3));
    struct flm_metric_pair pair;
    assert_true(flm_metric_pair_find(p, "cpu", &pair, NULL));
    assert_true(flm_comparison_sample(p, pair.before) == 10);
    assert_true(flm_comparison_sample(p, pair.after) == 6);
    assert_true(flm_metric_pair_find(p, "samples", &pair, NULL));
    assert_true(flm_comparison_sample(p, pair.after) == 1);
    assert_true(flm_metric_pair_find(p, "mem", &pair, NULL));
    assert_true(flm_comparison_sample(p, pair.after) == 0); /* they differ in size */
    flm_profile_free(p);
    p = aligned(profile_with("f", &cpu, 1), profile_with("f", &cpu, 1));
    assert_true(flm_comparison_sample(p, (struct flm_metric){0}) == 0);
    flm_profile_free(p);
}

/* Stacks f0, f1 ... with multiples of a number, before and after. */
static struct flm_profile *multiples(int count, double of, const char *unit)
{
    struct flm_profile *sides[2];
    for (int side = 0; side < 2; side++) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_metric m = flm_builder_metric(b, "value", unit);
        for (int i = 0; i < count; i++) {
            char name[20];
            size_t size = (size_t)sprintf(name, "f%d", i);
            flm_builder_add(
                b, flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, name, size)),
                m, of * (2 * i + 2 + side));
        }
        sides[side] = flm_builder_finish(b, NULL);
    }
    return aligned(sides[0], sides[1]);
}

static void what_many_values_are_multiples_of_is_a_sample(void **state)
{
    (void)state;
    static const struct {
        int count;
        double of;
        const char *unit;
        double before, after;
    } cases[] = {{30, 2004008, "samples", 4008016, 2004008}, /* 2, 4 ... and 3, 5 ... times */
                 {30, 10000000, "ns", 20000000, 10000000},
                 {3, 10, "samples", 1, 1}, /* too few to tell */
                 {3, 10, "ns", 0, 0},
                 {30, 0.5, "ns", 0, 0},
                 {30, 0.5, "samples", 1, 1},
                 {30, 4096, "bytes", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_profile *p = multiples(cases[i].count, cases[i].of, cases[i].unit);
        struct flm_metric_pair pair;
        assert_true(flm_metric_pair_find(p, NULL, &pair, NULL));
        assert_true(flm_comparison_sample(p, pair.before) == cases[i].before);
        assert_true(flm_comparison_sample(p, pair.after) == cases[i].after);
        flm_profile_free(p);
    }
}

static void a_wait_is_no_number_of_samples(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric clock = flm_builder_metric(b, "cpu-clock", "ns");
    struct flm_metric wait = flm_builder_metric(b, "off-cpu", "ns");
    struct flm_metric counts = flm_builder_metric(b, "samples", "samples");
    struct flm_node f = flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1));
    flm_builder_add(b, f, clock, 10000000);
    flm_builder_add(b, f, wait, 200000000);
    flm_builder_add(b, f, counts, 10);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_true(flm_comparison_sample(p, clock) == 1000000);
    assert_true(flm_comparison_sample(p, wait) == 0);
    flm_profile_free(p);
}

static void a_sample_of_several_profiles_is_one_in_all_of_them(void **state)
{
    (void)state;
    struct flm_profile *p = multiples(30, 10, "ns"), *q = multiples(30, 15, "ns");
    struct flm_sample_rule rule = {0};
    struct flm_metric before = {0};
    flm_sample_rule_add(&rule, p, before); /* multiples of 20 */
    assert_true(flm_sample_rule_value(&rule) == 20);
    flm_sample_rule_add(&rule, q, before); /* of 30 */
    assert_true(flm_sample_rule_value(&rule) == 10);
    flm_profile_free(q);
    q = multiples(30, 0.25, "ns");
    flm_sample_rule_add(&rule, q, before);
    assert_true(flm_sample_rule_value(&rule) == 0);
    flm_profile_free(q);
    flm_profile_free(p);

    /* A few stacks in many profiles are no more than a few: calls may well be 10 in all of them. */
    p = multiples(8, 10, "count");
    rule = (struct flm_sample_rule){0};
    for (int i = 0; i < 20; i++)
        flm_sample_rule_add(&rule, p, before);
    assert_true(flm_sample_rule_value(&rule) == 0);
    flm_profile_free(p);
}

static void a_duration_is_noted_or_lies_between_the_samples(void **state)
{
    (void)state;
    static const struct {
        const char *note;
        double expected;
    } cases[] = {{NULL, 70}, {"12000", 12000}, {"1.5e3", 1500}, {"soon", 70}, {"inf", 70}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_metric m = flm_builder_metric(b, "samples", "samples");
        struct flm_node f =
            flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1));
        flm_builder_sample(b, 130, f, (struct flm_label_set){0}, m, 1);
        flm_builder_sample(b, 200, f, (struct flm_label_set){0}, m, 1);
        if (cases[i].note)
            flm_builder_note(b, FLM_NOTE_DURATION, cases[i].note, strlen(cases[i].note));
        struct flm_profile *p = flm_builder_finish(b, NULL);
        assert_true(flm_profile_duration_ns(p) == cases[i].expected);
        flm_profile_free(p);
    }
    struct flm_profile *p = profile_of("a 1\n");
    assert_true(flm_profile_duration_ns(p) == 0);
    flm_profile_free(p);
}

static double scale_of(const struct flm_profile *p, const struct flm_normal *normal)
{
    struct flm_metric_pair pair;
    struct flm_error why = {0};
    double scale = 0;
    assert_true(flm_metric_pair_find(p, NULL, &pair, NULL));
    if (!flm_comparison_scale(p, &pair, normal, &scale, &why))
        fail_msg("%s", why.text);
    return scale;
}

static void before_is_scaled_by_what_is_to_be_equal(void **state)
{
    (void)state;
    struct flm_profile *p =
        profile_of_two("main;f 10 30\nmain;f;g;f 10 10\nmain;h 20 80\nf;h 0 10\n");
    assert_true(scale_of(p, &(struct flm_normal){.by = FLM_NORMALIZE_NONE}) == 1);
    assert_true(scale_of(p, &(struct flm_normal){.by = FLM_NORMALIZE_TOTAL}) == 130 / 40.0);
    assert_true(scale_of(p, &(struct flm_normal){.by = FLM_NORMALIZE_DURATION,
                                                 .before_ns = 4,
                                                 .after_ns = 2}) == 0.5);
    /* f inside of f is counted once: 20 before, 30 + 10 + 10 after. */
    assert_true(scale_of(p, &(struct flm_normal){.by = FLM_NORMALIZE_FUNCTION,
                                                 .function = flm_bytes_of("f")}) == 2.5);
    flm_profile_free(p);
}

static void what_is_not_there_cannot_be_made_equal(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("f 10 0\ng 0 5\n");
    static const struct {
        struct flm_normal normal;
        const char *says;
    } cases[] = {
        {{.by = FLM_NORMALIZE_FUNCTION, .function = {"f", 1}},
         "cannot normalize: the function has no value in one of both"},
        {{.by = FLM_NORMALIZE_FUNCTION, .function = {"g", 1}},
         "cannot normalize: the function has no value in one of both"},
        {{.by = FLM_NORMALIZE_DURATION, .after_ns = 3},
         "cannot normalize: it is not known how long both were recorded"},
    };
    struct flm_metric_pair pair;
    assert_true(flm_metric_pair_find(p, NULL, &pair, NULL));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_error why = {0};
        double scale;
        assert_false(flm_comparison_scale(p, &pair, &cases[i].normal, &scale, &why));
        assert_string_equal(why.text, cases[i].says);
    }
    flm_profile_free(p);
    p = profile_of_two("f 10 0\n");
    struct flm_error why = {0};
    double scale;
    assert_true(flm_metric_pair_find(p, NULL, &pair, NULL));
    assert_false(flm_comparison_scale(p, &pair, &(struct flm_normal){.by = FLM_NORMALIZE_TOTAL},
                                      &scale, &why));
    assert_string_equal(why.text, "cannot normalize: one of both has no value at all");
    flm_profile_free(p);
}

static void memory_that_runs_out_is_reported(void **state)
{
    (void)state;
    const struct value first[] = {memory, cpu, samples}, second[] = {cpu, samples};
    struct flm_profile *x = profile_with("f", first, 3), *y = profile_with("f", second, 2);
    for (size_t nth = 1;; nth++) {
        struct flm_error why = {0};
        struct flm_metric_pair pair;
        double scale;
        struct flm_normal normal = {.by = FLM_NORMALIZE_FUNCTION, .function = flm_bytes_of("f")};
        allocation_fail_from(nth);
        struct flm_profile *p = flm_comparison_align(x, y, &why);
        bool good = p && flm_metric_pair_find(p, "cpu", &pair, &why) &&
                    flm_comparison_scale(p, &pair, &normal, &scale, &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(good, !failed);
        if (!good)
            assert_int_equal(why.kind, FLM_ERROR_MEMORY);
        flm_profile_free(p);
        if (!failed)
            break;
    }
    flm_profile_free(x);
    flm_profile_free(y);
}

/* Metrics by name, all of one stack; terminated by NULL. */
static struct flm_profile *profile_of_metrics(const char *const *names, const char *unit)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_node f = flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1));
    for (int i = 0; names[i]; i++)
        flm_builder_add(b, f, flm_builder_metric(b, names[i], i < 2 ? "samples" : unit), 1 + i);
    return flm_builder_finish(b, NULL);
}

static void what_was_significant_takes_the_place_of_the_guess(void **state)
{
    (void)state;
    static const char *const both[] = {"before:samples", "after:samples", "before:significant",
                                       "after:significant", NULL};
    static const char *const one_side[] = {"before:samples", "after:samples", "after:significant",
                                           NULL};
    struct flm_profile *p = profile_of_metrics(both, "samples");
    struct flm_metric_pair pair, significant;
    struct flm_comparison_options how = {.scale = 1};
    assert_true(flm_metric_pair_find(p, "samples", &pair, NULL));
    assert_true(flm_metric_pair_significant(p, &pair, &significant));
    assert_int_equal(significant.before.index, 2);
    assert_int_equal(significant.after.index, 3);
    flm_comparison_find_noise(p, &pair, &how);
    assert_true(how.sigmas == 0 && how.lost[1] == 3 && how.gained[1] == 4);

    /* Compared itself, it is neither masked nor guessed at. */
    how = (struct flm_comparison_options){.scale = 1};
    assert_false(flm_metric_pair_significant(p, &significant, &pair));
    flm_comparison_find_noise(p, &significant, &how);
    assert_true(how.sigmas == 0 && !how.lost && !how.gained);
    flm_profile_free(p);

    /* One side alone, or another unit, is none. */
    struct flm_profile *others[] = {profile_of_metrics(one_side, "samples"),
                                    profile_of_metrics(both, "ns")};
    for (int i = 0; i < 2; i++) {
        assert_true(flm_metric_pair_find(others[i], "samples", &pair, NULL));
        assert_false(flm_metric_pair_significant(others[i], &pair, &significant));
        how = (struct flm_comparison_options){.scale = 1};
        flm_comparison_find_noise(others[i], &pair, &how);
        assert_true(how.sigmas == FLM_NOISE_SIGMAS && !how.lost && how.before_sample == 1);
        flm_profile_free(others[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_that_both_have_are_compared),
        cmocka_unit_test(the_only_metrics_are_compared_whatever_their_names),
        cmocka_unit_test(what_has_nothing_in_common_is_refused),
        cmocka_unit_test(samples_count_themselves_and_divide_what_stands_beside_them),
        cmocka_unit_test(what_many_values_are_multiples_of_is_a_sample),
        cmocka_unit_test(a_wait_is_no_number_of_samples),
        cmocka_unit_test(a_sample_of_several_profiles_is_one_in_all_of_them),
        cmocka_unit_test(a_duration_is_noted_or_lies_between_the_samples),
        cmocka_unit_test(before_is_scaled_by_what_is_to_be_equal),
        cmocka_unit_test(what_is_not_there_cannot_be_made_equal),
        cmocka_unit_test(what_was_significant_takes_the_place_of_the_guess),
        cmocka_unit_test(memory_that_runs_out_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
