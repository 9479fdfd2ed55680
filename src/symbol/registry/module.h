/* module.h - modules: symbolization and unwinding of the code of one file.
 *
 * A module is an ELF file (program, library, vdso, kernel). It has two sorted tables, each made in
 * one pass at the first query and cached on disk by build id (table_cache.h), so that it is not
 * made again for the next recording of the same file:
 *
 *     lookup   address -> function, file, line, and inlined functions     code/code_table.h
 *     unwind   address -> the locations of the caller's registers         unwind/unwind_table.h
 *
 * Queries are in addresses of the file, as in ELF and DWARF:
 *
 *     instruction pointer, in a process that mapped the file at 0x7f31a2c00000, from offset 0x28000
 *         - 0x7f31a2c00000 + 0x28000 = file offset
 *         by the PT_LOAD segments: address
 *
 * Missing information is no error: lookups in a stripped file find fewer functions, in a missing
 * one none; flm_module_state says which it is, for people and for counts.
 *
 * Once its table has been made (flm_modules_prepare), several threads may query a module at
 * once. */
#ifndef FLAMEL_SYMBOL_REGISTRY_MODULE_H
#define FLAMEL_SYMBOL_REGISTRY_MODULE_H

#include "base/core/md5.h"
#include "symbol/code/code_table.h"
#include "symbol/elf/mapped_file.h"
#include "symbol/identity/module_request.h"

struct flm_module;
struct flm_modules;
struct flm_unwind_table;

/* ---- The modules of a recording -------------------------------------------------------------- */

struct flm_modules *flm_modules_new(const struct flm_modules_options *options,
                                    struct flm_error *why);
void flm_modules_free(struct flm_modules *modules); /* and all its modules */

/* Sets `kernel_is_ours`, for readers that learn it while they read; before the first lookup. */
void flm_modules_kernel(struct flm_modules *modules, bool is_ours);

/* When the files of a recording were mapped, in nanoseconds since 1970; before the first lookup. */
void flm_modules_recorded(struct flm_modules *modules, int64_t from_ns, int64_t until_ns);

/* The module of a request; the same request returns the same module. Only the headers and the build
 * id of the file are read yet; a file with another build id is not used. NULL only when memory ran
 * out. */
struct flm_module *flm_modules_get(struct flm_modules *modules,
                                   const struct flm_module_request *request);

/* Forgets the requests of processes that are no longer known, which will not come again. False when
 * memory ran out. */
bool flm_modules_forget_requests(struct flm_modules *modules, flm_process_predicate is_known,
                                 void *context);

/* Makes the code tables of `count` modules, in the threads of the options. A table that was not
 * prepared is made by the first lookup. */
void flm_modules_prepare(struct flm_modules *modules, struct flm_module *const *wanted,
                         size_t count);

/* ---- Recordings without end ------------------------------------------------------------------ */

/* A live view has rounds: its refreshes. Each round marks what it uses. What none of the last
 * FLM_MODULE_ROUNDS has used is freed: modules that no process maps any more, and tables of modules
 * that do not run. So memory depends on what ran lately, not on all that has ever run. */
enum { FLM_MODULE_ROUNDS = 60 };

/* Marks the module as used in this round: a process maps it, or a sample was in it. Lookups mark
 * the tables themselves. */
void flm_module_use(struct flm_module *module);

/* Ends a round. No table may be in use, and pointers to unused modules, and all texts from lookups,
 * become invalid. False when memory ran out. */
bool flm_modules_evict(struct flm_modules *modules);

struct flm_modules_counts {
    size_t modules, requests;
    size_t code_tables, unwind_tables; /* in memory now */
};
struct flm_modules_counts flm_modules_counts(const struct flm_modules *modules);

/* ---- A module -------------------------------------------------------------------------------- */

/* The last part of its path, "libc.so.6", and the whole path. */
struct flm_bytes flm_module_name(const struct flm_module *module);
struct flm_bytes flm_module_path(const struct flm_module *module);
const struct flm_build_id *flm_module_build_id(const struct flm_module *module);

/* The address of an offset in the file. False when no PT_LOAD segment contains it. For the kernel
 * and its modules offset and address are both the address at which the code runs. */
bool flm_module_address(const struct flm_module *module, uint64_t file_offset, uint64_t *address);

