#include "base/text/text.h"
#include "format/python/memray.h"
#include "support/profile/format_laws.h"

static const struct flm_format *const memray = &flm_format_memray;

static const char *const files[] = {"memray/v10_all.bin",   "memray/v11_all.bin",
                                    "memray/v13_all.bin",   "memray/v11_aggregated.bin",
                                    "memray/v13_lz4.bin",   "memray/v13_aggregated.bin",
                                    "memray/v13_native.bin"};

enum { FILES = sizeof files / sizeof *files };

static void the_laws_of_readers_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++)
        assert_reader_laws_of_file(memray, files[i]);
}

static void little_memory_is_survived(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        assert_survives_little_memory(memray, bytes);
        free((void *)bytes.at);
    }
}

/* What the reader of memray says. */
static void captures_add_up(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        double peak, leaked, allocated;
    } all[] = {
        {"memray/v10_all.bin", 92850, 75842, 138881},
        {"memray/v11_all.bin", 92850, 75842, 138881},
        {"memray/v13_all.bin", 92800, 75792, 138831},
        {"memray/v13_lz4.bin", 92800, 75792, 138831},
        {"memray/v13_native.bin", 92800, 75432, 138831},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct flm_profile *p = profile_of_file(memray, all[i].file);
        assert_sound(p);
        assert_metric(p, 0, "peak", "bytes", all[i].peak, 11);
        assert_metric(p, 1, "leaked", "bytes", all[i].leaked, all[i].leaked == 75432 ? 6 : 7);
        assert_metric(p, 2, "allocations", "count", 44, 13);
        assert_metric(p, 3, "allocated", "bytes", all[i].allocated, 13);
        assert_metric(p, 4, "temporary", "count", 8, 3);
        assert_note(p, "command", "app.py");
        assert_true(is_string(p, frame_named(p, "pass_by")->file, "app.py"));
        assert_int_equal(p->sizes.loss_count, 0);
        flm_profile_free(p);
    }
    static const char *const sums[] = {"memray/v11_aggregated.bin", "memray/v13_aggregated.bin"};
    for (int i = 0; i < 2; i++) {
        struct flm_profile *p = profile_of_file(memray, sums[i]);
        assert_metric(p, 0, "peak", "bytes", i ? 92800 : 92850, 11);
        assert_metric(p, 1, "leaked", "bytes", i ? 75792 : 75842, 7);
        assert_int_equal(p->sizes.metric_count, 2);
        flm_profile_free(p);
    }
}

static void lines_and_threads_come_with_options(void **state)
{
    (void)state;
    static const char *const both[] = {"memray/v11_all.bin", "memray/v13_all.bin",
                                       "memray/v11_aggregated.bin", "memray/v13_aggregated.bin"};
    for (int i = 0; i < 4; i++) {
        struct flm_bytes bytes = file_bytes(both[i]);
        struct flm_profile *p = read_bytes(memray, bytes, &reader_options[2]);
        assert_int_equal(frame_named(p, "worker")->line, 14);
        assert_int_equal(frame_named(p, "helper")->kind, FLM_KIND_LABEL);
        assert_non_null(frame_named(p, "MainThread"));
        char *text = described(p);
        assert_non_null(strstr(text, "\"thread name\"=\"helper\""));
        free(text);
        assert_int_equal(p->sizes.counter_count, 2);
        flm_profile_free(p);
        free((void *)bytes.at);
    }
}

/* ---- Captures by hand ------------------------------------------------------------------------ */

#define NONE8 "\0\0\0\0\0\0\0\0"
#define HEADER(version, python)                                                                    \
    "memray\0" version "\0\0\0" python "\0\0" NONE8 NONE8 NONE8 NONE8 "\0"                         \
    "\1\0\0\0" NONE8 NONE8 "\0"
#define NEW HEADER("\14", "\0\0\13\3") "\0\0"
#define OLD HEADER("\13", "") "\0"

#define CODE(id, name) "\16" id name "\0a.py\0\2\0"
#define PUSH(id) "\100" id "\0"
#define POP(count) "\20"
#define THREAD(id) "\14" id "\0\0\0\0\0\0\0"
#define TRAILER "\1"

/* malloc and free, of a new address (8 bytes on or back), or of the last one; mmap, munmap. */
#define MALLOC(forward, size) "\376" forward size
#define MALLOC_LAST(size) "\206" size
#define FREE_LAST "\205"
#define FREE(forward) "\375" forward
#define MMAP(forward, size) "\370" forward "\16" size
#define MUNMAP(forward, size) "\370" forward "\17" size

#define BYTES(literal) ((struct flm_bytes){literal, sizeof(literal) - 1})

