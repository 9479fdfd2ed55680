#include "algebra/operation/operations.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/model.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static bool is_marked(struct model_frame frame)
{
    return frame.function == model_text("f1") || frame.function == model_text("f2");
}

static unsigned char *marks_of(const struct flm_profile *p)
{
    unsigned char *marks = calloc(p->sizes.frame_count, 1);
    assert_non_null(marks);
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        marks[i] = is_marked(model_frame_of(p, i));
    return marks;
}

static bool holds_marked(struct model_stack *stack, void *context)
{
    bool with = *(bool *)context, found = false;
    for (size_t i = 0; i < stack->depth; i++)
        found |= is_marked(stack->frames[i]);
    return found == with;
}

static void keep_and_drop_agree_with_a_plain_list(void **state)
{
    (void)state;
    uint64_t random = 51;
    struct random_shape shape = random_full;
    for (int round = 0; round < 100; round++) {
        bool with = round % 2;
        shape.stacks = random_below(&random, 60);
        shape.names = 3 + random_below(&random, 20);
        shape.negative = round % 3 == 0;
        shape.samples = round % 4 ? RANDOM_SAMPLES_ALL : RANDOM_SAMPLES_SOME;
        struct flm_profile *p = random_profile(&random, &shape);
        unsigned char *marks = marks_of(p);
        struct flm_profile *q = flm_keep(p, marks, with, NULL);
        assert_sound(q);
        struct model got = model_of(q), expected = model_of(p);
        model_apply(&expected, holds_marked, &with);
        assert_models_equal(&got, &expected);
        got = model_of_samples(q);
        expected = model_of_samples(p);
        model_apply(&expected, holds_marked, &with);
        assert_models_equal(&got, &expected);
        free(marks);
        flm_profile_free(p);
        flm_profile_free(q);
    }
}

static bool only_metric(struct model_stack *stack, void *context)
{
    uint32_t metric = *(uint32_t *)context;
    stack->value[0] = stack->value[metric];
    for (int m = 1; m < MODEL_METRICS; m++)
        stack->value[m] = 0;
    return true;
}

static void one_metric_is_selected_with_its_samples(void **state)
{
    (void)state;
    uint64_t random = 52;
    for (int round = 0; round < 60; round++) {
        uint32_t metric = (uint32_t)round % 3;
        struct flm_profile *p = random_profile(&random, &random_full);
        struct flm_profile *q = flm_select(p, metric, NULL);
        assert_sound(q);
        assert_int_equal(q->sizes.metric_count, 1);
        struct model got = model_of(q), expected = model_of(p);
        model_apply(&expected, only_metric, &metric);
        assert_models_equal(&got, &expected);
        for (uint32_t i = 0; i < q->sizes.sample_count; i++)
            assert_true(flm_sample_value(q, 0, i) != 0);
        assert_true(unsampled(q) == 0);
        flm_profile_free(p);
        flm_profile_free(q);
    }
}

/* Samples of one thread, one of two spans, some without either. */
static struct flm_profile *sampled(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    static const struct {
        int64_t time;
        const char *stack, *key, *value;
        double cpu;
    } samples[] = {
        {10, "a", "thread", "1", 1},   {20, "b", "thread", "1", 2},
        {20, "a", "span", "x", 4},     {30, "c", "span", "", 8},
        {40, "d", NULL, NULL, 16},     {FLM_NO_TIME, "e", "thread", "2", 32},
        {-5, "f", "threads", "1", 64},
    };
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        struct flm_string label[2] = {{0}, {0}};
        if (samples[i].key) {
            label[0] = flm_builder_string(b, samples[i].key, strlen(samples[i].key));
            label[1] = flm_builder_string(b, samples[i].value, strlen(samples[i].value));
        }
        flm_builder_sample(
            b, samples[i].time,
            flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, samples[i].stack, 1)),
            flm_builder_label_set(b, label, samples[i].key != NULL), cpu, samples[i].cpu);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static void check_label(const char *key, const char *value, bool with, const char *expected)
{
    struct flm_error why = {0};
    struct flm_profile *p = sampled();
    struct flm_profile *q = flm_keep_label(p, flm_bytes_of(key), flm_bytes_of(value), with, &why);
    if (!q)
        fail_msg("%s", why.text);
    assert_sound(q);
    assert_true(unsampled(q) == 0);
    assert_folded(q, expected);
    flm_profile_free(p);
    flm_profile_free(q);
}

