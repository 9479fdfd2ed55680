/* recorder_records.c - a record of the rings: unwound, spooled, and added to the session. */
#include "record/capture/internal.h"

#include <assert.h>
#include <string.h>

#include "os/clock.h"
#include "record/capture/synthesized.h"
#include "record/process/process_map.h"
#include "record/symbols/unwinder.h"

/* Copies the kernel part of a chain, which comes first, into `r->chain`; the user part follows. */
static size_t add_kernel_part(struct flm_recorder *r, const struct flm_event_sample *sample)
{
    size_t count = 0;
    for (; count < sample->chain_count && count < FLM_MOST_CHAIN; count++) {
        if (sample->chain[count] == FLM_CONTEXT_USER)
            break;
        r->chain[count] = sample->chain[count];
    }
    return count;
}

/* The calls that have not returned, from LBR, newest first: the target of the newest, and the
 * source of each. A marker in front of an address says that it is not a return address. */
static size_t add_branches(struct flm_recorder *r, const struct flm_event_sample *sample,
                           size_t count)
{
    if (sample->privilege == FLM_IN_USER && count + 2 <= FLM_MOST_CHAIN) {
        r->chain[count++] = FLM_CONTEXT_USER;
        r->chain[count++] = sample->ip;
    }
    for (size_t i = 0; i < sample->branch_count + 1 && count + 2 <= FLM_MOST_CHAIN; i++) {
        r->chain[count++] = FLM_CONTEXT_USER;
        r->chain[count++] = i == 0 ? sample->branches[1] : sample->branches[3 * (i - 1)];
    }
    return count;
}

static bool find_registers(const struct flm_runtime_sample *sample, size_t frame,
                           struct flm_registers *registers)
{
    return flm_unwind_registers(sample->process, &sample->event->sample, frame, registers);
}

/* Puts functions of runtimes into the chain of `count` addresses. */
static bool mix_runtimes(struct flm_recorder *r, struct flm_event *event, size_t *count,
                         bool is_whole, struct flm_error *why)
{
    struct flm_runtime_sample sample = {.process = flm_session_process(r->session, event->process),
                                        .event = event,
                                        .chain = r->chain,
                                        .count = *count,
                                        .capacity = FLM_MOST_CHAIN,
                                        .is_whole = is_whole};
    if (event->sample.registers && event->sample.branch_count == 0)
        sample.registers = find_registers;
    if (!sample.process)
        return flm_error_memory(why);
    bool good =
        flm_runtimes_mix(r->runtimes, &sample, flm_now_ns(), flm_recorder_take_code, r, why);
    *count = sample.count;
    event->sample.thread_name = sample.thread_name;
    event->sample.state = sample.state;
    memcpy(event->sample.labels, sample.labels, sizeof sample.labels);
    return good;
}

static bool is_truncated(const struct flm_recorder *r, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (r->chain[i] == FLM_CODE_TRUNCATED)
            return true;
    return false;
}

/* Replaces the stack dump of a sample by its whole stack, as a call chain. */
static bool unwind(struct flm_recorder *r, struct flm_event *event,
                   const struct flm_stack_sizes_sample *sized, struct flm_error *why)
{
    struct flm_event_sample *sample = &event->sample;
    struct flm_stack stack = {.is_whole = true};
    size_t count = add_kernel_part(r, sample);
    if (sample->branch_count > 0) {
        count = add_branches(r, sample, count);
    } else {
        stack = flm_session_unwind(r->session, event);
        size_t fits = stack.count < FLM_MOST_CHAIN - count ? stack.count : FLM_MOST_CHAIN - count;
        memcpy(r->chain + count, stack.addresses, fits * sizeof *r->chain);
        count += fits;
        const struct flm_stack_sizes_stack dumped = {stack.is_whole, stack.is_beyond_dump,
                                                     stack.dump_size};
        if (r->stack_sizes)
            flm_stack_sizes_unwound(r->stack_sizes, sized, &dumped);
    }
    if (r->runtimes && !mix_runtimes(r, event, &count, stack.is_whole, why))
        return false;
    if (!stack.is_whole && !is_truncated(r, count))
        flm_session_completed(r->session, &stack);
    /* An interpreter that was started after the recording: its events do not wake a reader yet. */
    if (r->runtimes && !r->request.prompt && flm_runtimes_saw_last(r->runtimes)) {
        if (!r->stack_sizes || sized->level == 0)
            r->unwoken_ns = flm_now_ns();
        if (r->readers && r->stack_sizes)
            flm_stack_sizes_want(r->stack_sizes, event->process, event->thread);
    }
    sample->chain = r->chain;
    sample->chain_count = count;
    sample->registers = NULL;
    sample->register_abi = 0;
    sample->stack = (struct flm_bytes){0};
    sample->branch_count = 0;
    return true;
}

/* Whether a sample is counted. One with a larger stack dump becomes one of the event that all
 * threads have. */
static bool take_size(struct flm_recorder *r, struct flm_event *event,
                      struct flm_stack_sizes_sample *sized)
{
    size_t number;
    unsigned level = flm_thread_events_level(&r->thread_events, event->sample.layout, &number);
    event->sample.layout = &r->layouts.items.at[number];
    *sized = (struct flm_stack_sizes_sample){.process = event->process,
                                             .thread = event->thread,
                                             .cpu = event->cpu,
                                             .level = level,
                                             .event = (uint32_t)number,
                                             .time_ns = event->time_ns,
                                             .is_first_event = number == 0,
                                             .only_marks = event->sample.layout->only_marks,
                                             .weight = (double)event->sample.period};
    return flm_stack_sizes_counts(r->stack_sizes, sized);
}

