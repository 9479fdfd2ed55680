/* interval.c - subtracts an earlier copy of a file from a later one, in place. */
#include "format/probe/interval.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "flamel/probe_format.h"

struct interval {
    char *after;
    size_t size;
    struct flm_bytes before;
    struct flm_probe_header was, now;
    uint64_t began; /* ticks: when the earlier copy was made */
};

/* Whatever a number is, it has not become less. */
static void subtract(uint64_t *value, uint64_t before)
{
    *value -= before < *value ? before : *value;
}

/* A block of the later copy; false: it is not in it. */
static bool copy_block(const struct interval *i, uint32_t place, void *to, size_t size)
{
    uint64_t at = (uint64_t)place * FLM_PROBE_UNIT;
    if (place == 0 || at > i->size || i->size - at < size)
        return false;
    memcpy(to, i->after + at, size);
    return true;
}

static void put_block(const struct interval *i, uint32_t place, const void *from, size_t size)
{
    memcpy(i->after + (uint64_t)place * FLM_PROBE_UNIT, from, size);
}

/* The same of the earlier copy: zeros, where it was not given out then. */
static void copy_earlier(const struct interval *i, uint32_t place, void *to, size_t size)
{
    uint64_t at = (uint64_t)place * FLM_PROBE_UNIT;
    memset(to, 0, size);
    if (at <= i->before.size && i->before.size - at >= size && at + size <= i->was.used)
        memcpy(to, i->before.at + at, size);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static bool is_scope(const struct interval *i, uint32_t number)
{
    uint32_t first = 0, size = FLM_PROBE_FIRST_SITES;
    for (uint32_t part = 0; part < FLM_PROBE_SITE_PARTS; part++) {
        if (number - first < size) {
            struct flm_probe_site site;
            uint64_t at = (uint64_t)i->now.site_part[part] * FLM_PROBE_UNIT +
                          (uint64_t)(number - first) * sizeof site;
            if (at > i->size || i->size - at < sizeof site)
                return false;
            memcpy(&site, i->after + at, sizeof site);
            return site.kind != FLM_PROBE_LOCK && site.kind != FLM_PROBE_FILE;
        }
        first += size;
        size = part == 0 ? size : size * 2;
    }
    return false;
}

/* Where none of the calls was timed, though others were, they took what those did on average. */
static void take_average(const struct interval *i, struct flm_probe_node *node,
                         const struct flm_probe_node *whole)
{
    if (node->calls == 0 || node->timed > 0 || whole->timed == 0 || !is_scope(i, node->site))
        return;
    node->timed = 1;
    node->total += whole->total / whole->timed;
}

static void subtract_node(const struct interval *i, uint32_t place)
{
    struct flm_probe_node node, before;
    if (!copy_block(i, place, &node, sizeof node))
        return;
    const struct flm_probe_node whole = node;
    copy_earlier(i, place, &before, sizeof before);
    subtract(&node.calls, before.calls);
    subtract(&node.total, before.total);
    subtract(&node.timed, before.timed);
    for (uint32_t v = 0; v < FLM_PROBE_VALUES; v++)
        if (v != FLM_PROBE_LIVE)
            subtract(&node.value[v], before.value[v]);
    take_average(i, &node, &whole);
    put_block(i, place, &node, sizeof node);
}

static void subtract_nodes(const struct interval *i, const struct flm_probe_thread *thread)
{
    struct flm_probe_part part;
    uint32_t before = UINT32_MAX;
    for (uint32_t place = thread->first_part; place < before; place = part.next) {
        if (!copy_block(i, place, &part, sizeof part))
            return;
        for (uint32_t n = 0; n < part.count && n < FLM_PROBE_NODES_IN_PART; n++)
            subtract_node(i, place + FLM_PROBE_NODE_UNITS * (1 + n));
        before = place;
    }
}

/* ---- Scopes that were open ------------------------------------------------------------------- */

/* What came of one until the earlier copy: it is in the total, if it has ended since. */
static void subtract_ended(const struct interval *i, const struct flm_probe_open *open)
{
    struct flm_probe_node node;
    if (!copy_block(i, open->node, &node, sizeof node))
        return;
    subtract(&node.total, i->began - open->start);
    put_block(i, open->node, &node, sizeof node);
}

/* One that is open still begins later by what the library did in it, and one that began again,
 * after the earlier copy. */
static void subtract_open(const struct interval *i, struct flm_probe_thread *thread,
                          const struct flm_probe_thread *before)
{
    bool is_open = true;
    for (uint32_t depth = 1; depth <= FLM_PROBE_MOST_DEPTH && before->open[depth].start; depth++) {
        const struct flm_probe_open *open = &before->open[depth];
        struct flm_probe_open *now = &thread->open[depth];
        bool is_timed = open->start != FLM_PROBE_UNTIMED && open->start < i->began;
        is_open = is_open && now->start > 0 && now->node == open->node && now->start < i->began;
        if (is_timed && is_open && now->start >= open->start)
            now->start = i->began + (now->start - open->start);
        else if (is_timed)
            subtract_ended(i, open);
    }
}

/* ---- Threads --------------------------------------------------------------------------------- */

static void subtract_thread(const struct interval *i, uint32_t place,
                            struct flm_probe_thread *thread)
{
    struct flm_probe_thread before;
    copy_earlier(i, place, &before, sizeof before);
    subtract_nodes(i, thread);
    subtract_open(i, thread, &before);
    subtract(&thread->lost_depth, before.lost_depth);
    subtract(&thread->lost_room, before.lost_room);
    subtract(&thread->lost_busy, before.lost_busy);
    subtract(&thread->left, before.left);
    subtract(&thread->lost_values, before.lost_values);
    put_block(i, place, thread, sizeof *thread);
}

static void subtract_threads(const struct interval *i)
{
    struct flm_probe_thread thread;
    uint32_t before = UINT32_MAX;
    for (uint32_t place = i->now.first_thread; place < before; place = thread.next) {
        if (!copy_block(i, place, &thread, sizeof thread))
            return;
        subtract_thread(i, place, &thread);
        before = place;
    }
}

static void subtract_stacks(const struct interval *i)
{
    struct flm_probe_stack stack, earlier;
    uint32_t before = UINT32_MAX;
    for (uint32_t place = i->now.first_stack; place < before; place = stack.next) {
        if (!copy_block(i, place, &stack, sizeof stack))
            return;
        copy_earlier(i, place, &earlier, sizeof earlier);
        subtract(&stack.samples, earlier.samples);
        subtract(&stack.bytes, earlier.bytes);
        subtract(&stack.allocations, earlier.allocations);
        put_block(i, place, &stack, sizeof stack);
        before = place;
    }
}

bool flm_probe_subtract(char *after, size_t size, struct flm_bytes before, struct flm_error *why)
{
    struct interval i = {.after = after, .size = size, .before = before};
    if (size < sizeof i.now || before.size < sizeof i.was)
        return flm_error_set(why, FLM_ERROR_FORMAT, "the file ends in its header");
    memcpy(&i.now, after, sizeof i.now);
    memcpy(&i.was, before.at, sizeof i.was);
    if (memcmp(i.now.magic, i.was.magic, sizeof i.now.magic) != 0 ||
        i.now.version != i.was.version || i.now.pid != i.was.pid ||
        i.now.start_ticks != i.was.start_ticks || i.now.start_ns != i.was.start_ns)
        return flm_error_set(why, FLM_ERROR_FORMAT, "not two copies of one file");
    i.began = i.was.now_ticks;
    subtract_threads(&i);
    subtract_stacks(&i);
    subtract(&i.now.lost_threads, i.was.lost_threads);
    if (i.now.header_size >= sizeof i.now) {
        subtract(&i.now.lost_calls, i.was.lost_calls);
        subtract(&i.now.lost_processes, i.was.lost_processes);
    }
    for (uint32_t s = 0; s < FLM_PROBE_SIGNALS; s++)
        subtract(&i.now.activity[s].samples, i.was.activity[s].samples);
    memcpy(after, &i.now, sizeof i.now);
    return true;
}
