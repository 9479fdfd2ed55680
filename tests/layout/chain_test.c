#include "layout/chain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/profile/profiles.h"

static void assert_chain(const char *folded, double narrowest, const char *name, uint32_t depth,
                         uint32_t rows)
{
    struct flm_profile *p = profile_of(folded);
    struct flm_chain chain;
    assert_true(flm_chain_find(p, (struct flm_metric){0}, narrowest, &chain, NULL));
    assert_int_equal(chain.depth, depth);
    assert_int_equal(chain.rows, rows);
    if (depth > 0)
        assert_true(flm_bytes_are(flm_frame_function(p, chain.frame), name));
    flm_profile_free(p);
}

static void the_chain_with_the_largest_area_is_found(void **state)
{
    (void)state;
    assert_chain("main;a;b;a;b 5\n", 0, "", 0, 0);
    assert_chain("main;a;a;a 5\n", 0, "a", 3, 3);
    assert_chain("main;a;a;a 5\nmain;b;b 50\n", 0, "b", 2, 2); /* 15 and 100 */
    assert_chain("main;a;a;a;b;b 5\nmain;a;a 1\n", 0, "a", 3, 3);
    assert_chain("a;a;c;a;a;a;a 5\n", 0, "a", 4, 4);   /* not across another function */
    assert_chain("a;a;a;a 1\na;a 99\n", 5, "a", 4, 2); /* the rows that can be seen */
}

static void a_node_calls_itself_where_its_caller_or_a_callee_is_the_same(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;a;a;b 5\nmain;a;c 1\nmain;b 1\n");
    /* 0 root, 1 main, 2 a, 3 a, 4 b, 5 c, 6 b */
    static const struct {
        uint32_t node, parent;
        bool is;
    } cases[] = {{0, FLM_NONE, false}, {1, 0, false}, {2, 1, true},
                 {3, 2, true},         {4, 3, false}, {6, 1, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(flm_chain_is_at(p, cases[i].node, cases[i].parent), cases[i].is);
    flm_profile_free(p);
}

static bool find(void *context, struct flm_error *why)
{
    struct flm_chain chain;
    return flm_chain_find(context, (struct flm_metric){0}, 1, &chain, why);
}

static void chains_survive_failed_allocations(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;a;a;b 5\n");
    assert_true(assert_survives_failures(find, p) >= 3);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chain_with_the_largest_area_is_found),
        cmocka_unit_test(a_node_calls_itself_where_its_caller_or_a_callee_is_the_same),
        cmocka_unit_test(chains_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
