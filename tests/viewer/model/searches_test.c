#include "viewer/model/searches.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static const struct flm_metric first = {0};
static const struct flm_node root = {0};

static struct flm_layout *layout_of(const struct flm_profile *p, enum flm_sibling_order order)
{
    struct flm_layout_options options = {.tree = flm_tree_of(p, first), .order = order};
    struct flm_layout *layout = flm_layout_new(&options, NULL);
    assert_non_null(layout);
    return layout;
}

static struct flm_searches searches_for(const struct flm_profile *p, const char *text)
{
    struct flm_searches searches = {0};
    assert_true(flm_searches_open(&searches, p, NULL));
    assert_true(flm_searches_text(&searches, flm_bytes_of(text), NULL));
    return searches;
}

static void assert_sums(const char *folded, const char *text, double total, double self)
{
    struct flm_profile *p = profile_of(folded);
    struct flm_layout *layout = layout_of(p, FLM_ORDER_NAME);
    struct flm_searches searches = searches_for(p, text);
    const struct flm_search_sums *sums = flm_search_sum(&searches.at[0], p, first, layout, root);
    assert_true(sums->all.total == total);
    assert_true(sums->all.self == self);
    assert_true(sums->seen.total == total);
    flm_searches_clear(&searches);
    flm_layout_free(layout);
    flm_profile_free(p);
}

static void a_total_counts_recursion_once(void **state)
{
    (void)state;
    assert_sums("f 1\nf;f 2\nf;g;f 4\ng 8\nh;f;f 16\n", "f", 23, 23);
    assert_sums("f 1\nf;g 2\nh 8\n", "g", 2, 2);
    assert_sums("f 1\nf;g 2\nh 8\n", "nothing", 0, 0);
}

/* As patterns of operations have them, whatever the kind of the search is. */
static void slashes_make_a_regular_expression(void **state)
{
    (void)state;
    assert_sums("lex 1\nparse 2\nParse 4\np/x/ 8\n", "/^p/", 10, 10);
    assert_sums("lex 1\nparse 2\nParse 4\n", "/^p/i", 6, 6);
    assert_sums("lex 1\nparse 2\nParse 4\n", "/[A-Z]/", 4, 4);
    assert_sums("lex 1\nparse 2\n/usr 4\n", "/us", 4, 4);
    assert_sums("lex 1\na//b 2\n", "//", 2, 2);
    struct flm_profile *p = profile_of("lex 1\nparse 2\n");
    struct flm_searches searches = searches_for(p, "/lex|par/");
    assert_int_equal(flm_search_kind(&searches.at[0]), FLM_SEARCH_REGEX);
    assert_int_equal(searches.at[0].kind, FLM_SEARCH_TEXT);
    assert_int_equal(searches.at[0].frame_count, 2);
    /* What is wrong is said at its place in the text that was typed. */
    assert_true(flm_searches_text(&searches, flm_bytes_of("/le(x/"), NULL));
    assert_true(searches.at[0].malformed);
    assert_int_equal(searches.at[0].error.offset, 3);
    assert_int_equal(searches.at[0].frame_count, 2);
    assert_true(flm_searches_text(&searches, flm_bytes_of("/le(x"), NULL));
    assert_false(searches.at[0].malformed);
    flm_searches_clear(&searches);
    flm_profile_free(p);
}

static void a_node_has_its_own_sums(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;f 1\nb 1\nb;f 2\nb;f;f 4\n");
    struct flm_layout *layout = layout_of(p, FLM_ORDER_NAME);
    struct flm_searches searches = searches_for(p, "f");
    struct flm_node b = {3};
    assert_true(flm_bytes_are(flm_frame_function(p, p->node_frame[b.index]), "b"));
    const struct flm_search_sums *sums = flm_search_sum(&searches.at[0], p, first, layout, b);
    assert_true(sums->all.total == 7);
    assert_true(sums->seen.total == 6);
    assert_true(sums->seen.of == 7);
    /* The same question again, and another one. */
    assert_true(flm_search_sum(&searches.at[0], p, first, layout, b)->seen.total == 6);
    assert_true(flm_search_sum(&searches.at[0], p, first, layout, root)->seen.total == 7);
    assert_true(flm_searches_text(&searches, flm_bytes_of("b"), NULL));
    assert_true(flm_search_sum(&searches.at[0], p, first, layout, root)->all.self == 1);
    flm_searches_clear(&searches);
    flm_layout_free(layout);
    flm_profile_free(p);
}

