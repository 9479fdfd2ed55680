/* ruby_symbols.h - finds Ruby's interpreter in a process: its file, its symbols, its version.
 *
 * The program itself may be the interpreter, or link libruby. It is found by what it exports, also
 * when it was stripped: rb_vm_exec, rb_cObject, ruby_version. */
#ifndef FLAMEL_RECORD_RUBY_RUBY_SYMBOLS_H
#define FLAMEL_RECORD_RUBY_RUBY_SYMBOLS_H

#include "record/process/process_map.h"
#include "symbol/elf/elf_file.h"

/* Addresses in the process. */
struct flm_ruby_symbols {
    struct flm_elf_range exec; /* enters the loop */
    struct flm_elf_range core; /* the loop, where it is a function with a symbol; {0}: unknown */
    uint64_t object_class, version, identifiers; /* 0: unknown */
    struct flm_elf_range code;                   /* the mapping with these functions */
    struct flm_elf_range data;                   /* its variables */
};

/* Whether a file may have an interpreter, by its name. */
bool flm_ruby_is_named(struct flm_bytes path);

/* From the symbols of a file of 64 bits in our byte order, with `bias` added to their addresses.
 * False: it has no interpreter. */
bool flm_ruby_symbols_read(const struct flm_elf_file *file, uint64_t bias,
                           struct flm_ruby_symbols *symbols);

/* Searches all files of the process that may have one. */
bool flm_ruby_symbols_find(const struct flm_process *process, struct flm_ruby_symbols *symbols);

#endif
