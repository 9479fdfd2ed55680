#include "cli/metric_option.h"

#include "base/text.h"

bool flm_metric_find(const struct flm_profile *p, const char *name, struct flm_metric *metric,
                     struct flm_error *why)
{
    if (p->sizes.metric_count == 0)
        return flm_error_set(why, FLM_ERROR_FORMAT, "the profile has no metric, so no values");
    *metric = (struct flm_metric){0};
    if (name)
        *metric = flm_profile_metric_named(p, name);
    if (metric->index != FLM_NONE)
        return true;
    struct flm_text names = {0};
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        flm_text_puts(&names, m ? ", " : "");
        flm_text_add(&names, flm_string_bytes(p, p->metrics[m].name));
    }
    flm_error_set(why, FLM_ERROR_USAGE, "there is no metric '%s'; there is %.*s", name,
                  (int)names.size, names.at ? names.at : "");
    flm_text_clear(&names);
    return false;
}
