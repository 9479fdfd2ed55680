#include "support/profile/format_laws.h"

static const struct flm_format *const heaptrack = &flm_format_heaptrack;

static const char *const files[] = {"heaptrack/threads.txt", "heaptrack/every.txt"};

enum { FILES = sizeof files / sizeof *files };

static void they_are_recognized(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        struct flm_error why = {0};
        assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, &why), heaptrack);
        free((void *)bytes.at);
    }
    assert_int_equal(heaptrack->sniff(flm_bytes_of("v 10400\nX ./app\n"), true), FLM_SNIFF_SURE);
    assert_int_equal(heaptrack->sniff(flm_bytes_of("v 10400 3\n"), true), FLM_SNIFF_NO);
    assert_int_equal(heaptrack->sniff(flm_bytes_of("v x 3\nX ./app\n"), true), FLM_SNIFF_NO);
}

/* What heaptrack_print -F says. */
static void a_recording_adds_up(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(heaptrack, "heaptrack/threads.txt");
    assert_sound(p);
    assert_metric(p, 0, "allocations", "count", 305, 5);
    assert_true(flm_profile_total(p, (struct flm_metric){1}) == 201);
    assert_true(flm_profile_total(p, (struct flm_metric){2}) == 226040);
    assert_true(flm_profile_total(p, (struct flm_metric){3}) == 153336);
    assert_note(p, "command", "./vt");
    assert_note(p, "producer", "heaptrack 1.4.0");
    assert_note(p, FLM_NOTE_SAMPLE_VALUES, "all metrics");
    flm_profile_free(p);
}

static void every_construct_is_read(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(heaptrack, "heaptrack/every.txt");
    assert_sound(p);
    /* Stacks begin at main, without operator new; what is inlined is below what it is part of. */
    assert_folded(p, "?? 1\nmain;a b 1\nmain;outer;inner_[i] 3\n"
                     "main;outer;inner_[i];0x4000 1\n");
    assert_metric(p, 1, "temporary", "count", 4, 2);
    assert_metric(p, 2, "peak", "bytes", 116, 2);
    assert_metric(p, 3, "leaked", "bytes", 10, 2);
    assert_int_equal(frame_named(p, "inner")->kind, FLM_KIND_INLINED);
    assert_int_equal(frame_named(p, "outer")->kind, FLM_KIND_NATIVE);
    assert_true(is_string(p, frame_named(p, "outer")->module, "app"));
    assert_true(is_string(p, frame_named(p, "outer")->file, "main.c"));
    assert_int_equal(frame_named(p, "outer")->line, 0);
    assert_int_equal(frame_named(p, "0x4000")->address, 0x4000);
    assert_int_equal(p->sizes.loss_count, 0);
    assert_int_equal(p->sizes.counter_count, 0);
    flm_profile_free(p);
}

static void lines_and_times_come_with_options(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("heaptrack/every.txt");
    struct flm_profile *p = read_bytes(
        heaptrack, bytes,
        &(struct flm_read_options){.locations = true, .lines = true, .keep_times = true});
    assert_int_equal(frame_named(p, "inner")->line, 0x14);
    assert_int_equal(frame_named(p, "outer")->line, 0x1e);
    assert_int_equal(p->sizes.counter_count, 2);
    struct flm_counter_points heap = flm_profile_counter(p, (struct flm_counter){0});
    assert_true(is_string(p, heap.name.index, "heap"));
    assert_int_equal(heap.point_count, 4);
    assert_int_equal(heap.time_ns[1], 5000000);
    assert_true(heap.value[1] == 32 && heap.value[2] == 116 && heap.value[3] == 116);
    struct flm_counter_points resident = flm_profile_counter(p, (struct flm_counter){1});
    assert_true(resident.value[0] == 0x10 * 0x1000);
    flm_profile_free(p);
    free((void *)bytes.at);
}

static void older_files_have_strings_without_a_length(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(heaptrack, "v 10100 2\ns a name\ni 1 0 1\nt 1 0\na 8 1\n"
                                                 "+ 0\n");
    assert_folded(p, "a name 1\n");
    flm_profile_free(p);
    p = read_text(heaptrack, "v 10200\ns main\ni 1 0 1\nt 1 0\na 8 1\n+ 0\n");
    assert_folded(p, "main 1\n");
    flm_profile_free(p);
}

