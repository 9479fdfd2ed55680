/* wire.h - what the agent in a Java VM (java/) and the recorder say to each other.
 *
 * The agent connects to a socket that the recorder listens at, and whose path is the agent's
 * option. It gets a struct flm_java_config and, with it, a descriptor of shared memory, and answers
 * with a struct flm_java_hello. From then on the socket says only who is still there: when the
 * recorder ends its side the agent takes everything back, and ends the other side.
 *
 * Shared memory is a page with a struct flm_java_ring, and a ring of records behind it. Any thread
 * of the VM adds records, in signal handlers too, and the recorder alone takes them out:
 *
 *     head   bytes reserved so far: a thread adds the size of its record by compare-and-swap
 *     tail   bytes taken out so far: the recorder's
 *
 * A record begins with its size, which is written last, once the rest is there; before that it is
 * 0. So the recorder fills with zeros what it took out. A record does not wrap around the end: one
 * of the kind FLM_JAVA_PADDING is in front of it then. What does not fit is counted as lost.
 *
 * Both are built from one tree, and `version` says so: numbers are those of the machine. */
#ifndef FLAMEL_RECORD_JAVA_WIRE_H
#define FLAMEL_RECORD_JAVA_WIRE_H

#include <stdbool.h>
#include <stdint.h>

enum { FLM_JAVA_VERSION = 6, FLM_JAVA_MOST_FRAMES = 1024, FLM_JAVA_RING_START = 4096 };

/* What is measured; a bit for each in the config. */
enum flm_java_metric {
    FLM_JAVA_CPU,   /* time on a CPU, or what the recorder's event counts */
    FLM_JAVA_WALL,  /* elapsed time of each thread, with its state: nanoseconds */
    FLM_JAVA_ALLOC, /* allocated bytes */
    FLM_JAVA_LOCK,  /* nanoseconds of waiting for monitors and other locks */
    FLM_JAVA_LIVE,  /* bytes of allocated objects that are reachable when the recording ends */
    FLM_JAVA_METRICS
};

/* The metrics for which allocations are sampled. */
enum { FLM_JAVA_ALLOCATED = 1 << FLM_JAVA_ALLOC | 1 << FLM_JAVA_LIVE };

struct flm_java_config {
    uint32_t version, metrics;
    uint64_t ring_size; /* a power of two, without the first page */

    /* The event of CPU samples, as in struct perf_event_attr. */
    uint32_t event_type, by_frequency, with_kernel, is_time;
    uint64_t event, period;

    uint64_t timer_ns; /* between samples of threads that get no such event, if it is one of time */
    uint64_t wall_ns;  /* between two looks at a thread */
    uint64_t alloc_bytes; /* from one sampled allocation to the next */
    uint32_t stack_size;  /* of native code that Java code has called: bytes of its stack */
    uint32_t signal; /* that the kernel sends to a thread of which the recorder has a sample; 0: the
                        agent has events of its own */
};

struct flm_java_hello {
    uint32_t version, failed;
    char text[240]; /* why it has failed; or the VM's version */
};

/* Why a stack has no frames of Java, by AsyncGetCallTrace's numbers, which are 0 and below. */
enum { FLM_JAVA_ERRORS = 12, FLM_JAVA_FAULT = 11, FLM_JAVA_NOT_TAKEN = 20 };

struct flm_java_ring {
    _Alignas(64) uint64_t head;
    _Alignas(64) uint64_t tail;
    _Alignas(64) uint64_t lost; /* records that did not fit, and samples without a free buffer */
    uint64_t lost_stacks;       /* likewise, of samples that the recorder has */
    uint64_t lost_methods;      /* beyond as many as the agent keeps */
    uint64_t errors[FLM_JAVA_ERRORS]; /* samples by -number; the last: a fault was caught */
    uint64_t timers;                  /* threads sampled by timers */
    uint64_t lost_by_kernel;          /* samples that the kernel dropped */
    uint64_t unsampled;               /* threads that could not be sampled */
    uint64_t code_start, code_end;    /* where the VM's generated code is */
    uint64_t no_parks;      /* 1: waits for locks of java.util.concurrent are not measured */
    uint64_t takes_signals; /* 1: CPU samples are the recorder's, and the agent has their stacks */
};

