/* streams_test.c - flm_load_memory, flm_load_stream, flm_save_stream and flm_save_memory give what
 * flm_load and flm_save give, for every format of the table. */
#include "flamel/file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "os/gzip.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static struct flm_bytes bytes(const struct flm_text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Files of every format that is read; those that the library itself writes best are made here. */
static const struct {
    const char *format, *path;
} good[] = {
    {"flm", "tests/data/flm/v1-full.flm"},
    {"packed", "tests/data/packed/good.packed"},
    {"perf-data", "tests/data/perf_data/fp.data"},
    {"perf-data", "tests/data/perf_data/multi.data"},
    {"perf-data", "tests/data/perf_data/stream.data"},
    {"perf-data", "tests/data/perf_data/compressed.data"},
    {"pprof", "tests/data/pprof/go-cpu-labels.pb"},
    {"pprof-legacy", "tests/data/pprof_legacy/cppbench.contention"},
    {"perf-script", "tests/data/perf_script/default.txt"},
    {"otlp", "tests/data/otlp/go.json"},
    {"perf-report", "tests/data/perf_report/counts.txt"},
    {"perf-json", "tests/data/perf_json/converted.json"},
    {"simpleperf", "tests/data/android/samples.simpleperf"},
    {"art", "tests/data/android/streaming.trace"},
    {"gecko", "tests/data/gecko/firefox-59.json"},
    {"speedscope", "tests/data/speedscope/two-sampled.json"},
    {"thread-dump", "tests/data/java/jstack25-l-e.txt"},
    {"javacore", "tests/data/java/javacore.txt"},
    {"austin", "tests/data/austin/wall.austin"},
    {"json", "tests/data/json_profile/full.json"},
    {"jfr", "tests/data/jfr/async-profiler.jfr"},
    {"cpuprofile", "tests/data/v8/example.cpuprofile"},
    {"heapprofile", "tests/data/v8/node20.heapprofile"},
    {"heaptimeline", "tests/data/v8/allocations.heaptimeline"},
    {"v8log", "tests/data/v8/log.json"},
    {"trace", "tests/data/trace/kineto.json"},
    {"perfetto", "tests/data/perfetto/events.pftrace"},
    {"pstats", "tests/data/pstats/cprofile.pstats"},
    {"pyinstrument", "tests/data/text_stacks/pyinstrument.pyisession"},
    {"scalene", "tests/data/text_stacks/scalene.json"},
    {"memray", "tests/data/memray/v13_all.bin"},
    {"callgrind", "tests/data/callgrind/threads.out"},
    {"massif", "tests/data/massif/stacks.out"},
    {"dhat", "tests/data/dhat/heap.json"},
    {"heaptrack", "tests/data/heaptrack/every.txt"},
    {"gprof", "tests/data/text_stacks/gprof.txt"},
    {"rocprof-csv", "tests/data/rocprof_csv/hip_trace.csv"},
    {"rocprof-json", "tests/data/rocprof_json/two.json"},
    {"probe", "tests/data/probe/small.probe"},
    {"rocpd", "tests/data/rocpd/full.db"},
    {"nsight", "tests/data/nsight/full.sqlite"},
    {"mojo", "tests/data/austin/wall.mojo"},
    {"bpftrace", "tests/data/text_stacks/bpftrace.txt"},
    {"gdb", "tests/data/text_stacks/gdb.txt"},
    {"python-dump", "tests/data/text_stacks/faulthandler.txt"},
    {"goroutines", "tests/data/text_stacks/goroutines.txt"},
    {"sample", "tests/data/text_stacks/sample.txt"},
    {"instruments", "tests/data/text_stacks/instruments16.txt"},
    {"xctrace", "tests/data/text_stacks/xctrace.xml"},
    {"dtrace", "tests/data/text_stacks/dtrace.txt"},
    {"pmcstat", "tests/data/text_stacks/pmcstat.txt"},
    {"stackprof", "tests/data/text_stacks/stackprof.json"},
    {"rbspy", "tests/data/text_stacks/rbspy.raw"},
    {"rprof", "tests/data/text_stacks/rprof.out"},
    {"safari", "tests/data/text_stacks/safari.json"},
    {"ghc", "tests/data/text_stacks/ghc.json"},
    {"ghc-report", "tests/data/text_stacks/ghc-report.prof"},
    {"vtune", "tests/data/text_stacks/vtune.csv"},
    {"vsprof", "tests/data/text_stacks/vsprof.csv"},
    {"uftrace", "tests/data/text_stacks/uftrace.txt"},
    {"self-profile", "tests/data/text_stacks/self-profile.json"},
    {"papyrus", "tests/data/text_stacks/papyrus.log"},
    {"folded", "tests/data/folded/good.folded"},
    {"folded", "tests/data/folded/simple-utf16-le.txt"},
};
enum { GOOD = sizeof good / sizeof good[0] };

