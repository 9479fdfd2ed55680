#include "profile/sample_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "profile/flm_file.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"

enum { SAMPLES = 1000 };

static struct flm_node node(struct flm_builder *b, uint32_t number)
{
    char name = (char)('a' + number);
    return flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, &name, 1));
}

static struct flm_label_set thread(struct flm_builder *b, uint32_t number)
{
    char name = (char)('0' + number);
    struct flm_string label[2] = {flm_builder_string(b, "thread", 6), {0}};
    label[1] = flm_builder_string(b, &name, 1);
    return flm_builder_label_set(b, label, 1);
}

/* Samples 0, step, 2 step ... modulo SAMPLES: the same ones for every odd step that is no multiple
 * of 5. A third of them have a time, of which there are two. */
static struct flm_profile *make(uint32_t step, struct flm_error *why)
{
    struct flm_builder *b = flm_builder_new(why);
    if (!b)
        return NULL;
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_metric calls = flm_builder_metric(b, "calls", "count");
    for (uint32_t i = 0; i < SAMPLES && !flm_builder_failed(b); i++) {
        uint32_t number = i * step % SAMPLES;
        int64_t time = number % 3 ? FLM_NO_TIME : (int64_t)(number % 2);
        flm_builder_sample(b, time, node(b, number % 7), thread(b, number % 5),
                           number % 4 ? cpu : calls, number);
    }
    return flm_builder_finish(b, why);
}

static void the_order_of_adding_does_not_matter(void **state)
{
    (void)state;
    struct flm_profile *p = make(1, NULL);
    assert_sound(p);
    struct flm_bytes file = flm_profile_seal(p);
    for (uint32_t step = 3; step < 30; step += 8) {
        struct flm_profile *other = make(step, NULL);
        struct flm_bytes same = flm_profile_seal(other);
        assert_int_equal(file.size, same.size);
        assert_memory_equal(file.at, same.at, file.size);
        flm_profile_free(other);
    }
    flm_profile_free(p);
}

static void samples_of_one_time_ascend_by_stack_and_labels(void **state)
{
    (void)state;
    struct flm_profile *p = make(7, NULL);
    for (uint32_t i = 1; i < SAMPLES; i++) {
        if (p->sample_time[i] != p->sample_time[i - 1]) {
            assert_true(p->sample_time[i] > p->sample_time[i - 1]);
            continue;
        }
        assert_true(p->sample_node[i] >= p->sample_node[i - 1]);
        if (p->sample_node[i] == p->sample_node[i - 1])
            assert_true(p->sample_labels[i] >= p->sample_labels[i - 1]);
    }
    flm_profile_free(p);
}

/* Ascending runs of random lengths, some of which overlap with the one before, some of which repeat
 * its times. The value of a sample is its number, so the samples of one time ascend by it. */
static void runs_of_any_length_and_overlap_are_merged(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (uint32_t round = 0; round < 40; round++) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_metric metric = flm_builder_metric(b, "m", "count");
        uint32_t overlap = round % 8, longest = 1u << (round % 11);
        static bool seen[SAMPLES + 1];
        memset(seen, 0, sizeof seen);
        int64_t time = 1000000, end = time;
        for (uint32_t i = 0, left = 0; i < SAMPLES; i++, left--) {
            if (left == 0) {
                left = 1 + random_below(&random, longest);
                time = end - (int64_t)random_below(&random, 1 + 30 * overlap * overlap);
            }
            time += random_below(&random, 3);
            end = time > end ? time : end;
            flm_builder_sample(b, time, node(b, 0), (struct flm_label_set){0}, metric, i + 1);
        }
        struct flm_profile *p = flm_builder_finish(b, NULL);
        for (uint32_t i = 0; i < SAMPLES; i++) {
            uint32_t number = (uint32_t)flm_sample_value(p, 0, i);
            assert_true(number > 0 && number <= SAMPLES && !seen[number]);
            seen[number] = true;
            if (i == 0)
                continue;
            assert_true(p->sample_time[i] >= p->sample_time[i - 1]);
            if (p->sample_time[i] == p->sample_time[i - 1])
                assert_true(flm_sample_value(p, 0, i - 1) < number);
        }
        flm_profile_free(p);
    }
}

static bool make_one(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_profile *p = make(3, why);
    flm_profile_free(p);
    return p != NULL;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(make_one, NULL) > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_adding_does_not_matter),
        cmocka_unit_test(samples_of_one_time_ascend_by_stack_and_labels),
        cmocka_unit_test(runs_of_any_length_and_overlap_are_merged),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
