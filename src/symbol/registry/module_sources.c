/* module_sources.c - what is known of a module's source files: checksums, texts, and copies on
 * servers. */
#include "symbol/dwarf/line_program.h"
#include "symbol/registry/internal.h"

static struct flm_bytes bytes_of_section(const struct flm_elf_file *file, const char *name)
{
    return flm_elf_bytes(file, flm_elf_section(file, name));
}

bool flm_module_find_source(struct flm_module *module, struct flm_bytes path,
                            struct flm_module_source *source)
{
    struct flm_found debug = {0};
    const struct flm_elf_file *file = module->file;
    *source = (struct flm_module_source){0};
    if (module->is_kernel)
        return true;
    module->is_warm = true;
    if (!file || !flm_elf_has_debug_info(file)) {
        flm_find_debug(&module->modules->find, file, module->path, &module->id, module->process,
                       false, &debug);
        file = debug.file;
    }
    bool good = true;
    if (file) {
        struct flm_line_source found;
        const struct flm_line_sections sections = {.line = bytes_of_section(file, ".debug_line"),
                                                   .line_str =
                                                       bytes_of_section(file, ".debug_line_str"),
                                                   .str = bytes_of_section(file, ".debug_str")};
        good = flm_line_source_find(&sections, path, &found);
        source->has_md5 = found.has_md5;
        memcpy(source->md5, found.md5, sizeof source->md5);
        source->has_text = found.text.size > 0;
        flm_text_add(&source->text, found.text);
        good &= !source->text.failed;
    }
    flm_found_clear(&debug);
    return good;
}

int flm_module_download_source(struct flm_module *module, const char *path)
{
    return flm_debuginfod_get_source(module->modules->find.debuginfod, &module->id, path);
}