struct stream {
    struct flm_bytes left;
    size_t step;       /* at most so many at once */
    size_t fail_after; /* bytes; 0: never */
    size_t passed;
};

static bool next(void *context, void *buffer, size_t room, size_t *size)
{
    struct stream *s = context;
    assert_true(room > 0);
    if (s->fail_after && s->passed >= s->fail_after)
        return false;
    *size = room < s->step ? room : s->step;
    if (*size > s->left.size)
        *size = s->left.size;
    if (*size)
        memcpy(buffer, s->left.at, *size);
    s->left = (struct flm_bytes){s->left.at + *size, s->left.size - *size};
    s->passed += *size;
    return true;
}

static void assert_loads_the_same(struct flm_bytes all, const struct flm_profile *expected,
                                  const char *format)
{
    const char *found = NULL;
    const struct flm_load_options options = {
        .size = sizeof options, .no_inlines = true, .found_format = &found};
    struct flm_error why = {0};
    struct flm_profile *p = flm_load_memory(all.at, all.size, &options, &why);
    if (!p)
        fail_msg("%s from memory: %s", format, why.text);
    assert_string_equal(found, format);
    assert_profiles_equal(p, expected);
    flm_profile_free(p);
    static const size_t steps[] = {1, 4096, SIZE_MAX};
    for (size_t i = all.size > 100000; i < sizeof steps / sizeof steps[0]; i++) {
        struct stream stream = {.left = all, .step = steps[i]};
        found = NULL;
        p = flm_load_stream(next, &stream, &options, &why);
        if (!p)
            fail_msg("%s from a stream: %s", format, why.text);
        assert_string_equal(found, format);
        assert_profiles_equal(p, expected);
        flm_profile_free(p);
    }
}

static void assert_same_from_everywhere(const char *path, const char *format)
{
    const struct flm_load_options options = {.size = sizeof options, .no_inlines = true};
    struct flm_error why = {0};
    struct flm_profile *expected = flm_load(path, &options, &why);
    if (!expected)
        fail_msg("%s", why.text);
    struct flm_text file = read_file(path), gzip = {0};
    assert_loads_the_same(bytes(&file), expected, format);
    assert_true(flm_gzip(bytes(&file), 1, &gzip, NULL));
    assert_loads_the_same(bytes(&gzip), expected, format);
    flm_text_clear(&file);
    flm_text_clear(&gzip);
    flm_profile_free(expected);
}

/* Memory has no date; that of a file says which libraries were replaced while it was recorded. The
 * copy is older than all of them. */
static const char *old_copy(const char *path)
{
    static const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    struct flm_text file = read_file(path);
    const char *copy = write_temporary(strrchr(path, '/') + 1, bytes(&file));
    assert_int_equal(utimensat(AT_FDCWD, copy, times, 0), 0);
    flm_text_clear(&file);
    return copy;
}

