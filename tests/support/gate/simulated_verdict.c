#include "support/gate/simulated_verdict.h"

bool simulated_any_is_significant(const struct flm_gate *gate)
{
    bool any = gate->total.is_significant;
    for (uint32_t i = 0; i < gate->columns.matrix.column_count; i++)
        any |= gate->column[i].is_significant;
    return any;
}

struct places {
    const struct simulated_program *program;
    uint32_t node[SIMULATED_MOST_PLACES], count;
};

/* Only of the frame everything below it has changed. */
static bool is_within(const struct places *p, uint32_t place, uint32_t node)
{
    return p->node[place] == p->program->frame
               ? simulated_is_below(p->program, node, p->node[place])
               : node == p->node[place];
}

static bool calls_one(const struct places *p, uint32_t node)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (node == FLM_NONE || simulated_is_below(p->program, p->node[i], node))
            return true;
    return false;
}

static void look_at_item(struct simulated_verdict *v, const struct places *p, uint32_t node)
{
    bool is_there = false;
    for (uint32_t i = 0; i < p->count && node != FLM_NONE; i++) {
        if (!is_within(p, i, node))
            continue;
        v->named |= (unsigned)(node == p->node[i]) << i;
        v->named_within |= 1u << i;
        is_there = true;
    }
    if (!is_there && calls_one(p, node))
        v->above++;
    else if (!is_there)
        v->wrong++;
}

struct simulated_verdict simulated_verdict(const struct flm_gate *gate, const struct flm_runs *runs,
                                           const struct simulated_program *base,
                                           enum simulated_change change)
{
    struct simulated_verdict v = {.is_found = simulated_any_is_significant(gate),
                                  .fails = gate->verdict == FLM_VERDICT_FAIL};
    struct places p = {.program = base};
    p.count = simulated_places(base, change, p.node);
    v.places = (1u << p.count) - 1;
    for (uint32_t i = 0; i < gate->found.count; i++) {
        const struct flm_item *item = &gate->found.item[i];
        if (change != SIMULATED_ALL || item->change < 0)
            look_at_item(&v, &p, simulated_node(runs->tree, item->node));
    }
    return v;
}

bool simulated_is_significant(const struct flm_gate *gate, const struct flm_runs *runs,
                              uint32_t node)
{
    for (uint32_t i = 0; i < gate->columns.matrix.column_count; i++)
        if (gate->columns.key[i].is_self &&
            simulated_node(runs->tree, gate->columns.key[i].node) == node)
            return gate->column[i].is_significant;
    return false;
}
