#include "format/perf/internal.h"

#include "support/profile/perf_reading.h"

static struct flm_profile *profile_of_comments(const char *const *lines, size_t count)
{
    struct flm_error why = {0};
    struct flm_builder *b = flm_builder_new(&why);
    for (size_t i = 0; i < count; i++)
        flm_perf_comment_read(b, flm_bytes_of(lines[i]));
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_non_null(p);
    return p;
}

static void metadata_of_the_recording_is_noted(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "# ========\n",
        "# captured on    : Fri Nov 20 07:21:08 2026\n",
        "# hostname : box\r\n",
        "# os release : 6.18\n",
        "# perf version : 6.1\n",
        "# arch : x86_64\n",
        "# nrcpus online : 2\n",
        "# cpudesc : AMD EPYC: 9\n",
        "# cmdline : /usr/bin/perf record -g ./work \n",
        "# event : name = cycles:u, , id = { 89, 90 }, type = 0\n",
        "# event : name = faults\n",
        "# event : type = 0\n",
        "#\n",
    };
    struct flm_profile *p = profile_of_comments(lines, sizeof lines / sizeof lines[0]);
    assert_note(p, "captured", "Fri Nov 20 07:21:08 2026");
    assert_note(p, "host", "box");
    assert_note(p, "system", "6.18");
    assert_note(p, "perf", "6.1");
    assert_note(p, "architecture", "x86_64");
    assert_note(p, "processor", "AMD EPYC: 9");
    assert_note(p, "command", "/usr/bin/perf record -g ./work");
    assert_note(p, "event cycles:u", "id = { 89, 90 }, type = 0");
    assert_note(p, "event faults", "");
    assert_int_equal(p->sizes.note_count, 9);
    flm_profile_free(p);
}

static void text_and_json_name_the_same_things(void **state)
{
    (void)state;
    static const char *const keys[][2] = {{"captured on", "captured-on"},
                                          {"os release", "os-release"},
                                          {"cpudesc", "cpu-desc"},
                                          {"perf version", "perf-version"}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        assert_ptr_equal(flm_perf_note_key(flm_bytes_of(keys[i][0])),
                         flm_perf_note_key(flm_bytes_of(keys[i][1])));
    assert_null(flm_perf_note_key(flm_bytes_of("nrcpus online")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metadata_of_the_recording_is_noted),
        cmocka_unit_test(text_and_json_name_the_same_things),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