static void spool_sample(struct flm_recorder *r, const char *record, size_t size,
                         const struct flm_event_sample *sample)
{
    struct flm_bytes raw = {0};
    if (sample->layout->sample_type & PERF_SAMPLE_RAW)
        raw = sample->raw.size > 0 ? sample->raw : flm_bytes_of("");
    if (r->spool)
        flm_perf_stream_sample(r->spool, record, size, sample->chain, sample->chain_count, raw);
}

/* By an agent, which has the stack. Samples with larger stack dumps, of before it was there, are of
 * the same time. */
static bool is_claimed(struct flm_recorder *r, const struct flm_event *event)
{
    size_t number = event->sample.layout->number;
    bool has_own_size = r->stack_sizes && flm_thread_events_level(
                                              &r->thread_events, event->sample.layout, &number) > 0;
    return r->runtimes && number == 0 && flm_runtimes_claim(r->runtimes, event, !has_own_size);
}

static bool take_sample(struct flm_recorder *r, const char *record, size_t size,
                        struct flm_event *event, struct flm_error *why)
{
    struct flm_stack_sizes_sample sized;
    char own[8 + FLM_STREAM_SAMPLE_SIZE];
    if (event->sample.layout->number == r->request.wake_event) { /* about another thread */
        spool_sample(r, record, size, &event->sample);
        return flm_session_add(r->session, event, why);
    }
    if (is_claimed(r, event) || (r->stack_sizes && !take_size(r, event, &sized)))
        return true;
    if (event->sample.layout == &r->layouts.items.at[0])
        r->samples++;
    if ((event->sample.stack.size > 0 || event->sample.branch_count > 0 || r->runtimes) &&
        !unwind(r, event, &sized, why))
        return false;
    if (r->spool && r->stack_sizes && sized.level > 0) {
        memcpy(own, record, sizeof own);
        flm_thread_events_hide(&r->thread_events, own, sizeof own);
        record = own;
    }
    spool_sample(r, record, size, &event->sample);
    return flm_session_add(r->session, event, why);
}

/* The thread of an event may get another number, or that number become that of another thread. */
static void follow_threads(struct flm_recorder *r, const struct flm_event *event)
{
    if (event->kind == FLM_EVENT_EXIT)
        flm_stack_sizes_end_thread(r->stack_sizes, event->thread);
    else if (event->kind == FLM_EVENT_NAME && event->name.is_exec)
        flm_stack_sizes_end_process(r->stack_sizes, event->process);
}

/* Others come with the first event of a recording alone. */
static bool is_of_one_event(const struct flm_event *event)
{
    return event->kind == FLM_EVENT_LOST || event->kind == FLM_EVENT_LOST_SAMPLES ||
           event->kind == FLM_EVENT_THROTTLE || event->kind == FLM_EVENT_UNTHROTTLE;
}

bool flm_recorder_take(void *recorder, const char *record, size_t size, struct flm_event *event,
                       struct flm_error *why)
{
    struct flm_recorder *r = recorder;
    if (event->kind == FLM_EVENT_SAMPLE)
        return take_sample(r, record, size, event, why);
    if (event->kind == FLM_EVENT_MAP && r->runtimes)
        flm_runtimes_mapped(r->runtimes, event->process, event->map.path);
    if (event->kind == FLM_EVENT_LOST)
        r->reported_lost += event->lost.count;
    char own[128];
    if (r->stack_sizes)
        follow_threads(r, event);
    if (r->spool && r->stack_sizes && size <= sizeof own && is_of_one_event(event)) {
        memcpy(own, record, size);
        flm_thread_events_hide(&r->thread_events, own, size);
        record = own;
    }
    if (r->spool)
        flm_perf_stream_record(r->spool, record, size);
    return flm_session_add(r->session, event, why);
}

/* A synthesized record. */
static bool take_synthesized(void *context, char *record, size_t size, struct flm_error *why)
{
    struct flm_recorder *r = context;
    struct flm_event event;
    bool is_decoded = flm_event_decode(&r->layouts, record, size, 0, &event, NULL);
    assert(is_decoded); /* synthesized.c writes what event.c reads */
    return !is_decoded || flm_recorder_take(r, record, size, &event, why);
}

bool flm_recorder_add_synthesized(struct flm_recorder *r, struct flm_error *why)
{
    const struct flm_record_options *o = &r->options;
    size_t count;
    const uint64_t *ids = flm_rings_ids(r->rings, 0, &count);
    struct flm_synthesized synthesized = {.root = flm_kernel_here.root,
                                          .id = count > 0 ? ids[0] : 0,
                                          .time_ns = r->started_ns,
                                          .sink = take_synthesized,
                                          .context = r};
    if (r->request.kernel && !r->limits.kernel_addresses_hidden &&
        !flm_synthesize_kernel(&synthesized, why))
        return false;
    if (o->machine)
        return flm_synthesize_machine(&synthesized, why);
    for (size_t i = 0; i < r->processes.count; i++)
        if (!flm_synthesize_process(&synthesized, r->processes.at[i], why))
            return false;
    for (size_t i = 0; i < o->thread_count; i++) {
        int32_t process = flm_task_process(o->threads[i], synthesized.root, NULL);
        if (process >= 0 && !flm_synthesize_process(&synthesized, process, why))
            return false;
    }
    return true;
}
