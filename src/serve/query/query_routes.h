/* query_routes.h - how profiles go out: a file and a table for each protocol. */
#ifndef FLAMEL_SERVE_QUERY_QUERY_ROUTES_H
#define FLAMEL_SERVE_QUERY_QUERY_ROUTES_H

#include "serve/core/serving.h"

extern const struct flm_route flm_routes_api[14];    /* our own: JSON, and .flm */
extern const struct flm_route flm_routes_admin[5];   /* of whoever looks after the server */
extern const struct flm_route flm_routes_openapi[1]; /* what our own has, as OpenAPI */
extern const struct flm_route flm_routes_mcp[1];     /* the Model Context Protocol */
extern const struct flm_route flm_routes_querier[9]; /* querier.v1 of Pyroscope: Grafana */
extern const struct flm_route flm_routes_render[3];  /* /pyroscope/render, render-diff */
extern const struct flm_route flm_routes_health[4];  /* /healthz, /readyz, /ready, /metrics */

#endif
