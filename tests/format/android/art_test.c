#include "base/core/scan.h"
#include "support/profile/format_laws.h"

static const struct flm_format *const art = &flm_format_art;
static const struct flm_read_options timed = {.keep_times = true};

static const char *const files[] = {"android/regular.trace", "android/streaming.trace",
                                    "android/version1.trace"};

static void the_laws_of_readers_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        struct flm_error why = {0};
        assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, &why), art);
        assert_reads(art, bytes);
        assert_same_through_windows(art, bytes);
        assert_survives_cuts(art, bytes);
        assert_survives_little_memory(art, bytes);
        free((void *)bytes.at);
    }
}

static const char expected[] = "[unknown method 0x40] 100\n"
                               "app.Main.run 100\n"
                               "java.lang.Thread.run 100\n"
                               "java.lang.Thread.run;app.Main.run 200\n"
                               "java.lang.Thread.run;app.Main.run;app.Parser.parse 300\n";

/* The same calls in both forms: Thread.run was called before the trace began. */
static void calls_are_stacks_with_the_time_of_both_clocks(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct flm_profile *p = profile_of_file(art, files[i]);
        char *text = folded_of(p);
        assert_string_equal(text, expected);
        free(text);
        assert_metric(p, 0, "wall", "us", 800, 5);
        assert_metric(p, 1, "cpu", "us", 230, 5);
        assert_true(is_string(p, frame_named(p, "app.Parser.parse")->file, "Parser.java"));
        assert_int_equal(frame_named(p, "app.Parser.parse")->line, 12);
        assert_int_equal(frame_named(p, "[unknown method 0x40]")->flags & FLM_FRAME_UNSYMBOLIZED,
                         FLM_FRAME_UNSYMBOLIZED);
        assert_int_equal(p->sizes.loss_count, 0);
        flm_profile_free(p);
    }
    struct flm_profile *p = profile_of_file(art, "android/version1.trace");
    assert_metric(p, 0, "cpu", "us", 20, 1);
    flm_profile_free(p);
}

static void samples_have_times_and_threads(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes(files[0]);
    struct flm_profile *p = read_bytes(art, bytes, &timed);
    assert_int_equal(p->sizes.sample_count, 6);
    assert_int_equal(p->sample_time[0], 1100 * 1000); /* 1,000 us since boot, and 100 */
    assert_int_equal(flm_sample_duration(p, 0), 100 * 1000);
    flm_profile_free(p);
    p = read_bytes(art, bytes, &(struct flm_read_options){.by_thread = true});
    assert_int_equal(frame_named(p, "worker 2")->kind, FLM_KIND_LABEL);
    flm_profile_free(p);
    free((void *)bytes.at);
}

/* ---- Made traces ----------------------------------------------------------------------------- */

static void put(struct flm_text *out, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        flm_text_putc(out, (char)(number >> (8 * i)));
}

/* The head of a trace of one thread, of that clock. */
static void begin(struct flm_text *out, const char *clock, unsigned version, size_t record)
{
    flm_text_format(out,
                    "*version\n%u\nclock=%s\ndata-file-overflow=true\n*threads\n1\tmain\n"
                    "*methods\n0x4\ta\tb\t()V\ta.java\n0x8\tc\td\t()V\tc.java\n*end\nSLOW",
                    version, clock);
    put(out, version, 2);
    put(out, 18, 2);
    put(out, 0, 8);
    put(out, record, 2);
}

static void call(struct flm_text *out, uint32_t method, uint32_t time)
{
    put(out, 1, 2);
    put(out, method, 4);
    put(out, time, 4);
}

static struct flm_profile *finish(struct flm_text *out)
{
    struct flm_profile *p = read_bytes(art, (struct flm_bytes){out->at, out->size}, &timed);
    flm_text_clear(out);
    assert_sound(p);
    return p;
}

static void a_clock_may_wrap_but_not_go_back(void **state)
{
    (void)state;
    struct flm_text out = {0};
    begin(&out, "wall", 3, 10);
    call(&out, 4, 0xFFFFFFF0);
    call(&out, 8, 0x10);
    call(&out, 8 | 1, 0x8);
    call(&out, 4 | 1, 0x18);
    struct flm_profile *p = finish(&out);
    char *text = folded_of(p);
    assert_string_equal(text, "a.b 40\n"); /* c.d took no time: 16 is after 8 */
    free(text);
    assert_note(p, "buffer", "was full: later calls are missing");
    flm_profile_free(p);
}

static void ends_that_do_not_fit_are_counted(void **state)
{
    (void)state;
    struct flm_text out = {0};
    begin(&out, "wall", 3, 10);
    call(&out, 4, 10);
    call(&out, 8, 20);
    call(&out, 0x10 | 1, 30); /* neither of both */
    call(&out, 4 | 1, 40);    /* c.d ends with it */
    struct flm_profile *p = finish(&out);
    assert_metric(p, 0, "wall", "us", 30, 2);
    assert_true(lost(p, "ends of calls that are not open", "") == 1);
    assert_true(lost(p, "calls that outlast their caller, which ends with them", "") == 1);
    flm_profile_free(p);
}

static void refuses(struct flm_text *out, const char *reason)
{
    struct flm_error why = {0};
    struct flm_profile *p = try_bytes(art, (struct flm_bytes){out->at, out->size}, &timed, &why);
    if (p || !strstr(why.text, reason))
        fail_msg("%s, not %s", why.text, reason);
    flm_text_clear(out);
}

static void other_versions_and_actions_are_refused(void **state)
{
    (void)state;
    struct flm_text out = {0};
    begin(&out, "wall", 5, 10);
    refuses(&out, "version 5 of ART's method traces is not read: 1 to 3 are");
    begin(&out, "wall", 3, 2);
    refuses(&out, "the sizes in the head");
    begin(&out, "wall", 3, 10);
    call(&out, 3, 1);
    refuses(&out, "an action that is neither a call nor its end");
    flm_text_puts(&out, "*version\n3\nclock=wall\n*end\n");
    refuses(&out, "the calls of the method trace are missing");
    flm_text_puts(&out, "SLOW");
    put(&out, 0xF2, 2);
    put(&out, 16, 2);
    put(&out, 0, 8);
    put(&out, 9 << 16, 4);
    refuses(&out, "neither a call, a method, a thread nor the end of the trace");
}

static void a_streamed_trace_may_lack_its_end(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("android/streaming.trace");
    const char *summary = flm_find(bytes.at, bytes.at + bytes.size, '*');
    bytes.size = (size_t)(summary - bytes.at) - 7;
    struct flm_profile *p = read_bytes(art, bytes, &timed);
    assert_metric(p, 0, "wall", "us", 800, 5);
    assert_int_equal(p->sizes.loss_count, 1);
    flm_profile_free(p);
    free((void *)bytes.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_laws_of_readers_hold),
        cmocka_unit_test(calls_are_stacks_with_the_time_of_both_clocks),
        cmocka_unit_test(samples_have_times_and_threads),
        cmocka_unit_test(a_clock_may_wrap_but_not_go_back),
        cmocka_unit_test(ends_that_do_not_fit_are_counted),
        cmocka_unit_test(other_versions_and_actions_are_refused),
        cmocka_unit_test(a_streamed_trace_may_lack_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
