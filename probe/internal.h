/* internal.h - what the parts of the library share.
 *
 *     scope.c     entering and leaving: the hot path
 *     functions/  functions that do so by themselves; of lambdas, the names
 *     names.c     names by addresses
 *     calls.c     what a thread does often and is no scope: found again fast
 *     cpu.c       CPU time by samples;  thread_state.c  what the kernel says of threads
 *     sites.c     what is measured gets numbers; names that are known at run time only
 *     threads.c   what a thread has: its block in the file, and its own memory
 *     requests.c  scopes, requests and tasks with names that are known at run time
 *     tasks.c     what is suspended, and goes on in another thread
 *     values.c    values, counters, frames;  flow.c  queues and streams
 *     lock_names.c  which lock it is
 *     meters.c    distributions: of durations, bytes, lengths
 *     arena.c     the file;  clock.c  the time
 *     settings.c  the variable FLAMEL
 *     library.c   start, end, fork, what empty scopes cost
 *     stack/      jumps.c: what setjmp and longjmp leave; thread_stack.c: where a stack is
 *     front/      in front of functions of other libraries: malloc, locks, files, SQL, HTTP
 *     output/     what is written: the report and the profile, metrics while the program runs
 *
 * Everything but settings.c, library.c and output/ may run inside malloc and in signal handlers, so
 * it allocates by mmap, and prints nothing. One lock guards what threads share; nothing is called
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

/* What a thread does often and is no scope of the program: taking a lock at a place, reading a
 * file. It is found again by what it is done with, where, and in which scope: see calls.c. */
struct flm_call {
    const void *thing, *caller;
    uint64_t parent;             /* the address of the node that was open */
    struct flm_probe_node *node; /* in that */
    struct flm_site *site;
    uint32_t number, place; /* of the site; of the node */
    uint32_t until_timed;   /* of a lock: see locks.h */
    bool is_counting;       /* towards that */
    uint32_t reserved[2];   /* a cache line */
};
enum { FLM_CALLS = 512 };

/* The memory of a thread that nobody else sees. */
struct flm_local {
    struct flm_probe_thread *thread; /* NULL: it is not measured */
    unsigned char *base;             /* of the file */

    struct flm_probe_part *part; /* of nodes, with room */
    uint32_t part_place;
    struct flm_probe_meter **meters; /* by number of the site x FLM_PROBE_QUANTITIES + quantity */
    uint32_t meter_sites;            /* for so many sites */

    struct flm_remembered *remembered; /* requests.c; NULL at first */
    struct flm_jumps *jumps;           /* jumps.c; likewise */
    uintptr_t jumps_change;            /* where on the stack they are being changed; 0: nowhere */
    uint32_t held;                     /* how many locks are in thread->held */
    uint32_t holder;                   /* place of a thread that had a lock */
    struct flm_call call[FLM_CALLS];
    /* Where not each call is timed. */
    uint32_t chance;          /* the last random number */
    uint32_t timed;           /* calls, since the budget was checked */
    uint64_t checked_at;      /* ticks */
    struct flm_running *task; /* tasks.c: the innermost one that runs here */
    struct flm_running *free_tasks;
    uint32_t free_task_count;
    uint64_t random; /* of allocations that are sampled; 0: none was drawn yet */
    uintptr_t stack_low,
        stack_end;         /* of the thread, as far as it was used; 0: it is not known yet */
    uintptr_t stack_guard; /* what is below is none of it */
    uint32_t ends;         /* how often its end was put off */

    /* Functions that began where no more could be open, and have not ended; the frame of the
     * first. */
    uint64_t not_open, not_open_stack;

    /* cpu.c: until when its CPU time is known, and what says that more was used. */
    uint64_t cpu_ns;
    int cpu_way, cpu_file, cpu_timer;
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
    /* So that a thread that begins finds its block among thousands, see threads.c. */
    uint32_t ended_blocks, seen_blocks;
    uint32_t reused_block; /* place of the last one; 0: none */
};

extern FLM_HIDDEN struct flm_run flm_run;
#define FLM_OF_THREAD extern FLM_HIDDEN __thread __attribute__((tls_model("initial-exec")))

