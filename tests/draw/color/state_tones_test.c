#include "draw/color/state_tones.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "draw/color/theme.h"
#include "support/profile/colors.h"

static void text_can_be_read_on_every_state(void **state)
{
    (void)state;
    for (int i = 0; i < FLM_THREAD_STATES; i++) {
        const struct flm_tone *box = &flm_state_tones[i].box;
        assert_int_equal(box->ink, FLM_INK_PAGE);
        assert_true(color_contrast(box->light, FLM_INK_PAGE_LIGHT) >= 4.5);
        assert_true(color_contrast(box->dark, FLM_INK_PAGE_DARK) >= 4.5);
    }
}

/* Strips are told apart with any color vision, by their color or by their texture. */
static void no_two_states_look_the_same(void **state)
{
    (void)state;
    for (int vision = 0; vision < 4; vision++)
        for (int a = 0; a < FLM_THREAD_STATES; a++)
            for (int b = 0; b < a; b++) {
                const struct flm_state_tone *x = &flm_state_tones[a], *y = &flm_state_tones[b];
                if (x->texture != y->texture)
                    continue;
                if (color_distance(x->light, y->light, vision) < 0.06 ||
                    color_distance(x->dark, y->dark, vision) < 0.06)
                    fail_msg("states %d and %d, vision %d: %.3f, %.3f", a, b, vision,
                             color_distance(x->light, y->light, vision),
                             color_distance(x->dark, y->dark, vision));
            }
}

/* And a strip from the page. */
static void no_state_looks_like_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < FLM_THREAD_STATES; i++) {
        assert_true(color_distance(flm_state_tones[i].light, flm_token_color(FLM_TOKEN_PAGE, false),
                                   0) > 0.1);
        assert_true(color_distance(flm_state_tones[i].dark, flm_token_color(FLM_TOKEN_PAGE, true),
                                   0) > 0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_can_be_read_on_every_state),
        cmocka_unit_test(no_two_states_look_the_same),
        cmocka_unit_test(no_state_looks_like_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
