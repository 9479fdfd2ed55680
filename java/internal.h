/* internal.h - the agent in a Java VM: it samples the VM's threads from inside, for a recorder that
 * reads what it writes (record/java/wire.h).
 *
 *     agent.c       starts and ends it; its own thread, which does what signal handlers must not
 *     threads.c     which threads are sampled, and what sends them the signal
 *     sample.c      the signal handler: the stack of the interrupted thread
 *     kinds.c       which of its frames are interpreted, compiled, or inlined
 *     virtual_threads.c  which virtual thread it runs
 *     faults.c      reading memory that may not be mapped
 *     methods.c     names of methods that samples have
 *     structures.c  where the VM keeps what no interface tells
 *     ring.c        records, from any thread
 *     wall.c        what threads do that do not run
 *     events.c      allocations and monitors
 *     live.c        allocated objects that can still be reached when the recording ends
 *     parks.c       locks of java.util.concurrent
 *
 * It lives in somebody else's process: it must not end it, print, or change what it does. Signal
 * handlers take no lock and no memory; memory that they touch stays mapped as long as any of them
 * may run. */
#ifndef FLAMEL_JAVA_INTERNAL_H
#define FLAMEL_JAVA_INTERNAL_H

#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include "java/jvm.h"
#include "record/java/wire.h"

struct perf_event_mmap_page;

enum { MOST_NAME = 120 };

/* Where a thread continues after a fault of the agent; NULL: a fault is not the agent's. */
typedef sigjmp_buf *_Atomic guard;

/* A sampled thread. Handlers find it by its number, and read it; the rest happens under a lock. */
struct thread {
    _Atomic int32_t id; /* 0: free */
    uint64_t address;   /* of the VM's structure; 0: unknown */
    uint64_t number;    /* Thread.threadId */
    int file;           /* of its event; -1: none */
    struct perf_event_mmap_page *_Atomic page;
    timer_t timer;
    bool has_timer;

    /* Of the handlers that run in it. */
    guard fault;
    int64_t handled_ns; /* the last signal for a sample of the recorder */

    /* Of the agent's own thread, for elapsed time. */
    object reference; /* a global one; NULL: unknown */
    int64_t seen_ns, seen_cpu_ns, seen_delay_ns;
    uint32_t seen_state;
    _Atomic int64_t owed_ns; /* elapsed while it ran: for its next signal */
    _Atomic uint32_t owed_state;
    uint32_t seen_count; /* frames at `seen`, of when it was seen to wait */
    struct flm_java_frame *seen;

    /* Of the thread itself: since when it waits to enter a monitor. */
    int64_t waits_ns;
    uint64_t waiting; /* the number of the thread, which is that of a virtual one if it runs one */

    uint32_t name_size;
    char name[MOST_NAME];
    struct thread *next_free;
};

struct agent {
    vm *vm;
    jvmti *ti; /* kept from the first time on */
    struct flm_java_config config;
    struct flm_java_ring *ring;
    char *records; /* behind the ring's page */
    get_call_trace get_trace;
    uint64_t code_start, code_end; /* generated code */
    int32_t own_thread;            /* that of the agent */
    int socket;                    /* the recorder */
    int wake;                      /* wakes the agent's thread: an eventfd */
    struct sigaction before;       /* of SIGPROF */
    bool takes_signals;            /* the recorder has samples, and handlers their stacks */
    _Atomic bool is_on;            /* handlers may sample */
    _Atomic bool is_over;          /* the VM ends */
    _Atomic int32_t active;        /* handlers and callbacks that run now */
};
extern struct agent agent;

/* Whether the caller may use the ring: then leave() must follow. */
bool enter(void);
void leave(void);

/* False once the recorder has ended or closed the connection: nobody reads the ring any more. Safe
 * in signal handlers. */
bool recorder_is_there(void);

int64_t now_ns(clockid_t clock);

/* ---- ring.c: safe in signal handlers --------------------------------------------------------- */

/* Room for a record of `size` bytes; NULL, and it is counted, when there is none. ring_commit makes
 * it visible, with its size. */
void *ring_reserve(uint64_t size);
void ring_commit(void *record, uint64_t size, uint32_t kind);

/* Waits a while for room: for the agent's own thread. */
void *ring_reserve_patiently(uint64_t size);

/* ---- threads.c ------------------------------------------------------------------------------- */

/* False when there is no memory. `threads_end` ends the sampling of all, `threads_free` frees what
 * handlers may look at until then. */
bool threads_begin(void);
void threads_end(jni *env);
void threads_free(void);

/* Begins to sample a thread, by its number; `reference` is a local one. */
void threads_add(jni *env, int32_t id, object reference);
void threads_remove(jni *env, int32_t id);
/* Those that the VM has. */
void threads_add_all(jni *env);

/* The address of the VM's structure of a thread, which is in a field of the object; 0: none. */
uint64_t threads_address(jni *env, object thread);

/* The record of a thread. NULL: it is not sampled. Safe in signal handlers. */
struct thread *thread_of(int32_t id);
int32_t own_id(void);

/* Calls `visit` with each, under the lock. */
void threads_visit(void (*visit)(struct thread *, void *), void *context);

/* ---- sample.c -------------------------------------------------------------------------------- */

/* Installs the handlers. False, and errno. `samples_end` removes them, once no thread can get a
 * signal of ours any more. */
bool samples_begin(void);
void samples_end(void);

/* Writes a sample of a stack that was taken in another way. */
void sample_write(struct flm_java_sample *sample, const struct flm_java_frame *frames,
                  const char *text);

