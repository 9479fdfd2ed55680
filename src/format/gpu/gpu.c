#include "format/gpu/gpu.h"

#include "base/core/hash.h"
#include "base/text/text.h"
#include "profile/internal.h"

static struct flm_string string_of(struct flm_builder *b, struct flm_bytes text)
{
    return flm_builder_string(b, text.at ? text.at : "", text.size);
}

uint32_t flm_gpu_frame(struct flm_builder *builder, struct flm_bytes name, const char *module,
                       uint32_t kind)
{
    static const char unnamed[] = "(unnamed)";
    struct flm_frame_record frame = {
        .function = string_of(builder, name.size > 0 ? name : flm_bytes_of(unnamed)).index,
        .module = string_of(builder, flm_bytes_of(module)).index,
        .kind = kind,
    };
    return flm_builder_frame(builder, &frame).index;
}

/* ---- Tracks ---------------------------------------------------------------------------------- */

static uint32_t track_hash(uint64_t key)
{
    return flm_hash_numbers(key, key >> 32);
}

uint32_t flm_gpu_find_track(const struct flm_gpu *g, uint64_t key)
{
    struct flm_probe at = flm_index_probe(&g->track_index, track_hash(key));
    while (flm_index_next(&g->track_index, &at))
        if (g->tracks.at[at.found].key == key)
            return at.found;
    return FLM_NONE;
}

static struct flm_label_set make_labels(struct flm_gpu *g, const struct flm_gpu_names *names)
{
    struct flm_builder *b = g->builder;
    const struct {
        const char *key;
        struct flm_bytes value;
    } labels[] = {{"process", names->process}, {"process name", names->process_name},
                  {"thread", names->thread},   {"thread name", names->thread_name},
                  {"device", names->device},   {names->queue_key, names->queue}};
    struct flm_string pairs[12];
    size_t count = 0;
    for (int i = 0; i < 6; i++) {
        if (labels[i].value.size == 0)
            continue;
        pairs[2 * count] = string_of(b, flm_bytes_of(labels[i].key));
        pairs[2 * count++ + 1] = string_of(b, labels[i].value);
    }
    return flm_builder_label_set(b, pairs, count);
}

/* The root of a thread's stacks: "python 4711". */
static struct flm_node make_root(struct flm_gpu *g, const struct flm_gpu_names *names)
{
    struct flm_builder *b = g->builder;
    struct flm_text text = {0};
    flm_text_add(&text, names->device.size > 0        ? (struct flm_bytes){"", 0}
                        : names->thread_name.size > 0 ? names->thread_name
                                                      : flm_bytes_of("thread"));
    if (text.size > 0 && names->thread.size > 0)
        flm_text_putc(&text, ' ');
    flm_text_add(&text, names->thread);
    struct flm_node root = flm_builder_root(b);
    if (text.failed)
        flm_builder_fail_memory(b);
    else
        root =
            flm_builder_child(b, root,
                              (struct flm_frame){flm_gpu_frame(
                                  b, (struct flm_bytes){text.at, text.size}, "", FLM_KIND_LABEL)});
    flm_text_clear(&text);
    return root;
}

uint32_t flm_gpu_add_track(struct flm_gpu *g, uint64_t key, const struct flm_gpu_names *names)
{
    struct flm_gpu_track track = {.key = key, .root = flm_builder_root(g->builder)};
    uint32_t index = (uint32_t)g->tracks.count;
    if (g->options->keep_times)
        track.labels = make_labels(g, names);
    if (g->options->by_thread)
        track.root = make_root(g, names);
    if (!FLM_ARRAY_ADD(&g->tracks, track) ||
        !flm_index_add(&g->track_index, track_hash(key), index)) {
        flm_builder_fail_memory(g->builder);
        return FLM_NONE;
    }
    return index;
}

enum { MOST_NUMBER = 24 };

/* Nothing for 0: it is not known. */
static struct flm_bytes print_id(char buffer[MOST_NUMBER], int64_t number)
{
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, MOST_NUMBER);
    if (number != 0)
        flm_text_format(&text, "%lld", (long long)number);
    return (struct flm_bytes){text.at, text.size};
}

static struct flm_bytes print_index(char buffer[MOST_NUMBER], int64_t index)
{
    return index != 0 ? print_id(buffer, index) : flm_bytes_of("0");
}

uint32_t flm_gpu_add_thread(struct flm_gpu *g, uint64_t key, int64_t process,
                            struct flm_bytes process_name, int64_t thread,
                            struct flm_bytes thread_name)
{
    char own[MOST_NUMBER], of_process[MOST_NUMBER];
    struct flm_gpu_names names = {.process = print_id(of_process, process),
                                  .process_name = process_name,
                                  .thread = print_index(own, thread),
                                  .thread_name = thread_name};
    return flm_gpu_add_track(g, key, &names);
}

