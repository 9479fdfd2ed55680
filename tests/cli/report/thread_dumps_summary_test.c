#include "cli/report/thread_dumps_summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"

/* Two threads, one of which ran for a second and was blocked for three. */
static struct flm_profile *profile_of(bool has_cpu)
{
    static const char *const labels[][2] = {{"1", "RUNNABLE"}, {"1", "BLOCKED"}, {"2", "BLOCKED"}};
    static const double seconds[] = {1, 1, 2};
    struct flm_builder *b = flm_builder_new(NULL);
    assert_non_null(b);
    struct flm_metric wall = flm_builder_metric(b, "wall", "ns");
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "A.run", 5));
    for (int i = 0; i < 3; i++) {
        struct flm_string set[] = {flm_builder_string(b, "thread", 6),
                                   flm_builder_string(b, labels[i][0], 1),
                                   flm_builder_string(b, "state", 5),
                                   flm_builder_string(b, labels[i][1], strlen(labels[i][1]))};
        flm_builder_sample(b, i, node, flm_builder_label_set(b, set, 2), wall, seconds[i] * 1e9);
        if (has_cpu)
            flm_builder_sample_add(b, flm_builder_metric(b, "cpu", "ns"), 1e8);
    }
    flm_builder_note(b, FLM_NOTE_NOT_SHOWN "this", "what is not shown", 17);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static const struct flm_thread_dumps_result usual = {.size = sizeof usual,
                                                     .dumps = 20,
                                                     .duration_s = 2,
                                                     .dump_s = 0.2,
                                                     .longest_s = 0.03,
                                                     .stopped_s = 0.02,
                                                     .longest_stopped_s = 0.004,
                                                     .frameless_cpu_s = 0.05};

/* Below the table of functions. */
static const char *lines_of(bool has_cpu, const struct flm_thread_dumps_result *result)
{
    static char text[2000];
    struct flm_text out = {0};
    struct flm_profile *p = profile_of(has_cpu);
    const struct flm_thread_dumps_summary s = {.profile = p,
                                               .result = result,
                                               .process = 7,
                                               .interval_s = 0.1,
                                               .output = "a.flm",
                                               .output_size = 2048};
    const struct flm_report_style style = {.size = sizeof style};
    assert_true(flm_thread_dumps_summary_text(&s, &style, &out, NULL));
    flm_text_putc(&out, 0);
    assert_false(out.failed);
    const char *from = strstr(out.at, "\ndumps");
    assert_non_null(from);
    assert_non_null(strstr(out.at, "A.run"));
    snprintf(text, sizeof text, "%s", from + 1);
    flm_text_clear(&out);
    flm_profile_free(p);
    return text;
}

static void rate_states_and_cost_are_said(void **state)
{
    (void)state;
    assert_string_equal(
        lines_of(true, &usual),
        "dumps     20 in 2 s: 10 Hz of 10 Hz requested\n"
        "threads   2 with Java frames: BLOCKED 75 %, RUNNABLE 25 %\n"
        "CPU time  300 ms at these stacks, 50 ms of threads without Java frames (compilers, "
        "collectors); where: flamel report -m cpu a.flm\n"
        "cost      a dump took 10 ms (at most 30 ms); all threads stood still for 1 ms of it (at "
        "most 4 ms), 1 % of the time\n"
        "not shown what is not shown\n"
        "written   a.flm, 2 KiB: flamel view a.flm\n");
}

static void what_is_not_known_is_said(void **state)
{
    (void)state;
    struct flm_thread_dumps_result r = usual;
    r.stopped_s = r.longest_stopped_s = r.frameless_cpu_s = -1;
    r.left_out = 3;
    r.ended = true;
    assert_string_equal(
        lines_of(false, &r),
        "dumps     20 in 2 s: 10 Hz of 10 Hz requested; 3 left out, so that at most half of the "
        "time goes to dumps (a longer --interval is kept)\n"
        "threads   2 with Java frames: BLOCKED 75 %, RUNNABLE 25 %\n"
        "CPU time  not known: this VM does not write it (JDK 11 and later do)\n"
        "cost      a dump took 10 ms (at most 30 ms); how long the VM stood still is not known: it "
        "has no counters for it (-XX:-UsePerfData, or a /tmp of its own)\n"
        "not shown what is not shown\n"
        "ended     process 7, before the time was over\n"
        "written   a.flm, 2 KiB: flamel view a.flm\n");
    r.ended = false;
    r.is_silent = true;
    assert_non_null(strstr(lines_of(false, &r), "ended     process 7 does not answer any more\n"));
}

static void programs_get_the_same_as_json(void **state)
{
    (void)state;
    struct flm_text out = {0};
    struct flm_profile *p = profile_of(true);
    struct flm_thread_dumps_result r = usual;
    r.stopped_s = -1;
    const struct flm_thread_dumps_summary s = {
        .profile = p, .result = &r, .process = 7, .interval_s = 0.1, .output = "a.flm"};
    assert_true(flm_thread_dumps_summary_json(&s, &out, NULL));
    flm_text_putc(&out, 0);
    static const char *const parts[] = {"\"process\": 7",          "\"dumps\": 20",
                                        "\"achieved_hz\": 10,",    "\"stopped_s\": null",
                                        "\"BLOCKED\": 3000000000", "\"threads\": 2",
                                        "\"function\": \"A.run\""};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(out.at, parts[i]))
            fail_msg("%s is not in %s", parts[i], out.at);
    flm_text_clear(&out);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rate_states_and_cost_are_said),
        cmocka_unit_test(what_is_not_known_is_said),
        cmocka_unit_test(programs_get_the_same_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
