#include "viewer/scene/relations.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

struct related {
    struct flm_profile *p;
    struct flm_functions functions;
    struct flm_layout *layout;
    struct flm_relations relations;
};

static struct related start(struct flm_profile *p)
{
    struct flm_layout_options options = {.tree = flm_tree_of(p, (struct flm_metric){0})};
    struct related r = {.p = p, .layout = flm_layout_new(&options, NULL)};
    assert_non_null(r.layout);
    assert_true(flm_functions_init(&r.functions, p, NULL));
    return r;
}

static uint32_t function_named(const struct related *r, const char *name)
{
    for (uint32_t i = 1; i < r->functions.count; i++)
        if (flm_bytes_are(flm_string_bytes(r->p, r->functions.function[i].name), name))
            return i;
    fail_msg("there is no %s", name);
    return 0;
}

static void clear(struct related *r)
{
    flm_relations_clear(&r->relations);
    flm_functions_clear(&r->functions);
    flm_layout_free(r->layout);
    flm_profile_free(r->p);
}

/* "parse 11, check 2" */
static void assert_list(const struct related *r, const struct flm_relation *list, uint32_t count,
                        const char *expected)
{
    struct flm_text text = {0};
    for (uint32_t i = 0; i < count; i++) {
        flm_text_puts(&text, i ? ", " : "");
        flm_text_add(&text, flm_string_bytes(r->p, r->functions.function[list[i].function].name));
        flm_text_format(&text, " %u", (unsigned)list[i].total);
        assert_int_equal(r->functions.of_frame[r->p->node_frame[list[i].node.index]],
                         list[i].function);
    }
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
}

static void assert_related(const char *folded, const char *function, const char *callers,
                           const char *callees)
{
    struct related r = start(profile_of(folded));
    assert_true(flm_relations_init(&r.relations, &r.functions, r.layout,
                                   function_named(&r, function), NULL));
    assert_list(&r, r.relations.caller, r.relations.caller_count, callers);
    assert_list(&r, r.relations.callee, r.relations.callee_count, callees);
    clear(&r);
}

static void callers_and_callees_are_summed_over_all_places(void **state)
{
    (void)state;
    static const char folded[] =
        "main;parse;lex 8\nmain;parse;lex;read 3\nmain;check;lex 2\nlex;read 4\nlex;skip 9\n";
    assert_related(folded, "lex", " 13, parse 11, check 2", "skip 9, read 7");
    assert_related(folded, "read", "lex 7", "");
    assert_related(folded, "main", " 13", "parse 11, check 2");
}

static void recursion_calls_itself_and_counts_once(void **state)
{
    (void)state;
    assert_related("a;f 1\na;f;f 2\na;f;f;g 4\na;f;h;f 8\n", "f", "a 15", "h 8, f 6");
}

static void the_place_is_where_most_of_it_is(void **state)
{
    (void)state;
    struct related r = start(profile_of("a;f;g 1\nb;f;g 5\nc;f;g 3\n"));
    assert_true(
        flm_relations_init(&r.relations, &r.functions, r.layout, function_named(&r, "f"), NULL));
    struct flm_node place = r.relations.callee[0].node;
    assert_true(flm_layout_total(r.layout, place) == 5);
    assert_true(r.relations.callee[0].widest == 5);
    clear(&r);
}

static void callers_have_together_what_the_function_has(void **state)
{
    (void)state;
    uint64_t random = 17;
    for (unsigned i = 0; i < 100; i++) {
        struct random_shape shape = {.stacks = 1 + i,
                                     .names = 2 + i % 6,
                                     .deepest = 1 + i % 9,
                                     .metrics = 1,
                                     .modules = i % 2};
        struct related r = start(random_profile(&random, &shape));
        assert_true(flm_functions_measure(&r.functions, r.p, (struct flm_metric){0}, NULL));
        for (uint32_t f = 1; f < r.functions.count; f++) {
            double callers = 0, callees = 0;
            assert_true(flm_relations_init(&r.relations, &r.functions, r.layout, f, NULL));
            for (uint32_t k = 0; k < r.relations.caller_count; k++)
                callers += r.relations.caller[k].total;
            for (uint32_t k = 0; k < r.relations.callee_count; k++)
                callees += r.relations.callee[k].total;
            assert_true(callers == r.functions.function[f].total);
            assert_true(callees <= callers);
            flm_relations_clear(&r.relations);
        }
        clear(&r);
    }
}

static bool relate(void *context, struct flm_error *why)
{
    struct related *r = context;
    bool ok = flm_relations_init(&r->relations, &r->functions, r->layout, 1, why);
    flm_relations_clear(&r->relations);
    return ok;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    struct related r = start(profile_of("a;b;c 1\nd;b 1\n"));
    assert_true(assert_survives_failures(relate, &r) > 4);
    clear(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_and_callees_are_summed_over_all_places),
        cmocka_unit_test(recursion_calls_itself_and_counts_once),
        cmocka_unit_test(the_place_is_where_most_of_it_is),
        cmocka_unit_test(callers_have_together_what_the_function_has),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
