#include "record/perf_data/perf_data.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/core/hash.h"
#include "flamel/file.h"
#include "profile/columns.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/programs.h"
#include "support/record/records.h"

/* Bytes in memory, as from a pipe. */
static struct flm_profile *read_bytes(struct flm_bytes bytes, struct flm_error *why)
{
    static const struct flm_session_options options = {.symbols = {.names_only = true},
                                                       .keep_times = true};
    struct flm_source source = flm_source_of(bytes);
    struct flm_session *s = flm_perf_data_read(&source, NULL, &options, why);
    struct flm_builder *b = s ? flm_builder_new(why) : NULL;
    struct flm_profile *p = NULL;
    if (b && flm_session_finish(s, b, NULL, NULL, why))
        p = flm_builder_finish(b, why);
    else
        flm_builder_free(b);
    flm_session_free(s);
    return p;
}

static struct flm_profile *load(const char *path)
{
    static const struct flm_load_options options = {.size = sizeof options, .no_inlines = true};
    struct flm_error why = {0};
    struct flm_profile *p = flm_load(path, &options, &why);
    if (!p)
        fail_msg("%s", why.text);
    assert_true(flm_profile_check(p, NULL));
    return p;
}

static double total(const struct flm_profile *p, const char *metric)
{
    struct flm_metric m = flm_profile_metric_named(p, metric);
    assert_int_not_equal(m.index, FLM_NONE);
    return flm_profile_total(p, m);
}

static bool has_loss(const struct flm_profile *p, const char *beginning)
{
    for (uint32_t i = 0; i < p->sizes.loss_count; i++)
        if (flm_bytes_start_with(flm_string_bytes(p, p->losses[i].what), beginning))
            return true;
    return false;
}

static bool has_note(const struct flm_profile *p, const char *key, const char *part)
{
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        struct flm_bytes value = flm_string_bytes(p, p->notes[i].value);
        if (flm_bytes_are(flm_string_bytes(p, p->notes[i].key), key) &&
            memmem(value.at, value.size, part, strlen(part)))
            return true;
    }
    return false;
}

/* What perf script says of the same recordings. */
static void recordings_have_the_totals_that_perf_says(void **state)
{
    (void)state;
    struct flm_profile *p = load("tests/data/perf_data/fp.data");
    assert_true(total(p, "cpu-clock") == 965931856);
    assert_true(total(p, "samples") == 482);
    assert_int_equal(p->sizes.sample_count, 482);
    assert_true(has_note(p, "command", "work_fp") && has_note(p, "host", "vm"));
    flm_profile_free(p);
    p = load("tests/data/perf_data/multi.data");
    assert_true(total(p, "page-faults") == 3332);
    assert_true(total(p, "context-switches") == 346);
    assert_true(total(p, "cpu-clock") == 482412000);
    assert_true(total(p, "samples") == 208);
    flm_profile_free(p);
}

static void every_form_of_perf_data_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *path, *metric;
        bool waits;
    } files[] = {{"tests/data/perf_data/stream.data", "cpu-clock", false},
                 {"tests/data/perf_data/compressed.data", "cpu-clock", false},
                 {"tests/data/perf_data/stack_dumps.data", "cpu-clock", false},
                 {"tests/data/perf_data/off_cpu.data", "context-switches", true}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct flm_profile *p = load(files[i].path);
        assert_true(total(p, files[i].metric) > 0);
        assert_int_equal(flm_profile_metric_named(p, "off-cpu").index != FLM_NONE, files[i].waits);
        assert_true(has_note(p, "command", "perf record"));
        assert_false(has_loss(p, "records"));
        assert_false(has_loss(p, "compressed"));
        flm_profile_free(p);
    }
}

