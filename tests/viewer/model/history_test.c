#include "viewer/model/history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/random.h"

static void assert_step(struct flm_bytes step, const char *expected)
{
    assert_non_null(step.at);
    assert_true(flm_bytes_are(step, expected));
}

static void steps_are_gone_back_and_forward(void **state)
{
    (void)state;
    struct flm_history h = {0};
    assert_null(flm_history_back(&h).at);
    assert_null(flm_history_forward(&h).at);
    assert_true(flm_history_add(&h, flm_bytes_of("a")));
    assert_null(flm_history_back(&h).at);
    assert_true(flm_history_add(&h, flm_bytes_of("b")));
    assert_true(flm_history_add(&h, flm_bytes_of("c")));
    assert_null(flm_history_forward(&h).at);
    assert_step(flm_history_back(&h), "b");
    assert_step(flm_history_back(&h), "a");
    assert_null(flm_history_back(&h).at);
    assert_step(flm_history_forward(&h), "b");
    assert_true(flm_history_add(&h, flm_bytes_of("d")));
    assert_null(flm_history_forward(&h).at);
    assert_step(flm_history_back(&h), "b");
    flm_history_clear(&h);
}

static void the_same_again_is_no_step(void **state)
{
    (void)state;
    struct flm_history h = {0};
    flm_history_add(&h, flm_bytes_of("a"));
    flm_history_add(&h, flm_bytes_of("b"));
    flm_history_back(&h);
    assert_true(flm_history_is_at(&h, flm_bytes_of("a")));
    flm_history_add(&h, flm_bytes_of("a"));
    assert_step(flm_history_forward(&h), "b");
    flm_history_clear(&h);
}

static void an_amended_step_is_the_same_step(void **state)
{
    (void)state;
    struct flm_history h = {0};
    flm_history_amend(&h, flm_bytes_of("a"));
    flm_history_add(&h, flm_bytes_of("b"));
    flm_history_add(&h, flm_bytes_of("c"));
    flm_history_back(&h);
    flm_history_amend(&h, flm_bytes_of("longer than before"));
    assert_step(flm_history_forward(&h), "c");
    assert_step(flm_history_back(&h), "longer than before");
    assert_step(flm_history_back(&h), "a");
    flm_history_clear(&h);
}

static void the_oldest_steps_are_forgotten(void **state)
{
    (void)state;
    char text[20];
    struct flm_history h = {0};
    for (int i = 0; i < FLM_MOST_STEPS + 50; i++) {
        snprintf(text, sizeof text, "%d", i);
        assert_true(flm_history_add(&h, flm_bytes_of(text)));
    }
    int back = 0;
    struct flm_bytes last = {NULL, 0};
    for (struct flm_bytes step; (step = flm_history_back(&h)).at; back++)
        last = step;
    assert_int_equal(back, FLM_MOST_STEPS - 1);
    assert_step(last, "50");
    flm_history_clear(&h);
}

/* The plainest history: all that was ever shown, and where in it one is. */
static void it_is_a_list_with_a_place_in_it(void **state)
{
    (void)state;
    static int model[5000];
    int count = 0, at = -1;
    uint64_t random = 77;
    char text[20];
    struct flm_history h = {0};
    for (int i = 0; i < 3000; i++) {
        snprintf(text, sizeof text, "%d", i);
        unsigned what = random_below(&random, 10);
        if (what < 5 || count == 0) {
            flm_history_add(&h, flm_bytes_of(text));
            model[count = ++at] = i;
            count++;
        } else if (what < 7) {
            flm_history_amend(&h, flm_bytes_of(text));
            model[at] = i;
        } else if (what < 9) {
            bool can = at > 0 && count - at < FLM_MOST_STEPS;
            assert_true((flm_history_back(&h).at != NULL) == can);
            at -= can;
        } else {
            bool can = at + 1 < count;
            assert_true((flm_history_forward(&h).at != NULL) == can);
            at += can;
        }
        snprintf(text, sizeof text, "%d", model[at]);
        assert_true(flm_history_is_at(&h, flm_bytes_of(text)));
    }
    flm_history_clear(&h);
}

static bool add_and_amend(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_history h = {0};
    bool good = flm_history_add(&h, flm_bytes_of("a")) && flm_history_add(&h, flm_bytes_of("b")) &&
                flm_history_amend(&h, flm_bytes_of("c"));
    assert_true(h.steps.count == 0 || h.current < h.steps.count);
    flm_history_clear(&h);
    return good || flm_error_memory(why);
}

static void it_survives_failed_allocations(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(add_and_amend, NULL) >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_gone_back_and_forward),
        cmocka_unit_test(the_same_again_is_no_step),
        cmocka_unit_test(an_amended_step_is_the_same_step),
        cmocka_unit_test(the_oldest_steps_are_forgotten),
        cmocka_unit_test(it_is_a_list_with_a_place_in_it),
        cmocka_unit_test(it_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
