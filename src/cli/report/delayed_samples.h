/* delayed_samples.h - samples of cpu-clock that came late.
 *
 * The timer of cpu-clock is an ordinary interrupt: while the kernel has interrupts disabled it
 * waits, and the sample lands on the instruction that enables them. Under a web server all 1,084
 * samples in finish_task_switch had one address, and all 760 in _raw_spin_unlock_irqrestore: what
 * these functions show is the time of the code before, such as the context switch. Counters whose
 * interrupt cannot be masked (NMI on x86) do not have this. */
#ifndef FLAMEL_CLI_REPORT_DELAYED_SAMPLES_H
#define FLAMEL_CLI_REPORT_DELAYED_SAMPLES_H

#include "base/text/text.h"
#include "flamel/profile.h"

/* Appends a sentence on them, without its end, if they are more than a twentieth of the metric,
 * which is that of cpu-clock; nothing otherwise. Where memory runs out, `out` has failed. */
void flm_add_delayed_samples(const struct flm_profile *profile, struct flm_metric metric,
                             struct flm_text *out);

#endif