static void refused(struct flm_bytes bytes, enum flm_error_kind kind, const char *words)
{
    struct flm_error why = {0};
    struct flm_profile *p = try_bytes(memray, bytes, &(struct flm_read_options){0}, &why);
    if (p)
        fail_msg("it is read, where '%s' was expected", words);
    if (why.kind != kind || !strstr(why.text, words))
        fail_msg("the error is '%s', not '%s'", why.text, words);
}

/* The values of a function's own stacks, in all metrics. */
static void assert_values(struct flm_bytes bytes, const char *function, double peak, double leaked,
                          double allocations, double allocated, double temporary)
{
    const double expected[] = {peak, leaked, allocations, allocated, temporary};
    struct flm_profile *p = read_bytes(memray, bytes, &(struct flm_read_options){0});
    for (uint32_t m = 0; m < 5; m++) {
        double sum = 0;
        for (uint32_t i = 0; i < flm_profile_node_count(p); i++) {
            struct flm_frame frame = {flm_profile_frames(p)[i]};
            if (i > 0 && is_string(p, flm_profile_frame(p, frame)->function, function))
                sum += flm_profile_self(p, (struct flm_metric){m})[i];
        }
        if (sum != expected[m])
            fail_msg("metric %u of %s is %g, not %g", m, function, sum, expected[m]);
    }
    flm_profile_free(p);
}

#define TWO NEW CODE("\1", "f") CODE("\2", "g") THREAD("\7") PUSH("\1")

static void the_last_of_equal_peaks_is_the_peak(void **state)
{
    (void)state;
    struct flm_bytes bytes = BYTES(TWO MALLOC("\2", "\12") FREE_LAST POP(1) PUSH("\2")
                                       MALLOC("\2", "\12") FREE_LAST MALLOC("\2", "\5") TRAILER);
    assert_values(bytes, "f", 0, 0, 1, 10, 1);
    assert_values(bytes, "g", 10, 5, 2, 15, 1);
}

static void memory_is_temporary_for_one_allocation(void **state)
{
    (void)state;
    /* One other in between is, two are not; another thread's release is not. */
    struct flm_bytes bytes = BYTES(TWO MALLOC("\2", "\1") MALLOC("\2", "\2") FREE("\1")
                                       MALLOC("\6", "\1") MALLOC("\2", "\1") MALLOC("\2", "\1")
                                           FREE("\3") THREAD("\10") FREE("\4") TRAILER);
    assert_values(bytes, "f", 5, 3, 5, 6, 1);
}

static void mapped_memory_is_released_in_parts(void **state)
{
    (void)state;
    /* 100 bytes at 16: 16..26, 48..58 and 96..120 are released. */
    struct flm_bytes bytes = BYTES(TWO MMAP("\4", "\144") MUNMAP("\0", "\12") MUNMAP("\10", "\12")
                                       MUNMAP("\14", "\30") TRAILER);
    assert_values(bytes, "f", 100, 60, 1, 100, 0);
    assert_survives_little_memory(memray, bytes);
    bytes = BYTES(TWO MMAP("\4", "\144") MUNMAP("\0", "\144") MUNMAP("\0", "\144") TRAILER);
    assert_values(bytes, "f", 100, 0, 1, 100, 2);
}

static void an_address_may_be_allocated_twice(void **state)
{
    (void)state;
    struct flm_bytes bytes = BYTES(TWO MALLOC("\2", "\12") MALLOC_LAST("\5") TRAILER);
    assert_values(bytes, "f", 10, 5, 2, 15, 0);
    struct flm_profile *p = read_bytes(memray, bytes, &(struct flm_read_options){0});
    assert_int_equal(p->sizes.loss_count, 1);
    flm_profile_free(p);
}

/* The tree stays flat, in every order of addresses. No step has a divisor of COUNT. */
static void many_ranges_are_found_fast(void **state)
{
    (void)state;
    enum { COUNT = 100000, MOST_LEVELS = 17 };
    for (uint64_t step = 1; step < COUNT; step += COUNT / 2 - 2) {
        struct flm_error why = {0};
        struct flm_memray m = {.why = &why};
        assert_true(FLM_ARRAY_ADD(&m.locations, (struct flm_memray_location){0}));
        for (uint64_t i = 0; i < COUNT; i++) {
            struct flm_memray_block block = {8 + 8 * (i * step % COUNT), 8, 0};
            assert_true(flm_memray_add_range(&m, block));
            m.bytes = m.locations.at[0].bytes += 8;
        }
        assert_in_range(m.ranges.at[m.range_tree].level, 1, MOST_LEVELS);
        for (uint64_t i = 0; i < COUNT; i++) {
            assert_true(flm_memray_release_range(&m, 8 + 8 * i, 8));
            assert_int_equal(m.bytes, 8 * (COUNT - 1 - i));
            assert_in_range(m.ranges.at[m.range_tree].level, 0, MOST_LEVELS);
        }
        assert_int_equal(m.range_tree, 0);
        assert_int_equal(m.ranges.count, COUNT + 1);
        flm_memray_clear(&m);
    }
}

