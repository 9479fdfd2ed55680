#include "code/find/code_collection.h"

#include <assert.h>
#include <math.h>

#include "algebra/aggregate/functions.h"

static double sum_of(const struct flm_functions *functions)
{
    double sum = 0;
    for (uint32_t i = 1; i < functions->count; i++)
        sum += fabs(functions->function[i].self);
    return sum;
}

static bool add_functions(const struct flm_functions *functions, double share,
                          struct flm_code_finder *finder, const struct flm_profile *p,
                          struct flm_code_store *store, struct flm_error *why)
{
    double least = share * sum_of(functions);
    bool is_taken = false;
    for (uint32_t i = 1; i < functions->count; i++) {
        const struct flm_function *f = &functions->function[i];
        /* Functions of one name and module in several files are one here. */
        is_taken &= i > 1 && f->name == f[-1].name && f->module == f[-1].module;
        if (is_taken || fabs(f->total) < least || f->total == 0)
            continue;
        is_taken = true;
        if (!flm_code_finder_function(finder, flm_string_bytes(p, f->name),
                                      flm_string_bytes(p, f->module), store, why))
            return false;
    }
    return true;
}

bool flm_code_collect(const struct flm_profile *p, struct flm_metric metric, double share,
                      const struct flm_code_finder_options *options, struct flm_code_store *store,
                      struct flm_error *why)
{
    assert(p && store && share >= 0);
    struct flm_functions functions = {0};
    struct flm_code_finder *finder = flm_code_finder_new(p, options, why);
    bool good = finder && flm_functions_init(&functions, p, why) &&
                flm_functions_measure(&functions, p, metric, why) &&
                add_functions(&functions, share, finder, p, store, why);
    flm_functions_clear(&functions);
    flm_code_finder_free(finder);
    return good;
}
