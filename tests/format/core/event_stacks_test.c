#include "format/core/event_stacks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/profile/profiles.h"

/* One letter a call: "B a 3", "E a 7", "X a 3 4" (whole, with its duration); "E - 7" has no name. */
struct event {
    char phase, name;
    int64_t time, duration;
};

struct nested {
    struct flm_builder *builder;
    struct flm_event_stack stack;
    struct flm_calls calls;
    struct flm_calls_lost lost;
    struct flm_node marked;
};

static bool nested_begin(struct nested *n, bool keep_times, struct flm_error *why)
{
    *n = (struct nested){.builder = flm_builder_new(why)};
    if (!n->builder)
        return false;
    n->stack = (struct flm_event_stack){.builder = n->builder,
                                        .metric = flm_builder_metric(n->builder, "time", "us"),
                                        .unit_ns = 1000,
                                        .keep_times = keep_times};
    flm_event_stack_begin(&n->stack, (struct flm_label_set){0}, flm_builder_root(n->builder));
    return true;
}

static void add(struct nested *n, struct event event)
{
    struct flm_call call = {.time_ns = event.time * 1000,
                            .duration_ns = event.phase == 'B'   ? FLM_CALL_BEGIN
                                           : event.phase == 'E' ? FLM_CALL_END
                                                                : event.duration * 1000,
                            .name = event.name == '-' ? FLM_NONE : (uint32_t)event.name,
                            .mark = event.name == 'm' ? 7 : FLM_NONE};
    if (event.phase != 'E')
        call.frame = flm_builder_function(n->builder, &event.name, 1).index;
    if (!FLM_ARRAY_ADD(&n->calls, call))
        abort();
}

static void opened(void *context, uint32_t mark, struct flm_node node)
{
    struct nested *n = context;
    assert_int_equal(mark, 7);
    n->marked = node;
}

static struct flm_profile *nested_profile(const struct event *events, size_t count, bool keep_times,
                                          struct nested *n)
{
    assert_true(nested_begin(n, keep_times, NULL));
    for (size_t i = 0; i < count; i++)
        add(n, events[i]);
    assert_true(flm_calls_nest(&n->calls, &n->stack, opened, n, &n->lost));
    flm_event_stack_finish(&n->stack);
    struct flm_profile *p = flm_builder_finish(n->builder, NULL);
    assert_non_null(p);
    return p;
}

#define NESTED(expected, ...)                                                                      \
    do {                                                                                           \
        const struct event events[] = {__VA_ARGS__};                                               \
        struct nested n;                                                                           \
        for (int keep = 0; keep < 2; keep++) {                                                     \
            struct flm_profile *p =                                                                \
                nested_profile(events, sizeof events / sizeof *events, keep, &n);                  \
            assert_folded(p, expected);                                                            \
            flm_profile_free(p);                                                                   \
        }                                                                                          \
        lost = n.lost;                                                                             \
        (void)lost;                                                                                \
    } while (0)

static void calls_have_the_time_that_is_their_own(void **state)
{
    (void)state;
    struct flm_calls_lost lost;
    NESTED("a 4\na;b 5\na;b;c 3\n", {'B', 'a', 0}, {'B', 'b', 2}, {'B', 'c', 4}, {'E', 'c', 7},
           {'E', 'b', 10}, {'E', '-', 12});
    assert_int_equal(lost.unmatched + lost.crossing + lost.open, 0);
    NESTED("a 4\na;b 5\na;b;c 3\n", {'X', 'c', 4, 3}, {'X', 'b', 2, 8}, {'X', 'a', 0, 12});
    NESTED("a 4\na;b 5\na;b;c 3\n", {'E', '-', 12}, {'X', 'b', 2, 8}, {'B', 'c', 4}, {'B', 'a', 0},
           {'E', 'c', 7});
}

