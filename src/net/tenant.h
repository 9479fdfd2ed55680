/* tenant.h - names of tenants, whose profiles a server keeps apart: the header X-Scope-OrgID, as
 * Pyroscope, Mimir and Loki have it. */
#ifndef FLAMEL_NET_TENANT_H
#define FLAMEL_NET_TENANT_H

#include <stdbool.h>

/* Whether it can be one, which is harmless in a header and in a name of a file: 1 to 128 letters,
 * digits, and _ - . */
bool flm_is_tenant(const char *name);

#endif
