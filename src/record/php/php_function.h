/* php_function.h - the functions of a PHP process: of scripts and of the interpreter, with name,
 * file and opcodes, each copied once.
 *
 * A function keeps its address as long as it lives: to the end of the request, or of the process
 * with opcache. Later the address may be another one's. So a copy is checked again
 * after a while. */
#ifndef FLAMEL_RECORD_PHP_PHP_FUNCTION_H
#define FLAMEL_RECORD_PHP_PHP_FUNCTION_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "record/php/php_layout.h"
#include "record/runtime/process_memory.h"
#include "record/script/script_stack.h"
#include "symbol/elf/elf_file.h"

enum flm_php_kind { FLM_PHP_INTERNAL = 1, FLM_PHP_USER = 2, FLM_PHP_EVAL = 4 };

struct flm_php_identity {
    uint64_t name, class, file, opcodes;
};

struct flm_php_function {
    uint64_t address;
    struct flm_php_identity identity;
    int64_t seen_ns;
    struct flm_script_function shown;
    enum flm_php_kind kind;
    uint64_t opcodes, opcode_count;
};

struct flm_php_functions {
    const struct flm_php_layout *layout;
    struct flm_process_memory *memory;
    struct flm_elf_range code; /* where the interpreter's own functions are */
    struct FLM_ARRAY(struct flm_php_function) items;
    uint64_t serials;
    struct flm_index index;
};

void flm_php_functions_clear(struct flm_php_functions *functions);

/* The number of the function at an address; UINT32_MAX where there is none (a torn read), or memory
 * ran out. */
uint32_t flm_php_functions_find(struct flm_php_functions *functions, uint64_t address,
                                int64_t now_ns);

/* The line of an opcode of the function; 0: unknown. */
uint32_t flm_php_line(struct flm_php_functions *functions, const struct flm_php_function *function,
                      uint64_t opcode);

#endif
