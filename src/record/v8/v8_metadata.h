/* v8_metadata.h - V8 in a process: where its heap has what, from the constants that it exports for
 * debuggers.
 *
 *     v8dbg_class_JSFunction__shared__SharedFunctionInfo   where a function has its description
 *     v8dbg_type_Script__SCRIPT_TYPE                       how a script is recognized
 *     v8dbg_off_fp_function                                where a frame has its function
 *
 * Builds of node have them, as symbols of the program or of libnode.so; their values are in the
 * process. So no version of V8 is known here, but for where a function has its position in the
 * source (object.h). Programs that were built without them (chrome, deno) cannot be read. */
#ifndef FLAMEL_RECORD_V8_V8_METADATA_H
#define FLAMEL_RECORD_V8_V8_METADATA_H

#include "record/process/process_map.h"
#include "record/runtime/process_memory.h"
#include "symbol/elf/elf_file.h"

/* Offsets in objects are from their start, and those of frames from the frame pointer. */
struct flm_v8_metadata {
    int32_t map, map_type; /* an object's map; the type of objects, in their map */
    int32_t function_shared;
    int32_t shared_name, shared_script;
    int32_t script_name, script_source;
    int32_t string_length, one_byte_chars, two_byte_chars, external_resource, thin_actual;
    int32_t cons_first, cons_second, sliced_parent, sliced_offset;
    int32_t scope_locals, scope_first; /* indices of words: how many locals; what comes behind */
    int32_t type_shared, type_script, type_scope, type_bytecode, type_undefined, type_not_string;
    int32_t string_kinds, string_one_byte; /* bits of the type of a string */
    int32_t kind_sequential, kind_cons, kind_external, kind_sliced, kind_thin;
    int32_t frame_marker, frame_function, frame_bytecode;
    int32_t smi_size, tagged_size;
    int32_t marker_irregexp; /* the frame of a regular expression; 0: unknown */
};

struct flm_v8_found {
    struct flm_v8_metadata metadata;
    const struct flm_module *module; /* the file that has V8: the mapping's */
    /* Of the code that interpreted functions run in, in the file: V8 may map its builtins a second
     * time, next to the code that it makes. {0, 0}: the file is stripped. */
    struct flm_elf_range trampoline;
};

/* Whether a file may have V8, by its name. */
bool flm_v8_is_named(struct flm_bytes path);

/* A symbol that programs with V8 and its constants export. */
#define FLM_V8_SYMBOL "v8dbg_class_JSFunction__shared__SharedFunctionInfo"

/* False: the process has no V8; with `why`, none that can be read. */
bool flm_v8_find(const struct flm_process *process, struct flm_process_memory *memory,
                 struct flm_v8_found *found, struct flm_error *why);

#endif
