#include "base/core/hash.h"
#include "format/core/thread_names.h"
#include "format/trace/internal.h"
#include "profile/internal.h"

static struct flm_bytes bytes_of(const struct flm_text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

static bool is_thread(const struct flm_trace *t, uint32_t thread)
{
    const struct flm_interner *v = &t->builder->interner;
    const struct flm_trace_thread *at = &t->threads.at[thread];
    return flm_bytes_equal(flm_interner_text(v, at->thread), bytes_of(&t->event.thread)) &&
           flm_bytes_equal(flm_interner_text(v, at->process), bytes_of(&t->event.process));
}

uint32_t flm_trace_find_thread(struct flm_trace *t)
{
    if (t->threads.count > 0 && is_thread(t, t->last_thread))
        return t->last_thread;
    uint32_t hash = flm_hash_numbers(flm_hash(t->event.process.at, t->event.process.size),
                                     flm_hash(t->event.thread.at, t->event.thread.size));
    struct flm_probe at = flm_index_probe(&t->thread_index, hash);
    while (flm_index_next(&t->thread_index, &at))
        if (is_thread(t, at.found))
            return t->last_thread = at.found;
    struct flm_trace_thread thread = {
        .process = flm_builder_string(t->builder, t->event.process.at, t->event.process.size).index,
        .thread = flm_builder_string(t->builder, t->event.thread.at, t->event.thread.size).index};
    uint32_t index = (uint32_t)t->threads.count;
    if (!FLM_ARRAY_ADD(&t->threads, thread)) {
        flm_builder_fail_memory(t->builder);
        return 0;
    }
    if (!flm_index_add(&t->thread_index, hash, index))
        flm_builder_fail_memory(t->builder);
    return t->last_thread = index;
}

static struct flm_trace_process *find_process(struct flm_trace *t, uint32_t process)
{
    struct flm_probe at = flm_index_probe(&t->process_index, flm_hash_numbers(process, 0));
    while (flm_index_next(&t->process_index, &at))
        if (t->processes.at[at.found].process == process)
            return &t->processes.at[at.found];
    return NULL;
}

void flm_trace_name_process(struct flm_trace *t, uint32_t thread, uint32_t name)
{
    uint32_t process = t->threads.at[thread].process;
    struct flm_trace_process *found = find_process(t, process);
    uint32_t index = (uint32_t)t->processes.count;
    if (found)
        found->name = name;
    else if (!FLM_ARRAY_ADD(&t->processes, (struct flm_trace_process){process, name}) ||
             !flm_index_add(&t->process_index, flm_hash_numbers(process, 0), index))
        flm_builder_fail_memory(t->builder);
}

void flm_trace_label_threads(struct flm_trace *t)
{
    struct flm_builder *b = t->builder;
    for (size_t i = 0; i < t->threads.count && !flm_builder_failed(b); i++) {
        struct flm_trace_thread *thread = &t->threads.at[i];
        const struct flm_trace_process *process = find_process(t, thread->process);
        struct flm_thread_names names = {thread->process, process ? process->name : 0,
                                         thread->thread, thread->name};
        if (t->options->keep_times)
            thread->labels = flm_thread_labels(b, &names);
        thread->root = t->options->by_thread ? flm_thread_root(b, &names) : flm_builder_root(b);
    }
}
