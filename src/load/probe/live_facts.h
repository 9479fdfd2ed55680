/* live_facts.h - what a reader adds to the copy of a running program's file: what the program
 * itself says only when it writes a report.
 *
 * Names of locks and functions that it knows by address; and of its threads what the kernel says of
 * them now: times, switches, faults, and whether they run or sleep. */
#ifndef FLAMEL_LOAD_PROBE_LIVE_FACTS_H
#define FLAMEL_LOAD_PROBE_LIVE_FACTS_H

#include "base/text/text.h"
#include "load/probe/probe_names.h"

/* `copy` is the file, and may grow; `names` has the process as its first. What is not known stays
 * as it is, so does all of a file that is damaged, which its reader refuses. */
void flm_live_facts_add(struct flm_text *copy, int32_t process, struct flm_probe_names *names);

#endif
