/* probe_format.h - the file of a program that measures itself (probe.h): what its numbers mean, for
 * programs that read it.
 *
 * The program maps the file and writes it in place, so it can be read while the program runs, at
 * its end, and after it was killed. Times are ticks of a clock whose rate the header has, unless
 * their names end in ns. Numbers are little endian. docs/probe-format.md says how to read it.
 *
 *     header   who, when, which clock, what is measured; where the lists begin
 *     then blocks of 64 bytes, given out one after the other, never moved:
 *       texts      names, at any byte
 *       sites      what is measured, by name: an array, in parts that double in size
 *       threads    a list
 *       nodes      of a thread's call tree: a part of 63 at a time, in a list
 *       meters     distributions of a quantity of a site, for each thread: a list
 *       histories  of values: the last ones, with their times
 *       stacks     of allocations that were sampled: a list
 *
 * Everything that is measured is in three structures. A *site* is a thing with a name: a scope, a
 * lock, a file that is read, a queue, a statement. A *node* is a path of sites, from the thread's
 * root: a wait for a lock is a node of the lock's site in the node of the scope that waited, so
 * what happens is always known by where it happened. Values that happen in a scope (bytes that it
 * allocates) are in its node, for itself alone. A *meter* is a quantity of a site as a
 * distribution: how many, the sum, the least, the greatest, a histogram.
 *
 * A *place* is a position in the file in units of 64 bytes, so 32 bits reach 256 GB; 0 is none.
 *
 * A reader may look at any time: each number is written by one thread, whole, and a thing is linked
 * to a list when it is complete. Numbers of one node may be of different moments, by one call. */
#ifndef FLAMEL_PROBE_FORMAT_H
#define FLAMEL_PROBE_FORMAT_H

#include <stdint.h>

#define FLM_PROBE_MAGIC "FLMPROBE"

enum {
    FLM_PROBE_VERSION = 2,
    FLM_PROBE_UNIT = 64,
    FLM_PROBE_SITE_PARTS = 20, /* of 64, 64, 128, 256 ... sites */
    FLM_PROBE_FIRST_SITES = 64,
    FLM_PROBE_NODES_IN_PART = 63, /* and a header of the size of a node */
    FLM_PROBE_NODE_UNITS = 3,     /* the size of a node, in places */
    FLM_PROBE_MOST_DEPTH = 256,
    FLM_PROBE_SPARE_DEPTH = 16,
    FLM_PROBE_RING = 256,
    FLM_PROBE_ALL_TIMED = 16,
    FLM_PROBE_SITE_MASK = 0xFFFFFF,
    FLM_PROBE_NAME_SIZE = 16,
    FLM_PROBE_MOST_HELD = 16
};

enum flm_probe_run_state {
    FLM_PROBE_RUNNING = 1, /* or killed: then nobody could say so */
    FLM_PROBE_ENDED = 2
};

/* What a site stands for. */
enum flm_probe_kind {
    FLM_PROBE_SCOPE,     /* FLM_SCOPE, FLM_FUNC, a function compiled with -finstrument-functions */
    FLM_PROBE_REQUEST,   /* FLM_REQUEST: what is in it is done for it */
    FLM_PROBE_TASK,      /* FLM_TASK: a call is the time from resume to suspend */
    FLM_PROBE_FRAME,     /* FLM_FRAME: a call is from one mark to the next */
    FLM_PROBE_LOCK,      /* a call is waiting for it */
    FLM_PROBE_FILE,      /* a file, pipe or socket, by what was opened: a call is an operation */
    FLM_PROBE_QUEUE,     /* a call is being blocked by it */
    FLM_PROBE_STREAM,    /* items that go by */
    FLM_PROBE_VALUE,     /* a value that changes */
    FLM_PROBE_STATEMENT, /* of SQL, normalized */
    FLM_PROBE_TRANSFER,  /* of a URL, normalized */
    FLM_PROBE_HOLDER,    /* in a lock: who had it when somebody began to wait; a call is a wait */
    FLM_PROBE_MAPPED,    /* memory that is mapped or unmapped: a call is counted, and not timed */
    FLM_PROBE_KINDS
};

