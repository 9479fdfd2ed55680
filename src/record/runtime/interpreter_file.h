/* interpreter_file.h - the file of a process that has an interpreter: its program, or a library. */
#ifndef FLAMEL_RECORD_RUNTIME_INTERPRETER_FILE_H
#define FLAMEL_RECORD_RUNTIME_INTERPRETER_FILE_H

#include "record/process/process_map.h"
#include "symbol/elf/elf_file.h"

/* Whether a file is called so, by the last part of its path: as a program, with or without a
 * version or a variant ("php8.2", "php-fpm"), or as a library ("libphp8.2.so"). */
bool flm_interpreter_is_named(struct flm_bytes path, const char *name);

/* The program of a process, and its root, as we see them. In a chroot that is not as the process
 * sees its files: the kernel tells of a file that is mapped by the path that the process sees, and
 * in /proc/PID/maps by ours. */
enum { FLM_PROGRAM_PATH_MOST = 4096 };
struct flm_program_paths {
    char program[FLM_PROGRAM_PATH_MOST], root[FLM_PROGRAM_PATH_MOST];
    size_t program_size, root_size; /* 0: unknown, or no other root than ours */
};

void flm_program_paths_read(struct flm_program_paths *paths, int32_t process);

/* Whether the path of a mapped file, either of them, is that of the program. */
bool flm_program_paths_are(const struct flm_program_paths *paths, struct flm_bytes path);

struct flm_interpreter_file {
    struct flm_bytes path;             /* as the process sees it */
    const struct flm_mapping *mapping; /* the first of them */
    const struct flm_elf_file *elf;    /* 64 bits, in our byte order */
    uint64_t bias;                     /* what is added to its addresses in the process */
};
typedef bool (*flm_interpreter_file_visit)(void *context, const struct flm_interpreter_file *file);

/* Opens the mapped files that `is_named` names, and the program whatever it is called, below the
 * root of the process, until `visit` says of one that it is it. False: none is. */
bool flm_interpreter_file_find(const struct flm_process *process,
                               bool (*is_named)(struct flm_bytes path),
                               flm_interpreter_file_visit visit, void *context);

/* The addresses of the mapping that has this one. Empty: none has. */
struct flm_elf_range flm_interpreter_code(const struct flm_process *process, uint64_t address);

#endif
