#include "draw/text/time_ticks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void ticks_are_round_and_have_room(void **state)
{
    (void)state;
    for (double duration = 7; duration < 1e18; duration *= 3.7)
        for (double width = 100; width < 4000; width *= 2.3) {
            double step = flm_tick_step(duration, width, 90), power = 1;
            assert_true(step * width / duration >= 90);
            assert_true(step == 1 || step / 10 < 1 || step / 10 * width / duration < 90);
            while (power * 10 <= step)
                power *= 10;
            assert_true(step == power || step == 2 * power || step == 5 * power);
        }
}

/* Of columns of 1, 2 or 5 times a power of ten: one tick for each, or for each 2nd, 5th, 10th
 * ... */
static void no_tick_is_inside_of_a_column(void **state)
{
    (void)state;
    static const double columns[] = {1e3, 2e6, 5e8, 1e9, 2e9, 1e10};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        for (double count = 1; count < 100; count += 7)
            for (double width = 100; width < 5000; width *= 1.7) {
                double step = flm_tick_column_step(columns[i], count, width, 60);
                double each = step / columns[i];
                assert_true(each >= 1 && each == floor(each));
                assert_true(each == 1 || step * width / (columns[i] * count) >= 60);
            }
}

static void a_step_that_is_too_small_to_count_ends_the_axis(void **state)
{
    (void)state;
    assert_true(flm_tick_next(1e9, 1e8) == 1.1e9);
    assert_true(isinf(flm_tick_next(1.7e18, 100))); /* it would be 1.7e18 for ever */
}

static void labels_have_the_digits_that_tell_ticks_apart(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_tick_label_add(&text, 1.2335e9, 5e5, 2.5e9);
    flm_text_puts(&text, "|");
    flm_tick_label_add(&text, 0, 5e8, 2.5e9);
    flm_text_puts(&text, "|");
    flm_tick_label_add(&text, 2e9, 1e9, 2.5e9);
    flm_text_puts(&text, "|");
    flm_tick_label_add(&text, 1.9999e7, 1e5, 9e7);
    flm_text_puts(&text, "|");
    flm_tick_label_add(&text, 7, 1, 90);
    flm_text_putc(&text, '\0');
    assert_string_equal(text.at, "1.2335 s|0.0 s|2 s|20.0 ms|7 ns");
    flm_text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round_and_have_room),
        cmocka_unit_test(no_tick_is_inside_of_a_column),
        cmocka_unit_test(a_step_that_is_too_small_to_count_ends_the_axis),
        cmocka_unit_test(labels_have_the_digits_that_tell_ticks_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
