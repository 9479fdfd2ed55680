#include "report/probe/measures.h"

#include "support/probe/probe_image.h"

static void make(struct image *image, struct flm_probe_decoded *decoded, struct flm_measures *m)
{
    struct flm_error why = {0};
    assert_true(flm_probe_decode(decoded, image_bytes(image), &why));
    assert_true(flm_measures_make(m, decoded, &why));
}

static void clear(struct image *image, struct flm_probe_decoded *decoded, struct flm_measures *m)
{
    flm_measures_clear(m);
    flm_probe_decoded_clear(decoded);
    free(image);
}

static void sums_are_those_of_a_site(void **state)
{
    (void)state;
    struct image *image = make_image();
    struct flm_probe_decoded decoded;
    struct flm_measures m;
    node_of(image, 1)->value[FLM_PROBE_ALLOCATED] = 100;
    node_of(image, 2)->value[FLM_PROBE_ALLOCATED] = 50;
    make(image, &decoded, &m);
    assert_int_equal(m.site[1].calls, 1);
    assert_true(m.site[1].total == 1000 && m.site[1].self == 400);
    assert_true(m.site[2].total == 600 && m.site[2].self == 600);
    assert_true(m.site[1].value[FLM_PROBE_ALLOCATED] == 100);
    assert_true(m.site[1].value_total[FLM_PROBE_ALLOCATED] == 150);
    assert_true(m.thread_allocated[0] == 150);
    assert_true(m.elapsed == 5000);
    clear(image, &decoded, &m);
}

/* parse in parse: its total is that of the outer one, its self that of both. */
static void recursion_counts_once(void **state)
{
    (void)state;
    struct image *image = make_image();
    struct flm_probe_decoded decoded;
    struct flm_measures m;
    node_of(image, 1)->site = 2;
    node_of(image, 1)->value[FLM_PROBE_FREED] = 7;
    node_of(image, 2)->value[FLM_PROBE_FREED] = 5;
    make(image, &decoded, &m);
    assert_int_equal(m.site[2].calls, 5);
    assert_true(m.site[2].total == 1000 && m.site[2].self == 1000);
    assert_true(m.site[2].value[FLM_PROBE_FREED] == 12);
    assert_true(m.site[2].value_total[FLM_PROBE_FREED] == 12);
    clear(image, &decoded, &m);
}

/* A thread that runs tasks: how often, and how long. A task in another is a part of that. */
static void threads_run_tasks(void **state)
{
    (void)state;
    static const struct {
        uint16_t first, second; /* kinds of the outer scope and of the one in it */
        double polls, tasks;
    } cases[] = {{FLM_PROBE_SCOPE, FLM_PROBE_SCOPE, 0, 0},
                 {FLM_PROBE_TASK, FLM_PROBE_SCOPE, 1, 1000},
                 {FLM_PROBE_SCOPE, FLM_PROBE_TASK, 4, 600},
                 {FLM_PROBE_TASK, FLM_PROBE_TASK, 1, 1000}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct image *image = make_image();
        struct flm_probe_decoded decoded;
        struct flm_measures m;
        struct flm_probe_site *site = place(image, SITES);
        site[1].kind = cases[i].first;
        site[2].kind = cases[i].second;
        make(image, &decoded, &m);
        assert_true(m.thread_polls[0] == cases[i].polls);
        assert_true(m.thread_tasks[0] == cases[i].tasks);
        clear(image, &decoded, &m);
    }
}

/* Functions in headers have a copy in each file; a name at a place is another thing. */
static void copies_of_a_function_are_one(void **state)
{
    (void)state;
    for (int has_file = 0; has_file < 2; has_file++) {
        struct image *image = make_image();
        struct flm_probe_decoded decoded;
        struct flm_measures m;
        struct flm_probe_site *site = place(image, SITES);
        const struct flm_probe_site named = site[2];
        for (uint32_t i = 1; i <= 2; i++) {
            site[i].name = named.function;
            site[i].name_size = named.function_size;
            site[i].address = 0x1000 * i;
            site[i].file_size = has_file ? site[i].file_size : 0;
            site[i].function_size = has_file ? site[i].function_size : 0;
            site[i].line = 0;
        }
        make(image, &decoded, &m);
        assert_int_equal(m.first[2], has_file ? 2 : 1);
        assert_int_equal(m.site[1].calls, has_file ? 1 : 5);
        assert_true(m.site[1].total == 1000);
        clear(image, &decoded, &m);
    }
}

