#include "format/pprof/legacy.h"

#include "support/core/failures.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

static const struct flm_format *const legacy = &flm_format_pprof_legacy;
static const struct flm_read_options keeping = {.keep_times = true};

/* The totals of go tool pprof 1.19; of the last three, of google-pprof and jeprof 5.3. */
static const struct {
    const char *file, *metric, *unit;
    double total;
    uint32_t stacks;
} files[] = {
    {"pprof_legacy/go.crc32.cpu", "cpu", "ns", 2110000000, 7},
    {"pprof_legacy/cppbench.contention", "delay", "ns", 690508213, 6},
    {"pprof_legacy/cppbench.growth", "space", "bytes", 178257920, 6},
    {"pprof_legacy/cppbench.thread", "thread", "count", 4, 3},
    {"pprof_legacy/cppbench.thread.all", "thread", "count", 4, 3},
    {"pprof_legacy/go.godoc.thread", "threadcreate", "count", 7, 7},
    {"pprof_legacy/go.goroutine", "goroutine", "count", 7, 3},
    {"pprof_legacy/go.block", "delay", "ns", 405944429, 2},
    {"pprof_legacy/gobench.heap", "inuse_space", "bytes", 7196884, 12},
    {"pprof_legacy/java.contention", "delay", "us", 1900, 3},
    {"pprof_legacy/java.cpu", "cpu", "ns", 70000000, 6},
    {"pprof_legacy/java.heap", "inuse_space", "bytes", 9968703, 7},
    {"pprof_legacy/symbols.raw", "samples", "count", 47, 1},
    {"pprof_legacy/jemalloc.heap", "space", "bytes", 465338159, 3},
    {"pprof_legacy/jemalloc_accum.heap", "inuse_space", "bytes", 461849462, 3},
};
enum { FILES = sizeof files / sizeof *files };

static void files_have_the_totals_that_pprof_shows(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        struct flm_bytes all = file_bytes(files[i].file);
        assert_int_equal(legacy->sniff(all, true), FLM_SNIFF_SURE);
        struct flm_profile *p = read_bytes(legacy, all, &keeping);
        assert_sound(p);
        assert_metric(p, 0, files[i].metric, files[i].unit, files[i].total, files[i].stacks);
        flm_profile_free(p);
        free((void *)all.at);
    }
}

/* COUNT N PC... in words of 4 or 8 bytes, of either order. */
static size_t put_words(char *to, const uint64_t *words, size_t count, unsigned size, bool big)
{
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < size; k++)
            to[i * size + k] = (char)(words[i] >> (8 * (big ? size - 1 - k : k)));
    return count * size;
}

/* The names come before the profile, inlined functions first. Names that are not unique have their
 * address added. */
static void symbols_name_the_addresses_behind_them(void **state)
{
    (void)state;
    static const char text[] =
        "--- symbol\nbinary=./app\n0x00001000 leaf--inner<0000000000001189>\n"
        "0x00002000 vector<int>::push\n---\n--- profile\n";
    static const uint64_t words[] = {0, 3, 0, 1, 0, 5, 2, 0x1000, 0x2000, 2, 2, 0x1000, 0x3000};
    char file[sizeof text + sizeof words];
    memcpy(file, text, sizeof text - 1);
    size_t size = sizeof text - 1 + put_words(file + sizeof text - 1, words, 13, 8, false);
    struct flm_profile *p = read_bytes(legacy, (struct flm_bytes){file, size}, &keeping);
    assert_folded(p, "0x3000;inner;leaf_[i] 2\nvector<int>::push;inner;leaf_[i] 5\n");
    assert_int_equal(p->sizes.metric_count, 1); /* the period is not known */
    assert_int_equal(p->sizes.loss_count, 0);
    flm_profile_free(p);
    /* jeprof writes the kind of profile there, and a heap has bytes. */
    char *kind = strstr(file, "--- profile\n") + 4;
    memcpy(kind, "heap   ", 7);
    p = read_bytes(legacy, (struct flm_bytes){file, size}, &keeping);
    assert_metric(p, 0, "space", "bytes", 7, 2);
    flm_profile_free(p);
    /* A text may follow as well. */
    static const char heap[] = "--- symbol\n0x0fff alloc\n---\n"
                               "heap profile: 1: 10 [1: 10] @ growth\n1: 10 [1: 10] @ 0x1000\n";
    p = read_bytes(legacy, flm_bytes_of(heap), &keeping);
    assert_folded(p, "alloc 10\n");
    flm_profile_free(p);
}

