#include "record/capture/ring.h"

#include <assert.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "flamel/builder.h"
#include "os/clock.h"
#include "record/capture/internal.h"

/* ---- Running --------------------------------------------------------------------------------- */

void flm_rings_start(struct flm_rings *rings)
{
    for (size_t i = 0; i < rings->files.count; i++)
        ioctl(rings->files.at[i].file, PERF_EVENT_IOC_ENABLE, 0);
}

void flm_rings_stop(struct flm_rings *rings)
{
    for (size_t i = 0; i < rings->files.count; i++)
        ioctl(rings->files.at[i].file, PERF_EVENT_IOC_DISABLE, 0);
}

/* A file whose task and all its children have ended makes poll return at once, for ever: then
 * another file of the same ring is polled. */
void flm_rings_poll_another(struct flm_rings *rings, struct flm_ring *ring)
{
    size_t number = (size_t)(ring - rings->ring);
    while (++ring->polled < rings->files.count)
        if (rings->files.at[ring->polled].ring == number)
            return;
}

int flm_rings_file(const struct flm_rings *rings, const struct flm_ring *ring)
{
    bool is_there = ring->page && ring->polled < rings->files.count;
    return is_there ? rings->files.at[ring->polled].file : -1;
}

void flm_rings_hurry(struct flm_rings *rings, bool hurried)
{
    rings->hurried = rings->prompt || hurried;
    rings->wakes = rings->wakes || hurried;
}

bool flm_rings_wait(struct flm_rings *rings, int file, int timeout_ms)
{
    bool any = false;
    for (size_t i = 0; i < rings->count; i++) {
        int file_of_ring = flm_rings_file(rings, &rings->ring[i]);
        rings->polled[i] = (struct pollfd){.fd = file_of_ring, .events = POLLIN};
        any = any || file_of_ring >= 0;
    }
    rings->polled[rings->count] = (struct pollfd){.fd = file, .events = POLLIN};
    if (poll(rings->polled, (nfds_t)(rings->count + 1), timeout_ms) <= 0)
        return any;
    for (size_t i = 0; i < rings->count; i++)
        if (rings->polled[i].revents & (POLLHUP | POLLERR | POLLNVAL))
            flm_rings_poll_another(rings, &rings->ring[i]);
    return any;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The record at `at`, contiguous. NULL if it is malformed: the rest of the ring cannot be read
 * then. */
static char *take_record(struct flm_rings *rings, struct flm_ring *ring, size_t *size)
{
    struct perf_event_header header;
    size_t start = ring->at & (rings->size - 1), left = rings->size - start;
    /* A header never wraps around: records are multiples of 8 bytes, and so is the ring. */
    memcpy(&header, ring->data + start, sizeof header);
    if (header.size < sizeof header || header.size > ring->end - ring->at)
        return NULL;
    *size = header.size;
    if (header.size <= left)
        return ring->data + start;
    memcpy(ring->joined, ring->data + start, left);
    memcpy(ring->joined + left, ring->data, header.size - left);
    return ring->joined;
}

static bool peek(struct flm_rings *rings, struct flm_ring *ring,
                 const struct flm_event_layouts *layouts)
{
    while (!ring->has_event && ring->at < ring->end) {
        ring->record = take_record(rings, ring, &ring->record_size);
        if (!ring->record) {
            rings->counts.damaged++;
            ring->at = ring->end;
            return false;
        }
        ring->has_event = flm_event_decode(layouts, ring->record, ring->record_size, ring->at,
                                           &ring->event, NULL);
        if (!ring->has_event) {
            rings->counts.damaged++;
            ring->at += ring->record_size;
            continue;
        }
        ring->time = ring->event.time_ns; /* FLM_NO_TIME is before everything */
    }
    return ring->has_event;
}

/* Lets the kernel overwrite what was read. Not after each record: that would take the cache line
 * from the CPU that writes each time. */
static void advance_tail(struct flm_ring *ring, size_t least)
{
    if (ring->at - ring->freed < least)
        return;
    __atomic_store_n(&ring->page->data_tail, ring->at, __ATOMIC_RELEASE);
    ring->freed = ring->at;
}

static bool pass_on(struct flm_rings *rings, struct flm_ring *ring, flm_record_sink sink,
                    void *context, struct flm_error *why)
{
    rings->counts.records++;
    if (ring->time != FLM_NO_TIME && ring->time < rings->newest)
        rings->counts.late++;
    else if (ring->time != FLM_NO_TIME)
        rings->newest = ring->time;
    bool good = sink(context, ring->record, ring->record_size, &ring->event, why);
    ring->at += ring->record_size;
    ring->has_event = false;
    advance_tail(ring, rings->size / 16);
    return good;
}

/* The ring with the oldest event, and the time of the oldest event of the others. */
static struct flm_ring *oldest(struct flm_rings *rings, const struct flm_event_layouts *layouts,
                               int64_t *next)
{
    struct flm_ring *found = NULL;
    *next = INT64_MAX;
    for (size_t i = 0; i < rings->count; i++) {
        struct flm_ring *ring = &rings->ring[i];
        if (!ring->page || !peek(rings, ring, layouts))
            continue;
        if (!found || ring->time < found->time) {
            *next = found ? found->time : *next;
            found = ring;
        } else if (ring->time < *next) {
            *next = ring->time;
        }
    }
    return found;
}

bool flm_rings_read(struct flm_rings *rings, const struct flm_event_layouts *layouts,
                    int64_t now_ns, flm_record_sink sink, void *context, struct flm_error *why)
{
    assert(layouts && sink);
    int64_t horizon = now_ns, next; /* when hurried, some events come out of order */
    if (now_ns != INT64_MAX && !rings->hurried)
        horizon -= FLM_RINGS_MOMENT_NS;
    for (size_t i = 0; i < rings->count; i++)
        if (rings->ring[i].page)
            rings->ring[i].end = __atomic_load_n(&rings->ring[i].page->data_head, __ATOMIC_ACQUIRE);
    bool good = true;
    for (struct flm_ring *ring; good && (ring = oldest(rings, layouts, &next));) {
        if (ring->time > horizon)
            break;
        int64_t until = next < horizon ? next : horizon;
        do
            good = pass_on(rings, ring, sink, context, why);
        while (good && peek(rings, ring, layouts) && ring->time <= until);
    }
    for (size_t i = 0; i < rings->count; i++)
        if (rings->ring[i].page)
            advance_tail(&rings->ring[i], 1);
    return good;
}

struct flm_ring_counts flm_rings_counts(const struct flm_rings *rings)
{
    struct flm_ring_counts counts = rings->counts;
    struct {
        uint64_t value, enabled_ns, running_ns, id, lost;
    } counter = {0};
    size_t size = sizeof counter - (rings->has_lost ? 0 : sizeof counter.lost);
    for (size_t i = 0; i < rings->files.count; i++) {
        if (read(rings->files.at[i].file, &counter, sizeof counter) < (ssize_t)size)
            continue;
        counts.lost += counter.lost;
        if (rings->ring[rings->files.at[i].ring].has_no_samples)
            continue;
        counts.events += rings->files.at[i].event == 0 ? (double)counter.value : 0;
        counts.cpu_s += rings->files.at[i].event == 0 ? (double)counter.running_ns / 1e9 : 0;
    }
    return counts;
}
