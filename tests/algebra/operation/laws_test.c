/* Laws that every operation obeys, on random profiles: Tornetta, "On the Algebraic Properties of
 * Flame Graphs". Those of differences are in difference_laws_test.c. Sums of integers are exact, so
 * equal means equal bytes. */
#include "algebra/operation/algebra.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algebra/operation/operations.h"
#include "support/core/random.h"
#include "support/profile/laws.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

/* Everything that an expression can say. */
static const char *const operations[] = {
    "focus:f1",
    "focus:*",
    "hide:f1",
    "hide:*",
    "drop:f2",
    "keep:f2",
    "keep:nothing*",
    "prune:f3",
    "prune:*",
    "by:function",
    "by:name",
    "by:line",
    "by:module",
    "by:file",
    "by:package",
    "by:kind",
    "by:short",
    "by:nohex",
    "rename:s/f([0-9])/g\\1/",
    "rename:s/.*/one/",
    "rename:module=s/.*//",
    "rename:s/1|2/x/g | rename:file=s,.*/,,",
    "invert",
    "collapse:direct",
    "collapse:any",
    "collapse:direct,f1",
    "collapse:any,!/f[12]/ | by:name",
    "depth:1",
    "depth:4",
    "metric:m1",
    "label:thread=t1",
    "label:span",
    "unlabel:thread",
    "thread:t*",
    "thread:/[12]/",
    "focus:/f[12]/ | invert | by:module",
    "hide:kind=kernel | collapse:any | depth:3",
};
enum { OPERATION_COUNT = sizeof operations / sizeof operations[0] };

/* Takes both. */
static struct flm_profile *add_and_free(struct flm_profile *a, struct flm_profile *b)
{
    struct flm_profile *sum = sum_of(a, b);
    flm_profile_free(a);
    flm_profile_free(b);
    return sum;
}

/* ---- Every operation ------------------------------------------------------------------------- */

static void every_operation_is_linear(void **state)
{
    (void)state;
    uint64_t random = 21;
    struct random_shape shape = random_full;
    shape.metadata = false; /* losses are not values: they would be added twice, as they should */
    for (int round = 0; round < 30; round++) {
        shape.negative = round % 2;
        shape.stacks = random_below(&random, 60);
        struct flm_profile *f = random_profile(&random, &shape);
        struct flm_profile *g = random_profile(&random, &shape);
        if (f->sizes.sample_count == 0 || g->sizes.sample_count == 0) {
            flm_profile_free(f);
            flm_profile_free(g);
            continue;
        }
        struct flm_profile *sum = sum_of(f, g);
        for (int i = 0; i < OPERATION_COUNT; i++)
            assert_same(applied(sum, operations[i]),
                        add_and_free(applied(f, operations[i]), applied(g, operations[i])));
        flm_profile_free(f);
        flm_profile_free(g);
        flm_profile_free(sum);
    }
}

static void every_result_is_canonical_and_its_samples_follow(void **state)
{
    (void)state;
    uint64_t random = 22;
    struct random_shape shape = random_full;
    for (int round = 0; round < 30; round++) {
        shape.negative = round % 2;
        shape.stacks = 1 + random_below(&random, 60);
        struct flm_profile *p = random_profile(&random, &shape);
        struct flm_text before = bytes_of(p);
        assert_true(unsampled(p) == 0);
        for (int i = 0; i < OPERATION_COUNT; i++) {
            struct flm_profile *result = applied(p, operations[i]);
            assert_sound(result);
            if (unsampled(result) != 0)
                fail_msg("%s: self values are not the sum of their samples", operations[i]);
            flm_profile_free(result);
        }
        struct flm_text behind = bytes_of(p); /* the input is as it was */
        assert_int_equal(before.size, behind.size);
        assert_memory_equal(before.at, behind.at, before.size);
        flm_text_clear(&before);
        flm_text_clear(&behind);
        flm_profile_free(p);
    }
}

