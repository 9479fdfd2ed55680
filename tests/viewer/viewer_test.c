#include "viewer/viewer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/algebra.h"
#include "support/core/allocation.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/person.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"
#include "wasm/query_json.h"

/* Whatever a person does in whatever order: things that are chosen by chance. */
static void do_something(struct viewing *seen, uint64_t *random)
{
    static const char *const actions[] = {
        "view flame",
        "view sandwich",
        "view top",
        "view tree",
        "flip",
        "invert",
        "next-order",
        "next-metric",
        "order seen",
        "order total",
        "order name",
        "zoom-in",
        "zoom-out",
        "fit",
        "pan-left",
        "pan-right",
        "page-up",
        "page-down",
        "back",
        "forward",
        "escape",
        "up",
        "down",
        "left",
        "right",
        "parent",
        "child",
        "zoom-selected",
        "focus",
        "hide",
        "hide-module",
        "drop",
        "keep",
        "prune",
        "collapse-direct",
        "collapse-any",
        "undo",
        "redo",
        "reset",
        "operation-toggle 0",
        "operation-remove 0",
        "operation-move 0 1",
        "operation-edit 0 by:module",
        "apply by:function",
        "apply invert",
        "apply depth:3",
        "apply drop:nothing",
        "search f",
        "search-kind regex",
        "search f(",
        "search-kind text",
        "search-add",
        "search-remove 0",
        "search-toggle 0",
        "next-match",
        "previous-match",
        "sandwich f1",
        "sandwich /f[12]/",
        "sandwich /(/",
        "sandwich nothing at all",
        "sort -self",
        "color kind",
        "select 1",
        "select 4294967297",
        "zoom 2",
        "zoom 4294967298",
        "select-frame 1",
        "restore ",
        "restore view=sandwich&of=%2F(%2F",
        "restore zoom=1&select=2&x=0.25,0.5",
        "apply hide:\"a\nb\"",
        "copy-name",
        "copy-stack",
        "copy-folded",
        "view compare",
        "side-by-side",
        "width before",
        "from",
        "cut",
        "only-mine",
        "open-node 1",
        "hover-node 2",
        "hover-frame 1",
        "scroll-up",
        "scroll-down",
        "apply split:thread",
        "color self",
    };
    unsigned choice = random_below(random, 100);
    double x = random_below(random, 420) - 10.0, y = random_below(random, 320) - 10.0;
    seen->now_ms += random_below(random, 700);
    if (choice < 60) {
        const char *action = actions[random_below(random, sizeof actions / sizeof actions[0])];
        struct flm_error why = {0};
        seen->viewer->input.now_ms = seen->now_ms;
        if (!flm_viewer_do(seen->viewer, flm_bytes_of(action), &why))
            assert_true(why.kind == FLM_ERROR_USAGE && why.text[0] != 0);
    } else if (choice < 85) {
        flm_viewer_pointer(seen->viewer, (enum flm_pointer_event)random_below(random, 4), x, y, 0,
                           random_below(random, 8) == 0, seen->now_ms);
    } else if (choice < 93) {
        double dx = random_below(random, 3) ? 0 : random_below(random, 400) - 200.0;
        double dy = random_below(random, 800) - 400.0;
        flm_viewer_wheel(seen->viewer, x, y, dx, dy, random_below(random, 8), seen->now_ms);
    } else if (choice < 95) {
        flm_viewer_pinch(seen->viewer, x, y, 0.5 + random_below(random, 200) / 100.0, x, y,
                         seen->now_ms);
    } else if (choice < 97) {
        viewing_resize(seen, random_below(random, 500), random_below(random, 400),
                       0.5 + random_below(random, 5) / 2.0);
    } else {
        viewing_look(seen);
    }
}

static void ask_something(struct viewing *seen, uint64_t *random)
{
    static const char *const questions[] = {
        "hello",       "tools",    "chips",     "searches",  "legend",        "hover",  "detail",
        "status",      "top 0 20", "tree 0 20", "list 0 20", "aria",          "tracks", "overlay",
        "complete hi", "copy",     "prompt",    "state",     "export folded",
    };
    struct flm_error why = {0};
    seen->text.size = 0;
    const char *question = questions[random_below(random, sizeof questions / sizeof questions[0])];
    if (!flm_query_json(seen->viewer, flm_bytes_of(question), &seen->text, &why))
        assert_true(why.kind == FLM_ERROR_USAGE && why.text[0] != 0);
}

