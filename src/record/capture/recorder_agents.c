/* recorder_agents.c - samples that agents inside of runtimes have taken: unwound, spooled, and
 * added to the session, as those of the rings are. */
#include <string.h>

#include "record/capture/internal.h"

bool flm_recorder_take_code(void *context, struct flm_event *event, struct flm_error *why)
{
    struct flm_recorder *r = context;
    if (r->spool)
        flm_perf_stream_code(r->spool, &event->code);
    return flm_session_add(r->session, event, why);
}

static void push(struct flm_recorder *r, size_t *count, uint64_t word)
{
    if (*count < FLM_MOST_CHAIN)
        r->chain[(*count)++] = word;
}

/* Native code that was called by generated code: up to there. False: it was not reached. */
static bool push_native(struct flm_recorder *r, const struct flm_runtime_sampled *s, size_t *count)
{
    struct flm_stack stack = flm_session_unwind_part(r->session, &s->event);
    size_t before = *count;
    for (size_t i = 0; i < stack.count; i++) {
        uint64_t word = stack.addresses[i];
        if (word >= s->code_start && word < s->code_end) {
            if (*count > before && r->chain[*count - 1] == FLM_CONTEXT_USER)
                --*count;
            return true;
        }
        if (s->frame_count == 0 || word != FLM_CODE_TRUNCATED)
            push(r, count, word);
    }
    return stack.is_whole;
}

/* perf's form of a sample's first fields: FLM_STREAM_SAMPLE. Those of other metrics than the
 * recorder's events have no attributes there. */
static void spool(struct flm_recorder *r, const struct flm_event *event, size_t count)
{
    struct {
        uint32_t type;
        uint16_t misc, size;
        uint64_t id, ip;
        uint32_t process, thread;
        uint64_t time;
        uint32_t cpu, reserved;
        uint64_t period;
    } record = {.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER, .size = sizeof record};
    _Static_assert(sizeof record == 8 + FLM_STREAM_SAMPLE_SIZE, "as perf_stream.h has it");
    size_t ids;
    const uint64_t *id = flm_rings_ids(r->rings, 0, &ids);
    if (!r->spool || ids == 0 || event->sample.layout->number != 0)
        return;
    record.id = id[0];
    record.process = (uint32_t)event->process;
    record.thread = (uint32_t)event->thread;
    record.time = (uint64_t)event->time_ns;
    record.cpu = event->cpu;
    record.period = event->sample.period;
    flm_perf_stream_sample(r->spool, (const char *)&record, sizeof record, r->chain, count,
                           (struct flm_bytes){0});
}

static bool take_sampled(void *context, struct flm_runtime_sampled *s, struct flm_error *why)
{
    struct flm_recorder *r = context;
    struct flm_event_sample *sample = &s->event.sample;
    size_t count = 0;
    if (s->event.time_ns < r->started_ns && !sample->layout->lasts)
        return true;
    for (size_t i = 0; i < sample->chain_count; i++)
        push(r, &count, sample->chain[i]);
    bool has_native = sample->registers != NULL;
    if (has_native)
        push_native(r, s, &count);
    if (s->frame_count > 0)
        push(r, &count, FLM_CONTEXT_USER);
    for (size_t i = 0; i < s->frame_count; i++)
        push(r, &count, s->frames[i]);
    if (s->is_cut)
        push(r, &count, FLM_CODE_TRUNCATED);
    sample->chain = r->chain;
    sample->chain_count = count;
    sample->registers = NULL;
    sample->register_abi = 0;
    sample->stack = (struct flm_bytes){0};
    sample->layouts = &r->layouts;
    r->samples += sample->layout->number == 0;
    spool(r, &s->event, count);
    return flm_session_add(r->session, &s->event, why);
}

static struct flm_runtime_sinks sinks_of(struct flm_recorder *r)
{
    return (struct flm_runtime_sinks){take_sampled, flm_recorder_take_code, r};
}

static struct flm_thread_signals *open_signals(const struct flm_rings *rings)
{
    struct FLM_ARRAY(int) first = {0};
    bool good = true;
    for (size_t i = 0; i < rings->files.count && good; i++)
        good = rings->files.at[i].event != 0 || FLM_ARRAY_ADD(&first, rings->files.at[i].file);
    struct flm_thread_signals *signals =
        good && first.count > 0 ? flm_thread_signals_open(first.at, first.count) : NULL;
    FLM_ARRAY_CLEAR(&first);
    return signals;
}

static uint32_t signal_process(void *context, int32_t process)
{
    struct flm_recorder *r = context;
    if (!r->signals)
        r->signals = open_signals(r->rings);
    return process != 0 && r->signals && flm_thread_signals_add(r->signals, process)
               ? FLM_THREAD_SIGNAL
               : 0;
}

static void end_signal(void *context, int32_t process)
{
    struct flm_recorder *r = context;
    if (r->signals)
        flm_thread_signals_remove(r->signals, process);
}

bool flm_recorder_begin_agents(struct flm_recorder *r, struct flm_error *why)
{
    const struct perf_event_attr *attr = &r->request.event[0].attr;
    const struct flm_runtime_target target = {
        .processes = r->options.processes,
        .process_count = r->options.process_count,
        .child = flm_recorder_records_command(r) ? r->child.process : 0,
        .layout = &r->layouts.items.at[0],
        .event = attr->config,
        .period = attr->sample_period,
        .event_type = attr->type,
        .by_frequency = attr->freq,
        .with_kernel = !attr->exclude_kernel,
        .hz = r->request.hz,
        .first_number = (uint32_t)r->layouts.items.count,
        .signal = signal_process,
        .end_signal = end_signal,
        .context = r,
    };
    return !r->runtimes || flm_runtimes_begin(r->runtimes, &target, why);
}

bool flm_recorder_read_agents(struct flm_recorder *r, struct flm_error *why)
{
    const struct flm_runtime_sinks sinks = sinks_of(r);
    return !r->runtimes || flm_runtimes_read(r->runtimes, &sinks, why);
}

bool flm_recorder_join_agents(struct flm_recorder *r, int64_t until_ns, struct flm_error *why)
{
    const struct flm_runtime_sinks sinks = sinks_of(r);
    return !r->runtimes || flm_runtimes_join(r->runtimes, until_ns, &sinks, why);
}

bool flm_recorder_end_agents(struct flm_recorder *r, struct flm_error *why)
{
    const struct flm_runtime_sinks sinks = sinks_of(r);
    return !r->runtimes || flm_runtimes_end(r->runtimes, &sinks, why);
}