/* Over each node's ancestors, one by one. */
static void sums_agree_with_a_plain_walk(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (unsigned i = 0; i < 200; i++) {
        struct random_shape shape = {.stacks = 1 + i,
                                     .names = 2 + i % 9,
                                     .deepest = 1 + i % 12,
                                     .metrics = 2,
                                     .negative = i % 4 == 0};
        struct flm_profile *p = random_profile(&random, &shape);
        struct flm_layout *layout = layout_of(p, FLM_ORDER_NAME);
        char text[3] = {'f', (char)('0' + i % 4), 0};
        struct flm_searches searches = searches_for(p, text);
        const unsigned char *found = searches.at[0].frame_matches;
        uint32_t *parent = malloc(p->sizes.node_count * sizeof *parent);
        flm_profile_parents(p, parent);
        struct flm_node top = {random_below(&random, p->sizes.node_count)};
        double total = 0, self = 0, seen = 0;
        for (uint32_t node = 0; node < p->sizes.node_count; node++) {
            double value = fabs(flm_self_column(p, 0)[node]);
            bool in_one = false, in_seen = false, below_top = false;
            for (uint32_t at = node; at != FLM_NONE; at = parent[at]) {
                in_one = in_one || found[p->node_frame[at]];
                in_seen = in_seen || (!below_top && found[p->node_frame[at]]);
                below_top = below_top || at == top.index;
            }
            total += in_one ? value : 0;
            seen += below_top && in_seen ? value : 0;
            self += found[p->node_frame[node]] ? value : 0;
        }
        const struct flm_search_sums *sums = flm_search_sum(&searches.at[0], p, first, layout, top);
        assert_true(sums->all.total == total);
        assert_true(sums->all.self == self);
        assert_true(sums->seen.total == seen);
        free(parent);
        flm_searches_clear(&searches);
        flm_layout_free(layout);
        flm_profile_free(p);
    }
}

/* ---- From match to match --------------------------------------------------------------------- */

static void assert_walk(const char *folded, enum flm_sibling_order order, const char *expected)
{
    struct flm_profile *p = profile_of(folded);
    struct flm_layout *layout = layout_of(p, order);
    struct flm_searches searches = searches_for(p, "x");
    const unsigned char *found = searches.at[0].frame_matches;
    struct flm_text names = {0};
    struct flm_node node = {FLM_NONE};
    struct flm_search_step step = flm_search_step(found, layout, node, FLM_SEARCH_NEXT);
    uint32_t count = step.count;
    for (uint32_t i = 1; i <= count; i++) {
        assert_int_equal(step.at, i);
        flm_text_puts(&names, i > 1 ? " " : "");
        flm_text_add(&names, flm_frame_function(p, p->node_frame[step.node.index]));
        struct flm_search_step here = flm_search_step(found, layout, step.node, FLM_SEARCH_STAY);
        assert_int_equal(here.at, i);
        struct flm_search_step back =
            flm_search_step(found, layout, step.node, FLM_SEARCH_PREVIOUS);
        assert_int_equal(back.at, i == 1 ? count : i - 1);
        if (i > 1)
            assert_int_equal(back.node.index, node.index);
        node = step.node;
        step = flm_search_step(found, layout, node, FLM_SEARCH_NEXT);
    }
    assert_int_equal(step.at, 1); /* round */
    flm_text_putc(&names, 0);
    assert_string_equal(names.at, expected);
    flm_text_clear(&names);
    flm_searches_clear(&searches);
    flm_layout_free(layout);
    flm_profile_free(p);
}

static void the_next_match_is_the_next_in_the_picture(void **state)
{
    (void)state;
    static const char folded[] = "a;x1 1\na;x1;x2 1\nb;x3 5\nx4;c;x5 9\n";
    assert_walk(folded, FLM_ORDER_NAME, "x1 x2 x3 x4 x5");
    assert_walk(folded, FLM_ORDER_TOTAL, "x4 x5 x3 x1 x2");
}