static void frames_of_jemalloc_are_left_out(void **state)
{
    (void)state;
    static const char text[] = "heap_v2/1\n  t*: 2: 30 [0: 0]\n  t0: 2: 30 [0: 0]\n"
                               "@ 0x2001 0x2002 0x1001\n  t*: 1: 10 [0: 0]\n  t0: 1: 10 [0: 0]\n"
                               "@ 0x2003\n  t*: 1: 20 [0: 0]\n  t0: 1: 20 [0: 0]\n"
                               "\nMAPPED_LIBRARIES:\n1000-2000 r-xp 0 fe:00 1 /opt/app\n"
                               "2000-3000 r-xp 0 fe:00 2 /usr/lib/libjemalloc.so.2\n";
    struct flm_profile *p = read_bytes(legacy, flm_bytes_of(text), &keeping);
    assert_folded(p, "0x1000 10\n0x2002 20\n"); /* a stack of nothing else keeps its root */
    flm_profile_free(p);
    assert_refused(legacy, "heap_v2/1\n  t0: 2: 30 [0: 0]\n", 2, "is no sample");
}

static void words_have_two_sizes_and_two_orders(void **state)
{
    (void)state;
    static const uint64_t words[] = {0,      3,      0,      1000,   0,      2,      2,
                                     0x1000, 0x2000, 1,      2,      0x1010, 0x2001, 3,
                                     3,      0x1020, 0x1020, 0x3001, 0,      1,      0};
    static const char maps[] = "00001000-00004000 r-xp 00000000 08:01 77   /opt/app\n"
                               "00008000-00009000 rw-p 00001000 08:01 77   /opt/app\n";
    for (int i = 0; i < 4; i++) {
        char bytes[400];
        size_t size = put_words(bytes, words, sizeof words / sizeof *words, i < 2 ? 4 : 8, i % 2);
        memcpy(bytes + size, maps, sizeof maps - 1);
        struct flm_bytes all = {bytes, size + sizeof maps - 1};
        assert_int_equal(legacy->sniff(all, true), FLM_SNIFF_SURE);
        struct flm_profile *p = read_bytes(legacy, all, &keeping);
        /* Return addresses are moved to the call; the leaf that is there twice is one. */
        assert_folded(p, "0x1fff;0x1000 2000000\n0x2000;0x1010 1000000\n0x3000;0x1020 3000000\n");
        assert_true(is_string(p, frame_named(p, "0x1020")->module, "/opt/app"));
        assert_note(p, "mapped /opt/app", "1000-4000@0");
        assert_note(p, "period", "1000000 ns");
        assert_int_equal(p->sizes.loss_count, 0);
        flm_profile_free(p);
        /* Without the end, and with half of a stack. */
        p = read_bytes(legacy, (struct flm_bytes){bytes, size - 3 * (i < 2 ? 4 : 8)}, &keeping);
        assert_int_equal(p->sizes.loss_count, 1);
        flm_profile_free(p);
        struct flm_error why = {0};
        assert_null(try_bytes(legacy, (struct flm_bytes){bytes, size - 4 * (i < 2 ? 4 : 8)},
                              &keeping, &why));
        assert_non_null(strstr(why.text, "a stack has more addresses than follow"));
    }
}

