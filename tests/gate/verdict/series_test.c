/* Simulated series: stacks with counting noise, noise of the run, and of subtrees. */
#include "gate/verdict/series.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "support/core/failures.h"
#include "support/gate/runs.h"
#include "support/profile/groups.h"

static const struct {
    const char *stack;
    double mean;
} stacks[] = {{"main;parse;lex", 1200},
              {"main;parse;lex;copy", 300},
              {"main;parse", 200},
              {"main;eval;call", 2500},
              {"main;eval;call;hash", 800},
              {"main;eval;call;compare", 90},
              {"main;eval;call;format", 150},
              {"main;eval", 400},
              {"main;gc;mark", 900},
              {"main;gc;sweep", 500},
              {"main;io;write", 300},
              {"main;io;read", 150},
              {"main;new", 0}};
enum { STACKS = sizeof stacks / sizeof stacks[0], MOST_RUNS = 100 };

/* From run `from` to `to`, the mean of a stack is another one. */
struct planted {
    const char *stack;
    uint32_t from, to;
    double mean;
};

static double mean_of(const char *stack)
{
    for (size_t s = 0; s < STACKS; s++)
        if (strcmp(stacks[s].stack, stack) == 0)
            return stacks[s].mean;
    return NAN;
}

static double count_of(double mean, uint64_t *random)
{
    return fmax(0, floor(mean + sqrt(mean) * random_noise(random) + 0.5));
}

static struct flm_runs simulate(uint32_t count, uint64_t seed, const struct planted *planted,
                                size_t planted_count)
{
    static double value[STACKS][MOST_RUNS];
    uint64_t random = seed * 0x9E3779B97F4A7C15;
    struct flm_text text = {0};
    for (uint32_t r = 0; r < count; r++) {
        double size = 1 + 0.03 * random_noise(&random), part = 1;
        for (size_t s = 0; s < STACKS; s++) {
            double mean = stacks[s].mean;
            if (s == 0 || stacks[s].stack[5] != stacks[s - 1].stack[5])
                part = 1 + 0.04 * random_noise(&random);
            for (size_t p = 0; p < planted_count; p++)
                if (r >= planted[p].from && r < planted[p].to &&
                    strcmp(planted[p].stack, stacks[s].stack) == 0)
                    mean = planted[p].mean;
            value[s][r] = count_of(mean * size * part, &random);
        }
    }
    for (size_t s = 0; s < STACKS; s++) {
        double sum = 0;
        for (uint32_t r = 0; r < count; r++)
            sum += value[s][r];
        if (sum == 0)
            continue;
        flm_text_puts(&text, stacks[s].stack);
        for (uint32_t r = 0; r < count; r++)
            flm_text_format(&text, " %u", (unsigned)value[s][r]);
        flm_text_putc(&text, '\n');
    }
    flm_text_putc(&text, 0);
    struct flm_runs runs = runs_of(text.at, count, 0);
    flm_text_clear(&text);
    return runs;
}

static struct flm_series look_at(const struct flm_runs *runs,
                                 const struct flm_series_options *options)
{
    struct flm_series series;
    struct flm_error why;
    if (!flm_series_init(&series, runs, options, &why))
        fail_msg("%s", why.text);
    return series;
}

static void assert_node(const struct flm_runs *runs, uint32_t node, const char *path)
{
    char *found = runs_path(runs->tree, node);
    assert_string_equal(found, path);
    free(found);
}

static void a_change_is_found_where_it_is_and_named(void **state)
{
    (void)state;
    static const struct planted changes[] = {{"main;parse;lex", 40, 60, 1500},
                                             {"main;new", 40, 60, 40},
                                             {"main;gc;sweep", 40, 60, 380},
                                             {"main;eval;call;hash", 40, 60, 1000}};
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
            struct flm_runs runs = simulate(60, seed, &changes[i], 1);
            struct flm_series_options options = flm_series_defaults();
            struct flm_series series = look_at(&runs, &options);
            assert_int_equal(series.count, 1);
            const struct flm_series_change *change = &series.change[0];
            assert_true(change->at >= 39 && change->at <= 41);
            assert_int_equal(change->from, 0);
            assert_int_equal(change->to, 60);
            assert_true(change->p <= 0.01);
            assert_true(change->stays);
            assert_true((change->after > change->before) ==
                        (changes[i].mean > mean_of(changes[i].stack)));
            assert_node(&runs, change->key.node, changes[i].stack);
            if (change->gate.found.count > 0)
                assert_node(&runs, change->gate.found.item[0].node, changes[i].stack);
            flm_series_clear(&series);
            flm_runs_clear(&runs);
        }
}

