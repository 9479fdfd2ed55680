#include "record/python/find.h"
#include "symbol/registry/module.h"

#include <elf.h>
#include <stdio.h>
#include <unistd.h>

/* ---- Symbols --------------------------------------------------------------------------------- */

static void take_symbol(struct flm_python_symbols *symbols, struct flm_bytes name, uint64_t address,
                        uint64_t size)
{
    static const char loop[] = "_PyEval_EvalFrameDefault";
    if (flm_bytes_are(name, "_PyRuntime"))
        symbols->runtime = address;
    else if (flm_bytes_are(name, "PyCode_Type"))
        symbols->code_type = address;
    else if (flm_bytes_are(name, "PyUnicode_Type"))
        symbols->text_type = address;
    else if (flm_bytes_are(name, "PyBytes_Type"))
        symbols->bytes_type = address;
    else if (flm_bytes_are(name, "Py_Version"))
        symbols->version = address;
    else if (flm_bytes_start_with(name, loop) && size > 0 &&
             (name.size == sizeof loop - 1 || name.at[sizeof loop - 1] == '.')) {
        for (size_t i = 0; i < symbols->loop_count; i++)
            if (symbols->loop[i].start == address)
                return;
        if (symbols->loop_count < sizeof symbols->loop / sizeof symbols->loop[0])
            symbols->loop[symbols->loop_count++] =
                (struct flm_python_range){address, address + size};
    }
}

static void read_symbols(const struct flm_elf_file *file, uint64_t bias, const char *table_name,
                         const char *names_name, struct flm_python_symbols *symbols)
{
    struct flm_bytes table = flm_elf_bytes(file, flm_elf_section(file, table_name));
    struct flm_bytes names = flm_elf_bytes(file, flm_elf_section(file, names_name));
    for (; table.size >= sizeof(Elf64_Sym); table.at += sizeof(Elf64_Sym)) {
        uint64_t at = flm_elf_number(file, table.at, 4);
        uint64_t section = flm_elf_number(file, table.at + 6, 2);
        uint64_t value = flm_elf_number(file, table.at + 8, 8);
        uint64_t size = flm_elf_number(file, table.at + 16, 8);
        table.size -= sizeof(Elf64_Sym);
        if (section == SHN_UNDEF || at >= names.size)
            continue;
        const char *name = names.at + at, *end = memchr(name, 0, names.size - at);
        if (end)
            take_symbol(symbols, (struct flm_bytes){name, (size_t)(end - name)}, value + bias,
                        size);
    }
}

bool flm_python_symbols_read(const struct flm_elf_file *file, uint64_t bias,
                             struct flm_python_symbols *symbols)
{
    *symbols = (struct flm_python_symbols){0};
    if (!file->is_wide || file->swapped)
        return false;
    read_symbols(file, bias, ".dynsym", ".dynstr", symbols);
    read_symbols(file, bias, ".symtab", ".strtab", symbols);
    const struct flm_elf_section *section = flm_elf_section(file, ".PyRuntime");
    if (!symbols->runtime && section && section->address)
        symbols->runtime = section->address + bias;
    return symbols->runtime != 0;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static struct flm_bytes last_part(struct flm_bytes path)
{
    for (size_t i = path.size; i-- > 0;)
        if (path.at[i] == '/')
            return (struct flm_bytes){path.at + i + 1, path.size - i - 1};
    return path;
}

bool flm_python_is_named(struct flm_bytes path)
{
    struct flm_bytes name = last_part(path);
    return flm_bytes_start_with(name, "python") || flm_bytes_start_with(name, "libpython");
}

/* python3.11, libpython3.8.so.1.0 */
static int minor_of(struct flm_bytes path)
{
    struct flm_bytes name = last_part(path);
    size_t at = flm_bytes_start_with(name, "lib") ? 3 : 0;
    static const char wanted[] = "python3.";
    if (name.size - at < sizeof wanted || memcmp(name.at + at, wanted, sizeof wanted - 1) != 0)
        return 0;
    int minor = 0;
    for (at += sizeof wanted - 1; at < name.size && minor < 100; at++) {
        if (name.at[at] < '0' || name.at[at] > '9')
            break;
        minor = 10 * minor + (name.at[at] - '0');
    }
    return minor;
}

static bool try_file(const struct flm_process *process, const struct flm_mapping *mapping,
                     struct flm_python_symbols *symbols)
{
    struct flm_bytes path = flm_module_path(mapping->module);
    uint64_t address;
    char location[4200];
    if (path.size == 0 || path.at[0] != '/' || path.size > 4096 ||
        !flm_module_address(mapping->module, mapping->file_offset, &address))
        return false;
    snprintf(location, sizeof location, "/proc/%d/root%.*s", process->id, (int)path.size, path.at);
    struct flm_elf_file *file = flm_elf_open(location, NULL);
    bool found = file && flm_python_symbols_read(file, mapping->start - address, symbols);
    flm_elf_free(file);
    if (found)
        symbols->named_minor = minor_of(path);
    return found;
}

bool flm_python_symbols_find(const struct flm_process *process, struct flm_python_symbols *symbols)
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
        if ((flm_python_is_named(file) || flm_bytes_equal(file, path)) &&
            try_file(process, mapping, symbols))
            return true;
    }
    return false;
}
