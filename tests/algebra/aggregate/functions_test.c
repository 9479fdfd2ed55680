#include "algebra/aggregate/functions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static const struct flm_metric first = {0};

static struct flm_functions measured(const struct flm_profile *p, struct flm_metric metric)
{
    struct flm_functions functions;
    assert_true(flm_functions_init(&functions, p, NULL));
    assert_true(flm_functions_measure(&functions, p, metric, NULL));
    return functions;
}

static const struct flm_function *named(const struct flm_functions *functions,
                                        const struct flm_profile *p, const char *name)
{
    for (uint32_t i = 1; i < functions->count; i++)
        if (flm_bytes_are(flm_string_bytes(p, functions->function[i].name), name))
            return &functions->function[i];
    fail_msg("there is no %s", name);
    return NULL;
}

static void assert_function(const struct flm_profile *p, const char *name, double self,
                            double total)
{
    struct flm_functions functions = measured(p, first);
    const struct flm_function *function = named(&functions, p, name);
    assert_true(function->self == self);
    assert_true(function->total == total);
    flm_functions_clear(&functions);
}

static void a_total_is_self_and_all_that_is_called(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 1\nmain;read 10\nmain;read;copy 3\nmain;write 2\n");
    assert_function(p, "main", 1, 16);
    assert_function(p, "read", 10, 13);
    assert_function(p, "copy", 3, 3);
    assert_function(p, "write", 2, 2);
    flm_profile_free(p);
}

static void a_function_is_summed_over_all_its_callers(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;copy 1\nb;copy 2\nb;copy;c 4\ncopy 8\n");
    assert_function(p, "copy", 11, 15);
    flm_profile_free(p);
}

static void recursion_counts_once_in_a_total(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("f 1\nf;f 2\nf;g;f 4\nf;g;f;f 8\nh;f;f 16\ng 32\n");
    assert_function(p, "f", 31, 31);
    assert_function(p, "g", 32, 44);
    assert_function(p, "h", 0, 16);
    flm_profile_free(p);
}

static void the_root_has_everything(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a 1\nb;c 2\n");
    struct flm_functions functions = measured(p, first);
    assert_true(functions.function[0].self == 0);
    assert_true(functions.function[0].total == 3);
    flm_functions_clear(&functions);
    flm_profile_free(p);
}

struct place {
    const char *module, *file;
    uint32_t line;
};

/* "f" once at each place, with the values 1, 2, 4 ... */
static struct flm_profile *f_at(const struct place *places, size_t count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    assert_non_null(b);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    for (size_t i = 0; i < count; i++) {
        struct flm_frame_record frame = {
            .function = flm_builder_string(b, "f", 1).index,
            .module = flm_builder_string(b, places[i].module, strlen(places[i].module)).index,
            .file = flm_builder_string(b, places[i].file, strlen(places[i].file)).index,
            .line = places[i].line,
        };
        struct flm_frame f = flm_builder_frame(b, &frame);
        flm_builder_add(b, flm_builder_stack(b, &f, 1), metric, (double)(1u << i));
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static void lines_of_a_function_are_not_told_apart(void **state)
{
    (void)state;
    static const struct place places[] = {{"m", "x.c", 1}, {"m", "x.c", 2}, {"m", "y.h", 1}};
    struct flm_profile *p = f_at(places, 3);
    struct flm_functions functions = measured(p, first);
    assert_int_equal(functions.count, 2);
    assert_int_equal(functions.function[1].frame_count, 3);
    assert_true(functions.function[1].self == 7);
    flm_functions_clear(&functions);
    flm_profile_free(p);
}

static void modules_tell_functions_apart_and_files_where_there_is_none(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"", "a.py", 1}, {"", "a.py", 9}, {"", "b.py", 1}, {"m", "a.py", 1}, {"n", "a.py", 1}};
    struct flm_profile *p = f_at(places, 5);
    struct flm_functions functions = measured(p, first);
    assert_int_equal(functions.count, 5);
    const double expected[] = {0, 3, 4, 8, 16};
    for (uint32_t i = 0; i < functions.count; i++)
        assert_true(functions.function[i].self == expected[i]);
    assert_int_equal(functions.function[3].file, 0);
    flm_functions_clear(&functions);
    flm_profile_free(p);
}

