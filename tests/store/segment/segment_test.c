#include "store/segment/segment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/random.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

static struct flm_store_rows random_rows(uint64_t *random, unsigned count, int kind)
{
    struct flm_store_rows rows = {0};
    for (unsigned i = 0; i < count; i++) {
        struct flm_store_row row = {.node = random_below(random, 40),
                                    .series = random_below(random, 5),
                                    .time_ms = 15000 * (int64_t)random_below(random, 30),
                                    .value = 10 * (double)random_below(random, 9)};
        row.value = kind == 1 ? row.value / 3 : kind == 2 ? row.value * 0x1p60 : row.value;
        row.time_ms += kind == 3 ? random_below(random, 1000) : 0;
        row.value = kind == 4 ? -row.value : row.value;
        assert_true(FLM_ARRAY_ADD(&rows, row));
    }
    return rows;
}

/* By the plainest way. */
static double sum_of(const struct flm_store_rows *rows, uint32_t node, uint32_t series,
                     int64_t from, int64_t until)
{
    double sum = 0;
    for (size_t i = 0; i < rows->count; i++)
        if (rows->at[i].node == node && rows->at[i].series == series &&
            rows->at[i].time_ms >= from && rows->at[i].time_ms < until)
            sum += rows->at[i].value;
    return sum;
}

static double sums[40][5];

static void keep_sum(void *context, uint32_t node, uint32_t series, double sum)
{
    (void)context;
    sums[node][series] += sum;
}

static void columns_have_all_rows_again(void **state)
{
    (void)state;
    uint64_t random = 7;
    static const unsigned counts[] = {0, 1, 2, 50, 3000, 30000};
    for (int kind = 0; kind < 5; kind++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            struct flm_store_rows rows = random_rows(&random, counts[c], kind), again = {0};
            struct flm_text text = {0};
            struct flm_store_range range = {
                .until_ms = INT64_MAX, .series_count = 5, .node_count = 40};
            assert_true(flm_store_rows_sort(&rows));
            flm_store_rows_encode(rows.at, rows.count, &text);
            assert_true(flm_store_rows_decode((struct flm_bytes){text.at, text.size}, &range,
                                              &again, NULL));
            assert_int_equal(again.count, rows.count);
            for (size_t i = 0; i < rows.count; i++) {
                assert_int_equal(again.at[i].node, rows.at[i].node);
                assert_int_equal(again.at[i].series, rows.at[i].series);
                assert_int_equal(again.at[i].time_ms, rows.at[i].time_ms);
                assert_true(again.at[i].value == rows.at[i].value);
            }
            FLM_ARRAY_CLEAR(&rows);
            FLM_ARRAY_CLEAR(&again);
            flm_text_clear(&text);
        }
}

static void sums_are_of_what_is_wanted(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (int i = 0; i < 40; i++) {
        struct flm_store_rows rows = random_rows(&random, 1 + random_below(&random, 3000), 0);
        struct flm_text text = {0};
        unsigned char wanted[5];
        for (int s = 0; s < 5; s++)
            wanted[s] = random_below(&random, 2) != 0;
        int64_t from = 1000 * (int64_t)random_below(&random, 500),
                until = from + random_below(&random, 300000);
        struct flm_store_range range = {.from_ms = from,
                                        .until_ms = until,
                                        .series = i % 3 ? wanted : NULL,
                                        .series_count = 5,
                                        .node_count = 40};
        assert_true(flm_store_rows_sort(&rows));
        flm_store_rows_encode(rows.at, rows.count, &text);
        memset(sums, 0, sizeof sums);
        assert_true(flm_store_rows_sum((struct flm_bytes){text.at, text.size}, &range, keep_sum,
                                       NULL, NULL));
        for (uint32_t node = 0; node < 40; node++)
            for (uint32_t series = 0; series < 5; series++)
                assert_true(sums[node][series] == (range.series && !wanted[series]
                                                       ? 0
                                                       : sum_of(&rows, node, series, from, until)));
        FLM_ARRAY_CLEAR(&rows);
        flm_text_clear(&text);
    }
}

