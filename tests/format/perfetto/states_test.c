/* states_test.c - threads on CPUs and off them, and stages of GPUs, in traces of Perfetto. */
#include "format/perfetto/wire_text.h"
#include "layout/thread_states.h"
#include "profile/label_range.h"
#include "profile/sample_span.h"
#include "support/core/failures.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

static const struct flm_read_options keeping = {.keep_times = true};

static struct flm_profile *read_trace(const char *text, const struct flm_read_options *options)
{
    struct flm_text out = {0};
    wire_of_text(text, &out);
    struct flm_profile *p =
        read_bytes(&flm_format_perfetto, (struct flm_bytes){out.at, out.size}, options);
    flm_text_clear(&out);
    assert_sound(p);
    return p;
}

static struct flm_bytes label_of(const struct flm_profile *p, uint32_t sample,
                                 struct flm_label_range range)
{
    uint32_t set = p->sample_labels[sample];
    return flm_label_in(p, set, range) == FLM_NONE
               ? flm_bytes_of("-")
               : flm_string_bytes(p, flm_label_value_in(p, set, range));
}

/* The samples of all threads in the order of time, as lines: "thread from+duration state stack". */
static void assert_samples(const struct flm_profile *p, const char *expected)
{
    struct flm_label_range thread = flm_label_range_of(p, "thread");
    struct flm_label_range state = flm_label_range_of(p, "state");
    char text[2000] = "";
    uint32_t parent[100];
    assert_true(p->sizes.node_count < 100);
    flm_profile_parents(p, parent);
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        size_t used = strlen(text);
        struct flm_bytes of_thread = label_of(p, i, thread), of_state = label_of(p, i, state);
        snprintf(text + used, sizeof text - used, "%.*s %lld+%lld %.*s", (int)of_thread.size,
                 of_thread.at, (long long)p->sample_time[i], (long long)flm_sample_duration(p, i),
                 (int)of_state.size, of_state.at);
        uint32_t path[20], depth = 0;
        for (uint32_t node = p->sample_node[i]; node != 0; node = parent[node])
            path[depth++] = node;
        while (depth > 0) {
            used = strlen(text);
            struct flm_bytes name =
                flm_string_bytes(p, p->frames[p->node_frame[path[--depth]]].function);
            snprintf(text + used, sizeof text - used, " %.*s", (int)name.size, name.at);
        }
        strcat(text, "\n");
    }
    assert_string_equal(text, expected);
}

static double total(const struct flm_profile *p, const char *name)
{
    struct flm_metric metric = flm_profile_metric_named(p, name);
    assert_true(metric.index != FLM_NONE);
    double sum = 0;
    for (uint32_t i = 0; i < p->sizes.node_count; i++)
        sum += flm_self_column(p, metric.index)[i];
    return sum;
}

/* Thread 43 draws from 100 to 200: it sleeps from 120 on, is woken at 150, and comes back at 160;
 * at 180 it is preempted by 44, which is blocked at 190. */
#define SWITCHED                                                                                   \
    "1{10:1 1{1:0 2{1:90 2:0 4{1'swapper' 2:0 4:0 5'ui' 6:43}}"                                    \
    "2{1:100 2:43 3{2'B|42|draw'}}"                                                                \
    "2{1:120 2:43 4{1'ui' 2:43 4:1 5'swapper' 6:0}}"                                               \
    "2{1:150 2:7 20{1'ui' 2:43}} 2{1:151 2:7 17{1'ui' 2:43}}"                                      \
    "2{1:160 2:0 4{1'swapper' 2:0 4:0 5'ui' 6:43}}"                                                \
    "2{1:180 2:43 4{1'ui' 2:43 4:256 5'worker' 6:44}}"                                             \
    "2{1:190 2:44 4{1'worker' 2:44 4:2 5'ui' 6:43}}"                                               \
    "2{1:200 2:43 3{2'E|42'}}"                                                                     \
    "2{1:210 2:43 4{1'ui' 2:43 4:1 5'swapper' 6:0}}"                                               \
    "2{1:230 2:0 4{1'swapper' 2:0 4:0 5'worker' 6:44}}"                                            \
    "2{1:240 2:44 4{1'worker' 2:44 4:16 5'swapper' 6:0}}}}"

