/* internal.h - processes and services, as the files of this folder share them. */
#ifndef FLAMEL_RECORD_SERVICES_INTERNAL_H
#define FLAMEL_RECORD_SERVICES_INTERNAL_H

#include "base/core/array.h"
#include "base/core/bytes.h"
#include "base/core/index.h"
#include "flamel/services.h"

struct process {
    int32_t id;
    uint32_t service;
    bool is_shared; /* what it has started belongs to the same service */
    bool is_there;  /* it was when we looked last */
};

struct service {
    struct flm_service shown;
    char *text; /* owned: name and labels, each with a NUL behind it */
    size_t size;
    const char **labels; /* owned; they lie in the text */
};

struct flm_services {
    char *root;
    size_t most;
    struct FLM_ARRAY(struct process) processes; /* ascending by number */
    struct FLM_ARRAY(struct service) services;
    struct flm_index index; /* of services, by their text */
};

/* The service that a process belongs to, where it is known or can be read now; NULL: neither. False
 * in *good when memory ran out. */
const struct process *flm_services_process(struct flm_services *services, int32_t id, bool *good);

/* It is something else now, as after an exec: it is read again when it is asked for. */
void flm_services_forget(struct flm_services *services, int32_t id);

/* Those that had ended when we looked last. */
void flm_services_forget_ended(struct flm_services *services);

/* The number of the service with only a name, which is added where there is none. FLM_NONE when
 * memory ran out. */
uint32_t flm_services_named(struct flm_services *services, struct flm_bytes name);

#endif
