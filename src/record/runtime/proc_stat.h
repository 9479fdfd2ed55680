/* proc_stat.h - what /proc/PID/stat says of a process or a thread (proc(5)).
 *
 *     4711 (name) S 4710 ... 3 ... 123456 ...
 *
 * Its second field is a name, which may hold blanks, parentheses and newlines. */
#ifndef FLAMEL_RECORD_RUNTIME_PROC_STAT_H
#define FLAMEL_RECORD_RUNTIME_PROC_STAT_H

#include <stdbool.h>
#include <stdint.h>

struct flm_proc_stat {
    char state;          /* R, S, D, Z ... */
    int32_t parent;      /* a process */
    int32_t threads;     /* that the process has; 0: unknown */
    int64_t start_ticks; /* since boot, sysconf(_SC_CLK_TCK) a second; -1: unknown */
};

/* Of a thread of a process, or, where it is 0, of the process. False: there is none. `root`: ""
 * except in tests. */
bool flm_proc_stat_read(const char *root, int32_t process, int32_t thread,
                        struct flm_proc_stat *stat);

/* Whether any of its threads runs. Where its first one has ended and others have not, the state is
 * Z as well; so it is until the parent asks for the status of a process that has ended. */
bool flm_process_runs(int32_t process);

#endif