static void from_between_two_matches_both_ways_lead_on(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;x1 1\nb 1\nc;x2 5\n");
    struct flm_layout *layout = layout_of(p, FLM_ORDER_NAME);
    struct flm_searches searches = searches_for(p, "x");
    const unsigned char *found = searches.at[0].frame_matches;
    struct flm_node b = {3};
    assert_int_equal(flm_search_step(found, layout, b, FLM_SEARCH_NEXT).at, 2);
    assert_int_equal(flm_search_step(found, layout, b, FLM_SEARCH_PREVIOUS).at, 1);
    assert_int_equal(flm_search_step(found, layout, b, FLM_SEARCH_STAY).at, 0);
    assert_true(flm_searches_text(&searches, flm_bytes_of("nothing"), NULL));
    assert_int_equal(flm_search_step(found, layout, b, FLM_SEARCH_NEXT).node.index, FLM_NONE);
    flm_searches_clear(&searches);
    flm_layout_free(layout);
    flm_profile_free(p);
}

static void a_gap_is_no_match_even_where_the_root_is(void **state)
{
    (void)state;
    static const uint32_t frame[] = {0, 1, 0, 2}, end[] = {4, 2, 3, 4};
    static const double width[] = {0, 5, 5, 5};
    struct flm_layout_options options = {.tree = {4, frame, end, width, NULL}};
    struct flm_layout *layout = flm_layout_new(&options, NULL);
    static const unsigned char found[] = {1, 1, 1};
    struct flm_search_step step =
        flm_search_step(found, layout, (struct flm_node){1}, FLM_SEARCH_NEXT);
    assert_int_equal(step.node.index, 3);
    assert_int_equal(step.count, 2);
    flm_layout_free(layout);
}

/* ---- Several --------------------------------------------------------------------------------- */

static unsigned color_of(const struct flm_searches *searches, const char *name)
{
    const struct flm_profile *p = searches->profile;
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        if (flm_bytes_are(flm_frame_function(p, i), name))
            return searches->frame_color[i];
    fail_msg("there is no %s", name);
    return 0;
}

static void a_frame_has_the_color_of_the_first_search_that_finds_it(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("parse;read 1\nwrite 2\n");
    struct flm_searches searches = searches_for(p, "r");
    assert_true(flm_searches_add(&searches, NULL));
    assert_true(flm_searches_text(&searches, flm_bytes_of("write"), NULL));
    assert_int_equal(color_of(&searches, "write"), 1);
    assert_true(flm_searches_toggle(&searches, 0, NULL));
    assert_int_equal(color_of(&searches, "write"), 2);
    assert_int_equal(color_of(&searches, "parse"), 0);
    assert_true(flm_searches_toggle(&searches, 0, NULL));
    assert_true(flm_searches_remove(&searches, 0, NULL));
    assert_int_equal(searches.count, 1);
    assert_int_equal(searches.current, 0);
    assert_int_equal(color_of(&searches, "write"), 2); /* its color stays */
    assert_true(flm_searches_add(&searches, NULL));
    assert_int_equal(searches.at[1].color, 0);
    flm_searches_clear(&searches);
    flm_profile_free(p);
}

static void there_are_six_and_no_more(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a 1\n");
    struct flm_searches searches = {0};
    struct flm_error why = {0};
    assert_true(flm_searches_open(&searches, p, NULL));
    for (int i = 0; i < FLM_MOST_SEARCHES; i++)
        assert_true(flm_searches_add(&searches, NULL));
    assert_false(flm_searches_add(&searches, &why));
    assert_non_null(strstr(why.text, "remove one first"));
    assert_false(flm_searches_remove(&searches, 6, &why));
    assert_false(flm_searches_toggle(&searches, 6, &why));
    assert_false(flm_searches_edit(&searches, 6, &why));
    flm_searches_clear(&searches);
    flm_profile_free(p);
}

static void scopes_look_at_different_things(void **state)
{
    (void)state;
    uint64_t random = 9;
    struct random_shape shape = {
        .stacks = 50, .names = 10, .deepest = 6, .metrics = 1, .modules = true};
    struct flm_profile *p = random_profile(&random, &shape);
    struct flm_searches searches = searches_for(p, ".");
    for (int scope = 0; scope < FLM_SEARCH_SCOPES; scope++) {
        assert_true(flm_searches_scope(&searches, (enum flm_search_scope)scope, NULL));
        uint32_t count = 0;
        for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
            const struct flm_frame_record *f = &p->frames[i];
            uint32_t strings[] = {f->function, f->file, f->module};
            bool expected = false;
            for (int s = 0; s < 3; s++) {
                struct flm_bytes name = flm_string_bytes(p, strings[s]);
                bool has = name.size > 0 && memchr(name.at, '.', name.size);
                expected = expected || (has && (scope == FLM_SEARCH_ALL || scope == s));
            }
            assert_int_equal(searches.at[0].frame_matches[i], expected);
            count += expected;
        }
        assert_int_equal(searches.at[0].frame_count, count);
        if (scope == FLM_SEARCH_ALL)
            assert_true(count > 0);
    }
    flm_searches_clear(&searches);
    flm_profile_free(p);
}

