/* find_debug.h - where the files are: programs, and the separate files with their symbols.
 *
 *     program   DIR/PATH, DIR/NAME, DIR/.build-id/xx/yyyy     --symbols DIR
 *               /proc/PID/root/PATH; a deleted one: /proc/PID/exe, /proc/PID/map_files/RANGE
 *               PATH
 *               ~/.debug/.build-id/xx/yyyy/elf, .../vdso      what perf keeps
 *               debuginfod
 *     debug     DIR/.build-id/xx/yyyy.debug, DIR/xx/yyyy.debug, DIR/PATH.debug, DIR/PATH,
 *               DIR/LINK, DIR/NAME.debug, DIR/NAME
 *               beside the program: LINK, .debug/LINK         LINK: what .gnu_debuglink says
 *               /usr/lib/debug: .build-id/xx/yyyy.debug, its folder/LINK, PATH.debug
 *               ~/.debug/.build-id/xx/yyyy/debug, debuginfod
 *
 * A file is taken when its build id is the one that is wanted; where none is known, a program is
 * taken by its place alone, and a debug file by the CRC of its link. */
#ifndef FLAMEL_SYMBOL_REGISTRY_FIND_DEBUG_H
#define FLAMEL_SYMBOL_REGISTRY_FIND_DEBUG_H

#include "symbol/registry/debuginfod.h"

struct flm_find {
    const char *const *symbol_dirs;
    size_t symbol_dir_count;
    const char *debug_dir;             /* NULL: /usr/lib/debug */
    const char *perf_dir;              /* ~/.debug; NULL: not looked into */
    struct flm_debuginfod *debuginfod; /* NULL: servers are not queried */
};

/* A file, and where it was; a text to be cleared by the caller. */
struct flm_found {
    struct flm_elf_file *file; /* owned by the caller; NULL: none */
    struct flm_text path;      /* terminated; of the one that was refused, when there is none */
    bool is_damaged;           /* there is one, but it cannot be read: `why` */
    bool is_changed;           /* there is one, but with another build id: this one */
    struct flm_build_id other;
};

/* `path`: as the process `process` saw it; 0: as we do. `id`: size 0: not known. */
void flm_find_program(const struct flm_find *find, struct flm_bytes path,
                      const struct flm_build_id *id, int process, struct flm_found *found,
                      struct flm_error *why);

/* The file with what the program lacks: debug information, or at least symbols, where the program
 * has none; `symbols_will_do` takes the first with symbols. `program` may be NULL. */
void flm_find_debug(const struct flm_find *find, const struct flm_elf_file *program,
                    struct flm_bytes path, const struct flm_build_id *id, int process,
                    bool symbols_will_do, struct flm_found *found);

/* What a debug file shares with others: .gnu_debugaltlink. NULL where it needs none, or there is
 * none. `path` is the debug file's. */
struct flm_elf_file *flm_find_alternate(const struct flm_find *find,
                                        const struct flm_elf_file *debug, struct flm_bytes path);

void flm_found_clear(struct flm_found *found);

#endif
