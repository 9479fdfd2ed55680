#include "support/record/sections.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

static void add_section(struct flm_unwind_sections *to, const char *name, const GElf_Shdr *header,
                        struct flm_bytes bytes)
{
    if (strcmp(name, ".eh_frame") == 0) {
        to->eh_frame = bytes;
        to->eh_frame_address = header->sh_addr;
    } else if (strcmp(name, ".debug_frame") == 0) {
        to->debug_frame = bytes;
    } else if (strcmp(name, ".plt") == 0) {
        to->plt = bytes;
        to->plt_address = header->sh_addr;
    } else if (strcmp(name, ".text") == 0) {
        to->code = bytes;
        to->code_address = to->text_base = header->sh_addr;
    }
}

bool elf_sections_read(struct elf_sections *sections, const char *path)
{
    *sections = (struct elf_sections){.file = open(path, O_RDONLY | O_CLOEXEC)};
    elf_version(EV_CURRENT);
    Elf *elf = sections->file < 0 ? NULL : elf_begin(sections->file, ELF_C_READ_MMAP, NULL);
    sections->elf = elf;
    GElf_Ehdr header;
    size_t names;
    if (!elf || !gelf_getehdr(elf, &header) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        elf_getshdrstrndx(elf, &names) != 0) {
        elf_sections_clear(sections);
        return false;
    }
    sections->unwind.machine = header.e_machine == EM_X86_64    ? FLM_MACHINE_X86_64
                               : header.e_machine == EM_AARCH64 ? FLM_MACHINE_ARM64
                                                                : FLM_MACHINE_OTHER;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr of;
        const char *name = gelf_getshdr(section, &of) ? elf_strptr(elf, names, of.sh_name) : NULL;
        Elf_Data *data = name && of.sh_type != SHT_NOBITS ? elf_rawdata(section, NULL) : NULL;
        if (data)
            add_section(&sections->unwind, name, &of,
                        (struct flm_bytes){data->d_buf, data->d_size});
    }
    return true;
}

void elf_sections_clear(struct elf_sections *sections)
{
    elf_end(sections->elf);
    if (sections->file >= 0)
        close(sections->file);
    *sections = (struct elf_sections){.file = -1};
}

bool elf_sections_shift(const struct elf_sections *sections, uint64_t start, uint64_t file_offset,
                        uint64_t *shift)
{
    const uint64_t page = 4095;
    size_t count;
    if (elf_getphdrnum(sections->elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr part;
        /* Pages at the edge of two segments are in the file once, and mapped twice. */
        if (!gelf_getphdr(sections->elf, (int)i, &part) || part.p_type != PT_LOAD ||
            !(part.p_flags & PF_X))
            continue;
        if (file_offset >= (part.p_offset & ~page) && file_offset < part.p_offset + part.p_filesz) {
            *shift = start - file_offset + part.p_offset - part.p_vaddr;
            return true;
        }
    }
    return false;
}
