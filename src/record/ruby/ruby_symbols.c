#include "record/ruby/ruby_symbols.h"

#include <elf.h>
#include <stdio.h>
#include <unistd.h>

#include "symbol/registry/module.h"

/* ---- Symbols --------------------------------------------------------------------------------- */

static void find_data(const struct flm_elf_file *file, uint64_t bias, struct flm_elf_range *data)
{
    enum { MOST = 8 << 20 };
    for (size_t i = 0; i < file->segment_count; i++) {
        const struct flm_elf_segment *segment = &file->segments[i];
        if (segment->type == PT_LOAD && segment->flags & PF_W && segment->memory_size <= MOST)
            *data = (struct flm_elf_range){segment->address + bias,
                                           segment->address + bias + segment->memory_size};
    }
}

bool flm_ruby_symbols_read(const struct flm_elf_file *file, uint64_t bias,
                           struct flm_ruby_symbols *symbols)
{
    *symbols = (struct flm_ruby_symbols){0};
    if (!file->is_wide || file->swapped)
        return false;
    size_t count = 0;
    struct flm_elf_named *all = flm_elf_list_symbols(file, &count);
    for (size_t i = 0; i < count; i++) {
        struct flm_elf_range range = {all[i].start + bias, all[i].end + bias};
        if (flm_bytes_are(all[i].name, "rb_vm_exec"))
            symbols->exec = range;
        else if (flm_bytes_are(all[i].name, "vm_exec_core"))
            symbols->core = range;
        else if (flm_bytes_are(all[i].name, "rb_cObject"))
            symbols->object_class = range.start;
        else if (flm_bytes_are(all[i].name, "ruby_version"))
            symbols->version = range.start;
        else if (flm_bytes_are(all[i].name, "ruby_global_symbols"))
            symbols->identifiers = range.start + 16;
    }
    free(all);
    find_data(file, bias, &symbols->data);
    return symbols->exec.end > symbols->exec.start && symbols->version != 0;
}

/* ---- Files ----------------------------------------------------------------------------------- */

bool flm_ruby_is_named(struct flm_bytes path)
{
    size_t start = path.size;
    while (start > 0 && path.at[start - 1] != '/')
        start--;
    struct flm_bytes name = {path.at + start, path.size - start};
    return flm_bytes_start_with(name, "libruby") ||
           (flm_bytes_start_with(name, "ruby") &&
            (name.size == 4 || flm_is_one_of(name.at[4], "-.0123456789")));
}

static bool try_file(const struct flm_process *process, const struct flm_mapping *mapping,
                     struct flm_ruby_symbols *symbols)
{
    struct flm_bytes path = flm_module_path(mapping->module);
    uint64_t address;
    char location[4200];
    if (path.size == 0 || path.at[0] != '/' || path.size > 4096 ||
        !flm_module_address(mapping->module, mapping->file_offset, &address))
        return false;
    snprintf(location, sizeof location, "/proc/%d/root%.*s", process->id, (int)path.size, path.at);
    struct flm_elf_file *file = flm_elf_open(location, NULL);
    bool found = file && flm_ruby_symbols_read(file, mapping->start - address, symbols);
    flm_elf_free(file);
    if (found) {
        const struct flm_mapping *code = flm_process_find(process, symbols->exec.start);
        if (code)
            symbols->code = (struct flm_elf_range){code->start, code->end};
    }
    return found;
}

bool flm_ruby_symbols_find(const struct flm_process *process, struct flm_ruby_symbols *symbols)
{
    char link[64], program[4096];
    snprintf(link, sizeof link, "/proc/%d/exe", process->id);
    ssize_t size = readlink(link, program, sizeof program);
    struct flm_bytes path = {program, size > 0 ? (size_t)size : 0};
    const struct flm_module *last = NULL;
    for (size_t i = 0; i < process->mapping_count; i++) {
        const struct flm_mapping *mapping = &process->mappings[i];
        if (!mapping->module || mapping->in_kernel || mapping->module == last)
            continue;
        last = mapping->module;
        struct flm_bytes file = flm_module_path(mapping->module);
        if ((flm_ruby_is_named(file) || flm_bytes_equal(file, path)) &&
            try_file(process, mapping, symbols))
            return true;
    }
    return false;
}
