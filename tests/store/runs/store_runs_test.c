/* What becomes a run: series, values of a label, steps of time. */
#include "flamel/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "support/core/files.h"
#include "support/profile/profiles.h"
#include "support/store/open_store.h"

static const int64_t BEGIN_MS = 1764324300000; /* 2025-11-28T10:05:00Z */

/* The labels are "api" of the service, then pod and zone, where they are not "". */
static void append(struct flm_store *store, const char *tenant, int64_t after_s, const char *pod,
                   const char *zone, const char *folded)
{
    const struct flm_store_label_text labels[] = {
        {"service", "api"}, {"pod", pod}, {"zone", zone}, {"__name__", "x"}};
    struct flm_profile *p = profile_of(folded);
    const struct flm_store_batch batch = {.profile = p,
                                          .tenant = tenant,
                                          .labels = labels,
                                          .label_count = 4,
                                          .time_ms = BEGIN_MS + after_s * 1000};
    struct flm_error why;
    if (!flm_store_append(store, &batch, 1, &why))
        fail_msg("%s", why.text);
    flm_profile_free(p);
}

static const struct flm_store_query all = {.size = sizeof all, .until_ms = INT64_MAX};

/* "name: total, name: total", in their order. */
static void assert_runs(struct flm_store *store, const struct flm_store_query *query,
                        const struct flm_store_runs_options *options, const char *expected)
{
    struct flm_error why;
    struct flm_text text = {0};
    size_t count;
    struct flm_store_runs *runs = flm_store_runs_new(&why);
    if (!runs || !flm_store_runs_add(runs, store, query, options, true, &why))
        fail_msg("%s", why.text);
    const struct flm_gate_run *list = flm_store_runs_list(runs, &count);
    for (size_t i = 0; i < count; i++) {
        assert_true(list[i].is_new);
        char total[40];
        snprintf(total, sizeof total, ": %g",
                 flm_profile_total(list[i].profile, (struct flm_metric){0}));
        flm_text_format(&text, "%s%s%s", i > 0 ? ", " : "", list[i].name, total);
    }
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
    flm_store_runs_free(runs);
}

static void a_series_is_a_run_and_those_with_more_labels_are_others(void **state)
{
    (void)state;
    struct flm_store *store = open_store("series");
    append(store, "", 0, "", "", "main;a 1\n");
    append(store, "", 0, "p1", "", "main;a 2\n");
    append(store, "", 10, "p1", "", "main;b 4\n");
    append(store, "", 0, "p1", "z", "main;a 8\n");
    append(store, "", 0, "", "z", "main;a 16\n");
    append(store, "other", 0, "p9", "", "main;a 32\n");
    for (int sealed = 0; sealed < 2; sealed++) {
        assert_runs(store, &all, NULL,
                    "service_name=api: 1, service_name=api pod=p1: 6, "
                    "service_name=api pod=p1 zone=z: 8, service_name=api zone=z: 16");
        assert_true(flm_store_seal(store, NULL));
    }
    struct flm_store_query some = all;
    some.selector = "pod=p1";
    some.until_ms = BEGIN_MS + 5000;
    assert_runs(store, &some, NULL,
                "service_name=api pod=p1: 2, service_name=api pod=p1 zone=z: 8");
    some.selector = "pod=nobody";
    assert_runs(store, &some, NULL, "");
    flm_store_close(store);
}

static void a_value_of_a_label_is_a_run(void **state)
{
    (void)state;
    struct flm_store *store = open_store("values");
    append(store, "", 0, "p1", "z", "main;a 1\n");
    append(store, "", 0, "p1", "y", "main;a 2\n");
    append(store, "", 0, "p2", "y", "main;a 4\n");
    append(store, "", 0, "", "y", "main;a 8\n");
    struct flm_store_runs_options by = {.size = sizeof by, .by = "pod"};
    assert_runs(store, &all, &by, "pod=: 8, pod=p1: 3, pod=p2: 4");
    by.by = "service";
    assert_runs(store, &all, &by, "service_name=api: 15");
    by.by = "nothing";
    assert_runs(store, &all, &by, "nothing=: 15");
    flm_store_close(store);
}

static void a_step_is_a_run_where_there_is_something(void **state)
{
    (void)state;
    struct flm_store *store = open_store("steps");
    append(store, "", 0, "p1", "", "main;a 1\n");
    append(store, "", 59, "p2", "", "main;a 2\n");
    append(store, "", 60, "p1", "", "main;a 4\n");
    append(store, "", 300, "p1", "", "main;a 8\n");
    struct flm_store_runs_options steps = {.size = sizeof steps, .of_all = true, .step_ms = 60000};
    assert_runs(store, &all, &steps,
                "2025-11-28T10:05:00Z: 3, 2025-11-28T10:06:00Z: 4, 2025-11-28T10:10:00Z: 8");
    /* They begin where the range does. */
    struct flm_store_query later = all;
    later.from_ms = BEGIN_MS + 30000;
    later.until_ms = BEGIN_MS + 300000;
    assert_runs(store, &later, &steps, "2025-11-28T10:05:30Z: 6");
    later.from_ms = BEGIN_MS - 30000;
    assert_runs(store, &later, &steps, "2025-11-28T10:04:30Z: 1, 2025-11-28T10:05:30Z: 6");
    steps.of_all = false;
    assert_runs(store, &all, &steps,
                "service_name=api pod=p1 2025-11-28T10:05:00Z: 1, "
                "service_name=api pod=p2 2025-11-28T10:05:00Z: 2, "
                "service_name=api pod=p1 2025-11-28T10:06:00Z: 4, "
                "service_name=api pod=p1 2025-11-28T10:10:00Z: 8");
    flm_store_close(store);
}

static void too_many_runs_are_refused_before_they_are_summed(void **state)
{
    (void)state;
    struct flm_store *store = open_store("many");
    append(store, "", 0, "p1", "", "main;a 1\n");
    append(store, "", 3600, "p2", "", "main;a 2\n");
    struct flm_error why;
    struct flm_store_runs *runs = flm_store_runs_new(&why);
    struct flm_store_runs_options o = {.size = sizeof o, .step_ms = 1};
    assert_false(flm_store_runs_add(runs, store, &all, &o, false, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    o.step_ms = 0;
    o.most = 3;
    assert_true(flm_store_runs_add(runs, store, &all, &o, false, &why));
    assert_false(flm_store_runs_add(runs, store, &all, &o, true, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    flm_store_runs_free(runs);
    flm_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_series_is_a_run_and_those_with_more_labels_are_others),
        cmocka_unit_test(a_value_of_a_label_is_a_run),
        cmocka_unit_test(a_step_is_a_run_where_there_is_something),
        cmocka_unit_test(too_many_runs_are_refused_before_they_are_summed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