static void a_malformed_expression_finds_what_was_found_before(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("parse;read 1\nwrite 2\n");
    struct flm_searches searches = searches_for(p, "rea");
    assert_true(flm_searches_kind(&searches, FLM_SEARCH_REGEX, NULL));
    assert_true(flm_searches_text(&searches, flm_bytes_of("rea["), NULL));
    assert_true(searches.at[0].malformed);
    assert_non_null(strstr(searches.at[0].error.text, "byte 3"));
    assert_int_equal(color_of(&searches, "read"), 1);
    assert_int_equal(searches.at[0].frame_count, 1);
    assert_true(flm_searches_text(&searches, flm_bytes_of("w.*e"), NULL));
    assert_false(searches.at[0].malformed);
    assert_int_equal(color_of(&searches, "read"), 0);
    assert_int_equal(color_of(&searches, "write"), 1);
    flm_searches_clear(&searches);
    flm_profile_free(p);
}

static void another_profile_is_searched_for_the_same(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("parse;read 1\n");
    struct flm_profile *q = profile_of("a;b;reads;c 1\nd;e;f 1\n");
    struct flm_searches searches = {0};
    assert_true(flm_searches_text(&searches, flm_bytes_of("read"), NULL)); /* before any */
    assert_true(flm_searches_any(&searches));
    assert_true(flm_searches_open(&searches, p, NULL));
    assert_int_equal(color_of(&searches, "read"), 1);
    assert_true(flm_searches_open(&searches, q, NULL));
    assert_int_equal(color_of(&searches, "reads"), 1);
    assert_int_equal(color_of(&searches, "a"), 0);
    flm_searches_clear(&searches);
    flm_profile_free(p);
    flm_profile_free(q);
}

/* ---- As text --------------------------------------------------------------------------------- */

static void searches_become_text_and_come_back(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("parse;read 1\nwrite 2\n");
    struct flm_searches searches = searches_for(p, "a,b%c \xC3\xA4");
    assert_true(flm_searches_add(&searches, NULL));
    assert_true(flm_searches_text(&searches, flm_bytes_of("lib.*"), NULL));
    assert_true(flm_searches_kind(&searches, FLM_SEARCH_REGEX, NULL));
    assert_true(flm_searches_scope(&searches, FLM_SEARCH_MODULES, NULL));
    assert_true(flm_searches_case(&searches, true, NULL));
    assert_true(flm_searches_toggle(&searches, 1, NULL));
    struct flm_text text = {0}, again = {0};
    flm_searches_write(&searches, &text);
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, "tni0.a%2Cb%25c \xC3\xA4,!rmc1.lib.*");
    struct flm_searches other = {0};
    assert_true(flm_searches_open(&other, p, NULL));
    assert_true(flm_searches_set(&other, flm_bytes_of(text.at), NULL));
    flm_searches_write(&other, &again);
    flm_text_putc(&again, 0);
    assert_string_equal(again.at, text.at);
    assert_int_equal(other.count, 2);
    assert_false(other.at[1].on);
    assert_true(flm_searches_set(&other, flm_bytes_of(""), NULL));
    assert_int_equal(other.count, 0);
    flm_text_clear(&text);
    flm_text_clear(&again);
    flm_searches_clear(&searches);
    flm_searches_clear(&other);
    flm_profile_free(p);
}

static void text_that_is_no_search_changes_nothing(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("parse 1\n");
    struct flm_searches searches = searches_for(p, "parse");
    static const char *const wrong[] = {
        "x",       "tni0", "tni7.a",        "xni0.a",         "tni0.a%2", "tni0.a%zz",
        "tni0.a,", "!",    "tni0.a,tni0.b", "tni0.a,,tni1.b", "txi0.a",   "tnx0.a"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct flm_error why = {0};
        bool good = flm_searches_set(&searches, flm_bytes_of(wrong[i]), &why);
        if (good) /* a comma at the end is an empty rest */
            assert_string_equal(wrong[i], "tni0.a,");
        else
            assert_int_equal(why.kind, FLM_ERROR_USAGE);
    }
    assert_int_equal(searches.count, 1);
    flm_searches_clear(&searches);
    flm_profile_free(p);
}