static bool has_value(const struct flm_profile *p, uint32_t set, const char *key, const char *value)
{
    for (uint32_t i = set ? p->label_set_ends[set - 1] : 0; i < p->label_set_ends[set]; i++) {
        struct flm_label_record label = p->labels[p->set_members[i]];
        if (flm_bytes_are(flm_string_bytes(p, label.key), key) &&
            flm_bytes_are(flm_string_bytes(p, label.value), value))
            return true;
    }
    return false;
}

/* How many samples have one of these values, counted one by one. */
static void several_values_of_a_label_are_any_of_them(void **state)
{
    (void)state;
    static const char *const asked[] = {"t0,t1", "t1,t0",  "t2",    "t0,t1,t2", "t0,",
                                        ",t0",   "x,t2,y", "t0,t0", "t,0"};
    uint64_t random = 53;
    for (int round = 0; round < 60; round++) {
        struct flm_profile *p = random_profile(&random, &random_full);
        const char *values = asked[round % 9];
        for (int with = 0; with < 2; with++) {
            uint32_t expected = 0;
            for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
                bool has = false;
                for (int v = 0; v < 3; v++) {
                    char value[3] = {'t', (char)('0' + v), 0};
                    has |=
                        strstr(values, value) && has_value(p, p->sample_labels[i], "thread", value);
                }
                expected += has == with;
            }
            struct flm_profile *q =
                flm_keep_label(p, flm_bytes_of("thread"), flm_bytes_of(values), with, NULL);
            assert_sound(q);
            assert_int_equal(q->sizes.sample_count, expected);
            flm_profile_free(q);
        }
        flm_profile_free(p);
    }
}

static void a_value_with_a_comma_is_found_as_it_is(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    static const char *const values[] = {"a,b", "a", "b", "a,b,c", ""};
    for (unsigned i = 0; i < 5; i++) {
        char name[2] = {(char)('v' + i), 0};
        struct flm_string label[2] = {flm_builder_string(b, "k", 1),
                                      flm_builder_string(b, values[i], strlen(values[i]))};
        flm_builder_sample(
            b, i, flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, name, 1)),
            flm_builder_label_set(b, label, 1), cpu, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    static const char *const cases[][2] = {{"a,b", "v 1\nw 1\nx 1\n"},
                                           {"a", "w 1\n"},
                                           {"a,b,c", "w 1\nx 1\ny 1\n"},
                                           {"b,", "x 1\n"},
                                           {"c", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_profile *q =
            flm_keep_label(p, flm_bytes_of("k"), flm_bytes_of(cases[i][0]), true, NULL);
        assert_folded(q, cases[i][1]);
        flm_profile_free(q);
    }
    flm_profile_free(p);
}

static void samples_are_kept_by_label(void **state)
{
    (void)state;
    check_label("thread", "1", true, "a 1\nb 2\n");
    check_label("thread", "1", false, "a 4\nc 8\nd 16\ne 32\nf 64\n");
    check_label("thread", "", true, "a 1\nb 2\ne 32\n");
    check_label("span", "", true, "a 4\nc 8\n");
    check_label("nothing", "", true, "");
    check_label("nothing", "", false, "a 5\nb 2\nc 8\nd 16\ne 32\nf 64\n"); /* the empty set too */
    check_label("", "", true, "");
}

static void check_time(int64_t from, int64_t to, const char *expected)
{
    struct flm_profile *p = sampled(), *q = flm_keep_time(p, from, to, NULL);
    assert_sound(q);
    assert_folded(q, expected);
    flm_profile_free(p);
    flm_profile_free(q);
}

static void samples_are_kept_by_time(void **state)
{
    (void)state;
    check_time(10, 20, "a 1\n");
    check_time(20, 21, "a 4\nb 2\n");
    check_time(0, 0, "");
    check_time(INT64_MIN, 0, "f 64\n");
    check_time(30, INT64_MAX, "c 8\nd 16\n");
    check_time(INT64_MIN, INT64_MAX, "a 5\nb 2\nc 8\nd 16\nf 64\n"); /* no time is in no range */
}

/* A wait of 310 ms, of which 200 lie in the range; its events count where it begins. */
static void of_a_wait_the_part_in_the_range_stays(void **state)
{
    (void)state;
    enum { MS = 1000000 };
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "wait", 4));
    struct flm_metric time = flm_builder_metric(b, "off-cpu", "ns");
    struct flm_metric events = flm_builder_metric(b, "switches", "count");
    flm_builder_sample(b, 1030 * (int64_t)MS, node, (struct flm_label_set){0}, time, 310.0 * MS);
    flm_builder_sample_add(b, events, 1);
    flm_builder_sample_lasts(b, 310 * MS);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    static const struct {
        int64_t from, to, begins, lasts; /* ms */
        double events;
    } cases[] = {{1100, 1300, 1100, 200, 0}, {1000, 1130, 1030, 100, 1}, {1030, 1340, 1030, 310, 1},
                 {1300, 9999, 1300, 40, 0},  {1339, 1340, 1339, 1, 0},   {0, 5000, 1030, 310, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_profile *q = flm_keep_time(p, cases[i].from * MS, cases[i].to * MS, NULL);
        assert_sound(q);
        assert_int_equal(q->sizes.sample_count, 1);
        assert_int_equal(q->sample_time[0], cases[i].begins * MS);
        assert_int_equal(flm_sample_duration(q, 0), cases[i].lasts * MS);
        assert_true(flm_profile_total(q, time) == (double)cases[i].lasts * MS);
        assert_true(flm_profile_total(q, events) == cases[i].events);
        flm_profile_free(q);
    }
    for (int outside = 0; outside < 2; outside++) {
        struct flm_profile *q = flm_keep_time(p, outside ? 1340 * (int64_t)MS : 0,
                                              outside ? INT64_MAX : 1030 * (int64_t)MS, NULL);
        assert_int_equal(q->sizes.sample_count, 0);
        flm_profile_free(q);
    }
    flm_profile_free(p);
}