/* The same, waiting for room in the ring; its methods were seen before (method_seen). */
void sample_write_patiently(struct flm_java_sample *sample, const struct flm_java_frame *frames,
                            const char *text);

/* ---- faults.c: safe in signal handlers ------------------------------------------------------- */

/* Does the work; false when it faulted. `guarded_run_here` takes the guard of the current thread;
 * where it has none, or blocks the signals of faults, nothing is done: false. */
bool guarded_run(guard *g, void (*work)(void *), void *context);
bool guarded_run_here(void (*work)(void *), void *context);

/* Whether a fault of a thread that blocks these signals can be caught. */
bool may_fault(const sigset_t *blocked);

void pass_on(int signal, siginfo_t *info, void *context, const struct sigaction *before);

bool faults_begin(void);
void faults_end(void);

/* ---- kinds.c: safe in signal handlers -------------------------------------------------------- */

/* The registers of a stack frame. */
struct machine_frame {
    uint64_t pc, sp, fp;
};

/* Learns the layout of the VM's structures, in a thread that has a JNI environment. */
void kinds_begin(jni *env);

/* The address of the VM's structure of the thread whose environment it is. */
uint64_t kinds_thread(const jni *env);

/* Sets the kinds of a thread's frames, innermost first. `asked`: the registers from which
 * AsyncGetCallTrace found them; NULL: JVM TI found them. The thread is the current one, or one that
 * waits: if it goes on meanwhile, what is read is checked and kinds stay unknown. May fault. */
void kinds_find(uint64_t thread, const struct machine_frame *asked, struct flm_java_frame *frames,
                uint32_t count);

/* The same of frames that JVM TI found; faults are caught. */
void kinds_find_known(uint64_t thread, struct flm_java_frame *frames, uint32_t count);

/* ---- methods.c ------------------------------------------------------------------------------- */

bool methods_begin(void);
void methods_end(void);

/* A method that a sample has. Safe in signal handlers. */
void method_seen(method_id method);

/* Writes what is known of methods that are new. */
void methods_describe(jni *env);

/* AsyncGetCallTrace knows methods that were asked for: those of all classes, once. */
void methods_prepare(jni *env);
void methods_prepare_class(object of);

/* ---- virtual_threads.c ----------------------------------------------------------------------- */

void virtual_begin(jni *env);

/* The number of the virtual thread that the current thread runs; 0: none, or unknown. The first is
 * safe in signal handlers; the second is for events, where the VM names the thread. */
uint64_t virtual_number(struct thread *t);
uint64_t virtual_here(jni *env, const struct thread *t, object thread);

/* The number of a thread, by its object; 0: unknown. */
uint64_t virtual_own_number(jni *env, object thread);

/* Writes the names of virtual threads that samples have, as far as they are mounted now. The VM
 * must still say when threads end: what it keeps of them is read. */
void virtual_describe(jni *env);

/* ---- structures.c ---------------------------------------------------------------------------- */

/* Finds what is needed. False, and a reason. */
bool structures_find(void *library, const char **why);

/* The offset of a field, the value of a static field (one of 32 bits is in the lower half), the
 * size of a type, the value of a constant. False: this VM has none of that name. */
bool structures_offset(const char *type, const char *field, uint64_t *offset);
bool structures_value(const char *type, const char *field, uint64_t *value);
bool structures_size(const char *type, uint64_t *size);
bool structures_constant(const char *name, int32_t *value);

/* The variable of an option of the VM that is yes or no. NULL: this VM has it elsewhere. */
bool *structures_flag(const char *name);

/* Has compilers note which functions are inlined where for all code, and not for safepoints alone:
 * without that a sample is of the next safepoint's function, though never of another compiled one.
 * Only what is compiled from now on has it. Off: as it was before. */
void structures_keep_inlined(bool on);

/* The kernel's number of a thread, by the VM's own address of it; 0: unknown. */
int32_t structures_thread(uint64_t java_thread);

/* ---- wall.c, events.c ------------------------------------------------------------------------ */

/* Looks at all threads; returns when it is to be called again. */
int64_t wall_look(jni *env, int64_t time_ns);

void events_set(function callbacks[EVENTS_COUNT]);
void events_notify(bool on);

/* Frames of the VM's interface, which knows of native methods what they are. */
static inline struct flm_java_frame frame_of(const struct jvmti_frame *frame)
{
    enum { NATIVE_LOCATION = -1 };
    bool is_native = frame->location == NATIVE_LOCATION;
    return (struct flm_java_frame){(uint64_t)(uintptr_t)frame->method, (int32_t)frame->location,
                                   is_native ? FLM_JAVA_NATIVE_METHOD : FLM_JAVA_UNKNOWN};
}

/* Writes a sample of the current thread at its current stack, below the class of an object. */
void sample_here(struct flm_java_sample *s, object of);

/* ---- live.c ---------------------------------------------------------------------------------- */

/* Keeps the sample of an object's allocation, or a random part of them when there are many. */
void live_keep(jni *env, object o, const struct flm_java_sample *sample,
               const struct flm_java_frame *frames, const char *class_name);

/* Has the VM collect, and writes the samples of objects that are left; nothing without a
 * recorder. */
void live_write(jni *env);
void live_end(jni *env);

/* ---- parks.c --------------------------------------------------------------------------------- */

/* Measures waits for locks, until `parks_end`. False: this VM has other classes. */
bool parks_begin(jni *env);
void parks_end(jni *env);

#endif
