#include "draw/color/color_mode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/profile/colors.h"
#include "support/profile/profiles.h"

static const struct flm_bytes no_rules = {"", 0};

/* Frames by name; the test fails where there is none. */
static uint32_t frame_called(const struct flm_profile *p, const char *name)
{
    for (uint32_t f = 1; f < p->sizes.frame_count; f++)
        if (flm_bytes_are(flm_frame_function(p, f), name))
            return f;
    fail_msg("no frame %s", name);
    return 0;
}

static struct flm_coloring colored(const struct flm_profile *p, enum flm_color_mode mode,
                                   const char *rules)
{
    struct flm_coloring c;
    assert_true(flm_coloring_init(&c, p, p, mode, flm_bytes_of(rules), NULL));
    return c;
}

static uint32_t tone_of(const struct flm_profile *p, const struct flm_coloring *c, const char *name)
{
    return c->tones[frame_called(p, name)].light;
}

static void modes_have_names_and_titles(void **state)
{
    (void)state;
    for (int mode = 0; mode < FLM_COLOR_MODE_COUNT; mode++) {
        const char *name = flm_color_mode_name((enum flm_color_mode)mode);
        assert_int_equal(flm_color_mode_named(flm_bytes_of(name)), mode);
        assert_true(flm_color_mode_title((enum flm_color_mode)mode)[0] != 0);
    }
    assert_int_equal(flm_color_mode_named(flm_bytes_of("color")), FLM_COLOR_MODE_COUNT);
}

static struct flm_profile *with_modules(void)
{
    static const char *const functions[][3] = {{"main", "app", "main.c"},
                                               {"parse", "app", "parse.c"},
                                               {"lex", "app", "lex.c"},
                                               {"write", "app", "write.c"},
                                               {"inflate", "libz.so", "zip.c"}};
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    struct flm_node node = flm_builder_root(b);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        uint32_t string[3];
        for (int k = 0; k < 3; k++)
            string[k] = flm_builder_string(b, functions[i][k], strlen(functions[i][k])).index;
        struct flm_frame_record record = {
            .function = string[0], .module = string[1], .file = string[2]};
        node = flm_builder_child(b, node, flm_builder_frame(b, &record));
        flm_builder_add(b, node, metric, 1);
    }
    return flm_builder_finish(b, NULL);
}

static void what_stays_keeps_its_color(void **state)
{
    (void)state;
    struct flm_profile *opened = with_modules();
    static const char *const operations[] = {"by:function", "hide:lex | hide:write",
                                             "focus:inflate", "invert", "by:nohex"};
    for (enum flm_color_mode mode = FLM_COLOR_MODULE; mode <= FLM_COLOR_FILE; mode++) {
        struct flm_coloring before = colored(opened, mode, "");
        for (size_t i = 0; mode != FLM_COLOR_KIND && i < 5; i++) {
            struct flm_profile *p = flm_apply(opened, operations[i], NULL, NULL);
            struct flm_coloring after;
            assert_true(flm_coloring_init(&after, p, opened, mode, flm_bytes_of(""), NULL));
            for (uint32_t f = 1; f < p->sizes.frame_count; f++) {
                uint32_t same = 1;
                while (!flm_bytes_equal(flm_frame_function(opened, same), flm_frame_function(p, f)))
                    same++;
                assert_int_equal(after.tones[f].light, before.tones[same].light);
            }
            flm_coloring_clear(&after);
            flm_profile_free(p);
        }
        flm_coloring_clear(&before);
    }
    /* A module in place of its functions has the hue that they had, unless it had several. */
    struct flm_profile *modules = flm_apply(opened, "by:module", NULL, NULL);
    struct flm_coloring before = colored(opened, FLM_COLOR_MODULE, ""), after;
    assert_true(
        flm_coloring_init(&after, modules, opened, FLM_COLOR_MODULE, flm_bytes_of(""), NULL));
    assert_int_equal(after.groups.at[after.group_of[frame_called(modules, "libz.so")]].hue,
                     before.groups.at[before.group_of[frame_called(opened, "inflate")]].hue);
    flm_coloring_clear(&before);
    flm_coloring_clear(&after);
    flm_profile_free(modules);
    flm_profile_free(opened);
}

