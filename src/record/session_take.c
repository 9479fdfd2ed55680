/* session_take.c - a recording in pieces: what came since the last one, and then forgotten.
 *
 * Stacks and places are numbers that only what was counted refers to, and where a thread stood when
 * it began to wait. So they are begun anew, and the stacks of those that still wait are carried
 * over. What it cost to find out stays: processes and their mappings, modules with their tables. */
#include "record/session_parts.h"

#include <stdlib.h>

#include "format/perf_events.h"

/* More than a stack may be deep: its labels stand outside of it. */
enum { DEEPEST = FLM_DEEPEST_STACK + 8 };

struct fresh {
    struct flm_places places;
    struct flm_stacks stacks;
};

/* The same stack among the new ones; UINT32_MAX when memory ran out. */
static uint32_t carry(const struct flm_session *s, struct fresh *fresh, uint32_t node)
{
    uint32_t path[DEEPEST] = {0}, depth = 0, moved = 0;
    for (; node != 0 && depth < DEEPEST; node = s->stacks.nodes[node].caller)
        path[depth++] = s->stacks.nodes[node].place;
    while (depth-- > 0 && moved != UINT32_MAX) {
        const struct flm_place *place = &s->places.places[path[depth]];
        uint32_t number = flm_places_add(&fresh->places, s->places.owners[place->owner],
                                         place->address, place->era);
        moved = number == UINT32_MAX ? number : flm_stacks_child(&fresh->stacks, moved, number);
    }
    return moved;
}

/* Where threads stood, by their order; NULL when memory ran out. */
static uint32_t *carry_waiting(const struct flm_session *s, struct fresh *fresh)
{
    uint32_t *nodes = calloc(s->switches.count + 1, sizeof *nodes);
    for (size_t i = 0; nodes && i < s->switches.count; i++) {
        const struct flm_waiting_thread *thread = &s->switches.threads[i];
        if (thread->marked_ns == FLM_NO_TIME || thread->ended)
            continue;
        nodes[i] = carry(s, fresh, thread->node);
        if (nodes[i] == UINT32_MAX) {
            free(nodes);
            return NULL;
        }
    }
    return nodes;
}

static bool forget(struct flm_session *s, struct flm_error *why)
{
    struct fresh fresh = {0};
    uint32_t *waiting = NULL;
    bool good = flm_places_init(&fresh.places, why) && flm_stacks_init(&fresh.stacks, why) &&
                ((waiting = carry_waiting(s, &fresh)) || flm_error_memory(why));
    if (!good) {
        flm_places_clear(&fresh.places);
        flm_stacks_clear(&fresh.stacks);
        return false;
    }
    for (size_t i = 0; i < s->switches.count; i++)
        s->switches.threads[i].node = waiting[i];
    free(waiting);
    flm_places_clear(&s->places);
    flm_stacks_clear(&s->stacks);
    s->places = fresh.places;
    s->stacks = fresh.stacks;
    flm_tally_clear(&s->tally);
    s->root.node = 0;
    s->last_depth = 0;
    s->loss_count = 0;
    memset(s->unwind_ends, 0, sizeof s->unwind_ends);
    return true;
}

/* Every piece has the metrics of all before it, in the same order, also where nothing was counted:
 * they are to be laid beside each other. */
static bool add_metrics(const struct flm_session *s, struct flm_builder *builder)
{
    struct flm_perf_events events = {.builder = builder};
    for (size_t i = 0; i < s->event_count; i++)
        if (s->events[i].is_known)
            flm_perf_events_find(&events, flm_own_text_bytes(&s->events[i].name),
                                 s->events[i].has_period);
    flm_perf_events_clear(&events);
    return !flm_builder_failed(builder);
}

bool flm_session_take(struct flm_session *s, int64_t until_ns, struct flm_builder *builder,
                      struct flm_error *why)
{
    if (until_ns > s->newest_ns)
        s->newest_ns = until_ns; /* who waits has waited until then */
    return (add_metrics(s, builder) || flm_error_memory(why)) &&
           flm_session_finish(s, builder, NULL, NULL, why) && forget(s, why);
}
