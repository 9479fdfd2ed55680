#include "gate/verdict/exact.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/text/text.h"
#include "draw/text/quantity.h"
#include "profile/columns.h"

/* How two runs differ. */
struct gap {
    uint32_t run, first;
    double distance;
    uint32_t stack_count, node; /* stacks that differ, and which of them most */
    double here, there;         /* its values: of the run, of the first */
};

static void take_stack(struct gap *gap, uint32_t node, double here, double there)
{
    if (here == there)
        return;
    if (gap->stack_count == 0 || fabs(here - there) > fabs(gap->here - gap->there)) {
        gap->node = node;
        gap->here = here;
        gap->there = there;
    }
    gap->stack_count++;
    gap->distance += fabs(here - there);
}

/* Both have their stacks in the order of nodes. */
static struct gap gap_between(const struct flm_runs *runs, uint32_t run, uint32_t first)
{
    struct gap gap = {.run = run, .first = first};
    const struct flm_run *a = &runs->run[run], *b = &runs->run[first];
    size_t i = a->first, k = b->first, a_end = i + a->count, b_end = k + b->count;
    while (i < a_end || k < b_end) {
        uint32_t here = i < a_end ? runs->node[i] : UINT32_MAX;
        uint32_t there = k < b_end ? runs->node[k] : UINT32_MAX;
        take_stack(&gap, here < there ? here : there, here <= there ? runs->value[i] : 0,
                   there <= here ? runs->value[k] : 0);
        i += here <= there;
        k += there <= here;
    }
    return gap;
}

static bool refuse(const struct flm_runs *runs, const struct gap *gap, struct flm_error *why)
{
    const struct flm_run *run = &runs->run[gap->run], *first = &runs->run[gap->first];
    const struct flm_profile *tree = runs->tree;
    struct flm_bytes unit = flm_string_bytes(tree, tree->metrics[runs->metric.index].unit);
    struct flm_text stack = {0}, size = {0};
    flm_stack_text(&stack, tree, gap->node);
    flm_text_putc(&stack, 0);
    flm_quantity_add_exact(&size, gap->here, unit);
    flm_text_puts(&size, " and ");
    flm_quantity_add_exact(&size, gap->there, unit);
    flm_text_puts(&size, "; ");
    flm_percent_add(&size, gap->distance, fmax(run->total, first->total));
    flm_text_puts(&size, " of all in ");
    flm_count_add(&size, gap->stack_count);
    flm_text_putc(&size, 0);
    if (stack.failed || size.failed)
        flm_error_memory(why);
    else
        flm_error_set(why, FLM_ERROR_USAGE,
                      "%.*s and %.*s are of one side and differ, most in %s (%s stack%s): this "
                      "metric is not deterministic, so judge it without --exact",
                      (int)run->name.size, run->name.at, (int)first->name.size, first->name.at,
                      stack.at, size.at, gap->stack_count == 1 ? "" : "s");
    flm_text_clear(&stack);
    flm_text_clear(&size);
    return false;
}

bool flm_runs_agree(const struct flm_runs *runs, struct flm_error *why)
{
    assert(runs && runs->tree);
    uint32_t first[2] = {FLM_NONE, FLM_NONE};
    struct gap worst = {0};
    for (uint32_t r = 0; r < runs->run_count; r++) {
        uint32_t *of = &first[runs->run[r].is_new];
        *of = *of == FLM_NONE ? r : *of;
        struct gap gap = gap_between(runs, r, *of);
        if (gap.distance > worst.distance)
            worst = gap;
    }
    if (first[0] == FLM_NONE || first[1] == FLM_NONE)
        return flm_error_set(why, FLM_ERROR_USAGE, "%u base and %u new: one run of each is needed",
                             runs->base_count, runs->new_count);
    return worst.distance == 0 || refuse(runs, &worst, why);
}