static void compare(const char *path, void *context)
{
    (void)context;
    static const struct flm_load_options options = {.size = sizeof options, .no_inlines = true};
    struct flm_text bytes = read_file(path);
    struct flm_error why_file = {0}, why = {0};
    struct flm_profile *file = flm_load(path, &options, &why_file);
    struct flm_profile *memory = read_bytes((struct flm_bytes){bytes.at, bytes.size}, &why);
    assert_int_equal(file != NULL, memory != NULL);
    if (file) {
        assert_int_equal(file->sizes.node_count, memory->sizes.node_count);
        assert_true(total(file, "samples") == total(memory, "samples"));
        assert_int_equal(file->sizes.loss_count, memory->sizes.loss_count);
    } else {
        assert_non_null(strstr(why_file.text, why.text));
    }
    flm_profile_free(file);
    flm_profile_free(memory);
    flm_text_clear(&bytes);
}

static void a_file_and_the_same_bytes_from_a_pipe_are_one_profile(void **state)
{
    (void)state;
    assert_true(each_file("tests/data/perf_data", ".data", compare, NULL) >= 10);
}

static void damaged_files_are_refused_or_what_is_lost_is_counted(void **state)
{
    (void)state;
    static const struct {
        const char *path, *says; /* an error, or the beginning of a loss */
        bool refused;
    } files[] = {
        {"tests/data/perf_data/magic.data", "the file ends within its header", true},
        {"tests/data/perf_data/attributes.data", "the event table lies outside", true},
        {"tests/data/perf_data/no_size.data", "no samples", true},
        {"tests/data/perf_data/truncated.data", "last record", false},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct flm_error why = {0};
        struct flm_profile *p = flm_load(files[i].path, NULL, &why);
        assert_int_equal(p == NULL, files[i].refused);
        if (p)
            assert_true(has_loss(p, files[i].says));
        else if (!strstr(why.text, files[i].says))
            fail_msg("%s", why.text);
        flm_profile_free(p);
    }
}

/* Also where less than the header of a record is left. */
static void a_recording_that_is_cut_off_says_so(void **state)
{
    (void)state;
    static const char *const paths[] = {"tests/data/perf_data/fp.data",
                                        "tests/data/perf_data/stream.data"};
    for (size_t i = 0; i < 2; i++) {
        struct flm_text bytes = read_file(paths[i]);
        uint64_t end = bytes.size; /* of the records */
        if (i == 0)
            end = flm_load64(bytes.at + 40) + flm_load64(bytes.at + 48);
        for (size_t less = 1; less < 8; less++) {
            struct flm_error why = {0};
            struct flm_profile *p =
                read_bytes((struct flm_bytes){bytes.at, (size_t)end - less}, &why);
            assert_true(p && has_loss(p, "last record (cut off)"));
            flm_profile_free(p);
        }
        flm_text_clear(&bytes);
    }
}

static void every_shortened_recording_is_read_or_refused(void **state)
{
    (void)state;
    static const char *const paths[] = {"tests/data/perf_data/stream.data",
                                        "tests/data/perf_data/compressed.data"};
    for (size_t i = 0; i < 2; i++) {
        struct flm_text bytes = read_file(paths[i]);
        double last = 0;
        for (size_t size = 0; size < bytes.size; size += 211) {
            /* In a block of its own, so that a sanitizer sees what is read behind it. */
            char *copy = malloc(size + 1);
            memcpy(copy, bytes.at, size);
            struct flm_error why = {0};
            struct flm_profile *p = read_bytes((struct flm_bytes){copy, size}, &why);
            assert_true(p || why.kind == FLM_ERROR_FORMAT);
            if (p && i == 0) {
                /* A stream loses no more than what is not there. */
                assert_true(total(p, "samples") >= last);
                last = total(p, "samples");
            }
            flm_profile_free(p);
            free(copy);
        }
        flm_text_clear(&bytes);
    }
}

