/* Any bytes as an ELF file: everything that we ask of one, symbols and sections and links. */
#include <stdlib.h>

#include "symbol/code/code_table.h"
#include "symbol/elf/elf_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static void read_all(struct flm_bytes bytes)
{
    volatile char sum = 0;
    for (size_t i = 0; i < bytes.size; i++)
        sum = (char)(sum ^ bytes.at[i]);
}

static void ask(struct flm_elf_file *file, int depth)
{
    struct flm_bytes name;
    struct flm_build_id id;
    uint32_t crc;
    uint64_t address = 0;
    promise(file->build_id.size <= FLM_BUILD_ID_MOST);
    for (size_t i = 0; i < file->section_count; i++) {
        read_all(file->sections[i].name);
        if (file->sections[i].size < 1 << 20) /* many sections may be all of the file, or unpack to
                                                 a lot: that is only slow */
            read_all(flm_elf_bytes(file, &file->sections[i]));
    }
    if (flm_elf_debug_link(file, &name, &crc))
        read_all(name);
    if (flm_elf_alternate_link(file, &name, &id))
        read_all(name);
    flm_elf_has_debug_info(file);
    flm_elf_has_symbols(file);
    for (size_t i = 0; i < file->segment_count; i++)
        flm_elf_address(file, file->segments[i].offset, &address);

    struct flm_code_maker *maker = flm_code_maker_new(NULL);
    promise(maker != NULL);
    flm_elf_add_sections(file, maker);
    size_t added = flm_elf_add_symbols(file, FLM_ELF_SYMTAB, maker);
    added += flm_elf_add_symbols(file, FLM_ELF_DYNSYM, maker);
    added += flm_elf_add_symbols(file, FLM_ELF_PLT, maker);
    struct flm_code_table *table = flm_code_maker_finish(maker, NULL);
    promise(table != NULL);
    promise(flm_code_table_counts(table).symbols <= added);
    flm_code_table_free(table);

    struct flm_elf_file *mini = depth < 2 ? flm_elf_mini_symbols(file) : NULL;
    if (mini)
        ask(mini, depth + 1);
    flm_elf_free(mini);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct flm_error why = {0};
    struct flm_elf_file *file = flm_elf_new((struct flm_bytes){(const char *)data, size}, &why);
    promise(file || why.kind == FLM_ERROR_FORMAT);
    if (file)
        ask(file, 0);
    flm_elf_free(file);
    return 0;
}