/* What is done with it, where there is more than one thing: of locks, files, queues. */
enum flm_probe_operation {
    FLM_PROBE_NO_OPERATION,
    FLM_PROBE_LOCK_MUTEX,
    FLM_PROBE_LOCK_READ, /* of a lock for readers and writers */
    FLM_PROBE_LOCK_WRITE,
    FLM_PROBE_LOCK_SPIN,
    FLM_PROBE_LOCK_CONDITION, /* waiting for a condition variable */
    FLM_PROBE_LOCK_SEMAPHORE,
    FLM_PROBE_FILE_READ,
    FLM_PROBE_FILE_WRITE,
    FLM_PROBE_FILE_SYNC,
    FLM_PROBE_FILE_OPEN,
    FLM_PROBE_FILE_CONNECT,
    FLM_PROBE_QUEUE_SEND,
    FLM_PROBE_QUEUE_RECEIVE,
    FLM_PROBE_VALUE_GAUGE, /* it stays until it is changed */
    FLM_PROBE_VALUE_COUNTER,
    FLM_PROBE_COUNTED, /* a scope whose calls are not timed: nothing says when they end */
    FLM_PROBE_FILE_ACCEPT,
    FLM_PROBE_FILE_WAIT, /* poll, select, epoll: until a file is ready */
    FLM_PROBE_OPERATIONS
};

/* What happens in a scope, itself: `value` of a node. Bytes of files are in the files' nodes. */
enum flm_probe_value {
    FLM_PROBE_ALLOCATED, /* bytes that were asked for */
    FLM_PROBE_ALLOCATIONS,
    FLM_PROBE_FREED, /* bytes that the blocks had: see `rounded` of a node */
    FLM_PROBE_FREES,
    FLM_PROBE_CPU,    /* ns */
    FLM_PROBE_LIVE,   /* bytes that were allocated here and are not freed: where that is measured */
    FLM_PROBE_AMOUNT, /* bytes of a file, bytes that are mapped, items of a queue, tasks that began,
                         a counter's sum */
    FLM_PROBE_ERRORS, /* of a queue: items that were not timed; tasks that were canceled */
    FLM_PROBE_VALUES
};

/* What a meter has the distribution of. */
enum flm_probe_quantity {
    FLM_PROBE_DURATION,  /* ticks of a call */
    FLM_PROBE_BYTES,     /* allocated in a call itself, of calls that did: the others are the calls
                            * of the site's nodes less these; of a file: in an operation */
    FLM_PROBE_COUNT,     /* allocations in a call itself: likewise */
    FLM_PROBE_HELD,      /* ticks that a lock was held */
    FLM_PROBE_SUSPENDED, /* ticks that a task was not running, each time */
    FLM_PROBE_WHOLE,     /* ticks from the begin of a task to its end */
    FLM_PROBE_LENGTH,    /* items in a queue */
    FLM_PROBE_DELAY,     /* ticks of an item in a queue; of a task until it ran first */
    FLM_PROBE_LEVEL,     /* of a value: see FLM_PROBE_LEVEL_ONE */
    FLM_PROBE_PHASE_NAMES, /* ticks of a transfer: its name was looked up */
    FLM_PROBE_PHASE_CONNECT,
    FLM_PROBE_PHASE_SECURE,
    FLM_PROBE_PHASE_FIRST, /* until the first byte came */
    FLM_PROBE_QUANTITIES = 16
};

/* Values are in meters and histories as 2^20 times what they are, as signed 64 bits. */
enum { FLM_PROBE_LEVEL_ONE = 1 << 20 };

/* What may be measured or not. */
enum flm_probe_signal {
    FLM_PROBE_TIME,
    FLM_PROBE_MEMORY,
    FLM_PROBE_CPU_TIME,
    FLM_PROBE_LOCKS,
    FLM_PROBE_IO,
    FLM_PROBE_THREADS,
    FLM_PROBE_STATEMENTS,
    FLM_PROBE_TRANSFERS,
    FLM_PROBE_FREEING, /* a part of memory: not measured only where it is said so */
    FLM_PROBE_SIGNALS = 12
};

enum flm_probe_signal_state {
    FLM_PROBE_NOT_ASKED,
    FLM_PROBE_ACTIVE,
    FLM_PROBE_NOT_POSSIBLE /* the reason says why */
};

