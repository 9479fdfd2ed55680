#include "layout/chain.h"

#include <math.h>
#include <stdlib.h>

#include "profile/columns.h"

static uint32_t function_of(const struct flm_profile *p, uint32_t node)
{
    return p->frames[p->node_frame[node]].function;
}

/* A node: where its chain begins, and how many frames of it are above; and the chain of one where
 * it begins. */
struct link {
    uint32_t top, depth;
    uint32_t deepest, rows;
    double area;
};

static void measure(const struct flm_profile *p, const uint32_t *parent, const double *size,
                    double narrowest, struct link *links)
{
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        uint32_t above = parent[i];
        bool again = above != 0 && function_of(p, i) == function_of(p, above);
        links[i] = (struct link){.top = again ? links[above].top : i,
                                 .depth = again ? links[above].depth + 1 : 1};
        struct link *top = &links[links[i].top];
        top->area += size[i];
        if (links[i].depth > top->deepest)
            top->deepest = links[i].depth;
        if (links[i].depth > top->rows && size[i] >= narrowest)
            top->rows = links[i].depth;
    }
}

bool flm_chain_find(const struct flm_profile *p, struct flm_metric metric, double narrowest,
                    struct flm_chain *chain, struct flm_error *why)
{
    uint32_t count = p->sizes.node_count, best = 0;
    uint32_t *parent = malloc(count * sizeof *parent);
    double *size = malloc(count * sizeof *size);
    struct link *links = calloc(count, sizeof *links);
    bool good = (parent && size && links) || flm_error_memory(why);
    for (uint32_t i = 0; good && i < count; i++)
        size[i] = fabs(flm_self_column(p, metric.index)[i]);
    if (good) {
        flm_add_up(size, p->node_end, count);
        flm_profile_parents(p, parent);
        measure(p, parent, size, narrowest, links);
        for (uint32_t i = 1; i < count; i++)
            if (links[i].deepest > 1 && links[i].area > links[best].area)
                best = i;
        *chain = (struct flm_chain){p->node_frame[best], links[best].deepest, links[best].rows};
    }
    free(parent);
    free(size);
    free(links);
    return good;
}

bool flm_chain_is_at(const struct flm_profile *p, uint32_t node, uint32_t parent)
{
    if (node == 0)
        return false;
    if (parent != 0 && parent != FLM_NONE && function_of(p, parent) == function_of(p, node))
        return true;
    for (uint32_t child = node + 1; child < p->node_end[node]; child = p->node_end[child])
        if (function_of(p, child) == function_of(p, node))
            return true;
    return false;
}
