#include "support/profile/format_laws.h"

static const struct flm_format *const austin = &flm_format_austin;
static const struct flm_format *const mojo = &flm_format_mojo;
static const struct flm_read_options with_times = {.keep_times = true};

#define BYTES(text) ((struct flm_bytes){text, sizeof text - 1})

static void assert_described(const struct flm_profile *p, const char *words)
{
    char *text = described(p);
    if (!strstr(text, words))
        fail_msg("'%s' is not in:\n%s", words, text);
    free(text);
}

static void refuse_bytes(struct flm_bytes bytes, const char *words)
{
    struct flm_error why = {0};
    assert_null(try_bytes(mojo, bytes, &with_times, &why));
    if (!strstr(why.text, words))
        fail_msg("the error is '%s', not '%s'", why.text, words);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void files_of_every_mode_obey_the_laws_of_readers(void **state)
{
    (void)state;
    assert_reader_laws_of_file(austin, "austin/wall.austin");
    assert_reader_laws_of_file(austin, "austin/full.austin");
    assert_reader_laws_of_file(austin, "austin/old.austin");
    assert_reader_laws_of_file(mojo, "austin/wall.mojo");
}

static void a_sample_weighs_the_time_since_the_one_before(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(austin, "austin/wall.austin");
    assert_metric(p, 0, "time", "us", 71935, 6);
    assert_int_equal(p->sizes.metric_count, 1);
    assert_note(p, "austin", "3.7.0");
    assert_note(p, "mode", "wall");
    assert_note(p, "interval", "1000 us");
    assert_note(p, "duration", "2250504 us");
    flm_profile_free(p);
}

static void the_full_mode_has_all_metrics(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_bytes(austin,
                   flm_bytes_of("# austin: 3.7.0\n# mode: full\n\nP1;T0:1;/a.py:f:1 10,0,4096\n"
                                "P1;T0:1;/a.py:f:1 5,1,-1024\nP1;T0:2 7,1,0\n"),
                   &with_times);
    assert_metric(p, 0, "time", "us", 22, 2);
    assert_metric(p, 1, "idle", "samples", 2, 2);
    assert_metric(p, 2, "memory", "bytes", 3072, 1);
    assert_metric(p, 3, "allocated", "bytes", 4096, 1);
    assert_metric(p, 4, "freed", "bytes", 1024, 1);
    assert_described(p, "\"idle\"=\"yes\"");
    flm_profile_free(p);
}

static void memory_may_be_freed(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(austin, "austin/old.austin");
    assert_metric(p, 0, "memory", "bytes", 3585, 3);
    assert_metric(p, 1, "allocated", "bytes", 4609, 3);
    assert_metric(p, 2, "freed", "bytes", 1024, 1);
    assert_int_equal(lost(p, "lines that are no samples", "line 9"), 1);
    assert_int_equal(frame_named(p, "kernel:do_read:0")->kind, FLM_KIND_KERNEL);
    assert_true(is_string(p, frame_named(p, "C:\\x\\a b.py:f:7")->file, "C:\\x\\a b.py"));
    assert_true(is_string(p, frame_named(p, ":GC:")->file, ""));
    flm_profile_free(p);
}

static void processes_and_threads_are_labels_in_every_version(void **state)
{
    (void)state;
    static const char *const prefixes[] = {"P12;T34", "P12;T0:34", "Process 12;Thread 34"};
    for (size_t i = 0; i < 3; i++) {
        char text[100];
        snprintf(text, sizeof text, "%s;/a.py:f:1 10\n", prefixes[i]);
        struct flm_profile *p = read_bytes(austin, flm_bytes_of(text), &with_times);
        assert_described(p, "\"process\"=\"12\" \"thread\"=\"34\"");
        assert_folded(p, "/a.py:f:1 10\n");
        flm_profile_free(p);
        p = read_bytes(austin, flm_bytes_of(text), &(struct flm_read_options){.by_thread = true});
        assert_folded(p, i == 1 ? "P12;T0:34;/a.py:f:1 10\n" : "P12;T34;/a.py:f:1 10\n");
        flm_profile_free(p);
    }
}

static void lines_are_frames_of_their_own_and_may_be_kept_as_lines(void **state)
{
    (void)state;
    struct flm_profile *p = read_bytes(
        austin,
        flm_bytes_of("P1;T1;/a.py:f:1 1\nP1;T1;/a.py:f:2 2\nP1;T1;<frozen x>:<module>: 3\n"),
        &(struct flm_read_options){.locations = true, .lines = true});
    assert_folded(p, "/a.py:f:1 1\n/a.py:f:2 2\n<frozen x>:<module>: 3\n");
    assert_int_equal(frame_named(p, "/a.py:f:2")->line, 2);
    assert_true(is_string(p, frame_named(p, "/a.py:f:2")->file, "/a.py"));
    flm_profile_free(p);
}

static void samples_in_order_have_times(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_bytes(austin,
                   flm_bytes_of("P1;T0:1;/a.py:f:1 10\nP1;T0:2;/a.py:g:1 11\nP1;T0:1;/a.py:f:1 20\n"
                                "P1;T0:2;/a.py:g:2 20\nP1;T0:3;/a.py:h:1 21\nP1;T0:1;/a.py:f:1 30\n"
                                "P1;T0:1;/a.py:f:1 5\nP1;T0:2;/a.py:g:1 5\n"),
                   &with_times);
    static const int64_t begins_us[] = {0, 0, 10, 11, 11, 30, 60, 60};
    static const int64_t lasts_us[] = {10, 11, 20, 20, 21, 30, 5, 5};
    for (size_t i = 0; i < 8; i++) {
        bool found = false;
        for (uint32_t k = 0; k < 8; k++)
            found |= p->sample_time[k] == begins_us[i] * 1000 &&
                     p->sample_duration[k] == lasts_us[i] * 1000;
        assert_true(found);
    }
    flm_profile_free(p);
}

static void sums_of_samples_have_no_times(void **state)
{
    (void)state;
    struct flm_profile *p = read_bytes(
        austin, flm_bytes_of("P1;T0:1;/a.py:f:1 10\nP1;T0:2;/a.py:f:1 20\n"), &with_times);
    assert_true(p->sample_time[0] == FLM_NO_TIME && p->sample_time[1] == FLM_NO_TIME);
    flm_profile_free(p);
}

static void only_austins_lines_are_austins(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int least, most;
    } heads[] = {
        {"# austin: 3.7.0\n\nP1;T0:1 10\n", FLM_SNIFF_SURE, FLM_SNIFF_SURE},
        {"P1;T1;/a.py:f:1 10\n", FLM_SNIFF_LIKELY, FLM_SNIFF_LIKELY},
        {"P1;T1;main;read 10\n", 0, 0},
        {"# austin: 3.7.0\nmain;read 1\nmain 2\n", 0, 0},
        {"", 0, 0},
        {"main;read 10\n", 0, 0},
        {"P1;T1;/a.py:f:1 x\n", 0, 0},
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        int certainty = austin->sniff(flm_bytes_of(heads[i].text), true);
        assert_in_range(certainty, heads[i].least, heads[i].most);
    }
}

