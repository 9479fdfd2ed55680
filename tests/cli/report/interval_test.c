#include "cli/report/interval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/aggregate.h"
#include "flamel/builder.h"
#include "support/core/failures.h"

/* Functions a and b, and their calls; what is 0 is not there. */
static struct flm_profile *profile_of(double a, double b, double calls)
{
    struct flm_builder *builder = flm_builder_new(NULL);
    assert_non_null(builder);
    struct flm_metric wall = flm_builder_metric(builder, "wall", "ns");
    struct flm_metric count = flm_builder_metric(builder, "calls", "count");
    const struct {
        const char *name;
        double wall, calls;
    } functions[] = {{"a", a, calls}, {"b", b, 0}};
    for (size_t i = 0; i < 2; i++) {
        if (functions[i].wall == 0)
            continue;
        struct flm_frame frame = flm_builder_frame(
            builder, &(struct flm_frame_record){
                         .function = flm_builder_string(builder, functions[i].name, 1).index});
        struct flm_node node = flm_builder_child(builder, flm_builder_root(builder), frame);
        flm_builder_add(builder, node, wall, functions[i].wall);
        flm_builder_add(builder, node, count, functions[i].calls);
    }
    struct flm_profile *profile = flm_builder_finish(builder, NULL);
    assert_non_null(profile);
    return profile;
}

static double self_of(const struct flm_profile *p, const char *name, uint32_t metric)
{
    struct flm_functions *functions = flm_functions_new(p, (struct flm_metric){metric}, NULL);
    double self = 0;
    assert_non_null(functions);
    for (uint32_t i = 1; i < flm_functions_count(functions); i++) {
        const struct flm_function *f = flm_functions_at(functions, i);
        struct flm_name function = flm_profile_string(p, (struct flm_string){f->name});
        if (function.size == 1 && function.at[0] == name[0])
            self = f->self;
    }
    flm_functions_free(functions);
    return self;
}

static void each_metric_is_what_came_since_then(void **state)
{
    (void)state;
    struct flm_error why;
    struct flm_profile *before = profile_of(100, 0, 3), *after = profile_of(130, 50, 10);
    struct flm_profile *interval = flm_interval_profile(before, after, &why);
    assert_non_null(interval);
    assert_int_equal(flm_profile_metric_count(interval), 2);
    struct flm_name name = flm_profile_string(
        interval, (struct flm_string){flm_profile_metric(interval, (struct flm_metric){1})->name});
    assert_true(name.size == 5 && memcmp(name.at, "calls", 5) == 0);
    assert_true(self_of(interval, "a", 0) == 30);
    assert_true(self_of(interval, "b", 0) == 50);
    assert_true(self_of(interval, "a", 1) == 7);
    flm_profile_free(interval);
    flm_profile_free(before);
    flm_profile_free(after);
}

static void nothing_happened_between_a_snapshot_and_itself(void **state)
{
    (void)state;
    struct flm_error why;
    struct flm_profile *p = profile_of(100, 20, 3);
    struct flm_profile *interval = flm_interval_profile(p, p, &why);
    assert_non_null(interval);
    assert_true(self_of(interval, "a", 0) == 0);
    assert_true(self_of(interval, "b", 0) == 0);
    flm_profile_free(interval);
    flm_profile_free(p);
}

struct sides {
    struct flm_profile *before, *after;
};

static bool make(void *context, struct flm_error *why)
{
    const struct sides *sides = context;
    struct flm_profile *interval = flm_interval_profile(sides->before, sides->after, why);
    flm_profile_free(interval);
    return interval != NULL;
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    struct sides sides = {profile_of(1, 2, 3), profile_of(2, 3, 4)};
    assert_true(assert_survives_failures(make, &sides) >= 2);
    flm_profile_free(sides.before);
    flm_profile_free(sides.after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_metric_is_what_came_since_then),
        cmocka_unit_test(nothing_happened_between_a_snapshot_and_itself),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
