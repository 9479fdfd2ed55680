#include "format/perfetto/internal.h"

/* ---- Samples --------------------------------------------------------------------------------- */

static void add_value(struct flm_perfetto *p, const struct flm_perfetto_sample *sample,
                      struct flm_metric metric)
{
    struct flm_node node = flm_perfetto_node(p, sample->stack, flm_perfetto_root(p, sample->lane));
    if (p->options->keep_times)
        flm_builder_sample(p->builder, sample->time_ns, node, flm_perfetto_labels(p, sample->lane),
                           metric, sample->value);
    else
        flm_builder_add(p->builder, node, metric, sample->value);
}

static void make_metrics(struct flm_perfetto *p, bool is_of_events)
{
    for (size_t i = 0; i < p->metrics.count; i++)
        if (p->metrics.at[i].is_of_events == is_of_events)
            p->metrics.at[i].metric.index =
                flm_builder_metric_of(p->builder, p->metrics.at[i].name, p->metrics.at[i].unit);
}

static void add_samples(struct flm_perfetto *p, bool is_of_events)
{
    make_metrics(p, is_of_events);
    for (size_t i = 0; i < p->samples.count && !flm_builder_failed(p->builder); i++) {
        const struct flm_perfetto_sample *sample = &p->samples.at[i];
        const struct flm_perfetto_metric *metric = &p->metrics.at[sample->metric];
        if (metric->is_of_events == is_of_events)
            add_value(p, sample, metric->metric);
    }
}

/* ---- Heaps ----------------------------------------------------------------------------------- */

/* The metrics of a heap: those of malloc and of older recordings have no name before them. */
static bool make_heap_metrics(struct flm_perfetto *p, uint32_t heap, struct flm_metric *metrics)
{
    static const char *const names[][2] = {{"unreleased size", "bytes"},
                                           {"unreleased count", "count"},
                                           {"allocated size", "bytes"},
                                           {"allocated count", "count"}};
    struct flm_builder *b = p->builder;
    for (int i = 0; i < 4; i++) {
        struct flm_bytes name = flm_interner_text(&b->interner, heap);
        p->text.size = 0;
        if (name.size > 0 && !flm_bytes_are(name, "libc.malloc")) {
            flm_text_add(&p->text, name);
            flm_text_putc(&p->text, ' ');
        }
        flm_text_puts(&p->text, names[i][0]);
        if (p->text.failed) {
            flm_perfetto_no_memory(p);
            return false;
        }
        uint32_t string = flm_perfetto_string(p, (struct flm_bytes){p->text.at, p->text.size});
        metrics[i].index =
            flm_builder_metric_of(b, string, flm_perfetto_string(p, flm_bytes_of(names[i][1])));
    }
    return !flm_builder_failed(b);
}

static void add_allocation(struct flm_perfetto *p, size_t i, const struct flm_metric *metrics)
{
    uint64_t key = p->allocation_keys.all.at[i].b;
    const struct flm_perfetto_heap *heap = &p->heaps.at[key >> 32];
    const struct flm_perfetto_allocation *a = &p->allocations.at[i];
    struct flm_perfetto_lane lane = {heap->thread, false};
    struct flm_builder *b = p->builder;
    struct flm_node node = flm_perfetto_node(p, (uint32_t)key, flm_perfetto_root(p, lane));
    /* ART's heap does not report what is freed: its numbers are of addresses used again. */
    bool has_freed = !flm_bytes_are(flm_interner_text(&b->interner, heap->name), "com.android.art");
    double values[4] = {
        flm_builder_double(b, (int64_t)(a->values[0] - (has_freed ? a->values[1] : 0))),
        flm_builder_double(b, (int64_t)(a->values[2] - (has_freed ? a->values[3] : 0))),
        flm_builder_double(b, (int64_t)a->values[0]), flm_builder_double(b, (int64_t)a->values[2])};
    if (p->options->keep_times)
        flm_builder_sample(b, heap->time_ns, node, flm_perfetto_labels(p, lane), metrics[0],
                           values[0]);
    else
        flm_builder_add(b, node, metrics[0], values[0]);
    for (int k = 1; k < 4; k++)
        if (values[k] != 0 && p->options->keep_times)
            flm_builder_sample_add(b, metrics[k], values[k]);
        else if (values[k] != 0)
            flm_builder_add(b, node, metrics[k], values[k]);
}

