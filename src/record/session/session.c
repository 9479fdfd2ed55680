#include "record/perf/kernel_abi.h"
#include "record/session/internal.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "base/number/number.h"
#include "flamel/builder.h"
#include "record/sched/sched_event.h"

struct flm_session *flm_session_begin(const struct flm_session_options *options,
                                      struct flm_symbolizer *symbolizer, struct flm_error *why)
{
    assert(options && symbolizer);
    struct flm_session *s = calloc(1, sizeof *s);
    if (!s) {
        symbolizer->calls->free(symbolizer);
        flm_error_memory(why);
        return NULL;
    }
    s->symbolizer = symbolizer;
    s->options = *options;
    s->aggregation.keep_times = options->keep_times;
    s->oldest_ns = s->newest_ns = s->forgot_ns = FLM_NO_TIME;
    const struct flm_processes_options processes = {.live = options->live,
                                                    .kernel_is_ours = options->kernel_is_ours};
    bool good = flm_locations_init(&s->locations, symbolizer, why) &&
                flm_stacks_init(&s->stacks, why) &&
                (s->processes = flm_processes_new(symbolizer, &processes, why));
    if (good)
        return s;
    flm_session_free(s);
    return NULL;
}

void flm_session_free(struct flm_session *s)
{
    if (!s)
        return;
    flm_processes_free(s->processes);
    s->symbolizer->calls->free(s->symbolizer);
    flm_locations_clear(&s->locations);
    flm_stacks_clear(&s->stacks);
    flm_switches_clear(&s->switches);
    flm_session_markers_clear(&s->markers);
    flm_aggregation_clear(&s->aggregation);
    for (size_t i = 0; i < s->events.count; i++)
        free(s->events.at[i].name.at);
    for (size_t i = 0; i < s->codes.count; i++)
        flm_text_clear(&s->codes.at[i].text);
    for (size_t i = 0; i < s->notes.count; i++) {
        free(s->notes.at[i].key.at);
        flm_text_clear(&s->notes.at[i].value);
    }
    flm_session_labels_clear(&s->labels);
    flm_index_clear(&s->code_index);
    flm_index_clear(&s->counter_index);
    free(s->events.at);
    free(s->codes.at);
    free(s->counters.at);
    free(s->losses.at);
    free(s->notes.at);
    free(s);
}

/* ---- Losses and notes ------------------------------------------------------------------------ */

bool flm_session_lose_at(struct flm_session *s, const char *what, double count, uint64_t offset)
{
    assert(what && count >= 0);
    for (size_t i = 0; i < s->losses.count; i++) {
        if (strcmp(s->losses.at[i].what, what) == 0) {
            s->losses.at[i].count += count;
            return true;
        }
    }
    return FLM_ARRAY_ADD(&s->losses, (struct flm_session_loss){what, count, offset});
}

void flm_session_lost(struct flm_session *s, const char *what, double count)
{
    if (count > 0 && !flm_session_lose_at(s, what, count, 0))
        s->failed = true;
}

void flm_session_note(struct flm_session *s, const char *key, struct flm_bytes value)
{
    assert(key);
    struct flm_session_note new = {0};
    if (!FLM_ARRAY_RESERVE(&s->notes, 1)) {
        s->failed = true;
        return;
    }
    if (!flm_owned_string_init(&new.key, flm_bytes_of(key))) {
        s->failed = true;
        return;
    }
    struct flm_session_note *note = &s->notes.at[s->notes.count++];
    *note = new;
    flm_text_add(&note->value, value);
    s->failed |= note->value.failed;
}

bool flm_session_build_id(struct flm_session *s, struct flm_bytes path,
                          const struct flm_build_id *id)
{
    return flm_processes_build_id(s->processes, path, id);
}

bool flm_session_has_samples(const struct flm_session *s)
{
    return s->aggregation.samples.count > 0;
}

void flm_session_kernel(struct flm_session *s, bool is_ours)
{
    s->options.kernel_is_ours = is_ours;
    if (s->symbolizer->calls->kernel)
        s->symbolizer->calls->kernel(s->symbolizer, is_ours);
    flm_processes_kernel(s->processes, is_ours);
}

void flm_session_recorded(struct flm_session *s, int64_t from_ns, int64_t until_ns)
{
    if (s->symbolizer->calls->recorded)
        s->symbolizer->calls->recorded(s->symbolizer, from_ns, until_ns);
}

uint64_t flm_session_kernel_start(const struct flm_session *s)
{
    return flm_processes_kernel_start(s->processes);
}

bool flm_session_memory(struct flm_session *s, int32_t process, int64_t time_ns, double bytes)
{
    return !s->options.keep_times ||
           flm_session_markers_memory(&s->markers, process, time_ns, bytes);
}

