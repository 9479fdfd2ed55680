/* policy.h - thresholds in a file: which changes of a function fail, for each metric.
 *
 *     # what holds for all sections that follow
 *     least-change = 10%
 *
 *     [time]                    a section is a metric; time is wall time, memory allocated bytes
 *     least-calls = 100         of a run: functions that are called less often are not judged
 *     least-share = 1%          of the baseline's total
 *     measure = average         of a call; or total, self
 *     ignore = test_* log::*    globs: * is any text, ? a character
 *
 * A line is a section, a key and its value, or a comment behind #. */
#ifndef FLAMEL_GATE_POLICY_POLICY_H
#define FLAMEL_GATE_POLICY_POLICY_H

#include "base/core/array.h"
#include "base/core/bytes.h"
#include "flamel/error.h"

enum flm_policy_measure { FLM_POLICY_AVERAGE, FLM_POLICY_TOTAL, FLM_POLICY_SELF };

struct flm_policy_section {
    struct flm_bytes name;   /* as it is written: "time" */
    struct flm_bytes metric; /* "wall" */
    double least_change;     /* a share: 0.1 */
    double least_share;
    double least_calls;
    enum flm_policy_measure measure;
    struct FLM_ARRAY(struct flm_bytes) ignore; /* globs */
};

/* Texts are in `text`, which stays the caller's. */
struct flm_policy {
    struct FLM_ARRAY(struct flm_policy_section) sections;
};

/* False, and `why` with the line: it is not understood, or memory ran out. Clear it in any case. */
bool flm_policy_read(struct flm_policy *policy, struct flm_bytes text, struct flm_error *why);
void flm_policy_clear(struct flm_policy *policy);

bool flm_policy_ignores(const struct flm_policy_section *section, struct flm_bytes name);

#endif