static void add_heaps(struct flm_perfetto *p)
{
    struct flm_metric metrics[4];
    uint32_t made = FLM_NONE;
    for (size_t i = 0; i < p->allocations.count && !flm_builder_failed(p->builder); i++) {
        uint32_t name = p->heaps.at[p->allocation_keys.all.at[i].b >> 32].name;
        if (name != made && !make_heap_metrics(p, name, metrics))
            return;
        made = name;
        add_allocation(p, i, metrics);
    }
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static void nest(struct flm_perfetto *p, struct flm_event_stack *stack, struct flm_calls *calls,
                 struct flm_perfetto_lane lane, struct flm_calls_lost *lost)
{
    if (calls->count == 0)
        return;
    flm_event_stack_begin(stack, flm_perfetto_labels(p, lane), flm_perfetto_root(p, lane));
    flm_calls_nest(calls, stack, NULL, NULL, lost);
}

/* `states`: what is known of threads; NULL of tracks. */
static void add_lanes(struct flm_perfetto *p, struct flm_event_stack *stack,
                      struct flm_perfetto_states *states, struct flm_calls_lost *lost)
{
    size_t count = states ? p->threads.count : p->tracks.count;
    for (uint32_t i = 0; i < count && !flm_builder_failed(p->builder); i++) {
        struct flm_calls *calls = states ? &p->threads.at[i].calls : &p->tracks.at[i].calls;
        bool has_states = states && flm_perfetto_states_thread(states, i);
        stack->segment = has_states ? flm_perfetto_states_call : NULL;
        stack->segment_context = states;
        nest(p, stack, calls, (struct flm_perfetto_lane){i, !states}, lost);
        if (has_states)
            flm_perfetto_states_end(states);
    }
}

static void add_calls(struct flm_perfetto *p, bool of_tracks, struct flm_calls_lost *lost)
{
    size_t count = of_tracks ? p->tracks.count : p->threads.count, with_calls = 0;
    for (size_t i = 0; i < count; i++)
        with_calls += (of_tracks ? &p->tracks.at[i].calls : &p->threads.at[i].calls)->count > 0;
    if (with_calls == 0 && (of_tracks || p->switches.count == 0))
        return;
    struct flm_event_stack stack = {
        .builder = p->builder, .unit_ns = 1, .keep_times = p->options->keep_times};
    if (with_calls > 0)
        stack.metric = flm_builder_metric(p->builder,
                                          of_tracks                   ? "track time"
                                          : p->cpu_profiles.count > 0 ? "event time"
                                                                      : "time",
                                          "ns");
    struct flm_perfetto_states states = {0};
    if (of_tracks || flm_perfetto_states_begin(&states, p, stack.metric))
        add_lanes(p, &stack, of_tracks ? NULL : &states, lost);
    flm_perfetto_states_clear(&states);
    flm_event_stack_finish(&stack);
}

/* ---- Markers and counters -------------------------------------------------------------------- */

static void add_markers(struct flm_perfetto *p)
{
    enum { OWNED_BY_TRACK = 31 };
    struct flm_builder *b = p->builder;
    double never_ended = 0;
    for (size_t i = 0; i < p->markers.count && !flm_builder_failed(b); i++) {
        const struct flm_perfetto_marker *marker = &p->markers.at[i];
        flm_builder_marker(b, marker->time_ns, marker->duration_ns,
                           (struct flm_string){marker->name}, (struct flm_string){marker->detail},
                           flm_perfetto_labels(p, marker->lane));
    }
    for (size_t i = 0; i < p->async.begun.count && !flm_builder_failed(b); i++) {
        const struct flm_async_event *open = &p->async.begun.at[i];
        struct flm_perfetto_lane lane = {open->owner & (UINT32_MAX >> 1),
                                         open->owner >> OWNED_BY_TRACK};
        if (open->time_ns == FLM_NO_TIME)
            continue;
        never_ended++;
        flm_builder_marker(b, open->time_ns, 0, (struct flm_string){open->name},
                           (struct flm_string){open->detail}, flm_perfetto_labels(p, lane));
    }
    if (never_ended > 0)
        flm_builder_lost(b, "ends of asynchronous events, which are shown as moments", "", 0,
                         never_ended);
}

static void add_counters(struct flm_perfetto *p)
{
    struct flm_builder *b = p->builder;
    for (size_t i = 0; i < p->points.count && !flm_builder_failed(b); i++) {
        const struct flm_perfetto_point *point = &p->points.at[i];
        const struct flm_perfetto_track *track =
            point->lane.is_track ? &p->tracks.at[point->lane.index] : NULL;
        struct flm_string name = {track && track->name ? track->name : point->name};
        struct flm_string unit = {track ? track->unit : 0};
        struct flm_counter counter =
            flm_builder_counter(b, name, unit, flm_perfetto_counter_labels(p, point->lane));
        flm_builder_counter_point(b, counter, point->time_ns, point->value);
    }
}

/* ---- All of it ------------------------------------------------------------------------------- */

static const char *const sentences[FLM_PERFETTO_LOSSES] = {
    [FLM_PERFETTO_CUT] = "bytes of a packet that is cut off by the end of the file",
    [FLM_PERFETTO_DAMAGED] = "packets that are damaged",
    [FLM_PERFETTO_DROPPED] = "gaps, in which the recorder lost packets",
    [FLM_PERFETTO_NEEDS_STATE] = "packets that need one that was lost",
    [FLM_PERFETTO_UNRELATED_CLOCK] = "times of a clock that is not related to that of the trace: "
                                     "they are taken as they are",
    [FLM_PERFETTO_TIMELESS] = "packets and events without a valid time",
    [FLM_PERFETTO_NEGATIVE] = "events with a negative duration",
    [FLM_PERFETTO_NO_BEGIN] = "ends of asynchronous events that have no begin",
    [FLM_PERFETTO_OTHER_EVENTS] = "flows, states, objects and other events that are no calls",
    [FLM_PERFETTO_NO_STACK] = "samples that were taken without a stack",
    [FLM_PERFETTO_UNKNOWN_STACK] = "samples whose stack, or a frame of it, is missing",
    [FLM_PERFETTO_SKIPPED] = "samples whose stack the profiler skipped",
    [FLM_PERFETTO_KERNEL_LOST] = "lost samples",
    [FLM_PERFETTO_HEAP_PACKETS] = "gaps in the packets of heap profiles",
    [FLM_PERFETTO_HEAP_INCOMPLETE] = "heap profiles that are incomplete (disconnected, overrun, "
                                     "rejected, or stopped by a limit)",
    [FLM_PERFETTO_HEAP_DECREASED] = "sums of allocations that decrease, which are left out",
    [FLM_PERFETTO_FTRACE] = "events of the kernel (ftrace), which are not shown",
    [FLM_PERFETTO_FTRACE_GAPS] =
        "gaps in which the kernel lost its events: states of threads may be "
        "wrong there",
    [FLM_PERFETTO_MANY_METRICS] = "samples of more than 4,088 events",
    [FLM_PERFETTO_MANY_HEAPS] = "dumps of more than 10,000 heaps",
    [FLM_PERFETTO_CIRCLE] = "CPU profiles in which nodes call each other in a circle",
    [FLM_PERFETTO_MANY_LINES] = "outer functions of addresses with more than 64 inlined ones",
};

static void count_losses(struct flm_perfetto *p)
{
    static const struct {
        uint8_t field;
        const char *what;
    } others[] = {
        {9, "process_stats"},
        {7, "sys_stats"},
        {39, "android_log"},
        {40, "power_rails"},
        {38, "battery"},
        {52, "gpu_counter_event"},
        {56, "heap_graph"},
        {57, "graphics_frame_event"},
        {64, "deobfuscation_mapping"},
        {68, "smaps_packet"},
        {76, "graphics_frame_event"},
        {5, "chrome_events"},
        {95, "etw_events"},
        {99, "v8_js_code"},
    };
    struct flm_builder *b = p->builder;
    for (int i = 0; i < FLM_PERFETTO_LOSSES; i++)
        if (p->losses[i] > 0)
            flm_builder_lost(b, sentences[i], "", 0, (double)p->losses[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char buffer[64];
        struct flm_text text;
        if (p->others[others[i].field] == 0)
            continue;
        flm_text_init_fixed(&text, buffer, sizeof buffer);
        flm_text_puts(&text, "packets that are not shown: ");
        flm_text_puts(&text, others[i].what);
        flm_text_putc(&text, 0);
        flm_builder_lost(b, buffer, "", 0, (double)p->others[others[i].field]);
        p->others[others[i].field] = 0;
    }
    double rest = 0;
    for (int i = 0; i < 256; i++)
        rest += (double)p->others[i];
    if (rest > 0)
        flm_builder_lost(b, "packets of other kinds, which are not shown", "", 0, rest);
}

void flm_perfetto_finish(struct flm_perfetto *p)
{
    struct flm_calls_lost lost = {0};
    for (size_t i = 0; i < p->sequences.count && !flm_perfetto_stopped(p); i++)
        p->losses[FLM_PERFETTO_HEAP_PACKETS] += p->sequences.at[i].heap_samples.count > 0;
    flm_perfetto_join_tracks(p);
    if (flm_perfetto_stopped(p))
        return;
    add_samples(p, false);
    flm_perfetto_add_cpu_profiles(p);
    add_heaps(p);
    add_calls(p, false, &lost);
    add_calls(p, true, &lost);
    add_samples(p, true);
    if (p->builder->metric_count == 0) /* markers and counters alone */
        flm_builder_metric(p->builder, "time", "ns");
    flm_calls_count_lost(&lost, p->builder);
    if (p->options->keep_times) {
        add_markers(p);
        add_counters(p);
    }
    flm_perfetto_note_modules(p);
    count_losses(p);
}

void flm_perfetto_clear(struct flm_perfetto *p)
{
    for (size_t i = 0; i < p->sequences.count; i++)
        flm_perfetto_free_sequence(&p->sequences.at[i]);
    for (size_t i = 0; i < p->threads.count; i++)
        FLM_ARRAY_CLEAR(&p->threads.at[i].calls);
    for (size_t i = 0; i < p->tracks.count; i++)
        FLM_ARRAY_CLEAR(&p->tracks.at[i].calls);
    flm_perfetto_free_clocks(p);
    flm_perfetto_free_cpu_profiles(p);
    void *const arrays[] = {p->sequences.at,     p->processes.at, p->threads.at, p->tracks.at,
                            p->frames.at,        p->stacks.at,    p->symbols.at, p->lines.at,
                            p->metrics.at,       p->samples.at,   p->heaps.at,   p->allocations.at,
                            p->markers.at,       p->points.at,    p->path.at,    p->thread_of.at,
                            p->thread_of_tid.at, p->switches.at,  p->runs_on.at, p->gpu_lanes.at,
                            p->gpu_queues.at,    p->gpu_stages.at};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    struct flm_perfetto_keys *const keys[] = {&p->sequence_keys,   &p->process_keys, &p->track_keys,
                                              &p->thread_keys,     &p->tid_keys,     &p->stack_keys,
                                              &p->allocation_keys, &p->symbol_keys};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        flm_perfetto_clear_keys(keys[i]);
    flm_index_clear(&p->frame_index);
    flm_async_clear(&p->async);
    flm_text_clear(&p->text);
}
