/* gate_policy.h - `flamel gate --policy FILE`: by thresholds, without statistics. */
#ifndef FLAMEL_CLI_GATE_GATE_POLICY_H
#define FLAMEL_CLI_GATE_GATE_POLICY_H

#include "cli/common/load_options.h"
#include "flamel/gate.h"

/* The files, those of the candidate marked, and what the command was told. */
struct flm_gate_policy {
    const char *path; /* of the policy */
    const char *const *files;
    const bool *is_new;
    uint32_t count, rows;
    const char *format; /* as of --format; NULL: text */
    const struct flm_load_fields *load;
};

/* Prints the report; returns the exit status. What went wrong was printed. */
int flm_gate_policy_run(const struct flm_gate_policy *gate);

#endif
