#include "profile/columns.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "profile/flm_file.h"
#include "profile/recursion.h"
#include "support/core/allocation.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static struct flm_string word(struct flm_builder *b, const char *text)
{
    return flm_builder_string(b, text, strlen(text));
}

/* Two of everything: frames 1 "main", 2 "read", 3 "write"; nodes 0, 1 main, 2 main;read,
 * 3 main;write, 4 read; label sets {}, {k=a}, {k=a, l=b}; samples at 1 and 2 ns, the second of 4
 * ns; markers at 1 and 3 ns, of set 0 and of set 2; counters of 2 points and of 1. */
static struct flm_profile *small(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_metric bytes = flm_builder_metric(b, "mem", "bytes");
    struct flm_frame main_frame = flm_builder_function(b, "main", 4);
    struct flm_frame read = flm_builder_function(b, "read", 4);
    struct flm_frame write = flm_builder_function(b, "write", 5);
    struct flm_string labels[4] = {word(b, "k"), word(b, "a"), word(b, "l"), word(b, "b")};
    struct flm_node node = flm_builder_child(b, flm_builder_root(b), main_frame);
    flm_builder_sample(b, 2, flm_builder_child(b, node, write), flm_builder_label_set(b, labels, 1),
                       cpu, 5);
    flm_builder_sample_lasts(b, 4);
    flm_builder_sample(b, 1, flm_builder_child(b, node, read), flm_builder_label_set(b, labels, 2),
                       cpu, 7);
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), read), bytes, 3);
    flm_builder_marker(b, 3, 2, word(b, "exec"), word(b, "app"),
                       flm_builder_label_set(b, labels, 2));
    flm_builder_marker(b, 1, 0, word(b, "fork"), (struct flm_string){0}, (struct flm_label_set){0});
    struct flm_counter counter = flm_builder_counter(b, word(b, "mem"), word(b, "bytes"),
                                                     flm_builder_label_set(b, labels, 1));
    flm_builder_counter_point(b, counter, 2, 10);
    flm_builder_counter_point(b, counter, 4, 20);
    counter = flm_builder_counter(b, word(b, "mem"), word(b, "bytes"), (struct flm_label_set){0});
    flm_builder_counter_point(b, counter, 1, 30);
    flm_builder_note(b, "command", "app", 3);
    flm_builder_note(b, "host", "x", 1);
    flm_builder_lost(b, "events", "line", 1, 1);
    flm_builder_lost(b, "lines", "line", 2, 2);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    assert_sound(p);
    return p;
}

enum { METRICS = 2 };

static struct flm_profile *p; /* a small one, anew for each promise */

/* Checks that the promise is seen to be broken, in these words, and begins anew. */
static void is_broken(const char *words)
{
    struct flm_error why = {0};
    if (flm_profile_check(p, &why))
        fail_msg("it should say '%s' and says nothing", words);
    if (!strstr(why.text, words) || why.kind != FLM_ERROR_FORMAT)
        fail_msg("it says '%s', not '%s'", why.text, words);
    assert_false(flm_profile_check(p, NULL));
    p->sizes.metric_count = METRICS; /* flm_profile_free frees the values of each */
    flm_profile_free(p);
    p = small();
}

static int set_up(void **state)
{
    (void)state;
    p = small();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    flm_profile_free(p);
    return 0;
}

static void strings_are_distinct_and_in_order(void **state)
{
    (void)state;
    p->string_ends[0] = 1;
    is_broken("string 0 is not the empty one");
    p->sizes.string_count = 0;
    is_broken("string 0 is not the empty one");
    p->string_ends[3] = p->string_ends[2] - 1;
    is_broken("string 3 does not lie within");
    p->string_ends[3] = UINT32_MAX;
    is_broken("string 3 does not lie within");
    p->string_ends[p->sizes.string_count - 1] -= 1;
    is_broken("bytes after the last string");
    p->string_bytes[0] = 'z';
    is_broken("string 2 is not after the one before it");
    p->string_ends[1] = 0;
    is_broken("string 1 is not after the one before it");
}

