/* debug_programs.h - programs with debug information, made while the tests run, and their tables.
 */
#ifndef FLAMEL_TESTS_SUPPORT_RECORD_DEBUG_PROGRAMS_H
#define FLAMEL_TESTS_SUPPORT_RECORD_DEBUG_PROGRAMS_H

#include "symbol/dwarf/walk.h"

/* The program of tests/data/dwarf_walk, made so. */
struct debug_build {
    const char *name, *cpp, *c, *flags, *link_flags;
};

/* Its path, which is good until the next one; beside it are PATH-1.o, PATH-2.o and PATH-3.o. ""
 * when it cannot be made: no such compiler, or it does not know a flag. */
const char *make_debug_program(const struct debug_build *build);

/* Runs a command of the shell; whether it was content. */
bool run_command(const char *format, ...) FLM_FORMAT(1, 2);

/* A file, open; the test fails when it is not there. */
struct open_elf {
    int descriptor;
    Elf *elf;
};
struct open_elf open_elf(const char *path);
void close_elf(struct open_elf file);

/* The functions in its table of symbols. */
void visit_function_symbols(Elf *elf,
                            void (*visit)(void *context, const GElf_Sym *symbol, const char *name),
                            void *context);

/* Of its DWARF and its symbols. */
struct flm_code_table *make_code_table(Elf *elf, Elf *alternate, int threads,
                                       struct flm_dwarf_report *report);

#endif
