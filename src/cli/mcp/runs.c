/* runs.c - the tools about several profiles: what changed, and whether that is a regression. */
#include <math.h>
#include <stdlib.h>

#include "cli/mcp/tools.h"
#include "flamel/gate.h"
#include "os/file_bytes.h"
#include "os/thread/threads.h"

enum { USUAL_ROWS = 20 };

/* Profiles, the runs that borrow them, and how many there are. */
struct runs {
    struct flm_gate_run *run;
    struct flm_profile **profile;
    size_t count, room;
};

static bool runs_init(struct runs *runs, size_t room, struct flm_error *why)
{
    *runs = (struct runs){.run = calloc(room, sizeof *runs->run),
                          .profile = calloc(room, sizeof *runs->profile),
                          .room = room};
    return (runs->run && runs->profile) || flm_error_memory(why);
}

static bool runs_add(struct runs *runs, const struct flm_mcp_call *call, const char *path,
                     bool is_new, struct flm_error *why)
{
    struct flm_profile *profile = flm_mcp_load(call, path, why);
    if (!profile)
        return false;
    runs->profile[runs->count] = profile;
    runs->run[runs->count++] =
        (struct flm_gate_run){.profile = profile, .name = path, .is_new = is_new};
    return true;
}

static void runs_clear(struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        flm_profile_free(runs->profile[i]);
    free(runs->profile);
    free(runs->run);
}

bool flm_mcp_diff(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why)
{
    struct runs runs;
    const struct flm_diff_options how = {.size = sizeof how,
                                         .metric = call->metric,
                                         .rows = flm_mcp_count(call->rows, USUAL_ROWS),
                                         .shares = call->relative};
    bool good =
        runs_init(&runs, 2, why) && runs_add(&runs, call, call->before, false, why) &&
        runs_add(&runs, call, call->after, true, why) &&
        flm_mcp_add_report(call, flm_report_diff(runs.run, runs.count, &how, why), out, why);
    runs_clear(&runs);
    return good;
}

static bool load_sides(struct runs *runs, const struct flm_mcp_call *call, struct flm_error *why)
{
    for (size_t i = 0; i < call->base.count; i++)
        if (!runs_add(runs, call, call->base.at[i], false, why))
            return false;
    for (size_t i = 0; i < call->new.count; i++)
        if (!runs_add(runs, call, call->new.at[i], true, why))
            return false;
    return true;
}

/* By the thresholds of a file. */
static bool gate_by_policy(const struct flm_mcp_call *call, const struct runs *runs,
                           struct flm_text *out, struct flm_error *why)
{
    struct flm_text policy = {0};
    enum flm_gate_verdict verdict;
    uint32_t rows = flm_mcp_count(call->rows, USUAL_ROWS);
    if (!isnan(call->alpha) || !isnan(call->min_effect) || call->exact || call->metric)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "a policy says itself what fails and in which metrics: 'alpha', "
                             "'min_effect', 'exact' and 'metric' are not for it");
    bool good = flm_file_read(call->policy, &policy, why) &&
                flm_mcp_add_report(call,
                                   flm_policy_report(policy.at, policy.size, runs->run, runs->count,
                                                     rows, &verdict, why),
                                   out, why);
    flm_text_clear(&policy);
    return good;
}

static bool gate_by_test(const struct flm_mcp_call *call, const struct flm_gate_settings *how,
                         const struct runs *runs, struct flm_text *out, struct flm_error *why)
{
    struct flm_gate_result *result = flm_gate_compare(runs->run, runs->count, how, why);
    bool good = result && flm_mcp_add_report(call, flm_gate_report(result, why), out, why);
    flm_gate_result_free(result);
    return good;
}

bool flm_mcp_gate(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why)
{
    struct runs runs;
    const struct flm_gate_settings how = {.size = sizeof how,
                                          .metric = call->metric,
                                          .alpha = isnan(call->alpha) ? 0 : call->alpha,
                                          .min_effect = isnan(call->min_effect) ? 0
                                                        : call->min_effect > 0  ? call->min_effect
                                                                                : -1,
                                          .exact = call->exact,
                                          .rows = flm_mcp_count(call->rows, USUAL_ROWS),
                                          .threads = flm_processor_count()};
    if (how.alpha >= 1)
        return flm_error_set(why, FLM_ERROR_USAGE, "'alpha' is between 0 and 1");
    bool good =
        runs_init(&runs, call->base.count + call->new.count, why) && load_sides(&runs, call, why);
    good = good && (call->policy ? gate_by_policy(call, &runs, out, why)
                                 : gate_by_test(call, &how, &runs, out, why));
    runs_clear(&runs);
    return good;
}
