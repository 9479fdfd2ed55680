#include "layout/flame_chart.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "layout/trees.h"
#include "profile/columns.h"
#include "support/core/failures.h"

static const struct flm_flame_chart_options all = {.metric = {FLM_NONE}, .start_ns = FLM_NO_TIME};

struct event {
    int64_t time;
    const char *stack;
    int64_t lasts;
};

/* A profile with a sample for each; stacks as "main;read", "" the empty one. */
static struct flm_profile *profile_over_time(const struct event *event, size_t count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "count");
    for (size_t i = 0; i < count; i++) {
        struct flm_node node = flm_builder_root(b);
        for (const char *at = event[i].stack; *at;) {
            size_t size = strcspn(at, ";");
            node = tree_child(b, node, at, size);
            at += size + (at[size] == ';');
        }
        flm_builder_sample(b, event[i].time, node, (struct flm_label_set){0}, metric, 1);
        flm_builder_sample_lasts(b, event[i].lasts);
    }
    return flm_builder_finish(b, NULL);
}

/* "name offset+total samples" of every node in preorder, a dot for each level; a gap is "-". */
static const char *described(const struct flm_profile *p, const struct flm_flame_chart *chart)
{
    static char text[4000];
    size_t size = 0;
    struct flm_error why;
    struct flm_layout_options options = {.tree = chart->tree};
    struct flm_layout *layout = flm_layout_new(&options, &why);
    if (!layout || !flm_layout_check(layout, &why))
        fail_msg("%s", why.text);
    text[0] = '\0';
    for (uint32_t i = 1; i < chart->tree.node_count; i++) {
        struct flm_node node = {i};
        struct flm_name name = {"-", 1};
        if (!flm_tree_is_gap(&chart->tree, i))
            name = flm_profile_string(
                p, (struct flm_string){p->frames[chart->tree.frame[i]].function});
        size += (size_t)snprintf(text + size, sizeof text - size, "%.*s%.*s %g+%g %u-%u\n",
                                 (int)flm_layout_level(layout, node) - 1, "........",
                                 (int)name.size, name.at, flm_layout_offset(layout, node),
                                 flm_layout_total(layout, node), chart->first_sample[i],
                                 chart->last_sample[i]);
    }
    flm_layout_free(layout);
    return text;
}

