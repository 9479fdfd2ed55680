/* code_finder_rank.c - which of the addresses of a function cost most: a function may be inlined in
 * a thousand others, of which there is room for some. */
#include <math.h>
#include <stdlib.h>

#include "algebra/aggregate/address_costs.h"
#include "code/find/internal.h"

/* An address, and the largest part that it is of what any metric has of the function. */
struct ranked_address {
    uint64_t address;
    double share;
};

static int compare_ranks(const void *a, const void *b)
{
    const struct ranked_address *x = a, *y = b;
    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return (x->address > y->address) - (x->address < y->address);
}

static int compare_ranked_addresses(const void *a, const void *b)
{
    const struct ranked_address *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static bool rank(struct ranked_address *ranked, size_t count, const struct flm_profile *p,
                 struct flm_metric metric, const unsigned char *marks)
{
    struct flm_address_costs costs;
    if (!flm_address_costs_init(&costs, p, metric, marks, NULL))
        return false;
    double all = 0;
    for (size_t i = 0; i < costs.count; i++)
        all += fabs(costs.address[i].total);
    for (size_t i = 0; i < costs.count; i++) {
        const struct ranked_address key = {.address = costs.address[i].address};
        struct ranked_address *it =
            bsearch(&key, ranked, count, sizeof *ranked, compare_ranked_addresses);
        double share = fabs(costs.address[i].total) / all;
        if (it && share > it->share)
            it->share = share;
    }
    flm_address_costs_clear(&costs);
    return true;
}

/* Of whatever is measured. */
bool flm_code_rank_addresses(const struct flm_profile *p, uint32_t module, struct flm_bytes name,
                             uint64_t *address, size_t count)
{
    unsigned char *marks = calloc(p->sizes.frame_count, 1);
    struct ranked_address *ranked = calloc(count + 1, sizeof *ranked);
    bool good = marks && ranked;
    for (uint32_t i = 1; good && i < p->sizes.frame_count; i++)
        marks[i] = p->frames[i].module == module &&
                   flm_bytes_equal(flm_string_bytes(p, p->frames[i].function), name);
    for (size_t i = 0; good && i < count; i++)
        ranked[i].address = address[i];
    for (uint32_t m = 0; good && m < p->sizes.metric_count; m++)
        good = rank(ranked, count, p, (struct flm_metric){m}, marks);
    if (good)
        qsort(ranked, count, sizeof *ranked, compare_ranks);
    for (size_t i = 0; good && i < count; i++)
        address[i] = ranked[i].address;
    free(marks);
    free(ranked);
    return good;
}