static void calls_are_cut_where_the_state_changes(void **state)
{
    (void)state;
    struct flm_profile *p = read_trace(SWITCHED, &keeping);
    assert_samples(p, "43 90+10 - [on-CPU: unknown stack]\n"
                      "43 100+20 - draw\n"
                      "43 120+30 sleeping draw\n"
                      "43 150+10 runnable draw\n"
                      "43 160+20 - draw\n"
                      "44 180+10 - [on-CPU: unknown stack]\n"
                      "43 180+10 runnable draw\n"
                      "44 190+40 blocked [off-CPU: unknown stack]\n"
                      "43 190+10 - draw\n"
                      "43 200+10 - [on-CPU: unknown stack]\n"
                      "43 210+30 sleeping [off-CPU: unknown stack]\n"
                      "44 230+10 - [on-CPU: unknown stack]\n");
    assert_true(total(p, "time") == 100);
    assert_true(total(p, "on-cpu") == 90);
    assert_true(total(p, "off-cpu") == 120);
    assert_int_equal(p->sizes.loss_count, 0);
    struct flm_thread_states states;
    assert_true(flm_thread_states_init(&states, p, NULL));
    assert_int_equal(states.seen, 1 << FLM_THREAD_ON_CPU | 1 << FLM_THREAD_RUNNABLE |
                                      1 << FLM_THREAD_BLOCKED | 1 << FLM_THREAD_SLEEPING);
    flm_thread_states_clear(&states);
    flm_profile_free(p);
}

static void sums_are_those_of_the_samples(void **state)
{
    (void)state;
    struct flm_profile *p = read_trace(SWITCHED, &(struct flm_read_options){0});
    assert_true(total(p, "time") == 100);
    assert_true(total(p, "on-cpu") == 90);
    assert_true(total(p, "off-cpu") == 120);
    assert_int_equal(p->sizes.sample_count, 0);
    flm_profile_free(p);
}

/* The same switches of a CPU, packed: times are differences, who leaves is not said. */
static void packed_switches_are_read(void **state)
{
    (void)state;
    struct flm_profile *p = read_trace("1{10:1 1{1:3 4{5'ui' 5'worker' 1[90 30 40] 2[0 1 256]"
                                       "3[43 0 43] 6[0 9 0] 7[100 50] 8[43 44] 11[0 1]}}}"
                                       "1{10:1 1{1:3 4{1[180 20] 2[2 0] 3[44 0]}}}",
                                       &keeping);
    assert_samples(p, "43 90+30 - [on-CPU: unknown stack]\n"
                      "43 120+40 sleeping [off-CPU: unknown stack]\n"
                      "44 150+30 runnable [off-CPU: unknown stack]\n"
                      "43 160+20 - [on-CPU: unknown stack]\n"
                      "43 180+20 blocked [off-CPU: unknown stack]\n"
                      "44 180+20 - [on-CPU: unknown stack]\n");
    flm_profile_free(p);
}

static void switches_that_were_lost_leave_gaps(void **state)
{
    (void)state;
    /* 43 comes twice, and leaves twice; between the pairs nothing is known. */
    struct flm_profile *p = read_trace("1{10:1 1{1:0 2{1:10 4{2:0 6:43}} 2{1:20 4{2:0 6:43}}"
                                       "2{1:30 4{2:43 4:1 6:0}} 2{1:50 4{2:43 4:1 6:0}}"
                                       "2{1:60 4{2:0 6:43}} 2{1:65 4{2:43 4:32 6:0}}}}"
                                       "1{10:1 1{1:0 3:1 4{1[80 10] 2[1 1] 3[44 0]}}}",
                                       &keeping);
    assert_samples(p, "43 20+10 - [on-CPU: unknown stack]\n"
                      "43 50+10 sleeping [off-CPU: unknown stack]\n"
                      "43 60+5 - [on-CPU: unknown stack]\n"
                      "44 80+10 - [on-CPU: unknown stack]\n");
    assert_true(lost(p,
                     "gaps in which the kernel lost its events: states of threads may be wrong "
                     "there",
                     "") == 1);
    flm_profile_free(p);
}