static void memory_and_streams_give_what_the_file_gives(void **state)
{
    (void)state;
    for (size_t i = 0; i < GOOD; i++)
        assert_same_from_everywhere(old_copy(good[i].path), good[i].format);
    struct flm_error why = {0};
    struct flm_profile *p = profile_of("main;read 10\nmain 2\n");
    const char *page = temporary_path("app.html");
    if (flm_save(p, page, NULL, &why))
        assert_same_from_everywhere(page, "html");
    else
        assert_non_null(strstr(why.text, "built without"));
    flm_profile_free(p);
}

static void every_format_that_is_read_is_tested_here(void **state)
{
    (void)state;
    struct flm_format_info info = {.size = sizeof info};
    for (size_t i = 0; flm_format_at(i, &info); i++) {
        bool tested = !info.reads || strcmp(info.name, "html") == 0;
        for (size_t k = 0; !tested && k < GOOD; k++)
            tested = strcmp(info.name, good[k].format) == 0;
        if (!tested)
            fail_msg("no file of %s is read from memory and from a stream", info.name);
    }
}

static void large_memory_is_read_by_threads_as_by_one(void **state)
{
    (void)state;
    struct flm_text text = {0};
    for (unsigned i = 0; text.size < (9u << 20); i++)
        flm_text_format(&text, "main;f%u;g%u %u\n", i % 1000, i % 77, i % 9 + 1);
    assert_false(text.failed);
    struct flm_load_options options = {.size = sizeof options, .threads = 1};
    struct flm_profile *one = flm_load_memory(text.at, text.size, &options, NULL);
    options.threads = 2;
    struct flm_profile *two = flm_load_memory(text.at, text.size, &options, NULL);
    assert_non_null(one);
    assert_non_null(two);
    assert_profiles_equal(one, two);
    flm_profile_free(one);
    flm_profile_free(two);
    flm_text_clear(&text);
}

static void nothing_is_kept_of_the_memory(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 10\n");
    struct flm_text flm = bytes_of(p);
    struct flm_profile *q = flm_load_memory(flm.at, flm.size, NULL, NULL);
    assert_non_null(q);
    memset(flm.at, 0xAA, flm.size);
    assert_profiles_equal(p, q);
    flm_text_clear(&flm);
    flm_profile_free(p);
    flm_profile_free(q);
}

static void bad_bytes_and_bad_streams_are_refused(void **state)
{
    (void)state;
    struct flm_error why = {0};
    assert_null(flm_load_memory(NULL, 0, NULL, &why));
    assert_string_equal(why.text, "the file is empty: it has no stacks");
    assert_null(flm_load_memory("main;f x\n", 9, NULL, &why));
    assert_int_equal(why.line, 1);
    assert_null(flm_load_memory("\x1F\x8B\x08", 3, NULL, &why));
    assert_non_null(strstr(why.text, "cut off"));
    const char *text = "main;read 10\nmain 2\n";
    for (size_t after = 1; after < strlen(text); after++) {
        struct stream stream = {flm_bytes_of(text), 1, after, 0};
        assert_null(flm_load_stream(next, &stream, NULL, &why));
        assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
        assert_string_equal(why.text, "the stream cannot be read");
    }
}

static bool too_much(void *context, void *buffer, size_t room, size_t *size)
{
    (void)context, (void)buffer;
    *size = room + 1;
    return true;
}