static void assert_chart(const struct event *event, size_t count,
                         const struct flm_flame_chart_options *options, const char *expected)
{
    struct flm_profile *p = profile_over_time(event, count);
    struct flm_flame_chart *chart = flm_flame_chart_new(p, options, NULL);
    assert_non_null(chart);
    assert_string_equal(described(p, chart), expected);
    flm_flame_chart_free(chart);
    flm_profile_free(p);
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void neighbors_share_the_frames_they_have_in_common(void **state)
{
    (void)state;
    static const struct event events[] = {{100, "main;read"},  {110, "main;read;copy"},
                                          {120, "main;read"},  {130, "main;write"},
                                          {140, "main;write"}, {150, "idle"}};
    assert_chart(events, COUNT(events), &all,
                 "main 0+50 0-4\n"
                 ".read 0+30 0-2\n"
                 "..- 0+10 0-0\n"
                 "..copy 10+10 1-1\n"
                 ".write 30+20 3-4\n"
                 "idle 50+10 5-5\n");
}

static void unobserved_time_is_a_gap(void **state)
{
    (void)state;
    static const struct event events[] = {{0, "a;b"}, {10, "a;b"}, {20, "a;b"}, {90, "a;b"},
                                          {100, "a"}, {200, "a"},  {210, "b"}};
    assert_chart(events, COUNT(events), &all,
                 "a 0+35 0-2\n"
                 ".b 0+35 0-2\n"
                 "- 35+55 2-2\n"
                 "a 90+25 3-4\n"
                 ".b 90+10 3-3\n"
                 "- 115+85 4-4\n"
                 "a 200+10 5-5\n"
                 "b 210+10 6-6\n");
}

static void what_lasts_is_as_wide_as_it_lasts(void **state)
{
    (void)state;
    /* Moments 10 ns apart; a wait of 300 ns, then nothing known; one that the next sample ends. */
    static const struct event events[] = {
        {100, "main;run", 0}, {110, "main;run", 0},   {120, "main;run", 0}, {125, "main;wait", 300},
        {500, "main;run", 0}, {510, "main;wait", 80}, {530, "main;run", 0}, {540, "main;wait", 70}};
    assert_chart(events, COUNT(events), &all,
                 "main 0+325 0-3\n"
                 ".run 0+25 0-2\n"
                 ".wait 25+300 3-3\n"
                 "- 325+75 3-3\n"
                 "main 400+110 4-7\n"
                 ".run 400+10 4-4\n"
                 ".wait 410+20 5-5\n"
                 ".run 430+10 6-6\n"
                 ".wait 440+70 7-7\n");
}

/* A thread that is looked at just before it waits: it ran since it last waited, but what it did in
 * more than the time that a moment usually stands for is not known. */
static void a_moment_before_a_wait_stands_for_the_time_before_it(void **state)
{
    (void)state;
    static const struct event often[] = {{0, "a", 10},    {19, "a;b", 0},  {20, "a", 20},
                                         {90, "a;c", 0},  {92, "a", 8},    {100, "a;b", 0},
                                         {110, "a;b", 0}, {120, "a;b", 0}, {130, "a;b", 0}};
    assert_chart(often, COUNT(often), &all,
                 "a 0+40 0-2\n" /* nine of ten ns before it, which is the usual time */
                 ".- 0+10 0-0\n"
                 ".b 10+10 1-1\n"
                 "- 40+42 2-2\n"
                 "a 82+58 3-8\n"
                 ".c 82+10 3-3\n"
                 ".- 92+8 4-4\n"
                 ".b 100+40 5-8\n");
}

/* With a metric of time, its value. */
static void a_moment_before_a_wait_stands_for_its_value(void **state)
{
    (void)state;
    for (unsigned ns = 1; ns < 100; ns += 9) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
        struct flm_node node = tree_child(b, flm_builder_root(b), "a", 1);
        flm_builder_sample(b, 0, node, (struct flm_label_set){0}, cpu, 10);
        flm_builder_sample_lasts(b, 10);
        flm_builder_sample(b, 60, tree_child(b, node, "b", 1), (struct flm_label_set){0}, cpu, ns);
        flm_builder_sample(b, 61, node, (struct flm_label_set){0}, cpu, 5);
        flm_builder_sample_lasts(b, 5);
        struct flm_profile *p = flm_builder_finish(b, NULL);
        struct flm_flame_chart *chart = flm_flame_chart_new(p, &all, NULL);
        double width = 0;
        for (uint32_t i = 0; i < chart->tree.node_count; i++)
            if (!flm_tree_is_gap(&chart->tree, i) && chart->source[i] == 2) /* a;b */
                width += chart->tree.width[i];
        assert_true(fabs(width - (ns < 51 ? ns : 51)) < 1e-9); /* no more than is free */
        flm_flame_chart_free(chart);
        flm_profile_free(p);
    }
}

static void charts_have_a_common_start(void **state)
{
    (void)state;
    static const struct event events[] = {{50, "a"}, {60, "b"}, {70, "c"}, {80, "d"}};
    struct flm_flame_chart_options options = all;
    options.start_ns = 20;
    assert_chart(events, COUNT(events), &options,
                 "- 0+30 4294967295-4294967295\n"
                 "a 30+10 0-0\n"
                 "b 40+10 1-1\n"
                 "c 50+10 2-2\n"
                 "d 60+10 3-3\n");
    static const uint32_t some[] = {1, 3};
    options.sample = some;
    options.sample_count = 2;
    assert_chart(events, COUNT(events), &options,
                 "- 0+40 4294967295-4294967295\n"
                 "b 40+20 1-1\n"
                 "d 60+20 3-3\n");
    options.sample = NULL;
    options.start_ns = 65;
    struct flm_profile *p = profile_over_time(events, COUNT(events));
    struct flm_flame_chart *chart = flm_flame_chart_new(p, &options, NULL);
    assert_int_equal(chart->early_count, 2);
    assert_int_equal(chart->sample_count, 2);
    assert_true(chart->start_ns == 65);
    flm_flame_chart_free(chart);
    flm_profile_free(p);
}

