#include "record/events/perf_stream.h"
#include "record/session/session.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>
#include <cmocka.h>

#include "flamel/file.h"
#include "support/core/failures.h"
#include "support/core/files.h"

static const struct perf_event_attr attr = {
    .type = PERF_TYPE_SOFTWARE,
    .size = sizeof(struct perf_event_attr),
    .sample_type = FLM_STREAM_SAMPLE | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
    .sample_regs_user = 0xff0fff,
    .sample_stack_user = 8192,
    .exclude_callchain_user = 1,
    .sample_id_all = 1,
};

/* A sample as the kernel writes it, with something behind that is left out. */
static void make_sample(char *record, size_t size, uint64_t id, uint64_t ip)
{
    memset(record, 0x55, size);
    struct perf_event_header header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, (uint16_t)size};
    uint64_t body[6] = {id, ip, 4711 | UINT64_C(4712) << 32, 123456789, 1, 1001001};
    memcpy(record, &header, sizeof header);
    memcpy(record + 8, body, sizeof body);
}

static bool write_file(const char *path, struct flm_error *why)
{
    static const uint64_t ids[] = {41, 42}, chain[] = {FLM_CONTEXT_USER, 0x401000, 0x402000};
    char sample[400];
    make_sample(sample, sizeof sample, 42, 0x401000);
    struct flm_perf_stream *stream = flm_perf_stream_open(path, why);
    if (!stream)
        return false;
    flm_perf_stream_attributes(stream, &attr, ids, 2, "cpu-clock");
    flm_perf_stream_note(stream, "host", flm_bytes_of("here"));
    const struct flm_event_code code = {.address = FLM_CODE_FIRST + 7,
                                        .function = {"run", 3},
                                        .file = {"a.py", 4},
                                        .module = {"a", 1},
                                        .line = 12,
                                        .frame_kind = 5};
    flm_perf_stream_code(stream, &code);
    flm_perf_stream_sample(stream, sample, sizeof sample, chain, 3, (struct flm_bytes){0});
    const struct flm_build_id id = {.size = 20, .bytes = {0xab, 0xcd}};
    flm_perf_stream_feature(stream, FLM_STREAM_RELEASE, flm_bytes_of("6.1.0"));
    flm_perf_stream_build_id(stream, "[kernel.kallsyms]", true, &id);
    bool good = flm_perf_stream_round(stream, why);
    return flm_perf_stream_close(stream, good ? why : NULL) && good;
}

