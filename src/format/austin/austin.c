#include "format/austin/internal.h"

#include "base/core/hash.h"
#include "base/number/number.h"
#include "profile/internal.h"

enum { ALLOCATED = FLM_AUSTIN_VALUES, FREED, METRICS };

static const struct {
    const char *name, *unit;
} metrics[METRICS] = {
    [FLM_AUSTIN_TIME] = {"time", "us"},
    [FLM_AUSTIN_IDLE] = {"idle", "samples"},
    [FLM_AUSTIN_MEMORY] = {"memory", "bytes"},
    [ALLOCATED] = {"allocated", "bytes"},
    [FREED] = {"freed", "bytes"},
};

void flm_austin_begin(struct flm_austin *a, struct flm_builder *builder,
                      const struct flm_read_options *options)
{
    *a = (struct flm_austin){.stack = {.builder = builder, .options = options}, .round = 1};
}

/* What austin writes, and no other key: a file must not be able to set the notes that flamel itself
 * goes by ("verdict", "not shown ..."). */
static bool is_own_key(struct flm_bytes key)
{
    static const char *const keys[] = {
        "austin", "interval",     "mode",       "python",   "count",   "duration",  "gc",
        "memory", "multiprocess", "saturation", "sampling", "threads", "long idle", "errors"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (flm_bytes_are(key, keys[i]))
            return true;
    return false;
}

void flm_austin_metadata(struct flm_austin *a, struct flm_bytes key, struct flm_bytes value)
{
    enum { MOST_FOREIGN = 64 };
    static const char foreign[] = "austin: ";
    char name[32 + sizeof foreign] = "";
    bool is_own = is_own_key(key);
    size_t size = is_own ? 0 : sizeof foreign - 1;
    if (key.size == 0 || key.size >= 32 || flm_bytes_are(key, "map"))
        return;
    if (!is_own && a->foreign_count++ >= MOST_FOREIGN) {
        flm_builder_lost(a->stack.builder, "metadata that austin does not write", "", 0, 1);
        return;
    }
    memcpy(name, foreign, size);
    memcpy(name + size, key.at, key.size);
    name[size + key.size] = 0;
    if (flm_bytes_are(key, "mode"))
        a->is_memory = flm_bytes_are(value, "memory");
    a->name.size = 0;
    flm_text_add(&a->name, value);
    if (flm_bytes_are(key, "interval") || flm_bytes_are(key, "duration"))
        flm_text_puts(&a->name, " us");
    if (a->name.failed)
        flm_builder_fail_memory(a->stack.builder);
    else
        flm_builder_note(a->stack.builder, name, a->name.at, a->name.size);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

void flm_austin_frame(struct flm_bytes name, struct flm_stack_frame *frame)
{
    *frame = (struct flm_stack_frame){.function = name};
    size_t line = name.size;
    while (line > 0 && name.at[line - 1] != ':')
        line--;
    uint64_t number;
    if (line < 2 || !flm_number_parse_uint(flm_bytes_from(name, line), &number))
        return;
    size_t function = line - 1;
    while (function > 0 && name.at[function - 1] != ':')
        function--;
    if (function < 2)
        return;
    struct flm_bytes file = {name.at, function - 1};
    if (flm_bytes_are(file, "kernel") && number == 0) {
        frame->kind = FLM_KIND_KERNEL;
        return;
    }
    frame->file = file;
    frame->line = number;
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* NULL when memory ran out. */
static struct flm_austin_thread *thread_of(struct flm_austin *a, const struct flm_austin_sample *s)
{
    uint64_t hash = flm_mix(flm_hash(s->process.at, s->process.size) + 1,
                            flm_hash(s->thread.at, s->thread.size) + 2);
    struct flm_probe at = flm_index_probe(&a->thread_index, (uint32_t)hash);
    while (flm_index_next(&a->thread_index, &at))
        if (a->threads.at[at.found].hash == hash)
            return &a->threads.at[at.found];
    if (!FLM_ARRAY_ADD(&a->threads, (struct flm_austin_thread){.hash = hash}))
        return NULL;
    if (!flm_index_add(&a->thread_index, (uint32_t)hash, (uint32_t)a->threads.count - 1)) {
        a->threads.count--;
        return NULL;
    }
    return &a->threads.at[a->threads.count - 1];
}

static int64_t time_of(struct flm_austin *a, const struct flm_austin_sample *s, double lasts_us)
{
    struct flm_austin_thread *thread = thread_of(a, s);
    if (!thread) {
        flm_builder_fail_memory(a->stack.builder);
        return FLM_NO_TIME;
    }
    bool is_next_round = thread->round == a->round, is_new = thread->round == 0;
    a->round += is_next_round;
    if ((!is_new && thread->round + 1 == a->round) || thread->end_us > a->begin_us)
        a->begin_us = thread->end_us;
    thread->round = a->round;
    if (a->begin_us > INT64_MAX / 2000) /* 146 years */
        return FLM_NO_TIME;
    thread->end_us = a->begin_us + (int64_t)lasts_us;
    return a->begin_us * 1000;
}

/* ---- Samples --------------------------------------------------------------------------------- */

static void add_value(struct flm_austin *a, int metric, double value, int64_t time_ns, bool *added)
{
    struct flm_builder *b = a->stack.builder;
    if (!a->has_metric[metric])
        a->metric[metric] = flm_builder_metric(b, metrics[metric].name, metrics[metric].unit);
    a->has_metric[metric] = true;
    if (value == 0 || flm_builder_failed(b))
        return;
    if (*added)
        flm_stack_add_more(&a->stack, a->metric[metric], value);
    else
        flm_stack_add(&a->stack, FLM_ROOT_FIRST, time_ns, a->metric[metric], value);
    *added = true;
}

static void add_labels(struct flm_austin *a, const struct flm_austin_sample *s)
{
    struct flm_stack_buffer *stack = &a->stack;
    flm_stack_label(stack, "process", s->process);
    flm_stack_label(stack, "thread", s->thread);
    if (s->interpreter.size > 0 && !flm_bytes_are(s->interpreter, "0"))
        flm_stack_label(stack, "interpreter", s->interpreter);
    if (s->has[FLM_AUSTIN_IDLE] && s->value[FLM_AUSTIN_IDLE] != 0)
        flm_stack_label(stack, "idle", flm_bytes_of("yes"));
    if (!stack->options->by_thread)
        return;
    a->name.size = 0;
    flm_text_putc(&a->name, 'P');
    flm_text_add(&a->name, s->process);
    flm_stack_thread(stack, (struct flm_bytes){a->name.at, a->name.size});
    a->name.size = 0;
    flm_text_putc(&a->name, 'T');
    if (s->interpreter.size > 0) {
        flm_text_add(&a->name, s->interpreter);
        flm_text_putc(&a->name, ':');
    }
    flm_text_add(&a->name, s->thread);
    flm_stack_thread(stack, (struct flm_bytes){a->name.at, a->name.size});
    if (a->name.failed)
        flm_builder_fail_memory(stack->builder);
}

void flm_austin_add(struct flm_austin *a, const struct flm_austin_sample *s)
{
    enum { MOST_US = 1 << 30 }; /* a round of 18 minutes, which no round lasts */
    bool added = false;
    int64_t time_ns = FLM_NO_TIME;
    double memory = s->value[FLM_AUSTIN_MEMORY], lasts_us = s->value[FLM_AUSTIN_TIME];
    bool has_times = a->has_times && a->stack.options->keep_times && s->has[FLM_AUSTIN_TIME] &&
                     lasts_us > 0 && lasts_us <= MOST_US;
    a->has_samples = true;
    add_labels(a, s);
    if (has_times)
        time_ns = time_of(a, s, lasts_us);
    for (int i = 0; i < FLM_AUSTIN_VALUES; i++)
        if (s->has[i])
            add_value(a, i, s->value[i], time_ns, &added);
    if (s->has[FLM_AUSTIN_MEMORY]) {
        add_value(a, ALLOCATED, memory > 0 ? memory : 0, time_ns, &added);
        add_value(a, FREED, memory < 0 ? -memory : 0, time_ns, &added);
    }
    if (time_ns != FLM_NO_TIME && added)
        flm_builder_sample_lasts(a->stack.builder, (int64_t)lasts_us * 1000);
    flm_stack_begin(&a->stack);
}

void flm_austin_clear(struct flm_austin *a)
{
    flm_stack_clear(&a->stack);
    FLM_ARRAY_CLEAR(&a->threads);
    flm_index_clear(&a->thread_index);
    flm_text_clear(&a->name);
}
