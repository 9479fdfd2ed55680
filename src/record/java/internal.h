/* internal.h - Java VMs as a runtime: an agent in each takes stacks of its threads, and what it
 * writes becomes samples here.
 *
 *     java.c              the entry of the table: VMs found, agents begun and ended, what was lost
 *     arrivals.c          VMs that a command has started
 *     records.c           records of the agent
 *     records_threads.c   its threads, and their names
 *     virtual_threads.c   what virtual threads are called
 *     records_joined.c    samples of the recorder, and stacks of the agent for them
 *
 * What the agent covers it samples instead of the recorder's first event: by an event of the
 * same kind, so both have the same unit, and a thread is never counted twice. Where the kernel
 * sends signals to threads of which the recorder has samples (record/runtime/thread_signals.h),
 * the agent has no events, and only the stacks are its own. All other threads of the VM (its
 * collectors and compilers, and those that native code has started) are the recorder's. */
#ifndef FLAMEL_RECORD_JAVA_INTERNAL_H
#define FLAMEL_RECORD_JAVA_INTERNAL_H

#include "base/core/hash.h"
#include "record/java/agent.h"
#include "record/java/methods.h"
#include "record/runtime/lasting_texts.h"
#include "record/runtime/runtime.h"

/* A sample of the recorder that waits for its stack: what the kernel knows. */
struct flm_java_waiting_sample {
    struct flm_java_waiting_sample *next;
    int64_t time_ns;
    uint64_t period;
    uint32_t cpu, chain_count;
    uint64_t chain[];
};

/* A stack that waits for its samples: a copy of the agent's record. */
struct flm_java_waiting_stack {
    struct flm_java_waiting_stack *next;
    uint64_t record[];
};

struct flm_java_vm_thread {
    int32_t inner, outer;      /* in the VM's PID namespace, and in ours */
    int64_t from_ns, until_ns; /* sampled by the agent; until INT64_MAX: it still is */
    bool has_signals;          /* for samples of the recorder */
    struct flm_bytes name;
    struct flm_java_waiting_sample *first, *last; /* oldest first */
};

/* Generated code that is no method. */
struct flm_java_blob {
    uint64_t start, end;
    char name[64];
};

struct flm_java_target {
    struct flm_java_agent *agent;
    int32_t process;
    int64_t start_ticks; /* of the process, to tell it from a later one of its number */
    uint64_t number;     /* of the VM: no other has it */
    int64_t ended_ns;    /* when its agent was seen to be gone; 0: it is there */
    bool is_inherited, in_our_namespace, has_said;
    struct FLM_ARRAY(struct flm_java_vm_thread) threads;
    struct flm_index by_inner, by_outer;
    struct FLM_ARRAY(struct flm_java_blob) blobs;
    struct flm_java_waiting_stack *first_stack, *last_stack;
};

/* A virtual thread that samples have. */
struct flm_java_virtual_thread {
    uint64_t vm, number;
    struct flm_bytes name; /* empty: none, or not known yet */
    char digits[24];       /* "#22", as jcmd writes it */
};

struct flm_java {
    struct flm_runtime_options options;
    uint32_t metrics;
    struct flm_event_layout layouts[FLM_JAVA_METRICS];
    struct FLM_ARRAY(struct flm_java_target) vms;
    struct flm_java_methods methods;
    struct flm_lasting_texts names; /* of threads */
    struct FLM_ARRAY(struct flm_java_virtual_thread *) virtual_threads;
    struct flm_index by_number; /* of those */
    char **command;             /* changed */
    char agent_option[4096 + 64];
    uint64_t vm_count;          /* with those that were released */
    struct flm_java_ring ended; /* what agents of released VMs have counted */
    uint64_t counts[FLM_JAVA_METRICS], without_java, cut;
    uint64_t not_kept; /* samples for which there was no memory */
    bool follows;      /* agents are loaded into VMs that the command starts */
    struct flm_java_config config;
    uint32_t (*signal)(void *context, int32_t process); /* of the target */
    void (*end_signal)(void *context, int32_t process);
    void *signal_context;
    struct flm_java_arrival *arrivals;
    _Atomic bool is_late; /* the recording ends: arrivals are not awaited any more */
    uint64_t arrivals_ended, arrivals_refused; /* before the agent was loaded; no thread for it */
    bool was_silent;                           /* a command that was started said nothing */
    char trouble[256];
};

