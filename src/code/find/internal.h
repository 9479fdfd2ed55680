/* internal.h - between what looks for the code of a function (code_finder.c) and what makes
 * instructions of it (code_finder_instructions.c). */
#ifndef FLAMEL_CODE_FIND_INTERNAL_H
#define FLAMEL_CODE_FIND_INTERNAL_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "code/find/code_finder.h"
#include "code/find/profile_module.h"

/* A part of a function: [start, end) in its file. */
struct flm_code_part {
    uint64_t start, end;
    uint64_t moved; /* what is added for addresses as the profile has them */
};

/* A function that is being made. Texts are the modules', or in `texts` by offset until the end. */
struct flm_code_making {
    struct flm_module *module;
    enum flm_assembly_syntax syntax;
    struct FLM_ARRAY(struct flm_code_part) parts; /* ascending */
    struct FLM_ARRAY(struct flm_code_instruction) instructions;
    struct FLM_ARRAY(struct flm_bytes) files;
    struct FLM_ARRAY(struct flm_code_inlined) inlined;
    struct flm_index file_index, inlined_index;
    struct flm_text texts;
    struct FLM_ARRAY(struct flm_disassembly *) disassemblies; /* which have the bytes */
};

/* Adds the instructions of all parts. False, and `why`: there is no libcapstone, the bytes are not
 * there, or memory ran out (FLM_ERROR_MEMORY). */
bool flm_code_making_disassemble(struct flm_code_making *making, struct flm_error *why);
void flm_code_making_clear(struct flm_code_making *making);

#endif
