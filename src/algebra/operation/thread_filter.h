/* thread_filter.h - selects samples by their thread, its process and command, or its state, by name
 * or by number.
 *
 *     thread:http-*,main            by name, or by number; one of several, by commas
 *     process:4711                  likewise
 *     command:cc1*                  by name
 *     thread:"pool, 1"              in quotes nothing stands for anything else
 *     thread:/^http-\d/             a regular expression: found anywhere in the name
 *     state:runnable,timed-waiting  whatever the case, and whether words are joined by _, - or ' '
 *
 * Labels say it in different ways, by whoever wrote the profile: names of threads are "thread
 * name", and where no sample has that, the command, as the kernel has names; numbers are
 * "thread" or "tid". Likewise "process name", and "process" or "pid". Java's states are
 * RUNNABLE, BLOCKED ..., those of the recorder runnable, lock ... with none for what ran, which
 * is on-CPU where others have states. A label is looked at once, never a sample. */
#ifndef FLAMEL_ALGEBRA_OPERATION_THREAD_FILTER_H
#define FLAMEL_ALGEBRA_OPERATION_THREAD_FILTER_H

#include "base/text/text.h"
#include "profile/columns.h"

enum flm_thread_filter {
    FLM_FILTER_THREAD,
    FLM_FILTER_PROCESS,
    FLM_FILTER_COMMAND,
    FLM_FILTER_STATE
};

/* "thread", "process", "command", "state". */
const char *flm_thread_filter_name(enum flm_thread_filter by);

/* The keys of the labels that a filter compares, and that the profile has: of names, then of
 * numbers; "" after the last. `name` is one of those that flm_thread_filter_name returns. */
struct flm_thread_filter_keys {
    struct flm_bytes at[2];
};
struct flm_thread_filter_keys flm_thread_filter_keys_of(const struct flm_profile *p,
                                                        const char *name);

/* Sets set_kept[i] for each label set i with what is wanted, and set_agreeing[i] also for those
 * that say nothing of it. If no sample has it, a sentence that says so, with what there is, is
 * added. False, and `why` with the offset in `wanted`, when that is malformed or memory ran out. */
bool flm_thread_filter_mark(const struct flm_profile *p, enum flm_thread_filter by,
                            struct flm_bytes wanted, unsigned char *set_kept,
                            unsigned char *set_agreeing, struct flm_text *sentence,
                            struct flm_error *why);

#endif
