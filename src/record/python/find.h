/* find.h - the interpreter in a process: which file has it, and where its parts are.
 *
 * A program is one (Debian's python3.11), or has a library of it, or it was built in under another
 * name. The file is read below the process's own root; its symbols say where _PyRuntime is, the
 * types by which objects are told, and the evaluation loop, whose native frames stand for Python's.
 */
#ifndef FLAMEL_RECORD_PYTHON_FIND_H
#define FLAMEL_RECORD_PYTHON_FIND_H

#include "record/session/process_map.h"
#include "symbol/elf/elf_file.h"

struct flm_python_range {
    uint64_t start, end;
};

/* Addresses in the process. */
struct flm_python_symbols {
    uint64_t runtime;
    uint64_t code_type, text_type, bytes_type; /* 0: not known */
    uint64_t version;                          /* of the number that says it; 0: there is none */
    struct flm_python_range loop[4]; /* the evaluation loop, and parts of it that lie elsewhere */
    size_t loop_count;
    int named_minor; /* of 3, by the file's name; 0: it does not say */
};

/* Whether a file may have an interpreter, by its name. */
bool flm_python_is_named(struct flm_bytes path);

/* By a file's symbols; what is added to their addresses is `bias`. False: it has no interpreter. */
bool flm_python_symbols_read(const struct flm_elf_file *file, uint64_t bias,
                             struct flm_python_symbols *symbols);

/* Looks at all files of the process that may have one. */
bool flm_python_symbols_find(const struct flm_process *process, struct flm_python_symbols *symbols);

#endif