static void of_calls_that_begin_together_the_longer_one_is_the_caller(void **state)
{
    (void)state;
    struct flm_calls_lost lost;
    NESTED("a 2\na;b 3\n", {'X', 'b', 0, 3}, {'X', 'a', 0, 5});
    NESTED("a;b 3\n", {'X', 'a', 0, 3}, {'X', 'b', 0, 3});
    NESTED("a;b 3\n", {'X', 'b', 0, 3}, {'B', 'a', 0}, {'E', 'a', 3});
}

static void calls_that_follow_each_other_are_not_nested(void **state)
{
    (void)state;
    struct flm_calls_lost lost;
    NESTED("a 4\nb 3\n", {'X', 'a', 0, 4}, {'X', 'b', 4, 3});
    NESTED("a 4\nb 3\n", {'B', 'a', 0}, {'E', 'a', 4}, {'B', 'b', 4}, {'E', 'b', 7});
    NESTED("a 7\n", {'X', 'a', 0, 4}, {'X', 'a', 4, 3});
    NESTED("a 3\na;b;a 1\na;c 2\n", {'B', 'a', 0}, {'B', 'b', 1}, {'B', 'a', 1}, {'E', 'a', 2},
           {'E', 'b', 2}, {'E', 'a', 4}, {'B', 'a', 4}, {'B', 'c', 4}, {'E', 'c', 6},
           {'E', 'a', 6});
}

static void a_call_without_a_duration_changes_nothing(void **state)
{
    (void)state;
    struct flm_calls_lost lost;
    NESTED("a 10\nb 10\n", {'B', 'a', 0}, {'X', 'z', 0, 0}, {'X', 'z', 4, 0}, {'X', 'z', 10, 0},
           {'E', 'a', 10}, {'B', 'b', 10}, {'B', 'z', 10}, {'E', 'z', 10}, {'E', 'b', 20});
    assert_int_equal(lost.unmatched + lost.crossing + lost.open, 0);
    NESTED("p 10\n", {'X', 'z', 0, 0}, {'X', 'p', 0, 10});
    NESTED("p 10\n", {'B', 'p', 0}, {'B', 'z', 0}, {'E', 'z', 0}, {'E', 'p', 10});
    NESTED("", {'X', 'z', 4, 0});
}

static void a_call_ends_with_those_that_began_in_it_and_go_on(void **state)
{
    (void)state;
    struct flm_calls_lost lost;
    NESTED("a 5\na;b 10\nc 5\n", {'X', 'a', 0, 10}, {'X', 'b', 5, 10}, {'X', 'c', 15, 5});
    assert_int_equal(lost.crossing, 1);
}

static void calls_without_an_end_last_until_the_last_event(void **state)
{
    (void)state;
    struct flm_calls_lost lost;
    NESTED("a 1\na;b 9\na;b;c 1\n", {'B', 'a', 0}, {'B', 'b', 1}, {'E', 'a', 10},
           {'X', 'c', 10, 1});
    assert_int_equal(lost.open, 2);
    NESTED("", {'B', 'a', 0}, {'E', 'b', 10});
    assert_int_equal(lost.unmatched, 1);
    assert_int_equal(lost.open, 1);
    NESTED("a 3\n", {'E', '-', 0}, {'X', 'a', 1, 3}, {'E', 'a', 9});
    assert_int_equal(lost.unmatched, 2);
}

static void segments_are_samples_with_a_time_and_a_duration(void **state)
{
    (void)state;
    const struct event events[] = {{'X', 'a', 1, 9}, {'X', 'b', 3, 2}};
    struct nested n;
    struct flm_profile *p = nested_profile(events, 2, true, &n);
    assert_int_equal(p->sizes.sample_count, 3);
    for (int i = 0; i < 3; i++) {
        static const int64_t times[] = {1000, 3000, 5000}, durations[] = {2000, 2000, 5000};
        assert_int_equal(p->sample_time[i], times[i]);
        assert_int_equal(p->sample_duration[i], durations[i]);
    }
    flm_profile_free(p);
}