static void sampled_heaps_are_scaled_and_others_are_not(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(legacy, "heap profile: 1: 1000 [1: 1000] @ heapprofile\n"
                                              "  1: 1000 [1: 1000] @ 0x11 0x22\n"
                                              "MAPPED_LIBRARIES:\n10-30: /lib/a.so (@100) beef\n");
    assert_folded(p, "0x21;0x10 1000\n");
    assert_metric(p, 1, "objects", "count", 1, 1);
    assert_note(p, "mapped /lib/a.so", "10-30@100 id=beef");
    flm_profile_free(p);
    /* 1 - exp(-1) of the blocks of the mean size are sampled */
    p = read_text(legacy, "heap profile: 1: 4096 [2: 8192] @ heap_v2/4096\n"
                          "1: 4096 [2: 8192] @ 0x11\n0: 0 [1: 4096] @ 0x21\n"
                          "0: 0 [0: 0] @ 0x31\n");
    assert_metric(p, 0, "inuse_space", "bytes", 6479, 1);
    assert_metric(p, 2, "alloc_space", "bytes", 12959 + 6479, 2);
    flm_profile_free(p);
    p = read_text(legacy,
                  "heap profile: 1: 4096 [2: 8192] @ heap/8192\n1: 4096 [2: 8192] @ 0x11\n");
    assert_metric(p, 0, "inuse_space", "bytes", 6479, 1);
    flm_profile_free(p);
}

static void sizes_of_blocks_are_labels(void **state)
{
    (void)state;
    struct flm_profile *p = read_bytes(
        legacy, flm_bytes_of("heap profile: 2: 64 [2: 64] @ growthz\n2: 64 [2: 64] @ 0x11\n"),
        &keeping);
    char *text = described(p);
    assert_non_null(strstr(text, "\"bytes\"=\"32\""));
    free(text);
    flm_profile_free(p);
}

static void delays_are_scaled_from_cycles(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(legacy, "--- mutex:\ncycles/second=2000000000\n"
                                              "sampling period=10\n200 3 @ 0x11 0x21\n");
    assert_metric(p, 0, "delay", "ns", 1000, 1);
    assert_metric(p, 1, "contentions", "count", 30, 1);
    assert_folded(p, "0x20;0x10 1000\n");
    flm_profile_free(p);
    /* Beyond what an integer holds: as large as it is. */
    p = read_text(legacy, "--- mutex:\ncycles/second=1\nsampling period=1000\n"
                          "4000000000000000000 1 @ 0x11 0x21\n");
    assert_true(flm_profile_total(p, (struct flm_metric){0}) > 1e21);
    flm_profile_free(p);
    p = read_text(legacy, "--- contentionz 1 ---\n"
                          "ms since reset = -9223372036854775807\n50 1 @ 0x1\n");
    assert_null(flm_profile_note_named(p, "duration_ns").at);
    flm_profile_free(p);
}

/* A function that calls itself has a comment for each of its addresses; one with an inlined one has
 * two for the same. */
