#include "report/profile/sources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/annotate.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"

static const struct flm_bytes function = {"main", 4}, module = {"", 0};

static void each_profile_has_a_store(void **state)
{
    (void)state;
    const struct flm_sources_options options = {.size = sizeof options};
    struct flm_profile *one = profile_of("main;lex 3\n"), *two = profile_of("main;read 3\n");
    struct flm_sources *sources = flm_sources_new(&options, NULL);
    const struct flm_code_store *first, *second, *again;
    assert_non_null(sources);
    assert_true(sources->find_code(sources, one, function, module, &first, NULL));
    assert_true(sources->find_code(sources, two, function, module, &second, NULL));
    assert_true(sources->find_code(sources, one, function, module, &again, NULL));
    assert_ptr_not_equal(first, second);
    assert_ptr_equal(first, again);
    const struct flm_code_function *found = flm_code_store_function(first, function, module);
    assert_non_null(found);
    assert_true(found->instruction_count == 0 && found->status.size > 0);
    flm_sources_free(sources);
    flm_profile_free(one);
    flm_profile_free(two);
}

static void options_are_checked(void **state)
{
    (void)state;
    struct flm_error why;
    static const char *const maps[] = {"/built"};
    assert_null(flm_sources_new(&(struct flm_sources_options){.size = 0}, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    const struct flm_sources_options options = {
        .size = sizeof options, .maps = maps, .map_count = 1};
    assert_null(flm_sources_new(&options, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    flm_sources_free(NULL);
}

static bool search_once(void *context, struct flm_error *why)
{
    const struct flm_sources_options options = {.size = sizeof options};
    const struct flm_code_store *store;
    struct flm_sources *sources = flm_sources_new(&options, why);
    bool good = sources && sources->find_code(sources, context, function, module, &store, why);
    flm_sources_free(sources);
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;lex 3\n");
    assert_true(assert_survives_failures(search_once, p) > 5);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_profile_has_a_store),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
