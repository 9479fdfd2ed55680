/* gpu.h - what GPUs did, below the calls of the host that launched it.
 *
 *     thread 12         |== step ======================|        ranges, by the program
 *                         |cudaLaunchKernel|  |cudaMemcpy|      calls of an API, some with the
 *                                :                  :           stack that made them
 *     GPU 0 stream 7             |==== saxpy ====|  |= copy =|
 *
 *     GPU time     step;main;run;cudaLaunchKernel;saxpy      the stack of the launch, the work
 *     event time   step;main;run;cudaLaunchKernel            what threads spent in ranges, calls
 *
 * A call and the work that it launched have the same correlation: a number, in a group (a process).
 * A call is below the ranges that were open on its thread. If it has a stack of its own, that is
 * between the two; otherwise a call within a call is below it.
 *
 * A range or a call takes 80 bytes until all are read, a piece of work 48. */
#ifndef FLAMEL_FORMAT_GPU_GPU_H
#define FLAMEL_FORMAT_GPU_GPU_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "format/core/event_stacks.h"
#include "format/core/format.h"

/* A thread, or a queue of a GPU. */
struct flm_gpu_track {
    uint64_t key;
    struct flm_label_set labels;
    struct flm_node root; /* its frame with options->by_thread */
    struct flm_calls calls;
};

struct flm_gpu_call {
    uint64_t group;
    int64_t correlation; /* -1: none */
    uint32_t frame;
    uint32_t stack, stack_size; /* frames of its own stack, in flm_gpu.frames, the root first */
    bool is_range;
    uint32_t node, base; /* the call's, and that of the ranges around it; once calls are nested */
};

struct flm_gpu_work {
    uint64_t group;
    int64_t correlation; /* -1: none */
    int64_t time_ns, duration_ns;
    uint64_t bytes; /* that were copied */
    uint32_t frame, track;
};

struct flm_gpu {
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct FLM_ARRAY(struct flm_gpu_track) tracks;
    struct flm_index track_index;
    struct FLM_ARRAY(struct flm_gpu_call) calls;
    struct FLM_ARRAY(struct flm_gpu_work) work;
    struct FLM_ARRAY(uint32_t) frames;
    struct flm_index launches; /* calls by group and correlation */
    uint64_t backwards;        /* calls and work whose end is before their begin */

    const struct flm_event_stack *stack; /* while calls are nested */
};

/* The names of a track; empty ones are not known. */
struct flm_gpu_names {
    struct flm_bytes process, process_name;
    struct flm_bytes thread, thread_name; /* of a queue: "GPU 0 stream 7" */
    struct flm_bytes device, queue;       /* empty for threads */
    const char *queue_key;                /* what the maker calls it: "stream", "queue" */
};

/* The track with that key; FLM_NONE: it has to be added. */
uint32_t flm_gpu_find_track(const struct flm_gpu *gpu, uint64_t key);
uint32_t flm_gpu_add_track(struct flm_gpu *gpu, uint64_t key, const struct flm_gpu_names *names);

/* The same of a thread, or of a stream of a GPU: "GPU 0 stream 7 of process 12", since processes
 * number their streams alike. A process of the number 0 is not known. */
uint32_t flm_gpu_add_thread(struct flm_gpu *gpu, uint64_t key, int64_t process,
                            struct flm_bytes process_name, int64_t thread,
                            struct flm_bytes thread_name);
uint32_t flm_gpu_add_stream(struct flm_gpu *gpu, uint64_t key, int64_t process,
                            struct flm_bytes process_name, int64_t device, int64_t stream);

/* The same where the maker calls it another word than "stream". */
uint32_t flm_gpu_add_queue(struct flm_gpu *gpu, uint64_t key, int64_t process,
                           struct flm_bytes process_name, int64_t device, const char *queue_key,
                           int64_t queue);

/* A call from a time to a time; with an end of FLM_NO_TIME it has none. Of `call` all but the last
 * two members are set. */
void flm_gpu_add_call(struct flm_gpu *gpu, uint32_t track, int64_t begin_ns, int64_t end_ns,
                      const struct flm_gpu_call *call);

/* Of `work` all but the duration is set. */
void flm_gpu_add_work(struct flm_gpu *gpu, int64_t end_ns, const struct flm_gpu_work *work);

/* A frame that has a name and a module, or "" for none. */
uint32_t flm_gpu_frame(struct flm_builder *builder, struct flm_bytes name, const char *module,
                       uint32_t kind);

/* Nests the calls, and adds all that was collected to the builder. */
void flm_gpu_finish(struct flm_gpu *gpu);
void flm_gpu_clear(struct flm_gpu *gpu);

#endif
