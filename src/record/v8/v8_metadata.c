#include "record/v8/v8_metadata.h"

#include <stddef.h>
#include <string.h>

#include "base/core/path_name.h"
#include "record/runtime/interpreter_file.h"

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
    struct flm_elf_range trampoline;
};

/* What a class or a type is, is behind its name. */
static bool is_constant(struct flm_bytes name, const char *wanted)
{
    return strstr(wanted, "__") ? flm_bytes_start_with(name, wanted) : flm_bytes_are(name, wanted);
}

static void take_symbol(void *context, const struct flm_elf_named *symbol)
{
    static const char prefix[] = "v8dbg_";
    struct symbols *symbols = context;
    struct flm_bytes name = symbol->name;
    if (flm_bytes_are(name, "Builtins_InterpreterEntryTrampoline"))
        symbols->trampoline = (struct flm_elf_range){symbol->start, symbol->end};
    if (!flm_bytes_start_with(name, prefix))
        return;
    name = flm_bytes_from(name, sizeof prefix - 1);
    for (size_t i = 0; i < CONSTANTS; i++)
        if (is_constant(name, constants[i].name))
            symbols->at[i] = symbol->start;
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

struct search {
    struct flm_process_memory *memory;
    struct flm_v8_found *found;
    struct flm_error *why;
};

static bool visit(void *context, const struct flm_interpreter_file *file)
{
    const struct search *s = context;
    struct symbols symbols = {0};
    flm_elf_visit_symbols(file->elf, take_symbol, &symbols);
    if (!symbols.at[0] ||
        !read_constants(&symbols, file->bias, s->memory, &s->found->metadata, s->why))
        return false;
    s->found->module = file->mapping->module;
    if (symbols.trampoline.end > symbols.trampoline.start)
        s->found->trampoline = symbols.trampoline;
    return true;
}

bool flm_v8_is_named(struct flm_bytes path)
{
    struct flm_bytes name = flm_path_last(path, "/");
    return flm_bytes_are(name, "node") || flm_bytes_are(name, "nodejs") ||
           flm_bytes_start_with(name, "libnode.so");
}

bool flm_v8_find(const struct flm_process *process, struct flm_process_memory *memory,
                 struct flm_v8_found *found, struct flm_error *why)
{
    *found = (struct flm_v8_found){0};
    return flm_interpreter_file_find(process, flm_v8_is_named, visit,
                                     &(struct search){memory, found, why});
}
