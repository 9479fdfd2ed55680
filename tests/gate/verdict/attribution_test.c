#include "gate/verdict/attribution.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/gate/runs.h"

static const struct flm_columns_options all = {0, 0};

struct fixture {
    struct flm_runs runs;
    struct flm_columns columns;
    struct flm_column_finding *finding;
    struct flm_attribution found;
};

/* Nothing is significant yet; changes are differences of means. */
static void measure(struct fixture *f)
{
    assert_true(flm_columns_init(&f->columns, &f->runs, &all, NULL));
    f->finding = calloc(f->columns.matrix.column_count + 1, sizeof *f->finding);
    assert_non_null(f->finding);
    for (uint32_t i = 0; i < f->columns.matrix.column_count; i++) {
        const double *value = flm_matrix_column(&f->columns.matrix, i);
        double sum[2] = {0, 0};
        for (uint32_t r = 0; r < f->runs.run_count; r++)
            sum[f->runs.run[r].is_new] += value[r];
        f->finding[i].change = sum[1] / f->runs.new_count - sum[0] / f->runs.base_count;
    }
}

static struct fixture fixture_of(const char *text)
{
    struct fixture f = {.runs = runs_of(text, 1, 1)};
    measure(&f);
    return f;
}

static void clear(struct fixture *f)
{
    flm_attribution_clear(&f->found);
    free(f->finding);
    flm_columns_clear(&f->columns);
    flm_runs_clear(&f->runs);
}

static void mark(struct fixture *f, const char *path, bool is_self)
{
    uint32_t node = runs_node(f->runs.tree, path);
    assert_true(node != FLM_NONE);
    uint32_t column = (is_self ? f->columns.self_column : f->columns.total_column)[node];
    assert_true(column != FLM_NONE);
    f->finding[column].is_significant = true;
}

static void attribute(struct fixture *f)
{
    struct flm_error why = {0};
    flm_attribution_clear(&f->found);
    if (!flm_attribution_init(&f->found, &f->runs, &f->columns, f->finding, &why))
        fail_msg("%s", why.text);
}

/* "+66 main;parse;lex self", line by line. */
static void assert_items(struct fixture *f, const char *expected)
{
    static const char *const scopes[] = {"self", "spread", "rest"};
    struct flm_text text = {0};
    attribute(f);
    for (uint32_t i = 0; i < f->found.count; i++) {
        const struct flm_item *item = &f->found.item[i];
        char *path = runs_path(f->runs.tree, item->node);
        flm_text_format(&text, "%s%d %s %s", item->change > 0 ? "+" : "", (int)item->change, path,
                        scopes[item->scope]);
        free(path);
        if (item->moved_below != FLM_NONE) {
            path = runs_path(f->runs.tree, item->moved_below);
            flm_text_format(&text, " moved below %s", path);
            free(path);
        }
        flm_text_putc(&text, '\n');
    }
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
}

static void an_item_is_what_nothing_below_it_explains(void **state)
{
    (void)state;
    struct fixture f = fixture_of("main;parse 5 5\n"
                                  "main;parse;lex 100 166\n"
                                  "main;parse;number;a 10 25\n"
                                  "main;parse;number;b 10 36\n"
                                  "main;idle 900 900\n");
    assert_items(&f, "");
    mark(&f, "main", false);
    assert_items(&f, "+107 main spread\n");
    mark(&f, "main;parse", false);
    assert_items(&f, "+107 main;parse spread\n");
    mark(&f, "main;parse;lex", true);
    assert_items(&f, "+66 main;parse;lex self\n+41 main;parse rest\n"); /* 62 % */
    mark(&f, "main;parse;number", false);
    assert_items(&f, "+66 main;parse;lex self\n+41 main;parse;number spread\n");
    mark(&f, "main;parse;number;a", true);
    assert_items(&f, "+66 main;parse;lex self\n+26 main;parse;number rest\n"
                     "+15 main;parse;number;a self\n");
    mark(&f, "main;parse;number;b", true);
    assert_items(&f, "+66 main;parse;lex self\n+26 main;parse;number;b self\n"
                     "+15 main;parse;number;a self\n");
    clear(&f);
}

static void items_are_found_below_what_is_not_significant(void **state)
{
    (void)state;
    struct fixture f = fixture_of("main;noisy 500 440\nmain;noisy;deep;new 0 9\nmain;x 7 6\n"
                                  "main;noisy;deep 5 5\n");
    mark(&f, "main;noisy;deep;new", true);
    assert_items(&f, "+9 main;noisy;deep;new self\n");
    assert_int_equal(f.found.item[0].base_seen, 0);
    assert_int_equal(f.found.item[0].new_seen, 1);
    mark(&f, "main;noisy", true); /* itself, while its total is not */
    assert_items(&f, "-60 main;noisy self\n+9 main;noisy;deep;new self\n");
    clear(&f);
}

static void what_shrank_below_what_grew_counts_against_it(void **state)
{
    (void)state;
    struct fixture f = fixture_of("main;a 100 300\nmain;b 100 20\nmain;c 100 100\n");
    mark(&f, "main", false); /* +120 */
    mark(&f, "main;b", true);
    assert_items(&f, "+200 main rest\n-80 main;b self\n");
    mark(&f, "main;a", true);
    assert_items(&f, "+200 main;a self\n-80 main;b self\n");
    clear(&f);
}

