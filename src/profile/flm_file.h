/* flm_file.h - the .flm file: where each column lies. docs/format.md describes it for others.
 *
 *     header      64 bytes: magic, version, section count, file size, checksum of header and table
 *     table       40 bytes a section: id, flags, offset, size, checksum
 *     sections    each aligned to 64 bytes, in the order of the table below
 *
 * A profile in memory is this file (columns.h), so "writing" is computing checksums and "opening"
 * is checking them and the promises of profile.h. Only compact values of samples are not in the
 * image: they are expanded to doubles when the file is written. Sections of size 0 are left out of
 * the table. */
#ifndef FLAMEL_PROFILE_FLM_FILE_H
#define FLAMEL_PROFILE_FLM_FILE_H

#include "profile/columns.h"

/* Bytes of the image of a profile with these sizes; of its file too, unless values are compact. */
uint64_t flm_file_size(const struct flm_sizes *sizes);

/* Sets sizes and column pointers of `p` into p->image. */
void flm_file_place(struct flm_profile *p, const struct flm_sizes *sizes);

/* Moves the contents from where `old` has its columns to where `now` has them: same image, sizes of
 * `now` no larger. */
void flm_file_move(const struct flm_profile *now, const struct flm_profile *old);

/* Makes the image of a profile the bytes of its file, and returns them: they are valid until the
 * profile is freed. {NULL, 0} if memory ran out. The image of a profile that was opened is the file
 * already. Compact values of samples move into a new image, so pointers into the profile are
 * invalid afterward, and no profile may borrow from it. */
struct flm_bytes flm_profile_seal(struct flm_profile *profile);

#endif
