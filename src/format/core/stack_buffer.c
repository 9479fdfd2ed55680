#include "format/core/stack_buffer.h"

#include "profile/internal.h"

void flm_stack_begin(struct flm_stack_buffer *s)
{
    s->frames.count = s->threads.count = s->labels.count = 0;
}

static uint32_t string_of(struct flm_stack_buffer *s, struct flm_bytes text)
{
    return flm_builder_string(s->builder, text.at ? text.at : "", text.size).index;
}

void flm_stack_frame(struct flm_stack_buffer *s, const struct flm_stack_frame *frame)
{
    struct flm_frame_record record = {
        .function = string_of(s, frame->function),
        .module = string_of(s, frame->module),
        .file = string_of(s, frame->file),
        .address = frame->address,
        .kind = frame->kind,
        .flags = frame->flags,
    };
    const struct flm_location where = {
        .file = string_of(s, frame->line_file),
        .line = frame->line <= UINT32_MAX ? (uint32_t)frame->line : 0,
        .column = frame->column <= UINT32_MAX ? (uint32_t)frame->column : 0};
    if (!FLM_ARRAY_ADD(&s->frames, flm_builder_located(s->builder, &record, where)))
        flm_builder_fail_memory(s->builder);
}

void flm_stack_label(struct flm_stack_buffer *s, const char *key, struct flm_bytes value)
{
    if (!s->options->keep_times || value.size == 0)
        return;
    if (!FLM_ARRAY_RESERVE(&s->labels, 2)) {
        flm_builder_fail_memory(s->builder);
        return;
    }
    s->labels.at[s->labels.count++] = flm_builder_string(s->builder, key, strlen(key));
    s->labels.at[s->labels.count++] = flm_builder_string(s->builder, value.at, value.size);
}

void flm_stack_thread(struct flm_stack_buffer *s, struct flm_bytes name)
{
    if (!s->options->by_thread)
        return;
    struct flm_frame_record record = {.function = string_of(s, name), .kind = FLM_KIND_LABEL};
    if (!FLM_ARRAY_ADD(&s->threads, flm_builder_frame(s->builder, &record)))
        flm_builder_fail_memory(s->builder);
}

static void reverse(struct flm_frame *frames, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct flm_frame other = frames[i];
        frames[i] = frames[count - 1 - i];
        frames[count - 1 - i] = other;
    }
}

void flm_stack_add(struct flm_stack_buffer *s, enum flm_stack_order order, int64_t time_ns,
                   struct flm_metric metric, double value)
{
    struct flm_builder *b = s->builder;
    if (flm_builder_failed(b))
        return;
    if (order == FLM_LEAF_FIRST)
        reverse(s->frames.at, s->frames.count);
    struct flm_node node = flm_builder_root(b);
    node = flm_builder_descend(b, node, s->threads.at, s->threads.count);
    s->node = flm_builder_descend(b, node, s->frames.at, s->frames.count);
    if (s->options->keep_times)
        flm_builder_sample(b, time_ns, s->node,
                           flm_builder_label_set(b, s->labels.at, s->labels.count / 2), metric,
                           value);
    else
        flm_builder_add(b, s->node, metric, value);
}

void flm_stack_add_more(struct flm_stack_buffer *s, struct flm_metric metric, double value)
{
    if (s->options->keep_times)
        flm_builder_sample_add(s->builder, metric, value);
    else
        flm_builder_add(s->builder, s->node, metric, value);
}

void flm_stack_clear(struct flm_stack_buffer *s)
{
    FLM_ARRAY_CLEAR(&s->frames);
    FLM_ARRAY_CLEAR(&s->threads);
    FLM_ARRAY_CLEAR(&s->labels);
}