static void frames_are_distinct_in_order_and_known(void **state)
{
    (void)state;
    p->frames[0].flags = 0;
    is_broken("frame 0 is not the root's");
    p->frames[0].line = 1;
    is_broken("frame 0 is not the root's");
    p->sizes.frame_count = 0;
    is_broken("frame 0 is not the root's");
    p->frames[1].function = p->sizes.string_count;
    is_broken("frame 1 names a string");
    p->frames[2].module = UINT32_MAX;
    is_broken("frame 2 names a string");
    p->frames[3].file = p->sizes.string_count;
    is_broken("frame 3 names a string");
    p->frames[1].kind = FLM_KIND_COUNT;
    is_broken("frame 1 has a kind that is none");
    p->frames[2].flags = FLM_FRAME_ROOT;
    is_broken("frame 2 is marked as the root's");
    p->frames[2] = p->frames[1];
    is_broken("frame 2 is not after the one before it");
    p->frames[2] = p->frames[1];
    p->frames[2].flags |= FLM_FRAME_COLD; /* which makes it no other frame */
    is_broken("frame 2 is not after the one before it");
    p->frames[1].function = p->frames[2].function;
    p->frames[1].address = 1;
    is_broken("frame 2 is not after the one before it");
}

static void metrics_have_names_of_their_own(void **state)
{
    (void)state;
    p->metrics[1].name = p->metrics[0].name;
    is_broken("metric 1 has the name of another");
    p->metrics[1].name = p->sizes.string_count;
    is_broken("metric 1 names a string");
    p->metrics[0].unit = p->sizes.string_count;
    is_broken("metric 0 names a string");
    p->sizes.metric_count = FLM_MOST_METRICS + 1;
    is_broken("metric 4096 is one more than a profile may have");
}

static void nodes_are_nested_and_siblings_in_order(void **state)
{
    (void)state;
    p->node_frame[0] = 1;
    is_broken("node 0 is not a root");
    p->node_end[0] = 4;
    is_broken("node 0 is not a root");
    p->sizes.node_count = 0;
    is_broken("node 0 is not a root");
    p->node_end[1] = 6;
    is_broken("node 1 does not end within its parent");
    p->node_end[2] = 2;
    is_broken("node 2 does not end within its parent");
    p->node_end[3] = 5;
    is_broken("node 3 does not end within its parent");
    p->node_end[2] = UINT32_MAX;
    is_broken("node 2 does not end within its parent");
    p->node_frame[4] = 4;
    is_broken("node 4 names a frame");
    p->node_frame[3] = p->node_frame[2];
    is_broken("node 3 is not after its sibling");
    p->node_frame[4] = 1;
    is_broken("node 4 is not after its sibling");
    p->node_frame[2] = 0;
    is_broken("node 2 is not after its sibling"); /* the root's frame is the root's alone */
}

static void values_are_finite(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        flm_self_column(p, 1)[i] = INFINITY;
        is_broken("metric 1 has a value that is not a finite number");
    }
    flm_self_column(p, 0)[2] = NAN;
    is_broken("metric 0 has a value");
    /* Of samples: as doubles of the file, and compact. */
    assert_non_null(flm_profile_seal(p).at);
    flm_sample_column(p, 1)[1] = -INFINITY;
    is_broken("metric 1 has a value");
    double infinite[] = {-INFINITY};
    struct flm_sample_values kept = p->values[0];
    p->values[0] = (struct flm_sample_values){.any = infinite, .count = 1};
    struct flm_error why = {0};
    assert_false(flm_profile_check(p, &why));
    assert_string_equal(why.text, "metric 0 has a value that is not a finite number");
    p->values[0] = kept;
}

static void notes_and_losses_are_in_order_and_counted(void **state)
{
    (void)state;
    p->notes[1].key = p->notes[0].key;
    is_broken("note 1 is not after");
    p->notes[1].value = p->sizes.string_count;
    is_broken("note 1 names a string");
    p->notes[0].key = p->sizes.string_count;
    is_broken("note 0 names a string");
    p->losses[1].what = p->losses[0].what;
    is_broken("loss 1 is not after");
    p->losses[1].what = p->sizes.string_count;
    is_broken("loss 1 names a string");
    p->losses[0].where = p->sizes.string_count;
    is_broken("loss 0 names a string");
    p->losses[0].count = -1;
    is_broken("loss 0 is not a count");
    p->losses[0].count = NAN;
    is_broken("loss 0 is not a count");
    p->losses[0].count = INFINITY;
    is_broken("loss 0 is not a count");
}

