#include "format/text/internal.h"

#include "support/profile/format_laws.h"

static const struct flm_format *const rbspy = &flm_format_rbspy;

#define TIME(s, ns) "{\"secs_since_epoch\":" s ",\"nanos_since_epoch\":" ns "}"
#define HEADER                                                                                     \
    "rbspy02\n{\"sample_rate\":99,\"rbspy_version\":\"0.38.0\",\"start_time\":" TIME("1700000000", \
                                                                                     "5") "}\n"
#define FRAME(name, line)                                                                          \
    "{\"name\":\"" name "\",\"relative_path\":\"a.rb\",\"absolute_path\":\"/srv/a.rb\","           \
    "\"lineno\":" line "}"
#define SAMPLE(ns, thread)                                                                         \
    "{\"trace\":[" FRAME("work", "7") "," FRAME(                                                   \
        "<main>", "9") "],\"pid\":12,\"thread_id\":" thread                                        \
                       ",\"time\":" TIME("1700000001", ns) ",\"on_cpu\":false}\n"

static void a_recording_obeys_the_laws_of_readers(void **state)
{
    (void)state;
    assert_reader_laws_of_file(rbspy, "text_stacks/rbspy.raw");
}

static void samples_have_lines_threads_and_times(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_bytes(rbspy, flm_bytes_of(HEADER SAMPLE("10", "null") SAMPLE("20", "34")),
                   &(struct flm_read_options){.keep_times = true, .lines = true});
    assert_folded(p, "<main>;work 2\n");
    assert_metric(p, 0, "samples", "samples", 2, 1);
    assert_true(is_string(p, frame_named(p, "work")->file, "/srv/a.rb"));
    assert_int_equal(frame_named(p, "work")->line, 7);
    assert_true(p->sample_time[0] == 1000000005 && p->sample_time[1] == 1000000015);
    char *text = described(p);
    assert_non_null(strstr(text, "\"process\"=\"12\" \"thread\"=\"34\""));
    assert_non_null(strstr(text, "rbspy 0.38.0"));
    assert_non_null(strstr(text, "99 Hz"));
    assert_non_null(strstr(text, "2023-11-14T22:13:20.000000005Z"));
    free(text);
    flm_profile_free(p);
}

static void threads_are_frames_if_asked_for(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_bytes(rbspy, flm_bytes_of(HEADER SAMPLE("10", "null") SAMPLE("20", "34")),
                   &(struct flm_read_options){.by_thread = true});
    assert_folded(p, "process 12;<main>;work 1\nprocess 12;thread 34;<main>;work 1\n");
    flm_profile_free(p);
}

static void c_functions_have_no_file(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_text(rbspy, HEADER
                  "{\"trace\":[{\"name\":\"sleep [c function]\",\"relative_path\":\"(unknown)\","
                  "\"absolute_path\":null,\"lineno\":null}],\"pid\":null,\"thread_id\":null,"
                  "\"time\":null,\"on_cpu\":null}\n");
    assert_int_equal(frame_named(p, "sleep [c function]")->kind, FLM_KIND_NATIVE);
    assert_int_equal(frame_named(p, "sleep [c function]")->file, 0);
    flm_profile_free(p);
}

static void older_versions_have_less(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(rbspy, "rbspy00\n[" FRAME("a", "1") "]\n[]\n");
    assert_folded(p, " 1\na 1\n");
    flm_profile_free(p);
    p = read_text(rbspy, "rbspy01\n" SAMPLE("10", "1"));
    assert_folded(p, "<main>;work 1\n");
    flm_profile_free(p);
}

static void what_is_malformed_has_a_line(void **state)
{
    (void)state;
    assert_refused(rbspy, "rbspy03\n{}\n", 1, "not with 'rbspy03'");
    assert_refused(rbspy, HEADER, 0, "it has no stacks");
    assert_refused(rbspy, HEADER "{\"pid\":1}\n", 3, "it has no \"trace\"");
    assert_refused(rbspy, "rbspy02\n" SAMPLE("1", "2"), 2, "the header is expected here");
    assert_refused(rbspy, HEADER SAMPLE("1", "2") "{\"trace\":[}\n", 4, "--lenient");
    const struct flm_read_options lenient = {.lenient = true};
    struct flm_profile *p = read_bytes(
        rbspy, flm_bytes_of(HEADER SAMPLE("1", "2") "{\"trace\":[}\n" SAMPLE("3", "2")), &lenient);
    assert_folded(p, "<main>;work 2\n");
    assert_true(lost(p, "malformed lines", "line 4") == 1);
    flm_profile_free(p);
}

static void a_last_line_that_is_cut_off_is_a_loss(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(rbspy, HEADER SAMPLE("1", "2") "{\"trace\":[{\"name\":\"wo");
    assert_folded(p, "<main>;work 1\n");
    assert_true(lost(p, "samples that were cut off", "line 4") == 1);
    flm_profile_free(p);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_survives_little_memory(rbspy, flm_bytes_of(HEADER SAMPLE("10", "1")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_obeys_the_laws_of_readers),
        cmocka_unit_test(samples_have_lines_threads_and_times),
        cmocka_unit_test(threads_are_frames_if_asked_for),
        cmocka_unit_test(c_functions_have_no_file),
        cmocka_unit_test(older_versions_have_less),
        cmocka_unit_test(what_is_malformed_has_a_line),
        cmocka_unit_test(a_last_line_that_is_cut_off_is_a_loss),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
