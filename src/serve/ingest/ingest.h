/* ingest.h - the protocols by which profiles come in: a file and a table each. */
#ifndef FLAMEL_SERVE_INGEST_INGEST_H
#define FLAMEL_SERVE_INGEST_INGEST_H

#include "serve/core/serving.h"

extern const struct flm_route flm_routes_pyroscope[2]; /* POST /ingest, and /pyroscope/ingest */
extern const struct flm_route flm_routes_push[1];      /* push.v1 of Connect */
extern const struct flm_route flm_routes_otlp[4];      /* profiles of OTLP, by HTTP and gRPC */
extern const struct flm_route flm_routes_parca[2];     /* WriteRaw and WriteArrow, by gRPC */
extern const struct flm_route flm_routes_native[1];    /* .flm, and any format that it is */
extern const struct flm_route flm_routes_datadog[1];   /* /profiling/v1/input */
extern const struct flm_route flm_routes_symbols[1];   /* files that name addresses */

#endif
