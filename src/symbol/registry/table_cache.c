#include "symbol/registry/table_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/core/hash.h"

/* In the machine's byte order: on a machine with the other one the magic does not match. */
struct header {
    uint64_t magic;
    uint32_t version, id_size;
    uint64_t size, checksum; /* of the table; the checksum includes the kind */
    uint8_t id[FLM_BUILD_ID_MOST];
};

static const uint64_t magic = UINT64_C(0x45484341434d4c46); /* "FLMCACHE" */

_Static_assert(sizeof(struct header) == 64, "the table after the header is aligned to 64");

static struct header header_of(const struct flm_build_id *id, const char *kind,
                               struct flm_bytes bytes)
{
    struct header header = {.magic = magic,
                            .version = FLM_CACHE_VERSION,
                            .id_size = id->size,
                            .size = bytes.size,
                            .checksum = flm_checksum(bytes.at, bytes.size) ^
                                        flm_checksum(kind, strlen(kind))};
    memcpy(header.id, id->bytes, id->size);
    return header;
}

/* "DIR/ab/cdef0123....KIND", terminated, to be freed. NULL when memory ran out, or there is no build
 * id. */
static char *path_of(const char *dir, const struct flm_build_id *id, const char *kind)
{
    struct flm_text digits = {0}, path = {0};
    if (!dir || id->size == 0 || id->size > FLM_BUILD_ID_MOST)
        return NULL;
    flm_build_id_print(id, &digits);
    if (!digits.failed)
        flm_text_format(&path, "%s/%.*s/%.*s.%s", dir, 2, digits.at, (int)digits.size - 2,
                        digits.at + 2, kind);
    flm_text_putc(&path, 0);
    path.failed |= digits.failed;
    flm_text_clear(&digits);
    if (path.failed)
        flm_text_clear(&path);
    return path.at;
}

/* A file of this user, or of root, that no other user may write to. */
static bool is_ours(int descriptor, size_t *size)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_mode & 022 ||
        (status.st_uid != geteuid() && status.st_uid != 0))
        return false;
    *size = (size_t)status.st_size;
    return true;
}

struct flm_cached flm_cache_open(const char *dir, const struct flm_build_id *id, const char *kind)
{
    struct flm_cached cached = {0};
    char *path = path_of(dir, id, kind);
    int descriptor = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    size_t size = 0;
    void *mapping = MAP_FAILED;
    free(path);
    if (descriptor < 0)
        return cached;
    if (is_ours(descriptor, &size) && size > sizeof(struct header))
        mapping = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor, 0);
    close(descriptor);
    if (mapping == MAP_FAILED)
        return cached;
    const struct header *header = mapping;
    struct flm_bytes bytes = {(const char *)mapping + sizeof *header, size - sizeof *header};
    struct header expected = header_of(id, kind, bytes);
    if (memcmp(header, &expected, sizeof expected) != 0) {
        munmap(mapping, size);
        return cached;
    }
    return (struct flm_cached){bytes, mapping, size};
}

void flm_cache_close(struct flm_cached *cached)
{
    if (cached->mapping)
        munmap(cached->mapping, cached->mapping_size);
    *cached = (struct flm_cached){0};
}

void flm_cache_release_pages(const struct flm_cached *cached)
{
    if (cached->mapping)
        madvise(cached->mapping, cached->mapping_size, MADV_DONTNEED);
}

/* Makes the folders of a path, each only for its owner. */
static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        bool made = mkdir(path, 0700) == 0 || errno == EEXIST || errno == EACCES || errno == EROFS;
        *slash = '/';
        if (!made)
            return false;
    }
    return true;
}

static bool write_all(int descriptor, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t written = write(descriptor, at, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

bool flm_cache_store(const char *dir, const struct flm_build_id *id, const char *kind,
                     struct flm_bytes bytes)
{
    char *name = bytes.size ? path_of(dir, id, kind) : NULL;
    struct flm_text path = {0};
    if (!name)
        return false;
    flm_text_format(&path, "%s.XXXXXX", name);
    flm_text_putc(&path, 0);
    int descriptor = path.failed || !make_folders(path.at) ? -1 : mkostemp(path.at, O_CLOEXEC);
    bool stored = false;
    if (descriptor >= 0) {
        struct header header = header_of(id, kind, bytes);
        stored = write_all(descriptor, &header, sizeof header) &&
                 write_all(descriptor, bytes.at, bytes.size);
        stored = close(descriptor) == 0 && stored && rename(path.at, name) == 0;
        if (!stored)
            unlink(path.at);
    }
    free(name);
    flm_text_clear(&path);
    return stored;
}
