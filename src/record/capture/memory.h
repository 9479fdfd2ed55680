/* memory.h - memory in use, a few times a second: of each process that is recorded, or of the
 * machine.
 *
 *     processes     /proc/PID/statm: resident pages    at most FLM_MEMORY_PROCESSES of them
 *     the machine   /proc/meminfo: MemTotal - MemAvailable
 *
 * A process costs 1.4 us of CPU time (measured, Linux 6.18), a round of the most 0.1 ms. */
#ifndef FLAMEL_RECORD_CAPTURE_MEMORY_H
#define FLAMEL_RECORD_CAPTURE_MEMORY_H

#include "record/session/session.h"

enum { FLM_MEMORY_PROCESSES = 64 };
#define FLM_MEMORY_EVERY_NS INT64_C(250000000)

struct flm_memory_watch {
    const char *root; /* in front of the paths: "" */
    bool machine;     /* else processes of the session */
    int64_t read_ns;  /* when it was read last; 0: not yet */
    bool left_out;    /* there were more processes */
};

/* Reads again if it is time, and adds counters to the session. False when memory ran out. */
bool flm_memory_watch(struct flm_memory_watch *watch, struct flm_session *session, int64_t now_ns);

/* Resident memory of a process, and memory in use of the machine, in bytes. False where there is no
 * such process (it has ended) or file. */
bool flm_memory_of_process(const char *root, int32_t process, double *bytes);
bool flm_memory_of_machine(const char *root, double *bytes);

#endif
