/* module_code.c - the machine code of a module: where a function is, and its bytes. */
#include <elf.h>

#include "symbol/registry/internal.h"
#include "symbol/registry/kernel_image.h"

enum flm_machine flm_module_machine(const struct flm_module *module)
{
    return module->file        ? flm_elf_machine(module->file)
           : module->is_kernel ? flm_machine_here()
                               : FLM_MACHINE_OTHER;
}

/* Debug information and symbols know more functions than the file's own tables, and their names
 * are those that are shown. */
bool flm_module_function(struct flm_module *module, uint64_t address, struct flm_elf_range *range)
{
    flm_module_prepare(module);
    module->code_used = module->modules->round;
    if (module->code &&
        flm_code_table_range(module->code, address - module->slide, &range->start, &range->end)) {
        range->start += module->slide;
        range->end += module->slide;
        return true;
    }
    return flm_module_find_range(module, address, range) ||
           flm_module_described_range(module, address, range);
}

/* ---- Its bytes ------------------------------------------------------------------------------- */

/* A debug file has the headers of the sections of code, and not their bytes. */
static bool add_section_bytes(const struct flm_elf_file *file, uint64_t start, size_t size,
                              struct flm_text *out)
{
    for (size_t i = 0; i < file->section_count; i++) {
        const struct flm_elf_section *s = &file->sections[i];
        if (s->type != SHT_PROGBITS || !(s->flags & SHF_EXECINSTR) || start < s->address ||
            start - s->address > s->size || s->size - (start - s->address) < size)
            continue;
        uint64_t offset = s->offset + (start - s->address);
        if (offset > file->image.size || file->image.size - offset < size)
            continue;
        flm_text_add(out, (struct flm_bytes){file->image.at + offset, size});
        return true;
    }
    return false;
}

/* The running kernel's own memory comes first: it has patched its code since it was started. */
static bool read_kernel(struct flm_module *module, uint64_t start, size_t size,
                        struct flm_text *out, struct flm_error *why)
{
    struct flm_error image = {0};
    flm_module_prepare(module);
    if (module->modules->options.kernel_is_ours &&
        flm_kernel_image_read("/proc/kcore", start, size, out, &image)) {
        module->was_image_read = true;
        return true;
    }
    struct flm_elf_file *vmlinux =
        module->state == FLM_MODULE_COMPLETE ? flm_module_find_vmlinux(module) : NULL;
    bool found = vmlinux && add_section_bytes(vmlinux, start - module->slide, size, out);
    flm_elf_free(vmlinux);
    if (found)
        return true;
    return image.kind ? flm_error_set(why, FLM_ERROR_SYSTEM,
                                      "the kernel's machine code is read by root, from "
                                      "/proc/kcore (%s), or from a vmlinux: --symbols DIR",
                                      image.text)
                      : flm_error_set(why, FLM_ERROR_SYSTEM,
                                      "the machine code of another kernel is read from its "
                                      "vmlinux: --symbols DIR");
}

bool flm_module_code_is_patched(const struct flm_module *module)
{
    return module->is_kernel && !module->was_image_read;
}

bool flm_module_read_code(struct flm_module *module, uint64_t start, size_t size,
                          struct flm_text *out, struct flm_error *why)
{
    if (module->is_kernel)
        return read_kernel(module, start, size, out, why);
    const unsigned char *code = flm_module_code(module, start, size);
    if (code) {
        flm_text_add(out, (struct flm_bytes){(const char *)code, size});
        return !out->failed || flm_error_memory(why);
    }
    if (module->file)
        return flm_error_set(why, FLM_ERROR_FORMAT, "%.*s has no machine code at %llx",
                             (int)module->name.size, module->name.at, (unsigned long long)start);
    if (flm_module_state(module) >= FLM_MODULE_BARE) /* its tables were kept */
        return flm_error_set(
            why, FLM_ERROR_SYSTEM,
            "a file of that build is not at its path any more: --symbols DIR looks "
            "in DIR too");
    struct flm_text reason = {0};
    flm_module_explain(module, &reason);
    flm_text_putc(&reason, 0);
    flm_error_set(why, FLM_ERROR_SYSTEM, "%s", reason.failed ? "out of memory" : reason.at);
    flm_text_clear(&reason);
    return false;
}
