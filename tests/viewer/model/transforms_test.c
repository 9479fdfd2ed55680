#include "viewer/model/transforms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/algebra.h"
#include "support/core/allocation.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static void assert_list(const struct flm_operations *operations, const char *expected)
{
    struct flm_text text = {0};
    flm_operations_write(operations, &text);
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
}

static struct flm_operations opened(const struct flm_profile *p)
{
    struct flm_operations operations = {0};
    assert_true(flm_operations_open(&operations, p, NULL, NULL));
    return operations;
}

static bool add(struct flm_operations *operations, const char *expression, struct flm_error *why)
{
    return flm_operations_add(operations, flm_bytes_of(expression), why);
}

static const char stacks[] = "a;b;c 1\na;b 2\na;d;b 4\ne 8\n";

static void what_is_shown_is_the_profile_after_all_that_are_on(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(stacks);
    struct flm_operations o = opened(p);
    assert_ptr_equal(flm_operations_shown(&o), p);
    assert_true(add(&o, "hide:b", NULL));
    assert_folded(flm_operations_shown(&o), "a 2\na;c 1\na;d 4\ne 8\n");
    assert_true(add(&o, "drop:e | depth:1", NULL));
    assert_int_equal(o.count, 3);
    assert_folded(flm_operations_shown(&o), "a 7\n");
    assert_true(flm_operations_toggle(&o, 1, NULL));
    assert_folded(flm_operations_shown(&o), "a 7\ne 8\n");
    assert_list(&o, "hide:b | !drop:e | depth:1");
    assert_true(flm_operations_move(&o, 2, 0, NULL));
    assert_list(&o, "depth:1 | hide:b | !drop:e");
    assert_true(flm_operations_move(&o, 0, 2, NULL));
    assert_list(&o, "hide:b | !drop:e | depth:1");
    assert_true(flm_operations_edit(&o, 0, flm_bytes_of("drop:b | !invert"), NULL));
    assert_list(&o, "drop:b | !invert | !drop:e | depth:1");
    assert_folded(flm_operations_shown(&o), "e 8\n");
    assert_true(flm_operations_remove(&o, 0, NULL));
    assert_folded(flm_operations_shown(&o), "a 7\ne 8\n");
    flm_operations_clear(&o);
    flm_profile_free(p);
}

/* As the command does, with what would match; but what comes by a link, or matches no more after a
 * change of others, stays and has a note. */
static void one_that_matches_nothing_is_refused_with_what_would(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;read_file_[k] 1\na;b 2\n"),
                       *before = profile_of("x;y 3\n");
    struct flm_operations o = opened(p);
    struct flm_error why;
    assert_false(add(&o, "hide:kernel", &why));
    assert_string_equal(why.text, "no frame matches 'kernel' (hide:kind=kernel matches the kind)");
    assert_false(add(&o, "hide:b | drop:read_fiel", &why));
    assert_string_equal(why.text, "no frame matches 'read_fiel' (did you mean read_file?)");
    assert_int_equal(o.count, 0);
    assert_true(add(&o, "hide:b", NULL));
    assert_false(flm_operations_edit(&o, 0, flm_bytes_of("hide:module=b"), &why));
    assert_list(&o, "hide:b");
    assert_true(add(&o, "drop:a", NULL));
    assert_true(flm_operations_edit(&o, 0, flm_bytes_of("focus:b"), NULL));
    assert_non_null(strstr(o.at[1].note, "no frame matches 'a'"));
    assert_true(flm_operations_set(&o, flm_bytes_of("hide:nothing"), NULL));
    assert_non_null(strstr(o.at[0].note, "no frame matches 'nothing'"));
    /* Of two sides that are compared one is enough. */
    assert_true(flm_operations_set(&o, flm_bytes_of(""), NULL));
    assert_true(flm_operations_open(&o, p, before, NULL));
    assert_true(add(&o, "hide:y", NULL));
    assert_string_equal(o.at[0].note, "");
    assert_false(add(&o, "hide:z", NULL));
    flm_operations_clear(&o);
    flm_profile_free(p);
    flm_profile_free(before);
}