/* Another viewer of the same profile shows the same after reading the state. */
static void assert_state_says_all(struct viewing *seen)
{
    struct flm_text state = {0};
    struct flm_error why = {0};
    flm_text_puts(&state, "restore ");
    flm_text_puts(&state, viewing_state(seen));
    flm_text_putc(&state, 0);
    if (!flm_viewer_do(seen->viewer, flm_bytes_of(state.at), &why))
        fail_msg("%s: %s", state.at, why.text);
    assert_string_equal(viewing_state(seen), state.at + strlen("restore "));
    flm_text_clear(&state);
}

static struct flm_profile *some_profile(uint64_t *random)
{
    struct random_shape shape = random_full;
    shape.stacks = random_below(random, 4) ? 1 + random_below(random, 80) : 0;
    shape.names = 2 + random_below(random, 20);
    shape.negative = random_below(random, 3) == 0;
    shape.modules = random_below(random, 2);
    shape.samples = (enum random_samples)random_below(random, 3);
    return random_profile(random, &shape);
}

static void whatever_is_done_the_viewer_stays_sound(void **state)
{
    (void)state;
    uint64_t random = 201;
    for (int round = 0; round < 60; round++) {
        struct viewing seen;
        viewing_init(&seen, some_profile(&random), 400, 300, 1);
        for (int step = 0; step < 100; step++) {
            do_something(&seen, &random);
            assert_viewing_sound(&seen);
            ask_something(&seen, &random);
            if (random_below(&random, 10) == 0)
                assert_state_says_all(&seen);
            if (random_below(&random, 60) == 0)
                assert_true(flm_viewer_take(seen.viewer,
                                            (enum flm_viewer_side)random_below(&random, 2),
                                            some_profile(&random), "other", NULL));
        }
        viewing_clear(&seen);
    }
}

/* ---- Without memory -------------------------------------------------------------------------- */

static const char stacks[] = "main;parse;lex 30\nmain;parse;read 20\nmain;write 30\nidle 20\n";

/* What the whole way from nothing to a picture asks for. Profiles are taken by the viewer. */
static bool look_and_do(void *context, struct flm_error *why)
{
    static const char *const actions[] = {
        "view flame",  "apply hide:lex", "search write", "invert", "sandwich parse", "flip",
        "order total", "child",          "copy-stack",   "back",   "color kind"};
    struct flm_profile *p = context, *mine = flm_apply(p, "by:name", NULL, why);
    uint32_t memory[100 * 100];
    struct flm_pixels pixels = flm_pixels_of(memory, 100, 100);
    struct flm_viewer *viewer = mine ? flm_viewer_new(why) : NULL;
    if (!viewer) {
        flm_profile_free(mine);
        return false;
    }
    flm_viewer_resize(viewer, 100, 100, 2);
    bool good = flm_viewer_take(viewer, FLM_VIEWER_AFTER, mine, "test", why);
    for (size_t i = 0; good && i < sizeof actions / sizeof actions[0]; i++) {
        good = flm_viewer_do(viewer, flm_bytes_of(actions[i]), why);
        flm_viewer_paint(viewer, &pixels, (double)i * 1000);
    }
    flm_viewer_free(viewer);
    return good;
}

static void all_of_it_survives_failed_allocations(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(stacks);
    assert_true(assert_survives_failures(look_and_do, p) > 200);
    flm_profile_free(p);
}

static void begin_anew(struct viewing *seen)
{
    static const char *const actions[] = {"restore ", "apply drop:idle", "order total", "search a",
                                          "child"};
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        viewing_do(seen, actions[i]);
}

/* After an action that had no memory the viewer is sound, and can do it. */
static void what_lacked_memory_can_be_done_again(void **state)
{
    (void)state;
    static const char *const actions[] = {
        "apply hide:lex",
        "undo",
        "order name",
        "invert",
        "sandwich parse",
        "view top",
        "search read",
        "search-add",
        "search-kind regex",
        "next-metric",
        "parent",
        "zoom 1",
        "back",
        "reset",
        "copy-stack",
        "color function",
        "operation-remove 0",
        "operation-edit 0 depth:2 | by:name",
        "restore view=sandwich&of=main&apply=depth:2&search=tni0.a&select=12&color=kind&sort=self",
    };
    struct viewing seen;
    viewing_init(&seen, profile_of_two("main;parse;lex 30 1\nmain;write 30 2\nidle 20 3\n"), 200,
                 200, 1);
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        for (size_t nth = 1;; nth++) {
            struct flm_error why = {0};
            begin_anew(&seen);
            allocation_fail_once(nth);
            bool good = flm_viewer_do(seen.viewer, flm_bytes_of(actions[i]), &why);
            bool failed = allocation_has_failed();
            allocation_fail_from(0);
            if (!good && (!failed || why.kind != FLM_ERROR_MEMORY))
                fail_msg("'%s' with allocation %zu failing: %s", actions[i], nth, why.text);
            allocation_fail_once(nth);
            flm_viewer_paint(seen.viewer, &seen.pixels, seen.now_ms);
            allocation_fail_from(0);
            assert_viewing_sound(&seen);
            viewing_look(&seen);
            if (!failed)
                break;
        }
    viewing_clear(&seen);
}

