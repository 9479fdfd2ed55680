/* dwarf_walk.h - all functions, inlined copies and lines that the DWARF of a file describes.
 *
 * One pass over all units: functions, the copies inlined into them and theirs go to a maker as
 * scopes with their ranges, and the line programs as lines (dwarf_lines.h). libdw reads the entries
 * (0.1 us for each that is visited); what holds no code is stepped over. .debug_aranges is never
 * used: clang writes none. Units are shared out among threads, each with a handle of its own, and
 * joined in the order of the file, so the result does not depend on the threads.
 *
 * Names are those that the linker uses, where there are; of an inlined copy that of the function it
 * is a copy of, wherever that is: in this unit, another one, or the file that dwz moved it to.
 *
 * With split DWARF the entries are in .dwo files beside the objects, which libdw follows; missing
 * ones are counted. (.dwp packages it reads from elfutils 0.191 up.) */
#ifndef FLAMEL_SYMBOL_DWARF_DWARF_WALK_H
#define FLAMEL_SYMBOL_DWARF_DWARF_WALK_H

#include <gelf.h>

#include "symbol/code/code_table.h"

struct flm_dwarf_report {
    size_t units;           /* that were walked */
    size_t damaged_units;   /* with entries that could not be read; what is before them was */
    size_t damaged_lines;   /* line programs, likewise */
    size_t missing_split;   /* units whose entries are in a file that is not there */
    char missing_name[120]; /* one of these files, terminated; cut if it is long */
};

/* Whether the file has any: .debug_info, plain or compressed. */
bool flm_dwarf_exists(Elf *elf);

/* Walks what `elf` has, a file that was linked (of one that was not, addresses are not known), by
 * at most `threads` threads. `alternate` is the file that its .gnu_debugaltlink names, NULL: none.
 * Sections that are compressed are unpacked in `elf`. Also tells the maker where its code sections
 * are. False, and `why`, when it has no DWARF that can be read; what memory runs out of, the maker
 * remembers. */
bool flm_dwarf_walk(Elf *elf, Elf *alternate, int threads, struct flm_code_maker *maker,
                    struct flm_dwarf_report *report, struct flm_error *why);

#endif