static void a_recording_whose_perf_was_killed_is_read_to_its_end(void **state)
{
    (void)state;
    struct flm_text bytes = read_file("tests/data/perf_data/fp.data");
    memset(bytes.at + 48, 0, 8); /* the size of all records */
    memset(bytes.at + 72, 0, 32);
    uint64_t data, size = 56584;
    memcpy(&data, bytes.at + 40, 8);
    assert_true(data < size);
    struct flm_error why = {0};
    struct flm_profile *p = read_bytes((struct flm_bytes){bytes.at, bytes.size}, &why);
    assert_non_null(p);
    assert_true(has_loss(p, "end of the recording (perf was killed"));
    assert_true(total(p, "samples") == 482);
    /* Nobody says what it is called: its kind does. */
    assert_true(total(p, "cpu-clock") == 965931856);
    flm_profile_free(p);
    flm_text_clear(&bytes);
}

/* A stream of one event, made field by field, in either byte order. */
static struct records make_stream(bool swapped)
{
    struct records r = {.swapped = swapped};
    put64(&r, UINT64_C(0x32454C4946524550));
    put64(&r, 16);
    struct flm_text attributes = records_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
                                                    RECORDS_SAMPLE_TYPE, swapped);
    record_begin(&r, FLM_RECORD_ATTRIBUTES, 0);
    flm_text_add(&r.bytes, (struct flm_bytes){attributes.at, attributes.size});
    put64(&r, 1); /* its id */
    record_end(&r);
    flm_text_clear(&attributes);
    put_name(&r, 1, 1, 1, "app", false);
    put_map(&r, 1, 1, 0x1000, 0x1000, 0, "/nowhere/app");
    const uint64_t chain[] = {FLM_CONTEXT_USER, 0x1100, 0x1201};
    for (uint64_t i = 0; i < 5; i++)
        put_sample(&r, 1, 1, 10 + i, chain, 3);
    record_begin(&r, FLM_RECORD_EVENT_UPDATE, 0); /* another name */
    put64(&r, 2);
    put64(&r, 1);
    put_text(&r, "my-clock");
    record_end(&r);
    put_round(&r);
    return r;
}

static void recordings_of_machines_of_the_other_byte_order_are_the_same(void **state)
{
    (void)state;
    struct flm_text written[2] = {{0}, {0}};
    for (int swapped = 0; swapped < 2; swapped++) {
        struct records r = make_stream(swapped);
        struct flm_error why = {0};
        struct flm_profile *p = read_bytes((struct flm_bytes){r.bytes.at, r.bytes.size}, &why);
        if (!p)
            fail_msg("%s", why.text);
        assert_true(total(p, "samples") == 5 && total(p, "my-clock") == 5000);
        const char *path = temporary_path("order.flm");
        assert_true(flm_save(p, path, NULL, NULL));
        written[swapped] = read_file(path);
        flm_profile_free(p);
        records_clear(&r);
    }
    assert_int_equal(written[0].size, written[1].size);
    assert_memory_equal(written[0].at, written[1].at, written[0].size);
    flm_text_clear(&written[0]);
    flm_text_clear(&written[1]);
}

static void an_AUX_trace_is_skipped_and_counted(void **state)
{
    (void)state;
    struct records r = make_stream(false);
    record_begin(&r, FLM_RECORD_AUXTRACE_INFO, 0);
    put32(&r, 1); /* Intel PT */
    put32(&r, 0);
    record_end(&r);
    record_begin(&r, FLM_RECORD_AUXTRACE, 0);
    put64(&r, 40);
    for (int i = 0; i < 4; i++)
        put64(&r, 0);
    record_end(&r);
    flm_text_repeat(&r.bytes, 'x', 40); /* no records, though they could be taken for such */
    const uint64_t chain[] = {FLM_CONTEXT_USER, 0x1100};
    put_sample(&r, 1, 1, 99, chain, 2);
    struct flm_profile *p = read_bytes((struct flm_bytes){r.bytes.at, r.bytes.size}, NULL);
    assert_non_null(p);
    assert_true(total(p, "samples") == 6);
    assert_true(has_loss(p, "bytes of Intel PT"));
    flm_profile_free(p);
    records_clear(&r);
}

/* As perf does at the end, from the counters of the events. */
static void put_lost_samples(struct records *r, uint64_t time, uint64_t count)
{
    record_begin(r, PERF_RECORD_LOST_SAMPLES, 0);
    put64(r, count);
    put32(r, 1);
    put32(r, 1);
    put64(r, time);
    record_end(r);
}

