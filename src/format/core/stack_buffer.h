/* stack_buffer.h - one stack at a time, for readers of texts: its frames, its labels, then its
 * values.
 *
 *     struct flm_stack_buffer stack = {.builder = builder, .options = options};
 *     flm_stack_frame(&stack, &(struct flm_stack_frame){.function = name, .line = 12});
 *     flm_stack_label(&stack, "state", flm_bytes_of("RUNNABLE"));
 *     flm_stack_thread(&stack, flm_bytes_of("main"));          a frame with options->by_thread
 *     flm_stack_add(&stack, FLM_LEAF_FIRST, FLM_NO_TIME, metric, 1);
 *     flm_stack_begin(&stack);                                 the next one
 *     flm_stack_clear(&stack);
 *
 * It does what every such reader has to decide in the same way: lines are locations, which the
 * builder keeps or makes frames of; labels and times are kept with options->keep_times, otherwise
 * the value is added to the stack. A failed allocation is remembered by the builder, which reports
 * it. */
#ifndef FLAMEL_FORMAT_CORE_STACK_BUFFER_H
#define FLAMEL_FORMAT_CORE_STACK_BUFFER_H

#include "base/core/array.h"
#include "format/core/format.h"

/* What is not known is left out. */
struct flm_stack_frame {
    struct flm_bytes function, file, module;
    struct flm_bytes line_file; /* of the line, where its name differs: with folders, say */
    uint64_t line, column;      /* that ran */
    uint64_t address;           /* of a frame without a name */
    uint32_t kind;              /* enum flm_kind */
    uint32_t flags;             /* FLM_FRAME_... */
};

struct flm_stack_buffer {
    struct flm_builder *builder;
    const struct flm_read_options *options;

    struct FLM_ARRAY(struct flm_frame) frames;  /* in the order of the input */
    struct FLM_ARRAY(struct flm_frame) threads; /* outermost first */
    struct FLM_ARRAY(struct flm_string) labels; /* key, value, key, value ... */
    struct flm_node node;                       /* of what was added last */
};

enum flm_stack_order { FLM_ROOT_FIRST, FLM_LEAF_FIRST };

void flm_stack_begin(struct flm_stack_buffer *stack);
void flm_stack_frame(struct flm_stack_buffer *stack, const struct flm_stack_frame *frame);

/* An empty value is no label. */
void flm_stack_label(struct flm_stack_buffer *stack, const char *key, struct flm_bytes value);

/* The frame of a process or a thread, at the root, for options->by_thread. */
void flm_stack_thread(struct flm_stack_buffer *stack, struct flm_bytes name);

/* Adds the value, at a time that may be FLM_NO_TIME. Frames and labels are then used up. */
void flm_stack_add(struct flm_stack_buffer *stack, enum flm_stack_order order, int64_t time_ns,
                   struct flm_metric metric, double value);

/* Adds a value in another metric to what was added last. */
void flm_stack_add_more(struct flm_stack_buffer *stack, struct flm_metric metric, double value);

void flm_stack_clear(struct flm_stack_buffer *stack);

#endif
