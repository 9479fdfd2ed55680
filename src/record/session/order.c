#include "record/session/order.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/sort.h"
#include "flamel/builder.h"

/* A record in the queue. */
struct queued {
    int64_t time_ns;
    uint64_t offset; /* in the file */
    size_t at;       /* in `bytes` */
    uint32_t size;
};

struct flm_order {
    const struct flm_event_layouts *layouts;
    flm_event_sink sink;
    void *context;

    struct FLM_ARRAY(char) bytes; /* the records, each at a multiple of 8 */
    size_t limit;                 /* of them */
    struct FLM_ARRAY(struct queued) queue;
    struct FLM_ARRAY(uint32_t) sorted; /* room for the queue twice: the order, and to sort with */

    int64_t newest;          /* of all events */
    int64_t newest_of_round; /* `newest` at the last round */
    int64_t passed_on;       /* the time of the last event that was passed on */
    uint64_t late;
    struct flm_order_damage damage;

    uint64_t *single; /* a record that is passed on at once */
};

enum { LARGEST_RECORD = 65536, USUAL_LIMIT = 256 << 20 };

struct flm_order *flm_event_order_new(const struct flm_event_layouts *layouts, flm_event_sink sink,
                                      void *context, struct flm_error *why)
{
    assert(layouts && sink);
    struct flm_order *order = calloc(1, sizeof *order);
    uint64_t *single = malloc(LARGEST_RECORD);
    if (!order || !single) {
        free(order);
        free(single);
        flm_error_memory(why);
        return NULL;
    }
    order->layouts = layouts;
    order->sink = sink;
    order->context = context;
    order->single = single;
    order->limit = USUAL_LIMIT;
    order->newest = order->newest_of_round = order->passed_on = INT64_MIN;
    return order;
}

void flm_event_order_free(struct flm_order *order)
{
    if (!order)
        return;
    free(order->bytes.at);
    free(order->queue.at);
    free(order->sorted.at);
    free(order->single);
    free(order);
}

void flm_event_order_limit(struct flm_order *order, size_t size_bytes)
{
    assert(size_bytes > 0);
    order->limit = size_bytes;
}

/* Decodes and passes on; `record` may be changed. */
static bool pass_on(struct flm_order *order, char *record, size_t size, uint64_t offset,
                    struct flm_error *why)
{
    struct flm_event event;
    if (!flm_event_decode(order->layouts, record, size, offset, &event, NULL)) {
        if (order->damage.count++ == 0)
            order->damage.first_offset = offset;
        return true;
    }
    return order->sink(order->context, &event, why);
}

static int by_time(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_order *order = context;
    int64_t x = order->queue.at[a].time_ns, y = order->queue.at[b].time_ns;
    return (x > y) - (x < y);
}

static bool sort_queue(struct flm_order *order, struct flm_error *why)
{
    if (!FLM_ARRAY_RESERVE(&order->sorted, 2 * order->queue.count))
        return flm_error_memory(why);
    for (size_t i = 0; i < order->queue.count; i++)
        order->sorted.at[i] = (uint32_t)i;
    flm_sort(order->sorted.at, order->queue.count, order->sorted.at + order->queue.count, by_time,
             order);
    return true;
}

/* Keeps the events after `until`: moves them to the front, in the order in which they came. */
static void keep_later(struct flm_order *order, int64_t until)
{
    size_t kept = 0, size = 0;
    for (size_t i = 0; i < order->queue.count; i++) {
        struct queued w = order->queue.at[i];
        if (w.time_ns <= until)
            continue;
        memmove(order->bytes.at + size, order->bytes.at + w.at, w.size);
        w.at = size;
        size += (w.size + 7u) & ~(size_t)7;
        order->queue.at[kept++] = w;
    }
    order->queue.count = kept;
    order->bytes.count = size;
}

/* Passes on all events up to that time, inclusive. */
static bool pass_on_until(struct flm_order *order, int64_t until, struct flm_error *why)
{
    if (order->queue.count == 0)
        return true;
    if (!sort_queue(order, why))
        return false;
    for (size_t i = 0; i < order->queue.count; i++) {
        const struct queued *w = &order->queue.at[order->sorted.at[i]];
        if (w->time_ns > until)
            break;
        /* Records that perf itself adds, at the beginning and at the end, have the time 0. */
        if (w->time_ns >= order->passed_on)
            order->passed_on = w->time_ns;
        else if (w->time_ns != 0)
            order->late++;
        if (!pass_on(order, order->bytes.at + w->at, w->size, w->offset, why))
            return false;
    }
    keep_later(order, until);
    return true;
}

/* The queue is full: passes on the older half. */
static bool pass_on_half(struct flm_order *order, struct flm_error *why)
{
    if (!sort_queue(order, why))
        return false;
    return pass_on_until(order, order->queue.at[order->sorted.at[order->queue.count / 2]].time_ns,
                         why);
}

static bool enqueue(struct flm_order *order, int64_t time, const char *record, size_t size,
                    uint64_t offset, struct flm_error *why)
{
    size_t room = (size + 7) & ~(size_t)7;
    if (order->queue.count > 0 &&
        (order->bytes.count + room > order->limit || order->queue.count >= INT32_MAX) &&
        !pass_on_half(order, why))
        return false;
    if (!FLM_ARRAY_RESERVE(&order->bytes, room) || !FLM_ARRAY_RESERVE(&order->queue, 1))
        return flm_error_memory(why);
    memcpy(order->bytes.at + order->bytes.count, record, size);
    order->queue.at[order->queue.count++] =
        (struct queued){time, offset, order->bytes.count, (uint32_t)size};
    order->bytes.count += room;
    if (time > order->newest)
        order->newest = time;
    return true;
}

bool flm_event_order_add(struct flm_order *order, const char *record, size_t size, uint64_t offset,
                         struct flm_error *why)
{
    assert(size >= 8 && size <= LARGEST_RECORD);
    if (flm_record_header(record, order->layouts->swapped).type == FLM_RECORD_ROUND) {
        int64_t until = order->newest_of_round;
        order->newest_of_round = order->newest;
        return pass_on_until(order, until, why);
    }
    int64_t time = flm_event_time(order->layouts, record, size);
    if (time != FLM_NO_TIME)
        return enqueue(order, time, record, size, offset, why);
    memcpy(order->single, record, size);
    return pass_on(order, (char *)order->single, size, offset, why);
}

bool flm_event_order_finish(struct flm_order *order, struct flm_error *why)
{
    return pass_on_until(order, INT64_MAX, why);
}

uint64_t flm_event_order_late(const struct flm_order *order)
{
    return order->late;
}

struct flm_order_damage flm_event_order_damage(const struct flm_order *order)
{
    return order->damage;
}
