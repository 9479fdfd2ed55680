/* threads.h - the same work on several chunks at once. */
#ifndef FLAMEL_OS_THREADS_H
#define FLAMEL_OS_THREADS_H

#include <stddef.h>

/* Processors that this process may use; at least 1. */
int flm_processor_count(void);

/* Calls work(context, i) for every i below `count`, by `threads` threads that each take the next i
 * when they are done with one. This thread is one of them, and where others cannot be had it does
 * it all, so this cannot fail. */
void flm_threads_run(int threads, size_t count, void (*work)(void *context, size_t i),
                     void *context);

#endif
