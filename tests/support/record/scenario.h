/* scenario.h - records of a recording that is made up, and the profile that a session makes of
 * them. */
#ifndef FLAMEL_TESTS_SUPPORT_RECORD_SCENARIO_H
#define FLAMEL_TESTS_SUPPORT_RECORD_SCENARIO_H

#include "profile/columns.h"
#include "record/session/session.h"
#include "support/record/records.h"

struct scenario {
    struct flm_event_layouts layouts;
    struct records records;
    struct flm_session_options options;
    bool is_unsymbolized;                 /* by a session without symbols */
    const struct flm_build_id *kernel_id; /* NULL: not known */
    const char *exit_status;              /* of process 20; NULL: not known */
    struct flm_runtime_label label;       /* of all samples; no key: none */
    const char *later_name;               /* of the label, learned after the first sample */
};

/* One event, cpu-clock; times are kept. */
void scenario_init(struct scenario *scenario);
void scenario_clear(struct scenario *scenario);

/* try: NULL, and `why`, if memory ran out. The other one fails the test then. */
struct flm_profile *scenario_try(struct scenario *scenario, struct flm_error *why);
struct flm_profile *scenario_profile(struct scenario *scenario);

/* The total of a metric at the frames whose name begins so; 0 where there is none. */
double self_of(const struct flm_profile *profile, const char *metric, const char *name);

double lost(const struct flm_profile *profile, const char *what);
bool has_label(const struct flm_profile *profile, const char *key, const char *value);

#endif
