#include "format/text/internal.h"

#include "support/profile/format_laws.h"

static const struct flm_format *const self_profile = &flm_format_self_profile;

static void a_trace_obeys_the_laws_of_readers(void **state)
{
    (void)state;
    assert_reader_laws_of_file(self_profile, "text_stacks/self-profile.json");
}

static void tables_make_stacks(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("text_stacks/self-profile.json");
    struct flm_profile *p = read_bytes(
        self_profile, bytes,
        &(struct flm_read_options){.keep_times = true, .locations = true, .lines = true});
    assert_folded(p, " 1\nProfiler_[j] 1\nmain_[j];render_[j] 2\n"
                     "main_[j];render_[j];(anonymous)_[j] 1\n");
    assert_metric(p, 0, "samples", "samples", 5, 4);
    assert_true(is_string(p, frame_named(p, "render")->file, "https://example.com/app.js"));
    assert_int_equal(frame_named(p, "render")->line, 7);
    assert_true(p->sample_time[0] == 31500000 && p->sample_time[2] == 51250000);
    char *text = described(p);
    assert_non_null(strstr(text, "\"marker\"=\"gc\""));
    free(text);
    flm_profile_free(p);
    free((void *)bytes.at);
}

static void indices_outside_of_their_table_are_refused(void **state)
{
    (void)state;
    assert_refused(self_profile, "{}", 0, "it has no \"samples\"");
    assert_refused(self_profile, "{\"samples\":[{\"stackId\":0}]}", 0,
                   "sample 0 has a stack that is not there");
    assert_refused(self_profile, "{\"stacks\":[{\"frameId\":0}],\"samples\":[]}", 0,
                   "stack 0 has a frame that is not there");
    assert_refused(self_profile, "{\"stacks\":[{\"frameId\":0,\"parentId\":0}],\"samples\":[]}", 0,
                   "a stack before the one that it continues");
    assert_int_equal(self_profile->sniff(flm_bytes_of("{\"frames\":[]}"), true), 0);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_survives_little_memory(
        self_profile,
        flm_bytes_of("{\"resources\":[\"\\n\"],\"frames\":[{\"name\":\"\",\"resourceId\":0}],"
                     "\"stacks\":[{\"frameId\":0}],\"samples\":[{\"stackId\":0,\"timestamp\":1,"
                     "\"marker\":\"x\"}]}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_obeys_the_laws_of_readers),
        cmocka_unit_test(tables_make_stacks),
        cmocka_unit_test(indices_outside_of_their_table_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
