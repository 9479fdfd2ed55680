/* internal.h - a module and the set of modules, for module.c, modules.c, module_frames.c,
 * function_ranges.c, module_code.c, stack_ends.c, kernel_module.c, eviction.c and preloader.c. */
#ifndef FLAMEL_SYMBOL_REGISTRY_INTERNAL_H
#define FLAMEL_SYMBOL_REGISTRY_INTERNAL_H

#include <pthread.h>

#include "base/core/array.h"
#include "base/core/index.h"
#include "symbol/code/code_table.h"
#include "symbol/demangle/plain_names.h"
#include "symbol/registry/find_debug.h"
#include "symbol/registry/module.h"
#include "symbol/registry/table_cache.h"
#include "symbol/unwind/unwind_table.h"

/* A function of .eh_frame. They are sorted and do not overlap: `from` is its start, or the end of a
 * function that overlaps it. */
struct flm_described {
    uint64_t start, from, end;
};

enum { FLM_STACK_ENDS = 9 };

struct flm_module {
    const struct flm_modules *modules;
    struct flm_bytes path, name; /* the path is owned */
    struct flm_build_id id;      /* the requested one; without one, that of the file */
    struct flm_mapped_file mapped;
    int process;
    uint64_t kernel_text;
    char kernel_symbol[32];       /* the symbol at `kernel_text`; terminated */
    bool is_kernel;               /* the kernel or one of its modules */
    bool is_go;                   /* made by the Go compiler */
    struct flm_elf_range go_code; /* {0, 0}: not asked for yet */

    struct flm_elf_file *file;    /* NULL: none was found */
    struct flm_text file_path;    /* of the file, terminated; "" for an image */
    enum flm_module_state state;  /* of the file alone, until the table is made */
    enum flm_module_state bare;   /* that state, for when the table was evicted */
    struct flm_build_id other_id; /* of the file that was found instead */
    bool is_denied;               /* the file exists, but only root may read it */
    struct flm_error why;         /* of the file or its debug information, when it is damaged */

    bool code_tried; /* whether or not there is a table */
    struct flm_code_table *code;
    struct flm_cached cached_code;
    uint64_t slide;       /* added to the table's addresses: kernels are loaded anywhere */
    size_t go_units;      /* of its debug information: see dwarf/walk.h */
    size_t missing_split; /* units whose .dwo file was not found, and one of these files */
    char missing_name[120];
    bool is_hidden;      /* the kernel hides its addresses */
    bool was_image_read; /* of the running kernel: its code is what runs */

    bool unwind_tried;
    struct flm_unwind_table *unwind;
    struct flm_cached cached_unwind;

    bool stack_ends_tried;
    struct flm_elf_range stack_ends[FLM_STACK_ENDS]; /* stack_ends.c; {0, 0}: none */

    bool ranges_tried; /* read from symbols: function_ranges.c */
    struct flm_elf_range *ranges;
    size_t range_count;

    bool functions_tried;                  /* read from .eh_frame */
    const struct flm_described *functions; /* in what is cached, or owned */
    size_t function_count;
    struct flm_cached cached_functions;

    struct flm_plain_names names;

    /* For eviction.c: the last rounds in which it and its tables were used. */
    bool is_warm; /* its file was read in this round */
    uint64_t used, unwind_used;
    _Atomic uint64_t code_used; /* several threads look up */
};

struct flm_modules {
    struct flm_modules_options options; /* the strings are owned: */
    char **texts;
    size_t text_count;
    struct flm_find find;
    struct FLM_ARRAY(struct flm_module *) items;
    struct FLM_ARRAY(struct flm_request) requests; /* by path, build id, process */
    struct flm_index request_index;
    int threads; /* for each module whose DWARF is read */
    uint64_t round;
};

struct flm_request {
    uint32_t module;
    int process;
    struct flm_build_id id;
    struct flm_mapped_file mapped;
    struct flm_bytes path;  /* the module's */
    struct flm_bytes image; /* {0}: none */
    uint64_t kernel_text;
};

/* Makes the code table, unless that was tried before. */
void flm_module_prepare(struct flm_module *module);

void flm_module_free(struct flm_module *module);

/* The hash of a request in the index. */
uint32_t flm_request_hash(struct flm_bytes path, const struct flm_build_id *id);

/* Finishes the module's table and stores it in the cache as `kind` (NULL: not at all). False: no
 * table. */
bool flm_module_finish(struct flm_module *module, struct flm_code_maker *maker, const char *kind);

/* Opens the table that the cache has as `kind`. False: none. */
bool flm_module_open_cached(struct flm_module *module, const char *kind);

/* Adds the functions, lines and inlined functions of a debug file; its path is for the file that it
 * shares with others. False, and `why`, when it cannot be read. */
bool flm_module_walk(struct flm_module *module, const struct flm_elf_file *debug,
                     struct flm_bytes path, struct flm_code_maker *maker, struct flm_error *why);

/* kernel_module.c: the vmlinux with this build id, which has debug information. NULL: none. */
struct flm_elf_file *flm_module_find_vmlinux(const struct flm_module *module);

/* kernel_module.c: whether a path is that of the kernel or of one of its modules; makes its
 * table. */
bool flm_is_kernel_path(struct flm_bytes path);
void flm_module_prepare_kernel(struct flm_module *module);

/* module_frames.c: the function at an address by call frame information. False: none. */
bool flm_module_described_range(struct flm_module *module, uint64_t address,
                                struct flm_elf_range *range);

/* module_frames.c: they are read again when they are asked for. */
void flm_module_drop_functions(struct flm_module *module);

#endif