/* Compared with a count of the ranges at each byte. */
static void overlapping_ranges_are_released_together(void **state)
{
    (void)state;
    enum { SPACE = 200, TIMES = 20000 };
    unsigned held[2 * SPACE] = {0};
    struct flm_error why = {0};
    struct flm_memray m = {.why = &why};
    assert_true(FLM_ARRAY_ADD(&m.locations, (struct flm_memray_location){0}));
    uint64_t random = 1;
    for (int i = 0; i < TIMES; i++) {
        random = random * 6364136223846793005 + 1442695040888963407;
        uint64_t address = 1 + (random >> 33) % SPACE, size = (random >> 45) % 30;
        bool adds = random >> 62 == 0;
        if (adds)
            assert_true(flm_memray_add_range(&m, (struct flm_memray_block){address, size, 0}));
        for (uint64_t at = address; at < address + size; at++)
            held[at] = adds ? held[at] + 1 : 0;
        if (adds)
            m.bytes = m.locations.at[0].bytes += size;
        else
            assert_true(flm_memray_release_range(&m, address, size));
        uint64_t sum = 0;
        for (int at = 0; at < 2 * SPACE; at++)
            sum += held[at];
        assert_int_equal(m.bytes, sum);
        assert_int_equal(m.locations.at[0].bytes, sum);
    }
    /* At the end of addresses. */
    assert_true(flm_memray_release_range(&m, 0, UINT64_MAX));
    assert_int_equal(m.bytes, 0);
    m.bytes = m.locations.at[0].bytes = 100;
    assert_true(flm_memray_add_range(&m, (struct flm_memray_block){UINT64_MAX - 10, 100, 0}));
    assert_true(flm_memray_release_range(&m, UINT64_MAX - 10, 100));
    assert_int_equal(m.bytes, 90);
    assert_int_equal(m.range_tree, 0);
    flm_memray_clear(&m);
}

/* Each of them with an allocation: their nodes are found without a walk to the root. */
static void stacks_may_be_deep(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    static const char begin[] = NEW CODE("\1", "f") THREAD("\7");
    static const char call[] = PUSH("\1") MALLOC("\2", "\1");
    struct flm_text text = {0};
    flm_text_add(&text, BYTES(begin));
    for (int i = 0; i < DEPTH; i++)
        flm_text_add(&text, BYTES(call));
    flm_text_add(&text, BYTES(TRAILER));
    struct flm_bytes bytes = {text.at, text.size};
    for (size_t i = 0; i < 3; i++) {
        struct flm_profile *p = read_bytes(memray, bytes, &reader_options[i]);
        assert_int_equal(flm_profile_node_count(p), 1 + DEPTH + (i == 2));
        assert_true(flm_profile_total(p, (struct flm_metric){0}) == DEPTH);
        flm_profile_free(p);
    }
    flm_text_clear(&text);
}

static void a_function_again_replaces_the_first(void **state)
{
    (void)state;
    enum { TIMES = 100000 };
    struct flm_read_options options = {0};
    struct flm_error why = {0};
    struct flm_memray m = {
        .builder = flm_builder_new(&why), .options = &options, .why = &why, .thread = FLM_NONE};
    m.builder->locations = flm_reading_locations(&options);
    uint32_t frame = FLM_NONE;
    for (uint32_t i = 0; i < TIMES; i++) {
        m.name.size = 0;
        flm_text_puts(&m.name, i + 1 < TIMES ? "f" : "g");
        assert_true(flm_memray_add_code(&m, 1, i, (struct flm_bytes){0}));
        assert_true(flm_memray_add_frame(&m, 2, i));
        assert_true(flm_memray_number_frame(&m, 3, 4, flm_memray_find(&m, 2, 0)));
    }
    assert_int_equal(m.codes.count, 1);
    assert_int_equal(m.code_index.item_count, 1);
    assert_int_equal(m.codes.at[0].first_line, TIMES - 1);
    assert_int_equal(m.frames.count, 2);
    assert_int_equal(m.frame_index.item_count, 2);
    /* All of them are g now. */
    assert_true(flm_memray_code_frame(&m, 1, 0, &frame));
    assert_int_equal(m.frames.at[frame].frame, m.frames.at[flm_memray_find(&m, 2, 0)].frame);
    assert_int_equal(m.frames.at[frame].frame, m.frames.at[flm_memray_find(&m, 3, 4)].frame);
    flm_memray_clear(&m);
    flm_builder_free(m.builder);
}

