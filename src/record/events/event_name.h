/* event_name.h - events by the names that perf gives them.
 *
 *     cycles:u                   a name, then modifiers: u user, k kernel, h hypervisor, G guest,
 *                                H host; p pp ppp how exact the address is, P as exact as it can be
 *     r1a8                       the processor's own number, in hexadecimal
 *     sched:sched_switch         a tracepoint: its number stands in tracefs
 *     LLC-load-misses            caches, by their parts
 *     cpu/event=0x3c,umask=1/u   a unit of the processor (a PMU), as sysfs describes it
 *
 * A name becomes type and config of `struct perf_event_attr`. Whether the machine has the event is
 * known when it is opened (request.h). */
#ifndef FLAMEL_RECORD_EVENTS_EVENT_NAME_H
#define FLAMEL_RECORD_EVENTS_EVENT_NAME_H

#include "base/core/bytes.h"
#include "flamel/error.h"

enum { FLM_EVENT_NAME_SIZE = 96 };

struct flm_event_name {
    char text[FLM_EVENT_NAME_SIZE]; /* as requested; terminated */
    uint32_t type;
    uint64_t config, config1, config2;
    bool exclude_user, exclude_kernel, exclude_hypervisor, exclude_guest, exclude_host;
    bool says_where;        /* it has u, k or h, so we do not choose */
    int precise;            /* 0 to 3 */
    bool precise_as_can_be; /* P */
};

/* Parses the first name of `*list`, and moves `*list` after it and its comma. `root` is in front of
 * the paths of system files: "" except in tests. False, and `why` with similar names, if there is
 * no such event. */
bool flm_event_name_next(struct flm_bytes *list, const char *root, struct flm_event_name *name,
                         struct flm_error *why);

/* Calls `visit` with every name that there is, until it returns false: those that perf has for all
 * machines, then tracepoints and events of PMUs as the system's files list them, by name. */
typedef bool (*flm_event_visitor)(void *context, const char *name, const char *kind);
void flm_event_names(const char *root, flm_event_visitor visit, void *context);

/* Reads how the kernel describes a tracepoint, "sched:sched_switch": the fields of its raw data, as
 * text, of which `room` bytes have room. 0 where tracefs cannot be read. */
size_t flm_event_description(const char *root, const char *name, char *text, size_t room);

/* Whether the event is so rare that every occurrence is sampled by default. */
bool flm_event_is_rare(uint32_t type, uint64_t config);

/* Whether the event occurs in the kernel only. */
bool flm_event_is_in_kernel(uint32_t type, uint64_t config);

#endif
