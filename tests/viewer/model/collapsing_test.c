#include "viewer/model/collapsing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/profile/profiles.h"

/* a, b and "f(x,y)" call themselves. */
static const char folded[] = "main;a;a;b;b;f(x,y);f(x,y);f(x,y) 1\nmain;c 2\n";

typedef void edit(const struct flm_operations *operations, struct flm_bytes function,
                  struct flm_text *out);

static void without(const struct flm_operations *operations, struct flm_bytes function,
                    struct flm_text *out)
{
    flm_collapsing_change(operations, function, false, out);
}

static void with(const struct flm_operations *operations, struct flm_bytes function,
                 struct flm_text *out)
{
    flm_collapsing_change(operations, function, true, out);
}

static void none(const struct flm_operations *operations, struct flm_bytes function,
                 struct flm_text *out)
{
    (void)function;
    flm_collapsing_none(operations, out);
}

/* The list after an edit is `expected`, and an operation list. */
static void check(edit *make, const char *before, const char *function, const char *expected)
{
    struct flm_profile *p = profile_of(folded);
    struct flm_operations operations = {0};
    assert_true(flm_operations_open(&operations, p, NULL, NULL));
    assert_true(flm_operations_set(&operations, flm_bytes_of(before), NULL));
    struct flm_text list = {0}, written = {0};
    make(&operations, flm_bytes_of(function), &list);
    assert_false(list.failed);
    struct flm_error why = {0};
    if (!flm_operations_rewrite(&operations, (struct flm_bytes){list.at, list.size}, &why))
        fail_msg("%.*s: %s", (int)list.size, list.at, why.text);
    flm_operations_write(&operations, &written);
    assert_int_equal(written.size, strlen(expected));
    if (written.size > 0)
        assert_memory_equal(written.at, expected, written.size);
    flm_text_clear(&list);
    flm_text_clear(&written);
    flm_operations_clear(&operations);
    flm_profile_free(p);
}

static void a_function_is_excluded_or_no_longer_asked_for(void **state)
{
    (void)state;
    check(without, "collapse:direct", "a", "collapse:direct,!a");
    check(without, "collapse:direct,!a", "b", "collapse:direct,!a,!b");
    check(without, "collapse:direct,a,b", "a", "collapse:direct,b");
    check(without, "collapse:direct,a", "a", "");
    check(without, "collapse:direct,/a|b/", "a", "collapse:direct,/a|b/,!a");
    check(without, "hide:c | collapse:any | !collapse:direct", "a",
          "hide:c | collapse:any,!a | !collapse:direct");
    check(without, "collapse:direct", "f(x,y)", "collapse:direct,!\"f(x,y)\"");
    check(without, "collapse:direct,\"f(x,y)\",b", "f(x,y)", "collapse:direct,b");
}

static void a_function_is_included_again(void **state)
{
    (void)state;
    check(with, "", "a", "collapse:direct,a");
    check(with, "hide:c", "f(x,y)", "hide:c | collapse:direct,\"f(x,y)\"");
    check(with, "collapse:direct,!a", "a", "collapse:direct");
    check(with, "collapse:direct,!a,!b", "a", "collapse:direct,!b");
    check(with, "collapse:direct,b", "a", "collapse:direct,b | collapse:direct,a");
}

static void expanding_all_leaves_the_other_operations(void **state)
{
    (void)state;
    check(none, "collapse:direct,!a | hide:c | collapse:any", "", "hide:c");
    check(none, "hide:c", "", "hide:c");
}

static void it_is_known_whether_any_recursion_was_ever_collapsed(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(folded);
    struct flm_operations operations = {0};
    assert_true(flm_operations_open(&operations, p, NULL, NULL));
    assert_true(flm_operations_add(&operations, flm_bytes_of("hide:c"), NULL));
    /* A function of that name is none. */
    assert_true(flm_operations_add(&operations, flm_bytes_of("rename:s/b/collapse_b/"), NULL));
    assert_true(flm_operations_add(&operations, flm_bytes_of("hide:collapse_b"), NULL));
    assert_true(flm_operations_undo(&operations, NULL));
    assert_false(flm_collapsing(&operations));
    assert_false(flm_collapsing_known(&operations));
    assert_true(flm_operations_add(&operations, flm_bytes_of("collapse:direct"), NULL));
    assert_true(flm_collapsing(&operations));
    assert_true(flm_collapsing_known(&operations));
    assert_true(flm_operations_undo(&operations, NULL));
    assert_false(flm_collapsing(&operations));
    assert_true(flm_collapsing_known(&operations));
    flm_operations_clear(&operations);
    flm_profile_free(p);
}

static bool edit_all(void *context, struct flm_error *why)
{
    edit *const edits[] = {without, none, with};
    bool failed = false;
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        struct flm_text list = {0};
        edits[i](context, flm_bytes_of("f(x,y)"), &list);
        failed |= list.failed;
        flm_text_clear(&list);
    }
    return !failed || flm_error_memory(why);
}

static void lists_survive_failed_allocations(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(folded);
    struct flm_operations operations = {0};
    assert_true(flm_operations_open(&operations, p, NULL, NULL));
    assert_true(flm_operations_set(&operations, flm_bytes_of("hide:c | collapse:direct,!b"), NULL));
    assert_true(assert_survives_failures(edit_all, &operations) > 5);
    flm_operations_clear(&operations);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_is_excluded_or_no_longer_asked_for),
        cmocka_unit_test(a_function_is_included_again),
        cmocka_unit_test(expanding_all_leaves_the_other_operations),
        cmocka_unit_test(it_is_known_whether_any_recursion_was_ever_collapsed),
        cmocka_unit_test(lists_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