static void samples_of_one_moment_divide_their_time(void **state)
{
    (void)state;
    static const struct event events[] = {{0, "a"},  {10, "b"}, {10, "c"},
                                          {20, "a"}, {50, "a"}, {60, "a"}};
    assert_chart(events, COUNT(events), &all,
                 "a 0+10 0-0\n"
                 "b 10+5 1-1\n"
                 "c 15+5 2-2\n"
                 "a 20+15 3-3\n"
                 "- 35+15 3-3\n"
                 "a 50+20 4-5\n");
    static const struct event at_once[] = {{5, "a"}, {5, "b"}};
    struct flm_flame_chart_options options = all;
    options.alone_ns = 8;
    assert_chart(at_once, 2, &options, "a 0+4 0-0\nb 4+4 1-1\n");
    assert_chart(at_once, 1, &all, "a 0+1 0-0\n");
}

static void an_empty_stack_is_a_gap(void **state)
{
    (void)state;
    static const struct event events[] = {{0, ""}, {10, "a"}, {20, ""}, {30, "a"}};
    assert_chart(events, COUNT(events), &all,
                 "- 0+10 0-0\n"
                 "a 10+10 1-1\n"
                 "- 20+10 2-2\n"
                 "a 30+10 3-3\n");
}

static void samples_without_a_time_are_left_out_and_counted(void **state)
{
    (void)state;
    static const struct event events[] = {{FLM_NO_TIME, "a"}, {FLM_NO_TIME, "b"}, {7, "c"}};
    struct flm_profile *p = profile_over_time(events, COUNT(events));
    struct flm_flame_chart *chart = flm_flame_chart_new(p, &all, NULL);
    assert_string_equal(described(p, chart), "c 0+1 2-2\n");
    assert_int_equal(chart->untimed_count, 2);
    assert_int_equal(chart->sample_count, 1);
    flm_flame_chart_free(chart);
    flm_profile_free(p);

    p = tree_of("a;b 1\n");
    chart = flm_flame_chart_new(p, &all, NULL);
    assert_string_equal(described(p, chart), "");
    assert_int_equal(chart->tree.node_count, 1);
    assert_int_equal(chart->tree.end[0], 1);
    flm_flame_chart_free(chart);
    flm_profile_free(p);
}

static void only_samples_with_a_value_in_the_metric_count(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metrics[] = {flm_builder_metric(b, "cpu", "ns"),
                                   flm_builder_metric(b, "waiting", "ns")};
    for (int i = 0; i < 6; i++)
        flm_builder_sample(b, i * 10, tree_child(b, flm_builder_root(b), &"abcdef"[i], 1),
                           (struct flm_label_set){0}, metrics[i % 2], 3);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_flame_chart_options options = all;
    options.metric.index = 1;
    struct flm_flame_chart *chart = flm_flame_chart_new(p, &options, NULL);
    assert_string_equal(described(p, chart), "b 0+20 1-1\nd 20+20 3-3\nf 40+3 5-5\n"); /* 3 ns */
    flm_flame_chart_free(chart);
    flm_profile_free(p);
}

