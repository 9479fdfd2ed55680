#include "stats/random.h"
#include "support/profile/format_laws.h"

static const struct flm_format *const callgrind = &flm_format_callgrind;

static const char *const files[] = {"callgrind/threads.out", "callgrind/tiny.out",
                                    "callgrind/part.out",    "callgrind/cachegrind.out",
                                    "callgrind/every.out",   "callgrind/xdebug.out"};

enum { FILES = sizeof files / sizeof *files };

static void they_are_recognized(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        struct flm_error why = {0};
        assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, &why), callgrind);
        free((void *)bytes.at);
    }
    assert_int_equal(callgrind->sniff(flm_bytes_of("events: Ir\n\nfn=main\n1 2\n"), true),
                     FLM_SNIFF_SURE);
    assert_int_equal(callgrind->sniff(flm_bytes_of("fn=main\n1 2\n"), true), FLM_SNIFF_NO);
    assert_int_equal(callgrind->sniff(flm_bytes_of("events: Ir\n"), true), FLM_SNIFF_NO);
    assert_int_equal(callgrind->sniff(flm_bytes_of("main;parse 12\nevents: x\nfn=a\n"), true),
                     FLM_SNIFF_NO);
}

static void recordings_add_up(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(callgrind, "callgrind/tiny.out");
    assert_sound(p);
    assert_metric(p, 0, "Ir", "count", 307, 3);
    assert_metric(p, 1, "calls", "count", 19, 2);
    assert_note(p, "command", "./tiny");
    assert_note(p, "producer", "callgrind-3.19.0");
    assert_note(p, "Trigger", "Program termination");
    const struct flm_frame_record *frame = frame_named(p, "0x0000000000401000'2");
    assert_int_equal(frame->flags, FLM_FRAME_UNSYMBOLIZED);
    assert_int_equal(frame->address, 0x401000);
    flm_profile_free(p);

    p = profile_of_file(callgrind, "callgrind/cachegrind.out");
    assert_metric(p, 0, "Ir", "count", 310, 1);
    assert_metric(p, 8, "DLmw", "count", 3, 1);
    assert_int_equal(p->sizes.metric_count, 9); /* no calls */
    assert_null(flm_profile_note_named(p, FLM_NOTE_NOT_SHOWN "exact stacks").at);
    flm_profile_free(p);

    p = profile_of_file(callgrind, "callgrind/part.out");
    assert_metric(p, 0, "Ir", "count", 123359, 10);
    assert_true(is_string(p, frame_named(p, "work")->file, "/tmp/vt.c"));
    assert_true(is_string(p, frame_named(p, "work")->module, "/tmp/vg/vt"));
    assert_int_equal(frame_named(p, "work")->kind, FLM_KIND_NATIVE);
    assert_non_null(flm_profile_note_named(p, FLM_NOTE_NOT_SHOWN "exact stacks").at);
    flm_profile_free(p);
}

static void every_construct_is_read(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(callgrind, "callgrind/every.out");
    assert_sound(p);
    /* main: 100 + 100 + 16, in two files; the second line has Dr 10 + 2 and Dw 5. */
    assert_folded(p, "main 216\nmain;f 60\nmain;g 25\nmain;g;f 5\n");
    assert_metric(p, 1, "Dr", "count", 28, 2);
    assert_metric(p, 2, "Dw", "count", 11, 2);
    assert_metric(p, 3, "Sum", "count", 306 + 2 * 28 - 11, 4);
    assert_metric(p, 4, "calls", "count", 4, 3);
    assert_int_equal(p->sizes.metric_count, 5);
    assert_int_equal(lost(p, "derived events of events that the file does not have", "line 8"), 1);
    assert_int_equal(p->sizes.loss_count, 1);
    assert_true(is_string(p, frame_named(p, "main")->file, "a.c"));
    assert_true(is_string(p, frame_named(p, "f")->module, "libx.so"));
    flm_profile_free(p);
}

static void lines_are_frames_of_their_own_with_the_option(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("callgrind/every.out");
    struct flm_profile *p =
        read_bytes(callgrind, bytes, &(struct flm_read_options){.locations = true, .lines = true});
    assert_sound(p);
    double self[64] = {0};
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        const struct flm_frame_record *frame = &p->frames[p->node_frame[i]];
        assert_true(frame->line < 64);
        self[frame->line] += flm_self_column(p, 0)[i];
    }
    assert_true(self[10] == 100 && self[11] == 100 && self[3] == 16 && self[7] == 65);
    assert_true(self[30] == 25 && self[13] == 0);
    bool is_inline = false;
    for (uint32_t i = 0; i < p->sizes.frame_count; i++)
        is_inline |= is_string(p, p->frames[i].file, "inline.h") && p->frames[i].line == 3;
    assert_true(is_inline);
    flm_profile_free(p);
    free((void *)bytes.at);
}

