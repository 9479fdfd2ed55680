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

/* A goroutine that has called C: the stack pointer is word 7, the frame pointer word 12 or 13. */
static void the_stack_of_a_goroutine_that_called_c_goes_on_where_its_depth_says(void **state)
{
    (void)state;
    enum { SP = 7, POINTER = 0x11F80 };
    for (int at = 12; at <= 13; at++) {
        uint64_t words[FLM_GOROUTINE_WORDS] = {LOW, HIGH}, pointer = 0;
        words[SP] = IN_STACK;
        words[at] = POINTER;
        assert_int_equal(flm_goroutine_frame(words, HIGH - IN_STACK, &pointer), IN_STACK);
        assert_int_equal(pointer, POINTER);
        assert_int_equal(flm_goroutine_frame(words, HIGH - IN_STACK + 8, &pointer), 0);
    }
    uint64_t words[FLM_GOROUTINE_WORDS] = {LOW, HIGH}, pointer;
    words[SP] = HIGH;
    assert_int_equal(flm_goroutine_frame(words, 0, &pointer), 0);
    words[SP] = LOW - 8;
    assert_int_equal(flm_goroutine_frame(words, HIGH - LOW + 8, &pointer), 0);
    words[SP] = IN_STACK + 1;
    assert_int_equal(flm_goroutine_frame(words, HIGH - IN_STACK - 1, &pointer), 0);
}

/* Frames of two words, the frame pointer of the caller and a return address, behind the first. */
static void callers_are_those_that_frame_pointers_lead_to(void **state)
{
    (void)state;
    enum { AT = 0x1000 };
    const uint64_t stack[] = {1, AT + 24, 0, AT + 48, 2, 0, 0, 3};
    uint64_t callers[8];
    size_t found;
    assert_true(flm_goroutine_callers(stack, 8, AT, AT + 24, callers, 8, &found));
    assert_int_equal(found, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(callers[i], i + 1);
    /* The first has a frame of its own. */
    const uint64_t own[] = {AT + 16, 1, 0, 2};
    assert_true(flm_goroutine_callers(own, 4, AT, AT, callers, 8, &found));
    assert_int_equal(found, 2);
    assert_int_equal(callers[0], 1);
    assert_int_equal(callers[1], 2);
    /* Cut off, by the words or by the room for the callers. */
    assert_false(flm_goroutine_callers(stack, 7, AT, AT + 24, callers, 8, &found));
    assert_int_equal(found, 2);
    assert_false(flm_goroutine_callers(stack, 8, AT, AT + 24, callers, 2, &found));
    assert_int_equal(found, 2);
    assert_false(flm_goroutine_callers(stack, 0, AT, AT + 24, callers, 8, &found));
    assert_int_equal(found, 0);
}

static void frame_pointers_that_lead_back_or_out_end_the_callers(void **state)
{
    (void)state;
    enum { AT = 0x1000 };
    uint64_t callers[8];
    size_t found;
    const uint64_t back[] = {1, 0, 0, AT + 24, 2, 0}, out[] = {1, 0, 0, AT - 8, 2, 0};
    assert_false(flm_goroutine_callers(back, 6, AT, AT + 24, callers, 8, &found));
    assert_int_equal(found, 2);
    assert_false(flm_goroutine_callers(out, 6, AT, AT + 24, callers, 8, &found));
    assert_int_equal(found, 2);
    assert_false(flm_goroutine_callers(back, 6, AT, AT + 25, callers, 8, &found));
    assert_false(flm_goroutine_callers(back, 6, AT, UINT64_MAX - 7, callers, 8, &found));
    assert_int_equal(found, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stack_of_a_goroutine_that_called_c_goes_on_where_its_depth_says),
        cmocka_unit_test(callers_are_those_that_frame_pointers_lead_to),
        cmocka_unit_test(frame_pointers_that_lead_back_or_out_end_the_callers),
        cmocka_unit_test(the_number_follows_the_state),
        cmocka_unit_test(what_has_not_the_stack_is_no_goroutine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
