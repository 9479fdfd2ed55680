#include "layout/occupancy.h"

#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/sort.h"

/* A thread comes to a CPU, or leaves it. */
struct change {
    int64_t time_ns;
    bool comes;
};
struct changes {
    struct FLM_ARRAY(struct change) list;
    bool failed;
};

static void add(struct changes *changes, int64_t time_ns, bool comes)
{
    changes->failed |= !FLM_ARRAY_ADD(&changes->list, (struct change){time_ns, comes});
}

static void add_thread(struct changes *changes, const struct flm_thread_states *states,
                       const struct flm_profile *p, const struct flm_track *track)
{
    bool runs = false;
    uint32_t hint = 0;
    int64_t time = p->sample_time[track->sample[0]];
    while (!changes->failed) {
        struct flm_thread_span span = flm_thread_span_at(states, p, track, time, &hint);
        if (runs != (span.state == FLM_THREAD_ON_CPU)) {
            runs = !runs;
            add(changes, time, runs);
        }
        if (span.state == FLM_THREAD_UNKNOWN || span.to_ns <= time || span.to_ns == INT64_MAX)
            break;
        time = span.to_ns;
    }
    if (runs)
        add(changes, time, false);
}

static int by_time(const void *context, uint32_t a, uint32_t b)
{
    const struct change *at = context;
    if (at[a].time_ns != at[b].time_ns)
        return at[a].time_ns < at[b].time_ns ? -1 : 1;
    return (a > b) - (a < b);
}

/* One step where several threads change at one time. */
static void add_up(struct flm_occupancy *o, const struct changes *changes, const uint32_t *order)
{
    uint32_t running = 0;
    for (uint32_t i = 0; i < changes->list.count; i++) {
        const struct change *change = &changes->list.at[order[i]];
        running = change->comes ? running + 1 : running - 1;
        if (o->count == 0 || o->time_ns[o->count - 1] != change->time_ns)
            o->time_ns[o->count++] = change->time_ns;
        o->running[o->count - 1] = running;
    }
}

bool flm_occupancy_init(struct flm_occupancy *o, const struct flm_thread_states *states,
                        const struct flm_profile *p, const struct flm_tracks *tracks,
                        uint32_t process, struct flm_error *why)
{
    struct changes changes = {.failed = false};
    *o = (struct flm_occupancy){.count = 0};
    for (uint32_t i = 0; i < tracks->count; i++)
        if (tracks->track[i].process == process && tracks->track[i].sample_count > 0)
            add_thread(&changes, states, p, &tracks->track[i]);
    uint32_t count = (uint32_t)changes.list.count, *order = NULL;
    if (!changes.failed) {
        order = malloc(2 * ((size_t)count + 1) * sizeof *order);
        o->time_ns = malloc(((size_t)count + 1) * sizeof *o->time_ns);
        o->running = malloc(((size_t)count + 1) * sizeof *o->running);
    }
    bool good = order && o->time_ns && o->running;
    if (good) {
        for (uint32_t i = 0; i < count; i++)
            order[i] = i;
        flm_sort(order, count, order + count, by_time, changes.list.at);
        add_up(o, &changes, order);
    } else {
        flm_occupancy_clear(o);
        flm_error_memory(why);
    }
    free(order);
    FLM_ARRAY_CLEAR(&changes.list);
    return good;
}

void flm_occupancy_clear(struct flm_occupancy *o)
{
    free(o->time_ns);
    free(o->running);
    *o = (struct flm_occupancy){.count = 0};
}

uint32_t flm_occupancy_at(const struct flm_occupancy *o, int64_t time_ns)
{
    uint32_t low = 0, high = o->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (o->time_ns[middle] <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? o->running[low - 1] : 0;
}
