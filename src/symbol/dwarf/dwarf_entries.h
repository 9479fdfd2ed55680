/* dwarf_entries.h - the entries of a unit: its functions and inlined copies, told to a maker.
 *
 * One pass in preorder. What an entry is to us - a function with code, a copy, something that may
 * hold functions, nothing - is decided once for its abbreviation; attributes are read once, and
 * only of functions and copies. Names of what many copies are of are looked up once.
 *
 * Private to dwarf_walk.c, which finds the units. Untrusted: the depth of entries and the length of
 * references are bounded, and each entry is visited once, whatever DW_AT_sibling says. */
#ifndef FLAMEL_SYMBOL_DWARF_DWARF_ENTRIES_H
#define FLAMEL_SYMBOL_DWARF_DWARF_ENTRIES_H

#include <elfutils/libdw.h>

#include "symbol/dwarf/dwarf_lines.h"

/* What is remembered from entry to entry of one handle of libdw. */
struct flm_dwarf_entries;

struct flm_dwarf_entries *flm_dwarf_entries_new(void); /* NULL: memory ran out */
void flm_dwarf_entries_free(struct flm_dwarf_entries *entries);

/* From now on for this maker. */
void flm_dwarf_entries_begin(struct flm_dwarf_entries *entries, struct flm_code_maker *maker);

/* All in a unit, whose first entry it is; `files` are those that calls are in. False when something
 * in it could not be read; what is before that was. */
bool flm_dwarf_entries_walk(struct flm_dwarf_entries *entries, Dwarf_Die *unit,
                            const struct flm_line_files *files);

#endif
