#include "algebra/compare/comparison.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number/sum.h"
#include "profile/columns.h"

const char *flm_change_kind_name(enum flm_change_kind kind)
{
    static const char *const names[FLM_CHANGE_KINDS] = {"same", "appeared", "grown", "disappeared",
                                                        "shrunk"};
    assert((unsigned)kind < FLM_CHANGE_KINDS);
    return names[kind];
}

/* Scaled sums that should be equal differ in their last digits. */
static bool are_same(const struct flm_comparison *c, double before, double after)
{
    double least = c->how.scale == 1 ? 0 : 1e-12 * fmax(fabs(before), fabs(after));
    return fabs(after - before) <= least;
}

static enum flm_change_kind kind_of(const struct flm_comparison *c, double before, double after)
{
    if (are_same(c, before, after))
        return FLM_CHANGE_NONE;
    bool is_signed = !c->before_self; /* the value before is not known */
    if (after > before)
        return before == 0 && !is_signed ? FLM_CHANGE_APPEARED : FLM_CHANGE_GROWN;
    return after == 0 && !is_signed ? FLM_CHANGE_DISAPPEARED : FLM_CHANGE_SHRUNK;
}

/* Both values of a stack alone, as recorded. */
static void self_values(const struct flm_comparison *c, uint32_t node, double *before,
                        double *after)
{
    double value = c->after_self[node];
    if (c->before_self) {
        *before = c->before_self[node];
        *after = value;
    } else {
        *before = value < 0 ? -value : 0;
        *after = value > 0 ? value : 0;
    }
}

static bool is_looked_at(const struct flm_comparison *c, double before, double after)
{
    return !c->how.kinds || (c->how.kinds >> kind_of(c, before, after) & 1);
}

static double width_of(enum flm_comparison_widths widths, double before, double after)
{
    double b = fabs(before), a = fabs(after);
    switch (widths) {
    case FLM_WIDTHS_AFTER:
        return a;
    case FLM_WIDTHS_BEFORE:
        return b;
    case FLM_WIDTHS_SUM:
        return a + b;
    case FLM_WIDTHS_MAX:
        break;
    }
    return a > b ? a : b;
}

/* Widths and self values of the compared columns, and the sums of everything. */
static void measure(struct flm_comparison *c)
{
    struct flm_sum changes[FLM_CHANGE_KINDS] = {{0}}, totals[2] = {{0}}, norms = {0};
    bool is_signed = false;
    for (uint32_t i = 0; i < c->node_count; i++) {
        double recorded, after;
        self_values(c, i, &recorded, &after);
        double before = recorded * c->how.scale;
        enum flm_change_kind kind = kind_of(c, before, after);
        c->sums[kind].stack_count += before != 0 || after != 0;
        flm_sum_add(&changes[kind], fabs(after - before));
        flm_sum_add(&totals[0], recorded);
        flm_sum_add(&totals[1], after);
        flm_sum_add(&norms, fabs(after) + fabs(before));
        is_signed |= before < 0 || after < 0;
        bool looked_at = is_looked_at(c, before, after);
        c->before[i] = looked_at ? recorded : 0;
        c->after[i] = looked_at ? after : 0;
        c->widths[i] = looked_at ? width_of(c->how.widths, before, after) : 0;
        if (c->lost) {
            c->lost[i] = looked_at ? c->how.lost[i] : 0;
            c->gained[i] = looked_at ? c->how.gained[i] : 0;
            c->sums[kind].significant += c->how.lost[i] + c->how.gained[i];
        }
    }
    for (int kind = 0; kind < FLM_CHANGE_KINDS; kind++) {
        c->sums[kind].change = flm_sum_of(&changes[kind]);
        c->distance += c->sums[kind].change;
    }
    c->before_total = flm_sum_of(&totals[0]);
    c->after_total = flm_sum_of(&totals[1]);
    double norm = flm_sum_of(&norms);
    c->similarity = is_signed ? (double)NAN : norm == 0 ? 1 : (norm - c->distance) / norm;
}