static void a_stack_of_frames_that_only_call_each_other_is_one_item(void **state)
{
    (void)state;
    struct fixture f = fixture_of("main;run;loop;step;a 10 30\nmain;run;loop;step;b 10 30\n");
    mark(&f, "main", false); /* the column of all four */
    assert_items(&f, "+40 main;run;loop;step spread\n");
    clear(&f);
    f = fixture_of("main;run;loop 10 30\n");
    mark(&f, "main", false);
    assert_items(&f, "+20 main;run;loop self\n");
    clear(&f);
}

static void what_cancels_below_a_frame_was_moved_there(void **state)
{
    (void)state;
    struct fixture f = fixture_of("main;x;from;a 100 60\nmain;x;to;b 50 95\nmain;y;c 100 170\n"
                                  "main;x;other 100 90\n");
    mark(&f, "main;x;from;a", true);
    assert_items(&f, "-40 main;x;from;a self\n");
    mark(&f, "main;x;to;b", true);
    mark(&f, "main;y;c", true);
    assert_items(&f, "+70 main;y;c self\n+45 main;x;to;b self moved below main;x\n"
                     "-40 main;x;from;a self moved below main;x\n");
    mark(&f, "main;x", false); /* it changed itself, and what else is below main does not cancel */
    assert_items(&f, "+70 main;y;c self\n+45 main;x;to;b self\n-40 main;x;from;a self\n"
                     "-10 main;x rest\n");
    clear(&f);
    f = fixture_of("main;a 100 140\nmain;b 100 75\n");
    mark(&f, "main;a", true);
    mark(&f, "main;b", true);
    assert_items(&f, "+40 main;a self\n-25 main;b self\n"); /* 15 remain, more than half of 25 */
    clear(&f);
}

/* ---- By chance ------------------------------------------------------------------------------- */

static bool is_significant(const struct fixture *f, uint32_t column)
{
    return column != FLM_NONE && f->finding[column].is_significant;
}

/* Of all items at and below a node. */
static double explained(const struct fixture *f, uint32_t node, enum flm_item_scope *largest,
                        uint32_t *count)
{
    double sum = 0;
    *count = 0;
    *largest = FLM_ITEM_SELF;
    for (uint32_t i = 0; i < f->found.count; i++) {
        const struct flm_item *item = &f->found.item[i];
        if (item->node < node || item->node >= f->runs.tree->node_end[node])
            continue;
        sum += item->change;
        ++*count;
        if (item->node == node && item->scope > *largest)
            *largest = item->scope;
    }
    return sum;
}

static void check_adds_up(const struct fixture *f)
{
    uint32_t selves = 0, expected_selves = 0;
    for (uint32_t i = 0; i < f->found.count; i++) {
        const struct flm_item *item = &f->found.item[i];
        assert_true(is_significant(f, item->column));
        selves += item->scope == FLM_ITEM_SELF;
        assert_true(item->base_seen <= f->runs.base_count && item->new_seen <= f->runs.new_count);
        assert_true(item->base_seen + item->new_seen > 0);
        if (i > 0)
            assert_true(fabs(item[-1].change) >= fabs(item->change));
    }
    for (uint32_t i = 0; i < f->columns.matrix.column_count; i++) {
        struct flm_column_key key = f->columns.key[i];
        expected_selves += key.is_self && f->finding[i].is_significant;
        if (key.is_self || !f->finding[i].is_significant)
            continue;
        enum flm_item_scope scope;
        uint32_t count;
        double change = f->finding[i].change, sum = explained(f, key.node, &scope, &count);
        assert_true(count > 0);
        if (scope == FLM_ITEM_SPREAD)
            assert_int_equal(count, 1);
        if (scope != FLM_ITEM_SELF)
            assert_true(fabs(sum - change) < 1e-9);
        else
            assert_true(change == 0 || sum / change >= 0.7 - 1e-9);
    }
    assert_int_equal(selves, expected_selves);
}

static void items_add_up_whatever_is_significant(void **state)
{
    (void)state;
    uint64_t random = 41;
    for (int round = 0; round < 200; round++) {
        struct table_of_runs table = runs_by_chance(&random, 2, 2, 1 + random_below(&random, 40));
        struct fixture f = {.runs = runs_of_table(&table)};
        measure(&f);
        unsigned some = 1 + random_below(&random, 6);
        for (uint32_t i = 0; i < f.columns.matrix.column_count; i++)
            f.finding[i].is_significant = random_below(&random, some) == 0;
        attribute(&f);
        check_adds_up(&f);
        clear(&f);
        runs_table_clear(&table);
    }
}

static bool make_attribution(void *context, struct flm_error *why)
{
    const struct fixture *f = context;
    struct flm_attribution found;
    bool good = flm_attribution_init(&found, &f->runs, &f->columns, f->finding, why);
    if (good)
        flm_attribution_clear(&found);
    return good;
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    struct fixture f = fixture_of("main;a 1 2\nmain;b 2 3\nmain 1 2\n");
    mark(&f, "main;a", true);
    mark(&f, "main", false);
    assert_survives_failures(make_attribution, &f);
    clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_item_is_what_nothing_below_it_explains),
        cmocka_unit_test(items_are_found_below_what_is_not_significant),
        cmocka_unit_test(what_shrank_below_what_grew_counts_against_it),
        cmocka_unit_test(a_stack_of_frames_that_only_call_each_other_is_one_item),
        cmocka_unit_test(what_cancels_below_a_frame_was_moved_there),
        cmocka_unit_test(items_add_up_whatever_is_significant),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
