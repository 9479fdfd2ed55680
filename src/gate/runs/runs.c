#include "gate/runs/runs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/compare/comparable.h"
#include "algebra/operation/algebra.h"
#include "profile/columns.h"

/* ---- Which metric ---------------------------------------------------------------------------- */

static struct flm_bytes name_of(const struct flm_profile *p, uint32_t metric)
{
    return flm_string_bytes(p, p->metrics[metric].name);
}

static struct flm_bytes unit_of(const struct flm_profile *p, uint32_t metric)
{
    return flm_string_bytes(p, p->metrics[metric].unit);
}

static uint32_t metric_called(const struct flm_profile *p, struct flm_bytes name)
{
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        if (flm_bytes_equal(name_of(p, m), name))
            return m;
    return FLM_NONE;
}

/* The metric of each run that has this name and this unit; false where one has none. */
static bool find_all(const struct flm_run_input *in, uint32_t count, struct flm_bytes name,
                     struct flm_bytes unit, uint32_t *metric)
{
    for (uint32_t i = 0; i < count; i++) {
        metric[i] = metric_called(in[i].profile, name);
        if (metric[i] == FLM_NONE || !flm_bytes_equal(unit_of(in[i].profile, metric[i]), unit))
            return false;
    }
    return true;
}

static bool refuse_unit(const struct flm_run_input *in, uint32_t other, uint32_t first_metric,
                        uint32_t other_metric, struct flm_error *why)
{
    struct flm_bytes here = unit_of(in[other].profile, other_metric);
    struct flm_bytes there = unit_of(in[0].profile, first_metric);
    struct flm_bytes name = name_of(in[other].profile, other_metric);
    return flm_error_set(why, FLM_ERROR_UNIT,
                         "%s: '%.*s' is in '%.*s', and in %s in '%.*s': only runs in the same unit "
                         "can be compared",
                         in[other].name, (int)name.size, name.at, (int)here.size, here.at,
                         in[0].name, (int)there.size, there.at);
}

static bool find_named(const struct flm_run_input *in, uint32_t count, const char *name,
                       uint32_t *metric, struct flm_error *why)
{
    for (uint32_t i = 0; i < count; i++) {
        struct flm_metric found;
        if (!flm_metric_find(in[i].profile, name, &found, why))
            return flm_error_within(why, in[i].name);
        metric[i] = found.index;
        if (!flm_bytes_equal(unit_of(in[i].profile, found.index), unit_of(in[0].profile, *metric)))
            return refuse_unit(in, i, metric[0], metric[i], why);
    }
    return true;
}

static bool refuse_metrics(const struct flm_run_input *in, uint32_t count, struct flm_error *why)
{
    uint32_t other = 0;
    struct flm_bytes name = {"none", 4};
    for (uint32_t i = 0; i < count && other == 0; i++) {
        const struct flm_profile *first = in[0].profile, *p = in[i].profile;
        if (first->sizes.metric_count == 0)
            break;
        name = name_of(first, 0);
        uint32_t found = metric_called(p, name);
        if (found != FLM_NONE && !flm_bytes_equal(unit_of(p, found), unit_of(first, 0)))
            return refuse_unit(in, i, 0, found, why);
        other = found == FLM_NONE ? i : 0;
    }
    const struct flm_profile *p = in[other].profile;
    struct flm_bytes has = p->sizes.metric_count ? name_of(p, 0) : (struct flm_bytes){"none", 4};
    return flm_error_set(
        why, FLM_ERROR_UNIT,
        "the runs have no metric in common: the first of %s is %.*s, and of %s %.*s", in[0].name,
        (int)name.size, name.at, in[other].name, (int)has.size, has.at);
}

