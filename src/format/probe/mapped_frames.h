/* mapped_frames.h - frames of addresses in the file of a program that measures itself: with the
 * module that was mapped there, so that its symbols name them (format/core/mapped.h). */
#ifndef FLAMEL_FORMAT_PROBE_MAPPED_FRAMES_H
#define FLAMEL_FORMAT_PROBE_MAPPED_FRAMES_H

#include "format/core/format.h"
#include "format/probe/decode.h"

struct flm_probe_mapped; /* a file with code */

struct flm_probe_mappings {
    struct flm_builder *builder;
    struct FLM_ARRAY(struct flm_probe_mapped) mapped;
};

/* Reads what the file has mapped, and notes it in the profile. False, and `why`: memory ran out.
 * Clear them in any case. */
bool flm_probe_mappings_read(struct flm_probe_mappings *mappings,
                             const struct flm_probe_decoded *decoded, struct flm_builder *builder,
                             struct flm_error *why);
void flm_probe_mappings_clear(struct flm_probe_mappings *mappings);

/* The frame of what is at an address, which has no name yet. */
struct flm_frame flm_probe_mapped_frame(const struct flm_probe_mappings *mappings,
                                        uint64_t address);

#endif