static void texts_without_samples_are_refused(void **state)
{
    (void)state;
    assert_refused(austin, "", 0, "it has no samples");
    assert_refused(austin, "# austin: 3.7.0\nmain;read 5\n", 2, "this is no sample of austin");
    assert_refused(austin, "P1;T1;/a.py:f:1 -5\n", 1, "the time is negative");
    assert_refused(austin, "P1;T1;/a.py:f:1 1e305\n", 1, "2^1000");
}

/* ---- MOJO ------------------------------------------------------------------------------------ */

#define HEADER "MOJ\3\1mode\0wall\0"
#define STACK                                                                                      \
    "\2\1\0"                                                                                       \
    "1f\0"
#define STRINGS "\13\5/a.py\0\13\6f\0"
#define DEFINED "\3\7\5\6\11\11\0\0" /* frame 7: /a.py:f:9 */

static void a_binary_file_is_read_as_the_text_is(void **state)
{
    (void)state;
    struct flm_profile *p = read_bytes(
        mojo, BYTES(HEADER STACK STRINGS DEFINED "\5\7\11\12" STACK "\5\7\7\11\13"), &with_times);
    assert_folded(p, "/a.py:f:9 10\n/a.py:f:9;:GC: 11\n");
    assert_described(p, "\"process\"=\"1\" \"thread\"=\"31\"");
    assert_true(p->sample_time[1] == 10000 && p->sample_duration[1] == 11000);
    assert_note(p, "mode", "wall");
    flm_profile_free(p);
    p = profile_of_file(mojo, "austin/wall.mojo");
    assert_metric(p, 0, "time", "us", 973800, 72);
    assert_int_equal(lost(p, "invalid frames", "byte 44315"), 1);
    assert_int_equal(lost(p, "incomplete events at the end", "byte 45997"), 1);
    flm_profile_free(p);
}

