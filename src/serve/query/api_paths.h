/* api_paths.h - what our own API has, as tables: each path with its parameters, for the OpenAPI
 * document and for the tools of MCP. */
#ifndef FLAMEL_SERVE_QUERY_API_PATHS_H
#define FLAMEL_SERVE_QUERY_API_PATHS_H

#include "base/core/bytes.h"

struct flm_api_parameter {
    const char *name, *schema, *says; /* schema: JSON. A name that ends in ! is a required one, and
                                       * one that ends in _format is "format" */
};

struct flm_api_path {
    const char *method, *path, *parameters, *says; /* parameters: "from, label!, report_format" */
    const char *type, *schema; /* of the response; schema NULL: bytes, or text */
    const char *right;         /* NULL: none is needed */
};

/* Index 0, 1, 2 ...; NULL behind the last. Operations of one path stand together. */
const struct flm_api_path *flm_api_path_at(size_t index);
const struct flm_api_path *flm_api_path_named(const char *method, const char *path);

/* The next parameter of a list, which moves behind it; NULL behind the last. *name receives what a
 * request calls it. */
const struct flm_api_parameter *flm_api_parameter_next(const char **list, struct flm_bytes *name,
                                                       bool *is_required);

#endif
