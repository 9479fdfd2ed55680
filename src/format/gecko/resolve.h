/* resolve.h - the tables of a Gecko profile into a profile.
 *
 *     stack          a node for each thread in which it is met: of its frames from the root; the
 *                    root frame is the thread's name, as in the Firefox Profiler's own lists
 *     samples        metrics: "samples" (or what weightType names), "time" until the next sample,
 *                    "cpu" (threadCPUDelta, in the unit of meta.sampleUnits)
 *     allocations    metrics "jsAllocations", "nativeAllocations", "nativeDeallocations", in bytes
 *     markers        markers, with the main text of their data; start and end are joined
 *     counters       counters: memory summed up, others as they are
 *     labels         process, process name, thread, thread name, category
 *
 * Functions are told apart by name, library, file and first line, as the Firefox Profiler does;
 * where they were called, and whether a call was inlined, makes no other function. */
#ifndef FLAMEL_FORMAT_GECKO_RESOLVE_H
#define FLAMEL_FORMAT_GECKO_RESOLVE_H

#include "format/core/format.h"
#include "format/gecko/tables.h"

/* Frees the tables of each thread once they are resolved. False, and `why`, where an index leads
 * out of its table or back to itself. */
bool flm_gecko_resolve(struct flm_gecko_profile *profile, const struct flm_read_options *options,
                       struct flm_builder *builder, struct flm_error *why);

#endif