/* The costs of a function, divided among lines by chance, and calls of later functions, many of
 * which cost the same. */
static void add_function(struct flm_text *text, struct flm_random *random, int f, int count)
{
    enum { LINES = 6, COSTS = 7 };
    flm_text_format(text, "fn=f%d\n", f);
    unsigned left[COSTS] = {701, 503, 307, 11, 13, 17, 3};
    for (int line = 1; line <= LINES; line++) {
        flm_text_format(text, "%d", line);
        for (int c = 0; c < COSTS; c++) {
            unsigned cost =
                line == LINES ? left[c] : (unsigned)flm_random_below(random, left[c] + 1);
            left[c] -= cost;
            flm_text_format(text, " %u", cost);
        }
        flm_text_puts(text, "\n");
    }
    for (int to = f + 1; to < count; to++)
        if (flm_random_below(random, 2) == 0)
            flm_text_format(text, "cfn=f%d\ncalls=1 1\n%d 701 503 307 11 13 17 3\n", to, 10 + to);
}

/* Of paths that cost the same, which is followed first must not depend on how costs are divided
 * among lines. */
static void stacks_are_the_same_with_and_without_locations(void **state)
{
    (void)state;
    enum { FUNCTIONS = 12, ROUNDS = 40 };
    struct flm_random random = {1};
    for (int round = 0; round < ROUNDS; round++) {
        struct flm_text text = {0};
        flm_text_puts(&text, "# callgrind format\npositions: line\nevents: A B C D E F G\n");
        for (int f = 0; f < FUNCTIONS; f++)
            add_function(&text, &random, f, FUNCTIONS);
        struct flm_bytes bytes = {text.at, text.size};
        struct flm_profile *with =
            read_bytes(callgrind, bytes, &(struct flm_read_options){.locations = true});
        struct flm_profile *without = read_bytes(callgrind, bytes, &(struct flm_read_options){0});
        char *expected = folded_of(with);
        assert_folded(without, expected);
        free(expected);
        flm_profile_free(with);
        flm_profile_free(without);
        flm_text_clear(&text);
    }
}

static void threads_are_labels_or_frames(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("callgrind/threads.out");
    struct flm_profile *p =
        read_bytes(callgrind, bytes, &(struct flm_read_options){.keep_times = true});
    assert_metric(p, 0, "Ir", "count", 246718, 10);
    assert_true(p->sizes.sample_count > 0);
    assert_int_equal(p->sizes.label_count, 4); /* process, part, two threads */
    flm_profile_free(p);
    p = read_bytes(callgrind, bytes, &(struct flm_read_options){.by_thread = true});
    assert_int_equal(frame_named(p, "thread 2")->kind, FLM_KIND_LABEL);
    assert_int_equal(frame_named(p, "thread 3")->kind, FLM_KIND_LABEL);
    assert_int_equal(p->sizes.sample_count, 0);
    flm_profile_free(p);
    free((void *)bytes.at);
}

static void xdebug_has_units_in_names_and_memory_that_was_freed(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(callgrind, "callgrind/xdebug.out");
    assert_folded(p, "{main} 280\n{main};php::strlen 120\n");
    assert_metric(p, 0, "Time", "ns", 400, 2);
    assert_metric(p, 1, "Memory", "bytes", 600, 1);
    assert_int_equal(lost(p, "negative costs, which count as 0", "line 22"), 1);
    flm_profile_free(p);
}

static void units_come_from_long_names_too(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_text(callgrind, "event: ns : Nanoseconds\nevent: sysTime : sysTime (elapsed us)\n"
                             "events: ns sysTime Microseconds cpu(milliseconds)\n"
                             "fn=a\n1 1 2 3 4\n");
    assert_metric(p, 0, "ns", "ns", 1, 1);
    assert_metric(p, 1, "sysTime", "us", 2, 1);
    assert_metric(p, 2, "Microseconds", "us", 3, 1);
    assert_metric(p, 3, "cpu", "ms", 4, 1);
    flm_profile_free(p);
}

/* As speedscope's sample of that name has it: costs may be relative as positions are. */
static void costs_may_be_relative_too(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_text(callgrind, "events: Ir\nfn=a\n5 20\n+1 +5\n* *\n-1 -10\nfn=b\n1 0x10\n1 *\n");
    assert_folded(p, "a 85\nb 32\n");
    flm_profile_free(p);
}