static void modules_have_hues_and_functions_shades(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("app::main;app::parse;zlib::inflate 3\n");
    struct flm_coloring c = colored(p, FLM_COLOR_MODULE, "");
    assert_int_equal(c.groups.count, 2);
    assert_int_equal(c.group_of[frame_called(p, "app::main")],
                     c.group_of[frame_called(p, "app::parse")]);
    assert_true(
        flm_bytes_are(c.groups.at[c.group_of[frame_called(p, "zlib::inflate")]].title, "zlib"));
    struct flm_palette palette = {.colors = FLM_COLORS_MODULE};
    assert_int_equal(
        tone_of(p, &c, "app::parse"),
        flm_palette_tone(&palette, flm_bytes_of("app::parse"), no_rules, FLM_KIND_PLAIN).light);
    flm_coloring_clear(&c);
    flm_profile_free(p);
}

static void kinds_have_tones_marks_and_runtimes_a_texture(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read_[k];soft_[i];std::move 3\nmain;f_[j] 1\n");
    struct flm_coloring c = colored(p, FLM_COLOR_KIND, "");
    uint32_t read = frame_called(p, "read"), runtime = frame_called(p, "std::move");
    assert_int_equal(c.groups.at[c.group_of[read]].mark, FLM_MARK_KERNEL);
    assert_int_equal(flm_coloring_texture(&c, read), FLM_TEXTURE_NONE);
    assert_int_equal(flm_coloring_texture(&c, runtime), FLM_TEXTURE_DOTS);
    assert_int_equal(flm_coloring_texture(&c, 0), FLM_TEXTURE_NONE);
    static const char *const names[] = {"main", "read", "soft", "std::move", "f"};
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < a; b++)
            assert_int_not_equal(tone_of(p, &c, names[a]), tone_of(p, &c, names[b]));
    flm_coloring_clear(&c);
    flm_profile_free(p);
}

static void every_function_and_file_has_one_tone(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read;copy 3\nmain;write 1\n");
    struct flm_coloring c = colored(p, FLM_COLOR_FUNCTION, "");
    assert_int_equal(c.groups.count, 4);
    struct flm_coloring again = colored(p, FLM_COLOR_FUNCTION, "");
    assert_int_equal(tone_of(p, &c, "copy"), tone_of(p, &again, "copy"));
    flm_coloring_clear(&again);
    flm_coloring_clear(&c);
    c = colored(p, FLM_COLOR_FILE, "");
    assert_int_equal(c.groups.count, 1);
    assert_true(flm_bytes_are(c.groups.at[0].title, "no source file"));
    flm_coloring_clear(&c);
    flm_profile_free(p);
}

static void the_first_rule_that_matches_counts(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read;copy 3\nmain;write 1\n");
    struct flm_coloring c =
        colored(p, FLM_COLOR_RULES, "re*->#010203\n\n/r/ -> rgb(4,5,6)\r\nread->#ffffff\n");
    assert_int_equal(tone_of(p, &c, "read"), 0x010203);
    assert_int_equal(tone_of(p, &c, "copy"), flm_gray_tone(1).light);
    assert_int_equal(c.tones[frame_called(p, "read")].ink, FLM_INK_WHITE);
    assert_int_equal(c.groups.count, 4);
    flm_coloring_clear(&c);
    flm_profile_free(p);
}

static void wrong_rules_are_refused_with_their_line(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 1\n");
    static const char *const wrong[] = {"a->#000000\nread->blue\n", "\nread\n", "\n/(/->#000000\n"};
    for (size_t i = 0; i < 3; i++) {
        struct flm_coloring c;
        struct flm_error why = {0};
        assert_false(flm_coloring_init(&c, p, p, FLM_COLOR_RULES, flm_bytes_of(wrong[i]), &why));
        assert_int_equal(why.line, 2);
        assert_true(flm_bytes_start_with(flm_bytes_of(why.text), "line 2: "));
    }
    flm_profile_free(p);
}