struct flm_probe_activity {
    uint32_t state; /* enum flm_probe_signal_state */
    uint32_t reason_size;
    uint64_t reason;  /* a text */
    uint64_t rate;    /* of samples: how many per second were asked for; 0: it is not sampled. Of
                         memory: bytes from one to the next on average; 1: each is one */
    uint64_t samples; /* that were taken: of CPU time, each is of a second / rate, if all came */
};

struct flm_probe_header {
    char magic[8];
    uint32_t version, header_size;
    uint32_t pid;
    uint32_t state; /* enum flm_probe_run_state */
    uint64_t size;  /* bytes that the file may have */
    uint64_t used;  /* bytes that are given out */

    /* The clock: ns = (ticks - start_ticks) x 2^-32 x ns_per_tick. The factor is measured again
     * whenever the file is written. */
    uint64_t start_ticks, start_ns; /* since 1970 */
    uint64_t now_ticks;             /* when that was done last */
    uint64_t ns_per_tick;           /* x 2^32 */

    /* What a scope with nothing in it was measured to cost, in ticks x 256: as it counts itself,
     * and beyond that, which the scope around it has. */
    uint32_t inside_cost, outside_cost;

    uint32_t site_count;                      /* from 1: site 0 is none */
    uint32_t site_part[FLM_PROBE_SITE_PARTS]; /* places */
    uint32_t first_thread;                    /* place */
    uint32_t command_size;
    uint32_t untimed_cost; /* as outside_cost, of a call that is counted and not timed */
    uint64_t command;      /* a text: see struct flm_probe_site */

    /* What was not measured. */
    uint64_t lost_threads; /* for which there was no room */

    /* How scopes are timed: each call; or one in so many; or none, only counted; or as many as fit
     * into a share of the time, in millionths: then nodes say how many. */
    uint32_t timed_of;   /* 1: each; 0: none */
    uint32_t is_ordered; /* the clock is read when everything before it is done */
    uint32_t budget;     /* 0: none is set */
    uint32_t is_copy; /* a reader's, of a program that runs: it was made at now_ticks. 0 in files */
    uint32_t first_stack;   /* place of the newest stack of allocations */
    uint32_t first_mapping; /* place of the newest file that is mapped */
    struct flm_probe_activity activity[FLM_PROBE_SIGNALS];
    uint32_t clock;    /* enum flm_probe_clock */
    uint32_t is_final; /* the program became another one, or aborted, at now_ticks */

    /* Older files have a shorter header, of `header_size` bytes: what it does not have is 0. */
    uint64_t lost_calls;     /* of a child: of locks and files, before it was measured */
    uint64_t lost_processes; /* children whose file could not be made */
};

/* What ticks are of, for readers on the same machine. */
enum flm_probe_clock {
    FLM_PROBE_CLOCK_COUNTER = 1, /* the processor's: rdtsc, cntvct */
    FLM_PROBE_CLOCK_SYSTEM = 2   /* CLOCK_MONOTONIC_RAW */
};

/* A text is at a byte of the file, and has no end mark. */
struct flm_probe_site {
    uint64_t name, function, file;
    uint32_t name_size, function_size, file_size;
    uint32_t line;
    uint16_t kind, operation;
    uint32_t reserved;
    uint64_t address; /* of the program: of a function or lock that has no name; 0: none */
    uint64_t caller;  /* of a lock: where it is taken; of a holder: where it was. 0: not known */
};

/* A lock that a thread has, if the time that it has it is measured: of each, or of a sample. */
struct flm_probe_held {
    uint64_t lock;  /* its address; 0: none */
    uint64_t start; /* ticks */
    uint32_t site;  /* its lower 24 bits; the others: how many times taken this one stands for */
    uint32_t more;  /* times that it was taken to read, while it was held */
};

/* A scope that is open; or, where `start` is 0, the one that was open at this depth last. */
struct flm_probe_open {
    uint32_t site;     /* its lower 24 bits */
    uint32_t parent;   /* place of the node around it */
    uint32_t node;     /* place */
    uint32_t began_at; /* address, its lower half: of a function that enters and leaves by itself */
    uint64_t start;    /* ticks; 0: it ended; FLM_PROBE_UNTIMED */
    uint64_t at;       /* the program's address of the node */
    uint64_t meter;    /* likewise, of the durations of the site; 0: there is none yet */
    uint16_t direct;   /* a duration below is counted in its bucket, and nothing else is done */
    uint16_t is_frame;
    uint32_t caller;          /* as began_at: what it returns to */
    uint64_t function, stack; /* addresses: of a function that enters and leaves by itself */
};
enum { FLM_PROBE_UNTIMED = 1 }; /* it is open, and counted only */

