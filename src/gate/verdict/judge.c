/* judge.c - runs tested twice: as they are, and with the functions that were renamed between the
 * builds as one frame each. */
#include "gate/verdict/gate.h"

#include <assert.h>
#include <stdlib.h>

#include "profile/columns.h"

static bool is_significant(const struct flm_gate *gate, uint32_t column)
{
    return column != FLM_NONE && gate->column[column].is_significant;
}

/* By node: whether its total or its self value changed. */
static unsigned char *find_significant(const struct flm_gate *gate, const struct flm_runs *runs)
{
    uint32_t count = runs->tree->sizes.node_count;
    unsigned char *marks = malloc(count);
    for (uint32_t i = 0; marks && i < count; i++)
        marks[i] = is_significant(gate, gate->columns.total_column[i]) ||
                   is_significant(gate, gate->columns.self_column[i]);
    return marks;
}

static bool report_renames(struct flm_gate *gate, const struct flm_runs *runs)
{
    unsigned char *significant = find_significant(gate, runs);
    if (!significant)
        return false;
    for (uint32_t i = 0; i < runs->tree->sizes.node_count; i++) {
        uint32_t rename = significant[i] ? flm_rename_of(&gate->renames, runs->tree, i) : FLM_NONE;
        if (rename != FLM_NONE)
            gate->renames.rename[rename].has_changed = true;
    }
    for (uint32_t i = 0; i < gate->found.count; i++)
        gate->found.item[i].rename =
            flm_rename_of(&gate->renames, runs->tree, gate->found.item[i].node);
    free(significant);
    return true;
}

static bool find_renames(const struct flm_gate *gate, struct flm_runs *runs,
                         struct flm_renames *renames, struct flm_error *why)
{
    unsigned char *significant = find_significant(gate, runs);
    if (!significant)
        return flm_error_memory(why);
    bool good = flm_renames_init(renames, runs, significant, why);
    free(significant);
    return good;
}

bool flm_gate_judge(struct flm_gate *gate, struct flm_runs *runs,
                    const struct flm_gate_options *options, struct flm_error *why)
{
    assert(gate && runs && runs->tree && options);
    struct flm_renames renames;
    if (!flm_gate_init(gate, runs, options, why))
        return false;
    bool good = find_renames(gate, runs, &renames, why);
    if (good && renames.count == 0) {
        flm_renames_clear(&renames);
        return true;
    }
    flm_gate_clear(gate);
    if (!good || !flm_gate_init(gate, runs, options, why)) {
        if (good)
            flm_renames_clear(&renames);
        return false;
    }
    gate->renames = renames;
    if (report_renames(gate, runs))
        return true;
    flm_gate_clear(gate);
    return flm_error_memory(why);
}
