/* record.h - samples of programs while they run, as profiles.
 *
 *     struct flm_record_options o = {.size = sizeof o, .processes = &pid, .process_count = 1};
 *     struct flm_recording *r = flm_recording_new(&o, &why);       opens everything; nothing runs
 *     flm_recording_start(r, &why);                                in a thread of its own
 *     ...
 *     struct flm_profile *lately = flm_recording_take(r, &why);    since the start, or the last one
 *     ...
 *     flm_recording_stop(r, &why);
 *     struct flm_profile *rest = flm_recording_take(r, &why);
 *     flm_recording_free(r);
 *
 * A recording is of a command that it starts, of processes or threads with all that they start, of
 * the whole machine, or of the calling program itself; of the second and third also as long as a
 * command runs. Stacks are unwound while recording (from
 * stack dumps), symbols are read when a profile is taken. So the memory of a recording depends on
 * the number of different stacks since the last profile was taken, and not on how long it runs.
 *
 * Everything that may be refused (rights, limits, an event that the kernel does not have) is tried
 * by flm_recording_new, and is refused with what would allow it.
 *
 * Threads: functions on one recording are called from one thread at a time, except
 * flm_recording_stop, flm_recording_take, flm_recording_wait and flm_recording_result, which any
 * thread may call while it runs. Callbacks come from the thread that records. Different recordings
 * are independent. The library catches no signals, and reads no environment (libdebuginfod, where
 * `debuginfod` is set, reads its own). */
#ifndef FLAMEL_RECORD_H
#define FLAMEL_RECORD_H

#include "flamel/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

enum flm_stack_mode {
    FLM_STACK_AUTO,     /* a stack dump, unwound by .eh_frame */
    FLM_STACK_DUMP,     /* the same: user stack bytes copied by the kernel */
    FLM_STACK_POINTER,  /* frame pointers, by the kernel: cheapest where programs have them */
    FLM_STACK_BRANCHES, /* last branch records: the kernel and the processor must have them */
    FLM_STACK_NONE      /* the leaf alone */
};

/* All zero but `size` and a target is a good choice. The struct is copied; whatever it points to is
 * borrowed until the recording is freed. */
struct flm_record_options {
    size_t size; /* sizeof (struct flm_record_options): members beyond it are taken as 0 */

    /* The target: one of these. A command may be given together with `processes` and `threads`, or
     * with `machine`: it is then only a clock, which is started to record these as long as it runs.
     * By itself it is not recorded (but as a part of the machine it is). */
    char *const *command;     /* ended by NULL: started, and its children followed */
    const int32_t *processes; /* with all their threads, and all that they have started and start */
    size_t process_count;
    const int32_t *threads; /* may be given together with `processes` */
    size_t thread_count;
    bool machine; /* everything that runs */
    bool self;    /* the calling program, except the thread that records it */

    const char
        *path; /* where a command without '/' is looked for, as in PATH; NULL: /bin:/usr/bin */

    const char *const *events; /* "cycles", "cpu-clock:u", "sched:sched_switch"; none: the best */
    size_t event_count;
    double frequency_hz; /* 0: 999; INFINITY: as many as the kernel allows */
    uint64_t period;     /* events from one sample to the next; 0: by frequency */
    enum flm_stack_mode stacks;
    uint32_t stack_size;         /* bytes of each stack dump; 0: 16384, and up to 65528 for threads
                                    with deeper stacks, as long as they have them */
    bool off_cpu;                /* how long threads do not run, and where, is a metric too */
    bool no_kernel;              /* user space alone */
    bool no_inherit;             /* not its children */
    const char *const *runtimes; /* whose functions are read from outside, as soon as a sample is
                                    taken: "CPython"; none: all that can be, where they run */
    size_t runtime_count;
    size_t ring_size;    /* bytes for each processor; 0: as much as is allowed and sensible */
    int64_t duration_ns; /* 0: until the target ends, or it is stopped */

    const char *spool; /* a file for records until the profile is written; NULL: none */

    bool keep_times; /* every sample with its time and labels */
    bool per_thread; /* the outermost frame is the thread, below the command */
    bool lines;      /* frames have their line, and frames of different lines differ */