static void operations_on_nothing_give_nothing(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("");
    for (int i = 0; i < OPERATION_COUNT; i++) {
        struct flm_error why = {0};
        struct flm_profile *result = flm_apply(p, operations[i], NULL, &why);
        if (result) {
            assert_int_equal(result->sizes.node_count, 1);
            assert_sound(result);
        } else { /* no samples, no such metric */
            assert_int_equal(why.kind, FLM_ERROR_USAGE);
        }
        flm_profile_free(result);
    }
    flm_profile_free(p);
}

static void a_chain_of_100000_frames_goes_through_every_operation(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric m0 = flm_builder_metric(b, "m0", "ns");
    struct flm_metric m1 = flm_builder_metric(b, "m1", "ns");
    struct flm_node node = flm_builder_root(b);
    for (int i = 0; i < 100000; i++)
        node = flm_builder_child(b, node, flm_builder_function(b, i % 3 ? "f1" : "f2", 2));
    struct flm_string label[2] = {flm_builder_string(b, "thread", 6),
                                  flm_builder_string(b, "t1", 2)};
    flm_builder_sample(b, 5, node, flm_builder_label_set(b, label, 1), m0, 7);
    flm_builder_sample_add(b, m1, 8);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    for (int i = 0; i < OPERATION_COUNT; i++) {
        struct flm_profile *result = applied(p, operations[i]);
        assert_true(flm_profile_check(result, NULL));
        flm_profile_free(result);
    }
    struct flm_profile *twice = sum_of(p, p);
    assert_true(flm_profile_total(twice, (struct flm_metric){0}) == 14);
    assert_int_equal(twice->sizes.node_count, 100001);
    assert_true(flm_profile_check(twice, NULL));
    flm_profile_free(twice);
    flm_profile_free(p);
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static void a_sum_does_not_depend_on_order_or_grouping(void **state)
{
    (void)state;
    uint64_t random = 23;
    struct random_shape shape = random_full;
    shape.metadata = false;
    for (int round = 0; round < 60; round++) {
        shape.negative = round % 2;
        shape.samples = round % 3;
        shape.stacks = random_below(&random, 60);
        struct flm_profile *f = random_profile(&random, &shape);
        struct flm_profile *g = random_profile(&random, &shape);
        struct flm_profile *h = random_profile(&random, &shape);
        assert_same(sum_of(f, g), sum_of(g, f));
        assert_same(add_and_free(sum_of(f, g), sum_of(h, h)),
                    add_and_free(sum_of(h, f), sum_of(g, h)));
        const struct flm_profile *all[] = {h, f, g, h};
        struct flm_profile *at_once = flm_align(all, 4, FLM_ALIGN_ADD, NULL, NULL);
        assert_non_null(at_once);
        assert_sound(at_once);
        assert_same(at_once, add_and_free(sum_of(f, h), sum_of(g, h)));
        flm_profile_free(f);
        flm_profile_free(g);
        flm_profile_free(h);
    }
}

static void a_profile_and_itself_are_twice_the_profile(void **state)
{
    (void)state;
    uint64_t random = 24;
    struct random_shape shape = random_full;
    shape.metadata = shape.markers = false; /* are in both */
    shape.samples =
        RANDOM_SAMPLES_NONE; /* of samples there are then two, not one of twice the value */
    for (int round = 0; round < 40; round++) {
        shape.negative = round % 2;
        struct flm_profile *p = random_profile(&random, &shape);
        assert_same(sum_of(p, p), scaled(p, 2));
        assert_same(scaled(p, 1), poured(p, &random));
        flm_profile_free(p);
    }
}

static void what_cancels_is_gone(void **state)
{
    (void)state;
    uint64_t random = 25;
    struct random_shape shape = random_full;
    shape.samples = RANDOM_SAMPLES_NONE;
    shape.metadata = shape.markers = false; /* are in both */
    for (int round = 0; round < 40; round++) {
        struct flm_profile *p = random_profile(&random, &shape);
        struct flm_profile *nothing = add_and_free(scaled(p, 1), scaled(p, -1));
        assert_sound(nothing);
        assert_int_equal(nothing->sizes.node_count, 1);
        assert_int_equal(nothing->sizes.frame_count, 1);
        assert_same(add_and_free(nothing, poured(p, &random)), p);
    }
}

/* Half-open windows that follow each other are a partition: their sums are the whole. */
static void windows_of_a_chart_add_up_to_the_whole(void **state)
{
    (void)state;
    uint64_t random = 26;
    struct random_shape shape = random_full;
    shape.metadata = shape.markers = false; /* are in both */
    for (int round = 0; round < 40; round++) {
        struct flm_profile *p = random_profile(&random, &shape);
        struct flm_profile *sum = NULL;
        int64_t from = 0, end = 1000000000;
        while (from < end) {
            /* A window may end exactly where a sample is. */
            int64_t to = from + (1 + (int64_t)random_below(&random, 300)) * 1000000;
            struct flm_profile *window = flm_keep_time(p, from, to, NULL);
            assert_sound(window);
            for (uint32_t i = 0; i < window->sizes.sample_count; i++)
                assert_true(window->sample_time[i] >= from && window->sample_time[i] < to);
            sum = sum ? add_and_free(sum, window) : window;
            from = to;
        }
        assert_same(sum, flm_keep_time(p, 0, INT64_MAX, NULL));
        flm_profile_free(p);
    }
}

static void labels_divide_a_profile(void **state)
{
    (void)state;
    uint64_t random = 27;
    struct random_shape shape = random_full;
    shape.metadata = shape.markers = false; /* are in both */
    for (int round = 0; round < 40; round++) {
        struct flm_profile *p = random_profile(&random, &shape);
        assert_same(add_and_free(applied(p, "label:thread"), applied(p, "unlabel:thread")),
                    poured(p, &random));
        assert_same(add_and_free(applied(p, "label:cpu=t0"), applied(p, "unlabel:cpu=t0")),
                    poured(p, &random));
        assert_same(add_and_free(applied(p, "keep:f1"), applied(p, "drop:f1")), poured(p, &random));
        flm_profile_free(p);
    }
}

/* ---- Quotients ------------------------------------------------------------------------------- */

static void a_quotient_of_a_quotient_is_one(void **state)
{
    (void)state;
    uint64_t random = 38;
    static const char *const coarser[][2] = {
        {"by:line | by:function", "by:function"},
        {"by:line | by:name", "by:name"},
        {"by:function | by:name", "by:name"},
        {"by:line | by:module", "by:module"},
        {"by:line | by:file", "by:file"},
        {"by:line | by:kind", "by:kind"},
        {"by:nohex | by:nohex", "by:nohex"},
        {"by:short | by:short", "by:short"},
        {"by:name | by:name", "by:name"},
        {"by:short | by:name", "by:name | by:short"},
        {"by:line | by:line", "by:line"},
        {"rename:s/[0-9]//g | rename:s/f/g/", "rename:s/f/g/ | rename:s/[0-9]//g"},
        {"rename:s/[0-9]// | rename:s/.*/x/", "rename:s/.*/x/"},
        {"rename:s/.*/x/ | by:function", "by:function | rename:s/.*/x/"},
    };
    for (int round = 0; round < 30; round++) {
        struct random_shape shape = random_full;
        shape.negative = round % 2;
        shape.kinds =
            false; /* what is no code keeps its line and address when modules are merged */
        struct flm_profile *p = random_profile(&random, &shape);
        for (size_t i = 0; i < sizeof coarser / sizeof coarser[0]; i++)
            assert_same(applied(p, coarser[i][0]), applied(p, coarser[i][1]));
        flm_profile_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_is_linear),
        cmocka_unit_test(every_result_is_canonical_and_its_samples_follow),
        cmocka_unit_test(operations_on_nothing_give_nothing),
        cmocka_unit_test(a_chain_of_100000_frames_goes_through_every_operation),
        cmocka_unit_test(a_sum_does_not_depend_on_order_or_grouping),
        cmocka_unit_test(a_profile_and_itself_are_twice_the_profile),
        cmocka_unit_test(what_cancels_is_gone),
        cmocka_unit_test(windows_of_a_chart_add_up_to_the_whole),
        cmocka_unit_test(labels_divide_a_profile),
        cmocka_unit_test(a_quotient_of_a_quotient_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
