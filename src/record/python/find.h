/* find.h - finds the interpreter in a process: its file, and its symbols.
 *
 * The program itself may be an interpreter (Debian's python3.11), link a library with one, or have
 * one built in under another name. The file is read below the root of the process; its symbols are
 * _PyRuntime, the types that identify objects, and the evaluation loop. */
#ifndef FLAMEL_RECORD_PYTHON_FIND_H
#define FLAMEL_RECORD_PYTHON_FIND_H

#include "record/process/process_map.h"
#include "symbol/elf/elf_file.h"

/* Addresses in the process. */
struct flm_python_symbols {
    uint64_t runtime;
    uint64_t code_type, text_type, bytes_type; /* 0: unknown */
    uint64_t version;                          /* of the variable Py_Version; 0: none */
    struct flm_elf_range loop[4];              /* the evaluation loop, and its .cold parts */
    size_t loop_count;
    int named_minor; /* of 3.x, from the file's name; 0: unknown */
};

/* Whether a file may have an interpreter, by its name. */
bool flm_python_is_named(struct flm_bytes path);

/* From the symbols of a file, with `bias` added to their addresses. False: it has no
 * interpreter. */
bool flm_python_symbols_read(const struct flm_elf_file *file, uint64_t bias,
                             struct flm_python_symbols *symbols);

/* Searches all files of the process that may have one. */
bool flm_python_symbols_find(const struct flm_process *process, struct flm_python_symbols *symbols);

#endif
