#include "record/runtime/interpreter_file.h"

#include <stdio.h>
#include <unistd.h>

#include "base/core/path_name.h"
#include "symbol/registry/module.h"

bool flm_interpreter_is_named(struct flm_bytes path, const char *name)
{
    struct flm_bytes last = flm_path_last(path, "/");
    size_t size = strlen(name);
    if (flm_bytes_start_with(last, "lib"))
        return flm_bytes_start_with(flm_bytes_from(last, 3), name);
    return flm_bytes_start_with(last, name) &&
           (last.size == size || flm_is_one_of(last.at[size], "-.0123456789"));
}

static bool try_file(const struct flm_process *process, const struct flm_mapping *mapping,
                     struct flm_bytes path, flm_interpreter_file_visit visit, void *context)
{
    uint64_t address;
    char location[4200];
    if (path.size == 0 || path.at[0] != '/' || path.size > 4096 ||
        !flm_module_address(mapping->module, mapping->file_offset, &address))
        return false;
    snprintf(location, sizeof location, "/proc/%d/root%.*s", process->id, (int)path.size, path.at);
    struct flm_elf_file *elf = flm_elf_open(location, NULL);
    const struct flm_interpreter_file file = {path, mapping, elf, mapping->start - address};
    bool found = elf && elf->is_wide && !elf->swapped && visit(context, &file);
    flm_elf_free(elf);
    return found;
}

bool flm_interpreter_file_find(const struct flm_process *process,
                               bool (*is_named)(struct flm_bytes path),
                               flm_interpreter_file_visit visit, void *context)
{
    char link[64], program[4096];
    snprintf(link, sizeof link, "/proc/%d/exe", process->id);
    ssize_t size = readlink(link, program, sizeof program);
    struct flm_bytes program_path = {program, size > 0 ? (size_t)size : 0};
    const struct flm_module *last = NULL;
    for (size_t i = 0; i < process->mapping_count; i++) {
        const struct flm_mapping *mapping = &process->mappings[i];
        if (!mapping->module || mapping->in_kernel || mapping->module == last)
            continue;
        last = mapping->module;
        struct flm_bytes path = flm_module_path(mapping->module);
        if ((is_named(path) || flm_bytes_equal(path, program_path)) &&
            try_file(process, mapping, path, visit, context))
            return true;
    }
    return false;
}

struct flm_elf_range flm_interpreter_code(const struct flm_process *process, uint64_t address)
{
    const struct flm_mapping *code = flm_process_find(process, address);
    return code ? (struct flm_elf_range){code->start, code->end} : (struct flm_elf_range){0, 0};
}
