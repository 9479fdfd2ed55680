/* code.h - code objects of a process: name, file and line table, each copied once.
 *
 * A code object keeps its address as long as it lives; later the address may be another one's. So a
 * copy is checked again after a while: it is valid if the pointers to its name, file and lines, and
 * its first line, are still the same. */
#ifndef FLAMEL_RECORD_PYTHON_CODE_H
#define FLAMEL_RECORD_PYTHON_CODE_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "base/text/text.h"
#include "record/python/find.h"
#include "record/python/struct_layout.h"
#include "record/runtime/process_memory.h"

/* Distinguishes a code object from an earlier one at the same address. */
struct flm_python_identity {
    uint64_t name, file, lines, first_line;
};

struct flm_python_code {
    uint64_t address;
    struct flm_python_identity identity;
    int64_t seen_ns;
    uint64_t instructions, instructions_size; /* address and bytes */
    uint64_t copies;      /* the array of copies of them, one for each thread; 0: none */
    uint64_t serial;      /* changes when another code object is at the address */
    struct flm_text text; /* function, file and lines, one after the other */
    size_t function_size, file_size;
    uint32_t first_line;
};

struct flm_python_codes {
    const struct flm_python_layout *layout;
    const struct flm_python_symbols *symbols;
    struct FLM_ARRAY(struct flm_python_code) items;
    uint64_t serials;
    struct flm_index index;
};

void flm_python_codes_clear(struct flm_python_codes *codes);

/* The index of a code object; UINT32_MAX when there is none at the address (a torn read), or memory
 * ran out. */
uint32_t flm_python_codes_find(struct flm_python_codes *codes, struct flm_process_memory *memory,
                               uint64_t address, int64_t now_ns);

/* The address of a thread's copy of the instructions; 0: there is none, or the array has
 * changed. */
uint64_t flm_python_code_copy(const struct flm_python_code *code, struct flm_process_memory *memory,
                              uint32_t copy);

/* Its texts, valid until the next call of find. */
struct flm_bytes flm_python_code_function(const struct flm_python_code *code);
struct flm_bytes flm_python_code_file(const struct flm_python_code *code);
struct flm_bytes flm_python_code_lines(const struct flm_python_code *code);

/* Appends a str of the process, as UTF-8. False when it is not one. */
bool flm_python_text_read(const struct flm_python_codes *codes, struct flm_process_memory *memory,
                          uint64_t address, struct flm_text *out);

#endif
