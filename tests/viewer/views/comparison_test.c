#include "viewer/views/views.h"

#include "viewer/scene/compared.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/allocation.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"
#include "viewer/input/actions.h"
#include "viewer/internal.h"
#include "viewer/state.h"
#include "wasm/query_json.h"

static struct flm_viewer *viewer_of(const char *after, const char *before)
{
    struct flm_error why = {0};
    struct flm_viewer *v = flm_viewer_new(&why);
    assert_non_null(v);
    flm_viewer_resize(v, 1000, 600, 1);
    assert_true(flm_viewer_take(v, FLM_VIEWER_AFTER, profile_of(after), "a.folded", &why));
    if (before && !flm_viewer_take(v, FLM_VIEWER_BEFORE, profile_of(before), "b.folded", &why))
        fail_msg("%s", why.text);
    return v;
}

static void act(struct flm_viewer *v, const char *action)
{
    struct flm_error why = {0};
    if (!flm_viewer_do(v, flm_bytes_of(action), &why))
        fail_msg("%s: %s", action, why.text);
}

/* The pane's box of a function: its share of the whole width. */
static double share_of(struct flm_viewer *v, uint32_t pane, const char *function)
{
    assert_true(flm_viewer_update(v, NULL));
    const struct flm_pane *s = &v->scene.panes[pane];
    for (uint32_t i = 0; i < s->tree.node_count; i++)
        if (flm_bytes_are(flm_frame_function(s->profile, s->tree.frame[i]), function))
            return flm_layout_total(s->layout, (struct flm_node){i}) /
                   flm_layout_total(s->layout, (struct flm_node){0});
    return -1;
}

static struct flm_node node_of(struct flm_viewer *v, const char *function)
{
    const struct flm_pane *pane = &v->scene.panes[0];
    for (uint32_t i = 0; i < pane->tree.node_count; i++)
        if (flm_bytes_are(flm_frame_function(pane->profile, pane->tree.frame[i]), function))
            return (struct flm_node){i};
    return (struct flm_node){FLM_NONE};
}

static const char after[] = "m;less 100\nm;more 300\nm;new 100\n";
static const char before[] = "m;less 300\nm;more 100\nm;gone 100\n";

/* ---- Leaf first, and callers and calls ------------------------------------------------------- */

static void open_everything(struct flm_viewer *v)
{
    for (uint32_t s = 0; s < v->scene.pane_count; s++)
        for (uint32_t i = 0; i < v->scene.panes[s].tree.node_count; i++) /* it grows */
            assert_true(flm_pane_open_one(&v->scene.panes[s], i, NULL));
}

static bool is_empty(const struct flm_comparison *c, const uint32_t *end, uint32_t node)
{
    bool empty = true;
    for (uint32_t i = node; i < end[node]; i++)
        empty = empty && c->before_self[i] == 0 && c->after_self[i] == 0;
    return empty;
}

static void assert_near(double a, double b)
{
    assert_true(fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)));
}

/* Each node of a pane that is open to the end is that of the oracle: in preorder, without what has
 * a value on neither side. */
static void assert_is_oracle(const struct flm_pane *pane, const struct flm_profile *p,
                             const struct flm_comparison *oracle)
{
    uint32_t node = 0;
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        if (i > 0 && is_empty(oracle, p->node_end, i))
            continue;
        assert_true(node < pane->tree.node_count);
        struct flm_node at = {node++};
        assert_true(flm_bytes_equal(flm_frame_function(pane->profile, pane->tree.frame[at.index]),
                                    flm_frame_function(p, p->node_frame[i])));
        double width = 0;
        for (uint32_t k = i; k < p->node_end[i]; k++)
            width += oracle->widths[k];
        assert_near(flm_layout_total(pane->layout, at), width);
        for (int scope = 0; scope < 2; scope++) {
            struct flm_change is = flm_compared_change(pane, at, (enum flm_change_scope)scope);
            struct flm_change be = flm_comparison_change(oracle, i, (enum flm_change_scope)scope);
            assert_near(is.before, be.before);
            assert_near(is.after, be.after);
            assert_int_equal(is.kind, be.kind);
            assert_int_equal(is.noise, be.noise);
        }
    }
    assert_int_equal(node, pane->tree.node_count);
}