    /* Where symbols are looked for: as in struct flm_load_options. */
    const char *const *symbol_dirs;
    size_t symbol_dir_count;
    const char *perf_dir, *cache_dir;
    bool debuginfod;

    /* About ten times a second; false stops. */
    bool (*tick)(void *context);
    /* `count` events were lost since the last call: a ring was full, or the kernel dropped them. */
    void (*lost)(void *context, uint64_t count);
    /* While flm_recording_take reads symbols: `done` modules of `count`. False stops. */
    bool (*progress)(void *context, size_t done, size_t count);
    void *context;

    const int *processors; /* only what runs on these; none: all */
    size_t processor_count;
    bool clones;       /* as in struct flm_load_options */
    bool no_locations; /* lines and addresses of frames are not kept (flamel/annotate.h): cheaper */
    bool no_runtimes;  /* interpreters are left alone: their own functions do not show */

    /* What the agent in Java VMs measures, "cpu,wall,alloc,lock"; and the path of its library,
     * libflamel-java.so. */
    const char *java, *java_library;
    bool java_follows; /* also Java VMs that the command starts, whatever its name */
};

/* Calls `visit` with each event that has a name, until it returns false: "cycles", "hardware",
 * "software", "cache", "tracepoint" (where these may be read) or "PMU" (of the processor's other
 * units). `is_there`: this machine has it, as far as it can be tried. */
typedef bool (*flm_record_event_visitor)(void *context, const char *name, const char *kind,
                                         bool is_there);
void flm_record_events(flm_record_event_visitor visit, void *context);

struct flm_recording;

/* Opens everything, and starts a command stopped in front of its first instruction. NULL, and
 * `why`, when that is refused, or `size` is 0 or larger than this library knows. */
struct flm_recording *flm_recording_new(const struct flm_record_options *options,
                                        struct flm_error *why);

/* Stops it. A command that runs continues, one that never ran is ended. NULL is accepted. */
void flm_recording_free(struct flm_recording *recording);

/* A description in sentences for the user, a line each: first how it records, "cpu-clock (no
 * hardware counters here), 999 Hz, DWARF unwinding, user space", then the limitations, and how each
 * can be lifted. Good until the recording is freed; NULL, and `why`, when memory ran out. */
const char *flm_recording_description(struct flm_recording *recording, struct flm_error *why);

/* A fact for the profile: "commit", "4f2a9c". Before it runs. False, and `why`, when memory ran
 * out. */
bool flm_recording_note(struct flm_recording *recording, const char *key, const char *value,
                        struct flm_error *why);

/* Records in the calling thread until the target ends, the duration is over, or tick says stop.
 * Once, and not after flm_recording_start. */
bool flm_recording_run(struct flm_recording *recording, struct flm_error *why);

/* Records in a thread of its own, in which all signals are blocked. */
bool flm_recording_start(struct flm_recording *recording, struct flm_error *why);

/* Waits until it is over, `most_ns` nanoseconds at most; whether it is. */
bool flm_recording_wait(struct flm_recording *recording, int64_t most_ns);

/* Ends it, and waits until the last samples are read. False, and `why`, when recording had failed:
 * samples from before can still be taken. */
bool flm_recording_stop(struct flm_recording *recording, struct flm_error *why);

/* The profile of all samples since the start, or since the last call: all metrics that the
 * recording has, also where nothing ran. The caller owns it. While it records this takes a
 * tenth of a second or two, and longer where the symbols of large programs are read for the first
 * time. NULL, and `why`, when it fails: FLM_ERROR_USAGE where it is over and all was taken. */
struct flm_profile *flm_recording_take(struct flm_recording *recording, struct flm_error *why);

/* Asks a command that still runs, and the processes in its session that it has started, to
 * end (SIGTERM), and waits five seconds at most for them to do so; those that do not are killed,
 * because they have our standard output. */
void flm_recording_end_command(struct flm_recording *recording);

/* Since the start. */
struct flm_record_counts {
    uint64_t samples;
    uint64_t lost; /* records that did not fit into a ring, and samples that the kernel dropped */
    uint64_t throttled;   /* times that the kernel stopped sampling for a while */
    uint64_t tasks_begun; /* threads and processes that others made */
    uint64_t stacks_unwound;
    uint64_t stacks_truncated;      /* truncated stacks, of these; and of those again: */
    uint64_t stacks_beyond_dump;    /* a larger stack dump would have more */
    uint64_t stacks_on_other_stack; /* they continue on another one, which no stack dump reaches */
    uint64_t frames_unwound;
};

