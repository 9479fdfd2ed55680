/* skid.h - how far samples of an event are from the instruction that caused them.
 *
 * A timer, or a counter that overflows, stops a processor some instructions later. The modifier
 * "pp" of perf asks the processor to say where it was (PEBS, IBS, SPE): "cycles:pp",
 * "cpu/event=0x3c/pp". */
#ifndef FLAMEL_CODE_SKID_H
#define FLAMEL_CODE_SKID_H

#include "base/core/bytes.h"

/* For people, behind the name of the metric and a colon; NULL: nothing is known of it. */
const char *flm_metric_skid(struct flm_bytes metric);

#endif
