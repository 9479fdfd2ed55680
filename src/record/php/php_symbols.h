/* php_symbols.h - finds PHP's interpreter in a process: its file, its symbols, its version.
 *
 * The program itself may be the interpreter (php, php-fpm, php-cgi), or load it as a library, as
 * Apache does. It exports execute_ex, and executor_globals unless it is built for threads. */
#ifndef FLAMEL_RECORD_PHP_PHP_SYMBOLS_H
#define FLAMEL_RECORD_PHP_PHP_SYMBOLS_H

#include "record/process/process_map.h"
#include "symbol/elf/elf_file.h"

/* Addresses in the process. */
struct flm_php_symbols {
    struct flm_elf_range loop; /* execute_ex */
    struct flm_elf_range cold; /* its .cold part, if it has a symbol */
    uint64_t globals;          /* executor_globals; 0: it is built for threads */
    int major, minor;
    struct flm_elf_range code; /* the mapping with these functions */
};

/* Whether a file may have an interpreter, by its name. */
bool flm_php_is_named(struct flm_bytes path);

/* From the symbols of a file of 64 bits in our byte order, with `bias` added to their addresses.
 * False: it has no interpreter. */
bool flm_php_symbols_read(const struct flm_elf_file *file, uint64_t bias,
                          struct flm_php_symbols *symbols);

/* Searches all files of the process that may have one. */
bool flm_php_symbols_find(const struct flm_process *process, struct flm_php_symbols *symbols);

#endif