static void every_version_is_read(void **state)
{
    (void)state;
    const struct {
        struct flm_bytes bytes;
    } files[] = {
        {BYTES("MOJ\1\2\1"
               "1f\0" STRINGS "\3\7\5\6\11\5\7\11\12")},
        {BYTES("MOJ\2\2\1"
               "1f\0" STRINGS DEFINED "\5\7\11\12")},
        {BYTES("MOJ\3" STACK STRINGS DEFINED "\5\7\11\12")},
        {BYTES("MOJ\4" STACK STRINGS DEFINED "\5\7\11\12")},
        {BYTES("MOJ\1" STRINGS "\3\7\5\6\11"
               "\2\1"
               "1f\0"
               "\5\7\11\12")}, /* defined before */
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct flm_profile *p = read_bytes(mojo, files[i].bytes, &with_times);
        assert_folded(p, "/a.py:f:9 10\n");
        flm_profile_free(p);
    }
    refuse_bytes(BYTES("MOJ\5" STACK), "this is a MOJO file of version 5, and flamel reads 1 to 4");
    refuse_bytes(BYTES("MOJ\0"), "of version 0");
}

static void a_stack_may_begin_as_the_previous_one_of_its_thread(void **state)
{
    (void)state;
    /* 8 is machine code: libc.so:g:0. The second sample is below f again, and calls it. */
    struct flm_profile *p =
        read_bytes(mojo,
                   BYTES("MOJ\4" STACK STRINGS DEFINED "\13\20lib.so\0\3\10\20\6\0\0\0\0"
                         "\5\7\5\10\11\12"
                         "\2\1\0"
                         "20\0\5\10\11\1" STACK "\5\7\15\11\2" STACK "\15\11\3"),
                   &with_times);
    assert_folded(p, "/a.py:f:9;/a.py:f:9 5\n/a.py:f:9;lib.so:f:0 10\nlib.so:f:0 1\n");
    flm_profile_free(p);
}

/* Twice in each of 100 samples would be 2^100 frames. */
static void a_sample_repeats_a_stack_once(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_add(&text, BYTES("MOJ\4" STACK STRINGS DEFINED "\5\7\11\1"));
    for (int i = 0; i < 100; i++)
        flm_text_add(&text, BYTES(STACK "\15\15\11\1"));
    assert_false(text.failed);
    struct flm_profile *p = read_bytes(mojo, (struct flm_bytes){text.at, text.size}, &with_times);
    assert_folded(p, "/a.py:f:9 101\n");
    assert_int_equal(lost(p, "stacks repeated twice in a sample", "byte 41"), 100);
    flm_profile_free(p);
    /* A frame more in each sample is as deep as there are samples: that has a limit too. */
    text.size = 0;
    flm_text_add(&text, BYTES("MOJ\4" STACK STRINGS DEFINED "\5\7\11\1"));
    for (int i = 0; i < 4100; i++)
        flm_text_add(&text, BYTES(STACK "\5\7\15\11\1"));
    p = read_bytes(mojo, (struct flm_bytes){text.at, text.size}, &with_times);
    assert_int_equal(p->sizes.loss_count, 1);
    flm_profile_free(p);
    flm_text_clear(&text);
}

static void keys_of_others_are_no_notes_of_flamel(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_puts(&text, "# austin: 3.7.0\n# verdict: pass\n");
    for (int i = 0; i < 70; i++)
        flm_text_format(&text, "# key %d: 1\n", i);
    flm_text_puts(&text, "P1;T1;/a.py:f:1 5\n");
    struct flm_profile *p = read_bytes(austin, (struct flm_bytes){text.at, text.size}, &with_times);
    assert_note(p, "austin", "3.7.0");
    assert_note(p, "austin: verdict", "pass");
    assert_null(flm_profile_note_named(p, "verdict").at);
    assert_int_equal(lost(p, "metadata that austin does not write", ""), 7);
    flm_profile_free(p);
    flm_text_clear(&text);
}

