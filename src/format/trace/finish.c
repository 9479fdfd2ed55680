#include "base/core/hash.h"
#include "base/core/sort.h"
#include "format/trace/internal.h"
#include "profile/internal.h"

static void add_value(struct flm_trace *t, uint32_t thread, struct flm_node node,
                      struct flm_metric metric, int64_t time_ns, int64_t duration_ns)
{
    struct flm_builder *b = t->builder;
    if (duration_ns <= 0)
        return;
    if (!t->options->keep_times) {
        flm_builder_add(b, node, metric, (double)duration_ns / 1000);
        return;
    }
    flm_builder_sample(b, time_ns, node, t->threads.at[thread].labels, metric,
                       (double)duration_ns / 1000);
    flm_builder_sample_lasts(b, duration_ns);
}

/* ---- CPU profiles ---------------------------------------------------------------------------- */

static bool add_cpu_profiles(struct flm_trace *t, struct flm_metric metric)
{
    for (size_t i = 0; i < t->cpu_profiles.count; i++) {
        struct flm_trace_cpu_profile *profile = &t->cpu_profiles.at[i];
        const struct flm_trace_thread *thread = &t->threads.at[profile->thread];
        if (!flm_v8_make_stacks(&profile->profile, thread->root, false, t->why))
            return false;
        flm_v8_add_samples(&profile->profile, thread->root, metric, t->options, thread->labels);
    }
    return true;
}

/* ---- Samples --------------------------------------------------------------------------------- */

#define IN_PROGRESS (FLM_NONE - 1)

/* The node of a stack below `root`. Those of its callers are made with it, the outermost first, and
 * kept until another root is asked for: `path` has room for all frames. */
static struct flm_node make_stack(struct flm_trace *t, uint32_t id, struct flm_node root,
                                  uint32_t *path)
{
    size_t count = 0;
    struct flm_builder *b = t->builder;
    struct flm_node node = root;
    uint32_t i = flm_trace_find_stack_frame(t, id);
    if (i == FLM_NONE)
        flm_builder_lost(b, "samples of stacks that do not exist", "", 0, 1);
    while (i != FLM_NONE) {
        struct flm_trace_stack_frame *frame = &t->stack_frames.at[i];
        if (frame->root == root.index && frame->node == IN_PROGRESS) {
            flm_builder_lost(b, "stacks with a frame that is its own caller", "", 0, 1);
            break;
        }
        if (frame->root == root.index && frame->node != FLM_NONE) {
            node.index = frame->node;
            break;
        }
        frame->root = root.index;
        frame->node = IN_PROGRESS;
        path[count++] = i;
        i = flm_trace_find_stack_frame(t, frame->parent);
    }
    while (count > 0 && !flm_builder_failed(b)) {
        struct flm_trace_stack_frame *frame = &t->stack_frames.at[path[--count]];
        struct flm_frame_record record = {.function = frame->name};
        node = flm_builder_child(b, node, flm_builder_frame(b, &record));
        frame->node = node.index;
    }
    return node;
}

