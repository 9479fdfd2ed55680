/* control_group.h - what /proc/PID/cgroup (cgroups(7)) says of a process: the unit of systemd, the
 * container or the pod that it belongs to.
 *
 *     0::/system.slice/nginx.service                                      unit nginx
 *     0::/user.slice/user-1000.slice/session-2.scope                      neither
 *     0::/system.slice/docker-4f2a90...9c.scope                           container 4f2a90...9c
 *     0::/kubepods/burstable/pod1a2b3c4d-...-9f/4f2a90...9c               and pod 1a2b3c4d-...-9f
 *
 * Version 1 has a line for each hierarchy, and they may differ: the one that says most counts. A
 * container has the processes that run in a unit inside of it, too. */
#ifndef FLAMEL_RECORD_SERVICES_CONTROL_GROUP_H
#define FLAMEL_RECORD_SERVICES_CONTROL_GROUP_H

#include "base/core/bytes.h"

enum { FLM_CONTAINER_ID_SIZE = 64, FLM_POD_ID_SIZE = 36, FLM_UNIT_MOST = 128 };

struct flm_control_group {
    char unit[FLM_UNIT_MOST];                  /* "nginx" of nginx.service; "": none */
    char container[FLM_CONTAINER_ID_SIZE + 1]; /* hexadecimal digits; "": none */
    char pod[FLM_POD_ID_SIZE + 1];             /* with dashes; "": none */
};

void flm_control_group_parse(struct flm_bytes text, struct flm_control_group *group);

#endif
