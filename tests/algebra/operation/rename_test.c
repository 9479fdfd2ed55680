#include "algebra/operation/rename.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algebra/operation/operations.h"
#include "support/core/allocation.h"
#include "support/profile/profiles.h"

static struct flm_profile *rename_by(const struct flm_profile *p, const char *rule, uint32_t *count,
                                     struct flm_error *why)
{
    struct flm_renaming *renaming = flm_renaming_new(flm_bytes_of(rule), why);
    struct flm_profile *q = renaming ? flm_rename(p, renaming, count, why) : NULL;
    flm_renaming_free(renaming);
    return q;
}

static struct flm_profile *renamed(const struct flm_profile *p, const char *rule, uint32_t expected)
{
    struct flm_error why = {0};
    uint32_t count;
    struct flm_profile *q = rename_by(p, rule, &count, &why);
    if (!q)
        fail_msg("%s: %s", rule, why.text);
    assert_int_equal(count, expected);
    assert_sound(q);
    return q;
}

static void becomes(const char *folded, const char *rule, uint32_t count, const char *expected)
{
    struct flm_profile *p = profile_of(folded), *q = renamed(p, rule, count);
    assert_folded(q, expected);
    flm_profile_free(p);
    flm_profile_free(q);
}

static void functions_get_the_names_that_the_rule_says(void **state)
{
    (void)state;
    becomes("main;parse_v2;lex 3\n", "s/_v[0-9]+$//", 1, "main;parse;lex 3\n");
    becomes("a;get_x 1\na;get_y 2\n", "s/get_(\\w)/\\1()/", 2, "a;x() 1\na;y() 2\n");
    becomes("main;lex 3\n", "s/nothing/x/", 0, "main;lex 3\n");
    becomes("main;lex 3\n", "function=s/lex/x/", 1, "main;x 3\n");
}

static void stacks_that_become_equal_are_one(void **state)
{
    (void)state;
    becomes("m;f1;g 1\nm;f2;g 2\nm;f2 4\n", "s/[0-9]//", 2, "m;f 4\nm;f;g 3\n");
    becomes("a 1\nb 2\na;b 4\n", "s/.*/x/", 2, "x 3\nx;x 4\n");
    /* What a rule makes is not renamed again by it. */
    becomes("a;b 1\n", "s/a/b/", 1, "b;b 1\n");
}

static struct flm_profile *with_places(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    for (int i = 0; i < 2; i++) {
        struct flm_frame_record record = {
            .function = flm_builder_string(b, "f", 1).index,
            .module = flm_builder_string(b, i ? "x-1.2.so" : "x-1.3.so", 8).index,
            .file = flm_builder_string(b, "dir/f.c", 7).index,
            .line = 7,
            .kind = FLM_KIND_NATIVE};
        flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record)),
                        cpu, 1 + i);
    }
    return flm_builder_finish(b, NULL);
}

static void modules_and_files_are_renamed_and_the_rest_of_a_frame_stays(void **state)
{
    (void)state;
    struct flm_profile *p = with_places();
    struct flm_profile *q = renamed(p, "module=s/-[0-9.]+\\.so/.so/", 2);
    assert_int_equal(q->sizes.node_count, 2);
    struct flm_frame_record f = q->frames[1];
    assert_true(flm_bytes_are(flm_string_bytes(q, f.module), "x.so"));
    assert_true(flm_bytes_are(flm_string_bytes(q, f.file), "dir/f.c"));
    assert_true(f.line == 7 && f.kind == FLM_KIND_NATIVE);
    assert_true(flm_profile_self(q, (struct flm_metric){0})[1] == 3);
    flm_profile_free(q);
    q = renamed(p, "file=s,.*/,,", 2);
    assert_int_equal(q->sizes.node_count, 3);
    assert_true(flm_bytes_are(flm_string_bytes(q, q->frames[1].file), "f.c"));
    flm_profile_free(q);
    flm_profile_free(p);
}

static void a_name_may_become_empty_and_is_not_the_root(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;b 1\n"), *q = renamed(p, "s/.*//", 2);
    assert_int_equal(q->sizes.node_count, 3);
    flm_profile_free(p);
    flm_profile_free(q);
}

static void a_malformed_rule_is_refused_at_its_place(void **state)
{
    (void)state;
    struct flm_error why = {0};
    assert_null(flm_renaming_new(flm_bytes_of("module=s/a(/b/"), &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_int_equal(why.offset, 10);
    assert_null(flm_renaming_new(flm_bytes_of("old=new"), &why));
    assert_non_null(strstr(why.text, "a rule is written s/old/new/"));
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    struct flm_profile *p = with_places();
    for (size_t nth = 1;; nth++) {
        struct flm_error why = {0};
        uint32_t count;
        allocation_fail_once(nth);
        struct flm_profile *q = rename_by(p, "module=s/(1)/x\\1x/", &count, &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(q || failed); /* room that is not given back is no failure */
        if (!q)
            assert_int_equal(why.kind, FLM_ERROR_MEMORY);
        flm_profile_free(q);
        if (!failed)
            break;
    }
    flm_profile_free(p);
}

/* A chain of rules that each double a name ends with a sentence, long before memory does. */
static void a_name_does_not_grow_without_end(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;ab 3\n");
    struct flm_error why = {0};
    uint32_t count, rounds = 0;
    while (p && rounds < 64) {
        struct flm_profile *q = rename_by(p, "s/(.*)/\\1\\1/", &count, &why);
        flm_profile_free(p);
        p = q;
        rounds += p != NULL;
    }
    assert_null(p);
    assert_true(rounds >= 13); /* of four letters or two */
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    assert_non_null(strstr(why.text, "more than 65,536 bytes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_get_the_names_that_the_rule_says),
        cmocka_unit_test(stacks_that_become_equal_are_one),
        cmocka_unit_test(modules_and_files_are_renamed_and_the_rest_of_a_frame_stays),
        cmocka_unit_test(a_name_may_become_empty_and_is_not_the_root),
        cmocka_unit_test(a_malformed_rule_is_refused_at_its_place),
        cmocka_unit_test(failing_allocations_are_reported),
        cmocka_unit_test(a_name_does_not_grow_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