static void what_does_not_fit_is_counted(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(heaptrack, "v 10400 3\ni 1 9 9\nt 7 0\na 8 9\na 8 1\n+ 5\n"
                                                 "- 1\n+ 1\nc 5\nc 3\nwhat\n+\n");
    assert_int_equal(lost(p, "references to what the file does not have", "line 2"), 5);
    assert_int_equal(lost(p, "releases of what was not allocated", "line 7"), 1);
    assert_int_equal(lost(p, "times that go back", "line 10"), 1);
    assert_int_equal(lost(p, "malformed lines", "line 11"), 2);
    assert_folded(p, "?? 1\n");
    flm_profile_free(p);
}

/* n inlined frames of an address that n stacks have: n * n of them. */
static void frames_stay_in_proportion_to_the_input(void **state)
{
    (void)state;
    enum { FRAMES = 5000, DEPTH = 1000 };
    struct flm_text text = {0};
    flm_text_puts(&text, "v 10400 3\ns 1 f\ns 1 g\ni 1 0 1 0 0");
    for (int i = 0; i < FRAMES - 2; i++)
        flm_text_puts(&text, " 1 0 0");
    flm_text_puts(&text, " 2 0 0\n");
    for (int i = 0; i < DEPTH; i++)
        flm_text_format(&text, "t 1 %x\n", i);
    flm_text_format(&text, "a 8 %x\n+ 0\n", DEPTH);
    struct flm_profile *p = read_bytes(heaptrack, (struct flm_bytes){text.at, text.size},
                                       &(struct flm_read_options){0});
    assert_int_equal(lost(p, "inlined frames of addresses with more than 4095", "line 4"),
                     FRAMES - 4096);
    assert_true(lost(p, "inlined frames, of which there are too many", "") > 1000000);
    assert_true(p->sizes.node_count < (1 << 20) + 100000);
    assert_int_equal(frame_named(p, "g")->kind, FLM_KIND_NATIVE); /* the one that has the code */
    flm_profile_free(p);
    flm_text_clear(&text);
}

static void sizes_of_strings_that_are_wrong_take_no_lines_away(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_text(heaptrack, "v 10400 3\ns ffffffffffffffff f\ni 1 0 1\nt 1 0\na 8 1\n+ 0\n");
    assert_folded(p, "f 1\n");
    assert_int_equal(lost(p, "malformed lines", "line 2"), 1);
    flm_profile_free(p);
    /* It ends within the second line, which is not its own to the end. */
    p = read_text(heaptrack, "v 10400 3\ns 4 f\n g, more\ni 1 0 1\nt 1 0\na 8 1\n+ 0\n");
    assert_int_equal(lost(p, "malformed lines", "line 3"), 1);
    assert_non_null(frame_named(p, "f\n g"));
    flm_profile_free(p);
}

static void what_cannot_be_read_is_said(void **state)
{
    (void)state;
    assert_refused(heaptrack, "v 10400 3\nx ./app\n", 2, "this is a raw recording");
    assert_refused(heaptrack, "v 10400 3\nm 1 0 0\n", 2, "heaptrack_interpret < FILE");
    assert_refused(heaptrack, "v 20000 4\n", 1,
                   "this is version 4 of heaptrack's files, of which flamel reads 1 to 3");
    assert_refused(heaptrack, "v 10000 0\n", 1, "recorded by a heaptrack older than 1.0");
    assert_refused(heaptrack, "X ./app\n", 0, "no line 'v': this is no file of heaptrack");
    assert_refused(heaptrack, "v 10400 3\na ffffffffffffffff 0\n+ 0\n", 3,
                   "more than 2^63 bytes are allocated");
}

static void a_window_that_moves_shows_the_same_profile(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        assert_same_through_windows(heaptrack, bytes);
        free((void *)bytes.at);
    }
}

static void a_shortened_file_is_read_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        assert_survives_cuts(heaptrack, bytes);
        free((void *)bytes.at);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("heaptrack/every.txt");
    assert_survives_little_memory(heaptrack, bytes);
    free((void *)bytes.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_recognized),
        cmocka_unit_test(a_recording_adds_up),
        cmocka_unit_test(every_construct_is_read),
        cmocka_unit_test(lines_and_times_come_with_options),
        cmocka_unit_test(older_files_have_strings_without_a_length),
        cmocka_unit_test(what_does_not_fit_is_counted),
        cmocka_unit_test(frames_stay_in_proportion_to_the_input),
        cmocka_unit_test(sizes_of_strings_that_are_wrong_take_no_lines_away),
        cmocka_unit_test(what_cannot_be_read_is_said),
        cmocka_unit_test(a_window_that_moves_shows_the_same_profile),
        cmocka_unit_test(a_shortened_file_is_read_or_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