static void comments_of_go_are_names(void **state)
{
    (void)state;
    static const char text[] = "goroutine profile: total 6\n"
                               "2 @ 0x101 0x201 0x201 0x301 0x401 0x501\n"
                               "# labels: {\"request\":\"7\"}\n"
                               "#\t0x200\tmain.(*T).grow+0x49\t\t/srv/a b.go:20\n"
                               "#\t0x200\tmain.(*T).grow+0x49\t\t/srv/a b.go:20\n"
                               "#\t0x300\tmain.inlined+0x4\t/srv/main.go:7\n"
                               "#\t0x300\tmain.work+0x44\t/srv/main.go:9\n"
                               "#\t0x400\truntime.main+0x211\t/go/proc.go:250\n\n"
                               "3 @ 0x301 0x401 0x501\n"
                               "#\t0x300\tmain.inlined+0x4\t/srv/main.go:7\n"
                               "#\t0x300\tmain.work+0x44\t/srv/main.go:9\n\n"
                               "1 @ 0x601 0x701\n#\t0x999\tmain.other+0x1\t/x.go:1\n#\t0x600\n";
    struct flm_profile *p = read_text(legacy, text);
    assert_folded(
        p, "0x700;0x600 1\n"
           "runtime.main;main.work;main.inlined_[i] 3\n"
           "runtime.main;main.work;main.inlined_[i];main.(*T).grow;main.(*T).grow;0x100 2\n");
    assert_int_equal(frame_named(p, "main.inlined")->kind, FLM_KIND_INLINED);
    assert_int_equal(frame_named(p, "main.work")->kind, FLM_KIND_NATIVE);
    assert_true(is_string(p, frame_named(p, "main.(*T).grow")->file, "/srv/a b.go"));
    assert_int_equal(lost(p, "labels of goroutines", ""), 1);
    flm_profile_free(p);
    p = read_bytes(legacy, flm_bytes_of(text),
                   &(struct flm_read_options){.locations = true, .lines = true});
    assert_int_equal(frame_named(p, "main.work")->line, 9);
    flm_profile_free(p);
    p = read_text(legacy, "heap profile: 1: 8 [2: 16] @ heap/1\n1: 8 [2: 16] @ 0x11 0x21\n"
                          "#\t0x10\tmain.f+0x1\t/a.go:1\n\n# NumGC = 1\n");
    assert_folded(p, "main.f 8\n");
    flm_profile_free(p);
    p = read_text(legacy, "threadcreate profile: total 4\n4 @\n#\t0x0\n#\t0x10\tf+0x1\t/a.go:1\n");
    assert_folded(p, "");
    assert_int_equal(lost(p, "samples without a stack", ""), 1);
    flm_profile_free(p);
    p = read_text(legacy, "--- mutex:\ncycles/second=1000000000\n5 1 @ 0x11 0x21 0x31\n"
                          "#\t0x10\tmain.f+0x1\t/a.go:1\n#\t0x20\tmain.g+0x1\t/a.go:1\n\n");
    assert_folded(p, "main.g;main.f 5\n");
    flm_profile_free(p);
}

/* As in profile.proto: the leaf that has no name is the runtime's, and the function that begins
 * where its caller begins is inlined in it. A stack without names stays as it is. */
static void heaps_of_go_are_as_in_profile_proto(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(legacy, "heap profile: 3: 24 [3: 24] @ heap/1\n"
                                              "1: 8 [1: 8] @ 0x71 0x61 0x121 0x141 0x211 0x301\n"
                                              "#\t0x120\tmain.alloc+0x20\t/a.go:1\n"
                                              "#\t0x140\tmain.work+0x40\t/a.go:2\n"
                                              "#\t0x210\tmain.main+0x10\t/a.go:3\n\n"
                                              "2: 16 [2: 16] @ 0x71 0x61\n#\t0x70\n#\t0x60\n");
    assert_folded(p, "0x60;0x70 16\nmain.main;main.work;main.alloc_[i] 8\n");
    assert_note(p, "frames of Go's runtime at leaves, left out", "2");
    flm_profile_free(p);
    /* A function that calls itself is not inlined; of goroutines the runtime's frames stay. */
    p = read_text(legacy, "goroutine profile: total 1\n1 @ 0x71 0x121 0x141 0x301\n"
                          "#\t0x120\tmain.f+0x20\t/a.go:1\n#\t0x140\tmain.f+0x40\t/a.go:2\n\n");
    assert_folded(p, "main.f;main.f;0x70 1\n");
    flm_profile_free(p);
}

static void what_a_cut_text_lacks_is_told(void **state)
{
    (void)state;
    static const char *const missing = "samples that the first line counts, and that do not follow";
    static const char *const cut = "stacks at the end of the text, without a line break: cut off?";
    struct flm_profile *p = read_text(legacy, "goroutine profile: total 7\n5 @ 0x11 0x21");
    assert_int_equal(lost(p, missing, ""), 2);
    assert_int_equal(lost(p, cut, ""), 1);
    flm_profile_free(p);
    p = read_text(legacy, "heap profile: 3: 24 [5: 40] @ heap/1\n1: 8 [4: 32] @ 0x11\n");
    assert_int_equal(lost(p, missing, ""), 2);
    flm_profile_free(p);
    p = read_text(legacy, "heap profile: 3: 24 [0: 0] @ heapprofile\n1: 8 [0: 0] @ 0x11\n");
    assert_int_equal(lost(p, missing, ""), 2);
    flm_profile_free(p);
    p = read_text(legacy, "--- mutex:\n5 1 @ 0x11 0x21");
    assert_int_equal(lost(p, cut, ""), 1);
    flm_profile_free(p);
    p = read_text(legacy, "--- threadz 1 ---\n\n--- Thread 1 (name: a/1) stack: ---\n  0x11 0x21");
    assert_int_equal(lost(p, cut, ""), 1);
    flm_profile_free(p);
    for (size_t i = 0; i < FILES; i++) {
        p = profile_of_file(legacy, files[i].file);
        char *text = described(p);
        assert_null(strstr(text, "first line counts"));
        assert_null(strstr(text, "cut off"));
        free(text);
        flm_profile_free(p);
    }
}

