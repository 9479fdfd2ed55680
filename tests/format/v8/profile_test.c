#include "support/profile/json_reading.h"

/* The rules of samples, by .cpuprofile files. */

static const struct flm_format *const cpu = &flm_format_cpuprofile;

#define NODES                                                                                      \
    "\"nodes\":["                                                                                  \
    "{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"},\"children\":[2,4,5,6]},"               \
    "{\"id\":2,\"callFrame\":{\"functionName\":\"a\",\"url\":\"file:///srv/app.js\","              \
    "\"lineNumber\":9},\"children\":[3],\"positionTicks\":[{\"line\":11,\"ticks\":1},"             \
    "{\"line\":12,\"ticks\":2}]},"                                                                 \
    "{\"id\":3,\"callFrame\":{\"functionName\":\"\",\"url\":\"file:///srv/app.js\","               \
    "\"lineNumber\":19}},"                                                                         \
    "{\"id\":4,\"callFrame\":{\"functionName\":\"(program)\"}},"                                   \
    "{\"id\":5,\"callFrame\":{\"functionName\":\"(idle)\"}},"                                      \
    "{\"id\":6,\"callFrame\":{\"functionName\":\"(garbage collector)\"}}]"

static struct flm_profile *sampled(const char *samples, const char *deltas,
                                   const struct flm_read_options *options)
{
    char text[2000];
    snprintf(text, sizeof text,
             "{" NODES ",\"startTime\":1000,\"samples\":[%s],\"timeDeltas\":[%s]}", samples,
             deltas);
    struct flm_profile *p = read_bytes(cpu, flm_bytes_of(text), options);
    assert_sound(p);
    return p;
}

static void assert_sampled(const char *samples, const char *deltas, const char *expected)
{
    for (int keep = 0; keep < 2; keep++) {
        struct flm_profile *p =
            sampled(samples, deltas, &(struct flm_read_options){.keep_times = keep});
        assert_folded(p, expected);
        flm_profile_free(p);
    }
}

static void a_sample_lasts_until_the_next_one(void **state)
{
    (void)state;
    assert_sampled("2,3,3,2", "100,10,20,30", "a 10\na;(anonymous app.js:20) 50\n");
    struct flm_profile *p =
        sampled("2,3,3,2", "100,10,20,30", &(struct flm_read_options){.keep_times = true});
    assert_int_equal(p->sizes.sample_count, 2);
    assert_true(p->sample_time[0] == 1100000 && p->sample_duration[0] == 10000);
    assert_true(p->sample_time[1] == 1110000 && p->sample_duration[1] == 50000);
    flm_profile_free(p);
}

static void idle_time_is_no_stack(void **state)
{
    (void)state;
    assert_sampled("2,5,1,2,2", "0,1,2,4,8", "a 9\n");
}

static void interruptions_are_on_top_of_what_ran_before(void **state)
{
    (void)state;
    assert_sampled("2,6,2,2", "0,1,2,4", "a 5\na;(garbage collector) 2\n");
    assert_sampled("2,4,6,4,2", "0,1,2,4,8",
                   "a 1\na;(program) 10\na;(program);(garbage collector) 4\n");
    assert_sampled("2,5,4,2", "0,1,2,4", "(program) 4\na 1\n");
    assert_sampled("4,6,4,6,4,6,4", "0,1,1,1,1,1,1",
                   "(program) 3\n(program);(garbage collector) 3\n");
}

static void time_that_goes_back_is_no_time(void **state)
{
    (void)state;
    struct flm_profile *p = sampled("2,3,2,3,3", "0,10,-4,2,10", &(struct flm_read_options){0});
    assert_folded(p, "a 10\na;(anonymous app.js:20) 8\n");
    assert_int_equal(lost(p, "samples that are earlier than the one before them", ""), 1);
    flm_profile_free(p);
}

static void times_that_are_none_are_counted(void **state)
{
    (void)state;
    static const char *const starts[] = {"4000000000000000", "9000000000000000", "1e300",
                                         "-4000000000000000"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "{" NODES ",\"startTime\":%s,\"samples\":[2,3],\"timeDeltas\":"
                 "[0,4000000000000000]}",
                 starts[i]);
        struct flm_profile *p =
            read_bytes(cpu, flm_bytes_of(text), &(struct flm_read_options){.keep_times = true});
        assert_sound(p);
        assert_folded(p, "a 4000000000000000\n");
        assert_int_equal(lost(p, "times that are more than 146 years from the clock's begin", ""),
                         i < 3);
        assert_true((p->sample_time[0] == FLM_NO_TIME) == (i == 1 || i == 2));
        flm_profile_free(p);
    }
}

static void what_is_missing_is_counted(void **state)
{
    (void)state;
    struct flm_profile *p = sampled("2,77,3,2", "0,1,2", &(struct flm_read_options){0});
    assert_folded(p, "a 3\n");
    assert_int_equal(lost(p, "stacks of samples, which are shown as the one before", ""), 1);
    assert_int_equal(lost(p, "samples without a time", ""), 1);
    flm_profile_free(p);
}

static void functions_without_a_name_have_those_of_their_files(void **state)
{
    (void)state;
    struct flm_profile *p = sampled("3,3", "0,1", &(struct flm_read_options){0});
    const struct flm_frame_record *frame = frame_named(p, "(anonymous app.js:20)");
    assert_int_equal(frame->line, 20);
    assert_true(is_string(p, frame->file, "file:///srv/app.js"));
    assert_int_equal(frame_named(p, "a")->line, 10);
    flm_profile_free(p);
}

static void lines_that_ran_are_those_of_the_ticks(void **state)
{
    (void)state;
    struct flm_profile *p = sampled("2,2,2,2,3", "0,1,2,4,8",
                                    &(struct flm_read_options){.locations = true, .lines = true});
    assert_folded(p, "a 15\n");
    uint32_t lines[3] = {0};
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        uint32_t line = p->frames[p->node_frame[i]].line;
        assert_true(line >= 10 && line <= 12);
        lines[line - 10] += (uint32_t)flm_self_column(p, 0)[i];
    }
    assert_int_equal(lines[1], 1); /* line 11 */
    assert_int_equal(lines[2], 6);
    assert_int_equal(lines[0], 8); /* no tick is left: the function's */
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_lasts_until_the_next_one),
        cmocka_unit_test(idle_time_is_no_stack),
        cmocka_unit_test(interruptions_are_on_top_of_what_ran_before),
        cmocka_unit_test(time_that_goes_back_is_no_time),
        cmocka_unit_test(times_that_are_none_are_counted),
        cmocka_unit_test(what_is_missing_is_counted),
        cmocka_unit_test(functions_without_a_name_have_those_of_their_files),
        cmocka_unit_test(lines_that_ran_are_those_of_the_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
