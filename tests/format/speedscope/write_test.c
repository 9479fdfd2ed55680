#include "format/speedscope/internal.h"

#include "support/core/failures.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

static const struct flm_format *const speedscope = &flm_format_speedscope;

static struct flm_profile *written_and_read(const struct flm_profile *p, bool keep_times)
{
    struct flm_text text = {0};
    struct flm_error why = {0};
    if (!flm_speedscope_write(p, &(struct flm_write_options){0}, &text, &why))
        fail_msg("%s", why.text);
    assert_false(text.failed);
    struct flm_profile *back = read_bytes(speedscope, (struct flm_bytes){text.at, text.size},
                                          &(struct flm_read_options){.keep_times = keep_times});
    assert_sound(back);
    flm_text_clear(&text);
    return back;
}

static void stacks_and_values_come_back(void **state)
{
    (void)state;
    static const char folded[] = "a 1\na;b 2.5\na;b;a 3\nc;\"d\\\" 4\n";
    struct flm_profile *p = profile_of(folded), *back = written_and_read(p, false);
    assert_folded(back, folded);
    flm_profile_free(back);
    flm_profile_free(p);
    p = profile_of("");
    back = written_and_read(p, false);
    assert_folded(back, "");
    flm_profile_free(back);
    flm_profile_free(p);
}

static void threads_times_and_gaps_come_back(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("speedscope/profiles-first.json");
    struct flm_profile *p =
        read_bytes(speedscope, bytes, &(struct flm_read_options){.keep_times = true});
    struct flm_profile *back = written_and_read(p, true);
    assert_int_equal(back->sizes.sample_count, p->sizes.sample_count);
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        assert_int_equal(back->sample_time[i], p->sample_time[i]);
        assert_int_equal(flm_sample_duration(back, i), flm_sample_duration(p, i));
    }
    assert_int_equal(back->sizes.metric_count, 3);
    assert_metric(back, 0, "time", "ms", 5.5, 2);
    assert_true(is_string(back, frame_named(back, "f")->file, ""));
    flm_profile_free(back);
    flm_profile_free(p);
    free((void *)bytes.at);
}

static bool write_with_little_memory(void *context, struct flm_error *why)
{
    struct flm_text text = {0};
    bool good = flm_speedscope_write(context, &(struct flm_write_options){0}, &text, why);
    if (good && text.failed)
        good = flm_error_memory(why);
    flm_text_clear(&text);
    return good;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("speedscope/profiles-first.json");
    struct flm_profile *p =
        read_bytes(speedscope, bytes, &(struct flm_read_options){.keep_times = true});
    assert_true(assert_survives_failures(write_with_little_memory, p) > 3);
    flm_profile_free(p);
    free((void *)bytes.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_and_values_come_back),
        cmocka_unit_test(threads_times_and_gaps_come_back),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