static void a_stream_that_returns_too_much_is_refused(void **state)
{
    (void)state;
    struct flm_error why = {0};
    assert_null(flm_load_stream(too_much, NULL, NULL, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
}

static bool count_progress(void *context, uint64_t done, uint64_t size)
{
    uint64_t *most = context;
    assert_true(done <= size);
    *most = done > *most ? done : *most;
    return done < size / 2;
}

static void reading_memory_reports_progress_and_stops(void **state)
{
    (void)state;
    struct flm_text text = {0};
    while (text.size < (32u << 20))
        flm_text_puts(&text, "main;read;parse;a_rather_long_name_of_a_function 10\n");
    uint64_t most = 0;
    const struct flm_load_options options = {.size = sizeof options,
                                             .threads = 1,
                                             .progress = count_progress,
                                             .progress_context = &most};
    struct flm_error why = {0};
    assert_null(flm_load_memory(text.at, text.size, &options, &why));
    assert_int_equal(why.kind, FLM_ERROR_CANCELED);
    assert_true(most >= text.size / 2);
    flm_text_clear(&text);
}

/* ---- Writing --------------------------------------------------------------------------------- */

struct collected {
    struct flm_text text;
    size_t refuse_after; /* calls; 0: never */
    size_t calls;
};

static bool collect(void *context, const void *at, size_t size)
{
    struct collected *c = context;
    c->calls++;
    flm_text_add(&c->text, (struct flm_bytes){at, size});
    return c->calls != c->refuse_after;
}

static void assert_saves_the_same(const struct flm_profile *p, struct flm_save_options options)
{
    struct flm_error why = {0};
    const char *path = temporary_path("saved");
    if (!flm_save(p, path, &options, &why))
        fail_msg("%s: %s", options.format, why.text);
    struct flm_text expected = read_file(path);
    struct collected stream = {{0}, 0, 0};
    size_t size = 1;
    if (!flm_save_stream(p, collect, &stream, &options, &why))
        fail_msg("%s to a stream: %s", options.format, why.text);
    assert_int_equal(stream.text.size, expected.size);
    assert_memory_equal(stream.text.at, expected.at, expected.size);
    char *memory = flm_save_memory(p, &size, &options, &why);
    if (!memory)
        fail_msg("%s to memory: %s", options.format, why.text);
    assert_int_equal(size, expected.size);
    assert_memory_equal(memory, expected.at, size);
    for (size_t calls = 1; calls <= stream.calls; calls++) {
        struct collected refused = {{0}, calls, 0};
        assert_false(flm_save_stream(p, collect, &refused, &options, &why));
        assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
        assert_int_equal(refused.calls, calls); /* not called again */
        flm_text_clear(&refused.text);
    }
    free(memory);
    flm_text_clear(&expected);
    flm_text_clear(&stream.text);
}

static void streams_and_memory_get_what_the_file_gets(void **state)
{
    (void)state;
    struct flm_profile *sums = profile_of_two("main;read 10 3\nmain 2 2\nmain;write_[k] 5 9\n");
    uint64_t random = 5;
    struct random_shape shape = random_full;
    shape.samples = RANDOM_SAMPLES_ALL;
    shape.negative = false;
    struct flm_profile *timed = random_profile(&random, &shape);
    struct flm_format_info info = {.size = sizeof info};
    for (size_t i = 0; flm_format_at(i, &info); i++) {
        struct flm_save_options options = {
            .size = sizeof options, .format = info.name, .name = "app"};
        if (!info.writes)
            continue;
        const struct flm_profile *p = strcmp(info.name, "trace") == 0 ? timed : sums;
        assert_saves_the_same(p, options);
        options.compress = true;
        assert_saves_the_same(p, options);
        if (info.takes_baseline) {
            options.base = p;
            assert_saves_the_same(p, options);
        }
    }
    flm_profile_free(sums);
    flm_profile_free(timed);
}

static void a_format_must_be_given(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 1\n");
    struct flm_error why = {0};
    struct collected stream = {{0}, 0, 0};
    size_t size = 1;
    assert_false(flm_save_stream(p, collect, &stream, NULL, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_non_null(strstr(why.text, "which format"));
    assert_null(flm_save_memory(p, &size, NULL, NULL));
    assert_int_equal(size, 0);
    assert_int_equal(stream.calls, 0);
    flm_profile_free(p);
}

/* ---- Options --------------------------------------------------------------------------------- */

static void options_of_older_callers_are_accepted_and_of_newer_ones_refused(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 1\n");
    struct flm_error why = {0};
    size_t size;
    /* What a caller does not know is not looked at, though it lies there. */
    struct flm_load_options load = {.size = offsetof(struct flm_load_options, allow_negative),
                                    .format = "folded",
                                    .columns = 99};
    struct flm_profile *q = flm_load_memory("main 1\n", 7, &load, &why);
    assert_non_null(q);
    assert_profiles_equal(p, q);
    static const size_t bad[] = {0, 3, sizeof load + 8, sizeof(struct flm_save_options) + 100};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct flm_load_options wrong = {.size = bad[i]};
        if (bad[i] > 3 && bad[i] <= sizeof wrong)
            continue;
        assert_null(flm_load_memory("main 1\n", 7, &wrong, &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
        assert_non_null(strstr(why.text, "struct flm_load_options"));
        assert_null(flm_load("tests/data/folded/good.folded", &wrong, NULL));
    }
    struct flm_save_options save = {.size = 0, .format = "folded"};
    assert_null(flm_save_memory(p, &size, &save, &why));
    assert_non_null(strstr(why.text, "struct flm_save_options"));
    save.size = offsetof(struct flm_save_options, metric);
    save.metric = "none";
    char *folded = flm_save_memory(p, &size, &save, &why);
    assert_non_null(folded);
    assert_int_equal(size, 7);
    assert_memory_equal(folded, "main 1\n", 7);
    free(folded);
    flm_profile_free(p);
    flm_profile_free(q);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static bool load_memory(void *context, struct flm_error *why)
{
    const struct flm_text *text = context;
    struct flm_profile *p = flm_load_memory(text->at, text->size, NULL, why);
    flm_profile_free(p);
    return p != NULL;
}

static bool load_stream(void *context, struct flm_error *why)
{
    struct stream stream = {bytes(context), 100, 0, 0};
    struct flm_profile *p = flm_load_stream(next, &stream, NULL, why);
    flm_profile_free(p);
    return p != NULL;
}

static bool save_memory(void *context, struct flm_error *why)
{
    struct flm_save_options options = {.size = sizeof options, .format = "flm", .compress = true};
    size_t size;
    void *memory = flm_save_memory(context, &size, &options, why);
    free(memory);
    return memory != NULL;
}

static bool save_folded(void *context, struct flm_error *why)
{
    struct flm_save_options options = {.size = sizeof options, .format = "folded"};
    size_t size;
    void *memory = flm_save_memory(context, &size, &options, why);
    free(memory);
    return memory != NULL;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    uint64_t random = 3;
    struct flm_profile *p = random_profile(&random, &random_full);
    struct flm_text flm = bytes_of(p), gzip = {0};
    assert_true(flm_gzip(bytes(&flm), 1, &gzip, NULL));
    assert_true(assert_survives_failures(load_memory, &flm) > 1);
    assert_true(assert_survives_failures(load_memory, &gzip) > 2);
    assert_true(assert_survives_failures(load_stream, &flm) > 1);
    assert_true(assert_survives_failures(save_memory, p) > 2);
    assert_true(assert_survives_failures(save_folded, p) > 2);
    flm_text_clear(&flm);
    flm_text_clear(&gzip);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_and_streams_give_what_the_file_gives),
        cmocka_unit_test(every_format_that_is_read_is_tested_here),
        cmocka_unit_test(large_memory_is_read_by_threads_as_by_one),
        cmocka_unit_test(nothing_is_kept_of_the_memory),
        cmocka_unit_test(bad_bytes_and_bad_streams_are_refused),
        cmocka_unit_test(a_stream_that_returns_too_much_is_refused),
        cmocka_unit_test(reading_memory_reports_progress_and_stops),
        cmocka_unit_test(streams_and_memory_get_what_the_file_gets),
        cmocka_unit_test(a_format_must_be_given),
        cmocka_unit_test(options_of_older_callers_are_accepted_and_of_newer_ones_refused),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
