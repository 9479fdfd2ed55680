#include "code/listing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algebra/aggregate/functions.h"
#include "algebra/aggregate/line_costs.h"
#include "profile/chains.h"
#include "support/code/listings.h"
#include "support/profile/random_profile.h"

static double line_total(const struct flm_line_costs *costs, const struct flm_function *f,
                         const struct flm_listing_row *row, double *self)
{
    for (size_t i = 0; i < costs->count; i++) {
        const struct flm_line_cost *line = &costs->line[i];
        if (line->function == f->name && line->module == f->module && line->file == row->file &&
            line->line == row->line) {
            *self = line->self;
            return line->total;
        }
    }
    *self = 0;
    return 0;
}

/* Inlined deeper than rows are nested: what is there is part of the deepest row, and its addresses
 * are those of the machine code. */
static void what_is_inlined_too_deep_is_part_of_what_has_it(void **state)
{
    (void)state;
    enum { LEVELS = 300 };
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_text stack = {0};
    flm_text_puts(&stack, "main:9;find:20@100");
    for (int i = 1; i <= LEVELS; i++) {
        flm_text_format(&stack, ";~in%d:%d@100", i, i);
        flm_text_putc(&stack, 0);
        add_located(b, stack.at, 1, 2);
        stack.size--;
    }
    flm_text_clear(&stack);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    const struct flm_listing_options all = {.whole = {true, true}, .inlined = true};
    struct flm_listing *l = listing_of(p, "find", NULL, &all);
    static struct flm_listing_row rows[1000];
    uint32_t count = flm_listing_rows(l, FLM_LISTING_SOURCE, 0, 1000, rows);
    double self = 0, before = 0, headings = 0, at_addresses = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_line = rows[i].kind == FLM_LISTING_LINE;
        self += is_line ? rows[i].cost.self : 0;
        before += is_line ? rows[i].before.self : 0;
        headings += rows[i].kind == FLM_LISTING_INLINED ? rows[i].cost.self : 0;
    }
    assert_true(self == LEVELS && before == 2 * LEVELS && headings == LEVELS);
    count = flm_listing_rows(l, FLM_LISTING_ASSEMBLY, 0, 1000, rows);
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].kind == FLM_LISTING_INSTRUCTION || rows[i].kind == FLM_LISTING_UNKNOWN)
            at_addresses += rows[i].cost.self;
    assert_true(at_addresses == LEVELS);
    flm_listing_free(l);
    flm_profile_free(p);
}

/* The rows of a profile whose locations are frames are those of the one that it was made of. */
static void assert_as_split(const struct flm_listing_subject *subject, enum flm_listing_side side)
{
    static struct flm_listing_row rows[2][5000];
    const struct flm_listing_options all = {.whole = {true, true}, .inlined = true};
    struct flm_profile *split = flm_profile_split(subject->profile, NULL);
    struct flm_listing_subject of[2] = {*subject, *subject};
    uint32_t count[2];
    assert_non_null(split);
    of[1].profile = split;
    for (int i = 0; i < 2; i++) {
        struct flm_listing *l = flm_listing_new(&of[i], NULL);
        assert_true(l && flm_listing_arrange(l, NULL, &all, NULL));
        count[i] = flm_listing_rows(l, side, 0, 5000, rows[i]);
        flm_listing_free(l);
    }
    assert_int_equal(count[0], count[1]);
    for (uint32_t i = 0; i < count[0]; i++) {
        const struct flm_listing_row *a = &rows[0][i], *b = &rows[1][i];
        assert_int_equal(a->kind, b->kind);
        assert_int_equal(a->line, b->line);
        assert_int_equal(a->address, b->address);
        assert_true(a->cost.self == b->cost.self && a->cost.total == b->cost.total);
    }
    flm_profile_free(split);
}

/* What is inlined into something that the function calls is not its own. */
static void what_is_inlined_elsewhere_is_not_here(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    add_located(b, "find:20@100;other:1@300;~same:5@300", 3, 0);
    add_located(b, "find:20@100;~same:5@100", 4, 0);
    add_located(b, "find:20@100;other:1@300;~find:20@300", 5, 0);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    const struct flm_listing_options open = {.whole = {true, true}, .inlined = true};
    struct flm_listing *l = listing_of(p, "find", NULL, &open);
    assert_string_equal(rows_of(l, FLM_LISTING_SOURCE), "f|20 5/12| i 4/4| 5 4/4");
    flm_listing_free(l);
    flm_profile_free(p);
}

/* And are what line_costs.h says. */
static void rows_add_up_to_their_function(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int round = 0; round < 40; round++) {
        struct flm_profile *p = random_profile(&random, &random_full);
        const struct flm_metric metric = {(uint32_t)round % p->sizes.metric_count};
        struct flm_line_costs costs;
        struct flm_functions functions;
        assert_true(
            flm_line_costs_init(&costs, p, metric, (struct flm_metric){FLM_NONE}, NULL, NULL));
        assert_true(flm_functions_init(&functions, p, NULL));
        assert_true(flm_functions_measure(&functions, p, metric, NULL));
        for (uint32_t i = 1; i < functions.count; i++) {
            const struct flm_function *f = &functions.function[i];
            const struct flm_listing_subject subject = {.profile = p,
                                                        .metric = metric,
                                                        .before = {FLM_NONE},
                                                        .function = f->name,
                                                        .module = f->module};
            const struct flm_listing_options all = {.whole = {true, true}, .inlined = true};
            struct flm_listing *l = flm_listing_new(&subject, NULL);
            static struct flm_listing_row rows[5000];
            assert_true(l && flm_listing_arrange(l, NULL, &all, NULL));
            uint32_t count = flm_listing_rows(l, FLM_LISTING_SOURCE, 0, 5000, rows);
            double sum = 0, at_addresses = 0;
            for (uint32_t k = 0; k < count; k++) {
                double self;
                if (!rows[k].has_cost || rows[k].depth > 0)
                    continue;
                sum += rows[k].cost.self;
                assert_true(line_total(&costs, f, &rows[k], &self) == rows[k].cost.total);
                assert_true(self == rows[k].cost.self);
            }
            assert_true(sum == flm_listing_sum(l, false).self);
            double all_of_name = 0;
            for (uint32_t k = 1; k < functions.count; k++)
                if (functions.function[k].name == f->name &&
                    functions.function[k].module == f->module)
                    all_of_name += functions.function[k].self;
            assert_true(sum == all_of_name);
            count = flm_listing_rows(l, FLM_LISTING_ASSEMBLY, 0, 5000, rows);
            for (uint32_t k = 0; k < count; k++)
                at_addresses += rows[k].kind == FLM_LISTING_SOURCE_LINE ? 0 : rows[k].cost.self;
            assert_true(at_addresses >= sum);
            flm_listing_free(l);
            if (flm_has_chains(p)) {
                assert_as_split(&subject, FLM_LISTING_SOURCE);
                assert_as_split(&subject, FLM_LISTING_ASSEMBLY);
            }
        }
        flm_functions_clear(&functions);
        flm_line_costs_clear(&costs);
        flm_profile_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_inlined_too_deep_is_part_of_what_has_it),
        cmocka_unit_test(what_is_inlined_elsewhere_is_not_here),
        cmocka_unit_test(rows_add_up_to_their_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
