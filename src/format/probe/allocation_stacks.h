/* allocation_stacks.h - stacks of allocations in the file of a program that measures itself, as
 * nodes of their own beside the scopes: "allocated (sampled)", "allocations (sampled)", "live
 * (sampled)"; or "allocated by stack" and so on, where every allocation was looked at.
 *
 * Their frames are addresses (mapped_frames.h). */
#ifndef FLAMEL_FORMAT_PROBE_ALLOCATION_STACKS_H
#define FLAMEL_FORMAT_PROBE_ALLOCATION_STACKS_H

#include "format/core/format.h"
#include "format/probe/decode.h"
#include "format/probe/mapped_frames.h"

/* `roots` and `labels` are those of the threads. */
void flm_probe_stacks_read(const struct flm_probe_decoded *decoded, struct flm_builder *builder,
                           const struct flm_read_options *options, const struct flm_node *roots,
                           const struct flm_label_set *labels,
                           const struct flm_probe_mappings *mappings);

#endif
