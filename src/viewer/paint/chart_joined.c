#include "viewer/paint/internal.h"

/* Of a merged box, how many are looked at: what has more is gray anyway. */
#define MOST_SIBLINGS 64

/* CSS px: what was not observed between two waits, if it is narrower, is not seen anyway. */
#define NARROW_PX 1.5

/* The stack that a box stands for, or FLM_NONE if its frames are of several. */
static uint32_t stack_of(const struct flm_pane *pane, const struct flm_rectangle *r)
{
    const struct flm_tree *tree = &pane->tree;
    uint32_t node = r->node.index, stack = FLM_NONE;
    if (r->count > MOST_SIBLINGS)
        return FLM_NONE;
    for (uint32_t i = 0; i < r->count && node < tree->node_count; node = tree->end[node]) {
        if (tree->frame[node] == 0) /* a gap */
            continue;
        if (stack != FLM_NONE && pane->chart->source[node] != stack)
            return FLM_NONE;
        stack = pane->chart->source[node];
        i++;
    }
    return stack;
}

void flm_chart_join(struct flm_pane *pane, double scale)
{
    struct flm_rectangle *last = NULL;
    uint32_t last_stack = FLM_NONE;
    for (size_t i = 0; i < pane->drawn.count; i++) {
        struct flm_rectangle *r = &pane->drawn.at[i];
        uint32_t stack = r->level > 0 ? stack_of(pane, r) : FLM_NONE;
        if (last && stack != FLM_NONE && stack == last_stack && r->level == last->level &&
            r->x0 - last->x1 < NARROW_PX * scale) {
            last->flags |= FLM_JOINED_TO_NEXT;
            r->flags |= FLM_JOINED_TO_LAST;
        }
        last = r;
        last_stack = stack;
    }
}
