#include "symbol/registry/kernel_image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* All of it; false at the end of the file too. */
static bool read_at(int file, void *to, size_t size, uint64_t offset)
{
    char *at = to;
    while (size > 0) {
        ssize_t got = pread(file, at, size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got < 0 ? errno : ENODATA;
            return false;
        }
        at += got;
        size -= (size_t)got;
        offset += (uint64_t)got;
    }
    return true;
}

/* Where the file has the bytes. */
static bool find_offset(int file, uint64_t address, size_t size, uint64_t *offset)
{
    enum { MOST_SEGMENTS = 4096 };
    Elf64_Ehdr header;
    if (!read_at(file, &header, sizeof header, 0))
        return false;
    errno = ENODATA;
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > MOST_SEGMENTS)
        return false;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        if (!read_at(file, &segment, sizeof segment, header.e_phoff + i * sizeof segment))
            return false;
        errno = ENODATA;
        if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
            address - segment.p_vaddr > segment.p_filesz ||
            segment.p_filesz - (address - segment.p_vaddr) < size)
            continue;
        *offset = segment.p_offset + (address - segment.p_vaddr);
        return *offset <= INT64_MAX;
    }
    return false;
}

bool flm_kernel_image_read(const char *path, uint64_t address, size_t size, struct flm_text *out,
                           struct flm_error *why)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    uint64_t offset;
    bool found = file >= 0 && find_offset(file, address, size, &offset);
    char *to = found ? flm_text_reserve(out, size) : NULL;
    bool good = to && read_at(file, to, size, offset);
    if (good)
        out->size += size;
    else if (found && !to)
        flm_error_memory(why);
    else
        flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", path,
                      errno == ENODATA ? "it does not have this address" : strerror(errno));
    if (file >= 0)
        close(file);
    return good;
}
