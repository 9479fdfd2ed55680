/* entries.h - passes the functions and inlined copies of a unit to a maker.
 *
 * One pass in preorder. Whether an entry is a function with code, an inlined copy, something that
 * may contain functions, or none of these is decided once for its abbreviation. Attributes are read
 * once, and only those of functions and copies. The name of a function is looked up once for all
 * copies.
 *
 * Private to walk.c, which finds the units. The file is not trusted: the depth of entries and the
 * length of references are bounded, and each entry is visited once, whatever DW_AT_sibling says. */
#ifndef FLAMEL_SYMBOL_DWARF_ENTRIES_H
#define FLAMEL_SYMBOL_DWARF_ENTRIES_H

#include <elfutils/libdw.h>

#include "symbol/dwarf/line_program.h"

/* The state that one handle of libdw keeps from entry to entry. */
struct flm_dwarf_entries;

struct flm_dwarf_entries *flm_dwarf_entries_new(void); /* NULL: memory ran out */
void flm_dwarf_entries_free(struct flm_dwarf_entries *entries);

/* Directs what follows to this maker. */
void flm_dwarf_entries_begin(struct flm_dwarf_entries *entries, struct flm_code_maker *maker);

/* Walks a unit from its first entry; `files` resolves the files of calls. False when something
 * could not be read; everything before that was added. */
bool flm_dwarf_entries_walk(struct flm_dwarf_entries *entries, Dwarf_Die *unit,
                            const struct flm_line_files *files);

#endif
