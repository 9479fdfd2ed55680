/* packed.h - a whole profile in few bytes: the profile in a page of one file, under gzip.
 *
 * A .flm file is made to be used in place, and is redundant: 16 bytes a node and more. Packed, a
 * profile is columns of small numbers that gzip shrinks further: on 1e6 nodes of a generated
 * profile 2.7 bytes a node, and 1.0 with gzip. Nothing is lost: unpacked it is the same .flm file.
 *
 *     head       magic "FLAMPK\x1A\n", version, then the count of everything
 *     sections   each its size, then its bytes; numbers are varints (7 bits a byte, low ones first)
 *
 *     strings    how many bytes a string shares with the previous one, and how many follow
 *     letters    the bytes that follow
 *     frames     column by column: differences where they ascend
 *     tables     metrics, notes, losses, labels, label sets
 *     callees    for every frame, the frames of its children, ascending; none where few occur
 *                twice: any frame may then be a child
 *     shape      two bits a node: whether it has children, whether a sibling follows
 *     ranks      for every node, how many callees of its parent's frame it skips. Siblings ascend,
 *                so callees that always occur in the same order are zeros
 *     values     metric by metric: of the leaves, then of the other nodes, which are mostly 0
 *     samples    times as differences, nodes and labels as differences, durations where there are
 *                some, values as above
 *     markers    markers and counters: columns, times as differences, values as above
 *     recursion  where there is some: how many records; nodes as differences, depths
 *     chains     where there are lines and addresses: counts; then as bits that cost what they are
 *                unexpected (bit_coder.h): what cannot be foreseen of the chains (chain_walk.h);
 *                locations, chains of samples (chain_coder.h); then values of chains, which are
 *                nothing where they are the sums of samples
 *
 * Values of one column are whole numbers times one number, divided by one power of ten (nanoseconds
 * of a fixed period are 1, 2, 3 ...), or, if that is not exact, eight planes of bytes.
 *
 * Version 3 is a profile without lines and addresses, version 6 one with them, and 5 one of before,
 * which is read (packed_chains_v5.c); pages have it under gzip, recordings under zstd, whose
 * checksum is the only one.
 *
 * Unpacking trusts nothing: it allocates no more than a fixed multiple of its input, and checks the
 * result with flm_profile_check. It takes 40 ms for 1e6 nodes. */
#ifndef FLAMEL_FORMAT_FLM_PACKED_H
#define FLAMEL_FORMAT_FLM_PACKED_H

#include "base/text/text.h"
#include "flamel/profile.h"

#define FLM_PACKED_MAGIC "FLAMPK\x1A\n"

/* Appends the packed profile to `out`. False, and `why`, when memory ran out; its owner checks
 * whether `out` failed. */
bool flm_profile_pack(const struct flm_profile *profile, struct flm_text *out,
                      struct flm_error *why);

/* Unpacks it into a new profile, which does not need `packed` afterwards. */
struct flm_profile *flm_profile_unpack(struct flm_bytes packed, struct flm_error *why);

/* `sniff` of the format. */
int flm_packed_sniff(struct flm_bytes head, bool whole);

#endif