/* ---- java.c ---------------------------------------------------------------------------------- */

static const int64_t FLM_JAVA_PATIENCE_NS = INT64_C(10000000000);

/* Takes the agent. NULL when memory ran out, or there is no agent. */
struct flm_java_target *flm_java_add_vm(struct flm_java *j, struct flm_java_agent *agent,
                                        int32_t process, struct flm_error *why);

void flm_java_clear_vm(struct flm_java_target *vm);

/* When a process was started; -1: it has ended. */
int64_t flm_java_start_ticks(int32_t process);

/* The signal that the kernel sends to threads of the process when they are sampled; 0: none. */
uint32_t flm_java_signal_of(const struct flm_java *j, int32_t process);

/* ---- arrivals.c ------------------------------------------------------------------------------ */

/* A process has mapped a file: that of a VM, perhaps. */
void flm_java_mapped(void *attached, int32_t process, struct flm_bytes path);

/* Takes the agents that were loaded; all of them, if it `waits`. */
bool flm_java_welcome(struct flm_java *j, bool waits, struct flm_error *why);

/* ---- records_threads.c ----------------------------------------------------------------------- */

/* By the VM's number, or by ours. NULL: the agent has not named it. */
struct flm_java_vm_thread *flm_java_thread_inner(const struct flm_java_target *v, int32_t id);
struct flm_java_vm_thread *flm_java_thread_outer(const struct flm_java_target *v, int32_t id);

/* False when memory ran out. */
bool flm_java_take_thread(struct flm_java *j, struct flm_java_target *v,
                          const struct flm_java_thread *record);

/* Whether a sample of the recorder is of a thread that the agent samples at that time; kept
 * until its stack comes, if it `keeps` and is to have one. */
bool flm_java_claims(void *attached, const struct flm_event *event, bool keeps);

/* ---- virtual_threads.c ----------------------------------------------------------------------- */

/* The label of samples in a virtual thread; its key is NULL when there is none, or no memory. */
struct flm_runtime_label flm_java_virtual_label(struct flm_java *j, uint64_t vm, uint64_t number);

/* False when memory ran out. */
bool flm_java_take_virtual(struct flm_java *j, uint64_t vm, const struct flm_java_virtual *record);
void flm_java_virtual_clear(struct flm_java *j);

/* ---- records.c ------------------------------------------------------------------------------- */

/* All that the agent has written. */
bool flm_java_read(struct flm_java *j, struct flm_java_target *v,
                   const struct flm_runtime_sinks *to, struct flm_error *why);

/* A sample of the agent, with what the kernel knows of it: NULL: the record has that. */
bool flm_java_take_sample(struct flm_java *j, const struct flm_java_target *v,
                          const struct flm_java_sample *record,
                          const struct flm_java_waiting_sample *kernel,
                          const struct flm_runtime_sinks *to, struct flm_error *why);

/* ---- records_joined.c ------------------------------------------------------------------------ */

/* Keeps a sample of the recorder until its stack comes. False when memory ran out. */
bool flm_java_keep_sample(struct flm_java_vm_thread *thread, const struct flm_event *event);

/* Keeps a stack until the rings were read up to its time. False when memory ran out. */
bool flm_java_keep_stack(struct flm_java_target *v, const struct flm_java_sample *record);

/* Passes on the samples whose stacks are from `until_ns` or before; INT64_MAX: all, and those that
 * have none. */
bool flm_java_join(struct flm_java *j, struct flm_java_target *v, int64_t until_ns,
                   const struct flm_runtime_sinks *to, struct flm_error *why);
void flm_java_forget_waiting(struct flm_java_target *v);

#endif