static bool find_common(const struct flm_run_input *in, uint32_t count, uint32_t *metric,
                        struct flm_error *why)
{
    const struct flm_profile *first = in[0].profile;
    for (uint32_t m = 0; m < first->sizes.metric_count; m++)
        if (find_all(in, count, name_of(first, m), unit_of(first, m), metric))
            return true;
    for (uint32_t i = 0; i < count; i++) {
        const struct flm_profile *p = in[i].profile;
        metric[i] = 0;
        if (p->sizes.metric_count != 1 || !flm_bytes_equal(unit_of(p, 0), unit_of(first, 0)))
            return refuse_metrics(in, count, why);
    }
    return true;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* How many values a run has, and that none is below 0. */
static bool count_values(const struct flm_run_input *in, uint32_t metric, uint32_t *count,
                         struct flm_error *why)
{
    const struct flm_profile *p = in->profile;
    const double *self = flm_self_column(p, metric);
    *count = 0;
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        if (self[i] < 0)
            return flm_error_set(why, FLM_ERROR_USAGE,
                                 "%s has values below 0: it is a difference, where recordings "
                                 "themselves are needed",
                                 in->name);
        *count += self[i] > 0;
    }
    return true;
}

static bool start_runs(struct flm_runs *runs, const struct flm_run_input *in,
                       const uint32_t *metric, struct flm_error *why)
{
    struct flm_sample_rule rule = {0};
    size_t first = 0;
    for (uint32_t i = 0; i < runs->run_count; i++) {
        struct flm_run *run = &runs->run[i];
        *run = (struct flm_run){flm_bytes_of(in[i].name), in[i].is_new, in[i].block, first, 0, 0};
        if (!count_values(&in[i], metric[i], &run->count, why))
            return false;
        flm_sample_rule_add(&rule, in[i].profile, (struct flm_metric){metric[i]});
        first += run->count;
        runs->new_count += run->is_new;
        runs->base_count += !run->is_new;
    }
    runs->unit = flm_sample_rule_value(&rule);
    runs->node = malloc((first + 1) * sizeof *runs->node);
    runs->value = malloc((first + 1) * sizeof *runs->value);
    return (runs->node && runs->value) || flm_error_memory(why);
}

/* The order of nodes is that of the tree in every run: both are in preorder, and siblings in one
 * order. */
static void take_values(struct flm_runs *runs, const struct flm_run_input *in,
                        const uint32_t *metric, const struct flm_moved *moved)
{
    for (uint32_t i = 0; i < runs->run_count; i++) {
        const struct flm_profile *p = in[i].profile;
        const double *self = flm_self_column(p, metric[i]);
        const uint32_t *to = moved->node + moved->start[i];
        size_t at = runs->run[i].first;
        for (uint32_t node = 0; node < p->sizes.node_count; node++) {
            if (self[node] == 0)
                continue;
            runs->node[at] = to[node];
            runs->value[at++] = self[node];
            runs->run[i].total += self[node];
        }
    }
}

static bool align(struct flm_runs *runs, const struct flm_run_input *in, const uint32_t *metric,
                  struct flm_error *why)
{
    const struct flm_profile **profiles = malloc(runs->run_count * sizeof *profiles);
    struct flm_moved moved = {0};
    if (!profiles)
        return flm_error_memory(why);
    for (uint32_t i = 0; i < runs->run_count; i++)
        profiles[i] = in[i].profile;
    runs->tree = flm_align_metric(profiles, runs->run_count, metric, &moved, why);
    free(profiles);
    if (runs->tree)
        take_values(runs, in, metric, &moved);
    flm_moved_clear(&moved);
    return runs->tree != NULL;
}

static bool start(struct flm_runs *runs, const struct flm_run_input *in, const char *name,
                  struct flm_error *why)
{
    uint32_t count = runs->run_count, *metric = malloc(count * sizeof *metric);
    runs->run = calloc(count, sizeof *runs->run);
    bool good = (metric && runs->run) || flm_error_memory(why);
    if (good)
        good =
            name ? find_named(in, count, name, metric, why) : find_common(in, count, metric, why);
    good = good && start_runs(runs, in, metric, why) && align(runs, in, metric, why);
    free(metric);
    return good;
}

