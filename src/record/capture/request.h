/* request.h - which events, how often, with which stacks: what the user asked for, as attributes
 * that this kernel takes.
 *
 * Kernels refuse what they do not know, and say EINVAL for all of it. So each event is opened once
 * on ourselves, stopped, before anything depends on it. When that fails, what this kernel or this
 * user may not have is given up in a fixed order, the least useful first, and what turns out not to
 * have been the reason is taken back:
 *
 *     counts of what each event lost     Linux 6.0     nothing is lost: LOST records tell as well
 *     build ids in mappings              Linux 5.12    read from the files instead
 *     BPF and ftrace code by name        Linux 5.1     said when the kernel is recorded
 *     not counting guests                some units    said nowhere: it matters to hosts alone
 *     exact addresses                    the processor unless they were asked for
 *     the kernel's part                  rights        said, with what would allow it
 *
 * The event that nobody named is cycles, or cpu-clock where the processor does not count them. */
#ifndef FLAMEL_RECORD_CAPTURE_REQUEST_H
#define FLAMEL_RECORD_CAPTURE_REQUEST_H

#include "record/capture/limits.h"
#include "record/capture/recorder.h"
#include "record/perf/event_name.h"
#include "record/perf/kernel_api.h"

enum { FLM_REQUEST_MOST_EVENTS = 32 };

struct flm_request_event {
    struct perf_event_attr attr; /* disabled */
    char name[FLM_EVENT_NAME_SIZE];
};

struct flm_request {
    struct flm_request_event event[FLM_REQUEST_MOST_EVENTS];
    size_t count;        /* the first one carries the records that are no samples */
    size_t switch_event; /* index of the event whose samples are where threads began to wait; or
                        `count` */
    double hz;           /* asked for; 0 where a period was */
    uint64_t period;     /* asked for */
    enum flm_stack_mode stacks;
    bool prompt;       /* each sample is looked at when it comes */
    bool kernel;       /* the kernel's part is recorded */
    bool found_cycles; /* of the event that nobody named */
    bool chose_event;
};

/* How the kernel is asked: a file, or -1 and errno. Tests have kernels of their own. */
struct flm_kernel {
    int (*open)(void *context, const struct perf_event_attr *attr, int32_t task, int cpu);
    void *context;
    const char *root; /* where its files are: "" */
};
extern const struct flm_kernel flm_kernel_here;

/* False, and `why` with what would allow it. */
bool flm_request_make(struct flm_request *request, const struct flm_record_options *options,
                      const struct flm_limits *limits, const struct flm_kernel *kernel,
                      struct flm_error *why);

/* What was decided, for people: a line each, the first of what is recorded, the others of what is
 * missing. */
void flm_request_explain(const struct flm_request *request,
                         const struct flm_record_options *options, const struct flm_limits *limits,
                         struct flm_text *out);

#endif
