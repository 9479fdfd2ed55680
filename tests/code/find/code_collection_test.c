#include "code/find/code_collection.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"

static const struct flm_bytes module = {"", 0};

static bool collect(const struct flm_profile *p, double share, struct flm_code_store *store,
                    struct flm_error *why)
{
    static const struct flm_code_finder_options options = {.only_sources = true};
    return flm_code_collect(p, (struct flm_metric){0}, share, &options, store, why);
}

static void functions_above_a_share_are_taken(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;lex 90\nmain;read 9\nidle 1\n");
    struct flm_code_store *store = flm_code_store_new(NULL);
    assert_true(collect(p, 0.09, store, NULL));
    assert_int_equal(flm_code_store_function_count(store), 3);
    assert_non_null(flm_code_store_function(store, flm_bytes_of("main"), module));
    assert_non_null(flm_code_store_function(store, flm_bytes_of("read"), module));
    assert_null(flm_code_store_function(store, flm_bytes_of("idle"), module));
    assert_true(collect(p, 0, store, NULL));
    assert_int_equal(flm_code_store_function_count(store), 4);
    flm_code_store_free(store);
    flm_profile_free(p);
}

/* Of a name in two files, of which the first costs little. */
static void a_function_is_taken_when_one_of_its_files_costs_enough(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_builder *b = flm_builder_new(&why);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    for (int i = 0; i < 2; i++) {
        const struct flm_frame_record record = {
            .function = flm_builder_string(b, "f", 1).index,
            .file = flm_builder_string(b, i ? "b.c" : "a.c", 3).index};
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record));
        flm_builder_add(b, node, cpu, i ? 999 : 1);
    }
    struct flm_profile *p = flm_builder_finish(b, &why);
    struct flm_code_store *store = flm_code_store_new(NULL);
    assert_non_null(p);
    assert_true(collect(p, 0.01, store, NULL));
    assert_non_null(flm_code_store_function(store, flm_bytes_of("f"), module));
    flm_code_store_free(store);
    flm_profile_free(p);
}

static bool collect_all(void *context, struct flm_error *why)
{
    struct flm_code_store *store = flm_code_store_new(why);
    bool good = store && collect(context, 0, store, why);
    flm_code_store_free(store);
    return good;
}

struct compared {
    struct flm_profile *before, *after;
};

static bool collect_gone(void *context, struct flm_error *why)
{
    static const struct flm_code_finder_options options = {.only_sources = true};
    const struct compared *c = context;
    struct flm_code_store *store = flm_code_store_new(why);
    bool good = store && flm_code_collect_gone(c->before, c->after, (struct flm_metric){0}, 0.05,
                                               &options, store, why);
    if (good) {
        assert_int_equal(flm_code_store_function_count(store), 1);
        assert_non_null(flm_code_store_function(store, flm_bytes_of("lex"), module));
    }
    flm_code_store_free(store);
    return good;
}

static void functions_that_are_gone_have_the_code_of_before(void **state)
{
    (void)state;
    struct compared c = {profile_of("main;lex 90\nmain;read 9\nidle 1\n"),
                         profile_of("main;read 9\nmain;new 80\n")};
    assert_true(assert_survives_failures(collect_gone, &c) > 10);
    flm_profile_free(c.before);
    flm_profile_free(c.after);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;lex 90\n");
    assert_true(assert_survives_failures(collect_all, p) > 10);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_above_a_share_are_taken),
        cmocka_unit_test(a_function_is_taken_when_one_of_its_files_costs_enough),
        cmocka_unit_test(functions_that_are_gone_have_the_code_of_before),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
