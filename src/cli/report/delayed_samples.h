/* delayed_samples.h - samples of cpu-clock that are late.
 *
 * The timer behind cpu-clock is an interrupt like others: while the kernel has them off, it waits,
 * and the sample lands on the instruction that lets them in again. What such functions show is the
 * time of the code before them: finish_task_switch that of a switch of threads. Hardware counters
 * have no such blind spot. */
#ifndef FLAMEL_CLI_REPORT_DELAYED_SAMPLES_H
#define FLAMEL_CLI_REPORT_DELAYED_SAMPLES_H

#include "base/text/text.h"
#include "flamel/profile.h"

/* Appends a sentence on them, without its end, if they are more than a twentieth of the first
 * metric; returns whether they are. Nothing where memory ran out. */
bool flm_add_delayed_samples(const struct flm_profile *profile, struct flm_text *out);

#endif
