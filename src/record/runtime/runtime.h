/* runtime.h - runtimes: interpreters and JIT compilers, whose functions are in no file.
 *
 *     perf map   perf-PID.map, text that names regions of code          read when symbolizing
 *     jitdump    jit-PID.dump, the same with times and lines            read when symbolizing
 *     CPython    the interpreter's own frames, read from outside        read while sampling
 *     Ruby, PHP  the same, found by the registers of the sample         read while sampling
 *     Haskell    the frames of GHC's own stacks                         read while sampling
 *     Java       an agent in the VM samples its threads                 read while sampling
 *
 * A runtime is an entry of the table in record/runtimes.h; functions that it does not have are
 * NULL. Adding one takes a file (or a folder) with its entry, and a line in the table. No other
 * code depends on which entry it has.
 *
 * Reading from outside changes nothing in the target, so all runtimes that can are attached, unless
 * the user wants none (--no-runtime). Only samples of processes that have their interpreter are
 * given to them (record/interpreters.h). */
#ifndef FLAMEL_RECORD_RUNTIME_RUNTIME_H
#define FLAMEL_RECORD_RUNTIME_RUNTIME_H

#include "base/core/array.h"
#include "flamel/builder.h"
#include "record/perf/event.h"
#include "record/perf/owned_string.h"
#include "record/runtime/jit_code.h"
#include "symbol/unwind/unwind_table.h"

struct flm_input;   /* os/input.h */
struct flm_process; /* record/process/process_map.h */
struct flm_script_interpreter;

/* Receives losses and notes: the session of the recording. */
struct flm_runtime_report {
    void *session;
    void (*lost)(void *session, const char *what, double count);
    void (*note)(void *session, const char *key, struct flm_bytes value);
};

/* A file that a process mapped to announce it to recordings. */
struct flm_runtime_file {
    int32_t process;
    const struct flm_runtime *runtime;
    struct flm_owned_string path;
};

/* The code that a file describes, and the file, whose bytes it may have (flm_jit_code_find). */
struct flm_runtime_found {
    struct flm_jit_code *code;
    struct flm_input *file;
};

/* A search for the symbols of one process's generated code. */
struct flm_runtime_search {
    int32_t process;
    bool live;  /* the process may still run: its files are also searched below its root */
    bool local; /* it ran on this machine since it was booted */
    const char *const *dirs; /* searched first */
    size_t dir_count;
    int64_t oldest_ns;                    /* when the recording began; FLM_NO_TIME: unknown */
    int64_t started_ns;                   /* when the process did; FLM_NO_TIME: unknown */
    const struct flm_runtime_file *files; /* of all processes */
    size_t file_count;
    struct flm_runtime_report report;

    struct FLM_ARRAY(struct flm_runtime_found) found; /* owned; the first has priority */

    /* The file that was reported last as one that is not used: it may have several paths. */
    struct {
        bool is_there;
        uint64_t device, inode;
    } refused;
};

struct flm_runtime_options {
    bool lines;          /* functions differ by line */
    uint64_t first_code; /* the first number of a function: FLM_EVENT_CODE */
    bool only_agents;    /* interpreters are left alone */
    const char *what;    /* what an agent measures, and where its library is; NULL: no agent */
    bool off_cpu;        /* there is a sample of each switch of threads, too */
    const char *library;
    bool follows; /* agents are loaded into what a command starts, too */

    /* Called around work that takes long, as in struct flm_modules_options; NULL: not called. */
    bool (*step_back)(void);
    void (*step_forward)(void);
};

/* What is recorded, for runtimes that load an agent into it. */
struct flm_runtime_target {
    const int32_t *processes; /* that run */
    size_t process_count;
    int32_t child; /* a command that was started, and waits; 0: none */

    /* The first event, as in struct perf_event_attr. */
    const struct flm_event_layout *layout;
    uint64_t event, period; /* the period, or the frequency */
    uint32_t event_type;
    bool by_frequency, with_kernel;
    double hz;             /* 0: by period */
    uint32_t first_number; /* of layouts that the runtime adds */

    /* Has the kernel send a signal to each thread of a process of which there is a sample of the
     * first event, from now on. Which one; 0: it cannot. NULL: as well. */
    uint32_t (*signal)(void *context, int32_t process);
    void (*end_signal)(void *context, int32_t process); /* not any more: it has ended */
    void *context;
};

/* A sample that a runtime has taken itself. */
struct flm_runtime_sampled {
    struct flm_event event; /* its chain is that of the kernel; of native code it has the registers
                                and the stack dump */
    const uint64_t
        *frames; /* what code in native code was called by, leaf first: numbers of code */
    size_t frame_count;
    uint64_t code_start, code_end; /* generated code, where the native part ends */
    bool is_cut;                   /* there are more frames */
};
typedef bool (*flm_runtime_sampled_sink)(void *context, struct flm_runtime_sampled *sampled,
                                         struct flm_error *why);

struct flm_runtime_sinks {
    flm_runtime_sampled_sink take;
    flm_event_sink define;
    void *context;
};

