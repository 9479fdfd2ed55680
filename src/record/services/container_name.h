/* container_name.h - what a container is called: by the files that its runtime keeps on the
 * machine.
 *
 *     Kubernetes   /var/log/containers/api-7d9c8b6f4-x2x9z_shop_web-4f2a...9c.log    (a link)
 *     Docker       /var/lib/docker/containers/4f2a...9c/config.v2.json               "Name":"/web"
 *     podman       /var/lib/containers/storage/overlay-containers/containers.json  "names":["web"]
 *
 * Only root may read the last two. */
#ifndef FLAMEL_RECORD_SERVICES_CONTAINER_NAME_H
#define FLAMEL_RECORD_SERVICES_CONTAINER_NAME_H

#include "base/core/bytes.h"

enum { FLM_CONTAINER_NAME_MOST = 256 }; /* names of files are no longer */

struct flm_container_name {
    char name[FLM_CONTAINER_NAME_MOST];
    char pod[FLM_CONTAINER_NAME_MOST], space[FLM_CONTAINER_NAME_MOST]; /* "": of no pod */
};

/* `root` is in front of the paths. False: none of them knows it. */
bool flm_container_name_find(const char *root, const char *id, struct flm_container_name *name);

/* The workload that a pod is of, without what its controller has added:
 *
 *     api-7d9c8b6f4-x2x9z   of a Deployment     api
 *     node-agent-x2x9z      of a DaemonSet      node-agent
 *     db-0                  of a StatefulSet    db
 *     backup-28391040-x2x9z of a CronJob        backup
 *
 * Controllers make suffixes of consonants and digits that no word has:
 * "bcdfghjklmnpqrstvwxz2456789". */
struct flm_bytes flm_pod_workload(struct flm_bytes pod);

#endif
