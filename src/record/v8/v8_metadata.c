#include "record/v8/v8_metadata.h"

#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "symbol/elf/elf_file.h"
#include "symbol/registry/module.h"

/* ---- Constants ------------------------------------------------------------------------------- */

/* By the start of their names: behind a field comes its type, which differs between versions. */
struct constant {
    const char *name;
    size_t offset;
    bool is_optional;
};

#define CONSTANT(name, member)                                                                     \
    {                                                                                              \
        name, offsetof(struct flm_v8_metadata, member), false                                      \
    }

static const struct constant constants[] = {
    CONSTANT("class_HeapObject__map__", map),
    CONSTANT("class_Map__instance_type__", map_type),
    CONSTANT("class_JSFunction__shared__", function_shared),
    CONSTANT("class_SharedFunctionInfo__name_or_scope_info__", shared_name),
    CONSTANT("class_SharedFunctionInfo__script", shared_script), /* or ..._or_debug_info */
    CONSTANT("class_Script__name__", script_name),
    CONSTANT("class_Script__source__", script_source),
    CONSTANT("class_String__length__", string_length),
    CONSTANT("class_SeqOneByteString__chars__", one_byte_chars),
    CONSTANT("class_SeqTwoByteString__chars__", two_byte_chars),
    CONSTANT("class_ExternalString__resource__", external_resource),
    CONSTANT("class_ThinString__actual__", thin_actual),
    CONSTANT("class_ConsString__first__", cons_first),
    CONSTANT("class_ConsString__second__", cons_second),
    CONSTANT("class_SlicedString__parent__", sliced_parent),
    CONSTANT("class_SlicedString__offset__", sliced_offset),
    CONSTANT("scopeinfo_idx_ncontextlocals", scope_locals),
    CONSTANT("scopeinfo_idx_first_vars", scope_first),
    CONSTANT("type_SharedFunctionInfo__", type_shared),
    CONSTANT("type_Script__", type_script),
    CONSTANT("type_ScopeInfo__", type_scope),
    CONSTANT("type_BytecodeArray__", type_bytecode),
    CONSTANT("type_Oddball__", type_undefined),
    CONSTANT("FirstNonstringType", type_not_string),
    CONSTANT("StringRepresentationMask", string_kinds),
    CONSTANT("OneByteStringTag", string_one_byte),
    CONSTANT("SeqStringTag", kind_sequential),
    CONSTANT("ConsStringTag", kind_cons),
    CONSTANT("ExternalStringTag", kind_external),
    CONSTANT("SlicedStringTag", kind_sliced),
    CONSTANT("ThinStringTag", kind_thin),
    CONSTANT("off_fp_context_or_frame_type", frame_marker),
    CONSTANT("off_fp_function", frame_function),
    CONSTANT("off_fp_bytecode_array", frame_bytecode),
    CONSTANT("SmiShiftSize", smi_size),
    CONSTANT("TaggedSize", tagged_size),
    {"frametype_IrregexpFrame", offsetof(struct flm_v8_metadata, marker_irregexp), true},
};

enum { CONSTANTS = sizeof constants / sizeof constants[0] };

/* Where they are, in the file's addresses; 0: not seen. */
struct symbols {
    uint64_t at[CONSTANTS];
    struct flm_v8_range trampoline;
};

/* What a class or a type is, is behind its name. */
static bool is_constant(struct flm_bytes name, const char *wanted)
{
    return strstr(wanted, "__") ? flm_bytes_start_with(name, wanted) : flm_bytes_are(name, wanted);
}

static void take_symbol(struct symbols *symbols, struct flm_bytes name, uint64_t address,
                        uint64_t size)
{
    static const char prefix[] = "v8dbg_";
    if (flm_bytes_are(name, "Builtins_InterpreterEntryTrampoline"))
        symbols->trampoline = (struct flm_v8_range){address, address + size};
    if (!flm_bytes_start_with(name, prefix))
        return;
    name.at += sizeof prefix - 1;
    name.size -= sizeof prefix - 1;
    for (size_t i = 0; i < CONSTANTS; i++)
        if (is_constant(name, constants[i].name))
            symbols->at[i] = address;
}