bool flm_comparison_init(struct flm_comparison *c, uint32_t node_count, const uint32_t *end,
                         const double *before, const double *after,
                         const struct flm_comparison_options *options, struct flm_error *why)
{
    assert(c && end && after && options && node_count > 0);
    size_t size = node_count * sizeof(double);
    *c = (struct flm_comparison){.how = *options,
                                 .node_count = node_count,
                                 .before_self = before,
                                 .after_self = after,
                                 .before = malloc(size),
                                 .after = malloc(size),
                                 .widths = malloc(size)};
    bool has_significant = options->lost && options->gained;
    if (has_significant) {
        c->lost = malloc(size);
        c->gained = malloc(size);
    }
    if (!c->before || !c->after || !c->widths || (has_significant && (!c->lost || !c->gained))) {
        flm_comparison_clear(c);
        return flm_error_memory(why);
    }
    if (c->how.scale == 0 || !before)
        c->how.scale = 1;
    measure(c);
    flm_add_up(c->before, end, node_count);
    flm_add_up(c->after, end, node_count);
    if (has_significant) {
        flm_add_up(c->lost, end, node_count);
        flm_add_up(c->gained, end, node_count);
    }
    return true;
}

void flm_comparison_clear(struct flm_comparison *c)
{
    free(c->before);
    free(c->after);
    free(c->widths);
    free(c->lost);
    free(c->gained);
    *c = (struct flm_comparison){0};
}

/* ---- Noise ----------------------------------------------------------------------------------- */

/* `before` is scaled. An equal value is not noise. */
static bool is_noise(const struct flm_comparison *c, double before, double after)
{
    const struct flm_comparison_options *how = &c->how;
    if (how->sigmas <= 0 || how->before_sample <= 0 || how->after_sample <= 0 || before < 0 ||
        after < 0 || are_same(c, before, after))
        return false;
    double expected = how->scale * how->before_sample / how->after_sample; /* after, a sample */
    double x = before / how->scale / how->before_sample, y = after / how->after_sample;
    double half = y > expected * x ? 0.5 : -0.5;
    if ((y - half - expected * (x + half)) * half <= 0)
        return true; /* less than a sample moved */
    double z =
        2 * (sqrt(y - half + 0.375) - sqrt(expected * (x + half + 0.375))) / sqrt(1 + expected);
    return fabs(z) < how->sigmas;
}

struct flm_change flm_comparison_judge(const struct flm_comparison *c, double before, double after)
{
    before *= c->how.scale;
    enum flm_change_kind kind = kind_of(c, before, after);
    return (struct flm_change){before, after, kind, is_noise(c, before, after),
                               kind == FLM_CHANGE_NONE ? 0 : after - before};
}

struct flm_change flm_comparison_judge_significant(const struct flm_comparison *c, double before,
                                                   double after, double lost, double gained)
{
    struct flm_change change = flm_comparison_judge(c, before, after);
    if (c->lost) {
        change.noise = change.kind != FLM_CHANGE_NONE && lost == 0 && gained == 0;
        change.significant = gained - lost;
    }
    return change;
}

void flm_comparison_values(const struct flm_comparison *c, uint32_t node,
                           enum flm_change_scope scope, double *before, double *after)
{
    *before = c->before[node];
    *after = c->after[node];
    if (scope == FLM_CHANGE_OF_SUBTREE)
        return;
    self_values(c, node, before, after);
    if (!is_looked_at(c, *before * c->how.scale, *after))
        *before = *after = 0;
}

void flm_comparison_significant(const struct flm_comparison *c, uint32_t node,
                                enum flm_change_scope scope, double *lost, double *gained)
{
    *lost = *gained = 0;
    if (!c->lost)
        return;
    if (scope == FLM_CHANGE_OF_SUBTREE) {
        *lost = c->lost[node];
        *gained = c->gained[node];
        return;
    }
    double before, after;
    self_values(c, node, &before, &after);
    if (is_looked_at(c, before * c->how.scale, after)) {
        *lost = c->how.lost[node];
        *gained = c->how.gained[node];
    }
}

struct flm_change flm_comparison_change(const struct flm_comparison *c, uint32_t node,
                                        enum flm_change_scope scope)
{
    double before, after, lost, gained;
    flm_comparison_values(c, node, scope, &before, &after);
    flm_comparison_significant(c, node, scope, &lost, &gained);
    return flm_comparison_judge_significant(c, before, after, lost, gained);
}