static void lists_of_different_length_are_counted(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_trace("1{10:1 1{1:0 4{1[10 10 10] 2[0 1] 3[43 0] 7[5 5] 8[43]}}}", &keeping);
    assert_true(lost(p, "events of the kernel (ftrace), which are not shown", "") == 2);
    flm_profile_free(p);
}

/* What ran is in the samples of stacks then. */
static void with_samples_of_stacks_only_waits_are_added(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_trace("1{10:7 13:1 12{5{1:1 2'main'} 6{1:1 2:1} 7{1:1 2:1}} 59{12{1{2:100 4:1}} 58:6}}"
                   "1{8:15 10:7 13:2 66{1:0 2:42 3:43 4:1}}"
                   "1{10:1 1{1:0 2{1:10 4{2:0 6:43}} 2{1:20 4{2:43 4:1 6:0}} 2{1:50 4{2:0 6:43}}}}",
                   &keeping);
    assert_samples(p, "43 15+0 - main\n"
                      "43 20+30 sleeping [off-CPU: unknown stack]\n");
    assert_true(flm_profile_metric_named(p, "on-cpu").index == FLM_NONE);
    flm_profile_free(p);
}

static void stages_of_gpus_are_on_tracks_of_their_queues(void **state)
{
    (void)state;
    struct flm_profile *p = read_trace(
        "1{10:1 13:1 12{24{1:1 2'Vulkan'} 24{1:2 2'vertex'} 24{1:3 2'fragment'} 2{1:4 2'blur'}}}"
        "1{8:100 10:1 13:2 53{2:50 13:1 14:3}}"
        "1{8:120 10:1 13:2 53{2:60 13:1 14:2}}" /* overlaps */
        "1{8:160 10:1 13:2 53{2:10 13:1 20:4}}"
        "1{8:200 10:1 13:2 53{2:5 13:1 17'custom'}}"
        "1{8:300 10:1 13:2 53{2:5 11:1 14:9}}",
        &keeping);
    assert_samples(p, "GPU Vulkan 100+50 - fragment\n"
                      "GPU Vulkan 2 120+60 - vertex\n"
                      "GPU Vulkan 160+10 - blur\n"
                      "GPU Vulkan 200+5 - custom\n"
                      "GPU 1 queue 0 300+5 - render stage\n");
    assert_true(total(p, "track time") == 130);
    flm_profile_free(p);
}

static void older_stages_of_gpus_have_lists_of_names(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_trace("1{8:1 10:1 53{7{2{1'gfx'} 2{1'compute'} 3{1'binning'} 3{1'render'}}}}"
                   "1{8:100 10:1 53{2:50 3:1 4:1}}"
                   "1{10:1 53{2:50 3:1 4:1}}",
                   &keeping);
    assert_samples(p, "GPU compute 100+50 - render\n");
    assert_true(lost(p, "packets and events without a valid time", "") == 1);
    flm_profile_free(p);
}

static bool read_one(void *context, struct flm_error *why)
{
    struct flm_profile *p =
        try_bytes(&flm_format_perfetto, *(struct flm_bytes *)context, &keeping, why);
    flm_profile_free(p);
    return p;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_text out = {0};
    wire_of_text(SWITCHED "1{8:100 10:1 53{2:50 13:1 17'x'}}"
                          "1{10:1 1{1:3 4{5'ui' 1[90 30] 2[0 1] 3[43 0] 6[0 9] 7[100] 8[43]}}}",
                 &out);
    struct flm_bytes bytes = {out.at, out.size};
    assert_true(assert_survives_failures(read_one, &bytes) > 20);
    flm_text_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_cut_where_the_state_changes),
        cmocka_unit_test(sums_are_those_of_the_samples),
        cmocka_unit_test(packed_switches_are_read),
        cmocka_unit_test(switches_that_were_lost_leave_gaps),
        cmocka_unit_test(lists_of_different_length_are_counted),
        cmocka_unit_test(with_samples_of_stacks_only_waits_are_added),
        cmocka_unit_test(stages_of_gpus_are_on_tracks_of_their_queues),
        cmocka_unit_test(older_stages_of_gpus_have_lists_of_names),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
