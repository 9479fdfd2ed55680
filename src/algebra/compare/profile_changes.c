/* profile_changes.c - include/flamel/changes.h: comparable.h, comparison.h and changes.h, one after
 * the other. */
#include "flamel/changes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/compare/changes.h"
#include "base/text/versioned.h"

struct flm_profile_changes {
    struct flm_profile *both;
    struct flm_metric_pair pair;
    struct flm_comparison comparison;
    struct flm_changes changes;
};

static bool measure(struct flm_profile_changes *d, const struct flm_profile_changes_options *o,
                    double before_ns, double after_ns, struct flm_error *why)
{
    const struct flm_normal normal = {
        .by = o->normalize,
        .before_ns = before_ns,
        .after_ns = after_ns,
        .function = flm_bytes_of(o->normalize_function ? o->normalize_function : ""),
    };
    struct flm_comparison_options how = {.widths = FLM_WIDTHS_MAX};
    if (!flm_comparison_scale(d->both, &d->pair, &normal, &how.scale, why))
        return false;
    if (!o->without_noise_test)
        flm_comparison_find_noise(d->both, &d->pair, &how);
    return flm_comparison_init(&d->comparison, d->both->sizes.node_count, d->both->node_end,
                               flm_self_column(d->both, d->pair.before.index),
                               flm_self_column(d->both, d->pair.after.index), &how, why) &&
           flm_changes_init(&d->changes, d->both, &d->pair, &d->comparison, o->sort, o->rows, why);
}

/* Where both have one metric, the pair has no name, and the metric may be called by its own. */
static bool find_pair(struct flm_profile_changes *d, const struct flm_profile *after,
                      const char *metric, struct flm_error *why)
{
    struct flm_metric own;
    if (metric && !flm_metric_find(after, metric, &own, why))
        return false;
    bool is_only = d->both->sizes.metric_count == 2;
    return flm_metric_pair_find(d->both, is_only ? NULL : metric, &d->pair, why);
}

static bool check_choices(const struct flm_profile_changes_options *o, struct flm_error *why)
{
    if ((unsigned)o->normalize > FLM_NORMALIZE_FUNCTION)
        return flm_error_set(why, FLM_ERROR_USAGE, "there is no normalization number %u",
                             (unsigned)o->normalize);
    if ((unsigned)o->sort > FLM_FUNCTIONS_BY_NAME)
        return flm_error_set(why, FLM_ERROR_USAGE, "there is no order number %u",
                             (unsigned)o->sort);
    return true;
}

struct flm_profile_changes *flm_profile_changes_new(
    const struct flm_profile *before, const struct flm_profile *after,
    const struct flm_profile_changes_options *options, struct flm_error *why)
{
    assert(before && after);
    struct flm_profile_changes_options o;
    if (!flm_versioned_copy(&o, sizeof o, options, "flm_profile_changes_options", why))
        return NULL;
    if (!check_choices(&o, why))
        return NULL;
    struct flm_profile_changes *d = calloc(1, sizeof *d);
    if (!d) {
        flm_error_memory(why);
        return NULL;
    }
    d->both = flm_comparison_align(before, after, why);
    if (d->both && find_pair(d, after, o.metric, why) &&
        measure(d, &o, flm_profile_duration_ns(before), flm_profile_duration_ns(after), why))
        return d;
    flm_profile_changes_free(d);
    return NULL;
}

void flm_profile_changes_free(struct flm_profile_changes *d)
{
    if (!d)
        return;
    flm_changes_clear(&d->changes);
    flm_comparison_clear(&d->comparison);
    flm_profile_free(d->both);
    free(d);
}

const struct flm_profile *flm_profile_changes_tree(const struct flm_profile_changes *d,
                                                   struct flm_metric *before,
                                                   struct flm_metric *after)
{
    assert(d && before && after);
    *before = d->pair.before;
    *after = d->pair.after;
    return d->both;
}

const struct flm_function_change *flm_profile_changes_functions(const struct flm_profile_changes *d,
                                                                uint32_t *count)
{
    assert(d && count);
    *count = d->changes.function_count;
    return d->changes.function;
}

struct flm_name flm_profile_changes_function_name(const struct flm_profile_changes *d,
                                                  uint32_t function, struct flm_name *module)
{
    assert(d && function < d->changes.functions.count);
    const struct flm_function *f = &d->changes.functions.function[function];
    if (module)
        *module = flm_profile_string(d->both, (struct flm_string){f->module ? f->module : f->file});
    return flm_profile_string(d->both, (struct flm_string){f->name});
}

const uint32_t *flm_profile_changes_stacks(const struct flm_profile_changes *d, uint32_t *count)
{
    assert(d && count);
    *count = d->changes.stack_count;
    return d->changes.stack;
}

struct flm_change flm_profile_changes_node(const struct flm_profile_changes *d,
                                           struct flm_node node, enum flm_change_scope scope)
{
    assert(d && node.index < d->comparison.node_count);
    return flm_comparison_change(&d->comparison, node.index, scope);
}

bool flm_profile_changes_sums(const struct flm_profile_changes *d,
                              struct flm_profile_changes_summary *summary, struct flm_error *why)
{
    assert(d && summary);
    const struct flm_comparison *c = &d->comparison;
    const struct flm_profile_changes_summary all = {
        .size = summary->size,
        .before = c->before_total,
        .after = c->after_total,
        .scale = c->how.scale,
        .distance = c->distance,
        .similarity = c->similarity,
        .changed_functions = d->changes.changed_functions,
        .changed_stacks = d->changes.changed_stacks,
        .before_sample = c->how.before_sample,
        .after_sample = c->how.after_sample,
    };
    struct flm_profile_changes_summary checked;
    if (!flm_versioned_copy(&checked, sizeof checked, summary, "flm_profile_changes_summary", why))
        return false;
    memcpy(summary, &all, summary->size);
    return true;
}

double flm_profile_changes_kind(const struct flm_profile_changes *d, enum flm_change_kind kind,
                                uint32_t *stack_count)
{
    assert(d && kind < FLM_CHANGE_KINDS);
    if (stack_count)
        *stack_count = d->comparison.sums[kind].stack_count;
    return d->comparison.sums[kind].change;
}
