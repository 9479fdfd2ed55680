#include "report/probe/measures.h"

#include "support/probe/probe_image.h"

/* A meter of a site in the thread of the image, with values from 1 to `count`. */
static void add_meter(struct image *image, uint32_t site, enum flm_probe_quantity quantity,
                      uint32_t count)
{
    struct flm_probe_meter *meter = place(image, METER);
    *meter = (struct flm_probe_meter){.site = site, .quantity = quantity, .least = 1};
    for (uint32_t value = 1; value <= count; value++) {
        meter->bucket[flm_probe_bucket(value)]++;
        meter->total += value;
    }
    meter->count = meter->greatest = meter->last = count;
    thread_of(image)->first_meter = METER;
}

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

static void percentiles_are_within_half_a_bucket(void **state)
{
    (void)state;
    struct image *image = make_image();
    struct flm_probe_decoded decoded;
    struct flm_measures m;
    enum { COUNT = 100000 };
    add_meter(image, 2, FLM_PROBE_DURATION, COUNT);
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

/* Durations that are in no histogram yet are in the ring. */
static void the_ring_is_part_of_the_meter(void **state)
{
    (void)state;
    struct image *image = make_image();
    struct flm_probe_decoded decoded;
    struct flm_measures m;
    add_meter(image, 2, FLM_PROBE_DURATION, 3);
    struct flm_probe_ring *ring = &thread_of(image)->ring;
    ring->at[0] = (struct flm_probe_ringed){2, 1000};
    ring->at[1] = (struct flm_probe_ringed){1, 5};
    ring->count = 2;
    make(image, &decoded, &m);
    assert_int_equal(m.site[2].meter[FLM_PROBE_DURATION]->count, 4);
    assert_int_equal(m.site[2].meter[FLM_PROBE_DURATION]->greatest, 1000);
    assert_int_equal(m.site[1].meter[FLM_PROBE_DURATION]->count, 1);
    assert_int_equal(m.site[1].meter[FLM_PROBE_DURATION]->least, 5);
    clear(image, &decoded, &m);
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
        cmocka_unit_test(percentiles_are_within_half_a_bucket),
        cmocka_unit_test(the_ring_is_part_of_the_meter),
        cmocka_unit_test(levels_have_signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
