/* take.c - a recording in intervals: takes what came since the last call, and forgets it.
 *
 * Stacks and locations are referred to only by samples, and by threads that are off-CPU. So both
 * tables start empty again, and the stacks of these threads are copied. What was expensive to find
 * out is kept: live processes and their mappings, modules and their tables. */
#include "record/symbols/internal.h"

#include <assert.h>
#include <stdlib.h>

#include "format/perf/event_metrics.h"
#include "symbol/registry/preloader.h"

/* The labels of a stack come on top of its frames. */
enum { DEEPEST = FLM_DEEPEST_STACK + 8 };

/* The tables that numbers referred to until now. */
struct past {
    struct flm_locations locations;
    struct flm_stacks stacks;
    struct flm_session_labels labels;
};

static void past_clear(struct past *past)
{
    flm_locations_clear(&past->locations);
    flm_stacks_clear(&past->stacks);
    flm_session_labels_clear(&past->labels);
}

/* Copies a stack into the new tables; UINT32_MAX when memory ran out. */
static uint32_t copy_stack(struct flm_session *s, const struct past *past, uint32_t node)
{
    uint32_t path[DEEPEST] = {0}, depth = 0, moved = 0;
    for (; node != 0 && depth < DEEPEST; node = past->stacks.nodes.at[node].caller)
        path[depth++] = past->stacks.nodes.at[node].location;
    while (depth-- > 0 && moved != UINT32_MAX) {
        const struct flm_session_location *location = &past->locations.locations.at[path[depth]];
        const struct flm_location_owner owner = past->locations.owners.at[location->owner];
        if (owner.kind == FLM_OWNER_LABEL) {
            moved = flm_session_label(
                s, moved, flm_owned_string_bytes(&past->labels.items.at[location->address]));
            continue;
        }
        uint32_t number = flm_locations_add(&s->locations, owner, location->address, location->era);
        moved = number == UINT32_MAX ? number : flm_stacks_child(&s->stacks, moved, number);
    }
    return moved;
}

/* The stacks of threads that are off-CPU. */
static bool copy_off_cpu_stacks(struct flm_session *s, const struct past *past)
{
    for (size_t i = 0; i < s->switches.threads.count; i++) {
        struct flm_off_cpu_thread *thread = &s->switches.threads.at[i];
        bool is_off_cpu = thread->marked_ns != FLM_NO_TIME && thread->ended_ns == FLM_NO_TIME;
        thread->node = is_off_cpu ? copy_stack(s, past, thread->node) : 0;
        if (thread->node == UINT32_MAX)
            return false;
    }
    return true;
}

/* The files of runtimes whose processes are forgotten: no address of theirs will be looked up. */
static void forget_runtime_files(struct flm_session *s)
{
    struct flm_symbols *symbols = flm_session_symbols(s);
    size_t kept = 0;
    for (size_t i = 0; i < symbols->runtime_files.count; i++) {
        if (flm_processes_know(s->processes, symbols->runtime_files.at[i].process))
            symbols->runtime_files.at[kept++] = symbols->runtime_files.at[i];
        else
            free(symbols->runtime_files.at[i].path.at);
    }
    symbols->runtime_files.count = kept;
}

/* Only mappings, and the stacks of threads that are off-CPU, refer to modules now. */
static bool evict_unused(struct flm_session *s)
{
    flm_processes_use(s->processes, flm_module_use);
    for (size_t i = 0; i < s->locations.owners.count; i++)
        if (s->locations.owners.at[i].module)
            flm_module_use(s->locations.owners.at[i].module);
    return flm_modules_evict(flm_session_symbols(s)->modules);
}

static bool forget(struct flm_session *s, struct flm_error *why)
{
    struct past past = {s->locations, s->stacks, s->labels};
    s->locations = (struct flm_locations){0};
    s->stacks = (struct flm_stacks){0};
    s->labels = (struct flm_session_labels){0};
    s->root.node = 0;
    s->last_depth = 0;
    s->losses.count = 0;
    s->rounded_count = 0;
    memset(s->unwind_ends, 0, sizeof s->unwind_ends);
    flm_aggregation_clear(&s->aggregation);
    flm_session_markers_clear(&s->markers);
    bool good = flm_locations_init(&s->locations, s->symbolizer, why) &&
                flm_stacks_init(&s->stacks, why) &&
                (copy_off_cpu_stacks(s, &past) || flm_error_memory(why));
    past_clear(&past);
    forget_runtime_files(s);
    return good &&
           ((flm_processes_forget_names(s->processes) && evict_unused(s)) || flm_error_memory(why));
}

bool flm_session_prepare(struct flm_session *s)
{
    struct flm_symbols *symbols = flm_session_symbols(s);
    size_t count;
    if (!symbols->preloader)
        symbols->preloader = flm_preloader_new(symbols->modules, symbols->usual_priority, NULL);
    struct flm_module **wanted = symbols->preloader ? flm_session_wanted(s, &count) : NULL;
    bool ready = !wanted || flm_preloader_request(symbols->preloader, wanted, count);
    free(wanted);
    return ready;
}

/* Every interval has the metrics of all intervals before it, in the same order, even without
 * samples: intervals are added up later. */
static bool add_metrics(const struct flm_session *s, struct flm_builder *builder)
{
    struct flm_perf_events events = {.builder = builder};
    for (size_t i = 0; i < s->events.count; i++)
        if (s->events.at[i].is_known)
            flm_perf_events_find(&events, flm_owned_string_bytes(&s->events.at[i].name),
                                 s->events.at[i].has_period);
    flm_perf_events_clear(&events);
    return !flm_builder_failed(builder);
}

bool flm_session_take(struct flm_session *s, int64_t until_ns, struct flm_builder *builder,
                      struct flm_error *why)
{
    assert(builder);
    if (until_ns > s->newest_ns)
        s->newest_ns = until_ns; /* off-CPU time lasts until then */
    return (add_metrics(s, builder) || flm_error_memory(why)) &&
           flm_session_finish(s, builder, NULL, NULL, why) && forget(s, why);
}

struct flm_session_kept flm_session_kept(const struct flm_session *s)
{
    struct flm_processes_counts counts = flm_processes_counts(s->processes);
    return (struct flm_session_kept){.processes = counts.processes,
                                     .threads = counts.threads,
                                     .names = counts.names,
                                     .labels = s->labels.items.count,
                                     .off_cpu = s->switches.threads.count,
                                     .modules =
                                         flm_modules_counts(flm_session_symbols(s)->modules)};
}
