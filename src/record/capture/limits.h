/* limits.h - what the system permits us to record, and what would permit more.
 *
 * The kernel decides whether an event may be opened, and only returns EACCES, EINVAL or EMFILE.
 * This names the setting behind it: the sysctl, the capability, the limit, and its value. */
#ifndef FLAMEL_RECORD_CAPTURE_LIMITS_H
#define FLAMEL_RECORD_CAPTURE_LIMITS_H

#include "base/text/text.h"
#include "flamel/error.h"

struct perf_event_attr;

struct flm_limits {
    int paranoid;                 /* kernel.perf_event_paranoid; -1 and below: no limits */
    bool privileged;              /* root, CAP_PERFMON or CAP_SYS_ADMIN */
    bool before_perfmon;          /* Linux before 5.8: no CAP_PERFMON */
    uint64_t most_hz;             /* kernel.perf_event_max_sample_rate; 0: unknown */
    uint64_t locked_kb;           /* kernel.perf_event_mlock_kb: for the ring of each CPU */
    uint64_t files;               /* the limit of open files, raised as far as permitted */
    uint64_t files_before;        /* the limit before that, for the command */
    bool kernel_addresses_hidden; /* from us, by kernel.kptr_restrict */
    bool is_there;                /* the kernel has perf events */
};

/* Reads them; `root` is "" except in tests. Raises the soft limit of open files to the hard one. */
void flm_limits_read(struct flm_limits *limits, const char *root);

/* The least capability that permits recording everything. */
const char *flm_limits_capability(const struct flm_limits *limits);

/* An event that could not be opened. */
struct flm_refusal {
    int error; /* errno of perf_event_open */
    const char *event;
    const struct perf_event_attr *attr;
    bool whole_machine; /* not single tasks */
    bool own_task;      /* a task that we started, or of our user */
    int32_t task;       /* 0: none */
    uint64_t files;     /* open files */
};

/* Always false; `why` says what was refused, and what would permit it. */
bool flm_limits_refuse(const struct flm_limits *limits, const struct flm_refusal *refusal,
                       struct flm_error *why);

/* Explains why there are no kernel frames, and what would permit them. */
void flm_limits_explain_kernel(const struct flm_limits *limits, struct flm_text *out);

#endif
