#include "record/go/goroutine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { LOW = 0x10000, HIGH = 0x12000, IN_STACK = 0x11F00, RUNNING = 2, NUMBER = 71 };

static void the_number_follows_the_state(void **state)
{
    (void)state;
    static const uint64_t runs[] = {RUNNING, 3}, waits[] = {0, 1, 4, 6, 0x1002};
    for (int at = 18; at <= 19; at++) {
        uint64_t words[FLM_GOROUTINE_WORDS] = {LOW, HIGH};
        words[at + 1] = NUMBER;
        for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
            words[at] = runs[i];
            assert_int_equal(flm_goroutine_number(words, IN_STACK), NUMBER);
        }
        for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
            words[at] = waits[i];
            assert_int_equal(flm_goroutine_number(words, IN_STACK), 0);
        }
    }
}

/* Whatever is in the register while no code of Go runs. */
static void what_has_not_the_stack_is_no_goroutine(void **state)
{
    (void)state;
    uint64_t words[FLM_GOROUTINE_WORDS] = {LOW, HIGH};
    words[18] = RUNNING;
    words[19] = NUMBER;
    assert_int_equal(flm_goroutine_number(words, LOW), NUMBER);
    assert_int_equal(flm_goroutine_number(words, LOW - 1), 0);
    assert_int_equal(flm_goroutine_number(words, HIGH - 1), NUMBER);
    assert_int_equal(flm_goroutine_number(words, HIGH), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_number_follows_the_state),
        cmocka_unit_test(what_has_not_the_stack_is_no_goroutine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
