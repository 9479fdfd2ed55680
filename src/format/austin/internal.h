/* internal.h - shared by the readers of austin's files, text and MOJO: what a sample is.
 *
 *     # austin: 3.7.0                                  metadata: notes of the same names
 *     # mode: wall
 *     P3169;T0:3171;/srv/app.py:main:3;/srv/app.py:work:8 1088
 *
 * austin samples the stacks of all threads of Python programs in rounds; what a sample weighs is
 * the time since the round before it, or by how much memory grew or shrank.
 *
 *     mode        metrics, the first one the default
 *     wall, cpu   time (us)
 *     memory      memory (bytes; negative where it was freed), allocated, freed: its two parts
 *     full        time (us), idle (1 for a sample that did not run), memory, allocated, freed
 *
 * The function of a frame is what austin shows, file:function:line: it is what other tools make of
 * these files, and two lines of a function are two frames in all of them. The file and (with
 * options->lines) the line are the frame's own, too. Processes and threads are labels, or with
 * options->by_thread frames: P3169, T0:3171, of the interpreter 0.
 *
 * Samples have times where they are in the order in which they were taken. austin writes none, but
 * a sample lasts as long as it weighs: it begins where the thread's sample in the round before
 * ends, or, if that had none of the thread (which is new, or was idle), when the sample before it
 * in the file begins. */
#ifndef FLAMEL_FORMAT_AUSTIN_INTERNAL_H
#define FLAMEL_FORMAT_AUSTIN_INTERNAL_H

#include "base/core/index.h"
#include "base/text/text.h"
#include "format/core/stack_buffer.h"

enum flm_austin_value { FLM_AUSTIN_TIME, FLM_AUSTIN_IDLE, FLM_AUSTIN_MEMORY, FLM_AUSTIN_VALUES };

struct flm_austin_thread {
    uint64_t hash;  /* of process and thread */
    uint64_t round; /* the last one with it */
    int64_t end_us; /* of its last sample */
};

struct flm_austin {
    struct flm_stack_buffer stack; /* the frames of the current sample, root first */
    bool is_memory;                /* a single value is of memory */
    bool has_times;                /* samples are in order */
    bool has_samples;
    uint32_t foreign_count; /* notes that are not austin's own */

    bool has_metric[FLM_AUSTIN_VALUES + 2];
    struct flm_metric metric[FLM_AUSTIN_VALUES + 2]; /* the last two are allocated, freed */

    struct FLM_ARRAY(struct flm_austin_thread) threads;
    struct flm_index thread_index; /* of these, by their hashes */
    uint64_t round;                /* a new one begins where a thread is there again */
    int64_t begin_us;              /* of the last sample */
    struct flm_text name;          /* working memory */
};

/* What austin says about a sample. Without a value it has none of that kind. */
struct flm_austin_sample {
    struct flm_bytes process;             /* "3169" */
    struct flm_bytes interpreter, thread; /* "0", "3171" */
    bool has[FLM_AUSTIN_VALUES];
    double value[FLM_AUSTIN_VALUES];
};

void flm_austin_begin(struct flm_austin *austin, struct flm_builder *builder,
                      const struct flm_read_options *options);

/* A line of metadata: a note, and the mode. Of a key that is not austin's it is "austin: KEY". */
void flm_austin_metadata(struct flm_austin *austin, struct flm_bytes key, struct flm_bytes value);

/* The frame of a name as austin writes it. */
void flm_austin_frame(struct flm_bytes name, struct flm_stack_frame *frame);

/* Adds the frames in `stack` as a sample, and begins the next one. */
void flm_austin_add(struct flm_austin *austin, const struct flm_austin_sample *sample);

void flm_austin_clear(struct flm_austin *austin);

#endif