struct flm_record_result {
    size_t size;              /* in: sizeof(struct flm_record_result) */
    double duration_s, cpu_s; /* of the target, as far as samples show */
    double requested_hz;      /* samples per second on a processor; 0: by period */
    double achieved_hz;       /* the same, as far as samples show; 0: not known */
    struct flm_record_counts counts;
    double recorder_cpu_s;
    uint64_t late, damaged;   /* records out of order, and malformed ones */
    uint64_t lost_unreported; /* lost by the events' own counts, without a record that says so */
    int exit_status;          /* of the command, as waitpid has it; -1: none, or it still runs */
    int process_id;           /* of the command; 0: there is none */
    bool chose_event;         /* no event was named */
    bool counts_time;         /* the first one is a clock or cycles: only what runs is sampled */
    bool is_limited;          /* programs that get rights of others (setuid) are not recorded */
    double events; /* of the first one, as the kernel has counted them; samples stand for them */
    uint32_t stack_size;    /* bytes of a stack dump; 0: there are none */
    const char *event;      /* the first one; the recording's */
    uint32_t left_running;  /* processes that the command has started, and that have outlived it */
    int left_process;       /* one of them */
    const char *spool_lost; /* why the rest could not be spooled; NULL: all was. The recording's */
    uint32_t largest_stack_size; /* bytes of the largest stack dump; 0: all have `stack_size` */
    uint32_t threads_with_larger_stacks;    /* had such for a time, at least */
    uint32_t threads_without_larger_stacks; /* needed such, and did not get them */
};

/* How far it is: complete when it is over; while it runs, as of the last tick. False, and `why`,
 * when `size` is 0 or larger than this library knows. */
bool flm_recording_result(struct flm_recording *recording, struct flm_record_result *result,
                          struct flm_error *why);

/* ---- Thread dumps of a Java VM --------------------------------------------------------------- */

/* A running HotSpot VM, seen by its thread dumps at an interval: nothing is loaded into it. Also of
 * a VM in another container, and of other users where we are root. A dump is made at a safepoint,
 * where all threads stand still: code is seen at the next place where its thread could stop, and
 * virtual threads only while they are mounted. After a dump that takes more than half the interval
 * there is a pause at least as long as it: so at most half of the time goes to dumps. */
struct flm_thread_dumps_options {
    size_t size; /* sizeof (struct flm_thread_dumps_options) */
    int32_t process;
    int64_t interval_ns; /* from one dump to the next; 0: 100 ms */
    int64_t duration_ns; /* 0: until the VM ends, or tick says stop */
    bool per_thread;     /* the outermost frame is the thread; those of the VM are there, too */
    bool (*tick)(void *context); /* about ten times a second; false stops */
    void *context;
};

struct flm_thread_dumps_result {
    size_t size; /* in: sizeof (struct flm_thread_dumps_result) */
    uint64_t dumps;
    uint64_t left_out;        /* moments of the interval without one, because one took too long */
    double duration_s;        /* from the first dump to the end */
    double dump_s, longest_s; /* what dumps took, from the question to the whole answer; */
    double stopped_s, longest_stopped_s; /* how long the VM stood still meanwhile, by its own
                                            counters; negative: it has none */
    double frameless_cpu_s;              /* CPU time of threads without Java frames; negative: the
                                            VM does not say CPU times */
    bool ended;                          /* the VM did, before the time was over */
    bool is_silent;                      /* it does not answer any more */
};

/* Takes dumps in the calling thread, and returns the profile: metrics "wall", and "cpu" where the
 * VM says it (JDK 11 and later); labels "thread name", "thread", "state" ... A signal that is
 * handled (Ctrl-C) stops it as tick does. NULL, and `why`, where not even one dump was made: the
 * process is no HotSpot VM, may not be reached, or does not answer. */
struct flm_profile *flm_record_thread_dumps(const struct flm_thread_dumps_options *options,
                                            struct flm_thread_dumps_result *result,
                                            struct flm_error *why);

#ifdef __cplusplus
}
#endif

#endif
