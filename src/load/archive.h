/* archive.h - the files in a tar or zip archive, one after the other, by libarchive, which is
 * loaded when it is needed.
 *
 *     while (flm_archive_next(archive, &path, &why))
 *         input = flm_input_open_stream(flm_archive_read, archive, &why);
 *
 * A compressed tar is decompressed before it gets here, as every input is (os/input.h). Folders,
 * links and devices are passed over: only files have profiles. */
#ifndef FLAMEL_LOAD_ARCHIVE_H
#define FLAMEL_LOAD_ARCHIVE_H

#include "base/core/bytes.h"
#include "flamel/error.h"

struct flm_archive;

/* How many bytes of an input say whether it is an archive. */
enum { FLM_ARCHIVE_HEAD = 512 };
bool flm_is_archive(struct flm_bytes head);

/* The archive in a file, or, where `path` is NULL, in memory that stays until it is closed. NULL,
 * and `why`, when it cannot be opened or libarchive is missing. */
struct flm_archive *flm_archive_open(const char *path, struct flm_bytes all, struct flm_error *why);

/* The path of the next file, valid until the next call. False after the last one, and, with `why`,
 * where the archive is damaged; its kind is FLM_ERROR_NONE otherwise. */
bool flm_archive_next(struct flm_archive *archive, const char **path, struct flm_error *why);

/* A flm_stream_read for that file. After it failed, flm_archive_reason says why. */
bool flm_archive_read(void *archive, void *buffer, size_t room, size_t *size);
const char *flm_archive_reason(struct flm_archive *archive);

void flm_archive_close(struct flm_archive *archive);

#endif
