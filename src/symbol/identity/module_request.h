/* module_request.h - what a recording says about a file with code, and how such files are searched.
 *
 * Recordings are read where no file can be searched, too: in a page. So these stand apart from what
 * finds and reads the files (symbol/registry/module.h). */
#ifndef FLAMEL_SYMBOL_IDENTITY_MODULE_REQUEST_H
#define FLAMEL_SYMBOL_IDENTITY_MODULE_REQUEST_H

#include "base/core/bytes.h"
#include "symbol/identity/build_id.h"

/* Which file a process has mapped: symbol/elf/mapped_file.h. */
struct flm_mapped_file {
    uint32_t major, minor;
    uint64_t inode;      /* 0: the file is unknown */
    uint64_t generation; /* counts the files that had this inode; 0: unknown */
};

/* Where files are searched, and what is read of them. */
struct flm_modules_options {
    /* Searched before the paths in the recording: for a file DIR/xx/yyyy.debug with the build id,
     * one with the whole path below DIR, or one of the same name in DIR. */
    const char *const *symbol_dirs;
    size_t symbol_dir_count;
    const char *debug_dir; /* of separate debug files; NULL: /usr/lib/debug */
    const char *perf_dir;  /* perf's cache of files by build id: ~/.debug; NULL: not searched */
    const char *cache_dir; /* of tables; NULL: none */
    int threads;           /* that make tables; 0: one per processor */
    bool debuginfod;       /* query the servers in DEBUGINFOD_URLS: debuginfod.h */
    bool names_only;       /* no lines and no inlined functions: symbol tables alone */
    bool kernel_is_ours;   /* recorded on this kernel since it was booted: /proc/kallsyms is its */

    /* Called before and after work that takes long, by callers with real-time scheduling: step_back
     * returns whether step_forward is to be called. NULL: not called. */
    bool (*step_back)(void);
    void (*step_forward)(void);
};

/* A file, as a mapping of it says. */
struct flm_module_request {
    struct flm_bytes path; /* as the process saw it; "[vdso]"; "[kernel.kallsyms]", "[module]" */
    struct flm_build_id build_id;  /* size 0: unknown */
    struct flm_mapped_file mapped; /* inode 0: unknown */
    bool id_is_of_path; /* the build id was read from the path when the recording ended */
    int process;        /* a live process, in whose root directory the path is; 0: in ours */
    struct flm_bytes
        image; /* the file in memory (vdso, jitted), which outlives the modules. The file
                               at the path is used for {0}, or if the image has another build id */
    /* For the kernel: the recorded address of one of its symbols ("_text", "_stext"; "": "_text"),
     * since it is loaded elsewhere at every boot. 0: unknown. */
    uint64_t kernel_text;
    struct flm_bytes kernel_symbol;
};

/* Whether a process is known. */
typedef bool (*flm_process_predicate)(void *context, int32_t process);

#endif
