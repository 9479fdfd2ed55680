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
#include "base/text/text.h"
#include "record/php/php_layout.h"
#include "record/runtime/process_memory.h"
#include "symbol/elf/elf_file.h"

enum flm_php_kind { FLM_PHP_INTERNAL = 1, FLM_PHP_USER = 2, FLM_PHP_EVAL = 4 };

struct flm_php_identity {
    uint64_t name, class, file, opcodes;
};

struct flm_php_function {
    uint64_t address;
    struct flm_php_identity identity;
    int64_t seen_ns;
    uint64_t serial; /* changes when another function is at the address */
    enum flm_php_kind kind;
    struct flm_text text; /* name and file, one after the other */
    size_t name_size;
    uint32_t first_line;
    uint64_t opcodes, opcode_count;
    uint64_t native; /* of one of the interpreter: its address; 0: not found */
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

struct flm_bytes flm_php_function_name(const struct flm_php_function *function);
struct flm_bytes flm_php_function_file(const struct flm_php_function *function);

/* The line of an opcode of the function; 0: unknown. */
uint32_t flm_php_line(struct flm_php_functions *functions, const struct flm_php_function *function,
                      uint64_t opcode);

#endif
