#include "report/probe/sections.h"

#include <math.h>

#include "support/probe/probe_image.h"

/* The order is a column, of sums: the largest first is what cost most. Names are unique in a
 * section, and each section has another name. */
static void sections_are_sound(void **state)
{
    (void)state;
    for (size_t s = 0; s < flm_section_count; s++) {
        const struct flm_section *section = &flm_sections[s];
        size_t count = 0;
        while (section->columns[count].source)
            count++;
        assert_true(count > section->order && count < FLM_MOST_SECTION_COLUMNS);
        enum flm_measure_source order = section->columns[section->order].source;
        assert_true(order == FLM_OF_CALLS || order == FLM_OF_TOTAL || order == FLM_OF_VALUE ||
                    order == FLM_OF_METER_SUM || order == FLM_OF_METER_COUNT);
        assert_true(section->kinds != 0);
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < i; j++)
                if (strcmp(section->columns[i].name, section->columns[j].name) == 0)
                    fail_msg("%s has two columns '%s'", section->name, section->columns[i].name);
        for (size_t other = 0; other < s; other++)
            assert_string_not_equal(section->name, flm_sections[other].name);
    }
}

static void a_site_without_a_meter_has_no_value(void **state)
{
    (void)state;
    struct image *image = make_image();
    struct flm_probe_decoded decoded;
    struct flm_measures m;
    struct flm_error why = {0};
    double value;
    assert_true(flm_probe_decode(&decoded, image_bytes(image), &why));
    assert_true(flm_measures_make(&m, &decoded, &why));
    const struct flm_section_column held = {.source = FLM_OF_METER_MEAN, .which = FLM_PROBE_HELD},
                                    average = {.source = FLM_OF_AVERAGE},
                                    rate = {.source = FLM_OF_VALUE_RATE, .which = FLM_PROBE_AMOUNT};
    assert_false(flm_section_value(&m, 1, &held, 0, &value));
    assert_true(flm_section_value(&m, 2, &average, 0, &value) && value == 150);
    m.site[2].value[FLM_PROBE_AMOUNT] = 10;
    assert_true(flm_section_value(&m, 2, &rate, 0, &value) && fabs(value - 2e6) < 1);
    m.site[2].calls = 0;
    assert_false(flm_section_value(&m, 2, &average, 0, &value));
    flm_measures_clear(&m);
    flm_probe_decoded_clear(&decoded);
    free(image);
}

/* What an operation read is not what it allocated, though both are bytes of a call; and what was
 * freed is not 0 where that was not asked for. */
static void bytes_of_files_are_no_allocations_and_unknown_frees_are_none(void **state)
{
    (void)state;
    struct image *image = make_image();
    struct flm_probe_decoded decoded;
    struct flm_measures m;
    struct flm_error why = {0};
    double value;
    assert_true(flm_probe_decode(&decoded, image_bytes(image), &why));
    assert_true(flm_measures_make(&m, &decoded, &why));
    const struct flm_section_column bytes = {.source = FLM_OF_METER_PERCENTILES,
                                             .which = FLM_PROBE_BYTES},
                                    freed = {.source = FLM_OF_VALUE, .which = FLM_PROBE_FREED};
    struct flm_probe_meter *meter = calloc(1, sizeof *meter);
    assert_non_null(meter);
    meter->quantity = FLM_PROBE_BYTES;
    meter->count = meter->bucket[100] = 1;
    meter->total = meter->least = meter->greatest = 100;
    m.site[2].meter[FLM_PROBE_BYTES] = meter;
    assert_true(flm_section_value(&m, 2, &bytes, 95, &value) && value == 100);
    decoded.sites[2].kind = FLM_PROBE_FILE;
    assert_false(flm_section_value(&m, 2, &bytes, 95, &value));
    assert_true(flm_section_value(&m, 2, &freed, 0, &value) && value == 0);
    decoded.header.activity[FLM_PROBE_FREEING].state = FLM_PROBE_NOT_POSSIBLE;
    assert_false(flm_section_value(&m, 2, &freed, 0, &value));
    flm_measures_clear(&m);
    flm_probe_decoded_clear(&decoded);
    free(image);
}

static bool value_of(const struct flm_measures *m, enum flm_measure_source source, int which,
                     double *value)
{
    const struct flm_section_column column = {.source = source, .which = which};
    return flm_section_value(m, 2, &column, 0, value);
}