/* Whatever a time is cut into: the parts add up to the whole, in every metric. */
static void adjacent_ranges_add_up(void **state)
{
    (void)state;
    uint64_t random = 91;
    for (int round = 0; round < 100; round++) {
        struct random_shape shape = random_full;
        shape.samples = RANDOM_SAMPLES_ALL;
        struct flm_profile *p = random_profile(&random, &shape);
        if (p->sizes.sample_count == 0) {
            flm_profile_free(p);
            continue;
        }
        int64_t cuts[] = {INT64_MIN, (int64_t)random_below(&random, 500) * 1000000 + 1,
                          (int64_t)(500 + random_below(&random, 500)) * 1000000 + 1, INT64_MAX};
        struct flm_profile *all = flm_keep_time(p, INT64_MIN, INT64_MAX, NULL);
        for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
            double sum = 0, size = 1;
            for (int i = 0; i < 3; i++) {
                struct flm_profile *q = flm_keep_time(p, cuts[i], cuts[i + 1], NULL);
                assert_sound(q);
                sum += flm_profile_total(q, (struct flm_metric){m});
                flm_profile_free(q);
            }
            for (uint32_t i = 0; i < p->sizes.sample_count; i++)
                size += fabs(flm_sample_value(p, m, i));
            assert_true(fabs(sum - flm_profile_total(all, (struct flm_metric){m})) < 1e-9 * size);
        }
        flm_profile_free(all);
        flm_profile_free(p);
    }
}

/* Beyond 2^53: the sums of what a label selects are those of reading it alone, and counted. */
static void sums_of_selected_samples_are_rounded_once(void **state)
{
    (void)state;
    uint64_t random = 6;
    for (int round = 0; round < 50; round++) {
        struct flm_builder *all = flm_builder_new(NULL), *one = flm_builder_new(NULL);
        struct flm_builder *const both[] = {all, one};
        struct flm_metric m = flm_builder_metric(all, "cpu", "ns");
        flm_builder_metric(one, "cpu", "ns");
        for (int i = 0; i < 40; i++) {
            double value = (double)(random_next(&random) >> 4);
            for (int k = 0; k < 2; k++) {
                struct flm_builder *b = both[k];
                struct flm_string label[2] = {flm_builder_string(b, "t", 1),
                                              flm_builder_string(b, i % 3 ? "1" : "2", 1)};
                struct flm_node node =
                    flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "a", 1));
                if (k == 0 || i % 3)
                    flm_builder_sample(b, i, node, flm_builder_label_set(b, label, 1), m, value);
            }
        }
        struct flm_profile *p = flm_builder_finish(all, NULL);
        struct flm_profile *expected = flm_builder_finish(one, NULL);
        struct flm_profile *q = flm_keep_label(p, flm_bytes_of("t"), flm_bytes_of("1"), true, NULL);
        assert_true(flm_profile_total(q, m) == flm_profile_total(expected, m));
        struct flm_profile *r = flm_keep_time(expected, 0, 40, NULL);
        assert_true(flm_profile_total(r, m) == flm_profile_total(expected, m));
        flm_profile_free(p);
        flm_profile_free(q);
        flm_profile_free(r);
        flm_profile_free(expected);
    }
}