static double loss_of(const struct flm_profile *p, const char *what)
{
    for (uint32_t i = 0; i < p->sizes.loss_count; i++)
        if (flm_bytes_are(flm_string_bytes(p, p->losses[i].what), what))
            return p->losses[i].count;
    return 0;
}

static void samples_that_were_lost_are_counted_once(void **state)
{
    (void)state;
    static const struct {
        uint64_t in_rings, at_end, by_kernel;
        double events, samples;
    } cases[] = {{72, 72, 0, 72, 0}, {72, 90, 0, 72, 18}, {0, 5, 0, 0, 5}, {0, 0, 7, 0, 7}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct records r = make_stream(false);
        if (cases[i].in_rings)
            put_lost(&r, 20, cases[i].in_rings);
        put_lost_samples(&r, 21, cases[i].by_kernel); /* of its own, in between */
        put_lost_samples(&r, 0, cases[i].at_end);
        struct flm_profile *p = read_bytes((struct flm_bytes){r.bytes.at, r.bytes.size}, NULL);
        assert_non_null(p);
        assert_true(loss_of(p, "events (ring buffer full)") == cases[i].events);
        assert_true(loss_of(p, "samples (dropped by the kernel)") == cases[i].samples);
        flm_profile_free(p);
        records_clear(&r);
    }
}

static bool read_again(void *context, struct flm_error *why)
{
    const struct flm_text *bytes = context;
    struct flm_profile *p = read_bytes((struct flm_bytes){bytes->at, bytes->size}, why);
    flm_profile_free(p);
    return p;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct records r = make_stream(false);
    assert_survives_failures(read_again, &r.bytes);
    records_clear(&r);
}

/* ---- Large files ----------------------------------------------------------------------------- */

/* A stream of samples of 64 KiB, a round after each few: copies of stacks that are all zeros, so
 * that the file takes no room on the disk. */
static void write_large(const char *path, size_t samples)
{
    enum {
        COPY = 65000,
        A_ROUND = 64,
        SAMPLE_TYPE = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_STACK_USER
    };
    struct records r = {0};
    put64(&r, UINT64_C(0x32454C4946524550));
    put64(&r, 16);
    struct flm_text attributes =
        records_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, SAMPLE_TYPE, false);
    record_begin(&r, FLM_RECORD_ATTRIBUTES, 0);
    flm_text_add(&r.bytes, (struct flm_bytes){attributes.at, attributes.size});
    put64(&r, 1); /* its id */
    record_end(&r);
    flm_text_clear(&attributes);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fwrite(r.bytes.at, 1, r.bytes.size, file);
    for (size_t i = 0; i < samples; i++) {
        const struct {
            uint32_t type;
            uint16_t misc, size;
            uint64_t ip;
            uint32_t process, thread;
            uint64_t time, stack_size;
        } sample = {PERF_RECORD_SAMPLE,
                    PERF_RECORD_MISC_USER,
                    sizeof sample + COPY + 8,
                    0x1000 + i % 100,
                    1,
                    1,
                    10 + i,
                    COPY};
        const uint64_t round[] = {FLM_RECORD_ROUND | UINT64_C(8) << 48};
        fwrite(&sample, sizeof sample, 1, file);
        fseek(file, COPY + 8, SEEK_CUR); /* the copy, and how much of it is one: nothing */
        if (i % A_ROUND == A_ROUND - 1)
            fwrite(round, sizeof round, 1, file);
    }
    const uint64_t end[] = {FLM_RECORD_ROUND | UINT64_C(8) << 48};
    fwrite(end, sizeof end, 1, file);
    assert_int_equal(fclose(file), 0);
    records_clear(&r);
}

/* The most memory that a process of its own takes which reads the file, in KiB. */
static size_t memory_to_read(const char *path, double samples)
{
    int status;
    struct rusage usage;
    pid_t child = fork();
    if (child == 0) {
        struct flm_profile *p = load(path);
        _exit(total(p, "samples") == samples ? 0 : 1);
    }
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    assert_int_equal(status, 0);
    return (size_t)usage.ru_maxrss;
}

