#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "draw/color/palette.h"
#include "support/profile/profiles.h"
#include "support/profile/viewing.h"

static const char folded[] = "main;std::sort 3\nmain;net::send 6\nmain;sys_read_[k] 1\n";

static void colors_are_told_with_how_much_has_them(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    struct json_tree *l = answer(v, "legend");
    assert_true(part(l, "items")->count >= 3);
    assert_string_equal(at(l, "items.0.title"), "main"); /* the widest boxes, without a self */
    assert_null(json_tree_find(&part(l, "items")->items[0], "share"));
    assert_null(json_tree_find(&part(l, "items")->items[0], "note"));
    assert_string_equal(at(l, "items.1.title"), "net");
    assert_string_equal(at(l, "items.1.share"), "60 %");
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

/* Files by their names; the note has the whole paths, and how many other groups share the color. */
static void a_color_of_several_groups_names_two_and_counts_the_others(void **state)
{
    (void)state;
    char text[4000], name[2][32] = {"", ""};
    size_t size = 0, alike = 0;
    uint32_t hue = flm_package_hue(flm_bytes_of("lib/m0"));
    for (int i = 0; alike < 4; i++) {
        char module[32];
        snprintf(module, sizeof module, "lib/m%d", i);
        if (flm_package_hue(flm_bytes_of(module)) != hue)
            continue;
        if (alike < 2)
            strcpy(name[alike], module);
        size += (size_t)snprintf(text + size, sizeof text - size, "%s.f %d\n", module,
                                 alike < 2 ? 100 - (int)alike : 1);
        alike++;
    }
    struct flm_viewer *v = viewer_of_folded(text);
    struct json_tree *l = answer(v, "legend");
    char title[200], note[200];
    snprintf(title, sizeof title, "%s, %s", name[0] + 4, name[1] + 4);
    snprintf(note, sizeof note, "%s, %s and 2 more with smaller areas", name[0], name[1]);
    assert_int_equal(part(l, "items")->count, 1);
    assert_string_equal(at(l, "items.0.title"), title);
    assert_string_equal(at(l, "items.0.note"), note);
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
        cmocka_unit_test(a_color_of_several_groups_names_two_and_counts_the_others),
        cmocka_unit_test(without_a_profile_there_are_no_colors),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