/* Of a time that is in no histogram yet: 256 are added at a time. */
struct flm_probe_ringed {
    uint32_t site, ticks;
};
struct flm_probe_ring {
    uint64_t count;
    struct flm_probe_ringed at[FLM_PROBE_RING];
};

/* What the kernel says of a thread. */
struct flm_probe_kernel {
    uint64_t user_ns, system_ns;
    uint64_t run_queue_ns; /* it could have run, and waited for a processor */
    uint64_t voluntary_switches, involuntary_switches, minor_faults, major_faults;
};

struct flm_probe_thread {
    uint32_t next; /* place of a thread that began earlier; 0: it is the first */
    uint32_t tid;
    uint32_t state;   /* enum flm_probe_run_state */
    uint32_t threads; /* how many it is: those that ended and had the same name are one */
    char name[FLM_PROBE_NAME_SIZE];     /* the last one that it had */
    char began_as[FLM_PROBE_NAME_SIZE]; /* that of whoever made it, often */
    uint32_t first_part;                /* of nodes: place of the newest one */
    uint32_t first_meter;               /* place of the newest one */
    uint32_t root;    /* place of the node that all others are in; it has no site */
    uint16_t doing;   /* what the kernel said last: 'R' runs, 'S' sleeps, 'D' ...; 0: not known */
    uint16_t is_seen; /* the report found it, and it has had no scope since */
    uint64_t lost_depth;  /* scopes deeper than FLM_PROBE_MOST_DEPTH: only these are counted */
    uint64_t lost_room;   /* scopes for which there was no room: likewise */
    uint64_t lost_busy;   /* scopes of signal handlers that interrupted the library: likewise */
    uint64_t left;        /* scopes that were left without an end: by longjmp, say */
    uint64_t lost_values; /* NaN, too large, or there was no room for their meter */
    uint64_t start;       /* ticks */
    uint64_t last;        /* when it ended; before: a call that was not short; 0: there was none */

    /* Of all that are one, when the thread ended or the file was written; and those that ended. */
    struct flm_probe_kernel kernel, ended;
    struct flm_probe_held held[FLM_PROBE_MOST_HELD]; /* in no order */
    struct flm_probe_ring held_ring; /* of FLM_PROBE_HELD: weights are in the sites' upper 8 bits */

    /* From 1, the outermost; [0] has the root, and those beyond the most depth are never open. */
    struct flm_probe_open open[FLM_PROBE_MOST_DEPTH + FLM_PROBE_SPARE_DEPTH];
};

/* Of a call tree: a path of sites. */
struct flm_probe_node {
    uint32_t parent, site;
    uint32_t child, next; /* places: of the newest child; of the sibling that is older */
    uint64_t calls;       /* that ended */
    uint64_t total;       /* ticks of the calls that were timed */
    uint64_t longest;     /* ticks */

    /* Where not each call is timed, else 0. The first FLM_PROBE_ALL_TIMED are, then on average one
     * of so many, chosen by chance: what goes by in step with counting would not be seen. */
    uint64_t timed; /* calls that were */
    uint32_t until_timed, timed_of;
    uint64_t seen_allocations; /* of the value, that are in a distribution, or in none */

    uint64_t value[FLM_PROBE_VALUES];
    uint64_t rounded; /* bytes that blocks have beyond what was asked for, as they are allocated */
    uint64_t seen_allocated; /* as seen_allocations */
    uint64_t checked;        /* of `timed`, when timed_of was decided last */
    uint64_t reserved[5];
};

/* In front of FLM_PROBE_NODES_IN_PART nodes. A node has a higher place than the one it is in. */
struct flm_probe_part {
    uint32_t next, count; /* place of an older part; how many nodes are in use */
    uint64_t reserved[15];
};

/* Below 256 exactly, then 16 buckets for each power of two, so the middle of a bucket is at most
 * 3.2 % away. */
enum {
    FLM_PROBE_EXACT = 256,
    FLM_PROBE_BUCKETS_OF_OCTAVE = 16,
    FLM_PROBE_BUCKETS = FLM_PROBE_EXACT + 40 * FLM_PROBE_BUCKETS_OF_OCTAVE
};