static void a_count_of_nothing_is_a_count(void **state)
{
    (void)state;
    p->losses[0].count = 0;
    assert_true(flm_profile_check(p, NULL));
}

static void labels_and_their_sets_are_in_order(void **state)
{
    (void)state;
    p->labels[1] = p->labels[0];
    is_broken("label 1 is not after");
    p->labels[1].key = p->labels[0].key - 1;
    is_broken("label 1 is not after");
    p->labels[1].value = p->sizes.string_count;
    is_broken("label 1 names a string");
    p->labels[0].key = p->sizes.string_count;
    is_broken("label 0 names a string");
    p->label_set_ends[0] = 1;
    is_broken("label set 0 does not lie");
    p->label_set_ends[2] = 4;
    is_broken("label set 2 does not lie");
    p->label_set_ends[2] = 0;
    is_broken("label set 2 does not lie");
    p->label_set_ends[2] = 2;
    is_broken("members after the last label set");
    p->set_members[1] = p->sizes.label_count;
    is_broken("label set 2 has members out of order");
    p->set_members[1] = p->set_members[2];
    is_broken("label set 2 has members out of order");
}

static void samples_are_in_the_order_of_time_and_have_a_stack_and_labels(void **state)
{
    (void)state;
    p->sample_node[0] = p->sizes.node_count;
    is_broken("sample 0 names a node");
    p->sample_labels[1] = p->sizes.label_set_count;
    is_broken("sample 1 names a label set");
    p->sample_time[0] = 3;
    is_broken("sample 1 is earlier");
    p->sample_duration[1] = -1;
    is_broken("sample 1 has a duration");
    p->sample_time[1] = INT64_MAX - 3;
    is_broken("sample 1 has a duration");
    p->sample_time[0] = p->sample_time[1] = FLM_NO_TIME;
    is_broken("sample 1 has a duration");
    p->sizes.label_count = p->sizes.label_set_count = p->sizes.set_member_count = 0;
    is_broken("samples but no label set");
}

static void markers_are_in_the_order_of_time(void **state)
{
    (void)state;
    p->markers[1].name = p->sizes.string_count;
    is_broken("marker 1 names a string");
    p->markers[0].detail = p->sizes.string_count;
    is_broken("marker 0 names a string");
    p->markers[1].label_set = p->sizes.label_set_count;
    is_broken("marker 1 names a label set");
    p->markers[0].time_ns = FLM_NO_TIME;
    is_broken("marker 0 has no time");
    p->markers[0].time_ns = 4;
    is_broken("marker 1 is earlier");
    p->markers[1].duration_ns = -1;
    is_broken("marker 1 has a duration");
    p->markers[1].time_ns = INT64_MAX - 1;
    is_broken("marker 1 has a duration");
    p->sizes.sample_count = p->sizes.duration_count = 0;
    p->sizes.label_count = p->sizes.label_set_count = p->sizes.set_member_count = 0;
    is_broken("marker 0 names a label set");
}

static void counters_differ_and_their_points_ascend(void **state)
{
    (void)state;
    p->counters[1].name = p->sizes.string_count;
    is_broken("counter 1 names a string");
    p->counters[0].unit = p->sizes.string_count;
    is_broken("counter 0 names a string");
    p->counters[1].label_set = p->sizes.label_set_count;
    is_broken("counter 1 names a label set");
    p->counters[1].label_set = p->counters[0].label_set;
    is_broken("counter 1 is not after");
    p->counters[0].end = 0;
    is_broken("counter 0 does not have its points");
    p->counters[0].end = p->counters[1].end;
    is_broken("counter 1 does not have its points");
    p->counters[1].end = 4;
    is_broken("counter 1 does not have its points");
    p->counters[1].end = 2;
    is_broken("points after the last counter");
    p->point_time[2] = p->point_time[1];
    is_broken("point 2 is not later");
    p->point_time[0] = FLM_NO_TIME;
    is_broken("point 0 has no time");
    p->point_value[2] = INFINITY;
    is_broken("a counter has a value that is not a finite number");
}

