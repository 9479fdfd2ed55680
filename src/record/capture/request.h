/* request.h - which events, how often, with which stacks: the options as perf_event_attr that this
 * kernel accepts.
 *
 * Kernels refuse what they do not know with EINVAL. So each event is first opened on ourselves,
 * disabled. If that fails, optional features are given up in a fixed order, the least useful first,
 * and those that were not the reason are restored:
 *
 *     PERF_FORMAT_LOST           Linux 6.0     LOST records are counted instead
 *     build ids in mappings      Linux 5.12    read from the files instead
 *     BPF and ftrace code        Linux 5.1     reported when the kernel is recorded
 *     excluding guests           some PMUs     not reported: it matters to hosts only
 *     precise addresses          the processor unless they were requested
 *     the kernel                 privileges    reported, with what would permit it
 *
 * The default event is cycles, or cpu-clock if the processor does not count cycles. */
#ifndef FLAMEL_RECORD_CAPTURE_REQUEST_H
#define FLAMEL_RECORD_CAPTURE_REQUEST_H

#include "record/capture/limits.h"
#include "record/capture/recorder.h"
#include "record/events/event_name.h"
#include "record/events/kernel_api.h"

enum { FLM_REQUEST_MOST_EVENTS = 32, FLM_MOST_STACK = 65528 };

struct flm_request_event {
    struct perf_event_attr attr; /* disabled */
    char name[FLM_EVENT_NAME_SIZE];
};

struct flm_request {
    struct flm_request_event event[FLM_REQUEST_MOST_EVENTS];
    size_t count;          /* the first one has the records other than samples too */
    const int *processors; /* only what runs on these; none: all. Borrowed from the options */
    size_t processor_count;
    /* Indices of events that are sampled for off-CPU time; or SIZE_MAX. They count nothing. */
    size_t switch_event; /* when threads leave the CPU: their stack, and perhaps their state */
    size_t wake_event;   /* when threads could go on */
    double hz;           /* requested; 0 if a period was */
    uint64_t period;     /* requested */
    enum flm_stack_mode stacks;
    bool prompt;       /* the recorder wakes up for each sample */
    bool kernel;       /* the kernel is recorded */
    bool found_cycles; /* the default event is cycles */
    bool chose_event;  /* no event was named */
};

/* perf_event_open: returns a file, or -1 and sets errno. Tests simulate kernels. */
struct flm_kernel {
    int (*open)(void *context, const struct perf_event_attr *attr, int32_t task, int cpu);
    void *context;
    const char *root; /* in front of paths of its files: "" */
};
extern const struct flm_kernel flm_kernel_here;

/* Whether an event only marks what happens to threads, and its samples are not counted. */
static inline bool flm_request_only_marks(const struct flm_request *request, size_t event)
{
    return event == request->switch_event || event == request->wake_event;
}

/* False, and `why` with what would permit it. */
bool flm_request_make(struct flm_request *request, const struct flm_record_options *options,
                      const struct flm_limits *limits, const struct flm_kernel *kernel,
                      struct flm_error *why);

/* Describes the result for users, in lines: first what is recorded, then what is missing. */
void flm_request_explain(const struct flm_request *request,
                         const struct flm_record_options *options, const struct flm_limits *limits,
                         struct flm_text *out);

#endif
