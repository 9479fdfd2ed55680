/* internal.h - what module.c, modules.c, module_frames.c and kernel_module.c share: a module,
 * and the set that it is of. */
#ifndef FLAMEL_SYMBOL_REGISTRY_INTERNAL_H
#define FLAMEL_SYMBOL_REGISTRY_INTERNAL_H

#include <pthread.h>

#include "base/core/index.h"
#include "symbol/code/code_table.h"
#include "symbol/demangle/plain_names.h"
#include "symbol/registry/find_debug.h"
#include "symbol/registry/module.h"
#include "symbol/registry/table_cache.h"
#include "symbol/unwind/unwind_table.h"

/* A function of .eh_frame: its addresses from `from` on are its own, where another reaches into it;
 * else that is its start. They are sorted and apart. */
struct flm_described {
    uint64_t start, from, end;
};

struct flm_module {
    const struct flm_modules *modules;
    struct flm_bytes path, name; /* the path is owned */
    struct flm_build_id id;      /* the one that is wanted; else that of the file */
    int process;
    uint64_t kernel_text;
    char kernel_symbol[32]; /* that is there; terminated */
    bool is_kernel;         /* it, or one of its modules */

    struct flm_elf_file *file;    /* NULL: none was found */
    struct flm_text file_path;    /* where; terminated; "" of an image */
    enum flm_module_state state;  /* of the file alone, until the table is made */
    enum flm_module_state bare;   /* the same, kept: a table that was dropped is made again */
    struct flm_build_id other_id; /* of the file that is there instead */
    struct flm_error why;         /* what is wrong with it, or with its debug information */

    bool has_looked; /* for symbols */
    struct flm_code_table *code;
    struct flm_cached cached_code;
    uint64_t slide;       /* added to the table's addresses: kernels lie anywhere */
    size_t missing_split; /* units whose entries are in files that are not there: one of them */
    char missing_name[120];
    bool is_hidden; /* the kernel does not show its addresses */

    bool has_unwound;
    struct flm_unwind_table *unwind;
    struct flm_cached cached_unwind;

    bool has_functions; /* looked for them in .eh_frame */
    struct flm_described *functions;
    size_t function_count;

    struct flm_plain_names names;

    /* Of eviction.c: rounds in which it was needed last, and its tables were asked. */
    bool is_warm; /* its file was read since that round */
    uint64_t used, unwind_asked;
    _Atomic uint64_t code_asked; /* lookups are made by several threads */
};

struct flm_modules {
    struct flm_modules_options options; /* its texts are owned */
    char **texts;
    size_t text_count;
    struct flm_find find;
    struct flm_module **items;
    size_t count, capacity;
    struct flm_index requests; /* what was asked for: path, build id, process */
    struct flm_request *asked;
    size_t asked_count, asked_capacity;
    int threads; /* for each module that is walked */
    uint64_t round;
};

struct flm_request {
    uint32_t module;
    int process;
    struct flm_build_id id;
    struct flm_bytes path;  /* the module's */
    struct flm_bytes image; /* {0}: none */
    uint64_t kernel_text;
};

/* Makes the code table, if it was not tried yet. */
void flm_module_prepare(struct flm_module *module);

void flm_module_free(struct flm_module *module);

/* Its place among the requests, by hash. */
uint32_t flm_request_hash(struct flm_bytes path, const struct flm_build_id *id);

/* The table from a maker that has all of it, into the module and, as `kind`, into the cache; true
 * when there is one. */
bool flm_module_finish(struct flm_module *module, struct flm_code_maker *maker, const char *kind);

/* The table that the cache has as `kind`; true when there is one. */
bool flm_module_open_cached(struct flm_module *module, const char *kind);

/* Functions, lines and inlined functions of a file's debug information, whose path is for what it
 * shares with others. False, and `why`, when it cannot be read. */
bool flm_module_walk(struct flm_module *module, const struct flm_elf_file *debug,
                     struct flm_bytes path, struct flm_code_maker *maker, struct flm_error *why);

/* kernel_module.c: is it a path of the kernel's; makes its table. */
bool flm_is_kernel_path(struct flm_bytes path);
void flm_module_prepare_kernel(struct flm_module *module);

#endif