static void written_records_decode_to_the_same_events(void **state)
{
    (void)state;
    const char *path = temporary_path("app.flm.part");
    struct flm_error why;
    if (!write_file(path, &why))
        fail_msg("%s", why.text);
    struct flm_text file = read_file(path);
    assert_memory_equal(file.at, "PERFILE2\x10\0\0\0\0\0\0", 16);

    struct flm_event_layouts layouts = {0};
    struct flm_event event;
    static const uint32_t types[] = {
        FLM_RECORD_ATTRIBUTES, FLM_RECORD_EVENT_UPDATE, FLM_RECORD_OWN,      FLM_RECORD_OWN,
        PERF_RECORD_SAMPLE,    FLM_RECORD_FEATURE,      FLM_RECORD_BUILD_ID, FLM_RECORD_ROUND};
    size_t at = 16, count = 0;
    while (at < file.size) {
        struct flm_record_header header = flm_record_header(file.at + at, false);
        assert_true(count < sizeof types / sizeof types[0]);
        assert_int_equal(header.type, types[count++]);
        assert_int_equal(header.size % 8, 0);
        if (header.type == FLM_RECORD_ATTRIBUTES) {
            struct flm_event_layout layout;
            uint64_t ids[2];
            assert_int_equal(header.size, 8 + sizeof attr + sizeof ids);
            assert_true(flm_event_layout_init(&layout, file.at + at + 8, sizeof attr, false, NULL));
            assert_int_equal(layout.sample_type, FLM_STREAM_SAMPLE | PERF_SAMPLE_CALLCHAIN);
            memcpy(ids, file.at + at + 8 + sizeof attr, sizeof ids);
            assert_true(ids[0] == 41 && ids[1] == 42);
            assert_true(flm_event_layouts_add(&layouts, &layout, ids, 2, NULL));
        } else if (header.type == FLM_RECORD_EVENT_UPDATE) {
            assert_string_equal(file.at + at + 24, "cpu-clock");
        } else {
            assert_true(flm_event_decode(&layouts, file.at + at, header.size, at, &event, &why));
        }
        if (count == 3) {
            assert_int_equal(event.kind, FLM_EVENT_NOTE);
            assert_true(flm_bytes_are(event.note.key, "host"));
            assert_true(flm_bytes_are(event.note.value, "here"));
        } else if (count == 4) {
            assert_int_equal(event.kind, FLM_EVENT_CODE);
            assert_true(event.code.address == FLM_CODE_FIRST + 7 && event.code.line == 12);
            assert_true(flm_bytes_are(event.code.function, "run"));
            assert_true(flm_bytes_are(event.code.file, "a.py"));
            assert_true(flm_bytes_are(event.code.module, "a"));
        } else if (count == 5) {
            assert_int_equal(event.kind, FLM_EVENT_SAMPLE);
            assert_true(event.process == 4711 && event.thread == 4712);
            assert_true(event.time_ns == 123456789 && event.sample.period == 1001001);
            assert_true(event.sample.chain_count == 3 && event.sample.chain[2] == 0x402000);
            assert_int_equal(event.sample.stack.size, 0);
            assert_int_equal(event.sample.privilege, FLM_IN_USER);
        } else if (count == 6) { /* the number, the size of the text, the text */
            assert_memory_equal(file.at + at + 8,
                                "\4\0\0\0\0\0\0\0\f\0\0\0"
                                "6.1.0\0",
                                18);
        } else if (count == 7) { /* process -1, the id, its size, the path */
            assert_memory_equal(file.at + at + 8, "\377\377\377\377\253\315\0", 7);
            assert_memory_equal(file.at + at + 32, "\24\0\0\0[kernel.kallsyms]", 22);
        }
        at += header.size;
    }
    assert_int_equal(count, sizeof types / sizeof types[0]);
    flm_event_layouts_clear(&layouts);
    flm_text_clear(&file);
}

/* Two samples of "context-switches", read back; with the words about them that `say` writes. */
static double switches_read(void (*say)(struct flm_perf_stream *stream))
{
    static const uint64_t ids[] = {41, 42}, chain[] = {FLM_CONTEXT_USER, 0x401000, 0x402000};
    struct perf_event_attr switches = attr;
    switches.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    const char *path = temporary_path("switches.part");
    char sample[400];
    make_sample(sample, sizeof sample, 41, 0x401000);
    struct flm_perf_stream *stream = flm_perf_stream_open(path, NULL);
    assert_non_null(stream);
    flm_perf_stream_attributes(stream, &switches, ids, 2, "context-switches");
    say(stream);
    flm_perf_stream_sample(stream, sample, sizeof sample, chain, 3, (struct flm_bytes){0});
    flm_perf_stream_sample(stream, sample, sizeof sample, chain, 3, (struct flm_bytes){0});
    assert_true(flm_perf_stream_round(stream, NULL));
    assert_true(flm_perf_stream_close(stream, NULL));
    struct flm_error why = {0};
    struct flm_profile *p = flm_load(path, NULL, &why);
    if (!p) {
        assert_non_null(strstr(why.text, "no samples"));
        return 0;
    }
    double count = flm_profile_total(p, flm_profile_metric_named(p, "samples"));
    flm_profile_free(p);
    return count;
}

static void say_nothing(struct flm_perf_stream *stream)
{
    (void)stream;
}

static void say_marks(struct flm_perf_stream *stream)
{
    flm_perf_stream_marks(stream, 42);
}

static void say_marks_of_another(struct flm_perf_stream *stream)
{
    flm_perf_stream_marks(stream, 43);
}

