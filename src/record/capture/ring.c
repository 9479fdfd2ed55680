#include "record/capture/ring.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/core/array.h"
#include "flamel/builder.h"
#include "os/clock.h"
#include "os/processors.h"

enum { LEAST_RING = 65536, MOST_RECORD = 65536 };

struct ring {
    int cpu;
    struct perf_event_mmap_page *page; /* NULL: no event could be opened on the CPU */
    char *data;
    char *joined;            /* a record that wraps around the end of the ring */
    uint64_t at, end, freed; /* read next, end of this round, tail in the kernel */
    size_t first_file;       /* whose ring is mapped */
    size_t polled;           /* the file that is polled */

    /* The record at `at`, once it is decoded. */
    bool has_event;
    char *record;
    size_t record_size;
    struct flm_event event;
    int64_t time;
};

struct file {
    int file;
    uint32_t ring, event;
};

struct flm_rings {
    bool prompt;
    struct ring *ring;
    size_t count, size, page_size;
    struct FLM_ARRAY(struct file) files;
    struct FLM_ARRAY(uint64_t) ids[FLM_REQUEST_MOST_EVENTS]; /* by event */
    struct pollfd *polled;                                   /* of each ring, and one more */
    int64_t newest;                                          /* of the records passed on */
    struct flm_ring_counts counts;
    bool has_lost; /* the kernel supports PERF_FORMAT_LOST */
};

/* ---- Opening --------------------------------------------------------------------------------- */

static int open_event(const struct flm_kernel *kernel, const struct perf_event_attr *attr,
                      int32_t task, int cpu)
{
    int file = kernel->open(kernel->context, attr, task, cpu);
    if (file >= 0 || errno != ENOENT ||
        (attr->type != PERF_TYPE_HARDWARE && attr->type != PERF_TYPE_HW_CACHE))
        return file;
    uint64_t unit = flm_processors_unit(kernel->root, cpu);
    if (unit == 0) {
        errno = ENOENT;
        return -1;
    }
    struct perf_event_attr other = *attr;
    other.config |= unit << 32;
    return kernel->open(kernel->context, &other, task, cpu);
}

static bool keep_file(struct flm_rings *rings, int file, uint32_t ring, uint32_t event)
{
    if (!FLM_ARRAY_RESERVE(&rings->files, 1)) {
        close(file);
        return false;
    }
    rings->files.at[rings->files.count++] = (struct file){file, ring, event};
    return true;
}

static bool keep_id(struct flm_rings *rings, int file, uint32_t event)
{
    uint64_t id;
    if (ioctl(file, PERF_EVENT_IOC_ID, &id) != 0)
        return true; /* old kernels: there is one event, and samples need no id */
    return FLM_ARRAY_ADD(&rings->ids[event], id);
}

static void unmap(struct flm_rings *rings)
{
    for (size_t i = 0; rings->ring && i < rings->count; i++)
        if (rings->ring[i].page) {
            munmap(rings->ring[i].page, rings->page_size + rings->size);
            rings->ring[i].page = NULL;
        }
    for (size_t i = 0; i < rings->files.count; i++)
        close(rings->files.at[i].file);
    rings->files.count = 0;
}

struct opening {
    struct flm_rings *rings;
    struct flm_request *request;
    const int32_t *tasks;
    size_t task_count;
    size_t task; /* the first one that exists */
    bool own_tasks;
    const struct flm_limits *limits;
    const struct flm_kernel *kernel;
};

static bool refuse(const struct opening *o, size_t event, size_t task, int error,
                   struct flm_error *why)
{
    struct flm_refusal refusal = {
        .error = error,
        .event = o->request->event[event].name,
        .attr = &o->request->event[event].attr,
        .whole_machine = o->tasks[task] == -1,
        .own_task = o->own_tasks,
        .task = o->tasks[task],
        .files = o->rings->files.count,
    };
    return flm_limits_refuse(o->limits, &refusal, why);
}

static bool is_gone(const struct opening *o, int error)
{
    return error == ESRCH && o->task_count > 1;
}

static void set_wakeup(const struct opening *o, struct perf_event_attr *attr)
{
    attr->watermark = !o->request->prompt;
    if (o->request->prompt)
        attr->wakeup_events = 1;
    else
        attr->wakeup_watermark = (uint32_t)(o->rings->size / 4);
}

enum outcome { OPENED, TOO_LARGE, REFUSED };

