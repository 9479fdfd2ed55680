/* threads.h - the same work for many items in parallel. */
#ifndef FLAMEL_OS_THREAD_THREADS_H
#define FLAMEL_OS_THREAD_THREADS_H

#include <stddef.h>

/* Processors that this process may use; at least 1. */
int flm_processor_count(void);

/* Calls work(context, i) for every i below `count`, in up to `threads` threads that each take the
 * next i when they are done with one. The calling thread is one of them, and does it all where no
 * other can be started, so this cannot fail. The first i is always its own. */
void flm_threads_run(int threads, size_t count, void (*work)(void *context, size_t i),
                     void *context);

#endif
