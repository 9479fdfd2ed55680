#ifndef FLAMEL_WASI_LIBC_SCHED_H
#define FLAMEL_WASI_LIBC_SCHED_H

#include <stddef.h>

typedef struct {
    int unused;
} cpu_set_t;

/* Fails: how many processors there are is not known. */
int sched_getaffinity(int process, size_t size, cpu_set_t *set);
#define CPU_COUNT(set) 1
#define CPU_SETSIZE 1
#define CPU_ISSET(processor, set) ((processor) == 0)

#endif
