#include "format/gpu/gpu.h"

#include "format/formats.h"
#include "support/core/failures.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

struct scene {
    struct flm_read_options options;
    struct flm_gpu gpu;
    uint32_t thread, queue;
};

static void begin(struct scene *s, bool keep_times)
{
    *s = (struct scene){.options = {.keep_times = keep_times}};
    s->gpu.builder = flm_builder_new(NULL);
    assert_non_null(s->gpu.builder);
    s->gpu.options = &s->options;
    struct flm_gpu_names thread = {.process = flm_bytes_of("7"), .thread = flm_bytes_of("12")};
    struct flm_gpu_names queue = {.thread = flm_bytes_of("GPU 0 stream 7"),
                                  .device = flm_bytes_of("0"),
                                  .queue = flm_bytes_of("7"),
                                  .queue_key = "stream"};
    s->thread = flm_gpu_add_track(&s->gpu, 1, &thread);
    s->queue = flm_gpu_add_track(&s->gpu, 2, &queue);
}

static uint32_t frame(struct scene *s, const char *name)
{
    return flm_gpu_frame(s->gpu.builder, flm_bytes_of(name), "", FLM_KIND_PLAIN);
}

static void call(struct scene *s, const char *name, int64_t from, int64_t to, int64_t correlation,
                 bool is_range)
{
    struct flm_gpu_call c = {
        .group = 7, .correlation = correlation, .frame = frame(s, name), .is_range = is_range};
    flm_gpu_add_call(&s->gpu, s->thread, from, to, &c);
}

static void call_from(struct scene *s, const char *name, int64_t from, int64_t to,
                      const char *caller)
{
    struct flm_gpu_call c = {.group = 7, .correlation = from, .frame = frame(s, name)};
    c.stack = (uint32_t)s->gpu.frames.count;
    c.stack_size = 1;
    assert_true(FLM_ARRAY_ADD(&s->gpu.frames, frame(s, caller)));
    flm_gpu_add_call(&s->gpu, s->thread, from, to, &c);
}

static void work(struct scene *s, const char *name, int64_t from, int64_t to, int64_t correlation)
{
    struct flm_gpu_work w = {.group = 7,
                             .correlation = correlation,
                             .time_ns = from,
                             .frame = frame(s, name),
                             .track = s->queue};
    flm_gpu_add_work(&s->gpu, to, &w);
}

static struct flm_profile *end(struct scene *s)
{
    struct flm_error why = {0};
    flm_gpu_finish(&s->gpu);
    flm_gpu_clear(&s->gpu);
    struct flm_profile *p = flm_builder_finish(s->gpu.builder, &why);
    assert_non_null(p);
    return p;
}

static void work_is_below_its_launch(void **state)
{
    (void)state;
    for (int times = 0; times < 2; times++) {
        struct scene s;
        begin(&s, times);
        work(&s, "kernel", 50, 90, 3);
        call(&s, "launch", 20, 30, 3, false);
        call(&s, "step", 10, 40, -1, true);
        struct flm_profile *p = end(&s);
        assert_folded(p, "step;launch;kernel 40\n");
        assert_metric(p, 1, "event time", "ns", 30, 2);
        flm_profile_free(p);
    }
}

static void a_stack_is_between_ranges_and_the_call(void **state)
{
    (void)state;
    struct scene s;
    begin(&s, false);
    call(&s, "step", 0, 100, -1, true);
    call_from(&s, "outer", 10, 50, "main");
    call_from(&s, "inner", 20, 30, "main"); /* not below outer, but where its stack says */
    work(&s, "a", 200, 201, 10);
    work(&s, "b", 200, 202, 20);
    struct flm_profile *p = end(&s);
    assert_folded(p, "step;main;inner;b 2\nstep;main;outer;a 1\n");
    flm_profile_free(p);
}

static void a_call_that_was_seen_twice_is_one(void **state)
{
    (void)state;
    struct scene s;
    begin(&s, false);
    call(&s, "launch", 10, 50, 4, false);
    call(&s, "launch", 11, 49, 4, false);
    call(&s, "launch", 60, 90, 5, false);
    call(&s, "launch", 61, 89, 6, false); /* another, within */
    struct flm_profile *p = end(&s);
    assert_folded(p, "launch 42\nlaunch;launch 28\n");
    flm_profile_free(p);
}

static void what_has_no_launch_is_counted(void **state)
{
    (void)state;
    struct scene s;
    begin(&s, true);
    call(&s, "launch", 10, 20, 4, false);
    work(&s, "kernel", 50, 60, 5);
    work(&s, "kernel", 70, 80, -1);
    work(&s, "kernel", 90, 80, 4);
    struct flm_profile *p = end(&s);
    assert_folded(p, "kernel 20\n");
    assert_true(lost(p, "launches of GPU work, which is shown without its callers", "") == 2);
    assert_true(lost(p, "events with a negative duration", "") == 1);
    flm_profile_free(p);
}

static bool makes(void *context, struct flm_error *why)
{
    (void)context;
    struct scene s = {.options = {.keep_times = true, .by_thread = true}};
    s.gpu.builder = flm_builder_new(why);
    if (!s.gpu.builder)
        return false;
    s.gpu.options = &s.options;
    struct flm_gpu_names names = {.thread = flm_bytes_of("12")};
    s.thread = s.queue = flm_gpu_add_track(&s.gpu, 1, &names);
    for (int i = 0; i < 20; i++) {
        call(&s, "launch", 10 * i, 10 * i + 5, i, false);
        work(&s, "kernel", 100 * i, 100 * i + 7, i);
    }
    if (!flm_builder_failed(s.gpu.builder))
        flm_gpu_finish(&s.gpu);
    flm_gpu_clear(&s.gpu);
    struct flm_profile *p = flm_builder_finish(s.gpu.builder, why);
    flm_profile_free(p);
    return p != NULL;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(makes, NULL) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_below_its_launch),
        cmocka_unit_test(a_stack_is_between_ranges_and_the_call),
        cmocka_unit_test(a_call_that_was_seen_twice_is_one),
        cmocka_unit_test(what_has_no_launch_is_counted),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
