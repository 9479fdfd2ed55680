/* v8_stack.h - functions of JavaScript in the stacks of samples, without any option of node.
 *
 *     native     main  node::Start  EntryTrampoline  EntryTrampoline  0x7f31a0c4d2e1
 *     frames                        [fp] listen      [fp] handle      [fp] parse
 *     together   main  node::Start  listen           handle           parse
 *
 * All code that V8 makes, and its interpreter, keeps frame pointers, and has the function of a
 * frame in it, at one place. The stack dump of the sample has these frames, as they were at that
 * time; only what a function is called is read from the heap, a moment later. A frame is where
 * the return address to its caller is. If what is there is no function (the collector may have
 * moved it since), the frame stays as it is, and is counted.
 *
 * Machine code is left to the perf map or jitdump of a process that writes one, which knows
 * lines.
 *
 * This is the entry "V8" in the table of runtimes (runtime.h). */
#ifndef FLAMEL_RECORD_V8_V8_STACK_H
#define FLAMEL_RECORD_V8_V8_STACK_H

#include "record/runtime/runtime.h"

struct flm_v8s;

struct flm_v8s *flm_v8s_new(const struct flm_runtime_options *options, struct flm_error *why);

/* As flm_runtime.close and .mix: of a `struct flm_v8s`. */
void flm_v8s_free(void *v8s);
bool flm_v8s_mix(void *v8s, struct flm_runtime_sample *sample, int64_t now_ns,
                 flm_event_sink define, void *context, struct flm_error *why);

struct flm_v8_counts {
    uint64_t samples; /* with frames of JavaScript */
    uint64_t frames;  /* of JavaScript in them */
    uint64_t named;   /* the others, by reason: */
    uint64_t beyond_dump, no_function, unreadable;
    uint64_t calls;  /* system calls */
    int64_t read_ns; /* spent on reading */
};
struct flm_v8_counts flm_v8s_counts(const struct flm_v8s *v8s);

#endif
