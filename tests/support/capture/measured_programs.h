/* measured_programs.h - recordings of two programs that measure the CPU time of their functions:
 * calibration.c and stack_depth.c in tests/programs. */
#ifndef FLAMEL_TESTS_SUPPORT_CAPTURE_MEASURED_PROGRAMS_H
#define FLAMEL_TESTS_SUPPORT_CAPTURE_MEASURED_PROGRAMS_H

#include "record/capture/recorder.h"

/* ---- Recordings ------------------------------------------------------------------------------ */

struct recording {
    struct flm_profile *profile;
    struct flm_record_result result;
    bool kernel;
};

/* False, with a message, if recording is not allowed here. */
bool make_recording(const struct flm_record_options *options, flm_recorder_tick tick, void *context,
                    struct recording *recording);
void clear_recording(struct recording *recording);

/* The total of a metric in a function and its callees; NULL: in the whole profile. */
double total_of(const struct flm_profile *p, const char *metric, const char *function);

/* ---- Programs -------------------------------------------------------------------------------- */

/* The event of these recordings. */
extern const char *const clock_event[1];

/* A line that the program writes: "cpu spend_half 400019424". */
struct measured {
    char what[8], name[32];
    double ns;
};

/* The path of calibration.c, compiled with these flags. NULL: there is no compiler. */
const char *calibration(const char *flags);

/* Records calibration.c; again if more than a tenth of its CPU time has no samples, since such a
 * recording proves little. False, with a message, if it cannot be recorded here. */
bool record_calibration(const char *flags, const struct flm_record_options *options,
                        struct recording *recording, struct measured *measured, size_t *count);

/* The share of the program's CPU time that has no samples though they were due: a hypervisor had
 * stopped the processor, or the kernel throttled the event. Timers that fall into such a gap give
 * one sample in all. The recording itself does not say in which part of the program that was. */
double unsampled_share(const struct recording *recording, const struct measured *measured,
                       size_t count);

enum depth_target { AS_COMMAND, AS_PROCESS, IN_MACHINE };

/* Records stack_depth.c, one thread of which has `frames` frames of 1 KiB for some time. IN_MACHINE
 * records everything, and keeps the stacks of the program. False if it cannot be recorded here. */
bool record_depth(int frames, enum depth_target target, const struct flm_record_options *options,
                  struct recording *recording, struct measured *measured, size_t *count);

#endif
