#include "cli/report/interval.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

enum { MOST_METRICS = 64 };

/* The columns of one side are called "before:wall", or "before" where there is only one. */
static bool is_of(struct flm_name column, const char *side, struct flm_name metric, bool is_only)
{
    size_t size = strlen(side);
    if (column.size < size || memcmp(column.at, side, size) != 0)
        return false;
    if (is_only)
        return column.size == size;
    return column.size == size + 1 + metric.size &&
           memcmp(column.at + size + 1, metric.at, metric.size) == 0;
}

static struct flm_name metric_name(const struct flm_profile *p, uint32_t metric)
{
    return flm_profile_string(
        p, (struct flm_string){flm_profile_metric(p, (struct flm_metric){metric})->name});
}

static struct flm_profile *subtract(const struct flm_profile *both, const struct flm_profile *after,
                                    struct flm_error *why)
{
    double weights[MOST_METRICS][2 * MOST_METRICS] = {{0}};
    struct flm_combination columns[MOST_METRICS];
    struct flm_text names = {0};
    uint32_t count = flm_profile_metric_count(after), of_both = flm_profile_metric_count(both);
    size_t at[MOST_METRICS][2];
    for (uint32_t m = 0; m < count; m++) {
        struct flm_name name = metric_name(after, m);
        const struct flm_metric_record *record = flm_profile_metric(after, (struct flm_metric){m});
        struct flm_name unit = flm_profile_string(after, (struct flm_string){record->unit});
        at[m][0] = names.size;
        flm_text_add(&names, (struct flm_bytes){name.at, name.size});
        flm_text_putc(&names, 0);
        at[m][1] = names.size;
        flm_text_add(&names, (struct flm_bytes){unit.at, unit.size});
        flm_text_putc(&names, 0);
        for (uint32_t c = 0; c < of_both; c++) {
            struct flm_name column = metric_name(both, c);
            weights[m][c] = is_of(column, "after", name, count == 1)    ? 1
                            : is_of(column, "before", name, count == 1) ? -1
                                                                        : 0;
        }
    }
    for (uint32_t m = 0; m < count && !names.failed; m++)
        columns[m] = (struct flm_combination){names.at + at[m][0], names.at + at[m][1], weights[m]};
    struct flm_profile *result = NULL;
    if (names.failed)
        flm_error_memory(why);
    else
        result = flm_combine(both, columns, count, why);
    flm_text_clear(&names);
    return result;
}

struct flm_profile *flm_interval_profile(const struct flm_profile *before,
                                         const struct flm_profile *after, struct flm_error *why)
{
    struct flm_profile *both = flm_comparison_align(before, after, why);
    if (!both)
        return NULL;
    struct flm_profile *result = NULL;
    if (flm_profile_metric_count(both) > 2 * MOST_METRICS ||
        flm_profile_metric_count(after) > MOST_METRICS)
        flm_error_set(why, FLM_ERROR_RANGE, "more than %d metrics", MOST_METRICS);
    else
        result = subtract(both, after, why);
    flm_profile_free(both);
    return result;
}
