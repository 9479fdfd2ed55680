/* flm_file.h - the .flm file: where each column lies. docs/format.md describes it for others.
 *
 *     header      64 bytes: magic, version, section count, file size, checksum of header and table
 *     table       40 bytes a section: id, flags, offset, size, checksum
 *     sections    each aligned to 64 bytes, in the order of the table below
 *
 * A profile in memory is this file (columns.h), but for compact values of samples, so "writing" is
 * computing checksums and "opening" is checking them and the promises of profile.h. Sections of
 * size 0 are left out of the table. */
#ifndef FLAMEL_PROFILE_FLM_FILE_H
#define FLAMEL_PROFILE_FLM_FILE_H

#include "profile/columns.h"

/* Bytes of the image of a profile with these sizes: of its file, unless values are compact. */
uint64_t flm_file_size(const struct flm_sizes *sizes);

/* Sets sizes and column pointers of `p` into p->image. */
void flm_file_place(struct flm_profile *p, const struct flm_sizes *sizes);

/* Moves the contents from where `old` has its columns to where `now` has them: same image, sizes of
 * `now` no larger. */
void flm_file_move(const struct flm_profile *now, const struct flm_profile *old);

/* Makes the image of a profile that was made here the file itself, so that nothing is copied but
 * compact values of samples, which become a column of it; of one that was opened it is that
 * already. Its bytes, good until the profile is freed; none, if memory ran out. No profile borrows
 * from it. */
struct flm_bytes flm_profile_seal(struct flm_profile *profile);

#endif
