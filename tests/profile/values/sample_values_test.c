#include "profile/values/sample_values.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/random.h"

enum { SAMPLES = 200 };

/* Every third sample has a value, as integers. */
static struct flm_sample_values some_values(void)
{
    uint64_t *present = calloc(SAMPLES / 64 + 1, sizeof *present);
    uint32_t *before = calloc(SAMPLES / 64 + 1, sizeof *before);
    uint32_t *small = calloc(SAMPLES, sizeof *small), count = 0;
    assert_true(present && before && small);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        if (i % 64 == 0)
            before[i / 64] = count;
        if (i % 3 == 0) {
            present[i / 64] |= (uint64_t)1 << i % 64;
            small[count++] = 1000 + i;
        }
    }
    return (struct flm_sample_values){
        .small = small, .divisor = 1, .count = count, .present = present, .before = before};
}

static double expected(uint32_t sample)
{
    return sample % 3 == 0 ? 1000 + sample : 0;
}

static void bits_are_counted(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 10000; i++) {
        uint64_t bits = random_next(&random) & random_next(&random);
        uint32_t count = 0;
        for (int bit = 0; bit < 64; bit++)
            count += bits >> bit & 1;
        assert_int_equal(flm_bit_count(bits), count);
    }
    assert_int_equal(flm_bit_count(UINT64_MAX), 64);
    assert_int_equal(flm_bit_count(0), 0);
}

static void any_part_can_be_expanded(void **state)
{
    (void)state;
    struct flm_sample_values values = some_values();
    for (uint32_t first = 0; first <= SAMPLES; first++) {
        double part[SAMPLES];
        uint32_t count = SAMPLES - first < 70 ? SAMPLES - first : 70;
        flm_sample_values_expand(&values, first, count, part);
        for (uint32_t i = 0; i < count; i++)
            assert_true(part[i] == expected(first + i));
    }
    flm_sample_values_clear(&values);
}

/* 67 values of 4 bytes, and 4 words of bits with a count each; 8 bytes a sample once expanded. */
static void its_memory_is_that_of_its_arrays(void **state)
{
    (void)state;
    struct flm_sample_values values = some_values(), same = {.same = 1, .count = SAMPLES};
    assert_int_equal(flm_sample_values_memory(&same, SAMPLES), 0);
    assert_int_equal(flm_sample_values_memory(&values, SAMPLES), 67 * 4 + 4 * 12);
    assert_non_null(flm_sample_values_expanded(&values, SAMPLES));
    assert_int_equal(flm_sample_values_memory(&values, SAMPLES), 67 * 4 + 4 * 12 + SAMPLES * 8);
    flm_sample_values_clear(&values);
}

static struct flm_sample_values shared;

static void *ask(void *answer)
{
    *(const double **)answer = flm_sample_values_expanded(&shared, SAMPLES);
    return NULL;
}

static void threads_are_given_one_column(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    const double *answers[THREADS];
    shared = some_values();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &answers[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert_ptr_equal(answers[i], answers[0]);
    for (uint32_t i = 0; i < SAMPLES; i++)
        assert_true(answers[0][i] == expected(i));
    flm_sample_values_clear(&shared);
}

static void without_memory_there_is_none_until_there_is(void **state)
{
    (void)state;
    struct flm_sample_values values = some_values();
    allocation_fail_from(1);
    const double *column = flm_sample_values_expanded(&values, SAMPLES);
    allocation_fail_from(0);
    assert_null(column);
    assert_non_null(flm_sample_values_expanded(&values, SAMPLES));
    flm_sample_values_clear(&values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_counted),
        cmocka_unit_test(any_part_can_be_expanded),
        cmocka_unit_test(its_memory_is_that_of_its_arrays),
        cmocka_unit_test(threads_are_given_one_column),
        cmocka_unit_test(without_memory_there_is_none_until_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
