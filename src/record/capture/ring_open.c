/* ring_open.c - opens events on every CPU, into the ring of that CPU. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "os/thread/processors.h"
#include "record/capture/internal.h"

enum { LEAST_RING = 65536, MOST_RECORD = 65536 };

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
    rings->files.at[rings->files.count++] = (struct flm_ring_file){file, ring, event};
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

static void set_wakeup(const struct flm_rings *rings, struct perf_event_attr *attr)
{
    attr->watermark = !rings->wakes;
    if (rings->wakes)
        attr->wakeup_events = 1;
    else
        attr->wakeup_watermark = (uint32_t)(rings->size / 4);
}

enum outcome { OPENED, TOO_LARGE, REFUSED };

/* The first event, of a CPU that is not sampled: forks, execs and mappings of processes that run on
 * another one later. */
static struct perf_event_attr without_samples(const struct perf_event_attr *attr)
{
    struct perf_event_attr own = *attr;
    own.type = PERF_TYPE_SOFTWARE;
    own.config = PERF_COUNT_SW_DUMMY;
    own.config1 = own.config2 = 0;
    own.sample_period = 0;
    own.freq = own.precise_ip = own.context_switch = 0;
    return own;
}

/* Opens the first event on every CPU, with its ring. */
static enum outcome open_rings(struct opening *o, struct flm_error *why)
{
    struct flm_rings *rings = o->rings;
    struct perf_event_attr sampled = o->request->event[0].attr;
    int absent = 0;
    bool any = false;
    set_wakeup(rings, &sampled);
    struct perf_event_attr tracked = without_samples(&sampled);
    for (size_t i = 0; i < rings->count; i++) {
        struct flm_ring *ring = &rings->ring[i];
        const struct perf_event_attr attr = ring->has_no_samples ? tracked : sampled;
        int file = open_event(o->kernel, &attr, o->tasks[o->task], ring->cpu);
        while (file < 0 && errno == ESRCH && i == 0 && o->task + 1 < o->task_count)
            file = open_event(o->kernel, &attr, o->tasks[++o->task], ring->cpu);
        if (file < 0 && ring->has_no_samples)
            continue;
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
        any = any || !ring->has_no_samples;
    }
    if (any)
        return OPENED;
    refuse(o, 0, o->task, absent, why);
    return REFUSED;
}