static void percentiles_are_within_half_a_bucket(void **state)
{
    (void)state;
    struct image *image = make_image();
    struct flm_probe_decoded decoded;
    struct flm_measures m;
    enum { COUNT = 100000 };
    for (uint64_t ticks = 1; ticks <= COUNT; ticks++)
        add_duration(image, 2, ticks);
    make(image, &decoded, &m);
    const struct flm_probe_meter *meter = m.site[2].meter[FLM_PROBE_DURATION];
    assert_non_null(meter);
    for (double percent = 0.1; percent <= 100; percent += 0.7) {
        double exact = percent / 100 * COUNT, found = flm_meter_percentile(meter, percent);
        if (found < exact * (1 - 0.032) - 1 || found > exact * (1 + 0.032) + 1)
            fail_msg("p%g is %g, not %g", percent, found, exact);
    }
    assert_true(flm_meter_percentile(meter, 100) <= COUNT);
    assert_true(flm_meter_mean(meter) == (COUNT + 1) / 2.0);
    clear(image, &decoded, &m);
}

/* A bucket counts 32 bits, the meter all: what is beyond is where most of it was. */
static void percentiles_count_what_a_full_bucket_does_not(void **state)
{
    (void)state;
    struct flm_probe_meter meter = {.count = 41000000000u, .least = 20, .greatest = 1000};
    meter.bucket[flm_probe_bucket(20)] = UINT32_MAX;
    meter.bucket[flm_probe_bucket(1000)] = 1000000000;
    assert_true(flm_meter_percentile(&meter, 50) == 20);
    assert_true(flm_meter_percentile(&meter, 90) == 20);
    assert_true(flm_meter_percentile(&meter, 99) > 900);
}

/* Short calls are in their buckets alone: sums and ends follow, beside those of the others. */
static void exact_buckets_are_part_of_the_meter(void **state)
{
    (void)state;
    static const uint64_t ticks[] = {5, 255, 255, 0, 256, 1000};
    enum { SHORT = 4 };
    struct image *image = make_image();
    struct flm_probe_decoded decoded;
    struct flm_measures m;
    for (size_t i = 0; i < SHORT; i++)
        add_duration(image, 2, ticks[i]);
    make(image, &decoded, &m);
    const struct flm_probe_meter *meter = m.site[2].meter[FLM_PROBE_DURATION];
    assert_int_equal(meter->count, 4);
    assert_int_equal(meter->total, 515);
    assert_int_equal(meter->least, 0);
    assert_int_equal(meter->greatest, 255);
    flm_measures_clear(&m);
    flm_probe_decoded_clear(&decoded);
    for (size_t i = SHORT; i < sizeof ticks / sizeof *ticks; i++)
        add_duration(image, 2, ticks[i]);
    make(image, &decoded, &m);
    meter = m.site[2].meter[FLM_PROBE_DURATION];
    assert_int_equal(meter->count, 6);
    assert_int_equal(meter->total, 1771);
    assert_int_equal(meter->least, 0);
    assert_int_equal(meter->greatest, 1000);
    clear(image, &decoded, &m);
}

/* Of a scope that was entered and has not ended. */
static void a_meter_with_nothing_in_it_is_none(void **state)
{
    (void)state;
    struct image *image = make_image();
    struct flm_probe_decoded decoded;
    struct flm_measures m;
    add_duration(image, 2, 7);
    ((struct flm_probe_meter *)place(image, METER))->bucket[7] = 0;
    make(image, &decoded, &m);
    assert_null(m.site[2].meter[FLM_PROBE_DURATION]);
    clear(image, &decoded, &m);
}

/* Each bucket begins where the one before it ends, and none is wider than a sixteenth. */
static void buckets_follow_each_other(void **state)
{
    (void)state;
    for (uint32_t i = 0; i + 1 < FLM_PROBE_BUCKETS; i++) {
        uint64_t start = flm_probe_bucket_start(i), end = flm_probe_bucket_start(i + 1);
        assert_int_equal(flm_probe_bucket(start), i);
        assert_int_equal(flm_probe_bucket(end - 1), i);
        assert_true(end - start == 1 || (end - start) * 16 <= start);
    }
    assert_int_equal(flm_probe_bucket(UINT64_MAX), FLM_PROBE_BUCKETS - 1);
}

static void levels_have_signs(void **state)
{
    (void)state;
    struct flm_probe_meter meter = {
        .quantity = FLM_PROBE_LEVEL, .count = 2, .total = (uint64_t)-6 * FLM_PROBE_LEVEL_ONE};
    assert_true(flm_meter_mean(&meter) == -3.0 * FLM_PROBE_LEVEL_ONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_a_site),
        cmocka_unit_test(recursion_counts_once),
        cmocka_unit_test(threads_run_tasks),
        cmocka_unit_test(copies_of_a_function_are_one),
        cmocka_unit_test(percentiles_are_within_half_a_bucket),
        cmocka_unit_test(percentiles_count_what_a_full_bucket_does_not),
        cmocka_unit_test(exact_buckets_are_part_of_the_meter),
        cmocka_unit_test(a_meter_with_nothing_in_it_is_none),
        cmocka_unit_test(buckets_follow_each_other),
        cmocka_unit_test(levels_have_signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