static int compare_samples(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_trace_sample *samples = context, *x = &samples[a], *y = &samples[b];
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* A sample lasts until the next one of its thread. */
static void add_samples(struct flm_trace *t, struct flm_metric metric)
{
    size_t count = t->samples.count;
    uint32_t *order = count < UINT32_MAX / 2 ? malloc((2 * count + 1) * sizeof *order) : NULL;
    uint32_t *path = malloc((t->stack_frames.count + 1) * sizeof *path);
    if (!order || !path) {
        flm_builder_fail_memory(t->builder);
    } else {
        for (size_t i = 0; i < count; i++)
            order[i] = (uint32_t)i;
        flm_sort(order, count, order + count, compare_samples, t->samples.at);
    }
    for (size_t i = 0; i + 1 < count && !flm_builder_failed(t->builder); i++) {
        const struct flm_trace_sample *sample = &t->samples.at[order[i]];
        const struct flm_trace_sample *next = &t->samples.at[order[i + 1]];
        if (next->thread != sample->thread || next->time_ns == sample->time_ns)
            continue;
        struct flm_node root = t->threads.at[sample->thread].root;
        struct flm_node node = make_stack(t, sample->stack, root, path);
        if (node.index != root.index)
            add_value(t, sample->thread, node, metric, sample->time_ns,
                      flm_trace_duration(t, sample->time_ns, next->time_ns));
    }
    free(path);
    free(order);
}

/* ---- Calls, and the work of GPUs that they launched ------------------------------------------ */

static void opened(void *context, uint32_t mark, struct flm_node node)
{
    struct flm_trace *t = context;
    t->launches.at[mark].node = node.index;
}

static void add_calls(struct flm_trace *t, struct flm_metric metric)
{
    struct flm_event_stack stack = {.builder = t->builder,
                                    .metric = metric,
                                    .unit_ns = 1000,
                                    .keep_times = t->options->keep_times};
    struct flm_calls_lost lost = {0};
    for (size_t i = 0; i < t->threads.count && !flm_builder_failed(t->builder); i++) {
        struct flm_trace_thread *thread = &t->threads.at[i];
        flm_event_stack_begin(&stack, thread->labels, thread->root);
        flm_calls_nest(&thread->calls, &stack, opened, t, &lost);
    }
    flm_event_stack_finish(&stack);
    flm_calls_count_lost(&lost, t->builder);
}

/* Launches by correlation, where they have one, and by the external id of the operator. */
struct launches {
    const struct flm_trace *trace;
    struct flm_index by_correlation, by_external;
};

/* The first launch with that number; FLM_NONE. */
static uint32_t launch_of_correlation(const struct launches *l, int64_t number)
{
    struct flm_probe at =
        flm_index_probe(&l->by_correlation, flm_hash_numbers((uint64_t)number, 1));
    while (number >= 0 && flm_index_next(&l->by_correlation, &at))
        if (l->trace->launches.at[at.found].correlation == number)
            return at.found;
    return FLM_NONE;
}

static uint32_t launch_of_external(const struct launches *l, int64_t number)
{
    struct flm_probe at = flm_index_probe(&l->by_external, flm_hash_numbers((uint64_t)number, 2));
    while (number >= 0 && flm_index_next(&l->by_external, &at))
        if (l->trace->launches.at[at.found].external == number)
            return at.found;
    return FLM_NONE;
}

/* One entry for each number: many launches may have the same, as the external id 0. */
static bool index_launches(struct launches *l)
{
    for (size_t i = 0; i < l->trace->launches.count; i++) {
        const struct flm_trace_launch *launch = &l->trace->launches.at[i];
        if (launch->node == FLM_NONE)
            continue;
        if (launch->correlation >= 0 && launch_of_correlation(l, launch->correlation) == FLM_NONE &&
            !flm_index_add(&l->by_correlation, flm_hash_numbers((uint64_t)launch->correlation, 1),
                           (uint32_t)i))
            return false;
        if (launch->external >= 0 && launch_of_external(l, launch->external) == FLM_NONE &&
            !flm_index_add(&l->by_external, flm_hash_numbers((uint64_t)launch->external, 2),
                           (uint32_t)i))
            return false;
    }
    return true;
}

/* The node of the call that launched the work; FLM_NONE. */
static uint32_t find_launch(const struct launches *l, const struct flm_trace_gpu *gpu)
{
    uint32_t found = launch_of_correlation(l, gpu->correlation);
    if (found == FLM_NONE)
        found = launch_of_external(l, gpu->external);
    return found == FLM_NONE ? FLM_NONE : l->trace->launches.at[found].node;
}

static void add_gpu(struct flm_trace *t)
{
    struct launches launches = {.trace = t};
    struct flm_builder *b = t->builder;
    struct flm_metric metric = flm_builder_metric(b, "GPU time", "us");
    double without_launch = 0;
    if (!index_launches(&launches))
        flm_builder_fail_memory(b);
    for (size_t i = 0; i < t->gpu.count && !flm_builder_failed(b); i++) {
        const struct flm_trace_gpu *gpu = &t->gpu.at[i];
        struct flm_node node = t->threads.at[gpu->thread].root;
        uint32_t launch = find_launch(&launches, gpu);
        if (launch != FLM_NONE)
            node.index = launch;
        else
            without_launch++;
        node = flm_builder_child(b, node, (struct flm_frame){gpu->frame});
        add_value(t, gpu->thread, node, metric, gpu->time_ns, gpu->duration_ns);
    }
    if (without_launch > 0)
        flm_builder_lost(b, "launches of GPU work, which is shown without its callers", "", 0,
                         without_launch);
    flm_index_clear(&launches.by_correlation);
    flm_index_clear(&launches.by_external);
}

/* ---- Markers and counters -------------------------------------------------------------------- */

static void add_markers(struct flm_trace *t)
{
    double never_ended = 0;
    for (size_t i = 0; i < t->markers.count && !flm_builder_failed(t->builder); i++) {
        const struct flm_trace_marker *marker = &t->markers.at[i];
        flm_builder_marker(t->builder, marker->time_ns, marker->duration_ns,
                           (struct flm_string){marker->name}, (struct flm_string){marker->detail},
                           t->threads.at[marker->thread].labels);
    }
    for (size_t i = 0; i < t->async.begun.count && !flm_builder_failed(t->builder); i++) {
        const struct flm_async_event *open = &t->async.begun.at[i];
        if (open->time_ns == FLM_NO_TIME)
            continue;
        never_ended++;
        flm_builder_marker(t->builder, open->time_ns, 0, (struct flm_string){open->name},
                           (struct flm_string){open->detail}, t->threads.at[open->owner].labels);
    }
    if (never_ended > 0)
        flm_builder_lost(t->builder, "ends of asynchronous events, which are shown as moments", "",
                         0, never_ended);
}

/* Counters are of processes. */
static void add_counters(struct flm_trace *t)
{
    struct flm_builder *b = t->builder;
    for (size_t i = 0; i < t->points.count && !flm_builder_failed(b); i++) {
        const struct flm_trace_point *point = &t->points.at[i];
        uint32_t process = t->threads.at[point->thread].process;
        struct flm_string label[] = {flm_builder_string(b, "process", 7), {process}};
        struct flm_label_set labels = flm_builder_label_set(b, label, process != 0);
        struct flm_counter counter = flm_builder_counter(b, (struct flm_string){point->name},
                                                         (struct flm_string){0}, labels);
        flm_builder_counter_point(b, counter, point->time_ns, point->value);
    }
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void count_losses(struct flm_trace *t)
{
    const struct {
        const char *what;
        uint64_t count;
    } losses[] = {{"events without a valid time", t->without_time},
                  {"ends of asynchronous events that have no begin", t->without_begin},
                  {"events with a negative duration", t->negative},
                  {"ends of events that last longer than 292 years", t->too_long},
                  {"flows, objects and other events that are no calls", t->other_count}};
    for (int i = 0; i < 5; i++)
        if (losses[i].count > 0)
            flm_builder_lost(t->builder, losses[i].what, "", 0, (double)losses[i].count);
}

static bool has_calls(const struct flm_trace *t)
{
    for (size_t i = 0; i < t->threads.count; i++)
        if (t->threads.at[i].calls.count > 0)
            return true;
    return false;
}

bool flm_trace_finish(struct flm_trace *t)
{
    bool is_sampled = t->cpu_profiles.count > 0 || t->samples.count > 0;
    flm_trace_label_threads(t);
    if (flm_builder_failed(t->builder))
        return true;
    if (is_sampled) {
        struct flm_metric time = flm_builder_metric(t->builder, "time", "us");
        if (!add_cpu_profiles(t, time))
            return false;
        if (t->samples.count > 0)
            add_samples(t, time);
    }
    if (has_calls(t) || (!is_sampled && t->gpu.count == 0))
        add_calls(t, flm_builder_metric(t->builder, is_sampled ? "event time" : "time", "us"));
    if (t->gpu.count > 0)
        add_gpu(t);
    if (t->options->keep_times) {
        add_markers(t);
        add_counters(t);
    }
    count_losses(t);
    return true;
}

void flm_trace_clear(struct flm_trace *t)
{
    for (size_t i = 0; i < t->threads.count; i++)
        FLM_ARRAY_CLEAR(&t->threads.at[i].calls);
    for (size_t i = 0; i < t->cpu_profiles.count; i++)
        flm_v8_clear(&t->cpu_profiles.at[i].profile);
    FLM_ARRAY_CLEAR(&t->threads);
    FLM_ARRAY_CLEAR(&t->processes);
    flm_index_clear(&t->thread_index);
    flm_index_clear(&t->process_index);
    FLM_ARRAY_CLEAR(&t->launches);
    FLM_ARRAY_CLEAR(&t->gpu);
    FLM_ARRAY_CLEAR(&t->markers);
    flm_async_clear(&t->async);
    FLM_ARRAY_CLEAR(&t->points);
    FLM_ARRAY_CLEAR(&t->samples);
    FLM_ARRAY_CLEAR(&t->stack_frames);
    flm_index_clear(&t->stack_frame_index);
    FLM_ARRAY_CLEAR(&t->cpu_profiles);
    flm_index_clear(&t->cpu_profile_index);
    flm_text_clear(&t->category.text);
    flm_text_clear(&t->event.process);
    flm_text_clear(&t->event.thread);
    flm_text_clear(&t->event.category);
    flm_text_clear(&t->event.args);
    FLM_ARRAY_CLEAR(&t->event.numbers);
    flm_v8_clear(&t->event.data);
}
