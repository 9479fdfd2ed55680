/* copy.c - closes the scopes that ended while they were copied. */
#include "format/probe/copy.h"

#include <string.h>

#include "flamel/probe_format.h"

struct settling {
    char *copy;
    size_t size;
    uint64_t began;
    flm_probe_read_again read;
    void *context;
};

static bool is_in(const struct settling *s, uint32_t place, size_t size)
{
    uint64_t at = (uint64_t)place * FLM_PROBE_UNIT;
    return place > 0 && at <= s->size && s->size - at >= size;
}

static bool is_open(const struct flm_probe_thread *thread, uint32_t depth)
{
    return depth <= FLM_PROBE_MOST_DEPTH && thread->open[depth].start > 0;
}

/* The start of one that is open still may have moved: what the library does is in no scope. That of
 * one that began again is after the copy was begun. */
static bool is_the_same(const struct settling *s, const struct flm_probe_open *open,
                        const struct flm_probe_open *now)
{
    return now->start == open->start ||
           (now->start > 0 && now->node == open->node && now->start < s->began);
}

/* From `depth` on they have ended, whatever is open there now. */
static void close_ended(const struct settling *s, struct flm_probe_thread *thread, uint32_t depth)
{
    struct flm_probe_node node;
    for (uint32_t d = depth; is_open(thread, d); d++) {
        uint32_t place = thread->open[d].node;
        uint64_t at = (uint64_t)place * FLM_PROBE_UNIT;
        if (is_in(s, place, sizeof node) && s->read(s->context, at, &node, sizeof node))
            memcpy(s->copy + at, &node, sizeof node);
    }
    if (depth <= FLM_PROBE_MOST_DEPTH)
        thread->open[depth].start = 0;
}

static bool settle_thread(const struct settling *s, uint32_t place, struct flm_probe_thread *thread)
{
    struct flm_probe_thread now;
    uint64_t at = (uint64_t)place * FLM_PROBE_UNIT;
    uint32_t depth = 1;
    if (!is_open(thread, depth))
        return true;
    if (!s->read(s->context, at, &now, sizeof now))
        return false;
    while (is_open(thread, depth) && is_the_same(s, &thread->open[depth], &now.open[depth]))
        depth++;
    close_ended(s, thread, depth);
    memcpy(s->copy + at, thread, sizeof *thread);
    return true;
}

void flm_probe_copy_settle(char *copy, size_t size, uint64_t began, flm_probe_read_again read,
                           void *context)
{
    const struct settling s = {copy, size, began, read, context};
    struct flm_probe_header header;
    struct flm_probe_thread thread;
    uint32_t before = UINT32_MAX;
    if (size < sizeof header)
        return;
    memcpy(&header, copy, sizeof header);
    for (uint32_t place = header.first_thread; place < before; place = thread.next) {
        if (!is_in(&s, place, sizeof thread))
            return;
        memcpy(&thread, copy + (uint64_t)place * FLM_PROBE_UNIT, sizeof thread);
        if (!settle_thread(&s, place, &thread))
            return;
        before = place;
    }
}
