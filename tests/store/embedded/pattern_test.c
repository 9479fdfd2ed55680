/* Series that are selected by a pattern: which ones, and what they add up to. */
#include "flamel/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text/text.h"
#include "store/labels/series_labels.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/store/open_store.h"

static bool count_text(void *context, struct flm_name text)
{
    (void)text;
    ++*(size_t *)context;
    return true;
}

/* Sums search the texts of sealed series, in which a value may look like the key of a label. */
static void a_pattern_sums_the_series_that_it_matches(void **state)
{
    static const char *const values[] = {"k", "a", "7", "x7", "77", "ka", "service_name"};
    static const char *const selectors[] = {"k=~'.*7'",
                                            "k=~.7",
                                            "k=~'.+a'",
                                            "a=~'.*k.*'",
                                            "k!~'.*7'",
                                            "k=~'.+'",
                                            "m=~'.*(7|a)'",
                                            "service=~'.*a'",
                                            "service=~'.*7' k=~'.*a'",
                                            "k=~'\\w7'",
                                            "k=~'x.*' a=~'.*7'"};
    enum { SERIES = 300, LABELS = 4 };
    (void)state;
    uint64_t random = 23;
    struct flm_store *store = open_store("patterns");
    struct flm_profile *p = profile_of("main 1\n");
    struct flm_text texts[SERIES] = {{0}};
    size_t all = 0;
    for (int i = 0; i < SERIES; i++) {
        static const char *const keys[LABELS] = {"service", "a", "k", "m"};
        struct flm_store_label_text labels[LABELS];
        struct flm_store_label same[LABELS];
        size_t count = 1 + random_below(&random, LABELS);
        for (size_t k = 0; k < count; k++) {
            const char *value = values[random_below(&random, sizeof values / sizeof *values)];
            labels[k] = (struct flm_store_label_text){keys[k], value};
            same[k] = (struct flm_store_label){flm_bytes_of(k > 0 ? keys[k] : FLM_STORE_SERVICE),
                                               flm_bytes_of(value)};
        }
        const struct flm_store_batch batch = {p, NULL, labels, count, i};
        assert_true(flm_store_append(store, &batch, 1, NULL));
        assert_true(flm_series_write(flm_bytes_of(""), same, count, &texts[i], NULL));
    }
    assert_true(flm_store_seal(store, NULL));
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++) {
        const struct flm_store_query query = {
            .size = sizeof query, .selector = selectors[i], .until_ms = INT64_MAX};
        struct flm_selector *selector = flm_selector_parse(flm_bytes_of(selectors[i]), NULL);
        size_t matched = 0;
        for (int k = 0; k < SERIES; k++)
            matched +=
                flm_selector_matches(selector, (struct flm_bytes){texts[k].at, texts[k].size});
        struct flm_profile *sum = flm_store_merge(store, &query, NULL);
        assert_non_null(sum);
        if ((matched > 0 ? flm_profile_total(sum, (struct flm_metric){0}) : 0) != (double)matched)
            fail_msg("%s", selectors[i]);
        all += matched;
        flm_profile_free(sum);
        flm_selector_free(selector);
    }
    for (int i = 0; i < SERIES; i++)
        flm_text_clear(&texts[i]);
    assert_true(all > 300);
    flm_profile_free(p);
    flm_store_close(store);
}

/* Series are found by the values that match as long as these are few, and by all series where they
 * are many. */
static void a_pattern_may_match_any_number_of_values(void **state)
{
    enum { SERIES = 20200, AT_ONCE = 1010 };
    static struct flm_store_batch batches[AT_ONCE];
    static struct flm_store_label_text labels[AT_ONCE];
    static char pods[AT_ONCE][8];
    (void)state;
    struct flm_store *store = open_store("values");
    struct flm_profile *p = profile_of("main 1\n");
    for (int i = 0; i < SERIES; i++) {
        int at = i % AT_ONCE;
        snprintf(pods[at], sizeof pods[at], "p%d", i);
        labels[at] = (struct flm_store_label_text){"pod", pods[at]};
        batches[at] = (struct flm_store_batch){p, NULL, &labels[at], 1, 0};
        if (at == AT_ONCE - 1)
            assert_true(flm_store_append(store, batches, AT_ONCE, NULL));
    }
    flm_profile_free(p);
    static const struct {
        const char *selector;
        size_t expected;
    } rules[] = {{"pod=~p.*", SERIES}, {"pod=~'p.*77'", 202}, {"pod=~'p201.*'", 111}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct flm_store_query query = {
            .size = sizeof query, .selector = rules[i].selector, .until_ms = INT64_MAX};
        struct flm_error why = {0};
        size_t series = 0, values = 0;
        if (!flm_store_series(store, &query, count_text, &series, &why) ||
            !flm_store_label_values(store, &query, "pod", count_text, &values, &why))
            fail_msg("%s: %s", rules[i].selector, why.text);
        assert_int_equal(series, rules[i].expected);
        assert_int_equal(values, rules[i].expected);
    }
    flm_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_sums_the_series_that_it_matches),
        cmocka_unit_test(a_pattern_may_match_any_number_of_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