/* Everything that is promised, on random samples. */
static void a_chart_shows_every_sample_where_it_was(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (unsigned round = 0; round < 200; round++) {
        struct event events[120];
        static const char *const stacks[] = {"", "a", "a;b", "a;b;c", "a;c", "b", "b;a;b;a;b"};
        unsigned count = random_below(&seed, 120);
        int64_t time = INT64_MIN / 2 + random_below(&seed, 1000);
        for (unsigned i = 0; i < count; i++) {
            time += random_below(&seed, 20) == 0 ? random_below(&seed, 500)
                                                 : 2 * random_below(&seed, 10);
            events[i] = (struct event){time, stacks[random_below(&seed, COUNT(stacks))]};
        }
        struct flm_profile *p = profile_over_time(events, count);
        uint32_t *parent = malloc(p->sizes.node_count * sizeof *parent);
        flm_profile_parents(p, parent);
        struct flm_flame_chart_options options = all;
        options.start_ns = count ? events[0].time - random_below(&seed, 100) : 0;
        options.parent = random_below(&seed, 2) ? parent : NULL;
        struct flm_flame_chart *chart = flm_flame_chart_new(p, &options, NULL);
        described(p, chart); /* checks the layout */
        assert_int_equal(chart->sample_count, count);
        struct flm_layout_options layout_options = {.tree = chart->tree};
        struct flm_layout *layout = flm_layout_new(&layout_options, NULL);
        for (uint32_t i = 1; i < chart->tree.node_count; i++) {
            uint32_t above = flm_layout_parent(layout, (struct flm_node){i}).index;
            if (flm_tree_is_gap(&chart->tree, i)) {
                assert_int_equal(chart->tree.end[i], i + 1);
                assert_int_equal(chart->source[i], chart->source[above]);
                continue;
            }
            assert_int_equal(chart->tree.frame[i], p->node_frame[chart->source[i]]);
            assert_int_equal(parent[chart->source[i]], chart->source[above]);
            double begin = flm_layout_offset(layout, (struct flm_node){i});
            double end = begin + flm_layout_total(layout, (struct flm_node){i});
            /* All samples from the first to the last are in it, and begin and end in it. */
            for (uint32_t s = chart->first_sample[i]; s <= chart->last_sample[i]; s++) {
                uint32_t node = p->sample_node[s];
                double at = (double)(p->sample_time[s] - options.start_ns);
                assert_true(node >= chart->source[i] && node < p->node_end[chart->source[i]]);
                assert_true(at <= end);
            }
            int64_t first = p->sample_time[chart->first_sample[i]];
            if (chart->first_sample[i] == 0 || p->sample_time[chart->first_sample[i] - 1] != first)
                assert_true(fabs(begin - (double)(first - options.start_ns)) < 1e-6);
        }
        /* And all of the time is there. */
        if (count > 0) {
            double last = (double)(events[count - 1].time - options.start_ns);
            double stands_for = chart->median_ns > 0 ? chart->median_ns : 1;
            assert_true(fabs(flm_layout_total(layout, (struct flm_node){0}) - (last + stands_for)) <
                        1e-6);
        }
        flm_layout_free(layout);
        flm_flame_chart_free(chart);
        free(parent);
        flm_profile_free(p);
    }
}

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void the_median_is_the_one_in_the_middle(void **state)
{
    (void)state;
    uint64_t seed = 22;
    for (unsigned round = 0; round < 200; round++) {
        struct event events[60];
        uint64_t between[60];
        unsigned count = 1 + random_below(&seed, 60), positive = 0;
        int64_t time = INT64_MIN + 1;
        for (unsigned i = 0; i < count; i++) {
            uint64_t step = (uint64_t)random_below(&seed, 1000) << random_below(&seed, 46);
            step = random_below(&seed, 4) ? step : 0;
            time += (int64_t)step;
            events[i] = (struct event){time, "a"};
            if (i > 0 && step > 0)
                between[positive++] = step;
        }
        qsort(between, positive, sizeof between[0], by_size);
        struct flm_profile *p = profile_over_time(events, count);
        struct flm_flame_chart *chart = flm_flame_chart_new(p, &all, NULL);
        assert_true(chart->median_ns == (positive ? (double)between[(positive - 1) / 2] : 0));
        flm_flame_chart_free(chart);
        flm_profile_free(p);
    }
}

