/* sections.h - what an ELF file says about unwinding, read with libelf. */
#ifndef FLAMEL_TESTS_SUPPORT_RECORD_SECTIONS_H
#define FLAMEL_TESTS_SUPPORT_RECORD_SECTIONS_H

#include "symbol/unwind/unwind_table.h"

struct elf_sections {
    struct flm_unwind_sections unwind;
    int file;
    void *elf;
};

/* False where there is no such file, or it is no ELF file of 64 bits. The sections last until it is
 * cleared. */
bool elf_sections_read(struct elf_sections *sections, const char *path);
void elf_sections_clear(struct elf_sections *sections);

/* What is added to the file's addresses where its code at `file_offset` is mapped at `start`. */
bool elf_sections_shift(const struct elf_sections *sections, uint64_t start, uint64_t file_offset,
                        uint64_t *shift);

#endif