/* Neither costs nor what else is in the profile: the next profile of a program has them too. */
static void hues_follow_from_names_alone(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "a::x 9\nb::x 1\nc::x 2\nd::x 1\ne::x 1\n", "a::x 1\nb::x 9\nc::x 7\nd::x 5\ne::x 8\n",
        "a::x 1\nb::x 1\nc::x 1\nd::x 1\ne::x 1\n0::x 90\nk::x 1\n"};
    uint32_t first[5];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct flm_profile *p = profile_of(texts[i]);
        struct flm_coloring c = colored(p, FLM_COLOR_MODULE, "");
        for (int k = 0; k < 5; k++) {
            char name[] = {(char)('a' + k), ':', ':', 'x', 0};
            uint32_t tone = tone_of(p, &c, name);
            assert_true(i == 0 || tone == first[k]);
            first[k] = tone;
        }
        flm_coloring_clear(&c);
        flm_profile_free(p);
    }
}

/* The legend of a profile; borrows its titles. */
static struct flm_legend legend_of(const struct flm_profile *p, const struct flm_coloring *c)
{
    struct flm_tree tree = flm_tree_of(p, (struct flm_metric){0});
    struct flm_legend legend;
    assert_true(flm_legend_init(&legend, c, &tree, NULL));
    return legend;
}

static void a_legend_adds_up_the_largest_area_first(void **state)
{
    (void)state;
    char folded[100 * 40];
    size_t size = 0;
    for (int i = 0; i < 60; i++)
        size += (size_t)sprintf(folded + size, "m%d::x;m%d::f %d\n", i, i, 1 + i);
    struct flm_profile *p = profile_of(folded);
    static const enum flm_color_mode modes[] = {FLM_COLOR_MODULE, FLM_COLOR_FUNCTION,
                                                FLM_COLOR_KIND};
    for (size_t k = 0; k < sizeof modes / sizeof modes[0]; k++) {
        struct flm_coloring c = colored(p, modes[k], "");
        struct flm_legend legend = legend_of(p, &c);
        double sum = 0;
        uint32_t groups = 0, used = modes[k] == FLM_COLOR_KIND ? 1 : (uint32_t)c.groups.count;
        for (size_t i = 0; i < legend.count; i++) {
            sum += legend.items[i].total;
            groups += legend.items[i].count;
            for (size_t j = 0; j < i && legend.items[i].group != FLM_NONE; j++)
                assert_true(legend.items[i].tone.light != legend.items[j].tone.light);
        }
        assert_true(sum == legend.total && sum == 60 * 61 / 2);
        assert_int_equal(groups, used);
        assert_true(legend.count <= FLM_LEGEND_COLORS + 1);
        assert_int_equal(legend.items[legend.count - 1].group == FLM_NONE,
                         modes[k] == FLM_COLOR_FUNCTION); /* of 12 hues, in three steps each */
        flm_coloring_clear(&c);
    }
    flm_profile_free(p);
}

/* Finds two modules of one color, "m0" and another, and one of another color. */
static void find_twins(char *twin, char *stranger)
{
    uint32_t hue = flm_package_hue(flm_bytes_of("m0"));
    *twin = *stranger = 0;
    for (int i = 1; !*twin || !*stranger; i++) {
        char name[16];
        sprintf(name, "m%d", i);
        strcpy(flm_package_hue(flm_bytes_of(name)) == hue ? twin : stranger, name);
    }
}

/* Leaves of one module below a chain of another one of that color: what is seen is the chain. */
static void a_color_is_named_after_what_is_seen_of_it(void **state)
{
    (void)state;
    char twin[16], stranger[16], folded[400];
    find_twins(twin, stranger);
    for (int deep = 0; deep < 2; deep++) {
        sprintf(folded, "m0::a;m0::a;%s;%s::leaf 10\n%s::c;%s::c 30\n",
                deep ? "m0::a;m0::a;m0::a;m0::a;m0::a;m0::a" : "m0::a", twin, stranger, stranger);
        struct flm_profile *p = profile_of(folded);
        struct flm_coloring c = colored(p, FLM_COLOR_MODULE, "");
        struct flm_legend legend = legend_of(p, &c);
        assert_int_equal(legend.count, 2);
        const struct flm_legend_item *item = &legend.items[!deep];
        assert_true(flm_bytes_are(item->title, "m0"));              /* although it has no self */
        assert_true(flm_bytes_are(item->second, deep ? "" : twin)); /* 1 row of 8, 1 of 3 */
        assert_int_equal(item->count, 2);
        assert_true(item->total == 10);
        assert_true(flm_bytes_are(legend.items[deep].title, stranger));
        flm_coloring_clear(&c);
        flm_profile_free(p);
    }
}

