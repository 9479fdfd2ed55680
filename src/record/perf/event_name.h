/* event_name.h - events by the names that perf gives them.
 *
 *     cycles:u                   a name, then modifiers: u user, k kernel, h hypervisor, G guest,
 *                                H host; p pp ppp how exact the address is, P as exact as it can be
 *     r1a8                       the processor's own number, in hexadecimal
 *     sched:sched_switch         a tracepoint: its number stands in tracefs
 *     LLC-load-misses            caches, by their parts
 *     cpu/event=0x3c,umask=1/u   a unit of the processor (a PMU), as sysfs describes it
 *
 * A name becomes type and config of `struct perf_event_attr`. Whether the machine has it, the
 * kernel says when it is opened (request.h). */
#ifndef FLAMEL_RECORD_PERF_EVENT_NAME_H
#define FLAMEL_RECORD_PERF_EVENT_NAME_H

#include "base/core/bytes.h"
#include "flamel/error.h"

enum { FLM_EVENT_NAME_SIZE = 96 };

struct flm_event_name {
    char text[FLM_EVENT_NAME_SIZE]; /* as it was asked for; terminated */
    uint32_t type;
    uint64_t config, config1, config2;
    bool exclude_user, exclude_kernel, exclude_hypervisor, exclude_guest, exclude_host;
    bool says_where;        /* one of u, k, h: so which of them is not ours to choose */
    int precise;            /* 0 to 3 */
    bool precise_as_can_be; /* P */
};

/* The name that begins `*list`, which is moved behind it and the comma that follows. Where the
 * system's files are is said by `root`: "" but in tests. False, and `why` with the names that are
 * near, for one that there is not. */
bool flm_event_name_next(struct flm_bytes *list, const char *root, struct flm_event_name *name,
                         struct flm_error *why);

/* Whether it counts nanoseconds: then a sample's period is one of time. */
bool flm_event_is_clock(uint32_t type, uint64_t config);

/* Whether it happens seldom enough for every one to be a sample, when nothing else was asked for.
 */
bool flm_event_is_rare(uint32_t type, uint64_t config);

/* Whether it happens in the kernel alone: user space never sees it. */
bool flm_event_is_in_kernel(uint32_t type, uint64_t config);

#endif