static void labels_show_what_was_found(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("reparse 1\n");
    struct flm_searches searches = searches_for(p, "pars");
    size_t from, to;
    assert_true(flm_search_part(&searches.at[0], flm_bytes_of("reparse"), &from, &to));
    assert_int_equal(from, 2);
    assert_int_equal(to, 6);
    assert_false(flm_search_part(&searches.at[0], flm_bytes_of("read"), &from, &to));
    assert_true(flm_searches_scope(&searches, FLM_SEARCH_FILES, NULL));
    assert_false(flm_search_part(&searches.at[0], flm_bytes_of("reparse"), &from, &to));
    flm_searches_clear(&searches);
    flm_profile_free(p);
}

/* ---- Without memory -------------------------------------------------------------------------- */

static bool change(struct flm_searches *searches, unsigned what, struct flm_error *why)
{
    switch (what) {
    case 0:
        return flm_searches_text(searches, flm_bytes_of("writ"), why);
    case 1:
        return flm_searches_kind(searches, FLM_SEARCH_REGEX, why);
    case 2:
        return flm_searches_scope(searches, FLM_SEARCH_ALL, why);
    case 3:
        return flm_searches_case(searches, true, why);
    case 4:
        return flm_searches_add(searches, why);
    default:
        return flm_searches_set(searches, flm_bytes_of("rni3.w.*,fni0.rd"), why);
    }
}

static void a_change_without_memory_is_none(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("parse;read 1\nwrite 2\n");
    for (unsigned what = 0; what < 6; what++)
        for (size_t nth = 1;; nth++) {
            struct flm_searches searches = searches_for(p, "read");
            struct flm_error why = {0};
            struct flm_text before = {0}, after = {0};
            flm_searches_write(&searches, &before);
            allocation_fail_once(nth);
            bool good = change(&searches, what, &why);
            bool failed = allocation_has_failed();
            allocation_fail_from(0);
            assert_int_equal(good, !failed);
            if (!good) {
                assert_int_equal(why.kind, FLM_ERROR_MEMORY);
                flm_searches_write(&searches, &after);
                assert_int_equal(before.size, after.size);
                assert_memory_equal(before.at, after.at, before.size);
                assert_int_equal(color_of(&searches, "read"), 1);
            }
            flm_text_clear(&before);
            flm_text_clear(&after);
            flm_searches_clear(&searches);
            if (!failed)
                break;
        }
    flm_profile_free(p);
}

static void a_profile_that_cannot_be_searched_is_not(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("parse;read 1\nwrite 2\n");
    for (size_t nth = 1;; nth++) {
        struct flm_searches searches = searches_for(p, "read");
        struct flm_error why = {0};
        allocation_fail_from(nth);
        bool good = flm_searches_open(&searches, p, &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(good, !failed);
        if (!good) {
            assert_int_equal(why.kind, FLM_ERROR_MEMORY);
            assert_null(searches.profile);
            assert_null(searches.frame_color);
            assert_true(flm_searches_open(&searches, p, NULL));
        }
        assert_int_equal(color_of(&searches, "read"), 1);
        flm_searches_clear(&searches);
        if (!failed)
            break;
    }
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_total_counts_recursion_once),
        cmocka_unit_test(slashes_make_a_regular_expression),
        cmocka_unit_test(a_node_has_its_own_sums),
        cmocka_unit_test(sums_agree_with_a_plain_walk),
        cmocka_unit_test(the_next_match_is_the_next_in_the_picture),
        cmocka_unit_test(a_gap_is_no_match_even_where_the_root_is),
        cmocka_unit_test(from_between_two_matches_both_ways_lead_on),
        cmocka_unit_test(a_frame_has_the_color_of_the_first_search_that_finds_it),
        cmocka_unit_test(there_are_six_and_no_more),
        cmocka_unit_test(scopes_look_at_different_things),
        cmocka_unit_test(a_malformed_expression_finds_what_was_found_before),
        cmocka_unit_test(another_profile_is_searched_for_the_same),
        cmocka_unit_test(searches_become_text_and_come_back),
        cmocka_unit_test(text_that_is_no_search_changes_nothing),
        cmocka_unit_test(labels_show_what_was_found),
        cmocka_unit_test(a_change_without_memory_is_none),
        cmocka_unit_test(a_profile_that_cannot_be_searched_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