FLM_OF_THREAD struct flm_local *flm_local;

/* The innermost open scope, &thread->open[0] where there is none. NULL: it is not known yet, or the
 * library works, and a scope that begins now is a signal handler's. */
FLM_OF_THREAD struct flm_probe_open *flm_top;

/* It holds the library's lock: what it calls of libc is not the program's. */
FLM_OF_THREAD unsigned char flm_is_inside;
/* The program has the thread sanitizer in it, which stands in front of much that is called here. */
extern void __tsan_init(void) __attribute__((weak));
static inline bool flm_has_thread_sanitizer(void)
{
    return &__tsan_init != NULL;
}

/* What happens in a thread before it has what is its own, and when that was taken away at its end,
 * is not measured: the C library frees much there. Scopes begin again. */
enum { FLM_THREAD_USUAL, FLM_THREAD_BEGINS, FLM_THREAD_ENDED };
FLM_OF_THREAD unsigned char flm_thread_state;

/* Of a place in `open` that nothing was in, or something without a node: nothing is found there.
 * Not 0: that is the node of such a place while it is taken, and a signal handler enters a scope
 * that has no number yet. */
enum { FLM_NO_PARENT = INT32_MAX };

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
/* The same, but it does not wait for long: false. */
FLM_HIDDEN bool flm_lock_soon(void);
FLM_HIDDEN void flm_unlock(void);

/* Zeroed memory from the system; NULL: there is none. */
FLM_HIDDEN void *flm_memory_new(size_t size);
FLM_HIDDEN void flm_memory_free(void *memory, size_t size);

/* The number of a site in this run, which it may get now; 0: there is no room. */
FLM_HIDDEN uint32_t flm_site_number(struct flm_site *site);

/* What it is now: another thread may be giving it one. */
static inline uint32_t flm_site_number_now(const struct flm_site *site)
{
    return __atomic_load_n(&site->number, __ATOMIC_RELAXED);
}

/* What is in the file of a site; NULL: there is none of this number. */
FLM_HIDDEN const struct flm_probe_site *flm_site_record(uint32_t number);
/* What the file has of it; NULL: there is none. The caller holds the lock. */
FLM_HIDDEN struct flm_probe_site *flm_site_at(uint32_t number);

/* Makes what this thread has: flm_local, flm_top. False: it is not measured. */
FLM_HIDDEN bool flm_local_begin(void);

/* The same for a scope, which is counted as lost where the library works. */
FLM_HIDDEN bool flm_local_begin_scope(void);

/* A thread that has ended, or a run: its block stays in the file. */
FLM_HIDDEN void flm_local_end(struct flm_local *local);

/* What this thread has is the parent's: in a child. */
FLM_HIDDEN void flm_local_forget(void);

/* How scopes are timed: bits; 0, each call, by the counter. The hot path asks for that alone. */
enum {
    FLM_BY_SYSTEM = 1, /* there is no counter */
    FLM_BY_COUNT = 2,  /* calls are counted and not timed */
    FLM_BY_SAMPLE = 4, /* one of so many is timed */
    FLM_BY_BUDGET = 8, /* and of how many is decided all the time */
    FLM_IN_ORDER = 16, /* the clock is read when everything before it is done */
};
extern FLM_HIDDEN volatile uint32_t flm_scope_mode;

/* From the settings: when measuring begins. */
FLM_HIDDEN void flm_scope_start(void);

/* A node of the thread's tree; 0: there is no room. The library works. */
FLM_HIDDEN uint32_t flm_node_new(struct flm_local *local, uint32_t parent, uint32_t site);

/* That of a site in a node, which is made when it is needed. Likewise. */
FLM_HIDDEN uint32_t flm_node_child(struct flm_local *local, uint32_t parent, uint32_t site);

/* A scope without an end: its place, and what was allocated in it is in no distribution. */
FLM_HIDDEN void flm_scope_close(struct flm_local *local, struct flm_probe_open *open);
static inline void flm_node_see(struct flm_probe_node *node)
{
    node->seen_allocated = node->value[FLM_PROBE_ALLOCATED];
    node->seen_allocations = node->value[FLM_PROBE_ALLOCATIONS];
}

