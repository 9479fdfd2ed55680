/* durable_file.h - a file that is there, whole, whatever happens: or not at all.
 *
 * It is written under another name ("PATH.new"); closing it makes its bytes durable, renames it,
 * and makes the name durable (fsync of the file, then of its folder). What a crash leaves behind
 * ends in ".new", and is to be removed by whoever owns the folder. os/output.h, for what a person
 * writes, takes neither the time nor the care. */
#ifndef FLAMEL_OS_DURABLE_FILE_H
#define FLAMEL_OS_DURABLE_FILE_H

#include "flamel/error.h"

struct flm_durable_file {
    int file;
    char *path, *temporary; /* owned */
};

bool flm_durable_open(struct flm_durable_file *file, const char *path, struct flm_error *why);

/* At the end, or over what was written at `offset` before. */
bool flm_durable_write(struct flm_durable_file *file, const void *bytes, size_t size,
                       struct flm_error *why);
bool flm_durable_write_at(struct flm_durable_file *file, uint64_t offset, const void *bytes,
                          size_t size, struct flm_error *why);

/* `good`: whether its content is complete; else it is removed, and `why` stays the caller's. */
bool flm_durable_close(struct flm_durable_file *file, bool good, struct flm_error *why);

#endif
