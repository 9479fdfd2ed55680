#include "profile/sample_span.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/random.h"

static const struct flm_metric metric = {0};

/* Samples as given: time and duration, in pairs; their value is 12. */
static struct flm_profile *profile_with(const int64_t *times, size_t count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    flm_builder_metric(b, "off-cpu", "ns");
    for (size_t i = 0; i < count; i++) {
        flm_builder_sample(b, times[2 * i], flm_builder_root(b), (struct flm_label_set){0}, metric,
                           12);
        flm_builder_sample_lasts(b, times[2 * i + 1]);
    }
    return flm_builder_finish(b, NULL);
}

static void units_of_time_are_known(void **state)
{
    (void)state;
    static const char *const names[] = {"ns", "us", "milliseconds", "s", "", "samples", "bytes"};
    static const double size[] = {1, 1e3, 1e6, 1e9, 0, 0, 0};
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++)
        assert_true(flm_time_unit_ns(flm_bytes_of(names[i])) == size[i]);
}

static void a_range_ends_with_what_lasts_longest(void **state)
{
    (void)state;
    int64_t first = 1, last = 1;
    static const int64_t times[] = {FLM_NO_TIME, 0, 5, 100, 50, 0, 70, 20};
    struct flm_profile *p = profile_with(times, 4);
    assert_true(flm_time_range(p, &first, &last));
    assert_true(first == 5 && last == 105);
    flm_profile_free(p);
    p = profile_with(times, 1);
    assert_false(flm_time_range(p, &first, &last));
    assert_true(first == 5 && last == 105);
    flm_profile_free(p);
}

static void a_part_is_what_lies_in_the_range(void **state)
{
    (void)state;
    static const int64_t times[] = {100, 60, 100, 0, FLM_NO_TIME, 0, INT64_MAX - 8, 8};
    static const struct {
        uint32_t sample;
        int64_t from, to, time, lasts; /* time: 0 for none */
        double of_time;
        bool begins;
    } cases[] = {
        /* In the order of the profile: no time, the moment, the wait, the last one. */
        {0, INT64_MIN, INT64_MAX, 0, 0, 0, false},
        {1, 100, 101, 100, 0, 1, true},
        {1, 101, 200, 0, 0, 0, false},
        {1, 0, 100, 0, 0, 0, false},
        {2, 0, 500, 100, 60, 1, true},
        {2, 130, 500, 130, 30, 0.5, false},
        {2, 90, 115, 100, 15, 0.25, true},
        {2, 110, 125, 110, 15, 0.25, false},
        {2, 160, 500, 0, 0, 0, false},
        {2, 0, 100, 0, 0, 0, false},
        {3, 0, INT64_MAX, INT64_MAX - 8, 8, 1, true},
        {3, INT64_MAX - 4, INT64_MAX, INT64_MAX - 4, 4, 0.5, false},
    };
    struct flm_profile *p = profile_with(times, 4);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_sample_part part;
        assert_int_equal(flm_sample_part(p, cases[i].sample, cases[i].from, cases[i].to, &part),
                         cases[i].of_time > 0);
        if (cases[i].of_time <= 0)
            continue;
        assert_true(part.time_ns == cases[i].time && part.duration_ns == cases[i].lasts);
        assert_true(part.of_time == cases[i].of_time && part.begins == cases[i].begins);
        assert_true(part.whole_ns == flm_sample_duration(p, cases[i].sample));
        assert_true(flm_sample_part_value(&part, 12, 1) == 12 * cases[i].of_time);
        assert_true(flm_sample_part_value(&part, 12, 0) == 12 * cases[i].begins);
    }
    flm_profile_free(p);
}

/* Nanoseconds stay whole, whatever the wait is cut into; seconds are what they are. */
static void parts_of_a_wait_are_whole_nanoseconds(void **state)
{
    (void)state;
    uint64_t random = 4;
    for (int i = 0; i < 100000; i++) {
        struct flm_sample_part part = {.whole_ns = 1 + (int64_t)(random_next(&random) >> 24)};
        part.duration_ns = (int64_t)(random_next(&random) % (uint64_t)part.whole_ns);
        part.of_time = (double)part.duration_ns / (double)part.whole_ns;
        double whole = (double)part.whole_ns, value = flm_sample_part_value(&part, whole, 1);
        assert_true(value == (double)part.duration_ns);
        part.duration_ns = part.whole_ns - part.duration_ns;
        part.of_time = (double)part.duration_ns / (double)part.whole_ns;
        assert_true(value + flm_sample_part_value(&part, whole, 1) == whole);
    }
    const struct flm_sample_part half = {
        .whole_ns = 3000000000, .duration_ns = 1500000000, .of_time = 0.5};
    assert_true(flm_sample_part_value(&half, 3, 1e9) == 1.5);
    assert_true(flm_sample_part_value(&half, 7, 1) == 3.5); /* is not its duration */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_of_time_are_known),
        cmocka_unit_test(a_range_ends_with_what_lasts_longest),
        cmocka_unit_test(a_part_is_what_lies_in_the_range),
        cmocka_unit_test(parts_of_a_wait_are_whole_nanoseconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