/* The aggregated form has times since 1970; the other one, since the start. */
static void readings_of_memory_before_the_start_are_counted(void **state)
{
    (void)state;
    enum { FORM = 16, START = FORM + 17, SECOND = sizeof NEW - 1 + 25 };
    char sums[] = NEW "\1" NONE8 NONE8 NONE8 "\1" NONE8 NONE8 NONE8 "\17";
    sums[FORM] = 1;
    sums[START] = 3;
    sums[SECOND + 1] = 5;
    struct flm_bytes all[] = {
        {sums, sizeof sums - 1},
        BYTES(NEW "\2\1\377\377\377\377\377\377\377\377\377\1\2\1\2" TRAILER)};
    for (int i = 0; i < 2; i++) {
        struct flm_profile *p = read_bytes(memray, all[i], &reader_options[1]);
        assert_int_equal(p->sizes.loss_count, 1);
        assert_true(is_string(p, p->losses[0].what, "memory readings with an impossible time"));
        assert_true(p->losses[0].count == 1);
        flm_profile_free(p);
        p = read_bytes(memray, all[i], &reader_options[0]);
        assert_int_equal(p->sizes.loss_count, 0);
        flm_profile_free(p);
    }
}

/* As of a program that was killed: zeros, or nothing, instead of a trailer. */
static void a_capture_may_be_cut_off(void **state)
{
    (void)state;
    struct flm_bytes bytes = BYTES(TWO MALLOC("\2", "\12") "\0\0\0");
    assert_values(bytes, "f", 10, 10, 1, 10, 0);
    struct flm_profile *p = read_bytes(memray, bytes, &(struct flm_read_options){0});
    assert_int_equal(p->sizes.loss_count, 1);
    flm_profile_free(p);
}

static void what_is_no_capture_is_refused(void **state)
{
    (void)state;
    enum flm_error_kind format = FLM_ERROR_FORMAT;
    refused(BYTES("memray\0\11\0\0\0"), format,
            "version 9 of memray's captures, of which flamel reads 10 to 13: record it again");
    refused(BYTES("memray\0\16\0\0\0"), format, "13: 'memray transform speedscope'");
    refused(BYTES("memray\0\13\0\0\0\0\2"), format, "ends in its header");
    refused(BYTES(NEW PUSH("\1")), format, "a call refers to a function that is not in the file");
    refused(BYTES(NEW POP(1)), format, "more calls end than have begun");
    refused(BYTES(NEW "\3"), format, "there is no record of kind 3");
    refused(BYTES(NEW MALLOC("\200\200\200\200\200\200\200\200\200\200\1", "\1")), format,
            "a number is too large");
    refused(BYTES(NEW MALLOC("\0", "\1")), FLM_ERROR_RANGE, "at address 0");
    refused(BYTES(NEW MALLOC("\2", "\377\377\377\377\377\377\377\377\377\1")), FLM_ERROR_RANGE,
            "more than 2^63 bytes");
    refused(BYTES(OLD "\40"), format, "there is no such record");
    refused(BYTES(OLD "\4\2"), format, "a call refers to a function that is not in the file");
    refused(BYTES(OLD "\16"), format, "there is no record of kind 14");
}

static void other_files_are_not_taken_for_captures(void **state)
{
    (void)state;
    assert_int_equal(memray->sniff(BYTES("memray is a profiler"), true), FLM_SNIFF_NO);
    assert_int_equal(memray->sniff(BYTES("\4\"M\30\140\100\202abcdefghijkl"), true), FLM_SNIFF_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_laws_of_readers_hold),
        cmocka_unit_test(little_memory_is_survived),
        cmocka_unit_test(captures_add_up),
        cmocka_unit_test(lines_and_threads_come_with_options),
        cmocka_unit_test(the_last_of_equal_peaks_is_the_peak),
        cmocka_unit_test(memory_is_temporary_for_one_allocation),
        cmocka_unit_test(mapped_memory_is_released_in_parts),
        cmocka_unit_test(an_address_may_be_allocated_twice),
        cmocka_unit_test(many_ranges_are_found_fast),
        cmocka_unit_test(overlapping_ranges_are_released_together),
        cmocka_unit_test(stacks_may_be_deep),
        cmocka_unit_test(a_function_again_replaces_the_first),
        cmocka_unit_test(readings_of_memory_before_the_start_are_counted),
        cmocka_unit_test(a_capture_may_be_cut_off),
        cmocka_unit_test(what_is_no_capture_is_refused),
        cmocka_unit_test(other_files_are_not_taken_for_captures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
