#include "profile/residuals.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "base/number/number.h"

void flm_residuals_clear(struct flm_residuals *residuals)
{
    FLM_ARRAY_CLEAR(&residuals->links);
    flm_index_clear(&residuals->index);
}

static uint32_t add_link(struct flm_residuals *r, struct flm_link link)
{
    size_t number = r->links.count;
    return number < FLM_NONE && FLM_ARRAY_ADD(&r->links, link) ? (uint32_t)number : FLM_NONE;
}

static uint32_t find_chain(const struct flm_residuals *r, uint32_t metric, uint32_t node,
                           uint32_t hash)
{
    for (struct flm_probe at = flm_index_probe(&r->index, hash); flm_index_next(&r->index, &at);)
        if (r->links.at[at.found].node == node && r->links.at[at.found].metric == metric)
            return at.found;
    return FLM_NONE;
}

bool flm_residuals_keep(struct flm_residuals *r, uint32_t metric, uint32_t node, double value)
{
    if (value - value != 0) /* the sum is not finite: who checks sums refuses it */
        return true;
    uint32_t hash = flm_hash_numbers(node, metric);
    /* A link is at most 2^-53 of the one before it times the number of additions. Of 2^40 additions
     * a chain has 161 links at most: flm_exact_sum has room for them. */
    uint32_t at = find_chain(r, metric, node, hash), last = FLM_NONE;
    for (; at != FLM_NONE && value != 0; last = at, at = r->links.at[at].next)
        value = flm_two_sum(&r->links.at[at].value, value);
    if (value == 0)
        return true;
    uint32_t made = add_link(r, (struct flm_link){metric, node, value, FLM_NONE, last == FLM_NONE});
    if (made == FLM_NONE)
        return false;
    if (last == FLM_NONE)
        return flm_index_add(&r->index, hash, made);
    r->links.at[last].next = made;
    return true;
}

uint64_t flm_residuals_round(struct flm_residuals *r, flm_column_of column, void *context)
{
    uint64_t rounded = 0;
    struct flm_exact_sum exact;
    for (size_t i = 0; i < r->links.count; i++) {
        struct flm_link *first = &r->links.at[i];
        if (!first->is_first)
            continue;
        double *sum = &column(context, first->metric)[first->node];
        if (*sum - *sum != 0)
            continue;
        flm_exact_sum_init(&exact);
        flm_exact_sum_add(&exact, *sum);
        for (uint32_t at = (uint32_t)i; at != FLM_NONE; at = r->links.at[at].next)
            flm_exact_sum_add(&exact, r->links.at[at].value);
        *sum = flm_exact_sum_take(&exact);
        if (exact.count > 0 && (*sum >= FLM_EXACT_LIMIT || *sum <= -FLM_EXACT_LIMIT))
            rounded++;
        /* There are no more parts than links: one was taken. */
        for (uint32_t at = (uint32_t)i; at != FLM_NONE; at = r->links.at[at].next)
            r->links.at[at].value = exact.count > 0 ? exact.part[--exact.count] : 0;
    }
    return rounded;
}

struct flm_residual *flm_residuals_list(const struct flm_residuals *r, const uint32_t *new_node,
                                        size_t *count, bool *failed)
{
    *count = 0;
    *failed = false;
    for (size_t i = 0; i < r->links.count; i++)
        *count += r->links.at[i].value != 0;
    if (*count == 0)
        return NULL;
    struct flm_residual *list = malloc(*count * sizeof *list);
    size_t made = 0;
    for (size_t i = 0; list && i < r->links.count; i++) {
        const struct flm_link *link = &r->links.at[i];
        if (link->value != 0)
            list[made++] = (struct flm_residual){link->metric, new_node[link->node], link->value};
    }
    *failed = list == NULL;
    *count = made;
    return list;
}