/* That a file was opened with 0 bytes is no fact; that 0 were read is one. */
static void only_what_reads_and_writes_has_bytes(void **state)
{
    (void)state;
    struct image *image = make_image();
    struct flm_probe_decoded decoded;
    struct flm_measures m;
    struct flm_error why = {0};
    assert_true(flm_probe_decode(&decoded, image_bytes(image), &why));
    assert_true(flm_measures_make(&m, &decoded, &why));
    decoded.sites[2].kind = FLM_PROBE_FILE;
    m.site[2].value[FLM_PROBE_AMOUNT] = 0;
    for (uint32_t operation = 0; operation < FLM_PROBE_OPERATIONS; operation++) {
        bool moves = operation == FLM_PROBE_FILE_READ || operation == FLM_PROBE_FILE_WRITE;
        double value;
        decoded.sites[2].operation = (uint16_t)operation;
        assert_int_equal(value_of(&m, FLM_OF_VALUE, FLM_PROBE_AMOUNT, &value), moves);
        assert_int_equal(value_of(&m, FLM_OF_VALUE_RATE, FLM_PROBE_AMOUNT, &value), moves);
        assert_true(value_of(&m, FLM_OF_VALUE, FLM_PROBE_ERRORS, &value));
    }
    flm_measures_clear(&m);
    flm_probe_decoded_clear(&decoded);
    free(image);
}

/* Operations times the average are not the total where a buffer satisfied some. */
static void how_many_were_timed_is_said_where_it_was_not_all(void **state)
{
    (void)state;
    struct image *image = make_image();
    for (uint64_t timed = 1; timed <= 4; timed++) {
        struct flm_probe_decoded decoded;
        struct flm_measures m;
        struct flm_error why = {0};
        double value;
        add_duration(image, 2, 300);
        assert_true(flm_probe_decode(&decoded, image_bytes(image), &why));
        assert_true(flm_measures_make(&m, &decoded, &why));
        m.site[2].calls = 4;
        assert_int_equal(value_of(&m, FLM_OF_TIMED_PART, FLM_PROBE_DURATION, &value), timed < 4);
        assert_true(value == (double)timed);
        flm_measures_clear(&m);
        flm_probe_decoded_clear(&decoded);
    }
    free(image);
}

static double average_of(struct image *image, uint32_t site)
{
    struct flm_probe_decoded decoded;
    struct flm_measures m;
    struct flm_error why = {0};
    double value = -1;
    assert_true(flm_probe_decode(&decoded, image_bytes(image), &why));
    assert_true(flm_measures_make(&m, &decoded, &why));
    if (!flm_section_value(&m, site, &(struct flm_section_column){.source = FLM_OF_AVERAGE}, 0,
                           &value))
        value = -1;
    flm_measures_clear(&m);
    flm_probe_decoded_clear(&decoded);
    return value;
}

/* It is never above the greatest, nor below the least. */
static void an_average_is_of_calls_that_ended_and_were_timed(void **state)
{
    (void)state;
    struct image *image = make_image();
    add_duration(image, 2, 300); /* of 4 calls 2 ended that are in the meter */
    add_duration(image, 2, 500);
    assert_true(average_of(image, 2) == 400);
    node_of(image, 2)->longest = 350; /* the cost of measuring is less exact than a clock */
    assert_true(average_of(image, 2) == 350);
    node_of(image, 2)->longest = 0;
    header_of(image)->inside_cost = 15 * 256; /* 60 of 600 are the library's */
    assert_true(fabs(average_of(image, 2) - 360) < 1e-9);
    free(image);
}

static void what_a_buffer_satisfied_has_no_average(void **state)
{
    (void)state;
    struct image *image = make_image();
    struct flm_probe_site *site = place(image, SITES);
    site[2].kind = FLM_PROBE_FILE;
    site[2].operation = FLM_PROBE_FILE_READ;
    node_of(image, 2)->total = 0;
    assert_true(average_of(image, 2) == -1);
    node_of(image, 2)->timed = 1; /* of 4 */
    node_of(image, 2)->total = 600;
    add_duration(image, 2, 600);
    assert_true(average_of(image, 2) == 600);
    free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_are_sound),
        cmocka_unit_test(a_site_without_a_meter_has_no_value),
        cmocka_unit_test(bytes_of_files_are_no_allocations_and_unknown_frees_are_none),
        cmocka_unit_test(only_what_reads_and_writes_has_bytes),
        cmocka_unit_test(how_many_were_timed_is_said_where_it_was_not_all),
        cmocka_unit_test(an_average_is_of_calls_that_ended_and_were_timed),
        cmocka_unit_test(what_a_buffer_satisfied_has_no_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