static void a_growth_of_everything_is_one_of_the_total(void **state)
{
    (void)state;
    struct planted all[STACKS];
    size_t count = 0;
    for (size_t s = 0; s < STACKS; s++)
        if (stacks[s].mean > 0)
            all[count++] = (struct planted){stacks[s].stack, 30, 60, stacks[s].mean * 1.2};
    struct flm_runs runs = simulate(60, 5, all, count);
    struct flm_series_options options = flm_series_defaults();
    struct flm_series series = look_at(&runs, &options);
    assert_int_equal(series.count, 1);
    assert_true(series.change[0].at >= 29 && series.change[0].at <= 31);
    assert_true(series.change[0].gate.total.is_significant);
    assert_false(series.change[0].by_size);
    flm_series_clear(&series);
    flm_runs_clear(&runs);
}

static void each_of_several_changes_has_its_own_neighbors(void **state)
{
    (void)state;
    static const struct planted changes[] = {{"main;gc;sweep", 20, 60, 700},
                                             {"main;parse;lex", 40, 60, 1600}};
    struct flm_runs runs = simulate(60, 7, changes, 2);
    struct flm_series_options options = flm_series_defaults();
    struct flm_series series = look_at(&runs, &options);
    assert_int_equal(series.count, 2);
    assert_node(&runs, series.change[0].key.node, "main;gc;sweep");
    assert_node(&runs, series.change[1].key.node, "main;parse;lex");
    assert_int_equal(series.change[0].to, series.change[1].at);
    assert_int_equal(series.change[1].from, series.change[0].at);
    assert_true(fabs(series.change[0].before - 500) < 30);
    assert_true(fabs(series.change[0].after - 700) < 40);
    flm_series_clear(&series);
    flm_runs_clear(&runs);
}

static void what_went_away_is_told_as_gone(void **state)
{
    (void)state;
    static const struct planted change = {"main;gc;sweep", 20, 52, 800};
    struct flm_runs runs = simulate(60, 9, &change, 1);
    struct flm_series_options options = flm_series_defaults();
    struct flm_series series = look_at(&runs, &options);
    assert_int_equal(series.count, 2);
    assert_false(series.change[0].stays);
    assert_true(series.change[1].stays); /* back where it was */
    assert_true(series.change[1].after < series.change[1].before);
    flm_series_clear(&series);
    flm_runs_clear(&runs);
}

static void what_came_and_went_in_the_middle_is_found(void **state)
{
    (void)state;
    static const struct planted change = {"main;gc;mark", 25, 40, 1260};
    struct flm_runs runs = simulate(60, 9, &change, 1);
    struct flm_series_options options = flm_series_defaults();
    struct flm_series series = look_at(&runs, &options);
    assert_int_equal(series.count, 2);
    assert_true(series.change[0].at >= 24 && series.change[0].at <= 26);
    assert_true(series.change[1].at >= 39 && series.change[1].at <= 41);
    assert_node(&runs, series.change[0].key.node, "main;gc;mark");
    assert_false(series.change[0].stays);
    flm_series_clear(&series);
    flm_runs_clear(&runs);
}

static void single_outliers_are_no_change(void **state)
{
    (void)state;
    static const struct planted outlier[] = {{"main;gc;mark", 3, 5, 4000},
                                             {"main;parse;lex", 50, 51, 9000},
                                             {"main;io;read", 57, 60, 900}};
    struct flm_runs runs = simulate(60, 11, outlier, 3);
    struct flm_series_options options = flm_series_defaults();
    struct flm_series series = look_at(&runs, &options);
    assert_int_equal(series.count, 0);
    flm_series_clear(&series);
    flm_runs_clear(&runs);
}

