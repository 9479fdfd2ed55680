#include "store/core/metric_order.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "profile/columns.h"

static int by_name(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_profile *p = context;
    int order = flm_bytes_compare(flm_string_bytes(p, p->metrics[a].name),
                                  flm_string_bytes(p, p->metrics[b].name));
    return order ? order
                 : flm_bytes_compare(flm_string_bytes(p, p->metrics[a].unit),
                                     flm_string_bytes(p, p->metrics[b].unit));
}

static bool is_in_order(const struct flm_profile *p)
{
    for (uint32_t i = 1; i < p->sizes.metric_count; i++)
        if (by_name(p, i - 1, i) > 0)
            return false;
    return true;
}

/* A profile without stacks, with the metrics of `p` in their order. */
static struct flm_profile *metrics_of(const struct flm_profile *p, struct flm_error *why)
{
    uint32_t count = p->sizes.metric_count, *order = malloc((2 * count + 1) * sizeof *order);
    struct flm_builder *builder = order ? flm_builder_new(why) : NULL;
    if (!order)
        flm_error_memory(why);
    for (uint32_t i = 0; builder && i < count; i++)
        order[i] = i;
    if (builder)
        flm_sort(order, count, order + count, by_name, p);
    for (uint32_t i = 0; builder && i < count; i++) {
        struct flm_bytes name = flm_string_bytes(p, p->metrics[order[i]].name),
                         unit = flm_string_bytes(p, p->metrics[order[i]].unit);
        char texts[2][256];
        snprintf(texts[0], sizeof texts[0], "%.*s", (int)name.size, name.at);
        snprintf(texts[1], sizeof texts[1], "%.*s", (int)unit.size, unit.at);
        flm_builder_metric(builder, texts[0], texts[1]);
    }
    free(order);
    return builder ? flm_builder_finish(builder, why) : NULL;
}

struct flm_profile *flm_metrics_in_order(struct flm_profile *p, struct flm_error *why)
{
    if (!p || is_in_order(p))
        return p;
    struct flm_profile *first = metrics_of(p, why);
    const struct flm_profile *const both[] = {first, p};
    struct flm_profile *ordered = first ? flm_align(both, 2, FLM_ALIGN_ADD, NULL, why) : NULL;
    flm_profile_free(first);
    flm_profile_free(p);
    return ordered;
}