static void assert_inverted(struct flm_viewer *v, const struct flm_profile *const side[2])
{
    struct flm_error why = {0};
    struct flm_profile *b = flm_invert(side[FLM_VIEWER_BEFORE], &why);
    struct flm_profile *a = flm_invert(side[FLM_VIEWER_AFTER], &why);
    struct flm_profile *p = flm_comparison_align(b, a, &why);
    struct flm_comparison oracle;
    struct flm_metric_pair pair;
    assert_true(p && flm_metric_pair_find(p, NULL, &pair, &why));
    assert_true(flm_comparison_init(
        &oracle, p->sizes.node_count, p->node_end, flm_profile_self(p, pair.before),
        flm_profile_self(p, pair.after), &v->scene.compared->comparison.how, &why));
    open_everything(v);
    assert_is_oracle(&v->scene.panes[0], p, &oracle);
    flm_comparison_clear(&oracle);
    flm_profile_free(p);
    flm_profile_free(b);
    flm_profile_free(a);
}

static struct flm_viewer *viewer_of_random(uint64_t *random, unsigned i,
                                           const struct flm_profile *side[2])
{
    struct random_shape shape = {
        .stacks = 20 + 3 * i, .names = 2 + i % 9, .deepest = 2 + i % 6, .metrics = 1};
    struct flm_viewer *v = flm_viewer_new(NULL);
    flm_viewer_resize(v, 1000, 600, 1);
    for (int k = 0; k < 2; k++) {
        struct flm_profile *p = random_profile(random, &shape);
        assert_true(flm_viewer_take(v, (enum flm_viewer_side)k, p, "random", NULL));
        side[k] = p;
    }
    return v;
}

static void leaf_first_it_is_what_inverting_both_sides_gives(void **state)
{
    (void)state;
    static const char *const ways[] = {"width max",       "width after", "width before",
                                       "width sum",       "parts grown", "parts disappeared",
                                       "normalize total", "delta self",  "noise"};
    uint64_t random = 31;
    for (unsigned i = 0; i < 40; i++) {
        const struct flm_profile *side[2];
        struct flm_viewer *v = viewer_of_random(&random, i, side);
        act(v, "invert");
        for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++) {
            act(v, ways[way]);
            assert_int_equal(v->scene.panes[0].kind, FLM_PANE_LAZY);
            assert_inverted(v, side);
        }
        flm_viewer_free(v);
    }
}

/* The flame shows what there is after; what changed is told there, too. */
static void behind_the_flame_leaf_first_the_change_is_known(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of("m;a;x 10\nm;b;x 5\n", "m;a;x 2\nm;b;x 5\nm;c;x 7\n");
    act(v, "view flame");
    act(v, "invert");
    struct flm_node x = node_of(v, "x");
    struct flm_change change = flm_compared_change(&v->scene.panes[0], x, FLM_CHANGE_OF_SUBTREE);
    assert_true(change.before == 14 && change.after == 15);
    assert_true(flm_layout_total(v->scene.panes[0].layout, x) == 15);
    flm_viewer_free(v);
}

