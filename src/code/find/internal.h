/* internal.h - between what looks for the code of a function (code_finder.c) and what makes
 * instructions of it (code_finder_instructions.c). */
#ifndef FLAMEL_CODE_FIND_INTERNAL_H
#define FLAMEL_CODE_FIND_INTERNAL_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "code/find/code_finder.h"
#include "code/find/profile_module.h"
#include "code/kept_code.h"

/* A part of a function: [start, end) in its file, or in the process that compiled it. */
struct flm_code_part {
    uint64_t start, end;
    uint64_t moved;                   /* what is added for addresses as the profile has them */
    const struct flm_kept_code *kept; /* NULL: it is in the module */
};

/* A function that is being made. Texts are the modules', or in `texts` by offset until the end. */
struct flm_code_making {
    struct flm_module *module;
    const struct flm_kept_codes *kept;
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

/* ---- code_finder_rank.c ---------------------------------------------------------------------- */

/* Sorts the addresses of a function, which ascend: those that cost most first. False when memory
 * ran out. */
bool flm_code_rank_addresses(const struct flm_profile *profile, uint32_t module,
                             struct flm_bytes name, uint64_t *address, size_t count);

/* ---- code_finder_compiled.c: code that was compiled while the program ran -------------------- */

/* Which of the addresses, ascending, were found: a part for each code that has one. */
struct flm_kept_parts {
    size_t left_out; /* parts for which there is no room */
    size_t unkept;   /* addresses whose code the profile does not have */
};

/* False when memory ran out. */
bool flm_code_making_take_kept(struct flm_code_making *making, const uint64_t *addresses,
                               size_t count, struct flm_kept_parts *taken);

/* The line of an instruction of such a part; and what has the name of a place that it calls, NULL:
 * it is not known. */
const struct flm_kept_line *flm_code_part_line(const struct flm_code_part *part, uint64_t address);

#endif
