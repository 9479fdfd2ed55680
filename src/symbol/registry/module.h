/* module.h - the code of one file: what its addresses mean, and how its frames are unwound.
 *
 * A module is an ELF file (program, library, vdso, kernel). It answers two questions, each from a
 * sorted table that is made in one pass when it is first asked, and kept on disk by build id
 * (table_cache.h), so that the next recording of the same file does not make it again:
 *
 *     lookup   address -> function, file, line, and the functions inlined there   code_table.h
 *     unwind   address -> where the caller's registers are                        unwind_table.h
 *
 *     mapped at 0x7f31a2c00000, from offset 0x28000     what a process has
 *         ip - start + offset = file offset             what a mapping says
 *         by the PT_LOAD segments: address              what ELF and DWARF speak of
 *
 * All questions are asked in addresses. What a file lacks is no error: a stripped file has fewer
 * answers, a missing one none, and `flm_module_state` says which it is, for people and for counts.
 *
 * A module may be asked by several threads at once when its table has been made: see
 * flm_modules_prepare. */
#ifndef FLAMEL_SYMBOL_REGISTRY_MODULE_H
#define FLAMEL_SYMBOL_REGISTRY_MODULE_H

#include "symbol/code/code_table.h"
#include "symbol/elf/build_id.h"

struct flm_module;
struct flm_modules;
struct flm_unwind_table;

/* ---- The modules of a recording -------------------------------------------------------------- */

struct flm_modules_options {
    /* Searched for files before the places where the recording had them: a file DIR/xx/yyyy.debug
     * of the build id, one with the whole path below DIR, or one of the same name in DIR. */
    const char *const *symbol_dirs;
    size_t symbol_dir_count;
    const char *debug_dir; /* of separate debug files; NULL: /usr/lib/debug */
    const char *perf_dir;  /* where perf keeps files by build id: ~/.debug; NULL: not looked into */
    const char *cache_dir; /* NULL: nothing is kept */
    bool debuginfod;       /* query the servers in DEBUGINFOD_URLS: debuginfod.h */
    bool names_only;       /* no lines and no inlined functions: symbol tables alone */
    bool kernel_is_ours;   /* recorded on this kernel, since it booted: its symbols may be asked */
};

struct flm_modules *flm_modules_new(const struct flm_modules_options *options,
                                    struct flm_error *why);
void flm_modules_free(struct flm_modules *modules); /* and every module */

/* `kernel_is_ours`, for readers that find out only while they read; before the first lookup. */
void flm_modules_kernel(struct flm_modules *modules, bool is_ours);

struct flm_module_request {
    struct flm_bytes path; /* as the process saw it; "[vdso]"; "[kernel.kallsyms]", "[module]" */
    struct flm_build_id build_id; /* size 0: not known */
    int process;            /* of a live process, whose root directory the path is below; 0: ours */
    struct flm_bytes image; /* the file in memory (vdso, jitted), which outlives the modules; {0}:
                               at the path, as where it has another build id */
    /* Of the kernel: where one of its symbols ("_text", "_stext"; "": "_text") was when it was
     * recorded; kernels lie elsewhere after every start. 0: not known. */
    uint64_t kernel_text;
    struct flm_bytes kernel_symbol;
};

/* The module that is asked for: the same one for the same request. Nothing is read yet but what
 * tells that it is the right file; a file with another build id is not taken. NULL only when memory
 * ran out. */
struct flm_module *flm_modules_get(struct flm_modules *modules,
                                   const struct flm_module_request *request);

/* Requests of processes that are not known any more, which nobody can make again. False when memory
 * ran out. */
typedef bool (*flm_process_predicate)(void *context, int32_t process);
bool flm_modules_forget_requests(struct flm_modules *modules, flm_process_predicate is_known,
                                 void *context);

/* Makes the code tables of `count` modules, by as many threads as there are processors. What is not
 * prepared is made by the first lookup. */
void flm_modules_prepare(struct flm_modules *modules, struct flm_module *const *wanted,
                         size_t count);

/* ---- Recordings without end --------------------------------------------------------------------
 *
 * A live view goes through rounds: its refreshes. What a round needs it says, and what none of the
 * last FLM_MODULE_ROUNDS has needed goes: modules that nobody has mapped any more, and tables of
 * those that do not run. So memory is that of what ran lately, however much has run before. */
enum { FLM_MODULE_ROUNDS = 60 };

/* This round needs it: someone has it mapped, or stood in it. Lookups say so of tables by
 * themselves. */
void flm_module_use(struct flm_module *module);

/* Ends a round, when no table is being made or asked: pointers to modules that were not needed are
 * good no more, and texts that lookups gave neither. False when memory ran out. */
bool flm_modules_evict(struct flm_modules *modules);

struct flm_modules_counts {
    size_t modules, requests;
    size_t code_tables, unwind_tables; /* in memory now */
};
struct flm_modules_counts flm_modules_counts(const struct flm_modules *modules);

/* ---- A module -------------------------------------------------------------------------------- */

/* The last part of its path: "libc.so.6". And the whole path. */
struct flm_bytes flm_module_name(const struct flm_module *module);
struct flm_bytes flm_module_path(const struct flm_module *module);
const struct flm_build_id *flm_module_build_id(const struct flm_module *module);

/* The address of a byte of the file. False where no segment that is mapped has it. Of the kernel
 * and its modules every address is the one that it runs at, and is its own offset. */
bool flm_module_address(const struct flm_module *module, uint64_t file_offset, uint64_t *address);

/* How many functions stand at the address: 0 where there is no symbol. At most `capacity` are
 * written. Texts are good until the modules are freed. */
size_t flm_module_lookup(struct flm_module *module, uint64_t address, struct flm_code *code,
                         size_t capacity);

/* Where a function without a symbol begins that has the address: in stripped code too, the tables
 * for unwinding say from where to where each function reaches (the FDE, "frame description entry").
 * `*start` is the address itself where none has it. Compilers may split a function: its unlikely
 * part is described on its own, and which function it is of is not said, so it is one of its own.
 * Hand-written assembly and PLTs may have one entry for many. False when memory ran out. Unlike
 * lookups, not by several threads at once. */
bool flm_module_function_start(struct flm_module *module, uint64_t address, uint64_t *start);

/* The table for unwinding; NULL when the file has none. */
const struct flm_unwind_table *flm_module_unwind_table(struct flm_module *module);

/* How much is known of it. */
enum flm_module_state {
    FLM_MODULE_MISSING,  /* there is no such file */
    FLM_MODULE_CHANGED,  /* there is one, but with another build id */
    FLM_MODULE_DAMAGED,  /* it is no ELF file that can be read */
    FLM_MODULE_BARE,     /* no symbols at all */
    FLM_MODULE_EXPORTS,  /* only what it exports (.dynsym) */
    FLM_MODULE_SYMBOLS,  /* functions (.symtab) */
    FLM_MODULE_COMPLETE, /* functions, lines, inlined functions (.debug_info) */
};

enum flm_module_state flm_module_state(struct flm_module *module);

/* One sentence for people: what is missing and what would help. */
void flm_module_explain(struct flm_module *module, struct flm_text *out);

#endif
