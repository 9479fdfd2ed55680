/* code.h - code objects of a process: name, file and line table, copied once each.
 *
 * A code object stays where it is as long as it lives; its address may be another one's later. So
 * what is remembered is looked at again after a while, and believed when its name, file, lines and
 * first line are where they were. */
#ifndef FLAMEL_RECORD_PYTHON_CODE_H
#define FLAMEL_RECORD_PYTHON_CODE_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "base/text/text.h"
#include "record/python/find.h"
#include "record/python/process_memory.h"
#include "record/python/struct_layout.h"

/* What tells a code object from the one that was at its address before. */
struct flm_python_identity {
    uint64_t name, file, lines, first_line;
};

struct flm_python_code {
    uint64_t address;
    struct flm_python_identity identity;
    int64_t seen_ns;
    uint64_t instructions, instructions_size; /* where they are, and how many bytes */
    uint64_t serial;      /* another one whenever another code object is at the address */
    struct flm_text text; /* function, file and lines, end to end */
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

/* The number of a code object; UINT32_MAX when there is none at the address (torn), or memory ran
 * out. */
uint32_t flm_python_codes_find(struct flm_python_codes *codes, struct flm_python_memory *memory,
                               uint64_t address, int64_t now_ns);

/* Its texts: good until another one is found. */
struct flm_bytes flm_python_code_function(const struct flm_python_code *code);
struct flm_bytes flm_python_code_file(const struct flm_python_code *code);
struct flm_bytes flm_python_code_lines(const struct flm_python_code *code);

/* A str of the process, as UTF-8, behind what is in `out`. False when there is none. */
bool flm_python_text_read(const struct flm_python_codes *codes, struct flm_python_memory *memory,
                          uint64_t address, struct flm_text *out);

#endif
