/* query_json.h - responses as JSON, for the page: the members of each struct of
 * viewer/query/responses.h, under the names that viewer/query/query.h has. */
#ifndef FLAMEL_WASM_QUERY_JSON_H
#define FLAMEL_WASM_QUERY_JSON_H

#include "viewer/query/query.h"

/* Any query: JSON, or text where that is what it is. False, and `why`, as flm_viewer_query. */
bool flm_query_json(struct flm_viewer *viewer, struct flm_bytes query, struct flm_text *out,
                    struct flm_error *why);

#endif
