#include "support/profile/format_laws.h"

static const struct flm_format *const scalene = &flm_format_scalene;
static const char file[] = "text_stacks/scalene.json";
static const struct flm_read_options sums = {0};

static void the_laws_of_readers_hold(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes(file);
    struct flm_error why = {0};
    assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, &why), scalene);
    assert_same_through_windows(scalene, bytes);
    assert_survives_cuts(scalene, bytes);
    assert_survives_little_memory(scalene, bytes);
    free((void *)bytes.at);
}

/* Of 2 s: 80 % in line 9, of which 5 are of the system, and 20 in line 11. */
static void lines_have_times_and_memory_and_stacks_come_first(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(scalene, file);
    assert_sound(p);
    assert_metric(p, 0, "samples", "samples", 15, 2); /* "stacks" has the same ones again */
    assert_metric(p, 1, "allocations", "bytes", 1.5 * 1048576, 1);
    assert_metric(p, 2, "cpu", "us", 2e6, 2);
    assert_metric(p, 3, "python", "us", 1.4e6, 2);
    assert_metric(p, 4, "native", "us", 5e5, 1);
    assert_metric(p, 5, "system", "us", 1e5, 1);
    assert_metric(p, 6, "allocated", "bytes", 1.5 * 1048576, 1);
    assert_metric(p, 7, "copied", "bytes", 1048576, 1);
    assert_true(is_string(p, frame_named(p, "9: x = a < b & c")->file, "/src/app.py"));
    assert_int_equal(frame_named(p, "app.py")->kind, FLM_KIND_LABEL);
    assert_true(is_string(p, frame_named(p, "memcpy")->module, "/lib/libc.so.6"));
    assert_int_equal(frame_named(p, "[libm.so.6]")->flags & FLM_FRAME_UNSYMBOLIZED,
                     FLM_FRAME_UNSYMBOLIZED);
    assert_null(flm_profile_note_named(p, FLM_NOTE_NOT_SHOWN "callers").at);
    assert_note(p, "command", "/src/app.py");
    flm_profile_free(p);
}

static void older_stacks_are_read_and_what_has_none_is_said(void **state)
{
    (void)state;
    static const char objects[] =
        "{\"alloc_samples\": 0, \"elapsed_time_sec\": 1, \"files\": {}, "
        "\"stacks\": [[[\"/a b.py f:7;\", \"/a b.py <lambda>:9;\"], {\"count\": 4}]]}";
    static const char lists[] = "{\"alloc_samples\": 0, \"elapsed_time_sec\": 1, \"files\": {}, "
                                "\"stacks\": [[[\"/a b.py f:7;\", \"/a b.py <lambda>:9;\"], "
                                "[4, 0.5, 0.5, 1.0]]]}";
    struct flm_profile *p = read_bytes(scalene, flm_bytes_of(objects), &sums);
    struct flm_profile *other = read_bytes(scalene, flm_bytes_of(lists), &sums);
    assert_metric(p, 0, "samples", "samples", 4, 1);
    assert_true(is_string(p, frame_named(p, "<lambda>")->file, "/a b.py"));
    assert_profiles_equal(p, other);
    flm_profile_free(other);
    flm_profile_free(p);

    struct flm_bytes none = flm_bytes_of("{\"alloc_samples\": 0, \"args\": [], \"files\": {}}");
    p = read_bytes(scalene, none, &sums);
    assert_non_null(flm_profile_note_named(p, FLM_NOTE_NOT_SHOWN "callers").at);
    flm_profile_free(p);
    struct flm_error why = {0};
    assert_null(try_bytes(scalene, flm_bytes_of("{\"alloc_samples\": 0}"), &sums, &why));
    assert_non_null(strstr(why.text, "it has no \"files\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_laws_of_readers_hold),
        cmocka_unit_test(lines_have_times_and_memory_and_stacks_come_first),
        cmocka_unit_test(older_stacks_are_read_and_what_has_none_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
