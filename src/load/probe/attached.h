/* attached.h - a program that measures itself (flamel/probe.h), looked at while it runs.
 *
 * Such a program has its file mapped: one with a name, or one in memory that only it has (a memfd).
 * Both are among the files that it has open, and the kernel shows those to its own user and to root
 * (/proc/PID/fd): whoever may look at a process with a debugger. So nothing is sent, no socket is
 * made, and no thread of the program has anything to do with it.
 *
 *     struct flm_attached *attached = flm_attached_open(4711, &state, &why);
 *     struct flm_bytes file;
 *     if (flm_attached_read(attached, &file, &why))      as often as one likes
 *         flm_load_memory(file.at, file.size, ...);
 *
 * A snapshot is a copy of what the file has in use, made without stopping who writes: each number
 * in it is whole, and what it refers to is in it as well (docs/probe-format.md). The file stays
 * readable when the program has ended or was killed. */
#ifndef FLAMEL_LOAD_ATTACHED_H
#define FLAMEL_LOAD_ATTACHED_H

#include <stdint.h>

#include "base/core/bytes.h"
#include "flamel/error.h"

struct flm_attached;

/* What is known of a process, also where there is nothing to look at. */
enum flm_attached_state {
    FLM_ATTACHED_MEASURES,
    FLM_ATTACHED_REPLACED,    /* it runs, and has begun another program, or another file */
    FLM_ATTACHED_ENDED,       /* it has written its last number */
    FLM_ATTACHED_KILLED,      /* it is gone, and has said nothing */
    FLM_ATTACHED_OFF,         /* it has the library, and does not measure */
    FLM_ATTACHED_WITHOUT,     /* it has no library that is seen */
    FLM_ATTACHED_NOT_ALLOWED, /* to look */
    FLM_ATTACHED_NO_PROCESS,
    FLM_ATTACHED_FAILED
};

/* NULL, and a sentence, where it does not measure itself; `state` may be NULL. */
struct flm_attached *flm_attached_open(int32_t process, enum flm_attached_state *state,
                                       struct flm_error *why);
void flm_attached_close(struct flm_attached *attached);

/* The file as it is now, until the next call. Its last moment is now, while the program runs. */
bool flm_attached_read(struct flm_attached *attached, struct flm_bytes *file,
                       struct flm_error *why);

/* What it does from the first of these on until the second: a file as above, of that alone
 * (format/probe/interval.h). */
bool flm_attached_begin_interval(struct flm_attached *attached, struct flm_error *why);
bool flm_attached_end_interval(struct flm_attached *attached, struct flm_bytes *file,
                               struct flm_error *why);

/* One of the first four. */
enum flm_attached_state flm_attached_state(const struct flm_attached *attached);

#endif
