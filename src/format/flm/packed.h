/* packed.h - a whole profile in few bytes: what a page of one file carries, under gzip.
 *
 * A .flm file is made to be used in place, and repeats itself: 16 bytes a node and more. Packed, a
 * profile is columns of small numbers that gzip shrinks further: on 1e6 nodes of a generated
 * profile 2.7 bytes a node, and 1.0 with gzip. Nothing is lost: unpacked it is the same .flm file.
 *
 *     head       magic "FLAMPK\x1A\n", version, then how many there are of everything
 *     sections   each its size, then its bytes; numbers are varints (7 bits a byte, low ones first)
 *
 *     strings    how many bytes a string shares with the one before, and how many follow
 *     letters    those that follow
 *     frames     column by column: differences where they ascend
 *     tables     metrics, notes, losses, labels, label sets
 *     callees    for every frame, the frames that are seen directly below it, ascending; none where
 *                few are seen twice: what it may call is then any frame
 *     shape      two bits a node: has it children, has it a sibling behind it
 *     ranks      for every node, how many of its parent's frame's callees it skips: siblings
 * ascend, so what a frame calls each time in the same order is zeros values     metric by metric:
 * of the leaves, then of the others, which are mostly 0 samples    times as differences, nodes and
 * labels as differences, values as above
 *
 * Values of one column are whole numbers times one number, divided by one power of ten (nanoseconds
 * of a fixed period are 1, 2, 3 ...), or, where some are not, eight planes of bytes.
 *
 * Unpacking trusts nothing: it makes no more than a fixed multiple of what it is given, and what
 * it made is checked by flm_profile_check. It takes 40 ms for 1e6 nodes. */
#ifndef FLAMEL_FORMAT_FLM_PACKED_H
#define FLAMEL_FORMAT_FLM_PACKED_H

#include "base/text/text.h"
#include "flamel/profile.h"

#define FLM_PACKED_MAGIC "FLAMPK\x1A\n"

/* Adds the packed profile to `out`. False, and `why`, when memory ran out; a failing `out` is for
 * its owner to see. */
bool flm_profile_pack(const struct flm_profile *profile, struct flm_text *out,
                      struct flm_error *why);

/* The profile that was packed: a new one, that does not need `packed`. */
struct flm_profile *flm_profile_unpack(struct flm_bytes packed, struct flm_error *why);

/* See format.h. */
int flm_packed_sniff(struct flm_bytes head, bool whole);

#endif
