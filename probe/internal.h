/* internal.h - what the parts of the library share.
 *
 *     scope.c     entering and leaving: the hot path
 *     sites.c     source locations get numbers
 *     threads.c   what a thread has: its block in the file, and its own memory
 *     arena.c     the file;  clock.c  the time
 *     settings.c  the variable FLAMEL
 *     library.c   start, end, fork, what empty scopes cost
 *
 * Everything but settings.c and library.c may run inside malloc and in signal handlers, so it
 * allocates by mmap, and prints nothing. One lock guards what threads share; nothing is called
 * under it that could wait for another thread. */
#ifndef FLAMEL_PROBE_INTERNAL_H
#define FLAMEL_PROBE_INTERNAL_H

#include "arena.h"
#include "clock.h"
#define FLM_PROBE_WEAK __attribute__((visibility("default"))) /* here they are */
#define FLM_PROBE_IS_LINKED true
#include "flamel/probe.h"

#define FLM_HIDDEN __attribute__((visibility("hidden")))
#define FLM_RARELY(x) __builtin_expect(!!(x), 0)

/* The memory of a thread that nobody else sees. */
struct flm_local {
    struct flm_probe_thread *thread; /* NULL: it is not measured */
    unsigned char *base;             /* of the file */

    struct flm_probe_part *part; /* of nodes, with room */
    uint32_t part_place;
    struct flm_probe_histogram **histograms; /* by number of the site */
    uint32_t histogram_count;
};

/* The number of a site is good in one run only: its upper bits say in which. */
enum { FLM_RUN_SHIFT = 24 };
static inline uint32_t flm_run_numbers(uint32_t run)
{
    return (run % 255 + 1) << FLM_RUN_SHIFT;
}

/* A process has one, and a child after fork another: a number from 1. */
struct flm_run {
    struct flm_arena arena;
    uint32_t number; /* 0: nothing was measured yet, or this is a child without a scope */
    uint32_t lock;
    uint32_t starts; /* that were not stopped yet */
};

extern FLM_HIDDEN struct flm_run flm_run;
#define FLM_OF_THREAD extern FLM_HIDDEN __thread __attribute__((tls_model("initial-exec")))

FLM_OF_THREAD struct flm_local *flm_local;

/* The innermost open scope, &thread->open[0] where there is none. NULL: it is not known yet, or the
 * library works, and a scope that begins now is a signal handler's. */
FLM_OF_THREAD struct flm_probe_open *flm_top;
FLM_OF_THREAD struct flm_probe_ring *flm_ring;

/* Around everything that takes the lock, or makes something. Which scope is open is kept on the
 * stack: a handler that comes in between may do the same. */
static inline struct flm_probe_open *flm_local_work(void)
{
    struct flm_probe_open *top = flm_top;
    flm_top = NULL;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return top;
}
static inline void flm_local_rest(struct flm_probe_open *top)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    flm_top = top;
}

static inline void *flm_local_at(const struct flm_local *local, uint32_t place)
{
    return local->base + (size_t)place * FLM_PROBE_UNIT;
}

FLM_HIDDEN void flm_lock(void);
FLM_HIDDEN void flm_unlock(void);

/* Zeroed memory from the system; NULL: there is none. */
FLM_HIDDEN void *flm_memory_new(size_t size);
FLM_HIDDEN void flm_memory_free(void *memory, size_t size);

/* The number of a site in this run, which it may get now; 0: there is no room. */
FLM_HIDDEN uint32_t flm_site_number(struct flm_site *site);

/* Makes what this thread has: flm_local, flm_top, flm_ring. False: it is not measured. */
FLM_HIDDEN bool flm_local_begin(void);

/* A thread that has ended, or a run: its block stays in the file. */
FLM_HIDDEN void flm_local_end(struct flm_local *local);

/* What this thread has is the parent's: in a child. */
FLM_HIDDEN void flm_local_forget(void);

/* A node of the thread's tree; 0: there is no room. The library works. */
FLM_HIDDEN uint32_t flm_node_new(struct flm_local *local, uint32_t parent, uint32_t site);

/* Adds a duration to a histogram. */
FLM_HIDDEN void flm_local_count(struct flm_local *local, uint32_t site, uint64_t ticks);

/* Before the library is unloaded: threads that end later do not come here. */
FLM_HIDDEN void flm_local_unload(void);

/* A child begins to measure with its first scope: most run another program and have none. False:
 * this is none, or there is no memory. */
FLM_HIDDEN bool flm_run_begin_child(void);

/* Adds the ring to the histograms. In these two the library works. */
FLM_HIDDEN void flm_local_drain(struct flm_local *local);

/* ---- settings.c ------------------------------------------------------------------------------ */

struct flm_settings {
    bool is_on;
    char path[4096]; /* file:PATH; "": none */
    char wrong[256]; /* a sentence: why they are not understood */
};

/* %p in a path is the number of the process. */
FLM_HIDDEN void flm_settings_read(struct flm_settings *settings, const char *text);

#endif