static void a_frame_without_a_name_is_not_the_root(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(";a 3\n");
    struct flm_functions functions = measured(p, first);
    assert_int_equal(functions.count, 3);
    assert_true(functions.function[1].total == 3);
    flm_functions_clear(&functions);
    flm_profile_free(p);
}

/* For every node its functions, each once, by the parents. */
static void assert_agrees_with_plain_walk(const struct flm_profile *p, uint32_t metric)
{
    struct flm_functions functions = measured(p, (struct flm_metric){metric});
    double *self = calloc(functions.count, sizeof *self);
    double *total = calloc(functions.count, sizeof *total);
    uint32_t *parent = malloc(p->sizes.node_count * sizeof *parent);
    uint32_t *seen = calloc(functions.count, sizeof *seen);
    assert_true(self && total && parent && seen);
    flm_profile_parents(p, parent);
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        double value = flm_self_column(p, metric)[i];
        self[functions.of_frame[p->node_frame[i]]] += value;
        for (uint32_t at = i; at != FLM_NONE; at = parent[at]) {
            uint32_t function = functions.of_frame[p->node_frame[at]];
            if (seen[function] != i + 1)
                total[function] += value;
            seen[function] = i + 1;
        }
    }
    for (uint32_t i = 0; i < functions.count; i++) {
        assert_true(functions.function[i].self == self[i]);
        assert_true(functions.function[i].total == total[i]);
    }
    free(self);
    free(total);
    free(parent);
    free(seen);
    flm_functions_clear(&functions);
}

static void totals_agree_with_a_plain_walk(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (unsigned i = 0; i < 300; i++) {
        struct random_shape shape = {.stacks = 1 + i,
                                     .names = 2 + i % 7,
                                     .deepest = 1 + i % 20,
                                     .metrics = 2,
                                     .modules = i % 2,
                                     .kinds = i % 3 == 0,
                                     .negative = i % 5 == 0};
        struct flm_profile *p = random_profile(&random, &shape);
        for (uint32_t metric = 0; metric < p->sizes.metric_count; metric++)
            assert_agrees_with_plain_walk(p, metric);
        flm_profile_free(p);
    }
}

