#include "support/profile/perf_reading.h"

#include "flamel/algebra.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"

static const struct flm_format *const script = &flm_format_perf_script;

/* Totals and stacks are those of stackcollapse-perf.pl, which loses the last sample of a file that
 * does not end with a blank line, and cannot read no_event.txt and one_line.txt. */
static const struct {
    const char *file;
    uint32_t metric_count;
    const char *event, *unit;
    double total;
    uint32_t stacks, samples;
} files[] = {
    {"default.txt", 2, "cpu-clock", "ns", 104208416, 21, 52},
    {"with_header.txt", 2, "cpu-clock", "ns", 32064128, 9, 16},
    {"inlined.txt", 2, "cpu-clock", "ns", 141414140, 10, 14},
    {"jit.txt", 2, "cpu-clock", "ns", 50167215, 13, 15},
    {"mangled.txt", 2, "cpu-clock", "ns", 44088176, 11, 22},
    {"unsymbolized.txt", 2, "cpu-clock", "ns", 31031031, 7, 31},
    {"no_end.txt", 2, "cpu-clock", "ns", 1001001, 1, 1},
    {"one_line.txt", 2, "cpu-clock", "ns", 80160320, 15, 40},
    {"processes.txt", 2, "cpu-clock", "samples", 33, 13, 33},
    {"java.txt", 2, "cpu-clock", "samples", 3, 2, 3},
    {"simple_pid.txt", 2, "cpu-clock", "samples", 8, 4, 8},
    {"places.txt", 2, "cpu-clock", "ns", 111111110, 6, 11}, /* 8 by line */
    {"events.txt", 4, "page-faults", "count", 88, 4, 29},
    {"sched.txt", 5, "sched:sched_process_fork", "samples", 1, 1, 7},
    {"syscalls.txt", 3, "raw_syscalls:sys_exit", "samples", 6, 6, 11},
    {"records.txt", 2, "raw_syscalls:sys_enter", "samples", 5, 5, 5},
    {"nanoseconds.txt", 2, "raw_syscalls:sys_enter", "samples", 5, 5, 5},
    {"tracepoint_line.txt", 2, "raw_syscalls:sys_enter", "samples", 8, 1, 8},
    {"no_event.txt", 1, "samples", "samples", 27, 14, 27},
    {"noeof.txt", 2, "cycles", "count", 2, 2, 2},
};

enum { FILE_COUNT = sizeof files / sizeof files[0] };

static struct flm_bytes bytes_of_file(size_t i)
{
    char name[100];
    snprintf(name, sizeof name, "perf_script/%s", files[i].file);
    return file_bytes(name);
}

static void every_file_adds_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILE_COUNT; i++) {
        struct flm_bytes bytes = bytes_of_file(i);
        struct flm_profile *p = read_bytes(script, bytes, &(struct flm_read_options){0});
        assert_sound(p);
        assert_int_equal(p->sizes.metric_count, files[i].metric_count);
        assert_metric(p, 0, files[i].event, files[i].unit, files[i].total, files[i].stacks);
        struct flm_metric samples = {p->sizes.metric_count - 1};
        assert_true(is_string(p, p->metrics[samples.index].name, "samples"));
        assert_int_equal((int)flm_profile_total(p, samples), files[i].samples);
        flm_profile_free(p);
        free((void *)bytes.at);
    }
}

static void every_file_is_recognized(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILE_COUNT; i++) {
        struct flm_bytes bytes = bytes_of_file(i);
        struct flm_error why = {0};
        assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, &why), script);
        free((void *)bytes.at);
    }
}

static void a_window_that_moves_shows_the_same_profile(void **state)
{
    (void)state;
    static const size_t steps[] = {1, 7, 100, 5000};
    struct flm_read_options options = {.keep_times = true};
    for (size_t i = 0; i < FILE_COUNT; i++) {
        struct flm_bytes bytes = bytes_of_file(i);
        struct flm_profile *whole = read_bytes(script, bytes, &options);
        for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
            struct flm_profile *p = read_windows(script, bytes, steps[s], &options);
            assert_profiles_equal(p, whole);
            flm_profile_free(p);
        }
        flm_profile_free(whole);
        free((void *)bytes.at);
    }
}

/* Reads [0, at) and [at, all) and adds them up. */
static struct flm_profile *read_in_two(struct flm_bytes all, size_t at)
{
    struct flm_read_options options = {0};
    struct flm_error why = {0};
    struct flm_bytes second = {all.at + at, all.size - at};
    struct flm_profile *parts[] = {read_bytes(script, (struct flm_bytes){all.at, at}, &options),
                                   read_bytes(script, second, &options)};
    struct flm_profile *p =
        flm_align((const struct flm_profile *const *)parts, 2, FLM_ALIGN_ADD, NULL, &why);
    flm_profile_free(parts[0]);
    flm_profile_free(parts[1]);
    if (!p)
        fail_msg("%s", why.text);
    return p;
}

static void a_file_cut_in_two_is_the_same_profile(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILE_COUNT; i++) {
        struct flm_bytes bytes = bytes_of_file(i);
        struct flm_profile *whole = read_bytes(script, bytes, &(struct flm_read_options){0});
        for (size_t wanted = 0; wanted < bytes.size; wanted += 499) {
            size_t at = script->cut(bytes, wanted);
            assert_true(at > wanted && at <= bytes.size);
            /* Below one comment, or above the last line, there may be no sample at all. */
            if (at == bytes.size || wanted < 5000)
                continue;
            struct flm_profile *p = read_in_two(bytes, at);
            for (uint32_t m = 0; m < whole->sizes.metric_count; m++) {
                struct flm_bytes text = flm_string_bytes(whole, whole->metrics[m].name);
                char terminated[100] = {0};
                memcpy(terminated, text.at, text.size);
                struct flm_metric same = flm_profile_metric_named(p, terminated);
                assert_true(flm_profile_total(p, same) ==
                            flm_profile_total(whole, (struct flm_metric){m}));
            }
            if (whole->sizes.metric_count == 2)
                assert_profiles_equal(p, whole);
            flm_profile_free(p);
        }
        flm_profile_free(whole);
        free((void *)bytes.at);
    }
}

static void a_shortened_file_is_refused_or_read(void **state)
{
    (void)state;
    static const char *const names[] = {"perf_script/processes.txt", "perf_script/places.txt",
                                        "perf_script/noeof.txt", "perf_script/records.txt"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct flm_bytes bytes = file_bytes(names[i]);
        for (size_t size = 0; size < bytes.size && size < 4000; size++) {
            char *shorter = malloc(size ? size : 1);
            assert_non_null(shorter);
            memcpy(shorter, bytes.at, size);
            struct flm_error why = {0};
            struct flm_profile *p = try_bytes(script, (struct flm_bytes){shorter, size},
                                              &(struct flm_read_options){0}, &why);
            if (p)
                assert_true(flm_profile_check(p, &why));
            else
                assert_int_equal(why.kind, FLM_ERROR_FORMAT);
            flm_profile_free(p);
            free(shorter);
        }
        free((void *)bytes.at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_adds_up),
        cmocka_unit_test(every_file_is_recognized),
        cmocka_unit_test(a_window_that_moves_shows_the_same_profile),
        cmocka_unit_test(a_file_cut_in_two_is_the_same_profile),
        cmocka_unit_test(a_shortened_file_is_refused_or_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
