#include "code/find/code_collection.h"

#include <assert.h>
#include <math.h>

#include "algebra/aggregate/functions.h"
#include "algebra/compare/comparable.h"
#include "base/text/text.h"

static double sum_of(const struct flm_functions *functions)
{
    double sum = 0;
    for (uint32_t i = 1; i < functions->count; i++)
        sum += fabs(functions->function[i].self);
    return sum;
}

/* The functions of a profile, measured; what costs something in `others`, which are of the same
 * profile, is left out. */
struct measured {
    const struct flm_profile *p;
    struct flm_functions functions, others;
    double least;
};

static bool costs(const struct measured *m, uint32_t i)
{
    bool is_other = m->others.count > 0 && m->others.function[i].total != 0;
    return !is_other && m->functions.function[i].total != 0 &&
           fabs(m->functions.function[i].total) >= m->least;
}

static bool add_functions(const struct measured *m, struct flm_code_finder *finder,
                          struct flm_code_store *store, struct flm_error *why)
{
    bool is_taken = false;
    for (uint32_t i = 1; i < m->functions.count; i++) {
        const struct flm_function *f = &m->functions.function[i];
        /* Functions of one name and module in several files are one here. */
        is_taken &= i > 1 && f->name == f[-1].name && f->module == f[-1].module;
        if (is_taken || !costs(m, i))
            continue;
        is_taken = true;
        if (!flm_code_finder_function(finder, flm_string_bytes(m->p, f->name),
                                      flm_string_bytes(m->p, f->module), store, why))
            return false;
    }
    return true;
}

static bool measure(struct flm_functions *functions, const struct flm_profile *p,
                    struct flm_metric metric, struct flm_error *why)
{
    return flm_functions_init(functions, p, why) &&
           flm_functions_measure(functions, p, metric, why);
}

bool flm_code_collect(const struct flm_profile *p, struct flm_metric metric, double share,
                      const struct flm_code_finder_options *options, struct flm_code_store *store,
                      struct flm_error *why)
{
    assert(p && store && share >= 0);
    struct measured m = {.p = p};
    struct flm_code_finder *finder = flm_code_finder_new(p, options, why);
    bool good = finder && measure(&m.functions, p, metric, why);
    if (good)
        m.least = share * sum_of(&m.functions);
    good = good && add_functions(&m, finder, store, why);
    flm_functions_clear(&m.functions);
    flm_code_finder_free(finder);
    return good;
}

bool flm_code_collect_gone(const struct flm_profile *before, const struct flm_profile *after,
                           struct flm_metric metric, double share,
                           const struct flm_code_finder_options *options,
                           struct flm_code_store *store, struct flm_error *why)
{
    assert(before && after && store && share >= 0);
    struct flm_error reason = {0};
    struct flm_profile *both = flm_comparison_align(before, after, &reason);
    if (!both)
        return reason.kind != FLM_ERROR_MEMORY || flm_error_memory(why);
    char name[FLM_FIXED_STRING];
    struct flm_text text;
    struct flm_metric_pair pair;
    flm_text_init_fixed(&text, name, sizeof name - 1);
    flm_text_add(&text, flm_string_bytes(after, after->metrics[metric.index].name));
    name[text.size] = 0;
    /* The only one of each has no name there. */
    if (!flm_metric_pair_find(both, both->sizes.metric_count == 2 ? NULL : name, &pair, &reason)) {
        flm_profile_free(both);
        return reason.kind != FLM_ERROR_MEMORY || flm_error_memory(why);
    }
    struct measured m = {.p = both};
    struct flm_code_finder *finder = flm_code_finder_new(before, options, why);
    bool good = finder && measure(&m.functions, both, pair.before, why) &&
                measure(&m.others, both, pair.after, why);
    if (good)
        m.least = share * sum_of(&m.functions);
    good = good && add_functions(&m, finder, store, why);
    flm_functions_clear(&m.functions);
    flm_functions_clear(&m.others);
    flm_code_finder_free(finder);
    flm_profile_free(both);
    return good;
}
