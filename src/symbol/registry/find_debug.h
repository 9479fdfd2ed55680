/* find_debug.h - finds programs, and the separate files with their symbols. In this order:
 *
 *     program   DIR/PATH, DIR/NAME, DIR/.build-id/xx/yyyy     --symbols DIR
 *               /proc/PID/root/PATH; a deleted one: /proc/PID/exe, /proc/PID/map_files/RANGE
 *               PATH
 *               ~/.debug/.build-id/xx/yyyy/elf, .../vdso      the cache of perf
 *               debuginfod
 *     debug     DIR/.build-id/xx/yyyy.debug, DIR/xx/yyyy.debug, DIR/PATH.debug, DIR/PATH,
 *               DIR/LINK, DIR/NAME.debug, DIR/NAME
 *               next to the program: LINK, .debug/LINK        LINK: the name in .gnu_debuglink
 *               /usr/lib/debug: .build-id/xx/yyyy.debug, its folder/LINK, PATH.debug
 *               ~/.debug/.build-id/xx/yyyy/debug, debuginfod
 *
 * A file must have the build id that is searched for. If none is known, a program must be the file
 * that was mapped (mapped_file.h), unless it is in a DIR of the user; only where that is unknown
 * too the path is enough. A debug file then must have the CRC of its link. */
#ifndef FLAMEL_SYMBOL_REGISTRY_FIND_DEBUG_H
#define FLAMEL_SYMBOL_REGISTRY_FIND_DEBUG_H

#include "symbol/elf/mapped_file.h"
#include "symbol/registry/debuginfod.h"

struct flm_find {
    const char *const *symbol_dirs;
    size_t symbol_dir_count;
    const char *debug_dir;             /* NULL: /usr/lib/debug */
    const char *perf_dir;              /* ~/.debug; NULL: not searched */
    struct flm_debuginfod *debuginfod; /* NULL: servers are not queried */
    int64_t from_ns, until_ns;         /* the recording, in nanoseconds since 1970; 0: unknown */
};

struct flm_wanted_program {
    struct flm_bytes path;         /* as the process sees it */
    struct flm_build_id id;        /* size 0: unknown */
    struct flm_mapped_file mapped; /* inode 0: unknown */
    bool id_is_of_path; /* the build id was read from the path when the recording ended */
    int process;        /* one that runs here; 0: the path is as we see it */
};

/* The result of a search; the caller clears it. */
struct flm_found {
    struct flm_elf_file *file; /* owned by the caller; NULL: none */
    struct flm_text path;      /* terminated; without a file, of the first one that was refused */
    bool is_damaged;           /* the only file cannot be read: `why` */
    bool is_changed;           /* the only file is another one, with the build id `other` */
    bool has_no_id;            /* the build id is that of a file which replaced the mapped one */
    bool is_denied;            /* the mapped file still exists, but we may not read it */
    struct flm_build_id other;
};

void flm_find_program(const struct flm_find *find, const struct flm_wanted_program *wanted,
                      struct flm_found *found, struct flm_error *why);

/* `path` is as the process `process` sees it; 0: as we do. An `id` of size 0 is unknown.
 *
 * The file with the debug information that the program lacks, or at least with symbols if the
 * program has none; with `symbols_will_do` the first file with symbols. `program` may be NULL. */
void flm_find_debug(const struct flm_find *find, const struct flm_elf_file *program,
                    struct flm_bytes path, const struct flm_build_id *id, int process,
                    bool symbols_will_do, struct flm_found *found);

/* The file that a debug file shares with others: .gnu_debugaltlink. NULL when it needs none, or it
 * is not found. `path` is that of the debug file. */
struct flm_elf_file *flm_find_alternate(const struct flm_find *find,
                                        const struct flm_elf_file *debug, struct flm_bytes path);

void flm_found_clear(struct flm_found *found);

#endif