enum flm_java_kind {
    FLM_JAVA_PADDING = 1,
    FLM_JAVA_THREAD,
    FLM_JAVA_METHOD,
    FLM_JAVA_SAMPLE,
    FLM_JAVA_CODE,
    FLM_JAVA_VIRTUAL
};

struct flm_java_record {
    uint32_t size; /* with this header, a multiple of 8 */
    uint32_t kind;
};

/* A thread is sampled by the agent from a time on, until it ends; its name follows. */
struct flm_java_thread {
    struct flm_java_record record;
    int64_t time_ns;
    int32_t thread; /* as the VM's PID namespace numbers it */
    uint32_t is_sampled, name_size, reserved;
};

/* A method that samples have; behind it its class ("Ljava/lang/String;"), its name, its signature,
 * the name of its source file, and then, aligned to 8, its lines. */
struct flm_java_method {
    struct flm_java_record record;
    uint64_t method;
    uint32_t class_size, name_size, signature_size, file_size, line_count, reserved;
};

struct flm_java_line {
    uint32_t from, line; /* from this bytecode on */
};

/* Generated code that is no method: "Interpreter", "jshort_arraycopy"; the name follows. */
struct flm_java_code {
    struct flm_java_record record;
    uint64_t start;
    uint32_t size, name_size;
};

/* A virtual thread that samples have, by the number that the program has for it; its name follows,
 * which may be empty. */
struct flm_java_virtual {
    struct flm_java_record record;
    uint64_t number;
    uint32_t name_size, reserved;
};

enum flm_java_state {
    FLM_JAVA_ON_CPU,
    FLM_JAVA_RUNNABLE, /* could run, and has no CPU; in native code that waits, for all we know */
    FLM_JAVA_NATIVE,   /* waits in native code: for a socket, say */
    FLM_JAVA_BLOCKED,  /* waits to enter a monitor */
    FLM_JAVA_WAITING,  /* Object.wait */
    FLM_JAVA_TIMED_WAITING,
    FLM_JAVA_PARKED, /* LockSupport.park */
    FLM_JAVA_SLEEPING,
    FLM_JAVA_STATES
};

/* A frame: its method, and the index of its bytecode (negative: native, or unknown). */
struct flm_java_frame {
    uint64_t method;
    int32_t bytecode;
    uint32_t kind; /* enum flm_java_compiled */
};

enum flm_java_compiled {
    FLM_JAVA_UNKNOWN,
    FLM_JAVA_INTERPRETED,
    FLM_JAVA_C1,
    FLM_JAVA_C2,
    FLM_JAVA_INLINED,
    FLM_JAVA_NATIVE_METHOD
};

/* Behind it: kernel addresses, frames, registers, stack dump, and the name of a class; each leaf
 * first, and aligned to 8. */
struct flm_java_sample {
    struct flm_java_record record;
    int64_t time_ns;
    uint64_t value;
    int32_t thread, error; /* AsyncGetCallTrace's number, 0 or below; -FLM_JAVA_FAULT */
    uint32_t metric, state, cpu;
    uint32_t kernel_count;   /* addresses, with markers, as in perf's call chains */
    uint32_t frame_count;    /* of Java */
    uint32_t register_count; /* by the kernel's numbers, as in perf's samples; 0: none */
    uint32_t stack_size;     /* bytes from the stack pointer up */
    uint32_t text_size;      /* a class, as in struct flm_java_method */
    uint32_t more_frames;    /* the stack is deeper */
    uint32_t is_stack;       /* 1: of the recorder's samples of the thread later than `since_ns` */
    uint64_t ip;             /* where the thread was; 0: unknown */
    int64_t since_ns;        /* when the thread had its signal before this one */
    uint64_t virtual_thread; /* which the thread runs; 0: none */
};

/* Rounded up to what records and their parts are aligned to. */
static inline uint64_t flm_java_aligned(uint64_t size)
{
    return (size + 7) & ~UINT64_C(7);
}

#endif
