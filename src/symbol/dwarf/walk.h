/* walk.h - all functions, inlined copies and lines in the DWARF of a file.
 *
 * One pass over all units: functions and inlined copies go to a maker as scopes with their ranges,
 * and the line programs as lines (line_program.h). libdw reads the entries (0.1 us for each that is
 * visited); those that contain no code are skipped. .debug_aranges is never used: clang writes
 * none. Threads take chunks of units, each with a handle of its own, and their results are joined
 * in the order of the file, so they do not depend on the number of threads.
 *
 * Names are linkage names where there are any. An inlined copy has the name of its function, which
 * may be in this unit, in another one, or in the file that dwz moved it to.
 *
 * With split DWARF the entries are in .dwo files next to the objects, which libdw opens; missing
 * files are counted. Packages of them (.dwp) are not read: libdw does since elfutils 0.191, from a
 * path. */
#ifndef FLAMEL_SYMBOL_DWARF_WALK_H
#define FLAMEL_SYMBOL_DWARF_WALK_H

#include <gelf.h>

#include "symbol/code/code_table.h"

struct flm_dwarf_report {
    size_t units;           /* that were walked */
    size_t damaged_units;   /* of these: read only up to the damage */
    size_t damaged_lines;   /* line programs that were read only up to the damage */
    size_t go_units;        /* of functions that the Go compiler made */
    size_t missing_split;   /* units whose entries are in a file that was not found */
    char missing_name[120]; /* one of these files, terminated; cut if it is long */
};

/* Whether the file has DWARF: .debug_info, plain or compressed. */
bool flm_dwarf_exists(Elf *elf);

/* Walks a linked file (an object file has no addresses yet) with at most `threads` threads.
 * `alternate` is the file that its .gnu_debugaltlink names, or NULL. Decompresses sections inside
 * `elf`, and adds its code sections to the maker. False, and `why`, when it has no readable DWARF;
 * the maker remembers when memory ran out. */
bool flm_dwarf_walk(Elf *elf, Elf *alternate, int threads, struct flm_code_maker *maker,
                    struct flm_dwarf_report *report, struct flm_error *why);

#endif
