#include "os/durable_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool failed(const char *path, int error, struct flm_error *why)
{
    return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", path, strerror(error));
}

bool flm_durable_open(struct flm_durable_file *file, const char *path, struct flm_error *why)
{
    size_t size = strlen(path);
    *file =
        (struct flm_durable_file){.file = -1, .path = strdup(path), .temporary = malloc(size + 5)};
    if (!file->path || !file->temporary) {
        flm_durable_close(file, false, NULL);
        return flm_error_memory(why);
    }
    memcpy(file->temporary, path, size);
    memcpy(file->temporary + size, ".new", 5);
    file->file = open(file->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
    if (file->file < 0) {
        failed(file->temporary, errno, why);
        flm_durable_close(file, false, NULL);
        return false;
    }
    return true;
}

bool flm_durable_write(struct flm_durable_file *file, const void *bytes, size_t size,
                       struct flm_error *why)
{
    for (const char *at = bytes; size > 0;) {
        ssize_t written = write(file->file, at, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return failed(file->temporary, written < 0 ? errno : ENOSPC, why);
        at += written;
        size -= (size_t)written;
    }
    return true;
}

bool flm_durable_write_at(struct flm_durable_file *file, uint64_t offset, const void *bytes,
                          size_t size, struct flm_error *why)
{
    for (const char *at = bytes; size > 0;) {
        ssize_t written = pwrite(file->file, at, size, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return failed(file->temporary, written < 0 ? errno : ENOSPC, why);
        at += written;
        offset += (uint64_t)written;
        size -= (size_t)written;
    }
    return true;
}

/* The folder's list of names. */
static bool sync_folder(char *path, struct flm_error *why)
{
    char *slash = strrchr(path, '/');
    if (slash == path)
        slash++;
    char kept = slash ? *slash : 0;
    if (slash)
        *slash = 0;
    int folder = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = folder >= 0 && fsync(folder) == 0;
    if (!good)
        failed(slash ? path : ".", errno, why);
    if (folder >= 0)
        close(folder);
    if (slash)
        *slash = kept;
    return good;
}

bool flm_durable_close(struct flm_durable_file *file, bool good, struct flm_error *why)
{
    if (good && fsync(file->file) != 0)
        good = failed(file->temporary, errno, why);
    if (file->file >= 0 && close(file->file) != 0 && good)
        good = failed(file->temporary, errno, why);
    if (good && rename(file->temporary, file->path) != 0)
        good = failed(file->path, errno, why);
    if (!good && file->file >= 0)
        unlink(file->temporary);
    good = good && sync_folder(file->path, why);
    free(file->path);
    free(file->temporary);
    *file = (struct flm_durable_file){.file = -1};
    return good;
}
