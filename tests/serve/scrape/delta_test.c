#include "serve/scrape/delta.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "flamel/file.h"
#include "support/core/failures.h"
#include "support/core/random.h"

/* A profile of a heap: functions "a", "b" ... with what each allocated and has in use. */
static struct flm_profile *heap(const double (*values)[2], size_t count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric alloc = flm_builder_metric(b, "alloc_space", "bytes"),
                      inuse = flm_builder_metric(b, "inuse_space", "bytes");
    for (size_t i = 0; i < count; i++) {
        char name = (char)('a' + i);
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, &name, 1));
        flm_builder_add(b, node, alloc, values[i][0]);
        flm_builder_add(b, node, inuse, values[i][1]);
    }
    return flm_builder_finish(b, NULL);
}

static double value_of(const struct flm_profile *p, const char *metric, char function)
{
    struct flm_metric m;
    assert_true(flm_metric_find(p, metric, &m, NULL));
    for (uint32_t i = 0; i < flm_profile_node_count(p); i++) {
        const struct flm_frame_record *frame =
            flm_profile_frame(p, (struct flm_frame){flm_profile_frames(p)[i]});
        struct flm_name name = flm_profile_string(p, (struct flm_string){frame->function});
        if (name.size == 1 && name.at[0] == function)
            return flm_profile_self(p, m)[i];
    }
    return 0;
}

static void counters_are_what_came_and_gauges_what_there_is(void **state)
{
    static const double first[][2] = {{5, 2}, {7, 0}}, second[][2] = {{8, 1}, {7, 0}, {4, 4}};
    (void)state;
    bool was_reset;
    struct flm_error why = {0};
    struct flm_profile *a = heap(first, 2), *b = heap(second, 3);
    struct flm_profile *begin = flm_delta(NULL, a, &was_reset, &why),
                       *delta = flm_delta(a, b, &was_reset, &why);
    assert_non_null(begin);
    assert_non_null(delta);
    assert_false(was_reset);
    assert_true(value_of(begin, "alloc_space", 'a') == 0 &&
                value_of(begin, "alloc_space", 'b') == 0);
    assert_true(value_of(begin, "inuse_space", 'a') == 2);
    assert_true(value_of(delta, "alloc_space", 'a') == 3);
    assert_true(value_of(delta, "alloc_space", 'b') == 0);
    assert_true(value_of(delta, "alloc_space", 'c') == 4);
    assert_true(value_of(delta, "inuse_space", 'a') == 1 &&
                value_of(delta, "inuse_space", 'c') == 4);
    assert_true(flm_profile_check(delta, &why));
    flm_profile_free(begin);
    flm_profile_free(delta);
    flm_profile_free(a);
    flm_profile_free(b);
}

static void a_counter_that_fell_is_of_a_program_that_began_anew(void **state)
{
    static const double first[][2] = {{50, 2}, {7, 0}}, second[][2] = {{60, 1}, {3, 1}};
    (void)state;
    bool was_reset;
    struct flm_profile *a = heap(first, 2), *b = heap(second, 2);
    struct flm_profile *delta = flm_delta(a, b, &was_reset, NULL);
    assert_true(was_reset);
    assert_true(value_of(delta, "alloc_space", 'a') == 60);
    assert_true(value_of(delta, "alloc_space", 'b') == 3);
    flm_profile_free(delta);
    flm_profile_free(a);
    flm_profile_free(b);
}

/* What is in use may fall. And other metrics than before are the first of their kind. */
static void gauges_may_fall_and_metrics_may_change(void **state)
{
    static const double first[][2] = {{5, 9}}, second[][2] = {{6, 1}};
    (void)state;
    bool was_reset;
    struct flm_profile *a = heap(first, 1), *b = heap(second, 1);
    struct flm_builder *builder = flm_builder_new(NULL);
    struct flm_metric delay = flm_builder_metric(builder, "delay", "ns");
    flm_builder_add(builder,
                    flm_builder_child(builder, flm_builder_root(builder),
                                      flm_builder_function(builder, "a", 1)),
                    delay, 4);
    struct flm_profile *other = flm_builder_finish(builder, NULL);
    struct flm_profile *delta = flm_delta(a, b, &was_reset, NULL);
    assert_false(was_reset);
    assert_true(value_of(delta, "alloc_space", 'a') == 1 &&
                value_of(delta, "inuse_space", 'a') == 1);
    flm_profile_free(delta);
    delta = flm_delta(a, other, &was_reset, NULL);
    assert_false(was_reset);
    assert_true(value_of(delta, "delay", 'a') == 0);
    flm_profile_free(delta);
    flm_profile_free(a);
    flm_profile_free(b);
    flm_profile_free(other);
}

/* Of any number of scrapes the deltas together are the last one without the first. */
static void deltas_add_up(void **state)
{
    enum { SCRAPES = 50, FUNCTIONS = 6 };
    double now[FUNCTIONS][2] = {{0}}, sum[FUNCTIONS] = {0}, begin[FUNCTIONS] = {0};
    struct flm_profile *previous = NULL;
    uint64_t r = 1;
    (void)state;
    for (int s = 0; s < SCRAPES; s++) {
        for (int f = 0; f < FUNCTIONS; f++)
            now[f][0] += (double)random_below(&r, 4) * 1e12;
        bool was_reset;
        struct flm_profile *p = heap((const double(*)[2])now, FUNCTIONS);
        struct flm_profile *delta = flm_delta(previous, p, &was_reset, NULL);
        assert_non_null(delta);
        assert_false(was_reset);
        for (int f = 0; f < FUNCTIONS; f++) {
            sum[f] += value_of(delta, "alloc_space", (char)('a' + f));
            begin[f] = s == 0 ? now[f][0] : begin[f];
        }
        flm_profile_free(delta);
        flm_profile_free(previous);
        previous = p;
    }
    for (int f = 0; f < FUNCTIONS; f++)
        assert_true(sum[f] == now[f][0] - begin[f]);
    flm_profile_free(previous);
}

struct pair {
    struct flm_profile *previous, *now;
};

static bool make_delta(void *context, struct flm_error *why)
{
    const struct pair *pair = context;
    bool was_reset;
    struct flm_profile *delta = flm_delta(pair->previous, pair->now, &was_reset, why);
    flm_profile_free(delta);
    return delta != NULL;
}

static void every_failed_allocation_is_survived(void **state)
{
    static const double first[][2] = {{5, 2}}, second[][2] = {{8, 1}, {1, 1}};
    struct pair pair = {heap(first, 1), heap(second, 2)};
    (void)state;
    assert_true(assert_survives_failures(make_delta, &pair) > 2);
    flm_profile_free(pair.previous);
    flm_profile_free(pair.now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_are_what_came_and_gauges_what_there_is),
        cmocka_unit_test(a_counter_that_fell_is_of_a_program_that_began_anew),
        cmocka_unit_test(gauges_may_fall_and_metrics_may_change),
        cmocka_unit_test(deltas_add_up),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
