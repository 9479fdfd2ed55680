#include "record/php/php_symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbol/registry/module.h"

/* ---- Symbols --------------------------------------------------------------------------------- */

/* The version is in the header that PHP sends: "X-Powered-By: PHP/8.2.36". */
static void find_version(const struct flm_elf_file *file, struct flm_php_symbols *symbols)
{
    static const char wanted[] = "X-Powered-By: PHP/";
    struct flm_bytes text = flm_elf_bytes(file, flm_elf_section(file, ".rodata"));
    const char *at = text.size > 0 ? memmem(text.at, text.size, wanted, sizeof wanted - 1) : NULL;
    if (!at)
        return;
    at += sizeof wanted - 1;
    size_t left = text.size - (size_t)(at - text.at);
    if (left < 4 || at[0] < '0' || at[0] > '9' || at[1] != '.' || at[2] < '0' || at[2] > '9' ||
        at[3] != '.')
        return;
    symbols->major = at[0] - '0';
    symbols->minor = at[2] - '0';
}

bool flm_php_symbols_read(const struct flm_elf_file *file, uint64_t bias,
                          struct flm_php_symbols *symbols)
{
    *symbols = (struct flm_php_symbols){0};
    if (!file->is_wide || file->swapped)
        return false;
    size_t count = 0;
    struct flm_elf_named *all = flm_elf_list_symbols(file, &count);
    for (size_t i = 0; i < count; i++) {
        struct flm_elf_range range = {all[i].start + bias, all[i].end + bias};
        if (flm_bytes_are(all[i].name, "execute_ex"))
            symbols->loop = range;
        else if (flm_bytes_are(all[i].name, "execute_ex.cold"))
            symbols->cold = range;
        else if (flm_bytes_are(all[i].name, "executor_globals"))
            symbols->globals = range.start;
    }
    free(all);
    if (symbols->loop.end <= symbols->loop.start)
        return false;
    find_version(file, symbols);
    return true;
}

/* ---- Files ----------------------------------------------------------------------------------- */

bool flm_php_is_named(struct flm_bytes path)
{
    size_t start = path.size;
    while (start > 0 && path.at[start - 1] != '/')
        start--;
    struct flm_bytes name = {path.at + start, path.size - start};
    return flm_bytes_start_with(name, "libphp") ||
           (flm_bytes_start_with(name, "php") &&
            (name.size == 3 || flm_is_one_of(name.at[3], "-.0123456789")));
}

static bool try_file(const struct flm_process *process, const struct flm_mapping *mapping,
                     struct flm_php_symbols *symbols)
{
    struct flm_bytes path = flm_module_path(mapping->module);
    uint64_t address;
    char location[4200];
    if (path.size == 0 || path.at[0] != '/' || path.size > 4096 ||
        !flm_module_address(mapping->module, mapping->file_offset, &address))
        return false;
    snprintf(location, sizeof location, "/proc/%d/root%.*s", process->id, (int)path.size, path.at);
    struct flm_elf_file *file = flm_elf_open(location, NULL);
    bool found = file && flm_php_symbols_read(file, mapping->start - address, symbols);
    flm_elf_free(file);
    if (found) {
        const struct flm_mapping *code = flm_process_find(process, symbols->loop.start);
        if (code)
            symbols->code = (struct flm_elf_range){code->start, code->end};
    }
    return found;
}

bool flm_php_symbols_find(const struct flm_process *process, struct flm_php_symbols *symbols)
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
        if ((flm_php_is_named(file) || flm_bytes_equal(file, path)) &&
            try_file(process, mapping, symbols))
            return true;
    }
    return false;
}