/* As one that a damaged file has: the id is missing. */
static void say_half(struct flm_perf_stream *stream)
{
    const struct {
        struct perf_event_header header;
        uint64_t zero, magic, kind;
    } record = {{FLM_RECORD_OWN, 0, sizeof record}, 0, FLM_OWN_MAGIC, FLM_OWN_MARKS};
    flm_perf_stream_record(stream, (const char *)&record, sizeof record);
}

static void samples_that_only_mark_switches_are_not_counted(void **state)
{
    (void)state;
    assert_true(switches_read(say_nothing) == 2);
    assert_true(switches_read(say_marks) == 0);
    assert_true(switches_read(say_marks_of_another) == 2);
    assert_true(switches_read(say_half) == 2);
}

static void events_of_many_files_are_several_records(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    const char *path = temporary_path("many.part");
    uint64_t *ids = calloc(COUNT, sizeof *ids);
    struct flm_perf_stream *stream = flm_perf_stream_open(path, NULL);
    assert_true(ids && stream);
    for (size_t i = 0; i < COUNT; i++)
        ids[i] = i + 1;
    flm_perf_stream_attributes(stream, &attr, ids, COUNT, "cpu-clock");
    assert_true(flm_perf_stream_close(stream, NULL));
    struct flm_text file = read_file(path);
    uint64_t seen = 0;
    for (size_t at = 16; at < file.size;) {
        struct flm_record_header header = flm_record_header(file.at + at, false);
        assert_true(header.size > 0);
        for (size_t i = 8 + sizeof attr; header.type == 64 && i < header.size; i += 8, seen++)
            assert_memory_equal(file.at + at + i, &ids[seen], 8);
        at += header.size;
    }
    assert_int_equal(seen, COUNT);
    flm_text_clear(&file);
    free(ids);
}

static void a_chain_that_is_too_long_is_cut(void **state)
{
    (void)state;
    enum { COUNT = 9000 };
    const char *path = temporary_path("deep.part");
    uint64_t *chain = calloc(COUNT, sizeof *chain);
    char sample[64];
    make_sample(sample, sizeof sample, 1, 2);
    struct flm_perf_stream *stream = flm_perf_stream_open(path, NULL);
    assert_true(chain && stream);
    flm_perf_stream_sample(stream, sample, sizeof sample, chain, COUNT, (struct flm_bytes){0});
    assert_true(flm_perf_stream_size(stream) < 16 + 65536);
    assert_true(flm_perf_stream_close(stream, NULL));
    struct flm_text file = read_file(path);
    struct flm_record_header header = flm_record_header(file.at + 16, false);
    assert_int_equal(16 + header.size, file.size);
    flm_text_clear(&file);
    free(chain);
}

static void other_processes_see_that_the_spool_is_in_use(void **state)
{
    (void)state;
    char path[300];
    snprintf(path, sizeof path, "%s", temporary_path("locked.part"));
    struct flm_perf_stream *stream = flm_perf_stream_open(path, NULL);
    assert_non_null(stream);
    int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    assert_int_equal(flock(file, LOCK_EX | LOCK_NB), -1);
    assert_true(flm_perf_stream_close(stream, NULL));
    assert_int_equal(flock(file, LOCK_EX | LOCK_NB), 0);
    close(file);
    unlink(path);
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    struct flm_error why = {0};
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_false(write_file("/dev/full", &why));
    assert_string_equal(why.text, "/dev/full: cannot be written: No space left on device");
    assert_null(flm_perf_stream_open("/nonexistent/x", &why));
    assert_string_equal(why.text, "/nonexistent/x: cannot be written: No such file or directory");
    assert_true(flm_perf_stream_close(NULL, NULL));
}

static bool write_it(void *context, struct flm_error *why)
{
    return write_file(context, why);
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    char path[300];
    snprintf(path, sizeof path, "%s", temporary_path("failing.part"));
    assert_true(assert_survives_failures(write_it, path) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_records_decode_to_the_same_events),
        cmocka_unit_test(samples_that_only_mark_switches_are_not_counted),
        cmocka_unit_test(events_of_many_files_are_several_records),
        cmocka_unit_test(a_chain_that_is_too_long_is_cut),
        cmocka_unit_test(other_processes_see_that_the_spool_is_in_use),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