static void memory_does_not_grow_with_the_file(void **state)
{
    (void)state;
    enum { FEW = 512, MANY = 4096, MIB = 1024 };
    char path[4096];
    snprintf(path, sizeof path, "%s", temporary_path("large.data"));
    write_large(path, FEW); /* 32 MiB */
    size_t few = memory_to_read(path, FEW);
    write_large(path, MANY); /* 256 MiB */
    size_t many = memory_to_read(path, MANY);
    print_message("%zu MiB for 32 MiB, %zu MiB for 256 MiB\n", few / MIB, many / MIB);
    assert_true(many < few + 32 * MIB);
}

/* ---- Beside perf ----------------------------------------------------------------------------- */

/* How many samples perf script shows, and the sum of their periods. */
/* False where perf itself does not read what it has written: 6.1 sometimes ends with a failed
 * assertion about build ids. */
static bool ask_perf(const char *path, double *samples, double *periods)
{
    shell("perf script -i %s -F event,period,ip --no-inline > said.perf 2> /dev/null || "
          "rm -f said.perf",
          path);
    struct flm_text out = shell_output("[ ! -e said.perf ] || awk '/[0-9] +cpu-clock/ "
                                       "{ n++; s += $1 } END { printf \"%%d %%.0f\", n, s }' "
                                       "said.perf");
    flm_text_putc(&out, 0);
    bool said = sscanf(out.at, "%lf %lf", samples, periods) == 2;
    flm_text_clear(&out);
    return said;
}

static void what_perf_records_here_has_as_many_samples_as_perf_script_shows(void **state)
{
    (void)state;
    static const char *const ways[] = {
        "-g -o perf.data",
        "--call-graph dwarf,4096 -o perf.data",
        "-g -z -o perf.data",
        "-e page-faults -g --switch-events -o perf.data",
        "-e page-faults -e context-switches -o perf.data",
        "-g -o - > perf.data",
        "-g --threads -o perf.data",
    };
    if (!has_command("perf")) {
        print_message("there is no perf here\n");
        skip();
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        shell("perf record -q -e cpu-clock -F 999 %s sh -c 'i=0; while [ $i -lt 30000 ]; do "
              "i=$((i+1)); done' 2>/dev/null || rm -rf perf.data",
              ways[i]);
        char here[4096];
        snprintf(here, sizeof here, "%s", temporary_path("perf.data"));
        FILE *file = fopen(here, "r");
        if (!file) {
            print_message("perf may not record here: %s\n", ways[i]);
            continue;
        }
        fclose(file);
        double samples, periods;
        if (!ask_perf(here, &samples, &periods)) {
            print_message("perf cannot read its own recording: %s\n", ways[i]);
            continue;
        }
        struct flm_profile *p = load(here);
        assert_true(total(p, "cpu-clock") == periods);
        if (i < 3 || i >= 5)
            assert_true(total(p, "samples") == samples);
        flm_profile_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings_have_the_totals_that_perf_says),
        cmocka_unit_test(every_form_of_perf_data_is_read),
        cmocka_unit_test(a_file_and_the_same_bytes_from_a_pipe_are_one_profile),
        cmocka_unit_test(damaged_files_are_refused_or_what_is_lost_is_counted),
        cmocka_unit_test(a_recording_that_is_cut_off_says_so),
        cmocka_unit_test(every_shortened_recording_is_read_or_refused),
        cmocka_unit_test(a_recording_whose_perf_was_killed_is_read_to_its_end),
        cmocka_unit_test(recordings_of_machines_of_the_other_byte_order_are_the_same),
        cmocka_unit_test(an_AUX_trace_is_skipped_and_counted),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(samples_that_were_lost_are_counted_once),
        cmocka_unit_test(memory_does_not_grow_with_the_file),
        cmocka_unit_test(what_perf_records_here_has_as_many_samples_as_perf_script_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
