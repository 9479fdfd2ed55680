/* process_service.h - which service a process belongs to, from /proc: the rules of services.h. */
#ifndef FLAMEL_RECORD_SERVICES_PROCESS_SERVICE_H
#define FLAMEL_RECORD_SERVICES_PROCESS_SERVICE_H

#include "base/text/text.h"

/* Name and labels, each with a NUL behind it: "nginx\0unit=nginx\0". It is the identity, too. */
struct flm_service_identity {
    struct flm_text text;
    bool is_shared; /* its children belong to it, too: it is not merely that of a program */
};

enum flm_process_found { FLM_PROCESS_FOUND, FLM_PROCESS_GONE, FLM_PROCESS_NO_MEMORY };

/* `identity` receives it, and is to be cleared by the caller in any case. */
enum flm_process_found flm_process_service(const char *root, int32_t process,
                                           struct flm_service_identity *identity);

/* That of a process of which only the name is known: without labels. */
void flm_service_named(struct flm_bytes name, struct flm_text *text);

#endif
