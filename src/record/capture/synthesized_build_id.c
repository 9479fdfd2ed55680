/* synthesized_build_id.c - the build id of a file that a process has mapped, from its memory.
 *
 * A library that was replaced while it runs can be read by root alone (/proc/PID/map_files). But
 * the notes of a program lie in its first page, and whoever may trace a process may read them: so a
 * copy of the file is recognized, and another file refused. */
#include "record/capture/synthesized.h"

#include <elf.h>
#include <string.h>
#include <sys/uio.h>

#include "symbol/elf/elf_file.h"

enum { MOST_SEGMENTS = 64, MOST_NOTES = 4096 };

struct mapped {
    int32_t process;
    uint64_t start, size;
};

static bool read_mapped(const struct mapped *mapped, uint64_t offset, void *to, size_t size)
{
    if (offset > mapped->size || size > mapped->size - offset)
        return false;
    struct iovec here = {to, size}, there = {(void *)(uintptr_t)(mapped->start + offset), size};
    return process_vm_readv(mapped->process, &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* One that this program could have too. */
static bool is_ours(const Elf64_Ehdr *header)
{
    const uint16_t one = 1;
    char first;
    memcpy(&first, &one, 1);
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_ident[EI_DATA] == (first ? ELFDATA2LSB : ELFDATA2MSB) &&
           header->e_phentsize == sizeof(Elf64_Phdr);
}

bool flm_mapped_build_id(int32_t process, uint64_t start, uint64_t size, struct flm_build_id *id)
{
    const struct mapped mapped = {process, start, size};
    Elf64_Ehdr header;
    if (!read_mapped(&mapped, 0, &header, sizeof header) || !is_ours(&header))
        return false;
    for (size_t i = 0; i < header.e_phnum && i < MOST_SEGMENTS; i++) {
        Elf64_Phdr segment;
        char notes[MOST_NOTES];
        if (!read_mapped(&mapped, header.e_phoff + i * sizeof segment, &segment, sizeof segment))
            return false;
        if (segment.p_type != PT_NOTE || segment.p_filesz > sizeof notes ||
            !read_mapped(&mapped, segment.p_offset, notes, segment.p_filesz))
            continue;
        if (flm_elf_notes_build_id((struct flm_bytes){notes, segment.p_filesz}, id))
            return true;
    }
    return false;
}
