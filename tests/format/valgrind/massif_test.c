#include "support/core/failures.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

static const struct flm_format *const massif = &flm_format_massif;

static const char *const recording = "massif/stacks.out";

static const char small[] =
    "desc: (none)\ncmd: ./app\ntime_unit: ms\n"
    "#---\nsnapshot=0\n#---\ntime=5\nmem_heap_B=100\nmem_heap_extra_B=8\nmem_stacks_B=0\n"
    "heap_tree=detailed\n"
    "n2: 100 (heap allocation functions) malloc\n"
    " n0: 60 0x10: a (a.c:7)\n"
    " n1: 30 0x20: b (in /lib/b.so)\n"
    "  n0: 30 0x30: ??? (in /lib/c.so)\n"
    "#---\nsnapshot=1\n#---\ntime=9\nmem_heap_B=40\nmem_heap_extra_B=0\nmem_stacks_B=0\n"
    "heap_tree=detailed\nn0: 40 (heap allocation functions) malloc\n";

static void it_is_recognized(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_bytes bytes = file_bytes(recording);
    assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, &why), massif);
    free((void *)bytes.at);
    assert_int_equal(massif->sniff(flm_bytes_of("desc: x\ncmd: y\nevents: Ir\n"), true),
                     FLM_SNIFF_NO);
}

static void the_stacks_are_those_of_the_peak(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(massif, recording);
    assert_sound(p);
    assert_metric(p, 0, "bytes", "bytes", 153240, 3);
    assert_note(p, "command", "./vt");
    assert_note(p, "snapshot", "58, the peak, at 1779 ms; 37 more with stacks");
    flm_profile_free(p);
}

/* Of two detailed snapshots that are no peak, the larger one. */
static void callers_are_above_and_keep_what_theirs_do_not_have(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(massif, small);
    assert_folded(p, "(heap allocation functions) malloc 10\n"
                     "???;b;(heap allocation functions) malloc 30\n"
                     "a;(heap allocation functions) malloc 60\n");
    assert_true(is_string(p, frame_named(p, "a")->file, "a.c"));
    assert_true(is_string(p, frame_named(p, "b")->module, "/lib/b.so"));
    assert_int_equal(p->sizes.counter_count, 0);
    assert_note(p, "snapshot", "0, at 5 ms; 1 more with stacks");
    flm_profile_free(p);
}

static void snapshots_are_counters(void **state)
{
    (void)state;
    struct flm_profile *p = read_bytes(
        massif, flm_bytes_of(small),
        &(struct flm_read_options){.keep_times = true, .locations = true, .lines = true});
    assert_int_equal(frame_named(p, "a")->line, 7);
    assert_int_equal(p->sizes.counter_count, 3);
    struct flm_counter_points heap = flm_profile_counter(p, (struct flm_counter){2});
    assert_true(is_string(p, heap.name.index, "useful heap"));
    assert_int_equal(heap.point_count, 2);
    assert_true(heap.time_ns[0] == 5000000 && heap.value[0] == 100);
    assert_true(heap.time_ns[1] == 9000000 && heap.value[1] == 40);
    flm_profile_free(p);
}

static void what_does_not_fit_is_counted(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(
        massif, "desc: x\ncmd: y\ntime_unit: i\nsnapshot=0\ntime=x\nmem_heap_B=9\n"
                "heap_tree=peak\nn2: 9 root\n   n0: 3 0x1: a\n n0: 12 0x1: b\nn0 9\nwhat\n");
    assert_folded(p, "b;root 12\n");
    assert_int_equal(lost(p, "malformed lines", "line 5"), 4);
    assert_int_equal(lost(p, "callers with more bytes than what they call", ""), 1);
    assert_note(p, "time unit", "instructions");
    flm_profile_free(p);
    assert_refused(massif, "desc: x\ncmd: y\ntime_unit: i\n", 0,
                   "no line 'snapshot=': massif wrote nothing yet");
}

/* How many callers follow is said before they come, and each snapshot says whether a tree does. */
static void a_file_that_is_cut_off_says_so(void **state)
{
    (void)state;
    static const char missing[] = "callers that are missing (the file is cut off)";
    struct flm_profile *p = read_text(massif, small);
    assert_int_equal(p->sizes.loss_count, 0);
    flm_profile_free(p);
    const char *last = strstr(small, "  n0: 30"), *second = strstr(small, "mem_heap_B=40");
    p = read_bytes(massif, (struct flm_bytes){small, (size_t)(last - small)},
                   &(struct flm_read_options){0});
    assert_int_equal(lost(p, missing, "line 14"), 1);
    flm_profile_free(p);
    p = read_bytes(massif, (struct flm_bytes){small, (size_t)(second - small)},
                   &(struct flm_read_options){0});
    assert_int_equal(lost(p, "last snapshot (cut off)", "line 19"), 1);
    flm_profile_free(p);
}

static void a_shortened_file_is_read_or_refused(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes(recording);
    for (size_t size = 0; size < bytes.size; size += 1 + size / 300) {
        struct flm_error why = {0};
        struct flm_profile *p = try_bytes(massif, (struct flm_bytes){bytes.at, size},
                                          &(struct flm_read_options){.keep_times = true}, &why);
        if (p)
            assert_sound(p);
        else
            assert_int_equal(why.kind, FLM_ERROR_FORMAT);
        flm_profile_free(p);
    }
    free((void *)bytes.at);
}

static bool read_small(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_profile *p =
        try_bytes(massif, flm_bytes_of(small), &(struct flm_read_options){.keep_times = true}, why);
    flm_profile_free(p);
    return p != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(read_small, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_recognized),
        cmocka_unit_test(the_stacks_are_those_of_the_peak),
        cmocka_unit_test(callers_are_above_and_keep_what_theirs_do_not_have),
        cmocka_unit_test(snapshots_are_counters),
        cmocka_unit_test(what_does_not_fit_is_counted),
        cmocka_unit_test(a_file_that_is_cut_off_says_so),
        cmocka_unit_test(a_shortened_file_is_read_or_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
