/* compare.c - the public functions of flamel/gate.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "flamel/gate.h"
#include "gate/runs/normalize.h"
#include "gate/runs/strata.h"
#include "report/core/blocks.h"
#include "report/gate/diff.h"
#include "report/gate/gate_report.h"

/* ---- What changed ---------------------------------------------------------------------------- */

static bool fill_side(struct flm_diff_side *side, const struct flm_gate_run *runs, size_t count,
                      bool is_new)
{
    side->profiles = calloc(count, sizeof *side->profiles);
    side->names = calloc(count, sizeof *side->names);
    for (size_t i = 0; side->profiles && side->names && i < count; i++) {
        if (runs[i].is_new != is_new)
            continue;
        side->names[side->count] = runs[i].name ? runs[i].name : "";
        side->profiles[side->count++] = (struct flm_profile *)runs[i].profile; /* only read */
    }
    return side->profiles && side->names;
}

/* The profiles are the caller's. */
static void clear_diff(struct flm_diff *d)
{
    for (int s = 0; s < 2; s++) {
        d->side[s].count = 0;
        free(d->side[s].names);
    }
    flm_diff_clear(d);
}

struct flm_report *flm_report_diff(const struct flm_gate_run *runs, size_t count,
                                   const struct flm_diff_options *options, struct flm_error *why)
{
    static const enum flm_normalize normalize[] = {[FLM_RUNS_AS_RECORDED] = FLM_NORMALIZE_NONE,
                                                   [FLM_RUNS_BY_TOTAL] = FLM_NORMALIZE_TOTAL,
                                                   [FLM_RUNS_BY_DURATION] = FLM_NORMALIZE_DURATION};
    struct flm_diff_options o;
    flm_options_copy(&o, sizeof o, options);
    struct flm_diff d = {.how = {.metric = o.metric,
                                 .normal = {.by = normalize[o.normalize]},
                                 .sort = (enum flm_function_order)o.sort,
                                 .rows = o.rows}};
    struct flm_report *report = NULL;
    bool good = (fill_side(&d.side[FLM_DIFF_BEFORE], runs, count, false) &&
                 fill_side(&d.side[FLM_DIFF_AFTER], runs, count, true)) ||
                flm_error_memory(why);
    if (good && (d.side[0].count == 0 || d.side[1].count == 0))
        good = flm_error_set(why, FLM_ERROR_USAGE, "a comparison needs runs on both sides");
    if (good && flm_diff_measure(&d, why))
        report = flm_diff_report(&d, why);
    clear_diff(&d);
    return report;
}

/* ---- Whether it is a regression -------------------------------------------------------------- */

struct flm_gate_result {
    struct flm_runs runs;
    struct flm_gate_options options;
    struct flm_gate gate;
    uint32_t rows;
    char **names; /* of the runs, which the report needs */
    uint32_t count;
};

static void free_result(struct flm_gate_result *result)
{
    for (uint32_t i = 0; result->names && i < result->count; i++)
        free(result->names[i]);
    free(result->names);
    free(result);
}

static bool copy_names(struct flm_gate_result *result, const struct flm_gate_run *runs,
                       uint32_t count, struct flm_error *why)
{
    result->names = calloc(count, sizeof *result->names);
    result->count = count;
    for (uint32_t i = 0; result->names && i < count; i++) {
        const char *name = runs[i].name ? runs[i].name : "";
        size_t size = strlen(name) + 1;
        result->names[i] = malloc(size);
        if (!result->names[i])
            return flm_error_memory(why);
        memcpy(result->names[i], name, size);
    }
    return result->names || flm_error_memory(why);
}