/* Ends a scope of this thread, and those that are open in it, at that moment. */
FLM_HIDDEN void flm_scope_leave_at(struct flm_probe_open *open, uint64_t now);

/* Ends all scopes above this one (NULL: none): a jump leaves them. A signal handler that jumps may
 * have interrupted the library, whose work is dropped. */
FLM_HIDDEN void flm_scope_jump(struct flm_probe_open *open);

/* How many scopes are open; also where the library works. */
FLM_HIDDEN uint32_t flm_scope_depth(const struct flm_local *local);

/* Adds a value to a meter, which is made when it is needed. The library works. `site`: its number,
 * with or without that of the run. */
FLM_HIDDEN void flm_meter_add(struct flm_local *local, uint32_t site,
                              enum flm_probe_quantity quantity, uint64_t value);

/* The same value `weight` times. */
FLM_HIDDEN void flm_meter_add_many(struct flm_local *local, uint32_t site,
                                   enum flm_probe_quantity quantity, uint64_t value,
                                   uint32_t weight);

/* The meter; NULL: there is no room, which was counted. The library works. */
FLM_HIDDEN struct flm_probe_meter *flm_meter_of(struct flm_local *local, uint32_t site,
                                                enum flm_probe_quantity quantity);

/* ---- What happens in a scope ----------------------------------------------------------------- */

/* Which signals are measured: bits by enum flm_probe_signal. 0: whoever stands in front of a
 * function of libc calls that, and does nothing else. */
extern FLM_HIDDEN volatile uint32_t flm_signals;

static inline bool flm_is_measured(enum flm_probe_signal signal)
{
    return FLM_RARELY(flm_signals & (1u << signal));
}

/* Says of a signal whether it is measured; `reason` (why not, a sentence) may be NULL. */
FLM_HIDDEN void flm_signal_is(enum flm_probe_signal signal, enum flm_probe_signal_state state,
                              const char *reason);

/* What is to be said of times that were measured all the same: a sentence, one is kept. */
FLM_HIDDEN void flm_time_note(const char *sentence);

/* The node of the innermost open scope of this thread, which may begin to be measured now. NULL: it
 * is not measured, or the library itself works. */
FLM_HIDDEN struct flm_probe_node *flm_node_slowly(void);

/* The node of a site in the node that is open now, for what is counted and not timed; NULL
 * likewise. */
FLM_HIDDEN struct flm_probe_node *flm_node_of(struct flm_site *site);

/* A site that has a name at run time (a file, a statement, a lock by its address): the same one for
 * the same kind, operation, name and address. NULL: there is no memory. After MOST_NAMED of a kind,
 * one with the name "<other>". Never freed. Takes the lock; may be called while the library
 * works. */
FLM_HIDDEN struct flm_site *flm_site_named(enum flm_probe_kind kind,
                                           enum flm_probe_operation operation, const char *name,
                                           size_t size, const void *address);

/* The same without an operation and an address, of a text that ends with a 0, for those that come
 * again: without the lock mostly. NULL too if this thread is not measured. */
FLM_HIDDEN struct flm_site *flm_site_remembered(enum flm_probe_kind kind, const char *name);
FLM_HIDDEN void flm_remembered_free(struct flm_local *local);
/* The same for a site that is given as it should be, but for the end of its name. */
FLM_HIDDEN struct flm_site *flm_site_like(const struct flm_site *like, size_t name_size);
/* A block of the file for a thread that begins now: that of one which ended and had the same name,
 * or a new one; NULL: there is no room, which is counted. The caller holds the lock. */
FLM_HIDDEN struct flm_probe_thread *flm_thread_take(const char *name, uint32_t tid);

/* It has ended. All that it writes to its block is there. */
FLM_HIDDEN void flm_thread_give_back(struct flm_probe_thread *thread);

/* What a thread has written to its block before it ended is seen by who takes it over. */
static inline bool flm_thread_is(const struct flm_probe_thread *thread, uint32_t state)
{
    return __atomic_load_n(&thread->state, __ATOMIC_ACQUIRE) == state;
}

FLM_HIDDEN void flm_thread_name(struct flm_probe_thread *thread, const char *name);

