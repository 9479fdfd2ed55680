/* allocation_stacks.h - stacks of allocations in the file of a program that measures itself, as
 * nodes of their own beside the scopes: "allocated (sampled)", "allocations (sampled)", "live
 * (sampled)"; or "allocated by stack" and so on, where every allocation was looked at.
 *
 * Their frames are addresses, with notes of where modules were mapped (format/core/mapped.h). */
#ifndef FLAMEL_FORMAT_PROBE_ALLOCATION_STACKS_H
#define FLAMEL_FORMAT_PROBE_ALLOCATION_STACKS_H

#include "format/core/format.h"
#include "format/probe/decode.h"

/* `roots` and `labels` are those of the threads. False, and `why`: memory ran out. */
bool flm_probe_stacks_read(const struct flm_probe_decoded *decoded, struct flm_builder *builder,
                           const struct flm_read_options *options, const struct flm_node *roots,
                           const struct flm_label_set *labels, struct flm_error *why);

#endif