static void recursion_is_of_nodes_in_order_and_of_several_frames(void **state)
{
    (void)state;
    static const struct flm_recursion_record wrong[][2] = {
        {{0, 1, 2}, {2, 1, 2}}, {{1, 1, 2}, {5, 1, 2}}, {{2, 1, 2}, {2, 1, 2}},
        {{2, 1, 2}, {1, 1, 2}}, {{1, 1, 1}, {2, 1, 2}}, {{1, 0, 2}, {2, 1, 2}},
        {{1, 3, 2}, {2, 1, 2}},
    };
    const struct flm_depths depths[] = {{0, 0}, {1, 2}, {2, 2}};
    flm_profile_free(p);
    p = small();
    assert_true(flm_recursion_set(p, depths, 3, NULL, NULL));
    assert_true(flm_profile_check(p, NULL));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memcpy(p->recursions, wrong[i], sizeof wrong[i]);
        struct flm_error why = {0};
        assert_false(flm_profile_check(p, &why));
        assert_non_null(strstr(why.text, "recursion"));
    }
}

static void every_profile_that_is_built_keeps_its_promises(void **state)
{
    (void)state;
    uint64_t random = 3;
    struct random_shape shape = random_full;
    for (int round = 0; round < 100; round++) {
        struct flm_error why = {0};
        shape.stacks = random_below(&random, 100);
        struct flm_profile *q = random_profile(&random, &shape);
        if (!flm_profile_check(q, &why))
            fail_msg("%s", why.text);
        flm_profile_free(q);
    }
}

/* Any one number changed: it is refused, or it is still a profile that every pass can walk. */
static void a_profile_that_passes_can_be_walked(void **state)
{
    (void)state;
    uint64_t random = 12;
    unsigned refused = 0;
    for (int round = 0; round < 20000; round++) {
        struct flm_profile *q = round % 500 ? NULL : small();
        if (q) {
            flm_profile_free(p);
            p = q;
        }
        uint32_t *columns[] = {p->string_ends,    p->node_frame,         p->node_end,
                               p->label_set_ends, p->set_members,        p->sample_node,
                               p->sample_labels,  &p->frames[0].function};
        uint32_t counts[] = {p->sizes.string_count,     p->sizes.node_count,
                             p->sizes.node_count,       p->sizes.label_set_count,
                             p->sizes.set_member_count, p->sizes.sample_count,
                             p->sizes.sample_count,     p->sizes.frame_count * 8};
        unsigned chosen = random_below(&random, 8);
        uint32_t *number = &columns[chosen][random_below(&random, counts[chosen])], old = *number;
        *number =
            random_below(&random, 3) ? random_below(&random, 8) : (uint32_t)random_next(&random);
        if (flm_profile_check(p, NULL)) {
            uint32_t depth[8];
            double total[8];
            assert_true(p->sizes.node_count <= 8);
            flm_profile_depths(p, depth);
            flm_profile_parents(p, depth);
            flm_profile_totals(p, (struct flm_metric){0}, total);
            free(described(p));
        } else {
            refused++;
        }
        *number = old;
    }
    assert_true(refused > 1000);
}

static void a_check_without_memory_says_so(void **state)
{
    (void)state;
    struct flm_error why = {0};
    allocation_fail_from(1);
    assert_false(flm_profile_check(p, &why));
    allocation_fail_from(0);
    assert_int_equal(why.kind, FLM_ERROR_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_are_distinct_and_in_order),
        cmocka_unit_test(frames_are_distinct_in_order_and_known),
        cmocka_unit_test(metrics_have_names_of_their_own),
        cmocka_unit_test(nodes_are_nested_and_siblings_in_order),
        cmocka_unit_test(values_are_finite),
        cmocka_unit_test(notes_and_losses_are_in_order_and_counted),
        cmocka_unit_test(a_count_of_nothing_is_a_count),
        cmocka_unit_test(labels_and_their_sets_are_in_order),
        cmocka_unit_test(samples_are_in_the_order_of_time_and_have_a_stack_and_labels),
        cmocka_unit_test(markers_are_in_the_order_of_time),
        cmocka_unit_test(counters_differ_and_their_points_ascend),
        cmocka_unit_test(recursion_is_of_nodes_in_order_and_of_several_frames),
        cmocka_unit_test(every_profile_that_is_built_keeps_its_promises),
        cmocka_unit_test(a_profile_that_passes_can_be_walked),
        cmocka_unit_test(a_check_without_memory_says_so),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