static bool make_chart(void *context, struct flm_error *why)
{
    struct flm_flame_chart *chart = flm_flame_chart_new(context, &all, why);
    flm_flame_chart_free(chart);
    return chart != NULL;
}

static void a_chart_is_made_or_memory_ran_out(void **state)
{
    (void)state;
    static const struct event events[] = {{0, "a;b;c;d"}, {10, "a;b"}, {20, "a;c"}};
    struct flm_profile *p = profile_over_time(events, COUNT(events));
    assert_true(assert_survives_failures(make_chart, p) >= 5);
    flm_profile_free(p);
}

/* The time before and after copy is read's own; unobserved time belongs to no frame. */
static void a_search_finds_the_time_of_a_stack_itself(void **state)
{
    (void)state;
    static const struct event events[] = {{100, "read"}, {110, "read;copy"}, {120, "read"},
                                          {130, "read"}, {140, "read"},      {300, "read"}};
    struct flm_profile *p = profile_over_time(events, COUNT(events));
    struct flm_flame_chart *chart = flm_flame_chart_new(p, &all, NULL);
    struct flm_layout_options options = {.tree = chart->tree};
    struct flm_layout *layout = flm_layout_new(&options, NULL);
    struct flm_node read = {1};
    while (chart->tree.frame[read.index] == 0)
        read.index++;
    unsigned char matching[3] = {0};
    matching[chart->tree.frame[read.index]] = 1;
    struct flm_layout_match match = flm_layout_match(layout, matching, (struct flm_node){0});
    assert_true(match.total == 65);
    assert_true(match.self == 55);
    assert_int_equal(match.node_count, 2);
    match = flm_layout_match(layout, matching, read);
    assert_true(match.self == 45);
    flm_layout_free(layout);
    flm_flame_chart_free(chart);
    flm_profile_free(p);
}

/* A thread with samples at 0 s and 7 s of 7.001 s does not last until 14 s. */
static void the_last_sample_of_a_thread_ends_with_the_profile(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric samples = flm_builder_metric(b, "samples", "samples");
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1));
    static const int64_t times[] = {0, 7000, 7001};
    for (size_t i = 0; i < 3; i++)
        flm_builder_sample(b, times[i], node, (struct flm_label_set){0}, samples, 1);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    static const uint32_t sparse[] = {0, 1}, last[] = {1, 2};
    assert_true(flm_flame_chart_last_ns(p, (struct flm_metric){FLM_NONE}, sparse, 2) == 1);
    assert_true(flm_flame_chart_last_ns(p, (struct flm_metric){FLM_NONE}, last, 2) == 1);
    static const uint32_t ends[] = {0, 2};
    assert_true(flm_flame_chart_last_ns(p, (struct flm_metric){FLM_NONE}, ends, 2) == 7001);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbors_share_the_frames_they_have_in_common),
        cmocka_unit_test(unobserved_time_is_a_gap),
        cmocka_unit_test(what_lasts_is_as_wide_as_it_lasts),
        cmocka_unit_test(a_moment_before_a_wait_stands_for_the_time_before_it),
        cmocka_unit_test(a_moment_before_a_wait_stands_for_its_value),
        cmocka_unit_test(charts_have_a_common_start),
        cmocka_unit_test(samples_of_one_moment_divide_their_time),
        cmocka_unit_test(an_empty_stack_is_a_gap),
        cmocka_unit_test(a_search_finds_the_time_of_a_stack_itself),
        cmocka_unit_test(samples_without_a_time_are_left_out_and_counted),
        cmocka_unit_test(only_samples_with_a_value_in_the_metric_count),
        cmocka_unit_test(a_chart_shows_every_sample_where_it_was),
        cmocka_unit_test(the_median_is_the_one_in_the_middle),
        cmocka_unit_test(the_last_sample_of_a_thread_ends_with_the_profile),
        cmocka_unit_test(a_chart_is_made_or_memory_ran_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