static void damaged_columns_are_refused_or_read(void **state)
{
    (void)state;
    uint64_t random = 13;
    struct flm_store_rows rows = random_rows(&random, 300, 0), again = {0};
    struct flm_text text = {0};
    const struct flm_store_range range = {
        .until_ms = INT64_MAX, .series_count = 5, .node_count = 40};
    assert_true(flm_store_rows_sort(&rows));
    flm_store_rows_encode(rows.at, rows.count, &text);
    for (size_t size = 0; size < text.size; size++) {
        struct flm_error why = {0};
        again.count = 0;
        assert_false(
            flm_store_rows_decode((struct flm_bytes){text.at, size}, &range, &again, &why));
        assert_int_equal(why.kind, FLM_ERROR_FORMAT);
    }
    for (size_t at = 0; at < text.size; at++)
        for (int bit = 0; bit < 8; bit++) {
            text.at[at] ^= (char)(1 << bit);
            again.count = 0;
            if (flm_store_rows_decode((struct flm_bytes){text.at, text.size}, &range, &again, NULL))
                for (size_t i = 0; i < again.count; i++)
                    assert_true(again.at[i].node < 40 && again.at[i].series < 5 &&
                                again.at[i].time_ms >= 0);
            text.at[at] ^= (char)(1 << bit);
        }
    FLM_ARRAY_CLEAR(&rows);
    FLM_ARRAY_CLEAR(&again);
    flm_text_clear(&text);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static struct flm_profile *tree_of(uint32_t nodes)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric rows = flm_builder_metric(b, "rows", "count");
    struct flm_node root = flm_builder_root(b);
    for (uint32_t i = 1; i < nodes; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%04u", i);
        flm_builder_add(b, flm_builder_child(b, root, flm_builder_function(b, name, strlen(name))),
                        rows, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_int_equal(flm_profile_node_count(p), nodes);
    return p;
}

enum { HOUR = 3600 * 1000, BEGIN = 100 * HOUR };
static const struct flm_bytes two_services[] = {
    {"\0api\0h\0a\0", 9}, {"\0api\0h\0b\0", 9}, {"\0web\0", 5}};

/* Three series of two services, and their rows. */
static bool write_segment(const char *path, struct flm_store_rows *api, struct flm_store_rows *web,
                          struct flm_error *why)
{
    struct flm_profile *tree = tree_of(40);
    struct flm_segment_writer *w =
        flm_segment_begin(path, BEGIN, BEGIN + HOUR, tree, two_services, 3, why);
    uint64_t size = 0;
    bool good = w != NULL;
    good = good && flm_segment_add(w, flm_bytes_of("cpu:ns"), 0, 2, api, why) &&
           flm_segment_add(w, flm_bytes_of("cpu:ns"), 2, 1, web, why);
    if (w && good)
        good = flm_segment_finish(w, &size, why);
    else
        flm_segment_abandon(w);
    flm_profile_free(tree);
    return good;
}

static struct flm_store_rows rows_of(uint64_t *random, unsigned count, unsigned series)
{
    struct flm_store_rows rows = random_rows(random, count, 0);
    for (size_t i = 0; i < rows.count; i++)
        rows.at[i].series %= series;
    assert_true(flm_store_rows_sort(&rows));
    return rows;
}

struct times {
    const struct flm_store_rows *rows;
    size_t count;
};

static void check_time(void *context, uint32_t series, int64_t time_ms, double value)
{
    struct times *t = context;
    double sum = 0;
    for (uint32_t node = 0; node < 40; node++)
        sum += sum_of(t->rows, node, series, time_ms - BEGIN, time_ms - BEGIN + 1);
    assert_true(sum == value);
    t->count++;
}

static void a_segment_answers_as_its_rows_do(void **state)
{
    (void)state;
    uint64_t random = 17;
    struct flm_store_rows api = rows_of(&random, 5000, 2), web = rows_of(&random, 300, 1);
    const char *path = temporary_path("a.seg");
    struct flm_error why = {0};
    assert_true(write_segment(path, &api, &web, &why));
    struct flm_segment *s = flm_segment_open(path, &why);
    assert_non_null(s);
    assert_int_equal(flm_segment_series_count(s), 3);
    assert_int_equal(flm_segment_group_count(s), 2);
    assert_true(flm_bytes_equal(flm_segment_series(s, 1), two_services[1]));
    assert_int_equal(flm_segment_group(s, 1)->first_series, 2);
    assert_int_equal(flm_segment_group(s, 0)->row_count, api.count);
    assert_int_equal(flm_segment_from_ms(s), BEGIN);
    const unsigned char second[] = {0, 1};
    static const struct {
        int64_t from, until;
        bool second;
    } cases[] = {{BEGIN, BEGIN + HOUR, false},
                 {0, INT64_MAX, false},
                 {BEGIN + 30000, BEGIN + 90001, false},
                 {BEGIN, BEGIN + HOUR, true},
                 {0, BEGIN, false},
                 {BEGIN + HOUR, INT64_MAX, false},
                 {BEGIN + 45000, BEGIN + HOUR, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double self[40] = {0};
        assert_true(flm_segment_sum(s, 0, cases[i].from, cases[i].until,
                                    cases[i].second ? second : NULL, self, &why));
        for (uint32_t node = 0; node < 40; node++)
            assert_true(self[node] ==
                        (cases[i].second ? 0
                                         : sum_of(&api, node, 0, cases[i].from - BEGIN,
                                                  cases[i].until - BEGIN)) +
                            sum_of(&api, node, 1, cases[i].from - BEGIN, cases[i].until - BEGIN));
    }
    struct times times = {&web, 0};
    assert_true(flm_segment_times(s, 1, check_time, &times, &why));
    assert_true(times.count > 20);
    struct flm_store_rows again = {0};
    assert_true(flm_segment_rows(s, 0, &again, &why));
    assert_int_equal(again.count, api.count);
    assert_memory_equal(&again.at[17], &api.at[17], sizeof *api.at);
    assert_true(flm_segment_check(s, &why));
    flm_segment_close(s);
    FLM_ARRAY_CLEAR(&again);
    FLM_ARRAY_CLEAR(&api);
    FLM_ARRAY_CLEAR(&web);
}

/* Whatever is damaged: a sentence with the file, or all is as it was. */
static void damage_is_found_and_named(void **state)
{
    (void)state;
    uint64_t random = 19;
    struct flm_store_rows api = rows_of(&random, 400, 2), web = rows_of(&random, 30, 1);
    char path[200];
    struct flm_error why = {0};
    snprintf(path, sizeof path, "%s", temporary_path("whole.seg"));
    assert_true(write_segment(path, &api, &web, &why));
    struct flm_text whole = read_file(path);
    for (size_t at = 0; at < whole.size; at += at < 64 ? 1 : 7) {
        for (int cut = 0; cut < 2; cut++) {
            whole.at[at] ^= (char)(cut ? 0 : 1 + at % 200);
            const char *damaged =
                write_temporary("damaged.seg", (struct flm_bytes){whole.at, cut ? at : whole.size});
            whole.at[at] ^= (char)(cut ? 0 : 1 + at % 200);
            struct flm_segment *s = flm_segment_open(damaged, &why);
            bool good = s && flm_segment_check(s, &why);
            assert_false(good);
            assert_int_equal(why.kind, FLM_ERROR_FORMAT);
            assert_non_null(strstr(why.text, "damaged.seg: "));
            flm_segment_close(s);
        }
    }
    flm_text_clear(&whole);
    assert_null(flm_segment_open(temporary_path("missing.seg"), &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    FLM_ARRAY_CLEAR(&api);
    FLM_ARRAY_CLEAR(&web);
}

static void what_is_abandoned_leaves_nothing(void **state)
{
    (void)state;
    char path[200], temporary[210];
    snprintf(path, sizeof path, "%s", temporary_path("abandoned.seg"));
    snprintf(temporary, sizeof temporary, "%s.new", path);
    struct flm_profile *tree = tree_of(2);
    struct flm_segment_writer *w = flm_segment_begin(path, 0, HOUR, tree, NULL, 0, NULL);
    assert_non_null(w);
    FILE *file = fopen(temporary, "r");
    assert_non_null(file);
    fclose(file);
    flm_segment_abandon(w);
    assert_null(fopen(path, "r"));
    assert_null(fopen(temporary, "r"));
    flm_profile_free(tree);
}

static bool write_and_read(void *context, struct flm_error *why)
{
    const char *path = context;
    struct flm_store_rows rows = {0};
    struct flm_profile *tree = NULL;
    static const struct flm_store_row all[] = {{1, 0, 0, 5}, {1, 1, 15000, 7}};
    if (!FLM_ARRAY_ADD(&rows, all[0]) || !FLM_ARRAY_ADD(&rows, all[1])) {
        FLM_ARRAY_CLEAR(&rows);
        return flm_error_memory(why);
    }
    struct flm_builder *b = flm_builder_new(why);
    if (b) {
        struct flm_metric metric = flm_builder_metric(b, "rows", "count");
        flm_builder_add(b,
                        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1)),
                        metric, 2);
        tree = flm_builder_finish(b, why);
    }
    struct flm_segment_writer *w =
        tree ? flm_segment_begin(path, 0, HOUR, tree, two_services, 3, why) : NULL;
    uint64_t size;
    bool good = w && flm_segment_add(w, flm_bytes_of("cpu:ns"), 0, 2, &rows, why);
    if (good)
        good = flm_segment_finish(w, &size, why);
    else
        flm_segment_abandon(w);
    struct flm_segment *s = good ? flm_segment_open(path, why) : NULL;
    good = s && flm_segment_check(s, why);
    flm_segment_close(s);
    flm_profile_free(tree);
    FLM_ARRAY_CLEAR(&rows);
    return good;
}

static void memory_that_runs_out_is_an_error(void **state)
{
    (void)state;
    char path[200];
    snprintf(path, sizeof path, "%s", temporary_path("failing.seg"));
    assert_true(assert_survives_failures(write_and_read, path) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_have_all_rows_again),
        cmocka_unit_test(sums_are_of_what_is_wanted),
        cmocka_unit_test(damaged_columns_are_refused_or_read),
        cmocka_unit_test(a_segment_answers_as_its_rows_do),
        cmocka_unit_test(damage_is_found_and_named),
        cmocka_unit_test(what_is_abandoned_leaves_nothing),
        cmocka_unit_test(memory_that_runs_out_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