/* Rules are what the user told apart. */
static void rules_of_one_color_are_two(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;b 1\n");
    struct flm_coloring c = colored(p, FLM_COLOR_RULES, "a->#ff0000\nb->#ff0000\n");
    struct flm_legend legend = legend_of(p, &c);
    assert_int_equal(legend.count, 2);
    assert_true(flm_bytes_are(legend.items[0].title, "a"));
    assert_true(flm_bytes_are(legend.items[1].title, "b"));
    flm_coloring_clear(&c);
    flm_profile_free(p);
}

static void shares_have_a_legend_of_steps(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 1\n");
    struct flm_tree tree = flm_tree_of(p, (struct flm_metric){0});
    for (int mode = FLM_COLOR_SELF; mode <= FLM_COLOR_METRIC; mode++) {
        struct flm_coloring c = colored(p, (enum flm_color_mode)mode, "");
        struct flm_legend legend;
        assert_null(c.tones);
        assert_int_equal(flm_coloring_texture(&c, 1), FLM_TEXTURE_NONE);
        assert_true(flm_legend_init(&legend, &c, &tree, NULL));
        assert_int_equal(legend.count, FLM_SHARE_STEPS);
        flm_coloring_clear(&c);
    }
    flm_profile_free(p);
}

struct attempt {
    const struct flm_profile *profile;
    enum flm_color_mode mode;
};

static bool color_and_list(void *context, struct flm_error *why)
{
    const struct attempt *attempt = context;
    struct flm_tree tree = flm_tree_of(attempt->profile, (struct flm_metric){0});
    struct flm_coloring c;
    struct flm_legend legend;
    if (!flm_coloring_init(&c, attempt->profile, attempt->profile, attempt->mode,
                           flm_bytes_of("/f1/->#000000\nf2*->#ffffff\n"), why))
        return false;
    bool done = flm_legend_init(&legend, &c, &tree, why);
    flm_coloring_clear(&c);
    return done;
}

static void colors_survive_failed_allocations(void **state)
{
    (void)state;
    char folded[30 * 60];
    size_t size = 0;
    for (int i = 0; i < 50; i++)
        size += (size_t)sprintf(folded + size, "m%d::f;f%d 2\n", i, i);
    struct attempt attempt = {profile_of(folded), FLM_COLOR_MODULE};
    for (int mode = 0; mode < FLM_COLOR_MODE_COUNT; mode++) {
        attempt.mode = (enum flm_color_mode)mode;
        size_t count = assert_survives_failures(color_and_list, &attempt);
        assert_true(count > 3 || flm_color_mode_is_share(attempt.mode));
    }
    flm_profile_free((struct flm_profile *)attempt.profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_have_names_and_titles),
        cmocka_unit_test(what_stays_keeps_its_color),
        cmocka_unit_test(modules_have_hues_and_functions_shades),
        cmocka_unit_test(kinds_have_tones_marks_and_runtimes_a_texture),
        cmocka_unit_test(every_function_and_file_has_one_tone),
        cmocka_unit_test(the_first_rule_that_matches_counts),
        cmocka_unit_test(wrong_rules_are_refused_with_their_line),
        cmocka_unit_test(hues_follow_from_names_alone),
        cmocka_unit_test(a_legend_adds_up_the_largest_area_first),
        cmocka_unit_test(a_color_is_named_after_what_is_seen_of_it),
        cmocka_unit_test(rules_of_one_color_are_two),
        cmocka_unit_test(shares_have_a_legend_of_steps),
        cmocka_unit_test(colors_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