static void sums_of_nanoseconds_are_exact(void **state)
{
    (void)state;
    struct nested n;
    assert_true(nested_begin(&n, false, NULL));
    struct flm_frame frame = flm_builder_function(n.builder, "a", 1);
    for (int i = 0; i < 1000; i++) {
        flm_event_stack_open(&n.stack, frame, 0, (struct flm_event_time){i * 1000, 0});
        assert_true(flm_event_stack_close(&n.stack, (struct flm_event_time){i * 1000 + 1, 0}));
    }
    assert_false(flm_event_stack_close(&n.stack, (struct flm_event_time){2000000, 0}));
    flm_event_stack_finish(&n.stack);
    struct flm_profile *p = flm_builder_finish(n.builder, NULL);
    assert_folded(p, "a 1\n");
    flm_profile_free(p);
}

static void a_value_need_not_be_a_time(void **state)
{
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_event_stack stack = {
            .builder = b, .metric = flm_builder_metric(b, "size", "bytes"), .keep_times = keep};
        flm_event_stack_begin(&stack, (struct flm_label_set){0}, flm_builder_root(b));
        struct flm_frame frame = flm_builder_function(b, "a", 1);
        flm_event_stack_open(&stack, frame, 0, (struct flm_event_time){FLM_NO_TIME, 0.5});
        flm_event_stack_open(&stack, frame, 0, (struct flm_event_time){FLM_NO_TIME, 2});
        flm_event_stack_close(&stack, (struct flm_event_time){FLM_NO_TIME, 4.25});
        assert_int_equal(flm_event_stack_end(&stack), 1);
        flm_event_stack_finish(&stack);
        struct flm_profile *p = flm_builder_finish(b, NULL);
        assert_folded(p, "a 1.5\na;a 2.25\n");
        flm_profile_free(p);
    }
}

static void a_call_with_a_mark_is_told_its_stack(void **state)
{
    (void)state;
    const struct event events[] = {{'X', 'm', 4, 1}, {'X', 'a', 0, 9}, {'X', 'm', 1, 0}};
    struct nested n;
    struct flm_profile *p = nested_profile(events, 3, false, &n);
    assert_int_equal(n.marked.index, 2); /* a;m, which was added after a */
    flm_profile_free(p);
}

static bool nest_with_little_memory(void *context, struct flm_error *why)
{
    struct nested n;
    bool *keep_times = context;
    if (!nested_begin(&n, *keep_times, why))
        return false;
    for (int i = 0; i < 100; i++) {
        struct flm_frame frame = flm_builder_function(n.builder, (char[]){(char)('a' + i % 20)}, 1);
        struct flm_call call = {i * 10, 1000 - i * 20, frame.index, (uint32_t)i, FLM_NONE};
        if (!FLM_ARRAY_ADD(&n.calls, call))
            break;
    }
    bool good = n.calls.count == 100 && flm_calls_nest(&n.calls, &n.stack, NULL, NULL, &n.lost);
    FLM_ARRAY_CLEAR(&n.calls);
    flm_event_stack_finish(&n.stack);
    if (!good) {
        flm_builder_free(n.builder);
        return flm_error_memory(why);
    }
    struct flm_profile *p = flm_builder_finish(n.builder, why);
    flm_profile_free(p);
    return p != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        bool keep_times = keep;
        assert_true(assert_survives_failures(nest_with_little_memory, &keep_times) > 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_have_the_time_that_is_their_own),
        cmocka_unit_test(of_calls_that_begin_together_the_longer_one_is_the_caller),
        cmocka_unit_test(calls_that_follow_each_other_are_not_nested),
        cmocka_unit_test(a_call_without_a_duration_changes_nothing),
        cmocka_unit_test(a_call_ends_with_those_that_began_in_it_and_go_on),
        cmocka_unit_test(calls_without_an_end_last_until_the_last_event),
        cmocka_unit_test(segments_are_samples_with_a_time_and_a_duration),
        cmocka_unit_test(sums_of_nanoseconds_are_exact),
        cmocka_unit_test(a_value_need_not_be_a_time),
        cmocka_unit_test(a_call_with_a_mark_is_told_its_stack),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