static void distances_find_changes_too(void **state)
{
    (void)state;
    static const struct planted change = {"main;eval;call", 40, 60, 3200};
    struct flm_runs runs = simulate(60, 13, &change, 1);
    struct flm_series_options options = flm_series_defaults();
    options.method = FLM_SERIES_BY_DISTANCES;
    struct flm_series series = look_at(&runs, &options);
    assert_int_equal(series.count, 1);
    assert_true(series.change[0].at >= 39 && series.change[0].at <= 41);
    assert_node(&runs, series.change[0].key.node, "main;eval;call");
    flm_series_clear(&series);
    flm_runs_clear(&runs);
}

/* Of 200 series, alpha 0.05: 10 at most are expected, and more than 18 with a probability of 0.005.
 * None would be as wrong: orders that are compared must be able to win. */
static void assert_false_alarms(enum flm_series_method method, uint32_t count)
{
    enum { SERIES = 200 };
    struct flm_series_options options = flm_series_defaults();
    uint32_t alarms = 0;
    options.method = method;
    options.alpha = 0.05;
    options.orders = 239;
    for (uint64_t seed = 1; seed <= SERIES; seed++) {
        struct flm_runs runs = simulate(count, 1000 + seed, NULL, 0);
        struct flm_series series = look_at(&runs, &options);
        alarms += series.count > 0;
        flm_series_clear(&series);
        flm_runs_clear(&runs);
    }
    print_message("%u false alarms of %d\n", alarms, SERIES);
    assert_in_range(alarms, 2, 18);
}

static void false_alarms_are_as_rare_as_was_asked_for(void **state)
{
    (void)state;
    assert_false_alarms(FLM_SERIES_BY_COLUMNS, 30);
    assert_false_alarms(FLM_SERIES_BY_DISTANCES, 30);
}

static void orders_must_be_enough_for_alpha(void **state)
{
    (void)state;
    assert_true(flm_series_least_orders(0.01) == 599);
    assert_true(flm_series_least_orders(0.05) == 119);
}

static void too_few_profiles_are_refused_with_how_many_are_needed(void **state)
{
    (void)state;
    struct flm_runs runs = simulate(9, 1, NULL, 0);
    struct flm_series_options options = flm_series_defaults();
    struct flm_series series;
    struct flm_error why;
    assert_false(flm_series_init(&series, &runs, &options, &why));
    assert_non_null(strstr(why.text, "9 profiles are too few"));
    assert_non_null(strstr(why.text, "at least 10"));
    options.least = 3;
    assert_true(flm_series_init(&series, &runs, &options, &why));
    flm_series_clear(&series);
    flm_runs_clear(&runs);
}

struct work {
    struct flm_runs runs;
    struct flm_series_options options;
};

static bool look(void *context, struct flm_error *why)
{
    struct work *work = context;
    struct flm_series series;
    bool good = flm_series_init(&series, &work->runs, &work->options, why);
    if (good)
        flm_series_clear(&series);
    return good;
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    static const struct planted change = {"main;gc;sweep", 10, 20, 800};
    struct work work = {simulate(20, 15, &change, 1), flm_series_defaults()};
    work.options.orders = 99;
    work.options.threads = 1;
    assert_true(assert_survives_failures(look, &work) > 0);
    work.options.method = FLM_SERIES_BY_DISTANCES;
    assert_true(assert_survives_failures(look, &work) > 0);
    flm_runs_clear(&work.runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_is_found_where_it_is_and_named),
        cmocka_unit_test(a_growth_of_everything_is_one_of_the_total),
        cmocka_unit_test(each_of_several_changes_has_its_own_neighbors),
        cmocka_unit_test(what_went_away_is_told_as_gone),
        cmocka_unit_test(what_came_and_went_in_the_middle_is_found),
        cmocka_unit_test(single_outliers_are_no_change),
        cmocka_unit_test(distances_find_changes_too),
        cmocka_unit_test(false_alarms_are_as_rare_as_was_asked_for),
        cmocka_unit_test(orders_must_be_enough_for_alpha),
        cmocka_unit_test(too_few_profiles_are_refused_with_how_many_are_needed),
        cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
