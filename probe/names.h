/* names.h - the names of functions and variables by their addresses, from the symbols of the files
 * that are mapped.
 *
 * .symtab, and .dynsym where there is none. Files are read, not mapped: one that is truncated
 * meanwhile would be a signal. Allocates by mmap only, so a function can be named inside malloc.
 * The caller holds the lock. */
#ifndef FLAMEL_PROBE_NAMES_H
#define FLAMEL_PROBE_NAMES_H

#include "internal.h"

/* The symbol that an address is in, as the linker has it; NULL: none. Good until
 * flm_names_forget. */
FLM_HIDDEN const char *flm_name_of(uintptr_t address);

/* Where the program's own file has a function of this name; 0: nowhere. Has the file read. */
FLM_HIDDEN uintptr_t flm_names_find(const char *name);

/* Names functions of this run that have none yet, by their symbols or as file+0xoffset. Not inside
 * malloc: names of C++ are made readable by that language's own library, if the program has it.
 * Takes the lock itself. */
FLM_HIDDEN void flm_names_add(void);

/* The name of an address, readable, and whether it is code; false: nothing is known, and it is its
 * place in a file. `has_read`, false at first: of many addresses what is mapped is read once more
 * at most. As flm_names_add: takes the lock itself, not inside malloc. */
FLM_HIDDEN bool flm_names_print(uintptr_t address, bool *has_read, char *text, size_t size,
                                bool *is_code);

/* Files may have been unloaded: what is known of them is read again. */
FLM_HIDDEN void flm_names_forget(void);

/* Whether code is mapped there now. */
FLM_HIDDEN bool flm_names_has_code(uintptr_t address);

#endif
