/* go_table.h - the table that the runtime of a Go program knows its functions by.
 *
 * .gopclntab is in every Go program, `strip` and `-ldflags="-s -w"` leave it:
 *
 *     header      magic, quantum of addresses, size of a pointer, then words of that size:
 *                 1.2    number of functions
 *                 1.16   functions, files, and the offsets of: names, units, files, pcs, functions
 *                 1.18   functions, files, start of the code, and the same offsets
 *     functions   entry and offset of each, ascending, then the end of the last one: two words;
 *                 since 1.18 two 32-bit numbers, the entry relative to the start of the code
 *     function    entry (1.18: 32 bits, relative), then numbers of 32 bits:
 *                 +0 name   +12 depth of the stack by address   +16, +20 files, lines by address
 *                 +24 how many other tables by address   +28 its unit's first file
 *                 [1.20: +32 the line it starts at]
 *                 then 4 bytes: kind, flags (1.17), nothing, how many funcdata; the other
 *                 tables; the funcdata
 *     units       32 bits for each file of a unit: the offset of its name
 *     pcs         values by address, as differences: a zigzag number to add to the value, and
 *                 for how many quanta it holds; 0 ends it. The value before the first is -1
 *
 * The format is that of Go's debug/gosym, runtime/symtab.go and cmd/link/internal/ld/pcln.go.
 * Offsets are into `bytes`; nothing in them is trusted, all are checked when they are used. */
#ifndef FLAMEL_SYMBOL_ELF_GO_TABLE_H
#define FLAMEL_SYMBOL_ELF_GO_TABLE_H

#include "symbol/elf/elf_file.h"

enum flm_go_version { FLM_GO_1_2, FLM_GO_1_16, FLM_GO_1_18, FLM_GO_1_20 };

struct flm_go_table {
    const struct flm_elf_file *file;
    struct flm_bytes bytes;
    uint64_t address; /* of the table */
    enum flm_go_version version;
    unsigned pointer; /* 4 or 8 */
    unsigned quantum;
    uint64_t count, text_start, text_end;
    uint64_t names, units, files, pcs, functions; /* offsets */
    struct flm_bytes funcdata; /* what offsets of funcdata are into; empty: not found */
};

/* A function of the table. */
struct flm_go_function {
    uint64_t start, end; /* addresses */
    uint64_t record;     /* offset of what the table says of it */
    struct flm_bytes name;
};

/* False: there is none, or it has a version that is not known. `funcdata` is not looked for. */
bool flm_go_table_open(struct flm_go_table *table, const struct flm_elf_file *file);

/* False for what is no function: one without a name, or without code in .text. Those that are
 * functions do not overlap, in a table that is not damaged. */
bool flm_go_function_at(const struct flm_go_table *table, uint64_t index,
                        struct flm_go_function *function);

/* The number of `size` bytes at an offset; 0 outside of the table. */
uint64_t flm_go_number(const struct flm_go_table *table, uint64_t offset, unsigned size);

/* The text at an offset; "" outside of the table. */
struct flm_bytes flm_go_text(const struct flm_go_table *table, uint64_t offset);

/* A field of a function's record, by its distance from the name's. */
enum {
    FLM_GO_NAME = 0,
    FLM_GO_FILES = 16,
    FLM_GO_LINES = 20,
    FLM_GO_PCDATA_COUNT = 24,
    FLM_GO_UNIT = 28
};
uint32_t flm_go_field(const struct flm_go_table *table, const struct flm_go_function *function,
                      unsigned distance);

/* What kinds of function it is: a bit each. */
unsigned flm_go_flags(const struct flm_go_table *table, const struct flm_go_function *function);

/* How many funcdata it has. */
unsigned flm_go_funcdata_count(const struct flm_go_table *table,
                               const struct flm_go_function *function);

/* ---- Values by address ----------------------------------------------------------------------- */

/* The values of a function from `at` on: `value` holds up to `end`. */
struct flm_go_values {
    const struct flm_go_table *table;
    uint64_t at; /* offset of what comes next; 0: nothing */
    uint64_t end;
    int32_t value;
    bool has_begun;
};

/* `offset` is into the pcs; 0: the function has no such table, and the value is -1 everywhere. */
struct flm_go_values flm_go_values(const struct flm_go_table *table,
                                   const struct flm_go_function *function, uint32_t offset);

/* Goes on to the next value. False at the end of the table: then -1 holds for all that follows. */
bool flm_go_values_next(struct flm_go_values *values);

/* The offset of the function's table by address of that number; 0: none. */
uint32_t flm_go_pcdata(const struct flm_go_table *table, const struct flm_go_function *function,
                       unsigned number);

/* ---- What is outside of the table: go_module.c ----------------------------------------------- */

/* Finds what funcdata is relative to, and the start of the code where the table does not have
 * it. */
void flm_go_find_module(struct flm_go_table *table);

/* ---- Inlined calls: go_module.c -------------------------------------------------------------- */

/* Where the inlined calls of a function are described: INDEX in which entry of `tree` the code of
 * an address is, and -1 outside of all of them. `tree` is empty where nothing is inlined. */
struct flm_go_inlined {
    uint32_t index;
    struct flm_bytes tree;
};
struct flm_go_inlined flm_go_inlined(const struct flm_go_table *table,
                                     const struct flm_go_function *function);

/* An entry of a tree: false when it cannot be one of this function. */
struct flm_go_call {
    struct flm_bytes name;
    uint64_t site; /* an address whose line is that of the call, in what it was inlined into */
};
bool flm_go_inlined_call(const struct flm_go_table *table, const struct flm_go_function *function,
                         const struct flm_go_inlined *inlined, uint32_t index,
                         struct flm_go_call *call);

#endif