/* A sample before it is added to the session. */
struct flm_runtime_sample {
    const struct flm_process *process;
    const struct flm_event *event; /* with its registers and its stack dump */
    uint64_t *chain; /* its stack, with markers (event.h): may grow up to `capacity` */
    size_t count, capacity;
    bool is_whole; /* the chain has its outermost frame */

    /* Set by the runtime: the name of the thread, what a thread that leaves its CPU waits for, and
     * labels (event.h). */
    struct flm_bytes thread_name, state;
    struct flm_runtime_label labels[FLM_RUNTIME_LABELS];

    /* The registers at a frame of its user stack, 0 being the leaf; false when they are not known.
     * NULL: the sample has none. */
    bool (*registers)(const struct flm_runtime_sample *sample, size_t frame,
                      struct flm_registers *registers);
};

struct flm_runtime {
    const char *name;

    /* Symbolizing. `is_file`: whether a mapped file belongs to this runtime (NULL: it maps none).
     * `has_times`: whether symbols depend on the time of the sample. `find` adds to `found`; false
     * when memory ran out. */
    bool (*is_file)(struct flm_bytes path);
    bool has_times;
    bool (*find)(const struct flm_runtime *runtime, struct flm_runtime_search *search);

    /* For an interpreter: whether a module is its program or its library, by its name; and a symbol
     * that a program of another name exports, or a section that it has, if the interpreter is built
     * in; or NULL. */
    bool (*is_interpreter)(struct flm_bytes path);
    const char *symbol, *section;
    const struct flm_script_interpreter *script; /* how it is read, if by script_stack.h */
    bool not_off_cpu; /* left out of recordings with off-CPU time, unless it is asked for by name */

    /* Sampling. The others get what `attach` returns; NULL, and `why`, when it fails. `mix` gets
     * the samples of processes with its interpreter (all, if neither `is_interpreter` nor `symbol`
     * is there), puts functions into the stack of the sample, and first defines those that are new.
     * False, and `why`, when memory ran out or `define` failed. */
    void *(*attach)(const struct flm_runtime *runtime, const struct flm_runtime_options *options,
                    struct flm_error *why);
    bool (*mix)(void *attached, struct flm_runtime_sample *sample, int64_t now_ns,
                flm_event_sink define, void *context, struct flm_error *why);
    void (*report)(const void *attached, const struct flm_runtime_report *report);
    void (*close)(void *attached);

    /* Of a runtime whose agent samples its threads from inside. `command` may change the words
     * of the command that will be started, and names a descriptor that it inherits (-1: none);
     * `begin` loads the agents; `mapped` says that a process has mapped a file; `read` passes on
     * what they have sampled; `claims` says whether that stands for a sample of the first event,
     * and keeps of it what it needs if it may; `join` passes on what has waited for the rings to
     * be read up to a time, INT64_MAX being the end; `end` sends the agents away. */
    bool (*command)(void *attached, char *const **command, int *inherited, struct flm_error *why);
    bool (*begin)(void *attached, const struct flm_runtime_target *target, struct flm_error *why);
    void (*mapped)(void *attached, int32_t process, struct flm_bytes path);
    bool (*read)(void *attached, const struct flm_runtime_sinks *sinks, struct flm_error *why);
    bool (*claims)(void *attached, const struct flm_event *event, bool keeps);
    bool (*join)(void *attached, int64_t until_ns, const struct flm_runtime_sinks *sinks,
                 struct flm_error *why);
    bool (*end)(void *attached, const struct flm_runtime_sinks *sinks, struct flm_error *why);
};

/* A sentence for users: how a program, by its name ("node"), is made to name the code that it
 * compiles at run time. `has_agents`: agents were loaded that name some of it. */
const char *flm_runtime_remedy(struct flm_bytes program, bool has_agents);

/* ---- For entries ----------------------------------------------------------------------------- */

/* Frees what was found. */
void flm_runtime_search_clear(struct flm_runtime_search *search);

/* All bytes of a file that was found. */
struct flm_bytes flm_runtime_found_bytes(const struct flm_runtime_found *found);

/* The number of a thread (of a process: its first one) in its own PID namespace. In a
 * container, files named by process, and the ids that a process remembers of its threads, have
 * these numbers. Our number, if the thread is gone. */
int32_t flm_namespace_number(int32_t process, int32_t thread);

/* The other way: our number of the thread that has one there; that number, if there is none. */
int32_t flm_thread_of_namespace(int32_t process, int32_t inner);

/* Reads the file at a path, if it exists and can be trusted, and adds its symbols to `found`.
 * `exists` receives whether it does. A file that was written last before its process started is of
 * another one, which had the same number: it is not used, but reported. False only when memory ran
 * out. */
typedef struct flm_jit_code *(*flm_runtime_reader)(const struct flm_runtime_report *report,
                                                   struct flm_bytes bytes, struct flm_error *why);
bool flm_runtime_try_file(struct flm_runtime_search *search, const char *path,
                          flm_runtime_reader read, bool *exists);

#endif