/* Opens the first event on every CPU, with its ring. */
static enum outcome open_rings(struct opening *o, struct flm_error *why)
{
    struct flm_rings *rings = o->rings;
    struct perf_event_attr attr = o->request->event[0].attr;
    int absent = 0;
    set_wakeup(o, &attr);
    for (size_t i = 0; i < rings->count; i++) {
        struct ring *ring = &rings->ring[i];
        int file = open_event(o->kernel, &attr, o->tasks[o->task], ring->cpu);
        while (file < 0 && errno == ESRCH && i == 0 && o->task + 1 < o->task_count)
            file = open_event(o->kernel, &attr, o->tasks[++o->task], ring->cpu);
        if (file < 0 && (errno == ENODEV || errno == ENXIO || errno == ENOENT)) {
            absent = errno; /* the CPU was switched off, or has no such event */
            continue;
        }
        if (file < 0) {
            refuse(o, 0, o->task, errno, why);
            return REFUSED;
        }
        if (!keep_file(rings, file, (uint32_t)i, 0)) {
            flm_error_memory(why);
            return REFUSED;
        }
        ring->first_file = ring->polled = rings->files.count - 1;
        void *page =
            mmap(NULL, rings->page_size + rings->size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (page == MAP_FAILED && (errno == EPERM || errno == ENOMEM || errno == EAGAIN))
            return TOO_LARGE;
        if (page == MAP_FAILED) {
            flm_error_set(why, FLM_ERROR_SYSTEM, "cannot map a ring buffer: %s", strerror(errno));
            return REFUSED;
        }
        ring->page = page;
        ring->data = (char *)page + rings->page_size;
    }
    if (rings->files.count > 0)
        return OPENED;
    refuse(o, 0, o->task, absent, why);
    return REFUSED;
}

/* Opens every other event and task, into the ring of the CPU. */
static bool open_others(struct opening *o, struct flm_error *why)
{
    struct flm_rings *rings = o->rings;
    for (size_t event = 0; event < o->request->count; event++) {
        struct perf_event_attr attr = o->request->event[event].attr;
        set_wakeup(o, &attr);
        for (size_t task = o->task; task < o->task_count; task++)
            for (size_t i = 0; i < rings->count; i++) {
                struct ring *ring = &rings->ring[i];
                if (!ring->page || (event == 0 && task == o->task))
                    continue;
                int file = open_event(o->kernel, &attr, o->tasks[task], ring->cpu);
                if (file < 0 && (is_gone(o, errno) || errno == ENODEV || errno == ENOENT))
                    continue;
                if (file < 0)
                    return refuse(o, event, task, errno, why);
                if (!keep_file(rings, file, (uint32_t)i, (uint32_t)event))
                    return flm_error_memory(why);
                if (ioctl(file, PERF_EVENT_IOC_SET_OUTPUT,
                          rings->files.at[ring->first_file].file) != 0)
                    return flm_error_set(why, FLM_ERROR_SYSTEM,
                                         "%s: cannot be written to the ring buffer: %s",
                                         o->request->event[event].name, strerror(errno));
            }
    }
    for (size_t i = 0; i < rings->files.count; i++)
        if (!keep_id(rings, rings->files.at[i].file, rings->files.at[i].event))
            return flm_error_memory(why);
    return true;
}

static bool open_all(struct opening *o, size_t size, struct flm_error *why)
{
    struct flm_rings *rings = o->rings;
    rings->size = LEAST_RING;
    while (rings->size * 2 <= size)
        rings->size *= 2; /* the kernel wants a power of two */
    for (;;) {
        enum outcome outcome = open_rings(o, why);
        if (outcome == OPENED)
            return open_others(o, why);
        unmap(rings);
        if (outcome == REFUSED)
            return false;
        if (rings->size == LEAST_RING)
            return flm_error_set(why, FLM_ERROR_SYSTEM,
                                 "no memory may be locked for ring buffers: "
                                 "kernel.perf_event_mlock_kb is %llu, and other recordings may use "
                                 "it (ulimit -l, sysctl kernel.perf_event_mlock_kb or "
                                 "CAP_IPC_LOCK allow more)",
                                 (unsigned long long)o->limits->locked_kb);
        rings->size /= 2;
    }
}

static bool prepare(struct flm_rings *rings, const struct flm_request *request, const char *root)
{
    int *processors = malloc(FLM_PROCESSORS_MOST * sizeof *processors);
    rings->page_size = (size_t)sysconf(_SC_PAGESIZE);
    rings->count = processors ? flm_processors_find(root, processors, FLM_PROCESSORS_MOST) : 0;
    if (processors && request->processor_count > 0) {
        rings->count = request->processor_count;
        memcpy(processors, request->processors, rings->count * sizeof *processors);
    }
    rings->ring = calloc(rings->count + 1, sizeof *rings->ring);
    rings->polled = calloc(rings->count + 1, sizeof *rings->polled);
    bool good = processors && rings->ring && rings->polled;
    for (size_t i = 0; good && i < rings->count; i++) {
        rings->ring[i].cpu = processors[i];
        rings->ring[i].joined = malloc(MOST_RECORD);
        good = rings->ring[i].joined;
    }
    free(processors);
    return good;
}

struct flm_rings *flm_rings_open(struct flm_request *request, const int32_t *tasks,
                                 size_t task_count, size_t size, bool own_tasks,
                                 const struct flm_limits *limits, const struct flm_kernel *kernel,
                                 struct flm_error *why)
{
    assert(request && request->count > 0 && tasks && task_count > 0 && limits && kernel);
    struct flm_rings *rings = calloc(1, sizeof *rings);
    if (!rings || !prepare(rings, request, kernel->root)) {
        flm_rings_close(rings);
        flm_error_memory(why);
        return NULL;
    }
    rings->newest = INT64_MIN;
    rings->prompt = request->prompt;
    rings->has_lost = request->event[0].attr.read_format & PERF_FORMAT_LOST;
    struct opening opening = {.rings = rings,
                              .request = request,
                              .tasks = tasks,
                              .task_count = task_count,
                              .own_tasks = own_tasks,
                              .limits = limits,
                              .kernel = kernel};
    if (open_all(&opening, size, why))
        return rings;
    flm_rings_close(rings);
    return NULL;
}

void flm_rings_close(struct flm_rings *rings)
{
    if (!rings)
        return;
    unmap(rings);
    for (size_t i = 0; rings->ring && i < rings->count; i++)
        free(rings->ring[i].joined);
    for (size_t i = 0; i < FLM_REQUEST_MOST_EVENTS; i++)
        free(rings->ids[i].at);
    free(rings->ring);
    free(rings->polled);
    free(rings->files.at);
    free(rings);
}

size_t flm_rings_size(const struct flm_rings *rings)
{
    return rings->size;
}

size_t flm_rings_count(const struct flm_rings *rings)
{
    return rings->count;
}

const uint64_t *flm_rings_ids(const struct flm_rings *rings, size_t event, size_t *count)
{
    assert(event < FLM_REQUEST_MOST_EVENTS && count);
    *count = rings->ids[event].count;
    return rings->ids[event].at;
}

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
static void poll_another(struct flm_rings *rings, struct ring *ring)
{
    size_t number = (size_t)(ring - rings->ring);
    while (++ring->polled < rings->files.count)
        if (rings->files.at[ring->polled].ring == number)
            return;
}

bool flm_rings_wait(struct flm_rings *rings, int file, int timeout_ms)
{
    bool any = false;
    for (size_t i = 0; i < rings->count; i++) {
        struct ring *ring = &rings->ring[i];
        bool there = ring->page && ring->polled < rings->files.count;
        rings->polled[i] = (struct pollfd){
            .fd = there ? rings->files.at[ring->polled].file : -1,
            .events = POLLIN,
        };
        any = any || there;
    }
    rings->polled[rings->count] = (struct pollfd){.fd = file, .events = POLLIN};
    if (poll(rings->polled, (nfds_t)(rings->count + 1), timeout_ms) <= 0)
        return any;
    for (size_t i = 0; i < rings->count; i++)
        if (rings->polled[i].revents & (POLLHUP | POLLERR | POLLNVAL))
            poll_another(rings, &rings->ring[i]);
    return any;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The record at `at`, contiguous. NULL if it is malformed: the rest of the ring cannot be read
 * then. */
static char *take_record(struct flm_rings *rings, struct ring *ring, size_t *size)
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

static bool peek(struct flm_rings *rings, struct ring *ring,
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
static void advance_tail(struct ring *ring, size_t least)
{
    if (ring->at - ring->freed < least)
        return;
    __atomic_store_n(&ring->page->data_tail, ring->at, __ATOMIC_RELEASE);
    ring->freed = ring->at;
}

static bool pass_on(struct flm_rings *rings, struct ring *ring, flm_record_sink sink, void *context,
                    struct flm_error *why)
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
static struct ring *oldest(struct flm_rings *rings, const struct flm_event_layouts *layouts,
                           int64_t *next)
{
    struct ring *found = NULL;
    *next = INT64_MAX;
    for (size_t i = 0; i < rings->count; i++) {
        struct ring *ring = &rings->ring[i];
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

bool flm_rings_read(struct flm_rings *rings, const struct flm_event_layouts *layouts, bool all,
                    flm_record_sink sink, void *context, struct flm_error *why)
{
    assert(layouts && sink);
    /* The kernel takes the time of an event shortly before it appears in the ring: at most an
     * interrupt handler runs in between. With `prompt` some events come out of order. */
    enum { MOMENT_NS = 1000000 };
    int64_t horizon = all || rings->prompt ? INT64_MAX : flm_now_ns() - MOMENT_NS, next;
    for (size_t i = 0; i < rings->count; i++)
        if (rings->ring[i].page)
            rings->ring[i].end = __atomic_load_n(&rings->ring[i].page->data_head, __ATOMIC_ACQUIRE);
    bool good = true;
    for (struct ring *ring; good && (ring = oldest(rings, layouts, &next));) {
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
        counts.events += rings->files.at[i].event == 0 ? (double)counter.value : 0;
        counts.cpu_s += rings->files.at[i].event == 0 ? (double)counter.running_ns / 1e9 : 0;
    }
    return counts;
}