static void the_end_of_time_is_in_a_range_without_end(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "a", 1));
    flm_builder_sample(b, INT64_MAX, node, (struct flm_label_set){0},
                       flm_builder_metric(b, "cpu", "ns"), 3);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_profile *q = flm_keep_time(p, 0, INT64_MAX, NULL);
    assert_folded(q, "a 3\n");
    flm_profile_free(p);
    flm_profile_free(q);
}

static void refuse(const struct flm_profile *p, const char *words)
{
    struct flm_error why = {0};
    assert_null(flm_keep_time(p, 0, 100, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_non_null(strstr(why.text, words));
    assert_null(flm_keep_label(p, flm_bytes_of("k"), flm_bytes_of(""), true, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_non_null(strstr(why.text, words));
}

static void a_profile_without_samples_has_no_times_or_labels(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 3\n");
    refuse(p, "no samples of their own");
    flm_profile_free(p);
}

/* Adds to "a" and "d" of the sampled profile what no sample stands for. */
static struct flm_profile *partly_sampled(double to_a, double to_d)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    for (int i = 0; i < 2; i++) {
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, i ? "d" : "a", 1));
        flm_builder_sample(b, i, node, (struct flm_label_set){0}, cpu, 5);
        flm_builder_add(b, node, cpu, i ? to_d : to_a);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static void what_came_without_samples_has_no_known_time_or_label(void **state)
{
    (void)state;
    static const double unknown[][2] = {{1, 0}, {0, -1}, {3, -3}, {-3, 3}, {0.5, 0}};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        struct flm_profile *p = partly_sampled(unknown[i][0], unknown[i][1]);
        refuse(p, "came without samples");
        flm_profile_free(p);
    }
}

static void every_metric_needs_its_samples(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1));
    flm_builder_sample(b, 1, node, (struct flm_label_set){0}, flm_builder_metric(b, "cpu", "ns"),
                       1);
    flm_builder_add(b, node, flm_builder_metric(b, "mem", "bytes"), 1);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    refuse(p, "came without samples");
    flm_profile_free(p);
}

/* Sums of fractions depend on their order; that is no value without a sample. */
static void rounding_is_no_value_without_a_sample(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric seconds = flm_builder_metric(b, "seconds", "s");
    uint64_t random = 4;
    for (int i = 0; i < 10000; i++) {
        char name[16];
        struct flm_node node = flm_builder_child(
            b, flm_builder_root(b),
            flm_builder_function(b, name, (size_t)sprintf(name, "f%u", random_below(&random, 20))));
        flm_builder_sample(b, (int64_t)random_below(&random, 1000), node, (struct flm_label_set){0},
                           seconds, 0.1 * (1 + random_below(&random, 9)));
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_error why = {0};
    struct flm_profile *q = flm_keep_time(p, 0, 500, &why);
    if (!q)
        fail_msg("%s", why.text);
    flm_profile_free(p);
    flm_profile_free(q);
}

static bool run_all(void *context, struct flm_error *why)
{
    const struct flm_profile *p = context;
    static unsigned char marks[16] = {0, 1, 0, 1};
    struct flm_bytes key = flm_bytes_of("thread"), any = flm_bytes_of("");
    struct flm_profile *made[] = {flm_keep(p, marks, true, why), flm_select(p, 0, why),
                                  flm_keep_label(p, key, any, false, why),
                                  flm_keep_time(p, 0, 25, why)};
    bool good = true;
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        good &= made[i] != NULL;
        flm_profile_free(made[i]);
    }
    return good;
}

static void operations_survive_failed_allocations(void **state)
{
    (void)state;
    struct flm_profile *p = sampled();
    assert_true(assert_survives_failures(run_all, p) > 100);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keep_and_drop_agree_with_a_plain_list),
        cmocka_unit_test(one_metric_is_selected_with_its_samples),
        cmocka_unit_test(several_values_of_a_label_are_any_of_them),
        cmocka_unit_test(a_value_with_a_comma_is_found_as_it_is),
        cmocka_unit_test(samples_are_kept_by_label),
        cmocka_unit_test(samples_are_kept_by_time),
        cmocka_unit_test(of_a_wait_the_part_in_the_range_stays),
        cmocka_unit_test(adjacent_ranges_add_up),
        cmocka_unit_test(sums_of_selected_samples_are_rounded_once),
        cmocka_unit_test(the_end_of_time_is_in_a_range_without_end),
        cmocka_unit_test(a_profile_without_samples_has_no_times_or_labels),
        cmocka_unit_test(what_came_without_samples_has_no_known_time_or_label),
        cmocka_unit_test(every_metric_needs_its_samples),
        cmocka_unit_test(rounding_is_no_value_without_a_sample),
        cmocka_unit_test(operations_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