/* Replaces profiles of the runs with copies that have the paths of the last one: two builds are
 * often in two directories. `made` receives the copies. */
static bool with_equal_paths(struct flm_run_input *in, uint32_t count, struct flm_profile **made,
                             struct flm_same_paths *most, struct flm_error *why)
{
    struct flm_same_paths same;
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (!flm_take_paths(in[i].profile, in[count - 1].profile, &made[i], &same, why))
            return false;
        if (made[i])
            in[i].profile = made[i];
        most->modules = same.modules > most->modules ? same.modules : most->modules;
        most->files = same.files > most->files ? same.files : most->files;
        most->functions = same.functions > most->functions ? same.functions : most->functions;
        if (same.renamed > most->renamed) {
            most->renamed = same.renamed;
            memcpy(most->from, same.from, sizeof most->from);
            memcpy(most->to, same.to, sizeof most->to);
        }
    }
    return true;
}

bool flm_runs_init(struct flm_runs *runs, const struct flm_run_input *in, uint32_t count,
                   const char *name, struct flm_error *why)
{
    assert(runs && in && count > 0);
    *runs = (struct flm_runs){.run_count = count};
    struct flm_run_input *own = malloc(count * sizeof *own);
    struct flm_profile **made = calloc(count, sizeof *made);
    bool good = (own && made) || flm_error_memory(why);
    if (good) {
        memcpy(own, in, count * sizeof *own);
        good = with_equal_paths(own, count, made, &runs->same, why) && start(runs, own, name, why);
    }
    for (uint32_t i = 0; made && i < count; i++)
        flm_profile_free(made[i]);
    free(made);
    free(own);
    if (!good)
        flm_runs_clear(runs);
    return good;
}

void flm_runs_clear(struct flm_runs *runs)
{
    flm_profile_free(runs->tree);
    free(runs->run);
    free(runs->node);
    free(runs->value);
    *runs = (struct flm_runs){0};
}

void flm_runs_self(const struct flm_runs *runs, uint32_t run, double *self)
{
    assert(run < runs->run_count && self);
    const struct flm_run *r = &runs->run[run];
    memset(self, 0, runs->tree->sizes.node_count * sizeof *self);
    for (size_t i = r->first; i < r->first + r->count; i++)
        self[runs->node[i]] = runs->value[i];
}

bool flm_runs_seen(const struct flm_runs *runs, bool of_subtree, uint32_t *base, uint32_t *new,
                   struct flm_error *why)
{
    assert(runs && runs->tree && base && new);
    const uint32_t *end = runs->tree->node_end;
    uint32_t count = runs->tree->sizes.node_count;
    uint32_t *valued = calloc(count + (size_t)1, sizeof *valued); /* nodes before this one */
    if (!valued)
        return flm_error_memory(why);
    memset(base, 0, count * sizeof *base);
    memset(new, 0, count * sizeof *new);
    for (uint32_t i = 0; i < runs->run_count; i++) {
        const struct flm_run *run = &runs->run[i];
        uint32_t *seen = run->is_new ? new : base;
        size_t at = run->first, past = run->first + run->count;
        for (uint32_t node = 0; node < count; node++) {
            valued[node] = (uint32_t)(at - run->first);
            at += at < past && runs->node[at] == node;
        }
        valued[count] = run->count;
        for (uint32_t node = 0; node < count; node++)
            seen[node] += valued[of_subtree ? end[node] : node + 1] > valued[node];
    }
    free(valued);
    return true;
}

void flm_stack_text(struct flm_text *out, const struct flm_profile *tree, uint32_t node)
{
    assert(out && tree && node < tree->sizes.node_count);
    bool any = false;
    for (uint32_t i = 1; i <= node; i++) {
        if (tree->node_end[i] <= node)
            continue;
        flm_text_puts(out, any ? ";" : "");
        flm_text_add(out, flm_frame_function(tree, tree->node_frame[i]));
        any = true;
    }
    if (!any)
        flm_text_puts(out, "(root)");
}