/* The functions at an address, the innermost first, with demangled names. Of clones that the
 * compiler made (base/text/clone_name.h) the name is that of the function, but not in Go, where
 * main.cold is a function. Writes at most `capacity` and returns how many there are; 0: no symbol.
 * Texts are valid until the modules are freed. */
size_t flm_module_lookup(struct flm_module *module, uint64_t address, struct flm_code *code,
                         size_t capacity);

/* The start of the function at an address that has no symbol: stripped code too has the extent of
 * each function in its call frame information (the FDE, "frame description entry"). `*start` is the
 * address itself if no FDE contains it. The unlikely part that a compiler splits from a function
 * has an FDE of its own, which does not refer to the function, so it counts as another one.
 * Hand-written assembly and PLTs may have one FDE for many functions. False when memory ran out.
 * Unlike lookups, only one thread at a time may call this. */
bool flm_module_function_start(struct flm_module *module, uint64_t address, uint64_t *start);

/* Whether the code at an address keeps frame pointers, as all of Go's does: the frames that they
 * lead to are then also those that no unwind table leads to, because the runtime has switched
 * stacks. C in the same program uses the register for anything. */
bool flm_module_keeps_frame_pointers(struct flm_module *module, uint64_t address);

/* Whether code without an unwind rule at this address is known to have no caller: musl's start of
 * programs and threads. For the thread that unwinds. */
bool flm_module_ends_stack(struct flm_module *module, uint64_t address);

/* For code without an unwind rule: the function that has a symbol there, and `size` bytes of code.
 * False, and NULL, where there are none. For the thread that unwinds. */
bool flm_module_find_range(struct flm_module *module, uint64_t address,
                           struct flm_elf_range *range);
const unsigned char *flm_module_code(const struct flm_module *module, uint64_t address,
                                     size_t size);

/* The function at an address, for people: by debug information, symbols, or call frame information.
 * A part that the compiler put elsewhere is a range of its own. False: nothing is known. */
bool flm_module_function(struct flm_module *module, uint64_t address, struct flm_elf_range *range);

/* Appends the code at [start, start + size), in addresses of the file: of the file, of a vmlinux
 * with lines, or of the running kernel where root reads it. False, and `why`: it is not there. */
bool flm_module_read_code(struct flm_module *module, uint64_t start, size_t size,
                          struct flm_text *out, struct flm_error *why);

/* Whether code that was read is of a file, and other code ran: kernels patch themselves. */
bool flm_module_code_is_patched(const struct flm_module *module);

/* What its debug information says of a source file, by the path that lookups have; the caller
 * clears the text. False when memory ran out. */
struct flm_module_source {
    bool has_md5; /* of the file that was compiled */
    unsigned char md5[FLM_MD5_SIZE];
    bool has_text; /* all of it is in the debug information (clang -gembed-source) */
    struct flm_text text;
};
bool flm_module_find_source(struct flm_module *module, struct flm_bytes path,
                            struct flm_module_source *source);

/* A descriptor of the source file, from a debuginfod server, where the modules may ask them. The
 * caller closes it. -1: none. */
int flm_module_download_source(struct flm_module *module, const char *path);

enum flm_machine flm_module_machine(const struct flm_module *module);

/* NULL when the file has no call frame information. */
const struct flm_unwind_table *flm_module_unwind_table(struct flm_module *module);

/* The best symbols that were found. */
enum flm_module_state {
    FLM_MODULE_MISSING,  /* the file was not found */
    FLM_MODULE_CHANGED,  /* only another file was found, or one with another build id */
    FLM_MODULE_DAMAGED,  /* the file is not a readable ELF file */
    FLM_MODULE_BARE,     /* no symbols */
    FLM_MODULE_EXPORTS,  /* exported functions (.dynsym) */
    FLM_MODULE_SYMBOLS,  /* functions (.symtab) */
    FLM_MODULE_COMPLETE, /* functions, lines, inlined functions (.debug_info) */
};

enum flm_module_state flm_module_state(struct flm_module *module);

/* Whether debug information that the compiler split off (.dwo) was not found: inlined functions of
 * those units are not known. */
bool flm_module_lacks_split(struct flm_module *module);

/* Appends a sentence for users: what is missing, and how to get it. */
void flm_module_explain(struct flm_module *module, struct flm_text *out);

#endif
