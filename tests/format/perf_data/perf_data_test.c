/* perf.data without symbols, as a page reads it, beside the same with symbols. Reading itself is
 * tested in record/perf_data/perf_data_test.c. */
#include "format/perf_data/perf_data_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/file.h"
#include "format/core/reading.h"
#include "profile/columns.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/record/scenario.h"

static const struct flm_format *const formats[] = {&flm_format_perf_addresses};
static const struct flm_formats table = {NULL, formats, 1};

static struct flm_profile *read_addresses(struct flm_bytes bytes, struct flm_error *why)
{
    static const struct flm_read_options options = {.keep_times = true};
    struct flm_source source = flm_source_of(bytes);
    struct flm_reading reading;
    struct flm_profile *p = NULL;
    if (flm_reading_begin(&reading, &table, &source, NULL, &options, why))
        p = flm_reading_finish(&reading, why);
    flm_reading_clear(&reading);
    return p;
}

static bool has_symbols_note(const struct flm_profile *p)
{
    for (uint32_t i = 0; i < p->sizes.note_count; i++)
        if (flm_bytes_are(flm_string_bytes(p, p->notes[i].key), "symbols"))
            return flm_bytes_start_with(flm_string_bytes(p, p->notes[i].value), "addresses only");
    return false;
}

/* The seeds are recordings of perf and flamel: files and streams, compressed, with stack dumps, and
 * damaged ones. */
static const char seeds[] = "tests/data/perf_data";

static bool has_dumps(const struct flm_profile *p)
{
    return lost(p, "user frames of stack dumps, which are unwound where they were recorded "
                   "(run 'flamel view FILE' there)") > 0;
}

/* How many frames the stacks of all nodes have; freed by the caller. */
static uint32_t *depths(const struct flm_profile *p)
{
    uint32_t count = flm_profile_node_count(p), *depth = calloc(count, sizeof *depth);
    uint32_t *parent = calloc(count, sizeof *parent);
    assert_true(depth && parent);
    flm_profile_parents(p, parent);
    for (uint32_t i = 1; i < count; i++)
        depth[i] = depth[parent[i]] + 1;
    free(parent);
    return depth;
}

/* Names differ, and what follows from them: the state of a wait. */
static void assert_agree(const struct flm_profile *a, const struct flm_profile *b)
{
    assert_int_equal(a->sizes.sample_count, b->sizes.sample_count);
    assert_int_equal(a->sizes.metric_count, b->sizes.metric_count);
    assert_int_equal(a->sizes.marker_count, b->sizes.marker_count);
    for (uint32_t i = 0; i < a->sizes.metric_count; i++)
        assert_true(flm_profile_total(a, (struct flm_metric){i}) ==
                    flm_profile_total(b, (struct flm_metric){i}));
    for (uint32_t i = 0; i < b->sizes.label_count; i++) {
        char key[64], value[64];
        struct flm_bytes k = flm_string_bytes(b, b->labels[i].key),
                         v = flm_string_bytes(b, b->labels[i].value);
        snprintf(key, sizeof key, "%.*s", (int)k.size, k.at);
        snprintf(value, sizeof value, "%.*s", (int)v.size, v.at);
        assert_true(strcmp(key, "state") == 0 || has_label(a, key, value));
    }
    uint32_t *of_a = depths(a), *of_b = depths(b);
    for (uint32_t i = 0; i < a->sizes.sample_count; i++) {
        assert_true(a->sample_time[i] == b->sample_time[i]);
        assert_true(flm_sample_duration(a, i) == flm_sample_duration(b, i));
        if (!has_dumps(a))
            assert_int_equal(of_a[a->sample_node[i]], of_b[b->sample_node[i]]);
    }
    free(of_a);
    free(of_b);
}

static void check_file(const char *path, void *context)
{
    static const struct flm_load_options options = {.size = sizeof options, .no_inlines = true};
    size_t *agreed = context;
    struct flm_error why = {0}, of_load = {0};
    struct flm_text bytes = read_file(path);
    struct flm_profile *a = read_addresses((struct flm_bytes){bytes.at, bytes.size}, &why);
    struct flm_profile *b = flm_load(path, &options, &of_load);
    assert_int_equal(a != NULL, b != NULL);
    if (a) {
        assert_true(flm_profile_check(a, NULL));
        assert_agree(a, b);
        assert_true(has_symbols_note(a));
        ++*agreed;
    } else {
        assert_non_null(strstr(of_load.text, why.text)); /* which begins with the path */
    }
    flm_profile_free(a);
    flm_profile_free(b);
    flm_text_clear(&bytes);
}

static void samples_threads_and_sums_are_those_with_symbols(void **state)
{
    (void)state;
    size_t agreed = 0;
    assert_true(each_file(seeds, ".data", check_file, &agreed) > 8);
    assert_true(agreed > 5);
}

static void stack_dumps_are_counted(void **state)
{
    (void)state;
    struct flm_text bytes = read_file("tests/data/perf_data/stack_dumps.data");
    struct flm_profile *p = read_addresses((struct flm_bytes){bytes.at, bytes.size}, NULL);
    assert_non_null(p);
    assert_true(has_dumps(p));
    assert_true(self_of(p, "samples", "") > 0);
    flm_profile_free(p);
    flm_text_clear(&bytes);
}

static void every_beginning_is_read_or_refused(void **state)
{
    (void)state;
    struct flm_text bytes = read_file("tests/data/perf_data/compressed.data");
    for (size_t size = 0; size < bytes.size; size += size < 1500 ? 1 : 37) {
        struct flm_error why = {0};
        char *copy = malloc(size + 1); /* so that a sanitizer sees a read past its end */
        assert_non_null(copy);
        memcpy(copy, bytes.at, size);
        struct flm_profile *p = read_addresses((struct flm_bytes){copy, size}, &why);
        assert_true(p || why.kind != FLM_ERROR_NONE);
        assert_true(!p || flm_profile_check(p, NULL));
        flm_profile_free(p);
        free(copy);
    }
    flm_text_clear(&bytes);
}

static bool read_again(void *context, struct flm_error *why)
{
    const struct flm_text *bytes = context;
    struct flm_profile *p = read_addresses((struct flm_bytes){bytes->at, bytes->size}, why);
    bool good = p != NULL;
    flm_profile_free(p);
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct flm_text bytes = read_file("tests/data/perf_data/compressed.data");
    assert_survives_failures(read_again, &bytes);
    flm_text_clear(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_threads_and_sums_are_those_with_symbols),
        cmocka_unit_test(stack_dumps_are_counted),
        cmocka_unit_test(every_beginning_is_read_or_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