/* Before the library is unloaded: threads that end later do not come here. */
FLM_HIDDEN void flm_local_unload(void);

/* The program becomes another one, or aborts: what is open lasts until now. The state stays, so
 * that the other one does not take the file for its own. Calls nothing that takes a lock. */
static inline void flm_run_leave(void)
{
    flm_run.arena.header->now_ticks = flm_clock_ticks();
    flm_run.arena.header->is_final = 1;
}

/* Everything is in the file, and what FLAMEL asks for is written. Again: nothing happens. */
FLM_HIDDEN void flm_run_end(void);

/* A signal handler runs, as far as can be told. */
FLM_HIDDEN bool flm_is_in_handler(void);

/* A child begins to measure with its first scope: most run another program and have none. False:
 * this is none, or there is no memory. */
FLM_HIDDEN bool flm_run_begin_child(void);

/* Calls of locks and files that a child makes before it is measured: how many are recorded and not
 * yet added to a call tree; adds those of this thread to its tree, when the thread begins; forgets
 * those of the parent, in a child. */
FLM_HIDDEN uint32_t flm_calls_before(void);
FLM_HIDDEN void flm_calls_begin(void);
FLM_HIDDEN void flm_calls_in_child(void);

/* Adds times that locks were held to the meters. In these two the library works. */
FLM_HIDDEN void flm_local_drain(struct flm_local *local);

/* Those that the thread before has left; false: there is no memory. */
FLM_HIDDEN bool flm_meters_take_over(struct flm_local *local);
FLM_HIDDEN void flm_meters_free(struct flm_local *local);

/* ---- tasks.c --------------------------------------------------------------------------------- */

/* A scope of a thread that runs a task ended, and took so long since it was opened last: how long
 * it took as a whole. */
FLM_HIDDEN uint64_t flm_task_scope_took(const struct flm_probe_open *open,
                                        struct flm_probe_node *node, uint64_t took);

/* Where the scope is open now that was `open` when it was entered: a task may have been suspended
 * since. NULL: nowhere. In these two a task runs. */
FLM_HIDDEN struct flm_probe_open *flm_task_scope(struct flm_probe_open *open);

/* The scopes above this one are those of the task, or of the tasks in it; without one, of the
 * thread. NULL: the task does not run here. */
FLM_HIDDEN struct flm_probe_open *flm_task_base(const struct flm_local *local,
                                                const struct flm_running *task);

/* The innermost task that has scopes in this thread; NULL: there is none. */
FLM_HIDDEN struct flm_running *flm_task_innermost(const struct flm_local *local);

/* Scopes above this one are left without an end; the tasks among them are suspended. */
FLM_HIDDEN void flm_task_unwind(struct flm_probe_open *open);

/* The thread ends. */
FLM_HIDDEN void flm_task_leave_thread(struct flm_local *local);

/* ---- thread_stack.c -------------------------------------------------------------------------- */

/* Whether memory may be read; changes errno. */
FLM_HIDDEN bool flm_is_readable(uintptr_t address);

/* The stack that the thread began with, downwards to this address if it is of it: local->stack_low
 * and stack_end. Changes errno. */
FLM_HIDDEN void flm_stack_reach(struct flm_local *local, uintptr_t sp);

/* On that stack, as far as it is in use now: not on that of a coroutine, or of a signal handler. */
FLM_HIDDEN bool flm_is_own_stack(struct flm_local *local, uintptr_t address);

/* ---- jumps.c --------------------------------------------------------------------------------- */

/* setjmp is called with this buffer, by who has this stack. Not hidden in the static library: what
 * stands in front is another object there. */
FLM_HIDDEN void flm_jump_remember(const void *buffer, uintptr_t stack);

/* A jump to the buffer, from a function with this frame: scopes that it leaves end. */
FLM_HIDDEN void flm_jump_leave(const void *buffer, uintptr_t from);
FLM_HIDDEN void flm_jumps_free(struct flm_local *local);

/* ---- outputs.c ------------------------------------------------------------------------------- */

/* What FLAMEL asks for, of what is measured by now. False: something could not be written, which
 * was said. Not in a scope's work, nor in signal handlers. */
