/* stack_sizes.h - stack dumps as large as each thread needs.
 *
 * The kernel copies as many bytes of the stack as an event asks for, and that cannot be changed
 * while the event is open. So a thread with stacks that are deeper than its dumps gets an event of
 * its own, with dumps of twice the size (level 1), and again (level 2), up to the largest that fits
 * into a record. The events that everything is recorded with (level 0) go on for that thread too:
 * of a thread the samples of one level are counted, and those of the others dropped.
 *
 *     level 0   S  S  S  S  S  s  s  s  s  s  s  s  s  S  S  S     S: counted, s: dropped
 *     level 1               o     m  S  S  S  S  S  S  s           o: opened, m: the first sample
 *
 * The first sample of the new level marks the change. Counting it would gain half a sample on
 * average, leaving it out lose as much, so every other one is counted. Events are bound to a CPU,
 * so each CPU has its own changes, in the order of the records of its ring.
 *
 * When software events of several levels fire at once (at a context switch, say), the kernel (6.18)
 * fills in the id of the one that was opened last in the records of all. So of records that are
 * equal the first is of the level that it names, and the others are of those below it.
 *
 * A thread gets larger dumps after FLM_STACK_SIZES_TRUNCATED truncated stacks. Every
 * FLM_STACK_SIZES_CALM_NS it gets smaller ones if nothing needed them since the last time; that
 * interval doubles, up to a minute, each time that this was too early. Where no stack became whole,
 * nothing needed them, and they are not tried again for a minute. At most
 * FLM_STACK_SIZES_THREADS threads have larger dumps; those with the most truncated stacks come
 * first.
 *
 * A larger dump must not cost samples. When records were lost, all threads go back to level 0: for
 * ten seconds, and twice as long each time. And the samples of level 0 that are dropped tell how
 * many of the larger ones should come: if these do not (the processor has too few counters for
 * both, say), the thread goes back for good. */
#ifndef FLAMEL_RECORD_CAPTURE_STACK_SIZES_H
#define FLAMEL_RECORD_CAPTURE_STACK_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FLM_STACK_SIZES_LEVELS = 3, /* the first one is that of all threads */
    FLM_STACK_SIZES_TRUNCATED = 4,
    FLM_STACK_SIZES_THREADS = 32
};
#define FLM_STACK_SIZES_CALM_NS INT64_C(5000000000)

/* The larger events of one thread. */
struct flm_stack_sizes_events {
    void *context;
    /* A handle of at least 0; -1: refused. */
    int (*open)(void *context, int32_t thread, unsigned level);
    /* Ends sampling; what was sampled before is still in the rings. */
    void (*close)(void *context, int handle);
    /* Everything from before `close` was read. */
    void (*forget)(void *context, int handle);
};

struct flm_stack_sizes_options {
    size_t sizes[FLM_STACK_SIZES_LEVELS]; /* bytes of a dump; 0: there is no such level */
    size_t processors;                    /* their numbers are below that */
    int64_t least_calm_ns; /* longer than FLM_STACK_SIZES_CALM_NS where samples are rare */
    struct flm_stack_sizes_events events;
};

struct flm_stack_sizes;

/* NULL when memory ran out. Freeing it closes and forgets all events. */
struct flm_stack_sizes *flm_stack_sizes_new(const struct flm_stack_sizes_options *options);
void flm_stack_sizes_free(struct flm_stack_sizes *sizes);

/* A sample, in the order of its ring. */
struct flm_stack_sizes_sample {
    int32_t process, thread;
    uint32_t cpu;
    unsigned level;
    uint32_t event;      /* its number: one that is open once for each level */
    int64_t time_ns;     /* FLM_NO_TIME: unknown */
    bool is_first_event; /* of the recording: its samples are compared between levels */
    bool only_marks;     /* it stands for no time */
    double weight;       /* its period */
};

/* Whether the sample is counted; else it must be dropped. */
bool flm_stack_sizes_counts(struct flm_stack_sizes *sizes,
                            const struct flm_stack_sizes_sample *sample);

/* The stack of a sample that is counted: whole, deeper than its dump, or neither; and how many
 * bytes of the dump were needed. */
struct flm_stack_sizes_stack {
    bool is_whole, is_beyond_dump;
    size_t needed;
};
void flm_stack_sizes_unwound(struct flm_stack_sizes *sizes,
                             const struct flm_stack_sizes_sample *sample,
                             const struct flm_stack_sizes_stack *stack);

/* Gives the thread an event of its own, until it ends, even if its stacks are not deep: an event
 * that is opened later can wake the recorder for each sample. */
void flm_stack_sizes_want(struct flm_stack_sizes *sizes, int32_t process, int32_t thread);

/* A thread has ended; and all threads of a process have, but the one that has called exec. */
void flm_stack_sizes_end_thread(struct flm_stack_sizes *sizes, int32_t thread);
void flm_stack_sizes_end_process(struct flm_stack_sizes *sizes, int32_t process);

/* Opens and closes, after each round: all records from before `now_ns` were read. `lost`: how many
 * records in all. False when memory ran out. */
bool flm_stack_sizes_update(struct flm_stack_sizes *sizes, int64_t now_ns, uint64_t lost);

struct flm_stack_sizes_counts {
    uint32_t threads; /* had larger dumps */
    uint32_t refused; /* needed them, and did not get them */
    size_t largest;   /* bytes of the largest dump */
    uint64_t missing; /* samples of larger dumps that did not come */
};
struct flm_stack_sizes_counts flm_stack_sizes_counts_now(const struct flm_stack_sizes *sizes);

#endif