static void what_cannot_be_done_leaves_all_as_it_was(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(stacks);
    struct flm_operations o = opened(p);
    assert_true(add(&o, "hide:b", NULL));
    const struct flm_profile *shown = flm_operations_shown(&o);
    static const char *const wrong[] = {
        "", " | ", "nothing:x", "hide:/(/", "hide:\"x", "drop:e | depth:x", "label:thread"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct flm_error why = {0};
        assert_false(add(&o, wrong[i], &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
        assert_true(why.text[0] != 0);
        if (i > 1)
            assert_false(flm_operations_edit(&o, 0, flm_bytes_of(wrong[i]), &why));
        assert_ptr_equal(flm_operations_shown(&o), shown);
        assert_list(&o, "hide:b");
    }
    assert_false(flm_operations_toggle(&o, 1, NULL));
    assert_false(flm_operations_remove(&o, 7, NULL));
    assert_false(flm_operations_move(&o, 0, 1, NULL));
    assert_true(flm_operations_undo(&o, NULL));
    assert_false(flm_operations_can_undo(&o));
    flm_operations_clear(&o);
    flm_profile_free(p);
}

static void another_profile_switches_off_what_it_cannot_do(void **state)
{
    (void)state;
    uint64_t random = 8;
    struct random_shape shape = random_full;
    shape.samples = RANDOM_SAMPLES_ALL;
    struct flm_profile *sampled = random_profile(&random, &shape), *plain = profile_of(stacks);
    struct flm_operations o = opened(sampled);
    assert_true(add(&o, "time:0s.. | by:name", NULL));
    assert_true(flm_operations_open(&o, plain, NULL, NULL));
    assert_list(&o, "!time:0s.. | by:name");
    assert_true(o.at[0].note[0] != 0);
    flm_operations_clear(&o);
    flm_profile_free(sampled);
    flm_profile_free(plain);
}

static void change_by_chance(struct flm_operations *o, uint64_t *random)
{
    static const char *const some[] = {"hide:f1", "drop:f2",      "depth:3",      "invert",
                                       "by:name", "focus:f3",     "hide:\"a|b\"", "hide:\"x\ny\"",
                                       "!invert", "keep:/f[12]/", "collapse:any"};
    const char *text = some[random_below(random, sizeof some / sizeof some[0])];
    size_t a = random_below(random, 4), b = random_below(random, 4);
    switch (random_below(random, 6)) {
    case 0:
        flm_operations_toggle(o, a, NULL);
        break;
    case 1:
        flm_operations_remove(o, a, NULL);
        break;
    case 2:
        flm_operations_move(o, a, b, NULL);
        break;
    case 3:
        flm_operations_edit(o, a, flm_bytes_of(text), NULL);
        break;
    default:
        add(o, text, NULL);
    }
}

/* Each list that there was, and the profile that it showed. */
struct moment {
    struct flm_text list, profile;
};

static struct moment moment_of(const struct flm_operations *o)
{
    struct moment moment = {.profile = bytes_of(flm_operations_shown(o))};
    flm_operations_write(o, &moment.list);
    return moment;
}

static void moment_clear(struct moment *moment)
{
    flm_text_clear(&moment->list);
    flm_text_clear(&moment->profile);
}

static bool texts_equal(const struct flm_text *a, const struct flm_text *b)
{
    return flm_bytes_equal((struct flm_bytes){a->at, a->size}, (struct flm_bytes){b->at, b->size});
}

static void assert_moment(const struct flm_operations *o, const struct moment *expected)
{
    struct moment now = moment_of(o);
    assert_true(texts_equal(&now.list, &expected->list));
    assert_true(texts_equal(&now.profile, &expected->profile));
    moment_clear(&now);
}

static void a_bar_in_a_rule_that_is_off_divides_nothing(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(stacks);
    struct flm_operations o = opened(p);
    assert_true(add(&o, "! rename:s/a|b/c/ | drop:e", NULL));
    assert_list(&o, "!rename:s/a|b/c/ | drop:e");
    flm_operations_clear(&o);
    flm_profile_free(p);
}

static void every_change_is_undone_and_done_again(void **state)
{
    (void)state;
    enum { CHANGES = 25 };
    uint64_t random = 9;
    for (int round = 0; round < 10; round++) {
        struct flm_profile *p = random_profile(&random, &random_full);
        struct flm_operations o = opened(p);
        struct moment moments[CHANGES + 1];
        size_t count = 0;
        moments[count++] = moment_of(&o);
        for (int i = 0; i < CHANGES; i++) {
            size_t before = o.undo.size;
            change_by_chance(&o, &random);
            if (o.undo.size != before)
                moments[count++] = moment_of(&o);
        }
        for (size_t i = count - 1; i > 0; i--) {
            assert_moment(&o, &moments[i]);
            assert_true(flm_operations_undo(&o, NULL));
        }
        assert_moment(&o, &moments[0]);
        assert_false(flm_operations_undo(&o, NULL));
        for (size_t i = 1; i < count; i++) {
            assert_true(flm_operations_redo(&o, NULL));
            assert_moment(&o, &moments[i]);
        }
        assert_false(flm_operations_redo(&o, NULL));
        for (size_t i = 0; i < count; i++)
            moment_clear(&moments[i]);
        flm_operations_clear(&o);
        flm_profile_free(p);
    }
}

static void a_list_that_was_there_before_is_undone_to(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(stacks);
    struct flm_operations o = opened(p);
    assert_true(add(&o, "hide:b", NULL) && add(&o, "invert", NULL));
    assert_true(flm_operations_set(&o, flm_bytes_of("hide:b"), NULL));
    assert_list(&o, "hide:b");
    assert_true(flm_operations_undo(&o, NULL));
    assert_list(&o, "");
    assert_true(flm_operations_set(&o, flm_bytes_of("hide:b"), NULL));
    assert_true(flm_operations_redo(&o, NULL));
    assert_list(&o, "hide:b | invert");
    assert_false(flm_operations_can_redo(&o));
    assert_true(flm_operations_set(&o, flm_bytes_of("drop:e"), NULL));
    assert_true(flm_operations_undo(&o, NULL));
    assert_list(&o, "hide:b | invert");
    flm_operations_clear(&o);
    flm_profile_free(p);
}

static bool change_all(void *context, struct flm_error *why)
{
    struct flm_operations o = {0};
    bool good = flm_operations_open(&o, context, NULL, why) && add(&o, "hide:b", why) &&
                add(&o, "drop:e | depth:2", why) && flm_operations_toggle(&o, 0, why) &&
                flm_operations_move(&o, 0, 2, why) && flm_operations_undo(&o, why) &&
                flm_operations_redo(&o, why) && flm_operations_remove(&o, 1, why) &&
                flm_operations_set(&o, flm_bytes_of("by:name"), why);
    flm_operations_clear(&o);
    return good;
}

static void changes_survive_failed_allocations(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(stacks);
    assert_true(assert_survives_failures(change_all, p) > 50);
    flm_profile_free(p);
}

/* What failed for lack of memory is as if it had not been asked for, and can be done later. */
static void after_a_failed_allocation_all_is_as_it_was(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(stacks);
    for (size_t nth = 1;; nth++) {
        struct flm_operations o = opened(p);
        assert_true(add(&o, "hide:b", NULL));
        allocation_fail_once(nth);
        bool good = add(&o, "drop:e", NULL);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        if (!good)
            assert_list(&o, "hide:b");
        if (!good)
            assert_true(add(&o, "drop:e", NULL));
        assert_list(&o, "hide:b | drop:e");
        assert_true(flm_operations_undo(&o, NULL) && flm_operations_undo(&o, NULL));
        assert_list(&o, "");
        flm_operations_clear(&o);
        if (!failed)
            break;
    }
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_shown_is_the_profile_after_all_that_are_on),
        cmocka_unit_test(one_that_matches_nothing_is_refused_with_what_would),
        cmocka_unit_test(what_cannot_be_done_leaves_all_as_it_was),
        cmocka_unit_test(another_profile_switches_off_what_it_cannot_do),
        cmocka_unit_test(a_bar_in_a_rule_that_is_off_divides_nothing),
        cmocka_unit_test(every_change_is_undone_and_done_again),
        cmocka_unit_test(a_list_that_was_there_before_is_undone_to),
        cmocka_unit_test(changes_survive_failed_allocations),
        cmocka_unit_test(after_a_failed_allocation_all_is_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
