#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/random.h"
#include "support/profile/person.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"
#include "viewer/input/actions.h"

static void press(struct viewing *seen, const char *key, const char *expected)
{
    assert_true(viewing_key(seen, key, 0));
    assert_string_equal(viewing_name(seen, seen->viewer->model.selected), expected);
}

static void arrows_walk_where_frames_are_seen(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse;lex 3\nmain;parse;read 9\nmain;write 5\nidle 1\n"),
                 800, 400, 1);
    press(&seen, "ArrowDown", "main");
    press(&seen, "ArrowDown", "parse");
    press(&seen, "ArrowDown", "read");
    press(&seen, "ArrowDown", "read"); /* nothing is below it */
    press(&seen, "ArrowLeft", "lex");
    press(&seen, "ArrowLeft", "lex");
    press(&seen, "ArrowUp", "parse");
    press(&seen, "ArrowRight", "write");
    press(&seen, "ArrowRight", "write");
    press(&seen, "k", "main");
    press(&seen, "h", "idle"); /* by name */
    press(&seen, "u", "");
    viewing_do(&seen, "flip");
    press(&seen, "ArrowUp", "main");
    press(&seen, "ArrowUp", "parse");
    press(&seen, "ArrowDown", "main");
    press(&seen, "B", "parse");
    press(&seen, "u", "main");
    viewing_clear(&seen);
}

static void callers_are_callers_where_the_leaf_comes_first(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse;lex 3\nmain;lex 2\n"), 800, 400, 1);
    viewing_do(&seen, "invert");
    press(&seen, "ArrowDown", "parse"); /* all that is seen is in lex: from there on */
    press(&seen, "ArrowUp", "lex");
    press(&seen, "u", "parse");
    press(&seen, "u", "main");
    press(&seen, "B", "parse");
    viewing_clear(&seen);
}

static void arrows_walk_through_both_halves_of_a_sandwich(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;run;x;p;q 1\nmain;go;x;q 2\nc 8\n"), 800, 400, 1);
    viewing_do(&seen, "sandwich x");
    press(&seen, "ArrowDown", "q");
    press(&seen, "ArrowUp", "x");
    press(&seen, "ArrowUp", "go");
    press(&seen, "ArrowUp", "main");
    press(&seen, "ArrowUp", "main");
    press(&seen, "ArrowDown", "go");
    press(&seen, "ArrowRight", "run");
    press(&seen, "ArrowDown", "x");
    viewing_clear(&seen);
}

/* From wherever, with whatever arrows: what is selected can be seen. */
static void what_is_walked_to_is_in_the_picture(void **state)
{
    (void)state;
    static const char *const keys[] = {"ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "u", "B"};
    static const char *const views[] = {"view flame", "flip", "invert", "sandwich /f[0-3]/"};
    uint64_t random = 91;
    for (int round = 0; round < 40; round++) {
        struct viewing seen;
        struct random_shape shape = random_full;
        shape.deepest = 25;
        shape.negative = round % 5 == 0;
        viewing_init(&seen, random_profile(&random, &shape), 500, 300, 1);
        flm_viewer_do(seen.viewer, flm_bytes_of(views[round % 4]), NULL);
        for (int i = 0; i < 60; i++) {
            assert_true(viewing_key(&seen, keys[random_below(&random, 6)], 0));
            viewing_look(&seen);
            struct flm_node_ref ref = seen.viewer->model.selected;
            if (!flm_node_ref_valid(ref))
                continue;
            const struct flm_pane *pane = &seen.viewer->scene.panes[ref.pane];
            uint32_t node = flm_pane_node(pane, ref.number).index;
            bool drawn = false;
            for (size_t k = 0; k < pane->drawn.count; k++)
                drawn |= pane->drawn.at[k].node.index == node &&
                         !(pane->drawn.at[k].flags & FLM_RECTANGLE_MERGED) &&
                         pane->drawn.at[k].level >= pane->first_level;
            assert_true(drawn);
        }
        viewing_clear(&seen);
    }
}

static void walking_is_no_step_but_what_it_moves_is(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse;lex 3\nmain;write 5\nidle 1\n"), 800, 400, 1);
    viewing_do(&seen, "zoom-in");
    size_t steps = seen.viewer->model.history.steps.count;
    press(&seen, "ArrowDown", "write");
    press(&seen, "ArrowUp", "main");
    press(&seen, "ArrowDown", "write");
    assert_int_equal(seen.viewer->model.history.steps.count, steps);
    viewing_click(&seen, "write", 2);
    assert_int_equal(seen.viewer->model.history.steps.count, steps + 1);
    viewing_do(&seen, "back");
    assert_string_equal(viewing_name(&seen, seen.viewer->model.selected), "write");
    assert_false(flm_node_ref_valid(seen.viewer->model.zoomed));
    viewing_clear(&seen);
}

static void a_function_is_selected_where_it_is_widest(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("a;x 1\nb;x 5\nc;d;x 3\n"), 800, 400, 1);
    const struct flm_profile *p = flm_model_shown(&seen.viewer->model);
    char action[40];
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        if (flm_bytes_are(flm_frame_function(p, i), "x"))
            snprintf(action, sizeof action, "select-frame %u", i);
    viewing_do(&seen, action);
    assert_true(flm_node_refs_equal(seen.viewer->model.selected, viewing_ref(&seen, 0, "b;x")));
    viewing_refused(&seen, "select-frame 0");
    viewing_refused(&seen, "select-frame 99");
    viewing_refused(&seen, "select-frame x");
    viewing_refused(&seen, "select 99");
    viewing_refused(&seen, "select -1");
    viewing_refused(&seen, "select 1e99");
    viewing_refused(&seen, "zoom 4294967296");
    viewing_clear(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrows_walk_where_frames_are_seen),
        cmocka_unit_test(callers_are_callers_where_the_leaf_comes_first),
        cmocka_unit_test(arrows_walk_through_both_halves_of_a_sandwich),
        cmocka_unit_test(what_is_walked_to_is_in_the_picture),
        cmocka_unit_test(walking_is_no_step_but_what_it_moves_is),
        cmocka_unit_test(a_function_is_selected_where_it_is_widest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
