/* probe_format.h - the file of a program that measures itself (probe.h): what its numbers mean, for
 * programs that read it.
 *
 * The program maps the file and writes it in place, so it can be read while the program runs, at
 * its end, and after it was killed. Times are ticks of a clock whose rate the header has, unless
 * their names end in ns. Numbers are little endian. docs/probe-format.md says how to read it.
 *
 *     header   who, when, which clock; where the lists begin
 *     then blocks of 64 bytes, given out one after the other, never moved:
 *       texts      names, at any byte
 *       sites      source locations: an array, in parts that double in size
 *       threads    a list
 *       nodes      of a thread's call tree: a part of 64 at a time, in a list
 *       histograms of a thread and a site: a list
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
    FLM_PROBE_VERSION = 1,
    FLM_PROBE_UNIT = 64,
    FLM_PROBE_SITE_PARTS = 20, /* of 64, 64, 128, 256 ... sites */
    FLM_PROBE_FIRST_SITES = 64,
    FLM_PROBE_NODES_IN_PART = 63, /* and a header of the size of a node */
    FLM_PROBE_MOST_DEPTH = 256,
    FLM_PROBE_SPARE_DEPTH = 16,
    FLM_PROBE_RING = 256,
    FLM_PROBE_SITE_MASK = 0xFFFFFF,
    FLM_PROBE_NAME_SIZE = 16
};

enum flm_probe_run_state {
    FLM_PROBE_RUNNING = 1, /* or killed: then nobody could say so */
    FLM_PROBE_ENDED = 2
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
    uint32_t command_size, reserved;
    uint64_t command; /* a text: see struct flm_probe_site */

    /* What was not measured. */
    uint64_t lost_threads; /* for which there was no room */
};

/* A text is at a byte of the file, and has no end mark. */
struct flm_probe_site {
    uint64_t name, function, file;
    uint32_t name_size, function_size, file_size;
    uint32_t line;
    uint32_t kind, reserved[3];
};

/* A scope that is open; or, where `start` is 0, the one that was open at this depth last. */
struct flm_probe_open {
    uint32_t site;   /* its lower 24 bits */
    uint32_t parent; /* place of the node around it */
    uint32_t node;   /* place */
    uint32_t reserved;
    uint64_t start; /* ticks; 0: it ended */
    uint64_t at;    /* the program's address of the node */
};

/* A duration that is in no histogram yet: 256 are added at a time, which costs a fourth of adding
 * each (an increment has to wait for the clock that was read just before). */
struct flm_probe_ringed {
    uint32_t site, ticks;
};
struct flm_probe_ring {
    uint64_t count;
    struct flm_probe_ringed at[FLM_PROBE_RING];
};

struct flm_probe_thread {
    uint32_t next; /* place of a thread that began earlier; 0: it is the first */
    uint32_t tid;
    uint32_t state;   /* enum flm_probe_run_state */
    uint32_t threads; /* how many it is: those that ended and had the same name are one */
    char name[FLM_PROBE_NAME_SIZE];
    uint32_t first_part;      /* of nodes: place of the newest one */
    uint32_t first_histogram; /* place of the newest one */
    uint32_t root;            /* place of the node that all others are in; it has no site */
    uint32_t reserved;
    uint64_t lost_depth; /* scopes deeper than FLM_PROBE_MOST_DEPTH: only these are counted */
    uint64_t lost_room;  /* scopes for which there was no room: likewise */
    uint64_t lost_busy;  /* scopes of signal handlers that interrupted the library: likewise */
    uint64_t left;       /* scopes that were left without an end: by longjmp, say */
    uint64_t start, end; /* ticks */
    struct flm_probe_ring ring;

    /* From 1, the outermost; [0] has the root, and those beyond the most depth are never open. */
    struct flm_probe_open open[FLM_PROBE_MOST_DEPTH + FLM_PROBE_SPARE_DEPTH];
};

/* Of a call tree: a path of scopes. */
struct flm_probe_node {
    uint32_t parent, site;
    uint32_t child, next; /* places: of the newest child; of the sibling that is older */
    uint64_t calls;       /* that ended */
    uint64_t total;       /* ticks */
    uint64_t longest;     /* ticks */
    uint64_t reserved[3];
};

/* In front of FLM_PROBE_NODES_IN_PART nodes. A node has a higher place than the one it is in. */
struct flm_probe_part {
    uint32_t next, count; /* place of an older part; how many nodes are in use */
    uint64_t reserved[7];
};

/* Durations of a site's calls: below 16 ticks exactly, then 16 buckets for each power of two, so
 * the middle of a bucket is at most 3.2 % away. */
enum { FLM_PROBE_BUCKETS_OF_OCTAVE = 16, FLM_PROBE_BUCKETS = 16 + 44 * 16 };

struct flm_probe_histogram {
    uint32_t next, site;
    uint64_t reserved[7];
    uint32_t bucket[FLM_PROBE_BUCKETS];
};

static inline uint32_t flm_probe_bucket(uint64_t ticks)
{
    if (ticks < FLM_PROBE_BUCKETS_OF_OCTAVE)
        return (uint32_t)ticks;
    uint32_t octave = 63u - (uint32_t)__builtin_clzll(ticks); /* 4 at least */
    uint32_t bucket = (octave - 3) * FLM_PROBE_BUCKETS_OF_OCTAVE +
                      ((uint32_t)(ticks >> (octave - 4)) & (FLM_PROBE_BUCKETS_OF_OCTAVE - 1));
    return bucket < FLM_PROBE_BUCKETS ? bucket : FLM_PROBE_BUCKETS - 1;
}

/* The first duration of a bucket; that of the next one is where it ends. */
static inline uint64_t flm_probe_bucket_start(uint32_t bucket)
{
    if (bucket < FLM_PROBE_BUCKETS_OF_OCTAVE)
        return bucket;
    uint32_t octave = bucket / FLM_PROBE_BUCKETS_OF_OCTAVE + 3;
    return ((uint64_t)(FLM_PROBE_BUCKETS_OF_OCTAVE + bucket % FLM_PROBE_BUCKETS_OF_OCTAVE))
           << (octave - 4);
}

#endif