/* A quantity of a site, in a thread. Of levels, which may be negative, the histogram is that of
 * their sizes without the sign. Of durations, count to greatest leave out those that are in exact
 * buckets, which say it all: flm_probe_meter_complete. */
struct flm_probe_meter {
    uint32_t next, site;
    uint32_t quantity; /* enum flm_probe_quantity */
    uint32_t history;  /* place; 0: none is kept */
    uint64_t count, total, least, greatest, last;
    uint64_t last_ticks;
    uint64_t reserved[8];
    uint32_t bucket[FLM_PROBE_BUCKETS]; /* one that is full stays so */
};

/* The last values: number n, from 0, is at n modulo the size. */
enum { FLM_PROBE_HISTORY = 256 };
struct flm_probe_history {
    uint64_t count;
    struct {
        uint64_t ticks, value;
    } at[FLM_PROBE_HISTORY];
};

/* Allocations that were sampled, with the stack that they have in common. Each byte is with the
 * same probability, one in `rate` of the memory's activity, so that an allocation of b bytes is a
 * sample with the probability 1 - exp(-b / rate). It stands for as many as the inverse: sums are
 * unbiased whatever the sizes. With a rate of 1 each is a sample, and stands for itself. */
enum { FLM_PROBE_MOST_STACK = 46, FLM_PROBE_ALLOCATION_ONE = 1 << 16 };
struct flm_probe_stack {
    uint32_t next, node; /* place of an older stack; of the node that was open */
    uint32_t count;      /* of frames; where all are used, outer ones may be missing */
    uint32_t thread;     /* place */
    uint64_t samples, bytes;
    uint64_t allocations; /* x FLM_PROBE_ALLOCATION_ONE, as they may stand for 1.6 */
    uint64_t live_samples, live_bytes, live_allocations; /* those that were not freed */
    uint64_t frame[FLM_PROBE_MOST_STACK]; /* addresses to return to, the innermost first */
};

/* A file with code that the program has mapped, for addresses of stacks and sites. */
struct flm_probe_mapping {
    uint32_t next, path_size;
    uint64_t start, end, offset; /* addresses; position in the file */
    uint64_t path;               /* a text */
    uint32_t build_id_size, reserved;
    unsigned char build_id[20];
    uint32_t reserved_too;
};

static inline uint32_t flm_probe_bucket(uint64_t ticks)
{
    if (ticks < FLM_PROBE_EXACT)
        return (uint32_t)ticks;
    uint32_t octave = 63u - (uint32_t)__builtin_clzll(ticks); /* 8 at least */
    uint32_t bucket = FLM_PROBE_EXACT + (octave - 8) * FLM_PROBE_BUCKETS_OF_OCTAVE +
                      ((uint32_t)(ticks >> (octave - 4)) & (FLM_PROBE_BUCKETS_OF_OCTAVE - 1));
    return bucket < FLM_PROBE_BUCKETS ? bucket : FLM_PROBE_BUCKETS - 1;
}

/* The first duration of a bucket; that of the next one is where it ends. */
static inline uint64_t flm_probe_bucket_start(uint32_t bucket)
{
    if (bucket < FLM_PROBE_EXACT)
        return bucket;
    uint32_t octave = (bucket - FLM_PROBE_EXACT) / FLM_PROBE_BUCKETS_OF_OCTAVE + 8;
    return ((uint64_t)(FLM_PROBE_BUCKETS_OF_OCTAVE + bucket % FLM_PROBE_BUCKETS_OF_OCTAVE))
           << (octave - 4);
}

/* Of durations: those in exact buckets are added to what was counted of the others. */
static inline void flm_probe_meter_complete(struct flm_probe_meter *meter)
{
    if (meter->quantity != FLM_PROBE_DURATION)
        return;
    for (uint32_t ticks = 0; ticks < FLM_PROBE_EXACT; ticks++) {
        uint64_t count = meter->bucket[ticks];
        if (count == 0)
            continue;
        if (meter->count == 0 || ticks < meter->least)
            meter->least = ticks;
        if (meter->count == 0 || ticks > meter->greatest)
            meter->greatest = ticks;
        meter->count += count;
        meter->total += count * ticks;
    }
}

#endif
