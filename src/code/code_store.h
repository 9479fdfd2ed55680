/* code_store.h - source files and machine code that a profile names, as far as they were found:
 * what a listing shows beside the costs.
 *
 *     flamel annotate, the terminal      find them on this machine, and put them here
 *     flamel view, in a browser          the same in its server; the page asks for one function at
 *                                        a time, and gets these bytes
 *     convert --with-source              the same for all functions that cost something; the bytes
 *                                        are part of the page
 *
 * So the viewer and reports see nothing but a store, wherever it comes from, and need no system.
 * What was looked for and not found is in it too, with a sentence that says why, so that nothing is
 * asked for twice. A store grows; only what is added again is replaced.
 *
 * As bytes, each text is there once, addresses are differences, and numbers are varints. */
#ifndef FLAMEL_CODE_CODE_STORE_H
#define FLAMEL_CODE_CODE_STORE_H

#include "base/text/line_index.h"
#include "base/text/text.h"

struct flm_code_store;

/* A source file, by the name that frames have. */
struct flm_code_file {
    struct flm_bytes name;
    struct flm_bytes path;   /* from which it was read; "": it was not found */
    struct flm_bytes status; /* a sentence: how well it fits, or where it was looked for */
    bool is_doubtful;        /* its lines may not be those that were compiled */
    struct flm_bytes text;
};

enum flm_instruction_kind {
    FLM_INSTRUCTION_PLAIN,
    FLM_INSTRUCTION_JUMP,   /* always */
    FLM_INSTRUCTION_BRANCH, /* on a condition: the next instruction may follow too */
    FLM_INSTRUCTION_CALL,
    FLM_INSTRUCTION_RETURN,
    FLM_INSTRUCTION_DATA, /* no instruction, or one that libcapstone does not know */
    FLM_INSTRUCTION_KIND_COUNT
};

/* No file, no inlined function. */
#define FLM_CODE_NONE UINT32_MAX

struct flm_code_instruction {
    uint64_t address; /* in the module's file, as locations have it */
    uint32_t size;    /* bytes; from 1 */
    uint8_t kind;     /* enum flm_instruction_kind */
    bool has_place;   /* the address that it names is known: */
    bool leads;       /* there, as a jump or a call; false also for one through a pointer there */
    uint64_t place;
    struct flm_bytes code;   /* its bytes, all of them; "": they were left out */
    struct flm_bytes text;   /* "mov    (%r8),%ecx": AT&T or Intel, by the store's maker */
    struct flm_bytes target; /* the name of what is at `place`: "memcpy@plt", "x+0x10"; "": none */
    uint32_t file, line;     /* source, of the innermost function; FLM_CODE_NONE, 0: not known */
    uint32_t inlined; /* the innermost inlined function; FLM_CODE_NONE: the function itself */
};

/* A call that was inlined. One function inlined at two lines is two of them. */
struct flm_code_inlined {
    struct flm_bytes function;
    uint32_t caller;     /* an earlier one, that has the call; FLM_CODE_NONE: the function itself */
    uint32_t file, line; /* of the call; FLM_CODE_NONE, 0: not known */
};

/* The machine code of a function, by the names that frames have: all of its parts (a compiler may
 * put the unlikely one elsewhere, and make copies), by address. A function that is only inlined has
 * those of the functions that it is in. */
struct flm_code_function {
    struct flm_bytes name, module;
    struct flm_bytes status;  /* a sentence: why there is no code, what is doubtful about it; "" */
    struct flm_bytes machine; /* "x86-64" */
    const struct flm_code_instruction *instructions; /* ascending, none in another */
    size_t instruction_count;
    const struct flm_bytes *files; /* names */
    size_t file_count;
    const struct flm_code_inlined *inlined;
    size_t inlined_count;
};

struct flm_code_store *flm_code_store_new(struct flm_error *why);
void flm_code_store_free(struct flm_code_store *store);

/* Copies it. False, and `why`, if memory ran out: the store is then as it was. One of the same name
 * (and module) is replaced, and what was returned of it is no more. */
bool flm_code_store_add_file(struct flm_code_store *store, const struct flm_code_file *file,
                             struct flm_error *why);
bool flm_code_store_add_function(struct flm_code_store *store,
                                 const struct flm_code_function *function, struct flm_error *why);

/* Moves all of a store into another one, and leaves it empty. False, and `why`, if memory ran out:
 * a part of it is lost. */
bool flm_code_store_take(struct flm_code_store *store, struct flm_code_store *from,
                         struct flm_error *why);

/* All that are in it, in the order in which they came. */
size_t flm_code_store_file_count(const struct flm_code_store *store);
const struct flm_code_file *flm_code_store_file_at(const struct flm_code_store *store,
                                                   size_t index);
size_t flm_code_store_function_count(const struct flm_code_store *store);
const struct flm_code_function *flm_code_store_function_at(const struct flm_code_store *store,
                                                           size_t index);

/* NULL: nobody has looked for it. */
const struct flm_code_file *flm_code_store_file(const struct flm_code_store *store,
                                                struct flm_bytes name);
const struct flm_line_index *flm_code_store_lines(const struct flm_code_store *store,
                                                  struct flm_bytes name);
const struct flm_code_function *flm_code_store_function(const struct flm_code_store *store,
                                                        struct flm_bytes name,
                                                        struct flm_bytes module);

/* The first instruction that ends behind the address; the count: none does. */
size_t flm_code_instruction_from(const struct flm_code_function *function, uint64_t address);

/* The first promise of the comments above that is broken. */
bool flm_code_function_check(const struct flm_code_function *function, struct flm_error *why);

/* All of it as bytes. False, and `why`, if memory ran out. */
bool flm_code_store_write(const struct flm_code_store *store, struct flm_text *out,
                          struct flm_error *why);

/* Adds what such bytes have, which may come from anywhere. False, and `why`: they are damaged, and
 * nothing is added; or memory ran out, and some of it is. */
bool flm_code_store_read(struct flm_code_store *store, struct flm_bytes bytes,
                         struct flm_error *why);

#endif
