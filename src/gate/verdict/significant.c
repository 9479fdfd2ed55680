#include "gate/verdict/significant.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/compare/comparable.h"
#include "algebra/operation/rebuild.h"
#include "algebra/operation/subset.h"
#include "gate/runs/means.h"

static void explain(const struct flm_gate *gate, const uint32_t *node_end, unsigned char *explained)
{
    for (uint32_t i = 0; i < gate->found.count; i++) {
        const struct flm_item *item = &gate->found.item[i];
        bool is_self = item->scope == FLM_ITEM_SELF;
        memset(explained + item->node, 1, is_self ? 1 : node_end[item->node] - item->node);
    }
    if (gate->found.count == 0 && gate->total.is_significant)
        memset(explained, 1, node_end[0]);
}

/* Takes `explained`, of which NULL says that memory ran out. */
static bool init(struct flm_significant *significant, const struct flm_runs *runs,
                 unsigned char *explained, struct flm_error *why)
{
    *significant = (struct flm_significant){flm_runs_mean_values(runs, false),
                                            flm_runs_mean_values(runs, true)};
    bool good = explained && significant->lost && significant->gained;
    for (uint32_t i = 0; good && i < runs->tree->sizes.node_count; i++) {
        double change = explained[i] ? significant->gained[i] - significant->lost[i] : 0;
        significant->lost[i] = change < 0 ? -change : 0;
        significant->gained[i] = change > 0 ? change : 0;
    }
    free(explained);
    if (good)
        return true;
    flm_significant_clear(significant);
    return flm_error_memory(why);
}

bool flm_significant_init(struct flm_significant *significant, const struct flm_runs *runs,
                          const struct flm_gate *gate, struct flm_error *why)
{
    assert(significant && runs && gate);
    unsigned char *explained = calloc(runs->tree->sizes.node_count, 1);
    if (explained)
        explain(gate, runs->tree->node_end, explained);
    return init(significant, runs, explained, why);
}

bool flm_significant_init_paper(struct flm_significant *significant, const struct flm_runs *runs,
                                const struct flm_paper *paper, struct flm_error *why)
{
    assert(significant && runs && paper);
    unsigned char *explained = calloc(runs->tree->sizes.node_count, 1);
    for (uint32_t i = 0; explained && i < paper->stack_count; i++)
        explained[paper->stack[i].node] = paper->stack[i].is_responsible;
    return init(significant, runs, explained, why);
}

void flm_significant_clear(struct flm_significant *significant)
{
    free(significant->lost);
    free(significant->gained);
    *significant = (struct flm_significant){0};
}

static struct flm_profile *with_verdict(const struct flm_profile *p, struct flm_bytes verdict,
                                        struct flm_error *why)
{
    struct flm_rebuild r;
    if (!flm_rebuild_start(&r, p, why))
        return NULL;
    flm_builder_note(r.builder, FLM_NOTE_VERDICT, verdict.at, verdict.size);
    for (uint32_t i = 1; i < p->sizes.node_count; i++)
        r.moved[i] = flm_rebuild_child(&r, r.moved[r.parent[i]], p->node_frame[i]);
    return flm_rebuild_finish(&r, why);
}

/* Metrics of one name would be one: then the runs' is called "value". */
static struct flm_bytes name_of(const struct flm_runs *runs)
{
    struct flm_bytes name =
        flm_string_bytes(runs->tree, runs->tree->metrics[runs->metric.index].name);
    return flm_bytes_are(name, FLM_METRIC_SIGNIFICANT) ? flm_bytes_of("value") : name;
}

struct flm_profile *flm_significant_side(const struct flm_significant *significant,
                                         const struct flm_runs *runs, bool of_new,
                                         struct flm_bytes verdict, struct flm_error *why)
{
    assert(significant && runs && (of_new ? significant->gained : significant->lost));
    uint32_t unit = runs->tree->metrics[runs->metric.index].unit;
    struct flm_column columns[2] = {{.name = name_of(runs),
                                     .unit = flm_string_bytes(runs->tree, unit),
                                     .self = flm_runs_mean_values(runs, of_new)},
                                    {.name = flm_bytes_of(FLM_METRIC_SIGNIFICANT),
                                     .unit = flm_string_bytes(runs->tree, unit),
                                     .self = of_new ? significant->gained : significant->lost}};
    struct flm_profile *bare = NULL, *side = NULL;
    if (columns[0].self)
        bare = flm_subset(runs->tree, columns, 2, NULL, why);
    else
        flm_error_memory(why);
    if (bare)
        side = with_verdict(bare, verdict, why);
    flm_profile_free(bare);
    free(columns[0].self);
    return side;
}