static bool take_another(void *context, struct flm_error *why)
{
    struct viewing *seen = context;
    struct flm_profile *mine = flm_apply(seen->viewer->model.opened[0], "by:name", NULL, why);
    return mine && flm_viewer_take(seen->viewer, FLM_VIEWER_AFTER, mine, "other", why);
}

static void another_profile_is_taken_or_the_one_before_stays(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of(stacks), 200, 200, 1);
    viewing_do(&seen, "apply depth:2");
    viewing_do(&seen, "search main");
    assert_survives_failures(take_another, &seen);
    assert_viewing_sound(&seen);
    viewing_look(&seen);
    viewing_clear(&seen);
}

/* ---- What changed ---------------------------------------------------------------------------- */

static void a_change_is_seen_once(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of(stacks), 200, 200, 1);
    viewing_changes(&seen);
    assert_int_equal(viewing_changes(&seen), 0);
    viewing_do(&seen, "order total");
    unsigned changed = viewing_changes(&seen);
    assert_true(changed & FLM_CHANGED(PICTURE) && changed & FLM_CHANGED(HISTORY) &&
                changed & FLM_CHANGED(STATE) && changed & FLM_CHANGED(TOOLS));
    viewing_do(&seen, "child");
    changed = viewing_changes(&seen);
    assert_true(changed & FLM_CHANGED(DETAIL) && changed & FLM_CHANGED(STATE));
    assert_false(changed & FLM_CHANGED(HISTORY));
    viewing_do(&seen, "copy-name");
    assert_int_equal(viewing_changes(&seen), FLM_CHANGED(COPY));
    viewing_do(&seen, "help");
    assert_int_equal(viewing_changes(&seen), FLM_CHANGED(PROMPT));
    assert_string_equal(viewing_ask(&seen, "prompt"), "help");
    viewing_clear(&seen);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* What another view has behind it stays; what is drawn otherwise is laid out. */
static void tables_and_code_keep_the_picture_behind_them(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("a;b 3\na;c 4\n");
    const struct flm_layout *layout = v->scene.panes[0].layout;
    act(v, "view top");
    act(v, "view code");
    act(v, "view flame");
    assert_ptr_equal(v->scene.panes[0].layout, layout);
    act(v, "view sandwich");
    assert_int_equal(v->scene.pane_count, 2);
    act(v, "view top");
    assert_int_equal(v->scene.pane_count, 1);
    act(v, "invert");
    act(v, "view code");
    assert_int_equal(v->scene.panes[0].kind, FLM_PANE_LAZY);
    flm_viewer_free(v);
}

static void a_terminal_is_hit_by_its_cells(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of(stacks), 200, 200, 1);
    flm_viewer_resize_cells(seen.viewer, 100, 20);
    struct flm_node_ref ref;
    struct flm_rectangle box;
    assert_true(
        flm_viewer_hit(seen.viewer, 30 * FLM_CELL_PX, 1.5 * FLM_CELL_HEIGHT_PX, &ref, &box));
    assert_string_equal(viewing_name(&seen, ref), "main");
    assert_true(
        flm_viewer_hit(seen.viewer, 10 * FLM_CELL_PX, 1.5 * FLM_CELL_HEIGHT_PX, &ref, &box));
    assert_string_equal(viewing_name(&seen, ref), "idle");
    assert_false(flm_viewer_hit(seen.viewer, 0, 19.5 * FLM_CELL_HEIGHT_PX, &ref, &box));
    viewing_clear(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_done_the_viewer_stays_sound),
        cmocka_unit_test(all_of_it_survives_failed_allocations),
        cmocka_unit_test(what_lacked_memory_can_be_done_again),
        cmocka_unit_test(another_profile_is_taken_or_the_one_before_stays),
        cmocka_unit_test(a_change_is_seen_once),
        cmocka_unit_test(tables_and_code_keep_the_picture_behind_them),
        cmocka_unit_test(a_terminal_is_hit_by_its_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
