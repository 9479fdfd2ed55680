/* routes.h - what there is at which address: all protocols, in one table. */
#ifndef FLAMEL_SERVE_ROUTES_H
#define FLAMEL_SERVE_ROUTES_H

#include "serve/core/serving.h"

/* NULL: there is nothing; *has_path receives whether another method would have something. */
const struct flm_route *flm_route_find(const char *method, const char *path, bool *has_path);

/* All of them, by their number; NULL behind the last one. */
const struct flm_route *flm_route_at(size_t index);

#endif