static void read_symbols(const struct flm_elf_file *file, const char *table_name,
                         const char *names_name, struct symbols *symbols)
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
            take_symbol(symbols, (struct flm_bytes){name, (size_t)(end - name)}, value, size);
    }
}

/* ---- The process ----------------------------------------------------------------------------- */

static bool are_plausible(const struct flm_v8_metadata *m)
{
    enum { LARGEST = 1024, FARTHEST = 256 };
    for (size_t i = 0; i < CONSTANTS; i++) {
        int32_t value;
        memcpy(&value, (const char *)m + constants[i].offset, sizeof value);
        struct flm_bytes name = flm_bytes_of(constants[i].name);
        bool is_offset =
            flm_bytes_start_with(name, "class_") || flm_bytes_start_with(name, "scopeinfo_");
        bool is_of_frame = flm_bytes_start_with(name, "off_fp_");
        if ((is_offset && (value < 0 || value > LARGEST)) ||
            (is_of_frame && (value >= 0 || value < -FARTHEST)))
            return false;
    }
    return true;
}

static bool read_constants(const struct symbols *symbols, uint64_t bias,
                           struct flm_process_memory *memory, struct flm_v8_metadata *m,
                           struct flm_error *why)
{
    for (size_t i = 0; i < CONSTANTS; i++) {
        int32_t value = 0;
        if (!symbols->at[i] && !constants[i].is_optional)
            return flm_error_set(why, FLM_ERROR_FORMAT, "V8: its build has no v8dbg_%s",
                                 constants[i].name);
        if (symbols->at[i] &&
            !flm_process_memory_read_now(memory, symbols->at[i] + bias, &value, sizeof value))
            return flm_error_set(why, FLM_ERROR_SYSTEM,
                                 "V8: its memory may not be read: run as root, or set "
                                 "kernel.yama.ptrace_scope=0");
        memcpy((char *)m + constants[i].offset, &value, sizeof value);
    }
    if (m->tagged_size != 8 || m->smi_size != 31)
        return flm_error_set(why, FLM_ERROR_FORMAT, "V8: its pointers are compressed");
    return are_plausible(m) ||
           flm_error_set(why, FLM_ERROR_FORMAT, "V8: its constants for debuggers are implausible");
}

static bool try_file(const struct flm_process *process, const struct flm_mapping *mapping,
                     struct flm_process_memory *memory, struct flm_v8_found *found,
                     struct flm_error *why)
{
    struct flm_bytes path = flm_module_path(mapping->module);
    uint64_t address;
    char location[4200];
    if (path.size == 0 || path.at[0] != '/' || path.size > 4096 ||
        !flm_module_address(mapping->module, mapping->file_offset, &address))
        return false;
    snprintf(location, sizeof location, "/proc/%d/root%.*s", process->id, (int)path.size, path.at);
    struct flm_elf_file *file = flm_elf_open(location, NULL);
    struct symbols symbols = {0};
    if (file && file->is_wide && !file->swapped) {
        read_symbols(file, ".dynsym", ".dynstr", &symbols);
        read_symbols(file, ".symtab", ".strtab", &symbols);
    }
    flm_elf_free(file);
    if (!symbols.at[0] ||
        !read_constants(&symbols, mapping->start - address, memory, &found->metadata, why))
        return false;
    found->module = mapping->module;
    found->start = mapping->start;
    if (symbols.trampoline.end > symbols.trampoline.start)
        found->trampoline = symbols.trampoline;
    return true;
}

static struct flm_bytes last_part(struct flm_bytes path)
{
    for (size_t i = path.size; i-- > 0;)
        if (path.at[i] == '/')
            return (struct flm_bytes){path.at + i + 1, path.size - i - 1};
    return path;
}

bool flm_v8_is_named(struct flm_bytes path)
{
    struct flm_bytes name = last_part(path);
    return flm_bytes_are(name, "node") || flm_bytes_are(name, "nodejs") ||
           flm_bytes_start_with(name, "libnode.so");
}

bool flm_v8_find(const struct flm_process *process, struct flm_process_memory *memory,
                 struct flm_v8_found *found, struct flm_error *why)
{
    char link[64], program[4096];
    *found = (struct flm_v8_found){0};
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
        if ((flm_v8_is_named(file) || flm_bytes_equal(file, path)) &&
            try_file(process, mapping, memory, found, why))
            return true;
    }
    return false;
}
