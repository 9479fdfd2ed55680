/* query_json.h - writes the responses of queries as JSON for the page: the structs of
 * viewer/query/responses.h, with the names of their members as keys. */
#ifndef FLAMEL_WASM_QUERY_JSON_H
#define FLAMEL_WASM_QUERY_JSON_H

#include "viewer/query/query.h"

/* Runs any query and writes its response: as JSON, or as text for queries whose response is a text.
 * Fails as flm_viewer_query does. */
bool flm_query_json(struct flm_viewer *viewer, struct flm_bytes query, struct flm_text *out,
                    struct flm_error *why);

#endif