uint32_t flm_gpu_add_stream(struct flm_gpu *g, uint64_t key, int64_t process,
                            struct flm_bytes process_name, int64_t device, int64_t stream)
{
    return flm_gpu_add_queue(g, key, process, process_name, device, "stream", stream);
}

uint32_t flm_gpu_add_queue(struct flm_gpu *g, uint64_t key, int64_t process,
                           struct flm_bytes process_name, int64_t device, const char *queue_key,
                           int64_t queue)
{
    char of_process[MOST_NUMBER], of_device[MOST_NUMBER], own[MOST_NUMBER], name[120];
    struct flm_gpu_names names = {.process = print_id(of_process, process),
                                  .process_name = process_name,
                                  .device = print_index(of_device, device),
                                  .queue = print_index(own, queue),
                                  .queue_key = queue_key};
    struct flm_text text;
    flm_text_init_fixed(&text, name, sizeof name);
    flm_text_format(&text, "GPU %lld %s %lld", (long long)device, queue_key, (long long)queue);
    if (process != 0)
        flm_text_format(&text, " of process %lld", (long long)process);
    names.thread = (struct flm_bytes){text.at, text.size};
    return flm_gpu_add_track(g, key, &names);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* A duration that is not negative. */
static int64_t duration_of(struct flm_gpu *g, int64_t begin_ns, int64_t end_ns)
{
    int64_t duration;
    if (end_ns < begin_ns) {
        g->backwards++;
        return 0;
    }
    return __builtin_sub_overflow(end_ns, begin_ns, &duration) ? INT64_MAX : duration;
}

void flm_gpu_add_call(struct flm_gpu *g, uint32_t track, int64_t begin_ns, int64_t end_ns,
                      const struct flm_gpu_call *call)
{
    if (track == FLM_NONE)
        return; /* memory ran out */
    uint32_t index = (uint32_t)g->calls.count;
    struct flm_call timed = {.time_ns = begin_ns, .name = index, .mark = index};
    timed.duration_ns = end_ns == FLM_NO_TIME ? FLM_CALL_BEGIN : duration_of(g, begin_ns, end_ns);
    if (!FLM_ARRAY_ADD(&g->calls, *call) || !FLM_ARRAY_ADD(&g->tracks.at[track].calls, timed))
        flm_builder_fail_memory(g->builder);
}

void flm_gpu_add_work(struct flm_gpu *g, int64_t end_ns, const struct flm_gpu_work *work)
{
    if (work->track == FLM_NONE)
        return;
    struct flm_gpu_work kept = *work;
    kept.duration_ns = duration_of(g, work->time_ns, end_ns);
    if (!FLM_ARRAY_ADD(&g->work, kept))
        flm_builder_fail_memory(g->builder);
}

/* The node of a call that begins now. */
static struct flm_node place(void *context, uint32_t mark, struct flm_node parent)
{
    struct flm_gpu *g = context;
    struct flm_gpu_call *call = &g->calls.at[mark];
    size_t open = g->stack->open.count;
    const struct flm_gpu_call *outer =
        open > 0 ? &g->calls.at[g->stack->open.at[open - 1].name] : NULL;
    call->base = outer ? outer->base : g->stack->root.index;
    struct flm_node node = parent;
    /* The same call again: Nsight Systems lists a call twice if it recorded its stack. */
    if (outer && call->correlation >= 0 && call->correlation == outer->correlation &&
        call->group == outer->group && call->frame == outer->frame) {
        call->node = parent.index;
        return parent;
    }
    if (call->stack_size > 0) {
        node.index = call->base;
        for (uint32_t i = 0; i < call->stack_size; i++)
            node = flm_builder_child(g->builder, node,
                                     (struct flm_frame){g->frames.at[call->stack + i]});
    }
    node = flm_builder_child(g->builder, node, (struct flm_frame){call->frame});
    call->node = node.index;
    if (call->is_range)
        call->base = node.index;
    return node;
}

static void add_losses(struct flm_gpu *g, const struct flm_calls_lost *lost)
{
    const struct {
        const char *what;
        uint64_t count;
    } losses[] = {{"calls that outlast their caller, which ends with them", lost->crossing},
                  {"calls without an end, which last until the last event", lost->open},
                  {"events with a negative duration", g->backwards}};
    for (int i = 0; i < 3; i++)
        if (losses[i].count > 0)
            flm_builder_lost(g->builder, losses[i].what, "", 0, (double)losses[i].count);
}

static void nest_calls(struct flm_gpu *g)
{
    struct flm_event_stack stack = {.builder = g->builder,
                                    .metric = flm_builder_metric(g->builder, "event time", "ns"),
                                    .unit_ns = 1,
                                    .keep_times = g->options->keep_times,
                                    .place = place};
    struct flm_calls_lost lost = {0};
    g->stack = &stack;
    for (size_t i = 0; i < g->tracks.count && !flm_builder_failed(g->builder); i++) {
        flm_event_stack_begin(&stack, g->tracks.at[i].labels, g->tracks.at[i].root);
        flm_calls_nest(&g->tracks.at[i].calls, &stack, NULL, g, &lost);
    }
    flm_event_stack_finish(&stack);
    g->stack = NULL;
    add_losses(g, &lost);
}

/* ---- Work ------------------------------------------------------------------------------------ */

static uint32_t launch_hash(uint64_t group, int64_t correlation)
{
    return flm_hash_numbers(flm_hash_numbers(group, group >> 32), (uint64_t)correlation);
}

static uint32_t find_launch(const struct flm_gpu *g, uint64_t group, int64_t correlation)
{
    struct flm_probe at = flm_index_probe(&g->launches, launch_hash(group, correlation));
    while (correlation >= 0 && flm_index_next(&g->launches, &at))
        if (g->calls.at[at.found].correlation == correlation &&
            g->calls.at[at.found].group == group)
            return at.found;
    return FLM_NONE;
}

static void index_launches(struct flm_gpu *g)
{
    for (size_t i = 0; i < g->calls.count; i++) {
        const struct flm_gpu_call *call = &g->calls.at[i];
        if (call->correlation < 0 || find_launch(g, call->group, call->correlation) != FLM_NONE)
            continue;
        if (!flm_index_add(&g->launches, launch_hash(call->group, call->correlation),
                           (uint32_t)i)) {
            flm_builder_fail_memory(g->builder);
            return;
        }
    }
}

static void add_work(struct flm_gpu *g, const struct flm_gpu_work *work, struct flm_metric time,
                     struct flm_metric bytes, double *without_launch)
{
    struct flm_builder *b = g->builder;
    struct flm_node node = g->tracks.at[work->track].root;
    uint32_t launch = find_launch(g, work->group, work->correlation);
    if (launch != FLM_NONE)
        node.index = g->calls.at[launch].node;
    else
        *without_launch += 1;
    node = flm_builder_child(b, node, (struct flm_frame){work->frame});
    double value = flm_builder_double(b, work->duration_ns);
    if (!g->options->keep_times) {
        flm_builder_add(b, node, time, value);
        if (work->bytes > 0)
            flm_builder_add(b, node, bytes, (double)work->bytes);
        return;
    }
    flm_builder_sample(b, work->time_ns, node, g->tracks.at[work->track].labels, time, value);
    flm_builder_sample_lasts(b, work->duration_ns);
    if (work->bytes > 0)
        flm_builder_sample_add(b, bytes, (double)work->bytes);
}

static void add_all_work(struct flm_gpu *g)
{
    struct flm_metric time = flm_builder_metric(g->builder, "GPU time", "ns");
    struct flm_metric bytes = {0};
    double without_launch = 0;
    for (size_t i = 0; i < g->work.count && bytes.index == 0; i++)
        if (g->work.at[i].bytes > 0)
            bytes = flm_builder_metric(g->builder, "copied", "bytes");
    for (size_t i = 0; i < g->work.count && !flm_builder_failed(g->builder); i++)
        add_work(g, &g->work.at[i], time, bytes, &without_launch);
    if (without_launch > 0)
        flm_builder_lost(g->builder, "launches of GPU work, which is shown without its callers", "",
                         0, without_launch);
}

/* GPU time is what people open such a file for: it is the first metric, so the default one. */
void flm_gpu_finish(struct flm_gpu *g)
{
    if (g->work.count > 0)
        flm_builder_metric(g->builder, "GPU time", "ns");
    if (g->calls.count > 0) {
        nest_calls(g);
        index_launches(g);
    }
    if (g->work.count > 0)
        add_all_work(g);
}

void flm_gpu_clear(struct flm_gpu *g)
{
    for (size_t i = 0; i < g->tracks.count; i++)
        FLM_ARRAY_CLEAR(&g->tracks.at[i].calls);
    FLM_ARRAY_CLEAR(&g->tracks);
    flm_index_clear(&g->track_index);
    FLM_ARRAY_CLEAR(&g->calls);
    FLM_ARRAY_CLEAR(&g->work);
    FLM_ARRAY_CLEAR(&g->frames);
    flm_index_clear(&g->launches);
}
