#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/profile/profiles.h"
#include "support/profile/viewing.h"

static const char folded[] = "main;std::sort 3\nmain;net::send 6\nmain;sys_read_[k] 1\n";

static void colors_are_told_with_how_much_has_them(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    struct json_tree *l = answer(v, "legend");
    assert_true(part(l, "items")->count >= 3);
    assert_string_equal(at(l, "items.0.title"), "net");
    assert_string_equal(at(l, "items.0.share"), "60 %");
    assert_int_equal(strlen(at(l, "items.0.color")), 7);
    assert_int_equal(at(l, "items.0.dark")[0], '#');
    json_tree_free(l);
    act(v, "color kind");
    l = answer(v, "legend");
    bool has_kernel = false;
    const struct json_tree *items = part(l, "items");
    for (size_t i = 0; i < items->count; i++)
        has_kernel = has_kernel || strcmp(at(&items->items[i], "texture"), "kernel") == 0;
    assert_true(has_kernel);
    json_tree_free(l);
    flm_viewer_free(v);
}

static void without_a_profile_there_are_no_colors(void **state)
{
    (void)state;
    struct flm_viewer *v = flm_viewer_new(NULL);
    struct json_tree *l = answer(v, "legend");
    assert_int_equal(part(l, "items")->count, 0);
    json_tree_free(l);
    flm_viewer_free(v);
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    assert_answer_survives(folded, NULL, "legend");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colors_are_told_with_how_much_has_them),
        cmocka_unit_test(without_a_profile_there_are_no_colors),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
