/* cold_part.h - the part of a function that the compiler has put elsewhere, in a file without the
 * symbol that would say so.
 *
 *     _PyEval_EvalFrameDefault   1 KB     ... je, jmp ──► 83 KB, most of the interpreter's loop
 *
 * Both have call frame information of their own, and the function jumps into the middle of its
 * other part, which no function does with another one. */
#ifndef FLAMEL_RECORD_RUNTIME_COLD_PART_H
#define FLAMEL_RECORD_RUNTIME_COLD_PART_H

#include "symbol/elf/elf_file.h"

/* The other part of a function of the file. False: it has none. */
bool flm_cold_part_find(const struct flm_elf_file *file, struct flm_elf_range function,
                        struct flm_elf_range *part);

#endif
