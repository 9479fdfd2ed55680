/* legacy.h - the profiles that pprof had before profile.proto: stacks of addresses, in a binary
 * form for CPU profiles and in texts for the others, mostly with a map of the memory behind.
 *
 *     0 3 0 PERIOD 0, then COUNT N PC...         gperftools' CPU profile: words of 4 or 8 bytes,
 *                                                in either order; 0 1 0 ends them (legacy_cpu.c)
 *     0 3 1 PERIOD 0                             the same of Java: a list of names follows
 *     heap profile: N: BYTES [N: BYTES] @ KIND   gperftools' and Go's heaps (legacy_text.c)
 *     --- contentionz 1 ---   --- mutex:         delays of locks, in cycles
 *     --- heapz 1 ---                            heaps of Java
 *     goroutine profile: total N                 Go's counts
 *     --- threadz 1 ---                          threads and their stacks
 *     heap_v2/RATE                               jemalloc's heaps: for each stack "@ PC..." and
 *                                                "t*: N: BYTES [N: BYTES]"
 *     --- symbol                                 names of addresses up to "---", then one of the
 *                                                above (google-pprof and jeprof --raw)
 *
 * What pprof does to them is done here too: return addresses become addresses of the call (by -1),
 * a leaf that a signal handler recorded twice is one, a frame that all CPU samples have below their
 * leaf is the handler's and is left out, sampled heaps and delays are scaled to what they stand
 * for. Frames are called by their addresses, as pprof calls them; the map says which module each is
 * in (core/mapped.h). */
#ifndef FLAMEL_FORMAT_PPROF_LEGACY_H
#define FLAMEL_FORMAT_PPROF_LEGACY_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "format/core/format.h"
#include "format/core/mapped.h"

#define FLM_LEGACY_SYMBOLS "--- symbol"

struct flm_legacy_sample {
    size_t first, count; /* in `addresses`, leaf first */
    double value[4];     /* by metric */
    int64_t block;       /* mean size of a block, of heaps; -1: none */
};

/* Of Java, Go and --raw: a name for an address. */
struct flm_legacy_name {
    uint64_t address;
    uint64_t entry; /* of Go: where the function that contains it begins; 0: not known */
    struct flm_bytes function, file;
    uint32_t line;
};

struct flm_legacy {
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_bytes all;
    struct flm_metric metrics[4]; /* as values are ordered; the default is added first */
    size_t metric_count;
    struct FLM_ARRAY(uint64_t) addresses;
    struct FLM_ARRAY(struct flm_legacy_sample) samples;
    struct FLM_ARRAY(struct flm_mapped) maps;
    struct FLM_ARRAY(struct flm_legacy_name) names; /* sorted before samples are added */
    struct flm_index named;                         /* of Go: which addresses have names */
    bool is_java, is_heap, has_go_names;
    bool has_symbols; /* of --raw: an address may have several names, the innermost first */
    bool is_jemalloc;
    uint64_t hidden; /* frames of Go's runtime, or of jemalloc, that allocate */
    bool failed;     /* memory ran out */
};

/* Adds the metrics of the values, by name and unit: the last one first, which pprof shows. */
void flm_legacy_metrics(struct flm_legacy *legacy, const char *const (*types)[2], size_t count);

/* The lines of a memory map, from `text` on: /proc/PID/maps, or "START-END: FILE". */
void flm_legacy_maps(struct flm_legacy *legacy, struct flm_bytes text);

/* The lines "0xADDRESS NAME (FILE:LINE)" of Java. */
void flm_legacy_names(struct flm_legacy *legacy, struct flm_bytes text);

/* Reads the names before the profile of --raw, if there are any. `text` moves to the profile. */
void flm_legacy_symbols(struct flm_legacy *legacy, struct flm_bytes *text);

/* The comments behind a sample of Go: names for its addresses. `text` moves behind them. */
void flm_legacy_go_names(struct flm_legacy *legacy, struct flm_bytes *text,
                         const struct flm_legacy_sample *sample);

/* The notes "period" and "period type", as pprof makes them up for a file without. */
void flm_legacy_period(struct flm_legacy *legacy, int64_t period, const char *type,
                       const char *unit);

/* A note that is a number, unless that is 0. */
void flm_legacy_note(struct flm_legacy *legacy, const char *key, int64_t value, const char *unit);

/* The first line of `text`, which moves behind it; without blanks at its ends. False at its end. */
bool flm_legacy_line(struct flm_bytes *text, struct flm_bytes *line);

/* How the binary form has its words; size 0: it is none. */
struct flm_legacy_words {
    unsigned size;
    bool big_endian, is_java;
};
struct flm_legacy_words flm_legacy_words(struct flm_bytes head);

bool flm_legacy_read_cpu(struct flm_legacy *legacy, struct flm_legacy_words words,
                         struct flm_error *why);

/* Whether a text is one of these; and read, with the error's line. */
bool flm_legacy_is_text(struct flm_bytes head);
bool flm_legacy_read_text(struct flm_legacy *legacy, struct flm_error *why);

#endif