static struct flm_gate_options options_of(const struct flm_gate_settings *s)
{
    struct flm_gate_options how = flm_gate_defaults();
    how.alpha = s->alpha > 0 ? s->alpha : how.alpha;
    how.permutations = s->permutations > 0 ? s->permutations : how.permutations;
    how.seed = s->seed > 0 ? s->seed : how.seed;
    how.side = s->both_directions ? FLM_SIDE_BOTH : FLM_SIDE_GROWTH;
    how.min_effect = s->min_effect > 0 ? s->min_effect : how.min_effect;
    how.require_mde = s->require_mde;
    how.tolerance = s->tolerance;
    how.exact = s->exact;
    how.threads = s->threads > 0 ? s->threads : 1;
    return how;
}

/* All runs, over one tree. */
static bool align_runs(struct flm_gate_result *result, const struct flm_gate_run *runs,
                       uint32_t count, const char *metric, struct flm_error *why)
{
    const struct flm_profile **profiles = calloc(count + 1u, sizeof *profiles);
    struct flm_profile **normalized = calloc(count + 1u, sizeof *normalized);
    struct flm_run_input *inputs = calloc(count + 1u, sizeof *inputs);
    uint32_t *stratum = calloc(count + 1u, sizeof *stratum);
    bool good = (profiles && normalized && inputs && stratum) || flm_error_memory(why);
    for (uint32_t i = 0; good && i < count; i++) {
        profiles[i] = normalized[i] = flm_normalize_frames(runs[i].profile, false, why);
        good = normalized[i] != NULL;
    }
    if (good)
        flm_strata_find(profiles, count, stratum);
    for (uint32_t i = 0; good && i < count; i++)
        inputs[i] = (struct flm_run_input){.profile = profiles[i],
                                           .name = result->names[i],
                                           .is_new = runs[i].is_new,
                                           .block = stratum[i]};
    good = good && flm_runs_init(&result->runs, inputs, count, metric, why);
    for (uint32_t i = 0; normalized && i < count; i++)
        flm_profile_free(normalized[i]);
    free(profiles);
    free(normalized);
    free(inputs);
    free(stratum);
    return good;
}

struct flm_gate_result *flm_gate_compare(const struct flm_gate_run *runs, size_t count,
                                         const struct flm_gate_settings *settings,
                                         struct flm_error *why)
{
    assert(runs || count == 0);
    struct flm_gate_settings s;
    flm_options_copy(&s, sizeof s, settings);
    if (count == 0 || count >= UINT32_MAX) {
        flm_error_set(why, FLM_ERROR_USAGE, "a gate needs runs on both sides");
        return NULL;
    }
    struct flm_gate_result *result = calloc(1, sizeof *result);
    if (!result) {
        flm_error_memory(why);
        return NULL;
    }
    result->options = options_of(&s);
    result->rows = s.rows;
    if (!copy_names(result, runs, (uint32_t)count, why) ||
        !align_runs(result, runs, (uint32_t)count, s.metric, why)) {
        free_result(result);
        return NULL;
    }
    if (!flm_gate_judge(&result->gate, &result->runs, &result->options, why)) {
        flm_runs_clear(&result->runs);
        free_result(result);
        return NULL;
    }
    return result;
}

void flm_gate_result_free(struct flm_gate_result *result)
{
    if (!result)
        return;
    flm_gate_clear(&result->gate);
    flm_runs_clear(&result->runs);
    free_result(result);
}

enum flm_gate_verdict flm_gate_verdict(const struct flm_gate_result *result)
{
    static const enum flm_gate_verdict verdicts[] = {[FLM_VERDICT_PASS] = FLM_GATE_PASS,
                                                     [FLM_VERDICT_FAIL] = FLM_GATE_FAIL,
                                                     [FLM_VERDICT_INCONCLUSIVE] =
                                                         FLM_GATE_INCONCLUSIVE};
    assert(result);
    return verdicts[result->gate.verdict];
}

struct flm_report *flm_gate_report(const struct flm_gate_result *result, struct flm_error *why)
{
    assert(result);
    const struct flm_gate_report report = {.runs = &result->runs,
                                           .options = &result->options,
                                           .gate = &result->gate,
                                           .rows = result->rows};
    return flm_gate_report_make(&report, why);
}