/* Opens every other event and task, into the ring of the CPU. */
static bool open_others(struct opening *o, struct flm_error *why)
{
    struct flm_rings *rings = o->rings;
    for (size_t event = 0; event < o->request->count; event++) {
        struct perf_event_attr sampled = o->request->event[event].attr;
        set_wakeup(rings, &sampled);
        struct perf_event_attr tracked = without_samples(&sampled);
        for (size_t task = o->task; task < o->task_count; task++)
            for (size_t i = 0; i < rings->count; i++) {
                struct flm_ring *ring = &rings->ring[i];
                if (!ring->page || (event == 0 && task == o->task) ||
                    (event > 0 && ring->has_no_samples))
                    continue;
                const struct perf_event_attr *attr = ring->has_no_samples ? &tracked : &sampled;
                int file = open_event(o->kernel, attr, o->tasks[task], ring->cpu);
                if (file < 0 && (is_gone(o, errno) || errno == ENODEV || errno == ENOENT ||
                                 ring->has_no_samples))
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

static bool is_sampled(const struct flm_request *request, int processor)
{
    for (size_t i = 0; i < request->processor_count; i++)
        if (request->processors[i] == processor)
            return true;
    return false;
}

/* Puts those that were asked for in front; returns how many these are. */
static size_t sampled_first(int *processors, size_t count, const struct flm_request *request)
{
    size_t sampled = 0;
    for (size_t i = 0; i < count; i++)
        if (is_sampled(request, processors[i])) {
            int one = processors[i];
            processors[i] = processors[sampled];
            processors[sampled++] = one;
        }
    return sampled;
}

static bool prepare(struct flm_rings *rings, const struct flm_request *request, const char *root)
{
    int *processors = malloc(FLM_PROCESSORS_MOST * sizeof *processors);
    rings->page_size = (size_t)sysconf(_SC_PAGESIZE);
    size_t found = processors ? flm_processors_find(root, processors, FLM_PROCESSORS_MOST) : 0;
    rings->count = rings->sampled_count = found;
    if (processors && request->processor_count > 0)
        rings->sampled_count = sampled_first(processors, found, request);
    rings->ring = calloc(rings->count + 1, sizeof *rings->ring);
    rings->polled = calloc(rings->count + 1, sizeof *rings->polled);
    bool good = processors && rings->ring && rings->polled;
    for (size_t i = 0; good && i < rings->count; i++) {
        rings->ring[i].cpu = processors[i];
        rings->ring[i].has_no_samples = i >= rings->sampled_count;
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
    rings->prompt = rings->hurried = rings->wakes = request->prompt;
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

/* ---- Single threads -------------------------------------------------------------------------- */

static uint64_t count_lost(const struct flm_rings *rings, int file)
{
    struct {
        uint64_t value, enabled_ns, running_ns, id, lost;
    } counter = {0};
    bool is_there = rings->has_lost && read(file, &counter, sizeof counter) == sizeof counter;
    return is_there ? counter.lost : 0;
}

void flm_rings_close_thread(struct flm_rings *rings, struct flm_thread_files *files)
{
    for (size_t i = 0; i < files->files.count; i++) {
        rings->counts.lost += count_lost(rings, files->files.at[i]);
        close(files->files.at[i]);
    }
    FLM_ARRAY_CLEAR(&files->files);
}

/* On one CPU. False, and errno, when it is refused; a CPU that is switched off is not. */
static bool open_thread_on(struct flm_rings *rings, const struct flm_kernel *kernel,
                           const struct perf_event_attr *attr, int32_t thread,
                           const struct flm_ring *ring, struct flm_thread_files *files)
{
    uint64_t id;
    int file = open_event(kernel, attr, thread, ring->cpu);
    if (file < 0)
        return errno == ENODEV || errno == ENXIO || errno == ENOENT;
    files->files.at[files->files.count++] = file;
    if (ioctl(file, PERF_EVENT_IOC_ID, &id) != 0 ||
        ioctl(file, PERF_EVENT_IOC_SET_OUTPUT, rings->files.at[ring->first_file].file) != 0)
        return false;
    files->ids.at[files->ids.count++] = id;
    return true;
}

bool flm_rings_open_thread(struct flm_rings *rings, const struct flm_kernel *kernel,
                           const struct perf_event_attr *attr, int32_t thread, size_t most,
                           struct flm_thread_files *files)
{
    struct perf_event_attr own = *attr;
    *files = (struct flm_thread_files){0};
    own.disabled = own.enable_on_exec = own.inherit = 0;
    /* The events of all threads have these records. */
    own.mmap = own.mmap2 = own.comm = own.comm_exec = own.task = own.build_id = 0;
    own.ksymbol = own.bpf_event = own.context_switch = 0;
    set_wakeup(rings, &own);
    bool good = rings->count <= most && FLM_ARRAY_RESERVE(&files->files, rings->count) &&
                FLM_ARRAY_RESERVE(&files->ids, rings->count);
    for (size_t i = 0; i < rings->count && good; i++)
        good = !rings->ring[i].page || rings->ring[i].has_no_samples ||
               open_thread_on(rings, kernel, &own, thread, &rings->ring[i], files);
    good = good && files->files.count > 0;
    if (!good) {
        flm_rings_close_thread(rings, files);
        FLM_ARRAY_CLEAR(&files->ids);
    }
    return good;
}

size_t flm_rings_files(const struct flm_rings *rings)
{
    return rings->files.count;
}

size_t flm_rings_size(const struct flm_rings *rings)
{
    return rings->size;
}

size_t flm_rings_count(const struct flm_rings *rings)
{
    return rings->sampled_count;
}

const uint64_t *flm_rings_ids(const struct flm_rings *rings, size_t event, size_t *count)
{
    assert(event < FLM_REQUEST_MOST_EVENTS && count);
    *count = rings->ids[event].count;
    return rings->ids[event].at;
}
