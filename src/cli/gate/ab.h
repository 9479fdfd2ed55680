/* ab.h - two commands recorded alternately, for `flamel gate --ab`.
 *
 *     warm-up    base new              recorded and thrown away: caches fill, and it is seen early
 *                                      whether both work at all
 *     block 1    base new new base     what gets slower and slower does so to both alike, and is
 *     block 2    base new new base     taken out by comparing inside of blocks only
 * (stats/permutations.h)
 *     ...
 *
 * Each run is recorded as `flamel record` does (recording.h), with nothing to read, and what it
 * prints kept out of the way: in output.log, that of the last run. The profiles stay in a folder:
 *
 *     flamel-ab/0001-base.flm   0002-new.flm   0003-new.flm   0004-base.flm ...   output.log
 *
 * with their places as notes (gate/runs/strata.h), so they can be judged again without recording. A
 * run that fails ends it all, unless that is allowed: a command that ends early is not faster. */
#ifndef FLAMEL_CLI_GATE_AB_H
#define FLAMEL_CLI_GATE_AB_H

#include "base/core/array.h"
#include "cli/common/command_line.h"
#include "cli/record/recording.h"

struct flm_ab_options {
    const char *base, *new; /* command lines */
    uint32_t warm_up;       /* runs of each */
    const char *folder;
    bool replaces;      /* runs that the folder has are removed, when the warm-up went well; else
                      they are a reason not to record */
    bool allows_failed; /* runs whose command fails count like others */
    const char *processors; /* "2,3": the commands run on these alone; NULL: on any */
    const struct flm_record_options *recorder; /* but its command */
    bool quiet;
};

struct flm_ab_run {
    char *path;
    bool is_new;
    uint32_t block;
};

struct flm_ab {
    struct FLM_ARRAY(struct flm_ab_run) runs;

    /* Its own. */
    struct flm_ab_options options;
    struct flm_command_line line[2]; /* base, new */
    struct flm_text path, log_path;
    char session[40];
    cpu_set_t processors;
    uint32_t block_count, planned;
    int log; /* -1: not open */
    int64_t started_ns, reported_ns;
};

/* Everything but the runs: commands are understood, and the folder is there. False, and `why`; `ab`
 * is to be cleared in any case. */
bool flm_ab_open(struct flm_ab *ab, const struct flm_ab_options *options, struct flm_error *why);

/* Records so many more runs of each command, after the warm-up the first time. False, and `why`,
 * when a run failed, could not be recorded, or was stopped; those before it are there. */
bool flm_ab_record(struct flm_ab *ab, uint32_t count_each, struct flm_error *why);

void flm_ab_clear(struct flm_ab *ab);

#endif
