/* probed.h - a command that was run with libflamel-probe in front of its libraries, and what its
 * processes measured: a file of each, in a folder of their own that goes when this does. */
#ifndef FLAMEL_CLI_RECORD_PROBED_H
#define FLAMEL_CLI_RECORD_PROBED_H

#include "base/core/array.h"
#include "base/text/text.h"
#include "cli/common/signals.h"
#include "flamel/profile.h"
#include "os/child.h"

struct flm_probed {
    struct flm_child child;
    struct flm_text folder;
    struct FLM_ARRAY(char *) paths;          /* of files that something was measured into */
    struct FLM_ARRAY(struct flm_name) files; /* their bytes, mapped */
    struct flm_signals caught;
    int stopped_by; /* the signal that ended waiting; 0: none */
};

/* Runs `command` (ended by NULL) until it ends, or somebody does not want to wait any longer.
 * `words`: for the variable FLAMEL, behind what we put there; may be "". False, and `why`: it
 * cannot be run, or nothing can be preloaded into it. Clear it in any case. */
bool flm_probed_run(struct flm_probed *probed, char *const *command, const char *words,
                    struct flm_error *why);

/* The exit status of the command, or 128 and the signal that ended it, as shells have it; or that
 * ended waiting for it. */
int flm_probed_exit_status(const struct flm_probed *probed);

void flm_probed_clear(struct flm_probed *probed);

#endif