static void a_hundred_thousand_nested_frames_are_no_problem(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    assert_non_null(b);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    struct flm_frame frames[2] = {flm_builder_function(b, "f", 1), flm_builder_function(b, "g", 1)};
    struct flm_node node = flm_builder_root(b);
    for (unsigned i = 0; i < 100000; i++) {
        node = flm_builder_child(b, node, frames[i % 2]);
        flm_builder_add(b, node, metric, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    assert_function(p, "f", 50000, 100000);
    assert_function(p, "g", 50000, 99999);
    flm_profile_free(p);
}

/* The names in order, separated by blanks. */
static void assert_order(const struct flm_profile *p, enum flm_function_order by,
                         const char *expected)
{
    struct flm_functions functions = measured(p, first);
    uint32_t order[64];
    uint32_t count = flm_functions_sort(&functions, by, order);
    struct flm_text names = {0};
    for (uint32_t i = 0; i < count; i++) {
        flm_text_puts(&names, i > 0 ? " " : "");
        flm_text_add(&names, flm_string_bytes(p, functions.function[order[i]].name));
    }
    flm_text_putc(&names, 0);
    assert_string_equal(names.at, expected);
    flm_text_clear(&names);
    flm_functions_clear(&functions);
}

static void the_largest_are_first_and_equal_ones_in_name_order(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;b 5\nmain;a 5\nmain;c;d 7\nmain;e 1\n");
    assert_order(p, FLM_FUNCTIONS_BY_SELF, "d a b e main c");
    assert_order(p, FLM_FUNCTIONS_BY_TOTAL, "main d c a b e");
    assert_order(p, FLM_FUNCTIONS_BY_NAME, "a b c d e main");
    flm_profile_free(p);
}

static void what_shrank_stands_with_what_grew_as_much(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a 3\nb -5\nc 1\n");
    assert_order(p, FLM_FUNCTIONS_BY_SELF, "b a c");
    flm_profile_free(p);
}

static void functions_without_a_value_are_not_listed(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("a 1 0\nb 0 2\n");
    assert_int_equal(p->sizes.metric_count, 2);
    assert_order(p, FLM_FUNCTIONS_BY_SELF, flm_self_column(p, 0)[1] != 0 ? "a" : "b");
    flm_profile_free(p);
}

static bool measure(void *context, struct flm_error *why)
{
    struct flm_functions functions;
    if (!flm_functions_init(&functions, context, why))
        return false;
    uint32_t order[16];
    bool good = flm_functions_measure(&functions, context, first, why);
    if (good && flm_functions_sort(&functions, FLM_FUNCTIONS_BY_SELF, order) == FLM_NONE)
        good = flm_error_memory(why);
    flm_functions_clear(&functions);
    return good;
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;b;c;d;e 1\na;c 2\nb;a 3\n");
    assert_true(assert_survives_failures(measure, p) > 3);
    flm_profile_free(p);
}

static bool make_public(void *context, struct flm_error *why)
{
    struct flm_functions *functions = flm_functions_new(context, (struct flm_metric){0}, why);
    flm_functions_free(functions);
    return functions != NULL;
}

static void programs_read_functions_in_name_order(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 1\nmain;write;read 2\n");
    struct flm_error why = {0};
    struct flm_functions *functions = flm_functions_new(p, (struct flm_metric){0}, &why);
    assert_non_null(functions);
    static const struct {
        const char *name;
        double self, total;
    } expected[] = {{"", 0, 3}, {"main", 0, 3}, {"read", 3, 3}, {"write", 0, 2}};
    assert_int_equal(flm_functions_count(functions), 4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct flm_function *function = flm_functions_at(functions, i);
        assert_true(flm_bytes_are(flm_string_bytes(p, function->name), expected[i].name));
        assert_true(function->self == expected[i].self && function->total == expected[i].total);
        assert_int_equal(
            flm_functions_of_frame(functions, (struct flm_frame){function->first_frame}), i);
    }
    flm_functions_free(functions);
    flm_functions_free(NULL);
    assert_true(assert_survives_failures(make_public, p) > 2);
    flm_profile_free(p);
}

static void a_metric_that_the_profile_lacks_is_refused(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_profile *p = flm_builder_finish(b, NULL); /* as a file of no samples may be */
    struct flm_error why = {0};
    assert_int_equal(flm_profile_metric_count(p), 0);
    assert_null(flm_functions_new(p, (struct flm_metric){0}, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_null(flm_functions_new(p, flm_profile_metric_named(p, "cycles"), NULL));
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_total_is_self_and_all_that_is_called),
        cmocka_unit_test(a_function_is_summed_over_all_its_callers),
        cmocka_unit_test(recursion_counts_once_in_a_total),
        cmocka_unit_test(the_root_has_everything),
        cmocka_unit_test(lines_of_a_function_are_not_told_apart),
        cmocka_unit_test(modules_tell_functions_apart_and_files_where_there_is_none),
        cmocka_unit_test(a_frame_without_a_name_is_not_the_root),
        cmocka_unit_test(totals_agree_with_a_plain_walk),
        cmocka_unit_test(a_hundred_thousand_nested_frames_are_no_problem),
        cmocka_unit_test(the_largest_are_first_and_equal_ones_in_name_order),
        cmocka_unit_test(what_shrank_stands_with_what_grew_as_much),
        cmocka_unit_test(functions_without_a_value_are_not_listed),
        cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(programs_read_functions_in_name_order),
        cmocka_unit_test(a_metric_that_the_profile_lacks_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