static void a_sandwich_has_widths_and_colors_of_the_change(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of("m;less;f;x 100\nm;more;f;y 300\nm;new;f 100\n",
                                     "m;less;f;x 300\nm;more;f;y 100\nm;gone;f;z 100\n");
    act(v, "sandwich f");
    assert_true(flm_scene_compares(&v->scene));
    open_everything(v);
    static const struct {
        const char *width;
        double less, gone, f;
    } cases[] = {{"width max", 300, 100, 800},
                 {"width after", 100, 0, 500},
                 {"width before", 300, 100, 500},
                 {"width sum", 400, 100, 1000}};
    static const struct {
        uint32_t pane;
        const char *function;
        int step;
        enum flm_mark mark;
        double before, after;
    } looks[] = {{0, "less", 0, FLM_MARK_NONE, 300, 100},
                 {0, "more", 6, FLM_MARK_NONE, 100, 300},
                 {0, "new", 6, FLM_MARK_APPEARED, 0, 100},
                 {0, "gone", 0, FLM_MARK_DISAPPEARED, 100, 0},
                 {1, "f", FLM_CHANGE_SAME, FLM_MARK_NONE, 500, 500},
                 {1, "x", 0, FLM_MARK_NONE, 300, 100},
                 {1, "y", 6, FLM_MARK_NONE, 100, 300},
                 {1, "z", 0, FLM_MARK_DISAPPEARED, 100, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        act(v, cases[i].width);
        open_everything(v);
        assert_true(share_of(v, 0, "less") * cases[i].f == cases[i].less);
        assert_true(share_of(v, 0, "gone") * cases[i].f == cases[i].gone);
        assert_true(share_of(v, 1, "f") == 1);
        for (size_t k = 0; k < sizeof looks / sizeof looks[0]; k++) {
            const struct flm_pane *pane = &v->scene.panes[looks[k].pane];
            struct flm_box box = {0};
            uint32_t node = 0;
            while (!flm_bytes_are(flm_frame_function(pane->profile, pane->tree.frame[node]),
                                  looks[k].function))
                node++;
            struct flm_change change =
                flm_compared_change(pane, (struct flm_node){node}, FLM_CHANGE_OF_SUBTREE);
            assert_true(change.before == looks[k].before && change.after == looks[k].after);
            assert_ptr_equal(flm_compared_style(pane, (struct flm_node){node}, &box),
                             flm_change_tone(FLM_CHANGE_RED_BLUE, looks[k].step));
            assert_int_equal(box.mark, looks[k].mark);
        }
    }
    flm_viewer_free(v);
}

/* ---- Side by side, and in turn --------------------------------------------------------------- */

static void side_by_side_a_zoom_is_to_the_same_node_in_both(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(after, before);
    act(v, "side-by-side");
    assert_int_equal(v->scene.pane_count, 2);
    assert_string_equal(v->scene.panes[0].title, "before");
    assert_true(share_of(v, 0, "less") == 0.6 && share_of(v, 1, "less") == 0.2);
    assert_true(v->scene.panes[0].left_px + v->scene.panes[0].width_px < v->scene.panes[1].left_px);
    char action[60];
    for (uint32_t pane = 0; pane < 2; pane++) {
        sprintf(action, "zoom %.0f",
                flm_node_ref_number((struct flm_node_ref){pane, node_of(v, "more").index}));
        act(v, action);
        v->input.now_ms += 1000;
        for (uint32_t i = 0; i < 2; i++) {
            const struct flm_pane *s = &v->scene.panes[i];
            struct flm_viewport view = flm_viewer_viewport(v, s);
            struct flm_node node = node_of(v, "more");
            assert_true(view.left == flm_layout_offset(s->layout, node));
            assert_true(view.right == view.left + flm_layout_total(s->layout, node));
        }
        act(v, "fit");
        v->input.now_ms += 1000;
    }
    flm_viewer_free(v);
}

static void in_turn_the_place_stays(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(after, before);
    char action[60];
    sprintf(action, "zoom %.0f",
            flm_node_ref_number((struct flm_node_ref){0, node_of(v, "more").index}));
    act(v, action);
    for (int i = 0; i < 4; i++) {
        act(v, "blink");
        v->input.now_ms += 1000;
        struct flm_node node = node_of(v, "more");
        assert_int_equal(flm_viewer_top_node(v, &v->scene.panes[0]).index, node.index);
        assert_int_equal(v->model.comparing.widths, i % 2 ? FLM_WIDTHS_BEFORE : FLM_WIDTHS_AFTER);
    }
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaf_first_it_is_what_inverting_both_sides_gives),
        cmocka_unit_test(behind_the_flame_leaf_first_the_change_is_known),
        cmocka_unit_test(a_sandwich_has_widths_and_colors_of_the_change),
        cmocka_unit_test(side_by_side_a_zoom_is_to_the_same_node_in_both),
        cmocka_unit_test(in_turn_the_place_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