static void the_full_mode_is_read(void **state)
{
    (void)state;
    struct flm_profile *p = read_bytes(
        mojo, BYTES("MOJ\3\1mode\0full\0" STACK "\6read\0\11\12\12\101" STACK "\11\1\10\12\2"),
        &with_times);
    assert_metric(p, 0, "time", "us", 11, 2);
    assert_metric(p, 1, "idle", "samples", 1, 1);
    assert_metric(p, 2, "memory", "bytes", 1, 2);
    assert_int_equal(frame_named(p, "kernel:read:0")->kind, FLM_KIND_KERNEL);
    flm_profile_free(p);
}

static void processes_have_keys_of_their_own(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_bytes(mojo,
                   BYTES("MOJ\3" STACK STRINGS DEFINED "\5\7\11\12"
                         "\2\2\0"
                         "1\0"
                         "\13\5/b.py\0\13\6g\0" DEFINED "\5\7\11\1" STACK "\5\7\11\12"),
                   &(struct flm_read_options){0});
    assert_folded(p, "/a.py:f:9 20\n/b.py:g:9 1\n");
    flm_profile_free(p);
}

static void integers_have_up_to_64_bits(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_bytes(mojo, BYTES("MOJ\3" STACK "\11\200\200\200\1"), &(struct flm_read_options){0});
    assert_true(flm_profile_total(p, (struct flm_metric){0}) == 1 << 20);
    flm_profile_free(p);
    refuse_bytes(BYTES("MOJ\3" STACK "\11\377\377\377\377\377\377\377\377\377\377\377\1"),
                 "byte 11: an integer has more than 64 bits");
}

static void malformed_files_are_refused(void **state)
{
    (void)state;
    refuse_bytes(BYTES("MO"), "begins with MOJ");
    refuse_bytes(BYTES("MOJ"), "ends within its header");
    refuse_bytes(BYTES("MOJ\3"), "it has no samples");
    refuse_bytes(BYTES("MOJ\3" STACK "\5\7"), "byte 10: the stack has a frame that is not defined");
    refuse_bytes(BYTES("MOJ\3" STACK DEFINED), "is a string that is not defined");
    refuse_bytes(BYTES("MOJ\3\11\1"), "byte 4: a frame or a value before the first stack");
    refuse_bytes(BYTES("MOJ\3" STACK "\16"), "byte 10: this is no event of a MOJO file");
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_survives_little_memory(
        austin, flm_bytes_of("# austin: 3.7.0\n# mode: full\nP1;T0:1;/a.py:f:1 10,1,4\n"
                             "P1;T0:1;/a.py:f:1 10,0,-4\n"));
    assert_survives_little_memory(mojo, BYTES("MOJ\4\1mode\0wall\0" STACK STRINGS DEFINED
                                              "\5\7\11\12" STACK "\15\5\7\7\11\13\6x\0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_every_mode_obey_the_laws_of_readers),
        cmocka_unit_test(a_sample_weighs_the_time_since_the_one_before),
        cmocka_unit_test(the_full_mode_has_all_metrics),
        cmocka_unit_test(memory_may_be_freed),
        cmocka_unit_test(processes_and_threads_are_labels_in_every_version),
        cmocka_unit_test(lines_are_frames_of_their_own_and_may_be_kept_as_lines),
        cmocka_unit_test(samples_in_order_have_times),
        cmocka_unit_test(sums_of_samples_have_no_times),
        cmocka_unit_test(only_austins_lines_are_austins),
        cmocka_unit_test(texts_without_samples_are_refused),
        cmocka_unit_test(a_binary_file_is_read_as_the_text_is),
        cmocka_unit_test(every_version_is_read),
        cmocka_unit_test(a_stack_may_begin_as_the_previous_one_of_its_thread),
        cmocka_unit_test(a_sample_repeats_a_stack_once),
        cmocka_unit_test(keys_of_others_are_no_notes_of_flamel),
        cmocka_unit_test(the_full_mode_is_read),
        cmocka_unit_test(processes_have_keys_of_their_own),
        cmocka_unit_test(integers_have_up_to_64_bits),
        cmocka_unit_test(malformed_files_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
