/* interval.h - what a program did between two copies of its file.
 *
 * The numbers of a file only grow, and blocks never move: what came since an earlier copy are the
 * numbers of the later one without those at the same places of the earlier one. That is done before
 * times are computed, not with two profiles: what measuring costs, and the times of calls that were
 * not timed, are estimated from all calls, so of a later copy they may be less than they were. */
#ifndef FLAMEL_FORMAT_PROBE_INTERVAL_H
#define FLAMEL_FORMAT_PROBE_INTERVAL_H

#include "base/core/bytes.h"
#include "flamel/error.h"

/* Makes of the later copy, at `after`, a file that has what came since `before`: calls, times,
 * values and losses of nodes, stacks and threads. Bytes that are live, and distributions, stay as
 * they are. An open scope begins when the earlier copy was made. False, and `why`: they are not two
 * copies of one file. What is damaged is left, for its reader to refuse. */
bool flm_probe_subtract(char *after, size_t size, struct flm_bytes before, struct flm_error *why);

#endif
