/* Values over time in groups of series: what is added, and in which order it is handed over. */
#include "store/core/groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "store/labels/series_labels.h"

static void write_series(struct flm_text *text, const char *host)
{
    const struct flm_store_label labels[] = {{flm_bytes_of("service"), flm_bytes_of("api")},
                                             {flm_bytes_of("host"), flm_bytes_of(host)}};
    text->size = 0;
    assert_true(flm_series_write(flm_bytes_of(""), labels, 2, text, NULL));
}

static void add(struct flm_groups *groups, const char *host, int64_t time_ms, double value)
{
    struct flm_text series = {0};
    write_series(&series, host);
    uint32_t group = flm_groups_of(groups, (struct flm_bytes){series.at, series.size}, NULL);
    assert_int_not_equal(group, FLM_NONE);
    size_t at = flm_groups_at(groups, group, time_ms);
    if (at != SIZE_MAX) {
        groups->sums.at[at] += value;
        groups->is_seen.at[group] = true;
    }
    flm_text_clear(&series);
}

struct seen {
    struct flm_text text;
    int most;
};

static bool see(void *context, const char *const *labels, const double *values)
{
    struct seen *seen = context;
    flm_text_format(&seen->text, "%s %d %d;", labels[0], (int)values[0], (int)values[1]);
    return --seen->most > 0;
}

static const char *const host[] = {"host"};
static const struct flm_groups made = {.from_ms = 1000,
                                       .until_ms = 2500,
                                       .step_ms = 1000,
                                       .count = 2,
                                       .labels = host,
                                       .label_count = 1,
                                       .most_groups = 3};

static void groups_are_handed_over_by_the_values_of_their_labels(void **state)
{
    struct flm_groups groups;
    struct seen seen = {.most = 9};
    (void)state;
    assert_true(flm_groups_init(&groups, &made, NULL));
    add(&groups, "b", 1000, 1);
    add(&groups, "a", 1999, 2);
    add(&groups, "b", 2499, 4);
    add(&groups, "b", 1500, 8);
    assert_true(flm_groups_hand_over(&groups, see, &seen, NULL));
    flm_text_putc(&seen.text, 0);
    assert_string_equal(seen.text.at, "a 2 0;b 9 4;");
    seen.text.size = 0;
    seen.most = 1;
    assert_true(flm_groups_hand_over(&groups, see, &seen, NULL));
    flm_text_putc(&seen.text, 0);
    assert_string_equal(seen.text.at, "a 2 0;");
    flm_text_clear(&seen.text);
    flm_groups_clear(&groups);
}

static void a_group_without_a_value_in_the_range_is_none(void **state)
{
    struct flm_groups groups;
    struct seen seen = {.most = 9};
    (void)state;
    assert_true(flm_groups_init(&groups, &made, NULL));
    add(&groups, "early", 999, 1);
    add(&groups, "late", 2500, 1);
    add(&groups, "in", 1000, 0);
    assert_true(flm_groups_hand_over(&groups, see, &seen, NULL));
    flm_text_putc(&seen.text, 0);
    assert_string_equal(seen.text.at, "in 0 0;");
    flm_text_clear(&seen.text);
    flm_groups_clear(&groups);
}

static void too_many_groups_are_refused(void **state)
{
    struct flm_groups groups;
    struct flm_text series = {0};
    struct flm_error why;
    (void)state;
    assert_true(flm_groups_init(&groups, &made, NULL));
    add(&groups, "a", 1000, 1);
    add(&groups, "b", 1000, 1);
    add(&groups, "c", 1000, 1);
    write_series(&series, "d");
    assert_int_equal(flm_groups_of(&groups, (struct flm_bytes){series.at, series.size}, &why),
                     FLM_NONE);
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    flm_text_clear(&series);
    flm_groups_clear(&groups);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_handed_over_by_the_values_of_their_labels),
        cmocka_unit_test(a_group_without_a_value_in_the_range_is_none),
        cmocka_unit_test(too_many_groups_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
