/* limits.h - what the system lets us record, and what would let us do more.
 *
 * Whether an event may be opened is decided by the kernel, and it only says EACCES, EINVAL or
 * EMFILE. This turns that into the setting behind it: the sysctl, the capability, the limit, and
 * what it is now. */
#ifndef FLAMEL_RECORD_CAPTURE_LIMITS_H
#define FLAMEL_RECORD_CAPTURE_LIMITS_H

#include "base/text/text.h"
#include "flamel/error.h"

struct perf_event_attr;

struct flm_limits {
    int paranoid;                 /* kernel.perf_event_paranoid; -1 and less: no limits */
    bool privileged;              /* root, CAP_PERFMON or CAP_SYS_ADMIN */
    bool before_perfmon;          /* Linux before 5.8, which has no CAP_PERFMON */
    uint64_t most_hz;             /* kernel.perf_event_max_sample_rate; 0: not known */
    uint64_t locked_kb;           /* kernel.perf_event_mlock_kb: of each processor's ring */
    uint64_t files;               /* how many may be open, after raising it as far as allowed */
    uint64_t files_before;        /* ... and before, which is what a command shall have */
    bool kernel_addresses_hidden; /* kernel.kptr_restrict, for us */
    bool is_there;                /* the kernel knows perf events at all */
};

/* Reads them; `root` is "" but in tests. Raises the soft limit of open files to the hard one. */
void flm_limits_read(struct flm_limits *limits, const char *root);

/* The least capability that allows recording what others may not. */
const char *flm_limits_capability(const struct flm_limits *limits);

/* Where what was refused would have looked. */
struct flm_refusal {
    int error; /* errno of perf_event_open */
    const char *event;
    const struct perf_event_attr *attr;
    bool whole_machine; /* not of single tasks */
    bool own_task;      /* of one that we started, or of our user */
    int32_t task;       /* 0: none */
    uint64_t files;     /* that were open already */
};

/* Always false: the sentence that says what was refused and what would allow it. */
bool flm_limits_refuse(const struct flm_limits *limits, const struct flm_refusal *refusal,
                       struct flm_error *why);

/* Why there are no frames of the kernel, and what would bring them. */
void flm_limits_explain_kernel(const struct flm_limits *limits, struct flm_text *out);

#endif