static void callee_names_hold_for_one_call(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(callgrind, "events: Ir\nfl=a.c\nfn=a\n1 1\ncfi=b.c\ncob=o\n"
                                                 "cfn=b\ncalls=1 1\n1 10\ncfn=c\ncalls=1 1\n1 5\n"
                                                 "calls=7 1\n1 100\nfn=c\n1 5\nfl=b.c\nob=o\n"
                                                 "fn=b\n1 10\n");
    assert_folded(p, "a 1\na;b 10\na;c 5\n");
    assert_true(is_string(p, frame_named(p, "c")->file, "a.c"));
    assert_true(is_string(p, frame_named(p, "b")->module, "o"));
    assert_int_equal(lost(p, "calls without a callee", "line 14"), 1);
    flm_profile_free(p);
}

static void what_is_malformed_is_counted(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_text(callgrind, "events: Ir\nfn=(9)\n1 10\n1 x\nwhat=3\n1 2 3\nnothing\n2 5\n");
    assert_folded(p, "(9) 15\n");
    assert_int_equal(lost(p, "malformed lines", "line 4"), 4);
    assert_int_equal(
        lost(p, "names that are only numbers, which the file does not explain", "line 2"), 1);
    flm_profile_free(p);
    p = read_text(callgrind, "creator: callgrind-3.19.0\nevents: Ir\nsummary: 100\nfn=a\n1 30\n");
    assert_int_equal(lost(p, "costs that are in the summary of a file that is cut off", "line 5"),
                     70);
    flm_profile_free(p);
    p = read_text(callgrind, "creator: callgrind-3.19.0\nevents: Ir\nfn=a\n1 30\n");
    assert_int_equal(lost(p, "end of the file", "line 4"), 1);
    flm_profile_free(p);
    p = read_text(callgrind, "creator: callgrind-3.19.0\nevents: Ir\nfn=a\n1 30\ntotals: 30\n");
    assert_int_equal(p->sizes.loss_count, 0);
    flm_profile_free(p);
}

static void a_cachegrind_file_without_a_summary_was_cut_off(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(callgrind, "cmd: ./app\nevents: Ir\nfl=a.c\nfn=a\n1 30\n");
    assert_int_equal(lost(p, "costs of a file that was cut off", "line 5"), 1);
    flm_profile_free(p);
    p = read_text(callgrind, "cmd: ./app\nevents: Ir\nfl=a.c\nfn=a\n1 30\nsummary: 30\n");
    assert_int_equal(p->sizes.loss_count, 0);
    flm_profile_free(p);
    p = read_text(callgrind, "version: 1\ncmd: ./app\nevents: Ir\nfl=a.c\nfn=a\n1 30\n");
    assert_int_equal(p->sizes.loss_count, 0); /* others need not have one */
    flm_profile_free(p);
}

static void descriptions_are_bounded_and_no_notes_of_flamel(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_puts(&text, "desc: Trigger: end\ndesc: not shown x: y\n");
    for (int i = 0; i < 300; i++)
        flm_text_format(&text, "desc: key %d: 1\nevent: e%d = Ir\nevent: e%d = Ir\n", i, i, i);
    flm_text_puts(&text, "events: Ir\nfn=a\n1 1\n");
    struct flm_profile *p = read_bytes(callgrind, (struct flm_bytes){text.at, text.size},
                                       &(struct flm_read_options){0});
    assert_note(p, "Trigger", "end");
    assert_note(p, "callgrind: not shown x", "y");
    assert_null(flm_profile_note_named(p, "not shown x").at);
    assert_int_equal(lost(p, "descriptions, of which there are too many", "line 192"), 237);
    assert_int_equal(lost(p, "descriptions of events, of which there are too many", "line 772"),
                     88);
    assert_int_equal(p->sizes.metric_count, 257);
    flm_profile_free(p);
    text.size = 0;
    flm_text_puts(&text, "event: Sum = Ir");
    for (int i = 0; i < 1024; i++)
        flm_text_puts(&text, " + Ir");
    flm_text_puts(&text, "\nevents: Ir\nfn=a\n1 1\n");
    p = read_bytes(callgrind, (struct flm_bytes){text.at, text.size},
                   &(struct flm_read_options){0});
    assert_int_equal(lost(p, "derived events with more terms than 1024", "line 2"), 1);
    flm_profile_free(p);
    text.size = 0;
    for (int i = 0; i < 257; i++)
        flm_text_format(&text, "events: e%d\n", i);
    struct flm_error why = {0};
    assert_null(try_bytes(callgrind, (struct flm_bytes){text.at, text.size},
                          &(struct flm_read_options){0}, &why));
    assert_non_null(strstr(why.text, "more than 256 different lines 'events:'"));
    flm_text_clear(&text);
}

