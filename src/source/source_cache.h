/* source_cache.h - source files for reports: each is looked for once. */
#ifndef FLAMEL_SOURCE_SOURCE_CACHE_H
#define FLAMEL_SOURCE_SOURCE_CACHE_H

#include "report/profile/sources.h"
#include "source/find_source.h"
#include "symbol/identity/module_request.h"

/* Files alone: it has no machine code. What the arguments point to must stay. NULL, and `why`, if
 * memory ran out. */
struct flm_sources *flm_source_cache_new(const struct flm_source_places *places,
                                         const struct flm_modules_options *symbols,
                                         struct flm_error *why);
void flm_source_cache_free(struct flm_sources *sources);

#endif