FLM_HIDDEN bool flm_outputs_write(void);
FLM_HIDDEN void flm_outputs_of_child(void);

/* When measuring begins: files that a program writes which runs this one are its. `text`: what
 * FLAMEL is. */
FLM_HIDDEN void flm_outputs_begin(const char *text);

/* ---- ancestors.c: a process that runs this one has this FLAMEL, and measures ---------------- */

FLM_HIDDEN bool flm_is_run_by_measured(const char *text);

/* ---- service.c: metrics and reports while the program runs -------------------------------- */

FLM_HIDDEN void flm_service_start(void); /* after measuring has begun */
FLM_HIDDEN void flm_service_of_child(void);
extern FLM_HIDDEN uint32_t flm_service_tid; /* of its thread, which is not measured; 0: none */
FLM_HIDDEN void flm_service_end(void);      /* waits for a second at most */

/* ---- Standing in front of libc: the shared library only, so these are weak ------------------- */

/* Says of its signals whether they are measured. */
#define FLM_IN_FRONT FLM_HIDDEN __attribute__((weak))
FLM_IN_FRONT void flm_locks_start(void);
FLM_IN_FRONT void flm_files_start(void);
FLM_IN_FRONT void flm_files_in_child(void);
FLM_IN_FRONT void flm_statements_start(void);
FLM_IN_FRONT void flm_transfers_start(void);
FLM_IN_FRONT void flm_memory_start(void);

/* The library is loaded twice, and this is the one that has nothing to do. */
FLM_IN_FRONT bool flm_is_second(void);

/* In a child everything of the parent's memory is forgotten; before the file is read, what is not
 * in it yet is written (not inside malloc). */
FLM_IN_FRONT void flm_memory_in_child(void);
FLM_IN_FRONT void flm_memory_choose(void); /* after flm_signals has changed */
FLM_IN_FRONT void flm_memory_write(void);

/* ---- settings.c ------------------------------------------------------------------------------ */

enum flm_output {
    FLM_OUT_REPORT,
    FLM_OUT_JSON,
    FLM_OUT_MARKDOWN,
    FLM_OUT_CSV,
    FLM_OUT_FLM,
    FLM_OUTPUTS
};
enum { FLM_MOST_PATH = 4096, FLM_MOST_PERCENTILES = 10 };

struct flm_settings {
    bool is_on;
    char path[FLM_MOST_PATH]; /* file:PATH; "": none */

    /* At the end, and on demand. "-": standard error; "": none */
    char output[FLM_OUTPUTS][FLM_MOST_PATH];
    bool has_number[FLM_OUTPUTS]; /* its path says %p: it is of this process alone */
    double percentile[FLM_MOST_PERCENTILES];
    uint32_t percentile_count;
    uint32_t rows; /* of a section; 0: all */

    uint32_t signals;         /* that are asked for: bits by enum flm_probe_signal */
    uint32_t cpu_frequency;   /* Hz */
    uint32_t memory_interval; /* bytes between two allocations whose stacks are kept; 0: none are */
    bool leaks;               /* those of all are kept, and which blocks are not freed */
    uint32_t timed_of;        /* 1: each call is timed; n: one of n; 0: calls are counted only */
    uint32_t budget;          /* of the time, in millionths, for timing; 0: none is set */
    bool is_ordered;
    bool is_quiet;        /* no word of files that cannot be written: there are many processes */
    uint32_t hold_weight; /* locks: how long each is held, 1; one of 64, 64; none, 0 */
    char only[1024], except[1024]; /* globs for functions; "": none */
    char filter[FLM_MOST_PATH];    /* a file with globs */

    char metrics[64];  /* [ADDRESS:]PORT; "": none */
    char token[128];   /* which requests for them must have; "": none */
    char otlp[256];    /* http://HOST:PORT; "": none */
    uint32_t interval; /* s, between two that are sent there */
    int report_signal; /* 0: none */
    char wrong[256];   /* a sentence: why they are not understood */
};

/* %p in a path is the number of the process. */
FLM_HIDDEN void flm_settings_read(struct flm_settings *settings, const char *text);

/* Those of this process. */
extern FLM_HIDDEN struct flm_settings flm_settings;

#endif