/* The functions of all parts, in each part, would be 2 * 10^10 steps. */
static void a_part_costs_what_it_has(void **state)
{
    (void)state;
    enum { COUNT = 60000 };
    struct flm_text text = {0};
    flm_text_puts(&text, "events: Ir\n");
    for (int i = 0; i < COUNT; i++)
        flm_text_format(&text, "fn=(%d) f%d\n1 1\n", i, i);
    for (int i = 0; i < COUNT; i++)
        flm_text_format(&text, "part: %d\nfn=(7)\n1 1\ncfn=(9)\ncalls=1 0\n1 1\n", i);
    struct flm_profile *p = read_bytes(callgrind, (struct flm_bytes){text.at, text.size},
                                       &(struct flm_read_options){0});
    assert_int_equal(flm_profile_total(p, (struct flm_metric){0}), 2 * COUNT);
    assert_int_equal(frame_named(p, "f59999")->kind, FLM_KIND_PLAIN);
    flm_profile_free(p);
    flm_text_clear(&text);
}

static void errors_name_the_line(void **state)
{
    (void)state;
    assert_refused(callgrind, "fn=a\n1 10\n", 2,
                   "a cost before the line 'events:', which would say what it is: is the beginning "
                   "missing?");
    assert_refused(callgrind, "fn=a\n", 0, "no line 'events:': this is no callgrind file");
    assert_refused(callgrind, "events:\n", 1, "the line 'events:' names no event");
    assert_refused(callgrind, "positions: \n", 1, "the line 'positions:' names no position");
    assert_refused(callgrind, "events: Ir\nfn=a\n1 18446744073709551616\n", 3,
                   "a cost is 2^64 or more");
    assert_refused(callgrind, "events: Ir\nfn=a\n1 18446744073709551615\n2 1\n", 4,
                   "a sum of costs is 2^64 or more");
    assert_refused(callgrind, "events: Ir\nfn=a\ncfn=b\ncalls=18446744073709551616 1\n", 4,
                   "the number of calls is 2^64 or more");
}

static void a_window_that_moves_shows_the_same_profile(void **state)
{
    (void)state;
    /* Plain lines are read many at once, but only where the window has all of them: a line that is
     * malformed in its middle, before one that is relative to it; blanks between positions. */
    assert_same_through_windows(callgrind, flm_bytes_of("events: A B C\nfn=a\n1 5 6 7\n2 8 0x 9\n"
                                                        "3 * * *\n4 1\n5 +1 +2\n"));
    assert_same_through_windows(
        callgrind, flm_bytes_of("positions: instr line\nevents: A\nfn=a\n1 1 1\n1  1\n"));
    for (size_t i = 0; i < FILES; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        assert_same_through_windows(callgrind, bytes);
        free((void *)bytes.at);
    }
}

static void a_shortened_file_is_read_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        assert_survives_cuts(callgrind, bytes);
        free((void *)bytes.at);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        assert_survives_little_memory(callgrind, bytes);
        free((void *)bytes.at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_recognized),
        cmocka_unit_test(recordings_add_up),
        cmocka_unit_test(every_construct_is_read),
        cmocka_unit_test(lines_are_frames_of_their_own_with_the_option),
        cmocka_unit_test(stacks_are_the_same_with_and_without_locations),
        cmocka_unit_test(threads_are_labels_or_frames),
        cmocka_unit_test(xdebug_has_units_in_names_and_memory_that_was_freed),
        cmocka_unit_test(units_come_from_long_names_too),
        cmocka_unit_test(costs_may_be_relative_too),
        cmocka_unit_test(callee_names_hold_for_one_call),
        cmocka_unit_test(what_is_malformed_is_counted),
        cmocka_unit_test(a_cachegrind_file_without_a_summary_was_cut_off),
        cmocka_unit_test(descriptions_are_bounded_and_no_notes_of_flamel),
        cmocka_unit_test(a_part_costs_what_it_has),
        cmocka_unit_test(errors_name_the_line),
        cmocka_unit_test(a_window_that_moves_shows_the_same_profile),
        cmocka_unit_test(a_shortened_file_is_read_or_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
