#include "viewer/scene/siblings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"

static struct flm_layout *layout_of(const struct flm_profile *p)
{
    struct flm_layout_options options = {.tree = flm_tree_of(p, (struct flm_metric){0})};
    struct flm_layout *layout = flm_layout_new(&options, NULL);
    assert_non_null(layout);
    return layout;
}

static void children_stand_widest_first_and_equal_ones_in_name_order(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("r;a 1\nr;b 5\nr;c;x 3\nr;c 2\nr;d 1\nother 1\n");
    struct flm_layout *layout = layout_of(p);
    struct flm_siblings siblings = {0};
    uint32_t r = flm_child_next(layout, 0, flm_child_first(layout, 0));
    const struct flm_sorted_children *sorted = flm_siblings_below(&siblings, layout, r, NULL);
    assert_non_null(sorted);
    const char *const expected[] = {"b", "c", "a", "d"};
    assert_int_equal(sorted->count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(
            flm_bytes_are(flm_frame_function(p, p->node_frame[sorted->child[i]]), expected[i]));
    uint32_t leaf = sorted->child[0];
    assert_int_equal(flm_siblings_below(&siblings, layout, leaf, NULL)->count, 0);
    assert_int_equal(flm_child_first(layout, leaf), FLM_NONE);
    flm_siblings_clear(&siblings);
    flm_layout_free(layout);
    flm_profile_free(p);
}

static void what_has_no_width_is_no_sibling(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("a 1 0\nb 0 1\nc 2 0\n");
    struct flm_layout *layout = layout_of(p);
    struct flm_siblings siblings = {0};
    uint32_t expected = flm_self_column(p, 0)[2] == 0 ? 2 : 1;
    assert_int_equal(flm_siblings_below(&siblings, layout, 0, NULL)->count, expected);
    flm_siblings_clear(&siblings);
    flm_layout_free(layout);
    flm_profile_free(p);
}

static struct flm_profile *wide(unsigned children)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    for (unsigned i = 0; i < children; i++) {
        struct flm_text name = {0};
        flm_text_format(&name, "f%u", i);
        struct flm_frame frame = flm_builder_function(b, name.at, name.size);
        struct flm_node node = flm_builder_child(b, flm_builder_root(b), frame);
        flm_builder_add(b, node, metric, 1 + i % 7);
        flm_builder_add(b, flm_builder_child(b, node, frame), metric, 1);
        flm_text_clear(&name);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static void many_are_sorted_once(void **state)
{
    (void)state;
    struct flm_profile *p = wide(3000);
    struct flm_layout *layout = layout_of(p);
    struct flm_siblings siblings = {0};
    const struct flm_sorted_children *sorted = flm_siblings_below(&siblings, layout, 0, NULL);
    assert_int_equal(sorted->count, 3000);
    for (uint32_t i = 1; i < sorted->count; i++)
        assert_true(flm_layout_total(layout, (struct flm_node){sorted->child[i - 1]}) >=
                    flm_layout_total(layout, (struct flm_node){sorted->child[i]}));
    const uint32_t *child = sorted->child;
    assert_int_equal(flm_siblings_below(&siblings, layout, child[5], NULL)->count, 1);
    assert_ptr_equal(flm_siblings_below(&siblings, layout, 0, NULL)->child, child);
    flm_siblings_clear(&siblings);
    flm_layout_free(layout);
    flm_profile_free(p);
}

static bool sort_all(void *context, struct flm_error *why)
{
    const struct flm_layout *layout = context;
    struct flm_siblings siblings = {0};
    bool ok = true;
    for (uint32_t node = 0; ok && node < 4; node++)
        ok = flm_siblings_below(&siblings, layout, node, why) != NULL;
    flm_siblings_clear(&siblings);
    return ok;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    struct flm_profile *p = wide(600);
    struct flm_layout *layout = layout_of(p);
    assert_true(assert_survives_failures(sort_all, layout) > 4);
    flm_layout_free(layout);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_stand_widest_first_and_equal_ones_in_name_order),
        cmocka_unit_test(what_has_no_width_is_no_sibling),
        cmocka_unit_test(many_are_sorted_once),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