bool flm_session_exit(struct flm_session *s, int32_t process, struct flm_bytes status)
{
    return flm_session_markers_exit(&s->markers, process, status);
}

size_t flm_session_processes(const struct flm_session *s, int32_t *processes, size_t most)
{
    return flm_processes_list(s->processes, processes, most);
}

struct flm_record_counts flm_session_counts(const struct flm_session *s)
{
    return s->counts;
}

uint32_t flm_session_living(const struct flm_session *s, int32_t *process)
{
    return flm_processes_living(s->processes, process);
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* The event of a layout, added at its first sample. NULL when memory ran out. */
static struct flm_session_event *find_event(struct flm_session *s,
                                            const struct flm_event_layout *layout)
{
    size_t number = layout->number;
    if (number >= s->events.count) {
        size_t more = number + 1 - s->events.count;
        if (!FLM_ARRAY_RESERVE(&s->events, more))
            return NULL;
        memset(s->events.at + s->events.count, 0, more * sizeof *s->events.at);
        s->events.count += more;
    }
    struct flm_session_event *event = &s->events.at[number];
    if (event->is_known)
        return event;
    if (!flm_owned_string_init(&event->name, flm_bytes_of(layout->name ? layout->name : "")))
        return NULL;
    event->has_period = layout->has_period || layout->period > 0;
    event->lasts = layout->lasts;
    event->is_known = true;
    return event;
}

static bool count_value(struct flm_session *s, const struct flm_event *event,
                        const struct flm_event_layout *layout, uint32_t node,
                        struct flm_bytes command, uint64_t period)
{
    const struct flm_session_event *known = find_event(s, layout);
    if (!known)
        return false;
    struct flm_sample_attributes attributes = {.command = command,
                                               .process = event->process,
                                               .thread = event->thread,
                                               .cpu = event->cpu,
                                               .event = layout->number,
                                               .thread_name = event->sample.thread_name,
                                               .runtime_state = event->sample.state};
    memcpy(attributes.labels, event->sample.labels, sizeof attributes.labels);
    s->rounded_count += known->has_period && flm_uint_is_rounded(period);
    return flm_aggregation_add(&s->aggregation, event->time_ns, node, &attributes,
                               known->has_period ? (double)period : 1);
}

/* How much a counter has grown since its last value. False when memory ran out. */
static bool read_counter(struct flm_session *s, uint64_t id, uint64_t value, uint64_t *grown)
{
    uint32_t hash = flm_hash_numbers(id, 0);
    for (struct flm_probe at = flm_index_probe(&s->counter_index, hash);
         flm_index_next(&s->counter_index, &at);) {
        struct flm_session_counter *counter = &s->counters.at[at.found];
        if (counter->id == id) {
            *grown = value > counter->value ? value - counter->value : 0;
            counter->value = value;
            return true;
        }
    }
    if (!FLM_ARRAY_RESERVE(&s->counters, 1))
        return false;
    if (!flm_index_add(&s->counter_index, hash, (uint32_t)s->counters.count))
        return false;
    s->counters.at[s->counters.count++] = (struct flm_session_counter){id, value};
    *grown = value;
    return true;
}

/* The counters of a group; each is counted at the stack of the leader's sample. */
static bool count_group(struct flm_session *s, const struct flm_event *event, uint32_t node,
                        struct flm_bytes command)
{
    const struct flm_event_sample *sample = &event->sample;
    for (size_t i = 0; i < sample->count_count; i++) {
        uint64_t value = sample->counts[i * sample->count_stride];
        uint64_t id = sample->counts[i * sample->count_stride + 1], grown;
        const struct flm_event_layout *layout = flm_event_layouts_find(sample->layouts, id);
        if (!layout)
            layout = sample->layout;
        if (!read_counter(s, id, value, &grown))
            return false;
        if (grown > 0 && !count_value(s, event, layout, node, command, grown))
            return false;
    }
    return true;
}

/* Counts the reason why the last stack is truncated. A stack that this session unwound while it was
 * recorded is counted there. */
static bool count_missing(struct flm_session *s, uint64_t offset)
{
    return (!s->too_deep ||
            flm_session_lose_at(s, "outer frames of truncated stacks (more than 1024 frames)", 1,
                                offset)) &&
           (!s->at_limit ||
            flm_session_lose_at(s, "outer frames of stacks as deep as kernel.perf_event_max_stack",
                                1, offset)) &&
           (!s->was_truncated || s->options.live ||
            flm_session_lose_at(
                s, "outer frames of truncated stacks (not unwound to the end when recorded)", 1,
                offset));
}

/* ---- Samples with their stacks --------------------------------------------------------------- */

/* Samples of the first event that stand for time, each for the time before it. */
static bool add_busy(struct flm_session *s, const struct flm_event *event)
{
    const struct flm_event_layout *layout = event->sample.layout;
    double lasts_ns =
        flm_event_is_clock(layout->type, layout->config) ? (double)event->sample.period
        : layout->type == FLM_PERF_TYPE_HARDWARE &&
                layout->config == FLM_PERF_COUNT_HW_CPU_CYCLES && layout->frequency > 0
            ? 1e9 / (double)layout->frequency
            : 0;
    if (!s->options.keep_times || layout->number != 0 || event->thread == 0 ||
        event->time_ns == FLM_NO_TIME || !(lasts_ns >= 1 && lasts_ns < 1e12))
        return true;
    s->markers.sampled_every_ns = lasts_ns;
    return flm_busy_add(&s->markers.sampled, event->time_ns - (int64_t)lasts_ns, event->time_ns);
}

static bool add_sample(struct flm_session *s, const struct flm_event *event)
{
    const struct flm_event_sample *sample = &event->sample;
    enum flm_sched_kind kind = flm_sched_kind(sample->layout);
    if (kind == FLM_SCHED_WAKE)
        flm_session_add_wake(s, event);
    if (kind == FLM_SCHED_WAKE && sample->layout->only_marks)
        return true;
    const struct flm_process *process = flm_processes_get(s->processes, event->process);
    const struct flm_process *kernel = flm_processes_get(s->processes, -1);
    if (!process || !kernel)
        return false;
    struct flm_bytes command = flm_session_command(s, event->thread);
    uint32_t root = flm_session_root(s, event, command);
    if (root == UINT32_MAX)
        return false;
    flm_session_collect(s, process, sample);
    if (!count_missing(s, event->offset))
        return false;
    uint32_t era = s->moves_code && event->time_ns != FLM_NO_TIME
                       ? ((uint32_t)(event->time_ns >> 30) & 0xFFFFFF) + 1
                       : 0;
    uint32_t node = flm_session_node(s, process, kernel, root, era);
    if (node == UINT32_MAX)
        return false;
    if (kind == FLM_SCHED_SWITCH && !flm_session_mark_switch(s, event, node))
        return false;
    if (sample->layout->only_marks)
        return true;
    s->counts.samples++;
    if (kind != FLM_SCHED_SWITCH && !sample->layout->is_elsewhere &&
        !flm_session_see_running(s, event))
        return false;
    return add_busy(s, event) &&
           (sample->count_count > 0
                ? count_group(s, event, node, command)
                : count_value(s, event, sample->layout, node, command, sample->period));
}

/* ---- Code without an address, and mappings ------------------------------------- */

static bool add_code(struct flm_session *s, const struct flm_event_code *code)
{
    if (!FLM_ARRAY_RESERVE(&s->codes, 1))
        return false;
    struct flm_session_code new = {.address = code->address,
                                   .function_size = code->function.size,
                                   .file_size = code->file.size,
                                   .line = code->line,
                                   .frame_kind = code->frame_kind};
    flm_text_add(&new.text, code->function);
    flm_text_add(&new.text, code->file);
    flm_text_add(&new.text, code->module);
    uint32_t hash = (uint32_t)flm_hash(&code->address, sizeof code->address);
    if (new.text.failed || !flm_index_add(&s->code_index, hash, (uint32_t)s->codes.count)) {
        flm_text_clear(&new.text);
        return false;
    }
    s->codes.at[s->codes.count++] = new;
    return true;
}

static bool add_map(struct flm_session *s, const struct flm_event *event)
{
    const struct flm_symbolizer_calls *calls = s->symbolizer->calls;
    bool is_announced = false;
    if (event->map.is_code && event->map.path.size > 0 && event->map.path.at[0] == '/' &&
        event->map.path.at[event->map.path.size - 1] != '/' &&
        !flm_session_markers_program(&s->markers, event->process, event->map.path))
        return false;
    if (calls->map && !calls->map(s->symbolizer, event, &is_announced, &s->moves_code))
        return false;
    return is_announced || flm_processes_change(s->processes, event);
}

/* ---- Events ---------------------------------------------------------------------------------- */

static bool add_note(struct flm_session *s, const struct flm_event *event)
{
    char key[64];
    struct flm_text text;
    flm_text_init_fixed(&text, key, sizeof key - 1);
    flm_text_add(&text, event->note.key);
    key[text.size] = 0;
    flm_session_note(s, key, event->note.value);
    return true;
}

/* Processes and threads, as markers. What was there before the recording has no time, or, as names
 * of threads that nobody knew, is no event. */
static bool add_marker(struct flm_session *s, const struct flm_event *event)
{
    char parent[32];
    struct flm_text text;
    bool is_process = event->process == event->thread;
    struct flm_bytes name = flm_thread_name(s->processes, event->thread), detail = {"", 0};
    struct flm_session_marker marker = {
        .time_ns = event->time_ns, .process = event->process, .thread = event->thread};
    if (!s->options.keep_times || event->time_ns == FLM_NO_TIME || event->time_ns == 0)
        return true;
    switch (event->kind) {
    case FLM_EVENT_FORK:
        marker.kind = FLM_MARKER_THREAD_START;
        detail = name;
        if (event->fork.parent_process != event->process) {
            marker.kind = FLM_MARKER_FORK;
            flm_text_init_fixed(&text, parent, sizeof parent);
            flm_text_format(&text, "of %d", event->fork.parent_process);
            detail = (struct flm_bytes){text.at, text.size};
        }
        break;
    case FLM_EVENT_EXIT:
        marker.kind = is_process ? FLM_MARKER_EXIT : FLM_MARKER_THREAD_EXIT;
        break;
    default:
        marker.kind = event->name.is_exec ? FLM_MARKER_EXEC : FLM_MARKER_THREAD_NAME;
        detail = event->name.text;
    }
    marker.command = flm_session_command(s, event->thread);
    return flm_session_markers_add(&s->markers, &marker, detail);
}

static bool add_name(struct flm_session *s, const struct flm_event *event)
{
    bool is_news = event->name.is_exec || flm_thread_name(s->processes, event->thread).size > 0;
    return flm_processes_change(s->processes, event) && (!is_news || add_marker(s, event));
}

static bool add_exit(struct flm_session *s, const struct flm_event *event)
{
    if (event->time_ns != FLM_NO_TIME && !flm_session_count_busy(s, event->thread, event->time_ns))
        return false;
    if (event->process == event->thread && event->time_ns != FLM_NO_TIME &&
        !flm_session_markers_no_memory(&s->markers, event->process, event->time_ns))
        return false;
    return add_marker(s, event) &&
           flm_switches_end(&s->switches, event->process, event->thread, event->time_ns) &&
           flm_processes_change(s->processes, event);
}

static bool add_event(struct flm_session *s, const struct flm_event *event)
{
    switch (event->kind) {
    case FLM_EVENT_SAMPLE:
        return event->sample.layout->is_dummy || add_sample(s, event);
    case FLM_EVENT_MAP:
        return add_map(s, event);
    case FLM_EVENT_FORK:
        s->counts.tasks_begun++;
        return flm_switches_begin(&s->switches, event->process, event->thread,
                                  s->sees_switches && event->time_ns > 0 ? event->time_ns
                                                                         : FLM_NO_TIME) &&
               flm_processes_change(s->processes, event) && add_marker(s, event);
    case FLM_EVENT_EXIT:
        return add_exit(s, event);
    case FLM_EVENT_NAME:
        return add_name(s, event);
    case FLM_EVENT_LOST:
        s->counts.lost += event->lost.count;
        return flm_session_lose_at(s, "events (ring buffer full)", (double)event->lost.count,
                                   event->offset);
    case FLM_EVENT_LOST_SAMPLES:
        s->counts.lost += event->lost.count;
        return flm_session_lose_at(s, "samples (dropped by the kernel)", (double)event->lost.count,
                                   event->offset);
    case FLM_EVENT_THROTTLE:
        s->counts.throttled++;
        return flm_session_lose_at(s, "throttled intervals (sampling paused by the kernel)", 1,
                                   event->offset);
    case FLM_EVENT_SWITCH:
        return flm_session_add_switch(s, event);
    case FLM_EVENT_CODE:
        return add_code(s, &event->code);
    case FLM_EVENT_NOTE:
        return add_note(s, event);
    default:
        return true;
    }
}

/* Processes and threads that ended two seconds before the newest event have no more events. */
static bool forget_ended(struct flm_session *s)
{
    enum { SECOND = 1000000000 };
    if (s->newest_ns < INT64_MIN + 2LL * SECOND) /* no times */
        return true;
    if (s->forgot_ns == FLM_NO_TIME)
        s->forgot_ns = s->newest_ns;
    if (s->newest_ns - SECOND < s->forgot_ns)
        return true;
    s->forgot_ns = s->newest_ns;
    int64_t before_ns = s->newest_ns - 2LL * SECOND;
    return flm_processes_forget(s->processes, before_ns) &&
           flm_switches_forget(&s->switches, before_ns);
}

bool flm_session_add(void *session, struct flm_event *event, struct flm_error *why)
{
    struct flm_session *s = session;
    if (event->time_ns != FLM_NO_TIME &&
        (s->oldest_ns == FLM_NO_TIME || event->time_ns < s->oldest_ns))
        s->oldest_ns = event->time_ns;
    if (event->time_ns != FLM_NO_TIME && event->time_ns > s->newest_ns)
        s->newest_ns = event->time_ns;
    return (forget_ended(s) && add_event(s, event) && !s->failed) || flm_error_memory(why);
}
