#include "profile/sample_move.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "profile/columns.h"
#include "support/core/allocation.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"

/* Several blocks of samples. The value of a sample is its number. */
enum { SAMPLES = 300000 };

struct given {
    int64_t time_ns, duration_ns;
    uint32_t stack, thread;
};

/* Samples that are at most `disorder` places away from their sorted order. */
static struct given *samples(uint32_t disorder, bool long_ones)
{
    struct given *given = calloc(SAMPLES, sizeof *given);
    uint64_t random = 9;
    assert_non_null(given);
    for (uint32_t i = 0; i < SAMPLES; i++)
        given[i] = (struct given){
            .time_ns = 1000 * ((int64_t)i + random_below(&random, disorder + 1)) + i % 1000,
            .duration_ns = (long_ones ? INT64_C(5000000000) : 0) + i,
            .stack = random_below(&random, 3),
            .thread = random_below(&random, 2)};
    return given;
}

static struct flm_profile *make(const struct given *given)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric number = flm_builder_metric(b, "number", "count");
    struct flm_metric even = flm_builder_metric(b, "even", "count");
    struct flm_node nodes[3];
    struct flm_label_set threads[2];
    for (uint32_t i = 0; i < 3; i++)
        nodes[i] = flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, &"abc"[i], 1));
    for (uint32_t i = 0; i < 2; i++) {
        struct flm_string label[2] = {flm_builder_string(b, "thread", 6),
                                      flm_builder_string(b, &"xy"[i], 1)};
        threads[i] = flm_builder_label_set(b, label, 1);
    }
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const struct given *g = &given[i];
        flm_builder_sample(b, g->time_ns, nodes[g->stack], threads[g->thread], number, i + 1);
        flm_builder_sample_lasts(b, g->duration_ns);
        if (i % 2 == 0)
            flm_builder_sample_add(b, even, i + 1);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static void samples_keep_all_they_have(void **state)
{
    (void)state;
    static const uint32_t disorders[] = {0, 2, 1000, SAMPLES / 3, 4 * SAMPLES};
    for (size_t k = 0; k < 2 * sizeof disorders / sizeof *disorders; k++) {
        struct given *given = samples(disorders[k / 2], k % 2);
        struct flm_profile *p = make(given);
        assert_sound(p);
        assert_int_equal(p->sizes.sample_count, SAMPLES);
        for (uint32_t i = 0; i < SAMPLES; i++) {
            uint32_t number = (uint32_t)flm_sample_value(p, 0, i) - 1;
            assert_true(number < SAMPLES);
            struct given *g = &given[number];
            assert_true(p->sample_time[i] == g->time_ns && p->sample_node[i] == g->stack + 1 &&
                        p->sample_labels[i] == g->thread + 1 &&
                        flm_sample_duration(p, i) == g->duration_ns);
            assert_true(flm_sample_value(p, 1, i) == (number % 2 == 0 ? number + 1 : 0));
            g->time_ns = -1; /* no other sample may have its number */
        }
        flm_profile_free(p);
        free(given);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_keep_all_they_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
