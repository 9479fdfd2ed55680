/* Which runs a verdict over a deploy is of. */
#include "store/runs/run_sides.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/profile/profiles.h"
#include "support/store/open_store.h"

enum { MINUTE_MS = 60000, HOUR_MS = 60 * MINUTE_MS };
static const int64_t BEGIN_MS = 1764324000000; /* 2025-11-28T10:00:00Z */

/* A profile of each of `pods` in each of so many minutes. */
static void append(struct flm_store *store, int64_t from_ms, int minutes, int first_pod, int pods)
{
    for (int minute = 0; minute < minutes; minute++)
        for (int i = 0; i < pods; i++) {
            char pod[16];
            snprintf(pod, sizeof pod, "p%d", first_pod + i);
            const struct flm_store_label_text labels[] = {{"service", "api"}, {"pod", pod}};
            struct flm_profile *p = profile_of("main;a 1\n");
            const struct flm_store_batch batch = {.profile = p,
                                                  .tenant = "",
                                                  .labels = labels,
                                                  .label_count = 2,
                                                  .time_ms = from_ms + minute * MINUTE_MS};
            struct flm_error why;
            if (!flm_store_append(store, &batch, 1, &why))
                fail_msg("%s", why.text);
            flm_profile_free(p);
        }
}

/* How many runs both sides have, where each is of 20 minutes; an hour is between them. */
static void assert_sides(struct flm_store *store, const struct flm_store_runs_options *options,
                         uint32_t least, bool is_replaced, size_t before, size_t after)
{
    const struct flm_store_query old = {.size = sizeof old,
                                        .from_ms = BEGIN_MS,
                                        .until_ms = BEGIN_MS + 20 * MINUTE_MS},
                                 new = {.size = sizeof new,
                                        .from_ms = BEGIN_MS + HOUR_MS,
                                        .until_ms = BEGIN_MS + HOUR_MS + 20 * MINUTE_MS};
    struct flm_run_sides sides;
    struct flm_error why;
    size_t count;
    if (!flm_run_sides_find(&sides, store, &old, &new, options, least, &why))
        fail_msg("%s", why.text);
    const struct flm_gate_run *list = flm_store_runs_list(sides.runs, &count);
    assert_int_equal(sides.before, before);
    assert_int_equal(sides.after, after);
    assert_int_equal(count, before + after);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(list[i].is_new, i >= before);
    assert_int_equal(sides.is_replaced, is_replaced);
    flm_store_runs_free(sides.runs);
}

static const struct flm_store_runs_options series = {.size = sizeof series};

static void pods_of_the_whole_range_are_runs(void **state)
{
    (void)state;
    struct flm_store *store = open_store("whole");
    append(store, BEGIN_MS, 20, 0, 5);
    append(store, BEGIN_MS + HOUR_MS, 20, 100, 6);
    assert_sides(store, &series, 0, false, 5, 6);
    assert_sides(store, &series, 5, false, 5, 6);
    assert_sides(store, &series, 6, false, 5 * 20, 6 * 20); /* too few: steps of each */
    flm_store_close(store);
}

static void steps_are_runs_where_pods_were_replaced_on_a_side(void **state)
{
    (void)state;
    const struct flm_store_runs_options by = {.size = sizeof by, .by = "pod"},
                                        step = {.size = sizeof step, .step_ms = 5 * MINUTE_MS};
    for (int side = 0; side < 2; side++) {
        struct flm_store *store = open_store(side ? "after" : "before");
        append(store, BEGIN_MS + (side ? 0 : HOUR_MS), 20, 0, 3);
        append(store, BEGIN_MS + (side ? HOUR_MS : 0), 10, 10, 3);
        append(store, BEGIN_MS + (side ? HOUR_MS : 0) + 10 * MINUTE_MS, 10, 20, 3);
        size_t pods[2] = {side ? 3 : 6, side ? 6 : 3};
        assert_sides(store, &series, 0, true, 20, 20);
        assert_sides(store, &series, 20, true, 20, 20);
        assert_sides(store, &by, 0, false, pods[0], pods[1]);
        assert_sides(store, &step, 0, false, 3 * 4, 3 * 4);
        flm_store_close(store);
    }
}

/* Jobs that ran once each, close together: no step has enough to be compared. */
static void series_are_runs_where_steps_are_too_few(void **state)
{
    (void)state;
    struct flm_store *store = open_store("jobs");
    append(store, BEGIN_MS, 2, 0, 8);
    append(store, BEGIN_MS + HOUR_MS, 2, 0, 8);
    assert_sides(store, &series, 0, false, 8, 8);
    flm_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pods_of_the_whole_range_are_runs),
        cmocka_unit_test(steps_are_runs_where_pods_were_replaced_on_a_side),
        cmocka_unit_test(series_are_runs_where_steps_are_too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
