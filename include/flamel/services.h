/* services.h - the programs of a machine as services: to whom each process belongs, and a profile
 * of the whole machine as one for each of them.
 *
 *     struct flm_services *s = flm_services_new(&options, &why);
 *     while (recording) {
 *         flm_services_look(s, &why);                              about once a second
 *         ...
 *         flm_services_split(s, profile, push, context, &why);     calls push with each
 *     }
 *     flm_services_free(s);
 *
 * A process belongs to the service
 *
 *     1. that it names itself: OTEL_SERVICE_NAME in its environment, or service.name in
 *        OTEL_RESOURCE_ATTRIBUTES;
 *     2. of its container: the workload of its pod, the container's name, or else its program, with
 *        the labels container, namespace and pod where they are known;
 *     3. of its unit of systemd, with the label unit;
 *     4. of its program: the file that runs, or the script that an interpreter runs.
 *
 * Threads of the kernel are the service "kernel". What a process began as, and has become by exec,
 * is read from /proc when it is first seen: environments and the names of containers are readable
 * for root, or for the user's own processes. A process that has ended before anybody looked belongs
 * where its parent does, if that is a container or a unit, and else to the name that it had.
 *
 * A struct flm_services belongs to one thread at a time. */
#ifndef FLAMEL_SERVICES_H
#define FLAMEL_SERVICES_H

#include "flamel/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

struct flm_service {
    const char *name;          /* terminated, not empty; UTF-8 */
    const char *const *labels; /* "unit=nginx": keys are names of labels, values not empty */
    size_t label_count;
    size_t processes; /* that have been seen, or had samples */
};

struct flm_services_options {
    size_t size; /* sizeof (struct flm_services_options) */
    size_t
        most; /* services of one profile, those with the most samples; 0: 200. What the others have
                    is of the service "other" */
    const char *root; /* in front of /proc, /var; NULL: none */
};

struct flm_services;

/* NULL, and `why`, where memory runs out, or `size` is not one that the library knows. */
struct flm_services *flm_services_new(const struct flm_services_options *options,
                                      struct flm_error *why);
void flm_services_free(struct flm_services *services);

/* Looks which processes there are, and reads what the new ones are: those that end before the
 * profile is split are known then. False, and `why`, where memory runs out. */
bool flm_services_look(struct flm_services *services, struct flm_error *why);

/* Calls `visit` with each service and its part of the profile, without samples of their own,
 * markers and counters; the one with the most samples first. Parts have the notes of the whole. The
 * profile needs samples with labels: record with `machine` and `keep_times`. False, and `why`, when
 * memory runs out, or `visit` returns false, which has set `why`. */
typedef bool (*flm_service_visitor)(void *context, const struct flm_service *service,
                                    const struct flm_profile *profile, struct flm_error *why);
bool flm_services_split(struct flm_services *services, const struct flm_profile *profile,
                        flm_service_visitor visit, void *context, struct flm_error *why);

/* Calls `visit` with each service that a process belongs to now, by name; the profile is NULL. */
bool flm_services_visit(struct flm_services *services, flm_service_visitor visit, void *context,
                        struct flm_error *why);

#ifdef __cplusplus
}
#endif

#endif
