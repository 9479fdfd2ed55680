/* cold_part.h - the part of a function that the compiler has put elsewhere (NAME.cold), in a file
 * without its symbol.
 *
 *     _PyEval_EvalFrameDefault   1 KB     ... je, jmp ──► 83 KB, most of the interpreter's loop
 *
 * Each part has call frame information of its own. The function jumps into the middle of its other
 * part; into other functions it jumps only at their beginning. */
#ifndef FLAMEL_RECORD_RUNTIME_COLD_PART_H
#define FLAMEL_RECORD_RUNTIME_COLD_PART_H

#include "symbol/elf/elf_file.h"

/* The other part of a function of the file. False: it has none. */
bool flm_cold_part_find(const struct flm_elf_file *file, struct flm_elf_range function,
                        struct flm_elf_range *part);

#endif
