#include "algebra/aggregate/summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static struct flm_summary summary_of(const struct flm_profile *p)
{
    struct flm_summary summary;
    assert_true(flm_summary_init(&summary, p, NULL));
    return summary;
}

static void stacks_are_nodes_with_a_value(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;b;c 5\na 2\nd 1\n");
    struct flm_summary s = summary_of(p);
    assert_int_equal(s.metric[0].stack_count, 3);
    assert_true(s.metric[0].total == 8 && s.metric[0].size == 8);
    assert_int_equal(s.depth, 3);
    flm_summary_clear(&s);
    flm_profile_free(p);
}

static void shares_of_a_difference_are_of_its_size(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a 5\nb_[k] -3\n");
    struct flm_summary s = summary_of(p);
    assert_true(s.metric[0].total == 2 && s.metric[0].size == 8);
    assert_true(s.metric[0].kinds[FLM_KIND_KERNEL] == 3);
    flm_summary_clear(&s);
    flm_profile_free(p);
}

static void a_kind_has_what_was_spent_in_its_own_frames(void **state)
{
    (void)state;
    struct flm_profile *p =
        profile_of("a;sys_read_[k] 5\na;sys_read_[k];irq_[k] 2\na;j_[j] 1\na 1\n");
    struct flm_summary s = summary_of(p);
    assert_true(s.metric[0].kinds[FLM_KIND_KERNEL] == 7);
    assert_true(s.metric[0].kinds[FLM_KIND_JIT] == 1);
    assert_true(s.metric[0].kinds[FLM_KIND_PLAIN] == 1);
    flm_summary_clear(&s);
    flm_profile_free(p);
}

static void kinds_add_up_to_the_size(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (unsigned i = 0; i < 50; i++) {
        struct flm_profile *p = random_profile(&random, &random_full);
        struct flm_summary s = summary_of(p);
        for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
            double sum = 0;
            for (int kind = 0; kind < FLM_KIND_COUNT; kind++)
                sum += s.metric[m].kinds[kind];
            assert_true(sum == s.metric[m].size);
            assert_true(s.metric[m].total == flm_profile_total(p, (struct flm_metric){m}));
        }
        flm_summary_clear(&s);
        flm_profile_free(p);
    }
}

static struct flm_builder *builder_with(struct flm_metric *metric, struct flm_node *node)
{
    struct flm_builder *b = flm_builder_new(NULL);
    assert_non_null(b);
    *metric = flm_builder_metric(b, "cpu", "ns");
    *node = flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    return b;
}

static struct flm_string text(struct flm_builder *b, const char *text)
{
    return flm_builder_string(b, text, strlen(text));
}

static void times_are_those_of_the_first_and_the_last_sample_that_has_one(void **state)
{
    (void)state;
    struct flm_metric cpu;
    struct flm_node node;
    struct flm_builder *b = builder_with(&cpu, &node);
    static const int64_t times[] = {700, FLM_NO_TIME, -50, 300};
    for (size_t i = 0; i < 4; i++)
        flm_builder_sample(b, times[i], node, (struct flm_label_set){0}, cpu, 1);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    struct flm_summary s = summary_of(p);
    assert_int_equal(s.timed_samples, 3);
    assert_true(s.first_ns == -50 && s.last_ns == 700);
    flm_summary_clear(&s);
    flm_profile_free(p);
}

static void label_keys_have_their_distinct_values_counted(void **state)
{
    (void)state;
    struct flm_metric cpu;
    struct flm_node node;
    struct flm_builder *b = builder_with(&cpu, &node);
    static const char *const labels[][4] = {
        {"thread", "1", "cpu", "0"}, {"thread", "2", "cpu", "0"}, {"thread", "1", "cpu", "0"}};
    for (size_t i = 0; i < 3; i++) {
        struct flm_string strings[4];
        for (size_t j = 0; j < 4; j++)
            strings[j] = text(b, labels[i][j]);
        flm_builder_sample(b, (int64_t)i, node, flm_builder_label_set(b, strings, 2), cpu, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    struct flm_summary s = summary_of(p);
    assert_int_equal(s.label_key_count, 2);
    assert_true(flm_bytes_are(flm_string_bytes(p, s.label_key[0].key), "cpu"));
    assert_int_equal(s.label_key[0].value_count, 1);
    assert_int_equal(s.label_key[1].value_count, 2);
    flm_summary_clear(&s);
    flm_profile_free(p);
}

static void frames_without_a_symbol_are_counted_with_what_was_spent_in_them(void **state)
{
    (void)state;
    struct flm_metric cpu;
    struct flm_node node;
    struct flm_builder *b = builder_with(&cpu, &node);
    struct flm_frame_record record = {.function = text(b, "0x12").index,
                                      .flags = FLM_FRAME_UNSYMBOLIZED};
    struct flm_node unknown = flm_builder_child(b, node, flm_builder_frame(b, &record));
    flm_builder_add(b, unknown, cpu, 3);
    flm_builder_add(b, node, cpu, 1);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    struct flm_summary s = summary_of(p);
    assert_int_equal(s.unsymbolized_frames, 1);
    assert_true(s.metric[0].unsymbolized == 3);
    flm_summary_clear(&s);
    flm_profile_free(p);
}

static bool summarize(void *context, struct flm_error *why)
{
    struct flm_summary s;
    if (!flm_summary_init(&s, context, why))
        return false;
    flm_summary_clear(&s);
    return true;
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;b 1\n");
    assert_true(assert_survives_failures(summarize, p) > 2);
    flm_profile_free(p);
}

static bool make_public(void *context, struct flm_error *why)
{
    struct flm_summary *summary = flm_summary_new(context, why);
    flm_summary_free(summary);
    return summary != NULL;
}

static void programs_get_a_summary_of_their_own(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 1\nmain;read_[k] 2\n");
    struct flm_summary *summary = flm_summary_new(p, NULL);
    assert_non_null(summary);
    assert_int_equal(summary->depth, 2);
    assert_true(summary->metric[0].total == 3 && summary->metric[0].kinds[FLM_KIND_KERNEL] == 2);
    flm_summary_free(summary);
    flm_summary_free(NULL);
    assert_true(assert_survives_failures(make_public, p) > 1);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_are_nodes_with_a_value),
        cmocka_unit_test(shares_of_a_difference_are_of_its_size),
        cmocka_unit_test(a_kind_has_what_was_spent_in_its_own_frames),
        cmocka_unit_test(kinds_add_up_to_the_size),
        cmocka_unit_test(times_are_those_of_the_first_and_the_last_sample_that_has_one),
        cmocka_unit_test(label_keys_have_their_distinct_values_counted),
        cmocka_unit_test(frames_without_a_symbol_are_counted_with_what_was_spent_in_them),
        cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(programs_get_a_summary_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