static void what_is_no_sample_is_refused_at_its_line(void **state)
{
    (void)state;
    assert_refused(legacy, "heap profile: 1: 1 [1: 1] @ heapprofile\n\n1: x [1: 1] @ 0x1\n", 3,
                   "line 3: '1: x [1: 1] @ 0x1' is no sample of such a profile");
    assert_refused(legacy, "heap profile: nothing\n", 1, "is no sample of such a profile");
    assert_refused(legacy, "goroutine profile: total 1\n1 0x11\n", 2, "'1 0x11' is no sample");
    assert_refused(legacy, "--- contentionz 1 ---\n5 @ 0x1\n", 2, "'5 @ 0x1' is no sample");
    assert_refused(legacy, "goroutine profile: total 1\n1 @ 0x11112222333344445\n", 2, "no sample");
}

static void other_texts_are_left_to_others(void **state)
{
    (void)state;
    static const char *const others[] = {"",
                                         "main;a 1\n",
                                         "profile: total 1\n",
                                         "--- a/x\n+++ b/x\n",
                                         "goroutine 1 [running]:\nmain.main()\n",
                                         "{}",
                                         "# only\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(legacy->sniff(flm_bytes_of(others[i]), true), FLM_SNIFF_NO);
}

static void every_beginning_of_a_file_is_read_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        struct flm_bytes all = file_bytes(files[i].file);
        for (size_t size = 0; size < all.size; size += 1 + size / 200) {
            char *block = malloc(size ? size : 1);
            memcpy(block, all.at, size);
            struct flm_error why = {0};
            struct flm_profile *p =
                try_bytes(legacy, (struct flm_bytes){block, size}, &keeping, &why);
            assert_true(p || why.kind == FLM_ERROR_FORMAT);
            flm_profile_free(p);
            free(block);
        }
        free((void *)all.at);
    }
}

static bool read_with_little_memory(void *context, struct flm_error *why)
{
    struct flm_profile *p = try_bytes(legacy, flm_bytes_of(context), &keeping, why);
    flm_profile_free(p);
    return p != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static char heap[] = "heap profile: 1: 1 [1: 1] @ heapprofile\n1: 1 [1: 1] @ 0x11 0x2\n"
                         "MAPPED_LIBRARIES:\n10-30: /lib/a.so\n";
    static char java[] = "--- heapz 1 ---\nformat = java\n 10 1 @ 0x1\n 0x1 f (a.java:7)\n";
    assert_true(assert_survives_failures(read_with_little_memory, heap) > 15);
    assert_true(assert_survives_failures(read_with_little_memory, java) > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_have_the_totals_that_pprof_shows),
        cmocka_unit_test(symbols_name_the_addresses_behind_them),
        cmocka_unit_test(frames_of_jemalloc_are_left_out),
        cmocka_unit_test(words_have_two_sizes_and_two_orders),
        cmocka_unit_test(sampled_heaps_are_scaled_and_others_are_not),
        cmocka_unit_test(sizes_of_blocks_are_labels),
        cmocka_unit_test(delays_are_scaled_from_cycles),
        cmocka_unit_test(comments_of_go_are_names),
        cmocka_unit_test(heaps_of_go_are_as_in_profile_proto),
        cmocka_unit_test(what_a_cut_text_lacks_is_told),
        cmocka_unit_test(what_is_no_sample_is_refused_at_its_line),
        cmocka_unit_test(other_texts_are_left_to_others),
        cmocka_unit_test(every_beginning_of_a_file_is_read_or_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
