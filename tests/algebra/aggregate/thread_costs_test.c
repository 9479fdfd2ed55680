#include "algebra/aggregate/thread_costs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "flamel/builder.h"
#include "support/core/allocation.h"

struct spec {
    const char *tid, *pid, *command;
    int node; /* 0: main, 1: main;work */
    double value;
};

static struct flm_string string_of(struct flm_builder *b, const char *text)
{
    return flm_builder_string(b, text, strlen(text));
}

static struct flm_profile *profile_of(const struct spec *specs, size_t count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    struct flm_node node[2];
    node[0] = flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    node[1] = flm_builder_child(b, node[0], flm_builder_function(b, "work", 4));
    for (size_t i = 0; i < count; i++) {
        const char *const pairs[][2] = {
            {"thread", specs[i].tid}, {"process", specs[i].pid}, {"command", specs[i].command}};
        struct flm_string labels[6];
        size_t labelled = 0;
        for (size_t k = 0; k < 3; k++)
            if (pairs[k][1]) {
                labels[2 * labelled] = string_of(b, pairs[k][0]);
                labels[2 * labelled++ + 1] = string_of(b, pairs[k][1]);
            }
        struct flm_label_set set = flm_builder_label_set(b, labels, labelled);
        flm_builder_sample(b, (int64_t)i, node[specs[i].node], set, metric, specs[i].value);
    }
    return flm_builder_finish(b, NULL);
}

static void add_string(struct flm_text *out, const struct flm_profile *p, uint32_t string)
{
    if (string == FLM_NONE)
        flm_text_putc(out, '-');
    else
        flm_text_add(out, flm_string_bytes(p, string));
    flm_text_putc(out, ' ');
}

static void assert_costs(const struct flm_profile *p, const unsigned char *marks,
                         const char *expected)
{
    struct flm_thread_costs costs;
    struct flm_text out = {0};
    assert_true(flm_thread_costs_init(&costs, p, (struct flm_metric){0}, marks, NULL));
    for (uint32_t i = 0; i < costs.count; i++) {
        add_string(&out, p, costs.at[i].process);
        add_string(&out, p, costs.at[i].thread);
        add_string(&out, p, costs.at[i].command);
        flm_text_format(&out, "%u %u\n", (unsigned)costs.at[i].self, (unsigned)costs.at[i].total);
    }
    flm_text_putc(&out, 0);
    assert_string_equal(out.at, expected);
    flm_text_clear(&out);
    flm_thread_costs_clear(&costs);
}

static const struct spec several[] = {{"11", "1", "make", 0, 3},
                                      {"12", "1", "make", 1, 2},
                                      {"21", "2", "cc1", 1, 9},
                                      {NULL, NULL, NULL, 1, 50}};

static void processes_stand_before_their_threads_the_largest_first(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(several, 4);
    assert_costs(p, NULL,
                 "2 - cc1 9 9\n2 21 cc1 9 9\n"
                 "1 - make 5 5\n1 11 make 3 3\n1 12 make 2 2\n");
    flm_profile_free(p);
}

static void only_marked_nodes_count_and_self_is_part_of_total(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(several, 4);
    unsigned char of_main[3] = {0, FLM_COSTS_TOTAL | FLM_COSTS_SELF, FLM_COSTS_TOTAL};
    assert_costs(p, of_main,
                 "2 - cc1 0 9\n2 21 cc1 0 9\n"
                 "1 - make 3 5\n1 11 make 3 3\n1 12 make 0 2\n");
    unsigned char of_work[3] = {0, 0, FLM_COSTS_TOTAL | FLM_COSTS_SELF};
    assert_costs(p, of_work, "2 - cc1 9 9\n2 21 cc1 9 9\n1 - make 2 2\n1 12 make 2 2\n");
    flm_profile_free(p);
}

static void one_process_has_no_row_of_its_own(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(several, 2);
    assert_costs(p, NULL, "1 11 make 3 3\n1 12 make 2 2\n");
    flm_profile_free(p);
    p = profile_of(several + 3, 1);
    assert_costs(p, NULL, "");
    flm_profile_free(p);
}

static void without_memory_there_are_no_costs(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(several, 4);
    for (size_t nth = 1;; nth++) {
        struct flm_thread_costs costs;
        struct flm_error why = {0};
        allocation_fail_once(nth);
        bool good = flm_thread_costs_init(&costs, p, (struct flm_metric){0}, NULL, &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(good, !failed);
        assert_int_equal(costs.count, good ? 5 : 0);
        flm_thread_costs_clear(&costs);
        if (!failed)
            break;
        assert_int_equal(why.kind, FLM_ERROR_MEMORY);
    }
    flm_profile_free(p);
}

/* Of samples without the label, also where no sample has one. */
static void what_no_thread_has_is_told_apart(void **state)
{
    (void)state;
    static const struct spec specs[] = {
        {"1", NULL, NULL, 0, 2}, {NULL, NULL, NULL, 1, 5}, {NULL, NULL, NULL, 0, 4}};
    static const unsigned char work[] = {0, 0, FLM_COSTS_TOTAL | FLM_COSTS_SELF};
    struct flm_thread_costs costs;
    for (size_t first = 0; first < 2; first++) {
        struct flm_profile *p = profile_of(specs + first, 3 - first);
        assert_true(flm_thread_costs_init(&costs, p, (struct flm_metric){0}, NULL, NULL));
        assert_int_equal(costs.threads, 1 - first);
        assert_true(costs.without.total == 9);
        flm_thread_costs_clear(&costs);
        assert_true(flm_thread_costs_init(&costs, p, (struct flm_metric){0}, work, NULL));
        assert_int_equal(costs.threads, 0);
        assert_true(costs.without.total == 5 && costs.without.self == 5);
        flm_thread_costs_clear(&costs);
        flm_profile_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_stand_before_their_threads_the_largest_first),
        cmocka_unit_test(only_marked_nodes_count_and_self_is_part_of_total),
        cmocka_unit_test(one_process_has_no_row_of_its_own),
        cmocka_unit_test(without_memory_there_are_no_costs),
        cmocka_unit_test(what_no_thread_has_is_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
